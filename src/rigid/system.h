// The rigid bodies of a world in a step: who may touch whom, the list of contacts, the substeps.
#ifndef RIGID_SYSTEM_H
#define RIGID_SYSTEM_H

#include "base/isa.h"
#include "base/workers.h"
#include "rigid/joint.h"
#include "rigid/rows.h"

// A point in which two bodies may touch within the step. The point of a round shape is that of its core (the centre of
// a ball, the axis of a capsule) with the radius along the normal, so that rolling does not lift it.
typedef struct RigidContact
{
    RigidBody *a, *b;        // the second may be scenery
    int shapeA, shapeB;      // of the bodies
    uint32_t feature;        // of the manifold
    Vec3 localA, localB;     // m, points of the cores
    double radiusA, radiusB; // m, around them
    Vec3 axisA, axisB;       // local, unit: of capsules; else 0
    Vec3 normal;             // unit, world, from b to a
    double depth;            // m, penetration when the step began
    double friction;         // Coulomb's coefficient
    double restitution;      // [0, 1]
    double rolling;          // coefficient of rolling friction; 0: none
    Vec3 belt;               // m/s, world: of the surface of b along itself

    // what its row in the lanes says (rigidRowsTell)
    int row, lane;
    Vec3 armA;     // m, from the centre of a to where it acts
    double lambda; // kg m, normal positional impulse of the substep
    double push;   // N s, normal impulse of the velocities
    double sum;    // N s, RigidRow
    Vec3 slip;     // m, of a against b, that friction has not taken back since the step began
    bool hits;     // they approached each other so fast that they rebound
    Vec3 whole;    // N s on a, of the velocities of the substep

    // of rolling friction
    Vec3 turn;     // rad, that it has not taken back
    Vec3 turning;  // rad, turn at the prediction
    Vec3 twist;    // kg m^2, its couple
    Vec3 couple;   // N m s, that of the velocities
    Vec3 base;     // rad/s, of a against b without it
    bool recalled; // it was there in the last step

    Vec3 impulse; // N s on a, over the step
    bool over;    // it acted earlier in the step, and is no more: for who asks what touched
} RigidContact;

// Bodies that contacts and joints of the step connect.
typedef struct RigidCluster
{
    double slope, curve; // J, of the kinetic energy along the impulses that the velocities of a substep start from
    double lost;         // J, in the step; so far, where joints are booked
    double yielded;      // J, of RigidBody
    bool begins;         // in the first substep: it rests, and remembers no load (load.c)
} RigidCluster;

// What rolling friction needs from the lanes.
typedef struct RigidTurns
{
    double *a, *b;       // MOTION_SIZE of both bodies
    double lambda, push; // of the row
} RigidTurns;

typedef struct RigidLane
{
    int contact, points; // the first, and how many
    int level;           // rows.c
} RigidLane;

typedef struct RigidKey
{
    double key;
    int index;
} RigidKey;

#define RIGID_BLOCK 256

// Contacts that the first step of so many bodies and colliders makes room for: two boxes that rest on faces have 8.
#define RIGID_CONTACTS_ROOM(bodies) maxInt(64, 8 * (bodies))

// Two shapes that may touch, and where they do.
typedef struct RigidMeeting
{
    RigidBody *a, *b;
    int shapeA, shapeB;
    double margin; // m
    int pair;      // of the bodies
    bool stands;   // the pair keeps the contacts that it has
    bool last;     // of the pair
    int count;
    ManifoldPoint point[MANIFOLD_LIMIT];
} RigidMeeting;

// Where a body was when pairs were found, and what it has done since.
typedef struct RigidPlace
{
    Vec3 position; // m, then
    double reach;  // m, by which its surface may move until they are found again

    // since the step began (renew.c)
    vvQuat rotation; // when it was asked last
    double turned;   // rad, by then
    double before;   // rad, when pairs were found
    double moved;    // m, that its surface has moved by at most since pairs were found
    Vec3 now;        // m, its position
    Vec3 velocity;   // m/s
    double pace;     // m/s, the length of that
    double swing;    // rad/s
    double radius;   // m
} RigidPlace;

// The contacts of a pair of bodies, and where both were when they were found.
typedef struct RigidNear
{
    bool stands;             // they still hold (renew.c)
    bool renewed;            // not found with the pairs, but later
    int first, count;        // in the list
    int start;               // while they are found anew: the first of these
    double distance;         // m, of the nearest, then; without contacts: the margin, or more
    Vec3 between;            // m, from b to a
    double turnedA, turnedB; // rad, of their places
} RigidNear;

// Inverse mass and inertia about the centre of mass, in the world: what an impulse (N s) and its moment (N m s) change
// of velocity and spin.
typedef struct RigidEase
{
    double m[6][6];
} RigidEase;

// How a body gives way with what holds it.
typedef struct RigidHold
{
    RigidEase ease;      // within a step
    RigidEase firm;      // at once: springs do not count
    RigidEase stiffness; // of the springs: N/m, N/rad, N m/rad
    bool clear;          // no contact with a rigid body or scenery is near,
    bool alone;          // and no joint holds it
} RigidHold;

// A body as a sweep left it.
typedef struct JointsSwept
{
    Vec3 position, impulse, couple;
    vvQuat rotation;
} JointsSwept;

// J, the kinetic energy of a cluster: without joints, after the sweep, and with all of them solved
typedef struct JointsEnergy
{
    double free, swept, now;
    bool undone; // it goes back to the sweep
} JointsEnergy;

// The rows of all joints as one system (joint_together.c).
typedef struct JointsTogether
{
    int count, room;
    JointRow *row;        // room
    int *link;            // likewise: of which joint
    int *first, *start;   // likewise: the first column of its envelope, and where that is in `lower`
    double *diagonal;     // likewise, of D; 0: the row depends on others
    double *right, *step; // likewise: what is to be taken back; of the multipliers
    double *bounded;      // likewise: the step of a row that is fixed at a bound
    bool *fixed;          // likewise
    Joint *kept;          // a sixth of them: the joints as the sweep left them
    int bodyRoom;
    JointsSwept *swept;   // bodyRoom: of the active bodies
    JointsEnergy *energy; // likewise: by cluster
    double *lower;        // lowerRoom: L, row by row
    int lowerRoom;
} JointsTogether;

// Counts are of the step under way; arrays have room for `room` bodies and scenery, pairs and contacts their own.
typedef struct RigidSystem
{
    Vec3 gravity; // m/s^2
    int substeps;
    int iterations; // sweeps of a substep; 0: one, and then all joints together
    JointsTogether together;
    const RigidLink *link; // linkCount: joints, in the order of their creation
    int linkCount;
    bool sleeps; // bodies may be asleep
    int bodyCount, sceneryCount;
    RigidBody **body;          // bodyCount + sceneryCount: those of the world, then scenery
    const Collider **collider; // sceneryCount
    RigidBody *scenery;        // sceneryCount: colliders as bodies that nothing moves
    RigidShape *sceneryShape;  // sceneryCount
    vvBox *box;                // bodyCount + sceneryCount: of their paths
    RigidPlace *place;         // likewise
    RigidKey *order;           // likewise
    RigidCluster *cluster;     // likewise: by the smallest index of a body in it
    int room;
    RigidBody **active;   // activeCount: those of the world that are awake
    int activeCount;      //
    int *island;          // bodyCount: the first body of its island, where bodies may sleep
    bool *awake;          // likewise, by that
    RigidLink *awakeLink; // linkRoom
    int linkRoom;
    RigidKey *pair; // pairCount: by rigidPairKey
    int pairCount, pairRoom;
    RigidKey *apart; // apartRoom: pairs that joints keep from meeting
    int apartRoom;
    RigidContact *contact; // contactCount
    int contactCount, contactRoom;
    RigidNear *near; // nearRoom, pairCount of them are in use
    int nearRoom;
    // those before contacts were found anew within the step
    RigidKey *oldPair;
    RigidNear *oldNear; // nearRoom
    RigidContact *oldContact;
    int oldPairCount, oldPairRoom, oldContactRoom;
    bool rolls;            // there is rolling friction
    RigidMeeting *meeting; // RIGID_BLOCK: of the pairs that are looked at together

    Workers *workers;

    Isa isa;         // of the kernels
    RigidLane *lane; // laneRoom, as `sorted`; `start` has RIGID_POINTS times that
    int *sorted, *start, laneRoom;
    int *level; // bodyCount + sceneryCount: of the last lane of each body
    RigidBatch *batch;
    int batchCount, batchRoom;
    RigidBatch *acting; // batchRoom: those with a contact that acts in the substep, actingCount, then the others
    int actingCount;
    int *struck; // batchRoom: batches with a body that was struck in this substep, or of a cluster that begins
    bool begins; // in the first substep: some cluster does
    RigidRow *row;
    int rowRoom;
    double *motion; // MOTION_SIZE of each body, and of nobody

    unsigned char *asked;   // room: how bodies give way, where it is not 0 (support.c)
    RigidHold *hold, *next; // room
} RigidSystem;

bool rigidSystemReserve(RigidSystem *system, Memory *memory, int count); // bodies and scenery; false: out of memory
void rigidSystemRelease(RigidSystem *system, Memory *memory);
void rigidSystemAddScenery(RigidSystem *system, const Collider *collider, int slot, double dt); // after all bodies

// ---- broad.c --------------------------------------------------------------------------------------------------------

bool rigidPairs(RigidSystem *system, Memory *memory, double dt); // false: out of memory
bool rigidAddPair(RigidSystem *system, Memory *memory, double key);
void rigidSort(RigidKey *keys, int count); // ascending; by the index where keys are equal

static inline double rigidPairKey(int a, int b)
{
    return a * 33554432.0 + b; // 2^25
}

static inline int rigidPairFirst(double key)
{
    return (int)(key / 33554432.0);
}

static inline int rigidPairSecond(double key)
{
    return (int)(key - rigidPairFirst(key) * 33554432.0);
}

// ---- island.c -------------------------------------------------------------------------------------------------------

bool rigidIslands(RigidSystem *system,
                  Memory *memory);            // after the pairs: who wakes and takes part; false: out of memory
void rigidKeepPairs(RigidSystem *system);     // those of bodies that are awake
bool rigidAllRest(const RigidSystem *system); // nothing is awake, and nothing moves
// After a step: islands whose bodies were calm for `time` s fall asleep. What they had is added to `dissipated`.
void rigidTire(RigidSystem *system, double time);

// ---- collect.c ------------------------------------------------------------------------------------------------------

// The contacts of the pairs, for the dt s that are left of the step; those that stand come from the old list.
// recovered: m, of the depths so far. False: out of memory.
bool rigidCollect(RigidSystem *system, Memory *memory, double dt, double recovered);
double rigidReach(const RigidSystem *system, const RigidBody *body, double dt); // m, that its surface may move by

// ---- contact.c ------------------------------------------------------------------------------------------------------

void rigidContactsOpen(RigidSystem *system, double h);                   // before the first substep of a step
void rigidContactsPush(RigidSystem *system, double h, double recovered); // positions; m recovered of the depths so far
void rigidContactsSettle(RigidSystem *system, double h);                 // velocities
void rigidContactsClose(RigidSystem *system, double h, bool last);       // what they took and gave in the substep

// ---- load.c ---------------------------------------------------------------------------------------------------------

void rigidLoadsBegin(RigidSystem *system, double h); // before the first substep: which clusters begin
bool rigidLoadsHave(const RigidSystem *system, const RigidContact *contact);
int rigidLoadsList(RigidSystem *system);            // their batches, in `struck`; returns how many
bool rigidLoadsStay(RigidSystem *system, double h); // since it was asked last, in the sweeps of a substep

// ---- renew.c --------------------------------------------------------------------------------------------------------

bool rigidContactsFind(RigidSystem *system, Memory *memory,
                       double dt); // before the first substep; false: out of memory
// Between two substeps: contacts of pairs that have moved too far since theirs were found. next: s until it is asked
// again, rest: s that are left of the step, h: s of a substep.
bool rigidContactsRenew(RigidSystem *system, Memory *memory, double next, double rest, double h, double recovered);
void rigidCarry(RigidSystem *system, RigidNear *near); // from the old contacts of a pair to those found anew

// ---- rows.c ---------------------------------------------------------------------------------------------------------

bool rigidArrange(RigidSystem *system, Memory *memory); // contacts into lanes; false: out of memory
void rigidRowsTell(RigidSystem *system);                // from the lanes to the contacts
RigidTurns rigidRowsTurns(RigidSystem *system, const RigidContact *contact); // of one

// ---- memory.c -------------------------------------------------------------------------------------------------------

void rigidRecall(RigidSystem *system, double h);   // into new contacts; h: s, of the substep
void rigidRemember(RigidSystem *system, double h); // after a step that is accepted

// ---- support.c ------------------------------------------------------------------------------------------------------

// After a step: `hold` of the bodies whose `asked` is 1 (else 0), with what holds them.
void rigidSupport(RigidSystem *system, double dt);

// ---- rolling.c ------------------------------------------------------------------------------------------------------

void rigidRollingBegin(RigidContact *contact, RigidTurns turns, double h); // at the prediction
void rigidRollingPush(RigidContact *contact, RigidTurns turns);            // a sweep of positions, after friction
void rigidRollingKeep(RigidContact *contact, RigidTurns turns);            // after the sweeps
void rigidRollingStart(RigidContact *contact, RigidTurns turns);           // of the velocities
void rigidRollingShare(RigidContact *contact, RigidTurns turns);
void rigidRollingSettle(RigidContact *contact, RigidTurns turns); // a sweep, after friction
void rigidRollingEnd(RigidContact *contact, RigidTurns turns);

// ---- cluster.c ------------------------------------------------------------------------------------------------------

// RigidBody.cluster, of the contacts and joints of the step: anew, or of those found since too
void rigidClusters(RigidSystem *system, bool anew);
void rigidClustersBook(RigidSystem *system); // after the step

// ---- joint_together.c -----------------------------------------------------------------------------------------------

bool jointsReserve(RigidSystem *system, Memory *memory); // false: out of memory
void jointsRelease(JointsTogether *together, Memory *memory);
// After a sweep, which decides what limits and motors hold. False: out of memory.
bool jointsSolveTogether(RigidSystem *system, Memory *memory, double h);

// ---- share.c --------------------------------------------------------------------------------------------------------

// Work on [first, end) that no other range depends on.
typedef void (*RigidRange)(void *context, int first, int end);
// [0, count) in ranges of about `grain`, whose bounds do not depend on the number of threads.
void rigidShare(const RigidSystem *system, int count, int grain, RigidRange function, void *context);

// ---- step.c ---------------------------------------------------------------------------------------------------------

bool rigidSystemStep(RigidSystem *system, Memory *memory, double dt); // false: out of memory

#endif
