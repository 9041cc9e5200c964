// Vertices against triangles and edges against edges of the bodies of an island, for the hard law: which of them are
// near, where they are nearest in a substep, and planes between them that neither passes.
#ifndef CONTACT_PROXIMITY_H
#define CONTACT_PROXIMITY_H

#include "base/isa.h"
#include "base/workers.h"
#include "contact/box_kernels.h"
#include "contact/flat_kernels.h"
#include "contact/near_kernels.h"
#include "contact/plane_kernels.h"
#include "contact/soft.h"

// ---- two simplices: closest.c ---------------------------------------------------------------------------------------

// Where two simplices of four corners in all are nearest.
typedef struct Closest
{
    double weight[4]; // of the corners: those of the first sum to 1, those of the second to -1
    Vec3 normal;      // unit, from the second to the first; 0 where they meet
    double distance;  // m
} Closest;

Closest closestVertexTriangle(const Vec3 corner[4]); // a vertex, and the three of a triangle
Closest closestEdges(const Vec3 corner[4]);          // two of each; parallel ones and points are fine

// ---- what a body has: features.c, feature_boxes.c -------------------------------------------------------------------

typedef enum FeatureKind
{
    FEATURE_VERTEX,
    FEATURE_EDGE,
    FEATURE_FACET,
    FEATURE_RIDGE, // the edges that are sharp, once more
    FEATURE_KINDS,
} FeatureKind;

#define FEATURES_LEAF 16 // facets, at most
// features of two leaves that overlap, at most: edges, and the vertices of each with the facets of the other
#define FEATURES_PAIRS (15 * FEATURES_LEAF * FEATURES_LEAF)

typedef struct Flat Flat; // flat.c

// A node of the tree over the facets; children are stored after their parents.
typedef struct FeatureNode
{
    double lower[3], upper[3];                     // m
    int first, count;                              // facets of a leaf: places in `order`; count 0: a fork
    int left, right;                               // of a fork
    bool marked;                                   //
    int pack[FEATURE_KINDS], lanes[FEATURE_KINDS]; // of a leaf: its first pack (box_kernels.h) and lanes in use
} FeatureNode;

// Facets are the triangles of a surface, or the segments of a rope. Each vertex and each edge belongs to the first
// facet that has it, so that two facets that meet tell every pair of theirs once.
typedef struct Features
{
    Isa isa;         // of the kernels
    int count;       // facets
    int *corner;     // count x 3; the third of a segment is -1
    int *ownVertex;  // count x 3: -1: another facet's
    int *ownEdge;    // count x 3: numbers of edges; -1: another facet's
    int edgeCount;   //
    int *edge;       // edgeCount x 2
    int *beside;     // edgeCount x 2: facets that an edge belongs to, two at most; -1: none
    int *across;     // count x 3: the other facet at the side from a corner to the next; -1: none, or several
    bool *sharp;     // edgeCount: between two facets, where a solid is convex and not nearly flat at rest
    int *surface;    // vertexCount: place among the vertices of the surface; -1: inside
    double length;   // m, mean length of an edge
    int vertexCount; //
    int nodeCount;   //
    FeatureNode *node;
    int *order;    // count: facets of leaves
    int packCount; //
    BoxPack *pack; // packCount
    float *box;    // vertexCount x 8, m: lower, 0, upper, 0
    Flat *flat;    // of a sheet that is flat and convex at rest; NULL: it is none
} Features;

// `corners` of each of the `count` facets, 3 or 2; rest: x 3. NULL: out of memory
Features *featuresCreate(Memory *memory, const CollisionMesh *mesh, int corners, int count, const int *facet);
void featuresDestroy(Memory *memory, Features *features);
// of a vertex, m, from an origin that all have that may meet
void featuresSetBox(Features *features, int vertex, const double lower[3], const double upper[3]);
void featuresBoxPath(CollisionMesh *mesh, int vertex, Vec3 x, Vec3 displacement); // of a whole step
void featuresRefit(Features *features, Workers *workers);                         // all, from those of the vertices
// of leaves with a vertex that has this mark; marks the nodes with such leaves, and no others
void featuresRefitMarked(Features *features, const unsigned char *marks, unsigned char mark, Workers *workers);

// Two leaves whose boxes overlap; true: that is enough.
typedef bool (*LeafPair)(void *context, int a, int b);
// a == b: each two once; `marked`: no two without a mark; `parted`: no two of one sheet that keep apart (flatParts)
bool featuresMeet(const Features *a, const Features *b, bool marked, bool parted, LeafPair pair, void *context);
// Features of two leaves that overlap, but for those of one body that have a corner in common; a leaf and itself, of
// one kind: each two once; `marked`: no two without a mark; `closer`: m, by which boxes must overlap. Returns how many.
int featuresPairs(const Features *a, int leafA, FeatureKind kindA, const Features *b, int leafB, FeatureKind kindB,
                  bool marked, double closer, BoxPair *pair);

// ---- the list of pairs: near_paths.c, near_list.c -------------------------------------------------------------------

typedef struct NearPair
{
    int member[2];   // of the island
    double friction; // Coulomb's coefficient
    PairContact
        *held;      // the pair contact (soft.h) of the same vertex and triangle, which tells others of it; NULL: none
    Vec3 impulse;   // N s, of the substep before
    int told;       // where edge contacts tell of it, if none does
    int feature[2]; // two edges, or a vertex and a facet, of the features of both
    int triangle;   // of the second's surface, that it has or that its edge belongs to; -1: it is a rope
} NearPair;

// What is looked at of all pairs.
typedef struct NearName
{
    int vertex[4];       // of the island: a vertex and a triangle, or two edges
    float range;         // m: pairs that come no closer in a substep are left out of it
    unsigned char first; // corners of the first: 1 or 2
    bool inner;          // only nearest points within both edges make a contact: vertices and triangles have the others
    bool pressed;        // there is an impulse
    double radius;       // m, closer than this is overlap
} NearName;

// Where a vertex may be while the list holds for it, against the mean of all vertices of the island.
typedef struct NearPath
{
    Vec3 from;         // m
    Vec3 rate;         // m/s
    double slack;      // m, to all sides of where that leads
    double begin, end; // s, before the end of the step: when it was made, and how long it holds
} NearPath;

// A plane between the two of a pair: no corner passes it within a substep. Lanes know how the numbers lie
// (plane_kernels.h).
typedef struct Plane
{
    Closest at;
    double slack[4]; // m, of the corners from the plane where the substep starts
    double shift;    // m, that the plane moves along its normal
    double gap;      // m, where forces are taken, beyond what the pair keeps; where contacts are collected
    double radius;   // m, as of its pair, and so on:
    int vertex[4];   //
    int pair;        //
    unsigned first : 8;
    unsigned inner : 1, pressed : 1;
    unsigned reaches : 1; // it is within reach there
    unsigned fixed : 1;   // it does not move
    unsigned clipped : 1; // somebody would have passed it
} Plane;

typedef struct ProximityBody
{
    CollisionMesh *mesh;
    int offset; // of its vertices in the island
    int member;
    Vec3 couple;  // N m s: what clipping took of its angular momentum
    Vec3 centre;  // m, mean of its vertices where the step began
    bool reached; // it had impulses at planes in this step
} ProximityBody;

enum
{
    CROSSED_VERTEX = 1, // of an edge or triangle that crosses another: there are no planes between two of these
    CROSSED_BODY = 2,   // something of its body does, or it is a solid: pair contacts part two of these
    SOLID_VERTEX = 8,   // of a body that has an inside
    LOOSE_VERTEX = 4,   // planes may change its displacement in this substep
    STRAY_VERTEX = 16,  // it is not where its path leads, or that has ended
    SOON_VERTEX = 32,   // it is off by much of what it may
};

// An edge that passes through a triangle, and where it has to go.
typedef struct Tangle
{
    int vertex[4];    // of the island: the edge, and two corners of the triangle nearby
    double weight[4]; // as of Closest
    int member[2];    // of the island
    Vec3 normal;      // unit: along it the edge moves against the triangle
} Tangle;

// Of an island. Lists keep their room from step to step; arrays over vertices are lent.
typedef struct Proximity
{
    Memory *memory;
    int bodyCount, vertexCount;
    ProximityBody *body; // bodyCount, lent
    bool known;          // there is a list: it holds for every vertex that stays near its path
    bool incomplete;     // there was no memory for the list
    int count, capacity;
    NearPair *pair; // capacity
    NearName *name; // capacity
    Plane *plane;   // capacity
    int planeCount;
    int *pressed; // capacity: pairs with an impulse
    int pressedCount;
    double pressedFor;       // s, of the substep that impulses are for
    struct NearBatch *batch; // near_list.c
    int *seen;               // seenRoom, a power of two: numbers of pairs of what strays, by their corners; -1: none
    int seenRoom;
    Contact *contact; // contactRoom: where the contacts that were lent are too few
    int contactRoom;
    double room;            // m, by which displacements may change before planes must be found again
    Vec3 common;            // m, that all vertices move in the substep, on average
    double *reach;          // vertexCount, m: how far they move at most beside it, where planes change displacements
    double *move;           // vertexCount x 3, m: how far they move
    double *carried;        // vertexCount x 3, m: how far pins take them along (carry.c),
    int *group;             // vertexCount: of these pins, and of pins themselves; -1: of none
    bool carries;           // somebody went along with pins in the substep
    NearPath *path;         // vertexCount
    float *field;           // vertexCount x 8: as of NearField (near_kernels.h)
    double doubt;           // m, of that
    unsigned char *crossed; // vertexCount: CROSSED_ of where the step began, LOOSE_ of the substep
    int tangleCount, tangleRoom;
    Tangle *tangle;  // tangleRoom
    int crossings;   // of edges and triangles there
    long long clips; // displacements that planes shortened, so far
} Proximity;

void proximityRelease(Proximity *proximity); // the lists

// Keeps what a contact of two features of these bodies gave in a substep of length h. `about` has what the contact does
// not know: first, triangle and radius. `place` is where the same two were kept before, or -1, and is set. What finds
// no memory is left out.
void edgeContactKeep(const ProximityBody *a, const ProximityBody *b, Memory *memory, const Contact *contact, double h,
                     EdgeContact about, int *place); // edge_contact.c

// At the end of a step, or of a list, features keep the impulses of their pairs; nearHeld tells them for a pair that is
// listed anew: N, on the first (feature_hold.c).
void proximityHold(Proximity *proximity);
Vec3 nearHeld(const Proximity *proximity, int pair);

// A substep; arrays over the vertices of the island.
typedef struct ProximityView
{
    const double *x, *to;        // x 3, m: where it starts, without crossings, and where it would end
    const unsigned char *pinned; //
    double h;                    // s, of the substep
    double ahead;                // s, from its start to the end of the step
    double reach;                // m: pairs that stay farther beyond their radius make no contact; 0: all do in range
    Workers *workers;            //
} ProximityView;

#define NEAR_AROUND 1.25 // of the radius: pairs within it are looked at in a substep

// Vertices in tasks: all of the island, or those of surfaces, which belong to one body each. Returns the sum of what
// the tasks count.
typedef struct NearSlice
{
    Proximity *proximity;
    const ProximityView *view;
    const void *context;       //
    const ProximityBody *body; // of a surface
    int begin, end;            // vertices of the island, or places in the list of the surface
    double largest;            // m, that the task found
} NearSlice;

typedef int (*NearSliceTask)(NearSlice *slice);
int nearEachVertex(Proximity *proximity, const ProximityView *view, NearSliceTask task, const void *context,
                   double *largest);
int nearEachSurface(Proximity *proximity, const ProximityView *view, NearSliceTask task, const void *context);

double nearRadius(const CollisionMesh *a, const CollisionMesh *b); // m, that two bodies keep
// Solids meet by pair contacts: planes between them, and within one that turns, gained energy.
bool nearMayMeet(const CollisionMesh *a, const CollisionMesh *b);
int nearStrays(Proximity *proximity, const ProximityView *view); // marks those that stray; returns how many
void nearPathsMake(Proximity *proximity, const ProximityView *view, bool loosely); // and boxes
void nearPathsMend(Proximity *proximity, const ProximityView *view);               // of those that stray
// `loosely`: paths have room for the reach of all vertices as well
void nearListMake(Proximity *proximity, const ProximityView *view, bool loosely);
void nearListMend(Proximity *proximity, const ProximityView *view); // given marks: adds the pairs of what strays

// ---- where a sheet cannot come near itself: flat.c, flat_make.c --------------------------------------------------

bool flatCreate(Memory *memory, Features *features, const double *rest); // false: out of memory
void flatDestroy(Memory *memory, Flat *flat);
// Given the field of where vertices are, of all bodies: where nothing comes into range of its own sheet in the substep.
// Where that ends, marks vertices as straying, and returns how many. `anew`: it may begin
int flatLook(Proximity *proximity, const ProximityView *view, bool anew);
bool flatParts(const Features *features, int nodeA, int nodeB); // no two of their features come into range
// Before a step, given boxes around paths: which vertices have nothing of their own sheet in range where they are
void flatFindAlone(CollisionMesh *mesh);
bool flatIsAlone(const Features *features, int vertex); // as of the last time

// ---- which pairs may come into range: near_sieve.c ------------------------------------------------------------------

// vertices follow their paths from the start of a substep on; or move from there as `move` has it
void nearFieldPaths(Proximity *proximity, const ProximityView *view);
void nearFieldMoves(Proximity *proximity, const ProximityView *view);
void nearFieldStill(Proximity *proximity, const ProximityView *view); // or stay there

// Pairs go through in any number; who passes is told by their numbers, at the end for all.
typedef struct NearSieve
{
    const Proximity *proximity;
    double reach; // m: as of ProximityView
    bool *passes; // of numbers
    // those that wait, of vertices and triangles and of edges; rows of lanes that nobody uses are those of a vertex
    NearLanes lanes[2];
    int count[2], number[2][NEAR_LANES];
} NearSieve;

void nearSieveAdd(NearSieve *sieve, int number, const NearName *pair);
void nearSieveEnd(NearSieve *sieve);

// ---- a substep: proximity.c, near.c ---------------------------------------------------------------------------------

// Finds the planes of a substep between what may meet in it, after the list of pairs where that does not hold any more.
void proximityPlanes(Proximity *proximity, const ProximityView *view);
// Displacements are not those that were foreseen: the planes must be found again.
bool proximityIsExceeded(Proximity *proximity, const ProximityView *view);
// Some planes are passed: finds all that are needed where displacements change.
void proximityLoosen(Proximity *proximity, const ProximityView *view);
// Both given the list: planes for displacements as they are, in the field; for any of loose vertices within their reach
void nearPlanes(Proximity *proximity, const ProximityView *view);
void nearPlanesLoose(Proximity *proximity, const ProximityView *view);
// Of two simplices that move:
bool nearApart(const Vec3 at[4], const Vec3 by[4], int first, double least); // their boxes stay so far apart
bool nearGrow(Proximity *proximity, const ProximityView *view); // marks what loose vertices may reach; false: nothing
// Appends contacts where the planes are; pairs are elements of the term in the view. False: out of memory
bool proximityCollect(Proximity *proximity, const ContactView *view, ContactList *list);
// Given where the substep starts: a vertex that a triangle has at its rim, and another triangle holds (voronoi.c).
bool nearIsElsewhere(const Proximity *proximity, const double *x, const Plane *plane);
// After the law: the impulses of all pairs are forgotten; then that of a contact is kept for the next substep of h s,
// in any order, and is listed. True: it is one that no pair contact tells of.
void proximityForgetImpulses(Proximity *proximity);
bool proximityKeepImpulse(const Proximity *proximity, const Contact *from, double h);
void proximityListImpulse(Proximity *proximity, const Contact *from, double h);
// Counts edges that pass through triangles, and marks the vertices of both: for these there are no planes.
void proximityFindCrossings(Proximity *proximity, const double *x, Workers *workers);

// ---- planes in lanes: plane_lanes.c --------------------------------------------------------------------------------

// Of the pairs from one on that pass, the planes in the middle between their nearest points; not of those that have
// met. Returns how many.
int planesMake(const Proximity *proximity, const double *x, int begin, int count, const bool *passes, Plane *plane);
// Gaps where forces are taken, and what is within reach there.
void planesReach(const Proximity *proximity, const ContactView *view, Plane *plane, int count);
// Of planes by their numbers: where the two of their pairs are nearest, given where vertices are.
#define PLANES_AT_ONCE 32
void planesNearest(const Proximity *p, const double *x, const int *number, int count, Closest *nearest);
// Where planes go, given displacements, of PLANE_LANES at most; `passed` is set where a corner passes one. False: there
// are pins among them, and nothing was done
bool planesPlace(const Proximity *proximity, Plane *plane, int count, const unsigned char *pinned, bool *passed);
Plane planeBetween(const Proximity *proximity, int pair, const Vec3 at[4], const Closest *closest, double share);

// ---- planes.c -------------------------------------------------------------------------------------------------------

typedef struct PlaneState
{
    const double *start;         // x 3, m
    double *position;            // x 3, m: where the substep ends
    double *velocity;            // x 3, m/s, there; NULL: stays
    const double *mass;          // kg
    const unsigned char *pinned; //
    double *lost;                // J: what impulses at planes took; with `velocity`
    Workers *workers;            //
    // contacts with colliders, into which planes push nobody; their gaps are those after `half` s from the start at
    // the velocities there
    const Contact *floor;        // floorCount
    int floorCount;              //
    double half;                 // s, of the substep
    const double *startVelocity; // x 3, m/s
} PlaneState;

// Somebody passes a plane; marks the vertices of both as loose.
bool planesArePassed(Proximity *proximity, const PlaneState *state);
// Shortens displacements so that nothing passes a plane; of the velocities at planes that were reached, what approaches
// is taken by impulses between both, which keep both momenta. False: there was nothing to shorten
bool planesClip(Proximity *proximity, const PlaneState *state);
// carry.c: pins are in groups, and nobody goes along with them; then a vertex does, given how far they move
void carryBegin(Proximity *proximity, const unsigned char *pinned);
void carryWith(Proximity *proximity, const PlaneState *state, int vertex, int group);

#endif
