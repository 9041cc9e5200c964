// What a ray or a ball that moves hits first, and what is nearest to a point: surface triangles of bodies, ropes as
// round as they are, rigid bodies, colliders.
#include "world/world.h"

// A ball whose centre moves along a ray; with radius 0 the ray itself.
typedef struct Ray
{
    Vec3 origin, direction; // unit
    double radius;          // m
    double farthest;        // m: nothing beyond counts; shrinks as hits are found
} Ray;

static vvPick nothing(void)
{
    return (vvPick){ .kind = VV_PICK_NOTHING, .triangle = -1, .vertex = -1, .vertices = { -1, -1, -1 } };
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

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

static Vec3 pointOf(const Ray *ray, double distance)
{
    return vecAdd(ray->origin, vecScale(distance, ray->direction));
}

static void setWeights(vvPick *pick, const double weight[3])
{
    double sum = 0;
    for (int k = 0; k < 3; ++k)
        sum += pick->weights[k] = maxReal(weight[k], 0);
    for (int k = 0; k < 3; ++k)
        pick->weights[k] /= sum;
}

// where a ball that has come so far touches a facet of a body, and the direction from there to its centre
static void touchFacet(const Ray *ray, const Facet *facet, double distance, vvPick *pick)
{
    double weight[3];
    Vec3 centre = pointOf(ray, distance), nearest = facetNearest(facet, centre, weight), out = vecSub(centre, nearest);
    double length = vecLength(out);
    pick->normal = length > 0 ? vecScale(1 / length, out) : vecScale(-1, ray->direction);
    pick->point = vecAdd(nearest, vecScale(facet->radius, pick->normal));
    pick->distance = distance;
    setWeights(pick, weight);
}

static void hitSurface(const Body *body, const double *x, Ray *ray, vvPick *pick)
{
    for (int t = 0; t < body->mesh->surfaceCount; ++t)
    {
        const int *corner = body->mesh->surface + 3 * (ptrdiff_t)t;
        Facet facet = { .corners = 3 };
        Vec3 *p = facet.corner;
        double distance, weight[3];
        for (int k = 0; k < 3; ++k)
            p[k] = vecLoad(x + 3 * (ptrdiff_t)corner[k]);
        if (ray->radius > 0)
            distance = facetSweep(&facet, ray->origin, ray->direction, ray->radius);
        else if (!hitTriangle(ray, p[0], p[1], p[2], &distance, weight))
            continue;
        if (!(distance < ray->farthest))
            continue;
        ray->farthest = distance;
        *pick = (vvPick){ .kind = VV_PICK_BODY, .body = bodyId(body), .triangle = t, .distance = distance };
        for (int k = 0; k < 3; ++k)
            pick->vertices[k] = corner[k];
        if (ray->radius > 0)
        {
            touchFacet(ray, &facet, distance, pick);
            continue;
        }
        Vec3 normal = vecCross(vecSub(p[1], p[0]), vecSub(p[2], p[0]));
        normal = vecScale(1 / vecLength(normal), normal);
        bool turned = body->mesh->matter == MATTER_SHEET && vecDot(normal, ray->direction) > 0;
        pick->normal = turned ? vecScale(-1, normal) : normal;
        pick->point = pointOf(ray, distance);
        setWeights(pick, weight);
    }
}

static void hitRope(const Body *body, const double *x, Ray *ray, vvPick *pick)
{
    const vvMesh *mesh = body->mesh;
    for (int e = 0; e < mesh->edgeCount; ++e)
    {
        const int *end = mesh->edge + 2 * (ptrdiff_t)e;
        if (mesh->edgeKind[e] != VV_EDGE_STRUCTURAL)
            continue;
        Facet segment = { .corner = { vecLoad(x + 3 * (ptrdiff_t)end[0]), vecLoad(x + 3 * (ptrdiff_t)end[1]) },
                          .corners = 2,
                          .radius = body->contactDef.radius };
        double distance = facetSweep(&segment, ray->origin, ray->direction, ray->radius);
        if (!(distance < ray->farthest))
            continue;
        ray->farthest = distance;
        *pick = (vvPick){ .kind = VV_PICK_BODY,
                          .body = bodyId(body),
                          .triangle = mesh->edgeToCaller[e],
                          .vertices = { end[0], end[1], -1 } };
        touchFacet(ray, &segment, distance, pick);
        if (ray->radius == 0)
            pick->point = pointOf(ray, distance);
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

// ---- shapes: rigid bodies and colliders -----------------------------------------------------------------------------

static bool hitShape(const vvShape *shape, Pose pose, Ray *ray, vvPick *pick)
{
    double distance;
    Mat3 back = matTranspose(&pose.turn);
    Vec3 origin = matApply(&back, vecSub(ray->origin, pose.position));
    Vec3 direction = matApply(&back, ray->direction);
    bool hit = ray->radius > 0 ? shapeSweep(shape, origin, ray->radius, direction, ray->farthest, &distance)
                               : shapeCast(shape, origin, direction, ray->farthest, &distance);
    if (!hit || !(distance < ray->farthest))
        return false;
    ray->farthest = distance;
    ShapeSample sample = shapeSample(shape, vecAdd(origin, vecScale(distance, direction)), INFINITY, -1);
    Vec3 normal = matApply(&pose.turn, sample.normal), point = pointOf(ray, distance);
    *pick = nothing();
    pick->point = ray->radius > 0 ? vecSub(point, vecScale(sample.distance, normal)) : point;
    pick->normal = normal;
    pick->distance = distance;
    return true;
}

static bool nearShape(const vvShape *shape, Pose pose, Ray *ray, vvPick *pick)
{
    Mat3 back = matTranspose(&pose.turn);
    Vec3 local = matApply(&back, vecSub(ray->origin, pose.position));
    ShapeSample sample = shapeSample(shape, local, ray->farthest > 0 ? ray->farthest : INFINITY, -1);
    if (!(sample.distance < ray->farthest))
        return false;
    ray->farthest = sample.distance;
    *pick = nothing();
    pick->normal = matApply(&pose.turn, sample.normal);
    pick->point = vecSub(ray->origin, vecScale(sample.distance, pick->normal));
    pick->distance = sample.distance;
    return true;
}

typedef bool Meeting(const vvShape *shape, Pose pose, Ray *ray, vvPick *pick);

static void meetShapes(const World *world, Meeting *meet, Ray *ray, vvPick *pick)
{
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        const Rigid *rigid = &world->rigids.item[i];
        bool met = false;
        for (int k = 0; rigid->used && k < rigid->body.shapeCount; ++k)
            met |= meet(rigid->body.shape[k].shape, rigidShapePose(&rigid->body, k), ray, pick);
        if (!met)
            continue;
        pick->kind = VV_PICK_RIGID;
        pick->rigid = ID_OF(vvRigidBodyId, world, i, rigid->generation);
    }
    for (int i = 0; i < world->colliders.slotCount; ++i)
    {
        const Collider *collider = &world->colliders.item[i];
        if (!collider->used || !meet(collider->shape, collider->start, ray, pick))
            continue;
        pick->kind = VV_PICK_COLLIDER;
        pick->collider = ID_OF(vvColliderId, world, i, collider->generation);
    }
}

vvPick vvWorld_CastSphere(vvWorldId id, vvVec3 origin, double radius, vvVec3 direction, double farthest)
{
    const World *world = worldFind(id);
    vvPick pick = nothing();
    double length = vecLength(direction);
    if (world == NULL || !vecFinite(origin) || !(length > 0) || !isfinite(length) || !(farthest > 0) ||
        !(radius >= 0 && radius <= VAST))
        return pick;
    Ray ray = { origin, vecScale(1 / length, direction), radius, farthest };
    const Body *hit = NULL;
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        const Body *body = world->body[i].body;
        if (body == NULL || body->proxyOf > 0)
            continue;
        double before = ray.farthest;
        const double *x = world->state.start + 3 * (ptrdiff_t)body->first;
        (body->mesh->matter == MATTER_ROPE ? hitRope : hitSurface)(body, x, &ray, &pick);
        hit = ray.farthest < before ? body : hit;
    }
    meetShapes(world, hitShape, &ray, &pick);
    if (pick.kind == VV_PICK_BODY)
        finishBody(world, hit, &pick);
    return pick;
}

vvPick vvWorld_CastRay(vvWorldId id, vvVec3 origin, vvVec3 direction, double farthest)
{
    return vvWorld_CastSphere(id, origin, 0, direction, farthest);
}

// ---- what is nearest ------------------------------------------------------------------------------------------------

// the nearest facet of a body's surface, or edge of a rope
static void nearBody(const Body *body, const double *x, Ray *ray, vvPick *pick)
{
    const vvMesh *mesh = body->mesh;
    bool rope = mesh->matter == MATTER_ROPE;
    for (int t = 0; t < (rope ? mesh->edgeCount : mesh->surfaceCount); ++t)
    {
        if (rope && mesh->edgeKind[t] != VV_EDGE_STRUCTURAL)
            continue;
        const int *corner = rope ? mesh->edge + 2 * (ptrdiff_t)t : mesh->surface + 3 * (ptrdiff_t)t;
        Facet facet = { .corners = rope ? 2 : 3, .radius = rope ? body->contactDef.radius : 0 };
        for (int k = 0; k < facet.corners; ++k)
            facet.corner[k] = vecLoad(x + 3 * (ptrdiff_t)corner[k]);
        double weight[3];
        double distance = vecLength(vecSub(ray->origin, facetNearest(&facet, ray->origin, weight))) - facet.radius;
        if (!(distance < ray->farthest))
            continue;
        ray->farthest = distance;
        *pick = (vvPick){ .kind = VV_PICK_BODY, .body = bodyId(body), .triangle = rope ? mesh->edgeToCaller[t] : t };
        for (int k = 0; k < 3; ++k)
            pick->vertices[k] = k < facet.corners ? corner[k] : -1;
        touchFacet(ray, &facet, 0, pick);
        pick->distance = distance;
    }
}

vvPick vvWorld_FindNearest(vvWorldId id, vvVec3 point, double farthest)
{
    const World *world = worldFind(id);
    vvPick pick = nothing();
    if (world == NULL || isVast(point) || !(farthest > 0))
        return pick;
    Ray ray = { point, { 0, 1, 0 }, 0, farthest };
    const Body *near = NULL;
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        const Body *body = world->body[i].body;
        double before = ray.farthest;
        if (body != NULL && body->proxyOf == 0)
            nearBody(body, world->state.start + 3 * (ptrdiff_t)body->first, &ray, &pick);
        near = ray.farthest < before ? body : near;
    }
    meetShapes(world, nearShape, &ray, &pick);
    if (pick.kind == VV_PICK_BODY)
        finishBody(world, near, &pick);
    return pick;
}

vvPick vvSoftBody_FindNearest(vvSoftBodyId id, vvVec3 point, double farthest)
{
    const Body *body = bodyFind(id);
    vvPick pick = nothing();
    if (body == NULL || isVast(point) || !(farthest > 0))
        return pick;
    Ray ray = { point, { 0, 1, 0 }, 0, farthest };
    nearBody(body, body->world->state.start + 3 * (ptrdiff_t)body->first, &ray, &pick);
    if (pick.kind == VV_PICK_BODY)
        finishBody(body->world, body, &pick);
    return pick;
}
