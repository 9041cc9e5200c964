// The poses of rigid bodies in a recorded run.
#include "tool/render.h"

#include "record/replay.h"

vvResult rigidRead(Run *run, const char *folder, const char *stem)
{
    return posesRead(run->show.memory, folder, stem, sceneRigidCount(run->built), &run->pose, &run->poseCount);
}

vvPose rigidPose(const Run *run, int index, int frame)
{
    if (run->poseCount == 0)
        return vvRigidBody_GetPose(sceneRigid(run->built, index));
    int at = frame < run->poseCount ? frame : run->poseCount - 1;
    const double *p = run->pose + POSE_NUMBERS * ((size_t)at * (size_t)sceneRigidCount(run->built) + (size_t)index);
    return (vvPose){ vecLoad(p), { p[3], p[4], p[5], p[6] } };
}
