// What derives from a mesh is made once and shared by all bodies of a world that use it.
#include "world/world.h"

static void blueprintFree(World *world, Blueprint *blueprint)
{
    graphDestroy(blueprint->graph);
    frontTreeDestroy(blueprint->blocks);
    frontTreeDestroy(blueprint->tree);
    meshRelease(blueprint->mesh);
    memoryRelease(&world->memory, blueprint);
}

bool blueprintComplete(World *world, Blueprint *blueprint)
{
    Matrices matrices = methodMatrices(&world->method);
    bool prefactored = matrices == MATRICES_PREFACTORS;
    if (prefactored && blueprint->tree == NULL)
        blueprint->tree = frontTreeCreate(&world->memory, blueprint->graph, blueprint->mesh->point);
    bool factored = matrices == MATRICES_NEWTON && !world->method.solver->iterative;
    if (factored && blueprint->blocks == NULL)
        blueprint->blocks = frontTreeCreateBlocks(&world->memory, blueprint->graph, blueprint->mesh->point);
    return (!prefactored || blueprint->tree != NULL) && (!factored || blueprint->blocks != NULL);
}

void blueprintReduce(World *world, Blueprint *blueprint)
{
    Matrices matrices = methodMatrices(&world->method);
    if (matrices != MATRICES_PREFACTORS)
    {
        frontTreeDestroy(blueprint->tree);
        blueprint->tree = NULL;
    }
    if (matrices != MATRICES_NEWTON)
    {
        frontTreeDestroy(blueprint->blocks);
        blueprint->blocks = NULL;
    }
}

// the graph of the mesh, with the pairs of more elements
static Graph *createGraph(Memory *memory, const vvMesh *mesh, const Stencils *stencils)
{
    if (stencils->count == 0)
        return graphCreate(memory, mesh->vertexCount, mesh->pair, mesh->pairCount);
    int *pair = NULL, count = 0;
    Graph *graph = NULL;
    if (meshJoinedPairs(mesh, memory, stencils->corner, stencils->count, MAX_CORNERS, &pair, &count))
        graph = graphCreate(memory, mesh->vertexCount, pair, count);
    memoryRelease(memory, pair);
    return graph;
}

Blueprint *blueprintAcquire(World *world, vvMesh *mesh, const Stencils *stencils)
{
    for (Blueprint *b = world->blueprints; b != NULL && stencils->shared; b = b->next)
    {
        if (b->mesh == mesh && b->shared && b->reach == stencils->reach)
        {
            b->references += 1;
            return b;
        }
    }
    Blueprint *blueprint = ALLOCATE(&world->memory, Blueprint, 1);
    if (blueprint == NULL)
        return NULL;
    meshRetain(mesh);
    *blueprint = (Blueprint){ .mesh = mesh, .references = 1, .reach = stencils->reach, .shared = stencils->shared };
    blueprint->graph = createGraph(&world->memory, mesh, stencils);
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
