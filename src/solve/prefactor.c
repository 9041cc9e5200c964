// The constant matrices of local/global: M + s L, factored once and kept current by partial refactorisation where pins
// or weights change (Bouaziz 2014, section 3.3; the matrix must not lie below the Hessian, so L is the majorizer).
#include "solve/solve.h"

#include <string.h>

#define SINGLE_LIMIT 1e6 // largest diagonal entry over mass that a float32 factorisation can take

// damping between vertices: it enters with another factor than energies do
static bool isViscous(const Member *member)
{
    for (int e = 0; e < member->energyCount; ++e)
    {
        if (energyIsViscous(member->energy[e]))
            return true;
    }
    return false;
}

bool memberCreatePrefactors(Member *member, Memory *memory, const Graph *graph, const FrontTree *tree)
{
    member->graph = graph;
    member->tree = tree;
    member->majorizer = ALLOCATE_BARE(memory, double, graph->start[graph->count]);
    member->assembled = ALLOCATE_BARE(memory, double, graph->start[graph->count]);
    member->changed = ALLOCATE_BARE(memory, int, graph->count);
    bool viscous = isViscous(member);
    if (viscous)
        member->viscosity = ALLOCATE_BARE(memory, double, graph->start[graph->count]);
    if (member->majorizer && member->assembled && member->changed && (member->viscosity || !viscous))
        return true;
    memberDestroyPrefactors(member, memory);
    return false;
}

void memberDestroyPrefactors(Member *member, Memory *memory)
{
    for (int k = 0; k < MEMBER_FACTORS; ++k)
    {
        frontFactorDestroy(member->prefactor[k].factor);
        frontFactorDestroy(member->prefactor[k].former);
        memoryRelease(memory, member->prefactor[k].value);
        member->prefactor[k] = (Prefactor){ 0 };
    }
    memberReleaseTouching(member, memory);
    smoothDestroy(member->smooth); // it stands on the tree
    member->smooth = NULL;
    memoryRelease(memory, member->majorizer);
    memoryRelease(memory, member->viscosity);
    memoryRelease(memory, member->assembled);
    memoryRelease(memory, member->changed);
    member->majorizer = member->viscosity = member->assembled = NULL;
    member->changed = NULL;
    member->tree = NULL;
    member->majorizerVersion = 0;
}

// ---- the matrix -----------------------------------------------------------------------------------------------------

// counts every change of what the matrix is made of
static unsigned matrixVersion(const Member *member)
{
    unsigned version = 1 + member->pinVersion + (member->dampedApart ? 1u << 31 : 0);
    for (int e = 0; e < member->energyCount; ++e)
        version += memberEnters(member, member->energy[e]) ? 1 + member->energy[e]->version : 0;
    return version;
}

// entries of the energies that are not diagonal; those that are come cheap
static void refreshMajorizer(Member *member)
{
    unsigned version = memberMajorizerVersion(member);
    if (version == member->majorizerVersion)
        return;
    member->majorizerVersion = version;
    size_t bytes = (size_t)member->graph->start[member->graph->count] * sizeof(double);
    memset(member->majorizer, 0, bytes);
    if (member->viscosity != NULL)
        memset(member->viscosity, 0, bytes);
    memberAddMajorizers(member, NULL);
}

const double *memberMajorizer(Member *member)
{
    refreshMajorizer(member);
    return member->majorizer;
}

static void addDiagonal(Member *member, const Energy *energy, double scale)
{
    double weights[LANES * MAX_CORNERS];
    int corners = energy->kind->corners;
    for (int e = 0; e < energy->elementCount; ++e)
    {
        if (e % LANES == 0)
            energy->kind->majorizer(energy, e / LANES, weights);
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        for (int c = 0; c < corners; ++c)
            member->assembled[member->graph->start[vertex[c * LANES]]] += scale * weights[(e % LANES) * corners + c];
    }
}

// pinned vertices keep their mass alone: they leave the unknowns and the pattern stays
static void removePinned(Member *member, const State *state)
{
    const Graph *graph = member->graph;
    for (int column = 0; column < member->count; ++column)
    {
        bool pinned = state->pinned[column];
        for (int k = graph->start[column]; k < graph->start[column + 1]; ++k)
        {
            if (k == graph->start[column])
                member->assembled[k] = pinned ? state->mass[column] : member->assembled[k];
            else if (pinned || state->pinned[graph->row[k]])
                member->assembled[k] = 0;
        }
    }
}

static double marginOf(const Member *member)
{
    return member->margin > 0 ? member->margin : 1;
}

static double viscousOf(const Member *member)
{
    return member->viscosity == NULL || member->dampedApart ? 0 : member->viscousShare > 0 ? member->viscousShare : 1;
}

static void assembleValues(Member *member, const State *state, double s, double drag, const double *coupling)
{
    const Graph *graph = member->graph;
    double viscous = drag * viscousOf(member);
    double elastic = s * marginOf(member);
    double held = member->smooth != NULL && member->smooth->used ? elastic : s;
    refreshMajorizer(member);
    for (int k = 0; k < graph->start[graph->count]; ++k)
        member->assembled[k] = elastic * member->majorizer[k] + (viscous > 0 ? viscous * member->viscosity[k] : 0);
    for (int v = 0; v < member->count; ++v)
        member->assembled[graph->start[v]] += state->mass[v] + (coupling ? s * coupling[v] : 0);
    for (int e = 0; e < member->energyCount; ++e)
    {
        const Energy *energy = member->energy[e];
        if (memberEnters(member, energy) && energyIsDiagonal(energy))
            addDiagonal(member, energy, energy->traits & TRAIT_DISSIPATIVE ? drag : held);
    }
    removePinned(member, state);
}

static FrontPrecision neededPrecision(const Member *member, const State *state)
{
    bool fits = true;
    for (int v = 0; v < member->count; ++v)
        fits &= member->assembled[member->graph->start[v]] <= SINGLE_LIMIT * state->mass[v];
    return fits ? FRONT_SINGLE : FRONT_ROUNDED;
}

// ---- the factor -----------------------------------------------------------------------------------------------------

// the prefactor made for this matrix, or the one that was not used for longest
static Prefactor *choosePrefactor(Member *member, double s, double drag)
{
    Prefactor *oldest = &member->prefactor[0];
    for (int k = 0; k < (member->factors ? member->factors : MEMBER_FACTORS); ++k)
    {
        Prefactor *prefactor = &member->prefactor[k];
        if (prefactor->lastUse > 0 && prefactor->s == s && prefactor->drag == drag)
            return prefactor;
        if (prefactor->lastUse < oldest->lastUse)
            oldest = prefactor;
    }
    return oldest;
}

static bool createFactor(Member *member, Memory *memory, Prefactor *prefactor, FrontPrecision precision, Isa isa)
{
    if (prefactor->value == NULL)
        prefactor->value = ALLOCATE_BARE(memory, double, member->graph->start[member->graph->count]);
    if (prefactor->value == NULL)
        return false; // and no factor, which the next step would take for a whole one
    frontFactorDestroy(prefactor->factor);
    prefactor->factor = frontFactorCreateFrom(memory, member->tree, precision, isa, prefactor->former);
    prefactor->precision = precision;
    prefactor->ready = false;
    return prefactor->factor != NULL;
}

// columns in which the matrix differs from what the factor holds
static int findChanged(Member *member, const Prefactor *prefactor)
{
    const Graph *graph = member->graph;
    int count = 0;
    for (int column = 0; column < member->count; ++column)
    {
        size_t begin = (size_t)graph->start[column], length = (size_t)graph->start[column + 1] - begin;
        if (memcmp(member->assembled + begin, prefactor->value + begin, length * sizeof(double)) != 0)
            member->changed[count++] = column;
    }
    return count;
}

#define CHAINS 4
#define HASH_PRIME 0x9e3779b97f4a7c15ULL

static uint64_t linkOf(uint64_t hash, const double *value)
{
    uint64_t word;
    memcpy(&word, value, sizeof word);
    hash = (hash ^ word) * HASH_PRIME;
    return hash ^ hash >> 29;
}

static uint64_t contentOf(const Member *member, const Prefactor *prefactor)
{
    // chains of their own, for each link waits for the one before it
    uint64_t hash[CHAINS] = { 0xcbf29ce484222325ULL + (uint64_t)prefactor->precision, 1, 2, 3 };
    for (int k = 0; k < member->graph->start[member->count]; ++k)
        hash[k % CHAINS] = linkOf(hash[k % CHAINS], &prefactor->value[k]);
    for (int c = 1; c < CHAINS; ++c)
        hash[0] = (hash[0] ^ hash[c]) * HASH_PRIME;
    return hash[0];
}

static bool refactor(Member *member, Prefactor *prefactor, Workers *workers)
{
    int changed = prefactor->ready ? findChanged(member, prefactor) : member->count;
    if (prefactor->ready && changed == 0)
        return true;
    memcpy(prefactor->value, member->assembled, (size_t)member->graph->start[member->count] * sizeof(double));
    prefactor->content = contentOf(member, prefactor);
    FrontFactor *former = prefactor->former;
    if (!prefactor->ready && former != NULL)
        prefactor->ready = frontFactorComputeFrom(prefactor->factor, prefactor->value, former, workers);
    else if (prefactor->ready && changed < member->count)
        prefactor->ready = frontFactorUpdate(prefactor->factor, prefactor->value, member->changed, changed, workers);
    else
        prefactor->ready = frontFactorCompute(prefactor->factor, prefactor->value, workers);
    frontFactorDestroy(former);
    prefactor->former = NULL;
    return prefactor->ready;
}

FrontFactor *memberPrefactor(Member *member, Memory *memory, const State *state, double s, double drag,
                             const double *coupling, Isa isa, Workers *workers, SolveReport *report)
{
    unsigned version = matrixVersion(member);
    Prefactor *prefactor = choosePrefactor(member, s, drag);
    prefactor->lastUse = ++member->clock;
    bool same = prefactor->s == s && prefactor->drag == drag;
    same = same && prefactor->bare == member->bare && prefactor->margin == marginOf(member) &&
           prefactor->viscous == viscousOf(member);
    if (prefactor->ready && same && prefactor->version == version)
        return prefactor->factor;

    double since = clockSeconds();
    assembleValues(member, state, s, drag, coupling);
    report->profile.matrix += clockLap(&since);
    // a factor in double serves any matrix; going back to single would only trade memory to and fro
    bool rounded = prefactor->precision == FRONT_ROUNDED;
    FrontPrecision precision = rounded ? FRONT_ROUNDED : neededPrecision(member, state);
    bool fits = prefactor->factor != NULL && prefactor->value != NULL && prefactor->precision == precision;
    report->starved = !fits && !createFactor(member, memory, prefactor, precision, isa);
    if (report->starved)
        return NULL;
    report->factorizations += 1;
    bool ok = refactor(member, prefactor, workers);
    if (!ok && prefactor->precision == FRONT_SINGLE)
    {
        report->starved = !createFactor(member, memory, prefactor, FRONT_ROUNDED, isa);
        ok = !report->starved && refactor(member, prefactor, workers);
    }
    report->profile.factor += clockLap(&since);
    prefactor->s = s;
    prefactor->drag = drag;
    prefactor->version = version;
    prefactor->bare = member->bare;
    prefactor->margin = marginOf(member);
    prefactor->viscous = viscousOf(member);
    return ok ? prefactor->factor : NULL;
}

void memberRecallPrefactor(Member *member, int index, PrefactorUse use)
{
    Prefactor *prefactor = &member->prefactor[index];
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

void memberMarkPrefactors(Member *member)
{
    member->usedClock = member->clock;
    for (int k = 0; k < MEMBER_FACTORS; ++k)
    {
        const Prefactor *prefactor = &member->prefactor[k];
        member->used[k] = (PrefactorUse){ prefactor->precision, prefactor->s, prefactor->drag, prefactor->lastUse };
    }
}

void memberRewindPrefactors(Member *member)
{
    member->clock = member->usedClock;
    for (int k = 0; k < MEMBER_FACTORS; ++k)
        memberRecallPrefactor(member, k, member->used[k]);
}
