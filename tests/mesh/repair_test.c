// Meshes with faults, mended: what is found is what was put in, and what comes out is closed and winds outward.
#include "check.h"
#include "mesh/mesh.h"
#include "mesh/surfaces.h"
#include "refuse.h"

#include <verve/repair.h>

static vvMesh *mend(const Soup *soup, const vvRepairDef *repair, vvRepairReport *report)
{
    vvMeshDef def = soupDef(soup);
    vvRepairDef usual = vvDefaultRepairDef();
    vvResult result;
    vvMesh *mesh = vvCreateRepairedMesh(&def, repair != NULL ? repair : &usual, report, &result);
    if (mesh == NULL)
        fail_msg("%s", result.message);
    return mesh;
}

static double volumeInside(const vvMesh *mesh)
{
    double volume = 0;
    const int *face = vvMesh_GetSurface(mesh);
    for (int t = 0; t < vvMesh_GetSurfaceCount(mesh); ++t, face += 3)
    {
        const double *p = vvMesh_GetPoints(mesh);
        Vec3 a = vecLoad(p + 3 * face[0]), b = vecLoad(p + 3 * face[1]), c = vecLoad(p + 3 * face[2]);
        volume += vecDot(a, vecCross(b, c)) / 6;
    }
    return volume;
}

static bool isClosed(const vvMesh *mesh)
{
    MeshQuality quality;
    assert_true(meshQuality(mesh, &quality));
    return quality.closed;
}

static void aHealthyMeshStays(void **state)
{
    (void)state;
    Soup soup = { 0 };
    soupTorus(&soup, 1, 0.3, 12, 8);
    vvRepairReport report;
    vvMesh *mesh = mend(&soup, NULL, &report);
    vvRepairReport none = { .pointCount = 96, .faceCount = 192, .pieces = 1 };
    assert_memory_equal(&report, &none, sizeof none);
    assert_memory_equal(vvMesh_GetPoints(mesh), soup.point, 96 * 3 * sizeof(double));
    assert_memory_equal(vvMesh_GetSurface(mesh), soup.triangle, 192 * 3 * sizeof(int));
    vvDestroyMesh(mesh);
    soupFree(&soup);
}

static void faultsAreFoundAndMended(void **state)
{
    (void)state;
    Soup soup = { 0 };
    soupTorus(&soup, 1, 0.3, 24, 12);
    int faces = soup.triangleCount;
    vvMesh *whole = mend(&soup, NULL, NULL);
    double volume = volumeInside(whole);
    vvDestroyMesh(whole);
    soupTurn(&soup, 5, faces, 7); // some wind the other way
    soupFace(&soup, 3, 4, 4);     // a corner twice
    soupFace(&soup, 20, 20, 20);  //
    for (int i = 0; i < 3; ++i)   // faces twice, one of them turned
        soupFace(&soup, soup.triangle[30 * i], soup.triangle[30 * i + 1], soup.triangle[30 * i + 2]);
    soupTurn(&soup, soup.triangleCount - 1, soup.triangleCount, 1);
    soupPoint(&soup, 9, 9, 9);                           // belongs to nothing
    soup.triangle[3 * 100] = soup.triangle[3 * 100 + 1]; // and a face is missing: a hole of three edges
    vvRepairReport report;
    vvMesh *mesh = mend(&soup, NULL, &report);
    assert_int_equal(report.collapsedElements, 3);
    assert_int_equal(report.doubledElements, 3);
    assert_int_equal(report.unusedPoints, 1);
    assert_int_equal(report.holes, 1);
    assert_int_equal(report.closedHoles, 1);
    assert_int_equal(report.openEdges, 0);
    assert_in_range(report.turnedFaces, (faces - 5) / 7 - 1, (faces - 5) / 7 + 1);
    assert_true(isClosed(mesh));
    CHECK_CLOSE(volumeInside(mesh), volume, 1e-12);
    vvDestroyMesh(mesh);
    soupFree(&soup);
}

static void tornAndInsideOut(void **state)
{
    (void)state;
    Soup soup = { 0 };
    soupBall(&soup, vec3(0, 0, 0), 1, 4);
    soupTurn(&soup, 0, soup.triangleCount, 1);
    soupTear(&soup);
    for (int i = 0; i < soup.pointCount; ++i) // rounding of another program
        soup.point[3 * i] += i % 2 == 0 ? 1e-9 : -1e-9;
    vvRepairDef def = vvDefaultRepairDef();
    def.holes = 0;
    vvRepairReport report;
    vvMesh *mesh = mend(&soup, &def, &report);
    assert_true(report.openEdges > 100);
    vvDestroyMesh(mesh);
    def.weld = 1e-8;
    mesh = mend(&soup, &def, &report);
    assert_true(isClosed(mesh));
    assert_int_equal(report.turnedShells, 1);
    assert_int_equal(vvMesh_GetVertexCount(mesh), 98);
    assert_true(volumeInside(mesh) > 3.5);
    vvDestroyMesh(mesh);
    soupFree(&soup);
}

// a point in the middle of an edge, with a face of no area beside it, as programs make that cut polygons
static void flatFacesAreClosedOver(void **state)
{
    (void)state;
    Soup soup = { 0 };
    soupBox(&soup, vec3(0, 0, 0), vec3(1, 1, 1), 1);
    soupTear(&soup);
    int a = soup.triangle[0], b = soup.triangle[1], c = soup.triangle[2];
    const double *p = soup.point + 3 * (size_t)a, *q = soup.point + 3 * (size_t)b;
    int middle = soupPoint(&soup, 0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]), 0.5 * (p[2] + q[2]));
    soup.triangle[1] = middle; // a m c, and m b c, and the flat one a b m
    soupFace(&soup, middle, b, c);
    soupFace(&soup, a, b, middle);
    vvRepairReport report;
    vvMesh *mesh = mend(&soup, NULL, &report);
    assert_int_equal(report.flatElements, 1);
    assert_true(isClosed(mesh));
    CHECK_CLOSE(volumeInside(mesh), 8, 1e-12);
    vvDestroyMesh(mesh);
    soupFree(&soup);
}

static void holesAndPieces(void **state)
{
    (void)state;
    Soup soup = { 0 };
    soupBall(&soup, vec3(0, 0, 0), 1, 8);
    soupBall(&soup, vec3(5, 0, 0), 0.5, 4);
    soupOpen(&soup, 0.75);
    vvRepairDef def = vvDefaultRepairDef();
    vvRepairReport report;
    vvMesh *mesh = mend(&soup, &def, &report);
    assert_int_equal(report.pieces, 2);
    assert_int_equal(report.holes, 1);
    assert_true(isClosed(mesh));
    vvDestroyMesh(mesh);
    def.holes = 4;
    def.piece = 1;
    mesh = mend(&soup, &def, &report);
    assert_int_equal(report.closedHoles, 0);
    assert_true(report.openEdges > 4);
    MeshQuality quality;
    assert_true(meshQuality(mesh, &quality));
    assert_int_equal(quality.componentCount, 1);
    assert_true(vvMesh_GetSize(mesh) < 2.01);
    vvDestroyMesh(mesh);
    def.piece = 2;
    mesh = mend(&soup, &def, &report);
    assert_int_equal(report.pieces, 2);
    assert_true(vvMesh_GetPoints(mesh)[0] > 4.4);
    vvDestroyMesh(mesh);
    // there is no third
    vvMeshDef third = soupDef(&soup);
    vvResult result;
    def.piece = 3;
    assert_null(vvCreateRepairedMesh(&third, &def, &report, &result));
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_non_null(strstr(result.message, "piece"));
    soupFree(&soup);
}

static void tetsAreMendedToo(void **state)
{
    (void)state;
    const double points[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5, 0.5, 0, 0, 0, 1, 7, 7, 7 };
    const int tets[] = { 0, 1, 2, 3, 0, 1, 2, 4, 2, 1, 0, 5, 0, 0, 1, 2 };
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = 7;
    def.tets = tets;
    def.tetCount = 4;
    vvRepairDef repair = vvDefaultRepairDef();
    vvRepairReport report;
    vvMesh *mesh = vvCreateRepairedMesh(&def, &repair, &report, NULL);
    assert_int_equal(vvMesh_GetTetCount(mesh), 1);
    assert_int_equal(vvMesh_GetVertexCount(mesh), 4);
    assert_int_equal(report.flatElements, 1);
    assert_int_equal(report.doubledElements, 1);
    assert_int_equal(report.collapsedElements, 1);
    assert_int_equal(report.weldedPoints, 1);
    assert_int_equal(report.unusedPoints, 2);
    vvDestroyMesh(mesh);
}

static void whatCannotBeMendedIsRefused(void **state)
{
    (void)state;
    Soup soup = { 0 };
    soupFace(&soup, soupPoint(&soup, 0, 0, 0), soupPoint(&soup, 1, 0, 0), soupPoint(&soup, 2, 0, 0));
    vvMeshDef def = soupDef(&soup);
    vvRepairDef repair = vvDefaultRepairDef(), bad[3] = { repair, repair, repair };
    bad[0].cookie = 0;
    bad[1].weld = -1;
    bad[2].holes = -1;
    vvResult result;
    for (int i = 0; i < 3; ++i)
    {
        assert_null(vvCreateRepairedMesh(&def, &bad[i], NULL, &result));
        assert_int_equal(result.code, VV_BAD_INPUT);
    }
    assert_null(vvCreateRepairedMesh(&def, &repair, NULL, &result));
    assert_non_null(strstr(result.message, "extent"));
    soup.triangle[0] = 17;
    assert_null(vvCreateRepairedMesh(&def, &repair, NULL, &result));
    assert_non_null(strstr(result.message, "names point 17"));
    soupFree(&soup);
}

static void everyAllocationMayFail(void **state)
{
    (void)state;
    Soup soup = { 0 };
    soupBall(&soup, vec3(0, 0, 0), 1, 3);
    soupTurn(&soup, 0, soup.triangleCount, 2);
    soupOpen(&soup, 0.8);
    soupFace(&soup, 0, 1, soupPoint(&soup, soup.point[0], soup.point[1], soup.point[2]));
    vvMeshDef def = soupDef(&soup);
    vvRepairDef repair = vvDefaultRepairDef();
    int left = 0;
    def.allocator = (vvAllocator){ refuseAfter, giveBack, &left };
    vvMesh *mesh = NULL;
    for (int count = 0; mesh == NULL; count += refusedApart())
    {
        vvResult result;
        left = count;
        mesh = vvCreateRepairedMesh(&def, &repair, NULL, &result);
        if (mesh == NULL)
            assert_int_equal(result.code, VV_OUT_OF_MEMORY);
    }
    vvDestroyMesh(mesh);
    soupFree(&soup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aHealthyMeshStays),
        cmocka_unit_test(faultsAreFoundAndMended),
        cmocka_unit_test(tornAndInsideOut),
        cmocka_unit_test(flatFacesAreClosedOver),
        cmocka_unit_test(holesAndPieces),
        cmocka_unit_test(tetsAreMendedToo),
        cmocka_unit_test(whatCannotBeMendedIsRefused),
        cmocka_unit_test(everyAllocationMayFail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
