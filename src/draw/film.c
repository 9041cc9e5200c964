#include "draw/stage.h"

static uint8_t resolveChannel(const Stage *stage, const uint32_t *samples, int shift)
{
    uint32_t sum = 0;
    for (int s = 0; s < SAMPLES; ++s)
    {
        uint32_t root = samples[s] >> shift & (ROOT_LEVELS - 1);
        sum += root * root;
    }
    // means of light, not of its roots
    return stage->byteOfRoot[(int)(sqrtf((float)sum / SAMPLES) + 0.5f)];
}

void filmResolve(const Stage *stage, Picture *picture)
{
    const Rect *rect = &stage->view.rect;
    for (int y = 0; y < rect->height; ++y)
    {
        uint8_t *pixel = picture->rgb + 3 * ((size_t)(rect->y + y) * (size_t)picture->width + (size_t)rect->x);
        for (int x = 0; x < rect->width; ++x, pixel += 3)
        {
            const uint32_t *samples = stage->colour + ((size_t)y * (size_t)rect->width + (size_t)x) * SAMPLES;
            bool same = samples[0] == samples[1] && samples[0] == samples[2] && samples[0] == samples[3];
            for (int c = 0; c < 3; ++c)
            {
                int shift = 20 - 10 * c;
                pixel[c] = same ? stage->byteOfRoot[samples[0] >> shift & (ROOT_LEVELS - 1)]
                                : resolveChannel(stage, samples, shift);
            }
        }
    }
}
