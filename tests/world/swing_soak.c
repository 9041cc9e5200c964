// Long runs: what must still hold after very many steps.
#include "world/scenes.h"

// a bar on a hinge, 50,000 frames: midpoint drifts by less than 5 % of the energy it exchanges, and still swings
static void midpointSwingsOn(void **unused)
{
    (void)unused;
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, -9.81, 0 });
    vvSoftBodyId bar = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.25, 1, 0.25 }, 1, 4, 1), elasticDef(1000, 1e5, 0.3));
    int hinge[2], count = vvSoftBody_FindVertices(bar, planeBox(1, 0.5, 1e-6), NULL, 0);
    assert_int_equal(count, 4);
    int top[4];
    vvSoftBody_FindVertices(bar, planeBox(1, 0.5, 1e-6), top, 4);
    hinge[0] = top[0];
    hinge[1] = top[1];
    CHECK_OK(vvSoftBody_Pin(bar, hinge, 2));
    double exchange = 0, late = 0;
    for (int n = 0; n < 50000; ++n)
    {
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        vvLedger ledger = vvWorld_GetLedger(world);
        exchange = fmax(exchange, ledger.kinetic + ledger.elastic);
        late = n < 49000 ? 0 : fmax(late, ledger.kinetic + ledger.elastic);
        CHECK_BELOW(fabs(ledger.numerical), 0.05 * exchange);
    }
    CHECK_BELOW(0.9 * exchange, late);
    vvDestroyWorld(world);
}

// 200,000 steps of backward Euler: spin dies like 1 / sqrt(steps), and no momentum creeps in
static void backwardEulerComesToRest(void **unused)
{
    (void)unused;
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
    spinningCube(world, 2, 1e5, 3);
    double start = vvWorld_GetLedger(world).total;
    for (int n = 0; n < 200000; ++n)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    vvLedger ledger = vvWorld_GetLedger(world);
    CHECK_BELOW(ledger.total, 0.005 * start);
    CHECK_NEAR(ledger.momentum.x, 0, 1e-8);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(midpointSwingsOn),
        cmocka_unit_test(backwardEulerComesToRest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
