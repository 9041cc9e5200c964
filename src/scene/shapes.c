// The shapes of the generators: which numbers each needs, and which component of the mesh definition they are.
#include "scene/keys.h"

#include <string.h>

#define MODEL 1, { 0 }, 1, { 0 }, "1", "4", "longest side", "fineness; 8: cells of half the size"

static const Shape shapes[] = {
    { "box", VV_MESH_BOX, 3, { 0, 1, 2 }, 3, { 0, 1, 2 }, "1", "4", "x, y and z", "along x, y and z" },
    { "bar",
      VV_MESH_BAR,
      3,
      { 0, 1, 2 },
      3,
      { 0, 1, 2 },
      "[1, 0.2, 0.2]",
      "[10, 2, 2]",
      "length, height and width",
      "along x, y and z" },
    { "sheet", VV_MESH_SHEET, 2, { 0, 2 }, 2, { 0, 2 }, "1", "10", "x and z", "along x and z" },
    { "rope", VV_MESH_ROPE, 1, { 0 }, 1, { 0 }, "1", "10", "length", "segments" },
    { "sphere", VV_MESH_SPHERE, 1, { 0 }, 1, { 0 }, "1", "4", "diameter", "layers from centre to surface" },
    { "cylinder", VV_MESH_CYLINDER, 2, { 0, 1 }, 2, { 0, 1 }, "1", "4", "diameter and height", "rings and layers" },
    { "torus",
      VV_MESH_TORUS,
      2,
      { 0, 1 },
      2,
      { 0, 1 },
      "[1, 0.3]",
      "[2, 16]",
      "outer diameter and tube diameter (below half the outer)",
      "rings, and cross-sections around" },
    { "tube",
      VV_MESH_TUBE,
      2,
      { 0, 1 },
      2,
      { 0, 1 },
      "1",
      "[24, 10]",
      "diameter and height",
      "around (at least 3), and layers" },
    { "tet", VV_MESH_TET, 1, { 0 }, 0, { 0 }, "1", "1", "edge length", "none" },
    { "coil",
      VV_MESH_COIL,
      2,
      { 0, 1 },
      2,
      { 0, 1 },
      "[0.2, 1]",
      "[80, 5]",
      "diameter and height",
      "segments, and turns" },
    { "hippo", VV_MESH_HIPPO, MODEL },
    { "cactus", VV_MESH_CACTUS, MODEL },
    { "dog", VV_MESH_DOG, MODEL },
    { "bunny", VV_MESH_BUNNY, MODEL },
    { "car", VV_MESH_CAR, MODEL },
    { "horn", VV_MESH_HORN, MODEL },
    { "figure", VV_MESH_FIGURE, MODEL },
};

#define SHAPE_COUNT ((int)(sizeof shapes / sizeof shapes[0]))

const char *shapeName(int index)
{
    return index >= 0 && index < SHAPE_COUNT ? shapes[index].name : NULL;
}

const Shape *shapeFind(const char *name)
{
    for (int i = 0; i < SHAPE_COUNT; ++i)
    {
        if (strcmp(shapes[i].name, name) == 0)
            return &shapes[i];
    }
    return NULL;
}
