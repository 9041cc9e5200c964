// Nothing crosses: sheets that fold, are twisted and fall on each other, solids that are thrown, ropes. Crossings are
// counted after every step without the library's own search.
#include "contact/ordeals.h"
#include "world/world.h"

static void runApart(const ApartScene *scene, int frames)
{
    for (int n = 0; n < frames; ++n)
        assert_int_equal(apartStep(scene), 0);
    vvLedger ledger = vvWorld_GetLedger(scene->world);
    CHECK_BELOW(ledger.numerical, 0.01 * ledger.dissipated);
    vvDestroyWorld(scene->world);
}

static void sheets_fold(void **state)
{
    (void)state;
    ApartScene scene = foldingSheet(1, 20);
    runApart(&scene, 90);
}

static void sheets_fall_on_each_other(void **state)
{
    (void)state;
    ApartScene scene = droppedSheets(1, 12);
    runApart(&scene, 60);
}

static void solids_are_thrown(void **state)
{
    (void)state;
    TestRandom random = { 7 };
    for (int k = 0; k < 2; ++k)
    {
        ApartScene scene = thrownSolids(1, &random);
        runApart(&scene, 60);
    }
}

// solids meet themselves by pair contacts: planes within a torus that turns gained 80 times its energy
static void solids_touch_themselves(void **state)
{
    (void)state;
    ApartScene scene = apartScene(1, true);
    for (int k = 0; k < 2; ++k)
    {
        vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
        def.damping.stiffness = 1e-3;
        def.selfContact = true;
        def.position = (vvVec3){ 0.05 * k, 0.4 + 0.5 * k, 0.05 * k };
        def.velocity = (vvVec3){ 1 - k, -3 - k, k };
        vvMeshDef mesh = vvDefaultMeshDef();
        mesh.shape = k ? VV_MESH_TORUS : VV_MESH_BOX;
        mesh.size = (vvVec3){ 0.3, k ? 0.1 : 0.3, 0.3 };
        mesh.cells[0] = mesh.cells[1] = mesh.cells[2] = 3;
        vvResult result;
        vvMesh *made = vvCreateMesh(&mesh, &result);
        CHECK_OK(result);
        makeBody(scene.world, made, def);
    }
    for (int n = 0; n < 60; ++n)
    {
        CHECK_OK(vvWorld_Step(scene.world, 1.0 / 60));
        vvLedger ledger = vvWorld_GetLedger(scene.world);
        CHECK_BELOW(ledger.numerical, 0.01 * (ledger.dissipated + 1));
    }
    vvDestroyWorld(scene.world);
}

static void sheets_are_twisted(void **state)
{
    (void)state;
    Twist twist = twistedSheet(1, 16);
    for (int n = 0; n < 60; ++n)
    {
        twistOn(&twist, 0.12);
        assert_int_equal(apartStep(&twist.scene), 0);
    }
    vvDestroyWorld(twist.scene.world);
}

// a slice of the long run
static void ordeals_cross_nothing(void **state)
{
    (void)state;
    static const int frames[ORDEALS] = { 30, 60, 60, 24 };
    for (int kind = 0; kind < ORDEALS; ++kind)
    {
        TestRandom random = { 3 };
        Ordeal ordeal = ordealBegin((OrdealKind)kind, &random);
        for (int n = 0; n < frames[kind]; ++n)
        {
            int crossings = ordealStep(&ordeal);
            if (crossings > 0)
                print_message("%s, frame %d: %d\n", ordealName[kind], n, crossings);
            assert_int_equal(crossings, 0);
        }
        vvDestroyWorld(ordeal.twist.scene.world);
    }
}

// edges against edges alone: ropes have no triangles
static void ropes_hold_ropes(void **state)
{
    (void)state;
    ApartScene scene = ropes(1);
    for (int n = 0; n < 90; ++n)
        apartStep(&scene);
    vvVec3 middle = vertexPosition(scene.body[1], 15);
    CHECK_BELOW(0.7, middle.y);
    vvDestroyWorld(scene.world);
}

// the same list of contacts, the same planes
static void small_steps_cross_nothing(void **state)
{
    (void)state;
    TestRandom random = { 7 };
    apartMethod = "small-steps";
    ApartScene fold = foldingSheet(1, 12), thrown = thrownSolids(1, &random), crossed = ropes(1);
    runApart(&fold, 60);
    runApart(&thrown, 30);
    for (int n = 0; n < 60; ++n)
        apartStep(&crossed);
    CHECK_BELOW(0.7, vertexPosition(crossed.body[1], 15).y);
    vvDestroyWorld(crossed.world);
    Twist twist = twistedSheet(1, 12);
    for (int n = 0; n < 30; ++n)
    {
        twistOn(&twist, 0.24);
        assert_int_equal(apartStep(&twist.scene), 0);
    }
    vvDestroyWorld(twist.scene.world);
    apartMethod = "small-midpoint";
}

// ---- bits -----------------------------------------------------------------------------------------------------------

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int k = 0; k < 3; ++k)
    {
        ApartScene scene = k < 2 ? foldingSheet(1 + 2 * k, 24) : foldingSheet(2, 24);
        for (int n = 0; n < 40; ++n)
            CHECK_OK(vvWorld_Step(scene.world, APART_H));
        hash[k] = vvWorld_GetHash(scene.world);
        vvDestroyWorld(scene.world);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

// saved in the middle of a throw, and gone on with
static void saved_states_go_on_alike(void **state)
{
    (void)state;
    TestRandom random[2] = { { 11 }, { 11 } };
    ApartScene scene[2] = { thrownSolids(1, &random[0]), thrownSolids(2, &random[1]) };
    for (int n = 0; n < 25; ++n)
        CHECK_OK(vvWorld_Step(scene[0].world, APART_H));
    size_t size = vvWorld_GetStateSize(scene[0].world);
    void *saved = malloc(size);
    assert_non_null(saved);
    CHECK_OK(vvWorld_SaveState(scene[0].world, saved, size));
    CHECK_OK(vvWorld_RestoreState(scene[1].world, saved, size));
    free(saved);
    for (int n = 0; n < 15; ++n)
    {
        for (int k = 0; k < 2; ++k)
            CHECK_OK(vvWorld_Step(scene[k].world, APART_H));
        assert_true(vvWorld_GetHash(scene[0].world) == vvWorld_GetHash(scene[1].world));
    }
    for (int k = 0; k < 2; ++k)
        vvDestroyWorld(scene[k].world);
}

// ---- what begins crossed --------------------------------------------------------------------------------------------

// to the end, by both counts; nothing is gained but what parting them takes
static void untangles(ApartScene *scene, int frames)
{
    assert_true(countCrossings(scene->body, scene->self, 2) > 0);
    for (int n = 0; n < frames; ++n)
    {
        CHECK_OK(vvWorld_Step(scene->world, APART_H));
        if (n == 0)
            assert_true(vvWorld_GetStatistics(scene->world).crossings > 0);
    }
    assert_int_equal(vvWorld_GetStatistics(scene->world).crossings, 0);
    assert_int_equal(countCrossings(scene->body, scene->self, 2), 0);
    vvLedger ledger = vvWorld_GetLedger(scene->world);
    CHECK_BELOW(ledger.added, 2);
    CHECK_BELOW(ledger.numerical, 0.1);
    vvDestroyWorld(scene->world);
}

static void crossed_sheets_are_untangled(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k)
    {
        ApartScene scene = apartScene(1, k > 0);
        apartSheet(&scene, (vvVec3){ 0.5, 1, 0.5 }, 8, 8, (vvVec3){ 0, 0, 0 }, (vvVec3){ 0, 0.4, 0 });
        apartSheet(&scene, (vvVec3){ 0.5, 1, 0.5 }, 8, 8, (vvVec3){ 35 + 35 * k, 0, 20 },
                   (vvVec3){ 0.02, 0.4, 0.013 + 0.1 * k });
        untangles(&scene, 150);
    }
}

static void solids_leave_sheets(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k)
    {
        ApartScene scene = apartScene(1, k > 0);
        apartSheet(&scene, (vvVec3){ 0.6, 1, 0.6 }, 10, 10, (vvVec3){ 0, 0, 0 }, (vvVec3){ 0, 0.4, 0 });
        vvMeshDef mesh = vvDefaultMeshDef();
        mesh.size = (vvVec3){ 0.2, 0.2, 0.2 };
        mesh.cells[0] = mesh.cells[1] = mesh.cells[2] = 2;
        mesh.rotate = (vvVec3){ 30 + 40.0 * k, 20, 0 };
        vvSoftBodyDef def = elasticDef(500, 1e5, 0.3);
        def.damping.stiffness = 1e-3;
        def.position = (vvVec3){ 0.01, 0.42, 0.02 };
        scene.body[scene.bodyCount++] = makeBody(scene.world, vvCreateMesh(&mesh, NULL), def);
        untangles(&scene, 50);
    }
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static void rest_allocates_nothing(void **state)
{
    (void)state;
    ApartScene scene = droppedSheets(1, 10);
    for (int n = 0; n < 90; ++n)
        CHECK_OK(vvWorld_Step(scene.world, APART_H));
    long long before = vvWorld_GetStatistics(scene.world).allocationCount;
    for (int n = 0; n < 30; ++n)
        CHECK_OK(vvWorld_Step(scene.world, APART_H));
    assert_true(vvWorld_GetStatistics(scene.world).allocationCount <= before + 2); // lists may still grow once
    vvDestroyWorld(scene.world);
}

// vertices at random velocities: what substeps do not resolve is damped, and nothing is gained, for any strength
static void damped_noise_gains_nothing(void **state)
{
    (void)state;
    static const double beta[] = { 1e-4, 6e-4, 1.3e-3, 5e-3 }; // s
    for (int k = 0; k < 4; ++k)
    {
        ApartScene scene = apartScene(1, false);
        vvSoftBodyId sheet = apartSheet(&scene, (vvVec3){ 1, 1, 1 }, 16, 16, (vvVec3){ 0, 0, 0 }, (vvVec3){ 0, 5, 0 });
        CHECK_OK(vvSoftBody_SetDamping(sheet, (vvDamping){ .stiffness = beta[k] }));
        TestRandom random = { 7 };
        double velocity[3 * 17 * 17];
        assert_int_equal(vvSoftBody_GetVertexCount(sheet), 17 * 17);
        for (int i = 0; i < 3 * 17 * 17; ++i)
            velocity[i] = randomBetween(&random, -1, 1);
        CHECK_OK(vvSoftBody_SetVelocities(sheet, velocity));
        double kinetic = vvWorld_GetLedger(scene.world).kinetic;
        for (int n = 0; n < 4; ++n)
        {
            CHECK_OK(vvWorld_Step(scene.world, APART_H));
            CHECK_BELOW(vvWorld_GetLedger(scene.world).numerical, 0.1 * kinetic);
        }
        vvDestroyWorld(scene.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheets_fold),
        cmocka_unit_test(sheets_fall_on_each_other),
        cmocka_unit_test(solids_are_thrown),
        cmocka_unit_test(solids_touch_themselves),
        cmocka_unit_test(sheets_are_twisted),
        cmocka_unit_test(ordeals_cross_nothing),
        cmocka_unit_test(ropes_hold_ropes),
        cmocka_unit_test(small_steps_cross_nothing),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(saved_states_go_on_alike),
        cmocka_unit_test(crossed_sheets_are_untangled),
        cmocka_unit_test(solids_leave_sheets),
        cmocka_unit_test(rest_allocates_nothing),
        cmocka_unit_test(damped_noise_gains_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
