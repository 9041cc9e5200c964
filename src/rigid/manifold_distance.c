// The distance of two cores that do not overlap (Gilbert, Johnson and Keerthi 1988): the point of their difference
// nearest to the origin, by simplices of vertices of the difference.
#include "rigid/manifold.h"

#include <string.h>

#define ITERATIONS 100
#define CLOSE 1e-14   // of the square of the distance: no vertex is nearer by more
#define TOUCHING 1e-9 // of the size: below this distance cores count as overlapping

typedef struct Corner
{
    int a, b;      // vertices
    Vec3 onA, gap; // m; gap = vertex of a - vertex of b
    double weight;
} Corner;

typedef struct Simplex
{
    Corner corner[4];
    int count;
} Simplex;

static Corner farthest(const Core *a, const Core *b, Vec3 direction)
{
    Corner corner = { .a = coreSupport(a, direction), .b = coreSupport(b, vecScale(-1, direction)) };
    corner.onA = coreVertex(a, corner.a);
    corner.gap = vecSub(corner.onA, coreVertex(b, corner.b));
    return corner;
}

// The nearest point of the simplex without corner `skip` (-1: with all), and the weights of its corners.
static Vec3 nearestOfFace(const Simplex *s, int skip, double weight[4])
{
    Facet facet = { .corners = 0 };
    int place[4];
    double share[3];
    for (int i = 0; i < s->count; ++i)
    {
        weight[i] = 0;
        if (i == skip)
            continue;
        place[facet.corners] = i;
        facet.corner[facet.corners++] = s->corner[i].gap;
    }
    Vec3 nearest = facetNearest(&facet, vec3(0, 0, 0), share);
    for (int i = 0; i < facet.corners; ++i)
        weight[place[i]] = share[i];
    return nearest;
}

// whether the origin is on the other side of the face without corner `skip`, or the tetrahedron is flat
static bool beyondFace(const Simplex *s, int skip)
{
    Vec3 p[3];
    for (int i = 0, n = 0; i < 4; ++i)
    {
        if (i != skip)
            p[n++] = s->corner[i].gap;
    }
    Vec3 normal = vecCross(vecSub(p[1], p[0]), vecSub(p[2], p[0]));
    double inside = vecDot(normal, vecSub(s->corner[skip].gap, p[0])), origin = -vecDot(normal, p[0]);
    return inside * origin <= 0;
}

// The nearest point of the simplex, which keeps the corners that carry it; false: the origin is inside.
static bool nearestOf(Simplex *s, Vec3 *nearest)
{
    double weight[4] = { 0 }, best[4] = { 0 };
    if (s->count < 4)
        *nearest = nearestOfFace(s, -1, best);
    else
    {
        double least = INFINITY;
        for (int skip = 0; skip < 4; ++skip)
        {
            if (!beyondFace(s, skip))
                continue;
            Vec3 p = nearestOfFace(s, skip, weight);
            if (vecDot(p, p) < least)
            {
                least = vecDot(p, p);
                *nearest = p;
                memcpy(best, weight, sizeof best);
            }
        }
        if (least == INFINITY)
            return false;
    }
    int kept = 0;
    for (int i = 0; i < s->count; ++i)
    {
        if (!(best[i] > 0))
            continue;
        s->corner[kept] = s->corner[i];
        s->corner[kept++].weight = best[i];
    }
    s->count = kept;
    return true;
}

static bool known(const Simplex *s, const Corner *corner)
{
    for (int i = 0; i < s->count; ++i)
    {
        if (s->corner[i].a == corner->a && s->corner[i].b == corner->b)
            return true;
    }
    return false;
}

static void finish(const Core *a, const Core *b, const Simplex *s, Vec3 nearest, Apart *apart)
{
    apart->onA = vec3(0, 0, 0);
    uint32_t sumA = 0, sumB = 0;
    for (int i = 0; i < s->count; ++i)
    {
        const Corner *corner = s->corner + i;
        apart->onA = vecAdd(apart->onA, vecScale(corner->weight, corner->onA));
        // a vertex counts once, in whatever order
        bool newA = true, newB = true;
        for (int k = 0; k < i; ++k)
        {
            newA = newA && coreVertexName(a, s->corner[k].a) != coreVertexName(a, corner->a);
            newB = newB && coreVertexName(b, s->corner[k].b) != coreVertexName(b, corner->b);
        }
        sumA += newA ? featureMix(1, (uint32_t)coreVertexName(a, corner->a)) : 0;
        sumB += newB ? featureMix(2, (uint32_t)coreVertexName(b, corner->b)) : 0;
    }
    apart->feature = featureMix(sumA, sumB);
    apart->distance = vecLength(nearest);
    apart->normal = vecScale(1 / apart->distance, nearest);
    apart->onB = vecSub(apart->onA, nearest);
    apart->points = true;
}

bool coreDistance(const Core *a, const Core *b, double limit, Apart *apart)
{
    Simplex s = { .count = 1 };
    s.corner[0] = farthest(a, b, vecSub(b->position, a->position));
    s.corner[0].weight = 1;
    Vec3 nearest = s.corner[0].gap;
    double touching = TOUCHING * (a->size + b->size);
    for (int i = 0; i < ITERATIONS; ++i)
    {
        double square = vecDot(nearest, nearest);
        if (square <= touching * touching)
            return false;
        Corner next = farthest(a, b, vecScale(-1, nearest));
        double reach = vecDot(nearest, next.gap); // the plane across `nearest` through it parts the cores
        if (reach > 0 && reach * reach > limit * limit * square)
        {
            *apart = (Apart){ .distance = INFINITY };
            return true;
        }
        if (square - reach <= CLOSE * square || known(&s, &next))
            break;
        Simplex before = s;
        s.corner[s.count++] = next;
        Vec3 found = nearest;
        if (!nearestOf(&s, &found))
            return false;
        if (!(vecDot(found, found) < square)) // rounding: no progress
        {
            s = before;
            break;
        }
        nearest = found;
    }
    finish(a, b, &s, nearest, apart);
    return true;
}
