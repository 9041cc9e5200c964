// Modes beyond what the matrices of elements hold, for modes.c.
#ifndef SOLVE_MODES_REACH_H
#define SOLVE_MODES_REACH_H

#include "linear/front.h"
#include "solve/modes.h"

typedef struct ModesReach
{
    const ModesRecipe *recipe;
    const BlockMatrix *matrix; // of the elements + shift M
    FrontFactor *factor;       // its factor
    const double *rigid;       // rigidCount motions of a body that nothing ties, orthonormal in the masses
    int rigidCount;
    double shift; // 1/s^2
} ModesReach;

bool modesReaches(const ModesRecipe *recipe); // some energy has second derivatives beyond its elements

bool modesReachStart(Memory *memory, const ModesRecipe *recipe); // before products; false: out of memory
void modesReachAdd(const ModesRecipe *recipe, const double *x,
                   double *sum); // sum += what is beyond the elements times x

// Makes modes of the elements alone those of the whole energies. False: out of memory.
bool modesReachBeyond(Memory *memory, const ModesReach *in, Modes *modes);

#endif
