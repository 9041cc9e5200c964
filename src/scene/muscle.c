// Muscles of a body, from its tree, and their activation over time. All of a body are groups of one constraint.
#include "scene/built.h"

#include <math.h>
#include <stdio.h>

#define PATH_SIZE 64

// What the tets of a body belong to, in the caller's order.
typedef struct Fibres
{
    int *tet, *group;  // tetCount; group -1: none
    double *direction; // tetCount x 3
    int *groupOf;      // tetCount
} Fibres;

static vvResult checkActivation(const Json *muscle, const char *path)
{
    double before = -1, last = 0;
    int entry = 0;
    TREE_EACH(row, treeItem(muscle, "activation"))
    {
        if (jsonCount(row) != 2)
            return resultMake(VV_BAD_INPUT, "write [time, activation]", "%s.activation[%d] has %d numbers, must have 2",
                              path, entry, jsonCount(row));
        double time = row->first->number, value = row->first->next->number;
        if (!(time > before))
            return resultMake(VV_BAD_INPUT, "sort them by time",
                              "%s.activation[%d] is at %g s, must be later than %g s", path, entry, time, before);
        if (value > 1)
            return resultMake(VV_BAD_INPUT, "raise stress instead", "%s.activation[%d] is %g, must be 0 to 1", path,
                              entry, value);
        before = last = time;
        entry += 1;
    }
    if (treeNumber(muscle, "period", INFINITY) < last)
        return resultMake(VV_BAD_INPUT, "lengthen it", "%s.period is %g s, must be at least %g s, the last time", path,
                          treeNumber(muscle, "period", 0), last);
    return resultOk();
}

// tets all of whose vertices are chosen
static vvResult fill(SceneWorld *built, const vvMesh *mesh, const Json *muscle, const char *path, int group,
                     Fibres *fibres)
{
    int count, filled = 0;
    const int *corner = vvMesh_GetTets(mesh);
    vvVec3 d = treeVector(muscle, "direction");
    unsigned char *chosen = ALLOCATE(&built->memory, unsigned char, vvMesh_GetVertexCount(mesh));
    if (chosen == NULL)
        return resultOutOfMemory("a selection of vertices");
    vvResult result = selectVertices(mesh, treeItem(muscle, "where"), path, chosen, &count);
    for (int t = 0; t < vvMesh_GetTetCount(mesh) && result.code == VV_OK; ++t)
    {
        const int *c = corner + 4 * (ptrdiff_t)t;
        if (!chosen[c[0]] || !chosen[c[1]] || !chosen[c[2]] || !chosen[c[3]])
            continue;
        const double axis[3] = { d.x, d.y, d.z };
        fibres->group[t] = group;
        for (int a = 0; a < 3; ++a)
            fibres->direction[3 * (ptrdiff_t)t + a] = axis[a];
        filled += 1;
    }
    memoryRelease(&built->memory, chosen);
    if (result.code == VV_OK && filled == 0)
        result = resultMake(VV_BAD_INPUT, "widen it: a tet is in a muscle when all of its vertices are",
                            "%s.where selects no whole tet of the mesh", path);
    return result;
}

// the tets that are in a muscle, to the front
static int gather(const vvMesh *mesh, Fibres *fibres)
{
    int count = 0;
    for (int t = 0; t < vvMesh_GetTetCount(mesh); ++t)
    {
        if (fibres->group[t] < 0)
            continue;
        fibres->tet[count] = t;
        fibres->groupOf[count] = fibres->group[t];
        for (int a = 0; a < 3; ++a)
            fibres->direction[3 * (ptrdiff_t)count + a] = fibres->direction[3 * (ptrdiff_t)t + a];
        count += 1;
    }
    return count;
}

// a later muscle may have taken all tets of an earlier one
static vvResult checkGroups(const Fibres *fibres, int count, int index, int groups)
{
    for (int group = 0; group < groups; ++group)
    {
        int t = 0;
        while (t < count && fibres->groupOf[t] != group)
            t += 1;
        if (t == count)
            return resultMake(VV_BAD_INPUT, "let muscles of one body share no tets, or leave it out",
                              "bodies[%d].muscles[%d] has no tet that is not in a later one too", index, group);
    }
    return resultOk();
}

static vvResult create(SceneWorld *built, int index, const Json *body, Fibres *fibres)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(built->body[index]);
    vvResult result = resultOk();
    double stress = -1;
    int entry = 0;
    for (int t = 0; t < vvMesh_GetTetCount(mesh); ++t)
        fibres->group[t] = -1;
    TREE_EACH(muscle, treeItem(body, "muscles"))
    {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "bodies[%d].muscles[%d]", index, entry);
        double own = treeNumber(muscle, "stress", 0);
        if (result.code == VV_OK)
            result = checkActivation(muscle, path);
        if (result.code == VV_OK && stress >= 0 && own != stress)
            result = resultMake(VV_BAD_INPUT, "give the largest to all, and smaller activations to the others",
                                "%s.stress is %g Pa, must be that of the muscles before it, %g Pa", path, own, stress);
        if (result.code == VV_OK)
            result = fill(built, mesh, muscle, path, entry, fibres);
        stress = own;
        entry += 1;
    }
    if (result.code != VV_OK)
        return result;
    vvMuscleDef def = vvDefaultMuscleDef();
    def.count = gather(mesh, fibres);
    result = checkGroups(fibres, def.count, index, entry);
    if (result.code != VV_OK)
        return result;
    def.tets = fibres->tet;
    def.groups = fibres->groupOf;
    def.directions = fibres->direction;
    def.stress = stress;
    built->muscles[index] = (Muscles){ vvCreateMuscle(built->body[index], &def, &result), treeItem(body, "muscles") };
    return result.code == VV_OK
               ? moveMuscles(&built->muscles[index], 0)
               : resultMake(result.code, result.remedy, "bodies[%d].muscles: %s", index, result.message);
}

vvResult holdMuscles(SceneWorld *built, int index, const Json *body)
{
    Memory *memory = &built->memory;
    if (treeCount(body, "muscles") == 0)
        return resultOk();
    size_t tets = (size_t)vvMesh_GetTetCount(vvSoftBody_GetMesh(built->body[index]));
    if (tets == 0)
        return resultMake(VV_BAD_INPUT, "use a mesh with tets", "bodies[%d].muscles need tets and the mesh has none",
                          index);
    Fibres fibres = { .tet = ALLOCATE(memory, int, tets),
                      .group = ALLOCATE(memory, int, tets),
                      .direction = ALLOCATE(memory, double, 3 * tets),
                      .groupOf = ALLOCATE(memory, int, tets) };
    vvResult result = resultOutOfMemory("the muscles of a body");
    if (fibres.tet && fibres.group && fibres.direction && fibres.groupOf)
        result = create(built, index, body, &fibres);
    memoryRelease(memory, fibres.tet);
    memoryRelease(memory, fibres.group);
    memoryRelease(memory, fibres.direction);
    memoryRelease(memory, fibres.groupOf);
    return result;
}

double courseAt(const Json *rows, double time)
{
    double before = 0, value = 0;
    TREE_EACH(row, rows)
    {
        double next = row->first->number, its = row->first->next->number;
        if (time < next)
            return row == rows->first ? its : value + (its - value) * (time - before) / (next - before);
        before = next;
        value = its;
    }
    return value;
}

static double activationAt(const Json *muscle, double time)
{
    double period = treeNumber(muscle, "period", 0);
    time -= period > 0 ? period * floor(time / period) : 0;
    return courseAt(treeItem(muscle, "activation"), time);
}

vvResult moveMuscles(const Muscles *muscles, double time)
{
    vvResult result = resultOk();
    int group = 0;
    TREE_EACH(muscle, muscles->list)
    {
        double activation = activationAt(muscle, time);
        if (result.code == VV_OK && vvConstraint_GetActivation(muscles->id, group) != activation)
            result = vvConstraint_SetActivation(muscles->id, group, activation);
        group += 1;
    }
    return result;
}
