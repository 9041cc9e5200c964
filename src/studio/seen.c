// What a camera has to see. It keeps the direction that it was given, and comes as near as it can without losing
// anything that moves.
#include "studio/show.h"

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

static void sumField(const Show *show, FieldSums *sums)
{
    for (int i = 0; i < show->bodyCount; ++i)
    {
        for (int v = 0; v < show->body[i].vertexCount; ++v)
        {
            double value = show->body[i].field[v];
            if (!isfinite(value) || value > 1e100)
                continue;
            sums->count += 1;
            sums->sum += value;
            sums->square += value * value;
            sums->most = maxReal(sums->most, value);
        }
    }
}

double seenFieldMost(const Seen *seen)
{
    const FieldSums *sums = &seen->sums;
    double count = maxReal(sums->count, 1), mean = sums->sum / count;
    double top = mean + 3 * sqrt(maxReal(sums->square / count - mean * mean, 0));
    return maxReal(minReal(top, sums->most), 1e-12);
}

Seen seenStart(void)
{
    return (Seen){ .box = emptyBox() };
}

void seenMeasure(Seen *seen, const Show *show, vvColouring colouring)
{
    vvBox one = emptyBox();
    showBounds(show, &one);
    showBounds(show, &seen->box);
    seen->largest = maxReal(seen->largest, diagonal(&one));
    if (colouring != VV_COLOUR_PLAIN)
        sumField(show, &seen->sums);
}

void seenFrom(Seen *seen, Vec3 back, double shape, double fieldOfView)
{
    seen->still = seen->moving = cameraFitMake(back, shape, fieldOfView);
}

// radius 0: a point
static void fitBall(CameraFit *fit, Vec3 centre, double radius)
{
    for (int k = 0; k < 6 && radius > 0; ++k)
    {
        double away = k % 2 ? radius : -radius;
        cameraFitPoint(fit, vecAdd(centre, vec3(k / 2 == 0 ? away : 0, k / 2 == 1 ? away : 0, k / 2 == 2 ? away : 0)));
    }
    cameraFitPoint(fit, centre);
}

void seenFit(Seen *seen, const Show *show)
{
    Vec3 middle = showMiddle(show);
    const double *points;
    int count;
    for (int i = 0; showPoints(show, i, &points, &count); ++i)
    {
        double radius = showRadius(show, i);
        for (int v = 0; v < count; ++v)
        {
            fitBall(&seen->still, vecLoad(points + 3 * (size_t)v), radius);
            fitBall(&seen->moving, vecSub(vecLoad(points + 3 * (size_t)v), middle), radius);
        }
    }
    for (int i = 0; i < 2 * show->ropeCount; ++i)
    {
        if (show->rope[i / 2].wheels)
            cameraFitPoint(&seen->still, show->rope[i / 2].wheel[i % 2]);
    }
    for (int i = 0; i < show->trailCount * show->trailPlaces; ++i)
    {
        if (i % show->trailPlaces < show->trailShown)
            cameraFitPoint(&seen->still, vecLoad(show->trail + 3 * (size_t)i));
    }
    seen->stays = seen->stays || show->trailCount > 0;
    collidersFit(show, SCENERY * diagonal(&seen->box), &seen->still);
}

bool seenFollows(const Seen *seen)
{
    Camera still = cameraFitCamera(&seen->still), moving = cameraFitCamera(&seen->moving);
    return !seen->stays &&
           vecLength(vecSub(still.eye, still.target)) > FOLLOW * vecLength(vecSub(moving.eye, moving.target));
}

void seenPlace(const Seen *seen, const Vec3 *eye, const Vec3 *target, Look *look)
{
    Camera still = cameraFitCamera(&seen->still);
    Vec3 back = vecSub(still.eye, still.target);
    look->follow = eye == NULL && target == NULL && seenFollows(seen);
    look->camera = look->follow ? cameraFitCamera(&seen->moving) : still;
    look->size = look->follow ? seen->largest : diagonal(&seen->box);
    look->size = look->size > 0 ? look->size : 1;
    look->centre = vecScale(0.5, vecAdd(seen->box.lower, seen->box.upper));
    // an eye alone looks at the middle of what is seen; a target alone is looked at from the same side as before
    if (eye != NULL || target != NULL)
        look->camera.target = target != NULL ? *target : look->centre;
    if (eye != NULL || target != NULL)
        look->camera.eye = eye != NULL ? *eye : vecAdd(*target, back);
}
