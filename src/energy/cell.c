// Cells: the rows of A that give the deformation gradient of an edge, a triangle or a tet, and what limits on them
// share.
#include "energy/limit.h"

#include <stdio.h>

// the inverse of the rest edges of a triangle in its own plane, and its area
static double triangleRest(const Energy *energy, int element, const double *rest, double b[4])
{
    const int *vertices = laneVertices(energy, element / LANES);
    Vec3 origin = laneLoad(vertices, 0, element % LANES, rest);
    Vec3 e = vecSub(laneLoad(vertices, 1, element % LANES, rest), origin);
    Vec3 f = vecSub(laneLoad(vertices, 2, element % LANES, rest), origin);
    // in the plane: e = (length, 0), f = (along, height)
    double length = vecLength(e), along = vecDot(e, f) / length, twice = vecLength(vecCross(e, f));
    double height = twice / length;
    b[0] = 1 / length;
    b[1] = 0;
    b[2] = -along / (length * height);
    b[3] = 1 / height;
    return 0.5 * twice;
}

double cellPrepare(Energy *energy, int element, const Recipe *recipe, Rows shape)
{
    const int *vertices = laneVertices(energy, element / LANES);
    int lane = element % LANES;
    double *params = laneParams(energy, element / LANES);
    Vec3 e[3];
    for (int c = 1; c < shape.corners; ++c)
        e[c - 1] = vecSub(laneLoad(vertices, c, lane, recipe->rest), laneLoad(vertices, 0, lane, recipe->rest));
    if (shape.rows == 1)
    {
        *rowsCoefficient(params, lane, shape, 0, 1) = 1 / vecLength(e[0]);
        return vecLength(e[0]);
    }
    if (shape.rows == 2)
    {
        double b[4], area = triangleRest(energy, element, recipe->rest, b);
        for (int k = 0; k < 4; ++k)
            *rowsCoefficient(params, lane, shape, k / 2, 1 + k % 2) = b[k];
        return area * recipe->thickness;
    }
    Mat3 edges;
    for (int c = 0; c < 3; ++c)
    {
        edges.m[0][c] = e[c].x;
        edges.m[1][c] = e[c].y;
        edges.m[2][c] = e[c].z;
    }
    Mat3 inverse = matInverse(&edges);
    for (int k = 0; k < 9; ++k)
        *rowsCoefficient(params, lane, shape, k / 3, 1 + k % 3) = inverse.m[k % 3][k / 3];
    return matDeterminant(&edges) / 6;
}

void cellDescribe(const Energy *energy, const double *x, int element, Rows shape, char *text, size_t size)
{
    Vec3 f[3];
    rowsAt(energy, element, x, shape, f);
    Spectrum s = spectrumOf(f, shape.rows);
    snprintf(text, size, "%s %d: vertex %d and %d more, stretches %.4g %.4g %.4g", energy->kind->name, element,
             laneVertices(energy, element / LANES)[element % LANES], shape.rows, s.sigma[0], s.sigma[1], s.sigma[2]);
}

// ---- limits ---------------------------------------------------------------------------------------------------------

Rows limitShape(const Energy *energy)
{
    return (Rows){ energy->kind->corners - 1, energy->kind->corners, LIMIT_EXTRA };
}

void limitPrepare(Energy *energy, const Recipe *recipe, double factor)
{
    for (int i = 0; i < energy->blockCount * LANES; ++i)
    {
        double *params = laneParams(energy, i / LANES) + i % LANES;
        params[0] = factor * recipe->young * cellPrepare(energy, i, recipe, limitShape(energy));
        params[LIMIT_LOW * LANES] = recipe->low;
        params[LIMIT_HIGH * LANES] = recipe->high;
    }
}

void limitMajorizer(const Energy *energy, int block, double *out)
{
    rowsMajorizer(energy, block, limitShape(energy), 1, out);
}

void limitDescribe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    cellDescribe(energy, x, element, limitShape(energy), text, size);
}
