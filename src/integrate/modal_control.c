// The energy of a step whose low modes are exact, once per step and island, momenta untouched: v = v_r + v_l + v_w, the
// rigid motion of bodies that nothing ties, the modes, the rest. A gain is taken from the rest, where it comes from,
// then from the modes; a loss is given back to the modes. Changes of one step are small: steering towards the mean
// velocity of the step, as bodies without modes are, spoils modes with periods of a few steps.
#include "integrate/integrate.h"

#include <string.h>

#define LEAST_REST 0.7 // of v_w, in one step
#define LEAST_LOW 0.98 // of v_l
#define MOST_LOW 1.02  //

typedef struct Groups
{
    double *low, *rest;           // count x 3: v_l and v_w; 0 at pins
    double lowEnergy, restEnergy; // J
} Groups;

// takes the rigid part of a member out of velocities
static void removeTwist(const System *system, const Member *member, double *field)
{
    const double *position = system->state.position;
    apartRemove(system, member, position, field);
    if (member->step->apart)
        return;
    rigidAdd(system, member, position, -1, rigidOfVelocity(system, member, position, field), false, field);
}

static void splitMember(System *system, Member *member, Groups *groups)
{
    State *s = &system->state;
    bool tied = memberIsTied(s, member), moves = !tied || member->step->apart;
    int begin = 3 * member->offset, end = 3 * (member->offset + member->count);
    memcpy(groups->rest + begin, s->velocity + begin, (size_t)(end - begin) * sizeof(double));
    memset(groups->low + begin, 0, (size_t)(end - begin) * sizeof(double));
    for (int i = begin; i < end && tied; ++i)
        groups->rest[i] = s->pinned[i / 3] ? 0 : groups->rest[i];
    if (moves)
    {
        member->step->frame = rigidFrame(system, member, s->position);
        removeTwist(system, member, groups->rest);
    }
    if (member->modal != NULL && member->modal->used)
    {
        double q[MODAL_MOST];
        modalTurn(member->modal, s->position + begin, system->workers);
        modalProject(member->modal, groups->rest + begin, s->mass + member->offset, system->workers, q);
        modalExpand(member->modal, q, NULL, system->workers, groups->low + begin);
        if (moves)
            removeTwist(system, member, groups->low);
    }
    for (int i = begin; i < end; ++i)
    {
        groups->rest[i] -= groups->low[i];
        groups->lowEnergy += 0.5 * s->mass[i / 3] * groups->low[i] * groups->low[i];
        groups->restEnergy += 0.5 * s->mass[i / 3] * groups->rest[i] * groups->rest[i];
    }
}

bool controlIsFree(const System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        const JoinedMember *joined = &system->member[p]->step->joined;
        if (joined->group < 0 ? !memberIsFree(system, p) : joined->group == p && joined->tied)
            return false;
    }
    return true;
}

// Of bodies that nothing holds or touches only what is not rigid motion counts: a hundredth of a spin is half of what
// the spin stores in a stiff body
double controlBand(const System *system, const Balance *balance, double swing)
{
    const State *s = &system->state;
    double lively = balance->kinetic + balance->elastic;
    if (!controlIsFree(system))
        return swing;
    for (int p = 0; p < system->memberCount; ++p)
    {
        RigidMotion m = looseMotion(system, p, s->position, s->velocity);
        lively -= 0.5 * (m.mass * vecDot(m.velocity, m.velocity) + vecDot(m.spin, matApply(&m.inertia, m.spin)));
    }
    return minReal(swing, maxReal(lively, 0));
}

// the root of what is left of an energy, or a limit
static double scaleOf(double taken, double energy)
{
    return energy > 0 ? sqrt(maxReal(1 - taken / energy, 0)) : 1;
}

double controlGroups(System *system, double excess, double tolerance, bool returns)
{
    State *s = &system->state;
    if (!(fabs(excess) > tolerance) || !isfinite(excess) || (excess < 0 && !returns))
        return 0;
    Groups groups = { .low = scratchTake(s), .rest = scratchTake(s) };
    for (int p = 0; p < system->memberCount; ++p)
        splitMember(system, system->member[p], &groups);
    double taken = excess - (excess > 0 ? 0.5 : -0.5) * tolerance, low = 1, rest = 1;
    if (taken > 0)
    {
        rest = maxReal(scaleOf(taken, groups.restEnergy), LEAST_REST);
        taken -= (1 - rest * rest) * groups.restEnergy;
        low = taken > 0 ? maxReal(scaleOf(taken, groups.lowEnergy), LEAST_LOW) : 1;
    }
    else
        low = minReal(scaleOf(taken, groups.lowEnergy), MOST_LOW);
    for (int i = 0; i < 3 * s->count; ++i)
        s->velocity[i] += (low - 1) * groups.low[i] + (rest - 1) * groups.rest[i];
    scratchGive(s, groups.rest);
    scratchGive(s, groups.low);
    return (low * low - 1) * groups.lowEnergy + (rest * rest - 1) * groups.restEnergy;
}
