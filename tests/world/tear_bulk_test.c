// Tearing of solids and ropes: a bar that is pulled breaks in two when its stress reaches the strength, at its weak
// seam where it has one, and the break takes its toughness times the section; a rope breaks under a weight above its
// strength and holds one below it. The books stay closed, and a state from the midst of it goes on with the same bits.
#include "scenes.h"

#include <stdlib.h>

#define CELLS 8
#define SIDE 0.1

typedef struct Break
{
    double stress;   // Pa, nominal, when the first face opened
    double area;     // m^2 opened
    double taken;    // J dissipated
    double from, to; // m: where along the bar vertices were split
    uint64_t hash;
} Break;

static int *endOf(const vvMesh *mesh, double x, int *count)
{
    int *list = malloc(sizeof(int) * (size_t)vvMesh_GetVertexCount(mesh));
    *count = 0;
    for (int v = 0; v < vvMesh_GetVertexCount(mesh); ++v)
    {
        if (fabs(vvMesh_GetPoints(mesh)[3 * v] - x) < 1e-9)
            list[(*count)++] = v;
    }
    return list;
}

// weak: a factor for the tets of a cell; `restore`: a state is saved and loaded between every two steps
static Break pullBar(const char *model, double young, double strength, double weak, int seam, double damping,
                     bool restore)
{
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
    vvSoftBodyDef def = elasticDef(900, young, 0.3);
    def.model = model;
    def.tear = (vvTear){ 20, strength };
    def.damping.mass = damping;
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ CELLS * SIDE, SIDE, SIDE }, CELLS, 1, 1);
    const double *x = vvMesh_GetPoints(mesh);
    double low = INFINITY, *factors = malloc(sizeof(double) * (size_t)vvMesh_GetTetCount(mesh));
    for (int v = 0; v < vvMesh_GetVertexCount(mesh); ++v)
        low = fmin(low, x[3 * v]);
    for (int t = 0; t < vvMesh_GetTetCount(mesh); ++t)
    {
        double middle = 0;
        for (int c = 0; c < 4; ++c)
            middle += 0.25 * x[3 * vvMesh_GetTets(mesh)[4 * t + c]];
        factors[t] = (int)((middle - low) / SIDE) == seam ? weak : 1;
    }
    def.elementToughness = factors;
    int count[2], *end[2] = { endOf(mesh, low, &count[0]), endOf(mesh, low + CELLS * SIDE, &count[1]) };
    assert_true(count[0] == 4 && count[1] == 4);
    double rest[24];
    for (int i = 0; i < 24; ++i)
        rest[i] = x[3 * end[i / 12][i / 3 % 4] + i % 3];
    vvSoftBodyId body = makeBody(world, mesh, def);
    free(factors);
    for (int k = 0; k < 2; ++k)
        CHECK_OK(vvSoftBody_Pin(body, end[k], 4));
    Break result = { .from = INFINITY, .to = -INFINITY };
    void *saved = NULL;
    for (int i = 0; i < 240; ++i)
    {
        double moved = 1.6 * strength / young * CELLS * SIDE * fmin(i / 200.0, 1);
        for (int v = 0; v < 4; ++v)
            CHECK_OK(vvSoftBody_MovePin(body, end[1][v],
                                        (vvVec3){ rest[12 + 3 * v] + moved, rest[13 + 3 * v], rest[14 + 3 * v] }));
        double *force = malloc(3 * sizeof(double) * (size_t)vvMesh_GetVertexCount(vvSoftBody_GetMesh(body)));
        CHECK_OK(vvSoftBody_CopyConstraintForces(body, force));
        double pull = 0;
        for (int v = 0; v < 4; ++v)
            pull += force[3 * end[1][v]];
        free(force);
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        vvMeshEvent event;
        if (vvWorld_GetMeshEvents(world, &event, 1) > 0)
        {
            result.stress = result.area == 0 ? fabs(pull) / (SIDE * SIDE) : result.stress;
            result.area += event.area;
            for (int v = event.vertexCountBefore; v < event.vertexCount; ++v)
            {
                double at = vvMesh_GetPoints(vvSoftBody_GetMesh(body))[3 * v] - low;
                result.from = fmin(result.from, at);
                result.to = fmax(result.to, at);
            }
        }
        if (restore && i % 20 == 19)
        {
            size_t size = vvWorld_GetStateSize(world);
            saved = realloc(saved, size);
            CHECK_OK(vvWorld_SaveState(world, saved, size));
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
            CHECK_OK(vvWorld_RestoreState(world, saved, size));
        }
    }
    vvLedger ledger = vvWorld_GetLedger(world);
    CHECK_BELOW(fabs(ledger.numerical), 0.03 * (ledger.added + ledger.dissipated));
    result.taken = ledger.dissipated;
    result.hash = vvWorld_GetHash(world);
    free(saved);
    free(end[0]);
    free(end[1]);
    vvDestroyWorld(world);
    return result;
}

static void testBar(void **state)
{
    (void)state;
    static const char *const models[] = { "corotated", "stable-neo-hookean", "mooney-rivlin" };
    for (int k = 0; k < 3; ++k)
    {
        double young = k == 1 ? 1e6 : 3e5, strength = 0.05 * young;
        Break whole = pullBar(models[k], young, strength, 1, 0, 20, false);
        CHECK_NEAR(whole.area, SIDE * SIDE, 1e-9);
        CHECK_NEAR(whole.to - whole.from, 0, 1e-9);
        CHECK_CLOSE(whole.stress, strength, 0.15); // near the pins the stress is above that of the section
        Break weak = pullBar(models[k], young, strength, 0.5, 5, 20, k == 0);
        CHECK_NEAR(weak.area, SIDE * SIDE, 1e-9);
        CHECK_CLOSE(weak.stress, 0.5 * strength, 0.1);
        assert_true(weak.from > 5 * SIDE - 1e-9 && weak.to < 6 * SIDE + 1e-9);
        // without damping the surface takes all
        CHECK_CLOSE(pullBar(models[k], young, strength, 0.5, 5, 0, false).taken, 0.5 * 20 * SIDE * SIDE, 1e-6);
        if (k == 0)
            assert_true(weak.hash == pullBar(models[k], young, strength, 0.5, 5, 20, false).hash);
    }
}

static bool ropeBreaks(double load)
{
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, -10, 0 });
    vvSoftBodyDef def = elasticDef(1000, 1e8, 0.3);
    def.material.thickness = 0.01;
    def.tear = (vvTear){ 1000, 1e6 };
    def.damping.mass = 20;
    vvMesh *mesh = vvCreateRopeMesh(1, 10);
    int count = vvMesh_GetVertexCount(mesh);
    vvSoftBodyId body = makeBody(world, mesh, def);
    CHECK_OK(vvSoftBody_Pin(body, &(int){ 0 }, 1));
    for (int i = 0; i < 180; ++i)
    {
        CHECK_OK(vvSoftBody_SetForce(body, 10, (vvVec3){ 0, -load * fmin(i / 90.0, 1), 0 }));
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    }
    bool broken = vvMesh_GetVertexCount(vvSoftBody_GetMesh(body)) > count;
    CHECK_BELOW(fabs(vvWorld_GetLedger(world).numerical), 0.05 * (1 + fabs(vvWorld_GetLedger(world).total)));
    vvDestroyWorld(world);
    return broken;
}

static void testRope(void **state)
{
    (void)state;
    double most = 1e6 * 3.14159265 / 4 * 1e-4; // N: strength times section
    assert_true(ropeBreaks(1.1 * most));
    assert_false(ropeBreaks(0.8 * most));
}

static void testRefused(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
    static const char *const models[] = { "corotated", "smoothed", "spring" };
    for (int k = 0; k < 3; ++k)
    {
        vvSoftBodyDef def = elasticDef(1000, 1e6, 0.3);
        def.mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1);
        def.model = models[k];
        def.tear = (vvTear){ 100, k == 0 ? 0 : 1e5 };
        vvResult result;
        vvCreateSoftBody(world, &def, &result);
        assert_int_equal(result.code, VV_BAD_INPUT);
        vvDestroyMesh(def.mesh);
    }
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testBar),
        cmocka_unit_test(testRope),
        cmocka_unit_test(testRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
