// The lattice of a mesh: planes along it cut fewer edges than planes in arbitrary directions.
#include "linear/dissect.h"

typedef struct Cluster
{
    Vec3 axis; // of unit length
    Vec3 sum;  // of the edges, turned to the side of the axis
    int count;
} Cluster;

static bool isAlong(const Cluster *cluster, Vec3 unit)
{
    return fabs(vecDot(cluster->axis, unit)) > 0.95; // 18 degrees: 10 are too few for a mesh with 15 % of noise
}

static int findCluster(const Cluster *clusters, int found, Vec3 unit)
{
    int c = 0;
    while (c < found && !isAlong(&clusters[c], unit))
        c += 1;
    return c;
}

// Adds every edge to the first cluster of its direction, up to the sign; `most` limits the clusters.
static int clusterEdges(const Dissection *d, Cluster *clusters, int found, int most)
{
    for (int v = 0; v < d->count; ++v)
    {
        for (int p = d->near.start[v]; p < d->near.start[v + 1]; ++p)
        {
            int u = d->near.vertex[p];
            Vec3 edge = vecSub(vecLoad(d->points + 3 * (size_t)u), vecLoad(d->points + 3 * (size_t)v));
            double length = vecLength(edge);
            if (u < v || !(length > 0))
                continue;
            Vec3 unit = vecScale(1 / length, edge);
            int c = findCluster(clusters, found, unit);
            if (c == most)
                continue;
            if (c == found)
                clusters[found++] = (Cluster){ .axis = unit };
            clusters[c].sum = vecAdd(clusters[c].sum, vecScale(vecDot(unit, clusters[c].axis) < 0 ? -1 : 1, edge));
            clusters[c].count += 1;
        }
    }
    return found;
}

// The directions of the edges. The first edge of a cluster is its axis at first, then, three times, the mean of its
// edges: in a noisy mesh the first may be far off.
static int findClusters(const Dissection *d, Cluster *clusters)
{
    int found = clusterEdges(d, clusters, 0, CLUSTERS);
    for (int round = 0; round < 3; ++round)
    {
        for (int c = 0; c < found; ++c)
            if (clusters[c].count > 0)
                clusters[c] = (Cluster){ .axis = vecScale(1 / vecLength(clusters[c].sum), clusters[c].sum) };
        clusterEdges(d, clusters, found, found);
    }
    return found;
}

// Three mean edges that span the lattice: two clusters more than 53 degrees apart and the one across them, or, in a
// sheet, their normal; the triple with the most edges. Unchanged if there are no such two.
static void findEdges(const Dissection *d, Vec3 edge[3])
{
    Cluster clusters[CLUSTERS + 1];
    int found = findClusters(d, clusters), most = 0;
    for (int pair = 0; pair < found * found; ++pair)
    {
        const Cluster *a = &clusters[pair / found], *b = &clusters[pair % found];
        if (a <= b || a->count == 0 || b->count == 0 || fabs(vecDot(a->axis, b->axis)) > 0.6)
            continue;
        Vec3 normal = vecCross(a->axis, b->axis);
        clusters[found] = (Cluster){ .axis = vecScale(1 / vecLength(normal), normal) };
        const Cluster *c = &clusters[findCluster(clusters, found, clusters[found].axis)];
        if (a->count + b->count + c->count <= most)
            continue;
        most = a->count + b->count + c->count;
        edge[0] = vecScale(1.0 / a->count, a->sum);
        edge[1] = vecScale(1.0 / b->count, b->sum);
        edge[2] = c->count > 0 ? vecScale(1.0 / c->count, c->sum) : vecScale(vecLength(edge[0]), c->axis);
    }
}

// Normals of planes: axes, face diagonals and space diagonals, in the coordinates of the lattice. In those of the world
// the fill of a block is 40 % higher once it is rotated.
void dissectDirections(Dissection *d)
{
    Vec3 edge[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, coordinate[3];
    findEdges(d, edge);
    for (int k = 0; k < 3; ++k)
    {
        Vec3 normal = vecCross(edge[(k + 1) % 3], edge[(k + 2) % 3]);
        coordinate[k] = vecScale(1 / vecDot(edge[k], normal), normal);
    }
    for (int k = 0; k < DIRECTIONS; ++k)
    {
        int code = 14 + k; // x y z in base 3; the half below is opposite
        Vec3 xy = vecAdd(vecScale(code / 9 - 1, coordinate[0]), vecScale(code / 3 % 3 - 1, coordinate[1]));
        d->direction[k] = vecAdd(xy, vecScale(code % 3 - 1, coordinate[2]));
    }
}
