// Joints on the level of the room: arrays of bodies, a loop of substeps and sweeps.
#include "check.h"
#include "rigid/joint.h"

#define GRAVITY 9.81

enum
{
    MOST = 12
};

typedef struct Rig
{
    RigidBody body[MOST]; // the first is the world
    int bodyCount;
    Joint joint[MOST];
    int first[MOST], second[MOST];
    int jointCount;
    Vec3 gravity;
} Rig;

static RigidBody still(void)
{
    return (RigidBody){ .rotation = { 1, 0, 0, 0 }, .startRotation = { 1, 0, 0, 0 } };
}

static Rig makeRig(double gravity)
{
    Rig rig = { .bodyCount = 1, .gravity = { 0, -gravity, 0 } };
    rig.body[0] = still();
    return rig;
}

static int addBox(Rig *rig, double mass, Vec3 size, Vec3 position)
{
    RigidBody body = still();
    body.mass = mass;
    body.inverseMass = 1 / mass;
    body.inertia =
        vec3(mass / 12 * (size.y * size.y + size.z * size.z), mass / 12 * (size.x * size.x + size.z * size.z),
             mass / 12 * (size.x * size.x + size.y * size.y));
    body.inverseInertia = vec3(1 / body.inertia.x, 1 / body.inertia.y, 1 / body.inertia.z);
    body.position = position;
    rigidRefresh(&body);
    rig->body[rig->bodyCount] = body;
    return rig->bodyCount++;
}

typedef enum Lock
{
    BALL,
    HINGE,
    SLIDER,
    FIXED,
} Lock;

// at a point of the world as the bodies stand, with the frame not turned
static Joint *addJoint(Rig *rig, int a, int b, Vec3 point, Lock lock)
{
    Joint joint = { .angles = lock == BALL ? ANGLES_NONE : lock == HINGE ? ANGLES_HINGE : ANGLES_VECTOR };
    joint.anchorA = rigidLocal(&rig->body[a], point);
    joint.anchorB = rigidLocal(&rig->body[b], point);
    joint.frameA = quatConjugate(rig->body[a].rotation);
    joint.frameB = quatConjugate(rig->body[b].rotation);
    for (int k = 0; k < JOINT_AXES; ++k)
        joint.axis[k].state = (k < 3 || lock != BALL) ? AXIS_LOCKED : AXIS_FREE;
    if (lock == HINGE)
        joint.axis[3].state = AXIS_FREE;
    if (lock == SLIDER)
        joint.axis[0].state = AXIS_FREE;
    rig->first[rig->jointCount] = a;
    rig->second[rig->jointCount] = b;
    rig->joint[rig->jointCount] = joint;
    return &rig->joint[rig->jointCount++];
}

static void step(Rig *rig, double dt, int substeps, int sweeps)
{
    double h = dt / substeps;
    for (int j = 0; j < rig->jointCount; ++j)
        rig->joint[j].impulse = rig->joint[j].couple = vec3(0, 0, 0);
    for (int s = 0; s < substeps; ++s)
    {
        for (int i = 0; i < rig->bodyCount; ++i)
            rigidPredict(&rig->body[i], rig->gravity, h);
        for (int j = 0; j < rig->jointCount; ++j)
            jointBegin(&rig->joint[j], &rig->body[rig->first[j]], &rig->body[rig->second[j]], h);
        for (int k = 0; k < sweeps; ++k)
            for (int j = 0; j < rig->jointCount; ++j)
                jointSolve(&rig->joint[j], &rig->body[rig->first[j]], &rig->body[rig->second[j]], JOINT_FOLLOW, h);
        for (int i = 0; i < rig->bodyCount; ++i)
            rigidAdopt(&rig->body[i], rig->gravity, h);
        for (int j = 0; j < rig->jointCount; ++j)
            jointEnd(&rig->joint[j], &rig->body[rig->first[j]], &rig->body[rig->second[j]], h);
    }
}

static double energy(const Rig *rig)
{
    double sum = 0;
    for (int i = 1; i < rig->bodyCount; ++i)
        sum += rigidKinetic(&rig->body[i]) - rig->body[i].mass * vecDot(rig->gravity, rig->body[i].position);
    for (int j = 0; j < rig->jointCount; ++j)
        sum += rig->joint[j].energy;
    return sum;
}

static double gapOf(const Rig *rig, int j)
{
    const Joint *joint = &rig->joint[j];
    return vecLength(vecSub(rigidPoint(&rig->body[rig->first[j]], joint->anchorA),
                            rigidPoint(&rig->body[rig->second[j]], joint->anchorB)));
}

// ---- the chain ------------------------------------------------------------------------------------------------------

// Ten boxes of 1 kg and a cube of 1000 kg below, at an angle from straight down.
static double chainGap(double angle, int substeps, int sweeps, int frames)
{
    Rig rig = makeRig(GRAVITY);
    vvQuat turn = { cos(0.5 * angle), 0, 0, sin(0.5 * angle) };
    for (int i = 0; i < 11; ++i)
    {
        double along = i < 10 ? 0.25 + 0.5 * i : 5.25;
        Vec3 size = i < 10 ? vec3(0.1, 0.5, 0.1) : vec3(0.5, 0.5, 0.5);
        int body = addBox(&rig, i < 10 ? 1 : 1000, size, quatRotate(turn, vec3(0, -along, 0)));
        rig.body[body].rotation = turn;
        rigidRefresh(&rig.body[body]);
        addJoint(&rig, body - 1, body, quatRotate(turn, vec3(0, -0.5 * i, 0)), BALL);
    }
    double most = 0;
    for (int f = 0; f < frames; ++f)
    {
        step(&rig, 1.0 / 60, substeps, sweeps);
        for (int j = 0; j < rig.jointCount; ++j)
            most = maxReal(most, gapOf(&rig, j));
    }
    return most;
}

static void heavyChain(void **state)
{
    (void)state;
    // the table: straight down
    double small = chainGap(0, 100, 1, 300), mixed = chainGap(0, 10, 10, 300), more = chainGap(0, 1, 500, 60),
           many = chainGap(0, 1, 100, 120);
    print_message("gap: 100x1 %.4g, 10x10 %.4g, 1x500 %.4g, 1x100 %.4g m\n", small, mixed, more, many);
    CHECK_CLOSE(small, 5.42e-4, 0.03);
    CHECK_CLOSE(mixed, 5.35e-3, 0.03);
    CHECK_CLOSE(more, 9.12e-3, 0.03);
    CHECK_CLOSE(many, 0.0507, 0.03);
    CHECK_BELOW(80 * small, many);
    CHECK_BELOW(10 * small, more);
    // released at an angle they rank alike
    double a = chainGap(0.5, 100, 1, 60), b = chainGap(0.5, 10, 10, 60), c = chainGap(0.5, 1, 500, 60),
           d = chainGap(0.5, 1, 100, 60);
    print_message("at an angle: %.4g, %.4g, %.4g, %.4g m\n", a, b, c, d);
    CHECK_BELOW(5 * a, b);
    CHECK_BELOW(1.2 * b, c);
    CHECK_BELOW(4 * c, d);
}

// ---- swings ---------------------------------------------------------------------------------------------------------

// s, of a pendulum of any amplitude: 2 pi sqrt(I / m g r) / agm(1, cos(amplitude / 2))
static double periodOf(double inertia, double weightTimesArm, double amplitude)
{
    double a = 1, g = cos(0.5 * amplitude);
    for (int i = 0; i < 40; ++i)
    {
        double mean = 0.5 * (a + g);
        g = sqrt(a * g);
        a = mean;
    }
    return 2 * PI * sqrt(inertia / weightTimesArm) / a;
}

// A rod that swings about its end, by a ball or a hinge: its period, its energy, and the axis of the hinge.
static void checkSwing(double amplitude, Lock lock)
{
    Rig rig = makeRig(GRAVITY);
    vvQuat turn = { cos(0.5 * amplitude), sin(0.5 * amplitude), 0, 0 };
    int rod = addBox(&rig, 2, vec3(0.1, 1, 0.1), quatRotate(turn, vec3(0, -0.5, 0)));
    rig.body[rod].rotation = turn;
    rigidRefresh(&rig.body[rod]);
    addJoint(&rig, 0, rod, vec3(0, 0, 0), lock);
    double about = rig.body[rod].inertia.x + 2 * 0.25, period = periodOf(about, 2 * GRAVITY * 0.5, amplitude);
    double start = energy(&rig), dt = 1.0 / 1000, time = 0, before = rig.body[rod].position.z, lean = 0, gap = 0;
    int crossings = 0;
    double first = 0, last = 0;
    while (crossings < 7)
    {
        step(&rig, dt, 2, 1);
        time += dt;
        double z = rig.body[rod].position.z;
        if (z * before < 0)
        {
            last = time - dt * z / (z - before);
            first = crossings == 0 ? last : first;
            ++crossings;
        }
        before = z;
        gap = maxReal(gap, gapOf(&rig, 0));
        Vec3 axis = quatRotate(rig.body[rod].rotation, vec3(1, 0, 0));
        lean = maxReal(lean, vecLength(vecSub(axis, vec3(1, 0, 0))));
        assert_true(time < 100);
    }
    double range = 2 * GRAVITY * 0.5 * (1 - cos(amplitude));
    print_message("amplitude %g: period off by %.1e, energy by %.1e, gap %.1e m, lean %.1e\n", amplitude,
                  (last - first) / 3 / period - 1, (energy(&rig) - start) / range, gap, lean);
    CHECK_CLOSE((last - first) / 3, period, 1e-3);
    CHECK_NEAR(energy(&rig), start, 1e-3 * range);
    CHECK_BELOW(gap, 1e-5);
    CHECK_BELOW(lean, 1e-6);
}

static void swings(void **state)
{
    (void)state;
    checkSwing(0.05, BALL);
    checkSwing(2.5, BALL);
    checkSwing(0.05, HINGE);
    checkSwing(2.5, HINGE);
}

// A hinge whose load leans on it: a rod out along its axis is held, with the moment of its weight.
static void hingeHolds(void **state)
{
    (void)state;
    Rig rig = makeRig(GRAVITY);
    int rod = addBox(&rig, 2, vec3(1, 0.1, 0.1), vec3(0.5, 0, 0));
    Joint *hinge = addJoint(&rig, 0, rod, vec3(0, 0, 0), HINGE);
    rigidSetSpin(&rig.body[rod], vec3(5, 0, 0));
    double force = 0, moment = 0, lean = 0;
    for (int f = 0; f < 120; ++f)
    {
        step(&rig, 1.0 / 60, 50, 1);
        Vec3 axis = quatRotate(rig.body[rod].rotation, vec3(1, 0, 0));
        lean = maxReal(lean, vecLength(vecSub(axis, vec3(1, 0, 0))));
        force += hinge->impulse.y / 2;
        moment += hinge->couple.z / 2;
    }
    print_message("a hinge that carries a rod out along its axis leans by %.1e rad\n", lean);
    CHECK_BELOW(lean, 1e-6);
    CHECK_CLOSE(force, 2 * GRAVITY, 0.01);
    CHECK_CLOSE(moment, 2 * GRAVITY * 0.5, 0.01);
    CHECK_CLOSE(hinge->axis[3].now, 5 * 2.0, 1e-3); // it turns freely, and turns are counted
}

// ---- springs, motors, limits ----------------------------------------------------------------------------------------

// Two masses on a distance joint with compliance, in free space.
static void springFrequency(void **state)
{
    (void)state;
    Rig rig = makeRig(0);
    int a = addBox(&rig, 1, vec3(0.1, 0.1, 0.1), vec3(-0.55, 0, 0)),
        b = addBox(&rig, 3, vec3(0.1, 0.1, 0.1), vec3(0.5, 0, 0));
    Joint *joint = addJoint(&rig, a, b, vec3(0, 0, 0), BALL);
    *joint = (Joint){ .isDistance = true, .frameA = { 1, 0, 0, 0 }, .frameB = { 1, 0, 0, 0 } };
    joint->axis[0] = (JointAxis){ .state = AXIS_LOCKED, .lower = 1, .compliance = 1.0 / 300 };
    double dt = 1.0 / 6000, time = 0, before = 0.05, first = 0, last = 0;
    int crossings = 0;
    while (crossings < 5 && time < 10)
    {
        step(&rig, dt, 1, 1);
        time += dt;
        double now = rig.body[b].position.x - rig.body[a].position.x - 1;
        if (now * before < 0)
        {
            last = time - dt * now / (now - before);
            first = crossings == 0 ? last : first;
            ++crossings;
        }
        before = now;
    }
    CHECK_CLOSE((last - first) / 2, 2 * PI / sqrt(300 * (1 + 1.0 / 3)), 0.01);
}

// A motor brings a wheel to its speed with at most its torque, and its work is the energy gained and dissipated.
static void motorSpeed(void **state)
{
    (void)state;
    Rig rig = makeRig(0);
    int wheel = addBox(&rig, 2, vec3(0.2, 1, 1), vec3(0, 0, 0));
    Joint *hinge = addJoint(&rig, 0, wheel, vec3(0, 0, 0), HINGE);
    hinge->axis[3].motor = MOTOR_SPEED;
    hinge->axis[3].target = 10;
    hinge->axis[3].limit = 3;
    double inertia = rig.body[wheel].inertia.x, late = 1.1 * inertia * 10 / 3;
    for (int f = 0; f < 60 * late; ++f)
        step(&rig, 1.0 / 60, 20, 1);
    CHECK_CLOSE(rig.body[wheel].spin.x, 10, 1e-6);
    CHECK_CLOSE(hinge->work, 0.5 * inertia * 100, 0.01);
    // against a load that takes what it gives
    rig.body[wheel].torque = vec3(-2, 0, 0);
    double before = hinge->work, angle = hinge->axis[3].now;
    for (int f = 0; f < 60; ++f)
        step(&rig, 1.0 / 60, 20, 1);
    CHECK_CLOSE(hinge->couple.x * 60, 2, 1e-3);
    CHECK_CLOSE(hinge->work - before, 2 * (hinge->axis[3].now - angle), 1e-3);
}

static void motorPosition(void **state)
{
    (void)state;
    Rig rig = makeRig(0);
    int box = addBox(&rig, 2, vec3(0.2, 0.2, 0.2), vec3(0, 0, 0));
    Joint *slider = addJoint(&rig, 0, box, vec3(0, 0, 0), SLIDER);
    slider->axis[0].motor = MOTOR_POSITION;
    slider->axis[0].target = -1.5;
    slider->axis[0].limit = 8;
    double beyond = 0;
    for (int f = 0; f < 180; ++f)
    {
        step(&rig, 1.0 / 60, 20, 1);
        beyond = minReal(beyond, rig.body[box].position.x + 1.5);
        CHECK_BELOW(fabs(slider->impulse.x) * 60, 8 * (1 + 1e-9));
    }
    CHECK_NEAR(rig.body[box].position.x, -1.5, 1e-4);
    CHECK_BELOW(-beyond, 1e-3);
    CHECK_NEAR(slider->work, 0, 1e-3);
}

// Limits hold what falls into them, without compliance to the residual of a sweep, with it as a spring.
static void limits(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k)
    {
        Rig rig = makeRig(GRAVITY);
        int box = addBox(&rig, 2, vec3(0.2, 0.2, 0.2), vec3(0, 0, 0));
        Joint *slider = addJoint(&rig, 0, box, vec3(0, 0, 0), FIXED);
        slider->axis[1] = (JointAxis){ .state = AXIS_LIMITED, .lower = -0.3, .upper = 0.1 };
        slider->axis[1].compliance = k ? 1e-3 : 0;
        slider->axis[1].damping = k ? 30 : 0;
        double least = 0;
        for (int f = 0; f < 180; ++f)
        {
            step(&rig, 1.0 / 60, 20, 1);
            least = minReal(least, rig.body[box].position.y);
        }
        CHECK_NEAR(rig.body[box].position.y, -0.3 - (k ? 1e-3 * 2 * GRAVITY : 0), k ? 1e-4 : 1e-5);
        if (k == 0)
            CHECK_BELOW(-0.3 - least, 1e-5);
        CHECK_CLOSE(slider->impulse.y * 60, 2 * GRAVITY, 0.01);
    }
    // a door that swings into its stop
    Rig rig = makeRig(0);
    int door = addBox(&rig, 2, vec3(0.1, 1, 1), vec3(0, 0, 0.5));
    Joint *hinge = addJoint(&rig, 0, door, vec3(0, 0, 0), HINGE);
    hinge->axis[3] = (JointAxis){ .state = AXIS_LIMITED, .lower = -0.5, .upper = 1 };
    rigidSetSpin(&rig.body[door], vec3(4, 0, 0));
    rig.body[door].velocity = vecCross(vec3(4, 0, 0), vec3(0, 0, 0.5));
    double most = 0;
    for (int f = 0; f < 60; ++f)
    {
        step(&rig, 1.0 / 60, 20, 1);
        most = maxReal(most, hinge->axis[3].now);
    }
    CHECK_NEAR(most, 1, 1e-3);
}

// A cone that holds the lean and the twist of a pendulum that swings out of it.
static void cone(void **state)
{
    (void)state;
    Rig rig = makeRig(GRAVITY);
    int rod = addBox(&rig, 2, vec3(1, 0.1, 0.1), vec3(0.5, 0, 0));
    Joint *joint = addJoint(&rig, 0, rod, vec3(0, 0, 0), BALL);
    joint->angles = ANGLES_CONE;
    joint->axis[3] = (JointAxis){ .state = AXIS_LIMITED, .lower = -0.2, .upper = 0.2 };
    joint->axis[4] = (JointAxis){ .state = AXIS_LIMITED, .lower = -1, .upper = 0.6 };
    rigidSetSpin(&rig.body[rod], vec3(8, 2, 0));
    rig.body[rod].velocity = vecCross(vec3(8, 2, 0), vec3(0.5, 0, 0));
    double lean = 0, twist = 0;
    for (int f = 0; f < 120; ++f)
    {
        step(&rig, 1.0 / 60, 20, 1);
        lean = maxReal(lean, joint->axis[4].now);
        twist = maxReal(twist, fabs(joint->axis[3].now));
    }
    CHECK_BELOW(lean, 0.6 + 2e-3);
    CHECK_BELOW(twist, 0.2 + 2e-3);
    CHECK_BELOW(0.59, lean);
    CHECK_BELOW(0.19, twist);
}

// ---- momenta and rest -----------------------------------------------------------------------------------------------

static Vec3 momentumOf(const Rig *rig, Vec3 *angular)
{
    Vec3 sum = vec3(0, 0, 0);
    *angular = sum;
    for (int i = 1; i < rig->bodyCount; ++i)
    {
        const RigidBody *body = &rig->body[i];
        Vec3 p = vecScale(body->mass, body->velocity);
        sum = vecAdd(sum, p);
        *angular = vecAdd(*angular, vecAdd(vecCross(body->position, p), body->angularMomentum));
    }
    return sum;
}

// A pair that tumbles free in space keeps both momenta to rounding, whatever joins it.
static void momenta(void **state)
{
    (void)state;
    for (int lock = BALL; lock <= FIXED + 1; ++lock)
    {
        Rig rig = makeRig(0);
        int a = addBox(&rig, 1, vec3(0.1, 0.5, 0.2), vec3(0, 0.25, 0)),
            b = addBox(&rig, 3, vec3(0.3, 0.4, 0.1), vec3(0.1, -0.2, 0));
        Joint *joint = addJoint(&rig, a, b, vec3(0, 0, 0), lock > FIXED ? FIXED : (Lock)lock);
        for (int k = 0; k < JOINT_AXES; ++k)
            joint->axis[k].compliance = lock > FIXED ? 1e-3 : 0;
        rig.body[a].velocity = vec3(1, 0, 0.5);
        rig.body[b].velocity = vec3(-0.3, 0.4, 0);
        rigidSetSpin(&rig.body[a], vec3(1, 2, 3));
        rigidSetSpin(&rig.body[b], vec3(-2, 1, 0.5));
        Vec3 angular, after, linear = momentumOf(&rig, &angular);
        for (int f = 0; f < 100; ++f)
            step(&rig, 1.0 / 60, 20, 1);
        Vec3 now = momentumOf(&rig, &after);
        CHECK_BELOW(vecLength(vecSub(now, linear)), 1e-10);
        CHECK_BELOW(vecLength(vecSub(after, angular)), 1e-10);
        CHECK_BELOW(lock < FIXED ? gapOf(&rig, 0) - (lock == SLIDER ? 10 : 0) : 0, 1e-4);
    }
}

// A chain at rest: the force of each joint is the weight below it.
static void weights(void **state)
{
    (void)state;
    Rig rig = makeRig(GRAVITY);
    for (int i = 0; i < 4; ++i)
    {
        int body = addBox(&rig, 1 + i, vec3(0.1, 0.4, 0.1), vec3(0, -0.25 - 0.5 * i, 0));
        addJoint(&rig, body - 1, body, vec3(0, -0.5 * i, 0), i % 2 ? FIXED : BALL);
    }
    double force[4] = { 0 };
    for (int f = 0; f < 120; ++f)
    {
        step(&rig, 1.0 / 60, 20, 1);
        for (int j = 0; j < 4; ++j)
            force[j] += f >= 60 ? rig.joint[j].impulse.y : 0;
    }
    double below = 0;
    for (int j = 3; j >= 0; --j)
    {
        below += (1 + j) * GRAVITY;
        CHECK_CLOSE(force[j], below, 0.01);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavyChain),      cmocka_unit_test(swings),     cmocka_unit_test(hingeHolds),
        cmocka_unit_test(springFrequency), cmocka_unit_test(motorSpeed), cmocka_unit_test(motorPosition),
        cmocka_unit_test(limits),          cmocka_unit_test(cone),       cmocka_unit_test(momenta),
        cmocka_unit_test(weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
