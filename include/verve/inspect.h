// Verve: what a world can tell. Ledger, statistics, contacts, forces, examination, saved states.
#ifndef VERVE_INSPECT_H
#define VERVE_INSPECT_H

#include <verve/hold.h>
#include <verve/id.h>

#ifdef __cplusplus
extern "C" {
#endif

// =====================================================================================================================
// Ledger, statistics, profile
// =====================================================================================================================

// Where the energy is, in J. Every method keeps it.
typedef struct vvLedger
{
    double kinetic;    // kinetic energy of free vertices (pinned ones carry none), of rigid bodies and fluids
    double elastic;    // materials, springs and attachments
    double gravity;    // -sum m g.x
    double contact;    // energy of contact springs
    double added;      // what the caller put in: forces, moved pins, targets and colliders, teleports, new parameters
    double dissipated; // what damping, friction, restitution, plastic flow and new surface took
    double total;      // kinetic + elastic + gravity + contact
    double target;     // initial total + added - dissipated: what physics says
    double numerical;  // total - target: what the integrator lost (negative) or invented (positive)

    vvVec3 momentum;        // kg m/s, of free vertices, rigid bodies and fluids
    vvVec3 angularMomentum; // kg m^2/s, about the origin, that of spin included
} vvLedger;

VV_API vvLedger vvWorld_GetLedger(vvWorldId world); // islands, rigid bodies and fluids together; zeros for a bad id

// Bodies that attachments couple, or that may have touched in the last step, form an island; energy is accounted for
// per island. Islands are numbered 0 to count - 1 by their first body; numbers may change in every step.
VV_API int vvWorld_GetIslandCount(vvWorldId world);
VV_API vvLedger vvWorld_GetIslandLedger(vvWorldId world, int island);
VV_API int vvSoftBody_GetIsland(vvSoftBodyId body); // -1 for a bad id

// What the world holds and what its last step took.
typedef struct vvStatistics
{
    // the world
    int bodyCount, vertexCount, elementCount, attachmentCount, colliderCount, islandCount;
    int rigidBodyCount;        // kinematic ones too
    int jointCount;            // broken ones too
    int fluidCount;            // fluids
    int particleCount;         // of all fluids
    size_t memoryBytes;        // in use through the allocator
    long long allocationCount; // calls of the allocator so far
    long long stepCount;       // steps so far
    // the last step, over all islands
    int iterations;       // iterations of the solver, the most of any island
    int factorizations;   // matrices factored
    int semidefinite;     // factorizations that needed the positive-semidefinite fallback
    int lineSearchSteps;  // times a step was shortened, or a blend tried
    int linearIterations; // iterations of conjugate gradients: newton-cg, and between joined bodies
    double residual;      // m, max |M^-1 grad g| at the end
    bool converged;       // every island met the tolerance
    double correction;    // 0: all converged. Else the last correction of a solver that stopped earlier, over the
                          // largest motion of the step, the most of any island
    double softness;      // local-global: up to how many times too soft the worst solid is under a load at these
                          // iterations, or it creeps, by its lowest modes; 1: it is its material, or nothing is known
    double alpha;         // methods that blend: the weight of the Euler step with the largest magnitude over islands;
                          // above 0 towards backward Euler, below towards forward Euler; 0: no blend
    int blendFailures;    // islands whose energy no blend brought to its target
    double elasticShare;  // methods that control the energy: elastic over elastic and kinetic energy, the largest
    double spectrum;      // methods that control the energy: share of the kinetic energy in motion with wavelengths of
                          // the mesh's edges, the largest
    double unresolved;    // J, small-midpoint: energy of motion that the substeps do not resolve; part of `numerical`
    int substeps; // substeps of the step, the most of any island: by the rule of small-midpoint and small-steps, or by
                  // `stepTolerance` or an impact on something stiff (stabilized); else 1
    int ruledSubsteps; // those that the rule has, likewise; `substeps` are more where this step or one before gained,
                       // blended or left motion unresolved
    int nearCount;     // contacts that could have happened: the broad phase culled the others
    int crossings;     // small-midpoint with softContact: edges that passed through triangles where the step began
    int rigidContactCount; // points in which rigid bodies touched each other or colliders
    int sleepingCount;     // soft and rigid bodies asleep after it
    // the last Advance
    int advanceSteps;      // steps it took
    double droppedSeconds; // time it dropped because of maxStepsPerAdvance
} vvStatistics;

VV_API vvStatistics vvWorld_GetStatistics(vvWorldId world); // zeros for a bad id

// The substeps of a body's island in the last step.
typedef struct vvSubsteps
{
    int ruled; // by the method's rule: stiffness, size, joints, damping, and what it touches. 1: it has none
    int taken; // more than those where this step or one before gained, blended or left motion unresolved
} vvSubsteps;

// Zeros before the first step, while it sleeps, and for a bad id.
VV_API vvSubsteps vvSoftBody_GetSubsteps(vvSoftBodyId body);

// s of wall clock, summed over all steps so far. Phases do not overlap.
typedef struct vvProfile
{
    double step;     // whole steps
    double prepare;  // islands, orderings, first allocations
    double gradient; // elements: forces and projections
    double matrix;   // assembly of matrices
    double factor;   // factoring them
    double solve;    // solving with them
    double line;     // line search and objective
    double ledger;   // energy accounts: work and dissipation of the step
    double other;    // the rest of `step`
} vvProfile;

VV_API vvProfile vvWorld_GetProfile(vvWorldId world); // zeros for a bad id

// =====================================================================================================================
// Contacts
// =====================================================================================================================

// A vertex that touches a collider, another body or its own body; an edge of a body that crosses one of such a body; or
// a point in which a rigid body touches a collider or another rigid body.
typedef struct vvContact
{
    vvSoftBodyId body;        // the body that has the vertex or edge; null: `rigid` is what touches
    vvRigidBodyId rigid;      // the rigid body that touches; null: `body`
    int vertex;               // in the caller's order; of an edge its nearer end; -1: a rigid body
    vvColliderId collider;    // null: a body
    vvSoftBodyId other;       // the body that has the triangle; null: a collider or a rigid body
    vvRigidBodyId otherRigid; // the rigid body that is touched; null: none
    int triangle;             // triangle of the surface of `other`, or one at its edge; -1: no soft body, or a rope
    vvVec3 point;             // m, on `body`
    vvVec3 normal;            // unit, outward from the collider or the triangle
    vvVec3 force;             // N on the body; 0 in a sensor
    vvVec3 impulse; // N s on the body, over the last step: of small-midpoint, small-steps and pbd what contact gave,
                    // else force times length of the step. Between bodies under these three alone, else 0
    double overlap; // m, penetration depth
} vvContact;

// The contacts at the present state, then those of rigid bodies in the last step: writes at most `capacity`, returns
// how many there are, in a fixed order.
VV_API int vvWorld_GetContacts(vvWorldId world, vvContact *contacts, int capacity);

// What happened to a contact in the last step.
typedef enum vvContactEventKind
{
    VV_CONTACT_BEGIN, // touches at the end of the last step or touched a collider within it, not in the one before
    VV_CONTACT_STAY,  // in both
    VV_CONTACT_END,   // in the one before; ids may be stale, the rest is 0
} vvContactEventKind;

// One event for every body and each thing it touches, over all its vertices or points. Rigid bodies touch in the step
// in which something pushed them, or where they ended nearer than 1e-4 of their radius.
typedef struct vvContactEvent
{
    vvContactEventKind kind;  // begins, stays or ends
    vvSoftBodyId body;        // the body that touches; null: `rigid` does
    vvRigidBodyId rigid;      // the rigid body that touches; null: `body`
    vvColliderId collider;    // null: another body is what it touches
    vvSoftBodyId other;       // that body, where it is soft
    vvRigidBodyId otherRigid; // that body, where it is rigid
    vvVec3 point;             // m, mean of the touching vertices, weighted by force
    vvVec3 normal;            // unit, towards the body; the same mean
    vvVec3 force;             // N on the body, in total
    vvVec3 impulse;           // N s on the body over the last step, as in vvContact, in total
    int vertexCount; // how many touch, with edges, of rigid bodies points; 0: it touched within the step and left again
} vvContactEvent;

// The events of the last step, until the next one: writes at most `capacity`, returns how many there are, in a fixed
// order (by body, then collider; soft bodies before rigid ones). `events` may be NULL.
VV_API int vvWorld_GetContactEvents(vvWorldId world, vvContactEvent *events, int capacity);

// An attachment or a joint that broke; it stays in the world, and holds nothing.
typedef struct vvBreakEvent
{
    vvAttachmentId attachment; // null: `joint` broke
    vvJointId joint;           // null: `attachment` broke
    double force;              // N, that broke it: at the end of the step, of joints the mean over it
    double torque;             // N m, of joints, likewise; 0 for attachments
} vvBreakEvent;

// What broke in the last vvWorld_Step or vvWorld_Advance, until the next one: writes at most `capacity`, returns how
// many there are, attachments before joints, each by their slots. `events` may be NULL.
VV_API int vvWorld_GetBreakEvents(vvWorldId world, vvBreakEvent *events, int capacity);

// =====================================================================================================================
// Forces and energies of a body
// =====================================================================================================================

// The forces and energies of a body at its present state, for pictures and analysis.
// Forces: N, vertexCount x 3: elastic, gravity, attachments and the caller's, pinned vertices included (what the pin
// must hold). Energy densities: J/m^3, vertexCount: each element's elastic energy, in equal shares to its vertices,
// over the volume of matter at the vertex. Stretches: one ratio per cell, 1 at rest: det F of a tet (0 flat, negative
// inverted); without tets the area ratio of a triangle; without both the length ratio of an edge.
VV_API vvResult vvSoftBody_CopyForces(vvSoftBodyId body, double *target);
VV_API vvResult vvSoftBody_CopyEnergyDensities(vvSoftBodyId body, double *target);
VV_API vvResult vvSoftBody_CopyStretches(vvSoftBodyId body, double *target);

// small-steps: the forces of elements in the last substep, from the multipliers of its constraints; 0 before the first.
// Springs: N, one number per edge of the mesh, above 0 where it pulls, 0 where an edge is no spring. Tets: Pa, six
// numbers per tet: stress xx yy zz yz xz xy in the tet's own frame; stable-neo-hookean: what resists a change of
// volume, what resists stretch (the two cancel at rest), and four zeros. Triangles: N/m, three numbers per triangle:
// tension xx yy xy in its own plane, x along its first edge. Not with the model "membrane", whose elements are no
// triangles.
VV_API vvResult vvSoftBody_CopyElementForces(vvSoftBodyId body, double *target);

// small-steps: the forces of single constraints of every kind in the last substep. Constraints are listed in sets: the
// body's material, what its definition adds (bending, limits, fibres, area, volume, shape) and what was added later
// (hinges, constraints of your own), attachments to points, contact with colliders; then of the whole island springs
// between bodies and contact between bodies. Sets that have nothing, and forces that small-steps takes as such
// (pressure, examples), are left out. Forces of all elements of all sets on a vertex are m a - f, f being weight, the
// caller's forces and what is left out, and what planes between sheets stopped where contacts did not (contact.md).
#define VV_MAX_MULTIPLIERS 48 // multipliers of one element

// One constraint and its forces.
typedef struct vvElement
{
    const char *kind;                       // "spring", "corotated", "dihedral", "attachment", "contact" ...; constant
    int vertexCount;                        // 1 to VV_MAX_CONSTRAINT_VERTICES
    int vertex[VV_MAX_CONSTRAINT_VERTICES]; // in the body's order; -1: of another body
    vvVec3 force[VV_MAX_CONSTRAINT_VERTICES]; // N, on each; 0 on pinned ones
    int multiplierCount;                      // 1 to VV_MAX_MULTIPLIERS

    // Over h^2: N of a distance, three coordinates or a contact (normal, then friction), J of an angle 2 sin(angle/2),
    // J of a strain; of "membrane" and constraints of your own the forces again.
    double multiplier[VV_MAX_MULTIPLIERS];
} vvElement;

// From the next step on all elements of the body keep their forces; without it attachments, shape and contact alone do,
// and `force` of others is 0. The last substep of each step then takes about twice its time, and all are taken in
// double precision. Default false.
VV_API vvResult vvSoftBody_KeepForces(vvSoftBodyId body, bool keep);
VV_API int vvSoftBody_GetElementSetCount(vvSoftBodyId body);                                      // 0 for a bad id
VV_API int vvSoftBody_GetElementCount(vvSoftBodyId body, int set);                                // -1: no such set
VV_API vvResult vvSoftBody_GetElement(vvSoftBodyId body, int set, int index, vvElement *element); // both from 0 on

// =====================================================================================================================
// Examination: what a body can bear. Slow (iterations over its matrix); for set-up, pre-flight reports and autopsies.
// =====================================================================================================================

// Frequencies are those of small motion about the present state: from the positive-semidefinite Hessian there, lumped
// masses, pins and attachments to points as they are; to about 0.1 %.
typedef struct vvExamination
{
    int stiffestElement;     // a tet of models of tets, a triangle of "triangle", else an edge, in the caller's order;
                             // -1: all are pinned
    double elementFrequency; // rad/s, the highest frequency of that element alone with its vertices' masses
    double highestFrequency; // rad/s, of the whole body; springs to other bodies count with a bound
    double lowestFrequency;  // rad/s, of the first mode that is not rigid motion; 0: none, or some motion costs nothing
                             // (springs at rest do not resist bending). Springs to other bodies are left out
    double stableStep;       // s, the limit of explicit methods: 2 / highestFrequency, less by damping.mass and
                             // damping.stiffness. Infinite where nothing can vibrate
    int worstElement;        // the most deformed one at the present state, numbered as stiffestElement
    double worstStretch; // its det F, ratio of areas or of lengths: the furthest from 1 by its logarithm, or the most
                         // negative
    int invertedCount;   // tets with negative det F
} vvExamination;

VV_API vvResult vvSoftBody_Examine(vvSoftBodyId body, vvExamination *examination); // allocates temporarily

// =====================================================================================================================
// Saved states: rewind, resume, rollback
// =====================================================================================================================

// A saved state goes back into a world with the same bodies and attachments, made from the same meshes and definitions
// in the same order: the one it came from, or one built again by another process. From there on both take the same
// steps, bit for bit. The bytes are the same on every machine. Settings of the world (solver, iterations, threads) are
// not part of a state; under other settings it continues with other steps. The first step after a restore may allocate.
// bytes; changes with what is in the world, with meshes that are cut or torn, particles of fluids, and the method
VV_API size_t vvWorld_GetStateSize(vvWorldId world);
VV_API vvResult vvWorld_SaveState(vvWorldId world, void *target, size_t size); // exactly that size; allocates nothing
VV_API vvResult vvWorld_RestoreState(vvWorldId world, const void *source, size_t size); // checked before it is used

#ifdef __cplusplus
}
#endif

#endif
