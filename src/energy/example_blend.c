// Example-based elasticity with global weights: sum over the tets of w/2 |F - R H(c)|^2 with a rotation for each tet
// and one blend c for the whole body (Bouaziz 2014, Eq 17, 18 and 27), followed from the last one as in example.c. From
// no blend: c by Newton's method, the rotations eliminated; where that does not go down, by least squares with the
// rotations as they are, which always does. A range of elements looks at all of them for c.
//
// The Hessian couples every tet with every other one through c; the majorizer stands for it, so that Newton's method
// takes the steps of local/global here. Not in the list of kinds: the generic tests ask for exact Hessians.
#include "energy/example.h"

#include <string.h>

#define TURNS 100
#define STILL 1e-13

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(exampleBlendKernels);
static const FitKernels *const fits[ISA_COUNT] = KERNELS_BY_ISA(exampleBlendFits);

typedef struct Look
{
    int count;
    double value; // J
    double slope[MAX_EXAMPLES];
    double curvature[MAX_EXAMPLES * MAX_EXAMPLES]; // of the energy, rotations eliminated
    double bound[MAX_EXAMPLES * MAX_EXAMPLES];     // and with the rotations as they are: not below it
} Look;

static Blend blendAt(const double *params, const double *f, const double *c)
{
    Blend b = mixStart(params);
    memcpy(b.c, c, sizeof b.c);
    mixTurn(&b, f);
    return b;
}

Mat3 exampleRotation(const double *params, const double *f, const double *c)
{
    return blendAt(params, f, c).r;
}

static void addElement(const double *params, const double *f, const double *c, Look *look)
{
    double j[EXAMPLE_UNKNOWNS][9], k[EXAMPLE_UNKNOWNS * EXAMPLE_UNKNOWNS], turn[9], across[3 * MAX_EXAMPLES];
    Blend b = blendAt(params, f, c);
    int n = b.count, all = 3 + n;
    mixCurvature(f, &b, j, k);
    look->count = n;
    look->value += mixValue(params, f, &b);
    for (int i = 0; i < 9; ++i)
        turn[i] = k[i / 3 * all + i % 3];
    for (int i = 0; i < 3 * n; ++i)
        across[i] = k[i / n * all + 3 + i % n];
    bool ok = solveSmall(turn, across, 3, n);
    for (int i = 0; i < n * n; ++i)
    {
        double sum = k[(3 + i / n) * all + 3 + i % n];
        look->bound[i] += params[0] * sum;
        for (int q = 0; q < 3 && ok; ++q)
            sum -= k[(3 + i / n) * all + q] * across[q * n + i % n];
        look->curvature[i] += params[0] * sum;
    }
    for (int e = 0; e < n; ++e)
    {
        double sum = b.decay * b.c[e];
        for (int i = 0; i < 9; ++i)
            sum -= (f[i] - b.p[i]) * j[3 + e][i];
        look->slope[e] += params[0] * sum;
    }
}

static Look lookAt(const Energy *energy, const ExampleSource *source, const double *c)
{
    Look look = { 0 };
    for (int e = 0; e < energy->elementCount; ++e)
    {
        const double *params = laneParams(energy, e / LANES) + e % LANES;
        double f[9];
        exampleGradientAt(energy, e, source, f);
        if (params[0] > 0)
            addElement(params, f, c, &look);
    }
    return look;
}

// step = -matrix^-1 slope; false: not downhill
static bool stepOf(const Look *look, const double *matrix, double *step)
{
    double copy[MAX_EXAMPLES * MAX_EXAMPLES], along = 0;
    memcpy(copy, matrix, sizeof copy);
    for (int k = 0; k < MAX_EXAMPLES; ++k)
        step[k] = k < look->count ? -look->slope[k] : 0;
    bool ok = solveSmall(copy, step, look->count, 1);
    for (int k = 0; k < look->count; ++k)
        along += step[k] * look->slope[k];
    return ok && along < 0;
}

void exampleFitBlend(const Energy *energy, const ExampleSource *source, double *c)
{
    double safe[MAX_EXAMPLES] = { 0 }, step[MAX_EXAMPLES], last = INFINITY;
    bool tried = false; // c came by a step of Newton's method; `safe` is the other one's
    memset(c, 0, MAX_EXAMPLES * sizeof(double));
    for (int turn = 0; turn < TURNS; ++turn)
    {
        double change = 0;
        Look look = lookAt(energy, source, c);
        if (tried && look.value > last)
        {
            memcpy(c, safe, sizeof safe);
            tried = false;
            continue;
        }
        if (!stepOf(&look, look.bound, step))
            return;
        for (int k = 0; k < MAX_EXAMPLES; ++k)
            safe[k] = c[k] + step[k];
        tried = stepOf(&look, look.curvature, step);
        last = look.value;
        for (int k = 0; k < MAX_EXAMPLES; ++k)
        {
            double next = tried ? c[k] + step[k] : safe[k];
            change = maxReal(change, fabs(next - c[k]));
            c[k] = next;
        }
        if (!(change > STILL))
            return;
    }
}

// ---- the kind -------------------------------------------------------------------------------------------------------

// the majorizer's: with c as it is would be nearer, and need the fit once for every block
static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    (void)x;
    (void)mode;
    for (int lane = 0; lane < LANES; ++lane)
    {
        double inner[81];
        for (int i = 0; i < 81; ++i)
            inner[i] = i / 9 == i % 9 ? laneParams(energy, block)[lane] : 0;
        exampleAddHessian(energy, block * LANES + lane, inner, out + (ptrdiff_t)lane * 144);
    }
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    double kept[EXAMPLE_KEPT * LANES];
    fits[energy->isa]->fit(energy, x, element / LANES, kept);
    exampleDescribe(energy, element, "coefficients of the body", kept, text, size);
}

const EnergyKind exampleBlendKind = EXAMPLE_KIND("example-blend", TRAIT_WHOLE, BLEND_LINE);
