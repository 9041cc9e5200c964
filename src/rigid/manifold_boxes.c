// The axis of least penetration of two boxes: what coreAxis finds, from the fifteen axes of their extents (Gottschalk
// 1996) and a fifth of the time.
#include "rigid/manifold.h"

#define PARALLEL 1e-10 // square of the sine of two edges that have no common normal

typedef struct Boxes
{
    Vec3 axisA[3], axisB[3], gap; // gap: m, from the middle of b to that of a
    double halfA[3], halfB[3];    // m
    double cosine[3][3];          // of axis i of a and k of b
} Boxes;

static Vec3 column(const Mat3 *m, int k)
{
    return vec3(m->m[0][k], m->m[1][k], m->m[2][k]);
}

static Boxes boxesOf(const Core *a, const Core *b)
{
    Boxes boxes = { .gap = vecSub(a->position, b->position),
                    .halfA = { a->half.x, a->half.y, a->half.z },
                    .halfB = { b->half.x, b->half.y, b->half.z } };
    for (int k = 0; k < 3; ++k)
    {
        boxes.axisA[k] = column(&a->turn, k);
        boxes.axisB[k] = column(&b->turn, k);
    }
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            boxes.cosine[i][k] = vecDot(boxes.axisA[i], boxes.axisB[k]);
    return boxes;
}

// the axis that parts them best so far
static void tryAxis(Vec3 normal, double along, double reach, double prefer, Apart *apart)
{
    double distance = fabs(along) - reach;
    if (distance > apart->distance + prefer)
        *apart = (Apart){ .distance = distance, .normal = vecScale(along < 0 ? -1 : 1, normal) };
}

// as soon as one parts them by more than the limit, that one
static void tryFaces(const Boxes *boxes, double limit, double prefer, Apart *apart)
{
    for (int k = 0; k < 3; ++k)
    {
        double reach = boxes->halfB[k];
        for (int i = 0; i < 3; ++i)
            reach += boxes->halfA[i] * fabs(boxes->cosine[i][k]);
        tryAxis(boxes->axisB[k], vecDot(boxes->gap, boxes->axisB[k]), reach, 0, apart);
        if (apart->distance > limit)
            return;
    }
    Apart ofA = { .distance = -INFINITY };
    for (int i = 0; i < 3; ++i)
    {
        double reach = boxes->halfA[i];
        for (int k = 0; k < 3; ++k)
            reach += boxes->halfB[k] * fabs(boxes->cosine[i][k]);
        tryAxis(boxes->axisA[i], vecDot(boxes->gap, boxes->axisA[i]), reach, 0, &ofA);
        if (ofA.distance > limit)
            break;
    }
    if (ofA.distance > apart->distance + prefer)
        *apart = ofA;
}

// the edge along axis k that is farthest in a direction, as its middle; its number in the names of edges
static Vec3 farthestEdge(const Core *box, const Vec3 *axis, const double *half, int k, Vec3 direction, int *name)
{
    Vec3 middle = box->position;
    *name = 4 * k;
    for (int i = 0; i < 3; ++i)
    {
        bool upper = vecDot(axis[i], direction) > 0;
        if (i == k)
            continue;
        middle = vecAdd(middle, vecScale(upper ? half[i] : -half[i], axis[i]));
        *name += upper ? (i == (k + 1) % 3 ? 1 : 2) : 0;
    }
    return middle;
}

static void nearestOnEdges(const Core *a, const Core *b, const Boxes *boxes, int i, int k, Apart *apart)
{
    int nameA, nameB;
    Vec3 u = boxes->axisA[i], v = boxes->axisB[k];
    Vec3 p = farthestEdge(a, boxes->axisA, boxes->halfA, i, vecScale(-1, apart->normal), &nameA);
    Vec3 q = farthestEdge(b, boxes->axisB, boxes->halfB, k, apart->normal, &nameB);
    Vec3 r = vecSub(q, p);
    double c = boxes->cosine[i][k], sine2 = 1 - c * c;
    double s = (vecDot(r, u) - c * vecDot(r, v)) / sine2, t = (c * vecDot(r, u) - vecDot(r, v)) / sine2;
    s = minReal(maxReal(s, -boxes->halfA[i]), boxes->halfA[i]);
    t = minReal(maxReal(t, -boxes->halfB[k]), boxes->halfB[k]);
    apart->onA = vecAdd(p, vecScale(s, u));
    apart->onB = vecAdd(q, vecScale(t, v));
    apart->points = true;
    apart->feature = featureMix((uint32_t)nameA, (uint32_t)nameB);
}

void boxesAxis(const Core *a, const Core *b, double limit, Apart *apart)
{
    Boxes boxes = boxesOf(a, b);
    double prefer = PREFER_FACE * (a->size + b->size);
    *apart = (Apart){ .distance = -INFINITY };
    tryFaces(&boxes, limit, prefer, apart);
    if (apart->distance > limit)
        return;
    int edgeA = -1, edgeB = -1;
    double slack = prefer;
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            Vec3 cross = vecCross(boxes.axisA[i], boxes.axisB[k]);
            double square = vecDot(cross, cross), reach = 0;
            if (!(square > PARALLEL))
                continue;
            Vec3 normal = vecScale(1 / sqrt(square), cross);
            for (int m = 1; m < 3; ++m)
            {
                int p = (i + m) % 3, q = (k + m) % 3;
                reach += boxes.halfA[p] * fabs(vecDot(boxes.axisA[p], normal)) +
                         boxes.halfB[q] * fabs(vecDot(boxes.axisB[q], normal));
            }
            double before = apart->distance;
            tryAxis(normal, vecDot(boxes.gap, normal), reach, slack, apart);
            if (apart->distance == before)
                continue;
            if (apart->distance > limit)
                return;
            edgeA = i;
            edgeB = k;
            slack = 0;
        }
    }
    if (edgeA >= 0)
        nearestOnEdges(a, b, &boxes, edgeA, edgeB, apart);
}
