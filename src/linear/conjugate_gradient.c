#include "linear/linear.h"

#include <math.h>
#include <string.h>

// Four partial sums in a fixed pattern: the same bits everywhere, and no chain of waiting additions.
static double dot(const double *a, const double *b, int size)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int k = 0;
    for (; k < size - 3; k += 4)
    {
        s0 += a[k] * b[k];
        s1 += a[k + 1] * b[k + 1];
        s2 += a[k + 2] * b[k + 2];
        s3 += a[k + 3] * b[k + 3];
    }
    for (; k < size; ++k)
        s0 += a[k] * b[k];
    return (s0 + s1) + (s2 + s3);
}

static void filterFree(const CgProblem *problem, double *x)
{
    if (problem->filter != NULL)
        filterApply(problem->filter, x);
}

// r = S (b - A x) with x the held components alone
static void startResidual(const CgProblem *problem, const double *right, double *x, double *r)
{
    size_t bytes = sizeof(double) * (size_t)problem->size;
    if (problem->filter == NULL)
    {
        memcpy(r, right, bytes);
        memset(x, 0, bytes);
        return;
    }
    double *free = problem->work + problem->size; // z is not in use yet
    memcpy(free, x, bytes);
    filterApply(problem->filter, free);
    bool held = false;
    for (int k = 0; k < problem->size; ++k)
    {
        x[k] -= free[k];
        held |= x[k] != 0;
    }
    memcpy(r, right, bytes);
    if (held)
    {
        problem->multiply(problem->user, x, free);
        for (int k = 0; k < problem->size; ++k)
            r[k] -= free[k];
    }
    filterApply(problem->filter, r);
}

// Hestenes and Stiefel 1952, section 3, with the residual measured in the norm of the preconditioner; filtered as in
// Hauth 2004, Algorithm 4, with its misprints mended: the residual starts filtered, so is z, the first direction is z,
// <r, z> is made anew in every iteration, and the loop runs while the residual is large.
CgReport cgSolve(const CgProblem *problem, const double *right, double *x)
{
    int size = problem->size;
    size_t bytes = sizeof(double) * (size_t)size;
    double *r = problem->work, *z = r + size, *p = z + size, *q = p + size;
    startResidual(problem, right, x, r);
    problem->precondition(problem->user, r, z);
    filterFree(problem, z);
    memcpy(p, z, bytes);
    double start = dot(r, z, size), measure = start;
    // nothing to do (0), or nothing that can be done (NaN)
    if (!(start > 0))
        return (CgReport){ .reduction = sqrt(start) };

    CgReport report = { .reduction = 1 };
    while (report.iterations < problem->iterationLimit && !(report.reduction <= problem->tolerance))
    {
        problem->multiply(problem->user, p, q);
        filterFree(problem, q);
        double curvature = dot(p, q, size);
        // written so that NaN stops here too
        if (!(curvature > 0))
        {
            report.negativeCurvature = true;
            for (int k = 0; k < size && report.iterations == 0; ++k)
                x[k] += p[k];
            break;
        }
        double step = measure / curvature;
        for (int k = 0; k < size; ++k)
        {
            x[k] += step * p[k];
            r[k] -= step * q[k];
        }
        problem->precondition(problem->user, r, z);
        filterFree(problem, z);
        double before = measure;
        measure = dot(r, z, size);
        report.iterations += 1;
        report.reduction = sqrt(measure / start);
        for (int k = 0; k < size; ++k)
            p[k] = z[k] + measure / before * p[k];
    }
    return report;
}

void cgConstraintForces(const CgProblem *problem, const double *right, const double *x, double *force)
{
    double *free = problem->work;
    memset(force, 0, sizeof(double) * (size_t)problem->size);
    if (problem->filter == NULL)
        return;
    problem->multiply(problem->user, x, force);
    for (int k = 0; k < problem->size; ++k)
        force[k] -= right[k];
    memcpy(free, force, sizeof(double) * (size_t)problem->size);
    filterApply(problem->filter, free);
    for (int k = 0; k < problem->size; ++k)
        force[k] -= free[k];
}
