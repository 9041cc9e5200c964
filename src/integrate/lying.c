// Sheets that lie on each other, on themselves or on something else. While they may touch, a sheet moves by B alone,
// which slows its waves by hs^2: the rule has ten substeps for a wave to cross it, so that what swings there is right.
// What lies still has no waves to resolve, and takes half as many; its contacts get more iterations for that, or
// impulses that pass through many layers would keep it trembling.
#include "contact/proximity.h"
#include "integrate/integrate.h"

#define SLOW 0.08 // sizes of a body a second, rms of its vertices, below which it lies still: what moves so could lift
                  //   a body of 1 m by a third of a millimetre
#define HELD 0.5  // of it, where something holds the body in space: it may swing
#define STEPS 5   // one after the other, in which it has been so slow
#define WAKES 1.5 // of these speeds: at more a body that lies is awake

// (m/s)^2, the mean over its vertices
static double meanSquare(const State *s, const Member *member)
{
    double kinetic = 0, mass = 0;
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        Vec3 u = vecLoad(s->velocity + 3 * (ptrdiff_t)v);
        kinetic += s->mass[v] * vecDot(u, u);
        mass += s->mass[v];
    }
    return kinetic / mass;
}

bool systemLies(const System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        const EnergyRecall *recall = &system->member[p]->step->recall.energy;
        if (recall->level != 0 || recall->levelSteps < STEPS)
            return false;
    }
    return system->proximity != NULL;
}

void lyingWatch(System *system)
{
    double fastest = 0; // 1: the square of the share of what is slow
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        double slow = member->size * SLOW * (member->step->tied ? HELD : 1);
        fastest = maxReal(fastest, meanSquare(&system->state, member) / (slow * slow));
    }
    bool touches = system->proximity != NULL && system->contacts.touched;
    for (int p = 0; p < system->memberCount; ++p)
    {
        EnergyRecall *recall = &system->member[p]->step->recall.energy;
        bool lay = recall->levelSteps >= STEPS;
        double most = lay ? WAKES : 1;
        if (recall->level == 0) // else these are the steps that the level stays for
            recall->levelSteps = touches && fastest <= most * most ? minReal(recall->levelSteps + 1, STEPS) : 0;
    }
}
