// Substeps: what methods with substeps of their own share. Between two substeps nothing is accepted and nothing is
// searched for: contacts that may touch within the whole step are switched on before it, with room for what velocities
// change (contact/search.c). Pins, attachments and colliders go on a straight line through the substeps, so that no
// handle jumps, and every substep books its own share of their work.
#include "integrate/integrate.h"

#include <string.h>

// of the pinned vertices: nothing else in a step moves them
static void copyTargets(const State *s, const double *from, double *to)
{
    for (int v = nextPin(s, 0, s->count); v < s->count; v = nextPin(s, v + 1, s->count))
        memcpy(to + 3 * (ptrdiff_t)v, from + 3 * (ptrdiff_t)v, 3 * sizeof(double));
}

void setWindow(System *system, double from, double to)
{
    system->step->from = from;
    system->step->to = to;
    systemSetWindow(system, from, to);
}

void substepBegin(System *system, int count)
{
    ASSERT_CHEAP(count >= 1, "a step has at least one substep");
    system->step->begun = system->step->from;
    system->step->ends = system->step->to;
    copyTargets(&system->state, system->state.pinTarget, system->step->frameTarget);
    system->step->booked = false;
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->step->addedBefore = system->member[p]->step->dissipatedBefore = 0;
}

// what the substeps so far have booked; the next one starts its own page
static void turnPage(System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        member->step->addedBefore += member->added;
        member->step->dissipatedBefore += member->dissipated;
        member->added = member->dissipated = 0;
    }
}

static void swap(double **a, double **b)
{
    double *kept = *a;
    *a = *b;
    *b = kept;
}

static void swapStarts(System *system)
{
    swap(&system->state.start, &system->step->frameStart);
    swap(&system->state.startVelocity, &system->step->frameVelocity);
}

// The end of a substep is the start of the next; what the start was becomes room for its end. But x_n and v_n stay
// where they are, put by under the name of the frame, whose own room takes their place. Of an even number of substeps
// the first ends there, so that the last one always ends where the step does and nothing is copied.
static void passEnds(System *system, int index, int count)
{
    State *s = &system->state;
    if (index == 0 && count % 2 == 0)
    {
        swap(&s->position, &system->step->frameStart);
        swap(&s->velocity, &system->step->frameVelocity);
    }
    if (index == 1)
        swapStarts(system);
    if (index > 0)
    {
        swap(&s->start, &s->position);
        swap(&s->startVelocity, &s->velocity);
    }
}

void substepNext(System *system, int index, int count)
{
    State *s = &system->state;
    double from = (double)index / count, to = (double)(index + 1) / count;
    passEnds(system, index, count);
    if (index > 0)
        turnPage(system);
    const double *first = index > 0 ? system->step->frameStart : s->start; // x_n
    const double *target = system->step->frameTarget;
    for (int v = nextPin(s, 0, s->count); v < s->count; v = nextPin(s, v + 1, s->count))
    {
        for (int i = 3 * v; i < 3 * v + 3; ++i)
            s->pinTarget[i] = index + 1 < count ? first[i] + to * (target[i] - first[i]) : target[i];
    }
    double begun = system->step->begun, span = system->step->ends - begun;
    setWindow(system, begun + span * from, index + 1 < count ? begun + span * to : system->step->ends);
    beginEnergies(system, isNotViscous, s->start); // dampers are frozen in the middle of the displacement ahead
}

void substepEnd(System *system, int count)
{
    if (count > 1)
        swapStarts(system);
    copyTargets(&system->state, system->step->frameTarget, system->state.pinTarget);
    turnPage(system);
    for (int p = 0; p < system->memberCount; ++p)
    {
        system->member[p]->added = system->member[p]->step->addedBefore;
        system->member[p]->dissipated = system->member[p]->step->dissipatedBefore;
    }
    setWindow(system, system->step->begun, system->step->ends);
    if (system->step->booked)
        bookForces(system);
}
