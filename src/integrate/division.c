// A step in substeps: each substep is a step of its own, with its own start and with pins and targets on their way.
// Used to start multistep methods and to divide steps whose solver does not converge (Hauth 2004, section 3.4).
#include "integrate/integrate.h"

#include <string.h>

#define MOST_SUBSTEPS 64

Division divisionOpen(System *system, double *const room[3])
{
    State *s = &system->state;
    Division whole = { .start = s->start,
                       .startVelocity = s->startVelocity,
                       .pinTarget = s->pinTarget,
                       .from = system->step->from,
                       .to = system->step->to,
                       .unsettled = system->step->unsettled };
    size_t size = (size_t)s->count * 3 * sizeof(double);
    memcpy(room[0], s->start, size);
    memcpy(room[1], s->startVelocity, size);
    s->start = room[0];
    s->startVelocity = room[1];
    s->pinTarget = room[2];
    system->step->unsettled = true;
    return whole;
}

void divisionBegin(System *system, const Division *whole, int index, int count)
{
    State *s = &system->state;
    double span = whole->to - whole->from, fraction = (index + 1) / (double)count;
    for (int i = 0; i < 3 * s->count; ++i)
        s->pinTarget[i] = index + 1 == count ? whole->pinTarget[i]
                                             : whole->start[i] + fraction * (whole->pinTarget[i] - whole->start[i]);
    double to = index + 1 == count ? whole->to : whole->from + span * fraction;
    setWindow(system, whole->from + span * index / count, to);
    beginEnergies(system, NULL, s->start);
}

void divisionEnd(System *system)
{
    State *s = &system->state;
    size_t size = (size_t)s->count * 3 * sizeof(double);
    memcpy(s->start, s->position, size);
    memcpy(s->startVelocity, s->velocity, size);
}

void divisionClose(System *system, const Division *whole)
{
    State *s = &system->state;
    s->start = whole->start;
    s->startVelocity = whole->startVelocity;
    s->pinTarget = whole->pinTarget;
    setWindow(system, whole->from, whole->to);
    system->step->unsettled = whole->unsettled;
}

// ---- the start of multistep methods ---------------------------------------------------------------------------------

// Order k - 1 would keep the order k; one more and what the start leaves is not seen beside it. Of order 2 backward
// Euler, as everywhere.
int startColumns(const Multistep *table)
{
    return table->order == 2 ? 1 : table->order;
}

// of the column with n substeps, so that n^-1 to n^-(columns - 1) cancel (Aitken, Neville)
static double columnWeight(int n, int columns)
{
    double weight = 1;
    for (int k = 1; k <= columns; ++k)
        weight *= k == n ? 1 : n / (double)(n - k);
    return weight;
}

// Extrapolation of backward Euler (Deuflhard 1985): its error has an expansion in powers of h, and every column forgets
// what is far too fast for the step, so that the start of BDF is as calm as BDF itself; implicit midpoint in 1, 2, 3
// substeps has order 6 at less cost but multiplies such motion by 3.1 in every step.
StepReport extrapolatedStart(System *system, double h, const Method *method, int columns,
                             double *const room[START_ROOM])
{
    State *s = &system->state;
    size_t size = (size_t)s->count * 3 * sizeof(double);
    StepReport sum = { .solve = { .converged = true, .finite = true } };
    double *x = room[3], *v = room[4];
    memset(x, 0, size);
    memset(v, 0, size);
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->step->sum[0] = system->member[p]->step->sum[1] = 0;
    for (int n = 1; n <= columns; ++n)
    {
        double weight = columnWeight(n, columns);
        Division whole = divisionOpen(system, room);
        for (int k = 0; k < n; ++k)
        {
            divisionBegin(system, &whole, k, n);
            StepReport report = backwardEuler.step(system, h / n, method);
            reportAddSubstep(&sum, &report);
            divisionEnd(system);
            for (int p = 0; p < system->memberCount; ++p)
            {
                system->member[p]->step->sum[0] += weight * system->member[p]->added;
                system->member[p]->step->sum[1] += weight * system->member[p]->dissipated;
            }
        }
        divisionClose(system, &whole);
        for (int i = 0; i < 3 * s->count; ++i)
        {
            x[i] += weight * s->position[i];
            v[i] += weight * s->velocity[i];
        }
    }
    for (int i = 0; i < 3 * s->count; ++i)
    {
        s->position[i] = s->pinned[i / 3] ? s->pinTarget[i] : x[i];
        s->velocity[i] = s->pinned[i / 3] ? (s->pinTarget[i] - s->start[i]) / h : v[i];
    }
    for (int p = 0; p < system->memberCount; ++p)
    {
        system->member[p]->added = system->member[p]->step->sum[0];
        system->member[p]->dissipated = system->member[p]->step->sum[1];
    }
    s->stage = s->position;
    systemSetFraction(system, 1);
    return sum;
}

// ---- steps whose solver does not converge ---------------------------------------------------------------------------

void rewindEnergies(System *system)
{
    for (int t = 0; t < system->termCount; ++t)
        energyRewind(system->term[t].energy);
}

// what the attempt before changed: rotations and anchors that energies keep, and what the method recalls
static void rewindAll(System *system)
{
    rewindEnergies(system);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        member->step->recall = member->step->recalled;
    }
}

Divided dividedOpen(System *system, double *const room[3])
{
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->step->whole[0] = system->member[p]->step->whole[1] = 0;
    return (Divided){ .sum = { .solve = { .converged = true, .finite = true } },
                      .target = system->step->target,
                      .whole = divisionOpen(system, room) };
}

void dividedPart(System *system, double h, const Method *method, Divided *divided, int index, int count)
{
    divisionBegin(system, &divided->whole, index, count);
    StepReport report = method->integrator->step(system, h / count, method);
    if (movablesWait(system, method->integrator))
        movablesMeet(system, h / count);
    reportAddSubstep(&divided->sum, &report);
    divided->sum.substeps += maxInt(report.substeps, 1);
    divided->sum.ruled += maxInt(report.ruled, 1);
}

void dividedNext(System *system)
{
    divisionEnd(system);
    for (int p = 0; p < system->memberCount; ++p)
    {
        system->member[p]->step->whole[0] += system->member[p]->added;
        system->member[p]->step->whole[1] += system->member[p]->dissipated;
        system->step->target += system->member[p]->added - system->member[p]->dissipated;
    }
}

void dividedClose(System *system, const Divided *divided)
{
    system->step->target = divided->target;
    divisionClose(system, &divided->whole);
    for (int p = 0; p < system->memberCount; ++p)
    {
        system->member[p]->added = system->member[p]->step->whole[0];
        system->member[p]->dissipated = system->member[p]->step->whole[1];
    }
}

// `insists`: until the end, also where a solver does not converge
static StepReport takeSubsteps(System *system, double h, const Method *method, int count, bool insists,
                               double *const room[3])
{
    Divided divided = dividedOpen(system, room);
    const SolveReport *solve = &divided.sum.solve;
    for (int k = 0; k < count && (solve->converged || insists) && solve->finite; ++k)
    {
        dividedPart(system, h, method, &divided, k, count);
        dividedNext(system);
    }
    dividedClose(system, &divided);
    return divided.sum;
}

void dividedSettle(System *system, double h, const Integrator *integrator)
{
    State *s = &system->state;
    for (int i = 0; i < 3 * s->count; ++i)
    {
        if (s->pinned[i / 3])
            s->velocity[i] = (s->pinTarget[i] - s->start[i]) / h;
    }
    s->stage = s->position;
    systemSetFraction(system, 1);
    if (!integrator->sweeps) // these have booked what they did, and contacts keep their impulses
        bookSettleSubsteps(system);
}

// substeps turn the ring of the past further than the one slot that is free: it is kept behind the room
static void copyPast(System *system, const Integrator *integrator, bool back)
{
    double *const *past = system->step->past;
    double *const *spare = past + integrator->pastCount + integrator->roomCount + DIVISION_ROOM;
    size_t size = (size_t)system->state.count * 3 * sizeof(double);
    for (int k = 0; k < integrator->pastCount; ++k)
        memcpy(back ? past[k] : spare[k], back ? spare[k] : past[k], size);
}

void divisionRecall(System *system, const Integrator *integrator)
{
    copyPast(system, integrator, true);
}

StepReport divideStep(System *system, double h, const Method *method)
{
    const Integrator *integrator = method->integrator;
    double *const *room = system->step->past + integrator->pastCount + integrator->roomCount;
    copyPast(system, integrator, false);
    system->step->spared = true;
    StepReport report = { 0 };
    int iterations = 0;
    for (int count = 2; count <= MOST_SUBSTEPS && !(report.solve.converged && report.solve.finite); count *= 2)
    {
        rewindAll(system);
        // at the last division there is nothing better to be had
        report = takeSubsteps(system, h, method, count, count == MOST_SUBSTEPS, room);
        iterations += report.solve.iterations;
    }
    report.solve.iterations = iterations;
    dividedSettle(system, h, integrator);
    return report;
}

void dividedSpare(System *system, const Integrator *integrator)
{
    if (integrator->pastCount == 0)
        return;
    copyPast(system, integrator, false);
    system->step->spared = true;
}

StepReport divideInto(System *system, double h, const Method *method, int count)
{
    const Integrator *integrator = method->integrator;
    double *const *room = system->step->past + integrator->pastCount + integrator->roomCount;
    double *const rows[3] = { system->sweep.pull, system->sweep.still, system->sweep.spare };
    if (!integrator->divides) // those of sweeps are there where there are rigid bodies
        room = rows;
    dividedSpare(system, integrator);
    StepReport report = takeSubsteps(system, h, method, count, true, room);
    dividedSettle(system, h, integrator);
    return report;
}
