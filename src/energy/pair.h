// Loops shared by the potentials of a distance, phi(|x1 - x0|): a kind supplies the law, these inline it.
#ifndef ENERGY_PAIR_H
#define ENERGY_PAIR_H

#include "energy/kernels.h"

#include <stdio.h>

// phi and its derivatives at distance r. `ratio` is phi'(r) / r, finite also at r = 0.
typedef struct PairPoint
{
    double value, slope, ratio, curvature;
} PairPoint;

// params and lane of one spring: weight at [0], rest length at [LANES]
typedef PairPoint (*PairLaw)(const double *param, double r);

// a spring of length zero pushes along x: any direction is right, a fixed one keeps the bits
static inline Vec3 pairDirection(Vec3 d, double r)
{
    return r > 0 ? vecScale(1 / r, d) : vec3(1, 0, 0);
}

static inline Vec3 pairDifference(const int *vertices, int lane, const double *x)
{
    return vecSub(laneLoad(vertices, 1, lane, x), laneLoad(vertices, 0, lane, x));
}

static inline void pairPrepare(Energy *energy, const Recipe *recipe)
{
    const double *strength = recipe->strength, *rest = recipe->rest;
    for (int block = 0; block < energy->blockCount; ++block)
    {
        const int *vertices = laneVertices(energy, block);
        double *param = laneParams(energy, block);
        int first = block * LANES, last = energy->elementCount - 1 - first;
        for (int lane = 0; lane < LANES; ++lane)
        {
            param[lane] = strength != NULL ? strength[first + minInt(lane, last)] : 1;
            param[LANES + lane] = vecLength(pairDifference(vertices, lane, rest));
        }
    }
}

static inline void pairValues(Energy *energy, const double *x, int begin, int end, PairLaw law)
{
    for (int block = begin; block < end; ++block)
    {
        const int *vertices = laneVertices(energy, block);
        const double *params = laneParams(energy, block);
        for (int lane = 0; lane < LANES; ++lane)
        {
            double r = vecLength(pairDifference(vertices, lane, x));
            energy->value[block * LANES + lane] = law(params + lane, r).value;
        }
    }
}

static inline void pairGradient(Energy *energy, const double *x, int begin, int end, PairLaw law)
{
    for (int block = begin; block < end; ++block)
    {
        const int *vertices = laneVertices(energy, block);
        const double *params = laneParams(energy, block);
        for (int lane = 0; lane < LANES; ++lane)
        {
            Vec3 d = pairDifference(vertices, lane, x);
            double r = vecLength(d);
            PairPoint point = law(params + lane, r);
            Vec3 force = r > 0 ? vecScale(point.ratio, d) : vec3(point.slope, 0, 0);
            vecStore(elementSlots(energy, block * LANES + lane), vecScale(-1, force));
            vecStore(elementSlots(energy, block * LANES + lane) + 3, force);
        }
    }
}

// phi'' n n^T + phi'/r (I - n n^T), with both coefficients clamped for the semidefinite form
static inline void pairHessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out,
                               PairLaw law)
{
    const int *vertices = laneVertices(energy, block);
    const double *params = laneParams(energy, block);
    for (int lane = 0; lane < LANES; ++lane)
    {
        Vec3 d = pairDifference(vertices, lane, x);
        double r = vecLength(d);
        PairPoint point = law(params + lane, r);
        double along = point.curvature, across = point.ratio;
        if (mode == HESSIAN_SEMIDEFINITE)
        {
            along = maxReal(along, 0);
            across = maxReal(across, 0);
        }
        double n[3];
        vecStore(n, pairDirection(d, r));
        double *matrix = out + lane * 36;
        for (int i = 0; i < 3; ++i)
        {
            for (int j = 0; j < 3; ++j)
            {
                double entry = (along - across) * n[i] * n[j] + (i == j ? across : 0);
                matrix[i * 6 + j] = matrix[(i + 3) * 6 + j + 3] = entry;
                matrix[i * 6 + j + 3] = matrix[(i + 3) * 6 + j] = -entry;
            }
        }
    }
}

static inline void pairLineStart(Energy *energy, const double *x, const double *d, int begin, int end)
{
    for (int block = begin; block < end; ++block)
    {
        const int *vertices = laneVertices(energy, block);
        double *line = laneLine(energy, block);
        for (int lane = 0; lane < LANES; ++lane)
        {
            laneStore(line, 0, lane, pairDifference(vertices, lane, x));
            laneStore(line, 1, lane, pairDifference(vertices, lane, d));
        }
    }
}

static inline void pairLineValues(Energy *energy, double alpha, int begin, int end, PairLaw law)
{
    for (int block = begin; block < end; ++block)
    {
        const double *line = laneLine(energy, block);
        const double *params = laneParams(energy, block);
        for (int lane = 0; lane < LANES; ++lane)
        {
            double sum = 0;
            for (int a = 0; a < 3; ++a)
            {
                double component = line[a * LANES + lane] + alpha * line[(3 + a) * LANES + lane];
                sum += component * component;
            }
            energy->value[block * LANES + lane] = law(params + lane, sqrt(sum)).value;
        }
    }
}

// scale x weight x [1 -1; -1 1]
static inline void pairMajorizer(const Energy *energy, int block, double *out, double scale)
{
    const double *params = laneParams(energy, block);
    for (int lane = 0; lane < LANES; ++lane)
    {
        double weight = scale * params[lane];
        out[lane * 4 + 0] = out[lane * 4 + 3] = weight;
        out[lane * 4 + 1] = out[lane * 4 + 2] = -weight;
    }
}

static inline void pairDescribe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    const int *vertices = laneVertices(energy, element / LANES) + element % LANES;
    double length = vecLength(pairDifference(vertices - element % LANES, element % LANES, x));
    double rest = energyGetParam(energy, element, 1);
    snprintf(text, size, "%s %d: vertices %d and %d, stiffness %.4g N/m, length %.4g m, rest length %.4g m",
             energy->kind->name, element, vertices[0], vertices[LANES], energyGetParam(energy, element, 0), length,
             rest);
}

// what the sweep reads of a spring; 0 where nothing can move
static inline void pairConstants(const Energy *energy, int element, const SweepMass *mass, double h, double *out)
{
    double k = energyGetParam(energy, element, 0), l = energyGetParam(energy, element, 1);
    double w = mass->inverse[0] + mass->inverse[1], compliance = k > 0 ? sweepCompliance(k, h) : 0;
    double time = isinf(k) || !(k > 0) ? 0 : energy->viscosity + energy->dashpot / k, gamma = sweepGamma(time, h);
    compliance = sweepSharpened(compliance, (1 + gamma) * (mass->overlap[0] + mass->overlap[1]));
    bool acts = k > 0 && w > 0;
    out[PAIR_LENGTH] = l;
    out[PAIR_INVERSE] = acts ? 1 / ((1 + gamma) * w + compliance) : 0;
    out[PAIR_COMPLIANCE] = compliance;
    out[PAIR_GAMMA] = gamma;
    out[PAIR_TAKEN] = time > 0 ? time / h * k : 0;
}

// J: damping over the displacement of a substep, d/h dC^2
static inline void pairLosses(SweepPlan *plan, const SweepContext *context, int begin, int end, bool isSquared)
{
    for (int i = begin * LANES; i < end * LANES; ++i)
    {
        const int *vertices = batchVertices(plan, i / LANES) + i % LANES;
        const double *constants = batchConstants(plan, i / LANES) + i % LANES;
        ptrdiff_t a = 4 * (ptrdiff_t)vertices[0], b = 4 * (ptrdiff_t)vertices[LANES];
        Vec3 now = vecSub(vecLoad(context->row + b), vecLoad(context->row + a));
        Vec3 displacement = vecSub(now, vecSub(vecLoad(context->before + b), vecLoad(context->before + a)));
        double r = vecLength(now), change = vecDot(pairDirection(now, r), displacement);
        change *= isSquared ? r / constants[PAIR_LENGTH * LANES] : 1;
        plan->taken[i] += constants[PAIR_TAKEN * LANES] * change * change;
    }
}

#endif
