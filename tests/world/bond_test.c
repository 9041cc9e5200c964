// Attachments between any points of two bodies, and regions of them: momenta, stiffness, forces, breaking, states.
#include "methods.h"
#include "world/scenes.h"

#include <math.h>
#include <stdlib.h>

static vvSoftBodyId makeBlock(vvWorldId world, vvVec3 size, int cells, vvVec3 position, vvVec3 velocity, double young)
{
    vvSoftBodyDef def = elasticDef(1000, young, 0.3);
    def.position = position;
    def.velocity = velocity;
    return makeBody(world, vvCreateBoxMesh(size, cells, cells, cells), def);
}

// between the points that two rays from a point in the gap hit
static vvAttachmentId tie(vvWorldId world, vvVec3 from, vvVec3 towards, double stiffness, double restLength)
{
    vvPick a = vvWorld_CastRay(world, from, towards, 1);
    vvPick b = vvWorld_CastRay(world, from, (vvVec3){ -towards.x, -towards.y, -towards.z }, 1);
    vvAttachmentDef def = vvDefaultAttachmentDef();
    def.bodyA = a.body;
    def.bodyB = b.body;
    for (int k = 0; k < 3; ++k)
    {
        def.verticesA[k] = a.vertices[k];
        def.verticesB[k] = b.vertices[k];
        def.weightsA[k] = a.weights[k];
        def.weightsB[k] = b.weights[k];
    }
    def.stiffness = stiffness;
    def.restLength = restLength;
    vvResult result;
    vvAttachmentId attachment = vvCreateAttachment(world, &def, &result);
    CHECK_OK(result);
    vvAttachmentDef again;
    CHECK_OK(vvAttachment_GetDef(attachment, &again));
    double sum = 0;
    for (int k = 0; k < VV_ATTACHMENT_VERTICES; ++k)
        sum += again.weightsA[k];
    CHECK_NEAR(sum, 1, 1e-9);
    return attachment;
}

// two blocks that fly and turn, tied at two points of their surfaces that are no vertices
static vvWorldId makePair(const char *method, const char *solver)
{
    vvWorldId world = makeWorld(method, (vvVec3){ 0, 0, 0 });
    if (solver != NULL)
        CHECK_OK(vvWorld_SetSolver(world, solver));
    makeBlock(world, (vvVec3){ 0.3, 0.2, 0.2 }, 2, (vvVec3){ -0.2, 0, 0 }, (vvVec3){ 0.5, 0.3, 0 }, 5e4);
    makeBlock(world, (vvVec3){ 0.3, 0.2, 0.2 }, 2, (vvVec3){ 0.2, 0, 0 }, (vvVec3){ 0, -0.3, 0.1 }, 5e4);
    tie(world, (vvVec3){ 0, 0.03, 0.02 }, (vvVec3){ 1, 0.02, -0.05 }, 2000, 0);
    tie(world, (vvVec3){ 0, -0.04, 0.03 }, (vvVec3){ 1, 0.02, 0.05 }, 1000, 0.1);
    return world;
}

static void checkMomentum(const char *method, const char *solver, int steps, bool angular)
{
    vvWorldId world = makePair(method, solver);
    vvLedger before = vvWorld_GetLedger(world);
    for (int i = 0; i < steps; ++i)
        CHECK_OK(vvWorld_Step(world, stepFor(method, 1.0 / 120, 2e-4)));
    vvLedger after = vvWorld_GetLedger(world);
    CHECK_NEAR(after.momentum.x, before.momentum.x, 1e-9 * 12);
    CHECK_NEAR(after.momentum.y, before.momentum.y, 1e-9 * 12);
    CHECK_NEAR(after.momentum.z, before.momentum.z, 1e-9 * 12);
    if (angular)
    {
        CHECK_NEAR(after.angularMomentum.x, before.angularMomentum.x, 1e-9);
        CHECK_NEAR(after.angularMomentum.y, before.angularMomentum.y, 1e-9);
        CHECK_NEAR(after.angularMomentum.z, before.angularMomentum.z, 1e-9);
    }
    vvDestroyWorld(world);
}

// linear by every method, angular by the midpoint rules and those of Verlet's kind, whatever the solver
static void momentaHold(void **unused)
{
    (void)unused;
    static const char *const angular[] = { "small-midpoint", "stabilized",       "implicit-midpoint",
                                           "verlet",         "symplectic-euler", NULL };
    for (int m = 0; vvGetMethodName(m) != NULL; ++m)
    {
        if (keepsMomentum(vvGetMethodName(m)))
            checkMomentum(vvGetMethodName(m), NULL, 30, isOneOf(vvGetMethodName(m), angular));
    }
    for (int s = 0; vvGetSolverName(s) != NULL; ++s)
        checkMomentum("implicit-midpoint", vvGetSolverName(s), 10, strcmp(vvGetSolverName(s), "newton") == 0);
}

// s, of the distance of two blocks along x about what it was at rest
static double periodOf(vvWorldId world, vvSoftBodyId a, vvSoftBodyId b, double rest, double h, double end)
{
    double first = -1, last = -1, before = 1;
    int count = 0;
    for (double t = h; t < end; t += h)
    {
        CHECK_OK(vvWorld_Step(world, h));
        double now = vvSoftBody_GetCentreOfMass(b).x - vvSoftBody_GetCentreOfMass(a).x - rest;
        if (before < 0 && now >= 0)
        {
            last = t - h * now / (now - before);
            first = count++ == 0 ? last : first;
        }
        before = now;
    }
    assert_true(count > 1);
    return (last - first) / (count - 1);
}

// N/m are N/m: two stiff blocks on one spring
static void twoBlocksSwingOnTheirSpring(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "small-midpoint", "stabilized", "small-steps", "implicit-midpoint" };
    for (int m = 0; m < 4; ++m)
    {
        vvWorldId world = makeWorld(methods[m], (vvVec3){ 0, 0, 0 });
        vvVec3 size = { 0.2, 0.2, 0.2 };
        vvSoftBodyId a = makeBlock(world, size, 3, (vvVec3){ -0.15, 0, 0 }, (vvVec3){ 0.1, 0, 0 }, 1e7);
        vvSoftBodyId b = makeBlock(world, size, 3, (vvVec3){ 0.15, 0, 0 }, (vvVec3){ -0.1, 0, 0 }, 1e7);
        tie(world, (vvVec3){ 0, 0, 0 }, (vvVec3){ 1, 0, 0 }, 2000, 0.1);
        double expected = 2 * 3.14159265358979 / sqrt(2000 / 4.0);
        CHECK_NEAR(periodOf(world, a, b, 0.3, 1.0 / 240, 2.3 * expected), expected, 0.01 * expected);
        vvDestroyWorld(world);
    }
}

// ---- regions --------------------------------------------------------------------------------------------------------

static int bond(vvWorldId world, vvSoftBodyId a, vvSoftBodyId b, double distance, double stiffness, double breakForce)
{
    vvBondDef def = vvDefaultBondDef();
    def.bodyA = a;
    def.bodyB = b;
    def.distance = distance;
    def.stiffness = stiffness;
    def.breakForce = breakForce;
    vvResult result;
    int count = vvCreateBonds(world, &def, NULL, 0, &result);
    CHECK_OK(result);
    return count;
}

// A region has the stiffness of its definition, whatever the meshes are: fine blocks and coarse ones whose vertices do
// not meet. The modes in which blocks deform are far above.
static void regionsAreAsStiffAsTheySay(void **unused)
{
    (void)unused;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
    vvVec3 size = { 0.2, 0.2, 0.2 };
    vvSoftBodyId a = makeBlock(world, size, 3, (vvVec3){ -0.105, 0, 0 }, (vvVec3){ 0.1, 0, 0 }, 1e7);
    vvSoftBodyId b = makeBlock(world, size, 2, (vvVec3){ 0.105, 0, 0 }, (vvVec3){ -0.1, 0, 0 }, 1e7);
    assert_int_equal(bond(world, a, b, 0.011, 2000, INFINITY), 16);
    CHECK_NEAR(vvWorld_GetLedger(world).elastic, 0, 1e-20);
    double expected = 2 * 3.14159265358979 / sqrt(2000 / 4.0);
    CHECK_NEAR(periodOf(world, a, b, 0.21, 1.0 / 240, 2.3 * expected), expected, 0.01 * expected);
    vvDestroyWorld(world);
}

// a block hangs from one that is pinned, glued to its side: it does not slip
static void bondsHoldSideways(void **unused)
{
    (void)unused;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, -9.81, 0 });
    vvVec3 size = { 0.2, 0.2, 0.2 };
    vvSoftBodyId a = makeBlock(world, size, 2, (vvVec3){ -0.105, 0, 0 }, (vvVec3){ 0, 0, 0 }, 1e6);
    vvSoftBodyId b = makeBlock(world, size, 3, (vvVec3){ 0.105, 0, 0 }, (vvVec3){ 0, 0, 0 }, 1e6);
    int vertices[64], count = vvSoftBody_FindVertices(b, planeBox(0, 0.1, 1e-6), vertices, 64);
    CHECK_OK(vvSoftBody_Pin(b, vertices, count));
    bond(world, a, b, 0.011, 0, INFINITY);
    for (int i = 0; i < 90; ++i)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    assert_true(vvSoftBody_GetCentreOfMass(a).y > -0.02);
    vvDestroyWorld(world);
}

// ---- breaking and states --------------------------------------------------------------------------------------------

// a block under a held one, which breaks off where the bonds are too weak
static vvWorldId makeHanging(double breakForce, vvSoftBodyId *below)
{
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, -9.81, 0 });
    vvVec3 size = { 0.2, 0.2, 0.2 };
    vvSoftBodyId above = makeBlock(world, size, 2, (vvVec3){ 0, 0.21, 0 }, (vvVec3){ 0, 0, 0 }, 1e6);
    *below = makeBlock(world, size, 2, (vvVec3){ 0, 0, 0 }, (vvVec3){ 0, 0, 0 }, 1e6);
    int vertices[64], count = vvSoftBody_FindVertices(above, planeBox(1, 0.1, 1e-6), vertices, 64);
    CHECK_OK(vvSoftBody_Pin(above, vertices, count));
    bond(world, *below, above, 0.011, 0, breakForce);
    return world;
}

static void bondsBreakAboveTheirForce(void **unused)
{
    (void)unused;
    for (int strong = 0; strong < 2; ++strong)
    {
        vvSoftBodyId below;
        vvWorldId world = makeHanging(strong ? 2000 : 60, &below); // it weighs 78 N
        vvAttachmentId bonds[64];
        double impulse = 0, h = 1.0 / 240;
        int count = vvWorld_GetAttachments(world, bonds, 64), broken = 0, told = 0;
        for (int n = 0; n < 120; ++n)
        {
            vvBreakEvent events[64];
            CHECK_OK(vvWorld_Step(world, h));
            int now = vvWorld_GetBreakEvents(world, events, 64);
            for (int i = 0; i < now; ++i)
            {
                assert_true(vvAttachment_IsBroken(events[i].attachment) && !vvJoint_IsValid(events[i].joint));
                assert_true(events[i].force > 60.0 / count && events[i].torque == 0);
            }
            told += now;
            for (int i = 0; i < count; ++i)
                impulse += h * vvAttachment_GetForce(bonds[i]).y;
        }
        for (int i = 0; i < count; ++i)
            broken += vvAttachment_IsBroken(bonds[i]);
        assert_int_equal(broken, strong ? 0 : count);
        assert_int_equal(told, broken); // each of them once
        assert_int_equal(vvWorld_GetIslandCount(world), strong ? 1 : 2);
        if (strong) // m (v + g t)
            CHECK_NEAR(impulse, vvSoftBody_GetMomentum(below).y + 8 * 9.81 * 0.5, 0.02 * 8 * 9.81 * 0.5);
        else
            assert_true(vvSoftBody_GetCentreOfMass(below).y < -0.5);
        vvLedger ledger = vvWorld_GetLedger(world);
        double unresolved = vvWorld_GetStatistics(world).unresolved; // is part of it
        CHECK_NEAR(ledger.numerical, 0, 1e-3 * (1 + fabs(ledger.added)) + unresolved);
        vvDestroyWorld(world);
    }
}

static void statesKnowWhatIsBroken(void **unused)
{
    (void)unused;
    vvSoftBodyId below;
    vvWorldId world = makeHanging(60, &below);
    size_t size = vvWorld_GetStateSize(world);
    void *whole = test_malloc(size), *torn = test_malloc(size);
    CHECK_OK(vvWorld_SaveState(world, whole, size));
    uint64_t hash[2][2];
    for (int run = 0; run < 2; ++run)
    {
        CHECK_OK(vvWorld_RestoreState(world, whole, size));
        for (int i = 0; i < 10; ++i)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        hash[run][0] = vvWorld_GetHash(world);
        CHECK_OK(vvWorld_SaveState(world, torn, size));
        CHECK_OK(vvWorld_RestoreState(world, whole, size));
        assert_int_equal(vvWorld_GetIslandCount(world), 1);
        CHECK_OK(vvWorld_RestoreState(world, torn, size));
        assert_int_equal(vvWorld_GetIslandCount(world), 2);
        assert_int_equal(vvWorld_GetBreakEvents(world, NULL, 0), 0); // it broke before
        for (int i = 0; i < 10; ++i)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        hash[run][1] = vvWorld_GetHash(world);
    }
    assert_true(hash[0][0] == hash[1][0] && hash[0][1] == hash[1][1]);
    test_free(whole);
    test_free(torn);
    vvDestroyWorld(world);
}

static void mistakesAreNamed(void **unused)
{
    (void)unused;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
    vvSoftBodyId a = makeBlock(world, (vvVec3){ 1, 1, 1 }, 1, (vvVec3){ 0, 0, 0 }, (vvVec3){ 0, 0, 0 }, 1e4);
    vvSoftBodyId b = makeBlock(world, (vvVec3){ 1, 1, 1 }, 1, (vvVec3){ 2, 0, 0 }, (vvVec3){ 0, 0, 0 }, 1e4);
    vvAttachmentDef def = vvDefaultAttachmentDef();
    vvResult result;
    def.bodyA = a;
    def.bodyB = b;
    def.weightsB[1] = 0.5;
    vvCreateAttachment(world, &def, &result);
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_non_null(strstr(result.message, "0.5"));
    def.weightsB[0] = 0.5; // of the same vertex
    vvCreateAttachment(world, &def, &result);
    assert_non_null(strstr(result.message, "twice"));
    def = vvDefaultAttachmentDef();
    def.bodyA = a;
    def.weightsA[0] = 0.5;
    def.weightsA[1] = 0.5;
    def.verticesA[1] = 1;
    vvCreateAttachment(world, &def, &result);
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_non_null(strstr(result.remedy, "handle"));
    vvBondDef far = vvDefaultBondDef();
    far.bodyA = a;
    far.bodyB = b;
    assert_int_equal(vvCreateBonds(world, &far, NULL, 0, &result), 0);
    assert_non_null(strstr(result.message, "0.001 m"));
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentaHold),
        cmocka_unit_test(twoBlocksSwingOnTheirSpring),
        cmocka_unit_test(regionsAreAsStiffAsTheySay),
        cmocka_unit_test(bondsHoldSideways),
        cmocka_unit_test(bondsBreakAboveTheirForce),
        cmocka_unit_test(statesKnowWhatIsBroken),
        cmocka_unit_test(mistakesAreNamed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
