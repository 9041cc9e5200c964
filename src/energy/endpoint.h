// What a constraint of a sweep holds on to at one end: a point that moves with rows. Sweeps whose elements are solved
// one after the other (attachments, springs between bodies, contact with shapes and of bodies) see their ends through
// these functions alone: where the point is, how easily it moves along a direction, and what an impulse does to it. So
// a point of anything else that moves, of a rigid body with w = 1/m + (r x n).I^-1 (r x n), is a case here and in no
// constraint. Kernels of springs and tets, whose ends are vertices, read rows themselves.
#ifndef ENERGY_ENDPOINT_H
#define ENERGY_ENDPOINT_H

#include "energy/energy.h"

#define ENDPOINT_ROWS 4

typedef struct Endpoint
{
    int count;                   // rows that it is a mean of
    int vertex[ENDPOINT_ROWS];   //
    double share[ENDPOINT_ROWS]; // sum 1, or 0: a direction, from one point of a body to another
} Endpoint;

static inline Endpoint endpointVertex(int vertex)
{
    return (Endpoint){ 1, { vertex }, { 1 } };
}

static inline Vec3 endpointDirection(Vec3 offset) // of length 1; for no length any
{
    double length = vecLength(offset);
    return length > 0 ? vecScale(1 / length, offset) : vec3(1, 0, 0);
}

// m, of rows: vertexCount x 4, x y z and 1/kg
static inline Vec3 endpointAt(const Endpoint *end, const double *row)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int k = 0; k < end->count; ++k)
        sum = vecAdd(sum, vecScale(end->share[k], vecLoad(row + 4 * (ptrdiff_t)end->vertex[k])));
    return sum;
}

// 1/kg along a direction of length 1; particles are the same in all
static inline double endpointInverse(const Endpoint *end, const double *row, Vec3 along)
{
    (void)along;
    double sum = 0;
    for (int k = 0; k < end->count; ++k)
        sum += end->share[k] * end->share[k] * row[4 * (ptrdiff_t)end->vertex[k] + 3];
    return sum;
}

// `target`, rows like `row` that has the masses, moves by an impulse times the time, kg m
static inline void endpointPush(const Endpoint *end, const double *row, double *target, Vec3 impulse)
{
    for (int k = 0; k < end->count; ++k)
    {
        ptrdiff_t at = 4 * (ptrdiff_t)end->vertex[k];
        vecStore(target + at, vecAdd(vecLoad(target + at), vecScale(end->share[k] * row[at + 3], impulse)));
    }
}

#endif
