// Rigid bodies on a slider that stands still, with springs along it, near soft ones. They have one way to go, and their
// island integrates it (contact/movable.h): a light plate on stiff springs swings faster than a step can foresee. Their
// own step says what joints bear; along the slider they then are where the island had them.
#include "world/world.h"

#define SHIFT 1e-4 // of the radius, by which the energy of springs is differentiated

static bool touches(const WorldJoint *joint, int slot)
{
    return joint->used && !joint->broken && (joint->bodyA == slot || joint->bodyB == slot);
}

// a spring to the world that drives and damps nothing
static bool isSpring(const vvJointDef *def, const WorldJoint *joint)
{
    return (joint->bodyA < 0 || joint->bodyB < 0) && def->motor == VV_MOTOR_NONE && def->compliance > 0 &&
           def->damping == 0 && def->angularDamping == 0;
}

static bool isSlider(const vvJointDef *def, const WorldJoint *joint)
{
    return (joint->bodyA < 0 || joint->bodyB < 0) && def->kind == VV_JOINT_SLIDER && def->motor == VV_MOTOR_NONE &&
           def->compliance == 0 && def->angularCompliance == 0 && def->damping == 0 && def->angularDamping == 0 &&
           isinf(def->lower) && isinf(def->upper);
}

// the one slider of a body that springs hold besides; NULL: it is held otherwise
static const WorldJoint *sliderOf(const World *world, int slot)
{
    const WorldJoint *slider = NULL;
    for (int i = 0; i < world->joints.slotCount; ++i)
    {
        const WorldJoint *joint = &world->joints.item[i];
        if (!touches(joint, slot) || isSpring(&joint->def, joint))
            continue;
        if (slider != NULL || !isSlider(&joint->def, joint))
            return NULL;
        slider = joint;
    }
    return slider;
}

// J, of the springs, for the body at another place
static double storedAt(World *world, int slot, Vec3 position)
{
    RigidBody *body = &world->rigids.item[slot].body;
    Vec3 kept = body->position;
    double sum = 0;
    body->position = position;
    for (int i = 0; i < world->joints.slotCount; ++i)
    {
        const WorldJoint *joint = &world->joints.item[i];
        if (touches(joint, slot))
            sum += jointEnergy(&joint->joint, jointBody(world, joint->bodyA), jointBody(world, joint->bodyB));
    }
    body->position = kept;
    return sum;
}

MovableRail railOf(World *world, int slot)
{
    const Rigid *rigid = &world->rigids.item[slot];
    const RigidBody *body = &rigid->body;
    const WorldJoint *slider = rigid->hold.clear && !rigid->hold.alone ? sliderOf(world, slot) : NULL;
    if (slider == NULL || !isfinite(body->radius))
        return (MovableRail){ .on = false };
    vvQuat frame = slider->bodyA == slot ? slider->joint.frameA : slider->joint.frameB;
    Vec3 along = quatRotate(body->rotation, quatRotate(frame, vec3(1, 0, 0)));
    double shift = SHIFT * body->radius, here = storedAt(world, slot, body->position);
    double ahead = storedAt(world, slot, vecAdd(body->position, vecScale(shift, along)));
    double behind = storedAt(world, slot, vecSub(body->position, vecScale(shift, along)));
    Vec3 outer = vecAdd(body->force, vecScale(body->mass, world->gravity));
    return (MovableRail){ .on = true,
                          .along = along,
                          .mass = body->mass,
                          .pull = vecDot(along, outer) - 0.5 * (ahead - behind) / shift,
                          .stiffness = maxReal((ahead - 2 * here + behind) / (shift * shift), 0) };
}

// in the step that it took; what was only near has not touched
static bool isClear(const RigidSystem *system, const RigidBody *body)
{
    for (int i = 0; i < system->contactCount; ++i)
    {
        if (system->contact[i].a == body || system->contact[i].b == body)
            return false;
    }
    return true;
}

// J: what the joints of a body hold more than before the step; they and the body lost nothing in it
static double settleJoints(World *world, int slot)
{
    double more = 0;
    for (int i = 0; i < world->joints.slotCount; ++i)
    {
        WorldJoint *joint = &world->joints.item[i];
        if (!touches(joint, slot))
            continue;
        Joint *j = &joint->joint;
        j->energy = jointEnergy(j, jointBody(world, joint->bodyA), jointBody(world, joint->bodyB));
        more += j->energy - joint->marked.energy;
        j->work = j->dissipated = 0;
    }
    return more;
}

static void settle(World *world, int slot)
{
    Rigid *rigid = &world->rigids.item[slot];
    RigidBody *body = &rigid->body;
    const Movable *movable = rigid->movable;
    Vec3 along = movable->rail.along;
    Vec3 lacks = vecSub(movable->at, body->position), slower = vecSub(movable->rate, body->velocity);
    body->position = vecAdd(body->position, vecScale(vecDot(along, lacks), along));
    body->velocity = vecAdd(body->velocity, vecScale(vecDot(along, slower), along));
    Vec3 way = vecSub(body->position, rigid->marked.position);
    body->added = vecDot(body->force, way);
    body->dissipated = body->yielded = 0;
    body->reactionWork = rigidKinetic(body) - rigidKinetic(&rigid->marked) -
                         body->mass * vecDot(world->gravity, way) - body->added + settleJoints(world, slot);
}

void railsSettle(World *world)
{
    Rigids *rigids = &world->rigids;
    for (int i = 0; i < rigids->slotCount && world->meeting; ++i)
    {
        const Rigid *rigid = &rigids->item[i];
        if (rigid->used && meetingIsDone(world, rigid) && rigid->movable->rail.on &&
            isClear(&rigids->system, &rigid->body))
            settle(world, i);
    }
}
