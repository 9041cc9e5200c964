// Verve: a world as segments, points and triangles, for debugging. You give the functions that draw them.
#ifndef VERVE_DRAW_H
#define VERVE_DRAW_H

#include <verve/id.h>

#ifdef __cplusplus
extern "C" {
#endif

// What is drawn, and in which colour (0xRRGGBB).
typedef enum vvDrawFlags
{
    VV_DRAW_SURFACE = 1,     // triangles of bodies and rigid bodies, segments of ropes: blue, grey while asleep
    VV_DRAW_ELEMENTS = 2,    // edges of meshes: white at rest, to red where stretched, to blue where pressed
    VV_DRAW_PINS = 4,        // points that are pinned or slide, and the way to where they are moved: yellow
    VV_DRAW_ATTACHMENTS = 8, // segments: green
    VV_DRAW_HANDLES = 16,    // a point at the target, a segment to what it holds: pink
    VV_DRAW_CONTACTS = 32,   // a point where something touches, a segment along the force on the body: red
    VV_DRAW_COLLIDERS = 64,  // triangles: light grey; round ones by facets, of a plane a square. Not with `sampling`
    VV_DRAW_BOUNDS = 128,    // boxes around bodies, segments: white
    VV_DRAW_ALL = 255,       // all of these
} vvDrawFlags;

// How a world is drawn: functions of yours and what they are given.
typedef struct vvDebugDraw
{
    // Any may be NULL: segments and points are then left out, of triangles the edges are drawn as segments. Triangles
    // are counterclockwise seen from outside. Points: m.
    void (*drawSegment)(vvVec3 a, vvVec3 b, uint32_t colour, void *userData);
    void (*drawPoint)(vvVec3 point, uint32_t colour, void *userData);
    void (*drawTriangle)(vvVec3 a, vvVec3 b, vvVec3 c, uint32_t colour, void *userData);

    uint32_t flags;    // vvDrawFlags. Default all but elements and bounds
    double forceScale; // m/N: length of the segment of a contact. Default 0: 0.1 m along the normal
    double planeSize;  // m, above 0: side of the square that is drawn of a plane. Default 10
    void *userData;    // handed to the functions
    int cookie;        // set by vvDefaultDebugDraw
} vvDebugDraw;

VV_API vvDebugDraw vvDefaultDebugDraw(void); // no functions yet

// Draws the present state, always in the same order. Allocates temporarily, for colliders. Where there is no memory for
// that, what came before is drawn.
VV_API vvResult vvWorld_Draw(vvWorldId world, const vvDebugDraw *draw);

#ifdef __cplusplus
}
#endif

#endif
