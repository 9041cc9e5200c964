// The substeps of small-midpoint: drift half a substep, one global solve, drift on (small_midpoint.c has the scheme).
// How many there are and what the step as a whole does with its energy is for others to say.
#include "base/simd.h"
#include "integrate/integrate.h"

#include <string.h>

#define DAMPING_MOST 10    // iterations of the solve for strain rates
#define DAMPING_LEFT 3e-2  // of what damping changes, that they may leave;
#define DAMPING_DRAWN 1e-2 //   where pins move, whose work is the force that is left there

// ---- vertices -------------------------------------------------------------------------------------------------------

typedef struct Slice
{
    System *system;
    double h, ahead;
    int grain; // vertices of one task
    int first; // number of the first task of this run
} Slice;

#define SPAN 8 // numbers at once: a fixed count that compilers turn into vectors

SIMD_INLINE void driftSpan(int count, double h, double ahead, const double *restrict start,
                           const double *restrict velocity, double *restrict inertial, double *restrict position,
                           double *restrict middle)
{
    for (int k = 0; k < count; ++k)
    {
        double displacement = h * velocity[k];
        inertial[k] = start[k] + displacement;
        position[k] = start[k] + ahead * displacement;
        middle[k] = start[k] + 0.5 * ahead * displacement;
    }
}

SIMD_INLINE void scaleSpan(int count, double scale, const double *restrict velocity, double *restrict rate)
{
    for (int k = 0; k < count; ++k)
        rate[k] = scale * velocity[k];
}

SIMD_INLINE void rateSpan(int count, double scale, const double *restrict to, const double *restrict from,
                          double *restrict rate)
{
    for (int k = 0; k < count; ++k)
        rate[k] = scale * (to[k] - from[k]);
}

// of vertices [begin, end): of the velocity where the substep begins, or of its displacement
static void setRates(const State *s, int begin, int end, double scale, bool arrived)
{
    int i = 3 * begin, left;
    for (; i + SPAN <= 3 * end && !arrived; i += SPAN)
        scaleSpan(SPAN, scale, s->startVelocity + i, s->rate + i);
    for (; i + SPAN <= 3 * end; i += SPAN)
        rateSpan(SPAN, scale, s->position + i, s->start + i, s->rate + i);
    left = 3 * end - i;
    if (arrived)
        rateSpan(left, scale, s->position + i, s->start + i, s->rate + i);
    else
        scaleSpan(left, scale, s->startVelocity + i, s->rate + i);
}

// y = x + h v, the first guess x + ahead h v, the stage between it and x, the rate
static void driftTask(void *context, int task)
{
    const Slice *slice = context;
    State *s = &slice->system->state;
    int begin = (slice->first + task) * slice->grain, end = minInt(begin + slice->grain, s->count), i = 3 * begin;
    double h = slice->h, ahead = slice->ahead;
    for (; i + SPAN <= 3 * end; i += SPAN)
        driftSpan(SPAN, h, ahead, s->start + i, s->startVelocity + i, s->inertial + i, s->position + i, s->blend + i);
    driftSpan(3 * end - i, h, ahead, s->start + i, s->startVelocity + i, s->inertial + i, s->position + i,
              s->blend + i);
    if (slice->system->dissipates)
        setRates(s, begin, end, ahead, false);
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
        double displacement = position[k] - back[k] - start[k];
        position[k] = start[k] + displacement;
        middle[k] = start[k] + 0.5 * displacement;
        velocity[k] = twice * displacement - before[k];
    }
}

// x' = x - A^-1 gradient, v' = 2 (x' - x_n) / h - v, stage and rate of the displacement that it became
static void arriveTask(void *context, int task)
{
    const Slice *slice = context;
    State *s = &slice->system->state;
    int begin = (slice->first + task) * slice->grain, end = minInt(begin + slice->grain, s->count), i = 3 * begin;
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
    if (slice->system->dissipates)
        setRates(s, begin, end, inverse, true);
}

SIMD_INLINE void redirectSpan(int count, double h, const double *restrict start, const double *restrict before,
                              const double *restrict after, double *restrict rate, double *restrict position,
                              double *restrict middle)
{
    for (int k = 0; k < count; ++k)
    {
        rate[k] = 0.5 * (before[k] + after[k]);
        position[k] = start[k] + h * rate[k];
        middle[k] = start[k] + 0.5 * (position[k] - start[k]);
    }
}

// where a velocity that damping changed leads: the substep is x + h/2 (v + v')
static void redirectTask(void *context, int task)
{
    const Slice *slice = context;
    State *s = &slice->system->state;
    int begin = (slice->first + task) * slice->grain, end = minInt(begin + slice->grain, s->count), i = 3 * begin;
    double h = slice->h;
    for (; i + SPAN <= 3 * end; i += SPAN)
        redirectSpan(SPAN, h, s->start + i, s->startVelocity + i, s->velocity + i, s->rate + i, s->position + i,
                     s->blend + i);
    redirectSpan(3 * end - i, h, s->start + i, s->startVelocity + i, s->velocity + i, s->rate + i, s->position + i,
                 s->blend + i);
    for (int v = nextPin(s, begin, end); v < end; v = nextPin(s, v + 1, end))
    {
        for (i = 3 * v; i < 3 * v + 3; ++i)
        {
            s->rate[i] = s->velocity[i];
            s->position[i] = s->pinTarget[i];
            s->blend[i] = s->start[i] + 0.5 * (s->position[i] - s->start[i]);
        }
    }
}

static void runPieces(Slice *slice, TaskFunction function)
{
    slice->grain = workersGrain(slice->system->state.count);
    int count = (slice->system->state.count + slice->grain - 1) / slice->grain;
    for (slice->first = 0; slice->first < count; slice->first += WORKERS_MOST_TASKS)
        workersRun(slice->system->workers, minInt(count - slice->first, WORKERS_MOST_TASKS), function, slice);
}

// ---- damping --------------------------------------------------------------------------------------------------------

// J, that damping took over what became the displacement of the substep
static void bookDamped(System *system, const double *damped)
{
    const State *s = &system->state;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        member->viscousLoss = 0;
        for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
        {
            double rate = s->pinned[i / 3] ? s->velocity[i] : 0.5 * (s->startVelocity[i] + s->velocity[i]);
            member->viscousLoss += damped[i] * rate;
        }
    }
}

// B alone, which never gains
static void plainKept(System *system, const Stage *stage, double *right, double *result)
{
    globalStepSymmetric(system, stage, right, result);
}

static void dampBy(Slice *slice, const Stage *stage, EnergyFilter filter)
{
    State *s = &slice->system->state;
    Damping damping = { .filter = filter,
                        .h = slice->h,
                        .theta = 0.5,
                        .most = DAMPING_MOST,
                        .left = pinsMove(s) ? DAMPING_DRAWN : DAMPING_LEFT,
                        .before = s->startVelocity,
                        .inverse = slice->ahead == 0 ? plainKept : inverseMassKept,
                        .stage = stage };
    systemDampRates(slice->system, &damping, s->velocity);
}

static bool anyBends(const System *system)
{
    for (int t = 0; t < system->termCount; ++t)
    {
        if (energyBendsViscous(system->term[t].energy))
            return true;
    }
    return false;
}

// By the mean velocity of the substep, frozen in the middle of its displacement, where forces were taken: both momenta
// of a free body stay. Bending comes first and by itself: beside strains 1e4 times as stiff iterations would leave it
// as it is.
static void damp(Slice *slice, const Stage *stage)
{
    System *system = slice->system;
    State *s = &system->state;
    for (int i = 0; i < 3 * s->count; ++i)
    {
        double displacement = s->pinned[i / 3] ? s->position[i] - s->start[i] : slice->h * s->startVelocity[i];
        s->blend[i] = s->start[i] + 0.5 * displacement;
    }
    if (anyBends(system))
    {
        double *impulse = scratchTake(s);
        dampBy(slice, stage, energyBendsViscous);
        memcpy(impulse, s->direction, 3 * (size_t)s->count * sizeof(double));
        for (int p = 0; p < system->memberCount; ++p)
            system->member[p]->step->sum[0] = system->member[p]->viscousWork;
        dampBy(slice, stage, energyStretchesViscous);
        for (int i = 0; i < 3 * s->count; ++i)
            s->direction[i] += impulse[i];
        for (int p = 0; p < system->memberCount; ++p)
            system->member[p]->viscousWork += system->member[p]->step->sum[0];
        scratchGive(s, impulse);
        bookDamped(system, s->direction);
    }
    else
        dampBy(slice, stage, energyIsViscous);
    runPieces(slice, redirectTask);
}

// ---- contact --------------------------------------------------------------------------------------------------------

// Contact comes last: what it asks of velocities holds at the end of the substep. Damping acts on velocities that
// contact allows, so it comes in between: of others it would take what is not there, or give.
static void touch(Slice *slice, const Stage *stage)
{
    System *system = slice->system;
    State *s = &system->state;
    bool damps = system->dampedApart && (!system->dampedInside || slice->ahead == 0);
    bool exact = slice->ahead != 0; // in the metric of the step itself
    double *change = scratchTake(s);
    touchSolve(system, stage, exact, change);
    if (damps)
        damp(slice, stage);
    if (damps && system->contacts.count > 0)
    {
        double *damped = scratchTake(s);
        memcpy(damped, s->direction, (size_t)s->count * 3 * sizeof(double));
        touchAgain(system, stage, exact, change);
        touchEnd(system, stage);
        bookDamped(system, damped);
        scratchGive(s, damped);
    }
    else
        touchEnd(system, stage);
    scratchGive(s, change);
    if (system->contacts.count > 0)
        runPieces(slice, redirectTask);
}

// ---- the substeps ---------------------------------------------------------------------------------------------------

void smallMidpointSubsteps(System *system, const Stage *stage, int count, double ahead, SolveReport *report)
{
    State *s = &system->state;
    Slice slice = { .system = system, .h = stage->h, .ahead = ahead };
    s->stage = s->blend;
    touchClearClipped(system);
    substepBegin(system, count);
    movablesStart(system);
    systemSetTime(system, stage);
    bool inside = system->dampedInside && ahead != 0, apart = system->dampedApart && !inside;
    bool fused = inside && dampingFuses(system, ahead);
    double *begun = inside ? scratchTake(s) : NULL; // v_n, which damping may change at once
    if (inside)
        memcpy(begun, s->startVelocity, 3 * (size_t)s->count * sizeof(double));
    double *viscous = inside && !fused ? scratchTake(s) : NULL;
    for (int i = 0; i < count; ++i)
    {
        double since = clockSeconds();
        bool plain = ahead == 0; // what never gains is B alone
        bool acts = inside && dampingActs(system, i, count);
        substepNext(system, i, count);
        movablesBegin(system, system->step->from, system->step->to, 0.5);
        if (!fused)
            beginRates(system, stage);
        runPieces(&slice, driftTask);
        if (!plain)
            inverseMassTurn(system, stage, i, s->blend);
        if (inside && i == 0 && dampingBegin(system, stage))
        {
            if (!fused)
                beginRates(system, stage);
            runPieces(&slice, driftTask);
            inverseMassTurn(system, stage, i, s->blend);
        }
        double *turn = inside ? centripetalFind(system, stage) : NULL;
        report->profile.solve += clockLap(&since);
        if (viscous != NULL && acts)
            dampingForces(system, viscous);
        if (fused && acts)
            dampingGradient(system, stage);
        else
            systemGradient(system, stage);
        report->profile.gradient += clockLap(&since);
        if (plain)
            globalStepSymmetric(system, stage, s->gradient, s->direction);
        else
        {
            centripetalTake(system, turn, s->gradient);
            inverseMassDamped(system, stage, s->gradient, acts ? viscous : NULL, acts, s->direction);
            centripetalGive(system, turn, s->direction);
        }
        runPieces(&slice, arriveTask);
        bool touches = system->contacts.near > 0 || system->proximity != NULL;
        if (touches)
            touch(&slice, stage);
        else if (apart)
            damp(&slice, stage);
        movablesEnd(system);
        touchApart(system, stage);
        report->profile.solve += clockLap(&since);
        if (viscous != NULL && ahead != 1 && acts)
            dampingForces(system, viscous); // at the mean velocity
        if (inside)
            dampingTake(system, stage, acts, viscous);
        bookStep(system);
        if (touches)
        {
            touchBook(system, stage);
            rollingResist(system, system->step->rolling);
        }
        dampNonRigid(system, slice.h);
        systemFlow(system, slice.h);
        report->profile.ledger += clockLap(&since);
        report->iterations += 1;
    }
    substepEnd(system, count);
    if (inside)
        memcpy(s->startVelocity, begun, 3 * (size_t)s->count * sizeof(double));
    if (inside)
        dampingEnd(system, stage);
    if (viscous != NULL)
        scratchGive(s, viscous);
    if (inside)
        scratchGive(s, begun);
    touchBookClipped(system);
}
