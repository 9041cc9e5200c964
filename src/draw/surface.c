// Surfaces: triangles over points, with normals that are smooth except where the rest shape has an edge.
#include "draw/stage.h"

#include <string.h>

#define SHARP 0.72 // cosine of the angle from which an edge of the rest shape stays sharp: 44 degrees

static Vec3 areaNormal(const double *points, const int *triangle)
{
    Vec3 a = vecLoad(points + 3 * (size_t)triangle[0]), b = vecLoad(points + 3 * (size_t)triangle[1]);
    Vec3 c = vecLoad(points + 3 * (size_t)triangle[2]);
    return vecCross(vecSub(b, a), vecSub(c, a));
}

// which triangles meet at a point: first[point] to first[point + 1] of `around`
typedef struct Fans
{
    int *first;       // pointCount + 2
    int *around;      // 3 x triangleCount
    double *normal;   // triangleCount x 3, length twice the area
    double *restUnit; // triangleCount x 3
} Fans;

static bool reserveFans(Stage *stage, int pointCount, int triangleCount, Fans *fans)
{
    size_t points = (size_t)pointCount + 2, triangles = (size_t)triangleCount;
    size_t needed = points * sizeof(int) + triangles * 3 * sizeof(int) + 2 * triangles * 3 * sizeof(double) + 64;
    if (needed > stage->scratchCapacity)
    {
        memoryRelease(stage->memory, stage->scratch);
        stage->scratch = memoryAllocate(stage->memory, needed, 1);
        stage->scratchCapacity = stage->scratch != NULL ? needed : 0;
    }
    if (stage->scratch == NULL)
        return false;
    fans->normal = stage->scratch;
    fans->restUnit = fans->normal + 3 * triangles;
    fans->first = (int *)(fans->restUnit + 3 * triangles);
    fans->around = fans->first + points;
    return true;
}

static void makeFans(Fans *fans, const double *points, const double *rest, int pointCount, const int *triangles,
                     int triangleCount)
{
    memset(fans->first, 0, ((size_t)pointCount + 2) * sizeof(int));
    for (int i = 0; i < 3 * triangleCount; ++i)
        fans->first[triangles[i] + 2] += 1;
    for (int i = 2; i < pointCount + 2; ++i)
        fans->first[i] += fans->first[i - 1];
    for (int i = 0; i < 3 * triangleCount; ++i)
        fans->around[fans->first[triangles[i] + 1]++] = i / 3;
    for (int i = 0; i < triangleCount; ++i)
    {
        vecStore(fans->normal + 3 * (size_t)i, areaNormal(points, triangles + 3 * (size_t)i));
        if (rest == NULL)
            continue;
        Vec3 unit = areaNormal(rest, triangles + 3 * (size_t)i);
        double length = vecLength(unit);
        vecStore(fans->restUnit + 3 * (size_t)i, length > 0 ? vecScale(1 / length, unit) : vec3(0, 0, 0));
    }
}

// the normal of a triangle's corner: all triangles around the point that are not beyond a sharp edge
static Vec3 cornerNormal(const Fans *fans, bool sharp, int triangle, int point)
{
    Vec3 sum = vec3(0, 0, 0), own = vecLoad(fans->restUnit + 3 * (size_t)triangle);
    for (int i = fans->first[point]; i < fans->first[point + 1]; ++i)
    {
        int other = fans->around[i];
        Vec3 normal = vecLoad(fans->normal + 3 * (size_t)other);
        bool joined = !sharp || other == triangle || vecDot(own, vecLoad(fans->restUnit + 3 * (size_t)other)) > SHARP;
        if (joined && vecFinite(normal))
            sum = vecAdd(sum, normal);
    }
    double largest = maxReal(fabs(sum.x), maxReal(fabs(sum.y), fabs(sum.z)));
    return largest > 0 && isfinite(largest) ? vecScale(1 / largest, sum) : vec3(0, 0, 0);
}

bool stageSurface(Stage *stage, const double *points, const double *rest, int pointCount, const int *triangles,
                  int triangleCount, const double *field, const Paint *paint)
{
    Fans fans;
    int index = stagePaint(stage, paint);
    if (index < 0 || !stageReserve(stage, triangleCount) || !reserveFans(stage, pointCount, triangleCount, &fans))
        return false;
    makeFans(&fans, points, rest, pointCount, triangles, triangleCount);
    for (int i = 0; i < triangleCount; ++i)
    {
        Triangle *out = &stage->triangles[stage->triangleCount];
        bool finite = true;
        for (int k = 0; k < 3; ++k)
        {
            int point = triangles[3 * (size_t)i + (size_t)k];
            Vec3 at = vecLoad(points + 3 * (size_t)point), normal = cornerNormal(&fans, rest != NULL, i, point);
            finite = finite && vecFinite(at);
            out->corner[k] = (Corner){ { at.x, at.y, at.z },
                                       { (float)normal.x, (float)normal.y, (float)normal.z },
                                       field != NULL ? (float)field[point] : 0 };
        }
        out->paint = index;
        stage->triangleCount += finite ? 1 : 0;
    }
    return true;
}
