// Edges, pairs, surfaces and the stiffness shares of edges.
#include "check.h"
#include "mesh/build.h"

#include <stdlib.h>
#include <string.h>

// ---- closed surfaces ------------------------------------------------------------------------------------------------

static int compareInts(const void *a, const void *b)
{
    const int *p = a, *q = b;
    if (p[0] != q[0])
        return p[0] < q[0] ? -1 : 1;
    return p[1] < q[1] ? -1 : p[1] > q[1];
}

// every directed edge of the surface occurs once, and so does its reverse; returns V - E + F
static int eulerCharacteristic(const vvMesh *mesh)
{
    const int *surface = vvMesh_GetSurface(mesh);
    int count = 3 * vvMesh_GetSurfaceCount(mesh), vertices = 0;
    int(*side)[2] = calloc((size_t)count, sizeof *side);
    bool *used = calloc((size_t)vvMesh_GetVertexCount(mesh), sizeof *used);
    for (int i = 0; i < count; ++i)
    {
        side[i][0] = surface[i];
        side[i][1] = surface[i / 3 * 3 + (i + 1) % 3];
        vertices += !used[surface[i]];
        used[surface[i]] = true;
    }
    qsort(side, (size_t)count, sizeof *side, compareInts);
    for (int i = 0; i < count; ++i)
    {
        const int reverse[2] = { side[i][1], side[i][0] };
        if (i > 0)
            assert_int_not_equal(compareInts(side[i - 1], side[i]), 0);
        assert_non_null(bsearch(reverse, side, (size_t)count, sizeof *side, compareInts));
    }
    free(side);
    free(used);
    return vertices - count / 2 + count / 3;
}

// the volume inside the surface by the divergence theorem
static double enclosedVolume(const vvMesh *mesh)
{
    const int *surface = vvMesh_GetSurface(mesh);
    const double *point = vvMesh_GetPoints(mesh);
    double sum = 0;
    for (int t = 0; t < vvMesh_GetSurfaceCount(mesh); ++t)
    {
        Vec3 a = cornerPoint(point, surface[3 * t]), b = cornerPoint(point, surface[3 * t + 1]);
        sum += vecDot(a, vecCross(b, cornerPoint(point, surface[3 * t + 2]))) / 6;
    }
    return sum;
}

static void checkClosed(vvMesh *mesh, int characteristic)
{
    assert_non_null(mesh);
    assert_int_equal(eulerCharacteristic(mesh), characteristic);
    // outward: the same volume with the same sign; rounding of a sum of some thousand terms
    CHECK_CLOSE(enclosedVolume(mesh), vvMesh_GetVolume(mesh), 1e-12);
    vvDestroyMesh(mesh);
}

static void testClosedSurfaces(void **state)
{
    (void)state;
    checkClosed(vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1), 2);
    checkClosed(vvCreateBoxMesh((vvVec3){ 1, 2, 3 }, 3, 4, 5), 2);
    checkClosed(vvCreateBarMesh(3, 1, 6, 2), 2);
    for (int n = 1; n <= 6; ++n)
        checkClosed(vvCreateSphereMesh(2, n), 2);
    checkClosed(vvCreateCylinderMesh(1, 2, 1, 1), 2);
    checkClosed(vvCreateCylinderMesh(1, 2, 4, 5), 2);
    checkClosed(vvCreateTorusMesh(3, 1, 1, 3), 0);
    checkClosed(vvCreateTorusMesh(3, 1, 3, 16), 0);
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_TET;
    checkClosed(vvCreateMesh(&def, NULL), 2);
}

static void testSurfaceCounts(void **state)
{
    (void)state;
    // two triangles per square of a box, 20 n^2 on a sphere
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 3, 4);
    assert_int_equal(vvMesh_GetSurfaceCount(mesh), 4 * (2 * 3 + 3 * 4 + 4 * 2));
    CHECK_NEAR(vvMesh_GetArea(mesh), 6, 1e-14);
    vvDestroyMesh(mesh);
    mesh = vvCreateSphereMesh(1, 5);
    assert_int_equal(vvMesh_GetSurfaceCount(mesh), 500);
    vvDestroyMesh(mesh);
}

// ---- edges and pairs ------------------------------------------------------------------------------------------------

// the pairs of a mesh against a table of all vertices, element by element
static void checkPairs(vvMesh *mesh)
{
    assert_non_null(mesh);
    int n = mesh->vertexCount, expected = 0;
    bool *joined = calloc((size_t)n * (size_t)n, 1);
    const struct
    {
        const int *corner;
        int count, width;
    } sets[3] = { { mesh->tet, mesh->tetCount, 4 },
                  { mesh->surface, mesh->surfaceCount, 3 },
                  { mesh->edge, mesh->edgeCount, 2 } };
    for (int s = 0; s < 3; ++s)
    {
        for (int e = 0; e < sets[s].count; ++e)
        {
            for (int k = 0; k < sets[s].width * sets[s].width; ++k)
            {
                const int *corner = sets[s].corner + e * sets[s].width;
                joined[corner[k / sets[s].width] * n + corner[k % sets[s].width]] = true;
            }
        }
    }
    for (int a = 0; a < n; ++a)
    {
        for (int b = 0; b < n; ++b)
        {
            int found = meshFindPair(mesh, a, b);
            if (a == b || !joined[a * n + b])
            {
                assert_int_equal(found, -1);
                continue;
            }
            assert_in_range(found, 0, mesh->pairCount - 1);
            assert_int_equal(mesh->pair[2 * found], a < b ? a : b);
            assert_int_equal(mesh->pair[2 * found + 1], a < b ? b : a);
            expected += a < b;
        }
    }
    assert_int_equal(mesh->pairCount, expected);
    for (int i = 1; i < mesh->pairCount; ++i)
        assert_true(compareInts(mesh->pair + 2 * i - 2, mesh->pair + 2 * i) < 0);
    assert_int_equal(mesh->pairStart[n], mesh->pairCount);
    free(joined);
    vvDestroyMesh(mesh);
}

static void testPairs(void **state)
{
    (void)state;
    checkPairs(vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 3, 2, 4));
    checkPairs(vvCreateSphereMesh(1, 3));
    checkPairs(vvCreateTorusMesh(3, 1, 2, 5));
    checkPairs(vvCreateSheetMesh(1, 1, 5, 6));
    checkPairs(vvCreateRopeMesh(1, 12));
}

static void testEdgeCounts(void **state)
{
    (void)state;
    // the edges of a 5-tet box: those of the cells and one diagonal per face of a cell
    int x = 3, y = 4, z = 5;
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, x, y, z);
    int along = x * (y + 1) * (z + 1) + y * (x + 1) * (z + 1) + z * (x + 1) * (y + 1);
    int across = x * y * (z + 1) + y * z * (x + 1) + z * x * (y + 1);
    assert_int_equal(vvMesh_GetEdgeCount(mesh), along + across);
    for (int e = 0; e < mesh->edgeCount; ++e)
        assert_int_equal(mesh->edgeKind[e], VV_EDGE_STRUCTURAL);
    vvDestroyMesh(mesh);
    // any solid ball: V - E + F - T = 1
    mesh = vvCreateSphereMesh(1, 4);
    int faces = (4 * mesh->tetCount + mesh->surfaceCount) / 2;
    assert_int_equal(mesh->vertexCount - mesh->edgeCount + faces - mesh->tetCount, 1);
    vvDestroyMesh(mesh);
}

static void testDisconnected(void **state)
{
    (void)state;
    // two tets that do not touch: two components, eight faces
    double points[24];
    const int tets[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    const double corner[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    for (int i = 0; i < 24; ++i)
        points[i] = corner[i % 12] + (i < 12 ? 0 : 3);
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = 8;
    def.tets = tets;
    def.tetCount = 2;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    assert_int_equal(mesh->surfaceCount, 8);
    assert_int_equal(mesh->edgeCount, 12);
    assert_int_equal(eulerCharacteristic(mesh), 4);
    vvDestroyMesh(mesh);
}

// ---- stiffness shares -----------------------------------------------------------------------------------------------

static double shareBetween(const vvMesh *mesh, int callerA, int callerB)
{
    for (int e = 0; e < mesh->edgeCount; ++e)
    {
        const int *edge = mesh->callerEdge + 2 * mesh->edgeToCaller[e];
        if ((edge[0] == callerA && edge[1] == callerB) || (edge[0] == callerB && edge[1] == callerA))
            return mesh->edgeShare[e];
    }
    fail_msg("no edge between %d and %d", callerA, callerB);
    return NAN;
}

static void testSharesOfElements(void **state)
{
    (void)state;
    // one regular tet: V / l^2 on each edge
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_TET;
    def.size.x = 2;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    for (int e = 0; e < 6; ++e)
        CHECK_CLOSE(mesh->edgeShare[e], 2 / (6 * sqrt(2)), 1e-14);
    vvDestroyMesh(mesh);

    // every mesh of tets: each tet gives V to each of its 6 edges, so sum of share x l^2 = 6 V
    mesh = vvCreateSphereMesh(1, 3);
    double sum = 0;
    for (int e = 0; e < mesh->edgeCount; ++e)
        sum += mesh->edgeShare[e] * pow(edgeLength(mesh->point, mesh->edge[2 * e], mesh->edge[2 * e + 1]), 2);
    CHECK_CLOSE(sum, 6 * mesh->volume, 1e-13);
    vvDestroyMesh(mesh);

    // a rectangle 2 x 1 of two triangles, with a tie that belongs to no triangle
    const double points[12] = { 0, 0, 0, 2, 0, 0, 0, 0, -1, 2, 0, -1 };
    const int triangles[6] = { 0, 1, 2, 1, 3, 2 }, edges[8] = { 1, 0, 2, 1, 3, 0, 1, 3 };
    def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = 4;
    def.triangles = triangles;
    def.triangleCount = 2;
    def.edges = edges;
    def.edgeCount = 4;
    mesh = vvCreateMesh(&def, NULL);
    CHECK_NEAR(shareBetween(mesh, 0, 1), 1.0 / 4, 1e-15);
    CHECK_NEAR(shareBetween(mesh, 1, 2), 2.0 / 5, 1e-15);
    CHECK_NEAR(shareBetween(mesh, 1, 3), 1.0, 1e-15);
    CHECK_NEAR(shareBetween(mesh, 0, 3), 0, 0);
    vvDestroyMesh(mesh);
}

// energy per area of a stretch strain along x, along z, and of shear, per Young's modulus and thickness
static void checkLattice(int diagonals, double c11, double c12, double c33)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_SHEET;
    def.cells[0] = def.cells[2] = 8;
    def.size = (vvVec3){ 2, 1, 2 };
    def.diagonals = diagonals;
    def.skip = true;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    double xx = 0, zz = 0, xz = 0, shear = 0;
    for (int e = 0; e < mesh->edgeCount; ++e)
    {
        Vec3 d = vecSub(cornerPoint(mesh->point, mesh->edge[2 * e]), cornerPoint(mesh->point, mesh->edge[2 * e + 1]));
        double length = vecLength(d), k = mesh->edgeShare[e];
        double ex = d.x * d.x / length, ez = d.z * d.z / length, es = d.x * d.z / length; // elongations
        xx += k * ex * ex / 4;
        zz += k * ez * ez / 4;
        xz += k * ex * ez / 4;
        shear += k * es * es / 4;
    }
    CHECK_NEAR(xx, c11, 1e-13);
    CHECK_NEAR(zz, c11, 1e-13);
    CHECK_NEAR(xz, c12, 1e-13);
    CHECK_NEAR(shear, c33, 1e-13);
    vvDestroyMesh(mesh);
}

static void testSharesOfSheet(void **state)
{
    (void)state;
    // Young's modulus 1, Poisson 1/3: C11 = E / (1 - nu^2) = 9/8, C12 = nu C11 = 3/8, C33 = E / (2 (1 + nu)) = 3/8.
    // Springs alone carry k1 + k2 / 2 with k1 = 3/4 and k2 = 3/4 in total
    checkLattice(0, 1, 0, 0);
    checkLattice(1, 9.0 / 8, 3.0 / 8, 3.0 / 8);
    checkLattice(2, 9.0 / 8, 3.0 / 8, 3.0 / 8);
}

static void testSharesOfRope(void **state)
{
    (void)state;
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ROPE;
    def.size.x = 3;
    def.cells[0] = 6;
    def.skip = true;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    assert_int_equal(mesh->edgeCount, 6 + 5);
    double compliance = 0;
    for (int e = 0; e < mesh->edgeCount; ++e)
    {
        CHECK_NEAR(mesh->edgeShare[e], mesh->edgeKind[e] == VV_EDGE_SKIP ? 0 : 2, 1e-14);
        compliance += mesh->edgeShare[e] > 0 ? 1 / mesh->edgeShare[e] : 0;
    }
    CHECK_CLOSE(compliance, 3, 1e-14); // in series: length / (E A)
    vvDestroyMesh(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testClosedSurfaces), cmocka_unit_test(testSurfaceCounts),
        cmocka_unit_test(testPairs),          cmocka_unit_test(testEdgeCounts),
        cmocka_unit_test(testDisconnected),   cmocka_unit_test(testSharesOfElements),
        cmocka_unit_test(testSharesOfSheet),  cmocka_unit_test(testSharesOfRope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
