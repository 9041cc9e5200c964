// The substeps of a step in single precision (Macklin 2019, section 7; energy/spring_single_kernels.c): rows are
// displacements since the start of the step, positions stay in double. For islands that are springs without damping and
// constant forces alone, at this step: where something else acts, a contact too, the step is taken in double.
#include "solve/solve.h"

static bool isSwept(const Energy *energy)
{
    return energy->kind == &springKind && energy->plan != NULL;
}

static bool takesSingle(const System *system)
{
    for (int t = 0; t < system->termCount; ++t)
    {
        const Energy *energy = system->term[t].energy;
        bool swept = isSwept(energy) && energy->viscosity + energy->dashpot == 0;
        if (!swept && !(energy->traits & TRAIT_EXTERNAL) && !energyIsIdle(energy))
            return false;
    }
    return true;
}

// the first step alone allocates
static bool reserveSingle(System *system)
{
    bool ok = true;
    if (system->sweep.single == NULL)
        system->sweep.single = ALLOCATE(system->memory, float, 12 * (size_t)system->state.count);
    ok = system->sweep.single != NULL;
    for (int t = 0; t < system->termCount; ++t)
        ok = ok && (!isSwept(system->term[t].energy) || sweepSingleReserve(system->term[t].energy->plan));
    return ok;
}

typedef struct Single
{
    System *system;
    const SweepSingle *context;
    float *row, *before, *pull;
    SweepPlan *plan;
    int phase, offset; // of the plan; its member's first vertex
    int first;         // number of the first task of this run
} Single;

// `before` lies where the first move ahead makes the displacement of the first substep of it
static void fill(Single *single, double h, double share)
{
    const System *system = single->system;
    const State *s = &system->state;
    for (int v = 0; v < s->count; ++v)
    {
        ptrdiff_t i = 4 * (ptrdiff_t)v, k = 3 * (ptrdiff_t)v;
        double displacement[3];
        vecStore(displacement, s->pinned[v] ? vecScale(share, vecSub(vecLoad(s->pinTarget + k), vecLoad(s->start + k)))
                                            : vecScale(h, vecLoad(s->startVelocity + k)));
        for (int a = 0; a < 4; ++a)
        {
            single->row[i + a] = a == 3 ? (float)system->sweep.row[i + 3] : 0;
            single->before[i + a] = a == 3 ? single->row[i + 3] : -(float)displacement[a];
            single->pull[i + a] = a == 3 ? 0 : (float)system->sweep.still[i + a];
        }
    }
    for (int t = 0; t < system->termCount; ++t)
    {
        const Term *term = &system->term[t];
        if (isSwept(term->energy))
            sweepSingleLoad(term->energy->plan, system->sweep.row + 4 * (ptrdiff_t)term->first);
    }
}

static void run(Single *single, int count, TaskFunction function)
{
    for (single->first = 0; single->first < count; single->first += WORKERS_MOST_TASKS)
        workersRun(single->system->workers, minInt(count - single->first, WORKERS_MOST_TASKS), function, single);
}

#define ROW_GRAIN 2048 // vertices of one task

static void aheadTask(void *context, int task)
{
    const Single *single = context;
    ptrdiff_t begin = 4 * (ptrdiff_t)(single->first + task) * ROW_GRAIN,
              all = 4 * (ptrdiff_t)single->system->state.count;
    ptrdiff_t end = begin + 4 * ROW_GRAIN < all ? begin + 4 * ROW_GRAIN : all;
    sweepSingleAhead(single->system->isa, single->row + begin, single->before + begin, single->pull + begin,
                     end - begin);
}

static void patchTask(void *context, int task)
{
    const Single *single = context;
    const SweepPlan *plan = single->plan;
    int k = single->first + task + (single->phase > 0 ? plan->patchCount[0] : 0);
    SweepSingle own = *single->context;
    own.row += 4 * (ptrdiff_t)single->offset;
    sweepSingleBatches(single->plan, &own, plan->patch[k], plan->patch[k + 1]);
}

static void sweepOnce(Single *single)
{
    const System *system = single->system;
    int count = system->termCount * SWEEP_PHASES;
    for (int i = 0; i < count; ++i)
    {
        int step = single->context->backward ? count - 1 - i : i;
        const Term *term = &system->term[step / SWEEP_PHASES];
        if (!isSwept(term->energy))
            continue;
        single->plan = term->energy->plan;
        single->offset = term->first;
        single->phase = step % SWEEP_PHASES;
        run(single, single->plan->patchCount[single->phase], patchTask);
    }
}

bool systemSweepSingle(System *system, const SweepContext *whole, int substeps, int sweeps, bool symmetric)
{
    if (!takesSingle(system) || !reserveSingle(system))
        return false;
    ptrdiff_t all = 4 * (ptrdiff_t)system->state.count;
    float *row = system->sweep.single;
    SweepSingle context = { .row = row };
    Single single = { .system = system, .context = &context, .row = row, .before = row + all, .pull = row + 2 * all };
    fill(&single, whole->h, whole->share);
    for (int n = 0; n < substeps; ++n)
    {
        run(&single, (system->state.count + ROW_GRAIN - 1) / ROW_GRAIN, aheadTask);
        for (int k = 0; k < sweeps; ++k)
        {
            context.again = k > 0;
            context.keep = sweeps > 1 || n + 1 == substeps;
            context.backward = symmetric && k % 2 == 1;
            sweepOnce(&single);
        }
    }
    for (ptrdiff_t i = 0; i < all; ++i)
    {
        if (i % 4 == 3)
            continue;
        system->sweep.row[i] += (double)row[i];
        system->sweep.before[i] = system->sweep.row[i] - (double)(row[i] - single.before[i]);
    }
    return true;
}
