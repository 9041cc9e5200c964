#include "draw/stage.h"

#define SMALLEST 1e-150 // m; so that squares of lengths are above 0

static Vec3 unit(Vec3 a)
{
    return vecScale(1 / vecLength(a), a);
}

bool cameraGood(const Camera *camera)
{
    double distance = vecLength(vecSub(camera->target, camera->eye));
    return vecFinite(camera->eye) && vecFinite(camera->target) && distance > SMALLEST && isfinite(1 / distance) &&
           isfinite(distance) && camera->fieldOfView >= 1 && camera->fieldOfView <= 150;
}

View viewMake(const Camera *camera, Rect rect)
{
    View view = { .eye = camera->eye, .rect = rect };
    Vec3 toTarget = vecSub(camera->target, camera->eye);
    view.scale = 1 / vecLength(toTarget);
    view.forward = vecScale(view.scale, toTarget);
    // straight up or down, any level direction will do as the right one
    Vec3 level = vec3(-view.forward.z, 0, view.forward.x);
    view.right = vecLength(level) > 1e-6 ? unit(level) : vec3(1, 0, 0);
    view.up = vecCross(view.right, view.forward);
    double sine, cosine;
    sineCosine(0.5 * camera->fieldOfView * PI / 180, &sine, &cosine);
    view.focal = 0.5 * rect.height * cosine / sine;
    view.centreX = rect.x + 0.5 * rect.width;
    view.centreY = rect.y + 0.5 * rect.height;
    return view;
}

Vec3 viewPoint(const View *view, const double *point)
{
    return vecScale(view->scale, vecSub(vecLoad(point), view->eye));
}

bool cameraProject(const Camera *camera, Rect rect, Vec3 point, double *x, double *y)
{
    View view = viewMake(camera, rect);
    Vec3 p = viewPoint(&view, (double[]){ point.x, point.y, point.z });
    double w = vecDot(p, view.forward);
    if (!(w >= NEAR_PLANE))
        return false;
    *x = view.centreX + view.focal * vecDot(p, view.right) / w;
    *y = view.centreY - view.focal * vecDot(p, view.up) / w;
    return true;
}

// a box that can be looked at: finite, not empty, not a point
static vvBox usable(const vvBox *box)
{
    vvBox good = *box;
    double *low[3] = { &good.lower.x, &good.lower.y, &good.lower.z };
    double *high[3] = { &good.upper.x, &good.upper.y, &good.upper.z };
    double most = 1e140, size = 0, far = 0;
    for (int i = 0; i < 3; ++i)
    {
        if (!(*low[i] <= *high[i]))
            *low[i] = *high[i] = 0;
        *low[i] = minReal(maxReal(*low[i], -most), most);
        *high[i] = minReal(maxReal(*high[i], -most), most);
        size = maxReal(size, *high[i] - *low[i]);
        far = maxReal(far, maxReal(fabs(*low[i]), fabs(*high[i])));
    }
    double least = maxReal(1e-9 * far, far > 0 ? 1e-140 : 1);
    for (int i = 0; i < 3 && size < least; ++i)
    {
        *low[i] -= 0.5 * least;
        *high[i] += 0.5 * least;
    }
    return good;
}

Camera cameraFrame(const vvBox *box, double shape, double fieldOfView)
{
    vvBox b = usable(box);
    Vec3 centre = vecScale(0.5, vecAdd(b.lower, b.upper));
    Vec3 half = vecScale(0.5, vecSub(b.upper, b.lower));
    Camera camera = { .fieldOfView = minReal(maxReal(fieldOfView, 1), 150) };
    Vec3 back = unit(vec3(0.55, 0.42, 1));
    Vec3 right = unit(vec3(back.z, 0, -back.x)), up = vecCross(back, right);
    double sine, cosine;
    sineCosine(0.5 * camera.fieldOfView * PI / 180, &sine, &cosine);
    double slopeY = 0.86 * sine / cosine, slopeX = slopeY * (shape > 0.01 ? shape : 0.01);
    // the least distance at which every corner is inside both slopes
    double distance = 0;
    for (int i = 0; i < 8; ++i)
    {
        Vec3 corner = vec3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
        double nearer = vecDot(corner, back);
        distance = maxReal(distance, nearer + fabs(vecDot(corner, right)) / slopeX);
        distance = maxReal(distance, nearer + fabs(vecDot(corner, up)) / slopeY);
    }
    camera.target = centre;
    camera.eye = vecAdd(centre, vecScale(distance, back));
    return camera;
}
