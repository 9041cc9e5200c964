// Pairs of edges press along the normal where forces are taken. Two ropes that are hooked in each other and drawn taut
// turn it while they swing: along the normal where the substep starts contact gave these 0.4 to 4 J/s for ever, and
// they trembled with 0.12 to 0.23 m/s.
#include "world/scenes.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979
#define MOST_SEGMENTS 80

typedef struct Hooked
{
    int segments[2];
    double thickness, young, friction, drawn, open; // drawn: times its length; open: radians between leg and axis
    double stored;                                  // J: they are taut
} Hooked;

// a rope round the middle of another that turns back from the other side; ends are pinned
static void hookRope(vvWorldId world, const Hooked *how, int which)
{
    int count = how->segments[which], ends[2] = { 0, count };
    vvSoftBodyDef def = elasticDef(1000, how->young, 0.3);
    def.material.thickness = how->thickness;
    def.friction = how->friction;
    def.damping.mass = 2;
    def.damping.stiffness = 0.01;
    vvSoftBodyId rope = makeBody(world, vvCreateRopeMesh(1, count), def);
    double x[3 * (MOST_SEGMENTS + 1)], around = 1.001 * how->thickness, turn = PI / 2 - how->open;
    for (int i = 0; i <= count; ++i)
    {
        double s = how->drawn * (1.0 * i / count - 0.5), along = fmin(fabs(s), around * turn) / around;
        double leg = fabs(s) - around * along, side = s < 0 ? -1 : 1;
        double forth = around * (cos(along) - 0.5) - leg * sin(turn);
        double across = side * (around * sin(along) + leg * cos(turn));
        x[3 * i] = which == 0 ? forth : -forth;
        x[3 * i + 1] = which == 0 ? across : 0;
        x[3 * i + 2] = which == 0 ? 0 : across;
    }
    CHECK_OK(vvSoftBody_SetPositions(rope, x));
    CHECK_OK(vvSoftBody_Pin(rope, ends, 2));
}

static vvWorldId hook(const Hooked *how)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.gravity = (vvVec3){ 0, 0, 0 };
    def.softContact = true;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    hookRope(world, how, 0);
    hookRope(world, how, 1);
    return world;
}

static void hookedRopesComeToRest(void **unused)
{
    (void)unused;
    static const Hooked ropes[] = { { { 30, 30 }, 0.02, 1e7, 0.2, 1.02, 0, 1.9 },
                                    { { 22, 65 }, 0.0219, 9e7, 0, 1.011, 0.77, 3.6 },
                                    { { 66, 50 }, 0.0117, 4.4e7, 0.1, 1.036, 0.25, 7.2 } };
    for (int k = 0; k < 3; ++k)
    {
        vvWorldId world = hook(&ropes[k]);
        double kinetic = 0, mass = 2 * 1000 * PI / 4 * ropes[k].thickness * ropes[k].thickness;
        for (int i = 0; i < 240; ++i)
        {
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
            kinetic += i < 180 ? 0 : vvWorld_GetLedger(world).kinetic / 60;
        }
        double speed = sqrt(2 * kinetic / mass); // m/s, root mean square of the fourth second
        print_message("hooked ropes %d: %.3f m/s after 4 s\n", k, speed);
        CHECK_BELOW(speed, 0.03);
        CHECK_CLOSE(vvWorld_GetLedger(world).elastic, ropes[k].stored, 0.05);
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(hookedRopesComeToRest) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
