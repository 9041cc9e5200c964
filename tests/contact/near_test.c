// Contacts of sheets and ropes at rest. Pairs of edges press along the normal where forces are taken: two ropes that
// are hooked in each other and drawn taut turn it while they swing, and along the normal where the substep starts
// contact gave these 0.4 and 4 J/s for ever, and they trembled with 0.12 and 0.23 m/s.
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
                                    { { 66, 50 }, 0.0117, 4.4e7, 0.1, 1.036, 0.25, 7.2 } };
    for (int k = 0; k < 2; ++k)
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

// ---- what lies on a free body ---------------------------------------------------------------------------------------

// rough, so that what creeps on it creeps by itself
static void addGround(vvWorldId world)
{
    vvShapeDef shape = vvDefaultShapeDef();
    vvResult result;
    shape.kind = VV_SHAPE_PLANE;
    vvColliderDef def = vvDefaultColliderDef();
    def.shape = vvCreateShape(&shape, &result);
    CHECK_OK(result);
    def.friction = 4;
    vvCreateCollider(world, &def, &result);
    CHECK_OK(result);
    vvDestroyShape(def.shape);
}

// m, along the slope, of all vertices
static double meanOf(vvSoftBodyId body)
{
    int count = vvSoftBody_GetVertexCount(body);
    double sum = 0;
    for (int v = 0; v < count; ++v)
        sum += vertexPosition(body, v).x / count;
    return sum;
}

static vvSoftBodyId layRope(vvWorldId world, double thickness, double top, double friction)
{
    enum
    {
        SEGMENTS = 10
    };
    vvSoftBodyDef def = elasticDef(1000, 1e7, 0.3);
    def.material.thickness = thickness;
    def.friction = friction;
    def.damping.stiffness = 0.005;
    def.damping.mass = 2;
    vvSoftBodyId rope = makeBody(world, vvCreateRopeMesh(0.3, SEGMENTS), def);
    double x[3 * (SEGMENTS + 1)];
    for (int i = 0; i <= SEGMENTS; ++i)
    {
        x[3 * i] = 0.3 * (1.0 * i / SEGMENTS - 0.5) + 0.003;
        x[3 * i + 1] = top + 0.5 * thickness + 1e-4;
        x[3 * i + 2] = 0.011;
    }
    CHECK_OK(vvSoftBody_SetPositions(rope, x));
    return rope;
}

// on the ground, with `ratio` times the mass of the rope
static vvSoftBodyId laySlab(vvWorldId world, double ratio, double thickness, double height, double friction)
{
    vvSoftBodyDef def =
        elasticDef(1000 * PI / 4 * thickness * thickness * 0.3 * ratio / (0.4 * height * 0.16), 1e6, 0.3);
    def.friction = friction;
    def.damping.stiffness = 0.005;
    def.damping.mass = 2;
    def.position.y = 0.5 * height;
    return makeBody(world, vvCreateBoxMesh((vvVec3){ 0.4, height, 0.16 }, 6, 1, 2), def);
}

// Friction holds a rope on a slab that friction holds on a slope. The moment of friction across the gap, half of the
// rope's thickness, is owed to the slab: given after the law it moved what the law had brought to rest, in every
// substep, and both crept uphill by 0.01 to 0.1 mm/s.
static void whatLiesOnAFreeBodyDoesNotCreep(void **unused)
{
    (void)unused;
    static const double ratios[] = { 1, 0.1 }, degrees[] = { 20, 12 }, frictions[] = { 0.5, 0.3 };
    for (int k = 0; k < 2; ++k)
    {
        double angle = degrees[k] * PI / 180, height = 0.06, thickness = 0.02;
        vvWorldDef worldDef = vvDefaultWorldDef();
        worldDef.gravity = (vvVec3){ 9.81 * sin(angle), -9.81 * cos(angle), 0 };
        worldDef.softContact = true;
        vvResult result;
        vvWorldId world = vvCreateWorld(&worldDef, &result);
        CHECK_OK(result);
        addGround(world);
        vvSoftBodyId slab = laySlab(world, ratios[k], thickness, height, frictions[k]);
        vvSoftBodyId rope = layRope(world, thickness, height, frictions[k]);
        double from[2] = { 0, 0 };
        for (int i = 0; i < 240; ++i)
        {
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
            from[0] = i == 149 ? meanOf(slab) : from[0];
            from[1] = i == 149 ? meanOf(rope) : from[1];
        }
        double creep[2] = { (meanOf(slab) - from[0]) / 1.5, (meanOf(rope) - from[1]) / 1.5 };
        print_message("slab of %g times the rope's mass: creeps by %.1e m/s, the rope by %.1e\n", ratios[k], creep[0],
                      creep[1]);
        CHECK_NEAR(creep[0], 0, 1e-7); // 0.4 mm in an hour
        CHECK_NEAR(creep[1], 0, 1e-7);
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(hookedRopesComeToRest),
                                        cmocka_unit_test(whatLiesOnAFreeBodyDoesNotCreep) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
