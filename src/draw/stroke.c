#include "draw/stroke.h"

Stroke strokeBegin(Picture *picture, Rect clip, double width)
{
    int left = maxInt(clip.x, 0), top = maxInt(clip.y, 0);
    int right = minInt(clip.x + clip.width, picture->width), bottom = minInt(clip.y + clip.height, picture->height);
    Rect inside = { left, top, maxInt(right - left, 0), maxInt(bottom - top, 0) };
    return (Stroke){ picture, inside, picture->width, picture->height, 0, 0, 0.5 * maxReal(width, 0.7) };
}

static double clampReal(double value, double low, double high)
{
    return minReal(maxReal(value, low), high);
}

// Liang and Barsky 1984: the part of a segment that lies in a box; false: none
static bool clipSegment(double *ax, double *ay, double *bx, double *by, const double box[4])
{
    double dx = *bx - *ax, dy = *by - *ay, first = 0, last = 1;
    double step[4] = { -dx, dx, -dy, dy };
    double room[4] = { *ax - box[0], box[1] - *ax, *ay - box[2], box[3] - *ay };
    for (int i = 0; i < 4; ++i)
    {
        if (step[i] == 0 && room[i] < 0)
            return false;
        if (step[i] < 0)
            first = maxReal(first, room[i] / step[i]);
        else if (step[i] > 0)
            last = minReal(last, room[i] / step[i]);
    }
    if (first > last)
        return false;
    *bx = *ax + last * dx;
    *by = *ay + last * dy;
    *ax += first * dx;
    *ay += first * dy;
    return true;
}

void strokeSegment(Stroke *stroke, double ax, double ay, double bx, double by)
{
    const Rect *clip = &stroke->clip;
    double reach = stroke->radius + 1;
    double box[4] = { clip->x - reach, clip->x + clip->width + reach, clip->y - reach, clip->y + clip->height + reach };
    if (!isfinite(ax + ay + bx + by) || !clipSegment(&ax, &ay, &bx, &by, box))
        return;
    int left = maxInt(clip->x, (int)floor(minReal(ax, bx) - reach));
    int right = minInt(clip->x + clip->width, (int)ceil(maxReal(ax, bx) + reach));
    int top = maxInt(clip->y, (int)floor(minReal(ay, by) - reach));
    int bottom = minInt(clip->y + clip->height, (int)ceil(maxReal(ay, by) + reach));
    double dx = bx - ax, dy = by - ay, square = dx * dx + dy * dy;
    for (int y = top; y < bottom; ++y)
    {
        uint8_t *mask = stroke->picture->mask + (size_t)y * (size_t)stroke->picture->width;
        for (int x = left; x < right; ++x)
        {
            // coverage falls over one pixel around the outline
            double px = x + 0.5 - ax, py = y + 0.5 - ay;
            double along = square > 0 ? clampReal((px * dx + py * dy) / square, 0, 1) : 0;
            double ex = px - along * dx, ey = py - along * dy;
            double cover = clampReal(stroke->radius + 0.5 - sqrt(ex * ex + ey * ey), 0, 1);
            uint8_t level = (uint8_t)(255 * cover + 0.5);
            if (level > mask[x])
                mask[x] = level;
        }
    }
    if (left >= right || top >= bottom)
        return;
    stroke->left = minInt(stroke->left, left);
    stroke->right = maxInt(stroke->right, right);
    stroke->top = minInt(stroke->top, top);
    stroke->bottom = maxInt(stroke->bottom, bottom);
}

void strokeEnd(Stroke *stroke, Colour colour, double opacity)
{
    uint8_t bytes[3];
    colourBytes(colour, bytes);
    // a line thinner than a pixel is paler, not narrower
    double share = clampReal(opacity, 0, 1) * minReal(2 * stroke->radius, 1);
    for (int y = stroke->top; y < stroke->bottom; ++y)
    {
        size_t row = (size_t)y * (size_t)stroke->picture->width;
        for (int x = stroke->left; x < stroke->right; ++x)
        {
            uint8_t *mask = stroke->picture->mask + row + x, *pixel = stroke->picture->rgb + 3 * (row + (size_t)x);
            int weight = (int)(*mask * share * 257 + 0.5); // of 65535
            for (int c = 0; c < 3 && weight > 0; ++c)
                pixel[c] = (uint8_t)((pixel[c] * (65535 - weight) + bytes[c] * weight + 32767) / 65535);
            *mask = 0;
        }
    }
}

void strokeLine(Picture *picture, Rect clip, const double *points, int count, double width, Colour colour,
                double opacity)
{
    Stroke stroke = strokeBegin(picture, clip, width);
    for (int i = 0; i + 1 < count; ++i)
        strokeSegment(&stroke, points[2 * i], points[2 * i + 1], points[2 * i + 2], points[2 * i + 3]);
    strokeEnd(&stroke, colour, opacity);
}

void strokeDisc(Picture *picture, Rect clip, double x, double y, double radius, Colour colour, double opacity)
{
    Stroke stroke = strokeBegin(picture, clip, 2 * radius);
    strokeSegment(&stroke, x, y, x, y);
    strokeEnd(&stroke, colour, opacity);
}
