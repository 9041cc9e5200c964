// A yard with every kind of shape, some of them moving, and bodies that fall, slide and hang over them.
#ifndef TESTS_CONTACT_YARD_H
#define TESTS_CONTACT_YARD_H

#include "contact/ground.h"
#include "methods.h"
#include "undamped.h"

#define YARD_COLLIDERS 8

typedef struct Yard
{
    vvWorldId world;
    vvSoftBodyId body[3]; // box, sheet, rope
    vvColliderId collider[YARD_COLLIDERS];
    int steps;
    double h; // s
} Yard;

static inline vvShape *yardShape(int which)
{
    static const double corners[12] = { 0, 0.3, 0, -0.3, 0, -0.3, 0.3, 0, -0.3, 0, 0, 0.3 };
    static const int triangles[12] = { 0, 2, 1, 0, 3, 2, 0, 1, 3, 1, 2, 3 };
    static const double heights[9] = { 0.1, 0, 0.1, 0, 0.05, 0, 0.1, 0, 0.1 };
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = (vvShapeKind)(which % 7);
    def.radius = 0.25;
    def.size = (vvVec3){ 0.5, 0.2, 0.5 };
    if (def.kind == VV_SHAPE_CONVEX || def.kind == VV_SHAPE_MESH)
    {
        def.points = corners;
        def.pointCount = 4;
        def.triangles = triangles;
        def.triangleCount = 4;
        def.sampling = which == 12 ? 0.05 : 0;
    }
    if (def.kind == VV_SHAPE_HEIGHTFIELD)
    {
        def.heights = heights;
        def.columns = def.rows = 3;
    }
    return shapeOf(&def);
}

static inline vvColliderDef yardDef(int which)
{
    vvColliderDef def = vvDefaultColliderDef();
    def.position = (vvVec3){ 0.35 * (which % 3 - 1), -0.3, 0.35 * (which / 3 - 1) };
    if (which % 7 == VV_SHAPE_PLANE)
        def.position = (vvVec3){ 0, -0.6, 0 };
    def.rotation = vvQuat_FromDegrees((vvVec3){ 5.0 * which, 0, 3.0 * which });
    def.friction = 0.1 * which;
    def.restitution = which % 2 ? 0.5 : 1;
    return def;
}

static inline vvWorldDef yardWorldDef(const char *method, const char *solver)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.solver = solver;
    return def;
}

static inline Yard yardMakeSampled(const vvWorldDef *worldDef, int samples)
{
    Yard yard = { .world = vvCreateWorld(worldDef, NULL), .h = stepFor(worldDef->method, 1.0 / 120, 1.0 / 4000) };
    assert_true(vvWorld_IsValid(yard.world));
    vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
    def.position.y = 0.1;
    def.spin.x = 2;
    def.friction = 0.4;
    def.contactSamples = samples;
    yard.body[0] = makeBody(yard.world, vvCreateBoxMesh((vvVec3){ 0.4, 0.4, 0.4 }, 3, 3, 3), def);
    for (int i = 0; i < YARD_COLLIDERS - 1; ++i)
        yard.collider[i] = makeCollider(yard.world, yardShape(i), yardDef(i));
    yard.collider[YARD_COLLIDERS - 1] = makeCollider(yard.world, yardShape(12), yardDef(7));
    def = undampedDef();
    def.material = vvMaterial_Cotton();
    def.material.loss = 0;
    def.material.young = 1e5;
    def.contactSamples = samples;
    def.position.y = 0.45;
    yard.body[1] = makeBody(yard.world, vvCreateSheetMesh(1, 1, 8, 8), def);
    def.material.thickness = 0.02;
    def.position = (vvVec3){ 0.1, 0, 0.3 };
    yard.body[2] = makeBody(yard.world, vvCreateRopeMesh(1, 10), def);
    return yard;
}

static inline Yard yardMake(const vvWorldDef *worldDef)
{
    return yardMakeSampled(worldDef, 0);
}

// colliders move on a schedule of the step's number
static inline void yardStep(Yard *yard)
{
    double t = yard->steps * yard->h;
    for (int i = 1; i < 4; ++i)
    {
        vvColliderDef def = yardDef(i);
        def.position.y += 0.05 * sin(3 * t + i);
        CHECK_OK(
            vvCollider_MoveTo(yard->collider[i], def.position, vvQuat_FromDegrees((vvVec3){ 40 * t, 5.0 * i, 0 })));
    }
    CHECK_OK(vvWorld_Step(yard->world, yard->h));
    yard->steps += 1;
}

static inline void yardRun(Yard *yard, int steps)
{
    for (int n = 0; n < steps; ++n)
        yardStep(yard);
}

#endif
