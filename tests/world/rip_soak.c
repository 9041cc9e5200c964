// What ripping costs: a sheet of 101 x 101 vertices of which 20 edges open in every frame, by CPU time against a frame
// of the whole sheet in the same run, under the default method with one thread. The limit is twice what was measured.
#include "scenes.h"

#include <stdio.h>
#include <time.h>

#define CELLS 100
#define EDGES 20
#define FRAMES 20
#define MOST 4.0

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void ripping(void **unused)
{
    (void)unused;
    static const char *const models[] = { "spring", "triangle" };
    for (int k = 0; k < 2; ++k)
    {
        vvWorldDef worldDef = vvDefaultWorldDef();
        worldDef.threads = 1;
        vvWorldId world = vvCreateWorld(&worldDef, NULL);
        vvSoftBodyDef def = vvDefaultSoftBodyDef();
        def.material = vvMaterial_Cotton();
        def.model = models[k];
        vvSoftBodyId body = makeBody(world, vvCreateSheetMesh(2, 2, CELLS, CELLS), def);
        CHECK_OK(vvSoftBody_Pin(body, (int[]){ 0, CELLS * (CELLS + 1) }, 2));
        for (int i = 0; i < 5; ++i)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        double begin = seconds();
        for (int i = 0; i < FRAMES; ++i)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        double whole = seconds() - begin;
        begin = seconds();
        for (int i = 0; i < FRAMES; ++i)
        {
            int edge[2 * EDGES], row = 5 + 3 * i;
            for (int e = 0; e < EDGES; ++e)
            {
                edge[2 * e] = (CELLS - e) * (CELLS + 1) + row;
                edge[2 * e + 1] = (CELLS - e - 1) * (CELLS + 1) + row;
            }
            CHECK_OK(vvSoftBody_Split(body, edge, EDGES));
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        }
        double ripped = seconds() - begin;
        printf("%s: a frame takes %.2f ms, one in which %d edges open %.2f ms: %.2f times\n", models[k],
               1e3 * whole / FRAMES, EDGES, 1e3 * ripped / FRAMES, ripped / whole);
        CHECK_BELOW(ripped / whole, MOST);
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(ripping) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
