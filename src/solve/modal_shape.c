// The shapes of modes in motion: modes in the order of the kernels, the averages that rotations are found by, and tets.
#include "solve/modal_flat.h"
#include "solve/modal_knots.h"
#include "solve/rows.h"

#include <math.h>
#include <string.h>

// ---- shapes ---------------------------------------------------------------------------------------------------------

void modalShapeDestroy(ModalShape *shape)
{
    if (shape == NULL)
        return;
    Memory *memory = shape->memory;
    memoryRelease(memory, shape->square);
    memoryRelease(memory, shape->tie);
    memoryRelease(memory, shape->bound);
    memoryRelease(memory, shape->shape);
    memoryRelease(memory, shape->slotStart);
    memoryRelease(memory, shape->neighbour);
    memoryRelease(memory, shape->weight);
    memoryRelease(memory, shape->knot);
    memoryRelease(memory, shape->meanKnot);
    memoryRelease(memory, shape->meanShare);
    memoryRelease(memory, shape->tet);
    memoryRelease(memory, shape->tetInverse);
    memoryRelease(memory, shape->tetShare);
    memoryRelease(memory, shape->rest);
    modalFlatDestroy(memory, shape->flat);
    rowsDestroyTables(shape);
    memoryRelease(memory, shape);
}

static size_t shapeNumbers(const ModalShape *shape)
{
    size_t runs = ((size_t)shape->blocks + MODAL_RUN - 1) / MODAL_RUN;
    return runs * MODAL_RUN * (size_t)maxInt(shape->count, 1) * 3 * MODAL_BLOCK;
}

static void fillModes(ModalShape *shape, const Modes *modes)
{
    for (int k = 0; k < shape->count; ++k)
        shape->square[k] = k < modes->count ? modes->square[k] : INFINITY;
    memset(shape->shape, 0, shapeNumbers(shape) * sizeof(float));
    for (int k = 0; k < modes->count; ++k)
    {
        const double *u = modes->shape + (ptrdiff_t)k * 3 * shape->vertices;
        for (int i = 0; i < 3 * shape->vertices; ++i)
        {
            int vertex = i / 3;
            ptrdiff_t place = modalPlace(shape, vertex / MODAL_BLOCK, k / MODAL_GROUP);
            place += (k % MODAL_GROUP * 3 + i % 3) * MODAL_BLOCK + vertex % MODAL_BLOCK;
            shape->shape[place] = (float)u[i];
        }
    }
}

// gradients of the four shape functions of a tet at rest times its volume, m^2; returns the volume
static double tetWeights(const ModalMesh *mesh, int tet, Vec3 g[4])
{
    const int *corner = mesh->tet + 4 * (ptrdiff_t)tet;
    Vec3 x[4];
    for (int c = 0; c < 4; ++c)
        x[c] = vecLoad(mesh->rest + 3 * (ptrdiff_t)corner[c]);
    Vec3 a = vecSub(x[1], x[0]), b = vecSub(x[2], x[0]), c = vecSub(x[3], x[0]);
    double volume = vecDot(a, vecCross(b, c)) / 6, sign = volume < 0 ? -1 : 1;
    g[1] = vecScale(sign / 6, vecCross(b, c));
    g[2] = vecScale(sign / 6, vecCross(c, a));
    g[3] = vecScale(sign / 6, vecCross(a, b));
    g[0] = vecScale(-1, vecAdd(vecAdd(g[1], g[2]), g[3]));
    return fabs(volume);
}

static double *findNeighbour(const Patch *patch, int vertex, int other)
{
    int k = patch->start[vertex];
    while (patch->neighbour[k] != other)
        k += 1;
    return patch->sum + 3 * (ptrdiff_t)k;
}

// in the order in which tets name them; there is room for 12 a tet, of which the first of each vertex are used
static void fillNeighbours(const Patch *patch, const ModalMesh *mesh, int vertices, int *end)
{
    int *start = patch->start;
    memset(start, 0, ((size_t)vertices + 1) * sizeof(int));
    for (int i = 0; i < 4 * mesh->tetCount; ++i)
        start[mesh->tet[i] + 1] += 3;
    for (int v = 0; v < vertices; ++v)
        start[v + 1] += start[v];
    memcpy(end, start, (size_t)vertices * sizeof(int));
    for (int i = 0; i < 16 * mesh->tetCount; ++i)
    {
        int v = mesh->tet[i / 4], other = mesh->tet[i / 16 * 4 + i % 4];
        bool known = v == other;
        for (int k = start[v]; k < end[v] && !known; ++k)
            known = patch->neighbour[k] == other;
        if (!known)
            patch->neighbour[end[v]++] = other;
    }
    int count = 0;
    for (int v = 0; v < vertices; ++v)
    {
        int from = start[v], length = end[v] - from;
        start[v] = count;
        memmove(patch->neighbour + count, patch->neighbour + from, (size_t)length * sizeof(int));
        count += length;
    }
    start[vertices] = count;
}

static void fillSums(const Patch *patch, const ModalMesh *mesh, int vertices)
{
    memset(patch->sum, 0, (size_t)patch->start[vertices] * 3 * sizeof(double));
    memset(patch->volume, 0, (size_t)vertices * sizeof(double));
    for (int t = 0; t < mesh->tetCount; ++t)
    {
        Vec3 g[4];
        double volume = tetWeights(mesh, t, g);
        for (int i = 0; i < 16; ++i)
        {
            int v = mesh->tet[4 * t + i / 4], other = mesh->tet[4 * t + i % 4];
            patch->volume[v] += v == other ? volume : 0;
            if (v == other)
                continue;
            double *at = findNeighbour(patch, v, other);
            vecStore(at, vecAdd(vecLoad(at), g[i % 4]));
        }
    }
}

static bool createPatches(ModalShape *shape, const ModalMesh *mesh)
{
    Memory *memory = shape->memory;
    int *end = ALLOCATE(memory, int, shape->vertices);
    Patch patch = { .start = ALLOCATE(memory, int, shape->vertices + 1),
                    .neighbour = ALLOCATE(memory, int, 12 * (size_t)mesh->tetCount),
                    .volume = ALLOCATE(memory, double, shape->vertices) };
    bool ok = end && patch.start && patch.neighbour && patch.volume;
    if (ok)
    {
        fillNeighbours(&patch, mesh, shape->vertices, end);
        patch.sum = ALLOCATE(memory, double, 3 * (size_t)patch.start[shape->vertices]);
    }
    ok = ok && patch.sum != NULL;
    if (ok)
    {
        fillSums(&patch, mesh, shape->vertices);
        ok = modalKnotsCreate(shape, &patch, mesh);
    }
    memoryRelease(memory, patch.sum);
    memoryRelease(memory, patch.volume);
    memoryRelease(memory, patch.neighbour);
    memoryRelease(memory, patch.start);
    memoryRelease(memory, end);
    return ok;
}

// ---- tets -----------------------------------------------------------------------------------------------------------

static void fillTet(ModalShape *shape, const ModalMesh *mesh, int place)
{
    int tet = minInt(place, mesh->tetCount - 1), block = place / MODAL_BLOCK, lane = place % MODAL_BLOCK;
    Vec3 g[4];
    double volume = tetWeights(mesh, tet, g);
    for (int c = 0; c < 4; ++c)
        shape->tet[(block * 5 + c) * MODAL_BLOCK + lane] = mesh->tet[4 * (ptrdiff_t)tet + c];
    int vertex = mesh->tet[4 * (ptrdiff_t)tet], first = (vertex / MODAL_BLOCK * MODAL_MEANS) * MODAL_BLOCK;
    shape->tet[(block * 5 + 4) * MODAL_BLOCK + lane] = shape->meanKnot[first + vertex % MODAL_BLOCK];
    for (int c = 0; c < 3; ++c)
    {
        Vec3 row = vecScale(volume > 0 ? 1 / volume : 0, g[c + 1]);
        float *at = shape->tetInverse + ((ptrdiff_t)block * 9 + 3 * c) * MODAL_BLOCK + lane;
        at[0] = (float)row.x;
        at[MODAL_BLOCK] = (float)row.y;
        at[2 * MODAL_BLOCK] = (float)row.z;
    }
    shape->tetShare[place] = place < mesh->tetCount ? (float)volume : 0; // beyond the last one there are copies of it
}

static bool createTets(ModalShape *shape, const ModalMesh *mesh)
{
    size_t places = (size_t)shape->tetBlocks * MODAL_BLOCK;
    if (places == 0)
        return true;
    shape->tet = ALLOCATE(shape->memory, int, 5 * places);
    shape->tetInverse = ALLOCATE(shape->memory, float, 9 * places);
    shape->tetShare = ALLOCATE(shape->memory, float, places);
    if (shape->tet == NULL || shape->tetInverse == NULL || shape->tetShare == NULL)
        return false;
    double whole = 0;
    for (int t = 0; t < (int)places; ++t)
    {
        fillTet(shape, mesh, t);
        whole += (double)shape->tetShare[t];
    }
    for (size_t t = 0; t < places; ++t)
        shape->tetShare[t] = whole > 0 ? (float)((double)shape->tetShare[t] / whole) : 0;
    return true;
}

ModalShape *modalShapeCreate(Memory *memory, const Modes *modes, const ModalMesh *mesh)
{
    ModalShape *shape = ALLOCATE(memory, ModalShape, 1);
    if (shape == NULL)
        return NULL;
    int count = (modes->count + MODAL_GROUP - 1) / MODAL_GROUP * MODAL_GROUP;
    *shape = (ModalShape){ .memory = memory,
                           .vertices = modes->vertices,
                           .blocks = (modes->vertices + MODAL_BLOCK - 1) / MODAL_BLOCK,
                           .count = count,
                           .tetBlocks = (mesh->tetCount + MODAL_BLOCK - 1) / MODAL_BLOCK,
                           .tied = modes->tied };
    shape->square = ALLOCATE(memory, double, maxInt(count, 1));
    shape->shape = ALLOCATE(memory, float, shapeNumbers(shape));
    shape->rest = ALLOCATE(memory, double, 3 * (size_t)shape->vertices);
    bool ok = shape->square != NULL && shape->shape != NULL && shape->rest != NULL;
    if (ok && createPatches(shape, mesh) && createTets(shape, mesh))
    {
        memcpy(shape->rest, mesh->rest, 3 * (size_t)shape->vertices * sizeof(double));
        fillModes(shape, modes);
        return shape;
    }
    modalShapeDestroy(shape);
    return NULL;
}
