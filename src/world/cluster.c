// Clusters of a body for shape matching (Mueller 2005, section 4.3). Seeds lie as far apart as they can; a cluster
// reaches OVERLAP times as far from its seed as the farthest vertex that is nearest to it, and one ring further.
// Clusters that only touch are hinged: a shell of them folds, and stays so.
#include "world/world.h"

#include <string.h>

#define OVERLAP 1.5 // of the radius of a cluster: how far it reaches

static double squareBetween(const vvMesh *mesh, int a, int b)
{
    Vec3 d = vecSub(vecLoad(mesh->point + 3 * (ptrdiff_t)a), vecLoad(mesh->point + 3 * (ptrdiff_t)b));
    return vecDot(d, d);
}

int clustersOf(const vvMesh *mesh, int most, double *away, uint64_t *mask, uint64_t *near)
{
    int seeds[VV_MAX_CLUSTERS], seed = 0, clusters = 0, count = mesh->vertexCount;
    double radius[VV_MAX_CLUSTERS] = { 0 };
    for (int v = 0; v < count; ++v)
        away[v] = INFINITY;
    while (clusters < most && away[seed] > 0)
    {
        int farthest = 0;
        for (int v = 0; v < count; ++v)
        {
            double square = squareBetween(mesh, v, seed);
            if (square < away[v])
            {
                away[v] = square;
                near[v] = (uint64_t)clusters;
            }
            farthest = away[v] > away[farthest] ? v : farthest;
        }
        seeds[clusters++] = seed;
        seed = farthest;
    }
    for (int v = 0; v < count; ++v)
        radius[near[v]] = maxReal(radius[near[v]], away[v]);
    for (int v = 0; v < count; ++v)
    {
        mask[v] = 0;
        for (int k = 0; k < clusters; ++k)
        {
            bool inside = squareBetween(mesh, v, seeds[k]) <= OVERLAP * OVERLAP * radius[k];
            mask[v] |= inside || near[v] == (uint64_t)k ? (uint64_t)1 << k : 0;
        }
    }
    memcpy(near, mask, (size_t)count * sizeof(uint64_t));
    for (int e = 0; e < mesh->edgeCount; ++e)
    {
        mask[mesh->edge[2 * e]] |= near[mesh->edge[2 * e + 1]];
        mask[mesh->edge[2 * e + 1]] |= near[mesh->edge[2 * e]];
    }
    return clusters;
}
