// Tangents of a render mesh from its texture coordinates: the direction at rest in which u grows, the mean over the
// faces of a point by their area. At a seam both sides count.
#include "mesh/embed.h"

// of a triangle: where u grows along it, times its area; 0 where the coordinates say nothing
static Vec3 alongU(const double *point, const int *corner, const double *const *uv)
{
    Vec3 a = cornerPoint(point, corner[0]);
    Vec3 e = vecSub(cornerPoint(point, corner[1]), a), f = vecSub(cornerPoint(point, corner[2]), a);
    double u1 = uv[1][0] - uv[0][0], v1 = uv[1][1] - uv[0][1], u2 = uv[2][0] - uv[0][0], v2 = uv[2][1] - uv[0][1];
    double determinant = u1 * v2 - u2 * v1, area = 0.5 * vecLength(vecCross(e, f));
    Vec3 along = vecSub(vecScale(v2, e), vecScale(v1, f));
    return vecScale(determinant < 0 ? -area : determinant > 0 ? area : 0, unitOf(along));
}

static void addFace(const vvEmbedding *e, const vvFaces *faces, int face, double *sum)
{
    int first = faces->starts[face], end = faces->starts[face + 1];
    for (int i = first + 1; i + 1 < end; ++i) // a fan
    {
        const int row[3] = { faces->coordinates[first], faces->coordinates[i], faces->coordinates[i + 1] };
        const int corner[3] = { faces->points[first], faces->points[i], faces->points[i + 1] };
        if (row[0] < 0 || row[1] < 0 || row[2] < 0)
            continue;
        const double *uv[3];
        for (int c = 0; c < 3; ++c)
            uv[c] = faces->coordinateValues + 2 * (size_t)row[c];
        Vec3 along = alongU(e->rest, corner, uv);
        for (int c = 0; c < 3; ++c)
        {
            double *own = sum + 3 * (size_t)corner[c];
            vecStore(own, vecAdd(vecLoad(own), along));
        }
    }
}

bool embeddingTangents(vvEmbedding *e, const vvFaces *faces)
{
    double *sum = ALLOCATE(&e->memory, double, 3 * (size_t)e->pointCount);
    for (int f = 0; f < faces->faceCount && sum != NULL; ++f)
        addFace(e, faces, f, sum);
    for (size_t i = 0; i < (size_t)e->pointCount && sum != NULL; ++i)
    {
        const float *n = e->normal + 3 * i;
        Vec3 normal = vec3((double)n[0], (double)n[1], (double)n[2]), along = vecLoad(sum + 3 * i);
        along = unitOf(vecSub(along, vecScale(vecDot(along, normal), normal)));
        if (!(vecLength(along) > 0)) // no coordinates there: any direction of the surface
            along = unitOf(vecCross(normal, fabs(normal.x) < 0.7 ? vec3(1, 0, 0) : vec3(0, 1, 0)));
        e->tangent[3 * i] = (float)along.x;
        e->tangent[3 * i + 1] = (float)along.y;
        e->tangent[3 * i + 2] = (float)along.z;
    }
    bool ok = sum != NULL;
    memoryRelease(&e->memory, sum);
    return ok;
}
