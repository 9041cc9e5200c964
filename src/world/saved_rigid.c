// Rigid bodies in a saved state (saved_state.c).
#include "world/archive.h"
#include "world/world.h"

static uint64_t mixVector(uint64_t hash, Vec3 v)
{
    return mixReal(mixReal(mixReal(hash, v.x), v.y), v.z);
}

static uint64_t mixRigid(uint64_t hash, const RigidBody *body)
{
    hash = mixVector(mixReal(hash, body->mass), body->inertia);
    hash = mixReal(mixReal(mixReal(hash, body->friction), body->restitution), body->rollingFriction);
    hash = mixWord(mixWord(hash, body->category), body->mask);
    hash = mixWord(hash, (uint64_t)body->shapeCount);
    for (int i = 0; i < body->shapeCount; ++i)
        hash = mixShape(mixVector(hash, body->shape[i].position), body->shape[i].shape);
    return hash;
}

uint64_t mixRigids(uint64_t hash, const World *world)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        if (world->rigids.item[i].used)
            hash = mixRigid(mixWord(hash, (uint64_t)i), &world->rigids.item[i].body);
    }
    return hash;
}

static void walkVector(Archive *archive, Vec3 *v)
{
    double numbers[3];
    vecStore(numbers, *v);
    archiveReals(archive, numbers, 3);
    *v = vecLoad(numbers);
}

// all its room, used or not: the size of a state does not depend on who touches whom
static void walkMemory(Archive *archive, RigidBody *body)
{
    static const RigidMemory none;
    body->memoryCount = (int)archiveCount(archive, body->memoryCount, RIGID_MEMORY);
    for (int k = 0; k < RIGID_MEMORY; ++k)
    {
        RigidMemory memory = archive->mode == ARCHIVE_SAVE && k < body->memoryCount ? body->memory[k] : none;
        memory.partner = (int)archiveCount(archive, memory.partner, INT32_MAX);
        memory.shapeA = (int)archiveCount(archive, memory.shapeA, INT32_MAX);
        memory.shapeB = (int)archiveCount(archive, memory.shapeB, INT32_MAX);
        memory.feature = (uint32_t)archiveCount(archive, memory.feature, UINT32_MAX);
        walkVector(archive, &memory.place);
        walkVector(archive, &memory.force);
        walkVector(archive, &memory.couple);
        archiveReals(archive, &memory.sum, 1);
        walkVector(archive, &memory.slip);
        walkVector(archive, &memory.turn);
        if (archive->mode == ARCHIVE_LOAD)
            body->memory[k] = memory;
    }
}

// what stands for it in islands is a body of the state, but for what it is made of
static void walkProxy(Archive *archive, Rigid *rigid)
{
    double rate = rigid->proxyRate, times = rigid->proxyTimes;
    walkVector(archive, &rigid->pull);
    walkVector(archive, &rigid->pullTorque);
    archiveReals(archive, &rate, 1);
    archiveReals(archive, &times, 1);
    if (archive->mode == ARCHIVE_LOAD && rigid->body.inverseMass > 0)
        proxyTune(rigid, rate, times);
}

static void walkRigid(Archive *archive, const World *world, Rigid *rigid)
{
    RigidBody *body = &rigid->body;
    double q[4] = { body->rotation.w, body->rotation.x, body->rotation.y, body->rotation.z };
    double calmTurn[4] = { body->calmRotation.w, body->calmRotation.x, body->calmRotation.y, body->calmRotation.z };
    walkVector(archive, &body->position);
    archiveReals(archive, q, 4);
    walkVector(archive, &body->velocity);
    walkVector(archive, &body->angularMomentum);
    walkVector(archive, &body->spin);
    walkVector(archive, &body->force);
    walkVector(archive, &body->torque);
    if (body->memory != NULL)
        walkMemory(archive, body);
    walkVector(archive, &rigid->held);
    walkVector(archive, &rigid->heldTorque);
    walkVector(archive, &rigid->usual);
    walkVector(archive, &rigid->usualTorque);
    archiveReals(archive, &body->calm, 1);
    walkVector(archive, &body->calmPosition);
    archiveReals(archive, calmTurn, 4);
    body->asleep = archiveFlag(archive, body->asleep) && world->sleepEnergy > 0; // else nothing would wake it
    archiveReals(archive, &rigid->account.opening, 1);
    archiveReals(archive, &rigid->account.added, 1);
    archiveReals(archive, &rigid->account.dissipated, 1);
    if (rigid->proxy != NULL)
        walkProxy(archive, rigid);
    if (archive->mode != ARCHIVE_LOAD)
        return;
    body->rotation = (vvQuat){ q[0], q[1], q[2], q[3] };
    body->calmRotation = (vvQuat){ calmTurn[0], calmTurn[1], calmTurn[2], calmTurn[3] };
    rigidRefresh(body);
}

void walkRigids(Archive *archive, World *world)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        if (world->rigids.item[i].used)
            walkRigid(archive, world, &world->rigids.item[i]);
    }
}
