// Inside the draw room: up to 255 colours that stand for all colours of a movie.
#ifndef DRAW_PALETTE_H
#define DRAW_PALETTE_H

#include "draw/draw.h"

#define PALETTE_MOST 255             // one index of a GIF is left for "as before"
#define PALETTE_BINS (32 * 32 * 32)  // five bits a channel
#define PALETTE_CELLS (64 * 64 * 64) // six bits a channel

typedef struct Palette
{
    int count;
    uint8_t rgb[PALETTE_MOST + 1][3];
    struct
    {
        uint64_t count, sum[3]; // pixels, and the sums of their channels
    } bins[PALETTE_BINS];
    int16_t nearest[PALETTE_CELLS]; // index of the nearest colour, -1: not asked yet
} Palette;

void paletteSample(Palette *palette, const Picture *picture);
void paletteChoose(Palette *palette); // median cut over the samples

// The index for a colour at a place. An ordered dither hides steps where the palette is far from the colour; the same
// colour at the same place always gets the same index, so that what stands still in a movie stays still.
uint8_t paletteIndex(Palette *palette, const uint8_t *rgb, int x, int y);

#endif
