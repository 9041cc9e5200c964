// The shape room: rigid geometry by its signed distance. One kind, one file.
#ifndef SHAPE_SHAPE_H
#define SHAPE_SHAPE_H

#include "base/base.h"
#include "base/vec.h"
#include "shape/facet.h"

#include <verve/shape.h>

// What a point finds: how far the surface is, and in which direction the distance grows.
typedef struct ShapeSample
{
    double distance;  // m, negative inside; never exact beyond the limit asked for, but then not below it
    Vec3 normal;      // unit; zero beyond the limit
    double shortfall; // 1 - |gradient of the distance|: 0 for exact distances, others are flatter next to edges
    int feature; // triangle nearest to the point, in an order of the shape's own; -1 where there is none. A hint for
                 // the next call. Last: between doubles, copies of it wait for its store
} ShapeSample;

// The distance at `point` (the shape's own frame) if it is below `limit` (m, at least 0), however deep inside the point
// is; beyond, anything not below the limit. `hint`: the feature of a former call near by, or -1; it saves time and
// changes no bit of the answer.
ShapeSample shapeSample(const vvShape *shape, Vec3 point, double limit, int hint);

// The same at a moment of the step, from 0 to 1: it differs for shapes whose points move (moving.c).
ShapeSample shapeSampleAt(const vvShape *shape, double moment, Vec3 point, double limit, int hint);

// Second derivative of the distance at `point`, 3 x 3 row major, symmetric: about a corner (I - n n^T) / distance,
// about an edge e (I - n n^T - e e^T) / distance, over faces 0, of a sphere (I - n n^T) / |point|. On the edge
// itself 0.
void shapeCurvature(const vvShape *shape, double moment, Vec3 point, double *out /* 9 */);

// Where a ray from `origin` along the unit `direction` first enters the shape, up to `farthest` m, 0 from inside.
// False: it does not.
bool shapeCast(const vvShape *shape, Vec3 origin, Vec3 direction, double farthest, double *distance);

// The same for a ball of this radius; 0 where it touches at the start.
bool shapeSweep(const vvShape *shape, Vec3 centre, double radius, Vec3 direction, double farthest, double *distance);

bool shapeOverlapsBox(const vvShape *shape, const TurnedBox *box); // touches it, or one holds the other

// What a shape is made of, for those who need its features rather than its distance (form.c). Fields that the kind does
// not have are 0.
typedef struct ShapeForm
{
    vvShapeKind kind;
    double radius;                     // m, sphere and capsule
    Vec3 half;                         // m, box; capsule: half.y, half the axis
    Vec3 normal;                       // plane: normal . x = offset
    double offset;                     // m
    bool sampled;                      // a mesh that has distances and no facets
    int faceCount;                     // triangles of a convex shape or a mesh
    const double *corner, *faceNormal; // faceCount x 9, m; faceCount x 3, unit and outward
    const int *point;                  // faceCount x 3: numbers of the corners, the same for the same point
    const int *neighbour;              // faceCount x 3: the triangle across the edge of corners i and i + 1
} ShapeForm;

ShapeForm shapeForm(const vvShape *shape);

// Calls `visit` for the facets of the boundary that may meet a box, until it returns false; a plane and a sampled mesh
// have none.
typedef bool (*FacetVisit)(const Facet *facet, void *context);
void shapeFacets(const vvShape *shape, vvBox near, FacetVisit visit, void *context);

// The boundary as triangles that wind outward, for pictures; a plane has none.
typedef struct ShapeTriangles
{
    double *point; // pointCount x 3
    int *triangle; // triangleCount x 3
    int pointCount, triangleCount;
} ShapeTriangles;

bool shapeTriangulate(const vvShape *shape, Memory *memory, ShapeTriangles *out); // false: out of memory
void shapeTrianglesFree(Memory *memory, ShapeTriangles *triangles);
bool shapeIsPlane(const vvShape *shape, Vec3 *normal, double *offset); // false: something else; both may be NULL

void shapeRetain(vvShape *shape);
void shapeRelease(vvShape *shape);

// ---- moving.c: a mesh whose points move in a step -------------------------------------------------------------------

// A mesh with exact distances of its own points, which can be moved; NULL on failure.
vvShape *shapeCreateMoving(const vvShape *from, const vvAllocator *allocator, vvResult *result);
vvResult shapeCheckPoints(const vvShape *shape, const double *points, int count); // as many, and finite
void shapeMovePoints(vvShape *shape, const double *points); // where they are at the end of the step
void shapeArrive(vvShape *shape);                           // the end of the step is the start of the next
bool shapeIsMoving(const vvShape *shape);                   // in the step
double shapeFarthest(const vvShape *shape);                 // m, that a point moves in the step; 0: it does not move
vvBox shapeSweptBounds(const vvShape *shape);               // over the step

// pointCount x 3, m, at the start and the end of the step, to be saved and loaded; then shapeReload.
int shapeMovingPoints(const vvShape *shape, double **start, double **end);
void shapeReload(vvShape *shape);
uint64_t shapeTopologyHash(const vvShape *shape); // of a mesh: counts and corners

// m, what the surface next to `point` moves in the whole step, its place being that at `moment`. feature: of a sample
// there, or -1.
Vec3 shapeCarry(const vvShape *shape, double moment, Vec3 point, int feature);
// A direction that goes along with a triangle from one moment to another.
Vec3 shapeTurn(const vvShape *shape, int feature, double from, double to, Vec3 direction);

// ---- triangles: triangle.c ------------------------------------------------------------------------------------------

typedef enum Region
{
    REGION_FACE,
    REGION_EDGE0, // between corners 0 and 1; then 1 and 2, 2 and 0
    REGION_EDGE1,
    REGION_EDGE2,
    REGION_CORNER0,
    REGION_CORNER1,
    REGION_CORNER2,
} Region;

// The point of a triangle nearest to `point`, and where on the triangle it is.
Vec3 triangleNearest(const double *corners /* 3 x 3 */, Vec3 point, Region *region);

// ---- split.c: trees of boxes ----------------------------------------------------------------------------------------

// Rearranges order[first, end) so that it can be cut in two at the place returned: at the median of the middles (x 3
// for every thing) along the axis on which they spread most.
int splitAtMedian(const double *middle, int *order, int first, int end);

#endif
