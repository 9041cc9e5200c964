// verve lab cost: what the methods that keep their energy cost over Projective Dynamics, here the implicit midpoint
// rule with 10 iterations of local/global (Dinev 2018, Table 1 and section 5): worlds of the same scene take a step
// each in turns, on one thread; CPU time, so that other processes disturb little. Small-midpoint takes as many substeps
// as that has iterations.
#include "lab/lab.h"

#include "bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEP 0.033 // s
#define ITERATIONS 10
#define MOST_STEPS 200
#define WARM 5 // steps that are not counted: factors and memory are made in them

typedef struct Scene
{
    const char *name;
    int cells; // along an edge of a unit cube of 1000 kg/m^3; 0: cloth of 31 x 31 vertices, 1 kg, held at two corners
    double young; // Pa; of cloth N/m
    double spin;  // 1/s
} Scene;

static const Scene scenes[] = {
    { "slow-cube", 10, 1e5, 4 },
    { "soft-cube", 10, 1e4, 12.566370614359172 },
    { "spinning-cube", 10, 1e5, 12.566370614359172 },
    { "stiff-cloth", 0, 1000, 0 },
};

typedef struct Contender
{
    const char *method;
    double tolerance; // of energy; 0: the method has none
} Contender;

// the first is what the others are compared with
static const Contender contenders[] = {
    { "implicit-midpoint", 0 },
    { "stabilized", 0.01 },
    { "stabilized", 1e-3 },
    { "small-midpoint", 0.01 },
};

#define CONTENDERS ((int)(sizeof contenders / sizeof contenders[0]))

typedef struct Times
{
    int count;
    double ms[MOST_STEPS], search[MOST_STEPS]; // of a step; share of it that the search for alpha took
    int trials;                                // of blends, in all of them
} Times;

typedef struct Racer
{
    vvWorldId world;
    Times plain, blended; // of steps without and with a blend
} Racer;

// ---- scenes ---------------------------------------------------------------------------------------------------------

static vvResult pinCorners(vvSoftBodyId cloth)
{
    vvResult result = { .code = VV_OK };
    for (int i = 0; i < 2 && result.code == VV_OK; ++i)
    {
        vvBox corner = { { -0.501, -1, i - 0.501 }, { -0.499, 1, i - 0.499 } };
        int vertex = 0;
        vvSoftBody_FindVertices(cloth, corner, &vertex, 1);
        result = vvSoftBody_Pin(cloth, &vertex, 1);
    }
    return result;
}

static vvResult makeWorld(const Scene *scene, const Contender *contender, int cells, vvWorldId *world)
{
    vvResult result;
    vvWorldDef def = vvDefaultWorldDef();
    def.method = contender->method;
    def.solver = "local-global";
    def.iterations = ITERATIONS;
    def.substeps = vvMethod_HasSubsteps(contender->method) ? ITERATIONS : 0;
    def.threads = 1;
    def.gravity = (vvVec3){ 0, scene->cells > 0 ? 0 : -9.81, 0 };
    if (contender->tolerance > 0)
        def.settings.energyTolerance = contender->tolerance;
    vvSoftBodyDef body = vvDefaultSoftBodyDef();
    body.material = (vvMaterial){ .density = 1000, .young = scene->young, .thickness = 0.001 };
    body.spin = (vvVec3){ 0, 0, scene->spin };
    body.springStiffness[VV_EDGE_STRUCTURAL] = body.springStiffness[VV_EDGE_SHEAR] = scene->young;
    body.springStiffness[VV_EDGE_SKIP] = 0.1 * scene->young;
    vvMesh *mesh =
        cells > 0 ? vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, cells, cells, cells) : vvCreateSheetMesh(1, 1, 30, 30);
    body.mesh = mesh;
    *world = vvCreateWorld(&def, &result);
    if (result.code == VV_OK)
    {
        vvSoftBodyId id = vvCreateSoftBody(*world, &body, &result);
        if (result.code == VV_OK && cells == 0)
            result = pinCorners(id);
    }
    vvDestroyMesh(mesh); // the body keeps it
    return result;
}

// ---- times ----------------------------------------------------------------------------------------------------------

static vvResult timeStep(Racer *racer, bool counts)
{
    vvProfile before = vvWorld_GetProfile(racer->world);
    clock_t since = clock();
    vvResult result = vvWorld_Step(racer->world, STEP);
    double ms = 1e3 * (double)(clock() - since) / CLOCKS_PER_SEC;
    vvProfile after = vvWorld_GetProfile(racer->world);
    if (result.code != VV_OK || !counts)
        return result;
    vvStatistics statistics = vvWorld_GetStatistics(racer->world);
    Times *times = statistics.alpha != 0 ? &racer->blended : &racer->plain;
    times->trials += statistics.lineSearchSteps;
    times->search[times->count] = (after.line - before.line) / (after.step - before.step);
    times->ms[times->count++] = ms;
    return result;
}

static int compareReals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof values[0], compareReals);
    return count > 0 ? values[count / 2] : NAN;
}

// of all steps: medians, for a mean would hold what else the machine did
static double typical(double plain, double blended, double share)
{
    return (share < 1 ? (1 - share) * plain : 0) + (share > 0 ? share * blended : 0);
}

static void printRows(LabTable *table, const Scene *scene, Racer *racers)
{
    double reference = NAN;
    for (int i = 0; i < CONTENDERS; ++i)
    {
        Times *plain = &racers[i].plain, *blended = &racers[i].blended;
        double share = (double)blended->count / (plain->count + blended->count);
        double with = median(blended->ms, blended->count), ms = typical(median(plain->ms, plain->count), with, share);
        reference = i == 0 ? ms : reference;
        labText(table, scene->name);
        labText(table, contenders[i].method);
        labNumber(table, contenders[i].tolerance > 0 ? contenders[i].tolerance : NAN);
        labNumber(table, share);
        labNumber(table, ms);
        labNumber(table, ms / reference);
        labNumber(table, with / reference);
        labNumber(table, median(blended->search, blended->count));
        labNumber(table, (double)blended->trials / blended->count);
        labText(table, buildCommit());
        labText(table, buildCompiler());
        labText(table, machineCpu());
        labNumber(table, atof(machineLoad()));
    }
}

static vvResult race(LabTable *table, const Scene *scene, bool quick)
{
    static Racer racers[CONTENDERS]; // too large for the stack
    vvResult result = { .code = VV_OK };
    memset(racers, 0, sizeof racers);
    for (int i = 0; i < CONTENDERS && result.code == VV_OK; ++i)
        result = makeWorld(scene, &contenders[i], quick && scene->cells > 0 ? 4 : scene->cells, &racers[i].world);
    for (int n = 0; n < WARM + (quick ? 20 : MOST_STEPS) && result.code == VV_OK; ++n)
    {
        for (int i = 0; i < CONTENDERS && result.code == VV_OK; ++i)
            result = timeStep(&racers[i], n >= WARM);
    }
    if (result.code == VV_OK)
        printRows(table, scene, racers);
    for (int i = 0; i < CONTENDERS; ++i)
        vvDestroyWorld(racers[i].world);
    return result;
}

static int run(LabTable *table, const LabWish *wish)
{
    vvResult result = { .code = VV_OK };
    bool any = false;
    labColumns(table, "scene,method,tolerance,blended,ms,ratio,blended-ratio,search,trials,commit,compiler,cpu,load");
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0] && result.code == VV_OK; ++i)
    {
        if (!labWants(wish->figure, scenes[i].name))
            continue;
        any = true;
        result = race(table, &scenes[i], wish->quick);
    }
    if (!any)
        fprintf(
            stderr,
            "verve lab cost: there is no scene '%s'; the scenes are slow-cube, soft-cube, spinning-cube, stiff-cloth\n",
            wish->figure);
    if (result.code != VV_OK)
        return complain(&labCommand, &result);
    return any ? EXIT_DONE : EXIT_BAD_INPUT;
}

const LabPage labCost = {
    "cost", "stabilized and small-midpoint over Projective Dynamics, in turns (Dinev 2018)", run, NULL, NULL, NULL, NULL
};
