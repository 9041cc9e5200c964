// From the axis of two cores to the points in which they touch. Where the axis is the normal of a face, or near it,
// that face is the reference: the face of the other core most against it is clipped to the prism over it, and each
// corner that remains within the margin is a point. Parallel edges give two points, everything else one.
#include "rigid/manifold.h"

#define ALIGNED 0.9994   // cosine of an axis and the normal of a face that is taken for it
#define SLACK 5e-4       // of the size: by so much the face may part less than the axis
#define PARALLEL 0.02    // sine of edges that touch along a line
#define LEVEL 0.02       // slope against the axis up to which an edge touches as a whole
#define ASIDE 0.1        // of the radii: by so much round edges may lie beside each other
#define ASIDE_SHARP 0.01 // of the length, of edges without radius
#define ROUNDING 1e-9    // of the size
#define SHORTEST 1e-3    // of the shorter edge: overlaps below are one point

// ---- clipping -------------------------------------------------------------------------------------------------------

// A segment has one edge; a polygon as many as points. Each new corner lies between the edge it cuts and the edge that
// cuts it. `outward` is 1 / size long. Corners outside to rounding stay, so that faces of one size keep theirs.
static void clipPlane(const Polygon *in, Vec3 at, Vec3 outward, uint32_t cut, Polygon *out)
{
    int edges = in->count == 2 ? 1 : in->count;
    out->count = 0;
    for (int i = 0; i < in->count; ++i)
    {
        int next = (i + 1) % in->count;
        double here = vecDot(outward, vecSub(in->point[i], at)), there = vecDot(outward, vecSub(in->point[next], at));
        bool inside = here <= ROUNDING;
        if (inside && out->count < 2 * POLYGON_LIMIT)
        {
            out->point[out->count] = in->point[i];
            out->edge[out->count++] = in->edge[i];
        }
        if (i < edges && inside != (there <= ROUNDING) && out->count < 2 * POLYGON_LIMIT)
        {
            double share = minReal(maxReal(here / (here - there), 0), 1);
            Vec3 way = vecSub(in->point[next], in->point[i]);
            out->point[out->count] = vecAdd(in->point[i], vecScale(share, way));
            out->edge[out->count++] = inside && edges > 1 ? cut : in->edge[i];
        }
    }
}

void polygonClip(const Polygon *by, Vec3 normal, double size, Polygon *polygon)
{
    Polygon other, *from = polygon, *to = &other;
    for (int i = 0; i < by->count && from->count > 0; ++i)
    {
        Vec3 edge = vecSub(by->point[(i + 1) % by->count], by->point[i]);
        Vec3 outward = vecScale(1 / (size * maxReal(vecLength(edge), 1e-300)), vecCross(edge, normal));
        clipPlane(from, by->point[i], outward, by->edge[i] ^ 0x80000000u, to);
        Polygon *swap = from;
        from = to;
        to = swap;
    }
    if (from != polygon)
        *polygon = *from;
}

// ---- points ---------------------------------------------------------------------------------------------------------

void witnessAdd(Witnesses *witnesses, Witness witness)
{
    if (witnesses->count < WITNESS_LIMIT)
    {
        witnesses->witness[witnesses->count++] = witness;
        return;
    }
    int shallowest = 0;
    for (int i = 1; i < witnesses->count; ++i)
    {
        if (witnesses->witness[i].distance > witnesses->witness[shallowest].distance)
            shallowest = i;
    }
    if (witness.distance < witnesses->witness[shallowest].distance)
        witnesses->witness[shallowest] = witness;
}

// Given points of the cores: their surfaces are a radius away.
static void addPoints(const Core *a, const Core *b, Vec3 onA, Vec3 onB, Vec3 normal, uint32_t feature, double margin,
                      Witnesses *witnesses)
{
    double distance = vecDot(vecSub(onA, onB), normal) - a->radius - b->radius;
    if (!(distance <= margin))
        return;
    witnessAdd(witnesses, (Witness){ .onA = vecSub(onA, vecScale(a->radius, normal)),
                                     .onB = vecAdd(onB, vecScale(b->radius, normal)),
                                     .normal = normal,
                                     .distance = distance,
                                     .feature = feature });
}

// `of` has the face; swapped: it is a
void faceWitnesses(const Core *of, const Core *against, int face, bool swapped, double margin, Witnesses *witnesses)
{
    Polygon reference, incident;
    Vec3 normal = coreFaceNormal(of, face), foot = coreFacePoint(of, face);
    double cosine;
    polygonOfFace(of, face, &reference);
    polygonOfFace(against, coreFaceAlong(against, vecScale(-1, normal), &cosine), &incident);
    uint32_t salt = swapped ? 0x51ed270bu : 0;
    bool round = incident.count == 1;
    if (!round)
        polygonClip(&reference, normal, of->size + against->size, &incident);
    for (int i = 0; i < incident.count; ++i)
    {
        Vec3 p = incident.point[i];
        Vec3 foot2 = vecSub(p, vecScale(vecDot(normal, vecSub(p, foot)), normal));
        uint32_t before = incident.edge[(i + incident.count - 1) % incident.count];
        uint32_t feature =
            incident.count == 2 ? featureMix(incident.edge[i], (uint32_t)i + 7) : featureMix(before, incident.edge[i]);
        if (swapped)
            addPoints(of, against, foot2, p, vecScale(-1, normal), feature ^ salt, margin, witnesses);
        else
            addPoints(against, of, p, foot2, normal, feature, margin, witnesses);
    }
}

typedef struct Farthest
{
    Vec3 end[2];      // m, in the order of their vertices
    uint32_t feature; // of the edge
} Farthest;

// the edge with which a core is farthest along a direction; false: it is a vertex
static bool farthestEdge(const Core *core, Vec3 direction, Farthest *edge)
{
    int first = coreSupport(core, direction), second = -1;
    double longest = 0;
    Vec3 from = coreVertex(core, first);
    for (int i = 0; i < core->vertexCount; ++i)
    {
        Vec3 way = vecSub(coreVertex(core, i), from);
        double length = vecLength(way);
        if (length > longest && -vecDot(way, direction) <= LEVEL * length)
        {
            longest = length;
            second = i;
        }
    }
    if (second < 0)
        return false;
    int nameFirst = coreVertexName(core, first), nameSecond = coreVertexName(core, second);
    bool turned = nameSecond < nameFirst;
    edge->end[0] = coreVertex(core, turned ? second : first);
    edge->end[1] = coreVertex(core, turned ? first : second);
    edge->feature = featureOfEdge(nameFirst, nameSecond);
    return true;
}

// Two parallel edges: the ends of what they share. False: they are not, or share too little.
static bool parallelEdges(const Core *a, const Core *b, const Apart *apart, double margin, Witnesses *witnesses)
{
    Farthest edgeA, edgeB;
    Vec3 n = apart->normal, *ofA = edgeA.end, *ofB = edgeB.end;
    if (!farthestEdge(a, vecScale(-1, n), &edgeA) || !farthestEdge(b, n, &edgeB))
        return false;
    Vec3 alongA = vecSub(ofA[1], ofA[0]), alongB = vecSub(ofB[1], ofB[0]), cross = vecCross(alongA, alongB);
    double lengthA = vecLength(alongA), lengthB = vecLength(alongB), dot = vecDot(alongA, alongB);
    if (vecLength(cross) > PARALLEL * lengthA * lengthB)
        return false;
    // places of b's ends along a, and of the overlap
    double at[2] = { vecDot(vecSub(ofB[0], ofA[0]), alongA) / (lengthA * lengthA), 0 };
    at[1] = at[0] + dot / (lengthA * lengthA);
    double from = maxReal(0, minReal(at[0], at[1])), to = minReal(1, maxReal(at[0], at[1]));
    if ((to - from) * lengthA < SHORTEST * minReal(lengthA, lengthB))
        return false;
    Vec3 onA[2], onB[2];
    double radii = a->radius + b->radius, shift = (to - from) * lengthA;
    double aside = radii > 0 ? ASIDE * radii : ASIDE_SHARP * shift;
    for (int k = 0; k < 2; ++k)
    {
        double t = k == 0 ? from : to, u = (t - at[0]) / (at[1] - at[0]);
        onA[k] = vecAdd(ofA[0], vecScale(t, alongA));
        onB[k] = vecAdd(ofB[0], vecScale(minReal(maxReal(u, 0), 1), alongB));
        Vec3 gap = vecSub(onA[k], onB[k]), side = vecSub(gap, vecScale(vecDot(gap, n), n));
        if (vecLength(side) > aside)
            return false;
    }
    uint32_t feature = featureMix(edgeA.feature, edgeB.feature);
    for (int k = 0; k < 2; ++k)
        addPoints(a, b, onA[k], onB[k], n, featureMix(feature, (uint32_t)k), margin, witnesses);
    return true;
}

typedef struct Reference
{
    int face; // -1: none is near the axis
    double cosine;
} Reference;

static Reference referenceFace(const Core *of, const Core *against, Vec3 axis, double distance)
{
    Reference reference;
    reference.face = coreFaceAlong(of, axis, &reference.cosine);
    if (reference.cosine >= ALIGNED)
    {
        Vec3 normal = coreFaceNormal(of, reference.face);
        Vec3 nearest = coreVertex(against, coreSupport(against, vecScale(-1, normal)));
        double parts = vecDot(normal, vecSub(nearest, coreFacePoint(of, reference.face)));
        if (parts >= distance - SLACK * (of->size + against->size))
            return reference;
    }
    return (Reference){ -1, -1 };
}

// False: farther apart than the limit. The axes of boxes say so first, and whether they overlap: a fifth of the time.
static bool howApart(const Core *a, const Core *b, double limit, Apart *apart)
{
    bool boxes = a->kind == CORE_BOX && b->kind == CORE_BOX;
    if (boxes)
    {
        boxesAxis(a, b, limit, apart);
        if (apart->distance < 0 || apart->distance > limit)
            return apart->distance < 0;
    }
    if (!coreDistance(a, b, limit, apart))
        coreAxis(a, b, apart);
    return true;
}

void pairWitnesses(const Core *a, const Core *b, double margin, Witnesses *witnesses)
{
    Apart apart;
    if (!howApart(a, b, margin + a->radius + b->radius, &apart) || apart.distance - a->radius - b->radius > margin)
        return;
    int before = witnesses->count;
    bool round = a->kind == CORE_POINT || b->kind == CORE_POINT; // one point, which is known
    if (!(round && apart.points))
    {
        Reference ofA = referenceFace(a, b, vecScale(-1, apart.normal), apart.distance),
                  ofB = referenceFace(b, a, apart.normal, apart.distance);
        if (ofA.cosine > ofB.cosine + 1e-6)
            faceWitnesses(a, b, ofA.face, true, margin, witnesses);
        else if (ofB.face >= 0)
            faceWitnesses(b, a, ofB.face, false, margin, witnesses);
        else if (!round && parallelEdges(a, b, &apart, margin, witnesses))
            return;
    }
    if (witnesses->count == before && apart.points)
        addPoints(a, b, apart.onA, apart.onB, apart.normal, apart.feature, margin, witnesses);
}
