// Verve: the world. It holds bodies and colliders and advances them in time.
#ifndef VERVE_WORLD_H
#define VERVE_WORLD_H

#include <verve/id.h>
#include <verve/method.h>

#ifdef __cplusplus
extern "C" {
#endif

// Moving air. The force on a triangle of a surface is 1/2 density drag area |u.n| (u.n) along its normal n, a third at
// each corner; u is the velocity of the air minus that of the triangle at the start of the step. The force is constant
// during the step and its work is booked as added. It acts on both sides of sheets, on solids where they face the wind,
// and not on ropes. The force is capped so that drag can at most bring a vertex to the air's velocity in one step.
typedef struct vvWind
{
    vvVec3 velocity; // m/s
    double density;  // kg/m^3, at least 0. Air has 1.2. Default 0: a vacuum
    double drag;     // coefficient, at least 0. Default 1.17: a square plate across the wind
} vvWind;

// What a world is made from. Start from vvDefaultWorldDef().
typedef struct vvWorldDef
{
    // m/s^2: the acceleration of free fall. Default 0 -9.81 0.
    vvVec3 gravity;

    // Moving air. Default none.
    vvWind wind;

    // Bodies collide with each other, and with themselves where `selfContact` is set. Default false: they pass through
    // each other. Bodies that may touch each other in a step are solved as one island, all others apart.
    // small-midpoint, small-steps, pbd: hard contact with friction; sheets and ropes collide by vertices and by edges,
    // and from a state without crossings none arises; solids meet by their vertices and sharp edges.
    // Other methods: vertices are pushed apart from triangles by springs (from `contactStiffness` of both bodies).
    // Edges are not tested, ropes pass through ropes, a vertex deeper than two edges of the surface is released, and
    // sheets that have crossed stay crossed.
    bool softContact;

    // s, [1e-15, 10]: the fixed step of vvWorld_Advance. Default 1/60.
    double timestep;

    // vvWorld_Advance takes at most so many steps in one call and drops the rest of the time. At least 1. Default 8.
    int maxStepsPerAdvance;

    // J/kg, [0, 1e6]. An island falls asleep when all its bodies stay below this kinetic energy per mass for
    // `sleepTime`. Its velocities become zero (booked as dissipated) and steps skip it until a moving collider or body
    // comes near, or until its pins, attachments, handles, forces, positions or velocities, the colliders or gravity
    // are changed. 1e-5 is 4 mm/s, a motion that is not seen. Default 0: nothing sleeps.
    double sleepEnergy;
    double sleepTime; // s, [0, 1e6]. Default 0.5

    // How time advances, by one word; <verve/method.h> describes them. Default "small-midpoint".
    const char *method;

    // How an implicit step is solved, by one word; <verve/method.h> describes them. Default "newton".
    const char *solver;

    // The solver takes at most so many iterations in one step, [0, 10000]. Default 0: the solver's own limit (newton,
    // newton-cg and simplified-newton 100, local-global 10). small-steps: sweeps of a substep; 0 is 1.
    int iterations;

    // The solver stops when the last correction, or the residual max |M^-1 grad g|, is below this fraction of the
    // body's size, [1e-15, 1]. Newton's solvers then leave less than that in a step. Default 1e-10: to rounding, so
    // that momenta are kept exactly. 1e-4 is what an eye can see, in half to two thirds of the time.
    double tolerance;

    // small-midpoint, small-steps: the number of substeps of a step, [0, VV_MAX_SUBSTEPS]. Default 0: by the method's
    // rule.
    int substeps;

    // Substeps of rigid bodies in a step, under every method, [1, VV_MAX_SUBSTEPS]. Contacts and joints get stiffer
    // with the square of it. Default 20.
    int rigidSubsteps;

    // What serves one method or solver alone; <verve/method.h> describes it.
    vvMethodSettings settings;

    // Threads that work on a step, the caller included, [0, 64]. 0: as many as the machine has cores. Where the system
    // grants fewer, or none (WebAssembly without pthreads), the world works with those. Some threads rest while fewer
    // are faster: on a busy machine or with short tasks. The bits of a run do not depend on it. Default 1.
    int threads;

    // Your own task system instead of the library's threads (`threads` is then the most that run at once). Default
    // none.
    vvTaskHooks tasks;

    // "base", "avx2" or "avx512": the instruction set of the kernels. Default NULL: the best the machine has. The bits
    // of a run do not depend on it.
    const char *instructionSet;

    vvAllocator allocator; // default malloc and free
    vvLogger logger;       // default none
    void *userData;        // yours
    int cookie;            // set by vvDefaultWorldDef; catches a definition that was not initialised
} vvWorldDef;

VV_API vvWorldDef vvDefaultWorldDef(void); // the defaults above

// Makes a world. Returns a null id on failure; `result` (may be NULL) says why.
VV_API vvWorldId vvCreateWorld(const vvWorldDef *def, vvResult *result);
VV_API void vvDestroyWorld(vvWorldId world);  // and all that is in it; null and stale ids are fine
VV_API bool vvWorld_IsValid(vvWorldId world); // false for null and stale ids

// Takes one step of `dt` seconds, [1e-15, 10]. On VV_DIVERGED the world keeps the state before the step and the remedy
// names what would work. A step allocates nothing after the first one with the same bodies (methods with a history:
// once it is full). Where bodies collide, a step with more contacts than ever before allocates once, with a warning in
// the log.
VV_API vvResult vvWorld_Step(vvWorldId world, double dt);

// Makes what the next step would make before it begins, and what steps do not make by themselves: under a method with
// modes ("small-midpoint"), those of bodies whose pins, attachments, masses or stiffness changed since. Until then
// their steps go on without modes, or with the old ones once the change is taken back: right as a whole, but slow to
// bend and to twist. Takes about 0.03 s for 1,000 vertices that changed, nothing for others. A state keeps which modes
// are in use.
VV_API vvResult vvWorld_Prepare(vvWorldId world);

// Adds `seconds`, [0, 1e6], to a store of time and takes as many fixed steps of `timestep` as it holds. What is left
// over, as a fraction of a step in [0, 1), is the interpolation factor for rendering between the last two states. When
// a step fails, the steps before it remain and the time of those after it is dropped.
VV_API vvResult vvWorld_Advance(vvWorldId world, double seconds);
VV_API double vvWorld_GetInterpolation(vvWorldId world);

VV_API double vvWorld_GetTime(vvWorldId world);                      // s, simulated so far
VV_API vvVec3 vvWorld_GetGravity(vvWorldId world);                   // m/s^2
VV_API vvResult vvWorld_SetGravity(vvWorldId world, vvVec3 gravity); // the jump of potential energy is booked as added
VV_API vvWind vvWorld_GetWind(vvWorldId world);                      // the present wind
VV_API vvResult vvWorld_SetWind(vvWorldId world, vvWind wind);       // from the next step on
VV_API vvResult vvWorld_SetMethod(vvWorldId world, const char *method); // from the next step on
VV_API const char *vvWorld_GetMethod(vvWorldId world);                  // one of vvGetMethodName; "" for a bad id

// The solver and its settings, as in vvWorldDef; from the next step on, which may allocate. They are no part of a
// state.
VV_API vvResult vvWorld_SetSolver(vvWorldId world, const char *solver);  // one of vvGetSolverName
VV_API const char *vvWorld_GetSolver(vvWorldId world);                   // one of vvGetSolverName; "" for a bad id
VV_API vvResult vvWorld_SetIterations(vvWorldId world, int iterations);  // at most, [0, 10000]; 0: its own limit
VV_API int vvWorld_GetIterations(vvWorldId world);                       // as set; 0 for a bad id
VV_API vvResult vvWorld_SetTolerance(vvWorldId world, double tolerance); // of the body's size, [1e-15, 1]
VV_API double vvWorld_GetTolerance(vvWorldId world);                     // 0 for a bad id
VV_API vvResult vvWorld_SetSubsteps(vvWorldId world, int substeps);      // [0, VV_MAX_SUBSTEPS]; 0: the method's rule
VV_API int vvWorld_GetSubsteps(vvWorldId world);                         // as set; 0 for a bad id

VV_API vvResult vvWorld_SetRigidSubsteps(vvWorldId world, int rigidSubsteps); // [1, VV_MAX_SUBSTEPS]
VV_API int vvWorld_GetRigidSubsteps(vvWorldId world);                         // 0 for a bad id

VV_API void *vvWorld_GetUserData(vvWorldId world); // that of its definition

// The state hash: 64 bits over everything that decides how the run continues (positions, velocities, targets, forces,
// time). Equal hashes mean equal bits.
VV_API uint64_t vvWorld_GetHash(vvWorldId world);

// All bodies, in the order of their creation: writes at most `capacity` ids, returns how many there are.
VV_API int vvWorld_GetBodies(vvWorldId world, vvSoftBodyId *bodies, int capacity);

// The same of what else is in a world, each in a fixed order. Springs that handles consist of are not listed.
VV_API int vvWorld_GetAttachments(vvWorldId world, vvAttachmentId *attachments, int capacity);
VV_API int vvWorld_GetHandles(vvWorldId world, vvHandleId *handles, int capacity);
VV_API int vvWorld_GetColliders(vvWorldId world, vvColliderId *colliders, int capacity);
VV_API int vvWorld_GetRigidBodies(vvWorldId world, vvRigidBodyId *bodies, int capacity);
VV_API int vvWorld_GetFluids(vvWorldId world, vvFluidId *fluids, int capacity);
VV_API int vvWorld_GetJoints(vvWorldId world, vvJointId *joints, int capacity);
VV_API int vvWorld_GetHinges(vvWorldId world, vvHingeId *hinges, int capacity);
VV_API int vvWorld_GetConstraints(vvWorldId world, vvConstraintId *constraints, int capacity);

#ifdef __cplusplus
}
#endif

#endif
