// verve mesh solid: tets that fill a surface.
#include "tool/mesh.h"

#include <string.h>

static int readKind(const Words *words, vvSolidKind *kind)
{
    const char *word = wordsGet(words, "--kind");
    if (word == NULL)
        return -1;
    for (int i = 0; vvGetSolidKindName(i) != NULL; ++i)
    {
        if (strcmp(word, vvGetSolidKindName(i)) != 0)
            continue;
        *kind = (vvSolidKind)i;
        return -1;
    }
    fprintf(stderr, "verve mesh: --kind is '%s', must be conforming or cage\n", shown(word));
    return EXIT_BAD_INPUT;
}

// what was mended, and what the solid lacks
static void printNotes(const vvSolidReport *r, vvSolidKind kind)
{
    if (r->weldedPoints + r->droppedFaces + r->turnedFaces + r->turnedShells > 0)
        printf("  mended        %d points welded, %d faces dropped, %d faces and %d shells turned\n", r->weldedPoints,
               r->droppedFaces, r->turnedFaces, r->turnedShells);
    if (r->openEdges > 0)
        printf("  note: %d edges of the surface have one face only; its holes were closed by winding numbers\n",
               r->openEdges);
    if (r->missedArea > 0 && kind == VV_SOLID_CONFORMING)
        printf("  note: %.3g m^2 of the surface are too thin for edges of %.3g m and were lost; keep them with --kind "
               "cage, "
               "or --edge %.2g\n",
               r->missedArea, r->edge, r->thinnest > 0 ? r->thinnest / 2 : r->edge / 2);
    if (r->missedArea > 0 && kind == VV_SOLID_CAGE)
        printf("  note: %.3g m^2 of the surface are thinner than edges of %.3g m; the cage is thicker there\n",
               r->missedArea, r->edge);
    if (r->pieces > 1)
        printf("  note: it is %d pieces that nothing joins\n", r->pieces);
}

static void printReport(const vvSolidReport *r, vvSolidKind kind)
{
    printf("  edge          %.4g m\n  dihedral      %.3g to %.4g degrees\n", r->edge, r->leastAngle, r->mostAngle);
    printf("  volume        %.6g m^3, of the surface %.6g m^3\n", r->volume, r->surfaceVolume);
    if (r->thinnest > 0)
        printf("  thinnest      %.4g m, %.2g edges\n", r->thinnest, r->thinnest / r->edge);
    printNotes(r, kind);
    printf("  time          %.3g s\n", r->seconds);
}

static void printJson(const vvSolidReport *r, const char *file)
{
    const struct
    {
        const char *key;
        double value;
    } numbers[] = { { "vertices", r->vertexCount },
                    { "tets", r->tetCount },
                    { "edge", r->edge },
                    { "leastAngle", r->leastAngle },
                    { "mostAngle", r->mostAngle },
                    { "volume", r->volume },
                    { "surfaceVolume", r->surfaceVolume },
                    { "thinnest", r->thinnest },
                    { "missedArea", r->missedArea },
                    { "pieces", r->pieces },
                    { "weldedPoints", r->weldedPoints },
                    { "droppedFaces", r->droppedFaces },
                    { "turnedFaces", r->turnedFaces },
                    { "turnedShells", r->turnedShells },
                    { "cavities", r->cavities },
                    { "openEdges", r->openEdges },
                    { "crowdedEdges", r->crowdedEdges },
                    { "seconds", r->seconds } };
    printf("{\"file\": ");
    printJsonString(stdout, file);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
        printJsonPair(stdout, ", ", numbers[i].key, numbers[i].value);
    printf("}\n");
}

int meshLattice(const Words *words, vvSolidDef *def)
{
    int left = wordsReal(words, "--edge", 0, 1e12, &def->edge);
    if (left < 0)
        left = wordsInt(words, "--grading", 0, 8, &def->grading);
    if (left < 0)
        left = wordsReal(words, "--surface-edge", 0, 1e12, &def->surfaceEdge);
    return left;
}

int meshSolid(const Words *words)
{
    vvMeshDef surface = vvDefaultMeshDef();
    vvSolidDef def = vvDefaultSolidDef();
    surface.shape = VV_MESH_FILE;
    surface.file = words->plain[1];
    int left = meshPlacing(words, &surface);
    if (left < 0)
        left = wordsInt(words, "--cells", 2, 1000, &def.cells);
    if (left < 0)
        left = meshLattice(words, &def);
    if (left < 0)
        left = readKind(words, &def.kind);
    if (left >= 0)
        return left;
    vvSolidReport report;
    vvResult result;
    vvMesh *mesh = vvCreateSolidMesh(&surface, &def, &report, &result);
    if (mesh == NULL)
        return complain(&meshCommand, &result);
    const char *out = words->plain[2], *format = wordsGet(words, "--format");
    int code = EXIT_DONE;
    if (wordsHas(words, "--json"))
    {
        result = vvWriteMesh(mesh, out, format);
        code = result.code == VV_OK ? EXIT_DONE : complain(&meshCommand, &result);
        if (code == EXIT_DONE)
            printJson(&report, out);
    }
    else
    {
        code = meshWrite(mesh, out, format);
        if (code == EXIT_DONE)
            printReport(&report, def.kind);
    }
    vvDestroyMesh(mesh);
    return code;
}
