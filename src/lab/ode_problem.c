// The problems: Hauth's examples (2004, section 2.1, with the signs that belong there), a string, two nonlinear ones,
// and any linear system.
#include "lab/ode.h"

#include <math.h>
#include <string.h>

#define STRING_PARTS 8

void odeRate(const OdeProblem *p, double t, const double *y, double *f)
{
    if (!p->linear)
    {
        p->rate(t, y, f);
        return;
    }
    for (int i = 0; i < p->size; ++i)
    {
        f[i] = p->constant[i];
        for (int j = 0; j < p->size; ++j)
            f[i] += p->matrix[i * p->size + j] * y[j];
    }
}

// exp(t A) y0, by the series over pieces of norm at most 1: no cancellation worth a digit
static void exponential(const OdeProblem *p, double t, double *y)
{
    int n = p->size;
    double norm = 0, term[ODE_SIZE], f[ODE_SIZE];
    for (int i = 0; i < n; ++i)
    {
        double row = 0;
        for (int j = 0; j < n; ++j)
            row += fabs(p->matrix[i * n + j]);
        norm = maxReal(norm, row);
    }
    long long pieces = (long long)ceil(norm * t) + 1;
    memcpy(y, p->start, (size_t)n * sizeof(double));
    for (long long k = 0; k < pieces; ++k)
    {
        memcpy(term, y, (size_t)n * sizeof(double));
        for (int m = 1; m <= 20; ++m)
        {
            odeRate(p, 0, term, f);
            for (int i = 0; i < n; ++i)
            {
                term[i] = f[i] * (t / (double)pieces) / m;
                y[i] += term[i];
            }
        }
    }
}

void odeExact(const OdeProblem *p, double t, double *y)
{
    if (p->exact != NULL)
        p->exact(t, y);
    else
        exponential(p, t, y);
}

// ---- Hauth ----------------------------------------------------------------------------------------------------------

static void exactGrowth(double t, double *y)
{
    y[0] = exp(2 * t);
}

static void exactDecay(double t, double *y)
{
    y[0] = exp(-15 * t);
}

// y'' = -2.5 y - 5 y': roots (-5 +- sqrt 15) / 2
static void exactOverdamped(double t, double *y)
{
    double r = sqrt(15), a = (-5 + r) / 2, b = (-5 - r) / 2;
    y[0] = (exp(a * t) - exp(b * t)) / r;
    y[1] = (a * exp(a * t) - b * exp(b * t)) / r;
}

// z'' = -1000 (z + 1) - 10 z' - 10: roots -5 +- i sqrt 975 about z = -1.01
static void exactSpring(double t, double *y)
{
    double w = sqrt(975), d = 0.01, c = (-5 + 5 * d) / w, e = exp(-5 * t);
    y[0] = -1.01 + e * (d * cos(w * t) + c * sin(w * t));
    y[1] = e * ((-5 * d + c * w) * cos(w * t) + (-5 * c - d * w) * sin(w * t));
}

static void exactOscillation(double t, double *y)
{
    double w = sqrt(5);
    y[0] = sin(w * t) / w;
    y[1] = cos(w * t);
}

static OdeProblem scalar(const char *name, const char *about, double lambda, void (*exact)(double, double *))
{
    return (OdeProblem){ .name = name,
                         .about = about,
                         .size = 1,
                         .linear = true,
                         .time = 1,
                         .flops = 1,
                         .start = { 1 },
                         .matrix = { lambda },
                         .exact = exact };
}

static OdeProblem oscillator(const char *name, const char *about, double time, double k, double d, double x, double v)
{
    return (OdeProblem){ .name = name,
                         .about = about,
                         .size = 2,
                         .mechanical = true,
                         .damped = d != 0,
                         .linear = true,
                         .time = time,
                         .flops = d != 0 ? 3 : 1,
                         .start = { x, v },
                         .matrix = { 0, 1, -k, -d } };
}

static OdeProblem makeGrowth(void)
{
    return scalar("hauth-1a", "y' = 2 y, y = 1, T = 1; exp(2 t)", 2, exactGrowth);
}

static OdeProblem makeDecay(void)
{
    return scalar("hauth-1b", "y' = -15 y, y = 1, T = 1; exp(-15 t)", -15, exactDecay);
}

static OdeProblem makeOverdamped(void)
{
    OdeProblem p = oscillator("hauth-2", "y'' = -2.5 y - 5 y', (0, 1), T = 10; two exponentials", 10, 2.5, 5, 0, 1);
    p.exact = exactOverdamped;
    return p;
}

static OdeProblem makeSpring(void)
{
    OdeProblem p = oscillator("hauth-3", "z'' = -1000 (z + 1) - 10 z' - 10, (-1, -5), T = 2; a damped oscillation", 2,
                              1000, 10, -1, -5);
    p.constant[1] = -1010;
    p.flops = 5;
    p.exact = exactSpring;
    return p;
}

static OdeProblem makeOscillation(void)
{
    OdeProblem p = oscillator("hauth-7", "y'' = -5 y, (0, 1), T = 10; sin(sqrt 5 t) / sqrt 5", 10, 5, 0, 0, 1);
    p.exact = exactOscillation;
    return p;
}

// ---- a string -------------------------------------------------------------------------------------------------------

// u_tt = u_ss between fixed ends, central differences over 8 cells: the modes sin(m pi s) keep their shape and swing
// with 2 / ds sin(m pi ds / 2), so the semi-discrete equations have an exact solution. Modes 1 and 3, T = 2: one period
// of the continuous string.
static void exactString(double t, double *y)
{
    static const double amplitude[] = { 1, 0.25 };
    const double ds = 1.0 / STRING_PARTS;
    memset(y, 0, 2 * (STRING_PARTS - 1) * sizeof(double));
    for (int k = 0; k < 2; ++k)
    {
        int m = 2 * k + 1;
        double w = 2 / ds * sin(m * PI * ds / 2);
        for (int i = 1; i < STRING_PARTS; ++i)
        {
            double shape = amplitude[k] * sin(m * PI * i * ds);
            y[i - 1] += shape * cos(w * t);
            y[STRING_PARTS - 1 + i - 1] -= shape * w * sin(w * t);
        }
    }
}

static OdeProblem makeString(void)
{
    const int half = STRING_PARTS - 1, n = 2 * half;
    const double k = STRING_PARTS * STRING_PARTS;
    OdeProblem p = { .name = "wave",
                     .about =
                         "u_tt = u_ss in 8 cells between fixed ends, modes 1 and 3, T = 2; of the equations in parts",
                     .size = n,
                     .mechanical = true,
                     .linear = true,
                     .time = 2,
                     .flops = 4.0 * half,
                     .exact = exactString };
    for (int i = 0; i < half; ++i)
    {
        p.matrix[i * n + half + i] = 1;
        p.matrix[(half + i) * n + i] = -2 * k;
        if (i > 0)
            p.matrix[(half + i) * n + i - 1] = k;
        if (i + 1 < half)
            p.matrix[(half + i) * n + i + 1] = k;
    }
    exactString(0, p.start);
    return p;
}

// ---- nonlinear ------------------------------------------------------------------------------------------------------

// a planet about a sun at 0, from the nearest point: orders of linear problems say nothing of the conditions on
// derivatives of f
#define ECCENTRICITY 0.3

static void rateKepler(double t, const double *y, double *f)
{
    (void)t;
    double r = sqrt(y[0] * y[0] + y[1] * y[1]), cube = r * r * r;
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -y[0] / cube;
    f[3] = -y[1] / cube;
}

static void jacobianKepler(double t, const double *y, double *matrix)
{
    (void)t;
    double r2 = y[0] * y[0] + y[1] * y[1], cube = r2 * sqrt(r2), fifth = cube * r2;
    memset(matrix, 0, 16 * sizeof(double));
    matrix[2] = matrix[7] = 1;
    matrix[8] = 3 * y[0] * y[0] / fifth - 1 / cube;
    matrix[9] = matrix[12] = 3 * y[0] * y[1] / fifth;
    matrix[13] = 3 * y[1] * y[1] / fifth - 1 / cube;
}

// t = E - e sin E
static void exactKepler(double t, double *y)
{
    const double e = ECCENTRICITY, b = sqrt(1 - e * e);
    double angle = t;
    for (int i = 0; i < 50; ++i)
        angle -= (angle - e * sin(angle) - t) / (1 - e * cos(angle));
    double rate = 1 / (1 - e * cos(angle));
    y[0] = cos(angle) - e;
    y[1] = b * sin(angle);
    y[2] = -rate * sin(angle);
    y[3] = rate * b * cos(angle);
}

static OdeProblem makeKepler(void)
{
    OdeProblem p = {
        .name = "kepler",
        .about = "x'' = -x / |x|^3 in the plane, eccentricity 0.3 from the nearest point, T = 4; Kepler's equation",
        .size = 4,
        .mechanical = true,
        .time = 4,
        .flops = 10,
        .rate = rateKepler,
        .jacobian = jacobianKepler,
        .exact = exactKepler
    };
    exactKepler(0, p.start);
    return p;
}

// depends on t; its Jacobian is left to differences
static void rateRiccati(double t, const double *y, double *f)
{
    f[0] = -2 * t * y[0] * y[0];
}

static void exactRiccati(double t, double *y)
{
    y[0] = 1 / (1 + t * t);
}

static OdeProblem makeRiccati(void)
{
    return (OdeProblem){ .name = "riccati",
                         .about = "y' = -2 t y^2, y = 1, T = 1; 1 / (1 + t^2)",
                         .size = 1,
                         .time = 1,
                         .flops = 3,
                         .start = { 1 },
                         .rate = rateRiccati,
                         .exact = exactRiccati };
}

// ---- the table ------------------------------------------------------------------------------------------------------

static const struct
{
    const char *name;
    OdeProblem (*make)(void);
} problems[] = {
    { "hauth-1a", makeGrowth }, { "hauth-1b", makeDecay },      { "hauth-2", makeOverdamped },
    { "hauth-3", makeSpring },  { "hauth-7", makeOscillation }, { "wave", makeString },
    { "kepler", makeKepler },   { "riccati", makeRiccati },
};

int odeProblemCount(void)
{
    return (int)(sizeof problems / sizeof problems[0]);
}

const char *odeProblemName(int index)
{
    return problems[index].name;
}

OdeProblem odeProblemAt(int index)
{
    return problems[index].make();
}

bool odeProblemFind(const char *name, OdeProblem *problem)
{
    for (int i = 0; i < odeProblemCount(); ++i)
    {
        if (strcmp(problems[i].name, name) == 0)
        {
            *problem = problems[i].make();
            return true;
        }
    }
    return false;
}

vvResult odeProblemLinear(int size, const double *matrix, const double *start, double time, OdeProblem *problem)
{
    if (size < 1 || size > ODE_SIZE)
        return resultMake(VV_BAD_INPUT, "give a smaller system", "the system has %d unknowns, must have 1 to %d", size,
                          ODE_SIZE);
    if (!allFinite(matrix, size * size) || !allFinite(start, size))
        return resultMake(VV_BAD_INPUT, "give finite numbers", "a number of the matrix or the start is not finite");
    // the exponential takes |matrix| time pieces of size^2: a few seconds at most
    double longest = 2e7 / fmax(largestMagnitude(matrix, size * size) * size * size * size, 1e-300);
    if (!(time > 0 && time <= longest))
        return resultMake(VV_BAD_INPUT, "take a time in that range",
                          "time is %g, with this matrix must be above 0, at most %g", time, longest);
    *problem = (OdeProblem){ .name = "linear",
                             .about = "y' = matrix y; exp(t matrix) y",
                             .size = size,
                             .linear = true,
                             .time = time,
                             .flops = 2.0 * size * size };
    memcpy(problem->matrix, matrix, (size_t)(size * size) * sizeof(double));
    memcpy(problem->start, start, (size_t)size * sizeof(double));
    // x' = v in the upper half: mechanical
    int half = size / 2;
    problem->mechanical = size % 2 == 0;
    for (int i = 0; i < half; ++i)
    {
        for (int j = 0; j < size; ++j)
        {
            problem->mechanical = problem->mechanical && matrix[i * size + j] == (j == half + i ? 1.0 : 0.0);
            problem->damped = problem->damped || (j >= half && matrix[(half + i) * size + j] != 0);
        }
    }
    return resultOk();
}
