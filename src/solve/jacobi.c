// The Jacobi solver of Bouaziz 2014, Eq 14, where A = B = M_i^1/2: constraints are projected independently with mass
// weights w_i, and each vertex takes the mean of what they and its momentum say, D = M (1 + sigma sum w_i), a diagonal.
// In gradient form, x <- x - D^-1 grad g(x), with w_i = tr(M_i^-1 L_i) of the majorizer L_i, so that D is not below A
// and g falls in each step. For edges this is Eq 14 to the letter: w_i = k (1/m_a + 1/m_b) is the weight for which
// w_i/2 |M_i^1/2 (x - p)|^2 is the energy of a spring k. For other constraints Eq 14 would be another material, one
// that depends on the mesh; we keep the material, so the minimum is that of local-global.
#include "solve/solve.h"

#define DEFAULT_ITERATIONS 10
#define HALVINGS 30

// D: what the elements of one energy add to the vertices of its member
static void addElements(const Energy *energy, const double *mass, const unsigned char *pinned, double s, double *weight)
{
    double out[LANES * MAX_CORNERS * MAX_CORNERS];
    int corners = energy->kind->corners;
    bool diagonal = energyIsDiagonal(energy);
    for (int e = 0; e < energy->elementCount; ++e)
    {
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        if (e % LANES == 0)
            energy->kind->majorizer(energy, e / LANES, out);
        const double *own = out + (e % LANES) * corners * (diagonal ? 1 : corners);
        double trace = 0;
        for (int c = 0; c < corners; ++c)
        {
            int v = vertex[c * LANES];
            if (diagonal)
                weight[v] += s * own[c];
            else if (!pinned[v])
                trace += own[c * corners + c] / mass[v];
        }
        for (int c = 0; c < corners && !diagonal; ++c)
            weight[vertex[c * LANES]] += s * trace * mass[vertex[c * LANES]];
    }
}

static void makeWeights(const System *system, const Stage *stage, double *weight)
{
    const State *s = &system->state;
    double potential = stage->sigma * stage->theta * stage->theta, rate = stage->sigma * stage->theta / stage->h;
    for (int v = 0; v < s->count; ++v)
        weight[v] = s->mass[v] + (system->couplingDiagonal ? potential * system->couplingDiagonal[v] : 0);
    for (int t = 0; t < system->jointStart; ++t)
    {
        const Energy *energy = system->term[t].energy;
        int first = system->term[t].first;
        if (energy->kind->majorizer != NULL && !energyIsIdle(energy))
            addElements(energy, s->mass + first, s->pinned + first,
                        energy->traits & TRAIT_DISSIPATIVE ? rate : potential, weight + first);
    }
}

// position += (1, 1/2, 1/4 ...) direction, the longest that does not raise g: energies that are not projective
static void take(System *system, const Stage *stage, SolveReport *report)
{
    State *s = &system->state;
    double ignored, step = 1;
    systemLineStart(system, stage);
    double start = systemLineValue(system, stage, 0, &ignored);
    for (int k = 0; k < HALVINGS && systemLineValue(system, stage, step, &ignored) > start; ++k)
    {
        report->lineSearchSteps += 1;
        step *= 0.5;
    }
    for (int i = 0; i < 3 * s->count; ++i)
        s->position[i] += step * s->direction[i];
    systemSetStage(system, stage);
}

static bool isBounded(const System *system)
{
    for (int t = 0; t < system->jointStart; ++t)
    {
        const Energy *energy = system->term[t].energy;
        if (energy->kind->majorizer != NULL && !(energy->traits & (TRAIT_PROJECTIVE | TRAIT_DISSIPATIVE)))
            return false;
    }
    return true;
}

SolveReport jacobiMinimise(System *system, const Stage *stage, const SolverSettings *settings)
{
    SolveReport report = { 0 };
    State *s = &system->state;
    double *weight = scratchTake(s), limit = settings->tolerance * systemSize(system);
    int iterations = settings->iterations > 0 ? settings->iterations : DEFAULT_ITERATIONS;
    bool bounded = isBounded(system);
    double since = clockSeconds();
    makeWeights(system, stage, weight);
    report.profile.matrix = clockLap(&since);
    systemSetStage(system, stage);
    while (true)
    {
        systemGradient(system, stage);
        report.profile.gradient += clockLap(&since);
        report.residual = systemResidual(system);
        report.finite = isfinite(report.residual);
        report.converged = report.residual <= limit;
        if (!report.finite || report.converged || report.iterations == iterations)
            break;
        report.iterations += 1;
        for (int i = 0; i < 3 * s->count; ++i)
            s->direction[i] = s->pinned[i / 3] ? 0 : -s->gradient[i] / weight[i / 3];
        if (bounded)
        {
            for (int i = 0; i < 3 * s->count; ++i)
                s->direction[i] = -s->direction[i];
            systemDescend(system, stage, s->direction);
        }
        else
            take(system, stage, &report);
        report.profile.solve += clockLap(&since);
    }
    if (!report.converged && report.iterations > 0)
        report.correction = systemStepSize(system, 1);
    scratchGive(s, weight);
    return report;
}
