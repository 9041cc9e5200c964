// Edges that pass through triangles where a step begins. There are none unless a state was made so.
#include "contact/proximity.h"

#include <string.h>

// six times the volume of a tet
static double volumeOf(Vec3 a, Vec3 b, Vec3 c, Vec3 d)
{
    return vecDot(vecCross(vecSub(b, a), vecSub(c, a)), vecSub(d, a));
}

static bool crosses(const Vec3 edge[2], const Vec3 t[3])
{
    double above = volumeOf(t[0], t[1], t[2], edge[0]), below = volumeOf(t[0], t[1], t[2], edge[1]);
    if (!(above > 0 && below < 0) && !(above < 0 && below > 0))
        return false;
    double side[3];
    for (int k = 0; k < 3; ++k)
        side[k] = volumeOf(edge[0], edge[1], t[k], t[(k + 1) % 3]);
    return (side[0] > 0 && side[1] > 0 && side[2] > 0) || (side[0] < 0 && side[1] < 0 && side[2] < 0);
}

typedef struct CrossingSearch
{
    Proximity *proximity;
    const ProximityBody *a, *b;
    const double *x;
} CrossingSearch;

static void crossEdges(const CrossingSearch *search, const ProximityBody *a, const ProximityBody *b, int from, int on)
{
    Proximity *p = search->proximity;
    const Features *own = a->mesh->features, *other = b->mesh->features;
    const int *triangle = other->corner + 3 * (ptrdiff_t)on;
    for (int k = 0; k < 3 && triangle[2] >= 0; ++k)
    {
        int number = own->ownEdge[3 * from + k], corner[5] = { 0 };
        if (number < 0)
            continue;
        bool adjacent = false;
        Vec3 at[5];
        for (int c = 0; c < 5; ++c)
        {
            int v = c < 2 ? own->edge[2 * number + c] : triangle[c - 2];
            corner[c] = (c < 2 ? a : b)->offset + v;
            at[c] = vecLoad(search->x + 3 * (ptrdiff_t)corner[c]);
            adjacent |= c >= 2 && (corner[c] == corner[0] || corner[c] == corner[1]);
        }
        if (adjacent || !crosses(at, at + 2))
            continue;
        p->crossings += 1;
        for (int c = 0; c < 5; ++c)
            p->crossed[corner[c]] |= CROSSED_VERTEX;
    }
}

static bool crossFacets(void *context, int facetA, int facetB)
{
    const CrossingSearch *search = context;
    crossEdges(search, search->a, search->b, facetA, facetB);
    crossEdges(search, search->b, search->a, facetB, facetA);
    return false;
}

static void markBody(Proximity *p, const ProximityBody *body)
{
    unsigned char any = body->mesh->closed;
    for (int v = 0; v < body->mesh->vertexCount; ++v)
        any |= p->crossed[body->offset + v];
    for (int v = 0; v < body->mesh->vertexCount && any; ++v)
        p->crossed[body->offset + v] |= CROSSED_BODY;
}

void proximityFindCrossings(Proximity *p, const double *x)
{
    p->crossings = 0;
    p->known = false; // boxes are for this now
    memset(p->crossed, 0, (size_t)p->vertexCount);
    for (int b = 0; b < p->bodyCount; ++b)
    {
        Features *features = p->body[b].mesh->features;
        for (int v = 0; v < features->vertexCount; ++v)
        {
            for (int a = 0; a < 6; ++a)
                features->box[6 * (ptrdiff_t)v + a] = x[3 * ((ptrdiff_t)p->body[b].offset + v) + a % 3];
        }
        featuresRefit(features);
    }
    for (int i = 0; i < p->bodyCount; ++i)
    {
        for (int k = i; k < p->bodyCount; ++k)
        {
            CrossingSearch search = { p, &p->body[i], &p->body[k], x };
            if (collisionMeshesCollide(search.a->mesh, search.b->mesh))
                featuresMeet(search.a->mesh->features, search.b->mesh->features, crossFacets, &search);
        }
    }
    for (int b = 0; b < p->bodyCount; ++b)
        markBody(p, &p->body[b]);
}
