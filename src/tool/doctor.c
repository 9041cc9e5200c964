// verve mesh doctor: what is wrong with a file, and the file without it.
#include "tool/mesh.h"

#include "mesh/mesh.h"
#include "tool/notes.h"

#include <string.h>

typedef struct Finding
{
    const char *key, *what, *deed; // deed NULL: nothing can be done
    int count;
    bool fault;
} Finding;

#define FINDINGS 14
#define MOST_PIECES 1000 // of one mesh in files of their own

static int gather(const vvRepairReport *r, Finding *f)
{
    const Finding all[FINDINGS] = {
        { "weldedPoints", "points lie on others", "weld them", r->weldedPoints, true },
        { "unusedPoints", "points belong to nothing", "leave them out", r->unusedPoints, true },
        { "collapsedElements", "elements have a corner twice", "drop them", r->collapsedElements, true },
        { "flatElements", "elements have no area or volume", "close their neighbours over them", r->flatElements,
          true },
        { "doubledElements", "elements are there twice", "drop one of each", r->doubledElements, true },
        { "turnedFaces", "faces wind against their neighbours", "turn them", r->turnedFaces, true },
        { "turnedShells", "shells wind inward", "turn them", r->turnedShells, true },
        { "turnedTets", "tets have a negative volume", "turn them", r->turnedTets, true },
        { "closedHoles", "small holes", "close them", r->closedHoles, true },
        { "openHoles", "larger holes or rims", NULL, r->holes - r->closedHoles, true },
        { "crowdedEdges", "edges have three faces or more", NULL, r->crowdedEdges, true },
        { "twistedEdges", "edges of a one-sided surface", NULL, r->twistedEdges, true },
        { "cavities", "shells inside others wind inward: cavities of a solid", NULL, r->cavities, false },
        { "pieces", "pieces that nothing joins", NULL, r->pieces > 1 ? r->pieces : 0, true },
    };
    for (int i = 0; i < FINDINGS; ++i)
        f[i] = all[i];
    return FINDINGS;
}

// what helps where a repair does not
static void printAdvice(const vvRepairReport *r, const vvMesh *mesh, const char *file)
{
    bool surface = vvMesh_GetTetCount(mesh) == 0 && vvMesh_GetSurfaceCount(mesh) > 0;
    if (r->pieces > 1)
        printf("  pieces: --largest keeps the largest, --split writes one file each; in a solid they are one where "
               "they overlap\n");
    if (surface && (r->openEdges > 0 || r->crowdedEdges > 0))
        printf("  it need not be perfect to be filled with tets: verve mesh solid %s out.mesh\n", shown(file));
    if (r->holes > r->closedHoles && surface)
        printf("  holes: --holes N closes those of up to N edges\n");
}

static void printText(const vvRepairReport *r, const vvMesh *mesh, const char *file, bool fixed)
{
    Finding f[FINDINGS];
    int count = gather(r, f), faults = 0;
    printf("%s: %s, %d points, %d tets, %d faces, size %.4g m\n", shown(file), mesh->origin.format, r->pointCount,
           r->tetCount, r->faceCount, vvMesh_GetSize(mesh));
    for (int i = 0; i < count; ++i)
    {
        if (f[i].count == 0)
            continue;
        faults += f[i].fault;
        const char *deed = f[i].deed == NULL ? "" : fixed ? "mended" : f[i].deed;
        printf("  %-8d %s%s%s\n", f[i].count, f[i].what, f[i].deed == NULL ? "" : fixed ? ": " : ": would ", deed);
    }
    if (faults == 0)
        printf("  nothing is wrong\n");
    printAdvice(r, mesh, file);
    MeshQuality quality;
    if (meshQuality(mesh, &quality))
        noteMesh(&(Notes){ .out = stdout, .before = "  " }, mesh, &quality, file);
    if (faults > 0 && !fixed)
        printf("  to mend it: verve mesh doctor %s --fix mended.%s\n", shown(file), r->tetCount > 0 ? "mesh" : "obj");
}

static void printJson(const vvRepairReport *r, const char *file)
{
    Finding f[FINDINGS];
    int count = gather(r, f);
    printf("{\"file\": ");
    printJsonString(stdout, file);
    printf(", \"points\": %d, \"tets\": %d, \"faces\": %d, \"openEdges\": %d", r->pointCount, r->tetCount, r->faceCount,
           r->openEdges);
    for (int i = 0; i < count; ++i)
        printf(", \"%s\": %d", f[i].key, f[i].count);
    printf("}\n");
}

// dog.obj: dog-1.obj, the largest, dog-2.obj, and so on
static vvResult writePieces(const vvMeshDef *def, vvRepairDef *repair, int pieces, const char *out, const char *format)
{
    const char *slash = strrchr(out, '/'), *dot = strrchr(out, '.');
    int stem = (int)(dot != NULL && (slash == NULL || dot > slash) ? dot - out : (long long)strlen(out));
    vvResult result = resultOk();
    if (pieces > MOST_PIECES)
        return resultMake(VV_BAD_INPUT, "weld it first (--near), or keep the largest (--largest)",
                          "--split: %d pieces, at most %d", pieces, MOST_PIECES);
    for (repair->piece = 1; repair->piece <= pieces && result.code == VV_OK; ++repair->piece)
    {
        char path[4096];
        int used = snprintf(path, sizeof path, "%.*s-%d%s", stem, out, repair->piece, out + stem);
        if (used >= (int)sizeof path)
            return resultMake(VV_BAD_INPUT, "use a shorter name", "--fix: a name of %d characters", used);
        vvMesh *piece = vvCreateRepairedMesh(def, repair, NULL, &result);
        if (piece != NULL)
            result = vvWriteMesh(piece, path, format);
        vvDestroyMesh(piece);
    }
    return result;
}

int meshDoctor(const Words *words)
{
    vvMeshDef def = vvDefaultMeshDef();
    vvRepairDef repair = vvDefaultRepairDef();
    def.shape = VV_MESH_FILE;
    def.file = words->plain[1];
    int left = meshPlacing(words, &def);
    if (left < 0)
        left = wordsReal(words, "--near", 0, 1e12, &repair.weld);
    if (left < 0)
        left = wordsInt(words, "--holes", 0, 100000000, &repair.holes);
    if (left >= 0)
        return left;
    repair.piece = wordsHas(words, "--largest") ? 1 : 0;
    vvRepairReport report;
    vvResult result;
    vvMesh *mesh = vvCreateRepairedMesh(&def, &repair, &report, &result);
    if (mesh == NULL)
        return complain(&meshCommand, &result);
    // the reader has left these out already
    report.unusedPoints += vvMesh_GetDroppedCount(mesh);
    const char *out = wordsGet(words, "--fix");
    if (out != NULL && wordsHas(words, "--split") && report.pieces > 1)
        result = writePieces(&def, &repair, report.pieces, out, wordsGet(words, "--format"));
    else if (out != NULL)
        result = vvWriteMesh(mesh, out, wordsGet(words, "--format"));
    int code = result.code == VV_OK ? EXIT_DONE : complain(&meshCommand, &result);
    if (code == EXIT_DONE && wordsHas(words, "--json"))
        printJson(&report, def.file);
    else if (code == EXIT_DONE)
        printText(&report, mesh, def.file, out != NULL);
    vvDestroyMesh(mesh);
    return code;
}
