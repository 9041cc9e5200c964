#include "tool/notes.h"

#include "base/base.h"
#include "tool/tool.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define LARGE 10.0     // m: soft bodies are rarely so large
#define SMALL 0.001    // m: or so small
#define HEAVY 1000.0   // kg
#define COARSE 1000.0  // edge of a sheet per thickness: it can neither fold nor touch as thin cloth does
#define NOTE_SIZE 2048 // bytes: a sentence with the path of a file
#define SETTING_SIZE 320

// ---- saying ---------------------------------------------------------------------------------------------------------

// A line of text, or an item of a JSON list.
static void say(Notes *notes, NoteLevel level, const char *format, ...)
{
    char text[NOTE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (notes->json && level == notes->level)
    {
        fputs(notes->count++ > 0 ? ", " : "", notes->out);
        printJsonString(notes->out, text);
    }
    else if (!notes->json)
        fprintf(notes->out, "%s%s: %s\n", notes->before, level == LEVEL_NOTE ? "note" : "warning", text);
}

// ---- meshes ---------------------------------------------------------------------------------------------------------

// in pieces because the lattice lost what joined them
static bool noteParted(Notes *notes, const vvSolidReport *solid, const char *name, int body)
{
    if (solid == NULL || solid->pieces < 2 || !(solid->thinnest > 0 && solid->thinnest < 2 * solid->edge))
        return false;
    say(notes, LEVEL_NOTE,
        "%s became %d pieces that nothing joins: its thinnest part is %.3g m, for edges of %.3g m; --set "
        "bodies.%d.mesh.solid.kind=cage, or a shorter edge",
        name, solid->pieces, solid->thinnest, solid->edge, body);
    return true;
}

// in pieces because corners lie on each other instead of being one; strands of lines are pieces on purpose
static void notePieces(Notes *notes, const vvMesh *mesh, const MeshQuality *quality, const char *file)
{
    int *first = quality->componentCount > 1 ? malloc((size_t)vvMesh_GetVertexCount(mesh) * sizeof *first) : NULL;
    int doubled = first != NULL ? weldFind(mesh, first) : 0;
    free(first);
    if (doubled > 0)
        say(notes, LEVEL_NOTE,
            "it is %d pieces that nothing joins, and %d of its vertices lie on others; join them with: "
            "verve mesh convert %s welded.obj --weld",
            quality->componentCount, doubled, shown(file));
    else if (quality->componentCount > 1 && vvMesh_GetSurfaceCount(mesh) > 0)
        say(notes, LEVEL_NOTE,
            "it is %d pieces that nothing joins: they will fall apart; one body each, or attachments "
            "between them",
            quality->componentCount);
}

// the unit in which a file of this size would be between 1 cm and 10 m; NULL: metres are as good as any
static const char *likelyUnit(double size)
{
    return size > 1000 * LARGE ? NULL : size > LARGE ? (size > 100 ? "mm" : "cm") : NULL;
}

static void noteSize(Notes *notes, double size, double mass, const char *name, int body)
{
    char scene[96], weight[48] = "", unit[96] = "";
    if (mass > 0)
        snprintf(weight, sizeof weight, " and %.4g kg heavy", mass);
    if (likelyUnit(size) != NULL && body >= 0)
        snprintf(unit, sizeof unit, " (--set bodies.%d.mesh.unit=%s)", body, likelyUnit(size));
    else if (likelyUnit(size) != NULL)
        snprintf(unit, sizeof unit, " (\"unit\": \"%s\")", likelyUnit(size));
    if (body >= 0)
        snprintf(scene, sizeof scene, "--set bodies.%d.mesh.scale=", body);
    else
        snprintf(scene, sizeof scene, "\"scale\": ");
    if (size < SMALL)
        say(notes, LEVEL_NOTE,
            "%s is only %.3g m large%s; if its file is in metres and meant so, well; else try %s1000", name, size,
            weight, scene);
    else
        say(notes, LEVEL_NOTE, "%s is %.4g m large%s; if its file is in centimetres or millimetres: %s0.01 or 0.001%s",
            name, size, weight, scene, unit);
}

void noteMesh(Notes *notes, const vvMesh *mesh, const MeshQuality *quality, const char *file)
{
    double size = vvMesh_GetSize(mesh);
    notePieces(notes, mesh, quality, file);
    if (quality->closed && vvMesh_GetTetCount(mesh) == 0)
        say(notes, LEVEL_NOTE,
            "a closed surface is a hollow shell, not a solid; fill it with tets: verve mesh solid %s a.mesh",
            shown(file));
    if (size > LARGE || size < SMALL)
        noteSize(notes, size, 0, "it", -1);
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

// a sheet whose triangles are very large for its thickness
static void noteCoarse(Notes *notes, const vvMesh *mesh, double thickness, const char *name)
{
    int triangles = vvMesh_GetTetCount(mesh) == 0 ? vvMesh_GetSurfaceCount(mesh) : 0;
    double edge = triangles > 0 ? sqrt(2.3 * vvMesh_GetArea(mesh) / triangles) : 0; // of equilateral ones
    if (edge > COARSE * thickness)
        say(notes, LEVEL_NOTE,
            "%s has triangles of %.3g m and a thickness of %.3g m: it can hardly fold; use a finer mesh, or a "
            "smaller unit or scale",
            name, edge, thickness);
}

// what a lattice was too coarse for
static void noteThin(Notes *notes, const vvSolidReport *solid, const char *name, int body, bool cage)
{
    if (solid == NULL || !(solid->missedArea > 0))
        return;
    if (cage)
        say(notes, LEVEL_NOTE, "%.3g m^2 of %s are thinner than the edges of its cage, %.3g m: it weighs more there",
            solid->missedArea, name, solid->edge);
    else
        say(notes, LEVEL_NOTE,
            "%.3g m^2 of %s are too thin for edges of %.3g m and were lost; --set "
            "bodies.%d.mesh.solid.kind=cage keeps them, or a shorter edge",
            solid->missedArea, name, solid->edge, body);
}

// texture coordinates are of the surface that was drawn, which only a cage carries
static void noteMapped(Notes *notes, const vvMesh *mesh, const char *name, int body)
{
    if (mesh->origin.mapped && vvMesh_GetTetCount(mesh) > 0 && vvMesh_GetEmbedding(mesh) == NULL)
        say(notes, LEVEL_NOTE,
            "%s loses its texture coordinates: records show the boundary of its tets; --set "
            "bodies.%d.mesh.solid.kind=cage keeps the surface as it was drawn",
            name, body);
}

// m/s^2 times m: gravity times how far a body extends along it
static double headOf(vvSoftBodyId id)
{
    vvVec3 g = vvWorld_GetGravity(vvSoftBody_GetWorld(id));
    const double *x = vvSoftBody_GetPositions(id);
    double low = INFINITY, high = -INFINITY;
    for (int v = 0; v < vvSoftBody_GetVertexCount(id); ++v)
    {
        double at = g.x * x[3 * v] + g.y * x[3 * v + 1] + g.z * x[3 * v + 2];
        low = minReal(low, at);
        high = maxReal(high, at);
    }
    return high > low ? high - low : 0;
}

// a body that yields where it stands or hangs: a column bears density x gravity x height at its foot
static void noteYield(Notes *notes, const vvSoftBodyDef *def, vvSoftBodyId id, int body)
{
    double yield = def->plasticity.yield, stress = def->material.density * headOf(id);
    if (yield > 0 && stress > yield)
        say(notes, LEVEL_NOTE,
            "%s yields at %.3g Pa, and as high as it is its own weight makes %.3g Pa: it sags until it is lower, or "
            "its "
            "hardening holds it; --set bodies.%d.material.plasticity.yield=%.2g keeps its shape",
            shown(vvSoftBody_GetName(id)), yield, stress, body, 1.5 * stress);
}

void noteScene(Notes *notes, const SceneWorld *built, int body)
{
    const Scene *scene = sceneOf(built);
    const char *file = sceneMeshFile(scene, body);
    vvSoftBodyId id = sceneBody(built, body);
    const vvMesh *mesh = vvSoftBody_GetMesh(id);
    vvSoftBodyDef def = sceneBodyDef(scene, body, (vvMesh *)mesh);
    MeshQuality quality;
    noteYield(notes, &def, id, body);
    noteThin(notes, sceneSolid(built, body), shown(vvSoftBody_GetName(id)), body, vvMesh_GetEmbedding(mesh) != NULL);
    noteMapped(notes, mesh, shown(vvSoftBody_GetName(id)), body);
    if (file == NULL || !meshQuality(mesh, &quality))
        return;
    double size = vvMesh_GetSize(mesh), mass = vvSoftBody_GetMass(id);
    if (!noteParted(notes, sceneSolid(built, body), shown(vvSoftBody_GetName(id)), body))
        notePieces(notes, mesh, &quality, file);
    if (quality.closed && vvMesh_GetTetCount(mesh) == 0 && meansSolid(scene, body, mesh))
        say(notes, LEVEL_WARNING,
            "%s is a closed surface of %s: a hollow shell that will crumple, not a solid; fill it with "
            "tets: "
            "\"mesh\": { ..., \"solid\": {} }, or --set bodies.%d.mesh.solid={}",
            shown(vvSoftBody_GetName(id)), scenePreset(scene, body), body);
    noteCoarse(notes, mesh, def.material.thickness, shown(vvSoftBody_GetName(id)));
    if (size > LARGE || size < SMALL || mass > HEAVY)
        noteSize(notes, size, mass, shown(vvSoftBody_GetName(id)), body);
}

void noteSceneJson(FILE *out, const SceneWorld *built, int body)
{
    static const char *const key[] = { "notes", "warnings" };
    for (int level = LEVEL_NOTE; level <= LEVEL_WARNING; ++level)
    {
        Notes notes = { .out = out, .json = true, .level = (NoteLevel)level };
        fprintf(out, ", \"%s\": [", key[level]);
        noteScene(&notes, built, body);
        fputs("]", out);
    }
}

void noteSettings(Notes *notes, const Scene *scene)
{
    char text[SETTING_SIZE];
    for (int i = 0; sceneUnused(scene, i, text, sizeof text); ++i)
        say(notes, LEVEL_NOTE, "%s", text);
}
