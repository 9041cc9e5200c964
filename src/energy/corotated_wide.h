// F and the nearest rotations of corotated tetrahedra, WIDE at a time: what the kernels of forces and of second
// derivatives share.
//
// The nearest rotation is found by Newton's method (wide_rotation.h). A critical point with H positive definite
// is the only local maximum and the sign-correct rotation, also for inverted F (Twigg and Kacic-Alesic 2010). Each lane
// stops by its own test, so its bits do not depend on its neighbours. Lanes that do not arrive are done by SVD.
#ifndef ENERGY_COROTATED_WIDE_H
#define ENERGY_COROTATED_WIDE_H

#include "energy/kernels.h"
#include "energy/wide_rotation.h"

#define ITERATION_LIMIT 8

// Blocks whose rotations are iterated side by side: one Newton step is a long chain of dependent operations, the steps
// of other vectors fill its gaps (one vector at a time: slower by a fifth).
#define GROUP 4
#define VECTOR_LIMIT (GROUP * LANES / WIDE)

// A lane is near when |w|^2 <= NEAR c with c = det H / tr(S)^3, a lower bound of the gap (sigma_2 + sigma_3) / sigma_1;
// one more step then leaves |w|^3 / c < 1e-15.
#define NEAR 1e-10

// Of values: they do not change with R to first order, so that |w|^3 / c = 1e-8 is enough.
#define NEAR_VALUES 4e-6

// Below this c the rotation is too uncertain for the test (rounding moves it by 1e-16 / c).
#define GAP 1e-7

// |w| c below this is rounding: the quaternion stays, so evaluating twice at one place gives the same bits.
#define STILL 1e-15

// ---- groups ---------------------------------------------------------------------------------------------------------

// Vector p is the vector of WIDE tets in block p / (LANES / WIDE) of the group, in the order of the lanes.
typedef struct Group
{
    _Alignas(64) double f[VECTOR_LIMIT][9 * WIDE]; // F, column major
    double q[VECTOR_LIMIT][4 * WIDE];              // quaternion w, x, y, z
    int64_t done[VECTOR_LIMIT][WIDE];              // -1: this lane has arrived
} Group;

SIMD_INLINE Vec3Wide columnLoad(const double *p)
{
    return (Vec3Wide){ wideLoad(p), wideLoad(p + WIDE), wideLoad(p + 2 * WIDE) };
}

SIMD_INLINE void columnStore(double *p, Vec3Wide a)
{
    wideStore(p, a.x);
    wideStore(p + WIDE, a.y);
    wideStore(p + 2 * WIDE, a.z);
}

SIMD_INLINE Matrix vectorMatrix(const Group *group, int vector)
{
    const double *f = group->f[vector];
    return (Matrix){ columnLoad(f), columnLoad(f + 3 * WIDE), columnLoad(f + 6 * WIDE) };
}

SIMD_INLINE Quaternion vectorQuaternion(const Group *group, int vector)
{
    return (Quaternion){ wideLoad(group->q[vector]), columnLoad(group->q[vector] + WIDE) };
}

SIMD_INLINE void setQuaternion(Group *group, int vector, Quaternion q)
{
    wideStore(group->q[vector], q.w);
    columnStore(group->q[vector] + WIDE, q.v);
}

// the start: F, and the quaternion kept for its WIDE tets
SIMD_INLINE void setVector(Group *group, int vector, Matrix f, const double *kept)
{
    columnStore(group->f[vector], f.a);
    columnStore(group->f[vector] + 3 * WIDE, f.b);
    columnStore(group->f[vector] + 6 * WIDE, f.c);
    setQuaternion(group, vector, quaternionLoad(kept));
    memset(group->done[vector], 0, sizeof group->done[vector]);
}

// ---- the nearest rotation -------------------------------------------------------------------------------------------

// The last step, |w| < 2e-3: sqrt(1 - |w|^2/4) and 1/|q| by their first terms
SIMD_INLINE Quaternion nearStep(const Slope *s, Quaternion q)
{
    Vec3Wide half = vecWideScale(0.5 / s->det, s->step);
    DoubleWide square = vecWideDot(s->step, s->step);
    LongWide still = square <= STILL * STILL * s->cube * s->cube;
    Quaternion turned = quaternionMultiply(q, (Quaternion){ 1 - 0.5 * vecWideDot(half, half), half });
    turned = quaternionScale(1.5 - 0.5 * quaternionSquare(turned), turned);
    return quaternionSelect(still, q, turned);
}

// one Newton step of the lanes that are not done; false when all are
SIMD_INLINE bool stepVector(Group *group, int vector, double limit)
{
    Quaternion q = vectorQuaternion(group, vector), next = q;
    Slope s = slopeAt(vectorMatrix(group, vector), q);
    LongWide done;
    memcpy(&done, group->done[vector], sizeof done);
    LongWide near = vecWideDot(s.step, s.step) * s.cube <= limit * s.det * s.det * s.det;
    near &= s.definite & (s.det >= GAP * s.cube) & ~done;
    LongWide far = ~(near | done);
    bool unfinished = wideAny(far);
    if (unfinished)
        next = quaternionSelect(far, farStep(&s, q), next);
    if (wideAny(near))
        next = quaternionSelect(near, nearStep(&s, q), next);
    done |= near;
    setQuaternion(group, vector, next);
    memcpy(group->done[vector], &done, sizeof done);
    return unfinished;
}

// the rotation by SVD for the lanes of a vector that did not arrive
static void repairVector(Group *group, int vector)
{
    for (int lane = 0; lane < WIDE; ++lane)
    {
        if (group->done[vector][lane])
            continue;
        Mat3 matrix;
        for (int i = 0; i < 9; ++i)
            matrix.m[i % 3][i / 3] = group->f[vector][i * WIDE + lane];
        Mat3 r = nearestRotation(&matrix);
        double q[4];
        quaternionOf(&r, q);
        for (int i = 0; i < 4; ++i)
            group->q[vector][i * WIDE + lane] = q[i];
    }
}

// from the start to the nearest rotations
static void turnGroup(Group *group, int vectorCount, double limit)
{
    int active[VECTOR_LIMIT], count = vectorCount;
    for (int vector = 0; vector < vectorCount; ++vector)
        active[vector] = vector;
    for (int iteration = 0; iteration < ITERATION_LIMIT && count > 0; ++iteration)
    {
        int left = 0;
        for (int i = 0; i < count; ++i)
        {
            int vector = active[i];
            active[left] = vector;
            left += stepVector(group, vector, limit);
        }
        count = left;
    }
    for (int i = 0; i < count; ++i)
        repairVector(group, active[i]);
}

// ---- elements -------------------------------------------------------------------------------------------------------

// F of the WIDE tets from `lane` on
SIMD_INLINE Matrix deformation(const Energy *energy, int block, int lane, const double *x)
{
    const int *vertices = laneVertices(energy, block) + lane;
    const double *inverse = laneParams(energy, block) + TET_INVERSE * LANES + lane;
    Vec3Wide origin = vecWideGather(x, vertices);
    Matrix edges = { vecWideSub(vecWideGather(x, vertices + LANES), origin),
                     vecWideSub(vecWideGather(x, vertices + 2 * LANES), origin),
                     vecWideSub(vecWideGather(x, vertices + 3 * LANES), origin) };
    return (Matrix){ deformedColumn(edges, inverse), deformedColumn(edges, inverse + LANES),
                     deformedColumn(edges, inverse + 2 * LANES) };
}

// a lane of the energy's arrays by vector of a group that starts at block `first`
typedef struct Place
{
    int block, lane;
} Place;

SIMD_INLINE Place placeOf(int first, int vector)
{
    return (Place){ first + vector / (LANES / WIDE), vector % (LANES / WIDE) * WIDE };
}

// F and nearest rotations at x of the blocks [first, first + GROUP) before `end`; returns the vectors
SIMD_INLINE int turnBlocks(Group *group, const Energy *energy, const double *x, int first, int end, double limit)
{
    int count = minInt(GROUP, end - first) * (LANES / WIDE);
    for (int vector = 0; vector < count; ++vector)
    {
        Place p = placeOf(first, vector);
        setVector(group, vector, deformation(energy, p.block, p.lane, x), laneKept(energy, p.block) + p.lane);
    }
    turnGroup(group, count, limit);
    return count;
}

// tr(R^T F - I)
SIMD_INLINE DoubleWide volumetric(Matrix r, Matrix f)
{
    return (vecWideDot(r.a, f.a) - 1) + (vecWideDot(r.b, f.b) - 1) + (vecWideDot(r.c, f.c) - 1);
}

// T g with g the shape gradient whose three numbers start at `row`
SIMD_INLINE Vec3Wide cornerForce(Matrix t, const double *row)
{
    Vec3Wide sum = vecWideScale(wideLoad(row), t.a);
    sum = vecWideAdd(sum, vecWideScale(wideLoad(row + LANES), t.b));
    return vecWideAdd(sum, vecWideScale(wideLoad(row + 2 * LANES), t.c));
}

// slots of the four corners: T g_c; corner 0 is minus the others, so the sum is zero
SIMD_INLINE void storeStress(Energy *energy, Place p, Matrix t)
{
    const double *inverse = laneParams(energy, p.block) + TET_INVERSE * LANES + p.lane;
    double *slots = elementSlots(energy, p.block * LANES + p.lane);
    Vec3Wide f1 = cornerForce(t, inverse), f2 = cornerForce(t, inverse + 3 * LANES);
    Vec3Wide f3 = cornerForce(t, inverse + 6 * LANES), zero = { wideSet(0), wideSet(0), wideSet(0) };
    Vec3Wide f0 = vecWideSub(vecWideSub(vecWideSub(zero, f1), f2), f3);
    wideStoreQuads(slots, 12, f0.x, f0.y, f0.z, f1.x);
    wideStoreQuads(slots + 4, 12, f1.y, f1.z, f2.x, f2.y);
    wideStoreQuads(slots + 8, 12, f2.z, f3.x, f3.y, f3.z);
}

// ---- lines ----------------------------------------------------------------------------------------------------------

SIMD_INLINE void matrixStore(double *p, Matrix a)
{
    vecWideStore(p, a.a);
    vecWideStore(p + 3 * LANES, a.b);
    vecWideStore(p + 6 * LANES, a.c);
}

// column of F + alpha dF
SIMD_INLINE Vec3Wide lineColumn(const double *line, DoubleWide alpha)
{
    return vecWideAdd(vecWideLoad(line), vecWideScale(alpha, vecWideLoad(line + 9 * LANES)));
}

#endif
