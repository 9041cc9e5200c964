// How a body starts, if not in its rest shape: deformations one after the other, of all vertices or of some.
#include "scene/built.h"

#include <stdio.h>
#include <string.h>

#define PATH_SIZE 64

// in [0, 1): one step of Steele's splitmix64, whose state is a count
static double draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static Vec3 drawIn(uint64_t *state, Vec3 low, Vec3 high)
{
    double x = draw(state), y = draw(state), z = draw(state);
    return vec3(low.x + x * (high.x - low.x), low.y + y * (high.y - low.y), low.z + z * (high.z - low.z));
}

// places of a file or of a draw
static vvResult place(SceneWorld *built, const Json *keys, const Json *mesh, const unsigned char *chosen, int count,
                      uint64_t *random, double *points)
{
    const Json *box = treeItem(keys, "scatter");
    if (treeString(keys, "file") == NULL)
    {
        for (int v = 0; v < count && box != NULL; ++v)
        {
            vvVec3 low = treePoint(box->first), high = treePoint(box->first->next);
            Vec3 p = drawIn(random, vec3(low.x, low.y, low.z), vec3(high.x, high.y, high.z));
            if (chosen[v])
                vecStore(points + 3 * (ptrdiff_t)v, p);
        }
        return resultOk();
    }
    double *read = ALLOCATE(&built->memory, double, 3 * (size_t)count);
    if (read == NULL)
        return resultOutOfMemory("a shape of a body");
    vvResult result = readShape(built, keys, mesh, count, read);
    for (int v = 0; v < count && result.code == VV_OK; ++v)
    {
        if (chosen[v])
            memcpy(points + 3 * (ptrdiff_t)v, read + 3 * (ptrdiff_t)v, 3 * sizeof(double));
    }
    memoryRelease(&built->memory, read);
    return result;
}

static vvResult deform(SceneWorld *built, const Json *keys, const Json *mesh, const unsigned char *chosen, int count,
                       double *points)
{
    uint64_t random = (uint64_t)treeInteger(keys, "seed", 0);
    vvResult result = place(built, keys, mesh, chosen, count, &random, points);
    if (result.code != VV_OK)
        return result;
    Rod rod = rodOf(keys, points, chosen, count);
    vvVec3 move = treeVector(keys, "move");
    double most = treeNumber(keys, "jitter", 0);
    for (int v = 0; v < count; ++v)
    {
        // every vertex draws, chosen or not: the draw of a vertex does not depend on `where`
        Vec3 jitter = drawIn(&random, vec3(-most, -most, -most), vec3(most, most, most));
        if (!chosen[v])
            continue;
        Vec3 p = rodBent(&rod, vecLoad(points + 3 * (ptrdiff_t)v));
        vecStore(points + 3 * (ptrdiff_t)v, vecAdd(vecAdd(p, vec3(move.x, move.y, move.z)), jitter));
    }
    return resultOk();
}

vvResult readStart(SceneWorld *built, int index, const Json *body, double **out)
{
    const vvMesh *mesh = built->mesh[index];
    int count = vvMesh_GetVertexCount(mesh), entry = 0, some;
    vvResult result = resultOk();
    *out = NULL;
    if (treeCount(body, "deform") == 0)
        return result;
    *out = ALLOCATE(&built->memory, double, 3 * (size_t)count);
    unsigned char *chosen = ALLOCATE(&built->memory, unsigned char, count);
    if (*out == NULL || chosen == NULL)
        result = resultOutOfMemory("the start of a body");
    else
        memcpy(*out, vvMesh_GetPoints(mesh), 3 * (size_t)count * sizeof(double));
    TREE_EACH(keys, treeItem(body, "deform"))
    {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "bodies[%d].deform[%d]", index, entry++);
        if (result.code == VV_OK)
            memset(chosen, 1, (size_t)count);
        if (result.code == VV_OK && treeItem(keys, "where") != NULL)
            result = selectVertices(mesh, treeItem(keys, "where"), path, chosen, &some);
        if (result.code != VV_OK)
            break;
        result = deform(built, keys, treeItem(body, "mesh"), chosen, count, *out);
        if (result.code != VV_OK)
            result = resultMake(result.code, result.remedy, "%s.file: %s", path, result.message);
    }
    memoryRelease(&built->memory, chosen);
    return result;
}
