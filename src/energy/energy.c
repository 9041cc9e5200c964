#include "energy/energy.h"
#include "base/simd.h"
#include "energy/patches.h"
#include "energy/sweep.h"
#include "energy/yield.h"

#include <string.h>

static const EnergyKind *const kinds[] = {
    &springKind,
    &squaredSpringKind,
    &corotatedKind,
    &attachmentKind,
    &gravityKind,
    &forceKind,
    &dragKind,
    &membraneKind,
    &springDamperKind,
    &membraneDamperKind,
    &corotatedDamperKind,
    &triangleKind,
    &bendingKind,
    &wideBendingKind,
    &edgeLimitKind,
    &triangleLimitKind,
    &tetLimitKind,
    &triangleFibreKind,
    &tetFibreKind,
    &areaKind,
    &volumeKind,
    &dihedralKind,
    &pressureKind,
    &exampleKind,
    &linearKind,
    &neoHookeanKind,
    &bendingDamperKind,
    &wideBendingDamperKind,
    &dihedralDamperKind,
    &rodKind,
    &rodDamperKind,
    &stvkKind,
    &mooneyRivlinKind,
    &ogdenKind,
    &muscleKind,
    &wovenKind,
    &wovenDamperKind,
    &curveKind,
    &triangleCurveKind,
    &tetCurveKind,
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

// ---- creation -------------------------------------------------------------------------------------------------------

static bool allocateArrays(Energy *energy, bool indexed)
{
    const EnergyKind *kind = energy->kind;
    Memory *memory = energy->memory;
    size_t lanes = (size_t)energy->blockCount * LANES;
    // gradients and values of these fill all of their blocks
    bool whole = kind->fills || (kind->traits & TRAIT_INTERNAL) != 0;
    size_t params = lanes * (size_t)kind->paramCount;
    energy->vertex = ALLOCATE_BARE(memory, int, lanes *(size_t)kind->corners);
    energy->param = kind->fills ? ALLOCATE_BARE(memory, double, params) : ALLOCATE(memory, double, params);
    energy->weight = ALLOCATE_BARE(memory, double, lanes);
    energy->value = whole ? ALLOCATE_BARE(memory, double, lanes) : ALLOCATE(memory, double, lanes);
    energy->slot = whole ? ALLOCATE_BARE(memory, double, lanes *(size_t)kind->corners * 3)
                         : ALLOCATE(memory, double, lanes *(size_t)kind->corners * 3);
    energy->line = ALLOCATE_BARE(memory, double, lanes *(size_t)kind->lineCount);
    bool ok = energy->vertex && energy->param && energy->weight && energy->value && energy->slot && energy->line;
    if (ok && kind->hessian != NULL)
        ok = (energy->matrices = ALLOCATE(memory, double, LANES * 9 * (size_t)(kind->corners * kind->corners))) != NULL;
    if (ok && kind->keptCount > 0)
    {
        size_t count = lanes * (size_t)kind->keptCount;
        energy->kept = ALLOCATE(memory, double, count);
        energy->marked = ALLOCATE(memory, double, count);
        ok = energy->kept && energy->marked;
        if (ok && kind->finds)
            ok = (energy->found = ALLOCATE(memory, double, count)) != NULL;
    }
    if (ok && (kind->traits & TRAIT_SWEEP))
        ok = (energy->lambda = ALLOCATE(memory, double, lanes *(size_t)kind->sweep->rows)) != NULL;
    if (ok && indexed)
    {
        energy->incidenceStart = ALLOCATE_BARE(memory, int, energy->vertexCount + 1);
        energy->incidence = ALLOCATE_BARE(memory, int, (size_t)energy->elementCount *(size_t)kind->corners);
        ok = energy->incidenceStart && energy->incidence;
    }
    return ok;
}

// padding repeats the last element; its weight is cleared after `prepare`
static void fillVertices(Energy *energy, const int *vertices)
{
    int corners = energy->kind->corners, *lane = energy->vertex;
    for (int block = 0; block < energy->blockCount; ++block)
    {
        int first = block * LANES, last = energy->elementCount - 1 - first;
        const int *given = vertices != NULL ? vertices + (ptrdiff_t)first * corners : NULL;
        for (int c = 0; c < corners; ++c, lane += LANES)
        {
            for (int k = 0; k < LANES; ++k)
            {
                int source = minInt(k, last), vertex = given != NULL ? given[source * corners + c] : first + source;
                ASSERT(vertex >= 0 && vertex < energy->vertexCount, "an element names vertices that exist");
                lane[k] = vertex;
            }
        }
    }
}

// counting sort of (element, corner) by vertex, elements ascending
static void fillIncidence(Energy *energy)
{
    int corners = energy->kind->corners, *start = energy->incidenceStart;
    memset(start, 0, ((size_t)energy->vertexCount + 1) * sizeof(int));
    for (int block = 0; block < energy->blockCount; ++block)
    {
        const int *vertex = laneVertices(energy, block);
        int lanes = minInt(LANES, energy->elementCount - block * LANES);
        for (int c = 0; c < corners; ++c, vertex += LANES)
        {
            for (int lane = 0; lane < lanes; ++lane)
                start[vertex[lane] + 1] += 1;
        }
    }
    for (int v = 0; v < energy->vertexCount; ++v)
        start[v + 1] += start[v];
    for (int e = 0; e < energy->elementCount; ++e)
    {
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        for (int c = 0; c < corners; ++c)
            energy->incidence[start[vertex[c * LANES]]++] = e * corners + c;
    }
    // the second pass moved every start to its end: shift back
    memmove(start + 1, start, (size_t)energy->vertexCount * sizeof(int));
    start[0] = 0;
}

static void fillLike(Energy *energy, const Energy *twin)
{
    size_t corners = (size_t)energy->kind->corners, lanes = (size_t)energy->blockCount * LANES;
    ASSERT(twin->kind->corners == energy->kind->corners && twin->elementCount == energy->elementCount &&
               twin->vertexCount == energy->vertexCount,
           "a twin has the same elements");
    memcpy(energy->vertex, twin->vertex, lanes * corners * sizeof(int));
    memcpy(energy->incidenceStart, twin->incidenceStart, ((size_t)energy->vertexCount + 1) * sizeof(int));
    memcpy(energy->incidence, twin->incidence, (size_t)energy->elementCount * corners * sizeof(int));
}

Energy *energyCreate(Memory *memory, const EnergyKind *kind, int vertexCount, int elementCount, const int *vertices,
                     const Recipe *recipe)
{
    ASSERT_CHEAP(elementCount >= 0 && kind->corners <= MAX_CORNERS, "a batch has elements of at most MAX_CORNERS");
    ASSERT_CHEAP(isaAvailable(recipe->isa), "the build and the machine have the instruction set");
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
                        .isa = recipe->isa,
                        .viscosity = recipe->viscosity,
                        .dashpot = recipe->dashpot,
                        .fraction = 0,
                        .to = 1 };
    bool ok = allocateArrays(energy, vertices != NULL);
    if (ok && recipe->unit != NULL)
        ok = (energy->unit = ALLOCATE(memory, int, elementCount)) != NULL;
    if (!ok)
    {
        energyDestroy(energy);
        return NULL;
    }
    if (recipe->twin != NULL)
        fillLike(energy, recipe->twin);
    else
        fillVertices(energy, vertices);
    if (vertices != NULL && recipe->twin == NULL)
        fillIncidence(energy);
    if (kind->patched && (energy->patches = patchesCreate(energy)) == NULL)
    {
        energyDestroy(energy);
        return NULL;
    }
    if (energy->unit != NULL)
        memcpy(energy->unit, recipe->unit, (size_t)elementCount * sizeof(int));
    for (int block = 0; block < energy->blockCount; ++block)
        energyStartKept(energy, block);
    if (!energyInheritParams(energy, recipe))
        kind->prepare(energy, recipe);
    for (int e = elementCount; e < energy->blockCount * LANES; ++e)
        laneParams(energy, e / LANES)[e % LANES] = 0;
    for (int block = 0; block < energy->blockCount; ++block)
        memcpy(energy->weight + (ptrdiff_t)block * LANES, laneParams(energy, block), LANES * sizeof(double));
    if (!yieldCreate(energy, recipe))
    {
        energyDestroy(energy);
        return NULL;
    }
    energyMark(energy);
    return energy;
}

Energy energySlice(const Energy *whole, int block, int vertex, int vertexCount)
{
    const EnergyKind *kind = whole->kind;
    size_t lanes = (size_t)block * LANES, kept = lanes * (size_t)kind->keptCount;
    Energy slice = *whole;
    slice.vertexCount = vertexCount;
    slice.elementCount = slice.blockCount = 0;
    slice.vertex += lanes * (size_t)kind->corners;
    slice.param += lanes * (size_t)kind->paramCount;
    slice.weight += lanes;
    slice.value += lanes;
    slice.slot += lanes * (size_t)kind->corners * 3;
    slice.line += lanes * (size_t)kind->lineCount;
    slice.kept = whole->kept ? whole->kept + kept : NULL;
    slice.marked = whole->marked ? whole->marked + kept : NULL;
    slice.found = whole->found ? whole->found + kept : NULL;
    slice.lambda = whole->lambda ? whole->lambda + lanes * (size_t)kind->sweep->rows : NULL;
    slice.incidenceStart += vertex;
    slice.incidence += lanes * (size_t)kind->corners;
    return slice;
}

void energyReindex(Energy *energy, int elementCount, const int *vertices)
{
    energy->elementCount = elementCount;
    energy->blockCount = (elementCount + LANES - 1) / LANES;
    if (elementCount > 0)
        fillVertices(energy, vertices);
    for (int e = elementCount; e < energy->blockCount * LANES; ++e)
    {
        for (int p = 0; p < energy->kind->paramCount; ++p)
            laneParams(energy, e / LANES)[p * LANES + e % LANES] = 0;
        energy->weight[e] = 0;
    }
    fillIncidence(energy);
}

// weights of elements that are switched off are only kept; true: something differs
static bool assignBlock(Energy *energy, const Energy *other, int block)
{
    const EnergyKind *kind = energy->kind;
    double *to = laneParams(energy, block), *weight = energy->weight + (ptrdiff_t)block * LANES;
    const double *from = laneParams(other, block), *given = other->weight + (ptrdiff_t)block * LANES;
    bool differs = memcmp(weight, given, LANES * sizeof(double)) != 0;
    for (int lane = 0; lane < LANES; ++lane)
    {
        to[lane] = to[lane] == weight[lane] ? given[lane] : 0;
        weight[lane] = given[lane];
    }
    for (int p = 1; p < kind->paramCount; ++p)
    {
        if ((p >= kind->stateFirst && p < kind->stateFirst + kind->stateCount) || yieldMoves(energy, p))
            continue;
        differs |= memcmp(to + p * LANES, from + p * LANES, LANES * sizeof(double)) != 0;
        memcpy(to + p * LANES, from + p * LANES, LANES * sizeof(double));
    }
    return differs;
}

void energyAssign(Energy *energy, const Energy *other)
{
    ASSERT(energy->kind == other->kind && energy->elementCount == other->elementCount, "the same elements");
    ASSERT(energy->kind->stateCount == 0 || energy->kind->stateFirst > 0, "a weight is no state here");
    bool differs = energy->viscosity != other->viscosity || energy->dashpot != other->dashpot;
    for (int block = 0; block < energy->blockCount; ++block)
        differs |= assignBlock(energy, other, block);
    if (energy->yield != NULL)
        yieldAssign(energy, other);
    energy->traits = other->traits;
    energy->viscosity = other->viscosity;
    energy->dashpot = other->dashpot;
    energy->version += differs;
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
    memoryRelease(memory, energy->kept);
    memoryRelease(memory, energy->marked);
    memoryRelease(memory, energy->found);
    memoryRelease(memory, energy->lambda);
    memoryRelease(memory, energy->unit);
    sweepPlanDestroy(memory, energy->plan);
    patchesDestroy(energy->patches);
    yieldDestroy(energy->yield);
    memoryRelease(memory, energy->matrices);
    memoryRelease(memory, energy->incidenceStart);
    memoryRelease(memory, energy->incidence);
    memoryRelease(memory, energy);
}

// ---- values and gradients -------------------------------------------------------------------------------------------

void energyValueBlocks(Energy *energy, const double *x, int begin, int end)
{
    energy->kind->values(energy, x, begin, end);
}

void energyGradientBlocks(Energy *energy, const double *x, int begin, int end)
{
    energy->kind->gradient(energy, x, begin, end);
}

void energyProjectionBlocks(Energy *energy, const double *x, int begin, int end)
{
    energy->kind->project(energy, x, begin, end);
}

void energyLineStartBlocks(Energy *energy, const double *x, const double *d, int begin, int end)
{
    energy->kind->lineStart(energy, x, d, begin, end);
}

void energyLineValueBlocks(Energy *energy, double alpha, int begin, int end)
{
    energy->kind->lineValues(energy, alpha, begin, end);
}

double energySum(const Energy *energy)
{
    return sumPairwise(energy->value, energy->blockCount * LANES);
}

double energySumLanes(const Energy *energy)
{
    Double2 sum[LANES / 2] = { { 0, 0 } };
    for (ptrdiff_t i = 0; i < (ptrdiff_t)energy->blockCount * LANES; i += LANES)
    {
        for (int k = 0; k < LANES / 2; ++k)
            sum[k] += double2Load(energy->value + i + 2 * k);
    }
    Double2 whole = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    return whole[0] + whole[1];
}

// a vertex starts from zero and adds its elements in ascending order
void energyGather(const Energy *energy, double *target, int begin, int end)
{
    const int *start = energy->incidenceStart, *where = energy->incidence;
    if (start == NULL) // element i is vertex i
    {
        for (ptrdiff_t i = 3 * (ptrdiff_t)begin; i < 3 * (ptrdiff_t)end; ++i)
            target[i] += energy->slot[i];
        return;
    }
    for (int v = begin; v < end; ++v)
    {
        Double2 xy = { 0, 0 };
        double z = 0, *t = target + 3 * (ptrdiff_t)v;
        for (int k = start[v]; k < start[v + 1]; ++k)
        {
            const double *s = energy->slot + 3 * (ptrdiff_t)where[k];
            xy += double2Load(s);
            z += s[2];
        }
        t[0] += xy[0];
        t[1] += xy[1];
        t[2] += z;
    }
}

static void gatherAll(const Energy *energy, double *target)
{
    energyGather(energy, target, 0, energy->vertexCount);
}

double energyValue(Energy *energy, const double *x)
{
    energyValueBlocks(energy, x, 0, energy->blockCount);
    return energySum(energy);
}

void energyAddGradient(Energy *energy, const double *x, double *gradient)
{
    energyGradientBlocks(energy, x, 0, energy->blockCount);
    gatherAll(energy, gradient);
}

void energyAddProjection(Energy *energy, const double *x, double *right)
{
    energyProjectionBlocks(energy, x, 0, energy->blockCount);
    gatherAll(energy, right);
}

void energyLineStart(Energy *energy, const double *x, const double *d)
{
    energyLineStartBlocks(energy, x, d, 0, energy->blockCount);
}

double energyLineValue(Energy *energy, double alpha)
{
    energyLineValueBlocks(energy, alpha, 0, energy->blockCount);
    return energySum(energy);
}

// ---- second derivatives, one block of elements at a time ------------------------------------------------------------

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
            elementSlots(energy, block * LANES + lane)[row] = sum;
        }
    }
}

void energyAddHessianTimes(Energy *energy, const double *x, HessianMode mode, const double *d, double *result)
{
    if (energy->kind->hessian == NULL)
        return;
    double *matrices = energy->matrices;
    for (int block = 0; block < energy->blockCount; ++block)
    {
        energy->kind->hessian(energy, x, block, mode, matrices);
        multiplyBlock(energy, block, matrices, false, d);
    }
    gatherAll(energy, result);
    if (energy->kind->beyondStart == NULL)
        return;
    energy->kind->beyondStart(energy, x, mode);
    energy->kind->beyondTimes(energy, d);
    gatherAll(energy, result);
}

// LANES x corners numbers -> LANES matrices, in place
static void fillDiagonal(double *matrices, int corners)
{
    double diagonal[LANES * MAX_CORNERS];
    memcpy(diagonal, matrices, sizeof(double) * LANES * (size_t)corners);
    for (int i = 0; i < LANES * corners * corners; ++i)
    {
        int lane = i / (corners * corners), k = i % (corners * corners);
        matrices[i] = k / corners == k % corners ? diagonal[lane * corners + k / corners] : 0;
    }
}

void energyAddMajorizerTimes(Energy *energy, const double *d, double *result)
{
    if (energy->kind->majorizer == NULL)
        return;
    double matrices[LANES * MAX_CORNERS * MAX_CORNERS];
    for (int block = 0; block < energy->blockCount; ++block)
    {
        energy->kind->majorizer(energy, block, matrices);
        if (energyIsDiagonal(energy))
            fillDiagonal(matrices, energy->kind->corners);
        multiplyBlock(energy, block, matrices, true, d);
    }
    gatherAll(energy, result);
}

void energyAddBlockDiagonal(Energy *energy, const double *x, HessianMode mode, double *blocks)
{
    if (energy->kind->hessian == NULL)
        return;
    double *matrices = energy->matrices;
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

// ---- the rest -------------------------------------------------------------------------------------------------------

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
    bool isState = index >= energy->kind->stateFirst && index < energy->kind->stateFirst + energy->kind->stateCount;
    energy->version += *param != value && (index == 0 || !isState);
    *param = value;
}

void energySetActive(Energy *energy, int element, bool active)
{
    laneParams(energy, element / LANES)[element % LANES] = active ? energy->weight[element] : 0;
    energy->version += 1;
}

// in a block without a branch at every lane: systems ask in every iteration
static bool blockIsIdle(const double *weight, int lanes)
{
    uint64_t word[LANES] = { 0 }, bits = 0;
    memcpy(word, weight, (size_t)lanes * sizeof(double));
    for (int lane = 0; lane < LANES; ++lane)
        bits |= word[lane];
    return bits << 1 == 0; // but for their signs all are 0
}

bool energyIsStored(const Energy *energy)
{
    return energy->kind->column != COLUMN_NONE;
}

bool energyIsDissipative(const Energy *energy)
{
    return (energy->traits & TRAIT_DISSIPATIVE) != 0;
}

bool energyIsIdle(const Energy *energy)
{
    if (energy->unarmed)
        return true;
    for (int block = 0; block < energy->elementCount / LANES; ++block)
    {
        if (!blockIsIdle(laneParams(energy, block), LANES))
            return false;
    }
    int last = energy->elementCount / LANES, rest = energy->elementCount % LANES;
    return rest == 0 || blockIsIdle(laneParams(energy, last), rest);
}

static size_t keptBytes(const Energy *energy)
{
    return (size_t)energy->blockCount * LANES * (size_t)energy->kind->keptCount * sizeof(double);
}

void energyStartKept(Energy *energy, int block)
{
    for (int i = 0; i < energy->kind->keptCount * LANES; ++i)
        laneKept(energy, block)[i] = i < LANES ? 1 : 0;
}

void energyMark(Energy *energy)
{
    if (energy->kept)
        memcpy(energy->marked, energy->kept, keptBytes(energy));
    if (energy->yield)
        yieldMark(energy);
}

void energyRewind(Energy *energy)
{
    if (energy->kept)
        memcpy(energy->kept, energy->marked, keptBytes(energy));
    if (energy->yield)
        yieldRewind(energy);
}

void energyAdopt(Energy *energy)
{
    if (energy->found == NULL)
        return;
    double *found = energy->found;
    energy->found = energy->kept;
    energy->kept = found;
}

uint64_t energyHashState(const Energy *energy, uint64_t hash)
{
    const EnergyKind *kind = energy->kind;
    for (int e = 0; e < energy->elementCount && kind->stateCount + kind->keptCount > 0; ++e)
    {
        // switched off: what it would do is no part of the state
        bool active = kind->switches || energyGetParam(energy, e, 0) != 0;
        for (int p = kind->stateFirst; active && p < kind->stateFirst + kind->stateCount; ++p)
        {
            double value = energyGetParam(energy, e, p);
            hash = hashBytes(hash, &value, sizeof value);
        }
        for (int p = 0; p < kind->keptCount; ++p)
            hash = hashBytes(hash, laneKept(energy, e / LANES) + p * LANES + e % LANES, sizeof(double));
    }
    return energy->yield != NULL ? yieldHash(energy, hash) : hash;
}
