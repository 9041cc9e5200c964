// A convex core against the triangles of a mesh or a heightfield near it. A triangle pushes along its normal, and along
// other directions only where its edge or corner sticks out there: elsewhere a neighbour is nearer, and a body that
// slides over a flat mesh would trip over its edges.
#include "rigid/manifold.h"

#define ALONG 0.9994 // cosine with the normal of the triangle, above which it is meant
#define PROBE 1e-3   // of the triangle's size: how far out a direction is tried
#define STICKS 1e-4  // relative: by so much the distance may fall short of the way out
#define TWICE 1e-7   // of the size: points of two triangles that are one

typedef struct Search
{
    const Core *core;
    const vvShape *shape;
    const Pose *pose;
    Vec3 about;
    double margin;
    Witnesses *witnesses;
} Search;

static double distanceAt(const Search *search, Vec3 point)
{
    Mat3 back = matTranspose(&search->pose->turn);
    Vec3 from = vecSub(point, vecSub(search->pose->position, search->about));
    return shapeSample(search->shape, matApply(&back, from), INFINITY, -1).distance;
}

// whether the surface is nowhere nearer to a place a little way out along the normal than where it starts
static bool sticksOut(const Search *search, const Core *triangle, const Witness *witness)
{
    double way = PROBE * triangle->size;
    double found = distanceAt(search, vecAdd(witness->onB, vecScale(way, witness->normal)));
    return found >= way * (1 - STICKS);
}

static bool isNew(const Search *search, const Witness *witness)
{
    for (int i = 0; i < search->witnesses->count; ++i)
    {
        const Witness *other = search->witnesses->witness + i;
        if (vecDot(other->normal, witness->normal) >= ALONG &&
            vecLength(vecSub(other->onB, witness->onB)) <= TWICE * search->core->size)
            return false;
    }
    return true;
}

static void keep(const Search *search, const Witnesses *found, int number)
{
    for (int i = 0; i < found->count; ++i)
    {
        Witness witness = found->witness[i];
        witness.feature = featureMix(witness.feature, (uint32_t)number);
        if (isNew(search, &witness))
            witnessAdd(search->witnesses, witness);
    }
}

// What the face itself pushes of the core. Points under it count where they are inside the solid.
static void faceAlone(const Search *search, const Core *triangle, Witnesses *found)
{
    found->count = 0;
    faceWitnesses(triangle, search->core, 0, false, search->margin, found);
    int kept = 0;
    for (int i = 0; i < found->count; ++i)
    {
        const Witness *witness = found->witness + i;
        if (witness->distance >= 0 || distanceAt(search, witness->onA) <= TWICE * search->core->size)
            found->witness[kept++] = *witness;
    }
    found->count = kept;
}

static bool tryTriangle(const Facet *facet, void *context)
{
    const Search *search = context;
    Vec3 corner[3], origin = vecSub(search->pose->position, search->about);
    for (int k = 0; k < 3; ++k)
        corner[k] = vecAdd(matApply(&search->pose->turn, facet->corner[k]), origin);
    Core triangle = coreTriangle(corner);
    Witnesses found;
    found.count = 0;
    pairWitnesses(search->core, &triangle, search->margin, &found);
    if (found.count == 0)
        return true;
    double cosine = vecDot(found.witness[0].normal, triangle.normal);
    if (cosine < -1e-6) // from behind
        return true;
    if (cosine < 1 - 1e-12 && (cosine >= ALONG || !sticksOut(search, &triangle, found.witness)))
        faceAlone(search, &triangle, &found);
    witnessesReduce(&found, 0, 4);
    keep(search, &found, facet->number);
    return true;
}

// The middle of the core is inside: the way out from there is the normal of all points, and the face of the core that
// looks inward gives them.
static bool tryInside(const Search *search)
{
    const Core *core = search->core;
    Mat3 back = matTranspose(&search->pose->turn);
    Vec3 origin = vecSub(search->pose->position, search->about);
    ShapeSample sample = shapeSample(search->shape, matApply(&back, vecSub(core->position, origin)), INFINITY, -1);
    if (!(sample.distance < 0))
        return false;
    Vec3 normal = matApply(&search->pose->turn, sample.normal);
    double level = vecDot(normal, core->position) - sample.distance;
    for (int i = 0; i < core->vertexCount; ++i)
    {
        Vec3 onA = vecSub(coreVertex(core, i), vecScale(core->radius, normal));
        double distance = vecDot(normal, onA) - level;
        uint32_t feature = featureMix(5, (uint32_t)coreVertexName(core, i));
        if (distance < 0)
            witnessAdd(search->witnesses,
                       (Witness){ onA, vecSub(onA, vecScale(distance, normal)), normal, distance, feature });
    }
    witnessesReduce(search->witnesses, 0, 4);
    return true;
}

// A mesh that is known by samples of its distance has no facets: the vertices of the core ask for it.
static void sampleVertices(const Search *search)
{
    const Core *core = search->core;
    Mat3 back = matTranspose(&search->pose->turn);
    Vec3 origin = vecSub(search->pose->position, search->about);
    double reach = search->margin + core->radius;
    for (int i = 0; i < core->vertexCount; ++i)
    {
        Vec3 p = coreVertex(core, i);
        ShapeSample sample = shapeSample(search->shape, matApply(&back, vecSub(p, origin)), reach, -1);
        if (!(sample.distance <= reach) || vecDot(sample.normal, sample.normal) == 0)
            continue;
        Vec3 normal = matApply(&search->pose->turn, sample.normal);
        Witness witness = { vecSub(p, vecScale(core->radius, normal)), vecSub(p, vecScale(sample.distance, normal)),
                            normal, sample.distance - core->radius, featureMix(6, (uint32_t)coreVertexName(core, i)) };
        if (isNew(search, &witness))
            witnessAdd(search->witnesses, witness);
    }
}

// the box around the core in the frame of the shape
static vvBox boxOf(const Search *search)
{
    vvBox box = coreBounds(search->core);
    Mat3 back = matTranspose(&search->pose->turn);
    TurnedBox turned = turnedBox(box);
    turned.half = vecAdd(turned.half, vec3(search->margin, search->margin, search->margin));
    turned.centre = matApply(&back, vecSub(turned.centre, vecSub(search->pose->position, search->about)));
    turned.axes = back;
    return turnedBounds(&turned);
}

void surfaceWitnesses(const Core *core, const vvShape *shape, const Pose *pose, Vec3 about, double margin,
                      Witnesses *witnesses)
{
    Search search = { core, shape, pose, about, margin, witnesses };
    if (tryInside(&search))
        return;
    if (shapeForm(shape).sampled)
        sampleVertices(&search);
    shapeFacets(shape, boxOf(&search), tryTriangle, &search);
}
