// Smooth functions of sheets and ropes: made before the first step of a method that uses them, renewed without memory
// when pins, masses or constants changed.
#include "world/world.h"

#include <string.h>

#define WANTED_SHEET 16 // functions
#define WANTED_ROPE 12  //

static bool needsSmooth(const Body *body)
{
    return body->world->method.integrator->usesModes && body->mesh->tetCount == 0 && body->member.tree != NULL;
}

void bodyReleaseSmooth(Body *body)
{
    smoothDestroy(body->member.smooth);
    body->member.smooth = NULL;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
    return hash ^ hash >> 29;
}

// of what functions follow from, beside the mesh
static uint64_t keyOf(const Body *body, const State *slice)
{
    uint64_t hash = 1;
    for (int e = 0; e < body->member.energyCount; ++e)
    {
        const Energy *energy = body->member.energy[e];
        if (energy->kind->majorizer != NULL && !energyIsDiagonal(energy))
            hash = mix(mix(hash, (uint64_t)(uintptr_t)energy), energy->version);
    }
    for (int v = 0; v < body->count; ++v)
    {
        uint64_t word;
        memcpy(&word, &slice->mass[v], sizeof word);
        hash = mix(hash, word ^ (slice->pinned[v] ? 0x5bd1e995 : 0));
    }
    return hash;
}

static SmoothRecipe recipeOf(const Body *body, const State *slice)
{
    const Member *member = &body->member;
    return (SmoothRecipe){ .graph = member->graph,
                           .tree = member->tree,
                           .rest = body->mesh->point,
                           .mass = slice->mass,
                           .pinned = slice->pinned,
                           .energyCount = member->energyCount,
                           .energy = member->energy,
                           .wanted = body->mesh->matter == MATTER_SHEET ? WANTED_SHEET : WANTED_ROPE,
                           .isa = body->world->isa };
}

double smoothBodyWork(const Body *body)
{
    if (!needsSmooth(body))
        return 0;
    State slice = stateSlice(&body->world->state, body->first, body->count);
    SmoothRecipe recipe = recipeOf(body, &slice);
    return smoothWork(&recipe);
}

double smoothBasis(const Body *body)
{
    State slice = stateSlice(&body->world->state, body->first, body->count);
    return (double)(keyOf(body, &slice) >> 12 | 1);
}

bool smoothPrepare(Body *body, bool waits)
{
    World *world = body->world;
    Member *member = &body->member;
    bool needs = needsSmooth(body) && !waits;
    if (!needs)
        bodyReleaseSmooth(body);
    if (!needs || body->asleep)
        return true;
    State slice = stateSlice(&world->state, body->first, body->count);
    uint64_t key = keyOf(body, &slice);
    if (member->smooth != NULL && body->smoothKey == key)
        return true;
    SmoothRecipe recipe = recipeOf(body, &slice);
    recipe.majorizer = memberMajorizer(member);
    body->smoothKey = key;
    if (member->smooth != NULL && member->smooth->work.edgeRoom >= smoothEdges(&recipe))
    {
        smoothRenew(member->smooth, &recipe);
        return true;
    }
    bodyReleaseSmooth(body);
    member->smooth = smoothCreate(&world->memory, &recipe);
    return member->smooth != NULL;
}
