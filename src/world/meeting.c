// Where soft and rigid bodies meet. A shape of a rigid body is a collider that no caller knows; near soft bodies the
// body itself is part of their island for a step (contact/movable.h):
//
//   1. who is near whom, by boxes; then a step of the rigid bodies that is only looked at: what else accelerates them
//   2. islands: soft bodies near the same rigid body are one
//   3. the island's step: contacts with a collider whose velocity answers
//   4. what the contacts gave the soft bodies, the rigid ones get in their step: RigidBody.reaction
//
// Momenta are kept since both sides have the same impulses at the same points. The two differ in where the rigid body
// ends by what the step had not foreseen; the next one begins with what the rigid room says. A rigid body that touches
// soft ones alone is integrated in their island, and its own step takes over how it ends there: RigidBody.carried.
#include "world/world.h"

#include <string.h>

#define SPARE 0.3     // of the mean distance of points: near, at least as far as the search of contacts looks
#define OTHERWISE 0.3 // of what soft bodies change of a rigid one in a step: if it moves otherwise, it is taken again
#define WORTH 0.5     // of that, that taking it again must leave at most for another time
#define NOTICED 1e-3  // of its radius, that this must be worth
#define ROUNDING 1e-9 // of a step
#define PAST_SPEED 4  // steps of the fastest velocity, likewise

// ---- shapes ---------------------------------------------------------------------------------------------------------

static void place(Collider *collider, const RigidBody *body)
{
    Vec3 position = vecAdd(body->position, quatRotate(body->rotation, collider->place));
    collider->start = poseMake(position, quatNormalized(quatMultiply(body->rotation, collider->placeTurn)));
    collider->target = collider->start;
    collider->moves = false;
    collider->movable = NULL;
}

void meetingForget(World *world, int slot)
{
    int next;
    for (int c = world->rigids.item[slot].collider; c >= 0; c = next)
    {
        Collider *collider = &world->colliders.item[c];
        next = collider->sibling;
        *collider = (Collider){ .generation = collider->generation };
    }
    world->rigids.item[slot].collider = -1;
}

vvResult meetingCreate(World *world, int slot)
{
    Rigid *rigid = &world->rigids.item[slot];
    const RigidBody *body = &rigid->body;
    vvResult result = contactsCreate(world);
    if (result.code == VV_OK)
        result = facesCreate(world);
    rigid->collider = -1;
    for (int k = body->shapeCount - 1; k >= 0 && result.code == VV_OK; --k)
    {
        int c = colliderReserve(world);
        if (c < 0)
        {
            result = resultOutOfMemory("the shapes of a rigid body");
            break;
        }
        world->colliders.item[c] = (Collider){ .generation = nextGeneration(world),
                                               .shape = body->shape[k].shape,
                                               .friction = body->friction,
                                               .restitution = body->restitution,
                                               .category = body->category,
                                               .mask = body->mask,
                                               .rigid = slot + 1,
                                               .sibling = rigid->collider,
                                               .place = body->shape[k].position,
                                               .placeTurn = body->shape[k].rotation };
        rigid->collider = c;
        place(&world->colliders.item[c], body);
    }
    if (result.code != VV_OK)
        meetingForget(world, slot);
    return result;
}

void meetingPlace(World *world)
{
    for (int i = 0; i < world->colliders.slotCount; ++i)
    {
        Collider *collider = &world->colliders.item[i];
        if (collider->rigid > 0)
            place(collider, &world->rigids.item[collider->rigid - 1].body);
    }
}

// ---- who is near whom -----------------------------------------------------------------------------------------------

static const vvBox nowhere = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };

static bool overlap(const vvBox *a, const vvBox *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

static void grow(vvBox *box, double by)
{
    box->lower = vecSub(box->lower, vec3(by, by, by));
    box->upper = vecAdd(box->upper, vec3(by, by, by));
}

// where a soft body may be in the step
static vvBox softReach(const World *world, const Body *body, double dt)
{
    vvBox box = nowhere;
    const double *x = world->state.start + 3 * (ptrdiff_t)body->first;
    const double *v = world->state.startVelocity + 3 * (ptrdiff_t)body->first;
    double fastest = 0;
    for (int i = 0; i < body->count; ++i)
    {
        Vec3 u = vecLoad(v + 3 * (ptrdiff_t)i);
        boxInclude(&box, vecLoad(x + 3 * (ptrdiff_t)i));
        fastest = maxReal(fastest, vecDot(u, u));
    }
    double spacing = contactSpacing(body->contactBody);
    double falls = dt * dt * vecLength(world->gravity);
    grow(&box, body->contactDef.radius + SPARE * spacing + PAST_SPEED * dt * sqrt(fastest) + falls);
    return box;
}

vvBox rigidReachBox(const World *world, const RigidBody *body, double dt)
{
    double r = body->radius;
    vvBox box = { vecSub(body->position, vec3(r, r, r)), vecAdd(body->position, vec3(r, r, r)) };
    Vec3 gain = vecAdd(world->gravity, vecScale(body->inverseMass, body->force));
    grow(&box, dt * (vecLength(body->velocity) + vecLength(body->spin) * r) + dt * dt * vecLength(gain));
    return isfinite(r) ? box : (vvBox){ { -INFINITY, -INFINITY, -INFINITY }, { INFINITY, INFINITY, INFINITY } };
}

static bool mayMeet(const Body *body, const Rigid *rigid)
{
    if (body->proxyOf > 0)
        return rigid->near && standsNear(body, rigid);
    return body->contact != NULL && rigid->near && (rigid->body.category & body->contactDef.mask) != 0 &&
           (body->contactDef.category & rigid->body.mask) != 0 && overlap(&body->reach, &rigid->reach);
}

// into `near` of the rigid bodies; whether there are any
static bool findNear(World *world, double dt)
{
    bool any = false;
    for (Body *body = world->firstBody; body != NULL; body = body->next)
        body->reach = body->contact != NULL ? softReach(world, body, dt) : nowhere;
    standsMark(world, dt);
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        Rigid *rigid = &world->rigids.item[i];
        bool near = false;
        rigid->near = rigid->used;
        if (rigid->used)
            rigid->reach = rigidReachBox(world, &rigid->body, dt);
        for (const Body *body = world->firstBody; body != NULL && !(near && rigid->stirred); body = body->next)
        {
            bool meets = mayMeet(body, rigid);
            near |= meets;
            bool together = rigid->proxy != NULL && rigid->proxy->island == body->island; // they tire together
            rigid->stirred |= meets && !body->asleep && !together;
        }
        rigid->near = near;
        any |= near;
    }
    return any;
}

static int firstOf(const World *world, int slot)
{
    while (world->body[slot].body->meets != slot)
        slot = world->body[slot].body->meets;
    return slot;
}

static void join(const World *world, int a, int b)
{
    a = firstOf(world, a);
    b = firstOf(world, b);
    world->body[maxInt(a, b)].body->meets = minInt(a, b);
}

// soft bodies near the same rigid body are in one island, and its stand-in too
static void joinAround(const World *world, const Rigid *rigid)
{
    int first = -1;
    for (const Body *body = world->firstBody; rigid->near && body != NULL; body = body->next)
    {
        if (!mayMeet(body, rigid))
            continue;
        join(world, body->slot, first < 0 ? body->slot : first);
        first = body->slot;
    }
    if (first >= 0 && rigid->body.stands)
        join(world, first, rigid->proxy->slot);
}

void meetingLeave(World *world, const Body *gone)
{
    int first = -1;
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        Body *body = world->body[i].body;
        if (body == NULL || body == gone || body->meets != gone->slot)
            continue;
        first = first < 0 ? i : first;
        body->meets = first;
    }
}

// ---- before the step ------------------------------------------------------------------------------------------------

bool meetingSearch(World *world, double dt)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        Rigid *rigid = &world->rigids.item[i];
        rigid->keptHeld = rigid->held;
        rigid->keptHeldTorque = rigid->heldTorque;
    }
    for (Body *body = world->firstBody; body != NULL; body = body->next)
        body->meets = body->slot;
    world->meeting = world->rigids.count > 0 && world->bodyCount > 0 && findNear(world, dt);
    for (int i = 0; i < world->rigids.slotCount && world->meeting; ++i)
        joinAround(world, &world->rigids.item[i]);
    for (int i = 0; i < world->rigids.slotCount; ++i)
        rigidFollowProxy(&world->rigids.item[i]);
    return (!world->meeting && world->proxyCount == 0) || rigidsForesee(world, dt);
}

static bool flows(const Rigid *rigid)
{
    return vecDot(rigid->body.flow, rigid->body.flow) + vecDot(rigid->body.flowTorque, rigid->body.flowTorque) > 0;
}

static MovableFlight flightOf(const World *world, const Rigid *rigid)
{
    const RigidBody *body = &rigid->body;
    return (MovableFlight){ .alone = rigid->hold.alone && rigid->proxy == NULL && !flows(rigid),
                            .inverseMass = body->inverseMass,
                            .inertia = body->inertia,
                            .inverseInertia = body->inverseInertia,
                            .gain = vecAdd(world->gravity, vecScale(body->inverseMass, body->force)),
                            .torque = body->torque,
                            .start = body->angularMomentum };
}

static Movable movableOf(World *world, Rigid *rigid, int island, double dt)
{
    const RigidBody *body = &rigid->body;
    Movable movable = { .position = body->position,
                        .rotation = body->rotation,
                        .velocity = body->velocity,
                        .spin = body->spin,
                        .flight = flightOf(world, rigid),
                        .rail = rigid->proxy == NULL && !flows(rigid) ? railOf(world, (int)(rigid - world->rigids.item))
                                                                      : (MovableRail){ .on = false },
                        .dt = dt,
                        .island = island,
                        .colliders = &world->colliders,
                        .firstShape = rigid->collider };
    memcpy(movable.firm, rigid->hold.firm.m, sizeof movable.firm);
    memcpy(movable.stiffness, rigid->hold.stiffness.m, sizeof movable.stiffness);
    vecStore(movable.held, rigid->held);
    vecStore(movable.held + 3, rigid->heldTorque);
    Vec3 way = vecSub(vecSub(rigid->foreseenPosition, body->position), vecScale(dt, body->velocity));
    vvQuat turn = quatMultiply(rigid->foreseenRotation, quatConjugate(body->rotation));
    Vec3 angle = vecScale(turn.w != 0 ? 2 / turn.w : 0, vec3(turn.x, turn.y, turn.z));
    movable.foreseen = movablePath(vecSub(rigid->foreseenVelocity, body->velocity), way, dt);
    movable.foreseenTurn =
        movablePath(vecSub(rigid->foreseenSpin, body->spin), vecSub(angle, vecScale(dt, body->spin)), dt);
    return movable;
}

static int islandOf(const World *world, const Rigid *rigid)
{
    for (const Body *body = world->firstBody; body != NULL; body = body->next)
    {
        if (mayMeet(body, rigid))
            return body->island;
    }
    return -1;
}

static void enter(World *world, Movable *movable)
{
    Collider *item = world->colliders.item;
    for (int c = movable->firstShape; c >= 0; c = item[c].sibling)
        item[c].movable = movable;
    movableStart(movable);
}

bool meetingLend(World *world, double dt, bool again)
{
    Rigids *rigids = &world->rigids;
    int next = 0;
    for (int i = 0; i < world->systemCount; ++i)
        world->system[i].movableCount = 0;
    meetingPlace(world);
    if (!world->meeting)
        return true;
    if (rigids->movableRoom < rigids->slotCount)
    {
        memoryRelease(&world->memory, rigids->movable);
        rigids->movable = ALLOCATE(&world->memory, Movable, rigids->slotCount);
        rigids->movableRoom = rigids->movable != NULL ? rigids->slotCount : 0;
        if (rigids->movable == NULL)
            return false;
    }
    for (int i = 0; i < rigids->slotCount; ++i)
    {
        Rigid *rigid = &rigids->item[i];
        rigid->island = rigid->near ? islandOf(world, rigid) : -1;
        if (rigid->island >= 0)
            world->system[rigid->island].movableCount += 1;
    }
    for (int i = 0; i < world->systemCount; ++i)
    {
        System *system = &world->system[i];
        system->movable = rigids->movable + next;
        next += system->movableCount;
        system->movableCount = 0;
    }
    for (int i = 0; i < rigids->slotCount; ++i)
    {
        Rigid *rigid = &rigids->item[i];
        if (rigid->island < 0)
            continue;
        System *system = &world->system[rigid->island];
        Movable *movable = &system->movable[system->movableCount++];
        rigid->movable = movable;
        if (again && !world->runs[rigid->island].again) // it keeps what it did
            continue;
        *movable = movableOf(world, rigid, rigid->island, dt);
        enter(world, movable);
    }
    return true;
}

// Stand-ins have been loaded with what was foreseen before: they are left alone.
bool meetingFlow(World *world, double dt)
{
    bool wet = false;
    for (int i = 0; i < world->rigids.slotCount && world->meeting && world->proxyCount == 0; ++i)
    {
        const Rigid *rigid = &world->rigids.item[i];
        wet |= rigid->used && flows(rigid) && rigid->island >= 0 && !world->runs[rigid->island].taken;
    }
    for (int i = 0; i < world->systemCount; ++i)
        world->runs[i].again = !world->runs[i].taken;
    return !wet || (rigidsForesee(world, dt) && meetingLend(world, dt, true));
}

// ---- after the islands ----------------------------------------------------------------------------------------------

// what a sleeping body still presses with
static ContactImpulse heldImpulse(const Energy *contact, const double *x, int element, const RigidBody *rigid,
                                  double dt)
{
    Touch touch;
    if (!contactTouch(contact, x, element, &touch))
        return (ContactImpulse){ .impulse = { 0, 0, 0 } };
    Vec3 impulse = vecScale(dt, touch.force);
    return (ContactImpulse){ .impulse = impulse, .moment = vecCross(vecSub(touch.point, rigid->position), impulse) };
}

static void take(RigidBody *rigid, const ContactImpulse *from, double dt)
{
    rigid->reaction = vecSub(rigid->reaction, vecScale(1 / dt, from->impulse));
    rigid->reactionTorque = vecSub(rigid->reactionTorque, vecScale(1 / dt, from->moment));
}

static void takeFrom(World *world, const Body *body, const Energy *contact, double dt)
{
    const double *x = world->state.start + 3 * (ptrdiff_t)body->first;
    const ContactBody *surface = contact->context;
    for (int e = contactNextHeld(contact, 0); e < contact->elementCount; e = contactNextHeld(contact, e + 1))
    {
        const Collider *collider = contactColliderOf(contact, e);
        if (collider->rigid == 0)
            continue;
        RigidBody *rigid = &world->rigids.item[collider->rigid - 1].body;
        ContactImpulse impulse = body->asleep ? heldImpulse(contact, x, e, rigid, dt) : surface->impulse[e];
        take(rigid, &impulse, dt);
    }
}

bool meetingIsDone(const World *world, const Rigid *rigid)
{
    return rigid->island >= 0 && (rigid->movable->flight.alone || rigid->movable->rail.on) && !flows(rigid) &&
           !islandSleeps(&world->system[rigid->island]) && rigid->movable->reached > 1 - ROUNDING;
}

void meetingReact(World *world, double dt)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
        world->rigids.item[i].held = world->rigids.item[i].heldTorque = vec3(0, 0, 0);
    for (int i = 0; i < world->bodySlotCount && world->meeting; ++i)
    {
        const Body *body = world->body[i].body;
        for (int k = 0; body != NULL && k < 2; ++k)
        {
            const Energy *contact = bodyContact(body, k);
            if (contact != NULL && !contact->off)
                takeFrom(world, body, contact, dt);
        }
    }
    standsReact(world, dt);
    proxiesReact(world, dt);
    for (int i = 0; i < world->rigids.slotCount && world->meeting; ++i)
    {
        Rigid *rigid = &world->rigids.item[i];
        rigid->body.pulse = rigid->island >= 0 ? (const double(*)[6])rigid->movable->pulse : NULL;
        bool carried = meetingIsDone(world, rigid) && rigid->movable->flight.alone;
        rigid->body.carried = carried ? rigid->movable : NULL;
        rigid->held = rigid->body.reaction;
        rigid->heldTorque = rigid->body.reactionTorque;
    }
}

// m/s, by which it moved otherwise than its island thought; and by which the island's impulses changed it
static double differs(const Rigid *rigid, double dt, double *changed)
{
    const Movable *movable = rigid->movable;
    const RigidBody *body = &rigid->body;
    double r = isfinite(body->radius) ? body->radius : 0;
    *changed = vecLength(vecSub(movable->rate, rigid->foreseenVelocity)) +
               r * vecLength(vecSub(movable->rotating, rigid->foreseenSpin));
    return vecLength(vecSub(movable->rate, body->velocity)) + r * vecLength(vecSub(movable->rotating, body->spin)) +
           vecLength(vecSub(movable->at, body->position)) / dt;
}

// Which islands are taken again: those whose bodies moved otherwise and, from the second time on, where the last time
// was worth it.
static bool chooseAgain(World *world, double dt, int time)
{
    bool any = false;
    for (int i = 0; i < world->systemCount; ++i)
    {
        world->runs[i].before = time > 0 ? world->runs[i].otherwise : INFINITY;
        world->runs[i].otherwise = 0;
    }
    for (int i = 0; i < world->rigids.slotCount && world->meeting; ++i)
    {
        const Rigid *rigid = &world->rigids.item[i];
        if (!rigid->used || rigid->island < 0 || rigid->body.stands || !world->method.integrator->answers ||
            world->runs[rigid->island].taken || islandSleeps(&world->system[rigid->island]))
            continue;
        double changed, otherwise = differs(rigid, dt, &changed);
        if (otherwise > OTHERWISE * changed && otherwise * dt > NOTICED * rigid->body.radius)
            world->runs[rigid->island].otherwise += otherwise * dt;
    }
    for (int i = 0; i < world->systemCount; ++i)
    {
        IslandRun *run = &world->runs[i];
        run->again = run->otherwise > 0 && run->otherwise < WORTH * run->before;
        any |= run->again;
    }
    return any;
}

bool meetingDiffers(World *world, double dt, int time)
{
    if (!chooseAgain(world, dt, time))
        return false;
    rigidsTakeForeseen(world, dt);
    rigidsRewind(world);
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        RigidBody *body = &world->rigids.item[i].body;
        body->reaction = body->reactionTorque = vec3(0, 0, 0);
        body->pulse = NULL;
        body->carried = NULL;
        body->reactionWork = 0;
    }
    return true;
}

void meetingFail(World *world)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        Rigid *rigid = &world->rigids.item[i];
        rigid->held = rigid->keptHeld;
        rigid->heldTorque = rigid->keptHeldTorque;
    }
    meetingPlace(world);
}
