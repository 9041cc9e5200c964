// Springs whose stress follows a measured curve (Hauth 2004, section 1.1: tensile tests of fabrics are straight for no
// material): w phi(s), s = |d| / l - 1 the strain and phi' the stress over young, a cubic between two points of the
// measurement and a straight line beyond the last. The slopes at the points are those of Fritsch and Carlson 1980, so
// that the stress rises wherever the points do. w = k l^2 with k the stiffness of a spring of modulus young in N/m.
#include "energy/kernels.h"
#include "energy/spectral.h"

#include <stdio.h>

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(curveKernels);
static const Rows shape = { 1, 2, CURVE_EXTRA };

// A point of the curve: strain, stress over young, its slope, and the area under it.
typedef struct Knot
{
    double strain, stress, slope, energy;
} Knot;

// ---- the curve ------------------------------------------------------------------------------------------------------

// the points with the origin among them, ascending; stresses over young
static int readPoints(const vvLaw *law, double young, Knot *knot)
{
    int count = 0;
    bool origin = false;
    for (int i = 0; law != NULL && i < law->pointCount; ++i)
    {
        if (!origin && law->strain[i] >= 0)
        {
            origin = true;
            if (law->strain[i] > 0)
                knot[count++] = (Knot){ 0 };
        }
        knot[count++] = (Knot){ .strain = law->strain[i], .stress = law->stress[i] / young };
    }
    if (!origin)
        knot[count++] = (Knot){ 0 };
    return count;
}

// slopes that keep each piece monotone: the harmonic mean of the chords, weighted by their lengths, 0 at a turn
static void setSlopes(Knot *knot, int count)
{
    double h[CURVE_POINTS], chord[CURVE_POINTS];
    for (int k = 0; k + 1 < count; ++k)
    {
        h[k] = knot[k + 1].strain - knot[k].strain;
        chord[k] = (knot[k + 1].stress - knot[k].stress) / h[k];
    }
    for (int k = 1; k + 1 < count; ++k)
    {
        double a = 2 * h[k] + h[k - 1], b = h[k] + 2 * h[k - 1], product = chord[k - 1] * chord[k];
        knot[k].slope = product > 0 ? (a + b) / (a / chord[k - 1] + b / chord[k]) : 0;
    }
    knot[0].slope = chord[0];
    knot[count - 1].slope = chord[count - 2];
}

static double pieceArea(const Knot *a, const Knot *b)
{
    double h = b->strain - a->strain;
    return h * (0.5 * (a->stress + b->stress) + h * (a->slope - b->slope) / 12);
}

static int curveKnots(const vvLaw *law, double young, Knot *knot)
{
    int count = readPoints(law, young, knot), zero = 0;
    if (count == 1) // nothing was measured: Hooke's law
        knot[count++] = (Knot){ .strain = 1, .stress = 1 };
    setSlopes(knot, count);
    while (knot[zero].strain < 0)
        zero += 1;
    for (int k = zero + 1; k < count; ++k)
        knot[k].energy = knot[k - 1].energy + pieceArea(&knot[k - 1], &knot[k]);
    for (int k = zero - 1; k >= 0; --k)
        knot[k].energy = knot[k + 1].energy - pieceArea(&knot[k], &knot[k + 1]);
    return count;
}

// the largest slope of any piece: of a cubic it is at an end or between
static double steepest(const Knot *knot, int count)
{
    double most = 0;
    for (int k = 0; k < count; ++k)
        most = maxReal(most, knot[k].slope);
    for (int k = 0; k + 1 < count; ++k)
    {
        double h = knot[k + 1].strain - knot[k].strain, chord = (knot[k + 1].stress - knot[k].stress) / h;
        double c = 3 * chord - 2 * knot[k].slope - knot[k + 1].slope, d = knot[k].slope + knot[k + 1].slope - 2 * chord;
        double t = d < 0 ? -c / (3 * d) : 0;
        if (t > 0 && t < 1)
            most = maxReal(most, knot[k].slope + t * (2 * c + 3 * t * d));
    }
    return most;
}

// ---- the energy -----------------------------------------------------------------------------------------------------

static void prepare(Energy *energy, const Recipe *recipe)
{
    Knot knot[CURVE_POINTS];
    int count = curveKnots(recipe->law, recipe->young, knot);
    double steep = steepest(knot, count);
    for (int e = 0; e < energy->blockCount * LANES; ++e)
    {
        double *params = laneParams(energy, e / LANES) + e % LANES;
        double length = cellPrepare(energy, e, recipe, shape);
        params[0] = recipeStrength(energy, e, recipe) * length * length;
        params[CURVE_STEEP * LANES] = steep;
        for (int k = 0; k < CURVE_POINTS; ++k)
        {
            // places that are left over continue the line beyond the last
            const Knot *last = &knot[count - 1];
            double more = maxInt(k - count + 1, 0);
            Knot at = k < count ? knot[k]
                                : (Knot){ last->strain + more, last->stress + more * last->slope, last->slope,
                                          last->energy + more * (last->stress + 0.5 * more * last->slope) };
            double *place = params + (CURVE_KNOTS + 4 * k) * LANES;
            place[0] = at.strain;
            place[LANES] = at.stress;
            place[2 * LANES] = at.slope;
            place[3 * LANES] = at.energy;
        }
    }
}

// stress and its slope at a strain
static void stressAt(const double *params, double strain, double *stress, double *slope)
{
    int k = 0;
    while (k < CURVE_POINTS && strain >= params[(CURVE_KNOTS + 4 * k) * LANES])
        k += 1;
    const double *b = params + (CURVE_KNOTS + 4 * minInt(k, CURVE_POINTS - 1)) * LANES;
    const double *a = k > 0 ? params + (CURVE_KNOTS + 4 * (k - 1)) * LANES : b;
    if (k == 0 || k == CURVE_POINTS)
    {
        *slope = a[2 * LANES];
        *stress = a[LANES] + *slope * (strain - a[0]);
        return;
    }
    double h = b[0] - a[0], t = (strain - a[0]) / h, rise = b[LANES] - a[LANES], first = h * a[2 * LANES];
    double c = 3 * rise - h * (2 * a[2 * LANES] + b[2 * LANES]), d = h * (a[2 * LANES] + b[2 * LANES]) - 2 * rise;
    *stress = a[LANES] + t * (first + t * (c + t * d));
    *slope = (first + t * (2 * c + 3 * t * d)) / h;
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    for (int lane = 0; lane < LANES; ++lane)
    {
        const double *params = laneParams(energy, block) + lane;
        Vec3 f;
        rowsAt(energy, block * LANES + lane, x, shape, &f);
        double length = vecLength(f), stress, slope, inner[9], n[3];
        stressAt(params, length - 1, &stress, &slope);
        double along = params[0] * slope, across = length > 0 ? params[0] * stress / length : 0;
        across = mode == HESSIAN_SEMIDEFINITE ? maxReal(across, 0) : across;
        vecStore(n, length > 0 ? vecScale(1 / length, f) : vec3(1, 0, 0));
        for (int i = 0; i < 9; ++i)
            inner[i] = (along - across) * n[i / 3] * n[i % 3] + (i % 4 == 0 ? across : 0);
        rowsHessian(energy, block * LANES + lane, shape, inner, out + lane * 36);
    }
}

static void majorizer(const Energy *energy, int block, double *out)
{
    rowsMajorizer(energy, block, shape, laneParams(energy, block)[CURVE_STEEP * LANES], out);
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    const int *vertex = laneVertices(energy, element / LANES) + element % LANES;
    Vec3 f;
    rowsAt(energy, element, x, shape, &f);
    snprintf(text, size, "curve %d: vertices %d and %d, strain %.4g", element, vertex[0], vertex[LANES],
             vecLength(f) - 1);
}

static void constants(const Energy *energy, int element, const SweepMass *mass, double h, double *out)
{
    featureConstants(energy, element, energyGetParam(energy, element, CURVE_STEEP), mass, h, out);
}

static const SweepKind sweep = FEATURE_SWEEP(1, 1 + CURVE_EXTRA + 1, constants);

const EnergyKind curveKind = {
    .name = "curve",
    .traits = TRAIT_INTERNAL | TRAIT_SWEEP,
    .column = COLUMN_ELASTIC,
    .corners = 2,
    .paramCount = 1 + CURVE_EXTRA + 1,
    .lineCount = 6,
    .prepare = prepare,
    KERNEL_FUNCTIONS(kernels),
    .hessian = hessian,
    .majorizer = majorizer,
    .sweep = &sweep,
    .describe = describe,
};
