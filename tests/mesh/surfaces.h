// Surfaces as artists make them, with their faults: made by formulas, for tests.
#ifndef TESTS_MESH_SURFACES_H
#define TESTS_MESH_SURFACES_H

#include "base/vec.h"

#include <verve/mesh.h>

#include <stdlib.h>
#include <string.h>

typedef struct Soup
{
    double *point; // pointCount x 3
    int *triangle; // triangleCount x 3
    int pointCount, triangleCount;
    size_t pointRoom, triangleRoom;
} Soup;

static inline void soupFree(Soup *soup)
{
    free(soup->point);
    free(soup->triangle);
    *soup = (Soup){ 0 };
}

// the mesh of its triangles; the arrays stay those of the soup
static inline vvMeshDef soupDef(const Soup *soup)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = soup->point;
    def.pointCount = soup->pointCount;
    def.triangles = soup->triangle;
    def.triangleCount = soup->triangleCount;
    return def;
}

static inline int soupPoint(Soup *soup, double x, double y, double z)
{
    if ((size_t)soup->pointCount == soup->pointRoom)
    {
        soup->pointRoom = 2 * soup->pointRoom + 64;
        soup->point = realloc(soup->point, 3 * soup->pointRoom * sizeof(double));
    }
    vecStore(soup->point + 3 * (size_t)soup->pointCount, vec3(x, y, z));
    return soup->pointCount++;
}

static inline void soupFace(Soup *soup, int a, int b, int c)
{
    if ((size_t)soup->triangleCount == soup->triangleRoom)
    {
        soup->triangleRoom = 2 * soup->triangleRoom + 64;
        soup->triangle = realloc(soup->triangle, 3 * soup->triangleRoom * sizeof(int));
    }
    int *corner = soup->triangle + 3 * (size_t)soup->triangleCount++;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
}

static inline void soupQuad(Soup *soup, int a, int b, int c, int d)
{
    soupFace(soup, a, b, c);
    soupFace(soup, a, c, d);
}

// six grids of n x n quads, pushed onto a ball or left a box
static inline void soupCube(Soup *soup, Vec3 centre, Vec3 half, int n, bool ball)
{
    for (int side = 0; side < 6; ++side)
    {
        int axis = side / 2, first = soup->pointCount;
        double sign = side % 2 == 0 ? -1 : 1;
        for (int i = 0; i <= n; ++i)
        {
            for (int j = 0; j <= n; ++j)
            {
                double p[3], u = 2.0 * i / n - 1, v = 2.0 * j / n - 1;
                p[axis] = sign;
                p[(axis + 1) % 3] = u;
                p[(axis + 2) % 3] = v;
                double length = ball ? sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) : 1;
                soupPoint(soup, centre.x + half.x * p[0] / length, centre.y + half.y * p[1] / length,
                          centre.z + half.z * p[2] / length);
            }
        }
        for (int i = 0; i < n; ++i)
        {
            for (int j = 0; j < n; ++j)
            {
                int a = first + i * (n + 1) + j, b = a + n + 1;
                if (sign > 0)
                    soupQuad(soup, a, b, b + 1, a + 1);
                else
                    soupQuad(soup, a, a + 1, b + 1, b);
            }
        }
    }
}

static inline void soupBall(Soup *soup, Vec3 centre, double radius, int n)
{
    soupCube(soup, centre, vec3(radius, radius, radius), n, true);
}

static inline void soupBox(Soup *soup, Vec3 centre, Vec3 half, int n)
{
    soupCube(soup, centre, half, n, false);
}

static inline void soupTorus(Soup *soup, double ring, double tube, int around, int across)
{
    int first = soup->pointCount;
    for (int i = 0; i < around; ++i)
    {
        for (int j = 0; j < across; ++j)
        {
            double a = 2 * PI * i / around, b = 2 * PI * j / across, r = ring + tube * cos(b);
            soupPoint(soup, r * cos(a), tube * sin(b), r * sin(a));
        }
    }
    for (int i = 0; i < around; ++i)
    {
        for (int j = 0; j < across; ++j)
        {
            int k = (i + 1) % around, l = (j + 1) % across;
            soupQuad(soup, first + i * across + j, first + i * across + l, first + k * across + l,
                     first + k * across + j);
        }
    }
}

static inline void soupTurn(Soup *soup, int first, int end, int stride)
{
    for (int t = first; t < end; t += stride)
    {
        int swap = soup->triangle[3 * t];
        soup->triangle[3 * t] = soup->triangle[3 * t + 1];
        soup->triangle[3 * t + 1] = swap;
    }
}

// leaves out the faces whose corners are all above a height
static inline void soupOpen(Soup *soup, double height)
{
    int kept = 0;
    for (int t = 0; t < soup->triangleCount; ++t)
    {
        const int *c = soup->triangle + 3 * (size_t)t;
        bool above = true;
        for (int i = 0; i < 3; ++i)
            above = above && soup->point[3 * (size_t)c[i] + 1] > height;
        if (!above)
            memmove(soup->triangle + 3 * (size_t)kept++, c, 3 * sizeof(int));
    }
    soup->triangleCount = kept;
}

// every face gets points of its own, as in STL
static inline void soupTear(Soup *soup)
{
    Soup torn = { 0 };
    for (int t = 0; t < soup->triangleCount; ++t)
    {
        for (int i = 0; i < 3; ++i)
        {
            const double *p = soup->point + 3 * (size_t)soup->triangle[3 * t + i];
            soupPoint(&torn, p[0], p[1], p[2]);
        }
        soupFace(&torn, 3 * t, 3 * t + 1, 3 * t + 2);
    }
    soupFree(soup);
    *soup = torn;
}

#endif
