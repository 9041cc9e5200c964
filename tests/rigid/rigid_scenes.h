// Worlds with rigid bodies for the tests.
#ifndef TESTS_RIGID_SCENES_H
#define TESTS_RIGID_SCENES_H

#include "base/quaternion.h"
#include "check.h"

#include <verve/verve.h>

#include <stdlib.h>

#define CHECK_OK(call)                                                                                                 \
    do                                                                                                                 \
    {                                                                                                                  \
        vvResult checkResult = (call);                                                                                 \
        if (checkResult.code != VV_OK)                                                                                 \
            fail_msg("%s: %s", #call, checkResult.message);                                                            \
    } while (0)

static inline vvWorldId makeWorld(vvVec3 gravity)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.gravity = gravity;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    return world;
}

static inline vvShape *boxShape(vvVec3 size)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_BOX;
    def.size = size;
    return vvCreateShape(&def, NULL);
}

static inline vvShape *sphereShape(double radius)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_SPHERE;
    def.radius = radius;
    return vvCreateShape(&def, NULL);
}

// takes the shape over
static inline vvRigidBodyId addRigid(vvWorldId world, vvShape *shape, vvVec3 position, double mass)
{
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    def.shape = shape;
    def.position = position;
    def.mass = mass;
    vvResult result;
    vvRigidBodyId body = vvCreateRigidBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyShape(shape);
    return body;
}

// of water's density
static inline vvRigidBodyId addBox(vvWorldId world, vvVec3 size, vvVec3 position)
{
    return addRigid(world, boxShape(size), position, 0);
}

// a head of 12 kg at the origin and a handle of 4 kg along x, centred at x = 0.5
static inline vvRigidBodyId addWrench(vvWorldId world, vvVec3 position)
{
    vvRigidShape part = { .position = { 0.5, 0, 0 }, .density = 4000 };
    part.shape = boxShape((vvVec3){ 1, 0.05, 0.02 });
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    def.shape = boxShape((vvVec3){ 0.1, 0.3, 0.2 });
    def.shapes = &part;
    def.shapeCount = 1;
    def.density = 2000;
    def.position = position;
    vvResult result;
    vvRigidBodyId body = vvCreateRigidBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyShape(def.shape);
    vvDestroyShape(part.shape);
    return body;
}

static inline vvColliderId addGround(vvWorldId world, double friction, double restitution)
{
    vvShapeDef plane = vvDefaultShapeDef();
    vvColliderDef def = vvDefaultColliderDef();
    def.shape = vvCreateShape(&plane, NULL);
    def.friction = friction;
    def.restitution = restitution;
    vvResult result;
    vvColliderId collider = vvCreateCollider(world, &def, &result);
    CHECK_OK(result);
    vvDestroyShape(def.shape);
    return collider;
}

static inline vvShape *capsuleShape(double radius, double length)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_CAPSULE;
    def.radius = radius;
    def.size.y = length;
    return vvCreateShape(&def, NULL);
}

static inline void steps(vvWorldId world, int count)
{
    for (int i = 0; i < count; ++i)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
}

#endif
