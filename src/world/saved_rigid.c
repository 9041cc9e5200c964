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

static void walkRigid(Archive *archive, Rigid *rigid)
{
    RigidBody *body = &rigid->body;
    double q[4] = { body->rotation.w, body->rotation.x, body->rotation.y, body->rotation.z };
    walkVector(archive, &body->position);
    archiveReals(archive, q, 4);
    walkVector(archive, &body->velocity);
    walkVector(archive, &body->angularMomentum);
    walkVector(archive, &body->spin);
    walkVector(archive, &body->force);
    walkVector(archive, &body->torque);
    archiveReals(archive, &rigid->account.opening, 1);
    archiveReals(archive, &rigid->account.added, 1);
    archiveReals(archive, &rigid->account.dissipated, 1);
    if (archive->mode != ARCHIVE_LOAD)
        return;
    body->rotation = (vvQuat){ q[0], q[1], q[2], q[3] };
    rigidRefresh(body);
}

void walkRigids(Archive *archive, World *world)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        if (world->rigids.item[i].used)
            walkRigid(archive, &world->rigids.item[i]);
    }
}
