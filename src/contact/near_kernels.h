// Pairs of simplices that move, eight at once: which of them may come into range. Once per instruction set, with the
// same answers.
#ifndef CONTACT_NEAR_KERNELS_H
#define CONTACT_NEAR_KERNELS_H

#define NEAR_LANES 8

// Of the vertices of an island, in single precision.
typedef struct NearField
{
    const float *row; // x 8: m, where a vertex is, its slack to all sides; m/s, how it moves; s, how long at least
    float doubt;      // m, by which rounding may change a distance
} NearField;

typedef struct NearLanes
{
    int row[4][NEAR_LANES];  // twice the corners' numbers: a vertex and a triangle, or two edges
    float range[NEAR_LANES]; // m
} NearLanes;

// A bit for each lane but those whose two stay farther apart than their range and slacks along one direction, that
// between their nearest points, as long as all four corners move so.
typedef struct NearKernels
{
    unsigned (*vertexTriangle)(const NearField *field, const NearLanes *lanes);
    unsigned (*edges)(const NearField *field, const NearLanes *lanes);
} NearKernels;

extern const NearKernels nearKernels_base, nearKernels_avx2, nearKernels_avx512;

#endif
