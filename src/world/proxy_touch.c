// Contacts of rigid bodies with colliders, in the islands where they have stand-ins (proxy.c).
//
// A point of a rigid body is a mean of the four masses of its stand-in, with weights that sum to 1, so that a point of
// its surface against a collider is a contact like any other in the list of the hard law (contact/list.h): the island
// finds the impulse with all that is bonded to the body. The points are those of the narrow phase of rigid bodies
// (rigid/manifold.c), found in each substep where forces are taken. The body's own step leaves these contacts out, and
// the body ends where its stand-in does. Against other rigid bodies, and under methods without such a list, its own
// step has its contacts, and its stand-in gets them as they are foreseen.
#include "base/quaternion.h"
#include "world/proxy.h"

#define ROOM 0.5      // of the radius of a body: what is bonded to it may carry it so far besides its own velocity
#define TOUCHING 1e-4 // of it: what ends a step nearer than this touches

static bool isRigid(int partner) // ids of bodies are even
{
    return partner % 2 == 0;
}

bool proxyMeetsRigid(const Rigid *rigid)
{
    const RigidBody *b = &rigid->body;
    bool all = rigid->proxy == NULL || !rigid->proxy->world->method.integrator->stands;
    for (int k = 0; k < b->memoryCount; ++k)
    {
        if (all || isRigid(b->memory[k].partner))
            return true;
    }
    return false;
}

// ---- before the step ------------------------------------------------------------------------------------------------

// by the step as it is foreseen
static void markStruck(World *world)
{
    const RigidSystem *system = &world->rigids.system;
    for (int i = 0; i < system->contactCount && world->proxyCount > 0; ++i)
    {
        const RigidContact *c = &system->contact[i];
        if (!isRigid(c->b->id) || !(vecDot(c->impulse, c->normal) > 0))
            continue;
        world->rigids.item[c->a->id / 2].struck = true;
        world->rigids.item[c->b->id / 2].struck = true;
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

static bool mayMeet(const World *world, const RigidBody *body, const Collider *collider, double dt)
{
    if (!collider->used || collider->sensor || (body->category & collider->mask) == 0 ||
        (collider->category & body->mask) == 0)
        return false;
    double pace = vecLength(body->velocity) + body->radius * vecLength(body->spin);
    double reach = (1 + ROOM) * body->radius + 2 * dt * (pace + dt * vecLength(world->gravity));
    reach += travelOf(collider, body->position, body->radius);
    Mat3 back = matTranspose(&collider->start.turn);
    Vec3 local = matApply(&back, vecSub(body->position, collider->start.position));
    return shapeSample(collider->shape, local, reach, -1).distance < reach;
}

bool proxyMeetsColliders(const World *world, int slot, double dt)
{
    const Rigid *rigid = &world->rigids.item[slot];
    bool meets = false;
    for (int c = 0; c < world->colliders.slotCount && world->method.integrator->stands && rigid->linked && !meets; ++c)
        meets = mayMeet(world, &rigid->body, &world->colliders.item[c], dt);
    return meets;
}

static int partnerOf(const StandTouch *touch)
{
    return 2 * touch->collider + 1;
}

// what pressed when the last step ended: its impulses are the first guess
static void recall(const RigidBody *body, StandTouch *touch)
{
    for (int k = 0; k < body->memoryCount && touch->count < STAND_POINTS; ++k)
    {
        const RigidMemory *memory = &body->memory[k];
        if (memory->partner == partnerOf(touch) && memory->shapeA == touch->shape)
            touch->point[touch->count++] = (StandPoint){ .feature = memory->feature, .force = memory->force };
    }
}

static bool add(World *world, int rigid, int shape, int collider)
{
    Rigids *rigids = &world->rigids;
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
    *touch = (StandTouch){ .rigid = rigid, .shape = shape, .collider = collider };
    recall(&rigids->item[rigid].body, touch);
    return true;
}

bool standsSearch(World *world, double dt)
{
    Rigids *rigids = &world->rigids;
    rigids->standCount = 0;
    if (!world->method.integrator->stands)
        return true;
    markStruck(world);
    for (int i = 0; i < rigids->slotCount && world->proxyCount > 0; ++i)
    {
        RigidBody *body = &rigids->item[i].body;
        if (!rigids->item[i].used || !(body->inverseMass > 0) || !proxyLeads(&rigids->item[i]))
            continue;
        if (rigids->item[i].struck && !rigids->item[rigids->item[i].machine].jointed)
            continue;
        body->stands = true;
        for (int c = 0; c < world->colliders.slotCount; ++c)
        {
            bool meets = mayMeet(world, body, &world->colliders.item[c], dt);
            for (int k = 0; meets && k < body->shapeCount; ++k)
            {
                if (!add(world, i, k, c))
                    return false;
            }
        }
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
    Mat3 turn = proxyTurn(body, half, z, centre);
    double arm = vecLength(half);
    return (Standing){ .body = body,
                       .centre = centre,
                       .rotation = quatOfMatrix(&turn),
                       .pace = vecLength(mean) + 2 * turning * maxReal(rigid->body.radius / arm, 1) };
}

// what is known of a point: the one of that name, or room for it
static int placeOf(StandTouch *touch, uint32_t feature)
{
    int oldest = -1;
    for (int k = 0; k < touch->count; ++k)
    {
        if (touch->point[k].feature == feature && !(touch->taken >> k & 1u))
            return k;
        if (oldest < 0 && !(touch->taken >> k & 1u))
            oldest = k;
    }
    int at = touch->count < STAND_POINTS ? touch->count++ : oldest;
    Vec3 gave = at == oldest ? touch->point[at].impulse : vec3(0, 0, 0); // of a point that is gone
    touch->point[at] = (StandPoint){ .feature = feature, .impulse = gave };
    return at;
}

static int termOf(const System *system, const Body *body)
{
    int t = 0;
    while (system->term[t].member != &body->member)
        t += 1;
    return t;
}

static void collectTouch(World *world, const System *system, int index, const ContactView *view, ContactList *list)
{
    StandTouch *touch = &world->rigids.stand[index];
    const Rigid *rigid = &world->rigids.item[touch->rigid];
    const RigidBody *b = &rigid->body;
    const RigidShape *shape = &b->shape[touch->shape];
    const Collider *collider = &world->colliders.item[touch->collider];
    Standing stand = standingOf(rigid, view);
    ManifoldPoint found[MANIFOLD_LIMIT];
    double moment = 0.5 * (view->from + view->to), share = view->to - view->from;
    Pose own = poseMake(vecAdd(stand.centre, quatRotate(stand.rotation, shape->position)),
                        quatNormalized(quatMultiply(stand.rotation, shape->rotation)));
    Pose other = colliderPose(collider, moment);
    double margin = view->reach + view->h * stand.pace + share * travelOf(collider, stand.centre, b->radius);
    int count = rigidManifold(shape->shape, own, collider->shape, other, margin, found);
    touch->taken = 0;
    for (int i = 0; i < count; ++i)
    {
        Contact *entry = contactListAdd(list);
        ASSERT(entry != NULL, "there is room for all points of shapes that may touch");
        int k = placeOf(touch, found[i].feature);
        StandPoint *point = &touch->point[k];
        touch->taken |= 1u << k;
        point->local = vecAdd(shape->position, quatRotate(shape->rotation, found[i].onA));
        point->at = vecAdd(other.position, matApply(&other.turn, found[i].onB));
        point->normal = found[i].normal;
        Endpoint end = proxyEndpoint(stand.body, point->local);
        for (int c = 0; c < end.count; ++c)
        {
            entry->vertex[c] = stand.body->member.offset + end.vertex[c];
            entry->weight[c] = end.share[c];
        }
        entry->count = end.count;
        entry->stands = true;
        entry->normal = found[i].normal;
        entry->gap = found[i].distance;
        entry->friction = sqrt(b->friction * collider->friction);
        entry->restitution = maxReal(b->restitution, collider->restitution);
        ColliderPlace place = { found[i].onB, moment, -1 };
        Vec3 belt =
            quatRotate((vvQuat){ other.quaternion[0], other.quaternion[1], other.quaternion[2], other.quaternion[3] },
                       collider->surfaceVelocity);
        entry->drift = tangential(belt, entry->normal);
        if (collider->moves)
            entry->drift = vecAdd(entry->drift,
                                  vecScale(1 / view->h, colliderDisplacement(collider, view->from, view->to, &place)));
        entry->begin = entry->drift;
        entry->term = termOf(system, stand.body);
        entry->element = index * STAND_POINTS + k;
        entry->impulse = vecScale(view->h, point->force);
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
    touch->added += vecDot(contact->impulse, contact->drift);
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
                body->memory[body->memoryCount++] = (RigidMemory){ .partner = partnerOf(touch),
                                                                   .shapeA = touch->shape,
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
            if (!(vecDot(point->impulse, point->normal) > 0) && gap > TOUCHING * rigid->body.radius)
                continue;
            contacts[count++] = (vvContact){ .vertex = -1,
                                             .triangle = -1,
                                             .rigid = ID_OF(vvRigidBodyId, world, touch->rigid, rigid->generation),
                                             .collider = ID_OF(vvColliderId, world, touch->collider,
                                                               world->colliders.item[touch->collider].generation),
                                             .point = point->at,
                                             .normal = point->normal,
                                             .force = point->force,
                                             .impulse = point->impulse,
                                             .overlap = maxReal(-gap, 0) };
        }
        count += contacts == NULL ? STAND_POINTS : 0;
    }
    return count;
}
