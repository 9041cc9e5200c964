// The broad phase between bodies: which collision meshes come near each other within a step, by boxes around the paths
// of their vertices. Boxes are kept sorted along one axis from step to step, so that sorting takes few moves; what is
// found does not depend on the order before, nor on the axis.
#include "contact/soft.h"

#include <string.h>

#define MARGIN 0.125   // of the edge: with that of the other mesh at least what counts as near
#define SHEET_ROOM 0.2 // of the edge: likewise, of a sheet
#define BETTER 2.0     // times wider: another axis is taken

// ---- boxes ----------------------------------------------------------------------------------------------------------

static void include(CollisionMesh *mesh, Vec3 x)
{
    const double p[3] = { x.x, x.y, x.z };
    for (int a = 0; a < 3; ++a)
    {
        mesh->sweptLower[a] = minReal(mesh->sweptLower[a], p[a]);
        mesh->sweptUpper[a] = maxReal(mesh->sweptUpper[a], p[a]);
    }
}

void broadBegin(CollisionMesh *mesh)
{
    for (int a = 0; a < 3; ++a)
    {
        mesh->sweptLower[a] = INFINITY;
        mesh->sweptUpper[a] = -INFINITY;
    }
}

void broadInclude(CollisionMesh *mesh, Vec3 x, Vec3 displacement)
{
    include(mesh, x);
    include(mesh, vecAdd(x, displacement));
}

double broadPad(const CollisionMesh *mesh)
{
    return maxReal(mesh->radius, mesh->closed ? 0 : SHEET_ROOM * mesh->edge) + MARGIN * mesh->edge;
}

vvBox broadPath(const CollisionMesh *mesh, Vec3 x, Vec3 displacement)
{
    double pad = broadPad(mesh);
    Vec3 lower = vec3(minReal(displacement.x, 0), minReal(displacement.y, 0), minReal(displacement.z, 0));
    Vec3 upper = vec3(maxReal(displacement.x, 0), maxReal(displacement.y, 0), maxReal(displacement.z, 0));
    Vec3 room = vec3(pad, pad, pad);
    return (vvBox){ vecSub(vecAdd(x, lower), room), vecAdd(vecAdd(x, upper), room) };
}

bool broadReaches(const vvBox *path, const CollisionMesh *other)
{
    const double *lower = other->sweptLower, *upper = other->sweptUpper;
    return path->lower.x <= upper[0] && lower[0] <= path->upper.x && path->lower.y <= upper[1] &&
           lower[1] <= path->upper.y && path->lower.z <= upper[2] && lower[2] <= path->upper.z;
}

void broadEnd(CollisionMesh *mesh)
{
    double pad = broadPad(mesh) + (mesh->hard ? BROAD_TURN * mesh->longest : 0);
    for (int a = 0; a < 3; ++a)
    {
        mesh->sweptLower[a] -= pad;
        mesh->sweptUpper[a] += pad;
    }
}

static bool overlap(const CollisionMesh *a, const CollisionMesh *b)
{
    for (int k = 0; k < 3; ++k)
    {
        if (!(a->sweptLower[k] <= b->sweptUpper[k] && b->sweptLower[k] <= a->sweptUpper[k]))
            return false;
    }
    return true;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

void broadRelease(Broad *broad, Memory *memory)
{
    memoryRelease(memory, broad->order);
    memoryRelease(memory, broad->start);
    memoryRelease(memory, broad->other);
    *broad = (Broad){ 0 };
}

static bool reserveSlots(Broad *broad, Memory *memory, int slotCount)
{
    if (slotCount <= broad->slotRoom && broad->slotRoom > 0)
        return true;
    void *order = broad->order, *start = broad->start;
    size_t before = (size_t)broad->slotRoom, grown = 2 * (size_t)maxInt(slotCount, 8);
    if (!memoryGrow(memory, &order, before, grown, sizeof(int)))
        return false;
    broad->order = order;
    if (!memoryGrow(memory, &start, before + (before > 0), grown + 1, sizeof(int)))
        return false;
    broad->start = start;
    broad->slotRoom = (int)grown;
    return true;
}

static bool reserveOthers(Broad *broad, Memory *memory, int count)
{
    if (count <= broad->otherRoom)
        return true;
    int grown = maxInt(64, count + count / 2);
    memoryRelease(memory, broad->other);
    broad->other = ALLOCATE(memory, int, grown);
    broad->otherRoom = broad->other != NULL ? grown : 0;
    return broad->other != NULL;
}

// ---- sorting --------------------------------------------------------------------------------------------------------

// those that are there, in the order they had; new ones at the end
static void list(Broad *broad, CollisionMesh *const *mesh, int slotCount)
{
    int count = 0;
    memset(broad->start, 0, ((size_t)slotCount + 1) * sizeof(int));
    for (int i = 0; i < broad->orderCount; ++i)
    {
        int slot = broad->order[i];
        if (slot >= slotCount || mesh[slot] == NULL)
            continue;
        broad->start[slot] = 1;
        broad->order[count++] = slot;
    }
    for (int slot = 0; slot < slotCount; ++slot)
    {
        if (mesh[slot] != NULL && broad->start[slot] == 0)
            broad->order[count++] = slot;
    }
    broad->orderCount = count;
}

static int chooseAxis(const Broad *broad, CollisionMesh *const *mesh)
{
    double wide[3];
    int axis = broad->axis;
    for (int a = 0; a < 3; ++a)
    {
        double lower = INFINITY, upper = -INFINITY;
        for (int i = 0; i < broad->orderCount; ++i)
        {
            lower = minReal(lower, mesh[broad->order[i]]->sweptLower[a]);
            upper = maxReal(upper, mesh[broad->order[i]]->sweptLower[a]);
        }
        wide[a] = upper - lower;
    }
    for (int a = 0; a < 3; ++a)
        axis = wide[a] > BETTER * wide[axis] ? a : axis;
    return axis;
}

static void sort(Broad *broad, CollisionMesh *const *mesh)
{
    int axis = broad->axis;
    for (int i = 1; i < broad->orderCount; ++i)
    {
        int slot = broad->order[i], place = i;
        double key = mesh[slot]->sweptLower[axis];
        for (; place > 0 && mesh[broad->order[place - 1]]->sweptLower[axis] > key; --place)
            broad->order[place] = broad->order[place - 1];
        broad->order[place] = slot;
    }
}

// ---- pairs ----------------------------------------------------------------------------------------------------------

static void sortOthers(int *other, int count)
{
    for (int i = 1; i < count; ++i)
    {
        int slot = other[i], place = i;
        for (; place > 0 && other[place - 1] > slot; --place)
            other[place] = other[place - 1];
        other[place] = slot;
    }
}

static void note(const Broad *broad, int slot, int other, bool write)
{
    if (write)
        broad->other[broad->start[slot]] = other;
    broad->start[slot] += 1;
}

// counts the others of each mesh, or writes them where they begin
static void sweepPairs(Broad *broad, CollisionMesh *const *mesh, bool write)
{
    for (int i = 0; i < broad->orderCount; ++i)
    {
        int slot = broad->order[i];
        CollisionMesh *own = mesh[slot];
        if (own->self)
            note(broad, slot, slot, write);
        for (int k = i + 1; k < broad->orderCount; ++k)
        {
            int with = broad->order[k];
            CollisionMesh *other = mesh[with];
            if (!(other->sweptLower[broad->axis] <= own->sweptUpper[broad->axis]))
                break;
            if (!overlap(own, other) || !collisionMeshesCollide(own, other))
                continue;
            note(broad, slot, with, write);
            note(broad, with, slot, write);
            own->stirred |= !other->asleep;
            other->stirred |= !own->asleep;
        }
    }
}

bool broadSearch(Broad *broad, Memory *memory, CollisionMesh *const *mesh, int slotCount)
{
    if (!reserveSlots(broad, memory, slotCount))
        return false;
    list(broad, mesh, slotCount);
    broad->axis = chooseAxis(broad, mesh);
    sort(broad, mesh);
    memset(broad->start, 0, ((size_t)slotCount + 1) * sizeof(int));
    sweepPairs(broad, mesh, false);
    int sum = 0;
    for (int slot = 0; slot <= slotCount; ++slot) // counts become starts
    {
        int count = broad->start[slot];
        broad->start[slot] = sum;
        sum += count;
    }
    if (!reserveOthers(broad, memory, sum))
        return false;
    sweepPairs(broad, mesh, true);
    // every start has become the end: shift back
    memmove(broad->start + 1, broad->start, (size_t)slotCount * sizeof(int));
    broad->start[0] = 0;
    for (int slot = 0; slot < slotCount; ++slot)
        sortOthers(broad->other + broad->start[slot], broad->start[slot + 1] - broad->start[slot]);
    return true;
}
