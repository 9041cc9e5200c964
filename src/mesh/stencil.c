#include "mesh/stencil.h"

// ---- points and tets ------------------------------------------------------------------------------------------------

static int addPoint(Stuffing *s, Vec3 at)
{
    MeshArrays *arrays = s->arrays;
    size_t used = 3 * (size_t)arrays->pointCount;
    if (used + 3 > s->pointRoom)
    {
        size_t room = 2 * used + 3 * 64;
        if (!memoryGrow(arrays->memory, (void **)&arrays->point, s->pointRoom, room, sizeof(double)))
        {
            s->exhausted = true;
            return 0;
        }
        s->pointRoom = room;
    }
    vecStore(arrays->point + used, at);
    return arrays->pointCount++;
}

static int vertexPoint(Stuffing *s, int vertex)
{
    if (s->number[vertex] == 0)
    {
        int warp = s->warp[vertex];
        s->number[vertex] =
            1 + addPoint(s, warp > 0 ? s->cut[warp - 1].at : latticePoint(&s->filling->lattice, vertex));
    }
    return s->number[vertex] - 1;
}

static int cutPoint(Stuffing *s, int inside, int outside)
{
    Cut *cut = &s->cut[cutFind(s, inside, outside)];
    if (cut->number < 0)
        cut->number = addPoint(s, cut->at);
    return cut->number;
}

static void addTet(Stuffing *s, int a, int b, int c, int d)
{
    MeshArrays *arrays = s->arrays;
    size_t used = 4 * (size_t)arrays->tetCount;
    if (s->exhausted)
        return;
    if (used + 4 > s->tetRoom)
    {
        size_t room = 2 * used + 4 * 64;
        if (!memoryGrow(arrays->memory, (void **)&arrays->tet, s->tetRoom, room, sizeof(int)))
        {
            s->exhausted = true;
            return;
        }
        s->tetRoom = room;
    }
    int *corner = arrays->tet + used;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    corner[3] = d;
    if (tetVolume(arrays->point, corner) < 0)
    {
        corner[2] = d;
        corner[3] = c;
    }
    arrays->tetCount += 1;
}

// ---- quadrilaterals and wedges --------------------------------------------------------------------------------------

// Two vertices inside and one outside leave a quadrilateral of a face of the lattice. Whether its diagonal starts at
// the first of the two: both tets at the face must agree. The cut of a long edge gets it (the other one instead: 6
// degrees at worst for random cuts, not 9); if both cut edges are short, parity decides.
static bool fromFirst(const Stuffing *s, int first, int second, int outside)
{
    const Lattice *lattice = &s->filling->lattice;
    if (latticeIsLong(lattice, first, second))
        return latticeIsOdd(lattice, first);
    return latticeIsLong(lattice, second, outside);
}

// A wedge with the triangles a and b; `forward[k]`: the diagonal of its side k is a[k] b[k + 1], else a[k + 1] b[k].
static void addWedge(Stuffing *s, const int *a, const int *b, const bool *forward)
{
    int k = 0;
    while (k < 3 && !(forward[k] && !forward[(k + 2) % 3]))
        ++k;
    ASSERT_CHEAP(k < 3, "the diagonals of a wedge do not run in a circle");
    int l = (k + 1) % 3, m = (k + 2) % 3;
    addTet(s, a[k], b[0], b[1], b[2]);
    addTet(s, a[k], a[l], a[m], forward[l] ? b[m] : b[l]);
    addTet(s, a[k], forward[l] ? a[l] : a[m], b[l], b[m]);
}

static double leastAngleCosine(const Stuffing *s, const int *a, const int *b, const bool *forward)
{
    int k = 0;
    while (k < 3 && !(forward[k] && !forward[(k + 2) % 3]))
        ++k;
    if (k == 3)
        return 2;
    int l = (k + 1) % 3, m = (k + 2) % 3;
    const int tet[3][4] = { { a[k], b[0], b[1], b[2] },
                            { a[k], a[l], a[m], forward[l] ? b[m] : b[l] },
                            { a[k], forward[l] ? a[l] : a[m], b[l], b[m] } };
    double worst = -1;
    for (int i = 0; i < 3; ++i)
    {
        double least, largest;
        tetCosines(s->arrays->point, tet[i], &least, &largest);
        worst = maxReal(worst, maxReal(largest, -least));
    }
    return worst;
}

static void emitThree(Stuffing *s, const int *in, int out)
{
    int a[3], b[3];
    bool forward[3];
    for (int k = 0; k < 3; ++k)
    {
        a[k] = vertexPoint(s, in[k]);
        b[k] = cutPoint(s, in[k], out);
        forward[k] = fromFirst(s, in[k], in[(k + 1) % 3], out);
    }
    if (!s->exhausted)
        addWedge(s, a, b, forward);
}

static void emitTwoTwo(Stuffing *s, const int *in, const int *out)
{
    // points are numbered as they come: one after the other, not in a list of arguments
    int a[3], b[3];
    a[0] = vertexPoint(s, in[0]);
    b[0] = vertexPoint(s, in[1]);
    for (int k = 0; k < 2; ++k)
    {
        a[1 + k] = cutPoint(s, in[0], out[k]);
        b[1 + k] = cutPoint(s, in[1], out[k]);
    }
    if (s->exhausted)
        return;
    // side 0: in[0] or in[1] against out[0]; side 2: against out[1]; side 1 is the surface and free
    bool forward[3] = { fromFirst(s, in[0], in[1], out[0]), false, !fromFirst(s, in[0], in[1], out[1]) };
    bool other[3] = { forward[0], true, forward[2] };
    addWedge(s, a, b, leastAngleCosine(s, a, b, forward) <= leastAngleCosine(s, a, b, other) ? forward : other);
}

// ---- one tet of the lattice -----------------------------------------------------------------------------------------

void stencilEmit(Stuffing *s, const int *vertex)
{
    const signed char *sign = s->filling->sign;
    int in[4], on[4], out[4], ins = 0, ons = 0, outs = 0;
    for (int i = 0; i < 4; ++i)
    {
        if (sign[vertex[i]] > 0)
            in[ins++] = vertex[i];
        else if (sign[vertex[i]] == SURFACE)
            on[ons++] = vertex[i];
        else
            out[outs++] = vertex[i];
    }
    if (ins == 0)
        return;
    if (outs == 0)
    {
        int corner[4];
        for (int i = 0; i < 4; ++i)
            corner[i] = vertexPoint(s, vertex[i]);
        addTet(s, corner[0], corner[1], corner[2], corner[3]);
    }
    else if (ins == 1)
    {
        int corner[4] = { vertexPoint(s, in[0]) };
        for (int i = 0; i < ons; ++i)
            corner[1 + i] = vertexPoint(s, on[i]);
        for (int i = 0; i < outs; ++i)
            corner[1 + ons + i] = cutPoint(s, in[0], out[i]);
        addTet(s, corner[0], corner[1], corner[2], corner[3]);
    }
    else if (ons == 1)
    {
        int apex = vertexPoint(s, on[0]), a = vertexPoint(s, in[0]), b = vertexPoint(s, in[1]);
        int c = cutPoint(s, in[0], out[0]), d = cutPoint(s, in[1], out[0]);
        bool first = fromFirst(s, in[0], in[1], out[0]);
        addTet(s, apex, a, b, first ? d : c);
        addTet(s, apex, c, d, first ? a : b);
    }
    else if (ins == 3)
        emitThree(s, in, out[0]);
    else
        emitTwoTwo(s, in, out);
}
