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

// 1: two parts became one
static int join(int *parent, int v, int w)
{
    if (parent[v] == parent[w]) // most are one already
        return 0;
    int a = rootOf(parent, v), b = rootOf(parent, w);
    parent[maxInt(a, b)] = minInt(a, b);
    return a != b;
}

// the lowest vertex of each part; returns how many parts there are
static int joinAll(const vvMesh *mesh, const Stencils *stencils, int *parent)
{
    int parts = mesh->vertexCount;
    for (int v = 0; v < mesh->vertexCount; ++v)
        parent[v] = v;
    for (int k = 0; k < mesh->pairCount && parts > 1; ++k)
        parts -= join(parent, mesh->pair[2 * k], mesh->pair[2 * k + 1]);
    for (int k = 0; k < stencils->count * MAX_CORNERS && parts > 1; ++k)
        parts -= join(parent, stencils->corner[k], stencils->corner[k / MAX_CORNERS * MAX_CORNERS]);
    return parts;
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
        pieces->of[v] = mark < 0 ? -mark - 1 : -1;
        if (mark < 0)
            pieces->vertex[pieces->piece[-mark - 1].end++] = v;
    }
}

// of a body that has several parts
static bool create(Body *body, int *parent)
{
    Memory *memory = &body->world->memory;
    int *size = ALLOCATE(memory, int, body->count);
    Pieces *pieces = ALLOCATE(memory, Pieces, 1);
    body->step.pieces = pieces;
    if (pieces != NULL)
    {
        pieces->vertex = ALLOCATE(memory, int, body->count);
        pieces->of = ALLOCATE(memory, int, body->count);
    }
    bool enough = size != NULL && pieces != NULL && pieces->vertex != NULL && pieces->of != NULL;
    if (enough)
        fill(pieces, parent, size, body->count);
    memoryRelease(memory, size);
    if (enough && pieces->count < 2)
        bodyDestroyPieces(body);
    else if (enough)
        enough = (body->sleeper = ALLOCATE(memory, Sleeper, pieces->count)) != NULL;
    return enough;
}

bool bodyCreatePieces(Body *body)
{
    int *parent = ALLOCATE_BARE(&body->world->memory, int, body->count);
    if (parent == NULL)
        return false;
    bool enough = joinAll(body->mesh, &body->stencils, parent) < 2 || create(body, parent);
    memoryRelease(&body->world->memory, parent);
    return enough;
}

void bodyDestroyPieces(Body *body)
{
    Pieces *pieces = body->step.pieces;
    body->step.pieces = NULL;
    if (pieces != NULL)
    {
        memoryRelease(&body->world->memory, pieces->vertex);
        memoryRelease(&body->world->memory, pieces->of);
    }
    memoryRelease(&body->world->memory, pieces);
    memoryRelease(&body->world->memory, body->sleeper);
    body->sleeper = NULL;
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
