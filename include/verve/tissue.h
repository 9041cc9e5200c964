// Verve: what a soft body is made of, changed while it lives; muscles.
#ifndef VERVE_TISSUE_H
#define VERVE_TISSUE_H

#include <verve/body.h>
#include <verve/hold.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a body is made of can be changed while it lives; ranges and meanings are those of vvSoftBodyDef. State and
// contacts stay, the jump of energy is booked as added, and the body goes on bit for bit as one that was created so and
// has its state. Factors are made again by the next step, in part where they can. A saved state belongs to a body as it
// was: it goes back once the body is made of the same again. Getters return zeros for a bad id.
VV_API vvMaterial vvSoftBody_GetMaterial(vvSoftBodyId body);
VV_API vvResult vvSoftBody_SetMaterial(vvSoftBodyId body,
                                       vvMaterial material); // changes the masses too, unless vertexMass is set
VV_API vvLaw vvSoftBody_GetLaw(vvSoftBodyId body);
VV_API vvResult vvSoftBody_SetLaw(vvSoftBodyId body, vvLaw law);
// vvSoftBodyDef.elementStiffness, copied; NULL: 1. Not of bodies that were split, cut or torn or lost elements.
VV_API vvResult vvSoftBody_SetElementStiffness(vvSoftBodyId body, const double *factors);
// The factor of some elements alone, `count` of them by their numbers: a region that stiffens or softens while it runs.
// Of the factor of matrices only what they reach is made again, modes some steps later (vvWorld_Prepare: at once).
VV_API vvResult vvSoftBody_SetRegionStiffness(vvSoftBodyId body, const int *elements, int count, double factor);
// vvSoftBodyDef.elementWarp, likewise: of all triangles, or NULL: law.warp; of some of them.
VV_API vvResult vvSoftBody_SetElementWarp(vvSoftBodyId body, const double *warps);
VV_API vvResult vvSoftBody_SetRegionWarp(vvSoftBodyId body, const int *elements, int count, vvVec3 warp);
VV_API double vvSoftBody_GetBending(vvSoftBodyId body); // a multiple of a plate's; -1: left to the model
VV_API vvResult vvSoftBody_SetBending(vvSoftBodyId body, double bending);   // sheets, rods; at least 0, or -1
VV_API double vvSoftBody_GetTwisting(vvSoftBodyId body);                    // a multiple of a round rod's; -1: 1
VV_API vvResult vvSoftBody_SetTwisting(vvSoftBodyId body, double twisting); // rods; at least 0, or -1
VV_API vvStrainLimit vvSoftBody_GetStrainLimit(vvSoftBodyId body);
VV_API vvResult vvSoftBody_SetStrainLimit(vvSoftBodyId body, vvStrainLimit strainLimit); // min and max 0: no limit
VV_API vvPlasticity vvSoftBody_GetPlasticity(vvSoftBodyId body);
// As long as yield is above 0 before and after, dents stay; without it the body goes back to its rest shape.
VV_API vvResult vvSoftBody_SetPlasticity(vvSoftBodyId body, vvPlasticity plasticity);
VV_API double vvSoftBody_GetVolumeStiffness(vvSoftBodyId body);                           // Pa
VV_API vvResult vvSoftBody_SetVolumeStiffness(vvSoftBodyId body, double volumeStiffness); // solids
VV_API double vvSoftBody_GetAreaStiffness(vvSoftBodyId body);                             // Pa
VV_API vvResult vvSoftBody_SetAreaStiffness(vvSoftBodyId body, double areaStiffness);     // sheets
VV_API vvResult vvSoftBody_SetVolumeBounds(vvSoftBodyId body, double volumeMin, double volumeMax);
VV_API double vvSoftBody_GetVolumeMin(vvSoftBodyId body);
VV_API double vvSoftBody_GetVolumeMax(vvSoftBodyId body);
VV_API double vvSoftBody_GetShapeStiffness(vvSoftBodyId body); // 1/s^2
VV_API vvResult vvSoftBody_SetShapeStiffness(vvSoftBodyId body, double shapeStiffness);
VV_API vvDamping vvSoftBody_GetDamping(vvSoftBodyId body);                   // all four
VV_API vvResult vvSoftBody_SetDamping(vvSoftBodyId body, vvDamping damping); // all four
VV_API double vvSoftBody_GetPressure(vvSoftBodyId body);                     // Pa
VV_API vvResult vvSoftBody_SetPressure(vvSoftBodyId body, double pressure);  // closed surfaces
VV_API double vvSoftBody_GetFriction(vvSoftBodyId body);                     // -1: that of the other side
VV_API vvResult vvSoftBody_SetFriction(vvSoftBodyId body, double friction);  // at least 0, or -1
VV_API vvResult vvSoftBody_SetContactStiffness(vvSoftBodyId body,
                                               double contactStiffness); // N/m^3; 0: from the material

// =====================================================================================================================
// Muscles
// =====================================================================================================================

#define VV_MAX_MUSCLE_GROUPS 1024 // groups of tets in one muscle

// Fibres in the tets of a body that pull along a direction of the material, as far as they are activated: with a
// nominal stress of activation x stress at their length at rest, 0.95 of that at half of it. The model is what resists.
// Their energy, which falls as they shorten, is elastic in the ledger.
typedef struct vvMuscleDef
{
    const int *tets;          // count, in the caller's order; copied. Default NULL: all tets of the mesh
    int count;                // of tets, where they are given
    const int *groups;        // of each of them, [0, VV_MAX_MUSCLE_GROUPS); copied. Default NULL: all are group 0
    vvVec3 direction;         // of the fibres in the mesh at rest, of any length above 0. Default x
    const double *directions; // count x 3, of each of them instead; copied. Default NULL
    double stress; // Pa, at least 0: of activation 1. Skeletal muscle: up to 3e5. Default 0: young of the body
    int cookie;    // set by vvDefaultMuscleDef
} vvMuscleDef;

VV_API vvMuscleDef vvDefaultMuscleDef(void); // the defaults above

// A constraint: vvDestroyConstraint removes it, and vvWorld_GetConstraints lists it. At first nothing is activated.
VV_API vvConstraintId vvCreateMuscle(vvSoftBodyId body, const vvMuscleDef *def, vvResult *result);

// [0, 1], until it is set again. The jump of the energy is booked as added: over a contraction and the release after
// it, this is the work that the fibres did. Activation is part of saved states; no matrix is factored anew.
VV_API vvResult vvConstraint_SetActivation(vvConstraintId muscle, int group, double activation);
VV_API double vvConstraint_GetActivation(vvConstraintId muscle, int group); // 0 for a bad id

#ifdef __cplusplus
}
#endif

#endif
