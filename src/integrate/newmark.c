// Newmark's method: x = x_n + h v_n + h^2 ((1/2 - beta) a_n + beta a), v = v_n + h ((1 - gamma) a_n + gamma a), M a =
// f(x, v). gamma = 1/2, beta = 1/4 is the trapezoidal rule: second order, stable for linear motion at any step, no
// numerical damping. gamma = 1/2, beta = 0 is Verlet's. a_n is asked of the forces at x_n: where the last step was not
// solved to the end, the next one sees it.
#include "integrate/integrate.h"

static StepReport newmarkStep(System *system, double h, double gamma, double beta, const Method *method)
{
    State *s = &system->state;
    double *a = system->step->past[0], *from = system->step->past[1];
    if (!(beta > 0))
        return verletStep(system, h, gamma, a);
    bookClear(system);
    double since = clockSeconds();
    stageAcceleration(system, s->start, s->startVelocity, 0, a);
    double taken = clockLap(&since);
    bookMoment(system, s->start, s->startVelocity, 0, h);
    bookAdd(system, (1 - gamma) * h);
    // v = (x - from) / rate; gamma = 0 has no such rate and takes that of the step
    double rate = gamma > 0 ? beta * h / gamma : h;
    for (int i = 0; i < 3 * s->count; ++i)
    {
        double v = s->startVelocity[i];
        s->inertial[i] = s->start[i] + h * v + h * h * (0.5 - beta) * a[i];
        double rest = (1 - gamma / beta) * v + h * (1 - 0.5 * gamma / beta) * a[i];
        from[i] = gamma > 0 ? s->start[i] - rate * rest : s->start[i];
    }
    stagePinRate(system, from, rate, h);
    Stage stage = { .h = rate, .sigma = beta * h * h, .theta = 1, .from = from, .ahead = h };
    StepReport report = { .solve = stageMinimise(system, &stage, method) };
    for (int i = 0; i < 3 * s->count; ++i)
    {
        double v = gamma > 0 ? (s->position[i] - from[i]) / rate : s->startVelocity[i] + h * a[i];
        s->velocity[i] = s->pinned[i / 3] ? (s->position[i] - s->start[i]) / h : v;
    }
    since = clockSeconds();
    bookMoment(system, s->position, s->velocity, 1, h);
    bookAdd(system, gamma * h);
    bookSettle(system);
    report.solve.profile.ledger += clockLap(&since);
    report.solve.profile.gradient += taken;
    return report;
}

static StepReport step(System *system, double h, const Method *method)
{
    return newmarkStep(system, h, method->settings.newmark.gamma, method->settings.newmark.beta, method);
}

static StepReport trapezoidStep(System *system, double h, const Method *method)
{
    return newmarkStep(system, h, 0.5, 0.25, method);
}

const Integrator newmark = { .name = "newmark", .roomCount = 2, .step = step };
const Integrator trapezoid = { .name = "trapezoid", .roomCount = 2, .step = trapezoidStep };
