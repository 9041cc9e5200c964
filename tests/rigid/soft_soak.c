// Random collisions of soft and rigid bodies, of like and of unlike masses: momentum is kept under every method, and no
// energy is gained under those that answer within their substeps.
#include "rigid/soft_scenes.h"

#include <stdio.h>

typedef struct Found
{
    double momentum, gained;
} Found;

static Found collide(const char *method, uint32_t seed, double times, bool ground)
{
    vvWorldId world = makeWorldOf(method, (vvVec3){ 0, ground ? -9.81 : 0, 0 }, 1);
    if (ground)
        addGround(world, 0.5, 0);
    addCollision(world, seed, times);
    vvLedger before = vvWorld_GetLedger(world);
    Found found = { 0, 0 };
    for (int i = 0; i < 60; ++i)
    {
        CHECK_OK(vvWorld_Step(world, STEP));
        vvLedger now = vvWorld_GetLedger(world);
        double scale = sqrt(2 * before.kinetic * JELLY_MASS);
        found.momentum = fmax(found.momentum, away(now.momentum, before.momentum) / scale);
        found.gained = fmax(found.gained, (now.total - before.total) / before.kinetic);
    }
    vvDestroyWorld(world);
    return found;
}

static void testTable(void **state)
{
    (void)state;
    static const char *const methods[] = { "small-midpoint",    "small-steps", "backward-euler",
                                           "implicit-midpoint", "bdf2",        "newmark" };
    for (int m = 0; m < 6; ++m)
    {
        for (int k = 0; k < 4; ++k)
        {
            double times = k % 2 ? 100 : 10;
            Found most = { 0, 0 };
            for (uint32_t seed = 100; seed < 140; ++seed)
            {
                Found found = collide(methods[m], seed, times, k >= 2);
                most.momentum = fmax(most.momentum, found.momentum);
                most.gained = fmax(most.gained, found.gained);
            }
            printf("%-18s masses 1:%-4g %s momentum off by %.1e, energy gained %.2g\n", methods[m], times,
                   k >= 2 ? "on the ground" : "in flight    ", k >= 2 ? 0 : most.momentum, most.gained);
            if (k < 2)
                CHECK_BELOW(most.momentum, 1e-9);
            CHECK_BELOW(most.gained, m < 2 ? 1e-3 : 0.2);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testTable) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
