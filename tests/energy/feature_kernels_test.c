// The vector kernels of strain, its rates, limits, area, volume, bending, hinges, pressure and examples: the same bits
// at every width, plain code beside them, and elements that are flat, collapsed, inverted or a point.
#include "check.h"
#include "energy/example.h"
#include "energy/kernels.h"
#include "energy/spectral.h"
#include "energy/strain.h"

#include <string.h>

#define ELEMENTS 45 // the last block is incomplete
#define DOF (3 * 4 * ELEMENTS)

static const EnergyKind *const kinds[] = {
    &triangleKind,        &triangleLimitKind, &triangleFibreKind, &areaKind,
    &tetLimitKind,        &tetFibreKind,      &volumeKind,        &edgeLimitKind,
    &bendingKind,         &dihedralKind,      &pressureKind,      &exampleKind,
    &exampleBlendKind,    &membraneKind,      &springDamperKind,  &membraneDamperKind,
    &corotatedDamperKind, &linearKind,        &neoHookeanKind,    &bendingDamperKind,
    &dihedralDamperKind,  &rodKind,           &rodDamperKind,     &stvkKind,
    &mooneyRivlinKind,    &ogdenKind,         &muscleKind,        &wovenKind,
    &wovenDamperKind,     &triangleCurveKind, &tetCurveKind,
};
#define KINDS ((int)(sizeof kinds / sizeof kinds[0]))

typedef struct Sample
{
    Memory memory;
    Energy *energy;
    double rest[3 * 9 * ELEMENTS], x[3 * 9 * ELEMENTS], d[3 * 9 * ELEMENTS], example[2][3 * 9 * ELEMENTS];
} Sample;

// elements of their own corners: a well shaped rest; random, then flat, collapsed to a line, to a point, mirrored
static void makeSample(Sample *sample, const EnergyKind *kind, Isa isa)
{
    static const double corner[9][3] = { { 0, 0, 0 },     { 1, 0, 0 },        { 0, 1, 0 },
                                         { 0, 0, 1 },     { -0.5, 0.8, 0.2 }, { -1, 0, 0 },
                                         { -0.7, -1, 0 }, { 0, -1, 0.1 },     { 0.8, -0.7, -0.1 } };
    static const int ring[9] = { 0, 1, 2, 4, 5, 6, 7, 8, 0 };
    sample->memory = memoryMake(NULL);
    TestRandom numbers = { 17 };
    int n = kind->corners, vertices[9 * ELEMENTS];
    for (int v = 0; v < n * ELEMENTS; ++v)
    {
        int e = v / n, c = v % n;
        const double *at = corner[n == 9 ? ring[c] : c];
        vertices[v] = n == 9 && c == 8 ? v - 8 : v;
        for (int a = 0; a < 3; ++a)
        {
            sample->rest[3 * v + a] = at[a] + randomBetween(&numbers, -0.15, 0.15);
            sample->x[3 * v + a] = 1.3 * at[a] + randomBetween(&numbers, -0.5, 0.5);
            sample->d[3 * v + a] = randomBetween(&numbers, -1, 1);
            sample->example[0][3 * v + a] = (a == 0 ? 1.4 : 1) * sample->rest[3 * v + a];
            sample->example[1][3 * v + a] = sample->rest[3 * v + a] + (a == 1 ? 0.3 * sample->rest[3 * v + 2] : 0);
            double *x = &sample->x[3 * v + a];
            x[0] = e % 9 < 2 ? 1.02 * sample->rest[3 * v + a] : x[0]; // within limits, with the moved ones before them
            x[0] = e % 9 == 4 && a == 1 ? 0.3 : x[0];                 // flat
            x[0] = e % 9 == 5 && a > 0 ? 0.1 : x[0];                  // a line
            x[0] = e % 9 == 6 ? 0.25 : x[0];                          // a point
            x[0] = e % 9 == 7 && a == 2 ? -x[0] : x[0];               // mirrored
            x[0] = e % 9 == 8 ? sample->rest[3 * v + a] + 5 : x[0];   // moved
        }
    }
    Recipe recipe = { .rest = sample->rest, .young = 1000, .thickness = 0.1, .low = 0.9, .high = 1.1, .isa = isa };
    recipe.bend = 1;
    recipe.twist = 0.7;
    recipe.lowAcross = 0.8;
    recipe.highAcross = 1.05;
    recipe.direction = vec3(1, 0.2, 0.1);
    static const vvLaw law = { .secondShare = 0, .warp = { 1, 0.5, 0 }, .weft = 400, .shear = 70 };
    recipe.law = kind == &wovenKind || kind == &wovenDamperKind ? &law : NULL;
    const double *const examples[2] = { sample->example[0], sample->example[1] };
    recipe.example = examples;
    recipe.exampleCount = 2;
    sample->energy = energyCreate(&sample->memory, kind, n * ELEMENTS, ELEMENTS, vertices, &recipe);
    assert_non_null(sample->energy);
}

static void widthsHaveTheSameBits(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; ++k)
    {
        static Sample base, other;
        for (int isa = 1; isa < ISA_COUNT; ++isa)
        {
            if (!isaAvailable((Isa)isa))
                continue;
            makeSample(&base, kinds[k], (Isa)0); // anew: some keep where they have been
            makeSample(&other, kinds[k], (Isa)isa);
            size_t values = (size_t)base.energy->blockCount * LANES * sizeof(double);
            size_t slots = values * (size_t)kinds[k]->corners * 3;
            energyValue(base.energy, base.x);
            energyValue(other.energy, other.x);
            assert_memory_equal(base.energy->value, other.energy->value, values);
            energyGradientBlocks(base.energy, base.x, 0, base.energy->blockCount);
            int piece = kinds[k]->traits & TRAIT_WHOLE ? other.energy->blockCount : 1;
            for (int block = other.energy->blockCount; (block -= piece) >= 0;) // in pieces
                energyGradientBlocks(other.energy, other.x, block, block + piece);
            assert_memory_equal(base.energy->slot, other.energy->slot, slots);
            if (kinds[k]->project != NULL)
            {
                energyProjectionBlocks(base.energy, base.x, 0, base.energy->blockCount);
                energyProjectionBlocks(other.energy, other.x, 0, other.energy->blockCount);
                assert_memory_equal(base.energy->slot, other.energy->slot, slots);
            }
            energyLineStart(base.energy, base.x, base.d);
            energyLineStart(other.energy, other.x, other.d);
            assert_true(energyLineValue(base.energy, 0.3) == energyLineValue(other.energy, 0.3));
            energyDestroy(other.energy);
            energyDestroy(base.energy);
            assert_int_equal(base.memory.blocks, 0);
        }
    }
}

static void everyElementIsFinite(void **state)
{
    (void)state;
    for (int k = 0; k < KINDS; ++k)
    {
        static Sample sample;
        static double matrices[LANES * 9 * MAX_CORNERS * MAX_CORNERS];
        makeSample(&sample, kinds[k], (Isa)0);
        Energy *energy = sample.energy;
        int n = 3 * kinds[k]->corners;
        assert_true(isfinite(energyValue(energy, sample.x)));
        energyGradientBlocks(energy, sample.x, 0, energy->blockCount);
        for (int i = 0; i < n * ELEMENTS; ++i)
            assert_true(isfinite(energy->slot[i]));
        for (int e = 0; e < ELEMENTS; ++e)
        {
            double force = 0;
            for (int i = 0; i < n; ++i)
                force = maxReal(force, fabs(elementSlots(energy, e)[i]));
            if (e % 9 == 6 && (kinds[k]->traits & TRAIT_PROJECTIVE) && kinds[k] != &bendingKind)
                assert_true(force > 0); // a point is pushed apart
            if (e % 9 == 8 && (kinds[k]->traits & TRAIT_INTERNAL) && kinds[k] != &exampleBlendKind)
                CHECK_BELOW(force, 1e-9); // moved alone: nothing
        }
        for (int mode = HESSIAN_EXACT; mode <= HESSIAN_SEMIDEFINITE; ++mode)
        {
            for (int block = 0; block < energy->blockCount; ++block)
            {
                energy->kind->hessian(energy, sample.x, block, (HessianMode)mode, matrices);
                for (int i = 0; i < LANES * n * n; ++i)
                    assert_true(isfinite(matrices[i]));
            }
        }
        energyDestroy(energy);
    }
}

// singular values from plain code, and the energies that follow from them
static void kernelsAreThePlainFormulas(void **state)
{
    (void)state;
    static const EnergyKind *const plain[] = { &triangleKind, &triangleLimitKind, &tetLimitKind };
    for (int k = 0; k < 3; ++k)
    {
        static Sample sample;
        makeSample(&sample, plain[k], (Isa)0);
        int columns = plain[k]->corners - 1, extra = plain[k] == &triangleKind ? TRIANGLE_EXTRA : LIMIT_EXTRA;
        energyValue(sample.energy, sample.x);
        for (int e = 0; e < ELEMENTS; ++e)
        {
            Vec3 f[3];
            rowsAt(sample.energy, e, sample.x, (Rows){ columns, columns + 1, extra }, f);
            Spectrum s = spectrumOf(f, columns);
            double sum = 0, size = 0;
            for (int i = 0; i < columns; ++i)
            {
                double rest = plain[k] == &triangleKind ? 1 : maxReal(0.9, minReal(1.1, s.sigma[i]));
                sum += (s.sigma[i] - rest) * (s.sigma[i] - rest);
                size += s.sigma[i] * s.sigma[i] + 1;
            }
            double weight = energyGetParam(sample.energy, e, 0);
            CHECK_NEAR(sample.energy->value[e], 0.5 * weight * sum, 1e-13 * weight * size); // other roundings
        }
        energyDestroy(sample.energy);
    }
}

// the angle between the normals by its tangent, volumes by determinants
static void anglesAndVolumesArePlain(void **state)
{
    (void)state;
    static Sample hinges, pressed;
    makeSample(&hinges, &dihedralKind, (Isa)0);
    makeSample(&pressed, &pressureKind, (Isa)0);
    energyValue(hinges.energy, hinges.x);
    energyValue(pressed.energy, pressed.x);
    for (int e = 0; e < ELEMENTS; ++e)
    {
        const double *x = hinges.x + 12 * e;
        Vec3 o = vecLoad(x), edge = vecSub(vecLoad(x + 3), o),
             along = vecScale(1 / maxReal(vecLength(edge), 1e-9), edge);
        Vec3 n1 = vecCross(edge, vecSub(vecLoad(x + 6), o)), n2 = vecCross(vecSub(vecLoad(x + 9), o), edge);
        // the sine has the sign of the turn from n1 to n2 about the edge
        double angle = atan2(vecDot(vecCross(n1, n2), along), vecDot(n1, n2));
        double k = energyGetParam(hinges.energy, e, HINGE_STIFFNESS),
               rest = energyGetParam(hinges.energy, e, HINGE_LOW);
        double off = 2 * sin(0.5 * angle) - rest;
        bool collapsed = e % 9 == 5 || e % 9 == 6;
        // a fold of nearly pi costs half the digits of the sum of the normals; in a plane it has no side
        if (e % 9 != 4 || vecDot(n1, n2) > 0)
            CHECK_NEAR(hinges.energy->value[e], 0.5 * k * (collapsed ? rest * rest : off * off), 1e-7 * k);
        const double *p = pressed.x + 9 * e;
        Mat3 now, before;
        for (int i = 0; i < 9; ++i)
        {
            now.m[i % 3][i / 3] = p[i] - pressed.x[i % 3];
            before.m[i % 3][i / 3] = pressed.rest[9 * e + i] - pressed.rest[i % 3];
        }
        double volume = (matDeterminant(&now) - matDeterminant(&before)) / 6;
        CHECK_NEAR(pressed.energy->value[e], -1000 * volume, 1e-10 * 1000); // coordinates up to 6 m
    }
    energyDestroy(hinges.energy);
    energyDestroy(pressed.energy);
}

// strains and their rates by the structs of strain.h, and F of tets in the textbook's form
static void strainsArePlain(void **state)
{
    (void)state;
    static const EnergyKind *const plain[] = { &membraneKind,        &springDamperKind, &membraneDamperKind,
                                               &corotatedDamperKind, &linearKind,       &neoHookeanKind,
                                               &wovenKind,           &wovenDamperKind };
    for (int k = 0; k < 8; ++k)
    {
        static Sample sample;
        makeSample(&sample, plain[k], (Isa)0);
        Energy *energy = sample.energy;
        int m = plain[k]->corners - 1;
        energyValue(energy, sample.x);
        for (int e = 0; e < ELEMENTS; ++e)
        {
            Simplex s = simplexAt(energy, m, e);
            Columns f = columnsAt(energy, &s, e, sample.x), frame = f;
            double want, mu = s.mu, bulk = s.lambda + s.mu;
            for (int i = 0; i < 3 * m && ((k > 0 && k < 4) || k == 7); ++i)
                (&frame.c[i / 3].x)[i % 3] = energyGetParam(energy, e, STRAIN_FROZEN(m) + i);
            Strain strain = symmetricProduct(m, &frame, &f);
            for (int i = 0; i < m; ++i)
            {
                for (int j = 0; j < m && (k == 0 || k == 6); ++j)
                    strain.e[i][j] = 0.5 * (strain.e[i][j] - (i == j));
                for (int j = 0; j < m && k == 4; ++j)
                    strain.e[i][j] = 0.5 * ((&f.c[j].x)[i] + (&f.c[i].x)[j]) - (i == j);
            }
            want = strainEnergy(&s, &strain);
            if (k == 5)
            {
                double square = 0, det = vecDot(f.c[0], vecCross(f.c[1], f.c[2])), off = det - 1 - mu / bulk;
                for (int j = 0; j < 3; ++j)
                    square += vecDot(f.c[j], f.c[j]);
                want = s.weight * (0.5 * mu * (square - 3) + 0.5 * bulk * off * off - 0.5 * mu * mu / bulk);
            }
            // other roundings of terms as large as those of a tet torn to twice its size, squared again by the metric
            CHECK_NEAR(energy->value[e], want, 1e-12 * (fabs(want) + s.weight * mu));
        }
        energyDestroy(energy);
    }
}

// Bodies of examples followed on a way of small steps have the energy that plain code finds from no blend: Newton's
// method arrives at the same minimum. The way turns the body by a radian, stretches and shears it by a quarter.
static void examplesAreFollowed(void **state)
{
    (void)state;
    static Sample sample;
    static double x[3 * 9 * ELEMENTS];
    for (int whole = 0; whole < 2; ++whole)
    {
        makeSample(&sample, whole ? &exampleBlendKind : &exampleKind, (Isa)0);
        Energy *energy = sample.energy;
        for (int step = 1; step <= 40; ++step)
        {
            double t = step / 40.0, cosine = cos(t), sine = sin(t), plain = 0, c[MAX_EXAMPLES] = { 0 };
            for (int v = 0; v < 4 * ELEMENTS; ++v)
            {
                const double *r = sample.rest + 3 * v, *d = sample.d + 3 * v;
                Vec3 p = vec3((1 + 0.25 * t) * r[0] + 0.05 * t * d[0], r[1] + 0.05 * t * d[1],
                              r[2] + 0.25 * t * r[0] + 0.05 * t * d[2]);
                vecStore(x + 3 * v, vec3(cosine * p.x - sine * p.y, sine * p.x + cosine * p.y, p.z));
            }
            energyGradientBlocks(energy, x, 0, energy->blockCount);
            double followed = energyValue(energy, x);
            ExampleSource source = { .x = x };
            if (whole)
                exampleFitBlend(energy, &source, c);
            for (int e = 0; e < ELEMENTS; ++e)
            {
                const double *params = laneParams(energy, e / LANES) + e % LANES;
                double f[9];
                Blend b = mixStart(params);
                exampleGradientAt(energy, e, &source, f);
                if (!whole)
                    exampleTurns(params, f, c);
                memcpy(b.c, c, sizeof b.c);
                mixTurn(&b, f);
                plain += mixValue(params, f, &b);
            }
            CHECK_NEAR(followed, plain, 1e-12 * plain); // at a minimum: 1e-13 in c is 1e-26 in the energy; sums of 45
            // and asking again gives the same bits
            double kept[EXAMPLE_KEPT * LANES];
            memcpy(kept, laneKept(energy, 0), sizeof kept);
            energyGradientBlocks(energy, x, 0, energy->blockCount);
            assert_memory_equal(kept, laneKept(energy, 0), sizeof kept);
        }
        energyDestroy(energy);
    }
}

// volume of a point, a mirrored tet and an expanded one: stretches by hand
static void volumesAreNearest(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    const double rest[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    const int vertices[4] = { 0, 1, 2, 3 };
    Recipe recipe = { .rest = rest, .young = 2, .low = 1, .high = 1 };
    Energy *energy = energyCreate(&memory, &volumeKind, 4, 1, vertices, &recipe);
    static const double stretch[4][3] = { { 0, 0, 0 }, { 1, 1, -1 }, { 1.2, 1.2, 1.2 }, { 0.5, 2, 0.5 } };
    for (int k = 0; k < 4; ++k)
    {
        double x[12], best = 1e9;
        for (int i = 0; i < 12; ++i)
            x[i] = stretch[k][i % 3] * rest[i];
        // all products of 1 in the first octant, by a fine grid of the first two
        for (int i = 1; i < 800; ++i)
        {
            for (int j = 1; j < 800; ++j)
            {
                double a = i / 250.0, b = j / 250.0, c = 1 / (a * b), s[3] = { a, b, c }, sum = 0;
                for (int m = 0; m < 3; ++m)
                    sum += (s[m] - stretch[k][m]) * (s[m] - stretch[k][m]);
                best = minReal(best, sum);
            }
        }
        // weight 3 x 2 Pa x 1/6 m^3; the grid is 0.004 wide, the minimum flat: its square
        CHECK_NEAR(energyValue(energy, x), 0.5 * 1 * best, 1e-4);
        CHECK_BELOW(energyValue(energy, x), 0.5 * 1 * best + 1e-12);
    }
    energyDestroy(energy);
    assert_int_equal(memory.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widthsHaveTheSameBits),
        cmocka_unit_test(everyElementIsFinite),
        cmocka_unit_test(kernelsAreThePlainFormulas),
        cmocka_unit_test(anglesAndVolumesArePlain),
        cmocka_unit_test(examplesAreFollowed),
        cmocka_unit_test(volumesAreNearest),
        cmocka_unit_test(strainsArePlain),
    };
    return cmocka_run_group_tests_name("feature kernels", tests, NULL, NULL);
}
