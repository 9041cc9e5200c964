// Worlds in which soft and rigid bodies touch.
#ifndef TESTS_SOFT_SCENES_H
#define TESTS_SOFT_SCENES_H

#include "rigid/rigid_scenes.h"
#include "undamped.h"

#include <math.h>

#define STEP (1.0 / 60)
#define JELLY_MASS 27 // kg

typedef struct Random
{
    uint32_t state;
} Random;

static inline double between(Random *random, double low, double high)
{
    random->state = random->state * 1664525u + 1013904223u;
    return low + (high - low) * (random->state >> 8) / 16777216.0;
}

static inline vvVec3 vectorWithin(Random *random, double most)
{
    double x = between(random, -most, most), y = between(random, -most, most), z = between(random, -most, most);
    return (vvVec3){ x, y, z };
}

static inline double away(vvVec3 a, vvVec3 b)
{
    return hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z);
}

// a cube of 0.3 m
static inline vvSoftBodyId addJelly(vvWorldId world, vvVec3 position, vvVec3 velocity, double young, double poisson)
{
    vvSoftBodyDef def = undampedDef();
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

static inline vvWorldId makeWorldOf(const char *method, vvVec3 gravity, int threads)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.gravity = gravity;
    def.threads = threads;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    return world;
}

static inline vvShape *someShape(Random *random)
{
    double kind = between(random, 0, 3);
    if (kind < 1)
        return sphereShape(0.15);
    return kind < 2 ? boxShape((vvVec3){ 0.2, 0.3, 0.25 }) : capsuleShape(0.1, 0.2);
}

// one or two of each, that fly at each other; masses of rigid ones within `times` of the soft one's
static inline void addCollision(vvWorldId world, uint32_t seed, double times)
{
    Random random = { seed };
    int soft = 1 + (between(&random, 0, 2) > 1), rigid = 1 + (between(&random, 0, 2) > 1);
    double young = pow(10, between(&random, 4, 6)), poisson = between(&random, 0.1, 0.45);
    for (int i = 0; i < soft; ++i)
        addJelly(world, (vvVec3){ 0.5 * i, 0.2, 0 }, vectorWithin(&random, 0.3), young, poisson);
    for (int i = 0; i < rigid; ++i)
    {
        vvVec3 place = vectorWithin(&random, 0.05), velocity = vectorWithin(&random, 0.5);
        place.x += 0.5 * i;
        place.y += 0.6;
        velocity.y -= between(&random, 1, 4);
        double mass = JELLY_MASS * pow(times, between(&random, -1, 1));
        vvRigidBodyId body = addRigid(world, someShape(&random), place, mass);
        CHECK_OK(vvRigidBody_SetVelocity(body, velocity));
        CHECK_OK(vvRigidBody_SetSpin(body, vectorWithin(&random, 3)));
    }
}

#endif
