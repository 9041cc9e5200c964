// What contacts remember from step to step: the forces that the next substep starts from, and what friction has not
// taken back yet. Without it houses of cards fall in two seconds. It is part of the state, so that its room is fixed:
// each contact is kept by the smaller of its two bodies.
#include "rigid/system.h"

static RigidBody *keeperOf(const RigidContact *c)
{
    if (!(c->a->inverseMass > 0) || !(c->b->inverseMass > 0))
        return c->a->inverseMass > 0 ? c->a : c->b;
    return c->b->radius < c->a->radius ? c->b : c->a;
}

static bool matches(const RigidMemory *memory, const RigidContact *c, const RigidBody *keeper)
{
    const RigidBody *other = keeper == c->a ? c->b : c->a;
    return memory->partner == other->id && memory->feature == c->feature && memory->shapeA == c->shapeA &&
           memory->shapeB == c->shapeB;
}

void rigidRecall(RigidSystem *system, double h)
{
    for (int i = 0; i < system->contactCount; ++i)
    {
        RigidContact *c = &system->contact[i];
        const RigidBody *keeper = keeperOf(c);
        for (int k = 0; k < keeper->memoryCount; ++k)
        {
            const RigidMemory *memory = &keeper->memory[k];
            if (!matches(memory, c, keeper))
                continue;
            c->whole = vecScale(h, memory->force);
            c->slip = memory->slip;
            c->turn = memory->turn;
            break;
        }
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
        if (!(c->lambda > 0) || c->hits || keeper->memoryCount == RIGID_MEMORY)
            continue;
        keeper->memory[keeper->memoryCount++] = (RigidMemory){ .partner = keeper == c->a ? c->b->id : c->a->id,
                                                               .shapeA = c->shapeA,
                                                               .shapeB = c->shapeB,
                                                               .feature = c->feature,
                                                               .force = vecScale(1 / h, c->whole),
                                                               .slip = c->slip,
                                                               .turn = c->turn };
    }
}
