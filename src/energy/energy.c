#include "energy/energy.h"

#include <stdio.h>
#include <string.h>

static const EnergyKind *const kinds[] = {
    &springKind, &squaredSpringKind, &corotatedKind, &attachmentKind, &gravityKind, &forceKind, &dragKind,
};

int energyKindCount(void)
{
    return (int)(sizeof kinds / sizeof kinds[0]);
}

const EnergyKind *energyKindAt(int index)
{
    return kinds[index];
}

const EnergyKind *energyKindFind(const char *name)
{
    for (int i = 0; i < energyKindCount(); ++i)
    {
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    }
    return NULL;
}

// ---- creation --------------------------------------------------------------------------------------------------------

static bool allocateArrays(Energy *energy, bool indexed)
{
    const EnergyKind *kind = energy->kind;
    Memory *memory = energy->memory;
    size_t lanes = (size_t)energy->blockCount * LANES;
    energy->vertex = ALLOCATE(memory, int, lanes *(size_t)kind->corners);
    energy->param = ALLOCATE(memory, double, lanes *(size_t)kind->paramCount);
    energy->weight = ALLOCATE(memory, double, lanes);
    energy->value = ALLOCATE(memory, double, lanes);
    energy->slot = ALLOCATE(memory, double, lanes *(size_t)kind->corners * 3);
    energy->line = ALLOCATE(memory, double, lanes *(size_t)kind->lineCount);
    bool ok = energy->vertex && energy->param && energy->weight && energy->value && energy->slot && energy->line;
    if (ok && (kind->traits & TRAIT_SWEEP))
        ok = (energy->lambda = ALLOCATE(memory, double, lanes)) != NULL;
    if (ok && indexed)
    {
        energy->incidenceStart = ALLOCATE(memory, int, energy->vertexCount + 1);
        energy->incidence = ALLOCATE(memory, int, (size_t)energy->elementCount *(size_t)kind->corners);
        ok = energy->incidenceStart && energy->incidence;
    }
    return ok;
}

// padding repeats the last element; its weight is cleared after `prepare`
static void fillVertices(Energy *energy, const int *vertices)
{
    int corners = energy->kind->corners;
    for (int e = 0; e < energy->blockCount * LANES; ++e)
    {
        int source = minInt(e, energy->elementCount - 1);
        int *lane = energy->vertex + (ptrdiff_t)(e / LANES) * corners * LANES + e % LANES;
        for (int c = 0; c < corners; ++c)
        {
            int vertex = vertices ? vertices[source * corners + c] : source;
            ASSERT(vertex >= 0 && vertex < energy->vertexCount, "an element names vertices that exist");
            lane[c * LANES] = vertex;
        }
    }
}

// counting sort of (element, corner) by vertex, elements ascending
static void fillIncidence(Energy *energy)
{
    int corners = energy->kind->corners, *start = energy->incidenceStart;
    for (int pass = 0; pass < 2; ++pass)
    {
        for (int e = 0; e < energy->elementCount; ++e)
        {
            for (int c = 0; c < corners; ++c)
            {
                int vertex = laneVertices(energy, e / LANES)[c * LANES + e % LANES];
                if (pass == 0)
                    start[vertex + 1] += 1;
                else
                    energy->incidence[start[vertex]++] = ((e / LANES) * corners + c) * 3 * LANES + e % LANES;
            }
        }
        if (pass == 0)
        {
            for (int v = 0; v < energy->vertexCount; ++v)
                start[v + 1] += start[v];
        }
    }
    // the second pass moved every start to its end: shift back
    memmove(start + 1, start, (size_t)energy->vertexCount * sizeof(int));
    start[0] = 0;
}

Energy *energyCreate(Memory *memory, const EnergyKind *kind, int vertexCount, int elementCount, const int *vertices,
                     const Recipe *recipe)
{
    ASSERT_CHEAP(elementCount > 0 && kind->corners <= MAX_CORNERS, "a batch has elements of at most MAX_CORNERS");
    ASSERT_CHEAP(vertices != NULL || (kind->corners == 1 && elementCount == vertexCount), "indices, or all vertices");
    Energy *energy = ALLOCATE(memory, Energy, 1);
    if (energy == NULL)
        return NULL;
    *energy = (Energy){ .memory = memory,
                        .kind = kind,
                        .traits = kind->traits,
                        .vertexCount = vertexCount,
                        .elementCount = elementCount,
                        .blockCount = (elementCount + LANES - 1) / LANES,
                        .fraction = 0 };
    if (!allocateArrays(energy, vertices != NULL))
    {
        energyDestroy(energy);
        return NULL;
    }
    fillVertices(energy, vertices);
    if (vertices != NULL)
        fillIncidence(energy);
    kind->prepare(energy, recipe);
    for (int e = 0; e < energy->blockCount * LANES; ++e)
    {
        double *weight = laneParams(energy, e / LANES) + e % LANES;
        if (e >= elementCount)
            *weight = 0;
        energy->weight[e] = *weight;
    }
    return energy;
}

void energyDestroy(Energy *energy)
{
    if (energy == NULL)
        return;
    Memory *memory = energy->memory;
    memoryRelease(memory, energy->vertex);
    memoryRelease(memory, energy->param);
    memoryRelease(memory, energy->weight);
    memoryRelease(memory, energy->value);
    memoryRelease(memory, energy->slot);
    memoryRelease(memory, energy->line);
    memoryRelease(memory, energy->lambda);
    memoryRelease(memory, energy->incidenceStart);
    memoryRelease(memory, energy->incidence);
    memoryRelease(memory, energy);
}

// ---- values and gradients --------------------------------------------------------------------------------------------

double energyValue(Energy *energy, const double *x)
{
    energy->kind->values(energy, x, 0, energy->blockCount);
    return sumPairwise(energy->value, energy->blockCount * LANES);
}

// target += what each vertex finds in its slots
static void gatherSlots(const Energy *energy, double *target)
{
    const double *slot = energy->slot;
    if (energy->incidenceStart == NULL)
    {
        for (int v = 0; v < energy->elementCount; ++v)
        {
            const double *s = slot + (ptrdiff_t)(v / LANES) * 3 * LANES + v % LANES;
            for (int a = 0; a < 3; ++a)
                target[3 * (ptrdiff_t)v + a] += s[a * LANES];
        }
        return;
    }
    for (int v = 0; v < energy->vertexCount; ++v)
    {
        int begin = energy->incidenceStart[v], end = energy->incidenceStart[v + 1];
        if (begin == end)
            continue;
        double sum[3] = { 0, 0, 0 };
        for (int k = begin; k < end; ++k)
        {
            const double *s = slot + energy->incidence[k];
            for (int a = 0; a < 3; ++a)
                sum[a] += s[a * LANES];
        }
        for (int a = 0; a < 3; ++a)
            target[3 * (ptrdiff_t)v + a] += sum[a];
    }
}

void energyAddGradient(Energy *energy, const double *x, double *gradient)
{
    energy->kind->gradient(energy, x, 0, energy->blockCount);
    gatherSlots(energy, gradient);
}

void energyAddProjection(Energy *energy, const double *x, double *right)
{
    energy->kind->project(energy, x, 0, energy->blockCount);
    gatherSlots(energy, right);
}

void energyLineStart(Energy *energy, const double *x, const double *d)
{
    energy->kind->lineStart(energy, x, d, 0, energy->blockCount);
}

double energyLineValue(Energy *energy, double alpha)
{
    energy->kind->lineValues(energy, alpha, 0, energy->blockCount);
    return sumPairwise(energy->value, energy->blockCount * LANES);
}

// ---- second derivatives, one block of elements at a time -------------------------------------------------------------

// slot = (element matrix) (d of the corners), for matrices of 3 corners (full) or corners (scalar)
static void multiplyBlock(Energy *energy, int block, const double *matrices, bool scalar, const double *d)
{
    int corners = energy->kind->corners, width = scalar ? corners : 3 * corners;
    const int *vertices = laneVertices(energy, block);
    for (int lane = 0; lane < LANES; ++lane)
    {
        const double *matrix = matrices + lane * width * width;
        for (int row = 0; row < 3 * corners; ++row)
        {
            double sum = 0;
            for (int c = 0; c < corners; ++c)
            {
                const double *dc = d + 3 * (ptrdiff_t)vertices[c * LANES + lane];
                if (scalar)
                    sum += matrix[(row / 3) * width + c] * dc[row % 3];
                else
                    for (int a = 0; a < 3; ++a)
                        sum += matrix[row * width + 3 * c + a] * dc[a];
            }
            laneSlots(energy, block)[row * LANES + lane] = sum;
        }
    }
}

void energyAddHessianTimes(Energy *energy, const double *x, HessianMode mode, const double *d, double *result)
{
    if (energy->kind->hessian == NULL)
        return;
    double matrices[LANES * 9 * MAX_CORNERS * MAX_CORNERS];
    for (int block = 0; block < energy->blockCount; ++block)
    {
        energy->kind->hessian(energy, x, block, mode, matrices);
        multiplyBlock(energy, block, matrices, false, d);
    }
    gatherSlots(energy, result);
}

void energyAddMajorizerTimes(Energy *energy, const double *d, double *result)
{
    if (energy->kind->majorizer == NULL)
        return;
    double matrices[LANES * MAX_CORNERS * MAX_CORNERS];
    for (int block = 0; block < energy->blockCount; ++block)
    {
        energy->kind->majorizer(energy, block, matrices);
        multiplyBlock(energy, block, matrices, true, d);
    }
    gatherSlots(energy, result);
}

void energyAddBlockDiagonal(Energy *energy, const double *x, HessianMode mode, double *blocks)
{
    if (energy->kind->hessian == NULL)
        return;
    double matrices[LANES * 9 * MAX_CORNERS * MAX_CORNERS];
    int corners = energy->kind->corners, width = 3 * corners;
    for (int e = 0; e < energy->elementCount; ++e)
    {
        int lane = e % LANES;
        if (lane == 0)
            energy->kind->hessian(energy, x, e / LANES, mode, matrices);
        for (int c = 0; c < corners; ++c)
        {
            double *target = blocks + 9 * (ptrdiff_t)laneVertices(energy, e / LANES)[c * LANES + lane];
            const double *source = matrices + lane * width * width + 3 * c * width + 3 * c;
            for (int i = 0; i < 9; ++i)
                target[i] += source[(i / 3) * width + i % 3];
        }
    }
}

// ---- the rest ----------------------------------------------------------------------------------------------------------

double energyWork(const Energy *energy, const double *stage, const double *displacement)
{
    return energy->kind->work ? energy->kind->work(energy, stage, displacement) : 0;
}

void energyDescribe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    ASSERT(element >= 0 && element < energy->elementCount, "the element exists");
    energy->kind->describe(energy, x, element, text, size);
}

double energyGetParam(const Energy *energy, int element, int index)
{
    return laneParams(energy, element / LANES)[index * LANES + element % LANES];
}

void energySetParam(Energy *energy, int element, int index, double value)
{
    ASSERT(index < energy->kind->paramCount, "the kind has this param");
    double *param = laneParams(energy, element / LANES) + index * LANES + element % LANES;
    if (index == 0)
        energy->weight[element] = value;
    *param = value;
    energy->version += 1;
}

void energySetActive(Energy *energy, int element, bool active)
{
    laneParams(energy, element / LANES)[element % LANES] = active ? energy->weight[element] : 0;
    energy->version += 1;
}

uint64_t energyHashState(const Energy *energy, uint64_t hash)
{
    const EnergyKind *kind = energy->kind;
    for (int e = 0; e < energy->elementCount && kind->stateCount > 0; ++e)
    {
        if (energyGetParam(energy, e, 0) == 0)
            continue; // switched off: what it would do is no part of the state
        for (int p = kind->stateFirst; p < kind->stateFirst + kind->stateCount; ++p)
        {
            double value = energyGetParam(energy, e, p);
            hash = hashBytes(hash, &value, sizeof value);
        }
    }
    return hash;
}
