// What derives from a mesh is made once and shared by all bodies of a world that use it.
#include "world/world.h"

#include <string.h>

static void dropBase(World *world, Blueprint *blueprint)
{
    blueprintRelease(world, blueprint->base);
    memoryRelease(&world->memory, blueprint->origin);
    blueprint->base = NULL;
    blueprint->origin = NULL;
}

static void blueprintFree(World *world, Blueprint *blueprint)
{
    dropBase(world, blueprint);
    graphDestroy(blueprint->graph);
    frontTreeDestroy(blueprint->blocks);
    frontTreeDestroy(blueprint->tree);
    meshRelease(blueprint->mesh);
    memoryRelease(&world->memory, blueprint);
}

// in the order of the base
static bool inherit(World *world, Blueprint *blueprint, bool prefactored, bool factored)
{
    const Blueprint *base = blueprint->base;
    Memory *memory = &world->memory;
    if (!blueprintComplete(world, blueprint->base))
        return false;
    if (prefactored && blueprint->tree == NULL)
        blueprint->tree = frontTreeInherit(memory, blueprint->graph, base->tree, blueprint->origin);
    if (factored && blueprint->blocks == NULL)
        blueprint->blocks = frontTreeInherit(memory, blueprint->graph, base->blocks, blueprint->origin);
    if ((prefactored && blueprint->tree == NULL) || (factored && blueprint->blocks == NULL))
        dropBase(world, blueprint);
    return true;
}

bool blueprintComplete(World *world, Blueprint *blueprint)
{
    Matrices matrices = methodMatrices(&world->method);
    bool prefactored = matrices == MATRICES_PREFACTORS;
    bool factored = matrices == MATRICES_NEWTON && !world->method.solver->iterative;
    if (blueprint->base != NULL && !inherit(world, blueprint, prefactored, factored))
        return false;
    if (prefactored && blueprint->tree == NULL)
        blueprint->tree = frontTreeCreate(&world->memory, blueprint->graph, blueprint->mesh->point);
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

// ---- the graph ------------------------------------------------------------------------------------------------------

// corners of elements with a touched one, of the former mesh by its graph
static void markRenewed(const Graph *former, const vvMesh *mesh, const Stencils *stencils, const bool *touched,
                        bool *renewed)
{
    graphMarkNeighbours(former, touched, renewed);
    for (int k = 0; k < 2 * mesh->pairCount; k += 2)
    {
        if (touched[mesh->pair[k]] || touched[mesh->pair[k + 1]])
            renewed[mesh->pair[k]] = renewed[mesh->pair[k + 1]] = true;
    }
    for (int k = 0; k < stencils->count; ++k)
    {
        const int *corner = stencils->corner + (ptrdiff_t)k * MAX_CORNERS;
        bool near = false;
        for (int c = 0; c < MAX_CORNERS; ++c)
            near |= touched[corner[c]];
        for (int c = 0; c < MAX_CORNERS && near; ++c)
            renewed[corner[c]] = true;
    }
}

// pairs of renewed vertices; `pair` NULL: how many numbers they are
static int listRenewed(const vvMesh *mesh, const Stencils *stencils, const bool *renewed, int *pair)
{
    int count = 0;
    for (int k = 0; k < 2 * mesh->pairCount; k += 2)
    {
        if (!renewed[mesh->pair[k]] || !renewed[mesh->pair[k + 1]])
            continue;
        if (pair != NULL)
            memcpy(pair + count, mesh->pair + k, 2 * sizeof(int));
        count += 2;
    }
    for (int k = 0; k < stencils->count; ++k)
    {
        const int *corner = stencils->corner + (ptrdiff_t)k * MAX_CORNERS;
        for (int i = 0; i < MAX_CORNERS * MAX_CORNERS; ++i)
        {
            int a = corner[i / MAX_CORNERS], b = corner[i % MAX_CORNERS];
            if (!renewed[a])
            {
                i += MAX_CORNERS - 1 - i % MAX_CORNERS; // the next row
                continue;
            }
            if (a <= b || !renewed[b])
                continue;
            if (pair != NULL)
            {
                pair[count] = a;
                pair[count + 1] = b;
            }
            count += 2;
        }
    }
    return count;
}

// from the graph before a change of the mesh; NULL: there is none like it, or no memory
static Graph *inheritGraph(Memory *memory, const vvMesh *mesh, const Stencils *stencils, const Heritage *heritage)
{
    const Blueprint *before = heritage != NULL && heritage->touched != NULL ? heritage->former->blueprint : NULL;
    if (before == NULL || before->reach != stencils->reach || before->shared != stencils->shared)
        return NULL;
    Graph *graph = NULL;
    int *pair = NULL;
    bool *renewed = ALLOCATE(memory, bool, mesh->vertexCount);
    if (renewed != NULL)
    {
        markRenewed(before->graph, mesh, stencils, heritage->touched, renewed);
        int count = listRenewed(mesh, stencils, renewed, NULL);
        pair = ALLOCATE(memory, int, count + 1);
        if (pair != NULL)
        {
            listRenewed(mesh, stencils, renewed, pair);
            graph = graphInherit(memory, before->graph, renewed, mesh->vertexCount, pair, count / 2);
        }
    }
    memoryRelease(memory, pair);
    memoryRelease(memory, renewed);
    return graph;
}

// the graph of the mesh, with the pairs of more elements
static Graph *createGraph(Memory *memory, const vvMesh *mesh, const Stencils *stencils, const Heritage *heritage)
{
    Graph *inherited = inheritGraph(memory, mesh, stencils, heritage);
    if (inherited != NULL)
        return inherited;
    if (stencils->count == 0)
        return graphCreate(memory, mesh->vertexCount, mesh->pair, mesh->pairCount);
    int *pair = NULL, count = 0;
    Graph *graph = NULL;
    if (meshJoinedPairs(mesh, memory, stencils->corner, stencils->count, MAX_CORNERS, &pair, &count))
        graph = graphCreate(memory, mesh->vertexCount, pair, count);
    memoryRelease(memory, pair);
    return graph;
}

static bool takeHeritage(World *world, Blueprint *blueprint, const Heritage *heritage)
{
    blueprint->origin = ALLOCATE(&world->memory, int, blueprint->mesh->vertexCount);
    if (blueprint->origin == NULL)
        return false;
    memcpy(blueprint->origin, heritage->origin, (size_t)blueprint->mesh->vertexCount * sizeof(int));
    blueprint->base = heritage->base;
    blueprint->base->references += 1;
    return true;
}

Blueprint *blueprintAcquire(World *world, vvMesh *mesh, const Stencils *stencils, const Heritage *heritage)
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
    blueprint->graph = createGraph(&world->memory, mesh, stencils, heritage);
    bool enough = blueprint->graph != NULL && (heritage == NULL || takeHeritage(world, blueprint, heritage));
    if (!enough || !blueprintComplete(world, blueprint))
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
