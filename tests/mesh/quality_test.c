// Measures of a mesh against closed forms.
#include "check.h"
#include "mesh/mesh.h"
#include "refuse.h"

static vvMesh *fromArrays(const double *points, int pointCount, const int *tets, int tetCount, const int *triangles,
                          int triangleCount)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = pointCount;
    def.tets = tets;
    def.tetCount = tetCount;
    def.triangles = triangles;
    def.triangleCount = triangleCount;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    return mesh;
}

static void aRegularTetIsPerfect(void **state)
{
    (void)state;
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_TET;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    MeshQuality quality;
    assert_true(meshQuality(mesh, &quality));
    CHECK_NEAR(quality.worstRatio, 1, 1e-14);
    CHECK_NEAR(quality.largestCosine, 1.0 / 3, 1e-14);
    CHECK_CLOSE(quality.smallestVolume, sqrt(2.0) / 12, 1e-14);
    CHECK_NEAR(quality.largestVolume, quality.smallestVolume, 0);
    assert_int_equal(quality.componentCount, 1);
    assert_true(quality.closed);
    vvDestroyMesh(mesh);
}

// the corner of a cube: r = (3 - sqrt 3) / 6, R = sqrt 3 / 2, angles 90 and acos(1 / sqrt 3)
static void aCornerTetIsKnown(void **state)
{
    (void)state;
    const double points[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 7, 0, 0, 8, 0, 0, 7, 1, 0, 7, 0, 2 };
    const int tets[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    vvMesh *mesh = fromArrays(points, 8, tets, 2, NULL, 0);
    MeshQuality quality;
    assert_true(meshQuality(mesh, &quality));
    assert_int_equal(quality.componentCount, 2);
    assert_int_equal(quality.worstElement, 1); // the stretched one
    CHECK_CLOSE(quality.smallestVolume, 1.0 / 6, 1e-14);
    CHECK_CLOSE(quality.largestVolume, 2.0 / 6, 1e-14);
    vvDestroyMesh(mesh);
    mesh = fromArrays(points, 4, tets, 1, NULL, 0);
    assert_true(meshQuality(mesh, &quality));
    CHECK_CLOSE(quality.worstRatio, 3 * (3 - sqrt(3.0)) / 6 / (sqrt(3.0) / 2), 1e-14);
    CHECK_CLOSE(quality.largestCosine, 1 / sqrt(3.0), 1e-14);
    vvDestroyMesh(mesh);
}

static void sheetsMayBeClosed(void **state)
{
    (void)state;
    const double points[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    const int shell[] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 }, turned[] = { 0, 2, 1, 0, 3, 1, 0, 3, 2, 1, 2, 3 };
    MeshQuality quality;
    vvMesh *mesh = fromArrays(points, 4, NULL, 0, shell, 4);
    assert_true(meshQuality(mesh, &quality));
    assert_true(quality.closed);
    // a right isosceles triangle: 2 r / R = 2 (sqrt 2 - 1)
    CHECK_CLOSE(quality.worstRatio, 2 * (sqrt(2.0) - 1), 1e-14);
    vvDestroyMesh(mesh);
    mesh = fromArrays(points, 4, NULL, 0, turned, 4);
    assert_true(meshQuality(mesh, &quality));
    assert_false(quality.closed);
    vvDestroyMesh(mesh);
    mesh = fromArrays(points, 4, NULL, 0, shell, 3);
    assert_true(meshQuality(mesh, &quality));
    assert_false(quality.closed);
    vvDestroyMesh(mesh);
    mesh = vvCreateRopeMesh(1, 4);
    assert_true(meshQuality(mesh, &quality));
    assert_false(quality.closed);
    assert_int_equal(quality.worstElement, -1);
    vvDestroyMesh(mesh);
}

static void memoryMayRunOut(void **state)
{
    (void)state;
    int left = 1000;
    vvMeshDef def = vvDefaultMeshDef();
    def.allocator = (vvAllocator){ refuseAfter, giveBack, &left };
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    MeshQuality quality;
    for (int granted = 0; granted < 3; ++granted)
    {
        left = granted;
        assert_false(meshQuality(mesh, &quality));
    }
    left = 3;
    assert_true(meshQuality(mesh, &quality));
    vvDestroyMesh(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aRegularTetIsPerfect),
        cmocka_unit_test(aCornerTetIsKnown),
        cmocka_unit_test(sheetsMayBeClosed),
        cmocka_unit_test(memoryMayRunOut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
