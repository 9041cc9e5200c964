// Pins that go along with a collider, as a cape goes with the shoulders it is sewn to: by its pose, and of one that
// deforms by the triangle that was nearest when the scene began.
#include "scene/built.h"

#include "base/vec.h"
#include "shape/shape.h"

#include <math.h>
#include <stdio.h>

struct Follower
{
    int corner[3]; // points of the collider; the first -1: it does not deform
    Vec3 local;    // m, in the frame of the triangle, or of the collider
};

// the first corner, and unit vectors along the first edge, within the triangle and out of it
static Mat3 frameOf(const double *point, const int *corner, Vec3 *origin)
{
    *origin = vecLoad(point + 3 * (ptrdiff_t)corner[0]);
    Vec3 e = vecSub(vecLoad(point + 3 * (ptrdiff_t)corner[1]), *origin);
    Vec3 n = vecCross(e, vecSub(vecLoad(point + 3 * (ptrdiff_t)corner[2]), *origin));
    double length = vecLength(e), area = vecLength(n);
    e = length > 0 ? vecScale(1 / length, e) : vec3(1, 0, 0);
    n = area > 0 ? vecScale(1 / area, n) : vec3(0, 1, 0);
    Vec3 f = vecCross(n, e);
    return (Mat3){ { { e.x, f.x, n.x }, { e.y, f.y, n.y }, { e.z, f.z, n.z } } };
}

static void bindVertex(const ShapeTriangles *surface, const double *point, Vec3 at, Follower *follower)
{
    double least = INFINITY;
    for (int t = 0; t < surface->triangleCount; ++t)
    {
        const int *corner = surface->triangle + 3 * (ptrdiff_t)t;
        double corners[9];
        for (int c = 0; c < 9; ++c)
            corners[c] = point[3 * (ptrdiff_t)corner[c / 3] + c % 3];
        Region region;
        Vec3 gap = vecSub(at, triangleNearest(corners, at, &region));
        if (!(vecDot(gap, gap) < least))
            continue;
        least = vecDot(gap, gap);
        for (int c = 0; c < 3; ++c)
            follower->corner[c] = corner[c];
    }
    Vec3 origin;
    Mat3 frame = frameOf(point, follower->corner, &origin), back = matTranspose(&frame);
    follower->local = matApply(&back, vecSub(at, origin));
}

// the turn of a collider as a matrix, column by column
static Mat3 turnOf(const Keyframe *pose)
{
    static const vvVec3 axis[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    Mat3 turn;
    for (int c = 0; c < 3; ++c)
    {
        vvVec3 e = rotateDegrees(pose->rotate, axis[c]);
        turn.m[0][c] = e.x;
        turn.m[1][c] = e.y;
        turn.m[2][c] = e.z;
    }
    return turn;
}

static vvResult bindMotion(SceneWorld *built, Motion *motion)
{
    SceneCollider *collider = &built->collider[motion->follow];
    bool deforms = animationIs(&collider->animation);
    ShapeTriangles surface = { .pointCount = 0 };
    motion->follower = ALLOCATE(&built->memory, Follower, motion->count);
    motion->point = ALLOCATE(&built->memory, double, 3 * (size_t)motion->count);
    bool ok = motion->follower != NULL && motion->point != NULL &&
              (!deforms || shapeTriangulate(collider->shape, &built->memory, &surface));
    Mat3 turn = turnOf(&collider->start), back = matTranspose(&turn);
    vvVec3 place = collider->start.move;
    for (int i = 0; i < motion->count && ok; ++i)
    {
        Vec3 at = matApply(&back, vecSub(vecLoad(motion->start + 3 * (ptrdiff_t)i), vec3(place.x, place.y, place.z)));
        motion->follower[i] = (Follower){ { -1, -1, -1 }, at };
        if (deforms)
            bindVertex(&surface, colliderPointsAt(collider, 0), at, &motion->follower[i]);
    }
    shapeTrianglesFree(&built->memory, &surface);
    return ok ? resultOk() : resultOutOfMemory("a pin that follows a collider");
}

vvResult bindFollowers(SceneWorld *built)
{
    vvResult result = resultOk();
    for (int i = 0; i < built->motionCount && result.code == VV_OK; ++i)
    {
        if (built->motion[i].follow >= 0)
            result = bindMotion(built, &built->motion[i]);
    }
    return result;
}

void followersAt(const SceneWorld *built, const Motion *motion, double time)
{
    SceneCollider *collider = &built->collider[motion->follow];
    Keyframe pose = keyframeAt(collider->keyframe, collider->keyframeCount, &collider->start, time);
    Mat3 turn = turnOf(&pose);
    for (int i = 0; i < motion->count; ++i)
    {
        const Follower *follower = &motion->follower[i];
        Vec3 local = follower->local, origin;
        if (follower->corner[0] >= 0)
        {
            Mat3 frame = frameOf(colliderPointsAt(collider, time), follower->corner, &origin);
            local = vecAdd(origin, matApply(&frame, local));
        }
        vecStore(motion->point + 3 * (ptrdiff_t)i,
                 vecAdd(vec3(pose.move.x, pose.move.y, pose.move.z), matApply(&turn, local)));
    }
}
