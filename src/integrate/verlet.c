// Verlet's method in its velocity form: v_{n+1/2} = v_n + h/2 a(x_n, v_n), x = x_n + h v_{n+1/2}, v = v_{n+1/2} + h/2
// a(x, v). The half-step velocities are those of the staggered form v_{n+1/2} = v_{n-1/2} + h a_n with a half step to
// start, damping at the mean of the two, and v_n that mean: order 2 with damping too (Hauth 2004, section 2.5, whose
// lagged damping is of order 1). Symplectic without damping, stable for h < 2 / omega_max.
#include "integrate/integrate.h"

#define MOST_ROUNDS 40
#define ROUNDING 1e-15

static bool isConservative(const Energy *energy)
{
    return !energyIsDissipative(energy);
}

// direction = the diagonal that lies above the damping matrix; exact for drag
static void dampingDiagonal(System *system)
{
    State *s = &system->state;
    double *ones = scratchTake(s);
    for (int i = 0; i < 3 * s->count; ++i)
    {
        ones[i] = 1;
        s->direction[i] = 0;
    }
    for (int t = 0; t < system->termCount; ++t)
    {
        const Term *term = &system->term[t];
        if (energyIsDissipative(term->energy))
            energyAddMajorizerTimes(term->energy, ones + 3 * term->first, s->direction + 3 * term->first);
    }
    scratchGive(s, ones);
}

// velocity such that M (v - before) + weight (elastic + grad R(v)) = 0: damping is linear in v, rounds with its
// diagonal
static bool solveVelocity(System *system, const double *before, const double *elastic, double weight)
{
    State *s = &system->state;
    for (int i = 0; i < 3 * s->count; ++i)
        s->velocity[i] = s->pinned[i / 3] ? s->velocity[i] : before[i] - weight / s->mass[i / 3] * elastic[i];
    if (!system->dissipates)
        return true;
    beginRatesAt(system, s->position);
    dampingDiagonal(system);
    for (int round = 0; round < MOST_ROUNDS; ++round)
    {
        double moved = 0, most = 0;
        for (int i = 0; i < 3 * s->count; ++i)
            s->rate[i] = s->velocity[i];
        systemForces(system, energyIsDissipative, s->position);
        for (int i = 0; i < 3 * s->count; ++i)
        {
            if (s->pinned[i / 3])
                continue;
            double m = s->mass[i / 3];
            double off = m * (s->velocity[i] - before[i]) + weight * (elastic[i] + s->gradient[i]);
            double change = off / (m + weight * s->direction[i]);
            s->velocity[i] -= change;
            moved = maxReal(moved, fabs(change));
            most = maxReal(most, fabs(s->velocity[i]));
        }
        if (moved <= ROUNDING * most)
            return true;
    }
    return false;
}

StepReport verletStep(System *system, double h, double gamma, double *acceleration)
{
    State *s = &system->state;
    StepReport report = { .solve = { .converged = true, .finite = true } };
    double since = clockSeconds();
    bookClear(system);
    stageAcceleration(system, s->start, s->startVelocity, 0, acceleration);
    bookMoment(system, s->start, s->startVelocity, 0, h);
    bookAdd(system, (1 - gamma) * h);
    for (int i = 0; i < 3 * s->count; ++i)
    {
        double x = s->start[i] + h * (s->startVelocity[i] + 0.5 * h * acceleration[i]);
        s->position[i] = s->pinned[i / 3] ? s->pinTarget[i] : x;
        s->velocity[i] = (s->position[i] - s->start[i]) / h;
        s->inertial[i] = s->startVelocity[i] + (1 - gamma) * h * acceleration[i];
    }
    systemSetFraction(system, 1);
    systemForces(system, isConservative, s->position);
    for (int i = 0; i < 3 * s->count; ++i)
        s->external[i] = s->gradient[i];
    report.solve.converged = solveVelocity(system, s->inertial, s->external, gamma * h);
    report.solve.profile.gradient = clockLap(&since);
    bookMoment(system, s->position, s->velocity, 1, h);
    bookAdd(system, gamma * h);
    bookSettleBetween(system);
    report.solve.profile.ledger = clockLap(&since);
    return report;
}

static StepReport step(System *system, double h, const Method *method)
{
    (void)method;
    return verletStep(system, h, 0.5, system->step->past[0]);
}

const Integrator verlet = { .name = "verlet", .isExplicit = true, .limit = 2, .roomCount = 1, .step = step };
