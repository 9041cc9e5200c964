// Soft and rigid bodies touch each other: what one side gives the other gets.
#include "rigid/rigid_scenes.h"

#include <math.h>

#define STEP (1.0 / 60)

typedef struct Random
{
    uint32_t state;
} Random;

static double between(Random *random, double low, double high)
{
    random->state = random->state * 1664525u + 1013904223u;
    return low + (high - low) * (random->state >> 8) / 16777216.0;
}

static vvVec3 vectorWithin(Random *random, double most)
{
    double x = between(random, -most, most), y = between(random, -most, most), z = between(random, -most, most);
    return (vvVec3){ x, y, z };
}

static vvSoftBodyId addJelly(vvWorldId world, vvVec3 position, vvVec3 velocity, double young, double poisson)
{
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.mesh = vvCreateBoxMesh((vvVec3){ 0.3, 0.3, 0.3 }, 3, 3, 3);
    def.material.young = young;
    def.material.poisson = poisson;
    def.material.density = 1000;
    def.position = position;
    def.velocity = velocity;
    vvResult result;
    vvSoftBodyId body = vvCreateSoftBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyMesh(def.mesh);
    return body;
}

static vvShape *someShape(Random *random)
{
    double kind = between(random, 0, 3);
    if (kind < 1)
        return sphereShape(0.15);
    return kind < 2 ? boxShape((vvVec3){ 0.2, 0.3, 0.25 }) : capsuleShape(0.1, 0.2);
}

// one or two of each, that fly at each other
static vvWorldId makeCollision(uint32_t seed)
{
    Random random = { seed };
    vvWorldId world = makeWorld((vvVec3){ 0, 0, 0 });
    int soft = 1 + (between(&random, 0, 2) > 1), rigid = 1 + (between(&random, 0, 2) > 1);
    double young = pow(10, between(&random, 4, 6)), poisson = between(&random, 0.1, 0.45);
    for (int i = 0; i < soft; ++i)
        addJelly(world, (vvVec3){ 0.5 * i, 0, 0 }, vectorWithin(&random, 0.3), young, poisson);
    for (int i = 0; i < rigid; ++i)
    {
        vvVec3 place = vectorWithin(&random, 0.05), velocity = vectorWithin(&random, 0.5);
        place.x += 0.5 * i;
        place.y += 0.4;
        velocity.y -= between(&random, 1, 4);
        double mass = 27 * pow(10, between(&random, -1, 1));
        vvRigidBodyId body = addRigid(world, someShape(&random), place, mass);
        CHECK_OK(vvRigidBody_SetVelocity(body, velocity));
        CHECK_OK(vvRigidBody_SetSpin(body, vectorWithin(&random, 3)));
    }
    return world;
}

static double away(vvVec3 a, vvVec3 b)
{
    return hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z);
}

static void testMomenta(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 12; ++seed)
    {
        vvWorldId world = makeCollision(seed);
        vvLedger before = vvWorld_GetLedger(world);
        double scale = sqrt(2 * before.kinetic * 27);
        for (int i = 0; i < 30; ++i)
        {
            CHECK_OK(vvWorld_Step(world, STEP));
            vvLedger now = vvWorld_GetLedger(world);
            CHECK_BELOW(away(now.momentum, before.momentum) / scale, 1e-9);
            CHECK_BELOW(away(now.angularMomentum, before.angularMomentum) / scale, 1e-9);
            CHECK_BELOW(now.total / before.total, 1.01);
        }
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testMomenta),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
