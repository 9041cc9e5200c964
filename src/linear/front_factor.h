// Inside the multifrontal Cholesky: the numeric factor that front_factor.c fills and front_solve.c reads.
#ifndef LINEAR_FRONT_FACTOR_H
#define LINEAR_FRONT_FACTOR_H

#include "linear/front_kernels.h"

#define FRONT_MOST_BLOCKS 8

struct FrontFactor
{
    Memory *memory;
    const FrontTree *tree;
    const FrontKernels *kernels;    // of the factorisation
    const FrontSweeps *sweeps;      // of the solve
    const FrontSweeps *line;        // the same with one right-hand side
    bool rounded;                   // from double to float in between
    void **panels;                  // tree->frontCount: the panels of a front, in reals of the solve
    void **remainder;               // likewise C, in reals of the factorisation; of a scalar matrix kept for updates
    void *block[FRONT_MOST_BLOCKS]; // where these are: its own, and those that it took over from a former factor
    int blockCount;                 //
    size_t blockBytes[FRONT_MOST_BLOCKS];
    bool *kept;                // tree->frontCount: the former factor has this front at the same vertices; NULL: none
    const FrontFactor *former; // the one they are of, until the first computation
    void *vector;              // tree->vectorCount places of the solve
    char *scratch;             // of the tasks, one after the other
    size_t scratchStart[FRONT_MOST_TASKS + 1];
    double *values;        // the matrix that was factored, if it is scalar
    int *exponent;         // tree->count: binary exponents of its diagonal, summed over the unknowns of a vertex
    long long exponentSum; //
    int shift;             // the matrix is scaled by 2^-shift
    bool *marked;          // tree->frontCount: to be done
    bool *onPath;          // likewise: on the paths of frontFactorFollow
    bool taskOnPath[FRONT_MOST_TASKS + 1]; // some front of the task is
    bool valid;
};

double frontWork(const Front *front); // multiply-adds
// Where the panels and remainders are, with those of `former` where it fits; NULL: there is none. False: no memory.
bool frontFactorPlace(FrontFactor *factor, FrontFactor *former);
// Scale, and a copy of the values of a scalar matrix.
void frontFactorBegin(FrontFactor *factor, const double *values);
// Computes the marked fronts; those below them are there. False: a pivot is not positive.
bool frontFactorRun(FrontFactor *factor, const double *values, Workers *workers);

#endif
