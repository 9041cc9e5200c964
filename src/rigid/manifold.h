// Inside the narrow phase: convex cores. Every convex shape is a core (a point, a segment, a triangle, a box or a hull)
// with a radius around it; cores are asked for vertices, faces and edges. Coordinates are in the world, relative to the
// position of the first shape, so that few digits are lost far from the origin.
#ifndef RIGID_MANIFOLD_H
#define RIGID_MANIFOLD_H

#include "rigid/rigid.h"

typedef enum CoreKind
{
    CORE_POINT,
    CORE_SEGMENT,
    CORE_TRIANGLE,
    CORE_BOX,
    CORE_HULL,
} CoreKind;

typedef struct Core
{
    CoreKind kind;
    Mat3 turn;
    Vec3 position;  // m, of the shape's origin
    Vec3 half;      // m, box; segment: half.y
    Vec3 corner[3]; // m, of a triangle, at its place
    Vec3 normal;    // of a triangle
    ShapeForm form; // of a hull
    double radius;  // m, around the core
    double size;    // m, the scale to which lengths are compared
    int vertexCount, faceCount, edgeCount;
} Core;

// The core of a convex shape; false: it is not convex.
bool coreMake(const vvShape *shape, const Pose *pose, Vec3 about, Core *core);
Core coreTriangle(const Vec3 corner[3]);

Vec3 coreVertex(const Core *core, int vertex);
int coreVertexName(const Core *core, int vertex);                    // the same for the same corner of a hull
int coreSupport(const Core *core, Vec3 direction);                   // the vertex that is farthest along it
Vec3 coreFaceNormal(const Core *core, int face);                     // unit, outward
Vec3 coreFacePoint(const Core *core, int face);                      // m, one of its corners
int coreFaceAlong(const Core *core, Vec3 direction, double *cosine); // the face most along it; -1: there are no faces

// An edge with the normals of the faces beside it.
typedef struct CoreEdge
{
    Vec3 start, along; // m
    Vec3 side[3];      // unit; a triangle's edge has three: its face, outward, its back
    int sides;         // 0: a segment, whose normals are all directions across it
    int name[2];       // of its vertices
} CoreEdge;

CoreEdge coreEdge(const Core *core, int edge);
vvBox coreBounds(const Core *core); // with the radius

// ---- distance and penetration: manifold_distance.c, manifold_axis.c -------------------------------------------------

// How two cores lie to each other, without their radii.
typedef struct Apart
{
    double distance;  // m; negative: the least translation that parts them
    Vec3 normal;      // unit, from b to a
    Vec3 onA, onB;    // m, the nearest points; of overlap by edges too, by a face not set
    bool points;      // they are set
    uint32_t feature; // of the vertices that they lie between
} Apart;

// The nearest points (Gilbert, Johnson and Keerthi 1988); false: the cores overlap or witness to rounding.
bool coreDistance(const Core *a, const Core *b, double limit, Apart *apart);

#define PREFER_FACE 1e-6 // of the size: by so much edges must be better than faces, which give more points

// The axis of least penetration of cores that overlap: faces of both, and pairs of edges whose normals cross on the
// unit sphere (Gregorius 2013).
void coreAxis(const Core *a, const Core *b, Apart *apart);

// The same of two boxes: manifold_boxes.c. Farther apart than `limit`, m, along any axis: that one.
void boxesAxis(const Core *a, const Core *b, double limit, Apart *apart);

// ---- points: manifold_clip.c, manifold_pair.c -----------------------------------------------------------------------

#define POLYGON_LIMIT 32

// A face as a polygon, counterclockwise about its normal; or a segment, or a point.
typedef struct Polygon
{
    int count;
    Vec3 point[2 * POLYGON_LIMIT];    // m
    uint32_t edge[2 * POLYGON_LIMIT]; // the edge from this point to the next
} Polygon;

void polygonOfFace(const Core *core, int face, Polygon *polygon);
// Clips to the prism over `by` along the normal. size: m, the scale of rounding.
void polygonClip(const Polygon *by, Vec3 normal, double size, Polygon *polygon);

static inline uint32_t featureMix(uint32_t a, uint32_t b)
{
    uint32_t h = (a ^ 0x9e3779b9u) * 0x85ebca6bu;
    h = (h ^ (h >> 15) ^ b) * 0xc2b2ae35u;
    return h ^ (h >> 13);
}

static inline uint32_t featureOfEdge(int a, int b)
{
    return featureMix((uint32_t)(a < b ? a : b), (uint32_t)(a < b ? b : a) + 1);
}

// A pair of nearest points before it is told in the frames of the shapes.
typedef struct Witness
{
    Vec3 onA, onB, normal; // m, relative; unit
    double distance;       // m
    uint32_t feature;
} Witness;

#define WITNESS_LIMIT 64

typedef struct Witnesses
{
    int count;
    Witness witness[WITNESS_LIMIT];
} Witnesses;

void witnessAdd(Witnesses *witnesses, Witness witness); // in place of the shallowest where there is no room

// The points of two cores that are nearer than `margin`.
void pairWitnesses(const Core *a, const Core *b, double margin, Witnesses *witnesses);
// The same with a face of `of` given as the one that pushes, whatever the axis is. swapped: `of` is a, else b.
void faceWitnesses(const Core *of, const Core *against, int face, bool swapped, double margin, Witnesses *witnesses);
void witnessesReduce(Witnesses *witnesses, int begin, int most); // of those from `begin`: the deepest and the widest

// Against a mesh or a heightfield, which is b.
void surfaceWitnesses(const Core *core, const vvShape *shape, const Pose *pose, Vec3 about, double margin,
                      Witnesses *witnesses);

#endif
