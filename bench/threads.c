// verve-threads: what more threads cost or gain, on the machine as it is and with busy loops beside them.
//   verve-threads [rounds] [word in a row's name] [busy loops]
// Worlds that differ in their number of threads take turns, a slice of frames each. The ratio is the wall clock of a
// slice over that of one thread, the median of all rounds and the sum. A thread that another process keeps from its
// core must not hold up the others: at most GOAL times one thread, however busy the machine is.
#include "bench/bench.h"
#include "bench/busy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GOAL 1.1
#define SLICE 0.04 // s, of one world, then the next
#define SETTLE 5   // frames before the first slice
#define TEAMS 3    // numbers of threads: 1, the cores, twice the cores

// ---- rows -----------------------------------------------------------------------------------------------------------

typedef struct ThreadRow
{
    const char *name, *method, *solver;
    int iterations, substeps; // 0: the default
    bool cloth;
} ThreadRow;

// from few long tasks (a factor) to many short ones (a sweep over colours)
static const ThreadRow rows[] = {
    { "newton, solid", "implicit-midpoint", "newton", 0, 0, false },
    { "local-global, cloth", "backward-euler", "local-global", 10, 0, true },
    { "small-midpoint, solid", "small-midpoint", "local-global", 0, 0, false },
    { "small-steps, solid", "small-steps", "local-global", 1, 20, false },
};

#define ROWS ((int)(sizeof rows / sizeof rows[0]))

static vvMesh *rowMesh(const ThreadRow *row)
{
    if (!row->cloth)
        return vvCreateBoxMesh((vvVec3){ 2, 0.4, 0.4 }, 30, 6, 6);
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_SHEET;
    def.cells[0] = def.cells[2] = 60;
    def.diagonals = 1;
    def.skip = true;
    return vvCreateMesh(&def, NULL);
}

// hangs from its end at the least x; no body: it failed
static vvWorldId createWorld(const ThreadRow *row, vvMesh *mesh, int threads)
{
    vvResult result = { 0 };
    vvWorldDef world = vvDefaultWorldDef();
    world.method = row->method;
    world.solver = row->solver;
    world.iterations = row->iterations > 0 ? row->iterations : world.iterations;
    world.substeps = row->substeps > 0 ? row->substeps : world.substeps;
    world.threads = threads;
    vvWorldId id = vvCreateWorld(&world, &result);
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.mesh = mesh;
    def.material = (vvMaterial){ .density = 1000, .young = 1e6, .poisson = 0.3, .thickness = 0.001 };
    for (int k = 0; k < VV_EDGE_KINDS && row->cloth; ++k)
        def.springStiffness[k] = 1000; // N/m
    vvSoftBodyId body = vvCreateSoftBody(id, &def, &result);
    const double *x = vvMesh_GetPoints(mesh);
    double least = INFINITY;
    for (int v = 0; v < vvMesh_GetVertexCount(mesh); ++v)
        least = fmin(least, x[3 * v]);
    for (int v = 0; v < vvMesh_GetVertexCount(mesh) && result.code == VV_OK; ++v)
    {
        if (x[3 * v] < least + 1e-6)
            result = vvSoftBody_Pin(body, &v, 1);
    }
    if (result.code != VV_OK)
        fprintf(stderr, "verve-threads: %s: %s\n", row->name, result.message);
    return id;
}

static bool step(vvWorldId world)
{
    vvResult result = vvWorld_Step(world, 1.0 / 60);
    if (result.code != VV_OK)
        fprintf(stderr, "verve-threads: %s\n", result.message);
    return result.code == VV_OK;
}

// ---- measuring ------------------------------------------------------------------------------------------------------

typedef struct Team
{
    int threads;
    vvWorldId world;
    double total; // s
    Samples ms, ratio;
} Team;

static bool timeTeams(Team *team, int frames, int rounds)
{
    for (int round = 0; round < rounds; ++round)
    {
        // who begins changes: who has just slept is the scheduler's favourite
        double spent[TEAMS];
        for (int k = 0; k < TEAMS; ++k)
        {
            int i = (k + round) % TEAMS;
            double since = seconds();
            for (int n = 0; n < frames; ++n)
            {
                if (!step(team[i].world))
                    return false;
            }
            spent[i] = seconds() - since;
        }
        for (int i = 0; i < TEAMS; ++i)
        {
            team[i].total += spent[i];
            samplesAdd(&team[i].ms, 1000 * spent[i] / frames);
            samplesAdd(&team[i].ratio, spent[i] / spent[0]);
        }
    }
    return true;
}

// true: no team is slower than the goal allows
static bool report(const ThreadRow *row, const Team *team, int loops, int frames)
{
    bool fine = true;
    printf("%s, %d busy loop%s, slices of %d frames\n", row->name, loops, loops == 1 ? "" : "s", frames);
    for (int i = 0; i < TEAMS; ++i)
    {
        double ratio = samplesAt(&team[i].ratio, 0.5);
        fine = fine && ratio <= GOAL;
        printf("  %3d thread%s %9.3f ms a frame (%.3f - %.3f)   ratio %.3f (%.3f - %.3f), of the sums %.3f%s\n",
               team[i].threads, team[i].threads == 1 ? " " : "s", samplesAt(&team[i].ms, 0.5),
               samplesAt(&team[i].ms, 0), samplesAt(&team[i].ms, 1), ratio, samplesAt(&team[i].ratio, 0),
               samplesAt(&team[i].ratio, 1), team[i].total / team[0].total, ratio <= GOAL ? "" : "   missed");
    }
    return fine;
}

static bool runRow(const ThreadRow *row, int loops, int rounds)
{
    Team team[TEAMS] = { { .threads = 1 }, { .threads = machineCores() }, { .threads = 2 * machineCores() } };
    vvMesh *mesh = rowMesh(row);
    bool fine = true;
    for (int i = 0; i < TEAMS; ++i)
    {
        team[i].world = createWorld(row, mesh, team[i].threads < 64 ? team[i].threads : 64);
        for (int n = 0; n < SETTLE; ++n)
            fine = fine && step(team[i].world);
    }
    double least = SLICE;
    for (int n = 0; n < SETTLE && fine; ++n)
    {
        double since = seconds();
        fine = step(team[0].world);
        least = fmin(least, seconds() - since);
        fine = fine && step(team[1].world) && step(team[2].world);
    }
    int frames = (int)fmin(1000, ceil(SLICE / least));
    busyStart(loops);
    fine = fine && timeTeams(team, frames, rounds);
    busyStop();
    fine = fine && report(row, team, loops, frames);
    for (int i = 0; i < TEAMS; ++i)
        vvDestroyWorld(team[i].world);
    vvDestroyMesh(mesh);
    return fine;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 25, cores = machineCores();
    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    int loops[] = { 0, 1, cores < MOST_LOOPS ? cores : MOST_LOOPS };
    int only = argc > 3 ? atoi(argv[3]) : -1;
    printf("verve %s, %s, %s\n%s, load %s, %d cores, %d rounds in turns\n", buildCommit(), buildCompiler(),
           buildFlags(), machineCpu(), machineLoad(), cores, rounds);
    bool fine = true;
    for (int i = 0; i < ROWS; ++i)
    {
        if (argc > 2 && strstr(rows[i].name, argv[2]) == NULL)
            continue;
        for (int k = 0; k < 3; ++k)
        {
            if (only < 0 || only == loops[k])
                fine = runRow(&rows[i], loops[k], rounds) && fine;
        }
    }
    printf("at most %g times one thread: %s\n", GOAL, fine ? "reached" : "missed");
    return fine ? 0 : 1;
}
