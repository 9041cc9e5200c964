// The stabilized integrator (Dinev 2018, Algorithm 1), made robust. A midpoint step; where it missed the energy that
// the accounts say by more than the tolerance, a blend of it with backward Euler (too much energy) or forward Euler
// (too little). Departures from the paper, with the numbers that decided them in docs/notes/stabilized.md:
//  - the tolerance is a share of the energy of motion of the accepted state, not of the total, which depends on where
//    height is counted from; inside it the midpoint's own bits are kept;
//  - the search ends well inside the tolerance, so that the next steps need no blend;
//  - backward Euler is iterated until its energy is below the target, and has an end behind it that cannot fail;
//  - what was lost goes back to the motion of bodies that are held; free ones take forward Euler, and where that has
//    not enough energy the midpoint is kept;
//  - momentum is what the outer forces make it (momentum.c), and blends are searched with the energy that they have
//    then (turning.c);
//  - alpha, target and search belong to an island.
#include "integrate/integrate.h"

#include <string.h>

#define INSIDE 0.1       // of the tolerance: where the search for alpha ends
#define TURNS 4          // of a start, at most, until it has its angular momentum;
#define TURNED 1e-6      // rad, what the next one need not put right
#define BACKWARD_MOST 5  // iterations towards backward Euler
#define ROUND 2          // iterations after which what a turning frame does to a body is found anew,
#define ROUND_NEAR 0.1   //   until it changes by no more than this share of what a step may be off,
#define ROUND_LEAST 1e-8 //  and not below this share of its size,
#define RUNAWAY 1e-3     //   of its size: a change that must not grow,
#define FEW 10           //   or so many iterations were taken where the settings say nothing: of local/global,
#define MANY 100         //   of the others

// ---- starts ---------------------------------------------------------------------------------------------------------

typedef SolveReport (*StartStep)(System *system, double h, const Method *method, Blend *blend);

// a stage of the step, rates as the frame of a body has them
static Stage inFrame(const System *system, Stage stage)
{
    stage.from = system->step->origin;
    stage.ahead = 0.5 * stage.h;
    return stage;
}

// v = a (x - x_n) + b v_n, seen from outside the frame that a body turns with
static void endVelocity(System *system, double a, double b, double h)
{
    stageVelocity(system, a, b, h);
    if (b != 0) // the midpoint's
        modePaceVelocity(system, a);
    spinFrameCarry(system, system->state.position, 1, system->state.velocity);
}

// what the frame and the pace of modes do to a body on its way to state->position; returns the largest change over the
// body's size
static double frameInertia(System *system, double h, double share)
{
    State *s = &system->state;
    double *displacement = scratchTake(s);
    for (int i = 0; i < 3 * s->count; ++i)
        displacement[i] = s->position[i] - s->start[i];
    double *extra = scratchTake(s);
    memset(extra, 0, 3 * (size_t)s->count * sizeof(double));
    if (share < 1)
        modePaceInertia(system, h, displacement, extra);
    double change = spinFrameInertia(system, h, share, displacement, extra);
    scratchGive(s, extra);
    scratchGive(s, displacement);
    return change;
}

// Local/global is accelerated, in free flight by what all rounds of the step have seen. Ten plain iterations are not
// converged on stiff bodies that tumble, which then flip a quarter too early or too late, and leave stiff cloth so soft
// that a hand that shakes it drives it to four times its energy. Contacts that come and go curve g anew in every
// iteration: there it is the settings that say so.
static SolverSettings midpointSettings(System *system, const Method *method)
{
    SolverSettings settings = method->solving;
    bool wanted = method->solver->prefactored && method->settings.stabilized.momentum != VV_MOMENTUM_FREE;
    settings.accelerate |= wanted && !resolveTouches(system, system->state.start, 0);
    systemSetMidpoint(system);
    return settings;
}

// What the frame does depends on the way there: found anew after every few iterations.
static SolveReport solveInFrame(System *system, const Stage *stage, const Method *method)
{
    SolverSettings settings = midpointSettings(system, method);
    int most = settings.iterations > 0 ? settings.iterations : method->solver->prefactored ? FEW : MANY;
    SolveReport report = { .finite = true };
    double change = INFINITY, near = maxReal(ROUND_LEAST, ROUND_NEAR * settings.tolerance);
    bool last = false;
    while (report.finite && report.iterations < most && !last)
    {
        last = change <= near && !method->solver->prefactored;
        settings.iterations = last ? method->solving.iterations : minInt(ROUND, most - report.iterations);
        SolveReport more = method->solver->minimise(system, stage, &settings);
        settings.again = true;
        reportAdd(&report, &more);
        report.linearIterations += more.linearIterations;
        report.residual = more.residual;
        report.correction = more.correction;
        report.converged = more.converged;
        report.finite = more.finite;
        report.starved = more.starved;
        double since = clockSeconds(), before = change;
        change = frameInertia(system, stage->h, stage->theta);
        if (change > before && change > RUNAWAY && modePaceStop(system)) // far from rest, where modes say little
        {
            stageInertia(system, stage->h);
            change = frameInertia(system, stage->h, stage->theta);
        }
        report.profile.gradient += clockLap(&since);
        last |= change <= near && report.converged;
    }
    return report;
}

static SolveReport startMidpoint(System *system, double h, const Method *method, Blend *blend)
{
    Stage stage = inFrame(system, stageMidpoint(h));
    blend->a = 2 / h;
    blend->b = -1;
    stageInertia(system, h);
    systemSetMidpoint(system);
    double since = clockSeconds();
    stageGuess(system, &stage);
    if (blend->frame.open || blend->paced)
        frameInertia(system, h, stage.theta);
    double guess = clockLap(&since);
    SolverSettings settings = midpointSettings(system, method);
    SolveReport report = blend->frame.open || blend->paced ? solveInFrame(system, &stage, method)
                                                           : method->solver->minimise(system, &stage, &settings);
    report.profile.gradient += guess;
    return report;
}

// rotations as the step found them, which after a blend are those of x_n
static void rewindRotations(System *system)
{
    for (int t = 0; t < system->termCount; ++t)
    {
        if (system->term[t].energy->kind->finds)
            energyRewind(system->term[t].energy);
    }
}

// forces at x_n: for forward Euler and the explicit start
static void forcesAtStart(System *system)
{
    State *s = &system->state;
    rewindRotations(system);
    systemSetFraction(system, 0);
    for (int i = 0; i < 3 * s->count && system->dissipates; ++i)
        s->rate[i] = s->startVelocity[i];
    if (system->step->origin != NULL)
        spinFrameCarry(system, s->start, 1, s->rate);
    systemForces(system, isNotExternal, s->start);
    for (int i = 0; i < 3 * s->count; ++i)
        s->gradient[i] += s->external[i];
    slideFilter(s, s->gradient);
}

// symplectic Euler (Dinev 2018, Fig 6)
static SolveReport startExplicit(System *system, double h, const Method *method, Blend *blend)
{
    (void)method;
    State *s = &system->state;
    SolveReport report = { .converged = true, .finite = true };
    blend->a = 1 / h;
    blend->b = 0;
    double since = clockSeconds();
    stageInertia(system, h);
    systemSetExternal(system);
    forcesAtStart(system);
    report.profile.gradient = clockLap(&since);
    for (int i = 0; i < 3 * s->count; ++i)
    {
        double moved = s->start[i] + h * (s->startVelocity[i] - h / s->mass[i / 3] * s->gradient[i]);
        s->position[i] = s->pinned[i / 3] ? s->pinTarget[i] : moved;
    }
    return report;
}

// ---- the other ends -------------------------------------------------------------------------------------------------

// Backward Euler from where the step is: iteration k of local/global, other solvers converge. From x_n + h v_n instead,
// one iteration explodes; from x_n it destroys rotation. But where many iterations do not help, one from x_n does: it
// is backward Euler for the majorizer's quadratic, which touches the energy at x_n and lies above it everywhere, and
// backward Euler never raises a quadratic (Dinev 2018, Eq 45): K_1 + E(x_1) <= K_1 + Q(x_1) <= K_n + E(x_n). This end
// cannot fail, as far as energies are below their majorizers.
static double moveBackward(System *system, double h, const Method *method, int k, SolveReport *report)
{
    State *s = &system->state;
    Stage stage = inFrame(system, stageBackward(h));
    SolverSettings settings = method->solving;
    if (method->solver->prefactored)
        settings.iterations = 1;
    settings.majorized = true;
    for (int i = 0; i < 3 * s->count && k == BACKWARD_MOST; ++i)
        s->position[i] = s->pinned[i / 3] ? s->pinTarget[i] : s->start[i];
    systemSetFraction(system, 1);
    frameInertia(system, h, 1);
    SolveReport more = method->solver->minimise(system, &stage, &settings);
    reportAdd(report, &more);
    endVelocity(system, 1 / h, 0, h);
    return more.slope;
}

// What the error is along the direction of the first iteration, d = -A^-1 grad g with A = M + h^2 L: the gradient at
// its start is known, and the potentials bend by no more than L.
static void foreseeBackward(const System *system, Blend *blend, double slope)
{
    double square = blend->h * blend->h;
    blendPredict(blend, system, (slope - blend->inertia[0]) / square, -0.5 * (slope + blend->inertia[1]) / square);
}

// returns the slope of the potentials from the forces at x_n along the displacement from `from`
static double moveForward(System *system, double h, const double *from, SolveReport *report)
{
    State *s = &system->state;
    double since = clockSeconds(), along = 0;
    forcesAtStart(system);
    balanceAdopt(system); // the search starts at the other end
    report->profile.gradient += clockLap(&since);
    for (int i = 0; i < 3 * s->count; ++i)
    {
        double moved = s->start[i] + h * s->startVelocity[i];
        s->position[i] = s->pinned[i / 3] ? s->pinTarget[i] : moved;
        double faster = s->startVelocity[i] - h / s->mass[i / 3] * s->gradient[i];
        s->velocity[i] = s->pinned[i / 3] ? (s->pinTarget[i] - s->start[i]) / h : faster;
        along += s->gradient[i] * (s->position[i] - from[i]);
    }
    double *displacement = scratchTake(s);
    for (int i = 0; i < 3 * s->count; ++i)
        displacement[i] = s->position[i] - s->start[i];
    spinFrameDraw(system, h, 0, displacement, s->velocity);
    spinFrameCarry(system, s->position, 1, s->velocity);
    scratchGive(s, displacement);
    return along;
}

// kg/s^2 m^2: d^T L d of the energies between vertices, d the displacement of a blend
static double bendOf(const System *system)
{
    double sum = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        const Graph *graph = member->graph;
        const double *d = system->state.direction + 3 * (ptrdiff_t)member->offset;
        for (int column = 0; member->majorizer != NULL && column < member->count; ++column)
        {
            int k = graph->start[column]; // the diagonal comes first, then what is below it
            Vec3 u = vecLoad(d + 3 * (ptrdiff_t)column), row = vecScale(0.5 * member->majorizer[k], u);
            for (k += 1; k < graph->start[column + 1]; ++k)
                row = vecAdd(row, vecScale(member->majorizer[k], vecLoad(d + 3 * (ptrdiff_t)graph->row[k])));
            sum += 2 * vecDot(u, row);
        }
    }
    return sum;
}

// Forces at the end of the midpoint step are twice those in its middle, -2 M (x - y) / h^2, less those at x_n, if they
// change evenly; the potentials bend nearly by L.
static void foreseeForward(const System *system, Blend *blend, double along)
{
    blendPredict(blend, system, -4 * blend->inertia[0] / (blend->h * blend->h) - along, 0.5 * bendOf(system));
}

// ---- the step -------------------------------------------------------------------------------------------------------

// one end, and the blend with it that meets the target; NaN: there is none
static double tryEnd(System *system, double h, const Method *method, Blend *blend, const Watch *watch, int k,
                     double tolerance, SolveReport *report)
{
    const double *start = system->state.blend;
    bool backward = watch->error > 0;
    double slope = backward ? moveBackward(system, h, method, k, report) : moveForward(system, h, start, report);
    double since = clockSeconds();
    blendDisplacement(blend, system, start);
    if (blend->keepsMomentum && backward)
    {
        turnPositions(system, h, 1, 1 / blend->a); // Euler's chord lags behind the rotation
        endVelocity(system, 1 / h, 0, h);
    }
    if (blend->keepsMomentum)
        momentumWanted(system, h, 1);
    if (blend->keepsTouching)
        correctTouching(system, h);
    double added[2] = { watch->added, addedBy(system, h) };
    blendStart(blend, system, start, blend->velocity, (double[2]){ watch->error, NAN }, added);
    if (!backward)
        foreseeForward(system, blend, slope);
    else if (method->solver->prefactored && k == 0)
        foreseeBackward(system, blend, slope);
    double alpha = blendSearch(blend, system, INSIDE * tolerance);
    report->lineSearchSteps += blend->evaluations;
    report->profile.line += clockLap(&since);
    return alpha;
}

// Moves position and velocity to the blend that meets the target, if there is one: few iterations towards backward
// Euler, as many as bring its energy down to the target.
static void blendStep(System *system, double h, const Method *method, Blend *blend, Watch *watch, double tolerance,
                      StepReport *report)
{
    State *s = &system->state;
    size_t vectors = (size_t)s->count * 3 * sizeof(double);
    bool backward = watch->error > 0;
    int most = backward && method->solver->prefactored ? BACKWARD_MOST : 0;
    memcpy(s->blend, s->position, vectors); // free where the stage is the end of the step
    memcpy(system->step->past[SPIN_FRAME_ROOM], s->velocity, vectors);
    blend->velocity = system->step->past[SPIN_FRAME_ROOM];
    double alpha = NAN;
    if (backward)
        balanceAdopt(system); // the energy was asked for where the first iteration starts
    for (int k = 0; k <= most && isnan(alpha); ++k)
        alpha = tryEnd(system, h, method, blend, watch, k, tolerance, &report->solve);
    double last = blend->error[1];
    if (!isnan(alpha))
    {
        watch->balance = blend->balance;
        watch->error = 0;
        blendTake(blend, system, alpha);
    }
    else if (backward && last < watch->error)
    {
        alpha = 1; // the best there is
        watch->balance = blend->balance;
        watch->error = last;
    }
    else
    {
        alpha = 0;
        memcpy(s->position, s->blend, vectors);
        memcpy(s->velocity, blend->velocity, vectors);
        report->failures += 1;
    }
    report->alpha = backward ? alpha : -alpha;
}

// The momenta of loose members as they must be, for the state that was taken. Blends were searched with the energy that
// this gives; what none of them could take off is taken from vibrations.
static void settleMomentum(System *system, double h, Watch *watch, double tolerance)
{
    correctMomentum(system, h);
    double taken = watch->error > tolerance ? trimVibration(system, watch->error) : 0;
    watch->balance.kinetic -= taken;
    watch->error -= taken;
}

// The start with the momenta that it must have. A solver that did not converge leaves the rotation behind, and with it
// the attitude of a body: with the right L at a wrong attitude a body that is not round has another energy, which no
// velocity can put right. x is h/2 (v_n + v) from x_n, so it takes h/2 of the motion that v lacks.
static void startMomentum(System *system, double h, const Blend *blend)
{
    double angle = 1;
    for (int k = 0; k < TURNS && angle > TURNED; ++k)
    {
        angle = turnPositions(system, h, 0, 1 / blend->a);
        endVelocity(system, blend->a, blend->b, h);
    }
    correctMomentum(system, h);
}

// backward Euler alone, where the start ran away
static void rescue(System *system, double h, const Method *method, Watch *watch, StepReport *report)
{
    Stage stage = inFrame(system, stageBackward(h));
    stageInertia(system, h);
    systemSetFraction(system, 1);
    stageGuess(system, &stage);
    frameInertia(system, h, 1);
    SolveReport again = method->solver->minimise(system, &stage, &method->solving);
    reportAdd(&report->solve, &again);
    report->solve.residual = again.residual;
    report->solve.correction = again.correction;
    report->solve.converged = again.converged;
    report->solve.finite = again.finite;
    report->alpha = 1;
    endVelocity(system, 1 / h, 0, h);
    correctMomentum(system, h);
    *watch = energyWatch(system, h, system->state.velocity);
}

static StepReport take(System *system, double h, const Method *method, StartStep startStep, vvMomentum momentum)
{
    State *s = &system->state;
    Stage middle = stageMidpoint(h), backward = stageBackward(h);
    Blend blend = { .h = h };
    SolveReport prepared = { 0 };
    stageReady(system, &backward, &prepared);
    systemSetExternal(system);
    double since = clockSeconds(), scale = motionScale(system, h);
    blend.keepsMomentum = momentumBegin(system, momentum);
    blend.keepsTouching = momentum != VV_MOMENTUM_FREE;
    blend.paced = modePaceBegin(system, h, method);
    spinFrameOpen(&blend.frame, system, h, system->step->past);
    prepared.profile.ledger += clockLap(&since);
    middle = inFrame(system, middle);
    beginRates(system, &middle);
    StepReport report = { .solve = startStep(system, h, method, &blend) };
    reportAdd(&report.solve, &prepared);
    clockLap(&since);
    endVelocity(system, blend.a, blend.b, h);
    if (blend.keepsMomentum)
        startMomentum(system, h, &blend);
    if (blend.keepsTouching)
        correctTouching(system, h);
    Watch watch = energyWatch(system, h, s->velocity);
    report.solve.profile.ledger += clockLap(&since);
    double tolerance = maxReal(method->settings.energyTolerance * scale, energyRounding(system, h, &watch.balance));
    bool kept = fabs(watch.error) <= tolerance;
    if (!report.solve.finite || !isfinite(watch.error))
        rescue(system, h, method, &watch, &report);
    else if (watch.error > tolerance || (watch.error < -tolerance && !returnLoss(system, &watch, &report)))
        blendStep(system, h, method, &blend, &watch, tolerance, &report);
    since = clockSeconds();
    double turned = blend.keepsTouching ? correctTouching(system, h) : 0;
    watch.balance.kinetic += turned;
    watch.error += turned;
    if (watch.error > tolerance)
        takeGain(system, &watch);
    if (blend.keepsMomentum && !kept)
        settleMomentum(system, h, &watch, tolerance);
    settleVibration(system, &watch, kept);
    report.failures += report.alpha == 1 && watch.error > tolerance;
    systemSetMidpoint(system);
    systemSetStage(system, &middle);
    bookStep(system);
    watch.balance.kinetic -= stopOverdamped(system, h, system->step->past + SPIN_FRAME_ROOM);
    watch.balance.kinetic -= dampVibrations(system, h, system->step->past + SPIN_FRAME_ROOM);
    watchClose(system, &watch.balance, &report);
    spinFrameClose(&blend.frame, system);
    report.solve.profile.ledger += clockLap(&since);
    return report;
}

static StepReport step(System *system, double h, const Method *method)
{
    if (method->settings.stabilized.printed)
        return printedStep(system, h, method);
    return take(system, h, method, startMidpoint, method->settings.stabilized.momentum);
}

static StepReport stepExplicit(System *system, double h, const Method *method)
{
    return take(system, h, method, startExplicit, VV_MOMENTUM_FREE); // what is lost would come back as energy
}

const Integrator stabilized = { .name = "stabilized",
                                .keepsPace = true,
                                .divides = true,
                                .roomCount = SPIN_FRAME_ROOM + VIBRATION_ROOM + FREE_ROOM,
                                .step = step };

// comparator: the same from symplectic Euler, which blends all the time where steps are long (Dinev 2018, Fig 6)
const Integrator stabilizedExplicit = { .name = "stabilized-explicit",
                                        .roomCount = SPIN_FRAME_ROOM + VIBRATION_ROOM + FREE_ROOM,
                                        .step = stepExplicit };
