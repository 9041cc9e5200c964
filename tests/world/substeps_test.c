// What a body says of the substeps of its island: those of the rule, and those that a step took.
#include "world/scenes.h"

#define STEP (1.0 / 60)

static const vvVec3 down = { 0, -9.81, 0 }, nothing = { 0, 0, 0 };

static vvSoftBodyId cube(vvWorldId world, double young, double at)
{
    vvSoftBodyDef def = elasticDef(1000, young, 0.3);
    def.position = (vvVec3){ at, 0, 0 };
    return makeBody(world, vvCreateBoxMesh((vvVec3){ 0.4, 0.4, 0.4 }, 3, 3, 3), def);
}

static void wants(vvSoftBodyId body, int ruled, int taken)
{
    vvSubsteps own = vvSoftBody_GetSubsteps(body);
    assert_int_equal(own.ruled, ruled);
    assert_int_equal(own.taken, taken);
}

// five of 3.4 ms in 1/60 s; 24 where a wave of 57 m/s crosses .4 m ten times as fast: each island has its own
static void islandsHaveTheirOwn(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", nothing);
    vvSoftBodyId soft = cube(world, 1e4, 0), stiff = cube(world, 3.24e6, 2);
    wants(soft, 0, 0);
    CHECK_OK(vvWorld_Step(world, STEP));
    wants(soft, 5, 5);
    wants(stiff, 24, 24);
    assert_int_equal(vvWorld_GetStatistics(world).ruledSubsteps, 24);
    assert_int_equal(vvWorld_GetStatistics(world).substeps, 24);
    CHECK_OK(vvWorld_SetSubsteps(world, 9));
    CHECK_OK(vvWorld_Step(world, STEP));
    wants(soft, 9, 9);
    wants(stiff, 9, 9);
    vvDestroyWorld(world);
    wants(soft, 0, 0);
}

// those that springs join have the number of the one that needs more
static void joinedOnesShareThem(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", nothing);
    vvSoftBodyId soft = cube(world, 1e4, 0), stiff = cube(world, 3.24e6, 2);
    vvAttachmentDef def = vvDefaultAttachmentDef();
    def.bodyA = soft;
    def.bodyB = stiff;
    def.stiffness = 1000;
    vvResult result;
    vvCreateAttachment(world, &def, &result);
    CHECK_OK(result);
    CHECK_OK(vvWorld_Step(world, STEP));
    assert_int_equal(vvSoftBody_GetSubsteps(soft).ruled, 24);
    assert_int_equal(vvSoftBody_GetSubsteps(stiff).ruled, 24);
    vvDestroyWorld(world);
}

// A sheet that rests has the rule's, whatever its rounding does; one that is let go from a steep wave leaves motion
// unresolved, and takes the step again in two or four times as many.
static void stepsThatAreTakenAgainSaySo(void **state)
{
    (void)state;
    for (int waves = 0; waves < 2; ++waves)
    {
        vvWorldId world = makeWorld("small-midpoint", nothing);
        vvSoftBodyDef def = elasticDef(1000, 1e7, 0);
        def.material.thickness = 1e-3;
        def.position = (vvVec3){ 0.31, 1.17, -0.73 }; // whose sums round
        def.model = waves ? def.model : "triangle";
        vvSoftBodyId sheet = makeBody(world, vvCreateSheetMesh(1, 1, 12, 12), def);
        double x[3 * 13 * 13];
        memcpy(x, vvSoftBody_GetPositions(sheet), sizeof x);
        for (int v = 0; v < 13 * 13 && waves; ++v)
            x[3 * v] += v % 2 ? 0.01 : -0.01;
        CHECK_OK(vvSoftBody_SetPositions(sheet, x));
        CHECK_OK(vvWorld_Step(world, STEP));
        vvSubsteps own = vvSoftBody_GetSubsteps(sheet);
        assert_true(own.ruled > 0);
        assert_int_equal(vvWorld_GetStatistics(world).ruledSubsteps, own.ruled);
        assert_int_equal(vvWorld_GetStatistics(world).substeps, own.taken);
        if (waves)
            assert_true(own.taken == 2 * own.ruled || own.taken == 4 * own.ruled);
        else
            wants(sheet, own.ruled, own.ruled);
        vvDestroyWorld(world);
    }
}

// methods without a rule take whole steps; those that sweep have one; what sleeps takes none
static void othersToo(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("backward-euler", down);
    vvSoftBodyId body = cube(world, 1e4, 0);
    CHECK_OK(vvWorld_Step(world, STEP));
    wants(body, 1, 1);
    vvDestroyWorld(world);
    world = makeWorld("small-steps", down);
    body = cube(world, 1e4, 0);
    CHECK_OK(vvWorld_Step(world, STEP));
    int count = vvWorld_GetStatistics(world).substeps;
    assert_true(count >= 20);
    wants(body, count, count);
    vvDestroyWorld(world);
    vvWorldDef def = vvDefaultWorldDef();
    def.gravity = nothing;
    def.sleepEnergy = 1e-5;
    vvResult result;
    world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    body = cube(world, 1e4, 0);
    for (int i = 0; i < 120; ++i)
        CHECK_OK(vvWorld_Step(world, STEP));
    assert_int_equal(vvWorld_GetStatistics(world).sleepingCount, 1);
    wants(body, 0, 0);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(islandsHaveTheirOwn), cmocka_unit_test(joinedOnesShareThem),
                                        cmocka_unit_test(stepsThatAreTakenAgainSaySo), cmocka_unit_test(othersToo) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
