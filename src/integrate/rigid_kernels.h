// The sums of rigid motion over the vertices of a body, once per instruction set, with the same bits in all of them.
#ifndef INTEGRATE_RIGID_KERNELS_H
#define INTEGRATE_RIGID_KERNELS_H

#include "integrate/step_state.h"

typedef struct RigidKernels
{
    // of `count` vertices, about the first one: mass (kg), first (kg m) and second moments (kg m^2; xx yy zz xy xz yz)
    void (*moments)(const double *position, const double *mass, int count, double sum[10]);
    // of a field, or of a field times masses, about the first vertex: its sum and its moment
    void (*momenta)(const double *position, const double *field, const double *mass, int count, double sum[6]);
    // field += twist about a centre, times masses if there are any
    void (*add)(const double *position, const double *mass, const RigidTwist *twist, Vec3 centre, int count,
                double *field);
} RigidKernels;

extern const RigidKernels rigidKernels_base, rigidKernels_avx2, rigidKernels_avx512;

#endif
