#include "rigid/manifold.h"

#define PARALLEL 1e-10 // square of the sine of two edges that have no common normal
#define EDGES_AT_ONCE 64

typedef struct Best
{
    double distance; // m, the largest found
    Vec3 normal;     // unit, from b to a
} Best;

// faces of one core against the deepest vertex of the other
static void tryFaces(const Core *of, const Core *against, double sign, Best *best)
{
    for (int f = 0; f < of->faceCount; ++f)
    {
        Vec3 normal = coreFaceNormal(of, f);
        Vec3 deepest = coreVertex(against, coreSupport(against, vecScale(-1, normal)));
        double distance = vecDot(normal, vecSub(deepest, coreFacePoint(of, f)));
        if (distance > best->distance)
            *best = (Best){ distance, vecScale(sign, normal) };
    }
}

// Whether the arc of normals from p to q crosses that from r to s, seen from the difference of the cores: the arcs of
// the second are mirrored. Then and only then a pair of edges is a face of the difference.
static bool arcsCross(Vec3 p, Vec3 q, Vec3 alongA, Vec3 r, Vec3 s, Vec3 alongB)
{
    Vec3 c = vecScale(-1, r), d = vecScale(-1, s);
    // the planes of the arcs have the edges for normals
    double cSide = vecDot(c, alongA), dSide = vecDot(d, alongA), pSide = vecDot(p, alongB), qSide = vecDot(q, alongB);
    if (!(cSide * dSide < 0 && pSide * qSide < 0))
        return false;
    // where the arcs' circles meet, the right one of the two
    Vec3 meet = vecCross(alongA, alongB);
    double first = vecDot(meet, vecAdd(p, q)), second = vecDot(meet, vecAdd(c, d));
    return first * second > 0;
}

static bool facesDifference(const CoreEdge *a, const CoreEdge *b)
{
    if (a->sides == 0 && b->sides == 0)
        return true;
    if (a->sides == 0 || b->sides == 0) // a segment: all directions across it
    {
        const CoreEdge *arc = a->sides == 0 ? b : a, *segment = a->sides == 0 ? a : b;
        for (int i = 0; i + 1 < arc->sides; ++i)
        {
            if (vecDot(arc->side[i], segment->along) * vecDot(arc->side[i + 1], segment->along) <= 0)
                return true;
        }
        return false;
    }
    for (int i = 0; i + 1 < a->sides; ++i)
    {
        for (int k = 0; k + 1 < b->sides; ++k)
        {
            if (arcsCross(a->side[i], a->side[i + 1], a->along, b->side[k], b->side[k + 1], b->along))
                return true;
        }
    }
    return false;
}

// the axis across two edges, so that it points out of b
static bool edgeAxis(const Core *b, const CoreEdge *ofA, const CoreEdge *ofB, Vec3 *normal)
{
    Vec3 cross = vecCross(ofA->along, ofB->along);
    double square = vecDot(cross, cross), aa = vecDot(ofA->along, ofA->along), bb = vecDot(ofB->along, ofB->along);
    if (!(square > PARALLEL * aa * bb))
        return false;
    *normal = vecScale(1 / sqrt(square), cross);
    // outward for b: along the normals beside its edge; of a segment away from a's edge
    Vec3 out = ofB->sides == 2   ? vecAdd(ofB->side[0], ofB->side[1])
               : ofB->sides == 3 ? ofB->side[1]
               : ofA->sides == 2 ? vecScale(-1, vecAdd(ofA->side[0], ofA->side[1]))
               : ofA->sides == 3 ? vecScale(-1, ofA->side[1])
                                 : vecSub(ofA->start, b->position);
    if (vecDot(*normal, out) < 0)
        *normal = vecScale(-1, *normal);
    return true;
}

static void nearestOnLines(const CoreEdge *a, const CoreEdge *b, Apart *apart)
{
    Vec3 corner[4] = { a->start, vecAdd(a->start, a->along), b->start, vecAdd(b->start, b->along) };
    Vec3 r = vecSub(corner[0], corner[2]), d = a->along, e = b->along, n = vecCross(d, e);
    double square = vecDot(n, n);
    double s = vecDot(vecCross(e, r), n) / square, t = vecDot(vecCross(d, r), n) / square;
    s = minReal(maxReal(s, 0), 1);
    t = minReal(maxReal(t, 0), 1);
    apart->onA = vecAdd(corner[0], vecScale(s, d));
    apart->onB = vecAdd(corner[2], vecScale(t, e));
}

// edges of a core from number `first` on, as many as fit; those without length are left out. Returns the next number
static int listEdges(const Core *core, int first, CoreEdge *edge, int *count)
{
    int next = first;
    for (*count = 0; next < core->edgeCount && *count < EDGES_AT_ONCE; ++next)
    {
        edge[*count] = coreEdge(core, next);
        *count += vecDot(edge[*count].along, edge[*count].along) > 0;
    }
    return next;
}

static void tryPair(const Core *b, const CoreEdge *ofA, const CoreEdge *ofB, double *bar, Apart *apart)
{
    Vec3 normal;
    if (!facesDifference(ofA, ofB) || !edgeAxis(b, ofA, ofB, &normal))
        return;
    double distance = vecDot(normal, vecSub(ofA->start, ofB->start));
    if (!(distance > *bar))
        return;
    *bar = distance;
    *apart = (Apart){ .distance = distance, .normal = normal, .points = true };
    apart->feature = featureMix(featureOfEdge(ofA->name[0], ofA->name[1]), featureOfEdge(ofB->name[0], ofB->name[1]));
    nearestOnLines(ofA, ofB, apart);
}

static void tryEdges(const Core *a, const Core *b, Best face, Apart *apart)
{
    double bar = face.distance + PREFER_FACE * (a->size + b->size);
    CoreEdge ofB[EDGES_AT_ONCE];
    int count;
    for (int first = 0; first < b->edgeCount;)
    {
        first = listEdges(b, first, ofB, &count);
        for (int i = 0; i < a->edgeCount; ++i)
        {
            CoreEdge ofA = coreEdge(a, i);
            bool is = vecDot(ofA.along, ofA.along) > 0;
            for (int k = 0; k < count && is; ++k)
                tryPair(b, &ofA, &ofB[k], &bar, apart);
        }
    }
}

// a unit vector across another, or any
static Vec3 across(Vec3 v)
{
    Vec3 side = fabs(v.x) <= fabs(v.y) && fabs(v.x) <= fabs(v.z) ? vec3(1, 0, 0)
                : fabs(v.y) <= fabs(v.z)                         ? vec3(0, 1, 0)
                                                                 : vec3(0, 0, 1);
    Vec3 cross = vecCross(v, side);
    double length = vecLength(cross);
    return length > 0 ? vecScale(1 / length, cross) : vec3(0, 1, 0);
}

void coreAxis(const Core *a, const Core *b, Apart *apart)
{
    double prefer = PREFER_FACE * (a->size + b->size);
    if (a->kind == CORE_BOX && b->kind == CORE_BOX)
    {
        boxesAxis(a, b, INFINITY, apart);
        return;
    }
    Best best = { -INFINITY, vec3(0, 1, 0) };
    tryFaces(b, a, 1, &best);
    Best other = { best.distance + prefer, best.normal };
    tryFaces(a, b, -1, &other);
    if (best.distance == -INFINITY || other.distance > best.distance + prefer)
        best = other;
    *apart = (Apart){ .distance = best.distance, .normal = best.normal };
    tryEdges(a, b, best, apart);
    if (apart->distance > -INFINITY)
        return;
    // points and segments on one line that overlap: any direction across
    Vec3 along = a->kind == CORE_SEGMENT   ? coreEdge(a, 0).along
                 : b->kind == CORE_SEGMENT ? coreEdge(b, 0).along
                                           : vec3(0, 0, 0);
    *apart = (Apart){ .distance = 0, .normal = across(along), .points = true, .feature = featureMix(1, 2) };
    apart->onA = a->kind == CORE_POINT ? a->position : b->position;
    apart->onB = apart->onA;
}
