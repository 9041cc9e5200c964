// Contacts of rigid bodies with colliders, in the islands where they have stand-ins (proxy.c).
//
// A point of a rigid body is a mean of the four masses of its stand-in, with weights that sum to 1, so that a point of
// its surface against a collider is a contact like any other in the list of the hard law (contact/list.h): the island
// finds the impulse with all that is bonded to the body. The points are those of the narrow phase of rigid bodies
// (rigid/manifold.c), found in each substep where forces are taken. Of another rigid body the opposite point is one of
// its stand-in, or of a body near the island as soft bodies have it (meeting.c). The body's own step leaves all its
// contacts out, and the body ends where its stand-in does. Methods without such a list leave them to its own step.
#include "base/quaternion.h"
#include "world/proxy.h"

#define ROOM 0.5      // of the radius of a body: what is bonded to it may carry it so far besides its own velocity
#define TOUCHING 1e-4 // of it: what ends a step nearer than this touches

bool proxyMeetsRigid(const Rigid *rigid)
{
    bool stands = rigid->proxy != NULL && rigid->proxy->world->method.integrator->stands;
    return !stands && rigid->body.memoryCount > 0;
}

// ---- before the step ------------------------------------------------------------------------------------------------

static bool mayCollide(const RigidBody *a, uint32_t category, uint32_t mask)
{
    return (a->category & mask) != 0 && (category & a->mask) != 0;
}

// a joint holds them, and does not let them collide
static bool areHeldApart(const World *world, int a, int b)
{
    for (int i = 0; i < world->joints.slotCount; ++i)
    {
        const WorldJoint *joint = &world->joints.item[i];
        bool both = (joint->bodyA == a && joint->bodyB == b) || (joint->bodyA == b && joint->bodyB == a);
        if (joint->used && !joint->broken && both && !joint->def.collide)
            return true;
    }
    return false;
}

static int slotOf(const Rigid *rigid)
{
    return (int)(rigid - rigid->proxy->world->rigids.item);
}

static bool overlap(const vvBox *a, const vvBox *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

bool standsNear(const Body *body, const Rigid *rigid)
{
    const World *world = body->world;
    const Rigid *own = &world->rigids.item[body->proxyOf - 1];
    return own->proxy == body && own != rigid && own->body.stands &&
           mayCollide(&own->body, rigid->body.category, rigid->body.mask) && overlap(&body->reach, &rigid->reach) &&
           !areHeldApart(world, slotOf(own), (int)(rigid - world->rigids.item));
}

static void markPressed(World *world)
{
    Rigid *item = world->rigids.item;
    for (int i = 0; i < world->rigids.slotCount; ++i)
        item[i].pressed = false;
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        for (int k = 0; item[i].used && k < item[i].body.memoryCount; ++k)
        {
            int partner = item[i].body.memory[k].partner; // ids of rigid bodies are even
            item[i].pressed = true;
            if (partner % 2 == 0)
                item[partner / 2].pressed = true;
        }
    }
}

void standsMark(World *world, double dt)
{
    if (!world->method.integrator->stands || world->proxyCount == 0)
        return;
    markPressed(world);
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        Rigid *rigid = &world->rigids.item[i];
        RigidBody *body = &rigid->body;
        body->stands = rigid->used && body->inverseMass > 0 && proxyLeads(rigid);
        if (!body->stands)
            continue;
        double room = ROOM * body->radius;
        vvBox box = rigidReachBox(world, body, dt);
        rigid->proxy->reach =
            (vvBox){ vecSub(box.lower, vec3(room, room, room)), vecAdd(box.upper, vec3(room, room, room)) };
    }
}

// m, that the surface of a collider moves by in the step, at a point of the world and as far around it as given
static double travelOf(const Collider *collider, Vec3 point, double around)
{
    if (!collider->moves)
        return 0;
    Mat3 back = matTranspose(&collider->start.turn);
    Vec3 local = matApply(&back, vecSub(point, collider->start.position));
    double most = 0;
    for (int k = 0; k < 4; ++k)
    {
        Vec3 beside = vec3(k == 1 ? around : 0, k == 2 ? around : 0, k == 3 ? around : 0);
        ColliderPlace place = { vecAdd(local, beside), 0, -1 };
        most = maxReal(most, vecLength(colliderDisplacement(collider, 0, 1, &place)));
    }
    return 2 * most;
}

static double aroundOf(const World *world, const RigidBody *body, double dt) // m, around its centre
{
    double pace = vecLength(body->velocity) + body->radius * vecLength(body->spin);
    return (1 + ROOM) * body->radius + 2 * dt * (pace + dt * vecLength(world->gravity));
}

static bool mayMeet(const World *world, const RigidBody *body, const Collider *collider, double dt)
{
    if (!collider->used || collider->sensor || !mayCollide(body, collider->category, collider->mask))
        return false;
    double reach = aroundOf(world, body, dt);
    reach += travelOf(collider, body->position, body->radius);
    Mat3 back = matTranspose(&collider->start.turn);
    Vec3 local = matApply(&back, vecSub(body->position, collider->start.position));
    return shapeSample(collider->shape, local, reach, -1).distance < reach;
}

bool proxyMeetsColliders(const World *world, int slot, double dt)
{
    const Rigid *item = world->rigids.item;
    const RigidBody *body = &item[slot].body;
    if (!world->method.integrator->stands || !item[slot].linked)
        return false;
    for (int c = 0; c < world->colliders.slotCount; ++c)
    {
        if (mayMeet(world, body, &world->colliders.item[c], dt))
            return true;
    }
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        const RigidBody *other = &item[i].body;
        double far = vecLength(vecSub(body->position, other->position));
        if (item[i].used && i != slot && mayCollide(body, other->category, other->mask) &&
            !(far > aroundOf(world, body, dt) + aroundOf(world, other, dt)) && !areHeldApart(world, slot, i))
            return true;
    }
    return false;
}

static int partnerOf(const World *world, const StandTouch *touch)
{
    int rigid = world->colliders.item[touch->collider].rigid;
    return rigid > 0 ? 2 * (rigid - 1) : 2 * touch->collider + 1;
}

// what pressed when the last step ended: its impulses are the first guess
static void recall(const World *world, StandTouch *touch)
{
    const RigidBody *body = &world->rigids.item[touch->rigid].body;
    for (int k = 0; k < body->memoryCount && touch->count < STAND_POINTS; ++k)
    {
        const RigidMemory *memory = &body->memory[k];
        if (memory->partner == partnerOf(world, touch) && memory->shapeA == touch->shape &&
            memory->shapeB == touch->otherShape)
            touch->point[touch->count++] = (StandPoint){ .feature = memory->feature, .force = memory->force };
    }
}

// all shapes of a body against one collider
static bool add(World *world, int rigid, int collider, int otherShape)
{
    Rigids *rigids = &world->rigids;
    for (int k = 0; k < rigids->item[rigid].body.shapeCount; ++k)
    {
        if (rigids->standCount == rigids->standRoom)
        {
            void *stand = rigids->stand;
            int grown = maxInt(16, 2 * rigids->standRoom);
            if (!memoryGrow(&world->memory, &stand, (size_t)rigids->standRoom, (size_t)grown, sizeof(StandTouch)))
                return false;
            rigids->stand = stand;
            rigids->standRoom = grown;
        }
        StandTouch *touch = &rigids->stand[rigids->standCount++];
        *touch = (StandTouch){ .rigid = rigid, .shape = k, .collider = collider, .otherShape = otherShape };
        recall(world, touch);
    }
    return true;
}

// of two that stand each pair once
static bool addRigids(World *world, int slot)
{
    const Rigid *item = world->rigids.item;
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        bool twice = item[i].body.stands && i < slot;
        if (!item[i].used || twice || !standsNear(item[slot].proxy, &item[i]))
            continue;
        int shape = 0;
        for (int c = item[i].collider; c >= 0; c = world->colliders.item[c].sibling)
        {
            if (!add(world, slot, c, shape++))
                return false;
        }
    }
    return true;
}

bool standsSearch(World *world, double dt)
{
    Rigids *rigids = &world->rigids;
    rigids->standCount = 0;
    for (int i = 0; i < rigids->slotCount && world->proxyCount > 0; ++i)
    {
        const RigidBody *body = &rigids->item[i].body;
        if (!rigids->item[i].used || !body->stands)
            continue;
        for (int c = 0; c < world->colliders.slotCount; ++c)
        {
            if (mayMeet(world, body, &world->colliders.item[c], dt) && !add(world, i, c, 0))
                return false;
        }
        if (!addRigids(world, i))
            return false;
    }
    return true;
}

// ---- within it ------------------------------------------------------------------------------------------------------

// A stand-in where forces are taken.
typedef struct Standing
{
    const Body *body;
    Vec3 centre;
    vvQuat rotation;
    Mat3 back;   // into the principal frame, exactly
    double pace; // m/s, of its surface at most
} Standing;

static Standing standingOf(const Rigid *rigid, const ContactView *view)
{
    const Body *body = rigid->proxy;
    const double *z = view->z + 3 * (ptrdiff_t)body->member.offset;
    const double *u = view->velocity + 3 * (ptrdiff_t)body->member.offset;
    Vec3 half = proxyHalf(rigid), centre = vec3(0, 0, 0), mean = vec3(0, 0, 0);
    double turning = 0;
    for (int k = 0; k < 4; ++k)
    {
        centre = vecAdd(centre, vecScale(0.25, vecLoad(z + 3 * (ptrdiff_t)k)));
        mean = vecAdd(mean, vecScale(0.25, vecLoad(u + 3 * (ptrdiff_t)k)));
    }
    for (int k = 0; k < 4; ++k)
        turning = maxReal(turning, vecLength(vecSub(vecLoad(u + 3 * (ptrdiff_t)k), mean)));
    Mat3 deformed = proxyDeformed(body, half, z, centre), turn = nearestRotation(&deformed);
    double arm = vecLength(half);
    return (Standing){ .body = body,
                       .centre = centre,
                       .rotation = quatOfMatrix(&turn),
                       .back = matInverse(&deformed),
                       .pace = vecLength(mean) + 2 * turning * maxReal(rigid->body.radius / arm, 1) };
}

// what is known of a point: the one of that name, or room for it
static int placeOf(StandTouch *touch, uint32_t feature)
{
    int spare = -1; // of a point that is gone: a manifold has fewer than there is room for
    for (int k = 0; k < touch->count; ++k)
    {
        bool taken = (touch->taken >> k & 1u) != 0;
        if (touch->point[k].feature == feature && !taken)
            return k;
        if (spare < 0 && !taken)
            spare = k;
    }
    bool grows = touch->count < STAND_POINTS;
    int at = grows ? touch->count++ : spare;
    Vec3 gave = grows ? vec3(0, 0, 0) : touch->point[at].impulse; // in the step so far
    touch->point[at] = (StandPoint){ .feature = feature, .impulse = gave };
    return at;
}

// What a shape of a stand-in meets, where forces are taken.
typedef struct Opposite
{
    const Collider *collider;
    const Rigid *rigid; // NULL: scenery
    Standing stand;     // of one that stands
    bool stands;
    Pose pose;
    double pace; // m/s, of its surface at most
} Opposite;

static Pose shapePose(const Standing *stand, Vec3 position, vvQuat rotation)
{
    return poseMake(vecAdd(stand->centre, quatRotate(stand->rotation, position)),
                    quatNormalized(quatMultiply(stand->rotation, rotation)));
}

static Opposite oppositeOf(const World *world, const StandTouch *touch, const ContactView *view, Vec3 near)
{
    const Collider *collider = &world->colliders.item[touch->collider];
    Opposite other = { .collider = collider };
    other.rigid = collider->rigid > 0 ? &world->rigids.item[collider->rigid - 1] : NULL;
    other.stands = other.rigid != NULL && other.rigid->body.stands;
    if (other.stands)
    {
        other.stand = standingOf(other.rigid, view);
        other.pose = shapePose(&other.stand, collider->place, collider->placeTurn);
        other.pace = other.stand.pace;
        return other;
    }
    const RigidBody *b = &world->rigids.item[touch->rigid].body;
    other.pose = colliderPose(collider, 0.5 * (view->from + view->to));
    if (other.rigid != NULL && collider->movable != NULL)
        other.pace =
            vecLength(collider->movable->rate) +
            vecLength(collider->movable->rotating) * (vecLength(vecSub(near, collider->movable->at)) + b->radius);
    else
        other.pace = (view->to - view->from) * travelOf(collider, near, b->radius) / view->h;
    return other;
}

// m/s, of scenery at a point of its frame
static Vec3 driftOf(const Opposite *other, const ContactView *view, Vec3 local, Vec3 normal)
{
    const Collider *collider = other->collider;
    ColliderPlace place = { local, 0.5 * (view->from + view->to), -1 };
    Vec3 drift = tangential(matApply(&other->pose.turn, collider->surfaceVelocity), normal);
    if (collider->moves)
        drift = vecAdd(drift, vecScale(1 / view->h, colliderDisplacement(collider, view->from, view->to, &place)));
    return drift;
}

// a point of the world on a stand-in
static Endpoint pointOn(const Standing *stand, Vec3 point)
{
    return proxyEndpoint(stand->body, matApply(&stand->back, vecSub(point, stand->centre)));
}

// The impulses of both sides act at the same point, so that angular momentum is kept.
static void oppose(Contact *entry, const Opposite *other, const ContactView *view, const ManifoldPoint *found,
                   Vec3 point)
{
    Movable *movable = other->collider->movable;
    if (other->stands)
    {
        Endpoint end = pointOn(&other->stand, point);
        entry->stands = 2;
        for (int c = 0; c < end.count; ++c)
        {
            entry->further[c] = other->stand.body->member.offset + end.vertex[c];
            entry->furtherWeight[c] = -end.share[c];
        }
    }
    else if (movable != NULL)
    {
        entry->movable = movable;
        entry->point = point;
        entry->arm = vecSub(point, movableMiddle(movable));
        entry->begin = movableRate(movable, entry->arm);
        entry->drift = movableAhead(movable, entry->arm);
    }
    else
        entry->begin = entry->drift = driftOf(other, view, found->onB, entry->normal);
}

// the number of the stand-in's term in the system
static int termOf(const System *system, const Standing *stand)
{
    int term = 0;
    while (system->term[term].member != &stand->body->member)
        term += 1;
    return term;
}

// what is known of a point of the manifold, in the world and on the body
static StandPoint *notePoint(StandTouch *touch, const Standing *stand, const Pose *own, const Pose *other,
                             const ManifoldPoint *found, Vec3 *middle)
{
    int k = placeOf(touch, found->feature);
    StandPoint *point = &touch->point[k];
    touch->taken |= 1u << k;
    Vec3 onA = vecAdd(own->position, matApply(&own->turn, found->onA));
    point->at = vecAdd(other->position, matApply(&other->turn, found->onB));
    point->local = quatRotateBack(stand->rotation, vecSub(onA, stand->centre));
    point->normal = found->normal;
    *middle = vecScale(0.5, vecAdd(onA, point->at));
    return point;
}

static void collectTouch(World *world, const System *system, int index, const ContactView *view, ContactList *list)
{
    StandTouch *touch = &world->rigids.stand[index];
    const Rigid *rigid = &world->rigids.item[touch->rigid];
    const RigidBody *b = &rigid->body;
    const RigidShape *shape = &b->shape[touch->shape];
    Standing stand = standingOf(rigid, view);
    Opposite other = oppositeOf(world, touch, view, stand.centre);
    if (other.rigid != NULL && !other.stands && other.collider->movable == NULL)
        return;
    ManifoldPoint found[MANIFOLD_LIMIT];
    Pose own = shapePose(&stand, shape->position, shape->rotation);
    double margin = view->reach + view->h * (stand.pace + other.pace);
    int count = rigidManifold(shape->shape, own, other.collider->shape, other.pose, margin, found);
    int term = termOf(system, &stand);
    touch->taken = 0;
    touch->from = view->from;
    touch->to = view->to;
    for (int i = 0; i < count; ++i)
    {
        Contact *entry = contactListAdd(list);
        ASSERT(entry != NULL, "there is room for all points of shapes that may touch");
        Vec3 middle;
        StandPoint *point = notePoint(touch, &stand, &own, &other.pose, &found[i], &middle);
        Endpoint end = other.rigid != NULL ? pointOn(&stand, middle) : proxyEndpoint(stand.body, point->local);
        for (int c = 0; c < end.count; ++c)
        {
            entry->vertex[c] = stand.body->member.offset + end.vertex[c];
            entry->weight[c] = end.share[c];
        }
        entry->count = end.count;
        entry->stands = 1;
        entry->normal = found[i].normal;
        entry->gap = found[i].distance;
        entry->friction = sqrt(b->friction * other.collider->friction);
        entry->restitution = maxReal(b->restitution, other.collider->restitution);
        entry->term = term;
        entry->element = index * STAND_POINTS + (int)(point - touch->point);
        entry->impulse = vecScale(view->h, point->force);
        oppose(entry, &other, view, &found[i], middle);
    }
}

static bool isIn(const World *world, const System *system, const StandTouch *touch)
{
    return &world->system[world->rigids.item[touch->rigid].proxy->island] == system;
}

static void collect(const System *system, const ContactView *view, ContactList *list)
{
    World *world = system->stands.context;
    for (int i = 0; i < world->rigids.standCount; ++i)
    {
        if (isIn(world, system, &world->rigids.stand[i]))
            collectTouch(world, system, i, view, list);
    }
}

static void forget(const System *system, bool anew)
{
    World *world = system->stands.context;
    for (int i = 0; i < world->rigids.standCount; ++i)
    {
        StandTouch *touch = &world->rigids.stand[i];
        if (!isIn(world, system, touch))
            continue;
        touch->lost = anew ? 0 : touch->lost;
        touch->added = anew ? 0 : touch->added;
        touch->impulse = anew ? vec3(0, 0, 0) : touch->impulse;
        touch->moment = anew ? vec3(0, 0, 0) : touch->moment;
        for (int k = 0; k < touch->count; ++k)
        {
            touch->point[k].force = vec3(0, 0, 0);
            touch->point[k].impulse = anew ? vec3(0, 0, 0) : touch->point[k].impulse;
        }
    }
}

static void keep(const System *system, const Contact *contact, double h)
{
    World *world = system->stands.context;
    StandTouch *touch = &world->rigids.stand[contact->element / STAND_POINTS];
    StandPoint *point = &touch->point[contact->element % STAND_POINTS];
    point->force = vecScale(1 / h, contact->impulse);
    point->impulse = vecAdd(point->impulse, contact->impulse);
    touch->lost -= 0.5 * vecDot(contact->impulse, vecAdd(contact->before, contact->after));
    const Movable *movable = contact->movable;
    Vec3 drift = contact->drift;
    if (movable != NULL)
    {
        Vec3 moment = vecCross(vecSub(contact->point, movable->position), contact->impulse);
        touch->impulse = vecAdd(touch->impulse, contact->impulse);
        touch->moment = vecAdd(touch->moment, moment);
        movablePulse(contact->movable, vecScale(-1, contact->impulse), vecScale(-1, moment), touch->from, touch->to);
        drift = vecScale(0.5, vecAdd(contact->begin, vecAdd(contact->drift, contact->response)));
    }
    touch->added += vecDot(contact->impulse, drift);
}

void standsLend(World *world)
{
    for (int i = 0; i < world->systemCount; ++i)
        world->system[i].stands = (StandContacts){ world, 0, collect, forget, keep };
    for (int i = 0; i < world->rigids.standCount; ++i)
    {
        const Body *body = world->rigids.item[world->rigids.stand[i].rigid].proxy;
        world->system[body->island].stands.room += MANIFOLD_LIMIT;
    }
}

void standsReact(World *world, double dt)
{
    for (int i = 0; i < world->rigids.standCount; ++i)
    {
        const StandTouch *touch = &world->rigids.stand[i];
        int slot = world->colliders.item[touch->collider].rigid - 1;
        if (slot < 0 || world->rigids.item[slot].body.stands)
            continue;
        RigidBody *body = &world->rigids.item[slot].body;
        body->reaction = vecSub(body->reaction, vecScale(1 / dt, touch->impulse));
        body->reactionTorque = vecSub(body->reactionTorque, vecScale(1 / dt, touch->moment));
    }
}

// ---- after it -------------------------------------------------------------------------------------------------------

void standsBook(World *world)
{
    for (int i = 0; i < world->rigids.standCount; ++i)
    {
        const StandTouch *touch = &world->rigids.stand[i];
        Account *account = &world->rigids.item[touch->rigid].account;
        account->dissipated += maxReal(touch->lost, 0);
        account->added += touch->added + maxReal(-touch->lost, 0);
    }
}

void standsRemember(World *world)
{
    for (int i = 0; i < world->rigids.standCount; ++i)
    {
        const StandTouch *touch = &world->rigids.stand[i];
        RigidBody *body = &world->rigids.item[touch->rigid].body;
        for (int k = 0; k < touch->count && body->memoryCount < RIGID_MEMORY; ++k)
        {
            const StandPoint *point = &touch->point[k];
            if (vecDot(point->force, point->normal) > 0)
                body->memory[body->memoryCount++] = (RigidMemory){ .partner = partnerOf(world, touch),
                                                                   .shapeA = touch->shape,
                                                                   .shapeB = touch->otherShape,
                                                                   .feature = point->feature,
                                                                   .place = point->local,
                                                                   .force = point->force };
        }
    }
}

// m, where the stand-in ended
static double gapOf(const World *world, const StandTouch *touch, const StandPoint *point)
{
    const Body *body = world->rigids.item[touch->rigid].proxy;
    Endpoint end = proxyEndpoint(body, point->local);
    Vec3 at = vec3(0, 0, 0);
    for (int c = 0; c < end.count; ++c)
        at = vecAdd(at,
                    vecScale(end.share[c], vecLoad(world->state.start + 3 * (ptrdiff_t)(body->first + end.vertex[c]))));
    return vecDot(vecSub(at, point->at), point->normal);
}

// of two rigid bodies the one that was made first comes first
static vvContact contactOf(const World *world, const StandTouch *touch, const StandPoint *point, double gap)
{
    const Collider *collider = &world->colliders.item[touch->collider];
    int first = touch->rigid, second = collider->rigid - 1;
    double sign = second >= 0 && second < first ? -1 : 1;
    vvContact contact = { .vertex = -1, .triangle = -1, .point = point->at, .overlap = maxReal(-gap, 0) };
    contact.normal = vecScale(sign, point->normal);
    contact.force = vecScale(sign, point->force);
    contact.impulse = vecScale(sign, point->impulse);
    if (second < 0)
        contact.collider = ID_OF(vvColliderId, world, touch->collider, collider->generation);
    else
        contact.otherRigid = ID_OF(vvRigidBodyId, world, sign < 0 ? first : second,
                                   world->rigids.item[sign < 0 ? first : second].generation);
    first = sign < 0 ? second : first;
    contact.rigid = ID_OF(vvRigidBodyId, world, first, world->rigids.item[first].generation);
    return contact;
}

int standsTouch(const World *world, vvContact *contacts)
{
    int count = 0;
    for (int i = 0; i < world->rigids.standCount; ++i)
    {
        const StandTouch *touch = &world->rigids.stand[i];
        const Rigid *rigid = &world->rigids.item[touch->rigid];
        for (int k = 0; k < touch->count && contacts != NULL; ++k)
        {
            const StandPoint *point = &touch->point[k];
            double gap = gapOf(world, touch, point);
            if (vecDot(point->impulse, point->normal) > 0 || gap <= TOUCHING * rigid->body.radius)
                contacts[count++] = contactOf(world, touch, point, gap);
        }
        count += contacts == NULL ? STAND_POINTS : 0;
    }
    return count;
}
