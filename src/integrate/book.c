// The accounts of a step: what the caller put in and what damping took, by forces at the stage over the actual
// displacement. For the midpoint rule and quadratic energies this is exact to rounding; for others it is right to the
// method's order.
#include "integrate/integrate.h"

static bool isDrag(const Energy *energy)
{
    return energyIsDissipative(energy) && !energyIsViscous(energy);
}

// sum of gradient . (x - from) over the pinned or the free vertices of a member
static double gradientWork(const State *s, const Member *member, const double *from, bool pinned)
{
    double sum = 0;
    for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
    {
        if ((s->pinned[i / 3] != 0) == pinned)
            sum += s->gradient[i] * (s->position[i] - from[i]);
    }
    return sum;
}

static bool anyPinMoved(const State *s)
{
    for (int v = nextPin(s, 0, s->count); v < s->count; v = nextPin(s, v + 1, s->count))
    {
        for (int i = 3 * v; i < 3 * v + 3; ++i)
        {
            if (s->position[i] != s->start[i])
                return true;
        }
    }
    return false;
}

// what contact friction and the like took; they move on to the next step
static void settleAt(System *system, const double *stage)
{
    const State *s = &system->state;
    if (system->step->unsettled)
        return;
    for (int t = 0; t < system->termCount; ++t)
    {
        Energy *energy = system->term[t].energy;
        int base = 3 * system->term[t].first;
        if (energy->kind->settle != NULL)
            system->term[t].member->dissipated +=
                energy->kind->settle(energy, s->start + base, stage ? stage + base : NULL, s->position + base);
    }
}

void bookSettle(System *system)
{
    settleAt(system, system->state.stage);
}

void bookSettleSubsteps(System *system)
{
    settleAt(system, NULL);
}

// J, for a displacement of the free vertices
static double workOf(const State *s, const Term *term, const double *displacement)
{
    return energyWork(term->energy, s->stage + 3 * (ptrdiff_t)term->first, displacement + 3 * (ptrdiff_t)term->first);
}

static bool anyTurns(const System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (system->member[p]->step->turns)
            return true;
    }
    return false;
}

// of members whose step is taken in a frame that turns
static void setWorldDisplacement(System *system, double *displacement)
{
    State *s = &system->state;
    double *start = scratchTake(s);
    memcpy(start, s->start, (size_t)s->count * 3 * sizeof(double));
    memcpy(displacement, s->position, (size_t)s->count * 3 * sizeof(double));
    spinFrameWorld(system, start, displacement);
    for (int i = 0; i < 3 * s->count; ++i)
        displacement[i] -= start[i];
    scratchGive(s, start);
}

// the displacement of the free vertices: forces on pinned ones do no work on the body
static void setDisplacement(System *system, double *displacement)
{
    const State *s = &system->state;
    for (int i = 0; i < 3 * s->count; ++i)
        displacement[i] = s->position[i] - s->start[i];
    if (anyTurns(system))
        setWorldDisplacement(system, displacement);
    for (int v = nextPin(s, 0, s->count); v < s->count; v = nextPin(s, v + 1, s->count))
        vecStore(displacement + 3 * (ptrdiff_t)v, vec3(0, 0, 0));
}

// constant forces: their work depends on the whole displacement alone, so that substeps leave it to the end (divisions
// do not)
static bool isForTheEnd(const System *system, const Energy *energy)
{
    return !system->step->unsettled && (energy->traits & TRAIT_EXTERNAL) && (energy->from > 0 || energy->to < 1);
}

void bookForces(System *system)
{
    State *s = &system->state;
    double *displacement = scratchTake(s);
    setDisplacement(system, displacement);
    for (int t = 0; t < system->termCount; ++t)
    {
        if (system->term[t].energy->traits & TRAIT_EXTERNAL)
            system->term[t].member->added += workOf(s, &system->term[t], displacement);
    }
    scratchGive(s, displacement);
}

// attachments and contacts know their own displacement; forces and dashpots ask for that of the vertices
static bool needsDisplacement(const System *system)
{
    for (int t = 0; t < system->termCount; ++t)
    {
        const Energy *energy = system->term[t].energy;
        bool asks = energy->kind->work != NULL && (energy->traits & (TRAIT_EXTERNAL | TRAIT_DISSIPATIVE));
        if (asks && !isForTheEnd(system, energy))
            return true;
    }
    return false;
}

double bookAdded(System *system)
{
    State *s = &system->state;
    double *displacement = scratchTake(s), sum = 0;
    if (needsDisplacement(system))
        setDisplacement(system, displacement);
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->added = 0;
    for (int t = 0; t < system->termCount; ++t)
    {
        if (isForTheEnd(system, system->term[t].energy))
            system->step->booked = true;
        else
            system->term[t].member->added += workOf(s, &system->term[t], displacement);
    }
    scratchGive(s, displacement);
    if (anyPinMoved(s))
    {
        systemForces(system, energyIsStored, s->stage);
        for (int p = 0; p < system->memberCount; ++p)
            system->member[p]->added += gradientWork(s, system->member[p], s->start, true);
    }
    for (int p = 0; p < system->memberCount; ++p)
        sum += system->member[p]->added;
    return sum;
}

// Damping between vertices: a moved pin works against it. As a pass of its own it was measured when it was taken.
static void bookViscous(System *system)
{
    const State *s = &system->state;
    bool moved = !system->dampedApart && anyPinMoved(s);
    if (moved)
        systemForces(system, energyIsViscous, s->stage);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        double work = moved ? gradientWork(s, member, s->start, true) : 0;
        member->added += system->dampedApart ? member->viscousWork : work;
        member->dissipated += system->dampedApart ? member->viscousLoss : work;
    }
}

static bool anyDrag(const System *system)
{
    for (int t = 0; t < system->termCount; ++t)
    {
        if (isDrag(system->term[t].energy))
            return true;
    }
    return false;
}

void bookStep(System *system)
{
    State *s = &system->state;
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->dissipated = 0;
    bookAdded(system);
    bookSettle(system);
    if (system->dissipates && (!system->dampedApart || anyDrag(system)))
    {
        systemForces(system, system->dampedApart ? isDrag : energyIsDissipative, s->stage);
        const double *from = system->step->origin ? system->step->origin : s->start;
        for (int p = 0; p < system->memberCount; ++p)
            system->member[p]->dissipated += gradientWork(s, system->member[p], from, false);
    }
    if (system->dissipates)
        bookViscous(system);
}

// ---- several moments of a step --------------------------------------------------------------------------------------

void bookClear(System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->added = system->member[p]->dissipated = 0;
}

void bookAdd(System *system, double seconds)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        system->member[p]->added += seconds * system->member[p]->step->gain;
        system->member[p]->dissipated += seconds * system->member[p]->step->loss;
    }
}

bool pinsMove(const State *s)
{
    for (int i = 0; i < 3 * s->count; ++i)
    {
        if (s->pinned[i / 3] && s->pinTarget[i] != s->start[i])
            return true;
    }
    return false;
}

// sum of gradient . velocity over the pinned vertices of a member, or over the free ones
static double power(const State *s, const Member *member, const double *velocity, double h, bool pinned)
{
    double sum = 0;
    for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
    {
        if ((s->pinned[i / 3] != 0) == pinned)
            sum += s->gradient[i] * (pinned ? (s->pinTarget[i] - s->start[i]) / h : velocity[i]);
    }
    return sum;
}

void bookMoment(System *system, const double *point, const double *velocity, double fraction, double h)
{
    State *s = &system->state;
    systemSetFraction(system, fraction);
    s->stage = point;
    double *displacement = scratchTake(s);
    for (int i = 0; i < 3 * s->count; ++i)
        displacement[i] = s->pinned[i / 3] ? 0 : h * velocity[i];
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->step->gain = system->member[p]->step->loss = 0;
    for (int t = 0; t < system->termCount; ++t)
        system->term[t].member->step->gain += workOf(s, &system->term[t], displacement);
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->step->gain /= h;
    scratchGive(s, displacement);
    if (pinsMove(s))
    {
        systemForces(system, energyIsStored, point);
        for (int p = 0; p < system->memberCount; ++p)
            system->member[p]->step->gain += power(s, system->member[p], velocity, h, true);
    }
    if (system->dissipates)
    {
        for (int i = 0; i < 3 * s->count; ++i)
            s->rate[i] = velocity[i];
        systemForces(system, energyIsDissipative, point);
        for (int p = 0; p < system->memberCount; ++p)
            system->member[p]->step->loss = power(s, system->member[p], velocity, h, false);
    }
    if (system->dissipates && pinsMove(s)) // pins work against damping between vertices
    {
        systemForces(system, energyIsViscous, point);
        for (int p = 0; p < system->memberCount; ++p)
        {
            double work = power(s, system->member[p], velocity, h, true);
            system->member[p]->step->gain += work;
            system->member[p]->step->loss += work;
        }
    }
}

void bookSettleBetween(System *system)
{
    State *s = &system->state;
    systemSetFraction(system, 0.5);
    for (int i = 0; i < 3 * s->count; ++i)
        s->blend[i] = s->start[i] + 0.5 * (s->position[i] - s->start[i]);
    s->stage = s->blend;
    bookSettle(system);
}
