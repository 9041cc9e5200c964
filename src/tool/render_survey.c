// What is found out about runs before they are drawn: where they diverged, and which colliders hide bodies from the
// eye.
#include "tool/render.h"

#include "contact/contact.h"

#define EXPLODED 5    // times the size of the body at rest: such a frame has nothing to show
#define TORN 4        // times its length at rest, of an edge that is also longer than
#define TORN_SIZE 0.7 // of the size of its body
#define FRAMES_LOOKED_AT 16
#define POINTS_LOOKED_AT 48 // of a body
#define HIDDEN 0.7          // of the points of a body: a collider that hides more becomes glass
#define MOST_STEPS 64       // of a ray towards a point
#define TOUCHING 0.04       // of the distance: nearer to the point, a surface is what the point lies on

// ---- divergence -----------------------------------------------------------------------------------------------------

static double extent(const RunBody *body, int *finite)
{
    vvBox box = { { 1e300, 1e300, 1e300 }, { -1e300, -1e300, -1e300 } };
    *finite = bodyBounds(body, &box);
    return *finite > 0 ? vecLength(vecSub(box.upper, box.lower)) : 0;
}

void surveyStart(Run *run)
{
    for (int i = 0; i < run->bodyCount; ++i)
    {
        RunBody *body = &run->body[i];
        RunBody rest = { .points = (double *)body->rest, .vertexCount = body->vertexCount };
        int all;
        body->size = maxReal(extent(body, &body->finiteCount), extent(&rest, &all));
    }
}

// An edge many times as long as at rest, and as long as the whole body: no pull on the body does that to it, a step
// that is too large for it does.
static bool hasTornEdge(const RunBody *body)
{
    const double *rest = body->rest;
    const int *edge = vvMesh_GetEdges(body->mesh);
    bool torn = false;
    int edges = body->embedded ? 0 : vvMesh_GetEdgeCount(body->mesh); // edges of a cage are not seen
    for (int e = 0; e < edges && !torn; ++e)
    {
        size_t a = 3 * (size_t)edge[2 * e], b = 3 * (size_t)edge[2 * e + 1];
        double now = vecLength(vecSub(vecLoad(body->points + a), vecLoad(body->points + b)));
        torn = now > TORN_SIZE * body->size && now > TORN * vecLength(vecSub(vecLoad(rest + a), vecLoad(rest + b)));
    }
    return torn;
}

static bool isSane(const Run *run)
{
    bool sane = true;
    for (int i = 0; i < run->bodyCount && sane; ++i)
    {
        int finite;
        const RunBody *body = &run->body[i];
        double size = extent(body, &finite);
        if (body->changed) // pieces may be anywhere
            sane = finite == body->vertexCount;
        else
            sane = finite >= body->finiteCount && size <= EXPLODED * body->size && !hasTornEdge(body);
    }
    return sane;
}

vvResult surveyDivergence(Run *run, int last)
{
    int good = 0, bad = -1;
    last = minInt(last, run->frameCount - 1);
    int step = maxInt(1, last / FRAMES_SAMPLED);
    vvResult result = resultOk();
    for (int frame = 0; bad < 0 && good < last && result.code == VV_OK; frame = good)
    {
        frame = minInt(good + step, last);
        result = runLoad(run, frame, COLOUR_PLAIN);
        if (isSane(run))
            good = frame;
        else
            bad = frame;
    }
    // between a good frame and a bad one: the first bad one
    while (bad > good + 1 && result.code == VV_OK)
    {
        int middle = good + (bad - good) / 2;
        result = runLoad(run, middle, COLOUR_PLAIN);
        if (isSane(run))
            good = middle;
        else
            bad = middle;
    }
    run->diverged = bad >= 0;
    run->saneCount = bad >= 0 ? bad : run->frameCount;
    return result;
}

// ---- colliders before bodies ----------------------------------------------------------------------------------------

// whether a ray from the eye meets the collider well before it reaches the point: steps of the distance to the surface
static bool hides(const vvShape *shape, const Pose *pose, Vec3 eye, Vec3 point)
{
    Vec3 ray = vecSub(point, eye);
    double length = vecLength(ray), travelled = 0;
    Mat3 back = matTranspose(&pose->turn);
    for (int i = 0; i < MOST_STEPS && travelled < (1 - TOUCHING) * length; ++i)
    {
        Vec3 at = vecSub(vecAdd(eye, vecScale(travelled / length, ray)), pose->position), normal;
        double distance = vvShape_GetDistance(shape, matApply(&back, at), &normal);
        if (!(distance > 1e-3 * length))
            return true;
        travelled += distance;
    }
    return false;
}

static double hiddenShare(const RunBody *body, const vvShape *shape, const Pose *pose, Vec3 eye)
{
    int step = maxInt(1, body->vertexCount / POINTS_LOOKED_AT), seen = 0, hidden = 0;
    for (int v = 0; v < body->vertexCount; v += step)
    {
        Vec3 point = vecLoad(body->points + 3 * (size_t)v);
        if (!vecFinite(point))
            continue;
        seen += 1;
        hidden += hides(shape, pose, eye, point) ? 1 : 0;
    }
    return seen > 0 ? (double)hidden / seen : 0;
}

// a collider's shape at a time, where that is another one than at rest; NULL: it is not
static vvShape *deformedShape(const Run *run, int index, double time)
{
    size_t count = (size_t)sceneColliderPoints(run->built, index, time, NULL);
    double *points = count > 0 ? ALLOCATE(run->memory, double, 3 * count) : NULL;
    vvShape *shape = points ? shapeCreateMoving(sceneColliderShape(run->built, index), &run->memory->hook, NULL) : NULL;
    if (shape != NULL)
    {
        sceneColliderPoints(run->built, index, time, points);
        shapeMovePoints(shape, points);
        shapeArrive(shape);
    }
    memoryRelease(run->memory, points);
    return shape;
}

static void findGlass(Run *run, const Look *look, int frame)
{
    Camera camera = lookCamera(look, run);
    int shown = minInt(frame, run->saneCount - 1);
    for (int i = 0; i < sceneColliderCount(run->built); ++i) // rigid bodies are never glass
    {
        RunCollider *collider = &run->collider[i];
        vvVec3 position, rotate;
        sceneColliderPose(run->built, i, shown * run->timestep, &position, &rotate);
        Pose pose = poseMake(position, vvQuat_FromDegrees(rotate));
        vvShape *deformed = deformedShape(run, i, shown * run->timestep);
        const vvShape *shape = deformed != NULL ? deformed : sceneColliderShape(run->built, i);
        for (int k = 0; k < run->bodyCount && !collider->glass; ++k)
            collider->glass = hiddenShare(&run->body[k], shape, &pose, camera.eye) > HIDDEN;
        for (int k = 0; k < run->fluidCount && !collider->glass; ++k)
        {
            RunBody particles = { .points = run->fluid[k].points, .vertexCount = run->fluid[k].count };
            collider->glass = hiddenShare(&particles, shape, &pose, camera.eye) > HIDDEN;
        }
        vvDestroyShape(deformed);
    }
}

vvResult surveyGlass(Run *run, const Look *look, int from, int to)
{
    vvResult result = resultOk();
    int step = maxInt(1, (to - from) / FRAMES_LOOKED_AT);
    for (int frame = from; frame <= to && run->colliderCount > 0 && result.code == VV_OK; frame += step)
    {
        result = runLoad(run, frame, COLOUR_PLAIN);
        if (result.code == VV_OK)
            findGlass(run, look, frame);
    }
    return result;
}
