// Bending and twist of a rod where two of its segments meet. A segment has a material frame: its direction t, then the
// direction d1 to the vertex beside it as far as it is across t, then d2 = t x d1. With S half the turn from the first
// frame to the second at rest, a = first frame S and b = second frame S^T are the same frame at rest, and
//
//   E = q (1 + c / 6),   q = sum k_i/2 |a_i - b_i|^2,   c = 1/4 sum |a_i - b_i|^2 = 1 - cos(angle between them)
//
// with k_1 = k_2 = C/2 and k_3 = B - C/2 (over the length that the vertex stands for, half of each segment) is
// 1/2 (B (s_1^2 + s_2^2) + C s_3^2), s the rotation vector from a to b in their own axes, but for terms of its sixth
// power: B = E I bends, C = G J twists. The strains are invariant, smooth and bounded: what is folded onto itself or
// twisted by half a turn between two segments has a finite energy, and slips beyond.
//
// Only directions of frames enter: vertices beside the rod are pushed around it, never along or away from it. Both
// frames feel opposite torques T = sum k'_i a_i x b_i.
//
// Corners: the vertex where they meet, the other ends of the first and of the second segment, the vertices beside them.
//
// Its damper is beta/2 (B (w_1^2 + w_2^2) + C w_3^2), w the difference of the angular velocities of the frames in their
// mean axes, frozen where `begin` says (damper.c).
#include "energy/spectral.h"

#define JET_SIZE 6
#include "base/quaternion.h"
#include "energy/jet.h"
#include "energy/kernels.h"
#include "energy/yield.h"

#include <stdio.h>
#include <string.h>

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(rodKernels);
static const ElementKernels *const rateKernels[ISA_COUNT] = KERNELS_BY_ISA(rodDamperKernels);

#define BOUND 1.1      // of the majorizer over what it bounds at rest
#define RATE_SHARE 0.3 // of the rows of sums over those of differences, in the majorizer of the damper at least

enum RodVector // what the frames are made of: directions of the segments, and to the vertices beside their middles
{
    FIRST,
    FIRST_SIDE,
    SECOND,
    SECOND_SIDE,
    ROD_VECTORS
};

static const double corners[ROD_VECTORS][5] = {
    { 1, -1, 0, 0, 0 }, { -0.5, -0.5, 0, 1, 0 }, { -1, 0, 1, 0, 0 }, { -0.5, 0, -0.5, 0, 1 }
};

typedef struct Frames
{
    Vec3 vector[ROD_VECTORS];
    Mat3 frame[2];      // columns d1, d2, t
    double length[2];   // of the segments
    double distance[2]; // of the vertices beside them from their lines
    bool regular;       // nothing has collapsed
} Frames;

static Frames framesAt(const Energy *energy, int element, const double *x)
{
    Frames f = { .regular = true };
    const int *v = laneVertices(energy, element / LANES);
    Vec3 origin = laneLoad(v, 0, element % LANES, x);
    for (int c = 1; c < 5; ++c)
    {
        Vec3 edge = vecSub(laneLoad(v, c, element % LANES, x), origin);
        for (int k = 0; k < ROD_VECTORS; ++k)
            f.vector[k] = vecAdd(f.vector[k], vecScale(corners[k][c], edge));
    }
    for (int k = 0; k < 2; ++k)
    {
        Vec3 along = f.vector[2 * k], side = f.vector[2 * k + 1];
        f.length[k] = vecLength(along);
        Vec3 t = f.length[k] > 0 ? vecScale(1 / f.length[k], along) : vec3(0, 0, 0);
        Vec3 across = vecSub(side, vecScale(vecDot(side, t), t));
        f.distance[k] = vecLength(across);
        f.regular &= f.length[k] > 0 && f.distance[k] > 1e-9 * vecLength(side);
        Vec3 d1 = f.distance[k] > 0 ? vecScale(1 / f.distance[k], across) : vec3(0, 0, 0), d2 = vecCross(t, d1);
        f.frame[k] = (Mat3){ { { d1.x, d2.x, t.x }, { d1.y, d2.y, t.y }, { d1.z, d2.z, t.z } } };
    }
    return f;
}

Mat3 rodHalf(const Mat3 *turn)
{
    vvQuat q = quatOfMatrix(turn);
    double sign = q.w < 0 ? -1 : 1;
    bool none = fabs(q.x) < 1e-13 && fabs(q.y) < 1e-13 && fabs(q.z) < 1e-13;
    q = quatNormalized((vvQuat){ 1 + sign * q.w, sign * q.x, sign * q.y, sign * q.z });
    return none ? matIdentity() : quatMatrix(q);
}

static Mat3 turnOf(const Frames *f)
{
    Mat3 back = matTranspose(&f->frame[0]);
    return matMultiply(&back, &f->frame[1]);
}

bool rodTurn(const Energy *energy, int element, const double *x, Mat3 *turn)
{
    Frames f = framesAt(energy, element, x);
    *turn = turnOf(&f);
    return f.regular;
}

// Rows of differences and sums of the rates of the segments, and of those of the sides: t1 x r1 - t0 x r0 =
// m x (r1 - r0) + n x (r1 + r0) with m and n half the sum and difference of t, likewise for the twist
static void prepareBound(const Frames *f, double *params, double turned, double least)
{
    double mix = minReal(1, 2 * turned), excess = BOUND * (1 + mix) * (1 + mix);
    double share[2] = { params[ROD_BEND * LANES], params[ROD_TWIST * LANES] }, sums = maxReal(mix, least);
    params[ROD_SUMS * LANES] = sums;
    for (int k = 0; k < 2; ++k)
    {
        double weight = excess * (share[k] + mix * (1 - share[k]));
        const double *scale = k == 0 ? f->length : f->distance;
        params[(ROD_SIZES + 2 * k) * LANES] = scale[0];
        params[(ROD_SIZES + 2 * k + 1) * LANES] = scale[1];
        for (int c = 0; c < 5; ++c)
        {
            double *row = params + (ROD_BOUND + 10 * k + c) * LANES;
            double first = corners[k][c] / scale[0], second = corners[2 + k][c] / scale[1];
            row[0] = sqrt(weight) * (second - first);
            row[5 * LANES] = sqrt(sums * weight) * (second + first);
        }
    }
}

static void prepareLeast(Energy *energy, const Recipe *recipe, double least)
{
    double stiffest = maxReal(recipe->bend, recipe->twist);
    for (int i = 0; i < energy->blockCount * LANES; ++i)
    {
        double *params = laneParams(energy, i / LANES) + i % LANES;
        Frames f = framesAt(energy, i, recipe->rest);
        Mat3 turn = turnOf(&f), half = rodHalf(&turn);
        params[ROD_STIFFNESS] = recipeStrength(energy, i, recipe) * stiffest / (0.5 * (f.length[0] + f.length[1]));
        params[ROD_BEND * LANES] = stiffest > 0 ? recipe->bend / stiffest : 0;
        params[ROD_TWIST * LANES] = stiffest > 0 ? recipe->twist / stiffest : 0;
        for (int k = 0; k < 9; ++k)
            params[(ROD_TURN + k) * LANES] = half.m[k / 3][k % 3];
        double cosHalf = 0.5 * (half.m[0][0] + half.m[1][1] + half.m[2][2] - 1); // of the angle of S
        prepareBound(&f, params, sqrt(maxReal(0, 1 - cosHalf * cosHalf)), least);
    }
}

static void prepare(Energy *energy, const Recipe *recipe)
{
    prepareLeast(energy, recipe, 0);
}

// ---- second derivatives ---------------------------------------------------------------------------------------------

// the 9 numbers of a frame, column by column, by its segment and its side
static void jetFrame(const Vec3 *vector, Jet out[9])
{
    double at[6];
    vecStore(at, vector[0]);
    vecStore(at + 3, vector[1]);
    Jet x[6], across[3], *d1 = out, *d2 = out + 3, *t = out + 6;
    for (int k = 0; k < 6; ++k)
        x[k] = jetVariable(at[k], k);
    Jet inverse = jetInverse(jetRoot(jetDot(x, x)));
    for (int k = 0; k < 3; ++k)
        t[k] = jetProduct(inverse, x[k]);
    Jet along = jetDot(x + 3, t);
    for (int k = 0; k < 3; ++k)
        across[k] = jetSum(1, x[3 + k], -1, jetProduct(along, t[k]));
    inverse = jetInverse(jetRoot(jetDot(across, across)));
    for (int k = 0; k < 3; ++k)
        d1[k] = jetProduct(inverse, across[k]);
    jetCross(t, d1, d2);
}

typedef struct Strained
{
    double value[9];     // a_i - b_i, column by column
    double slope[9][12]; // by the four vectors
} Strained;

static double turnAt(const double *params, int k, int i, int j) // a_i = sum of S_ji d_j, b_i = sum of S_ij d_j
{
    return params[(ROD_TURN + (k == 0 ? 3 * j + i : 3 * i + j)) * LANES];
}

static Strained strainedOf(const double *params, Jet frame[2][9])
{
    Strained s = { 0 };
    for (int i = 0; i < 9; ++i)
    {
        for (int j = 0; j < 6; ++j)
        {
            int k = j / 3;
            double weight = (k == 0 ? 1 : -1) * turnAt(params, k, i / 3, j % 3);
            const Jet *jet = &frame[k][3 * (j % 3) + i % 3];
            s.value[i] += weight * jet->v;
            for (int n = 0; n < 6; ++n)
                s.slope[i][6 * k + n] += weight * jet->g[n];
        }
    }
    return s;
}

// by the four vectors, 12 x 12
static void vectorHessian(const double *params, Jet frame[2][9], double *out)
{
    Strained s = strainedOf(params, frame);
    double bend = params[ROD_BEND * LANES], twist = params[ROD_TWIST * LANES], q = 0, c = 0, pull[9], matrix[9][12];
    const double k[3] = { 0.5 * twist, 0.5 * twist, bend - 0.5 * twist };
    for (int i = 0; i < 9; ++i)
    {
        q += 0.5 * k[i / 3] * s.value[i] * s.value[i];
        c += 0.25 * s.value[i] * s.value[i];
    }
    for (int i = 0; i < 9; ++i)
        pull[i] = (k[i / 3] * (1 + c / 6) + q / 12) * s.value[i];
    double kd[12] = { 0 }, d[12] = { 0 };
    for (int n = 0; n < 12; ++n)
    {
        for (int i = 0; i < 9; ++i)
        {
            kd[n] += k[i / 3] * s.value[i] * s.slope[i][n];
            d[n] += s.value[i] * s.slope[i][n];
            matrix[i][n] = (k[i / 3] * (1 + c / 6) + q / 12) * s.slope[i][n];
        }
    }
    for (int row = 0; row < 12; ++row)
    {
        for (int column = 0; column < 12; ++column)
            out[12 * row + column] = (kd[row] * d[column] + d[row] * kd[column]) / 12;
        for (int i = 0; i < 9; ++i)
            for (int column = 0; column < 12; ++column)
                out[12 * row + column] += s.slope[i][row] * matrix[i][column];
    }
    for (int n = 0; n < 18; ++n) // what pulls at a number of a frame, times how it curves
    {
        int side = n / 9, j = n % 9 / 3;
        double weight = 0;
        for (int i = 0; i < 3; ++i)
            weight += (side == 0 ? 1 : -1) * turnAt(params, side, i, j) * pull[3 * i + n % 3];
        for (int row = 0; row < 6; ++row)
            for (int column = 0; column < 6; ++column)
                out[12 * (6 * side + row) + 6 * side + column] += weight * frame[side][n % 9].h[row][column];
    }
}

// out += A^T inner A of the vectors over the corners, 15 x 15
static void overCorners(const double *inner, double *out)
{
    double half[12][15] = { 0 };
    for (int k = 0; k < ROD_VECTORS; ++k)
    {
        for (int c = 0; c < 5; ++c)
        {
            if (corners[k][c] == 0)
                continue;
            for (int row = 0; row < 12; ++row)
                for (int a = 0; a < 3; ++a)
                    half[row][3 * c + a] += corners[k][c] * inner[12 * row + 3 * k + a];
        }
    }
    for (int k = 0; k < ROD_VECTORS * 5; ++k)
    {
        double weight = corners[k / 5][k % 5];
        if (weight == 0)
            continue;
        for (int a = 0; a < 3; ++a)
            for (int column = 0; column < 15; ++column)
                out[(3 * (k % 5) + a) * 15 + column] += weight * half[k / 5 * 3 + a][column];
    }
}

static void elementHessian(const Frames *f, const double *params, HessianMode mode, double *out)
{
    double inner[144], work[288], stiffness = params[ROD_STIFFNESS];
    Jet frame[2][9];
    memset(out, 0, 225 * sizeof(double));
    if (stiffness == 0 || !f->regular)
        return;
    jetFrame(f->vector, frame[0]);
    jetFrame(f->vector + 2, frame[1]);
    vectorHessian(params, frame, inner);
    for (int i = 0; i < 144; ++i)
        inner[i] =
            i / 12 < i % 12 ? inner[i % 12 * 12 + i / 12] = 0.5 * (inner[i] + inner[i % 12 * 12 + i / 12]) : inner[i];
    for (int i = 0; i < 144; ++i)
        inner[i] *= stiffness;
    if (mode == HESSIAN_SEMIDEFINITE)
        clampSymmetric(inner, 12, work);
    overCorners(inner, out);
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    for (int lane = 0; lane < LANES; ++lane)
    {
        Frames f = framesAt(energy, block * LANES + lane, x);
        elementHessian(&f, laneParams(energy, block) + lane, mode, out + lane * 225);
    }
}

static void majorizer(const Energy *energy, int block, double *out)
{
    for (int i = 0; i < LANES * 25; ++i)
    {
        int lane = i / 25, a = i % 25 / 5, b = i % 5;
        const double *params = laneParams(energy, block) + lane, *row = params + ROD_BOUND * LANES;
        double sum = 0;
        for (int k = 0; k < 4; ++k)
            sum += row[(5 * k + a) * LANES] * row[(5 * k + b) * LANES];
        out[i] = params[ROD_STIFFNESS] * sum;
    }
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    const int *v = laneVertices(energy, element / LANES) + element % LANES;
    Frames f = framesAt(energy, element, x);
    double bent = vecDot(f.vector[FIRST], f.vector[SECOND]) / (f.length[0] * f.length[1]);
    snprintf(text, size, "rod %d: vertex %d between %d and %d, vertices beside %d %d, cosine between segments %.4g",
             element, v[0], v[LANES], v[2 * LANES], v[3 * LANES], v[4 * LANES], bent);
}

// ---- the sweep ------------------------------------------------------------------------------------------------------

static void sweepConstants(const Energy *energy, int element, const SweepMass *mass, double h, double *out)
{
    const double *params = laneParams(energy, element / LANES) + element % LANES;
    for (int k = 0; k < ROD_BOUND; ++k)
        out[k] = params[k * LANES];
    for (int k = 0; k < 2; ++k)
    {
        double stiffness = params[ROD_STIFFNESS] * params[(ROD_BEND + k) * LANES];
        out[ROD_COMPLIANCE + k] = stiffness > 0 ? sweepCompliance(stiffness, h) : -1;
    }
    double shared = 0, whole = 0;
    for (int c = 0; c < 5; ++c)
    {
        double square = 0;
        for (int k = 0; k < 4; ++k)
            square += params[(ROD_BOUND + 5 * k + c) * LANES] * params[(ROD_BOUND + 5 * k + c) * LANES];
        shared += mass->overlap[c] * square;
        whole += mass->inverse[c] * square;
    }
    out[ROD_OVERLAP] = whole > 0 ? shared / whole : 0;
}

static const SweepKind rodSweep = {
    .rows = 3, .constantCount = ROD_CONSTANTS, .constants = sweepConstants, .batches = kernelBatches
};

const EnergyKind rodKind = {
    .name = "rod",
    .traits = TRAIT_INTERNAL | TRAIT_SWEEP,
    .column = COLUMN_ELASTIC,
    .corners = 5,
    .paramCount = ROD_PARAMS,
    .lineCount = 24,
    .prepare = prepare,
    KERNEL_FUNCTIONS(kernels),
    .hessian = hessian,
    .majorizer = majorizer,
    .sweep = &rodSweep,
    .yields = &rodYield,
    .describe = describe,
};

// ---- the damper -----------------------------------------------------------------------------------------------------

static void freeze(Energy *energy, const double *x, int begin, int end)
{
    static const FreezeKernels *const freezes[ISA_COUNT] = KERNELS_BY_ISA(rodFreezes);
    freezes[energy->isa]->freeze(energy, x, begin, end);
}

static void prepareRates(Energy *energy, const Recipe *recipe)
{
    prepareLeast(energy, recipe, RATE_SHARE);
    freeze(energy, recipe->rest, 0, energy->blockCount);
}

// the rate of strain `row` by the corners
static void frozenAt(const Energy *energy, int element, int row, double out[15])
{
    for (int i = 0; i < 3; ++i)
        out[i] = 0;
    for (int i = 0; i < 12; ++i)
    {
        out[3 + i] = energyGetParam(energy, element, ROD_FROZEN + 12 * row + i);
        out[i % 3] -= out[3 + i];
    }
}

static void rateHessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    (void)x;
    (void)mode;
    memset(out, 0, LANES * 225 * sizeof(double));
    for (int k = 0; k < 3 * LANES; ++k)
    {
        const double *params = laneParams(energy, block) + k / 3;
        double g[15], weight = params[ROD_STIFFNESS] * params[(k % 3 < 2 ? ROD_BEND : ROD_TWIST) * LANES];
        frozenAt(energy, block * LANES + k / 3, k % 3, g);
        for (int i = 0; i < 225; ++i)
            out[k / 3 * 225 + i] += weight * g[i / 15] * g[i % 15];
    }
}

static void rateDescribe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    const int *v = laneVertices(energy, element / LANES) + element % LANES;
    const double *params = laneParams(energy, element / LANES) + element % LANES;
    double taken = 0;
    for (int k = 0; k < 3; ++k)
    {
        double g[15], rate = 0;
        frozenAt(energy, element, k, g);
        for (int i = 0; i < 15; ++i)
            rate += g[i] * x[3 * (ptrdiff_t)v[i / 3 * LANES] + i % 3];
        taken += params[ROD_STIFFNESS] * params[(k < 2 ? ROD_BEND : ROD_TWIST) * LANES] * rate * rate;
    }
    snprintf(text, size, "%s %d: takes %.4g W, vertex %d between %d and %d", energy->kind->name, element, taken, v[0],
             v[LANES], v[2 * LANES]);
}

const EnergyKind rodDamperKind = {
    .name = "rod-damper",
    .traits = TRAIT_DISSIPATIVE,
    .column = COLUMN_NONE,
    .corners = 5,
    .paramCount = ROD_FROZEN + 36,
    .lineCount = 24,
    .prepare = prepareRates,
    .freeze = freeze,
    KERNEL_FUNCTIONS(rateKernels),
    .hessian = rateHessian,
    .majorizer = majorizer,
    .describe = rateDescribe,
};
