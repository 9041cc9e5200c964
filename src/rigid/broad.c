// The broad phase: boxes around the paths of bodies, sorted along one axis and swept. The pairs come out in the order
// of the bodies, whatever the axis was.
#include "rigid/system.h"

// ---- sorting: a heap, in place --------------------------------------------------------------------------------------

static bool isBefore(const RigidKey *a, const RigidKey *b)
{
    return a->key < b->key || (a->key == b->key && a->index < b->index);
}

static void sink(RigidKey *keys, int at, int count)
{
    RigidKey moved = keys[at];
    for (int child = 2 * at + 1; child < count; child = 2 * at + 1)
    {
        if (child + 1 < count && isBefore(&keys[child], &keys[child + 1]))
            child += 1;
        if (!isBefore(&moved, &keys[child]))
            break;
        keys[at] = keys[child];
        at = child;
    }
    keys[at] = moved;
}

void rigidSort(RigidKey *keys, int count)
{
    for (int i = count / 2 - 1; i >= 0; --i)
        sink(keys, i, count);
    for (int last = count - 1; last > 0; --last)
    {
        RigidKey most = keys[0];
        keys[0] = keys[last];
        keys[last] = most;
        sink(keys, 0, last);
    }
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

static const vvBox nowhere = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
static const vvBox everywhere = { { -INFINITY, -INFINITY, -INFINITY }, { INFINITY, INFINITY, INFINITY } };

// heights and planes have no end: their box is everywhere
static bool includeShape(const RigidShape *shape, Vec3 position, vvQuat rotation, vvBox *box)
{
    vvBox own = vvShape_GetBounds(shape->shape);
    if (!vecFinite(own.lower) || !vecFinite(own.upper))
        return false;
    Vec3 centre = vecScale(0.5, vecAdd(own.lower, own.upper)), half = vecScale(0.5, vecSub(own.upper, own.lower));
    Mat3 turn = quatMatrix(quatMultiply(rotation, shape->rotation));
    Vec3 at = vecAdd(position, vecAdd(quatRotate(rotation, shape->position), matApply(&turn, centre)));
    Vec3 reach = { fabs(turn.m[0][0]) * half.x + fabs(turn.m[0][1]) * half.y + fabs(turn.m[0][2]) * half.z,
                   fabs(turn.m[1][0]) * half.x + fabs(turn.m[1][1]) * half.y + fabs(turn.m[1][2]) * half.z,
                   fabs(turn.m[2][0]) * half.x + fabs(turn.m[2][1]) * half.y + fabs(turn.m[2][2]) * half.z };
    boxInclude(box, vecSub(at, reach));
    boxInclude(box, vecAdd(at, reach));
    return true;
}

static vvBox boxWith(const RigidBody *body, double reach)
{
    vvBox box = nowhere;
    for (int i = 0; i < body->shapeCount; ++i)
    {
        if (!includeShape(&body->shape[i], body->position, body->rotation, &box))
            return everywhere;
    }
    box.lower = vecSub(box.lower, vec3(reach, reach, reach));
    box.upper = vecAdd(box.upper, vec3(reach, reach, reach));
    return box;
}

static bool overlap(const vvBox *a, const vvBox *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

// ---- the sweep ------------------------------------------------------------------------------------------------------

static double along(Vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// the axis on which the bodies spread most
static int widestAxis(const RigidSystem *system)
{
    double spread[3] = { 0 };
    for (int axis = 0; axis < 3; ++axis)
    {
        double sum = 0, squares = 0;
        for (int i = 0; i < system->bodyCount; ++i)
        {
            double x = along(system->body[i]->position, axis);
            sum += x;
            squares += x * x;
        }
        spread[axis] = squares - sum * sum / maxInt(system->bodyCount, 1);
    }
    return spread[0] >= spread[1] && spread[0] >= spread[2] ? 0 : spread[1] >= spread[2] ? 1 : 2;
}

static bool mayMeet(const RigidBody *a, const RigidBody *b)
{
    if (a->stands || b->stands)
        return false;
    return (a->inverseMass > 0 || b->inverseMass > 0) && (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

// one more
static bool reservePair(RigidSystem *system, Memory *memory)
{
    if (system->pairCount == system->pairRoom)
    {
        void *pairs = system->pair;
        int grown = maxInt(RIGID_CONTACTS_ROOM(system->room), 2 * system->pairRoom);
        if (!memoryGrow(memory, &pairs, (size_t)system->pairRoom, (size_t)grown, sizeof(RigidKey)))
            return false;
        system->pair = pairs;
        system->pairRoom = grown;
    }
    return true;
}

bool rigidAddPair(RigidSystem *system, Memory *memory, double key)
{
    if (!reservePair(system, memory))
        return false;
    system->pair[system->pairCount++] = (RigidKey){ key, 0 };
    return true;
}

// takes out what joints hold together and do not let collide; both lists are sorted
static bool removeJoined(RigidSystem *system, Memory *memory)
{
    int count = 0, kept = 0, at = 0;
    if (system->linkCount > system->apartRoom)
    {
        memoryRelease(memory, system->apart);
        system->apart = ALLOCATE(memory, RigidKey, system->linkCount);
        system->apartRoom = system->apart ? system->linkCount : 0;
        if (system->apart == NULL)
            return false;
    }
    for (int i = 0; i < system->linkCount; ++i)
    {
        int a = system->link[i].a->index, b = system->link[i].b->index;
        if (!system->link[i].collide)
            system->apart[count++] = (RigidKey){ rigidPairKey(minInt(a, b), maxInt(a, b)), 0 };
    }
    rigidSort(system->apart, count);
    for (int p = 0; p < system->pairCount && count > 0; ++p)
    {
        while (at < count && system->apart[at].key < system->pair[p].key)
            at += 1;
        if (at == count || system->apart[at].key > system->pair[p].key)
            system->pair[kept++] = system->pair[p];
    }
    system->pairCount = count > 0 ? kept : system->pairCount;
    return true;
}

bool rigidPairs(RigidSystem *system, Memory *memory, double dt)
{
    int count = system->bodyCount + system->sceneryCount, axis = widestAxis(system);
    system->pairCount = 0;
    if (!reservePair(system, memory))
        return false;
    for (int i = 0; i < count; ++i)
    {
        system->body[i]->index = i;
        const RigidBody *body = system->body[i];
        double reach = rigidReach(system, body, dt);
        RigidPlace *place = &system->place[i];
        place->position = body->position;
        place->reach = reach;
        place->before = place->turned;
        system->box[i] = boxWith(body, reach);
        system->order[i] = (RigidKey){ along(system->box[i].lower, axis), i };
    }
    rigidSort(system->order, count);
    for (int i = 0; i < count; ++i)
    {
        int a = system->order[i].index;
        double end = along(system->box[a].upper, axis);
        for (int k = i + 1; k < count && system->order[k].key <= end; ++k)
        {
            int b = system->order[k].index;
            if (overlap(&system->box[a], &system->box[b]) && mayMeet(system->body[a], system->body[b]) &&
                !rigidAddPair(system, memory, rigidPairKey(minInt(a, b), maxInt(a, b))))
                return false;
        }
    }
    rigidSort(system->pair, system->pairCount);
    return removeJoined(system, memory);
}
