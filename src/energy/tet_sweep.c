// The block of a tet with six strains: sum over corners of w B B^T and the compliance, inverted (tet_sweep_kernels.c).
#include "energy/tet.h"

#include <string.h>

// symmetric positive definite, in place, by Gauss and Jordan without pivots
static void invertBlock(double m[6][6])
{
    for (int p = 0; p < 6; ++p)
    {
        double pivot = 1 / m[p][p];
        for (int j = 0; j < 6; ++j)
            m[p][j] *= j == p ? 0 : pivot;
        m[p][p] = pivot;
        for (int i = 0; i < 6; ++i)
        {
            double factor = m[i][p];
            if (i == p)
                continue;
            m[i][p] = 0;
            for (int j = 0; j < 6; ++j)
                m[i][j] -= factor * m[p][j];
        }
    }
}

// rows of B of one corner: strain by position, in the frame of R
static void strainRows(Vec3 g, double b[6][3])
{
    const double rows[6][3] = { { g.x, 0, 0 },   { 0, g.y, 0 },   { 0, 0, g.z },
                                { 0, g.z, g.y }, { g.z, 0, g.x }, { g.y, g.x, 0 } };
    for (int i = 0; i < 18; ++i)
        b[i / 3][i % 3] = rows[i / 3][i % 3];
}

// a += scale times the sum over corners of w B B^T
static void addCorners(const Vec3 g[4], const double *w, double scale, double a[6][6])
{
    for (int c = 0; c < 4; ++c)
    {
        double b[6][3];
        strainRows(g[c], b);
        for (int i = 0; i < 36; ++i)
            a[i / 6][i % 6] += scale * w[c] * vecDot(vecLoad(b[i / 6]), vecLoad(b[i % 6]));
    }
}

// compliance a to a (a + O)^-1 a, the inverse of K' (SweepMass)
static void sharpen(const Vec3 g[4], const double *overlap, double scale, double a[6][6])
{
    double sum[6][6], half[6][6];
    memcpy(sum, a, sizeof sum);
    addCorners(g, overlap, scale, sum);
    invertBlock(sum);
    for (int i = 0; i < 36; ++i)
    {
        half[i / 6][i % 6] = 0;
        for (int k = 0; k < 6; ++k)
            half[i / 6][i % 6] += sum[i / 6][k] * a[k][i % 6];
    }
    double old[6][6];
    memcpy(old, a, sizeof old);
    for (int i = 0; i < 36; ++i)
    {
        a[i / 6][i % 6] = 0;
        for (int k = 0; k < 6; ++k)
            a[i / 6][i % 6] += old[i / 6][k] * half[k][i % 6];
    }
}

void tetConstants(const Energy *energy, int element, const SweepMass *mass, double h, double *out)
{
    const double *params = laneParams(energy, element / LANES);
    int lane = element % LANES;
    double volume = params[TET_VOLUME * LANES + lane], mu = params[TET_MU * LANES + lane];
    double lambda = params[TET_LAMBDA * LANES + lane], gamma = sweepGamma(energy->viscosity, h);
    double sum = mass->inverse[0] + mass->inverse[1] + mass->inverse[2] + mass->inverse[3];
    for (int k = 0; k < CELL_CONSTANTS; ++k)
        out[k] = 0;
    for (int k = 0; k < 9; ++k)
        out[CELL_INVERSE + k] = params[(TET_INVERSE + k) * LANES + lane];
    if (volume == 0 || !(sum > 0))
        return;
    double young = mu * (3 * lambda + 2 * mu) / (lambda + mu), poisson = lambda / (2 * (lambda + mu));
    double scale = 1 / (volume * h * h), a[6][6];
    out[CELL_COMPLIANCE] = scale / young;
    out[CELL_COMPLIANCE + 1] = -scale * poisson / young;
    out[CELL_COMPLIANCE + 2] = scale / mu;
    out[CELL_GAMMA] = gamma;
    out[CELL_TAKEN] = energy->viscosity / h * volume * lambda;
    out[CELL_TAKEN + 1] = energy->viscosity / h * volume * mu;
    for (int i = 0; i < 6; ++i)
    {
        for (int j = 0; j < 6; ++j)
            a[i][j] = i >= 3 || j >= 3 ? (i == j ? out[CELL_COMPLIANCE + 2] : 0) : out[CELL_COMPLIANCE + (i != j)];
    }
    Vec3 g[4];
    tetGradients(params, lane, g);
    sharpen(g, mass->overlap, 1 + gamma, a);
    addCorners(g, mass->inverse, 1 + gamma, a);
    invertBlock(a);
    for (int i = 0, n = 0; i < 6; ++i)
    {
        for (int j = i; j < 6; ++j, ++n)
            out[CELL_BLOCK + n] = a[i][j];
    }
}
