// Limits of where vertices may be (contact/reach.h), whoever made them: their energies, and what a step looks at.
#include "world/limit.h"

#include <string.h>

#define RATE 1e5 // 1/s^2: of the stiffness over the mass of a vertex, where none is given: sags by g / RATE = 0.1 mm

static bool isLimit(const Energy *energy)
{
    return reachIsKind(energy->kind);
}

// ---- lists ----------------------------------------------------------------------------------------------------------

bool limitListReserve(Memory *memory, LimitList *list, int room)
{
    *list = (LimitList){ .room = room };
    list->vertex = ALLOCATE(memory, int, room);
    list->anchor = ALLOCATE(memory, int, room);
    list->offset = ALLOCATE(memory, double, room);
    list->form = ALLOCATE(memory, ReachForm, room);
    list->radius = ALLOCATE(memory, double, room);
    list->stiffness = ALLOCATE(memory, double, room);
    return list->vertex && list->anchor && list->offset && list->form && list->radius && list->stiffness;
}

void limitListRelease(Memory *memory, LimitList *list)
{
    void *const blocks[] = { list->vertex, list->anchor, list->offset, list->form, list->radius, list->stiffness };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i)
        memoryRelease(memory, blocks[i]);
    *list = (LimitList){ .count = 0 };
}

void limitListAdd(const Body *body, LimitList *list, int vertex, int anchor, ReachForm form, double size,
                  double stiffness)
{
    int i = list->count++;
    ASSERT(i < list->room, "a list of limits has room for all of them");
    list->vertex[i] = vertex;
    list->anchor[i] = anchor;
    list->form[i] = form;
    list->radius[i] = size;
    list->stiffness[i] = stiffness > 0 ? stiffness : RATE * body->world->state.mass[body->first + vertex];
}

vvResult limitCheckStiffness(double stiffness)
{
    if (stiffness >= 0 && isModest(stiffness))
        return resultOk();
    return resultMake(VV_BAD_INPUT, "0 takes 1e5/s^2 times the mass of each vertex",
                      "stiffness is %g N/m, must be 0, or 1e-30 to 1e30", stiffness);
}

// ---- energies -------------------------------------------------------------------------------------------------------

static void destroyContext(Memory *memory, Limits *limits)
{
    if (limits == NULL)
        return;
    memoryRelease(memory, limits->anchor);
    memoryRelease(memory, limits->idle);
    memoryRelease(memory, limits->offset);
    memoryRelease(memory, limits->marked);
    memoryRelease(memory, limits);
}

static Limits *createContext(Memory *memory, const LimitList *list, bool tethers)
{
    size_t count = (size_t)list->count;
    Limits *limits = ALLOCATE(memory, Limits, 1);
    if (limits == NULL)
        return NULL;
    limits->anchor = tethers ? ALLOCATE(memory, int, count) : NULL;
    limits->idle = tethers ? ALLOCATE(memory, unsigned char, count) : NULL;
    limits->offset = tethers ? NULL : ALLOCATE(memory, double, count);
    limits->marked = tethers ? ALLOCATE(memory, Vec3, 2 * count) : NULL;
    if (tethers ? limits->anchor == NULL || limits->idle == NULL || limits->marked == NULL : limits->offset == NULL)
    {
        destroyContext(memory, limits);
        return NULL;
    }
    if (tethers)
        memcpy(limits->anchor, list->anchor, count * sizeof(int));
    else
        memcpy(limits->offset, list->offset, count * sizeof(double));
    return limits;
}

// pins, where they are and where they go
static void followAnchors(const State *s, Energy *energy)
{
    const Limits *limits = energy->context;
    for (int i = 0; limits->anchor != NULL && i < energy->elementCount; ++i)
    {
        ptrdiff_t at = 3 * (ptrdiff_t)limits->anchor[i];
        limits->idle[i] = !s->pinned[limits->anchor[i]];
        reachPlace(energy, i, &limits->marked[2 * i], &limits->marked[2 * i + 1]);
        reachMove(energy, i, vecLoad(s->start + at), vecLoad(s->pinTarget + at));
    }
}

Energy *limitCreate(Body *body, const LimitList *list, bool tethers)
{
    Memory *memory = &body->world->memory;
    Limits *limits = createContext(memory, list, tethers);
    Energy *energy = NULL;
    if (limits != NULL)
        energy = reachCreate(memory, body->count, list->count, list->vertex, list->form, list->radius, list->stiffness);
    if (energy == NULL)
        destroyContext(memory, limits);
    else
    {
        State s = stateSlice(&body->world->state, body->first, body->count);
        energy->context = limits;
        followAnchors(&s, energy); // a state may be saved before the first step
    }
    return energy;
}

bool limitKeepContext(Energy *energy, const Energy *from, const int *to)
{
    const Limits *limits = from->context;
    bool tethers = limits->anchor != NULL;
    LimitList list = { .count = from->elementCount, .anchor = limits->anchor, .offset = limits->offset };
    Limits *copy = createContext(from->memory, &list, tethers);
    if (copy == NULL)
        return false;
    size_t count = (size_t)from->elementCount;
    for (int i = 0; tethers && i < from->elementCount; ++i)
        copy->anchor[i] = to[copy->anchor[i]];
    if (tethers)
    {
        memcpy(copy->idle, limits->idle, count);
        memcpy(copy->marked, limits->marked, 2 * count * sizeof(Vec3));
    }
    energy->context = copy;
    return true;
}

bool limitDestroy(Energy *energy)
{
    if (!isLimit(energy))
        return false;
    destroyContext(energy->memory, energy->context);
    energyDestroy(energy);
    return true;
}

// ---- the step -------------------------------------------------------------------------------------------------------

// ahead: of a step, which books what was put beyond a limit
static int searchBody(Body *body, double dt, bool ahead)
{
    int on = 0;
    const World *world = body->world;
    State s = stateSlice(&world->state, body->first, body->count);
    for (int k = body->definedCount; k < body->constraintCount; ++k)
    {
        Energy *energy = body->constraint[k];
        if (!isLimit(energy))
            continue;
        energy->fraction = energy->from = 0;
        energy->to = 1;
        double before = energyValue(energy, s.start);
        if (ahead)
            followAnchors(&s, energy);
        ReachView view = { .position = s.start,
                           .velocity = s.startVelocity,
                           .pinned = s.pinned,
                           .idle = ((const Limits *)energy->context)->idle,
                           .gravity = world->gravity,
                           .h = dt,
                           .hard = world->method.integrator->hardContact };
        on += reachSearch(energy, &view);
        if (ahead)
            body->account.added += energyValue(energy, s.start) - before;
    }
    return on;
}

int limitsSearch(World *world, double dt)
{
    int on = 0;
    for (Body *body = world->firstBody; body != NULL; body = body->next)
        on += body->constraintCount > body->definedCount ? searchBody(body, dt, true) : 0;
    return on;
}

void limitsRewind(World *world)
{
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        for (int k = body->definedCount; k < body->constraintCount; ++k)
        {
            const Limits *limits = isLimit(body->constraint[k]) ? body->constraint[k]->context : NULL;
            for (int i = 0; limits != NULL && limits->anchor != NULL && i < body->constraint[k]->elementCount; ++i)
                reachMove(body->constraint[k], i, limits->marked[2 * i], limits->marked[2 * i + 1]);
        }
    }
}

void limitsRestore(World *world)
{
    for (Body *body = world->firstBody; body != NULL; body = body->next)
        searchBody(body, world->timestep, false);
}

void limitsArrive(World *world)
{
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        for (int k = body->definedCount; k < body->constraintCount; ++k)
        {
            if (isLimit(body->constraint[k]))
                reachArrive(body->constraint[k]);
        }
    }
}
