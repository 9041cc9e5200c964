// What a picture of bodies shows at one moment, and how: bodies, colliders, fluids, springs; the camera; the panel that
// is drawn. Pictures of worlds (live.c) and of recorded runs (the tool) are made by the same functions.
#ifndef STUDIO_SHOW_H
#define STUDIO_SHOW_H

#include "contact/contact.h"
#include "draw/draw.h"
#include "record/replay.h"
#include "shape/shape.h"

#include <verve/studio.h>

#define MOST_FLUIDS 64
#define MOST_MARKERS 24 // pins of a body that are marked; more of them are a clamp, not pins

typedef struct ShownBody
{
    vvSoftBodyId id;
    const vvMesh *mesh;
    bool embedded;           // what is seen is the surface that a cage carries; else the mesh
    int vertexCount;         // of what is seen
    const double *rest;      // vertexCount x 3
    const int *triangle;     // triangleCount x 3
    int triangleCount;       //
    const int *line;         // lineCount x 2, of a rope
    int lineCount;           //
    bool changed;            // the frame at hand has another mesh than the scene's: `shown`
    bool numbered;           // in which the scene's vertices have their numbers
    ReplayMesh shown;        // its owner, the run, releases it
    double *restNow;         // vertexCount x 3, of its vertices; NaN where it is not known
    int room;                // vertices that the arrays below have places for
    double *points, *before; // vertexCount x 3: the frame at hand, and the one before it
    double *field;           // vertexCount, not scaled
    double *weight;          // vertexCount, for means
    double size;             // m, of its box at rest or in the first frame, the larger
    bool solid;              // tets, or a closed surface
    int finiteCount;         // vertices with a finite position in the first frame
    bool startsTorn;         // it starts crumpled (deform): long edges say nothing
} ShownBody;

typedef struct ShownCollider
{
    const vvShape *form;  // its geometry, of the world's
    ShapeTriangles shape; // in its own frame; none: a plane
    Pose pose;            // in the frame at hand
    double *points;       // shape.pointCount x 3: where they are in the frame at hand
    bool deforms;         // and are not where the pose puts those of the shape
    bool plane;           //
    Vec3 normal;          // of a plane, in the frame at hand
    double offset;        //
    bool glass;           // it hides bodies from the eye
    int rigid;            // the rigid body that it is; -1: scenery
} ShownCollider;

// Where a joint holds a body.
typedef struct ShownEnd
{
    int rigid;  // the body: `point` is in the frame of its first shape; -1: the world
    Vec3 point; // m
} ShownEnd;

// Of a joint that is a rope or a rod.
typedef struct ShownRope
{
    ShownEnd end[2];
    bool wheels;   // it goes over two
    Vec3 wheel[2]; // m
} ShownRope;

typedef struct ShownFluid
{
    double *points; // room x 3: the frame at hand
    int count, room;
    double spacing; // m
} ShownFluid;

typedef struct Show
{
    Memory *memory;
    int bodyCount;
    ShownBody *body; // bodyCount
    int colliderCount;
    ShownCollider *collider; // colliderCount, rigid bodies behind the others
    ShownFluid fluid[MOST_FLUIDS];
    int fluidCount;
    vvAttachmentDef *spring; // springCount: those between bodies
    int springCount;
    ShownRope *rope; // ropeCount: those of joints
    int ropeCount;
    double *trail;               // trailCount x trailPlaces x 3: paths of vertices, NaN where they have none
    int *trailBody;              // trailCount: whose vertex it is
    int trailCount, trailPlaces; //
    int trailShown;              // places up to the frame at hand
} Show;

typedef struct Look
{
    vvColouring colouring;
    double fieldMost; // what the top of the colour map means
    Camera camera;
    bool follow;    // the camera is about the middle of the bodies
    double size;    // m, of what is seen: ropes scale with it
    vvBox box;      // m, of the bodies over all frames
    double largest; // m, of the bodies in one frame
    Vec3 centre;    // m, of what is seen
    bool curves;
    bool particles;          // of fluids, instead of their surface
    const uint32_t *colours; // colourCount, 0xRRGGBB: of the bodies, in turn; NULL: well apart from each other
    int colourCount;
} Look;

// ---- show.c ---------------------------------------------------------------------------------------------------------

void showRelease(Show *show); // a zeroed one is fine

bool showPoints(const Show *show, int index, const double **points, int *count); // of what moves; false past the last
double showRadius(const Show *show, int index);                // m, of particles; 0: its points are points
void showBounds(const Show *show, vvBox *box);                 // grows the box by the frame at hand
Vec3 showMiddle(const Show *show);                             // m, mean of what is finite in the frame at hand
int pointsBounds(const double *points, int count, vvBox *box); // likewise; returns how many are finite

// ---- body.c ---------------------------------------------------------------------------------------------------------

bool shownBodyStart(Memory *memory, ShownBody *body, vvSoftBodyId id); // false: out of memory
void shownBodyMesh(ShownBody *body);                                   // shows the mesh of the body
bool shownBodyReserve(Memory *memory, ShownBody *body, int count);     // false: out of memory
void shownBodyFree(Memory *memory, ShownBody *body);

// ---- field.c --------------------------------------------------------------------------------------------------------

// Largest |principal stretch - 1| of the surface, or of the edges of a rope, averaged around each vertex.
void fieldStrain(ShownBody *body);
void fieldSpeed(ShownBody *body, double seconds); // m/s; seconds: since `before`

// ---- collider.c -----------------------------------------------------------------------------------------------------

// `rigid`: the rigid body that it is a shape of, or -1. False: out of memory.
bool shownColliderStart(Memory *memory, ShownCollider *collider, const vvShape *form, int rigid);
void shownColliderFree(Memory *memory, ShownCollider *collider);
// `moved`: shape.pointCount x 3, of one that deforms, in its frame; NULL: those of its shape
void shownColliderPlace(ShownCollider *collider, Pose pose, const double *moved);

void collidersFit(const Show *show, double largest, CameraFit *fit); // those of at most `largest` m; no planes

// The height of the highest level plane in the frame at hand; NaN: there is none, and no floor is drawn.
double collidersGround(const Show *show);
bool colliderIsLevel(const ShownCollider *collider); // a plane that is ground
void colliderSlab(const ShownCollider *collider, const Look *look,
                  double points[12]);                                // corners of a tilted plane's piece
bool collidersAdd(const Show *show, const Look *look, Stage *stage); // false: out of memory

// ---- glass.c --------------------------------------------------------------------------------------------------------

void glassFind(Show *show, Vec3 eye); // colliders that hide most of a body or fluid from the eye become glass

// ---- rope.c ---------------------------------------------------------------------------------------------------------

// Those of the joints of a world; false: out of memory.
bool ropesFind(Show *show, vvWorldId world);
bool ropesAdd(const Show *show, const Look *look, double least, Stage *stage); // `least`: m, radius; false: no memory

// ---- fluid.c --------------------------------------------------------------------------------------------------------

Colour fluidColour(int index);
bool fluidsAdd(const Show *show, const Look *look, Stage *stage); // false: out of memory

// ---- seen.c: what a camera has to see -------------------------------------------------------------------------------

// sums over a field: its usual top is three deviations above the mean, or the largest value if that is less
typedef struct FieldSums
{
    double count, sum, square, most;
} FieldSums;

typedef struct Seen
{
    vvBox box;      // of the bodies, over all frames
    double largest; // m, of the bodies in one frame
    FieldSums sums;
    bool stays;              // the camera does not follow: trails are seen
    CameraFit still, moving; // of what is seen, and of the bodies about their middle
} Seen;

Seen seenStart(void);
void seenMeasure(Seen *seen, const Show *show, vvColouring colouring);  // of every frame, before
void seenFrom(Seen *seen, Vec3 back, double shape, double fieldOfView); // where the camera is to be, then
void seenFit(Seen *seen, const Show *show);                             // of every frame
double seenFieldMost(const Seen *seen);
bool seenFollows(const Seen *seen); // the bodies go so far that the camera goes with them

// The camera that sees all of it. A given eye or target (NULL: none) is kept.
void seenPlace(const Seen *seen, const Vec3 *eye, const Vec3 *target, Look *look);

// ---- panel.c --------------------------------------------------------------------------------------------------------

Camera lookCamera(const Look *look, const Show *show); // for the frame at hand

// What is shown, in a rectangle.
vvResult panelShow(const Show *show, const Look *look, Stage *stage, Picture *picture, Rect rect);
void panelCaption(Picture *picture, Rect rect, const char *left, const char *right);
void panelScale(const Look *look, Picture *picture, Rect rect); // the colour map with its ends named

// ---- live.c ---------------------------------------------------------------------------------------------------------

vvResult showWorld(Show *show, Memory *memory, vvWorldId world, vvColouring colouring); // release it even on failure

#endif
