// verve-worlds: frames of worlds of many bodies, and of bodies that touch much, under the default method.
//   verve-worlds [word in a row's name or -] [frames or 0] [mesh folder or -] [busy loops]
// The same world with one thread and with as many as the machine has cores take turns, frame by frame; both must end
// with the same bits. A frame is 1/60 s. The ratio is the time of one thread over that of all. Without a folder of
// published meshes the hippo is our own.
#include "bench/bench.h"
#include "bench/busy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP (1.0 / 60)
#define TEAMS 2  // one thread, all cores
#define EDGE 0.4 // m, of a cube
#define CELLS 4

static vvSoftBodyDef cubeDef(vvMesh *mesh)
{
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.material.loss = 0;
    def.mesh = mesh;
    def.material.density = 1000;
    def.material.young = 1e5;
    def.material.poisson = 0.3;
    return def;
}

// ---- rows -----------------------------------------------------------------------------------------------------------

typedef struct WorldRow
{
    const char *name;
    int bodies;       // of rows of cubes
    bool softContact; // bodies collide
    const char *file; // mesh in the folder of published ones; NULL: none
    int frames;
    double gap; // m, between layers
    bool (*fill)(const struct WorldRow *row, vvWorldId world, const char *meshDir);
} WorldRow;

static bool addShape(vvWorldId world, vvShapeDef shapeDef, vvVec3 position)
{
    vvColliderDef def = vvDefaultColliderDef();
    vvResult result;
    def.shape = vvCreateShape(&shapeDef, NULL);
    def.position = position;
    vvCreateCollider(world, &def, &result);
    vvDestroyShape(def.shape);
    return result.code == VV_OK;
}

static bool addPlane(vvWorldId world)
{
    vvShapeDef shape = vvDefaultShapeDef();
    shape.kind = VV_SHAPE_PLANE;
    return addShape(world, shape, (vvVec3){ 0, 0, 0 });
}

static bool addSphere(vvWorldId world, vvVec3 position, double radius)
{
    vvShapeDef shape = vvDefaultShapeDef();
    shape.kind = VV_SHAPE_SPHERE;
    shape.radius = radius;
    return addShape(world, shape, position);
}

static double noise(int seed) // 0 to 1
{
    return (double)((unsigned)seed * 2654435761u >> 8) / (1 << 24);
}

// apart from each other, 0.3 to 1.2 m above a plane, turning
static bool fillPlane(const WorldRow *row, vvWorldId world, const char *meshDir)
{
    (void)meshDir;
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ EDGE, EDGE, EDGE }, CELLS, CELLS, CELLS);
    bool fine = mesh != NULL && addPlane(world);
    for (int i = 0; i < row->bodies && fine; ++i)
    {
        vvSoftBodyDef def = cubeDef(mesh);
        def.position = (vvVec3){ i % 16, 0.5 + 0.9 * noise(i), (double)(i / 16) };
        def.spin = (vvVec3){ 2 * noise(11 * i) - 1, 2 * noise(13 * i) - 1, 2 * noise(17 * i) - 1 };
        vvResult result;
        vvCreateSoftBody(world, &def, &result);
        fine = result.code == VV_OK;
    }
    vvDestroyMesh(mesh);
    return fine;
}

// in layers, each body shifted and turning a little; they fall onto a plane and onto each other
static bool fillHeap(const WorldRow *row, vvWorldId world, const char *meshDir)
{
    (void)meshDir;
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ EDGE, EDGE, EDGE }, CELLS, CELLS, CELLS);
    bool fine = mesh != NULL && addPlane(world);
    int side = row->bodies >= 64 ? 4 : 2, layer = side * side;
    for (int i = 0; i < row->bodies && fine; ++i)
    {
        vvSoftBodyDef def = cubeDef(mesh);
        def.position = (vvVec3){ 0.45 * (i % side) + 0.1 * noise(i), 0.3 + 0.55 * (double)(i / layer),
                                 0.45 * (double)(i / side % side) + 0.1 * noise(3 * i) };
        def.spin = (vvVec3){ 0, noise(5 * i) - 0.5, 0 };
        vvResult result;
        vvCreateSoftBody(world, &def, &result);
        fine = result.code == VV_OK;
    }
    vvDestroyMesh(mesh);
    return fine;
}

static bool fillHippo(const WorldRow *row, vvWorldId world, const char *meshDir)
{
    char path[4096], message[256] = "";
    vvMeshDef own = modelShape(VV_MESH_HIPPO);
    snprintf(path, sizeof path, "%s/%s", meshDir != NULL ? meshDir : "", row->file);
    vvMesh *mesh = meshDir != NULL ? modelRead(path, message, sizeof message) : vvCreateMesh(&own, NULL);
    if (mesh == NULL)
    {
        fprintf(stderr, "verve-worlds: %s\n", message);
        return false;
    }
    vvSoftBodyDef def = cubeDef(mesh);
    def.position = (vvVec3){ 0, 1.2, 0 };
    vvResult result;
    vvCreateSoftBody(world, &def, &result);
    bool fine = result.code == VV_OK && addPlane(world);
    for (int i = 0; i < 4 && fine; ++i)
        fine = addSphere(world, (vvVec3){ i % 2 ? 0.25 : -0.25, 0.3, i / 2 ? 0.15 : -0.15 }, 0.2);
    vvDestroyMesh(mesh);
    return fine;
}

static bool fillCloth(const WorldRow *row, vvWorldId world, const char *meshDir)
{
    (void)row;
    (void)meshDir;
    vvMeshDef meshDef = vvDefaultMeshDef();
    meshDef.shape = VV_MESH_SHEET;
    meshDef.size = (vvVec3){ 1, 1, 1 };
    meshDef.cells[0] = meshDef.cells[2] = 100;
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.mesh = vvCreateMesh(&meshDef, NULL);
    def.material = vvMaterial_Cotton();
    def.selfContact = true;
    def.position = (vvVec3){ 0, 0.35, 0 };
    vvResult result;
    vvCreateSoftBody(world, &def, &result);
    vvDestroyMesh(def.mesh);
    return result.code == VV_OK && addSphere(world, (vvVec3){ 0, 0, 0 }, 0.3);
}

// ten sheets of 32^2 vertices above each other, each turned against the one below, fall on a plane and lie there
static bool fillLayers(const WorldRow *row, vvWorldId world, const char *meshDir)
{
    (void)meshDir;
    bool fine = addPlane(world);
    for (int k = 0; k < row->bodies && fine; ++k)
    {
        vvMeshDef meshDef = vvDefaultMeshDef();
        meshDef.shape = VV_MESH_SHEET;
        meshDef.size = (vvVec3){ 1, 1, 1 };
        meshDef.cells[0] = meshDef.cells[2] = 31;
        meshDef.rotate = (vvVec3){ 0, 7.0 * k, 0 };
        vvSoftBodyDef def = vvDefaultSoftBodyDef();
        def.mesh = vvCreateMesh(&meshDef, NULL);
        def.material = vvMaterial_Cotton();
        def.selfContact = true;
        def.position = (vvVec3){ 0, 0.02 + row->gap * k, 0 };
        vvResult result;
        vvCreateSoftBody(world, &def, &result);
        vvDestroyMesh(def.mesh);
        fine = result.code == VV_OK;
    }
    return fine;
}

// clang-format off
static const WorldRow rows[] = {
    // name                    bodies touch  mesh          frames gap
    { "256 cubes on a plane",  256,   false, NULL,         120,  0,     fillPlane },
    { "heap of 64 cubes",      64,    true,  NULL,         120,  0,     fillHeap },
    { "heap of 16 cubes",      16,    true,  NULL,         240,  0,     fillHeap },
    { "hippo on four spheres", 1,     false, "hippo.mesh", 120,  0,     fillHippo },
    { "cloth 101^2 on sphere", 1,     true,  NULL,         90,   0,     fillCloth },
    { "ten layers at 20 mm",   10,    true,  NULL,         60,   0.020, fillLayers },
    { "ten layers at 6 mm",    10,    true,  NULL,         60,   0.006, fillLayers },
};
// clang-format on

#define ROWS ((int)(sizeof rows / sizeof rows[0]))

// ---- measuring ------------------------------------------------------------------------------------------------------

typedef struct Team
{
    int threads;
    vvWorldId world;
    double created; // ms
    double *ms;     // frames
    double sum;     // ms
} Team;

static bool createTeam(const WorldRow *row, const char *meshDir, Team *team, int frames)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.softContact = row->softContact;
    def.threads = team->threads;
    double since = seconds();
    team->world = vvCreateWorld(&def, NULL);
    bool fine = row->fill(row, team->world, meshDir);
    team->created = 1000 * (seconds() - since);
    team->ms = calloc((size_t)frames, sizeof(double));
    return fine && team->ms != NULL;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// false: a step failed
static bool run(Team *team, int frames)
{
    for (int n = 0; n < frames; ++n)
    {
        for (int k = 0; k < TEAMS; ++k)
        {
            Team *t = &team[(k + n) % TEAMS];
            double since = seconds();
            vvResult result = vvWorld_Step(t->world, STEP);
            t->ms[n] = 1000 * (seconds() - since);
            t->sum += t->ms[n];
            if (result.code != VV_OK)
            {
                fprintf(stderr, "verve-worlds: %s\n", result.message);
                return false;
            }
        }
    }
    return true;
}

static void report(const WorldRow *row, Team *team, int frames)
{
    vvStatistics s = vvWorld_GetStatistics(team[0].world);
    vvProfile p = vvWorld_GetProfile(team[0].world);
    vvLedger ledger = vvWorld_GetLedger(team[0].world);
    printf("%s: %d bodies, %d vertices, %d frames; created in %.1f ms, %.1f KB a body\n", row->name, s.bodyCount,
           s.vertexCount, frames, team[0].created, (double)s.memoryBytes / 1024 / s.bodyCount);
    for (int k = 0; k < TEAMS; ++k)
    {
        qsort(team[k].ms, (size_t)frames, sizeof(double), compare);
        printf("  %2d thread%s %8.2f ms a frame in the median (%.2f - %.2f, 90 %% below %.2f), mean %.2f, ratio %.2f\n",
               team[k].threads, team[k].threads == 1 ? " " : "s", team[k].ms[frames / 2], team[k].ms[0],
               team[k].ms[frames - 1], team[k].ms[frames * 9 / 10], team[k].sum / frames, team[0].sum / team[k].sum);
    }
    double all = p.step > 0 ? 100 / p.step : 0;
    printf("  one thread: forces %.0f %%, matrices %.0f %%, solves %.0f %%, ledger %.0f %%, preparation %.0f %%, rest "
           "%.0f "
           "%%; %d islands, %d asleep, %d substeps in the last step, %d by the rule\n",
           all * p.gradient, all * (p.matrix + p.factor), all * p.solve, all * p.ledger, all * p.prepare,
           all * (p.other + p.line), s.islandCount, s.sleepingCount, s.substeps, s.ruledSubsteps);
    printf("  energy: target %.3g J, numerical %.3g J, dissipated %.3g J\n", ledger.target, ledger.numerical,
           ledger.dissipated);
}

static bool runRow(const WorldRow *row, const char *meshDir, int frames, int loops)
{
    Team team[TEAMS] = { { .threads = 1 }, { .threads = machineCores() } };
    bool fine = true;
    frames = frames > 0 ? frames : row->frames;
    for (int k = 0; k < TEAMS; ++k)
        fine = createTeam(row, meshDir, &team[k], frames) && fine;
    busyStart(loops);
    fine = fine && run(team, frames);
    busyStop();
    if (fine)
        report(row, team, frames);
    if (fine && vvWorld_GetHash(team[0].world) != vvWorld_GetHash(team[1].world))
    {
        printf("  the bits differ\n");
        fine = false;
    }
    for (int k = 0; k < TEAMS; ++k)
    {
        vvDestroyWorld(team[k].world);
        free(team[k].ms);
    }
    fflush(stdout);
    return fine;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 && strcmp(argv[1], "-") != 0 ? argv[1] : "";
    const char *meshDir = argc > 3 && strcmp(argv[3], "-") != 0 ? argv[3] : getenv("VERVE_MESH_DIR");
    int frames = argc > 2 ? atoi(argv[2]) : 0, loops = argc > 4 ? atoi(argv[4]) : 0;
    printf("verve %s, %s, %s\n%s, %s, load %s, %d cores, %d busy loops\n", buildCommit(), buildCompiler(), buildFlags(),
           machineCpu(), machineIsa(), machineLoad(), machineCores(), loops);
    bool fine = true;
    for (int i = 0; i < ROWS; ++i)
    {
        if (strstr(rows[i].name, word) != NULL)
            fine = runRow(&rows[i], meshDir, frames, loops) && fine;
    }
    return fine ? 0 : 1;
}
