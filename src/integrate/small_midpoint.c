// Small midpoint, our own step: the step is taken in n parts of hs = h / n with exactly one global solve each,
//
//   z = x + hs/2 v,   v' = v - hs A^-1 grad E(z),   x' = z + hs/2 v',   A = M + hs^2/4 L,
//
// the midpoint rule (Dinev 2018, Eq 30) whose local/global solver (Bouaziz 2014) stops after one iteration from the inertial
// guess. It is position Verlet with the mass A instead of M: symplectic and reversible for 1/2 v^T A v + E(x), linearly stable
// for any hs since L is not below the Hessian of E. So H + Q stays, Q = hs^2/8 v^T L v, and H moves by no more than the
// kinetic energy of motion that hs does not resolve. Small steps instead of iterations are Macklin 2019's; docs/small-midpoint.md
// has the identities and what was measured. Converging each part instead gains nothing and can blow up: the minimum is not
// unique where springs are pressed together.
#include "integrate/integrate.h"

#define LONGEST 2.8e-3  // s, of a part: what was tuned and measured
#define PER_CROSSING 10 // parts that a wave needs to cross a body, at least
#define MOST_PARTS 40   // that the rule asks for: what is stiffer is not resolved

// ---- how many parts ----------------------------------------------------------------------------------------------------

static double fastestWaves(const System *system)
{
    double waves = 0;
    for (int p = 0; p < system->partCount; ++p)
        waves = maxReal(waves, system->part[p]->waves);
    return waves;
}

static int countParts(const System *system, double h, int asked)
{
    if (asked > 0)
        return asked;
    double count = minReal(PER_CROSSING * h * fastestWaves(system), MOST_PARTS);
    return (int)ceil(maxReal(maxReal(count, h / LONGEST), 1));
}

// ---- one part ----------------------------------------------------------------------------------------------------------

static void drift(System *system, double h, double ahead)
{
    State *s = &system->state;
    for (int i = 0; i < 3 * s->count; ++i)
    {
        double way = h * s->startVelocity[i];
        s->inertial[i] = s->start[i] + way;
        s->position[i] = s->pinned[i / 3] ? s->pinTarget[i] : s->start[i] + ahead * way;
    }
}

void smallMidpointParts(System *system, const Stage *stage, int count, double ahead, bool books, SolveReport *report)
{
    State *s = &system->state;
    substepBegin(system, count);
    systemSetFraction(system, stage->theta);
    for (int i = 0; i < count; ++i)
    {
        double since = clockSeconds();
        substepNext(system, i, count);
        beginRates(system, stage);
        drift(system, stage->h, ahead);
        systemSetStage(system, stage);
        systemGradient(system, stage);
        report->profile.gradient += clockLap(&since);
        globalStepSymmetric(system, stage, s->gradient, s->direction);
        systemDescend(system, stage, s->direction);
        stageVelocity(system, 2 / stage->h, -1, stage->h);
        report->profile.solve += clockLap(&since);
        if (books)
            bookStep(system);
        report->profile.books += clockLap(&since);
        report->iterations += 1;
    }
    substepEnd(system);
}

// ---- what is not resolved ----------------------------------------------------------------------------------------------

static const Prefactor *currentPrefactor(const Part *part)
{
    for (int k = 0; k < PART_FACTORS; ++k)
    {
        if (part->prefactor[k].factor == part->current)
            return &part->prefactor[k];
    }
    return NULL;
}

// J: 1/2 v^T (A - M) v of the free vertices of a part, less what drag has in A
static double unresolvedOf(const State *s, const Part *part, double drag)
{
    const Graph *graph = part->graph;
    const double *value = currentPrefactor(part)->value, *v = s->velocity + 3 * (ptrdiff_t)part->offset;
    double sum = 0;
    for (int column = 0; column < part->count; ++column)
    {
        if (s->pinned[part->offset + column])
            continue;
        Vec3 u = vecLoad(v + 3 * (ptrdiff_t)column);
        int k = graph->start[column];
        Vec3 row = vecScale(0.5 * (value[k] - s->mass[part->offset + column]), u);
        for (k += 1; k < graph->start[column + 1]; ++k)
            row = vecAdd(row, vecScale(value[k], vecLoad(v + 3 * (ptrdiff_t)graph->row[k])));
        sum += vecDot(u, row);
    }
    for (int e = 0; e < part->energyCount; ++e)
    {
        Energy *energy = part->energy[e];
        if (!(energy->traits & TRAIT_DISSIPATIVE) || energy->kind->majorizer == NULL)
            continue;
        double weights[LANES * MAX_CORNERS * MAX_CORNERS];
        int corners = energy->kind->corners, row = energyIsDiagonal(energy) ? 0 : corners;
        for (int i = 0; i < energy->elementCount; ++i)
        {
            if (i % LANES == 0)
                energy->kind->majorizer(energy, i / LANES, weights);
            const double *weight = weights + (i % LANES) * corners * maxInt(row, 1);
            for (int c = 0; c < corners; ++c)
            {
                Vec3 u = laneLoad(laneVertices(energy, i / LANES), c, i % LANES, v);
                sum -= row > 0 ? 0 : 0.5 * drag * weight[c] * vecDot(u, u);
                for (int d = 0; d < row; ++d)
                {
                    Vec3 w = laneLoad(laneVertices(energy, i / LANES), d, i % LANES, v);
                    sum -= 0.5 * drag * weight[c * corners + d] * vecDot(u, w);
                }
            }
        }
    }
    return sum;
}

// ---- the step ----------------------------------------------------------------------------------------------------------

static bool prepareFactors(System *system, const Stage *stage, SolveReport *report)
{
    for (int p = 0; p < system->partCount; ++p)
        system->part[p]->factors = 1;
    bool ok = prefactorsPrepare(system, stage, report);
    for (int p = 0; p < system->partCount; ++p)
        system->part[p]->factors = 0;
    return ok;
}

static SolveReport step(System *system, double h, const Method *method)
{
    SolveReport report = { .converged = true, .finite = true };
    int count = countParts(system, h, method->settings.substeps);
    double part = h / count;
    Stage stage = { .h = part, .sigma = part * part, .theta = 0.5 };
    if (!prepareFactors(system, &stage, &report))
        return (SolveReport){ 0 };
    systemSetExternal(system);
    smallMidpointParts(system, &stage, count, controlAhead(system), true, &report);
    double since = clockSeconds();
    controlEnergy(system, &stage, count, method, &report);
    report.reach = part * fastestWaves(system);
    for (int p = 0; p < system->partCount; ++p)
        report.unresolved += unresolvedOf(&system->state, system->part[p], 0.5 * part);
    report.profile.books += clockLap(&since);
    return report;
}

const Integrator smallMidpoint = { .name = "small-midpoint", .hasSubsteps = true, .prefactored = true, .step = step };
