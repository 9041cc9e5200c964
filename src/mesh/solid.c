#include "mesh/solid.h"

#include "mesh/embed.h"
#include "mesh/model.h"
#include "mesh/repair.h"

#include <string.h>

#define COOKIE 0x5353
#define MOST_CELLS 1000
#define MOST_GRADING 8
#define VOLUME_LINES 64      // each way, to measure a volume
#define CHECK_LINES 32       // to see whether a closed surface intersects itself
#define SAME_VOLUME 0.01     // two measures of a volume that differ by less mean the same
#define NEGLIGIBLE_AREA 0.01 // share of the surface that may be missed without spoiling the volume
#define THIN_EDGES 4         // how far thickness is looked for

vvSolidDef vvDefaultSolidDef(void)
{
    return (vvSolidDef){ .kind = VV_SOLID_CONFORMING, .cells = 10, .cookie = COOKIE };
}

const char *vvGetSolidKindName(int index)
{
    static const char *const names[] = { "conforming", "cage" };
    return index >= 0 && index < 2 ? names[index] : NULL;
}

static vvResult checkDef(const vvSolidDef *def)
{
    if (def == NULL || def->cookie != COOKIE)
        return resultMake(VV_BAD_INPUT, "start from vvDefaultSolidDef()",
                          "the solid definition is NULL or was not initialised");
    if (def->kind != VV_SOLID_CONFORMING && def->kind != VV_SOLID_CAGE)
        return resultMake(VV_BAD_INPUT, "use a vvSolidKind", "kind is %d, must be 0 or 1", (int)def->kind);
    if (!(def->edge >= 0 && isfinite(def->edge)))
        return resultMake(VV_BAD_INPUT, "give a length in metres, or 0 and cells",
                          "edge is %g m, must be finite and not below 0", def->edge);
    if (def->edge == 0 && (def->cells < 2 || def->cells > MOST_CELLS))
        return resultMake(VV_BAD_INPUT, "10 suits most bodies", "cells is %d, must be 2 to %d", def->cells, MOST_CELLS);
    if (!(def->surfaceEdge >= 0 && isfinite(def->surfaceEdge)))
        return resultMake(VV_BAD_INPUT, "give a length in metres, or 0",
                          "surfaceEdge is %g m, must be finite and not below 0", def->surfaceEdge);
    if (def->grading < 0 || def->grading > MOST_GRADING)
        return resultMake(VV_BAD_INPUT, "1 halves the number of tets of a thick body, 0 keeps all cells equal",
                          "grading is %d, must be 0 to %d", def->grading, MOST_GRADING);
    return resultOk();
}

// ---- one filling ----------------------------------------------------------------------------------------------------

typedef struct Job
{
    const vvSolidDef *def;
    vvSolidReport report;
    Winding winding;
    Filling filling;

    // of a cage: the surface as it came
    Memory memory;
    double *point;
    int *triangle;
    int pointCount, triangleCount;
    vvFaces *faces;
} Job;

static vvResult checkSurface(const MeshArrays *arrays)
{
    if (arrays->tetCount > 0)
        return resultMake(VV_BAD_INPUT,
                          "leave solid out and use its tets; or write its surface as OBJ first: 'verve mesh convert'",
                          "the mesh has %d tets already, and solid fills surfaces", arrays->tetCount);
    if (arrays->triangleCount == 0)
        return resultMake(VV_BAD_INPUT, "give a closed surface of triangles", "the mesh has no triangles to fill");
    for (int i = 0; i < 3 * arrays->triangleCount; ++i)
    {
        if (arrays->triangle[i] < 0 || arrays->triangle[i] >= arrays->pointCount)
            return resultMake(VV_BAD_INPUT, "indices count from 0; a file that counts from 1 needs 1 subtracted",
                              "triangle %d names point %d, must be 0 to %d", i / 3, arrays->triangle[i],
                              arrays->pointCount - 1);
    }
    return checkMeshPoints(arrays);
}

static vvResult mend(MeshArrays *arrays, Job *job, double *signedVolume)
{
    SurfaceRepair repair;
    if (!repairSurface(arrays->memory, arrays->point, arrays->pointCount, arrays->triangle, &arrays->triangleCount,
                       NULL, &repair))
        return resultOutOfMemory("the repair of a surface");
    if (arrays->triangleCount == 0)
        return resultMake(VV_BAD_INPUT, "give a closed surface", "all %d faces of the surface have a corner twice",
                          repair.droppedFaces);
    job->report.weldedPoints = repair.weldedPoints;
    job->report.droppedFaces = repair.droppedFaces + repair.doubledFaces;
    job->report.turnedFaces = repair.turnedFaces;
    job->report.turnedShells = repair.turnedShells;
    job->report.cavities = repair.cavities;
    job->report.openEdges = repair.openEdges;
    job->report.crowdedEdges = repair.crowdedEdges;
    *signedVolume = repair.openEdges + repair.crowdedEdges + repair.twistedEdges == 0 ? repair.signedVolume : NAN;
    return resultOk();
}

static vvBox boxOf(const MeshArrays *arrays, double *area)
{
    vvBox box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    *area = 0;
    for (int i = 0; i < 3 * arrays->triangleCount; ++i)
    {
        boxInclude(&box, cornerPoint(arrays->point, arrays->triangle[i]));
        if (i % 3 == 0)
            *area += triangleArea(arrays->point, arrays->triangle + i);
    }
    return box;
}

static vvResult refuseEmpty(const Job *job)
{
    const vvSolidReport *report = &job->report;
    if (report->surfaceVolume > 0)
        return resultMake(
            VV_BAD_INPUT, "use more cells or a shorter edge, or kind \"cage\", which thickens thin parts",
            "the surface encloses %.3g m^3, too thin for edges of %.3g m: nothing of the lattice is inside",
            report->surfaceVolume, report->edge);
    return resultMake(VV_BAD_INPUT, "close it ('verve mesh doctor FILE' shows its holes), or use kind \"cage\"",
                      "the surface encloses nothing: %d of its edges have one face only", report->openEdges);
}

// of a closed surface that does not intersect itself the sum over its faces, elsewhere where the winding number says
static vvResult measure(Memory *memory, const Winding *winding, const vvBox *box, double signedVolume, double *volume)
{
    vvResult result = windingVolume(memory, winding, box, isnan(signedVolume) ? VOLUME_LINES : CHECK_LINES, volume);
    if (result.code != VV_OK || isnan(signedVolume))
        return result;
    if (fabs(*volume - signedVolume) > SAME_VOLUME * signedVolume)
        result = windingVolume(memory, winding, box, VOLUME_LINES, volume);
    if (fabs(*volume - signedVolume) <= SAME_VOLUME * signedVolume)
        *volume = signedVolume;
    return result;
}

static vvResult fill(MeshArrays *arrays, MeshArrays *out, Job *job)
{
    double signedVolume = NAN, area;
    Memory *memory = arrays->memory;
    vvSolidReport *report = &job->report;
    vvResult result = mend(arrays, job, &signedVolume);
    if (result.code != VV_OK)
        return result;
    if (!windingBuild(memory, &job->winding, arrays->point, arrays->triangle, arrays->triangleCount))
        return resultOutOfMemory("the winding numbers of a surface");
    vvBox box = boxOf(arrays, &area);
    job->filling = (Filling){
        .memory = memory, .boundary = windingBoundary(&job->winding), .winding = &job->winding, .def = job->def
    };
    result = fillingMake(&job->filling, &box);
    report->edge = job->filling.lattice.spacing;
    if (result.code == VV_OK)
        result = measure(memory, &job->winding, &box, signedVolume, &report->surfaceVolume);
    if (result.code == VV_OK)
        result = fillingSigns(&job->filling);
    if (result.code == VV_OK)
        result = stuffLattice(&job->filling, out);
    if (result.code == VV_OK && out->tetCount == 0)
        result = refuseEmpty(job);
    report->missedArea = job->filling.missedArea;
    bool corrects = report->missedArea < NEGLIGIBLE_AREA * area;
    if (result.code == VV_OK && corrects)
        result = correctVolume(out, report->surfaceVolume);
    if (result.code == VV_OK)
        result = skinRefine(&job->filling, out);
    if (result.code == VV_OK && corrects && job->def->surfaceEdge > 0)
        result = correctVolume(out, report->surfaceVolume);
    report->thinnest = windingThinnest(&job->winding, THIN_EDGES * report->edge);
    return result;
}

// keeps a copy of the surface for the embedding
static vvResult keepSurface(const MeshArrays *arrays, Job *job)
{
    if (job->def->kind != VV_SOLID_CAGE)
        return resultOk();
    size_t points = 3 * (size_t)arrays->pointCount, corners = 3 * (size_t)arrays->triangleCount;
    job->pointCount = arrays->pointCount;
    job->triangleCount = arrays->triangleCount;
    job->point = ALLOCATE(&job->memory, double, points);
    job->triangle = ALLOCATE(&job->memory, int, corners);
    if (job->point == NULL || job->triangle == NULL)
        return resultOutOfMemory("the surface of a cage");
    memcpy(job->point, arrays->point, points * sizeof(double));
    memcpy(job->triangle, arrays->triangle, corners * sizeof(int));
    job->faces = arrays->faces != NULL ? facesCopy(&job->memory, arrays->faces, NULL) : NULL;
    return arrays->faces == NULL || job->faces != NULL ? resultOk() : resultOutOfMemory("the surface of a cage");
}

static vvResult embedSurface(const Job *job, vvMesh *mesh)
{
    vvEmbeddingDef def = vvDefaultEmbeddingDef();
    def.mesh = mesh;
    def.points = job->point;
    def.pointCount = job->pointCount;
    def.triangles = job->triangle;
    def.triangleCount = job->triangleCount;
    def.faces = job->faces;
    def.allocator = job->memory.hook;
    vvResult result = resultOk();
    if (job->def->kind == VV_SOLID_CAGE)
        mesh->embedding = embeddingMake(&def, true, &result);
    return result;
}

// turns the arrays of a surface into those of a solid
static vvResult fillArrays(MeshArrays *arrays, void *context)
{
    Job *job = context;
    MeshArrays out = { .memory = arrays->memory };
    vvResult result = checkSurface(arrays);
    if (result.code == VV_OK)
        result = keepSurface(arrays, job);
    if (result.code == VV_OK)
        result = arraysAllocate(&out, 0, 0, 0, 0);
    if (result.code == VV_OK)
        result = fill(arrays, &out, job);
    windingFree(arrays->memory, &job->winding);
    memoryRelease(arrays->memory, job->filling.sign);
    if (result.code == VV_OK)
        result = arraysFit(&out);
    if (result.code == VV_OK)
    {
        MeshArrays old = *arrays;
        *arrays = out;
        out = old;
    }
    arraysRelease(&out);
    return result;
}

static double degrees(double cosine)
{
    return acos(minReal(1, maxReal(-1, cosine))) * 180 / PI;
}

static void fillReport(vvSolidReport *report, const vvMesh *mesh, const MeshQuality *quality)
{
    report->vertexCount = mesh->vertexCount;
    report->tetCount = mesh->tetCount;
    report->volume = mesh->volume;
    report->leastAngle = degrees(quality->largestCosine);
    report->mostAngle = degrees(quality->leastCosine);
    report->pieces = quality->componentCount;
}

// a stand-in model has a formula for its surface: only the lattice is to be said
static vvMesh *createModel(const vvMeshDef *model, const vvSolidDef *def, vvSolidReport *report, vvResult *result)
{
    vvResult outcome = resultMake(VV_BAD_INPUT, "leave kind out",
                                  "kind is cage, and a stand-in model has no surface that one carries");
    if (def->kind == VV_SOLID_CAGE && !resultPass(result, &outcome))
        return NULL;
    vvMesh *mesh = meshCreate(model, &(MeshEdit){ .solid = def }, result);
    if (mesh != NULL)
        *report = (vvSolidReport){ .edge = modelEdge(model, def), .surfaceVolume = mesh->volume };
    return mesh;
}

vvMesh *vvCreateSolidMesh(const vvMeshDef *surface, const vvSolidDef *def, vvSolidReport *report, vvResult *result)
{
    double start = clockSeconds();
    vvResult outcome = checkDef(def);
    if (!resultPass(result, &outcome))
        return NULL;
    Job job = { .def = def, .memory = memoryMake(surface != NULL ? &surface->allocator : NULL) };
    bool model = surface != NULL && modelTable(surface->shape) != NULL;
    vvMesh *mesh = model ? createModel(surface, def, &job.report, result)
                         : meshCreate(surface, &(MeshEdit){ .apply = fillArrays, .context = &job }, result);
    MeshQuality quality;
    if (mesh != NULL)
        outcome = meshQuality(mesh, &quality) ? embedSurface(&job, mesh) : resultOutOfMemory("the measures of a mesh");
    memoryRelease(&job.memory, job.point);
    memoryRelease(&job.memory, job.triangle);
    memoryRelease(&job.memory, job.faces);
    if (outcome.code != VV_OK)
    {
        resultPass(result, &outcome);
        vvDestroyMesh(mesh);
        return NULL;
    }
    if (mesh != NULL && report != NULL)
    {
        *report = job.report;
        fillReport(report, mesh, &quality);
        report->seconds = clockSeconds() - start;
    }
    return mesh;
}
