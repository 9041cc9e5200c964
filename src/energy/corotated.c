// Corotated linear elasticity on tetrahedra, V (mu |F - R|^2 + lambda/2 tr(R^T F - I)^2), R the rotation nearest to F
// (Dinev 2018, section 3, for lambda = 0; Stomakhin 2012 for the two terms in R). For poisson = 0, mu = E/2 and
// lambda = 0: exactly w/2 V |F - R|^2 with w = E, the tet strain constraint of Bouaziz 2014, Eq 9.
#include "energy/kernels.h"

#include <stdio.h>

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(corotatedKernels);

// edges x1 - x0, x2 - x0, x3 - x0 as columns
static Mat3 edgeMatrix(const int *vertices, int lane, const double *x)
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

static Mat3 restInverse(const double *params, int lane)
{
    Mat3 inverse;
    for (int i = 0; i < 9; ++i)
        inverse.m[i / 3][i % 3] = params[(TET_INVERSE + i) * LANES + lane];
    return inverse;
}

static Mat3 deformation(const int *vertices, const double *params, int lane, const double *x)
{
    Mat3 edges = edgeMatrix(vertices, lane, x), inverse = restInverse(params, lane);
    return matMultiply(&edges, &inverse);
}

// gradients of the four shape functions: F = sum over corners of x_c g_c^T
static void shapeGradients(const double *params, int lane, Vec3 g[4])
{
    g[0] = vec3(0, 0, 0);
    for (int c = 0; c < 3; ++c)
    {
        const double *row = params + (TET_INVERSE + 3 * c) * LANES + lane;
        g[c + 1] = vec3(row[0], row[LANES], row[2 * LANES]);
        g[0] = vecSub(g[0], g[c + 1]);
    }
}

static void prepare(Energy *energy, const Recipe *recipe)
{
    double e = recipe->young, nu = recipe->poisson;
    double mu = e / (2 * (1 + nu)), lambda = e * nu / ((1 + nu) * (1 - 2 * nu));
    for (int i = 0; i < energy->blockCount * LANES; ++i)
    {
        double *params = laneParams(energy, i / LANES);
        Mat3 edges = edgeMatrix(laneVertices(energy, i / LANES), i % LANES, recipe->rest);
        Mat3 inverse = matInverse(&edges);
        params[TET_VOLUME * LANES + i % LANES] = matDeterminant(&edges) / 6;
        params[TET_MU * LANES + i % LANES] = mu;
        params[TET_LAMBDA * LANES + i % LANES] = lambda;
        for (int k = 0; k < 9; ++k)
            params[(TET_INVERSE + k) * LANES + i % LANES] = inverse.m[k / 3][k % 3];
        laneKept(energy, i / LANES)[i % LANES] = 1; // the identity
    }
    if (lambda != 0)
        energy->traits &= ~(unsigned)TRAIT_PROJECTIVE;
}

static void values(Energy *energy, const double *x, int begin, int end)
{
    kernels[energy->isa]->values(energy, x, begin, end);
}

static void gradient(Energy *energy, const double *x, int begin, int end)
{
    kernels[energy->isa]->gradient(energy, x, begin, end);
}

static void project(Energy *energy, const double *x, int begin, int end)
{
    kernels[energy->isa]->project(energy, x, begin, end);
}

static void lineStart(Energy *energy, const double *x, const double *d, int begin, int end)
{
    kernels[energy->isa]->lineStart(energy, x, d, begin, end);
}

static void lineValues(Energy *energy, double alpha, int begin, int end)
{
    kernels[energy->isa]->lineValues(energy, alpha, begin, end);
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
    shapeGradients(params, lane, g);
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
        Mat3 f = deformation(laneVertices(energy, block), params, lane, x);
        elementHessian(params, lane, &f, mode, out + lane * 144);
    }
}

// V (2 mu + 3 lambda) g_a . g_b: the largest eigenvalue at rest is that of uniform dilation; 2 mu alone makes the
// local/global iteration diverge from poisson = 0.3 on
static void majorizer(const Energy *energy, int block, double *out)
{
    const double *params = laneParams(energy, block);
    for (int lane = 0; lane < LANES; ++lane)
    {
        Vec3 g[4];
        shapeGradients(params, lane, g);
        double weight = 2 * params[TET_MU * LANES + lane] + 3 * params[TET_LAMBDA * LANES + lane];
        // auxetic materials: then shear is the stiffest mode
        weight = params[TET_VOLUME * LANES + lane] * maxReal(weight, 2 * params[TET_MU * LANES + lane]);
        for (int a = 0; a < 4; ++a)
            for (int b = 0; b < 4; ++b)
                out[lane * 16 + a * 4 + b] = weight * vecDot(g[a], g[b]);
    }
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    const int *v = laneVertices(energy, element / LANES) + element % LANES;
    Mat3 f = deformation(v - element % LANES, laneParams(energy, element / LANES), element % LANES, x);
    Svd3 svd = svd3(&f);
    snprintf(text, size, "tet %d: vertices %d %d %d %d, det F %.4g%s, stretches %.4g %.4g %.4g", element, v[0],
             v[LANES], v[2 * LANES], v[3 * LANES], matDeterminant(&f), svd.sigma[2] < 0 ? " (inverted)" : "",
             svd.sigma[0], svd.sigma[1], svd.sigma[2]);
}

const EnergyKind corotatedKind = {
    .name = "corotated",
    .traits = TRAIT_INTERNAL | TRAIT_PROJECTIVE,
    .column = COLUMN_ELASTIC,
    .corners = 4,
    .paramCount = TET_PARAMS,
    .lineCount = TET_LINE,
    .keptCount = TET_ROTATION,
    .prepare = prepare,
    .values = values,
    .gradient = gradient,
    .lineStart = lineStart,
    .lineValues = lineValues,
    .hessian = hessian,
    .majorizer = majorizer,
    .project = project,
    .describe = describe,
};
