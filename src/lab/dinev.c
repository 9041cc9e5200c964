// verve lab dinev: the small systems of Stabilizing Integrators (Dinev, Liu, Kavan 2018): the particle on a squared
// spring of figures 2 and 3, and the two springs of appendix C, figures 17 to 19.
#include "lab/lab.h"

#include "lab/two_springs.h"

#include <math.h>
#include <string.h>

// ---- a particle on a squared spring ---------------------------------------------------------------------------------

// E = k/2 (|x|^2 - 1)^2 (Eq 7), from the stretched spring; the step of a frame, and a hundredth of it. The paper gives
// 25 kJ as the energy at the start, which is that of k (|x| - 1)^2: its own potential has 78150 J.
#define ORBIT_STIFFNESS 1e5 // N/m^3
#define ORBIT_MASS 0.5      // kg
#define LARGE_STEP 0.033    // s

static void rateOrbit(double t, const double *y, double *f)
{
    (void)t;
    double pull = -2 * ORBIT_STIFFNESS / ORBIT_MASS * (y[0] * y[0] + y[1] * y[1] - 1);
    f[0] = y[2];
    f[1] = y[3];
    f[2] = pull * y[0];
    f[3] = pull * y[1];
}

static void jacobianOrbit(double t, const double *y, double *matrix)
{
    (void)t;
    double c = -2 * ORBIT_STIFFNESS / ORBIT_MASS, excess = y[0] * y[0] + y[1] * y[1] - 1;
    memset(matrix, 0, 16 * sizeof(double));
    matrix[2] = matrix[7] = 1;
    matrix[8] = c * (excess + 2 * y[0] * y[0]);
    matrix[9] = matrix[12] = 2 * c * y[0] * y[1];
    matrix[13] = c * (excess + 2 * y[1] * y[1]);
}

static double orbitEnergy(const double *y)
{
    double excess = y[0] * y[0] + y[1] * y[1] - 1;
    return 0.5 * ORBIT_STIFFNESS * excess * excess + 0.5 * ORBIT_MASS * (y[2] * y[2] + y[3] * y[3]);
}

// ---- rows -----------------------------------------------------------------------------------------------------------

#define COLUMNS "figure,case,h,step,x,y,energy,momentum,slope"

static void row(LabTable *table, const char *figure, const char *words, const double number[7])
{
    labText(table, figure);
    labText(table, words);
    for (int i = 0; i < 7; ++i)
        labNumber(table, number[i]);
}

static void orbit(LabTable *table, const char *words, const char *name, double h, int steps)
{
    const OdeProblem problem = { .name = "orbit",
                                 .size = 4,
                                 .mechanical = true,
                                 .rate = rateOrbit,
                                 .jacobian = jacobianOrbit,
                                 .start = { 1.5, 0, 0, 10 } };
    OdeMethod method;
    OdeRun run;
    odeMethodFind(name, &method);
    odeBegin(&run, &problem, &method);
    for (int i = 0; i <= steps; ++i)
    {
        const double *y = run.y[0];
        row(table, "fig2", words,
            (double[]){ h, i, y[0], y[1], orbitEnergy(y), ORBIT_MASS * (y[0] * y[3] - y[1] * y[2]), NAN });
        odeStep(&run, h);
    }
}

static void potential(LabTable *table)
{
    twoSpringsSet(100);
    for (int i = -120; i <= 120; ++i)
        row(table, "fig17", "potential",
            (double[]){ NAN, i, i / 40.0, NAN, twoSpringsEnergy(i / 40.0), NAN, twoSpringsSlope(i / 40.0) });
    double at = -sqrt(cbrt(2) - 1), beta = twoSpringsBeta(), steepest = twoSpringsSlope(at);
    row(table, "fig19", "steepest", (double[]){ NAN, NAN, at, NAN, twoSpringsEnergy(at), NAN, steepest });
    row(table, "fig19", "beta", (double[]){ NAN, NAN, beta, NAN, twoSpringsEnergy(beta), NAN, twoSpringsSlope(beta) });
}

static void hamiltonian(LabTable *table, const char *words, double x, double v, double h, int steps)
{
    OdeProblem problem = twoSpringsFrom(x, v);
    OdeMethod method;
    OdeRun run;
    twoSpringsSet(100);
    odeMethodFind("backward-euler", &method);
    odeBegin(&run, &problem, &method);
    for (int i = 0; i <= steps; ++i)
    {
        row(table, "fig18", words,
            (double[]){ h, i, run.y[0][0], run.y[0][1], twoSpringsHamiltonian(run.y[0]), NAN,
                        twoSpringsSlope(run.y[0][0]) });
        odeStep(&run, h);
    }
}

// in [0, 1), a fixed sequence
static double drawn(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// from 200 random starts of 12 steps: the share of steps that raise H (column energy), the largest rise over E(0)
// (slope), and whether H ever exceeds what the theorem of appendix C allows (momentum: how often)
static void rises(LabTable *table, double stiffness, double h)
{
    OdeMethod method;
    odeMethodFind("backward-euler", &method);
    twoSpringsSet(stiffness);
    double beta = twoSpringsBeta(), bound = twoSpringsEnergy(0) + 0.5 * (beta + 1) * (beta + 1) / (h * h), most = 0;
    uint64_t state = 1;
    int steps = 0, up = 0, beyond = 0;
    for (int start = 0; start < 200; ++start)
    {
        double x = 6 * drawn(&state) - 3, v = (2 * drawn(&state) - 1) * 6 / h * drawn(&state);
        OdeProblem problem = twoSpringsFrom(x, v);
        OdeRun run;
        odeBegin(&run, &problem, &method);
        double first = twoSpringsHamiltonian(run.y[0]), before = first;
        for (int i = 0; i < 12; ++i)
        {
            odeStep(&run, h);
            if (run.stuck)
                break; // no solution was found: the theorem is silent
            double after = twoSpringsHamiltonian(run.y[0]), slack = 1e-11 * (before + after);
            steps += 1;
            up += after > before + slack;
            beyond += after > fmax(first, bound) + slack;
            most = fmax(most, after - before);
            before = after;
        }
    }
    char words[32];
    snprintf(words, sizeof words, "k = %g", stiffness);
    row(table, "rises", words,
        (double[]){ h, steps, NAN, NAN, (double)up / steps, beyond, most / twoSpringsEnergy(0) });
}

static int run(LabTable *table, const LabWish *wish)
{
    static const double ks[] = { 1, 100, 1000 }, hs[] = { 0.01, 0.033, 0.1, 0.3 };
    static const char *const names[] = { "fig2", "fig17", "fig18", "fig19", "rises" };
    bool known = wish->figure == NULL;
    for (int i = 0; i < 5; ++i)
        known = known || labWants(wish->figure, names[i]);
    if (!known)
    {
        fprintf(stderr, "verve lab: dinev has no figure '%s'; it has fig2, fig17, fig18, fig19 and rises\n",
                shown(wish->figure));
        return EXIT_BAD_INPUT;
    }
    labColumns(table, COLUMNS);
    if (labWants(wish->figure, "fig2"))
    {
        orbit(table, "small step", "implicit-midpoint", LARGE_STEP / 100, wish->quick ? 300 : 3000);
        orbit(table, "large step", "implicit-midpoint", LARGE_STEP, wish->quick ? 100 : 1000);
    }
    if (labWants(wish->figure, "fig17") || labWants(wish->figure, "fig19"))
        potential(table);
    if (labWants(wish->figure, "fig18"))
    {
        hamiltonian(table, "swings", 3, 0, 0.01, 1000);
        hamiltonian(table, "rises", 0.5, -0.5 / LARGE_STEP, LARGE_STEP, 1);
    }
    for (int i = 0; i < 12 && labWants(wish->figure, "rises"); ++i)
        rises(table, ks[i / 4], hs[i % 4]);
    return EXIT_DONE;
}

const LabPage labDinev = {
    "dinev", "figures 2, 3, 17 to 19 and appendix C of Dinev et al. 2018", run, "x", "energy", "case", NULL
};
