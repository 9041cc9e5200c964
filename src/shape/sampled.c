// The distance of a mesh from samples on a grid, by quadratic B-splines: 27 samples give a value with a continuous
// gradient, exact over flat faces, rounded within about a cell at edges.
#include "shape/kinds.h"

#define MARGIN 3        // cells around the mesh
#define MOST (1 << 26)  // samples: 256 MiB
#define CAST_STEPS 1024 // of a ray

// size: m; may be infinite
static double sampleCount(const double size[3], double cell)
{
    double count = 1;
    for (int a = 0; a < 3; ++a)
        count *= floor(size[a] / cell) + 2 + 2 * MARGIN;
    return count;
}

static vvResult checkGrid(const vvShape *shape, double cell, int *count)
{
    const vvBox *box = &shape->bounds;
    double longest = 0;
    double size[3] = { box->upper.x - box->lower.x, box->upper.y - box->lower.y, box->upper.z - box->lower.z };
    for (int a = 0; a < 3; ++a)
        longest = maxReal(longest, size[a]);
    if (cell > 0.5 * longest)
        return resultMake(VV_BAD_INPUT, "use a smaller sampling, or 0 for exact distances",
                          "sampling is %g m, must be at most %g: half the longest side of the mesh", cell,
                          0.5 * longest);
    double total = sampleCount(size, cell);
    if (!(total <= MOST))
    {
        double enough = maxReal(cell, longest / MOST); // below this there are more than MOST along one side
        while (!(sampleCount(size, enough) <= MOST))
            enough *= 1.25;
        return resultMake(VV_BAD_INPUT, "use a larger sampling, or 0 for exact distances",
                          "sampling is %g m and needs %.3g samples, must be at most %d; %g m is enough", cell, total,
                          MOST, enough);
    }
    for (int a = 0; a < 3; ++a)
        count[a] = (int)floor(size[a] / cell) + 2 + 2 * MARGIN;
    return resultOk();
}

static vvResult create(vvShape *shape, const vvShapeDef *def)
{
    Samples *s = &shape->samples;
    vvResult result = checkGrid(shape, def->sampling, s->count);
    if (result.code != VV_OK)
        return result;
    s->cell = def->sampling;
    s->perMetre = 1 / s->cell;
    s->origin = vecSub(shape->bounds.lower, vec3(MARGIN * s->cell, MARGIN * s->cell, MARGIN * s->cell));
    s->value = ALLOCATE(&shape->memory, float, (size_t)s->count[0] * (size_t)s->count[1] * (size_t)s->count[2]);
    if (s->value == NULL)
        return resultOutOfMemory("the samples of a shape");
    // rows to and fro: the nearest triangle of one sample is a good guess for the next
    int hint = -1, row = 0;
    for (int z = 0; z < s->count[2]; ++z)
    {
        for (int j = 0; j < s->count[1]; ++j, ++row)
        {
            int y = z % 2 == 0 ? j : s->count[1] - 1 - j;
            for (int i = 0; i < s->count[0]; ++i)
            {
                int x = row % 2 == 0 ? i : s->count[0] - 1 - i;
                Vec3 p = vecAdd(s->origin, vecScale(s->cell, vec3(x, y, z)));
                ShapeSample at = surfaceSample(&shape->surface, p, hint);
                hint = at.feature;
                s->value[((size_t)z * (size_t)s->count[1] + (size_t)y) * (size_t)s->count[0] + (size_t)x] =
                    (float)at.distance;
            }
        }
    }
    surfaceFree(&shape->memory, &shape->surface);
    return resultOk();
}

// ---- the interpolant ------------------------------------------------------------------------------------------------

// where a point is in the grid: the middle of its 27 samples, and the offset from it in [-1/2, 1/2] cells
typedef struct Place
{
    size_t first; // sample at the lowest corner of the 27
    double t[3];
    Vec3 beyond; // m, from the nearest point that the grid covers
} Place;

static Place locate(const Samples *s, Vec3 point)
{
    Place place;
    Vec3 from = vecScale(s->perMetre, vecSub(point, s->origin));
    const double at[3] = { from.x, from.y, from.z };
    double beyond[3];
    int middle[3];
    for (int a = 0; a < 3; ++a)
    {
        double inside = minReal(maxReal(at[a], 1), s->count[a] - 2);
        beyond[a] = (at[a] - inside) * s->cell;
        middle[a] = (int)(inside + 0.5);
        place.t[a] = inside - middle[a];
    }
    place.beyond = vecLoad(beyond);
    place.first = ((size_t)(middle[2] - 1) * (size_t)s->count[1] + (size_t)(middle[1] - 1)) * (size_t)s->count[0] +
                  (size_t)(middle[0] - 1);
    return place;
}

// weights of three samples for the value, and for the derivatives per cell
static inline void splineWeights(double t, double *w, double *d)
{
    w[0] = 0.5 * (0.5 - t) * (0.5 - t);
    w[1] = 0.75 - t * t;
    w[2] = 0.5 * (0.5 + t) * (0.5 + t);
    d[0] = t - 0.5;
    d[1] = -2 * t;
    d[2] = t + 0.5;
}

static inline double weigh(const double *w, const double *v)
{
    return w[0] * v[0] + w[1] * v[1] + w[2] * v[2];
}

static double interpolate(const Samples *s, const Place *place, Vec3 *gradient)
{
    double w[3][3], d[3][3], value[3], slopeX[3], slopeY[3];
    for (int a = 0; a < 3; ++a)
        splineWeights(place->t[a], w[a], d[a]);
    for (int z = 0; z < 3; ++z)
    {
        double rowValue[3], rowSlope[3];
        for (int y = 0; y < 3; ++y)
        {
            const float *v =
                s->value + place->first + ((size_t)z * (size_t)s->count[1] + (size_t)y) * (size_t)s->count[0];
            const double row[3] = { (double)v[0], (double)v[1], (double)v[2] };
            rowValue[y] = weigh(w[0], row);
            rowSlope[y] = weigh(d[0], row);
        }
        value[z] = weigh(w[1], rowValue);
        slopeX[z] = weigh(w[1], rowSlope);
        slopeY[z] = weigh(d[1], rowValue);
    }
    *gradient = vecScale(s->perMetre, vec3(weigh(w[2], slopeX), weigh(w[2], slopeY), weigh(d[2], value)));
    return weigh(w[2], value);
}

// outside the grid the way to it is added, and its gradient takes over across the border
static ShapeSample sample(const vvShape *shape, Vec3 point, double limit, int hint)
{
    (void)limit;
    (void)hint;
    Place place = locate(&shape->samples, point);
    Vec3 slope, beyond = place.beyond;
    double value = interpolate(&shape->samples, &place, &slope);
    if (beyond.x != 0 || beyond.y != 0 || beyond.z != 0)
    {
        double far = vecLength(beyond);
        slope = vec3(beyond.x != 0 ? beyond.x / far : slope.x, beyond.y != 0 ? beyond.y / far : slope.y,
                     beyond.z != 0 ? beyond.z / far : slope.z);
        value += far;
    }
    double length = vecLength(slope);
    // on a ridge the slopes may cancel: up
    Vec3 normal = length > 1e-9 ? vecScale(1 / length, slope) : vec3(0, 1, 0);
    return (ShapeSample){ value, normal, length > 1e-9 ? 1 - length : 0, -1 };
}

// second derivative of the interpolant across its own gradient, as the normal turns: P H P / |g|
static void curvature(const vvShape *shape, Vec3 point, double *out)
{
    const Samples *s = &shape->samples;
    Place place = locate(s, point);
    Vec3 slope;
    interpolate(s, &place, &slope);
    double length = vecLength(slope), w[3][3][3], hessian[3][3] = { { 0 } };
    if (vecLength(place.beyond) > 0 || !(length > 1e-9))
        return;
    for (int a = 0; a < 3; ++a)
    {
        splineWeights(place.t[a], w[a][0], w[a][1]);
        w[a][2][0] = w[a][2][2] = 1;
        w[a][2][1] = -2;
    }
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            int order[3] = { 0, 0, 0 };
            order[i] += 1;
            order[j] += 1;
            for (size_t k = 0; k < 27; ++k)
            {
                size_t x = k % 3, y = k / 3 % 3, z = k / 9;
                double v = (double)s->value[place.first + (z * (size_t)s->count[1] + y) * (size_t)s->count[0] + x];
                hessian[i][j] += v * w[0][order[0]][x] * w[1][order[1]][y] * w[2][order[2]][z];
            }
        }
    }
    Vec3 n = vecScale(1 / length, slope);
    Mat3 across = { { { 1 - n.x * n.x, -n.x * n.y, -n.x * n.z },
                      { -n.y * n.x, 1 - n.y * n.y, -n.y * n.z },
                      { -n.z * n.x, -n.z * n.y, 1 - n.z * n.z } } };
    Mat3 h;
    for (int i = 0; i < 9; ++i)
        h.m[i / 3][i % 3] = hessian[i / 3][i % 3] / (s->cell * s->cell * length);
    Mat3 half = matMultiply(&across, &h), full = matMultiply(&half, &across);
    for (int i = 0; i < 9; ++i)
        out[i] = 0.5 * (full.m[i / 3][i % 3] + full.m[i % 3][i / 3]);
}

// By half the distances (Hart 1996): outside the grid they may be too large by a factor below 2.
bool samplesMarch(const vvShape *shape, Vec3 origin, Vec3 direction, double radius, double farthest, double *distance)
{
    double travelled = 0, close = radius + 1e-6 * shape->samples.cell;
    for (int i = 0; i < CAST_STEPS && travelled <= farthest; ++i)
    {
        double gap = sample(shape, vecAdd(origin, vecScale(travelled, direction)), INFINITY, -1).distance;
        if (gap <= close)
        {
            *distance = travelled;
            return true;
        }
        travelled += 0.5 * (gap - radius);
    }
    return false;
}

static bool cast(const vvShape *shape, Vec3 origin, Vec3 direction, double farthest, double *distance)
{
    return samplesMarch(shape, origin, direction, 0, farthest, distance);
}

const ShapeKind shapeSampled = { TAG_SAMPLED, create, sample, curvature, cast, NULL };
