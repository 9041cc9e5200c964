#include "draw/stage.h"

#include <string.h>

static void toMap(const DepthMap *map, const Stage *stage, const Corner *corner, double uvd[3])
{
    Vec3 p = viewPoint(&stage->view, corner->point);
    uvd[0] = vecDot(p, map->axisU);
    uvd[1] = vecDot(p, map->axisV);
    uvd[2] = vecDot(p, map->axisD);
}

static bool castsNone(const Stage *stage, int triangle)
{
    const Paint *paint = &stage->paints[stage->triangles[triangle].paint];
    return paint->glass || paint->shadowless;
}

// what is much farther away than the target casts no shadow that a picture shows
static bool casts(const double uvd[3])
{
    return fabs(uvd[0]) < 8 && fabs(uvd[1]) < 8 && fabs(uvd[2]) < 8;
}

bool depthMapFit(DepthMap *map, const Stage *stage, double margin)
{
    double low[2] = { 1e30, 1e30 }, high[2] = { -1e30, -1e30 };
    for (int i = 0; i < 3 * stage->triangleCount; ++i)
    {
        double uvd[3];
        if (castsNone(stage, i / 3))
            continue;
        toMap(map, stage, &stage->triangles[i / 3].corner[i % 3], uvd);
        for (int k = 0; k < 2 && casts(uvd); ++k)
        {
            low[k] = minReal(low[k], uvd[k]);
            high[k] = maxReal(high[k], uvd[k]);
        }
    }
    if (!(low[0] <= high[0]))
        return false;
    double size = maxReal(maxReal(high[0] - low[0], high[1] - low[1]), 1e-3) * (1 + 2 * margin);
    map->texel = size / map->size;
    map->lowU = 0.5 * (low[0] + high[0] - size);
    map->lowV = 0.5 * (low[1] + high[1] - size);
    return true;
}

static void drawTriangle(DepthMap *map, const double corner[3][3])
{
    double p[3][3];
    for (int i = 0; i < 3; ++i)
    {
        // in texels; texel k has its centre at k
        p[i][0] = (corner[i][0] - map->lowU) / map->texel - 0.5;
        p[i][1] = (corner[i][1] - map->lowV) / map->texel - 0.5;
        p[i][2] = corner[i][2];
    }
    double area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
    if (!(fabs(area) > 1e-12))
        return;
    double low[2], high[2];
    for (int k = 0; k < 2; ++k)
    {
        low[k] = minReal(p[0][k], minReal(p[1][k], p[2][k]));
        high[k] = maxReal(p[0][k], maxReal(p[1][k], p[2][k]));
        if (high[k] < 0 || low[k] > map->size)
            return;
    }
    int left = maxInt(0, (int)ceil(low[0])), right = minInt(map->size - 1, (int)floor(high[0]));
    int top = maxInt(0, (int)ceil(low[1])), bottom = minInt(map->size - 1, (int)floor(high[1]));
    // shares of corners 1 and 2 are linear in u and v
    double s1u = (p[2][1] - p[0][1]) / area, s1v = -(p[2][0] - p[0][0]) / area;
    double s2u = -(p[1][1] - p[0][1]) / area, s2v = (p[1][0] - p[0][0]) / area;
    float stepU1 = (float)s1u, stepU2 = (float)s2u;
    float base = (float)p[0][2], rise1 = (float)(p[1][2] - p[0][2]), rise2 = (float)(p[2][2] - p[0][2]);
    for (int v = top; v <= bottom; ++v)
    {
        float *row = map->depth + (size_t)v * (size_t)map->size;
        float s1 = (float)(s1u * (left - p[0][0]) + s1v * (v - p[0][1]));
        float s2 = (float)(s2u * (left - p[0][0]) + s2v * (v - p[0][1]));
        for (int u = left; u <= right; ++u, s1 += stepU1, s2 += stepU2)
        {
            // neighbours overlap by a hair rather than leave a gap
            if (s1 < -1e-4f || s2 < -1e-4f || s1 + s2 > 1.0001f)
                continue;
            float depth = base + s1 * rise1 + s2 * rise2;
            if (depth > row[u])
                row[u] = depth;
        }
    }
}

void depthMapDraw(DepthMap *map, const Stage *stage)
{
    size_t texels = (size_t)map->size * (size_t)map->size;
    for (size_t i = 0; i < texels; ++i)
        map->depth[i] = NOTHING_THERE;
    for (int i = 0; i < stage->triangleCount; ++i)
    {
        double corner[3][3];
        bool good = !castsNone(stage, i);
        for (int k = 0; k < 3; ++k)
        {
            toMap(map, stage, &stage->triangles[i].corner[k], corner[k]);
            good = good && casts(corner[k]);
        }
        if (good)
            drawTriangle(map, (const double(*)[3])corner);
    }
}

// a box blur along every column; sums of all columns run down together
static void blurColumns(const float *from, float *to, float *sums, int size, int radius)
{
    float weight = 1 / (float)(2 * radius + 1);
    memset(sums, 0, (size_t)size * sizeof sums[0]);
    for (int y = -radius; y < size; ++y)
    {
        // beyond the border there is nothing
        const float *enter = from + (size_t)(y + radius) * (size_t)size;
        for (int x = 0; y + radius < size && x < size; ++x)
            sums[x] += enter[x];
        if (y < 0)
            continue;
        float *out = to + (size_t)y * (size_t)size;
        for (int x = 0; x < size; ++x)
            out[x] = weight * sums[x];
        const float *leave = from + (size_t)maxInt(y - radius, 0) * (size_t)size;
        for (int x = 0; y - radius >= 0 && x < size; ++x)
            sums[x] -= leave[x];
    }
}

static void transpose(const float *from, float *to, int size)
{
    for (int by = 0; by < size; by += 16)
        for (int bx = 0; bx < size; bx += 16)
            for (int y = by; y < minInt(by + 16, size); ++y)
                for (int x = bx; x < minInt(bx + 16, size); ++x)
                    to[(size_t)x * (size_t)size + (size_t)y] = from[(size_t)y * (size_t)size + (size_t)x];
}

void blurMap(float *map, float *work, int size, int radius)
{
    float sums[GROUND_SIZE];
    ASSERT(size <= GROUND_SIZE && radius < size, "a map that fits the sums, a blur that fits the map");
    for (int pass = 0; pass < 2; ++pass)
    {
        blurColumns(map, work, sums, size, radius);
        blurColumns(work, map, sums, size, radius);
        transpose(map, work, size);
        memcpy(map, work, (size_t)size * (size_t)size * sizeof map[0]);
    }
}
