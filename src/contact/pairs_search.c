// The pair contacts of a step: boxes first, then every vertex of meshes that come near each other; then what matrices
// must hold.
#include "contact/proximity.h"

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
        if (own->partner[i] < 0)
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
    int last;    // slot of a mesh
    int first;   // number of the first task of this run
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
        if (mesh->hard)
        {
            featuresRefit(mesh->features, NULL);
            flatFindAlone(mesh);
        }
        memset(mesh->load, 0, (size_t)mesh->vertexCount * sizeof(double));
        mesh->stirred = false;
    }
}

static const int *othersOf(const Run *run, int slot) // NULL: all
{
    return run->listed ? run->search->broad->other + run->search->broad->start[slot] : NULL;
}

static int countOthers(const Run *run, int slot)
{
    const int *start = run->search->broad->start;
    return run->listed ? start[slot + 1] - start[slot] : run->search->slotCount;
}

static bool holdsOn(const CollisionMesh *mesh, int slot)
{
    for (int i = 0; i < mesh->surfaceCount * PAIR_CONTACTS; ++i)
    {
        if (mesh->partner[i] == slot)
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

// who takes part has its surface cut into pieces, numbered one mesh after the other; returns how many there are
static int numberPieces(Run *run)
{
    const PairSearch *search = run->search;
    int count = 0;
    for (int slot = 0; slot < search->slotCount; ++slot)
    {
        CollisionMesh *mesh = search->mesh[slot];
        if (mesh == NULL)
            continue;
        const int *other = othersOf(run, slot);
        mesh->firstPiece = count;
        bool part = countOthers(run, slot) > 0 || mesh->contactCount > 0;
        if (part && takesPart(run, slot, other, countOthers(run, slot)))
            count += (mesh->surfaceCount + PAIR_PIECE - 1) / PAIR_PIECE;
        run->last = slot;
    }
    return count;
}

// the last mesh that begins at or before a piece: those before it without pieces have the same number
static int slotOf(const Run *run, int piece)
{
    const PairSearch *search = run->search;
    int low = 0, high = run->last + 1;
    while (high - low > 1)
    {
        int middle = low + (high - low) / 2, slot = middle;
        while (slot < high && search->mesh[slot] == NULL)
            slot += 1;
        if (slot < high && search->mesh[slot]->firstPiece <= piece)
            low = slot;
        else
            high = middle;
    }
    while (search->mesh[low] == NULL)
        low += 1;
    return low;
}

static void searchTask(void *context, int task)
{
    const Run *run = context;
    int piece = run->first + task, slot = slotOf(run, piece);
    CollisionMesh *mesh = run->search->mesh[slot];
    int begin = (piece - mesh->firstPiece) * PAIR_PIECE, end = minInt(begin + PAIR_PIECE, mesh->surfaceCount);
    double released = 0;
    int found = 0;
    for (int i = begin; i < end; ++i)
        released += pairsSearchVertex(run->search, mesh, othersOf(run, slot), countOthers(run, slot), i, &found);
    mesh->pieceReleased[piece - mesh->firstPiece] = released;
    mesh->pieceCount[piece - mesh->firstPiece] = found;
}

// once all pieces are done; returns how many contacts there are
static int closePieces(const Run *run, int pieceCount)
{
    const PairSearch *search = run->search;
    int count = 0;
    for (int slot = search->slotCount - 1, end = pieceCount; slot >= 0; --slot)
    {
        CollisionMesh *mesh = search->mesh[slot];
        if (mesh == NULL)
            continue;
        mesh->contactCount = end > mesh->firstPiece ? 0 : mesh->contactCount;
        for (int k = 0; k < end - mesh->firstPiece; ++k)
        {
            mesh->released += mesh->pieceReleased[k];
            mesh->contactCount += mesh->pieceCount[k];
        }
        end = mesh->firstPiece;
        count += mesh->contactCount;
    }
    return count;
}

// ---- who is near ----------------------------------------------------------------------------------------------------

typedef struct TwoBodies
{
    const Features *a, *b;
} TwoBodies;

static bool facetsMeet(void *context, int leafA, int leafB)
{
    const TwoBodies *two = context;
    BoxPair pair[FEATURES_LEAF * FEATURES_LEAF];
    return featuresPairs(two->a, leafA, FEATURE_FACET, two->b, leafB, FEATURE_FACET, false, 0, pair) > 0;
}

static int firstOf(const PairSearch *search, int slot)
{
    while (search->mesh[slot]->together != slot)
        slot = search->mesh[slot]->together;
    return slot;
}

// whether their edges and triangles may meet, as far as boxes tell; what sleeps stays as it was
static bool comeNear(const CollisionMesh *a, const CollisionMesh *b)
{
    if (a->asleep && b->asleep && !a->stirred && !b->stirred)
        return a->markedTogether >= 0 && a->markedTogether == b->markedTogether;
    TwoBodies two = { a->features, b->features };
    return featuresMeet(two.a, two.b, false, false, facetsMeet, &two);
}

// Edges may meet where no vertex meets a triangle: such bodies belong to one island too. After marks.
static void joinNear(const Run *run)
{
    const PairSearch *search = run->search;
    const Broad *broad = search->broad;
    for (int slot = 0; slot < search->slotCount; ++slot)
    {
        if (search->mesh[slot] != NULL)
            search->mesh[slot]->together = search->mesh[slot]->hard ? slot : -1;
    }
    for (int slot = 0; slot < search->slotCount; ++slot)
    {
        if (search->mesh[slot] == NULL || !search->mesh[slot]->hard)
            continue;
        for (int i = broad->start[slot]; i < broad->start[slot + 1]; ++i)
        {
            int a = firstOf(search, slot), b = broad->other[i] > slot ? firstOf(search, broad->other[i]) : a;
            if (a != b && comeNear(search->mesh[slot], search->mesh[broad->other[i]]))
                search->mesh[maxInt(a, b)]->together = minInt(a, b);
        }
    }
    for (int slot = 0; slot < search->slotCount; ++slot)
    {
        if (search->mesh[slot] != NULL && search->mesh[slot]->hard)
            search->mesh[slot]->together = firstOf(search, slot);
    }
}

int pairsSearch(const PairSearch *search)
{
    Run run = { .search = search };
    workersRun(search->workers, TASKS, measureTask, &run);
    run.listed = broadSearch(search->broad, search->memory, search->mesh, search->slotCount);
    int pieces = numberPieces(&run);
    for (; run.first < pieces; run.first += WORKERS_MOST_TASKS)
        workersRun(search->workers, minInt(pieces - run.first, WORKERS_MOST_TASKS), searchTask, &run);
    int count = closePieces(&run, pieces);
    if (run.listed && search->h > 0)
        joinNear(&run);
    for (int slot = 0; slot < search->slotCount; ++slot)
    {
        if (search->mesh[slot] != NULL)
            addLoads(search->mesh[slot], search->mesh);
    }
    for (int slot = 0; slot < search->slotCount; ++slot)
    {
        if (search->mesh[slot] != NULL)
            holdLoads(search->mesh[slot]);
    }
    return count;
}
