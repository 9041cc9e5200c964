// Generalised alpha (Chung and Hulbert 1993): Newmark's rules with inertia at n + 1 - alpha_m and forces at n + 1 -
// alpha_f. Second order, stable for linear motion at any step; of motion far too fast for the step it leaves the share
// rho in every one, with little damping of slow motion. rho = 1 damps nothing and is implicit midpoint on quadratic
// energies.
#include "integrate/integrate.h"

#define SLOTS 2

static StepReport step(System *system, double h, const Method *method)
{
    State *s = &system->state;
    double rho = method->settings.generalizedAlpha.spectralRadius, *from = system->step->past[SLOTS],
           *a = system->step->past[SLOTS + 1];
    double alphaM = (2 * rho - 1) / (rho + 1), alphaF = rho / (rho + 1), theta = 1 - alphaF;
    double gamma = 0.5 - alphaM + alphaF, beta = 0.25 * (1 - alphaM + alphaF) * (1 - alphaM + alphaF);
    bookClear(system);
    bookMoment(system, s->start, s->startVelocity, 0, h);
    bookAdd(system, 0.5 * h);
    // the method's own a_n, which is not that of the forces
    if (historyCount(system, 0) == 0)
        stageAcceleration(system, s->start, s->startVelocity, 0, a);
    for (int p = 0; p < system->memberCount && historyCount(system, 0) > 0; ++p)
    {
        const Member *member = system->member[p];
        const double *kept = historyVector(system, member, SLOTS, 0, 0);
        for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
            a[i] = s->pinned[i / 3] ? 0 : kept[i];
    }
    // u = theta v + alpha_f v_n = (x - from) / rate
    double rate = beta * h / (gamma * theta);
    for (int i = 0; i < 3 * s->count; ++i)
    {
        double v = s->startVelocity[i];
        double rest = (1 - gamma / beta) * v + h * (1 - 0.5 * gamma / beta) * a[i];
        s->inertial[i] = s->start[i] + h * v + h * h * (0.5 - beta - alphaM * beta / (1 - alphaM)) * a[i];
        from[i] = s->start[i] - rate * (theta * rest + alphaF * v);
    }
    stagePinRate(system, from, rate, h);
    Stage stage = { .h = rate,
                    .sigma = beta * h * h / ((1 - alphaM) * theta),
                    .theta = theta,
                    .mean = rho >= 1, // the midpoint rule
                    .from = from,
                    .ahead = theta * h };
    StepReport report = { .solve = stageMinimise(system, &stage, method) };
    double since = clockSeconds();
    bookSettle(system);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        double *next = historyFree(system, member, SLOTS, 0);
        for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
        {
            double moved = s->position[i] - s->start[i], v = s->startVelocity[i];
            next[i] = (moved - h * v - h * h * (0.5 - beta) * a[i]) / (beta * h * h);
            s->velocity[i] = s->pinned[i / 3] ? moved / h : v + h * ((1 - gamma) * a[i] + gamma * next[i]);
        }
        historyPush(member, SLOTS, h, 0, 0);
    }
    bookMoment(system, s->position, s->velocity, 1, h);
    bookAdd(system, 0.5 * h);
    report.solve.profile.ledger += clockLap(&since);
    return report;
}

const Integrator generalizedAlpha = {
    .name = "generalized-alpha", .pastCount = SLOTS, .pastSlots = SLOTS, .roomCount = 2, .step = step
};
