// Example-based elasticity of tets, w/2 |F - R H(c)|^2 with H(c) = I + sum c_k (S_k - I), minimised over the rotation R
// and the coefficients c of each tet (Bouaziz 2014, Eq 17, 18 and 27, local weights): the body is at rest in its rest
// shape, in every example and in all blends of them. S_k = R_k^T F_k is the example's deformation without its rotation,
// and symmetric. The coefficients are kept small by eps c^2 (a thousandth of the examples' own size): where two
// examples agree on a tet, nothing else would decide between them.
//
// The minimum is followed from the last one by Newton's method on R and c together (example_wide.h). Where that start
// is too far away, R by SVD and c by least squares in turn, from c = 0, until they stay: which of several minima it is
// depends on F alone then.
#include "energy/example.h"
#include "energy/spectral.h"

#include <stdio.h>
#include <string.h>

#define TURNS 400

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(exampleKernels);
static const FitKernels *const fits[ISA_COUNT] = KERNELS_BY_ISA(exampleFits);
static const Rows shape = { 3, 4, EXAMPLE_EXTRA };

bool solveSmall(double *a, double *b, int n, int columns)
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
            blend->h[i] += blend->c[k] * blend->strain[k][i];
    }
}

Blend mixStart(const double *params)
{
    static const int place[9] = { 0, 5, 4, 5, 1, 3, 4, 3, 2 }; // of a symmetric matrix: xx, yy, zz, yz, xz, xy
    Blend b = { .count = (int)params[EXAMPLE_COUNT * LANES], .decay = params[EXAMPLE_DECAY * LANES] };
    for (int i = 0; i < 9 * b.count; ++i)
        b.strain[i / 9][i % 9] = params[(EXAMPLE_STRAINS + 6 * (i / 9) + place[i % 9]) * LANES];
    setBlend(&b);
    return b;
}

// R nearest to F H^T
static void setRotation(Blend *b, const double *f)
{
    Mat3 m;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            m.m[i][j] = f[i] * b->h[j] + f[3 + i] * b->h[3 + j] + f[6 + i] * b->h[6 + j];
    b->r = nearestRotation(&m);
}

static void setPoint(Blend *b)
{
    for (int k = 0; k < 9; ++k)
        b->p[k] = b->r.m[k % 3][0] * b->h[k / 3 * 3] + b->r.m[k % 3][1] * b->h[k / 3 * 3 + 1] +
                  b->r.m[k % 3][2] * b->h[k / 3 * 3 + 2];
}

void mixTurn(Blend *b, const double *f)
{
    setBlend(b);
    setRotation(b, f);
    setPoint(b);
}

// R, then c from R^T F
Mat3 exampleTurns(const double *params, const double *f, double *c)
{
    Blend b = mixStart(params);
    for (int turn = 0; turn < TURNS; ++turn)
    {
        double turned[9], change = 0;
        setRotation(&b, f);
        for (int k = 0; k < 9; ++k)
            turned[k] = b.r.m[0][k % 3] * f[k / 3 * 3] + b.r.m[1][k % 3] * f[k / 3 * 3 + 1] +
                        b.r.m[2][k % 3] * f[k / 3 * 3 + 2];
        double normal[MAX_EXAMPLES * MAX_EXAMPLES], right[MAX_EXAMPLES];
        for (int k = 0; k < 9; ++k)
            turned[k] -= k % 4 == 0;
        for (int k = 0; k < b.count; ++k)
        {
            right[k] = dot9(b.strain[k], turned);
            for (int l = 0; l < b.count; ++l)
                normal[k * b.count + l] = dot9(b.strain[k], b.strain[l]) + (k == l ? b.decay : 0);
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
    memcpy(c, b.c, sizeof b.c);
    return b.r;
}

void mixKept(Blend *b, const double *kept)
{
    double w = kept[0], x = kept[LANES], y = kept[2 * LANES], z = kept[3 * LANES];
    b->r = (Mat3){ { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
                     { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
                     { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } } };
    for (int k = 0; k < b->count; ++k)
        b->c[k] = kept[(EXAMPLE_BLEND + k) * LANES];
    setBlend(b);
    setPoint(b);
}

double mixValue(const double *params, const double *f, const Blend *b)
{
    double sum = 0;
    for (int i = 0; i < 9; ++i)
        sum += (f[i] - b->p[i]) * (f[i] - b->p[i]);
    for (int k = 0; k < b->count; ++k)
        sum += b->decay * b->c[k] * b->c[k];
    return 0.5 * params[0] * sum;
}

// ---- the kind -------------------------------------------------------------------------------------------------------

void exampleGradient(const Energy *energy, int element, const double *x, double *f)
{
    Vec3 z[3];
    rowsAt(energy, element, x, shape, z);
    for (int c = 0; c < 3; ++c)
        vecStore(f + 3 * c, z[c]);
}

// S_k - I into the params of a lane; the sum of its squares
static double prepareStrain(const Energy *energy, int element, const double *example, double *strain)
{
    static const int row[6] = { 0, 1, 2, 1, 0, 0 }, column[6] = { 0, 1, 2, 2, 2, 1 };
    double f[9], size = 0;
    Mat3 m;
    exampleGradient(energy, element, example, f);
    for (int j = 0; j < 9; ++j)
        m.m[j % 3][j / 3] = f[j];
    Mat3 r = nearestRotation(&m), back = matTranspose(&r), s = matMultiply(&back, &m);
    for (int j = 0; j < 6; ++j)
    {
        double value = 0.5 * (s.m[row[j]][column[j]] + s.m[column[j]][row[j]]) - (j < 3);
        strain[j * LANES] = value;
        size += (j < 3 ? 1 : 2) * value * value;
    }
    return size;
}

void examplePrepare(Energy *energy, const Recipe *recipe)
{
    for (int i = 0; i < energy->blockCount * LANES; ++i)
    {
        double *params = laneParams(energy, i / LANES) + i % LANES, size = 0;
        params[0] = recipe->young * cellPrepare(energy, i, recipe, shape);
        params[EXAMPLE_COUNT * LANES] = recipe->exampleCount;
        for (int k = 0; k < recipe->exampleCount; ++k)
            size += prepareStrain(energy, i, recipe->example[k], params + (EXAMPLE_STRAINS + 6 * k) * LANES);
        params[EXAMPLE_DECAY * LANES] = 1e-3 * maxReal(size, 1e-6);
        Blend b = mixStart(params);
        for (int k = 0, at = EXAMPLE_GRAM; k < b.count; ++k)
            for (int l = 0; l <= k; ++l, ++at)
                params[at * LANES] = dot9(b.strain[k], b.strain[l]) + (k == l ? b.decay : 0);
    }
}

void exampleGradientAt(const Energy *energy, int element, const ExampleSource *source, double *f)
{
    const double *line = laneLine(energy, element / LANES) + element % LANES;
    if (source->x != NULL)
        exampleGradient(energy, element, source->x, f);
    for (int k = 0; k < 9 && source->x == NULL; ++k)
        f[k] = line[k * LANES] + source->alpha * line[(9 + k) * LANES];
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

void mixCurvature(const double *f, const Blend *b, double j[EXAMPLE_UNKNOWNS][9], double *k)
{
    int n = 3 + b->count;
    double left[9];
    for (int i = 0; i < 9; ++i)
        left[i] = f[i] - b->p[i];
    for (int a = 0; a < 3; ++a)
        twist(&b->r, a, b->h, j[a]);
    for (int e = 0; e < b->count; ++e)
        for (int c = 0; c < 3; ++c)
            vecStore(j[3 + e] + 3 * c, matApply(&b->r, vecLoad(b->strain[e] + 3 * c)));
    for (int i = 0; i < n * n; ++i)
    {
        int row = i / n, column = i % n, low = minInt(row, column), high = maxInt(row, column);
        double second[9] = { 0 }, half[9], other[9];
        if (high < 3) // half of R ([a][b] + [b][a]) H
        {
            for (int c = 0; c < 3; ++c)
            {
                Vec3 ea = vec3(low == 0, low == 1, low == 2), eb = vec3(high == 0, high == 1, high == 2);
                Vec3 h = vecLoad(b->h + 3 * c);
                vecStore(half + 3 * c, matApply(&b->r, vecCross(ea, vecCross(eb, h))));
                vecStore(other + 3 * c, matApply(&b->r, vecCross(eb, vecCross(ea, h))));
            }
            for (int m = 0; m < 9; ++m)
                second[m] = 0.5 * (half[m] + other[m]);
        }
        else if (low < 3)
            twist(&b->r, low, b->strain[high - 3], second);
        k[i] = dot9(j[row], j[column]) - dot9(left, second) + (row == column && row >= 3 ? b->decay : 0);
    }
}

void mixHessian(double weight, const double *f, const Blend *b, int n, double *inner)
{
    int all = 3 + b->count;
    double j[EXAMPLE_UNKNOWNS][9], whole[EXAMPLE_UNKNOWNS * EXAMPLE_UNKNOWNS], k[EXAMPLE_UNKNOWNS * EXAMPLE_UNKNOWNS];
    double right[EXAMPLE_UNKNOWNS * 9];
    mixCurvature(f, b, j, whole);
    for (int i = 0; i < n * n; ++i)
        k[i] = whole[i / n * all + i % n];
    for (int i = 0; i < n * 9; ++i)
        right[i] = j[i / 9][i % 9];
    bool ok = solveSmall(k, right, n, 9);
    for (int i = 0; i < 81; ++i)
    {
        double sum = i / 9 == i % 9;
        for (int q = 0; q < n && ok; ++q)
            sum -= j[q][i / 9] * right[q * 9 + i % 9];
        inner[i] = weight * sum;
    }
    for (int i = 0; i < 81; ++i)
        inner[i] = i / 9 < i % 9 ? inner[i % 9 * 9 + i / 9] = 0.5 * (inner[i] + inner[i % 9 * 9 + i / 9]) : inner[i];
}

void exampleAddHessian(const Energy *energy, int element, const double *inner, double *out)
{
    rowsHessian(energy, element, shape, inner, out);
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    double kept[EXAMPLE_KEPT * LANES];
    fits[energy->isa]->fit(energy, x, block, kept);
    for (int lane = 0; lane < LANES; ++lane)
    {
        const double *params = laneParams(energy, block) + lane;
        double f[9], inner[81], work[162];
        exampleGradient(energy, block * LANES + lane, x, f);
        Blend b = mixStart(params);
        mixKept(&b, kept + lane);
        mixHessian(params[0], f, &b, 3 + b.count, inner);
        if (mode == HESSIAN_SEMIDEFINITE)
            clampSymmetric(inner, 9, work);
        exampleAddHessian(energy, block * LANES + lane, inner, out + (ptrdiff_t)lane * 144);
    }
}

void exampleMajorizer(const Energy *energy, int block, double *out)
{
    rowsMajorizer(energy, block, shape, 1, out);
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    double kept[EXAMPLE_KEPT * LANES] = { 0 };
    fits[energy->isa]->fit(energy, x, element / LANES, kept);
    exampleDescribe(energy, element, "coefficients", kept, text, size);
}

void exampleDescribe(const Energy *energy, int element, const char *what, const double *kept, char *text, size_t size)
{
    const double *c = kept + EXAMPLE_BLEND * LANES + element % LANES;
    snprintf(text, size, "%s %d: vertex %d and 3 more, %s %.3g %.3g %.3g %.3g", energy->kind->name, element,
             laneVertices(energy, element / LANES)[element % LANES], what, c[0], c[LANES], c[2 * LANES], c[3 * LANES]);
}

const EnergyKind exampleKind = EXAMPLE_KIND("example", 0, EXAMPLE_LINE);
