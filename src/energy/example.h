// Inside the energy room: what local and global blends of examples share.
#ifndef ENERGY_EXAMPLE_H
#define ENERGY_EXAMPLE_H

#include "energy/energy.h"

#define EXAMPLE_UNKNOWNS (3 + MAX_EXAMPLES) // a turn and the coefficients

// One tet: F = R H(c) where it is at rest.
typedef struct Blend
{
    int count;
    double way[MAX_EXAMPLES][9]; // S_k - I, column major
    double decay;
    double c[MAX_EXAMPLES];
    Mat3 r;
    double h[9], p[9]; // H(c) and R H(c), column major
} Blend;

Blend mixStart(const double *params);                                   // of a lane, c = 0
void mixTurn(Blend *b, const double *f);                                // H and the best R for its c, and p
double mixValue(const double *params, const double *f, const Blend *b); // J

// J = dp/dq and K = J^T J + decay - (F - p) . d2p/dq2 at q = (turn, c), 3 + count unknowns: the second derivative of |F - p|^2/2
void mixCurvature(const double *f, const Blend *b, double j[EXAMPLE_UNKNOWNS][9], double *k);

// w (I - J K^-1 J^T) of the first n unknowns, 81 numbers
void mixHessian(double weight, const double *f, const Blend *b, int n, double *inner);

// solves the symmetric n x n system in place, `columns` right sides, by Gauss with pivots; false: singular
bool solveSmall(double *a, double *b, int n, int columns);

// ---- the kinds ----

void exampleGradient(const Energy *energy, int element, const double *x, double *f); // F, column major
void exampleOnLine(const Energy *energy, int element, double alpha, double *f);
void exampleStore(Energy *energy, int element, const double *t); // slots: A^T t
void examplePrepare(Energy *energy, const Recipe *recipe);
void exampleLineStart(Energy *energy, const double *x, const double *d, int begin, int end);
void exampleMajorizer(const Energy *energy, int block, double *out);
void exampleAddHessian(const Energy *energy, int element, const double *inner, double *out); // of one lane
#define EXAMPLE_PARAMS (2 + 9 * MAX_EXAMPLES + 1 + 9) // weight, count, ways, decay, rows

#endif
