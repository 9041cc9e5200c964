// The contacts of a substep of small-midpoint: those within reach where forces are taken, body after body in the order
// of their terms, then what is between bodies.
#include "contact/contact.h"
#include "contact/proximity.h"
#include "contact/reach.h"
#include "contact/ridge.h"
#include "integrate/integrate.h"

#include <math.h>
#include <string.h>

#define SLOP 1e-4  // of a body's size: contacts that are closer than this take part
#define UNSURE 0.2 // of the fastest velocity: by which contacts change that of others
#define LEAST 8    // bodies: fewer collect one behind the other sooner, as those do
#define MANY 768   // that have so many elements, which are tasks by themselves

// ---- where forces are taken -----------------------------------------------------------------------------------------

typedef struct Middle
{
    System *system;
    double h;                          // s
    int grain;                         // vertices of one task
    int first;                         // number of the first task of this run
    double square[WORKERS_MOST_TASKS]; // m^2/s^2, the largest of its vertices' velocities
} Middle;

static void middleTask(void *context, int task)
{
    Middle *middle = context;
    State *s = &middle->system->state;
    int begin = (middle->first + task) * middle->grain, end = minInt(begin + middle->grain, s->count);
    double square = 0;
    for (int i = 3 * begin; i < 3 * end; ++i)
        s->blend[i] = s->start[i] + 0.5 * (middle->h * s->startVelocity[i]);
    for (int v = nextPin(s, begin, end); v < end; v = nextPin(s, v + 1, end))
    {
        for (int i = 3 * v; i < 3 * v + 3; ++i)
            s->blend[i] = s->start[i] + 0.5 * (s->position[i] - s->start[i]);
    }
    for (int v = begin; v < end; ++v)
    {
        Vec3 u = vecLoad(s->velocity + 3 * (ptrdiff_t)v);
        square = maxReal(square, vecDot(u, u));
    }
    middle->square[task] = square;
}

double touchToMiddle(System *system, double h)
{
    Middle middle = { .system = system, .h = h, .grain = workersGrain(system->state.count) };
    int count = (system->state.count + middle.grain - 1) / middle.grain;
    double square = 0;
    for (; middle.first < count; middle.first += WORKERS_MOST_TASKS)
    {
        int tasks = minInt(count - middle.first, WORKERS_MOST_TASKS);
        workersRun(system->workers, tasks, middleTask, &middle);
        for (int t = 0; t < tasks; ++t)
            square = maxReal(square, middle.square[t]);
    }
    return sqrt(square);
}

// ---- against colliders ----------------------------------------------------------------------------------------------

// Terms of bodies that collect side by side, each into room of its own.
typedef struct Crowd
{
    System *system;
    const ContactView *view;
    ContactList *list;
    int count;
    int term[WORKERS_MOST_TASKS];
    int room[WORKERS_MOST_TASKS];  // contacts, at most
    int begin[WORKERS_MOST_TASKS]; // of its room in the list
    int found[WORKERS_MOST_TASKS];
} Crowd;

static bool collides(const Energy *energy)
{
    return contactIsKind(energy->kind);
}

static void roomTask(void *context, int task)
{
    Crowd *crowd = context;
    const Energy *energy = crowd->system->term[crowd->term[task]].energy;
    crowd->room[task] = energy->off ? 0 : contactCountOn(energy);
}

static void crowdTask(void *context, int task)
{
    Crowd *crowd = context;
    const Term *term = &crowd->system->term[crowd->term[task]];
    ContactList own = { .capacity = crowd->room[task], .item = crowd->list->item + crowd->begin[task] };
    ContactView view = *crowd->view;
    view.term = crowd->term[task];
    view.first = term->first;
    view.workers = NULL;
    if (own.capacity > 0)
        contactCollect(term->energy, &view, &own);
    crowd->found[task] = own.count;
}

// of the terms that wait
static void collectCrowd(Crowd *crowd)
{
    ContactList *list = crowd->list;
    Workers *workers = crowd->system->workers;
    int end = list->count;
    workersRun(workers, crowd->count, roomTask, crowd);
    for (int k = 0; k < crowd->count; ++k)
    {
        crowd->begin[k] = end;
        end += crowd->room[k];
    }
    ASSERT(end <= list->capacity, "there is room for all elements that are on");
    workersRun(workers, crowd->count, crowdTask, crowd);
    for (int k = 0; k < crowd->count; ++k)
    {
        const Contact *from = list->item + crowd->begin[k];
        if (from != list->item + list->count)
            memmove(list->item + list->count, from, (size_t)crowd->found[k] * sizeof(Contact));
        list->count += crowd->found[k];
    }
    crowd->count = 0;
}

// those with many elements have tasks of their own
static bool crowds(const System *system)
{
    int count = 0;
    for (int t = 0; t < system->termCount && workersCount(system->workers) > 1; ++t)
    {
        const Energy *energy = system->term[t].energy;
        if (collides(energy) && energy->elementCount >= MANY)
            return false;
        count += collides(energy);
    }
    return count >= LEAST;
}

static void collectColliders(System *system, ContactView *view)
{
    ContactList *list = &system->contacts;
    Crowd crowd = { .system = system, .view = view, .list = list };
    bool together = crowds(system);
    for (int t = 0; t < system->termCount; ++t)
    {
        const Energy *energy = system->term[t].energy;
        bool waits = together && collides(energy), reaches = reachIsKind(energy->kind);
        if (waits)
            crowd.term[crowd.count++] = t;
        if (crowd.count == WORKERS_MOST_TASKS || ((reaches || energy->kind == &pairKind) && crowd.count > 0))
            collectCrowd(&crowd);
        view->term = t;
        view->first = system->term[t].first;
        if (collides(energy) && !waits)
            contactCollect(energy, view, list);
        else if (reaches)
            reachCollect(energy, view, list);
        else if (energy->kind == &pairKind)
            pairCollect(energy, view, list);
    }
    if (crowd.count > 0)
        collectCrowd(&crowd);
}

// ---- all ------------------------------------------------------------------------------------------------------------

// edges are no elements of an energy, nor what pair contacts do not have
void touchCollectBetween(System *system, ContactView *view, const ProximityView *near)
{
    if (system->stands.room > 0)
        system->stands.collect(system, view, &system->contacts);
    view->term = system->termCount - 1; // the pairs
    ridgesCollect(system->ridge, system->ridgeCount, view, &system->contacts);
    if (system->proximity == NULL)
        return;
    touchPlanes(system, near);
    view->start = near->x;
    if (!proximityCollect(system->proximity, view, &system->contacts))
        system->trouble = TROUBLE_MEMORY;
}

void touchCollect(System *system, double h)
{
    const State *s = &system->state;
    double fastest = touchToMiddle(system, h);
    ContactView view = { .z = s->blend,
                         .velocity = s->velocity,
                         .h = h,
                         .workers = system->workers,
                         .from = system->step->from,
                         .to = system->step->to,
                         .overlap = system->proximity ? system->proximity->crossed : NULL,
                         .reach = SLOP * systemSize(system) + UNSURE * h * fastest };
    system->contacts.count = 0;
    collectColliders(system, &view);
    ProximityView near = touchView(system, h);
    near.reach = view.reach;
    touchCollectBetween(system, &view, &near);
}
