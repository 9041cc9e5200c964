// Logs of many densities in a pool for some time: how deep they lie, and that they stay calm.
#include "vessel.h"

#define STEP (1 / 60.0)
#define EDGE 0.32   // m, of the pool
#define DEPTH 0.2   // m
#define RADIUS 0.05 // m, of the log
#define LENGTH 0.14 // m, between the centres of its caps
#define FRAMES 600
#define PI 3.14159265358979323846

static vvShape *plane(vvVec3 normal, double offset)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_PLANE;
    def.normal = normal;
    def.offset = offset;
    return vvCreateShape(&def, NULL);
}

static vvWorldId makePool(vvFluidId *fluid)
{
    const vvVec3 normal[5] = { { 0, 1, 0 }, { 1, 0, 0 }, { -1, 0, 0 }, { 0, 0, 1 }, { 0, 0, -1 } };
    vvWorldDef worldDef = vvDefaultWorldDef();
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    for (int i = 0; i < 5; ++i)
    {
        vvColliderDef def = vvDefaultColliderDef();
        def.shape = plane(normal[i], i == 2 || i == 4 ? -EDGE : 0);
        vvCreateCollider(world, &def, NULL);
        vvDestroyShape(def.shape);
    }
    vvFluidDef fluidDef = vvDefaultFluidDef();
    *fluid = vvCreateFluid(world, &fluidDef, NULL);
    CHECK_OK(vvFluid_AddBox(*fluid, (vvBox){ { 0, 0, 0 }, { EDGE, DEPTH, EDGE } }, (vvVec3){ 0, 0, 0 }));
    return world;
}

// m, of the surface of the pool without a log: twice the height of its centre, when it has settled
static double levelAlone(void)
{
    vvFluidId fluid;
    vvWorldId world = makePool(&fluid);
    double level = 0;
    for (int frame = 0; frame < FRAMES / 2; ++frame)
    {
        CHECK_OK(vvWorld_Step(world, STEP));
        int count = vvFluid_GetCount(fluid);
        for (int i = 0; i < count && frame >= FRAMES / 3; ++i)
            level += 2.0 * vvFluid_GetPositions(fluid)[3 * i + 1] / count / (FRAMES / 2 - FRAMES / 3);
    }
    vvDestroyWorld(world);
    return level;
}

// share of a lying log that is below a level `above` its axis, m
static double shareBelow(double above)
{
    double h = fmin(fmax(above, -RADIUS), RADIUS), r = RADIUS;
    double circle = r * r * acos(-h / r) + h * sqrt(r * r - h * h), ball = PI / 3 * (h + r) * (h + r) * (2 * r - h);
    double whole = PI * r * r * LENGTH + 4 * PI / 3 * r * r * r;
    return (circle * LENGTH + ball) / whole;
}

static void testLogs(void **state)
{
    (void)state;
    const double densities[] = { 300, 500, 700, 900 }, alone = levelAlone();
    print_message("level of the pool alone: %.4f m\n", alone);
    for (int i = 0; i < 4; ++i)
    {
        vvFluidId fluid;
        vvWorldId world = makePool(&fluid);
        vvShapeDef shapeDef = vvDefaultShapeDef();
        shapeDef.kind = VV_SHAPE_CAPSULE;
        shapeDef.radius = RADIUS;
        shapeDef.size.y = LENGTH;
        vvRigidBodyDef def = vvDefaultRigidBodyDef();
        def.shape = vvCreateShape(&shapeDef, NULL);
        def.density = densities[i];
        def.position = (vvVec3){ EDGE / 2, DEPTH + RADIUS, EDGE / 2 };
        def.rotation = vvQuat_FromDegrees((vvVec3){ 0, 0, 90 });
        vvRigidBodyId log = vvCreateRigidBody(world, &def, NULL);
        vvDestroyShape(def.shape);
        double height = 0, fastest = 0, volume = vvRigidBody_GetMass(log) / densities[i];
        for (int frame = 0; frame < FRAMES; ++frame)
        {
            CHECK_OK(vvWorld_Step(world, STEP));
            vvVec3 v = vvRigidBody_GetVelocity(log);
            if (frame < FRAMES / 3)
                continue;
            height += vvRigidBody_GetPose(log).position.y / (FRAMES - FRAMES / 3);
            fastest = fmax(fastest, hypot(hypot(v.x, v.y), v.z));
        }
        double level = alone + densities[i] / 1000 * volume / (EDGE * EDGE);
        double share = shareBelow(level - height);
        print_message("log of density %g: %.3f of it under water, at most %.3f m/s\n", densities[i], share, fastest);
        CHECK_NEAR(share, densities[i] / 1000, 0.1);
        CHECK_BELOW(fastest, 0.3);
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testLogs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
