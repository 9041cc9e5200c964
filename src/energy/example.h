// Inside the energy room: what local and global blends of examples share.
#ifndef ENERGY_EXAMPLE_H
#define ENERGY_EXAMPLE_H

#include "energy/kernels.h"

#define EXAMPLE_UNKNOWNS (3 + MAX_EXAMPLES) // a turn and the coefficients

// One tet: F = R H(c) where it is at rest.
typedef struct Blend
{
    int count;
    double strain[MAX_EXAMPLES][9]; // S_k - I, column major
    double decay;
    double c[MAX_EXAMPLES];
    Mat3 r;
    double h[9], p[9]; // H(c) and R H(c), column major
} Blend;

Blend mixStart(const double *params);                                   // of a lane, c = 0
void mixTurn(Blend *b, const double *f);                                // H and the best R for its c, and p
void mixKept(Blend *b, const double *kept);                             // R, c and p of a lane of kept numbers
double mixValue(const double *params, const double *f, const Blend *b); // J

// J = dp/dq and K = J^T J + decay - (F - p) . d2p/dq2 at q = (turn, c), 3 + count unknowns: the second derivative of |F
// - p|^2/2
void mixCurvature(const double *f, const Blend *b, double j[EXAMPLE_UNKNOWNS][9], double *k);

// w (I - J K^-1 J^T) of the first n unknowns, 81 numbers
void mixHessian(double weight, const double *f, const Blend *b, int n, double *inner);

// solves the symmetric n x n system in place, `columns` right sides, by Gauss with pivots; false: singular
bool solveSmall(double *a, double *b, int n, int columns);

// the rotation that goes with a blend of MAX_EXAMPLES coefficients, by SVD
Mat3 exampleRotation(const double *params, const double *f, const double *c);

// c by least squares and R by SVD in turn, from c = 0; returns R, c has MAX_EXAMPLES numbers
Mat3 exampleTurns(const double *params, const double *f, double *c);

// ---- the kinds ------------------------------------------------------------------------------------------------------

// where F is asked for
typedef struct ExampleSource
{
    const double *x; // NULL: on the line
    double alpha;
} ExampleSource;

void exampleGradient(const Energy *energy, int element, const double *x, double *f); // F, column major
void exampleGradientAt(const Energy *energy, int element, const ExampleSource *source, double *f);
void exampleFitBlend(const Energy *energy, const ExampleSource *source, double *c); // one for all tets, from none
void examplePrepare(Energy *energy, const Recipe *recipe);
void exampleMajorizer(const Energy *energy, int block, double *out);
void exampleAddHessian(const Energy *energy, int element, const double *inner, double *out); // of one lane
void exampleDescribe(const Energy *energy, int element, const char *what, const double *kept, char *text, size_t size);

// what the two kinds have in common; functions of these names are the kind's own
#define EXAMPLE_KIND(word, more, lines)                                                                                \
    {                                                                                                                  \
        .name = word, .traits = TRAIT_INTERNAL | TRAIT_PROJECTIVE | (more), .column = COLUMN_ELASTIC, .corners = 4,    \
        .paramCount = EXAMPLE_PARAMS, .lineCount = lines, .keptCount = EXAMPLE_KEPT, .prepare = examplePrepare,        \
        KERNEL_FUNCTIONS(kernels), .hessian = hessian, .majorizer = exampleMajorizer, .project = kernelProject,        \
        .describe = describe                                                                                           \
    }

#endif
