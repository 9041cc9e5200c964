#include "mesh/build.h"

// What each generator reads from the definition. A NULL name: not used.
typedef struct ShapeUse
{
    const char *size[3];  // names of size.x, size.y, size.z
    const char *cells[3]; // names of cells[0], cells[1], cells[2]
    int least[3];         // smallest cells
} ShapeUse;

#define MOST_TIME 1e6 // s

static const ShapeUse uses[] = {
    [VV_MESH_BOX] = { { "x", "y", "z" }, { "along x", "along y", "along z" }, { 1, 1, 1 } },
    [VV_MESH_BAR] = { { "x (the length)", "y", "z" }, { "along x", "along y", "along z" }, { 1, 1, 1 } },
    [VV_MESH_SHEET] = { { "x", NULL, "z" }, { "along x", NULL, "along z" }, { 1, 1, 1 } },
    [VV_MESH_ROPE] = { { "x (the length)", NULL, NULL }, { "x (the segments)", NULL, NULL }, { 1, 1, 1 } },
    [VV_MESH_SPHERE] = { { "x (the diameter)", NULL, NULL }, { "x (the layers)", NULL, NULL }, { 1, 1, 1 } },
    [VV_MESH_CYLINDER] = { { "x (the diameter)", "y (the height)", NULL },
                           { "x (the rings)", "y (the layers)", NULL },
                           { 1, 1, 1 } },
    [VV_MESH_TORUS] = { { "x (the outer diameter)", "y (the tube diameter)", NULL },
                        { "x (the rings)", "y (steps around)", NULL },
                        { 1, 3, 1 } },
    [VV_MESH_TUBE] = { { "x (the diameter)", "y (the height)", NULL },
                       { "x (steps around)", "y (the layers)", NULL },
                       { 3, 1, 1 } },
    [VV_MESH_TET] = { { "x (the edge length)", NULL, NULL }, { NULL, NULL, NULL }, { 1, 1, 1 } },
    [VV_MESH_COIL] = { { "x (the diameter)", "y (the height)", NULL },
                       { "x (the segments)", "y (the turns)", NULL },
                       { 1, 1, 1 } },
};

static const ShapeUse model = { { "x (the longest side)", NULL, NULL },
                                { "x (the fineness)", NULL, NULL },
                                { 3, 1, 1 } };

static vvResult checkUse(const vvMeshDef *def, const ShapeUse *use)
{
    const double sizes[3] = { def->size.x, def->size.y, def->size.z };
    for (int i = 0; i < 3; ++i)
    {
        if (use->size[i] != NULL && !(sizes[i] > 0 && isfinite(sizes[i])))
            return resultMake(VV_BAD_INPUT, "give a length in metres", "size %s is %g m, must be above 0 and finite",
                              use->size[i], sizes[i]);
        if (use->cells[i] != NULL && (def->cells[i] < use->least[i] || def->cells[i] > VV_MAX_VERTICES))
            return resultMake(VV_BAD_INPUT, "give a number of cells within the limits",
                              "cells %s is %d, must be %d to %d", use->cells[i], def->cells[i], use->least[i],
                              VV_MAX_VERTICES);
    }
    return resultOk();
}

vvResult checkGenerator(const vvMeshDef *def)
{
    vvResult result = checkUse(def, def->shape >= VV_MESH_HIPPO ? &model : &uses[def->shape]);
    if (result.code != VV_OK)
        return result;
    if (def->shape == VV_MESH_SHEET && (def->diagonals < 0 || def->diagonals > 2))
        return resultMake(VV_BAD_INPUT, "choose 0, 1 or 2 shear springs per cell", "diagonals is %d, must be 0 to 2",
                          def->diagonals);
    if (def->shape == VV_MESH_TORUS && !(def->size.y < def->size.x / 2))
        return resultMake(VV_BAD_INPUT, "make the tube thinner or the torus wider",
                          "the tube diameter is %g m, must be below half the outer diameter, %g m, to leave a hole",
                          def->size.y, def->size.x / 2);
    if (def->shape == VV_MESH_FIGURE && !(def->time >= 0 && def->time <= MOST_TIME))
        return resultMake(VV_BAD_INPUT, "give the seconds since it began to walk", "time is %g s, must be 0 to %g",
                          def->time, MOST_TIME);
    return resultOk();
}
