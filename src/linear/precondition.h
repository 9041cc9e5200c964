// Preconditioners of the conjugate gradient over a BlockMatrix, one file each behind one table: z ~ A^-1 r, symmetric
// positive definite. Compute after the matrix changed, apply often; no allocation after creation.
#ifndef LINEAR_PRECONDITION_H
#define LINEAR_PRECONDITION_H

#include "linear/linear.h"

struct PreconditionerKind;

typedef struct Preconditioner
{
    Memory *memory;
    const struct PreconditionerKind *kind;
    const BlockMatrix *matrix;
    double *value; // what the kind keeps
} Preconditioner;

typedef struct PreconditionerKind
{
    const char *name;
    size_t (*size)(const Graph *graph);    // doubles it keeps, at least 1
    bool (*compute)(Preconditioner *self); // false: the matrix is not positive definite, as far as this one can tell
    void (*apply)(const Preconditioner *self, const double *r, double *z); // r and z distinct
} PreconditionerKind;

extern const PreconditionerKind plainPreconditioner, diagonalPreconditioner, blockPreconditioner, ssorPreconditioner,
    incompletePreconditioner;

int preconditionerCount(void);
const PreconditionerKind *preconditionerAt(int index);

Preconditioner *preconditionerCreate(Memory *memory, const PreconditionerKind *kind,
                                     const BlockMatrix *matrix); // NULL: out of memory
void preconditionerDestroy(Preconditioner *self);
bool preconditionerCompute(Preconditioner *self);
void preconditionerApply(const Preconditioner *self, const double *r, double *z);

// ---- inside the room: 3x3 blocks ------------------------------------------------------------------------------------

// the inverses of the diagonal blocks, count x 9; false: one is not positive definite
bool invertDiagonal(const BlockMatrix *matrix, double *inverse);

static inline void blockTimes(const double *b, const double *x, double *y) // y = B x
{
    for (int i = 0; i < 3; ++i)
        y[i] = b[3 * i] * x[0] + b[3 * i + 1] * x[1] + b[3 * i + 2] * x[2];
}

static inline void blockSubtract(const double *b, const double *x, double *y) // y -= B x
{
    for (int i = 0; i < 3; ++i)
        y[i] -= b[3 * i] * x[0] + b[3 * i + 1] * x[1] + b[3 * i + 2] * x[2];
}

static inline void blockSubtractTransposed(const double *b, const double *x, double *y) // y -= B^T x
{
    for (int i = 0; i < 3; ++i)
        y[i] -= b[i] * x[0] + b[3 + i] * x[1] + b[6 + i] * x[2];
}

#endif
