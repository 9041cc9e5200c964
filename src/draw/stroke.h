// Inside the draw room: strokes are gathered as coverage first, so that joints are not drawn twice, then blended at
// once.
#ifndef DRAW_STROKE_H
#define DRAW_STROKE_H

#include "draw/draw.h"

typedef struct Stroke
{
    Picture *picture;
    Rect clip;                    // inside the picture
    int left, top, right, bottom; // what was touched so far, right and bottom exclusive
    double radius;                // half the width
} Stroke;

Stroke strokeBegin(Picture *picture, Rect clip, double width);
void strokeSegment(Stroke *stroke, double ax, double ay, double bx, double by);
void strokeEnd(Stroke *stroke, Colour colour, double opacity); // blends and leaves the mask empty

#endif
