// From pairs of bodies to the list of contacts, with a margin for what may come near within the step.
#include "rigid/system.h"

#define MEETINGS_OF_TASK 16
#define ROOM 0.02 // of the smaller radius: what the impulses of the step may bring nearer

// m: what a surface moves by at this speed
static double reachAt(const RigidSystem *system, const RigidBody *body, double speed, double dt)
{
    double radius = isfinite(body->radius) ? body->radius : 0;
    double fall = body->inverseMass > 0 ? vecLength(system->gravity) + body->inverseMass * vecLength(body->force) : 0;
    return dt * (speed + dt * fall) + ROOM * radius;
}

double rigidReach(const RigidSystem *system, const RigidBody *body, double dt)
{
    double radius = isfinite(body->radius) ? body->radius : 0;
    double speed = vecLength(body->velocity) + radius * vecLength(body->spin);
    if (body->carried != NULL) // its soft bodies may have made it faster
        speed = maxReal(speed, vecLength(body->carried->rate) + radius * vecLength(body->carried->rotating));
    return reachAt(system, body, speed, dt);
}

static double reachOf(const RigidSystem *system, const RigidBody *body, double dt)
{
    const RigidPlace *place = &system->place[body->index];
    double radius = isfinite(body->radius) ? body->radius : 0;
    return body->carried != NULL ? rigidReach(system, body, dt)
                                 : reachAt(system, body, place->pace + radius * place->swing, dt);
}

// m: how far apart points are that may meet within dt. The spin of scenery without end counts where the body is.
static double marginOf(const RigidSystem *system, const RigidBody *a, const RigidBody *b, double dt)
{
    const RigidPlace *ofA = &system->place[a->index], *ofB = &system->place[b->index];
    double margin = reachOf(system, a, dt) + reachOf(system, b, dt);
    // both may move along together
    margin += dt * (vecLength(vecSub(a->velocity, b->velocity)) - (ofA->pace + ofB->pace));
    if (!isfinite(b->radius))
        margin += dt * ofB->swing * (vecLength(vecSub(a->position, b->position)) + a->radius);
    return margin;
}

static Vec3 outOf(const RigidShape *shape, Vec3 point) // m, from the shape's frame into the body's
{
    return vecAdd(shape->position, quatRotate(shape->rotation, point));
}

// also in a step without contacts: those that come later find room
static bool reserveContacts(RigidSystem *system, Memory *memory, int more)
{
    if (system->contactCount + more <= system->contactRoom)
        return true;
    void *contacts = system->contact;
    int grown = maxInt(RIGID_CONTACTS_ROOM(system->room), 2 * system->contactRoom + more);
    if (!memoryGrow(memory, &contacts, (size_t)system->contactRoom, (size_t)grown, sizeof(RigidContact)))
        return false;
    system->contact = contacts;
    system->contactRoom = grown;
    return true;
}

static Vec3 axisOf(const RigidShape *shape)
{
    return shapeForm(shape->shape).kind == VV_SHAPE_CAPSULE ? quatRotate(shape->rotation, vec3(0, 1, 0))
                                                            : vec3(0, 0, 0);
}

static RigidContact contactOf(RigidBody *a, int shapeA, RigidBody *b, int shapeB, const ManifoldPoint *point)
{
    const RigidShape *ofA = &a->shape[shapeA], *ofB = &b->shape[shapeB];
    RigidContact contact = { .a = a,
                             .b = b,
                             .shapeA = shapeA,
                             .shapeB = shapeB,
                             .normal = point->normal,
                             .depth = maxReal(-point->distance, 0),
                             .feature = point->feature,
                             .friction = sqrt(a->friction * b->friction),
                             .restitution = maxReal(a->restitution, b->restitution),
                             .rolling = maxReal(a->rollingFriction, b->rollingFriction) };
    contact.axisA = axisOf(ofA);
    contact.axisB = axisOf(ofB);
    contact.radiusA = shapeForm(ofA->shape).radius;
    contact.radiusB = shapeForm(ofB->shape).radius;
    // from the surfaces to the cores
    Vec3 inwardA = quatRotateBack(a->rotation, vecScale(contact.radiusA, point->normal));
    Vec3 inwardB = quatRotateBack(b->rotation, vecScale(-contact.radiusB, point->normal));
    contact.localA = vecAdd(outOf(ofA, point->onA), inwardA);
    contact.localB = vecAdd(outOf(ofB, point->onB), inwardB);
    return contact;
}

// the surface of a collider that moves along itself
static Vec3 beltOf(const RigidSystem *system, const RigidContact *contact)
{
    const RigidBody *b = contact->b;
    if (b < system->scenery || b >= system->scenery + system->sceneryCount)
        return vec3(0, 0, 0);
    const Collider *collider = system->collider[b - system->scenery];
    Vec3 velocity = quatRotate(b->rotation, collider->surfaceVelocity);
    return vecSub(velocity, vecScale(vecDot(velocity, contact->normal), contact->normal));
}

// ---- two shapes -----------------------------------------------------------------------------------------------------

static void meetTask(void *context, int first, int end)
{
    RigidSystem *system = context;
    for (int i = first; i < end; ++i)
    {
        RigidMeeting *m = &system->meeting[i];
        if (!m->stands)
            m->count =
                rigidManifold(m->a->shape[m->shapeA].shape, rigidShapePose(m->a, m->shapeA),
                              m->b->shape[m->shapeB].shape, rigidShapePose(m->b, m->shapeB), m->margin, m->point);
    }
}

static void add(RigidSystem *system, RigidMeeting *m, double recovered)
{
    RigidNear *near = &system->near[m->pair];
    for (int p = 0; p < m->count; ++p)
    {
        RigidContact contact = contactOf(m->a, m->shapeA, m->b, m->shapeB, &m->point[p]);
        contact.belt = beltOf(system, &contact);
        contact.depth += contact.depth > 0 ? recovered : 0;
        near->distance = minReal(near->distance, m->point[p].distance);
        system->rolls |= contact.rolling > 0;
        system->contact[system->contactCount++] = contact;
    }
}

static void keep(RigidSystem *system, RigidNear *near)
{
    for (int i = 0; i < near->count; ++i)
    {
        const RigidContact *c = &system->oldContact[near->first + i];
        system->rolls |= c->rolling > 0;
        system->contact[system->contactCount + i] = *c;
    }
    near->first = system->contactCount;
    system->contactCount += near->count;
}

// the contacts of the meetings so far, in their order
static bool collectMeetings(RigidSystem *system, Memory *memory, int count, double recovered)
{
    rigidShare(system, count, MEETINGS_OF_TASK, meetTask, system);
    for (int i = 0; i < count; ++i)
    {
        RigidMeeting *m = &system->meeting[i];
        RigidNear *near = &system->near[m->pair];
        if (!reserveContacts(system, memory, MANIFOLD_LIMIT + near->count))
            return false;
        if (m->stands)
        {
            keep(system, near);
            continue;
        }
        if (m->shapeA == 0 && m->shapeB == 0)
            near->start = system->contactCount;
        add(system, m, recovered);
        if (m->last)
            rigidCarry(system, near);
    }
    return true;
}

// of a pair that is looked at
static void beginNear(const RigidSystem *system, RigidNear *near, const RigidBody *a, const RigidBody *b, double margin)
{
    near->distance = margin;
    near->between = vecSub(a->position, b->position);
    near->turnedA = system->place[a->index].turned;
    near->turnedB = system->place[b->index].turned;
}

// By the balls around them; if not, how far they are apart at least.
static bool mayTouch(RigidNear *near, const RigidBody *a, const RigidBody *b, double margin)
{
    double apart = vecLength(near->between) - a->radius - b->radius;
    if (!(apart > margin))
        return true;
    near->distance = apart;
    near->renewed = true;
    return false;
}

bool rigidCollect(RigidSystem *system, Memory *memory, double dt, double recovered)
{
    int count = 0;
    system->contactCount = 0;
    system->rolls = false;
    if (!reserveContacts(system, memory, MANIFOLD_LIMIT))
        return false;
    for (int p = 0; p < system->pairCount; ++p)
    {
        double key = system->pair[p].key;
        RigidBody *a = system->body[rigidPairFirst(key)], *b = system->body[rigidPairSecond(key)];
        bool stands = system->near[p].stands;
        if (stands && system->near[p].count == 0)
            continue;
        double margin = stands ? 0 : marginOf(system, a, b, dt);
        int meetings = stands ? 1 : a->shapeCount * b->shapeCount;
        if (!stands)
            beginNear(system, &system->near[p], a, b, margin);
        if (!stands && system->near[p].count == 0 && !mayTouch(&system->near[p], a, b, margin))
            continue;
        for (int k = 0; k < meetings; ++k)
        {
            RigidMeeting *m = &system->meeting[count++];
            m->a = a;
            m->b = b;
            m->shapeA = k / b->shapeCount;
            m->shapeB = k % b->shapeCount;
            m->margin = margin;
            m->pair = p;
            m->stands = stands;
            m->last = k == meetings - 1;
            if (count < RIGID_BLOCK)
                continue;
            if (!collectMeetings(system, memory, count, recovered))
                return false;
            count = 0;
        }
    }
    return collectMeetings(system, memory, count, recovered);
}
