// The container: bad input, remaps, shared ownership, memory.
#include "check.h"

#include "base/system.h"
#include "mesh/mesh.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- an allocator that counts, and fails on demand ------------------------------------------------------------------

typedef struct Counter
{
    int live;      // blocks
    size_t bytes;  // in use
    int requests;  // so far
    int failAfter; // requests that succeed; negative: all
} Counter;

static void *countedAllocate(size_t size, size_t alignment, void *userData)
{
    Counter *counter = userData;
    if (counter->failAfter >= 0 && counter->requests >= counter->failAfter)
        return NULL;
    counter->requests += 1;
    counter->live += 1;
    counter->bytes += size;
    return systemAllocate(size, alignment);
}

static void countedRelease(void *memory, size_t size, void *userData)
{
    Counter *counter = userData;
    counter->live -= 1;
    counter->bytes -= size;
    systemRelease(memory);
}

// ---- small meshes ---------------------------------------------------------------------------------------------------

static const double cubePoints[8 * 3] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1 };
static const double twoTetPoints[5 * 3] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1 };
static const int twoTetCorners[8] = { 0, 1, 2, 3, 1, 2, 3, 4 };

static vvMeshDef tetDef(void)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = twoTetPoints;
    def.pointCount = 5;
    def.tets = twoTetCorners;
    def.tetCount = 2;
    return def;
}

static const double stripPoints[4 * 3] = { 0, 0, 0, 2, 0, 0, 0, 0, -1, 2, 0, -1 };
static const int stripTriangles[6] = { 0, 1, 2, 1, 3, 2 };

static vvMeshDef stripDef(void)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = stripPoints;
    def.pointCount = 4;
    def.triangles = stripTriangles;
    def.triangleCount = 2;
    return def;
}

// the definition is refused, the message holds `words`
static void checkRefused(const vvMeshDef *def, const char *words)
{
    vvResult result = { .code = VV_OK };
    Counter counter = { .failAfter = -1 };
    vvMeshDef counted = *def;
    counted.allocator = (vvAllocator){ countedAllocate, countedRelease, &counter };
    vvMesh *mesh = vvCreateMesh(&counted, &result);
    assert_null(mesh);
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_true(strlen(result.message) > 0);
    assert_true(strlen(result.remedy) > 0);
    if (strstr(result.message, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", result.message, words);
    assert_int_equal(counter.live, 0);
    assert_null(vvCreateMesh(&counted, NULL)); // the result is optional
    assert_int_equal(counter.live, 0);
}

// ---- bad definitions ------------------------------------------------------------------------------------------------

static void testUninitialised(void **state)
{
    (void)state;
    vvMeshDef def;
    memset(&def, 0, sizeof def);
    checkRefused(&def, "not initialised");
    vvResult result;
    assert_null(vvCreateMesh(&def, &result));
    assert_string_equal(result.remedy, "start from vvDefaultMeshDef()");
    assert_null(vvCreateMesh(NULL, &result));
    assert_int_equal(result.code, VV_BAD_INPUT);

    def = vvDefaultMeshDef();
    def.shape = (vvMeshShape)99;
    checkRefused(&def, "99");
    def = vvDefaultMeshDef();
    def.allocator.allocate = countedAllocate;
    assert_null(vvCreateMesh(&def, &result));
    assert_int_equal(result.code, VV_BAD_INPUT);
}

static void testBadSizes(void **state)
{
    (void)state;
    static const int sizesUsed[][3] = {
        [VV_MESH_BOX] = { 1, 1, 1 },   [VV_MESH_BAR] = { 1, 1, 1 },    [VV_MESH_SHEET] = { 1, 0, 1 },
        [VV_MESH_ROPE] = { 1, 0, 0 },  [VV_MESH_SPHERE] = { 1, 0, 0 }, [VV_MESH_CYLINDER] = { 1, 1, 0 },
        [VV_MESH_TORUS] = { 1, 1, 0 }, [VV_MESH_TUBE] = { 1, 1, 0 },   [VV_MESH_TET] = { 1, 0, 0 },
        [VV_MESH_COIL] = { 1, 1, 0 },
    };
    const double bad[4] = { 0, -1, NAN, INFINITY };
    for (int shape = VV_MESH_BOX; shape <= VV_MESH_COIL; ++shape)
    {
        for (int i = 0; i < 3 * 4; ++i)
        {
            vvMeshDef def = vvDefaultMeshDef();
            def.shape = (vvMeshShape)shape;
            def.size = (vvVec3){ 4, 1, 1 };
            double *sizes[3] = { &def.size.x, &def.size.y, &def.size.z };
            *sizes[i / 4] = bad[i % 4];
            if (sizesUsed[shape][i / 4])
            {
                checkRefused(&def, "size");
                continue;
            }
            // a size that the shape does not use may be anything
            vvMesh *mesh = vvCreateMesh(&def, NULL);
            assert_non_null(mesh);
            vvDestroyMesh(mesh);
        }
    }
}

static void testBadCells(void **state)
{
    (void)state;
    static const int cellsUsed[][3] = {
        [VV_MESH_BOX] = { 1, 1, 1 },   [VV_MESH_BAR] = { 1, 1, 1 },    [VV_MESH_SHEET] = { 1, 0, 1 },
        [VV_MESH_ROPE] = { 1, 0, 0 },  [VV_MESH_SPHERE] = { 1, 0, 0 }, [VV_MESH_CYLINDER] = { 1, 1, 0 },
        [VV_MESH_TORUS] = { 1, 3, 0 },
    };
    for (int shape = VV_MESH_BOX; shape <= VV_MESH_TORUS; ++shape)
    {
        for (int i = 0; i < 3; ++i)
        {
            vvMeshDef def = vvDefaultMeshDef();
            def.shape = (vvMeshShape)shape;
            def.size = (vvVec3){ 4, 1, 1 };
            if (!cellsUsed[shape][i])
                continue;
            def.cells[i] = cellsUsed[shape][i] - 1;
            checkRefused(&def, "cells");
            def.cells[i] = INT_MIN;
            checkRefused(&def, "cells");
            def.cells[i] = INT_MAX;
            checkRefused(&def, "cells");
        }
        // all at the limit: the product overflows 64 bits, yet is refused before anything is allocated
        vvMeshDef def = vvDefaultMeshDef();
        def.shape = (vvMeshShape)shape;
        def.size = (vvVec3){ 4, 1, 1 };
        def.cells[0] = def.cells[1] = def.cells[2] = VV_MAX_VERTICES;
        checkRefused(&def, "points");
    }
}

static void testBadShapes(void **state)
{
    (void)state;
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_SHEET;
    def.diagonals = 3;
    checkRefused(&def, "diagonals");
    def.diagonals = -1;
    checkRefused(&def, "diagonals");

    def = vvDefaultMeshDef();
    def.shape = VV_MESH_TORUS;
    def.size = (vvVec3){ 2, 1, 0 };
    checkRefused(&def, "tube");
    def.size.y = 0.999;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    vvDestroyMesh(mesh);

    // shorthands fail the same way
    assert_null(vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 0, 1));
    assert_null(vvCreateBarMesh(-1, 1, 1, 1));
    assert_null(vvCreateSheetMesh(1, 0, 1, 1));
    assert_null(vvCreateRopeMesh(1, 0));
    assert_null(vvCreateSphereMesh(0, 1));
    assert_null(vvCreateCylinderMesh(1, 1, 0, 1));
    assert_null(vvCreateTorusMesh(1, 0.2, 1, 2));
    assert_null(vvCreateTubeMesh(1, 1, 2, 1)); // two steps around are flat
}

static void testBadCounts(void **state)
{
    (void)state;
    vvMeshDef def = tetDef();
    def.points = NULL;
    checkRefused(&def, "NULL");
    def = tetDef();
    def.tets = NULL;
    checkRefused(&def, "tetCount");
    def = tetDef();
    def.triangleCount = 1;
    checkRefused(&def, "triangleCount");
    def = tetDef();
    def.edgeCount = 1;
    checkRefused(&def, "edgeCount");
    def = tetDef();
    def.pointCount = 0;
    checkRefused(&def, "pointCount");
    def.pointCount = VV_MAX_VERTICES + 1;
    checkRefused(&def, "pointCount");
    def = tetDef();
    def.tetCount = -1;
    checkRefused(&def, "-1");
    def.tetCount = INT_MAX;
    checkRefused(&def, "2147483647 tets");
    def = tetDef();
    def.tetCount = 0;
    checkRefused(&def, "no elements");
}

static void testBadTets(void **state)
{
    (void)state;
    double points[5 * 3];
    int tets[8];
    vvMeshDef def = tetDef();
    def.points = points;
    def.tets = tets;
    memcpy(tets, twoTetCorners, sizeof tets);
    for (int i = 0; i < 2; ++i)
    {
        memcpy(points, twoTetPoints, sizeof points);
        points[3 * 3 + 1] = i == 0 ? NAN : INFINITY;
        checkRefused(&def, "point 3");
    }
    memcpy(points, twoTetPoints, sizeof points);
    tets[6] = 5;
    checkRefused(&def, "tet 1 names point 5");
    tets[6] = -1;
    checkRefused(&def, "tet 1 names point -1");
    tets[6] = 2;
    checkRefused(&def, "tet 1 names point 2 twice");

    // flat: the fourth point in the plane of the others, or nearly so
    memcpy(tets, twoTetCorners, sizeof tets);
    memcpy(points + 12, (double[]){ 0.5, 0.5, 1e-13 }, 3 * sizeof(double));
    tets[4] = 0;
    tets[5] = 1;
    tets[6] = 2;
    checkRefused(&def, "tet 1 is flat");
    // all points at one place
    memset(points, 0, sizeof points);
    checkRefused(&def, "tet 0 is flat");
    // so large that volumes are no numbers
    for (int i = 0; i < 15; ++i)
        points[i] = twoTetPoints[i] * 1e200;
    checkRefused(&def, "must be finite and within 1e+12 m");

    // the same tet twice, and a tet folded back over its neighbour
    memcpy(points, twoTetPoints, sizeof points);
    memcpy(tets, (int[]){ 0, 1, 2, 3, 1, 2, 0, 3 }, sizeof tets);
    def.pointCount = 4;
    checkRefused(&def, "tets 0 and 1 overlap");
    def.pointCount = 5;
    memcpy(points + 12, (double[]){ -0.1, -0.2, -0.3 }, 3 * sizeof(double));
    memcpy(tets, (int[]){ 0, 1, 2, 3, 4, 1, 2, 3 }, sizeof tets);
    checkRefused(&def, "overlap");
}

static void testReorient(void **state)
{
    (void)state;
    const int turned[8] = { 0, 2, 1, 3, 1, 2, 3, 4 };
    vvMeshDef def = tetDef();
    def.tets = turned;
    checkRefused(&def, "tet 0 has the volume -0.167");
    def.reorient = true;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    assert_int_equal(vvMesh_GetReorientedCount(mesh), 1);
    CHECK_NEAR(vvMesh_GetVolume(mesh), 1.0 / 6 + 2.0 / 6, 1e-15);
    const int *tets = vvMesh_GetTets(mesh);
    assert_int_equal(tets[0], 0);
    assert_int_equal(tets[1], 2);
    assert_int_equal(tets[2], 3);
    assert_int_equal(tets[3], 1);
    vvDestroyMesh(mesh);
}

static void testBadTrianglesAndEdges(void **state)
{
    (void)state;
    double points[4 * 3];
    int triangles[6], edges[6] = { 0, 1, 1, 2, 3, 2 }, kinds[3] = { 0, 1, 2 };
    memcpy(points, stripPoints, sizeof points);
    memcpy(triangles, stripTriangles, sizeof triangles);
    vvMeshDef def = stripDef();
    def.points = points;
    def.triangles = triangles;
    def.edges = edges;
    def.edgeKinds = kinds;
    def.edgeCount = 3;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    vvDestroyMesh(mesh);

    triangles[4] = 4;
    checkRefused(&def, "triangle 1 names point 4");
    triangles[4] = 2;
    checkRefused(&def, "triangle 1 names point 2 twice");
    triangles[4] = 3;
    memcpy(points + 9, (double[]){ 1, 0, -0.5 }, 3 * sizeof(double));
    checkRefused(&def, "triangle 1 is flat");
    memcpy(points, stripPoints, sizeof points);

    edges[4] = 7;
    checkRefused(&def, "edge 2 names point 7");
    edges[4] = 2;
    checkRefused(&def, "edge 2 names point 2 twice");
    edges[4] = 2;
    edges[5] = 1;
    checkRefused(&def, "edges 1 and 2 both join points 1 and 2");
    edges[4] = 3;
    kinds[1] = VV_EDGE_KINDS;
    checkRefused(&def, "edge 1 has the kind 3");
    kinds[1] = -1;
    checkRefused(&def, "edge 1 has the kind -1");
}

static void testBadRopesAndStrays(void **state)
{
    (void)state;
    // a zero-length edge, and an infinite one
    double points[9] = { 0, 0, 0, 1, 0, 0, 1, 0, 0 };
    const int edges[6] = { 0, 1, 1, 2, 0, 2 };
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = 3;
    def.edges = edges;
    def.edgeCount = 2;
    checkRefused(&def, "edge 1 between points 1 and 2 has the length 0");
    points[6] = 1e200;
    checkRefused(&def, "point 2 is (1e+200, 0, 0), must be finite and within 1e+12 m");

    // points without matter: none, only a spring in a solid, only a skip spring in a rope
    points[6] = 2;
    def.edgeCount = 1;
    checkRefused(&def, "point 2 belongs to no structural edge");
    const int kinds[2] = { VV_EDGE_STRUCTURAL, VV_EDGE_SKIP };
    def.edgeCount = 2;
    def.edgeKinds = kinds;
    checkRefused(&def, "point 2 belongs to no structural edge");
    def = stripDef();
    def.triangleCount = 1;
    checkRefused(&def, "point 3 belongs to no triangle");
    def = tetDef();
    const int tie[2] = { 0, 4 };
    def.tetCount = 1;
    def.edges = tie;
    def.edgeCount = 1;
    checkRefused(&def, "point 4 belongs to no tet");
}

// ---- what comes back ------------------------------------------------------------------------------------------------

static void testArraysUnchanged(void **state)
{
    (void)state;
    // a cube in a caller's order of its own, with springs: the getters give it back exactly
    const int tets[20] = { 7, 3, 6, 5, 0, 3, 5, 6, 4, 0, 5, 6, 1, 0, 3, 5, 2, 0, 3, 6 };
    const int edges[8] = { 7, 0, 3, 1, 0, 1, 6, 2 };
    const int kinds[4] = { 2, 1, 0, 0 };
    const int junk[3] = { 0, 1, 2 };
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = cubePoints;
    def.pointCount = 8;
    def.tets = tets;
    def.tetCount = 5;
    def.edges = edges;
    def.edgeKinds = kinds;
    def.edgeCount = 4;
    def.triangles = junk; // no matter where there are tets
    def.triangleCount = 1;
    def.reorient = true;
    vvMesh *first = vvCreateMesh(&def, NULL);
    assert_non_null(first);
    def.tets = vvMesh_GetTets(first); // all positive now
    def.reorient = false;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    assert_int_equal(vvMesh_GetReorientedCount(mesh), 0);
    assert_int_equal(vvMesh_GetVertexCount(mesh), 8);
    assert_int_equal(vvMesh_GetTetCount(mesh), 5);
    assert_int_equal(vvMesh_GetEdgeCount(mesh), 4);
    assert_int_equal(vvMesh_GetSurfaceCount(mesh), 12);
    assert_memory_equal(vvMesh_GetPoints(mesh), cubePoints, sizeof cubePoints);
    assert_memory_equal(vvMesh_GetTets(mesh), vvMesh_GetTets(first), sizeof tets);
    assert_memory_equal(vvMesh_GetEdges(mesh), edges, sizeof edges);
    assert_memory_equal(vvMesh_GetEdgeKinds(mesh), kinds, sizeof kinds);
    CHECK_NEAR(vvMesh_GetVolume(mesh), 1, 1e-15);
    CHECK_NEAR(vvMesh_GetArea(mesh), 6, 1e-15);
    CHECK_NEAR(vvMesh_GetSize(mesh), 1, 0);
    vvDestroyMesh(first);
    vvDestroyMesh(mesh);

    vvMeshDef strip = stripDef();
    mesh = vvCreateMesh(&strip, NULL);
    assert_non_null(mesh);
    assert_memory_equal(vvMesh_GetSurface(mesh), stripTriangles, sizeof stripTriangles);
    assert_int_equal(vvMesh_GetEdgeCount(mesh), 5);
    CHECK_NEAR(vvMesh_GetArea(mesh), 2, 0);
    CHECK_NEAR(vvMesh_GetVolume(mesh), 0, 0);
    vvDestroyMesh(mesh);
}

static bool sameTuple(const int *ours, const int *callers, int width, const int *toCaller)
{
    for (int i = 0; i < width; ++i)
    {
        if (toCaller[ours[i]] != callers[i])
            return false;
    }
    return true;
}

static void checkRemap(vvMesh *mesh)
{
    assert_non_null(mesh);
    for (int v = 0; v < mesh->vertexCount; ++v)
    {
        int caller = mesh->vertexToCaller[v];
        assert_in_range(caller, 0, mesh->vertexCount - 1);
        assert_int_equal(mesh->vertexFromCaller[caller], v);
        assert_memory_equal(mesh->point + 3 * v, mesh->callerPoint + 3 * caller, 3 * sizeof(double));
    }
    for (int t = 0; t < mesh->tetCount; ++t)
        assert_true(sameTuple(mesh->tet + 4 * t, mesh->callerTet + 4 * mesh->tetToCaller[t], 4, mesh->vertexToCaller));
    for (int t = 0; t < mesh->surfaceCount; ++t)
        assert_true(sameTuple(mesh->surface + 3 * t, mesh->callerSurface + 3 * t, 3, mesh->vertexToCaller));
    for (int e = 0; e < mesh->edgeCount; ++e)
    {
        int caller = mesh->edgeToCaller[e];
        assert_true(sameTuple(mesh->edge + 2 * e, mesh->callerEdge + 2 * caller, 2, mesh->vertexToCaller));
        assert_int_equal(mesh->edgeKind[e], mesh->callerEdgeKind[caller]);
    }
    vvDestroyMesh(mesh);
}

static void testRemap(void **state)
{
    (void)state;
    checkRemap(vvCreateBoxMesh((vvVec3){ 1, 2, 3 }, 3, 4, 5));
    checkRemap(vvCreateSheetMesh(1, 2, 7, 5));
    checkRemap(vvCreateRopeMesh(1, 9));
    checkRemap(vvCreateSphereMesh(1, 3));
    checkRemap(vvCreateTorusMesh(2, 0.5, 2, 9));
    checkRemap(vvCreateTubeMesh(2, 3, 7, 4));
    vvMeshDef def = stripDef();
    checkRemap(vvCreateMesh(&def, NULL));
}

static void testOrder(void **state)
{
    (void)state;
    // a shuffled rope comes back straight: each vertex beside its neighbour, from one end
    enum
    {
        COUNT = 101
    };
    int place[COUNT], edges[2 * (COUNT - 1)];
    double points[3 * COUNT] = { 0 };
    TestRandom random = { 7 };
    for (int i = 0; i < COUNT; ++i)
        place[i] = i;
    for (int i = COUNT - 1; i > 0; --i)
    {
        int j = (int)(randomUnit(&random) * (i + 1)), swap = place[i];
        place[i] = place[j];
        place[j] = swap;
    }
    for (int i = 0; i < COUNT; ++i)
        points[3 * place[i]] = i;
    for (int i = 0; i + 1 < COUNT; ++i)
    {
        edges[2 * i] = place[i];
        edges[2 * i + 1] = place[i + 1];
    }
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = COUNT;
    def.edges = edges;
    def.edgeCount = COUNT - 1;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    for (int i = 0; i + 1 < COUNT; ++i)
    {
        CHECK_NEAR(fabs(mesh->point[3 * i + 3] - mesh->point[3 * i]), 1, 0);
        assert_int_equal(mesh->edge[2 * i] + mesh->edge[2 * i + 1], 2 * i + 1);
    }
    // lowest degree first, ties by the caller's index
    assert_int_equal(mesh->vertexToCaller[0], place[0] < place[COUNT - 1] ? place[0] : place[COUNT - 1]);
    vvDestroyMesh(mesh);

    // a box: two vertices of a tet are never further apart than two layers of the breadth-first walk
    mesh = vvCreateBoxMesh((vvVec3){ 8, 1, 1 }, 64, 4, 4);
    int band = 0;
    for (int i = 0; i < mesh->pairCount; ++i)
        band = mesh->pair[2 * i + 1] - mesh->pair[2 * i] > band ? mesh->pair[2 * i + 1] - mesh->pair[2 * i] : band;
    CHECK_BELOW(band, 2 * 25 + 25);
    for (int t = 1; t < mesh->tetCount; ++t)
    {
        int lowest[2] = { INT_MAX, INT_MAX };
        for (int c = 0; c < 8; ++c)
            lowest[c / 4] = mesh->tet[4 * (t - 1) + c] < lowest[c / 4] ? mesh->tet[4 * (t - 1) + c] : lowest[c / 4];
        assert_true(lowest[0] <= lowest[1]);
    }
    vvDestroyMesh(mesh);
}

// ---- lifetime -------------------------------------------------------------------------------------------------------

static void testReferences(void **state)
{
    (void)state;
    Counter counter = { .failAfter = -1 };
    vvMeshDef def = vvDefaultMeshDef();
    def.allocator = (vvAllocator){ countedAllocate, countedRelease, &counter };
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    assert_int_equal(mesh->memory.blocks, (size_t)counter.live);
    assert_int_equal(mesh->memory.bytes, counter.bytes);
    meshRetain(mesh);
    vvDestroyMesh(mesh); // the creator lets go, a body still holds it
    assert_int_equal(vvMesh_GetVertexCount(mesh), 125);
    CHECK_NEAR(vvMesh_GetVolume(mesh), 1, 1e-14);
    assert_true(counter.live > 0);
    meshRelease(mesh);
    assert_int_equal(counter.live, 0);
    assert_int_equal(counter.bytes, 0);

    vvDestroyMesh(NULL);
    assert_int_equal(vvMesh_GetVertexCount(NULL), 0);
    assert_null(vvMesh_GetPoints(NULL));
}

// every allocation fails in turn: NULL, the right code, nothing left behind
static void exhaust(vvMeshDef def)
{
    int failAfter = 0;
    for (;; ++failAfter)
    {
        Counter counter = { .failAfter = failAfter };
        def.allocator = (vvAllocator){ countedAllocate, countedRelease, &counter };
        vvResult result;
        vvMesh *mesh = vvCreateMesh(&def, &result);
        if (mesh != NULL)
        {
            assert_int_equal(result.code, VV_OK);
            vvDestroyMesh(mesh);
            assert_int_equal(counter.live, 0);
            break;
        }
        assert_int_equal(result.code, VV_OUT_OF_MEMORY);
        assert_true(strlen(result.message) > 0 && strlen(result.remedy) > 0);
        assert_int_equal(counter.live, 0);
    }
    assert_true(failAfter > 20);
}

static void testExhaustion(void **state)
{
    (void)state;
    for (int shape = VV_MESH_BOX; shape <= VV_MESH_COIL; ++shape)
    {
        vvMeshDef def = vvDefaultMeshDef();
        def.shape = (vvMeshShape)shape;
        def.size = (vvVec3){ 4, 1, 1 };
        def.cells[0] = shape == VV_MESH_TUBE ? 3 : 2; // two steps around a tube are flat
        def.cells[2] = 2;
        def.skip = true;
        exhaust(def);
    }
    exhaust(tetDef());
    exhaust(stripDef());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testUninitialised),
        cmocka_unit_test(testBadSizes),
        cmocka_unit_test(testBadCells),
        cmocka_unit_test(testBadShapes),
        cmocka_unit_test(testBadCounts),
        cmocka_unit_test(testBadTets),
        cmocka_unit_test(testReorient),
        cmocka_unit_test(testBadTrianglesAndEdges),
        cmocka_unit_test(testBadRopesAndStrays),
        cmocka_unit_test(testArraysUnchanged),
        cmocka_unit_test(testRemap),
        cmocka_unit_test(testOrder),
        cmocka_unit_test(testReferences),
        cmocka_unit_test(testExhaustion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
