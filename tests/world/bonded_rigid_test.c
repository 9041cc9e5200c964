// Soft bodies attached to rigid ones: momenta of free pairs, the frequency on a spring, an arm that carries a pad,
// light and heavy partners, breaking, threads, saved states.
#include "base/vec.h"
#include "world/scenes.h"

#include <math.h>
#include <stdlib.h>

static vvRigidBodyId makeRigid(vvWorldId world, vvVec3 size, vvVec3 position, double mass)
{
    vvShapeDef shape = vvDefaultShapeDef();
    shape.kind = VV_SHAPE_BOX;
    shape.size = size;
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    vvResult result;
    def.shape = vvCreateShape(&shape, &result);
    CHECK_OK(result);
    def.position = position;
    def.mass = mass;
    vvRigidBodyId body = vvCreateRigidBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyShape(def.shape);
    return body;
}

static vvSoftBodyId makeBlock(vvWorldId world, vvVec3 size, vvVec3 position, double young, double damping)
{
    vvSoftBodyDef def = elasticDef(1000, young, 0.3);
    def.position = position;
    def.damping.stiffness = damping;
    def.category = 0; // meets nothing
    return makeBody(world, vvCreateBoxMesh(size, 2, 2, 2), def);
}

static int bond(vvWorldId world, vvSoftBodyId soft, vvRigidBodyId rigid, double distance, double breakForce)
{
    vvBondDef def = vvDefaultBondDef();
    def.bodyA = soft;
    def.rigidB = rigid;
    def.distance = distance;
    def.breakForce = breakForce;
    vvResult result;
    int count = vvCreateBonds(world, &def, NULL, 0, &result);
    CHECK_OK(result);
    return count;
}

static void run(vvWorldId world, int steps, double h)
{
    for (int i = 0; i < steps; ++i)
        CHECK_OK(vvWorld_Step(world, h));
}

// a block that flies and turns, bonded to a rigid box of some mass at rest
static vvWorldId makePair(const char *method, double mass)
{
    vvWorldId world = makeWorld(method, (vvVec3){ 0, 0, 0 });
    vvSoftBodyDef def = elasticDef(1000, 5e4, 0.3);
    def.position = (vvVec3){ -0.16, 0, 0 };
    def.velocity = (vvVec3){ 0.5, 0.3, 0 };
    def.spin = (vvVec3){ 1, 2, 3 };
    def.category = 0; // meets nothing
    vvSoftBodyId soft = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.3, 0.2, 0.2 }, 2, 2, 2), def);
    assert_int_equal(
        bond(world, soft, makeRigid(world, (vvVec3){ 0.3, 0.2, 0.1 }, (vvVec3){ 0.16, 0, 0 }, mass), 0.021, INFINITY),
        3);
    return world;
}

// 12 kg of soft matter on 0.12, 8 and 1200 kg
static void freePairsKeepMomentaAndEnergy(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "small-midpoint", "implicit-midpoint", "small-steps" };
    static const double masses[] = { 0.12, 8, 1200 };
    for (int i = 0; i < 9; ++i)
    {
        vvWorldId world = makePair(methods[i / 3], masses[i % 3]);
        vvLedger before = vvWorld_GetLedger(world);
        assert_int_equal(vvWorld_GetBodies(world, NULL, 0), 1);
        assert_int_equal(vvWorld_GetStatistics(world).bodyCount, 1);
        run(world, 40, 1.0 / 120);
        vvLedger after = vvWorld_GetLedger(world);
        CHECK_NEAR(after.momentum.x, before.momentum.x, 2e-8 * before.momentum.x);
        CHECK_NEAR(after.momentum.y, before.momentum.y, 2e-8 * before.momentum.x);
        if (i < 3) // others stop at a tolerance, or have it to first order
        {
            CHECK_NEAR(after.angularMomentum.x, before.angularMomentum.x, 1e-9);
            CHECK_NEAR(after.angularMomentum.y, before.angularMomentum.y, 1e-9);
            CHECK_NEAR(after.angularMomentum.z, before.angularMomentum.z, 1e-9);
        }
        if (i < 6)
            CHECK_NEAR(after.total, before.total, 0.06 * before.total);
        assert_true(after.total < 1.06 * before.total);
        vvDestroyWorld(world);
    }
}

// 1 kg of soft matter bonded under a rigid mass on a spring: the frequency of both together
static void blockUnderAMassOnASpring(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "small-midpoint", "implicit-midpoint", "small-steps" };
    for (int i = 0; i < 6; ++i)
    {
        double rigid = i % 2 == 0 ? 2 : 0.5, k = 100, pi = 3.14159265358979;
        vvWorldId world = makeWorld(methods[i / 2], (vvVec3){ 0, -9.81, 0 });
        vvRigidBodyId mass = makeRigid(world, (vvVec3){ 0.1, 0.1, 0.1 }, (vvVec3){ 0, 0, 0 }, rigid);
        vvSoftBodyId soft = makeBlock(world, (vvVec3){ 0.1, 0.1, 0.1 }, (vvVec3){ 0, -0.101, 0 }, 1e6, 0);
        vvJointDef def = vvDefaultJointDef();
        def.kind = VV_JOINT_DISTANCE;
        def.bodyB = mass;
        def.frameA.position = (vvVec3){ 0, 1, 0 };
        def.lower = def.upper = 1 - (rigid + 1) * 9.81 / k + 0.03;
        def.compliance = 1 / k;
        vvResult result;
        vvCreateJoint(world, &def, &result);
        CHECK_OK(result);
        bond(world, soft, mass, 0.002, INFINITY);
        double expected = 2 * pi * sqrt((rigid + 1) / k), h = 1.0 / 60, before = 1, first = -1, last = -1;
        int count = 0;
        for (double t = h; t < 2.4 * expected; t += h)
        {
            run(world, 1, h);
            double now = vvRigidBody_GetPose(mass).position.y + 0.03;
            if (before < 0 && now >= 0)
            {
                last = t - h * now / (now - before);
                first = count++ == 0 ? last : first;
            }
            before = now;
        }
        CHECK_NEAR((last - first) / (count - 1), expected, 0.02 * expected);
        CHECK_NEAR(vvSoftBody_GetCentreOfMass(soft).y - vvRigidBody_GetPose(mass).position.y, -0.101, 2e-3);
        vvDestroyWorld(world);
    }
}

// an arm on a motor lifts a pad: it gets where it should, and the pad stays where it is bonded
static vvWorldId makeArm(vvSoftBodyId *pad, vvJointId *hinge, int threads)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.threads = threads;
    vvResult result;
    vvWorldId world = vvCreateWorld(&worldDef, &result);
    CHECK_OK(result);
    vvRigidBodyId arm = makeRigid(world, (vvVec3){ 0.8, 0.1, 0.1 }, (vvVec3){ 0.4, 0, 0 }, 5);
    vvJointDef def = vvDefaultJointDef();
    def.kind = VV_JOINT_HINGE;
    def.bodyB = arm;
    def.motor = VV_MOTOR_POSITION;
    def.motorTarget = 0.7;
    def.motorLimit = 200;
    CHECK_OK(vvJointDef_Place(&def, (vvVec3){ 0, 0, 0 }, (vvVec3){ 0, 0, 1 }));
    *hinge = vvCreateJoint(world, &def, &result);
    CHECK_OK(result);
    *pad = makeBlock(world, (vvVec3){ 0.1, 0.1, 0.1 }, (vvVec3){ 0.851, 0, 0 }, 1e5, 0.01);
    assert_int_equal(bond(world, *pad, arm, 0.002, INFINITY), 9);
    return world;
}

static void armCarriesAPad(void **unused)
{
    (void)unused;
    vvSoftBodyId pad;
    vvJointId hinge;
    vvWorldId world = makeArm(&pad, &hinge, 1);
    run(world, 150, 1.0 / 60);
    double angle = vvJoint_GetMeasure(hinge, 3), up = 0;
    CHECK_NEAR(angle, 0.7, 1e-3);
    vvVec3 centre = vvSoftBody_GetCentreOfMass(pad);
    CHECK_NEAR(centre.x, 0.851 * cos(angle), 3e-3);
    CHECK_NEAR(centre.y, 0.851 * sin(angle), 3e-3);
    vvAttachmentId bonds[16];
    int count = vvWorld_GetAttachments(world, bonds, 16);
    for (int i = 0; i < count; ++i)
        up += vvAttachment_GetForce(bonds[i]).y;
    CHECK_NEAR(up, 9.81, 2);
    vvDestroyWorld(world);
}

// a block on a rigid body that is held fast swings without gaining energy, however light the body is
static void fixedBodiesGainNothing(void **unused)
{
    (void)unused;
    for (int i = 0; i < 2; ++i)
    {
        vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, -9.81, 0 });
        vvRigidBodyId base = makeRigid(world, (vvVec3){ 0.2, 0.1, 0.1 }, (vvVec3){ 0, 0, 0 }, i == 0 ? 1 : 1.0 / 30);
        vvSoftBodyId soft = makeBlock(world, (vvVec3){ 0.1, 0.1, 0.1 }, (vvVec3){ 0.151, 0, 0 }, 1e4, 0);
        vvJointDef def = vvDefaultJointDef();
        def.kind = VV_JOINT_FIXED;
        def.bodyB = base;
        CHECK_OK(vvJointDef_Place(&def, (vvVec3){ -0.1, 0, 0 }, (vvVec3){ 1, 0, 0 }));
        vvResult result;
        vvCreateJoint(world, &def, &result);
        CHECK_OK(result);
        bond(world, soft, base, 0.002, INFINITY);
        double before = vvWorld_GetLedger(world).total;
        for (int k = 0; k < 120; ++k)
        {
            run(world, 1, 1.0 / 60);
            assert_true(vvWorld_GetLedger(world).total - before < 0.02 * 0.25); // of the 0.25 J that it swings with
        }
        vvDestroyWorld(world);
    }
}

// A block beside a rigid body on a slider, kicked along it and across: momentum along the slider stays, which the world
// does not push along, and no energy comes. The slider carries the weight of both.
static void slidersLetBothSlide(void **unused)
{
    (void)unused;
    static const double masses[] = { 0.1, 1, 10 }, youngs[] = { 1e6, 3e5, 1e5 };
    for (int i = 0; i < 3; ++i)
    {
        vvVec3 gravity = { 0, i == 0 ? 0 : -9.81, 0 }, axis = { i == 2, i == 0, i == 1 };
        vvWorldId world = makeWorld("small-midpoint", gravity);
        vvRigidBodyId base = makeRigid(world, (vvVec3){ 0.1, 0.1, 0.1 }, (vvVec3){ 0, 0, 0 }, masses[i]);
        vvSoftBodyId soft = makeBlock(world, (vvVec3){ 0.1, 0.1, 0.1 }, (vvVec3){ 0.101, 0, 0 }, youngs[i], 0);
        vvJointDef def = vvDefaultJointDef();
        def.kind = VV_JOINT_SLIDER;
        def.bodyB = base;
        CHECK_OK(vvJointDef_Place(&def, (vvVec3){ 0, 0, 0 }, axis));
        vvResult result;
        vvJointId slider = vvCreateJoint(world, &def, &result);
        CHECK_OK(result);
        bond(world, soft, base, 0.002, INFINITY);
        double velocities[81] = { 0 };
        for (int k = 0; k < 81; k += 3)
            vecStore(velocities + k, vecAdd(vecScale(0.2, axis), (vvVec3){ 0.05, 0, 0 }));
        CHECK_OK(vvSoftBody_SetVelocities(soft, velocities));
        vvLedger before = vvWorld_GetLedger(world);
        double up = 0;
        for (int k = 0; k < 90; ++k)
        {
            run(world, 1, 1.0 / 60);
            vvLedger now = vvWorld_GetLedger(world);
            assert_true(now.total - before.total < 0.1 * 0.02); // of the kick
            CHECK_NEAR(vecDot(now.momentum, axis), vecDot(before.momentum, axis), 1e-5);
            up += k < 30 ? 0 : vvJoint_GetForce(slider).y / 60;
        }
        CHECK_NEAR(up, i == 0 ? 0 : 9.81 * (masses[i] + 1), 0.1 * 9.81 * (masses[i] + 1) + 0.1);
        assert_true(vecDot(vvRigidBody_GetPose(base).position, axis) > 0.8 * 1.5 * 0.2 / (1 + masses[i]));
        vvDestroyWorld(world);
    }
}

// A block that hangs on a rigid body on a hinge or a ball joint, ten times as heavy to a hundredth of it, is a pendulum
// of both: its period, and no energy that was not there. Joints are made before the bonds, or after them; without
// them both fall.
static void jointsLetBothSwing(void **unused)
{
    (void)unused;
    static const double masses[] = { 10, 1, 0.1, 0.01 }, youngs[] = { 3e5, 1e6, 1e5, 4e5 };
    for (int i = 0; i < 4; ++i)
    {
        double mass = masses[i], g = 9.81, h = 1.0 / 60, pi = 3.14159265358979;
        vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, -g, 0 });
        vvRigidBodyId base = makeRigid(world, (vvVec3){ 0.1, 0.1, 0.1 }, (vvVec3){ 0, 0, 0 }, mass);
        vvSoftBodyId soft = makeBlock(world, (vvVec3){ 0.1, 0.1, 0.1 }, (vvVec3){ 0, -0.101, 0 }, youngs[i], 0);
        vvJointDef def = vvDefaultJointDef();
        def.kind = i % 2 == 0 ? VV_JOINT_HINGE : VV_JOINT_BALL;
        def.bodyB = base;
        CHECK_OK(vvJointDef_Place(&def, (vvVec3){ 0, 0.05, 0 }, (vvVec3){ 0, 0, 1 }));
        vvResult result = { 0 };
        if (i > 1)
            bond(world, soft, base, 0.002, INFINITY);
        vvJointId joint = vvCreateJoint(world, &def, &result);
        CHECK_OK(result);
        if (i < 2)
            bond(world, soft, base, 0.002, INFINITY);
        double velocities[81] = { 0 };
        for (int k = 0; k < 81; k += 3)
            velocities[k] = 0.2;
        CHECK_OK(vvSoftBody_SetVelocities(soft, velocities));
        double before = vvWorld_GetLedger(world).total, last = 0, first = 0, end = 0;
        int crossings = 0;
        for (int k = 1; k <= 120; ++k)
        {
            run(world, 1, h);
            assert_true(vvWorld_GetLedger(world).total - before < 0.03 * 0.5 * 0.2 * 0.2);
            double x = vvSoftBody_GetCentreOfMass(soft).x;
            if (last * x < 0)
            {
                end = h * (k - x / (x - last));
                first = crossings++ == 0 ? end : first;
            }
            last = x;
        }
        double inertia = mass * (0.01 / 6 + 0.05 * 0.05) + 0.01 / 6 + 0.151 * 0.151, weight = g * (mass * 0.05 + 0.151);
        // the masses of 2 x 2 x 2 cells stand at their vertices: at steps of 1/240 s it swings 1.9 % slower
        CHECK_NEAR(2 * (end - first) / (crossings - 1), 2 * pi * sqrt(inertia / weight),
                   0.025 * sqrt(inertia / weight) * 6.28);
        vvDestroyJoint(joint); // they fall
        double falls = vvWorld_GetLedger(world).momentum.y;
        run(world, 6, h);
        CHECK_NEAR(vvWorld_GetLedger(world).momentum.y - falls, -g * (mass + 1) * 6 * h, 1e-3 * (mass + 1));
        vvDestroyWorld(world);
    }
}

// ---- what else a state has ------------------------------------------------------------------------------------------

static void sameBitsOnAnyThreads(void **unused)
{
    (void)unused;
    static const int threads[] = { 1, 2, 3, 7 };
    uint64_t hash[4];
    for (int i = 0; i < 4; ++i)
    {
        vvSoftBodyId pad;
        vvJointId hinge;
        vvWorldId world = makeArm(&pad, &hinge, threads[i]);
        run(world, 20, 1.0 / 60);
        hash[i] = vvWorld_GetHash(world);
        assert_true(hash[i] == hash[0]);
        vvDestroyWorld(world);
    }
}

// in the same world, and in one built anew
static void savedStatesGoOn(void **unused)
{
    (void)unused;
    vvSoftBodyId pad;
    vvJointId hinge;
    vvWorldId world = makeArm(&pad, &hinge, 1), other = makeArm(&pad, &hinge, 1);
    run(world, 10, 1.0 / 100);
    size_t size = vvWorld_GetStateSize(world);
    void *state = test_malloc(size);
    CHECK_OK(vvWorld_SaveState(world, state, size));
    run(world, 10, 1.0 / 100);
    uint64_t hash = vvWorld_GetHash(world);
    CHECK_OK(vvWorld_RestoreState(other, state, size));
    run(other, 10, 1.0 / 100);
    assert_true(vvWorld_GetHash(other) == hash);
    CHECK_OK(vvWorld_RestoreState(world, state, size));
    run(world, 10, 1.0 / 100);
    assert_true(vvWorld_GetHash(world) == hash);
    test_free(state);
    vvDestroyWorld(world);
    vvDestroyWorld(other);
}

// bonds to a rigid body break, go with it, and leave nothing behind
static void bondsEnd(void **unused)
{
    (void)unused;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, -9.81, 0 });
    vvRigidBodyId rigid = makeRigid(world, (vvVec3){ 0.1, 0.1, 0.1 }, (vvVec3){ 0, 0, 0 }, 1);
    vvSoftBodyId soft = makeBlock(world, (vvVec3){ 0.1, 0.1, 0.1 }, (vvVec3){ 0, -0.101, 0 }, 1e5, 0);
    vvJointDef def = vvDefaultJointDef();
    def.kind = VV_JOINT_FIXED;
    def.bodyB = rigid;
    vvResult result;
    vvCreateJoint(world, &def, &result);
    CHECK_OK(result);
    int count = bond(world, soft, rigid, 0.002, 5); // it weighs 9.8 N
    vvAttachmentId bonds[16];
    vvAttachmentDef attachment;
    assert_int_equal(vvWorld_GetAttachments(world, bonds, 16), count);
    CHECK_OK(vvAttachment_GetDef(bonds[0], &attachment));
    assert_true(attachment.rigidB.index1 == rigid.index1 && attachment.bodyB.index1 == 0);
    CHECK_NEAR(attachment.pointB.y, -0.051, 1e-12);
    run(world, 60, 1.0 / 60);
    for (int i = 0; i < count; ++i)
        assert_true(vvAttachment_IsBroken(bonds[i]));
    assert_true(vvSoftBody_GetCentreOfMass(soft).y < -2);
    vvDestroyRigidBody(rigid);
    assert_int_equal(vvWorld_GetAttachments(world, NULL, 0), 0);
    assert_int_equal(vvWorld_GetIslandCount(world), 1);
    run(world, 2, 1.0 / 60);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(freePairsKeepMomentaAndEnergy),
        cmocka_unit_test(blockUnderAMassOnASpring),
        cmocka_unit_test(armCarriesAPad),
        cmocka_unit_test(fixedBodiesGainNothing),
        cmocka_unit_test(slidersLetBothSlide),
        cmocka_unit_test(jointsLetBothSwing),
        cmocka_unit_test(sameBitsOnAnyThreads),
        cmocka_unit_test(savedStatesGoOn),
        cmocka_unit_test(bondsEnd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
