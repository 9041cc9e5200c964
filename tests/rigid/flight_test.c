// Free flight of a rigid body: what Euler's equations keep, and how long they take.
#include "check.h"
#include "rigid/rigid.h"

#define SUBSTEP (1.0 / 1200) // s: 20 in 1/60 s

static RigidBody bodyOf(Vec3 inertia, vvQuat rotation)
{
    RigidBody body = { .mass = 2, .inverseMass = 0.5, .inertia = inertia, .rotation = rotation };
    body.inverseInertia = vec3(1 / inertia.x, 1 / inertia.y, 1 / inertia.z);
    rigidRefresh(&body);
    return body;
}

static void fly(RigidBody *body, Vec3 gravity, double h)
{
    rigidPredict(body, gravity, h);
    rigidAdopt(body, gravity, h);
}

// kg m^2/s, from what a caller sees: rotation and spin
static Vec3 momentumOf(const RigidBody *body)
{
    Vec3 w = quatRotateBack(body->rotation, body->spin);
    Vec3 local = vec3(body->inertia.x * w.x, body->inertia.y * w.y, body->inertia.z * w.z);
    return quatRotate(body->rotation, local);
}

static void testKeepsMomentumAndEnergy(void **state)
{
    (void)state;
    static const double spins[] = { 30, 3, 300 }; // rad/s
    for (int i = 0; i < 3; ++i)
    {
        RigidBody body = bodyOf(vec3(0.2, 1, 1.7), vvQuat_FromDegrees((vvVec3){ 10, 20, 30 }));
        rigidSetSpin(&body, vecScale(spins[i], vec3(0.1, 0.98, 0.17)));
        Vec3 momentum = momentumOf(&body);
        double energy = rigidKinetic(&body), worst = 0, drift = 0;
        for (int step = 0; step < 100000; ++step)
        {
            fly(&body, vec3(0, 0, 0), SUBSTEP);
            drift = maxReal(drift, vecLength(vecSub(momentumOf(&body), momentum)));
            worst = maxReal(worst, fabs(rigidKinetic(&body) - energy));
        }
        CHECK_BELOW(drift, 1e-10 * vecLength(momentum));
        CHECK_BELOW(worst, 1e-10 * energy);
    }
}

// the complete elliptic integral of the first kind, of k^2, by the arithmetic-geometric mean
static double ellipticK(double square)
{
    double a = 1, b = sqrt(1 - square);
    for (int i = 0; i < 40; ++i)
    {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return PI / (2 * a);
}

// s: of the spin in the body's frame, moments of inertia ascending (Landau and Lifshitz, section 37)
static double eulerPeriod(Vec3 i, Vec3 spin)
{
    double twice = i.x * spin.x * spin.x + i.y * spin.y * spin.y + i.z * spin.z * spin.z;
    double square = i.x * i.x * spin.x * spin.x + i.y * i.y * spin.y * spin.y + i.z * i.z * spin.z * spin.z;
    if (square < twice * i.y) // about the other axis: exchange them
    {
        double swap = i.x;
        i.x = i.z;
        i.z = swap;
    }
    double rate = (i.z - i.y) * (square - twice * i.x);
    double modulus = (i.y - i.x) * (twice * i.z - square) / rate;
    return 4 * ellipticK(modulus) * sqrt(i.x * i.y * i.z / rate);
}

// s, the mean time between two changes of sign of the spin about the intermediate axis, twice
static double measuredPeriod(RigidBody *body, int flips)
{
    double before = quatRotateBack(body->rotation, body->spin).y, first = 0, last = 0;
    int count = 0;
    for (int step = 1; count <= flips; ++step)
    {
        assert_true(step < 4000000);
        fly(body, vec3(0, 0, 0), SUBSTEP);
        double now = quatRotateBack(body->rotation, body->spin).y;
        if ((now > 0) != (before > 0))
        {
            last = (step - now / (now - before)) * SUBSTEP;
            if (count++ == 0)
                first = last;
        }
        before = now;
    }
    return 2 * (last - first) / flips;
}

static void testIntermediateAxis(void **state)
{
    (void)state;
    static const Vec3 spins[] = { { 0.3, 30, 0 }, { 0, 30, 0.3 }, { 0.003, 30, 0.001 }, { 12, 20, 9 }, { 1, 5, 2 } };
    Vec3 inertia = { 0.4, 1, 1.3 };
    for (int i = 0; i < 5; ++i)
    {
        RigidBody body = bodyOf(inertia, vvQuat_FromDegrees((vvVec3){ 10, 20, 30 }));
        rigidSetSpin(&body, quatRotate(body.rotation, spins[i]));
        CHECK_CLOSE(measuredPeriod(&body, 10), eulerPeriod(inertia, spins[i]), 2e-4);
    }
}

// A steady rotation turns by exactly the spin times the time, for any axis of a ball and the axes of others.
static void testSteadyRotation(void **state)
{
    (void)state;
    RigidBody body = bodyOf(vec3(1, 2, 3), (vvQuat){ 1, 0, 0, 0 });
    rigidSetSpin(&body, vec3(0, 0, 30));
    for (int step = 0; step < 1200; ++step)
        fly(&body, vec3(0, 0, 0), SUBSTEP);
    Vec3 x = quatRotate(body.rotation, vec3(1, 0, 0));
    CHECK_NEAR(x.x, cos(30), 1e-11);
    CHECK_NEAR(x.y, sin(30), 1e-11);

    // what nothing moves turns likewise
    RigidBody kinematic = { .rotation = { 1, 0, 0, 0 }, .velocity = { 1, 2, 3 }, .spin = { 0, 7, 0 } };
    for (int step = 0; step < 1200; ++step)
        fly(&kinematic, vec3(0, -9.81, 0), SUBSTEP);
    CHECK_NEAR(quatRotate(kinematic.rotation, vec3(0, 0, 1)).x, sin(7), 1e-11);
    CHECK_NEAR(kinematic.position.z, 3, 1e-11);
    CHECK_NEAR(kinematic.velocity.y, 2, 0);
}

static void testParabola(void **state)
{
    (void)state;
    RigidBody body = bodyOf(vec3(1, 2, 3), (vvQuat){ 1, 0, 0, 0 });
    body.velocity = vec3(3, 8, 0);
    double h = 1.0 / 30;
    for (int step = 0; step < 30; ++step)
        fly(&body, vec3(0, -9.81, 0), h);
    CHECK_NEAR(body.position.x, 3, 1e-13);
    CHECK_NEAR(body.position.y, 8 - 9.81 / 2, 1e-12);
    CHECK_NEAR(body.velocity.y, 8 - 9.81, 1e-12);
}

// A spin that no substep resolves still keeps its angular momentum and stays finite.
static void testVastSpin(void **state)
{
    (void)state;
    RigidBody body = bodyOf(vec3(0.2, 1, 1.7), (vvQuat){ 1, 0, 0, 0 });
    rigidSetSpin(&body, vec3(1e5, 2e5, -3e5));
    Vec3 momentum = body.angularMomentum;
    for (int step = 0; step < 1000; ++step)
        fly(&body, vec3(0, 0, 0), SUBSTEP);
    CHECK_BELOW(vecLength(vecSub(momentumOf(&body), momentum)), 1e-10 * vecLength(momentum));
    CHECK_NEAR(body.rotation.w * body.rotation.w + body.rotation.x * body.rotation.x +
                   body.rotation.y * body.rotation.y + body.rotation.z * body.rotation.z,
               1, 1e-14);
}

// A push at a point conserves the momenta of a pair.
static void testPushes(void **state)
{
    (void)state;
    TestRandom r = { 5 };
    RigidBody a = bodyOf(vec3(0.2, 1, 1.1), vvQuat_FromDegrees((vvVec3){ 10, 20, 30 }));
    RigidBody b = bodyOf(vec3(0.5, 0.7, 0.9), vvQuat_FromDegrees((vvVec3){ -70, 20, 90 }));
    b.position = vec3(1, 0.2, 0.3);
    Vec3 sum = { 0, 0, 0 }, moment = { 0, 0, 0 };
    for (int substep = 0; substep < 100; ++substep)
    {
        rigidPredict(&a, vec3(0, 0, 0), SUBSTEP);
        rigidPredict(&b, vec3(0, 0, 0), SUBSTEP);
        Vec3 point = vec3(randomBetween(&r, -1, 1), randomBetween(&r, -1, 1), randomBetween(&r, -1, 1));
        Vec3 push = vecScale(1e-4, vec3(randomBetween(&r, -1, 1), randomBetween(&r, -1, 1), randomBetween(&r, -1, 1)));
        double before = rigidInverseMass(&a, point, vecScale(1 / vecLength(push), push));
        Vec3 local = rigidLocal(&a, point);
        rigidPushPair(&a, point, &b, point, push);
        double moved = vecDot(vecSub(rigidPoint(&a, local), point), push) / vecDot(push, push);
        CHECK_NEAR(moved, before, 1e-3 * before); // the first order of a small turn
        rigidAdopt(&a, vec3(0, 0, 0), SUBSTEP);
        rigidAdopt(&b, vec3(0, 0, 0), SUBSTEP);
        sum = vecAdd(vecScale(a.mass, a.velocity), vecScale(b.mass, b.velocity));
        moment = vecAdd(a.angularMomentum, b.angularMomentum);
        moment = vecAdd(moment, vecCross(a.position, vecScale(a.mass, a.velocity)));
        moment = vecAdd(moment, vecCross(b.position, vecScale(b.mass, b.velocity)));
        CHECK_BELOW(vecLength(sum), 1e-12);
        CHECK_BELOW(vecLength(moment), 1e-12);
    }
}

// What pushes a body through a step has the angular momentum of its force about a fixed point, wherever the body goes.
static void testReaction(void **state)
{
    (void)state;
    RigidBody body = bodyOf(vec3(0.2, 1, 1.1), vvQuat_FromDegrees((vvVec3){ 10, 20, 30 }));
    body.position = body.reactionPoint = vec3(1, 2, 3);
    body.velocity = vec3(5, -3, 20);
    rigidSetSpin(&body, vec3(1, 2, -3));
    body.reaction = vec3(30, -50, 70);
    body.reactionTorque = vec3(2, 0, 1);
    body.acting = body.reaction;
    body.actingTorque = body.reactionTorque;
    Vec3 before = vecAdd(body.angularMomentum, vecCross(body.position, vecScale(body.mass, body.velocity)));
    Vec3 moment = vecAdd(body.reactionTorque, vecCross(body.position, body.reaction));
    for (int substep = 0; substep < 20; ++substep)
        fly(&body, vec3(0, 0, 0), SUBSTEP);
    Vec3 after = vecAdd(body.angularMomentum, vecCross(body.position, vecScale(body.mass, body.velocity)));
    CHECK_BELOW(vecLength(vecSub(vecSub(after, before), vecScale(20 * SUBSTEP, moment))), 1e-11);
    CHECK_NEAR(body.velocity.x, 5 + 20 * SUBSTEP * 15, 1e-12);
    CHECK_NEAR(body.added, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testKeepsMomentumAndEnergy),
        cmocka_unit_test(testIntermediateAxis),
        cmocka_unit_test(testSteadyRotation),
        cmocka_unit_test(testParabola),
        cmocka_unit_test(testVastSpin),
        cmocka_unit_test(testPushes),
        cmocka_unit_test(testReaction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
