#include "mesh/build.h"

// ---- pairs ----------------------------------------------------------------------------------------------------------

#define MAX_SETS 3

// the elements of a set at each vertex: element[start[v] .. start[v + 1])
typedef struct Incidence
{
    int *start;   // vertexCount + 1
    int *element; // count x width
} Incidence;

static bool incidenceMake(Memory *memory, Incidence *incidence, const ElementSet *set, int vertexCount)
{
    int corners = set->count * set->width;
    incidence->start = ALLOCATE(memory, int, vertexCount + 2);
    incidence->element = ALLOCATE(memory, int, corners);
    if (incidence->start == NULL || incidence->element == NULL)
        return false;
    // counts sit two places up, so that filling leaves every start where it belongs
    int *next = incidence->start + 1;
    for (int i = 0; i < corners; ++i)
        next[set->corner[i] + 1] += 1;
    for (int v = 0; v < vertexCount; ++v)
        next[v + 1] += next[v];
    for (int i = 0; i < corners; ++i)
        incidence->element[next[set->corner[i]]++] = i / set->width;
    return true;
}

// What a walk over all pairs needs. The walk meets the lower neighbours of every vertex, vertices ascending, so each
// lower vertex gets its partners in ascending order and nothing has to be sorted.
typedef struct PairWalk
{
    const ElementSet *sets;
    Incidence incidence[MAX_SETS];
    int setCount, vertexCount;
    int *mark; // vertexCount: the last vertex that met this one
    int *next; // vertexCount + 1: pairs of this lower vertex so far, or where its next one goes
    int *pair; // NULL: only count
} PairWalk;

static void walkElement(PairWalk *walk, const int *corner, int width, int vertex, int stamp)
{
    for (int c = 0; c < width; ++c)
    {
        int lower = corner[c];
        if (lower >= vertex || walk->mark[lower] == stamp)
            continue;
        walk->mark[lower] = stamp;
        int place = walk->next[lower]++;
        if (walk->pair != NULL)
        {
            walk->pair[2 * (size_t)place] = lower;
            walk->pair[2 * (size_t)place + 1] = vertex;
        }
    }
}

static void walkPairs(PairWalk *walk, int firstStamp)
{
    for (int v = 0; v < walk->vertexCount; ++v)
    {
        for (int s = 0; s < walk->setCount; ++s)
        {
            const ElementSet *set = &walk->sets[s];
            const Incidence *incidence = &walk->incidence[s];
            for (int i = incidence->start[v]; i < incidence->start[v + 1]; ++i)
            {
                const int *corner = set->corner + (size_t)incidence->element[i] * (size_t)set->width;
                walkElement(walk, corner, set->width, v, firstStamp + v);
            }
        }
    }
}

bool collectPairs(Memory *memory, const ElementSet *sets, int setCount, int vertexCount, int **pair, int *pairCount)
{
    ASSERT(setCount <= MAX_SETS, "there are tets, triangles and edges, no fourth kind of element");
    PairWalk walk = { .sets = sets, .setCount = setCount, .vertexCount = vertexCount };
    walk.mark = ALLOCATE(memory, int, vertexCount);
    walk.next = ALLOCATE(memory, int, vertexCount + 1);
    bool ok = walk.mark != NULL && walk.next != NULL;
    for (int s = 0; s < setCount && ok; ++s)
        ok = incidenceMake(memory, &walk.incidence[s], &sets[s], vertexCount);
    if (ok)
    {
        // count the pairs of each lower vertex, turn counts into places, then write
        walkPairs(&walk, 1);
        int total = 0;
        for (int v = 0; v < vertexCount; ++v)
        {
            int count = walk.next[v];
            walk.next[v] = total;
            total += count;
        }
        *pairCount = total;
        *pair = walk.pair = ALLOCATE(memory, int, 2 * (size_t)total);
        ok = walk.pair != NULL;
        if (ok)
            walkPairs(&walk, 1 + vertexCount);
    }
    for (int s = 0; s < setCount; ++s)
    {
        memoryRelease(memory, walk.incidence[s].start);
        memoryRelease(memory, walk.incidence[s].element);
    }
    memoryRelease(memory, walk.mark);
    memoryRelease(memory, walk.next);
    return ok;
}

// ---- boundary -------------------------------------------------------------------------------------------------------

// the face opposite each corner, wound outward where the volume is positive
static const int faceCorner[4][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 } };

static void swapInts(int *a, int *b)
{
    int c = *a;
    *a = *b;
    *b = c;
}

// sorts three vertices; true if that took an odd number of swaps
static bool sortFace(int *v)
{
    bool odd = false;
    for (int i = 0; i < 3; ++i)
    {
        int j = i == 1 ? 1 : 0; // 0-1, 1-2, 0-1
        if (v[j] > v[j + 1])
        {
            swapInts(&v[j], &v[j + 1]);
            odd = !odd;
        }
    }
    return odd;
}

typedef struct FaceTable
{
    int *key;   // faces x 3, sorted vertices
    bool *odd;  // faces: the sorted vertices wind inward
    int *order; // faces, by key
} FaceTable;

static void fillFaces(FaceTable *table, const int *tet, int tetCount)
{
    for (int f = 0; f < 4 * tetCount; ++f)
    {
        int *key = table->key + 3 * (size_t)f;
        for (int c = 0; c < 3; ++c)
            key[c] = tet[4 * (f / 4) + faceCorner[f % 4][c]];
        table->odd[f] = sortFace(key);
    }
}

static bool sameFace(const FaceTable *table, int a, int b)
{
    const int *p = table->key + 3 * (size_t)table->order[a], *q = table->key + 3 * (size_t)table->order[b];
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

// two faces of a run of equal ones that wind the same way
static vvResult overlapFault(const FaceTable *table, int first, Naming *naming)
{
    const int *order = table->order + first;
    int other = table->odd[order[0]] == table->odd[order[1]] ? 1 : 2;
    int fellow = other == 2 && table->odd[order[1]] == table->odd[order[2]] ? 1 : 0;
    const int *v = table->key + 3 * (size_t)order[0];
    naming->width = 4;
    naming->number = order[other] / 4;
    return resultMake(VV_BAD_INPUT, "remove one of the two: tets may share a face only from opposite sides",
                      "tets %d and %d overlap: both lie on the same side of the face of points %lld, %lld and %lld",
                      naming->first + order[fellow] / 4, naming->first + order[other] / 4, pointName(naming, v[0]),
                      pointName(naming, v[1]), pointName(naming, v[2]));
}

// keeps the numbers of the single faces at the front of `order`
static vvResult keepSingles(FaceTable *table, int faces, Naming *naming, int *singles)
{
    int kept = 0;
    for (int i = 0; i < faces;)
    {
        int end = i + 1;
        while (end < faces && sameFace(table, i, end))
            ++end;
        int first = table->order[i];
        if (end - i > 2 || (end - i == 2 && table->odd[first] == table->odd[table->order[i + 1]]))
            return overlapFault(table, i, naming);
        if (end - i == 1)
            table->order[kept++] = first;
        i = end;
    }
    *singles = kept;
    return resultOk();
}

static int *copySingles(Memory *memory, const FaceTable *table, int singles)
{
    int *face = ALLOCATE(memory, int, 3 * (size_t)singles);
    for (int i = 0; i < singles && face != NULL; ++i)
    {
        const int *key = table->key + 3 * (size_t)table->order[i];
        bool odd = table->odd[table->order[i]];
        face[3 * i] = key[0];
        face[3 * i + 1] = odd ? key[2] : key[1];
        face[3 * i + 2] = odd ? key[1] : key[2];
    }
    return face;
}

vvResult collectBoundary(Memory *memory, const int *tet, int tetCount, int vertexCount, Naming *naming, int **face,
                         int *faceCount)
{
    int faces = 4 * tetCount;
    FaceTable table = { ALLOCATE(memory, int, 3 * (size_t)faces), ALLOCATE(memory, bool, faces),
                        ALLOCATE(memory, int, faces) };
    vvResult result = resultOutOfMemory("the surface of a mesh");
    if (table.key != NULL && table.odd != NULL && table.order != NULL)
    {
        fillFaces(&table, tet, tetCount);
        if (sortTuples(memory, table.key, faces, 3, vertexCount, table.order))
        {
            vvResult kept = keepSingles(&table, faces, naming, faceCount);
            if (kept.code == VV_OK)
                *face = copySingles(memory, &table, *faceCount);
            if (kept.code != VV_OK || *face != NULL)
                result = kept;
        }
    }
    memoryRelease(memory, table.key);
    memoryRelease(memory, table.odd);
    memoryRelease(memory, table.order);
    return result;
}
