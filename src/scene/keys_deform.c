// The part of the table of keys that is about shapes of a body besides its rest shape: examples, and how it starts.
#include "scene/keys.h"
#include "scene/ranges.h"

// clang-format off
#define SHAPE_FILE                                                                                                     \
    { .name = "file",                                                                                                  \
      .kind = KIND_STRING,                                                                                             \
      .help = "a mesh file with the body's vertices in their order, relative to the scene's folder; scaled and "       \
              "turned as the body's mesh" }
#define SHAPE_STRETCH                                                                                                  \
    { .name = "stretch",                                                                                               \
      .kind = KIND_VECTOR,                                                                                             \
      .help = "factors along x, y and z",                                                                              \
      ABOVE(0, 1000),                                                                                                  \
      .otherwise = "[1, 1, 1]" }
#define SHAPE_TURN                                                                                                     \
    { .name = "turn",                                                                                                  \
      .kind = KIND_VECTOR,                                                                                             \
      .help = "rotation of one end against the other about x, y and z: twists about the length, bends about the "      \
              "others",                                                                                                \
      .unit = "degrees",                                                                                               \
      BETWEEN(-3600, 3600),                                                                                            \
      .otherwise = "[0, 0, 0]" }
#define SHAPE_ALONG                                                                                                    \
    { .name = "along",                                                                                                 \
      .kind = KIND_WORD,                                                                                               \
      .help = "the direction of the length",                                                                           \
      .word = axisName,                                                                                                \
      .otherwise = "the longest side" }
// clang-format on

static const Key exampleKeys[] = { SHAPE_FILE, SHAPE_STRETCH, SHAPE_TURN, SHAPE_ALONG };

const Object exampleObject = {
    .name = "example",
    .help = "A further rest shape: a `file`, or the mesh's own shape stretched, then turned.",
    KEYS(exampleKeys),
};

static const Key deformKeys[] = {
    { .name = "where", .kind = KIND_OBJECT, .help = "which vertices", .object = &whereObject, .otherwise = "all" },
    SHAPE_FILE,
    { .name = "scatter",
      .kind = KIND_BOX,
      .help = "the vertices are put at random places of this box: lower and upper corner, in rest coordinates",
      LENGTHS },
    SHAPE_STRETCH,
    SHAPE_TURN,
    SHAPE_ALONG,
    { .name = "centre",
      .kind = KIND_VECTOR,
      .help = "the point that stretch and turn leave where it is, in rest coordinates",
      LENGTHS,
      .otherwise = "the middle of the vertices" },
    { .name = "move", .kind = KIND_VECTOR, .help = "displacement", LENGTHS, .otherwise = "[0, 0, 0]" },
    { .name = "jitter",
      .kind = KIND_NUMBER,
      .help = "random displacement of every vertex along each axis, at most this",
      .unit = "m",
      BETWEEN(0, 1e6),
      .otherwise = "0" },
    { .name = "seed",
      .kind = KIND_INTEGER,
      .help = "of scatter and jitter: another number gives another draw; the same on every machine",
      BETWEEN(0, 2147483647),
      .otherwise = "0" },
};

const Object deformObject = {
    .name = "deformation",
    .help = "A change of shape before the start: places from a `file` or by `scatter`, then `stretch`, `turn`, `move` "
            "and `jitter`. Pins hold the vertices where it puts them.",
    KEYS(deformKeys),
};
