// A membrane by finite differences on a structured grid, Hauth's second discretisation (Hauth 2004, section 1.2): the
// energy of a continuous sheet, area x thickness x (mu e:e + lambda/2 tr(e)^2) of the change e = (G - G0)/2 of its
// metric tensor (Terzopoulos 1987, section 3; Lame's numbers of plane stress instead of free weights), with the
// derivatives that make the metric, G = F^T F, replaced by differences of neighbours. An element is a vertex with one
// neighbour along each direction of the grid; the four of a vertex take a quarter of its area each.
//
// Forward and backward differences, each squared, and their mean: as exact as the centred difference of Hauth's Eq 1,
// of second order, which does not see its own vertex and leaves the motion of every other vertex without a force.
//
// Woven cloth is the same over the triangles of any mesh, with the law of weave.c.
#include "energy/element_sweep.h"
#include "energy/kernels.h"
#include "energy/strain.h"

#include <stdio.h>

#define M 2
#define LINE 12 // F and its change, 3 x 2 each

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(membraneKernels);
static const ElementKernels *const wovenKernelsOf[ISA_COUNT] = KERNELS_BY_ISA(wovenKernels);

static Strain strainOf(const Columns *f)
{
    Strain strain = symmetricProduct(M, f, f);
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < M; ++j)
            strain.e[i][j] = 0.5 * (strain.e[i][j] - (i == j));
    return strain;
}

static void prepare(Energy *energy, const Recipe *recipe)
{
    // triangles are two quarters of a parallelogram
    bool woven = isWoven(energy);
    double share = woven ? 2 * recipe->thickness : 1;
    for (int e = 0; e < energy->blockCount * LANES; ++e)
    {
        double *params = laneParams(energy, e / LANES) + e % LANES;
        double strength = recipeStrength(energy, e, recipe) * share;
        params[STRAIN_WEIGHT * LANES] = strength * prepareFrame(energy, M, e, recipe->rest);
        if (woven)
            weavePrepare(energy, e, recipe);
        else
            prepareLaw(energy, M, e, recipe);
    }
}

// the part of a symmetric 2 x 2 matrix without negative eigenvalues: (S + |S|)/2 with |S| = (S^2 + |det| I) / tr|S|
static Strain positivePart(const Strain *s)
{
    double a = s->e[0][0], b = s->e[0][1], c = s->e[1][1], det = a * c - b * b;
    if (a + c >= 0 && det >= 0)
        return *s;
    Strain positive = { { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } } };
    double sum = sqrt(a * a + 2 * b * b + c * c + 2 * fabs(det)); // of the sizes of both eigenvalues
    if (det >= 0 || !(sum > 0))
        return positive; // both are negative
    positive.e[0][0] = 0.5 * (a + (a * a + b * b - det) / sum);
    positive.e[0][1] = positive.e[1][0] = 0.5 * (b + b * (a + c) / sum);
    positive.e[1][1] = 0.5 * (c + (b * b + c * c - det) / sum);
    return positive;
}

// The law seen through F, which is semidefinite, and the stress on the differences, whose negative part is all that can
// bend the energy downwards: across the membrane nothing else acts.
static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    for (int lane = 0; lane < LANES; ++lane)
    {
        int element = block * LANES + lane;
        double *matrix = out + lane * 81;
        Simplex s = simplexAt(energy, M, element);
        Columns f = columnsAt(energy, &s, element, x);
        Strain strain = strainOf(&f), stress = stressOf(&s, &strain);
        if (mode == HESSIAN_SEMIDEFINITE)
            stress = positivePart(&stress);
        strainMatrix(&s, &f, matrix);
        for (int a = 0; a < 3; ++a)
        {
            for (int b = 0; b < 3; ++b)
            {
                double sum = 0;
                for (int k = 0; k < 4; ++k)
                    sum += s.g[a][k / 2] * stress.e[k / 2][k % 2] * s.g[b][k % 2];
                for (int i = 0; i < 3; ++i)
                    matrix[(3 * a + i) * 9 + 3 * b + i] += s.weight * sum;
            }
        }
    }
}

// of the law at rest; 1.5 of it lasts to 15 % of stretch, as for squared springs
static void majorizer(const Energy *energy, int block, double *out)
{
    strainMajorizer(energy, M, block, 1.5, out);
}

// ---- the sweep ------------------------------------------------------------------------------------------------------

static Columns columnsOf(const Simplex *s, const double *x)
{
    Columns f;
    for (int j = 0; j < M; ++j)
    {
        f.c[j] = vec3(0, 0, 0);
        for (int c = 1; c <= M; ++c)
            f.c[j] = vecAdd(f.c[j], vecScale(s->g[c][j], vecSub(vecLoad(x + 3 * c), vecLoad(x))));
    }
    return f;
}

static ElementPoint elementAt(const Energy *energy, int element, const double *x)
{
    Simplex s = simplexAt(energy, M, element);
    Columns f = columnsOf(&s, x);
    Strain strain = strainOf(&f), stress = stressOf(&s, &strain);
    ElementPoint point = { .value = strainEnergy(&s, &strain) };
    strainForces(&s, &f, &stress, point.gradient);
    return point;
}

// of the law, and of the stress that resists: across the membrane a compressed element bends away, which nothing holds
static double elementCurvature(const Energy *energy, int element, const double *x, const double *direction)
{
    Simplex s = simplexAt(energy, M, element);
    Columns f = columnsOf(&s, x), d = columnsOf(&s, direction);
    Strain strain = strainOf(&f), stress = stressOf(&s, &strain), tension = positivePart(&stress);
    Strain rate = symmetricProduct(M, &f, &d), square = symmetricProduct(M, &d, &d);
    double sum = 2 * strainEnergy(&s, &rate);
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < M; ++j)
            sum += s.weight * tension.e[i][j] * square.e[i][j];
    return sum;
}

static void sweepConstants(const Energy *energy, int element, const SweepMass *mass, double h, double *out)
{
    (void)h;
    Simplex s = simplexAt(energy, M, element);
    double square[M + 1];
    for (int c = 0; c <= M; ++c)
        square[c] = s.g[c][0] * s.g[c][0] + s.g[c][1] * s.g[c][1];
    elementConstants(s.weight > 0, M + 1, mass, square, out);
}

static void sweepBatches(SweepPlan *plan, const SweepContext *context, int begin, int end)
{
    elementBatches(plan, context, begin, end, M + 1, elementAt, elementCurvature);
}

static const SweepKind sweep = {
    .rows = 3 * (M + 1), .constantCount = ELEMENT_CONSTANTS, .constants = sweepConstants, .batches = sweepBatches
};

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    const int *v = laneVertices(energy, element / LANES) + element % LANES;
    Simplex s = simplexAt(energy, M, element);
    Columns f = columnsAt(energy, &s, element, x);
    snprintf(text, size,
             s.woven ? "woven %d: vertices %d %d %d, stretches of warp %.4g and weft %.4g, cosine %.4g"
                     : "membrane %d: vertex %d with %d and %d, stretches %.4g and %.4g, cosine %.4g",
             element, v[0], v[LANES], v[2 * LANES], vecLength(f.c[0]), vecLength(f.c[1]),
             vecDot(f.c[0], f.c[1]) / (vecLength(f.c[0]) * vecLength(f.c[1])));
}

#define MEMBRANE_KIND(word, params, table)                                                                             \
    {                                                                                                                  \
        .name = (word), .traits = TRAIT_INTERNAL | TRAIT_SWEEP, .column = COLUMN_ELASTIC, .corners = M + 1,            \
        .paramCount = (params), .lineCount = LINE, .prepare = prepare, KERNEL_FUNCTIONS(table), .hessian = hessian,    \
        .majorizer = majorizer, .sweep = &sweep, .describe = describe                                                  \
    }

const EnergyKind membraneKind = MEMBRANE_KIND("membrane", STRAIN_INVERSE + M * M, kernels);
const EnergyKind wovenKind = MEMBRANE_KIND("woven", WEAVE_ELASTIC + WEAVE_PARAMS, wovenKernelsOf);
