// Parts of a step: what methods with substeps of their own share. Between two parts nothing is accepted and nothing is
// searched for: contacts that may touch within the whole step are switched on before it, with room for what velocities
// change (contact/search.c). Pins, attachments and colliders go on a straight line through the parts, so that no handle
// jumps, and every part books its own share of their work.
#include "integrate/integrate.h"

#include <string.h>

void substepBegin(System *system, int count)
{
    ASSERT_CHEAP(count >= 1, "a step has at least one part");
    State *s = &system->state;
    size_t vectors = (size_t)s->count * 3 * sizeof(double);
    memcpy(s->frameStart, s->start, vectors);
    memcpy(s->frameVelocity, s->startVelocity, vectors);
    if (stateHasPins(s))
        memcpy(s->frameTarget, s->pinTarget, vectors);
    system->booked = false;
    for (int p = 0; p < system->partCount; ++p)
        system->part[p]->addedBefore = system->part[p]->dissipatedBefore = 0;
}

// what the parts so far have booked; the next one starts its own page
static void turnPage(System *system)
{
    for (int p = 0; p < system->partCount; ++p)
    {
        Part *part = system->part[p];
        part->addedBefore += part->added;
        part->dissipatedBefore += part->dissipated;
        part->added = part->dissipated = 0;
    }
}

// the end of a part is the start of the next; what the start was becomes room for its end
static void swapEnds(State *s)
{
    double *start = s->start, *velocity = s->startVelocity;
    s->start = s->position;
    s->startVelocity = s->velocity;
    s->position = start;
    s->velocity = velocity;
}

void substepNext(System *system, int index, int count)
{
    State *s = &system->state;
    bool pins = stateHasPins(s);
    double from = (double)index / count, to = (double)(index + 1) / count;
    if (index > 0)
    {
        swapEnds(s);
        turnPage(system);
    }
    for (int v = 0; v < s->count && pins; ++v)
    {
        if (!s->pinned[v])
            continue;
        for (int i = 3 * v; i < 3 * v + 3; ++i)
            s->pinTarget[i] =
                index + 1 < count ? s->frameStart[i] + to * (s->frameTarget[i] - s->frameStart[i]) : s->frameTarget[i];
    }
    systemSetWindow(system, from, to);
    beginEnergies(system, NULL, s->start);
}

void substepEnd(System *system, int count)
{
    State *s = &system->state;
    size_t vectors = (size_t)s->count * 3 * sizeof(double);
    if (count % 2 == 0) // an odd number of swaps: the arrays back to their own places
    {
        memcpy(s->start, s->position, vectors);
        memcpy(s->startVelocity, s->velocity, vectors);
        swapEnds(s);
    }
    memcpy(s->start, s->frameStart, vectors);
    memcpy(s->startVelocity, s->frameVelocity, vectors);
    if (stateHasPins(s))
        memcpy(s->pinTarget, s->frameTarget, vectors);
    turnPage(system);
    for (int p = 0; p < system->partCount; ++p)
    {
        system->part[p]->added = system->part[p]->addedBefore;
        system->part[p]->dissipated = system->part[p]->dissipatedBefore;
    }
    systemSetWindow(system, 0, 1);
    if (system->booked)
        bookForces(system);
}
