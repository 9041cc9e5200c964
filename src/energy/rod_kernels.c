// Bending and twist of rods, WIDE at a time (the energy is in rod.c). The features are the edges from corner 0, where
// the segments meet: to their other ends, then to the vertices beside them.
#include "energy/feature.h"
#include "energy/spectral_wide.h"

#define SHAPE ((FeatureShape){ 4, 5, FEATURE_EDGES })

typedef struct FrameWide
{
    Vec3Wide d[3];             // d1, d2, t
    DoubleWide length, across; // 1/m: inverse of the length of the segment, of the distance of the vertex beside it
    DoubleWide lean;           // m: how far along t that vertex is from the middle
} FrameWide;

typedef struct RodWide
{
    FrameWide frame[2];
    Vec3Wide a[3], b[3];
} RodWide;

SIMD_INLINE DoubleWide inverseOr0(DoubleWide a)
{
    LongWide ok = a > wideSet(0);
    return wideSelect(ok, 1 / wideSelect(ok, a, wideSet(1)), wideSet(0));
}

SIMD_INLINE FrameWide frameOf(Vec3Wide along, Vec3Wide side)
{
    FrameWide f;
    f.length = inverseOr0(wideSqrt(vecWideDot(along, along)));
    f.d[2] = vecWideScale(f.length, along);
    f.lean = vecWideDot(side, f.d[2]);
    Vec3Wide across = vecWideSub(side, vecWideScale(f.lean, f.d[2]));
    f.across = inverseOr0(wideSqrt(vecWideDot(across, across)));
    f.d[0] = vecWideScale(f.across, across);
    f.d[1] = vecWideCross(f.d[2], f.d[0]);
    return f;
}

// sum of three vectors d_j, each times number `first` + `step` j of the turn
SIMD_INLINE Vec3Wide turned(const double *params, int first, int step, const Vec3Wide *d)
{
    const double *turn = params + (ROD_TURN + first) * LANES;
    Vec3Wide sum = vecWideScale(wideLoad(turn), d[0]);
    sum = vecWideAdd(sum, vecWideScale(wideLoad(turn + step * LANES), d[1]));
    return vecWideAdd(sum, vecWideScale(wideLoad(turn + 2 * step * LANES), d[2]));
}

// `params` of elements or constants of the sweep, which begin alike
SIMD_INLINE RodWide rodOf(const double *params, const Vec3Wide *z)
{
    RodWide rod;
    DoubleWide half = wideSet(-0.5);
    rod.frame[0] = frameOf(vecWideScale(wideSet(-1), z[0]), vecWideAdd(z[2], vecWideScale(half, z[0])));
    rod.frame[1] = frameOf(z[1], vecWideAdd(z[3], vecWideScale(half, z[1])));
    for (int i = 0; i < 3; ++i)
    {
        rod.a[i] = turned(params, i, 3, rod.frame[0].d);
        rod.b[i] = turned(params, 3 * i, 1, rod.frame[1].d);
    }
    return rod;
}

// what a torque on the second frame, and against it on the first, is on the edges
SIMD_INLINE void torqueSlopes(const RodWide *rod, Vec3Wide torque, Vec3Wide *slope)
{
    for (int k = 0; k < 2; ++k)
    {
        const FrameWide *f = &rod->frame[k];
        Vec3Wide push = k == 0 ? vecWideScale(wideSet(-1), torque) : torque;
        DoubleWide twist = f->across * vecWideDot(push, f->d[2]);
        Vec3Wide side = vecWideScale(twist, f->d[1]);
        Vec3Wide along = vecWideSub(vecWideCross(push, f->d[2]), vecWideScale(f->lean, side));
        along = vecWideScale(k == 0 ? -f->length : f->length, along);
        slope[k] = vecWideSub(along, vecWideScale(wideSet(0.5), side));
        slope[2 + k] = side;
    }
}

// value and torque on the second frame, over the stiffness
SIMD_INLINE DoubleWide rodTorque(const double *params, const RodWide *rod, Vec3Wide *torque)
{
    DoubleWide bend = wideLoad(params + ROD_BEND * LANES), half = 0.5 * wideLoad(params + ROD_TWIST * LANES);
    DoubleWide q = wideSet(0), c = wideSet(0), zero = wideSet(0);
    Vec3Wide turn[3];
    for (int i = 0; i < 3; ++i)
    {
        Vec3Wide apart = vecWideSub(rod->b[i], rod->a[i]);
        DoubleWide square = vecWideDot(apart, apart);
        turn[i] = vecWideCross(rod->a[i], apart);
        c += 0.25 * square;
        q += 0.5 * (i < 2 ? half : bend - half) * square;
    }
    *torque = (Vec3Wide){ zero, zero, zero };
    for (int i = 0; i < 3; ++i)
    {
        DoubleWide k = (i < 2 ? half : bend - half) * (1 + c / 6) + q / 12;
        *torque = vecWideAdd(*torque, vecWideScale(k, turn[i]));
    }
    return q * (1 + c / 6);
}

SIMD_INLINE DoubleWide rodLaw(const double *params, const Vec3Wide *z, Vec3Wide *slope)
{
    Vec3Wide torque;
    RodWide rod = rodOf(params, z);
    DoubleWide stiffness = wideLoad(params), value = rodTorque(params, &rod, &torque);
    torqueSlopes(&rod, vecWideScale(stiffness, torque), slope);
    return stiffness * value;
}

FEATURE_LOOPS(rod, rodLaw, SHAPE)

// ---- the sweep ------------------------------------------------------------------------------------------------------

// x of (W + compliance) x = right, W symmetric: xx yy zz xy xz yz
SIMD_INLINE void solveThree(const DoubleWide *w, const DoubleWide *right, DoubleWide *x)
{
    DoubleWide zero = wideSet(0), one = wideSet(1);
    DoubleWide xx = w[1] * w[2] - w[5] * w[5], xy = w[4] * w[5] - w[3] * w[2], xz = w[3] * w[5] - w[4] * w[1];
    DoubleWide yy = w[0] * w[2] - w[4] * w[4], yz = w[3] * w[4] - w[0] * w[5], zz = w[0] * w[1] - w[3] * w[3];
    DoubleWide det = w[0] * xx + w[3] * xy + w[4] * xz;
    LongWide ok = det > zero;
    DoubleWide inverse = wideSelect(ok, 1 / wideSelect(ok, det, one), zero);
    x[0] = inverse * (xx * right[0] + xy * right[1] + xz * right[2]);
    x[1] = inverse * (xy * right[0] + yy * right[1] + yz * right[2]);
    x[2] = inverse * (xz * right[0] + yz * right[1] + zz * right[2]);
}

// how the three strains, in the axes a, change by the corners
SIMD_INLINE void strainSlopes(const RodWide *rod, Vec3Wide push[3][5])
{
    for (int k = 0; k < 3; ++k)
    {
        torqueSlopes(rod, rod->a[k], push[k] + 1);
        push[k][0] = vecWideScale(wideSet(-1), push[k][1]);
        for (int c = 2; c < 5; ++c)
            push[k][0] = vecWideSub(push[k][0], push[k][c]);
    }
}

// Three constraints at once, C_k = torque / stiffness about axis a_k, compliance 1/k (Macklin 2019, Eq 4)
SIMD_INLINE void sweepRods(SweepPlan *plan, const SweepContext *context, int batch, int lane)
{
    const int *vertices = batchVertices(plan, batch) + lane;
    const double *constants = batchConstants(plan, batch) + lane;
    double *lambda = batchLambda(plan, batch) + lane;
    DoubleWide x[5][4], zero = wideSet(0), one = wideSet(1), right[3], w[6], change[3];
    Vec3Wide z[4], push[3][5], torque;
    for (int c = 0; c < 5; ++c)
        wideLoadRows(context->row, vertices + c * LANES, x[c]);
    for (int c = 1; c < 5; ++c)
        z[c - 1] = (Vec3Wide){ x[c][0] - x[0][0], x[c][1] - x[0][1], x[c][2] - x[0][2] };
    RodWide rod = rodOf(constants, z);
    rodTorque(constants, &rod, &torque);
    strainSlopes(&rod, push);
    for (int k = 0; k < 6; ++k)
    {
        int i = k < 3 ? k : k < 5 ? 0 : 1, j = k < 3 ? k : k == 3 ? 1 : 2;
        w[k] = zero;
        for (int c = 0; c < 5; ++c)
            w[k] += x[c][3] * vecWideDot(push[i][c], push[j][c]);
    }
    for (int k = 0; k < 3; ++k)
    {
        DoubleWide share = wideLoad(constants + (k < 2 ? ROD_BEND : ROD_TWIST) * LANES);
        DoubleWide compliance = wideLoad(constants + (ROD_COMPLIANCE + (k == 2)) * LANES);
        LongWide acts = compliance >= zero, sharp = compliance > zero;
        DoubleWide before = context->again ? wideLoad(lambda + k * LANES) : zero;
        DoubleWide strain = vecWideDot(torque, rod.a[k]) / wideSelect(share > zero, share, one);
        right[k] = wideSelect(acts, -strain - compliance * before, zero);
        // sweepSharpened
        DoubleWide less = compliance + wideLoad(constants + ROD_OVERLAP * LANES) * w[k];
        DoubleWide soft = wideSelect(sharp, compliance * compliance / wideSelect(sharp, less, one), zero);
        w[k] = wideSelect(acts, w[k] + soft, w[k] + 1e30 * (w[k] + 1));
    }
    solveThree(w, right, change);
    for (int k = 0; k < 3; ++k)
    {
        DoubleWide before = context->again ? wideLoad(lambda + k * LANES) : zero;
        if (context->keep)
            wideStore(lambda + k * LANES, before + change[k]);
        for (int c = 0; c < 5; ++c)
        {
            DoubleWide share = x[c][3] * change[k];
            x[c][0] += share * push[k][c].x;
            x[c][1] += share * push[k][c].y;
            x[c][2] += share * push[k][c].z;
        }
    }
    for (int c = 0; c < 5; ++c)
        wideStoreRows(context->row, vertices + c * LANES, x[c]);
}

static void rodBatches(SweepPlan *plan, const SweepContext *context, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        int batch = context->backward ? begin + end - 1 - i : i;
        for (int lane = 0; lane < plan->used[batch]; lane += WIDE)
            sweepRods(plan, context, batch, lane);
    }
}

const ElementKernels KERNEL(rodKernels) = { rodValues, rodGradient, rodLineStart, rodLineValues, NULL, rodBatches };

// ---- the damper -----------------------------------------------------------------------------------------------------

SIMD_INLINE DoubleWide rateLaw(const double *params, const Vec3Wide *z, Vec3Wide *slope)
{
    DoubleWide value = wideSet(0);
    for (int r = 0; r < 4; ++r)
        slope[r] = (Vec3Wide){ wideSet(0), wideSet(0), wideSet(0) };
    for (int k = 0; k < 3; ++k)
    {
        DoubleWide weight = wideLoad(params) * wideLoad(params + (k < 2 ? ROD_BEND : ROD_TWIST) * LANES);
        DoubleWide rate = wideSet(0);
        for (int r = 0; r < 4; ++r)
            rate += vecWideDot(vecWideLoad(params + (ROD_FROZEN + 12 * k + 3 * r) * LANES), z[r]);
        for (int r = 0; r < 4; ++r)
            slope[r] = vecWideAdd(
                slope[r], vecWideScale(weight * rate, vecWideLoad(params + (ROD_FROZEN + 12 * k + 3 * r) * LANES)));
        value += 0.5 * weight * rate * rate;
    }
    return value;
}

FEATURE_TABLE(rodDamperKernels, rateLaw, SHAPE)

// 1: the rates squared over the majorizer, at most: frames that are turned against each other, and what is shorter or
// nearer than at rest
SIMD_INLINE DoubleWide rateBound(const double *params, const RodWide *rod)
{
    DoubleWide one = wideSet(1), trace = wideSet(-1), bound = one;
    for (int i = 0; i < 3; ++i)
        trace += vecWideDot(rod->frame[0].d[i], rod->frame[1].d[i]);
    DoubleWide sinHalf = wideSqrt(wideMax(wideSet(0), 0.25 * (2 - trace))); // trace: 2 cos of the angle
    DoubleWide mixed = wideMin(one, 2 * sinHalf), allowed = wideLoad(params + ROD_SUMS * LANES);
    for (int k = 0; k < 2; ++k)
    {
        DoubleWide length = wideLoad(params + (ROD_SIZES + k) * LANES) * rod->frame[k].length;
        DoubleWide across = wideLoad(params + (ROD_SIZES + 2 + k) * LANES) * rod->frame[k].across;
        bound = wideMax(bound, wideMax(length * length, across * across));
    }
    DoubleWide more = (1 + mixed) * wideMax(one, mixed / allowed);
    return bound * wideSelect(mixed > allowed, more * (1 + mixed), one);
}

static void freezeRods(Energy *energy, const double *x, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; i += WIDE)
    {
        Vec3Wide z[4], slope[4];
        double *params = laneParams(energy, i / LANES) + i % LANES;
        featureRows(energy, i / LANES, i % LANES, x, SHAPE, z);
        RodWide rod = rodOf(params, z);
        DoubleWide scale = 0.5 / wideSqrt(rateBound(params, &rod));
        for (int k = 0; k < 3; ++k)
        {
            torqueSlopes(&rod, vecWideScale(scale, vecWideAdd(rod.a[k], rod.b[k])), slope);
            for (int r = 0; r < 4; ++r)
                vecWideStore(params + (ROD_FROZEN + 12 * k + 3 * r) * LANES, slope[r]);
        }
    }
}

const FreezeKernels KERNEL(rodFreezes) = { freezeRods };
