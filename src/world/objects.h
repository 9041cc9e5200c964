// What a world is made of: its objects, what a step remembers of them, and the world itself.
#ifndef WORLD_OBJECTS_H
#define WORLD_OBJECTS_H

#include "contact/movable.h"
#include "contact/proximity.h"
#include "contact/ridge.h"
#include "energy/endpoint.h"
#include "fluid/fluid.h"
#include "fluid/surface.h"
#include "integrate/integrate.h"
#include "mesh/mesh.h"
#include "rigid/joint.h"
#include "rigid/system.h"
#include "world/fluid_walls.h"

#include <verve/verve.h>

#include <stddef.h>

#define WORLD_COOKIE 0x57564431
#define BODY_COOKIE 0x42564431
#define ATTACHMENT_COOKIE 0x41564431
#define COLLIDER_COOKIE 0x43564431
#define BOND_COOKIE 0x4f564431
#define HANDLE_COOKIE 0x48564431
#define CONSTRAINT_COOKIE 0x4e564431
#define HINGE_COOKIE 0x47564431
#define JOINT_COOKIE 0x4a564431
#define TETHER_COOKIE 0x54564431
#define SKIN_COOKIE 0x53564431
#define MUSCLE_COOKIE 0x4d564431
#define RIGID_COOKIE 0x52564431
#define FLUID_COOKIE 0x46564431
#define HANDLE_CORNERS 3
#define LONGEST_STEP 10.0   // s
#define SHORTEST_STEP 1e-15 // s: its square, divided by all substeps, is far from the least number there is
#define VAST 1e60           // m, m/s, N: energies grow with the fourth power at most, and stay numbers

#define DAMPING_OF_MATERIAL (-1.0) // vvDamping.stiffness that the loss factor of the material gives
#define LOSS_UNSTATED (-1.0)       // vvMaterial.loss: DEFAULT_LOSS, or 0, see there
#define DEFAULT_LOSS 0.03          // what swings keeps 95 % of its energy for a thousand frames, and heaps come to rest
#define MOST_LOSS 100

#define MODEST 1e30 // SI units: stiffnesses, densities, dampings; times lengths that are not vast they stay numbers

typedef struct World World;
typedef struct Origin Origin;

// The elements around each vertex of a body that tears.
typedef struct Tears
{
    int *start;   // vertices + 1
    int *element; // tets, triangles or structural edges at each vertex

    // of a solid alone
    int *front; // frontCount: vertices that both sides of a crack share
    int frontCount;
    signed char *mark;     // vertices: 1 at those of fronts
    struct TearFace *face; // scratch of a step: faces beyond their strength, and those that fronts open
    int *facet;            // likewise: their vertices
} Tears;

// Which vertices of a sheet bending couples besides those of a triangle.
typedef enum Reach
{
    REACH_CELLS,  // none
    REACH_HINGES, // those across an edge
    REACH_JOINTS, // of two segments of a rod
    REACH_RINGS,  // all around a vertex
} Reach;

// Elements over more vertices than a cell of the mesh has: what the graph of a body must couple besides.
typedef struct Stencils
{
    Reach reach; // of bending
    int count;
    int *corner; // count x MAX_CORNERS, the last ones may repeat
    bool shared; // they follow from the mesh alone
} Stencils;

// What bodies on the same mesh share: the graph of its vertices and the analysis of its matrix.
typedef struct Blueprint
{
    struct Blueprint *next;
    vvMesh *mesh; // kept alive
    int references;
    Reach reach; // what is coupled besides the cells
    bool shared; // by all bodies that need the same
    Graph *graph;
    FrontTree *blocks;      // for Newton's method
    FrontTree *tree;        // for prefactored solvers
    struct Blueprint *base; // of the mesh before it changed, whose order it has; NULL: its own
    int *origin;            // of each vertex the one there; NULL without
} Blueprint;

// The order that a changed mesh takes over. Vertices are numbered as their meshes are.
typedef struct Heritage
{
    Blueprint *base;
    const int *origin; // of each vertex the one of the base
    // what is made from parts that stayed goes over; NULL: nothing does
    const struct Body *former;       // the body before the change
    const struct MeshChange *change; // by which the mesh comes from the former's; NULL: vertices begin at rest
    const bool *touched;             // by vertex, as of meshTouched
} Heritage;

// what the definition of a body says about contact
typedef struct ContactDef
{
    double stiffness, friction, radius, thickness; // N/m^3, 1, m, m
    double mass, matter;                           // kg, kg/m^3 Pa
    uint32_t category, mask;
    int samples; // along an edge of the surface
    int carried; // points of the surface that the mesh carries, at most; 0: the mesh's own surface
    bool self;
} ContactDef;

// A piece of a body that has fallen apart, as it sleeps (sleep_pieces.c).
typedef struct Sleeper
{
    bool asleep;    // steps put it back to where it is
    double calm;    // s that it has hardly moved
    bool wasAsleep; // both before the step under way
    double wasCalm; //

    // in the step under way
    struct Sleeper *first; // of those that it is near, while these are found; itself: none before it
    vvBox box;             // m, of where it may come
    bool bound;            // it is near a body or a rigid body that is whole, and sleeps with its island alone
    bool stirred;          // of the first: one of them is awake, or bound
    bool tired;            // of the first: all of them have been calm for long enough
    double mass, kinetic;  // kg, J
} Sleeper;

#define BODY_CONSTRAINTS 12
#define BODY_DAMPERS 3 // of the model, of bending in rings of two sizes or in hinges

typedef struct Body
{
    World *world;
    struct Body *before, *next; // in the order of creation
    char name[VV_MAX_NAME + 1];
    Blueprint *blueprint;
    const Former *inherited; // while it is made beside another: that one's energies; else NULL
    Blueprint *former;       // on which the former prefactors of the member stand; NULL: there are none
    vvMesh *mesh;
    int slot;
    int first;              // its first vertex in the world's state
    int count;              // vertices
    int island;             // number of its island
    int formerIsland;       // the one before, while islands change
    int ordinal;            // its place among the bodies, by slot
    int proxyOf;            // 1 + slot of the rigid body that it stands for, unseen; 0: none
    int meets, markedMeets; // slot of a body, not above its own, that is near the same rigid body; before the step
    vvBox reach;            // m, of the step: where it may meet rigid bodies
    uint64_t fingerprint;   // of mesh, material and damping
    Member member;          // offset within the island; energies are owned by the body
    uint64_t modalVersion, modalContent;                    // of the constants that modes follow from: counts, contents
    unsigned modalManner;                                   // and what the method wanted of them
    double modalKey;                                        // what its modes were made from, as a number
    double modalNext;                                       // what the recall has of them after the step
    uint64_t modalTies;                                     // of the attachments among it; 0: none
    bool modalTiesStale, modalTiesNext;                     // they have changed; some are to be taken
    uint64_t smoothKey;                                     // what its smooth functions were made from
    bool toldModes;                                         // that they are not current
    StepState step;                                         // what the integrator keeps of it
    Energy *elastic, *gravity, *force, *drag, *attachments; // the last two may be NULL
    Energy *wind;                                           // forces of the air; NULL: none yet, or no surface
    Energy *press;                                          // forces of fluids; NULL: there are none
    double *pressed;                                        // count x 3, N: those of the next step
    FluidBooks *pressBooks;                                 // of the fluid that pushes it in the step
    Vec3 upheld;                          // m/s^2: of what holds it beside fluids; a mean over some steps
    double owed, pays;                    // J, 1/s: what fluids have given to its vibrations, and how fast they lose it
    bool pressIsNew, surfaceIsNew;        // they, and the collision mesh, were made by the call under way
    Energy *damper[BODY_DAMPERS];         // of strain rates, and of bending
    int damperCount;                      //
    Energy *constraint[BODY_CONSTRAINTS]; // what the definition adds to the material, then the caller's
    int constraintCount, definedCount;    // the second: of the definition
    int definedEnergies;                  // first energies of the member: of the definition
    Stencils stencils;                    // what these couple besides the mesh
    bool matricesStale;                   // something added has gone: the next step makes them again
    Energy *contact, *contactDamping;     // NULL: the world has no colliders
    bool contactIsNew;                    // they were made by the call under way
    ContactBody *contactBody;             // its surface
    Energy *faces;                        // triangles of it against rigid bodies; NULL: the world has none
    ContactBody *faceBody;                //
    CollisionMesh *collisionMesh;         // NULL: bodies do not meet in this world
    int place;                            // its member's index in its island, of the last step
    vvSubsteps substeps;                  // of its island, likewise
    ContactDef contactDef;
    Account account;
    Account markedAccount;            // as before the step under way
    Recall markedRecall;              // likewise
    double present;                   // J, while islands are booked
    double mass;                      // kg
    double handleStiffness;           // N/m, the default of handles
    bool asleep;                      // steps pass it by
    double calm;                      // s that it has hardly moved
    bool wasAsleep;                   // both before the step under way
    double wasCalm;                   //
    Sleeper *sleeper;                 // of each of its pieces; NULL: it hangs together
    double *callerMass;               // count
    double *callerPosition;           // count x 3, filled on demand
    double *callerVelocity;           // count x 3
    double *callerNormal;             // count x 3, scratch of the copies
    Tears *tears;                     // NULL: it does not tear
    Origin *origin;                   // what it was made from; NULL: its mesh has not changed
    vvSoftBodyDef def;                // as it is now, its words constant, its arrays those below
    double *elementStiffness;         //
    double *elementToughness;         //
    double *elementWarp;              //
    double *vertexMass;               //
    double *vertexFriction;           //
    double *example[VV_MAX_EXAMPLES]; //
    void *userData;
} Body;

// While islands change: which became of which, by their numbers.
typedef struct IslandFate
{
    int into, from;     // -1: none
    bool split, merged; // into, from several
} IslandFate;

typedef struct BodySlot
{
    Body *body; // NULL: free
    uint32_t generation;
    IslandFate fate; // of the island with the number of this slot
} BodySlot;

// The modes of a body know what held it when they were made, at its first step or by vvWorld_Prepare.
typedef enum ModesPart
{
    MODES_NONE,
    MODES_NEXT, // from the end of the step under way on
    MODES_PART, // as states say
} ModesPart;

// What a spring of a joint does (machine.c).
typedef enum SpringRole
{
    SPRING_POINT, // holds lengths that the joint locks
    SPRING_TURN,  // likewise angles
    SPRING_STOP,  // a limit, while it is touched
    SPRING_DRIVE, // the motor, in a step
    SPRING_DAMP,  // likewise the damper
} SpringRole;

typedef struct Attachment
{
    bool used, tie; // the second: of a handle
    bool broken;    // it holds nothing
    uint32_t generation;
    Body *body[2];      // the second NULL: to a point
    Vec3 point;         // m, in the caller's frame of the rigid body that body[1] stands for
    Endpoint end[2];    // vertices in the mesh's order, the one with the largest share first
    bool turns;         // both ends are directions: it pulls by couples
    bool slides;        // the second end is the point of a line that is nearest to the first
    Endpoint along;     // 1 m along it, as a difference: by the vertices of the second end, in their order
    double slid, reach; // m: where on it springs of islands count from, and how far from there it may be in a step
    double stiffness;   // N/m
    double restLength;  // m
    double side;        // of a limit that gives way: 1: it only pulls, -1: it only pushes; 0: both
    double breakForce;  // N
    double brokeUnder;  // N: the force that broke it
    long long brokeAt;  // number of the step that broke it, from 1 on
    Vec3 start, target; // of the point: now, and at the end of the next step
    ModesPart modes;    // whether the modes of its body were made with it
    int element;        // in body[0]->attachments; -1 between bodies
    int joint;          // 1 + slot of the joint of rigid bodies that it stands for (machine.c); 0: it is the caller's
    SpringRole role;    // of a joint
    bool compliant;     // likewise: the spring that the joint is; its energy is in the books of the joint
} Attachment;

typedef enum PartyKind
{
    PARTY_BODY,
    PARTY_COLLIDER,
    PARTY_OTHER, // a body that is touched
    PARTY_RIGID,
} PartyKind;

// One of two that touch.
typedef struct Party
{
    PartyKind kind;
    int slot;
    uint32_t generation;
} Party;

// Two that touch: sums over the vertices or points in which they do.
typedef struct ContactPair
{
    Party first, second;
    int vertexCount;
    double weight; // N, that point and normal are weighted with
    Vec3 point, normal, force, impulse;
} ContactPair;

// Pairs after the last step and before it, by first and second.
typedef struct Events
{
    ContactPair *now, *before; // room
    int nowCount, beforeCount, room;
    int needed; // room that the last step asked for
    bool stale; // `before` does not belong to the present state
} Events;

// The contacts of rigid bodies in the last step.
typedef struct RigidTouches
{
    vvContact *item; // room
    int count, room;
} RigidTouches;

typedef struct MeshEvent
{
    vvMeshEvent event;
    struct MeshChange *change; // owns its arrays
} MeshEvent;

// Changes of meshes since the last step began.
typedef struct MeshEvents
{
    MeshEvent *item; // room
    int count, room;
} MeshEvents;

#define PROXY_HELD 1000.0 // times as heavy is a stand-in whose body other things hold: it goes where they let that go

// The masses of a stand-in (proxy.c), for a body that is not held: its own, or, where one joint holds it to the world,
// a great mass at the joint with the inertia about it.
typedef struct ProxyForm
{
    int joint;    // 1 + slot of that joint; 0: none
    bool hinged;  // it turns about `axis` alone, else about all
    bool slides;  // that is far away: it moves along `slide`
    double mass;  // kg
    Vec3 inertia; // kg m^2, principal
    Vec3 arm;     // m, in the principal frame of the body: where its centre is
    vvQuat turn;  // its principal axes, likewise
    Vec3 axis;    // unit, likewise
    Vec3 slide;   // unit, likewise
} ProxyForm;

typedef struct Rigid
{
    bool used;
    uint32_t generation;
    RigidBody body;   // owns its shapes
    RigidBody marked; // as before the step under way
    Account account;
    void *userData;

    // where it meets soft bodies (meeting.c)
    int collider;                  // slot of its first shape among the colliders; -1: it has none
    RigidHold hold;                // how it gives way in the step under way
    bool near;                     // in the step under way
    bool stirred;                  // a soft body near it is awake, or a fluid pushes it
    vvBox reach;                   // m, of the step
    int island;                    // that it is part of; -1: none
    Movable *movable;              // then
    Vec3 held, heldTorque;         // N, N m about its centre of mass: the reaction with which the step is foreseen
    Vec3 keptHeld, keptHeldTorque; // those of the last step
    Vec3 foreseenPosition;         // m, at the end of the step with it
    vvQuat foreseenRotation;       //
    Vec3 usual, usualTorque;       // N, N m: what fluids push with, a mean over steps, foreseen before they take theirs
    FluidBooks *flowBooks;         // of the fluid that pushes it in the step
    Vec3 foreseenVelocity;         // m/s
    Vec3 foreseenSpin;             // rad/s
    Vec3 foreseenMomentum;         // kg m^2/s, angular, about its centre
    Vec3 pull, pullTorque;         // N, and N m about its centre at the start: of its attachments, in the last step
    double proxyTimes;             // 1: how many times as heavy it is
    double proxyRate;              // 1/s, how fast that vibrates
    ProxyForm form;                // of the stand-in
    bool linked;                   // it is part of a machine (machine.c), whose joints are springs of its island
    bool pressed;                  // contacts pushed it when the last step ended
    int machine;                   // slot of the first body that joints connect it to
    bool wanted, barred, jointed;  // of that: soft bodies are attached to one of them, not all joints can be springs
    bool beyond;                   // scratch: it is on one side of a joint (machine_motor.c)
    Body *proxy;                   // stands for it in islands (proxy.c); NULL: nothing is attached to it
} Rigid;

#define STAND_POINTS 16 // that a StandTouch knows: more than two shapes have at a time

// A point in which the stand-in of a rigid body touches a collider.
typedef struct StandPoint
{
    uint32_t feature; // of the manifold
    Vec3 local;       // m, in the principal frame of the body
    Vec3 at;          // m, in the world, on the collider
    Vec3 normal;      // unit, out of it
    Vec3 force;       // N on the body, in the last substep
    Vec3 impulse;     // N s on the body, of the step
} StandPoint;

// A shape of a rigid body and one of scenery or of another one, in the island of a stand-in (proxy_touch.c).
typedef struct StandTouch
{
    int rigid, collider;   // slots; the collider is scenery, or a shape of another rigid body
    int shape, otherShape; // of the first, and of the other
    int count;
    uint32_t taken; // bits: of the substep
    StandPoint point[STAND_POINTS];
    double lost, added;   // J, in the step
    Vec3 impulse, moment; // N s, N m s about where the other began: of the step, on the first
    double from, to;      // 1: fractions of the step: the substep
} StandTouch;

// The rigid bodies of a world.
typedef struct Rigids
{
    int slotCount, count;
    Rigid *item;  // slotCount
    int substeps; // of a step
    RigidSystem system;
    Movable *movable; // movableRoom: those of the step, by islands
    int movableRoom;
    StandTouch *stand; // standCount: of the step
    int standCount, standRoom;
} Rigids;

#define DAMPERS 4 // of a joint, at most

typedef struct WorldJoint
{
    bool used;
    uint32_t generation;
    bool broken;
    long long brokeAt; // number of the step that broke it, from 1 on
    vvJointDef def;
    Joint joint;
    Joint marked;            // as before the step under way
    Vec3 force, torque;      // N, N m, of the last step
    int bodyA, bodyB;        // slots; -1: the world
    bool linked;             // springs stand for it in an island (machine.c):
    Vec3 borne, borneTorque; // N, N m about anchor B: what they bear in the step, the mean of its start and its end
    Body *ground;            // stands for the world there; NULL: none
    int stop, lean;          // 1 + slots of the attachments that hold its free measure at a limit, and the lean of a
                             // cone (machine_limit.c); 0: none
    int drive;               // the same of its motor (machine_motor.c)
    int damper[DAMPERS];     // the same of its dampers (machine_damp.c), of lengths and of three directions
    bool touched;            // rigid contacts hold one of its bodies
    bool drives, saturated; // that acts in the step under way, instead of the motor of the joint itself; with its limit
    double hold, pace;      // N or N m: what the motor pushes with at the speed that it keeps; m/s or rad/s, its mean
                            // speed in the last step
    double begun;           // m or rad, its measure at the start of the step
    double from, lever;     // m, 1/m or 1: how long its spring is at the start of the step, and its measure by that
    double leads;           // m/s or rad/s: the speed that is wanted
    double firm, lent;      // N/m or N m/rad, by which `hold` grows; J, what its spring is given for the step
} WorldJoint;

// The joints of a world.
typedef struct Joints
{
    int slotCount, count;
    WorldJoint *item; // slotCount
    int *order;       // count: slots in the order of creation
    RigidLink *link;  // slotCount: scratch of a step
    int linkCount;
    RigidBody ground; // the world as a body that nothing moves
} Joints;

typedef struct Emitter
{
    vvFluidEmitter def;
    double due, keptDue; // s until the next layer leaves; before the step under way
} Emitter;

typedef struct WorldFluid
{
    Fluid *fluid; // NULL: the slot is free
    uint32_t generation;
    int most, loading; // particles; of the state that is being loaded
    FluidColliders walls;
    FluidSurface surface;
    int emitterCount, drainCount;
    Emitter emitter[VV_MAX_FLUID_FLOWS];
    vvBox drain[VV_MAX_FLUID_FLOWS];
    FluidBooks books; // of the step under way
    bool wet;         // it may meet a sheet or a rope in it
    Account account;
    void *userData;
} WorldFluid;

typedef struct Fluids
{
    int slotCount, count;
    WorldFluid *item; // slotCount
    FluidBodies bodies;
    FluidSofts surfaces;
    FluidSheets sheets;
    bool pressing; // bodies have the forces of the step under way
    bool flowed;   // all have taken their step
} Fluids;

typedef struct Handle
{
    uint32_t generation;
    int count; // ties; 0: free
    vvAttachmentId attachment[HANDLE_CORNERS];
    Vec3 offset[HANDLE_CORNERS]; // m, of each vertex from the point
} Handle;

// A hinge or a constraint of the caller's.
typedef struct Added
{
    uint32_t generation;
    Body *body; // NULL: free
    Energy *energy;
} Added;

// Room for the systems of a step, of which each island takes a slice (systems.c): islands change from step to step
// without a request for memory. Counts are of the world's vertices and bodies; NULL: the method and the world do not
// need it.
typedef struct SystemPool
{
    Body **order;              // bodies: by island, within an island by slot
    int *end;                  // bodies: past the last body of each island
    int *links;                // bodies: springs between the bodies of each island
    Member **member;           // bodies
    Term *term;                // of all members, and JOINTS of each island
    double *residual;          // systemPieces of each island
    double *history;           // vertices x 3 x 2 x HISTORY
    double *work;              // vertices x 12
    double *couplingDiagonal;  // vertices
    double *joined;            // small matrices of joined bodies; NULL: the method has none
    double *linkDiagonal;      // vertices
    double *anchor;            // vertices
    double *coarse;            // of islands of up to COARSE_MOST bodies
    double *rows;              // vertices x SWEEP_ROW_REALS
    Energy *joint;             // bodies x JOINTS: slices of the next
    Energy *link, *pair;       // of all islands
    Coupling *linkCoupling;    // LANES for each spring
    int *linkVertex;           // the same x 2
    Coupling *pairCoupling;    // pairRoom
    Pairs *pairs;              // bodies: of each island
    PairContact **pairContact; // pairRoom
    int *pairVertex;           // pairRoom x 4
    int pairRoom;              // a multiple of LANES
    Contact *contact;          // contactRoom: of the lists of all islands
    int contactRoom;           //
    RidgePair *ridge;          // ridgeRoom: of all islands
    int ridgeRoom;             //
    Proximity *proximity;      // proximityCount: of each island; they keep their lists
    int proximityCount;        // bodies; 0: not with hard contact
    ProximityBody *near;       // bodies
    double *reach, *move;      // vertices, vertices x 3
    double *carried;           // vertices x 3
    int *group;                // vertices
    NearPath *path;            // vertices
    float *field;              // vertices x 8
    unsigned char *crossed;    // vertices
    int *touched;              // vertices
    bool *mark;                // vertices
} SystemPool;

// An island in the step under way (islands_step.c).
typedef struct IslandRun
{
    StepReport report;
    bool sane;                // no number of it is vast, no body has run away
    bool taken;               // its step was taken in the substeps of a fluid
    bool again;               // it is taken again with what its rigid bodies did (meeting.c)
    double otherwise, before; // m, by which they moved otherwise than it thought: this time, and the time before
    int island;               // the k-th of those that one thread solves each: its number
} IslandRun;

struct World
{
    int slot;             // in the table of worlds
    uint32_t *generation; // where the table counts ids of this slot
    Memory memory;
    vvLogger logger;
    void *userData;

    // settings
    Vec3 gravity;
    vvWind wind;
    Method method;
    Tableau tableau; // of "runge-kutta", where one was given
    Isa isa;
    Workers *workers; // NULL: the calling thread alone
    double timestep;
    int maxStepsPerAdvance;
    double sleepEnergy, sleepTime; // J/kg, s; 0: nothing sleeps

    // objects
    int bodySlotCount, bodyCount;
    BodySlot *body;             // bodySlotCount
    Body *firstBody, *lastBody; // in the order of creation
    long long bodiesMade;       // so far
    int attachmentSlotCount, attachmentCount;
    Attachment *attachment; // attachmentSlotCount
    Bonded bonded;          // what they hold together, made anew before each search
    int proxyCount;         // of the bodies
    bool refitting;         // machines are being made, or the world is being destroyed: others are left as they are
    int handleSlotCount;
    Handle *handle; // handleSlotCount
    int addedSlotCount, addedCount;
    Added *added; // addedSlotCount
    Blueprint *blueprints;
    ModalShape *modalShapes; // of bodies that are alike
    Colliders colliders;
    Rigids rigids;
    Fluids fluids;
    Joints joints;
    bool meeting;                  // a rigid body was near a soft one in the last step
    bool softContact;              // bodies meet each other
    int collisionMeshSlotCount;    //
    CollisionMesh **collisionMesh; // collisionMeshSlotCount: of the body in that slot, or NULL
    Broad broad;                   // which of them may meet
    Events events;
    MeshEvents meshEvents;
    long long brokenSince; // steps before the last call that stepped: what broke later is new
    RigidTouches rigidTouches;

    // state
    State state;
    IslandStep step;    // its vectors
    int capacity;       // vertices the block below has room for
    int pastCount;      // vectors of step.past in it
    int clearedCount;   // vertices whose scratch was zeroed
    void *stateBlock;   // one allocation for all arrays of `state` and `step`
    double time, store; // s: simulated; left over by Advance

    // islands
    int islandCount;
    int systemCount;
    System *system;    // one per island, NULL until the next step
    IslandStep *steps; // one per system
    IslandRun *runs;   // likewise
    SystemPool pool;   // what systems are slices of
    bool systemsStale; // bodies, attachments or energies changed
    bool systemsMoved; // islands did

    vvStatistics statistics;
    vvProfile profile; // `other` is found when asked for
    bool warnedUnconverged, warnedSoft, warnedUnresolved, warnedOverlap, warnedMachine;
};

static inline Body *bodyOfMember(Member *member)
{
    return (Body *)(void *)((char *)member - offsetof(Body, member));
}

#endif
