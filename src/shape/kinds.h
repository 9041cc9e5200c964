// Inside the shape room: what a shape holds, and what each kind can do.
#ifndef SHAPE_KINDS_H
#define SHAPE_KINDS_H

#include "shape/facet.h"
#include "shape/shape.h"
#include "shape/tree.h"

#include <stdatomic.h>

#define SHAPE_LARGEST 1e9    // m: coordinates beyond lose the digits that contact needs
#define SHAPE_SMALLEST 1e-9  // m: extents below would underflow when squared twice
#define SHAPE_FLATNESS 1e-12 // smallest area of a triangle per longest edge^2

// ---- triangles: triangle.c ------------------------------------------------------------------------------------------

// Where a ray passes a triangle against its normal; false: nowhere.
bool triangleCast(const double *corners /* 3 x 3 */, Vec3 origin, Vec3 direction, double *distance);

// Twice the area times the unit normal.
Vec3 triangleCross(const double *corners /* 3 x 3 */);
double triangleLongest(const double *corners /* 3 x 3 */);           // longest edge^2
double triangleAngle(const double *corners /* 3 x 3 */, int corner); // rad

// The sample of a point whose nearest triangle is known: `side` (+1 or -1) is the side on which the point is.
ShapeSample triangleSample(const double *corners, Vec3 unitNormal, Vec3 point, Vec3 nearest, double side);

// The second derivative of the distance, by the feature of the triangle that is nearest.
void triangleCurvature(const double *corners, Region region, const ShapeSample *sample, Vec3 unitNormal, double *out);

// ---- a closed surface: surface.c ------------------------------------------------------------------------------------

typedef struct Surface
{
    int triangleCount, pointCount;
    double *corners;      // triangleCount x 9: the points again, for the search
    double *faceNormal;   // triangleCount x 3, unit
    double *cornerNormal; // pointCount x 3: sum of face normals weighted by their angle
    int *triangle;        // triangleCount x 3
    int *neighbour;       // triangleCount x 3: across the edge of corners i and i + 1
    Tree tree;
} Surface;

// Checks a closed surface, turns it outward and makes it ready for search. `lenient`: slivers borrow a neighbour's
// normal instead of being refused.
vvResult surfaceBuild(Memory *memory, Surface *surface, const double *points, int pointCount, const int *triangles,
                      int triangleCount, bool lenient);
void surfaceFree(Memory *memory, Surface *surface);
ShapeSample surfaceSample(const Surface *surface, Vec3 point, int hint);
vvBox surfaceBounds(const Surface *surface);

// ---- a surface whose points move within a step: moving.c ------------------------------------------------------------

// Each point goes on a straight line from `start` at moment 0 to `end` at moment 1. Corners of the surface are those of
// moment 0, the boxes of its tree hold the whole path, and normals are found when they are asked for: the
// surface has none.
typedef struct Moving
{
    double *start, *end; // pointCount x 3, m; NULL: a shape that never moves
    double *endCorners;  // triangleCount x 9
    int *firstUse, *use; // of point p: use[firstUse[p]] to use[firstUse[p + 1]] are the corners 3 t + i that it is
    double *box;         // nodeCount x 6, scratch
    vvBox swept;         // around the path
    double farthest;     // m, the longest way of a point
    bool moves;          // some point does
} Moving;

ShapeSample movingSample(const vvShape *shape, double moment, Vec3 point, double limit, int hint);
void movingCurvature(const vvShape *shape, double moment, Vec3 point, double *out);
void movingFree(Memory *memory, Moving *moving);

// ---- hull.c ---------------------------------------------------------------------------------------------------------

// Triangles of the convex hull, outward, in numbers of the given points; the caller releases `*triangles`.
vvResult hullBuild(Memory *memory, const double *points, int pointCount, int **triangles, int *triangleCount);

// ---- heights: heightfield.c -----------------------------------------------------------------------------------------

#define HEIGHT_LEVELS 32

// Lowest and highest heights over blocks of cells that double in size from level to level; the last has one block.
typedef struct Heights
{
    double *height;                // rows x columns
    double *range;                 // blocks x 2, level by level
    int levelStart[HEIGHT_LEVELS]; // first block of the level
    int columns, rows, levels;
    double cellX, cellZ; // m
    double halfX, halfZ; // m
} Heights;

// ---- samples of a distance: sampled.c -------------------------------------------------------------------------------

typedef struct Samples
{
    float *value; // count[2] x count[1] x count[0], m
    int count[3];
    Vec3 origin;           // of the first sample
    double cell, perMetre; // m, and its inverse
} Samples;

// Walks along a ray until the distance is `radius`.
bool samplesMarch(const vvShape *shape, Vec3 origin, Vec3 direction, double radius, double farthest, double *distance);

// ---- kinds ----------------------------------------------------------------------------------------------------------

typedef enum ShapeTag
{
    TAG_PLANE,
    TAG_SPHERE,
    TAG_BOX,
    TAG_CAPSULE,
    TAG_CONVEX,
    TAG_MESH,
    TAG_SAMPLED,
    TAG_HEIGHTFIELD,
} ShapeTag;

typedef struct ShapeKind
{
    ShapeTag tag; // ask shapeIs: the shared verve-studio has kinds of its own, at other addresses
    vvResult (*create)(vvShape *shape, const vvShapeDef *def);
    ShapeSample (*sample)(const vvShape *shape, Vec3 point, double limit, int hint); // normal wanted everywhere
    void (*curvature)(const vvShape *shape, Vec3 point, double *out);                // out is zero before
    bool (*cast)(const vvShape *shape, Vec3 origin, Vec3 direction, double farthest, double *distance);
    void (*facets)(const vvShape *shape, vvBox near, FacetVisit visit, void *context); // NULL: it has none
} ShapeKind;

struct vvShape
{
    Memory memory;
    atomic_int references;
    const ShapeKind *kind;
    vvBox bounds;

    Vec3 normal;     // plane
    double offset;   // plane
    double radius;   // sphere, capsule
    Vec3 half;       // box; capsule: half.y, half the axis
    Surface surface; // convex, mesh
    Heights heights; // heightfield
    Samples samples; // mesh with sampling
    Moving moving;   // mesh of a deforming collider
};

extern const ShapeKind shapePlane, shapeSphere, shapeBox, shapeCapsule, shapeConvex, shapeMesh, shapeSampled,
    shapeHeightfield;

static inline bool shapeIs(const vvShape *shape, ShapeTag tag)
{
    return shape->kind->tag == tag;
}

static inline bool movingIs(const vvShape *shape) // its points can move
{
    return shape->moving.start != NULL;
}

double boxGap(const vvBox *box, Vec3 p); // m, a lower bound of the distance from outside, 0 within

// out += scale (I - n n^T - e e^T); e zero for a sphere
void curvatureAdd(double *out, double scale, Vec3 normal, Vec3 along);

// What convex and mesh share, in mesh.c: questions to a closed surface.
ShapeSample closedSample(const vvShape *shape, Vec3 point, double limit, int hint);
void closedCurvature(const vvShape *shape, Vec3 point, double *out);
bool closedCast(const vvShape *shape, Vec3 origin, Vec3 direction, double farthest, double *distance);
void closedFacets(const vvShape *shape, vvBox near, FacetVisit visit, void *context);

vvResult checkLength(const char *name, double value); // a length of a definition: within the limits above
vvResult checkShapePoints(const vvShapeDef *def, int least);

static inline double vecGet(Vec3 a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

static inline Vec3 unitOr(Vec3 a, Vec3 otherwise)
{
    double length = vecLength(a);
    return length > 0 ? vecScale(1 / length, a) : otherwise;
}

static inline Vec3 pointAt(const double *points, int index)
{
    return vecLoad(points + 3 * (size_t)index);
}

#endif
