// Small midpoint, our own step: the step is taken in n substeps of hs = h / n with exactly one global solve each,
//
//   z = x + hs/2 v,   v' = v - hs A^-1 grad E(z),   x' = z + hs/2 v',   A = M + hs^2/4 L,
//
// the midpoint rule (Dinev 2018, Eq 30) whose local/global solver (Bouaziz 2014) stops after one iteration from the
// inertial guess. It is position Verlet with the mass A instead of M: symplectic and reversible for 1/2 v^T A v + E(x),
// linearly stable for any hs since L is not below the Hessian of E. So H + Q stays, Q = hs^2/8 v^T L v, and H moves by
// no more than the kinetic energy of motion that hs does not resolve. Small steps instead of iterations are Macklin
// 2019's; docs/notes/small-midpoint.md has the identities and what was measured. Converging each substep instead gains
// nothing and can blow up: the minimum is not unique where springs are pressed together.
#include "integrate/integrate.h"

#define LONGEST 2.8e-3     // s, of a substep: what was tuned and measured
#define PER_CROSSING 10    // substeps that a wave needs to cross a body, at least
#define CONTACT_PHASE 0.75 // hs sqrt(k / m) of a vertex in contact, at most
#define MOST_SUBSTEPS 40   // that the rule asks for: what is stiffer is not resolved
#define MOST_IMPACT 160    // while something stiff is hit

// ---- how many substeps ----------------------------------------------------------------------------------------------

static double fastestWaves(const System *system)
{
    double waves = 0;
    for (int p = 0; p < system->memberCount; ++p)
        waves = maxReal(waves, system->member[p]->step->waves);
    return waves;
}

// Twice as many, and again, until contacts are resolved: in steps of two, so that factors are made anew only seldom.
static int countSubsteps(System *system, double h, const Method *method)
{
    if (method->substeps > 0)
        return method->substeps;
    double waves = minReal(PER_CROSSING * h * fastestWaves(system), MOST_SUBSTEPS);
    int count = (int)ceil(maxReal(maxReal(waves, h / LONGEST), 1));
    double touching = h * fastestContact(system) / CONTACT_PHASE;
    double tolerance = method->settings.energyTolerance;
    int most = touching > MOST_SUBSTEPS && contactsHit(system, h, tolerance) ? MOST_IMPACT : MOST_SUBSTEPS;
    while (count < touching && count < most)
        count = minInt(2 * count, most);
    return count;
}

// ---- what is not resolved -------------------------------------------------------------------------------------------

static const Prefactor *currentPrefactor(const Member *member)
{
    for (int k = 0; k < MEMBER_FACTORS; ++k)
    {
        if (member->prefactor[k].factor == member->current)
            return &member->prefactor[k];
    }
    return NULL;
}

// J: 1/2 v^T (B - M) v of the free vertices of a member, less what drag has in B; v: count x 3, what is not exact in it
static double unresolvedOf(const State *s, const Member *member, const double *velocity, double drag)
{
    const Graph *graph = member->graph;
    const double *value = currentPrefactor(member)->value, *v = velocity + 3 * (ptrdiff_t)member->offset;
    double sum = 0;
    for (int column = 0; column < member->count; ++column)
    {
        if (s->pinned[member->offset + column])
            continue;
        Vec3 u = vecLoad(v + 3 * (ptrdiff_t)column);
        int k = graph->start[column];
        Vec3 row = vecScale(0.5 * (value[k] - s->mass[member->offset + column]), u);
        for (k += 1; k < graph->start[column + 1]; ++k)
            row = vecAdd(row, vecScale(value[k], vecLoad(v + 3 * (ptrdiff_t)graph->row[k])));
        sum += vecDot(u, row);
    }
    for (int e = 0; e < member->energyCount; ++e)
    {
        const Energy *energy = member->energy[e];
        if (!(energy->traits & TRAIT_DISSIPATIVE) || energyIsViscous(energy) || energy->kind->majorizer == NULL)
            continue;
        double weights[LANES * MAX_CORNERS];
        int corners = energy->kind->corners;
        for (int i = 0; i < energy->elementCount * corners; ++i)
        {
            int element = i / corners, lane = element % LANES;
            if (i % (LANES * corners) == 0)
                energy->kind->majorizer(energy, element / LANES, weights);
            int vertex = member->offset + laneVertices(energy, element / LANES)[i % corners * LANES + lane];
            Vec3 u = vecLoad(velocity + 3 * (ptrdiff_t)vertex);
            sum -= s->pinned[vertex] ? 0 : 0.5 * drag * weights[lane * corners + i % corners] * vecDot(u, u);
        }
    }
    return sum;
}

// ---- the step -------------------------------------------------------------------------------------------------------

bool smallMidpointPrepare(System *system, const Stage *stage, SolveReport *report)
{
    inverseMassStage(system, stage);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        member->factors = 1;
        member->dampedApart = !system->dampedInside;
        member->margin = inverseMassMargin(member);
        member->viscousShare = system->dampedInside ? dampingShare(member, stage) : 0;
        member->viscousTime = system->dampedInside && member->smooth != NULL ? dampingTime(member) : 0;
    }
    bool ok = prefactorsPrepare(system, stage, report);
    for (int p = 0; p < system->memberCount; ++p)
    {
        system->member[p]->factors = 0;
        system->member[p]->dampedApart = false;
        system->member[p]->margin = 0;
    }
    return ok;
}

static double phasesOf(const StepReport *report) // s, so far
{
    const vvProfile *p = &report->solve.profile;
    return p->gradient + p->matrix + p->factor + p->solve + p->line + p->ledger;
}

static void endDamping(System *system)
{
    system->dampedApart = system->dampedInside = false;
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->viscousShare = system->member[p]->viscousTime = 0;
}

static StepReport step(System *system, double h, const Method *method)
{
    StepReport report = { .solve = { .converged = true, .finite = true } };
    systemSetExternal(system);
    touchBegin(system);
    system->dampedApart = systemIsViscous(system);
    int level = controlLevel(system);
    inverseMassBegin(system, level != WITHOUT_MODES);
    int count = countSubsteps(system, h, method);
    if (method->substeps == 0 && systemUsesModes(system))
        count <<= level;
    double hs = h / count;
    Stage stage = stageMidpoint(hs);
    if (!smallMidpointPrepare(system, &stage, &report.solve))
    {
        endDamping(system);
        return (StepReport){ 0 };
    }
    smallMidpointSubsteps(system, &stage, count, systemUsesModes(system) ? 1 : controlAhead(system), &report.solve);
    double since = clockSeconds(), taken = phasesOf(&report);
    controlEnergy(system, &stage, &count, method, &report);
    hs = stage.h;
    report.reach = hs * fastestWaves(system);
    report.substeps = count;
    inverseMassRest(system, system->state.direction);
    for (int p = 0; p < system->memberCount; ++p)
        report.unresolved += unresolvedOf(&system->state, system->member[p], system->state.direction, 0.5 * hs) -
                             dampingInMatrix(system, &stage, system->member[p], system->state.direction);
    taken = phasesOf(&report) - taken; // of substeps that were taken again
    report.solve.profile.ledger += maxReal(clockLap(&since) - taken, 0);
    endDamping(system);
    return report;
}

const Integrator smallMidpoint = { .name = "small-midpoint",
                                   .hasSubsteps = true,
                                   .prefactored = true,
                                   .usesModes = true,
                                   .hardContact = true,
                                   .reserve = touchReserve,
                                   .step = step };
