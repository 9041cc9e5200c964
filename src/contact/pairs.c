// Which vertices may touch which triangles within a step.
//
// Closed collision meshes are one-sided: a vertex finds the nearest point of the surface, on the side that the triangle
// there says. Open ones are two-sided: a vertex belongs to the side it is on and keeps `radius` away, up to
// PAIR_CONTACTS directions at once. A vertex that is not near yet is followed along its path through the frozen
// surface, as far as the surface is away at a time (conservative advancement), so that it meets what it would hit first
// and does not jump through.
#include "contact/proximity.h"

#include <string.h>

#define MARGIN 0.25     // of the edge: near; under the hard law of the radius, for lists of pairs have what comes near
#define SHEET_ROOM 0.2  // of the edge: the least radius where a sheet takes part, so that it acts before it is crossed
#define SOLID_ROOM 0.01 // of the edge: between solids under the hard law, so that planes between them have room
#define DEPTH 2.0       // edges: how deep a vertex inside a solid is still seen
#define SELF_DEPTH 0.5  // edges: the same for a body that overlaps itself
#define APART 2.0       // edges at rest: parts of one body that are closer do not meet
#define CARRIED 0.9     // of the gap that a new normal changes: the rest comes in the step,
#define RECOVERY 0.2    // m/s: but no faster
#define ALIKE 0.5       // cosine of two normals that go on from each other
#define HARDER 3.0      // solids against solids
#define TRACES 6        // steps along the path

// ---- displacements --------------------------------------------------------------------------------------------------

// where a vertex would go in the step if nothing stopped it
static Vec3 displacementOf(const PairSearch *search, const CollisionMesh *collisionMesh, int vertex)
{
    ptrdiff_t i = 3 * (ptrdiff_t)vertex;
    if (collisionMesh->pinned[vertex])
        return search->h > 0 ? vecSub(vecLoad(collisionMesh->pinTarget + i), vecLoad(collisionMesh->x + i))
                             : vec3(0, 0, 0);
    double h = search->h;
    return vecAdd(vecScale(h, vecLoad(collisionMesh->v + i)), vecScale(h * h, search->gravity));
}

void pairsMeasure(const PairSearch *search, CollisionMesh *collisionMesh)
{
    broadBegin(collisionMesh);
    collisionMesh->longest = 0;
    collisionMesh->drift = vec3(0, 0, 0);
    collisionMesh->lower = vec3(INFINITY, INFINITY, INFINITY);
    collisionMesh->upper = vec3(-INFINITY, -INFINITY, -INFINITY);
    for (int i = 0; i < collisionMesh->surfaceCount; ++i)
    {
        Vec3 x = vecLoad(collisionMesh->x + 3 * (ptrdiff_t)collisionMesh->vertex[i]);
        collisionMesh->lower = vec3(minReal(collisionMesh->lower.x, x.x), minReal(collisionMesh->lower.y, x.y),
                                    minReal(collisionMesh->lower.z, x.z));
        collisionMesh->upper = vec3(maxReal(collisionMesh->upper.x, x.x), maxReal(collisionMesh->upper.y, x.y),
                                    maxReal(collisionMesh->upper.z, x.z));
        Vec3 displacement = displacementOf(search, collisionMesh, collisionMesh->vertex[i]);
        broadInclude(collisionMesh, x, displacement);
        collisionMesh->longest = maxReal(collisionMesh->longest, vecLength(displacement));
        if (collisionMesh->hard)
            featuresBoxPath(collisionMesh, collisionMesh->vertex[i], x, displacement);
        collisionMesh->drift = vecAdd(collisionMesh->drift, vecScale(1.0 / collisionMesh->surfaceCount, displacement));
    }
    broadEnd(collisionMesh);
    collisionMesh->spread = 0;
    for (int i = 0; i < collisionMesh->surfaceCount; ++i)
        collisionMesh->spread = maxReal(
            collisionMesh->spread,
            vecLength(vecSub(displacementOf(search, collisionMesh, collisionMesh->vertex[i]), collisionMesh->drift)));
}

// ---- one vertex and one collision mesh ------------------------------------------------------------------------------

bool collisionMeshesCollide(const CollisionMesh *a, const CollisionMesh *b)
{
    if (a == b)
        return a->self;
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

// What is the same for all vertices of one collision mesh against another.
typedef struct Match
{
    const PairSearch *search;
    const CollisionMesh *own, *other;
    double radius; // m
    double margin; // m, beyond the radius: near
    double depth;  // m
} Match;

double pairsRadius(const CollisionMesh *a, const CollisionMesh *b)
{
    return a->hard ? SOLID_ROOM * minReal(a->edge, b->edge) : 0;
}

static Match matchOf(const PairSearch *search, const CollisionMesh *own, const CollisionMesh *other)
{
    Match match = { .search = search, .own = own, .other = other };
    bool solids = own->closed && other->closed;
    double edge = maxReal(own->closed ? 0 : own->edge, other->closed ? 0 : other->edge);
    match.radius = solids ? pairsRadius(own, other) : maxReal(own->radius + other->radius, SHEET_ROOM * edge);
    match.margin = MARGIN * (own->hard && !other->closed ? match.radius : minReal(own->edge, other->edge));
    match.depth = (own == other ? SELF_DEPTH : DEPTH) * other->edge;
    return match;
}

// The harmonic mean of both, so that a body against its like is as hard as against a collider; solids more, for where
// a corner presses, one vertex carries what a face would.
static double weightOf(const Match *match, int surface)
{
    double a = match->own->stiffness, b = match->other->stiffness;
    if (match->own->hard)
        return 0;
    double factor = match->own->closed && match->other->closed ? HARDER : 1;
    return factor * match->own->area[surface] * 2 * a * b / (a + b);
}

static bool isInside(const Match *match, const CollisionHit *hit)
{
    return match->other->closed && vecDot(hit->direction, hit->face) < 0;
}

static bool isAllPinned(const Match *match, int vertex, const CollisionHit *hit)
{
    const int *corner = match->other->triangle + 3 * (ptrdiff_t)hit->triangle;
    const unsigned char *pinned = match->other->pinned;
    return match->own->pinned[vertex] && pinned[corner[0]] && pinned[corner[1]] && pinned[corner[2]];
}

// what is held together, or cannot move
static bool isIdle(const Match *match, int vertex, const CollisionHit *hit)
{
    const int *corner = match->other->triangle + 3 * (ptrdiff_t)hit->triangle;
    return isAllPinned(match, vertex, hit) ||
           bondedFeatures(match->own->bonded, match->own->slot, &vertex, 1, match->other->slot, corner, 3);
}

// the displacement of the vertex relative to that of the point that was hit
static Vec3 relativeDisplacement(const Match *match, Vec3 displacement, const CollisionHit *hit)
{
    const int *corner = match->other->triangle + 3 * (ptrdiff_t)hit->triangle;
    for (int k = 0; k < 3; ++k)
        displacement =
            vecSub(displacement, vecScale(hit->share[k], displacementOf(match->search, match->other, corner[k])));
    return displacement;
}

static double frictionAtVertex(const CollisionMesh *mesh, int vertex)
{
    return mesh->vertexFriction != NULL ? mesh->vertexFriction[mesh->toCaller[vertex]] : mesh->friction;
}

// of the vertex and the nearest corner of the triangle
static double frictionOf(const Match *match, int surface, const CollisionHit *hit)
{
    const int *corner = match->other->triangle + 3 * (ptrdiff_t)hit->triangle;
    int nearest = 0;
    for (int k = 1; k < 3; ++k)
        nearest = hit->share[k] > hit->share[nearest] ? k : nearest;
    return frictionMix(frictionAtVertex(match->own, match->own->vertex[surface]),
                       frictionAtVertex(match->other, corner[nearest]));
}

static PairContact pairContactOf(const Match *match, int surface, const CollisionHit *hit)
{
    PairContact pairContact = { .other = match->other->slot,
                                .triangle = hit->triangle,
                                .radius = match->radius,
                                .weight = weightOf(match, surface),
                                .friction = frictionOf(match, surface, hit) };
    for (int k = 0; k < 3; ++k)
        pairContact.share[k] = hit->share[k];
    vecStore(pairContact.normal, vecScale(isInside(match, hit) ? -1 : 1, hit->direction));
    return pairContact;
}

// Follows the vertex to the first point it could touch within the step; false: there is none. A vertex that held on to
// nothing cannot be deeper than it moves in a step: what looks like it is the far side of a crumpled surface, and a
// pair from nowhere would come with energy from nowhere.
static bool follow(const Match *match, const CollisionQuery *query, bool holds, Vec3 x, Vec3 displacement,
                   CollisionHit *hit)
{
    double near = match->radius + match->margin, passed = 0; // passed: fraction of the path
    double fastest = vecLength(vecSub(displacement, match->other->drift)) + match->other->spread;
    Vec3 point = x;
    for (int k = 0; k < TRACES; ++k)
    {
        double limit = near + (1 - passed) * fastest;
        if (k == 0 && match->other->closed && holds)
            limit = maxReal(limit, match->depth);
        if (collisionMeshNearest(query, point, limit, hit) == 0)
            return false;
        if (isInside(match, hit))
            return hit->distance <= (holds ? match->depth : near + fastest);
        if (hit->distance <= near)
            return true;
        Vec3 relative = relativeDisplacement(match, displacement, hit);
        double length = vecLength(relative);
        if (passed >= 1 || hit->distance > near + (1 - passed) * length)
            return false;
        passed = minReal(passed + (hit->distance - 0.5 * near) / length, 1);
        point = vecAdd(x, vecScale(passed, relative));
    }
    return true;
}

// pair contacts of one vertex on one collision mesh, at most `room`; returns how many
static int findPairContacts(const Match *match, int surface, PairContact *pairContacts, int room)
{
    bool holds = false;
    for (int k = 0; k < PAIR_CONTACTS; ++k)
        holds |= match->own->partner[surface * PAIR_CONTACTS + k] == match->other->slot;
    int vertex = match->own->vertex[surface], count = 0;
    Vec3 x = vecLoad(match->own->x + 3 * (ptrdiff_t)vertex),
         displacement = displacementOf(match->search, match->own, vertex);
    bool self = match->own == match->other;
    CollisionQuery query = { .collisionMesh = match->other,
                             .self = self ? vertex : -1,
                             .apart = maxReal(APART * match->other->edge, 2 * match->radius),
                             .most = 1 };
    CollisionHit hits[PAIR_CONTACTS];
    if (self && match->own->hard && flatIsAlone(match->own->features, vertex))
        return 0;
    if (!match->other->closed)
    {
        query.most = PAIR_CONTACTS;
        int near = collisionMeshNearest(&query, x, match->radius + match->margin, hits);
        for (int k = 0; k < near && count < room; ++k)
        {
            if (!isIdle(match, vertex, &hits[k]))
                pairContacts[count++] = pairContactOf(match, surface, &hits[k]);
        }
        query.most = 1;
        if (near > 0 || match->own->hard) // what comes near within the step is in the list of pairs (proximity.h)
            return count;
    }
    if (room > 0 && follow(match, &query, holds, x, displacement, hits) && !isIdle(match, vertex, hits))
        pairContacts[count++] = pairContactOf(match, surface, hits);
    return count;
}

double pairsDepth(const CollisionMesh *own, const CollisionMesh *other)
{
    double depth = 0, limit = vecLength(vecSub(other->upper, other->lower));
    bool apart = own->lower.x > other->upper.x || own->lower.y > other->upper.y || own->lower.z > other->upper.z ||
                 own->upper.x < other->lower.x || own->upper.y < other->lower.y || own->upper.z < other->lower.z;
    if (!other->closed || apart || !collisionMeshesCollide(own, other))
        return 0;
    CollisionQuery query = { .collisionMesh = other, .self = -1, .most = 1 };
    for (int i = 0; i < own->surfaceCount; ++i)
    {
        CollisionHit hit;
        Vec3 x = vecLoad(own->x + 3 * (ptrdiff_t)own->vertex[i]);
        if (collisionMeshNearest(&query, x, limit, &hit) > 0 && vecDot(hit.direction, hit.face) < 0)
            depth = maxReal(depth, hit.distance);
    }
    return depth;
}

// ---- from step to step ----------------------------------------------------------------------------------------------

static bool comesBefore(const PairContact *a, const PairContact *b)
{
    return a->other < b->other || (a->other == b->other && a->triangle < b->triangle);
}

static void sortPairContacts(PairContact *pairContacts, int count)
{
    for (int i = 1; i < count; ++i)
    {
        PairContact pairContact = pairContacts[i];
        int place = i;
        for (; place > 0 && comesBefore(&pairContact, &pairContacts[place - 1]); --place)
            pairContacts[place] = pairContacts[place - 1];
        pairContacts[place] = pairContact;
    }
}

static double gapOf(const CollisionMesh *own, const CollisionMesh *other, int surface, const PairContact *pairContact)
{
    Vec3 corner[3];
    for (int k = 0; k < 3; ++k)
        corner[k] = vecLoad(other->x + 3 * (ptrdiff_t)other->triangle[3 * (ptrdiff_t)pairContact->triangle + k]);
    return pairContactDistance(pairContact, vecLoad(own->x + 3 * (ptrdiff_t)own->vertex[surface]), corner);
}

// What the new normal and point would change of the gap of a vertex that is pressed, and with it of the energy, the
// radius makes up for, and comes back in some steps. In a step the same where nothing was pressed and the vertex is
// found deep: its energy would come from nowhere. Between steps it is booked as what the caller added.
static void carryGap(const PairSearch *search, const CollisionMesh *own, int surface, double before, bool goesOn,
                     PairContact *pairContact)
{
    if (own->hard)
        return;
    bool steps = search->h > 0;
    double after = gapOf(own, search->mesh[pairContact->other], surface, pairContact), change = before - after;
    if ((goesOn && before < 0) || (steps && change > 0))
        pairContact->radius -= change - minReal((1 - CARRIED) * change, steps ? RECOVERY * search->h : INFINITY);
}

// The anchor goes on as far as it lies in the new plane.
static void inheritOne(const PairSearch *search, const CollisionMesh *own, int surface, const PairContact *old,
                       PairContact *pairContact)
{
    Vec3 n = vecLoad(pairContact->normal), offset = vecLoad(old->offset);
    pairContact->force = old->force;
    vecStore(pairContact->offset, vecSub(offset, vecScale(vecDot(offset, n), n)));
    double before = minReal(gapOf(own, search->mesh[old->other], surface, old), 0);
    carryGap(search, own, surface, before, vecDot(n, vecLoad(old->normal)) > ALIKE, pairContact);
}

// each pair contact goes on from the one on the same triangle, or else on the same body
static void inherit(const PairSearch *search, const CollisionMesh *own, int surface, PairContact *pairContacts,
                    int count)
{
    const PairContact *old = own->pairContact + (ptrdiff_t)surface * PAIR_CONTACTS;
    bool taken[PAIR_CONTACTS] = { false }, done[PAIR_CONTACTS] = { false };
    for (int pass = 0; pass < 2; ++pass)
    {
        for (int i = 0; i < count; ++i)
        {
            for (int k = 0; k < PAIR_CONTACTS && !done[i]; ++k)
            {
                bool same =
                    old[k].other == pairContacts[i].other && (pass == 1 || old[k].triangle == pairContacts[i].triangle);
                if (!same || taken[k])
                    continue;
                inheritOne(search, own, surface, &old[k], &pairContacts[i]);
                taken[k] = done[i] = true;
            }
        }
    }
    for (int i = 0; i < count; ++i)
    {
        if (!done[i])
            carryGap(search, own, surface, 0, false, &pairContacts[i]);
    }
}

static bool holdsAny(const CollisionMesh *own, int surface)
{
    bool any = false;
    for (int k = 0; k < PAIR_CONTACTS && own->contactCount > 0; ++k)
        any |= own->partner[surface * PAIR_CONTACTS + k] >= 0;
    return any;
}

double pairsSearchVertex(const PairSearch *search, CollisionMesh *own, const int *others, int otherCount, int surface,
                         int *found)
{
    PairContact fresh[PAIR_CONTACTS], *old = own->pairContact + (ptrdiff_t)surface * PAIR_CONTACTS;
    CollisionMesh *const *collisionMeshes = search->mesh;
    int count = 0;
    double released = 0;
    Vec3 x = vecLoad(own->x + 3 * (ptrdiff_t)own->vertex[surface]);
    vvBox path = broadPath(own, x, displacementOf(search, own, own->vertex[surface]));
    for (int i = 0; i < otherCount && count < PAIR_CONTACTS; ++i)
    {
        const CollisionMesh *other = collisionMeshes[others != NULL ? others[i] : i];
        if (other == NULL || other->triangleCount == 0 || !broadReaches(&path, other) ||
            !collisionMeshesCollide(own, other))
            continue;
        Match match = matchOf(search, own, other);
        count += findPairContacts(&match, surface, fresh + count, PAIR_CONTACTS - count);
    }
    *found += count;
    if (count == 0 && !holdsAny(own, surface)) // as of most
        return 0;
    sortPairContacts(fresh, count);
    for (int k = 0; k < PAIR_CONTACTS; ++k)
        released += old[k].other >= 0 ? pairContactFriction(&old[k]) : 0;
    inherit(search, own, surface, fresh, count);
    for (int k = 0; k < PAIR_CONTACTS; ++k)
    {
        collisionMeshSet(own, surface * PAIR_CONTACTS + k, k < count ? &fresh[k] : NULL);
        released -= k < count ? pairContactFriction(&old[k]) : 0;
    }
    return released;
}
