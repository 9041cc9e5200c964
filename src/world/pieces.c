// The parts of a changed body that nothing joins any more.
#include "world/remake.h"

static int rootOf(int *parent, int v)
{
    while (parent[v] != v)
    {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

// the lowest vertex of each part
static void joinAll(const vvMesh *mesh, const Stencils *stencils, int *parent)
{
    for (int v = 0; v < mesh->vertexCount; ++v)
        parent[v] = v;
    for (int k = 0; k < mesh->pairCount; ++k)
    {
        int a = rootOf(parent, mesh->pair[2 * k]), b = rootOf(parent, mesh->pair[2 * k + 1]);
        parent[maxInt(a, b)] = minInt(a, b);
    }
    for (int k = 0; k < stencils->count * MAX_CORNERS; ++k)
    {
        int a = rootOf(parent, stencils->corner[k]),
            b = rootOf(parent, stencils->corner[k / MAX_CORNERS * MAX_CORNERS]);
        parent[maxInt(a, b)] = minInt(a, b);
    }
}

// vertices by pieces; a single vertex is none
static void fill(Pieces *pieces, int *parent, int *size, int count)
{
    for (int v = 0; v < count; ++v)
        size[rootOf(parent, v)] += 1;
    int begin = 0;
    for (int v = 0; v < count && pieces->count < MOST_PIECES; ++v)
    {
        if (size[v] < 2)
            continue;
        pieces->piece[pieces->count++] = (Piece){ .begin = begin, .end = begin };
        begin += size[v];
        size[v] = -pieces->count;
    }
    for (int v = 0; v < count; ++v)
    {
        int mark = size[rootOf(parent, v)];
        if (mark < 0)
            pieces->vertex[pieces->piece[-mark - 1].end++] = v;
    }
}

bool bodyCreatePieces(Body *body)
{
    Memory *memory = &body->world->memory;
    int *parent = ALLOCATE(memory, int, body->count), *size = ALLOCATE(memory, int, body->count);
    Pieces *pieces = ALLOCATE(memory, Pieces, 1);
    body->step.pieces = pieces;
    if (pieces != NULL)
        pieces->vertex = ALLOCATE(memory, int, body->count);
    bool enough = parent != NULL && size != NULL && pieces != NULL && pieces->vertex != NULL;
    if (enough)
    {
        joinAll(body->mesh, &body->stencils, parent);
        fill(pieces, parent, size, body->count);
    }
    memoryRelease(memory, parent);
    memoryRelease(memory, size);
    if (enough && pieces->count < 2)
        bodyDestroyPieces(body);
    return enough;
}

void bodyDestroyPieces(Body *body)
{
    Pieces *pieces = body->step.pieces;
    body->step.pieces = NULL;
    if (pieces != NULL)
        memoryRelease(&body->world->memory, pieces->vertex);
    memoryRelease(&body->world->memory, pieces);
}

bool bodyFreePieces(const Body *body, const State *slice, const double *tie, int *count, int **piece)
{
    const Pieces *pieces = body->step.pieces;
    *count = 0;
    *piece = NULL;
    if (pieces == NULL)
        return true;
    int *of = *piece = ALLOCATE(&body->world->memory, int, body->count);
    if (of == NULL)
        return false;
    for (int v = 0; v < body->count; ++v)
        of[v] = -1;
    for (int p = 0; p < pieces->count; ++p)
    {
        const Piece *part = &pieces->piece[p];
        bool held = false;
        for (int k = part->begin; k < part->end; ++k)
            held |= slice->pinned[pieces->vertex[k]] || (tie != NULL && tie[pieces->vertex[k]] > 0);
        for (int k = part->begin; k < part->end && !held; ++k)
            of[pieces->vertex[k]] = *count;
        *count += !held;
    }
    return true;
}
