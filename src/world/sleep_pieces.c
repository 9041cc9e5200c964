// Sleeping of bodies that have fallen apart: each piece, with the pieces that it may touch, sleeps and wakes as an
// island does, while the others go on.
//
// The island of the body is solved as one, and nothing joins its pieces but contact. So a piece that sleeps is put back
// to where it was after the step, with what that gives or takes booked, and the others do not feel it. A piece near a
// whole body, or near a rigid body, sleeps and wakes with the island.
#include "world/world.h"

#include <string.h>

Sleeper *sleeperOf(const Body *body, int vertex)
{
    return &body->sleeper[maxInt(body->step.pieces->of[vertex], 0)]; // single vertices go with the first piece
}

static int pieceCount(const Body *body)
{
    return body->sleeper != NULL ? body->step.pieces->count : 0;
}

static bool hasPieces(const System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (bodyOfMember(system->member[p])->sleeper != NULL)
            return true;
    }
    return false;
}

bool piecesSleep(const Body *body)
{
    for (int k = 0; k < pieceCount(body); ++k)
    {
        if (!body->sleeper[k].asleep)
            return false;
    }
    return body->sleeper != NULL;
}

static void wake(Sleeper *piece)
{
    piece->asleep = false;
    piece->calm = 0;
}

void piecesWake(Body *body)
{
    for (int k = 0; k < pieceCount(body); ++k)
        wake(&body->sleeper[k]);
}

void piecesMarkSleep(Body *body)
{
    for (int k = 0; k < pieceCount(body); ++k)
    {
        body->sleeper[k].wasAsleep = body->sleeper[k].asleep;
        body->sleeper[k].wasCalm = body->sleeper[k].calm;
    }
}

void piecesRewindSleep(Body *body)
{
    for (int k = 0; k < pieceCount(body); ++k)
    {
        body->sleeper[k].asleep = body->sleeper[k].wasAsleep;
        body->sleeper[k].calm = body->sleeper[k].wasCalm;
    }
}

// ---- who is near whom -----------------------------------------------------------------------------------------------

static const vvBox nowhere = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };

static bool overlap(const vvBox *a, const vvBox *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

static void pad(vvBox *box, double by)
{
    box->lower = vecSub(box->lower, vec3(by, by, by));
    box->upper = vecAdd(box->upper, vec3(by, by, by));
}

// m: around where vertices are and would go
static double padOf(const Body *body)
{
    double radius = body->contactDef.radius;
    return body->collisionMesh != NULL ? maxReal(broadPad(body->collisionMesh), radius) : radius;
}

static void includePath(const Body *body, int vertex, double dt, vvBox *box)
{
    const World *world = body->world;
    ptrdiff_t i = 3 * (ptrdiff_t)(body->first + vertex);
    Vec3 x = vecLoad(world->state.start + i), v = vecLoad(world->state.startVelocity + i);
    boxInclude(box, x);
    boxInclude(box, vecAdd(x, vecAdd(vecScale(dt, v), vecScale(dt * dt, world->gravity))));
}

static void placePieces(Body *body, double dt)
{
    for (int k = 0; k < pieceCount(body); ++k)
    {
        Sleeper *piece = &body->sleeper[k];
        piece->first = piece;
        piece->box = nowhere;
        piece->bound = false;
    }
    for (int v = 0; v < body->count; ++v)
        includePath(body, v, dt, &sleeperOf(body, v)->box);
    for (int k = 0; k < pieceCount(body); ++k)
        pad(&body->sleeper[k].box, padOf(body));
}

static Sleeper *firstOf(Sleeper *piece)
{
    while (piece->first != piece)
        piece = piece->first = piece->first->first;
    return piece;
}

static void join(Sleeper *a, Sleeper *b)
{
    firstOf(b)->first = firstOf(a);
}

// bodies of one island, or one and itself
static void joinBodies(Body *a, Body *b)
{
    bool meet = a->collisionMesh != NULL && b->collisionMesh != NULL &&
                collisionMeshesCollide(a->collisionMesh, b->collisionMesh);
    for (int i = 0; i < pieceCount(a) && meet; ++i)
    {
        for (int k = a == b ? i + 1 : 0; k < pieceCount(b); ++k)
        {
            if (overlap(&a->sleeper[i].box, &b->sleeper[k].box))
                join(&a->sleeper[i], &b->sleeper[k]);
        }
    }
}

static void bindToWhole(Body *body, const Body *whole, double dt)
{
    vvBox box = nowhere;
    if (body->collisionMesh == NULL || whole->collisionMesh == NULL ||
        !collisionMeshesCollide(body->collisionMesh, whole->collisionMesh))
        return;
    for (int v = 0; v < whole->count; ++v)
        includePath(whole, v, dt, &box);
    pad(&box, padOf(whole));
    for (int k = 0; k < pieceCount(body); ++k)
        body->sleeper[k].bound |= overlap(&body->sleeper[k].box, &box);
}

static void bindToRigids(Body *body)
{
    const World *world = body->world;
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        const Rigid *rigid = &world->rigids.item[i];
        for (int k = 0; k < pieceCount(body) && rigid->used && rigid->near; ++k)
            body->sleeper[k].bound |= overlap(&body->sleeper[k].box, &rigid->reach);
    }
}

// attachments between bodies, or between points of one
static void bindToLinks(World *world)
{
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        const Attachment *a = &world->attachment[i];
        if (!attachmentLinks(a))
            continue;
        for (int end = 0; end < 2; ++end)
        {
            for (int k = 0; k < a->end[end].count && a->body[end]->sleeper != NULL; ++k)
                sleeperOf(a->body[end], a->end[end].vertex[k])->bound = true;
        }
    }
}

static void findGroups(World *world, System *system, double dt)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        Body *body = bodyOfMember(system->member[p]);
        if (body->sleeper != NULL)
            placePieces(body, dt);
    }
    for (int p = 0; p < system->memberCount; ++p)
    {
        Body *body = bodyOfMember(system->member[p]);
        for (int q = 0; q < system->memberCount && body->sleeper != NULL; ++q)
        {
            Body *other = bodyOfMember(system->member[q]);
            if (other->sleeper == NULL)
                bindToWhole(body, other, dt);
            else if (q >= p)
                joinBodies(body, other);
        }
        bindToRigids(body);
    }
    bindToLinks(world);
}

// ---- around a step --------------------------------------------------------------------------------------------------

typedef void (*EachPiece)(Body *body, Sleeper *piece, const void *context);

static void eachPiece(System *system, EachPiece act, const void *context)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        Body *body = bodyOfMember(system->member[p]);
        for (int k = 0; k < pieceCount(body); ++k)
            act(body, &body->sleeper[k], context);
    }
}

static void wakeByCollider(Body *body, Sleeper *piece, const void *context)
{
    if (piece->asleep && collidersStir(context, body, &piece->box))
        wake(piece);
}

static void clearStirred(Body *body, Sleeper *piece, const void *context)
{
    (void)body;
    (void)context;
    piece->stirred = false;
}

// `context`: whether what is bound is awake
static void stirFirst(Body *body, Sleeper *piece, const void *context)
{
    (void)body;
    firstOf(piece)->stirred |= !piece->asleep || (piece->bound && *(const bool *)context);
}

static void wakeStirred(Body *body, Sleeper *piece, const void *context)
{
    (void)body;
    (void)context;
    if (piece->asleep && firstOf(piece)->stirred)
        wake(piece);
}

// some piece, or some body that is whole, is awake
static bool isAwake(const System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Body *body = bodyOfMember(system->member[p]);
        if (body->sleeper != NULL ? !body->asleep || !piecesSleep(body) : !body->asleep)
            return true;
    }
    return false;
}

bool piecesStir(World *world, System *system, double dt, bool moves)
{
    if (!hasPieces(system) || world->sleepEnergy == 0 || (!moves && islandSleeps(system)))
        return true;
    findGroups(world, system, dt);
    if (moves)
        eachPiece(system, wakeByCollider, world);
    bool awake = isAwake(system);
    eachPiece(system, clearStirred, NULL);
    eachPiece(system, stirFirst, &awake);
    eachPiece(system, wakeStirred, NULL);
    for (int p = 0; p < system->memberCount && awake; ++p)
    {
        Body *body = bodyOfMember(system->member[p]);
        if (body->sleeper == NULL && body->asleep)
            bodyWake(body);
        body->asleep = false;
    }
    return !awake;
}

// puts the pieces that sleep back; the state before the step is in `previous`
static void hold(Body *body)
{
    State s = stateSlice(&body->world->state, body->first, body->count);
    double before = bodyTotal(body);
    for (int v = 0; v < body->count; ++v)
    {
        if (!sleeperOf(body, v)->asleep)
            continue;
        ptrdiff_t i = 3 * (ptrdiff_t)v;
        vecStore(s.start + i, vecLoad(s.previous + i));
        vecStore(s.position + i, vecLoad(s.previous + i));
        vecStore(s.startVelocity + i, vec3(0, 0, 0));
        vecStore(s.velocity + i, vec3(0, 0, 0));
    }
    body->account.dissipated += before - bodyTotal(body);
}

static bool anySleeps(const Body *body)
{
    for (int k = 0; k < pieceCount(body); ++k)
    {
        if (body->sleeper[k].asleep)
            return true;
    }
    return false;
}

void piecesHold(World *world)
{
    for (int i = 0; i < world->systemCount; ++i)
    {
        System *system = &world->system[i];
        bool held = false;
        if (!hasPieces(system) || islandSleeps(system))
            continue;
        for (int p = 0; p < system->memberCount; ++p)
        {
            Body *body = bodyOfMember(system->member[p]);
            if (!anySleeps(body))
                continue;
            hold(body);
            held = true;
        }
        // what methods remember of the energy of the island is not that of what was put back
        for (int p = 0; p < system->memberCount && held && world->method.integrator->pastSlots == 0; ++p)
        {
            EnergyRecall *energy = &system->member[p]->step->recall.energy;
            energy->stored = energy->moving = 0;
        }
    }
}

static void measure(Body *body)
{
    State s = stateSlice(&body->world->state, body->first, body->count);
    for (int k = 0; k < pieceCount(body); ++k)
        body->sleeper[k].mass = body->sleeper[k].kinetic = 0;
    for (int v = 0; v < body->count; ++v)
    {
        Sleeper *piece = sleeperOf(body, v);
        Vec3 u = vecLoad(s.startVelocity + 3 * (ptrdiff_t)v);
        piece->mass += s.mass[v];
        piece->kinetic += s.pinned[v] ? 0 : 0.5 * s.mass[v] * vecDot(u, u);
    }
}

static void grow(Body *body, Sleeper *piece, const void *context)
{
    bool calm = piece->kinetic < body->world->sleepEnergy * piece->mass;
    piece->calm = calm ? piece->calm + *(const double *)context : 0;
    piece->tired = true;
}

static void tireFirst(Body *body, Sleeper *piece, const void *context)
{
    (void)context;
    firstOf(piece)->tired &= piece->asleep || piece->calm >= body->world->sleepTime;
}

static void sleepPiece(Body *body, const Sleeper *piece)
{
    State s = stateSlice(&body->world->state, body->first, body->count);
    body->account.dissipated += piece->kinetic;
    for (int v = 0; v < body->count; ++v)
    {
        if (sleeperOf(body, v) == piece)
            vecStore(s.startVelocity + 3 * (ptrdiff_t)v, vec3(0, 0, 0));
    }
    pastForget(body);
}

// `context`: whether the whole island does
static void sleepTired(Body *body, Sleeper *piece, const void *context)
{
    bool all = *(const bool *)context;
    if (piece->asleep || !(all || (firstOf(piece)->tired && !firstOf(piece)->stirred)))
        return;
    sleepPiece(body, piece);
    piece->asleep = true;
}

static void bindFirst(Body *body, Sleeper *piece, const void *context)
{
    (void)body;
    (void)context;
    firstOf(piece)->stirred |= piece->bound;
}

// all that is in it has been calm for long enough
static bool isTired(World *world, System *system, double dt)
{
    bool tired = true;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Body *body = bodyOfMember(system->member[p]);
        for (int k = 0; k < pieceCount(body); ++k)
            tired = tired && (body->sleeper[k].asleep || body->sleeper[k].calm >= world->sleepTime);
        if (body->sleeper != NULL)
            continue;
        bodyTire(body, dt);
        tired = tired && body->calm >= world->sleepTime;
    }
    return tired;
}

bool piecesSettle(World *world, System *system, double dt)
{
    if (!hasPieces(system))
        return false;
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (bodyOfMember(system->member[p])->sleeper != NULL)
            measure(bodyOfMember(system->member[p]));
    }
    eachPiece(system, grow, &dt);
    eachPiece(system, tireFirst, NULL);
    eachPiece(system, clearStirred, NULL);
    eachPiece(system, bindFirst, NULL);
    bool all = isTired(world, system, dt);
    eachPiece(system, sleepTired, &all);
    for (int p = 0; p < system->memberCount && all; ++p)
        bodySleep(bodyOfMember(system->member[p]));
    return true;
}
