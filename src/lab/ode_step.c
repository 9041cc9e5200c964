// One step of each kind of method. Steps give the change of y, not y.
#include "lab/ode.h"

#include <math.h>
#include <string.h>

#define NEWTON_MOST 50

void odeBegin(OdeRun *run, const OdeProblem *problem, const OdeMethod *method)
{
    memset(run, 0, sizeof *run);
    run->problem = problem;
    run->method = method;
    run->known = 1;
    memcpy(run->y[0], problem->start, sizeof problem->start);
}

static int memoryOf(const OdeMethod *method)
{
    return method->kind == ODE_MULTISTEP ? method->multistep->steps : method->kind == ODE_BDF2_VARIABLE ? 3 : 1;
}

// y[0] + delta becomes y[0]; what the sum loses is kept and added next time, so that rounding does not grow with the
// number of steps and orders up to 6 can be seen
static void push(OdeRun *run, double h, const double *delta)
{
    int n = run->problem->size, memory = memoryOf(run->method);
    size_t bytes = (size_t)n * sizeof(double);
    for (int i = memory - 1; i > 0; --i)
    {
        memcpy(run->y[i], run->y[i - 1], bytes);
        memcpy(run->f[i], run->f[i - 1], bytes);
        memcpy(run->change[i], run->change[i - 1], bytes);
        run->step[i] = run->step[i - 1];
    }
    for (int i = 0; i < n; ++i)
    {
        double add = delta[i] + run->lost[i], sum = run->y[0][i] + add;
        run->lost[i] = add - (sum - run->y[0][i]);
        run->y[0][i] = sum;
        run->change[0][i] = delta[i];
    }
    run->step[0] = h;
    run->known = minInt(run->known + 1, memory);
    run->t += h;
}

// Hauth 2004, Eq 19
static void stepTableau(OdeRun *run, const Tableau *table, double h, double *delta)
{
    int n = run->problem->size;
    double k[TABLEAU_STAGES][ODE_SIZE], at[ODE_SIZE];
    memset(run->estimate, 0, sizeof run->estimate);
    for (int s = 0; s < table->stages; ++s)
    {
        memcpy(at, run->y[0], (size_t)n * sizeof(double));
        for (int j = 0; j < s; ++j)
        {
            for (int i = 0; i < n && table->a[s][j] != 0; ++i)
                at[i] += h * table->a[s][j] * k[j][i];
        }
        // the last stage of rk23 and rk45 serves the estimate alone, but is part of what the pair costs
        odeEvaluate(run, run->t + table->c[s] * h, at, k[s]);
        for (int i = 0; i < n; ++i)
            delta[i] += h * table->b[s] * k[s][i];
        for (int i = 0; i < n && table->embeddedOrder > 0; ++i)
            run->estimate[i] += h * (table->b[s] - table->embedded[s]) * k[s][i];
        run->report.flops += 2.0 * n * (s + 2);
    }
}

// Hauth 2004, Eq 34, newest first. The alpha sum to 0, so that changes take the place of values and partial sums that
// of the alpha.
static void stepMultistep(OdeRun *run, double h, double *delta)
{
    const Multistep *m = run->method->multistep;
    int n = run->problem->size;
    double base[ODE_SIZE] = { 0 }, partial = 1;
    if (m->family != BACKWARD_DIFFERENCES)
        odeEvaluate(run, run->t, run->y[0], run->f[0]);
    for (int j = 1; j <= m->steps; ++j)
    {
        partial += m->alpha[j];
        for (int i = 0; i < n; ++i)
        {
            base[i] += h * m->beta[j] * run->f[j - 1][i];
            if (j < m->steps)
                base[i] -= partial * run->change[j - 1][i];
        }
        run->report.flops += 4.0 * n;
    }
    if (m->beta[0] == 0)
        memcpy(delta, base, (size_t)n * sizeof(double));
    else
        odeImplicit(run, run->t + h, run->y[0], base, h * m->beta[0], 1, delta, NEWTON_MOST);
}

// BDF2 on steps of different lengths, w = h / h_before: stable while w < 1 + sqrt 2. The error of a step is
// h (1 + w) / (1 + 2 w) h (h + h_before) y''' / 6, y''' / 6 from the third divided difference.
static void stepVariable(OdeRun *run, double h, double *delta)
{
    int n = run->problem->size;
    double w = h / run->step[0], c = h * (1 + w) / (1 + 2 * w), base[ODE_SIZE] = { 0 };
    for (int i = 0; i < n; ++i)
        base[i] = w * w / (1 + 2 * w) * run->change[0][i];
    odeImplicit(run, run->t + h, run->y[0], base, c, 1, delta, NEWTON_MOST);
    run->report.flops += 4.0 * n;
    if (run->known < 3)
        return;
    double h0 = run->step[0], h1 = run->step[1];
    for (int i = 0; i < n; ++i)
    {
        double d0 = delta[i] / h, d1 = run->change[0][i] / h0, d2 = run->change[1][i] / h1;
        double third = ((d0 - d1) / (h + h0) - (d1 - d2) / (h0 + h1)) / (h + h0 + h1);
        run->estimate[i] = c * h * (h + h0) * third;
    }
}

// ---- mechanical: y = (x, v) -----------------------------------------------------------------------------------------

// whether the factor of an earlier step serves again
static bool isKept(OdeRun *run, double factor)
{
    bool kept = run->problem->linear && run->factor == factor;
    run->factor = factor;
    return kept;
}

// u = c a(t, x, v + u)
static void dampedVelocity(OdeRun *run, double t, const double *x, const double *v, double c, double *u)
{
    int n = run->problem->size, half = n / 2;
    double at[ODE_SIZE], f[ODE_SIZE], jacobian[ODE_SIZE * ODE_SIZE], s[ODE_SIZE], last = INFINITY;
    memcpy(at, x, (size_t)half * sizeof(double));
    memset(u, 0, (size_t)half * sizeof(double));
    for (int k = 0; k < NEWTON_MOST; ++k)
    {
        for (int i = 0; i < half; ++i)
            at[half + i] = v[i] + u[i];
        odeEvaluate(run, t, at, f);
        for (int i = 0; i < half; ++i)
            s[i] = c * f[half + i] - u[i];
        if (run->problem->damped && !isKept(run, c))
        {
            odeJacobian(run, t, at, jacobian);
            for (int i = 0; i < half; ++i)
            {
                for (int j = 0; j < half; ++j)
                    run->lu[i * half + j] = (i == j ? 1.0 : 0.0) - c * jacobian[(half + i) * n + half + j];
            }
            if (!odeFactorise(run, half, run->lu, run->pivot))
                break;
        }
        if (run->problem->damped)
            odeSubstitute(run, half, run->lu, run->pivot, s);
        for (int i = 0; i < half; ++i)
            u[i] += s[i];
        double moved = odeNorm(half, s);
        if (!run->problem->damped || run->problem->linear || odeSettled(moved, last, odeNorm(half, u)))
            break;
        last = moved;
    }
}

// v' = v + h a(x, v), x' = x + h v'. Equations 44 and 45 of Hauth 2004, there called Verlet, are this.
static void stepSymplecticEuler(OdeRun *run, double h, double *delta)
{
    int half = run->problem->size / 2;
    double f[ODE_SIZE];
    odeEvaluate(run, run->t, run->y[0], f);
    for (int i = 0; i < half; ++i)
    {
        delta[half + i] = h * f[half + i];
        delta[i] = h * (run->y[0][half + i] + delta[half + i]);
    }
    run->report.flops += 4.0 * half;
}

// the acceleration at y[0], the first time
static void readyAcceleration(OdeRun *run)
{
    int half = run->problem->size / 2;
    double f[ODE_SIZE];
    if (run->ready)
        return;
    odeEvaluate(run, run->t, run->y[0], f);
    memcpy(run->extra, f + half, (size_t)half * sizeof(double));
    run->ready = true;
}

// Hauth 2004, Eq 39 to 42, with v_n = (v_{n-1/2} + v_{n+1/2}) / 2 both as the output and in the damping: half steps of
// v about a step of x. `extra` is the acceleration at y[0].
static void stepVerlet(OdeRun *run, double h, double *delta)
{
    int half = run->problem->size / 2;
    const double *x = run->y[0], *v = run->y[0] + half;
    double middle[ODE_SIZE] = { 0 }, at[ODE_SIZE] = { 0 }, u[ODE_SIZE];
    readyAcceleration(run);
    for (int i = 0; i < half; ++i)
    {
        middle[i] = v[i] + h / 2 * run->extra[i];
        delta[i] = h * middle[i];
        at[i] = x[i] + delta[i];
    }
    run->report.flops += 9.0 * half;
    dampedVelocity(run, run->t + h, at, middle, h / 2, u);
    for (int i = 0; i < half; ++i)
    {
        delta[half + i] = h / 2 * run->extra[i] + u[i];
        run->extra[i] = 2 / h * u[i];
    }
}

// the same with damping at the older velocity (Hauth 2004, below Eq 45): explicit, but of first order. `extra` is
// v_{n-1/2}.
static void stepVerletLagged(OdeRun *run, double h, double *delta)
{
    int half = run->problem->size / 2;
    double f[ODE_SIZE], at[ODE_SIZE];
    memcpy(at, run->y[0], sizeof at);
    if (run->ready)
        memcpy(at + half, run->extra, (size_t)half * sizeof(double));
    odeEvaluate(run, run->t, at, f);
    for (int i = 0; i < half; ++i)
    {
        run->extra[i] = at[half + i] + (run->ready ? h : h / 2) * f[half + i];
        delta[i] = h * run->extra[i];
        at[i] = run->y[0][i] + delta[i];
        at[half + i] = run->extra[i];
    }
    run->ready = true;
    // the output alone needs this rate; the next step finds it again, so it is not counted
    odeRate(run->problem, run->t + h, at, f);
    for (int i = 0; i < half; ++i)
        delta[half + i] = run->extra[i] + h / 2 * f[half + i] - run->y[0][half + i];
    run->report.flops += 6.0 * half;
}

// Newmark and generalised-alpha (Chung and Hulbert 1993) with the force at the mean state, as scenes have it:
// (1 - am) a' + am a = force(t + (1 - af) h, (1 - af) y' + af y). `extra` is a.
static void stepNewmark(OdeRun *run, double h, double *delta)
{
    const OdeMethod *m = run->method;
    int n = run->problem->size, half = n / 2;
    const double *v = run->y[0] + half;
    double theta = 1 - m->alphaF, mass = 1 - m->alphaM, last = INFINITY;
    double f[ODE_SIZE], at[ODE_SIZE], a[ODE_SIZE], s[ODE_SIZE], jacobian[ODE_SIZE * ODE_SIZE];
    readyAcceleration(run);
    memcpy(a, run->extra, (size_t)half * sizeof(double));
    run->stuck = true;
    for (run->iterations = 0; run->iterations < NEWTON_MOST;)
    {
        for (int i = 0; i < half; ++i)
        {
            delta[i] = h * v[i] + h * h * ((0.5 - m->beta) * run->extra[i] + m->beta * a[i]);
            delta[half + i] = h * ((1 - m->gamma) * run->extra[i] + m->gamma * a[i]);
        }
        if (!run->stuck)
            break;
        for (int i = 0; i < n; ++i)
            at[i] = run->y[0][i] + theta * delta[i];
        odeEvaluate(run, run->t + theta * h, at, f);
        for (int i = 0; i < half; ++i)
            s[i] = f[half + i] - mass * a[i] - m->alphaM * run->extra[i];
        if (!isKept(run, h))
        {
            odeJacobian(run, run->t + theta * h, at, jacobian);
            for (int i = 0; i < half; ++i)
            {
                const double *row = jacobian + (half + i) * n;
                for (int j = 0; j < half; ++j)
                    run->lu[i * half + j] =
                        (i == j ? mass : 0) - theta * h * (m->beta * h * row[j] + m->gamma * row[half + j]);
            }
            if (!odeFactorise(run, half, run->lu, run->pivot))
                return;
        }
        odeSubstitute(run, half, run->lu, run->pivot, s);
        for (int i = 0; i < half; ++i)
            a[i] += s[i];
        run->iterations += 1;
        run->report.flops += 24.0 * half;
        double moved = odeNorm(half, s);
        run->stuck = !run->problem->linear && !odeSettled(moved, last, odeNorm(half, a));
        last = moved;
    }
    memcpy(run->extra, a, (size_t)half * sizeof(double));
}

void odeStep(OdeRun *run, double h)
{
    const OdeMethod *m = run->method;
    double delta[ODE_SIZE] = { 0 }, base[ODE_SIZE] = { 0 }, f[ODE_SIZE];
    const double *y = run->y[0];
    run->stuck = false;
    switch (m->kind)
    {
    case ODE_TABLEAU:
        stepTableau(run, m->tableau, h, delta);
        break;
    case ODE_MULTISTEP:
        stepMultistep(run, h, delta);
        break;
    case ODE_THETA: // Hauth 2004, Eq 24 and 32
        odeImplicit(run, run->t + m->theta * h, y, base, h, m->theta, delta, NEWTON_MOST);
        break;
    case ODE_LINEAR: // Joubert, Eq 29 put right: (I - h J) (y' - y) = h f(y)
        odeImplicit(run, run->t + h, y, base, h, 1, delta, 1);
        break;
    case ODE_TRAPEZOID:
        odeEvaluate(run, run->t, y, f);
        for (int i = 0; i < run->problem->size; ++i)
            base[i] = h / 2 * f[i];
        odeImplicit(run, run->t + h, y, base, h / 2, 1, delta, NEWTON_MOST);
        break;
    case ODE_BDF2_VARIABLE:
        stepVariable(run, h, delta);
        break;
    case ODE_SYMPLECTIC_EULER:
        stepSymplecticEuler(run, h, delta);
        break;
    case ODE_VERLET:
        stepVerlet(run, h, delta);
        break;
    case ODE_VERLET_LAGGED:
        stepVerletLagged(run, h, delta);
        break;
    case ODE_NEWMARK:
        stepNewmark(run, h, delta);
        break;
    }
    push(run, h, delta);
}

// ---- the first values of a multistep method -------------------------------------------------------------------------

// Three implicit midpoint solutions of 1, 2 and 3 steps extrapolated in h^2 (the rule is symmetric: its error has even
// powers only): order 6, no step limit to speak of. RK4 would keep the order of BDF5 but not of BDF6. The estimate
// compares with the first two.
static void startExtrapolated(OdeRun *run, double h, double *delta)
{
    int n = run->problem->size;
    double t[3][ODE_SIZE] = { { 0 } }, old[ODE_SIZE], base[ODE_SIZE] = { 0 };
    for (int k = 0; k < 3; ++k)
    {
        double hs = h / (k + 1);
        for (int step = 0; step <= k; ++step)
        {
            double change[ODE_SIZE] = { 0 };
            for (int i = 0; i < n; ++i)
                old[i] = run->y[0][i] + t[k][i];
            odeImplicit(run, run->t + (step + 0.5) * hs, old, base, hs, 0.5, change, NEWTON_MOST);
            for (int i = 0; i < n; ++i)
                t[k][i] += change[i];
        }
    }
    for (int i = 0; i < n; ++i)
    {
        double two = t[1][i] + (t[1][i] - t[0][i]) / 3, three = t[2][i] + (t[2][i] - t[1][i]) * 4 / 5;
        delta[i] = three + (three - two) / 8;
        run->estimate[i] = delta[i] - two;
    }
    run->report.flops += 12.0 * n;
}

bool odeStartStep(OdeRun *run, double h, const OdeOptions *options)
{
    const OdeMethod *m = run->method;
    int wanted = m->kind == ODE_MULTISTEP ? m->multistep->steps : m->kind == ODE_BDF2_VARIABLE ? 2 : 1;
    if (run->known >= wanted)
        return false;
    double delta[ODE_SIZE] = { 0 }, base[ODE_SIZE] = { 0 };
    if (m->kind == ODE_MULTISTEP && m->multistep->family != BACKWARD_DIFFERENCES)
        odeRate(run->problem, run->t, run->y[0], run->f[0]);
    if (options->exactStart)
    {
        odeExact(run->problem, run->t + h, delta);
        for (int i = 0; i < run->problem->size; ++i)
            delta[i] -= run->y[0][i];
    }
    else if (options->eulerStart)
        odeImplicit(run, run->t + h, run->y[0], base, h, 1, delta, NEWTON_MOST);
    else if (m->isExplicit)
        stepTableau(run, tableauFind("rk4"), h, delta);
    else
        startExtrapolated(run, h, delta);
    push(run, h, delta);
    return true;
}
