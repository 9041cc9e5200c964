// The surface of particles as a closed mesh, for pictures: a distance that is blended from particles nearby (Zhu and
// Bridson 2005) on a sparse grid, marching tetrahedra, smoothing.
#ifndef FLUID_SURFACE_H
#define FLUID_SURFACE_H

#include "base/base.h"
#include "base/vec.h"

#include <stdint.h>

// Every edge has two triangles, whose normals point out of the fluid. Memory is kept from one to the next.
typedef struct FluidSurface
{
    int pointCount, triangleCount;
    double *point; // pointCount x 3, m
    int *triangle; // triangleCount x 3

    int pointRoom, triangleRoom;
    double *sum; // pointRoom x 4
} FluidSurface;

// Particles that are not finite, or farther than 1e9 spacings from the origin, are left out. False: out of memory.
bool fluidSurfaceMake(Memory *memory, const double *position, int count, double spacing, FluidSurface *surface);
void fluidSurfaceRelease(Memory *memory, FluidSurface *surface); // a zeroed one is fine

// ---- surface_field.c ------------------------------------------------------------------------------------------------

#define FIELD_SIDE 4 // nodes of a block along an axis
#define FIELD_NODES (FIELD_SIDE * FIELD_SIDE * FIELD_SIDE)

typedef struct FieldBlock
{
    int64_t at[3];               // of its first node, over FIELD_SIDE
    float sum[FIELD_NODES][4];   // of weights, and of weights times the ways to the particles, in cells
    float distance[FIELD_NODES]; // in cells, below 0 inside
    bool wet;                    // some node is inside
    int next;                    // in the same bucket; -1: the last one
} FieldBlock;

typedef struct Field
{
    Memory *memory;
    double cell; // m
    int blockCount, blockRoom, bucketCount;
    FieldBlock *block; // blockRoom
    int *bucket;       // bucketCount, a power of 2: the first block; -1: none
} Field;

bool fieldMake(Field *field, Memory *memory, const double *position, int count, double spacing);
void fieldRelease(Field *field);
int fieldFind(const Field *field, const int64_t *at); // -1: there is no block, all of it is outside

#endif
