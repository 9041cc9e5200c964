// The methods by their words: the tables first, then those that are no table.
#include "lab/ode.h"

#include <string.h>

#define OWN_COUNT ((int)(sizeof own / sizeof own[0]))

static const OdeMethod own[] = {
    { .name = "backward-euler", .kind = ODE_THETA, .order = 1, .theta = 1 },
    { .name = "linear-implicit-euler", .kind = ODE_LINEAR, .order = 1 },
    { .name = "implicit-midpoint", .kind = ODE_THETA, .order = 2, .theta = 0.5 },
    { .name = "trapezoid", .kind = ODE_TRAPEZOID, .order = 2 },
    { .name = "bdf2-variable", .kind = ODE_BDF2_VARIABLE, .order = 2 },
    { .name = "symplectic-euler", .kind = ODE_SYMPLECTIC_EULER, .order = 1, .isExplicit = true },
    { .name = "verlet", .kind = ODE_VERLET, .order = 2, .isExplicit = true },
    { .name = "verlet-lagged", .kind = ODE_VERLET_LAGGED, .order = 1, .isExplicit = true },
    { .name = "newmark", .kind = ODE_NEWMARK, .order = 2, .gamma = 0.5, .beta = 0.25 },
};

int odeMethodCount(void)
{
    return tableauCount() + multistepCount() + OWN_COUNT + 1;
}

OdeMethod odeMethodTableau(const Tableau *tableau)
{
    return (OdeMethod){
        .name = tableau->name, .kind = ODE_TABLEAU, .order = tableau->order, .isExplicit = true, .tableau = tableau
    };
}

static OdeMethod ofMultistep(const Multistep *m)
{
    return (OdeMethod){
        .name = m->name, .kind = ODE_MULTISTEP, .order = m->order, .isExplicit = m->beta[0] == 0, .multistep = m
    };
}

OdeMethod odeMethodNewmark(double gamma, double beta)
{
    return (OdeMethod){
        .name = "newmark", .kind = ODE_NEWMARK, .order = gamma == 0.5 ? 2 : 1, .gamma = gamma, .beta = beta
    };
}

// Chung and Hulbert 1993, Eq 14, 17, 20 and 25
OdeMethod odeMethodGeneralizedAlpha(double radius)
{
    double m = (2 * radius - 1) / (radius + 1), f = radius / (radius + 1);
    return (OdeMethod){ .name = "generalized-alpha",
                        .kind = ODE_NEWMARK,
                        .order = 2,
                        .gamma = 0.5 - m + f,
                        .beta = 0.25 * (1 - m + f) * (1 - m + f),
                        .alphaM = m,
                        .alphaF = f };
}

OdeMethod odeMethodAt(int index)
{
    if (index < tableauCount())
        return odeMethodTableau(tableauAt(index));
    index -= tableauCount();
    if (index < multistepCount())
        return ofMultistep(multistepAt(index));
    index -= multistepCount();
    return index < OWN_COUNT ? own[index] : odeMethodGeneralizedAlpha(0.8);
}

bool odeMethodFind(const char *name, OdeMethod *method)
{
    for (int i = 0; i < odeMethodCount(); ++i)
    {
        *method = odeMethodAt(i);
        if (strcmp(method->name, name) == 0)
            return true;
    }
    return false;
}

bool odeFits(const OdeProblem *problem, const OdeMethod *method)
{
    return method->kind < ODE_SYMPLECTIC_EULER || problem->mechanical;
}

int odeNominalOrder(const OdeProblem *problem, const OdeMethod *method)
{
    return method->kind == ODE_VERLET_LAGGED && !problem->damped ? 2 : method->order;
}
