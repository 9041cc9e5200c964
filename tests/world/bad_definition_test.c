// Definitions of bodies, constraints, hinges and winds with one thing wrong: refused by name, with a remedy, and the
// world is as before. Every number of a definition is tried with values that no number may have.
#include "check.h"
#include "world/add.h"
#include "undamped.h"

#include <verve/verve.h>

#include <math.h>
#include <stddef.h>
#include <string.h>

static vvWorldId world;
static vvMesh *box, *sheet, *rope;
static vvSoftBodyId body; // a box

static int setUp(void **state)
{
    (void)state;
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = "implicit-midpoint";
    world = vvCreateWorld(&worldDef, NULL);
    box = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2);
    sheet = vvCreateSheetMesh(1, 1, 3, 3);
    rope = vvCreateRopeMesh(1, 4);
    vvSoftBodyDef def = undampedDef();
    def.mesh = box;
    def.material = vvMaterial_Jelly();
    body = vvCreateSoftBody(world, &def, NULL);
    return vvSoftBody_IsValid(body) ? 0 : 1;
}

static int tearDown(void **state)
{
    (void)state;
    vvDestroyWorld(world);
    vvDestroyMesh(box);
    vvDestroyMesh(sheet);
    vvDestroyMesh(rope);
    return 0;
}

static void expectRefusal(vvResult result, const char *words)
{
    if (result.code != VV_BAD_INPUT && result.code != VV_LIMIT && result.code != VV_BAD_ID)
        fail_msg("'%s' was expected, not code %d: %s", words, (int)result.code, result.message);
    assert_true(strlen(result.remedy) > 5);
    if (strstr(result.message, words) == NULL)
        fail_msg("'%s' does not say '%s'", result.message, words);
}

static void expectNoBody(const vvSoftBodyDef *def, const char *words)
{
    uint64_t hash = vvWorld_GetHash(world);
    vvResult result;
    vvCreateSoftBody(world, def, &result);
    expectRefusal(result, words);
    assert_true(vvWorld_GetHash(world) == hash);
}

static vvSoftBodyDef defOf(vvMesh *mesh)
{
    vvSoftBodyDef def = undampedDef();
    def.mesh = mesh;
    def.material = mesh == box ? vvMaterial_Jelly() : vvMaterial_Cotton();
    return def;
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

#define NUMBER(member, mesh)                                                                                           \
    {                                                                                                                  \
#member, offsetof(vvSoftBodyDef, member), mesh                                                                 \
    }

static void numbersOfBodiesAreChecked(void **state)
{
    (void)state;
    enum
    {
        BOX,
        SHEET
    };
    static const struct
    {
        const char *name;
        size_t offset;
        int mesh;
    } numbers[] = {
        NUMBER(damping.mass, BOX),     NUMBER(damping.stiffness, BOX),
        NUMBER(damping.spring, SHEET), NUMBER(damping.rigidPreserving, BOX),
        NUMBER(contactStiffness, BOX), NUMBER(volumeStiffness, BOX),
        NUMBER(areaStiffness, SHEET),  NUMBER(shapeStiffness, BOX),
        NUMBER(friction, BOX),         NUMBER(bending, SHEET),
    };
    static const double wrong[] = { NAN, INFINITY, -INFINITY, -2 };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
    {
        for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; ++k)
        {
            vvSoftBodyDef def = defOf(numbers[i].mesh == BOX ? box : sheet);
            memcpy((char *)&def + numbers[i].offset, &wrong[k], sizeof wrong[k]);
            expectNoBody(&def, numbers[i].name);
        }
    }
    vvSoftBodyDef def = defOf(box);
    def.pressure = NAN;
    expectNoBody(&def, "pressure is nan");
}

static void countsAndWordsOfBodiesAreChecked(void **state)
{
    (void)state;
    static const int wrong[] = { -1, 1000 };
    for (int k = 0; k < 2; ++k)
    {
        vvSoftBodyDef def = defOf(box);
        def.shapeClusters = wrong[k];
        expectNoBody(&def, "shapeClusters");
        def = defOf(box);
        def.contactSamples = wrong[k];
        expectNoBody(&def, "contactSamples");
        def = defOf(box);
        def.exampleCount = wrong[k];
        expectNoBody(&def, "examples");
    }
    vvSoftBodyDef def = defOf(sheet);
    def.bendingModel = "dihedrol";
    expectNoBody(&def, "did you mean 'dihedral'");
    def = defOf(box);
    def.exampleWeights = (vvExampleWeights)2;
    expectNoBody(&def, "exampleWeights is 2");
}

static void partsThatTheMeshLacksAreNamed(void **state)
{
    (void)state;
    vvSoftBodyDef def = defOf(sheet);
    def.volumeStiffness = 1;
    expectNoBody(&def, "no tets");
    def = defOf(box);
    def.areaStiffness = 1;
    expectNoBody(&def, "no triangles of a sheet");
    def = defOf(box);
    def.bending = 1;
    expectNoBody(&def, "neither sheet nor rod");
    def.bending = -1;
    def.twisting = 1;
    expectNoBody(&def, "no rod");
    def.twisting = -1;
    def = defOf(sheet);
    def.pressure = 10;
    expectNoBody(&def, "not closed");
    def = defOf(sheet);
    def.exampleCount = 1;
    def.examples = &(const double *){ NULL };
    expectNoBody(&def, "no tets");
    def.mesh = box;
    expectNoBody(&def, "example 0 is NULL");
    def = defOf(rope);
    def.strainLimit = (vvStrainLimit){ .min = 0.9, .max = 1.1, .direction = { 1, 0, 0 } };
    expectNoBody(&def, "rope");
}

static void limitsOfStrainAreChecked(void **state)
{
    (void)state;
    static const struct
    {
        vvStrainLimit limit;
        const char *words;
    } cases[] = {
        { { .min = 1.1, .max = 1.2 }, "strainLimit is 1.1 to 1.2" },
        { { .min = 0.9, .max = 0.95 }, "strainLimit is 0.9 to 0.95" },
        { { .min = 0.9, .max = INFINITY }, "strainLimit is 0.9 to inf" },
        { { .min = NAN, .max = 1.1 }, "strainLimit is nan" },
        { { .min = 0.9, .max = 1.1, .stiffness = -1 }, "the stiffness of strainLimit is -1" },
        { { .min = 0.9, .max = 1.1, .direction = { NAN, 0, 0 } }, "the direction of strainLimit" },
        { { .min = 0.9, .max = 1.1, .direction = { 1, 0, 0 }, .acrossMin = 2 }, "strainLimit across is 2" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        vvSoftBodyDef def = defOf(box);
        def.strainLimit = cases[i].limit;
        expectNoBody(&def, cases[i].words);
    }
}

static void examplesHaveAStiffness(void **state)
{
    (void)state;
    const double *examples[] = { vvMesh_GetPoints(box) };
    vvSoftBodyDef def = defOf(box);
    def.examples = examples;
    def.exampleCount = 1;
    def.exampleStiffness = -1;
    expectNoBody(&def, "exampleStiffness is -1");
}

// a fan of 20 triangles: more neighbours than the stencil of mean curvature holds; hinges do not mind
static void aVertexWithManyNeighboursIsNamed(void **state)
{
    (void)state;
    enum
    {
        RIM = 20
    };
    double points[3 * (RIM + 1)] = { 0 };
    int triangles[3 * RIM];
    for (int k = 0; k < RIM; ++k)
    {
        points[3 * k + 3] = cos(2 * 3.14159265358979 * k / RIM);
        points[3 * k + 5] = -sin(2 * 3.14159265358979 * k / RIM);
        triangles[3 * k] = 0;
        triangles[3 * k + 1] = 1 + k;
        triangles[3 * k + 2] = 1 + (k + 1) % RIM;
    }
    vvMeshDef meshDef = vvDefaultMeshDef();
    meshDef.shape = VV_MESH_ARRAYS;
    meshDef.points = points;
    meshDef.pointCount = RIM + 1;
    meshDef.triangles = triangles;
    meshDef.triangleCount = RIM;
    vvMesh *fan = vvCreateMesh(&meshDef, NULL);
    assert_non_null(fan);
    vvSoftBodyDef def = defOf(fan);
    def.bending = 1;
    def.bendingModel = "mean-curvature";
    expectNoBody(&def, "vertex 0 has 20 neighbours");
    def.bendingModel = "dihedral";
    vvSoftBodyId made = vvCreateSoftBody(world, &def, NULL);
    assert_true(vvSoftBody_IsValid(made));
    vvDestroySoftBody(made);
    vvDestroyMesh(fan);
}

// ---- worlds ---------------------------------------------------------------------------------------------------------

static void *enqueue(void (*run)(void *context, int index), void *context, int count, void *userData)
{
    (void)run;
    (void)context;
    (void)count;
    return userData;
}

static void expectNoWorld(const vvWorldDef *def, const char *words)
{
    vvResult result;
    assert_false(vvWorld_IsValid(vvCreateWorld(def, &result)));
    expectRefusal(result, words);
}

static void settingsOfWorldsAreChecked(void **state)
{
    (void)state;
    vvWorldDef def = vvDefaultWorldDef();
    def.threads = -1;
    expectNoWorld(&def, "threads is -1");
    def.threads = 65;
    expectNoWorld(&def, "threads is 65");
    def = vvDefaultWorldDef();
    def.tasks.enqueue = enqueue;
    expectNoWorld(&def, "only one function");
    def = vvDefaultWorldDef();
    def.settings.localGlobal.budget = NAN;
    expectNoWorld(&def, "budget is nan");
    def = vvDefaultWorldDef();
    def.instructionSet = "avx3";
    expectNoWorld(&def, "avx3");
    def = vvDefaultWorldDef();
    def.sleepEnergy = -1;
    expectNoWorld(&def, "sleepEnergy is -1");
    def = vvDefaultWorldDef();
    def.sleepTime = INFINITY;
    expectNoWorld(&def, "sleepTime is inf");
    def = vvDefaultWorldDef();
    def.settings.generalizedAlpha.spectralRadius = 2;
    expectNoWorld(&def, "spectralRadius is 2");
    def = vvDefaultWorldDef();
    def.threads = 0; // as many as there are cores
    vvWorldId fine = vvCreateWorld(&def, NULL);
    assert_true(vvWorld_IsValid(fine));
    vvDestroyWorld(fine);
}

// ---- what is added to bodies ----------------------------------------------------------------------------------------

static void nearest(void *userData, int element, const double *z, double *p)
{
    (void)userData;
    (void)element;
    memcpy(p, z, 3 * sizeof *p);
}

static double height(void *userData, int element, const double *x, double *gradient)
{
    (void)userData;
    (void)element;
    gradient[0] = gradient[2] = 0;
    gradient[1] = 1;
    return x[1];
}

static vvConstraintDef constraintOf(const int *vertices)
{
    vvConstraintDef def = vvDefaultConstraintDef();
    def.vertices = vertices;
    def.count = def.corners = 1;
    def.weight = 100;
    def.project = nearest;
    return def;
}

static void badConstraintsAreNamed(void **state)
{
    (void)state;
    static const int vertex = 3, none = 27;
    static const double one = 1, broken = NAN;
    vvConstraintDef def = constraintOf(&vertex);
    def.vertices = NULL;
    expectRefusal(addConstraint(body, &def), "vertices is NULL");
    def = constraintOf(&none);
    expectRefusal(addConstraint(body, &def), "27");
    def = constraintOf(&vertex);
    def.corners = 0;
    expectRefusal(addConstraint(body, &def), "corners is 0");
    def = constraintOf(&vertex);
    def.function = height;
    expectRefusal(addConstraint(body, &def), "2 of project");
    def.project = NULL;
    def.matrix = &one;
    expectRefusal(addConstraint(body, &def), "function has a matrix");
    def = constraintOf(&vertex);
    def.matrix = &one;
    def.rows = 0;
    expectRefusal(addConstraint(body, &def), "rows is 0");
    def.rows = 1;
    def.matrix = &broken;
    expectRefusal(addConstraint(body, &def), "number 0 of the matrix is nan");
    def = constraintOf(&vertex);
    def.weight = INFINITY;
    expectRefusal(addConstraint(body, &def), "the weight of element 0 is inf");
    expectRefusal(addConstraint(body, NULL), "constraint");
    expectRefusal(addConstraint((vvSoftBodyId){ 0 }, &def), "body");
}

static void aBodyHoldsSoManyConstraints(void **state)
{
    (void)state;
    static const int vertex = 3;
    vvSoftBodyDef bodyDef = defOf(box);
    vvSoftBodyId made = vvCreateSoftBody(world, &bodyDef, NULL);
    vvConstraintDef def = constraintOf(&vertex);
    vvResult result = { 0 };
    int count = 0;
    while (result.code == VV_OK && count < 100)
    {
        result = addConstraint(made, &def);
        count += result.code == VV_OK;
    }
    assert_in_range(count, 1, 99);
    expectRefusal(result, "no more fit");
    assert_int_equal(vvWorld_Step(world, 0.01).code, VV_OK);
    vvDestroySoftBody(made);
}

static void badHingesAreNamed(void **state)
{
    (void)state;
    static const int flat[4] = { 0, 1, 2, 2 }, good[4] = { 0, 1, 3, 9 };
    vvHingeDef def = vvDefaultHingeDef();
    def.count = 1;
    def.stiffness = 1;
    expectRefusal(addHinge(body, &def), "vertices is NULL");
    def.vertices = flat;
    expectRefusal(addHinge(body, &def), "without area");
    def.vertices = good;
    def.minAngle = 20;
    def.maxAngle = 10;
    expectRefusal(addHinge(body, &def), "20 to 10 degrees");
    def.maxAngle = 200;
    expectRefusal(addHinge(body, &def), "20 to 200 degrees");
    def.maxAngle = 30;
    def.stiffness = 0;
    expectRefusal(addHinge(body, &def), "stiffness is 0");
    expectRefusal(addHinge((vvSoftBodyId){ 0 }, &def), "body");
}

static void badWindsLeaveTheWind(void **state)
{
    (void)state;
    const vvWind fine = { .velocity = { 3, 0, 0 }, .density = 1.2, .drag = 1 };
    vvWind wrong[] = { fine, fine, fine };
    wrong[0].velocity.y = NAN;
    wrong[1].density = -1;
    wrong[2].drag = 1e4;
    assert_int_equal(vvWorld_SetWind(world, fine).code, VV_OK);
    expectRefusal(vvWorld_SetWind(world, wrong[0]), "velocity of the wind");
    expectRefusal(vvWorld_SetWind(world, wrong[1]), "density of the wind is -1");
    expectRefusal(vvWorld_SetWind(world, wrong[2]), "drag of the wind is 10000");
    vvWind now = vvWorld_GetWind(world);
    assert_true(now.velocity.x == 3 && now.density == 1.2 && now.drag == 1);
    vvWorldId nobody = { 0 };
    expectRefusal(vvWorld_SetWind(nobody, fine), "world");
    assert_true(vvWorld_GetWind(nobody).density == 0);
}

static void badSlidesAreNamed(void **state)
{
    (void)state;
    int vertex = 4;
    expectRefusal(vvSoftBody_Slide(body, &vertex, 1, (vvSlideKind)7, (vvVec3){ 0, 1, 0 }), "the kind of a slide is 7");
    expectRefusal(vvSoftBody_Slide(body, &vertex, 1, VV_SLIDE_LINE, (vvVec3){ 0, 0, 0 }),
                  "the axis of a slide is 0 0 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbersOfBodiesAreChecked),     cmocka_unit_test(countsAndWordsOfBodiesAreChecked),
        cmocka_unit_test(partsThatTheMeshLacksAreNamed), cmocka_unit_test(limitsOfStrainAreChecked),
        cmocka_unit_test(examplesHaveAStiffness),        cmocka_unit_test(aVertexWithManyNeighboursIsNamed),
        cmocka_unit_test(settingsOfWorldsAreChecked),    cmocka_unit_test(badConstraintsAreNamed),
        cmocka_unit_test(aBodyHoldsSoManyConstraints),   cmocka_unit_test(badHingesAreNamed),
        cmocka_unit_test(badWindsLeaveTheWind),          cmocka_unit_test(badSlidesAreNamed),
    };
    return cmocka_run_group_tests(tests, setUp, tearDown);
}
