#include "draw/font.h"
#include "draw/stroke.h"

#define MOST_POINTS 24 // of a stroke in the font
#define CURVE_STEPS 5  // straight pieces between two points of a curve

static const char *glyphOf(char letter)
{
    int code = (unsigned char)letter;
    return fontGlyphs[(code < FONT_FIRST || code > FONT_LAST ? '?' : code) - FONT_FIRST];
}

static int coordinate(char letter)
{
    return letter <= '9' ? letter - '0' : letter - 'A' + 10;
}

// the next stroke of a glyph, count x 2; 0 points: no more
static int readStroke(const char **glyph, int *points, bool *smooth)
{
    while (**glyph == ' ')
        *glyph += 1;
    *smooth = **glyph == '~';
    if (*smooth)
        *glyph += 1;
    int count = 0;
    for (; **glyph != '\0' && **glyph != ' ' && count < MOST_POINTS; ++count, *glyph += 2)
    {
        points[2 * count] = coordinate((*glyph)[0]);
        points[2 * count + 1] = coordinate((*glyph)[1]);
    }
    return count;
}

static int glyphWidth(const char *glyph)
{
    int width = glyph[0] == '\0' ? FONT_BLANK : 0, points[2 * MOST_POINTS], count;
    bool smooth;
    while ((count = readStroke(&glyph, points, &smooth)) > 0)
    {
        for (int i = 0; i < count; ++i)
            width = maxInt(width, points[2 * i]);
    }
    return width;
}

double textWidth(double size, const char *text)
{
    int width = 0;
    for (const char *c = text; *c != '\0'; ++c)
        width += glyphWidth(glyphOf(*c)) + (c[1] != '\0' ? FONT_GAP : 0);
    return width * size / FONT_CAPITAL;
}

// Catmull and Rom 1974: the point at t between the second and the third of four
static double between(double a, double b, double c, double d, double t)
{
    return 0.5 * (2 * b + t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a))));
}

static void drawStroke(Stroke *stroke, const int *points, int count, bool smooth, const double frame[3])
{
    bool closed = points[0] == points[2 * count - 2] && points[1] == points[2 * count - 1];
    double last[2] = { 0, 0 };
    int steps = smooth ? CURVE_STEPS : 1;
    for (int i = 0; i <= steps * (count - 1); ++i)
    {
        int from = minInt(i / steps, count - 2), to = from + 1;
        int before = from > 0 ? from - 1 : (closed ? count - 2 : from);
        int after = to < count - 1 ? to + 1 : (closed ? 1 : to);
        double here[2], t = (double)(i - from * steps) / steps;
        for (int c = 0; c < 2; ++c)
            here[c] = smooth ? between(points[2 * before + c], points[2 * from + c], points[2 * to + c],
                                       points[2 * after + c], t)
                             : points[2 * i + c];
        here[0] = frame[0] + frame[2] * here[0];
        here[1] = frame[1] - frame[2] * (here[1] - FONT_BASELINE);
        if (i > 0)
            strokeSegment(stroke, last[0], last[1], here[0], here[1]);
        last[0] = here[0];
        last[1] = here[1];
    }
}

void textDraw(Picture *picture, double x, double y, double size, Align align, Colour colour, const char *text)
{
    double width = textWidth(size, text), scale = size / FONT_CAPITAL;
    double frame[3] = { x - (align == ALIGN_LEFT ? 0 : align == ALIGN_CENTRE ? 0.5 * width : width), y, scale };
    if (!isfinite(frame[0]) || !isfinite(y) || !(size > 0))
        return;
    Stroke stroke = strokeBegin(picture, (Rect){ 0, 0, picture->width, picture->height }, maxReal(0.13 * size, 1.15));
    for (const char *c = text; *c != '\0'; ++c)
    {
        const char *glyph = glyphOf(*c);
        int points[2 * MOST_POINTS], count;
        bool smooth;
        while ((count = readStroke(&glyph, points, &smooth)) > 0)
            drawStroke(&stroke, points, count, smooth, frame);
        frame[0] += scale * (glyphWidth(glyphOf(*c)) + FONT_GAP);
    }
    strokeEnd(&stroke, colour, 1);
}
