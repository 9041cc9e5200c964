// What the potentials of tetrahedra share: deformation gradient and params.
#ifndef ENERGY_TET_H
#define ENERGY_TET_H

#include "energy/kernels.h"

#include <stdio.h>

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
static inline void tetGradients(const double *params, int lane, Vec3 g[4])
{
    g[0] = vec3(0, 0, 0);
    for (int c = 0; c < 3; ++c)
    {
        const double *row = params + (TET_INVERSE + 3 * c) * LANES + lane;
        g[c + 1] = vec3(row[0], row[LANES], row[2 * LANES]);
        g[0] = vecSub(g[0], g[c + 1]);
    }
}

static inline void tetPrepare(Energy *energy, const Recipe *recipe)
{
    double e = recipe->young, nu = recipe->poisson;
    double mu = e / (2 * (1 + nu)), lambda = e * nu / ((1 + nu) * (1 - 2 * nu));
    for (int i = 0; i < energy->blockCount * LANES; ++i)
    {
        double *params = laneParams(energy, i / LANES);
        Mat3 edges = tetEdges(laneVertices(energy, i / LANES), i % LANES, recipe->rest);
        Mat3 inverse = matInverse(&edges);
        params[TET_VOLUME * LANES + i % LANES] = matDeterminant(&edges) / 6;
        params[TET_MU * LANES + i % LANES] = recipeStrength(energy, i, recipe) * mu;
        params[TET_LAMBDA * LANES + i % LANES] = recipeStrength(energy, i, recipe) * lambda;
        for (int k = 0; k < 9; ++k)
            params[(TET_INVERSE + k) * LANES + i % LANES] = inverse.m[k / 3][k % 3];
    }
}

// V (2 mu + 3 lambda) g_a . g_b: the largest eigenvalue at rest is that of uniform dilation; 2 mu alone makes the
// local/global iteration diverge from poisson = 0.3 on
static inline void tetMajorizer(const Energy *energy, int block, double *out)
{
    const double *params = laneParams(energy, block);
    for (int lane = 0; lane < LANES; ++lane)
    {
        Vec3 g[4];
        tetGradients(params, lane, g);
        double weight = 2 * params[TET_MU * LANES + lane] + 3 * params[TET_LAMBDA * LANES + lane];
        // auxetic materials: then shear is the stiffest mode
        weight = params[TET_VOLUME * LANES + lane] * maxReal(weight, 2 * params[TET_MU * LANES + lane]);
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < 4; ++b)
                out[lane * 16 + a * 4 + b] = weight * vecDot(g[a], g[b]);
    }
}

static inline void tetDescribe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    const int *v = laneVertices(energy, element / LANES) + element % LANES;
    Mat3 f = tetDeformation(v - element % LANES, laneParams(energy, element / LANES), element % LANES, x);
    Svd3 svd = svd3(&f);
    snprintf(text, size, "tet %d: vertices %d %d %d %d, det F %.4g%s, stretches %.4g %.4g %.4g", element, v[0],
             v[LANES], v[2 * LANES], v[3 * LANES], matDeterminant(&f), svd.sigma[2] < 0 ? " (inverted)" : "",
             svd.sigma[0], svd.sigma[1], svd.sigma[2]);
}

// constants of the sweep by six strains: tet_sweep.c
void tetConstants(const Energy *energy, int element, const SweepMass *mass, double h, double *out);

// the sweep of strains, six rows at once: `sweep` of a kind, by the kernels of that name
#define TET_SWEEP(name)                                                                                                \
    static const SweepKernels *const sweeps[ISA_COUNT] = KERNELS_BY_ISA(name);                                         \
    static void batches(SweepPlan *plan, const SweepContext *context, int begin, int end)                              \
    {                                                                                                                  \
        sweeps[plan->energy->isa]->batches(plan, context, begin, end);                                                 \
    }                                                                                                                  \
    static void losses(SweepPlan *plan, const SweepContext *context, int begin, int end)                               \
    {                                                                                                                  \
        sweeps[plan->energy->isa]->losses(plan, context, begin, end);                                                  \
    }                                                                                                                  \
    static const SweepKind sweep = {                                                                                   \
        .rows = 6,                                                                                                     \
        .splits = true,                                                                                                \
        .constantCount = CELL_CONSTANTS,                                                                               \
        .constants = tetConstants,                                                                                     \
        .batches = batches,                                                                                            \
        .losses = losses,                                                                                              \
    };

#endif
