// Elements that yield: after a step, or after each substep of methods that take their own, they flow to their yield
// stress where they are. Only rest shapes move: what is stored becomes dissipated, momenta stay.
#include "energy/yield.h"
#include "integrate/integrate.h"

#define GRAIN 64 // blocks of a task

typedef struct Flow
{
    Energy *energy;
    const double *position;
    double h;
    int first;
} Flow;

static void flowTask(void *context, int task)
{
    const Flow *flow = context;
    int begin = (flow->first + task) * GRAIN;
    yieldFlowBlocks(flow->energy, flow->position, flow->h, begin, minInt(begin + GRAIN, flow->energy->blockCount));
}

static bool yields(const Energy *energy)
{
    return energy->yield != NULL && !energy->idle && !energy->off;
}

void systemFlow(System *system, double h)
{
    for (int t = 0; t < system->termCount; ++t)
    {
        const Term *term = &system->term[t];
        if (!yields(term->energy))
            continue;
        Flow flow = { .energy = term->energy, .position = system->state.position + 3 * (ptrdiff_t)term->first, .h = h };
        int count = (term->energy->blockCount + GRAIN - 1) / GRAIN;
        for (; flow.first < count; flow.first += WORKERS_MOST_TASKS)
            workersRun(system->workers, minInt(count - flow.first, WORKERS_MOST_TASKS), flowTask, &flow);
        term->member->dissipated += yieldBook(term->energy);
    }
}

void systemFollow(System *system)
{
    for (int t = 0; t < system->termCount; ++t)
    {
        if (yields(system->term[t].energy))
            yieldFollow(system->term[t].energy);
    }
}
