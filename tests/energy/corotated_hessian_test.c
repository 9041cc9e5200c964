// Second derivatives of corotated tets in lanes against the plain formula by singular values, exact and semidefinite,
// from stretched to squeezed, flat and inverted; the same bits at every width.
#include "check.h"
#include "energy/kernels.h"
#include "energy/spectral.h"

#include <string.h>

#define TETS 45 // the last block is incomplete
#define STATES 6

static TestRandom numbers;

typedef struct Sample
{
    Memory memory;
    Energy *energy;
    double rest[12 * TETS], x[12 * TETS];
} Sample;

// F = diag(stretch) between random shears: near rest, stretched, squeezed, strongly squeezed, inverted, random
static void deform(Sample *sample, int state)
{
    static const double low[STATES] = { 0.98, 1.0, 0.5, 0.05, -1.2, -1 }, high[STATES] = { 1.02, 2, 1, 0.3, -0.2, 1 };
    for (int e = 0; e < TETS; ++e)
    {
        double stretch[3], shear = state == 0 ? 0.01 : 0.3;
        for (int a = 0; a < 3; ++a)
            stretch[a] = a == 0 || state != 4 ? randomBetween(&numbers, low[state], high[state]) : 1;
        for (int v = 4 * e; v < 4 * e + 4; ++v)
        {
            const double *p = sample->rest + 3 * v;
            for (int a = 0; a < 3; ++a)
                sample->x[3 * v + a] = stretch[a] * p[a] + shear * (a == e % 3 ? p[(a + 1) % 3] : 0);
        }
    }
}

static void makeSample(Sample *sample, double poisson, int state, Isa isa)
{
    static const double corner[4][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    int vertices[4 * TETS];
    sample->memory = memoryMake(NULL);
    numbers.state = 3 + (uint64_t)state;
    for (int v = 0; v < 4 * TETS; ++v)
    {
        vertices[v] = v;
        for (int a = 0; a < 3; ++a)
            sample->rest[3 * v + a] = corner[v % 4][a] + randomBetween(&numbers, -0.2, 0.2);
    }
    deform(sample, state);
    Recipe recipe = { .rest = sample->rest, .young = 1000, .poisson = poisson, .isa = isa };
    sample->energy = energyCreate(&sample->memory, &corotatedKind, 4 * TETS, TETS, vertices, &recipe);
    assert_non_null(sample->energy);
}

static void freeSample(Sample *sample)
{
    energyDestroy(sample->energy);
    assert_int_equal(sample->memory.blocks, 0);
}

// by singular values; returns the least sum of two of them
static double plainHessian(const Energy *energy, int e, const double *x, HessianMode mode, double *out)
{
    double inverse[9], inner[81], g[4][3] = { { 0 } };
    const double *corner = x + 12 * e;
    Vec3 f[3];
    for (int i = 0; i < 9; ++i)
        inverse[i] = energyGetParam(energy, e, TET_INVERSE + i);
    for (int c = 0; c < 3; ++c)
    {
        f[c] = vec3(0, 0, 0);
        for (int k = 0; k < 3; ++k)
        {
            Vec3 edge = vecSub(vecLoad(corner + 3 * (k + 1)), vecLoad(corner));
            f[c] = vecAdd(f[c], vecScale(inverse[3 * k + c], edge));
            g[k + 1][c] = inverse[3 * k + c];
            g[0][c] -= inverse[3 * k + c];
        }
    }
    Spectrum s = spectrumOf(f, 3);
    double mu = energyGetParam(energy, e, TET_MU), lambda = energyGetParam(energy, e, TET_LAMBDA);
    double slope[3], curve[3][3], trace = s.sigma[0] + s.sigma[1] + s.sigma[2] - 3;
    for (int i = 0; i < 3; ++i)
    {
        slope[i] = 2 * mu * (s.sigma[i] - 1) + lambda * trace;
        for (int j = 0; j < 3; ++j)
            curve[i][j] = lambda + (i == j ? 2 * mu : 0);
    }
    spectralHessian(&s, 3, slope, curve, mode, inner);
    for (int i = 0; i < 144; ++i)
    {
        int a = i / 12, b = i % 12;
        out[i] = 0;
        for (int k = 0; k < 9; ++k)
            out[i] += g[a / 3][k / 3] * g[b / 3][k % 3] * inner[(3 * (k / 3) + a % 3) * 9 + 3 * (k % 3) + b % 3];
        out[i] *= energyGetParam(energy, e, TET_VOLUME);
    }
    return s.sigma[1] + s.sigma[2];
}

static void lanesAreThePlainFormula(void **state)
{
    (void)state;
    static const double poissons[] = { 0, 0.3, 0.45 };
    int compared = 0, raised = 0;
    for (int k = 0; k < 3 * STATES; ++k)
    {
        static Sample sample;
        static double out[LANES * 144], want[144], exact[144];
        makeSample(&sample, poissons[k % 3], k / 3, isaBest());
        for (int mode = HESSIAN_EXACT; mode <= HESSIAN_SEMIDEFINITE; ++mode)
        {
            for (int e = 0; e < TETS; ++e)
            {
                if (e % LANES == 0)
                    corotatedKind.hessian(sample.energy, sample.x, e / LANES, (HessianMode)mode, out);
                plainHessian(sample.energy, e, sample.x, HESSIAN_EXACT, exact);
                double gap = plainHessian(sample.energy, e, sample.x, (HessianMode)mode, want);
                if (gap < 1e-3)
                    continue; // the nearest rotation is uncertain
                double size = largestMagnitude(want, 144);
                raised += memcmp(want, exact, sizeof want) != 0;
                compared += 1;
                for (int i = 0; i < 144; ++i)
                    CHECK_NEAR(out[e % LANES * 144 + i], want[i], 1e-9 * size / gap);
                for (int i = 0; i < 144; ++i)
                    assert_true(out[e % LANES * 144 + i] == out[e % LANES * 144 + i % 12 * 12 + i / 12]);
            }
        }
        freeSample(&sample);
    }
    assert_true(compared > TETS * STATES * 4 && raised > TETS * STATES);
}

static void widthsHaveTheSameBits(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * STATES * ISA_COUNT; ++k)
    {
        static Sample base, other;
        static double first[LANES * 144], second[LANES * 144];
        Isa isa = (Isa)(k % ISA_COUNT);
        if (!isaAvailable(isa))
            continue;
        makeSample(&base, 0.3, k / ISA_COUNT / 2, ISA_BASE);
        makeSample(&other, 0.3, k / ISA_COUNT / 2, isa);
        for (int block = 0; block < base.energy->blockCount; ++block)
        {
            HessianMode mode = k / ISA_COUNT % 2 ? HESSIAN_EXACT : HESSIAN_SEMIDEFINITE;
            corotatedKind.hessian(base.energy, base.x, block, mode, first);
            corotatedKind.hessian(other.energy, other.x, block, mode, second);
            assert_memory_equal(first, second, sizeof first);
        }
        freeSample(&base);
        freeSample(&other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanesAreThePlainFormula),
        cmocka_unit_test(widthsHaveTheSameBits),
    };
    return cmocka_run_group_tests_name("corotated hessian", tests, NULL, NULL);
}
