// Symplectic Euler: v = v_n - h M^-1 grad E(x_n), x = x_n + h v. Explicit, first order; stable for h < 2 / omega_max
// (Hauth 2004, section 2.5; Joubert, "semi-implicit Euler").
#include "integrate/integrate.h"

static StepReport step(System *system, double h, const Method *method)
{
    (void)method;
    State *s = &system->state;
    systemSetFraction(system, 0);
    s->stage = s->start;
    for (int i = 0; i < 3 * s->count; ++i)
        s->rate[i] = s->startVelocity[i];
    StepReport report = { .solve = { .converged = true, .finite = true } };
    double since = clockSeconds();
    systemForces(system, NULL, s->stage);
    report.solve.profile.gradient = clockLap(&since);
    for (int i = 0; i < 3 * s->count; ++i)
    {
        double velocity = s->startVelocity[i] - h / s->mass[i / 3] * s->gradient[i];
        s->velocity[i] = s->pinned[i / 3] ? (s->pinTarget[i] - s->start[i]) / h : velocity;
        s->position[i] = s->pinned[i / 3] ? s->pinTarget[i] : s->start[i] + h * velocity;
    }
    since = clockSeconds();
    bookStep(system);
    report.solve.profile.ledger = clockLap(&since);
    return report;
}

const Integrator symplecticEuler = { .name = "symplectic-euler", .isExplicit = true, .limit = 2, .step = step };
