// What integrators keep, from step to step and within the step under way: of one body (a Member points to it) and of an
// island (a System does). The rooms below do not look inside.
#ifndef INTEGRATE_STEP_STATE_H
#define INTEGRATE_STEP_STATE_H

#include "base/vec.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

// ---- from step to step ----------------------------------------------------------------------------------------------

#define RECALL_NUMBERS 16
#define RECALL_MODES 14   // of them, under every method: what the modes of a body are made from; 0: not made yet
#define HISTORY_NUMBERS 5 // entries of which gain and loss are kept

// Multistep methods: the ring of entries in IslandStep.past (history.c).
typedef struct HistoryRecall
{
    double count;                 // valid entries
    double step;                  // s between them
    double head;                  // place of the newest
    double gain[HISTORY_NUMBERS]; // of the entries, newest first: what was put in
    double loss[HISTORY_NUMBERS]; //   and what was dissipated
    double unused;                // 0
    double modes;                 // RECALL_MODES
} HistoryRecall;

// Methods that watch their energy (watch.c, energy_control.c): the same in every member of an island but for the clock.
typedef struct EnergyRecall
{
    double most;       // J, the most energy of motion so far
    double stored;     // J, elastic and contact energy where the last step ended
    double clock;      // steps since the spectrum was measured; in the first member
    double spectrum;   // 1, the spectrum then; in the first member
    double moving;     // J, energy of motion where the last step ended
    double left;       // J, the most so far less the shares of it that damping took since
    double level;      // doublings of the substeps, or WITHOUT_MODES
    double levelSteps; // steps that this stays for; of no doublings: in which the island lay still (lying.c)
    double swing;      // J, the most kinetic energy of late
    double alone;      // 1: the last step was that of a free body by itself (settleVibration),
    double adrift;     // J, and its error when such steps began
    double missing;    // J, of the energy that was lost while something touched: the member's share of the island's
    double inMatrix;   // J, what damping in the matrix held of the member's velocities where the last step ended
    double pressed;    // J, of what contact took in the last steps: it may give it back
    double modes;      // RECALL_MODES
    double behind;     // 1 - `ahead` of the next step: how much sooner it takes its forces
} EnergyRecall;

#define WITHOUT_MODES 4

// pbd (pbd_energy.c): the same in every member of an island.
typedef struct ProjectedRecall
{
    double begun;      // 1: the next is known
    double held;       // J: the member's share of what projections took and may give back
    double met;        // 1: something has touched
    double unused[11]; // 0
    double modes;      // RECALL_MODES
    double more;       // 0
} ProjectedRecall;

// All 0 at the first step of a method. A method has one of them: a history if its integrator has pastSlots. Saved
// states and state hashes walk the numbers in this order.
typedef union Recall
{
    double number[RECALL_NUMBERS];
    HistoryRecall history;
    EnergyRecall energy;
    ProjectedRecall projected;
} Recall;

static_assert(offsetof(EnergyRecall, modes) == RECALL_MODES * sizeof(double), "of every method");
static_assert(offsetof(HistoryRecall, modes) == RECALL_MODES * sizeof(double), "of every method");
static_assert(offsetof(ProjectedRecall, modes) == RECALL_MODES * sizeof(double), "of every method");
static_assert(sizeof(Recall) == RECALL_NUMBERS * sizeof(double), "saved states hold all of a recall");

// ---- within a step --------------------------------------------------------------------------------------------------

// of free vertices
typedef struct RigidMotion
{
    int count;   // free vertices
    double mass; // kg
    Vec3 centre, velocity, spin;
    Mat3 inertia; // kg m^2, about the centre
} RigidMotion;

// What turns a momentum into a rigid motion.
typedef struct RigidFrame
{
    double mass; // kg
    Vec3 centre;
    Mat3 inertia; // kg m^2, about the centre
    Mat3 inverse; // 1/(kg m^2): of the inertia, 0 about axes without any
} RigidFrame;

typedef struct RigidTwist
{
    Vec3 linear, spin; // of the centre of mass, about it
} RigidTwist;

// What rolling friction finds of a member in a substep (rolling.c).
typedef struct Rolling
{
    bool found;        // the rest is that of this substep
    RigidFrame frame;  // where it ends
    double lever;      // m
    RigidTwist twist;  // of the body as a whole,
    RigidTwist change; //   and what it is changed by
} Rolling;

// A part of a member that nothing joins to the others.
typedef struct Piece
{
    int begin, end;   // of Pieces.vertex
    bool loose;       // nothing holds it, in the step under way
    RigidFrame frame; // then: where forces are taken
    RigidTwist twist; // and what they make of it as a whole
    Vec3 couple;      // N m s: what contacts of this substep owe it
} Piece;

#define MOST_PIECES 64

// Those of a member that has fallen apart.
typedef struct Pieces
{
    int count;
    int *vertex; // of the member, piece by piece
    int *of;     // the member's vertices: the piece that each is in, -1: none
    Piece piece[MOST_PIECES];
} Pieces;

// The rigid motion of a member on the line between two ends of a step, by powers of the place on it: about a point that
// stays.
typedef struct Turning
{
    Vec3 first[2];                          // kg m, of mass
    double second[3][6];                    // kg m^2, likewise: xx yy zz xy xz yz
    Vec3 linear[2], angular[3];             // kg m/s, kg m^2/s: momenta as the line has them
    Vec3 wantedLinear[2], wantedAngular[2]; // as the outer forces make them, at both ends
} Turning;

// What joins a member to others (joined_mass.c).
#define JOINED_MOST 450        // motions of a group of members that are exact, at most
#define JOINED_ROOM (26 * 104) // numbers of a matrix over them, for each member of a group
typedef struct JoinedMember
{
    int group;          // its first member; -1: no spring joins it
    int reach;          // the first member that a spring joins it to, or itself
    int place, motions; // of the group's motions those of this member
    int rigid;          // of these: translations, then turns
    bool pinned;        // then it has no rigid motion of its own
    bool stiff;         // none of its motions is exact
    double drag;        // 1: by which drag resists more than the mass alone
    Mat3 turn;          // 1/(sqrt(kg) m): turns about its columns are orthonormal in the masses

    // of the first member of a group
    bool tied;                // something holds the group in space
    int size;                 // motions
    double *metric, *inverse; // size^2 each: G and X, factored
    RigidFrame whole;         // of the group as one rigid body, without what is pinned
    bool partly;              // held, but not all of the motions of the whole are: they are free by
    double free[36];          // this projector, of three translations and three turns that are orthonormal in the
    Mat3 wholeTurn;           // masses; as `turn` is
} JoinedMember;

// Of the velocity of a member under its stiffness, from Lanczos' iteration (vibration_damping.c).
#define DAMPED_ROUNDS 6  // of damped_rest.c, at most; an even number
#define VIBRATION_ROOM 8 // vectors
typedef struct Krylov
{
    double time;                                     // s, damping over stiffness; 0: not damped, or it does not move
    double norm;                                     // of the velocity, (kg m^2/s^2)^(1/2)
    double stiff[VIBRATION_ROOM * VIBRATION_ROOM];   // 1/s^2: the stiffness between the vectors,
    double viscous[VIBRATION_ROOM * VIBRATION_ROOM]; // 1/s: and the damping
    int count;                                       //
    bool ended;                                      // nothing is beyond these
    bool leans, held;                                // on colliders; stiff ones
    bool stands;                                     // so held it does not move as a whole
    bool slides;                                     // on colliders or other bodies
    bool strays, strayed;                            // pins do not move as one rigid body, in this vector or the first
    double smooth, work;                             //   s^2, of beginStrays; J, what pins do
    RigidMotion beside;                              // of the velocity: beside which it vibrates

    // of members that joints hold together the first has all of this, and for every one of them
    int group, next; // the first member, and the next one of the group or -1
    Vec3 slip;       // m/s: the sum of what slides at its contacts with others where there is friction,
    int contacts;    //   and their number
} Krylov;

typedef struct StepState
{
    double waves;        // 1/s: speed of waves through the matter over the size
    bool standsForRigid; // for a rigid body that springs join to others
    double rigidDamping; // 1/s
    double wetDamping;   // 1/s: likewise, of the fluid along it in the step under way
    Recall recall;       // from step to step
    Recall recalled;     // the same, as it was before the step under way

    RigidFrame frame;    // of a loose member, where forces are taken
    RigidTwist twist;    // and what they make of it as a whole
    Mat3 turn;           // kg m^2: K of inverse_mass_touched.c
    bool loose;          // its momentum is corrected, in the step under way
    bool tied;           // pins or springs hold it in space, in the step under way
    Pieces *pieces;      // NULL: it hangs together
    bool apart;          // those of its pieces that are loose have momenta of their own, in the step under way
    JoinedMember joined; // what springs join it to, in the step under way
    bool turns;          // the step is taken in a frame that turns with it (spin_frame.c),
    Vec3 frameSpin;      //   1/s: at this rate, else 0
    Mat3 frameHalf;      //   by so much in half of the step
    bool paced;          // its lowest modes keep their pace (mode_pace.c),
    bool paceFound;      //   and a round before has told where they go
    Vec3 coupleAhead;    // N m s: what it got before the law, as contacts of the substep before owed it
    Vec3 couple;         // N m s: what contacts of this substep owe it,
    double coupleLoss;   // J: and what giving it took
    Rolling rolling;     //
    Turning turning;     // then: what it has and must have along a blend
    RigidMotion rigid;   // room of a method
    Krylov krylov;       // likewise

    // what is booked besides Member.added and .dissipated, which are those of the (sub)step under way
    double addedBefore, dissipatedBefore; // J, of the substeps before it
    int rounds;                           // of damped_rest.c in this substep; 0: one solve
    double round[DAMPED_ROUNDS];          // 1: how far each of them goes,
    double over;                          //   and all of them together
    double least;                         // 1: what one solve makes of what should move most, over that
    double power;                         // W, that damping takes where forces were taken last
    double taken;                         // J, by damping within the substeps so far
    double inMatrix;                      // J, of that in the prefactored matrix, at the end that was looked at last
    double beside;                        // J, kinetic, of what is neither rigid nor a mode there
    double stopped;                       // J, that it took at once of velocities where the step began
    double stored;                        // J, that it added to the mass at both ends of the step: how sure this is
    double gain, loss;                    // W, put in and dissipated at the moment last asked for
    double first[2];                      // W, likewise when the step began
    double unresolved;                    // J, of the last look (unresolved.c)
    double sum[2], whole[2];              // J, likewise, of a method's and of a divided step's substeps
} StepState;

#define PAST_VECTORS 32 // most vectors that a method keeps or works in

// Of an island, beside its State, or of all vertices of a world, of which islands have slices. Vectors are count x 3.
typedef struct IslandStep
{
    double *past[PAST_VECTORS]; // what a method keeps from step to step, then its own room; NULL: not needed

    double *frameStart;    // `start`, `startVelocity` and `pinTarget` of the whole step while substeps are taken
    double *frameVelocity; //
    double *frameTarget;   //
    double from, to;       // 1: fractions of the world's step: the substep being taken
    double begun, ends;    // likewise, of the step that substeps are taken of: 0 and 1 but where that is a part itself
    double reached;        // likewise, where the last such step ended: another that begins elsewhere is taken again
    const double *origin;  // count x 3: what the rates of the step are measured from; NULL: x_n
    double target;         // J, what the accounts of the members say before the step
    bool booked;           // substeps were booked: the work of constant forces follows at its end
    bool spared;           // the past as it was before the step stands behind the room of divisions
    bool unsettled;        // friction moves on only when the whole step is done
    double rolling;        // 1: rolling friction, a share of levers
    bool lies;             // sheets lie still: substeps by the rule are fewer (lying.c)
} IslandStep;

#endif
