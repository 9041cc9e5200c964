// Closed surfaces for the tests of shapes, and the distance to them by trying every triangle.
#ifndef TESTS_SHAPE_SOLIDS_H
#define TESTS_SHAPE_SOLIDS_H

#include "check.h"
#include "shape/shape.h"

#include <stdlib.h>

typedef struct Solid
{
    double *point; // pointCount x 3
    int *triangle; // triangleCount x 3
    int pointCount, triangleCount;
} Solid;

static inline Solid solidMake(int pointRoom, int triangleRoom)
{
    return (Solid){ malloc((size_t)pointRoom * 3 * sizeof(double)), malloc((size_t)triangleRoom * 3 * sizeof(int)), 0,
                    0 };
}

static inline void solidFree(Solid *solid)
{
    free(solid->point);
    free(solid->triangle);
}

static inline int solidPoint(Solid *solid, double x, double y, double z)
{
    vecStore(solid->point + 3 * solid->pointCount, vec3(x, y, z));
    return solid->pointCount++;
}

static inline void solidTriangle(Solid *solid, int a, int b, int c)
{
    int *t = solid->triangle + 3 * solid->triangleCount++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

static inline void solidQuad(Solid *solid, int a, int b, int c, int d)
{
    solidTriangle(solid, a, b, c);
    solidTriangle(solid, a, c, d);
}

// a ball of `rings` x `sectors`, poles along y
static inline Solid solidSphere(double radius, int rings, int sectors)
{
    Solid s = solidMake(2 + (rings - 1) * sectors, 2 * rings * sectors);
    int south = solidPoint(&s, 0, -radius, 0), north = solidPoint(&s, 0, radius, 0);
    for (int r = 1; r < rings; ++r)
        for (int i = 0; i < sectors; ++i)
        {
            double polar = PI * r / rings, around = 2 * PI * i / sectors;
            solidPoint(&s, radius * sin(polar) * sin(around), -radius * cos(polar), radius * sin(polar) * cos(around));
        }
    for (int i = 0; i < sectors; ++i)
    {
        int j = (i + 1) % sectors, last = 2 + (rings - 2) * sectors;
        solidTriangle(&s, south, 2 + j, 2 + i);
        solidTriangle(&s, north, last + i, last + j);
        for (int r = 0; r < rings - 2; ++r)
            solidQuad(&s, 2 + r * sectors + i, 2 + r * sectors + j, 2 + (r + 1) * sectors + j,
                      2 + (r + 1) * sectors + i);
    }
    return s;
}

// around y
static inline Solid solidTorus(double ring, double tube, int sectors, int sides)
{
    Solid s = solidMake(sectors * sides, 2 * sectors * sides);
    for (int i = 0; i < sectors; ++i)
        for (int k = 0; k < sides; ++k)
        {
            double a = 2 * PI * i / sectors, b = 2 * PI * k / sides;
            solidPoint(&s, (ring + tube * cos(b)) * sin(a), tube * sin(b), (ring + tube * cos(b)) * cos(a));
        }
    for (int i = 0; i < sectors; ++i)
        for (int k = 0; k < sides; ++k)
        {
            int i1 = (i + 1) % sectors, k1 = (k + 1) % sides;
            solidQuad(&s, i * sides + k, i1 * sides + k, i1 * sides + k1, i * sides + k1);
        }
    return s;
}

// an outline in the xy plane (counter-clockwise), star-shaped from its first corner, pulled along z
static inline Solid solidPrism(const double *outline, int count, double depth)
{
    Solid s = solidMake(2 * count, 4 * count);
    for (int side = 0; side < 2; ++side)
        for (int i = 0; i < count; ++i)
            solidPoint(&s, outline[2 * i], outline[2 * i + 1], (side - 0.5) * depth);
    for (int i = 0; i < count; ++i)
        solidQuad(&s, i, (i + 1) % count, count + (i + 1) % count, count + i);
    for (int i = 1; i + 1 < count; ++i)
    {
        solidTriangle(&s, 0, i + 1, i);
        solidTriangle(&s, count, count + i, count + i + 1);
    }
    return s;
}

static inline Solid solidBox(double x, double y, double z)
{
    const double outline[8] = { -x / 2, -y / 2, x / 2, -y / 2, x / 2, y / 2, -x / 2, y / 2 };
    return solidPrism(outline, 4, z);
}

// concave: its inner corner first, from which all of it is seen
static inline Solid solidAngle(void)
{
    static const double outline[12] = { 0, 0, 0, 1, -1, 1, -1, -1, 1, -1, 1, 0 };
    return solidPrism(outline, 6, 0.7);
}

// a blade of 4 degrees: beside its edge the normal of a single face has the wrong sign
static inline Solid solidWedge(void)
{
    static const double outline[6] = { 1, 0, -1, 0.07, -1, -0.07 };
    return solidPrism(outline, 3, 1);
}

// a point on a spike of four long triangles: the corner sees some of its faces from behind
static inline Solid solidSpike(void)
{
    Solid s = solidMake(5, 6);
    solidPoint(&s, -0.1, 0, -0.1);
    solidPoint(&s, 0.1, 0, -0.1);
    solidPoint(&s, 0.1, 0, 0.1);
    solidPoint(&s, -0.1, 0, 0.1);
    solidPoint(&s, 0.8, 1, 0); // leans over
    solidQuad(&s, 0, 1, 2, 3);
    for (int i = 0; i < 4; ++i)
        solidTriangle(&s, (i + 1) % 4, i, 4);
    return s;
}

static inline vvShapeDef solidDef(const Solid *solid)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_MESH;
    def.points = solid->point;
    def.pointCount = solid->pointCount;
    def.triangles = solid->triangle;
    def.triangleCount = solid->triangleCount;
    return def;
}

static inline vvShape *solidShape(const Solid *solid, double sampling)
{
    vvShapeDef def = solidDef(solid);
    def.sampling = sampling;
    vvResult result;
    vvShape *shape = vvCreateShape(&def, &result);
    if (shape == NULL)
        fail_msg("%s", result.message);
    return shape;
}

// distance to a segment, for the brute force: another way than the library's
static inline double segmentDistance(Vec3 p, Vec3 a, Vec3 b)
{
    Vec3 ab = vecSub(b, a);
    double t = vecDot(vecSub(p, a), ab) / vecDot(ab, ab);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return vecLength(vecSub(p, vecAdd(a, vecScale(t, ab))));
}

static inline double triangleDistance(Vec3 p, Vec3 a, Vec3 b, Vec3 c)
{
    Vec3 n = vecCross(vecSub(b, a), vecSub(c, a));
    double area = vecLength(n);
    n = vecScale(1 / area, n);
    bool over = vecDot(vecCross(vecSub(b, a), vecSub(p, a)), n) >= 0 &&
                vecDot(vecCross(vecSub(c, b), vecSub(p, b)), n) >= 0 &&
                vecDot(vecCross(vecSub(a, c), vecSub(p, c)), n) >= 0;
    if (over)
        return fabs(vecDot(vecSub(p, a), n));
    return fmin(segmentDistance(p, a, b), fmin(segmentDistance(p, b, c), segmentDistance(p, c, a)));
}

// solid angle of a triangle (Van Oosterom and Strackee 1983): their sum is 4 pi inside and 0 outside
static inline double solidAngleOf(Vec3 p, Vec3 a, Vec3 b, Vec3 c)
{
    a = vecSub(a, p);
    b = vecSub(b, p);
    c = vecSub(c, p);
    double la = vecLength(a), lb = vecLength(b), lc = vecLength(c);
    return 2 *
           atan2(vecDot(a, vecCross(b, c)), la * lb * lc + vecDot(a, b) * lc + vecDot(b, c) * la + vecDot(c, a) * lb);
}

static inline double bruteDistance(const Solid *solid, Vec3 p)
{
    double least = INFINITY, angle = 0;
    for (int t = 0; t < solid->triangleCount; ++t)
    {
        const int *v = solid->triangle + 3 * t;
        Vec3 a = vecLoad(solid->point + 3 * v[0]), b = vecLoad(solid->point + 3 * v[1]),
             c = vecLoad(solid->point + 3 * v[2]);
        least = fmin(least, triangleDistance(p, a, b, c));
        angle += solidAngleOf(p, a, b, c);
    }
    return angle > 2 * PI ? -least : least;
}

static inline Vec3 randomIn(TestRandom *random, double size)
{
    double x = randomBetween(random, -size, size), y = randomBetween(random, -size, size);
    return vec3(x, y, randomBetween(random, -size, size));
}

static inline Vec3 randomDirection(TestRandom *random)
{
    for (;;)
    {
        Vec3 d = randomIn(random, 1);
        double length = vecLength(d);
        if (length > 0.1 && length < 1)
            return vecScale(1 / length, d);
    }
}

#endif
