// Muscles: their stress against the closed form, their work in the ledger, and what saves and restores them.
#include "base/vec.h"
#include "world/scenes.h"

#define YOUNG 1e5
#define STRESS 2e4

// every third tet is of group 1
static vvConstraintId muscleOf(vvSoftBodyId body, vvVec3 direction, int groups)
{
    static int group[4096];
    for (int t = 0; t < vvMesh_GetTetCount(vvSoftBody_GetMesh(body)); ++t)
        group[t] = t % groups;
    vvMuscleDef def = vvDefaultMuscleDef();
    def.direction = direction;
    def.stress = STRESS;
    def.groups = group;
    vvResult result;
    vvConstraintId muscle = vvCreateMuscle(body, &def, &result);
    CHECK_OK(result);
    return muscle;
}

// A free bar of poisson 0 that contracts: E (1 - s) = a T c s / sqrt(s^2 + e^2), s the stretch, in any direction.
static void barContractsAsItShould(void **state)
{
    (void)state;
    for (int k = 0; k < 6; ++k)
    {
        vvWorldId world = makeWorld(k % 2 ? "backward-euler" : "small-steps", (vvVec3){ 0, 0, 0 });
        vvSoftBodyDef def = elasticDef(1000, YOUNG, 0);
        def.damping.rigidPreserving = 20;
        vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 0.5, 0.5, 0.5 }, 2, 2, 2);
        vvSoftBodyId body = makeBody(world, mesh, def);
        double activation = k < 2 ? 1 : 0.5;
        vvVec3 direction = k < 4 ? (vvVec3){ 3, 0, 0 } : (vvVec3){ 0, -1, 0 };
        vvConstraintId muscle = muscleOf(body, direction, 1);
        CHECK_OK(vvConstraint_SetActivation(muscle, 0, activation));
        for (int n = 0; n < 120; ++n)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        vvBox box = vvSoftBody_GetBounds(body);
        double s = 1, stretch = (k < 4 ? box.upper.x - box.lower.x : box.upper.y - box.lower.y) / 0.5;
        for (int i = 0; i < 100; ++i)
            s = 1 - activation * STRESS / YOUNG * sqrt(1.04 / (s * s + 0.04)) * s;
        CHECK_NEAR(stretch, s, (k % 2 ? 1e-5 : 0.005) * (1 - s)); // small-steps has one sweep a substep
        CHECK_NEAR((box.upper.z - box.lower.z) / 0.5, 1, 1e-4);
        vvDestroyWorld(world);
    }
}

// added is the work of the fibres: what the ledger has in all but for what the method loses, under every method, and
// over a whole contraction and its release the mechanical work that came of it
static void workIsBooked(void **state)
{
    (void)state;
    static const char *const methods[] = { "small-midpoint", "small-steps", "stabilized", "implicit-midpoint",
                                           "backward-euler" };
    for (int k = 0; k < 5; ++k)
    {
        vvWorldId world = makeWorld(methods[k], (vvVec3){ 0, 0, 0 });
        vvSoftBodyId body = makeBody(world, vvCreateBarMesh(1, 0.25, 6, 2), elasticDef(1000, YOUNG, 0.3));
        vvConstraintId muscle = muscleOf(body, (vvVec3){ 1, 0, 0 }, 2);
        double before = vvWorld_GetLedger(world).added;
        for (int n = 0; n < 60; ++n)
        {
            double total = vvWorld_GetLedger(world).total, added = vvWorld_GetLedger(world).added;
            CHECK_OK(vvConstraint_SetActivation(muscle, 0, 0.5 + 0.5 * sin(0.3 * n)));
            CHECK_OK(vvConstraint_SetActivation(muscle, 1, n < 30 ? 1 : 0));
            vvLedger now = vvWorld_GetLedger(world);
            CHECK_NEAR(now.total - total, now.added - added, 1e-12 * YOUNG * 0.0625); // the jump and nothing else
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        }
        CHECK_OK(vvConstraint_SetActivation(muscle, 0, 0));
        vvLedger ledger = vvWorld_GetLedger(world);
        // all the fibres did is in the body, but for what the method took
        double gone = ledger.added - before + ledger.numerical - ledger.dissipated;
        CHECK_NEAR(ledger.kinetic + ledger.elastic, gone, 1e-9 * YOUNG * 0.0625);
        assert_true(ledger.added - before > 0.1); // J: it worked
        CHECK_NEAR(vecLength(vvSoftBody_GetMomentum(body)), 0, 1e-9);
        if (k == 0 || k == 2 || k == 3) // the others do not keep it
            CHECK_NEAR(vecLength(vvSoftBody_GetAngularMomentum(body)), 0, 1e-9);
        vvDestroyWorld(world);
    }
}

// activation costs no factor, and belongs to the state
static void activationIsState(void **state)
{
    (void)state;
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = "backward-euler";
    worldDef.solver = "local-global";
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvSoftBodyId body = makeBody(world, vvCreateBarMesh(1, 0.25, 6, 2), elasticDef(1000, YOUNG, 0.3));
    vvConstraintId muscle = muscleOf(body, (vvVec3){ 1, 0, 0 }, 1);
    CHECK_OK(vvConstraint_SetActivation(muscle, 0, 0.3));
    CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    size_t size = vvWorld_GetStateSize(world);
    void *saved = test_malloc(size);
    CHECK_OK(vvWorld_SaveState(world, saved, size));
    uint64_t hash[2];
    for (int run = 0; run < 2; ++run)
    {
        CHECK_OK(vvConstraint_SetActivation(muscle, 0, run ? 0.9 : 0.3));
        if (run)
        {
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
            assert_int_equal(vvWorld_GetStatistics(world).factorizations, 0);
            CHECK_OK(vvWorld_RestoreState(world, saved, size));
        }
        assert_true(vvConstraint_GetActivation(muscle, 0) == 0.3);
        for (int n = 0; n < 5; ++n)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        hash[run] = vvWorld_GetHash(world);
    }
    assert_true(hash[0] == hash[1]);
    test_free(saved);
    vvDestroyConstraint(muscle);
    assert_false(vvConstraint_IsValid(muscle));
    assert_int_equal(vvConstraint_SetActivation(muscle, 0, 0.5).code, VV_BAD_ID);
    vvDestroyWorld(world);
}

static void badMusclesAreRefused(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
    vvSoftBodyId body = makeBody(world, vvCreateBarMesh(1, 0.25, 2, 1), elasticDef(1000, YOUNG, 0.3));
    vvSoftBodyId sheet = makeBody(world, vvCreateSheetMesh(1, 1, 2, 2), elasticDef(1000, YOUNG, 0.3));
    const int far[1] = { 1000 };
    const double none[3] = { 0, 0, 0 };
    for (int k = 0; k < 7; ++k)
    {
        vvMuscleDef def = vvDefaultMuscleDef();
        def.stress = k == 1 ? -1 : k == 2 ? NAN : 0;
        def.direction.x = k == 3 ? 0 : 1;
        def.tets = k == 4 ? far : NULL;
        def.count = k == 4;
        def.groups = NULL;
        def.directions = k == 5 ? none : NULL;
        def.cookie = k == 6 ? 0 : def.cookie;
        vvResult result;
        vvCreateMuscle(k == 0 ? sheet : body, &def, &result);
        assert_int_equal(result.code, VV_BAD_INPUT);
    }
    vvConstraintId muscle = muscleOf(body, (vvVec3){ 1, 0, 0 }, 1);
    assert_int_equal(vvConstraint_SetActivation(muscle, 1, 0.5).code, VV_BAD_INPUT);
    assert_int_equal(vvConstraint_SetActivation(muscle, 0, 1.5).code, VV_BAD_INPUT);
    assert_int_equal(vvConstraint_SetActivation(muscle, 0, NAN).code, VV_BAD_INPUT);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barContractsAsItShould),
        cmocka_unit_test(workIsBooked),
        cmocka_unit_test(activationIsState),
        cmocka_unit_test(badMusclesAreRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
