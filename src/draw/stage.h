// Inside the draw room: what the parts of a drawing share. Lengths are in units of the distance from eye to target,
// with the eye at the origin and the axes of the world, so that scenes of any size are drawn alike.
#ifndef DRAW_STAGE_H
#define DRAW_STAGE_H

#include "draw/draw.h"

#define SAMPLES 4        // of a pixel
#define SUBPIXELS 256    // corners are snapped to this fraction of a pixel: coverage is exact
#define NEAR_PLANE 1e-3  //
#define FAR_AWAY 1e5     // farther points count as not finite
#define MAP_SIZE 1024    // texels of a side of the shadow map
#define GROUND_SIZE 256  // texels of a side of the soft shadows on the ground
#define GROUND_LEVELS 4  // of softness
#define CONTACT_SIZE 128 // texels of a side of the contact shadow
#define ROOT_LEVELS 1024 // a sample keeps the square roots of its channels, 10 bits each

typedef struct Vec3f
{
    float x, y, z;
} Vec3f;

typedef struct Corner
{
    double point[3]; // m, world
    float normal[3]; // world
    float field;     //
} Corner;

typedef struct Triangle
{
    Corner corner[3];
    int paint; // index into the stage's paints
} Triangle;

// The camera at work.
typedef struct View
{
    Vec3 eye;                       // m, world
    double scale;                   // 1/m: world to the room's lengths
    Vec3 right, up, forward;        // of the camera; right is level
    double focal, centreX, centreY; // pixels
    Rect rect;                      // of the picture
} View;

// Depth seen along an axis, over a rectangle in the plane of two others.
typedef struct DepthMap
{
    Vec3 axisU, axisV, axisD; // orthonormal
    double lowU, lowV, texel; // corner and size of a texel
    int size;
    float *depth; // size x size: the largest distance along axisD, NOTHING_THERE where there is none
} DepthMap;

#define NOTHING_THERE (-1e30f)

typedef struct Shadow
{
    DepthMap light;                 // from the key light
    DepthMap above;                 // along -y: the lowest surface over the ground
    float *softness[GROUND_LEVELS]; // GROUND_SIZE x GROUND_SIZE: how much of the light is covered
    float *distance;                // GROUND_SIZE x GROUND_SIZE: mean distance of what covers it, times the cover
    float *contact;                 // CONTACT_SIZE x CONTACT_SIZE: how much of the sky is covered
    float *work;                    // MAP_SIZE x MAP_SIZE
    bool empty;
} Shadow;

struct Stage
{
    Memory *memory;
    Triangle *triangles; // triangleCount of triangleCapacity
    int triangleCount, triangleCapacity;
    Paint *paints; // paintCount of paintCapacity
    int paintCount, paintCapacity;
    bool hasGround;
    double groundHeight; // m, world

    // film: pixelCapacity x SAMPLES
    size_t pixelCapacity;
    float *depth;     // 1 / distance along the view; 0: nothing there
    uint32_t *colour; // three square roots of 10 bits

    Shadow shadow;
    void *scratch; // of surface.c: scratchCapacity bytes
    size_t scratchCapacity;

    // of the drawing at hand
    View view;
    Vec3f light;                     // towards the key light
    float ground;                    // height in the room's lengths
    Colour map[256];                 // the colour map
    uint8_t byteOfRoot[ROOT_LEVELS]; // sRGB
};

// where the four samples of a pixel lie, in 1/SUBPIXELS: a rotated grid
extern const int sampleOffset[SAMPLES][2];

bool stageReserve(Stage *stage, int triangles);        // room for so many more; false: out of memory
int stagePaint(Stage *stage, const Paint *paint);      // its index; -1: out of memory
Vec3 viewPoint(const View *view, const double *point); // world to the room's lengths
View viewMake(const Camera *camera, Rect rect);

bool shadowPrepare(Stage *stage);                                              // false: out of memory
float shadowOnBody(const Stage *stage, Vec3f point, Vec3f normal);             // share of the key light that arrives
void shadowOnGround(const Shadow *shadow, Vec3 point, float *key, float *sky); // shares that arrive
void shadowRelease(Memory *memory, Shadow *shadow);

bool depthMapFit(DepthMap *map, const Stage *stage, double margin); // bounds over all triangles; false: none
void depthMapDraw(DepthMap *map, const Stage *stage);
void blurMap(float *map, float *work, int size, int radius); // twice a box of 2 radius + 1, in both directions

void rasterTriangle(Stage *stage, const Triangle *triangle);

typedef struct Fragment
{
    Vec3f point, normal; // the normal is not normalised and faces as the triangle does
    float field;
    float edge; // pixels to the nearest edge of the triangle
    float wire; // 0 to 1: less for triangles of few pixels
    bool front;
} Fragment;

uint32_t shadeFragment(const Stage *stage, const Paint *paint, const Fragment *fragment);
uint32_t packColour(Colour colour); // with the shoulder of the tone curve
void backdropDraw(Stage *stage);    // ground and sky, where nothing is in front of them
void filmResolve(const Stage *stage, Picture *picture);

#endif
