// The loads of what begins at rest. Contacts remember what they carry, and every substep adds to it by a few sweeps: a
// ton on rollers of a kilogram takes a thousand substeps until it is borne. Meanwhile it sinks, here more than there,
// and sets rollers going, which nothing stops again. So the positions of the first substep of what rests and remembers
// no load are swept until they stay.
#include "rigid/system.h"

#define SLOW 2.0   // of what gravity adds in a substep: faster bodies do not rest
#define STAYS 1e-7 // of what gravity moves in a substep: so little from one look to the next

static bool rests(const RigidSystem *system, const RigidBody *body, double h)
{
    double spin = vecLength(body->spin), speed = vecLength(body->velocity) + (spin > 0 ? body->radius * spin : 0);
    return speed <= SLOW * h * vecLength(system->gravity);
}

static bool begins(const RigidSystem *system, const RigidBody *body)
{
    return body->inverseMass > 0 && system->cluster[body->cluster].begins;
}

static void remembers(RigidSystem *system, const RigidBody *body)
{
    if (body->inverseMass > 0)
        system->cluster[body->cluster].begins = false;
}

void rigidLoadsBegin(RigidSystem *system, double h)
{
    for (int i = 0; i < system->bodyCount; ++i)
        system->cluster[i].begins = true;
    for (int i = 0; i < system->contactCount; ++i)
    {
        if (!system->contact[i].recalled)
            continue;
        remembers(system, system->contact[i].a);
        remembers(system, system->contact[i].b);
    }
    for (int i = 0; i < system->linkCount; ++i)
    {
        remembers(system, system->link[i].a);
        remembers(system, system->link[i].b);
    }
    for (int i = 0; i < system->activeCount; ++i)
    {
        if (!rests(system, system->active[i], h))
            remembers(system, system->active[i]);
    }
    system->begins = false;
    for (int i = 0; i < system->activeCount && !system->begins; ++i)
        system->begins = begins(system, system->active[i]);
}

bool rigidLoadsHave(const RigidSystem *system, const RigidContact *c)
{
    return begins(system, c->a) || begins(system, c->b);
}

int rigidLoadsList(RigidSystem *system)
{
    int count = 0;
    for (int i = 0; i < system->batchCount; ++i)
    {
        const RigidBatch *batch = &system->batch[i];
        bool listed = false;
        for (int lane = 0; lane < batch->count && !listed; ++lane)
            listed = begins(system, system->body[batch->a[lane] / MOTION_SIZE]) ||
                     begins(system, system->body[batch->b[lane] / MOTION_SIZE]);
        if (listed)
            system->struck[count++] = i;
    }
    return count;
}

bool rigidLoadsStay(RigidSystem *system, double h)
{
    double most = STAYS * h * h * vecLength(system->gravity), moved = 0;
    for (int i = 0; i < system->activeCount; ++i)
    {
        const RigidBody *body = system->active[i];
        double *motion = system->motion + (size_t)MOTION_SIZE * (size_t)body->index;
        Vec3 shift = vecLoad(motion + MOTION_SHIFT), before = vecLoad(motion + MOTION_START);
        if (!begins(system, body))
            continue;
        moved = maxReal(moved, vecLength(vecSub(shift, before)));
        vecStore(motion + MOTION_START, shift);
    }
    return moved <= most;
}
