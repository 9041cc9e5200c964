// Quickhull (Barber, Dobkin and Huhdanpaa 1996) over points on an integer grid: whether a face sees a point is decided
// exactly, so the surface stays closed and convex whatever is coplanar, collinear or equal.
#include "shape/hull.h"

__extension__ typedef __int128 Wide;

// ---- lists that may fail to grow ------------------------------------------------------------------------------------

static bool grow(Hull *hull, void **block, int count, int *room, size_t size)
{
    if (count < *room)
        return true;
    int wider = *room < 64 ? 128 : 2 * *room;
    if (*room > (1 << 29) || !memoryGrow(hull->memory, block, (size_t)*room, (size_t)wider, size))
    {
        hull->exhausted = true;
        return false;
    }
    *room = wider;
    return true;
}

static void push(Hull *hull, IntList *list, int value)
{
    void *block = list->item;
    if (!grow(hull, &block, list->count, &list->room, sizeof(int)))
        return;
    list->item = block;
    list->item[list->count++] = value;
}

static void pushRim(Hull *hull, Rim rim)
{
    void *block = hull->rim;
    if (!grow(hull, &block, hull->rimCount, &hull->rimRoom, sizeof(Rim)))
        return;
    hull->rim = block;
    hull->rim[hull->rimCount++] = rim;
}

static int newFace(Hull *hull, int a, int b, int c)
{
    int number = hull->spare.count > 0 ? hull->spare.item[--hull->spare.count] : hull->faceCount;
    if (number == hull->faceCount)
    {
        void *block = hull->face;
        if (!grow(hull, &block, hull->faceCount, &hull->faceRoom, sizeof(Face)))
            return -1;
        hull->face = block;
        hull->faceCount += 1;
    }
    Vec3 p = gridPoint(hull, a);
    Vec3 cross = vecCross(vecSub(gridPoint(hull, b), p), vecSub(gridPoint(hull, c), p));
    double length = vecLength(cross);
    hull->face[number] = (Face){ .corner = { a, b, c },
                                 .neighbour = { -1, -1, -1 },
                                 .normal = vecScale(length > 0 ? 1 / length : 0, cross),
                                 .first = -1,
                                 .alive = true };
    return number;
}

// ---- which side -----------------------------------------------------------------------------------------------------

static double heightOver(const Hull *hull, int face, int point)
{
    const Face *f = hull->face + face;
    return vecDot(f->normal, vecSub(gridPoint(hull, point), gridPoint(hull, f->corner[0])));
}

static int signOfWide(Wide x)
{
    return (x > 0) - (x < 0);
}

// the sign of (b - a) x (c - a) . (p - a): in doubles where they are sure, else in whole numbers
static int sideOfPlane(const Hull *hull, int ia, int ib, int ic, int ip)
{
    Vec3 o = gridPoint(hull, ia), a = vecSub(gridPoint(hull, ib), o), b = vecSub(gridPoint(hull, ic), o);
    Vec3 c = vecSub(gridPoint(hull, ip), o);
    double yz = a.y * b.z, zy = a.z * b.y, zx = a.z * b.x, xz = a.x * b.z, xy = a.x * b.y, yx = a.y * b.x;
    double volume = (yz - zy) * c.x + (zx - xz) * c.y + (xy - yx) * c.z;
    double doubt = 1e-14 * ((fabs(yz) + fabs(zy)) * fabs(c.x) + (fabs(zx) + fabs(xz)) * fabs(c.y) +
                            (fabs(xy) + fabs(yx)) * fabs(c.z));
    if (fabs(volume) > doubt)
        return volume > 0 ? 1 : -1;
    Wide ax = (Wide)a.x, ay = (Wide)a.y, az = (Wide)a.z, bx = (Wide)b.x, by = (Wide)b.y, bz = (Wide)b.z;
    return signOfWide((ay * bz - az * by) * (Wide)c.x + (az * bx - ax * bz) * (Wide)c.y +
                      (ax * by - ay * bx) * (Wide)c.z);
}

static bool sees(const Hull *hull, int face, int point)
{
    const int *corner = hull->face[face].corner;
    return sideOfPlane(hull, corner[0], corner[1], corner[2], point) > 0;
}

// ---- the first tetrahedron ------------------------------------------------------------------------------------------

static double distance2(Vec3 a, Vec3 b)
{
    Vec3 d = vecSub(a, b);
    return vecDot(d, d);
}

// How far a point is from the first `count` corners: from the centre, a point, a line, a plane.
static double spread(const Hull *hull, const int *corner, int count, int point)
{
    Vec3 p = gridPoint(hull, point);
    if (count == 0)
        return sqrt(distance2(p, hull->center));
    Vec3 from = vecSub(p, gridPoint(hull, corner[0]));
    if (count == 1)
        return vecLength(from);
    Vec3 along = vecSub(gridPoint(hull, corner[1]), gridPoint(hull, corner[0]));
    if (count == 2)
        return vecLength(vecCross(along, from)) / vecLength(along);
    Vec3 normal = vecCross(along, vecSub(gridPoint(hull, corner[2]), gridPoint(hull, corner[0])));
    return fabs(vecDot(normal, from)) / vecLength(normal);
}

// The farthest point; of all that are as far up to the thickness, the farthest from the centre: always a true corner,
// never the middle of an edge or face, which would leave slivers behind.
static int farthestPoint(const Hull *hull, const int *corner, int count, double *farthest)
{
    *farthest = 0;
    for (int i = 0; i < hull->pointCount; ++i)
        *farthest = hull->turn[i] != TURN_FIRST ? *farthest : maxReal(*farthest, spread(hull, corner, count, i));
    int best = 0;
    double outermost = -1;
    for (int i = 0; i < hull->pointCount; ++i)
    {
        double outer = distance2(gridPoint(hull, i), hull->center);
        if (outer > outermost && hull->turn[i] == TURN_FIRST && spread(hull, corner, count, i) >= *farthest - THICKNESS)
        {
            outermost = outer;
            best = i;
        }
    }
    return best;
}

static void assignPoint(Hull *hull, int point, const int *faces, int count)
{
    int best = -1;
    double highest = THICKNESS;
    for (int i = 0; i < count; ++i)
    {
        double height = heightOver(hull, faces[i], point);
        if (height > highest)
        {
            highest = height;
            best = faces[i];
        }
    }
    if (best < 0)
        return;
    if (hull->face[best].first < 0)
        push(hull, &hull->pending, best);
    hull->next[point] = hull->face[best].first;
    hull->face[best].first = point;
}

static vvResult startHull(Hull *hull)
{
    static const char *const flat[4] = { "in one place", "in one place", "on one line", "in one plane" };
    static const int side[4][3] = { { 0, 1, 2 }, { 0, 3, 1 }, { 1, 3, 2 }, { 2, 3, 0 } };
    static const int across[4][3] = { { 1, 2, 3 }, { 3, 2, 0 }, { 1, 3, 0 }, { 2, 1, 0 } };
    int corner[4];
    for (int i = 0; i < 4; ++i)
    {
        double farthest;
        corner[i] = farthestPoint(hull, corner, i, &farthest);
        int inside = i < 3 ? 0 : sideOfPlane(hull, corner[0], corner[1], corner[2], corner[3]);
        if ((i > 0 && !(farthest > THICKNESS)) || (i == 3 && inside == 0))
            return resultMake(VV_BAD_INPUT, "add points off the plane, or use a thin box",
                              "the %d points of the convex shape lie %s within 1e-9 of its size, must span a volume",
                              hull->pointCount, flat[i]);
        if (inside > 0) // the fourth must be below the first face
        {
            int swap = corner[1];
            corner[1] = corner[2];
            corner[2] = swap;
        }
    }
    for (int f = 0; f < 4; ++f)
    {
        int face = newFace(hull, corner[side[f][0]], corner[side[f][1]], corner[side[f][2]]);
        if (face < 0)
            return resultOutOfMemory("a convex hull");
        for (int e = 0; e < 3; ++e)
            hull->face[face].neighbour[e] = across[f][e];
    }
    return resultOk();
}

// ---- adding a point -------------------------------------------------------------------------------------------------

// of the points that a face sees: the highest, of equals the farthest from the centre
static int choosePoint(const Hull *hull, int face)
{
    double highest = 0, outermost = -1;
    for (int i = hull->face[face].first; i >= 0; i = hull->next[i])
        highest = maxReal(highest, heightOver(hull, face, i));
    int best = -1;
    for (int i = hull->face[face].first; i >= 0; i = hull->next[i])
    {
        double outer = distance2(gridPoint(hull, i), hull->center);
        if (outer > outermost && heightOver(hull, face, i) >= highest - THICKNESS)
        {
            outermost = outer;
            best = i;
        }
    }
    return best;
}

// collects the faces that see the point, beginning at one, and the rim around them
static void findVisible(Hull *hull, int face, int point)
{
    hull->round += 1;
    hull->gone.count = hull->rimCount = 0;
    hull->face[face].mark = hull->round;
    push(hull, &hull->gone, face);
    for (int i = 0; i < hull->gone.count; ++i)
    {
        int g = hull->gone.item[i];
        for (int e = 0; e < 3; ++e)
        {
            const Face *f = hull->face + g;
            int other = f->neighbour[e];
            if (hull->face[other].mark == hull->round)
                continue;
            if (sees(hull, other, point))
            {
                hull->face[other].mark = hull->round;
                push(hull, &hull->gone, other);
            }
            else
                pushRim(hull, (Rim){ other, f->corner[e], f->corner[(e + 1) % 3] });
        }
    }
}

// a fan from the rim to the point
static bool closeRim(Hull *hull, int point)
{
    hull->fresh.count = 0;
    for (int i = 0; i < hull->rimCount; ++i)
    {
        Rim rim = hull->rim[i];
        int f = newFace(hull, rim.from, rim.to, point);
        push(hull, &hull->fresh, f);
        if (hull->exhausted)
            return false;
        hull->started[rim.from] = f;
        hull->face[f].neighbour[0] = rim.beyond;
    }
    for (int i = 0; i < hull->rimCount; ++i)
    {
        Rim rim = hull->rim[i];
        int f = hull->fresh.item[i], next = hull->started[rim.to];
        hull->face[f].neighbour[1] = next;
        hull->face[next].neighbour[2] = f;
    }
    return true;
}

// tells the faces around who their new neighbours are; the old ones are still there to be recognised
static void joinRim(Hull *hull)
{
    for (int i = 0; i < hull->rimCount; ++i)
    {
        Rim rim = hull->rim[i];
        Face *beyond = hull->face + rim.beyond;
        for (int e = 0; e < 3; ++e)
            if (beyond->corner[e] == rim.to && beyond->corner[(e + 1) % 3] == rim.from)
                beyond->neighbour[e] = hull->fresh.item[i];
    }
}

static bool addPoint(Hull *hull, int face)
{
    int point = choosePoint(hull, face);
    if (point < 0 || !sees(hull, face, point)) // a face too thin to know its normal
    {
        hull->face[face].first = -1;
        return true;
    }
    findVisible(hull, face, point);
    if (hull->exhausted || !closeRim(hull, point))
        return false;
    joinRim(hull);
    for (int i = 0; i < hull->gone.count; ++i)
    {
        int g = hull->gone.item[i];
        for (int p = hull->face[g].first, next; p >= 0; p = next)
        {
            next = hull->next[p];
            if (p != point)
                assignPoint(hull, p, hull->fresh.item, hull->fresh.count);
        }
        hull->face[g].alive = false;
        hull->face[g].first = -1;
        push(hull, &hull->spare, g);
    }
    return !hull->exhausted;
}

static void addPoints(Hull *hull, Turn turn)
{
    hull->fresh.count = 0;
    for (int f = 0; f < hull->faceCount; ++f)
        if (hull->face[f].alive)
            push(hull, &hull->fresh, f);
    for (int i = 0; i < hull->pointCount; ++i)
        if (hull->turn[i] == turn)
            assignPoint(hull, i, hull->fresh.item, hull->fresh.count);
    while (hull->pending.count > 0 && !hull->exhausted)
    {
        int face = hull->pending.item[--hull->pending.count];
        if (hull->face[face].alive && hull->face[face].first >= 0)
            addPoint(hull, face);
    }
}

vvResult hullMake(Hull *hull)
{
    hull->faceCount = hull->pending.count = hull->spare.count = 0;
    vvResult result = startHull(hull);
    if (result.code != VV_OK)
        return result;
    addPoints(hull, TURN_FIRST);
    addPoints(hull, TURN_LATE);
    return hull->exhausted ? resultOutOfMemory("a convex hull") : resultOk();
}
