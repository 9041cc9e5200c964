// Piles and stacks come to rest: nothing tunnels, nothing creeps.
#include "meeting.h"

#define BODIES 4
#define SIZE 0.5 // m
#define CELLS 4

static void stack_stays_where_it_is(void **state)
{
    (void)state;
    const char *const solvers[] = { "newton", "local-global" };
    for (int k = 0; k < 2; ++k)
    {
        vvWorldDef def = meetingDef("backward-euler", solvers[k], 30);
        def.tolerance = 1e-8;
        Stack s = makeStack(&def, 2 + k);
        stepMany(s.world, 240); // it leans over a little first
        vvVec3 settled = centreOf(s.cube[1]);
        stepMany(s.world, 300);
        vvVec3 now = centreOf(s.cube[1]);
        CHECK_NEAR(now.x, settled.x, 1e-3);
        CHECK_NEAR(now.y, settled.y, 1e-3);
        CHECK_NEAR(now.z, settled.z, 1e-3);
        // 5 % of an edge
        CHECK_BELOW(deepest(s.cube, 2), 0.05 * 0.4 / (2 + k));
        vvDestroyWorld(s.world);
    }
}

// three cubes and a ball fall into an open box
static void pile_comes_to_rest(void **state)
{
    (void)state;
    const vvVec3 still = { 0, 0, 0 };
    vvWorldDef def = meetingDef("backward-euler", "local-global", 0);
    vvWorldId world = makeMeeting(&def);
    addBox(world, SIZE);
    vvSoftBodyId body[BODIES];
    body[0] = addCube(world, SIZE, CELLS, 2e5, (vvVec3){ -0.22, 0.35, 0.05 }, still);
    body[1] = addCube(world, SIZE, CELLS, 2e5, (vvVec3){ 0.17, 0.95, -0.1 }, still);
    body[2] = addCube(world, SIZE, CELLS, 2e5, (vvVec3){ -0.05, 1.55, 0.15 }, still);
    vvSoftBodyDef ball = elasticDef(1000, 2e5, 0.3);
    ball.position = (vvVec3){ 0.1, 2.15, 0 };
    body[3] = makeBody(world, vvCreateSphereMesh(SIZE, CELLS), ball);
    double worst = 0;
    for (int frame = 0; frame < 2000; ++frame)
    {
        stepMany(world, 1);
        if (frame % 50 == 0)
            worst = fmax(worst, deepest(body, BODIES));
    }
    // an edge is 0.125 m: never half of one, in the end 5 %
    CHECK_BELOW(worst, 0.5 * SIZE / CELLS);
    CHECK_BELOW(deepest(body, BODIES), 0.05 * SIZE / CELLS);
    for (int b = 0; b < BODIES; ++b)
    {
        const double *x = vvSoftBody_GetPositions(body[b]);
        for (int v = 0; v < vvSoftBody_GetVertexCount(body[b]); ++v)
        {
            // walls give way by some millimetres
            CHECK_BELOW(fabs(x[3 * v]), SIZE + 0.02);
            CHECK_BELOW(fabs(x[3 * v + 2]), SIZE + 0.02);
            CHECK_BELOW(-x[3 * v + 1], 0.02);
        }
    }
    // at rest: four bodies of 125 and 65 kg
    CHECK_BELOW(vvWorld_GetLedger(world).kinetic, 0.1);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stack_stays_where_it_is),
        cmocka_unit_test(pile_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
