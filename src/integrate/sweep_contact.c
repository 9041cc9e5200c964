// Contacts between bodies in the substeps of small steps: the list of the hard law (contact/list.h), with gaps where a
// substep begins, as constraints of its displacements in the metric of the masses alone. An impulse is found for one
// contact after the other, as for the other constraints of a sweep; for overlap positions are moved and velocities are
// not, so that what rests does not rebound. What is left is the planes' and the colliders': nothing passes these.
#include "contact/contact.h"
#include "contact/ridge.h"
#include "integrate/integrate.h"
#include "solve/hard.h"

#include <math.h>
#include <string.h>

#define SLOP 1e-4     // of the size of a body: contacts that are closer than this take part
#define UNSURE 0.2    // of the fastest velocity: by which contacts change that of others
#define RECOVERED 0.2 // of the overlap, in a substep

static int countPairs(const System *system)
{
    int count = 0;
    for (int t = system->jointStart; t < system->termCount; ++t)
        count += system->term[t].energy->kind == &pairKind ? system->term[t].energy->elementCount : 0;
    return count;
}

bool sweepTouches(const System *system)
{
    return system->proximity != NULL || system->ridgeCount > 0 || countPairs(system) > 0;
}

bool sweepTouchReserve(System *system)
{
    system->contacts.count = 0;
    return systemSweepReserve(system) && contactListReserve(&system->contacts, system->memory, touchRoom(system));
}

// ---- rows and arrays ------------------------------------------------------------------------------------------------

static Vec3 rowAt(const double *row, int vertex)
{
    return vecLoad(row + 4 * (ptrdiff_t)vertex);
}

static void loadPositions(const System *system, double *position)
{
    for (int v = 0; v < system->state.count; ++v)
        vecStore(position + 3 * (ptrdiff_t)v, vecAdd(system->sweep.origin, rowAt(system->sweep.row, v)));
}

static void loadVelocities(const System *system, double h, double *velocity)
{
    for (int v = 0; v < system->state.count; ++v)
    {
        Vec3 moved = vecSub(rowAt(system->sweep.row, v), rowAt(system->sweep.before, v));
        vecStore(velocity + 3 * (ptrdiff_t)v, vecScale(1 / h, moved));
    }
}

static void storeRows(System *system, double h)
{
    const State *s = &system->state;
    for (int v = 0; v < s->count; ++v)
    {
        Vec3 x = vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), system->sweep.origin);
        if (s->pinned[v])
            continue;
        vecStore(system->sweep.row + 4 * (ptrdiff_t)v, x);
        vecStore(system->sweep.before + 4 * (ptrdiff_t)v,
                 vecSub(x, vecScale(h, vecLoad(s->velocity + 3 * (ptrdiff_t)v))));
    }
}

// ---- the contacts of a substep --------------------------------------------------------------------------------------

void sweepTouchStart(System *system, const SweepContext *context, bool first)
{
    State *s = &system->state;
    loadPositions(system, s->blend);
    if (first)
        memcpy(s->velocity, s->startVelocity, 3 * (size_t)s->count * sizeof(double));
    else
        loadVelocities(system, context->h, s->velocity);
}

static ProximityView nearView(const System *system, const SweepContext *context, const SweepTouch *touch)
{
    const State *s = &system->state;
    return (ProximityView){ .x = s->blend,
                            .to = s->position,
                            .pinned = s->pinned,
                            .h = context->h,
                            .ahead = context->h * (1 - touch->from) / (touch->to - touch->from),
                            .workers = system->workers };
}

static void collect(System *system, const SweepContext *context, const SweepTouch *touch)
{
    State *s = &system->state;
    double *velocity = scratchTake(s), square = 0;
    loadPositions(system, s->position);
    loadVelocities(system, context->h, velocity);
    for (int v = 0; v < s->count; ++v)
    {
        Vec3 u = vecLoad(velocity + 3 * (ptrdiff_t)v);
        square = maxReal(square, vecDot(u, u));
    }
    ContactView view = { .z = s->blend,
                         .velocity = velocity,
                         .h = context->h,
                         .overlap = system->proximity ? system->proximity->crossed : NULL,
                         .reach = SLOP * systemSize(system) + UNSURE * context->h * sqrt(square) };
    ProximityView near = nearView(system, context, touch);
    system->contacts.count = 0;
    system->contacts.h = context->h;
    for (view.term = system->jointStart; view.term < system->termCount; ++view.term)
    {
        if (system->term[view.term].energy->kind == &pairKind)
            pairCollect(system->term[view.term].energy, &view, &system->contacts);
    }
    touchCollectBetween(system, &view, &near);
    for (int c = 0; c < system->contacts.count; ++c)
    {
        Contact *contact = &system->contacts.item[c];
        contact->impulse = vec3(0, 0, 0);
        contact->before = contactRate(contact, s->velocity);
    }
    scratchGive(s, velocity);
}

// ---- a sweep --------------------------------------------------------------------------------------------------------

static Vec3 displacementOf(const Contact *contact, const SweepContext *context)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int k = 0; k < contact->count; ++k)
        sum = vecAdd(sum, vecScale(contact->weight[k], vecSub(rowAt(context->row, contact->vertex[k]),
                                                              rowAt(context->before, contact->vertex[k]))));
    return sum;
}

static double inverseOf(const Contact *contact, const double *row) // 1/kg
{
    double sum = 0;
    for (int k = 0; k < contact->count; ++k)
        sum += contact->weight[k] * contact->weight[k] * row[4 * (ptrdiff_t)contact->vertex[k] + 3];
    return sum;
}

// `target`, rows like `row` that has the masses, moves by an impulse times the time, kg m
static void push(const Contact *contact, const double *row, double *target, Vec3 impulse)
{
    for (int k = 0; k < contact->count; ++k)
    {
        ptrdiff_t at = 4 * (ptrdiff_t)contact->vertex[k];
        vecStore(target + at, vecAdd(vecLoad(target + at), vecScale(contact->weight[k] * row[at + 3], impulse)));
    }
}

static void solveContact(Contact *contact, const SweepContext *context)
{
    double inverse = inverseOf(contact, context->row) * context->h; // s/kg
    Vec3 moved = displacementOf(contact, context), n = contact->normal;
    double pressed = vecDot(contact->impulse, n);
    if (!(inverse > 0))
        return;
    double along = maxReal(pressed - (vecDot(moved, n) + maxReal(contact->gap, 0)) / inverse, 0);
    if (along == 0 && pressed == 0)
        return;
    Vec3 wanted = vecSub(contact->impulse, vecScale(1 / inverse, moved));
    wanted = hardCone(contact, vecAdd(wanted, vecScale(along - vecDot(wanted, n), n)));
    push(contact, context->row, context->row, vecScale(context->h, vecSub(wanted, contact->impulse)));
    contact->impulse = wanted;
}

void sweepTouch(System *system, const SweepContext *context, const SweepTouch *touch, bool first)
{
    if (first)
        collect(system, context, touch);
    int count = system->contacts.count;
    for (int c = 0; c < count; ++c)
        solveContact(&system->contacts.item[context->backward ? count - 1 - c : c], context);
}

// ---- the end of a substep -------------------------------------------------------------------------------------------

// overlap that the substep began with, against what presses
static void part(System *system, const SweepContext *context, double speed)
{
    for (int c = 0; c < system->contacts.count; ++c)
    {
        const Contact *contact = &system->contacts.item[c];
        double inverse = inverseOf(contact, context->row), left = contact->gap, moved;
        if (!(inverse > 0 && contact->gap < 0))
            continue;
        moved = vecDot(displacementOf(contact, context), contact->normal);
        left = maxReal(minReal(-RECOVERED * left, speed * context->h) - maxReal(moved, 0), 0);
        Vec3 impulse = vecScale(left / inverse, contact->normal);
        push(contact, context->row, context->row, impulse);
        push(contact, context->row, system->sweep.before, impulse);
        system->term[contact->term].member->added += left / context->h * vecDot(contact->impulse, contact->normal);
    }
}

// Force times way, with the mean of the velocities at both ends of the substep. Where something else acts on the same
// points this is too much: the ledger of the step takes off what is not gone (sweep_damping.c).
static void keepAndBook(System *system, double h)
{
    State *s = &system->state;
    for (int c = 0; c < system->contacts.count; ++c)
    {
        Contact *contact = &system->contacts.item[c];
        Member *member = system->term[contact->term].member;
        if (!(vecDot(contact->impulse, contact->impulse) > 0))
            continue;
        contact->after = contactRate(contact, s->velocity);
        touchKeepBetween(system, contact, h);
        double loss = maxReal(-0.5 * vecDot(contact->impulse, vecAdd(contact->before, contact->after)), 0);
        member->dissipated += loss;
        member->step->stored += loss;
        member->added -= hardPinWork(s, contact, s->velocity);
    }
}

void sweepTouchEnd(System *system, const SweepContext *context, const SweepTouch *touch)
{
    State *s = &system->state;
    bool pushed = false, apart = false;
    double added = 0;
    if (touch->between)
    {
        part(system, context, touch->recovery);
        touchForgetBetween(system, touch->from == 0);
    }
    loadPositions(system, s->position);
    loadVelocities(system, context->h, s->velocity);
    if (touch->between)
        keepAndBook(system, context->h);
    system->contacts.clipped = 0;
    bool outside = touchStayOutside(system, s->blend, context->h, touch->from, touch->to, &pushed);
    if (touch->between)
    {
        ProximityView near = nearView(system, context, touch);
        apart = touchStayApart(system, &near, false, &added);
    }
    if (!outside && !apart)
        return;
    storeRows(system, context->h);
    double lost = system->contacts.clipped - added;
    if (lost > 0)
        system->member[0]->dissipated += lost;
    else if (!context->forgets) // pbd takes it back (pbd_energy.c)
        system->member[0]->added -= lost;
    system->member[0]->step->stored += maxReal(lost, 0);
}
