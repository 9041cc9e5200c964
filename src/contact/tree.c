// A tree of boxes over the triangles of a collision mesh. Its shape is decided once, at rest; the boxes follow the
// body.
#include "contact/soft.h"
#include "contact/tree_kernels.h"

#include <string.h>

#define LEAF LEAF_LANES // triangles
#define STACK 64        // halving 2^31 triangles takes 31 levels
#define SAME 0.5        // cosine: hits of a layer that is nearly flat lie in one direction
#define ROUGH 1e-3      // of the mean edge and of the distance looked for: by which lanes may be wrong,
#define ROUNDED 1e-6    //   and of the distance from the origin of the mesh

#if defined(VERVE_ISA_AVX2)
#define TABLE_AVX2 &leafKernels_avx2
#else
#define TABLE_AVX2 &leafKernels_base
#endif
#if defined(VERVE_ISA_AVX512)
#define TABLE_AVX512 &leafKernels_avx512
#else
#define TABLE_AVX512 &leafKernels_base
#endif

static const LeafKernels *const kernels[ISA_COUNT] = { &leafKernels_base, TABLE_AVX2, TABLE_AVX512 };

// ---- planting -------------------------------------------------------------------------------------------------------

typedef struct Planter
{
    CollisionMesh *collisionMesh;
    double *middle; // triangleCount x 3
} Planter;

static int plantNode(Planter *p, int first, int end)
{
    int number = p->collisionMesh->nodeCount++;
    CollisionNode *node = &p->collisionMesh->node[number];
    if (end - first <= LEAF)
    {
        *node = (CollisionNode){ .first = first, .count = end - first, .left = p->collisionMesh->leafCount++ };
        return number;
    }
    int middle = splitAtMedian(p->middle, p->collisionMesh->order, first, end);
    node->left = plantNode(p, first, middle);
    node->right = plantNode(p, middle, end);
    return number;
}

bool collisionMeshBuildTree(Memory *memory, CollisionMesh *collisionMesh)
{
    if (collisionMesh->triangleCount == 0)
        return true;
    Planter planter = { .collisionMesh = collisionMesh };
    planter.middle = ALLOCATE(memory, double, 3 * (size_t)collisionMesh->triangleCount);
    collisionMesh->node =
        ALLOCATE(memory, CollisionNode, collisionMesh->triangleCount); // leaves hold two or more, or there is only one
    collisionMesh->order = ALLOCATE(memory, int, collisionMesh->triangleCount);
    bool ok = planter.middle && collisionMesh->node && collisionMesh->order;
    for (int t = 0; ok && t < collisionMesh->triangleCount; ++t)
    {
        collisionMesh->order[t] = t;
        for (int k = 0; k < 9; ++k)
            planter.middle[3 * (size_t)t + (size_t)(k % 3)] +=
                collisionMesh->rest[3 * (ptrdiff_t)collisionMesh->triangle[3 * (ptrdiff_t)t + k / 3] + k % 3] / 3;
    }
    if (ok)
        plantNode(&planter, 0, collisionMesh->triangleCount);
    memoryRelease(memory, planter.middle);
    collisionMesh->leaf = ok ? ALLOCATE(memory, LeafPack, collisionMesh->leafCount) : NULL;
    collisionMesh->isa = isaBest();
    return collisionMesh->leaf != NULL;
}

static void boxTriangles(const CollisionMesh *collisionMesh, CollisionNode *node)
{
    LeafPack *leaf = &collisionMesh->leaf[node->left];
    Vec3 from = vecLoad(collisionMesh->origin), lower = vec3(INFINITY, INFINITY, INFINITY), upper = vecScale(-1, lower);
    for (int i = 0; i < LEAF; ++i)
    {
        int place = node->first + minInt(i, node->count - 1);
        const int *corner = collisionMesh->triangle + 3 * (ptrdiff_t)collisionMesh->order[place];
        for (int c = 0; c < 3; ++c)
        {
            Vec3 x = vecLoad(collisionMesh->x + 3 * (ptrdiff_t)corner[c]), local = vecSub(x, from);
            lower = vec3(minReal(lower.x, x.x), minReal(lower.y, x.y), minReal(lower.z, x.z));
            upper = vec3(maxReal(upper.x, x.x), maxReal(upper.y, x.y), maxReal(upper.z, x.z));
            leaf->corner[c][0][i] = (float)local.x;
            leaf->corner[c][1][i] = (float)local.y;
            leaf->corner[c][2][i] = (float)local.z;
        }
    }
    vecStore(node->lower, lower);
    vecStore(node->upper, upper);
}

void collisionMeshRefit(CollisionMesh *collisionMesh)
{
    for (int a = 0; a < 3 && collisionMesh->nodeCount > 0; ++a)
        collisionMesh->origin[a] = collisionMesh->x[3 * (ptrdiff_t)collisionMesh->triangle[0] + a];
    for (int i = collisionMesh->nodeCount - 1; i >= 0; --i)
    {
        CollisionNode *node = &collisionMesh->node[i];
        if (node->count > 0)
        {
            boxTriangles(collisionMesh, node);
            continue;
        }
        const CollisionNode *left = &collisionMesh->node[node->left], *right = &collisionMesh->node[node->right];
        for (int a = 0; a < 3; ++a)
        {
            node->lower[a] = minReal(left->lower[a], right->lower[a]);
            node->upper[a] = maxReal(left->upper[a], right->upper[a]);
        }
    }
}

// ---- one triangle ---------------------------------------------------------------------------------------------------

// shares of the corners in a point of the triangle that is known to lie in it
static void sharesOf(const double *corners, Vec3 point, Region region, double *share)
{
    share[0] = share[1] = share[2] = 0;
    if (region >= REGION_CORNER0)
    {
        share[region - REGION_CORNER0] = 1;
        return;
    }
    Vec3 a = vecLoad(corners), ab = vecSub(vecLoad(corners + 3), a), ac = vecSub(vecLoad(corners + 6), a);
    if (region == REGION_FACE)
    {
        Vec3 ap = vecSub(point, a);
        double bb = vecDot(ab, ab), bc = vecDot(ab, ac), cc = vecDot(ac, ac), pb = vecDot(ap, ab), pc = vecDot(ap, ac);
        double area = bb * cc - bc * bc;
        share[1] = minReal(maxReal((cc * pb - bc * pc) / area, 0), 1);
        share[2] = minReal(maxReal((bb * pc - bc * pb) / area, 0), 1 - share[1]);
        share[0] = 1 - share[1] - share[2];
        return;
    }
    int e = (int)region - REGION_EDGE0, f = (e + 1) % 3;
    Vec3 from = vecLoad(corners + 3 * e), along = vecSub(vecLoad(corners + 3 * f), from);
    share[f] = minReal(maxReal(vecDot(vecSub(point, from), along) / vecDot(along, along), 0), 1);
    share[e] = 1 - share[f];
}

// the vertex that asks and a triangle of the same body, which may have come off
static bool isOneBody(const CollisionQuery *query, const int *corner)
{
    return query->self >= 0 && !collisionMeshCameOff(query->collisionMesh, query->self, corner[0]);
}

static bool isNearAtRest(const CollisionQuery *query, const int *corner, const double *share)
{
    const double *rest = query->collisionMesh->rest;
    Vec3 gap = vecLoad(rest + 3 * (ptrdiff_t)query->self);
    for (int k = 0; k < 3; ++k)
        gap = vecSub(gap, vecScale(share[k], vecLoad(rest + 3 * (ptrdiff_t)corner[k])));
    return vecDot(gap, gap) < query->apart * query->apart;
}

// every point of it is near at rest, for its corners are: most triangles around a vertex of the same surface
static bool isAllNearAtRest(const CollisionQuery *query, const int *corner)
{
    const double *rest = query->collisionMesh->rest;
    Vec3 own = vecLoad(rest + 3 * (ptrdiff_t)query->self);
    double limit = query->apart * query->apart * (1 - 1e-9);
    for (int k = 0; k < 3; ++k)
    {
        Vec3 gap = vecSub(own, vecLoad(rest + 3 * (ptrdiff_t)corner[k]));
        if (!(vecDot(gap, gap) < limit))
            return false;
    }
    return true;
}

// false: further than the limit, or it does not count
static bool askTriangle(const CollisionQuery *query, int triangle, Vec3 point, double limit, CollisionHit *hit)
{
    const CollisionMesh *collisionMesh = query->collisionMesh;
    const int *corner = collisionMesh->triangle + 3 * (ptrdiff_t)triangle;
    double corners[9];
    bool one = isOneBody(query, corner);
    if (one && isAllNearAtRest(query, corner))
        return false;
    for (int k = 0; k < 3; ++k)
        memcpy(corners + 3 * k, collisionMesh->x + 3 * (ptrdiff_t)corner[k], 3 * sizeof(double));
    Region region;
    Vec3 nearest = triangleNearest(corners, point, &region), gap = vecSub(point, nearest);
    double distance = vecLength(gap);
    if (!(distance <= limit))
        return false;
    *hit = (CollisionHit){ .triangle = triangle, .point = nearest, .distance = distance };
    sharesOf(corners, nearest, region, hit->share);
    if (one && isNearAtRest(query, corner, hit->share))
        return false;
    Vec3 a = vecLoad(corners);
    Vec3 cross = vecCross(vecSub(vecLoad(corners + 3), a), vecSub(vecLoad(corners + 6), a));
    double area = vecLength(cross);
    if (!(area > 0))
        return false;
    hit->face = vecScale(1 / area, cross);
    // too close, the difference of two numbers has no direction
    bool along = region != REGION_FACE && distance > 1e-6 * collisionMesh->edge;
    double side = vecDot(gap, hit->face) < 0 ? -1 : 1;
    hit->direction = along ? vecScale(1 / distance, gap) : vecScale(side, hit->face);
    return true;
}

// The nearer one; where two triangles share the nearest point, the one that sees it more squarely: its side is the side
// of the whole surface. Of equals the first.
static bool isBetter(const CollisionHit *a, const CollisionHit *b)
{
    double hair = 1e-9 * b->distance;
    if (fabs(a->distance - b->distance) > hair)
        return a->distance < b->distance;
    double square = fabs(vecDot(a->direction, a->face)), other = fabs(vecDot(b->direction, b->face));
    if (fabs(square - other) > 1e-9)
        return square > other;
    return a->triangle < b->triangle;
}

// ---- the question ---------------------------------------------------------------------------------------------------

// m: beyond an interval; one of both is 0. Without a branch, for none is likely
static inline double beyond(double lower, double upper, double x)
{
    double below = lower - x, above = x - upper;
    return 0.5 * ((below + fabs(below)) + (above + fabs(above)));
}

static double boxDistance2(const CollisionNode *node, const double *point)
{
    double x = beyond(node->lower[0], node->upper[0], point[0]), y = beyond(node->lower[1], node->upper[1], point[1]),
           z = beyond(node->lower[2], node->upper[2], point[2]);
    return x * x + y * y + z * z;
}

// puts a hit among the others: one for each direction
static int keepHit(const CollisionQuery *query, const CollisionHit *hit, CollisionHit *hits, int count)
{
    int place = count;
    for (int k = 0; k < count && place == count; ++k)
    {
        if (query->most == 1 || vecDot(hit->direction, hits[k].direction) > SAME)
            place = k;
    }
    if (place == count && count == query->most) // no room: the furthest goes
    {
        place = 0;
        for (int k = 1; k < count; ++k)
            place = isBetter(&hits[place], &hits[k]) ? k : place;
    }
    if (place == count)
        count += 1;
    else if (!isBetter(hit, &hits[place]))
        return count;
    hits[place] = *hit;
    return count;
}

typedef struct Visit
{
    int node;
    double square; // m^2, of its distance
} Visit;

// Pushes the children that are within the limit; the nearer one is looked at first.
static int pushChildren(const CollisionMesh *collisionMesh, const CollisionNode *node, const double *point,
                        double limit, Visit *stack, int height)
{
    Visit left = { node->left, boxDistance2(&collisionMesh->node[node->left], point) };
    Visit right = { node->right, boxDistance2(&collisionMesh->node[node->right], point) };
    bool swap = left.square < right.square;
    Visit far = swap ? right : left, near = swap ? left : right;
    if (!(far.square > limit * limit))
        stack[height++] = far;
    if (!(near.square > limit * limit))
        stack[height++] = near;
    return height;
}

// What a search has found so far.
typedef struct Found
{
    CollisionHit *hits;
    int count;
    double limit;   // m: farther ones do not count
    float local[3]; // m: the point, from the origin of the mesh
    double doubt;   // m: by which lanes may be wrong
} Found;

// The triangles of a leaf that lanes say may be near enough, the nearest first: once it is known, few others are.
static void askLeaf(const CollisionQuery *query, const CollisionNode *leaf, Vec3 point, Found *found)
{
    const CollisionMesh *mesh = query->collisionMesh;
    float square[LEAF_LANES];
    kernels[mesh->isa]->squares(&mesh->leaf[leaf->left], found->local, square);
    for (int asked = 0; asked < leaf->count; ++asked)
    {
        int lane = 0;
        for (int i = 1; i < leaf->count; ++i)
            lane = square[i] < square[lane] ? i : lane;
        double near = found->limit * (1 + ROUGH) + found->doubt;
        if ((double)square[lane] > near * near)
            return;
        CollisionHit hit;
        square[lane] = INFINITY;
        if (!askTriangle(query, mesh->order[leaf->first + lane], point, found->limit, &hit))
            continue;
        found->count = keepHit(query, &hit, found->hits, found->count);
        if (query->most == 1)
            found->limit = minReal(found->limit, found->hits[0].distance * (1 + 1e-8));
    }
}

int collisionMeshNearest(const CollisionQuery *query, Vec3 point, double limit, CollisionHit *hits)
{
    const CollisionMesh *collisionMesh = query->collisionMesh;
    const double p[3] = { point.x, point.y, point.z };
    Found found = { .hits = hits, .limit = limit, .doubt = ROUGH * collisionMesh->edge };
    int height = 0;
    Visit stack[STACK];
    for (int a = 0; a < 3; ++a)
    {
        found.local[a] = (float)(p[a] - collisionMesh->origin[a]);
        found.doubt += ROUNDED * fabs((double)found.local[a]);
    }
    if (collisionMesh->nodeCount > 0)
        stack[height++] = (Visit){ 0, boxDistance2(&collisionMesh->node[0], p) };
    while (height > 0)
    {
        Visit visit = stack[--height];
        const CollisionNode *node = &collisionMesh->node[visit.node];
        if (visit.square > found.limit * found.limit)
            continue;
        if (node->count > 0)
            askLeaf(query, node, point, &found);
        else
            height = pushChildren(collisionMesh, node, p, found.limit, stack, height);
    }
    return found.count;
}
