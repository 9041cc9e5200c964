#include "draw/palette.h"

#include <string.h>

void paletteSample(Palette *palette, const Picture *picture)
{
    size_t pixels = (size_t)picture->width * (size_t)picture->height;
    for (size_t i = 0; i < pixels; ++i)
    {
        const uint8_t *p = picture->rgb + 3 * i;
        palette->bins[(p[0] >> 3) << 10 | (p[1] >> 3) << 5 | p[2] >> 3] += 1;
    }
}

// ---- Heckbert 1982: boxes of colours are split where it matters most -------------------------------------------------

typedef struct Box
{
    int low[3], high[3]; // of the bins, high inclusive
    double weight;       // of what is inside
    double mean[3], variance[3];
} Box;

// rare colours count for more than their pixels: a small red body on a large grey ground
static double weightOf(const Palette *palette, int r, int g, int b)
{
    return sqrt((double)palette->bins[r << 10 | g << 5 | b]);
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

void paletteChoose(Palette *palette)
{
    Box boxes[PALETTE_MOST] = { { .low = { 0, 0, 0 }, .high = { 31, 31, 31 } } };
    int count = 1;
    measure(palette, &boxes[0]);
    while (count < PALETTE_MOST && splitOne(palette, boxes, &count))
    {
    }
    palette->count = count;
    double variance = 0, weight = 0;
    for (int i = 0; i < count; ++i)
    {
        for (int c = 0; c < 3; ++c)
        {
            // bins back to levels: 0 stays 0 and 31 becomes 255
            palette->rgb[i][c] = (uint8_t)(boxes[i].mean[c] * 255 / 31 + 0.5);
            variance += boxes[i].variance[c];
        }
        weight += boxes[i].weight;
    }
    palette->spread = 10 + (weight > 0 ? minReal(8 * sqrt(variance / weight), 20) : 0);
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

uint8_t paletteIndex(Palette *palette, const uint8_t *rgb, int x, int y)
{
    // Bayer's matrix, 4 x 4
    static const int bayer[4][4] = { { 0, 8, 2, 10 }, { 12, 4, 14, 6 }, { 3, 11, 1, 9 }, { 15, 7, 13, 5 } };
    int shift = (int)(palette->spread * (bayer[y & 3][x & 3] - 7.5) / 16), cell = 0, level[3];
    for (int c = 0; c < 3; ++c)
    {
        int value = minInt(maxInt(rgb[c] + shift, 0), 255);
        cell = cell << 6 | value >> 2;
        level[c] = (value >> 2) * 255 / 63;
    }
    if (palette->nearest[cell] < 0)
        palette->nearest[cell] = (int16_t)findNearest(palette, level);
    return (uint8_t)palette->nearest[cell];
}
