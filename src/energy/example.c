// Example-based elasticity of tets, w/2 |F - R H(c)|^2 with H(c) = I + sum c_k (S_k - I), minimised over the rotation R and
// the coefficients c of each tet (Bouaziz 2014, Eq 17, 18 and 27, local weights): the body is at rest in its rest shape, in
// every example and in all blends of them. S_k = R_k F_k is the example's deformation without its rotation. R by SVD and c
// by least squares in turn, from c = 0, until they stay. The coefficients are kept small by eps c^2 (a thousandth of the
// examples' own size): where two examples agree on a tet, nothing else would decide between them.
#include "energy/spectral.h"

#include <stdio.h>
#include <string.h>

#define TURNS 400
#define UNKNOWNS (3 + MAX_EXAMPLES)

enum
{
    COUNT = 1,                       // examples
    FIRST = 2,                       // S_k - I, 9 numbers each, column major
    EXTRA = 1 + 9 * MAX_EXAMPLES,    // numbers between the weight and the rows
    DECAY = FIRST + 9 * MAX_EXAMPLES // eps
};

static const Rows shape = { 3, 4, EXTRA + 1 };

typedef struct Blend
{
    int count;
    double way[MAX_EXAMPLES][9]; // S_k - I, column major
    double decay;
    double c[MAX_EXAMPLES];
    Mat3 r;
    double h[9], p[9]; // H(c) and R H(c), column major
} Blend;

// solves the symmetric n x n system in place by Gauss with pivots; false: singular
static bool solveSmall(double *a, double *b, int n, int columns)
{
    for (int k = 0; k < n; ++k)
    {
        int pivot = k;
        for (int i = k + 1; i < n; ++i)
            pivot = fabs(a[i * n + k]) > fabs(a[pivot * n + k]) ? i : pivot;
        if (!(fabs(a[pivot * n + k]) > 0))
            return false;
        for (int j = 0; j < n && pivot != k; ++j)
        {
            double swap = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = swap;
        }
        for (int j = 0; j < columns && pivot != k; ++j)
        {
            double swap = b[k * columns + j];
            b[k * columns + j] = b[pivot * columns + j];
            b[pivot * columns + j] = swap;
        }
        for (int i = 0; i < n; ++i)
        {
            double factor = i == k ? 0 : a[i * n + k] / a[k * n + k];
            for (int j = k; j < n && factor != 0; ++j)
                a[i * n + j] -= factor * a[k * n + j];
            for (int j = 0; j < columns && factor != 0; ++j)
                b[i * columns + j] -= factor * b[k * columns + j];
        }
    }
    for (int k = 0; k < n; ++k)
        for (int j = 0; j < columns; ++j)
            b[k * columns + j] /= a[k * n + k];
    return true;
}

static double dot9(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < 9; ++i)
        sum += a[i] * b[i];
    return sum;
}

static void setBlend(Blend *blend)
{
    for (int i = 0; i < 9; ++i)
    {
        blend->h[i] = i % 4 == 0;
        for (int k = 0; k < blend->count; ++k)
            blend->h[i] += blend->c[k] * blend->way[k][i];
    }
}

// R nearest to F H^T; then c from R^T F
static Blend blendOf(const double *params, const double *f)
{
    Blend b = { .count = (int)params[COUNT * LANES], .decay = params[DECAY * LANES] };
    for (int i = 0; i < 9 * b.count; ++i)
        b.way[i / 9][i % 9] = params[(FIRST + i) * LANES];
    setBlend(&b);
    for (int turn = 0; turn < TURNS; ++turn)
    {
        Mat3 m;
        double turned[9], change = 0;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                m.m[i][j] = f[i] * b.h[j] + f[3 + i] * b.h[3 + j] + f[6 + i] * b.h[6 + j];
        b.r = nearestRotation(&m);
        for (int k = 0; k < 9; ++k)
            turned[k] = b.r.m[0][k % 3] * f[k / 3 * 3] + b.r.m[1][k % 3] * f[k / 3 * 3 + 1] +
                        b.r.m[2][k % 3] * f[k / 3 * 3 + 2];
        double normal[MAX_EXAMPLES * MAX_EXAMPLES], right[MAX_EXAMPLES];
        for (int k = 0; k < 9; ++k)
            turned[k] -= k % 4 == 0;
        for (int k = 0; k < b.count; ++k)
        {
            right[k] = dot9(b.way[k], turned);
            for (int l = 0; l < b.count; ++l)
                normal[k * b.count + l] = dot9(b.way[k], b.way[l]) + (k == l ? b.decay : 0);
        }
        if (!solveSmall(normal, right, b.count, 1))
            memset(right, 0, sizeof right);
        for (int k = 0; k < b.count; ++k)
        {
            change = maxReal(change, fabs(right[k] - b.c[k]));
            b.c[k] = right[k];
        }
        setBlend(&b);
        if (!(change > 1e-14))
            break;
    }
    for (int k = 0; k < 9; ++k)
        b.p[k] = b.r.m[k % 3][0] * b.h[k / 3 * 3] + b.r.m[k % 3][1] * b.h[k / 3 * 3 + 1] +
                 b.r.m[k % 3][2] * b.h[k / 3 * 3 + 2];
    return b;
}

static double valueOf(const double *params, const double *f, const Blend *b)
{
    double sum = 0;
    for (int i = 0; i < 9; ++i)
        sum += (f[i] - b->p[i]) * (f[i] - b->p[i]);
    for (int k = 0; k < b->count; ++k)
        sum += b->decay * b->c[k] * b->c[k];
    return 0.5 * params[0] * sum;
}

// ---- the kind --------------------------------------------------------------------------------------------------------

static void gradientAtRest(const Energy *energy, int element, const double *x, double *f)
{
    Vec3 z[3];
    rowsAt(energy, element, x, shape, z);
    for (int c = 0; c < 3; ++c)
        vecStore(f + 3 * c, z[c]);
}

static void prepare(Energy *energy, const Recipe *recipe)
{
    for (int i = 0; i < energy->blockCount * LANES; ++i)
    {
        double *params = laneParams(energy, i / LANES) + i % LANES, size = 0;
        params[0] = recipe->young * cellPrepare(energy, i, recipe, shape);
        params[COUNT * LANES] = recipe->exampleCount;
        for (int k = 0; k < recipe->exampleCount; ++k)
        {
            double f[9];
            Mat3 m;
            gradientAtRest(energy, i, recipe->example[k], f);
            for (int j = 0; j < 9; ++j)
                m.m[j % 3][j / 3] = f[j];
            Mat3 r = nearestRotation(&m), back = matTranspose(&r), s = matMultiply(&back, &m);
            for (int j = 0; j < 9; ++j)
            {
                double way = s.m[j % 3][j / 3] - (j % 4 == 0);
                params[(FIRST + 9 * k + j) * LANES] = way;
                size += way * way;
            }
        }
        params[DECAY * LANES] = 1e-3 * maxReal(size, 1e-6);
    }
}

static void values(Energy *energy, const double *x, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        const double *params = laneParams(energy, i / LANES) + i % LANES;
        double f[9];
        gradientAtRest(energy, i, x, f);
        Blend b = blendOf(params, f);
        energy->value[i] = valueOf(params, f, &b);
    }
}

// slots: A^T t, t column major
static void store(Energy *energy, int element, const double *t)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int c = 1; c < 4; ++c)
    {
        Vec3 force = vec3(0, 0, 0);
        for (int r = 0; r < 3; ++r)
            force = vecAdd(force,
                           vecScale(*rowsCoefficient(laneParams(energy, element / LANES), element % LANES, shape, r, c),
                                    vecLoad(t + 3 * r)));
        vecStore(elementSlots(energy, element) + 3 * c, force);
        sum = vecSub(sum, force);
    }
    vecStore(elementSlots(energy, element), sum);
}

static void evaluate(Energy *energy, const double *x, int begin, int end, double share)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        const double *params = laneParams(energy, i / LANES) + i % LANES;
        double f[9], t[9];
        gradientAtRest(energy, i, x, f);
        Blend b = blendOf(params, f);
        for (int k = 0; k < 9; ++k) // w (F - p), or w p
            t[k] = params[0] * (share * f[k] + (1 - 2 * share) * b.p[k]);
        store(energy, i, t);
    }
}

static void gradient(Energy *energy, const double *x, int begin, int end)
{
    evaluate(energy, x, begin, end, 1);
}

static void project(Energy *energy, const double *x, int begin, int end)
{
    evaluate(energy, x, begin, end, 0);
}

static void lineStart(Energy *energy, const double *x, const double *d, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        double f[18], *line = laneLine(energy, i / LANES) + i % LANES;
        gradientAtRest(energy, i, x, f);
        gradientAtRest(energy, i, d, f + 9);
        for (int k = 0; k < 18; ++k)
            line[k * LANES] = f[k];
    }
}

static void lineValues(Energy *energy, double alpha, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        const double *params = laneParams(energy, i / LANES) + i % LANES,
                     *line = laneLine(energy, i / LANES) + i % LANES;
        double f[9];
        for (int k = 0; k < 9; ++k)
            f[k] = line[k * LANES] + alpha * line[(9 + k) * LANES];
        Blend b = blendOf(params, f);
        energy->value[i] = valueOf(params, f, &b);
    }
}

// R [axis] M, column major
static void twist(const Mat3 *r, int axis, const double *m, double *out)
{
    for (int c = 0; c < 3; ++c)
    {
        Vec3 e = vec3(axis == 0, axis == 1, axis == 2);
        vecStore(out + 3 * c, matApply(r, vecCross(e, vecLoad(m + 3 * c))));
    }
}

// At the minimum over q = (turn, c): W'' = w (I - J K^-1 J^T), J = dp/dq and K = J^T J + decay - (F - p) . d2p/dq2
static void innerHessian(const double *params, const double *f, double *inner)
{
    Blend b = blendOf(params, f);
    int n = 3 + b.count;
    double j[UNKNOWNS][9], k[UNKNOWNS * UNKNOWNS], right[UNKNOWNS * 9], left[9];
    for (int i = 0; i < 9; ++i)
        left[i] = f[i] - b.p[i];
    for (int a = 0; a < 3; ++a)
        twist(&b.r, a, b.h, j[a]);
    for (int e = 0; e < b.count; ++e)
        for (int c = 0; c < 3; ++c)
            vecStore(j[3 + e] + 3 * c, matApply(&b.r, vecLoad(b.way[e] + 3 * c)));
    for (int i = 0; i < n * n; ++i)
    {
        int row = i / n, column = i % n, low = minInt(row, column), high = maxInt(row, column);
        double second[9] = { 0 }, half[9], other[9];
        if (high < 3) // half of R ([a][b] + [b][a]) H
        {
            for (int c = 0; c < 3; ++c)
            {
                Vec3 ea = vec3(low == 0, low == 1, low == 2), eb = vec3(high == 0, high == 1, high == 2);
                Vec3 h = vecLoad(b.h + 3 * c);
                vecStore(half + 3 * c, matApply(&b.r, vecCross(ea, vecCross(eb, h))));
                vecStore(other + 3 * c, matApply(&b.r, vecCross(eb, vecCross(ea, h))));
            }
            for (int m = 0; m < 9; ++m)
                second[m] = 0.5 * (half[m] + other[m]);
        }
        else if (low < 3)
            twist(&b.r, low, b.way[high - 3], second);
        k[i] = dot9(j[row], j[column]) - dot9(left, second) + (row == column && row >= 3 ? b.decay : 0);
    }
    for (int i = 0; i < n * 9; ++i)
        right[i] = j[i / 9][i % 9];
    bool ok = solveSmall(k, right, n, 9);
    for (int i = 0; i < 81; ++i)
    {
        double sum = i / 9 == i % 9;
        for (int q = 0; q < n && ok; ++q)
            sum -= j[q][i / 9] * right[q * 9 + i % 9];
        inner[i] = params[0] * sum;
    }
    for (int i = 0; i < 81; ++i)
        inner[i] = i / 9 < i % 9 ? inner[i % 9 * 9 + i / 9] = 0.5 * (inner[i] + inner[i % 9 * 9 + i / 9]) : inner[i];
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    for (int lane = 0; lane < LANES; ++lane)
    {
        const double *params = laneParams(energy, block) + lane;
        double f[9], inner[81], work[162];
        gradientAtRest(energy, block * LANES + lane, x, f);
        innerHessian(params, f, inner);
        if (mode == HESSIAN_SEMIDEFINITE)
            clampSymmetric(inner, 9, work);
        rowsHessian(energy, block * LANES + lane, shape, inner, out + lane * 144);
    }
}

static void majorizer(const Energy *energy, int block, double *out)
{
    rowsMajorizer(energy, block, shape, 1, out);
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    double f[9];
    gradientAtRest(energy, element, x, f);
    Blend b = blendOf(laneParams(energy, element / LANES) + element % LANES, f);
    snprintf(text, size, "example %d: vertex %d and 3 more, coefficients %.3g %.3g %.3g %.3g", element,
             laneVertices(energy, element / LANES)[element % LANES], b.c[0], b.c[1], b.c[2], b.c[3]);
}

const EnergyKind exampleKind = {
    .name = "example",
    .traits = TRAIT_INTERNAL | TRAIT_PROJECTIVE,
    .column = COLUMN_ELASTIC,
    .corners = 4,
    .paramCount = 1 + EXTRA + 1 + 9,
    .lineCount = 18,
    .prepare = prepare,
    .values = values,
    .gradient = gradient,
    .lineStart = lineStart,
    .lineValues = lineValues,
    .hessian = hessian,
    .majorizer = majorizer,
    .project = project,
    .describe = describe,
};
