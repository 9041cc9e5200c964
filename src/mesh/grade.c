// Coarser cells inside: where whole blocks of the lattice lie inside and away from the surface they become one cell of
// twice, four times, ... the size, a lattice of its own (Labelle and Shewchuk 2007, section 3.2). Cells that touch
// differ by a factor of two at most; cells at the surface keep their size, so that the angles of stuffing hold there.
// Corners and centres of large cells are corners of small ones: no vertex is new.
#include "mesh/stencil.h"

static int cellIndex(const Lattice *lattice, const int *at)
{
    for (int a = 0; a < 3; ++a)
    {
        if (at[a] < 0 || at[a] >= lattice->cells[a])
            return -1;
    }
    return (at[0] * lattice->cells[1] + at[1]) * lattice->cells[2] + at[2];
}

static int levelAt(const Stuffing *s, const int *at)
{
    int cell = cellIndex(&s->filling->lattice, at);
    return cell >= 0 ? s->level[cell] : -1;
}

static int cornerAt(const Lattice *lattice, const int *at)
{
    return latticeVertex(lattice, (LatticePlace){ { at[0], at[1], at[2] }, false });
}

// ---- which cells are one --------------------------------------------------------------------------------------------

// all of it inside and where the lattice has it
static bool isDeep(const Stuffing *s, const int *at)
{
    const Lattice *lattice = &s->filling->lattice;
    int cell = cellIndex(lattice, at);
    bool deep = cell >= 0 && s->filling->sign[lattice->cornerCount + cell] == INSIDE;
    for (int k = 0; k < 8 && deep; ++k)
    {
        const int corner[3] = { at[0] + k / 4, at[1] + k / 2 % 2, at[2] + k % 2 };
        deep = s->filling->sign[cornerAt(lattice, corner)] == INSIDE;
    }
    return deep;
}

// The cells of a block are deep, and so are the centres of those across its faces, which get tets without a cut.
static bool isBlockDeep(const Stuffing *s, const int *first)
{
    const Lattice *lattice = &s->filling->lattice;
    int at[3];
    for (at[0] = first[0] - 1; at[0] <= first[0] + 2; ++at[0])
    {
        for (at[1] = first[1] - 1; at[1] <= first[1] + 2; ++at[1])
        {
            for (at[2] = first[2] - 1; at[2] <= first[2] + 2; ++at[2])
            {
                int beside = 0, cell = cellIndex(lattice, at);
                for (int a = 0; a < 3; ++a)
                    beside += at[a] < first[a] || at[a] > first[a] + 1;
                bool centre = cell >= 0 && s->filling->sign[lattice->cornerCount + cell] == INSIDE;
                if ((beside == 0 && !isDeep(s, at)) || (beside == 1 && !centre))
                    return false;
            }
        }
    }
    return true;
}

// The block is whole, and its neighbours are at most one level below.
static bool mayMerge(const Stuffing *s, const int *first, int level)
{
    int size = 1 << level, at[3];
    for (at[0] = first[0] - 1; at[0] <= first[0] + size; ++at[0])
    {
        for (at[1] = first[1] - 1; at[1] <= first[1] + size; ++at[1])
        {
            for (at[2] = first[2] - 1; at[2] <= first[2] + size; ++at[2])
            {
                if (levelAt(s, at) < level - 1)
                    return false;
            }
        }
    }
    return true;
}

static void mark(Stuffing *s, const int *first, int level)
{
    int size = 1 << level, at[3];
    for (at[0] = first[0]; at[0] < first[0] + size; ++at[0])
    {
        for (at[1] = first[1]; at[1] < first[1] + size; ++at[1])
        {
            for (at[2] = first[2]; at[2] < first[2] + size; ++at[2])
                s->level[cellIndex(&s->filling->lattice, at)] = (unsigned char)level;
        }
    }
}

bool gradeCells(Stuffing *s)
{
    const Lattice *lattice = &s->filling->lattice;
    s->level = ALLOCATE(s->filling->memory, unsigned char, lattice->vertexCount - lattice->cornerCount);
    for (int level = 1; level <= s->filling->def->grading && s->level != NULL; ++level)
    {
        int size = 1 << level, at[3];
        for (at[0] = 0; at[0] + size <= lattice->cells[0]; at[0] += size)
        {
            for (at[1] = 0; at[1] + size <= lattice->cells[1]; at[1] += size)
            {
                for (at[2] = 0; at[2] + size <= lattice->cells[2]; at[2] += size)
                {
                    if (level == 1 ? isBlockDeep(s, at) : mayMerge(s, at, level))
                        mark(s, at, level);
                }
            }
        }
    }
    return s->level != NULL;
}

// ---- their tets -----------------------------------------------------------------------------------------------------

// A face of a cell: its corners one after the other, and the middles of its edges where they are vertices.
typedef struct Face
{
    int corner[4], middle[4]; // vertices of the lattice; -1: the edge is whole
    int centre;               // of the face, a vertex only where smaller cells are beyond
} Face;

static int centreOf(const Lattice *lattice, const int *first, int level)
{
    if (level == 0)
        return lattice->cornerCount + cellIndex(lattice, first);
    int half = 1 << (level - 1);
    return cornerAt(lattice, (int[3]){ first[0] + half, first[1] + half, first[2] + half });
}

// `beyond`: 1 on the far side of the cell along the axis, 0 on the near one
static Face faceOf(const Stuffing *s, const int *first, int level, int axis, int beyond)
{
    static const int around[4][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } };
    const Lattice *lattice = &s->filling->lattice;
    int u = (axis + 1) % 3, v = (axis + 2) % 3, size = 1 << level, half = size / 2;
    Face face;
    int at[3] = { first[0], first[1], first[2] };
    at[axis] += beyond * size;
    int middle[3] = { at[0], at[1], at[2] };
    middle[u] += half;
    middle[v] += half;
    face.centre = cornerAt(lattice, middle);
    int next[3] = { first[0], first[1], first[2] };
    next[axis] += beyond != 0 ? size : -1;
    bool smaller = levelAt(s, next) < level;
    for (int k = 0; k < 4; ++k)
    {
        const int *from = around[k], *to = around[(k + 1) % 4];
        int corner[3] = { at[0], at[1], at[2] }, edge[3] = { at[0], at[1], at[2] };
        corner[u] += from[0] * size;
        corner[v] += from[1] * size;
        edge[u] += (from[0] + to[0]) * half;
        edge[v] += (from[1] + to[1]) * half;
        face.corner[k] = cornerAt(lattice, corner);
        // of the three other cells at the edge one is smaller
        int side[3] = { first[0], first[1], first[2] }, over = from[0] == to[0] ? u : v;
        side[over] += (over == u ? from[0] : from[1]) != 0 ? size : -1;
        int across[3] = { side[0], side[1], side[2] };
        across[axis] += beyond != 0 ? size : -1;
        bool split = smaller || levelAt(s, side) < level || levelAt(s, across) < level;
        face.middle[k] = split && level > 0 ? cornerAt(lattice, edge) : -1;
    }
    return face;
}

// Between two cells of one size: a tet for each edge of their face, two where the edge has a middle.
static void joinEqual(Stuffing *s, const Face *face, int centre, int other)
{
    for (int k = 0; k < 4; ++k)
    {
        int a = face->corner[k], b = face->corner[(k + 1) % 4], m = face->middle[k];
        stencilEmit(s, (int[4]){ centre, other, a, m >= 0 ? m : b });
        if (m >= 0)
            stencilEmit(s, (int[4]){ centre, other, m, b });
    }
}

// Towards four smaller cells: eight tets around the middle of the face.
static void joinSmaller(Stuffing *s, const Face *face, int centre)
{
    for (int k = 0; k < 4; ++k)
    {
        stencilEmit(s, (int[4]){ centre, face->centre, face->corner[k], face->middle[k] });
        stencilEmit(s, (int[4]){ centre, face->centre, face->middle[k], face->corner[(k + 1) % 4] });
    }
}

// Towards a larger cell: two tets, cut where its eight are.
static void joinLarger(Stuffing *s, const Face *face, const int *first, int level, int axis, int centre)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3, size = 1 << level;
    int right = first[u] % (2 * size) == 0, up = first[v] % (2 * size) == 0; // where the middle of the large face is
    int from = right ? (up ? 2 : 1) : (up ? 3 : 0);
    int a = face->corner[from], c = face->corner[(from + 2) % 4];
    stencilEmit(s, (int[4]){ centre, a, face->corner[(from + 1) % 4], c });
    stencilEmit(s, (int[4]){ centre, a, face->corner[(from + 3) % 4], c });
}

static void cellTets(Stuffing *s, const int *first, int level)
{
    const Lattice *lattice = &s->filling->lattice;
    int centre = centreOf(lattice, first, level), size = 1 << level;
    for (int k = 0; k < 6; ++k)
    {
        int axis = k / 2, beyond = k % 2, next[3] = { first[0], first[1], first[2] };
        next[axis] += beyond ? size : -1;
        int other = levelAt(s, next);
        if (other < 0 || (other == level && !beyond))
            continue;
        Face face = faceOf(s, first, level, axis, beyond);
        if (other == level)
            joinEqual(s, &face, centre, centreOf(lattice, next, level));
        else if (other < level)
            joinSmaller(s, &face, centre);
        else
            joinLarger(s, &face, first, level, axis, centre);
    }
}

void gradeTets(Stuffing *s)
{
    const Lattice *lattice = &s->filling->lattice;
    int at[3];
    for (at[0] = 0; at[0] < lattice->cells[0]; ++at[0])
    {
        for (at[1] = 0; at[1] < lattice->cells[1]; ++at[1])
        {
            for (at[2] = 0; at[2] < lattice->cells[2] && !s->exhausted; ++at[2])
            {
                int level = levelAt(s, at), mask = (1 << level) - 1;
                if (((at[0] | at[1] | at[2]) & mask) == 0)
                    cellTets(s, at, level);
            }
        }
    }
}
