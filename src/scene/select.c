// Which vertices a `where` means.
#include "scene/built.h"

#include <string.h>

static vvVec3 pointAt(const vvMesh *mesh, int vertex)
{
    const double *p = vvMesh_GetPoints(mesh) + 3 * (ptrdiff_t)vertex;
    return (vvVec3){ p[0], p[1], p[2] };
}

static double squaredDistance(vvVec3 a, vvVec3 b)
{
    return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z);
}

static bool insideBox(vvVec3 p, vvVec3 low, vvVec3 high)
{
    return p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y && p.z >= low.z && p.z <= high.z;
}

static vvResult selectNumbers(int count, const Json *list, const char *path, unsigned char *chosen)
{
    int index = 0;
    TREE_EACH(entry, list)
    {
        int vertex = (int)entry->number;
        if (vertex >= count)
            return resultMake(VV_BAD_INPUT, "vertices count from 0 in the order of the mesh",
                              "%s.where.vertices[%d] is %d, must be 0 to %d", path, index, vertex, count - 1);
        chosen[vertex] = 1;
        index += 1;
    }
    return resultOk();
}

static vvResult refuseNothing(const vvMesh *mesh, const char *path)
{
    vvVec3 low = pointAt(mesh, 0), high = low;
    for (int v = 1; v < vvMesh_GetVertexCount(mesh); ++v)
    {
        vvVec3 p = pointAt(mesh, v);
        low = (vvVec3){ minReal(low.x, p.x), minReal(low.y, p.y), minReal(low.z, p.z) };
        high = (vvVec3){ maxReal(high.x, p.x), maxReal(high.y, p.y), maxReal(high.z, p.z) };
    }
    return resultMake(VV_BAD_INPUT, "choose among the mesh's points, after scale and rotate and before position",
                      "%s.where selects no vertex; the mesh reaches from [%.4g, %.4g, %.4g] to [%.4g, %.4g, %.4g] m",
                      path, low.x, low.y, low.z, high.x, high.y, high.z);
}

vvResult selectVertices(const vvMesh *mesh, const Json *where, const char *path, unsigned char *chosen, int *count)
{
    const Json *box = treeItem(where, "box"), *sphere = treeItem(where, "sphere");
    const Json *numbers = treeItem(where, "vertices");
    int vertexCount = vvMesh_GetVertexCount(mesh);
    memset(chosen, 0, (size_t)vertexCount);
    vvResult result = resultOk();
    if (numbers != NULL)
        result = selectNumbers(vertexCount, numbers, path, chosen);
    vvVec3 low = { 0 }, high = { 0 }, centre = treeVector(sphere, "centre");
    double radius = treeNumber(sphere, "radius", 0);
    if (box != NULL)
    {
        low = treePoint(box->first);
        high = treePoint(box->first->next);
    }
    *count = 0;
    for (int v = 0; v < vertexCount && result.code == VV_OK; ++v)
    {
        if (box != NULL)
            chosen[v] = insideBox(pointAt(mesh, v), low, high);
        else if (sphere != NULL)
            chosen[v] = squaredDistance(pointAt(mesh, v), centre) <= radius * radius;
        else if (numbers == NULL)
            chosen[v] = 1;
        *count += chosen[v];
    }
    if (result.code == VV_OK && *count == 0)
        result = refuseNothing(mesh, path);
    return result;
}

int selectNearest(const vvMesh *mesh, vvVec3 point)
{
    int best = 0;
    for (int v = 1; v < vvMesh_GetVertexCount(mesh); ++v)
    {
        if (squaredDistance(pointAt(mesh, v), point) < squaredDistance(pointAt(mesh, best), point))
            best = v;
    }
    return best;
}
