#include "draw/stroke.h"

#include <string.h>

#define MOST_IN_A_ROW 6 // curves whose names stand above the plot
#define LEAST_TICKS 5   // that an axis may have: a step is at most 2.5 times too long, so at least 2 are drawn

static const unsigned inkHex = 0x3A4148, gridHex = 0xD9DDE1, paperHex = 0xFBFBFA;

static bool finitePair(const PlotSeries *series, int i)
{
    return isfinite(series->x[i]) && isfinite(series->y[i]) && fabs(series->x[i]) < 1e200 && fabs(series->y[i]) < 1e200;
}

static void range(const PlotSeries *series, int count, bool alongX, double *low, double *high)
{
    *low = 1e300;
    *high = -1e300;
    for (int s = 0; s < count; ++s)
    {
        for (int i = 0; i < series[s].count; ++i)
        {
            if (!finitePair(&series[s], i))
                continue;
            double value = alongX ? series[s].x[i] : series[s].y[i];
            *low = minReal(*low, value);
            *high = maxReal(*high, value);
        }
    }
    if (*low > *high)
    {
        *low = 0;
        *high = 1;
    }
    double least = maxReal(1e-9 * maxReal(fabs(*low), fabs(*high)), 1e-200);
    if (*high - *low < least)
    {
        double pad = *low == 0 ? 1 : maxReal(0.1 * fabs(*low), least);
        *low -= pad;
        *high += pad;
    }
}

void plotRange(const PlotSeries *series, int count, double *low, double *high)
{
    range(series, count, false, low, high);
}

// the step of 1, 2 or 5 times a power of ten that gives at most `most` ticks
static double tickStep(double span, int most)
{
    double rough = span / most, power = pow(10, floor(log10(rough))), ratio = rough / power;
    return (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10) * power;
}

static void tickText(char *text, size_t size, double value, double step)
{
    if (fabs(value) < 1e-9 * step)
        value = 0;
    double largest = maxReal(fabs(value), step);
    if (largest >= 1e5 || step < 1e-3)
        snprintf(text, size, "%.3g", value);
    else
        snprintf(text, size, "%.*f", step >= 1 ? 0 : step >= 0.1 ? 1 : step >= 0.01 ? 2 : 3, value);
}

typedef struct Axes
{
    Rect inner;
    double xLow, xHigh, yLow, yHigh, size; // size: of the letters
    bool logX, logY;                       // values are logarithms to the base 10
    double legend;                         // pixels: the letters of the legend where it is a column; 0: it is a row
} Axes;

static double atX(const Axes *axes, double x)
{
    return axes->inner.x + (x - axes->xLow) / (axes->xHigh - axes->xLow) * axes->inner.width;
}

static double atY(const Axes *axes, double y)
{
    return axes->inner.y + (axes->yHigh - y) / (axes->yHigh - axes->yLow) * axes->inner.height;
}

// of an axis: whole powers of ten where values are logarithms
static double axisStep(double span, int most, bool isLog)
{
    double step = tickStep(span, maxInt(LEAST_TICKS, most));
    return isLog ? maxReal(1, ceil(step)) : step;
}

static double stepX(const Axes *axes)
{
    return axisStep(axes->xHigh - axes->xLow, (int)(axes->inner.width / (7 * axes->size)), axes->logX);
}

static double stepY(const Axes *axes)
{
    return axisStep(axes->yHigh - axes->yLow, (int)(axes->inner.height / (2.6 * axes->size)), axes->logY);
}

static void axisText(char *text, size_t size, double value, double step, bool isLog)
{
    if (isLog)
        snprintf(text, size, "1e%.0f", value);
    else
        tickText(text, size, value, step);
}

static void drawGrid(Picture *picture, Rect rect, const Axes *axes)
{
    char text[32];
    double step = stepY(axes);
    for (double i = ceil(axes->yLow / step); i * step <= axes->yHigh + 1e-9 * step; i += 1)
    {
        double y = floor(atY(axes, i * step)) + 0.5;
        double line[4] = { axes->inner.x, y, axes->inner.x + axes->inner.width, y };
        strokeLine(picture, rect, line, 2, 1, colourHex(fabs(i) < 0.5 ? 0x9AA2AA : gridHex), 1);
        axisText(text, sizeof text, i * step, step, axes->logY);
        textDraw(picture, axes->inner.x - 0.7 * axes->size, y + 0.5 * axes->size, axes->size, ALIGN_RIGHT,
                 colourHex(inkHex), text);
    }
    step = stepX(axes);
    for (double i = ceil(axes->xLow / step); i * step <= axes->xHigh + 1e-9 * step; i += 1)
    {
        double x = floor(atX(axes, i * step)) + 0.5, bottom = axes->inner.y + axes->inner.height;
        double line[4] = { x, axes->inner.y, x, bottom };
        strokeLine(picture, rect, line, 2, 1, colourHex(gridHex), 1);
        axisText(text, sizeof text, i * step, step, axes->logX);
        textDraw(picture, x, bottom + 1.9 * axes->size, axes->size, ALIGN_CENTRE, colourHex(inkHex), text);
    }
}

// the curve up to x = `until`; returns its last point
static void drawCurve(Picture *picture, Rect clip, const Axes *axes, const PlotSeries *series, double until,
                      double opacity, double last[2])
{
    Stroke stroke = strokeBegin(picture, clip, maxReal(1.4, 0.2 * axes->size));
    bool joined = false;
    last[0] = last[1] = NAN;
    for (int i = 0; i < series->count; ++i)
    {
        if (!finitePair(series, i) || series->x[i] > until)
        {
            joined = false;
            continue;
        }
        double x = atX(axes, series->x[i]), y = atY(axes, series->y[i]);
        if (joined)
            strokeSegment(&stroke, last[0], last[1], x, y);
        last[0] = x;
        last[1] = y;
        joined = true;
    }
    strokeEnd(&stroke, series->colour, opacity);
}

static void drawSeries(Picture *picture, const Axes *axes, const PlotSeries *series, double cursor)
{
    Rect clip = { axes->inner.x - 1, axes->inner.y - 1, axes->inner.width + 2, axes->inner.height + 2 };
    double last[2];
    drawCurve(picture, clip, axes, series, INFINITY, isnan(cursor) ? 1 : 0.28, last);
    if (isnan(cursor))
        return;
    drawCurve(picture, clip, axes, series, cursor, 1, last);
    strokeDisc(picture, clip, last[0], last[1], maxReal(2.8, 0.4 * axes->size), series->colour, 1);
}

// beside the curves, one below the other
static void drawColumn(Picture *picture, Rect rect, const Axes *axes, const Plot *plot)
{
    double size = axes->legend, x = axes->inner.x + axes->inner.width + size;
    for (int i = 0; i < plot->seriesCount; ++i)
    {
        double y = axes->inner.y + (1 + 2 * i) * size;
        double line[4] = { x, y - 0.5 * size, x + 1.8 * size, y - 0.5 * size };
        strokeLine(picture, rect, line, 2, maxReal(2, 0.3 * size), plot->series[i].colour, 1);
        textDraw(picture, x + 2.6 * size, y, size, ALIGN_LEFT, colourHex(inkHex), plot->series[i].label);
    }
}

static void drawLegend(Picture *picture, Rect rect, const Axes *axes, const Plot *plot)
{
    if (axes->legend > 0)
    {
        drawColumn(picture, rect, axes, plot);
        return;
    }
    // as large as the title leaves room for
    double size = axes->size, x = axes->inner.x + axes->inner.width, y = rect.y + 2.1 * size, width = 0;
    double room = axes->inner.width - (plot->title != NULL ? textWidth(size, plot->title) + size : 0);
    for (int i = 0; i < plot->seriesCount; ++i)
        width += textWidth(size, plot->series[i].label) + 4.4 * size;
    size *= width > room ? maxReal(room / width, 0.3) : 1;
    for (int i = plot->seriesCount - 1; i >= 0; --i)
    {
        const PlotSeries *series = &plot->series[i];
        x -= textWidth(size, series->label);
        textDraw(picture, x, y, size, ALIGN_LEFT, colourHex(inkHex), series->label);
        double line[4] = { x - 2.6 * size, y - 0.5 * size, x - 0.8 * size, y - 0.5 * size };
        strokeLine(picture, rect, line, 2, maxReal(2, 0.3 * size), series->colour, 1);
        x -= 4.4 * size;
    }
}

// false: there is no room
static bool layOut(Rect rect, const Plot *plot, Axes *axes)
{
    *axes = (Axes){ .size = minReal(maxReal(rect.height / 17.0, 7), 13), .logX = plot->logX, .logY = plot->logY };
    double size = axes->size;
    range(plot->series, plot->seriesCount, true, &axes->xLow, &axes->xHigh);
    axes->yLow = plot->yLow;
    axes->yHigh = plot->yHigh;
    if (!(axes->yLow < axes->yHigh))
        plotRange(plot->series, plot->seriesCount, &axes->yLow, &axes->yHigh);
    double pad = 0.06 * (axes->yHigh - axes->yLow);
    axes->yLow -= pad;
    axes->yHigh += pad;
    int left = (int)(7 * size), right = (int)(2.5 * size), top = (int)(3.6 * size);
    int bottom = (int)((plot->xLabel != NULL ? 4.6 : 3) * size);
    if (plot->seriesCount > MOST_IN_A_ROW)
    {
        axes->legend = minReal(size, (rect.height - top - bottom) / (2.0 * plot->seriesCount));
        for (int i = 0; i < plot->seriesCount; ++i)
            right = maxInt(right, (int)(textWidth(axes->legend, plot->series[i].label) + 5 * axes->legend));
    }
    axes->inner = (Rect){ rect.x + left, rect.y + top, rect.width - left - right, rect.height - top - bottom };
    return axes->inner.width >= 8 && axes->inner.height >= 8;
}

void plotDraw(Picture *picture, Rect rect, const Plot *plot)
{
    Axes axes;
    pictureFill(picture, rect, colourHex(paperHex), 1);
    if (!layOut(rect, plot, &axes))
        return;
    double size = axes.size;
    drawGrid(picture, rect, &axes);
    for (int i = 0; i < plot->seriesCount; ++i)
        drawSeries(picture, &axes, &plot->series[i], plot->cursor);
    if (plot->title != NULL)
        textDraw(picture, axes.inner.x, rect.y + 2.1 * size, size, ALIGN_LEFT, colourHex(inkHex), plot->title);
    if (plot->xLabel != NULL)
        textDraw(picture, axes.inner.x + 0.5 * axes.inner.width, rect.y + rect.height - 1.1 * size, size, ALIGN_CENTRE,
                 colourHex(inkHex), plot->xLabel);
    drawLegend(picture, rect, &axes, plot);
}

// ---- the same as SVG ------------------------------------------------------------------------------------------------

static void svgText(FILE *out, double x, double y, double size, const char *anchor, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" text-anchor=\"%s\">", x, y, 1.4 * size, anchor);
    for (const char *c = text; *c; ++c)
    {
        if (strchr("<>&\"", *c) != NULL)
            fprintf(out, "&#%d;", *c);
        else
            fputc(*c, out);
    }
    fprintf(out, "</text>\n");
}

static void svgGrid(FILE *out, const Axes *axes)
{
    char text[32];
    double step = stepY(axes), bottom = axes->inner.y + axes->inner.height, right = axes->inner.x + axes->inner.width;
    for (double i = ceil(axes->yLow / step); i * step <= axes->yHigh + 1e-9 * step; i += 1)
    {
        double y = atY(axes, i * step);
        fprintf(out, "<path d=\"M%d %.1fH%.1f\" class=\"grid\"/>\n", axes->inner.x, y, right);
        axisText(text, sizeof text, i * step, step, axes->logY);
        svgText(out, axes->inner.x - 0.7 * axes->size, y + 0.5 * axes->size, axes->size, "end", text);
    }
    step = stepX(axes);
    for (double i = ceil(axes->xLow / step); i * step <= axes->xHigh + 1e-9 * step; i += 1)
    {
        double x = atX(axes, i * step);
        fprintf(out, "<path d=\"M%.1f %dV%.1f\" class=\"grid\"/>\n", x, axes->inner.y, bottom);
        axisText(text, sizeof text, i * step, step, axes->logX);
        svgText(out, x, bottom + 1.9 * axes->size, axes->size, "middle", text);
    }
}

static void svgSeries(FILE *out, const Axes *axes, const PlotSeries *series, double legendX, double legendY)
{
    uint8_t rgb[3];
    bool joined = false;
    colourBytes(series->colour, rgb);
    fprintf(out, "<path class=\"curve\" stroke=\"#%02x%02x%02x\" d=\"", rgb[0], rgb[1], rgb[2]);
    for (int i = 0; i < series->count; ++i)
    {
        if (finitePair(series, i))
            fprintf(out, "%c%.2f %.2f", joined ? 'L' : 'M', atX(axes, series->x[i]), atY(axes, series->y[i]));
        joined = finitePair(series, i);
    }
    double size = axes->legend > 0 ? axes->legend : axes->size;
    fprintf(out, "M%.1f %.1fh%.1f\"/>\n", legendX, legendY - 0.5 * size, 1.8 * size);
    svgText(out, legendX + 2.6 * size, legendY, size, "start", series->label);
}

void plotWriteSvg(FILE *out, Rect rect, const Plot *plot)
{
    Axes axes;
    if (!layOut(rect, plot, &axes))
        return;
    double size = axes.size, x = axes.inner.x + axes.inner.width, y = rect.y + 2.1 * size;
    fprintf(out, "<g>\n");
    svgGrid(out, &axes);
    for (int i = plot->seriesCount - 1; i >= 0; --i)
    {
        x -= axes.legend > 0 ? 0 : textWidth(size, plot->series[i].label) + 4.4 * size;
        double legendX = axes.legend > 0 ? x + axes.legend : x;
        double legendY = axes.legend > 0 ? axes.inner.y + (1 + 2 * i) * axes.legend : y;
        svgSeries(out, &axes, &plot->series[i], legendX, legendY);
    }
    if (plot->title != NULL)
        svgText(out, axes.inner.x, y, size, "start", plot->title);
    if (plot->xLabel != NULL)
        svgText(out, axes.inner.x + 0.5 * axes.inner.width, rect.y + rect.height - 1.1 * size, size, "middle",
                plot->xLabel);
    fprintf(out, "</g>\n");
}
