// Local/global in gradient form: x <- x - A^-1 grad g(x) with the prefactored A = M + s (majorizer). For projective
// energies this is the local and the global step of Bouaziz 2014 (Eq 10), iterate by iterate; but the fixed point does
// not depend on A, so the factor may be float32, and energies that are not projective need no second path.
#include "solve/solve.h"

#include <string.h>

#define DEFAULT_ITERATIONS 10
#define HALVINGS 30
#define ROUNDING 1e-13        // decreases below this share of the terms of g are not visible in their sum
#define LEAST_PIVOT 1e-10     // of the diagonal: below it steps are taken as dependent
#define GAIN 1e-3             // of the kinetic energy: what a step may gain before its values are compared
#define LEAST_CURVATURE 1e-12 // of the slope

typedef struct Iteration
{
    System *system;
    const Stage *stage;
    bool bare;          // contacts of some body enter steps as they are (touching.c)
    bool modes;         // the lowest modes of some body are exact in every iteration (modal_step.c)
    bool safe;          // every energy is below its majorizer everywhere: each step decreases g
    Acceleration *last; // the steps before, of the system
} Iteration;

// in eight sums that do not wait for each other
static double dot(const double *a, const double *b, int count)
{
    double sum[8] = { 0 };
    int i = 0;
    for (; i + 8 <= count; i += 8)
    {
        for (int k = 0; k < 8; ++k)
            sum[k] += a[i + k] * b[i + k];
    }
    for (; i < count; ++i)
        sum[0] += a[i] * b[i];
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

// what an iteration makes of a right side
static void descendBy(const Iteration *it, const double *right, double *result)
{
    if (it->modes)
        modalStep(it->system, it->stage, right, result);
    else
        globalStep(it->system, it->stage, right, result);
}

// ---- acceleration ---------------------------------------------------------------------------------------------------

static double *historyStep(const Iteration *it, int slot)
{
    return it->system->history + (ptrdiff_t)slot * 6 * it->system->state.count;
}

static double *historyChange(const Iteration *it, int slot)
{
    return historyStep(it, slot) + 3 * it->system->state.count;
}

static int slotOf(const Iteration *it, int age)
{
    return (it->last->newest - age + HISTORY) % HISTORY;
}

// Weights w of the steps with (S^T Y) w = S^T gradient, the youngest first, by Cholesky; as many pairs as g curves
// upwards on their span. Returns how many.
static int solveWeights(const Iteration *it, double *weight)
{
    double lower[HISTORY][HISTORY];
    int count = 0;
    for (; count < it->last->pairs; ++count)
    {
        int slot = slotOf(it, count);
        double pivot = it->last->curvature[slot][slot];
        for (int k = 0; k < count; ++k)
        {
            double sum = it->last->curvature[slot][slotOf(it, k)];
            for (int j = 0; j < k; ++j)
                sum -= lower[count][j] * lower[k][j];
            lower[count][k] = sum / lower[k][k];
            pivot -= lower[count][k] * lower[count][k];
        }
        if (!(pivot > LEAST_PIVOT * it->last->curvature[slot][slot]))
            break;
        lower[count][count] = sqrt(pivot);
    }
    for (int k = 0; k < count; ++k)
    {
        weight[k] = it->last->along[slotOf(it, k)];
        for (int j = 0; j < k; ++j)
            weight[k] -= lower[k][j] * weight[j];
        weight[k] /= lower[k][k];
    }
    for (int k = count - 1; k >= 0; --k)
    {
        for (int j = k + 1; j < count; ++j)
            weight[k] -= lower[j][k] * weight[j];
        weight[k] /= lower[k][k];
    }
    return count;
}

// Anderson acceleration of type I (Fang and Saad 2009): back by the combination S w of the last steps that leaves the
// gradient, as far as it is linear, nothing along them, and a global step with the gradient that is left there. Tried
// in its place: type II, the combination with the least A^-1 gradient, which stalls where g is not convex, and L-BFGS
// (see docs/notes/speed.md).
static void acceleratedDirection(const Iteration *it)
{
    State *s = &it->system->state;
    int size = 3 * s->count;
    double *left = scratchTake(s), weight[HISTORY];
    int count = solveWeights(it, weight);
    memcpy(left, s->gradient, (size_t)size * sizeof(double));
    for (int k = 0; k < count; ++k)
    {
        const double *change = historyChange(it, slotOf(it, k));
        for (int i = 0; i < size; ++i)
            left[i] -= weight[k] * change[i];
    }
    descendBy(it, left, s->direction);
    for (int k = 0; k < count; ++k)
    {
        const double *step = historyStep(it, slotOf(it, k));
        for (int i = 0; i < size; ++i)
            s->direction[i] += weight[k] * step[i];
    }
    scratchGive(s, left);
}

// Keeps the pair of the last step, `before` the gradient and `slope` the derivative of g along the direction before it.
// The products of older steps with the change of the gradient are differences of those with the gradient.
static void remember(Iteration *it, double step, const double *before, double slope)
{
    State *s = &it->system->state;
    int size = 3 * s->count, slot = (it->last->newest + 1) % HISTORY;
    it->last->pairs = minInt(it->last->pairs, HISTORY - 1); // the oldest makes room
    for (int k = 0; k < it->last->pairs; ++k)
    {
        int older = slotOf(it, k);
        double now = dot(historyStep(it, older), s->gradient, size);
        it->last->curvature[slot][older] = it->last->curvature[older][slot] = now - it->last->along[older];
        it->last->along[older] = now;
    }
    double *kept = historyStep(it, slot), *change = historyChange(it, slot);
    for (int i = 0; i < size; ++i)
    {
        kept[i] = step * s->direction[i];
        change[i] = s->gradient[i] - before[i];
    }
    it->last->along[slot] = dot(kept, s->gradient, size);
    it->last->curvature[slot][slot] = it->last->along[slot] - step * slope;
    if (!(it->last->curvature[slot][slot] > LEAST_CURVATURE * fabs(step * slope)) || !isfinite(it->last->along[slot]))
        return; // g does not curve upwards along it
    it->last->newest = slot;
    it->last->pairs += 1;
}

// Pairs of a minimisation of nearly the same g, the gradient of which differs by what does not curve it: their
// curvature stays, what the gradient is along them does not.
static void recall(Iteration *it)
{
    const State *s = &it->system->state;
    for (int k = 0; k < it->last->pairs; ++k)
        it->last->along[slotOf(it, k)] = dot(historyStep(it, slotOf(it, k)), s->gradient, 3 * s->count);
}

// ---- one iteration --------------------------------------------------------------------------------------------------

static void chooseDirection(Iteration *it, bool accelerate)
{
    State *s = &it->system->state;
    int size = 3 * s->count;
    if (accelerate)
        acceleratedDirection(it);
    if (!accelerate || !(dot(s->direction, s->gradient, size) > 0))
    {
        it->last->pairs = 0; // not a descent direction: start over
        descendBy(it, s->gradient, s->direction);
    }
    for (int i = 0; i < size; ++i)
        s->direction[i] = s->pinned[i / 3] ? 0 : -s->direction[i];
}

static void moveTo(System *system, const double *from, double step)
{
    State *s = &system->state;
    for (int i = 0; i < 3 * s->count; ++i)
        s->position[i] = from[i] + step * s->direction[i];
}

// the longest step of 1, 1/2, 1/4 ... that does not raise g; 0 if there is none. Stage and position are those before it
static double backtrack(Iteration *it, double slope, SolveReport *report)
{
    double magnitude, ignored, step = 1;
    systemLineStart(it->system, it->stage);
    double start = systemLineValue(it->system, it->stage, 0, &magnitude);
    if (-slope <= ROUNDING * magnitude)
        return 1;
    for (int k = 0; k < HALVINGS; ++k)
    {
        if (systemLineValue(it->system, it->stage, step, &ignored) <= start)
            return step;
        report->lineSearchSteps += 1;
        step *= 0.5;
    }
    return 0;
}

// gradient and residual, after the stage was set
static void evaluate(Iteration *it, SolveReport *report)
{
    double since = clockSeconds();
    systemGradient(it->system, it->stage);
    touchingUpdate(it->system, it->stage);
    report->profile.gradient += clockLap(&since);
    report->residual = systemResidual(it->system);
    report->finite = isfinite(report->residual);
}

// Takes the step along the direction and evaluates g's gradient there. Where g may rise, its slope at the far end tells
// without further cost: still downhill means lower; uphill means that the values must be compared.
static double takeStep(Iteration *it, bool accelerate, SolveReport *report)
{
    State *s = &it->system->state;
    int size = 3 * s->count;
    double *before = scratchTake(s), *gradient = scratchTake(s);
    double slope = dot(s->gradient, s->direction, size);
    memcpy(before, s->position, (size_t)size * sizeof(double));
    if (accelerate)
        memcpy(gradient, s->gradient, (size_t)size * sizeof(double));
    moveTo(it->system, before, 1);
    systemSetStage(it->system, it->stage);
    evaluate(it, report);
    double step = 1;
    if (!report->finite || dot(s->gradient, s->direction, size) > 0)
    {
        double since = clockSeconds();
        moveTo(it->system, before, 0);
        systemSetStage(it->system, it->stage);
        step = backtrack(it, slope, report);
        moveTo(it->system, before, step);
        systemSetStage(it->system, it->stage);
        report->profile.line += clockLap(&since);
        evaluate(it, report);
    }
    if (accelerate)
        remember(it, step, gradient, slope);
    scratchGive(s, gradient);
    scratchGive(s, before);
    report->slope = step * slope;
    return step;
}

// ---- the minimiser --------------------------------------------------------------------------------------------------

static bool isSafe(const System *system)
{
    for (int t = 0; t < system->jointStart; ++t)
    {
        const Energy *energy = system->term[t].energy;
        bool bare = system->term[t].member->bare && energyIsTouching(energy) && !energyIsIdle(energy);
        bool bounded =
            !bare && (energy->kind->majorizer == NULL || (energy->traits & (TRAIT_PROJECTIVE | TRAIT_DISSIPATIVE)));
        if (!bounded)
            return false;
    }
    return true;
}

// Contacts leave the factors and enter steps as they are. Joined bodies keep them on the diagonal, where the second
// level knows them, and so do bodies that touch with too many vertices. Needs the stage.
static bool setBare(Iteration *it, bool bare)
{
    System *system = it->system;
    it->bare = false;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        if (bare && !memberReserveTouching(member, system->memory))
        {
            system->trouble = TROUBLE_MEMORY;
            return false;
        }
        memberForgetTouching(member);
        member->bare = bare && memberFitsTouching(system, it->stage, member);
        it->bare |= member->bare;
    }
    return true;
}

// a matrix that lies above contacts too
static bool leaveBare(Iteration *it, bool accelerate, SolveReport *report)
{
    setBare(it, false);
    it->last->pairs = 0;
    it->safe = isSafe(it->system) && !accelerate && !it->modes;
    report->finite = prefactorsPrepare(it->system, it->stage, report);
    return report->finite;
}

// iterations until the residual is small, `limit` is reached or the time is over
static void iterate(Iteration *it, const SolverSettings *settings, int limit, double deadline, SolveReport *report)
{
    System *system = it->system;
    bool accelerate = settings->accelerate && system->history != NULL;
    double residualLimit = settings->tolerance * systemSize(system), last = 0;
    systemSetStage(system, it->stage);
    settingsWatch(settings, system, it->stage, report->iterations);
    evaluate(it, report);
    if (accelerate)
        recall(it);
    while (report->finite && report->residual > residualLimit && report->iterations < limit)
    {
        report->iterations += 1;
        double since = clockSeconds();
        if (it->safe)
        {
            globalStep(system, it->stage, system->state.gradient, system->state.direction);
            if (report->iterations == limit)
                report->slope = -dot(system->state.gradient, system->state.direction, 3 * system->state.count);
            systemDescend(system, it->stage, system->state.direction);
            report->profile.solve += clockLap(&since);
            settingsWatch(settings, system, it->stage, report->iterations);
            if (report->iterations == limit)
                last = systemStepSize(system, 1);
            if (report->iterations == limit)
                break; // nothing more is asked: the residual reported is the one before this last step
            evaluate(it, report);
        }
        else
        {
            chooseDirection(it, accelerate);
            report->profile.solve += clockLap(&since);
            double step = takeStep(it, accelerate, report);
            settingsWatch(settings, system, it->stage, report->iterations);
            if (report->iterations == limit)
                last = systemStepSize(system, step);
            bool stiffer = step < 1 && it->bare; // what came in, than the elasticity that pushes
            if (stiffer ? !leaveBare(it, accelerate, report) : step == 0)
                break;
        }
        if (clockSeconds() >= deadline)
            break;
    }
    report->converged = report->residual <= residualLimit;
    if (last == 0 && report->iterations > 0) // the time was over, or nothing went down
        last = systemStepSize(system, 1);
    report->correction = report->converged ? 0 : last;
}

// No more than this is g above that at x_n, as far as it is convex: gradient . (x - x_n), at the last iterate whose
// gradient is known. Above the share of the kinetic energy that nobody sees?
static bool mayGain(const Iteration *it, bool behind)
{
    const State *s = &it->system->state;
    double rise = 0, kinetic = 0;
    for (int v = 0; v < s->count; ++v)
    {
        for (int i = 3 * v; i < 3 * v + 3 && !s->pinned[v]; ++i)
        {
            double displacement = s->position[i] + (behind ? s->direction[i] : 0) - s->start[i],
                   free = s->inertial[i] - s->start[i];
            rise += s->gradient[i] * displacement;
            kinetic += 0.5 * s->mass[v] * (displacement * displacement + free * free);
        }
    }
    return !(rise <= GAIN * kinetic);
}

static bool hasContact(const System *system)
{
    for (int t = 0; t < system->termCount; ++t)
    {
        const Energy *energy = system->term[t].energy;
        if (energy->kind->column == COLUMN_CONTACT && energy->kind->majorizer != NULL && !energyIsIdle(energy))
            return true;
    }
    return false;
}

// Is g higher than at x_n? Then puts the unknowns there. g <= g(x_n) means for backward Euler, and at the stage of the
// midpoint, that E and 1/2 |v - v_n|^2 in the masses are together at most the energy before: nothing can run away.
static bool backToStart(Iteration *it, SolveReport *report)
{
    System *system = it->system;
    State *s = &system->state;
    double since = clockSeconds(), magnitude, ignored;
    for (int i = 0; i < 3 * s->count; ++i)
        s->direction[i] = s->pinned[i / 3] ? 0 : s->start[i] - s->position[i];
    systemLineStart(system, it->stage);
    double end = systemLineValue(system, it->stage, 0, &magnitude);
    double start = systemLineValue(system, it->stage, 1, &ignored);
    bool higher = start < end - ROUNDING * magnitude || !isfinite(end);
    for (int i = 0; i < 3 * s->count && higher; ++i)
        s->position[i] = s->pinned[i / 3] ? s->position[i] : s->start[i];
    report->profile.line += clockLap(&since);
    return higher;
}

static void judgeSoftness(const Iteration *it, int limit, bool accelerate, SolveReport *report)
{
    for (int p = 0; p < it->system->memberCount; ++p)
    {
        const Member *member = it->system->member[p];
        bool exact = it->modes && member->modal != NULL && member->modal->used;
        Softness own = exact ? (Softness){ 1, limit } : memberSoftness(member, it->stage, limit, accelerate);
        if (own.factor > report->softness.factor)
            report->softness = own;
    }
}

// Contacts as they are are not below a majorizer, and those on the diagonal hold vertices near a collider with their
// weight in every direction, along it too, where nothing does. Weights far above the body's own stiffness (1000 times
// and more) then leave few iterations little to move, and the step stays near its guess, which goes on with the old
// velocity against any force: a cube that is pressed flat gained 10^5 J. So a step that ends above its start is taken
// again from there, with contacts on the diagonal.
SolveReport localGlobalMinimise(System *system, const Stage *stage, const SolverSettings *settings)
{
    SolveReport report = { 0 };
    Iteration it = { .system = system, .stage = stage, .last = &system->acceleration };
    bool accelerate = settings->accelerate && system->history != NULL;
    systemSetStage(system, stage);
    if (!setBare(&it, !settings->majorized && !systemIsJoined(system)) || !prefactorsPrepare(system, stage, &report))
    {
        setBare(&it, false);
        return report;
    }
    it.modes = settings->modes && modalStepBegin(system, stage);
    if (!settings->again)
        it.last->pairs = 0;
    it.safe = isSafe(system) && !accelerate && !it.modes;
    int limit = settings->iterations > 0 ? settings->iterations : DEFAULT_ITERATIONS;
    double deadline = settings->budget > 0 ? clockSeconds() + settings->budget : INFINITY;
    judgeSoftness(&it, limit, accelerate, &report);
    iterate(&it, settings, limit, deadline, &report);
    bool behind = it.safe && report.iterations == limit; // the last step was taken without a look at its gradient
    bool doubtful = !it.safe || hasContact(system);
    if (report.finite && !report.converged && doubtful && mayGain(&it, behind) && backToStart(&it, &report) &&
        (!it.bare || leaveBare(&it, accelerate, &report)))
    {
        it.last->pairs = 0;
        systemSetStage(system, stage);
        it.modes = it.modes && modalStepBegin(system, stage); // turned as the body is there
        iterate(&it, settings, report.iterations + limit, deadline, &report);
    }
    setBare(&it, false);
    return report;
}
