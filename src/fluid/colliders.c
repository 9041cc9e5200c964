// The colliders of a world as walls of a fluid: their signed distance keeps particles out, and takes the space beyond.
#include "fluid/fluid.h"

#include <string.h>

#define BATCH 32      // particles that are asked about together first
#define PUSHES_MOST 4 // of a particle in a corner

// One collider in a substep.
typedef struct Wall
{
    const Collider *collider;
    Pose to;
    Mat3 back; // out of the world into its frame
    double moments[2];
    double friction;
} Wall;

static bool meets(const FluidColliders *walls, const Collider *collider)
{
    return collider->used && !collider->sensor && (collider->mask & walls->category) != 0 &&
           (walls->mask & collider->category) != 0;
}

// one past the last collider that acts: shapes of rigid bodies, which are walls of another kind, come behind others
static int wallEnd(const FluidColliders *walls)
{
    int end = walls->colliders->slotCount;
    while (end > 0 && !meets(walls, &walls->colliders->item[end - 1]))
        --end;
    return end;
}

static Wall wallOf(const FluidColliders *walls, const Collider *collider, double from, double to)
{
    Wall wall = { .collider = collider, .to = colliderPose(collider, to), .moments = { from, to } };
    wall.back = matTranspose(&wall.to.turn);
    wall.friction = walls->friction < 0 ? collider->friction : walls->friction;
    return wall;
}

static Vec3 localOf(const Wall *wall, Vec3 point)
{
    return matApply(&wall->back, vecSub(point, wall->to.position));
}

// in the collider's frame at the end of the substep
static ShapeSample sampleAt(const Wall *wall, Vec3 local, double limit)
{
    return shapeSampleAt(wall->collider->shape, wall->moments[1], local, limit, -1);
}

// m, in the world, of the place of the surface that was sampled
static Vec3 carryOf(const Wall *wall, Vec3 local, int feature)
{
    const Collider *collider = wall->collider;
    double share = wall->moments[1] - wall->moments[0];
    ColliderPlace place = { .local = local, .moment = wall->moments[1], .feature = feature };
    Vec3 carry = colliderDisplacement(collider, wall->moments[0], wall->moments[1], &place);
    if (!collider->drives)
        return carry;
    return vecAdd(carry, vecScale(share, matApply(&wall->to.turn, collider->travel)));
}

// around a batch of particles
typedef struct Ball
{
    Vec3 centre;
    double radius;
} Ball;

static Ball ballOf(const double *position, int count)
{
    vvBox box = { vecLoad(position), vecLoad(position) };
    for (int i = 1; i < count; ++i)
        boxInclude(&box, vecLoad(position + 3 * (ptrdiff_t)i));
    Vec3 centre = vecScale(0.5, vecAdd(box.lower, box.upper));
    return (Ball){ centre, vecLength(vecSub(box.upper, centre)) };
}

// whether any particle of a batch may be nearer than `reach`
static bool mayReach(const Wall *wall, const Ball *ball, double reach)
{
    double limit = ball->radius + reach;
    return sampleAt(wall, localOf(wall, ball->centre), limit).distance < limit;
}

// ---- density --------------------------------------------------------------------------------------------------------

static void coverBatch(const Wall *wall, const FluidNear *near, int first, int end)
{
    for (int i = first; i < end; ++i)
    {
        Vec3 local = localOf(wall, vecLoad(near->position + 3 * (ptrdiff_t)i));
        ShapeSample sample = sampleAt(wall, local, near->reach);
        if (!(sample.distance < near->reach))
            continue;
        Vec3 normal = matApply(&wall->to.turn, sample.normal);
        Vec3 carry = wall->collider->moves ? carryOf(wall, local, sample.feature) : vec3(0, 0, 0);
        fluidCoverFixed(near, i, sample.distance, normal, vecDot(carry, normal));
    }
}

static void cover(void *context, const FluidNear *near)
{
    const FluidColliders *walls = context;
    for (int c = 0, last = wallEnd(walls); c < last; ++c)
    {
        const Collider *collider = &walls->colliders->item[c];
        if (!meets(walls, collider))
            continue;
        Wall wall = wallOf(walls, collider, near->from, near->to);
        for (int first = 0; first < near->count; first += BATCH)
        {
            int end = minInt(first + BATCH, near->count);
            Ball ball = ballOf(near->position + 3 * (ptrdiff_t)first, end - first);
            if (mayReach(&wall, &ball, near->reach))
                coverBatch(&wall, near, first, end);
        }
    }
}

// ---- contact --------------------------------------------------------------------------------------------------------

// true: the particle was too near, and has moved
static bool pushParticle(const Wall *wall, const FluidPush *push, int particle)
{
    Vec3 local = localOf(wall, vecLoad(push->position + 3 * (ptrdiff_t)particle));
    ShapeSample sample = sampleAt(wall, local, push->radius);
    if (!(sample.distance < push->radius))
        return false;
    FluidTouch touch = { .depth = push->radius - sample.distance,
                         .normal = matApply(&wall->to.turn, sample.normal),
                         .carry = carryOf(wall, local, sample.feature),
                         .friction = wall->friction };
    push->books->added += fluidPushOut(push, particle, &touch).work;
    return true;
}

// those that `moves` names; `moved`: who was pushed
static bool pushBatch(const Wall *wall, const FluidPush *push, int first, int end, const bool *moves, bool *moved)
{
    bool pushed = false;
    for (int i = first; i < end; ++i)
    {
        if (!moves[i - first] || !pushParticle(wall, push, i))
            continue;
        pushed = moved[i - first] = true;
    }
    return pushed;
}

// Colliders one after the other, again while they push: a particle in a corner is kept out of both sides.
static void pushFrom(void *context, const FluidPush *push)
{
    const FluidColliders *walls = context;
    int last = wallEnd(walls);
    for (int first = 0; first < push->count; first += BATCH)
    {
        int end = minInt(first + BATCH, push->count);
        const double *position = push->position + 3 * (ptrdiff_t)first;
        Ball ball = ballOf(position, end - first);
        bool pushed = true, moves[BATCH], moved[BATCH];
        memset(moved, true, sizeof moved);
        for (int round = 0; round < PUSHES_MOST && pushed; ++round)
        {
            pushed = false;
            memcpy(moves, moved, sizeof moves); // what nothing has pushed, nothing will
            memset(moved, false, sizeof moved);
            for (int c = 0; c < last; ++c)
            {
                const Collider *collider = &walls->colliders->item[c];
                if (!meets(walls, collider))
                    continue;
                Wall wall = wallOf(walls, collider, push->from, push->to);
                if (!mayReach(&wall, &ball, push->radius) || !pushBatch(&wall, push, first, end, moves, moved))
                    continue;
                pushed = true;
                ball = ballOf(position, end - first);
            }
        }
    }
}

FluidWalls fluidWallsOf(FluidColliders *colliders)
{
    if (colliders->colliders->count == 0)
        return (FluidWalls){ 0 };
    return (FluidWalls){ .context = colliders, .cover = cover, .push = pushFrom };
}

// of its frame, and of the corners of its box if that is finite
static double wayOf(const Collider *collider)
{
    if (!collider->moves)
        return 0;
    double farthest = vecLength(vecSub(collider->target.position, collider->start.position));
    vvBox box = collider->deforms ? shapeSweptBounds(collider->shape) : vvShape_GetBounds(collider->shape);
    for (int i = 0; i < 8; ++i)
    {
        Vec3 corner = vec3(i & 1 ? box.upper.x : box.lower.x, i & 2 ? box.upper.y : box.lower.y,
                           i & 4 ? box.upper.z : box.lower.z);
        if (vecFinite(corner))
            farthest = maxReal(farthest, vecLength(poseCarry(&collider->start, &collider->target, corner)));
    }
    return farthest + (collider->deforms ? shapeFarthest(collider->shape) : 0);
}

double fluidWallWay(const Colliders *colliders)
{
    double farthest = 0;
    for (int c = 0; c < colliders->slotCount; ++c)
        farthest = maxReal(farthest, colliders->item[c].used ? wayOf(&colliders->item[c]) : 0);
    return farthest;
}
