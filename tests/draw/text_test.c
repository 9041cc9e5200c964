// Text, strokes, plots and colours.
#include "draw/font.h"
#include "pixels.h"

static const Colour ink = { 0, 0, 0 }, paper = { 1, 1, 1 };

static void wipe(Picture *picture)
{
    pictureFill(picture, (Rect){ 0, 0, picture->width, picture->height }, paper, 1);
}

static uint64_t drawGlyph(Picture *picture, char letter)
{
    char text[2] = { letter, 0 };
    wipe(picture);
    textDraw(picture, 8, 30, 20, ALIGN_LEFT, ink, text);
    return hashBytes(HASH_SEED, picture->rgb, (size_t)picture->width * (size_t)picture->height * 3);
}

static void glyphsAreThereAndDistinct(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 48, 48);
    uint64_t hash[FONT_LAST + 1];
    wipe(studio.picture);
    uint64_t blank = drawGlyph(studio.picture, ' ');
    for (int c = FONT_FIRST + 1; c <= FONT_LAST; ++c)
    {
        hash[c] = drawGlyph(studio.picture, (char)c);
        if (hash[c] == blank)
            fail_msg("'%c' draws nothing", c);
        // no glyph touches the border: it fits its line
        for (int i = 0; i < 48; ++i)
            assert_true(brightness(studio.picture, i, 0) == 765 && brightness(studio.picture, i, 47) == 765);
        for (int d = FONT_FIRST + 1; d < c; ++d)
        {
            if (hash[c] == hash[d])
                fail_msg("'%c' and '%c' look the same", c, d);
        }
    }
    // what the font lacks shows as a question mark
    assert_true(drawGlyph(studio.picture, '\x01') == hash['?']);
    assert_true(drawGlyph(studio.picture, '\xe4') == hash['?']);
    studioClose(&studio);
}

static int darkColumns(const Picture *picture, int from, int to)
{
    int dark = 0;
    for (int x = from; x < to; ++x)
        for (int y = 0; y < picture->height; ++y)
            dark += brightness(picture, x, y) < 300;
    return dark;
}

static void textStandsWhereItIsTold(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 200, 40);
    double width = textWidth(10, "Verve 1.0");
    assert_true(width > 30 && width < 90);
    const Align align[3] = { ALIGN_LEFT, ALIGN_CENTRE, ALIGN_RIGHT };
    const double left[3] = { 100, 100 - 0.5 * width, 100 - width };
    for (int i = 0; i < 3; ++i)
    {
        wipe(studio.picture);
        textDraw(studio.picture, 100, 25, 10, align[i], ink, "Verve 1.0");
        assert_int_equal(darkColumns(studio.picture, 0, (int)left[i] - 2), 0);
        assert_true(darkColumns(studio.picture, (int)left[i], (int)(left[i] + width)) > 20);
        assert_int_equal(darkColumns(studio.picture, (int)(left[i] + width) + 3, 200), 0);
    }
    // partly and wholly outside, and no number at all
    textDraw(studio.picture, -20, 5, 30, ALIGN_LEFT, ink, "outside");
    textDraw(studio.picture, 1e9, -1e9, 30, ALIGN_LEFT, ink, "outside");
    textDraw(studio.picture, NAN, 0, 30, ALIGN_LEFT, ink, "outside");
    studioClose(&studio);
}

static void linesHaveTheirWidth(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 100, 100);
    wipe(studio.picture);
    Rect all = { 0, 0, 100, 100 };
    double line[4] = { 20, 50, 80, 50 };
    strokeLine(studio.picture, all, line, 2, 6, ink, 1);
    // blackness in pixels: a bar of 60 x 6 with round ends
    double black = 0;
    for (int i = 0; i < 100 * 100; ++i)
        black += 1 - studio.picture->rgb[3 * i] / 255.0;
    CHECK_CLOSE(black, 60 * 6 + PI * 9, 0.02);
    // a joint is not drawn twice: half opaque stays half opaque
    wipe(studio.picture);
    double bent[6] = { 20, 20, 50, 50, 80, 20 };
    strokeLine(studio.picture, all, bent, 3, 8, ink, 0.5);
    for (int i = 0; i < 100 * 100; ++i)
        assert_true(studio.picture->rgb[3 * i] >= 126);
    // far away and broken ones
    double wild[10] = { -1e12, 30, 1e12, 30, NAN, 0, 5, 5, INFINITY, 5 };
    strokeLine(studio.picture, all, wild, 5, 2, ink, 1);
    assert_true(brightness(studio.picture, 50, 30) < 400);
    for (int i = 0; i < 100 * 100; ++i)
        assert_int_equal(studio.picture->mask[i], 0);
    studioClose(&studio);
}

static void plotsShowTheirCurves(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 400, 200);
    double x[50], up[50], broken[50];
    for (int i = 0; i < 50; ++i)
    {
        x[i] = i;
        up[i] = i;
        broken[i] = i % 7 == 3 ? NAN : i % 11 == 5 ? INFINITY : 25;
    }
    PlotSeries series[2] = { { "up", x, up, 50, { 1, 0, 0 } }, { "level", x, broken, 50, { 0, 0, 1 } } };
    Plot plot = { "energy / J", "time / s", series, 2, 0, 0, NAN, false, false };
    plotDraw(studio.picture, (Rect){ 0, 0, 400, 200 }, &plot);
    // the rising curve is high on the right and low on the left
    int redLeft = 0, redRight = 0;
    for (int i = 0; i < 400 * 200; ++i)
    {
        const uint8_t *p = studio.picture->rgb + 3 * i;
        int column = i % 400, row = i / 400;
        if (p[0] > 200 && p[1] < 60 && p[2] < 60 && row > 45)
            *(column < 200 ? &redLeft : &redRight) += row < 105 ? 1 : -1;
    }
    assert_true(redLeft < -10 && redRight > 10);
    // hostile plots: nothing, no range, no room, a cursor out of range
    Plot empty = { NULL, NULL, NULL, 0, 0, 0, NAN, false, false };
    plotDraw(studio.picture, (Rect){ 0, 0, 400, 200 }, &empty);
    plotDraw(studio.picture, (Rect){ 0, 0, 3, 3 }, &plot);
    plotDraw(studio.picture, (Rect){ -50, -50, 900, 900 }, &plot);
    double huge[3] = { -1e308, 1e308, 1e-308 }, same[3] = { 5, 5, 5 };
    PlotSeries odd[2] = { { "huge", huge, huge, 3, { 1, 0, 0 } }, { "same", same, same, 3, { 1, 0, 0 } } };
    for (int i = 0; i < 2; ++i)
    {
        Plot one = { "t", "x", &odd[i], 1, 0, 0, i == 0 ? -1 : 1e300, false, false };
        plotDraw(studio.picture, (Rect){ 0, 0, 400, 200 }, &one);
    }
    double low, high;
    plotRange(&odd[1], 1, &low, &high);
    assert_true(low < 5 && high > 5);
    studioClose(&studio);
}

// CIE 1976 lightness of a colour in linear light
static double lightness(Colour c)
{
    double y = 0.2126 * (double)c.r + 0.7152 * (double)c.g + 0.0722 * (double)c.b;
    return y > 0.008856 ? 116 * cbrt(y) - 16 : 903.3 * y;
}

static void fieldColoursRiseEvenly(void **state)
{
    (void)state;
    double last = lightness(colourOfField(0)), whole = lightness(colourOfField(1)) - last;
    assert_true(whole > 50);
    for (int i = 1; i <= 64; ++i)
    {
        Colour c = colourOfField(i / 64.0);
        assert_true(c.r >= 0 && c.g >= 0 && c.b >= 0 && c.r <= 1 && c.g <= 1 && c.b <= 1);
        double step = lightness(c) - last;
        // OKLab's lightness is not CIE's: even within a factor of two
        assert_true(step > 0.5 * whole / 64 && step < 2 * whole / 64);
        last += step;
        // and no step between neighbours that would look like an edge in the data
        uint8_t here[3], before[3];
        colourBytes(c, here);
        colourBytes(colourOfField((i - 1) / 64.0), before);
        for (int k = 0; k < 3; ++k)
            CHECK_NEAR(here[k], before[k], 12);
    }
    CHECK_NEAR(lightness(colourOfField(-5)), lightness(colourOfField(0)), 1e-9);
    CHECK_NEAR(lightness(colourOfField(INFINITY)), lightness(colourOfField(1)), 1e-9);
    Colour none = colourOfField(NAN);
    CHECK_NEAR((double)(none.r - none.b), 0, 1e-4);
}

static void bytesComeBack(void **state)
{
    (void)state;
    for (unsigned v = 0; v < 256; ++v)
    {
        uint8_t rgb[3];
        colourBytes(colourHex(v << 16 | (255 - v) << 8 | (v ^ 0x55)), rgb);
        assert_true(rgb[0] == v && rgb[1] == 255 - v && rgb[2] == (v ^ 0x55));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(glyphsAreThereAndDistinct), cmocka_unit_test(textStandsWhereItIsTold),
        cmocka_unit_test(linesHaveTheirWidth),       cmocka_unit_test(plotsShowTheirCurves),
        cmocka_unit_test(fieldColoursRiseEvenly),    cmocka_unit_test(bytesComeBack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
