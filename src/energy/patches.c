#include "energy/patches.h"

#include "energy/kernels.h"

#include <string.h>

void patchesDestroy(Patches *patches)
{
    if (patches == NULL)
        return;
    Memory *memory = patches->memory;
    memoryRelease(memory, patches->slotStart);
    memoryRelease(memory, patches->place);
    memoryRelease(memory, patches->share);
    memoryRelease(memory, patches->law);
    memoryRelease(memory, patches->member);
    memoryRelease(memory, patches->deformation);
    memoryRelease(memory, patches->stress);
    memoryRelease(memory, patches->turn);
    memoryRelease(memory, patches->bent);
    memoryRelease(memory, patches);
}

// ---- which tets lie around which edge -------------------------------------------------------------------------------

static const int edgeCorner[PATCH_EDGES][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 1, 2 }, { 1, 3 }, { 2, 3 } };

// an edge of a tet, in the list of the lower of its vertices
typedef struct Side
{
    int other;  // the higher vertex
    int number; // PATCHES_OF_TET x tet + edge
} Side;

static int cornerOf(const Energy *energy, int tet, int corner)
{
    return laneVertices(energy, tet / LANES)[corner * LANES + tet % LANES];
}

// lists of edges by lower vertex, each sorted by the higher one; start: vertexCount + 1
static void listSides(const Energy *energy, int *start, Side *side)
{
    for (int pass = 0; pass < 2; ++pass)
    {
        for (int k = 0; k < PATCH_EDGES * energy->elementCount; ++k)
        {
            int tet = k / PATCH_EDGES, edge = k % PATCH_EDGES;
            int a = cornerOf(energy, tet, edgeCorner[edge][0]), b = cornerOf(energy, tet, edgeCorner[edge][1]);
            if (pass == 0)
                start[minInt(a, b) + 1] += 1;
            else
                side[start[minInt(a, b)]++] = (Side){ maxInt(a, b), PATCHES_OF_TET * tet + edge };
        }
        for (int v = 0; v < energy->vertexCount && pass == 0; ++v)
            start[v + 1] += start[v];
    }
    memmove(start + 1, start, (size_t)energy->vertexCount * sizeof(int));
    start[0] = 0;
    for (int v = 0; v < energy->vertexCount; ++v)
    {
        for (int k = start[v] + 1; k < start[v + 1]; ++k)
        {
            Side moved = side[k];
            int to = k;
            for (; to > start[v] && side[to - 1].other > moved.other; --to)
                side[to] = side[to - 1];
            side[to] = moved;
        }
    }
}

// Patches before they are put into blocks: runs of `number`, PATCHES_OF_TET x tet + edge or vertex.
typedef struct Runs
{
    int count;
    int *start;  // at most PATCHES_OF_TET x tets + 1
    int *number; // PATCHES_OF_TET x tets
    int *order;  // count: those with most tets first
} Runs;

static void listRuns(const Energy *energy, const int *sideStart, const Side *side, Runs *runs)
{
    int filled = 0;
    for (int v = 0; v < energy->vertexCount; ++v)
    {
        for (int k = sideStart[v]; k < sideStart[v + 1]; ++k)
        {
            if (k == sideStart[v] || side[k].other != side[k - 1].other)
                runs->start[runs->count++] = filled;
            runs->number[filled++] = side[k].number;
        }
    }
    for (int v = 0; v < energy->vertexCount; ++v)
    {
        if (energy->incidenceStart[v] < energy->incidenceStart[v + 1])
            runs->start[runs->count++] = filled;
        for (int k = energy->incidenceStart[v]; k < energy->incidenceStart[v + 1]; ++k)
            runs->number[filled++] = energy->incidence[k] / 4 * PATCHES_OF_TET + PATCH_EDGES + energy->incidence[k] % 4;
    }
    runs->start[runs->count] = filled;
}

static int runLength(const Runs *runs, int run)
{
    return runs->start[run + 1] - runs->start[run];
}

// a counting sort; place: one more than there are tets
static void sortRuns(Runs *runs, int longest, int *place)
{
    memset(place, 0, ((size_t)longest + 1) * sizeof(int));
    for (int r = 0; r < runs->count; ++r)
        place[runLength(runs, r) - 1] += 1;
    for (int length = longest - 1; length >= 0; --length)
        place[length] += place[length + 1];
    for (int r = 0; r < runs->count; ++r)
        runs->order[place[runLength(runs, r)]++] = r;
}

// ---- blocks ---------------------------------------------------------------------------------------------------------

static int runOf(const Runs *runs, int patch) // or of the padding behind the last
{
    return runs->order[minInt(patch, runs->count - 1)];
}

static bool allocateBlocks(Patches *patches, const Energy *energy, const Runs *runs)
{
    Memory *memory = patches->memory;
    patches->count = runs->count;
    patches->blockCount = (runs->count + LANES - 1) / LANES;
    patches->slotStart = ALLOCATE(memory, int, patches->blockCount + 1);
    if (patches->slotStart == NULL)
        return false;
    patches->slotStart[0] = 0;
    for (int block = 0; block < patches->blockCount; ++block)
        patches->slotStart[block + 1] = patches->slotStart[block] + runLength(runs, runOf(runs, block * LANES));
    size_t slots = (size_t)patches->slotStart[patches->blockCount] * LANES, lanes = (size_t)patches->blockCount * LANES;
    size_t tets = (size_t)energy->blockCount * LANES;
    patches->place = ALLOCATE(memory, int, slots);
    patches->share = ALLOCATE(memory, double, slots);
    patches->law = ALLOCATE(memory, double, 2 * lanes);
    patches->member = ALLOCATE(memory, int, tets *PATCHES_OF_TET);
    patches->deformation = ALLOCATE(memory, double, tets *PATCH_PLACE);
    patches->stress = ALLOCATE(memory, double, lanes *PATCH_PLACE);
    patches->turn = ALLOCATE(memory, double, lanes * 4);
    patches->bent = ALLOCATE(memory, double, (tets + lanes) * PATCH_BENT);
    return patches->place && patches->share && patches->law && patches->member && patches->deformation &&
           patches->stress && patches->turn && patches->bent;
}

static void fillBlocks(Patches *patches, const Energy *energy, const Runs *runs)
{
    memset(patches->law, 0, (size_t)patches->blockCount * LANES * 2 * sizeof(double));
    for (int p = 0; p < patches->blockCount * LANES; ++p)
    {
        int block = p / LANES, run = runOf(runs, p), *place = patches->place + p % LANES;
        for (int slot = patches->slotStart[block]; slot < patches->slotStart[block + 1]; ++slot)
        {
            int k = slot - patches->slotStart[block], length = runLength(runs, run);
            int number = runs->number[runs->start[run] + (k < length ? k : 0)];
            place[slot * LANES] = number / PATCHES_OF_TET * PATCH_PLACE;
            patches->share[slot * LANES + p % LANES] = k == 0; // until constants are known, and of padding
        }
    }
    for (int p = 0; p < patches->count; ++p)
    {
        int run = runs->order[p];
        for (int k = runs->start[run]; k < runs->start[run + 1]; ++k)
        {
            int tet = runs->number[k] / PATCHES_OF_TET, index = runs->number[k] % PATCHES_OF_TET;
            patches->member[(tet / LANES * PATCHES_OF_TET + index) * LANES + tet % LANES] = p * PATCH_PLACE;
        }
    }
    for (int tet = energy->elementCount; tet < energy->blockCount * LANES; ++tet)
    {
        for (int index = 0; index < PATCHES_OF_TET; ++index)
            patches->member[(tet / LANES * PATCHES_OF_TET + index) * LANES + tet % LANES] = 0;
    }
}

Patches *patchesCreate(const Energy *energy)
{
    Memory *memory = energy->memory;
    Patches *patches = ALLOCATE(memory, Patches, 1);
    if (patches == NULL)
        return NULL;
    *patches = (Patches){ .memory = memory, .version = energy->version - 1 };
    size_t numbers = (size_t)energy->elementCount * PATCHES_OF_TET;
    int *start = ALLOCATE(memory, int, energy->vertexCount + 1), *places = ALLOCATE(memory, int, numbers + 2);
    Side *side = ALLOCATE(memory, Side, (size_t)energy->elementCount * PATCH_EDGES);
    Runs runs = { .start = ALLOCATE(memory, int, numbers + 1),
                  .number = ALLOCATE(memory, int, numbers),
                  .order = ALLOCATE(memory, int, numbers) };
    bool ok = start && places && side && runs.start && runs.number && runs.order;
    if (ok)
    {
        memset(start, 0, ((size_t)energy->vertexCount + 1) * sizeof(int));
        listSides(energy, start, side);
        listRuns(energy, start, side, &runs);
        sortRuns(&runs, energy->elementCount, places);
        ok = allocateBlocks(patches, energy, &runs);
    }
    if (ok)
        fillBlocks(patches, energy, &runs);
    memoryRelease(memory, runs.order);
    memoryRelease(memory, runs.number);
    memoryRelease(memory, runs.start);
    memoryRelease(memory, side);
    memoryRelease(memory, places);
    memoryRelease(memory, start);
    if (ok)
        return patches;
    patchesDestroy(patches);
    return NULL;
}

// ---- constants ------------------------------------------------------------------------------------------------------

// Tets are weighted by their stiffness too: then what bounds each tet by itself bounds the mean, however much stiffer
// one is than its neighbours. Tets that are switched off have no part in it.
static void refreshPatch(const Energy *energy, Patches *patches, int patch, bool edge)
{
    int block = patch / LANES, lane = patch % LANES, first = patches->slotStart[block];
    double whole = 0;
    for (int pass = 0; pass < 2; ++pass)
    {
        int before = -1;
        for (int slot = first; slot < patches->slotStart[block + 1]; ++slot)
        {
            int at = slot * LANES + lane, tet = patches->place[at] / PATCH_PLACE;
            bool padding = tet <= before; // it repeats the first
            double own = padding ? 0 : energyGetParam(energy, tet, TET_VOLUME) * energyGetParam(energy, tet, TET_MU);
            before = maxInt(before, tet);
            if (pass == 1)
                patches->share[at] = whole > 0 ? own / whole : slot == first;
            whole += pass == 0 ? own : 0;
        }
    }
    int tet = patches->place[first * LANES + lane] / PATCH_PLACE;
    double ratio = energyGetParam(energy, tet, TET_LAMBDA) / energyGetParam(energy, tet, TET_MU);
    patches->law[2 * block * LANES + lane] = edge;
    patches->law[(2 * block + 1) * LANES + lane] = edge ? minReal(ratio, 0) : 1;
}

void patchesRefresh(const Energy *energy)
{
    Patches *patches = energy->patches;
    if (patches->version == energy->version)
        return;
    patches->version = energy->version;
    for (int k = 0; k < energy->elementCount * PATCHES_OF_TET; ++k)
    {
        int tet = k / PATCHES_OF_TET, index = k % PATCHES_OF_TET;
        int patch = patches->member[(tet / LANES * PATCHES_OF_TET + index) * LANES + tet % LANES] / PATCH_PLACE;
        bool first = patches->place[patches->slotStart[patch / LANES] * LANES + patch % LANES] == tet * PATCH_PLACE;
        if (first)
            refreshPatch(energy, patches, patch, index < PATCH_EDGES);
    }
}
