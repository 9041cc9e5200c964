// What ripping costs: a sheet of 101 x 101 vertices of which 20 edges open in every frame, by CPU time against a frame
// of the whole sheet in the same run, under the default method with one thread; medians, for the first splits wait for
// fresh pages. Two is asked. Either half of a run may be the one that shares its caches with other programs, so that
// single runs are up to .15 apart: the median of five counts.
#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CELLS 100
#define EDGES 20
#define FRAMES 25
#define RUNS 5
#define MOST 2.0

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static int compareTimes(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, compareTimes);
    return times[count / 2];
}

// a row of edges from the rim on, another one in each frame
static void rip(vvSoftBodyId body, int frame)
{
    int edge[2 * EDGES], row = 5 + 3 * frame;
    for (int e = 0; e < EDGES; ++e)
    {
        edge[2 * e] = (CELLS - e) * (CELLS + 1) + row;
        edge[2 * e + 1] = (CELLS - e - 1) * (CELLS + 1) + row;
    }
    CHECK_OK(vvSoftBody_Split(body, edge, EDGES));
}

static double ratioOf(const char *model)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.threads = 1;
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.material = vvMaterial_Cotton();
    def.model = model;
    vvSoftBodyId body = makeBody(world, vvCreateSheetMesh(2, 2, CELLS, CELLS), def);
    CHECK_OK(vvSoftBody_Pin(body, (int[]){ 0, CELLS * (CELLS + 1) }, 2));
    for (int i = 0; i < 5; ++i)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    double time[2][FRAMES];
    for (int i = 0; i < 2 * FRAMES; ++i)
    {
        double begin = seconds();
        if (i >= FRAMES)
            rip(body, i - FRAMES);
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        time[i / FRAMES][i % FRAMES] = seconds() - begin;
    }
    vvDestroyWorld(world);
    double whole = median(time[0], FRAMES), ripped = median(time[1], FRAMES);
    printf("%s: a frame takes %.2f ms, one in which %d edges open %.2f ms: %.2f times\n", model, 1e3 * whole, EDGES,
           1e3 * ripped, ripped / whole);
    return ripped / whole;
}

static void ripping(void **unused)
{
    (void)unused;
    static const char *const models[] = { "spring", "triangle" };
    for (int k = 0; k < 2; ++k)
    {
        double ratio[RUNS];
        for (int run = 0; run < RUNS; ++run)
            ratio[run] = ratioOf(models[k]);
        CHECK_BELOW(median(ratio, RUNS), MOST);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(ripping) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
