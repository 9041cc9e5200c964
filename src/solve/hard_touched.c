// The law of contact with velocities at touched vertices alone, until its iterations end.
#include "solve/hard.h"

#include <string.h>

typedef struct TouchedSolve
{
    const System *system;
    const double *right;
    double *result;
} TouchedSolve;

static void solveMember(void *context, Member *member, Workers *workers)
{
    const TouchedSolve *solve = context;
    touchedSolve(solve->system, member, workers, solve->right, solve->result);
}

void hardTouchSolve(System *system)
{
    TouchedSolve solve = { system, system->state.gradient, system->state.direction };
    systemEachMember(system, solveMember, &solve);
}

void hardTouchBegin(System *system, const HardLaw *law)
{
    State *s = &system->state;
    Touched *touched = &system->touched;
    if (law->touch == NULL || !touchedGather(system, law->list))
        return;
    touched->answer = scratchTake(s);
    touched->alone = law->touch(system, law->stage);
    if (!touched->alone)
        scratchGive(s, touched->answer);
    else
        memset(s->gradient, 0, (size_t)s->count * 3 * sizeof(double));
}

// what acts at the vertices, zero at pins
static void spread(System *system, const ContactList *list, bool whole)
{
    State *s = &system->state;
    for (int c = 0; c < list->count; ++c)
        contactSpreadImpulse(&list->item[c], whole ? list->item[c].impulse : list->item[c].step, s->gradient);
    for (int v = nextPin(s, 0, s->count); v < s->count; v = nextPin(s, v + 1, s->count))
        vecStore(s->gradient + 3 * (ptrdiff_t)v, vec3(0, 0, 0));
}

void hardTouchPush(System *system, const HardLaw *law)
{
    State *s = &system->state;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        for (int k = member->touchedStart; k < member->touchedEnd; ++k)
            vecStore(s->gradient + 3 * (ptrdiff_t)(member->offset + system->touched.vertex[k]), vec3(0, 0, 0));
    }
    spread(system, law->list, false);
    law->inverseTouched(system, law->stage, s->gradient, s->direction);
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        for (int k = member->touchedStart; k < member->touchedEnd; ++k)
        {
            ptrdiff_t i = 3 * (ptrdiff_t)(member->offset + system->touched.vertex[k]);
            vecStore(law->change + i, vecAdd(vecLoad(law->change + i), vecLoad(s->direction + i)));
        }
    }
}

void hardTouchEnd(System *system, const HardLaw *law)
{
    State *s = &system->state;
    Touched *touched = &system->touched;
    if (!touched->alone)
        return;
    touched->alone = false;
    scratchGive(s, touched->answer);
    if (law->list->count == 0)
        return;
    memset(s->gradient, 0, (size_t)s->count * 3 * sizeof(double));
    spread(system, law->list, true);
    law->inverse(system, law->stage, s->gradient, s->direction);
    for (int c = 0; c < law->list->count; ++c)
    {
        Contact *contact = &law->list->item[c];
        Vec3 off = vecSub(contactRate(contact, s->direction), contactRate(contact, law->change));
        contact->after = vecAdd(contact->after, off);
    }
    memcpy(law->change, s->direction, (size_t)s->count * 3 * sizeof(double));
}
