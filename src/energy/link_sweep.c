// The distance of two ends, each a mean of vertices, as attachments between bodies hold it: C = |b - a| - l with
// compliance 1/k (Macklin 2019, Eq 4), one after the other, for several may hold one vertex. Springs within a body are
// swept by kernels (spring_sweep_kernels.c).
#include "energy/endpoint.h"
#include "energy/kernels.h"
#include "energy/link.h"

#define RIGID 1e3 // stiffness over inverse mass and h^2

enum // rows of multipliers
{
    LINK_TENSION,               // below 0 where it pulls
    LINK_FORCE,                 // 3: on the second end, as it acted
    LINK_SLID = LINK_FORCE + 3, // how far that had slid
    LINK_ROWS,
};

static Endpoint endOf(const Energy *energy, int i, int end)
{
    const int *vertices = laneVertices(energy, i / LANES) + i % LANES;
    Endpoint point = { .count = 0 };
    for (int k = 0; k < LINK_END; ++k)
    {
        int corner = linkCorner(end, k);
        double share = energyGetParam(energy, i, LINK_SHARE + corner);
        point.vertex[point.count] = vertices[corner * LANES];
        point.share[point.count] = end == 0 ? -share : share;
        point.count += share != 0;
    }
    return point;
}

// moves an end that slides to where it is nearest to the first; returns how far along the line
static double slide(const Energy *energy, int i, const double *row, const Endpoint *a, Endpoint *b)
{
    const int *vertices = laneVertices(energy, i / LANES) + i % LANES;
    Endpoint line = { .count = LINK_END };
    for (int k = 0; k < LINK_END; ++k)
    {
        line.vertex[k] = vertices[linkCorner(1, k) * LANES];
        line.share[k] = energyGetParam(energy, i, LINK_ALONG + k);
    }
    Vec3 along = endpointAt(&line, row), d = vecSub(endpointAt(b, row), endpointAt(a, row));
    double square = vecDot(along, along), slid = square > 0 ? -vecDot(d, along) / square : 0;
    b->count = LINK_END;
    for (int k = 0; k < LINK_END; ++k)
    {
        b->vertex[k] = line.vertex[k];
        b->share[k] = energyGetParam(energy, i, LINK_SHARE + linkCorner(1, k)) + slid * line.share[k];
    }
    return slid;
}

static Vec3 forceOf(const double *lambda)
{
    return vec3(lambda[LINK_FORCE * LANES], lambda[(LINK_FORCE + 1) * LANES], lambda[(LINK_FORCE + 2) * LANES]);
}

static void pushBoth(const SweepContext *context, const Endpoint *a, const Endpoint *b, Vec3 impulse, double *lambda)
{
    endpointPush(a, context->row, context->row, vecScale(-1, impulse));
    endpointPush(b, context->row, context->row, impulse);
    lambda[LINK_FORCE * LANES] += impulse.x;
    lambda[(LINK_FORCE + 1) * LANES] += impulse.y;
    lambda[(LINK_FORCE + 2) * LANES] += impulse.z;
}

// what the spring does where the step begins, kg m; of what is as good as rigid rounding, and nothing is said
static Vec3 forceBefore(const Energy *energy, const SweepContext *context, int i, double *tension)
{
    Endpoint a = endOf(energy, i, 0), b = endOf(energy, i, 1);
    if (energyGetParam(energy, i, LINK_SLIDES) != 0)
        slide(energy, i, context->before, &a, &b);
    Vec3 d = vecSub(endpointAt(&b, context->before), endpointAt(&a, context->before)), n = endpointDirection(d);
    double inverse = endpointInverse(&a, context->row, n) + endpointInverse(&b, context->row, n);
    double k = context->h * context->h * energyGetParam(energy, i, LINK_STIFFNESS);
    double stretch = vecLength(d) - energyGetParam(energy, i, LINK_LENGTH);
    *tension = k * inverse < RIGID ? -k * linkStretch(stretch, energyGetParam(energy, i, LINK_SIDE)) : 0;
    return vecScale(*tension, n);
}

static void startLink(Energy *energy, const SweepContext *context, int i, bool first)
{
    double *lambda = elementLambda(energy, i);
    Vec3 force = forceOf(lambda);
    Endpoint a = endOf(energy, i, 0), b = endOf(energy, i, 1);
    if (first)
        force = forceBefore(energy, context, i, lambda);
    if (energyGetParam(energy, i, LINK_SLIDES) != 0)
        slide(energy, i, context->row, &a, &b);
    lambda[0] *= 0.5;
    for (int r = LINK_FORCE; r < LINK_ROWS; ++r)
        lambda[r * LANES] = 0;
    pushBoth(context, &a, &b, vecScale(0.5, force), lambda);
}

static void start(Energy *energy, const SweepContext *context, bool first)
{
    for (int n = 0; n < energy->elementCount; ++n)
        startLink(energy, context, n, first);
}

static void solveLink(Energy *energy, const SweepContext *context, int i)
{
    Endpoint a = endOf(energy, i, 0), b = endOf(energy, i, 1);
    double *lambda = elementLambda(energy, i), k = energyGetParam(energy, i, LINK_STIFFNESS);
    double l = energyGetParam(energy, i, LINK_LENGTH);
    double slid = energyGetParam(energy, i, LINK_SLIDES) != 0 ? slide(energy, i, context->row, &a, &b) : 0;
    for (int r = 0; r < LINK_ROWS && !context->again && !context->once; ++r)
        lambda[r * LANES] = 0;
    Vec3 d = vecSub(endpointAt(&b, context->row), endpointAt(&a, context->row)), n = endpointDirection(d);
    double inverse = endpointInverse(&a, context->row, n) + endpointInverse(&b, context->row, n);
    if (!(k > 0) || !(inverse > 0))
        return;
    double compliance = sweepCompliance(k, context->h), side = energyGetParam(energy, i, LINK_SIDE);
    lambda[LINK_SLID * LANES] = slid;
    if (l == 0 && side == 0) // in all directions at once
    {
        Vec3 off = vecAdd(d, vecScale(compliance, forceOf(lambda)));
        pushBoth(context, &a, &b, vecScale(-1 / (inverse + compliance), off), lambda);
        lambda[0] = -vecLength(forceOf(lambda));
        return;
    }
    double change = -(vecLength(d) - l + compliance * lambda[0]) / (inverse + compliance);
    if (side * (lambda[0] + change) > 0) // it would do what it does not
        change = -lambda[0];
    lambda[0] += change;
    pushBoth(context, &a, &b, vecScale(change, n), lambda);
}

static void elements(Energy *energy, const SweepContext *context, SweepWork *work)
{
    (void)work;
    for (int n = 0; n < energy->elementCount; ++n)
        solveLink(energy, context, context->backward ? energy->elementCount - 1 - n : n);
}

static void forces(const Energy *energy, int element, Vec3 *out)
{
    const double *lambda = elementLambda(energy, element) + LINK_FORCE * LANES;
    for (int c = 0; c < LINK_CORNERS; ++c)
    {
        double share = energyGetParam(energy, element, LINK_SHARE + c), slid = lambda[(LINK_SLID - LINK_FORCE) * LANES];
        if (linkEnd(c) == 1)
            share += slid * energyGetParam(energy, element, LINK_ALONG + (c < 2 ? 0 : c - LINK_END));
        out[c] = vecScale(share, vec3(lambda[0], lambda[LANES], lambda[2 * LANES]));
    }
}

const SweepKind linkSweep = { .rows = LINK_ROWS, .start = start, .elements = elements, .forces = forces };
