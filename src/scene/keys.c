// Every key of the format, once: kind, unit, range, default and a line of help. Validation, defaults, the JSON Schema and
// docs/scenes.md are made from this table.
#include "scene/keys.h"
#include "scene/ranges.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <verve/record.h>

// ---- where -----------------------------------------------------------------------------------------------------------

static const Key sphereKeys[] = {
    { .name = "centre", .kind = KIND_VECTOR, .help = "its middle", LENGTHS, .required = true },
    { .name = "radius", .kind = KIND_NUMBER, .help = "its radius", .unit = "m", ABOVE(0, 1e6), .required = true },
};

static const Object sphereObject = {
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

static const Object whereObject = {
    .name = "where",
    .help = "Which vertices of a body, in rest coordinates: those of the mesh after `scale` and `rotate`, before "
            "`position`.",
    KEYS(whereKeys),
    .exactlyOne = { "box", "sphere", "vertices", "all" },
};

// ---- bodies ----------------------------------------------------------------------------------------------------------

static const Key meshKeys[] = {
    { .name = "shape", .kind = KIND_WORD, .help = "a generated mesh, centred at the origin", .word = shapeName },
    { .name = "size",
      .kind = KIND_NUMBERS,
      .help = "of the shape: one number for all, or one for each it has",
      .unit = "m",
      ABOVE(0, 1e6),
      .otherwise = "that of the shape" },
    { .name = "cells",
      .kind = KIND_INTEGERS,
      .help = "of the shape: one number for all, or one for each it has",
      BETWEEN(1, 10000),
      .otherwise = "those of the shape" },
    { .name = "diagonals",
      .kind = KIND_INTEGER,
      .help = "of a sheet: shear springs per cell",
      BETWEEN(0, 2),
      .otherwise = "2" },
    { .name = "skip",
      .kind = KIND_SWITCH,
      .help = "of a sheet or rope: springs over two cells, which resist bending",
      .otherwise = "false" },
    { .name = "file", .kind = KIND_STRING, .help = "a mesh file, relative to the scene's folder" },
    { .name = "format",
      .kind = KIND_WORD,
      .help = "of the file",
      .word = vvGetMeshFormatName,
      .otherwise = "by the file's ending" },
    { .name = "scale",
      .kind = KIND_NUMBER,
      .help = "factor on all coordinates: 0.001 turns millimetres into metres",
      ABOVE(0, 1e6),
      .fallback = "1" },
    { .name = "rotate",
      .kind = KIND_VECTOR,
      .help = "about x, then y, then z, about the origin",
      .unit = "degrees",
      BETWEEN(-36000, 36000),
      .fallback = "[0, 0, 0]" },
};

static const Object meshObject = {
    .name = "mesh",
    .help = "What the body is made of: a `shape` or a `file`.",
    KEYS(meshKeys),
    .exactlyOne = { "shape", "file" },
};

static const Key springKeys[] = {
    { .name = "structural",
      .kind = KIND_NUMBER,
      .help = "springs along the cells",
      .unit = "N/m",
      BETWEEN(0, 1e12),
      .otherwise = "one from young" },
    { .name = "shear",
      .kind = KIND_NUMBER,
      .help = "springs across a cell",
      .unit = "N/m",
      BETWEEN(0, 1e12),
      .otherwise = "one from young" },
    { .name = "skip",
      .kind = KIND_NUMBER,
      .help = "springs over two cells",
      .unit = "N/m",
      BETWEEN(0, 1e12),
      .otherwise = "none" },
};

static const Object springObject = {
    .name = "springStiffness",
    .help = "Springs by their own stiffness instead of the material's. 0 leaves a kind out.",
    KEYS(springKeys),
};

#define STRETCH_MIN BETWEEN(0, 1)
#define STRETCH_MAX BETWEEN(1, 1000)

static const Key limitKeys[] = {
    { .name = "min",
      .kind = KIND_NUMBER,
      .help = "shortest stretch; with a direction, along it",
      STRETCH_MIN,
      .fallback = "0" },
    { .name = "max",
      .kind = KIND_NUMBER,
      .help = "longest stretch; with a direction, along it",
      STRETCH_MAX,
      .required = true },
    { .name = "stiffness",
      .kind = KIND_NUMBER,
      .help = "of what lies beyond",
      .unit = "Pa",
      BETWEEN(0, 1e15),
      .otherwise = "100 young" },
    { .name = "direction",
      .kind = KIND_VECTOR,
      .help = "of the mesh at rest: limits along it and across it",
      BETWEEN(-1e6, 1e6),
      .otherwise = "the same limits in all directions" },
    { .name = "acrossMin",
      .kind = KIND_NUMBER,
      .help = "shortest stretch across the direction",
      STRETCH_MIN,
      .fallback = "0" },
    { .name = "acrossMax",
      .kind = KIND_NUMBER,
      .help = "longest stretch across the direction",
      STRETCH_MAX,
      .fallback = "1000" },
};

static const Object limitObject = {
    .name = "strainLimit",
    .help = "Stretches that the body moves within freely; outside it is stiff.",
    KEYS(limitKeys),
};

static const Key materialKeys[] = {
    { .name = "preset",
      .kind = KIND_WORD,
      .help = "where the numbers start from",
      .word = presetName,
      .fallback = "\"rubber\"" },
    { .name = "model",
      .kind = KIND_WORD,
      .help = "what holds the body together",
      .word = vvGetModelName,
      .otherwise = "corotated for tets, spring for sheets and ropes" },
    { .name = "density",
      .kind = KIND_NUMBER,
      .help = "mass per volume",
      .unit = "kg/m^3",
      ABOVE(0, 1e6),
      .otherwise = "that of the preset" },
    { .name = "young",
      .kind = KIND_NUMBER,
      .help = "Young's modulus: jelly 1e4, rubber 1.5e6",
      .unit = "Pa",
      ABOVE(0, 1e13),
      .otherwise = "that of the preset" },
    { .name = "poisson",
      .kind = KIND_NUMBER,
      .help = "Poisson's ratio; linear tets lock from about 0.49 on",
      INSIDE(-1, 0.5),
      .otherwise = "that of the preset" },
    { .name = "thickness",
      .kind = KIND_NUMBER,
      .help = "of a sheet, or the diameter of a rope",
      .unit = "m",
      ABOVE(0, 100),
      .otherwise = "that of the preset" },
    { .name = "bending",
      .kind = KIND_NUMBER,
      .help = "of sheets, times that of a plate of the material",
      BETWEEN(0, 1e9),
      .otherwise = "1 with triangles, else 0" },
    { .name = "bendingModel",
      .kind = KIND_WORD,
      .help = "how bending is measured",
      .word = bendingModelName,
      .otherwise = "mean-curvature" },
    { .name = "strainLimit", .kind = KIND_OBJECT, .help = "hardens beyond these stretches", .object = &limitObject },
    { .name = "volumeStiffness",
      .kind = KIND_NUMBER,
      .help = "tets: what resists a change of volume, beside the model",
      .unit = "Pa",
      BETWEEN(0, 1e15),
      .fallback = "0" },
    { .name = "areaStiffness",
      .kind = KIND_NUMBER,
      .help = "sheets: what resists a change of area, beside the model",
      .unit = "Pa",
      BETWEEN(0, 1e15),
      .fallback = "0" },
    { .name = "shapeStiffness",
      .kind = KIND_NUMBER,
      .help = "pull to the rest shape as a rigid whole, per mass",
      .unit = "1/s^2",
      BETWEEN(0, 1e12),
      .fallback = "0" },
    { .name = "shapeClusters",
      .kind = KIND_INTEGER,
      .help = "that shape as so many overlapping regions, each for itself",
      BETWEEN(0, VV_MAX_CLUSTERS),
      .otherwise = "the body as a whole" },
    { .name = "exampleStiffness",
      .kind = KIND_NUMBER,
      .help = "of a body with examples: pull to the nearest blend of them",
      .unit = "Pa",
      BETWEEN(0, 1e15),
      .otherwise = "young" },
    { .name = "exampleWeights",
      .kind = KIND_WORD,
      .help = "a blend of examples for each tet, or one for the body",
      .word = exampleWeightsName,
      .otherwise = "local" },
    { .name = "springStiffness",
      .kind = KIND_OBJECT,
      .help = "springs by their own stiffness",
      .object = &springObject },
};

static const Object materialObject = {
    .name = "material",
    .help = "A preset by its word, or an object that starts from one.",
    KEYS(materialKeys),
};

static const Key dampingKeys[] = {
    { .name = "mass",
      .kind = KIND_NUMBER,
      .help = "drag proportional to mass and velocity",
      .unit = "1/s",
      BETWEEN(0, 1e6),
      .fallback = "0" },
    { .name = "stiffness",
      .kind = KIND_NUMBER,
      .help = "Rayleigh's beta: frequency w is damped with the ratio beta w / 2; keeps momenta",
      .unit = "s",
      BETWEEN(0, 1e3),
      .fallback = "0" },
    { .name = "spring",
      .kind = KIND_NUMBER,
      .help = "of every spring, against the rate of its length; spring models alone",
      .unit = "N s/m",
      BETWEEN(0, 1e12),
      .fallback = "0" },
    { .name = "rigidPreserving",
      .kind = KIND_NUMBER,
      .help = "rate at which motion other than that of the rigid whole dies away; keeps momenta",
      .unit = "1/s",
      BETWEEN(0, 1e6),
      .fallback = "0" },
};

static const Object dampingObject = {
    .name = "damping",
    .help = "What takes energy, in SI units that do not depend on the step.",
    KEYS(dampingKeys),
};

static const Key keyframeKeys[] = {
    { .name = "time", .kind = KIND_NUMBER, .help = "when; each later than the one before", TIMES, .required = true },
    { .name = "move",
      .kind = KIND_VECTOR,
      .help = "displacement from the initial position",
      LENGTHS,
      .fallback = "[0, 0, 0]" },
    { .name = "rotate",
      .kind = KIND_VECTOR,
      .help = "turn about x, then y, then z, about the pin's centre",
      .unit = "degrees",
      BETWEEN(-36000, 36000),
      .fallback = "[0, 0, 0]" },
};

static const Object keyframeObject = {
    .name = "keyframe",
    .help = "Where pinned vertices are at a time: linear in between, still after the last, at their initial position "
            "at time 0.",
    KEYS(keyframeKeys),
};

static const Key pinKeys[] = {
    { .name = "where", .kind = KIND_OBJECT, .help = "which vertices", .object = &whereObject, .required = true },
    { .name = "stiffness",
      .kind = KIND_NUMBER,
      .help = "of the spring that holds each vertex",
      .unit = "N/m",
      ABOVE(0, 1e12),
      .otherwise = "a hard pin, which does not give way" },
    { .name = "keyframes",
      .kind = KIND_LIST,
      .help = "how the pinned vertices move",
      .object = &keyframeObject,
      ENTRIES(1, 1e5),
      .otherwise = "at rest" },
    { .name = "centre",
      .kind = KIND_VECTOR,
      .help = "what keyframes turn about, in rest coordinates",
      LENGTHS,
      .otherwise = "the middle of the pinned vertices" },
    { .name = "release", .kind = KIND_NUMBER, .help = "when a hard pin lets go", TIMES, .otherwise = "never" },
    { .name = "plane",
      .kind = KIND_VECTOR,
      .help = "vertices slide in the plane across this normal, of any length; not with local-global, small-midpoint, "
              "small-steps or explicit methods",
      BETWEEN(-1e6, 1e6),
      .otherwise = "no slide" },
    { .name = "line",
      .kind = KIND_VECTOR,
      .help = "vertices slide along this direction, likewise",
      BETWEEN(-1e6, 1e6),
      .otherwise = "no slide" },
};

static const Object pinObject = {
    .name = "pin",
    .help = "Vertices held in place or moved.",
    KEYS(pinKeys),
};

static const Key forceKeys[] = {
    { .name = "where", .kind = KIND_OBJECT, .help = "which vertices", .object = &whereObject, .required = true },
    { .name = "force",
      .kind = KIND_VECTOR,
      .help = "in total, shared by mass",
      .unit = "N",
      BETWEEN(-1e12, 1e12),
      .required = true },
    { .name = "from", .kind = KIND_NUMBER, .help = "when it begins", TIMES, .fallback = "0" },
    { .name = "to",
      .kind = KIND_NUMBER,
      .help = "when it ends; a step it covers in part gets that part of the force",
      TIMES,
      .otherwise = "never" },
};

static const Object forceObject = {
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
      .help = "one end against the other, about x, y and z: twists about the length, bends about the others",
      .unit = "degrees",
      BETWEEN(-3600, 3600),
      .otherwise = "[0, 0, 0]" },
    { .name = "along",
      .kind = KIND_WORD,
      .help = "the length that is turned",
      .word = axisName,
      .otherwise = "the longest side" },
};

static const Object exampleObject = {
    .name = "example",
    .help = "A shape beside the rest shape: a `file`, or the rest shape stretched, then turned.",
    KEYS(exampleKeys),
};

static const Key bodyKeys[] = {
    { .name = "name",
      .kind = KIND_STRING,
      .help = "unique; for messages, attachments and the names of files",
      .otherwise = "body and its number, from 1" },
    { .name = "mesh", .kind = KIND_OBJECT, .help = "a shape or a file", .object = &meshObject, .required = true },
    { .name = "material",
      .kind = KIND_WORD_OR_OBJECT,
      .help = "a preset, or an object",
      .word = presetName,
      .object = &materialObject,
      .fallback = "\"rubber\"" },
    { .name = "position", .kind = KIND_VECTOR, .help = "added to the mesh's points", LENGTHS, .fallback = "[0, 0, 0]" },
    { .name = "velocity",
      .kind = KIND_VECTOR,
      .help = "at the start",
      .unit = "m/s",
      BETWEEN(-1e5, 1e5),
      .fallback = "[0, 0, 0]" },
    { .name = "spin",
      .kind = KIND_VECTOR,
      .help = "at the start, about the centre of mass",
      .unit = "rad/s",
      BETWEEN(-1e5, 1e5),
      .fallback = "[0, 0, 0]" },
    { .name = "damping",
      .kind = KIND_OBJECT,
      .help = "what takes energy on purpose",
      .object = &dampingObject,
      .fallback = "{}" },
    { .name = "pins",
      .kind = KIND_LIST,
      .help = "vertices held or moved",
      .object = &pinObject,
      ENTRIES(0, 1000),
      .otherwise = "none" },
    { .name = "forces",
      .kind = KIND_LIST,
      .help = "forces on vertices",
      .object = &forceObject,
      ENTRIES(0, 1000),
      .otherwise = "none" },
    { .name = "examples",
      .kind = KIND_LIST,
      .help = "of tets: shapes in which it is at rest too, as in all blends of them; make the material soft",
      .object = &exampleObject,
      ENTRIES(0, VV_MAX_EXAMPLES),
      .otherwise = "none" },
    { .name = "pressure",
      .kind = KIND_NUMBER,
      .help = "inside a closed surface; below 0 suction",
      .unit = "Pa",
      BETWEEN(-1e9, 1e9),
      .fallback = "0" },
    { .name = "contactStiffness",
      .kind = KIND_NUMBER,
      .help = "pressure per depth of overlap",
      .unit = "N/m^3",
      ABOVE(0, 1e18),
      .otherwise = "10 young / size, less for sheets" },
    { .name = "contactSamples",
      .kind = KIND_INTEGER,
      .help = "points along an edge of the surface that meet colliders, beyond the vertices",
      BETWEEN(0, VV_MAX_CONTACT_SAMPLES),
      .fallback = "0" },
    { .name = "friction",
      .kind = KIND_NUMBER,
      .help = "Coulomb's coefficient: with the other's, the root of the product",
      BETWEEN(0, 1000),
      .otherwise = "the other's" },
    { .name = "selfContact",
      .kind = KIND_SWITCH,
      .help = "it meets itself too; needs softContact",
      .fallback = "false" },
    { .name = "category",
      .kind = KIND_INTEGER,
      .help = "bits; it meets what has a mask with one of them",
      BETWEEN(0, 4294967295.0),
      .fallback = "1" },
    { .name = "mask",
      .kind = KIND_INTEGER,
      .help = "bits; it meets what has a category with one of them",
      BETWEEN(0, 4294967295.0),
      .fallback = "4294967295" },
};

static const Object bodyObject = {
    .name = "body",
    .help = "One soft body.",
    KEYS(bodyKeys),
};

// ---- the rest of a scene ---------------------------------------------------------------------------------------------

static const Key endKeys[] = {
    { .name = "body", .kind = KIND_STRING, .help = "name of a body", .required = true },
    { .name = "vertex",
      .kind = KIND_INTEGER,
      .help = "by number, from 0 in the order of the mesh",
      BETWEEN(0, VV_MAX_VERTICES - 1) },
    { .name = "point", .kind = KIND_VECTOR, .help = "the vertex nearest to this point, in rest coordinates", LENGTHS },
};

static const Object endObject = {
    .name = "end",
    .help = "A vertex of a body.",
    KEYS(endKeys),
    .exactlyOne = { "vertex", "point" },
};

static const Key attachmentKeys[] = {
    { .name = "a", .kind = KIND_OBJECT, .help = "one end", .object = &endObject, .required = true },
    { .name = "b", .kind = KIND_OBJECT, .help = "the other end", .object = &endObject, .required = true },
    { .name = "stiffness",
      .kind = KIND_NUMBER,
      .help = "of the spring",
      .unit = "N/m",
      ABOVE(0, 1e12),
      .fallback = "10000" },
    { .name = "restLength",
      .kind = KIND_NUMBER,
      .help = "of the spring; 0 pulls the two vertices together",
      .unit = "m",
      BETWEEN(0, 1e6),
      .fallback = "0" },
};

static const Object attachmentObject = {
    .name = "attachment",
    .help = "A spring between two vertices; it makes their bodies one island.",
    KEYS(attachmentKeys),
};

static const Key tableauKeys[] = {
    { .name = "a",
      .kind = KIND_ROWS,
      .help = "a row for every stage: the weights of the stages before it; the first is [0]",
      BETWEEN(-1e6, 1e6),
      .required = true },
    { .name = "b", .kind = KIND_ROW, .help = "the weights of the step, sum 1", BETWEEN(-1e6, 1e6), .required = true },
    { .name = "embedded",
      .kind = KIND_ROW,
      .help = "weights of a second solution, sum 1, for stepTolerance",
      BETWEEN(-1e6, 1e6),
      .otherwise = "steps are not divided" },
};

static const Object tableauObject = {
    .name = "tableau",
    .help = "An explicit Runge-Kutta method of your own, 1 to 8 stages.",
    KEYS(tableauKeys),
};

static const Key integratorKeys[] = {
    { .name = "method",
      .kind = KIND_WORD,
      .help = "how time advances",
      .word = vvGetMethodName,
      .fallback = "\"small-midpoint\"" },
    { .name = "solver",
      .kind = KIND_WORD,
      .help = "how an implicit step is solved",
      .word = vvGetSolverName,
      .fallback = "\"newton\"" },
    { .name = "iterations",
      .kind = KIND_INTEGER,
      .help = "of the solver in one step, at most; 0: the solver's own",
      BETWEEN(0, 10000),
      .fallback = "0" },
    { .name = "tolerance",
      .kind = KIND_NUMBER,
      .help = "the solver stops below this fraction of the body's size",
      BETWEEN(1e-15, 1),
      .fallback = "1e-10" },
    { .name = "accelerate",
      .kind = KIND_SWITCH,
      .help = "local-global: quasi-Newton steps from the last iterations",
      .fallback = "false" },
    { .name = "budget",
      .kind = KIND_NUMBER,
      .help = "wall clock for a step; 0: none. The bits then depend on the machine",
      .unit = "s",
      BETWEEN(0, 1000),
      .fallback = "0" },
    { .name = "substeps",
      .kind = KIND_INTEGER,
      .help = "steps per frame, or inside a step where the method divides it; 0: by its rule, else 1",
      BETWEEN(0, 10000),
      .fallback = "0" },
    { .name = "forcing",
      .kind = KIND_NUMBER,
      .help = "newton-cg: the conjugate gradient stops at this share of the gradient",
      BETWEEN(1e-12, 0.9),
      .fallback = "0.02" },
    { .name = "preconditioner",
      .kind = KIND_WORD,
      .help = "newton-cg: what the conjugate gradient is helped by",
      .word = vvGetPreconditionerName,
      .fallback = "\"ic\"" },
    { .name = "jacobian",
      .kind = KIND_WORD,
      .help = "simplified-newton: the matrix that is kept",
      .word = vvGetJacobianName,
      .fallback = "\"frozen\"" },
    { .name = "momentum",
      .kind = KIND_WORD,
      .help = "stabilized: whether momenta follow the external forces exactly",
      .word = vvGetMomentumName,
      .fallback = "\"auto\"" },
    { .name = "energyReturn",
      .kind = KIND_SWITCH,
      .help = "small-midpoint: gives back what its substeps lost",
      .fallback = "true" },
    { .name = "symmetric",
      .kind = KIND_SWITCH,
      .help = "small-steps: every second sweep of a substep goes backward",
      .fallback = "false" },
    { .name = "jacobi",
      .kind = KIND_SWITCH,
      .help = "small-steps: elements all at once instead of one after the other; softer",
      .fallback = "false" },
    { .name = "precision",
      .kind = KIND_WORD,
      .help = "small-steps: of the substeps of undamped springs",
      .word = vvGetPrecisionName,
      .fallback = "\"double\"" },
    { .name = "viscousPass",
      .kind = KIND_SWITCH,
      .help = "small-steps: strain rates are damped by an implicit solve over the velocities",
      .fallback = "false" },
    { .name = "recoverySpeed",
      .kind = KIND_NUMBER,
      .help = "small-steps: how fast contact pushes out overlap",
      .unit = "m/s",
      BETWEEN(0, 1e6),
      .fallback = "1" },
    { .name = "gamma", .kind = KIND_NUMBER, .help = "newmark", BETWEEN(0, 1), .fallback = "0.5" },
    { .name = "beta", .kind = KIND_NUMBER, .help = "newmark", BETWEEN(0, 0.5), .fallback = "0.25" },
    { .name = "spectralRadius",
      .kind = KIND_NUMBER,
      .help = "generalized-alpha: what is left of motion far too fast for a step",
      BETWEEN(0, 1),
      .fallback = "0.8" },
    { .name = "stepTolerance",
      .kind = KIND_NUMBER,
      .help = "error above which methods divide a step, or where their solver fails; 0: never",
      .unit = "m",
      BETWEEN(0, 1e6),
      .fallback = "0" },
    { .name = "tableau",
      .kind = KIND_OBJECT,
      .help = "runge-kutta: its coefficients",
      .object = &tableauObject,
      .otherwise = "those of rk4" },
    { .name = "sleepEnergy",
      .kind = KIND_NUMBER,
      .help = "kinetic energy per mass below which bodies fall asleep; 0: never, 1e-5 is usual",
      .unit = "J/kg",
      BETWEEN(0, 1e6),
      .fallback = "0" },
    { .name = "sleepTime",
      .kind = KIND_NUMBER,
      .help = "how long they must have been below it",
      TIMES,
      .fallback = "0.5" },
    { .name = "energyTolerance",
      .kind = KIND_NUMBER,
      .help = "allowed drift of the energy, for methods that watch it",
      BETWEEN(1e-9, 1),
      .fallback = "0.01" },
};

static const Object integratorObject = {
    .name = "integrator",
    .help = "How a step is taken. Keys that another method uses are accepted and ignored.",
    KEYS(integratorKeys),
};

static const Key recordKeys[] = {
    { .name = "ledger", .kind = KIND_STRING, .help = "file for the energy ledger, CSV", .fallback = "\"ledger.csv\"" },
    { .name = "frames",
      .kind = KIND_STRINGS,
      .help = "files for the frames: one stem, endings obj, pc2, vtu, usda; [] for none",
      .fallback = "\"frames.pc2\"" },
    { .name = "snapshot",
      .kind = KIND_STRING,
      .help = "file for the saved state, from which a run goes on",
      .fallback = "\"snapshot.vvs\"" },
    { .name = "snapshotEvery",
      .kind = KIND_INTEGER,
      .help = "frames between saved states",
      BETWEEN(1, 1e9),
      .fallback = "50" },
};

static const Object recordObject = {
    .name = "record",
    .help = "What is written, into the folder of the run: names without folders.",
    KEYS(recordKeys),
};

static const Key cameraKeys[] = {
    { .name = "eye", .kind = KIND_VECTOR, .help = "where it stands", LENGTHS, .required = true },
    { .name = "target", .kind = KIND_VECTOR, .help = "what it looks at", LENGTHS, .fallback = "[0, 0, 0]" },
    { .name = "fieldOfView",
      .kind = KIND_NUMBER,
      .help = "vertical angle",
      .unit = "degrees",
      BETWEEN(1, 170),
      .fallback = "40" },
};

static const Object cameraObject = {
    .name = "camera",
    .help = "Where pictures are taken from.",
    KEYS(cameraKeys),
};

static const Key windKeys[] = {
    { .name = "velocity",
      .kind = KIND_VECTOR,
      .help = "of the air",
      .unit = "m/s",
      BETWEEN(-1e4, 1e4),
      .required = true },
    { .name = "density",
      .kind = KIND_NUMBER,
      .help = "of the air; 0 is none",
      .unit = "kg/m^3",
      BETWEEN(0, 1e5),
      .fallback = "1.2" },
    { .name = "drag",
      .kind = KIND_NUMBER,
      .help = "coefficient of a triangle across the wind",
      BETWEEN(0, 1000),
      .fallback = "1.17" },
};

static const Object windObject = {
    .name = "wind",
    .help =
        "Air that moves: each triangle of a surface feels 1/2 density drag area |u.n| (u.n) along its normal n, with u "
        "the "
        "velocity of the air less its own. Sheets feel it from both sides, solids where they face it, ropes do not.",
    KEYS(windKeys),
};

static const Key sceneKeys[] = {
    { .name = "$schema", .kind = KIND_ANYTHING, .help = "for editors; not looked at" },
    { .name = "verve",
      .kind = KIND_INTEGER,
      .help = "version of the format; this program reads 1",
      BETWEEN(1, 1),
      .required = true },
    { .name = "name", .kind = KIND_STRING, .help = "of the scene", .fallback = "\"scene\"" },
    { .name = "description", .kind = KIND_STRING, .help = "what is to be seen", .fallback = "\"\"" },
    { .name = "gravity",
      .kind = KIND_VECTOR,
      .help = "acceleration of free fall",
      .unit = "m/s^2",
      BETWEEN(-1e4, 1e4),
      .fallback = "[0, -9.81, 0]" },
    { .name = "wind",
      .kind = KIND_OBJECT,
      .help = "air that moves",
      .object = &windObject,
      .otherwise = "there is no air" },
    { .name = "timestep",
      .kind = KIND_NUMBER,
      .help = "time from frame to frame",
      .unit = "s",
      ABOVE(0, 10),
      .fallback = "0.016666666666666666" },
    { .name = "frames", .kind = KIND_INTEGER, .help = "how many to simulate", BETWEEN(0, 1e9), .fallback = "300" },
    { .name = "integrator",
      .kind = KIND_OBJECT,
      .help = "how a step is taken",
      .object = &integratorObject,
      .fallback = "{}" },
    { .name = "bodies",
      .kind = KIND_LIST,
      .help = "the soft bodies",
      .object = &bodyObject,
      ENTRIES(1, 4096),
      .required = true },
    { .name = "softContact",
      .kind = KIND_SWITCH,
      .help = "bodies meet each other; colliders they meet always",
      .fallback = "false" },
    { .name = "attachments",
      .kind = KIND_LIST,
      .help = "springs between vertices",
      .object = &attachmentObject,
      ENTRIES(0, 65536),
      .otherwise = "none" },
    { .name = "colliders",
      .kind = KIND_LIST,
      .help = "rigid shapes that bodies meet",
      .object = &colliderObject,
      ENTRIES(0, 4096),
      .otherwise = "none" },
    { .name = "record", .kind = KIND_OBJECT, .help = "what is written", .object = &recordObject, .fallback = "{}" },
    { .name = "camera",
      .kind = KIND_OBJECT,
      .help = "where pictures are taken from",
      .object = &cameraObject,
      .otherwise = "the renderer's choice" },
};

const Object sceneObject = {
    .name = "scene",
    .help = "The file itself: one JSON object. Right-handed, y up, SI units.",
    KEYS(sceneKeys),
};

// ---- looking things up -----------------------------------------------------------------------------------------------

const Key *keyFind(const Object *object, const char *name)
{
    for (int i = 0; i < object->keyCount; ++i)
    {
        if (strcmp(object->keys[i].name, name) == 0)
            return &object->keys[i];
    }
    return NULL;
}

void keyRange(const Key *key, char *text, size_t size)
{
    const Range *r = &key->range;
    const char *space = key->unit ? " " : "", *unit = key->unit ? key->unit : "";
    if (r->least == r->most && r->least == 0)
        snprintf(text, size, "%s", "");
    else if (r->least == r->most)
        snprintf(text, size, "%.10g%s%s", r->least, space, unit);
    else if (r->above || r->below)
        snprintf(text, size, "above %.10g and %s %.10g%s%s", r->least, r->below ? "below" : "at most", r->most, space,
                 unit);
    else
        snprintf(text, size, "%.10g to %.10g%s%s", r->least, r->most, space, unit);
}

void keyWords(const char *(*word)(int index), char *text, size_t size)
{
    size_t length = 0;
    text[0] = 0;
    for (int i = 0; word(i) != NULL && length < size; ++i)
        length += (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? ", " : "", word(i));
}

const Object *keyObject(int index)
{
    static const Object *const objects[] = {
        &sceneObject,      &integratorObject, &bodyObject,     &meshObject,    &materialObject, &springObject,
        &dampingObject,    &pinObject,        &keyframeObject, &forceObject,   &whereObject,    &sphereObject,
        &attachmentObject, &endObject,        &colliderObject, &poseObject,    &recordObject,   &cameraObject,
        &tableauObject,    &limitObject,      &windObject,     &exampleObject,
    };
    return index >= 0 && index < (int)(sizeof objects / sizeof objects[0]) ? objects[index] : NULL;
}
