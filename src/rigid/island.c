// Islands of rigid bodies: those that joints hold together or whose paths come near each other. Scenery and kinematic
// bodies join none. An island sleeps as a whole: it wakes when one of its bodies is awake or stirred, or when scenery
// or a kinematic body moves near it. Sleeping bodies have no velocity, and a step passes them by.
#include "rigid/system.h"

static bool isMovable(const RigidBody *body)
{
    return body->inverseMass > 0;
}

static bool isMoving(const RigidBody *body)
{
    return vecDot(body->velocity, body->velocity) + vecDot(body->spin, body->spin) > 0;
}

// ---- the partition --------------------------------------------------------------------------------------------------

// While it is made, `island` of a body is one not above its own in the same island: a tree whose root is its first
// body.
static int rootOf(int *island, int i)
{
    while (island[i] != i)
    {
        island[i] = island[island[i]];
        i = island[i];
    }
    return i;
}

static void join(int *island, const RigidBody *a, const RigidBody *b)
{
    if (!isMovable(a) || !isMovable(b))
        return;
    int first = rootOf(island, a->index), second = rootOf(island, b->index);
    island[maxInt(first, second)] = minInt(first, second);
}

static void partition(RigidSystem *system)
{
    for (int i = 0; i < system->bodyCount; ++i)
        system->island[i] = i;
    for (int p = 0; p < system->pairCount; ++p)
        join(system->island, system->body[rigidPairFirst(system->pair[p].key)],
             system->body[rigidPairSecond(system->pair[p].key)]);
    for (int i = 0; i < system->linkCount; ++i)
        join(system->island, system->link[i].a, system->link[i].b);
    for (int i = 0; i < system->bodyCount; ++i)
        system->island[i] = rootOf(system->island, i);
}

// ---- waking ---------------------------------------------------------------------------------------------------------

// the island of what can move, where the other moves by itself
static void stir(RigidSystem *system, const RigidBody *a, const RigidBody *b)
{
    if (isMovable(a) && !isMovable(b) && isMoving(b))
        system->awake[system->island[a->index]] = true;
    if (isMovable(b) && !isMovable(a) && isMoving(a))
        system->awake[system->island[b->index]] = true;
}

static void wake(RigidSystem *system)
{
    for (int i = 0; i < system->bodyCount; ++i)
        system->awake[i] = false;
    for (int i = 0; i < system->bodyCount; ++i)
        system->awake[system->island[i]] |= !system->body[i]->asleep || system->body[i]->stirred;
    for (int p = 0; p < system->pairCount; ++p)
        stir(system, system->body[rigidPairFirst(system->pair[p].key)],
             system->body[rigidPairSecond(system->pair[p].key)]);
    for (int i = 0; i < system->linkCount; ++i)
        stir(system, system->link[i].a, system->link[i].b);
    for (int i = 0; i < system->bodyCount; ++i)
    {
        if (system->body[i]->asleep && system->awake[system->island[i]])
            rigidWake(system->body[i]);
    }
}

// ---- what takes part in the step ------------------------------------------------------------------------------------

static bool keepLinks(RigidSystem *system, Memory *memory)
{
    if (system->linkCount > system->linkRoom)
    {
        memoryRelease(memory, system->awakeLink);
        system->awakeLink = ALLOCATE(memory, RigidLink, system->linkCount);
        system->linkRoom = system->awakeLink ? system->linkCount : 0;
        if (system->awakeLink == NULL)
            return false;
    }
    int kept = 0;
    for (int i = 0; i < system->linkCount; ++i)
    {
        if (!system->link[i].a->asleep && !system->link[i].b->asleep)
            system->awakeLink[kept++] = system->link[i];
    }
    system->link = system->awakeLink;
    system->linkCount = kept;
    return true;
}

void rigidKeepPairs(RigidSystem *system)
{
    int kept = 0;
    for (int p = 0; p < system->pairCount; ++p)
    {
        double key = system->pair[p].key;
        if (!system->body[rigidPairFirst(key)]->asleep && !system->body[rigidPairSecond(key)]->asleep)
            system->pair[kept++] = system->pair[p];
    }
    system->pairCount = kept;
}

static void listActive(RigidSystem *system)
{
    system->activeCount = 0;
    for (int i = 0; i < system->bodyCount; ++i)
    {
        if (!system->body[i]->asleep)
            system->active[system->activeCount++] = system->body[i];
    }
}

bool rigidIslands(RigidSystem *system, Memory *memory)
{
    if (system->sleeps)
    {
        partition(system);
        wake(system);
        rigidKeepPairs(system);
    }
    listActive(system);
    return system->activeCount == system->bodyCount || keepLinks(system, memory);
}

bool rigidAllRest(const RigidSystem *system)
{
    for (int i = 0; i < system->bodyCount + system->sceneryCount; ++i)
    {
        const RigidBody *body = system->body[i];
        if (isMovable(body) ? !body->asleep || body->stirred : isMoving(body))
            return false;
    }
    return true;
}

// ---- falling asleep -------------------------------------------------------------------------------------------------

static void fallAsleep(RigidBody *body)
{
    body->dissipated += rigidKinetic(body);
    body->velocity = body->angularMomentum = body->spin = vec3(0, 0, 0);
    body->asleep = true;
}

void rigidTire(RigidSystem *system, double time)
{
    bool *tired = system->awake; // by island
    for (int i = 0; i < system->activeCount; ++i)
        tired[system->island[system->active[i]->index]] = true;
    for (int i = 0; i < system->activeCount; ++i)
    {
        const RigidBody *body = system->active[i];
        tired[system->island[body->index]] &= isMovable(body) && body->calm >= time && !body->stirred;
    }
    for (int i = 0; i < system->activeCount; ++i)
    {
        if (tired[system->island[system->active[i]->index]])
            fallAsleep(system->active[i]);
    }
}
