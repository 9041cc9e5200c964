// BDF of order 2 for steps of any lengths: with w = h / (the step before), x = x_n + w^2 / (1 + 2 w) (x_n - x_{n-1}) +
// c v, c = h (1 + w) / (1 + 2 w), and v from a alike (Hairer, Norsett and Wanner 1993, III.5). w = 0, without a past,
// is backward Euler: the start. Zero-stable for w < 1 + sqrt 2.
//
// With a tolerance, steps are halved and doubled inside the world's step: halved where the solver did not converge
// (Hauth 2004, section 3.4) or where the error, by the distance to an explicit guess of the same order (Milne), is
// above it.
#include "integrate/integrate.h"

#include <string.h>

#define SLOTS 2
#define MOST_HALVINGS 12
#define FAR_BETTER 16 // times below the tolerance: the error grows by 8 with a step twice as long

enum // room
{
    PREVIOUS_X = 3,
    PREVIOUS_V,
    FROM,
    ROOM,
};

// the past as the step finds it, into room; returns s of the step before, 0: there is no past
static double loadPast(System *system, double *const *room)
{
    double last = system->member[0]->step->recall.history.step;
    if (!(last > 0) || historyCount(system, last) == 0)
        last = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        const double *x = historyVector(system, member, SLOTS, 0, 0), *v = historyVector(system, member, SLOTS, 0, 1);
        for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
        {
            room[PREVIOUS_X][i] = last > 0 ? x[i] : 0;
            room[PREVIOUS_V][i] = last > 0 ? v[i] : 0;
        }
        member->step->sum[0] = member->step->recall.history.gain[0];
        member->step->sum[1] = member->step->recall.history.loss[0];
    }
    return last;
}

static StepReport solve(System *system, double h, double w, const Method *method, double *const *room)
{
    State *s = &system->state;
    double e = w * w / (1 + 2 * w), c = h * (1 + w) / (1 + 2 * w), *from = room[FROM];
    for (int i = 0; i < 3 * s->count; ++i)
    {
        double v = s->startVelocity[i] + e * (s->startVelocity[i] - room[PREVIOUS_V][i]);
        from[i] = s->start[i] + e * (s->start[i] - room[PREVIOUS_X][i]);
        s->inertial[i] = from[i] + c * v;
    }
    stagePinRate(system, from, c, h);
    Stage stage = { .h = c, .sigma = c * c, .theta = 1, .from = from, .ahead = h };
    StepReport report = { .solve = stageMinimise(system, &stage, method) };
    for (int i = 0; i < 3 * s->count; ++i)
        s->velocity[i] = s->pinned[i / 3] ? (s->position[i] - s->start[i]) / h : (s->position[i] - from[i]) / c;
    return report;
}

// m: exact - x is -C h^3 x''', exact - guess is A h^3 x'''; without a past both are h^2/2 x''
static double errorOf(const State *s, double h, double w, double *const *room)
{
    double share = 0.5, largest = 0;
    if (w > 0)
    {
        double a = 1.0 / 6 + 0.25 / w, c = (1 + w) * (1 + w) / (6 * w * (1 + 2 * w));
        share = c / (a + c);
    }
    for (int i = 0; i < 3 * s->count; ++i)
    {
        if (s->pinned[i / 3])
            continue;
        double v = s->startVelocity[i], turn = w > 0 ? 0.5 * h * w * (v - room[PREVIOUS_V][i]) : 0;
        double off = share * fabs(s->position[i] - (s->start[i] + h * v + turn));
        largest = off > largest || isnan(off) ? off : largest;
    }
    return largest;
}

// what was put in and dissipated, by the same formula
static void book(System *system, double h, double w)
{
    State *s = &system->state;
    double e = w * w / (1 + 2 * w), c = h * (1 + w) / (1 + 2 * w);
    bookMoment(system, s->position, s->velocity, 1, h);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        member->step->sum[0] = e * member->step->sum[0] + c * member->step->gain;
        member->step->sum[1] = e * member->step->sum[1] + c * member->step->loss;
        member->added += member->step->sum[0];
        member->dissipated += member->step->sum[1];
    }
}

static void savePast(System *system, double last, double *const *room)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        double *x = historyFree(system, member, SLOTS, 0), *v = historyFree(system, member, SLOTS, 1);
        for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
        {
            x[i] = room[PREVIOUS_X][i];
            v[i] = room[PREVIOUS_V][i];
        }
        historyPush(member, SLOTS, last, member->step->sum[0], member->step->sum[1]);
    }
}

// one substep, as long as it comes out well; 0: it did not and is to be halved
static double takeSubstep(System *system, double h, double last, bool mayFail, const Method *method,
                          double *const *room, StepReport *sum)
{
    State *s = &system->state;
    double w = last > 0 ? h / last : 0, tolerance = method->settings.stepTolerance;
    StepReport report = solve(system, h, w, method, room);
    double error = tolerance > 0 ? errorOf(s, h, w, room) : 0;
    bool good = report.solve.converged && report.solve.finite && error <= tolerance;
    bool again = mayFail && !good;
    bool converged = sum->solve.converged;
    reportAddSubstep(sum, &report);
    if (again)
    {
        sum->solve.converged = converged;
        sum->solve.finite = true;
        return INFINITY;
    }
    size_t size = (size_t)s->count * 3 * sizeof(double);
    double since = clockSeconds();
    book(system, h, w);
    sum->solve.profile.ledger += clockLap(&since);
    memcpy(room[PREVIOUS_X], s->start, size);
    memcpy(room[PREVIOUS_V], s->startVelocity, size);
    divisionEnd(system);
    sum->substeps += 1;
    return error;
}

static StepReport step(System *system, double h, const Method *method)
{
    State *s = &system->state;
    double *const *room = system->step->past + 2 * SLOTS;
    double tolerance = method->settings.stepTolerance, last = loadPast(system, room);
    int substeps = 1, most = 1 << MOST_HALVINGS;
    while (tolerance > 0 && last > 0 && substeps < most && h > 2 * last * substeps)
        substeps *= 2;
    StepReport sum = { .solve = { .converged = true, .finite = true } };
    bookClear(system);
    Division whole = divisionOpen(system, room);
    for (int done = 0; done < substeps && sum.solve.finite;)
    {
        divisionBegin(system, &whole, done, substeps);
        double error = takeSubstep(system, h / substeps, last, tolerance > 0 && substeps < most, method, room, &sum);
        if (error == INFINITY)
        {
            done *= 2;
            substeps *= 2;
            continue;
        }
        last = h / substeps;
        done += 1;
        if (tolerance > 0 && error * FAR_BETTER < tolerance && done % 2 == 0 && substeps > 1)
        {
            done /= 2;
            substeps /= 2;
        }
    }
    divisionClose(system, &whole);
    for (int i = 0; i < 3 * s->count; ++i)
    {
        if (s->pinned[i / 3])
            s->velocity[i] = (s->pinTarget[i] - s->start[i]) / h;
    }
    savePast(system, last, room);
    s->stage = s->position;
    systemSetFraction(system, 1);
    bookSettle(system);
    return sum;
}

const Integrator bdf2Variable = { .name = "bdf2-variable",
                                  .hasControl = true,
                                  .pastCount = 2 * SLOTS,
                                  .pastSlots = SLOTS,
                                  .roomCount = ROOM,
                                  .step = step };
