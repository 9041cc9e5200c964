// A finer boundary on a coarser inside: edges of the boundary that are too long are halved, the longest first, with all
// tets around them, unless an angle would fall below what stuffing guarantees. The new points go to the surface. Edges
// that are the longest of all their tets do not disturb each other, so that each round halves all of those at once.
#include "mesh/solid.h"

#include <limits.h>

#define LEAST_SHARE 0.5           // of the lattice's spacing; below it angles become small
#define SMALLEST_COSINE 0.9832549 // of 10.5 degrees: a half has no smaller angle
#define LARGEST_COSINE -0.9455186 // of 161 degrees
#define REACH 0.125               // of an edge: a surface that is farther from its middle is another part's

// An edge of the boundary that is too long.
typedef struct Side
{
    int a, b; // a < b
    double square;
    Vec3 normal; // sum of its faces', outward
    bool stays;  // halves would have bad angles
    bool beaten; // a tet has a longer one
    int point;   // that halves it
} Side;

typedef struct Skin
{
    const Filling *filling;
    MeshArrays *arrays;
    double longest; // m
    int *face;      // faceCount x 3
    int faceCount;
    size_t pointRoom, tetRoom, faceRoom; // rows

    // of a round
    Side *side;
    int sideCount;
    int *slot; // slotMask + 1: 1 + the number of a side, by its ends; 0: free
    size_t slotMask;
    int *best; // tetCount: 1 + its longest side; 0: it has none
} Skin;

// ---- sides ----------------------------------------------------------------------------------------------------------

static size_t slotOf(const Skin *s, int a, int b)
{
    uint64_t key = (uint64_t)(uint32_t)a << 32 | (uint32_t)b;
    key *= 0x9e3779b97f4a7c15ULL;
    return (size_t)(key >> 20) & s->slotMask;
}

// its slot, or the free one where it belongs
static int *findSlot(const Skin *s, int a, int b)
{
    int low = minInt(a, b), high = maxInt(a, b);
    for (size_t slot = slotOf(s, low, high);; slot = (slot + 1) & s->slotMask)
    {
        int number = s->slot[slot] - 1;
        if (number < 0 || (s->side[number].a == low && s->side[number].b == high))
            return &s->slot[slot];
    }
}

static void addSide(Skin *s, int a, int b, Vec3 normal)
{
    Vec3 along = vecSub(cornerPoint(s->arrays->point, a), cornerPoint(s->arrays->point, b));
    double square = vecDot(along, along);
    if (square <= s->longest * s->longest)
        return;
    int *slot = findSlot(s, a, b);
    if (*slot == 0)
    {
        s->side[s->sideCount] = (Side){ .a = minInt(a, b), .b = maxInt(a, b), .square = square };
        *slot = ++s->sideCount;
    }
    s->side[*slot - 1].normal = vecAdd(s->side[*slot - 1].normal, normal);
}

static bool beginRound(Skin *s)
{
    Memory *memory = s->arrays->memory;
    size_t slots = 16;
    while (slots < 3 * (size_t)s->faceCount)
        slots *= 2;
    s->slotMask = slots - 1;
    s->sideCount = 0;
    s->slot = ALLOCATE(memory, int, slots);
    s->side = ALLOCATE(memory, Side, 3 * (size_t)s->faceCount);
    s->best = ALLOCATE(memory, int, s->arrays->tetCount);
    if (s->slot == NULL || s->side == NULL || s->best == NULL)
        return false;
    for (int f = 0; f < s->faceCount; ++f)
    {
        const int *c = s->face + 3 * (size_t)f;
        const double *point = s->arrays->point;
        Vec3 first = cornerPoint(point, c[0]);
        Vec3 normal = vecCross(vecSub(cornerPoint(point, c[1]), first), vecSub(cornerPoint(point, c[2]), first));
        for (int i = 0; i < 3; ++i)
            addSide(s, c[i], c[(i + 1) % 3], normal);
    }
    return true;
}

static void endRound(Skin *s)
{
    memoryRelease(s->arrays->memory, s->slot);
    memoryRelease(s->arrays->memory, s->side);
    memoryRelease(s->arrays->memory, s->best);
    s->slot = s->best = NULL;
    s->side = NULL;
}

static bool isLonger(const Side *p, const Side *q)
{
    if (p->square != q->square)
        return p->square > q->square;
    return p->a != q->a ? p->a < q->a : p->b < q->b;
}

// the sides of a tet, and how many it has
static int sidesOf(const Skin *s, int tet, const bool *outer, Side **side /* 6 */)
{
    static const int ends[6][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };
    const int *corner = s->arrays->tet + 4 * (size_t)tet;
    int count = 0;
    for (int k = 0; k < 6; ++k)
    {
        int a = corner[ends[k][0]], b = corner[ends[k][1]];
        int number = outer[a] && outer[b] ? *findSlot(s, a, b) : 0;
        if (number != 0)
            side[count++] = &s->side[number - 1];
    }
    return count;
}

static Vec3 middleOf(const Skin *s, const Side *side)
{
    return vecScale(0.5, vecAdd(cornerPoint(s->arrays->point, side->a), cornerPoint(s->arrays->point, side->b)));
}

// whether both halves of a tet are good with this point in place of one end of the side
static bool halvesWell(const Skin *s, int tet, const Side *side, Vec3 at)
{
    static const int order[4] = { 0, 1, 2, 3 };
    const int *corner = s->arrays->tet + 4 * (size_t)tet;
    for (int half = 0; half < 2; ++half)
    {
        double point[12], least, largest;
        for (int i = 0; i < 4; ++i)
            vecStore(point + 3 * i,
                     corner[i] == (half ? side->a : side->b) ? at : cornerPoint(s->arrays->point, corner[i]));
        tetCosines(point, order, &least, &largest);
        if (!(tetVolume(point, order) > 0 && largest < SMALLEST_COSINE && least > LARGEST_COSINE))
            return false;
    }
    return true;
}

// of every tet the longest side that may be halved; the others are beaten
static bool findLongest(Skin *s)
{
    bool *outer = ALLOCATE(s->arrays->memory, bool, s->arrays->pointCount);
    if (outer == NULL)
        return false;
    for (int i = 0; i < s->sideCount; ++i)
        outer[s->side[i].a] = outer[s->side[i].b] = true;
    Side *side[6];
    for (int t = 0; t < s->arrays->tetCount; ++t)
    {
        for (int k = sidesOf(s, t, outer, side) - 1; k >= 0; --k)
            side[k]->stays = side[k]->stays || !halvesWell(s, t, side[k], middleOf(s, side[k]));
    }
    for (int t = 0; t < s->arrays->tetCount; ++t)
    {
        Side *best = NULL;
        for (int k = sidesOf(s, t, outer, side) - 1; k >= 0; --k)
        {
            if (side[k]->stays)
                continue;
            bool longer = best == NULL || isLonger(side[k], best);
            if (best != NULL)
                (longer ? best : side[k])->beaten = true;
            best = longer ? side[k] : best;
        }
        s->best[t] = best != NULL ? 1 + (int)(best - s->side) : 0;
    }
    memoryRelease(s->arrays->memory, outer);
    return true;
}

static bool isHalved(const Side *side)
{
    return !side->stays && !side->beaten;
}

// ---- halves ---------------------------------------------------------------------------------------------------------

static bool makeRoom(Memory *memory, void **block, size_t *room, size_t used, size_t width, size_t size)
{
    if (used < *room)
        return true;
    size_t more = 2 * used + 64;
    if (!memoryGrow(memory, block, width * *room, width * more, size))
        return false;
    *room = more;
    return true;
}

// where the surface passes the middle of an edge, if it does so nearby; a cage covers it as it is
static Vec3 pointOf(const Skin *s, const Side *side)
{
    const Boundary *boundary = &s->filling->boundary;
    Vec3 middle = middleOf(s, side);
    double length = vecLength(side->normal);
    if (!(length > 0) || s->filling->def->kind == VV_SOLID_CAGE)
        return middle;
    Vec3 out = vecScale(REACH * sqrt(side->square) / length, side->normal);
    Vec3 inside = vecSub(middle, out), outside = vecAdd(middle, out);
    if (!boundary->isInside(boundary->of, inside) || boundary->isInside(boundary->of, outside))
        return middle;
    return vecAdd(inside, vecScale(2 * boundary->cut(boundary->of, inside, outside), out));
}

static bool addPoints(Skin *s)
{
    MeshArrays *arrays = s->arrays;
    for (int i = 0; i < s->sideCount; ++i)
    {
        Side *side = &s->side[i];
        if (!isHalved(side))
            continue;
        if (arrays->pointCount == INT_MAX || !makeRoom(arrays->memory, (void **)&arrays->point, &s->pointRoom,
                                                       (size_t)arrays->pointCount, 3, sizeof(double)))
            return false;
        side->point = arrays->pointCount++;
        vecStore(arrays->point + 3 * (size_t)side->point, pointOf(s, side));
    }
    return true;
}

// the two halves of an element
static void halve(const int *corner, int width, const Side *side, int *first, int *second)
{
    for (int i = 0; i < width; ++i)
    {
        int c = corner[i];
        first[i] = c == side->b ? side->point : c;
        second[i] = c == side->a ? side->point : c;
    }
}

// points that would give a tet bad angles stay in the middle of their edge
static void keepAngles(Skin *s)
{
    double *point = s->arrays->point;
    for (int t = 0; t < s->arrays->tetCount; ++t)
    {
        const Side *side = s->best[t] != 0 ? &s->side[s->best[t] - 1] : NULL;
        if (side != NULL && isHalved(side) && !halvesWell(s, t, side, cornerPoint(point, side->point)))
            vecStore(point + 3 * (size_t)side->point, middleOf(s, side));
    }
}

static bool halveTets(Skin *s)
{
    MeshArrays *arrays = s->arrays;
    for (int t = 0, count = arrays->tetCount; t < count; ++t)
    {
        const Side *side = s->best[t] != 0 ? &s->side[s->best[t] - 1] : NULL;
        if (side == NULL || !isHalved(side))
            continue;
        if (arrays->tetCount == INT_MAX ||
            !makeRoom(arrays->memory, (void **)&arrays->tet, &s->tetRoom, (size_t)arrays->tetCount, 4, sizeof(int)))
            return false;
        int *corner = arrays->tet + 4 * (size_t)t, first[4];
        halve(corner, 4, side, first, arrays->tet + 4 * (size_t)arrays->tetCount++);
        for (int i = 0; i < 4; ++i)
            corner[i] = first[i];
    }
    return true;
}

static bool halveFaces(Skin *s)
{
    for (int f = 0, count = s->faceCount; f < count; ++f)
    {
        const Side *side = NULL;
        for (int i = 0; i < 3; ++i)
        {
            const int *c = s->face + 3 * (size_t)f;
            int number = *findSlot(s, c[i], c[(i + 1) % 3]);
            if (number != 0 && isHalved(&s->side[number - 1]))
                side = &s->side[number - 1];
        }
        if (side == NULL)
            continue;
        if (!makeRoom(s->arrays->memory, (void **)&s->face, &s->faceRoom, (size_t)s->faceCount, 3, sizeof(int)))
            return false;
        int *corner = s->face + 3 * (size_t)f, first[3];
        halve(corner, 3, side, first, s->face + 3 * (size_t)s->faceCount++);
        for (int i = 0; i < 3; ++i)
            corner[i] = first[i];
    }
    return true;
}

// ---- all together ---------------------------------------------------------------------------------------------------

vvResult skinRefine(const Filling *filling, MeshArrays *arrays)
{
    double longest = filling->def->surfaceEdge, spacing = filling->lattice.spacing;
    if (longest == 0 || arrays->tetCount == 0)
        return resultOk();
    if (longest < LEAST_SHARE * spacing)
        return resultMake(VV_BAD_INPUT, "use more cells or a shorter edge, or a longer surfaceEdge",
                          "surfaceEdge is %.3g of the spacing of the lattice, must be at least %g of it",
                          longest / spacing, LEAST_SHARE);
    Skin s = { .filling = filling, .arrays = arrays, .longest = longest };
    vvResult result = collectBoundary(arrays->memory, arrays->tet, arrays->tetCount, arrays->pointCount,
                                      &arrays->naming, &s.face, &s.faceCount);
    s.pointRoom = (size_t)arrays->pointCount; // at least
    s.tetRoom = (size_t)arrays->tetCount;
    s.faceRoom = (size_t)s.faceCount;
    for (bool again = true; again && result.code == VV_OK;)
    {
        int before = arrays->pointCount;
        bool fine = beginRound(&s) && findLongest(&s) && addPoints(&s);
        if (fine)
            keepAngles(&s);
        fine = fine && halveTets(&s) && halveFaces(&s);
        again = arrays->pointCount > before;
        endRound(&s);
        result = fine ? arraysFit(arrays) : resultOutOfMemory("the surface of a solid");
        if (result.code == VV_OK)
            result = fillingProgress(filling, 0.9);
    }
    memoryRelease(arrays->memory, s.face);
    return result;
}
