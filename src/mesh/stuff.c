// Isosurface stuffing (Labelle and Shewchuk 2007, "Isosurface stuffing: fast tetrahedral meshes with good dihedral
// angles"): vertices of the lattice that a cut of one of their edges lies close to are moved there, and the tets of the
// lattice that the surface still passes through are replaced by what of them is inside.
#include "mesh/solid.h"
#include "mesh/stencil.h"

// How close, per length of the edge, a cut may be to a vertex that stays (table 1 there). With the diagonals of
// stencil.c random cuts leave no angle below 9.3 or above 161 degrees, smooth surfaces none below 18
#define LONG_SHARE 0.24999
#define SHORT_SHARE 0.41189

#define COVER_ROUNDS 4

// ---- cuts -----------------------------------------------------------------------------------------------------------

static size_t slotOf(const Stuffing *s, int a, int b)
{
    uint64_t key = (uint64_t)(uint32_t)minInt(a, b) << 32 | (uint32_t)maxInt(a, b);
    key *= 0x9e3779b97f4a7c15ULL;
    return (size_t)(key >> 20) & s->slotMask;
}

int cutFind(const Stuffing *s, int a, int b)
{
    for (size_t slot = slotOf(s, a, b);; slot = (slot + 1) & s->slotMask)
    {
        int number = s->slot[slot] - 1;
        if (number < 0)
            return -1;
        const Cut *cut = &s->cut[number];
        if ((cut->inside == a && cut->outside == b) || (cut->inside == b && cut->outside == a))
            return number;
    }
}

// where along an edge inside ends
static double cutPlace(const Filling *filling, int inside, int outside)
{
    const Lattice *lattice = &filling->lattice;
    if (filling->sign[inside] == THIN)
        return 0.5;
    return filling->boundary.cut(filling->boundary.of, latticePoint(lattice, inside), latticePoint(lattice, outside));
}

static bool isCut(const Stuffing *s, int a, int b)
{
    const signed char *sign = s->filling->sign;
    return b >= 0 && sign[a] != SURFACE && sign[b] != SURFACE && (sign[a] > 0) != (sign[b] > 0);
}

static void addCut(Stuffing *s, int a, int b)
{
    bool first = s->filling->sign[a] > 0;
    Cut cut = { .inside = first ? a : b, .outside = first ? b : a, .number = -1 };
    cut.place = cutPlace(s->filling, cut.inside, cut.outside);
    Vec3 from = latticePoint(&s->filling->lattice, cut.inside), to = latticePoint(&s->filling->lattice, cut.outside);
    cut.at = vecAdd(from, vecScale(cut.place, vecSub(to, from)));
    s->cut[s->cutCount++] = cut;
    size_t slot = slotOf(s, a, b);
    while (s->slot[slot] != 0)
        slot = (slot + 1) & s->slotMask;
    s->slot[slot] = s->cutCount;
}

static vvResult makeRoom(Stuffing *s, int count)
{
    size_t slots = 16;
    while (slots < 2 * (size_t)count)
        slots *= 2;
    s->slotMask = slots - 1;
    s->slot = ALLOCATE(s->filling->memory, int, slots);
    s->cut = ALLOCATE(s->filling->memory, Cut, count);
    return s->slot != NULL && s->cut != NULL ? resultOk() : resultOutOfMemory("the cuts of a solid");
}

// every cut has one end inside
static vvResult findCuts(Stuffing *s)
{
    const Lattice *lattice = &s->filling->lattice;
    int count = 0;
    vvResult result = resultOk();
    for (int pass = 0; pass < 2 && result.code == VV_OK; ++pass)
    {
        if (pass == 1)
            result = makeRoom(s, count);
        for (int v = 0; v < lattice->vertexCount && result.code == VV_OK; ++v)
        {
            for (int k = 0; k < LATTICE_NEIGHBOURS && s->filling->sign[v] > 0; ++k)
            {
                int other = latticeNeighbour(lattice, v, k);
                if (!isCut(s, v, other))
                    continue;
                ++count;
                if (pass == 1)
                    addCut(s, v, other);
            }
            if (pass == 1 && v % 4096 == 0)
                result = fillingProgress(s->filling, 0.6 + 0.25 * v / lattice->vertexCount);
        }
    }
    return result;
}

// ---- vertices that move to the surface ------------------------------------------------------------------------------

static void warp(Stuffing *s, int vertex)
{
    const Lattice *lattice = &s->filling->lattice;
    double nearest = INFINITY;
    for (int k = 0; k < LATTICE_NEIGHBOURS; ++k)
    {
        int other = latticeNeighbour(lattice, vertex, k);
        if (!isCut(s, vertex, other))
            continue;
        const Cut *cut = &s->cut[cutFind(s, vertex, other)];
        bool isLong = latticeIsLong(lattice, vertex, other);
        double share = cut->inside == vertex ? cut->place : 1 - cut->place;
        double length = share * (isLong ? 1 : 0.8660254037844386);
        if (share < (isLong ? LONG_SHARE : SHORT_SHARE) && length < nearest)
        {
            nearest = length;
            s->warp[vertex] = cutFind(s, vertex, other) + 1;
        }
    }
    if (s->warp[vertex] != 0)
        s->filling->sign[vertex] = SURFACE;
}

static void warpAll(Stuffing *s)
{
    // an outside vertex moves too, if an inside one is next to it
    for (int v = 0; v < s->filling->lattice.vertexCount; ++v)
    {
        bool near = s->filling->sign[v] > 0;
        for (int k = 0; k < LATTICE_NEIGHBOURS && !near; ++k)
            near = isCut(s, v, latticeNeighbour(&s->filling->lattice, v, k));
        if (near)
            warp(s, v);
    }
}

// ---- all together ---------------------------------------------------------------------------------------------------

static void releaseCuts(Stuffing *s)
{
    memoryRelease(s->filling->memory, s->slot);
    memoryRelease(s->filling->memory, s->cut);
    s->slot = NULL;
    s->cut = NULL;
    s->cutCount = 0;
}

// as before the warp, but for what is thin
static void unwarp(Stuffing *s)
{
    for (int v = 0; v < s->filling->lattice.vertexCount; ++v)
    {
        if (s->warp[v] != 0 && s->filling->sign[v] == SURFACE)
            s->filling->sign[v] = s->cut[s->warp[v] - 1].inside == v ? INSIDE : OUTSIDE;
        s->warp[v] = 0;
    }
}

// a cage is cut again until it covers what is thin
static vvResult cutLattice(Stuffing *s)
{
    bool cage = s->filling->def->kind == VV_SOLID_CAGE;
    for (int round = 0; round < COVER_ROUNDS; ++round)
    {
        vvResult result = findCuts(s);
        if (result.code != VV_OK)
            return result;
        warpAll(s);
        if (cage && round == COVER_ROUNDS - 1)
            break;
        double missed = fillingCover(s->filling);
        s->filling->missedArea = maxReal(s->filling->missedArea, missed);
        if (!cage || missed == 0)
            break;
        unwarp(s);
        releaseCuts(s);
    }
    return resultOk();
}

static void makeTets(Stuffing *s)
{
    const Lattice *lattice = &s->filling->lattice;
    int cells = lattice->vertexCount - lattice->cornerCount;
    for (int cell = 0; cell < cells && !s->exhausted; ++cell)
    {
        for (int k = 0; k < 12; ++k)
        {
            int vertex[4];
            if (latticeTet(lattice, cell, k, vertex))
                stencilEmit(s, vertex);
        }
    }
}

vvResult stuffLattice(Filling *filling, MeshArrays *arrays)
{
    Memory *memory = filling->memory;
    Stuffing s = { .filling = filling, .arrays = arrays };
    s.warp = ALLOCATE(memory, int, filling->lattice.vertexCount);
    s.number = ALLOCATE(memory, int, filling->lattice.vertexCount);
    vvResult result = s.warp != NULL && s.number != NULL ? cutLattice(&s) : resultOutOfMemory("the tets of a solid");
    bool graded = filling->def->grading > 0;
    if (result.code == VV_OK && graded && !gradeCells(&s))
        result = resultOutOfMemory("the cells of a solid");
    if (result.code == VV_OK)
    {
        if (graded)
            gradeTets(&s);
        else
            makeTets(&s);
        if (s.exhausted)
            result = resultOutOfMemory("the tets of a solid");
    }
    releaseCuts(&s);
    memoryRelease(memory, s.warp);
    memoryRelease(memory, s.level);
    memoryRelease(memory, s.number);
    return result.code == VV_OK ? fillingProgress(filling, 0.9) : result;
}
