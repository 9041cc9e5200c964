// A diagonal above J W J^T, nearly: the row sums of J B^-1 J^T with absolute weights, B the prefactored matrix, whose
// inverse has no negative entries where no angle of a tet is obtuse: one solve has them all. W has more than B^-1 along
// rigid motions and modes; the iteration lets the diagonal grow where a step shows that it must.
#include "solve/hard.h"

// Row sums over all contacts of a rigid body: 1/m + |r| |r'| / I, for each
static void sumMovables(System *system, const ContactList *list)
{
    for (int m = 0; m < system->movableCount; ++m)
    {
        system->movable[m].contactCount = 0;
        system->movable[m].reach = 0;
    }
    for (int c = 0; c < list->count && system->movableCount > 0; ++c)
    {
        Movable *movable = list->item[c].movable;
        if (movable == NULL)
            continue;
        movable->contactCount += 1;
        movable->reach += vecLength(list->item[c].arm);
    }
}

// not below the length of m v for any unit v, but for a factor sqrt 3; m: 3 x 3 of the six rows and columns
static double largest(const Movable *movable, int row, int column)
{
    double most = 0;
    for (int i = row; i < row + 3; ++i)
    {
        const double *m = movable->ease[i] + column;
        most = maxReal(most, fabs(m[0]) + fabs(m[1]) + fabs(m[2]));
    }
    return most;
}

static double movableMajorizer(const Contact *contact)
{
    const Movable *movable = contact->movable;
    if (movable == NULL)
        return 0;
    double arm = vecLength(contact->arm), all = movable->contactCount, arms = movable->reach;
    return all * largest(movable, 0, 0) + arm * arms * largest(movable, 3, 3) +
           (all * arm + arms) * largest(movable, 0, 3);
}

#define GRAIN 256 // contacts of one task

typedef struct Majorizing
{
    const System *system;
    ContactList *list;
    int stride;                     // numbers of a vertex in the solution
    int first;                      // number of the first task of this run
    int pinned[WORKERS_MOST_TASKS]; // contacts of which all is
} Majorizing;

static void majorizeTask(void *context, int task)
{
    Majorizing *majorizing = context;
    const State *s = &majorizing->system->state;
    int begin = (majorizing->first + task) * GRAIN, end = minInt(begin + GRAIN, majorizing->list->count), pinned = 0;
    for (int c = begin; c < end; ++c)
    {
        Contact *contact = &majorizing->list->item[c];
        contact->majorizer = 0;
        for (int k = 0; k < contact->count; ++k)
        {
            int v = contact->vertex[k];
            double share = fabs(contact->weight[k]);
            contact->majorizer += s->pinned[v] ? 0 : share * fabs(s->direction[majorizing->stride * (ptrdiff_t)v]);
        }
        for (int k = 0; k < contactFurther(contact); ++k)
            contact->majorizer += fabs(contact->furtherWeight[k]) *
                                  fabs(s->direction[majorizing->stride * (ptrdiff_t)contact->further[k]]);
        contact->majorizer += contact->majorizer > 0 ? movableMajorizer(contact) : 0;
        pinned += !(contact->majorizer > 0);
    }
    majorizing->pinned[task] = pinned;
}

static void dropPinned(ContactList *list)
{
    int kept = 0;
    for (int c = 0; c < list->count; ++c)
    {
        if (!(list->item[c].majorizer > 0))
            continue;
        if (kept != c)
            list->item[kept] = list->item[c];
        kept += 1;
    }
    list->count = kept;
}

// the sums of absolute weights at all vertices, `stride` numbers for each
static void sumWeights(State *s, const ContactList *list, int stride)
{
    memset(s->gradient, 0, (size_t)s->count * (size_t)stride * sizeof(double));
    for (int c = 0; c < list->count; ++c)
    {
        const Contact *contact = &list->item[c];
        for (int k = 0; k < contact->count; ++k)
        {
            int v = contact->vertex[k];
            s->gradient[stride * (ptrdiff_t)v] += s->pinned[v] ? 0 : fabs(contact->weight[k]);
        }
        for (int k = 0; k < contactFurther(contact); ++k)
            s->gradient[stride * (ptrdiff_t)contact->further[k]] += fabs(contact->furtherWeight[k]);
    }
}

void hardMajorize(System *system, const HardLaw *law)
{
    State *s = &system->state;
    ContactList *list = law->list;
    bool line = !system->touched.alone && globalStepHasLine(system);
    int stride = line ? 1 : 3;
    sumWeights(s, list, stride);
    if (system->touched.alone)
        hardTouchSolve(system);
    else if (line)
        globalStepLine(system, s->gradient, s->direction);
    else
        globalStepSymmetric(system, law->stage, s->gradient, s->direction);
    sumMovables(system, list);
    Majorizing majorizing = { .system = system, .list = list, .stride = stride };
    int count = (list->count + GRAIN - 1) / GRAIN, pinned = 0;
    for (; majorizing.first < count; majorizing.first += WORKERS_MOST_TASKS)
    {
        int now = minInt(count - majorizing.first, WORKERS_MOST_TASKS);
        workersRun(system->workers, now, majorizeTask, &majorizing);
        for (int t = 0; t < now; ++t)
            pinned += majorizing.pinned[t];
    }
    if (pinned > 0)
        dropPinned(list);
}
