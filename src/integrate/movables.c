// Rigid bodies near an island, in its steps and substeps (contact/movable.h).
#include "contact/movable.h"
#include "integrate/integrate.h"

#include <math.h>
#include <string.h>

#define SWEEPS 8         // over the contacts of rigid bodies, after the step of a method that does not know them
#define RECOVERY 1.0     // m/s, at which overlap that a step begins with is taken back
#define LEAST_SUBSTEPS 8 // of a step of such a method
#define MOST_SUBSTEPS 40
#define PER_CROSSING 10 // while a wave crosses a body: what surfaces are moved by must go to the rest
#define SLOWEST 0.05    // m/s: slower ones do not rebound
#define SPENT 0.1       // of the energy of vibrations, that being put back on the surface may cost
#define SAME 1e-9       // of a step: moments that differ by rounding

// A step that is a part of the world's goes on where the one before it ended, or is taken again.
void movablesStart(System *system)
{
    bool first = !(system->step->from > 0), again = fabs(system->step->reached - system->step->from) > SAME;
    for (int m = 0; m < system->movableCount; ++m)
    {
        if (first)
            movableStart(&system->movable[m]);
        else
            movablePart(&system->movable[m], again);
    }
    for (int t = 0; t < system->termCount; ++t)
    {
        Energy *energy = system->term[t].energy;
        if (!contactIsKind(energy->kind))
            continue;
        if (!first)
            contactImpulsePart(energy, again);
        else if (system->movableCount > 0)
            contactForgetMovables(energy);
    }
    system->step->reached = system->step->to;
}

void movablesBegin(System *system, double from, double to, double theta)
{
    for (int m = 0; m < system->movableCount; ++m)
        movableBegin(&system->movable[m], from, to, theta);
}

void movablesEnd(System *system)
{
    for (int m = 0; m < system->movableCount; ++m)
        movableEnd(&system->movable[m]);
}

// ---- after the step of a method that does not know them -------------------------------------------------------------

static void fill(System *system)
{
    const State *s = &system->state;
    SweepRows *rows = &system->sweep;
    rows->origin = vecLoad(s->start);
    for (int v = 0; v < s->count; ++v)
    {
        double *row = rows->row + 4 * (ptrdiff_t)v, *before = rows->before + 4 * (ptrdiff_t)v;
        vecStore(row, vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), rows->origin));
        vecStore(before, vecSub(vecLoad(s->start + 3 * (ptrdiff_t)v), rows->origin));
        row[3] = before[3] = s->pinned[v] ? 0 : 1 / s->mass[v];
    }
}

// m, by which a row was moved at the end of the step, or at its start
static double movedBy(const System *system, int v, int i, bool end)
{
    const State *s = &system->state;
    const double *row = end ? system->sweep.row : system->sweep.before, *x = end ? s->position : s->start;
    return row[4 * v + i] - (x[3 * (ptrdiff_t)v + i] - (&system->sweep.origin.x)[i]);
}

static bool anyMoved(const System *system)
{
    const State *s = &system->state;
    for (int v = 0; v < s->count; ++v)
    {
        for (int i = 0; i < 3 && !s->pinned[v]; ++i)
        {
            if (movedBy(system, v, i, true) != 0 || movedBy(system, v, i, false) != 0)
                return true;
        }
    }
    return false;
}

// what moved a row changes the velocity of its vertex as if it had done so evenly
static void takeVelocities(System *system, double h)
{
    State *s = &system->state;
    for (int v = 0; v < s->count; ++v)
    {
        double *u = s->velocity + 3 * (ptrdiff_t)v;
        for (int i = 0; i < 3 && !s->pinned[v]; ++i)
            u[i] += (movedBy(system, v, i, true) - movedBy(system, v, i, false)) / h;
    }
}

static void movePositions(State *s, const double *by, double share)
{
    for (int i = 0; i < 3 * s->count; ++i)
        s->position[i] += share * by[i];
}

static void meetAll(System *system, const SweepContext *context, bool end)
{
    for (int t = 0; t < system->termCount; ++t)
    {
        const Term *term = &system->term[t];
        if (!contactIsKind(term->energy->kind) || term->energy->off)
            continue;
        ptrdiff_t first = 4 * (ptrdiff_t)term->first;
        SweepContext own = *context;
        SweepWork work = { 0, 0 };
        own.row = context->row + first;
        own.before = context->before + first;
        term->energy->mean = false;
        if (end)
            contactMeetEnd(term->energy, &own, system->sweep.before + first, &work);
        else
            contactMeet(term->energy, &own, &work);
        term->member->added += work.added;
        term->member->step->sum[1] += work.added;
    }
}

// what contacts keep of vertices at x (count x 3), or of velocities
static void keepAll(System *system, const double *x, void (*keep)(Energy *contact, const double *x))
{
    for (int t = 0; t < system->termCount; ++t)
    {
        const Term *term = &system->term[t];
        if (contactIsKind(term->energy->kind) && !term->energy->off)
            keep(term->energy, x + 3 * (ptrdiff_t)term->first);
    }
}

// ---- what they take -------------------------------------------------------------------------------------------------

// Each contact knows only its own share of a velocity that many of them change, and the displacement of the substep
// instead of the velocities that the method ends it with. What they take together is known exactly: the work of the
// rigid bodies less what the energy of a member has grown by, sum[1] of its step.

static double storedNow(System *system) // J
{
    Balance balance = balanceStored(system, system->state.position);
    return balanceTotal(&balance);
}

// the energies that were asked for last, times a factor; joints count as their first member's
static void addEnergies(System *system, double factor)
{
    for (int t = 0; t < system->termCount; ++t)
    {
        const Term *term = &system->term[t];
        if (energyIsStored(term->energy))
            term->member->step->sum[1] += factor * energySum(term->energy);
    }
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->step->sum[1] +=
            factor * memberKinetic(&system->state, system->member[p], system->state.velocity);
}

// b in [0, 1] with slope b + curve b^2 = rest, where the whole is more
static double shareOf(double slope, double curve, double rest)
{
    double root = sqrt(maxReal(slope * slope + 4 * curve * rest, 0));
    double share = slope < 0 && curve > 0 ? (root - slope) / (2 * curve) : 2 * rest / (slope + root);
    return minReal(maxReal(share, 0), 1); // 0 / 0: 0
}

// J, by which the accounts let the energy grow from such an amount: what the method lost may come back
static double roomOf(const System *system, double stored)
{
    double taken = -stored, booked = system->step->target - stored;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        double kinetic = memberKinetic(&system->state, member, system->state.velocity);
        taken += member->step->sum[1] - kinetic;
        booked += member->added - member->dissipated - kinetic;
    }
    return maxReal(maxReal(taken, booked), 0);
}

// Velocities are those of the impulses; positions follow as far as the energy does not grow by it beyond what these
// took and a little of the vibrations: without that light sheets sink into what lies on them. A vertex of stiff matter
// that is put back on the surface at once stores h^2 k / m times the energy of the hit.
static void takePositions(System *system, double before)
{
    State *s = &system->state;
    double room = roomOf(system, before), *by = scratchTake(s);
    for (int i = 0; i < 3 * s->count; ++i)
        by[i] = s->pinned[i / 3] ? 0 : movedBy(system, i / 3, i % 3, true);
    movePositions(s, by, 1);
    double whole = storedNow(system) - before;
    if (whole > room)
        room += SPENT * shrinkBodies(system, 0);
    if (whole > room)
    {
        movePositions(s, by, -0.5);
        double half = storedNow(system) - before;
        movePositions(s, by, shareOf(4 * half - whole, 2 * whole - 4 * half, room) - 0.5);
        storedNow(system);
    }
    scratchGive(s, by);
}

static void takeMet(System *system, double h)
{
    double before = storedNow(system), sum = 0, over = -system->step->target;
    addEnergies(system, 1);
    takeVelocities(system, h);
    takePositions(system, before);
    metEnd(system);
    addEnergies(system, -1);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        sum += member->step->sum[1];
        over += memberKinetic(&system->state, member, system->state.velocity) - member->added + member->dissipated;
    }
    for (int t = 0; t < system->termCount; ++t)
        over += energyIsStored(system->term[t].energy) ? energySum(system->term[t].energy) : 0;
    for (int p = 0; p < system->memberCount && sum > 0; ++p)
        system->member[p]->dissipated += system->member[p]->step->sum[1];
    shrinkBy(system, shrinkBodies, minReal(-sum, over), 1); // what is gained is taken from the vibrations it went to
}

void movablesMeet(System *system, double h)
{
    double from = system->step->from, to = system->step->to;
    if (from == 0)
    {
        movablesStart(system);
        keepAll(system, system->state.startVelocity, contactMeetStart); // nothing is kept of the step before
    }
    movablesBegin(system, from, to, 1);
    setWindow(system, 0, 1);
    systemSetFraction(system, to);
    fill(system);
    SweepContext context = { .h = h,
                             .share = to - from,
                             .clear = h * RECOVERY,
                             .slow = SLOWEST,
                             .origin = system->sweep.origin,
                             .row = system->sweep.row,
                             .before = system->sweep.before,
                             .keep = true };
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->step->sum[1] = 0;
    metBegin(system);
    for (int k = 0; k < SWEEPS; ++k)
    {
        context.again = k > 0;
        meetAll(system, &context, false);
    }
    meetAll(system, &context, true);
    metGiven(system);
    movablesEnd(system);
    setWindow(system, from, to);
    if (!anyMoved(system))
        return;
    systemSetFraction(system, 1);
    takeMet(system, h);
    keepAll(system, system->state.position, contactMeetKeep);
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->step->recall = (Recall){ .number = { 0 } }; // methods with a past start anew
}

bool movablesWait(const System *system, const Integrator *integrator)
{
    return system->movableCount > 0 && !integrator->answers && touchesColliders(system);
}

int movablesSubsteps(const System *system, double h)
{
    double waves = 0;
    for (int p = 0; p < system->memberCount; ++p)
        waves = maxReal(waves, system->member[p]->step->waves);
    return (int)minReal(maxReal(ceil(PER_CROSSING * h * waves), LEAST_SUBSTEPS), MOST_SUBSTEPS);
}
