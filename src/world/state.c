// The arrays of a world: one allocation, bodies one behind the other.
#include "world/world.h"

#include <string.h>

#define SLACK 8 // a share of the vertices: room for those that a body has more after each change of its mesh
#define VECTOR_ARRAYS (17 + SCRATCH_VECTORS) // count x 3 each

#define LASTING_ARRAYS 6 // the first of them outlive a step

// vertices per array are a multiple of 8, so that every array starts on a cache line
static int paddedCount(int count)
{
    return (count + 7) / 8 * 8;
}

static size_t blockSize(int capacity, int pastCount)
{
    return (size_t)capacity * ((1 + 3 * (VECTOR_ARRAYS + (size_t)pastCount)) * sizeof(double) + 2);
}

// points the arrays of a state and a step into a block
static State carve(void *block, int capacity, int count, int pastCount, IslandStep *step)
{
    State s = { .count = count };
    *step = (IslandStep){ .to = 1 };
    double *next = block;
    s.mass = next;
    next += capacity;
    double **vectors[VECTOR_ARRAYS] = { &s.start,          &s.startVelocity, &s.previous,       &s.pinTarget,
                                        &s.holdAxis,       &s.reaction,      &s.position,       &s.velocity,
                                        &s.inertial,       &s.blend,         &s.rate,           &s.gradient,
                                        &s.direction,      &s.external,      &step->frameStart, &step->frameVelocity,
                                        &step->frameTarget };
    for (int i = 0; i < SCRATCH_VECTORS; ++i)
        vectors[VECTOR_ARRAYS - SCRATCH_VECTORS + i] = &s.scratch[i];
    for (int i = 0; i < VECTOR_ARRAYS; ++i)
    {
        *vectors[i] = next;
        next += 3 * (ptrdiff_t)capacity;
    }
    for (int i = 0; i < pastCount; ++i)
    {
        step->past[i] = next;
        next += 3 * (ptrdiff_t)capacity;
    }
    s.pinned = (unsigned char *)next;
    s.hold = s.pinned + capacity;
    return s;
}

// copies what outlives a step
static void copyVertices(const State *target, int to, const State *source, int from, int count)
{
    size_t vector = (size_t)count * 3 * sizeof(double);
    memmove(target->mass + to, source->mass + from, (size_t)count * sizeof(double));
    memmove(target->pinned + to, source->pinned + from, (size_t)count);
    memmove(target->hold + to, source->hold + from, (size_t)count);
    memmove(target->holdAxis + 3 * to, source->holdAxis + 3 * from, vector);
    memmove(target->reaction + 3 * to, source->reaction + 3 * from, vector);
    memmove(target->start + 3 * to, source->start + 3 * from, vector);
    memmove(target->startVelocity + 3 * to, source->startVelocity + 3 * from, vector);
    memmove(target->previous + 3 * to, source->previous + 3 * from, vector);
    memmove(target->pinTarget + 3 * to, source->pinTarget + 3 * from, vector);
}

static void copyPast(const IslandStep *target, int to, const IslandStep *source, int from, int count)
{
    for (int i = 0; i < PAST_VECTORS; ++i)
    {
        if (target->past[i] != NULL && source->past[i] != NULL)
            memmove(target->past[i] + 3 * to, source->past[i] + 3 * from, (size_t)count * 3 * sizeof(double));
    }
}

// Vectors that do not outlive a step are zero where no vertex has been yet. Others are written as a vertex gets its
// place; so room that is there for a body beside another takes no memory of the system for what is never used.
static void clearUpTo(World *world, int count)
{
    int from = world->clearedCount;
    if (count <= from)
        return;
    for (int i = LASTING_ARRAYS; i < VECTOR_ARRAYS + world->pastCount; ++i)
    {
        double *vector = (double *)world->stateBlock + (ptrdiff_t)world->capacity * (1 + 3 * i);
        memset(vector + 3 * (ptrdiff_t)from, 0, 3 * (size_t)(count - from) * sizeof(double));
    }
    world->clearedCount = count;
}

static bool reserve(World *world, int count, int pastCount)
{
    if (count <= world->capacity && pastCount <= world->pastCount)
        return true;
    int capacity = world->capacity;
    if (count > capacity)
        capacity =
            paddedCount(maxInt(count, minInt(maxInt(2 * world->capacity, count + count / SLACK), VV_MAX_VERTICES)));
    pastCount = maxInt(pastCount, world->pastCount);
    void *block = memoryAllocateBare(&world->memory, blockSize(capacity, pastCount), 1);
    if (block == NULL)
        return false;
    IslandStep step;
    State state = carve(block, capacity, world->state.count, pastCount, &step);
    State before = world->state;
    IslandStep stepBefore = world->step;
    void *blockBefore = world->stateBlock;
    world->state = state;
    world->step = step;
    world->stateBlock = block;
    world->capacity = capacity;
    world->pastCount = pastCount;
    world->clearedCount = 0;
    clearUpTo(world, state.count);
    if (state.count > 0)
    {
        copyVertices(&state, 0, &before, 0, state.count);
        copyPast(&step, 0, &stepBefore, 0, state.count);
    }
    memoryRelease(&world->memory, blockBefore);
    world->systemsStale = true; // their slices point into the old block
    return true;
}

bool stateReserve(World *world, int count)
{
    return stateReserveBeside(world, count, count);
}

bool stateReserveBeside(World *world, int count, int settled)
{
    if (!reserve(world, count, methodVectors(&world->method)))
        return false;
    clearUpTo(world, settled);
    return true;
}

bool stateReservePast(World *world, const Method *method)
{
    return world->capacity == 0 || reserve(world, world->state.count, methodVectors(method));
}

void stateRemove(World *world, int first, int count)
{
    State *s = &world->state;
    copyVertices(s, first, s, first + count, s->count - first - count);
    copyPast(&world->step, first, &world->step, first + count, s->count - first - count);
    s->count -= count;
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        Body *body = world->body[i].body;
        if (body != NULL && body->first > first)
            body->first -= count;
    }
    world->systemsStale = true;
}

void stateOrder(World *world, Body *const *order)
{
    // the arrays of the step under way are free now: use them as the second copy
    State *s = &world->state;
    State copy = { .mass = s->inertial,
                   .pinned = (unsigned char *)s->blend,
                   .hold = (unsigned char *)s->rate,
                   .holdAxis = s->scratch[0],
                   .reaction = s->scratch[1],
                   .start = s->position,
                   .startVelocity = s->velocity,
                   .previous = s->gradient,
                   .pinTarget = s->direction };
    for (int k = 0; k < world->pastCount; ++k)
    {
        size_t vector = 3 * sizeof(double);
        for (int i = 0, next = 0; i < world->bodyCount; next += order[i]->count, ++i)
            memcpy(s->scratch[0] + 3 * next, world->step.past[k] + 3 * order[i]->first,
                   (size_t)order[i]->count * vector);
        memcpy(world->step.past[k], s->scratch[0], (size_t)s->count * vector);
    }
    int next = 0;
    for (int i = 0; i < world->bodyCount; ++i)
    {
        copyVertices(&copy, next, s, order[i]->first, order[i]->count);
        order[i]->first = next;
        next += order[i]->count;
    }
    copyVertices(s, 0, &copy, 0, s->count);
}

State stateSlice(const State *s, int first, int count)
{
    ptrdiff_t v = 3 * (ptrdiff_t)first;
    State slice = { .count = count,
                    .mass = s->mass + first,
                    .pinned = s->pinned + first,
                    .hold = s->hold + first,
                    .holdAxis = s->holdAxis + v,
                    .reaction = s->reaction + v,
                    .start = s->start + v,
                    .startVelocity = s->startVelocity + v,
                    .previous = s->previous + v,
                    .pinTarget = s->pinTarget + v,
                    .position = s->position + v,
                    .velocity = s->velocity + v,
                    .inertial = s->inertial + v,
                    .blend = s->blend + v,
                    .stage = s->blend + v,
                    .rate = s->rate + v,
                    .gradient = s->gradient + v,
                    .direction = s->direction + v,
                    .external = s->external + v };
    for (int i = 0; i < SCRATCH_VECTORS; ++i)
        slice.scratch[i] = s->scratch[i] + v;
    return slice;
}

IslandStep stepSlice(const IslandStep *step, int first)
{
    ptrdiff_t v = 3 * (ptrdiff_t)first;
    IslandStep slice = { .frameStart = step->frameStart + v,
                         .frameVelocity = step->frameVelocity + v,
                         .frameTarget = step->frameTarget + v,
                         .to = 1 };
    for (int i = 0; i < PAST_VECTORS; ++i)
        slice.past[i] = step->past[i] ? step->past[i] + v : NULL;
    return slice;
}
