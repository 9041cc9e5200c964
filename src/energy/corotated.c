// Corotated linear elasticity on tetrahedra, V (mu |F - R|^2 + lambda/2 tr(R^T F - I)^2), R the rotation nearest to F
// (Dinev 2018, section 3, for lambda = 0; Stomakhin 2012 for the two terms in R). For poisson = 0, mu = E/2 and
// lambda = 0: exactly w/2 V |F - R|^2 with w = E, the tet strain constraint of Bouaziz 2014, Eq 9.
#include "energy/tet.h"

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(corotatedKernels);

static void prepare(Energy *energy, const Recipe *recipe)
{
    tetPrepare(energy, recipe);
    for (int i = 0; i < energy->blockCount * LANES; ++i)
        laneKept(energy, i / LANES)[i % LANES] = 1; // the identity
    if (energyGetParam(energy, 0, TET_LAMBDA) != 0)
        energy->traits &= ~(unsigned)TRAIT_PROJECTIVE;
}

// The second derivative in F is 2 mu I + sum over k of c_k q_k q_k^T + lambda r r^T: the sum of singular values bends
// only in the three twists q_k = U T_k V^T, by 2 / (sigma_i + sigma_j) (notes in Smith 2019, section 4). The twist
// eigenvalues 2 mu + c_k are the only ones that can be negative.
typedef struct Curvature
{
    Mat3 mode[4]; // three twists and R
    double coefficient[4];
} Curvature;

static Curvature curvatureAt(const Mat3 *f, double mu, double lambda, HessianMode mode)
{
    static const int pairs[3][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
    Svd3 svd = svd3(f);
    Curvature curvature;
    double bend = lambda * (svd.sigma[0] + svd.sigma[1] + svd.sigma[2] - 3) - 2 * mu;
    for (int k = 0; k < 3; ++k)
    {
        int i = pairs[k][0], j = pairs[k][1];
        // sigma_1 + sigma_2 vanishes where the nearest rotation jumps; the floor keeps the numbers finite there
        double c = bend * 2 / maxReal(svd.sigma[i] + svd.sigma[j], 1e-9);
        curvature.coefficient[k] = mode == HESSIAN_SEMIDEFINITE ? maxReal(c, -2 * mu) : c;
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column)
                curvature.mode[k].m[row][column] =
                    sqrt(0.5) * (svd.u.m[row][i] * svd.v.m[column][j] - svd.u.m[row][j] * svd.v.m[column][i]);
    }
    curvature.mode[3] = matMultiplyTransposed(&svd.u, &svd.v);
    curvature.coefficient[3] = lambda;
    return curvature;
}

static void elementHessian(const double *params, int lane, const Mat3 *f, HessianMode mode, double *out)
{
    double mu = params[TET_MU * LANES + lane], volume = params[TET_VOLUME * LANES + lane];
    Curvature curvature = curvatureAt(f, mu, params[TET_LAMBDA * LANES + lane], mode);
    Vec3 g[4];
    tetGradients(params, lane, g);
    double bent[4][4][3]; // mode k applied to g_c
    for (int k = 0; k < 4; ++k)
        for (int c = 0; c < 4; ++c)
            vecStore(bent[k][c], matApply(&curvature.mode[k], g[c]));
    for (int a = 0; a < 4; ++a)
    {
        for (int b = 0; b < 4; ++b)
        {
            double plain = 2 * mu * vecDot(g[a], g[b]);
            for (int i = 0; i < 9; ++i)
            {
                double entry = i % 4 == 0 ? plain : 0;
                for (int k = 0; k < 4; ++k)
                    entry += curvature.coefficient[k] * bent[k][a][i / 3] * bent[k][b][i % 3];
                out[(3 * a + i / 3) * 12 + 3 * b + i % 3] = volume * entry;
            }
        }
    }
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    const double *params = laneParams(energy, block);
    for (int lane = 0; lane < LANES; ++lane)
    {
        Mat3 f = tetDeformation(laneVertices(energy, block), params, lane, x);
        elementHessian(params, lane, &f, mode, out + lane * 144);
    }
}

static const SweepKernels *const sweeps[ISA_COUNT] = KERNELS_BY_ISA(corotatedSweeps);
static const SweepKind sweep = TET_SWEEP(sweeps);

const EnergyKind corotatedKind = {
    .name = "corotated",
    .traits = TRAIT_INTERNAL | TRAIT_PROJECTIVE | TRAIT_SWEEP,
    .column = COLUMN_ELASTIC,
    .corners = 4,
    .paramCount = TET_PARAMS,
    .lineCount = TET_LINE,
    .keptCount = TET_ROTATION,
    .finds = true,
    .prepare = prepare,
    KERNEL_FUNCTIONS(kernels),
    .hessian = hessian,
    .majorizer = tetMajorizer,
    .project = kernelProject,
    .sweep = &sweep,
    .describe = tetDescribe,
};
