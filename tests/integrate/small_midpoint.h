// Scenes on which small-midpoint is judged, and what is read off them; shared by tests and soaks.
#ifndef TESTS_INTEGRATE_SMALL_MIDPOINT_H
#define TESTS_INTEGRATE_SMALL_MIDPOINT_H

#include "world/scenes.h"

typedef struct Setting
{
    const char *method;
    int substeps, iterations;
    bool energyReturn;
} Setting;

static inline vvWorldId makeSettingWorld(Setting setting, vvVec3 gravity)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = setting.method;
    def.solver = "local-global";
    def.substeps = setting.substeps;
    def.iterations = setting.iterations;
    def.energyReturn = setting.energyReturn;
    def.gravity = gravity;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    return world;
}

// ---- cloth: 1 m x 1 m, 1 kg, horizontal, two corners of one side held by springs ------------------------------------------

typedef struct Cloth
{
    vvWorldId world;
    vvSoftBodyId body;
    vvAttachmentId corner[2];
    int side, far; // vertices of a side; a corner that swings
} Cloth;

static inline Cloth makeCloth(Setting setting, int side, double stiffness)
{
    Cloth cloth = { .side = side, .world = makeSettingWorld(setting, (vvVec3){ 0, -9.81, 0 }) };
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.material.thickness = 0.001;
    def.material.density = 1000;
    def.springStiffness[VV_EDGE_STRUCTURAL] = def.springStiffness[VV_EDGE_SHEAR] = stiffness;
    def.springStiffness[VV_EDGE_SKIP] = 100;
    vvMeshDef sheet = vvDefaultMeshDef();
    sheet.shape = VV_MESH_SHEET;
    sheet.cells[0] = sheet.cells[2] = side - 1;
    sheet.skip = true;
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&sheet, &result);
    CHECK_OK(result);
    cloth.body = makeBody(cloth.world, mesh, def);
    const double *x = vvSoftBody_GetPositions(cloth.body);
    for (int v = 0, found = 0; v < side * side; ++v)
    {
        bool atEdge = fabs(fabs(x[3 * v]) - 0.5) < 1e-9;
        if (atEdge && fabs(x[3 * v + 2] + 0.5) < 1e-9)
            cloth.corner[found++] = attachToPoint(cloth.world, cloth.body, v, stiffness > 1000 ? stiffness : 1000);
        if (x[3 * v] > 0.5 - 1e-9 && x[3 * v + 2] > 0.5 - 1e-9)
            cloth.far = v;
    }
    return cloth;
}

// kinetic energy of the velocity averaged over two cells each way: what moves together
static inline double smoothKinetic(const Cloth *cloth)
{
    int n = cloth->side;
    const double *v = vvSoftBody_GetVelocities(cloth->body);
    double sum = 0;
    for (int i = 0; i < n; ++i)
    {
        for (int j = 0; j < n; ++j)
        {
            double mean[3] = { 0, 0, 0 };
            int count = 0;
            for (int a = i - 2; a <= i + 2; ++a)
            {
                for (int b = j - 2; b <= j + 2; ++b)
                {
                    if (a < 0 || b < 0 || a >= n || b >= n)
                        continue;
                    for (int k = 0; k < 3; ++k)
                        mean[k] += v[3 * (a * n + b) + k];
                    count += 1;
                }
            }
            for (int k = 0; k < 3; ++k)
                sum += 0.5 / (n * n) * (mean[k] / count) * (mean[k] / count);
        }
    }
    return sum;
}

// ---- a mesh that no lattice has: every point of a box goes astray ----------------------------------------------------------

static inline vvMesh *makeUnstructured(vvVec3 size, int cellsX, int cellsY, int cellsZ, double astray)
{
    vvMesh *box = vvCreateBoxMesh(size, cellsX, cellsY, cellsZ);
    assert_non_null(box);
    int count = vvMesh_GetVertexCount(box);
    double *points = test_malloc((size_t)count * 3 * sizeof(double));
    const double cell[3] = { size.x / cellsX, size.y / cellsY, size.z / cellsZ };
    TestRandom random = { 11 };
    for (int i = 0; i < 3 * count; ++i)
        points[i] = vvMesh_GetPoints(box)[i] + astray * cell[i % 3] * randomBetween(&random, -1, 1);
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = count;
    def.tets = vvMesh_GetTets(box);
    def.tetCount = vvMesh_GetTetCount(box);
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    CHECK_OK(result);
    vvDestroyMesh(box);
    test_free(points);
    return mesh;
}

#endif
