// The constant matrices of local/global: M + s L, factored once and kept current by partial refactorisation where pins
// or weights change (Bouaziz 2014, section 3.3; the matrix must not lie below the Hessian, so L is the majorizer).
#include "solve/solve.h"

#include <string.h>

#define SINGLE_LIMIT 1e6 // largest diagonal entry over mass that a float32 factorisation can take

// damping between vertices: it enters with another factor than energies do
static bool isViscous(const Part *part)
{
    for (int e = 0; e < part->energyCount; ++e)
    {
        if (energyIsViscous(part->energy[e]))
            return true;
    }
    return false;
}

bool partCreatePrefactors(Part *part, Memory *memory, const Graph *graph, const FrontTree *tree)
{
    part->graph = graph;
    part->tree = tree;
    part->majorizer = ALLOCATE(memory, double, graph->start[graph->count]);
    part->assembled = ALLOCATE(memory, double, graph->start[graph->count]);
    part->changed = ALLOCATE(memory, int, graph->count);
    bool viscous = isViscous(part);
    if (viscous)
        part->viscosity = ALLOCATE(memory, double, graph->start[graph->count]);
    if (part->majorizer && part->assembled && part->changed && (part->viscosity || !viscous))
        return true;
    partDestroyPrefactors(part, memory);
    return false;
}

void partDestroyPrefactors(Part *part, Memory *memory)
{
    for (int k = 0; k < PART_FACTORS; ++k)
    {
        frontFactorDestroy(part->prefactor[k].factor);
        memoryRelease(memory, part->prefactor[k].value);
        part->prefactor[k] = (Prefactor){ 0 };
    }
    partReleaseTouching(part, memory);
    memoryRelease(memory, part->majorizer);
    memoryRelease(memory, part->viscosity);
    memoryRelease(memory, part->assembled);
    memoryRelease(memory, part->changed);
    part->majorizer = part->viscosity = part->assembled = NULL;
    part->changed = NULL;
    part->tree = NULL;
    part->majorizerVersion = 0;
}

// ---- the matrix ------------------------------------------------------------------------------------------------------

static bool entersMatrix(const Part *part, const Energy *energy)
{
    return energy->kind->majorizer != NULL && !(part->bare && energyIsTouching(energy));
}

// counts every change of what the matrix is made of
static unsigned matrixVersion(const Part *part)
{
    unsigned version = 1 + part->pinVersion + (part->dampedApart ? 1u << 31 : 0);
    for (int e = 0; e < part->energyCount; ++e)
        version += entersMatrix(part, part->energy[e]) ? 1 + part->energy[e]->version : 0;
    return version;
}

// entries of the energies that are not diagonal; those that are come cheap
static void refreshMajorizer(Part *part)
{
    unsigned version = 1;
    for (int e = 0; e < part->energyCount; ++e)
        version += energyIsDiagonal(part->energy[e]) ? 0 : part->energy[e]->version;
    if (version == part->majorizerVersion)
        return;
    part->majorizerVersion = version;
    size_t bytes = (size_t)part->graph->start[part->graph->count] * sizeof(double);
    memset(part->majorizer, 0, bytes);
    if (part->viscosity != NULL)
        memset(part->viscosity, 0, bytes);
    double matrices[LANES * MAX_CORNERS * MAX_CORNERS];
    for (int index = 0; index < part->energyCount; ++index)
    {
        const Energy *energy = part->energy[index];
        int corners = energy->kind->corners;
        if (!entersMatrix(part, energy) || energyIsDiagonal(energy))
            continue;
        double *target = energy->traits & TRAIT_DISSIPATIVE ? part->viscosity : part->majorizer;
        for (int e = 0; e < energy->elementCount; ++e)
        {
            if (e % LANES == 0)
                energy->kind->majorizer(energy, e / LANES, matrices);
            const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
            for (int k = 0; k < corners * corners; ++k)
            {
                int row = vertex[(k / corners) * LANES], column = vertex[(k % corners) * LANES];
                if (row >= column)
                    target[graphFind(part->graph, row, column)] += matrices[(e % LANES) * corners * corners + k];
            }
        }
    }
}

static void addDiagonal(Part *part, const Energy *energy, double scale)
{
    double weights[LANES * MAX_CORNERS];
    int corners = energy->kind->corners;
    for (int e = 0; e < energy->elementCount; ++e)
    {
        if (e % LANES == 0)
            energy->kind->majorizer(energy, e / LANES, weights);
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        for (int c = 0; c < corners; ++c)
            part->assembled[part->graph->start[vertex[c * LANES]]] += scale * weights[(e % LANES) * corners + c];
    }
}

// pinned vertices keep their mass alone: they leave the unknowns and the pattern stays
static void removePinned(Part *part, const State *state)
{
    const Graph *graph = part->graph;
    for (int column = 0; column < part->count; ++column)
    {
        bool pinned = state->pinned[column];
        for (int k = graph->start[column]; k < graph->start[column + 1]; ++k)
        {
            if (k == graph->start[column])
                part->assembled[k] = pinned ? state->mass[column] : part->assembled[k];
            else if (pinned || state->pinned[graph->row[k]])
                part->assembled[k] = 0;
        }
    }
}

static void assembleValues(Part *part, const State *state, double s, double drag, const double *coupling)
{
    const Graph *graph = part->graph;
    bool viscous = part->viscosity != NULL && !part->dampedApart;
    refreshMajorizer(part);
    for (int k = 0; k < graph->start[graph->count]; ++k)
        part->assembled[k] = s * part->majorizer[k] + (viscous ? drag * part->viscosity[k] : 0);
    for (int v = 0; v < part->count; ++v)
        part->assembled[graph->start[v]] += state->mass[v] + (coupling ? s * coupling[v] : 0);
    for (int e = 0; e < part->energyCount; ++e)
    {
        const Energy *energy = part->energy[e];
        if (entersMatrix(part, energy) && energyIsDiagonal(energy))
            addDiagonal(part, energy, energy->traits & TRAIT_DISSIPATIVE ? drag : s);
    }
    removePinned(part, state);
}

static FrontPrecision neededPrecision(const Part *part, const State *state)
{
    double largest = 0;
    for (int v = 0; v < part->count; ++v)
        largest = maxReal(largest, part->assembled[part->graph->start[v]] / state->mass[v]);
    return largest <= SINGLE_LIMIT ? FRONT_SINGLE : FRONT_ROUNDED;
}

// ---- the factor ------------------------------------------------------------------------------------------------------

// the prefactor made for this matrix, or the one that was not used for longest
static Prefactor *choosePrefactor(Part *part, double s, double drag)
{
    Prefactor *oldest = &part->prefactor[0];
    for (int k = 0; k < (part->factors ? part->factors : PART_FACTORS); ++k)
    {
        Prefactor *prefactor = &part->prefactor[k];
        if (prefactor->lastUse > 0 && prefactor->s == s && prefactor->drag == drag)
            return prefactor;
        if (prefactor->lastUse < oldest->lastUse)
            oldest = prefactor;
    }
    return oldest;
}

static bool createFactor(Part *part, Memory *memory, Prefactor *prefactor, FrontPrecision precision, Isa isa)
{
    if (prefactor->value == NULL)
        prefactor->value = ALLOCATE(memory, double, part->graph->start[part->graph->count]);
    if (prefactor->value == NULL)
        return false; // and no factor, which the next step would take for a whole one
    frontFactorDestroy(prefactor->factor);
    prefactor->factor = frontFactorCreate(memory, part->tree, precision, isa);
    prefactor->precision = precision;
    prefactor->ready = false;
    return prefactor->factor != NULL;
}

// columns in which the matrix differs from what the factor holds
static int findChanged(Part *part, const Prefactor *prefactor)
{
    const Graph *graph = part->graph;
    int count = 0;
    for (int column = 0; column < part->count; ++column)
    {
        size_t begin = (size_t)graph->start[column], length = (size_t)graph->start[column + 1] - begin;
        if (memcmp(part->assembled + begin, prefactor->value + begin, length * sizeof(double)) != 0)
            part->changed[count++] = column;
    }
    return count;
}

static bool refactor(Part *part, Prefactor *prefactor, Workers *workers)
{
    int changed = prefactor->ready ? findChanged(part, prefactor) : part->count;
    if (prefactor->ready && changed == 0)
        return true;
    memcpy(prefactor->value, part->assembled, (size_t)part->graph->start[part->count] * sizeof(double));
    if (prefactor->ready && changed < part->count)
        prefactor->ready = frontFactorUpdate(prefactor->factor, prefactor->value, part->changed, changed, workers);
    else
        prefactor->ready = frontFactorCompute(prefactor->factor, prefactor->value, workers);
    return prefactor->ready;
}

FrontFactor *partPrefactor(Part *part, Memory *memory, const State *state, double s, double drag,
                           const double *coupling, Isa isa, Workers *workers, SolveReport *report)
{
    unsigned version = matrixVersion(part);
    Prefactor *prefactor = choosePrefactor(part, s, drag);
    prefactor->lastUse = ++part->clock;
    bool same = prefactor->s == s && prefactor->drag == drag;
    same = same && prefactor->bare == part->bare;
    if (prefactor->ready && same && prefactor->version == version)
        return prefactor->factor;

    double since = clockSeconds();
    assembleValues(part, state, s, drag, coupling);
    report->profile.matrix += clockLap(&since);
    // a factor in double serves any matrix; going back to single would only trade memory to and fro
    bool rounded = prefactor->precision == FRONT_ROUNDED;
    FrontPrecision precision = rounded ? FRONT_ROUNDED : neededPrecision(part, state);
    bool fits = prefactor->factor != NULL && prefactor->value != NULL && prefactor->precision == precision;
    report->starved = !fits && !createFactor(part, memory, prefactor, precision, isa);
    if (report->starved)
        return NULL;
    report->factorizations += 1;
    bool ok = refactor(part, prefactor, workers);
    if (!ok && prefactor->precision == FRONT_SINGLE)
    {
        report->starved = !createFactor(part, memory, prefactor, FRONT_ROUNDED, isa);
        ok = !report->starved && refactor(part, prefactor, workers);
    }
    report->profile.factor += clockLap(&since);
    prefactor->s = s;
    prefactor->drag = drag;
    prefactor->version = version;
    prefactor->bare = part->bare;
    return ok ? prefactor->factor : NULL;
}

void partRecallPrefactor(Part *part, int index, PrefactorUse use)
{
    Prefactor *prefactor = &part->prefactor[index];
    prefactor->ready &= prefactor->s == use.s && prefactor->drag == use.drag && prefactor->precision == use.precision;
    if (prefactor->precision != use.precision)
    {
        frontFactorDestroy(prefactor->factor);
        prefactor->factor = NULL;
    }
    prefactor->s = use.s;
    prefactor->drag = use.drag;
    prefactor->precision = use.precision;
    prefactor->lastUse = use.lastUse;
}

void partMarkPrefactors(Part *part)
{
    part->usedClock = part->clock;
    for (int k = 0; k < PART_FACTORS; ++k)
    {
        const Prefactor *prefactor = &part->prefactor[k];
        part->used[k] = (PrefactorUse){ prefactor->precision, prefactor->s, prefactor->drag, prefactor->lastUse };
    }
}

void partRewindPrefactors(Part *part)
{
    part->clock = part->usedClock;
    for (int k = 0; k < PART_FACTORS; ++k)
        partRecallPrefactor(part, k, part->used[k]);
}
