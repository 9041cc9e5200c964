// What a rigid body does now, and what the caller does to it: every jump of its energy is booked as added.
#include "world/world.h"

static double energyOf(const World *world, const RigidBody *body)
{
    return rigidKinetic(body) - body->mass * vecDot(world->gravity, body->position);
}

static bool isKinematic(const RigidBody *body)
{
    return !(body->inverseMass > 0);
}

static void bookJump(const World *world, Rigid *rigid, double before)
{
    rigid->account.added += energyOf(world, &rigid->body) - before;
}

// ---- mass -----------------------------------------------------------------------------------------------------------

double vvRigidBody_GetMass(vvRigidBodyId id)
{
    World *world;
    const Rigid *rigid = rigidFind(id, &world);
    return rigid ? rigid->body.mass : 0;
}

vvVec3 vvRigidBody_GetCentreOfMass(vvRigidBodyId id)
{
    World *world;
    const Rigid *rigid = rigidFind(id, &world);
    return rigid ? rigid->body.position : vec3(0, 0, 0);
}

vvResult vvRigidBody_CopyInertia(vvRigidBodyId id, double *inertia)
{
    World *world;
    const Rigid *rigid = rigidFind(id, &world);
    if (rigid == NULL)
        return badId("rigid body");
    if (inertia == NULL || isKinematic(&rigid->body))
        return resultMake(VV_BAD_INPUT, "pass room for 9 numbers, of a body that is not kinematic", "%s",
                          inertia ? "a kinematic body has no inertia" : "inertia is NULL");
    Mat3 turn = quatMatrix(rigid->body.rotation);
    const double moment[3] = { rigid->body.inertia.x, rigid->body.inertia.y, rigid->body.inertia.z };
    for (int i = 0; i < 9; ++i)
    {
        inertia[i] = 0;
        for (int k = 0; k < 3; ++k)
            inertia[i] += turn.m[i / 3][k] * moment[k] * turn.m[i % 3][k];
    }
    return resultOk();
}

// ---- motion ---------------------------------------------------------------------------------------------------------

vvPose vvRigidBody_GetPose(vvRigidBodyId id)
{
    World *world;
    const Rigid *rigid = rigidFind(id, &world);
    if (rigid == NULL)
        return (vvPose){ .rotation = { 1, 0, 0, 0 } };
    const RigidBody *body = &rigid->body;
    return (vvPose){ rigidPoint(body, body->origin), quatMultiply(body->rotation, body->frame) };
}

int vvRigidBody_GetShapes(vvRigidBodyId id, vvRigidShape *shapes, int capacity)
{
    World *world;
    const Rigid *rigid = rigidFind(id, &world);
    if (rigid == NULL)
        return 0;
    const RigidBody *body = &rigid->body;
    for (int i = 0; i < body->shapeCount && i < capacity && shapes != NULL; ++i)
    {
        // from the principal frame to the caller's
        const RigidShape *part = &body->shape[i];
        shapes[i] = (vvRigidShape){ .shape = part->shape,
                                    .position = quatRotateBack(body->frame, vecSub(part->position, body->origin)),
                                    .rotation = quatMultiply(quatConjugate(body->frame), part->rotation) };
    }
    return body->shapeCount;
}

vvResult vvRigidBody_SetPose(vvRigidBodyId id, vvPose pose)
{
    World *world;
    Rigid *rigid = rigidOpen(id, &world);
    vvResult result = rigid ? checkPose(pose.position, pose.rotation) : refused("rigid body");
    if (result.code != VV_OK)
        return result;
    RigidBody *body = &rigid->body;
    double before = energyOf(world, body);
    Vec3 spin = body->spin;
    quatUnit(&pose.rotation);
    body->rotation = quatNormalized(quatMultiply(pose.rotation, quatConjugate(body->frame)));
    body->position = vecSub(pose.position, quatRotate(body->rotation, body->origin));
    rigidSetSpin(body, spin);
    body->memoryCount = 0;
    bookJump(world, rigid, before);
    jointsOfRigidMoved(world, (int)id.index1 - 1);
    rigidsWake(world); // what rested on it may go
    return result;
}

vvVec3 vvRigidBody_GetVelocity(vvRigidBodyId id)
{
    World *world;
    const Rigid *rigid = rigidFind(id, &world);
    return rigid ? rigid->body.velocity : vec3(0, 0, 0);
}

vvResult vvRigidBody_SetVelocity(vvRigidBodyId id, vvVec3 velocity)
{
    World *world;
    Rigid *rigid = rigidOpen(id, &world);
    vvResult result = rigid ? checkVector("velocity", velocity) : refused("rigid body");
    if (result.code != VV_OK)
        return result;
    double before = energyOf(world, &rigid->body);
    rigid->body.velocity = velocity;
    bookJump(world, rigid, before);
    rigidWake(&rigid->body);
    return result;
}

vvVec3 vvRigidBody_GetSpin(vvRigidBodyId id)
{
    World *world;
    const Rigid *rigid = rigidFind(id, &world);
    return rigid ? rigid->body.spin : vec3(0, 0, 0);
}

vvResult vvRigidBody_SetSpin(vvRigidBodyId id, vvVec3 spin)
{
    World *world;
    Rigid *rigid = rigidOpen(id, &world);
    vvResult result = rigid ? checkVector("spin", spin) : refused("rigid body");
    if (result.code != VV_OK)
        return result;
    double before = energyOf(world, &rigid->body);
    rigidSetSpin(&rigid->body, spin);
    bookJump(world, rigid, before);
    rigidWake(&rigid->body);
    return result;
}

vvVec3 vvRigidBody_GetAngularMomentum(vvRigidBodyId id)
{
    World *world;
    const Rigid *rigid = rigidFind(id, &world);
    return rigid ? rigid->body.angularMomentum : vec3(0, 0, 0);
}

double vvRigidBody_GetKineticEnergy(vvRigidBodyId id)
{
    World *world;
    const Rigid *rigid = rigidFind(id, &world);
    return rigid ? rigidKinetic(&rigid->body) : 0;
}

// ---- forces and impulses --------------------------------------------------------------------------------------------

// sums that are not vast either
static vvResult takeForce(RigidBody *body, Vec3 force, Vec3 torque)
{
    Vec3 forces = vecAdd(body->force, force), torques = vecAdd(body->torque, torque);
    vvResult result = checkVector("the sum of the forces", forces);
    if (result.code == VV_OK)
        result = checkVector("the sum of their moments", torques);
    if (result.code != VV_OK || isKinematic(body))
        return result;
    body->force = forces;
    body->torque = torques;
    return result;
}

vvResult vvRigidBody_ApplyForce(vvRigidBodyId id, vvVec3 force, vvVec3 point)
{
    World *world;
    Rigid *rigid = rigidOpen(id, &world);
    vvResult result = rigid ? checkVector("force", force) : refused("rigid body");
    if (result.code == VV_OK)
        result = checkVector("point", point);
    if (result.code != VV_OK)
        return result;
    return takeForce(&rigid->body, force, vecCross(vecSub(point, rigid->body.position), force));
}

vvResult vvRigidBody_ApplyTorque(vvRigidBodyId id, vvVec3 torque)
{
    World *world;
    Rigid *rigid = rigidOpen(id, &world);
    vvResult result = rigid ? checkVector("torque", torque) : refused("rigid body");
    return result.code == VV_OK ? takeForce(&rigid->body, vec3(0, 0, 0), torque) : result;
}

static vvResult takeImpulse(const World *world, Rigid *rigid, Vec3 impulse, Vec3 moment)
{
    RigidBody after = rigid->body;
    if (isKinematic(&after))
        return resultOk();
    after.velocity = vecAdd(after.velocity, vecScale(after.inverseMass, impulse));
    after.angularMomentum = vecAdd(after.angularMomentum, moment);
    rigidRefresh(&after);
    vvResult result = checkVector("the velocity after the impulse", after.velocity);
    if (result.code == VV_OK)
        result = checkVector("the spin after the impulse", after.spin);
    if (result.code != VV_OK)
        return result;
    double before = energyOf(world, &rigid->body);
    rigid->body = after;
    bookJump(world, rigid, before);
    rigidWake(&rigid->body);
    return result;
}

vvResult vvRigidBody_ApplyImpulse(vvRigidBodyId id, vvVec3 impulse, vvVec3 point)
{
    World *world;
    Rigid *rigid = rigidOpen(id, &world);
    vvResult result = rigid ? checkVector("impulse", impulse) : refused("rigid body");
    if (result.code == VV_OK)
        result = checkVector("point", point);
    if (result.code != VV_OK)
        return result;
    return takeImpulse(world, rigid, impulse, vecCross(vecSub(point, rigid->body.position), impulse));
}

vvResult vvRigidBody_ApplyAngularImpulse(vvRigidBodyId id, vvVec3 impulse)
{
    World *world;
    Rigid *rigid = rigidOpen(id, &world);
    vvResult result = rigid ? checkVector("impulse", impulse) : refused("rigid body");
    return result.code == VV_OK ? takeImpulse(world, rigid, vec3(0, 0, 0), impulse) : result;
}

// ---- its surface ----------------------------------------------------------------------------------------------------

double vvRigidBody_GetFriction(vvRigidBodyId id)
{
    World *world;
    const Rigid *rigid = rigidFind(id, &world);
    return rigid ? rigid->body.friction : 0;
}

vvResult vvRigidBody_SetFriction(vvRigidBodyId id, double friction)
{
    World *world;
    Rigid *rigid = rigidOpen(id, &world);
    vvResult result = rigid ? checkFriction(friction) : refused("rigid body");
    if (result.code != VV_OK)
        return result;
    rigid->body.friction = friction;
    rigidWake(&rigid->body);
    return result;
}

double vvRigidBody_GetRestitution(vvRigidBodyId id)
{
    World *world;
    const Rigid *rigid = rigidFind(id, &world);
    return rigid ? rigid->body.restitution : 0;
}

vvResult vvRigidBody_SetRestitution(vvRigidBodyId id, double restitution)
{
    World *world;
    Rigid *rigid = rigidOpen(id, &world);
    vvResult result = rigid ? checkRestitution(restitution) : refused("rigid body");
    if (result.code != VV_OK)
        return result;
    rigid->body.restitution = restitution;
    rigidWake(&rigid->body);
    return result;
}
