// Vertices against triangles and edges against edges of the bodies of an island, for the hard law: which of them are
// near, where they are nearest in a substep, and planes between them that neither passes.
#ifndef CONTACT_PROXIMITY_H
#define CONTACT_PROXIMITY_H

#include "base/workers.h"
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

// ---- what a body has: features.c ------------------------------------------------------------------------------------

// Facets are the triangles of a surface, or the segments of a rope. Each vertex and each edge belongs to the first facet that has
// it, so that two facets that meet tell every pair of theirs once.
typedef struct Features
{
    int count;       // facets
    int *corner;     // count x 3; the third of a segment is -1
    int *ownVertex;  // count x 3: -1: another facet's
    int *ownEdge;    // count x 3: numbers of edges; -1: another facet's
    int edgeCount;   //
    int *edge;       // edgeCount x 2
    int *surface;    // vertexCount: place among the vertices of the surface; -1: inside
    double length;   // m, mean length of an edge
    int vertexCount; //
    double *box;     // vertexCount x 6, m: lower, upper; where it may be while the list of pairs holds
    double *facet;   // count x 6: the same of facets
    int nodeCount;   //
    CollisionNode *node;
    int *order; // count
} Features;

// `corners` of each of the `count` facets, 3 or 2; rest: x 3. NULL: out of memory
Features *featuresCreate(Memory *memory, const CollisionMesh *mesh, int corners, int count, const int *facet);
void featuresDestroy(Memory *memory, Features *features);
void featuresRefit(Features *features);                                           // from `box` of the vertices
void featuresBoxPath(CollisionMesh *mesh, int vertex, Vec3 x, Vec3 displacement); // of a whole step

// Two facets whose boxes overlap; true: that is enough.
typedef bool (*FacetPair)(void *context, int a, int b);
bool featuresMeet(const Features *a, const Features *b, FacetPair pair, void *context); // a == b: each two once

// ---- the list of pairs: proximity.c ---------------------------------------------------------------------------------

typedef struct NearPair
{
    int vertex[4];   // of the island: a vertex and a triangle, or two edges
    int first;       // corners of the first: 1 or 2
    int member[2];   // of the island
    double radius;   // m, closer than this is overlap
    double friction; // Coulomb's coefficient
    PairContact
        *held;    // the pair contact (soft.h) of the same vertex and triangle, which tells others of it; NULL: none
    Vec3 impulse; // N s, of the substep before
} NearPair;

// A plane between the two of a pair: no corner passes it within a substep.
typedef struct Plane
{
    int pair;
    Closest at;
    double slack[4]; // m, of the corners from the plane where the substep starts
    double shift;    // m, that the plane moves along its normal
    bool fixed;      // it does not
    bool clipped;    // somebody would have passed it
} Plane;

typedef struct ProximityBody
{
    CollisionMesh *mesh;
    int offset; // of its vertices in the island
    int member;
    Vec3 couple; // N m s: what clipping took of its angular momentum
} ProximityBody;

enum
{
    CROSSED_VERTEX = 1, // of an edge or triangle that crosses another: there are no planes between two of these
    CROSSED_BODY = 2,   // something of its body does, or it is a solid: pair contacts part two of these
};

// Of an island. Lists keep their room from step to step; arrays over vertices are lent.
typedef struct Proximity
{
    Memory *memory;
    int bodyCount, vertexCount;
    ProximityBody *body; // bodyCount, lent
    bool known;          // there is a list: it holds while every vertex stays in its box, but for a common displacement
    bool incomplete;     // there was no memory for the list
    Vec3 middle;         // m, mean of all vertices when the list was made
    int count, capacity;
    NearPair *pair; // capacity
    Plane *plane;   // capacity
    int planeCount;
    Contact *contact; // contactRoom: where the contacts that were lent are too few
    int contactRoom;
    Vec3 common;            // m, that all vertices move in the substep, on average
    double *reach;          // vertexCount, m: how far they move at most beside it
    double *move;           // vertexCount x 3, m: how far they do
    unsigned char *crossed; // vertexCount: CROSSED_ of where the step began
    int crossings;          // of edges and triangles there
    long long clips;        // displacements that planes shortened, so far
} Proximity;

void proximityRelease(Proximity *proximity); // the lists

// A substep; arrays over the vertices of the island.
typedef struct ProximityView
{
    const double *x, *to;        // x 3, m: where it starts, without crossings, and where it would end
    const double *velocity;      // x 3, m/s, where it starts
    const unsigned char *pinned; //
    double h;                    // s, of the substep
    double ahead;                // s, from its start to the end of the step
    Workers *workers;            //
} ProximityView;

// Finds the planes of a substep, after the list of pairs where that does not hold any more.
void proximityPlanes(Proximity *proximity, const ProximityView *view);
void nearPlanes(Proximity *proximity, const ProximityView *view); // given list and reach: near.c
// A vertex moves farther than was foreseen: the planes must be found again.
bool proximityIsExceeded(const Proximity *proximity, const double *x, const double *to);
// Appends contacts where the planes are; pairs are elements of the term in the view. False: out of memory
bool proximityCollect(Proximity *proximity, const ContactView *view, ContactList *list);
// After the law: the impulses of all pairs are forgotten; then that of a contact is kept for the next substep of h s.
void proximityForgetImpulses(Proximity *proximity);
void proximityKeepImpulse(Proximity *proximity, const Contact *from, double h);
// Counts edges that pass through triangles, and marks the vertices of both: for these there are no planes.
void proximityFindCrossings(Proximity *proximity, const double *x);

// ---- planes.c -------------------------------------------------------------------------------------------------------

typedef struct PlaneState
{
    const double *start;         // x 3, m
    double *position;            // x 3, m: where the substep ends
    double *velocity;            // x 3, m/s, there; NULL: stays
    const double *mass;          // kg
    const unsigned char *pinned; //
    double *lost;                // J: what impulses at planes took; with `velocity`
} PlaneState;

// Shortens displacements so that nothing passes a plane; of the velocities at planes that were reached, what approaches is taken by
// impulses between both, which keep both momenta. False: there was nothing to shorten
bool planesClip(Proximity *proximity, const PlaneState *state);

#endif
