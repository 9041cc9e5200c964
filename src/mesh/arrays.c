#include "mesh/build.h"

#include <limits.h>
#include <string.h>

// ---- memory ---------------------------------------------------------------------------------------------------------

// Twice the number of vertex pairs must still count in int: 6 pairs per tet, 3 per triangle, 1 per edge.
static bool tooManyElements(double tets, double triangles, double edges)
{
    return 6 * tets + 3 * triangles + edges > INT_MAX / 2;
}

static vvResult checkFit(double points, double tets, double triangles, double edges)
{
    if (points > VV_MAX_VERTICES)
        return resultMake(VV_BAD_INPUT, "use fewer cells, or several meshes", "a mesh of %.0f points, at most %d fit",
                          points, VV_MAX_VERTICES);
    if (tooManyElements(tets, triangles, edges))
        return resultMake(VV_BAD_INPUT, "use fewer elements, or several meshes",
                          "%.0f tets, %.0f triangles and %.0f edges: 6, 3 and 1 pairs each must not exceed %d", tets,
                          triangles, edges, INT_MAX / 2);
    return resultOk();
}

vvResult arraysFit(const MeshArrays *arrays)
{
    return checkFit(arrays->pointCount, arrays->tetCount, arrays->triangleCount, arrays->edgeCount);
}

vvResult arraysAllocate(MeshArrays *arrays, double points, double tets, double triangles, double edges)
{
    vvResult result = checkFit(points, tets, triangles, edges);
    if (result.code != VV_OK)
        return result;
    arrays->pointCount = (int)points;
    arrays->tetCount = (int)tets;
    arrays->triangleCount = (int)triangles;
    arrays->edgeCount = (int)edges;
    arrays->point = ALLOCATE(arrays->memory, double, 3 * points);
    arrays->tet = ALLOCATE(arrays->memory, int, 4 * tets);
    arrays->triangle = ALLOCATE(arrays->memory, int, 3 * triangles);
    arrays->edge = ALLOCATE(arrays->memory, int, 2 * edges);
    arrays->edgeKind = ALLOCATE(arrays->memory, int, edges);
    if (arrays->point == NULL || arrays->tet == NULL || arrays->triangle == NULL || arrays->edge == NULL ||
        arrays->edgeKind == NULL)
        return resultOutOfMemory("the arrays of a mesh");
    return resultOk();
}

void arraysRelease(MeshArrays *arrays)
{
    memoryRelease(arrays->memory, arrays->point);
    memoryRelease(arrays->memory, arrays->tet);
    memoryRelease(arrays->memory, arrays->triangle);
    memoryRelease(arrays->memory, arrays->edge);
    memoryRelease(arrays->memory, arrays->edgeKind);
    memoryRelease(arrays->memory, arrays->edgeShare);
    memoryRelease(arrays->memory, arrays->edgeSide);
    memoryRelease(arrays->memory, arrays->toCaller);
    memoryRelease(arrays->memory, arrays->naming.point);
    memoryRelease(arrays->memory, arrays->faces);
    *arrays = (MeshArrays){ .memory = arrays->memory };
}

// ---- the caller's arrays --------------------------------------------------------------------------------------------

static vvResult checkCount(const char *name, int count, bool given)
{
    if (count < 0)
        return resultMake(VV_BAD_INPUT, "give the number of rows of the array, or 0",
                          "%sCount is %d, must not be below 0", name, count);
    if (count > 0 && !given)
        return resultMake(VV_BAD_INPUT, "give the array, or set its count to 0", "%sCount is %d but the array is NULL",
                          name, count);
    return resultOk();
}

static vvResult checkCounts(const vvMeshDef *def)
{
    if (def->pointCount < 1 || def->pointCount > VV_MAX_VERTICES)
        return resultMake(VV_BAD_INPUT, "give at least the points of one element, or split the mesh",
                          "pointCount is %d, must be 1 to %d", def->pointCount, VV_MAX_VERTICES);
    const char *names[] = { "point", "tet", "triangle", "edge" };
    int counts[] = { def->pointCount, def->tetCount, def->triangleCount, def->edgeCount };
    bool given[] = { def->points != NULL, def->tets != NULL, def->triangles != NULL, def->edges != NULL };
    for (int i = 0; i < 4; ++i)
    {
        vvResult result = checkCount(names[i], counts[i], given[i]);
        if (result.code != VV_OK)
            return result;
    }
    if (def->tetCount == 0 && def->triangleCount == 0 && def->edgeCount == 0 && !def->particles)
        return resultMake(VV_BAD_INPUT, "give tets (a solid), triangles (a sheet) or edges (a rope), or set particles",
                          "the mesh has %d points and no elements, must have at least 1", def->pointCount);
    return resultOk();
}

vvResult arraysCopy(MeshArrays *arrays, const vvMeshDef *def)
{
    vvResult result = checkCounts(def);
    if (result.code != VV_OK)
        return result;
    // the surface of a solid is the boundary of its tets, whatever triangles came with it
    int triangleCount = def->tetCount > 0 ? 0 : def->triangleCount;
    result = arraysAllocate(arrays, def->pointCount, def->tetCount, triangleCount, def->edgeCount);
    if (result.code != VV_OK)
        return result;
    arrays->particles = def->particles && arraysMatter(arrays) == MATTER_ROPE;
    memcpy(arrays->point, def->points, sizeof(double) * 3 * (size_t)arrays->pointCount);
    if (arrays->tetCount > 0)
        memcpy(arrays->tet, def->tets, sizeof(int) * 4 * (size_t)arrays->tetCount);
    if (arrays->triangleCount > 0)
        memcpy(arrays->triangle, def->triangles, sizeof(int) * 3 * (size_t)arrays->triangleCount);
    if (arrays->edgeCount > 0)
        memcpy(arrays->edge, def->edges, sizeof(int) * 2 * (size_t)arrays->edgeCount);
    if (arrays->edgeCount > 0 && def->edgeKinds != NULL)
        memcpy(arrays->edgeKind, def->edgeKinds, sizeof(int) * (size_t)arrays->edgeCount);
    if (def->faces == NULL || arrays->tetCount > 0)
        return result;
    result = facesCheck(def->faces, arrays->pointCount);
    if (result.code != VV_OK)
        return result;
    arrays->faces = facesCopy(arrays->memory, def->faces, NULL);
    return arrays->faces != NULL ? result : resultOutOfMemory("the faces of a mesh");
}

// ---- what they are --------------------------------------------------------------------------------------------------

void arraysOrient(MeshArrays *arrays)
{
    for (int t = 0; t < arrays->tetCount; ++t)
    {
        int *corner = arrays->tet + 4 * t;
        if (tetVolume(arrays->point, corner) < 0)
        {
            int swap = corner[2];
            corner[2] = corner[3];
            corner[3] = swap;
        }
    }
}

MeshMatter arraysMatter(const MeshArrays *arrays)
{
    if (arrays->tetCount > 0)
        return MATTER_SOLID;
    return arrays->triangleCount > 0 ? MATTER_SHEET : MATTER_ROPE;
}
