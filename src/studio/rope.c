// Ropes and rods of joints in pictures: straight from end to end, or over the wheels of a pulley.
#include "studio/show.h"

#include "base/quaternion.h"

#include <string.h>

#define MOST_ROPES 256   // of joints; more of them are not seen
#define ROPE_SHARE 0.003 // radius, of the size of what is seen

static int rigidIndex(const vvRigidBodyId *id, int count, vvRigidBodyId wanted)
{
    for (int i = 0; i < count; ++i)
    {
        if (memcmp(&id[i], &wanted, sizeof wanted) == 0)
            return i;
    }
    return -1;
}

static ShownEnd placeEnd(const vvRigidBodyId *id, int count, vvRigidBodyId body, Vec3 point)
{
    int rigid = rigidIndex(id, count, body);
    vvRigidShape part;
    if (rigid < 0 || vvRigidBody_GetShapes(id[rigid], &part, 1) < 1)
        return (ShownEnd){ -1, point };
    return (ShownEnd){ rigid, quatRotateBack(part.rotation, vecSub(point, part.position)) };
}

static void addRope(Show *show, const vvJointDef *def, const vvRigidBodyId *id, int count)
{
    ShownRope *rope = &show->rope[show->ropeCount++];
    rope->end[0] = placeEnd(id, count, def->bodyA, def->frameA.position);
    rope->end[1] = placeEnd(id, count, def->bodyB, def->frameB.position);
    rope->wheels = def->kind == VV_JOINT_PULLEY;
    rope->wheel[0] = def->pulleyA;
    rope->wheel[1] = def->pulleyB;
}

bool ropesFind(Show *show, vvWorldId world)
{
    int joints = vvWorld_GetJoints(world, NULL, 0), rigids = vvWorld_GetRigidBodies(world, NULL, 0);
    if (joints == 0)
        return true;
    vvJointId *joint = ALLOCATE(show->memory, vvJointId, joints);
    vvRigidBodyId *rigid = ALLOCATE(show->memory, vvRigidBodyId, rigids);
    show->rope = ALLOCATE(show->memory, ShownRope, MOST_ROPES);
    bool good = joint != NULL && rigid != NULL && show->rope != NULL;
    if (good)
    {
        vvWorld_GetJoints(world, joint, joints);
        vvWorld_GetRigidBodies(world, rigid, rigids);
    }
    for (int i = 0; i < joints && good && show->ropeCount < MOST_ROPES; ++i)
    {
        vvJointDef def;
        bool known = vvJoint_GetDef(joint[i], &def).code == VV_OK && !vvJoint_IsBroken(joint[i]);
        if (known && (def.kind == VV_JOINT_DISTANCE || def.kind == VV_JOINT_PULLEY))
            addRope(show, &def, rigid, rigids);
    }
    memoryRelease(show->memory, joint);
    memoryRelease(show->memory, rigid);
    return good;
}

static Vec3 endOf(const Show *show, const ShownEnd *end)
{
    for (int i = 0; i < show->colliderCount && end->rigid >= 0; ++i)
    {
        const Pose *pose = &show->collider[i].pose;
        if (show->collider[i].rigid == end->rigid)
            return vecAdd(pose->position, matApply(&pose->turn, end->point));
    }
    return end->point;
}

bool ropesAdd(const Show *show, const Look *look, double least, Stage *stage)
{
    static const int edges[] = { 0, 1, 1, 2, 2, 3 };
    Paint paint = paintSolid(colourHex(0x59616A));
    bool good = true;
    for (int i = 0; i < show->ropeCount && good; ++i)
    {
        const ShownRope *rope = &show->rope[i];
        double points[12];
        int count = 0;
        vecStore(points + 3 * count++, endOf(show, &rope->end[0]));
        for (int k = 0; k < 2 && rope->wheels; ++k)
            vecStore(points + 3 * count++, rope->wheel[k]);
        vecStore(points + 3 * count++, endOf(show, &rope->end[1]));
        good = stageTubes(stage, points, edges, count - 1, maxReal(ROPE_SHARE * look->size, least), NULL, &paint);
    }
    return good;
}
