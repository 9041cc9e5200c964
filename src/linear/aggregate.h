// The coarse level of a matrix of 3x3 blocks: vertices in aggregates, their rigid motions, smoothed by one Jacobi step.
#ifndef LINEAR_AGGREGATE_H
#define LINEAR_AGGREGATE_H

#include "linear/linear.h"

typedef struct CoarseRecipe
{
    const BlockMatrix *matrix;
    const double *inverse;      // count x 9: of its diagonal blocks
    const double *points;       // count x 3, m
    const double *mass;         // count
    const unsigned char *fixed; // count
    double omega;               // of the Jacobi step
} CoarseRecipe;

// P, count x 3 rows over aggregates x 6 columns, and P^T A P. An aggregate is two vertices of the coarse graph.
typedef struct Coarse
{
    int vertices;
    int count;           // aggregates
    int *start;          // vertices + 1
    int *aggregate;      // start[vertices]
    double *value;       // start[vertices] x 18: 3 x 6, row major
    double *points;      // 2 count x 3, m
    Graph *graph;        // 2 count
    BlockMatrix *matrix; // over it
} Coarse;

bool coarseMake(Memory *memory, const CoarseRecipe *recipe,
                Coarse *coarse); // false: out of memory; to be freed all the same
void coarseFree(Memory *memory, Coarse *coarse);

void invertBlock(const double *block, double *inverse); // symmetric and positive definite, 3x3

#endif
