// How stiff what bodies are near to is, and whether they hit it: where a step is not enough.
#include "contact/contact.h"
#include "integrate/integrate.h"

#define SMALL_HIT 0.01 // of the tolerance: what a step may hit with; a body of many vertices does so for some 30 steps

// 1/s, of the fastest vertex on the springs of what it is near to: sqrt(k / m)
double fastestContact(const System *system)
{
    double most = 0, weights[LANES * MAX_CORNERS * MAX_CORNERS];
    for (int t = 0; t < system->termCount; ++t)
    {
        const Energy *energy = system->term[t].energy;
        const double *mass = system->state.mass + system->term[t].first;
        bool touches = energy->kind->column == COLUMN_CONTACT && energy->kind->majorizer != NULL;
        if (!touches || !energyIsDiagonal(energy) || energyIsIdle(energy))
            continue;
        int corners = energy->kind->corners;
        for (int i = 0; i < energy->elementCount; ++i)
        {
            if (i % LANES == 0)
                energy->kind->majorizer(energy, i / LANES, weights);
            for (int c = 0; c < corners; ++c)
            {
                int vertex = laneVertices(energy, i / LANES)[c * LANES + i % LANES];
                most = maxReal(most, weights[(i % LANES) * corners + c] / mass[vertex]);
            }
        }
    }
    return sqrt(most);
}

// Vertices meet something with an energy that matters. Bodies that rest or slide need no more substeps
bool contactsHit(System *system, double h, double tolerance)
{
    const State *s = &system->state;
    double sum = 0;
    for (int t = 0; t < system->termCount; ++t)
    {
        const Energy *energy = system->term[t].energy;
        int first = system->term[t].first;
        if (contactIsKind(energy->kind))
            sum += contactImpact(energy, s->mass + first, s->start + 3 * (ptrdiff_t)first,
                                 s->startVelocity + 3 * (ptrdiff_t)first, h);
    }
    return sum > SMALL_HIT * tolerance * motionScale(system, h);
}

#define PHASE 5.0 // h sqrt(k / m) of a substep: then a midpoint step with contacts as they are rebounds within a tenth
#define MOST 4    // substeps: what is stiffer measures no better in more

int impactSubsteps(System *system, double h, double tolerance)
{
    double phase = h * fastestContact(system);
    if (phase <= PHASE)
        return 1;
    systemSetExternal(system);
    if (!contactsHit(system, h, tolerance))
        return 1;
    int count = 2;
    while (phase / count > PHASE && count < MOST)
        count *= 2;
    return count;
}
