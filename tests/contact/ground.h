// What bodies of the contact tests stand on. Every creation is checked.
#ifndef TESTS_CONTACT_GROUND_H
#define TESTS_CONTACT_GROUND_H

#include "world/scenes.h"

static inline vvWorldId contactWorld(const char *method, const char *solver, int iterations, vvVec3 gravity)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.solver = solver;
    def.iterations = iterations;
    def.gravity = gravity;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    return world;
}

static inline vvShape *shapeOf(const vvShapeDef *def)
{
    vvResult result;
    vvShape *shape = vvCreateShape(def, &result);
    CHECK_OK(result);
    return shape;
}

// takes over the shape
static inline vvColliderId makeCollider(vvWorldId world, vvShape *shape, vvColliderDef def)
{
    vvResult result;
    def.shape = shape;
    vvColliderId collider = vvCreateCollider(world, &def, &result);
    CHECK_OK(result);
    vvDestroyShape(shape);
    return collider;
}

static inline vvShape *planeShape(void) // y = 0
{
    vvShapeDef def = vvDefaultShapeDef();
    return shapeOf(&def);
}

static inline vvShape *sphereShape(double radius)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_SPHERE;
    def.radius = radius;
    return shapeOf(&def);
}

static inline vvShape *boxShape(double x, double y, double z)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_BOX;
    def.size = (vvVec3){ x, y, z };
    return shapeOf(&def);
}

static inline vvVec3 massCentre(vvSoftBodyId body)
{
    const double *x = vvSoftBody_GetPositions(body), *mass = vvSoftBody_GetMasses(body);
    vvVec3 sum = { 0, 0, 0 };
    double total = 0;
    for (int v = 0; v < vvSoftBody_GetVertexCount(body); ++v)
    {
        sum.x += mass[v] * x[3 * v];
        sum.y += mass[v] * x[3 * v + 1];
        sum.z += mass[v] * x[3 * v + 2];
        total += mass[v];
    }
    return (vvVec3){ sum.x / total, sum.y / total, sum.z / total };
}

static inline vvVec3 meanVelocity(vvSoftBodyId body)
{
    const double *v = vvSoftBody_GetVelocities(body), *mass = vvSoftBody_GetMasses(body);
    vvVec3 sum = { 0, 0, 0 };
    double total = 0;
    for (int i = 0; i < vvSoftBody_GetVertexCount(body); ++i)
    {
        sum.x += mass[i] * v[3 * i];
        sum.y += mass[i] * v[3 * i + 1];
        sum.z += mass[i] * v[3 * i + 2];
        total += mass[i];
    }
    return (vvVec3){ sum.x / total, sum.y / total, sum.z / total };
}

#endif
