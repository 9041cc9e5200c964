// Explicit Runge-Kutta methods by their tables: k_i = f(x + h sum_{j<i} a_ij k_j), y' = y + h sum b_i k_i (Hauth 2004,
// section 2.3). Where a second row of weights comes with a table and a tolerance is given, their difference is the
// error of a step, and the step is halved until it is below; steps that were far better than asked are doubled again.
// Halves and doubles only: their sums are exact, and no root is taken.
#include "integrate/integrate.h"

#include <string.h>

#define MOST_HALVINGS 12
#define FAR_BETTER 64 // times below the tolerance: a step twice as long is below it for orders up to 5

// the state at stage i into blend and room[2 i], its acceleration into room[2 i + 1]; `done` and `length` of the whole
// step h
static void takeStage(System *system, const Tableau *table, int i, double h, double done, double length,
                      double *const *room)
{
    State *s = &system->state;
    double fraction = done + table->c[i] * length, *velocity = room[2 * i];
    for (int k = 0; k < 3 * s->count; ++k)
    {
        double x = 0, v = 0;
        for (int j = 0; j < i; ++j)
        {
            x += table->a[i][j] * room[2 * j][k];
            v += table->a[i][j] * room[2 * j + 1][k];
        }
        double displacement = s->pinTarget[k] - s->start[k];
        s->blend[k] = s->pinned[k / 3] ? s->start[k] + fraction * displacement : s->position[k] + h * length * x;
        velocity[k] = s->pinned[k / 3] ? displacement / h : s->velocity[k] + h * length * v;
    }
    stageAcceleration(system, s->blend, velocity, fraction, room[2 * i + 1]);
    bookMoment(system, s->blend, velocity, fraction, h);
    for (int p = 0; p < system->memberCount; ++p)
    {
        system->member[p]->step->sum[0] += table->b[i] * system->member[p]->step->gain;
        system->member[p]->step->sum[1] += table->b[i] * system->member[p]->step->loss;
    }
}

// m: of the free vertices, and of what their velocities miss in this step
static double errorOf(const State *s, const Tableau *table, double h, double *const *room)
{
    double largest = 0;
    for (int k = 0; k < 3 * s->count; ++k)
    {
        double x = 0, v = 0;
        for (int i = 0; i < table->stages; ++i)
        {
            x += (table->b[i] - table->embedded[i]) * room[2 * i][k];
            v += (table->b[i] - table->embedded[i]) * room[2 * i + 1][k];
        }
        double off = s->pinned[k / 3] ? 0 : maxReal(fabs(h * x), fabs(h * h * v));
        largest = off > largest || isnan(off) ? off : largest;
    }
    return largest;
}

static void advance(System *system, const Tableau *table, double h, double *const *room)
{
    State *s = &system->state;
    for (int k = 0; k < 3 * s->count; ++k)
    {
        double x = 0, v = 0;
        for (int i = 0; i < table->stages; ++i)
        {
            x += table->b[i] * room[2 * i][k];
            v += table->b[i] * room[2 * i + 1][k];
        }
        s->position[k] += h * x;
        s->velocity[k] += h * v;
    }
    for (int p = 0; p < system->memberCount; ++p)
    {
        system->member[p]->added += h * system->member[p]->step->sum[0];
        system->member[p]->dissipated += h * system->member[p]->step->sum[1];
    }
}

StepReport rungeKuttaStep(System *system, double h, const Tableau *table, double tolerance, double *const *room)
{
    State *s = &system->state;
    size_t size = (size_t)s->count * 3 * sizeof(double);
    bool controls = tolerance > 0 && table->embeddedOrder > 0;
    StepReport report = { .solve = { .converged = true, .finite = true } };
    double since = clockSeconds(), length = 1, least = 1;
    for (int k = 0; k < MOST_HALVINGS; ++k)
        least *= 0.5;
    memcpy(s->position, s->start, size);
    memcpy(s->velocity, s->startVelocity, size);
    bookClear(system);
    for (double done = 0; done < 1;)
    {
        for (int p = 0; p < system->memberCount; ++p)
            system->member[p]->step->sum[0] = system->member[p]->step->sum[1] = 0;
        for (int i = 0; i < table->stages; ++i)
            takeStage(system, table, i, h, done, length, room);
        double error = controls ? errorOf(s, table, h * length, room) : 0;
        if (!(error <= tolerance) && controls && length > least)
        {
            length *= 0.5;
            continue;
        }
        report.solve.converged = report.solve.converged && !(controls && error > tolerance);
        report.solve.residual = maxReal(report.solve.residual, error);
        advance(system, table, h * length, room);
        done += length;
        report.substeps += 1;
        bool even = floor(done / (2 * length)) * (2 * length) == done;
        if (controls && length < 1 && even && error * FAR_BETTER < tolerance)
            length *= 2;
    }
    for (int k = 0; k < 3 * s->count; ++k)
    {
        if (!s->pinned[k / 3])
            continue;
        s->position[k] = s->pinTarget[k];
        s->velocity[k] = (s->pinTarget[k] - s->start[k]) / h;
    }
    report.solve.profile.gradient = clockLap(&since);
    bookSettleBetween(system);
    report.solve.profile.ledger = clockLap(&since);
    return report;
}

static StepReport step(System *system, double h, const Method *method)
{
    const Tableau *table = tableauFind(method->integrator->name);
    if (table == NULL)
        table = method->tableau ? method->tableau : tableauFind("rk4");
    return rungeKuttaStep(system, h, table, method->settings.stepTolerance, system->step->past);
}

// limits: where |R(i y)| = 1; the tests find them from the tables
const Integrator forwardEuler = { .name = "forward-euler", .isExplicit = true, .roomCount = 2, .step = step };
const Integrator explicitMidpoint = { .name = "explicit-midpoint", .isExplicit = true, .roomCount = 4, .step = step };
const Integrator rk4 = { .name = "rk4", .isExplicit = true, .limit = 2.8284271247461903, .roomCount = 8, .step = step };
const Integrator rk23 = {
    .name = "rk23", .isExplicit = true, .limit = 1.7320508075688772, .roomCount = 8, .step = step
};
const Integrator rk45 = { .name = "rk45", .isExplicit = true, .limit = 0.9972, .roomCount = 14, .step = step };

// the caller's own: its limit is not known, that of the leapfrog is said
const Integrator rungeKutta = {
    .name = "runge-kutta", .isExplicit = true, .limit = 2, .roomCount = 2 * TABLEAU_STAGES, .step = step
};
