// Round things as triangles with exact normals: spheres, and tubes with round ends.
#include "draw/stage.h"

#define AROUND 12 // sides of a tube
#define RINGS 4   // of half a sphere

// directions on the unit circle: AROUND + 1 points, the last is the first
static void circle(double sine[AROUND + 1], double cosine[AROUND + 1])
{
    for (int i = 0; i <= AROUND; ++i)
        sineCosine(2 * PI * (i % AROUND) / AROUND, &sine[i], &cosine[i]);
}

typedef struct Ring
{
    Vec3 centre;  // of the sphere or the axis of the tube
    double out;   // share of the radius away from the axis
    double ahead; // share of the radius along the axis
    float field;  //
} Ring;

typedef struct Frame
{
    Vec3 side, other, axis; // orthonormal
    double radius;
    double sine[AROUND + 1], cosine[AROUND + 1];
} Frame;

static Corner ringCorner(const Frame *frame, const Ring *ring, int i)
{
    Vec3 out = vecAdd(vecScale(frame->cosine[i], frame->side), vecScale(frame->sine[i], frame->other));
    Vec3 normal = vecAdd(vecScale(ring->out, out), vecScale(ring->ahead, frame->axis));
    Vec3 at = vecAdd(ring->centre, vecScale(frame->radius, normal));
    return (Corner){ { at.x, at.y, at.z }, { (float)normal.x, (float)normal.y, (float)normal.z }, ring->field };
}

// the band of triangles from one ring to the next one ahead
static void addBand(Stage *stage, const Frame *frame, const Ring *a, const Ring *b, int paint)
{
    for (int i = 0; i < AROUND; ++i)
    {
        Corner a0 = ringCorner(frame, a, i), a1 = ringCorner(frame, a, i + 1);
        Corner b0 = ringCorner(frame, b, i), b1 = ringCorner(frame, b, i + 1);
        if (a->out > 0)
            stage->triangles[stage->triangleCount++] = (Triangle){ { a0, a1, b0 }, paint };
        if (b->out > 0)
            stage->triangles[stage->triangleCount++] = (Triangle){ { b0, a1, b1 }, paint };
    }
}

static Frame frameAlong(Vec3 axis, double radius)
{
    Frame frame = { .axis = axis, .radius = radius };
    // away from the axis that is nearest to parallel
    Vec3 away = fabs(axis.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0);
    Vec3 side = vecCross(away, axis);
    frame.side = vecScale(1 / vecLength(side), side);
    frame.other = vecCross(axis, frame.side);
    circle(frame.sine, frame.cosine);
    return frame;
}

// a capsule from a to b; both in one place: a sphere
static bool addCapsule(Stage *stage, Vec3 a, Vec3 b, double radius, const float field[2], int paint)
{
    Vec3 along = vecSub(b, a);
    double length = vecLength(along);
    if (!vecFinite(a) || !vecFinite(b) || !isfinite(length) || !(radius > 0) || !isfinite(radius))
        return true;
    if (!stageReserve(stage, 2 * AROUND * (2 * RINGS + 1)))
        return false;
    Frame frame = frameAlong(length > 0 ? vecScale(1 / length, along) : vec3(0, 1, 0), radius);
    Ring last = { a, 0, -1, field[0] };
    for (int i = 1; i <= 2 * RINGS + 1; ++i)
    {
        // rings 1 to RINGS round the end at a, the others the end at b
        bool front = i > RINGS;
        double sine, cosine;
        sineCosine((front ? i - 1 : i) * PI / (2 * RINGS), &sine, &cosine);
        Ring next = { front ? b : a, i == 2 * RINGS + 1 ? 0 : sine, -cosine, field[front] };
        addBand(stage, &frame, &last, &next, paint);
        last = next;
    }
    return true;
}

bool stageSphere(Stage *stage, Vec3 centre, double radius, const Paint *paint)
{
    int index = stagePaint(stage, paint);
    return index >= 0 && addCapsule(stage, centre, centre, radius, (float[]){ 0, 0 }, index);
}

bool stageTubes(Stage *stage, const double *points, int pointCount, const int *edges, int edgeCount, double radius,
                const double *field, const Paint *paint)
{
    int index = stagePaint(stage, paint);
    (void)pointCount;
    for (int i = 0; i < edgeCount && index >= 0; ++i)
    {
        int a = edges[2 * i], b = edges[2 * i + 1];
        float ends[2] = { field != NULL ? (float)field[a] : 0, field != NULL ? (float)field[b] : 0 };
        if (!addCapsule(stage, vecLoad(points + 3 * (size_t)a), vecLoad(points + 3 * (size_t)b), radius, ends, index))
            return false;
    }
    return index >= 0;
}
