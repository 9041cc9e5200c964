// Plans: patches, colours, batches (sweep.h).
#include "energy/kernels.h"
#include "energy/yield.h"

#include <string.h>

#define PATCH 512   // vertices of a patch at least: its rows and springs stay in the second cache
#define COLOURS 128 // more than this and elements wait alone in batches of their own

// elements that one lane sweeps in a row
typedef struct Unit
{
    int first;  // place of its first element in `member`
    int patch;  // over both phases
    int colour; //
} Unit;

typedef struct Planner
{
    Memory *memory;
    Energy *energy;
    int unitSize, unitCount;
    int *member;    // unitCount x unitSize: elements
    Unit *unit;     // unitCount
    int *order;     // unitCount: by patch and colour
    int *count;     // scratch for sorting
    uint64_t *used; // vertexCount x 2: colours that a vertex has
    int length;     // vertices of a patch
    int cuts;       // patches of the first phase
    int colours;    //
} Planner;

static int cornerOf(const Energy *energy, int element, int corner)
{
    return laneVertices(energy, element / LANES)[corner * LANES + element % LANES];
}

// elements by unit, if all units are of one size; else each is its own
static bool collectUnits(Planner *p)
{
    const Energy *energy = p->energy;
    int n = energy->elementCount, units = 0;
    p->member = ALLOCATE(p->memory, int, n);
    if (p->member == NULL)
        return false;
    p->unitSize = 1;
    p->unitCount = n;
    for (int e = 0; e < n; ++e)
    {
        p->member[e] = e;
        units = energy->unit != NULL ? maxInt(units, energy->unit[e] + 1) : 0;
    }
    if (units == 0 || n % units != 0 || n == units)
        return true;
    int size = n / units;
    int *filled = ALLOCATE(p->memory, int, units);
    if (filled == NULL)
        return false;
    bool even = true;
    for (int e = 0; e < n; ++e)
        even &= filled[energy->unit[e]]++ < size;
    if (even)
    {
        memset(filled, 0, (size_t)units * sizeof(int));
        for (int e = 0; e < n; ++e)
            p->member[energy->unit[e] * size + filled[energy->unit[e]]++] = e;
        p->unitSize = size;
        p->unitCount = units;
    }
    memoryRelease(p->memory, filled);
    return true;
}

typedef struct Span
{
    int low, high; // vertices
} Span;

static Span spanOf(const Planner *p, int unit)
{
    Span span = { p->energy->vertexCount, 0 };
    for (int i = 0; i < p->unitSize; ++i)
    {
        for (int c = 0; c < p->energy->kind->corners; ++c)
        {
            int v = cornerOf(p->energy, p->member[unit * p->unitSize + i], c);
            span.low = minInt(span.low, v);
            span.high = maxInt(span.high, v);
        }
    }
    return span;
}

// ranges at least twice as long as any element reaches, so that one across a cut lies within a shifted range
static void cutPatches(Planner *p)
{
    int reach = 0, count = p->energy->vertexCount;
    for (int u = 0; u < p->unitCount; ++u)
    {
        Span span = spanOf(p, u);
        reach = maxInt(reach, span.high - span.low + 1);
    }
    p->length = maxInt(PATCH, 2 * reach);
    p->cuts = maxInt(1, count / p->length);
    p->length = (count + p->cuts - 1) / p->cuts;
    for (int u = 0; u < p->unitCount; ++u)
    {
        Span span = spanOf(p, u);
        int low = span.low / p->length, high = span.high / p->length;
        p->unit[u] = (Unit){ .first = u * p->unitSize, .patch = low == high ? low : p->cuts + low };
    }
}

static void markColour(Planner *p, int unit, int colour)
{
    for (int i = 0; i < p->unitSize; ++i)
    {
        for (int c = 0; c < p->energy->kind->corners; ++c)
            p->used[2 * (ptrdiff_t)cornerOf(p->energy, p->member[unit * p->unitSize + i], c) + colour / 64] |=
                (uint64_t)1 << colour % 64;
    }
}

// the first colour that no neighbour of the same phase has
static void colourUnits(Planner *p, int phase)
{
    memset(p->used, 0, (size_t)p->energy->vertexCount * 2 * sizeof(uint64_t));
    int alone = COLOURS;
    for (int u = 0; u < p->unitCount; ++u)
    {
        if ((p->unit[u].patch >= p->cuts) != (phase == 1))
            continue;
        uint64_t taken[2] = { 0, 0 };
        for (int i = 0; i < p->unitSize; ++i)
        {
            for (int c = 0; c < p->energy->kind->corners; ++c)
            {
                const uint64_t *used = p->used + 2 * (ptrdiff_t)cornerOf(p->energy, p->member[u * p->unitSize + i], c);
                taken[0] |= used[0];
                taken[1] |= used[1];
            }
        }
        int colour = 0;
        while (colour < COLOURS && (taken[colour / 64] >> colour % 64 & 1))
            colour += 1;
        if (colour < COLOURS)
            markColour(p, u, colour);
        else
            colour = alone++;
        p->unit[u].colour = colour;
        p->colours = maxInt(p->colours, colour + 1);
    }
}

static int keyOf(const Planner *p, int unit, int pass)
{
    return pass == 0 ? p->unit[unit].colour : p->unit[unit].patch;
}

// stable, by patch and then colour: two counting sorts, the lesser key first
static bool sortUnits(Planner *p)
{
    int keys = maxInt(p->colours, 2 * p->cuts) + 1;
    p->order = ALLOCATE(p->memory, int, p->unitCount);
    int *half = ALLOCATE(p->memory, int, p->unitCount);
    p->count = ALLOCATE(p->memory, int, keys);
    bool ok = p->order != NULL && half != NULL && p->count != NULL;
    for (int pass = 0; ok && pass < 2; ++pass)
    {
        memset(p->count, 0, (size_t)keys * sizeof(int));
        for (int u = 0; u < p->unitCount; ++u)
            p->count[keyOf(p, u, pass) + 1] += 1;
        for (int k = 1; k < keys; ++k)
            p->count[k] += p->count[k - 1];
        for (int i = 0; i < p->unitCount; ++i)
        {
            int u = pass == 0 ? i : half[i];
            (pass == 0 ? half : p->order)[p->count[keyOf(p, u, pass)]++] = u;
        }
    }
    memoryRelease(p->memory, half);
    return ok;
}

// units [i, j) of the order that share patch and colour, at most LANES
static int groupEnd(const Planner *p, int i)
{
    const Unit *first = &p->unit[p->order[i]];
    int j = i;
    while (j < p->unitCount && j < i + LANES && p->unit[p->order[j]].patch == first->patch &&
           p->unit[p->order[j]].colour == first->colour)
        ++j;
    return j;
}

static void fillBatch(const Planner *p, SweepPlan *plan, int batch, int i, int j, int member)
{
    int corners = p->energy->kind->corners;
    plan->used[batch] = (unsigned char)(j - i);
    for (int lane = 0; lane < LANES; ++lane)
    {
        int unit = p->order[minInt(i + lane, j - 1)];
        int element = p->member[p->unit[unit].first + member];
        plan->element[batch * LANES + lane] = element;
        for (int c = 0; c < corners; ++c)
            plan->vertex[((ptrdiff_t)batch * corners + c) * LANES + lane] = cornerOf(p->energy, element, c);
    }
}

static bool allocatePlan(Planner *p, SweepPlan *plan)
{
    const EnergyKind *kind = p->energy->kind;
    size_t lanes = (size_t)plan->batchCount * LANES;
    plan->patch = ALLOCATE(p->memory, int, 2 * p->cuts + 1);
    plan->element = ALLOCATE(p->memory, int, lanes);
    plan->used = ALLOCATE(p->memory, unsigned char, plan->batchCount);
    plan->vertex = ALLOCATE(p->memory, int, lanes *(size_t)kind->corners);
    plan->constant = ALLOCATE(p->memory, double, lanes *(size_t)kind->sweep->constantCount);
    plan->pair = kind->sweep->pairs ? ALLOCATE(p->memory, struct PairBatch, plan->batchCount) : NULL;
    plan->kept = ALLOCATE(p->memory, double, lanes *(size_t)maxInt(kind->keptCount, 1));
    plan->lambda = ALLOCATE(p->memory, double, lanes *(size_t)kind->sweep->rows);
    plan->taken = ALLOCATE(p->memory, double, lanes);
    return plan->patch && plan->element && plan->used && plan->vertex && plan->constant && plan->kept && plan->lambda &&
           plan->taken && (plan->pair || !kind->sweep->pairs);
}

static bool pack(Planner *p, SweepPlan *plan)
{
    for (int i = 0, j; i < p->unitCount; i = j)
    {
        j = groupEnd(p, i);
        plan->batchCount += p->unitSize;
    }
    if (!allocatePlan(p, plan))
        return false;
    int batch = 0, patch = 0;
    for (int i = 0, j; i < p->unitCount; i = j)
    {
        j = groupEnd(p, i);
        while (patch <= p->unit[p->order[i]].patch)
            plan->patch[patch++] = batch;
        for (int m = 0; m < p->unitSize; ++m)
            fillBatch(p, plan, batch++, i, j, m);
    }
    while (patch <= 2 * p->cuts)
        plan->patch[patch++] = batch;
    // the last range has no cut behind it
    plan->length = p->length;
    plan->patchCount[0] = p->cuts;
    plan->patchCount[1] = p->cuts - 1;
    return true;
}

static bool makePlan(Planner *p, SweepPlan *plan)
{
    if (!collectUnits(p))
        return false;
    p->unit = ALLOCATE(p->memory, Unit, p->unitCount);
    p->used = ALLOCATE(p->memory, uint64_t, 2 * (size_t)p->energy->vertexCount);
    if (p->unit == NULL || p->used == NULL)
        return false;
    cutPatches(p);
    colourUnits(p, 0);
    colourUnits(p, 1);
    return sortUnits(p) && pack(p, plan);
}

SweepPlan *sweepPlanCreate(Energy *energy)
{
    Planner planner = { .memory = energy->memory, .energy = energy };
    SweepPlan *plan = ALLOCATE(energy->memory, SweepPlan, 1);
    if (plan == NULL)
        return NULL;
    plan->energy = energy;
    bool ok = makePlan(&planner, plan);
    memoryRelease(energy->memory, planner.member);
    memoryRelease(energy->memory, planner.unit);
    memoryRelease(energy->memory, planner.order);
    memoryRelease(energy->memory, planner.count);
    memoryRelease(energy->memory, planner.used);
    if (ok)
        return plan;
    sweepPlanDestroy(energy->memory, plan);
    return NULL;
}

void sweepPlanDestroy(Memory *memory, SweepPlan *plan)
{
    if (plan == NULL)
        return;
    memoryRelease(memory, plan->patch);
    memoryRelease(memory, plan->element);
    memoryRelease(memory, plan->used);
    memoryRelease(memory, plan->vertex);
    memoryRelease(memory, plan->constant);
    memoryRelease(memory, plan->pair);
    memoryRelease(memory, plan->kept);
    memoryRelease(memory, plan->lambda);
    memoryRelease(memory, plan->taken);
    memoryRelease(memory, plan->single);
    memoryRelease(memory, plan->held);
    memoryRelease(memory, plan);
}

// ---- between a plan and its energy ----------------------------------------------------------------------------------

#define MOST_CONSTANTS 64

// more than one element that is not switched off holds the vertex
static bool isShared(const Energy *energy, int vertex)
{
    int count = 0, last = -1;
    for (int k = energy->incidenceStart[vertex]; k < energy->incidenceStart[vertex + 1] && count < 2; ++k)
    {
        int element = energy->incidence[k] / energy->kind->corners; // corners may repeat
        count += element != last && energyGetParam(energy, element, 0) != 0;
        last = element;
    }
    return count > 1;
}

// which vertices are joined to something
static unsigned joinedOf(const Energy *energy, const double *joined)
{
    unsigned sum = 0;
    for (int v = 0; v < energy->vertexCount && joined != NULL; ++v)
        sum = joined[v] > 0 ? 31 * sum + (unsigned)v + 1 : sum;
    return sum;
}

static void makeConstants(SweepPlan *plan, const double *row, const SweepManner *manner, bool jacobi, bool once)
{
    const Energy *energy = plan->energy;
    const SweepKind *kind = energy->kind->sweep;
    double out[MOST_CONSTANTS];
    SweepMass mass;
    for (int i = 0; i < plan->batchCount * LANES; ++i)
    {
        int batch = i / LANES, lane = i % LANES;
        for (int c = 0; c < energy->kind->corners; ++c)
        {
            int v = batchVertices(plan, batch)[c * LANES + lane];
            int count = energy->incidenceStart[v + 1] - energy->incidenceStart[v];
            mass.inverse[c] = (jacobi ? count : 1) * row[4 * (ptrdiff_t)v + 3];
            bool shared = once && ((manner->joined != NULL && manner->joined[v] > 0) || isShared(energy, v));
            mass.overlap[c] = shared ? 0.5 * row[4 * (ptrdiff_t)v + 3] : 0;
        }
        kind->constants(energy, plan->element[i], &mass, manner->h, out);
        double *target = plan->constant + (ptrdiff_t)batch * kind->constantCount * LANES + lane;
        for (int k = 0; k < kind->constantCount; ++k)
            target[k * LANES] = out[k];
    }
}

// Of features the kernel finds D along the direction it moves in: here, which part of it is overlap.
static double overlapOf(const Energy *energy, const double *params, int rows, const SweepMass *mass)
{
    int corners = energy->kind->corners, first = energy->kind->paramCount - rows * (corners - 1);
    double shared = 0, whole = 0;
    for (int c = 0; c < corners; ++c)
    {
        double square = 0;
        for (int r = 0; r < rows; ++r)
        {
            const double *row = params + (first + r * (corners - 1)) * LANES;
            double a = c > 0 ? row[(c - 1) * LANES] : 0;
            for (int k = 0; k < corners - 1 && c == 0; ++k)
                a -= row[k * LANES];
            square += a * a;
        }
        shared += mass->overlap[c] * square;
        whole += mass->inverse[c] * square;
    }
    return whole > 0 ? shared / whole : 0;
}

static void packPairs(SweepPlan *plan)
{
    for (int i = 0; i < plan->batchCount * LANES; ++i)
    {
        struct PairBatch *pair = &plan->pair[i / LANES];
        const double *constants = batchConstants(plan, i / LANES) + i % LANES;
        pair->length[i % LANES] = constants[PAIR_LENGTH * LANES];
        pair->inverse[i % LANES] = constants[PAIR_INVERSE * LANES];
        for (int c = 0; c < 2; ++c)
            pair->place[c][i % LANES] = 4 * batchVertices(plan, i / LANES)[c * LANES + i % LANES];
    }
}

void featureConstants(const Energy *energy, int element, double steep, const SweepMass *mass, double h, double *out)
{
    const double *params = laneParams(energy, element / LANES) + element % LANES;
    int count = energy->kind->paramCount;
    for (int k = 0; k < count; ++k)
        out[k] = params[k * LANES];
    bool acts = params[0] > 0; // else slopes are 0
    out[count] = acts ? 1 / (steep * params[0]) : 0;
    out[count + 1] = acts ? sweepCompliance(steep * params[0], h) : 0;
    out[count + 2] = overlapOf(energy, params, energy->kind->sweep->rows / 3, mass);
}

void featureConstantsPlain(const Energy *energy, int element, const SweepMass *mass, double h, double *out)
{
    featureConstants(energy, element, 1, mass, h, out);
}

void sweepPlanLoad(SweepPlan *plan, const double *row, const SweepManner *manner)
{
    Energy *energy = plan->energy;
    double viscosity = energy->viscosity, dashpot = energy->dashpot;
    unsigned flows = energy->yield ? energy->yield->flows : 0;
    if (!manner->damped)
        energy->viscosity = energy->dashpot = 0; // while constants are made
    bool jacobi = manner->jacobi && energy->kind->sweep->splits, once = manner->once && !jacobi;
    unsigned joined = joinedOf(energy, manner->joined);
    if (plan->joined != joined || plan->jacobi != jacobi || plan->once != once || plan->masses != manner->masses ||
        plan->h != manner->h || plan->version != energy->version || plan->flows != flows ||
        plan->damping != energy->viscosity + energy->dashpot)
    {
        makeConstants(plan, row, manner, jacobi, once);
        if (plan->pair != NULL)
            packPairs(plan);
        plan->jacobi = jacobi;
        plan->once = once;
        plan->joined = joined;
        plan->masses = manner->masses;
        plan->h = manner->h;
        plan->version = energy->version;
        plan->flows = flows;
        plan->damping = energy->viscosity + energy->dashpot;
    }
    energy->viscosity = viscosity;
    energy->dashpot = dashpot;
    int kept = energy->kind->keptCount;
    for (int i = 0; i < plan->batchCount * LANES && kept > 0; ++i)
    {
        int e = plan->element[i];
        for (int k = 0; k < kept; ++k)
            batchKept(plan, i / LANES)[k * LANES + i % LANES] = laneKept(energy, e / LANES)[k * LANES + e % LANES];
    }
    if (plan->damping > 0)
        memset(plan->taken, 0, (size_t)plan->batchCount * LANES * sizeof(double));
}

// from one batch to the elements
static void storeBatch(const SweepPlan *plan, int batch, int rows, int kept, double scale)
{
    Energy *energy = plan->energy;
    const double *lambda = batchLambda(plan, batch);
    const int *element = plan->element + (ptrdiff_t)batch * LANES;
    for (int lane = 0; lane < plan->used[batch]; ++lane)
    {
        int e = element[lane];
        double *target = energy->lambda + (ptrdiff_t)(e / LANES) * rows * LANES + e % LANES;
        for (int k = 0; k < kept; ++k)
            laneKept(energy, e / LANES)[k * LANES + e % LANES] = batchKept(plan, batch)[k * LANES + lane];
        for (int k = 0; k < rows; ++k)
            target[k * LANES] = scale * lambda[k * LANES + lane];
    }
    for (int lane = plan->used[batch]; lane < LANES; ++lane)
        plan->taken[batch * LANES + lane] = 0;
}

double sweepPlanStore(SweepPlan *plan)
{
    const EnergyKind *kind = plan->energy->kind;
    for (int batch = 0; batch < plan->batchCount; ++batch)
        storeBatch(plan, batch, kind->sweep->rows, kind->keptCount, 1 / (plan->h * plan->h));
    return plan->damping > 0 ? sumPairwise(plan->taken, plan->batchCount * LANES) : 0;
}

bool sweepHold(SweepPlan *plan, bool hold)
{
    const Energy *energy = plan->energy;
    if (!hold)
    {
        memoryRelease(energy->memory, plan->held);
        plan->held = NULL;
    }
    else if (plan->held == NULL)
        plan->held = ALLOCATE(energy->memory, double, (size_t)energy->elementCount * 3 * (size_t)energy->kind->corners);
    return plan->held != NULL || !hold;
}

void sweepForces(const Energy *energy, int element, Vec3 *out)
{
    const SweepPlan *plan = energy->plan;
    const double *lambda = elementLambda(energy, element);
    int corners = energy->kind->corners;
    for (int c = 0; c < corners; ++c)
        out[c] = plan && plan->held ? vecLoad(plan->held + ((ptrdiff_t)element * corners + c) * 3) : vec3(0, 0, 0);
    if (energy->kind->sweep->forces != NULL)
        energy->kind->sweep->forces(energy, element, out);
    else if (energy->kind->sweep->constantCount == 0)
        out[0] = vec3(lambda[0], lambda[LANES], lambda[2 * LANES]);
}

// corners that are left over repeat another
static bool repeats(const int *vertices, int corner)
{
    for (int c = 0; c < corner; ++c)
    {
        if (vertices[c * LANES] == vertices[corner * LANES])
            return true;
    }
    return false;
}

// what a batch moves, times mass over h^2; lanes share no vertex
static void holdBatch(SweepPlan *plan, const SweepContext *context, int batch)
{
    int corners = plan->energy->kind->corners, used = plan->used[batch];
    double before[LANES * MAX_CORNERS * 3], scale = 1 / (context->h * context->h);
    const int *vertices = batchVertices(plan, batch);
    for (int i = 0; i < used * corners; ++i)
        memcpy(before + 3 * i, context->row + 4 * (ptrdiff_t)vertices[i % corners * LANES + i / corners],
               3 * sizeof(double));
    plan->energy->kind->sweep->batches(plan, context, batch, batch + 1);
    for (int i = 0; i < used * corners; ++i)
    {
        int lane = i / corners, c = i % corners, element = plan->element[batch * LANES + lane];
        const double *row = context->row + 4 * (ptrdiff_t)vertices[c * LANES + lane];
        const double *slot = elementSlots(plan->energy, element) + 3 * c;
        double *held = plan->held + ((ptrdiff_t)element * corners + c) * 3;
        bool still = !(row[3] > 0) || repeats(vertices + lane, c);
        for (int a = 0; a < 3; ++a)
        {
            double push = still ? 0 : plan->jacobi ? slot[a] : (row[a] - before[3 * i + a]) / row[3];
            held[a] = (context->again ? held[a] : 0) + scale * push;
        }
    }
}

void sweepPlanBatches(SweepPlan *plan, const SweepContext *context, int begin, int end)
{
    if (plan->held == NULL || !context->keep)
    {
        plan->energy->kind->sweep->batches(plan, context, begin, end);
        return;
    }
    for (int i = begin; i < end; ++i)
        holdBatch(plan, context, context->backward ? begin + end - 1 - i : i);
}

static const RowKernels *const rowKernels[ISA_COUNT] = KERNELS_BY_ISA(rowKernels);

void sweepAhead(Isa isa, double *row, double *before, const double *pull, ptrdiff_t count)
{
    rowKernels[isa]->ahead(row, before, pull, count);
}

void sweepSingleAhead(Isa isa, float *row, float *before, const float *pull, ptrdiff_t count)
{
    rowKernels[isa]->aheadSingle(row, before, pull, count);
}

void sweepAll(SweepPlan *plan, const SweepContext *context)
{
    sweepPlanBatches(plan, context, 0, plan->batchCount);
    if (plan->jacobi)
        sweepGather(plan, context->row, 0, plan->energy->vertexCount);
}

void sweepGather(const SweepPlan *plan, double *row, int begin, int end)
{
    const Energy *energy = plan->energy;
    const int *start = energy->incidenceStart;
    for (int v = begin; v < end; ++v)
    {
        Vec3 sum = vec3(0, 0, 0);
        for (int k = start[v]; k < start[v + 1]; ++k)
            sum = vecAdd(sum, vecLoad(energy->slot + 3 * (ptrdiff_t)energy->incidence[k]));
        vecStore(row + 4 * (ptrdiff_t)v,
                 vecAdd(vecLoad(row + 4 * (ptrdiff_t)v), vecScale(row[4 * (ptrdiff_t)v + 3], sum)));
    }
}
