// Verve: what holds bodies. Pins, slides, attachments, handles, hinges, tethers, skins and constraints of your own.
#ifndef VERVE_HOLD_H
#define VERVE_HOLD_H

#include <verve/id.h>

#ifdef __cplusplus
extern "C" {
#endif

// =====================================================================================================================
// Pins and slides
// =====================================================================================================================

// A pin is hard: the position of its vertex is given and no longer solved for. The work of moving it is booked as
// added.
VV_API vvResult vvSoftBody_Pin(vvSoftBodyId body, const int *vertices, int count); // where they are now
VV_API vvResult vvSoftBody_Unpin(vvSoftBodyId body, const int *vertices, int count);
// It arrives at the end of the next step. Copies of a pinned vertex that has come apart are pinned too and go with it,
// until one is moved by itself.
VV_API vvResult vvSoftBody_MovePin(vvSoftBodyId body, int vertex, vvVec3 target);
VV_API bool vvSoftBody_IsPinned(vvSoftBodyId body, int vertex);

// A slide: the vertex moves freely in a plane or along a line through its present position, and not out of it. Unpin
// releases it, Pin holds it, another slide replaces it. The solver "local-global", small-midpoint, small-steps and
// explicit methods refuse slides (VV_BAD_INPUT).
typedef enum vvSlideKind
{
    VV_SLIDE_PLANE, // `axis` is its normal
    VV_SLIDE_LINE,  // `axis` is its direction
} vvSlideKind;

// Lets vertices slide, each through its present position. `axis` may have any length above 0.
VV_API vvResult vvSoftBody_Slide(vvSoftBodyId body, const int *vertices, int count, vvSlideKind kind, vvVec3 axis);

// N, vertexCount x 3: the forces of pins and slides on their vertices in the last step, the vertex's own inertia
// included; 0 at free vertices and before the first step. Implicit methods only; with local-global accurate to the
// second-to-last iteration.
VV_API vvResult vvSoftBody_CopyConstraintForces(vvSoftBodyId body, double *target);

// =====================================================================================================================
// Attachments
// =====================================================================================================================

#define VV_ATTACHMENT_VERTICES 4 // vertices that a point of a body lies between, at most

// A spring from a vertex to a point of space, or between any two points of bodies, which makes the bodies one island.
// The second body may be rigid.
typedef struct vvAttachmentDef
{
    vvSoftBodyId bodyA; // required
    int vertexA;        // a vertex of bodyA. Default 0
    vvSoftBodyId bodyB; // default null: to the point `target`, or to rigidB
    int vertexB;        // a vertex of bodyB, where there is one
    vvVec3 target;      // m; without bodyB and rigidB
    double restLength;  // m, at least 0; with bodyB or rigidB. Default 0
    double stiffness;   // N/m, above 0. Default 1e4

    // To a rigid body, which is pulled back: rigidB instead of bodyB. A body that is free or hangs on soft springs may
    // be as light or heavy as it likes. One that hard joints, motors or contacts hold feels its attachments a few steps
    // later (their sum is kept), and should not be much lighter than what is attached to it.
    vvRigidBodyId rigidB; // default null
    vvVec3 pointB;        // m, in the frame of rigidB. Default 0

    // With bodyB or rigidB, either soft end may be any point between vertices (those of a triangle, an edge or a
    // tetrahedron) instead of vertexA or vertexB. Vertices with a weight other than 0 are used, and the weights sum to
    // 1; outside of the cell some are below 0. From a pick: vertices and weights. Default weights 0: the vertex.
    int verticesA[VV_ATTACHMENT_VERTICES], verticesB[VV_ATTACHMENT_VERTICES];
    double weightsA[VV_ATTACHMENT_VERTICES], weightsB[VV_ATTACHMENT_VERTICES]; // -10 to 10

    double breakForce; // N, above which it breaks at the end of a step. Default infinity
    int cookie;        // set by vvDefaultAttachmentDef
} vvAttachmentDef;

VV_API vvAttachmentDef vvDefaultAttachmentDef(void); // the defaults above

// The energy the new spring starts with is booked as added; what it holds when destroyed, as removed (negative added).
VV_API vvAttachmentId vvCreateAttachment(vvWorldId world, const vvAttachmentDef *def, vvResult *result);
VV_API void vvDestroyAttachment(vvAttachmentId attachment);
VV_API bool vvAttachment_IsValid(vvAttachmentId attachment);
VV_API vvResult vvAttachment_GetDef(vvAttachmentId attachment, vvAttachmentDef *def); // what would make it again

// The point travels to `target` in a straight line during the next step; its work is booked as added.
VV_API vvResult vvAttachment_MoveTarget(vvAttachmentId attachment, vvVec3 target);

VV_API vvVec3 vvAttachment_GetForce(vvAttachmentId attachment); // N on bodyA at the present state; 0 0 0 for a bad id

// True: its force went beyond breakForce, and it holds nothing any more. What it held was booked as removed.
VV_API bool vvAttachment_IsBroken(vvAttachmentId attachment);

// Many attachments at once: every vertex of the surface of bodyA (of a sheet or rope: every vertex) that lies within
// `distance` of bodyB is held where it is now against the nearest place of bodyB. Two sheets are sewn like that, a
// handle is glued onto a jelly. To a solid a vertex is held by the four weights of the nearest tetrahedron: bonds start
// without force and hold along the surface as well as across it. To sheets and ropes it is held at its distance from
// the nearest point: across a gap such bonds give way sideways by about the gap.
typedef struct vvBondDef
{
    vvSoftBodyId bodyA, bodyB; // required, two bodies; bodyB null with rigidB
    vvRigidBodyId rigidB;      // a rigid body instead of bodyB, where every vertex is held as to a solid. Default null
    double distance;           // m, above 0. Default 1e-3
    double stiffness;  // N/m of all bonds together, which have equal shares. Default 0: ten times young x size of the
                       //   softer body (sheets and ropes: young x thickness)
    double breakForce; // N, of all together: each breaks at its share. Default infinity
    int cookie;        // set by vvDefaultBondDef
} vvBondDef;

VV_API vvBondDef vvDefaultBondDef(void); // the defaults above

// Returns how many it made, and the first `capacity` of them; all or none, and at least 1 (else VV_BAD_INPUT).
VV_API int vvCreateBonds(vvWorldId world, const vvBondDef *def, vvAttachmentId *attachments, int capacity,
                         vvResult *result);

// =====================================================================================================================
// Handles: drag a body by any point of its surface
// =====================================================================================================================

// A point of a body on a spring, to drag it by. From a pick: body, vertices and weights.
typedef struct vvHandleDef
{
    vvSoftBodyId body; // required
    int vertices[3];   // those with a weight above 0 are used. Default -1 -1 -1
    double weights[3]; // at least 0, sum 1. Default 1 0 0: the first vertex alone
    // N/m. Default 0: 3600/s^2 x mass of the body (it sags 3 mm under its own weight), but at most young x size (sheets
    // and ropes: young x thickness), so that the spring is not stiffer than the body.
    double stiffness;
    int cookie; // set by vvDefaultHandleDef
} vvHandleDef;

VV_API vvHandleDef vvDefaultHandleDef(void); // the defaults above

// Holds the point where it is, which takes no work. The energy of the spring when it is destroyed is booked as removed.
VV_API vvHandleId vvCreateHandle(vvWorldId world, const vvHandleDef *def, vvResult *result);
VV_API void vvDestroyHandle(vvHandleId handle);          // handles are destroyed with their body
VV_API bool vvHandle_IsValid(vvHandleId handle);         // false for null and stale ids
VV_API vvSoftBodyId vvHandle_GetBody(vvHandleId handle); // null for a bad id

// The end of the spring travels to `target` in a straight line during the next step; its work is booked as added.
VV_API vvResult vvHandle_MoveTo(vvHandleId handle, vvVec3 target);
VV_API vvVec3 vvHandle_GetTarget(vvHandleId handle); // m; 0 0 0 for a bad id
VV_API vvVec3 vvHandle_GetForce(vvHandleId handle);  // N on the body at the present state; 0 0 0 for a bad id

// =====================================================================================================================
// Hinges
// =====================================================================================================================

// A hinge lets the angle at an edge move freely between two limits and is stiff beyond them: lids, fingers, folds. The
// triangles need not belong to the mesh. (A hinge without limits needs no constraint: pin or attach two points of its
// axis.)
typedef struct vvHingeDef
{
    const int *vertices; // count x 4: the edge, then a vertex on either side of it; copied
    int count;           // at least 1
    // degrees, [-180, 180]. 0 is flat; above 0 the edge is a ridge seen from the side from which the first three
    // vertices run counterclockwise. Default 0 and 0.
    double minAngle, maxAngle;
    double stiffness; // N m per radian, above 0. Default 1
    int cookie;       // set by vvDefaultHingeDef
} vvHingeDef;

VV_API vvHingeDef vvDefaultHingeDef(void);                                                  // the defaults above
VV_API vvHingeId vvCreateHinge(vvSoftBodyId body, const vvHingeDef *def, vvResult *result); // as vvCreateConstraint
VV_API void vvDestroyHinge(vvHingeId hinge);          // its energy is booked as removed
VV_API bool vvHinge_IsValid(vvHingeId hinge);         // false for null and stale ids
VV_API vvSoftBodyId vvHinge_GetBody(vvHingeId hinge); // null for a bad id

// =====================================================================================================================
// Tethers and skins: limits of where vertices may be
// =====================================================================================================================

// Long-range tethers keep cloth and ropes from stretching, however few substeps there are: every vertex stays within
// `scale` times its distance at rest, along the edges of the mesh, from the nearest pin of each group of pins that hang
// together (of the four nearest groups). They see the pins that there are when they are made, and a tether does
// nothing while its pin is released.
typedef struct vvTetherDef
{
    double scale; // at least 1. Default 1
    double
        stiffness; // N/m of a vertex beyond its limit, for methods that have no exact limits: all but small-midpoint,
                   // small-steps and pbd. Default 0: 1e5/s^2 x its mass
    int cookie;    // set by vvDefaultTetherDef
} vvTetherDef;

VV_API vvTetherDef vvDefaultTetherDef(void); // the defaults above

// Both are constraints: vvDestroyConstraint removes them, and vvWorld_GetConstraints lists them.
VV_API vvConstraintId vvCreateTethers(vvSoftBodyId body, const vvTetherDef *def, vvResult *result);

// A skin has a position for every vertex, as an animation has them, and says how far the vertices may leave theirs.
// A backstop is a ball or half-space behind that position, against the normal of the surface that all positions make,
// which the vertex does not enter: a cheap collider for what a sleeve covers.
typedef struct vvSkinDef
{
    const double *positions;         // vertexCount x 3, m; copied. Default NULL: where the vertices are
    const double *maxDistances;      // vertexCount, m, at least 0, infinite: none; copied. Default NULL: none
    const double *backstopDistances; // vertexCount, m: how far behind its position it begins, infinite: none; copied.
                                     // Default NULL: none
    double backstopRadius;           // m; 0: half-spaces. Default 0
    double stiffness;                // N/m, as in vvTetherDef. Default 0
    int cookie;                      // set by vvDefaultSkinDef
} vvSkinDef;

VV_API vvSkinDef vvDefaultSkinDef(void); // the defaults above

// As vvCreateTethers. Vertices that are beyond a limit go back to it at 0.2 m/s.
VV_API vvConstraintId vvCreateSkin(vvSoftBodyId body, const vvSkinDef *def, vvResult *result);

// The positions, vertexCount x 3 in m, travel to these in straight lines during the next step; the work that limits do
// is booked as added. VV_BAD_INPUT: it is no skin.
VV_API vvResult vvConstraint_MoveSkin(vvConstraintId skin, const double *positions);

// =====================================================================================================================
// Constraints of your own
// =====================================================================================================================

#define VV_MAX_CONSTRAINT_VERTICES 16 // vertices of one element
#define VV_CONSTRAINT_LANES 8         // elements that projectLanes sees at once

// Elements that keep a few vertices of a body near a set that you describe (docs/constraints.md walks through one).
// Their energy is w/2 |A x - p|^2 with x the positions of the vertices and p the point of the set nearest to z = A x.
// Either `project` or `projectLanes` finds it, or `function` describes the set as C(x) = 0 and the library finds it
// (then A is the identity). They run with every method and solver. Callbacks see vertices in the order of the element,
// must depend on their arguments alone, and may be called from several threads at the same time.
typedef struct vvConstraintDef
{
    const int *vertices; // count x corners, in the body's order; copied
    int count;           // elements, at least 1
    int corners;         // vertices of each, 1 to VV_MAX_CONSTRAINT_VERTICES

    // w, above 0: N/m where A x is a length. Default 1e4, or one for each element (copied).
    double weight;
    const double *weights; // count, or NULL

    // A: count x rows x corners (copied); default NULL: the identity, rows = corners. Differences instead of positions
    // converge faster, and where all rows sum to 0 the constraint takes no momentum.
    const double *matrix;
    int rows; // 1 to VV_MAX_CONSTRAINT_VERTICES

    // z and p: rows x 3. p (with a matrix B, B p) must be the point of the set nearest to z: then forces are the slope
    // of the energy.
    void (*project)(void *userData, int element, const double *z, double *p);

    // The same for many elements: VV_CONSTRAINT_LANES of them at once, number i of lane l at [i * VV_CONSTRAINT_LANES +
    // l], i below 3 rows. With loops over the lanes innermost the compiler makes vectors of them. `elements` has one
    // number for each lane; the last lanes may repeat an element. Default NULL.
    void (*projectLanes)(void *userData, const int *elements, const double *z, double *p);

    // x and gradient: corners x 3. Returns C(x) and writes its gradient.
    double (*function)(void *userData, int element, const double *x, double *gradient);
    bool unilateral; // The constraint is C >= 0: only C below 0 is corrected. Default false

    void *userData; // handed to the callbacks
    int cookie;     // set by vvDefaultConstraintDef
} vvConstraintDef;

VV_API vvConstraintDef vvDefaultConstraintDef(void); // the defaults above

// The energy it starts with is booked as added; what it holds when destroyed, as removed. Elements whose vertices share
// no cell of the mesh make the body's matrix larger; many with vertices far apart make it slow. A body holds about ten
// hinges and constraints: put elements of one kind into one.
VV_API vvConstraintId vvCreateConstraint(vvSoftBodyId body, const vvConstraintDef *def, vvResult *result);
VV_API void vvDestroyConstraint(vvConstraintId constraint);  // constraints and hinges are destroyed with their body
VV_API bool vvConstraint_IsValid(vvConstraintId constraint); // false for null and stale ids
VV_API vvSoftBodyId vvConstraint_GetBody(vvConstraintId constraint); // null for a bad id

#ifdef __cplusplus
}
#endif

#endif
