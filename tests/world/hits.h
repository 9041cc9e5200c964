// Rigid bodies with soft blocks bonded to them that hit something.
#ifndef TESTS_WORLD_HITS_H
#define TESTS_WORLD_HITS_H

#include "base/vec.h"
#include "scenes.h"

#include <math.h>

typedef struct HitScene
{
    vvShapeKind shape;     // of the rigid body: a box of 0.3 m, a ball of 0.15 m, a capsule of 0.1 and 0.2 m
    double mass;           // kg, of it
    double young, density; // of the block on top of it; a density of 0: there is none
    double damping;        // s, of its stiffness
    vvVec3 velocity, spin; // of both
    double restitution, friction;
    bool passes; // the block meets nothing
    const char *method;
    int threads;
} HitScene;

static inline HitScene hitScene(double mass, double young, double damping, double spin)
{
    return (HitScene){ .shape = VV_SHAPE_BOX,
                       .mass = mass,
                       .young = young,
                       .density = 800,
                       .damping = damping,
                       .spin = { 0, 0, spin },
                       .friction = 0.5,
                       .method = "small-midpoint",
                       .threads = 1 };
}

typedef struct Hit
{
    vvWorldId world;
    vvRigidBodyId rigid;
    vvSoftBodyId block;
} Hit;

static inline vvRigidBodyId hitRigid(vvWorldId world, const HitScene *scene, vvVec3 position)
{
    vvShapeDef shape = vvDefaultShapeDef();
    shape.kind = scene->shape;
    shape.size = (vvVec3){ 0.3, scene->shape == VV_SHAPE_CAPSULE ? 0.2 : 0.3, 0.3 };
    shape.radius = scene->shape == VV_SHAPE_CAPSULE ? 0.1 : 0.15;
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    vvResult result;
    def.shape = vvCreateShape(&shape, &result);
    CHECK_OK(result);
    def.position = position;
    def.velocity = scene->velocity;
    def.spin = scene->spin;
    def.mass = scene->mass;
    def.restitution = scene->restitution;
    def.friction = scene->friction;
    vvRigidBodyId rigid = vvCreateRigidBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyShape(def.shape);
    return rigid;
}

static inline void hitColliderAt(vvWorldId world, const vvShapeDef *shape, vvVec3 position, double friction)
{
    vvColliderDef def = vvDefaultColliderDef();
    vvResult result;
    def.shape = vvCreateShape(shape, &result);
    CHECK_OK(result);
    def.position = position;
    def.friction = friction;
    vvCreateCollider(world, &def, &result);
    CHECK_OK(result);
    vvDestroyShape(def.shape);
}

static inline void hitCollider(vvWorldId world, vvShapeKind kind, vvVec3 normal, double friction)
{
    vvShapeDef shape = vvDefaultShapeDef();
    shape.kind = kind;
    shape.normal = normal;
    hitColliderAt(world, &shape, (vvVec3){ 0, 0, 0 }, friction);
}

// a block on top of a rigid body whose top is there
static inline vvSoftBodyId hitBlock(vvWorldId world, const HitScene *scene, vvRigidBodyId rigid, vvVec3 position,
                                    double top)
{
    vvSoftBodyDef def = elasticDef(scene->density, scene->young, 0.3);
    def.position = (vvVec3){ position.x, position.y + top + 0.05, position.z };
    def.spin = scene->spin;
    def.velocity = vecAdd(scene->velocity, vecCross(scene->spin, vec3(0, top + 0.05, 0)));
    def.damping.stiffness = scene->damping;
    def.category = scene->passes ? 0 : def.category;
    vvSoftBodyId block = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.2, 0.1, 0.2 }, 3, 2, 3), def);
    vvBondDef bond = vvDefaultBondDef();
    vvResult result;
    bond.bodyA = block;
    bond.rigidB = rigid;
    bond.distance = 0.025;
    assert_true(vvCreateBonds(world, &bond, NULL, 0, &result) > 0);
    CHECK_OK(result);
    return block;
}

static inline Hit hitMake(const HitScene *scene, vvVec3 position)
{
    vvWorldDef def = vvDefaultWorldDef();
    vvResult result;
    def.method = scene->method;
    def.threads = scene->threads;
    Hit hit = { .world = vvCreateWorld(&def, &result) };
    CHECK_OK(result);
    hit.rigid = hitRigid(hit.world, scene, position);
    if (scene->density > 0)
        hit.block = hitBlock(hit.world, scene, hit.rigid, position, scene->shape == VV_SHAPE_CAPSULE ? 0.19 : 0.15);
    return hit;
}

typedef struct HitRun
{
    double gained; // the most that the ledger has as numerical, as a share of what is lost in all
    double added;  // likewise, the most that contact gives from one step to a later one, less what it takes
} HitRun;

// It falls onto something and lies there.
static inline HitRun hitRun(const Hit *hit, int steps, double dt)
{
    double first = vvWorld_GetLedger(hit->world).total, least = first;
    double taken = 0; // J, the most so far
    HitRun run = { 0, 0 };
    for (int i = 0; i < steps; ++i)
    {
        CHECK_OK(vvWorld_Step(hit->world, dt));
        vvLedger now = vvWorld_GetLedger(hit->world);
        least = fmin(least, now.total);
        taken = fmax(taken, now.dissipated - now.added);
        run.added = fmax(run.added, taken - (now.dissipated - now.added));
        run.gained = fmax(run.gained, now.numerical);
    }
    return (HitRun){ run.gained / (first - least), run.added / (first - least) };
}

#endif
