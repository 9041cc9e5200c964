// Backward differentiation, orders 2 to 6: sum_j alpha_j y_{n+1-j} = h beta_0 f_{n+1} for y = (x, v) (Hauth 2004,
// section 2.6 and table 3). One stage with c = h beta_0: x = X + c v, v = V + c a, X and V the sums over the past.
// Forgets what is far too fast for the step; orders 3 to 6 amplify undamped motion in a band of h omega, by up to 5,
// 19, 38 and 59 % a step (their stability angles are below 90 degrees).
//
// The start keeps the order: k - 1 steps of backward Euler extrapolated to order k - 1. What is put in and dissipated
// is one more unknown of the same formula.
#include "integrate/integrate.h"

// x = -sum_{j >= 1} alpha_j x_{n+1-j}, v likewise
static void sumPast(System *system, const Multistep *table, double *x, double *v)
{
    State *s = &system->state;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        int begin = 3 * member->offset, end = 3 * (member->offset + member->count);
        for (int i = begin; i < end; ++i)
        {
            x[i] = -table->alpha[1] * s->start[i];
            v[i] = -table->alpha[1] * s->startVelocity[i];
        }
        for (int j = 2; j <= table->steps; ++j)
            historyAdd(system, member, table->steps, j - 2, -table->alpha[j], x, v);
    }
}

// W_{n+1} - W_n = sum_{j >= 2} alpha_j (W_n - W_{n+1-j}) + h beta_0 P_{n+1}, by the increments that are kept
static double increment(const Multistep *table, const double *kept, double last)
{
    double sum = last, back = 0;
    for (int j = 2; j <= table->steps; ++j)
    {
        back += kept[j - 2];
        sum += table->alpha[j] * back;
    }
    return sum;
}

static void push(System *system, int slots, double h)
{
    historyStore(system, slots, system->state.start, system->state.startVelocity);
    for (int p = 0; p < system->memberCount; ++p)
        historyPush(system->member[p], slots, h, system->member[p]->added, system->member[p]->dissipated);
}

static StepReport solve(System *system, double h, const Multistep *table, const Method *method, double *from,
                        double *velocity)
{
    double c = h * table->beta[0];
    sumPast(system, table, from, velocity);
    StepReport report = { .solve = historySolve(system, h, c, method, from, velocity) };
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        member->added = increment(table, member->step->recall.history.gain, c * member->step->gain);
        member->dissipated = increment(table, member->step->recall.history.loss, c * member->step->loss);
    }
    return report;
}

static StepReport step(System *system, double h, const Method *method)
{
    const Multistep *table = multistepFind(method->integrator->name);
    int slots = table->steps;
    double *const *room = system->step->past + 2 * slots;
    StepReport report = historyCount(system, h) < table->steps - 1
                            ? extrapolatedStart(system, h, method, startColumns(table), room)
                            : solve(system, h, table, method, room[3], room[4]);
    push(system, slots, h);
    bookSettle(system);
    return report;
}

const Integrator bdf2 = { .name = "bdf2", .pastCount = 4, .pastSlots = 2, .roomCount = START_ROOM, .step = step };
const Integrator bdf3 = {
    .name = "bdf3", .hasLimit = true, .pastCount = 6, .pastSlots = 3, .roomCount = START_ROOM, .step = step
};
const Integrator bdf4 = {
    .name = "bdf4", .hasLimit = true, .pastCount = 8, .pastSlots = 4, .roomCount = START_ROOM, .step = step
};
const Integrator bdf5 = { .name = "bdf5",
                          .hasLimit = true,
                          .limit = 0.7108,
                          .pastCount = 10,
                          .pastSlots = 5,
                          .roomCount = START_ROOM,
                          .step = step };
const Integrator bdf6 = { .name = "bdf6",
                          .hasLimit = true,
                          .limit = 0.8431,
                          .pastCount = 12,
                          .pastSlots = 6,
                          .roomCount = START_ROOM,
                          .step = step };
