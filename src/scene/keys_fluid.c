// The part of the table of keys that is about fluids.
#include "scene/keys.h"
#include "scene/ranges.h"

static const Key blockKeys[] = {
    { .name = "box",
      .kind = KIND_BOX,
      .help = "filled with particles from its lower corner on: lower and upper corner",
      LENGTHS,
      .required = true },
    { .name = "velocity",
      .kind = KIND_VECTOR,
      .help = "of the particles",
      .unit = "m/s",
      BETWEEN(-1e6, 1e6),
      .fallback = "[0, 0, 0]" },
};

const Object blockObject = {
    .name = "block",
    .help = "A box of fluid at the start.",
    KEYS(blockKeys),
};

static const Key emitterKeys[] = {
    { .name = "position", .kind = KIND_VECTOR, .help = "its centre", LENGTHS, .required = true },
    { .name = "direction",
      .kind = KIND_VECTOR,
      .help = "where the fluid goes, any length above 0",
      BETWEEN(-1e6, 1e6),
      .fallback = "[0, -1, 0]" },
    { .name = "radius", .kind = KIND_NUMBER, .help = "of the opening", .unit = "m", ABOVE(0, 1e6), .required = true },
    { .name = "speed", .kind = KIND_NUMBER, .help = "of the fluid", .unit = "m/s", BETWEEN(0, 1e6), .required = true },
    { .name = "rate",
      .kind = KIND_NUMBER,
      .help = "volume in a time, no more than speed and radius allow; 0: as much as they do",
      .unit = "m^3/s",
      BETWEEN(0, 1e18),
      .fallback = "0" },
};

const Object emitterObject = {
    .name = "emitter",
    .help = "A round opening from which fluid flows.",
    KEYS(emitterKeys),
};

static const Key drainKeys[] = {
    { .name = "box", .kind = KIND_BOX, .help = "lower and upper corner", LENGTHS, .required = true },
};

const Object drainObject = {
    .name = "drain",
    .help = "What is in the box at the end of a step is taken out.",
    KEYS(drainKeys),
};

static const Key fluidKeys[] = {
    { .name = "name", .kind = KIND_STRING, .help = "name of the fluid", .fallback = "\"fluid\"" },
    { .name = "spacing",
      .kind = KIND_NUMBER,
      .help = "between particles at rest",
      .unit = "m",
      BETWEEN(1e-6, 1e6),
      .fallback = "0.02" },
    { .name = "density",
      .kind = KIND_NUMBER,
      .help = "at rest",
      .unit = "kg/m^3",
      BETWEEN(1e-6, 1e9),
      .fallback = "1000" },
    { .name = "viscosity",
      .kind = KIND_NUMBER,
      .help = "water has 0.001, honey 10",
      .unit = "Pa s",
      BETWEEN(0, 1e12),
      .fallback = "0" },
    { .name = "surfaceTension",
      .kind = KIND_NUMBER,
      .help = "water has 0.072",
      .unit = "N/m",
      BETWEEN(0, 1e12),
      .fallback = "0" },
    { .name = "smoothing",
      .kind = KIND_NUMBER,
      .help = "share of what its velocity differs from those around it that a particle loses in a substep",
      BETWEEN(0, 0.5),
      .fallback = "0.04" },
    { .name = "friction",
      .kind = KIND_NUMBER,
      .help = "Coulomb's coefficient on colliders",
      BETWEEN(0, 1e12),
      .fallback = "0" },
    { .name = "maxParticles",
      .kind = KIND_INTEGER,
      .help = "emitters stop there",
      BETWEEN(1, VV_MAX_FLUID_PARTICLES),
      .fallback = "100000" },
    { .name = "substeps",
      .kind = KIND_INTEGER,
      .help = "of a step, at least",
      BETWEEN(1, VV_MAX_SUBSTEPS),
      .fallback = "10" },
    { .name = "maxSubsteps",
      .kind = KIND_INTEGER,
      .help = "of a step where particles are fast",
      BETWEEN(1, VV_MAX_SUBSTEPS),
      .fallback = "40" },
    { .name = "maxDisplacement",
      .kind = KIND_NUMBER,
      .help = "of a particle in a substep, in halves of the spacing",
      BETWEEN(0.01, 1),
      .fallback = "0.3" },
    { .name = "blocks",
      .kind = KIND_LIST,
      .help = "what there is at the start",
      .object = &blockObject,
      ENTRIES(0, 4096),
      .otherwise = "nothing" },
    { .name = "emitters",
      .kind = KIND_LIST,
      .help = "from where fluid flows",
      .object = &emitterObject,
      ENTRIES(0, VV_MAX_FLUID_FLOWS),
      .otherwise = "none" },
    { .name = "drains",
      .kind = KIND_LIST,
      .help = "where fluid is taken out",
      .object = &drainObject,
      ENTRIES(0, VV_MAX_FLUID_FLOWS),
      .otherwise = "none" },
    { .name = "category", .kind = KIND_INTEGER, .help = "bits", BETWEEN(0, 4294967295.0), .fallback = "1" },
    { .name = "mask",
      .kind = KIND_INTEGER,
      .help = "bits of the categories of colliders that it meets",
      BETWEEN(0, 4294967295.0),
      .fallback = "4294967295" },
};

const Object fluidObject = {
    .name = "fluid",
    .help =
        "Particles that keep their distance and flow around colliders, under every method. Soft bodies do not touch "
        "them yet.",
    KEYS(fluidKeys),
};
