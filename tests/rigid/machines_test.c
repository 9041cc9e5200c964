// Random machines of hard joints, motors off: the books close, and say of energy what it does.
#include "rigid/random_heaps.h"

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

// `numerical` is what energy rises by, and nothing else. That is nothing in most machines; a loop whose joints cannot
// all hold gains 5 % of what it may exchange with 5 substeps.
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
    CHECK_BELOW(rise, loop ? 0.1 : 1e-6);
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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testMachines), cmocka_unit_test(testDriven) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
