// What multistep methods keep: a ring of entries per body. A step writes into the slot that is free and turns the ring
// by its recall alone, so that a step that fails, whose recall is put back, leaves the past as it was. Bodies that come
// together have pasts of different lengths: the shortest counts.
#include "integrate/integrate.h"

// recalls come out of saved states too: whatever they hold is a place
static int placeIn(double value, int count)
{
    return value >= 0 && value < count ? (int)value : 0;
}

bool historyHolds(const Integrator *integrator, const Member *member, int vector)
{
    int slots = integrator->pastSlots, head = placeIn(member->step->recall.history.head, slots);
    return (vector % slots - head + slots) % slots < placeIn(member->step->recall.history.count, slots);
}

int historyCount(const System *system, double h)
{
    int least = RECALL_NUMBERS;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const HistoryRecall *recall = &system->member[p]->step->recall.history;
        bool fits = h == 0 || recall->step == h;
        least = minInt(least, fits ? placeIn(recall->count, RECALL_NUMBERS) : 0);
    }
    return least;
}

double *historyVector(const System *system, const Member *member, int slots, int entry, int which)
{
    return system->step->past[which * slots + (placeIn(member->step->recall.history.head, slots) + entry) % slots];
}

double *historyFree(const System *system, const Member *member, int slots, int which)
{
    return historyVector(system, member, slots, slots - 1, which);
}

void historyStore(System *system, int slots, const double *first, const double *second)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        double *a = historyFree(system, member, slots, 0), *b = historyFree(system, member, slots, 1);
        for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
        {
            a[i] = first[i];
            b[i] = second[i];
        }
    }
}

void historyAdd(System *system, const Member *member, int slots, int entry, double weight, double *x, double *v)
{
    const double *first = historyVector(system, member, slots, entry, 0);
    const double *second = historyVector(system, member, slots, entry, 1);
    for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
    {
        x[i] += weight * first[i];
        v[i] += weight * second[i];
    }
}

SolveReport historySolve(System *system, double h, double c, const Method *method, double *from, const double *velocity)
{
    State *s = &system->state;
    for (int i = 0; i < 3 * s->count; ++i)
        s->inertial[i] = from[i] + c * velocity[i];
    stagePinRate(system, from, c, h);
    Stage stage = { .h = c, .sigma = c * c, .theta = 1, .from = from, .ahead = h };
    SolveReport report = stageMinimise(system, &stage, method);
    for (int i = 0; i < 3 * s->count; ++i)
        s->velocity[i] = s->pinned[i / 3] ? (s->position[i] - s->start[i]) / h : (s->position[i] - from[i]) / c;
    double since = clockSeconds();
    bookMoment(system, s->position, s->velocity, 1, h);
    report.profile.ledger += clockLap(&since);
    return report;
}

static void shift(double *numbers, double newest)
{
    for (int j = HISTORY_NUMBERS - 1; j > 0; --j)
        numbers[j] = numbers[j - 1];
    numbers[0] = newest;
}

void historyPush(Member *member, int slots, double h, double gain, double loss)
{
    HistoryRecall *recall = &member->step->recall.history;
    int known = recall->step == h ? placeIn(recall->count, slots) : 0;
    recall->count = minInt(known + 1, slots - 1);
    recall->step = h;
    recall->head = (placeIn(recall->head, slots) + slots - 1) % slots;
    shift(recall->gain, gain);
    shift(recall->loss, loss);
}
