#include "solve/hard.h"

#include "base/simd.h"

#define SLOP 1e-4        // of a body's size: contacts that end closer than this take part
#define UNSURE 0.1       // of the fastest relative velocity: by which neighbours may change that of a contact
#define RECOVERED 0.2    // of the overlap, in a substep,
#define FASTEST 0.2      // m/s: but no faster
#define SLACK 1e-3       // of a body's size: less overlap of bodies stays, for parting it stirs what rests
#define STRETCHED 1.02   // times the impulses: less is for the iterations to find
#define SLOWEST_HIT 0.05 // m/s: slower ones do not rebound

// ---- tasks ----------------------------------------------------------------------------------------------------------

#define CONTACTS 256 // of one task
#define LEAST 4      // tasks: fewer are done before a second thread has begun

typedef struct HardTasks
{
    System *system;
    const HardLaw *law;
    const double *velocity;
    int first;              // number of the first task of this run
    double *largest;        // WORKERS_MOST_TASKS: what each found; NULL: nothing is asked for
    double reach;           // m: contacts that end farther away do not take part
    double size;            // m, of the smallest body
    double scale;           // by which all impulses change
    double *moved;          // x 3, m/s: velocities that take the change
    int *kept, *warm;       // WORKERS_MOST_TASKS: contacts of each, and those that pressed before
    struct Change *changed; // WORKERS_MOST_TASKS
} HardTasks;

static int pieces(int count, int grain)
{
    return (count + grain - 1) / grain;
}

// the tasks of one run, of `count` in all; returns how many
static int runSome(HardTasks *tasks, int count, TaskFunction function)
{
    int now = minInt(count - tasks->first, WORKERS_MOST_TASKS);
    for (int t = 0; t < now && count < LEAST; ++t)
        function(tasks, t);
    if (count >= LEAST)
        workersRun(tasks->system->workers, now, function, tasks);
    return now;
}

static void runTasks(HardTasks *tasks, int count, int grain, TaskFunction function)
{
    for (tasks->first = 0, count = pieces(count, grain); tasks->first < count;)
        tasks->first += runSome(tasks, count, function);
}

// ---- contacts -------------------------------------------------------------------------------------------------------

// pins have one velocity in a substep, that of their displacement
static Vec3 rateBefore(const State *s, const Contact *contact, const double *velocity)
{
    Vec3 sum = vecScale(-1, contact->begin);
    for (int c = 0; c < contact->count; ++c)
    {
        int v = contact->vertex[c];
        const double *u = (s->pinned[v] ? velocity : s->startVelocity) + 3 * (ptrdiff_t)v;
        sum = vecAdd(sum, vecScale(contact->weight[c], vecLoad(u)));
    }
    for (int c = 0; c < contactFurther(contact); ++c)
        sum = vecAdd(
            sum, vecScale(contact->furtherWeight[c], vecLoad(s->startVelocity + 3 * (ptrdiff_t)contact->further[c])));
    return sum;
}

// m, of overlap that is parted: beyond the slack, and little of what is hardly beyond it. What is wedged overlaps again
// where something else is parted, and would be stirred for ever.
static double recovered(const Contact *contact, double slack)
{
    double over = maxReal(-contact->gap - slack, 0);
    return slack > 0 ? over * over / (over + slack) : over;
}

static double targetOf(const HardLaw *law, const Contact *contact, double slack)
{
    double approach = -vecDot(contact->before, contact->normal), ahead = vecDot(contact->after, contact->normal);
    if (contact->restitution > 0 && approach > SLOWEST_HIT && contact->gap + law->h * ahead < 0)
        return contact->restitution * approach;
    if (contact->hold > 0 && contact->gap >= 0 && ahead > 0)
        return -minReal(RECOVERED * contact->gap / law->h, FASTEST); // it sticks: what was drawn off it is drawn back
    if (contact->gap >= 0)
        return -contact->gap / law->h;
    return minReal(RECOVERED * recovered(contact, slack) / law->h, FASTEST);
}

static void rateTask(void *context, int task)
{
    HardTasks *tasks = context;
    const ContactList *list = tasks->law->list;
    int begin = (tasks->first + task) * CONTACTS, end = minInt(begin + CONTACTS, list->count);
    double fastest = 0;
    for (int c = begin; c < end; ++c)
    {
        Contact *contact = &list->item[c];
        contact->before = rateBefore(&tasks->system->state, contact, tasks->velocity);
        contact->free = contact->after = contactRate(contact, tasks->velocity);
        fastest = maxReal(fastest, vecDot(contact->free, contact->free));
    }
    tasks->largest[task] = maxReal(tasks->first > 0 ? tasks->largest[task] : 0, fastest);
}

// m^2/s^2: of the velocities that all contacts have without contact, the largest square
static double findRates(System *system, const HardLaw *law, const double *velocity)
{
    double largest[WORKERS_MOST_TASKS], fastest = 0;
    HardTasks tasks = { .system = system, .law = law, .velocity = velocity, .largest = largest };
    runTasks(&tasks, law->list->count, CONTACTS, rateTask);
    for (int t = 0; t < minInt((law->list->count + CONTACTS - 1) / CONTACTS, WORKERS_MOST_TASKS); ++t)
        fastest = maxReal(fastest, largest[t]);
    return fastest;
}

// those that can act move to where the contacts of the task begin
static void keepTask(void *context, int task)
{
    HardTasks *tasks = context;
    const System *system = tasks->system;
    ContactList *list = tasks->law->list;
    int begin = (tasks->first + task) * CONTACTS, end = minInt(begin + CONTACTS, list->count), kept = begin, warm = 0;
    for (int c = begin; c < end; ++c)
    {
        Contact *contact = &list->item[c];
        bool pressed = vecDot(contact->impulse, contact->normal) > 0 || contact->hold > 0;
        if (!pressed && contact->gap + tasks->law->h * vecDot(contact->free, contact->normal) > tasks->reach)
            continue;
        bool solids = contact->ridge || (system->term[contact->term].coupling != NULL && !contact->near);
        contact->target = targetOf(tasks->law, contact, solids ? SLACK * tasks->size : 0);
        contact->step = pressed ? hardCone(contact, contact->impulse) : vec3(0, 0, 0);
        contact->impulse = vec3(0, 0, 0);
        warm += pressed;
        if (kept != c)
            list->item[kept] = *contact;
        kept += 1;
    }
    tasks->kept[task] = kept - begin;
    tasks->warm[task] = warm;
}

// keeps what can act, with the velocities that it has without contact; returns how many pressed in the substep before
static int keepActive(System *system, const HardLaw *law, const double *velocity)
{
    ContactList *list = law->list;
    int kept = 0, warm = 0, keptOf[WORKERS_MOST_TASKS], warmOf[WORKERS_MOST_TASKS];
    double fastest = findRates(system, law, velocity), size = systemSize(system);
    HardTasks tasks = { .system = system, .law = law, .size = size, .kept = keptOf, .warm = warmOf };
    tasks.reach = SLOP * size + UNSURE * law->h * sqrt(fastest);
    for (int count = pieces(list->count, CONTACTS), now; tasks.first < count; tasks.first += now)
    {
        now = runSome(&tasks, count, keepTask);
        for (int t = 0; t < now; ++t)
        {
            int begin = (tasks.first + t) * CONTACTS;
            if (begin != kept)
                memmove(list->item + kept, list->item + begin, (size_t)keptOf[t] * sizeof(Contact));
            kept += keptOf[t];
            warm += warmOf[t];
        }
    }
    list->count = kept;
    return warm;
}

// rigid bodies by the last steps of their contacts
static void pushMovables(System *system, const ContactList *list)
{
    for (int m = 0; m < system->movableCount; ++m)
        system->movable[m].push = system->movable[m].twist = vec3(0, 0, 0);
    for (int c = 0; c < list->count && system->movableCount > 0; ++c)
    {
        const Contact *contact = &list->item[c];
        Movable *movable = contact->movable;
        if (movable == NULL)
            continue;
        movable->push = vecSub(movable->push, contact->step);
        movable->twist = vecSub(movable->twist, vecCross(contact->arm, contact->step));
    }
    for (int m = 0; m < system->movableCount; ++m)
    {
        Movable *movable = &system->movable[m];
        Vec3 push = movable->push, twist = movable->twist;
        movable->push = movableVelocity(movable, push, twist);
        movable->twist = movableSpin(movable, push, twist);
        movable->change = vecAdd(movable->change, movable->push);
        movable->changeSpin = vecAdd(movable->changeSpin, movable->twist);
    }
}

static void clearTask(void *context, int task)
{
    const HardTasks *tasks = context;
    State *s = &tasks->system->state;
    int grain = workersGrain(s->count), begin = (tasks->first + task) * grain, end = minInt(begin + grain, s->count);
    memset(s->gradient + 3 * (ptrdiff_t)begin, 0, (size_t)(end - begin) * 3 * sizeof(double));
}

#define SPAN 8 // numbers at once

// to += scale x by of [begin, end)
static void addRange(int begin, int end, double scale, const double *restrict by, double *restrict to)
{
    for (; begin + SPAN <= end; begin += SPAN)
        double8Store(to + begin, double8Load(to + begin) + scale * double8Load(by + begin));
    for (; begin < end; ++begin)
        to[begin] += scale * by[begin];
}

#define HALVES 2048 // contacts, at least, that go to their vertices in two tasks: some more for the sums of both

// the first half to one field, the second to another
static void spreadTask(void *context, int task)
{
    const HardTasks *tasks = context;
    State *s = &tasks->system->state;
    const ContactList *list = tasks->law->list;
    int half = list->count / 2;
    double *field = task == 0 ? s->gradient : s->direction;
    memset(field, 0, (size_t)s->count * 3 * sizeof(double));
    for (int c = task == 0 ? 0 : half; c < (task == 0 ? half : list->count); ++c)
        contactSpreadImpulse(&list->item[c], list->item[c].step, field);
}

static void addHalfTask(void *context, int task)
{
    const HardTasks *tasks = context;
    State *s = &tasks->system->state;
    int grain = workersGrain(s->count), begin = (tasks->first + task) * grain, end = minInt(begin + grain, s->count);
    addRange(3 * begin, 3 * end, 1, s->direction, s->gradient);
}

// J^T of all steps, in the gradient
static void spreadSteps(System *system, const HardLaw *law)
{
    State *s = &system->state;
    HardTasks tasks = { .system = system, .law = law };
    if (law->list->count >= HALVES)
    {
        workersRun(system->workers, 2, spreadTask, &tasks);
        runTasks(&tasks, s->count, workersGrain(s->count), addHalfTask);
        return;
    }
    runTasks(&tasks, s->count, workersGrain(s->count), clearTask);
    for (int c = 0; c < law->list->count; ++c)
        contactSpreadImpulse(&law->list->item[c], law->list->item[c].step, s->gradient);
}

static void changeTask(void *context, int task)
{
    const HardTasks *tasks = context;
    const State *s = &tasks->system->state;
    int grain = workersGrain(s->count), begin = (tasks->first + task) * grain, end = minInt(begin + grain, s->count);
    addRange(3 * begin, 3 * end, 1, s->direction, tasks->law->change);
}

void hardPush(System *system, const HardLaw *law)
{
    State *s = &system->state;
    HardTasks tasks = { .system = system, .law = law };
    if (system->touched.alone)
    {
        hardTouchPush(system, law);
        pushMovables(system, law->list);
        return;
    }
    spreadSteps(system, law);
    for (int v = nextPin(s, 0, s->count); v < s->count; v = nextPin(s, v + 1, s->count))
        vecStore(s->gradient + 3 * (ptrdiff_t)v, vec3(0, 0, 0));
    law->inverse(system, law->stage, s->gradient, s->direction);
    runTasks(&tasks, s->count, workersGrain(s->count), changeTask);
    pushMovables(system, law->list);
}

static void takeTask(void *context, int task)
{
    const HardTasks *tasks = context;
    const ContactList *list = tasks->law->list;
    int begin = (tasks->first + task) * CONTACTS, end = minInt(begin + CONTACTS, list->count);
    for (int c = begin; c < end; ++c)
        hardTake(&list->item[c], tasks->system->state.direction);
}

void hardApply(System *system, const HardLaw *law)
{
    HardTasks tasks = { .system = system, .law = law };
    hardPush(system, law);
    runTasks(&tasks, law->list->count, CONTACTS, takeTask);
}

// ---- scaling all impulses -------------------------------------------------------------------------------------------

static void scaleTask(void *context, int task)
{
    const HardTasks *tasks = context;
    const ContactList *list = tasks->law->list;
    double scale = tasks->scale;
    int begin = (tasks->first + task) * CONTACTS, end = minInt(begin + CONTACTS, list->count);
    for (int c = begin; c < end; ++c)
    {
        Contact *contact = &list->item[c];
        contact->impulse = vecScale(scale, contact->impulse);
        if (contact->movable != NULL)
            contact->response = vecScale(scale, contact->response);
        contact->after = vecAdd(contact->free, vecScale(scale, vecSub(contact->after, contact->free)));
    }
}

static void scaleChangeTask(void *context, int task)
{
    const HardTasks *tasks = context;
    int grain = workersGrain(tasks->system->state.count), begin = (tasks->first + task) * grain,
        end = minInt(begin + grain, tasks->system->state.count);
    for (int i = 3 * begin; i < 3 * end; ++i)
        tasks->law->change[i] *= tasks->scale;
}

static void scaleImpulses(System *system, const HardLaw *law, double scale)
{
    HardTasks tasks = { .system = system, .law = law, .scale = scale };
    runTasks(&tasks, system->state.count, workersGrain(system->state.count), scaleChangeTask);
    for (int m = 0; m < system->movableCount; ++m)
    {
        system->movable[m].change = vecScale(scale, system->movable[m].change);
        system->movable[m].changeSpin = vecScale(scale, system->movable[m].changeSpin);
    }
    runTasks(&tasks, law->list->count, CONTACTS, scaleTask);
}

// What the impulses l do to 1/2 v^T W^-1 v.
typedef struct Change
{
    double along;   // J: l.u_f
    double square;  // J: l^T J W J^T l
    double wanted;  // J: l_n target: what speeds along the normals ask for
    double allowed; // J: the same where they are outward: restitution, recovery of overlap; or inward, of pulls
} Change;

static void changeOfTask(void *context, int task)
{
    HardTasks *tasks = context;
    const ContactList *list = tasks->law->list;
    int begin = (tasks->first + task) * CONTACTS, end = minInt(begin + CONTACTS, list->count);
    Change sum = { 0, 0, 0, 0 };
    for (int c = begin; c < end; ++c)
    {
        const Contact *contact = &list->item[c];
        double pressed = vecDot(contact->impulse, contact->normal);
        sum.along += vecDot(contact->impulse, contact->free);
        sum.square += vecDot(contact->impulse, vecSub(contact->after, contact->free));
        sum.wanted += pressed * contact->target;
        sum.allowed += pressed > 0 ? pressed * maxReal(contact->target, 0) : pressed * minReal(contact->target, 0);
    }
    tasks->changed[task] = sum;
}

// the sums of all tasks, in their order
static Change changeOf(System *system, const HardLaw *law)
{
    Change sum = { 0, 0, 0, 0 }, changed[WORKERS_MOST_TASKS];
    HardTasks tasks = { .system = system, .law = law, .changed = changed };
    for (int count = pieces(law->list->count, CONTACTS), now; tasks.first < count; tasks.first += now)
    {
        now = runSome(&tasks, count, changeOfTask);
        for (int t = 0; t < now; ++t)
        {
            sum.along += changed[t].along;
            sum.square += changed[t].square;
            sum.wanted += changed[t].wanted;
            sum.allowed += changed[t].allowed;
        }
    }
    return sum;
}

// from the impulses of the substep before, as much of them as helps
static void startWarm(System *system, const HardLaw *law)
{
    hardApply(system, law);
    Change sum = changeOf(system, law);
    double scale = sum.square > 0 ? (sum.wanted - sum.along) / sum.square : 0;
    scaleImpulses(system, law, minReal(maxReal(scale, 0), 1));
}

// Where something light is caught between what is heavy each iteration passes on a small share of the load: the pattern
// of impulses is found long before their size is, which is that of the least 1/2 l^T J W J^T l + l.(u_f - target).
bool hardStretch(System *system, const HardLaw *law)
{
    Change sum = changeOf(system, law);
    double scale = sum.square > 0 ? (sum.wanted - sum.along) / sum.square : 1;
    if (!(scale > STRETCHED))
        return false;
    scaleImpulses(system, law, scale);
    return true;
}

// no energy that restitution or recovery did not ask for, however far the iterations came
static void certify(System *system, const HardLaw *law, HardReport *report)
{
    Change sum = changeOf(system, law);
    double gain = sum.along + 0.5 * sum.square - sum.allowed;
    if (gain > 0 && sum.square > 0)
    {
        // what is allowed shrinks with the impulses: s along + s^2 square / 2 = s allowed
        scaleImpulses(system, law, minReal(maxReal(2 * (sum.allowed - sum.along) / sum.square, 0), 1));
        sum = changeOf(system, law);
        gain = sum.along + 0.5 * sum.square - sum.allowed;
    }
    report->gain = gain;
    report->allowed = sum.allowed;
}

// ---- ledger ---------------------------------------------------------------------------------------------------------

// J, that contact did on pins
double hardPinWork(const State *s, const Contact *contact, const double *velocity)
{
    double sum = 0;
    for (int k = 0; k < contact->count; ++k)
    {
        int v = contact->vertex[k];
        if (s->pinned[v])
            sum += contact->weight[k] * vecDot(contact->impulse, vecLoad(velocity + 3 * (ptrdiff_t)v));
    }
    return sum;
}

// Forces times ways: what contact took of the points that it touched is lost, or added where it parted what overlapped;
// what colliders and pins moved by is work of theirs. What contact gives in one substep it may have taken in one
// before.
void hardBook(System *system, const HardLaw *law, const double *velocity)
{
    ContactList *list = law->list;
    double loss = 0;
    for (int c = 0; c < list->count; ++c)
    {
        const Contact *contact = &list->item[c];
        Member *member = system->term[contact->term].member;
        loss -= 0.5 * vecDot(contact->impulse, vecAdd(contact->before, contact->after));
        Vec3 drift = contact->movable ? vecScale(0.5, vecAdd(contact->begin, vecAdd(contact->drift, contact->response)))
                                      : contact->drift;
        member->added += vecDot(contact->impulse, drift) - hardPinWork(&system->state, contact, velocity);
        if (c + 1 < list->count && system->term[list->item[c + 1].term].member == member)
            continue;
        double back = minReal(maxReal(-loss, 0), member->pressed); // what trembles gives what it took
        member->pressed += maxReal(loss, 0) - back;
        member->dissipated += maxReal(loss, 0) - back;
        member->added += maxReal(-loss, 0) - back;
        list->lost += maxReal(loss, 0);
        loss = 0;
    }
}

// ---- the law --------------------------------------------------------------------------------------------------------

// what contacts changed, times a sign, of all but pins
static void moveTask(void *context, int task)
{
    const HardTasks *tasks = context;
    const State *s = &tasks->system->state;
    int grain = workersGrain(s->count), v = (tasks->first + task) * grain, end = minInt(v + grain, s->count);
    for (int pin; v < end; v = pin + 1)
    {
        pin = nextPin(s, v, end);
        addRange(3 * v, 3 * pin, tasks->scale, tasks->law->change, tasks->moved);
    }
}

static void addChange(System *system, const HardLaw *law, double sign, double *velocity)
{
    HardTasks tasks = { .system = system, .law = law, .scale = sign, .moved = velocity };
    runTasks(&tasks, system->state.count, workersGrain(system->state.count), moveTask);
}

static HardReport solve(System *system, const HardLaw *law, bool rows, double *velocity)
{
    HardReport report = { .iterations = rows ? hardRows(system, law) : 0 };
    if (rows && report.iterations == 0)
        hardMajorize(system, law);
    if (report.iterations == 0)
        report.iterations = hardGradient(system, law);
    if (system->touched.alone)
        hardTouchEnd(system, law);
    certify(system, law, &report);
    law->list->gain = maxReal(law->list->gain, report.gain);
    addChange(system, law, 1, velocity);
    return report;
}

HardReport hardSolve(System *system, const HardLaw *law, double *velocity)
{
    int warm = keepActive(system, law, velocity);
    bool rows = law->list->count > 0 && law->frame != NULL && hardRowsGather(system, law);
    if (law->list->count > 0 && !rows)
    {
        hardTouchBegin(system, law);
        hardMajorize(system, law);
    }
    if (law->list->count == 0)
    {
        hardTouchEnd(system, law);
        return (HardReport){ 0 };
    }
    memset(law->change, 0, (size_t)system->state.count * 3 * sizeof(double));
    if (warm > 0)
        startWarm(system, law);
    return solve(system, law, rows, velocity);
}

void hardAdmit(System *system, const HardLaw *law, int from, const double *velocity)
{
    for (int c = from; c < law->list->count; ++c)
    {
        Contact *contact = &law->list->item[c];
        Vec3 pushed = vec3(0, 0, 0);
        for (int k = 0; k < contact->count; ++k)
            pushed =
                vecAdd(pushed, vecScale(contact->weight[k], vecLoad(law->change + 3 * (ptrdiff_t)contact->vertex[k])));
        contact->before = rateBefore(&system->state, contact, velocity);
        contact->after = contactRate(contact, velocity);
        contact->free = vecSub(contact->after, pushed);
        contact->target = targetOf(law, contact, 0);
        contact->impulse = vec3(0, 0, 0);
    }
    hardMajorize(system, law);
}

HardReport hardResume(System *system, const HardLaw *law, double *velocity)
{
    if (law->list->count == 0)
        return (HardReport){ 0 };
    for (int c = 0; c < law->list->count; ++c)
    {
        Contact *contact = &law->list->item[c];
        Vec3 pushed = vecSub(contact->after, contact->free);
        contact->after = contactRate(contact, velocity);
        contact->free = vecSub(contact->after, pushed);
    }
    bool rows = law->frame != NULL && hardRowsGather(system, law); // else there are majorizers
    if (!rows)
        hardTouchBegin(system, law);
    addChange(system, law, -1, velocity);
    return solve(system, law, rows, velocity);
}
