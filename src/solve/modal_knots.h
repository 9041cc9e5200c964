// Where rotations of modes in motion are found, for modal_shape.c.
#ifndef SOLVE_MODAL_KNOTS_H
#define SOLVE_MODAL_KNOTS_H

#include "solve/modal.h"

// Neighbours of vertices, each with the sum of its weights over the tets that they share.
typedef struct Patch
{
    int *start;     // vertices + 1
    int *neighbour; // start[vertices]
    double *sum;    // start[vertices] x 3
    double *volume; // vertices, m^3
} Patch;

// The knots of a shape and the means of their rotations at all vertices. False: out of memory.
bool modalKnotsCreate(ModalShape *shape, const Patch *patch, const ModalMesh *mesh);

#endif
