// The generators: counts, places, volumes, quality.
#include "check.h"
#include "mesh/build.h"

// 1 for the regular tet, 0 for a flat one
static double quality(const vvMesh *mesh)
{
    double worst = 1;
    for (int t = 0; t < mesh->tetCount; ++t)
    {
        double longest = longestEdge(mesh->point, mesh->tet + 4 * t, 4);
        double volume = tetVolume(mesh->point, mesh->tet + 4 * t);
        worst = minReal(worst, 6 * sqrt(2.0) * volume / (longest * longest * longest));
    }
    return worst;
}

static void checkQuality(vvMesh *mesh, double bound)
{
    assert_non_null(mesh);
    assert_true(quality(mesh) > bound);
    vvDestroyMesh(mesh);
}

// the middle of the bounding box is the origin
static void checkCentred(const vvMesh *mesh, vvVec3 size)
{
    const double *point = vvMesh_GetPoints(mesh);
    const double want[3] = { size.x, size.y, size.z };
    for (int c = 0; c < 3; ++c)
    {
        double low = INFINITY, high = -INFINITY;
        for (int v = 0; v < vvMesh_GetVertexCount(mesh); ++v)
        {
            low = minReal(low, point[3 * v + c]);
            high = maxReal(high, point[3 * v + c]);
        }
        CHECK_NEAR(low, -want[c] / 2, 1e-15 * mesh->size);
        CHECK_NEAR(high, want[c] / 2, 1e-15 * mesh->size);
    }
}

static void testBox(void **state)
{
    (void)state;
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 2, 3 }, 2, 3, 4);
    assert_non_null(mesh);
    assert_int_equal(vvMesh_GetVertexCount(mesh), 3 * 4 * 5);
    assert_int_equal(vvMesh_GetTetCount(mesh), 5 * 2 * 3 * 4);
    CHECK_CLOSE(vvMesh_GetVolume(mesh), 6, 1e-15);
    CHECK_CLOSE(vvMesh_GetArea(mesh), 22, 1e-15);
    CHECK_NEAR(vvMesh_GetSize(mesh), 3, 0);
    checkCentred(mesh, (vvVec3){ 1, 2, 3 });
    // vertex (i, j, k) is number (i (ny + 1) + j) (nz + 1) + k
    const double *p = vvMesh_GetPoints(mesh) + 3 * ((1 * 4 + 2) * 5 + 3);
    CHECK_NEAR(p[0], 0, 1e-15);
    CHECK_NEAR(p[1], 2 * (2.0 / 3 - 0.5), 1e-15);
    CHECK_NEAR(p[2], 3 * (3.0 / 4 - 0.5), 1e-15);
    // the first cell is even: its middle tet joins corners 0, 3, 5, 6, a third of the cell
    const int *tets = vvMesh_GetTets(mesh);
    bool found[4] = { false };
    const int middle[4] = { 0, 1 * 20 + 1 * 5, 1 * 20 + 1, 1 * 5 + 1 };
    for (int i = 0; i < 16; ++i)
        found[i / 4] |= tets[i % 4] == middle[i / 4];
    assert_true(found[0] && found[1] && found[2] && found[3]);
    CHECK_CLOSE(tetVolume(vvMesh_GetPoints(mesh), tets), 6.0 / 24 / 3, 1e-14);
    vvDestroyMesh(mesh);
    // the corner tets of a cube: V = a^3 / 6, longest edge a sqrt 2: quality exactly 1/2
    mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 4, 4, 4);
    CHECK_NEAR(quality(mesh), 0.5, 1e-14);
    vvDestroyMesh(mesh);
}

static void testBar(void **state)
{
    (void)state;
    vvMesh *mesh = vvCreateBarMesh(4, 0.5, 8, 1);
    assert_non_null(mesh);
    assert_int_equal(vvMesh_GetVertexCount(mesh), 9 * 4);
    CHECK_CLOSE(vvMesh_GetVolume(mesh), 1, 1e-15);
    checkCentred(mesh, (vvVec3){ 4, 0.5, 0.5 });
    vvDestroyMesh(mesh);
    // a column of 3 x 12 x 3 cells: 4 x 13 x 4 vertices, 5 tets per cell
    mesh = vvCreateBoxMesh((vvVec3){ 0.5, 2, 0.5 }, 3, 12, 3);
    assert_int_equal(vvMesh_GetVertexCount(mesh), 208);
    assert_int_equal(vvMesh_GetTetCount(mesh), 540);
    vvDestroyMesh(mesh);
}

static vvMesh *makeSheet(int nx, int nz, int diagonals, bool skip)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_SHEET;
    def.cells[0] = nx;
    def.cells[2] = nz;
    def.diagonals = diagonals;
    def.skip = skip;
    return vvCreateMesh(&def, NULL);
}

static void testSheetCounts(void **state)
{
    (void)state;
    vvMesh *mesh = makeSheet(100, 100, 1, true);
    assert_int_equal(vvMesh_GetVertexCount(mesh), 101 * 101);
    assert_int_equal(vvMesh_GetEdgeCount(mesh), 50198);
    vvDestroyMesh(mesh);
    mesh = makeSheet(30, 30, 2, true);
    assert_int_equal(vvMesh_GetEdgeCount(mesh), 5458);
    vvDestroyMesh(mesh);
    mesh = makeSheet(3, 2, 0, false);
    assert_int_equal(vvMesh_GetEdgeCount(mesh), 3 * 3 + 4 * 2);
    assert_int_equal(vvMesh_GetSurfaceCount(mesh), 12);
    assert_int_equal(vvMesh_GetTetCount(mesh), 0);
    vvDestroyMesh(mesh);
    mesh = makeSheet(1, 1, 2, true); // too small for springs over two cells
    assert_int_equal(vvMesh_GetEdgeCount(mesh), 6);
    vvDestroyMesh(mesh);
}

static void testSheet(void **state)
{
    (void)state;
    vvMesh *mesh = vvCreateSheetMesh(2, 3, 4, 5);
    assert_non_null(mesh);
    checkCentred(mesh, (vvVec3){ 2, 0, 3 });
    CHECK_CLOSE(vvMesh_GetArea(mesh), 6, 1e-15);
    CHECK_NEAR(vvMesh_GetVolume(mesh), 0, 0);
    const double *p = vvMesh_GetPoints(mesh);
    CHECK_NEAR(p[3 * (1 * 6 + 2)], 2 * (1.0 / 4 - 0.5), 1e-15);
    CHECK_NEAR(p[3 * (1 * 6 + 2) + 2], 3 * (2.0 / 5 - 0.5), 1e-15);
    for (int t = 0; t < vvMesh_GetSurfaceCount(mesh); ++t)
    {
        const int *c = vvMesh_GetSurface(mesh) + 3 * t;
        Vec3 a = cornerPoint(p, c[0]);
        Vec3 normal = vecCross(vecSub(cornerPoint(p, c[1]), a), vecSub(cornerPoint(p, c[2]), a));
        CHECK_CLOSE(normal.y, 2 * 0.5 * 0.5 * 0.6, 1e-14); // facing +y, half a cell each
    }
    vvDestroyMesh(mesh);

    // each kind has its length, and the single shear spring lies on the cut of its cell
    mesh = makeSheet(6, 6, 1, true);
    for (int e = 0; e < mesh->edgeCount; ++e)
    {
        const double want[VV_EDGE_KINDS] = { 1.0 / 6, sqrt(2.0) / 6, 2.0 / 6 };
        double length = edgeLength(mesh->point, mesh->edge[2 * e], mesh->edge[2 * e + 1]);
        CHECK_CLOSE(length, want[mesh->edgeKind[e]], 1e-14);
    }
    assert_int_equal(mesh->pairCount, mesh->edgeCount); // triangles add no pair of their own
    vvDestroyMesh(mesh);
}

static void testRope(void **state)
{
    (void)state;
    vvMesh *mesh = vvCreateRopeMesh(5, 10);
    assert_non_null(mesh);
    assert_int_equal(vvMesh_GetVertexCount(mesh), 11);
    assert_int_equal(vvMesh_GetEdgeCount(mesh), 10);
    assert_int_equal(vvMesh_GetSurfaceCount(mesh), 0);
    assert_int_equal(vvMesh_GetTetCount(mesh), 0);
    checkCentred(mesh, (vvVec3){ 5, 0, 0 });
    for (int i = 0; i <= 10; ++i)
        CHECK_NEAR(vvMesh_GetPoints(mesh)[3 * i], 0.5 * i - 2.5, 1e-15);
    vvDestroyMesh(mesh);
    mesh = vvCreateRopeMesh(1, 1);
    assert_int_equal(vvMesh_GetEdgeCount(mesh), 1);
    vvDestroyMesh(mesh);
}

// the error of the volume falls with the square of the cell size: by 4 from one size to the half, within 10 %
static void checkSecondOrder(vvMesh *coarse, vvMesh *fine, double exact)
{
    assert_true(coarse != NULL && fine != NULL);
    double coarseError = exact - vvMesh_GetVolume(coarse), fineError = exact - vvMesh_GetVolume(fine);
    assert_true(fineError > 0); // inscribed
    CHECK_NEAR(coarseError / fineError, 4, 0.4);
    vvDestroyMesh(coarse);
    vvDestroyMesh(fine);
}

static void testSphere(void **state)
{
    (void)state;
    for (int n = 1; n <= 7; ++n)
    {
        vvMesh *mesh = vvCreateSphereMesh(3, n);
        assert_non_null(mesh);
        int vertices = 1;
        for (int k = 1; k <= n; ++k)
            vertices += 10 * k * k + 2;
        assert_int_equal(vvMesh_GetVertexCount(mesh), vertices);
        assert_int_equal(vvMesh_GetTetCount(mesh), 20 * n * n * n);
        // shells from the centre outward at their radius
        const double *point = vvMesh_GetPoints(mesh);
        int v = 1;
        CHECK_NEAR(vecLength(vecLoad(point)), 0, 0);
        for (int k = 1; k <= n; ++k)
        {
            for (int i = 0; i < 10 * k * k + 2; ++i, ++v)
                CHECK_CLOSE(vecLength(cornerPoint(point, v)), 1.5 * k / n, 1e-15 * 4);
        }
        checkQuality(mesh, n == 1 ? 0.92 : 0.29);
    }
    checkSecondOrder(vvCreateSphereMesh(2, 6), vvCreateSphereMesh(2, 12), 4 * PI / 3);
}

static void testCylinder(void **state)
{
    (void)state;
    int rings = 3, layers = 4;
    vvMesh *mesh = vvCreateCylinderMesh(2, 5, rings, layers);
    assert_non_null(mesh);
    int disc = 1 + 3 * rings * (rings + 1);
    assert_int_equal(vvMesh_GetVertexCount(mesh), disc * (layers + 1));
    assert_int_equal(vvMesh_GetTetCount(mesh), 3 * 6 * rings * rings * layers);
    // a polygon of 6 rings corners times the height, exactly
    double corners = 6 * rings;
    CHECK_CLOSE(vvMesh_GetVolume(mesh), corners / 2 * sin(2 * PI / corners) * 5, 1e-14);
    CHECK_NEAR(vvMesh_GetPoints(mesh)[1], -2.5, 0);
    CHECK_NEAR(vvMesh_GetPoints(mesh)[3 * disc * layers + 1], 2.5, 0);
    vvDestroyMesh(mesh);
    checkQuality(vvCreateCylinderMesh(1, 1, 1, 1), 0.2);
    checkQuality(vvCreateCylinderMesh(1, 1, 4, 8), 0.3);
    checkSecondOrder(vvCreateCylinderMesh(2, 1, 4, 3), vvCreateCylinderMesh(2, 1, 8, 3), PI);
}

static void testTorus(void **state)
{
    (void)state;
    int rings = 2, around = 20;
    vvMesh *mesh = vvCreateTorusMesh(3, 1, rings, around);
    assert_non_null(mesh);
    assert_int_equal(vvMesh_GetVertexCount(mesh), (1 + 3 * rings * (rings + 1)) * around);
    assert_int_equal(vvMesh_GetTetCount(mesh), 3 * 6 * rings * rings * around);
    // no vertex nearer to the axis than the hole, none outside
    for (int v = 0; v < mesh->vertexCount; ++v)
    {
        Vec3 p = cornerPoint(mesh->point, v);
        double radius = sqrt(p.x * p.x + p.z * p.z);
        assert_true(radius > 0.5 - 1e-14 && radius < 1.5 + 1e-14 && fabs(p.y) < 0.5 + 1e-14);
    }
    vvDestroyMesh(mesh);
    checkQuality(vvCreateTorusMesh(3, 1, 1, 13), 0.25);
    checkQuality(vvCreateTorusMesh(3, 1, 4, 52), 0.2);
    checkQuality(vvCreateTorusMesh(2.2, 1, 2, 3), 0.01); // three steps around still turn no tet over
    checkSecondOrder(vvCreateTorusMesh(3, 1, 4, 24), vvCreateTorusMesh(3, 1, 8, 48), 2 * PI * PI * 1 * 0.25);
}

static double tubeArea(int around, int layers)
{
    vvMesh *mesh = vvCreateTubeMesh(2, 5, around, layers);
    assert_non_null(mesh);
    double area = vvMesh_GetArea(mesh);
    vvDestroyMesh(mesh);
    return area;
}

static void testTube(void **state)
{
    (void)state;
    int around = 12, layers = 5;
    vvMesh *mesh = vvCreateTubeMesh(2, 5, around, layers);
    assert_non_null(mesh);
    assert_int_equal(vvMesh_GetVertexCount(mesh), around * (layers + 1));
    assert_int_equal(vvMesh_GetSurfaceCount(mesh), 2 * around * layers);
    assert_int_equal(vvMesh_GetTetCount(mesh), 0);
    // rings, and two edges up from every vertex
    assert_int_equal(vvMesh_GetEdgeCount(mesh), around * (layers + 1) + 2 * around * layers);
    const double *point = vvMesh_GetPoints(mesh);
    for (int v = 0; v < mesh->vertexCount; ++v)
    {
        int a = v % around, b = v / around;
        double angle = 2 * PI * (a + 0.5 * (b % 2)) / around;
        CHECK_NEAR(point[3 * v], cos(angle), 1e-15 * 4);
        CHECK_NEAR(point[3 * v + 1], 5.0 * b / layers - 2.5, 1e-15 * 4);
        CHECK_NEAR(point[3 * v + 2], sin(angle), 1e-15 * 4);
    }
    // all triangles are alike, and face outward
    double side = 2 * sin(PI / around), sagitta = 1 - cos(PI / around), height = sqrt(1 + sagitta * sagitta);
    for (int t = 0; t < mesh->surfaceCount; ++t)
    {
        const int *c = vvMesh_GetSurface(mesh) + 3 * t;
        Vec3 a = cornerPoint(point, c[0]);
        Vec3 normal = vecCross(vecSub(cornerPoint(point, c[1]), a), vecSub(cornerPoint(point, c[2]), a));
        assert_true(normal.x * a.x + normal.z * a.z > 0);
        CHECK_CLOSE(triangleArea(point, c), side * height / 2, 1e-13);
    }
    vvDestroyMesh(mesh);
    // pi d h: the error falls with the square of the cell size
    double exact = PI * 2 * 5;
    CHECK_NEAR((tubeArea(24, 20) - exact) / (tubeArea(48, 40) - exact), 4, 0.4);
}

static void testTet(void **state)
{
    (void)state;
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_TET;
    def.size.x = 3;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    CHECK_CLOSE(vvMesh_GetVolume(mesh), 27 / (6 * sqrt(2.0)), 1e-14);
    for (int e = 0; e < 6; ++e)
        CHECK_CLOSE(edgeLength(mesh->point, mesh->edge[2 * e], mesh->edge[2 * e + 1]), 3, 1e-15);
    for (int c = 0; c < 3; ++c)
        CHECK_NEAR(mesh->point[c] + mesh->point[3 + c] + mesh->point[6 + c] + mesh->point[9 + c], 0, 1e-15);
    vvDestroyMesh(mesh);
}

// the same definition gives the same bits
static void testRepeatable(void **state)
{
    (void)state;
    vvMesh *a = vvCreateSphereMesh(1.7, 5), *b = vvCreateSphereMesh(1.7, 5);
    assert_true(a != NULL && b != NULL);
    assert_memory_equal(a->point, b->point, sizeof(double) * 3 * (size_t)a->vertexCount);
    assert_memory_equal(a->tet, b->tet, sizeof(int) * 4 * (size_t)a->tetCount);
    assert_memory_equal(a->edgeShare, b->edgeShare, sizeof(double) * (size_t)a->edgeCount);
    vvDestroyMesh(a);
    vvDestroyMesh(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testBox),        cmocka_unit_test(testBar),   cmocka_unit_test(testSheetCounts),
        cmocka_unit_test(testSheet),      cmocka_unit_test(testRope),  cmocka_unit_test(testSphere),
        cmocka_unit_test(testCylinder),   cmocka_unit_test(testTorus), cmocka_unit_test(testTet),
        cmocka_unit_test(testRepeatable), cmocka_unit_test(testTube),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
