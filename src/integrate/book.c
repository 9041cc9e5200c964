// The books of a step: what the caller put in and what damping took, by forces at the stage over the actual way.
// For the midpoint rule and quadratic energies this is exact to rounding; for others it is right to the method's order.
#include "integrate/integrate.h"

// what the ledger's total holds: pins work against these
static bool isStored(const Energy *energy)
{
    return energy->kind->column != COLUMN_NONE;
}

static bool isDissipative(const Energy *energy)
{
    return (energy->traits & TRAIT_DISSIPATIVE) != 0;
}

// sum of gradient . (x - x_n) over the pinned or the free vertices of a part
static double gradientWork(const State *s, const Part *part, bool pinned)
{
    double sum = 0;
    for (int i = 3 * part->offset; i < 3 * (part->offset + part->count); ++i)
    {
        if ((s->pinned[i / 3] != 0) == pinned)
            sum += s->gradient[i] * (s->position[i] - s->start[i]);
    }
    return sum;
}

static bool anyPinMoved(const State *s)
{
    for (int v = 0; v < s->count; ++v)
    {
        if (!s->pinned[v])
            continue;
        for (int i = 3 * v; i < 3 * v + 3; ++i)
        {
            if (s->position[i] != s->start[i])
                return true;
        }
    }
    return false;
}

// what contact friction and the like took; they move on to the next step
static void settleParts(System *system)
{
    const State *s = &system->state;
    for (int p = 0; p < system->partCount; ++p)
    {
        Part *part = system->part[p];
        int base = 3 * part->offset;
        for (int e = 0; e < part->energyCount; ++e)
        {
            Energy *energy = part->energy[e];
            if (energy->kind->settle != NULL)
                part->dissipated += energy->kind->settle(energy, s->start + base, s->stage + base, s->position + base);
        }
    }
    // between bodies: the books are the island's, whichever body they stand with
    for (int k = 0; k < JOINTS; ++k)
    {
        Energy *joint = system->joint[k];
        if (joint != NULL && joint->kind->settle != NULL)
            system->part[0]->dissipated += joint->kind->settle(joint, s->start, s->stage, s->position);
    }
}

// the way of the free vertices, into scratch: forces on pinned ones do no work on the body
static void setWay(State *s)
{
    for (int i = 0; i < 3 * s->count; ++i)
        s->scratch[i] = s->position[i] - s->start[i];
    for (int v = 0; v < s->count; ++v)
    {
        if (s->pinned[v])
            vecStore(s->scratch + 3 * (ptrdiff_t)v, vec3(0, 0, 0));
    }
}

// constant forces: their work depends on the whole way alone, so that parts of a step leave it to the end
static bool isForTheEnd(const Energy *energy)
{
    return (energy->traits & TRAIT_EXTERNAL) && (energy->from > 0 || energy->to < 1);
}

void bookForces(System *system)
{
    State *s = &system->state;
    setWay(s);
    for (int p = 0; p < system->partCount; ++p)
    {
        Part *part = system->part[p];
        for (int e = 0; e < part->energyCount; ++e)
        {
            if (part->energy[e]->traits & TRAIT_EXTERNAL)
                part->added += energyWork(part->energy[e], s->stage + 3 * part->offset, s->scratch + 3 * part->offset);
        }
    }
}

// attachments and contacts know their own way; forces and dashpots ask for that of the vertices
static bool needsWay(const System *system)
{
    for (int p = 0; p < system->partCount; ++p)
    {
        for (int e = 0; e < system->part[p]->energyCount; ++e)
        {
            const Energy *energy = system->part[p]->energy[e];
            bool asks = energy->kind->work != NULL && (energy->traits & (TRAIT_EXTERNAL | TRAIT_DISSIPATIVE));
            if (asks && !isForTheEnd(energy))
                return true;
        }
    }
    return false;
}

double bookAdded(System *system)
{
    State *s = &system->state;
    double sum = 0;
    if (needsWay(system))
        setWay(s);
    for (int p = 0; p < system->partCount; ++p)
    {
        Part *part = system->part[p];
        part->added = 0;
        for (int e = 0; e < part->energyCount; ++e)
        {
            if (isForTheEnd(part->energy[e]))
                system->booked = true;
            else
                part->added += energyWork(part->energy[e], s->stage + 3 * part->offset, s->scratch + 3 * part->offset);
        }
    }
    if (anyPinMoved(s))
    {
        systemForces(system, isStored, s->stage);
        for (int p = 0; p < system->partCount; ++p)
            system->part[p]->added += gradientWork(s, system->part[p], true);
    }
    for (int p = 0; p < system->partCount; ++p)
        sum += system->part[p]->added;
    return sum;
}

void bookStep(System *system)
{
    State *s = &system->state;
    for (int p = 0; p < system->partCount; ++p)
        system->part[p]->dissipated = 0;
    bookAdded(system);
    settleParts(system);
    if (system->dissipates)
    {
        systemForces(system, isDissipative, s->stage);
        for (int p = 0; p < system->partCount; ++p)
            system->part[p]->dissipated += gradientWork(s, system->part[p], false);
    }
}
