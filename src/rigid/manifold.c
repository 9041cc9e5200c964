#include "rigid/manifold.h"

#define CONVEX_POINTS 4
#define SAME_NORMAL 0.999 // cosine of normals whose points are reduced together

// ---- fewer points ---------------------------------------------------------------------------------------------------

static void swapWitnesses(Witness *a, Witness *b)
{
    Witness c = *a;
    *a = *b;
    *b = c;
}

// The one of witness[from, count) that is best by a measure, put at `from`. Of measures that are equal to rounding the
// first.
typedef double (*Measure)(const Witness *chosen, const Witness *witness);

static double byDepth(const Witness *chosen, const Witness *witness)
{
    (void)chosen;
    return -witness->distance;
}

static double byDistance(const Witness *chosen, const Witness *witness)
{
    return vecLength(vecSub(witness->onB, chosen[0].onB));
}

static double area(const Witness *chosen, const Witness *witness)
{
    Vec3 cross = vecCross(vecSub(chosen[1].onB, chosen[0].onB), vecSub(witness->onB, chosen[0].onB));
    return vecDot(cross, chosen[0].normal);
}

static double byArea(const Witness *chosen, const Witness *witness)
{
    return fabs(area(chosen, witness));
}

// the area that the fourth adds to the triangle: beyond the edge that it is farthest outside of
static double byQuad(const Witness *chosen, const Witness *witness)
{
    double sign = area(chosen, chosen + 2) < 0 ? -1 : 1, most = -INFINITY;
    for (int k = 0; k < 3; ++k)
    {
        Vec3 from = chosen[k].onB, to = chosen[(k + 1) % 3].onB;
        Vec3 cross = vecCross(vecSub(to, from), vecSub(witness->onB, from));
        most = maxReal(most, -sign * vecDot(cross, chosen[0].normal));
    }
    return most;
}

static void chooseNext(Witness *witness, int from, int count, Measure measure)
{
    int best = from;
    double most = measure(witness, witness + from);
    for (int i = from + 1; i < count; ++i)
    {
        double value = measure(witness, witness + i);
        if (value > most + 1e-9 * fabs(most))
        {
            most = value;
            best = i;
        }
    }
    swapWitnesses(witness + from, witness + best);
}

void witnessesReduce(Witnesses *witnesses, int begin, int most)
{
    static const Measure measures[CONVEX_POINTS] = { byDepth, byDistance, byArea, byQuad };
    Witness *witness = witnesses->witness + begin;
    int count = witnesses->count - begin;
    if (count <= most)
        return;
    for (int k = 0; k < most && k < CONVEX_POINTS; ++k)
        chooseNext(witness, k, count, measures[k]);
    witnesses->count = begin + most;
}

// Points of one normal are reduced together; the groups with the deepest points come first.
static void reduceGroups(Witnesses *witnesses)
{
    Witnesses kept = { .count = 0 };
    bool used[WITNESS_LIMIT] = { false };
    while (kept.count < MANIFOLD_LIMIT)
    {
        int lead = -1;
        for (int i = 0; i < witnesses->count; ++i)
        {
            if (!used[i] && (lead < 0 || witnesses->witness[i].distance < witnesses->witness[lead].distance))
                lead = i;
        }
        if (lead < 0)
            break;
        Vec3 normal = witnesses->witness[lead].normal;
        int begin = kept.count;
        for (int i = 0; i < witnesses->count; ++i)
        {
            if (used[i] || vecDot(witnesses->witness[i].normal, normal) < SAME_NORMAL)
                continue;
            used[i] = true;
            if (kept.count < WITNESS_LIMIT)
                kept.witness[kept.count++] = witnesses->witness[i];
        }
        witnessesReduce(&kept, begin, CONVEX_POINTS);
    }
    kept.count = kept.count < MANIFOLD_LIMIT ? kept.count : MANIFOLD_LIMIT;
    *witnesses = kept;
}

// ---- a plane --------------------------------------------------------------------------------------------------------

static void planeWitnesses(const Core *core, const ShapeForm *plane, const Pose *pose, Vec3 about, double margin,
                           Witnesses *witnesses)
{
    Vec3 normal = matApply(&pose->turn, plane->normal);
    double level = vecDot(normal, vecSub(pose->position, about)) + plane->offset;
    for (int i = 0; i < core->vertexCount; ++i)
    {
        Vec3 onA = vecSub(coreVertex(core, i), vecScale(core->radius, normal));
        double distance = vecDot(normal, onA) - level;
        if (!(distance <= margin))
            continue;
        uint32_t feature = featureMix(3, (uint32_t)coreVertexName(core, i));
        bool new = true; // corners of a hull come once for each triangle
        for (int k = 0; k < witnesses->count && new; ++k)
            new = witnesses->witness[k].feature != feature;
        if (new)
            witnessAdd(witnesses, (Witness){ onA, vecSub(onA, vecScale(distance, normal)), normal, distance, feature });
    }
    witnessesReduce(witnesses, 0, CONVEX_POINTS);
}

// ---- two shapes -----------------------------------------------------------------------------------------------------

static Vec3 intoFrame(const Pose *pose, Vec3 about, Vec3 point)
{
    Mat3 back = matTranspose(&pose->turn);
    return matApply(&back, vecSub(point, vecSub(pose->position, about)));
}

static void witnessesOf(const vvShape *a, const Pose *poseA, const vvShape *b, const Pose *poseB, Vec3 about,
                        double margin, Witnesses *witnesses)
{
    Core coreA, coreB;
    if (!coreMake(a, poseA, about, &coreA))
        return;
    if (coreMake(b, poseB, about, &coreB))
    {
        pairWitnesses(&coreA, &coreB, margin, witnesses);
        witnessesReduce(witnesses, 0, CONVEX_POINTS);
        return;
    }
    ShapeForm form = shapeForm(b);
    if (form.kind == VV_SHAPE_PLANE)
        planeWitnesses(&coreA, &form, poseB, about, margin, witnesses);
    else
    {
        surfaceWitnesses(&coreA, b, poseB, about, margin, witnesses);
        reduceGroups(witnesses);
    }
}

static bool isConvex(const vvShape *shape)
{
    vvShapeKind kind = shapeForm(shape).kind;
    return kind != VV_SHAPE_PLANE && kind != VV_SHAPE_MESH && kind != VV_SHAPE_HEIGHTFIELD;
}

int rigidManifold(const vvShape *a, Pose poseA, const vvShape *b, Pose poseB, double margin, ManifoldPoint *points)
{
    Witnesses witnesses;
    witnesses.count = 0;
    Vec3 about = poseA.position;
    bool swapped = !isConvex(a); // scenery is the second
    if (swapped)
        witnessesOf(b, &poseB, a, &poseA, about, margin, &witnesses);
    else
        witnessesOf(a, &poseA, b, &poseB, about, margin, &witnesses);
    for (int i = 0; i < witnesses.count; ++i)
    {
        const Witness *witness = witnesses.witness + i;
        points[i] = (ManifoldPoint){ .onA = intoFrame(&poseA, about, swapped ? witness->onB : witness->onA),
                                     .onB = intoFrame(&poseB, about, swapped ? witness->onA : witness->onB),
                                     .normal = swapped ? vecScale(-1, witness->normal) : witness->normal,
                                     .distance = witness->distance,
                                     .feature = witness->feature };
    }
    return witnesses.count;
}
