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

#define LONGEST 2.8e-3       // s, of a substep: what was tuned and measured
#define LONGEST_EXACT 3.4e-3 // s, where modes move exactly and no springs join bodies: five in 1/60 s
#define LINGERING 0.5        // of it, while a free body turns much faster than its strain relaxes
#define PER_CROSSING 10      // substeps that a wave needs to cross a body, at least
#define CONTACT_PHASE 0.75   // hs sqrt(k / m) of a vertex in contact, at most
#define MOST_SUBSTEPS 40     // that the rule asks for: what is stiffer is not resolved
#define PER_SHEET 2          // substeps that a wave needs to cross a sheet with smooth functions, however many: but
#define SHORTEST 4.2e-4      // s: not below
#define LYING 0.5            // of what waves ask for in a sheet that lies still
#define MOST_IMPACT 160      // while something stiff is hit

// ---- how many substeps ----------------------------------------------------------------------------------------------

static double fastestWaves(const System *system, bool lies)
{
    double waves = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        waves = maxReal(waves, member->step->waves * (lies && member->smooth != NULL ? LYING : 1));
    }
    return waves;
}

// What sheets and ropes need for their tension, which smooth functions do not tell where waves cross the whole in less
// than a substep.
static double sheetSubsteps(const System *system, double h)
{
    double waves = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        if (member->smooth != NULL && smoothExists(member->smooth))
            waves = maxReal(waves, member->step->waves);
    }
    return minReal(PER_SHEET * h * waves, h / SHORTEST);
}

// Twice as many, and again, until contacts are resolved: in steps of two, so that factors are made anew only seldom.
static int countSubsteps(System *system, double h, const Method *method)
{
    if (method->substeps > 0)
        return method->substeps;
    double waves = minReal(PER_CROSSING * h * fastestWaves(system, system->step->lies), MOST_SUBSTEPS);
    double longest = systemMovesExactly(system) && system->links == NULL ? LONGEST_EXACT : LONGEST;
    longest *= dampingLingers(system) ? LINGERING : 1;
    int count = (int)ceil(maxReal(maxReal(maxReal(waves, sheetSubsteps(system, h)), h / longest), 1));
    double touching = h * fastestContact(system) / CONTACT_PHASE;
    double tolerance = method->settings.energyTolerance;
    int most = touching > MOST_SUBSTEPS && contactsHit(system, h, tolerance) ? MOST_IMPACT : MOST_SUBSTEPS;
    while (count < touching && count < most)
        count = minInt(2 * count, most);
    return count;
}

// ---- the step -------------------------------------------------------------------------------------------------------

bool smallMidpointPrepare(System *system, const Stage *stage, int count, SolveReport *report)
{
    inverseMassStage(system, stage, count);
    // the same whether something is near or not: else every touch would make the factor anew
    double times = system->dampedInside ? (double)count / dampingTurns(system, stage, count) : 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        member->factors = 1;
        member->dampedApart = !system->dampedInside;
        member->margin = inverseMassMargin(member);
        member->viscousShare = system->dampedInside ? times * dampingShare(member, stage) : 0;
        member->viscousTime = system->dampedInside ? member->viscousTime : 0;
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
    system->step->rolling = method->settings.smallMidpoint.rollingFriction;
    int level = controlLevel(system);
    system->step->lies = method->substeps == 0 && systemLies(system);
    inverseMassBegin(system, level != WITHOUT_MODES);
    int ruled = countSubsteps(system, h, method), count = ruled;
    if (method->substeps == 0 && (systemUsesModes(system) || systemUsesSmooth(system)) && level != WITHOUT_MODES)
        count <<= level;
    double hs = h / count;
    Stage stage = stageMidpoint(hs);
    if (!smallMidpointPrepare(system, &stage, count, &report.solve))
    {
        endDamping(system);
        return (StepReport){ 0 };
    }
    bool exact = systemUsesModes(system) || systemUsesSmooth(system); // forces elsewhere would turn free bodies
    double ahead = exact ? 1 : controlAhead(system);
    smallMidpointSubsteps(system, &stage, count, ahead, &report.solve);
    double since = clockSeconds(), taken = phasesOf(&report);
    controlEnergy(system, &stage, &count, ahead, method, &report);
    lyingWatch(system);
    hs = stage.h;
    report.reach = hs * fastestWaves(system, false);
    report.substeps = count;
    report.ruled = ruled;
    taken = phasesOf(&report) - taken; // of substeps that were taken again
    report.solve.profile.ledger += maxReal(clockLap(&since) - taken, 0);
    endDamping(system);
    return report;
}

const Integrator smallMidpoint = { .name = "small-midpoint",
                                   .hasSubsteps = true,
                                   .prefactored = true,
                                   .usesModes = true,
                                   .answers = true,
                                   .flows = true,
                                   .hardContact = true,
                                   .listsPairs = true,
                                   .stands = true,
                                   .reserve = touchReserve,
                                   .step = step };
