// Between two ends of a step: x = x_0 + alpha (x_1 - x_0), v likewise (Dinev 2018, Eq 21 and 22), and the alpha whose
// energy meets the target. Kinetic energy is a quadratic of alpha; the others are asked for at the place itself, where
// their elements start from what they found at the last one. One evaluation is what most searches take, and a line
// prepared for more (F and its change of every tet) costs as much as half of one.
#include "integrate/integrate.h"

#include <string.h>

#define MOST_EVALUATIONS 60
#define MOST_GUESSES 2 // without a bracket, before the end is asked for

void blendDisplacement(Blend *blend, const System *system, const double *start)
{
    const State *s = &system->state;
    blend->inertia[0] = blend->inertia[1] = 0;
    for (int i = 0; i < 3 * s->count; ++i)
    {
        double d = s->pinned[i / 3] ? 0 : s->mass[i / 3] * (s->position[i] - start[i]);
        blend->inertia[0] += d * (start[i] - s->inertial[i]);
        blend->inertia[1] += d * (s->position[i] - start[i]);
    }
}

void blendStart(Blend *blend, System *system, const double *start, const double *velocity, const double error[2],
                const double added[2])
{
    State *s = &system->state;
    double kinetic[3] = { 0 };
    for (int i = 0; i < 3 * s->count; ++i)
        s->direction[i] = s->position[i] - start[i];
    for (int v = 0; v < s->count; ++v)
    {
        ptrdiff_t i = 3 * (ptrdiff_t)v;
        if (s->pinned[v])
            continue;
        Vec3 from = vecLoad(velocity + i), change = vecSub(vecLoad(s->velocity + i), from);
        kinetic[0] += 0.5 * s->mass[v] * vecDot(from, from);
        kinetic[1] += s->mass[v] * vecDot(from, change);
        kinetic[2] += 0.5 * s->mass[v] * vecDot(change, change);
    }
    memcpy(blend->kinetic, kinetic, sizeof kinetic);
    for (int k = 0; k < 2; ++k)
    {
        blend->error[k] = error[k];
        blend->added[k] = added[k];
    }
    blend->start = start;
    blend->velocity = velocity;
    blend->slope = blend->curve = NAN;
    blend->evaluations = 0;
    if (blend->keepsMomentum)
        turningStart(blend, system);
    systemSetFraction(system, 1);
}

void blendPredict(Blend *blend, const System *system, double along, double bend)
{
    blend->slope = blend->kinetic[1] + along;
    blend->curve = blend->kinetic[2] + bend;
    if (!blend->keepsMomentum)
        return;
    // the parabola through three places: inertia hardly changes on the way
    double at[3] = { turningKinetic(system, 0), turningKinetic(system, 0.5), turningKinetic(system, 1) };
    blend->slope += 4 * at[1] - 3 * at[0] - at[2];
    blend->curve += 2 * (at[0] + at[2] - 2 * at[1]);
}

// J, e(alpha)
static double errorAt(Blend *blend, System *system, double alpha)
{
    State *s = &system->state;
    double *x = scratchTake(s), added = blend->added[0] + alpha * (blend->added[1] - blend->added[0]);
    const double *k = blend->kinetic;
    for (int i = 0; i < 3 * s->count; ++i)
        x[i] = blend->start[i] + alpha * s->direction[i];
    const double *from = system->step->origin ? system->step->origin : s->start;
    for (int i = 0; i < 3 * s->count && system->dissipates; ++i)
        s->rate[i] = (x[i] - from[i]) / blend->h;
    blend->evaluations += 1;
    blend->balance = balanceStored(system, x);
    blend->balance.kinetic = maxReal(k[0] + alpha * (k[1] + alpha * k[2]), 0);
    if (blend->keepsMomentum)
        blend->balance.kinetic += turningKinetic(system, alpha);
    balanceAdopt(system);
    scratchGive(s, x);
    return balanceTotal(&blend->balance) - (system->step->target + added - dissipatedBy(system, blend->h));
}

// ---- the search -----------------------------------------------------------------------------------------------------

typedef struct Bracket
{
    double low, high, third; // the root is between the first two
    double lowError, highError, thirdError;
    bool hasThird;
    double curve; // what e has of alpha^2, where there is no third; NaN: not known
} Bracket;

// the root of error + linear t + c t^2 in (0, width), or `otherwise`
static double rootOf(double error, double linear, double c, double width, double otherwise)
{
    double root = linear * linear - 4 * c * error;
    if (!(root >= 0) || !isfinite(c))
        return otherwise;
    double q = -0.5 * (linear + (linear < 0 ? -sqrt(root) : sqrt(root)));
    double one = q / c, other = error / q;
    if (one > 0 && one < width)
        return one;
    return other > 0 && other < width ? other : otherwise;
}

// the root of the parabola through both ends and a third point or with the curvature foreseen; without them the
// secant's
static double interpolate(const Bracket *b)
{
    double width = b->high - b->low, slope = (b->highError - b->lowError) / width;
    double secant = -b->lowError / slope, c = b->curve;
    if (b->hasThird)
    {
        // e = lowError + slope t + c t (t - width), t from low
        double t = b->third - b->low;
        c = (b->thirdError - b->lowError - slope * t) / (t * (t - width));
    }
    return b->low + rootOf(b->lowError, slope - c * width, c, width, secant);
}

// Where the other end is not known: by what is foreseen; what was found at low puts the slope right, which is less
// certain than the curvature
static double extrapolate(const Blend *blend, const Bracket *b)
{
    double linear = blend->slope;
    if (b->low > 0)
        linear = (b->lowError - blend->error[0]) / b->low - blend->curve * b->low;
    double alpha = rootOf(blend->error[0], linear, blend->curve, 1, 1);
    return alpha > b->low ? alpha : 1;
}

// takes the error at alpha into the bracket: low has the sign of the start
static void narrow(Bracket *b, double alpha, double error)
{
    bool low = (error < 0) == (b->lowError < 0);
    if (low || isfinite(b->highError))
    {
        b->third = low ? b->low : b->high;
        b->thirdError = low ? b->lowError : b->highError;
        b->hasThird = true;
    }
    if (low)
    {
        b->low = alpha;
        b->lowError = error;
    }
    else
    {
        b->high = alpha;
        b->highError = error;
    }
}

// Bracketing, for e need not be monotone where energies are not convex; parabolas, for e nearly is one. Where the slope
// at the start is known, guesses need no other end: 1.0 evaluations on spinning cubes towards backward Euler, whose
// model is good to 1e-3, 2.0 towards forward Euler (docs/notes/stabilized.md; false position with halved ends takes
// 3.0, bisection 8). A bracket that does not shrink by half in two evaluations is halved.
double blendSearch(Blend *blend, System *system, double tolerance)
{
    Bracket b = { .high = 1, .lowError = blend->error[0], .highError = blend->error[1], .curve = blend->curve };
    double best = 0, bestError = fabs(b.lowError), before = 2;
    int guesses = isnan(blend->slope) ? MOST_GUESSES : 0;
    for (int k = 0; k < MOST_EVALUATIONS; ++k)
    {
        double width = b.high - b.low, alpha;
        if (isnan(b.highError))
            alpha = guesses++ < MOST_GUESSES ? extrapolate(blend, &b) : 1;
        else
        {
            alpha = interpolate(&b);
            if (!(alpha > b.low && alpha < b.high) || (k % 2 == 1 && width > 0.5 * before))
                alpha = 0.5 * (b.low + b.high);
            if (k % 2 == 1)
                before = width;
        }
        double error = errorAt(blend, system, alpha);
        if (alpha == 1)
            blend->error[1] = error;
        if (fabs(error) < bestError)
        {
            best = alpha;
            bestError = fabs(error);
        }
        if (fabs(error) <= tolerance || !(width > 1e-15))
            return alpha;
        if (!isfinite(error) || (alpha == 1 && (error < 0) == (blend->error[0] < 0)))
            return NAN;
        narrow(&b, alpha, error);
    }
    errorAt(blend, system, best); // the balance is that of the alpha returned
    return best;
}

void blendTake(const Blend *blend, System *system, double alpha)
{
    State *s = &system->state;
    const double *start = blend->start;
    for (int v = 0; v < s->count; ++v)
    {
        ptrdiff_t i = 3 * (ptrdiff_t)v;
        if (s->pinned[v])
            continue; // both ends are where it is told
        Vec3 from = vecLoad(blend->velocity + i), change = vecSub(vecLoad(s->velocity + i), from);
        vecStore(s->velocity + i, vecAdd(from, vecScale(alpha, change)));
        vecStore(s->position + i, vecAdd(vecLoad(start + i), vecScale(alpha, vecLoad(s->direction + i))));
    }
}
