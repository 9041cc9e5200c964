// The part of the table of keys that is about colliders.
#include "scene/keys.h"
#include "scene/ranges.h"

#include <string.h>

static const struct
{
    const char *name;
    vvShapeKind kind;
} solids[] = {
    { "plane", VV_SHAPE_PLANE },
    { "sphere", VV_SHAPE_SPHERE },
    { "box", VV_SHAPE_BOX },
    { "capsule", VV_SHAPE_CAPSULE },
    { "convex", VV_SHAPE_CONVEX },
    { "mesh", VV_SHAPE_MESH },
    { "heightfield", VV_SHAPE_HEIGHTFIELD },
};

const char *solidName(int index)
{
    return index >= 0 && index < (int)(sizeof solids / sizeof solids[0]) ? solids[index].name : NULL;
}

vvShapeKind solidKind(const char *name)
{
    for (size_t i = 0; i < sizeof solids / sizeof solids[0]; ++i)
    {
        if (strcmp(solids[i].name, name) == 0)
            return solids[i].kind;
    }
    return VV_SHAPE_PLANE;
}

static const Key poseKeys[] = {
    { .name = "time", .kind = KIND_NUMBER, .help = "when; each later than the one before", TIMES, .required = true },
    { .name = "position", .kind = KIND_VECTOR, .help = "where the collider is", LENGTHS, .otherwise = "as before" },
    { .name = "rotate",
      .kind = KIND_VECTOR,
      .help = "how it is turned, about x, then y, then z",
      .unit = "degrees",
      BETWEEN(-36000, 36000),
      .otherwise = "as before" },
};

const Object poseObject = {
    .name = "pose",
    .help = "Where a collider is at a time: linear in between, still after the last, where the collider's own keys put "
            "it at time 0.",
    KEYS(poseKeys),
};

static const Key colliderKeys[] = {
    { .name = "shape", .kind = KIND_WORD, .help = "what it is", .word = solidName, .required = true },
    { .name = "normal",
      .kind = KIND_VECTOR,
      .help = "of a plane: the way out of it, of any length",
      BETWEEN(-1e6, 1e6),
      .otherwise = "[0, 1, 0]" },
    { .name = "offset", .kind = KIND_NUMBER, .help = "of a plane: normal . x = offset", LENGTHS, .otherwise = "0" },
    { .name = "radius",
      .kind = KIND_NUMBER,
      .help = "of a sphere or capsule",
      .unit = "m",
      ABOVE(0, 1e6),
      .otherwise = "0.5" },
    { .name = "size",
      .kind = KIND_NUMBERS,
      .help = "of a box: x, y and z; of a heightfield: x and z; or one number for all",
      .unit = "m",
      ABOVE(0, 1e6),
      .otherwise = "1" },
    { .name = "length",
      .kind = KIND_NUMBER,
      .help = "of a capsule: between the centres of its caps, along y",
      .unit = "m",
      ABOVE(0, 1e6),
      .otherwise = "1" },
    { .name = "points",
      .kind = KIND_ROWS,
      .help = "of a convex shape: the hull of [[x, y, z], ...], or of a file's points",
      LENGTHS },
    { .name = "heights",
      .kind = KIND_ROWS,
      .help = "of a heightfield: rows along x, the first at the lowest z; two or more of two or more",
      LENGTHS },
    { .name = "file",
      .kind = KIND_STRING,
      .help = "of a mesh: its surface, closed; of a convex shape: its points. Relative to the scene's folder" },
    { .name = "format",
      .kind = KIND_WORD,
      .help = "of the file",
      .word = vvGetMeshFormatName,
      .otherwise = "by the file's ending" },
    { .name = "scale",
      .kind = KIND_NUMBER,
      .help = "of the file: factor on all coordinates",
      ABOVE(0, 1e6),
      .otherwise = "1" },
    { .name = "sampling",
      .kind = KIND_NUMBER,
      .help = "of a mesh: cell of a grid of distances instead of exact ones; 0: exact",
      .unit = "m",
      BETWEEN(0, 1e6),
      .otherwise = "0" },
    { .name = "position", .kind = KIND_VECTOR, .help = "of the shape's origin", LENGTHS, .fallback = "[0, 0, 0]" },
    { .name = "rotate",
      .kind = KIND_VECTOR,
      .help = "about x, then y, then z, about the shape's origin",
      .unit = "degrees",
      BETWEEN(-36000, 36000),
      .fallback = "[0, 0, 0]" },
    { .name = "friction",
      .kind = KIND_NUMBER,
      .help = "Coulomb's coefficient: 0 ice, 0.5 wood, 1 rubber",
      BETWEEN(0, 1000),
      .fallback = "0.5" },
    { .name = "restitution",
      .kind = KIND_NUMBER,
      .help = "share of the speed of approach that a hard mass would leave with",
      BETWEEN(0, 1),
      .fallback = "1" },
    { .name = "stiffness",
      .kind = KIND_NUMBER,
      .help = "pressure per depth of overlap, the same on every mesh",
      .unit = "N/m^3",
      ABOVE(0, 1e18),
      .otherwise = "that of the body" },
    { .name = "vertexStiffness",
      .kind = KIND_NUMBER,
      .help = "for every vertex, whatever area it stands for",
      .unit = "N/m",
      ABOVE(0, 1e12),
      .otherwise = "by area" },
    { .name = "category",
      .kind = KIND_INTEGER,
      .help = "bits; it meets bodies whose mask has one of them",
      BETWEEN(0, 4294967295.0),
      .fallback = "1" },
    { .name = "mask",
      .kind = KIND_INTEGER,
      .help = "bits; it meets bodies whose category has one of them",
      BETWEEN(0, 4294967295.0),
      .fallback = "4294967295" },
    { .name = "keyframes",
      .kind = KIND_LIST,
      .help = "how it moves",
      .object = &poseObject,
      ENTRIES(1, 1e5),
      .otherwise = "at rest" },
};

const Object colliderObject = {
    .name = "collider",
    .help = "A rigid shape that bodies meet. Keys of another shape are mistakes.",
    KEYS(colliderKeys),
};
