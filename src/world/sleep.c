// Sleeping: islands that hardly move are left as they are until something touches them.
//
// A body is calm while its kinetic energy per mass is below the world's limit. When all bodies of an island have been
// calm for long enough their velocities become zero, which is booked as dissipated, and steps pass them by: not a bit
// changes.
#include "world/world.h"

#include <string.h>

static double kineticEnergy(const Body *body)
{
    State s = stateSlice(&body->world->state, body->first, body->count);
    vvLedger ledger = { 0 };
    ledgerAddMotion(&ledger, s.count, s.mass, s.pinned, s.start, s.startVelocity);
    return ledger.kinetic;
}

// ---- waking ---------------------------------------------------------------------------------------------------------

void bodyWake(Body *body)
{
    body->asleep = false;
    body->calm = 0;
    piecesWake(body);
}

void bodiesWake(World *world)
{
    for (Body *body = world->firstBody; body != NULL; body = body->next)
        bodyWake(body);
}

static const vvBox nowhere = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };

// where a collider is at the start and at the end of the step, and a little more, since it turns on an arc; false:
// everywhere
static bool sweptBox(const Collider *collider, vvBox *box)
{
    vvBox own = shapeSweptBounds(collider->shape);
    if (!vecFinite(own.lower) || !vecFinite(own.upper))
        return false;
    *box = nowhere;
    for (int i = 0; i < 16; ++i)
    {
        const Pose *pose = i < 8 ? &collider->start : &collider->target;
        Vec3 corner = vec3(i & 1 ? own.upper.x : own.lower.x, i & 2 ? own.upper.y : own.lower.y,
                           i & 4 ? own.upper.z : own.lower.z);
        boxInclude(box, vecAdd(matApply(&pose->turn, corner), pose->position));
    }
    double margin = 0.25 * vecLength(vecSub(own.upper, own.lower));
    box->lower = vecSub(box->lower, vec3(margin, margin, margin));
    box->upper = vecAdd(box->upper, vec3(margin, margin, margin));
    return true;
}

static bool reaches(const Collider *collider, const Body *body, const vvBox *bounds)
{
    const ContactDef *def = &body->contactDef;
    vvBox box;
    if ((collider->category & def->mask) == 0 || (def->category & collider->mask) == 0)
        return false;
    if (!sweptBox(collider, &box))
        return true;
    double r = def->radius;
    return box.lower.x <= bounds->upper.x + r && box.upper.x >= bounds->lower.x - r &&
           box.lower.y <= bounds->upper.y + r && box.upper.y >= bounds->lower.y - r &&
           box.lower.z <= bounds->upper.z + r && box.upper.z >= bounds->lower.z - r;
}

// a shape of a rigid body where that is not calm
static bool isMoved(const World *world, const Collider *collider)
{
    if (collider->rigid == 0 || !collider->moves)
        return collider->used && collider->moves;
    const RigidBody *body = &world->rigids.item[collider->rigid - 1].body;
    double speed = vecLength(body->velocity) + body->radius * vecLength(body->spin);
    return 0.5 * speed * speed > world->sleepEnergy;
}

bool collidersStir(const World *world, const Body *body, const vvBox *bounds)
{
    for (int i = 0; i < world->colliders.slotCount; ++i)
    {
        const Collider *collider = &world->colliders.item[i];
        if (isMoved(world, collider) && reaches(collider, body, bounds))
            return true;
    }
    return false;
}

// a body that a moving collider may touch, or that stood on one
static void wakeByColliders(World *world, Body *body)
{
    vvBox bounds = nowhere;
    const double *x = world->state.start + 3 * (ptrdiff_t)body->first;
    for (int v = 0; v < body->count; ++v)
        boxInclude(&bounds, vecLoad(x + 3 * (ptrdiff_t)v));
    if (collidersStir(world, body, &bounds))
        bodyWake(body);
}

static bool anyMoves(const World *world)
{
    for (int i = 0; i < world->colliders.slotCount; ++i)
    {
        if (isMoved(world, &world->colliders.item[i]))
            return true;
    }
    return false;
}

// ---- around a step --------------------------------------------------------------------------------------------------

bool islandSleeps(const System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (!bodyOfMember(system->member[p])->asleep)
            return false;
    }
    return true;
}

void sleepMark(World *world)
{
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        body->wasAsleep = body->asleep;
        body->wasCalm = body->calm;
        piecesMarkSleep(body);
    }
}

// stand-ins of rigid bodies that are awake
static void proxiesStir(World *world)
{
    for (int i = 0; i < world->rigids.slotCount && world->proxyCount > 0; ++i)
    {
        const Rigid *rigid = &world->rigids.item[i];
        const RigidBody *body = &rigid->body;
        bool moves = vecDot(body->velocity, body->velocity) + vecDot(body->spin, body->spin) > 0;
        if (rigid->used && rigid->proxy != NULL && rigid->proxy->asleep &&
            (body->inverseMass > 0 ? !body->asleep : moves))
            bodyWake(rigid->proxy);
    }
}

void sleepPrepare(World *world, double dt)
{
    bool moves = anyMoves(world);
    for (Body *body = world->firstBody; body != NULL && moves; body = body->next)
    {
        if (body->asleep && body->sleeper == NULL)
            wakeByColliders(world, body);
    }
    proxiesStir(world);
    // one that is awake wakes its island
    for (int i = 0; i < world->systemCount; ++i)
    {
        System *system = &world->system[i];
        bool sleeps = piecesStir(world, system, dt, moves) && islandSleeps(system);
        for (int p = 0; p < system->memberCount && !sleeps; ++p)
        {
            if (bodyOfMember(system->member[p])->asleep)
                bodyWake(bodyOfMember(system->member[p]));
        }
    }
    for (int i = 0; i < world->rigids.slotCount; ++i)
        rigidFollowProxy(&world->rigids.item[i]);
}

void sleepRewind(World *world)
{
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        body->asleep = body->wasAsleep;
        body->calm = body->wasCalm;
        piecesRewindSleep(body);
    }
}

void islandSkip(System *system)
{
    State *s = &system->state;
    size_t vectors = (size_t)s->count * 3 * sizeof(double);
    memcpy(s->position, s->start, vectors);
    memcpy(s->velocity, s->startVelocity, vectors);
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->added = system->member[p]->dissipated = 0;
}

void bodySleep(Body *body)
{
    State s = stateSlice(&body->world->state, body->first, body->count);
    body->account.dissipated += kineticEnergy(body);
    memset(s.startVelocity, 0, (size_t)body->count * 3 * sizeof(double));
    pastForget(body);
    body->asleep = true;
}

void bodyTire(Body *body, double dt)
{
    bool calm = kineticEnergy(body) < body->world->sleepEnergy * body->mass;
    body->calm = calm ? body->calm + dt : 0;
}

void sleepSettle(World *world, double dt)
{
    if (world->sleepEnergy == 0)
        return;
    rigidsSettle(world, dt);
    for (int i = 0; i < world->systemCount; ++i)
    {
        System *system = &world->system[i];
        if (islandSleeps(system) || piecesSettle(world, system, dt))
            continue;
        bool tired = true;
        for (int p = 0; p < system->memberCount; ++p)
        {
            Body *body = bodyOfMember(system->member[p]);
            bodyTire(body, dt);
            tired = tired && body->calm >= world->sleepTime;
        }
        tired = tired && (world->proxyCount == 0 || islandRests(world, system));
        for (int p = 0; p < system->memberCount && tired; ++p)
            bodySleep(bodyOfMember(system->member[p]));
    }
}

// ---- asking ---------------------------------------------------------------------------------------------------------

bool vvSoftBody_IsAwake(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body != NULL && !body->asleep && !piecesSleep(body);
}

bool vvSoftBody_IsVertexAwake(vvSoftBodyId id, int vertex)
{
    const Body *body = bodyFind(id);
    if (body == NULL || body->asleep || vertex < 0 || vertex >= body->count)
        return false;
    return body->sleeper == NULL || !sleeperOf(body, body->mesh->vertexFromCaller[vertex])->asleep;
}

void vvSoftBody_Wake(vvSoftBodyId id)
{
    Body *body = bodyOpen(id);
    if (body != NULL)
        bodyWake(body);
}
