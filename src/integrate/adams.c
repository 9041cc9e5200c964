// The Adams methods: y = y_n + h sum_j beta_j f_{n+1-j} for y = (x, v), f = (v, a) (Hauth 2004, section 2.6).
// Bashforth's are explicit; Moulton's are stages with x = X + c v, v = V + c a, c = h beta_0, but like the explicit
// ones stable only for small steps, and without damping for none. What is put in and dissipated is one more unknown of
// the same formula.
//
// The start: Bashforth's take a step of rk4, Moulton's of extrapolated backward Euler; both keep the order.
#include "integrate/integrate.h"

// f_n into the free slots, its gain and loss stay with the members
static void takeMoment(System *system, int slots, double h)
{
    State *s = &system->state;
    stageAcceleration(system, s->start, s->startVelocity, 0, s->inertial);
    bookMoment(system, s->start, s->startVelocity, 0, h);
    historyStore(system, slots, s->startVelocity, s->inertial);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        member->step->first[0] = member->step->gain;
        member->step->first[1] = member->step->loss;
    }
}

// x = x_n + h sum_{j >= 1} beta_j v_{n+1-j}, v likewise, and the accounts of the same sum
static void addPast(System *system, const Multistep *table, int slots, double h, double *x, double *v)
{
    State *s = &system->state;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        int begin = 3 * member->offset, end = 3 * (member->offset + member->count);
        member->added = h * table->beta[1] * member->step->first[0];
        member->dissipated = h * table->beta[1] * member->step->first[1];
        const double *velocity = historyFree(system, member, slots, 0),
                     *acceleration = historyFree(system, member, slots, 1);
        for (int i = begin; i < end; ++i)
        {
            x[i] = s->start[i] + h * table->beta[1] * velocity[i];
            v[i] = s->startVelocity[i] + h * table->beta[1] * acceleration[i];
        }
        for (int j = 2; j <= table->steps; ++j)
        {
            double weight = h * table->beta[j];
            historyAdd(system, member, slots, j - 2, weight, x, v);
            member->added += weight * member->step->recall.history.gain[j - 2];
            member->dissipated += weight * member->step->recall.history.loss[j - 2];
        }
    }
}

static void pushMoment(System *system, int slots, double h)
{
    for (int p = 0; p < system->memberCount; ++p)
        historyPush(system->member[p], slots, h, system->member[p]->step->first[0], system->member[p]->step->first[1]);
}

static StepReport bashforth(System *system, double h, const Method *method)
{
    State *s = &system->state;
    const Multistep *table = multistepFind(method->integrator->name);
    int slots = table->steps;
    StepReport report = { .solve = { .converged = true, .finite = true } };
    double since = clockSeconds();
    takeMoment(system, slots, h);
    if (historyCount(system, h) < table->steps - 1)
        report = rungeKuttaStep(system, h, tableauFind("rk4"), 0, system->step->past + 2 * slots);
    else
    {
        addPast(system, table, slots, h, s->position, s->velocity);
        for (int i = 0; i < 3 * s->count; ++i)
        {
            if (!s->pinned[i / 3])
                continue;
            s->position[i] = s->pinTarget[i];
            s->velocity[i] = (s->pinTarget[i] - s->start[i]) / h;
        }
        report.solve.profile.gradient += clockLap(&since);
        bookSettleBetween(system);
        report.solve.profile.ledger += clockLap(&since);
    }
    pushMoment(system, slots, h);
    return report;
}

static StepReport moulton(System *system, double h, const Method *method)
{
    const Multistep *table = multistepFind(method->integrator->name);
    int slots = table->steps;
    double *const *room = system->step->past + 2 * slots;
    double c = h * table->beta[0], *from = room[3], *v = room[4];
    takeMoment(system, slots, h);
    if (historyCount(system, h) < table->steps - 1)
    {
        StepReport report = extrapolatedStart(system, h, method, startColumns(table), room);
        bookSettle(system);
        pushMoment(system, slots, h);
        return report;
    }
    addPast(system, table, slots, h, from, v);
    StepReport report = { .solve = historySolve(system, h, c, method, from, v) };
    double since = clockSeconds();
    bookAdd(system, c);
    bookSettle(system);
    report.solve.profile.ledger += clockLap(&since);
    pushMoment(system, slots, h);
    return report;
}

// limits on the imaginary axis
const Integrator adamsBashforth2 = {
    .name = "adams-bashforth-2", .isExplicit = true, .pastCount = 4, .pastSlots = 2, .roomCount = 8, .step = bashforth
};
const Integrator adamsBashforth3 = { .name = "adams-bashforth-3",
                                     .isExplicit = true,
                                     .limit = 0.7236,
                                     .pastCount = 6,
                                     .pastSlots = 3,
                                     .roomCount = 8,
                                     .step = bashforth };
const Integrator adamsBashforth4 = { .name = "adams-bashforth-4",
                                     .isExplicit = true,
                                     .limit = 0.43,
                                     .pastCount = 8,
                                     .pastSlots = 4,
                                     .roomCount = 8,
                                     .step = bashforth };
const Integrator adamsMoulton3 = { .name = "adams-moulton-3",
                                   .hasLimit = true,
                                   .pastCount = 4,
                                   .pastSlots = 2,
                                   .roomCount = START_ROOM,
                                   .step = moulton };
const Integrator adamsMoulton4 = { .name = "adams-moulton-4",
                                   .hasLimit = true,
                                   .pastCount = 6,
                                   .pastSlots = 3,
                                   .roomCount = START_ROOM,
                                   .step = moulton };
