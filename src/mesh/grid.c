// Which meshes are grids: found from the edges, so that a grid given as arrays with its springs is one too.
#include "mesh/mesh.h"

// an edge along the grid joins a vertex to the next one of its line, or to the same one of the next line
static bool isAlong(int a, int b, int line)
{
    int low = minInt(a, b), high = maxInt(a, b);
    return high == low + line || (high == low + 1 && high % line != 0);
}

// caller's numbers
static bool hasPair(const vvMesh *mesh, int a, int b)
{
    return meshFindPair(mesh, mesh->vertexFromCaller[a], mesh->vertexFromCaller[b]) >= 0;
}

bool meshGrid(const vvMesh *mesh, MeshGrid *grid)
{
    if (mesh->matter != MATTER_SHEET)
        return false;
    // the first vertex has two neighbours: the second vertex, and the first of the next line
    int line = 0;
    long long along = 0;
    for (int e = 0; e < mesh->edgeCount; ++e)
    {
        const int *pair = mesh->callerEdge + 2 * (ptrdiff_t)e;
        bool structural = mesh->callerEdgeKind[e] == VV_EDGE_STRUCTURAL;
        if (structural && minInt(pair[0], pair[1]) == 0)
            line = maxInt(line, maxInt(pair[0], pair[1]));
        along += structural;
    }
    if (line < 2 || mesh->vertexCount % line != 0 || mesh->vertexCount / line < 2)
        return false;
    int nx = mesh->vertexCount / line - 1, nz = line - 1;
    for (int e = 0; e < mesh->edgeCount; ++e)
    {
        const int *pair = mesh->callerEdge + 2 * (ptrdiff_t)e;
        if (mesh->callerEdgeKind[e] == VV_EDGE_STRUCTURAL && !isAlong(pair[0], pair[1], line))
            return false;
    }
    if (along != (long long)nx * (nz + 1) + (long long)nz * (nx + 1))
        return false;
    for (int cell = 0; cell < nx * nz; ++cell)
    {
        int corner = cell / nz * line + cell % nz;
        if (!hasPair(mesh, corner, corner + line + 1) || !hasPair(mesh, corner + 1, corner + line))
            return false;
    }
    *grid = (MeshGrid){ nx, nz };
    return true;
}
