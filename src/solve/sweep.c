// Small steps over an island (Macklin 2019, Algorithm 1): rows ahead by velocity and forces, one or more sweeps over
// the constraints of all members and joints, velocities from the displacement.
//
// The velocity is never stored between substeps: it is (row - before) / h, and what changes it changes `before`. In
// double this does what the delta form does for single precision, and rows are relative to a vertex of the island.
#include "solve/solve.h"

#include <string.h>

static bool isPlanned(const Energy *energy)
{
    return energy->kind->sweep != NULL && energy->kind->sweep->constantCount > 0;
}

static bool isDirect(const Energy *energy)
{
    return energy->kind->sweep != NULL && energy->kind->sweep->constantCount == 0;
}

static bool isExplicit(const Energy *energy)
{
    return energy->kind->sweep == NULL && (energy->traits & (TRAIT_EXTERNAL | TRAIT_DISSIPATIVE)) == 0 &&
           energy->kind->column != COLUMN_CONTACT; // of those between bodies there is a list
}

// ---- memory ---------------------------------------------------------------------------------------------------------

// `anew`: the rows are new, whatever the plan was made for is not theirs
static bool reservePlan(Energy *energy, bool anew, bool hold)
{
    if (!isPlanned(energy))
        return true;
    if (energy->plan == NULL)
        energy->plan = sweepPlanCreate(energy);
    else if (anew)
        energy->plan->masses = 0;
    return energy->plan != NULL && sweepHold(energy->plan, hold);
}

// one block for all
static void placeRows(System *system, double *block)
{
    SweepRows *rows = &system->sweep;
    size_t count = 4 * (size_t)system->state.count;
    rows->row = block;
    rows->before = block ? block + count : NULL;
    rows->pull = block ? block + 2 * count : NULL;
    rows->still = block ? block + 3 * count : NULL;
    rows->spare = block ? block + 4 * count : NULL;
}

void systemSweepLend(System *system, double *rows)
{
    memset(rows, 0, SWEEP_ROW_REALS * (size_t)system->state.count * sizeof(double)); // fourth numbers of forces are 0
    placeRows(system, rows);
    system->sweep.lent = true;
}

bool systemSweepReserve(System *system)
{
    SweepRows *rows = &system->sweep;
    bool ok = true, anew = rows->masses == 0;
    if (rows->row == NULL)
    {
        placeRows(system, ALLOCATE(system->memory, double, SWEEP_ROW_REALS *(size_t)system->state.count));
        if (rows->row == NULL)
            return false;
    }
    for (int t = 0; t < system->termCount; ++t)
        ok = ok && reservePlan(system->term[t].energy, anew, system->term[t].member->keepsForces);
    // after a failure all is done again
    if (!ok)
        systemSweepRelease(system);
    return ok;
}

void systemSweepRelease(System *system)
{
    double *lent = system->sweep.lent ? system->sweep.row : NULL;
    memoryRelease(system->memory, lent ? NULL : system->sweep.row);
    memoryRelease(system->memory, system->sweep.single);
    system->sweep = (SweepRows){ 0 };
    if (lent != NULL)
        systemSweepLend(system, lent);
}

// ---- the start of a step --------------------------------------------------------------------------------------------

// rows of the start; counts when a mass or a pin changed
static void fillRows(System *system)
{
    const State *s = &system->state;
    SweepRows *rows = &system->sweep;
    bool changed = rows->masses == 0;
    rows->origin = vecLoad(s->start);
    for (int v = 0; v < s->count; ++v)
    {
        double *row = rows->row + 4 * (ptrdiff_t)v, inverse = s->pinned[v] ? 0 : 1 / s->mass[v];
        changed |= row[3] != inverse;
        vecStore(row, vecSub(vecLoad(s->start + 3 * (ptrdiff_t)v), rows->origin));
        row[3] = inverse;
    }
    rows->masses += changed;
}

// Mean over the free vertices of a member of the diagonal of the majorizers over mass: frequencies of neighbours,
// squared; the largest of the members, for a mean over all would let a hard rope be as soft as the many vertices of
// what hangs from it
static double findRate(const System *system)
{
    const State *s = &system->state;
    double largest = 0, out[LANES * MAX_CORNERS * MAX_CORNERS];
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        double sum = 0;
        int free = 0;
        for (int v = member->offset; v < member->offset + member->count; ++v)
            free += !s->pinned[v];
        const double *row = system->sweep.row + 4 * (ptrdiff_t)member->offset;
        for (int k = 0; k < member->energyCount; ++k)
        {
            const Energy *energy = member->energy[k];
            int corners = energy->kind->corners;
            if (!isPlanned(energy) || energy->kind->majorizer == NULL)
                continue;
            for (int e = 0; e < energy->elementCount; ++e)
            {
                if (e % LANES == 0)
                    energy->kind->majorizer(energy, e / LANES, out);
                for (int c = 0; c < corners; ++c)
                {
                    double w = row[4 * (ptrdiff_t)laneVertices(energy, e / LANES)[c * LANES + e % LANES] + 3];
                    sum += out[(e % LANES) * corners * corners + c * corners + c] * w / corners;
                }
            }
        }
        largest = maxReal(largest, free > 0 ? sum / free : 0);
    }
    return sqrt(largest);
}

static unsigned energyVersions(const System *system)
{
    unsigned sum = 1 + system->sweep.masses;
    for (int t = 0; t < system->termCount; ++t)
        sum += isPlanned(system->term[t].energy) ? system->term[t].energy->version : 0;
    return sum;
}

void systemSweepBegin(System *system)
{
    SweepRows *rows = &system->sweep;
    fillRows(system);
    unsigned version = energyVersions(system);
    if (rows->rateVersion != version)
        rows->rate = findRate(system);
    rows->rateVersion = version;
}

static void loadEnergy(Energy *energy, const double *row, const SweepManner *manner)
{
    if (energy->kind->sweep != NULL && energy->kind->sweep->begin != NULL)
        energy->kind->sweep->begin(energy);
    if (energy->plan != NULL)
        sweepPlanLoad(energy->plan, row, manner);
}

void systemSweepLoad(System *system, double h, SweepManner manner)
{
    const State *s = &system->state;
    SweepRows *rows = &system->sweep;
    systemSetExternal(system);
    manner.masses = rows->masses;
    double most = 0;
    for (int v = 0; v < s->count; ++v)
    {
        double inverse = rows->row[4 * (ptrdiff_t)v + 3];
        Vec3 a = vecScale(-inverse, vecLoad(s->external + 3 * (ptrdiff_t)v));
        vecStore(rows->still + 4 * (ptrdiff_t)v, vecScale(h * h, a));
        most = maxReal(most, vecDot(a, a));
    }
    memcpy(rows->pull, rows->still, 4 * (size_t)s->count * sizeof(double));
    rows->slow = 2 * h * sqrt(most); // Mueller 2020, section 3.6
    rows->explicitForces = false;
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->added = system->member[p]->dissipated = system->member[p]->sweptLoss = 0;
    for (int t = 0; t < system->termCount; ++t)
    {
        Energy *energy = system->term[t].energy;
        manner.joined = system->linkDiagonal != NULL ? system->linkDiagonal + system->term[t].first : NULL;
        loadEnergy(energy, rows->row + 4 * (ptrdiff_t)system->term[t].first, &manner);
        rows->explicitForces |= isExplicit(energy) && !energyIsIdle(energy);
    }
}

// ---- tasks ----------------------------------------------------------------------------------------------------------

typedef struct Job
{
    System *system;
    const SweepContext *context;
    int energy, phase; // place among the energies of every member
    int first;         // number of the first task of this run
    bool contact;      // contact alone, or everything else
    bool losses;       // not a sweep but what damping took in it
    bool ahead;        // patches take their rows ahead first
} Job;

static void runJob(Job *job, int count, TaskFunction function)
{
    for (job->first = 0; job->first < count; job->first += WORKERS_MOST_TASKS)
        workersRun(job->system->workers, minInt(count - job->first, WORKERS_MOST_TASKS), function, job);
}

#define ROW_GRAIN 1024 // vertices of one task

// vertices [begin, end) of the island
static void goAhead(const System *system, int begin, int end)
{
    const SweepRows *rows = &system->sweep;
    ptrdiff_t from = 4 * (ptrdiff_t)begin;
    if (begin < end)
        sweepAhead(system->isa, rows->row + from, rows->before + from, rows->pull + from, 4 * (ptrdiff_t)(end - begin));
}

static void aheadTask(void *context, int task)
{
    const Job *job = context;
    int begin = (job->first + task) * ROW_GRAIN;
    goAhead(job->system, begin, minInt(begin + ROW_GRAIN, job->system->state.count));
}

// the first energy of a member that is swept by patches; -1: none, or not of all its vertices
static int firstPlanned(const Member *member)
{
    for (int e = 0; e < member->energyCount; ++e)
    {
        if (member->energy[e]->plan != NULL)
            return member->energy[e]->vertexCount == member->count ? e : -1;
    }
    return -1;
}

// Patches of the first phase have every vertex of a member once and touch no other. Where all members begin with one,
// rows can go ahead right before they are swept, while they are near, and threads meet once less.
static bool beginsWithPatches(const System *system)
{
    int first = system->memberCount > 0 ? firstPlanned(system->member[0]) : -1;
    bool same = first >= 0;
    for (int p = 1; p < system->memberCount && same; ++p)
        same = firstPlanned(system->member[p]) == first;
    return same;
}

// forces of what has no sweep, as symplectic Euler takes them
static void addExplicit(System *system, double h)
{
    const State *s = &system->state;
    SweepRows *rows = &system->sweep;
    for (int v = 0; v < s->count; ++v)
        vecStore(s->position + 3 * (ptrdiff_t)v, vecAdd(rows->origin, vecLoad(rows->row + 4 * (ptrdiff_t)v)));
    systemForces(system, isExplicit, s->position);
    for (int v = 0; v < s->count; ++v)
    {
        ptrdiff_t i = 4 * (ptrdiff_t)v;
        Vec3 force = vecLoad(s->gradient + 3 * (ptrdiff_t)v);
        vecStore(rows->pull + i, vecSub(vecLoad(rows->still + i), vecScale(h * h * rows->row[i + 3], force)));
    }
}

// of the rows from a vertex of the island on
static SweepContext contextFrom(const SweepContext *context, int first)
{
    SweepContext own = *context;
    own.row += 4 * (ptrdiff_t)first;
    own.before += 4 * (ptrdiff_t)first;
    return own;
}

static void book(Member *member, SweepWork work)
{
    member->added += work.added;
    member->dissipated += work.dissipated;
}

static void reboundAll(System *system, const SweepContext *context)
{
    for (int t = 0; t < system->termCount; ++t)
    {
        const Term *term = &system->term[t];
        if (term->energy->kind->sweep == NULL || term->energy->kind->sweep->rebound == NULL)
            continue;
        SweepContext own = contextFrom(context, term->first);
        SweepWork work = { 0, 0 };
        term->energy->kind->sweep->rebound(term->energy, &own, system->sweep.before + 4 * (ptrdiff_t)term->first,
                                           &work);
        book(term->member, work);
    }
}

static bool hasStart(const System *system)
{
    bool any = false;
    for (int t = 0; t < system->termCount; ++t)
        any |= system->term[t].energy->kind->sweep != NULL && system->term[t].energy->kind->sweep->start != NULL;
    return any;
}

static void startAll(System *system, const SweepContext *context, bool first)
{
    for (int t = 0; t < system->termCount; ++t)
    {
        const Term *term = &system->term[t];
        SweepContext own = contextFrom(context, term->first);
        if (term->energy->kind->sweep != NULL && term->energy->kind->sweep->start != NULL)
            term->energy->kind->sweep->start(term->energy, &own, first);
    }
}

// of a vertex in the first substep, without the pull; pinned ones go straight to where they are told
static Vec3 firstDisplacement(const State *s, int vertex, const SweepContext *context)
{
    ptrdiff_t k = 3 * (ptrdiff_t)vertex;
    return s->pinned[vertex] ? vecScale(context->part, vecSub(vecLoad(s->pinTarget + k), vecLoad(s->start + k)))
                             : vecScale(context->h, vecLoad(s->startVelocity + k));
}

void systemSweepAhead(System *system, const SweepContext *context, bool first)
{
    const State *s = &system->state;
    SweepRows *rows = &system->sweep;
    Job job = { .system = system, .context = context };
    if (rows->explicitForces)
        addExplicit(system, context->h);
    for (int v = 0; v < s->count && first; ++v)
        vecStore(rows->before + 4 * (ptrdiff_t)v,
                 vecSub(vecLoad(rows->row + 4 * (ptrdiff_t)v), firstDisplacement(s, v, context)));
    if (first)
        reboundAll(system, context); // nothing touches yet: contacts note how fast they are
    for (int v = 0; v < s->count && first; ++v)
    {
        ptrdiff_t i = 4 * (ptrdiff_t)v;
        Vec3 now = vecLoad(rows->row + i);
        vecStore(rows->before + i, now);
        rows->before[i + 3] = rows->row[i + 3];
        vecStore(rows->row + i, vecAdd(now, vecAdd(firstDisplacement(s, v, context), vecLoad(rows->pull + i))));
    }
    bool starts = context->once && hasStart(system);
    rows->behind = !first && !starts && beginsWithPatches(system);
    if (!first && !rows->behind)
        runJob(&job, (s->count + ROW_GRAIN - 1) / ROW_GRAIN, aheadTask);
    if (starts)
        startAll(system, context, first);
}

// patches of one phase of energy `index` of a member
static int patchesOf(const Member *member, int index, int phase)
{
    const Energy *energy = index < member->energyCount ? member->energy[index] : NULL;
    return energy != NULL && energy->plan != NULL ? energy->plan->patchCount[phase] : 0;
}

static bool isDamped(const Member *member, int index)
{
    const SweepPlan *plan = index < member->energyCount ? member->energy[index]->plan : NULL;
    return plan != NULL && plan->damping > 0 && plan->energy->kind->sweep->losses != NULL;
}

static void patchTask(void *context, int task)
{
    const Job *job = context;
    task += job->first;
    int p = 0;
    for (; task >= patchesOf(job->system->member[p], job->energy, job->phase); ++p)
        task -= patchesOf(job->system->member[p], job->energy, job->phase);
    Member *member = job->system->member[p];
    SweepPlan *plan = member->energy[job->energy]->plan;
    SweepContext own = contextFrom(job->context, member->offset);
    if (job->ahead)
        goAhead(job->system, member->offset + task * plan->length,
                member->offset + minInt((task + 1) * plan->length, member->count));
    task += job->phase > 0 ? plan->patchCount[0] : 0;
    if (!job->losses)
        sweepPlanBatches(plan, &own, plan->patch[task], plan->patch[task + 1]);
    else if (isDamped(member, job->energy))
        plan->energy->kind->sweep->losses(plan, &own, plan->patch[task], plan->patch[task + 1]);
}

static bool isContact(const Energy *energy)
{
    return energy->kind->column == COLUMN_CONTACT;
}

// elements without a plan
static void sweepDirectly(Energy *energy, const Job *job, int first, Member *member)
{
    if (!isDirect(energy) || isContact(energy) != job->contact)
        return;
    SweepContext own = contextFrom(job->context, first);
    SweepWork work = { 0, 0 };
    energy->kind->sweep->elements(energy, &own, &work);
    book(member, work);
}

static void directTask(void *context, int task)
{
    const Job *job = context;
    Member *member = job->system->member[job->first + task];
    for (int e = 0; e < member->energyCount; ++e)
        sweepDirectly(member->energy[e], job, member->offset, member);
}

// a member each, then what is between them
static void sweepDirect(System *system, const SweepContext *context, bool contact)
{
    Job job = { .system = system, .context = context, .contact = contact };
    runJob(&job, system->memberCount, directTask);
    for (int t = system->jointStart; t < system->termCount; ++t)
        sweepDirectly(system->term[t].energy, &job, 0, system->term[t].member);
}

// Jacobi's iteration: what the slots of energy `index` hold, a member each
static void gatherTask(void *context, int task)
{
    const Job *job = context;
    const Member *member = job->system->member[job->first + task];
    const Energy *energy = job->energy < member->energyCount ? member->energy[job->energy] : NULL;
    if (energy != NULL && energy->plan != NULL && energy->plan->jacobi)
        sweepGather(energy->plan, job->context->row + 4 * (ptrdiff_t)member->offset, 0, member->count);
}

static void sweepPlans(System *system, const SweepContext *context)
{
    int most = 0;
    for (int p = 0; p < system->memberCount; ++p)
        most = maxInt(most, system->member[p]->energyCount);
    for (int i = 0; i < most * SWEEP_PHASES; ++i)
    {
        int step = context->backward ? most * SWEEP_PHASES - 1 - i : i, count = 0;
        Job job = { .system = system, .context = context, .energy = step / SWEEP_PHASES, .phase = step % SWEEP_PHASES };
        for (int p = 0; p < system->memberCount; ++p)
            count += patchesOf(system->member[p], job.energy, job.phase);
        job.ahead = system->sweep.behind;
        if (count > 0)
        {
            runJob(&job, count, patchTask);
            system->sweep.behind = false;
        }
        if (context->jacobi && i % SWEEP_PHASES == SWEEP_PHASES - 1)
            runJob(&job, system->memberCount, gatherTask);
    }
}

// what holds bodies together, then what holds them where they are, contact last: it is what must not be violated
void systemSweepOnce(System *system, const SweepContext *context)
{
    sweepPlans(system, context);
    sweepDirect(system, context, false);
    sweepDirect(system, context, true);
}

void systemSweepLosses(System *system, const SweepContext *context)
{
    for (int e = 0; e < MEMBER_ENERGIES; ++e)
    {
        Job job = { .system = system, .context = context, .energy = e, .losses = true };
        bool damped = false;
        int count[SWEEP_PHASES] = { 0 };
        for (int p = 0; p < system->memberCount; ++p)
        {
            damped |= isDamped(system->member[p], e);
            for (int phase = 0; phase < SWEEP_PHASES; ++phase)
                count[phase] += patchesOf(system->member[p], e, phase);
        }
        for (job.phase = 0; job.phase < SWEEP_PHASES && damped; ++job.phase)
            runJob(&job, count[job.phase], patchTask);
    }
}

// ---- velocities -----------------------------------------------------------------------------------------------------

// drag over a substep: the displacement shrinks by exp(-rate h)
static void slowDown(System *system, Member *member, const Energy *drag, double h)
{
    const State *s = &system->state;
    double known = 0, factor = 1, taken = 0;
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        double rate = energyGetParam(drag, v - member->offset, 0) / s->mass[v];
        if (s->pinned[v])
            continue;
        // the same for all but for rounding
        if (!(fabs(rate - known) <= 1e-12 * known))
        {
            factor = decayOver(rate * h);
            known = rate;
        }
        const double *row = system->sweep.row + 4 * (ptrdiff_t)v;
        double *before = system->sweep.before + 4 * (ptrdiff_t)v;
        Vec3 displacement = vecSub(vecLoad(row), vecLoad(before));
        vecStore(before, vecSub(vecLoad(row), vecScale(factor, displacement)));
        taken += 0.5 * s->mass[v] * (1 - factor * factor) * vecDot(displacement, displacement);
    }
    member->dissipated += taken / (h * h);
}

void systemSweepVelocities(System *system, const SweepContext *context)
{
    for (int t = 0; t < system->termCount; ++t)
    {
        if (system->term[t].energy->kind == &dragKind)
            slowDown(system, system->term[t].member, system->term[t].energy, context->h);
    }
    reboundAll(system, context);
}

// ---- the end of a step ----------------------------------------------------------------------------------------------

// multipliers become forces
static double storeEnergy(Energy *energy, double h)
{
    if (energy->plan != NULL)
        return sweepPlanStore(energy->plan);
    int count = isDirect(energy) ? energy->blockCount * LANES * energy->kind->sweep->rows : 0;
    for (int i = 0; i < count; ++i)
        energy->lambda[i] /= h * h;
    return 0;
}

void systemSweepEnd(System *system, double h, double step)
{
    State *s = &system->state;
    for (int v = 0; v < s->count; ++v)
    {
        ptrdiff_t i = 4 * (ptrdiff_t)v, k = 3 * (ptrdiff_t)v;
        Vec3 now = vecLoad(system->sweep.row + i), displacement = vecSub(now, vecLoad(system->sweep.before + i));
        Vec3 velocity = vecScale(1 / h, displacement);
        now = vecAdd(system->sweep.origin, now);
        if (s->pinned[v])
        {
            now = vecLoad(s->pinTarget + k);
            velocity = vecScale(1 / step, vecSub(now, vecLoad(s->start + k)));
        }
        vecStore(s->position + k, now);
        vecStore(s->velocity + k, velocity);
    }
    for (int t = 0; t < system->termCount; ++t)
    {
        double taken = storeEnergy(system->term[t].energy, h);
        system->term[t].member->dissipated += taken;
        system->term[t].member->sweptLoss += taken;
    }
}
