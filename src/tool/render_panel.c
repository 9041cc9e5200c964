#include "tool/render.h"

vvResult panelDraw(const Run *run, const Look *look, Stage *stage, Picture *picture, Rect rect, int frame)
{
    vvResult result = panelShow(&run->show, look, stage, picture, rect);
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
    Plot plot = { .title = title, .xLabel = "time / s", .series = curves, .seriesCount = count, .cursor = cursor };
    curvesRange(runs, runCount, curves, count, &plot.yLow, &plot.yHigh);
    for (int i = 0; i < count; ++i)
    {
        snprintf(labels[i], sizeof labels[i], "%s (leaves the axis)", curves[i].label);
        if (leaves(&curves[i], plot.yLow, plot.yHigh))
            curves[i].label = labels[i];
    }
    plotDraw(picture, rect, &plot);
}
