#include "mesh/repair.h"

#include "mesh/build.h"
#include "mesh/winding.h"

#include <stdlib.h>

#define ROUNDING 1e-12 // of the largest coordinate

// ---- points at one place --------------------------------------------------------------------------------------------

// along a direction that no wall or grid of a usual mesh is at right angles to
typedef struct Place
{
    double along;
    int number;
} Place;

static int byPlace(const void *left, const void *right)
{
    const Place *a = left, *b = right;
    if (a->along != b->along)
        return a->along < b->along ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

int repairWeld(Memory *memory, const double *point, int pointCount, double distance, int *first)
{
    const Vec3 direction = { 0.6180339887, 0.5477225575, 0.5640 };
    Place *place = ALLOCATE(memory, Place, pointCount);
    if (place == NULL)
        return -1;
    for (int i = 0; i < pointCount; ++i)
    {
        place[i] = (Place){ vecDot(direction, cornerPoint(point, i)), i };
        first[i] = i;
    }
    qsort(place, (size_t)pointCount, sizeof *place, byPlace);
    int doubled = 0;
    for (int i = 1; i < pointCount; ++i)
    {
        // one that equals the last goes where that went: many at one place take no time
        Vec3 point0 = cornerPoint(point, place[i].number), point1 = cornerPoint(point, place[i - 1].number);
        bool same = point0.x == point1.x && point0.y == point1.y && point0.z == point1.z;
        if (same)
            first[place[i].number] = first[place[i - 1].number];
        for (int k = i - 1; k >= 0 && !same && place[i].along - place[k].along <= distance; --k)
        {
            // only to one that is not welded itself: chains do not grow
            int other = place[k].number, own = place[i].number;
            same = first[other] == other &&
                   vecLength(vecSub(cornerPoint(point, own), cornerPoint(point, other))) <= distance;
            if (same)
                first[own] = other;
        }
        doubled += same;
    }
    memoryRelease(memory, place);
    return doubled;
}

// ---- faces that are none, and faces twice ---------------------------------------------------------------------------

static int dropCollapsed(const int *first, int *triangle, int count)
{
    int kept = 0;
    for (int t = 0; t < count; ++t)
    {
        int a = first[triangle[3 * t]], b = first[triangle[3 * t + 1]], c = first[triangle[3 * t + 2]];
        if (a == b || b == c || c == a)
            continue;
        triangle[3 * kept] = a;
        triangle[3 * kept + 1] = b;
        triangle[3 * kept + 2] = c;
        ++kept;
    }
    return kept;
}

static bool sameTuple(const int *a, const int *b, int width)
{
    bool same = true;
    for (int i = 0; i < width; ++i)
        same = same && a[i] == b[i];
    return same;
}

// keeps the first of the faces with the same corners
static bool dropDoubled(Memory *memory, int *triangle, int *count, int pointCount)
{
    int *key = ALLOCATE(memory, int, 3 * (size_t)*count), *order = ALLOCATE(memory, int, *count);
    bool *gone = ALLOCATE(memory, bool, *count);
    bool ok = key != NULL && order != NULL && gone != NULL;
    for (int t = 0; t < *count && ok; ++t)
    {
        const int *c = triangle + 3 * (size_t)t;
        int low = minInt(c[0], minInt(c[1], c[2])), high = maxInt(c[0], maxInt(c[1], c[2]));
        key[3 * t] = low;
        key[3 * t + 1] = c[0] + c[1] + c[2] - low - high;
        key[3 * t + 2] = high;
    }
    ok = ok && sortTuples(memory, key, *count, 3, pointCount, order);
    for (int i = 1; i < *count && ok; ++i)
        gone[order[i]] = sameTuple(key + 3 * (size_t)order[i - 1], key + 3 * (size_t)order[i], 3);
    int kept = 0;
    for (int t = 0; t < *count && ok; ++t)
    {
        if (gone[t])
            continue;
        for (int i = 0; i < 3; ++i)
            triangle[3 * kept + i] = triangle[3 * t + i];
        ++kept;
    }
    *count = ok ? kept : *count;
    memoryRelease(memory, key);
    memoryRelease(memory, order);
    memoryRelease(memory, gone);
    return ok;
}

// ---- neighbours -----------------------------------------------------------------------------------------------------

typedef struct Shells
{
    const double *point;
    int *triangle; // count x 3
    int count;
    int *neighbour; // count x 3: repairNeighbours
    int *shell;     // count
    bool *turned;   // count: against the first face of its shell
    int *queue;     // count
} Shells;

static int edgeFrom(const Shells *s, int half)
{
    return s->triangle[half];
}

bool repairNeighbours(Memory *memory, const int *triangle, int count, int pointCount, int *neighbour, int *openEdges,
                      int *crowdedEdges)
{
    int halves = 3 * count;
    int *key = ALLOCATE(memory, int, 2 * (size_t)halves), *order = ALLOCATE(memory, int, halves);
    bool ok = key != NULL && order != NULL;
    for (int h = 0; h < halves && ok; ++h)
    {
        key[2 * h] = minInt(triangle[h], triangle[halfNext(h)]);
        key[2 * h + 1] = maxInt(triangle[h], triangle[halfNext(h)]);
        neighbour[h] = HALF_CROWDED;
    }
    ok = ok && sortTuples(memory, key, halves, 2, pointCount, order);
    *openEdges = *crowdedEdges = 0;
    for (int i = 0, end; i < halves && ok; i = end)
    {
        for (end = i + 1; end < halves && sameTuple(key + 2 * order[i], key + 2 * order[end], 2);)
            ++end;
        *openEdges += end - i == 1;
        *crowdedEdges += end - i > 2;
        if (end - i == 1)
            neighbour[order[i]] = HALF_OPEN;
        if (end - i != 2)
            continue;
        neighbour[order[i]] = order[i + 1];
        neighbour[order[i + 1]] = order[i];
    }
    memoryRelease(memory, key);
    memoryRelease(memory, order);
    return ok;
}

// walks over a shell from its first face, and says which faces are turned against it
static void walkShell(Shells *s, int first, int number, SurfaceRepair *repair)
{
    int head = 0, tail = 0;
    s->queue[tail++] = first;
    s->shell[first] = number;
    while (head < tail)
    {
        int t = s->queue[head++];
        for (int h = 3 * t; h < 3 * t + 3; ++h)
        {
            if (s->neighbour[h] < 0)
                continue;
            int other = s->neighbour[h] / 3;
            bool against = edgeFrom(s, h) == edgeFrom(s, s->neighbour[h]);
            if (s->shell[other] < 0)
            {
                s->shell[other] = number;
                s->turned[other] = s->turned[t] != against;
                s->queue[tail++] = other;
            }
            else if (s->turned[other] != (s->turned[t] != against) && other > t)
                repair->twistedEdges += 1;
        }
    }
}

// ---- which way round ------------------------------------------------------------------------------------------------

static void turnFace(Shells *s, int t)
{
    int swap = s->triangle[3 * t + 1];
    s->triangle[3 * t + 1] = s->triangle[3 * t + 2];
    s->triangle[3 * t + 2] = swap;
}

// what the artist drew by the greater area is right
static bool turnMinority(Memory *memory, Shells *s, SurfaceRepair *repair)
{
    double *balance = ALLOCATE(memory, double, repair->shells);
    if (balance == NULL)
        return false;
    for (int t = 0; t < s->count; ++t)
        balance[s->shell[t]] += (s->turned[t] ? -1 : 1) * triangleArea(s->point, s->triangle + 3 * (size_t)t);
    for (int t = 0; t < s->count; ++t)
    {
        if (s->turned[t] == (balance[s->shell[t]] >= 0))
        {
            turnFace(s, t);
            repair->turnedFaces += 1;
        }
    }
    memoryRelease(memory, balance);
    return true;
}

// of the pyramid from `apex` to the face
static double pyramid(const Shells *s, int t, Vec3 apex)
{
    const int *corner = s->triangle + 3 * (size_t)t;
    Vec3 a = vecSub(cornerPoint(s->point, corner[0]), apex), b = vecSub(cornerPoint(s->point, corner[1]), apex),
         c = vecSub(cornerPoint(s->point, corner[2]), apex);
    return vecDot(a, vecCross(b, c)) / 6;
}

typedef struct ShellSum
{
    double area, volume, around; // volume about its own middle; winding number of the others
    Vec3 middle;                 // times area
    int face;                    // one of it
} ShellSum;

static void sumShells(const Shells *s, ShellSum *sum, int shells)
{
    for (int t = 0; t < s->count; ++t)
    {
        ShellSum *own = &sum[s->shell[t]];
        const int *c = s->triangle + 3 * (size_t)t;
        double area = triangleArea(s->point, c);
        Vec3 corners =
            vecAdd(cornerPoint(s->point, c[0]), vecAdd(cornerPoint(s->point, c[1]), cornerPoint(s->point, c[2])));
        own->area += area;
        own->middle = vecAdd(own->middle, vecScale(area / 3, corners));
        own->face = t;
    }
    for (int k = 0; k < shells; ++k)
        sum[k].middle = sum[k].area > 0 ? vecScale(1 / sum[k].area, sum[k].middle) : sum[k].middle;
    for (int t = 0; t < s->count; ++t)
        sum[s->shell[t]].volume += pyramid(s, t, sum[s->shell[t]].middle);
}

// the winding number of the other shells around those that wind inward
static bool sumOthers(Memory *memory, const Shells *s, ShellSum *sum, int shells)
{
    Winding winding;
    bool ok = windingBuild(memory, &winding, s->point, s->triangle, s->count);
    for (int k = 0; k < shells && ok; ++k)
    {
        if (sum[k].volume < 0)
            sum[k].around = windingNumber(&winding, cornerPoint(s->point, s->triangle[3 * sum[k].face]));
    }
    for (int t = 0; t < s->count && ok; ++t)
    {
        ShellSum *own = &sum[s->shell[t]];
        if (own->volume >= 0)
            continue;
        double corners[9];
        for (int i = 0; i < 3; ++i)
            vecStore(corners + 3 * i, cornerPoint(s->point, s->triangle[3 * t + i]));
        own->around -= windingOfTriangle(corners, cornerPoint(s->point, s->triangle[3 * own->face]));
    }
    windingFree(memory, &winding);
    return ok;
}

// a shell that winds inward is a cavity inside others, and a mistake elsewhere
static bool turnShells(Memory *memory, Shells *s, SurfaceRepair *repair)
{
    ShellSum *sum = ALLOCATE(memory, ShellSum, repair->shells);
    if (sum == NULL)
        return false;
    sumShells(s, sum, repair->shells);
    double whole = 0;
    bool inward = false, ok = true;
    for (int k = 0; k < repair->shells; ++k)
        whole += sum[k].volume;
    for (int t = 0; t < s->count && whole < 0; ++t)
        turnFace(s, t);
    for (int k = 0; k < repair->shells; ++k)
    {
        sum[k].volume *= whole < 0 ? -1 : 1;
        inward = inward || sum[k].volume < 0;
    }
    if (inward)
        ok = sumOthers(memory, s, sum, repair->shells);
    for (int t = 0; t < s->count && inward && ok; ++t)
    {
        if (sum[s->shell[t]].volume < 0 && sum[s->shell[t]].around <= 0.5)
            turnFace(s, t);
    }
    for (int k = 0; k < repair->shells && ok; ++k)
    {
        bool cavity = sum[k].volume < 0 && sum[k].around > 0.5;
        repair->cavities += cavity;
        repair->turnedShells += (whole < 0) != (sum[k].volume < 0 && !cavity);
        repair->signedVolume += cavity ? sum[k].volume : fabs(sum[k].volume);
    }
    memoryRelease(memory, sum);
    return ok;
}

// ---- all together ---------------------------------------------------------------------------------------------------

static bool orient(Memory *memory, const double *point, int pointCount, int *triangle, int count, SurfaceRepair *repair)
{
    Shells s = { .point = point, .triangle = triangle, .count = count };
    s.neighbour = ALLOCATE(memory, int, 3 * (size_t)count);
    s.shell = ALLOCATE(memory, int, count);
    s.turned = ALLOCATE(memory, bool, count);
    s.queue = ALLOCATE(memory, int, count);
    bool ok =
        s.neighbour != NULL && s.shell != NULL && s.turned != NULL && s.queue != NULL &&
        repairNeighbours(memory, triangle, count, pointCount, s.neighbour, &repair->openEdges, &repair->crowdedEdges);
    for (int t = 0; t < count && ok; ++t)
        s.shell[t] = -1;
    for (int t = 0; t < count && ok; ++t)
    {
        if (s.shell[t] < 0)
            walkShell(&s, t, repair->shells++, repair);
    }
    ok = ok && turnMinority(memory, &s, repair) && turnShells(memory, &s, repair);
    void *const blocks[] = { s.neighbour, s.shell, s.turned, s.queue };
    for (int i = 0; i < 4; ++i)
        memoryRelease(memory, blocks[i]);
    return ok;
}

// m, that rounding may part what is one point: the poles of a ball, say
static double roundingOf(const double *point, int pointCount)
{
    double largest = 0;
    for (int i = 0; i < 3 * pointCount; ++i)
        largest = maxReal(largest, fabs(point[i]));
    return ROUNDING * largest;
}

bool repairSurface(Memory *memory, const double *point, int pointCount, int *triangle, int *triangleCount,
                   int *replaced, SurfaceRepair *repair)
{
    *repair = (SurfaceRepair){ 0 };
    int *own = replaced == NULL ? ALLOCATE(memory, int, pointCount) : NULL, *first = replaced != NULL ? replaced : own;
    int welded = first != NULL ? repairWeld(memory, point, pointCount, roundingOf(point, pointCount), first) : -1;
    int given = *triangleCount;
    bool ok = welded >= 0;
    if (ok)
    {
        repair->weldedPoints = welded;
        *triangleCount = dropCollapsed(first, triangle, given);
        repair->droppedFaces = given - *triangleCount;
        given = *triangleCount;
        ok = dropDoubled(memory, triangle, triangleCount, pointCount);
        repair->doubledFaces = given - *triangleCount;
    }
    memoryRelease(memory, own);
    return ok && (*triangleCount == 0 || orient(memory, point, pointCount, triangle, *triangleCount, repair));
}
