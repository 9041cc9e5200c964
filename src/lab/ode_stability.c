// Where methods are stable: the matrix one step applies, its spectral radius, limits and regions.
#include "lab/ode.h"

#include <math.h>
#include <string.h>

#define STABLE 1e-10 // above 1 by no more than this is rounding

// ---- one step as a matrix -------------------------------------------------------------------------------------------

static int stateSize(const OdeProblem *p, const OdeMethod *m)
{
    if (m->kind == ODE_MULTISTEP)
        return p->size * m->multistep->steps;
    if (m->kind == ODE_BDF2_VARIABLE)
        return 2 * p->size;
    return m->alphaM != 0 || m->alphaF != 0 ? p->size + p->size / 2 : p->size; // generalised-alpha remembers a
}

// state to state: y newest first, then a; of the lagged Verlet method (x, v half a step ago)
static void mapState(OdeRun *run, double h, const double *from, double *to)
{
    const OdeProblem *p = run->problem;
    const OdeMethod *m = run->method;
    int n = p->size, half = n / 2, size = stateSize(p, m);
    bool alpha = size == n + half && p->mechanical && m->kind == ODE_NEWMARK;
    int old = alpha ? 1 : size / n;
    run->t = 0;
    run->known = old;
    run->ready = alpha || m->kind == ODE_VERLET_LAGGED;
    for (int i = 0; i < old; ++i)
    {
        memcpy(run->y[i], from + i * n, (size_t)n * sizeof(double));
        odeRate(p, 0, run->y[i], run->f[i]);
        run->step[i] = h;
        for (int j = 0; j < n && i + 1 < old; ++j)
            run->change[i][j] = from[i * n + j] - from[(i + 1) * n + j];
    }
    memset(run->lost, 0, sizeof run->lost);
    if (run->ready)
        memcpy(run->extra, from + (alpha ? n : half), (size_t)half * sizeof(double));
    odeStep(run, h);
    for (int i = 0; i < old; ++i)
        memcpy(to + i * n, run->y[i], (size_t)n * sizeof(double));
    if (run->ready && (alpha || m->kind == ODE_VERLET_LAGGED))
        memcpy(to + (alpha ? n : half), run->extra, (size_t)half * sizeof(double));
}

int odeCompanion(const OdeProblem *p, const OdeMethod *m, double h, double *matrix)
{
    int size = stateSize(p, m);
    if (matrix == NULL)
        return size;
    // the constant moves the fixed point and nothing else
    OdeProblem pure = *p;
    memset(pure.constant, 0, sizeof pure.constant);
    OdeRun run;
    double from[ODE_STATE] = { 0 }, to[ODE_STATE];
    odeBegin(&run, &pure, m);
    for (int j = 0; j < size; ++j)
    {
        from[j] = 1;
        mapState(&run, h, from, to);
        from[j] = 0;
        for (int i = 0; i < size; ++i)
            matrix[i * size + j] = to[i];
    }
    return size;
}

// |M^N|^(1/N), N = 2^k: squared until k = 44, scaled in between. A double eigenvalue adds log(N) / N, nothing.
static double radius(int size, double *m, double *work)
{
    double logarithm = 0, share = 1;
    for (int k = 0;; ++k)
    {
        double norm = odeNorm(size * size, m);
        if (!(norm > 0))
            return norm; // zero, or not a number
        logarithm += log(norm) * share;
        if (k == 44)
            return exp(logarithm);
        share /= 2;
        for (int i = 0; i < size * size; ++i)
            m[i] /= norm;
        for (int i = 0; i < size; ++i)
        {
            double *row = work + i * size;
            memset(row, 0, (size_t)size * sizeof(double));
            for (int l = 0; l < size; ++l)
            {
                double f = m[i * size + l];
                for (int j = 0; j < size && f != 0; ++j)
                    row[j] += f * m[l * size + j];
            }
        }
        memcpy(m, work, (size_t)(size * size) * sizeof(double));
    }
}

double odeSpectralRadius(int size, double *matrix)
{
    Memory memory = memoryMake(NULL);
    double *work = ALLOCATE(&memory, double, size *size);
    double r = work != NULL ? radius(size, matrix, work) : NAN;
    memoryRelease(&memory, work);
    return r;
}

double odeGrowth(const OdeProblem *p, const OdeMethod *m, double h)
{
    int size = odeCompanion(p, m, h, NULL);
    Memory memory = memoryMake(NULL);
    double *matrix = ALLOCATE(&memory, double, size *size);
    if (matrix == NULL)
        return NAN;
    odeCompanion(p, m, h, matrix);
    double r = odeSpectralRadius(size, matrix);
    memoryRelease(&memory, matrix);
    return r;
}

// ---- limits ---------------------------------------------------------------------------------------------------------

static bool isStable(const OdeProblem *p, const OdeMethod *m, double h)
{
    return odeGrowth(p, m, h) <= 1 + STABLE;
}

double odeStepLimit(const OdeProblem *p, const OdeMethod *m)
{
    double matrix[ODE_SIZE * ODE_SIZE];
    memcpy(matrix, p->matrix, (size_t)(p->size * p->size) * sizeof(double));
    double lambda = odeSpectralRadius(p->size, matrix);
    if (!(lambda > 0))
        return INFINITY;
    // every method here that has a limit at all has it above 0.1; a weak instability, which grows with a power of h,
    // shows at this step and would hide in rounding far below
    double low = 0.1 / lambda, high = low;
    if (!isStable(p, m, low))
        return 0;
    do
    {
        low = high;
        high *= 1.05;
        if (high * lambda > 1000)
            return INFINITY;
    } while (isStable(p, m, high));
    while (high - low > 1e-9 * high)
    {
        double middle = (low + high) / 2;
        if (isStable(p, m, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

OdeProblem odeTestEquation(double re, double im, bool mechanical)
{
    OdeProblem p = { .name = "test",
                     .about = "y' = lambda y",
                     .size = 2,
                     .linear = true,
                     .time = 1,
                     .flops = 6,
                     .start = { 1, 0 },
                     .mechanical = mechanical,
                     .damped = re != 0 };
    double full[4] = { re, -im, im, re }, oscillator[4] = { 0, 1, -(re * re + im * im), 2 * re };
    memcpy(p.matrix, mechanical ? oscillator : full, sizeof full);
    return p;
}

// ---- regions --------------------------------------------------------------------------------------------------------

// complex numbers of our own: <complex.h> is not for every compiler
typedef struct Complex
{
    double re, im;
} Complex;

static Complex times(Complex a, Complex b)
{
    return (Complex){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

static Complex over(Complex a, Complex b)
{
    double square = b.re * b.re + b.im * b.im;
    return (Complex){ (a.re * b.re + a.im * b.im) / square, (a.im * b.re - a.re * b.im) / square };
}

// the z at which e^{i angle} is a root: sum alpha_j w^-j / sum beta_j w^-j
static Complex locus(const Multistep *m, double angle)
{
    Complex a = { 0, 0 }, b = { 0, 0 };
    for (int j = 0; j <= MULTISTEP_STEPS; ++j)
    {
        double c = cos(j * angle), s = -sin(j * angle);
        a = (Complex){ a.re + m->alpha[j] * c, a.im + m->alpha[j] * s };
        b = (Complex){ b.re + m->beta[j] * c, b.im + m->beta[j] * s };
    }
    return over(a, b);
}

static double sector(const Multistep *m, double angle)
{
    Complex z = locus(m, angle);
    return z.re < -1e-12 ? atan2(fabs(z.im), -z.re) : PI / 2;
}

double odeSectorAngle(const Multistep *m)
{
    const int samples = 2000;
    int best = 1;
    for (int i = 2; i < samples; ++i)
        best = sector(m, PI * i / samples) < sector(m, PI * best / samples) ? i : best;
    // golden section about the smallest
    double a = PI * (best - 1) / samples, b = PI * (best + 1) / samples;
    const double golden = (sqrt(5) - 1) / 2;
    while (b - a > 1e-9)
    {
        double c = b - golden * (b - a), d = a + golden * (b - a);
        if (sector(m, c) < sector(m, d))
            b = d;
        else
            a = c;
    }
    return sector(m, (a + b) / 2) * 180 / PI;
}

// R(z) = 1 + z b.1 + z^2 b.A 1 + ...: its coefficients
static int stabilityPolynomial(const Tableau *t, double *coefficient)
{
    double v[TABLEAU_STAGES], next[TABLEAU_STAGES];
    int degree = 0;
    coefficient[0] = 1;
    for (int i = 0; i < t->stages; ++i)
        v[i] = 1;
    for (int k = 1; k <= t->stages; ++k)
    {
        coefficient[k] = 0;
        for (int i = 0; i < t->stages; ++i)
        {
            coefficient[k] += t->b[i] * v[i];
            next[i] = 0;
            for (int j = 0; j < i; ++j)
                next[i] += t->a[i][j] * v[j];
        }
        memcpy(v, next, sizeof v);
        degree = coefficient[k] != 0 ? k : degree;
    }
    return degree;
}

static int boundaryOfTableau(const Tableau *t, double (*points)[2], int most)
{
    double c[TABLEAU_STAGES + 1];
    int degree = stabilityPolynomial(t, c), count = 0;
    const int turn = 400;
    Complex z = { 0, 0 };
    for (int i = 1; i <= turn * degree && count < most; ++i)
    {
        double phi = 2 * PI * i / turn;
        for (int k = 0; k < 20; ++k)
        {
            Complex r = { 0, 0 }, slope = { 0, 0 };
            for (int j = degree; j >= 0; --j)
            {
                slope = times(slope, z);
                slope = (Complex){ slope.re + r.re, slope.im + r.im };
                r = times(r, z);
                r.re += c[j];
            }
            Complex step = over((Complex){ r.re - cos(phi), r.im - sin(phi) }, slope);
            z = (Complex){ z.re - step.re, z.im - step.im };
        }
        if (z.im >= 0 && i % 4 == 0)
        {
            points[count][0] = z.re;
            points[count++][1] = z.im;
        }
        if (i % turn == 0 && fabs(z.re) + fabs(z.im) < 1e-9)
            break;
    }
    return count;
}

static int boundaryOfLocus(const Multistep *m, double (*points)[2], int most)
{
    int count = 0;
    for (int i = 0; i <= 180 && count < most; ++i)
    {
        Complex z = locus(m, PI * i / 180);
        if (!(fabs(z.re) + fabs(z.im) < 1e6))
            continue;
        points[count][0] = z.re;
        points[count++][1] = fabs(z.im);
    }
    return count;
}

int odeBoundary(const OdeMethod *m, double (*points)[2], int most)
{
    if (m->kind == ODE_TABLEAU)
        return boundaryOfTableau(m->tableau, points, most);
    if (m->kind == ODE_MULTISTEP)
        return boundaryOfLocus(m->multistep, points, most);
    int count = 0;
    for (int degrees = 90; degrees <= 180 && count < most; degrees += 2)
    {
        double re = degrees == 90 ? 0 : cos(degrees * PI / 180), im = degrees == 180 ? 0 : sin(degrees * PI / 180);
        OdeProblem p = odeTestEquation(re, im, m->kind >= ODE_SYMPLECTIC_EULER);
        double limit = odeStepLimit(&p, m);
        if (!isfinite(limit))
            continue;
        points[count][0] = re * limit;
        points[count++][1] = im * limit;
    }
    return count;
}
