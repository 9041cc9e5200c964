// Contacts found anew within a step. Their points are fixed in the bodies and their normals in the world, and which
// points there are was right where the bodies were: both are wrong where these have turned or slid along each other by
// more than a little since. So a few times in a step pairs that moved too far and may touch before the next time are
// looked at again, and where a body is about to leave the box that its pairs were found for, so are all pairs. Contacts
// that are found again go on with what they had. Bodies at rest move by no more than their tolerance: they pay for the
// question alone.
#include "rigid/system.h"

#define MOVED 0.02  // of the smaller radius: how far a surface may have moved against the other
#define NEAREST 0.1 // of the smaller radius: how far away a contact of another feature may have been

// ---- what goes on ---------------------------------------------------------------------------------------------------

static void takeOver(RigidContact *to, RigidContact *from)
{
    to->recalled = true;
    to->whole = from->whole;
    to->couple = from->couple;
    to->sum = from->sum;
    to->slip = from->slip;
    to->turn = from->turn;
    to->impulse = from->impulse;
    from->impulse = vec3(0, 0, 0);
    from->over = true;
}

static bool isOfShapes(const RigidContact *a, const RigidContact *b)
{
    return !b->over && a->shapeA == b->shapeA && a->shapeB == b->shapeB;
}

static void carrySame(RigidContact *c, RigidContact *old, int count)
{
    for (int k = 0; k < count && !c->recalled; ++k)
    {
        if (old[k].feature == c->feature && isOfShapes(c, &old[k]))
            takeOver(c, &old[k]);
    }
}

static void carryNearest(RigidContact *c, RigidContact *old, int count)
{
    int nearest = -1;
    double least = NEAREST * minReal(c->a->radius, c->b->radius);
    for (int k = 0; k < count; ++k)
    {
        double far = vecLength(vecSub(old[k].localA, c->localA));
        if (!(far < least) || !isOfShapes(c, &old[k]))
            continue;
        nearest = k;
        least = far;
    }
    if (nearest >= 0)
        takeOver(c, &old[nearest]);
}

// what acted and is no more
static RigidContact overOf(const RigidContact *c)
{
    RigidContact over = *c;
    over.over = true;
    over.rolling = over.lambda = over.push = over.sum = 0;
    over.row = over.lane = 0;
    over.whole = over.couple = vec3(0, 0, 0);
    return over;
}

void rigidCarry(RigidSystem *system, RigidNear *near)
{
    RigidContact *old = system->oldContact + near->first;
    int found = system->contactCount;
    for (int i = near->start; i < found && near->count > 0; ++i)
        carrySame(&system->contact[i], old, near->count);
    for (int i = near->start; i < found && near->count > 0; ++i)
    {
        if (!system->contact[i].recalled)
            carryNearest(&system->contact[i], old, near->count);
    }
    for (int k = 0; k < near->count; ++k)
    {
        if (vecDot(old[k].impulse, old[k].impulse) > 0)
            system->contact[system->contactCount++] = overOf(&old[k]);
    }
    near->renewed = true;
    near->first = near->start;
    near->count = system->contactCount - near->start;
}

// ---- room -----------------------------------------------------------------------------------------------------------

static bool grow(Memory *memory, void **array, int had, int room, size_t size)
{
    return had >= room || memoryGrow(memory, array, (size_t)had, (size_t)room, size);
}

// as much for the old lists as for those of now, so that later steps need no more
static bool reserve(RigidSystem *system, Memory *memory)
{
    void *near = system->near, *oldNear = system->oldNear;
    int room = maxInt(system->pairRoom, system->oldPairRoom);
    if (room <= system->nearRoom)
        return true;
    bool first = memoryGrow(memory, &near, (size_t)system->nearRoom, (size_t)room, sizeof(RigidNear));
    bool second = memoryGrow(memory, &oldNear, (size_t)system->nearRoom, (size_t)room, sizeof(RigidNear));
    system->near = near;
    system->oldNear = oldNear;
    if (!first || !second)
        return false;
    system->nearRoom = room;
    return true;
}

static bool reserveOld(RigidSystem *system, Memory *memory)
{
    void *pairs = system->oldPair, *contacts = system->oldContact;
    if (!grow(memory, &pairs, system->oldPairRoom, system->pairRoom, sizeof(RigidKey)))
        return false;
    system->oldPair = pairs;
    system->oldPairRoom = maxInt(system->oldPairRoom, system->pairRoom);
    if (!grow(memory, &contacts, system->oldContactRoom, system->contactRoom, sizeof(RigidContact)))
        return false;
    system->oldContact = contacts;
    system->oldContactRoom = maxInt(system->oldContactRoom, system->contactRoom);
    return true;
}

// ---- which pairs ----------------------------------------------------------------------------------------------------

static double turnOf(vvQuat from, vvQuat to) // rad
{
    vvQuat turn = quatMultiply(to, quatConjugate(from));
    return 2 * vecLength(vec3(turn.x, turn.y, turn.z));
}

// m, from the centre to what may touch the other
static double armOf(const RigidPlace *body, const RigidPlace *other, double between)
{
    return isfinite(body->radius) ? body->radius : between + other->radius;
}

static bool stands(const RigidSystem *system, const RigidNear *near, const RigidPlace *a, const RigidPlace *b,
                   double next)
{
    Vec3 between = vecSub(a->now, b->now);
    double far = vecLength(between), armA = armOf(a, b, far), armB = armOf(b, a, far);
    double moved = vecLength(vecSub(between, near->between)) + armA * (a->turned - near->turnedA) +
                   armB * (b->turned - near->turnedB);
    if (moved <= MOVED * minReal(a->radius, b->radius))
        return true;
    double speed = vecLength(vecSub(a->velocity, b->velocity)) + armA * a->swing + armB * b->swing;
    return near->distance - moved > next * (speed + next * vecLength(system->gravity));
}

static void readPlace(RigidPlace *place, const RigidBody *body)
{
    place->rotation = body->rotation;
    place->now = body->position;
    place->velocity = body->velocity;
    place->pace = vecLength(body->velocity);
    place->swing = vecLength(body->spin);
    place->radius = body->radius;
}

// of all bodies since pairs were found; returns whether one may leave, within the next s, what its pairs are for
static bool measure(RigidSystem *system, double next)
{
    bool leaves = false;
    for (int i = 0; i < system->bodyCount + system->sceneryCount; ++i)
    {
        const RigidBody *body = system->body[i];
        RigidPlace *at = &system->place[i];
        at->turned += turnOf(at->rotation, body->rotation);
        readPlace(at, body);
        double turn = at->turned - at->before;
        at->moved = vecLength(vecSub(body->position, at->position)) + (turn > 0 ? body->radius * turn : 0);
        double ahead = rigidReach(system, body, next) - rigidReach(system, body, 0);
        leaves |= at->moved + ahead > at->reach && isfinite(body->radius);
    }
    return leaves;
}

// returns how many do not stand
static int judge(RigidSystem *system, double next)
{
    int moved = 0;
    for (int p = 0; p < system->pairCount; ++p)
    {
        const RigidPlace *a = &system->place[rigidPairFirst(system->pair[p].key)];
        const RigidPlace *b = &system->place[rigidPairSecond(system->pair[p].key)];
        RigidNear *near = &system->near[p];
        bool still = !near->renewed && a->moved + b->moved <= MOVED * minReal(a->radius, b->radius);
        near->stands = still || stands(system, near, a, b, next);
        moved += !near->stands;
    }
    return moved;
}

// of a sorted list; returns how many are left
static int different(RigidKey *keys, int count)
{
    int kept = 0;
    for (int i = 0; i < count; ++i)
    {
        if (kept == 0 || keys[i].key != keys[kept - 1].key)
            keys[kept++] = keys[i];
    }
    return kept;
}

// the pairs anew; those that have contacts stay, with what is known of them
static bool findPairs(RigidSystem *system, Memory *memory, double rest)
{
    RigidKey *pair = system->oldPair;
    RigidNear *near = system->oldNear;
    int room = system->oldPairRoom, at = 0;
    system->oldPair = system->pair;
    system->oldPairRoom = system->pairRoom;
    system->oldPairCount = system->pairCount;
    system->pair = pair;
    system->pairRoom = room;
    system->oldNear = system->near;
    system->near = near;
    if (!rigidPairs(system, memory, rest))
        return false;
    if (system->sleeps)
        rigidKeepPairs(system);
    for (int p = 0; p < system->oldPairCount; ++p)
    {
        if (system->oldNear[p].count > 0 && !rigidAddPair(system, memory, system->oldPair[p].key))
            return false;
    }
    rigidSort(system->pair, system->pairCount);
    system->pairCount = different(system->pair, system->pairCount);
    if (!reserve(system, memory))
        return false;
    for (int p = 0; p < system->pairCount; ++p)
    {
        while (at < system->oldPairCount && system->oldPair[at].key < system->pair[p].key)
            at += 1;
        bool known = at < system->oldPairCount && system->oldPair[at].key == system->pair[p].key;
        system->near[p] = known ? system->oldNear[at] : (RigidNear){ .between = { INFINITY, 0, 0 } };
        system->near[p].renewed = true;
    }
    return true;
}

// ---- in a step ------------------------------------------------------------------------------------------------------

bool rigidContactsFind(RigidSystem *system, Memory *memory, double dt)
{
    if (!reserve(system, memory))
        return false;
    for (int i = 0; i < system->bodyCount + system->sceneryCount; ++i)
    {
        system->place[i].turned = system->place[i].before = 0;
        readPlace(&system->place[i], system->body[i]);
    }
    for (int p = 0; p < system->pairCount; ++p)
        system->near[p] = (RigidNear){ .stands = false };
    if (!rigidCollect(system, memory, dt, 0))
        return false;
    for (int p = 0; p < system->pairCount; ++p)
        system->near[p].renewed = false;
    return reserveOld(system, memory);
}

static void swapLists(RigidSystem *system)
{
    RigidContact *contact = system->contact;
    int room = system->contactRoom;
    system->contact = system->oldContact;
    system->contactRoom = system->oldContactRoom;
    system->oldContact = contact;
    system->oldContactRoom = room;
}

// the whole list, in the order of the pairs
static bool renewAll(RigidSystem *system, Memory *memory, double rest, double h, double recovered)
{
    rigidRowsTell(system);
    swapLists(system);
    if (!rigidCollect(system, memory, rest, recovered))
        return false;
    rigidClusters(system, false);
    if (!rigidArrange(system, memory))
        return false;
    rigidContactsOpen(system, h);
    return true;
}

bool rigidContactsRenew(RigidSystem *system, Memory *memory, double next, double rest, double h, double recovered)
{
    if (measure(system, next) && !findPairs(system, memory, rest))
        return false;
    if (judge(system, next) == 0)
        return true;
    return renewAll(system, memory, rest, h, recovered);
}
