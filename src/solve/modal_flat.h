// Flat tets, whose vertices turn unequally. A tet much flatter than the others is stiff across its face. Modes strain
// it little at rest; but where its vertices are turned by unequal rotations, R U strains it by their differences, and
// what is exact in a step is stiffer than the step resolves. With
//
//   X = hs^2/4 sum over flat tets of the majorizer of (R_c - R) U,   R the mean of the rotations R_c of the corners,
//
// modes go on as R U C, C = (1 + (X/MOST)^2)^-1: what X is large for leaves them and moves as the rest of the body.
// Tets of a usual shape are not looked at: they turn with the matter around them.
#ifndef SOLVE_MODAL_FLAT_H
#define SOLVE_MODAL_FLAT_H

#include "solve/modal.h"

#define FLAT_BLOCK 8 // flat tets side by side
#define FLAT_TASKS 8 // that sum up what they add

// Flat tets of a shape.
typedef struct FlatTets
{
    int count, blocks; // of FLAT_BLOCK tets
    int *vertex;       // blocks x 4 x FLAT_BLOCK; beyond the last tet, copies of it
    float *root;       // blocks x 3 x 4 x FLAT_BLOCK, kg^1/2/s: the majorizer of a tet is the sum of three h h^T
    float *mean;       // blocks x FLAT_BLOCK, 1/kg: square of what all modes move a tet as a whole; 0 beyond the last
    float *apart;      // blocks x FLAT_BLOCK, 1/s^2: trace of the majorizer times what they move its corners apart
} FlatTets;

typedef struct ModalFlatKernels
{
    // of blocks of flat tets, once the rotations of all vertices are known: 1/s^2, about the trace of what each adds
    void (*estimate)(const Modal *modal, int begin, int end, float *strain);
    // sum (count x modalFlatWidth) += what a tet adds to X, but for hs^2/4: on and above the diagonal
    void (*add)(const Modal *modal, int tet, float *sum);
} ModalFlatKernels;

extern const ModalFlatKernels modalFlatKernels_base, modalFlatKernels_avx2, modalFlatKernels_avx512;

static inline int modalFlatWidth(const ModalShape *shape) // of a row of X
{
    return (shape->count + FLAT_BLOCK - 1) / FLAT_BLOCK * FLAT_BLOCK;
}

static inline size_t modalFlatSize(const ModalShape *shape) // numbers of X
{
    return (size_t)shape->count * (size_t)modalFlatWidth(shape);
}

static inline float *modalFlatSum(const Modal *modal, int task) // what the tets of a task add up to
{
    return modal->flatSum + (size_t)task * modalFlatSize(modal->shape);
}

void modalFlatDestroy(Memory *memory, FlatTets *flat);
void modalClip(const Modal *modal, const double *q, double *out); // out = C q

#endif
