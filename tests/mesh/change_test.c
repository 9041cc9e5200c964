// Splitting, cutting and removing: what must hold of every change, by random ones in chains.
#include "mesh/changes.h"
#include "refuse.h"

// ---- closed forms ---------------------------------------------------------------------------------------------------

// a sheet of 2 x 1 cells along x and z: vertex (i, k) is 2 i + k
static void edgesOfASheet(void **state)
{
    (void)state;
    vvMesh *mesh = vvCreateSheetMesh(2, 1, 2, 1);
    MeshChange change;
    // the line between the cells, from rim to rim: both ends are copied, and the sheet falls in two
    const int line[2] = { 2, 3 };
    assert_int_equal(meshSplit(mesh, line, 1, &change).code, VV_OK);
    checkChange(mesh, &change, false);
    assert_int_equal(change.mesh->vertexCount, 8);
    assert_int_equal(change.openedCount, 1);
    CHECK_CLOSE(change.openedArea, 1, 1e-15);
    assert_int_equal(change.keptCount, 0);
    MeshQuality quality;
    assert_true(meshQuality(change.mesh, &quality));
    assert_int_equal(quality.componentCount, 2);
    meshChangeRelease(&change);
    vvDestroyMesh(mesh);
}

// an edge inside stays closed, two of a line open with one copy between them
static void tipsStayShared(void **state)
{
    (void)state;
    vvMesh *mesh = vvCreateSheetMesh(4, 4, 4, 4); // vertex (i, k) is 5 i + k
    const int line[4] = { 11, 12, 12, 13 };
    MeshChange change;
    assert_int_equal(meshSplit(mesh, line, 1, &change).code, VV_OK);
    checkChange(mesh, &change, false);
    assert_int_equal(change.mesh->vertexCount, 25);
    assert_int_equal(change.keptCount, 1);
    assert_int_equal(change.kept[0], 0);
    assert_int_equal(change.openedCount, 0);
    meshChangeRelease(&change);
    assert_int_equal(meshSplit(mesh, line, 2, &change).code, VV_OK);
    checkChange(mesh, &change, false);
    assert_int_equal(change.mesh->vertexCount, 26);
    assert_int_equal(change.vertexParent[2 * 25], 12);
    CHECK_CLOSE(change.openedArea, 2, 1e-15);
    meshChangeRelease(&change);
    vvDestroyMesh(mesh);
}

// ropes fall apart at a point; a spring over it goes, and a rod's vertices stay beside their segments
static void pointsOfARope(void **state)
{
    (void)state;
    for (int rod = 0; rod < 2; ++rod)
    {
        vvMeshDef def = vvDefaultMeshDef();
        def.shape = VV_MESH_ROPE;
        def.cells[0] = 4;
        def.skip = true;
        def.rod = rod == 1;
        vvMesh *mesh = vvCreateMesh(&def, NULL);
        MeshChange change;
        const int point = 2;
        assert_int_equal(meshSplit(mesh, &point, 1, &change).code, VV_OK);
        checkChange(mesh, &change, false);
        assert_int_equal(change.mesh->vertexCount, mesh->vertexCount + 1);
        assert_int_equal(change.mesh->edgeCount, mesh->edgeCount - 1);
        assert_int_equal(change.openedCount, 1);
        MeshQuality quality;
        assert_true(meshQuality(change.mesh, &quality));
        assert_int_equal(quality.componentCount, 2);
        meshChangeRelease(&change);
        vvDestroyMesh(mesh);
    }
}

// ---- cuts -----------------------------------------------------------------------------------------------------------

static int partCount(const vvMesh *mesh)
{
    int *part = malloc(sizeof(int) * (size_t)mesh->vertexCount), count = partsOf(mesh, part);
    free(part);
    return count;
}

static MeshChange cutAtRest(const vvMesh *mesh, Blade blade)
{
    MeshChange change;
    vvResult result = meshCut(mesh, mesh->callerPoint, &blade, &change);
    if (result.code != VV_OK)
        fail_msg("%s; %s", result.message, result.remedy);
    checkChange(mesh, &change, false);
    return change;
}

// through the middle of the cells: the new surface is the cross-section, halves have their shares
static void crossSections(void **state)
{
    (void)state;
    vvMesh *mesh[3] = { vvCreateSheetMesh(4, 2, 4, 3), vvCreateBoxMesh((vvVec3){ 4, 2, 1 }, 4, 3, 2),
                        vvCreateRopeMesh(4, 4) };
    const double opened[3] = { 2, 2, 0 }, share = 2.5 / 4;
    for (int m = 0; m < 3; ++m)
    {
        MeshChange change = cutAtRest(mesh[m], planeBlade(vec3(0.5, 0, 0), vec3(1, 0, 0), 9));
        assert_int_equal(partCount(change.mesh), 2);
        CHECK_NEAR(change.openedArea, opened[m], 1e-14);
        assert_true(change.openedCount > 0 && !change.snapped);
        double low = 0, whole = 0;
        for (int e = 0; e < meshElementCount(change.mesh); ++e)
        {
            const int *corner = meshElementCorners(change.mesh, e);
            double x = 0, measure = measureOf(change.mesh, e);
            for (int c = 0; c < meshElementWidth(change.mesh); ++c)
                x += change.mesh->callerPoint[3 * corner[c]] - 0.5;
            low += x < 0 ? measure : 0;
            whole += measure;
        }
        CHECK_CLOSE(low / whole, share, 1e-13);
        // and once more: three slices
        MeshChange second = cutAtRest(change.mesh, planeBlade(vec3(-0.5, 0, 0), vec3(1, 0, 0), 9));
        assert_int_equal(partCount(second.mesh), 3);
        CHECK_NEAR(second.openedArea, opened[m], 1e-14);
        meshChangeRelease(&second);
        meshChangeRelease(&change);
        vvDestroyMesh(mesh[m]);
    }
}

// along the lines of a grid nothing is divided, and edges that bend are left where a blade leaves them
static void alongAndPartial(void **state)
{
    (void)state;
    vvMesh *mesh = vvCreateSheetMesh(4, 4, 4, 4);
    MeshChange change = cutAtRest(mesh, planeBlade(vec3(1, 0, 0), vec3(1, 0, 0), 9));
    assert_int_equal(change.mesh->surfaceCount, mesh->surfaceCount);
    assert_int_equal(change.mesh->vertexCount, mesh->vertexCount + 5);
    CHECK_NEAR(change.openedArea, 4, 1e-14);
    meshChangeRelease(&change);

    // from the rim to the middle of a triangle: one part, and the cut says that it ended inside
    Blade blade = { { vec3(0.5, -1, -3), vec3(0.5, 1, -3) }, { vec3(0.5, -1, 0.3), vec3(0.5, 1, 0.3) } };
    change = cutAtRest(mesh, blade);
    assert_true(change.snapped);
    assert_int_equal(partCount(change.mesh), 1);
    CHECK_NEAR(change.openedArea, 2.5, 0.5); // of 2.3 m, to the nearest edge
    meshChangeRelease(&change);

    // beside it nothing happens
    change = cutAtRest(mesh, planeBlade(vec3(5, 0, 0), vec3(1, 0, 0), 9));
    assert_int_equal(change.openedCount, 0);
    assert_int_equal(change.mesh->vertexCount, mesh->vertexCount);
    meshChangeRelease(&change);
    vvDestroyMesh(mesh);
}

// how far a point is from a triangle that it is over, m
static double distanceTo(Vec3 point, Vec3 a, Vec3 b, Vec3 c)
{
    const Vec3 corner[3] = { a, b, c };
    Vec3 normal = vecCross(vecSub(b, a), vecSub(c, a));
    for (int i = 0; i < 3; ++i)
    {
        Vec3 side = vecSub(corner[(i + 1) % 3], corner[i]);
        if (vecDot(normal, vecCross(side, vecSub(point, corner[i]))) < -1e-9)
            return INFINITY;
    }
    return fabs(vecDot(normal, vecSub(point, a))) / vecLength(normal);
}

// a blade that turns while it moves sweeps two triangles with a fold, either way: new vertices are on them
static void foldedBlades(void **state)
{
    (void)state;
    for (int way = -1; way <= 1; way += 2)
    {
        vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 2, 1, 2 }, 9, 5, 9);
        Blade blade = { { vec3(0.1, -3, -3), vec3(0.1, 3, -3) }, { vec3(0.1 + 3 * way, -3, 3), vec3(0.1, 3, 3) } };
        MeshChange change = cutAtRest(mesh, blade);
        assert_int_equal(partCount(change.mesh), 2);
        int divided = 0;
        for (int v = mesh->vertexCount; v < change.mesh->vertexCount; ++v)
        {
            Vec3 at = cornerPoint(change.mesh->callerPoint, v);
            if (change.vertexParent[2 * v] == change.vertexParent[2 * v + 1])
                continue;
            CHECK_BELOW(fmin(distanceTo(at, blade.before[0], blade.before[1], blade.after[1]),
                             distanceTo(at, blade.before[0], blade.after[1], blade.after[0])),
                        1e-14);
            ++divided;
        }
        assert_true(divided > 50);
        meshChangeRelease(&change);
        vvDestroyMesh(mesh);
    }
}

// where three segments meet, those on one side of the cut stay together
static void junctions(void **state)
{
    (void)state;
    const double points[12] = { 0, 0, 0, -1, 0, 0, 1, 1, 0, 1, -1, 0 };
    const int edges[6] = { 0, 1, 0, 2, 0, 3 };
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = 4;
    def.edges = edges;
    def.edgeCount = 3;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    MeshChange change = cutAtRest(mesh, planeBlade(vec3(0.05, 0, 0), vec3(1, 0, 0), 9));
    assert_int_equal(change.mesh->vertexCount, 5);
    assert_int_equal(partCount(change.mesh), 2);
    meshChangeRelease(&change);
    const int centre = 0; // a split leaves nothing together
    assert_int_equal(meshSplit(mesh, &centre, 1, &change).code, VV_OK);
    assert_int_equal(partCount(change.mesh), 3);
    meshChangeRelease(&change);
    vvDestroyMesh(mesh);
}

// a rod comes apart at the nearest of its vertices
static void rodsSnap(void **state)
{
    (void)state;
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ROPE;
    def.cells[0] = 4;
    def.rod = true;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    MeshChange change = cutAtRest(mesh, planeBlade(vec3(0.1, 0, 0), vec3(1, 0, 0), 9));
    assert_int_equal(change.mesh->vertexCount, mesh->vertexCount + 1);
    assert_int_equal(change.vertexParent[2 * mesh->vertexCount], 2);
    assert_int_equal(partCount(change.mesh), 2);
    meshChangeRelease(&change);
    vvDestroyMesh(mesh);
}

// ---- what is refused ------------------------------------------------------------------------------------------------

static void refused(vvResult result, const char *words)
{
    assert_int_equal(result.code, VV_BAD_INPUT);
    if (strstr(result.message, words) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", result.message, words);
    assert_true(strlen(result.remedy) > 0);
}

static void absurdInput(void **state)
{
    (void)state;
    vvMesh *mesh = vvCreateSheetMesh(1, 1, 2, 2);
    MeshChange change;
    refused(meshSplit(mesh, (const int[]){ 0, 9 }, 1, &change), "edge 0 names vertex 9, must be 0 to 8");
    refused(meshSplit(mesh, (const int[]){ 0, 1, 4, 4 }, 2, &change), "edge 1 names vertex 4 twice");
    refused(meshSplit(mesh, (const int[]){ 0, 8 }, 1, &change), "belongs to no triangle");
    refused(meshSplit(mesh, NULL, 1, &change), "count is 1");
    refused(meshSplit(mesh, NULL, -1, &change), "count is -1");
    refused(meshSplit(NULL, NULL, 0, &change), "mesh is NULL");
    refused(meshRemove(mesh, (const int[]){ 8 }, 1, &change), "element 8, must be 0 to 7");
    refused(meshRemove(mesh, (const int[]){ 0, 1, 2, 3, 4, 5, 6, 7 }, 8, &change), "all elements go");
    Blade blade = planeBlade(vec3(0, 0, 0), vec3(1, 0, 0), 9), still = blade, far = blade;
    still.after[0] = still.before[0];
    still.after[1] = still.before[1];
    far.after[1].x = NAN;
    double *position = calloc(27, sizeof *position);
    position[4] = INFINITY;
    refused(meshCut(mesh, mesh->callerPoint, &still, &change), "swept 0 m^2");
    refused(meshCut(mesh, mesh->callerPoint, &far, &change), "must be finite");
    refused(meshCut(mesh, position, &blade, &change), "coordinate 1 of vertex 1");
    refused(meshCut(mesh, NULL, &blade, &change), "positions is NULL");
    refused(meshCut(mesh, mesh->callerPoint, NULL, &change), "blade is NULL");
    free(position);
    vvDestroyMesh(mesh);
}

// memory that is refused at any request leaves nothing behind (the sanitizer sees leaks) and the old mesh as it was
static void refusedMemory(void **state)
{
    (void)state;
    int left = -1;
    for (int shape = 0; shape < 3; ++shape)
    {
        vvMeshDef def = vvDefaultMeshDef();
        def.shape = (const vvMeshShape[]){ VV_MESH_SHEET, VV_MESH_BOX, VV_MESH_ROPE }[shape];
        def.cells[0] = def.cells[1] = def.cells[2] = 2;
        def.skip = def.rod = shape == 2;
        def.allocator = (vvAllocator){ .allocate = refuseAfter, .release = giveBack, .userData = &left };
        left = -1;
        vvMesh *mesh = vvCreateMesh(&def, NULL);
        Blade blade = planeBlade(vec3(0.25, 0, 0), vec3(1, 0.1, 0), 9);
        for (int kind = 0; kind < 3; ++kind)
        {
            for (int requests = 0;; requests += refusedApart())
            {
                MeshChange change;
                const int first = 0;
                left = requests;
                const int *facet = meshElementCorners(mesh, 0);
                vvResult result = kind == 0   ? meshSplit(mesh, facet, 1, &change)
                                  : kind == 1 ? meshRemove(mesh, &first, 1, &change)
                                              : meshCut(mesh, mesh->callerPoint, &blade, &change);
                left = -1;
                if (result.code == VV_OK)
                {
                    checkChange(mesh, &change, kind == 1);
                    meshChangeRelease(&change);
                    break;
                }
                assert_int_equal(result.code, VV_OUT_OF_MEMORY);
                assert_null(change.mesh);
            }
        }
        vvDestroyMesh(mesh);
    }
}

// ---- random chains --------------------------------------------------------------------------------------------------

static void randomChains(void **state)
{
    (void)state;
    for (int seed = 0; seed < 70; ++seed)
        changeChain(seed, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edgesOfASheet), cmocka_unit_test(tipsStayShared),  cmocka_unit_test(pointsOfARope),
        cmocka_unit_test(crossSections), cmocka_unit_test(alongAndPartial), cmocka_unit_test(foldedBlades),
        cmocka_unit_test(junctions),     cmocka_unit_test(rodsSnap),        cmocka_unit_test(absurdInput),
        cmocka_unit_test(refusedMemory), cmocka_unit_test(randomChains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
