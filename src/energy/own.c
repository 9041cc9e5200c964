// The caller's own constraints (Bouaziz 2014, Eq 7): the local step is the caller's projection, or, from a function
// C(x) = 0 and its gradient, the sequential quadratic programming of section 6, as in Eq 26:
//   D <- (grad C . D - C) grad C / |grad C|^2 at x + D, from D = 0, until it stays.
// Its end is a stationary point of |D| on C = 0. Second derivatives w A^T (I - dp/dz) A with dp/dz by differences.
#include "energy/own.h"

#include "energy/element_sweep.h"
#include "energy/spectral.h"

#include <stdio.h>
#include <string.h>

#define SQP_ITERATIONS 30
#define SIZE (3 * MAX_CORNERS)

static const OwnConstraint *ownOf(const Energy *energy)
{
    return energy->context;
}

// ---- z and p of one element -----------------------------------------------------------------------------------------

static void multiply(const OwnConstraint *own, int element, const double *x, double *z)
{
    if (own->matrix == NULL)
    {
        memcpy(z, x, (size_t)(3 * own->corners) * sizeof(double));
        return;
    }
    const double *a = own->matrix + (ptrdiff_t)element * own->rows * own->corners;
    for (int i = 0; i < 3 * own->rows; ++i)
    {
        z[i] = 0;
        for (int c = 0; c < own->corners; ++c)
            z[i] += a[i / 3 * own->corners + c] * x[3 * c + i % 3];
    }
}

// Eq 26
static void solveConstraint(const OwnConstraint *own, int element, const double *x, double *p)
{
    int n = 3 * own->corners;
    double gradient[SIZE] = { 0 };
    memcpy(p, x, (size_t)n * sizeof(double));
    for (int k = 0; k < SQP_ITERATIONS; ++k)
    {
        double c = own->value(own->userData, element, p, gradient), square = 0, along = 0, moved = 0, size = 0;
        if (k == 0 && own->unilateral && c >= 0)
            return;
        for (int i = 0; i < n; ++i)
        {
            square += gradient[i] * gradient[i];
            along += gradient[i] * (p[i] - x[i]);
        }
        if (!(square > 0))
            return; // C is flat here: nothing tells the direction
        for (int i = 0; i < n; ++i)
        {
            double next = x[i] + (along - c) / square * gradient[i];
            moved += (next - p[i]) * (next - p[i]);
            size += (next - x[i]) * (next - x[i]);
            p[i] = next;
        }
        if (moved <= 1e-30 * size)
            return;
    }
}

// the caller's projection of LANES elements at once, to one of them
static void nearestInLanes(const OwnConstraint *own, int element, const double *z, double *p)
{
    double zs[SIZE * LANES], ps[SIZE * LANES];
    int elements[LANES];
    for (int i = 0; i < 3 * own->rows * LANES; ++i)
        zs[i] = z[i / LANES];
    for (int l = 0; l < LANES; ++l)
        elements[l] = element;
    own->projectLanes(own->userData, elements, zs, ps);
    for (int i = 0; i < 3 * own->rows; ++i)
        p[i] = ps[i * LANES];
}

static void nearest(const OwnConstraint *own, int element, const double *z, double *p)
{
    memoryEnterCall(own->memory);
    if (own->projectLanes != NULL)
        nearestInLanes(own, element, z, p);
    else if (own->project != NULL)
        own->project(own->userData, element, z, p);
    else
        solveConstraint(own, element, z, p);
    memoryLeaveCall(own->memory);
}

// elements of the padding are the last one; they have no weight
static int elementOf(const Energy *energy, int index)
{
    return minInt(index, energy->elementCount - 1);
}

static void cornersAt(const Energy *energy, int index, const double *x, double *out)
{
    const OwnConstraint *own = ownOf(energy);
    for (int c = 0; c < own->corners; ++c)
        vecStore(out + 3 * c, laneLoad(laneVertices(energy, index / LANES), c, index % LANES, x));
}

// ---- a block of them ------------------------------------------------------------------------------------------------

// number i of lane l at [i * LANES + l]; elements that are switched off have z = p = 0
typedef struct Block
{
    double corners[SIZE * LANES], z[SIZE * LANES], p[SIZE * LANES];
} Block;

static void blockCorners(const Energy *energy, int block, const double *x, double *corners)
{
    const int *vertices = laneVertices(energy, block);
    for (int c = 0; c < ownOf(energy)->corners; ++c)
        for (int lane = 0; lane < LANES; ++lane)
            laneStore(corners, c, lane, laneLoad(vertices, c, lane, x));
}

static void blockMultiply(const Energy *energy, int block, Block *b)
{
    const OwnConstraint *own = ownOf(energy);
    if (own->matrix == NULL)
    {
        memcpy(b->z, b->corners, (size_t)(3 * own->corners * LANES) * sizeof(double));
        return;
    }
    for (int lane = 0; lane < LANES; ++lane)
    {
        int element = elementOf(energy, block * LANES + lane);
        for (int i = 0; i < 3 * own->rows; ++i)
        {
            const double *a = own->matrix + ((ptrdiff_t)element * own->rows + i / 3) * own->corners;
            double sum = 0;
            for (int c = 0; c < own->corners; ++c)
                sum += a[c] * b->corners[(3 * c + i % 3) * LANES + lane];
            b->z[i * LANES + lane] = sum;
        }
    }
}

static void blockOneByOne(const Energy *energy, int block, Block *b)
{
    const OwnConstraint *own = ownOf(energy);
    int n = 3 * own->rows;
    for (int lane = 0; lane < LANES; ++lane)
    {
        double z[SIZE], p[SIZE];
        if (laneParams(energy, block)[lane] == 0)
            continue;
        for (int i = 0; i < n; ++i)
            z[i] = b->z[i * LANES + lane];
        nearest(own, elementOf(energy, block * LANES + lane), z, p);
        for (int i = 0; i < n; ++i)
            b->p[i * LANES + lane] = p[i];
    }
}

// z and p from the corners
static void blockProject(const Energy *energy, int block, Block *b)
{
    const OwnConstraint *own = ownOf(energy);
    blockMultiply(energy, block, b);
    if (own->projectLanes != NULL)
    {
        int elements[LANES];
        for (int l = 0; l < LANES; ++l)
            elements[l] = elementOf(energy, block * LANES + l);
        memoryEnterCall(own->memory);
        own->projectLanes(own->userData, elements, b->z, b->p);
        memoryLeaveCall(own->memory);
    }
    else
        blockOneByOne(energy, block, b);
    for (int lane = 0; lane < LANES; ++lane)
    {
        for (int i = 0; i < 3 * own->rows && laneParams(energy, block)[lane] == 0; ++i)
            b->z[i * LANES + lane] = b->p[i * LANES + lane] = 0;
    }
}

static void blockValues(const Energy *energy, int block, Block *b, double *value)
{
    const double *weight = laneParams(energy, block);
    double sum[LANES] = { 0 };
    blockProject(energy, block, b);
    for (int i = 0; i < 3 * ownOf(energy)->rows; ++i)
    {
        const double *z = b->z + i * LANES, *p = b->p + i * LANES;
        for (int l = 0; l < LANES; ++l)
            sum[l] += (z[l] - p[l]) * (z[l] - p[l]);
    }
    for (int l = 0; l < LANES; ++l)
        value[l] = 0.5 * weight[l] * sum[l];
}

// slots: A^T t
static void blockStore(Energy *energy, int block, const double *t)
{
    const OwnConstraint *own = ownOf(energy);
    int used = 3 * own->corners;
    for (int lane = 0; lane < LANES; ++lane)
    {
        int element = elementOf(energy, block * LANES + lane);
        double *slots = elementSlots(energy, block * LANES + lane);
        for (int i = used; i < 3 * energy->kind->corners; ++i)
            slots[i] = 0;
        if (own->matrix == NULL)
        {
            for (int i = 0; i < used; ++i)
                slots[i] = t[i * LANES + lane];
            continue;
        }
        const double *a = own->matrix + (ptrdiff_t)element * own->rows * own->corners;
        for (int i = 0; i < used; ++i)
        {
            double sum = 0;
            for (int r = 0; r < own->rows; ++r)
                sum += a[r * own->corners + i / 3] * t[(3 * r + i % 3) * LANES + lane];
            slots[i] = sum;
        }
    }
}

// ---- the kind -------------------------------------------------------------------------------------------------------

static void prepare(Energy *energy, const Recipe *recipe)
{
    for (int i = 0; i < energy->blockCount * LANES; ++i)
        laneParams(energy, i / LANES)[i % LANES] =
            recipe->strength ? recipe->strength[minInt(i, energy->elementCount - 1)] : 1;
}

static void values(Energy *energy, const double *x, int begin, int end)
{
    for (int block = begin; block < end; ++block)
    {
        Block b;
        blockCorners(energy, block, x, b.corners);
        blockValues(energy, block, &b, energy->value + block * LANES);
    }
}

// slots of w (z - p), or of w p
static void evaluate(Energy *energy, const double *x, int begin, int end, bool difference)
{
    for (int block = begin; block < end; ++block)
    {
        Block b;
        const double *weight = laneParams(energy, block);
        blockCorners(energy, block, x, b.corners);
        blockProject(energy, block, &b);
        for (int i = 0; i < 3 * ownOf(energy)->rows; ++i)
        {
            double *z = b.z + i * LANES, *p = b.p + i * LANES;
            for (int l = 0; l < LANES; ++l)
                p[l] = weight[l] * (difference ? z[l] - p[l] : p[l]);
        }
        blockStore(energy, block, b.p);
    }
}

static void gradient(Energy *energy, const double *x, int begin, int end)
{
    evaluate(energy, x, begin, end, true);
}

static void project(Energy *energy, const double *x, int begin, int end)
{
    evaluate(energy, x, begin, end, false);
}

// the line: corners, then their change
static void lineStart(Energy *energy, const double *x, const double *d, int begin, int end)
{
    for (int block = begin; block < end; ++block)
    {
        blockCorners(energy, block, x, laneLine(energy, block));
        blockCorners(energy, block, d, laneLine(energy, block) + 3 * energy->kind->corners * LANES);
    }
}

static void lineValues(Energy *energy, double alpha, int begin, int end)
{
    int change = 3 * energy->kind->corners * LANES;
    for (int block = begin; block < end; ++block)
    {
        Block b;
        const double *line = laneLine(energy, block);
        for (int i = 0; i < 3 * ownOf(energy)->corners * LANES; ++i)
            b.corners[i] = line[i] + alpha * line[change + i];
        blockValues(energy, block, &b, energy->value + block * LANES);
    }
}

// w (I - dp/dz), 3 rows square; nearest points have a symmetric derivative
static void innerHessian(const Energy *energy, int index, const double *x, double *inner)
{
    const OwnConstraint *own = ownOf(energy);
    int n = 3 * own->rows, element = elementOf(energy, index);
    double corners[SIZE], z[SIZE], plus[SIZE], minus[SIZE], scale = 0, weight = energyGetParam(energy, index, 0);
    cornersAt(energy, index, x, corners);
    multiply(own, element, corners, z);
    nearest(own, element, z, plus);
    for (int i = 0; i < n; ++i)
        scale = maxReal(scale, maxReal(fabs(z[i] - plus[i]), 1e-3 * fabs(z[i])));
    double h = 1e-4 * maxReal(scale, 1e-6); // rounding and the third derivative at about 1e-8 of it
    for (int j = 0; j < n; ++j)
    {
        double kept = z[j];
        z[j] = kept + h;
        nearest(own, element, z, plus);
        z[j] = kept - h;
        nearest(own, element, z, minus);
        z[j] = kept;
        for (int i = 0; i < n; ++i)
            inner[i * n + j] = weight * ((i == j) - (plus[i] - minus[i]) / (2 * h));
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j)
            inner[i * n + j] = inner[j * n + i] = 0.5 * (inner[i * n + j] + inner[j * n + i]);
}

static double coefficient(const OwnConstraint *own, int element, int row, int corner)
{
    if (own->matrix == NULL)
        return row == corner;
    return own->matrix[((ptrdiff_t)element * own->rows + row) * own->corners + corner];
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    const OwnConstraint *own = ownOf(energy);
    int width = 3 * energy->kind->corners, n = 3 * own->rows;
    memset(out, 0, (size_t)(LANES * width * width) * sizeof(double));
    for (int lane = 0; lane < LANES; ++lane)
    {
        double inner[SIZE * SIZE], work[2 * SIZE * SIZE], *matrix = out + lane * width * width;
        int index = block * LANES + lane, element = elementOf(energy, index);
        if (energyGetParam(energy, index, 0) == 0)
            continue;
        innerHessian(energy, index, x, inner);
        if (mode == HESSIAN_SEMIDEFINITE)
            clampSymmetric(inner, n, work);
        for (int k = 0; k < own->rows * own->rows * own->corners * own->corners; ++k)
        {
            int b = k % own->corners, a = k / own->corners % own->corners;
            int s = k / own->corners / own->corners % own->rows, r = k / own->corners / own->corners / own->rows;
            double scale = coefficient(own, element, r, a) * coefficient(own, element, s, b);
            for (int i = 0; i < 9 && scale != 0; ++i)
                matrix[(3 * a + i / 3) * width + 3 * b + i % 3] += scale * inner[(3 * r + i / 3) * n + 3 * s + i % 3];
        }
    }
}

static void majorizer(const Energy *energy, int block, double *out)
{
    const OwnConstraint *own = ownOf(energy);
    int n = energy->kind->corners;
    memset(out, 0, (size_t)(LANES * n * n) * sizeof(double));
    for (int lane = 0; lane < LANES; ++lane)
    {
        double weight = laneParams(energy, block)[lane];
        int element = elementOf(energy, block * LANES + lane);
        for (int k = 0; k < own->corners * own->corners; ++k)
        {
            int a = k / own->corners, b = k % own->corners;
            double sum = 0;
            for (int r = 0; r < own->rows; ++r)
                sum += coefficient(own, element, r, a) * coefficient(own, element, r, b);
            out[lane * n * n + a * n + b] = weight * sum;
        }
    }
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    Block b;
    double value[LANES];
    blockCorners(energy, element / LANES, x, b.corners);
    blockValues(energy, element / LANES, &b, value);
    snprintf(text, size, "constraint %d: vertex %d and %d more, energy %.4g J", element,
             laneVertices(energy, element / LANES)[element % LANES], ownOf(energy)->corners - 1,
             value[element % LANES]);
}

// ---- the sweep ------------------------------------------------------------------------------------------------------

static ElementPoint elementAt(const Energy *energy, int element, const double *x)
{
    const OwnConstraint *own = ownOf(energy);
    double z[SIZE], p[SIZE], weight = energyGetParam(energy, element, 0), sum = 0;
    ElementPoint point = { .value = 0 };
    multiply(own, element, x, z);
    nearest(own, element, z, p);
    for (int i = 0; i < 3 * own->rows; ++i)
    {
        double off = z[i] - p[i];
        sum += off * off;
        for (int c = 0; c < own->corners; ++c)
            point.gradient[3 * c + i % 3] += weight * coefficient(own, element, i / 3, c) * off;
    }
    point.value = 0.5 * weight * sum;
    return point;
}

// no potential of a nearest point bends upwards more than w
static double elementCurvature(const Energy *energy, int element, const double *x, const double *direction)
{
    (void)x;
    const OwnConstraint *own = ownOf(energy);
    double z[SIZE], sum = 0;
    multiply(own, element, direction, z);
    for (int i = 0; i < 3 * own->rows; ++i)
        sum += z[i] * z[i];
    return energyGetParam(energy, element, 0) * sum;
}

static void sweepConstants(const Energy *energy, int element, const SweepMass *mass, double h, double *out)
{
    (void)h;
    const OwnConstraint *own = ownOf(energy);
    double square[MAX_CORNERS] = { 0 };
    for (int k = 0; k < own->rows * own->corners; ++k)
    {
        double a = coefficient(own, element, k / own->corners, k % own->corners);
        square[k % own->corners] += a * a;
    }
    elementConstants(energyGetParam(energy, element, 0) > 0, own->corners, mass, square, out);
}

static void sweepBatches(SweepPlan *plan, const SweepContext *context, int begin, int end)
{
    elementBatches(plan, context, begin, end, ownOf(plan->energy)->corners, elementAt, elementCurvature);
}

#define OWN_SWEEP(count)                                                                                               \
    {                                                                                                                  \
        .rows = 3 * (count), .constantCount = ELEMENT_CONSTANTS, .constants = sweepConstants, .batches = sweepBatches  \
    }

static const SweepKind sweeps[] = { OWN_SWEEP(2), OWN_SWEEP(4), OWN_SWEEP(8), OWN_SWEEP(MAX_CORNERS) };

#define OWN_KIND(count, swept)                                                                                         \
    {                                                                                                                  \
        .name = "own", .traits = TRAIT_PROJECTIVE | TRAIT_SWEEP, .column = COLUMN_ELASTIC, .corners = count,           \
        .paramCount = 1, .sweep = &sweeps[swept], .lineCount = 6 * (count), .prepare = prepare, .values = values,      \
        .gradient = gradient, .lineStart = lineStart, .lineValues = lineValues, .hessian = hessian,                    \
        .majorizer = majorizer, .project = project, .describe = describe                                               \
    }

static const EnergyKind kinds[] = { OWN_KIND(2, 0), OWN_KIND(4, 1), OWN_KIND(8, 2), OWN_KIND(MAX_CORNERS, 3) };

const EnergyKind *ownKind(int corners)
{
    int k = 0;
    while (kinds[k].corners < corners)
        k += 1;
    return &kinds[k];
}

bool energyIsOwn(const Energy *energy)
{
    return energy->kind >= kinds && energy->kind < kinds + sizeof kinds / sizeof kinds[0];
}
