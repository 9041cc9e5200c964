// Rods: ropes with a vertex beside each segment. The segment and the direction to that vertex are its material frame.
#include "mesh/build.h"

#include <string.h>

double meshSideShare(double length, double thickness)
{
    double distance = SIDE_DISTANCE * length;
    return minReal(maxReal(thickness * thickness / (8 * distance * distance), LEAST_SIDE), MOST_SIDE);
}

// ---- directions to the sides ----------------------------------------------------------------------------------------

// The turn that takes one unit vector to another, the shortest, applied to a vector across the first; a turn by half is
// about that vector.
static Vec3 transport(Vec3 from, Vec3 to, Vec3 v)
{
    double c = vecDot(from, to);
    if (c < -1 + 1e-12)
        return v;
    Vec3 axis = vecCross(from, to);
    Vec3 turned = vecAdd(vecAdd(vecScale(c, v), vecCross(axis, v)), vecScale(vecDot(axis, v) / (1 + c), axis));
    turned = vecSub(turned, vecScale(vecDot(turned, to), to));
    return vecScale(1 / vecLength(turned), turned);
}

// across t: up where it can be
static Vec3 acrossFrom(Vec3 t)
{
    Vec3 up = fabs(t.y) < 0.9 ? vec3(0, 1, 0) : vec3(0, 0, 1);
    Vec3 across = vecSub(up, vecScale(vecDot(up, t), t));
    return vecScale(1 / vecLength(across), across);
}

typedef struct Walk
{
    const MeshArrays *arrays;
    int *start, *edge; // structural edges of a vertex: edge[start[v] .. start[v + 1])
    int *queue;        // edges that have a side
    Vec3 *side;        // edgeCount, unit vectors
    bool *done;        //
} Walk;

static Vec3 directionOf(const MeshArrays *arrays, int edge)
{
    Vec3 a = cornerPoint(arrays->point, arrays->edge[2 * edge]);
    Vec3 d = vecSub(cornerPoint(arrays->point, arrays->edge[2 * edge + 1]), a);
    return vecScale(1 / vecLength(d), d);
}

// counting sort of structural edges by vertex
static void fillIncidence(Walk *walk)
{
    const MeshArrays *arrays = walk->arrays;
    for (int pass = 0; pass < 2; ++pass)
    {
        for (int i = 0; i < 2 * arrays->edgeCount; ++i)
        {
            if (arrays->edgeKind[i / 2] != VV_EDGE_STRUCTURAL)
                continue;
            if (pass == 0)
                walk->start[arrays->edge[i] + 1] += 1;
            else
                walk->edge[walk->start[arrays->edge[i]]++] = i / 2;
        }
        for (int v = 0; v < arrays->pointCount && pass == 0; ++v)
            walk->start[v + 1] += walk->start[v];
    }
    memmove(walk->start + 1, walk->start, (size_t)arrays->pointCount * sizeof(int));
    walk->start[0] = 0;
}

// from one edge to all it is joined with, without twist from each to the next
static void walkFrom(Walk *walk, int first)
{
    const MeshArrays *arrays = walk->arrays;
    int begin = 0, end = 1;
    walk->queue[0] = first;
    walk->done[first] = true;
    walk->side[first] = acrossFrom(directionOf(arrays, first));
    for (; begin < end; ++begin)
    {
        int edge = walk->queue[begin];
        for (int k = 0; k < 2; ++k)
        {
            int v = arrays->edge[2 * edge + k];
            Vec3 into = vecScale(k == 1 ? 1 : -1, directionOf(arrays, edge));
            for (int n = walk->start[v]; n < walk->start[v + 1]; ++n)
            {
                int next = walk->edge[n];
                if (walk->done[next])
                    continue;
                Vec3 out = vecScale(arrays->edge[2 * next] == v ? 1 : -1, directionOf(arrays, next));
                walk->side[next] = transport(into, out, walk->side[edge]);
                walk->done[next] = true;
                walk->queue[end++] = next;
            }
        }
    }
}

// ---- the vertices ---------------------------------------------------------------------------------------------------

// arrays with a point and two springs more for each structural edge
static bool growArrays(MeshArrays *arrays, int count)
{
    Memory *memory = arrays->memory;
    double *point = ALLOCATE(memory, double, 3 * ((size_t)arrays->pointCount + (size_t)count));
    int *edge = ALLOCATE(memory, int, 2 * ((size_t)arrays->edgeCount + 2 * (size_t)count));
    int *kind = ALLOCATE(memory, int, (size_t)arrays->edgeCount + 2 * (size_t)count);
    bool ok = point != NULL && edge != NULL && kind != NULL;
    if (ok)
    {
        memcpy(point, arrays->point, sizeof(double) * 3 * (size_t)arrays->pointCount);
        memcpy(edge, arrays->edge, sizeof(int) * 2 * (size_t)arrays->edgeCount);
        memcpy(kind, arrays->edgeKind, sizeof(int) * (size_t)arrays->edgeCount);
    }
    memoryRelease(memory, ok ? arrays->point : point);
    memoryRelease(memory, ok ? arrays->edge : edge);
    memoryRelease(memory, ok ? arrays->edgeKind : kind);
    if (ok)
    {
        arrays->point = point;
        arrays->edge = edge;
        arrays->edgeKind = kind;
    }
    return ok;
}

static void addSide(MeshArrays *arrays, int edge, Vec3 direction)
{
    int a = arrays->edge[2 * edge], b = arrays->edge[2 * edge + 1], side = arrays->pointCount++;
    Vec3 middle = vecScale(0.5, vecAdd(cornerPoint(arrays->point, a), cornerPoint(arrays->point, b)));
    double distance = SIDE_DISTANCE * edgeLength(arrays->point, a, b);
    vecStore(arrays->point + 3 * (size_t)side, vecAdd(middle, vecScale(distance, direction)));
    for (int k = 0; k < 2; ++k)
    {
        int spring = arrays->edgeCount++;
        arrays->edge[2 * spring] = k == 0 ? a : b;
        arrays->edge[2 * spring + 1] = side;
        arrays->edgeKind[spring] = VV_EDGE_SHEAR;
    }
}

static bool addSides(MeshArrays *arrays, Walk *walk, int count)
{
    int edgeCount = arrays->edgeCount;
    if (!growArrays(arrays, count))
        return false;
    fillIncidence(walk);
    for (int e = 0; e < edgeCount; ++e)
    {
        if (arrays->edgeKind[e] == VV_EDGE_STRUCTURAL && !walk->done[e])
            walkFrom(walk, e);
    }
    for (int e = 0; e < edgeCount; ++e)
    {
        if (arrays->edgeKind[e] == VV_EDGE_STRUCTURAL)
            addSide(arrays, e, walk->side[e]);
    }
    return true;
}

vvResult arraysMakeRod(MeshArrays *arrays)
{
    MeshMatter matter = arraysMatter(arrays);
    if (matter != MATTER_ROPE)
        return resultMake(VV_BAD_INPUT, "leave rod out, or give edges alone", "rod is set and the mesh is a %s",
                          matter == MATTER_SOLID ? "solid" : "sheet");
    int count = 0;
    for (int e = 0; e < arrays->edgeCount; ++e)
        count += arrays->edgeKind[e] == VV_EDGE_STRUCTURAL;
    MeshArrays grown = *arrays;
    if (count > VV_MAX_VERTICES - arrays->pointCount)
        return resultMake(VV_BAD_INPUT, "use fewer segments, or several meshes",
                          "a rod of %d points and %d segments, at most %d fit together", arrays->pointCount, count,
                          VV_MAX_VERTICES);
    grown.edgeCount += 2 * count;
    vvResult result = arraysFit(&grown);
    if (result.code != VV_OK)
        return result;
    Memory *memory = arrays->memory;
    Walk walk = { .arrays = arrays,
                  .start = ALLOCATE(memory, int, arrays->pointCount + 1),
                  .edge = ALLOCATE(memory, int, 2 * (size_t)count),
                  .queue = ALLOCATE(memory, int, count),
                  .side = ALLOCATE(memory, Vec3, arrays->edgeCount),
                  .done = ALLOCATE(memory, bool, arrays->edgeCount) };
    bool ok = walk.start && walk.edge && walk.queue && walk.side && walk.done && addSides(arrays, &walk, count);
    arrays->sideCount = ok ? count : 0;
    memoryRelease(memory, walk.start);
    memoryRelease(memory, walk.edge);
    memoryRelease(memory, walk.queue);
    memoryRelease(memory, walk.side);
    memoryRelease(memory, walk.done);
    return ok ? resultOk() : resultOutOfMemory("a rod");
}

bool fillSides(Memory *memory, vvMesh *mesh, const MeshArrays *arrays)
{
    if (arrays->sideCount == 0 && arrays->edgeSide == NULL)
        return true;
    int *side = ALLOCATE(memory, int, mesh->edgeCount);
    mesh->edgeSide = side;
    for (int e = 0; side != NULL && e < mesh->edgeCount; ++e)
        side[e] = -1;
    // structural edges have theirs in the caller's order
    int *fromCaller = side ? ALLOCATE(memory, int, mesh->edgeCount) : NULL;
    for (int e = 0; fromCaller != NULL && e < mesh->edgeCount; ++e)
        fromCaller[mesh->edgeToCaller[e]] = e;
    int next = mesh->vertexCount - arrays->sideCount;
    for (int e = 0; fromCaller != NULL && e < mesh->edgeCount; ++e)
    {
        if (mesh->callerEdgeKind[e] == VV_EDGE_STRUCTURAL)
            side[fromCaller[e]] = mesh->vertexFromCaller[arrays->edgeSide != NULL ? arrays->edgeSide[e] : next++];
    }
    bool ok = fromCaller != NULL;
    memoryRelease(memory, fromCaller);
    return ok;
}

// ---- where segments meet --------------------------------------------------------------------------------------------

bool meshRodJoints(const vvMesh *mesh, Memory *memory, int **joint, int *count)
{
    int *first = ALLOCATE(memory, int, mesh->vertexCount), found = 0; // the edge that reached a vertex last, and 1
    *joint = ALLOCATE(memory, int, 5 * (size_t)maxInt(2 * mesh->edgeCount, 1));
    bool ok = first != NULL && *joint != NULL;
    for (int i = 0; ok && i < 2 * mesh->edgeCount && mesh->edgeSide != NULL; ++i)
    {
        int e = i / 2, v = mesh->edge[i], before = first[v] - 1;
        if (mesh->edgeSide[e] < 0)
            continue;
        first[v] = e + 1;
        if (before < 0)
            continue;
        int *corner = *joint + 5 * (ptrdiff_t)found++;
        corner[0] = v;
        corner[1] = mesh->edge[2 * before] + mesh->edge[2 * before + 1] - v;
        corner[2] = mesh->edge[2 * e] + mesh->edge[2 * e + 1] - v;
        corner[3] = mesh->edgeSide[before];
        corner[4] = mesh->edgeSide[e];
    }
    memoryRelease(memory, first);
    if (!ok)
        memoryRelease(memory, *joint);
    *count = found;
    return ok;
}
