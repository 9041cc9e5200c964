// The energy that a step must end with, and how far from it a state is (Dinev 2018, Eq 20 and 37): the total of the
// ledger against the island's accounts, with what this step adds and damping takes on the way to that state. Contact
// counts like every other energy: to leave it out lets blends put energy in during compression.
//
// Friction needs no account of its own here. Its anchors still stand where the step before left them, so that the
// potential of a slipping anchor grows by the work of friction: what settling books as dissipated later.
#include "integrate/integrate.h"

#include <float.h>

#define LEAST_SHARE 1e-3 // of the most energy that motion may still have, that tolerances refer to at least;
#define LEAST_EVER 1e-11 // of the most there ever was: what the accounts can tell
#define ROUNDING 1e-13   // of the terms of a sum
#define ULPS 4           // of a position: the error of its change in a step
#define SPECTRUM_STEPS 8 // it changes slowly, and measuring it takes 2 % of a step;
#define BLENDED_STEPS 2  // a step that blends counts as so many

void watchMiddle(System *system, double h, double *middle)
{
    State *s = &system->state;
    for (int i = 0; i < 3 * s->count; ++i)
        middle[i] = s->start[i] + 0.5 * (s->position[i] - s->start[i]);
    const double *from = system->step->origin ? system->step->origin : s->start;
    for (int i = 0; i < 3 * s->count && system->dissipates; ++i)
        s->rate[i] = (s->position[i] - from[i]) / h;
    s->stage = middle;
}

// J that damping takes, force times displacement: 2 h R of potentials that are quadratic in the rate
double dissipatedBy(System *system, double h)
{
    double sum = 0;
    for (int t = 0; t < system->termCount && system->dissipates; ++t)
    {
        const Term *term = &system->term[t];
        const double *rate = system->state.rate + 3 * (ptrdiff_t)term->first;
        if (!(term->energy->traits & TRAIT_DISSIPATIVE))
            continue;
        if (term->energy->kind->power != NULL)
            sum += h * term->energy->kind->power(term->energy, rate);
        else
            sum += 2 * h * energyValue(term->energy, rate);
    }
    return sum;
}

double addedBy(System *system, double h)
{
    double *middle = scratchTake(&system->state);
    watchMiddle(system, h, middle);
    systemSetMidpoint(system);
    double added = bookAdded(system);
    systemSetFraction(system, 1);
    scratchGive(&system->state, middle);
    return added;
}

Watch energyWatch(System *system, double h, const double *velocity)
{
    Watch watch = { .added = addedBy(system, h) };
    double dissipated = dissipatedBy(system, h);
    watch.balance = balanceAt(system, system->state.position, velocity);
    watch.error = balanceTotal(&watch.balance) - (system->step->target + watch.added - dissipated);
    return watch;
}

// The terms cannot be summed more exactly, and velocities below ULPS epsilon |x| / h are rounding errors of positions:
// at rest they are all the energy there is.
double energyRounding(const System *system, double h, const Balance *b)
{
    const State *s = &system->state;
    double terms = b->kinetic + fabs(b->elastic) + fabs(b->gravity) + fabs(b->contact) + fabs(system->step->target);
    double moment = 0; // kg m^2
    for (int v = 0; v < s->count; ++v)
    {
        Vec3 x = vecLoad(s->start + 3 * (ptrdiff_t)v);
        moment += s->mass[v] * vecDot(x, x);
    }
    double rate = ULPS * DBL_EPSILON / h; // 1/s
    return maxReal(ROUNDING * terms, 0.5 * moment * rate * rate);
}

double motionScale(System *system, double h)
{
    State *s = &system->state;
    double kinetic = 0, pulled = 0, most = 0, left = 0, stored = 0;
    for (int v = 0; v < s->count; ++v)
    {
        Vec3 u = vecLoad(s->startVelocity + 3 * (ptrdiff_t)v), f = vecLoad(s->external + 3 * (ptrdiff_t)v);
        kinetic += s->pinned[v] ? 0 : 0.5 * s->mass[v] * vecDot(u, u);
        pulled += s->pinned[v] ? 0 : 0.5 * h * h / s->mass[v] * vecDot(f, f);
    }
    for (int p = 0; p < system->memberCount; ++p)
    {
        most = maxReal(most, system->member[p]->step->recall.energy.most);
        left = maxReal(left, system->member[p]->step->recall.energy.left);
        stored = maxReal(stored, system->member[p]->step->recall.energy.stored);
    }
    if (stored == 0) // the first step, or nothing is strained
    {
        systemSetFraction(system, 0);
        Balance start = balanceAt(system, s->start, s->startVelocity);
        stored = start.elastic + start.contact;
    }
    // what was taken between the steps: damping of motion that is not rigid, or the caller
    double before = system->member[0]->step->recall.energy.moving, now = kinetic + stored;
    left = maxReal(now < before ? left * (now / before) : left, now);
    most = maxReal(most, now);
    for (int p = 0; p < system->memberCount; ++p)
    {
        system->member[p]->step->recall.energy.most = most;
        system->member[p]->step->recall.energy.left = left;
        system->member[p]->step->recall.energy.moving = now;
    }
    return maxReal(maxReal(kinetic + stored, pulled), maxReal(LEAST_SHARE * left, LEAST_EVER * most));
}

// The most that motion may still have falls by the share that damping took in the step. A floor that never falls leaves
// the noise of a violent start for ever: at 1e-6 of its energy with inverted tets.
void watchClose(System *system, const Balance *end, StepReport *report)
{
    double dissipated = 0, all = end->kinetic + end->elastic + end->contact;
    for (int p = 0; p < system->memberCount; ++p)
        dissipated += maxReal(system->member[p]->dissipated, 0);
    for (int p = 0; p < system->memberCount; ++p)
    {
        EnergyRecall *recall = &system->member[p]->step->recall.energy;
        recall->stored = end->elastic + end->contact;
        recall->moving = all;
        recall->left *= dissipated > 0 && all > 0 ? all / (all + dissipated) : 1;
    }
    double moving = end->elastic + end->kinetic;
    report->share = moving > 0 ? end->elastic / moving : 0;
    EnergyRecall *first = &system->member[0]->step->recall.energy;
    if (first->clock == 0)
        first->spectrum = spectrumShare(system, system->state.position, system->state.velocity);
    first->clock += report->alpha != 0 ? BLENDED_STEPS : 1;
    if (first->clock >= SPECTRUM_STEPS)
        first->clock = 0;
    report->spectrum = first->spectrum;
}
