// From the list of contacts to batches of lanes. The contacts of a pair make a lane, RIGID_POINTS of them at most. The
// level of a lane is one above those of the lanes before it in the list that move one of its bodies; lanes of one level
// are independent of each other. A sweep level by level is the sweep over the list, in either direction.
#include "rigid/system.h"

#include <string.h>

static bool moves(const RigidBody *body)
{
    return body->inverseMass > 0;
}

// ---- lanes ----------------------------------------------------------------------------------------------------------

static int nextLevel(RigidSystem *system, const RigidContact *c)
{
    int *a = &system->level[c->a->index], *b = &system->level[c->b->index];
    int level = maxInt(moves(c->a) ? *a : 0, moves(c->b) ? *b : 0) + 1;
    if (moves(c->a))
        *a = level;
    if (moves(c->b))
        *b = level;
    return level;
}

// in the order of the list; returns how many
static int makeLanes(RigidSystem *system)
{
    int count = 0;
    memset(system->level, 0, (size_t)(system->bodyCount + system->sceneryCount) * sizeof(int));
    for (int i = 0, points; i < system->contactCount; i += points)
    {
        const RigidContact *c = &system->contact[i];
        points = 1;
        if (c->over)
            continue;
        while (points < RIGID_POINTS && i + points < system->contactCount && c[points].a == c->a &&
               c[points].b == c->b && !c[points].over)
            points += 1;
        system->lane[count++] = (RigidLane){ .contact = i, .points = points, .level = nextLevel(system, c) };
    }
    return count;
}

// by level, those with many points first; else in the order of the list
static int keyOf(const RigidLane *lane)
{
    return RIGID_POINTS * lane->level - lane->points;
}

static void sortLanes(RigidSystem *system, int count)
{
    int *start = system->start, keys = 0;
    for (int i = 0; i < count; ++i)
        keys = maxInt(keys, keyOf(&system->lane[i]) + 1);
    memset(start, 0, (size_t)(keys + 1) * sizeof *start);
    for (int i = 0; i < count; ++i)
        start[keyOf(&system->lane[i]) + 1] += 1;
    for (int k = 0; k < keys; ++k)
        start[k + 1] += start[k];
    for (int i = 0; i < count; ++i)
        system->sorted[start[keyOf(&system->lane[i])]++] = i;
}

// ---- room -----------------------------------------------------------------------------------------------------------

static bool reserveLanes(RigidSystem *system, Memory *memory)
{
    int room = system->contactRoom;
    if (room <= system->laneRoom)
        return true;
    memoryRelease(memory, system->lane);
    memoryRelease(memory, system->sorted);
    memoryRelease(memory, system->start);
    system->lane = ALLOCATE(memory, RigidLane, room);
    system->sorted = ALLOCATE(memory, int, room);
    system->start = ALLOCATE(memory, int, RIGID_POINTS *room + 2);
    system->laneRoom = system->lane && system->sorted && system->start ? room : 0;
    return system->laneRoom > 0;
}

// where contacts have all their room: few bodies fill lanes badly, many fill them
static int firstRows(const RigidSystem *system)
{
    return minInt(4 * system->room, 48) + system->laneRoom / RIGID_LANES;
}

static bool reserveRows(RigidSystem *system, Memory *memory, int batches, int rows)
{
    if (batches > system->batchRoom || system->batchRoom == 0)
    {
        memoryRelease(memory, system->batch);
        memoryRelease(memory, system->acting);
        memoryRelease(memory, system->struck);
        system->batchRoom = maxInt(firstRows(system), 2 * batches);
        system->batch = ALLOCATE(memory, RigidBatch, system->batchRoom);
        system->acting = ALLOCATE(memory, RigidBatch, system->batchRoom);
        system->struck = ALLOCATE(memory, int, system->batchRoom);
    }
    if (rows > system->rowRoom || system->rowRoom == 0)
    {
        memoryRelease(memory, system->row);
        system->rowRoom = maxInt(firstRows(system), 2 * rows);
        system->row = ALLOCATE(memory, RigidRow, system->rowRoom);
    }
    system->batchRoom = system->batch && system->acting && system->struck ? system->batchRoom : 0;
    system->rowRoom = system->row ? system->rowRoom : 0;
    return batches <= system->batchRoom && rows <= system->rowRoom;
}

// ---- rows -----------------------------------------------------------------------------------------------------------

static void putVector(RigidVectors *to, int lane, Vec3 v)
{
    to->x[lane] = v.x;
    to->y[lane] = v.y;
    to->z[lane] = v.z;
}

static Vec3 takeVector(const RigidVectors *from, int lane)
{
    return vec3(from->x[lane], from->y[lane], from->z[lane]);
}

// of the point on a: what is round leads, and what moves
static double shareOf(const RigidContact *c)
{
    if (c->radiusA > 0 && c->radiusB > 0)
        return 0.5;
    if (c->radiusA > 0 || (c->radiusB == 0 && !moves(c->b)))
        return 1;
    return c->radiusB > 0 || !moves(c->a) ? 0 : 0.5;
}

static void loadContact(RigidRow *row, int lane, const RigidContact *c)
{
    putVector(&row->normal, lane, c->normal);
    putVector(&row->localA, lane, c->localA);
    putVector(&row->localB, lane, c->localB);
    putVector(&row->axisA, lane, c->axisA);
    putVector(&row->axisB, lane, c->axisB);
    putVector(&row->belt, lane, c->belt);
    putVector(&row->slip, lane, c->slip);
    putVector(&row->whole, lane, c->whole);
    putVector(&row->impulse, lane, c->impulse);
    row->sum[lane] = c->sum;
    row->radiusA[lane] = c->radiusA;
    row->radiusB[lane] = c->radiusB;
    row->share[lane] = shareOf(c);
    row->depth[lane] = c->depth;
    row->friction[lane] = c->friction;
    row->restitution[lane] = c->restitution;
    row->loaded[lane] = c->a->inverseMass * vecLength(c->a->reaction) + c->b->inverseMass * vecLength(c->b->reaction);
}

// of the batch that begins with this lane: the first has most points
static int countRows(const RigidSystem *system, int from)
{
    return system->lane[system->sorted[from]].points;
}

// behind its last lane
static int endOfBatch(const RigidSystem *system, int from, int count)
{
    int end = from + 1, level = system->lane[system->sorted[from]].level;
    while (end < count && end - from < RIGID_LANES && system->lane[system->sorted[end]].level == level)
        end += 1;
    return end;
}

static void loadBatch(RigidSystem *system, RigidBatch *batch, int from)
{
    int nobody = MOTION_SIZE * (system->bodyCount + system->sceneryCount);
    batch->crosses = batch->belts = false;
    memset(system->row + batch->row, 0, (size_t)batch->rows * sizeof(RigidRow));
    for (int lane = 0; lane < RIGID_LANES; ++lane)
    {
        batch->a[lane] = batch->b[lane] = nobody;
        if (lane >= batch->count)
            continue;
        const RigidLane *source = &system->lane[system->sorted[from + lane]];
        for (int k = 0; k < source->points; ++k)
        {
            RigidContact *c = &system->contact[source->contact + k];
            c->row = batch->row + k;
            c->lane = lane;
            loadContact(&system->row[c->row], lane, c);
            batch->crosses |= c->radiusA > 0 && c->radiusB > 0;
            batch->belts |= vecDot(c->belt, c->belt) > 0;
            batch->a[lane] = MOTION_SIZE * c->a->index;
            batch->b[lane] = MOTION_SIZE * c->b->index;
        }
    }
}

bool rigidArrange(RigidSystem *system, Memory *memory)
{
    system->batchCount = 0;
    if (!reserveLanes(system, memory) || !reserveRows(system, memory, 0, 0))
        return false;
    int count = makeLanes(system), batches = 0, rows = 0;
    if (count == 0)
        return true;
    sortLanes(system, count);
    for (int i = 0; i < count; i = endOfBatch(system, i, count), batches += 1)
        rows += countRows(system, i);
    if (!reserveRows(system, memory, batches, rows))
        return false;
    system->batchCount = batches;
    RigidBatch *batch = system->batch;
    for (int i = 0, row = 0, end; i < count; i = end, ++batch)
    {
        end = endOfBatch(system, i, count);
        batch->count = end - i;
        batch->row = row;
        batch->rows = countRows(system, i);
        row += batch->rows;
        loadBatch(system, batch, i);
    }
    return true;
}

void rigidRowsTell(RigidSystem *system)
{
    for (int i = 0; i < system->contactCount; ++i)
    {
        RigidContact *c = &system->contact[i];
        RigidRow *row = &system->row[c->row];
        if (c->over)
            continue;
        c->lambda = row->lambda[c->lane];
        c->push = row->push[c->lane];
        c->sum = row->sum[c->lane];
        c->hits = row->hits[c->lane] > 0;
        c->slip = takeVector(&row->slip, c->lane);
        c->whole = takeVector(&row->whole, c->lane);
        c->impulse = takeVector(&row->impulse, c->lane);
        c->armA = takeVector(&row->armA, c->lane);
    }
}

RigidTurns rigidRowsTurns(RigidSystem *system, const RigidContact *c)
{
    const RigidRow *row = &system->row[c->row];
    double lambda = row->lambda[c->lane];
    return (RigidTurns){ .a = system->motion + (size_t)MOTION_SIZE * (size_t)c->a->index,
                         .b = system->motion + (size_t)MOTION_SIZE * (size_t)c->b->index,
                         .lambda = lambda,
                         .push = lambda > 0 ? row->push[c->lane] : 0 };
}
