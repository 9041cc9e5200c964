// Colliders and rigid bodies of a recorded run: where the scene's keyframes and the recorded poses put them.
#include "tool/render.h"

static const vvShape *shapeOf(const Run *run, int index)
{
    int scenery = sceneColliderCount(run->built);
    return index < scenery ? sceneColliderShape(run->built, index) : sceneRigidShape(run->built, index - scenery);
}

vvResult collidersOpen(Run *run)
{
    int scenery = sceneColliderCount(run->built), count = scenery + sceneRigidCount(run->built);
    if (count == 0)
        return resultOk();
    run->show.collider = ALLOCATE(run->show.memory, ShownCollider, count);
    run->show.colliderCount = run->show.collider != NULL ? count : 0;
    bool enough = run->show.collider != NULL;
    for (int i = 0; i < count && enough; ++i)
        enough = shownColliderStart(run->show.memory, &run->show.collider[i], shapeOf(run, i),
                                    i >= scenery ? i - scenery : -1);
    return enough ? resultOk() : resultOutOfMemory("the colliders of a run");
}

static Pose poseOf(const Run *run, int index, int frame)
{
    if (run->show.collider[index].rigid >= 0)
    {
        vvPose pose = rigidPose(run, run->show.collider[index].rigid, frame);
        return poseMake(pose.position, pose.rotation);
    }
    vvVec3 position, rotate;
    sceneColliderPose(run->built, index, frame * run->timestep, &position, &rotate);
    return poseMake(position, vvQuat_FromDegrees(rotate));
}

void collidersLoad(Run *run, int frame)
{
    for (int i = 0; i < run->show.colliderCount; ++i)
    {
        ShownCollider *collider = &run->show.collider[i];
        bool deforms =
            collider->rigid < 0 && sceneColliderPoints(run->built, i, frame * run->timestep, collider->points) > 0;
        shownColliderPlace(collider, poseOf(run, i, frame), deforms ? collider->points : NULL);
    }
}
