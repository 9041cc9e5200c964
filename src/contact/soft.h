// Soft against soft: vertices of one body against triangles of another, or of its own. A pair contact is a vertex that
// may touch a triangle. Pair contacts are chosen before every step and stay the same within it, so that the gap is
// linear in x and the energy of contact convex. The energy (pair.c) is built from them for each step.
#ifndef CONTACT_SOFT_H
#define CONTACT_SOFT_H

#include "base/isa.h"
#include "base/workers.h"
#include "contact/contact.h"

#define PAIR_PIECE 256  // vertices of a surface that one task searches for
#define PAIR_CONTACTS 4 // triangles that one vertex can touch at the same time

typedef struct PairContact
{
    int other;         // slot of the body that has the triangle; -1: none
    int triangle;      // of its surface
    double share[3];   // of the corners in the point that is touched
    double normal[3];  // unit, from the triangle to the vertex
    double radius;     // m, closer than this is penetration
    double weight;     // N/m
    double friction;   // Coulomb's coefficient
    double force;      // N, normal force at the last stage; 0: it did not touch, there is no anchor
    double offset[3];  // m, from the anchor, tangential; under the hard law N, friction in the last substep
    double impulse[3]; // N s, under the hard law: on the vertex, in the step
} PairContact;

// Two features of bodies that met in the step, and of which no pair contact tells: two edges, or a vertex and a
// triangle.
typedef struct EdgeContact
{
    int other;       // slot of the body that has the second
    int first;       // vertices of the first: 2 of an edge, or 1
    int vertex[4];   // of the meshes: those of the first, then those of the second
    int triangle;    // of the other's surface, at the second; -1: it is a rope
    double radius;   // m, closer than this is overlap
    Vec3 normal;     // unit, from the second to the first
    Vec3 force;      // N, on the first in the last substep
    Vec3 impulse;    // N s, on the first in the step
    double share[4]; // of the vertices, as of Closest (proximity.h)
} EdgeContact;

#define VERTEX_HOLDS 2 // triangles that a vertex of a sheet or a rope keeps, beside two of edges

// What an edge or a vertex pressed on where the last step ended: the hardest, if there is no place for more. Sharp
// edges of solids have one, all edges of sheets and ropes too, and their vertices VERTEX_HOLDS behind these.
typedef struct FeatureHold
{
    int other;   // slot of the body that has the other edge or triangle; -1: none
    int feature; // of its features
    Vec3 force;  // N, on the own
} FeatureHold;

// A node of the tree over the triangles of a collision mesh; children are stored after their parents.
typedef struct CollisionNode
{
    double lower[3], upper[3]; // m
    int first, count;          // triangles of a leaf: places in `order`; count 0: a fork
    int left, right;           // of a fork; left of a leaf: its number among the leaves
} CollisionNode;

// The surface of a body that other bodies collide with. Arrays over the body's vertices, in the mesh's order.
typedef struct CollisionMesh
{
    // what it is; borrowed arrays live as long as the body
    int slot;                     //
    int surfaceCount;             // vertices of the surface
    const int *vertex;            // surfaceCount
    const double *area;           // surfaceCount, m^2
    int vertexCount;              //
    int triangleCount;            // 0: a rope
    const int *triangle;          // triangleCount x 3
    const double *rest;           // vertexCount x 3
    bool closed;                  // a solid: outward triangles, one side
    bool self;                    // collides with itself
    bool hard;                    // by the hard law: pair contacts have no weight and no energy
    double edge;                  // m, mean length of an edge of the surface
    double stiffness;             // N/m^3
    double radius;                // m, half the thickness of a sheet
    double friction;              // below 0: the other's
    const double *vertexFriction; // in the caller's order; NULL: `friction` everywhere
    const int *toCaller;          // of the mesh's vertices
    uint32_t category, mask;      //

    // where it is: set before a search
    const double *x, *v, *pinTarget;     // vertexCount x 3
    const unsigned char *pinned;         // vertexCount
    Vec3 drift;                          // m, mean displacement of its surface in the step
    double spread;                       // m, how far a displacement differs from it at most
    double longest;                      // m, displacement
    Vec3 lower, upper;                   // box of its surface
    double sweptLower[3], sweptUpper[3]; // m: box around the paths of its vertices, with room for what is near
    const Bonded *bonded;                // pairs that are held together are none of contact; NULL: there are none
    const int *piece;                    // vertexCount: the part that each is in where nothing joins them; NULL: one
    bool asleep;                         // its body sleeps, and holds on to what it touches,
    bool stirred;                        //   unless something comes near that does not

    // the tree, see tree.c
    CollisionNode *node;
    int nodeCount, leafCount;
    int *order;            // triangleCount
    struct LeafPack *leaf; // leafCount: their triangles side by side
    double origin[3];      // m, that these count from
    Isa isa;               // of the kernels

    struct Features *features; // its edges too (proximity.h); its own

    // what it touches
    int contactCount;                  // pair contacts found by the last search
    int markedCount;                   //   and before the step
    int together, markedTogether;      // under the hard law: the first slot of those whose facets come near; -1: alone
    PairContact *pairContact, *marked; // surfaceCount x PAIR_CONTACTS, by (other, triangle); as of collisionMeshMark
    int *partner, *markedPartner;      // their `other`, side by side: few of them are in use, and many ask which
    int edgeCount;                     // of its features
    int holdCount;                     // edges, then places of vertices
    FeatureHold *hold, *markedHold;    // holdCount; as of collisionMeshMark
    bool holds, markedHolds;           // some of them do
    EdgeContact *edgeContact;          // edgeContactRoom: what the last step told, which no later one asks for
    int edgeContactCount, edgeContactRoom;
    double *load;                             // vertexCount, N/m: what pairs put on the diagonal of matrices now
    double *held, *markedHeld;                // vertexCount, N/m: not below `load`, rounded up
    unsigned char *patience, *markedPatience; // vertexCount: steps that `held` was more than needed
    double *applied;                          // vertexCount, N/m: what matrices were last made with
    int firstPiece;                           // of its surface, in the search under way
    double *pieceReleased;                    // pieces of PAIR_PIECE vertices of the surface: J, as the next
    int *pieceCount;                          // and pair contacts
    double released;                          // J, stored in anchors that were dropped before the step
} CollisionMesh;

// NULL: out of memory. `surface` lends its vertices and areas.
CollisionMesh *collisionMeshCreate(Memory *memory, const ContactBody *surface, int vertexCount, int triangleCount,
                                   const int *triangle, const double *rest);
void collisionMeshDestroy(Memory *memory, CollisionMesh *collisionMesh);
void collisionMeshMark(CollisionMesh *collisionMesh);   // keeps a copy of its pair contacts: at the start of a step
void collisionMeshRewind(CollisionMesh *collisionMesh); // back to the mark: when a step is undone
void collisionMeshForget(CollisionMesh *collisionMesh); // drops all pair contacts

bool featureHoldsCreate(Memory *memory, CollisionMesh *mesh); // given its features; false: out of memory
void featureHoldsDrop(CollisionMesh *mesh, int slot);         // those on a body; -1: all
void featureHoldsMark(CollisionMesh *mesh);                   // as collisionMeshMark and collisionMeshRewind
void featureHoldsRewind(CollisionMesh *mesh);
bool featureMayHold(const CollisionMesh *mesh, int place);
void featureHoldSet(CollisionMesh *mesh, int place, FeatureHold now);
void edgeContactsForget(CollisionMesh *mesh, bool anew); // forces before a substep; `anew`: all
void edgeContactsDrop(CollisionMesh *mesh, int slot);    // those on a body

// two vertices of a solid that has fallen apart, in different pieces; sheets rest in touch where they were torn
static inline bool collisionMeshCameOff(const CollisionMesh *mesh, int a, int b)
{
    return mesh->closed && mesh->piece != NULL && mesh->piece[a] != mesh->piece[b];
}

// the only ones that change who a pair contact is with
void collisionMeshSet(CollisionMesh *collisionMesh, int index, const PairContact *pairContact); // NULL: nobody
void collisionMeshCount(CollisionMesh *collisionMesh); // contactCount, of pair contacts that were set by others

// ---- the tree: tree.c -----------------------------------------------------------------------------------------------

bool collisionMeshBuildTree(Memory *memory, CollisionMesh *collisionMesh); // false: out of memory
void collisionMeshRefit(CollisionMesh *collisionMesh);                     // boxes, from x

typedef struct CollisionHit
{
    int triangle;
    double share[3];
    Vec3 point;      // of the triangle, nearest
    Vec3 face;       // unit normal of the triangle
    Vec3 direction;  // unit, from the point to where it was asked from
    double distance; // m
} CollisionHit;

// What a vertex asks the collision mesh for.
typedef struct CollisionQuery
{
    const CollisionMesh *collisionMesh;
    int self;     // a vertex of the same body, whose surroundings at rest do not count; -1: of another body, and so
                  // are triangles of a solid that has come off
    double apart; // m, what counts as surroundings
    int most;     // directions wanted, at most PAIR_CONTACTS; 1: the nearest point alone
} CollisionQuery;

// The nearest points of triangles within `limit`, one for each direction they lie in. Returns how many.
int collisionMeshNearest(const CollisionQuery *query, Vec3 point, double limit, CollisionHit *hits);

// ---- the broad phase: broad.c ---------------------------------------------------------------------------------------

typedef struct Broad
{
    int axis;       // boxes are sorted along it
    int orderCount; // collision meshes that there are
    int *order;     // slotRoom: their slots, by the lower ends of their boxes
    int *start;     // slotRoom + 1: of each slot in `other`
    int *other;     // otherRoom: slots of what each may meet, ascending
    int slotRoom, otherRoom;
} Broad;

#define BROAD_TURN 0.25 // of its displacement: how far a vertex that hits something may leave its path, hard law

// The swept box of a collision mesh: begin, all vertices of its surface, end.
void broadBegin(CollisionMesh *mesh);
void broadInclude(CollisionMesh *mesh, Vec3 x, Vec3 displacement);
void broadEnd(CollisionMesh *mesh);
double broadPad(const CollisionMesh *mesh); // m, around paths: what counts as near

// Around the path of a vertex of a mesh, with room for what is near; and whether that meets the swept box of another.
vvBox broadPath(const CollisionMesh *mesh, Vec3 x, Vec3 displacement);
bool broadReaches(const vvBox *path, const CollisionMesh *other);

// Then all pairs whose boxes overlap and whose masks let them meet, each under both; a mesh that collides with itself
// too. False: out of memory.
bool broadSearch(Broad *broad, Memory *memory, CollisionMesh *const *mesh, int slotCount);
void broadRelease(Broad *broad, Memory *memory);

// ---- the search: pairs.c --------------------------------------------------------------------------------------------

bool collisionMeshesCollide(const CollisionMesh *a,
                            const CollisionMesh *b); // their masks allow it; a == b: with itself

// Who takes part in a search.
typedef struct PairSearch
{
    CollisionMesh *const *mesh; // slotCount: NULL where there is no body
    int slotCount;
    int around; // only this slot and what comes near it; -1: all
    Vec3 gravity;
    double h; // s, the step
    Broad *broad;
    Memory *memory;
    Workers *workers;
} PairSearch;

// Inside: displacements and boxes of a mesh, and then the contacts of a vertex of its surface with others (NULL: all
// slots). Returns the energy stored in anchors that it let go, J; adds to `found` how many contacts there are.
void pairsMeasure(const PairSearch *search, CollisionMesh *collisionMesh);
double pairsSearchVertex(const PairSearch *search, CollisionMesh *own, const int *others, int otherCount, int surface,
                         int *found);

// Chooses the pair contacts of collision meshes for a step. Returns how many there are.
int pairsSearch(const PairSearch *search);

double pairsRadius(const CollisionMesh *a, const CollisionMesh *b); // m, that two solids keep
double pairsDepth(const CollisionMesh *own,
                  const CollisionMesh *other); // m: how deep vertices of one lie inside the other; after a search

// ---- the energy: pair.c ---------------------------------------------------------------------------------------------

extern const EnergyKind pairKind;

// What the energy of an island's pairs is made of (Energy.context); element e is pairContact[e].
typedef struct Pairs
{
    int capacity;
    PairContact **pairContact; // capacity
    int *vertex;               // capacity x 4: room to name the corners
} Pairs;

// Makes element e of a batch from a pair contact; x: of the step's start, over the vertices that the batch is evaluated
// on.
void pairLoad(Energy *energy, int element, PairContact *pairContact, const double *x);

// The hard law: pairs within reach in a substep, and the impulses that were found for them, as forces over it.
void pairCollect(const Energy *energy, const ContactView *view, ContactList *list);
void pairForgetImpulses(Energy *energy, Workers *workers, bool anew); // `anew`: those of the step too
void pairKeepImpulse(Energy *energy, const Contact *from, double h);
void pairTellImpulse(Energy *energy, int element, Vec3 impulse); // N s, that it gave in the substep beside the law's

double pairContactEnergy(const PairContact *pairContact, Vec3 vertex, const Vec3 corner[3]); // J
double pairContactFriction(const PairContact *pairContact);                                  // J, its share
double pairContactDistance(const PairContact *pairContact, Vec3 vertex,
                           const Vec3 corner[3]);                                         // m, negative: it touches
Vec3 pairContactForce(const PairContact *pairContact, Vec3 vertex, const Vec3 corner[3]); // N, on the vertex

#endif
