// What the methods of Newton's kind share: a direction from somewhere, a line search on g, and when to stop (Dinev
// 2018, section 5; Hauth 2004, section 3.3).
#include "solve/descent.h"

#define HALVINGS 40
#define ARMIJO 1e-4
#define DOUBLINGS 6    // of a step along a direction that may be too short
#define LEVEL 0.5      // of the slope at the start of a step: one at its end that is small
#define RATE_MARGIN 2  // the step before may have been of Newton's: then the rate is twice what two steps show
#define ROUNDING 1e-13 // decreases below this share of the terms of g are not visible in their sum
#define FAR 0.2        // of the distance between neighbours: a change beyond which elements may turn inside out

static double dot(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += a[i] * b[i];
    return sum;
}

// Twice the step, and again, as long as g falls. The semidefinite Hessian is not below the exact one: along what is
// pressed together and gives way to the side it asks for a small part of the way.
static double lengthen(System *system, const Stage *stage, double step, double value, SolveReport *report)
{
    double ignored;
    for (int k = 0; k < DOUBLINGS; ++k)
    {
        double further = systemLineValue(system, stage, 2 * step, &ignored);
        report->lineSearchSteps += 1;
        if (!(further < value))
            return step;
        value = further;
        step *= 2;
    }
    return step;
}

// The longest step of 1, 1/2, 1/4 ... that decreases g enough, or a longer one where the direction is not from the
// exact Hessian; 0 if there is none. `slope`: of g at the start of the line
static double lineSearch(const Descent *descent, double slope, SolveReport *report)
{
    System *system = descent->system;
    const Stage *stage = descent->stage;
    double magnitude, ignored;
    systemLineStart(system, stage);
    double start = systemLineValue(system, stage, 0, &magnitude);
    if (-slope <= ROUNDING * magnitude)
        return 1; // at the rounding floor of g: its values cannot tell, the direction's own step is the best there is
    double step = 1;
    for (int k = 0; k < HALVINGS; ++k)
    {
        double value = systemLineValue(system, stage, step, &ignored);
        if (value <= start + ARMIJO * step * slope)
            return descent->lengthens && !descent->curved ? lengthen(system, stage, step, value, report) : step;
        report->lineSearchSteps += 1;
        step *= 0.5;
    }
    return 0;
}

static void moveAlong(System *system, double step)
{
    for (int i = 0; i < 3 * system->state.count; ++i)
        system->state.position[i] += step * system->state.direction[i];
}

// gradient . direction
static double slopeOf(const System *system)
{
    return dot(system->state.gradient, system->state.direction, 3 * system->state.count);
}

static void evaluate(Descent *descent, SolveReport *report)
{
    double since = clockSeconds();
    systemSetStage(descent->system, descent->stage);
    systemGradient(descent->system, descent->stage);
    report->profile.gradient += clockLap(&since);
}

// A step of Newton's that is as long as the tolerance leaves its square. What must be left otherwise: well below the
// tolerance too, so that who asks for many digits gets them to rounding.
static double strictly(const Descent *descent)
{
    double tolerance = descent->settings->tolerance;
    return maxReal(tolerance * sqrt(tolerance), 1e-15);
}

static bool tookNewtons(const Descent *descent)
{
    return !descent->linear && (descent->curved || !descent->ahead);
}

// residual where the gradient was evaluated, in the report; true when it is small enough to stop
static bool judge(Descent *descent, SolveReport *report)
{
    System *system = descent->system;
    settingsWatch(descent->settings, system, descent->stage, report->iterations);
    report->residual = systemResidual(system);
    report->finite = isfinite(report->residual);
    report->converged = report->residual <= descent->limit * systemSize(system);
    if (descent->settings->reduction > 0)
    {
        double norm = sqrt(dot(system->state.gradient, system->state.gradient, 3 * system->state.count));
        descent->start = report->iterations == 0 ? norm : descent->start;
        report->converged |= norm <= descent->settings->reduction * descent->start;
    }
    return report->converged || !report->finite;
}

// ---- the start ------------------------------------------------------------------------------------------------------

// Does the distance vector of two neighbours change by more than FAR of its length on the way between two states?
static bool strays(const System *system, const double *from, const double *to)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        const Graph *graph = member->graph;
        const double *a = from + 3 * (ptrdiff_t)member->offset, *b = to + 3 * (ptrdiff_t)member->offset;
        for (int v = 0; v < graph->count; ++v)
        {
            Vec3 x = vecLoad(a + 3 * (ptrdiff_t)v), moved = vecSub(vecLoad(b + 3 * (ptrdiff_t)v), x);
            for (int k = graph->start[v]; k < graph->start[v + 1]; ++k)
            {
                ptrdiff_t w = 3 * (ptrdiff_t)graph->row[k];
                Vec3 y = vecLoad(a + w), change = vecSub(vecSub(vecLoad(b + w), y), moved), way = vecSub(y, x);
                if (!(vecDot(change, change) <= FAR * FAR * vecDot(way, way)))
                    return true;
            }
        }
    }
    return false;
}

// Is g lower at the end of the direction than where it begins?
static bool endIsLower(Descent *descent)
{
    double ignored;
    systemSetStage(descent->system, descent->stage);
    systemLineStart(descent->system, descent->stage);
    double begin = systemLineValue(descent->system, descent->stage, 0, &ignored);
    return !(systemLineValue(descent->system, descent->stage, 1, &ignored) >= begin);
}

// The displacement from the given start to x_n, which goes along as a whole where no vertex of the body is held.
static void aimBack(System *system)
{
    State *s = &system->state;
    Filter filter = stateFilter(s);
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        Vec3 sum = vec3(0, 0, 0);
        double mass = 0;
        bool held = false;
        for (int v = member->offset; v < member->offset + member->count; ++v)
        {
            Vec3 back = vecSub(vecLoad(s->start + 3 * (ptrdiff_t)v), vecLoad(s->position + 3 * (ptrdiff_t)v));
            vecStore(s->direction + 3 * (ptrdiff_t)v, back);
            sum = vecAdd(sum, vecScale(s->mass[v], back));
            mass += s->mass[v];
            held |= s->hold[v] != HOLD_FREE;
        }
        Vec3 mean = vecScale(held ? 0 : 1 / mass, sum);
        for (int v = member->offset; v < member->offset + member->count; ++v)
            vecStore(s->direction + 3 * (ptrdiff_t)v, vecSub(vecLoad(s->direction + 3 * (ptrdiff_t)v), mean));
    }
    filterApply(&filter, s->direction);
}

// The given start leaves out what resists. Forces on few vertices, or long steps, take it through the body and out at
// the other side, where g may have other stationary points: a cube pulled by a four-hundredth of its Young's modulus in
// steps of 1 s shrank to a point. So where neighbours are far from where they were, the start is x_n if g is lower
// there. Then g cannot end above g(x_n) whatever the step, as backward Euler needs to lose energy.
static void startNear(Descent *descent, SolveReport *report)
{
    System *system = descent->system;
    double since = clockSeconds();
    if (strays(system, system->state.start, system->state.position))
    {
        aimBack(system);
        if (endIsLower(descent))
            moveAlong(system, 1);
    }
    report->profile.line += clockLap(&since);
}

// The displacement from the given start to where the body is if it goes on accelerating as in the step before, x_{n-1}
// + 2 h v_n: exact to third order in h for the midpoint rule, where the given start leaves out what resists.
static void aimAhead(System *system)
{
    State *s = &system->state;
    Filter filter = stateFilter(s);
    for (int i = 0; i < 3 * s->count; ++i)
        s->direction[i] = s->previous[i] + 2 * (s->inertial[i] - s->start[i]) - s->position[i];
    filterApply(&filter, s->direction);
}

// Evaluates at the better of both starts. The change of g between them by the trapezoidal rule, exact for quadratics,
// unless neighbours are far apart.
static void chooseStart(Descent *descent, SolveReport *report)
{
    System *system = descent->system;
    State *s = &system->state;
    size_t bytes = 3 * (size_t)s->count * sizeof(double);
    evaluate(descent, report);
    aimAhead(system);
    double slope = slopeOf(system);
    if (systemResidual(system) <= descent->limit * systemSize(system) || !(slope < 0))
        return; // a body at rest stays where it is
    double *given = scratchTake(s);
    memcpy(given, s->position, bytes);
    moveAlong(system, 1);
    bool far = strays(system, given, s->position), lower = true;
    if (far)
    {
        memcpy(s->position, given, bytes);
        lower = endIsLower(descent);
        moveAlong(system, 1);
    }
    evaluate(descent, report);
    lower = far ? lower : slope + slopeOf(system) <= 0;
    if (lower)
    {
        descent->limit = strictly(descent);
    }
    else
    {
        memcpy(s->position, given, bytes);
        evaluate(descent, report);
    }
    scratchGive(s, given);
}

// ---- iterations -----------------------------------------------------------------------------------------------------

// A step along the direction, and the gradient at its end; returns its length, 0: there is none that goes down. Along a
// direction from the exact Hessian, g curves upwards where it begins: if the slope at the end of the whole step is
// small beside that at the start, it went down, and its values need not be asked for, as long as elements keep their
// shape.
static double advance(Descent *descent, SolveReport *report)
{
    System *system = descent->system;
    State *s = &system->state;
    size_t bytes = 3 * (size_t)s->count * sizeof(double);
    double since = clockSeconds(), slope = slopeOf(system);
    if (descent->curved && !descent->settings->whole)
    {
        double *before = scratchTake(s);
        memcpy(before, s->position, bytes);
        moveAlong(system, 1);
        bool near = !strays(system, before, s->position);
        report->profile.line += clockLap(&since);
        if (near)
            evaluate(descent, report);
        bool down = near && slope < 0 && fabs(slopeOf(system)) <= LEVEL * -slope;
        if (!down)
        {
            memcpy(s->position, before, bytes);
            systemSetStage(system, descent->stage);
        }
        scratchGive(s, before);
        if (down)
            return 1;
        clockLap(&since);
    }
    double step = descent->settings->whole ? 1 : lineSearch(descent, slope, report);
    moveAlong(system, step);
    report->profile.line += clockLap(&since);
    evaluate(descent, report);
    return step;
}

// Whether the minimum is near enough after a step of this size, over that of the body, that came after one of that
// size. Where it is not of Newton's it leaves a part of it, the rate.
static bool isNear(const Descent *descent, double size, double before)
{
    double tolerance = descent->settings->tolerance, rate = RATE_MARGIN * size / before;
    if (tookNewtons(descent) || rate >= 1) // or it is rounding, which does not shrink any more
        return size <= tolerance;
    return size * rate / (1 - rate) <= strictly(descent);
}

SolveReport descend(Descent *descent, int iterations)
{
    SolveReport report = { 0 };
    System *system = descent->system;
    const SolverSettings *settings = descent->settings;
    int limit = settings->iterations > 0 ? settings->iterations : iterations;
    double before = 0;
    descent->limit = settings->tolerance;

    // stop on the size of the step as well as of the gradient: in stiff bodies the gradient has a rounding floor that
    // no iteration gets below
    bool begins = !settings->whole && !settings->again;
    if (begins)
        startNear(descent, &report);
    if (descent->ahead && descent->stage->mean && begins)
        chooseStart(descent, &report);
    else
        evaluate(descent, &report);
    while (!judge(descent, &report) && report.iterations < limit)
    {
        if (!descent->find(descent, &report))
        {
            report.correction = before; // 0: nothing is known of what is left
            return report;
        }
        double step = advance(descent, &report);
        report.iterations += 1;
        descent->limit = descent->ahead ? strictly(descent) : settings->tolerance;
        double size = systemStepSize(system, step);
        if (step == 0 || isNear(descent, size, before))
        {
            judge(descent, &report);
            report.converged = step > 0 && report.finite;
            if (step == 0)
                report.correction = systemStepSize(system, 1); // that it found nowhere lower
            return report;
        }
        before = descent->lastSize = size;
    }
    if (!report.converged)
        report.correction = before;
    return report;
}
