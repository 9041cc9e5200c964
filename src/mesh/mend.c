#include "mesh/mend.h"

#include "mesh/repair.h"

#include <verve/repair.h>

#define COOKIE 0x5252
#define FLATNESS 1e-12 // as check.c

vvRepairDef vvDefaultRepairDef(void)
{
    return (vvRepairDef){ .holes = 64, .cookie = COOKIE };
}

static vvResult checkDef(const vvRepairDef *def)
{
    if (def == NULL || def->cookie != COOKIE)
        return resultMake(VV_BAD_INPUT, "start from vvDefaultRepairDef()",
                          "the repair definition is NULL or was not initialised");
    if (!(def->weld >= 0 && isfinite(def->weld)))
        return resultMake(VV_BAD_INPUT, "give a distance in metres, or 0",
                          "weld is %g m, must be finite and not below 0", def->weld);
    if (def->piece < 0)
        return resultMake(VV_BAD_INPUT, "0 keeps all", "piece is %d, must not be below 0", def->piece);
    if (def->holes < 0)
        return resultMake(VV_BAD_INPUT, "0 leaves holes open", "holes is %d, must not be below 0", def->holes);
    return resultOk();
}

typedef struct Job
{
    const vvRepairDef *def;
    vvRepairReport report;
    int *map;       // of points as they came: what they are now, -1: gone; NULL: nobody asks
    int givenCount; // of them
} Job;

static void followPoints(Job *job, const int *number)
{
    for (int v = 0; job->map != NULL && v < job->givenCount; ++v)
        job->map[v] = job->map[v] >= 0 ? number[job->map[v]] : -1;
}

static vvResult checkIndices(const int *corner, int count, int width, int pointCount)
{
    for (size_t i = 0; i < (size_t)width * (size_t)count; ++i)
    {
        if (corner[i] < 0 || corner[i] >= pointCount)
            return resultMake(VV_BAD_INPUT, "indices count from 0; a file that counts from 1 needs 1 subtracted",
                              "element %zu names point %d, must be 0 to %d", i / (size_t)width, corner[i],
                              pointCount - 1);
    }
    return resultOk();
}

static void renumber(int *corner, int count, int width, const int *number)
{
    for (size_t i = 0; i < (size_t)width * (size_t)count; ++i)
        corner[i] = number[corner[i]];
}

// ---- elements that are none -----------------------------------------------------------------------------------------

// moves the elements that are not gone together; returns how many
static int keepElements(int *corner, int *kind, int count, int width, const bool *gone)
{
    int kept = 0;
    for (int e = 0; e < count; ++e)
    {
        if (gone[e])
            continue;
        for (int i = 0; i < width; ++i)
            corner[width * kept + i] = corner[width * e + i];
        if (kind != NULL)
            kind[kept] = kind[e];
        ++kept;
    }
    return kept;
}

static bool hasCornerTwice(const int *corner, int width)
{
    bool twice = false;
    for (int i = 0; i < width; ++i)
    {
        for (int j = 0; j < i; ++j)
            twice = twice || corner[i] == corner[j];
    }
    return twice;
}

// corners in ascending order, by insertion
static void sortCorners(const int *corner, int width, int *key)
{
    for (int i = 0; i < width; ++i)
    {
        int k = i;
        for (; k > 0 && key[k - 1] > corner[i]; --k)
            key[k] = key[k - 1];
        key[k] = corner[i];
    }
}

static bool isFlatTet(const double *point, const int *corner)
{
    double longest = longestEdge(point, corner, 4);
    return !(fabs(tetVolume(point, corner)) > FLATNESS * longest * longest * longest);
}

// elements with a corner twice, tets without volume, and all but the first with the same corners
static bool dropElements(MeshArrays *arrays, int *corner, int *kind, int *count, int width, vvRepairReport *report)
{
    Memory *memory = arrays->memory;
    int *key = ALLOCATE(memory, int, (size_t)width *(size_t)*count), *order = ALLOCATE(memory, int, *count);
    bool *gone = ALLOCATE(memory, bool, *count), ok = key != NULL && order != NULL && gone != NULL;
    for (int e = 0; e < *count && ok; ++e)
    {
        const int *own = corner + (size_t)width * (size_t)e;
        bool twice = hasCornerTwice(own, width), flat = !twice && width == 4 && isFlatTet(arrays->point, own);
        gone[e] = twice || flat;
        report->collapsedElements += twice;
        report->flatElements += flat;
        sortCorners(own, width, key + (size_t)width * (size_t)e);
    }
    ok = ok && sortTuples(memory, key, *count, width, arrays->pointCount, order);
    for (int i = 1; i < *count && ok; ++i)
    {
        bool same = !gone[order[i]];
        for (int c = 0; c < width && same; ++c)
            same = key[width * order[i] + c] == key[width * order[i - 1] + c];
        gone[order[i]] = gone[order[i]] || same;
        report->doubledElements += same;
    }
    *count = ok ? keepElements(corner, kind, *count, width, gone) : *count;
    memoryRelease(memory, key);
    memoryRelease(memory, order);
    memoryRelease(memory, gone);
    return ok;
}

// ---- surfaces -------------------------------------------------------------------------------------------------------

static vvResult mendSurface(MeshArrays *arrays, Job *job)
{
    SurfaceRepair repair;
    vvRepairReport *report = &job->report;
    Memory *memory = arrays->memory;
    int *first = ALLOCATE(memory, int, arrays->pointCount);
    bool mended = first != NULL && repairSurface(memory, arrays->point, arrays->pointCount, arrays->triangle,
                                                 &arrays->triangleCount, first, &repair);
    if (mended)
        followPoints(job, first);
    memoryRelease(memory, first);
    if (!mended)
        return resultOutOfMemory("the repair of a surface");
    report->collapsedElements += repair.droppedFaces;
    report->doubledElements += repair.doubledFaces;
    report->turnedFaces = repair.turnedFaces;
    report->turnedShells = repair.turnedShells;
    report->cavities = repair.cavities;
    report->twistedEdges = repair.twistedEdges;
    int flat = mendFlat(memory, arrays->point, arrays->pointCount, arrays->triangle, &arrays->triangleCount);
    if (flat < 0 || !mendHoles(arrays, job->def->holes, &report->holes, &report->closedHoles))
        return resultOutOfMemory("the repair of a surface");
    report->flatElements += flat;
    int *neighbour = ALLOCATE(memory, int, 3 * (size_t)arrays->triangleCount);
    bool ok = neighbour != NULL && repairNeighbours(memory, arrays->triangle, arrays->triangleCount, arrays->pointCount,
                                                    neighbour, &report->openEdges, &report->crowdedEdges);
    memoryRelease(memory, neighbour);
    return ok ? resultOk() : resultOutOfMemory("the repair of a surface");
}

// ---- pieces and points ----------------------------------------------------------------------------------------------

static int rootOf(int *parent, int v)
{
    while (parent[v] != v)
        v = parent[v] = parent[parent[v]];
    return v;
}

typedef struct Elements
{
    int *corner, *kind, *count;
    int width;
} Elements;

static Elements matterOf(MeshArrays *arrays)
{
    if (arrays->tetCount > 0)
        return (Elements){ arrays->tet, NULL, &arrays->tetCount, 4 };
    if (arrays->triangleCount > 0)
        return (Elements){ arrays->triangle, NULL, &arrays->triangleCount, 3 };
    return (Elements){ arrays->edge, arrays->edgeKind, &arrays->edgeCount, 2 };
}

// how many elements the piece of each root has
static void countPieces(const Elements *matter, int *parent, int *size)
{
    for (int e = 0; e < *matter->count; ++e)
    {
        for (int i = 1; i < matter->width; ++i)
        {
            int a = rootOf(parent, matter->corner[matter->width * e]),
                b = rootOf(parent, matter->corner[matter->width * e + i]);
            parent[maxInt(a, b)] = minInt(a, b);
        }
    }
    for (int e = 0; e < *matter->count; ++e)
        size[rootOf(parent, matter->corner[matter->width * e])] += 1;
}

// the root of the piece of this rank, 1 the largest; of equal ones the first comes first. Takes sizes away; -1: none
static int pieceOfRank(const Elements *matter, int *parent, int *size, int rank)
{
    int found = -1;
    for (int k = 0; k < rank && (k == 0 || found >= 0); ++k)
    {
        if (found >= 0)
            size[found] = 0;
        found = -1;
        for (int e = *matter->count - 1; e >= 0; --e)
        {
            int root = rootOf(parent, matter->corner[matter->width * e]);
            if (size[root] > 0 && (found < 0 || size[root] >= size[found]))
                found = root;
        }
    }
    return found;
}

static bool mendPieces(MeshArrays *arrays, Job *job)
{
    Memory *memory = arrays->memory;
    Elements matter = matterOf(arrays);
    int *parent = ALLOCATE(memory, int, arrays->pointCount), *size = ALLOCATE(memory, int, arrays->pointCount);
    bool *gone = ALLOCATE(memory, bool, *matter.count), ok = parent != NULL && size != NULL && gone != NULL;
    for (int v = 0; v < arrays->pointCount && ok; ++v)
        parent[v] = v;
    if (ok)
        countPieces(&matter, parent, size);
    for (int v = 0; v < arrays->pointCount && ok; ++v)
        job->report.pieces += size[v] > 0;
    if (ok && job->def->piece > 0)
    {
        int kept = pieceOfRank(&matter, parent, size, job->def->piece);
        for (int e = 0; e < *matter.count; ++e)
            gone[e] = rootOf(parent, matter.corner[matter.width * e]) != kept;
        *matter.count = keepElements(matter.corner, matter.kind, *matter.count, matter.width, gone);
    }
    memoryRelease(memory, parent);
    memoryRelease(memory, size);
    memoryRelease(memory, gone);
    return ok;
}

static bool dropUnused(MeshArrays *arrays, Job *job)
{
    vvRepairReport *report = &job->report;
    Elements matter = matterOf(arrays);
    int *number = ALLOCATE(arrays->memory, int, arrays->pointCount), kept = 0;
    if (number == NULL)
        return false;
    for (size_t i = 0; i < (size_t)matter.width * (size_t)*matter.count; ++i)
        number[matter.corner[i]] = 1;
    for (int v = 0; v < arrays->pointCount; ++v)
    {
        if (number[v] != 0)
            vecStore(arrays->point + 3 * (size_t)kept, cornerPoint(arrays->point, v));
        number[v] = number[v] != 0 ? kept++ : -1;
    }
    renumber(matter.corner, *matter.count, matter.width, number);
    followPoints(job, number);
    // springs beside triangles
    int springs = matter.width > 2 ? arrays->edgeCount : 0, left = 0;
    for (int e = 0; e < springs; ++e)
    {
        int a = number[arrays->edge[2 * e]], b = number[arrays->edge[2 * e + 1]];
        if (a < 0 || b < 0)
            continue;
        arrays->edge[2 * left] = a;
        arrays->edge[2 * left + 1] = b;
        arrays->edgeKind[left++] = arrays->edgeKind[e];
    }
    arrays->edgeCount = matter.width > 2 ? left : arrays->edgeCount;
    report->unusedPoints = maxInt(0, arrays->pointCount - kept - report->weldedPoints);
    arrays->pointCount = kept;
    memoryRelease(arrays->memory, number);
    return true;
}

// ---- all together ---------------------------------------------------------------------------------------------------

static vvResult mendWelds(MeshArrays *arrays, Job *job)
{
    int *first = ALLOCATE(arrays->memory, int, arrays->pointCount);
    int welded =
        first != NULL ? repairWeld(arrays->memory, arrays->point, arrays->pointCount, job->def->weld, first) : -1;
    if (welded >= 0)
    {
        renumber(arrays->tet, arrays->tetCount, 4, first);
        renumber(arrays->triangle, arrays->triangleCount, 3, first);
        renumber(arrays->edge, arrays->edgeCount, 2, first);
        followPoints(job, first);
        job->report.weldedPoints = welded;
    }
    memoryRelease(arrays->memory, first);
    return welded >= 0 ? resultOk() : resultOutOfMemory("the repair of a mesh");
}

static vvResult mendElements(MeshArrays *arrays, Job *job)
{
    vvRepairReport *report = &job->report;
    if (arrays->tetCount > 0 && !dropElements(arrays, arrays->tet, NULL, &arrays->tetCount, 4, report))
        return resultOutOfMemory("the repair of a mesh");
    if (arrays->edgeCount > 0 && !dropElements(arrays, arrays->edge, arrays->edgeKind, &arrays->edgeCount, 2, report))
        return resultOutOfMemory("the repair of a mesh");
    if (arrays->tetCount == 0 && arrays->triangleCount > 0)
        return mendSurface(arrays, job);
    return resultOk();
}

// what was drawn, as far as its triangles are still there
static bool keepFaces(MeshArrays *arrays, const Job *job)
{
    vvFaces *kept = NULL;
    if (arrays->faces == NULL)
        return true;
    bool ok = arrays->triangleCount == 0 || facesFollow(arrays->memory, arrays->faces, job->map, arrays->triangle,
                                                        arrays->triangleCount, arrays->pointCount, &kept);
    memoryRelease(arrays->memory, arrays->faces);
    arrays->faces = kept;
    return ok;
}

static bool startMap(const MeshArrays *arrays, Job *job)
{
    if (arrays->faces == NULL)
        return true;
    job->givenCount = arrays->pointCount;
    job->map = ALLOCATE(arrays->memory, int, arrays->pointCount);
    for (int v = 0; job->map != NULL && v < job->givenCount; ++v)
        job->map[v] = v;
    return job->map != NULL;
}

static vvResult mendAll(MeshArrays *arrays, Job *job)
{
    job->report.pointCount = arrays->pointCount;
    job->report.tetCount = arrays->tetCount;
    job->report.faceCount = arrays->triangleCount;
    vvResult result = checkMeshPoints(arrays);
    if (result.code == VV_OK)
        result = checkIndices(arrays->tet, arrays->tetCount, 4, arrays->pointCount);
    if (result.code == VV_OK)
        result = checkIndices(arrays->triangle, arrays->triangleCount, 3, arrays->pointCount);
    if (result.code == VV_OK)
        result = checkIndices(arrays->edge, arrays->edgeCount, 2, arrays->pointCount);
    if (result.code == VV_OK)
        result = mendWelds(arrays, job);
    if (result.code == VV_OK)
        result = mendElements(arrays, job);
    if (result.code != VV_OK)
        return result;
    if (arrays->tetCount + arrays->triangleCount + arrays->edgeCount == 0)
        return resultMake(VV_BAD_INPUT, "look at the file: it has nothing to simulate",
                          "none of the %d elements has an extent", job->report.tetCount + job->report.faceCount);
    bool ok = mendPieces(arrays, job);
    if (ok && job->def->piece > job->report.pieces)
        return resultMake(VV_BAD_INPUT, "ask for one that is there, or for 0, which keeps all",
                          "piece %d of a mesh of %d", job->def->piece, job->report.pieces);
    ok = ok && dropUnused(arrays, job) && keepFaces(arrays, job);
    memoryRelease(arrays->memory, arrays->naming.point);
    arrays->naming = (Naming){ 0 };
    return ok ? resultOk() : resultOutOfMemory("the repair of a mesh");
}

static vvResult mendArrays(MeshArrays *arrays, void *context)
{
    Job *job = context;
    vvResult result = startMap(arrays, job) ? mendAll(arrays, job) : resultOutOfMemory("the repair of a mesh");
    memoryRelease(arrays->memory, job->map);
    job->map = NULL;
    return result;
}

vvMesh *vvCreateRepairedMesh(const vvMeshDef *mesh, const vvRepairDef *def, vvRepairReport *report, vvResult *result)
{
    vvResult outcome = checkDef(def);
    if (!resultPass(result, &outcome))
        return NULL;
    Job job = { .def = def };
    vvMesh *made = meshCreate(mesh, &(MeshEdit){ .apply = mendArrays, .context = &job }, result);
    job.report.turnedTets = made != NULL ? made->reorientedCount : 0;
    if (report != NULL)
        *report = job.report;
    return made;
}
