// The membrane by finite differences: its law, and what it needs of a mesh.
#include "world/sheets.h"

// ---- the law --------------------------------------------------------------------------------------------------------

// a sheet stretched along x and narrowed by poisson: the pull at the end is E t width e, nothing acts elsewhere
static void uniformTensionIsThatOfTheMaterial(void **state)
{
    (void)state;
    static const double poissons[] = { 0, 0.3, 0.45, -0.3 };
    double e = 1e-5, width = 0.7;
    for (int k = 0; k < 4; ++k)
    {
        vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
        vvSoftBodyId body = makeBody(world, gridMesh(1.2, width, 5, 4, 2), sheetDef("membrane", poissons[k]));
        int count = vvSoftBody_GetVertexCount(body);
        double x[3 * 64], force[3 * 64], pull = 0;
        memcpy(x, vvSoftBody_GetPositions(body), (size_t)count * 3 * sizeof(double));
        for (int v = 0; v < count; ++v)
        {
            x[3 * v] *= 1 + e;
            x[3 * v + 2] *= 1 - poissons[k] * e;
        }
        CHECK_OK(vvSoftBody_SetPositions(body, x));
        CHECK_OK(vvSoftBody_CopyForces(body, force));
        double want = YOUNG * THICKNESS * width * e;
        for (int v = 0; v < count; ++v)
        {
            bool end = fabs(fabs(x[3 * v]) - 0.6) < 1e-3;
            pull -= x[3 * v] > 0.59 ? force[3 * v] : 0;
            // the metric is a square: strains differ by e^2/2
            CHECK_BELOW(end ? 0 : fabs(force[3 * v]), 1e-9 * want);
            CHECK_BELOW(fabs(force[3 * v + 2]), 2 * e * want);
        }
        CHECK_CLOSE(pull, want, 3 * e);
        vvDestroyWorld(world);
    }
}

// ---- meshes ---------------------------------------------------------------------------------------------------------

static void onlyGridsAreMembranes(void **state)
{
    (void)state;
    vvMeshDef turned = vvDefaultMeshDef();
    turned.shape = VV_MESH_SHEET;
    turned.cells[0] = 2;
    turned.cells[2] = 5;
    turned.skip = true;
    turned.rotate = (vvVec3){ 30, 20, 10 };
    // a disc of triangles: its edges are those of no grid
    static const double points[] = { 0, 0, 0, 1, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, -1 };
    static const int triangles[] = { 0, 2, 1, 0, 3, 2, 0, 4, 3, 0, 1, 4 };
    vvMeshDef disc = vvDefaultMeshDef();
    disc.shape = VV_MESH_ARRAYS;
    disc.points = points;
    disc.pointCount = 5;
    disc.triangles = triangles;
    disc.triangleCount = 4;
    struct
    {
        vvMesh *mesh;
        bool fits;
    } row[] = { { gridMesh(1, 1, 1, 1, 2), true },  { gridMesh(1, 2, 1, 4, 2), true },
                { gridMesh(2, 1, 4, 1, 2), true },  { vvCreateMesh(&turned, NULL), true },
                { gridMesh(1, 1, 3, 3, 1), false }, { gridMesh(1, 1, 3, 3, 0), false },
                { vvCreateRopeMesh(1, 3), false },  { vvCreateMesh(&disc, NULL), false } };
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
    for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i)
    {
        assert_non_null(row[i].mesh);
        vvSoftBodyDef def = sheetDef("membrane", 0.3);
        def.mesh = row[i].mesh;
        vvResult result;
        vvSoftBodyId body = vvCreateSoftBody(world, &def, &result);
        assert_int_equal(result.code, row[i].fits ? VV_OK : VV_BAD_INPUT);
        vvExamination examination;
        if (row[i].fits)
        {
            // at rest, whatever the way it is turned; and it names an edge as its stiffest element
            CHECK_BELOW(vvWorld_GetLedger(world).elastic, 1e-20);
            CHECK_OK(vvSoftBody_Examine(body, &examination));
            assert_in_range(examination.stiffestElement, 0, vvMesh_GetEdgeCount(row[i].mesh) - 1);
            CHECK_NEAR(examination.worstStretch, 1, 1e-12);
            assert_true(examination.highestFrequency > examination.elementFrequency * 0.99);
        }
        else
            assert_non_null(strstr(result.message, "the mesh is none"));
        vvDestroyMesh(row[i].mesh);
    }
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniformTensionIsThatOfTheMaterial),
        cmocka_unit_test(onlyGridsAreMembranes),
    };
    return cmocka_run_group_tests_name("membrane", tests, NULL, NULL);
}
