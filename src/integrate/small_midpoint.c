// Small midpoint, our own step: the step is taken in n substeps of hs = h / n with exactly one global solve each,
//
//   z = x + hs/2 v,   v' = v - hs A^-1 grad E(z),   x' = z + hs/2 v',   A = M + hs^2/4 L,
//
// the midpoint rule (Dinev 2018, Eq 30) whose local/global solver (Bouaziz 2014) stops after one iteration from the inertial
// guess. It is position Verlet with the mass A instead of M: symplectic and reversible for 1/2 v^T A v + E(x), linearly stable
// for any hs since L is not below the Hessian of E. So H + Q stays, Q = hs^2/8 v^T L v, and H moves by no more than the
// kinetic energy of motion that hs does not resolve. Small steps instead of iterations are Macklin 2019's; docs/notes/small-midpoint.md
// has the identities and what was measured. Converging each substep instead gains nothing and can blow up: the minimum is not
// unique where springs are pressed together.
#include "base/simd.h"
#include "integrate/integrate.h"

#define LONGEST 2.8e-3     // s, of a substep: what was tuned and measured
#define PER_CROSSING 10    // substeps that a wave needs to cross a body, at least
#define CONTACT_PHASE 0.75 // hs sqrt(k / m) of a vertex in contact, at most
#define DAMPING_MOST 10    // iterations of the solve for strain rates
#define DAMPING_LEFT 1e-2  // of what damping changes, that they may leave
#define MOST_SUBSTEPS 40   // that the rule asks for: what is stiffer is not resolved
#define MOST_IMPACT 160    // while something stiff is hit
#define SMALL_HIT                                                                                                      \
    0.01 // of the tolerance: what a step may leave of it unresolved; a body of many vertices hits for some 30 steps

// ---- how many substeps ----------------------------------------------------------------------------------------------------

static double fastestWaves(const System *system)
{
    double waves = 0;
    for (int p = 0; p < system->memberCount; ++p)
        waves = maxReal(waves, system->member[p]->step->waves);
    return waves;
}

// Twice as many, and again, until contacts are resolved: in steps of two, so that factors are made anew only seldom.
static int countSubsteps(System *system, double h, const Method *method)
{
    if (method->substeps > 0)
        return method->substeps;
    double waves = minReal(PER_CROSSING * h * fastestWaves(system), MOST_SUBSTEPS);
    int count = (int)ceil(maxReal(maxReal(waves, h / LONGEST), 1));
    double touching = h * fastestContact(system) / CONTACT_PHASE;
    double tolerance = method->settings.energyTolerance;
    int most = touching > MOST_SUBSTEPS && contactsHit(system, h, tolerance) ? MOST_IMPACT : MOST_SUBSTEPS;
    while (count < touching && count < most)
        count = minInt(2 * count, most);
    return count;
}

// ---- one substep -------------------------------------------------------------------------------------------------------

#define GRAIN 1024 // vertices of one task

typedef struct Slice
{
    System *system;
    double h, ahead;
    int first; // number of the first task of this run
} Slice;

#define SPAN 8 // numbers at once: a fixed count that compilers turn into vectors

SIMD_INLINE void driftSpan(int count, double h, double ahead, const double *restrict start,
                           const double *restrict velocity, double *restrict inertial, double *restrict position,
                           double *restrict middle)
{
    for (int k = 0; k < count; ++k)
    {
        double way = h * velocity[k];
        inertial[k] = start[k] + way;
        position[k] = start[k] + ahead * way;
        middle[k] = start[k] + 0.5 * ahead * way;
    }
}

// y = x + h v, the first guess x + ahead h v, the stage between it and x, the rate
static void driftTask(void *context, int task)
{
    const Slice *slice = context;
    State *s = &slice->system->state;
    int begin = (slice->first + task) * GRAIN, end = minInt(begin + GRAIN, s->count), i = 3 * begin;
    double h = slice->h, ahead = slice->ahead;
    for (; i + SPAN <= 3 * end; i += SPAN)
        driftSpan(SPAN, h, ahead, s->start + i, s->startVelocity + i, s->inertial + i, s->position + i, s->blend + i);
    driftSpan(3 * end - i, h, ahead, s->start + i, s->startVelocity + i, s->inertial + i, s->position + i,
              s->blend + i);
    for (i = 3 * begin; i < 3 * end && slice->system->dissipates; ++i)
        s->rate[i] = ahead * s->startVelocity[i];
    for (int v = nextPin(s, begin, end); v < end; v = nextPin(s, v + 1, end))
    {
        for (i = 3 * v; i < 3 * v + 3; ++i)
        {
            s->position[i] = s->pinTarget[i];
            s->blend[i] = s->start[i] + 0.5 * (s->position[i] - s->start[i]);
            s->rate[i] = (s->position[i] - s->start[i]) / h;
        }
    }
}

SIMD_INLINE void arriveSpan(int count, double twice, const double *restrict start, const double *restrict before,
                            const double *restrict back, double *restrict position, double *restrict velocity,
                            double *restrict middle)
{
    for (int k = 0; k < count; ++k)
    {
        double way = position[k] - back[k] - start[k];
        position[k] = start[k] + way;
        middle[k] = start[k] + 0.5 * way;
        velocity[k] = twice * way - before[k];
    }
}

// x' = x - A^-1 gradient, v' = 2 (x' - x_n) / h - v, stage and rate of the way that it became
static void arriveTask(void *context, int task)
{
    const Slice *slice = context;
    State *s = &slice->system->state;
    int begin = (slice->first + task) * GRAIN, end = minInt(begin + GRAIN, s->count), i = 3 * begin;
    double twice = 2 / slice->h, inverse = 1 / slice->h;
    for (; i + SPAN <= 3 * end; i += SPAN)
        arriveSpan(SPAN, twice, s->start + i, s->startVelocity + i, s->direction + i, s->position + i, s->velocity + i,
                   s->blend + i);
    arriveSpan(3 * end - i, twice, s->start + i, s->startVelocity + i, s->direction + i, s->position + i,
               s->velocity + i, s->blend + i);
    for (int v = nextPin(s, begin, end); v < end; v = nextPin(s, v + 1, end))
    {
        for (i = 3 * v; i < 3 * v + 3; ++i)
        {
            s->position[i] = s->pinTarget[i];
            s->velocity[i] = (s->position[i] - s->start[i]) * inverse;
            s->blend[i] = s->start[i] + 0.5 * (s->position[i] - s->start[i]);
        }
    }
    for (i = 3 * begin; i < 3 * end && slice->system->dissipates; ++i)
        s->rate[i] = (s->position[i] - s->start[i]) * inverse;
}

// where a velocity that damping changed leads: the substep is x + h/2 (v + v')
static void redirectTask(void *context, int task)
{
    const Slice *slice = context;
    State *s = &slice->system->state;
    int begin = (slice->first + task) * GRAIN, end = minInt(begin + GRAIN, s->count);
    for (int i = 3 * begin; i < 3 * end; ++i)
    {
        double rate = 0.5 * (s->startVelocity[i] + s->velocity[i]), way = slice->h * rate;
        s->rate[i] = s->pinned[i / 3] ? s->velocity[i] : rate;
        s->position[i] = s->pinned[i / 3] ? s->pinTarget[i] : s->start[i] + way;
        s->blend[i] = s->start[i] + 0.5 * (s->position[i] - s->start[i]);
    }
}

static void runPieces(Slice *slice, TaskFunction function)
{
    int count = (slice->system->state.count + GRAIN - 1) / GRAIN;
    for (slice->first = 0; slice->first < count; slice->first += WORKERS_MOST_TASKS)
        workersRun(slice->system->workers, minInt(count - slice->first, WORKERS_MOST_TASKS), function, slice);
}

// ---- damping -----------------------------------------------------------------------------------------------------------

// field += factor times a rigid motion
static void addRigid(const State *s, const Member *member, const RigidMotion *motion, double factor, double *field)
{
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        Vec3 r = vecSub(vecLoad(s->blend + 3 * (ptrdiff_t)v), motion->centre);
        Vec3 u = vecAdd(motion->velocity, vecCross(motion->spin, r));
        vecStore(field + 3 * (ptrdiff_t)v, vecAdd(vecLoad(field + 3 * (ptrdiff_t)v), vecScale(factor, u)));
    }
}

// 1, by which drag resists more than the mass alone: the same for all vertices of a body
static double dragFactor(const State *s, const Member *member, const Stage *stage)
{
    for (int e = 0; e < member->energyCount; ++e)
    {
        if (member->energy[e]->kind == &dragKind)
            return 1 + stage->sigma * stage->theta / stage->h * energyGetParam(member->energy[e], 0, 0) /
                           s->mass[member->offset];
    }
    return 1;
}

// A^-1 with the rigid motion of loose members by their mass alone: L resists turns, so that forces without a moment would turn a
// body, and damping would take that for strain. Symmetric and positive as A^-1 is; both momenta follow the forces.
static void inverseMass(System *system, const Stage *stage, double *right, double *result)
{
    State *s = &system->state;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        if (!member->step->loose)
            continue;
        int begin = member->offset, end = member->offset + member->count;
        for (int i = 3 * begin; i < 3 * end; ++i)
            right[i] /= s->mass[i / 3];
        RigidMotion motion = rigidMotion(s, s->blend, right, begin, end);
        addRigid(s, member, &motion, -1, right);
        for (int i = 3 * begin; i < 3 * end; ++i)
            right[i] *= s->mass[i / 3];
        member->step->rigid = motion;
    }
    globalStepSymmetric(system, stage, right, result);
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        if (!member->step->loose)
            continue;
        RigidMotion motion = rigidMotion(s, s->blend, result, member->offset, member->offset + member->count);
        addRigid(s, member, &motion, -1, result);
        addRigid(s, member, &member->step->rigid, 1 / dragFactor(s, member, stage), result);
    }
}

// by the mean velocity of the substep, frozen in the middle of its way, where forces were taken: both momenta of a free body stay
static void damp(Slice *slice, const Stage *stage)
{
    State *s = &slice->system->state;
    for (int i = 0; i < 3 * s->count; ++i)
    {
        double way = s->pinned[i / 3] ? s->position[i] - s->start[i] : slice->h * s->startVelocity[i];
        s->blend[i] = s->start[i] + 0.5 * way;
    }
    Damping damping = { .h = slice->h,
                        .theta = 0.5,
                        .most = DAMPING_MOST,
                        .left = DAMPING_LEFT,
                        .before = s->startVelocity,
                        .inverse = inverseMass,
                        .stage = stage };
    systemDampRates(slice->system, &damping, s->velocity);
    runPieces(slice, redirectTask);
}

void smallMidpointSubsteps(System *system, const Stage *stage, int count, double ahead, SolveReport *report)
{
    State *s = &system->state;
    Slice slice = { .system = system, .h = stage->h, .ahead = ahead };
    s->stage = s->blend;
    substepBegin(system, count);
    systemSetTime(system, stage);
    for (int i = 0; i < count; ++i)
    {
        double since = clockSeconds();
        substepNext(system, i, count);
        beginRates(system, stage);
        runPieces(&slice, driftTask);
        systemGradient(system, stage);
        report->profile.gradient += clockLap(&since);
        if (system->dampedApart)
            inverseMass(system, stage, s->gradient, s->direction);
        else
            globalStepSymmetric(system, stage, s->gradient, s->direction);
        runPieces(&slice, arriveTask);
        if (system->dampedApart)
            damp(&slice, stage);
        report->profile.solve += clockLap(&since);
        bookStep(system);
        report->profile.books += clockLap(&since);
        report->iterations += 1;
    }
    substepEnd(system, count);
}

// ---- what is not resolved ----------------------------------------------------------------------------------------------

static const Prefactor *currentPrefactor(const Member *member)
{
    for (int k = 0; k < MEMBER_FACTORS; ++k)
    {
        if (member->prefactor[k].factor == member->current)
            return &member->prefactor[k];
    }
    return NULL;
}

// J: 1/2 v^T (A - M) v of the free vertices of a member, less what drag has in A
static double unresolvedOf(const State *s, const Member *member, double drag)
{
    const Graph *graph = member->graph;
    const double *value = currentPrefactor(member)->value, *v = s->velocity + 3 * (ptrdiff_t)member->offset;
    double sum = 0;
    for (int column = 0; column < member->count; ++column)
    {
        if (s->pinned[member->offset + column])
            continue;
        Vec3 u = vecLoad(v + 3 * (ptrdiff_t)column);
        int k = graph->start[column];
        Vec3 row = vecScale(0.5 * (value[k] - s->mass[member->offset + column]), u);
        for (k += 1; k < graph->start[column + 1]; ++k)
            row = vecAdd(row, vecScale(value[k], vecLoad(v + 3 * (ptrdiff_t)graph->row[k])));
        sum += vecDot(u, row);
    }
    for (int e = 0; e < member->energyCount; ++e)
    {
        const Energy *energy = member->energy[e];
        if (!(energy->traits & TRAIT_DISSIPATIVE) || energyIsViscous(energy) || energy->kind->majorizer == NULL)
            continue;
        double weights[LANES * MAX_CORNERS];
        int corners = energy->kind->corners;
        for (int i = 0; i < energy->elementCount * corners; ++i)
        {
            int element = i / corners, lane = element % LANES;
            if (i % (LANES * corners) == 0)
                energy->kind->majorizer(energy, element / LANES, weights);
            int vertex = member->offset + laneVertices(energy, element / LANES)[i % corners * LANES + lane];
            Vec3 u = vecLoad(s->velocity + 3 * (ptrdiff_t)vertex);
            sum -= s->pinned[vertex] ? 0 : 0.5 * drag * weights[lane * corners + i % corners] * vecDot(u, u);
        }
    }
    return sum;
}

// ---- the step ----------------------------------------------------------------------------------------------------------

static bool prepareFactors(System *system, const Stage *stage, SolveReport *report)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        system->member[p]->factors = 1;
        system->member[p]->dampedApart = true;
    }
    bool ok = prefactorsPrepare(system, stage, report);
    for (int p = 0; p < system->memberCount; ++p)
    {
        system->member[p]->factors = 0;
        system->member[p]->dampedApart = false;
    }
    return ok;
}

static SolveReport step(System *system, double h, const Method *method)
{
    SolveReport report = { .converged = true, .finite = true };
    systemSetExternal(system);
    system->dampedApart = systemIsViscous(system);
    for (int p = 0; p < system->memberCount && system->dampedApart; ++p)
        system->member[p]->step->loose = memberIsFree(system, p);
    int count = countSubsteps(system, h, method);
    double hs = h / count;
    Stage stage = stageMidpoint(hs);
    if (!prepareFactors(system, &stage, &report))
    {
        system->dampedApart = false;
        return (SolveReport){ 0 };
    }
    smallMidpointSubsteps(system, &stage, count, controlAhead(system), &report);
    double since = clockSeconds();
    controlEnergy(system, &stage, count, method, &report);
    report.reach = hs * fastestWaves(system);
    report.substeps = count;
    for (int p = 0; p < system->memberCount; ++p)
        report.unresolved += unresolvedOf(&system->state, system->member[p], 0.5 * hs);
    report.profile.books += clockLap(&since);
    system->dampedApart = false;
    return report;
}

const Integrator smallMidpoint = { .name = "small-midpoint", .hasSubsteps = true, .prefactored = true, .step = step };
