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
    { SOLID_FIGURE, VV_SHAPE_MESH },
};

bool solidIsFigure(const char *name)
{
    return strcmp(name, SOLID_FIGURE) == 0;
}

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
    { .name = "time",
      .kind = KIND_NUMBER,
      .help = "time of the keyframe; each later than the one before",
      TIMES,
      .required = true },
    { .name = "position", .kind = KIND_VECTOR, .help = "where the collider is", LENGTHS, .otherwise = "as before" },
    { .name = "rotate",
      .kind = KIND_VECTOR,
      .help = "rotation about x, then y, then z",
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

static const Key animationKeys[] = {
    { .name = "file",
      .kind = KIND_STRING,
      .help = "glTF with an animation, a PC2 or MDD point cache, or a mesh file for every frame with # for the digits "
              "of its number: walk_####.obj, from 0 or 1. Relative to the scene's folder",
      .required = true },
    { .name = "clip",
      .kind = KIND_STRING,
      .help = "glTF: the name of the animation",
      .otherwise = "the first of the file" },
    { .name = "fps",
      .kind = KIND_NUMBER,
      .help = "frames per second; keys of glTF have times of their own",
      ABOVE(0, 1e6),
      .fallback = "24" },
    { .name = "loop",
      .kind = KIND_SWITCH,
      .help = "the first frame follows the last; else the last one stays",
      .fallback = "false" },
};

const Object animationObject = {
    .name = "animation",
    .help = "Points over time, from a file: the first frame at time 0, linear in between; glTF as its keys say.",
    KEYS(animationKeys),
};

static const Key colliderKeys[] = {
    { .name = "shape", .kind = KIND_WORD, .help = "the shape", .word = solidName, .required = true },
#include "scene/keys_shape.inc"
    { .name = "sampling",
      .kind = KIND_NUMBER,
      .help = "mesh: cell of a grid of sampled distances; 0: exact distances",
      .unit = "m",
      BETWEEN(0, 1e6),
      .otherwise = "0" },
    { .name = "height",
      .kind = KIND_NUMBER,
      .help = "figure: how tall it is; its origin is in the middle",
      .unit = "m",
      ABOVE(0, 1e6),
      .otherwise = "1.8" },
    { .name = "cells",
      .kind = KIND_INTEGER,
      .help = "figure: fineness of its surface, 4 for cells of about 5 cm at 1.8 m",
      BETWEEN(2, 64),
      .otherwise = "4" },
    { .name = "walk",
      .kind = KIND_SWITCH,
      .help = "figure: it walks along its x from time 0; else it stands",
      .otherwise = "true" },
    { .name = "animation",
      .kind = KIND_OBJECT,
      .help = "mesh: how its points move, in its frame and times scale; as many points as the mesh has",
      .object = &animationObject,
      .otherwise = "it is rigid" },
    { .name = "position",
      .kind = KIND_VECTOR,
      .help = "position of the shape's origin",
      LENGTHS,
      .fallback = "[0, 0, 0]" },
    { .name = "rotate",
      .kind = KIND_VECTOR,
      .help = "rotation about x, then y, then z, about the shape's origin",
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
      .help = "fraction of the approach speed with which a hard mass would leave",
      BETWEEN(0, 1),
      .fallback = "0" },
    { .name = "stiffness",
      .kind = KIND_NUMBER,
      .help = "contact pressure per penetration depth, the same on every mesh",
      .unit = "N/m^3",
      ABOVE(0, 1e18),
      .otherwise = "that of the body" },
    { .name = "vertexStiffness",
      .kind = KIND_NUMBER,
      .help = "stiffness for every vertex, whatever its area",
      .unit = "N/m",
      ABOVE(0, 1e12),
      .otherwise = "by area" },
    { .name = "sensor",
      .kind = KIND_SWITCH,
      .help = "contact events report what is inside; it pushes nothing",
      .fallback = "false" },
    { .name = "adhesion",
      .kind = KIND_NUMBER,
      .help = "with what a sticky surface pulls before it lets go",
      .unit = "N/m^2",
      BETWEEN(0, 1e12),
      .fallback = "0" },
    { .name = "oneWay",
      .kind = KIND_VECTOR,
      .help = "direction in its frame, of any length: it holds what comes against it, all else passes; 0: it holds "
              "everything",
      BETWEEN(-1e5, 1e5),
      .fallback = "[0, 0, 0]" },
    { .name = "surfaceVelocity",
      .kind = KIND_VECTOR,
      .help = "velocity of the surface along itself, in its frame: a conveyor belt",
      .unit = "m/s",
      BETWEEN(-1e5, 1e5),
      .fallback = "[0, 0, 0]" },
    { .name = "category",
      .kind = KIND_INTEGER,
      .help = "bits; it collides with bodies that have one of them in their mask",
      BETWEEN(0, 4294967295.0),
      .fallback = "1" },
    { .name = "mask",
      .kind = KIND_INTEGER,
      .help = "bits; it collides with bodies that have one of them in their category",
      BETWEEN(0, 4294967295.0),
      .fallback = "4294967295" },
    { .name = "keyframes",
      .kind = KIND_LIST,
      .help = "how the collider moves",
      .object = &poseObject,
      ENTRIES(1, 1e5),
      .otherwise = "at rest" },
};

const Object colliderObject = {
    .name = "collider",
    .help = "A rigid shape that bodies collide with. Keys of another shape are mistakes.",
    KEYS(colliderKeys),
};
