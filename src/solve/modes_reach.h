// Modes beyond what the matrices of elements hold, for modes.c.
#ifndef SOLVE_MODES_REACH_H
#define SOLVE_MODES_REACH_H

#include "solve/modes.h"

bool modesReaches(const ModesRecipe *recipe); // some energy has second derivatives beyond its elements

bool modesReachStart(Memory *memory, const ModesRecipe *recipe); // before products; false: out of memory
void modesReachAdd(const ModesRecipe *recipe, const double *x,
                   double *sum); // sum += what is beyond the elements times x

// Modes of a body of few vertices, by the whole matrix; `elements` is that of the elements + shift M. Returns how many
// there are; -1: out of memory.
int modesReachDense(Memory *memory, const ModesRecipe *recipe, const BlockMatrix *elements, int rigidCount, int wanted,
                    double shift, Modes *modes);

#endif
