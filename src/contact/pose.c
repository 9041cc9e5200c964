#include "contact/contact.h"

static Mat3 matrixOf(const double *q)
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    return (Mat3){ { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
                     { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
                     { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } } };
}

// a after b
static void quaternionMultiply(const double *a, const double *b, double *c)
{
    c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

Vec3 poseCarry(const Pose *from, const Pose *to, Vec3 local)
{
    Vec3 before = vecAdd(matApply(&from->turn, local), from->position);
    Vec3 after = vecAdd(matApply(&to->turn, local), to->position);
    return vecSub(after, before);
}

Pose poseMake(Vec3 position, Vec3 degrees)
{
    const double angle[3] = { degrees.x, degrees.y, degrees.z };
    double turn[4] = { 1, 0, 0, 0 };
    for (int axis = 0; axis < 3; ++axis)
    {
        double one[4] = { 0, 0, 0, 0 }, both[4];
        sineCosine(angle[axis] * PI / 360, &one[1 + axis], &one[0]);
        quaternionMultiply(one, turn, both);
        for (int i = 0; i < 4; ++i)
            turn[i] = both[i];
    }
    Pose pose = { .quaternion = { turn[0], turn[1], turn[2], turn[3] }, .position = position };
    pose.turn = matrixOf(pose.quaternion);
    return pose;
}

// positions on a straight line, rotations on the shorter arc
Pose colliderPose(const Collider *collider, double fraction)
{
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

Vec3 colliderWay(const Collider *collider, double from, const Pose *to, Vec3 local)
{
    if (!collider->moves)
        return vec3(0, 0, 0);
    Pose before = colliderPose(collider, from);
    return poseCarry(&before, to, local);
}
