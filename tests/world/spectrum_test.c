// Shares of a run's health are shares: of bodies whose pins are wrenched about while the rest hardly moves, or which
// ring from vertex to vertex, between 0 and 1.
#include "world/scenes.h"

static void sharesAreShares(void **state)
{
    (void)state;
    static const char *const methods[] = { "stabilized", "small-midpoint", "energy-budget", "energy-multiplier" };
    for (int i = 0; i < 8; ++i)
    {
        vvWorldId world = makeWorld(methods[i / 2], (vvVec3){ 0, 0, 0 });
        vvSoftBodyId body = makeBody(world, vvCreateBarMesh(0.8, 0.2, 8, 2), elasticDef(1000, 1e4, 0.3));
        int pins[32], count = vvSoftBody_FindVertices(body, planeBox(0, -0.4, 1e-6), pins, 32);
        CHECK_OK(vvSoftBody_Pin(body, pins, count));
        double v[3 * 128];
        TestRandom random = { 2 };
        for (int k = 0; k < 3 * vvSoftBody_GetVertexCount(body); ++k)
            v[k] = i % 2 == 0 ? 0 : randomBetween(&random, -1, 1);
        CHECK_OK(vvSoftBody_SetVelocities(body, v));
        for (int n = 0; n < 20; ++n)
        {
            for (int k = 0; k < count; ++k)
            {
                vvVec3 at = vertexPosition(body, pins[k]);
                at.y += n % 2 == 0 ? 0.05 : -0.05;
                CHECK_OK(vvSoftBody_MovePin(body, pins[k], at));
            }
            CHECK_OK(vvWorld_Step(world, 1.0 / 240));
            vvStatistics s = vvWorld_GetStatistics(world);
            if (!(s.spectrum >= 0 && s.spectrum <= 1 && s.elasticShare >= 0 && s.elasticShare <= 1))
                fail_msg("%s, step %d: spectrum %g, elastic share %g", methods[i / 2], n, s.spectrum, s.elasticShare);
        }
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(sharesAreShares) };
    return cmocka_run_group_tests_name("spectrum", tests, NULL, NULL);
}
