// The contact room: bodies against rigid colliders. Contact is a function of x: w/2 min(d(x) - r, 0)^2 over the signed
// distance of a shape (Dinev 2018, Eq 38; the half-space projection of Bouaziz 2014, section 5.1), evaluated alike in
// value, gradient, Hessian, projection and along a line; nothing is inserted or removed, so no energy jumps. What the
// broad phase decides is only which elements are switched on: those that may touch within the step.
#ifndef CONTACT_CONTACT_H
#define CONTACT_CONTACT_H

#include "contact/friction.h"
#include "contact/list.h"
#include "energy/sweep.h"
#include "shape/shape.h"

#define CONTACT_SLOTS 3 // colliders that one point can touch at the same time

// Where a shape stands: x = turn p + position.
typedef struct Pose
{
    double quaternion[4]; // w x y z, unit
    Mat3 turn;            // the same
    Vec3 position;
} Pose;

Pose poseMake(Vec3 position, vvQuat rotation);                // unit
Vec3 poseCarry(const Pose *from, const Pose *to, Vec3 local); // m, the displacement of a point of the shape

typedef struct Collider
{
    bool used;
    uint32_t generation;
    vvShape *shape;
    Pose start, target;      // now, and at the end of the next step
    bool moves;              // they differ, or points of its shape move
    bool deforms;            // the shape is its own, and its points can be moved
    double friction;         // Coulomb's coefficient
    double restitution;      // 0 to 1
    double stiffness;        // N/m^3; 0: the body's
    double vertexStiffness;  // N/m of a vertex, samples share it; 0: by area
    bool sensor;             // reports what is inside, pushes nothing
    double adhesion;         // N/m^2, by which it may pull
    Vec3 oneWay;             // in its frame: it holds what comes against this; 0: all
    Vec3 surfaceVelocity;    // m/s, in its frame, of its surface along itself
    Vec3 travel;             // m, in its frame, of its surface in the step; 0 between steps
    bool drives;             // that differs from 0
    uint32_t category, mask; //
    void *userData;          //

    // A shape of a rigid body is a collider that is not `used`: no caller knows it.
    int rigid;               // 1 + slot of the body; 0: it is scenery
    int sibling;             // slot of the next shape of that body; -1: none
    struct Movable *movable; // the body in the step of the island (movable.h); NULL: it is near no soft body
    Vec3 place;              // m, in the principal frame of the body
    vvQuat placeTurn;        //
    double from, to;         // moments of the step that `start` and `target` are of; of scenery 0 and 1
} Collider;

// A collider that a body can meet within the step, and where it is then.
typedef struct Candidate
{
    int slot;
    vvBox box;
} Candidate;

// Vertices that attachments hold to other bodies: bonded.c
typedef struct BondedEntry BondedEntry;

typedef struct Bonded
{
    int count, room;    // pairs; of the next, a power of two
    BondedEntry *entry; // room
} Bonded;

// the slot of a soft body, or this of a rigid one; `rigid`: as of Collider, 0: of scenery, which holds nothing
static inline int bondedRigid(int rigid)
{
    return -rigid - 1;
}

bool bondedClear(Bonded *bonded, Memory *memory, int most); // with room for that many; false: out of memory
void bondedRelease(Bonded *bonded, Memory *memory);
void bondedAdd(Bonded *bonded, int slot, int vertex, int other, int opposite); // of two soft bodies: at most 2
void bondedAddRigid(Bonded *bonded, int slot, int vertex, int rigid);          // at most 1
// Whether a vertex, edge or triangle is held together with one of another body; NULL: nothing is held.
bool bondedFeatures(const Bonded *bonded, int slot, const int *vertices, int count, int other, const int *opposite,
                    int oppositeCount);
// the shares of the vertices that are held to some point of another body, NULL: 1 each
double bondedShare(const Bonded *bonded, int slot, const int *vertices, const double *shares, int count, int other);

#define COLLIDER_SEARCHES 16

// The colliders of a world; its address stays.
typedef struct Colliders
{
    int slotCount, count;
    Collider *item;       // slotCount
    Candidate *candidate; // COLLIDER_SEARCHES x slotCount: room of so many searches at a time
} Colliders;

// Where an element was when the step began, in its collider's frame: distances change no faster than points move, so
// that most elements that are on need not ask their shape. Saves time, changes no bit.
typedef struct ContactSpot
{
    Vec3 point;
    double distance; // m, at most that of the point; -INFINITY: not known
    Vec3 at;         // m, the same point in the frame of the world
} ContactSpot;

// What an element gave its body in a step.
typedef struct ContactImpulse
{
    Vec3 impulse; // N s
    Vec3 moment;  // N m s, about where the centre of mass of the movable was when the step began; of scenery 0
    Vec3 lastImpulse, lastMoment; // of these, in the part of the step that is being taken
} ContactImpulse;

// What the contact energy of a body refers to (Energy.context).
// What a point has of a triangle.
typedef struct FacetShare
{
    int corner[3]; // vertices
    double area;   // m^2
} FacetShare;

typedef struct ContactBody
{
    const Colliders *colliders;
    bool hard;                    // by the hard law: elements have no weight and no energy
    bool apart;                   // rigid bodies are met after the step of the method (contactMeet)
    double stiffness;             // N/m^3
    double radius;                // m, how far the matter reaches beyond the vertices
    double friction;              // below 0: the collider's
    const double *vertexFriction; // in the caller's order, borrowed; NULL: `friction` everywhere
    const int *toCaller;          // of the mesh's vertices
    const Bonded *bonded;         // set before a search; NULL: nothing is held
    int slot;                     // likewise, of the body
    double mass;                  // kg
    double matter;                // kg/m^3 Pa: density times young
    uint32_t category, mask;      //
    int surfaceCount;             // vertices of the surface
    int *vertex;                  // surfaceCount
    double *area;                 // surfaceCount, m^2
    int pointCount;               // what meets colliders: the surface vertices, then samples between them; or points of
                                  // the surface that a cage carries
    int corners;                  // vertices that a point is a mean of: 1, 3 with samples, 4 of a carried surface
    int *corner;                  // pointCount x corners: a triangle or tet around each; NULL: vertices alone
    double *share;                // pointCount x corners: of the corners, sum 1; NULL: vertices alone
    double *sampleArea;           // pointCount, m^2 that a point stands for; NULL: `area`
    double *whole;                // pointCount, m^2 of its corners by their shares; NULL: `area`
    int *facetFirst;              // pointCount + 1: places in the next, of points at which the surface is sharp
    FacetShare *facet;            // the triangles at each; both NULL: the areas of points do not depend on directions
    int *feature;                 // pointCount x CONTACT_SLOTS: hints for shapeSample
    ContactSpot *spot;            // pointCount x CONTACT_SLOTS
    Vec3 *carried;                // pointCount x CONTACT_SLOTS: m, in the collider's frame, what the surface under an
                                  // anchor moves in the step; of colliders that deform
    int room;                     // its search takes this one of the colliders' rooms
    bool *rests;             // pointCount x CONTACT_SLOTS: its points travel on triangles (faces.c) and have shares for
                             // each element; those that have nothing to do in the substep. NULL: they stay
    double *touching;        // pointCount x CONTACT_SLOTS, scratch: N/m of the elements that a dashpot acts on, or 0
    double *outside;         // likewise: m, how far outside a point is where the step or substep begins
    const Energy *damping;   // the dashpots of its contacts
    ContactImpulse *impulse; // pointCount x CONTACT_SLOTS: of the last step
    double step;             // s, of the step
    bool senses;             // it is in or near a sensor
    double *before;          // as Energy.kept: what was kept before the search of the step
    double *shareBefore;     // likewise `share`, of points that travel
    bool marked;             // they hold that
} ContactBody;

// Element e is slot e % CONTACT_SLOTS of point e / CONTACT_SLOTS. `contactKind` holds normal force and friction,
// `contactDampingKind` what restitution takes: a dashpot along the normal. Both have one corner, a vertex; the sample
// kinds are the same functions on three corners and serve bodies with samples, vertices included; the inner kinds those
// on four, for points in tets.
extern const EnergyKind contactKind, contactDampingKind, contactSampleKind, contactSampleDampingKind, contactInnerKind,
    contactInnerDampingKind;

const EnergyKind *contactKindOf(const ContactBody *body); // by the corners of its points
const EnergyKind *contactDampingKindOf(const ContactBody *body);

bool contactPushesScenery(const Energy *contact);        // a collider that is no rigid body's has pushed in the step
static inline bool contactIsKind(const EnergyKind *kind) // of contact with colliders; not its dashpots
{
    return kind == &contactKind || kind == &contactSampleKind || kind == &contactInnerKind;
}

// NULL: out of memory. The surface vertices of a mesh and their areas come from the caller; both are copied.
ContactBody *contactBodyCreate(Memory *memory, int surfaceCount, const int *vertex, const double *area);

// Points between the vertices: `samples` along every edge, and the lattice of that order within each triangle; 0: none.
// Once, before energies are made of the body. False: out of memory, and the body is only good for contactBodyDestroy.
bool contactBodySample(Memory *memory, ContactBody *body, int triangleCount, const int *triangle, int vertexCount,
                       const double *rest, int samples);

// Of a solid, after that and with the same arguments: which triangles its points belong to, so that only the area that
// faces what they touch counts. As above.
bool contactBodyFace(Memory *memory, ContactBody *body, int triangleCount, const int *triangle, int vertexCount,
                     const double *rest, int samples);

// Points within or near tets instead of the surface vertices: those of a surface that a cage carries. corner, share:
// count x 4, shares that sum to 1, the last above 0; area: m^2 that each stands for, above 0. As above.
bool contactBodyEmbed(Memory *memory, ContactBody *body, int count, const int *corner, const double *share,
                      const double *area);

// Points that travel on its triangles instead (faces.c). As above.
bool contactBodyTravel(Memory *memory, ContactBody *body, int triangleCount, const int *triangle, const double *rest);
void contactBodyDestroy(Memory *memory, ContactBody *body);
Energy *contactCreate(Memory *memory, const EnergyKind *kind, ContactBody *body, int vertexCount, const double *rest);

double contactSpacing(const ContactBody *body);                        // m, mean distance of its points
const Collider *contactColliderOf(const Energy *contact, int element); // of one that holds a collider

// How small steps meet colliders (hard.c): without a spring.
extern const SweepKind contactSweep;

// Whether rigid bodies are no energy: they are met where the step of the method ended.
static inline bool contactIsApart(const ContactBody *body, const Collider *collider)
{
    return body->apart && collider->rigid > 0;
}

// A sweep over the elements of movables, by the law of small steps; then restitution, and what was given is kept.
void contactForgetMovables(Energy *contact);                    // what they gave in the step so far
void contactMeetStart(Energy *contact, const double *velocity); // m/s, of vertices where the step begins
void contactMeetKeep(Energy *contact, const double *x);         // overlap that a substep leaves is let be in the next
void contactMeet(Energy *contact, const SweepContext *context, SweepWork *work);
void contactMeetEnd(Energy *contact, const SweepContext *context, double *before, SweepWork *work);

// The vertices of a body when a step begins.
typedef struct ContactMotion
{
    const double *mass;          // count, kg
    const unsigned char *pinned; // count
    const double *x, *v;         // count x 3, m and m/s
    Vec3 gravity;                // m/s^2
} ContactMotion;

// What a step may meet: switches elements on whose point may touch a collider within `h` s (or did up to some steps
// ago), and others off. Returns how many are on. `workers` NULL: in a task.
int contactSearch(Energy *contact, Energy *damping, const ContactMotion *motion, double h, Workers *workers);

// The same for points that travel on triangles, which meet rigid bodies alone.
int contactFaceSearch(Energy *contact, const double *x, const double *v, const unsigned char *pinned, Vec3 gravity,
                      double h);

// J: kinetic energy along the normals of the points that touch within the next h s, if nothing else held them back.
// After a search.
double contactImpact(const Energy *contact, const double *mass, const double *x, const double *v, double h);

// Weights and friction follow what the body and its colliders say now.
void contactRearm(Energy *contact);

// Friction starts over, as after a teleport: no vertex is tied to where it touched.
int contactNextHeld(const Energy *contact, int element); // the first at or after one that holds a collider, or the end
void contactForget(Energy *contact);

// Before the search of a step, which then puts by what is kept if it changes any of it; after a step that failed, back
// to that, with the weights that follow from it. energyMark comes after the search: substeps that are taken again start
// from what the search found.
void contactMark(const Energy *contact);
void contactRestore(Energy *contact);

// What one element carries from step to step, for saved states: the slot of its collider (-1: none) and numbers.
#define CONTACT_KEPT 10
int contactGetKept(const Energy *contact, int element, double *kept);
void contactSetKept(Energy *contact, int element, int slot, const double *kept); // weights follow

// A pose between start (0) and end (1) of the step.
Pose colliderPose(const Collider *collider, double fraction);
// A place on a collider, as it is at a moment of the step.
typedef struct ColliderPlace
{
    Vec3 local;    // m, in the collider's frame
    double moment; // 0 to 1
    int feature;   // of a sample there; -1: not known
} ColliderPlace;

// m, what it moves from one moment of the step to another, along with the collider and its surface
Vec3 colliderDisplacement(const Collider *collider, double from, double to, const ColliderPlace *place);

// The hard law, collect.c: elements that are on, those within reach in a substep, and the impulses that were found for
// them, as forces over it.
int contactCountOn(const Energy *contact);
void contactCollect(const Energy *contact, const ContactView *view, ContactList *list);
// Appends those within reach that are not among the first `had` of the list, which are in the order of terms and
// elements.
void contactCollectLate(const Energy *contact, const ContactView *view, int had, ContactList *list);
void contactForgetImpulses(Energy *contact); // before those of a substep are kept
// a part of a step begins that is not the first; `again`: and what it gave before is taken back
void contactImpulsePart(const Energy *contact, bool again);
void contactKeepImpulse(Energy *contact, const Contact *from, double h);
void contactTellImpulse(Energy *contact, const Contact *from, Vec3 impulse); // N s, beside the law's

// What is done at the end of a step: anchors go along with belts (surface.c).
void contactArrive(Energy *contact);

// One touching element, for events and records.
typedef struct Touch
{
    int vertex;     // of the body, in the mesh's order; of a sample the nearest corner
    int collider;   // slot
    Vec3 point;     // m
    Vec3 normal;    // out of the collider
    Vec3 force;     // N on the body, at x
    Vec3 impulse;   // N s on the body, of the last step
    double overlap; // m
} Touch;

// It does not touch now, but did within the last step: no force, but an impulse.
bool contactTouched(const Energy *contact, const double *x, int element, Touch *touch);

bool contactTouch(const Energy *contact, const double *x, int element, Touch *touch); // false: it does not touch

// A substep of a body, whose vertices its arrays begin with.
typedef struct OutsideState
{
    const double *start;         // x 3, m, where it begins
    double *position, *velocity; // x 3, m, m/s, where it ends
    const double *mass;          // kg
    const unsigned char *pinned; //
    double h;                    // s
    double from, to;             // moments of the step
    double *lost, *added;        // J: what of the motion was taken, and what moving colliders put in
    bool *pushed;                // set where one moves
    Workers *workers;            // that look
} OutsideState;

// Holds points back that would pass through a collider (outside.c). False: there are none
bool contactStayOutside(const Energy *contact, const OutsideState *state);

#endif
