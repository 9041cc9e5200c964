#include "tool/render.h"

#include <string.h>

#define PIN_PIXELS 2.2      // radius of the marker of a pin, at least
#define PIN_SHARE 0.012     // of the shorter side of the panel
#define TUBE_PIXELS 1.1     // radius of ropes and springs, at least
#define ROPE_SHARE 0.007    // radius of ropes, of the size of what is seen
#define SPRING_SHARE 0.0025 // likewise of springs

static const unsigned inkHex = 0x2E353C;

// the radius of a marker or a tube at a point: never less than `pixels`, so that it is seen from any distance
static double radiusAt(const Camera *camera, Rect rect, Vec3 point, double radius, double pixels)
{
    return maxReal(radius, pixels * cameraPixel(camera, rect, point));
}

// markers have a size in pixels, whatever is seen
static bool addPins(const Run *run, const Camera *camera, Rect rect, Stage *stage)
{
    double pixels = maxReal(PIN_PIXELS, PIN_SHARE * minInt(rect.width, rect.height));
    Paint paint = paintSolid(colourHex(0x30363C));
    bool good = true;
    for (int i = 0; i < run->bodyCount; ++i)
    {
        const RunBody *body = &run->body[i];
        int pins = 0;
        if (body->embedded || (body->changed && !body->numbered)) // its vertices are not seen, or not known
            continue;
        for (int v = 0; v < body->vertexCount && pins <= MOST_MARKERS; ++v)
            pins += vvSoftBody_IsPinned(body->id, v);
        for (int v = 0; v < body->vertexCount && pins <= MOST_MARKERS && good; ++v)
        {
            Vec3 point = vecLoad(body->points + 3 * (size_t)v);
            if (vvSoftBody_IsPinned(body->id, v))
                good = stageSphere(stage, point, radiusAt(camera, rect, point, 0, pixels), &paint);
        }
    }
    return good;
}

static const RunBody *bodyOf(const Run *run, vvSoftBodyId id)
{
    for (int i = 0; i < run->bodyCount; ++i)
    {
        if (memcmp(&run->body[i].id, &id, sizeof id) == 0)
            return &run->body[i];
    }
    return NULL;
}

// where an attachment holds a body
static void endAt(const double *points, int vertex, const int *vertices, const double *weights, double *out)
{
    double sum[3] = { 0, 0, 0 };
    bool between = false;
    for (int i = 0; i < 3 * VV_ATTACHMENT_VERTICES; ++i)
    {
        if (weights[i / 3] == 0)
            continue;
        between = true;
        sum[i % 3] += weights[i / 3] * points[3 * (size_t)vertices[i / 3] + (size_t)(i % 3)];
    }
    memcpy(out, between ? sum : points + 3 * (size_t)vertex, sizeof sum);
}

// springs between bodies, from point to point
static bool addSprings(const Run *run, const Look *look, const Camera *camera, Rect rect, Stage *stage)
{
    Paint paint = paintSolid(colourHex(0x59616A));
    bool good = true;
    for (int i = 0; i < sceneAttachmentCount(run->built) && good; ++i)
    {
        vvAttachmentDef def = sceneAttachment(run->built, i);
        const RunBody *a = bodyOf(run, def.bodyA), *b = bodyOf(run, def.bodyB);
        if (a == NULL || b == NULL || a->embedded || b->embedded || (a->changed && !a->numbered) ||
            (b->changed && !b->numbered))
            continue;
        double ends[6];
        endAt(a->points, def.vertexA, def.verticesA, def.weightsA, ends);
        endAt(b->points, def.vertexB, def.verticesB, def.weightsB, ends + 3);
        good = stageTubes(stage, ends, (const int[]){ 0, 1 }, 1,
                          radiusAt(camera, rect, vecLoad(ends), SPRING_SHARE * look->size, TUBE_PIXELS), NULL, &paint);
    }
    return good;
}

static bool addBody(RunBody *body, const Look *look, const Camera *camera, Rect rect, Stage *stage, int index)
{
    bool solid = body->solid;
    Paint paint = solid ? paintSolid(colourOfSeries(index)) : paintCloth(colourOfSeries(index));
    const double *field = NULL;
    if (look->colouring != COLOUR_PLAIN)
    {
        paint.field = true;
        field = body->weight;
        for (int v = 0; v < body->vertexCount; ++v)
            body->weight[v] = body->field[v] / look->fieldMost;
    }
    if (body->triangleCount == 0)
    {
        paint.thin = false;
        return stageTubes(stage, body->points, body->line, body->lineCount,
                          radiusAt(camera, rect, camera->target, ROPE_SHARE * look->size, TUBE_PIXELS), field, &paint);
    }
    paint.wire = body->embedded ? 0 : solid ? 0.22f : 0.1f;
    return stageSurface(stage, body->points, solid && !body->changed ? body->rest : NULL, body->vertexCount,
                        body->triangle, body->triangleCount, field, &paint);
}

vvResult panelDraw(const Run *run, const Look *look, Stage *stage, Picture *picture, Rect rect, int frame)
{
    Camera camera = lookCamera(look, run);
    Look here = *look;
    here.centre = look->follow ? camera.target : look->centre;
    stageClear(stage);
    stageGround(stage, collidersGround(run));
    bool good = collidersAdd(run, &here, stage) && fluidsAdd(run, &here, stage);
    for (int i = 0; i < run->bodyCount && good; ++i)
        good = addBody(&run->body[i], look, &camera, rect, stage, i);
    if (!good || !addSprings(run, look, &camera, rect, stage) || !addPins(run, &camera, rect, stage))
        return resultOutOfMemory("what is to be drawn");
    vvResult result = stageDraw(stage, &camera, picture, rect);
    char right[48];
    if (run->diverged && frame >= run->saneCount)
        snprintf(right, sizeof right, "diverged at frame %d", run->saneCount);
    else if (frame >= run->frameCount)
        snprintf(right, sizeof right, "ended at %.2f s", (run->frameCount - 1) * run->timestep);
    else
        snprintf(right, sizeof right, "%.2f s", frame * run->timestep);
    if (result.code == VV_OK)
        panelCaption(picture, rect, run->label, right);
    return result;
}

void panelCaption(Picture *picture, Rect rect, const char *left, const char *right)
{
    double size = minReal(maxReal(rect.height / 30.0, 7), 15), pad = 1.3 * size;
    // what is too long is set smaller, then left out
    double room = rect.width - 2 * pad - 2 * size, width = textWidth(size, left) + textWidth(size, right);
    double fit = width > room ? size * room / width : size;
    if (fit < 4)
        return;
    textDraw(picture, rect.x + pad, rect.y + pad + size, fit, ALIGN_LEFT, colourHex(inkHex), left);
    textDraw(picture, rect.x + rect.width - pad, rect.y + pad + size, fit, ALIGN_RIGHT, colourHex(0x6B747D), right);
}

void panelScale(const Look *look, Picture *picture, Rect rect)
{
    double size = minReal(maxReal(rect.height / 40.0, 7), 12);
    int width = minInt(180, rect.width / 3), height = (int)(0.8 * size + 1), left = rect.x + (int)(1.6 * size);
    int top = rect.y + rect.height - height - (int)(3.6 * size);
    char most[48];
    for (int x = 0; x < width; ++x)
        pictureFill(picture, (Rect){ left + x, top, 1, height }, colourOfField(x / (double)(width - 1)), 1);
    if (look->colouring == COLOUR_STRAIN)
        snprintf(most, sizeof most, "strain %.3g %%", 100 * look->fieldMost);
    else
        snprintf(most, sizeof most, "speed %.3g m/s", look->fieldMost);
    textDraw(picture, left, top + height + 1.7 * size, size, ALIGN_LEFT, colourHex(inkHex), "0");
    textDraw(picture, left + width, top + height + 1.7 * size, size, ALIGN_RIGHT, colourHex(inkHex), most);
}

static PlotSeries series(const Run *run, int account, const char *label, Colour colour)
{
    return (PlotSeries){ label, run->ledger.account[ACCOUNT_TIME], run->ledger.account[account], run->ledger.count,
                         colour };
}

// whether an account moves at all; still ones only clutter the plot
static bool moves(const Run *run, int account)
{
    const double *value = run->ledger.account[account];
    for (int i = 0; i < run->ledger.count; ++i)
    {
        if (value[i] != 0)
            return true;
    }
    return false;
}

// the rows of a run before it diverged
static PlotSeries saneSeries(const Run *run, int account)
{
    PlotSeries all = series(run, account, "", (Colour){ 0, 0, 0 });
    all.count = run->diverged ? minInt(all.count, maxInt(run->saneCount, 1)) : all.count;
    return all;
}

// grows low and high by what physics says: the target, and the accounts at the start
static void knownRange(const Run *run, double *low, double *high)
{
    double from, to;
    PlotSeries target = saneSeries(run, ACCOUNT_TARGET);
    plotRange(&target, 1, &from, &to);
    for (int k = ACCOUNT_KINETIC; k <= ACCOUNT_CONTACT; ++k)
    {
        double first = run->ledger.account[k][0];
        from = isfinite(first) ? minReal(from, first) : from;
        to = isfinite(first) ? maxReal(to, first) : to;
    }
    *low = minReal(*low, from);
    *high = maxReal(*high, to);
}

// whether a curve leaves the axis; such a one says so in the legend
static bool leaves(const PlotSeries *curve, double low, double high)
{
    double pad = 0.06 * (high - low);
    for (int i = 0; i < curve->count; ++i)
    {
        if (!(curve->y[i] >= low - pad && curve->y[i] <= high + pad))
            return true;
    }
    return false;
}

// The data, but not farther from physics than three times its own range: one curve that explodes must not flatten the
// rest. A run that diverged has no say, unless all did: then the rows before.
void curvesRange(const Run *runs, int runCount, const PlotSeries *curves, int count, double *low, double *high)
{
    double known[2] = { 1e300, -1e300 };
    int healthy = 0;
    for (int i = 0; i < runCount; ++i)
        healthy += runs[i].diverged ? 0 : 1;
    *low = 1e300;
    *high = -1e300;
    for (int i = 0; i < runCount; ++i)
    {
        if (runs[i].diverged && healthy > 0)
            continue;
        knownRange(&runs[i], &known[0], &known[1]);
        // of a single run all curves are its own; of several, the one behind that of physics
        for (int k = runCount == 1 ? 0 : i + 1; k < (runCount == 1 ? count : i + 2); ++k)
        {
            PlotSeries curve = curves[k];
            double from, to;
            curve.count = runs[i].diverged ? minInt(curve.count, maxInt(runs[i].saneCount, 1)) : curve.count;
            plotRange(&curve, 1, &from, &to);
            *low = minReal(*low, from);
            *high = maxReal(*high, to);
        }
    }
    double span = known[1] - known[0];
    // the accounts of a run whose total is sound may be as large as they are: what falls exchanges without limit
    if (runCount == 1 && !runs[0].diverged && !leaves(&curves[count - 1], known[0] - 3 * span, known[1] + 3 * span))
        return;
    *low = maxReal(*low, known[0] - 3 * span);
    *high = minReal(*high, known[1] + 3 * span);
}

void panelCurves(const Run *runs, int runCount, Picture *picture, Rect rect, double cursor)
{
    PlotSeries curves[MOST_RUNS + 1];
    char labels[MOST_RUNS + 1][160];
    int count = 0;
    const char *title = "total energy / J";
    if (runCount == 1)
    {
        title = "energy / J";
        static const int accounts[] = { ACCOUNT_KINETIC, ACCOUNT_ELASTIC, ACCOUNT_GRAVITY, ACCOUNT_CONTACT };
        static const char *const names[] = { "kinetic", "elastic", "gravity", "contact" };
        for (int k = 0; k < 4; ++k)
        {
            if (moves(&runs[0], accounts[k]))
                curves[count++] = series(&runs[0], accounts[k], names[k], colourOfSeries(k + 1));
        }
        curves[count++] = series(&runs[0], ACCOUNT_TOTAL, "total", colourHex(0x2E353C));
    }
    else
    {
        // physics as a run that did not diverge knows it
        int from = 0;
        while (from + 1 < runCount && runs[from].diverged)
            ++from;
        curves[count++] = series(&runs[runs[from].diverged ? 0 : from], ACCOUNT_TARGET, "physics", colourHex(0xA9B1B8));
        for (int i = 0; i < runCount; ++i)
            curves[count++] = series(&runs[i], ACCOUNT_TOTAL, runs[i].label, colourOfSeries(i));
    }
    Plot plot = { title, "time / s", curves, count, 0, 0, cursor };
    curvesRange(runs, runCount, curves, count, &plot.yLow, &plot.yHigh);
    for (int i = 0; i < count; ++i)
    {
        snprintf(labels[i], sizeof labels[i], "%s (leaves the axis)", curves[i].label);
        if (leaves(&curves[i], plot.yLow, plot.yHigh))
            curves[i].label = labels[i];
    }
    plotDraw(picture, rect, &plot);
}
