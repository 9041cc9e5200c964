// What overlaps a box or a ball: elements of bodies, rigid bodies and colliders.
#include "world/world.h"

#define WIDEST 1e12 // m: of a box; its digits must last for what is small

typedef struct Probe
{
    bool isBall;
    vvBox box;     // also around the ball
    Vec3 centre;   // of the ball
    double radius; //
} Probe;

static double clamped(double value)
{
    return minReal(maxReal(value, -WIDEST), WIDEST);
}

static bool makeBox(vvBox box, Probe *probe)
{
    if (!vecFinite(box.lower) || !vecFinite(box.upper) || box.lower.x > box.upper.x || box.lower.y > box.upper.y ||
        box.lower.z > box.upper.z)
        return false;
    box.lower = vec3(clamped(box.lower.x), clamped(box.lower.y), clamped(box.lower.z));
    box.upper = vec3(clamped(box.upper.x), clamped(box.upper.y), clamped(box.upper.z));
    *probe = (Probe){ .box = box };
    return true;
}

static bool makeBall(Vec3 centre, double radius, Probe *probe)
{
    if (isVast(centre) || !(radius >= 0 && radius <= VAST))
        return false;
    Vec3 reach = vec3(radius, radius, radius);
    *probe = (Probe){
        .isBall = true, .box = { vecSub(centre, reach), vecAdd(centre, reach) }, .centre = centre, .radius = radius
    };
    return true;
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

// How the elements of a body are numbered: those of its matter, by the caller.
typedef struct Elements
{
    int count, corners;
    const int *vertex; // count x corners, of the caller
    const int *place;  // of the caller's vertices in the mesh; NULL: `vertex` has places
    double radius;     // m
} Elements;

static Elements elementsOf(const Body *body)
{
    const vvMesh *mesh = body->mesh;
    if (mesh->matter == MATTER_SOLID)
        return (Elements){ mesh->tetCount, 4, mesh->callerTet, mesh->vertexFromCaller, 0 };
    if (mesh->matter == MATTER_SHEET)
        return (Elements){ mesh->surfaceCount, 3, mesh->surface, NULL, 0 };
    return (Elements){ mesh->edgeCount, 2, mesh->callerEdge, mesh->vertexFromCaller, body->contactDef.radius };
}

static vvBox boundsOf(const Vec3 *p, int count, double margin)
{
    vvBox box = { p[0], p[0] };
    for (int k = 1; k < count; ++k)
    {
        box.lower = vec3(minReal(box.lower.x, p[k].x), minReal(box.lower.y, p[k].y), minReal(box.lower.z, p[k].z));
        box.upper = vec3(maxReal(box.upper.x, p[k].x), maxReal(box.upper.y, p[k].y), maxReal(box.upper.z, p[k].z));
    }
    Vec3 reach = vec3(margin, margin, margin);
    return (vvBox){ vecSub(box.lower, reach), vecAdd(box.upper, reach) };
}

// what both boxes have; false: nothing
static bool common(vvBox a, vvBox b, vvBox *both)
{
    both->lower = vec3(maxReal(a.lower.x, b.lower.x), maxReal(a.lower.y, b.lower.y), maxReal(a.lower.z, b.lower.z));
    both->upper = vec3(minReal(a.upper.x, b.upper.x), minReal(a.upper.y, b.upper.y), minReal(a.upper.z, b.upper.z));
    return both->lower.x <= both->upper.x && both->lower.y <= both->upper.y && both->lower.z <= both->upper.z;
}

static bool elementOverlaps(const Elements *elements, int e, const double *x, const Probe *probe)
{
    Facet facet = { .corners = elements->corners, .radius = elements->radius };
    Vec3 p[4] = { { 0, 0, 0 } };
    vvBox part;
    for (int k = 0; k < elements->corners; ++k)
    {
        int v = elements->vertex[elements->corners * (ptrdiff_t)e + k];
        p[k] = vecLoad(x + 3 * (ptrdiff_t)(elements->place ? elements->place[v] : v));
        facet.corner[k < 3 ? k : 2] = p[k];
    }
    // the part of a box that the element can reach: its digits are those of the element
    if (!common(boundsOf(p, elements->corners, elements->radius), probe->box, &part))
        return false;
    TurnedBox box = turnedBox(part);
    if (elements->corners == 4)
        return probe->isBall ? tetOverlapsBall(p, probe->centre, probe->radius) : tetOverlapsBox(p, &box);
    if (!probe->isBall)
        return facetOverlapsBox(&facet, &box);
    double weight[3];
    return vecLength(vecSub(facetNearest(&facet, probe->centre, weight), probe->centre)) <=
           probe->radius + facet.radius;
}

static int bodyOverlap(const Body *body, const Probe *probe, int *found, int capacity)
{
    const double *x = body->world->state.start + 3 * (ptrdiff_t)body->first;
    Elements elements = elementsOf(body);
    int count = 0;
    for (int e = 0; e < elements.count; ++e)
    {
        if (elements.corners == 2 && body->mesh->callerEdgeKind[e] != VV_EDGE_STRUCTURAL)
            continue;
        if (!elementOverlaps(&elements, e, x, probe))
            continue;
        if (found != NULL && count < capacity)
            found[count] = e;
        count += 1;
    }
    return count;
}

int vvSoftBody_OverlapBox(vvSoftBodyId id, vvBox box, int *elements, int capacity)
{
    const Body *body = bodyFind(id);
    Probe probe;
    return body != NULL && makeBox(box, &probe) ? bodyOverlap(body, &probe, elements, capacity) : 0;
}

int vvSoftBody_OverlapSphere(vvSoftBodyId id, vvVec3 centre, double radius, int *elements, int capacity)
{
    const Body *body = bodyFind(id);
    Probe probe;
    return body != NULL && makeBall(centre, radius, &probe) ? bodyOverlap(body, &probe, elements, capacity) : 0;
}

// ---- the world ------------------------------------------------------------------------------------------------------

static bool shapeOverlaps(const vvShape *shape, Pose pose, const Probe *probe)
{
    Mat3 back = matTranspose(&pose.turn);
    if (probe->isBall)
    {
        Vec3 centre = matApply(&back, vecSub(probe->centre, pose.position));
        return shapeSample(shape, centre, INFINITY, -1).distance <= probe->radius;
    }
    TurnedBox box = turnedBox(probe->box);
    box.centre = matApply(&back, vecSub(box.centre, pose.position));
    box.axes = back;
    return shapeOverlapsBox(shape, &box);
}

static bool rigidOverlaps(const RigidBody *body, const Probe *probe)
{
    bool overlaps = false;
    for (int k = 0; k < body->shapeCount && !overlaps; ++k)
        overlaps = shapeOverlaps(body->shape[k].shape, rigidShapePose(body, k), probe);
    return overlaps;
}

static int worldOverlap(const World *world, const Probe *probe, vvOverlap *overlaps, int capacity)
{
    int count = 0;
    for (const Body *body = bodySeen(world->firstBody); body != NULL; body = bodySeen(body->next))
    {
        int elements = bodyOverlap(body, probe, NULL, 0);
        if (elements > 0 && overlaps != NULL && count < capacity)
            overlaps[count] = (vvOverlap){ .body = bodyId(body), .elementCount = elements };
        count += elements > 0;
    }
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        const Rigid *rigid = &world->rigids.item[i];
        if (!rigid->used || !rigidOverlaps(&rigid->body, probe))
            continue;
        if (overlaps != NULL && count < capacity)
            overlaps[count] = (vvOverlap){ .rigid = ID_OF(vvRigidBodyId, world, i, rigid->generation) };
        count += 1;
    }
    for (int i = 0; i < world->colliders.slotCount; ++i)
    {
        const Collider *collider = &world->colliders.item[i];
        if (!collider->used || !shapeOverlaps(collider->shape, collider->start, probe))
            continue;
        if (overlaps != NULL && count < capacity)
            overlaps[count] = (vvOverlap){ .collider = ID_OF(vvColliderId, world, i, collider->generation) };
        count += 1;
    }
    return count;
}

int vvWorld_OverlapBox(vvWorldId id, vvBox box, vvOverlap *overlaps, int capacity)
{
    const World *world = worldFind(id);
    Probe probe;
    return world != NULL && makeBox(box, &probe) ? worldOverlap(world, &probe, overlaps, capacity) : 0;
}

int vvWorld_OverlapSphere(vvWorldId id, vvVec3 centre, double radius, vvOverlap *overlaps, int capacity)
{
    const World *world = worldFind(id);
    Probe probe;
    return world != NULL && makeBall(centre, radius, &probe) ? worldOverlap(world, &probe, overlaps, capacity) : 0;
}
