// The part of the table of keys that is about bodies: where, damping, pins, forces, examples, regions.
#include "scene/keys.h"
#include "scene/ranges.h"

#include <verve/record.h>

// ---- where ----------------------------------------------------------------------------------------------------------

static const Key sphereKeys[] = {
    { .name = "centre", .kind = KIND_VECTOR, .help = "its centre", LENGTHS, .required = true },
    { .name = "radius", .kind = KIND_NUMBER, .help = "its radius", .unit = "m", ABOVE(0, 1e6), .required = true },
};

const Object sphereObject = {
    .name = "sphere",
    .help = "A ball of space.",
    KEYS(sphereKeys),
};

static const Key whereKeys[] = {
    { .name = "box", .kind = KIND_BOX, .help = "vertices in a box: lower and upper corner, both included", LENGTHS },
    { .name = "sphere",
      .kind = KIND_OBJECT,
      .help = "vertices in a ball, its surface included",
      .object = &sphereObject },
    { .name = "vertices",
      .kind = KIND_INDICES,
      .help = "vertices by number, from 0 in the order of the mesh",
      BETWEEN(0, VV_MAX_VERTICES - 1) },
    { .name = "all", .kind = KIND_SWITCH, .help = "all vertices; can only be true" },
};

const Object whereObject = {
    .name = "where",
    .help = "Which vertices of a body, in rest coordinates: those of the mesh after `scale` and `rotate`, before "
            "`position`.",
    KEYS(whereKeys),
    .exactlyOne = { "box", "sphere", "vertices", "all" },
};

// ---- bodies ---------------------------------------------------------------------------------------------------------

static const Key dampingKeys[] = {
    { .name = "mass",
      .kind = KIND_NUMBER,
      .help = "drag proportional to mass and velocity",
      .unit = "1/s",
      BETWEEN(0, 1e6),
      .fallback = "0" },
    { .name = "stiffness",
      .kind = KIND_NUMBER,
      .help = "Rayleigh's beta: the damping ratio at angular frequency w is beta w / 2; keeps momenta",
      .unit = "s",
      BETWEEN(0, 1e3),
      .fallback = "0" },
    { .name = "spring",
      .kind = KIND_NUMBER,
      .help = "damping of the rate of length of every spring; spring models only",
      .unit = "N s/m",
      BETWEEN(0, 1e12),
      .fallback = "0" },
    { .name = "rigidPreserving",
      .kind = KIND_NUMBER,
      .help = "rate at which motion decays, except rigid motion; keeps both momenta",
      .unit = "1/s",
      BETWEEN(0, 1e6),
      .fallback = "0" },
};

const Object dampingObject = {
    .name = "damping",
    .help = "Damping, in SI units that do not depend on the step.",
    KEYS(dampingKeys),
};

static const Key keyframeKeys[] = {
    { .name = "time",
      .kind = KIND_NUMBER,
      .help = "time of the keyframe; each later than the one before",
      TIMES,
      .required = true },
    { .name = "move",
      .kind = KIND_VECTOR,
      .help = "displacement from the initial position",
      LENGTHS,
      .fallback = "[0, 0, 0]" },
    { .name = "rotate",
      .kind = KIND_VECTOR,
      .help = "rotation about x, then y, then z, about the pin's centre",
      .unit = "degrees",
      BETWEEN(-36000, 36000),
      .fallback = "[0, 0, 0]" },
};

const Object keyframeObject = {
    .name = "keyframe",
    .help = "Where pinned vertices are at a time: linear in between, still after the last, at their initial position "
            "at time 0.",
    KEYS(keyframeKeys),
};

static const Key pinKeys[] = {
    { .name = "where", .kind = KIND_OBJECT, .help = "which vertices", .object = &whereObject, .required = true },
    { .name = "stiffness",
      .kind = KIND_NUMBER,
      .help = "stiffness of the spring that holds each vertex",
      .unit = "N/m",
      ABOVE(0, 1e12),
      .otherwise = "a hard pin" },
    { .name = "keyframes",
      .kind = KIND_LIST,
      .help = "how the vertices move",
      .object = &keyframeObject,
      ENTRIES(1, 1e5),
      .otherwise = "at rest" },
    { .name = "animation",
      .kind = KIND_OBJECT,
      .help = "where the vertices go, in space: an animation of all vertices of the body, or of the pinned ones in "
              "ascending order",
      .object = &animationObject,
      .otherwise = "at rest, or by keyframes" },
    { .name = "follow",
      .kind = KIND_INTEGER,
      .help = "number of the collider that the vertices go along with, from 0: by its keyframes, and of one with an "
              "animation by its nearest triangle",
      BETWEEN(0, 1e6),
      .otherwise = "none" },
    { .name = "centre",
      .kind = KIND_VECTOR,
      .help = "centre of the rotations of keyframes, in rest coordinates",
      LENGTHS,
      .otherwise = "the middle of the pinned vertices" },
    { .name = "release",
      .kind = KIND_NUMBER,
      .help = "time at which a hard pin is released",
      TIMES,
      .otherwise = "never" },
    { .name = "plane",
      .kind = KIND_VECTOR,
      .help = "vertices slide in the plane with this normal, of any length; not with local-global, small-midpoint, "
              "small-steps or explicit methods",
      BETWEEN(-1e6, 1e6),
      .otherwise = "no slide" },
    { .name = "line",
      .kind = KIND_VECTOR,
      .help = "vertices slide along this direction, of any length; with the same methods and solvers as plane",
      BETWEEN(-1e6, 1e6),
      .otherwise = "no slide" },
    { .name = "maxDistance",
      .kind = KIND_NUMBER,
      .help = "the vertices are not held: they stay within this distance of where the pin would have them",
      .unit = "m",
      BETWEEN(0, 1e6),
      .otherwise = "they are held" },
    { .name = "backstop",
      .kind = KIND_NUMBER,
      .help = "the vertices are not held: they do not go farther behind where the pin would have them, against the "
              "normal of the surface",
      .unit = "m",
      BETWEEN(-1e6, 1e6),
      .otherwise = "none" },
    { .name = "backstopRadius",
      .kind = KIND_NUMBER,
      .help = "radius of the ball that a backstop is; 0: a half-space",
      .unit = "m",
      BETWEEN(0, 1e6),
      .fallback = "0" },
};

const Object pinObject = {
    .name = "pin",
    .help = "Vertices held in place or moved.",
    KEYS(pinKeys),
};

static const Key forceKeys[] = {
    { .name = "where", .kind = KIND_OBJECT, .help = "which vertices", .object = &whereObject, .required = true },
    { .name = "force",
      .kind = KIND_VECTOR,
      .help = "total force, distributed by mass",
      .unit = "N",
      BETWEEN(-1e12, 1e12),
      .required = true },
    { .name = "from", .kind = KIND_NUMBER, .help = "time at which it begins", TIMES, .fallback = "0" },
    { .name = "to",
      .kind = KIND_NUMBER,
      .help = "time at which it ends; a step that it covers in part gets that fraction of the force",
      TIMES,
      .otherwise = "never" },
};

const Object forceObject = {
    .name = "force",
    .help = "A force on vertices, for a time.",
    KEYS(forceKeys),
};

static const Key exampleKeys[] = {
    { .name = "file",
      .kind = KIND_STRING,
      .help =
          "a mesh file with the body's vertices in their order, relative to the scene's folder; scaled and turned as "
          "the body's mesh" },
    { .name = "stretch",
      .kind = KIND_VECTOR,
      .help = "factors along x, y and z",
      ABOVE(0, 1000),
      .otherwise = "[1, 1, 1]" },
    { .name = "turn",
      .kind = KIND_VECTOR,
      .help = "rotation of one end against the other about x, y and z: twists about the length, bends about the others",
      .unit = "degrees",
      BETWEEN(-3600, 3600),
      .otherwise = "[0, 0, 0]" },
    { .name = "along",
      .kind = KIND_WORD,
      .help = "the direction of the length",
      .word = axisName,
      .otherwise = "the longest side" },
};

const Object exampleObject = {
    .name = "example",
    .help = "A further rest shape: a `file`, or the mesh's own shape stretched, then turned.",
    KEYS(exampleKeys),
};

static const Key regionKeys[] = {
    { .name = "where",
      .kind = KIND_OBJECT,
      .help = "which vertices; an element is in the region when all of its vertices are",
      .object = &whereObject,
      .required = true },
    { .name = "stiffness",
      .kind = KIND_NUMBER,
      .help = "factor of Young's modulus, or of springStiffness; not with membrane",
      BETWEEN(1e-9, 1e9),
      .otherwise = "as elsewhere" },
    { .name = "density",
      .kind = KIND_NUMBER,
      .help = "mass per volume",
      .unit = "kg/m^3",
      ABOVE(0, 1e6),
      .otherwise = "as elsewhere" },
    { .name = "friction",
      .kind = KIND_NUMBER,
      .help = "Coulomb's coefficient of its vertices",
      BETWEEN(0, 1000),
      .otherwise = "as elsewhere" },
};

const Object regionObject = {
    .name = "region",
    .help = "A part of the body that is stiffer, softer, heavier, lighter, rougher or smoother than the rest. Where "
            "regions overlap, the "
            "later one counts.",
    KEYS(regionKeys),
};

static const Key bodyKeys[] = {
    { .name = "name",
      .kind = KIND_STRING,
      .help = "unique; for messages, attachments and the names of files",
      .otherwise = "body and its number, from 1" },
    { .name = "mesh",
      .kind = KIND_OBJECT,
      .help = "a generated shape or a file",
      .object = &meshObject,
      .required = true },
    { .name = "material",
      .kind = KIND_WORD_OR_OBJECT,
      .help = "a preset by name, or an object",
      .word = presetName,
      .object = &materialObject,
      .fallback = "\"rubber\"" },
    { .name = "regions",
      .kind = KIND_LIST,
      .help = "parts of the body with another stiffness, density or friction",
      .object = &regionObject,
      ENTRIES(0, 1000),
      .otherwise = "none" },
    { .name = "position", .kind = KIND_VECTOR, .help = "added to the mesh's points", LENGTHS, .fallback = "[0, 0, 0]" },
    { .name = "velocity",
      .kind = KIND_VECTOR,
      .help = "initial velocity",
      .unit = "m/s",
      BETWEEN(-1e5, 1e5),
      .fallback = "[0, 0, 0]" },
    { .name = "spin",
      .kind = KIND_VECTOR,
      .help = "initial angular velocity about the centre of mass",
      .unit = "rad/s",
      BETWEEN(-1e5, 1e5),
      .fallback = "[0, 0, 0]" },
    { .name = "damping",
      .kind = KIND_OBJECT,
      .help = "damping of the motion",
      .object = &dampingObject,
      .fallback = "{}" },
    { .name = "pins",
      .kind = KIND_LIST,
      .help = "vertices that are held or moved",
      .object = &pinObject,
      ENTRIES(0, 1000),
      .otherwise = "none" },
    { .name = "tethers",
      .kind = KIND_NUMBER,
      .help = "every vertex stays within this times its distance at rest, along the mesh, from the nearest hard pins",
      BETWEEN(1, 1e6),
      .otherwise = "none" },
    { .name = "forces",
      .kind = KIND_LIST,
      .help = "forces on vertices",
      .object = &forceObject,
      ENTRIES(0, 1000),
      .otherwise = "none" },
    { .name = "examples",
      .kind = KIND_LIST,
      .help = "solids: further shapes in which the body is at rest, and with them all their mixtures; make the "
              "material soft",
      .object = &exampleObject,
      ENTRIES(0, VV_MAX_EXAMPLES),
      .otherwise = "none" },
    { .name = "pressure",
      .kind = KIND_NUMBER,
      .help = "constant pressure inside a closed surface; below 0: suction",
      .unit = "Pa",
      BETWEEN(-1e9, 1e9),
      .fallback = "0" },
    { .name = "contactStiffness",
      .kind = KIND_NUMBER,
      .help = "contact pressure per penetration depth",
      .unit = "N/m^3",
      ABOVE(0, 1e18),
      .otherwise = "10 young / size, less for sheets" },
    { .name = "contactSamples",
      .kind = KIND_INTEGER,
      .help = "points along each edge of the surface that collide with colliders, besides the vertices",
      BETWEEN(0, VV_MAX_CONTACT_SAMPLES),
      .fallback = "0" },
    { .name = "contactSurface",
      .kind = KIND_INTEGER,
      .help = "of a cage: at most so many points of the surface that it carries, spread over it, collide with "
              "colliders instead of its own vertices; 500 is plenty for most",
      BETWEEN(0, VV_MAX_CONTACT_SURFACE),
      .fallback = "0" },
    { .name = "friction",
      .kind = KIND_NUMBER,
      .help = "Coulomb's coefficient; two coefficients are combined by the root of their product",
      BETWEEN(0, 1000),
      .otherwise = "the other's" },
    { .name = "selfContact",
      .kind = KIND_SWITCH,
      .help = "the body collides with itself; needs softContact",
      .fallback = "false" },
    { .name = "category",
      .kind = KIND_INTEGER,
      .help = "bits; the body collides with what has one of them in its mask",
      BETWEEN(0, 4294967295.0),
      .fallback = "1" },
    { .name = "mask",
      .kind = KIND_INTEGER,
      .help = "bits; the body collides with what has one of them in its category",
      BETWEEN(0, 4294967295.0),
      .fallback = "4294967295" },
};

const Object bodyObject = {
    .name = "body",
    .help = "One soft body.",
    KEYS(bodyKeys),
};
