#include "contact/contact.h"

#include "base/quaternion.h"

static Mat3 matrixOf(const double *q)
{
    return quatMatrix((vvQuat){ q[0], q[1], q[2], q[3] });
}

Vec3 poseCarry(const Pose *from, const Pose *to, Vec3 local)
{
    Vec3 before = vecAdd(matApply(&from->turn, local), from->position);
    Vec3 after = vecAdd(matApply(&to->turn, local), to->position);
    return vecSub(after, before);
}

Pose poseMake(Vec3 position, vvQuat rotation)
{
    Pose pose = { .quaternion = { rotation.w, rotation.x, rotation.y, rotation.z }, .position = position };
    pose.turn = matrixOf(pose.quaternion);
    return pose;
}

// positions on a straight line, rotations on the shorter arc
Pose colliderPose(const Collider *collider, double fraction)
{
    if (collider->rigid > 0 && collider->moves)
        fraction = (fraction - collider->from) / (collider->to - collider->from);
    if (!collider->moves || fraction == 0)
        return collider->start;
    if (fraction == 1)
        return collider->target;
    const Pose *a = &collider->start, *b = &collider->target;
    double cosine = 0, length = 0;
    for (int i = 0; i < 4; ++i)
        cosine += a->quaternion[i] * b->quaternion[i];
    Pose pose;
    for (int i = 0; i < 4; ++i)
    {
        double end = cosine < 0 ? -b->quaternion[i] : b->quaternion[i];
        pose.quaternion[i] = (1 - fraction) * a->quaternion[i] + fraction * end;
        length += pose.quaternion[i] * pose.quaternion[i];
    }
    for (int i = 0; i < 4; ++i)
        pose.quaternion[i] /= sqrt(length);
    pose.turn = matrixOf(pose.quaternion);
    pose.position = vecAdd(a->position, vecScale(fraction, vecSub(b->position, a->position)));
    return pose;
}

Vec3 colliderDisplacement(const Collider *collider, double from, double to, const ColliderPlace *place)
{
    if (!collider->moves)
        return vec3(0, 0, 0);
    Pose before = colliderPose(collider, from), after = colliderPose(collider, to);
    if (!collider->deforms)
        return poseCarry(&before, &after, place->local);
    Vec3 way = shapeCarry(collider->shape, place->moment, place->local, place->feature);
    Vec3 first = vecAdd(place->local, vecScale(from - place->moment, way));
    Vec3 last = vecAdd(place->local, vecScale(to - place->moment, way));
    return vecSub(vecAdd(matApply(&after.turn, last), after.position),
                  vecAdd(matApply(&before.turn, first), before.position));
}
