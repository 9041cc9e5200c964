#include "mesh/change.h"

#include "mesh/pieces.h"

void meshChangeRelease(MeshChange *change)
{
    if (change->mesh != NULL)
        meshRelease(change->mesh);
    Memory memory = change->memory;
    void *const blocks[] = { change->vertexParent,  change->vertexWeight, change->elementParent, change->edgeParent,
                             change->surfaceParent, change->kept,         change->orphan,        change->touched };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; ++i)
        memoryRelease(&memory, blocks[i]);
    *change = (MeshChange){ 0 };
}

// ---- one change -----------------------------------------------------------------------------------------------------

// What is done with the pieces before they become a mesh.
typedef vvResult Alter(Pieces *pieces, const void *context, MeshChange *change);

static vvResult apply(const vvMesh *mesh, Alter *alter, const void *context, MeshChange *change)
{
    *change = (MeshChange){ .memory = memoryMake(&mesh->memory.hook) };
    Pieces pieces;
    vvResult result = resultOutOfMemory("the pieces of a mesh");
    if (piecesBegin(&pieces, &change->memory, mesh))
        result = alter(&pieces, context, change);
    if (result.code == VV_OK)
        result = piecesFinish(&pieces, change);
    piecesRelease(&pieces);
    if (result.code != VV_OK)
        meshChangeRelease(change);
    return result;
}

static vvResult checkGiven(const vvMesh *mesh, const void *list, int count, const MeshChange *change)
{
    if (mesh == NULL || change == NULL)
        return resultMake(VV_BAD_INPUT, "give a mesh and where its change goes", "the %s is NULL",
                          mesh == NULL ? "mesh" : "change");
    if (count < 0 || (count > 0 && list == NULL))
        return resultMake(VV_BAD_INPUT, "give the array and the number of its rows, or 0",
                          "count is %d, must be at least 0, and the array %s", count,
                          list != NULL ? "is there" : "is NULL");
    return resultOk();
}

// ---- split ----------------------------------------------------------------------------------------------------------

typedef struct Given
{
    const int *list;
    int count;
} Given;

static vvResult checkFacet(const Pieces *p, const int *facet, int number)
{
    int size = p->width - 1;
    const char *name = size == 3 ? "face" : size == 2 ? "edge" : "point";
    for (int i = 0; i < size; ++i)
    {
        if (facet[i] < 0 || facet[i] >= p->vertexCount)
            return resultMake(VV_BAD_INPUT, "vertices count from 0, in the caller's order",
                              "%s %d names vertex %d, must be 0 to %d", name, number, facet[i], p->vertexCount - 1);
        for (int k = 0; k < i; ++k)
        {
            if (facet[i] == facet[k])
                return resultMake(VV_BAD_INPUT, "give the different vertices of the facet",
                                  "%s %d names vertex %d twice, its %d vertices must differ", name, number, facet[i],
                                  size);
        }
    }
    return resultOk();
}

static vvResult split(Pieces *p, const void *context, MeshChange *change)
{
    const Given *given = context;
    int size = p->width - 1;
    for (int g = 0; g < given->count; ++g)
    {
        const int *facet = given->list + (size_t)g * (size_t)size;
        vvResult result = checkFacet(p, facet, g);
        if (result.code != VV_OK)
            return result;
        for (int i = 0; i < size; ++i)
            p->touched[facet[i]] = true;
    }
    return piecesSeparate(p, given->list, given->count, change);
}

vvResult meshSplit(const vvMesh *mesh, const int *facets, int count, MeshChange *change)
{
    vvResult result = checkGiven(mesh, facets, count, change);
    if (result.code != VV_OK)
        return result;
    return apply(mesh, split, &(Given){ facets, count }, change);
}

// ---- remove ---------------------------------------------------------------------------------------------------------

// elements that stay close up
static void dropElements(Pieces *p, const bool *goes)
{
    int kept = 0;
    for (int e = 0; e < p->elementCount; ++e)
    {
        const int *corner = p->corner + (size_t)e * (size_t)p->width;
        if (goes[p->parent[e]])
        {
            for (int c = 0; c < p->width; ++c)
                p->touched[corner[c]] = true;
            continue;
        }
        for (int c = 0; c < p->width; ++c)
            p->corner[(size_t)kept * (size_t)p->width + (size_t)c] = corner[c];
        p->parent[kept++] = p->parent[e];
    }
    p->elementCount = kept;
}

static vvResult takeAway(Pieces *p, const void *context, MeshChange *change)
{
    const Given *given = context;
    int count = meshElementCount(p->old);
    bool *goes = ALLOCATE(p->memory, bool, count);
    if (goes == NULL)
        return resultOutOfMemory("the elements that go");
    if (p->width == 2)
        p->dropped = goes;
    vvResult result = resultOk();
    for (int i = 0; i < given->count && result.code == VV_OK; ++i)
    {
        int e = given->list[i];
        if (e < 0 || e >= count)
            result = resultMake(VV_BAD_INPUT, "elements count from 0, in the caller's order",
                                "row %d names element %d, must be 0 to %d", i, e, count - 1);
        else
            goes[e] = true;
    }
    if (result.code == VV_OK)
        dropElements(p, goes);
    if (result.code == VV_OK && p->elementCount == 0)
        result = resultMake(VV_BAD_INPUT, "destroy the body instead, or leave at least 1 element",
                            "all elements go, %d rows name each of the %d", given->count, count);
    if (p->width > 2)
        memoryRelease(p->memory, goes);
    return result.code == VV_OK ? piecesSeparate(p, NULL, 0, change) : result;
}

vvResult meshRemove(const vvMesh *mesh, const int *elements, int count, MeshChange *change)
{
    vvResult result = checkGiven(mesh, elements, count, change);
    if (result.code != VV_OK)
        return result;
    return apply(mesh, takeAway, &(Given){ elements, count }, change);
}

// ---- cut ------------------------------------------------------------------------------------------------------------

typedef struct CutJob
{
    const double *positions;
    const Blade *blade;
} CutJob;

static vvResult cutThrough(Pieces *p, const void *context, MeshChange *change)
{
    const CutJob *job = context;
    for (int i = 0; i < 3 * p->vertexCount; ++i)
    {
        if (!(fabs(job->positions[i]) <= FARTHEST)) // NaN is refused too
            return resultMake(VV_BAD_INPUT, "give the positions of all vertices, in metres",
                              "coordinate %d of vertex %d is %g, must be finite and within %g m", i % 3, i / 3,
                              job->positions[i], FARTHEST);
    }
    return piecesCut(p, job->positions, job->blade, change);
}

vvResult meshCut(const vvMesh *mesh, const double *positions, const Blade *blade, MeshChange *change)
{
    vvResult result = checkGiven(mesh, NULL, 0, change);
    if (result.code == VV_OK && (positions == NULL || blade == NULL))
        result = resultMake(VV_BAD_INPUT, "give where the vertices are, and two positions of the blade", "the %s NULL",
                            positions == NULL ? "array of positions is" : "blade is");
    if (result.code != VV_OK)
        return result;
    return apply(mesh, cutThrough, &(CutJob){ positions, blade }, change);
}
