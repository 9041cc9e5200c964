// Contact events: which bodies began, went on and ceased to touch which colliders and other bodies in the last step.
//
// Touching pairs are gathered in the order of bodies, then colliders, then other bodies (a pair of bodies once, under
// the first of them), then rigid bodies likewise, and merged with those of the step before. Room grows at the start of
// a step; pairs of soft bodies that find none are left out, and begin a step later.
#include "world/world.h"

#include <string.h>

#define FIRST_ROOM 64      // pairs
#define LEAST_FORCE 1e-300 // N, weight of a vertex

static int orderParties(const Party *a, const Party *b)
{
    return a->kind != b->kind ? (int)a->kind - (int)b->kind : a->slot - b->slot;
}

static int order(const ContactPair *a, const ContactPair *b)
{
    int first = orderParties(&a->first, &b->first);
    return first != 0 ? first : orderParties(&a->second, &b->second);
}

// the pair's place among those that are there; a new one is put in order. NULL: no room
static ContactPair *findPair(Events *events, const ContactPair *pair)
{
    int place = events->nowCount; // pairs come nearly in order
    while (place > 0 && order(&events->now[place - 1], pair) > 0)
        place -= 1;
    if (place > 0 && order(&events->now[place - 1], pair) == 0)
        return &events->now[place - 1];
    events->needed += 1;
    if (events->nowCount == events->room)
        return NULL;
    memmove(&events->now[place + 1], &events->now[place], (size_t)(events->nowCount - place) * sizeof(ContactPair));
    events->nowCount += 1;
    events->now[place] = *pair;
    return &events->now[place];
}

// one touching vertex more, or one that touched within the step
static void addTo(ContactPair *sum, Vec3 point, Vec3 normal, Vec3 force, Vec3 impulse, bool touches)
{
    double share = maxReal(vecLength(force), LEAST_FORCE); // that in a sensor is 0
    sum->impulse = vecAdd(sum->impulse, impulse);
    sum->weight += share;
    sum->point = vecAdd(sum->point, vecScale(share, point));
    sum->normal = vecAdd(sum->normal, vecScale(share, normal));
    sum->force = vecAdd(sum->force, force);
    sum->vertexCount += touches;
}

void eventsAdd(World *world, Party first, Party second, const vvContact *contact, bool touches)
{
    ContactPair pair = { .first = first, .second = second };
    ContactPair *sum = findPair(&world->events, &pair);
    if (sum != NULL)
        addTo(sum, contact->point, contact->normal, contact->force, contact->impulse, touches);
}

static void addTouch(World *world, const Body *body, const Touch *touch, bool touches)
{
    Party first = { PARTY_BODY, body->slot, world->body[body->slot].generation };
    const Collider *collider = &world->colliders.item[touch->collider];
    Party second = { PARTY_COLLIDER, touch->collider, collider->generation };
    if (collider->rigid > 0)
        second = (Party){ PARTY_RIGID, collider->rigid - 1, world->rigids.item[collider->rigid - 1].generation };
    vvContact contact = {
        .point = touch->point, .normal = touch->normal, .force = touch->force, .impulse = touch->impulse
    };
    eventsAdd(world, first, second, &contact, touches);
}

// the pair counts under the first of the two bodies; what presses on the other presses back on it
static void addTouching(World *world, vvContact *contact, bool touches)
{
    int a = (int)contact->body.index1 - 1, b = (int)contact->other.index1 - 1;
    if (a == b)
        return; // a body that touches itself
    double sign = a < b ? 1 : -1;
    Party first = { PARTY_BODY, minInt(a, b), world->body[minInt(a, b)].generation };
    Party second = { PARTY_OTHER, maxInt(a, b), world->body[maxInt(a, b)].generation };
    contact->normal = vecScale(sign, contact->normal);
    contact->force = vecScale(sign, contact->force);
    contact->impulse = vecScale(sign, contact->impulse);
    eventsAdd(world, first, second, contact, touches);
}

static void gatherFrom(World *world, const Body *body, const Energy *contact)
{
    if (contact == NULL || (contact->off && !((const ContactBody *)contact->context)->senses))
        return;
    const double *x = world->state.start + 3 * (ptrdiff_t)body->first;
    for (int e = contactNextHeld(contact, 0); e < contact->elementCount; e = contactNextHeld(contact, e + 1))
    {
        Touch touch;
        bool touches = contactTouch(contact, x, e, &touch);
        if (touches || contactTouched(contact, x, e, &touch))
            addTouch(world, body, &touch, touches);
    }
}

// all pairs that touch at the present state
static void gather(World *world, bool stale)
{
    Events *events = &world->events;
    events->nowCount = events->needed = 0;
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        const Body *body = world->body[i].body;
        for (int k = 0; body != NULL && k < 2; ++k)
            gatherFrom(world, body, bodyContact(body, k));
    }
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        const Body *body = world->body[i].body;
        vvContact contact;
        for (int k = 0; body != NULL && k < softContactCount(body); ++k)
        {
            bool now = softTouch(body, k, &contact);
            if (now || softTouched(body, k, &contact))
                addTouching(world, &contact, now);
        }
    }
    rigidTouchesGather(world, stale);
}

static bool growRoom(World *world, int grown)
{
    Events *events = &world->events;
    void *before = events->before;
    if (!memoryGrow(&world->memory, &before, (size_t)events->room, (size_t)grown, sizeof(ContactPair)))
        return false;
    events->before = before;
    void *now = events->now;
    if (!memoryGrow(&world->memory, &now, (size_t)events->room, (size_t)grown, sizeof(ContactPair)))
        return false;
    events->now = now;
    events->room = grown;
    return true;
}

bool eventsReserve(World *world, int more)
{
    int wanted = world->events.needed + more;
    return wanted <= world->events.room || growRoom(world, maxInt(FIRST_ROOM, 2 * wanted));
}

bool eventsPrepare(World *world)
{
    Events *events = &world->events;
    if (world->colliders.count == 0 && !world->softContact && world->rigids.count == 0 && events->room == 0)
        return true;
    if (events->room == 0 || events->needed > events->room)
    {
        int former = events->room, grown = maxInt(FIRST_ROOM, 2 * events->needed);
        if (!growRoom(world, grown))
            return false;
        if (former > 0)
            logWrite(&world->memory, &world->logger, VV_LOG_INFO,
                     "%d pairs touched and there was room for %d: some contact events come a step late; now there is "
                     "room for %d",
                     events->needed, former, grown);
    }
    if (events->stale)
    {
        gather(world, true);
        memcpy(events->before, events->now, (size_t)events->nowCount * sizeof(ContactPair));
        events->beforeCount = events->nowCount;
        events->stale = false;
    }
    return true;
}

void eventsCollect(World *world)
{
    Events *events = &world->events;
    if (events->room == 0)
        return;
    ContactPair *pairs = events->before;
    events->before = events->now;
    events->beforeCount = events->nowCount;
    events->now = pairs;
    gather(world, false);
}

void eventsDestroy(World *world)
{
    memoryRelease(&world->memory, world->events.now);
    memoryRelease(&world->memory, world->events.before);
}

// ---- asking ---------------------------------------------------------------------------------------------------------

static vvContactEvent eventOf(const World *world, const ContactPair *pair, vvContactEventKind kind)
{
    const Party *first = &pair->first, *second = &pair->second;
    vvContactEvent event = { .kind = kind };
    if (first->kind == PARTY_RIGID)
        event.rigid = ID_OF(vvRigidBodyId, world, first->slot, first->generation);
    else
        event.body = ID_OF(vvSoftBodyId, world, first->slot, first->generation);
    if (second->kind == PARTY_RIGID)
        event.otherRigid = ID_OF(vvRigidBodyId, world, second->slot, second->generation);
    else if (second->kind == PARTY_OTHER)
        event.other = ID_OF(vvSoftBodyId, world, second->slot, second->generation);
    else
        event.collider = ID_OF(vvColliderId, world, second->slot, second->generation);
    if (kind == VV_CONTACT_END)
        return event;
    double length = vecLength(pair->normal);
    event.point = vecScale(1 / pair->weight, pair->point);
    event.normal = length > 0 ? vecScale(1 / length, pair->normal) : vec3(0, 0, 0);
    event.force = pair->force;
    event.impulse = pair->impulse;
    event.vertexCount = pair->vertexCount;
    return event;
}

static bool isSame(const ContactPair *a, const ContactPair *b)
{
    return a->first.generation == b->first.generation && a->second.generation == b->second.generation;
}

int vvWorld_GetContactEvents(vvWorldId id, vvContactEvent *out, int capacity)
{
    const World *world = worldFind(id);
    if (world == NULL)
        return 0;
    const Events *events = &world->events;
    int count = 0;
    for (int i = 0, k = 0; i < events->beforeCount || k < events->nowCount;)
    {
        const ContactPair *before = i < events->beforeCount ? &events->before[i] : NULL;
        const ContactPair *now = k < events->nowCount ? &events->now[k] : NULL;
        int ahead = before == NULL ? 1 : now == NULL ? -1 : order(before, now);
        bool stays = ahead == 0 && isSame(before, now);
        // one that ends goes before one that begins in its place
        bool ends = ahead < 0 || (ahead == 0 && !stays);
        vvContactEventKind kind = ends ? VV_CONTACT_END : stays ? VV_CONTACT_STAY : VV_CONTACT_BEGIN;
        if (out != NULL && count < capacity)
            out[count] = eventOf(world, ends ? before : now, kind);
        count += 1;
        i += ends || stays;
        k += !ends;
    }
    return count;
}
