// Which tet or triangle a point of a render mesh hangs on. Inside: the tet it lies in, from a grid of lists. Outside:
// that of the nearest face, whose weights then go a little below 0.
#include "mesh/embed.h"
#include "shape/shape.h"
#include "shape/tree.h"

#define MOST_CELLS 64 // of the grid, along a side
#define ROUNDS 16     // of a point above a curved sheet: contracts while the height is below the radius
#define EDGE 1e-9     // a weight above minus this counts as inside

typedef struct Finder
{
    vvEmbedding *embedding;
    // the boundary, or the sheet
    Tree tree;
    double *corners; // surfaceCount x 9, in the order of the tree
    int *order;      // surfaceCount
    int *carrierOf;  // surfaceCount: the carrier of a face, in the caller's order
    // tets of each cell: list[start[c] .. start[c + 1])
    vvBox box;
    double cell;
    int count[3];
    int *start, *list;
    double *normal; // of a sheet at rest, vertexCount x 3
} Finder;

// ---- tets of a box --------------------------------------------------------------------------------------------------

static int cellAlong(const Finder *f, double value, double lower, int axis)
{
    double place = floor((value - lower) / f->cell);
    return (int)maxReal(0, minReal(f->count[axis] - 1, place));
}

static void cellRange(const Finder *f, const int *corner, int low[3], int high[3])
{
    const double *point = f->embedding->mesh->callerPoint;
    const double lower[3] = { f->box.lower.x, f->box.lower.y, f->box.lower.z };
    for (int a = 0; a < 3; ++a)
    {
        low[a] = f->count[a];
        high[a] = 0;
        for (int i = 0; i < 4; ++i)
        {
            int c = cellAlong(f, point[3 * (size_t)corner[i] + (size_t)a], lower[a], a);
            low[a] = minInt(low[a], c);
            high[a] = maxInt(high[a], c);
        }
    }
}

// counts, or writes where `list` is there: counts sit two places up, so that writing leaves starts where they belong
static void visitCells(Finder *f)
{
    const vvEmbedding *e = f->embedding;
    for (int t = 0; t < e->carrierCount; ++t)
    {
        int low[3], high[3];
        cellRange(f, e->carrier[t].corner, low, high);
        for (int i = low[0]; i <= high[0]; ++i)
        {
            for (int j = low[1]; j <= high[1]; ++j)
            {
                for (int k = low[2]; k <= high[2]; ++k)
                {
                    int cell = (i * f->count[1] + j) * f->count[2] + k;
                    if (f->list == NULL)
                        f->start[cell + 2] += 1;
                    else
                        f->list[f->start[cell + 1]++] = t;
                }
            }
        }
    }
}

static bool makeGrid(Memory *memory, Finder *f)
{
    const vvMesh *mesh = f->embedding->mesh;
    f->box = (vvBox){ cornerPoint(mesh->callerPoint, 0), cornerPoint(mesh->callerPoint, 0) };
    for (int v = 1; v < mesh->vertexCount; ++v)
        boxInclude(&f->box, cornerPoint(mesh->callerPoint, v));
    Vec3 extent = vecSub(f->box.upper, f->box.lower);
    const double side[3] = { extent.x, extent.y, extent.z };
    double longest = maxReal(side[0], maxReal(side[1], side[2]));
    // about one tet in a cell of a compact body
    double cells = 1;
    while (cells < MOST_CELLS && cells * cells * cells < f->embedding->carrierCount)
        cells += 1;
    f->cell = longest / cells;
    for (int a = 0; a < 3; ++a)
        f->count[a] = 1 + (int)(side[a] / f->cell);
    size_t total = (size_t)f->count[0] * (size_t)f->count[1] * (size_t)f->count[2];
    f->start = ALLOCATE(memory, int, total + 2);
    if (f->start == NULL)
        return false;
    visitCells(f);
    for (size_t c = 0; c < total; ++c)
        f->start[c + 2] += f->start[c + 1];
    f->list = ALLOCATE(memory, int, f->start[total + 1]);
    if (f->list == NULL)
        return false;
    visitCells(f);
    return true;
}

// ---- faces ----------------------------------------------------------------------------------------------------------

// the tet behind each face of the boundary, from the tets at its first corner
static bool findBehind(Memory *memory, Finder *f)
{
    const vvEmbedding *e = f->embedding;
    const vvMesh *mesh = e->mesh;
    int *start = ALLOCATE(memory, int, mesh->vertexCount + 2),
        *list = ALLOCATE(memory, int, 4 * (size_t)e->carrierCount);
    bool ok = start != NULL && list != NULL;
    for (int i = 0; i < 4 * e->carrierCount && ok; ++i)
        start[e->carrier[i / 4].corner[i % 4] + 2] += 1;
    for (int v = 0; v < mesh->vertexCount && ok; ++v)
        start[v + 2] += start[v + 1];
    for (int i = 0; i < 4 * e->carrierCount && ok; ++i)
        list[start[e->carrier[i / 4].corner[i % 4] + 1]++] = i / 4;
    for (int s = 0; s < mesh->surfaceCount && ok; ++s)
    {
        const int *face = mesh->callerSurface + 3 * (size_t)s;
        for (int i = start[face[0]]; i < start[face[0] + 1]; ++i)
        {
            int shared = 0;
            for (int c = 0; c < 4; ++c)
                shared += e->carrier[list[i]].corner[c] == face[1] || e->carrier[list[i]].corner[c] == face[2];
            if (shared == 2)
                f->carrierOf[s] = list[i];
        }
    }
    memoryRelease(memory, start);
    memoryRelease(memory, list);
    return ok;
}

static bool makeFinder(Memory *memory, Finder *f)
{
    const vvMesh *mesh = f->embedding->mesh;
    size_t faces = (size_t)mesh->surfaceCount;
    double *given = ALLOCATE(memory, double, 9 * faces);
    f->corners = ALLOCATE(memory, double, 9 * faces);
    f->order = ALLOCATE(memory, int, faces);
    f->carrierOf = ALLOCATE(memory, int, faces);
    bool ok = given != NULL && f->corners != NULL && f->order != NULL && f->carrierOf != NULL;
    for (size_t i = 0; i < 3 * faces && ok; ++i)
        vecStore(given + 3 * i, cornerPoint(mesh->callerPoint, mesh->callerSurface[i]));
    ok = ok && treeBuild(memory, &f->tree, given, mesh->surfaceCount, f->order);
    for (size_t i = 0; i < 9 * faces && ok; ++i)
        f->corners[i] = given[9 * (size_t)f->order[i / 9] + i % 9];
    memoryRelease(memory, given);
    if (!ok)
        return false;
    if (!f->embedding->sheet)
        return findBehind(memory, f) && makeGrid(memory, f);
    for (int s = 0; s < mesh->surfaceCount; ++s)
        f->carrierOf[s] = s;
    f->normal = ALLOCATE(memory, double, 3 * (size_t)mesh->vertexCount);
    if (f->normal != NULL)
        sheetNormals(mesh, mesh->callerPoint, f->normal);
    return f->normal != NULL;
}

// ---- one point ------------------------------------------------------------------------------------------------------

static void weightsOf(const vvEmbedding *e, int carrier, Vec3 point, double *weight)
{
    const Carrier *f = &e->carrier[carrier];
    Vec3 w = matApply(&f->inverse, vecSub(point, cornerPoint(e->mesh->callerPoint, f->corner[0])));
    weight[0] = 1 - w.x - w.y - (e->sheet ? 0 : w.z);
    weight[1] = w.x;
    weight[2] = w.y;
    weight[3] = e->sheet ? 0 : w.z;
}

static bool findInside(const Finder *f, Vec3 point, int *carrier, double *weight)
{
    const vvEmbedding *e = f->embedding;
    if (!(point.x >= f->box.lower.x && point.y >= f->box.lower.y && point.z >= f->box.lower.z &&
          point.x <= f->box.upper.x && point.y <= f->box.upper.y && point.z <= f->box.upper.z))
        return false;
    int i = cellAlong(f, point.x, f->box.lower.x, 0), j = cellAlong(f, point.y, f->box.lower.y, 1),
        k = cellAlong(f, point.z, f->box.lower.z, 2);
    int cell = (i * f->count[1] + j) * f->count[2] + k;
    for (int n = f->start[cell]; n < f->start[cell + 1]; ++n)
    {
        weightsOf(e, f->list[n], point, weight);
        if (minReal(minReal(weight[0], weight[1]), minReal(weight[2], weight[3])) >= -EDGE)
        {
            *carrier = f->list[n];
            return true;
        }
    }
    return false;
}

// weights and height such that the mixed point and so much of the mixed normal give the point
static double hangAbove(const Finder *f, int carrier, Vec3 point, double *weight)
{
    const vvEmbedding *e = f->embedding;
    const int *corner = e->carrier[carrier].corner;
    double height = 0;
    Vec3 normal = vec3(0, 0, 0);
    for (int round = 0; round < ROUNDS; ++round)
    {
        weightsOf(e, carrier, vecSub(point, vecScale(height, normal)), weight);
        normal = unitOf(mixCorners(f->normal, corner, weight, 3));
        Vec3 gap = vecSub(point, mixCorners(e->mesh->callerPoint, corner, weight, 3));
        height = vecDot(gap, normal);
    }
    weightsOf(e, carrier, vecSub(point, vecScale(height, normal)), weight);
    return height;
}

static int bindOutside(const Finder *f, int number, int *hint)
{
    vvEmbedding *e = f->embedding;
    Vec3 point = cornerPoint(e->rest, number);
    double *weight = e->weight + 4 * (size_t)number;
    Region region;
    int face = treeNearest(&f->tree, f->corners, point, *hint), carrier = f->carrierOf[f->order[face]];
    *hint = face;
    Vec3 nearest = triangleNearest(f->corners + 9 * (size_t)face, point, &region);
    e->farthest = maxReal(e->farthest, vecLength(vecSub(point, nearest)));
    if (e->sheet)
        e->height[number] = hangAbove(f, carrier, point, weight);
    else
        weightsOf(e, carrier, point, weight);
    return carrier;
}

static void bindPoint(const Finder *f, int number, int *hint)
{
    vvEmbedding *e = f->embedding;
    int carrier;
    if (e->sheet || !findInside(f, cornerPoint(e->rest, number), &carrier, e->weight + 4 * (size_t)number))
        carrier = bindOutside(f, number, hint);
    for (int i = 0; i < 4; ++i)
        e->hangsOn[4 * (size_t)number + (size_t)i] = e->carrier[carrier].corner[i];
}

vvResult embeddingBind(vvEmbedding *embedding)
{
    Memory *memory = &embedding->memory;
    Finder finder = { .embedding = embedding };
    bool ok = makeFinder(memory, &finder), above = false;
    int hint = -1;
    for (int i = 0; i < embedding->pointCount && ok; ++i)
    {
        bindPoint(&finder, i, &hint);
        above = above || (embedding->sheet && embedding->height[i] != 0);
    }
    if (embedding->sheet && !above && ok)
    {
        memoryRelease(memory, embedding->height);
        embedding->height = NULL;
    }
    void *const blocks[] = { finder.tree.node, finder.corners, finder.order, finder.carrierOf,
                             finder.start,     finder.list,    finder.normal };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; ++i)
        memoryRelease(memory, blocks[i]);
    return ok ? resultOk() : resultOutOfMemory("an embedding");
}
