// Small steps on whole bodies: the cloth and the cantilever of Macklin 2019, sections 6.2 and 6.3, on scenes of our
// own, and the same bits for any number of workers.
#include "world/meeting.h"
#include "undamped.h"

static vvWorldId smallWorld(int substeps, int iterations, int threads, const char *set)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "small-steps";
    def.solver = "local-global";
    def.substeps = substeps;
    def.iterations = iterations;
    def.threads = threads;
    def.instructionSet = set;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    return world;
}

// ---- cloth: 1 m, 1 kg, 33 x 33, springs and both diagonals of 1e7 N/m, two corners held -----------------------------

static vvSoftBodyId makeCloth(vvWorldId world, int cells, double stiffness)
{
    vvSoftBodyDef def = undampedDef();
    def.material.density = 1000;
    def.material.thickness = 0.001;
    def.springStiffness[VV_EDGE_STRUCTURAL] = def.springStiffness[VV_EDGE_SHEAR] = stiffness;
    def.springStiffness[VV_EDGE_SKIP] = 0;
    vvSoftBodyId cloth = makeBody(world, vvCreateSheetMesh(1, 1, cells, cells), def);
    for (int i = 0; i < 2; ++i)
    {
        int corner = vvSoftBody_FindNearestVertex(cloth, (vvVec3){ i - 0.5, 0, -0.5 });
        CHECK_OK(vvSoftBody_Pin(cloth, &corner, 1));
    }
    return cloth;
}

static double largestStrain(vvSoftBodyId cloth)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(cloth);
    const double *x = vvSoftBody_GetPositions(cloth), *rest = vvMesh_GetPoints(mesh);
    const int *edge = vvMesh_GetEdges(mesh), *kind = vvMesh_GetEdgeKinds(mesh);
    double most = 0;
    for (int e = 0; e < vvMesh_GetEdgeCount(mesh); ++e)
    {
        double now = 0, then = 0;
        for (int a = 0; a < 3; ++a)
        {
            now += pow(x[3 * edge[2 * e] + a] - x[3 * edge[2 * e + 1] + a], 2);
            then += pow(rest[3 * edge[2 * e] + a] - rest[3 * edge[2 * e + 1] + a], 2);
        }
        if (kind[e] == VV_EDGE_STRUCTURAL)
            most = fmax(most, fabs(sqrt(now / then) - 1));
    }
    return most;
}

typedef struct Drop
{
    double strain, second, most; // 1; J of motion and weight after a second, and at most
} Drop;

static Drop dropCloth(int substeps, int iterations, double stiffness)
{
    vvWorldId world = smallWorld(substeps, iterations, 1, NULL);
    vvSoftBodyId cloth = makeCloth(world, 32, stiffness);
    CHECK_CLOSE(vvSoftBody_GetMass(cloth), 1, 1e-9);
    Drop drop = { 0, 0, -1 };
    for (int n = 0; n < 120; ++n)
    {
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        vvLedger ledger = vvWorld_GetLedger(world);
        drop.strain = fmax(drop.strain, largestStrain(cloth));
        drop.most = fmax(drop.most, ledger.kinetic + ledger.gravity);
        drop.second = n == 59 ? ledger.kinetic + ledger.gravity : drop.second;
    }
    vvDestroyWorld(world);
    print_message("cloth, %d x %d: strain %.4f, energy after 1 s %.3f J, at most %.2e J\n", substeps, iterations,
                  drop.strain, drop.second, drop.most);
    return drop;
}

// forty substeps stretch a tenth as much as forty iterations and lose a tenth of the energy; colours feed none into it
static void substepsBeatIterationsOnCloth(void **unused)
{
    (void)unused;
    Drop iterations = dropCloth(1, 40, 1e7), substeps = dropCloth(40, 1, 1e7);
    CHECK_BELOW(substeps.strain / iterations.strain, 0.12);
    assert_true(substeps.second > -0.25 && iterations.second < -2);
    CHECK_BELOW(substeps.most, 1e-3);
    // more substeps, less of both
    Drop more = dropCloth(100, 1, 1e7);
    CHECK_BELOW(more.strain, 0.5 * substeps.strain);
    assert_true(more.second > -0.11);
    CHECK_BELOW(more.most, 1e-3);
}

// explicit substeps of the same number bear 1000 N/m, and fall apart within a frame at the 1e7 above
static void explicitStepsHaveTheirLimit(void **unused)
{
    (void)unused;
    for (int i = 0; i < 2; ++i)
    {
        vvWorldId world = makeWorld("symplectic-euler", (vvVec3){ 0, -9.81, 0 });
        makeCloth(world, 32, i == 0 ? 1000 : 1e7);
        double most = 0;
        for (int n = 0; n < (i == 0 ? 1200 : 40) && most < 1; ++n)
        {
            vvResult result = vvWorld_Step(world, 1.0 / 2400);
            vvLedger ledger = vvWorld_GetLedger(world);
            most = result.code == VV_OK ? fmax(most, ledger.kinetic + ledger.gravity) : 1;
        }
        assert_true((most >= 1) == (i == 1));
        vvDestroyWorld(world);
    }
}

// ---- cantilever: 4 x 0.8 x 0.8 m, 1e7 Pa, 0.45, 1000 kg/m^3, held at one end ----------------------------------------

static double tipOf(const char *model, int cells, int substeps, int iterations, int frames, double damping,
                    double *most)
{
    vvWorldId world = smallWorld(substeps, iterations, 1, NULL);
    vvSoftBodyDef def = elasticDef(1000, 1e7, 0.45);
    def.damping.mass = damping;
    def.model = model;
    vvSoftBodyId beam = makeBody(world, vvCreateBoxMesh((vvVec3){ 4, 0.8, 0.8 }, 5 * cells, cells, cells), def);
    int held[100], tip[100];
    int count = vvSoftBody_FindVertices(beam, planeBox(0, -2, 1e-6), held, 100);
    CHECK_OK(vvSoftBody_Pin(beam, held, count));
    vvSoftBody_FindVertices(beam, planeBox(0, 2, 1e-6), tip, 100);
    *most = 0;
    for (int n = 0; n < frames; ++n)
    {
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        *most = fmin(*most, meanCoordinate(beam, tip, count, 1));
    }
    double way = meanCoordinate(beam, tip, count, 1);
    vvLedger ledger = vvWorld_GetLedger(world);
    print_message("beam, %s, %d cells, %d x %d: tip %.4f m, lowest %.4f m, numerical %.3g J of %.4g J\n", model, cells,
                  substeps, iterations, way, *most, ledger.numerical, ledger.dissipated);
    vvDestroyWorld(world);
    return way;
}

// References: a direct solve of the same mesh for linear elasticity, Newton's method for neo-Hookean. The damping is
// critical for the first mode, so that nothing swings after 3 s.
static void beamsBendAsTheyShould(void **unused)
{
    (void)unused;
    double most;
    CHECK_CLOSE(tipOf("linear", 4, 60, 1, 180, 10, &most), -0.498079, 0.03);
    CHECK_CLOSE(tipOf("corotated", 4, 60, 1, 180, 10, &most), -0.498079, 0.02);
    CHECK_CLOSE(tipOf("stable-neo-hookean", 4, 60, 1, 180, 10, &most), -0.492913, 0.01);
    // as many iterations instead of substeps: softer by a quarter and more
    assert_true(tipOf("corotated", 4, 1, 60, 180, 10, &most) < 1.25 * -0.498079);
    // without damping the first swing goes twice as deep as the rest
    tipOf("corotated", 4, 60, 1, 45, 0, &most);
    CHECK_CLOSE(most, 2 * -0.498079, 0.03);
}

// A bar hangs from its top and carries its weight: the stress along it at a cut is the weight below over the area, and
// the tensions of a rope likewise.
static void elementsSayWhatTheyHold(void **unused)
{
    (void)unused;
    vvWorldId world = smallWorld(100, 1, 1, NULL);
    vvSoftBodyDef def = elasticDef(1000, 1e6, 0);
    def.damping.mass = 20;
    vvSoftBodyId bar = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.2, 1, 0.2 }, 2, 10, 2), def);
    int top[9];
    assert_int_equal(vvSoftBody_FindVertices(bar, planeBox(1, 0.5, 1e-6), top, 9), 9);
    CHECK_OK(vvSoftBody_Pin(bar, top, 9));
    vvSoftBodyDef ropeDef = undampedDef();
    ropeDef.material.thickness = 0.01;
    ropeDef.material.density = 1e4;
    ropeDef.damping.mass = 7; // about critical for its swing
    ropeDef.springStiffness[VV_EDGE_STRUCTURAL] = 1e4;
    vvSoftBodyId rope = makeBody(world, vvCreateRopeMesh(1, 10), ropeDef);
    int first = 0;
    CHECK_OK(vvSoftBody_Pin(rope, &first, 1));
    for (int n = 0; n < 300; ++n)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    double stress[6 * 200], tension[40], sum = 0, mass = vvSoftBody_GetMass(rope);
    assert_int_equal(vvMesh_GetTetCount(vvSoftBody_GetMesh(bar)), 200);
    CHECK_OK(vvSoftBody_CopyElementForces(bar, stress));
    for (int t = 0; t < 200; ++t)
        sum += stress[6 * t + 1] / 200;
    // the mean over the bar is half of that at the top, rho g L; the lumped row at the top is held, not carried
    CHECK_CLOSE(sum, 0.5 * 1000 * 9.81 * 1, 0.02);
    CHECK_OK(vvSoftBody_CopyElementForces(rope, tension));
    for (int e = 0; e < 10; ++e)
        CHECK_CLOSE(tension[e], mass * 9.81 * (10 - e - 0.5) / 10, 1e-3);
    vvDestroyWorld(world);
}

// what moving a pin and a target puts in is what it is for the converged midpoint rule
static void movingHandsDoTheSameWork(void **unused)
{
    (void)unused;
    vvLedger ledger[2];
    for (int i = 0; i < 2; ++i)
    {
        vvWorldId world = i == 0 ? makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 }) : smallWorld(200, 1, 1, NULL);
        CHECK_OK(vvWorld_SetGravity(world, (vvVec3){ 0, 0, 0 }));
        vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
        def.damping.mass = 2;
        vvSoftBodyId bar = makeBody(world, vvCreateBarMesh(0.4, 0.2, 2, 1), def);
        int held[4];
        assert_int_equal(vvSoftBody_FindVertices(bar, planeBox(0, -0.2, 1e-6), held, 4), 4);
        CHECK_OK(vvSoftBody_Pin(bar, held, 4));
        vvVec3 point = vertexPosition(bar, 11);
        vvAttachmentId spring = attachToPoint(world, bar, 11, 1e3);
        for (int n = 0; n < 50; ++n)
        {
            CHECK_OK(vvAttachment_MoveTarget(spring, (vvVec3){ point.x, point.y + 0.004 * (n + 1), point.z }));
            for (int k = 0; k < 4; ++k)
            {
                vvVec3 pin = vertexPosition(bar, held[k]);
                CHECK_OK(vvSoftBody_MovePin(bar, held[k], (vvVec3){ pin.x - 0.0005, pin.y, pin.z }));
            }
            CHECK_OK(vvWorld_Step(world, 0.01));
        }
        ledger[i] = vvWorld_GetLedger(world);
        print_message("added %.5f J, dissipated %.5f J, numerical %.2e J\n", ledger[i].added, ledger[i].dissipated,
                      ledger[i].numerical);
        vvDestroyWorld(world);
    }
    CHECK_CLOSE(ledger[1].added, ledger[0].added, 0.02);
    CHECK_CLOSE(ledger[1].dissipated, ledger[0].dissipated, 0.02);
    CHECK_NEAR(ledger[1].numerical, 0, 0.02 * ledger[0].added);
}

// ---- bits -----------------------------------------------------------------------------------------------------------

static uint64_t runMixed(int threads, const char *set)
{
    vvWorldDef def = meetingDef("small-steps", "local-global", 0);
    def.substeps = 10;
    def.threads = threads;
    def.instructionSet = set;
    vvWorldId world = makeMeeting(&def);
    makeCloth(world, 40, 1e4);
    vvSoftBodyDef bar = elasticDef(1000, 1e6, 0.4);
    bar.position = (vvVec3){ 0, 0.3, 0 };
    makeBody(world, vvCreateBoxMesh((vvVec3){ 0.6, 0.1, 0.1 }, 60, 3, 3), bar);
    bar.model = "stable-neo-hookean";
    bar.position = (vvVec3){ 0, 0.5, 0 };
    makeBody(world, vvCreateBoxMesh((vvVec3){ 0.6, 0.1, 0.1 }, 60, 3, 3), bar);
    for (int n = 0; n < 8; ++n)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    uint64_t hash = vvWorld_GetHash(world);
    vvDestroyWorld(world);
    return hash;
}

static void bitsDoNotDependOnWorkersOrVectors(void **unused)
{
    (void)unused;
    static const int threads[] = { 2, 3, 4, 7 };
    uint64_t want = runMixed(1, NULL);
    for (int i = 0; i < 4; ++i)
        assert_true(runMixed(threads[i], NULL) == want);
    for (int i = 0; vvGetInstructionSetName(i) != NULL; ++i)
        assert_true(runMixed(1, vvGetInstructionSetName(i)) == want);
}

// ---- bodies that meet -----------------------------------------------------------------------------------------------

// two cubes meet at 5 m/s: they do not pass, momentum stays, and no energy comes from anywhere
static void cubesMeet(void **unused)
{
    (void)unused;
    vvWorldDef def = meetingDef("small-steps", "local-global", 0);
    def.gravity = (vvVec3){ 0, 0, 0 };
    vvWorldId world = makeMeeting(&def);
    vvVec3 none = { 0, 0, 0 };
    vvSoftBodyId cube[2] = { addCube(world, 1, 3, 2e5, none, none),
                             addCube(world, 1, 3, 2e5, (vvVec3){ -1.3, 0.23, 0.11 }, (vvVec3){ 5, 0, 0 }) };
    vvLedger before = vvWorld_GetLedger(world);
    for (int n = 0; n < 30; ++n)
    {
        stepMany(world, 1);
        CHECK_BELOW(deepest(cube, 2), 0.2 / 3);
    }
    vvLedger after = vvWorld_GetLedger(world);
    CHECK_NEAR(after.momentum.x, before.momentum.x, 1e-9 * before.momentum.x);
    CHECK_NEAR(after.momentum.y, 0, 1e-9 * before.momentum.x);
    assert_true(centreOf(cube[1]).x < centreOf(cube[0]).x - 0.9);
    CHECK_BELOW(after.total, before.total);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(substepsBeatIterationsOnCloth),
        cmocka_unit_test(explicitStepsHaveTheirLimit),
        cmocka_unit_test(beamsBendAsTheyShould),
        cmocka_unit_test(bitsDoNotDependOnWorkersOrVectors),
        cmocka_unit_test(cubesMeet),
        cmocka_unit_test(elementsSayWhatTheyHold),
        cmocka_unit_test(movingHandsDoTheSameWork),
    };
    return cmocka_run_group_tests_name("small steps", tests, NULL, NULL);
}
