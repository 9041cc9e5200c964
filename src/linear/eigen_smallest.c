// Locally optimal preconditioned conjugate gradients for one eigenvector (Knyazev 2001, Algorithm 4.1): each step takes
// the best vector of the span of the iterate x, the preconditioned residual w and the last direction p.
#include "linear/eigen.h"

#include <math.h>
#include <string.h>

#define REFRESH 20 // steps after which products with A are made anew instead of combined

typedef struct Span
{
    const EigenProblem *problem;
    const double *known;
    int knownCount, size;
    double *vector[3];  // x, w, p
    double *product[3]; // A times these
    double *residual;
} Span;

static double massDot(const Span *span, const double *a, const double *b)
{
    double sum = 0;
    for (int v = 0; v < span->problem->count; ++v, a += 3, b += 3)
        sum += span->problem->mass[v] * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    return sum;
}

static void addScaled(const Span *span, double *a, double scale, const double *b)
{
    for (int i = 0; i < span->size; ++i)
        a[i] += scale * b[i];
}

// takes the known vectors out, twice: once is not enough where little is left
static void removeKnown(const Span *span, double *a)
{
    for (int pass = 0; pass < 2; ++pass)
    {
        for (int k = 0; k < span->knownCount; ++k)
        {
            const double *known = span->known + (ptrdiff_t)k * span->size;
            addScaled(span, a, -massDot(span, known, a), known);
        }
    }
}

// vector k orthogonal to those before it and of length 1, its product along with it; false: nothing is left of it
static bool orthonormalise(const Span *span, int k, bool withProduct)
{
    double *v = span->vector[k], before = massDot(span, v, v);
    for (int pass = 0; pass < 2; ++pass)
    {
        for (int j = 0; j < k; ++j)
        {
            double overlap = massDot(span, span->vector[j], v);
            addScaled(span, v, -overlap, span->vector[j]);
            if (withProduct)
                addScaled(span, span->product[k], -overlap, span->product[j]);
        }
    }
    double square = massDot(span, v, v);
    if (!(square > 1e-20 * before) || !isfinite(1 / square))
        return false;
    double scale = 1 / sqrt(square);
    for (int i = 0; i < span->size; ++i)
    {
        v[i] *= scale;
        span->product[k][i] *= withProduct ? scale : 1;
    }
    return true;
}

// x smoothed by the preconditioner: most of it is in the low end of the spectrum
static bool start(const Span *span)
{
    const EigenProblem *problem = span->problem;
    double *x = span->vector[0];
    eigenStart(problem, x);
    removeKnown(span, x);
    for (int pass = 0; pass < 2; ++pass)
    {
        for (int i = 0; i < span->size; ++i)
            span->residual[i] = problem->mass[i / 3] * x[i];
        problem->precondition(problem->user, span->residual, x);
        removeKnown(span, x);
        if (!orthonormalise(span, 0, false))
            return false;
    }
    problem->multiply(problem->user, x, span->product[0]);
    return true;
}

// residual = A x - lambda M x; its length over lambda bounds the relative distance to an eigenvalue
static double measure(const Span *span, double lambda)
{
    double square = 0;
    for (int i = 0; i < span->size; ++i)
    {
        double mass = span->problem->mass[i / 3];
        span->residual[i] = span->product[0][i] - lambda * mass * span->vector[0][i];
        square += span->residual[i] * span->residual[i] / mass;
    }
    return sqrt(square);
}

// the best vector of the span becomes x, what was added to it p; returns its eigenvalue
static double descend(const Span *span, int width)
{
    double small[9], values[3], vectors[9];
    for (int i = 0; i < width; ++i)
    {
        for (int j = 0; j <= i; ++j)
        {
            double sum = 0;
            for (int k = 0; k < span->size; ++k)
                sum += span->vector[i][k] * span->product[j][k];
            small[i * width + j] = small[j * width + i] = sum;
        }
    }
    eigenDense(width, small, values, vectors);
    for (int side = 0; side < 2; ++side)
    {
        double *const *v = side == 0 ? span->vector : span->product;
        for (int k = 0; k < span->size; ++k)
        {
            double moved = vectors[1] * v[1][k] + (width > 2 ? vectors[2] * v[2][k] : 0);
            v[0][k] = vectors[0] * v[0][k] + moved;
            v[2][k] = moved;
        }
    }
    return values[0];
}

double eigenSmallest(const EigenProblem *problem, const double *known, int knownCount, double floor)
{
    Span span = { .problem = problem, .known = known, .knownCount = knownCount, .size = 3 * problem->count };
    double *work = problem->work;
    for (int k = 0; k < 3; ++k)
    {
        span.vector[k] = work + (ptrdiff_t)(2 * k) * span.size;
        span.product[k] = work + (ptrdiff_t)(2 * k + 1) * span.size;
    }
    span.residual = work + (ptrdiff_t)6 * span.size;
    if (!start(&span))
        return 0;
    double lambda = 0, last = INFINITY;
    for (int k = 0; k < span.size; ++k)
        lambda += span.vector[0][k] * span.product[0][k];
    bool hasDirection = false;
    for (int k = 1; k <= problem->iterationLimit && lambda > floor; ++k)
    {
        // the eigenvalue is off by about the square of the residual
        double residual = measure(&span, lambda);
        bool still = last - lambda <= 0.1 * problem->tolerance * lambda;
        if (still && residual * residual <= 0.1 * problem->tolerance * lambda * lambda)
            break;
        last = lambda;
        problem->precondition(problem->user, span.residual, span.vector[1]);
        removeKnown(&span, span.vector[1]);
        if (!orthonormalise(&span, 1, false))
            break;
        problem->multiply(problem->user, span.vector[1], span.product[1]);
        hasDirection = hasDirection && orthonormalise(&span, 2, true);
        lambda = descend(&span, hasDirection ? 3 : 2);
        hasDirection = true;
        if (k % REFRESH == 0)
        {
            removeKnown(&span, span.vector[0]);
            orthonormalise(&span, 0, false);
            problem->multiply(problem->user, span.vector[0], span.product[0]);
            problem->multiply(problem->user, span.vector[2], span.product[2]);
        }
    }
    return lambda > floor ? lambda : 0;
}
