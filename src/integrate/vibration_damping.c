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
// what the step resolves: A - 1 is of second order in h, v - u of first. What was lost is booked. Bodies that touch
// something or whose pins move are left alone: springs of contacts and moving pins are no part of K, and what they make
// of the velocity at the end of a step is no vibration.
#include "integrate/integrate.h"

#include "linear/eigen.h"

#include <string.h>

#define SMALL 1e-4  // 1 - f of the mean of all frequencies: so little is left alone
#define BROKEN 1e-9 // of the velocity: what a Krylov space has beyond it is rounding

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

static double velocityFactor(double square, double h, double beta)
{
    double mean, beyond;
    factorsOf(square, h, beta, &mean, &beyond);
    return mean;
}

static double excessFactor(double square, double h, double beta)
{
    double mean, beyond;
    factorsOf(square, h, beta, &mean, &beyond);
    double f = beyond * (1 + OVERDAMPED_SHARE * maxReal(beta * square * h, 0));
    return 1 + f - mean;
}

// what of a velocity is not rigid, over its norm, as the first vector, in whose place it stands
static void begin(System *system, Member *member, double *first)
{
    const State *s = &system->state;
    Krylov *k = &member->step->krylov;
    memset(k, 0, sizeof *k);
    int from = member->offset, to = member->offset + member->count;
    RigidMotion rigid = { 0 };
    if (!memberIsPinned(s, member))
        rigid = rigidMotion(s, s->position, first, from, to);
    for (int v = from; v < to; ++v)
    {
        Vec3 r = vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), rigid.centre);
        Vec3 whole = vecAdd(rigid.velocity, vecCross(rigid.spin, r));
        Vec3 w = vecSub(vecLoad(first + 3 * (ptrdiff_t)v), whole);
        vecStore(first + 3 * (ptrdiff_t)v, s->pinned[v] ? vec3(0, 0, 0) : w);
    }
    k->norm = sqrt(massProduct(s, member, first, first));
    k->time = k->norm > 0 ? sweepTime(member) : 0;
    for (int i = 3 * from; i < 3 * to; ++i)
        first[i] = k->norm > 0 ? first[i] / k->norm : 0;
}

// vector j + 1 of a member from K v_j in state->gradient, which is damping
static void extend(System *system, Member *member, double *const *vector, int j)
{
    const State *s = &system->state;
    Krylov *k = &member->step->krylov;
    if (!(k->time > 0))
        return;
    int from = 3 * member->offset, to = 3 * (member->offset + member->count);
    double *next = j + 1 < VIBRATION_ROOM ? vector[j + 1] : NULL;
    for (int i = from; i < to; ++i)
        k->alpha[j] += s->pinned[i / 3] ? 0 : vector[j][i] * s->gradient[i] / k->time;
    k->count = j + 1;
    if (next == NULL)
        return;
    for (int i = from; i < to; ++i)
        next[i] = s->pinned[i / 3] ? 0 : s->gradient[i] / (s->mass[i / 3] * k->time);
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
    bool ends = !(norm > BROKEN * k->alpha[j]) || !isfinite(norm);
    for (int i = from; i < to; ++i)
        next[i] = ends ? 0 : next[i] / norm;
    k->ended = ends;
}

// f - 1 of the small matrix on its first unit vector, which the velocity takes. Returns J that it lost
static double apply(System *system, Member *member, double h, Factor factor, double *const *vector)
{
    State *s = &system->state;
    const Krylov *k = &member->step->krylov;
    int n = k->count;
    double matrix[VIBRATION_ROOM * VIBRATION_ROOM] = { 0 }, values[VIBRATION_ROOM], lost = 0;
    double shapes[VIBRATION_ROOM * VIBRATION_ROOM], change[VIBRATION_ROOM] = { 0 };
    for (int j = 0; j < n; ++j)
    {
        matrix[j * n + j] = k->alpha[j];
        if (j + 1 < n)
            matrix[j * n + j + 1] = matrix[(j + 1) * n + j] = k->beta[j];
    }
    eigenDense(n, matrix, values, shapes);
    for (int e = 0; e < n; ++e)
    {
        double less = (factor(values[e], h, k->time) - 1) * k->norm * shapes[e * n];
        for (int j = 0; j < n; ++j)
            change[j] += less * shapes[e * n + j];
    }
    for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
    {
        double d = 0;
        for (int j = 0; j < n; ++j)
            d += change[j] * vector[j][i];
        lost -= s->pinned[i / 3] ? 0 : s->mass[i / 3] * d * (s->velocity[i] + 0.5 * d);
        s->velocity[i] += d;
    }
    return lost;
}

// the velocity takes f - 1 of the vector in room[0]. Returns J that it lost
static double takeFactor(System *system, double h, Factor factor, double *const room[VIBRATION_ROOM])
{
    State *s = &system->state;
    double lost = 0;
    for (int p = 0; p < system->memberCount; ++p)
        begin(system, system->member[p], room[0]);
    for (int j = 0; j < VIBRATION_ROOM; ++j)
    {
        bool any = false;
        for (int p = 0; p < system->memberCount; ++p)
            any |= system->member[p]->step->krylov.time > 0 && !system->member[p]->step->krylov.ended;
        if (!any)
            break;
        memcpy(s->rate, room[j], 3 * (size_t)s->count * sizeof(double));
        systemForces(system, energyIsViscous, s->position);
        for (int p = 0; p < system->memberCount; ++p)
        {
            Krylov *k = &system->member[p]->step->krylov;
            if (!k->ended)
                extend(system, system->member[p], room, j);
            if (j == 0 && fabs(1 - factor(k->alpha[0], h, k->time)) < SMALL)
                k->ended = true;
        }
    }
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        double taken = member->step->krylov.count > 0 ? apply(system, member, h, factor, room) : 0;
        member->dissipated += taken;
        lost += taken;
    }
    return lost;
}

double dampVibrations(System *system, double h, double *const room[VIBRATION_ROOM])
{
    State *s = &system->state;
    if (!systemIsViscous(system) || pinsMove(s) || resolveTouches(system, s->position, 1))
        return 0;
    systemFreezeRates(system, s->position);
    double *excess = scratchTake(s);
    for (int i = 0; i < 3 * s->count; ++i)
        excess[i] = s->pinned[i / 3] ? 0 : s->velocity[i] - (s->position[i] - s->start[i]) / h;
    memcpy(room[0], s->velocity, 3 * (size_t)s->count * sizeof(double));
    double lost = takeFactor(system, h, velocityFactor, room);
    memcpy(room[0], excess, 3 * (size_t)s->count * sizeof(double));
    lost += takeFactor(system, h, excessFactor, room);
    scratchGive(s, excess);
    return lost;
}
