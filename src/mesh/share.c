#include "mesh/build.h"

// Spring stiffness per Young's modulus: each element spreads its measure over its edges, k = E area / length^2 for
// triangles and k = E volume / length^2 for tets (Van Gelder 1998, "Approximate simulation of elastic membranes by
// triangulated spring meshes"). A segment of a rope is k = E (cross-section) / length.

static void addElement(const vvMesh *mesh, const int *corner, int width, double measure, double *weight)
{
    for (int i = 0; i < width; ++i)
    {
        for (int j = i + 1; j < width; ++j)
        {
            Vec3 d = vecSub(cornerPoint(mesh->point, corner[i]), cornerPoint(mesh->point, corner[j]));
            weight[meshFindPair(mesh, corner[i], corner[j])] += measure / vecDot(d, d);
        }
    }
}

static void shareRope(vvMesh *mesh)
{
    for (int e = 0; e < mesh->edgeCount; ++e)
    {
        bool matter = mesh->edgeKind[e] == VV_EDGE_STRUCTURAL;
        double length = edgeLength(mesh->point, mesh->edge[2 * e], mesh->edge[2 * e + 1]);
        mesh->edgeShare[e] = matter ? 1 / length : 0;
    }
}

bool shareStiffness(Memory *memory, vvMesh *mesh)
{
    if (mesh->matter == MATTER_ROPE)
    {
        shareRope(mesh);
        return true;
    }
    double *weight = ALLOCATE(memory, double, mesh->pairCount);
    if (weight == NULL)
        return false;
    for (int t = 0; t < mesh->tetCount; ++t)
        addElement(mesh, mesh->tet + 4 * t, 4, tetVolume(mesh->point, mesh->tet + 4 * t), weight);
    for (int t = 0; t < mesh->surfaceCount && mesh->matter == MATTER_SHEET; ++t)
        addElement(mesh, mesh->surface + 3 * t, 3, triangleArea(mesh->point, mesh->surface + 3 * t), weight);
    // an edge that belongs to no element keeps 0
    for (int e = 0; e < mesh->edgeCount; ++e)
        mesh->edgeShare[e] = weight[meshFindPair(mesh, mesh->edge[2 * e], mesh->edge[2 * e + 1])];
    memoryRelease(memory, weight);
    return true;
}
