// What derives from a mesh is made once and shared by all bodies of a world that use it.
#include "world/world.h"

static void blueprintFree(World *world, Blueprint *blueprint)
{
    graphDestroy(blueprint->graph);
    symbolicDestroy(blueprint->symbolic);
    frontTreeDestroy(blueprint->tree);
    meshRelease(blueprint->mesh);
    memoryRelease(&world->memory, blueprint);
}

bool blueprintComplete(World *world, Blueprint *blueprint)
{
    bool prefactored = methodIsPrefactored(&world->method);
    if (prefactored && blueprint->tree == NULL)
        blueprint->tree = frontTreeCreate(&world->memory, blueprint->graph, blueprint->mesh->point);
    bool factored = !prefactored && !world->method.solver->iterative;
    if (factored && blueprint->symbolic == NULL)
        blueprint->symbolic = symbolicCreate(&world->memory, blueprint->graph);
    return (!prefactored || blueprint->tree != NULL) && (!factored || blueprint->symbolic != NULL);
}

Blueprint *blueprintAcquire(World *world, vvMesh *mesh)
{
    for (Blueprint *b = world->blueprints; b != NULL; b = b->next)
    {
        if (b->mesh == mesh)
        {
            b->references += 1;
            return b;
        }
    }
    Blueprint *blueprint = ALLOCATE(&world->memory, Blueprint, 1);
    if (blueprint == NULL)
        return NULL;
    meshRetain(mesh);
    *blueprint = (Blueprint){ .mesh = mesh, .references = 1 };
    blueprint->graph = graphCreate(&world->memory, mesh->vertexCount, mesh->pair, mesh->pairCount);
    if (blueprint->graph == NULL || !blueprintComplete(world, blueprint))
    {
        blueprintFree(world, blueprint);
        return NULL;
    }
    blueprint->next = world->blueprints;
    world->blueprints = blueprint;
    return blueprint;
}

void blueprintRelease(World *world, Blueprint *blueprint)
{
    if (blueprint == NULL || --blueprint->references > 0)
        return;
    Blueprint **link = &world->blueprints;
    while (*link != blueprint)
        link = &(*link)->next;
    *link = blueprint->next;
    blueprintFree(world, blueprint);
}
