// What a scene tells its world over time. Everything is a function of the world's time alone, so that a run that goes
// on from a saved state takes the same steps.
#include "scene/built.h"
#include "world/archive.h"

#include <math.h>

#define SNAP 1e-9 // of a step: times closer than this are meant to be equal

// ---- keyframes ------------------------------------------------------------------------------------------------------

static vvVec3 blend(vvVec3 a, vvVec3 b, double s)
{
    return (vvVec3){ a.x + s * (b.x - a.x), a.y + s * (b.y - a.y), a.z + s * (b.z - a.z) };
}

Keyframe keyframeAt(const Keyframe *keyframe, int count, const Keyframe *start, double time)
{
    Keyframe before = *start;
    for (int i = 0; i < count; ++i)
    {
        const Keyframe *next = &keyframe[i];
        if (time < next->time)
        {
            double s = (time - before.time) / (next->time - before.time);
            return (Keyframe){ time, blend(before.move, next->move, s), blend(before.rotate, next->rotate, s) };
        }
        before = *next;
    }
    return before;
}

static void turn(double degrees, double *a, double *b)
{
    double sine, cosine, first = *a, second = *b;
    sineCosine(degrees * (PI / 180), &sine, &cosine);
    *a = cosine * first - sine * second;
    *b = sine * first + cosine * second;
}

vvVec3 rotateDegrees(vvVec3 degrees, vvVec3 p)
{
    turn(degrees.x, &p.y, &p.z);
    turn(degrees.y, &p.z, &p.x);
    turn(degrees.z, &p.x, &p.y);
    return p;
}

vvVec3 motionAt(const Motion *motion, vvVec3 start, double time)
{
    static const Keyframe still = { 0 };
    Keyframe at = keyframeAt(motion->keyframe, motion->keyframeCount, &still, time);
    vvVec3 p = start, c = motion->centre;
    if (at.rotate.x != 0 || at.rotate.y != 0 || at.rotate.z != 0)
    {
        vvVec3 r = rotateDegrees(at.rotate, (vvVec3){ p.x - c.x, p.y - c.y, p.z - c.z });
        p = (vvVec3){ c.x + r.x, c.y + r.y, c.z + r.z };
    }
    return (vvVec3){ p.x + at.move.x, p.y + at.move.y, p.z + at.move.z };
}

// the time of a keyframe where it is the end of a step but for rounding
static double snapTime(const Keyframe *keyframe, int count, double time, double step)
{
    for (int i = 0; i < count; ++i)
    {
        if (fabs(keyframe[i].time - time) < SNAP * step)
            return keyframe[i].time;
    }
    return time;
}

static vvResult moveVertices(const SceneWorld *built, const Motion *motion, double time)
{
    vvResult result = resultOk();
    if (animationIs(&motion->animation))
        animationAt(&motion->animation, time, motion->point);
    if (motion->follow >= 0)
        followersAt(built, motion, time);
    for (int i = 0; i < motion->count && result.code == VV_OK; ++i)
    {
        const double *s = motion->start + 3 * (ptrdiff_t)i;
        vvVec3 target = motionAt(motion, (vvVec3){ s[0], s[1], s[2] }, time);
        if (motion->point != NULL)
        {
            const double *p = motion->point + 3 * (ptrdiff_t)(motion->whole ? motion->vertex[i] : i);
            target = (vvVec3){ p[0], p[1], p[2] };
        }
        if (motion->target != NULL)
        {
            double *t = motion->target + 3 * (ptrdiff_t)motion->vertex[i];
            t[0] = target.x;
            t[1] = target.y;
            t[2] = target.z;
            continue;
        }
        result = motion->attachment ? vvAttachment_MoveTarget(motion->attachment[i], target)
                                    : vvSoftBody_MovePin(motion->body, motion->vertex[i], target);
    }
    return result.code == VV_OK && motion->target ? vvConstraint_MoveSkin(motion->skin, motion->target) : result;
}

static vvResult prepareMotion(const SceneWorld *built, const Motion *motion, double begin, double end)
{
    double step = end - begin;
    if (begin < motion->release - SNAP * step)
    {
        double time = snapTime(motion->keyframe, motion->keyframeCount, end, step);
        bool moves = motion->keyframeCount > 0 || motion->point != NULL;
        return moves ? moveVertices(built, motion, time) : resultOk();
    }
    if (!vvSoftBody_IsPinned(motion->body, motion->vertex[0]))
        return resultOk();
    vvResult result = vvSoftBody_Unpin(motion->body, motion->vertex, motion->count);
    return result.code == VV_OK ? vvWorld_Prepare(vvSoftBody_GetWorld(motion->body)) : result;
}

static bool sameVector(vvVec3 a, vvVec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// a collider that stands still is left alone
static vvResult moveCollider(SceneCollider *collider, double begin, double end)
{
    const Keyframe *list = collider->keyframe;
    int count = collider->keyframeCount;
    if (animationIs(&collider->animation) && animationMoves(&collider->animation, begin, end))
    {
        const double *points = colliderPointsAt(collider, end);
        vvResult result = vvCollider_MovePoints(collider->id, points, collider->animation.pointCount);
        if (result.code != VV_OK)
            return result;
    }
    Keyframe from = keyframeAt(list, count, &collider->start, snapTime(list, count, begin, end - begin));
    Keyframe to = keyframeAt(list, count, &collider->start, snapTime(list, count, end, end - begin));
    if (sameVector(from.move, to.move) && sameVector(from.rotate, to.rotate))
        return resultOk();
    return vvCollider_MoveTo(collider->id, to.move, vvQuat_FromDegrees(to.rotate));
}

// ---- forces ---------------------------------------------------------------------------------------------------------

vvResult pushBody(vvSoftBodyId body, const Pushes *pushes, double begin, double end)
{
    vvResult result = resultOk();
    for (int k = 0; k < pushes->count; ++k)
    {
        const Push *push = &pushes->push[k];
        for (int i = 0; i < 3 * push->count; ++i)
            pushes->sum[3 * (ptrdiff_t)push->vertex[i / 3] + i % 3] = 0;
    }
    for (int k = 0; k < pushes->count; ++k)
    {
        // a step that is covered in part gets that part: the impulse does not depend on the step
        const Push *push = &pushes->push[k];
        double covered = minReal(end, push->to) - maxReal(begin, push->from);
        double covering = maxReal(0, minReal(1, covered / (end - begin)));
        for (int i = 0; i < push->count; ++i)
        {
            double *sum = pushes->sum + 3 * (ptrdiff_t)push->vertex[i], weight = covering * push->share[i];
            sum[0] += weight * push->force.x;
            sum[1] += weight * push->force.y;
            sum[2] += weight * push->force.z;
        }
    }
    for (int k = 0; k < pushes->count; ++k)
    {
        const Push *push = &pushes->push[k];
        for (int i = 0; i < push->count && result.code == VV_OK; ++i)
        {
            const double *sum = pushes->sum + 3 * (ptrdiff_t)push->vertex[i];
            result = vvSoftBody_SetForce(body, push->vertex[i], (vvVec3){ sum[0], sum[1], sum[2] });
        }
    }
    return result;
}

// ---- the step -------------------------------------------------------------------------------------------------------

static vvResult prepareStep(SceneWorld *built)
{
    // steps are counted, not summed: the time has no rounding of its own
    double count = round(vvWorld_GetTime(built->world) / built->step);
    double begin = count * built->step, end = (count + 1) * built->step;
    vvResult result = resultOk();
    for (int i = 0; i < built->motionCount && result.code == VV_OK; ++i)
        result = prepareMotion(built, &built->motion[i], begin, end);
    for (int i = 0; i < built->colliderCount && result.code == VV_OK; ++i)
        result = moveCollider(&built->collider[i], begin, end);
    for (int i = 0; i < built->bodyCount && result.code == VV_OK; ++i)
    {
        if (!built->pushes[i].steady)
            result = pushBody(built->body[i], &built->pushes[i], begin, end);
        if (result.code == VV_OK)
            result = moveMuscles(&built->muscles[i], 0.5 * (begin + end));
    }
    int index = 0;
    TREE_EACH(body, treeItem(built->scene->tree, "bodies"))
    {
        if (result.code == VV_OK)
            result = moveRegions(built, index, body, (count - 1) * built->step, begin);
        if (result.code == VV_OK)
            result = sweepBlades(built->body[index], body, index, begin, end);
        index += 1;
    }
    return result;
}

// ---- saved states ---------------------------------------------------------------------------------------------------

// the time at which the last step before `time` began
static double lastBegin(const SceneWorld *built, double time)
{
    return (round(time / built->step) - 1) * built->step;
}

vvResult sceneReadyFor(SceneWorld *built, double time)
{
    vvResult result = resultOk();
    double before = lastBegin(built, vvWorld_GetTime(built->world));
    int index = 0;
    TREE_EACH(body, treeItem(built->scene->tree, "bodies"))
    {
        if (result.code == VV_OK && isfinite(time))
            result = moveRegions(built, index, body, before, lastBegin(built, time));
        index += 1;
    }
    return result;
}

vvResult sceneRestore(SceneWorld *built, const void *state, size_t size)
{
    double time = archiveTime(state, size), now = vvWorld_GetTime(built->world);
    vvResult result = sceneReadyFor(built, time);
    if (result.code == VV_OK)
        result = vvWorld_RestoreState(built->world, state, size);
    if (result.code == VV_OK || !isfinite(time))
        return result;
    int index = 0;
    TREE_EACH(body, treeItem(built->scene->tree, "bodies"))
    {
        moveRegions(built, index, body, lastBegin(built, time), lastBegin(built, now)); // as it was
        index += 1;
    }
    return result;
}

vvResult sceneStep(SceneWorld *built)
{
    vvResult result = resultOk();
    for (int i = 0; i < built->substeps && result.code == VV_OK; ++i)
    {
        result = prepareStep(built);
        if (result.code == VV_OK)
            result = vvWorld_Step(built->world, built->step);
    }
    return result;
}
