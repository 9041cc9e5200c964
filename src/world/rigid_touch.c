// Where rigid bodies touched each other and colliders in the last step: for lists of contacts, events and pictures.
#include "world/world.h"

#define NEAR 1e-4 // of the radius of the smaller body: what ends a step nearer touches

static double gapOf(const RigidContact *c, Vec3 *middle) // m, and the point between the two surfaces, world
{
    Vec3 onA = vecSub(rigidPoint(c->a, c->localA), vecScale(c->radiusA, c->normal));
    Vec3 onB = vecAdd(rigidPoint(c->b, c->localB), vecScale(c->radiusB, c->normal));
    *middle = vecScale(0.5, vecAdd(onA, onB));
    return vecDot(vecSub(onA, onB), c->normal);
}

static bool hasTouched(const RigidContact *c)
{
    Vec3 middle;
    return vecDot(c->impulse, c->normal) > 0 ||
           (!c->over && gapOf(c, &middle) <= NEAR * minReal(c->a->radius, c->b->radius));
}

// ids of bodies are 2 x slot, of scenery 2 x slot of the collider + 1
static Party partyOf(const World *world, int id)
{
    int slot = id / 2;
    if (id % 2 == 1)
        return (Party){ PARTY_COLLIDER, slot, world->colliders.item[slot].generation };
    return (Party){ PARTY_RIGID, slot, world->rigids.item[slot].generation };
}

// what sleeps touches what it touched
static bool isKept(const World *world, const vvContact *contact)
{
    int slot = (int)contact->rigid.index1 - 1;
    return slot < world->rigids.slotCount && world->rigids.item[slot].body.asleep && rigidTouchIsValid(contact);
}

// nothing was looked at in the last step
static bool allSleep(const World *world)
{
    return world->rigids.count > 0 && world->rigids.system.activeCount == 0;
}

bool rigidTouchesReserve(World *world)
{
    RigidTouches *touches = &world->rigidTouches;
    const RigidSystem *system = &world->rigids.system;
    int wanted = 0;
    if (allSleep(world))
        return true;
    for (int i = 0; i < touches->count; ++i)
        wanted += isKept(world, &touches->item[i]);
    for (int i = 0; i < system->contactCount; ++i)
        wanted += hasTouched(&system->contact[i]);
    wanted += standsTouch(world, NULL);
    if (!eventsReserve(world, maxInt(wanted, system->contactRoom)))
        return false;
    if (wanted <= touches->room && touches->room > 0)
        return true;
    void *item = touches->item;
    int grown = maxInt(system->contactRoom, 2 * wanted);
    if (!memoryGrow(&world->memory, &item, (size_t)touches->room, (size_t)grown, sizeof(vvContact)))
        return false;
    touches->item = item;
    touches->room = grown;
    return true;
}

// b may be what comes first: a collider never is
static vvContact contactOf(const World *world, const RigidContact *c, double h)
{
    Party a = partyOf(world, c->a->id), b = partyOf(world, c->b->id);
    vvContact contact = { .vertex = -1, .triangle = -1, .normal = c->normal, .impulse = c->impulse };
    contact.force = vecScale(1 / h, c->whole);
    contact.overlap = maxReal(-gapOf(c, &contact.point), 0);
    if (c->over)
        contact.overlap = 0;
    if (b.kind == PARTY_RIGID && (a.kind == PARTY_COLLIDER || b.slot < a.slot))
    {
        Party swap = a;
        a = b;
        b = swap;
        contact.normal = vecScale(-1, contact.normal);
        contact.force = vecScale(-1, contact.force);
        contact.impulse = vecScale(-1, contact.impulse);
    }
    contact.rigid = ID_OF(vvRigidBodyId, world, a.slot, a.generation);
    if (b.kind == PARTY_RIGID)
        contact.otherRigid = ID_OF(vvRigidBodyId, world, b.slot, b.generation);
    else
        contact.collider = ID_OF(vvColliderId, world, b.slot, b.generation);
    return contact;
}

void rigidTouchesTake(World *world, double dt)
{
    RigidTouches *touches = &world->rigidTouches;
    const RigidSystem *system = &world->rigids.system;
    int kept = 0;
    if (allSleep(world))
        return;
    for (int i = 0; i < touches->count; ++i)
    {
        if (isKept(world, &touches->item[i]))
            touches->item[kept++] = touches->item[i];
    }
    touches->count = kept;
    for (int i = 0; world->rigids.count > 0 && i < system->contactCount; ++i)
    {
        if (hasTouched(&system->contact[i]))
            touches->item[touches->count++] = contactOf(world, &system->contact[i], dt / system->substeps);
    }
    touches->count += standsTouch(world, touches->item + touches->count);
}

// ---- events ---------------------------------------------------------------------------------------------------------

// after a state was loaded: the pairs that bodies remember
static void gatherMemories(World *world)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        const RigidBody *body = &world->rigids.item[i].body;
        for (int k = 0; world->rigids.item[i].used && k < body->memoryCount; ++k)
        {
            int partner = body->memory[k].partner;
            if (partner / 2 >= (partner % 2 == 1 ? world->colliders.slotCount : world->rigids.slotCount))
                continue;
            Party first = partyOf(world, 2 * i), second = partyOf(world, partner);
            bool swap = second.kind == PARTY_RIGID && second.slot < first.slot;
            eventsAdd(world, swap ? second : first, swap ? first : second, &(vvContact){ .vertex = -1 }, true);
        }
    }
}

void rigidTouchesGather(World *world, bool stale)
{
    if (stale)
        gatherMemories(world);
    for (int i = 0; i < world->rigidTouches.count; ++i)
    {
        const vvContact *contact = &world->rigidTouches.item[i];
        Party first = { PARTY_RIGID, (int)contact->rigid.index1 - 1, contact->rigid.generation };
        Party second = { PARTY_COLLIDER, (int)contact->collider.index1 - 1, contact->collider.generation };
        if (contact->collider.index1 == 0)
            second = (Party){ PARTY_RIGID, (int)contact->otherRigid.index1 - 1, contact->otherRigid.generation };
        eventsAdd(world, first, second, contact, vecDot(contact->force, contact->normal) > 0 || contact->overlap > 0);
    }
}

// ---- asking ---------------------------------------------------------------------------------------------------------

bool rigidTouchIsValid(const vvContact *contact)
{
    return vvRigidBody_IsValid(contact->rigid) &&
           (contact->collider.index1 > 0 ? vvCollider_IsValid(contact->collider)
                                         : vvRigidBody_IsValid(contact->otherRigid));
}

int rigidTouches(const World *world, vvContact *contacts, int capacity, int count)
{
    for (int i = 0; i < world->rigidTouches.count; ++i)
    {
        if (!rigidTouchIsValid(&world->rigidTouches.item[i]))
            continue;
        if (contacts != NULL && count < capacity)
            contacts[count] = world->rigidTouches.item[i];
        count += 1;
    }
    return count;
}

void rigidTouchesDestroy(World *world)
{
    memoryRelease(&world->memory, world->rigidTouches.item);
}
