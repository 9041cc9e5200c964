// Verve: soft bodies. What they are made of, where they are, and the forces you apply to them.
#ifndef VERVE_BODY_H
#define VERVE_BODY_H

#include <verve/id.h>
#include <verve/material.h>
#include <verve/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VV_MAX_NAME 63               // bytes of a body's name
#define VV_MAX_EXAMPLES 4            // shapes that a body is drawn to, of one body
#define VV_MAX_CLUSTERS 64           // regions of one body for shape matching
#define VV_MAX_CONTACT_SAMPLES 16    // points along an edge of a surface
#define VV_MAX_CONTACT_SURFACE 65536 // points of a carried surface that meet colliders

// The stretch ratios within which a body moves freely; beyond them it is stiff. Together with a soft material this
// makes a material that hardens, as cloth does.
typedef struct vvStrainLimit
{
    double min, max;  // allowed stretch ratio: min in [0, 1], max at least 1. Default 0 and 0: no limit
    double stiffness; // Pa, beyond the limits. Default 0: 100 young

    // For limits that differ by direction: min and max then hold along this direction of the mesh at rest (for
    // triangles: its projection onto their plane), acrossMin and acrossMax across it. Default 0: the same in all
    // directions.
    vvVec3 direction;
    double acrossMin, acrossMax; // as min and max
} vvStrainLimit;

// What takes energy from a body; each is at least 0.
typedef struct vvDamping
{
    // 1/s: drag proportional to mass and velocity (Rayleigh's alpha). Default 0.
    double mass;

    // s: damping of the strain rate in proportion to stiffness (Rayleigh's beta). A vibration of angular frequency w
    // has the damping ratio beta w / 2. It does not damp rigid motion and keeps both momenta. Default -1: from the
    // loss factor of the material, loss / w with w = pi sqrt(young / density) / d, the slowest wave along d: the cube
    // root of the volume of a solid, the size of a sheet or rope. Of these, which are longer than what vibrates in
    // them, w is at least 2 pi 50/s. The number holds from then on, also when the material changes;
    // vvSoftBody_GetDamping tells it.
    double stiffness;

    // N s/m: damping of the rate of length of every spring; spring models only. Default 0.
    double spring;

    // 1/s: the rate at which velocities decay, except those of the body as a rigid whole (vibrations decay at half this
    // rate). It keeps both momenta. Default 0.
    double rigidPreserving;
} vvDamping;

// Who has a mixture of examples of its own, see vvSoftBodyDef.examples.
typedef enum vvExampleWeights
{
    VV_EXAMPLE_WEIGHTS_LOCAL,  // "local": each tet: a bar may bend at one end alone
    VV_EXAMPLE_WEIGHTS_GLOBAL, // "global": the whole body, which then moves as its examples do; not with
                               // linear-implicit-euler
} vvExampleWeights;

// What a soft body is made from. Start from vvDefaultSoftBodyDef().
typedef struct vvSoftBodyDef
{
    vvMesh *mesh; // required; shared, not copied: the body keeps it alive

    // What holds the body together, by one word. Default NULL: "corotated" for tets, "spring" for sheets and ropes.
    //   "corotated"       linear elasticity in the rotated frame, from young and poisson
    //   "stable-neo-hookean"  the same for small strain; resists being squeezed to nothing and turned inside out (Smith
    //                         2018)
    //   "stvk"            St. Venant-Kirchhoff: Hooke's law of Green's strain. Stiffens when stretched, gives way when
    //                     compressed to less than 0.58: set strainLimit.min to 0.6 or more
    //   "mooney-rivlin"   rubber, by law.secondShare; otherwise as "stable-neo-hookean"
    //   "ogden"           rubber and tissue that stiffen, by the exponents of law
    //   "smoothed"        corotated with strains averaged around edges and vertices: bends and twists as it should on
    //                     meshes of two cells across, where single tets are 1.5 to 2 times too stiff, and does not lock
    //                     near poisson 0.5; twice the time. Methods that sweep (small-steps, pbd) take it as
    //                     "corotated"
    //   "linear"          linear elasticity: right while nothing turns
    //   "spring"          Hooke's springs along the edges of the mesh
    //   "squared-spring"  springs of Dinev 2018, Eq 7: smooth and not convex
    //   "curve"           springs whose stress follows a measured curve, by law; in ropes, nets and sheets of springs
    //   "triangle-curve"  triangles of a sheet that follow such a curve in a pull in any direction; bends as "triangle"
    //   "tet-curve"       tets that do
    //   "membrane"        finite differences of the metric on the grid of a sheet with both diagonals
    //                     (vvCreateSheetMesh), from young, poisson and thickness; resists no bending
    //   "triangle"        strain of the triangles of a sheet, from young, poisson and thickness: the same cloth on
    //                     every mesh
    //   "woven"           triangles of cloth with other moduli along warp and weft, by law; bends as "triangle"
    const char *model;

    vvMaterial material; // default vvMaterial_Rubber() with loss -1
    vvLaw law;           // of woven cloth and models for large strain. Default vvDefaultLaw()

    // Tearing (docs/bodies.md), and a factor of toughness and strength for every triangle, tet or edge of a sheet,
    // solid or rope, [1e-9, 1e9], in the caller's order, copied: an edge has the lesser one of its triangles, a face of
    // its tets, so that a row below 1 is a weak seam. Default NULL: 1.
    vvTear tear;
    const double *elementToughness;

    // Several tissues in one body, a stiff core: a factor of Young's modulus for every element, [1e-9, 1e9]. Elements
    // are the tets of models of tets, the triangles of "triangle", "woven" and "triangle-curve", else the edges of the
    // mesh, in the caller's order; copied. It scales the stiffness of the model with its damping, and bending with
    // models of triangles (by the mean around a vertex); what has a stiffness of its own below keeps it. Not with
    // "membrane". Default NULL: 1.
    const double *elementStiffness;

    // "woven": the direction of the warp in every triangle at rest, x 3, each as law.warp is; copied: panels of a
    // garment that are cut in different directions. Default NULL: law.warp.
    const double *elementWarp;

    // kg, above 0: the mass of every vertex instead of its share of the material's, in the caller's order; copied.
    // Default NULL: from density.
    const double *vertexMass;

    // N/m for each vvEdgeKind of the spring models. Default all negative: from young, thickness and the edge's share of
    // the matter (skip springs have no such share and then get none). 0 leaves a kind out.
    double springStiffness[VV_EDGE_KINDS];

    // Constraints beside the model; docs/constraints.md has the equations. Each is a stiffness of the material, so that
    // it means the same on every mesh.

    // Sheets: bending stiffness as a multiple of that of a plate of this material, young thickness^3 / 12 (1 -
    // poisson^2). It acts on the mean curvature at the inner vertices, which may have at most 15 neighbours. At least
    // 0. Default -1: 1 with models of triangles, 0 with springs (which may resist bending by skip springs instead).
    // Rods (vvMeshDef.rod): a multiple of young x pi thickness^4 / 64, that of a round rod; default -1: 1.
    double bending;

    // Rods: resistance to twist as a multiple of that of a round rod, young / 2 (1 + poisson) x pi thickness^4 / 32. At
    // least 0. Default -1: 1.
    double twisting;

    // How bending is measured, by one word. Default NULL: "mean-curvature", and "dihedral" with plasticity.
    //   "mean-curvature"  at vertices (Bouaziz 2014, Eq 21); a projection, for which local-global converges best. It
    //                     does not distinguish the sides: a curved shell that snaps through keeps its energy
    //   "dihedral"        by the angle at edges; distinguishes the sides, and acts at the rim too
    const char *bendingModel;

    // Limits of the stretch of tets, of triangles of a sheet, of segments of a rope. Default none.
    vvStrainLimit strainLimit;

    // What makes it keep a dent, a crease, a stretch. Default none.
    vvPlasticity plasticity;

    // Pa, at least 0: resistance to a change of the volume of each tet, or of the area of each triangle of a sheet, in
    // addition to the material. It is a bulk modulus K, with the energy K/2 (J - 1)^2 for small changes. Inverted, flat
    // and vanished cells recover. Default 0.
    double volumeStiffness;
    double areaStiffness;

    // The ratios of volume, or of area, within which these two let every cell change freely: [0.01, 1] and at least
    // 1. Default 1 and 1: any change is resisted.
    double volumeMin, volumeMax;

    // 1/s^2, at least 0: shape matching. It pulls every vertex, in proportion to its mass, to its place in the rest
    // shape, moved rigidly to the best fit; its root is the angular frequency at which the shape recovers. Not with
    // linear-implicit-euler. Default 0.
    double shapeStiffness;

    // The number of overlapping regions of the mesh that are fitted separately, so that the body bends between them,
    // [0, VV_MAX_CLUSTERS]. Default 0: the whole body is one region.
    int shapeClusters;

    // Pa: constant pressure inside a closed surface. Its energy, -pressure times (volume - volume at rest), is booked
    // as elastic. Below 0 it is suction. Default 0.
    double pressure;

    // Shapes in which the body is at rest besides its rest shape, as in all mixtures of them: exampleCount,
    // [0, VV_MAX_EXAMPLES], arrays of vertexCount x 3 coordinates in m in the mesh's order; copied. The model still
    // pulls to the rest shape: make it soft. exampleStiffness: Pa. Default 0: young. exampleWeights: default
    // VV_EXAMPLE_WEIGHTS_LOCAL.
    const double *const *examples;
    int exampleCount;
    double exampleStiffness;
    vvExampleWeights exampleWeights;

    // m, vertexCount x 3 in the mesh's order: where the vertices are at the start, before `position` is added. The
    // mesh stays the rest shape, so that a body may begin stretched, bent or crumpled, with the energy of that. Read
    // once. Default NULL: at the mesh's points.
    const double *positions;

    vvVec3 position;   // m, added to the mesh's points. Default 0
    vvVec3 velocity;   // m/s. Default 0
    vvVec3 spin;       // rad/s, about the centre of mass. Default 0
    vvDamping damping; // default by the loss factor of the material alone

    // N/m^3: contact pressure per penetration depth, so that it means the same on every mesh. Default 0: from the
    // material, 10 young / size of the body (sheets and ropes: at most 1e6/s^2 times their mass per area).
    double contactStiffness;

    // Coulomb's coefficient, at least 0. Two coefficients are combined by the root of their product. Default -1: that
    // of the other side alone; between two bodies that both have -1 it is 0.5.
    double friction;

    // Coulomb's coefficient of every vertex instead of `friction`, at least 0, or -1 as there, in the caller's order;
    // copied. Default NULL.
    const double *vertexFriction;

    // Two things collide when each has a category that is in the other's mask (bits). Default 1 and all.
    uint32_t category, mask;

    // Samples: points between the vertices that collide with colliders too, for bodies whose triangles are larger than
    // the colliders. This is their number along every edge of the surface, with the lattice of that order within each
    // triangle. Each sample represents its share of the triangle, so that the stiffness per area does not depend on the
    // number. The cost of contact grows with its square. [0, VV_MAX_CONTACT_SAMPLES]. Default 0: vertices only. Ropes
    // have none, and contact between bodies does not use them.
    int contactSamples;

    // At most so many points of the surface that the mesh carries (vvMesh_GetEmbedding: cages), spread over it by
    // farthest-point sampling, meet colliders instead of the vertices of the mesh: a coarse cage rests on the artist's
    // surface and not on its own corners. 500 is plenty for most. [0, VV_MAX_CONTACT_SURFACE]. Default 0: the mesh's
    // own surface. Contact between bodies does not use them.
    int contactSurface;

    // The body collides with itself, except where it is closer than two edges at rest (small-midpoint: adjacent);
    // needs softContact. Default false.
    bool selfContact;

    const char *name; // copied, at most VV_MAX_NAME bytes; for messages and records. Default NULL: "body" and a number
    void *userData;   // yours
    int cookie;       // set by vvDefaultSoftBodyDef
} vvSoftBodyDef;

VV_API vvSoftBodyDef vvDefaultSoftBodyDef(void); // the defaults above

// The vertices of an element as elementStiffness counts them: 4 for tets, 3 for triangles of the surface, 2 for edges;
// 0: there is no mesh, no such model, or it takes none.
VV_API int vvSoftBodyDef_GetElementCorners(const vvSoftBodyDef *def);

// Makes a body in a world. Returns a null id on failure; `result` (may be NULL) says why.
VV_API vvSoftBodyId vvCreateSoftBody(vvWorldId world, const vvSoftBodyDef *def, vvResult *result);
VV_API void vvDestroySoftBody(vvSoftBodyId body);  // with everything attached to it
VV_API bool vvSoftBody_IsValid(vvSoftBodyId body); // false for null and stale ids

VV_API const char *vvSoftBody_GetName(vvSoftBodyId body);        // "" for a bad id; lives as long as the body
VV_API const char *vvSoftBody_GetModel(vvSoftBodyId body);       // one of vvGetModelName; "" for a bad id
VV_API int vvSoftBody_GetVertexCount(vvSoftBodyId body);         // 0 for a bad id
VV_API double vvSoftBody_GetMass(vvSoftBodyId body);             // kg, pinned vertices included
VV_API double vvSoftBody_GetContactStiffness(vvSoftBodyId body); // N/m^3, its own or the default from the material
VV_API const vvMesh *vvSoftBody_GetMesh(vvSoftBodyId body);      // NULL for a bad id
VV_API void *vvSoftBody_GetUserData(vvSoftBodyId body);          // that of its definition; NULL for a bad id
VV_API vvWorldId vvSoftBody_GetWorld(vvSoftBodyId body);         // null for a bad id

// Of the body as a whole, at the present state; zeros for a bad id. As in the ledger, momenta and kinetic energy
// are those of free vertices.
VV_API vvBox vvSoftBody_GetBounds(vvSoftBodyId body);           // m, of its vertices
VV_API vvVec3 vvSoftBody_GetCentreOfMass(vvSoftBodyId body);    // m, pinned vertices included
VV_API vvVec3 vvSoftBody_GetMomentum(vvSoftBodyId body);        // kg m/s
VV_API vvVec3 vvSoftBody_GetAngularMomentum(vvSoftBodyId body); // kg m^2/s, about the origin
VV_API double vvSoftBody_GetKineticEnergy(vvSoftBodyId body);   // J

// State in the caller's vertex order, vertexCount x 3; valid until the next step or change of this body.
VV_API const double *vvSoftBody_GetPositions(vvSoftBodyId body);
VV_API const double *vvSoftBody_GetVelocities(vvSoftBodyId body);
VV_API const double *vvSoftBody_GetMasses(vvSoftBodyId body); // vertexCount, kg

// Teleports the body. The jump of energy is booked as added; pins and their targets move along with the vertices.
VV_API vvResult vvSoftBody_SetPositions(vvSoftBodyId body, const double *positions);
VV_API vvResult vvSoftBody_SetVelocities(vvSoftBodyId body, const double *velocities);

// Float copies for renderers: vertex i at (char *)target + i * strideBytes (at least 12). `interpolation` 1 is the
// present state, 0 the one before the last step. Normals are area-weighted over the surface; inner vertices get 0 0 0.
VV_API vvResult vvSoftBody_CopyPositions(vvSoftBodyId body, double interpolation, float *target, int strideBytes);
VV_API vvResult vvSoftBody_CopyNormals(vvSoftBodyId body, float *target, int strideBytes);

// N: a constant force on a vertex until it is set again. Its work is booked as added.
VV_API vvResult vvSoftBody_SetForce(vvSoftBodyId body, int vertex, vvVec3 force);
VV_API vvResult vvSoftBody_ClearForces(vvSoftBodyId body);

// N s: changes velocities at once, and momentum by exactly the impulse; pinned vertices take nothing. The change of
// kinetic energy is booked as added.
// ApplyImpulse moves all vertices as a rigid body would, without deforming: angular momentum about the origin changes
// by point x impulse (a straight rope takes none about its own axis). Through the centre of mass it gives no spin.
// ApplyImpulseToVertex acts on one vertex and dents the body there. For a point of a surface or of a pick, give each of
// its vertices its weight times the impulse.
VV_API vvResult vvSoftBody_ApplyImpulse(vvSoftBodyId body, vvVec3 impulse, vvVec3 point);
VV_API vvResult vvSoftBody_ApplyImpulseToVertex(vvSoftBodyId body, int vertex, vvVec3 impulse);

// kg m^2/s: turns the body as a rigid whole about its centre of mass. The rest is as for impulses.
VV_API vvResult vvSoftBody_ApplyAngularImpulse(vvSoftBodyId body, vvVec3 impulse);

// Sleeping (sleepEnergy of the world).
VV_API bool vvSoftBody_IsAwake(vvSoftBodyId body); // any piece of it; false for a bad id
VV_API void vvSoftBody_Wake(vvSoftBodyId body);    // wakes its whole island

// Vertices whose rest position (mesh coordinates) lies in a box: writes at most `capacity` of them in ascending order,
// returns how many there are. `vertices` may be NULL.
VV_API int vvSoftBody_FindVertices(vvSoftBodyId body, vvBox restBox, int *vertices, int capacity);
VV_API int vvSoftBody_FindNearestVertex(vvSoftBodyId body, vvVec3 point); // in the present state; -1 for a bad id

VV_API const char *vvGetModelName(int index);          // the words of `model`; NULL past the last
VV_API const char *vvGetExampleWeightsName(int index); // the words of vvExampleWeights in its order; NULL past the last

#ifdef __cplusplus
}
#endif

#endif
