// Bending by angle and hinges, WIDE at a time (the energy is in dihedral.c). The features are the three edges from
// corner 0: the common edge e, then a and b to the vertices across.
#include "energy/feature.h"
#include "energy/spectral_wide.h"

#define SHAPE ((FeatureShape){ 3, 4, FEATURE_EDGES })

typedef struct HingeWide
{
    DoubleWide phi;    // 2 sin(theta/2)
    Vec3Wide slope[3]; // d phi by the edges
} HingeWide;

// what unit vectors and their shares come to where there is nothing to divide by
SIMD_INLINE DoubleWide inverseOr0(DoubleWide a)
{
    LongWide ok = a > wideSet(0);
    return wideSelect(ok, 1 / wideSelect(ok, a, wideSet(1)), wideSet(0));
}

// phi = -sqrt 2 |e| det / sqrt(N (N + n1.n2)), N = |n1| |n2|: as hingeOf in dihedral.c; d theta is -|e| / |n| along the
// unit normals for a and b, and what e gets is minus their shares along it
SIMD_INLINE HingeWide hingeOf(const Vec3Wide *z)
{
    HingeWide h;
    Vec3Wide e = z[0], a = z[1], b = z[2], n1 = vecWideCross(e, a), n2 = vecWideCross(b, e);
    DoubleWide zero = wideSet(0), one = wideSet(1), square = vecWideDot(e, e), length = wideSqrt(square);
    DoubleWide l1 = wideSqrt(vecWideDot(n1, n1)), l2 = wideSqrt(vecWideDot(n2, n2)), n = l1 * l2;
    DoubleWide folded = n * wideMax(n + vecWideDot(n1, n2), 1e-14 * n);
    LongWide ok = folded > zero;
    DoubleWide top = -1.4142135623730951 * length * vecWideDot(e, vecWideCross(a, b));
    DoubleWide phi = wideSelect(ok, top / wideSqrt(wideSelect(ok, folded, one)), zero);
    h.phi = wideMax(wideSet(-2), wideMin(wideSet(2), phi));
    DoubleWide cosHalf = wideSqrt(wideMax(zero, 1 - 0.25 * h.phi * h.phi));
    DoubleWide inverse = inverseOr0(square), i1 = inverseOr0(l1), i2 = inverseOr0(l2), turn = -cosHalf * length;
    h.slope[1] = vecWideScale(turn * i1 * i1, n1);
    h.slope[2] = vecWideScale(turn * i2 * i2, n2);
    Vec3Wide first = vecWideScale(vecWideDot(a, e) * inverse, h.slope[1]);
    Vec3Wide second = vecWideScale(vecWideDot(b, e) * inverse, h.slope[2]);
    h.slope[0] = vecWideSub((Vec3Wide){ -first.x, -first.y, -first.z }, second);
    return h;
}

// phi less what is free; `params` of elements or constants of the sweep, which begin alike
SIMD_INLINE DoubleWide beyond(const double *params, DoubleWide phi)
{
    DoubleWide low = wideLoad(params + HINGE_LOW * LANES), high = wideLoad(params + HINGE_HIGH * LANES);
    return phi - wideMax(low, wideMin(high, phi));
}

SIMD_INLINE DoubleWide hingeLaw(const double *params, const Vec3Wide *z, Vec3Wide *slope)
{
    HingeWide h = hingeOf(z);
    DoubleWide stiffness = wideLoad(params), off = beyond(params, h.phi);
    for (int k = 0; k < 3; ++k)
        slope[k] = vecWideScale(stiffness * off, h.slope[k]);
    return 0.5 * stiffness * off * off;
}

FEATURE_LOOPS(hinge, hingeLaw, SHAPE)

// C = phi beyond what is free, compliance 1/k (Macklin 2019, Eq 4)
SIMD_INLINE void sweepHinges(SweepPlan *plan, const SweepContext *context, int batch, int lane)
{
    const int *vertices = batchVertices(plan, batch) + lane;
    const double *constants = batchConstants(plan, batch) + lane;
    double *lambda = batchLambda(plan, batch) + lane;
    DoubleWide x[4][4], zero = wideSet(0), compliance = wideLoad(constants + HINGE_COMPLIANCE * LANES);
    Vec3Wide z[3], push[4];
    for (int c = 0; c < 4; ++c)
        wideLoadRows(context->row, vertices + c * LANES, x[c]);
    for (int c = 1; c < 4; ++c)
        z[c - 1] = (Vec3Wide){ x[c][0] - x[0][0], x[c][1] - x[0][1], x[c][2] - x[0][2] };
    HingeWide h = hingeOf(z);
    DoubleWide before = context->again ? wideLoad(lambda) : zero;
    DoubleWide error = beyond(constants, h.phi) + compliance * before, sum = zero;
    push[0] = (Vec3Wide){ zero, zero, zero };
    for (int c = 1; c < 4; ++c)
    {
        push[c] = h.slope[c - 1];
        push[0] = vecWideSub(push[0], push[c]);
    }
    for (int c = 0; c < 4; ++c)
        sum += x[c][3] * vecWideDot(push[c], push[c]);
    // sweepSharpened
    LongWide sharp = compliance > zero;
    DoubleWide less = compliance + wideLoad(constants + HINGE_OVERLAP * LANES) * sum;
    sum += wideSelect(sharp, compliance * compliance / wideSelect(sharp, less, wideSet(1)), compliance);
    LongWide acts = (compliance >= zero) & (sum > zero);
    DoubleWide change = wideSelect(acts, -error / wideSelect(acts, sum, wideSet(1)), zero);
    if (context->keep)
        wideStore(lambda, before + change);
    for (int c = 0; c < 4; ++c)
    {
        DoubleWide share = x[c][3] * change;
        x[c][0] += share * push[c].x;
        x[c][1] += share * push[c].y;
        x[c][2] += share * push[c].z;
        wideStoreRows(context->row, vertices + c * LANES, x[c]);
    }
}

static void hingeBatches(SweepPlan *plan, const SweepContext *context, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        int batch = context->backward ? begin + end - 1 - i : i;
        for (int lane = 0; lane < plan->used[batch]; lane += WIDE)
            sweepHinges(plan, context, batch, lane);
    }
}

const ElementKernels KERNEL(dihedralKernels) = { hingeValues,     hingeGradient, hingeLineStart,
                                                 hingeLineValues, NULL,          hingeBatches };

// ---- the damper -----------------------------------------------------------------------------------------------------

SIMD_INLINE DoubleWide rateLaw(const double *params, const Vec3Wide *z, Vec3Wide *slope)
{
    return frozenLaw(params, HINGE_FROZEN, z, slope);
}

FEATURE_TABLE(dihedralDamperKernels, rateLaw, SHAPE)

// 1: d phi squared over the majorizer, at most. d phi = a (x) m + b (x) n + rest, a and b the rows of the majorizer:
// |m|^2 + |n|^2 + |rest|^2 / what it has in all directions bounds it.
SIMD_INLINE DoubleWide slopeBound(const double *params, const Vec3Wide *slope)
{
    DoubleWide zero = wideSet(0), one = wideSet(1), aa = zero, bb = zero, ab = zero, sum = zero;
    Vec3Wide g[4] = { { zero, zero, zero }, slope[0], slope[1], slope[2] }, ga = g[0], gb = g[0];
    for (int c = 1; c < 4; ++c)
        g[0] = vecWideSub(g[0], g[c]);
    for (int c = 0; c < 4; ++c)
    {
        DoubleWide a = wideLoad(params + (HINGE_ROWS + c) * LANES), b = wideLoad(params + (HINGE_ROWS + 4 + c) * LANES);
        aa += a * a;
        bb += b * b;
        ab += a * b;
        ga = vecWideAdd(ga, vecWideScale(a, g[c]));
        gb = vecWideAdd(gb, vecWideScale(b, g[c]));
    }
    DoubleWide det = aa * bb - ab * ab;
    LongWide both = det > 1e-6 * aa * bb;
    DoubleWide inverse = 1 / wideSelect(both, det, wideSelect(aa > zero, aa, one));
    Vec3Wide m = vecWideScale(inverse, vecWideSelect(both, vecWideSub(vecWideScale(bb, ga), vecWideScale(ab, gb)), ga));
    Vec3Wide n = vecWideScale(wideSelect(both, inverse, zero), vecWideSub(vecWideScale(aa, gb), vecWideScale(ab, ga)));
    for (int c = 0; c < 4; ++c)
    {
        DoubleWide a = wideLoad(params + (HINGE_ROWS + c) * LANES), b = wideLoad(params + (HINGE_ROWS + 4 + c) * LANES);
        Vec3Wide rest = vecWideSub(g[c], vecWideAdd(vecWideScale(a, m), vecWideScale(b, n)));
        sum += vecWideDot(rest, rest);
    }
    return vecWideDot(m, m) + vecWideDot(n, n) + sum * inverseOr0(wideLoad(params + (HINGE_ROWS + 8) * LANES));
}

static void freezeHinges(Energy *energy, const double *x, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; i += WIDE)
    {
        Vec3Wide z[3];
        double *params = laneParams(energy, i / LANES) + i % LANES;
        featureRows(energy, i / LANES, i % LANES, x, SHAPE, z);
        HingeWide h = hingeOf(z);
        DoubleWide one = wideSet(1), bound = slopeBound(params, h.slope);
        DoubleWide scale = 1 / wideSqrt(wideSelect(bound > one, bound, one));
        for (int k = 0; k < 3; ++k)
            vecWideStore(params + (HINGE_FROZEN + 3 * k) * LANES, vecWideScale(scale, h.slope[k]));
    }
}

const FreezeKernels KERNEL(dihedralFreezes) = { freezeHinges };
