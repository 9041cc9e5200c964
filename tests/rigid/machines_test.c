// Random machines of hard joints, motors off: the books close, and say of energy what it does.
#include "rigid/random_heaps.h"

#include <math.h>
#include <stdio.h>

#define BODIES 7

// sets what the kind needs, with the anchor of B at its centre where a length is held
static void limit(vvJointDef *joint, Draw *d, double far)
{
    joint->lower = -0.5;
    joint->upper = 0.5;
    if (joint->kind == VV_JOINT_DISTANCE)
    {
        joint->frameB.position = (vvVec3){ 0, 0, 0 };
        joint->lower = draw(d) < 0.5 ? far : 0; // a rod or a rope
        joint->upper = far;
    }
    joint->swing = 0.7;
    joint->linearUpper.x = 0.1;
    joint->angularLower = (vvVec3){ -0.4, -0.4, 0 };
    joint->angularUpper = (vvVec3){ 0.4, 0.4, 0 };
}

static void addJoint(vvWorldId world, Draw *d, vvJointKind kind, vvRigidBodyId a, vvRigidBodyId b, Vec3 anchor,
                     double far)
{
    vvJointDef joint = vvDefaultJointDef();
    vvVec3 axis = { between(d, -1, 1), between(d, -1, 1), between(d, -1, 1) };
    vvResult result;
    joint.kind = kind;
    joint.bodyA = a;
    joint.bodyB = b;
    CHECK_OK(vvJointDef_Place(&joint, anchor, axis));
    limit(&joint, d, far);
    vvCreateJoint(world, &joint, &result);
    CHECK_OK(result);
}

static vvRigidBodyId addLink(vvWorldId world, Draw *d, Vec3 position, double *mass)
{
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    def.shape = boxShape((vvVec3){ between(d, 0.1, 0.4), between(d, 0.1, 0.4), between(d, 0.1, 0.4) });
    def.position = position;
    def.mass = *mass = pow(10, between(d, -0.5, 0.5));
    def.mask = 0;
    def.rotation = vvQuat_FromDegrees((vvVec3){ between(d, 0, 360), between(d, 0, 360), between(d, 0, 360) });
    def.spin = (vvVec3){ between(d, -2, 2), between(d, -2, 2), between(d, -2, 2) };
    vvResult result;
    vvRigidBodyId body = vvCreateRigidBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyShape(def.shape);
    return body;
}

// A chain, hanging or in free fall, whose end the world may hold too; `kind` above the last: a mixture. Returns its
// scale, J.
static double addMachine(vvWorldId world, Draw *d, int kind, bool loop)
{
    const vvRigidBodyId none = { 0, 0, 0 };
    int count = 2 + (int)((BODIES - 1) * draw(d));
    bool hangs = draw(d) < 0.7;
    double scale = 0, reach = 0;
    vvRigidBodyId last = none;
    Vec3 at = vec3(0, 0, 0);
    for (int i = 0; i < count; ++i)
    {
        Vec3 way = vec3(between(d, -0.5, 0.5), between(d, -0.5, 0.5), between(d, -0.5, 0.5)), anchor = at;
        double mass, far = vecLength(way);
        at = vecAdd(at, way);
        reach += far + 0.5;
        vvRigidBodyId body = addLink(world, d, at, &mass);
        scale += mass * (9.81 * reach + 0.5);
        vvJointKind of = (vvJointKind)(kind < VV_JOINT_PULLEY ? kind : (int)(VV_JOINT_PULLEY * draw(d)));
        if (i > 0 || hangs)
            addJoint(world, d, of, last, body, anchor, far);
        if (loop && i == count - 1)
            addJoint(world, d, VV_JOINT_BALL, none, body, vecAdd(at, vec3(0.1, 0.1, 0)), 0);
        last = body;
    }
    return scale;
}

// `numerical` is what energy rises by, and nothing else. That is nothing in most machines (the energy of a substep that
// is symplectic swings by 1e-5); a loop whose joints cannot all hold gains 5 % of what it may exchange with 5 substeps.
static void checkMachine(int seed, int kind, bool loop)
{
    Draw d = { (uint64_t)seed * 2654435761u + 777 };
    vvWorldId world = makeWorld((vvVec3){ 0, -9.81, 0 });
    CHECK_OK(vvWorld_SetRigidSubsteps(world, 5 + seed % 3 * 10));
    double scale = addMachine(world, &d, kind, loop), rise = 0, gain = 0, loss = 0;
    vvLedger first = vvWorld_GetLedger(world);
    for (int i = 0; i < 60; ++i)
    {
        steps(world, 1);
        vvLedger now = vvWorld_GetLedger(world);
        rise = maxReal(rise, (now.total - first.total - (now.added - first.added)) / scale);
        gain = maxReal(gain, now.numerical / scale);
        loss = maxReal(loss, -now.numerical / scale);
    }
    print_message("machine %d, kind %d%s: rise %.1e, gain %.1e, loss %.1e\n", seed, kind, loop ? ", loop" : "", rise,
                  gain, loss);
    CHECK_BELOW(loss, 1e-6);
    CHECK_BELOW(gain, rise + 1e-6);
    CHECK_BELOW(rise, loop ? 0.1 : 1e-4);
    vvDestroyWorld(world);
}

static void testMachines(void **state)
{
    (void)state;
    for (int kind = VV_JOINT_FIXED; kind <= VV_JOINT_PULLEY; ++kind)
        for (int seed = 0; seed < 6; ++seed)
            checkMachine(seed, kind, seed % 2 == 1);
}

// What a kinematic body does through its joint is added: a crank that shakes and turns a chain.
static void testDriven(void **state)
{
    (void)state;
    for (int first = 0; first < 2; ++first) // it is A or B of its joint
    {
        Draw d = { 5 };
        vvWorldId world = makeWorld((vvVec3){ 0, -9.81, 0 });
        vvRigidBodyDef def = vvDefaultRigidBodyDef();
        def.shape = boxShape((vvVec3){ 0.1, 0.1, 0.1 });
        def.kinematic = true;
        def.mask = 0;
        def.velocity = (vvVec3){ 0.5, 1, 0 };
        def.spin = (vvVec3){ 2, 0, 1 };
        vvResult result;
        vvRigidBodyId crank = vvCreateRigidBody(world, &def, &result), last = crank;
        CHECK_OK(result);
        vvDestroyShape(def.shape);
        for (int i = 1; i < 4; ++i)
        {
            double mass;
            vvRigidBodyId body = addLink(world, &d, vec3(0.4 * i, 0, 0), &mass);
            bool swapped = i == 1 && first == 1;
            addJoint(world, &d, i == 1 ? VV_JOINT_FIXED : VV_JOINT_BALL, swapped ? body : last, swapped ? last : body,
                     vec3(0.4 * i - 0.2, 0, 0), 0.2);
            last = body;
        }
        steps(world, 60);
        vvLedger end = vvWorld_GetLedger(world);
        print_message("driven: numerical %.1e, added %.1e\n", end.numerical, end.added);
        assert_true(fabs(end.added) > 1);
        CHECK_BELOW(fabs(end.numerical), 1e-6 * fabs(end.added));
        vvDestroyWorld(world);
    }
}

// ---- chains and loops that swing ------------------------------------------------------------------------------------

// a bar of 1 kg from `from` to `to` on a joint to the one before, or to the world
static vvRigidBodyId addBar(vvWorldId world, vvJointKind kind, vvRigidBodyId last, Vec3 from, Vec3 to)
{
    Vec3 way = vecSub(to, from);
    double length = vecLength(way);
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    def.shape = boxShape((vvVec3){ 0.2 * length, 0.9 * length, 0.2 * length });
    def.mass = 1;
    def.mask = 0;
    def.position = vecScale(0.5, vecAdd(from, to));
    def.rotation = vvQuat_FromDegrees((vvVec3){ 0, 0, atan2(way.x, -way.y) * 180 / PI });
    vvResult result;
    vvRigidBodyId body = vvCreateRigidBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyShape(def.shape);
    vvJointDef joint = vvDefaultJointDef();
    joint.kind = kind;
    joint.bodyA = last;
    joint.bodyB = body;
    CHECK_OK(vvJointDef_Place(&joint, from, (vvVec3){ 0, 0, 1 }));
    vvCreateJoint(world, &joint, &result);
    CHECK_OK(result);
    return body;
}

// Of the energy of the swing: the most that it leaves its value. Nothing damps: it comes back, and the period is that
// of ten times the substeps.
static double swingOf(vvWorldId world, vvRigidBodyId shown, int frames, double *period)
{
    double start = vvWorld_GetLedger(world).total, most = 0, kinetic = 0, last = 0, first = 0, end = 0;
    int crossings = 0;
    for (int i = 1; i <= frames; ++i)
    {
        steps(world, 1);
        vvLedger now = vvWorld_GetLedger(world);
        most = maxReal(most, fabs(now.total - start));
        kinetic = maxReal(kinetic, now.kinetic);
        double x = vvRigidBody_GetCentreOfMass(shown).x;
        if (last * x < 0)
        {
            end = (i - x / (x - last)) / 60;
            first = crossings++ == 0 ? end : first;
        }
        last = x;
    }
    *period = crossings > 1 ? 2 * (end - first) / (crossings - 1) : 0;
    vvDestroyWorld(world);
    return most / kinetic;
}

static vvWorldId makeChain(int links, double angle, int substeps, vvRigidBodyId *end)
{
    vvWorldId world = makeWorld((vvVec3){ 0, -9.81, 0 });
    CHECK_OK(vvWorld_SetRigidSubsteps(world, substeps));
    Vec3 way = vecScale(2.0 / links, vec3(sin(angle), -cos(angle), 0));
    *end = (vvRigidBodyId){ 0, 0, 0 };
    for (int i = 0; i < links; ++i)
        *end = addBar(world, VV_JOINT_BALL, *end, vecScale(i, way), vecScale(i + 1, way));
    return world;
}

// One sweep lost 0.02 to 0.18 of the small swings in 10 s, and half of the large ones.
static void testChains(void **state)
{
    (void)state;
    static const int links[] = { 2, 5, 10, 20 };
    bool whole = getenv("VERVE_WHOLE") != NULL;
    for (int i = whole ? 0 : 1; i < 4; i += sliceOf(2))
    {
        vvRigidBodyId end;
        double period, wanted, large;
        vvWorldId world = makeChain(links[i], 0.1, 20, &end);
        double small = swingOf(world, end, whole ? 1000 : 150, &period);
        world = makeChain(links[i], 0.1, whole ? 200 : 60, &end);
        swingOf(world, end, whole ? 1000 : 150, &wanted);
        world = makeChain(links[i], 1.5, 20, &end);
        large = swingOf(world, end, whole ? 1000 : 80, &large);
        print_message("%d links: %.1e of a small swing, %.1e of a large one, period off by %.1e\n", links[i], small,
                      large, period / wanted - 1);
        CHECK_BELOW(small, 1e-3);
        CHECK_BELOW(large, 0.02);
        CHECK_NEAR(period, wanted, 1e-3 * wanted);
    }
}

// A crank, a coupler and a rocker on four hinges with parallel axes, three rows of which say the same.
static void testFourBar(void **state)
{
    (void)state;
    vvWorldId world = makeWorld((vvVec3){ 0, -9.81, 0 });
    vvRigidBodyId none = { 0, 0, 0 };
    Vec3 place[4] = { { 0, 0, 0 }, { 0.3, 0.4, 0 }, { 1.1, 0.6, 0 }, { 1.2, 0, 0 } };
    vvRigidBodyId crank = addBar(world, VV_JOINT_HINGE, none, place[0], place[1]);
    vvRigidBodyId coupler = addBar(world, VV_JOINT_HINGE, crank, place[1], place[2]);
    vvRigidBodyId rocker = addBar(world, VV_JOINT_HINGE, coupler, place[2], place[3]);
    vvJointDef joint = vvDefaultJointDef();
    joint.kind = VV_JOINT_HINGE;
    joint.bodyB = rocker;
    CHECK_OK(vvJointDef_Place(&joint, place[3], (vvVec3){ 0, 0, 1 }));
    vvResult result;
    vvJointId last = vvCreateJoint(world, &joint, &result);
    CHECK_OK(result);
    CHECK_OK(vvRigidBody_SetSpin(crank, (vvVec3){ 0, 0, -1 }));
    steps(world, 1); // the others get their part of it
    double gap = 0, total = vvWorld_GetLedger(world).total, most = 0, kinetic = 0;
    for (int i = 0; i < (getenv("VERVE_WHOLE") != NULL ? 1000 : 200); ++i)
    {
        steps(world, 1);
        vvLedger now = vvWorld_GetLedger(world);
        most = maxReal(most, fabs(now.total - total));
        kinetic = maxReal(kinetic, now.kinetic);
        for (int k = 0; k < 3; ++k)
            gap = maxReal(gap, fabs(vvJoint_GetMeasure(last, k)));
    }
    print_message("four bars: %.1e of the energy, gap %.1e m\n", most / kinetic, gap);
    CHECK_BELOW(most, 0.01 * kinetic);
    CHECK_BELOW(gap, 1e-6);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testMachines), cmocka_unit_test(testDriven),
                                        cmocka_unit_test(testChains), cmocka_unit_test(testFourBar) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
