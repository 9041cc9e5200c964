// Splitting, cutting and removing: what must hold of every change, by random ones in chains.
#include "mesh/changes.h"
#include "refuse.h"

static void takeMesh(vvMesh **mesh, MeshChange *change)
{
    vvDestroyMesh(*mesh);
    *mesh = change->mesh;
    change->mesh = NULL;
    meshChangeRelease(change);
}

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

// ---- random chains --------------------------------------------------------------------------------------------------

static void chain(int seed)
{
    TestRandom r = { .state = 977 * (uint64_t)(seed + 1) };
    for (int i = 0; i < 8; ++i)
        randomUnit(&r);
    vvMesh *mesh = randomMesh(&r, seed);
    for (int i = 0; i < 4; ++i)
    {
        MeshChange change;
        bool removes = randomUnit(&r) < 0.3;
        vvResult result = removes ? randomRemoval(&r, mesh, &change) : randomSplit(&r, mesh, &change);
        if (result.code != VV_OK)
        {
            assert_non_null(strstr(result.message, "all elements go"));
            break;
        }
        checkChange(mesh, &change, removes);
        takeMesh(&mesh, &change);
    }
    vvDestroyMesh(mesh);
}

static void randomChains(void **state)
{
    (void)state;
    for (int seed = 0; seed < 90; ++seed)
        chain(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edgesOfASheet),
        cmocka_unit_test(tipsStayShared),
        cmocka_unit_test(pointsOfARope),
        cmocka_unit_test(randomChains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
