#include "tool/render.h"

#define FRAMES_LOOKED_AT 120
#define WIDE 1.5    // width / height
#define LARGE 2     // times the size of the bodies: larger colliders are scenery
#define EXPLODED 20 // times the size at the start: such frames do not count for the camera

static vvBox emptyBox(void)
{
    return (vvBox){ { 1e300, 1e300, 1e300 }, { -1e300, -1e300, -1e300 } };
}

static double diagonal(const vvBox *box)
{
    return box->lower.x <= box->upper.x ? vecLength(vecSub(box->upper, box->lower)) : 0;
}

static void join(vvBox *box, const vvBox *other)
{
    const Vec3 *a = &other->lower, *b = &other->upper;
    box->lower = vec3(minReal(box->lower.x, a->x), minReal(box->lower.y, a->y), minReal(box->lower.z, a->z));
    box->upper = vec3(maxReal(box->upper.x, b->x), maxReal(box->upper.y, b->y), maxReal(box->upper.z, b->z));
}

// sums over a field: its usual top is three deviations above the mean, or the largest value if that is less
typedef struct FieldSums
{
    double count, sum, square, most;
} FieldSums;

static void sumField(const Run *run, FieldSums *sums)
{
    for (int i = 0; i < run->bodyCount; ++i)
    {
        for (int v = 0; v < run->body[i].vertexCount; ++v)
        {
            double value = run->body[i].field[v];
            if (!isfinite(value) || value > 1e100)
                continue;
            sums->count += 1;
            sums->sum += value;
            sums->square += value * value;
            sums->most = maxReal(sums->most, value);
        }
    }
}

static double usualTop(const FieldSums *sums)
{
    double count = maxReal(sums->count, 1), mean = sums->sum / count;
    double top = mean + 3 * sqrt(maxReal(sums->square / count - mean * mean, 0));
    return maxReal(minReal(top, sums->most), 1e-12);
}

static vvResult lookThrough(Job *job, vvBox *box, FieldSums *sums)
{
    vvResult result = resultOk();
    int step = maxInt(1, (job->to - job->from) / FRAMES_LOOKED_AT);
    double start = 0;
    for (int frame = job->from; frame <= job->to && result.code == VV_OK; frame += step)
    {
        for (int i = 0; i < job->runCount && result.code == VV_OK; ++i)
        {
            vvBox one = emptyBox();
            result = runLoad(&job->run[i], frame, job->look.colouring);
            runBounds(&job->run[i], &one);
            collidersBounds(&job->run[i], LARGE * diagonal(&one), &one);
            if (frame == job->from)
                start = maxReal(start, diagonal(&one));
            else if (diagonal(&one) > EXPLODED * start)
                continue;
            join(box, &one);
            if (job->look.colouring != COLOUR_PLAIN)
                sumField(&job->run[i], sums);
        }
    }
    return result;
}

vvResult lookPrepare(Job *job, double shape)
{
    vvBox box = emptyBox();
    FieldSums sums = { 0 };
    vvResult result = lookThrough(job, &box, &sums);
    if (result.code != VV_OK)
        return result;
    Look *look = &job->look;
    Camera given = look->camera, own = { .fieldOfView = 0 };
    bool hasOwn = sceneCamera(job->run[0].scene, &own.eye, &own.target, &own.fieldOfView);
    look->size = diagonal(&box) > 0 ? diagonal(&box) : 1;
    look->fieldMost = usualTop(&sums);
    look->ground = (box.lower.y <= box.upper.y ? box.lower.y : 0) - 0.02 * look->size;
    look->ground = collidersGround(&job->run[0], look->ground);
    box.lower.y = minReal(box.lower.y, look->ground);
    look->centre = vecScale(0.5, vecAdd(box.lower, box.upper));
    double angle = given.fieldOfView > 0 ? given.fieldOfView : hasOwn ? own.fieldOfView : 35;
    look->camera = cameraFrame(&box, shape, angle);
    if (hasOwn)
    {
        // a scene's camera is meant for a wide picture: a narrow panel sees as much from side to side
        double half = tan(0.5 * angle * PI / 180) * maxReal(WIDE / shape, 1);
        if (given.fieldOfView == 0)
            look->camera.fieldOfView = minReal(2 * atan(half) * 180 / PI, 150);
        look->camera.eye = own.eye;
        look->camera.target = own.target;
    }
    if (job->hasEye)
        look->camera.eye = given.eye;
    if (job->hasTarget)
        look->camera.target = given.target;
    return resultOk();
}
