// A monkey at the keyboard: rigid bodies, joints, fluids, tethers and skins.
#ifndef TESTS_WORLD_MONKEY_RIGID_H
#define TESTS_WORLD_MONKEY_RIGID_H

#include "world/monkey_create.h"

static vvRigidBodyId someRigid(Monkey *monkey)
{
    vvRigidBodyId body = monkey->rigid[pick(monkey, SLOTS)];
    return vvRigidBody_IsValid(body) ? body : monkey->rigid[pick(monkey, SLOTS)];
}

static void roll(Monkey *monkey)
{
    vvResult result;
    bool deforms;
    int slot = pick(monkey, SLOTS);
    vvDestroyRigidBody(monkey->rigid[slot]);
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    vvRigidShape part = { .position = vector(monkey, 0.5), .density = number(monkey, 100, 5000) };
    def.shape = someShape(monkey, &deforms);
    if (rarely(monkey, 3))
    {
        part.shape = someShape(monkey, &deforms);
        def.shapes = &part;
        def.shapeCount = 1;
    }
    def.density = number(monkey, 100, 5000);
    def.mass = pick(monkey, 2) ? 0 : number(monkey, 0.1, 100);
    def.position = vector(monkey, 2);
    def.rotation = vvQuat_FromDegrees(vector(monkey, 180));
    def.velocity = vector(monkey, 2);
    def.spin = vector(monkey, 5);
    def.kinematic = rarely(monkey, 4);
    def.friction = number(monkey, 0, 1);
    def.restitution = number(monkey, 0, 1);
    def.rollingFriction = number(monkey, 0, 0.1);
    def.category = pick(monkey, 4) ? 1 : 2;
    remember(monkey);
    monkey->rigid[slot] = vvCreateRigidBody(monkey->world, &def, &result);
    judge(monkey, "vvCreateRigidBody", result);
    vvDestroyShape(def.shape);
    vvDestroyShape(part.shape);
}

static void link(Monkey *monkey)
{
    vvResult result;
    int slot = pick(monkey, 2);
    vvDestroyJoint(monkey->joint[slot]);
    vvJointDef def = vvDefaultJointDef();
    def.kind = (vvJointKind)pick(monkey, 9); // one too many
    def.bodyB = someRigid(monkey);
    if (pick(monkey, 2))
        def.bodyA = someRigid(monkey);
    TRY(monkey, vvJointDef_Place(&def, vector(monkey, 2), vector(monkey, 1)));
    def.compliance = pick(monkey, 2) ? 0 : number(monkey, 0, 1e-3);
    def.damping = pick(monkey, 2) ? 0 : number(monkey, 0, 10);
    if (pick(monkey, 2) || def.kind == VV_JOINT_DISTANCE || def.kind == VV_JOINT_PULLEY)
    {
        def.lower = number(monkey, 0, 0.5);
        def.upper = number(monkey, 0.4, 2);
    }
    def.motor = (vvMotorKind)pick(monkey, 3);
    def.motorTarget = number(monkey, -2, 2);
    def.motorLimit = number(monkey, 0, 100);
    def.breakForce = pick(monkey, 4) ? INFINITY : number(monkey, 1, 1e4);
    def.collide = pick(monkey, 2);
    remember(monkey);
    monkey->joint[slot] = vvCreateJoint(monkey->world, &def, &result);
    judge(monkey, "vvCreateJoint", result);
}

static void shove(Monkey *monkey)
{
    vvRigidBodyId body = someRigid(monkey);
    switch (pick(monkey, 8))
    {
    case 0:
        TRY(monkey, vvRigidBody_SetPose(body, (vvPose){ vector(monkey, 2), vvQuat_FromDegrees(vector(monkey, 180)) }));
        break;
    case 1:
        TRY(monkey, vvRigidBody_SetVelocity(body, vector(monkey, 3)));
        break;
    case 2:
        TRY(monkey, vvRigidBody_SetSpin(body, vector(monkey, 5)));
        break;
    case 3:
        TRY(monkey, vvRigidBody_ApplyForce(body, vector(monkey, 100), vector(monkey, 1)));
        break;
    case 4:
        TRY(monkey, vvRigidBody_ApplyImpulse(body, vector(monkey, 1), vector(monkey, 1)));
        break;
    case 5:
        TRY(monkey, vvRigidBody_ApplyAngularImpulse(body, vector(monkey, 0.1)));
        break;
    case 6:
        TRY(monkey, vvRigidBody_SetFriction(body, number(monkey, 0, 1)));
        break;
    default:
        TRY(monkey, vvJoint_SetMotor(monkey->joint[pick(monkey, 2)], (vvMotorKind)pick(monkey, 3),
                                     number(monkey, -1, 1), number(monkey, 0, 50)));
    }
    readBooks(monkey, "a push on a rigid body");
}

// a hundred particles at most
static void pour(Monkey *monkey)
{
    vvResult result;
    vvFluidDef def = vvDefaultFluidDef();
    def.spacing = number(monkey, 0.1, 0.2);
    def.viscosity = pick(monkey, 2) ? 0 : number(monkey, 0, 10);
    def.surfaceTension = pick(monkey, 2) ? 0 : number(monkey, 0, 1);
    def.maxParticles = 100;
    def.substeps = 1 + pick(monkey, 2);
    def.maxSubsteps = 4;
    vvDestroyFluid(monkey->fluid);
    remember(monkey);
    monkey->fluid = vvCreateFluid(monkey->world, &def, &result);
    judge(monkey, "vvCreateFluid", result);
    vvVec3 corner = vector(monkey, 1);
    vvBox box = { corner, { corner.x + 0.5, corner.y + 0.5, corner.z + 0.5 } };
    TRY(monkey, vvFluid_AddBox(monkey->fluid, box, vector(monkey, 1)));
    vvFluidEmitter emitter = { vector(monkey, 1), vector(monkey, 1), 0.2, number(monkey, 0, 2), 0 };
    if (pick(monkey, 2))
        TRY(monkey, vvFluid_AddEmitter(monkey->fluid, &emitter));
    if (rarely(monkey, 3))
        TRY(monkey, vvFluid_AddDrain(monkey->fluid, box));
    readBooks(monkey, "a fluid");
}

// tethers, or a skin that moves
static void limit(Monkey *monkey)
{
    vvSoftBodyId body = someBody(monkey);
    vvResult result;
    vvTetherDef tether = vvDefaultTetherDef();
    vvSkinDef skin = vvDefaultSkinDef();
    int count = vvSoftBody_GetVertexCount(body);
    double *far = malloc(((size_t)count + 1) * sizeof *far), *place = malloc(((size_t)count + 1) * 3 * sizeof *place);
    for (int v = 0; v < count; ++v)
    {
        far[v] = pick(monkey, 3) ? number(monkey, 0, 0.5) : INFINITY;
        memcpy(place + 3 * v, vvSoftBody_GetPositions(body) + 3 * v, 3 * sizeof *place);
        place[3 * v] += number(monkey, -0.1, 0.1);
    }
    tether.scale = number(monkey, 1, 1.5);
    skin.maxDistances = far;
    skin.backstopDistances = pick(monkey, 2) ? far : NULL;
    skin.backstopRadius = pick(monkey, 2) ? 0 : number(monkey, 0.1, 1);
    if (rarely(monkey, 3))
        vvDestroyConstraint(monkey->constraint);
    remember(monkey);
    monkey->constraint = pick(monkey, 2) ? vvCreateTethers(body, &tether, &result) : vvCreateSkin(body, &skin, &result);
    judge(monkey, "vvCreateTethers or vvCreateSkin", result);
    TRY(monkey, vvConstraint_MoveSkin(monkey->constraint, vvConstraint_IsValid(monkey->constraint) ? place : NULL));
    free(far);
    free(place);
}

// ---- reading --------------------------------------------------------------------------------------------------------

static void readRigids(Monkey *monkey)
{
    vvRigidBodyId body = someRigid(monkey);
    vvPose pose = vvRigidBody_GetPose(body);
    assert_true(isFinite(pose.position) && isfinite(pose.rotation.w));
    assert_true(isFinite(vvRigidBody_GetVelocity(body)) && isFinite(vvRigidBody_GetSpin(body)));
    assert_true(vvRigidBody_GetMass(body) >= 0 && vvRigidBody_GetKineticEnergy(body) >= 0);
    assert_true(isFinite(vvJoint_GetForce(monkey->joint[0])) && isFinite(vvJoint_GetTorque(monkey->joint[1])));
    vvPick near = vvWorld_FindNearest(monkey->world, vector(monkey, 2), number(monkey, 0, 10));
    assert_true(near.kind != VV_PICK_RIGID || vvRigidBody_IsValid(near.rigid));
    vvStatistics statistics = vvWorld_GetStatistics(monkey->world);
    assert_int_equal(statistics.rigidBodyCount, vvWorld_GetRigidBodies(monkey->world, NULL, 0));
    assert_int_equal(statistics.jointCount, vvWorld_GetJoints(monkey->world, NULL, 0));
    int count = vvFluid_GetCount(monkey->fluid);
    const double *x = vvFluid_GetPositions(monkey->fluid);
    for (int i = 0; i < 3 * count; ++i)
        assert_true(isfinite(x[i]));
}

static void playRigid(Monkey *monkey)
{
    int choice = pick(monkey, 9);
    if (choice < 3)
        roll(monkey);
    else if (choice < 4)
        link(monkey);
    else if (choice < 6)
        shove(monkey);
    else if (choice < 7)
        pour(monkey);
    else if (choice < 8)
        limit(monkey);
    else
        readRigids(monkey);
}

#endif
