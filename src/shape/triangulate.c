// The boundary of a shape as triangles, for pictures: round ones by facets, all others as they are.
#include "shape/kinds.h"

#define AROUND 48 // sides of a circle
#define RINGS 12  // of a quarter of a circle

static bool reserve(Memory *memory, ShapeTriangles *out, int pointCount, int triangleCount)
{
    out->point = ALLOCATE(memory, double, 3 * (size_t)pointCount);
    out->triangle = ALLOCATE(memory, int, 3 * (size_t)triangleCount);
    return out->point != NULL && out->triangle != NULL;
}

static void addPoint(ShapeTriangles *out, double x, double y, double z)
{
    vecStore(out->point + 3 * (size_t)out->pointCount++, vec3(x, y, z));
}

static void addTriangle(ShapeTriangles *out, int a, int b, int c)
{
    int *corner = out->triangle + 3 * (size_t)out->triangleCount++;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
}

// a b c d around, counter-clockwise from outside
static void addQuad(ShapeTriangles *out, int a, int b, int c, int d)
{
    addTriangle(out, a, b, c);
    addTriangle(out, a, c, d);
}

// rings from the top to the bottom; a capsule's two middle ones are `half` above and below
static bool addRound(Memory *memory, ShapeTriangles *out, double radius, double half)
{
    int rings = half > 0 ? 2 * RINGS : 2 * RINGS - 1; // between the poles
    if (!reserve(memory, out, 2 + rings * AROUND, 2 * AROUND * rings))
        return false;
    addPoint(out, 0, half + radius, 0);
    for (int r = 0; r < rings; ++r)
    {
        bool below = half > 0 && r >= RINGS;
        double sine, cosine;
        sineCosine((r + 1 - below) * PI / (2 * RINGS), &sine, &cosine);
        for (int k = 0; k < AROUND; ++k)
        {
            double s, c;
            sineCosine(2 * PI * k / AROUND, &s, &c);
            addPoint(out, radius * sine * c, radius * cosine + (below ? -half : half), radius * sine * s);
        }
    }
    addPoint(out, 0, -half - radius, 0);
    for (int k = 0; k < AROUND; ++k)
    {
        int next = (k + 1) % AROUND, last = 1 + (rings - 1) * AROUND;
        addTriangle(out, 0, 1 + next, 1 + k);
        for (int r = 0; r + 1 < rings; ++r)
            addQuad(out, 1 + r * AROUND + k, 1 + r * AROUND + next, 1 + (r + 1) * AROUND + next,
                    1 + (r + 1) * AROUND + k);
        addTriangle(out, out->pointCount - 1, last + k, last + next);
    }
    return true;
}

static bool addBox(Memory *memory, ShapeTriangles *out, Vec3 half)
{
    static const int side[6][4] = { { 0, 1, 3, 2 }, { 4, 6, 7, 5 }, { 0, 4, 5, 1 },
                                    { 2, 3, 7, 6 }, { 0, 2, 6, 4 }, { 1, 5, 7, 3 } };
    if (!reserve(memory, out, 8, 12))
        return false;
    for (int i = 0; i < 8; ++i)
        addPoint(out, i & 4 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 1 ? half.z : -half.z);
    for (int i = 0; i < 6; ++i)
        addQuad(out, side[i][0], side[i][1], side[i][2], side[i][3]);
    return true;
}

// points that no triangle uses stay where they are: at the origin
static bool addSurface(Memory *memory, ShapeTriangles *out, const Surface *surface)
{
    int points = surface->pointCount;
    if (!reserve(memory, out, points, surface->triangleCount))
        return false;
    out->pointCount = points;
    for (int t = 0; t < surface->triangleCount; ++t)
    {
        const int *corner = surface->triangle + 3 * (size_t)t;
        addTriangle(out, corner[0], corner[1], corner[2]);
        for (int k = 0; k < 3; ++k)
            vecStore(out->point + 3 * (size_t)corner[k], pointAt(surface->corners, 3 * t + k));
    }
    return true;
}

// the top, and walls down to a tenth of the width below the lowest height
static bool addHeights(Memory *memory, ShapeTriangles *out, const Heights *h)
{
    int columns = h->columns, rows = h->rows, rim = 2 * (columns + rows) - 4, top = columns * rows;
    if (!reserve(memory, out, top + rim, 2 * (columns - 1) * (rows - 1) + 2 * rim))
        return false;
    double lowest = h->height[0];
    for (int i = 0; i < top; ++i)
    {
        lowest = minReal(lowest, h->height[i]);
        addPoint(out, (i % columns) * h->cellX - h->halfX, h->height[i], (i / columns) * h->cellZ - h->halfZ);
    }
    for (int z = 0; z + 1 < rows; ++z)
    {
        for (int x = 0; x + 1 < columns; ++x)
        {
            int a = z * columns + x;
            addTriangle(out, a, a + columns, a + columns + 1);
            addTriangle(out, a, a + columns + 1, a + 1);
        }
    }
    for (int i = 0; i < rim; ++i)
    {
        // along x at the lowest z, along z, back along x, back along z
        int sides[4] = { columns - 1, rows - 1, columns - 1, rows - 1 }, at = i, side = 0;
        while (at >= sides[side])
            at -= sides[side++];
        int x = side == 0 ? at : side == 1 ? columns - 1 : side == 2 ? columns - 1 - at : 0;
        int z = side == 0 ? 0 : side == 1 ? at : side == 2 ? rows - 1 : rows - 1 - at;
        Vec3 above = pointAt(out->point, z * columns + x);
        addPoint(out, above.x, lowest - 0.1 * (h->halfX + h->halfZ), above.z);
        int ahead[4] = { 1, columns, -1, -columns }, from = z * columns + x;
        addQuad(out, from, from + ahead[side], top + (i + 1) % rim, top + i);
    }
    return true;
}

bool shapeTriangulate(const vvShape *shape, Memory *memory, ShapeTriangles *out)
{
    *out = (ShapeTriangles){ .pointCount = 0 };
    bool good = true;
    if (shapeIs(shape, TAG_SPHERE))
        good = addRound(memory, out, shape->radius, 0);
    else if (shapeIs(shape, TAG_CAPSULE))
        good = addRound(memory, out, shape->radius, shape->half.y);
    else if (shapeIs(shape, TAG_BOX))
        good = addBox(memory, out, shape->half);
    else if (shapeIs(shape, TAG_HEIGHTFIELD))
        good = addHeights(memory, out, &shape->heights);
    else if (!shapeIs(shape, TAG_PLANE))
        good = addSurface(memory, out, &shape->surface);
    if (!good)
        shapeTrianglesFree(memory, out);
    return good;
}

void shapeTrianglesFree(Memory *memory, ShapeTriangles *triangles)
{
    memoryRelease(memory, triangles->point);
    memoryRelease(memory, triangles->triangle);
    *triangles = (ShapeTriangles){ .pointCount = 0 };
}

bool shapeIsPlane(const vvShape *shape, Vec3 *normal, double *offset)
{
    if (normal != NULL)
        *normal = shape->normal;
    if (offset != NULL)
        *offset = shape->offset;
    return shapeIs(shape, TAG_PLANE);
}
