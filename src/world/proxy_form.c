// What a stand-in of a rigid body is (proxy.c): its masses and where they stand, as the joint asks that holds the body.
#include "base/quaternion.h"
#include "world/proxy.h"

#define SLENDER 40.0  // times as long as wide is the stand-in of a body on a hinge
#define FAR 1000.0    // radii of a body that slides: how far away the hinge of its stand-in is
#define FLATTEST 0.02 // of its longest side: what plates and rods are thick at least

// kg, of all soft bodies, of which any may be attached later
static double loadOf(const World *world)
{
    double sum = 0;
    for (const Body *body = bodySeen(world->firstBody); body != NULL; body = bodySeen(body->next))
        sum += body->mass;
    return sum;
}

// a hard hinge, slider or ball joint to the world or to a kinematic body, that drives nothing and stops nowhere
static bool isAnchor(const World *world, const WorldJoint *joint, int slot)
{
    const vvJointDef *def = &joint->def;
    int other = joint->bodyA == slot ? joint->bodyB : joint->bodyA;
    bool endless = isinf(def->lower) && isinf(def->upper);
    bool lets = def->kind == VV_JOINT_HINGE || def->kind == VV_JOINT_SLIDER;
    return (def->kind == VV_JOINT_BALL || (lets && endless)) && def->motor == VV_MOTOR_NONE && def->compliance == 0 &&
           def->angularCompliance == 0 && (other < 0 || !(world->rigids.item[other].body.inverseMass > 0));
}

int proxyAnchor(const World *world, int slot)
{
    int found = 0, count = 0;
    if (world->rigids.item[slot].linked)
        return 0;
    for (int i = 0; i < world->joints.slotCount; ++i)
    {
        const WorldJoint *joint = &world->joints.item[i];
        if (!joint->used || joint->broken || (joint->bodyA != slot && joint->bodyB != slot))
            continue;
        count += 1;
        found = isAnchor(world, joint, slot) ? i + 1 : 0;
    }
    return count == 1 ? found : 0;
}

// long as SLENDER says across the axis that it turns about
static Vec3 hingedInertia(const ProxyForm *form, double mass, double turning)
{
    double across = 0.5 * SLENDER * SLENDER * form->mass / (PROXY_HELD * mass) * turning;
    return vec3(turning, across, across);
}

// On a slider: a hinge so far away that the turns of a step are none. x of the frame of the joint is its axis.
static void slideForm(ProxyForm *form, const RigidBody *b, vvQuat frame)
{
    const vvQuat third = { 0.5, -0.5, -0.5, -0.5 }; // x becomes z
    double far = FAR * b->radius;
    form->hinged = form->slides = true;
    form->slide = quatRotate(frame, vec3(1, 0, 0));
    form->axis = quatRotate(frame, vec3(0, 0, 1));
    form->arm = vecScale(far, quatRotate(frame, vec3(0, 1, 0)));
    form->inertia = hingedInertia(form, b->mass, b->mass * far * far);
    form->turn = quatNormalized(quatMultiply(frame, third));
}

ProxyForm proxyForm(const World *world, int slot)
{
    const RigidBody *b = &world->rigids.item[slot].body;
    ProxyForm form = { .mass = b->mass, .inertia = b->inertia, .turn = { 1, 0, 0, 0 } };
    form.joint = b->inverseMass > 0 ? proxyAnchor(world, slot) : 0;
    if (form.joint == 0)
        return form;
    const WorldJoint *joint = &world->joints.item[form.joint - 1];
    bool second = joint->bodyB == slot;
    vvQuat frame = second ? joint->joint.frameB : joint->joint.frameA;
    form.axis = quatRotate(frame, vec3(1, 0, 0));
    form.arm = second ? joint->joint.anchorB : joint->joint.anchorA;
    form.mass = PROXY_HELD * maxReal(b->mass, loadOf(world));
    if (joint->def.kind == VV_JOINT_SLIDER)
    {
        slideForm(&form, b, frame);
        return form;
    }
    form.hinged = joint->def.kind == VV_JOINT_HINGE;
    MassProperties about = { .mass = b->mass };
    const double arm[3] = { form.arm.x, form.arm.y, form.arm.z }, own[3] = { b->inertia.x, b->inertia.y, b->inertia.z };
    for (int i = 0; i < 9; ++i)
        about.inertia.m[i / 3][i % 3] =
            (i % 4 == 0 ? own[i / 3] + b->mass * vecDot(form.arm, form.arm) : 0) - b->mass * arm[i / 3] * arm[i % 3];
    if (form.hinged)
    {
        form.inertia = hingedInertia(&form, b->mass, vecDot(form.axis, matApply(&about.inertia, form.axis)));
        form.turn = frame;
    }
    else
        rigidPrincipal(&about, &form.inertia, &form.turn);
    return form;
}

// ---- where the four are ---------------------------------------------------------------------------------------------

const double proxyCorner[4][3] = { { 1, 1, 1 }, { -1, 1, -1 }, { 1, -1, -1 }, { -1, -1, 1 } };

Vec3 proxyHalf(const Rigid *rigid)
{
    double radius = rigid->body.radius;
    if (!(rigid->body.inverseMass > 0))
        return vec3(radius, radius, radius);
    // mass x square is half the sum of two inertias less the third
    Vec3 i = rigid->form.inertia;
    double half[3] = { i.y + i.z - i.x, i.z + i.x - i.y, i.x + i.y - i.z }, most = 0;
    for (int a = 0; a < 3; ++a)
    {
        half[a] = sqrt(maxReal(0.5 * half[a] / rigid->form.mass, 0));
        most = maxReal(most, half[a]);
    }
    for (int a = 0; a < 3; ++a)
        half[a] = maxReal(half[a], rigid->form.hinged ? 0 : FLATTEST * most);
    return vecLoad(half);
}

Vec3 proxyPlace(Vec3 half, int k)
{
    return vec3(half.x * proxyCorner[k][0], half.y * proxyCorner[k][1], half.z * proxyCorner[k][2]);
}

ProxyStand proxyStandAt(const ProxyForm *form, Vec3 position, vvQuat rotation)
{
    return (ProxyStand){ vecAdd(position, quatRotate(rotation, form->arm)),
                         quatNormalized(quatMultiply(rotation, form->turn)) };
}

ProxyStand proxyStand(const Rigid *rigid)
{
    return proxyStandAt(&rigid->form, rigid->body.position, rigid->body.rotation);
}
