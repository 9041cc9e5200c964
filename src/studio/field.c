// What colours show: strain and speed per vertex.
#include "studio/show.h"

#include <string.h>

static Vec3 pointAt(const double *points, int index)
{
    return vecLoad(points + 3 * (size_t)index);
}

// edges of a triangle in its own plane: along the first edge, and the second one's two parts
static void flatten(const double *points, const int *triangle, double out[3])
{
    Vec3 a = vecSub(pointAt(points, triangle[1]), pointAt(points, triangle[0]));
    Vec3 b = vecSub(pointAt(points, triangle[2]), pointAt(points, triangle[0]));
    out[0] = vecLength(a);
    out[1] = vecDot(a, b) / out[0];
    out[2] = vecLength(vecCross(a, b)) / out[0];
}

static double triangleStrain(const double *rest, const double *points, const int *triangle)
{
    double r[3], p[3];
    flatten(rest, triangle, r);
    flatten(points, triangle, p);
    // F = P R^-1 of two upper triangular matrices; its singular values from trace and determinant of F^T F
    double f00 = p[0] / r[0], f01 = (p[1] - f00 * r[1]) / r[2], f11 = p[2] / r[2];
    double trace = f00 * f00 + f01 * f01 + f11 * f11, determinant = f00 * f11;
    double root = sqrt(maxReal(0.25 * trace * trace - determinant * determinant, 0));
    double large = sqrt(0.5 * trace + root), small = large > 0 ? fabs(determinant) / large : 0;
    return maxReal(fabs(large - 1), fabs(small - 1));
}

static double edgeStrain(const double *rest, const double *points, const int *edge)
{
    double before = vecLength(vecSub(pointAt(rest, edge[1]), pointAt(rest, edge[0])));
    double after = vecLength(vecSub(pointAt(points, edge[1]), pointAt(points, edge[0])));
    return fabs(after / before - 1);
}

void fieldStrain(ShownBody *body)
{
    const double *rest = body->rest;
    int triangles = body->triangleCount, corners = triangles > 0 ? 3 : 2;
    int cells = triangles > 0 ? triangles : body->lineCount;
    const int *cell = triangles > 0 ? body->triangle : body->line;
    memset(body->field, 0, (size_t)body->vertexCount * sizeof(double));
    memset(body->weight, 0, (size_t)body->vertexCount * sizeof(double));
    for (int i = 0; i < cells; ++i, cell += corners)
    {
        double strain = triangles > 0 ? triangleStrain(rest, body->points, cell) : edgeStrain(rest, body->points, cell);
        for (int k = 0; k < corners && isfinite(strain); ++k) // a face without area has none
        {
            body->field[cell[k]] += strain;
            body->weight[cell[k]] += 1;
        }
    }
    for (int i = 0; i < body->vertexCount; ++i)
        body->field[i] = body->weight[i] > 0 ? body->field[i] / body->weight[i] : 0;
}

void fieldSpeed(ShownBody *body, double seconds)
{
    for (int i = 0; i < body->vertexCount; ++i)
    {
        double speed = vecLength(vecSub(pointAt(body->points, i), pointAt(body->before, i))) / seconds;
        body->field[i] = body->changed && !isfinite(speed) ? 0 : speed; // where a new vertex was is not known
    }
}
