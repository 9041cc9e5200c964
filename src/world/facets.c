// Facets that were to open and have not: an edge inside a sheet stays closed while both of its ends are shared. A body
// remembers them, by their vertices in its present mesh, and opens them with the next ones.
#include "world/remake.h"

#include <string.h>

int facetCorners(const vvMesh *mesh)
{
    return mesh->matter == MATTER_SOLID ? 3 : mesh->matter == MATTER_SHEET ? 2 : 1;
}

static bool isOf(const MeshChange *change, const int *facet, int size, const int *corner, int skip)
{
    for (int k = 0, c = 0; k < size; ++k, ++c)
    {
        c += c == skip;
        const int *parent = change->vertexParent + 2 * (ptrdiff_t)corner[c];
        bool found = false;
        for (int j = 0; j < size; ++j)
            found |= parent[0] == facet[j] && parent[1] == facet[j];
        if (!found)
            return false;
    }
    return true;
}

// its vertices now; false: it is no more
static bool follow(const MeshChange *change, const int *facet, int size, int *now)
{
    const vvMesh *mesh = change->mesh;
    const int *element = size == 3 ? mesh->callerTet : mesh->callerSurface;
    int count = size == 3 ? mesh->tetCount : mesh->surfaceCount;
    for (int e = 0; e < count; ++e)
    {
        const int *corner = element + (ptrdiff_t)(size + 1) * e;
        for (int skip = 0; skip <= size; ++skip)
        {
            if (!isOf(change, facet, size, corner, skip))
                continue;
            for (int k = 0, c = 0; k < size; ++k, ++c)
            {
                c += c == skip;
                now[k] = corner[c];
            }
            return true;
        }
    }
    return false;
}

bool facetsKeep(Memory *memory, MeshStep *step, const MeshChange *change)
{
    int size = facetCorners(change->mesh);
    if (step->kind != MESH_SPLIT || change->keptCount == 0 || size == 1)
        return true;
    step->kept = ALLOCATE(memory, int, (size_t)size *(size_t)change->keptCount);
    for (int k = 0; step->kept != NULL && k < change->keptCount; ++k)
    {
        const int *facet = step->item + (ptrdiff_t)size * change->kept[k];
        if (follow(change, facet, size, step->kept + step->keptCount))
            step->keptCount += size;
    }
    return step->kept != NULL;
}

const int *facetsKept(const Body *body, int *count)
{
    const Origin *origin = body->origin;
    const MeshStep *last = origin != NULL && origin->stepCount > 0 ? &origin->step[origin->stepCount - 1] : NULL;
    *count = last != NULL ? last->keptCount : 0;
    return last != NULL ? last->kept : NULL;
}
