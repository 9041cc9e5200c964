// The energy of a step that was taken in small substeps, once per step and island: what is missing goes back into the
// coherent motion, what is too much is cut from motion that the step as a whole does not have, and a step that gained
// far too much is drawn towards one that cannot gain.
//
// d = (x_end - x_n) / h is the motion of the step as a whole. Loss: v += beta d. Gain: v -= b (v - d). Both are taken
// without the rigid motion of bodies that nothing ties, so that their momenta stay. A step whose forces are all taken
// where its substeps start never gains: H1 - H0 = -gap(x1) <= 0 for projective energies, whatever the step and the
// state. It replaces the backward Euler endpoint of Dinev 2018, section 4, needs no second factor, and brackets the
// target whenever the step began within its tolerance.
#include "integrate/energy_control.h"

#include <string.h>

#define HARD 5.0    // tolerances above the target: the step is drawn back
#define DRAWN 0.8   // to this share of them
#define SLOWER 1.0  // how much sooner forces are taken in the next step, for the share of energy that is too much
#define SEARCHES 20 // at most, for a blend

double controlAhead(const System *system)
{
    double behind = 0;
    for (int p = 0; p < system->memberCount; ++p)
        behind = maxReal(behind, system->member[p]->step->recall.energy.behind);
    return 1 - behind;
}

// ---- measures -------------------------------------------------------------------------------------------------------

static double excess(const Control *c, Balance *balance)
{
    const State *s = &c->system->state;
    *balance = balanceAt(c->system, s->position, s->velocity);
    return balanceTotal(balance) - c->target;
}

// The same where substeps have just been taken, whose damping is settled by it; also what is not resolved. Of bodies
// with modes that is not missing: it is in vibrations beside them, which hold it as mass that the substeps add to them
// and give it back. Given to the modes beside that, it makes them swing: a bar of Poisson's ratio .45 that is bent
// without room for its volume and let go was half a swing off within two. Free bodies get it all the same, so that H
// stays within its tolerance over thousands of turns (else 2 % were in such vibrations after 10,000 steps of a rod). So
// do bodies whose pins move: what follows the pins is no mode, and the mass that is added to it is no vibration.
static double settledExcess(Control *c, Balance *balance)
{
    bool modes = systemUsesModes(c->system);
    double e = excess(c, balance), change = dampingSettle(c->system, e);
    c->target += change;
    c->unresolved = isfinite(e) ? unresolvedEnergy(c->system, &c->stage, !modes) : 0;
    c->kept = modes ? 0 : c->unresolved;
    e -= change;
    if (modes && e < 0 && !controlIsFree(c->system) && !pinsMove(&c->system->state))
        e = minReal(e + maxReal(c->unresolved, 0), 0);
    return e;
}

// ---- directions -----------------------------------------------------------------------------------------------------

// pins or springs hold it in space; what it touches does not count
bool memberIsTied(const State *s, const Member *member)
{
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        if (s->pinned[v])
            return true;
    }
    for (int e = 0; e < member->energyCount; ++e)
    {
        if (member->energy[e]->kind == &attachmentKind && !energyIsIdle(member->energy[e]))
            return true;
    }
    return false;
}

// ---- the endpoint that cannot gain ----------------------------------------------------------------------------------

// positions and velocities (count x 3) where the step ended and where it would end without a gain
typedef struct Ends
{
    double *x[2], *v[2];
} Ends;

static void takeEnd(State *s, Ends *ends, int end)
{
    ends->x[end] = scratchTake(s);
    ends->v[end] = scratchTake(s);
    memcpy(ends->x[end], s->position, (size_t)s->count * 3 * sizeof(double));
    memcpy(ends->v[end], s->velocity, (size_t)s->count * 3 * sizeof(double));
}

static void giveEnd(State *s, const Ends *ends, int end)
{
    scratchGive(s, ends->v[end]);
    scratchGive(s, ends->x[end]);
}

static void blend(const Control *c, const Ends *ends, double alpha)
{
    State *s = &c->system->state;
    for (int i = 0; i < 3 * s->count; ++i)
    {
        // the first end may have run away: nothing of it is left in the second
        s->position[i] = alpha < 1 ? ends->x[0][i] + alpha * (ends->x[1][i] - ends->x[0][i]) : ends->x[1][i];
        s->velocity[i] = alpha < 1 ? ends->v[0][i] + alpha * (ends->v[1][i] - ends->v[0][i]) : ends->v[1][i];
    }
}

// momenta of free bodies, alone or joined, as the substeps left them (notes on Dinev 2018: blends lose angular
// momentum). Of bodies that touch something they are part of what was gained
static void restoreMomenta(System *system, const double *position, const double *velocity)
{
    State *s = &system->state;
    for (int p = 0; p < system->memberCount; ++p)
    {
        apartRestore(system, system->member[p], position, velocity);
        if (system->member[p]->step->apart)
            continue;
        RigidMotion want = looseMotion(system, p, position, velocity);
        RigidMotion have = looseMotion(system, p, s->position, s->velocity);
        if (have.count == 0)
            continue;
        Vec3 spin = vecSub(spinOf(&have.inertia, matApply(&want.inertia, want.spin)), have.spin);
        Vec3 shift = vecSub(want.velocity, have.velocity);
        for (int k = p; k < system->memberCount; ++k)
        {
            const Member *member = system->member[k];
            bool with = k == p || member->step->joined.group == p;
            for (int v = member->offset; v < member->offset + member->count && with; ++v)
            {
                double *u = s->velocity + 3 * (ptrdiff_t)v;
                Vec3 r = vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), have.centre);
                vecStore(u, vecAdd(vecLoad(u), vecAdd(shift, vecCross(spin, r))));
            }
        }
    }
}

// Illinois on the excess between the two ends until it is `wanted`, within a tenth; returns alpha
static double searchBlend(const Control *c, const Ends *ends, double e0, double e1, double wanted, Balance *balance)
{
    double low = 0, high = 1, f0 = e0 - wanted, f1 = e1 - wanted, alpha = 1;
    int side = 0;
    for (int k = 0; k < SEARCHES; ++k)
    {
        alpha = (low * f1 - high * f0) / (f1 - f0);
        blend(c, ends, alpha);
        double f = excess(c, balance) - wanted;
        if (fabs(f) <= 0.1 * fabs(wanted))
            return alpha;
        if (f < 0)
        {
            high = alpha;
            f1 = f;
            f0 *= side < 0 ? 0.5 : 1;
            side = -1;
        }
        else
        {
            low = alpha;
            f0 = f;
            f1 *= side > 0 ? 0.5 : 1;
            side = 1;
        }
    }
    blend(c, ends, high);
    excess(c, balance);
    return high;
}

double controlTarget(const System *system)
{
    double sum = system->step->target;
    for (int p = 0; p < system->memberCount; ++p)
        sum += system->member[p]->added - system->member[p]->dissipated;
    return sum;
}

// Anchors of friction and the like are where the step began; then the members again with forces where they start. What
// is booked is that of the step: that of the run that gained is work of forces that have no right to be.
static void takeAgain(Control *c, double ahead, SolveReport *report)
{
    System *system = c->system;
    rewindEnergies(system);
    beginEnergies(system, NULL, system->state.start);
    bookClear(system);
    smallMidpointSubsteps(system, &c->stage, c->count, ahead, report);
    c->early = ahead != 1;
    systemSetFraction(system, 1);
    c->target = controlTarget(system);
}

// to where the excess is `wanted`, given those of the two ends
static void blendEnds(const Control *c, const Ends *ends, double e, double end, double wanted, Balance *balance,
                      StepReport *report)
{
    if (e <= wanted)
    {
        blend(c, ends, 0); // as booked here it had gained less
        report->alpha = 0;
    }
    else if (end < wanted)
        report->alpha = searchBlend(c, ends, e, end, wanted, balance);
    else
        report->failures += 1;
    touchApartFrom(c->system, ends->x[1]);
    restoreMomenta(c->system, ends->x[0], ends->v[0]);
    excess(c, balance);
}

static void drawBack(Control *c, Balance *balance, StepReport *report)
{
    State *s = &c->system->state;
    double wanted = DRAWN * HARD * c->tolerance, total = balanceTotal(balance);
    Ends ends;
    takeEnd(s, &ends, 0);
    takeAgain(c, 0, &report->solve);
    for (int p = 0; p < c->system->memberCount && isfinite(total); ++p) // so that the search counts their spin
        apartRestore(c->system, c->system->member[p], ends.x[0], ends.v[0]);
    takeEnd(s, &ends, 1);
    double end = excess(c, balance), e = total - c->target;
    report->alpha = 1;
    if (isfinite(e))
        blendEnds(c, &ends, e, end, wanted, balance, report);
    giveEnd(s, &ends, 1);
    giveEnd(s, &ends, 0);
}

// ---- steps that gain far too much with modes ------------------------------------------------------------------------

#define MOST_GAIN 0.1  // of the swing: a gain after which a step is taken again,
#define TORN_GAIN 0.02 // of the energy of motion, where modes say nothing
#define MOST_ERROR                                                                                                     \
    0.05 // and a gain or loss, of at least this share of the energy of motion: what starts with a kick loses
#define LEAST_WHOLE 0.6  //   what no substep resolves
#define MOST_LEVEL 2     // doublings of the substeps;
#define LAST_LEVEL 3     //   of steps with modes that gain after these, before they go on without
#define LEVEL_STEPS 20   // for which they stay
#define MOST_KEPT 0.2    // of the kinetic energy of sheets, that is not resolved
#define SWING_DECAY 0.97 // a step
#define LEAST_SWING 0.01 // of the energy of motion
#define PUSHED 1.1       // of the swing: more kinetic energy than this before a step is new

int controlLevel(const System *system)
{
    return (int)system->member[0]->step->recall.energy.level;
}

static void setLevel(System *system, int level)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        system->member[p]->step->recall.energy.level = level;
        system->member[p]->step->recall.energy.levelSteps = level > 0 ? LEVEL_STEPS : 0;
    }
}

// J, that the tolerances of steps with modes are shares of: the most kinetic energy of late, but not below what is left
// of the energy of motion
static double swingOf(const System *system, const Balance *balance, double scale)
{
    const State *s = &system->state;
    double before = 0, kinetic = 0;
    for (int p = 0; p < system->memberCount; ++p)
        before = maxReal(before, system->member[p]->step->recall.energy.swing);
    for (int i = 0; i < 3 * s->count; ++i)
        kinetic += s->pinned[i / 3] ? 0 : 0.5 * s->mass[i / 3] * s->startVelocity[i] * s->startVelocity[i];
    // what is pushed before the step may have turned back at its end
    double swing = maxReal(SWING_DECAY * before, kinetic > PUSHED * before ? kinetic : 0);
    swing = balance->kinetic > swing ? balance->kinetic : swing;
    return minReal(maxReal(swing, LEAST_SWING * scale), scale);
}

// More than a share of the kinetic energy of late is not resolved, and more substeps are to be had. Half the substep
// leaves a quarter: well below that they may become fewer again.
static bool wantsFiner(const Control *c, const Balance *balance)
{
    System *system = c->system;
    int level = controlLevel(system);
    double share = c->kept / maxReal(c->kept + swingOf(system, balance, c->scale), 1e-3 * c->scale);
    if (share > 0.2 * MOST_KEPT && level > 0 && level <= MOST_LEVEL)
        setLevel(system, level);
    return share > MOST_KEPT && level < MOST_LEVEL && c->ruled;
}

static double toleranceOf(Control *c, const Method *method, const Balance *balance)
{
    double band = systemUsesModes(c->system) ? controlBand(c->system, balance, c->scale) : c->scale;
    c->rounding = energyRounding(c->system, c->h / c->count, balance);
    return maxReal(method->settings.energyTolerance * band, c->rounding);
}

static double missingBefore(const System *system)
{
    double sum = 0;
    for (int p = 0; p < system->memberCount; ++p)
        sum += system->member[p]->step->recall.energy.missing;
    return sum;
}

// what steps in flight lose by themselves does not count
static void keepMissing(System *system, double e)
{
    double missing = maxReal(-e, 0);
    missing = system->contacts.touched ? missing : minReal(missing, missingBefore(system));
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->step->recall.energy.missing = isfinite(missing) ? missing / system->memberCount : 0;
}

// What touches may lose: a hit has motion that no substep resolves. What was lost so is still missing in flight, where
// it comes and goes with the vibrations that hold it, and is no error of the steps there. Sheets and ropes move by what
// they resolve, or in finer substeps.
static bool isCoarse(const Control *c, const Balance *balance, double e, double whole)
{
    const System *system = c->system;
    double swing = c->scale;
    if (fabs(e) <= c->rounding && c->kept <= c->rounding) // as of what rests
        return false;
    if (!systemUsesModes(system))
        return (systemUsesSmooth(system) && !(e <= MOST_GAIN * whole)) ||
               (systemIsTorn(system) && !(e <= TORN_GAIN * whole)) || wantsFiner(c, balance);
    double most = MOST_ERROR * maxReal(swing, LEAST_WHOLE * whole);
    double missing = missingBefore(system);
    missing = missing > 0 ? maxReal(missing, c->unresolved) : 0;
    e = e < 0 ? minReal(e + missing, 0) : e;
    return !(e <= MOST_GAIN * swing && (fabs(e) <= most || (e < 0 && system->contacts.touched)));
}

// Without modes stiff joints would let nothing turn.
static bool keepsModes(const System *system)
{
    bool stands = false;
    for (int p = 0; p < system->memberCount && system->links != NULL; ++p)
        stands |= system->member[p]->step->standsForRigid;
    return stands;
}

// Once more, in twice the substeps; where these are many already, or are the caller's, without modes if it gained: what
// loses loses more without them. False: as it was
static bool takeFiner(Control *c, const Method *method, double e, StepReport *report)
{
    System *system = c->system;
    int level = controlLevel(system);
    bool modes = systemUsesModes(system), torn = !modes && systemIsTorn(system), smooth = systemUsesSmooth(system);
    bool gains = modes && !(e <= MOST_GAIN * c->scale);
    bool finer =
        (modes || torn || smooth || c->kept > 0) && level < (gains ? LAST_LEVEL : MOST_LEVEL) && method->substeps == 0;
    if (!finer && (torn || (!modes && !smooth) || e <= MOST_GAIN * c->scale))
        return false;
    if (!finer && keepsModes(system))
        return false;
    setLevel(system, finer ? level + 1 : WITHOUT_MODES);
    bool doubled = (modes || smooth) && method->substeps == 0; // `level` times
    c->finer = finer;
    c->count = finer ? 2 * c->count : doubled ? c->count >> level : c->count;
    c->stage = stageMidpoint(c->h / c->count);
    inverseMassBegin(system, finer);
    if (!smallMidpointPrepare(system, &c->stage, c->count, &report->solve))
        return false;
    takeAgain(c, 1, &report->solve);
    return true;
}

static void easeLevel(System *system)
{
    EnergyRecall *first = &system->member[0]->step->recall.energy;
    if (first->level == 0)
        return;
    if (first->levelSteps <= 1)
        setLevel(system, (int)first->level == WITHOUT_MODES ? MOST_LEVEL : (int)first->level - 1);
    else
    {
        for (int p = 0; p < system->memberCount; ++p)
            system->member[p]->step->recall.energy.levelSteps -= 1;
    }
}

// ---- the control ----------------------------------------------------------------------------------------------------

// Nothing goes back to what touches: it would keep what rests in motion, for what was lost on the way there.
static bool returnsLoss(const System *system, const Method *method)
{
    return method->settings.smallMidpoint.energyReturn && !system->contacts.touched;
}

// What is lost goes back, what is gained is cut or drawn back; returns `behind` of the next step. What sheets and ropes
// do not resolve counts as there: it becomes motion again by itself, and given back beside that it drives them.
static double controlWhole(Control *c, const Method *method, double e, Balance *balance, StepReport *report)
{
    double kept = c->kept;
    if (e + kept < -c->tolerance && c->finer)
    {
        balance->kinetic += controlUnresolved(c, e + kept, kept);
        return 0;
    }
    if (e + kept < -c->tolerance && returnsLoss(c->system, method))
    {
        balance->kinetic += controlReturn(c, -e - kept);
        return 0;
    }
    if (e + kept > c->tolerance && kept > 0)
        balance->kinetic += controlUnresolved(c, e + kept, kept);
    e = balanceTotal(balance) - c->target;
    if (e <= c->tolerance)
        return 0;
    if (isfinite(e))
        balance->kinetic += controlCut(c, e);
    e = balanceTotal(balance) - c->target;
    if (!(e <= HARD * c->tolerance))
        drawBack(c, balance, report);
    else if (e > c->tolerance)
        return minReal(SLOWER * e / c->scale, 1); // where substeps start, and no sooner: that would gain without end
    return 0;
}

void controlEnergy(System *system, Stage *stage, int *count, double ahead, const Method *method, StepReport *report)
{
    Control c = { .system = system,
                  .stage = *stage,
                  .count = *count,
                  .h = stage->h * *count,
                  .target = controlTarget(system),
                  .ruled = method->substeps == 0,
                  .early = ahead != 1 };
    easeLevel(system);
    c.scale = motionScale(system, c.h);
    systemSetFraction(system, 1);
    Balance balance;
    double e = settledExcess(&c, &balance), whole = c.scale, behind = 0;
    if (systemUsesModes(system))
        c.scale = swingOf(system, &balance, whole);
    c.tolerance = toleranceOf(&c, method, &balance);
    while (isCoarse(&c, &balance, e, whole) && takeFiner(&c, method, e, report))
    {
        e = settledExcess(&c, &balance);
        c.scale = systemUsesModes(system) ? swingOf(system, &balance, whole) : whole;
        c.tolerance = toleranceOf(&c, method, &balance);
    }
    double kinetic = balance.kinetic;
    if (systemUsesModes(system))
        balance.kinetic += controlGroups(system, e, c.tolerance, returnsLoss(system, method));
    else
        behind = controlWhole(&c, method, e, &balance, report);
    if (c.early && !touchesColliders(system))
        balance.kinetic += correctIsland(system, c.h);
    else if (system->movableCount > 0 && (c.early || system->contacts.back))
        balance.kinetic += correctMet(system, c.h);
    double swing = systemUsesModes(system) ? c.scale : swingOf(system, &balance, whole);
    for (int p = 0; p < system->memberCount; ++p)
    {
        system->member[p]->step->recall.energy.behind = behind;
        system->member[p]->step->recall.energy.swing = swing;
    }
    keepMissing(system, balanceTotal(&balance) - c.target);
    bool kept = systemUsesModes(system) && balance.kinetic == kinetic;
    report->unresolved = kept ? c.unresolved : unresolvedEnergy(system, &c.stage, false);
    *stage = c.stage;
    *count = c.count;
    watchClose(system, &balance, report);
}
