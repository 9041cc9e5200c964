// The colours of a movie. giflib's own quantizer sees one picture at a time and does not dither, so that a movie would
// flicker between palettes; this one sees samples of the whole movie, gives rare colours their due, and dithers by
// place.
#include "draw/palette.h"

#include <stdlib.h>
#include <string.h>

void paletteSample(Palette *palette, const Picture *picture)
{
    size_t pixels = (size_t)picture->width * (size_t)picture->height;
    for (size_t i = 0; i < pixels; ++i)
    {
        const uint8_t *p = picture->rgb + 3 * i;
        int bin = (p[0] >> 3) << 10 | (p[1] >> 3) << 5 | p[2] >> 3;
        palette->bins[bin].count += 1;
        for (int c = 0; c < 3; ++c)
            palette->bins[bin].sum[c] += p[c];
    }
}

// ---- Heckbert 1982: boxes of colours are split where it matters most ------------------------------------------------

typedef struct Box
{
    int low[3], high[3]; // of the bins, high inclusive
    double weight;       // of what is inside
    double mean[3], variance[3];
} Box;

// rare colours count for more than their pixels: a small red body on a large grey ground
static double weightOf(const Palette *palette, int r, int g, int b)
{
    return sqrt((double)palette->bins[r << 10 | g << 5 | b].count);
}

static void measure(const Palette *palette, Box *box)
{
    box->weight = 0;
    double sum[3] = { 0 }, square[3] = { 0 };
    for (int r = box->low[0]; r <= box->high[0]; ++r)
        for (int g = box->low[1]; g <= box->high[1]; ++g)
            for (int b = box->low[2]; b <= box->high[2]; ++b)
            {
                double weight = weightOf(palette, r, g, b), at[3] = { r, g, b };
                box->weight += weight;
                for (int c = 0; c < 3 && weight > 0; ++c)
                {
                    sum[c] += weight * at[c];
                    square[c] += weight * at[c] * at[c];
                }
            }
    for (int c = 0; c < 3; ++c)
    {
        box->mean[c] = box->weight > 0 ? sum[c] / box->weight : box->low[c];
        box->variance[c] = box->weight > 0 ? maxReal(square[c] - box->weight * box->mean[c] * box->mean[c], 0) : 0;
    }
}

static int widest(const Box *box)
{
    int axis = 0;
    for (int c = 1; c < 3; ++c)
        axis = box->variance[c] > box->variance[axis] ? c : axis;
    return axis;
}

// splits the box with the largest variance at its mean; false: none can be split
static bool splitOne(const Palette *palette, Box *boxes, int *count)
{
    int chosen = -1, axis = 0;
    for (int i = 0; i < *count; ++i)
    {
        int along = widest(&boxes[i]);
        if (boxes[i].high[along] > boxes[i].low[along] && boxes[i].variance[along] > 1e-9 &&
            (chosen < 0 || boxes[i].variance[along] > boxes[chosen].variance[axis]))
        {
            chosen = i;
            axis = along;
        }
    }
    if (chosen < 0)
        return false;
    Box *box = &boxes[chosen], *other = &boxes[(*count)++];
    int cut = minInt(maxInt((int)box->mean[axis], box->low[axis]), box->high[axis] - 1);
    *other = *box;
    box->high[axis] = cut;
    other->low[axis] = cut + 1;
    measure(palette, box);
    measure(palette, other);
    return true;
}

// the mean colour of the pixels in a box
static void meanOf(const Palette *palette, const Box *box, uint8_t rgb[3])
{
    uint64_t count = 0, sum[3] = { 0 };
    for (int r = box->low[0]; r <= box->high[0]; ++r)
        for (int g = box->low[1]; g <= box->high[1]; ++g)
            for (int b = box->low[2]; b <= box->high[2]; ++b)
            {
                count += palette->bins[r << 10 | g << 5 | b].count;
                for (int c = 0; c < 3; ++c)
                    sum[c] += palette->bins[r << 10 | g << 5 | b].sum[c];
            }
    for (int c = 0; c < 3; ++c)
        rgb[c] = (uint8_t)(count > 0 ? (sum[c] + count / 2) / count : 0);
}

void paletteChoose(Palette *palette)
{
    Box boxes[PALETTE_MOST] = { { .low = { 0, 0, 0 }, .high = { 31, 31, 31 } } };
    int count = 1;
    measure(palette, &boxes[0]);
    while (count < PALETTE_MOST && splitOne(palette, boxes, &count))
    {
    }
    palette->count = count;
    for (int i = 0; i < count; ++i)
        meanOf(palette, &boxes[i], palette->rgb[i]);
    memset(palette->nearest, 0xff, sizeof palette->nearest);
}

static int findNearest(const Palette *palette, const int rgb[3])
{
    int best = 0, least = INT32_MAX;
    for (int i = 0; i < palette->count; ++i)
    {
        int dr = palette->rgb[i][0] - rgb[0], dg = palette->rgb[i][1] - rgb[1], db = palette->rgb[i][2] - rgb[2];
        int distance = 3 * dr * dr + 6 * dg * dg + db * db;
        if (distance < least)
        {
            least = distance;
            best = i;
        }
    }
    return best;
}

static int lookUp(Palette *palette, const uint8_t *rgb, int shift)
{
    int cell = 0, level[3];
    for (int c = 0; c < 3; ++c)
    {
        int value = minInt(maxInt(rgb[c] + shift, 0), 255);
        cell = cell << 6 | value >> 2;
        level[c] = minInt((value & ~3) + 2, 255);
    }
    if (palette->nearest[cell] < 0)
        palette->nearest[cell] = (int16_t)findNearest(palette, level);
    return palette->nearest[cell];
}

uint8_t paletteIndex(Palette *palette, const uint8_t *rgb, int x, int y)
{
    // Bayer's matrix, 4 x 4
    static const int bayer[4][4] = { { 0, 8, 2, 10 }, { 12, 4, 14, 6 }, { 3, 11, 1, 9 }, { 15, 7, 13, 5 } };
    int index = lookUp(palette, rgb, 0), error = 0;
    for (int c = 0; c < 3; ++c)
        error = maxInt(error, abs(rgb[c] - palette->rgb[index][c]));
    if (error <= 2)
        return (uint8_t)index;
    // to either side by as much as the nearest colour is wrong
    return (uint8_t)lookUp(palette, rgb, minInt(error, 12) * (2 * bayer[y & 3][x & 3] - 15) / 12);
}
