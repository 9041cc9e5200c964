// Verve: fluids, made of particles that keep their distance (position-based fluids).
//
// They are stepped inside vvWorld_Step under every method, in substeps of their own, and flow around all colliders. How
// much a fluid compresses grows with its depth in particles and with the square of the substep: 50 layers of 2 cm lose
// 2 to 3 % with the defaults at 60 steps per second.
//
// Rigid bodies and soft solids float in fluids; sheets hold them, and ropes are carried along.
#ifndef VERVE_FLUID_H
#define VERVE_FLUID_H

#include <verve/id.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VV_MAX_FLUID_PARTICLES 10000000 // of a fluid
#define VV_MAX_FLUID_FLOWS 16           // emitters, and drains, of a fluid

// What a fluid is made from. Start from vvDefaultFluidDef().
typedef struct vvFluidDef
{
    double spacing;   // m, between particles at rest, above 0. Default 0.02
    double density;   // kg/m^3, above 0. Default 1000
    double viscosity; // Pa s, at least 0. What a substep cannot resolve is taken as what it can: half the difference
                      // to the velocities around. Default 0; water has 0.001, which is too little to see
    double surfaceTension; // N/m, at least 0; its energy is not in the ledger. Default 0; water has 0.072
    // Share of what its velocity differs from those around it that a particle loses in a substep, [0, 0.5]. Without it
    // the collisions of particles are heat. What it takes is dissipated. Default 0.02.
    double smoothing;
    double friction;  // Coulomb's coefficient on colliders, at least 0; below 0: the collider's. Default 0
    int maxParticles; // [1, VV_MAX_FLUID_PARTICLES]; memory is taken as they come. Default 100000
    int substeps;     // of a step, at least, [1, VV_MAX_SUBSTEPS]. Default 10
    int maxSubsteps;  // of a step where particles are fast, [1, VV_MAX_SUBSTEPS]. Default 40
    int iterations;   // passes of corrections in a substep, [1, 10000], for comparison: the same work in substeps is
                      // stiffer and damps less. Default 1
    double
        maxDisplacement; // of a particle in a substep, in halves of the spacing, [0.01, 1]: what would be faster than
                         // maxSubsteps allow is slowed down to it, and what that takes is dissipated. Default 0.3
    uint32_t category, mask; // bits, as for soft bodies. Default 1 and all
    void *userData;          // yours
    int cookie;              // set by vvDefaultFluidDef
} vvFluidDef;

VV_API vvFluidDef vvDefaultFluidDef(void); // the defaults above
// Without particles yet.
VV_API vvFluidId vvCreateFluid(vvWorldId world, const vvFluidDef *def, vvResult *result);
VV_API void vvDestroyFluid(vvFluidId fluid);       // null and stale ids are fine
VV_API bool vvFluid_IsValid(vvFluidId fluid);      // false for null and stale ids
VV_API void *vvFluid_GetUserData(vvFluidId fluid); // NULL for a bad id

// Fills a box with particles at rest distances, half a spacing from its sides. Their energy is booked with them:
// nothing is added. VV_LIMIT: there would be more than maxParticles, and none is made.
VV_API vvResult vvFluid_AddBox(vvFluidId fluid, vvBox box, vvVec3 velocity /* m/s */);
VV_API vvResult vvFluid_AddParticles(vvFluidId fluid, const double *positions /* count x 3, m */,
                                     const double *velocities /* likewise, m/s; NULL: at rest */, int count);

// A round opening from which fluid flows. The energy of what it emits is booked as added.
typedef struct vvFluidEmitter
{
    vvVec3 position;  // m, of its centre
    vvVec3 direction; // any length above 0
    double radius;    // m, above 0
    double speed;     // m/s, at least 0; 0: it is closed
    double rate;      // m^3/s, at least 0, and no more than speed and radius allow; 0: as much as they do
} vvFluidEmitter;

// Emitters are numbered from 0 in the order in which they were added. What would exceed maxParticles is not emitted.
VV_API vvResult vvFluid_AddEmitter(vvFluidId fluid, const vvFluidEmitter *emitter);
VV_API vvResult vvFluid_SetEmitter(vvFluidId fluid, int index, const vvFluidEmitter *emitter); // from the next step on
VV_API int vvFluid_GetEmitterCount(vvFluidId fluid);

// What is in a drain at the end of a step is taken out; its energy is booked as added, below 0.
VV_API vvResult vvFluid_AddDrain(vvFluidId fluid, vvBox box);
VV_API vvResult vvFluid_SetDrain(vvFluidId fluid, int index, vvBox box);
VV_API int vvFluid_GetDrainCount(vvFluidId fluid);

VV_API int vvFluid_GetCount(vvFluidId fluid);           // particles
VV_API double vvFluid_GetParticleMass(vvFluidId fluid); // kg
VV_API double vvFluid_GetSpacing(vvFluidId fluid);      // m
VV_API double vvFluid_GetCompression(vvFluidId fluid);  // mean over the particles at the last substep: 0.01 is 1 %
VV_API int vvFluid_GetSubstepsTaken(vvFluidId fluid);   // in the last step

// count x 3, m and m/s, valid until the next call that changes the world. The order changes from step to step: ids tell
// which is which, from 0 in the order of adding, and are not used again. NULL for a bad id or no particles.
VV_API const double *vvFluid_GetPositions(vvFluidId fluid);
VV_API const double *vvFluid_GetVelocities(vvFluidId fluid);
VV_API const uint32_t *vvFluid_GetIds(vvFluidId fluid);

// The surface as a closed mesh, for pictures: every edge has two triangles, and normals point out of the fluid.
typedef struct vvFluidSurface
{
    int pointCount;       // 0: there are no particles
    int triangleCount;    // about 10 for every quarter of a square spacing
    const double *points; // pointCount x 3, m
    const int *triangles; // triangleCount x 3
} vvFluidSurface;

// Makes it from the particles as they are. Its volume is within 5 % of the fluid's where that is ten particles wide; a
// particle alone has 0.4 of its own. What it points to is valid until the next call for this fluid.
VV_API vvResult vvFluid_MakeSurface(vvFluidId fluid, vvFluidSurface *surface);

// Copies at most `capacity` positions as floats, `stride` bytes apart (0: 12), and returns how many particles there
// are.
VV_API int vvFluid_CopyPositions(vvFluidId fluid, float *target, int capacity, int stride);

#ifdef __cplusplus
}
#endif

#endif
