// verve-modes: what the modes of the default step cost, at creation and in a frame. For every mesh given, for boxes and
// for sheets of springs: verve-modes [frames] [MESH | CELLSxCELLSxCELLS | CELLSxCELLS]... Frames of two equal worlds
// take turns, one with modes (sheets: smooth functions) and one without; medians of CPU time on one thread. Sheets of
// 1 m and 1 kg, 1 kN/m, hang by two corners.
#include "solve/modes.h"
#include "world/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SUBSTEPS 6
#define SHEET_SUBSTEPS 12
#define SHEET_STIFFNESS 1e3 // N/m
#define WANTED 20
#define MOST_FRAMES 1000

static double cpu(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static vvMesh *makeMesh(const char *text)
{
    int cells[3];
    vvResult result = { 0 };
    if (sscanf(text, "%dx%dx%d", cells, cells + 1, cells + 2) == 3)
        return vvCreateBoxMesh((vvVec3){ 0.1 * cells[0], 0.1 * cells[1], 0.1 * cells[2] }, cells[0], cells[1],
                               cells[2]);
    vvMeshDef sheet = vvDefaultMeshDef();
    if (sscanf(text, "%dx%d", &sheet.cells[0], &sheet.cells[2]) == 2)
    {
        sheet.shape = VV_MESH_SHEET;
        sheet.skip = true;
        return vvCreateMesh(&sheet, &result);
    }
    vvMesh *mesh = vvReadMesh(text, &result);
    if (mesh == NULL)
        printf("%s\n", result.message);
    return mesh;
}

static vvSoftBodyDef bodyDef(vvMesh *mesh, bool pinned)
{
    vvSoftBodyDef body = vvDefaultSoftBodyDef();
    body.material.loss = 0;
    body.mesh = mesh;
    body.material.density = 1000;
    if (mesh->tetCount == 0)
    {
        body.material.thickness = 0.001;
        body.springStiffness[VV_EDGE_STRUCTURAL] = body.springStiffness[VV_EDGE_SHEAR] = SHEET_STIFFNESS;
        body.springStiffness[VV_EDGE_SKIP] = 0.1 * SHEET_STIFFNESS;
        return body;
    }
    body.material.young = 1e5;
    body.material.poisson = 0.3;
    body.spin = pinned ? (vvVec3){ 0, 0, 0 } : (vvVec3){ 1, 2, 0 };
    return body;
}

static void pinCorners(vvSoftBodyId id)
{
    const double *x = vvSoftBody_GetPositions(id);
    for (int v = 0; v < vvSoftBody_GetVertexCount(id); ++v)
    {
        if (fabs(fabs(x[3 * v]) - 0.5) < 1e-9 && fabs(x[3 * v + 2] + 0.5) < 1e-9)
            vvSoftBody_Pin(id, &v, 1);
    }
}

static vvSoftBodyId makeBody(vvWorldId *world, vvMesh *mesh, bool pinned)
{
    vvWorldDef def = vvDefaultWorldDef();
    bool sheet = mesh->tetCount == 0;
    def.substeps = sheet ? SHEET_SUBSTEPS : SUBSTEPS;
    vvResult result;
    *world = vvCreateWorld(&def, &result);
    vvSoftBodyDef body = bodyDef(mesh, pinned);
    vvSoftBodyId id = vvCreateSoftBody(*world, &body, &result);
    if (sheet)
    {
        pinCorners(id);
        return id;
    }
    int count = vvSoftBody_GetVertexCount(id), pins = 0, *pin = malloc((size_t)count * sizeof(int));
    const double *x = vvSoftBody_GetPositions(id);
    double low = INFINITY, high = -INFINITY;
    for (int v = 0; v < count; ++v)
    {
        low = fmin(low, x[3 * v + 1]);
        high = fmax(high, x[3 * v + 1]);
    }
    for (int v = 0; v < count && pinned; ++v)
    {
        if (x[3 * v + 1] > high - 0.05 * (high - low))
            pin[pins++] = v;
    }
    if (pins > 0)
        vvSoftBody_Pin(id, pin, pins);
    free(pin);
    return id;
}

static void timeModes(vvWorldId world, vvSoftBodyId id)
{
    Body *body = bodyFind(id);
    World *w = worldFind(world);
    ModesRecipe recipe = { .graph = body->blueprint->graph,
                           .tree = body->blueprint->tree,
                           .rest = body->mesh->point,
                           .mass = w->state.mass,
                           .pinned = w->state.pinned,
                           .energyCount = body->member.energyCount,
                           .energy = body->member.energy,
                           .slow = body->step.waves,
                           .wanted = WANTED,
                           .isa = w->isa };
    double since = cpu();
    Modes *modes = modesCreate(&w->memory, &recipe);
    double taken = cpu() - since;
    if (modes == NULL || modes->count == 0)
    {
        printf("  no modes, %.1f ms\n", 1e3 * taken);
        return;
    }
    int last = modes->count - 1;
    printf("  %d modes in %.1f ms, %.4g to %.4g rad/s, residuals %.1e %.1e\n", modes->count, 1e3 * taken,
           sqrt(modes->square[0]), sqrt(modes->square[last]), modesResidual(&w->memory, &recipe, modes, 0),
           modesResidual(&w->memory, &recipe, modes, last));
    modesDestroy(modes);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// ms of a frame with modes and without
static void timeFrames(vvMesh *mesh, bool pinned, int frames)
{
    static double taken[2][MOST_FRAMES];
    vvWorldId world[2];
    vvSoftBodyId id[2] = { makeBody(&world[0], mesh, pinned), makeBody(&world[1], mesh, pinned) };
    if (pinned && mesh->tetCount > 0)
        timeModes(world[0], id[0]);
    Body *plain = bodyFind(id[1]);
    for (int n = -1; n < frames; ++n)
    {
        for (int k = 0; k < 2; ++k)
        {
            plain->step.recall.energy.level = WITHOUT_MODES;
            plain->step.recall.energy.levelSteps = 20;
            double since = cpu();
            vvResult result = vvWorld_Step(world[k], 1.0 / 60);
            if (result.code != VV_OK)
                printf("%s\n", result.message);
            if (n >= 0)
                taken[k][n] = 1e3 * (cpu() - since);
        }
    }
    for (int k = 0; k < 2; ++k)
        qsort(taken[k], (size_t)frames, sizeof(double), compare);
    vvProfile p = vvWorld_GetProfile(world[0]), q = vvWorld_GetProfile(world[1]);
    printf(
        "  %s: %.3f ms a frame with modes, %.3f without, %.3f times (least %.3f %.3f; gradient %.2f %.2f, solve %.2f "
        "%.2f, accounts %.2f %.2f)\n",
        pinned ? "pinned" : "free", taken[0][frames / 2], taken[1][frames / 2],
        taken[0][frames / 2] / taken[1][frames / 2], taken[0][0], taken[1][0], 1e3 * p.gradient / (frames + 1),
        1e3 * q.gradient / (frames + 1), 1e3 * p.solve / (frames + 1), 1e3 * q.solve / (frames + 1),
        1e3 * p.ledger / (frames + 1), 1e3 * q.ledger / (frames + 1));
    vvDestroyWorld(world[0]);
    vvDestroyWorld(world[1]);
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 60;
    frames = frames < 1 ? 1 : frames > MOST_FRAMES ? MOST_FRAMES : frames;
    for (int i = 2; i < argc; ++i)
    {
        bool sheet = false;
        for (int pinned = 1; pinned >= sheet; --pinned)
        {
            vvMesh *mesh = makeMesh(argv[i]);
            if (mesh == NULL)
                return 1;
            sheet = mesh->tetCount == 0;
            if (pinned)
                printf("%s, %d vertices, %d tets\n", argv[i], mesh->vertexCount, mesh->tetCount);
            timeFrames(mesh, pinned, frames);
        }
    }
    return 0;
}
