// The draw room: pictures and movies without a display. A stage collects triangles, tubes and spheres, and draws them
// with light, shadow and ground into a rectangle of a picture; text and plots are drawn over it; a picture becomes a
// PNG file or a frame of a GIF. The renderer is ours because the same input is to give the same picture on machines
// without display, driver or GPU. Nothing here depends on anything but base; png.c alone knows libpng, gif.c alone
// giflib.
#ifndef DRAW_DRAW_H
#define DRAW_DRAW_H

#include "base/base.h"
#include "base/vec.h"

#include <stdio.h>

#define MOST_PIXELS 16384    // of a side of a picture
#define MOST_AREA (1L << 25) // pixels of a picture: a little more than 7680 x 4320

// ---- colours (colour.c) ---------------------------------------------------------------------------------------------

typedef struct Colour
{
    float r, g, b; // linear light, 0 to 1
} Colour;

Colour colourHex(unsigned rgb);                           // 0xRRGGBB, sRGB
Colour colourMix(Colour a, Colour b, double share);       // share of b
Colour colourOklab(double lightness, double a, double b); // Ottosson's OKLab, pulled into gamut along its chroma
Colour colourOfField(double value);              // the colour map: 0 indigo to 1 yellow, lightness even; NaN grey
Colour colourOfSeries(int index);                // bodies and curves, well apart from each other
void colourBytes(Colour colour, uint8_t rgb[3]); // sRGB
double colourEncode(double linear);              // sRGB transfer of one channel, 0 to 1

// ---- pictures (picture.c) -------------------------------------------------------------------------------------------

typedef struct Rect
{
    int x, y, width, height; // pixels, y down
} Rect;

typedef struct Picture
{
    Memory *memory;
    int width, height;
    uint8_t *rgb;  // height x width x 3, sRGB
    uint8_t *mask; // height x width: coverage of the stroke at hand, 0 in between
} Picture;

// NULL on failure: sides from 1 to MOST_PIXELS, no more than MOST_AREA.
Picture *pictureCreate(Memory *memory, int width, int height, vvResult *result);
void pictureDestroy(Picture *picture); // NULL is fine
void pictureFill(Picture *picture, Rect rect, Colour colour, double opacity);

// ---- strokes and text (stroke.c, text.c) ----------------------------------------------------------------------------

// A line through `count` points (x y each, pixels), round at joints and ends. Points that are not finite break it.
void strokeLine(Picture *picture, Rect clip, const double *points, int count, double width, Colour colour,
                double opacity);
void strokeDisc(Picture *picture, Rect clip, double x, double y, double radius, Colour colour, double opacity);

typedef enum Align
{
    ALIGN_LEFT,
    ALIGN_CENTRE,
    ALIGN_RIGHT,
} Align;

// `size` is the height of a capital letter in pixels, `x y` the baseline at the place `align` names. Printable ASCII;
// anything else shows as '?'.
void textDraw(Picture *picture, double x, double y, double size, Align align, Colour colour, const char *text);
double textWidth(double size, const char *text); // pixels

// ---- plots (plot.c) -------------------------------------------------------------------------------------------------

typedef struct PlotSeries
{
    const char *label;
    const double *x, *y; // count; pairs that are not finite are left out
    int count;
    Colour colour;
} PlotSeries;

typedef struct Plot
{
    const char *title, *xLabel; // NULL: none
    const PlotSeries *series;
    int seriesCount;
    double yLow, yHigh; // equal: from the data
    double cursor;      // x: curves are faint behind it, with a dot on it; NaN: none
    bool logX, logY;    // the values are logarithms to the base 10: ticks at powers of ten
} Plot;

void plotRange(const PlotSeries *series, int count, double *low, double *high); // of y, finite, low < high
void plotDraw(Picture *picture, Rect rect, const Plot *plot);

// The same as a group of an SVG file that the caller begins and ends; classes grid and curve. No cursor.
void plotWriteSvg(FILE *out, Rect rect, const Plot *plot);

// ---- camera (camera.c) ----------------------------------------------------------------------------------------------

typedef struct Camera
{
    Vec3 eye, target;
    double fieldOfView; // degrees, vertical
} Camera;

// The nearest camera with a given direction that sees a set of points: the points are shown to it one by one, and touch
// the margins of the panel. Above there is more room, for a caption.
typedef struct CameraFit
{
    Vec3 right, up, back; // of the camera; `back` leads from the target to the eye
    double slope[4];      // of the margins: right, left, top, bottom
    double fieldOfView;   // degrees, vertical
    Vec3 origin;          // m, the first point
    double most[4];       // m, of the points: how far they reach towards each margin
    double nearest;       // m, along `back`
    bool any;
} CameraFit;

CameraFit cameraFitMake(Vec3 back, double shape, double fieldOfView); // `shape`: width / height of the panel
void cameraFitPoint(CameraFit *fit, Vec3 point);                      // points that are not finite do not count
Camera cameraFitCamera(const CameraFit *fit);                         // after at least one point

double cameraFitShape(const CameraFit *fit); // shape of a panel that the points would fill, about: times the fit's own

// A camera that sees the whole box in a rectangle of this shape (width / height), slightly from above and from the
// right. Any box will do: an empty one, a point, corners that are not finite.
Camera cameraFrame(const vvBox *box, double shape, double fieldOfView);
bool cameraGood(const Camera *camera); // finite, eye and target apart, field of view from 1 to 150
double cameraPixel(const Camera *camera, Rect rect, Vec3 point); // m that a pixel covers at the distance of a point
bool cameraProject(const Camera *camera, Rect rect, Vec3 point, double *x, double *y); // false: behind the eye

// ---- stage (stage.c and below) --------------------------------------------------------------------------------------

typedef struct Paint
{
    Colour front, back;
    float gloss;     // 0 dull to 1 shining
    float wire;      // 0 to 1: how strongly the edges of triangles show
    bool thin;       // cloth: light from behind shines through
    bool field;      // colours from the field of the vertices instead of `front` and `back`
    bool glass;      // one sample in SAMPLES shows it: what is behind shines through; casts no shadow
    bool shadowless; // a piece of what has no end: its edge would cast a shadow that is not there
} Paint;

Paint paintSolid(Colour colour);
Paint paintCloth(Colour colour); // the back side in another shade

typedef struct Stage Stage;

Stage *stageCreate(Memory *memory); // NULL: out of memory
void stageDestroy(Stage *stage);    // NULL is fine
void stageClear(Stage *stage);      // takes everything off, ground too; memory is kept
void stageGround(Stage *stage, double height);

// Triangles over points. `rest`: edges that are sharp there stay sharp; NULL: smooth everywhere. `field`: pointCount
// values from 0 to 1, or NULL. Triangles with a point that is not finite are left out. False: out of memory.
bool stageSurface(Stage *stage, const double *points, const double *rest, int pointCount, const int *triangles,
                  int triangleCount, const double *field, const Paint *paint);

// Round tubes along edges, with round ends.
bool stageTubes(Stage *stage, const double *points, const int *edges, int edgeCount, double radius, const double *field,
                const Paint *paint);
bool stageSphere(Stage *stage, Vec3 centre, double radius, const Paint *paint);

vvResult stageDraw(Stage *stage, const Camera *camera, Picture *picture, Rect rect);

// ---- files (png.c, gif.c) -------------------------------------------------------------------------------------------

// libpng and giflib are optional. A build without them refuses with VV_BAD_INPUT and names the package; ask before
// work.
vvResult pngReady(void);
vvResult gifReady(void);

// Every writer takes a file that is open for writing in binary; results are VV_INPUT_OUTPUT or VV_OUT_OF_MEMORY.
vvResult pngWrite(const Picture *picture, FILE *file);

// The bytes of such a file to a function, in their order; false from it stops.
typedef bool PngPour(void *userData, const void *bytes, size_t count);
vvResult pngPour(const Picture *picture, PngPour *pour, void *userData);

// A movie's palette comes from some of its pictures; then its frames are written one after the other.
typedef struct Gif Gif;
Gif *gifCreate(Memory *memory, int width, int height);  // NULL: out of memory
void gifSample(Gif *gif, const Picture *picture);       // before gifStart: these colours occur
vvResult gifStart(Gif *gif, FILE *file, double period); // s between frames, rounded to 1/100 s over the whole movie
vvResult gifFrame(Gif *gif, const Picture *picture);
vvResult gifFinish(Gif *gif);
void gifDestroy(Gif *gif); // NULL is fine

#endif
