// Contact impulses by an accelerated projected gradient (Nesterov; restarts of O'Donoghue 2015): for each contact by
// itself
//
//   l_n <- max(0, y_n - (u_n - target) / d),   l_t <- (y_t - u_t / d) shortened to mu l_n
//
// at an extrapolated y, then W once for all of them. Where d proves too small it grows; where a step shows that it is
// too large it may shrink, for most directions are far softer than their bound.
#include "solve/hard.h"

#define ENOUGH 1e-4 // of the velocity that contacts change in the substep: steps that change less end the iteration
#define SAFER 1.05  // beyond what a step showed d to need
#define SHRINK 0.5  // of d, in an iteration at most
#define STRETCH 4   // iterations beyond the usual, after which all impulses are scaled together
#define GRAIN 256   // contacts of one task

// What a step showed, of the contacts of one task.
typedef struct Sums
{
    double curve, bound; // J: of the step, and as majorizers have it
    double against;      // (N s)^2: how it goes against the extrapolation
    double largest;      // m/s: by which it changed a contact, at most
    double deepest;      // m: of points that sink in, the depth at the end of the substep
    double sunk;         // m: the same without pairs, which keep more than their thickness apart
} Sums;

typedef struct Descent
{
    System *system;
    const ContactList *list;
    double share; // of the last step, by which impulses are extrapolated
    double scale; // of the majorizers
    double h;     // s
    int first;    // number of the first task of this run
    Sums sums[WORKERS_MOST_TASKS];
} Descent;

static void chooseTask(void *context, int task)
{
    const Descent *descent = context;
    const ContactList *list = descent->list;
    int begin = (descent->first + task) * GRAIN, end = minInt(begin + GRAIN, list->count);
    for (int c = begin; c < end; ++c)
    {
        Contact *contact = &list->item[c];
        contact->ahead = vecAdd(contact->impulse, vecScale(descent->share, contact->step));
        contact->aheadRate = vecAdd(contact->after, vecScale(descent->share, contact->stepRate));
        double inverse = 1 / (descent->scale * contact->majorizer);
        Vec3 rate = vecSub(contact->aheadRate, vecScale(contact->target, contact->normal));
        Vec3 wanted = hardCone(contact, vecSub(contact->ahead, vecScale(inverse, rate)));
        contact->step = vecSub(wanted, contact->impulse);
    }
}

static void takeTask(void *context, int task)
{
    Descent *descent = context;
    const ContactList *list = descent->list;
    int begin = (descent->first + task) * GRAIN, end = minInt(begin + GRAIN, list->count);
    Sums sums = { 0 };
    for (int c = begin; c < end; ++c)
    {
        Contact *contact = &list->item[c];
        hardTake(contact, descent->system->state.direction);
        Vec3 moved = vecSub(contact->impulse, contact->ahead), rate = vecSub(contact->after, contact->aheadRate);
        double square = vecDot(moved, moved);
        sums.curve += vecDot(moved, rate);
        sums.bound += contact->majorizer * square;
        sums.against -= vecDot(moved, contact->step);
        sums.largest = maxReal(sums.largest, contact->majorizer * descent->scale * sqrt(square));
        double sinks = -descent->h * vecDot(contact->after, contact->normal);
        double depth = sinks > 0 ? sinks - contact->gap : 0;
        sums.deepest = maxReal(sums.deepest, depth);
        sums.sunk = maxReal(sums.sunk, contact->near ? 0 : depth);
    }
    descent->sums[task] = sums;
}

// the sums of all tasks, in their order
static Sums runAll(Descent *descent, TaskFunction function)
{
    Sums all = { 0 };
    int count = (descent->list->count + GRAIN - 1) / GRAIN;
    for (descent->first = 0; descent->first < count; descent->first += WORKERS_MOST_TASKS)
    {
        int now = minInt(count - descent->first, WORKERS_MOST_TASKS);
        workersRun(descent->system->workers, now, function, descent);
        for (int t = 0; t < now; ++t)
        {
            all.curve += descent->sums[t].curve;
            all.bound += descent->sums[t].bound;
            all.against += descent->sums[t].against;
            all.largest = maxReal(all.largest, descent->sums[t].largest);
            all.deepest = maxReal(all.deepest, descent->sums[t].deepest);
            all.sunk = maxReal(all.sunk, descent->sums[t].sunk);
        }
    }
    return all;
}

double hardChanged(const ContactList *list)
{
    double most = 0;
    for (int c = 0; c < list->count; ++c)
    {
        const Contact *contact = &list->item[c];
        Vec3 change = vecSub(contact->free, contact->before);
        most = maxReal(most, vecDot(change, change));
    }
    return sqrt(most);
}

int hardGradient(System *system, const HardLaw *law)
{
    double enough = ENOUGH * hardChanged(law->list), t = 1;
    Descent descent = { .system = system, .list = law->list, .scale = 1, .h = law->h };
    for (int k = 1; k <= law->most; ++k)
    {
        runAll(&descent, chooseTask);
        hardPush(system, law);
        Sums sums = runAll(&descent, takeTask);
        double needed = sums.bound > 0 ? sums.curve / sums.bound : 0; // of the majorizers
        if (needed > descent.scale)
            descent.scale = SAFER * needed;
        else if (law->least < 1 && needed > 0)
            descent.scale =
                minReal(descent.scale, maxReal(maxReal(SAFER * needed, SHRINK * descent.scale), law->least));
        if (sums.largest <= enough || k == law->most || (k >= law->iterations && sums.deepest <= law->deep))
            return k;
        bool deep = k >= law->iterations && sums.sunk > law->deep;
        bool stretched = deep && k % STRETCH == 0 && hardStretch(system, law);
        bool overshot = stretched || sums.against > 0;
        double next = overshot ? 1 : 0.5 * (1 + sqrt(1 + 4 * t * t));
        descent.share = overshot ? 0 : (t - 1) / next;
        t = next;
    }
    return law->most;
}
