// Hard contact in the substeps of small-midpoint: which contacts there are where forces are taken, and what the law
// finds for them.
#include "contact/contact.h"
#include "contact/proximity.h"
#include "contact/reach.h"
#include "contact/ridge.h"
#include "integrate/integrate.h"
#include "solve/hard.h"

#include <math.h>
#include <string.h>

#define ITERATIONS 8
#define SMALL 4000          // vertices and contacts times iterations: small sheets and ropes may have up to MOST
#define ITERATIONS_LYING 16 // of sheets that lie still, in half the substeps: with eight they would tremble
#define ITERATIONS_SOLIDS 3 // of several that touch: in a large heap five to eight leave as much
#define LEAST_SOLIDS 0.4    // of the majorizers of these; where there are more than four iterations it leaves more
#define MOST 40 // while something sinks in, where bodies that touch have masses of such a ratio: what is light between
#define UNEQUAL 10 //   heavy bodies passes impulses on slowly
#define SINKS 1e-3 // of a body's size, in a substep

static bool isContact(const Energy *energy)
{
    return contactIsKind(energy->kind);
}

// also before the terms of the step are listed
int touchRoom(System *system)
{
    int count = 0, room = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        for (int e = 0; e < system->member[p]->energyCount; ++e)
        {
            const Energy *energy = system->member[p]->energy[e];
            bool limits = reachIsKind(energy->kind);
            if (limits)
                count += reachCountOn(energy);
            room += limits ? energy->elementCount : 0;
            if (!isContact(energy))
                continue;
            count += energy->off ? 0 : contactCountOn(energy);
            // all points at once, so that most worlds ask for memory in their first step alone
            room += energy->elementCount / CONTACT_SLOTS;
        }
    }
    for (int t = system->jointStart; t < system->termCount; ++t)
    {
        int pairs = system->term[t].energy->kind == &pairKind ? system->term[t].energy->elementCount : 0;
        count += pairs;
        room += pairs;
    }
    system->contacts.near = count + system->ridgeCount + system->stands.room;
    return maxInt(count, room) + system->ridgeCount + system->stands.room;
}

bool touchesColliders(const System *system)
{
    for (int t = 0; t < system->termCount; ++t)
    {
        const Energy *energy = system->term[t].energy;
        if (reachIsKind(energy->kind) ? !energy->off : isContact(energy) && !energy->off && contactCountOn(energy) > 0)
            return true;
    }
    return system->stands.room > 0;
}

// of bodies that may touch something
static bool reserveRows(System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        bool meets = system->memberCount > 1;
        for (int e = 0; e < member->energyCount; ++e)
            meets = meets || isContact(member->energy[e]) || reachIsKind(member->energy[e]->kind);
        if (!meets || member->modal == NULL || !rowsFit(member->modal))
            continue;
        rowsFrame(member->modal->shape);
        if (member->modal->rows != NULL)
            continue;
        member->modal->rows = rowsCreate(system->memory, member->modal, system->state.mass + member->offset);
        if (member->modal->rows == NULL)
            return false;
    }
    return true;
}

bool touchReserve(System *system)
{
    int room = touchRoom(system);
    system->contacts.count = 0;
    system->contacts.touched = false;
    system->contacts.gain = 0;
    if (!reserveRows(system))
        return false;
    return contactListReserve(&system->contacts, system->memory, room);
}

void touchForgetBetween(System *system, bool anew)
{
    for (int t = system->jointStart; t < system->termCount; ++t)
    {
        if (system->term[t].energy->kind == &pairKind)
            pairForgetImpulses(system->term[t].energy, system->workers, anew);
    }
    if (system->proximity != NULL)
        proximityForgetImpulses(system->proximity);
    for (int p = 0; p < system->memberCount && system->near != NULL; ++p)
        edgeContactsForget(system->near[p].mesh, anew);
    ridgesForgetImpulses(system->ridge, system->ridgeCount, system->near);
    if (system->stands.room > 0)
        system->stands.forget(system, anew);
}

bool touchKeepBetween(System *system, Contact *contact, double h)
{
    Energy *energy = system->term[contact->term].energy;
    if (contact->ridge)
        ridgeKeepImpulse(&system->ridge[contact->element], system->near, system->memory, contact, h);
    else if (contact->stands)
        system->stands.keep(system, contact, h);
    else if (contact->near)
    {
        contact->untold = proximityKeepImpulse(system->proximity, contact, h);
        proximityListImpulse(system->proximity, contact, h);
    }
    else if (energy->kind == &pairKind)
        pairKeepImpulse(energy, contact, h);
    else
        return false;
    return true;
}

static void plainInverse(System *system, const Stage *stage, double *right, double *result)
{
    globalStepSymmetric(system, stage, right, result);
}

static RowsFrame frameOf(const Member *member)
{
    const RigidFrame *frame = &member->step->frame;
    return (RowsFrame){
        .loose = member->step->loose, .mass = frame->mass, .centre = frame->centre, .inverse = frame->inverse
    };
}

// equal bodies do not need more iterations, which cost a heap of cubes half its speed
static bool isUnequal(const System *system)
{
    double least = INFINITY, greatest = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        double mass = 0;
        for (int v = 0; v < system->member[p]->count; ++v)
            mass += system->state.mass[system->member[p]->offset + v];
        least = minReal(least, mass);
        greatest = maxReal(greatest, mass);
    }
    return greatest > UNEQUAL * least;
}

// rows know one rigid motion of a body
static bool isApart(const System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (system->member[p]->step->apart)
            return true;
    }
    return false;
}

// A knot that is pulled tight slips into itself with eight. What crosses is parted gently, and no faster for it.
static int iterationsOf(const System *system, bool solids)
{
    if (solids)
        return ITERATIONS_SOLIDS;
    if (system->proximity == NULL || system->proximity->crossings > 0)
        return ITERATIONS;
    int usual = system->step->lies ? ITERATIONS_LYING : ITERATIONS;
    return maxInt(usual, minInt(SMALL / (system->state.count + system->contacts.count), MOST));
}

static HardLaw lawOf(System *system, const Stage *stage, bool exact, double *change)
{
    bool solids = system->memberCount > 1 && systemMovesExactly(system);
    int iterations = iterationsOf(system, solids);
    // how rigid bodies end is for their own step to say: more iterations on what is foreseen gain nothing
    int most = system->movableCount == 0 && isUnequal(system) ? MOST : iterations;
    bool rows = exact && !systemIsJoined(system) && system->movableCount == 0 && !isApart(system);
    return (HardLaw){ .h = stage->h,
                      .list = &system->contacts,
                      .change = change,
                      .inverse = exact ? inverseMass : plainInverse,
                      .touch = exact && !systemMovesExactly(system) ? inverseMassTouchedBegin : NULL,
                      .inverseTouched = inverseMassTouched,
                      .stage = stage,
                      .frame = rows ? frameOf : NULL,
                      .iterations = iterations,
                      .most = most,
                      .least = solids && most == iterations ? LEAST_SOLIDS : 1,
                      .deep = SINKS * systemSize(system) };
}

// ---- angular momentum -----------------------------------------------------------------------------------------------

// What takes a couple: a member, or a piece of one that has fallen apart.
typedef struct Turner
{
    bool loose;
    const RigidFrame *frame;
    Vec3 *couple; // N m s
} Turner;

// that with this vertex of the island
static Turner turnerOf(Member *member, int vertex)
{
    StepState *step = member->step;
    int piece = step->apart ? step->pieces->of[vertex - member->offset] : -1;
    if (piece < 0)
        return (Turner){ step->loose, &step->frame, &step->couple };
    Piece *own = &step->pieces->piece[piece];
    return (Turner){ own->loose, &own->frame, &own->couple };
}

// which of two is harder to turn, of those that nothing ties
static Turner heavierOf(Turner a, Turner b)
{
    const Mat3 *x = &a.frame->inverse, *y = &b.frame->inverse;
    double ease[2] = { x->m[0][0] + x->m[1][1] + x->m[2][2], y->m[0][0] + y->m[1][1] + y->m[2][2] };
    return b.loose && (!a.loose || ease[1] < ease[0]) ? b : a;
}

#define CONTACTS 256 // of one task

typedef struct ContactTasks
{
    System *system;
    double h;  // s, of the substep
    int first; // number of the first task of this run
} ContactTasks;

static bool isBetweenBodies(const System *system, const Contact *contact)
{
    return system->term[contact->term].coupling != NULL || contact->near || contact->ridge;
}

// the members that both points belong to
static void namePair(const System *system, Contact *contact)
{
    if (contact->near) // it knows them
        return;
    const int *member = contact->ridge ? system->ridge[contact->element].member
                                       : system->term[contact->term].coupling[contact->element].member;
    memcpy(contact->pair, member, sizeof contact->pair);
}

// N m s: of the impulses at both points, in place of the last step of the law
static void momentTask(void *context, int task)
{
    const ContactTasks *tasks = context;
    const System *system = tasks->system;
    int begin = (tasks->first + task) * CONTACTS, end = minInt(begin + CONTACTS, system->contacts.count);
    for (int c = begin; c < end; ++c)
    {
        Contact *contact = &system->contacts.item[c];
        Vec3 apart = vec3(0, 0, 0);
        if (!isBetweenBodies(system, contact))
            continue;
        namePair(system, contact);
        for (int k = 0; k < contact->count; ++k)
            apart = vecAdd(
                apart, vecScale(contact->weight[k], vecLoad(system->state.blend + 3 * (ptrdiff_t)contact->vertex[k])));
        contact->step = vecCross(apart, contact->impulse);
    }
}

// m/s: u of all contacts once the bodies have turned
static void rateTask(void *context, int task)
{
    const ContactTasks *tasks = context;
    const System *system = tasks->system;
    int begin = (tasks->first + task) * CONTACTS, end = minInt(begin + CONTACTS, system->contacts.count);
    for (int c = begin; c < end; ++c)
        system->contacts.item[c].after = contactRate(&system->contacts.item[c], system->state.velocity);
}

static void eachPiece(System *system, double h, int count, int grain, TaskFunction function)
{
    ContactTasks tasks = { .system = system, .h = h };
    count = (count + grain - 1) / grain;
    for (; tasks.first < count; tasks.first += WORKERS_MOST_TASKS)
        workersRun(system->workers, minInt(count - tasks.first, WORKERS_MOST_TASKS), function, &tasks);
}

static void eachContact(System *system, TaskFunction function)
{
    eachPiece(system, 0, system->contacts.count, CONTACTS, function);
}

static bool isZero(Vec3 a)
{
    return a.x == 0 && a.y == 0 && a.z == 0;
}

// The forces of a pair act at its two points: with a gap between them friction has a moment. The body that is harder to
// turn takes it back as a rigid motion, so that both momenta of free bodies are kept exactly. Of one that is held in
// space that is what holds it: given to the other, it would move the points that friction has just brought to rest, and
// what hangs over a held rope would creep down.
static bool findCouples(System *system)
{
    bool any = false;
    eachContact(system, momentTask);
    for (int p = 0; p < system->memberCount; ++p)
    {
        StepState *step = system->member[p]->step;
        step->couple = vecScale(-1, step->coupleAhead);
        step->coupleLoss = 0;
        any = any || !isZero(step->couple);
        apartForgetCouples(system->member[p]);
    }
    for (int c = 0; c < system->contacts.count; ++c)
    {
        const Contact *contact = &system->contacts.item[c];
        const int *member = contact->pair;
        if (!isBetweenBodies(system, contact) || system->member[member[0]]->step->tied ||
            system->member[member[1]]->step->tied)
            continue;
        Vec3 *couple = heavierOf(turnerOf(system->member[member[0]], contact->vertex[0]),
                                 turnerOf(system->member[member[1]], contact->vertex[contact->count - 1]))
                           .couple;
        *couple = vecSub(*couple, contact->step);
        any = true;
    }
    return any;
}

// in `taken`, of that which it owes; false: none
static bool takeCouple(System *system, Member *member, Vec3 *taken)
{
    const State *s = &system->state;
    StepState *step = member->step;
    if (isZero(step->couple) || !step->loose) // as bodies that are linked are not, alone
        return false;
    step->frame = rigidFrame(system, member, s->blend); // forces may have been taken elsewhere
    *taken = coupleTaken(&step->frame.inertia, step->couple);
    RigidTwist twist = { vec3(0, 0, 0), matApply(&step->frame.inverse, *taken) };
    rigidAdd(system, member, s->blend, 1, twist, false, s->velocity);
    return true;
}

static void giveAhead(void *context, Member *member, Workers *workers)
{
    StepState *step = member->step;
    (void)workers;
    if (!takeCouple(context, member, &step->coupleAhead))
        step->coupleAhead = vec3(0, 0, 0);
}

// A body that turns after the law moves points that the law has brought to rest, and what lies on a free body would
// creep, uphill too. So what impulses of the substep before owe is given before the law, which goes on from them, and
// after it only how much they have changed. Points of solids meet without a gap.
static void giveCouplesAhead(System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->step->coupleAhead = vec3(0, 0, 0);
    if (system->proximity != NULL && system->contacts.count > 0 && findCouples(system))
        systemEachMember(system, giveAhead, system);
}

// leaves in `couple` what it cannot take
static void giveCouple(void *context, Member *member, Workers *workers)
{
    System *system = context;
    State *s = &system->state;
    StepState *step = member->step;
    (void)workers;
    apartGiveCouples(system, member);
    Vec3 taken = vec3(0, 0, 0);
    if (takeCouple(system, member, &taken))
        step->couple = vecSub(step->couple, taken);
    taken = vecAdd(taken, step->coupleAhead);
    if (isZero(taken))
        return;
    RigidTwist before = rigidOfVelocity(system, member, s->blend, s->startVelocity);
    RigidTwist after = rigidOfVelocity(system, member, s->blend, s->velocity);
    step->coupleLoss -= 0.5 * vecDot(taken, vecAdd(before.spin, after.spin));
}

static void giveCouples(System *system)
{
    const State *s = &system->state;
    Vec3 left = vec3(0, 0, 0);
    if (!findCouples(system))
        return;
    systemEachMember(system, giveCouple, system);
    for (int p = 0; p < system->memberCount; ++p)
        left = vecAdd(left, system->member[p]->step->couple);
    system->member[0]->step->coupleLoss -= coupleShare(system, s->blend, s->startVelocity, left);
    eachContact(system, rateTask);
}

// ---- what is kept ---------------------------------------------------------------------------------------------------

#define TERMS 16 // of one task

static void forgetTask(void *context, int task)
{
    const ContactTasks *tasks = context;
    const System *system = tasks->system;
    int begin = (tasks->first + task) * TERMS, end = minInt(begin + TERMS, system->termCount);
    for (int t = begin; t < end; ++t)
    {
        Energy *energy = system->term[t].energy;
        if (isContact(energy))
            contactForgetImpulses(energy);
        else if (reachIsKind(energy->kind))
            reachForgetImpulses(energy);
    }
}

// what several contacts write to: lists of what pressed and of what edges did, rigid bodies
static bool isKeptAlone(const Contact *contact)
{
    return contact->near || contact->ridge || contact->stands || contact->movable != NULL;
}

static void keepImpulse(System *system, Contact *contact, double h)
{
    Energy *energy = system->term[contact->term].energy;
    if (touchKeepBetween(system, contact, h))
        return;
    if (reachIsKind(energy->kind))
        reachKeepImpulse(energy, contact, h);
    else
        contactKeepImpulse(energy, contact, h);
}

static void keepTask(void *context, int task)
{
    const ContactTasks *tasks = context;
    System *system = tasks->system;
    int begin = (tasks->first + task) * CONTACTS, end = minInt(begin + CONTACTS, system->contacts.count);
    for (int c = begin; c < end; ++c)
    {
        Contact *contact = &system->contacts.item[c];
        if (contact->near)
            contact->untold = proximityKeepImpulse(system->proximity, contact, tasks->h);
        else if (!isKeptAlone(contact))
            keepImpulse(system, contact, tasks->h);
    }
}

// every element keeps the force of this substep
static void keepImpulses(System *system, double h)
{
    eachPiece(system, h, system->termCount, TERMS, forgetTask);
    touchForgetBetween(system, system->step->from == 0);
    eachPiece(system, h, system->contacts.count, CONTACTS, keepTask);
    bool alone = system->proximity != NULL || system->movableCount > 0 || system->ridgeCount > 0 ||
                 system->stands.room > 0;
    for (int c = 0; c < system->contacts.count && alone; ++c)
    {
        Contact *contact = &system->contacts.item[c];
        if (contact->near)
            proximityListImpulse(system->proximity, contact, h);
        else if (isKeptAlone(contact))
            keepImpulse(system, contact, h);
    }
}

// ---- a substep ------------------------------------------------------------------------------------------------------

// those that overlap where the substep ends
static void keepOverlaps(ContactList *list, int from, const ContactView *view)
{
    int kept = from;
    for (int c = from; c < list->count; ++c)
    {
        const Contact *late = &list->item[c];
        if (late->gap + view->h * vecDot(contactRate(late, view->velocity), late->normal) < 0)
            list->item[kept++] = *late;
    }
    list->count = kept;
}

static bool isBefore(const System *system, const Contact *a, const Contact *b)
{
    return a->term < b->term ||
           (a->term == b->term && isContact(system->term[a->term].energy) && a->element < b->element);
}

// few are not where they belong
static void sortContacts(const System *system, ContactList *list)
{
    for (int c = 1; c < list->count; ++c)
    {
        int to = c;
        Contact moved;
        while (to > 0 && isBefore(system, &list->item[c], &list->item[to - 1]))
            to -= 1;
        if (to == c)
            continue;
        moved = list->item[c];
        memmove(list->item + to + 1, list->item + to, (size_t)(c - to) * sizeof(Contact));
        list->item[to] = moved;
    }
}

// Impulses may throw what is light against a collider that it would not have reached without them: such contacts take
// part as well, and the law goes on.
static void solveLate(System *system, const HardLaw *law)
{
    ContactList *list = &system->contacts;
    int had = list->count;
    ContactView view = { .z = system->state.blend, .velocity = system->state.velocity, .h = law->h };
    for (int t = 0; t < system->termCount && had > 0; ++t)
    {
        view.term = t;
        view.first = system->term[t].first;
        if (isContact(system->term[t].energy))
            contactCollectLate(system->term[t].energy, &view, had, list);
    }
    keepOverlaps(list, had, &view);
    if (list->count == had)
        return;
    hardAdmit(system, law, had, system->state.velocity);
    hardResume(system, law, system->state.velocity);
    sortContacts(system, list);
}

void touchSolve(System *system, const Stage *stage, bool exact, double *change)
{
    State *s = &system->state;
    touchCollect(system, stage->h);
    giveCouplesAhead(system);
    HardLaw law = lawOf(system, stage, exact, change);
    hardSolve(system, &law, s->velocity);
    if (law.most > law.iterations)
        solveLate(system, &law);
}

void touchAgain(System *system, const Stage *stage, bool exact, double *change)
{
    State *s = &system->state;
    touchToMiddle(system, stage->h);
    HardLaw law = lawOf(system, stage, exact, change);
    hardResume(system, &law, s->velocity);
}

void touchEnd(System *system, const Stage *stage)
{
    giveCouples(system);
    keepImpulses(system, stage->h);
    system->contacts.touched |= system->contacts.count > 0;
}

// ---- ledger ---------------------------------------------------------------------------------------------------------

void touchBook(System *system, const Stage *stage)
{
    HardLaw law = { .h = stage->h, .list = &system->contacts };
    hardBook(system, &law, system->state.velocity);
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->step->recall.energy.pressed = system->member[p]->pressed;
    for (int p = 0; p < system->memberCount && system->contacts.count > 0; ++p)
        system->member[p]->dissipated += system->member[p]->step->coupleLoss;
}
