// Hinges and constraints by id: they come and go, and a body that has lost one goes on bit for bit as one that never
// had it.
#include "methods.h"
#include "scenes.h"

static void toGround(void *userData, int element, const double *z, double *p)
{
    (void)userData;
    (void)element;
    for (int i = 0; i < 6; ++i)
        p[i] = i % 3 == 1 ? -0.2 : z[i];
}

// two vertices that no element of the mesh joins: another graph of the matrix
static vvConstraintId farConstraint(vvSoftBodyId body, int a, int b)
{
    int vertices[2] = { a, b };
    vvConstraintDef def = vvDefaultConstraintDef();
    def.vertices = vertices;
    def.count = 1;
    def.corners = 2;
    def.weight = 500;
    def.project = toGround;
    vvResult result;
    vvConstraintId constraint = vvCreateConstraint(body, &def, &result);
    CHECK_OK(result);
    assert_true(vvConstraint_IsValid(constraint));
    return constraint;
}

static vvHingeId someHinge(vvSoftBodyId body)
{
    static const int vertices[4] = { 0, 1, 4, 20 };
    vvHingeDef def = vvDefaultHingeDef();
    def.vertices = vertices;
    def.count = 1;
    def.stiffness = 20;
    vvResult result;
    vvHingeId hinge = vvCreateHinge(body, &def, &result);
    CHECK_OK(result);
    assert_true(vvHinge_IsValid(hinge));
    return hinge;
}

static vvSoftBodyId bar(vvWorldId world)
{
    vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
    def.spin = (vvVec3){ 0, 0, 2 };
    return makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 0.25, 0.25 }, 6, 1, 1), def);
}

static vvWorldId worldOf(const char *method, const char *solver)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.solver = solver;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    return world;
}

static void idsAreOfTheirKind(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
    vvSoftBodyId body = bar(world), other = bar(world);
    vvHingeId hinge = someHinge(body), hinges[3];
    vvConstraintId constraint = farConstraint(body, 0, 27), constraints[3];
    vvConstraintId second = farConstraint(other, 1, 26);
    assert_int_equal(vvWorld_GetHinges(world, hinges, 3), 1);
    assert_memory_equal(hinges, &hinge, sizeof hinge);
    assert_int_equal(vvWorld_GetConstraints(world, constraints, 3), 2);
    assert_memory_equal(&constraints[0], &constraint, sizeof constraint);
    assert_memory_equal(&constraints[1], &second, sizeof second);
    vvSoftBodyId found = vvConstraint_GetBody(second);
    assert_memory_equal(&found, &other, sizeof other);
    found = vvHinge_GetBody(hinge);
    assert_memory_equal(&found, &body, sizeof body);

    // the id of one is no id of the other
    vvConstraintId wrong = vvLoadConstraintId(vvStoreHingeId(hinge));
    assert_false(vvConstraint_IsValid(wrong));
    vvDestroyConstraint(wrong);
    assert_true(vvHinge_IsValid(hinge));
    assert_false(vvHinge_IsValid(vvLoadHingeId(vvStoreConstraintId(constraint))));

    // stale ids name nothing, in the slot of another either
    vvDestroyHinge(hinge);
    vvDestroyHinge(hinge);
    assert_false(vvHinge_IsValid(hinge));
    assert_int_equal(vvHinge_GetBody(hinge).index1, 0);
    vvHingeId again = someHinge(body);
    assert_int_equal(again.index1, hinge.index1);
    vvDestroyHinge(hinge);
    assert_true(vvHinge_IsValid(again));

    // they go with their body
    vvDestroySoftBody(body);
    assert_false(vvHinge_IsValid(again));
    assert_false(vvConstraint_IsValid(constraint));
    assert_true(vvConstraint_IsValid(second));
    assert_int_equal(vvWorld_GetHinges(world, NULL, 0), 0);
    assert_int_equal(vvWorld_GetConstraints(world, constraints, 3), 1);
    CHECK_OK(vvWorld_Step(world, 0.01));
    vvDestroyWorld(world);
    assert_false(vvConstraint_IsValid(second));
    vvDestroyConstraint(second);
}

// what it holds when it goes is booked, as what it came with was
static void theLedgerStaysClosed(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
    vvSoftBodyId body = bar(world);
    vvLedger before = vvWorld_GetLedger(world);
    vvConstraintId constraint = farConstraint(body, 0, 27);
    vvLedger with = vvWorld_GetLedger(world);
    assert_true(with.elastic > before.elastic + 1);
    CHECK_NEAR(with.numerical, before.numerical, 1e-9);
    for (int step = 0; step < 10; ++step)
        CHECK_OK(vvWorld_Step(world, 0.01));
    before = vvWorld_GetLedger(world);
    vvDestroyConstraint(constraint);
    with = vvWorld_GetLedger(world);
    assert_true(with.elastic < before.elastic);
    CHECK_NEAR(with.added - before.added, with.elastic - before.elastic, 1e-9);
    CHECK_NEAR(with.numerical, before.numerical, 1e-9);
    CHECK_OK(vvWorld_Step(world, 0.01));
    vvDestroyWorld(world);
}

// the state of a world that lost some goes into one that never had them, and both go on alike; with the one that stayed
// the graph still couples what it couples, though another coupled it first
static void nothingIsLeftOfOneThatWent(void **state)
{
    (void)state;
    int pairs = 0;
    for (int m = 0; vvGetMethodName(m) != NULL; ++m)
    {
        const char *method = vvGetMethodName(m), *solver = vvGetSolverName(m % 4);
        vvWorldId lost = worldOf(method, solver), never = worldOf(method, solver);
        vvSoftBodyId body = bar(lost);
        vvConstraintId first = farConstraint(body, 0, 27);
        farConstraint(body, 27, 0);
        vvHingeId hinge = someHinge(body);
        farConstraint(bar(never), 27, 0);
        double dt = stepFor(method, 0.01, 1e-4);
        for (int step = 0; step < 2; ++step)
            CHECK_OK(vvWorld_Step(lost, dt));
        vvDestroyConstraint(first);
        vvDestroyHinge(hinge);
        size_t size = vvWorld_GetStateSize(lost);
        unsigned char bytes[60000];
        assert_true(size <= sizeof bytes);
        CHECK_OK(vvWorld_SaveState(lost, bytes, size));
        vvResult result = vvWorld_RestoreState(never, bytes, size);
        if (result.code != VV_OK)
            fail_msg("%s, %s: %s", method, solver, result.message);
        for (int step = 0; step < 3; ++step)
        {
            CHECK_OK(vvWorld_Step(lost, dt));
            CHECK_OK(vvWorld_Step(never, dt));
            if (vvWorld_GetHash(lost) != vvWorld_GetHash(never))
                fail_msg("%s, %s: step %d differs", method, solver, step);
        }
        pairs += 1;
        vvDestroyWorld(lost);
        vvDestroyWorld(never);
    }
    assert_int_equal(pairs, 33);
}

// a state saved with it is not one without it
static void statesTellThemApart(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
    vvSoftBodyId body = bar(world);
    unsigned char bytes[60000];
    size_t size = vvWorld_GetStateSize(world);
    CHECK_OK(vvWorld_SaveState(world, bytes, size));
    vvHingeId hinge = someHinge(body);
    assert_int_equal(vvWorld_RestoreState(world, bytes, size).code, VV_BAD_INPUT);
    vvDestroyHinge(hinge);
    CHECK_OK(vvWorld_RestoreState(world, bytes, size));
    CHECK_OK(vvWorld_Step(world, 0.01));
    vvDestroyWorld(world);
}

static void itWakesWhatItHeld(void **state)
{
    (void)state;
    vvWorldDef def = vvDefaultWorldDef();
    def.sleepEnergy = 1;
    def.sleepTime = 0.02;
    vvWorldId world = vvCreateWorld(&def, NULL);
    vvSoftBodyDef bodyDef = elasticDef(1000, 1e5, 0.3);
    bodyDef.damping.mass = 20;
    vvSoftBodyId body = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 0.25, 0.25 }, 6, 1, 1), bodyDef);
    vvConstraintDef hang = vvDefaultConstraintDef();
    int vertices[2] = { 0, 27 };
    hang.vertices = vertices;
    hang.count = 1;
    hang.corners = 2;
    hang.weight = 1e5;
    hang.project = toGround;
    vvConstraintId constraint = vvCreateConstraint(body, &hang, NULL);
    for (int step = 0; step < 200 && vvSoftBody_IsAwake(body); ++step)
        CHECK_OK(vvWorld_Step(world, 0.01));
    assert_false(vvSoftBody_IsAwake(body));
    vvDestroyConstraint(constraint);
    assert_true(vvSoftBody_IsAwake(body));
    double height = vvSoftBody_GetCentreOfMass(body).y;
    for (int step = 0; step < 10; ++step)
        CHECK_OK(vvWorld_Step(world, 0.01));
    assert_true(vvSoftBody_GetCentreOfMass(body).y < height - 1e-3);
    vvDestroyWorld(world);
}

// destroyed and made again without end: room and ids are used again
static void thereIsAlwaysRoomForThoseThatWent(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
    vvSoftBodyId body = bar(world);
    size_t memory = 0;
    for (int k = 0; k < 60; ++k)
    {
        vvConstraintId constraint = farConstraint(body, 0, 20 + k % 5);
        vvHingeId hinge = someHinge(body);
        CHECK_OK(vvWorld_Step(world, 0.001));
        vvDestroyConstraint(constraint);
        vvDestroyHinge(hinge);
        CHECK_OK(vvWorld_Step(world, 0.001));
        if (k == 10)
            memory = vvWorld_GetStatistics(world).memoryBytes;
    }
    assert_true(vvWorld_GetStatistics(world).memoryBytes == memory);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idsAreOfTheirKind),          cmocka_unit_test(theLedgerStaysClosed),
        cmocka_unit_test(nothingIsLeftOfOneThatWent), cmocka_unit_test(statesTellThemApart),
        cmocka_unit_test(itWakesWhatItHeld),          cmocka_unit_test(thereIsAlwaysRoomForThoseThatWent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
