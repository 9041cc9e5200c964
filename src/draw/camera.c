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

// the sides of a panel that stay free, as shares of its half; above there is a caption
#define FREE_SIDE 0.1
#define FREE_TOP 0.22

CameraFit cameraFitMake(Vec3 back, double shape, double fieldOfView)
{
    CameraFit fit = { .fieldOfView = minReal(maxReal(fieldOfView, 1), 150) };
    double length = vecLength(back), sine, cosine;
    fit.back = length > SMALLEST && isfinite(length) ? vecScale(1 / length, back) : unit(vec3(0.55, 0.42, 1));
    Vec3 level = vec3(fit.back.z, 0, -fit.back.x);
    fit.right = vecLength(level) > 1e-6 ? unit(level) : vec3(1, 0, 0);
    fit.up = vecCross(fit.back, fit.right);
    sineCosine(0.5 * fit.fieldOfView * PI / 180, &sine, &cosine);
    double slope = sine / cosine, wide = slope * maxReal(shape, 0.01);
    fit.slope[0] = fit.slope[1] = (1 - FREE_SIDE) * wide;
    fit.slope[2] = (1 - FREE_TOP) * slope;
    fit.slope[3] = (1 - FREE_SIDE) * slope;
    return fit;
}

void cameraFitPoint(CameraFit *fit, Vec3 point)
{
    if (!vecFinite(point))
        return;
    if (!fit->any)
        fit->origin = point;
    Vec3 p = vecSub(point, fit->origin);
    double x = vecDot(p, fit->right), y = vecDot(p, fit->up), z = vecDot(p, fit->back);
    double reach[4] = { x, -x, y, -y };
    for (int i = 0; i < 4; ++i)
        fit->most[i] = maxReal(fit->any ? fit->most[i] : -1e300, reach[i] + fit->slope[i] * z);
    fit->nearest = maxReal(fit->any ? fit->nearest : z, z);
    fit->any = true;
}

// A point is inside the right side if x - tx <= slope (d - z), so d and tx must satisfy tx + slope d >= max(x + slope
// z), and likewise for the other sides: two pairs of bounds, of which the least distance d follows.
Camera cameraFitCamera(const CameraFit *fit)
{
    const double *most = fit->most, *slope = fit->slope;
    double distance = maxReal((most[0] + most[1]) / (slope[0] + slope[1]), (most[2] + most[3]) / (slope[2] + slope[3]));
    double least = maxReal(1e-6 * vecLength(fit->origin), SMALLEST);
    distance = maxReal(distance, fit->nearest + maxReal(1e-3 * fabs(distance), least));
    double x = 0.5 * (most[0] - slope[0] * distance + slope[1] * distance - most[1]);
    double y = 0.5 * (most[2] - slope[2] * distance + slope[3] * distance - most[3]);
    Camera camera = { .fieldOfView = fit->fieldOfView };
    camera.target = vecAdd(fit->origin, vecAdd(vecScale(x, fit->right), vecScale(y, fit->up)));
    camera.eye = vecAdd(camera.target, vecScale(distance, fit->back));
    return camera;
}

double cameraFitShape(const CameraFit *fit)
{
    const double *most = fit->most, *slope = fit->slope;
    double wide = (most[0] + most[1]) / (slope[0] + slope[1]), high = (most[2] + most[3]) / (slope[2] + slope[3]);
    return high > 0 && wide > 0 && isfinite(wide / high) ? wide / high : 1;
}

Camera cameraFrame(const vvBox *box, double shape, double fieldOfView)
{
    vvBox b = usable(box);
    CameraFit fit = cameraFitMake(vec3(0.55, 0.42, 1), shape, fieldOfView);
    for (int i = 0; i < 8; ++i)
        cameraFitPoint(
            &fit, vec3(i & 1 ? b.upper.x : b.lower.x, i & 2 ? b.upper.y : b.lower.y, i & 4 ? b.upper.z : b.lower.z));
    return cameraFitCamera(&fit);
}

double cameraPixel(const Camera *camera, Rect rect, Vec3 point)
{
    View view = viewMake(camera, rect);
    return maxReal(vecDot(vecSub(point, view.eye), view.forward), 0) / view.focal;
}
