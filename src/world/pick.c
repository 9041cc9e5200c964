// What a ray hits first: surface triangles of bodies, ropes as round as they are, colliders.
#include "world/world.h"

typedef struct Ray
{
    Vec3 origin, direction; // unit
    double farthest;        // m: nothing beyond counts; shrinks as hits are found
} Ray;

// ---- bodies ----------------------------------------------------------------------------------------------------------

// Moeller and Trumbore 1997, from both sides; `weight` of the three corners
static bool hitTriangle(const Ray *ray, Vec3 a, Vec3 b, Vec3 c, double *distance, double weight[3])
{
    Vec3 ab = vecSub(b, a), ac = vecSub(c, a), p = vecCross(ray->direction, ac);
    double determinant = vecDot(ab, p);
    if (determinant == 0)
        return false;
    const double slack = -1e-12; // a ray through an edge hits one of its triangles
    Vec3 from = vecSub(ray->origin, a);
    weight[1] = vecDot(from, p) / determinant;
    if (!(weight[1] >= slack && weight[1] <= 1 - slack))
        return false;
    Vec3 q = vecCross(from, ab);
    weight[2] = vecDot(ray->direction, q) / determinant;
    weight[0] = 1 - weight[1] - weight[2];
    *distance = vecDot(ac, q) / determinant;
    return weight[0] >= slack && weight[2] >= slack && *distance >= 0;
}

static void hitSurface(const Body *body, const double *x, Ray *ray, vvPick *pick)
{
    for (int t = 0; t < body->mesh->surfaceCount; ++t)
    {
        const int *corner = body->mesh->surface + 3 * (ptrdiff_t)t;
        Vec3 p[3];
        double distance, weight[3];
        for (int k = 0; k < 3; ++k)
            p[k] = vecLoad(x + 3 * (ptrdiff_t)corner[k]);
        if (!hitTriangle(ray, p[0], p[1], p[2], &distance, weight) || !(distance < ray->farthest))
            continue;
        ray->farthest = distance;
        Vec3 normal = vecCross(vecSub(p[1], p[0]), vecSub(p[2], p[0]));
        normal = vecScale(1 / vecLength(normal), normal);
        bool turned = body->mesh->matter == MATTER_SHEET && vecDot(normal, ray->direction) > 0;
        *pick = (vvPick){ .kind = VV_PICK_BODY, .body = bodyId(body), .triangle = t, .distance = distance };
        pick->normal = turned ? vecScale(-1, normal) : normal;
        double sum = 0;
        for (int k = 0; k < 3; ++k)
        {
            pick->vertices[k] = corner[k];
            pick->weights[k] = maxReal(weight[k], 0);
            sum += pick->weights[k];
        }
        for (int k = 0; k < 3; ++k)
            pick->weights[k] /= sum;
    }
}

// first passage through the ball of this radius about a point, or through the endless cylinder when both vectors have lost
// their part along its axis; infinite: none
static double enterRound(Vec3 from, Vec3 direction, double radius)
{
    double square = vecDot(direction, direction), reach = vecDot(from, from) - radius * radius;
    if (reach <= 0 || square == 0)
        return reach <= 0 ? 0 : INFINITY;
    double along = vecDot(from, direction), room = along * along - square * reach;
    return room < 0 || along > 0 ? INFINITY : (-along - sqrt(room)) / square;
}

static Vec3 across(Vec3 a, Vec3 axis)
{
    return vecSub(a, vecScale(vecDot(a, axis), axis));
}

// a capsule: the cylinder between its ends, or one of the balls
static double hitSegment(const Ray *ray, Vec3 a, Vec3 b, double radius)
{
    Vec3 way = vecSub(b, a), from = vecSub(ray->origin, a);
    double length = vecLength(way), first = INFINITY;
    if (length > 0)
    {
        Vec3 axis = vecScale(1 / length, way);
        double side = enterRound(across(from, axis), across(ray->direction, axis), radius);
        double place = vecDot(vecAdd(from, vecScale(side, ray->direction)), axis);
        first = side < INFINITY && place >= 0 && place <= length ? side : INFINITY;
    }
    first = minReal(first, enterRound(from, ray->direction, radius));
    return minReal(first, enterRound(vecSub(ray->origin, b), ray->direction, radius));
}

static void hitRope(const Body *body, const double *x, Ray *ray, vvPick *pick)
{
    const vvMesh *mesh = body->mesh;
    for (int e = 0; e < mesh->edgeCount; ++e)
    {
        const int *end = mesh->edge + 2 * (ptrdiff_t)e;
        Vec3 a = vecLoad(x + 3 * (ptrdiff_t)end[0]), b = vecLoad(x + 3 * (ptrdiff_t)end[1]);
        if (mesh->edgeKind[e] != VV_EDGE_STRUCTURAL)
            continue;
        double distance = hitSegment(ray, a, b, body->contactDef.radius);
        if (!(distance < ray->farthest))
            continue;
        ray->farthest = distance;
        Vec3 way = vecSub(b, a), point = vecAdd(ray->origin, vecScale(distance, ray->direction));
        double share = vecDot(vecSub(point, a), way) / vecDot(way, way);
        share = share > 0 ? minReal(share, 1) : 0; // NaN too: both ends in one place
        Vec3 out = vecSub(point, vecAdd(a, vecScale(share, way)));
        double length = vecLength(out);
        *pick = (vvPick){ .kind = VV_PICK_BODY,
                          .body = bodyId(body),
                          .triangle = mesh->edgeToCaller[e],
                          .vertices = { end[0], end[1], -1 },
                          .weights = { 1 - share, share, 0 },
                          .normal = length > 0 ? vecScale(1 / length, out) : vecScale(-1, ray->direction),
                          .distance = distance };
    }
}

// vertices in the caller's order, and the nearest of them
static void finishBody(const World *world, const Body *body, vvPick *pick)
{
    const double *x = world->state.start + 3 * (ptrdiff_t)body->first;
    double least = INFINITY;
    for (int k = 0; k < 3; ++k)
    {
        int vertex = pick->vertices[k];
        if (vertex < 0)
            continue;
        double away = vecLength(vecSub(vecLoad(x + 3 * (ptrdiff_t)vertex), pick->point));
        pick->vertices[k] = body->mesh->vertexToCaller[vertex];
        pick->vertex = away < least ? pick->vertices[k] : pick->vertex;
        least = minReal(least, away);
    }
}

// ---- colliders -------------------------------------------------------------------------------------------------------

static void hitCollider(const World *world, int slot, Ray *ray, vvPick *pick)
{
    const Collider *collider = &world->colliders.item[slot];
    double distance;
    Mat3 back = matTranspose(&collider->start.turn);
    Vec3 origin = matApply(&back, vecSub(ray->origin, collider->start.position));
    Vec3 direction = matApply(&back, ray->direction);
    if (!shapeCast(collider->shape, origin, direction, ray->farthest, &distance) || !(distance < ray->farthest))
        return;
    ray->farthest = distance;
    Vec3 point = vecAdd(origin, vecScale(distance, direction));
    Vec3 normal = shapeSample(collider->shape, point, INFINITY, -1).normal;
    *pick = (vvPick){ .kind = VV_PICK_COLLIDER,
                      .collider = ID_OF(vvColliderId, world, slot, collider->generation),
                      .triangle = -1,
                      .vertex = -1,
                      .vertices = { -1, -1, -1 },
                      .normal = matApply(&collider->start.turn, normal),
                      .distance = distance };
}

vvPick vvWorld_CastRay(vvWorldId id, vvVec3 origin, vvVec3 direction, double farthest)
{
    const World *world = worldFind(id);
    vvPick pick = { .kind = VV_PICK_NOTHING, .triangle = -1, .vertex = -1, .vertices = { -1, -1, -1 } };
    double length = vecLength(direction);
    if (world == NULL || !vecFinite(origin) || !(length > 0) || !isfinite(length) || !(farthest > 0))
        return pick;
    Ray ray = { origin, vecScale(1 / length, direction), farthest };
    const Body *hit = NULL;
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        const Body *body = world->body[i].body;
        if (body == NULL)
            continue;
        double before = ray.farthest;
        const double *x = world->state.start + 3 * (ptrdiff_t)body->first;
        (body->mesh->matter == MATTER_ROPE ? hitRope : hitSurface)(body, x, &ray, &pick);
        hit = ray.farthest < before ? body : hit;
    }
    for (int i = 0; i < world->colliders.slotCount; ++i)
    {
        if (world->colliders.item[i].used)
            hitCollider(world, i, &ray, &pick);
    }
    if (pick.kind != VV_PICK_NOTHING)
        pick.point = vecAdd(origin, vecScale(pick.distance, ray.direction));
    if (pick.kind == VV_PICK_BODY)
        finishBody(world, hit, &pick);
    return pick;
}
