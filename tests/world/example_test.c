// Bodies with examples (Bouaziz 2014, Fig 8) and shapes in clusters: pushed, they return; momenta stay.
#include "check.h"
#include "undamped.h"

#include <verve/verve.h>

#define POINTS 300

static vvWorldId makeWorld(const char *method, bool softContact, int iterations)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.solver = "local-global";
    def.iterations = iterations;
    def.tolerance = 1e-12;
    def.gravity = (vvVec3){ 0, 0, 0 };
    def.softContact = softContact;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    if (result.code != VV_OK)
        fail_msg("%s", result.message);
    return world;
}

static vvSoftBodyId makeBody(vvWorldId world, const vvSoftBodyDef *def)
{
    vvResult result;
    vvSoftBodyId body = vvCreateSoftBody(world, def, &result);
    if (result.code != VV_OK)
        fail_msg("%s; %s", result.message, result.remedy);
    return body;
}

static void takeSteps(vvWorldId world, int count)
{
    for (int i = 0; i < count; ++i)
    {
        vvResult result = vvWorld_Step(world, 1.0 / 60);
        if (result.code != VV_OK)
            fail_msg("step %d: %s", i, result.message);
    }
}

// a bar along x bent to an arc of so many radians about z
static void bend(const double *rest, int count, double angle, double *out)
{
    for (int v = 0; v < count; ++v, rest += 3, out += 3)
    {
        double a = angle * rest[0], r = 1 / angle - rest[1]; // length 1
        out[0] = r * sin(a);
        out[1] = 1 / angle - r * cos(a);
        out[2] = rest[2];
    }
}

static vvSoftBodyDef barDef(vvMesh *mesh, const double *const *example, vvExampleWeights weights)
{
    vvSoftBodyDef def = undampedDef();
    def.mesh = mesh;
    def.material = (vvMaterial){ .density = 1000, .young = 300, .poisson = 0, .thickness = 1 };
    def.examples = example;
    def.exampleCount = 1;
    def.exampleStiffness = 1e5;
    def.exampleWeights = weights;
    return def;
}

static double energyAt(const vvSoftBodyDef *def, const double *place)
{
    vvWorldId world = makeWorld("backward-euler", false, 10);
    vvSoftBodyId body = makeBody(world, def);
    assert_int_equal(vvSoftBody_SetPositions(body, place).code, VV_OK);
    double energy = vvWorld_GetLedger(world).elastic;
    vvDestroyWorld(world);
    return energy;
}

// In the example and half way to it a bar has next to no energy, beside that of a bar without examples.
static void barsRestInTheirExamples(void **state)
{
    (void)state;
    double points[POINTS], place[POINTS];
    const double *const example[] = { points };
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 0.25, 0.25 }, 8, 2, 2);
    int count = vvMesh_GetVertexCount(mesh);
    assert_true(3 * count <= POINTS);
    bend(vvMesh_GetPoints(mesh), count, 1, points);
    for (int k = 0; k < 4; ++k)
    {
        vvSoftBodyDef def = barDef(mesh, example, (vvExampleWeights)(k / 2)), plain = def;
        plain.exampleCount = 0;
        plain.material.young = def.exampleStiffness;
        bend(vvMesh_GetPoints(mesh), count, k % 2 ? 0.5 : 1, place);
        // 0.3 % are the model's, 0.1 % keep the coefficients small, the rest is what a blend of bends is not a bend
        CHECK_BELOW(energyAt(&def, place), 0.02 * energyAt(&plain, place));
        for (int i = 0; i < 3 * count; ++i)
            place[i] = points[i] * (i % 3 == 2 ? 1.2 : 1);
        assert_true(energyAt(&def, place) > 0.5 * energyAt(&plain, place) - energyAt(&plain, points)); // wide: no blend
    }
    vvDestroyMesh(mesh);
}

// One end of a bar is bent as the example says and the other one is straight: a blend for every tet has this shape, one
// blend for all has not.
static void globalWeightsBendTheWhole(void **state)
{
    (void)state;
    double points[POINTS], place[POINTS] = { 0 }, energy[2];
    const double *const example[] = { points };
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 0.25, 0.25 }, 8, 2, 2);
    int count = vvMesh_GetVertexCount(mesh);
    const double *rest = vvMesh_GetPoints(mesh);
    bend(rest, count, 1, points);
    for (int i = 0; i < 3 * count; ++i)
        place[i] = rest[i / 3 * 3] < 0 ? rest[i] : points[i];
    for (int k = 0; k < 2; ++k)
    {
        vvSoftBodyDef def = barDef(mesh, example, (vvExampleWeights)k);
        energy[k] = energyAt(&def, place);
    }
    assert_true(energy[1] > 20 * energy[0]); // measured 126
    vvDestroyMesh(mesh);
}

// Three bars in their example fly into each other and come to rest in it again.
static void threeCollideAndReturn(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind)
    {
        double points[POINTS], place[POINTS];
        const double *const example[] = { points };
        vvWorldId world = makeWorld("backward-euler", true, 10);
        vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 0.25, 0.25 }, 8, 2, 2);
        int count = vvMesh_GetVertexCount(mesh);
        bend(vvMesh_GetPoints(mesh), count, 1, points);
        for (int k = 0; k < 3; ++k)
        {
            vvSoftBodyDef def = barDef(mesh, example, (vvExampleWeights)kind);
            def.damping.rigidPreserving = 3;
            def.contactStiffness = 3e6; // the default is the model's, which is soft
            def.velocity = (vvVec3){ 0, 1.0 - k, 0 };
            vvSoftBodyId body = makeBody(world, &def);
            for (int i = 0; i < 3 * count; ++i)
                place[i] = points[i] + (i % 3 == 1 ? 0.4 * (k - 1) : 0) + (i % 3 == 2 ? 0.05 * k : 0);
            assert_int_equal(vvSoftBody_SetPositions(body, place).code, VV_OK);
        }
        double most = 0, touch = 0, before = vvWorld_GetLedger(world).elastic;
        for (int step = 0; step < 60; ++step)
        {
            takeSteps(world, 1);
            most = fmax(most, vvWorld_GetLedger(world).elastic);
            touch = fmax(touch, vvWorld_GetLedger(world).contact);
        }
        vvLedger end = vvWorld_GetLedger(world);
        assert_true(touch > 0.1 && most > 10); // they met: of 62 J of motion
        CHECK_BELOW(before, 0.02 * most);      // at rest in the example
        assert_true(end.contact < 1e-3);       // and parted
        CHECK_BELOW(end.elastic, 0.02 * most); // in some blend each, which costs next to nothing
        CHECK_BELOW(fabs(end.momentum.x) + fabs(end.momentum.y) + fabs(end.momentum.z), 1e-9); // of 62 kg m/s
        vvDestroyWorld(world);
        vvDestroyMesh(mesh);
    }
}

// Clusters: bent, a bar is nearer to several shapes than to one; a rigid turn costs nothing; a push leaves no momentum.
static void clustersBend(void **state)
{
    (void)state;
    double place[POINTS], energy[2][2];
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 0.25, 0.25 }, 8, 2, 2);
    int count = vvMesh_GetVertexCount(mesh);
    const double *rest = vvMesh_GetPoints(mesh);
    for (int k = 0; k < 2; ++k)
    {
        vvWorldId world = makeWorld("implicit-midpoint", false, 200);
        vvSoftBodyDef def = undampedDef();
        def.mesh = mesh;
        def.material = (vvMaterial){ .density = 1000, .young = 1, .poisson = 0, .thickness = 1 };
        def.shapeStiffness = 400;
        def.shapeClusters = k ? 4 : 0;
        def.damping.rigidPreserving = 5;
        vvSoftBodyId body = makeBody(world, &def);
        for (int v = 0; v < count; ++v)
        {
            place[3 * v] = 0.8 * rest[3 * v] - 0.6 * rest[3 * v + 1];
            place[3 * v + 1] = 0.6 * rest[3 * v] + 0.8 * rest[3 * v + 1];
            place[3 * v + 2] = rest[3 * v + 2];
        }
        assert_int_equal(vvSoftBody_SetPositions(body, place).code, VV_OK);
        energy[k][0] = vvWorld_GetLedger(world).elastic;
        bend(rest, count, 1, place);
        assert_int_equal(vvSoftBody_SetPositions(body, place).code, VV_OK);
        energy[k][1] = vvWorld_GetLedger(world).elastic;
        takeSteps(world, 60);
        vvLedger end = vvWorld_GetLedger(world);
        CHECK_BELOW(energy[k][0], 1e-20);
        CHECK_BELOW(end.elastic, 0.02 * energy[k][1]); // damped for a second
        CHECK_BELOW(fabs(end.momentum.x) + fabs(end.momentum.y) + fabs(end.momentum.z), 1e-9);
        CHECK_BELOW(fabs(end.angularMomentum.z),
                    1e-7); // converged to 1e-12 m; the two halves have some 10 kg m^2/s each
        vvDestroyWorld(world);
    }
    assert_true(energy[1][1] <
                0.75 * energy[0][1]); // measured 0.66: on a bar of 8 cells four of them reach over most of it
    vvDestroyMesh(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barsRestInTheirExamples),
        cmocka_unit_test(globalWeightsBendTheWhole),
        cmocka_unit_test(threeCollideAndReturn),
        cmocka_unit_test(clustersBend),
    };
    return cmocka_run_group_tests_name("example", tests, NULL, NULL);
}
