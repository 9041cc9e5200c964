// What the potentials of tetrahedra share: deformation gradient and params.
#ifndef ENERGY_TET_H
#define ENERGY_TET_H

#include "energy/kernels.h"

// edges x1 - x0, x2 - x0, x3 - x0 as columns
static inline Mat3 tetEdges(const int *vertices, int lane, const double *x)
{
    Vec3 origin = laneLoad(vertices, 0, lane, x);
    Mat3 edges;
    for (int c = 0; c < 3; ++c)
    {
        Vec3 e = vecSub(laneLoad(vertices, c + 1, lane, x), origin);
        edges.m[0][c] = e.x;
        edges.m[1][c] = e.y;
        edges.m[2][c] = e.z;
    }
    return edges;
}

static inline Mat3 tetInverse(const double *params, int lane)
{
    Mat3 inverse;
    for (int i = 0; i < 9; ++i)
        inverse.m[i / 3][i % 3] = params[(TET_INVERSE + i) * LANES + lane];
    return inverse;
}

static inline Mat3 tetDeformation(const int *vertices, const double *params, int lane, const double *x)
{
    Mat3 edges = tetEdges(vertices, lane, x), inverse = tetInverse(params, lane);
    return matMultiply(&edges, &inverse);
}

// gradients of the four shape functions: F = sum over corners of x_c g_c^T
static inline void tetGradientsOf(const double *inverse, int lane, Vec3 g[4])
{
    g[0] = vec3(0, 0, 0);
    for (int c = 0; c < 3; ++c)
    {
        const double *row = inverse + 3 * c * LANES + lane;
        g[c + 1] = vec3(row[0], row[LANES], row[2 * LANES]);
        g[0] = vecSub(g[0], g[c + 1]);
    }
}

static inline void tetGradients(const double *params, int lane, Vec3 g[4])
{
    tetGradientsOf(params + TET_INVERSE * LANES, lane, g);
}

// tet.c
void tetPrepare(Energy *energy, const Recipe *recipe);
void tetMajorizer(const Energy *energy, int block, double *out);
void tetDescribe(const Energy *energy, const double *x, int element, char *text, size_t size);

// constants of the sweep by six strains: tet_sweep.c
void tetConstants(const Energy *energy, int element, const SweepMass *mass, double h, double *out);

// the sweep of strains, six rows at once, by an array of kernels by Isa
#define TET_SWEEP(table)                                                                                               \
    {                                                                                                                  \
        .rows = 6, .splits = true, .constantCount = CELL_CONSTANTS, .constants = tetConstants, .kernels = (table),     \
        .batches = sweepKernelBatches, .losses = sweepKernelLosses                                                     \
    }

#endif
