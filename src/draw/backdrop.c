// The ground and the sky behind everything. The camera never rolls, so a row of pixels has one distance and one sky.
#include "draw/stage.h"

static const Colour skyTop = { 0.52f, 0.66f, 0.82f };
static const Colour skyLow = { 0.90f, 0.92f, 0.93f };
static const Colour groundColour = { 0.70f, 0.685f, 0.66f };

typedef struct Row
{
    Colour sky;                  // what is seen where no ground is; the ground fades into it
    double depth;                // 1 / distance of the ground; not above 0: no ground
    double fade;                 // share of the ground that is seen
    Vec3 start;                  // of the row on the ground, and the step from pixel to pixel
    Vec3 step;                   //
    double across;               // lengths that a pixel covers
    double gridX, gridZ;         // place in steps of the grid at the start of the row, less whole ones
    double gridStepX, gridStepZ; // from pixel to pixel
    float lineX, lineZ;          // half the width of lines, in steps
    float lineTone;              // how dark they are
} Row;

// slope of the ray through a row: its rise per length ahead
static double riseOf(const View *view, double y)
{
    return view->forward.y + (view->centreY - y) / view->focal * view->up.y;
}

static Row rowAt(const Stage *stage, int y)
{
    const View *view = &stage->view;
    double rise = riseOf(view, y + 0.5);
    double high = minReal(maxReal(0.5 + 1.1 * rise, 0), 1);
    Row row = { .sky = colourMix(skyLow, skyTop, high * high * (3 - 2 * high)) };
    double down = (double)stage->ground;
    row.depth = stage->hasGround && down < 0 ? rise / down : 0;
    if (row.depth <= 0)
        return row;
    double distance = 1 / row.depth, far = distance / 3.2;
    row.fade = 1 / (1 + far * far * far * far);
    row.across = distance / view->focal;
    Vec3 ahead = vecAdd(view->forward, vecScale((view->centreY - y - 0.5) / view->focal, view->up));
    Vec3 left = vecAdd(ahead, vecScale((view->rect.x + 0.5 - view->centreX) / view->focal, view->right));
    row.start = vecScale(distance, left);
    row.step = vecScale(row.across, view->right);
    return row;
}

// a step of 1, 2 or 5 times a power of ten metres that puts some lines across the picture
static double gridStep(const View *view)
{
    double wanted = 0.16 / view->scale, power = pow(10, floor(log10(wanted)));
    double ratio = wanted / power;
    return (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10) * power;
}

static void placeGrid(const Stage *stage, Row *row, double step)
{
    // lines are about a pixel wide, and melt into an even tone where they get dense
    const View *view = &stage->view;
    double metre = 1 / (view->scale * step), width = row->across * metre;
    double stretch = 1 / maxReal(0.12, row->depth * -(double)stage->ground), dense = width * stretch;
    double x = row->start.x * metre + view->eye.x / step, z = row->start.z * metre + view->eye.z / step;
    row->gridX = x - floor(x);
    row->gridZ = z - floor(z);
    row->gridStepX = row->step.x * metre;
    row->gridStepZ = row->step.z * metre;
    row->lineX = (float)maxReal(width, 1e-9);
    row->lineZ = (float)maxReal(0.6 * width * stretch, 1e-9);
    row->lineTone = (float)(0.09 / (1 + 12 * dense * dense));
}

// how much of a line a pixel covers, `place` in steps and not far from 0
static float lineCover(double place, float width)
{
    float phase = (float)(place - (double)(int)place);
    phase = phase < 0 ? phase + 1 : phase;
    float cover = 1.2f - (phase < 0.5f ? phase : 1 - phase) / width;
    return cover < 0 ? 0 : cover > 1 ? 1 : cover;
}

static Colour groundAt(const Stage *stage, const Row *row, int x)
{
    float key, sky;
    shadowOnGround(&stage->shadow, vecAdd(row->start, vecScale(x, row->step)), &key, &sky);
    float tone = 1;
    if (row->lineTone > 0.002f)
    {
        float coverX = lineCover(row->gridX + x * row->gridStepX, row->lineX);
        float coverZ = lineCover(row->gridZ + x * row->gridStepZ, row->lineZ);
        tone -= row->lineTone * (coverX > coverZ ? coverX : coverZ);
    }
    float light = tone * (0.42f * sky + 0.58f * key * (0.55f + 0.45f * sky));
    Colour lit = { groundColour.r * light, groundColour.g * light, groundColour.b * (light + 0.035f * (1 - key)) };
    return colourMix(row->sky, lit, row->fade);
}

void backdropDraw(Stage *stage)
{
    const Rect *rect = &stage->view.rect;
    double step = gridStep(&stage->view);
    for (int y = 0; y < rect->height; ++y)
    {
        Row row = rowAt(stage, rect->y + y);
        if (row.depth > 0)
            placeGrid(stage, &row, step);
        uint32_t sky = packColour(row.sky);
        float groundDepth[SAMPLES];
        for (int s = 0; s < SAMPLES; ++s)
        {
            double rise = riseOf(&stage->view, rect->y + y + sampleOffset[s][1] / (double)SUBPIXELS);
            groundDepth[s] = row.depth > 0 ? (float)maxReal(rise / (double)stage->ground, 0) : 0;
        }
        for (int x = 0; x < rect->width; ++x)
        {
            size_t first = ((size_t)y * (size_t)rect->width + (size_t)x) * SAMPLES;
            int behind = 0;
            for (int s = 0; s < SAMPLES; ++s)
            {
                float depth = stage->depth[first + (size_t)s];
                behind |= (depth == 0 || depth < groundDepth[s] ? 1 : 0) << s;
            }
            if (behind == 0)
                continue;
            uint32_t colour = sky;
            if (row.depth > 0)
                colour = packColour(groundAt(stage, &row, x));
            for (int s = 0; s < SAMPLES; ++s)
            {
                if (behind >> s & 1)
                    stage->colour[first + (size_t)s] = colour;
            }
        }
    }
}
