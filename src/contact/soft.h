// Soft against soft: vertices of one body against triangles of another, or of its own. What a vertex holds on to is a
// grip; it is chosen anew before every step and frozen within it, so that the gap is linear in x and the energy of
// contact convex. The energy (pair.c) is made of the grips for each step; between steps they are all there is.
#ifndef CONTACT_SOFT_H
#define CONTACT_SOFT_H

#include "contact/contact.h"

#define GRIPS 4 // triangles that one vertex can touch at the same time

typedef struct Grip
{
    int other;        // slot of the body that has the triangle; -1: none
    int triangle;     // of its surface
    double share[3];  // of the corners in the point that is touched
    double normal[3]; // unit, from the triangle to the vertex
    double radius;    // m, closer than this is overlap
    double weight;    // N/m
    double friction;  // Coulomb's coefficient
    double force;     // N, normal force at the last stage; 0: it did not touch, there is no anchor
    double offset[3]; // m, from the anchor, tangential
} Grip;

// A node of the tree over the triangles of a skin; children stand behind their parents.
typedef struct SkinNode
{
    double lower[3], upper[3]; // m
    int first, count;          // triangles of a leaf: places in `order`; count 0: a fork
    int left, right;           // of a fork
} SkinNode;

// The surface of a body as other bodies feel it. Arrays over the body's vertices, in the mesh's order.
typedef struct Skin
{
    // what it is; borrowed arrays live as long as the body
    int slot;                //
    int surfaceCount;        // vertices of the surface
    const int *vertex;       // surfaceCount
    const double *area;      // surfaceCount, m^2
    int vertexCount;         //
    int triangleCount;       // 0: a rope
    const int *triangle;     // triangleCount x 3
    const double *rest;      // vertexCount x 3
    bool closed;             // a solid: outward triangles, one side
    bool self;               // meets itself
    double edge;             // m, mean length of an edge of the surface
    double stiffness;        // N/m^3
    double radius;           // m, half the thickness of a sheet
    double friction;         // below 0: the other's
    uint32_t category, mask; //

    // where it is: set before a search
    const double *x, *v, *pinTarget; // vertexCount x 3
    const unsigned char *pinned;     // vertexCount
    Vec3 drift;                      // m, mean way of its surface in the step
    double spread;                   // m, how far a way differs from it at most
    Vec3 lower, upper;               // box of its surface

    // the tree, see tree.c
    SkinNode *node;
    int nodeCount;
    int *order; // triangleCount

    // what it holds on to
    Grip *grip, *marked;                      // surfaceCount x GRIPS, by (other, triangle); as of skinMark
    double *load;                             // vertexCount, N/m: what pairs put on the diagonal of matrices now
    double *held, *markedHeld;                // vertexCount, N/m: not below `load`, rounded up
    unsigned char *patience, *markedPatience; // vertexCount: steps that `held` was more than needed
    double released;                          // J, what anchors held that were let go before the step
} Skin;

// NULL: out of memory. `surface` lends its vertices and areas.
Skin *skinCreate(Memory *memory, const ContactBody *surface, int vertexCount, int triangleCount, const int *triangle,
                 const double *rest);
void skinDestroy(Memory *memory, Skin *skin);
void skinMark(Skin *skin);   // remembers what it holds: at the start of a step
void skinRewind(Skin *skin); // back to the mark: when a step is undone
void skinForget(Skin *skin); // lets go of everything

// ---- the tree: tree.c --------------------------------------------------------------------------------------------------

bool skinPlant(Memory *memory, Skin *skin); // false: out of memory
void skinRefit(Skin *skin);                 // boxes, from x

typedef struct SkinHit
{
    int triangle;
    double share[3];
    Vec3 point;      // of the triangle, nearest
    Vec3 face;       // unit normal of the triangle
    Vec3 direction;  // unit, from the point to where it was asked from
    double distance; // m
} SkinHit;

// What a vertex asks the skin for.
typedef struct SkinQuery
{
    const Skin *skin;
    int self;     // a vertex of the same body, whose surroundings at rest do not count; -1: of another body
    double apart; // m, what counts as surroundings
    int most;     // directions wanted, at most GRIPS; 1: the nearest point alone
} SkinQuery;

// The nearest points of triangles within `limit`, one for each direction they lie in. Returns how many.
int skinNear(const SkinQuery *query, Vec3 point, double limit, SkinHit *hits);

// ---- the search: pairs.c -----------------------------------------------------------------------------------------------

bool skinsMeet(const Skin *a, const Skin *b); // their masks allow it; a == b: with itself

// Chooses the grips of all skins for a step of h s. `skins`: one per slot, NULL where there is no body. Returns how many.
int pairsSearch(Skin *const *skins, int slotCount, Vec3 gravity, double h);

double pairsDepth(const Skin *own,
                  const Skin *other); // m: how deep vertices of one lie inside the other; after a search

// ---- the energy: pair.c ------------------------------------------------------------------------------------------------

extern const EnergyKind pairKind;

// What the energy of an island's pairs is made of (Energy.context); element e is grip[e].
typedef struct Pairs
{
    int capacity;
    Grip **grip; // capacity
    int *vertex; // capacity x 4: room to name the corners
} Pairs;

// Makes element e of a batch from a grip; x: of the step's start, over the vertices that the batch is evaluated on.
void pairLoad(Energy *energy, int element, Grip *grip, const double *x);

double gripEnergy(const Grip *grip, Vec3 vertex, const Vec3 corner[3]);   // J
double gripFriction(const Grip *grip);                                    // J, its share
double gripDistance(const Grip *grip, Vec3 vertex, const Vec3 corner[3]); // m, negative: it touches
Vec3 gripForce(const Grip *grip, Vec3 vertex, const Vec3 corner[3]);      // N, on the vertex

#endif
