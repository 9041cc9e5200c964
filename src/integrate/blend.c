// Between two ends of a step: x = x_0 + alpha (x_1 - x_0), v likewise (Dinev 2018, Eq 21 and 22), and the alpha whose energy
// meets the target. Kinetic energy is a quadratic of alpha, external energies are linear, the others know their value along
// a line (tets: F is affine in alpha); nothing is evaluated twice.
#include "integrate/integrate.h"

#define MOST_EVALUATIONS 60

static bool isLinear(const Energy *energy)
{
    return (energy->traits & TRAIT_EXTERNAL) != 0;
}

static bool isDissipative(const Energy *energy)
{
    return (energy->traits & TRAIT_DISSIPATIVE) != 0;
}

// v = a (x - x_n) + b v_n of the start
static Vec3 velocityOf(const Blend *blend, const State *s, const double *x, int v)
{
    Vec3 moved = vecSub(vecLoad(x + 3 * (ptrdiff_t)v), vecLoad(s->start + 3 * (ptrdiff_t)v));
    return vecAdd(vecScale(blend->a, moved), vecScale(blend->b, vecLoad(s->startVelocity + 3 * (ptrdiff_t)v)));
}

static void lineOf(Blend *blend, System *system, Energy *energy, const double *start, int base)
{
    const State *s = &system->state;
    int end = base + 3 * energy->vertexCount;
    if (isDissipative(energy))
    {
        for (int i = base; i < end; ++i)
        {
            s->rate[i] = (start[i] - s->start[i]) / blend->h;
            s->scratch[i] = s->direction[i] / blend->h;
        }
        energyLineStart(energy, s->rate + base, s->scratch + base);
        return;
    }
    if (energy->kind->column == COLUMN_NONE)
        return; // its work is among the added
    energyLineStart(energy, start + base, s->direction + base);
    if (isLinear(energy))
    {
        double first = energyLineValue(energy, 0);
        blend->external[0] += first;
        blend->external[1] += energyLineValue(energy, 1) - first;
    }
}

void blendStart(Blend *blend, System *system, const double *start, double first, double last)
{
    State *s = &system->state;
    for (int i = 0; i < 3 * s->count; ++i)
        s->direction[i] = s->position[i] - start[i];
    for (int k = 0; k < 3; ++k)
        blend->kinetic[k] = 0;
    for (int v = 0; v < s->count; ++v)
    {
        if (s->pinned[v])
            continue;
        Vec3 from = velocityOf(blend, s, start, v), way = vecSub(vecLoad(s->velocity + 3 * (ptrdiff_t)v), from);
        blend->kinetic[0] += 0.5 * s->mass[v] * vecDot(from, from);
        blend->kinetic[1] += s->mass[v] * vecDot(from, way);
        blend->kinetic[2] += 0.5 * s->mass[v] * vecDot(way, way);
    }
    blend->added[0] = first;
    blend->added[1] = last;
    blend->external[0] = blend->external[1] = 0;
    blend->evaluations = 0;
    systemSetFraction(system, 1);
    for (int p = 0; p < system->partCount; ++p)
    {
        for (int e = 0; e < system->part[p]->energyCount; ++e)
            lineOf(blend, system, system->part[p]->energy[e], start, 3 * system->part[p]->offset);
    }
    for (int k = 0; k < JOINTS; ++k)
    {
        if (system->joint[k] != NULL)
            lineOf(blend, system, system->joint[k], start, 0);
    }
}

// adds one energy to the balance; returns what it dissipates
static double valueAt(Blend *blend, Energy *energy, double alpha)
{
    if (isDissipative(energy))
        return 2 * blend->h * energyLineValue(energy, alpha);
    if (energy->kind->column == COLUMN_ELASTIC)
        blend->balance.elastic += energyLineValue(energy, alpha);
    else if (energy->kind->column == COLUMN_CONTACT)
        blend->balance.contact += energyLineValue(energy, alpha);
    return 0;
}

double blendError(Blend *blend, System *system, double alpha)
{
    double dissipated = 0, added = blend->added[0] + alpha * (blend->added[1] - blend->added[0]);
    const double *k = blend->kinetic;
    blend->evaluations += 1;
    blend->balance = (Balance){ .kinetic = maxReal(k[0] + alpha * (k[1] + alpha * k[2]), 0),
                                .gravity = blend->external[0] + alpha * blend->external[1] };
    for (int p = 0; p < system->partCount; ++p)
    {
        for (int e = 0; e < system->part[p]->energyCount; ++e)
            dissipated += valueAt(blend, system->part[p]->energy[e], alpha);
    }
    for (int j = 0; j < JOINTS; ++j)
    {
        if (system->joint[j] != NULL)
            dissipated += valueAt(blend, system->joint[j], alpha);
    }
    return balanceTotal(&blend->balance) - (system->target + added - dissipated);
}

// ---- the search ------------------------------------------------------------------------------------------------------

typedef struct Bracket
{
    double low, high, third; // the root is between the first two
    double lowError, highError, thirdError;
    bool hasThird;
} Bracket;

// the root of the parabola through three points, or the secant's
static double interpolate(const Bracket *b)
{
    double width = b->high - b->low, slope = (b->highError - b->lowError) / width;
    double secant = b->low - b->lowError / slope;
    if (!b->hasThird || b->third == b->low || b->third == b->high)
        return secant;
    // e = lowError + slope t + c t (t - width), t from low
    double t = b->third - b->low;
    double c = (b->thirdError - b->lowError - slope * t) / (t * (t - width));
    double linear = slope - c * width, root = linear * linear - 4 * c * b->lowError;
    if (!(root >= 0) || !isfinite(c))
        return secant;
    double q = -0.5 * (linear + (linear < 0 ? -sqrt(root) : sqrt(root)));
    double one = q / c, other = b->lowError / q;
    if (one > 0 && one < width)
        return b->low + one;
    return other > 0 && other < width ? b->low + other : secant;
}

// Bracketing, for e need not be monotone where energies are not convex; parabolas, for e nearly is one: 2.0 evaluations on
// spinning cubes where false position with halved ends (Illinois) takes 3.0 and bisection 8 (docs/stabilized.md). A bracket
// that does not shrink by half in two evaluations is halved.
double blendSearch(Blend *blend, System *system, double first, double last, double tolerance)
{
    Bracket b = { .high = 1, .lowError = first, .highError = last };
    double best = fabs(first) < fabs(last) ? 0 : 1, bestError = minReal(fabs(first), fabs(last)), before = 2;
    for (int k = 0; k < MOST_EVALUATIONS; ++k)
    {
        double width = b.high - b.low, alpha = interpolate(&b);
        if (!(alpha > b.low && alpha < b.high) || (k % 2 == 1 && width > 0.5 * before))
            alpha = 0.5 * (b.low + b.high);
        if (k % 2 == 1)
            before = width;
        double error = blendError(blend, system, alpha);
        if (fabs(error) < bestError)
        {
            best = alpha;
            bestError = fabs(error);
        }
        if (fabs(error) <= tolerance || !(width > 1e-15))
            return alpha;
        bool low = (error < 0) == (b.lowError < 0);
        b.third = low ? b.low : b.high;
        b.thirdError = low ? b.lowError : b.highError;
        b.hasThird = true;
        if (low)
        {
            b.low = alpha;
            b.lowError = error;
        }
        else
        {
            b.high = alpha;
            b.highError = error;
        }
    }
    blendError(blend, system, best); // the balance is that of the alpha returned
    return best;
}

void blendTake(const Blend *blend, System *system, const double *start, double alpha)
{
    State *s = &system->state;
    for (int v = 0; v < s->count; ++v)
    {
        ptrdiff_t i = 3 * (ptrdiff_t)v;
        if (s->pinned[v])
            continue; // both ends are where it is told
        Vec3 from = velocityOf(blend, s, start, v), way = vecSub(vecLoad(s->velocity + i), from);
        vecStore(s->velocity + i, vecAdd(from, vecScale(alpha, way)));
        vecStore(s->position + i, vecAdd(vecLoad(start + i), vecScale(alpha, vecLoad(s->direction + i))));
    }
}
