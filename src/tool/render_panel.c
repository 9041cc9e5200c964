#include "tool/render.h"

#define MOST_MARKERS 24 // pins of a body that are marked; more of them are a clamp, not pins

static const unsigned inkHex = 0x2E353C;

static bool addPins(const Run *run, const Look *look, Stage *stage)
{
    Paint paint = paintSolid(colourHex(0x30363C));
    bool good = true;
    for (int i = 0; i < run->bodyCount; ++i)
    {
        const RunBody *body = &run->body[i];
        int pins = 0;
        for (int v = 0; v < body->vertexCount && pins <= MOST_MARKERS; ++v)
            pins += vvSoftBody_IsPinned(body->id, v);
        for (int v = 0; v < body->vertexCount && pins <= MOST_MARKERS && good; ++v)
        {
            if (vvSoftBody_IsPinned(body->id, v))
                good = stageSphere(stage, vecLoad(body->points + 3 * (size_t)v), 0.011 * look->size, &paint);
        }
    }
    return good;
}

static bool addBody(RunBody *body, const Look *look, Stage *stage, int index)
{
    const vvMesh *mesh = body->mesh;
    bool solid = vvMesh_GetTetCount(mesh) > 0;
    Paint paint = solid ? paintSolid(colourOfSeries(index)) : paintCloth(colourOfSeries(index));
    const double *field = NULL;
    if (look->colouring != COLOUR_PLAIN)
    {
        paint.field = true;
        field = body->weight;
        for (int v = 0; v < body->vertexCount; ++v)
            body->weight[v] = body->field[v] / look->fieldMost;
    }
    if (vvMesh_GetSurfaceCount(mesh) == 0)
    {
        paint.thin = false;
        return stageTubes(stage, body->points, vvMesh_GetEdges(mesh), vvMesh_GetEdgeCount(mesh), 0.007 * look->size,
                          field, &paint);
    }
    paint.wire = solid ? 0.22f : 0.1f;
    return stageSurface(stage, body->points, solid ? vvMesh_GetPoints(mesh) : NULL, body->vertexCount,
                        vvMesh_GetSurface(mesh), vvMesh_GetSurfaceCount(mesh), field, &paint);
}

vvResult panelDraw(const Run *run, const Look *look, Stage *stage, Picture *picture, Rect rect, int frame)
{
    stageClear(stage);
    stageGround(stage, collidersGround(run, look->ground));
    bool good = collidersAdd(run, look, stage);
    for (int i = 0; i < run->bodyCount && good; ++i)
        good = addBody(&run->body[i], look, stage, i);
    if (!good || !addPins(run, look, stage))
        return resultOutOfMemory("what is to be drawn");
    vvResult result = stageDraw(stage, &look->camera, picture, rect);
    char time[48];
    snprintf(time, sizeof time, "%.2f s", frame * run->timestep);
    if (result.code == VV_OK)
        panelCaption(picture, rect, run->label, frame < run->frameCount ? time : "ended");
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

// grows low and high by what physics says: the target, and the accounts at the start
static void knownRange(const Run *run, double *low, double *high)
{
    double from, to;
    PlotSeries target = series(run, ACCOUNT_TARGET, "", (Colour){ 0, 0, 0 });
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

// the data, but not farther from physics than three times its own range: one curve that explodes must not flatten the rest
static void limitRange(const Run *runs, int runCount, const PlotSeries *curves, int count, double *low, double *high)
{
    double known[2] = { 1e300, -1e300 };
    for (int i = 0; i < runCount; ++i)
        knownRange(&runs[i], &known[0], &known[1]);
    plotRange(curves, count, low, high);
    double span = known[1] - known[0];
    *low = maxReal(*low, known[0] - 3 * span);
    *high = minReal(*high, known[1] + 3 * span);
}

void panelCurves(const Run *runs, int runCount, Picture *picture, Rect rect, double cursor)
{
    PlotSeries curves[MOST_RUNS + 1];
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
        curves[count++] = series(&runs[0], ACCOUNT_TARGET, "physics", colourHex(0xA9B1B8));
        for (int i = 0; i < runCount; ++i)
            curves[count++] = series(&runs[i], ACCOUNT_TOTAL, runs[i].label, colourOfSeries(i));
    }
    Plot plot = { title, "time / s", curves, count, 0, 0, cursor };
    limitRange(runs, runCount, curves, count, &plot.yLow, &plot.yHigh);
    plotDraw(picture, rect, &plot);
}
