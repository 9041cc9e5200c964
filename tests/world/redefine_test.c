// What a body is made of changes while it lives. Over all methods, solvers and models: it then goes on bit for bit as one
// that was created so and has its state, and the ledger stays closed.
#include "methods.h"
#include "scenes.h"

#include <stdlib.h>

// ---- as if created so --------------------------------------------------------------------------------------------------

#define SCENES 9

static const double *const *examplesOf(const vvMesh *mesh)
{
    static double bent[3 * 64];
    static const double *list[1] = { bent };
    int count = vvMesh_GetVertexCount(mesh);
    assert_true(count <= 64);
    memcpy(bent, vvMesh_GetPoints(mesh), 3 * (size_t)count * sizeof(double));
    for (int v = 0; v < count; ++v)
        bent[3 * v + 1] += 0.2 * bent[3 * v] * bent[3 * v];
    return list;
}

// what two definitions have in common
static vvSoftBodyDef sceneDef(int scene)
{
    static double factors[400], masses[64];
    vvSoftBodyDef def = elasticDef(800, 4e4, 0.3);
    def.position = (vvVec3){ 0.1, 0.3, 0 };
    def.spin = (vvVec3){ 1, 0.5, 2 };
    def.material.thickness = 0.02;
    for (int i = 0; i < 400; ++i)
        factors[i] = 1 + i % 5;
    for (int i = 0; i < 64; ++i)
        masses[i] = 0.5 + 0.01 * i;
    bool sheet = scene == 2 || scene == 3 || scene == 8;
    def.mesh = scene == 4   ? vvCreateRopeMesh(1, 6)
               : scene == 5 ? vvCreateTubeMesh(0.2, 0.4, 6, 2)
               : sheet      ? vvCreateSheetMesh(0.6, 0.6, 3, 3)
                            : vvCreateBoxMesh((vvVec3){ 0.6, 0.4, 0.4 }, 2, 1, 1);
    static const char *const models[SCENES] = { "corotated",      "stable-neo-hookean", "triangle", "spring",
                                                "squared-spring", "triangle",           "linear",   NULL,
                                                "membrane" };
    def.model = models[scene];
    def.elementStiffness = scene < 4 ? factors : NULL;
    def.vertexMass = scene == 1 ? masses : NULL;
    def.bendingModel = scene == 2 ? "dihedral" : NULL;
    def.strainLimit = scene == 3 ? (vvStrainLimit){ .min = 0.9, .max = 1.1 } : (vvStrainLimit){ 0 };
    def.volumeStiffness = scene == 6 ? 1e4 : 0;
    def.exampleCount = scene == 7;
    def.examples = scene == 7 ? examplesOf(def.mesh) : NULL;
    def.exampleStiffness = 1e4;
    return def;
}

static bool isClosed(int scene)
{
    return scene == 0 || scene == 7;
}

// one definition out of six: damping and pressure come, go and change; the last two have the energies of the first, one
// with other stiffness, one with other masses alone
#define SUITS 6

static void dress(vvSoftBodyDef *def, int scene, int suit)
{
    if (suit == 1 || suit == 3)
    {
        def->material.young *= 2.5;
        def->material.poisson = scene == 6 ? 0 : 0.1;
        def->material.density = 1100;
        def->material.thickness = 0.03;
    }
    def->material.young *= suit == 4 ? 3 : 1;
    def->material.density *= suit == 5 ? 3 : 1;
    def->damping.mass = suit == 1 ? 0.5 : suit == 2 ? 1 : 0;
    def->damping.stiffness = suit == 2 || suit == 3 ? 1e-3 * suit : 0;
    def->damping.spring = (scene == 3 || scene == 4) && suit == 3 ? 0.2 : 0;
    def->damping.rigidPreserving = suit == 3 ? 2 : 0;
    def->pressure = isClosed(scene) && suit > 0 && suit < 4 ? 100.0 * suit : 0;
    def->friction = suit == 0 || suit == 5 ? -1 : 0.2 * suit;
}

static void wear(vvSoftBodyId body, const vvSoftBodyDef *def)
{
    CHECK_OK(vvSoftBody_SetDamping(body, def->damping));
    CHECK_OK(vvSoftBody_SetMaterial(body, def->material));
    CHECK_OK(vvSoftBody_SetPressure(body, def->pressure));
    CHECK_OK(vvSoftBody_SetFriction(body, def->friction));
}

// a body on a floor, held, with a hinge, and in half of the worlds on another body
static vvWorldId build(const char *method, const char *solver, int scene, int suit, vvSoftBodyId *body)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = method;
    worldDef.solver = solver;
    worldDef.softContact = scene % 2 == 1;
    vvResult result;
    vvWorldId world = vvCreateWorld(&worldDef, &result);
    CHECK_OK(result);
    vvSoftBodyDef def = sceneDef(scene);
    dress(&def, scene, suit);
    *body = vvCreateSoftBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyMesh(def.mesh);
    vvShapeDef plane = vvDefaultShapeDef();
    vvColliderDef floor = vvDefaultColliderDef();
    floor.shape = vvCreateShape(&plane, &result);
    floor.position.y = scene % 2 ? -0.3 : 0.11;
    vvCreateCollider(world, &floor, &result);
    CHECK_OK(result);
    vvDestroyShape(floor.shape);
    attachToPoint(world, *body, 1, 50);
    if (scene % 2)
    {
        vvSoftBodyDef below = elasticDef(1000, 1e5, 0.2);
        makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 0.5, 1 }, 1, 1, 1), below);
    }
    return world;
}

static void compare(const char *method, const char *solver, int scene, int from, int to)
{
    vvSoftBodyId body, other;
    vvWorldId changed = build(method, solver, scene, from, &body);
    vvWorldId created = build(method, solver, scene, to, &other);
    double dt = stepFor(method, 0.01, 1e-5);
    for (int step = 0; step < 3; ++step)
        CHECK_OK(vvWorld_Step(changed, dt));
    vvSoftBodyDef def = sceneDef(scene);
    dress(&def, scene, to);
    vvDestroyMesh(def.mesh);
    vvLedger before = vvWorld_GetLedger(changed);
    wear(body, &def);
    vvLedger after = vvWorld_GetLedger(changed);
    CHECK_NEAR(after.numerical, before.numerical, 1e-9 * (1 + fabs(after.total)));
    assert_true(vvSoftBody_GetMass(body) == vvSoftBody_GetMass(other));
    assert_true(vvSoftBody_GetContactStiffness(body) == vvSoftBody_GetContactStiffness(other));
    size_t size = vvWorld_GetStateSize(changed);
    void *bytes = malloc(size);
    CHECK_OK(vvWorld_SaveState(changed, bytes, size));
    vvResult result = vvWorld_RestoreState(created, bytes, size);
    free(bytes);
    if (result.code != VV_OK)
        fail_msg("%s, %s, scene %d, suit %d to %d: %s", method, solver, scene, from, to, result.message);
    for (int step = 0; step < 3; ++step)
    {
        vvResult one = vvWorld_Step(changed, dt), two = vvWorld_Step(created, dt);
        if (one.code != two.code || vvWorld_GetHash(changed) != vvWorld_GetHash(created))
            fail_msg("%s, %s, scene %d, suit %d to %d: step %d differs (%s)", method, solver, scene, from, to, step,
                     one.message);
    }
    vvDestroyWorld(changed);
    vvDestroyWorld(created);
}

static void bodiesGoOnAsIfCreatedSo(void **state)
{
    (void)state;
    int count = 0;
    for (int m = 0; vvGetMethodName(m) != NULL; ++m)
    {
        for (int scene = 0; scene < SCENES; ++scene, ++count)
            compare(vvGetMethodName(m), vvGetSolverName((m + scene) % 4), scene, count % SUITS,
                    (count + 1 + m % (SUITS - 1)) % SUITS);
    }
    for (int scene = 0; scene < SCENES; ++scene) // what is factored or planned in advance, through all changes
    {
        for (int change = 0; change < SUITS * (SUITS - 1); ++change)
        {
            int from = change / (SUITS - 1), to = (from + 1 + change % (SUITS - 1)) % SUITS;
            compare("small-midpoint", "newton", scene, from, to);
            compare("implicit-midpoint", "local-global", scene, from, to);
            compare("small-steps", "newton", scene, from, to);
        }
    }
}

// ---- physics ---------------------------------------------------------------------------------------------------------

static vvSoftBodyId freeBar(vvWorldId world)
{
    return makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 0.2, 0.2 }, 5, 1, 1), elasticDef(1000, 1e5, 0.3));
}

// frequencies go as the root of stiffness over density
static void frequenciesFollowTheMaterial(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
    vvSoftBodyId body = freeBar(world);
    vvExamination before, after;
    CHECK_OK(vvSoftBody_Examine(body, &before));
    vvMaterial material = vvSoftBody_GetMaterial(body);
    assert_true(material.density == 1000 && material.young == 1e5);
    material.young *= 4;
    CHECK_OK(vvSoftBody_SetMaterial(body, material));
    CHECK_OK(vvSoftBody_Examine(body, &after));
    CHECK_CLOSE(after.lowestFrequency, 2 * before.lowestFrequency, 1e-3);
    material.density *= 16;
    CHECK_OK(vvSoftBody_SetMaterial(body, material));
    CHECK_OK(vvSoftBody_Examine(body, &after));
    CHECK_CLOSE(after.highestFrequency, 0.5 * before.highestFrequency, 1e-3);
    vvDestroyWorld(world);
}

// velocities stay: momentum and weight grow with the mass
static void momentumFollowsTheMass(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, -10, 0 });
    vvSoftBodyId body = freeBar(world);
    CHECK_OK(vvSoftBody_ApplyImpulse(body, (vvVec3){ 80, 0, 0 }, vvSoftBody_GetCentreOfMass(body)));
    vvMaterial material = vvSoftBody_GetMaterial(body);
    material.density = 3000;
    vvLedger before = vvWorld_GetLedger(world);
    CHECK_OK(vvSoftBody_SetMaterial(body, material));
    vvLedger after = vvWorld_GetLedger(world);
    CHECK_CLOSE(vvSoftBody_GetMomentum(body).x, 240, 1e-12);
    CHECK_CLOSE(vvSoftBody_GetMass(body), 120, 1e-12);
    CHECK_CLOSE(after.kinetic, 3 * before.kinetic, 1e-12);
    CHECK_NEAR(after.added - before.added, after.total - before.total, 1e-9);
    for (int step = 0; step < 10; ++step)
        CHECK_OK(vvWorld_Step(world, 0.01));
    CHECK_CLOSE(vvSoftBody_GetMomentum(body).y, -120, 1e-6); // 10 m/s^2 for 0.1 s
    vvDestroyWorld(world);
}

// Rayleigh's alpha takes momentum as exp(-alpha t), from when it is set until it is set back
static void dampingActsFromNowOn(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
    vvSoftBodyId body = freeBar(world);
    CHECK_OK(vvSoftBody_ApplyImpulse(body, (vvVec3){ 40, 0, 0 }, vvSoftBody_GetCentreOfMass(body)));
    for (int part = 0; part < 3; ++part)
    {
        CHECK_OK(vvSoftBody_SetDamping(body, (vvDamping){ .mass = part == 1 ? 2 : 0 }));
        assert_true(vvSoftBody_GetDamping(body).mass == (part == 1 ? 2 : 0));
        for (int step = 0; step < 50; ++step)
            CHECK_OK(vvWorld_Step(world, 0.01));
        CHECK_CLOSE(vvSoftBody_GetMomentum(body).x, part == 0 ? 40 : 40 * exp(-1), 1e-4);
    }
    vvDestroyWorld(world);
}

// a block slides on ice and stops when it is no ice any longer
static void frictionActsFromNowOn(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, -10, 0 });
    vvSoftBodyDef def = elasticDef(1000, 1e6, 0.3);
    def.friction = 0;
    def.position.y = 0.1;
    def.velocity.x = 1;
    def.damping.stiffness = 0.005;
    vvSoftBodyId body = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.4, 0.2, 0.4 }, 2, 1, 2), def);
    vvShapeDef plane = vvDefaultShapeDef();
    vvColliderDef floor = vvDefaultColliderDef();
    vvResult result;
    floor.shape = vvCreateShape(&plane, &result);
    floor.friction = 0.5;
    vvCreateCollider(world, &floor, &result);
    vvDestroyShape(floor.shape);
    for (int step = 0; step < 30; ++step)
        CHECK_OK(vvWorld_Step(world, 0.01));
    CHECK_CLOSE(vvSoftBody_GetMomentum(body).x, 32, 1e-6);
    CHECK_OK(vvSoftBody_SetFriction(body, 0.5));
    assert_true(vvSoftBody_GetFriction(body) == 0.5);
    for (int step = 0; step < 10; ++step)
        CHECK_OK(vvWorld_Step(world, 0.01));
    CHECK_NEAR(vvSoftBody_GetMomentum(body).x, 32 * (1 - 0.5), 2); // 5 m/s^2 for 0.1 s
    for (int step = 0; step < 60; ++step)
        CHECK_OK(vvWorld_Step(world, 0.01));
    CHECK_NEAR(vvSoftBody_GetMomentum(body).x, 0, 0.3);
    vvDestroyWorld(world);
}

static double width(vvSoftBodyId body)
{
    vvBox box = vvSoftBody_GetBounds(body);
    return box.upper.x - box.lower.x;
}

// a cube under pressure p grows by p / 3 K in every direction
static void pressureActsFromNowOn(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
    vvSoftBodyId body = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2), elasticDef(1000, 1e5, 0.25));
    double before = width(body), bulk = 1e5 / 3 / (1 - 2 * 0.25);
    CHECK_OK(vvSoftBody_SetPressure(body, 1000));
    assert_true(vvSoftBody_GetPressure(body) == 1000);
    for (int step = 0; step < 200; ++step)
        CHECK_OK(vvWorld_Step(world, 0.05));
    CHECK_CLOSE(width(body) / before - 1, 1000 / (3 * bulk), 0.03);
    CHECK_OK(vvSoftBody_SetPressure(body, 0));
    for (int step = 0; step < 200; ++step)
        CHECK_OK(vvWorld_Step(world, 0.05));
    CHECK_NEAR(width(body), before, 1e-4);
    vvDestroyWorld(world);
}

// ---- what is refused ---------------------------------------------------------------------------------------------------

static void absurdChangesAreRefused(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
    vvSoftBodyId body = freeBar(world), rope = makeBody(world, vvCreateRopeMesh(1, 3), vvDefaultSoftBodyDef());
    vvMaterial bad = vvSoftBody_GetMaterial(body);
    uint64_t hash = vvWorld_GetHash(world);
    bad.young = -1;
    assert_int_equal(vvSoftBody_SetMaterial(body, bad).code, VV_BAD_INPUT);
    bad = vvSoftBody_GetMaterial(body);
    bad.poisson = 0.5;
    assert_int_equal(vvSoftBody_SetMaterial(body, bad).code, VV_BAD_INPUT);
    assert_true(vvSoftBody_GetMaterial(body).poisson == 0.3);
    assert_int_equal(vvSoftBody_SetDamping(body, (vvDamping){ .mass = NAN }).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_SetDamping(body, (vvDamping){ .spring = 1 }).code, VV_BAD_INPUT); // it has no springs
    assert_int_equal(vvSoftBody_SetPressure(rope, 10).code, VV_BAD_INPUT);                        // it is not closed
    assert_int_equal(vvSoftBody_SetPressure(body, INFINITY).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_SetFriction(body, -2).code, VV_BAD_INPUT);
    assert_true(vvWorld_GetHash(world) == hash);
    vvDestroyWorld(world);
    assert_int_equal(vvSoftBody_SetMaterial(body, bad).code, VV_BAD_ID);
    assert_int_equal(vvSoftBody_SetDamping(body, (vvDamping){ 0 }).code, VV_BAD_ID);
    assert_int_equal(vvSoftBody_SetPressure(body, 0).code, VV_BAD_ID);
    assert_int_equal(vvSoftBody_SetFriction(body, 0).code, VV_BAD_ID);
    assert_true(vvSoftBody_GetMaterial(body).young == 0 && vvSoftBody_GetDamping(body).mass == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodiesGoOnAsIfCreatedSo), cmocka_unit_test(frequenciesFollowTheMaterial),
        cmocka_unit_test(momentumFollowsTheMass),  cmocka_unit_test(dampingActsFromNowOn),
        cmocka_unit_test(frictionActsFromNowOn),   cmocka_unit_test(pressureActsFromNowOn),
        cmocka_unit_test(absurdChangesAreRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
