// What contacts remember from step to step: the forces that the next substep starts from, and what friction has not
// taken back yet. Without it houses of cards fall in two seconds. It is part of the state, so that its room is fixed:
// each contact is kept by the smaller of its two bodies.
#include "rigid/system.h"

#define NEAREST 0.1 // of the radius of the body: how far away a contact may have been in the last step

static RigidBody *keeperOf(const RigidContact *c)
{
    if (!(c->a->inverseMass > 0) || !(c->b->inverseMass > 0))
        return c->a->inverseMass > 0 ? c->a : c->b;
    return c->b->radius < c->a->radius ? c->b : c->a;
}

static bool isOfPair(const RigidMemory *memory, const RigidContact *c, const RigidBody *keeper)
{
    const RigidBody *other = keeper == c->a ? c->b : c->a;
    return memory->partner == other->id && memory->shapeA == c->shapeA && memory->shapeB == c->shapeB;
}

static void take(RigidContact *c, RigidBody *keeper, int k, double h)
{
    const RigidMemory *memory = &keeper->memory[k];
    keeper->recalled |= 1u << k;
    c->recalled = true;
    c->whole = vecScale(h, memory->force);
    c->couple = vecScale(h, memory->couple);
    c->sum = h * memory->sum;
    c->slip = memory->slip;
    c->turn = memory->turn;
}

static void recallSame(RigidContact *c, double h)
{
    RigidBody *keeper = keeperOf(c);
    for (int k = 0; k < keeper->memoryCount && !c->recalled; ++k)
    {
        if (keeper->memory[k].feature == c->feature && isOfPair(&keeper->memory[k], c, keeper))
            take(c, keeper, k, h);
    }
}

// Edges that lie upon each other cross elsewhere in every step: what no contact has claimed goes to the nearest.
static void recallNearest(RigidContact *c, double h)
{
    RigidBody *keeper = keeperOf(c);
    int nearest = -1;
    double least = NEAREST * keeper->radius;
    for (int k = 0; k < keeper->memoryCount; ++k)
    {
        double far = vecLength(vecSub(keeper->memory[k].place, c->localA));
        if ((keeper->recalled >> k & 1u) || !(far < least) || !isOfPair(&keeper->memory[k], c, keeper))
            continue;
        nearest = k;
        least = far;
    }
    if (nearest >= 0)
        take(c, keeper, nearest, h);
}

void rigidRecall(RigidSystem *system, double h)
{
    for (int i = 0; i < system->bodyCount; ++i)
        system->body[i]->recalled = 0;
    for (int i = 0; i < system->contactCount; ++i)
        recallSame(&system->contact[i], h);
    for (int i = 0; i < system->contactCount; ++i)
    {
        if (!system->contact[i].recalled)
            recallNearest(&system->contact[i], h);
    }
}

void rigidRemember(RigidSystem *system, double h)
{
    for (int i = 0; i < system->activeCount; ++i)
        system->active[i]->memoryCount = 0;
    for (int i = 0; i < system->contactCount; ++i)
    {
        const RigidContact *c = &system->contact[i];
        RigidBody *keeper = keeperOf(c);
        bool rebounds = c->hits && c->restitution > 0;
        if (!(c->lambda > 0) || rebounds || keeper->memoryCount == RIGID_MEMORY)
            continue;
        keeper->memory[keeper->memoryCount++] = (RigidMemory){ .partner = keeper == c->a ? c->b->id : c->a->id,
                                                               .shapeA = c->shapeA,
                                                               .shapeB = c->shapeB,
                                                               .feature = c->feature,
                                                               .place = c->localA,
                                                               .force = vecScale(1 / h, c->whole),
                                                               .couple = vecScale(1 / h, c->couple),
                                                               .sum = c->sum / h,
                                                               .slip = c->slip,
                                                               .turn = c->turn };
    }
}
