// Shape matching of a whole body (Mueller 2005; one of the shape constraints of Bouaziz 2012): sum over the vertices of
// w m/2 |x - p|^2 with p = c + R q the rest shape moved rigidly to where it fits best, c the centre of mass and R the
// nearest rotation of sum m (x - c) q^T. The set is all rigid placements and A the identity: the majorizer is diagonal,
// however many vertices the body has. Each vertex is an element; a range of them looks at all vertices for the fit. The
// sum of the forces and their moment are zero, because c and R are the best.
//
// Clusters (Mueller 2005, section 4.3): elements of one unit, in a row, are a shape of their own; a vertex may be in
// several of them, once in each. Without units the body is one shape.
//
// The Hessian couples every vertex with every other one; its diagonal bound w m stands for it, so that Newton's method
// takes the steps of local/global here. Not in the list of kinds: the generic tests ask for exact Hessians.
#include "energy/sweep.h"

#include <stdio.h>

enum
{
    WEIGHT,             // N/m
    OFFSET,             // q, 3 numbers
    BEGIN = OFFSET + 3, // elements [begin, end) are one shape
    END,
    PARAMS,
};

typedef struct Fit
{
    Vec3 centre;
    Mat3 rotation;
} Fit;

typedef Vec3 (*PointOf)(const Energy *energy, int element, const void *source);

static Vec3 offsetOf(const Energy *energy, int element)
{
    const double *params = laneParams(energy, element / LANES) + element % LANES;
    return vec3(params[OFFSET * LANES], params[(OFFSET + 1) * LANES], params[(OFFSET + 2) * LANES]);
}

// the shape of an element
static Fit fitTo(const Energy *energy, int element, PointOf pointOf, const void *source)
{
    const double *params = laneParams(energy, element / LANES) + element % LANES;
    int begin = (int)params[BEGIN * LANES], end = (int)params[END * LANES];
    double mass = 0;
    Vec3 sum = vec3(0, 0, 0);
    Mat3 moment = { { { 0 } } };
    for (int e = begin; e < end; ++e)
    {
        double w = energyGetParam(energy, e, WEIGHT);
        mass += w;
        sum = vecAdd(sum, vecScale(w, pointOf(energy, e, source)));
    }
    Fit fit = { .centre = mass > 0 ? vecScale(1 / mass, sum) : sum };
    for (int e = begin; e < end; ++e)
    {
        double d[3], q[3], w = energyGetParam(energy, e, WEIGHT);
        vecStore(d, vecSub(pointOf(energy, e, source), fit.centre));
        vecStore(q, offsetOf(energy, e));
        for (int k = 0; k < 9; ++k)
            moment.m[k / 3][k % 3] += w * d[k / 3] * q[k % 3];
    }
    fit.rotation = nearestRotation(&moment);
    return fit;
}

// elements of a shape lie in a row: the fit of the one before, where it is the same shape
static void refit(const Energy *energy, int element, int begin, PointOf pointOf, const void *source, Fit *fit)
{
    double first = energyGetParam(energy, element, BEGIN);
    if (element == begin || first > energyGetParam(energy, element - 1, BEGIN))
        *fit = fitTo(energy, element, pointOf, source);
}

static Vec3 goalOf(const Energy *energy, int element, const Fit *fit)
{
    return vecAdd(fit->centre, matApply(&fit->rotation, offsetOf(energy, element)));
}

static Vec3 pointAt(const Energy *energy, int element, const void *source)
{
    return laneLoad(laneVertices(energy, element / LANES), 0, element % LANES, source);
}

// recipe->strength: w m of each element
static void prepare(Energy *energy, const Recipe *recipe)
{
    int begin = 0, end = 0, last = energy->elementCount - 1;
    Vec3 centre = vec3(0, 0, 0);
    for (int i = 0; i < energy->blockCount * LANES; ++i)
    {
        if (i == end && i <= last) // the next shape; padding is of the last one
        {
            double mass = 0;
            Vec3 sum = vec3(0, 0, 0);
            for (begin = i; end <= last && (recipe->unit == NULL || recipe->unit[end] == recipe->unit[begin]); ++end)
            {
                mass += recipe->strength[end];
                sum = vecAdd(sum, vecScale(recipe->strength[end], pointAt(energy, end, recipe->rest)));
            }
            centre = vecScale(1 / mass, sum);
        }
        double *params = laneParams(energy, i / LANES) + i % LANES;
        Vec3 q = vecSub(pointAt(energy, i, recipe->rest), centre);
        params[WEIGHT] = recipe->strength[minInt(i, last)];
        params[OFFSET * LANES] = q.x;
        params[(OFFSET + 1) * LANES] = q.y;
        params[(OFFSET + 2) * LANES] = q.z;
        params[BEGIN * LANES] = begin;
        params[END * LANES] = end;
    }
}

static void storeValues(Energy *energy, int begin, int end, PointOf pointOf, const void *source)
{
    Fit fit = { 0 };
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        refit(energy, i, begin * LANES, pointOf, source, &fit);
        Vec3 away = vecSub(pointOf(energy, i, source), goalOf(energy, i, &fit));
        energy->value[i] = 0.5 * laneParams(energy, i / LANES)[i % LANES] * vecDot(away, away);
    }
}

static void values(Energy *energy, const double *x, int begin, int end)
{
    storeValues(energy, begin, end, pointAt, x);
}

static void gradient(Energy *energy, const double *x, int begin, int end)
{
    Fit fit = { 0 };
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        refit(energy, i, begin * LANES, pointAt, x, &fit);
        Vec3 away = vecSub(pointAt(energy, i, x), goalOf(energy, i, &fit));
        vecStore(elementSlots(energy, i), vecScale(laneParams(energy, i / LANES)[i % LANES], away));
    }
}

static void project(Energy *energy, const double *x, int begin, int end)
{
    Fit fit = { 0 };
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        refit(energy, i, begin * LANES, pointAt, x, &fit);
        vecStore(elementSlots(energy, i), vecScale(laneParams(energy, i / LANES)[i % LANES], goalOf(energy, i, &fit)));
    }
}

static void lineStart(Energy *energy, const double *x, const double *d, int begin, int end)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        laneStore(laneLine(energy, i / LANES), 0, i % LANES, pointAt(energy, i, x));
        laneStore(laneLine(energy, i / LANES), 1, i % LANES, pointAt(energy, i, d));
    }
}

static Vec3 pointOnLine(const Energy *energy, int element, const void *source)
{
    const double *line = laneLine(energy, element / LANES) + element % LANES;
    double alpha = *(const double *)source;
    return vec3(line[0] + alpha * line[3 * LANES], line[LANES] + alpha * line[4 * LANES],
                line[2 * LANES] + alpha * line[5 * LANES]);
}

static void lineValues(Energy *energy, double alpha, int begin, int end)
{
    storeValues(energy, begin, end, pointOnLine, &alpha);
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    (void)x;
    (void)mode;
    for (int i = 0; i < LANES * 9; ++i)
        out[i] = i % 9 % 4 == 0 ? laneParams(energy, block)[i / 9] : 0;
}

static void majorizer(const Energy *energy, int block, double *out)
{
    for (int lane = 0; lane < LANES; ++lane)
        out[lane] = laneParams(energy, block)[lane];
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    Fit fit = fitTo(energy, element, pointAt, x);
    snprintf(text, size, "shape %d: vertex %d is %.4g m from its place in the shape", element,
             laneVertices(energy, element / LANES)[element % LANES],
             vecLength(vecSub(pointAt(energy, element, x), goalOf(energy, element, &fit))));
}

// ---- the sweep ------------------------------------------------------------------------------------------------------

// Three constraints x - p a vertex, compliance 1 / (w m), all from one fit. Masses and weights are in one ratio, so
// that what they are pushed with has no sum, as the forces.

static Vec3 pointInRows(const Energy *energy, int element, const void *source)
{
    const double *row = source;
    return vecLoad(row + 4 * (ptrdiff_t)laneVertices(energy, element / LANES)[element % LANES]);
}

static void sweepElements(Energy *energy, const SweepContext *context, SweepWork *work)
{
    (void)work;
    Fit fit = { 0 };
    for (int e = 0; e < energy->elementCount; ++e)
    {
        refit(energy, e, 0, pointInRows, context->row, &fit); // of a cluster before its first vertex moves
        double *row = context->row + 4 * (ptrdiff_t)laneVertices(energy, e / LANES)[e % LANES];
        double *lambda = elementLambda(energy, e), weight = energyGetParam(energy, e, WEIGHT);
        Vec3 before = context->again ? vec3(lambda[0], lambda[LANES], lambda[2 * LANES]) : vec3(0, 0, 0);
        for (int a = 0; a < 3; ++a)
            lambda[a * LANES] = 0;
        if (!(weight > 0))
            continue;
        double compliance = sweepCompliance(weight, context->h);
        Vec3 off = vecAdd(vecSub(vecLoad(row), goalOf(energy, e, &fit)), vecScale(compliance, before));
        Vec3 change = vecScale(-1 / (row[3] + compliance), off), now = vecAdd(before, change);
        lambda[0] = now.x;
        lambda[LANES] = now.y;
        lambda[2 * LANES] = now.z;
        vecStore(row, vecAdd(vecLoad(row), vecScale(row[3], change)));
    }
}

static const SweepKind sweep = { .rows = 3, .elements = sweepElements };

const EnergyKind shapeMatchingKind = {
    .name = "shape-matching",
    .traits = TRAIT_INTERNAL | TRAIT_PROJECTIVE | TRAIT_SWEEP | TRAIT_WHOLE,
    .column = COLUMN_ELASTIC,
    .corners = 1,
    .paramCount = PARAMS,
    .lineCount = 6,
    .prepare = prepare,
    .values = values,
    .gradient = gradient,
    .lineStart = lineStart,
    .lineValues = lineValues,
    .hessian = hessian,
    .majorizer = majorizer,
    .project = project,
    .sweep = &sweep,
    .describe = describe,
};
