// Scenes in which bodies meet, and how deep they are in each other, measured without the library's own search.
#ifndef TESTS_WORLD_MEETING_H
#define TESTS_WORLD_MEETING_H

#include "scenes.h"

#include "shape/shape.h"

static inline vvWorldDef meetingDef(const char *method, const char *solver, int iterations)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.solver = solver;
    def.iterations = iterations;
    def.softContact = true;
    return def;
}

static inline vvWorldId makeMeeting(const vvWorldDef *def)
{
    vvResult result;
    vvWorldId world = vvCreateWorld(def, &result);
    CHECK_OK(result);
    return world;
}

static inline void addPlane(vvWorldId world, vvVec3 normal, double offset)
{
    vvResult result;
    vvShapeDef shapeDef = vvDefaultShapeDef();
    shapeDef.normal = normal;
    shapeDef.offset = offset;
    vvShape *shape = vvCreateShape(&shapeDef, &result);
    CHECK_OK(result);
    vvColliderDef def = vvDefaultColliderDef();
    def.restitution = 1;
    def.shape = shape;
    vvCreateCollider(world, &def, &result);
    CHECK_OK(result);
    vvDestroyShape(shape);
}

static inline vvSoftBodyId addCube(vvWorldId world, double size, int cells, double young, vvVec3 at, vvVec3 velocity)
{
    vvSoftBodyDef def = elasticDef(1000, young, 0.3);
    def.position = at;
    def.velocity = velocity;
    return makeBody(world, vvCreateBoxMesh((vvVec3){ size, size, size }, cells, cells, cells), def);
}

// floor and walls of an open box around the origin
static inline void addBox(vvWorldId world, double half)
{
    addPlane(world, (vvVec3){ 0, 1, 0 }, 0);
    addPlane(world, (vvVec3){ 1, 0, 0 }, -half);
    addPlane(world, (vvVec3){ -1, 0, 0 }, -half);
    addPlane(world, (vvVec3){ 0, 0, 1 }, -half);
    addPlane(world, (vvVec3){ 0, 0, -1 }, -half);
}

typedef struct Stack
{
    vvWorldId world;
    vvSoftBodyId cube[2];
} Stack;

// two cubes, one on the other, not quite above it
static inline Stack makeStack(const vvWorldDef *def, int cells)
{
    Stack s = { .world = makeMeeting(def) };
    addPlane(s.world, (vvVec3){ 0, 1, 0 }, 0);
    s.cube[0] = addCube(s.world, 0.4, cells, 5e5, (vvVec3){ 0, 0.2, 0 }, (vvVec3){ 0, 0, 0 });
    s.cube[1] = addCube(s.world, 0.4, cells, 5e5, (vvVec3){ 0.02, 0.6, 0.01 }, (vvVec3){ 0, 0, 0 });
    return s;
}

static inline vvVec3 centreOf(vvSoftBodyId body)
{
    const double *x = vvSoftBody_GetPositions(body), *m = vvSoftBody_GetMasses(body);
    double mass = 0, sum[3] = { 0, 0, 0 };
    for (int i = 0; i < 3 * vvSoftBody_GetVertexCount(body); ++i)
    {
        sum[i % 3] += m[i / 3] * x[i];
        mass += i % 3 == 0 ? m[i / 3] : 0;
    }
    return (vvVec3){ sum[0] / mass, sum[1] / mass, sum[2] / mass };
}

static inline double tetVolume(Vec3 a, Vec3 b, Vec3 c, Vec3 d)
{
    return vecDot(vecSub(b, a), vecCross(vecSub(c, a), vecSub(d, a)));
}

static inline bool isInTet(const double *x, const int *tet, Vec3 p)
{
    Vec3 c[4] = { vecLoad(x + 3 * tet[0]), vecLoad(x + 3 * tet[1]), vecLoad(x + 3 * tet[2]), vecLoad(x + 3 * tet[3]) };
    double whole = tetVolume(c[0], c[1], c[2], c[3]);
    for (int k = 0; k < 4; ++k)
    {
        Vec3 d[4] = { c[0], c[1], c[2], c[3] };
        d[k] = p;
        if (!(tetVolume(d[0], d[1], d[2], d[3]) * whole > 0))
            return false;
    }
    return true;
}

// m: how deep the deepest vertex of one solid is in the matter of another
static inline double depthIn(vvSoftBodyId a, vvSoftBodyId b)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(b);
    const double *xa = vvSoftBody_GetPositions(a), *xb = vvSoftBody_GetPositions(b);
    const int *tets = vvMesh_GetTets(mesh), *surface = vvMesh_GetSurface(mesh);
    double deepest = 0;
    for (int v = 0; v < vvSoftBody_GetVertexCount(a); ++v)
    {
        Vec3 p = vecLoad(xa + 3 * v);
        bool inside = false;
        for (int t = 0; t < vvMesh_GetTetCount(mesh) && !inside; ++t)
            inside = isInTet(xb, tets + 4 * t, p);
        double least = inside ? INFINITY : 0;
        for (int t = 0; t < vvMesh_GetSurfaceCount(mesh) && inside; ++t)
        {
            double corners[9];
            for (int k = 0; k < 9; ++k)
                corners[k] = xb[3 * surface[3 * t + k / 3] + k % 3];
            Region region;
            least = fmin(least, vecLength(vecSub(p, triangleNearest(corners, p, &region))));
        }
        deepest = fmax(deepest, least);
    }
    return deepest;
}

// the deepest of all pairs of bodies
static inline double deepest(const vvSoftBodyId *bodies, int count)
{
    double depth = 0;
    for (int a = 0; a < count; ++a)
    {
        for (int b = 0; b < count; ++b)
            depth = a == b ? depth : fmax(depth, depthIn(bodies[a], bodies[b]));
    }
    return depth;
}

static inline void stepMany(vvWorldId world, int frames)
{
    for (int i = 0; i < frames; ++i)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
}

#endif
