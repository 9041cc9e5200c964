// A hollow box as one closed mesh: an outer surface that winds outward and an inner one that winds inward.
#ifndef TESTS_FLUID_VESSEL_H
#define TESTS_FLUID_VESSEL_H

#include "check.h"

#include <verve/verve.h>

#define CHECK_OK(call)                                                                                                 \
    do                                                                                                                 \
    {                                                                                                                  \
        vvResult checked = (call);                                                                                     \
        if (checked.code != VV_OK)                                                                                     \
            fail_msg("%s: %s", #call, checked.message);                                                                \
    } while (0)

static inline vvShape *makeVessel(double inner, double wall) // m, edges
{
    static const int faces[12][3] = { { 0, 2, 1 }, { 1, 2, 3 }, { 4, 5, 6 }, { 5, 7, 6 }, { 0, 1, 4 }, { 1, 5, 4 },
                                      { 2, 6, 3 }, { 3, 6, 7 }, { 0, 4, 2 }, { 2, 4, 6 }, { 1, 3, 5 }, { 3, 7, 5 } };
    double points[16 * 3];
    int triangles[24 * 3];
    for (int i = 0; i < 16; ++i)
    {
        double half = i < 8 ? inner / 2 + wall : inner / 2;
        for (int a = 0; a < 3; ++a)
            points[3 * i + a] = (i >> a) & 1 ? half : -half;
    }
    for (int t = 0; t < 24; ++t)
    {
        for (int k = 0; k < 3; ++k)
            triangles[3 * t + k] = t < 12 ? faces[t][k] : 8 + faces[t - 12][2 - k];
    }
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_MESH;
    def.points = points;
    def.pointCount = 16;
    def.triangles = triangles;
    def.triangleCount = 24;
    vvResult result;
    vvShape *shape = vvCreateShape(&def, &result);
    CHECK_OK(result);
    return shape;
}

// Particles in a vessel that is shaken and turned for so many frames; how many are outside its inner box then, by more
// than a tenth of a spacing.
static inline int shakeVessel(int particlesAlong, int frames)
{
    double d = 0.02, inner = (particlesAlong + 2) * d, wall = d;
    vvWorldDef worldDef = vvDefaultWorldDef();
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvShape *shape = makeVessel(inner, wall);
    vvColliderDef colliderDef = vvDefaultColliderDef();
    colliderDef.shape = shape;
    vvColliderId vessel = vvCreateCollider(world, &colliderDef, NULL);
    vvDestroyShape(shape);
    vvFluidDef fluidDef = vvDefaultFluidDef();
    fluidDef.maxSubsteps = fluidDef.substeps;
    vvFluidId fluid = vvCreateFluid(world, &fluidDef, NULL);
    double half = particlesAlong * d / 2;
    CHECK_OK(vvFluid_AddBox(fluid, (vvBox){ { -half, -half, -half }, { half, half, half } }, (vvVec3){ 0, 0, 0 }));
    vvPose pose = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
    for (int frame = 1; frame <= frames; ++frame)
    {
        double t = frame / 60.0;
        pose.position = (vvVec3){ 0.05 * sin(5 * t), 0.05 * sin(7 * t), 0.05 * sin(3 * t) };
        pose.rotation = vvQuat_FromDegrees((vvVec3){ 20 * t, 33 * t, -11 * t });
        CHECK_OK(vvCollider_MoveTo(vessel, pose.position, pose.rotation));
        CHECK_OK(vvWorld_Step(world, 1 / 60.0));
    }
    int outside = 0, count = vvFluid_GetCount(fluid);
    const double *x = vvFluid_GetPositions(fluid);
    vvQuat back = { pose.rotation.w, -pose.rotation.x, -pose.rotation.y, -pose.rotation.z };
    double scale = back.w * back.w + back.x * back.x + back.y * back.y + back.z * back.z;
    for (int i = 0; i < count; ++i)
    {
        double p[3] = { x[3 * i] - pose.position.x, x[3 * i + 1] - pose.position.y, x[3 * i + 2] - pose.position.z };
        // p + 2 w (q x p) + 2 q x (q x p), with q of any length
        double q[3] = { back.x, back.y, back.z }, c[3], cc[3];
        for (int a = 0; a < 3; ++a)
            c[a] = q[(a + 1) % 3] * p[(a + 2) % 3] - q[(a + 2) % 3] * p[(a + 1) % 3];
        for (int a = 0; a < 3; ++a)
            cc[a] = q[(a + 1) % 3] * c[(a + 2) % 3] - q[(a + 2) % 3] * c[(a + 1) % 3];
        double farthest = 0;
        for (int a = 0; a < 3; ++a)
            farthest = fmax(farthest, fabs(p[a] + (2 * back.w * c[a] + 2 * cc[a]) / scale));
        outside += farthest > inner / 2 + 0.1 * d;
    }
    assert_int_equal(count, particlesAlong * particlesAlong * particlesAlong);
    vvDestroyWorld(world);
    return outside;
}

#endif
