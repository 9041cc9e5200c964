// What a ray or a ball that moves hits first: surface triangles of bodies, ropes as round as they are, colliders.
#include "world/world.h"

// A ball whose centre moves along a ray; with radius 0 the ray itself.
typedef struct Ray
{
    Vec3 origin, direction; // unit
    double radius;          // m
    double farthest;        // m: nothing beyond counts; shrinks as hits are found
} Ray;

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

// ---- colliders ------------------------------------------------------------------------------------------------------

static void hitCollider(const World *world, int slot, Ray *ray, vvPick *pick)
{
    const Collider *collider = &world->colliders.item[slot];
    double distance;
    Mat3 back = matTranspose(&collider->start.turn);
    Vec3 origin = matApply(&back, vecSub(ray->origin, collider->start.position));
    Vec3 direction = matApply(&back, ray->direction);
    bool hit = ray->radius > 0 ? shapeSweep(collider->shape, origin, ray->radius, direction, ray->farthest, &distance)
                               : shapeCast(collider->shape, origin, direction, ray->farthest, &distance);
    if (!hit || !(distance < ray->farthest))
        return;
    ray->farthest = distance;
    Vec3 centre = vecAdd(origin, vecScale(distance, direction));
    ShapeSample sample = shapeSample(collider->shape, centre, INFINITY, -1);
    Vec3 normal = matApply(&collider->start.turn, sample.normal);
    Vec3 point = pointOf(ray, distance);
    *pick = (vvPick){ .kind = VV_PICK_COLLIDER,
                      .collider = ID_OF(vvColliderId, world, slot, collider->generation),
                      .triangle = -1,
                      .vertex = -1,
                      .vertices = { -1, -1, -1 },
                      .point = ray->radius > 0 ? vecSub(point, vecScale(sample.distance, normal)) : point,
                      .normal = normal,
                      .distance = distance };
}

vvPick vvWorld_CastSphere(vvWorldId id, vvVec3 origin, double radius, vvVec3 direction, double farthest)
{
    const World *world = worldFind(id);
    vvPick pick = { .kind = VV_PICK_NOTHING, .triangle = -1, .vertex = -1, .vertices = { -1, -1, -1 } };
    double length = vecLength(direction);
    if (world == NULL || !vecFinite(origin) || !(length > 0) || !isfinite(length) || !(farthest > 0) ||
        !(radius >= 0 && radius <= VAST))
        return pick;
    Ray ray = { origin, vecScale(1 / length, direction), radius, farthest };
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
    if (pick.kind == VV_PICK_BODY)
        finishBody(world, hit, &pick);
    return pick;
}

vvPick vvWorld_CastRay(vvWorldId id, vvVec3 origin, vvVec3 direction, double farthest)
{
    return vvWorld_CastSphere(id, origin, 0, direction, farthest);
}
