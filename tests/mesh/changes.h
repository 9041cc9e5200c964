// What must hold of every change of a mesh, and meshes and random changes to try it on.
#ifndef TESTS_MESH_CHANGES_H
#define TESTS_MESH_CHANGES_H

#include "check.h"
#include "mesh/pieces.h"

#include <stdlib.h>
#include <verve/embedding.h>
#include <verve/solid.h>

// ---- measures -------------------------------------------------------------------------------------------------------

static inline double measureOf(const vvMesh *mesh, int element)
{
    const int *corner = meshElementCorners(mesh, element);
    const double *point = vvMesh_GetPoints(mesh);
    switch (meshElementWidth(mesh))
    {
    case 4:
        return tetVolume(point, corner);
    case 3:
        return triangleArea(point, corner);
    default:
        return meshElementIsMatter(mesh, element) ? edgeLength(point, corner[0], corner[1]) : 0;
    }
}

// twice or three times the inscribed over the circumscribed radius of a triangle or tet: 1 is regular; 1 for an edge
static inline double shapeOf(const vvMesh *mesh, int element)
{
    const int *c = meshElementCorners(mesh, element);
    const double *point = vvMesh_GetPoints(mesh);
    if (meshElementWidth(mesh) == 2)
        return 1;
    Vec3 a = cornerPoint(point, c[0]), u = vecSub(cornerPoint(point, c[1]), a), v = vecSub(cornerPoint(point, c[2]), a);
    if (meshElementWidth(mesh) == 3)
    {
        double p = vecLength(u), q = vecLength(v), r = vecLength(vecSub(u, v)), area = triangleArea(point, c);
        return 16 * area * area / (p * q * r * (p + q + r));
    }
    Vec3 w = vecSub(cornerPoint(point, c[3]), a);
    double six = vecDot(u, vecCross(v, w)), faces = 0;
    const int face[4][3] = { { c[1], c[2], c[3] }, { c[0], c[2], c[3] }, { c[0], c[1], c[3] }, { c[0], c[1], c[2] } };
    for (int i = 0; i < 4; ++i)
        faces += triangleArea(point, face[i]);
    Vec3 centre = vecAdd(vecAdd(vecScale(vecDot(u, u), vecCross(v, w)), vecScale(vecDot(v, v), vecCross(w, u))),
                         vecScale(vecDot(w, w), vecCross(u, v)));
    return 3 * (six / (2 * faces)) / (vecLength(centre) / (2 * six));
}

// ---- vertices and elements ------------------------------------------------------------------------------------------

static inline void checkVertices(const vvMesh *old, const MeshChange *change)
{
    const vvMesh *mesh = change->mesh;
    const double *before = vvMesh_GetPoints(old), *after = vvMesh_GetPoints(mesh);
    assert_true(mesh->vertexCount >= old->vertexCount);
    assert_memory_equal(before, after, sizeof(double) * 3 * (size_t)old->vertexCount);
    assert_memory_equal(old->vertexToCaller, mesh->vertexToCaller, sizeof(int) * (size_t)old->vertexCount);
    for (int v = 0; v < mesh->vertexCount; ++v)
    {
        int a = change->vertexParent[2 * v], b = change->vertexParent[2 * v + 1];
        double w = change->vertexWeight[v];
        assert_in_range(a, 0, old->vertexCount - 1);
        assert_in_range(b, 0, old->vertexCount - 1);
        if (v < old->vertexCount)
            assert_true(a == v && b == v && w == 0);
        assert_true(a == b ? w == 0 : w > 0 && w < 1);
        for (int i = 0; i < 3; ++i)
            CHECK_NEAR(after[3 * v + i], (1 - w) * before[3 * a + i] + w * before[3 * b + i], 1e-15 * old->size);
    }
}

// pieces cover their parents, in their order, and none is turned or flat
static inline void checkElements(const vvMesh *old, const MeshChange *change)
{
    const vvMesh *mesh = change->mesh;
    int count = meshElementCount(mesh), last = -1;
    bool further = false;
    double *sum = calloc((size_t)meshElementCount(old), sizeof *sum);
    bool *seen = calloc((size_t)meshElementCount(old), sizeof *seen);
    for (int e = 0; e < count; ++e)
    {
        int parent = change->elementParent[e];
        if (parent < 0)
        {
            assert_int_equal(mesh->matter, MATTER_ROPE);
            continue;
        }
        assert_in_range(parent, 0, meshElementCount(old) - 1);
        further = further || parent <= last;
        assert_true(further == seen[parent]);
        last = further ? last : parent;
        seen[parent] = true;
        sum[parent] += measureOf(mesh, e);
        // what docs/meshes.md promises: crossings move to vertices nearer than 0.2 of an edge
        if (meshElementIsMatter(mesh, e))
            assert_true(measureOf(mesh, e) >=
                        (1 - 1e-9) * pow(0.2, meshElementWidth(mesh) - 1) * measureOf(old, parent));
    }
    for (int e = 0; e < meshElementCount(old); ++e)
    {
        if (seen[e])
            CHECK_CLOSE(sum[e], measureOf(old, e), 1e-12);
    }
    free(sum);
    free(seen);
}

// orphans are listed and nothing else is one; edges join vertices of elements, each pair once
static inline void checkEdges(const vvMesh *old, const MeshChange *change)
{
    const vvMesh *mesh = change->mesh;
    double *mass = calloc((size_t)mesh->vertexCount, sizeof *mass);
    bool *orphan = calloc((size_t)mesh->vertexCount, sizeof *orphan);
    meshLumpedMass(mesh, 1, 1, mass);
    for (int i = 0; i < change->orphanCount; ++i)
        orphan[change->orphan[i]] = true;
    for (int v = 0; v < mesh->vertexCount; ++v)
        assert_true((mass[mesh->vertexFromCaller[v]] > 0) == !orphan[v]);
    for (int e = 0; e < mesh->edgeCount; ++e)
    {
        const int *end = mesh->callerEdge + 2 * e;
        int parent = change->edgeParent[e];
        assert_true(end[0] != end[1] && !orphan[end[0]] && !orphan[end[1]]);
        assert_true(meshFindPair(mesh, mesh->vertexFromCaller[end[0]], mesh->vertexFromCaller[end[1]]) >= 0);
        if (parent >= 0)
            assert_int_equal(mesh->callerEdgeKind[e], old->callerEdgeKind[parent]);
        if (e > 0) // sorted in the library's order
            assert_true(memcmp(mesh->edge + 2 * e, mesh->edge + 2 * (e - 1), 2 * sizeof(int)) != 0);
    }
    free(mass);
    free(orphan);
}

// ---- surfaces -------------------------------------------------------------------------------------------------------

static inline int compareSides(const void *a, const void *b)
{
    const int *p = a, *q = b;
    return p[0] != q[0] ? (p[0] < q[0] ? -1 : 1) : (p[1] < q[1] ? -1 : p[1] > q[1]);
}

// every directed edge of the surface of a solid occurs as often as its reverse
static inline void checkClosed(const vvMesh *mesh)
{
    int count = 3 * mesh->surfaceCount;
    int(*side)[2] = malloc((size_t)count * sizeof *side), (*reverse)[2] = malloc((size_t)count * sizeof *reverse);
    for (int i = 0; i < count; ++i)
    {
        side[i][0] = reverse[i][1] = mesh->callerSurface[i];
        side[i][1] = reverse[i][0] = mesh->callerSurface[i / 3 * 3 + (i + 1) % 3];
    }
    qsort(side, (size_t)count, sizeof *side, compareSides);
    qsort(reverse, (size_t)count, sizeof *reverse, compareSides);
    assert_memory_equal(side, reverse, (size_t)count * sizeof *side);
    free(side);
    free(reverse);
}

// old triangles of the surface are covered; what is new is two sides of what opened
static inline void checkSurface(const vvMesh *old, const MeshChange *change, bool removed)
{
    const vvMesh *mesh = change->mesh;
    double *sum = calloc((size_t)old->surfaceCount + 1, sizeof *sum), fresh = 0;
    for (int t = 0; t < mesh->surfaceCount; ++t)
    {
        double area = triangleArea(mesh->callerPoint, mesh->callerSurface + 3 * t);
        int parent = change->surfaceParent[t];
        assert_true(parent >= -1 && parent < old->surfaceCount);
        *(parent < 0 ? &fresh : &sum[parent]) += area;
    }
    for (int t = 0; t < old->surfaceCount && !removed; ++t)
        CHECK_CLOSE(sum[t], triangleArea(old->callerPoint, old->callerSurface + 3 * t), 1e-12);
    if (mesh->matter == MATTER_SOLID && !removed)
        CHECK_NEAR(fresh, 2 * change->openedArea, 1e-12 * (mesh->area + fresh));
    if (mesh->matter == MATTER_SOLID)
        checkClosed(mesh);
    free(sum);
}

// texture coordinates that are the place at rest stay so; polygons cover the triangles
static inline void checkFaces(const MeshChange *change)
{
    const vvFaces *faces = change->mesh->faces;
    if (faces == NULL || faces->coordinates == NULL)
        return;
    assert_int_equal(facesCorners(faces) - 2 * faces->faceCount, change->mesh->surfaceCount);
    for (int c = 0; c < facesCorners(faces); ++c)
    {
        const double *uv = faces->coordinateValues + 2 * faces->coordinates[c];
        Vec3 at = cornerPoint(change->mesh->callerPoint, faces->points[c]);
        CHECK_NEAR(uv[0], at.x, 1e-14);
        CHECK_NEAR(uv[1], at.z, 1e-14);
    }
}

// the surface of a cage hangs on the new mesh, at its place
static inline void checkSkin(const vvMesh *old, const MeshChange *change)
{
    const vvEmbedding *skin = change->mesh->embedding;
    assert_true((old->embedding != NULL) == (skin != NULL));
    for (int i = 0; i < vvEmbedding_GetPointCount(skin); ++i)
    {
        const int *corner;
        const double *weight;
        embeddingHangsOn(skin, i, &corner, &weight);
        Vec3 sum = vec3(0, 0, 0), at = cornerPoint(vvEmbedding_GetPoints(old->embedding), i);
        for (int c = 0; c < 4; ++c)
            sum = vecAdd(sum, vecScale(weight[c], cornerPoint(change->mesh->callerPoint, corner[c])));
        CHECK_NEAR(vecLength(vecSub(sum, at)), 0, 1e-10 * old->size);
    }
}

// the mesh from its arrays, with its edges or with those of its elements
static inline vvMesh *sameMesh(const vvMesh *mesh, bool edges)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = mesh->callerPoint;
    def.pointCount = mesh->vertexCount;
    def.tets = mesh->callerTet;
    def.tetCount = mesh->tetCount;
    def.triangles = mesh->callerSurface;
    def.triangleCount = mesh->surfaceCount;
    def.edges = edges ? mesh->callerEdge : NULL;
    def.edgeKinds = edges ? mesh->callerEdgeKind : NULL;
    def.edgeCount = edges ? mesh->edgeCount : 0;
    def.faces = mesh->faces;
    vvResult result;
    vvMesh *made = vvCreateMesh(&def, &result);
    if (made == NULL)
        fail_msg("%s; %s", result.message, result.remedy);
    return made;
}

// where the edges were those of the elements they still are, with the stiffness of their elements
static inline void checkSprings(const vvMesh *old, const MeshChange *change)
{
    const vvMesh *mesh = change->mesh;
    if (mesh->matter == MATTER_ROPE || change->orphanCount > 0 || old->edgeCount != old->pairCount)
        return;
    vvMesh *made = sameMesh(mesh, false);
    if (old->matter == MATTER_SOLID || old->faces != NULL) // generated sheets have other shares, and edges over cells
    {
        assert_int_equal(mesh->edgeCount, made->edgeCount);
        for (int e = 0; e < mesh->edgeCount; ++e)
        {
            const int a = mesh->vertexToCaller[mesh->edge[2 * e]], b = mesh->vertexToCaller[mesh->edge[2 * e + 1]];
            int pair = meshFindPair(made, made->vertexFromCaller[a], made->vertexFromCaller[b]);
            assert_true(pair >= 0);
            CHECK_CLOSE(mesh->edgeShare[e], made->edgeShare[pair], 1e-11);
        }
    }
    vvDestroyMesh(made);
}

// elements at a vertex hang together across facets that have it: nothing is held by a point
static inline void checkFans(const vvMesh *mesh)
{
    int width = meshElementWidth(mesh), count = meshElementCount(mesh), fan[256], group[256];
    int *start = calloc((size_t)mesh->vertexCount + 2, sizeof *start);
    int *at = calloc((size_t)count * (size_t)width, sizeof *at);
    for (int i = 0; i < count * width; ++i)
        start[meshElementCorners(mesh, 0)[i] + 2] += meshElementIsMatter(mesh, i / width);
    for (int v = 0; v < mesh->vertexCount; ++v)
        start[v + 1] += start[v];
    for (int i = 0; i < count * width; ++i)
    {
        if (meshElementIsMatter(mesh, i / width))
            at[start[meshElementCorners(mesh, 0)[i] + 1]++] = i / width;
    }
    for (int v = 0; v < mesh->vertexCount; ++v)
    {
        int size = start[v + 1] - start[v], parts = size;
        assert_true(size <= 256);
        for (int i = 0; i < size; ++i)
        {
            fan[i] = at[start[v] + i];
            group[i] = i;
            for (int k = 0; k < i; ++k)
            {
                const int *a = meshElementCorners(mesh, fan[i]), *b = meshElementCorners(mesh, fan[k]);
                int same = 0, other = group[k];
                for (int c = 0; c < width * width; ++c)
                    same += a[c / width] == b[c % width];
                if (same < width - 1 || other == group[i])
                    continue;
                for (int g = 0; g <= i; ++g)
                    group[g] = group[g] == other ? group[i] : group[g];
                --parts;
            }
        }
        assert_true(parts <= 1);
    }
    free(start);
    free(at);
}

// vvCreateMesh finds nothing wrong with it
static inline void checkAccepted(const MeshChange *change)
{
    const vvMesh *mesh = change->mesh;
    if (change->orphanCount > 0 || mesh->edgeSide != NULL)
        return;
    vvMesh *made = sameMesh(mesh, true);
    assert_int_equal(made->pairCount, mesh->pairCount);
    assert_int_equal(made->surfaceCount, mesh->surfaceCount);
    assert_memory_equal(made->callerSurface, mesh->callerSurface, sizeof(int) * 3 * (size_t)mesh->surfaceCount);
    vvDestroyMesh(made);
}

// the worst shape of a piece over that of its parent
static inline double worstShape(const vvMesh *old, const MeshChange *change)
{
    double worst = 1;
    for (int e = 0; e < meshElementCount(change->mesh); ++e)
    {
        if (change->elementParent[e] >= 0)
            worst = fmin(worst, shapeOf(change->mesh, e) / shapeOf(old, change->elementParent[e]));
    }
    return worst;
}

static inline void checkChange(const vvMesh *old, const MeshChange *change, bool removed)
{
    checkVertices(old, change);
    checkElements(old, change);
    checkEdges(old, change);
    checkSurface(old, change, removed);
    checkAccepted(change);
    checkSprings(old, change);
    checkFaces(change);
    checkSkin(old, change);
    checkFans(change->mesh);
}

// ---- random changes -------------------------------------------------------------------------------------------------

static inline int randomBelow(TestRandom *r, int limit)
{
    return (int)(randomUnit(r) * limit);
}

#define RANDOM_MESHES 10

// a sheet of quads with texture coordinates at their places
static inline vvMesh *drawnMesh(void)
{
    vvMesh *sheet = vvCreateSheetMesh(1, 0.8, 4, 4);
    int start[17], point[64];
    double uv[50];
    for (int v = 0; v < 25; ++v)
    {
        uv[2 * v] = sheet->callerPoint[3 * v];
        uv[2 * v + 1] = sheet->callerPoint[3 * v + 2];
    }
    for (int f = 0; f <= 16; ++f)
        start[f] = 4 * f;
    for (int f = 0; f < 16; ++f) // the triangles of a cell are a fan
    {
        const int *t = sheet->callerSurface + 6 * f;
        const int corner[4] = { t[0], t[1], t[2], t[5] };
        memcpy(point + 4 * f, corner, sizeof corner);
    }
    const vvFaces faces = { .faceCount = 16,
                            .starts = start,
                            .points = point,
                            .coordinates = point,
                            .coordinateValues = uv,
                            .coordinateCount = 25 };
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = sheet->callerPoint;
    def.pointCount = 25;
    def.triangles = sheet->callerSurface;
    def.triangleCount = 32;
    def.faces = &faces;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh->faces);
    vvDestroyMesh(sheet);
    return mesh;
}

static inline vvMesh *randomMesh(TestRandom *r, int kind)
{
    vvMeshDef def = vvDefaultMeshDef();
    if (kind % RANDOM_MESHES == 9)
        return drawnMesh();
    def.shape = (const vvMeshShape[]){ VV_MESH_SHEET, VV_MESH_BOX,  VV_MESH_ROPE, VV_MESH_SPHERE, VV_MESH_TORUS,
                                       VV_MESH_TUBE,  VV_MESH_ROPE, VV_MESH_COIL, VV_MESH_BOX }[kind % RANDOM_MESHES];
    def.size = vec3(1, 0.3, 0.8);
    for (int i = 0; i < 3; ++i)
        def.cells[i] = 3 + randomBelow(r, 3);
    def.diagonals = randomBelow(r, 3);
    def.skip = randomUnit(r) < 0.5;
    def.rod = kind % RANDOM_MESHES == 6;
    vvResult result;
    vvMesh *mesh = NULL;
    if (kind % RANDOM_MESHES == 8) // filled
    {
        def.shape = VV_MESH_TUBE;
        def.size = vec3(1, 1, 1);
        def.cells[0] = 8;
        vvSolidDef solid = vvDefaultSolidDef();
        solid.cells = 5;
        solid.kind = randomUnit(r) < 0.5 ? VV_SOLID_CAGE : VV_SOLID_CONFORMING;
        mesh = vvCreateSolidMesh(&def, &solid, NULL, &result);
    }
    else
        mesh = vvCreateMesh(&def, &result);
    if (mesh == NULL)
        fail_msg("%s; %s", result.message, result.remedy);
    return mesh;
}

// facets around one vertex, or all over
static inline vvResult randomSplit(TestRandom *r, const vvMesh *mesh, MeshChange *change)
{
    int width = meshElementWidth(mesh), size = width - 1, facet[600], count = 0, most = 1 + randomBelow(r, 100);
    int around = meshElementCorners(mesh, randomBelow(r, meshElementCount(mesh)))[0];
    bool local = randomUnit(r) < 0.5;
    for (int e = 0; e < meshElementCount(mesh) && count < most; ++e)
    {
        const int *corner = meshElementCorners(mesh, e);
        int across = randomBelow(r, width);
        bool near = false;
        for (int c = 0; c < width; ++c)
            near = near || corner[c] == around;
        if (!meshElementIsMatter(mesh, e) || (local ? !near : randomUnit(r) < 0.7))
            continue;
        for (int c = 0, k = 0; c < width; ++c)
        {
            if (c != across)
                facet[count * size + k++] = corner[c];
        }
        ++count;
    }
    return meshSplit(mesh, facet, count, change);
}

static inline Vec3 randomVector(TestRandom *r, double size)
{
    double x = randomBetween(r, -size, size), y = randomBetween(r, -size, size);
    return vec3(x, y, randomBetween(r, -size, size));
}

// where the vertices are: at rest, or sheared, turned and shaken
static inline double *randomPositions(TestRandom *r, const vvMesh *mesh)
{
    double *position = malloc(sizeof(double) * 3 * (size_t)mesh->vertexCount);
    Vec3 row[3] = { vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1) };
    bool deformed = randomUnit(r) < 0.5;
    for (int i = 0; i < 3 && deformed; ++i)
        row[i] = vecAdd(row[i], randomVector(r, 0.4));
    for (int v = 0; v < mesh->vertexCount; ++v)
    {
        Vec3 x = cornerPoint(mesh->callerPoint, v);
        x = vec3(vecDot(row[0], x), vecDot(row[1], x), vecDot(row[2], x));
        vecStore(position + 3 * v, deformed ? vecAdd(x, randomVector(r, 0.02)) : x);
    }
    return position;
}

// through a random vertex or beside it, along an axis at times; short, long, folded, or turning about an end
static inline Blade randomBlade(TestRandom *r, const vvMesh *mesh, const double *position)
{
    Vec3 at = cornerPoint(position, randomBelow(r, mesh->vertexCount));
    double size = (randomUnit(r) < 0.5 ? 4 : 0.4) * mesh->size;
    if (randomUnit(r) < 0.7)
        at = vecAdd(at, randomVector(r, 0.2));
    Vec3 along = randomVector(r, 1), move = randomVector(r, 1);
    if (randomUnit(r) < 0.3)
    {
        along = vec3(0, 1, 0);
        move = randomUnit(r) < 0.5 ? vec3(1, 0, 0) : vec3(0, 0, 1);
    }
    along = vecScale(size / (1e-3 + vecLength(along)), along);
    move = vecScale(size / (1e-3 + vecLength(move)), move);
    Blade blade = { { vecSub(vecSub(at, along), move), vecSub(vecAdd(at, along), move) },
                    { vecAdd(vecSub(at, along), move), vecAdd(vecAdd(at, along), move) } };
    if (randomUnit(r) < 0.3)
        blade.after[1] = vecAdd(blade.after[1], randomVector(r, 0.5 * size));
    if (randomUnit(r) < 0.1)
        blade.after[0] = blade.before[0];
    return blade;
}

static inline int rootOf(int *joined, int node)
{
    while (joined[node] != node)
        node = joined[node] = joined[joined[node]];
    return node;
}

// vertices that are joined by elements get the same number; the number of parts without orphans
static inline int partsOf(const vvMesh *mesh, int *part)
{
    int width = meshElementWidth(mesh), count = 0;
    bool *used = calloc((size_t)mesh->vertexCount, sizeof *used);
    for (int v = 0; v < mesh->vertexCount; ++v)
        part[v] = v;
    for (int i = 0; i < meshElementCount(mesh) * width; ++i)
    {
        const int *corner = meshElementCorners(mesh, i / width);
        if (!meshElementIsMatter(mesh, i / width))
            continue;
        int a = rootOf(part, corner[0]), b = rootOf(part, corner[i % width]);
        part[a > b ? a : b] = a > b ? b : a;
        used[corner[i % width]] = true;
    }
    for (int v = 0; v < mesh->vertexCount; ++v)
        count += used[v] && rootOf(part, v) == v;
    for (int v = 0; v < mesh->vertexCount; ++v)
        part[v] = rootOf(part, v);
    free(used);
    return count;
}

// A plane that goes through all: what is farther from it than an edge is long hangs together on one side only.
static inline void checkSevered(const vvMesh *old, const double *position, Vec3 at, Vec3 normal,
                                const MeshChange *change)
{
    const vvMesh *mesh = change->mesh;
    int *part = malloc(sizeof(int) * (size_t)mesh->vertexCount), width = meshElementWidth(old);
    signed char *side = calloc((size_t)mesh->vertexCount, 1);
    double longest = 0;
    for (int e = 0; e < meshElementCount(old); ++e)
    {
        if (meshElementIsMatter(old, e))
            longest = fmax(longest, longestEdge(position, meshElementCorners(old, e), width));
    }
    partsOf(mesh, part);
    for (int v = 0; v < old->vertexCount; ++v)
    {
        double height = vecDot(normal, vecSub(cornerPoint(position, v), at));
        if (fabs(height) <= longest)
            continue;
        assert_true(side[part[v]] != (height < 0 ? 1 : -1));
        side[part[v]] = height < 0 ? -1 : 1;
    }
    free(part);
    free(side);
}

// a blade in the plane through a point, large enough for anything; its triangles look along the normal
static inline Blade planeBlade(Vec3 at, Vec3 normal, double size)
{
    Vec3 u = vecCross(normal, fabs(normal.x) < 0.9 * vecLength(normal) ? vec3(1, 0, 0) : vec3(0, 1, 0));
    u = vecScale(size / vecLength(u), u);
    Vec3 v = vecScale(1 / vecLength(normal), vecCross(normal, u));
    return (Blade){ { vecSub(vecSub(at, u), v), vecSub(vecAdd(at, u), v) },
                    { vecAdd(vecSub(at, u), v), vecAdd(vecAdd(at, u), v) } };
}

static inline void checkPlaneCut(TestRandom *r, const vvMesh *mesh)
{
    double *position = randomPositions(r, mesh);
    Vec3 at = cornerPoint(position, randomBelow(r, mesh->vertexCount)), normal = randomVector(r, 1);
    normal = vecScale(1 / vecLength(normal), normal);
    Blade blade = planeBlade(at, normal, 20);
    MeshChange change;
    vvResult result = meshCut(mesh, position, &blade, &change);
    if (result.code != VV_OK)
        fail_msg("%s; %s", result.message, result.remedy);
    checkChange(mesh, &change, false);
    assert_false(change.snapped);
    checkSevered(mesh, position, at, normal, &change);
    meshChangeRelease(&change);
    free(position);
}

static inline vvResult randomCut(TestRandom *r, const vvMesh *mesh, MeshChange *change)
{
    double *position = randomPositions(r, mesh);
    Blade blade = randomBlade(r, mesh, position);
    vvResult result = meshCut(mesh, position, &blade, change);
    free(position);
    return result;
}

static inline vvResult randomRemoval(TestRandom *r, const vvMesh *mesh, MeshChange *change)
{
    int element[6], count = 1 + randomBelow(r, 6);
    for (int i = 0; i < count; ++i)
        element[i] = randomBelow(r, meshElementCount(mesh));
    return meshRemove(mesh, element, count, change);
}

// ---- chains ---------------------------------------------------------------------------------------------------------

// A mesh of one of the kinds, and changes one after the other; returns how many there were.
static inline int changeChain(int seed, int length)
{
    TestRandom r = { .state = 977 * (uint64_t)(seed + 1) };
    for (int i = 0; i < 8; ++i)
        randomUnit(&r);
    vvMesh *mesh = randomMesh(&r, seed);
    checkPlaneCut(&r, mesh);
    for (int i = 0; i < length; ++i)
    {
        MeshChange change;
        double kind = randomUnit(&r);
        bool removes = kind < 0.2;
        vvResult result = removes      ? randomRemoval(&r, mesh, &change)
                          : kind < 0.5 ? randomSplit(&r, mesh, &change)
                                       : randomCut(&r, mesh, &change);
        if (result.code != VV_OK)
        {
            assert_non_null(strstr(result.message, "all elements go"));
            length = i;
            break;
        }
        checkChange(mesh, &change, removes);
        vvDestroyMesh(mesh);
        mesh = change.mesh;
        change.mesh = NULL;
        meshChangeRelease(&change);
    }
    vvDestroyMesh(mesh);
    return length + 1;
}

#endif
