// The camera of all panels. It keeps the direction that the scene asks for, and comes as near as it can without losing
// anything that moves. Runs that diverged have no say while there is one that did not.
#include "tool/render.h"

#define SCENERY 1.5 // times what the bodies span: larger colliders are scenery, which may be cut
#define FOLLOW 8    // times as far as the bodies alone need: the camera goes with them instead

static vvBox emptyBox(void)
{
    return (vvBox){ { 1e300, 1e300, 1e300 }, { -1e300, -1e300, -1e300 } };
}

static double diagonal(const vvBox *box)
{
    return box->lower.x <= box->upper.x ? vecLength(vecSub(box->upper, box->lower)) : 0;
}

// ---- the ends of the colour map -------------------------------------------------------------------------------------

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

// ---- what is seen ---------------------------------------------------------------------------------------------------

typedef struct Seen
{
    vvBox box;      // of the bodies, over all frames
    double largest; // m, of the bodies in one frame
    FieldSums sums;
    CameraFit still, moving; // of what is seen, and of the bodies about their middle
} Seen;

static void fitBodies(const Run *run, Seen *seen)
{
    Vec3 middle = runMiddle(run);
    const double *points;
    int count;
    for (int i = 0; runPoints(run, i, &points, &count); ++i)
    {
        for (int v = 0; v < count; ++v)
        {
            Vec3 point = vecLoad(points + 3 * (size_t)v);
            cameraFitPoint(&seen->still, point);
            cameraFitPoint(&seen->moving, vecSub(point, middle));
        }
    }
}

static void measure(const Run *run, const Look *look, Seen *seen)
{
    vvBox one = emptyBox();
    runBounds(run, &one);
    runBounds(run, &seen->box);
    seen->largest = maxReal(seen->largest, diagonal(&one));
    if (look->colouring != COLOUR_PLAIN)
        sumField(run, &seen->sums);
}

static void fit(const Run *run, const Look *look, Seen *seen)
{
    (void)look;
    fitBodies(run, seen);
    collidersFit(run, SCENERY * diagonal(&seen->box), &seen->still);
}

typedef void LookAt(const Run *run, const Look *look, Seen *seen);

// every run that has a say, frame by frame
static vvResult lookThrough(Job *job, LookAt *lookAt, Seen *seen)
{
    vvResult result = resultOk();
    int healthy = 0;
    for (int i = 0; i < job->runCount; ++i)
        healthy += job->run[i].diverged ? 0 : 1;
    for (int i = 0; i < job->runCount && result.code == VV_OK; ++i)
    {
        Run *run = &job->run[i];
        if (run->diverged && healthy > 0)
            continue;
        for (int k = 0; k <= job->strides && result.code == VV_OK; ++k)
        {
            result = runLoad(run, jobFrame(job, k), job->look.colouring);
            if (result.code == VV_OK)
                lookAt(run, &job->look, seen);
        }
    }
    return result;
}

static bool follows(const Seen *seen)
{
    Camera still = cameraFitCamera(&seen->still), moving = cameraFitCamera(&seen->moving);
    return vecLength(vecSub(still.eye, still.target)) > FOLLOW * vecLength(vecSub(moving.eye, moving.target));
}

static void placeCamera(Job *job, const Seen *seen)
{
    Look *look = &job->look;
    Camera given = look->camera, still = cameraFitCamera(&seen->still);
    Vec3 back = vecSub(still.eye, still.target);
    look->follow = !job->hasEye && !job->hasTarget && follows(seen);
    look->camera = look->follow ? cameraFitCamera(&seen->moving) : still;
    look->size = look->follow ? seen->largest : diagonal(&seen->box);
    look->size = look->size > 0 ? look->size : 1;
    look->centre = vecScale(0.5, vecAdd(seen->box.lower, seen->box.upper));
    // an eye alone looks at the middle of what is seen; a target alone is looked at from the same side as before
    if (job->hasEye || job->hasTarget)
        look->camera.target = job->hasTarget ? given.target : look->centre;
    if (job->hasEye || job->hasTarget)
        look->camera.eye = job->hasEye ? given.eye : vecAdd(given.target, back);
}

Camera lookCamera(const Look *look, const Run *run)
{
    Camera camera = look->camera;
    Vec3 shift = look->follow ? runMiddle(run) : vec3(0, 0, 0);
    camera.eye = vecAdd(camera.eye, shift);
    camera.target = vecAdd(camera.target, shift);
    return camera;
}

static void startFits(const Job *job, double shape, Seen *seen)
{
    Camera own = { .eye = { 0.55, 0.42, 1 }, .fieldOfView = 35 };
    sceneCamera(job->run[0].scene, &own.eye, &own.target, &own.fieldOfView);
    double angle = job->look.camera.fieldOfView > 0 ? job->look.camera.fieldOfView : own.fieldOfView;
    seen->still = seen->moving = cameraFitMake(vecSub(own.eye, own.target), shape, angle);
}

vvResult lookSurvey(Job *job, double *shape)
{
    Seen seen = { .box = emptyBox() };
    vvResult result = resultOk();
    for (int i = 0; i < job->runCount && result.code == VV_OK; ++i)
        result = surveyDivergence(&job->run[i], job->to);
    if (result.code == VV_OK)
        result = lookThrough(job, measure, &seen);
    job->look.box = seen.box;
    job->look.largest = seen.largest;
    job->look.fieldMost = usualTop(&seen.sums);
    startFits(job, 1, &seen);
    if (result.code == VV_OK)
        result = lookThrough(job, fit, &seen);
    if (result.code == VV_OK && !seen.still.any)
        result = resultMake(VV_BAD_INPUT, "record the scene again", "no frame from %d to %d has a finite position",
                            job->from, job->to);
    *shape = cameraFitShape(follows(&seen) ? &seen.moving : &seen.still);
    return result;
}

vvResult lookPrepare(Job *job, double shape)
{
    Seen seen = { .box = job->look.box, .largest = job->look.largest };
    startFits(job, shape, &seen);
    vvResult result = lookThrough(job, fit, &seen);
    if (result.code != VV_OK)
        return result;
    placeCamera(job, &seen);
    for (int i = 0; i < job->runCount && result.code == VV_OK; ++i)
        result = surveyGlass(&job->run[i], &job->look, job->from, job->to);
    return result;
}
