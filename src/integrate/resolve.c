// How many substeps a blending method takes. A blend puts the energy right and not the motion: where steps blend
// strongly towards backward Euler they do not resolve what happens, and the next ones are divided, in 2, 4, 8 and then
// in 16, until they have been calm for a while. Of Newton's method 16 substeps of stiff cloth cost no more than 4: a
// factor serves most of a substep, where long ones need one in nearly every iteration.
#include "contact/contact.h"
#include "integrate/integrate.h"

#define STRONG 0.02   // alpha
#define MOST_LEVEL 4  // doublings
#define CALM_STEPS 20 // that a level stays for

// Contacts have a rule of their own (impact.c): more substeps than it asks for make hits no better. What is merely near
// a collider does not count.
bool resolveTouches(System *system, const double *position, double fraction)
{
    systemSetFraction(system, fraction);
    for (int t = 0; t < system->termCount; ++t)
    {
        Energy *energy = system->term[t].energy;
        const double *own = position + 3 * (ptrdiff_t)system->term[t].first;
        bool outer = contactIsKind(energy->kind);
        if (energy->kind->column == COLUMN_CONTACT && !energyIsIdle(energy) && (!outer || energyValue(energy, own) > 0))
            return true;
    }
    return false;
}

int resolveSubsteps(System *system)
{
    double level = 0;
    if (resolveTouches(system, system->state.start, 0))
        return 1;
    for (int p = 0; p < system->memberCount; ++p)
        level = maxReal(level, system->member[p]->step->recall.energy.level);
    return 1 << (int)level;
}

void resolveWatch(System *system, double alpha)
{
    const State *s = &system->state;
    bool strong = alpha > STRONG && !resolveTouches(system, s->start, 0) && !resolveTouches(system, s->position, 1);
    systemSetFraction(system, 1);
    for (int p = 0; p < system->memberCount; ++p)
    {
        EnergyRecall *recall = &system->member[p]->step->recall.energy;
        recall->levelSteps -= recall->levelSteps > 0;
        if (strong)
        {
            recall->level = minReal(recall->level + 1, MOST_LEVEL);
            recall->levelSteps = CALM_STEPS;
        }
        else if (recall->level > 0 && recall->levelSteps == 0)
        {
            recall->level -= 1;
            recall->levelSteps = CALM_STEPS;
        }
    }
}
