#ifndef SOLVE_SMOOTH_PATCH_H
#define SOLVE_SMOOTH_PATCH_H

#include "solve/smooth.h"

typedef struct SmoothSpring
{
    int vertex[2];
    double stiffness, rest; // N/m, m
    double key;             // of the order
    int number;             //
} SmoothSpring;

// Patches, edges, slopes and `still` from the energies and the functions (count x vertices)
void smoothPatches(Smooth *smooth, const SmoothRecipe *recipe, const double *u, int count);

#endif
