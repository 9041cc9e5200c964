// The camera of all panels: it sees all runs over all their frames. Runs that diverged have no say while there is one
// that did not.
#include "tool/render.h"

#define FIXED_SHAPE 1.4 // width / height of a panel whose camera the scene fixes

static void measure(const Run *run, const Look *look, Seen *seen)
{
    seenMeasure(seen, &run->show, look->colouring);
}

static void fit(const Run *run, const Look *look, Seen *seen)
{
    (void)look;
    seenFit(seen, &run->show);
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

static void startFits(const Job *job, double shape, Seen *seen)
{
    Camera own = { .eye = { 0.55, 0.42, 1 }, .fieldOfView = 35 };
    sceneCamera(job->run[0].scene, &own.eye, &own.target, &own.fieldOfView);
    double angle = job->look.camera.fieldOfView > 0 ? job->look.camera.fieldOfView : own.fieldOfView;
    seenFrom(seen, vecSub(own.eye, own.target), shape, angle);
}

// --eye and --target go before a camera that the scene fixes
static bool isFixed(const Job *job)
{
    return !job->hasEye && !job->hasTarget && sceneCameraIsFixed(job->run[0].scene);
}

vvResult lookSurvey(Job *job, double *shape)
{
    Seen seen = seenStart();
    vvResult result = resultOk();
    for (int i = 0; i < job->runCount && result.code == VV_OK; ++i)
        result = surveyDivergence(&job->run[i], job->to);
    if (result.code == VV_OK)
        result = lookThrough(job, measure, &seen);
    job->look.box = seen.box;
    job->look.largest = seen.largest;
    job->look.fieldMost = seenFieldMost(&seen);
    startFits(job, 1, &seen);
    if (result.code == VV_OK)
        result = lookThrough(job, fit, &seen);
    if (result.code == VV_OK && !seen.still.any)
        result = resultMake(VV_BAD_INPUT, "record the scene again", "no frame from %d to %d has a finite position",
                            job->from, job->to);
    *shape = isFixed(job) ? FIXED_SHAPE : cameraFitShape(seenFollows(&seen) ? &seen.moving : &seen.still);
    return result;
}

vvResult lookPrepare(Job *job, double shape)
{
    Seen seen = { .box = job->look.box, .largest = job->look.largest };
    startFits(job, shape, &seen);
    vvResult result = lookThrough(job, fit, &seen);
    if (result.code != VV_OK)
        return result;
    Camera given = job->look.camera;
    bool fixed = isFixed(job);
    if (fixed)
        sceneCamera(job->run[0].scene, &given.eye, &given.target, &given.fieldOfView);
    seenPlace(&seen, fixed || job->hasEye ? &given.eye : NULL, fixed || job->hasTarget ? &given.target : NULL,
              &job->look);
    for (int i = 0; i < job->runCount && result.code == VV_OK; ++i)
        result = surveyGlass(&job->run[i], &job->look, job->from, job->to);
    return result;
}
