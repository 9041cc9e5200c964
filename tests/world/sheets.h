// Sheets that tests of the membrane share.
#ifndef TESTS_WORLD_SHEETS_H
#define TESTS_WORLD_SHEETS_H

#include "world/scenes.h"

#define DENSITY 1000.0
#define THICKNESS 1e-3
#define YOUNG 1e7
#define GRAVITY 9.81

static inline vvMesh *gridMesh(double sizeX, double sizeZ, int nx, int nz, int diagonals)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_SHEET;
    def.size = (vvVec3){ sizeX, 1, sizeZ };
    def.cells[0] = nx;
    def.cells[2] = nz;
    def.diagonals = diagonals;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    return mesh;
}

static inline vvSoftBodyDef sheetDef(const char *model, double poisson)
{
    vvSoftBodyDef def = elasticDef(DENSITY, YOUNG, poisson);
    def.model = model;
    def.material.thickness = THICKNESS;
    return def;
}

#endif
