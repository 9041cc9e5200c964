// The sweep of one element by its gradient, for potentials that are neither a distance nor a function of z = A x with
// kernels of its own: corners go along -M^-1 r, r being the gradient and, after the first iteration, what the element
// holds already. As far as lowers inertia and energy most, by t = r.d / (r.d / h^2 + d.Hd) with d = M^-1 r and d.Hd,
// the curvature along it, from the kind: the step of feature.h, without its rows. Multipliers are the forces of the
// corners, times h^2.
#ifndef ENERGY_ELEMENT_SWEEP_H
#define ENERGY_ELEMENT_SWEEP_H

#include "energy/sweep.h"

enum ElementConstant
{
    ELEMENT_ACTS,    // 0: off, or nothing can move
    ELEMENT_OVERLAP, // 1, part of the whole (SweepMass)
    ELEMENT_CONSTANTS,
};

// One element at one moment, corners in the order of the element.
typedef struct ElementPoint
{
    double value;                     // J
    double gradient[3 * MAX_CORNERS]; // N
} ElementPoint;

// x: 3 numbers a corner, m, of the world
typedef ElementPoint (*ElementLaw)(const Energy *energy, int element, const double *x);
typedef double (*ElementCurvature)(const Energy *energy, int element, const double *x, const double *direction);

// `square`: of the gradients of the corners in some measure
static inline void elementConstants(bool acts, int corners, const SweepMass *mass, const double *square, double *out)
{
    double shared = 0, whole = 0;
    for (int c = 0; c < corners; ++c)
    {
        shared += mass->overlap[c] * square[c];
        whole += mass->inverse[c] * square[c];
    }
    out[ELEMENT_ACTS] = acts && whole > 0;
    out[ELEMENT_OVERLAP] = whole > 0 ? shared / whole : 0;
}

// how far along -d, s^2
static inline double elementStep(double along, double bend, double value, double overlap, double h)
{
    double soft = along / (h * h);
    // one sweep, as in feature.h
    if (overlap > 0 && value > 0)
        soft *= soft / (soft + maxReal(bend - (1 - overlap) * along * along / (2 * value), 0));
    return along / (soft + bend);
}

static inline void elementSolve(SweepPlan *plan, const SweepContext *context, int batch, int lane, int corners,
                                ElementLaw law, ElementCurvature curvature)
{
    const int *vertices = batchVertices(plan, batch) + lane;
    const double *constants = batchConstants(plan, batch) + lane;
    double *lambda = batchLambda(plan, batch) + lane, x[3 * MAX_CORNERS] = { 0 }, direction[3 * MAX_CORNERS] = { 0 };
    double scale = 1 / (plan->h * plan->h), along = 0;
    int element = plan->element[batch * LANES + lane], count = 3 * corners;
    if (!(constants[ELEMENT_ACTS * LANES] > 0))
        return;
    for (int c = 0; c < corners; ++c)
        vecStore(x + 3 * c, vecAdd(context->origin, vecLoad(context->row + 4 * (ptrdiff_t)vertices[c * LANES])));
    ElementPoint point = law(plan->energy, element, x);
    for (int i = 0; i < count; ++i)
    {
        double w = context->row[4 * (ptrdiff_t)vertices[i / 3 * LANES] + 3];
        point.gradient[i] += context->again ? scale * lambda[i * LANES] : 0;
        direction[i] = w * point.gradient[i];
        along += direction[i] * point.gradient[i];
    }
    double bend = along > 0 ? maxReal(curvature(plan->energy, element, x, direction), 0) : 0;
    double overlap = context->again ? 0 : constants[ELEMENT_OVERLAP * LANES];
    double t = along > 0 ? elementStep(along, bend, point.value, overlap, plan->h) : 0;
    for (int i = 0; i < count; ++i)
    {
        double before = context->again ? lambda[i * LANES] : 0;
        if (context->keep)
            lambda[i * LANES] = before - t * point.gradient[i];
        context->row[4 * (ptrdiff_t)vertices[i / 3 * LANES] + i % 3] -= t * direction[i];
    }
}

static inline void elementBatches(SweepPlan *plan, const SweepContext *context, int begin, int end, int corners,
                                  ElementLaw law, ElementCurvature curvature)
{
    for (int i = begin; i < end; ++i)
    {
        int batch = context->backward ? begin + end - 1 - i : i;
        for (int lane = 0; lane < plan->used[batch]; ++lane)
            elementSolve(plan, context, batch, lane, corners, law, curvature);
    }
}

#endif
