// What yields by one number: springs by their length, hinges by their angle. Beyond the threshold the rest value moves
// until the rest is at it.
#include "energy/kernels.h"
#include "energy/yield.h"

#include <math.h>

#define NEWTONS 20

// ---- springs --------------------------------------------------------------------------------------------------------

// Logarithm of the new rest length over the old one where s = |r / l - 1| is beyond the threshold: |r / l' - 1| =
// threshold + hardening |log|
static double springFlow(double r, double l, double threshold, double hardening)
{
    double sign = r > l ? 1 : -1, flow = 0;
    for (int k = 0; k < NEWTONS; ++k)
    {
        double stretch = r / l * growthOver(-sign * flow), beyond = sign * (stretch - 1) - threshold - hardening * flow;
        double step = beyond / (stretch + hardening);
        flow += step;
        if (fabs(step) <= 1e-15)
            break;
    }
    return sign * flow;
}

static bool springElement(Energy *energy, const double *x, int element, double share)
{
    Yield *yield = energy->yield;
    int block = element / LANES, lane = element % LANES;
    double *params = laneParams(energy, block) + lane, l = params[LANES];
    const int *vertices = laneVertices(energy, block);
    double r = vecLength(vecSub(laneLoad(vertices, 1, lane, x), laneLoad(vertices, 0, lane, x)));
    double threshold = yieldNow(yield, element);
    if (!(l > 0) || !(r > 0) || !(fabs(r - l) > threshold * l))
        return false;
    double flow = share * springFlow(r, l, threshold, yield->hardening);
    double rest = yield->rest[element], total = logarithm(l / rest) + flow;
    flow += maxReal(-yield->limit, minReal(yield->limit, total)) - total;
    if (flow == 0 || (flow > 0) != (r > l))
        return false;
    params[LANES] = l * growthOver(flow);
    yield->strain[element] += fabs(flow);
    return true;
}

static void springPrepare(Energy *energy, const Recipe *recipe)
{
    for (int i = 0; i < energy->blockCount * LANES; ++i)
        energy->yield->threshold[i] = recipe->yield / recipe->young;
    energy->yield->hardening = recipe->hardening / recipe->young;
}

const YieldKind springYield = { .first = 1, .count = 1, .prepare = springPrepare, .flow = springElement };

// ---- hinges ---------------------------------------------------------------------------------------------------------

static bool hingeElement(Energy *energy, const double *x, int element, double share)
{
    Yield *yield = energy->yield;
    int block = element / LANES, lane = element % LANES;
    double *params = laneParams(energy, block) + lane, rest = params[HINGE_LOW * LANES];
    double off = hingePhi(energy, element, x) - rest, sign = off > 0 ? 1 : -1, threshold = yieldNow(yield, element);
    if (!(fabs(off) > threshold))
        return false;
    double flow = share * sign * (fabs(off) - threshold) / (1 + yield->hardening);
    double first = yield->rest[(size_t)block * 2 * LANES + (size_t)lane],
           limit = yield->limit * yield->threshold[element];
    double total = rest + flow - first, after = first + maxReal(-limit, minReal(limit, total));
    flow = after - rest;
    if (flow == 0 || (flow > 0) != (off > 0))
        return false;
    params[HINGE_LOW * LANES] = params[HINGE_HIGH * LANES] = after;
    yield->strain[element] += fabs(flow);
    return true;
}

// A plate bends without limit under the moment yield t^2 / 4 per length, here all at once: of its stiffness
// young t^3 / 12 (1 - poisson^2) that is the curvature 3 (1 - poisson^2) yield / young t. A hinge of length l between
// triangles of the area a has the angle curvature a / l.
static void hingePrepare(Energy *energy, const Recipe *recipe)
{
    double t = recipe->thickness, plane = 1 - recipe->poisson * recipe->poisson;
    double plate = recipe->young * t * t * t / (12 * plane),
           curvature = 3 * plane * recipe->yield / (recipe->young * t);
    for (int i = 0; i < energy->blockCount * LANES; ++i)
    {
        const int *v = laneVertices(energy, i / LANES);
        Vec3 edge = vecSub(laneLoad(v, 1, i % LANES, recipe->rest), laneLoad(v, 0, i % LANES, recipe->rest));
        double stiffness = laneParams(energy, i / LANES)[i % LANES] / recipeStrength(energy, i, recipe);
        double over = stiffness > 0 ? plate * vecLength(edge) / stiffness : 0; // a / l
        energy->yield->threshold[i] = curvature * over;
    }
    // the moment of a plate that has flown grows by hardening t^3 / 12 times its plastic curvature; the strain of its
    // faces is half the thickness times that
    energy->yield->hardening = plane * recipe->hardening / recipe->young;
    energy->yield->limit = recipe->flowLimit * 2 / (t * curvature);
}

const YieldKind hingeYield = { .first = HINGE_LOW, .count = 2, .prepare = hingePrepare, .flow = hingeElement };
