#include "tool/notes.h"

#include "base/base.h"
#include "tool/tool.h"

#include <stdlib.h>
#include <string.h>

#define LARGE 10.0   // m: soft bodies are rarely so large
#define HEAVY 1000.0 // kg
#define NOTE_SIZE 320

// in pieces because corners lie on each other instead of being one
static void notePieces(FILE *out, const char *before, const vvMesh *mesh, const MeshQuality *quality, const char *file)
{
    int *first = quality->componentCount > 1 ? malloc((size_t)vvMesh_GetVertexCount(mesh) * sizeof *first) : NULL;
    int doubled = first != NULL ? weldFind(mesh, first) : 0;
    free(first);
    if (doubled > 0)
        fprintf(out,
                "%snote: it is %d pieces that nothing joins, and %d of its vertices lie on others; join them with: "
                "verve mesh convert %s welded.obj --weld\n",
                before, quality->componentCount, doubled, shown(file));
}

static void noteHollow(FILE *out, const char *before, const char *file)
{
    fprintf(out,
            "%snote: a closed surface is a hollow shell, not a solid; to fill it with tets: verve mesh convert %s "
            "a.mesh; tetgen "
            "-pYq2.0 a.mesh; then use a.1.ele\n",
            before, shown(file));
}

void noteMesh(FILE *out, const char *before, const vvMesh *mesh, const MeshQuality *quality, const char *file)
{
    notePieces(out, before, mesh, quality, file);
    if (quality->closed && vvMesh_GetTetCount(mesh) == 0)
        noteHollow(out, before, file);
    if (vvMesh_GetSize(mesh) > LARGE)
        fprintf(
            out,
            "%snote: it is %.4g m large; if the file is in centimetres or millimetres, use \"scale\": 0.01 or 0.001 "
            "in the scene, or --scale here\n",
            before, vvMesh_GetSize(mesh));
}

// a material of solids, and nothing says that a shell is meant
static bool meansSolid(const Scene *scene, int body, const vvMesh *mesh)
{
    static const char *const solids[] = { "rubber", "silicone", "jelly", "muscle", "liver", "foam" };
    vvSoftBodyDef def = sceneBodyDef(scene, body, (vvMesh *)mesh);
    const char *preset = scenePreset(scene, body);
    bool solid = false;
    for (size_t i = 0; i < sizeof solids / sizeof solids[0]; ++i)
        solid = solid || strcmp(preset, solids[i]) == 0;
    return solid && def.pressure == 0 && def.shapeStiffness == 0 && scenePresetThickness(scene, body);
}

void noteScene(FILE *out, const char *before, const SceneWorld *built, int body)
{
    const Scene *scene = sceneOf(built);
    const char *file = sceneMeshFile(scene, body);
    vvSoftBodyId id = sceneBody(built, body);
    const vvMesh *mesh = vvSoftBody_GetMesh(id);
    MeshQuality quality;
    if (file == NULL || !meshQuality(mesh, &quality))
        return;
    notePieces(out, before, mesh, &quality, file);
    if (quality.closed && vvMesh_GetTetCount(mesh) == 0 && meansSolid(scene, body, mesh))
        noteHollow(out, before, file);
    if (vvMesh_GetSize(mesh) > LARGE || vvSoftBody_GetMass(id) > HEAVY)
        fprintf(out,
                "%snote: %s is %.4g m large and %.4g kg heavy; if its file is in centimetres or millimetres: --set "
                "bodies.%d.mesh.scale=0.01 or 0.001\n",
                before, shown(vvSoftBody_GetName(id)), vvMesh_GetSize(mesh), vvSoftBody_GetMass(id), body);
}

void noteSettings(FILE *out, const char *before, const Scene *scene)
{
    char text[NOTE_SIZE];
    for (int i = 0; sceneUnused(scene, i, text, sizeof text); ++i)
        fprintf(out, "%snote: %s\n", before, text);
}

void noteSettingsJson(FILE *out, const Scene *scene)
{
    char text[NOTE_SIZE];
    fputs("[", out);
    for (int i = 0; sceneUnused(scene, i, text, sizeof text); ++i)
    {
        fputs(i > 0 ? ", " : "", out);
        printJsonString(out, text);
    }
    fputs("]", out);
}
