#include "mesh/build.h"

#define SHORTEST 1e-12 // m, of an element: a hundredth of an atom; areas and volumes stay numbers between these
#define FLATNESS 1e-12 // smallest volume per longest edge^3, smallest area per longest edge^2

// ---- corners --------------------------------------------------------------------------------------------------------

static bool cornersFit(const int *corner, int width, int pointCount)
{
    for (int i = 0; i < width; ++i)
    {
        if (corner[i] < 0 || corner[i] >= pointCount)
            return false;
        for (int j = 0; j < i; ++j)
        {
            if (corner[i] == corner[j])
                return false;
        }
    }
    return true;
}

// says in words why cornersFit refused
static vvResult cornerFault(MeshArrays *arrays, const char *name, int number, const int *corner, int width)
{
    const Naming *naming = &arrays->naming;
    int last = arrays->pointCount - 1;
    for (int i = 0; i < width; ++i)
    {
        if (corner[i] < 0 || corner[i] > last)
            return resultMake(VV_BAD_INPUT, "indices count from 0; a file that counts from 1 needs 1 subtracted",
                              "%s %d names point %d, must be 0 to %d", name, naming->first + number, corner[i], last);
    }
    for (int i = 0; i < width; ++i)
    {
        for (int j = 0; j < i; ++j)
        {
            if (corner[i] == corner[j])
                return resultMake(
                    VV_BAD_INPUT,
                    "remove the element, or let 'verve mesh doctor FILE --fix OUT' do it (vvCreateRepairedMesh)",
                    "%s %d names point %lld twice, its %d points must differ", name, naming->first + number,
                    pointName(naming, corner[i]), width);
        }
    }
    return resultOk();
}

// ---- elements -------------------------------------------------------------------------------------------------------

vvResult checkMeshPoints(const MeshArrays *arrays)
{
    for (int i = 0; i < arrays->pointCount; ++i)
    {
        Vec3 p = cornerPoint(arrays->point, i);
        if (!(fabs(p.x) <= FARTHEST && fabs(p.y) <= FARTHEST && fabs(p.z) <= FARTHEST)) // NaN is refused too
            return resultMake(VV_BAD_INPUT, "repair the coordinates, or scale them to metres",
                              "point %lld is (%g, %g, %g), must be finite and within %g m",
                              pointName(&arrays->naming, i), p.x, p.y, p.z, FARTHEST);
    }
    return resultOk();
}

static vvResult checkLength(const char *name, int number, double longest)
{
    if (longest >= SHORTEST || longest == 0)
        return resultOk();
    return resultMake(VV_BAD_INPUT, "scale the mesh to metres", "%s %d is %g m long, must be at least %g m", name,
                      number, longest, SHORTEST);
}

static vvResult checkTets(MeshArrays *arrays, bool reorient, int *reorientedCount)
{
    Naming *naming = &arrays->naming;
    int first = naming->first;
    naming->width = 4;
    for (int t = 0; t < arrays->tetCount; ++t)
    {
        naming->number = t;
        int *corner = arrays->tet + 4 * t;
        if (!cornersFit(corner, 4, arrays->pointCount))
            return cornerFault(arrays, "tet", t, corner, 4);
        double volume = tetVolume(arrays->point, corner);
        double longest = longestEdge(arrays->point, corner, 4);
        double least = FLATNESS * longest * longest * longest;
        vvResult result = checkLength("tet", first + t, longest);
        if (result.code != VV_OK)
            return result;
        if (!(fabs(volume) > least)) // NaN is refused too
            return resultMake(VV_BAD_INPUT,
                              "remove the tet, or let 'verve mesh doctor FILE --fix OUT' do it (vvCreateRepairedMesh)",
                              "tet %d is flat: its volume is %.3g m^3, must be above %.3g (1e-12 x longest edge^3)",
                              first + t, volume, least);
        if (volume > 0)
            continue;
        if (!reorient)
            return resultMake(VV_BAD_INPUT, "set reorient, which swaps two corners of such tets",
                              "tet %d has the volume %.3g m^3, must be above 0", first + t, volume);
        int swap = corner[2];
        corner[2] = corner[3];
        corner[3] = swap;
        *reorientedCount += 1;
    }
    return resultOk();
}

static vvResult checkTriangles(MeshArrays *arrays)
{
    Naming *naming = &arrays->naming;
    int first = naming->first;
    naming->width = 3;
    for (int t = 0; t < arrays->triangleCount; ++t)
    {
        naming->number = t;
        const int *corner = arrays->triangle + 3 * t;
        if (!cornersFit(corner, 3, arrays->pointCount))
            return cornerFault(arrays, "triangle", t, corner, 3);
        double area = triangleArea(arrays->point, corner);
        double longest = longestEdge(arrays->point, corner, 3);
        double least = FLATNESS * longest * longest;
        vvResult result = checkLength("triangle", first + t, longest);
        if (result.code != VV_OK)
            return result;
        if (!(area > least))
            return resultMake(
                VV_BAD_INPUT,
                "remove the triangle, or let 'verve mesh doctor FILE --fix OUT' do it (vvCreateRepairedMesh)",
                "triangle %d is flat: its area is %.3g m^2, must be above %.3g (1e-12 x longest edge^2)", first + t,
                area, least);
    }
    return resultOk();
}

static vvResult checkEdges(MeshArrays *arrays)
{
    Naming *naming = &arrays->naming;
    int first = naming->first;
    naming->width = 2;
    for (int e = 0; e < arrays->edgeCount; ++e)
    {
        naming->number = e;
        const int *corner = arrays->edge + 2 * e;
        if (!cornersFit(corner, 2, arrays->pointCount))
            return cornerFault(arrays, "edge", e, corner, 2);
        double length = edgeLength(arrays->point, corner[0], corner[1]);
        vvResult result = checkLength("edge", first + e, length);
        if (result.code != VV_OK)
            return result;
        if (!(length > 0) || !isfinite(length))
            return resultMake(VV_BAD_INPUT, "remove the edge or move its points apart",
                              "edge %d between points %lld and %lld has the length %g m, must be above 0 and finite",
                              first + e, pointName(naming, corner[0]), pointName(naming, corner[1]), length);
        int kind = arrays->edgeKind[e];
        if (kind < 0 || kind >= VV_EDGE_KINDS)
            return resultMake(VV_BAD_INPUT, "use a vvEdgeKind, or edgeKinds NULL for structural edges",
                              "edge %d has the kind %d, must be 0 to %d", first + e, kind, VV_EDGE_KINDS - 1);
    }
    return resultOk();
}

// ---- the mesh as a whole --------------------------------------------------------------------------------------------

static vvResult checkRepeatedEdges(MeshArrays *arrays)
{
    Naming *naming = &arrays->naming;
    Memory *memory = arrays->memory;
    int count = arrays->edgeCount;
    int *key = ALLOCATE(memory, int, 2 * (size_t)count);
    int *order = ALLOCATE(memory, int, count);
    vvResult result = resultOutOfMemory("the check of the edges");
    for (int e = 0; e < count && key != NULL; ++e)
    {
        key[2 * e] = minInt(arrays->edge[2 * e], arrays->edge[2 * e + 1]);
        key[2 * e + 1] = maxInt(arrays->edge[2 * e], arrays->edge[2 * e + 1]);
    }
    if (key != NULL && order != NULL && sortTuples(memory, key, count, 2, arrays->pointCount, order))
    {
        result = resultOk();
        for (int i = 1; i < count && result.code == VV_OK; ++i)
        {
            const int *a = key + 2 * order[i - 1], *b = key + 2 * order[i];
            if (a[0] == b[0] && a[1] == b[1])
            {
                naming->number = order[i];
                result = resultMake(VV_BAD_INPUT, "remove one of the two, and give the other the stiffness of both",
                                    "edges %d and %d both join points %lld and %lld, only 1 may",
                                    naming->first + order[i - 1], naming->first + order[i], pointName(naming, a[0]),
                                    pointName(naming, a[1]));
            }
        }
    }
    memoryRelease(memory, key);
    memoryRelease(memory, order);
    return result;
}

// marks the points that matter reaches: the others would have no mass
static const char *markMatter(const MeshArrays *arrays, bool *used)
{
    for (int i = 0; i < 4 * arrays->tetCount; ++i)
        used[arrays->tet[i]] = true;
    for (int i = 0; i < 3 * arrays->triangleCount; ++i)
        used[arrays->triangle[i]] = true;
    MeshMatter matter = arraysMatter(arrays);
    for (int i = 0; i < 2 * arrays->edgeCount && matter == MATTER_ROPE; ++i)
        used[arrays->edge[i]] |= arrays->edgeKind[i / 2] == VV_EDGE_STRUCTURAL;
    return matter == MATTER_SOLID ? "tet" : matter == MATTER_SHEET ? "triangle" : "structural edge";
}

static vvResult checkUnused(MeshArrays *arrays)
{
    arrays->naming.width = 0;
    bool *used = ALLOCATE(arrays->memory, bool, arrays->pointCount);
    if (used == NULL)
        return resultOutOfMemory("the check of the points");
    const char *element = markMatter(arrays, used);
    for (int i = 0; i < arrays->pointCount && arrays->particles; ++i)
        used[i] = true;
    vvResult result = resultOk();
    for (int i = 0; i < arrays->pointCount && result.code == VV_OK; ++i)
    {
        if (!used[i])
            result = resultMake(VV_BAD_INPUT, "remove the point and renumber, or add the element that uses it",
                                "point %lld belongs to no %s and would have no mass, must belong to at least 1",
                                pointName(&arrays->naming, i), element);
    }
    memoryRelease(arrays->memory, used);
    return result;
}

vvResult checkArrays(MeshArrays *arrays, bool reorient, int *reorientedCount)
{
    vvResult result = checkMeshPoints(arrays);
    if (result.code == VV_OK)
        result = checkTets(arrays, reorient, reorientedCount);
    if (result.code == VV_OK)
        result = checkTriangles(arrays);
    if (result.code == VV_OK)
        result = checkEdges(arrays);
    if (result.code == VV_OK)
        result = checkRepeatedEdges(arrays);
    if (result.code == VV_OK)
        result = checkUnused(arrays);
    return result;
}
