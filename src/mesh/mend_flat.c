#include "mesh/mend.h"
#include "mesh/repair.h"

#define FLATNESS 1e-12 // area per longest edge^2: as check.c
#define ROUNDS 16      // a flat triangle may get another flat one as neighbour

static int longestHalf(const double *point, const int *triangle, int t)
{
    int longest = 3 * t;
    for (int h = 3 * t; h < 3 * t + 3; ++h)
    {
        if (edgeLength(point, triangle[h], triangle[halfNext(h)]) >
            edgeLength(point, triangle[longest], triangle[halfNext(longest)]))
            longest = h;
    }
    return longest;
}

static bool isFlat(const double *point, const int *corner)
{
    double longest = longestEdge(point, corner, 3);
    return !(triangleArea(point, corner) > FLATNESS * longest * longest);
}

// the edge a c between a flat triangle a c b and a neighbour c a d becomes the edge b d; false: it would fold
static bool cutAcross(int *triangle, int flat, int across)
{
    int a = triangle[flat], c = triangle[halfNext(flat)], b = triangle[halfNext(halfNext(flat))];
    int d = triangle[halfNext(halfNext(across))];
    if (triangle[across] != c || triangle[halfNext(across)] != a || b == d)
        return false;
    int *first = triangle + flat / 3 * 3, *second = triangle + across / 3 * 3;
    first[0] = a;
    first[1] = d;
    first[2] = b;
    second[0] = d;
    second[1] = c;
    second[2] = b;
    return true;
}

// one sweep; each triangle takes part once. Returns how many flat ones are left that had a neighbour
static int cutOnce(const double *point, int *triangle, int count, const int *neighbour, bool *touched)
{
    int done = 0;
    for (int t = 0; t < count; ++t)
    {
        if (touched[t] || !isFlat(point, triangle + 3 * (size_t)t))
            continue;
        int half = longestHalf(point, triangle, t), across = neighbour[half];
        if (across < 0 || touched[across / 3] || !cutAcross(triangle, half, across))
            continue;
        touched[t] = touched[across / 3] = true;
        ++done;
    }
    return done;
}

int mendFlat(Memory *memory, const double *point, int pointCount, int *triangle, int *triangleCount)
{
    int count = *triangleCount, found = 0, open, crowded, kept = 0;
    for (int t = 0; t < count; ++t)
        found += isFlat(point, triangle + 3 * (size_t)t);
    if (found == 0)
        return 0;
    int *neighbour = ALLOCATE(memory, int, 3 * (size_t)count);
    bool *touched = ALLOCATE(memory, bool, count), ok = neighbour != NULL && touched != NULL;
    for (int round = 0; round < ROUNDS && ok; ++round)
    {
        for (int t = 0; t < count; ++t)
            touched[t] = false;
        ok = repairNeighbours(memory, triangle, count, pointCount, neighbour, &open, &crowded);
        if (ok && cutOnce(point, triangle, count, neighbour, touched) == 0)
            break;
    }
    for (int t = 0; t < count && ok; ++t)
    {
        if (isFlat(point, triangle + 3 * (size_t)t))
            continue;
        for (int i = 0; i < 3; ++i)
            triangle[3 * kept + i] = triangle[3 * t + i];
        ++kept;
    }
    *triangleCount = ok ? kept : count;
    memoryRelease(memory, neighbour);
    memoryRelease(memory, touched);
    return ok ? found : -1;
}
