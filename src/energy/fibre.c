// Strain limits along directions of the material, w/2 sum over the directions d of (|F d| - clamp(|F d|, low, high))^2:
// the anisotropic limits that Bouaziz 2014, section 5.1, points to, with limits of their own along a direction and
// across it. A x are the vectors F d; each is projected on a shell between two spheres. With one direction, the edge
// itself, this is the limit of a spring with slack: free between low and high times its rest length.
#include "energy/spectral.h"

#include "energy/kernels.h"

#include <stdio.h>

static const ElementKernels *const edgeKernels[ISA_COUNT] = KERNELS_BY_ISA(edgeLimitKernels);
static const ElementKernels *const triangleKernels[ISA_COUNT] = KERNELS_BY_ISA(triangleFibreKernels);
static const ElementKernels *const tetKernels[ISA_COUNT] = KERNELS_BY_ISA(tetFibreKernels);

static Rows shapeOf(const Energy *energy)
{
    int rows = energy->kind->corners - 1;
    return (Rows){ rows, rows + 1, 2 * rows };
}

// the frame of the material in the frame of the cell's rest edges: direction first, then across
static void materialFrame(const Energy *energy, int element, const Recipe *recipe, int rows, Vec3 frame[3])
{
    Vec3 d = recipe->direction, axes[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    if (rows == 2) // the plane of the triangle: first edge, and across it
    {
        const int *v = laneVertices(energy, element / LANES);
        Vec3 origin = laneLoad(v, 0, element % LANES, recipe->rest);
        Vec3 e = vecSub(laneLoad(v, 1, element % LANES, recipe->rest), origin);
        Vec3 n = vecCross(e, vecSub(laneLoad(v, 2, element % LANES, recipe->rest), origin));
        e = vecScale(1 / vecLength(e), e);
        n = vecScale(1 / vecLength(n), n);
        d = vec3(vecDot(d, e), vecDot(d, vecCross(n, e)), 0);
        axes[1] = axes[2] = axes[0];
    }
    double length = vecLength(d);
    d = length > 1e-9 ? vecScale(1 / length, d) : vec3(1, 0, 0); // a direction across the triangle: its first edge
    frame[0] = d;
    if (rows == 2)
        frame[1] = vec3(-d.y, d.x, 0);
    else
    {
        Vec3 other = vecCross(d, fabs(d.x) < 0.6 ? axes[0] : axes[1]);
        frame[1] = vecScale(1 / vecLength(other), other);
        frame[2] = vecCross(frame[0], frame[1]);
    }
}

static void prepareElement(Energy *energy, const Recipe *recipe, int element)
{
    int lane = element % LANES;
    Rows shape = shapeOf(energy);
    double *params = laneParams(energy, element / LANES);
    params[lane] = recipe->young * cellPrepare(energy, element, recipe, shape);
    if (recipe->strength && shape.rows == 1) // N m: stiffness times length, so that the weight is one of stretch
        params[lane] = recipe->strength[minInt(element, energy->elementCount - 1)];
    for (int r = 0; r < shape.rows; ++r)
    {
        params[(1 + 2 * r) * LANES + lane] = r == 0 ? recipe->low : recipe->lowAcross;
        params[(2 + 2 * r) * LANES + lane] = r == 0 ? recipe->high : recipe->highAcross;
    }
    if (shape.rows == 1)
        return;
    Vec3 frame[3];
    materialFrame(energy, element, recipe, shape.rows, frame);
    for (int c = 1; c < shape.corners; ++c)
    {
        double row[3] = { 0, 0, 0 };
        for (int r = 0; r < shape.rows; ++r)
            row[r] = *rowsCoefficient(params, lane, shape, r, c);
        for (int r = 0; r < shape.rows; ++r)
            *rowsCoefficient(params, lane, shape, r, c) = vecDot(frame[r], vecLoad(row));
    }
}

static void prepare(Energy *energy, const Recipe *recipe)
{
    for (int i = 0; i < energy->blockCount * LANES; ++i)
        prepareElement(energy, recipe, i);
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    Rows shape = shapeOf(energy);
    int size = 3 * shape.rows;
    for (int lane = 0; lane < LANES; ++lane)
    {
        const double *params = laneParams(energy, block) + lane;
        double inner[81] = { 0 };
        Vec3 z[3];
        rowsAt(energy, block * LANES + lane, x, shape, z);
        for (int r = 0; r < shape.rows; ++r)
        {
            double low = params[(1 + 2 * r) * LANES], high = params[(2 + 2 * r) * LANES], length = vecLength(z[r]),
                   n[3];
            double beyond = length - maxReal(low, minReal(high, length));
            double along = beyond != 0, across = length > 0 ? beyond / length : 0;
            across = mode == HESSIAN_SEMIDEFINITE ? maxReal(across, 0) : across;
            vecStore(n, length > 0 ? vecScale(1 / length, z[r]) : vec3(1, 0, 0));
            for (int i = 0; i < 9; ++i)
                inner[(3 * r + i / 3) * size + 3 * r + i % 3] =
                    params[0] * ((along - across) * n[i / 3] * n[i % 3] + (i % 4 == 0 ? across : 0));
        }
        rowsHessian(energy, block * LANES + lane, shape, inner, out + lane * 9 * shape.corners * shape.corners);
    }
}

static void majorizer(const Energy *energy, int block, double *out)
{
    rowsMajorizer(energy, block, shapeOf(energy), 1, out);
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    Vec3 z[3] = { { 0 } };
    rowsAt(energy, element, x, shapeOf(energy), z);
    snprintf(text, size, "%s %d: vertex %d and %d more, stretch along %.4g, across %.4g", energy->kind->name, element,
             laneVertices(energy, element / LANES)[element % LANES], energy->kind->corners - 1, vecLength(z[0]),
             vecLength(z[1]));
}

static const SweepKind edgeSweep = FEATURE_SWEEP(1, 1 + 2 + 1, featureConstantsPlain);
static const SweepKind triangleSweep = FEATURE_SWEEP(2, 1 + 4 + 4, featureConstantsPlain);
static const SweepKind tetSweep = FEATURE_SWEEP(3, 1 + 6 + 9, featureConstantsPlain);

#define FIBRE_KIND(word, count, its, table)                                                                            \
    {                                                                                                                  \
        .name = word, .traits = TRAIT_INTERNAL | TRAIT_PROJECTIVE | TRAIT_SWEEP, .column = COLUMN_ELASTIC,             \
        .corners = count, .paramCount = 1 + 2 * ((count)-1) + ((count)-1) * ((count)-1), .lineCount = 6 * ((count)-1), \
        .prepare = prepare, KERNEL_FUNCTIONS(table), .hessian = hessian, .majorizer = majorizer,                       \
        .project = kernelProject, .sweep = &(its), .describe = describe                                                \
    }

const EnergyKind edgeLimitKind = FIBRE_KIND("edge-limit", 2, edgeSweep, edgeKernels);
const EnergyKind triangleFibreKind = FIBRE_KIND("triangle-fibre", 3, triangleSweep, triangleKernels);
const EnergyKind tetFibreKind = FIBRE_KIND("tet-fibre", 4, tetSweep, tetKernels);
