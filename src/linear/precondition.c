#include "linear/precondition.h"

#include <string.h>

static const PreconditionerKind *const kinds[] = { &plainPreconditioner, &diagonalPreconditioner, &blockPreconditioner,
                                                   &ssorPreconditioner, &incompletePreconditioner };

int preconditionerCount(void)
{
    return (int)(sizeof kinds / sizeof kinds[0]);
}

const PreconditionerKind *preconditionerAt(int index)
{
    return kinds[index];
}

Preconditioner *preconditionerCreate(Memory *memory, const PreconditionerKind *kind, const BlockMatrix *matrix)
{
    Preconditioner *self = ALLOCATE(memory, Preconditioner, 1);
    if (self == NULL)
        return NULL;
    *self = (Preconditioner){ .memory = memory, .kind = kind, .matrix = matrix };
    self->value = ALLOCATE(memory, double, kind->size(matrix->graph));
    if (self->value != NULL)
        return self;
    preconditionerDestroy(self);
    return NULL;
}

void preconditionerDestroy(Preconditioner *self)
{
    if (self == NULL)
        return;
    memoryRelease(self->memory, self->value);
    memoryRelease(self->memory, self);
}

bool preconditionerCompute(Preconditioner *self)
{
    return self->kind->compute(self);
}

void preconditionerApply(const Preconditioner *self, const double *r, double *z)
{
    ASSERT(r != z, "a preconditioner does not overwrite what it is given");
    self->kind->apply(self, r, z);
}

// ---- none -----------------------------------------------------------------------------------------------------------

static size_t size(const Graph *graph)
{
    (void)graph;
    return 1;
}

static bool compute(Preconditioner *self)
{
    (void)self;
    return true;
}

static void apply(const Preconditioner *self, const double *r, double *z)
{
    memcpy(z, r, sizeof(double) * 3 * (size_t)self->matrix->graph->count);
}

const PreconditionerKind plainPreconditioner = { "none", size, compute, apply };
