// Energy budgeting (Su, Sheth and Fedkiw 2013), a comparator: a midpoint step, then velocities scaled so that the
// kinetic energy is what the target leaves beside the others. Positions stay, so that energy that sits in strain cannot
// be taken back once no kinetic energy is left, and momentum is not kept (Dinev 2018, Fig 5).
#include "integrate/integrate.h"

static StepReport step(System *system, double h, const Method *method)
{
    State *s = &system->state;
    Stage stage = stageMidpoint(h);
    stageInertia(system, h);
    systemSetMidpoint(system);
    beginRates(system, &stage);
    stageGuess(system, &stage);
    StepReport report = { .solve = method->solver->minimise(system, &stage, &method->solving) };
    stageVelocity(system, 2 / h, -1, h);
    double since = clockSeconds(), scale = motionScale(system, h);
    Watch watch = energyWatch(system, h, s->velocity);
    double tolerance = maxReal(method->settings.energyTolerance * scale, energyRounding(system, h, &watch.balance));
    double kinetic = watch.balance.kinetic, wanted = kinetic - watch.error;
    if (isfinite(watch.error) && fabs(watch.error) > tolerance)
    {
        report.failures += wanted < 0 || kinetic == 0;
        double factor = kinetic > 0 ? sqrt(maxReal(wanted, 0) / kinetic) : 1;
        for (int i = 0; i < 3 * s->count; ++i)
            s->velocity[i] *= s->pinned[i / 3] ? 1 : factor;
        watch.balance.kinetic = kinetic * factor * factor;
    }
    systemSetMidpoint(system);
    systemSetStage(system, &stage);
    bookStep(system);
    watchClose(system, &watch.balance, &report);
    report.solve.profile.ledger += clockLap(&since);
    return report;
}

const Integrator energyBudget = { .name = "energy-budget", .step = step };
