// The substeps of rigid bodies (rigid.h says what happens in one).
#include "rigid/system.h"

#define BODIES_OF_TASK 64
#define SEARCHES 20        // for contacts in a step, at most
#define RECOVERY_SPEED 1.0 // m/s, at which penetrations that a step begins with are taken back

// ---- room -----------------------------------------------------------------------------------------------------------

bool rigidSystemReserve(RigidSystem *system, Memory *memory, int count)
{
    if (count <= system->room)
        return true;
    int room = maxInt(count, 2 * system->room);
    rigidSystemRelease(system, memory);
    system->body = ALLOCATE(memory, RigidBody *, room);
    system->collider = ALLOCATE(memory, const Collider *, room);
    system->scenery = ALLOCATE(memory, RigidBody, room);
    system->sceneryShape = ALLOCATE(memory, RigidShape, room);
    system->box = ALLOCATE(memory, vvBox, room);
    system->place = ALLOCATE(memory, RigidPlace, room);
    system->order = ALLOCATE(memory, RigidKey, room);
    system->cluster = ALLOCATE(memory, RigidCluster, room);
    system->level = ALLOCATE(memory, int, room);
    system->active = ALLOCATE(memory, RigidBody *, room);
    system->island = ALLOCATE(memory, int, room);
    system->awake = ALLOCATE(memory, bool, room);
    system->meeting = ALLOCATE(memory, RigidMeeting, RIGID_BLOCK);
    system->motion = ALLOCATE(memory, double, (size_t)MOTION_SIZE *(size_t)(room + 1));
    system->asked = ALLOCATE(memory, unsigned char, room);
    system->hold = ALLOCATE(memory, RigidHold, room);
    system->next = ALLOCATE(memory, RigidHold, room);
    if (!system->asked || !system->hold || !system->next || !system->body || !system->collider || !system->scenery ||
        !system->sceneryShape || !system->box || !system->place || !system->order || !system->cluster ||
        !system->level || !system->motion || !system->active || !system->island || !system->awake || !system->meeting)
        return false;
    system->room = room;
    return true;
}

void rigidSystemRelease(RigidSystem *system, Memory *memory)
{
    memoryRelease(memory, system->body);
    memoryRelease(memory, system->collider);
    memoryRelease(memory, system->scenery);
    memoryRelease(memory, system->sceneryShape);
    memoryRelease(memory, system->box);
    memoryRelease(memory, system->place);
    memoryRelease(memory, system->order);
    memoryRelease(memory, system->cluster);
    memoryRelease(memory, system->pair);
    memoryRelease(memory, system->apart);
    memoryRelease(memory, system->contact);
    memoryRelease(memory, system->near);
    memoryRelease(memory, system->oldPair);
    memoryRelease(memory, system->oldNear);
    memoryRelease(memory, system->oldContact);
    memoryRelease(memory, system->lane);
    memoryRelease(memory, system->sorted);
    memoryRelease(memory, system->start);
    memoryRelease(memory, system->level);
    memoryRelease(memory, system->active);
    memoryRelease(memory, system->island);
    memoryRelease(memory, system->awake);
    memoryRelease(memory, system->awakeLink);
    memoryRelease(memory, system->meeting);
    memoryRelease(memory, system->batch);
    memoryRelease(memory, system->acting);
    memoryRelease(memory, system->struck);
    memoryRelease(memory, system->row);
    memoryRelease(memory, system->motion);
    memoryRelease(memory, system->asked);
    memoryRelease(memory, system->hold);
    memoryRelease(memory, system->next);
    jointsRelease(&system->together, memory);
    *system = (RigidSystem){ .bodyCount = 0 };
}

// ---- scenery --------------------------------------------------------------------------------------------------------

static vvQuat rotationOf(const Pose *pose)
{
    return (vvQuat){ pose->quaternion[0], pose->quaternion[1], pose->quaternion[2], pose->quaternion[3] };
}

// rad/s, of a turn from one rotation to another in h s: the inverse of Cayley's map, by the shorter arc
static Vec3 spinBetween(vvQuat from, vvQuat to, double h)
{
    vvQuat turn = quatMultiply(to, quatConjugate(from));
    double scale = turn.w != 0 ? 2 / (turn.w * h) : 0;
    return vecScale(scale, vec3(turn.x, turn.y, turn.z));
}

void rigidSystemAddScenery(RigidSystem *system, const Collider *collider, int slot, double dt)
{
    int i = system->sceneryCount++;
    RigidBody *body = &system->scenery[i];
    vvBox bounds = vvShape_GetBounds(collider->shape);
    double radius = maxReal(vecLength(bounds.lower), vecLength(bounds.upper));
    system->sceneryShape[i] = (RigidShape){ .shape = collider->shape, .rotation = { 1, 0, 0, 0 } };
    *body = (RigidBody){ .position = collider->start.position,
                         .rotation = rotationOf(&collider->start),
                         .frame = { 1, 0, 0, 0 },
                         .id = 2 * slot + 1,
                         .shape = &system->sceneryShape[i],
                         .shapeCount = 1,
                         .radius = isfinite(radius) ? radius : INFINITY,
                         .friction = collider->friction,
                         .restitution = collider->restitution,
                         .category = collider->category,
                         .mask = collider->mask };
    if (collider->moves)
    {
        body->velocity = vecScale(1 / dt, vecSub(collider->target.position, collider->start.position));
        body->spin = spinBetween(body->rotation, rotationOf(&collider->target), dt);
    }
    system->collider[i] = collider;
    system->body[system->bodyCount + i] = body;
}

// where it is at the end of a substep that ends at this fraction of the step; its velocities are those of the substep
static void moveScenery(RigidBody *body, const Collider *collider, double fraction, double h)
{
    body->startPosition = body->position;
    body->startRotation = body->rotation;
    if (!collider->moves)
        return;
    Pose pose = colliderPose(collider, fraction);
    body->position = pose.position;
    body->rotation = rotationOf(&pose);
    body->velocity = vecScale(1 / h, vecSub(body->position, body->startPosition));
    body->spin = spinBetween(body->startRotation, body->rotation, h);
}

// ---- the substeps ---------------------------------------------------------------------------------------------------

// the reaction in this substep: its mean, and what pulses have more or less than theirs
static void applyReaction(RigidBody *body, int number, int substeps, double h)
{
    body->acting = body->reaction;
    body->actingTorque = body->reactionTorque;
    double from = (double)(number - 1) / substeps, to = (double)number / substeps, part = 1.0 / MOVABLE_PULSES;
    for (int k = 0; body->pulse != NULL && k < MOVABLE_PULSES; ++k)
    {
        double share = maxReal(minReal(to, (k + 1) * part) - maxReal(from, k * part), 0) / part;
        double more = share / h - 1 / (h * substeps);
        body->acting = vecAdd(body->acting, vecScale(more, vecLoad(body->pulse[k])));
        body->actingTorque = vecAdd(body->actingTorque, vecScale(more, vecLoad(body->pulse[k] + 3)));
    }
}

// ---- bodies that islands have moved ---------------------------------------------------------------------------------

static void push(RigidBody *body)
{
    body->carried = NULL;
}

// Those that nothing else touches or holds are where they end for all substeps; the others are pushed by what they got.
static void takeOver(RigidSystem *system)
{
    for (int i = 0; i < system->contactCount; ++i)
    {
        push(system->contact[i].a);
        push(system->contact[i].b);
    }
    for (int i = 0; i < system->linkCount; ++i)
    {
        push(system->link[i].a);
        push(system->link[i].b);
    }
    for (int i = 0; i < system->activeCount; ++i)
    {
        if (system->active[i]->carried != NULL)
            rigidTakeOver(system->active[i], system->gravity);
    }
}

static void stay(RigidBody *body)
{
    body->startPosition = body->position;
    body->startRotation = body->rotation;
    body->impulse = body->couple = body->pull = body->pulled = vec3(0, 0, 0);
}

// ---- a substep ------------------------------------------------------------------------------------------------------

typedef struct Substep
{
    RigidSystem *system;
    int number; // from 1
    double h;   // s
} Substep;

static void predictTask(void *context, int first, int end)
{
    const Substep *s = context;
    for (int i = first; i < end; ++i)
    {
        RigidBody *body = s->system->active[i];
        if (body->carried != NULL)
        {
            stay(body);
            continue;
        }
        applyReaction(body, s->number, s->system->substeps, s->h);
        rigidPredict(body, s->system->gravity, s->h);
    }
}

static void adoptTask(void *context, int first, int end)
{
    const Substep *s = context;
    for (int i = first; i < end; ++i)
    {
        if (s->system->active[i]->carried == NULL)
            rigidAdopt(s->system->active[i], s->system->gravity, s->h);
    }
}

static bool substep(RigidSystem *system, Memory *memory, int number, double h)
{
    Substep s = { system, number, h };
    rigidShare(system, system->activeCount, BODIES_OF_TASK, predictTask, &s);
    for (int i = 0; i < system->sceneryCount; ++i)
        moveScenery(&system->scenery[i], system->collider[i], (double)number / system->substeps, h);
    linksBegin(system->link, system->linkCount, h);
    double turn = system->iterations == 0 ? JOINT_FOLLOW_TOGETHER : JOINT_FOLLOW;
    for (int sweep = 0; sweep < maxInt(system->iterations, 1); ++sweep)
        linksSolve(system->link, system->linkCount, turn, h);
    if (system->iterations == 0 && !jointsSolveTogether(system, memory, h))
        return false;
    rigidContactsPush(system, h, number * RECOVERY_SPEED * h);
    rigidShare(system, system->activeCount, BODIES_OF_TASK, adoptTask, &s);
    linksEnd(system->link, system->linkCount, h);
    rigidContactsSettle(system, h);
    for (int i = 0; i < system->activeCount; ++i)
        rigidRespin(system->active[i]); // the spin is a function of the angular momentum to the last bit
    rigidContactsClose(system, h, number == system->substeps);
    return true;
}

bool rigidSystemStep(RigidSystem *system, Memory *memory, double dt)
{
    if (system->sleeps && rigidAllRest(system))
    {
        system->contactCount = system->activeCount = system->linkCount = 0;
        return true;
    }
    int part = (system->substeps + SEARCHES - 1) / SEARCHES;
    double h = dt / system->substeps;
    if (!rigidPairs(system, memory, dt) || !rigidIslands(system, memory) || !rigidContactsFind(system, memory, dt))
        return false;
    takeOver(system);
    rigidRecall(system, h);
    rigidClusters(system, true);
    rigidLoadsBegin(system, h);
    if (!rigidArrange(system, memory))
        return false;
    if (!jointsReserve(system, memory))
        return false;
    rigidContactsOpen(system, h);
    for (int number = 1; number <= system->substeps; ++number)
    {
        if (!substep(system, memory, number, h))
            return false;
        if (number % part == 0 && number < system->substeps &&
            !rigidContactsRenew(system, memory, part * h, (system->substeps - number) * h, h,
                                number * RECOVERY_SPEED * h))
            return false;
    }
    rigidClustersBook(system);
    return true;
}
