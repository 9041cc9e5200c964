// Triangles to samples: clipping, exact coverage in whole numbers, depth, and one shaded colour per pixel and triangle.
#include "draw/stage.h"

#include <string.h>

#define MOST_CORNERS 10 // of a triangle cut by five planes
#define GUARD 3         // pictures: triangles are cut only where they reach this far beyond the picture

const int sampleOffset[SAMPLES][2] = { { 96, 32 }, { 224, 96 }, { 32, 160 }, { 160, 224 } };

// x y along the camera's axes, w ahead; the rest is what fragments interpolate
typedef struct ClipCorner
{
    double x, y, w;
    double value[7]; // point, normal, field
} ClipCorner;

static ClipCorner project(const View *view, const Corner *corner)
{
    Vec3 p = viewPoint(view, corner->point);
    return (ClipCorner){ vecDot(p, view->right),
                         vecDot(p, view->up),
                         vecDot(p, view->forward),
                         { p.x, p.y, p.z, (double)corner->normal[0], (double)corner->normal[1],
                           (double)corner->normal[2], (double)corner->field } };
}

static ClipCorner mixCorners(const ClipCorner *a, const ClipCorner *b, double share)
{
    ClipCorner c = { a->x + share * (b->x - a->x), a->y + share * (b->y - a->y), a->w + share * (b->w - a->w), { 0 } };
    for (int i = 0; i < 7; ++i)
        c.value[i] = a->value[i] + share * (b->value[i] - a->value[i]);
    return c;
}

// signed distance to one of the five planes of the guard band
static double planeDistance(const ClipCorner *c, int plane, double slopeX, double slopeY)
{
    switch (plane)
    {
    case 0:
        return c->w - NEAR_PLANE;
    case 1:
        return slopeX * c->w - c->x;
    case 2:
        return slopeX * c->w + c->x;
    case 3:
        return slopeY * c->w - c->y;
    default:
        return slopeY * c->w + c->y;
    }
}

// Sutherland and Hodgman 1974; returns the corners that are left
static int clipPolygon(ClipCorner *polygon, int count, double slopeX, double slopeY, bool *cut)
{
    ClipCorner kept[MOST_CORNERS];
    for (int plane = 0; plane < 5 && count > 0; ++plane)
    {
        int left = 0;
        for (int i = 0; i < count; ++i)
        {
            const ClipCorner *a = &polygon[i], *b = &polygon[(i + 1) % count];
            double da = planeDistance(a, plane, slopeX, slopeY), db = planeDistance(b, plane, slopeX, slopeY);
            if (da >= 0)
                kept[left++] = *a;
            if ((da >= 0) != (db >= 0))
            {
                kept[left++] = mixCorners(a, b, da / (da - db));
                *cut = true;
            }
        }
        memcpy(polygon, kept, (size_t)left * sizeof kept[0]);
        count = left;
    }
    return count;
}

typedef struct Edge
{
    int64_t start;           // at the first pixel of the box, its corner
    int64_t stepX, stepY;    // from pixel to pixel
    int64_t sample[SAMPLES]; // at the samples, from the pixel's corner; the fill rule is in it
    int64_t most;            // of them
    double perPixel;         // pixels from the edge per unit
} Edge;

// the edge from a to b: positive inside; points on an edge belong to the triangle below or to the right of it
static Edge makeEdge(const int64_t a[2], const int64_t b[2], int left, int top)
{
    int64_t dx = b[0] - a[0], dy = b[1] - a[1];
    bool owns = dy < 0 || (dy == 0 && dx > 0);
    Edge edge = { .stepX = -dy * SUBPIXELS, .stepY = dx * SUBPIXELS };
    edge.start = dx * ((int64_t)top * SUBPIXELS - a[1]) - dy * ((int64_t)left * SUBPIXELS - a[0]);
    for (int s = 0; s < SAMPLES; ++s)
        edge.sample[s] = dx * sampleOffset[s][1] - dy * sampleOffset[s][0] - (owns ? 0 : 1);
    edge.most = edge.sample[0];
    for (int s = 1; s < SAMPLES; ++s)
        edge.most = edge.sample[s] > edge.most ? edge.sample[s] : edge.most;
    double length = sqrt((double)dx * (double)dx + (double)dy * (double)dy);
    edge.perPixel = length > 0 ? 1 / (length * SUBPIXELS) : 0;
    return edge;
}

typedef struct Setup
{
    Edge edge[3];                 // opposite to corner 0, 1, 2
    const ClipCorner *corner[3];  //
    double inverse[3];            // 1 / w of the corners
    double area;                  // of the edge functions' sum
    float depth, depthX, depthY;  // 1 / w at the corner of the box's first pixel, and its steps
    float sampleDepth[SAMPLES];   //
    int left, top, right, bottom; // right and bottom exclusive
    float wire;
    int samples; // of a pixel, that may be covered
    bool front;
} Setup;

static bool setUp(const View *view, const ClipCorner *const corner[3], Setup *setup)
{
    int64_t at[3][2];
    int64_t low[2] = { INT64_MAX, INT64_MAX }, high[2] = { INT64_MIN, INT64_MIN };
    for (int i = 0; i < 3; ++i)
    {
        const ClipCorner *c = corner[i];
        at[i][0] = (int64_t)floor(SUBPIXELS * (view->centreX + view->focal * c->x / c->w) + 0.5);
        at[i][1] = (int64_t)floor(SUBPIXELS * (view->centreY - view->focal * c->y / c->w) + 0.5);
        for (int k = 0; k < 2; ++k)
        {
            low[k] = at[i][k] < low[k] ? at[i][k] : low[k];
            high[k] = at[i][k] > high[k] ? at[i][k] : high[k];
        }
    }
    int64_t area = (at[1][0] - at[0][0]) * (at[2][1] - at[0][1]) - (at[2][0] - at[0][0]) * (at[1][1] - at[0][1]);
    if (area == 0)
        return false;
    // counter-clockwise in the world is clockwise on a picture whose y points down
    setup->front = area < 0;
    int second = area > 0 ? 1 : 2, third = 3 - second, order[3] = { 0, second, third };
    setup->left = maxInt(view->rect.x, (int)(low[0] >> 8));
    setup->top = maxInt(view->rect.y, (int)(low[1] >> 8));
    setup->right = minInt(view->rect.x + view->rect.width, (int)(high[0] >> 8) + 1);
    setup->bottom = minInt(view->rect.y + view->rect.height, (int)(high[1] >> 8) + 1);
    if (setup->left >= setup->right || setup->top >= setup->bottom)
        return false;
    setup->area = fabs((double)area);
    double around = 0;
    double depth = 0, stepX = 0, stepY = 0;
    for (int i = 0; i < 3; ++i)
    {
        setup->corner[i] = corner[order[i]];
        setup->inverse[i] = 1 / setup->corner[i]->w;
        setup->edge[i] = makeEdge(at[order[(i + 1) % 3]], at[order[(i + 2) % 3]], setup->left, setup->top);
        around += 1 / setup->edge[i].perPixel;
        depth += setup->inverse[i] * (double)setup->edge[i].start / setup->area;
        stepX += setup->inverse[i] * (double)setup->edge[i].stepX / setup->area;
        stepY += setup->inverse[i] * (double)setup->edge[i].stepY / setup->area;
    }
    // radius of the inscribed circle, in pixels: lines on smaller triangles would only be noise
    setup->wire = (float)minReal(maxReal((setup->area / around - 1.5) / 3, 0), 1);
    setup->depth = (float)depth;
    setup->depthX = (float)stepX;
    setup->depthY = (float)stepY;
    for (int s = 0; s < SAMPLES; ++s)
        setup->sampleDepth[s] = (float)((stepX * sampleOffset[s][0] + stepY * sampleOffset[s][1]) / SUBPIXELS);
    return true;
}

// what a pixel sees of the triangle, at its centre or the nearest place inside
static Fragment fragmentAt(const Setup *setup, const int64_t e[3])
{
    double share[3], sum = 0, edge = 1e9;
    for (int i = 0; i < 3; ++i)
    {
        double centre = (double)e[i] + 0.5 * (double)(setup->edge[i].stepX + setup->edge[i].stepY);
        share[i] = maxReal(centre, 0) * setup->inverse[i];
        sum += share[i];
        edge = minReal(edge, centre * setup->edge[i].perPixel);
    }
    double value[7] = { 0 };
    for (int i = 0; i < 3; ++i)
    {
        double weight = sum > 0 ? share[i] / sum : 1.0 / 3;
        for (int k = 0; k < 7; ++k)
            value[k] += weight * setup->corner[i]->value[k];
    }
    return (Fragment){ { (float)value[0], (float)value[1], (float)value[2] },
                       { (float)value[3], (float)value[4], (float)value[5] },
                       (float)value[6],
                       (float)edge,
                       setup->wire,
                       setup->front };
}

// the samples of a pixel that the triangle covers before anything else, a bit each; their depth is set
static int testSamples(const Setup *setup, const int64_t e[3], float depth, float *kept)
{
    const Edge *edge = setup->edge;
    int seen = 0;
    for (int s = 0; s < setup->samples; ++s)
    {
        int64_t outside = (e[0] + edge[0].sample[s]) | (e[1] + edge[1].sample[s]) | (e[2] + edge[2].sample[s]);
        float z = depth + setup->sampleDepth[s];
        if (outside >= 0 && z > kept[s])
        {
            kept[s] = z;
            seen |= 1 << s;
        }
    }
    return seen;
}

static void fill(Stage *stage, const Setup *setup, const Paint *paint)
{
    const Rect *rect = &stage->view.rect;
    const Edge *edge = setup->edge;
    for (int y = setup->top; y < setup->bottom; ++y)
    {
        int64_t e[3];
        for (int i = 0; i < 3; ++i)
            e[i] = edge[i].start + (y - setup->top) * edge[i].stepY;
        size_t row = (size_t)(y - rect->y) * (size_t)rect->width;
        float rowDepth = setup->depth + (float)(y - setup->top) * setup->depthY;
        for (int x = setup->left; x < setup->right; ++x)
        {
            size_t first = (row + (size_t)(x - rect->x)) * SAMPLES;
            bool away = ((e[0] + edge[0].most) | (e[1] + edge[1].most) | (e[2] + edge[2].most)) < 0;
            float depth = rowDepth + (float)(x - setup->left) * setup->depthX;
            int seen = away ? 0 : testSamples(setup, e, depth, stage->depth + first);
            if (seen != 0)
            {
                Fragment fragment = fragmentAt(setup, e);
                uint32_t colour = shadeFragment(stage, paint, &fragment);
                for (int s = 0; s < SAMPLES; ++s)
                {
                    if (seen >> s & 1)
                        stage->colour[first + (size_t)s] = colour;
                }
            }
            for (int i = 0; i < 3; ++i)
                e[i] += edge[i].stepX;
        }
    }
}

void rasterTriangle(Stage *stage, const Triangle *triangle)
{
    const View *view = &stage->view;
    ClipCorner polygon[MOST_CORNERS];
    for (int i = 0; i < 3; ++i)
    {
        polygon[i] = project(view, &triangle->corner[i]);
        double far = fabs(polygon[i].x) + fabs(polygon[i].y) + fabs(polygon[i].w);
        if (!(far < FAR_AWAY))
            return;
    }
    double reach = (GUARD + 0.5) * maxInt(view->rect.width, view->rect.height) / view->focal;
    bool cut = false;
    int count = clipPolygon(polygon, 3, reach, reach, &cut);
    for (int i = 1; i + 1 < count; ++i)
    {
        Setup setup;
        const ClipCorner *corner[3] = { &polygon[0], &polygon[i], &polygon[i + 1] };
        if (!setUp(view, corner, &setup))
            continue;
        // a cut shows no lines: its edges are not the mesh's
        const Paint *paint = &stage->paints[triangle->paint];
        setup.wire = cut ? 0 : setup.wire;
        setup.samples = paint->glass ? 1 : SAMPLES;
        fill(stage, &setup, paint);
    }
}
