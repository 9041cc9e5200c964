// Damping of strain rates within the one solve of a substep of small-midpoint. With f = K v the forces of the dampers
// at the velocity where the substep begins, frozen where forces are taken,
//
//   v' = v - hs W (g + f),   W^-1 = M + (1 + margin) hs^2/4 L + c hs K_L,   K_L the majorizer of K,
//
// which for c = 1/2 and L = K is the midpoint rule of damping. What must stop at once goes to and fro there, so that c
// grows with K as far as its velocity falls to 0.7 in each substep. Whatever K_L is, v' = v only where g + f = 0: creep
// is right at any strength. Of the modes W has two gains, one of g and one of f, such that each of them turns and
// decays exactly as the damped oscillator it is:
//
//   v' = e v - hs G w^2 z,   e = exp(-beta w^2 hs),   G (w hs)^2 = 1 + e - 2 sqrt(e) cos(w_d hs),
//
// w_d^2 = w^2 - beta^2 w^4 / 4. Rigid motion of a body that nothing ties has no part in it, for f has neither sum nor
// moment.
//
// Where the first guess is x + a hs v, a < 1, f = a K v, for the solve goes on from there; with K v damping would count
// twice, and what is stiff would grow. What it takes is K u . dx then, u the mean velocity of the substep.
//
// Elements that have their damping in the gradient (Energy.rate) give g + f at once. The part of f along a mode is then
// beta w^2 times its velocity, and of the rest only f . v is known, W.
//
// Booked: E + 1/2 v^T W^-1 v falls by f . dx exactly, where E is a quadratic. What damping adds to the mass in W^-1
// is no energy: its change over the step is taken out, so that damping takes what an undamped step would have kept. How
// much that is the split into modes and the rest tells roughly, so that up to as much goes by the balance of the step.
#include "integrate/integrate.h"

#include <string.h>

#define SMALL 0.5       // s of damping over s of a substep: so little may have K_L in the mass of motion without modes
#define KNOWN 0.5       // of what damping takes: how far the balance decides where it is strong, of a deformed body
#define MOST_TURNED 0.2 // rad, of a free body while strain relaxes: beyond, it takes finer substeps
#define MOST_APART 3    // substeps, of which damping that is small acts in one, so much stronger
#define LEAST_KEPT 0.7  // of a velocity that is stopped, with its sign changed, in each substep

// ---- where it fits --------------------------------------------------------------------------------------------------

static bool isViscous(const Member *member)
{
    for (int e = 0; e < member->energyCount; ++e)
    {
        if (energyIsViscous(member->energy[e]))
            return true;
    }
    return false;
}

static bool hasDashpots(const Member *member)
{
    for (int e = 0; e < member->energyCount; ++e)
    {
        if (member->energy[e]->dashpot > 0)
            return true;
    }
    return false;
}

// s, of damping over stiffness: the most at a vertex
static double timeOf(Member *member)
{
    const double *stiffness = memberMajorizer(member);
    double most = 0;
    for (int v = 0; v < member->count && member->viscosity != NULL; ++v)
    {
        int k = member->graph->start[v];
        if (member->viscosity[k] > 0)
            most = maxReal(most, member->viscosity[k] / stiffness[k]);
    }
    return most;
}

static bool fits(Member *member, const Stage *stage)
{
    bool modes = member->modal != NULL && member->modal->used, smooth = member->smooth != NULL && member->smooth->used;
    if (((modes || smooth) && hasDashpots(member)) || member->step->joined.group >= 0) // joined_mass.c has one gain
        return false;
    return modes || member->viscousTime <= SMALL * stage->h;
}

// Strain that hardly relaxes while the body turns: it follows the turning with the mass that damping has in the matrix,
// which half the substep halves.
bool dampingLingers(const System *system)
{
    const State *s = &system->state;
    for (int p = 0; p < system->memberCount && system->dampedApart; ++p)
    {
        const Member *member = system->member[p];
        if (!member->step->loose || !isViscous(member) || member->modal == NULL || !member->modal->used)
            continue;
        RigidMotion motion = rigidMotion(s, s->start, s->startVelocity, member->offset, member->offset + member->count);
        if (member->modal->viscosity * vecLength(motion.spin) > MOST_TURNED)
            return true;
    }
    return false;
}

bool dampingFits(System *system, const Stage *stage)
{
    if (!system->dampedApart)
        return false;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        member->viscousTime = timeOf(member);
    }
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (isViscous(system->member[p]) && !fits(system->member[p], stage))
            return false;
    }
    return true;
}

// Small damping need not act in every substep: once in a few, as much stronger as they are many, it takes the same from
// what turns by less than a half circle in between, for a fraction of the time. Of bodies with modes alone: others have
// no exact motion that such damping leaves as it is
int dampingTurns(System *system, const Stage *stage, int count)
{
    double longest = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        if (member->viscosity != NULL && (member->modal == NULL || !member->modal->used))
            return count;
        longest = maxReal(longest, member->viscousTime);
    }
    double most = longest > 0 ? SMALL * stage->h / longest : 1;
    int apart = most >= MOST_APART ? MOST_APART : (int)most;
    return apart > 1 ? (count + apart - 1) / apart : count;
}

bool dampingActs(const System *system, int substep, int count)
{
    return (substep + 1) * system->dampedTurns / count > substep * system->dampedTurns / count;
}

double dampingRate(const System *system, const Modal *modal, int mode)
{
    return system->dampedTimes * modal->viscosity * modal->elastic[mode];
}

// ---- elements that damp themselves ----------------------------------------------------------------------------------

// its elements, with their dampers beside them; NULL: others are damped too
static Energy *dampedElements(const Member *member)
{
    Energy *elements = NULL;
    bool other = false;
    for (int e = 0; e < member->energyCount; ++e)
    {
        Energy *energy = member->energy[e];
        elements = energy->kind->damps ? energy : elements;
        other |= energyIsViscous(energy) && energy->kind != &corotatedDamperKind;
    }
    return other ? NULL : elements;
}

bool dampingFuses(const System *system, double ahead)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        if (isViscous(member) && member->modal != NULL && member->modal->shape->tie != NULL)
            return false; // its modes are not those of its damping
        if (isViscous(member) && (member->modal == NULL || dampedElements(member) == NULL))
            return false;
        if (isViscous(member) && !member->modal->used && ahead != 1) // forces are taken elsewhere than rates
            return false;
    }
    return !pinsMove(&system->state);
}

typedef struct Rates
{
    System *system;
    double *room; // count x 3
} Rates;

// along the modes, without rigid motion: of a deformed body they are not orthogonal to it
static void rateMember(void *context, Member *member, Workers *workers)
{
    const Rates *rates = context;
    const State *s = &rates->system->state;
    ptrdiff_t first = 3 * (ptrdiff_t)member->offset;
    const double *velocity = s->rate;
    if (member->modal == NULL || !member->modal->used)
        return;
    if (member->step->loose || member->step->apart)
    {
        memcpy(rates->room + first, velocity + first, 3 * (size_t)member->count * sizeof(double));
        apartRemove(rates->system, member, s->blend, rates->room);
        velocity = rates->room;
    }
    if (member->step->loose)
        rigidAdd(rates->system, member, s->blend, -1, rigidOfVelocity(rates->system, member, s->blend, velocity), false,
                 rates->room);
    modalProject(member->modal, velocity + first, s->mass + member->offset, workers, member->modal->rate);
}

void dampingGradient(System *system, const Stage *stage)
{
    State *s = &system->state;
    Rates rates = { system, scratchTake(s) };
    systemEachMember(system, rateMember, &rates);
    scratchGive(s, rates.room);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        Energy *elements = isViscous(member) ? dampedElements(member) : NULL;
        if (elements == NULL)
            continue;
        elements->rate = s->rate + 3 * (ptrdiff_t)member->offset;
        elements->rateTime = system->dampedTimes * member->modal->viscosity;
    }
    systemGradient(system, stage);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        Energy *elements = isViscous(member) ? dampedElements(member) : NULL;
        member->step->power = elements != NULL ? energySumLanes(elements) : 0;
        if (elements != NULL)
            elements->rate = NULL;
    }
}

double dampingShare(Member *member, const Stage *stage)
{
    double margin = member->margin > 0 ? member->margin : 1, fastest = 4 * member->viscousTime / (margin * stage->h);
    if (member->smooth != NULL && member->smooth->used)
        return SMOOTH_MARGIN;
    return fastest > 0 ? maxReal(1, 2 * (1 / (1 + LEAST_KEPT) - 1 / fastest)) : 1;
}

// ---- modes ----------------------------------------------------------------------------------------------------------

#define UNRESOLVED 0.70807341827357118 // sin^2(1)

// 1: sin^2(a)/a^2 with a^2 = t, by its series, which has the same bits everywhere; from a = 1 on that of a turn by 2
static double sineShare(double t)
{
    if (!(t < 1))
        return UNRESOLVED / t;
    double term = 1, sum = 1;
    for (int k = 1; k < 14; ++k)
    {
        term *= -4 * t / ((2 * k + 1) * (2 * k + 2));
        sum += term;
    }
    return sum;
}

// 1: (1 - exp(-x)) / x
static double meanDecay(double x)
{
    return x < 1e-3 ? 1 - x / 2 * (1 - x / 3 * (1 - x / 4)) : (1 - decayOver(x)) / x;
}

ModeGain modeGain(double square, double h, double beta)
{
    double turn = square * h * h, decay = beta * square * h;
    if (!(decay > 0) || !isfinite(decay))
        return (ModeGain){ sineShare(0.25 * turn), sineShare(0.25 * turn), 1 };
    double half = 0.5 * decay, left = turn - half * half, root = decayOver(half), force;
    if (left > 0)
        force = (1 - root) * (1 - root) + root * left * sineShare(0.25 * left);
    else
    {
        double fast = half + sqrt(-left);
        force = (1 - decayOver(fast)) * (1 - decayOver(turn / fast));
    }
    return (ModeGain){ sineShare(0.25 * turn), force / turn, meanDecay(decay) };
}

// ---- the ledger ----------------------------------------------------------------------------------------------------

double dampingInMatrix(const System *system, const Stage *stage, const Member *member, const double *velocity)
{
    const State *s = &system->state;
    if (!system->dampedInside || member->viscosity == NULL)
        return 0;
    const Graph *graph = member->graph;
    const double *v = velocity + 3 * (ptrdiff_t)member->offset;
    double sum = 0;
    for (int column = 0; column < member->count; ++column)
    {
        if (s->pinned[member->offset + column])
            continue;
        Vec3 u = vecLoad(v + 3 * (ptrdiff_t)column), row = vecScale(0.5 * member->viscosity[graph->start[column]], u);
        for (int k = graph->start[column] + 1; k < graph->start[column + 1]; ++k)
        {
            if (!s->pinned[member->offset + graph->row[k]])
                row = vecAdd(row, vecScale(member->viscosity[k], vecLoad(v + 3 * (ptrdiff_t)graph->row[k])));
        }
        sum += vecDot(u, row);
    }
    return 0.5 * stage->h * member->viscousShare * sum;
}

double dampingStored(System *system, const Stage *stage, Member *member, const double *velocity, double *rest)
{
    const State *s = &system->state;
    Modal *modal = member->modal;
    member->step->inMatrix = 0;
    if (!system->dampedInside || member->viscosity == NULL || modal == NULL || !modal->used)
        return 0;
    if (member->viscousTime <= SMALL * stage->h) // a twelfth of what it takes in six substeps
        return 0;
    double *own = rest + 3 * (ptrdiff_t)member->offset, q[MODAL_MOST], sum = 0;
    memcpy(own, velocity + 3 * (ptrdiff_t)member->offset, 3 * (size_t)member->count * sizeof(double));
    if (member->step->loose)
        rigidAdd(system, member, s->blend, -1, rigidOfVelocity(system, member, s->blend, rest), false, rest);
    apartRemove(system, member, s->blend, rest);
    modalProject(modal, own, s->mass + member->offset, system->workers, q);
    for (int k = 0; k < modal->shape->count; ++k)
    {
        double gain = modal->gain[k], undamped = modal->undamped[k];
        sum += gain > 0 && undamped > 0 ? 0.5 * (1 / gain - 1 / undamped) * q[k] * q[k] : 0;
        q[k] = -q[k];
    }
    modalExpand(modal, q, NULL, system->workers, own);
    member->step->inMatrix = dampingInMatrix(system, stage, member, rest);
    member->step->beside = 0;
    for (int i = 0; i < 3 * member->count; ++i)
        member->step->beside += 0.5 * s->mass[member->offset + i / 3] * own[i] * own[i];
    return sum + member->step->inMatrix;
}

double dampingOfModes(const System *system, const Modal *modal, double h, bool fused)
{
    double sum = 0, scale = 2 / (h * h);
    for (int k = 0; k < modal->shape->count; ++k)
    {
        double f = scale * modal->viscous[k], g = scale * modal->force[k] - f;
        double gain = modal->gain[k], other = modal->viscousGain[k], rate = dampingRate(system, modal, k);
        if (!(gain > 0) || !(rate > 0) || !isfinite(rate))
            continue;
        double mean = f / rate - 0.5 * h * (gain * g + other * f);
        sum += h * (other / gain - (fused ? 0 : 1)) * f * mean;
    }
    return sum;
}

static void beginStored(System *system, const Stage *stage)
{
    State *s = &system->state;
    double *room = scratchTake(s);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        double stored = dampingStored(system, stage, member, s->startVelocity, room);
        member->step->taken = member->step->stopped - stored;
        member->step->stored = fabs(stored);
    }
    scratchGive(s, room);
}

bool dampingBegin(System *system, const Stage *stage)
{
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->step->stopped = 0;
    beginStored(system, stage);
    bool stops = dampedRestStart(system, stage);
    if (stops)
        beginStored(system, stage);
    return stops;
}

// J, f . dx of what is no mode: all that is known of it is f . v, so that up to half more or less than f . v dt is
// booked as what was lost. Beside modes it is fast: half of that, or up to twice as much
static double takenOfRest(const System *system, const Member *member, double h)
{
    const Modal *modal = member->modal;
    double power = member->step->power;
    for (int k = 0; k < modal->shape->count && modal->used; ++k)
    {
        double rate = dampingRate(system, modal, k);
        power -= isfinite(rate) ? rate * modal->rate[k] * modal->rate[k] : 0;
    }
    double half = 0.5 * h * maxReal(power, 0);
    member->step->stored += half;
    return modal->used ? half : 2 * half;
}

// J, with pins
static double workOf(const State *s, const Member *member, const double *force, bool pins)
{
    double sum = 0;
    for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
        sum += pins && !s->pinned[i / 3] ? 0 : force[i] * (s->position[i] - s->start[i]);
    return sum;
}

void dampingTake(System *system, const Stage *stage, bool acts, const double *force)
{
    const State *s = &system->state;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        member->viscousWork = member->viscousLoss = 0; // the loss at the end of the step
        if (member->viscosity == NULL || !acts)
            continue;
        if (member->modal != NULL && member->modal->used)
            member->step->taken += member->modal->loss;
        if (force == NULL)
            member->step->taken += takenOfRest(system, member, stage->h);
        else
        {
            member->step->taken += workOf(s, member, force, false);
            member->viscousWork = stateHasPins(s) ? workOf(s, member, force, true) : 0;
        }
    }
}

void dampingEnd(System *system, const Stage *stage)
{
    State *s = &system->state;
    double *room = scratchTake(s);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        double stored = dampingStored(system, stage, member, s->velocity, room);
        member->step->recall.energy.inMatrix = member->step->inMatrix;
        member->step->taken = maxReal(member->step->taken + stored, 0);
        member->step->stored += fabs(stored);
        if (member->viscousTime > SMALL * stage->h)
            member->step->stored += KNOWN * member->step->taken;
        member->dissipated += member->step->taken;
    }
    scratchGive(s, room);
}

double dampingSettle(System *system, double excess)
{
    double slack = 0, taken = 0;
    for (int p = 0; p < system->memberCount && system->dampedInside; ++p)
    {
        slack += system->member[p]->step->stored;
        taken += system->member[p]->step->taken;
    }
    if (!(slack > 0) || !isfinite(excess) || (excess >= 0 && !(taken > 0)))
        return 0;
    double change = minReal(maxReal(excess, -slack), minReal(slack, taken)), left = change;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        double part = change < 0 ? change * (member->step->stored / slack) : change * (member->step->taken / taken);
        member->dissipated -= part;
        left -= part;
    }
    return change - left;
}

void dampingForces(System *system, double *force)
{
    const State *s = &system->state;
    systemForces(system, energyIsViscous, s->blend);
    for (int i = 0; i < 3 * s->count; ++i)
        force[i] = system->dampedTimes * s->gradient[i];
}
