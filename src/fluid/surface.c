#include "fluid/surface.h"

#include <string.h>

#define DIRECTIONS 7      // edges from a node: along the axes and diagonals of a cell
#define LEAST_SHARE 0.02f // of an edge: no corner is at its end
#define ROUNDS 3
// Taubin (1995): a step back follows each step of smoothing, so that the mesh does not shrink
#define FORTH 0.5
#define BACK (-0.53)

// ---- corners on the edges of the grid -------------------------------------------------------------------------------

typedef struct Corner
{
    int64_t key; // node x DIRECTIONS + direction
    int point;   // -1: free
} Corner;

typedef struct March
{
    Memory *memory;
    const Field *field;
    FluidSurface *surface;
    Corner *corner; // room, a power of 2
    int room;
    bool good; // false: out of memory
} March;

// the eight nodes of a cell
typedef struct Cell
{
    int64_t node[8]; // block x FIELD_NODES + node in it; -1: outside of all blocks
    float distance[8];
    double at[3]; // of the first node, in cells
} Cell;

static bool growCorners(March *m)
{
    int room = m->room > 0 ? 2 * m->room : 4096;
    Corner *corner = room > 0 ? ALLOCATE(m->memory, Corner, (size_t)room) : NULL;
    if (corner == NULL)
        return m->good = false;
    for (int i = 0; i < room; ++i)
        corner[i].point = -1;
    for (int i = 0; i < m->room; ++i)
    {
        if (m->corner[i].point < 0)
            continue;
        uint64_t to = (uint64_t)m->corner[i].key * 0x9e3779b97f4a7c15u >> 20;
        while (corner[to & (uint64_t)(room - 1)].point >= 0)
            to += 1;
        corner[to & (uint64_t)(room - 1)] = m->corner[i];
    }
    memoryRelease(m->memory, m->corner);
    m->corner = corner;
    m->room = room;
    return true;
}

static bool growPoints(March *m)
{
    FluidSurface *s = m->surface;
    int room = s->pointRoom > 0 ? 2 * s->pointRoom : 1024;
    void *point = s->point, *sum = s->sum;
    bool good = room > 0 && memoryGrow(m->memory, &point, 3 * (size_t)s->pointCount, 3 * (size_t)room, sizeof(double));
    s->point = point;
    good = good && memoryGrow(m->memory, &sum, 0, 4 * (size_t)room, sizeof(double));
    s->sum = sum;
    s->pointRoom = good ? room : s->pointRoom;
    return m->good = m->good && good;
}

// Where the surface cuts the edge from `a` to `b`, corners of the cell. The lower node of the edge names it: it is in a
// block wherever the other end is inside.
static int cornerOn(March *m, const Cell *cell, int a, int b)
{
    FluidSurface *s = m->surface;
    int low = a < b ? a : b, high = a < b ? b : a;
    int64_t key = cell->node[low] * DIRECTIONS + (high ^ low) - 1;
    if (2 * (s->pointCount + 1) > m->room && !growCorners(m))
        return 0;
    uint64_t at = (uint64_t)key * 0x9e3779b97f4a7c15u >> 20, mask = (uint64_t)(m->room - 1);
    while (m->corner[at & mask].point >= 0 && m->corner[at & mask].key != key)
        at += 1;
    if (m->corner[at & mask].point >= 0)
        return m->corner[at & mask].point;
    if (s->pointCount == s->pointRoom && !growPoints(m))
        return 0;
    float share = cell->distance[low] / (cell->distance[low] - cell->distance[high]);
    share = share < LEAST_SHARE ? LEAST_SHARE : share > 1 - LEAST_SHARE ? 1 - LEAST_SHARE : share;
    for (int k = 0; k < 3; ++k)
    {
        double from = low >> k & 1, to = high >> k & 1;
        s->point[3 * (ptrdiff_t)s->pointCount + k] =
            m->field->cell * (cell->at[k] + from + (double)share * (to - from));
    }
    m->corner[at & mask] = (Corner){ key, s->pointCount };
    return s->pointCount++;
}

// ---- marching tetrahedra --------------------------------------------------------------------------------------------

static void addTriangle(March *m, int a, int b, int c)
{
    FluidSurface *s = m->surface;
    if (s->triangleCount == s->triangleRoom)
    {
        int room = s->triangleRoom > 0 ? 2 * s->triangleRoom : 2048;
        void *triangle = s->triangle;
        if (room < 0 || !memoryGrow(m->memory, &triangle, 3 * (size_t)s->triangleCount, 3 * (size_t)room, sizeof(int)))
        {
            m->good = false;
            return;
        }
        s->triangle = triangle;
        s->triangleRoom = room;
    }
    int *to = s->triangle + 3 * (ptrdiff_t)s->triangleCount++;
    to[0] = a;
    to[1] = b;
    to[2] = c;
}

// A tet with positive volume: faces turn their normals from the corners inside to those outside.
static void marchTet(March *m, const Cell *cell, const int *tet)
{
    int in[4], out[4], inCount = 0, outCount = 0;
    for (int i = 0; i < 4; ++i)
        *(cell->distance[tet[i]] < 0 ? &in[inCount++] : &out[outCount++]) = i;
    if (inCount == 0 || outCount == 0)
        return;
    // whether (in..., out...) is an even permutation of the tet
    int order[4], swaps = 0;
    for (int i = 0; i < 4; ++i)
        order[i] = i < inCount ? in[i] : out[i - inCount];
    for (int i = 0; i < 4; ++i)
    {
        for (int j = i + 1; j < 4; ++j)
            swaps += order[i] > order[j];
    }
    const int v[4] = { tet[order[0]], tet[order[1]], tet[order[2]], tet[order[3]] };
    int p[4];
    bool even = swaps % 2 == 0;
    if (inCount == 2)
    {
        p[0] = cornerOn(m, cell, v[0], v[2]);
        p[1] = cornerOn(m, cell, v[0], v[3]);
        p[2] = cornerOn(m, cell, v[1], v[3]);
        p[3] = cornerOn(m, cell, v[1], v[2]);
        if (!m->good)
            return;
        addTriangle(m, p[0], p[even ? 1 : 2], p[even ? 2 : 1]);
        addTriangle(m, p[0], p[even ? 2 : 3], p[even ? 3 : 2]);
        return;
    }
    for (int i = 0; i < 3; ++i)
        p[i] = inCount == 1 ? cornerOn(m, cell, v[0], v[1 + i]) : cornerOn(m, cell, v[3], v[i]);
    if (m->good)
        addTriangle(m, p[0], p[even ? 1 : 2], p[even ? 2 : 1]);
}

// The tets of a cell around its diagonal from corner 0 to 7, in every cell alike: faces of neighbours agree.
static void marchCell(March *m, const Cell *cell)
{
    static const int tets[6][4] = { { 0, 1, 3, 7 }, { 0, 3, 2, 7 }, { 0, 2, 6, 7 },
                                    { 0, 6, 4, 7 }, { 0, 4, 5, 7 }, { 0, 5, 1, 7 } };
    int inside = 0;
    for (int i = 0; i < 8; ++i)
        inside += cell->distance[i] < 0;
    for (int t = 0; t < 6 && inside > 0 && inside < 8; ++t)
        marchTet(m, cell, tets[t]);
}

static void marchBlock(March *m, int block)
{
    const Field *field = m->field;
    int near[8];
    bool wet = false;
    for (int k = 0; k < 8; ++k)
    {
        int64_t at[3];
        for (int a = 0; a < 3; ++a)
            at[a] = field->block[block].at[a] + (k >> a & 1);
        near[k] = k == 0 ? block : fieldFind(field, at);
        wet = wet || (near[k] >= 0 && field->block[near[k]].wet);
    }
    if (!wet)
        return;
    for (int n = 0; n < FIELD_NODES && m->good; ++n)
    {
        const int from[3] = { n % FIELD_SIDE, n / FIELD_SIDE % FIELD_SIDE, n / (FIELD_SIDE * FIELD_SIDE) };
        Cell cell;
        for (int a = 0; a < 3; ++a)
            cell.at[a] = (double)(field->block[block].at[a] * FIELD_SIDE + from[a]);
        for (int c = 0; c < 8; ++c)
        {
            int local = 0, which = 0;
            for (int a = 2; a >= 0; --a)
            {
                int i = from[a] + (c >> a & 1);
                which |= (i / FIELD_SIDE) << a;
                local = FIELD_SIDE * local + i % FIELD_SIDE;
            }
            cell.node[c] = near[which] < 0 ? -1 : (int64_t)near[which] * FIELD_NODES + local;
            cell.distance[c] = near[which] < 0 ? 1 : field->block[near[which]].distance[local];
        }
        marchCell(m, &cell);
    }
}

// ---- smoothing ------------------------------------------------------------------------------------------------------

// Points move by this share towards the mean of those they have edges with: each edge is in two triangles.
static void smooth(FluidSurface *s, double share)
{
    memset(s->sum, 0, 4 * (size_t)s->pointCount * sizeof *s->sum);
    for (int t = 0; t < s->triangleCount; ++t)
    {
        for (int k = 0; k < 3; ++k)
        {
            double *sum = s->sum + 4 * (ptrdiff_t)s->triangle[3 * (ptrdiff_t)t + k];
            const double *x = s->point + 3 * (ptrdiff_t)s->triangle[3 * (ptrdiff_t)t + (k + 1) % 3];
            const double *y = s->point + 3 * (ptrdiff_t)s->triangle[3 * (ptrdiff_t)t + (k + 2) % 3];
            for (int a = 0; a < 3; ++a)
                sum[a] += x[a] + y[a];
            sum[3] += 2;
        }
    }
    for (int p = 0; p < s->pointCount; ++p)
    {
        const double *sum = s->sum + 4 * (ptrdiff_t)p;
        double *x = s->point + 3 * (ptrdiff_t)p;
        for (int a = 0; a < 3; ++a)
            x[a] += share * (sum[a] / sum[3] - x[a]);
    }
}

bool fluidSurfaceMake(Memory *memory, const double *position, int count, double spacing, FluidSurface *surface)
{
    Field field;
    surface->pointCount = surface->triangleCount = 0;
    bool good = fieldMake(&field, memory, position, count, spacing);
    March march = { .memory = memory, .field = &field, .surface = surface, .good = good };
    for (int b = 0; b < field.blockCount && march.good; ++b)
        marchBlock(&march, b);
    memoryRelease(memory, march.corner);
    fieldRelease(&field);
    if (!march.good)
        surface->pointCount = surface->triangleCount = 0;
    for (int i = 0; i < 2 * ROUNDS && surface->pointCount > 0; ++i)
        smooth(surface, i % 2 == 0 ? FORTH : BACK);
    return march.good;
}

void fluidSurfaceRelease(Memory *memory, FluidSurface *surface)
{
    memoryRelease(memory, surface->point);
    memoryRelease(memory, surface->triangle);
    memoryRelease(memory, surface->sum);
    *surface = (FluidSurface){ 0 };
}
