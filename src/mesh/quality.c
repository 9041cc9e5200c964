#include "mesh/build.h"

// ---- one element ----------------------------------------------------------------------------------------------------

// 3 r / R of a tet: r = 3 V / area, R = |a^2 (b x c) + b^2 (c x a) + c^2 (a x b)| / (12 V); Liu and Joe 1994,
// "Relationship between tetrahedron shape measures"
static double tetRatio(const double *point, const int *corner, double volume)
{
    static const int face[4][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 } };
    double area = 0;
    for (int f = 0; f < 4; ++f)
    {
        const int triangle[3] = { corner[face[f][0]], corner[face[f][1]], corner[face[f][2]] };
        area += triangleArea(point, triangle);
    }
    Vec3 origin = cornerPoint(point, corner[0]);
    Vec3 a = vecSub(cornerPoint(point, corner[1]), origin);
    Vec3 b = vecSub(cornerPoint(point, corner[2]), origin);
    Vec3 c = vecSub(cornerPoint(point, corner[3]), origin);
    Vec3 sum = vecAdd(vecScale(vecDot(a, a), vecCross(b, c)),
                      vecAdd(vecScale(vecDot(b, b), vecCross(c, a)), vecScale(vecDot(c, c), vecCross(a, b))));
    double inscribed = 3 * volume / area, circumscribed = vecLength(sum) / (12 * volume);
    return 3 * inscribed / circumscribed;
}

// 2 r / R = 16 area^2 / (a b c (a + b + c))
static double triangleRatio(const double *point, const int *corner)
{
    double a = edgeLength(point, corner[0], corner[1]), b = edgeLength(point, corner[1], corner[2]),
           c = edgeLength(point, corner[2], corner[0]), area = triangleArea(point, corner);
    return 16 * area * area / (a * b * c * (a + b + c));
}

void tetCosines(const double *point, const int *corner, double *least, double *largest)
{
    *least = 1;
    *largest = -1;
    for (int i = 0; i < 4; ++i)
    {
        for (int j = i + 1; j < 4; ++j)
        {
            // the edge i j and the two other corners: the angle between their parts across the edge
            int k = 0, other[2];
            for (int m = 0; m < 4; ++m)
            {
                if (m != i && m != j)
                    other[k++] = m;
            }
            Vec3 p = cornerPoint(point, corner[i]);
            Vec3 edge = vecSub(cornerPoint(point, corner[j]), p);
            Vec3 u = vecCross(edge, vecSub(cornerPoint(point, corner[other[0]]), p));
            Vec3 v = vecCross(edge, vecSub(cornerPoint(point, corner[other[1]]), p));
            double cosine = vecDot(u, v) / (vecLength(u) * vecLength(v));
            *least = minReal(*least, cosine);
            *largest = maxReal(*largest, cosine);
        }
    }
}

static void note(MeshQuality *quality, double ratio, int element)
{
    if (quality->worstElement < 0 || ratio < quality->worstRatio)
    {
        quality->worstRatio = ratio;
        quality->worstElement = element;
    }
}

// ---- the whole ------------------------------------------------------------------------------------------------------

static int rootOf(int *parent, int v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

static bool countComponents(Memory *memory, const vvMesh *mesh, int *count)
{
    int *parent = ALLOCATE(memory, int, mesh->vertexCount);
    if (parent == NULL)
        return false;
    for (int v = 0; v < mesh->vertexCount; ++v)
        parent[v] = v;
    *count = mesh->vertexCount;
    for (int i = 0; i < mesh->pairCount; ++i)
    {
        int a = rootOf(parent, mesh->pair[2 * i]), b = rootOf(parent, mesh->pair[2 * i + 1]);
        if (a != b)
        {
            parent[maxInt(a, b)] = minInt(a, b);
            *count -= 1;
        }
    }
    memoryRelease(memory, parent);
    return true;
}

// every edge is met as often one way as the other, and by two triangles
static bool checkClosed(Memory *memory, const vvMesh *mesh, bool *closed)
{
    int *met = ALLOCATE(memory, int, mesh->pairCount);
    int *sum = ALLOCATE(memory, int, mesh->pairCount);
    bool ok = met != NULL && sum != NULL;
    *closed = mesh->surfaceCount > 0;
    for (int i = 0; i < 3 * mesh->surfaceCount && ok; ++i)
    {
        int a = mesh->surface[i], b = mesh->surface[i % 3 == 2 ? i - 2 : i + 1];
        int pair = meshFindPair(mesh, a, b);
        met[pair] += 1;
        sum[pair] += a < b ? 1 : -1;
    }
    for (int i = 0; i < mesh->pairCount && ok; ++i)
        *closed &= met[i] == 0 || (met[i] == 2 && sum[i] == 0);
    memoryRelease(memory, met);
    memoryRelease(memory, sum);
    return ok;
}

bool meshQuality(const vvMesh *mesh, MeshQuality *quality)
{
    *quality = (MeshQuality){ .worstRatio = 1, .leastCosine = 1, .largestCosine = -1, .worstElement = -1 };
    for (int t = 0; t < mesh->tetCount; ++t)
    {
        const int *corner = mesh->callerTet + 4 * (size_t)t;
        double volume = tetVolume(mesh->callerPoint, corner);
        quality->smallestVolume = t == 0 ? volume : minReal(quality->smallestVolume, volume);
        quality->largestVolume = maxReal(quality->largestVolume, volume);
        double least, largest;
        tetCosines(mesh->callerPoint, corner, &least, &largest);
        quality->leastCosine = minReal(quality->leastCosine, least);
        quality->largestCosine = maxReal(quality->largestCosine, largest);
        note(quality, tetRatio(mesh->callerPoint, corner, volume), t);
    }
    for (int t = 0; t < mesh->surfaceCount && mesh->matter == MATTER_SHEET; ++t)
        note(quality, triangleRatio(mesh->callerPoint, mesh->callerSurface + 3 * (size_t)t), t);
    Memory memory = memoryMake(&mesh->memory.hook);
    return countComponents(&memory, mesh, &quality->componentCount) && checkClosed(&memory, mesh, &quality->closed);
}
