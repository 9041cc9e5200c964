// The pair contacts of a step: boxes first, then every vertex of meshes that come near each other; then what matrices
// must hold.
#include "contact/soft.h"

#include <string.h>

#define PATIENCE 3 // steps a diagonal stays larger than needed
#define TASKS 64

// ---- what matrices must hold ----------------------------------------------------------------------------------------

// w c c^T of a pair lies below the diagonal w |c_a| sum |c|, and the shares sum to 2
static void addLoads(CollisionMesh *own, CollisionMesh *const *collisionMeshes)
{
    for (int i = 0; own->contactCount > 0 && !own->hard && i < own->surfaceCount * PAIR_CONTACTS; ++i)
    {
        const PairContact *pairContact = &own->pairContact[i];
        if (pairContact->other < 0)
            continue;
        CollisionMesh *other = collisionMeshes[pairContact->other];
        own->load[own->vertex[i / PAIR_CONTACTS]] += 2 * pairContact->weight;
        for (int k = 0; k < 3; ++k)
            other->load[other->triangle[3 * (ptrdiff_t)pairContact->triangle + k]] +=
                2 * pairContact->weight * pairContact->share[k];
    }
}

// rounded up to one of four numbers per octave; whole octaves change less often, but what is too much slows the solver:
// the energy of two thrown cubes was off by 8 % after 10 iterations instead of 0.6 %
static double roundUp(double value)
{
    if (!(value > 0))
        return 0;
    int exponent;
    double mantissa = frexp(value, &exponent); // 0.5 to 1
    return ldexp(ceil(8 * mantissa) / 8, exponent);
}

// up at once, down after some steps: most steps change nothing, and nothing is ever missing
static void holdLoads(CollisionMesh *collisionMesh)
{
    for (int v = 0; v < collisionMesh->vertexCount; ++v)
    {
        double needed = roundUp(collisionMesh->load[v]);
        bool wait = needed < collisionMesh->held[v] && collisionMesh->patience[v] < PATIENCE;
        collisionMesh->patience[v] = (unsigned char)(wait ? collisionMesh->patience[v] + 1 : 0);
        collisionMesh->held[v] = wait ? collisionMesh->held[v] : needed;
    }
}

// ---- the search -----------------------------------------------------------------------------------------------------

typedef struct Run
{
    const PairSearch *search;
    bool listed; // the broad phase had memory
} Run;

static CollisionMesh *next(const PairSearch *search, int *slot)
{
    while (*slot < search->slotCount && search->mesh[*slot] == NULL)
        *slot += TASKS;
    return *slot < search->slotCount ? search->mesh[*slot] : NULL;
}

// slots task, task + TASKS ...
static void measureTask(void *context, int task)
{
    const Run *run = context;
    for (int slot = task; next(run->search, &slot) != NULL; slot += TASKS)
    {
        CollisionMesh *mesh = run->search->mesh[slot];
        collisionMeshRefit(mesh);
        pairsMeasure(run->search, mesh);
        memset(mesh->load, 0, (size_t)mesh->vertexCount * sizeof(double));
        mesh->stirred = false;
    }
}

static bool holdsOn(const CollisionMesh *mesh, int slot)
{
    for (int i = 0; i < mesh->surfaceCount * PAIR_CONTACTS; ++i)
    {
        if (mesh->pairContact[i].other == slot)
            return true;
    }
    return false;
}

static bool takesPart(const Run *run, int slot, const int *other, int count)
{
    const PairSearch *search = run->search;
    const CollisionMesh *mesh = search->mesh[slot];
    if (search->around < 0)
        return !mesh->asleep || mesh->stirred;
    bool near = slot == search->around || holdsOn(mesh, search->around);
    for (int i = 0; i < count && !near; ++i)
        near = other[i] == search->around;
    return near || !run->listed;
}

static void searchTask(void *context, int task)
{
    const Run *run = context;
    const Broad *broad = run->search->broad;
    for (int slot = task; next(run->search, &slot) != NULL; slot += TASKS)
    {
        CollisionMesh *mesh = run->search->mesh[slot];
        const int *other = run->listed ? broad->other + broad->start[slot] : NULL;
        int count = run->listed ? broad->start[slot + 1] - broad->start[slot] : run->search->slotCount;
        if (count == 0 && mesh->contactCount == 0)
            continue;
        bool part = takesPart(run, slot, other, count);
        for (int i = 0; part && i < mesh->surfaceCount; ++i)
            pairsSearchVertex(run->search, mesh, other, count, i);
        collisionMeshCount(mesh);
    }
}

int pairsSearch(const PairSearch *search)
{
    Run run = { .search = search };
    int count = 0;
    workersRun(search->workers, TASKS, measureTask, &run);
    run.listed = broadSearch(search->broad, search->memory, search->mesh, search->slotCount);
    workersRun(search->workers, TASKS, searchTask, &run);
    for (int slot = 0; slot < search->slotCount; ++slot)
    {
        if (search->mesh[slot] == NULL)
            continue;
        addLoads(search->mesh[slot], search->mesh);
        count += search->mesh[slot]->contactCount;
    }
    for (int slot = 0; slot < search->slotCount; ++slot)
    {
        if (search->mesh[slot] != NULL)
            holdLoads(search->mesh[slot]);
    }
    return count;
}
