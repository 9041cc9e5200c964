// Rigid bodies in a step, in the ledger and in the hash of a world.
#include "world/world.h"

#define USUAL 0.2 // share of what fluids push with in a step, in its mean over steps

static bool isSane(const RigidBody *body)
{
    return !isVast(body->position) && !isVast(body->velocity) && !isVast(body->angularMomentum) &&
           !isVast(body->spin) && isfinite(body->rotation.w) && isfinite(body->added) && isfinite(body->dissipated);
}

static vvResult diverged(const World *world, int slot)
{
    const RigidBody *body = &world->rigids.item[slot].body;
    return resultMake(VV_DIVERGED, "take a smaller step, or more rigidSubsteps; check velocities, forces and joints",
                      "step %lld ran away: rigid body %d went to %g %g %g with %g %g %g m/s",
                      world->statistics.stepCount + 1, slot, body->position.x, body->position.y, body->position.z,
                      body->velocity.x, body->velocity.y, body->velocity.z);
}

void rigidsBegin(World *world)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        RigidBody *body = &world->rigids.item[i].body;
        body->reaction = body->reactionTorque = vec3(0, 0, 0);
        body->flow = body->flowTorque = vec3(0, 0, 0);
        body->flowWork = 0;
        world->rigids.item[i].flowBooks = NULL;
        body->reactionPoint = body->position;
        body->pulse = NULL;
        body->carried = NULL;
        body->reactionWork = 0;
        world->rigids.item[i].stirred = false;
        body->stands = false;
    }
}

static void mark(World *world)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        Rigid *rigid = &world->rigids.item[i];
        rigid->body.added = rigid->body.dissipated = rigid->body.yielded = 0;
        rigid->marked = rigid->body;
    }
}

void rigidsRewind(World *world)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
        world->rigids.item[i].body = world->rigids.item[i].marked;
    jointsRewind(world);
}

// all bodies, and all colliders that push; false: out of memory
static bool load(World *world, double dt)
{
    Rigids *rigids = &world->rigids;
    const Colliders *colliders = &world->colliders;
    RigidSystem *system = &rigids->system;
    if (!rigidSystemReserve(system, &world->memory, rigids->count + colliders->count))
        return false;
    system->gravity = world->gravity;
    system->substeps = rigids->substeps;
    system->iterations = world->method.settings.rigidIterations;
    system->isa = world->isa;
    system->workers = world->workers;
    system->sleeps = world->sleepEnergy > 0;
    system->bodyCount = system->sceneryCount = 0;
    system->link = world->joints.link;
    system->linkCount = world->joints.linkCount;
    rigidsStir(world);
    for (int i = 0; i < rigids->slotCount; ++i)
    {
        if (rigids->item[i].used)
        {
            rigids->item[i].body.id = 2 * i;
            rigids->item[i].body.index = system->bodyCount;
            system->body[system->bodyCount++] = &rigids->item[i].body;
        }
    }
    for (int i = 0; i < colliders->slotCount; ++i)
    {
        if (colliders->item[i].used && !colliders->item[i].sensor)
            rigidSystemAddScenery(system, &colliders->item[i], i, dt);
    }
    return true;
}

// false: out of memory
static bool advance(World *world, double dt)
{
    RigidSystem *system = &world->rigids.system;
    if (!load(world, dt))
        return false;
    int room = system->contactRoom;
    bool done = rigidSystemStep(system, &world->memory, dt);
    if (done && room > 0 && system->contactRoom > room)
        logWrite(&world->memory, &world->logger, VV_LOG_DEBUG,
                 "step %lld: room for contacts of rigid bodies grew from %d to %d; a step that needs no more allocates "
                 "nothing",
                 world->statistics.stepCount + 1, room, system->contactRoom);
    return done;
}

void rigidsTakeForeseen(World *world, double dt)
{
    Rigids *rigids = &world->rigids;
    RigidSystem *system = &rigids->system;
    for (int i = 0; i < rigids->slotCount; ++i)
    {
        if (rigids->item[i].used)
            system->asked[rigids->item[i].body.index] = rigids->item[i].near;
    }
    rigidSupport(system, dt);
    for (int i = 0; i < rigids->slotCount; ++i)
    {
        Rigid *rigid = &rigids->item[i];
        if (!rigid->used)
            continue;
        rigid->foreseenPosition = rigid->body.position;
        rigid->foreseenRotation = rigid->body.rotation;
        rigid->foreseenVelocity = rigid->body.velocity;
        rigid->foreseenSpin = rigid->body.spin;
        rigid->foreseenMomentum = rigid->body.angularMomentum;
        rigid->hold = system->hold[rigid->body.index];
    }
}

// What holds a body answers what fluids push with. If the foreseen step did not have that, a body on the ground would
// rise in the fluid as it then does not, and be back in the next step: work on the fluid that nobody pays for.
static void pushAsUsual(World *world)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        Rigid *rigid = &world->rigids.item[i];
        rigid->body.reaction = vecAdd(rigid->body.reaction, rigid->usual);
        rigid->body.reactionTorque = vecAdd(rigid->body.reactionTorque, rigid->usualTorque);
    }
}

// what leaves the fluid is not pushed
static void learnUsual(Rigid *rigid)
{
    bool flows =
        vecDot(rigid->body.flow, rigid->body.flow) + vecDot(rigid->body.flowTorque, rigid->body.flowTorque) > 0;
    double share = flows && rigid->proxy == NULL ? USUAL : 0, rest = share > 0 ? 1 - share : 0;
    rigid->usual = vecAdd(vecScale(share, rigid->body.flow), vecScale(rest, rigid->usual));
    rigid->usualTorque = vecAdd(vecScale(share, rigid->body.flowTorque), vecScale(rest, rigid->usualTorque));
}

bool rigidsForesee(World *world, double dt)
{
    Rigids *rigids = &world->rigids;
    mark(world);
    jointsMark(world);
    for (int i = 0; i < rigids->slotCount; ++i)
    {
        Rigid *rigid = &rigids->item[i];
        bool attached = rigid->proxy != NULL; // what attachments pulled with is a part of `held`
        rigid->body.reaction = rigid->near ? rigid->held : attached ? rigid->pull : vec3(0, 0, 0);
        rigid->body.reactionTorque = rigid->near ? rigid->heldTorque : attached ? rigid->pullTorque : vec3(0, 0, 0);
    }
    if (world->fluids.flowed)
        rigidsFlow(world);
    else
        pushAsUsual(world);
    bool done = advance(world, dt);
    if (done)
        rigidsTakeForeseen(world, dt);
    rigidsRewind(world);
    world->fluids.bodies.foreseen = done;
    return done;
}

void rigidsFlow(World *world)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        Rigid *rigid = &world->rigids.item[i];
        rigid->body.reaction = vecAdd(rigid->body.reaction, rigid->body.flow);
        rigid->body.reactionTorque = vecAdd(rigid->body.reactionTorque, rigid->body.flowTorque);
    }
}

vvResult rigidsStep(World *world, double dt)
{
    Rigids *rigids = &world->rigids;
    vvResult result = resultOk();
    if (rigids->count == 0)
        return result;
    mark(world);
    jointsMark(world);
    machinesStand(world);
    if (!advance(world, dt))
        result = resultOutOfMemory("the contacts of rigid bodies");
    else if (!rigidTouchesReserve(world))
        result = resultOutOfMemory("the list of contacts of rigid bodies");
    for (int i = 0; i < rigids->slotCount && result.code == VV_OK; ++i)
    {
        if (rigids->item[i].used && !isSane(&rigids->item[i].body))
            result = diverged(world, i);
    }
    if (result.code != VV_OK)
        rigidsRewind(world);
    return result;
}

// Hard joints take and give back from step to step: both are booked as dissipated. What they give beyond all that their
// cluster has lost so far is a gain, and the ledger has it as numerical.
static void bookYielded(World *world)
{
    Rigids *rigids = &world->rigids;
    RigidCluster *cluster = rigids->system.cluster;
    if (rigids->count == 0 || rigids->system.activeCount == 0)
        return;
    for (int i = 0; i < rigids->system.bodyCount; ++i)
        cluster[i].lost = cluster[i].yielded = 0;
    for (int i = 0; i < rigids->slotCount; ++i)
    {
        Rigid *rigid = &rigids->item[i];
        if (!rigid->used)
            continue;
        cluster[rigid->body.cluster].lost += rigid->account.dissipated;
        cluster[rigid->body.cluster].yielded += rigid->body.yielded;
    }
    for (int i = 0; i < rigids->slotCount; ++i)
    {
        Rigid *rigid = &rigids->item[i];
        RigidCluster *of = rigid->used ? &cluster[rigid->body.cluster] : NULL;
        if (of == NULL || of->yielded == 0)
            continue;
        rigid->account.dissipated += maxReal(of->yielded, -maxReal(of->lost, 0));
        of->yielded = 0;
    }
}

void rigidsAccept(World *world, double dt)
{
    jointsAccept(world, dt);
    if (world->rigids.count > 0)
        rigidRemember(&world->rigids.system, dt / world->rigids.substeps);
    standsRemember(world);
    rigidTouchesTake(world, dt);
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        Rigid *rigid = &world->rigids.item[i];
        if (!rigid->used)
            continue;
        learnUsual(rigid);
        if (!proxyLeads(rigid))
        {
            rigid->account.added += rigid->body.added + rigid->body.reactionWork;
            rigid->account.dissipated += rigid->body.dissipated;
        }
        else
            rigid->body.yielded = 0;
        rigid->body.force = rigid->body.torque = vec3(0, 0, 0);
    }
    bookYielded(world);
}

// ---- ledger and hash ------------------------------------------------------------------------------------------------

void rigidsBookGravity(World *world, Vec3 change)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        Rigid *rigid = &world->rigids.item[i];
        if (rigid->used)
            rigid->account.added += rigid->body.mass * vecDot(change, rigid->body.position);
    }
}

void rigidsAddLedger(const World *world, vvLedger *ledger)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        const Rigid *rigid = &world->rigids.item[i];
        const RigidBody *body = &rigid->body;
        if (!rigid->used || !(body->inverseMass > 0))
            continue;
        Vec3 momentum = vecScale(body->mass, body->velocity);
        Vec3 orbital = vecCross(body->position, momentum);
        ledger->kinetic += rigidKinetic(body);
        ledger->gravity -= body->mass * vecDot(world->gravity, body->position);
        ledger->momentum = vecAdd(ledger->momentum, momentum);
        ledger->angularMomentum = vecAdd(ledger->angularMomentum, vecAdd(orbital, body->angularMomentum));
        ledgerAddAccount(ledger, &rigid->account);
    }
    ledger->elastic += jointsEnergy(world);
}

static uint64_t hashMemory(uint64_t hash, const RigidBody *body)
{
    for (int k = 0; k < body->memoryCount; ++k)
    {
        const RigidMemory *memory = &body->memory[k];
        const int names[3] = { memory->partner, memory->shapeA, memory->shapeB };
        hash = hashBytes(hash, names, sizeof names);
        hash = hashBytes(hash, &memory->feature, sizeof memory->feature);
        hash = hashBytes(hash, &memory->place, sizeof memory->place);
        hash = hashBytes(hash, &memory->force, sizeof memory->force);
        hash = hashBytes(hash, &memory->couple, sizeof memory->couple);
        hash = hashBytes(hash, &memory->sum, sizeof memory->sum);
        hash = hashBytes(hash, &memory->slip, sizeof memory->slip);
        hash = hashBytes(hash, &memory->turn, sizeof memory->turn);
    }
    return hash;
}

// the spin follows from the angular momentum, where there is one
uint64_t rigidsHash(const World *world, uint64_t hash)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        const RigidBody *body = &world->rigids.item[i].body;
        if (!world->rigids.item[i].used)
            continue;
        const Vec3 *turning = body->inverseMass > 0 ? &body->angularMomentum : &body->spin;
        hash = hashBytes(hash, &i, sizeof i);
        hash = hashBytes(hash, &body->position, sizeof body->position);
        hash = hashBytes(hash, &body->rotation, sizeof body->rotation);
        hash = hashBytes(hash, &body->velocity, sizeof body->velocity);
        hash = hashBytes(hash, turning, sizeof *turning);
        hash = hashBytes(hash, &body->force, sizeof body->force);
        hash = hashBytes(hash, &body->torque, sizeof body->torque);
        if (vecLength(world->rigids.item[i].held) > 0)
        {
            hash = hashBytes(hash, &world->rigids.item[i].held, sizeof(Vec3));
            hash = hashBytes(hash, &world->rigids.item[i].heldTorque, sizeof(Vec3));
        }
        if (vecLength(world->rigids.item[i].usual) > 0)
        {
            hash = hashBytes(hash, &world->rigids.item[i].usual, sizeof(Vec3));
            hash = hashBytes(hash, &world->rigids.item[i].usualTorque, sizeof(Vec3));
        }
        hash = hashMemory(hash, body);
        if (world->rigids.item[i].proxy != NULL)
        {
            hash = hashBytes(hash, &world->rigids.item[i].pull, sizeof(Vec3));
            hash = hashBytes(hash, &world->rigids.item[i].pullTorque, sizeof(Vec3));
        }
        if (body->calm > 0 || body->asleep)
        {
            hash = hashBytes(hash, &body->calm, sizeof body->calm);
            hash = hashBytes(hash, &body->asleep, sizeof body->asleep);
            hash = hashBytes(hash, &body->calmPosition, sizeof body->calmPosition);
            hash = hashBytes(hash, &body->calmRotation, sizeof body->calmRotation);
        }
    }
    return hash;
}
