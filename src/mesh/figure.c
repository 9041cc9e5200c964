// The figure walks: thighs, shanks, feet and arms turn about their joints in the plane of its way, and the lower foot
// stays on the ground. Lengths in the figure's own unit, in which it is 1.8 m tall.
#include "base/base.h"
#include "mesh/build.h"
#include "mesh/model.h"

#include <string.h>

#define PERIOD 1.1   // s, two steps
#define SPEED 1.3    // m/s
#define SETS_OUT 0.5 // s, until it walks with full steps
#define MOST_TIME 1e6
#define SOFT 0.06   // m: bones whose surface is that much farther than the nearest do not move a point
#define MIDDLE 0.03 // m: nearer to the middle than this, limbs move a point less
#define DEGREE (PI / 180)

// The limbs of the left side; those of the right side have the same numbers, negative.
enum
{
    TRUNK,
    THIGH,
    SHANK,
    FOOT,
    UPPER_ARM,
    FOREARM,
    BONES,
};

// A bone turns by an angle in the plane of x and y about its joint, which has moved.
typedef struct Bone
{
    Vec3 joint, now;
    double sine, cosine;
} Bone;

typedef struct Skeleton
{
    Bone bone[2][BONES]; // left, right
} Skeleton;

static Vec3 boneMove(const Bone *bone, Vec3 point)
{
    Vec3 off = vecSub(point, bone->joint);
    Vec3 turned = vec3(bone->cosine * off.x - bone->sine * off.y, bone->sine * off.x + bone->cosine * off.y, off.z);
    return vecAdd(bone->now, turned);
}

static const Bone *boneOf(const Skeleton *skeleton, int number)
{
    return &skeleton->bone[number < 0][number < 0 ? -number : number];
}

// 0 to 1 while it sets out; `way`: the seconds of full walk that it has gone
static double stride(double time, double *way)
{
    double u = minReal(1, maxReal(0, time / SETS_OUT));
    *way = SETS_OUT * u * u * u * (1 - 0.5 * u) + maxReal(0, time - SETS_OUT);
    return u * u * (3 - 2 * u);
}

// the angles of one side, radians, forward is positive; `phase` of its leg, a quarter of a turn: it is in front
static void limbAngles(double phase, double size, double *angle)
{
    double sine, cosine, swing, unused;
    sineCosine(phase, &sine, &cosine);
    sineCosine(phase + 0.2, &unused, &swing);
    double lift = 0.25 * (1 + swing) * (1 + swing); // 1 while the leg swings forward
    angle[TRUNK] = 0;
    angle[THIGH] = size * DEGREE * (5 + 23 * sine);
    angle[SHANK] = angle[THIGH] - size * DEGREE * (6 + 44 * lift);
    angle[FOOT] = size * DEGREE * (-5 + 16 * sine);
    angle[UPPER_ARM] = size * DEGREE * -22 * sine;
    angle[FOREARM] = angle[UPPER_ARM] + size * DEGREE * (18 - 9 * sine);
}

static void sideMake(Bone *bone, double phase, double size, double z)
{
    static const Vec3 joint[BONES] = { { 0, 0.97, 0 },     { 0, 0.91, 0.1 },  { 0.01, 0.5, 0.11 },
                                       { 0, 0.09, 0.115 }, { 0, 1.42, 0.19 }, { 0, 1.15, 0.27 } };
    static const int parent[BONES] = { TRUNK, TRUNK, THIGH, SHANK, TRUNK, UPPER_ARM };
    double angle[BONES];
    limbAngles(phase, size, angle);
    for (int i = 0; i < BONES; ++i)
    {
        bone[i].joint = vec3(joint[i].x, joint[i].y, z * joint[i].z);
        bone[i].now = i == TRUNK ? bone[i].joint : boneMove(&bone[parent[i]], bone[i].joint);
        sineCosine(angle[i], &bone[i].sine, &bone[i].cosine);
    }
}

// how far the soles of the feet are below the trunk's joint
static double soleDepth(const Model *model, const Skeleton *skeleton)
{
    double lowest = INFINITY;
    for (int i = 0; i < model->count; ++i)
    {
        const Part *part = &model->part[i];
        if (part->bone != FOOT && part->bone != -FOOT)
            continue;
        const Bone *bone = boneOf(skeleton, part->bone);
        lowest = minReal(lowest, boneMove(bone, part->a).y - part->r);
        lowest = minReal(lowest, boneMove(bone, part->b).y - part->s);
    }
    return lowest;
}

// `model`: standing
static void skeletonMake(Skeleton *skeleton, const Model *model, double time, bool inPlace)
{
    double way, size = stride(time, &way), phase = 2 * PI * fmod(way, PERIOD) / PERIOD;
    Skeleton standing;
    for (int side = 0; side < 2; ++side)
    {
        sideMake(skeleton->bone[side], phase + side * PI, size, side == 0 ? 1 : -1);
        sideMake(standing.bone[side], 0, 0, side == 0 ? 1 : -1);
    }
    Vec3 shift = vec3(inPlace ? 0 : SPEED * way, soleDepth(model, &standing) - soleDepth(model, skeleton), 0);
    for (int i = 0; i < 2 * BONES; ++i)
        skeleton->bone[i / BONES][i % BONES].now = vecAdd(skeleton->bone[i / BONES][i % BONES].now, shift);
}

void figurePose(Model *model, double time)
{
    Skeleton skeleton;
    skeletonMake(&skeleton, model, time, true);
    for (int i = 0; i < model->count; ++i)
    {
        Part *part = &model->part[i];
        const Bone *bone = boneOf(&skeleton, part->bone);
        part->a = boneMove(bone, part->a);
        if (part->kind == PART_CONE)
            part->b = boneMove(bone, part->b);
    }
    modelEnclose(model);
}

// ---- skinning -------------------------------------------------------------------------------------------------------

// m, to the parts of each bone of the point's side
static void boneDistances(const Model *model, Vec3 point, double *distance)
{
    for (int i = 0; i < BONES; ++i)
        distance[i] = INFINITY;
    for (int i = 0; i < model->count; ++i)
    {
        const Part *part = &model->part[i];
        if (part->bone != 0 && (part->bone < 0) != (point.z < 0))
            continue;
        int bone = part->bone < 0 ? -part->bone : part->bone;
        distance[bone] = minReal(distance[bone], partDistance(part, point));
    }
}

static Vec3 skin(const Model *model, const Skeleton *skeleton, Vec3 point)
{
    double distance[BONES], least = INFINITY, sum = 0, middle = minReal(1, fabs(point.z) / MIDDLE);
    Vec3 moved = { 0, 0, 0 };
    boneDistances(model, point, distance);
    for (int i = 0; i < BONES; ++i)
        least = minReal(least, distance[i]);
    for (int i = 0; i < BONES; ++i)
    {
        double near = maxReal(0, 1 - (distance[i] - least) / SOFT);
        double weight = near * near * (i == TRUNK ? 1 : middle) + (i == TRUNK ? 1e-9 : 0);
        sum += weight;
        moved = vecAdd(moved, vecScale(weight, boneMove(&skeleton->bone[point.z < 0][i], point)));
    }
    return vecScale(1 / sum, moved);
}

vvResult vvWalkFigure(double size, double time, const double *points, int count, double *out)
{
    if (!(size > 0 && isfinite(size)))
        return resultMake(VV_BAD_INPUT, "give the size that the figure was made with",
                          "size is %g m, must be above 0 and finite", size);
    if (!(time >= 0 && time <= MOST_TIME))
        return resultMake(VV_BAD_INPUT, "give the seconds since it began to walk", "time is %g s, must be 0 to %g",
                          time, MOST_TIME);
    if (count < 0 || (count > 0 && (points == NULL || out == NULL)))
        return resultMake(VV_BAD_INPUT, "give both arrays, 3 numbers a point",
                          count < 0 ? "count is %d, must be at least 0" : "an array of %d points is NULL", count);
    if (time == 0)
    {
        memmove(out, points, 3 * (size_t)count * sizeof *out);
        return resultOk();
    }
    const ModelTable *table = modelTable(VV_MESH_FIGURE);
    Model model;
    Skeleton skeleton;
    Vec3 centre;
    double factor = modelScale(table, size, &centre);
    modelMake(&model, table);
    skeletonMake(&skeleton, &model, time, false);
    for (size_t v = 0; v < (size_t)count; ++v)
    {
        Vec3 rest = vecAdd(centre, vecScale(1 / factor, vecLoad(points + 3 * v)));
        vecStore(out + 3 * v, vecScale(factor, vecSub(skin(&model, &skeleton, rest), centre)));
    }
    return resultOk();
}
