// What the midpoint rule leaves of the damping of vibrations. It damps by the mean velocity u of a step: a mode of
// frequency w, q = (h w)^2 / 4, loses 1 / (1 + q) of what it should. With x = beta w^2 h the velocity at the end of the
// step is u + e, and overdamped.c has left 1 / (1 + g x) of its part e beyond the mean. Were it A u + B e, the step of
// the mode would have
//
//   determinant (A + B (q - x/2)) / D,   trace (1 - q + x/2 + A - B (q + x/2)) / D,   D = 1 + q + x/2.
//
// A and B are such that these are exp(-x) and, with q' = q - x^2 / 16, 2 exp(-x/2) (1 - q') / (1 + q'): what oscillates
// decays as it should at any step, with the frequency of the midpoint rule times the root of 1 - ratio^2. Beyond the
// critical ratio the trace is that of the oscillator itself, and creep is exact. Without damping both are 1.
//
// The velocity v becomes A(M^-1 K) v + (f - A)(M^-1 K) (v - u), f = B (1 + g x), each by Lanczos' iteration on the
// vector itself: few steps find the frequencies that it has, whatever others the body could have. Both are small for
// what the step resolves: A - 1 is of second order in h, v - u of first. What was lost is booked.
//
// v is what a body does beside a rigid motion: its own, or that of its pins. Bodies whose pins move otherwise are left
// alone, for what follows them is no vibration, and so are bodies that slide. Bodies that meet others are left alone
// too: only a matrix of both would know what they do to each other. Vertices keep their velocities along what else
// holds them in contact. K is that of a body so held, which either moves as a whole and is just hit, or stands: the one
// with less strain.
#include "integrate/integrate.h"
#include "linear/eigen.h"

#include <string.h>

#define SMALL 1e-4  // 1 - f of the mean of all frequencies: so little is left alone
#define BROKEN 1e-9 // of the velocity: what a Krylov space has beyond it is rounding
#define RIGID 1e-6  // of the velocities of pins: what is no rigid motion is rounding

// ---- the factors ----------------------------------------------------------------------------------------------------

typedef double (*Factor)(double square, double h, double beta);

// A and B
static void factorsOf(double square, double h, double beta, double *mean, double *beyond)
{
    double q = 0.25 * h * h * square, x = beta * square * h, whole = 1 + q + 0.5 * x, less = q - x * x / 16, trace;
    *mean = *beyond = 1;
    if (!(q > 1e-8) || !(x > 0) || !isfinite(x * x))
        return;
    if (less > 0)
        trace = 2 * decayOver(0.5 * x) * (1 - less) / (1 + less);
    else
    {
        double fast = 0.5 * x + 2 * sqrt(-less);
        trace = decayOver(fast) + decayOver(4 * q / fast);
    }
    double b = (whole * (decayOver(x) - trace) + 1 - q + 0.5 * x) / (2 * q);
    *beyond = minReal(maxReal(b, 0), 1);
    *mean = minReal(maxReal(decayOver(x) * whole - *beyond * (q - 0.5 * x), 0), 1);
}

// A - 1
static double velocityFactor(double square, double h, double beta)
{
    double mean, beyond;
    factorsOf(square, h, beta, &mean, &beyond);
    return mean - 1;
}

// f - A
static double excessFactor(double square, double h, double beta)
{
    double mean, beyond;
    factorsOf(square, h, beta, &mean, &beyond);
    return beyond * (1 + OVERDAMPED_SHARE * maxReal(beta * square * h, 0)) - mean;
}

// ---- the rigid motion beside which a body vibrates ------------------------------------------------------------------

static Vec3 motionAt(const State *s, const RigidMotion *motion, int v)
{
    Vec3 r = vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), motion->centre);
    return vecAdd(motion->velocity, vecCross(motion->spin, r));
}

// of the pins of a member, which have these velocities; false: they move otherwise
static bool motionOfPins(const State *s, const Member *member, const double *velocity, RigidMotion *motion)
{
    int begin = member->offset, end = begin + member->count;
    double second[6] = { 0 }, all = 0, off = 0;
    Vec3 angular = vec3(0, 0, 0);
    *motion = (RigidMotion){ 0 };
    for (int v = nextPin(s, begin, end); v < end; v = nextPin(s, v + 1, end))
    {
        motion->centre = vecAdd(motion->centre, vecLoad(s->position + 3 * (ptrdiff_t)v));
        motion->velocity = vecAdd(motion->velocity, vecLoad(velocity + 3 * (ptrdiff_t)v));
        motion->count += 1;
    }
    if (motion->count == 0) // slides hold it
        return true;
    motion->centre = vecScale(1.0 / motion->count, motion->centre);
    motion->velocity = vecScale(1.0 / motion->count, motion->velocity);
    for (int v = nextPin(s, begin, end); v < end; v = nextPin(s, v + 1, end))
    {
        Vec3 r = vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), motion->centre);
        momentsAdd(second, 1, r);
        angular = vecAdd(angular, vecCross(r, vecSub(vecLoad(velocity + 3 * (ptrdiff_t)v), motion->velocity)));
    }
    motion->inertia = inertiaOf(second);
    motion->spin = spinOf(&motion->inertia, angular);
    for (int v = nextPin(s, begin, end); v < end; v = nextPin(s, v + 1, end))
    {
        Vec3 u = vecLoad(velocity + 3 * (ptrdiff_t)v), w = vecSub(u, motionAt(s, motion, v));
        all += vecDot(u, u);
        off += vecDot(w, w);
    }
    return off <= RIGID * RIGID * all;
}

// ---- Lanczos' iteration ---------------------------------------------------------------------------------------------

typedef struct Pass
{
    System *system;
    double h;
    FreeDirections free;
    double *const *vector; // VIBRATION_ROOM x count x 3
    bool moves;            // pins do
} Pass;

// of vectors that are zero at pins
static double massProduct(const State *s, const Member *member, const double *a, const double *b)
{
    double sum = 0;
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        const double *p = a + 3 * (ptrdiff_t)v, *q = b + 3 * (ptrdiff_t)v;
        sum += s->mass[v] * (p[0] * q[0] + p[1] * q[1] + p[2] * q[2]);
    }
    return sum;
}

// what of a velocity may change beside a rigid motion
static void setVector(const Pass *pass, const Member *member, const double *velocity, const RigidMotion *motion,
                      double *vector)
{
    const State *s = &pass->system->state;
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        Vec3 w = vecSub(vecLoad(velocity + 3 * (ptrdiff_t)v), motionAt(s, motion, v));
        vecStore(vector + 3 * (ptrdiff_t)v, freeDirectionsTake(s, &pass->free, v, w));
    }
}

// K u into state->gradient, as forces of damping
static void strain(const Pass *pass, const double *vector)
{
    State *s = &pass->system->state;
    memcpy(s->rate, vector, 3 * (size_t)s->count * sizeof(double));
    systemForces(pass->system, energyIsViscous, s->position);
}

static double powerOf(const Pass *pass, const Member *member, const double *vector)
{
    const State *s = &pass->system->state;
    double sum = 0;
    for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
        sum += vector[i] * s->gradient[i];
    return sum;
}

// The first vector of each member, not yet over its norm: `velocity` without the motion beside which it vibrates. Of
// those that contacts hold this is their own or none, as was found for the velocity.
static void beginVectors(const Pass *pass, const double *velocity, bool found)
{
    System *system = pass->system;
    const State *s = &system->state;
    bool any = false;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        RigidMotion none = { 0 }, *motion = &member->step->rigid;
        Krylov *k = &member->step->krylov;
        bool pinned = memberIsPinned(s, member), chooses = k->held && !pinned;
        *k = (Krylov){ .held = k->held, .meets = k->meets, .stands = k->stands, .beside = k->beside };
        k->time = sweepTime(member);
        *motion = rigidMotion(s, s->position, velocity, member->offset, member->offset + member->count);
        if (k->meets || (pinned && !motionOfPins(s, member, velocity, motion)))
            k->time = 0;
        if (found && chooses && k->stands)
            *motion = none;
        k->beside = found ? k->beside : *motion;
        setVector(pass, member, velocity, motion, pass->vector[0]);
        setVector(pass, member, velocity, chooses && !found ? &none : motion, pass->vector[1]);
        any |= chooses && !found && k->time > 0;
    }
    if (!any)
        return;
    for (int which = 0; which < 2; ++which)
    {
        strain(pass, pass->vector[which]);
        for (int p = 0; p < system->memberCount; ++p)
            system->member[p]->step->sum[which] = powerOf(pass, system->member[p], pass->vector[which]);
    }
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        member->step->krylov.stands = member->step->sum[1] < member->step->sum[0]; // equal where nothing is to choose
        if (!member->step->krylov.stands)
            continue;
        member->step->rigid = (RigidMotion){ 0 };
        memcpy(pass->vector[0] + 3 * (ptrdiff_t)member->offset, pass->vector[1] + 3 * (ptrdiff_t)member->offset,
               3 * (size_t)member->count * sizeof(double));
    }
}

static void normalise(const Pass *pass, Member *member)
{
    const State *s = &pass->system->state;
    Krylov *k = &member->step->krylov;
    double *first = pass->vector[0];
    k->norm = sqrt(massProduct(s, member, first, first));
    k->time = k->norm > 0 ? k->time : 0;
    for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
        first[i] = k->norm > 0 ? first[i] / k->norm : 0;
}

// vector j + 1 of a member from K v_j in state->gradient, which is damping
static void extend(const Pass *pass, Member *member, int j)
{
    const State *s = &pass->system->state;
    Krylov *k = &member->step->krylov;
    double *const *vector = pass->vector;
    if (!(k->time > 0) || k->ended)
        return;
    int from = 3 * member->offset, to = 3 * (member->offset + member->count);
    k->alpha[j] = powerOf(pass, member, vector[j]) / k->time;
    k->count = j + 1;
    if (j + 1 == VIBRATION_ROOM)
        return;
    double *next = vector[j + 1];
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        Vec3 force = vecScale(1 / (s->mass[v] * k->time), vecLoad(s->gradient + 3 * (ptrdiff_t)v));
        vecStore(next + 3 * (ptrdiff_t)v, freeDirectionsTake(s, &pass->free, v, force));
    }
    for (int twice = 0; twice < 2; ++twice) // rounding leaves some of the others
    {
        for (int l = 0; l <= j; ++l)
        {
            double share = massProduct(s, member, vector[l], next);
            for (int i = from; i < to; ++i)
                next[i] -= share * vector[l][i];
        }
    }
    double norm = sqrt(massProduct(s, member, next, next));
    k->beta[j] = norm;
    k->ended = !(norm > BROKEN * k->alpha[j]) || !isfinite(norm);
    for (int i = from; i < to; ++i)
        next[i] = k->ended ? 0 : next[i] / norm;
}

// F of the small matrix on its first unit vector, times the vectors
static void setChange(const Pass *pass, const Member *member, Factor factor, double *change)
{
    const Krylov *k = &member->step->krylov;
    int n = k->count;
    double matrix[VIBRATION_ROOM * VIBRATION_ROOM] = { 0 }, values[VIBRATION_ROOM];
    double shapes[VIBRATION_ROOM * VIBRATION_ROOM], share[VIBRATION_ROOM] = { 0 };
    for (int j = 0; j < n; ++j)
    {
        matrix[j * n + j] = k->alpha[j];
        if (j + 1 < n)
            matrix[j * n + j + 1] = matrix[(j + 1) * n + j] = k->beta[j];
    }
    eigenDense(n, matrix, values, shapes);
    for (int e = 0; e < n; ++e)
    {
        double less = factor(values[e], pass->h, k->time) * k->norm * shapes[e * n];
        for (int j = 0; j < n; ++j)
            share[j] += less * shapes[e * n + j];
    }
    for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
    {
        change[i] = 0;
        for (int j = 0; j < n; ++j)
            change[i] += share[j] * pass->vector[j][i];
    }
}

// The velocity takes the change. What holds a member that moves as a whole is no part of its momenta.
static void apply(const Pass *pass, const Member *member, const double *change)
{
    State *s = &pass->system->state;
    const Krylov *k = &member->step->krylov;
    RigidMotion whole = { 0 };
    int begin = member->offset, end = begin + member->count;
    if (k->held && !k->stands && !memberIsPinned(s, member))
        whole = rigidMotion(s, s->position, change, begin, end);
    for (int v = begin; v < end; ++v)
    {
        double *u = s->velocity + 3 * (ptrdiff_t)v;
        if (!s->pinned[v])
            vecStore(u, vecAdd(vecLoad(u), vecSub(vecLoad(change + 3 * (ptrdiff_t)v), motionAt(s, &whole, v))));
    }
}

// the velocity takes F of the vectors that were begun
static void takeFactor(const Pass *pass, Factor factor)
{
    System *system = pass->system;
    State *s = &system->state;
    double *change = scratchTake(s);
    for (int p = 0; p < system->memberCount; ++p)
        normalise(pass, system->member[p]);
    for (int j = 0; j < VIBRATION_ROOM; ++j)
    {
        bool any = false;
        for (int p = 0; p < system->memberCount; ++p)
            any |= system->member[p]->step->krylov.time > 0 && !system->member[p]->step->krylov.ended;
        if (!any)
            break;
        strain(pass, pass->vector[j]);
        for (int p = 0; p < system->memberCount; ++p)
        {
            Krylov *k = &system->member[p]->step->krylov;
            extend(pass, system->member[p], j);
            if (j == 0 && fabs(factor(k->alpha[0], pass->h, k->time)) < SMALL)
                k->ended = true;
        }
    }
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        if (member->step->krylov.count == 0)
            continue;
        setChange(pass, member, factor, change);
        apply(pass, member, change);
    }
    scratchGive(s, change);
}

// J that the velocities lost since they were `before`. What pins did is their motion times the impulses that they gave,
// those of the change. Where contacts hold a body it takes nothing that would gain energy.
static double book(const Pass *pass, const double *before)
{
    System *system = pass->system;
    State *s = &system->state;
    double sum = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        const Krylov *k = &member->step->krylov;
        double lost = 0, work = 0;
        bool driven = pass->moves && memberIsPinned(s, member);
        for (int v = member->offset; v < member->offset + member->count; ++v)
        {
            Vec3 u = vecLoad(s->velocity + 3 * (ptrdiff_t)v), w = vecLoad(before + 3 * (ptrdiff_t)v), d = vecSub(u, w);
            lost -= s->pinned[v] ? 0 : 0.5 * s->mass[v] * vecDot(d, vecAdd(u, w));
            work += s->pinned[v] || !driven ? 0 : s->mass[v] * vecDot(d, motionAt(s, &k->beside, v));
        }
        if (k->held && lost + work < 0)
        {
            memcpy(s->velocity + 3 * (ptrdiff_t)member->offset, before + 3 * (ptrdiff_t)member->offset,
                   3 * (size_t)member->count * sizeof(double));
            continue;
        }
        member->dissipated += lost + work;
        member->added += work;
        sum += lost;
    }
    return sum;
}

double dampVibrations(System *system, double h, double *const room[VIBRATION_ROOM + 2])
{
    State *s = &system->state;
    if (!systemIsViscous(system))
        return 0;
    Pass pass = { .system = system,
                  .h = h,
                  .free = { .diagonal = room[VIBRATION_ROOM], .beside = room[VIBRATION_ROOM + 1] },
                  .vector = room,
                  .moves = pinsMove(s) };
    freeDirectionsFind(system, h, &pass.free);
    systemFreezeRates(system, s->position);
    double *velocity = scratchTake(s), *excess = scratchTake(s);
    for (int i = 0; i < 3 * s->count; ++i)
    {
        double mean = (s->position[i] - s->start[i]) / h;
        velocity[i] = s->pinned[i / 3] ? mean : s->velocity[i];
        excess[i] = velocity[i] - mean;
    }
    beginVectors(&pass, velocity, false);
    takeFactor(&pass, velocityFactor);
    beginVectors(&pass, excess, true);
    takeFactor(&pass, excessFactor);
    scratchGive(s, excess);
    double lost = book(&pass, velocity);
    scratchGive(s, velocity);
    return lost;
}
