// Boxes of features, eight at once: which of two sets overlap. Once per instruction set, with the same answers.
#ifndef CONTACT_BOX_KERNELS_H
#define CONTACT_BOX_KERNELS_H

#include <stdbool.h>

#define BOX_LANES 8

typedef struct BoxPack
{
    float lower[3][BOX_LANES], upper[3][BOX_LANES]; // m, from an origin that both sets have; infinite where none is
    int corner[3][BOX_LANES];                       // vertices of the body; -1: none
    int number[BOX_LANES];                          // of the feature
    unsigned marks;                                 // a bit for each lane with a corner that is marked
} BoxPack;

typedef struct BoxPair
{
    int a, b; // numbers
} BoxPair;

typedef struct BoxQuery
{
    const BoxPack *a, *b;
    int countA, countB;         // packs
    float lowerB[3], upperB[3]; // m, around all of b
    float closer;               // m: boxes that overlap by less do not count
    bool within;                // a body and itself: what has a corner in common does not count
    bool marked;                // nor do two without a mark
} BoxQuery;

typedef struct BoxKernels
{
    // around the boxes of the corners: of vertices, x 8: lower, 0, upper, 0
    void (*refit)(const float *box, BoxPack *pack, int count);
    // pairs in the order of a, then b, whatever the boxes are; returns how many. a == b: each two once
    int (*meet)(const BoxQuery *query, BoxPair *pair);
} BoxKernels;

extern const BoxKernels boxKernels_base, boxKernels_avx2, boxKernels_avx512;

#endif
