// Newton's method for the small implicit equations, with dense elimination.
#include "lab/ode.h"

#include <math.h>
#include <string.h>

double odeNorm(int size, const double *x)
{
    double sum = 0;
    for (int i = 0; i < size; ++i)
        sum += x[i] * x[i];
    return sqrt(sum);
}

void odeEvaluate(OdeRun *run, double t, const double *y, double *f)
{
    odeRate(run->problem, t, y, f);
    run->report.evaluations += 1;
    run->report.flops += run->problem->flops;
}

void odeJacobian(OdeRun *run, double t, const double *y, double *matrix)
{
    const OdeProblem *p = run->problem;
    int n = p->size;
    run->report.jacobians += 1;
    run->report.flops += n * p->flops;
    if (p->linear)
    {
        memcpy(matrix, p->matrix, (size_t)(n * n) * sizeof(double));
        return;
    }
    if (p->jacobian != NULL)
    {
        p->jacobian(t, y, matrix);
        return;
    }
    // central differences: Newton's method converges to the same point, and a single step of it keeps its order
    double at[ODE_SIZE], up[ODE_SIZE], down[ODE_SIZE];
    memcpy(at, y, (size_t)n * sizeof(double));
    for (int j = 0; j < n; ++j)
    {
        double e = 6e-6 * maxReal(1, fabs(y[j]));
        at[j] = y[j] + e;
        odeEvaluate(run, t, at, up);
        at[j] = y[j] - e;
        odeEvaluate(run, t, at, down);
        at[j] = y[j];
        for (int i = 0; i < n; ++i)
            matrix[i * n + j] = (up[i] - down[i]) / (2 * e);
    }
}

// elimination with row pivots
bool odeFactorise(OdeRun *run, int size, double *a, int *pivot)
{
    run->report.factorisations += 1;
    run->report.flops += 2.0 / 3 * size * size * size;
    for (int k = 0; k < size; ++k)
    {
        int best = k;
        for (int i = k + 1; i < size; ++i)
            best = fabs(a[i * size + k]) > fabs(a[best * size + k]) ? i : best;
        pivot[k] = best;
        if (!(fabs(a[best * size + k]) > 0))
        {
            run->factor = 0;
            return false;
        }
        for (int j = 0; j < size && best != k; ++j)
        {
            double held = a[k * size + j];
            a[k * size + j] = a[best * size + j];
            a[best * size + j] = held;
        }
        for (int i = k + 1; i < size; ++i)
        {
            double l = a[i * size + k] /= a[k * size + k];
            for (int j = k + 1; j < size; ++j)
                a[i * size + j] -= l * a[k * size + j];
        }
    }
    return true;
}

void odeSubstitute(OdeRun *run, int size, const double *a, const int *pivot, double *x)
{
    run->report.solves += 1;
    run->report.flops += 2.0 * size * size;
    for (int k = 0; k < size; ++k)
    {
        double held = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = held;
    }
    for (int i = 0; i < size; ++i)
    {
        for (int j = 0; j < i; ++j)
            x[i] -= a[i * size + j] * x[j];
    }
    for (int i = size - 1; i >= 0; --i)
    {
        for (int j = i + 1; j < size; ++j)
            x[i] -= a[i * size + j] * x[j];
        x[i] /= a[i * size + i];
    }
}

// I - factor f'(t, y) in run->lu; of a linear problem it lasts as long as the factor
static bool prepare(OdeRun *run, double t, const double *y, double factor)
{
    int n = run->problem->size;
    if (run->problem->linear && run->factor == factor)
        return true;
    odeJacobian(run, t, y, run->lu);
    for (int i = 0; i < n; ++i)
    {
        for (int j = 0; j < n; ++j)
            run->lu[i * n + j] = (i == j ? 1.0 : 0.0) - factor * run->lu[i * n + j];
    }
    run->factor = factor;
    return odeFactorise(run, n, run->lu, run->pivot);
}

bool odeSettled(double moved, double before, double size)
{
    return moved <= 1e-16 * size || (moved <= 1e-11 * size && moved >= 0.5 * before);
}

void odeImplicit(OdeRun *run, double t, const double *old, const double *base, double c, double theta, double *delta,
                 int most)
{
    int n = run->problem->size;
    double at[ODE_SIZE] = { 0 }, f[ODE_SIZE], s[ODE_SIZE], last = INFINITY;
    // of a linear problem the first step is exact
    bool single = most == 1 || run->problem->linear;
    run->stuck = false;
    for (run->iterations = 0; run->iterations < most;)
    {
        for (int i = 0; i < n; ++i)
            at[i] = old[i] + theta * delta[i];
        odeEvaluate(run, t, at, f);
        for (int i = 0; i < n; ++i)
            s[i] = base[i] + c * f[i] - delta[i];
        if (!prepare(run, t, at, c * theta))
            break;
        odeSubstitute(run, n, run->lu, run->pivot, s);
        for (int i = 0; i < n; ++i)
            delta[i] += s[i];
        run->iterations += 1;
        run->report.flops += 6.0 * n;
        double moved = odeNorm(n, s);
        if (single || odeSettled(moved, last, odeNorm(n, delta)))
            return;
        if (!isfinite(moved))
            break;
        last = moved;
    }
    run->stuck = true;
}
