// The state hash: everything that decides how a run goes on, and nothing else.
#include "world/world.h"

// targets, where something is held: elsewhere they mean nothing
static uint64_t hashHolds(uint64_t hash, const State *s)
{
    hash = hashBytes(hash, s->pinned, (size_t)s->count);
    for (int v = 0; v < s->count; ++v)
    {
        if (s->hold[v] != HOLD_FREE)
            hash = hashBytes(hash, s->pinTarget + 3 * (ptrdiff_t)v, 3 * sizeof(double));
        if (slides(s, v))
        {
            hash = hashBytes(hash, s->hold + v, 1);
            hash = hashBytes(hash, s->holdAxis + 3 * (ptrdiff_t)v, 3 * sizeof(double));
        }
    }
    return hash;
}

// what the method remembers of a body
static uint64_t hashRecall(uint64_t hash, const Body *body)
{
    IslandStep step = stepSlice(&body->world->step, body->first);
    const Integrator *integrator = body->world->method.integrator;
    for (int k = 0; k < RECALL_NUMBERS; ++k)
    {
        // what no method wrote is no state
        if (body->step.recall.number[k] != 0)
            hash = hashBytes(hash, &body->step.recall.number[k], sizeof(double));
    }
    for (int k = 0; k < integrator->pastCount; ++k)
    {
        if (historyHolds(integrator, &body->member, k))
            hash = hashBytes(hash, step.past[k], (size_t)body->count * 3 * sizeof(double));
    }
    return hash;
}

static uint64_t hashBody(uint64_t hash, const Body *body)
{
    State s = stateSlice(&body->world->state, body->first, body->count);
    const int shape[2] = { body->ordinal, body->count };
    hash = hashBytes(hash, shape, sizeof shape);
    size_t vectors = (size_t)body->count * 3 * sizeof(double);
    hash = hashBytes(hash, s.start, vectors);
    hash = hashBytes(hash, s.startVelocity, vectors);
    hash = hashHolds(hash, &s);
    // dashpots and wind are set anew by every step
    for (int e = 0; e < body->member.energyCount; ++e)
    {
        const Energy *energy = body->member.energy[e];
        hash = energy == body->contactDamping || energy == body->wind ? hash : energyHashState(energy, hash);
    }
    hash = softHash(body, hash);
    hash = originHash(body, hashRecall(hash, body));
    if (body->calm > 0 || body->asleep)
    {
        hash = hashBytes(hash, &body->calm, sizeof body->calm);
        hash = hashBytes(hash, &body->asleep, sizeof body->asleep);
    }
    for (int p = 0; body->sleeper != NULL && p < body->step.pieces->count; ++p)
    {
        hash = hashBytes(hash, &body->sleeper[p].calm, sizeof body->sleeper[p].calm);
        hash = hashBytes(hash, &body->sleeper[p].asleep, sizeof body->sleeper[p].asleep);
    }
    return hash;
}

uint64_t vvWorld_GetHash(vvWorldId id)
{
    const World *world = worldFind(id);
    if (world == NULL)
        return 0;
    uint64_t hash = hashBytes(HASH_SEED, &world->time, sizeof world->time);
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        if (world->body[i].body != NULL)
            hash = hashBody(hash, world->body[i].body);
    }
    for (int i = 0; i < world->colliders.slotCount; ++i)
    {
        const Collider *collider = &world->colliders.item[i];
        if (collider->used)
        {
            hash = hashBytes(hash, &i, sizeof i);
            hash = hashBytes(hash, collider->target.quaternion, sizeof collider->target.quaternion);
            hash = hashBytes(hash, &collider->target.position, sizeof collider->target.position);
            double *start, *end;
            int count = shapeMovingPoints(collider->shape, &start, &end);
            hash = hashBytes(hash, end, 3 * (size_t)count * sizeof(double));
        }
    }
    return hashFinish(fluidsHash(world, jointsHash(world, rigidsHash(world, hash))));
}
