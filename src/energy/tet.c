// What the kinds of tetrahedra share outside their kernels: params, majorizer, words.
#include "energy/tet.h"
#include "energy/yield.h"

#include <stdio.h>

void tetPrepare(Energy *energy, const Recipe *recipe)
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
void tetMajorizer(const Energy *energy, int block, double *out)
{
    const double *params = laneParams(energy, block);
    const double *inverse = energy->yield ? yieldBound(energy, block) : params + TET_INVERSE * LANES;
    for (int lane = 0; lane < LANES; ++lane)
    {
        Vec3 g[4];
        tetGradientsOf(inverse, lane, g);
        double weight = 2 * params[TET_MU * LANES + lane] + 3 * params[TET_LAMBDA * LANES + lane];
        // auxetic materials: then shear is the stiffest mode
        weight = params[TET_VOLUME * LANES + lane] * maxReal(weight, 2 * params[TET_MU * LANES + lane]);
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < 4; ++b)
                out[lane * 16 + a * 4 + b] = weight * vecDot(g[a], g[b]);
    }
}

void tetDescribe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    const int *v = laneVertices(energy, element / LANES) + element % LANES;
    Mat3 f = tetDeformation(v - element % LANES, laneParams(energy, element / LANES), element % LANES, x);
    Svd3 svd = svd3(&f);
    snprintf(text, size, "tet %d: vertices %d %d %d %d, det F %.4g%s, stretches %.4g %.4g %.4g", element, v[0],
             v[LANES], v[2 * LANES], v[3 * LANES], matDeterminant(&f), svd.sigma[2] < 0 ? " (inverted)" : "",
             svd.sigma[0], svd.sigma[1], svd.sigma[2]);
}
