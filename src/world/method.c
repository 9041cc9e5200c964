// Another method for a world that is under way.
#include "world/world.h"

#include <string.h>

vvResult worldReadyFor(World *world, const Integrator *integrator)
{
    const Method before = world->method;
    Method other = world->method;
    other.integrator = integrator;
    vvResult result = resultOk();
    for (const Body *body = world->firstBody; body != NULL && result.code == VV_OK; body = body->next)
        result = checkShapes(integrator, bodyMatchesShape(body));
    if (result.code != VV_OK)
        return result;
    if (!stateReservePast(world, &other))
        return resultOutOfMemory("what a method keeps");
    world->method = other;
    bool ok = true;
    for (Body *body = world->firstBody; body != NULL && ok; body = body->next)
        ok = bodyCreateMatrix(body);
    world->method = before;
    if (!ok)
        worldReduce(world);
    return ok ? resultOk() : resultOutOfMemory("the matrices of another method");
}

void worldReduce(World *world)
{
    for (Body *body = world->firstBody; body != NULL; body = body->next)
        bodyReduceMatrix(body);
    for (Blueprint *blueprint = world->blueprints; blueprint != NULL; blueprint = blueprint->next)
        blueprintReduce(world, blueprint);
}

void worldTakeMethod(World *world, const Integrator *integrator)
{
    Matrices before = methodMatrices(&world->method);
    world->method.integrator = integrator;
    if (methodMatrices(&world->method) == before)
        return;
    worldReduce(world);
    world->systemsStale = true;
}

vvResult vvWorld_SetMethod(vvWorldId id, const char *method)
{
    World *world = worldOpen(id);
    if (world == NULL)
        return refused("world");
    Method other = world->method;
    vvResult result = integratorNamed(method, &other.integrator);
    if (result.code != VV_OK || other.integrator == world->method.integrator)
        return result;
    bool slide = false;
    for (int v = 0; v < world->state.count; ++v)
        slide |= slides(&world->state, v);
    if (slide && methodSlideObstacle(&other) != NULL)
        return resultMake(VV_BAD_INPUT, "unpin them first, or take a method like \"implicit-midpoint\"",
                          "%s does not know vertices that slide", method);
    result = worldReadyFor(world, other.integrator);
    if (result.code != VV_OK)
        return result;
    worldTakeMethod(world, other.integrator);
    for (Body *body = world->firstBody; body != NULL; body = body->next)
        body->step.recall = (Recall){ .number = { 0 } };
    return result;
}
