#include "mesh/mend.h"
#include "mesh/repair.h"

// A rim is a ring of open half edges, each starting where the one before ends.
typedef struct Rims
{
    MeshArrays *arrays;
    int *neighbour; // half edges
    int *from;      // pointCount: 1 + the open half edge that starts at a point; 0: none, -1: several
    bool *seen;     // half edges
    int *ring;      // half edges of one rim
} Rims;

static int ringLength(Rims *r, int start)
{
    const int *triangle = r->arrays->triangle;
    int length = 0;
    for (int half = start; half >= 0 && !r->seen[half];)
    {
        r->seen[half] = true;
        r->ring[length++] = half;
        half = r->from[triangle[halfNext(half)]] - 1;
        if (half == start)
            return length;
    }
    return 0; // two rims that share a point, or one that was seen
}

// room for a face at every open edge, and for no more middles than that
static bool grow(MeshArrays *arrays, int open)
{
    size_t points = 3 * (size_t)arrays->pointCount, corners = 3 * (size_t)arrays->triangleCount,
           more = 3 * (size_t)open;
    return memoryGrow(arrays->memory, (void **)&arrays->point, points, points + more, sizeof(double)) &&
           memoryGrow(arrays->memory, (void **)&arrays->triangle, corners, corners + more, sizeof(int));
}

static void addFace(MeshArrays *arrays, int a, int b, int c)
{
    int *corner = arrays->triangle + 3 * (size_t)arrays->triangleCount++;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
}

static void closeRing(Rims *r, int length)
{
    MeshArrays *arrays = r->arrays;
    const int *triangle = arrays->triangle;
    if (length == 3)
    {
        addFace(arrays, triangle[r->ring[2]], triangle[r->ring[1]], triangle[r->ring[0]]);
        return;
    }
    Vec3 middle = vec3(0, 0, 0);
    for (int i = 0; i < length; ++i)
        middle = vecAdd(middle, vecScale(1.0 / length, cornerPoint(arrays->point, triangle[r->ring[i]])));
    int centre = arrays->pointCount++;
    vecStore(arrays->point + 3 * (size_t)centre, middle);
    for (int i = 0; i < length; ++i)
        addFace(arrays, triangle[halfNext(r->ring[i])], triangle[r->ring[i]], centre);
}

static void closeRims(Rims *r, int halves, int most, int *holes, int *closed)
{
    for (int h = 0; h < halves; ++h)
    {
        if (r->neighbour[h] != HALF_OPEN || r->seen[h])
            continue;
        int length = ringLength(r, h);
        *holes += 1;
        if (length < 3 || length > most)
            continue;
        *closed += 1;
        closeRing(r, length);
    }
}

bool mendHoles(MeshArrays *arrays, int most, int *holes, int *closed)
{
    Memory *memory = arrays->memory;
    int halves = 3 * arrays->triangleCount, open, crowded;
    Rims r = { .arrays = arrays };
    r.neighbour = ALLOCATE(memory, int, halves);
    r.from = ALLOCATE(memory, int, arrays->pointCount);
    r.seen = ALLOCATE(memory, bool, halves);
    r.ring = ALLOCATE(memory, int, halves);
    bool ok = r.neighbour != NULL && r.from != NULL && r.seen != NULL && r.ring != NULL &&
              repairNeighbours(memory, arrays->triangle, arrays->triangleCount, arrays->pointCount, r.neighbour, &open,
                               &crowded);
    *holes = *closed = 0;
    for (int h = 0; h < halves && ok; ++h)
    {
        int *from = &r.from[arrays->triangle[h]];
        if (r.neighbour[h] == HALF_OPEN)
            *from = *from == 0 ? h + 1 : -1;
    }
    ok = ok && grow(arrays, open);
    if (ok)
        closeRims(&r, halves, most, holes, closed);
    void *const blocks[] = { r.neighbour, r.from, r.seen, r.ring };
    for (int i = 0; i < 4; ++i)
        memoryRelease(memory, blocks[i]);
    return ok;
}
