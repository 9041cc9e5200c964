// Scenes that several tests share. Every creation is checked; a failure prints the library's own message.
#ifndef TESTS_WORLD_SCENES_H
#define TESTS_WORLD_SCENES_H

#include "check.h"
#include "undamped.h"

#include <verve/verve.h>

#define CHECK_OK(result)                                                                                               \
    do                                                                                                                 \
    {                                                                                                                  \
        vvResult checkR = (result);                                                                                    \
        if (checkR.code != VV_OK)                                                                                      \
            fail_msg("%s: %s (%s)", #result, checkR.message, checkR.remedy);                                           \
    } while (0)

static inline vvWorldId makeWorld(const char *method, vvVec3 gravity)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.gravity = gravity;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    return world;
}

// the body takes over the mesh
static inline vvSoftBodyId makeBody(vvWorldId world, vvMesh *mesh, vvSoftBodyDef def)
{
    assert_non_null(mesh);
    def.mesh = mesh;
    vvResult result;
    vvSoftBodyId body = vvCreateSoftBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyMesh(mesh);
    return body;
}

static inline vvSoftBodyDef elasticDef(double density, double young, double poisson)
{
    vvSoftBodyDef def = undampedDef();
    def.material.density = density;
    def.material.young = young;
    def.material.poisson = poisson;
    return def;
}

static inline vvVec3 vertexPosition(vvSoftBodyId body, int vertex)
{
    const double *x = vvSoftBody_GetPositions(body) + 3 * (size_t)vertex;
    return (vvVec3){ x[0], x[1], x[2] };
}

static inline vvAttachmentId attachToPoint(vvWorldId world, vvSoftBodyId body, int vertex, double stiffness)
{
    vvAttachmentDef def = vvDefaultAttachmentDef();
    def.bodyA = body;
    def.vertexA = vertex;
    def.target = vertexPosition(body, vertex);
    def.stiffness = stiffness;
    vvResult result;
    vvAttachmentId attachment = vvCreateAttachment(world, &def, &result);
    CHECK_OK(result);
    return attachment;
}

// a box around the plane axis = value, in rest coordinates
static inline vvBox planeBox(int axis, double value, double margin)
{
    vvBox box = { { -1e9, -1e9, -1e9 }, { 1e9, 1e9, 1e9 } };
    double *lower = axis == 0 ? &box.lower.x : axis == 1 ? &box.lower.y : &box.lower.z;
    double *upper = axis == 0 ? &box.upper.x : axis == 1 ? &box.upper.y : &box.upper.z;
    *lower = value - margin;
    *upper = value + margin;
    return box;
}

// mean of one coordinate over some vertices
static inline double meanCoordinate(vvSoftBodyId body, const int *vertices, int count, int axis)
{
    const double *x = vvSoftBody_GetPositions(body);
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += x[3 * vertices[i] + axis];
    return sum / count;
}

// spinning cube of notes: unit cube at the origin, density 1000, no gravity
static inline vvSoftBodyId spinningCube(vvWorldId world, int cells, double young, double spin)
{
    vvSoftBodyDef def = elasticDef(1000, young, 0);
    def.spin = (vvVec3){ 0, 0, spin };
    return makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, cells, cells, cells), def);
}

#endif
