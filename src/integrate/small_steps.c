// Small steps (Macklin 2019, Algorithm 1): the step is divided into many substeps of one sweep each. n substeps beat n
// sweeps of one step by a factor n in the residual, for the error of a step falls with its square. Contacts come from
// the world's search, once per step along the predicted path; which of them touch is found anew in every substep.
//
// What a sweep leaves of a stiff material shows as softness 1 + O(C^2) with C = rate x substep, and as damping; where C
// is below about 0.3 the material is what the caller asked for. Never alternate the direction of the sweep between
// substeps: that multiplies errors by 1.5 per substep on cloth. Within one substep a backward sweep is fine.
#include "integrate/integrate.h"

#define LEAST_SUBSTEPS 20
#define MOST_SUBSTEPS 100 // by the rule; more on request
#define COURANT 0.3
#define MOST_FOR_FORCES 1000 // by the rule, where forces of what is not swept ask for it
#define FORCE_COURANT 1.0    // of them; symplectic Euler is stable below 2

static int substepsFor(System *system, double step, const Method *method)
{
    if (method->substeps > 0)
        return method->substeps;
    double wanted = maxReal(system->sweep.rate * step / COURANT, step / sweepLeastDamping(system));
    double forces = minReal(systemSweepForceRate(system) * step / FORCE_COURANT, MOST_FOR_FORCES - 1);
    int count = wanted < LEAST_SUBSTEPS ? LEAST_SUBSTEPS : wanted > MOST_SUBSTEPS ? MOST_SUBSTEPS : (int)wanted + 1;
    return maxInt(count, (int)forces + 1);
}

// contact has no spring here
static bool resistsPins(const Energy *energy)
{
    return energyIsStored(energy) && energy->kind->column != COLUMN_CONTACT;
}

static double pinWork(const System *system, const Member *member)
{
    const State *s = &system->state;
    double sum = 0;
    for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
        sum += s->pinned[i / 3] ? s->gradient[i] * (s->pinTarget[i] - s->start[i]) : 0;
    return sum;
}

// what moving pins and constant forces did over the whole step; targets, drag and friction are booked by substeps
static void bookWhole(System *system, bool pinsMove)
{
    State *s = &system->state;
    double *displacement = scratchTake(s);
    for (int i = 0; i < 3 * s->count; ++i)
        displacement[i] = s->pinned[i / 3] ? 0 : s->position[i] - s->start[i];
    for (int t = 0; t < system->termCount; ++t)
    {
        const Term *term = &system->term[t];
        ptrdiff_t base = 3 * (ptrdiff_t)term->first;
        if (term->energy->traits & TRAIT_EXTERNAL)
            term->member->added += energyWork(term->energy, s->position + base, displacement + base);
    }
    scratchGive(s, displacement);
    // pins by the trapezoid of both ends
    for (int end = 0; end < 2 && pinsMove; ++end)
    {
        systemSetFraction(system, end);
        systemForces(system, resistsPins, end ? s->position : s->start);
        for (int p = 0; p < system->memberCount; ++p)
            system->member[p]->added += 0.5 * pinWork(system, system->member[p]);
    }
}

// what is booked between two calls is taken back where it is more than was lost
static void countLoss(System *system, double sign)
{
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->step->stored += sign * system->member[p]->dissipated;
}

static bool keepsForces(const System *system)
{
    bool any = false;
    for (int p = 0; p < system->memberCount; ++p)
        any |= system->member[p]->keepsForces;
    return any;
}

StepReport sweepStep(System *system, double h, const Method *method, int count, int sweeps, double weakened)
{
    StepReport report = { .solve = { .converged = true, .finite = true } };
    double since = clockSeconds();
    sweeps = method->settings.smallSteps.symmetric ? maxInt(sweeps, 2) : sweeps;
    double from = system->step->from, span = system->step->to - from; // of the world's step
    SweepContext context = { .h = h / count,
                             .share = span / count,
                             .part = 1.0 / count,
                             .once = sweeps == 1 && !(weakened > 0),
                             .forgets = weakened > 0,
                             .origin = system->sweep.origin,
                             .row = system->sweep.row,
                             .before = system->sweep.before };
    bool viscous = systemIsViscous(system), all = weakened > 0;
    bool apart = viscous && (method->settings.smallSteps.viscousPass || sweepDampsApart(system, context.h));
    systemSweepLoad(system, context.h,
                    (SweepManner){ .h = weakened > 0 ? weakened : context.h,
                                   .once = sweeps == 1 && !(weakened > 0),
                                   .damped = !apart,
                                   .jacobi = method->settings.smallSteps.jacobi });
    movablesStart(system);
    SweepTouch touch = { .between = sweepTouches(system), .recovery = method->settings.smallSteps.recoverySpeed };
    bool touches = touch.between || touchesColliders(system);
    if (touch.between)
        touchBegin(system);
    bool counted = (viscous || touches) && !all; // what was lost, not what it seemed
    double energy = counted ? sweepLedgerBegin(system) : 0;
    context.jacobi = method->settings.smallSteps.jacobi;
    context.slow = system->sweep.slow;
    bool taken = method->settings.smallSteps.precision == VV_PRECISION_SINGLE && !context.jacobi &&
                 !keepsForces(system) && system->movableCount == 0 && !touches &&
                 systemSweepSingle(system, &context, count, sweeps, method->settings.smallSteps.symmetric);
    SweepDamping damping = { .h = context.h,
                             .exact = method->settings.smallSteps.viscousPass,
                             .all = all,
                             .apart = apart,
                             .change = scratchTake(&system->state),
                             .earlier = scratchTake(&system->state) };
    for (int n = 0; n < count && !taken; ++n)
    {
        double end = n + 1 == count ? 1 : (n + 1) * context.part;
        systemSetFraction(system, end);
        movablesBegin(system, from + n * context.share, from + span * end, 1);
        touch.from = from + n * context.share;
        touch.to = from + span * end;
        if (touches)
            sweepTouchStart(system, &context, n == 0);
        if (apart && n > 0)
            sweepDampAhead(system, &damping);
        systemSweepAhead(system, &context, n == 0);
        damping.ahead = n > 0 || (apart && !all && sweepDampBegin(system, &damping));
        context.clear = (n + 1) * context.h * method->settings.smallSteps.recoverySpeed;
        for (int k = 0; k < sweeps; ++k)
        {
            context.again = k > 0 && !context.forgets;
            context.keep = sweeps > 1 || n + 1 == count;
            context.backward = method->settings.smallSteps.symmetric && k % 2 == 1;
            systemSweepOnce(system, &context);
            if (touch.between)
                sweepTouch(system, &context, &touch, k == 0);
        }
        systemSweepLosses(system, &context);
        countLoss(system, -1);
        systemSweepVelocities(system, &context);
        countLoss(system, 1);
        movablesEnd(system);
        if (touches)
            sweepTouchEnd(system, &context, &touch);
        damping.first = n == 0;
        if (apart)
            sweepDamp(system, &damping);
        if (viscous && !all)
            sweepLedgerSubstep(system, &damping);
    }
    scratchGive(&system->state, damping.earlier);
    scratchGive(&system->state, damping.change);
    systemSweepEnd(system, context.h, h);
    report.solve.profile.gradient = clockLap(&since);
    report.solve.iterations = count * sweeps;
    report.substeps = report.ruled = count;
    bookWhole(system, pinsMove(&system->state));
    systemSetFraction(system, 1);
    if (counted)
        sweepLedgerEnd(system, context.h, energy);
    report.solve.profile.ledger = clockLap(&since);
    return report;
}

static StepReport step(System *system, double h, const Method *method)
{
    systemSetFraction(system, 0);
    systemSweepBegin(system);
    return sweepStep(system, h, method, substepsFor(system, h, method), maxInt(method->solving.iterations, 1), 0);
}

const Integrator smallSteps = { .name = "small-steps",
                                .hasSubsteps = true,
                                .sweeps = true,
                                .listsPairs = true,
                                .answers = true,
                                .reserve = sweepTouchReserve,
                                .step = step };
