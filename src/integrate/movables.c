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

// what moved a row moves its vertex, and changes its velocity as if it had done so evenly; true: something did
static bool take(System *system, double h)
{
    State *s = &system->state;
    const SweepRows *rows = &system->sweep;
    bool any = false;
    for (int v = 0; v < s->count; ++v)
    {
        double *x = s->position + 3 * (ptrdiff_t)v, *u = s->velocity + 3 * (ptrdiff_t)v;
        for (int i = 0; i < 3 && !s->pinned[v]; ++i)
        {
            double by = rows->row[4 * v + i] - (x[i] - (&rows->origin.x)[i]);
            double start = rows->before[4 * v + i] - (s->start[3 * (ptrdiff_t)v + i] - (&rows->origin.x)[i]);
            any |= by != 0 || start != 0;
            x[i] += by;
            u[i] += (by - start) / h;
        }
    }
    return any;
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
        term->member->dissipated += work.dissipated;
    }
}

void movablesMeet(System *system, double h)
{
    double from = system->step->from, to = system->step->to;
    if (from == 0)
        movablesStart(system);
    movablesBegin(system, from, to, 1);
    setWindow(system, 0, 1);
    systemSetFraction(system, to);
    fill(system);
    SweepContext context = { .h = h,
                             .share = to - from,
                             .clear = h * to / (to - from) * RECOVERY,
                             .slow = SLOWEST,
                             .origin = system->sweep.origin,
                             .row = system->sweep.row,
                             .before = system->sweep.before,
                             .keep = true };
    for (int k = 0; k < SWEEPS; ++k)
    {
        context.again = k > 0;
        meetAll(system, &context, false);
    }
    meetAll(system, &context, true);
    movablesEnd(system);
    setWindow(system, from, to);
    if (!take(system, h))
        return;
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
