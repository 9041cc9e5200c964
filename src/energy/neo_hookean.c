// Stable neo-Hookean tetrahedra (Smith 2018, without the logarithm of Eq 14), V (mu/2 (|F|^2 - 3) + l/2 (J - 1 -
// mu/l)^2) less its value at rest. l = lambda + mu makes it agree with Hooke's law of (lambda, mu) for small strain;
// Smith's 4/3 mu belongs to the logarithm. Smooth everywhere, inverted tets included.
#include "energy/tet.h"
#include "energy/yield.h"
#include "linear/eigen.h"

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(neoHookeanKernels);
static const SweepKernels *const sweeps[ISA_COUNT] = KERNELS_BY_ISA(neoHookeanSweeps);

// The nine eigenpairs of the second derivative in F (Smith 2018, section 4.5): three twists and three flips in the
// planes of the singular vectors, and a 3x3 problem for the stretches.
typedef struct Modes
{
    Mat3 mode[9];
    double value[9];
} Modes;

static Mat3 planeMode(const Svd3 *svd, int i, int j, double sign)
{
    Mat3 mode;
    for (int k = 0; k < 9; ++k)
        mode.m[k / 3][k % 3] =
            sqrt(0.5) * (svd->u.m[k / 3][i] * svd->v.m[k % 3][j] + sign * svd->u.m[k / 3][j] * svd->v.m[k % 3][i]);
    return mode;
}

static Modes modesAt(const Mat3 *f, double mu, double lambda)
{
    Svd3 svd = svd3(f);
    const double *s = svd.sigma;
    double bulk = lambda + mu, slope = bulk * (s[0] * s[1] * s[2] - 1) - mu, stretch[9], value[3], vectors[9];
    Modes modes;
    for (int k = 0; k < 3; ++k)
    {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        modes.mode[k] = planeMode(&svd, i, j, -1);
        modes.value[k] = mu + slope * s[k];
        modes.mode[3 + k] = planeMode(&svd, i, j, 1);
        modes.value[3 + k] = mu - slope * s[k];
        for (int l = 0; l < 3; ++l)
        {
            double here = s[i] * s[j], there = s[(l + 1) % 3] * s[(l + 2) % 3];
            stretch[3 * k + l] = bulk * here * there + (k == l ? mu : slope * s[3 - k - l]);
        }
    }
    eigenDense(3, stretch, value, vectors);
    for (int k = 0; k < 3; ++k)
    {
        modes.value[6 + k] = value[k];
        for (int e = 0; e < 9; ++e)
        {
            double sum = 0;
            for (int l = 0; l < 3; ++l)
                sum += vectors[3 * k + l] * svd.u.m[e / 3][l] * svd.v.m[e % 3][l];
            modes.mode[6 + k].m[e / 3][e % 3] = sum;
        }
    }
    return modes;
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    const double *params = laneParams(energy, block);
    for (int lane = 0; lane < LANES; ++lane)
    {
        double bent[9][12], volume = params[TET_VOLUME * LANES + lane];
        Mat3 f = tetDeformation(laneVertices(energy, block), params, lane, x);
        Modes modes = modesAt(&f, params[TET_MU * LANES + lane], params[TET_LAMBDA * LANES + lane]);
        Vec3 g[4];
        tetGradients(params, lane, g);
        for (int k = 0; k < 9; ++k)
        {
            modes.value[k] = mode == HESSIAN_SEMIDEFINITE ? maxReal(modes.value[k], 0) : modes.value[k];
            for (int c = 0; c < 4; ++c)
                vecStore(bent[k] + 3 * c, matApply(&modes.mode[k], g[c]));
        }
        for (int i = 0; i < 144; ++i)
        {
            double sum = 0;
            for (int k = 0; k < 9; ++k)
                sum += modes.value[k] * bent[k][i / 12] * bent[k][i % 12];
            out[lane * 144 + i] = volume * sum;
        }
    }
}

// a quarter above that of small strain: det F stiffens it, by 4 % for each percent of dilation
static void majorizer(const Energy *energy, int block, double *out)
{
    tetMajorizer(energy, block, out);
    for (int i = 0; i < LANES * 16; ++i)
        out[i] *= 1.25;
}

// Four of six strains are held by how the two gradients turn, which the multipliers do not foresee: they move as under
// explicit forces, by up to 2 mu V h^2 sum w |g|^2 times themselves. Above 1 they would pass their rest, above 2 they
// would grow. The step, in s, for which it is 1: compliances are made for no longer one. The tet is then softer than
// asked for, and its rest the same.
static double longestStep(const double *params, int lane, const SweepMass *mass)
{
    double volume = params[TET_VOLUME * LANES + lane], mu = params[TET_MU * LANES + lane], sum = 0;
    Vec3 g[4];
    tetGradients(params, lane, g);
    for (int c = 0; c < 4; ++c)
        sum += mass->inverse[c] * vecDot(g[c], g[c]);
    return 1 / sqrt(2 * mu * volume * sum);
}

// no overlap (SweepMass): those four are as stiff as they should be
static void constants(const Energy *energy, int element, const SweepMass *mass, double h, double *out)
{
    const double *params = laneParams(energy, element / LANES);
    int lane = element % LANES;
    double volume = params[TET_VOLUME * LANES + lane], mu = params[TET_MU * LANES + lane];
    double bulk = params[TET_LAMBDA * LANES + lane] + mu;
    double sum = mass->inverse[0] + mass->inverse[1] + mass->inverse[2] + mass->inverse[3];
    bool acts = volume != 0 && sum > 0;
    h = acts ? minReal(h, longestStep(params, lane, mass)) : h;
    for (int k = 0; k < 9; ++k)
        out[HOOKEAN_INVERSE + k] = params[(TET_INVERSE + k) * LANES + lane];
    out[HOOKEAN_REST] = 1 + mu / bulk;
    out[HOOKEAN_VOLUME_COMPLIANCE] = acts ? sweepCompliance(bulk * volume, h) : 0;
    out[HOOKEAN_SHEAR_COMPLIANCE] = acts ? sweepCompliance(mu * volume, h) : 0;
    out[HOOKEAN_ACTS] = acts;
}

static const SweepKind sweep = { .rows = 2,
                                 .constantCount = HOOKEAN_CONSTANTS,
                                 .constants = constants,
                                 .kernels = sweeps,
                                 .batches = sweepKernelBatches };

const EnergyKind neoHookeanKind = {
    .name = "stable-neo-hookean",
    .traits = TRAIT_INTERNAL | TRAIT_SWEEP,
    .column = COLUMN_ELASTIC,
    .corners = 4,
    .paramCount = TET_PARAMS,
    .lineCount = TET_LINE,
    .local = true,
    .prepare = tetPrepare,
    KERNEL_FUNCTIONS(kernels),
    .hessian = hessian,
    .majorizer = majorizer,
    .sweep = &sweep,
    .yields = &neoHookeanYield,
    .describe = tetDescribe,
};
