// The vector kernels of corotated tets against plain code: element by element, with the singular value decomposition.
#include "check.h"
#include "energy/kernels.h"

#include <string.h>

#define TETS 77 // blocks, groups of blocks and the last block are all incomplete
#define DOF (12 * TETS)

// ---- the plain reference --------------------------------------------------------------------------------------------

typedef struct Reference
{
    Mat3 r;                             // nearest rotation by SVD
    double gap;                         // (sigma_2 + sigma_3) / sigma_1: what a rounding of F is divided by
    double best;                        // tr(R^T F)
    double largest;                     // sigma_1
    double value, force[12], split[12]; // J, gradient and projection of the four corners
    double unit;                        // N: force per unit of F
} Reference;

static Mat3 edgesOf(const double *x)
{
    Mat3 edges;
    for (int c = 0; c < 3; ++c)
        for (int a = 0; a < 3; ++a)
            edges.m[a][c] = x[3 * c + 3 + a] - x[a];
    return edges;
}

// V T g_c at the four corners, g_c the rows of the inverse rest edges
static void spread(double volume, const Mat3 *t, const Mat3 *inverse, double *out)
{
    for (int a = 0; a < 3; ++a)
        out[a] = 0;
    for (int c = 0; c < 3; ++c)
    {
        Vec3 force = vecScale(volume, matApply(t, vecLoad(inverse->m[c])));
        vecStore(out + 3 * c + 3, force);
        vecStore(out, vecSub(vecLoad(out), force));
    }
}

static Reference referenceAt(const double *rest, const double *x, double young, double poisson)
{
    double mu = young / (2 * (1 + poisson)), lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    Mat3 before = edgesOf(rest), now = edgesOf(x), inverse = matInverse(&before), f = matMultiply(&now, &inverse);
    double volume = matDeterminant(&before) / 6;
    Svd3 svd = svd3(&f);
    Reference reference = { .r = nearestRotation(&f), .largest = svd.sigma[0] };
    reference.gap = svd.sigma[0] > 0 ? (svd.sigma[1] + svd.sigma[2]) / svd.sigma[0] : 0;
    Mat3 stress, turned;
    double distance = 0;
    for (int i = 0; i < 9; ++i)
    {
        double r = reference.r.m[i / 3][i % 3], difference = f.m[i / 3][i % 3] - r;
        distance += difference * difference;
        reference.best += r * f.m[i / 3][i % 3];
        turned.m[i / 3][i % 3] = 2 * mu * r;
        stress.m[i / 3][i % 3] = 2 * mu * difference;
    }
    double trace = reference.best - 3;
    for (int i = 0; i < 9; ++i)
        stress.m[i / 3][i % 3] += lambda * trace * reference.r.m[i / 3][i % 3];
    reference.value = volume * (mu * distance + 0.5 * lambda * trace * trace);
    spread(volume, &stress, &inverse, reference.force);
    spread(volume, &turned, &inverse, reference.split);
    reference.unit = volume * (2 * mu + 3 * fabs(lambda)) * largestMagnitude(&inverse.m[0][0], 9);
    return reference;
}

// ---- samples --------------------------------------------------------------------------------------------------------

typedef struct Sample
{
    Memory memory;
    Energy *energy;
    double poisson, rest[DOF];
} Sample;

typedef enum State
{
    STATE_REST,
    STATE_STRAINED,
    STATE_RANDOM, // every vertex anywhere: half of the tets are inverted
    STATE_MIRRORED,
    STATE_FLAT,
    STATE_LINE,
    STATE_POINT,
    STATE_TURNED, // by half a turn
    STATE_HUGE,   // stretched a million times in one direction
    STATE_COUNT,
} State;

static TestRandom numbers;

static Mat3 rotationOf(const double *q)
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    return (Mat3){ { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
                     { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
                     { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } } };
}

static void randomQuaternion(double *q)
{
    double square = 0;
    while (square < 0.1 || square > 1)
    {
        square = 0;
        for (int i = 0; i < 4; ++i)
        {
            q[i] = randomBetween(&numbers, -1, 1);
            square += q[i] * q[i];
        }
    }
    for (int i = 0; i < 4; ++i)
        q[i] /= sqrt(square);
}

// tets of their own four vertices; every third is a sliver, down to a height of 1e-6
static void makeRest(double *rest)
{
    for (int e = 0; e < TETS; ++e)
    {
        double height = e % 3 ? 1 : e % 2 ? 1e-3 : 1e-6, q[4];
        randomQuaternion(q);
        Mat3 turn = rotationOf(q);
        for (int v = 0; v < 4; ++v)
        {
            Vec3 p = { (v == 1) + randomBetween(&numbers, -0.2, 0.2), (v == 2) + randomBetween(&numbers, -0.2, 0.2),
                       ((v == 3) + randomBetween(&numbers, -0.1, 0.1)) * height };
            vecStore(rest + 12 * e + 3 * v, matApply(&turn, p));
        }
    }
}

static void makeSample(Sample *sample, double poisson, Isa isa)
{
    *sample = (Sample){ .memory = memoryMake(NULL), .poisson = poisson };
    int vertices[4 * TETS];
    for (int i = 0; i < 4 * TETS; ++i)
        vertices[i] = i;
    numbers.state = 71;
    makeRest(sample->rest);
    Recipe recipe = { .rest = sample->rest, .young = 1000, .poisson = poisson, .isa = isa };
    sample->energy = energyCreate(&sample->memory, &corotatedKind, 4 * TETS, TETS, vertices, &recipe);
    assert_non_null(sample->energy);
}

// stretches along turned axes, tet by tet; `seed` gives another state of the same sort
static void deform(const Sample *sample, State state, int seed, double *x)
{
    numbers.state = (uint64_t)(1000 + 100 * (int)state + seed);
    for (int e = 0; e < TETS; ++e)
    {
        double a[4], b[4], s[3] = { 1, 1, 1 };
        randomQuaternion(a);
        randomQuaternion(b);
        Mat3 first = rotationOf(a), second = rotationOf(b);
        for (int i = 0; i < 3 && (state == STATE_STRAINED || state == STATE_MIRRORED); ++i)
            s[i] = randomBetween(&numbers, 0.7, 1.3);
        s[2] *= state == STATE_MIRRORED ? -0.5 : state >= STATE_FLAT && state <= STATE_POINT ? 0 : 1;
        s[1] *= state == STATE_LINE || state == STATE_POINT ? 0 : 1;
        s[0] *= state == STATE_POINT ? 0 : state == STATE_HUGE ? 1e6 : 1;
        for (int v = 0; v < 4; ++v)
        {
            const double *rest = sample->rest + 12 * e + 3 * v;
            Vec3 p = matApply(&second, vecLoad(rest));
            p = matApply(&first, vec3(s[0] * p.x, s[1] * p.y, s[2] * p.z));
            if (state == STATE_REST)
                p = vecLoad(rest);
            if (state == STATE_TURNED)
                p = vec3(-rest[0], rest[1], -rest[2]);
            if (state == STATE_RANDOM)
                p = vec3(randomUnit(&numbers), randomUnit(&numbers), randomUnit(&numbers));
            vecStore(x + 12 * e + 3 * v, p);
        }
    }
}

static double *keptOf(const Energy *energy, int element, int index)
{
    return laneKept(energy, element / LANES) + index * LANES + element % LANES;
}

static Mat3 keptRotation(const Energy *energy, int element)
{
    double q[4];
    for (int i = 0; i < 4; ++i)
        q[i] = *keptOf(energy, element, i);
    CHECK_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 2e-15);
    return rotationOf(q);
}

static void runWithAll(void (*check)(Sample *sample, State state))
{
    const double poissons[] = { 0, 0.3, -0.3 };
    for (int isa = 0; isa < ISA_COUNT; ++isa)
    {
        for (int i = 0; i < 3 && isaAvailable((Isa)isa); ++i)
        {
            for (int state = 0; state < STATE_COUNT; ++state)
            {
                Sample sample;
                makeSample(&sample, poissons[i], (Isa)isa);
                check(&sample, (State)state);
                energyDestroy(sample.energy);
                assert_int_equal(sample.memory.blocks, 0);
            }
        }
    }
}

// ---- the rotation, value, gradient and projection -------------------------------------------------------------------

static void compare(Sample *sample, const double *x)
{
    Energy *energy = sample->energy;
    energyValue(energy, x); // from the start that gradient will have
    energyGradientBlocks(energy, x, 0, energy->blockCount);
    for (int e = 0; e < TETS; ++e)
    {
        Reference want = referenceAt(sample->rest + 12 * e, x + 12 * e, 1000, sample->poisson);
        Mat3 r = keptRotation(energy, e), edges = edgesOf(sample->rest + 12 * e), now = edgesOf(x + 12 * e);
        Mat3 inverse = matInverse(&edges), f = matMultiply(&now, &inverse);
        double trace = 0, size = 1 + want.largest, worst = 0;
        for (int i = 0; i < 9; ++i)
        {
            trace += r.m[i / 3][i % 3] * f.m[i / 3][i % 3];
            worst = maxReal(worst, fabs(r.m[i / 3][i % 3] - want.r.m[i / 3][i % 3]));
        }
        // as near as the best, also where the nearest rotation is not unique; a dozen roundings of sigma_1
        CHECK_NEAR(trace, want.best, 1e-14 * want.largest);
        CHECK_NEAR(energy->value[e], want.value, 1e-13 * want.unit * size * size);
        if (want.gap < 1e-6)
            continue;
        // a rounding of F turns R by 1e-16 / gap
        CHECK_BELOW(worst, 2e-14 / minReal(1, want.gap));
        for (int i = 0; i < 12; ++i)
            CHECK_NEAR(elementSlots(energy, e)[i], want.force[i], 1e-13 * want.unit * size * (1 + 1 / want.gap));
    }
    if (!(energy->traits & TRAIT_PROJECTIVE))
        return;
    energyProjectionBlocks(energy, x, 0, energy->blockCount);
    for (int e = 0; e < TETS; ++e)
    {
        Reference want = referenceAt(sample->rest + 12 * e, x + 12 * e, 1000, sample->poisson);
        for (int i = 0; i < 12 && want.gap > 1e-6; ++i)
            CHECK_NEAR(elementSlots(energy, e)[i], want.split[i], 1e-13 * want.unit * (1 + 1 / want.gap));
    }
}

static void checkCold(Sample *sample, State state)
{
    double x[DOF];
    deform(sample, state, 0, x);
    compare(sample, x);
    deform(sample, state, 1, x); // and from there, however far it is, to another one of the same sort
    compare(sample, x);
}

static void coldStartsFindTheNearestRotation(void **state)
{
    (void)state;
    runWithAll(checkCold);
}

static void checkStale(Sample *sample, State state)
{
    // half a turn about x, y, z: the saddles of tr(R^T F), where the gradient is zero
    static const int half[3][4] = { { 1, 0, 3, 2 }, { 2, 3, 0, 1 }, { 3, 2, 1, 0 } };
    static const double sign[3][4] = { { -1, 1, 1, -1 }, { -1, -1, 1, 1 }, { -1, 1, -1, 1 } };
    double x[DOF], q[4];
    deform(sample, state, 2, x);
    for (int axis = 0; axis < 3; ++axis)
    {
        energyGradientBlocks(sample->energy, x, 0, sample->energy->blockCount);
        for (int e = 0; e < TETS; ++e)
        {
            for (int i = 0; i < 4; ++i)
                q[i] = *keptOf(sample->energy, e, i);
            for (int i = 0; i < 4; ++i) // q times i, j or k
                *keptOf(sample->energy, e, i) = sign[axis][i] * q[half[axis][i]];
        }
        compare(sample, x);
    }
    for (int trial = 0; trial < 20; ++trial)
    {
        for (int e = 0; e < TETS; ++e)
        {
            randomQuaternion(q);
            for (int i = 0; i < 4; ++i)
                *keptOf(sample->energy, e, i) = q[i];
        }
        compare(sample, x);
    }
}

static void staleStartsFindTheNearestRotation(void **state)
{
    (void)state;
    runWithAll(checkStale);
}

static void checkLines(Sample *sample, State state)
{
    double x[DOF], y[DOF], d[DOF], at[TETS];
    deform(sample, state, 3, x);
    deform(sample, STATE_STRAINED, 4, y);
    for (int i = 0; i < DOF; ++i)
        d[i] = y[i] - x[i];
    energyGradientBlocks(sample->energy, x, 0, sample->energy->blockCount);
    energyLineStart(sample->energy, x, d);
    for (double alpha = 0; alpha < 1.3; alpha += 0.3)
    {
        energyLineValue(sample->energy, alpha);
        memcpy(at, sample->energy->value, sizeof at);
        for (int i = 0; i < DOF; ++i)
            y[i] = x[i] + alpha * d[i];
        for (int e = 0; e < TETS; ++e)
        {
            Reference want = referenceAt(sample->rest + 12 * e, y + 12 * e, 1000, sample->poisson);
            Mat3 edges = edgesOf(sample->rest + 12 * e), inverse = matInverse(&edges);
            // positions of 1 m (1e6 m when huge) round at 1e-16 and slivers divide by their height
            double span = 1 + largestMagnitude(x + 12 * e, 12);
            double rounding = 1e-15 * span * largestMagnitude(&inverse.m[0][0], 9), size = 1 + want.largest;
            CHECK_NEAR(at[e], want.value, (1e-13 * size + 10 * rounding) * (size + rounding) * want.unit);
        }
    }
}

static void linesGiveTheValue(void **state)
{
    (void)state;
    runWithAll(checkLines);
}

// |F - R|^2, not a difference of large numbers: a strain of 1e-8 has its energy to 1e-6
static void smallStrainIsAccurate(void **state)
{
    (void)state;
    Sample sample;
    makeSample(&sample, 0, ISA_BASE);
    double x[DOF], strain = 1e-8;
    for (int i = 0; i < DOF; ++i)
        x[i] = (1 + strain) * sample.rest[i];
    energyValue(sample.energy, x);
    for (int e = 0; e < TETS; ++e)
    {
        Mat3 edges = edgesOf(sample.rest + 12 * e);
        double want = matDeterminant(&edges) / 6 * 500 * 3 * strain * strain;
        if (e % 3 != 0) // positions round at 1e-16 m: strain 1e-15 in a plain tet, 1e-10 in a sliver
            CHECK_CLOSE(sample.energy->value[e], want, 1e-6);
    }
    energyDestroy(sample.energy);
}

// ---- bits -----------------------------------------------------------------------------------------------------------

typedef struct Bits
{
    double value[TETS], line[TETS], slot[DOF], kept[4 * TETS];
} Bits;

static void copyBits(const Energy *energy, Bits *bits)
{
    memcpy(bits->slot, energy->slot, sizeof bits->slot);
    for (int i = 0; i < 4 * TETS; ++i)
        bits->kept[i] = *keptOf(energy, i / 4, i % 4);
}

static void walk(Sample *sample, Bits bits[2 * STATE_COUNT])
{
    double x[DOF];
    for (int i = 0; i < 2 * STATE_COUNT; ++i)
    {
        deform(sample, (State)(i % STATE_COUNT), i, x);
        energyValue(sample->energy, x);
        memcpy(bits[i].value, sample->energy->value, sizeof bits[i].value);
        energyLineStart(sample->energy, x, sample->rest);
        energyLineValue(sample->energy, 0.4);
        memcpy(bits[i].line, sample->energy->value, sizeof bits[i].line);
        if (i % 2)
            energyGradientBlocks(sample->energy, x, 0, sample->energy->blockCount);
        else
            energyProjectionBlocks(sample->energy, x, 0, sample->energy->blockCount);
        copyBits(sample->energy, &bits[i]);
    }
}

static void everyInstructionSetHasTheSameBits(void **state)
{
    (void)state;
    static Bits base[2 * STATE_COUNT], other[2 * STATE_COUNT];
    Sample sample;
    makeSample(&sample, 0.3, ISA_BASE);
    walk(&sample, base);
    energyDestroy(sample.energy);
    for (int isa = ISA_BASE + 1; isa < ISA_COUNT; ++isa)
    {
        if (!isaAvailable((Isa)isa))
            continue;
        makeSample(&sample, 0.3, (Isa)isa);
        walk(&sample, other);
        energyDestroy(sample.energy);
        assert_memory_equal(base, other, sizeof base);
    }
}

static void checkRanges(Sample *sample, State state)
{
    static Bits whole, pieces;
    double x[DOF];
    Sample other;
    makeSample(&other, sample->poisson, sample->energy->isa);
    for (int seed = 0; seed < 3; ++seed)
    {
        deform(sample, state, seed, x);
        energyGradientBlocks(sample->energy, x, 0, sample->energy->blockCount);
        copyBits(sample->energy, &whole);
        for (int size = 1, end = other.energy->blockCount; end > 0; end -= size, size = size % 3 + 1)
            energyGradientBlocks(other.energy, x, maxInt(0, end - size), end);
        copyBits(other.energy, &pieces);
        assert_memory_equal(whole.slot, pieces.slot, sizeof whole.slot);
        assert_memory_equal(whole.kept, pieces.kept, sizeof whole.kept);
    }
    energyDestroy(other.energy);
}

static void rangesHaveTheSameBits(void **state)
{
    (void)state;
    runWithAll(checkRanges);
}

// asking for values changes nothing, and the same gradient twice has the same bits
static void checkRepetition(Sample *sample, State state)
{
    static Bits first, second;
    double x[DOF], y[DOF];
    deform(sample, state, 5, x);
    deform(sample, STATE_RANDOM, 6, y);
    energyGradientBlocks(sample->energy, x, 0, sample->energy->blockCount);
    copyBits(sample->energy, &first);
    energyValue(sample->energy, y);
    energyLineStart(sample->energy, y, x);
    energyLineValue(sample->energy, 0.7);
    copyBits(sample->energy, &second);
    assert_memory_equal(first.kept, second.kept, sizeof first.kept);
    energyGradientBlocks(sample->energy, x, 0, sample->energy->blockCount);
    copyBits(sample->energy, &second);
    assert_memory_equal(first.slot, second.slot, sizeof first.slot);
    assert_memory_equal(first.kept, second.kept, sizeof first.kept);
}

static void valuesLeaveTheStateAlone(void **state)
{
    (void)state;
    runWithAll(checkRepetition);
}

// What values found is kept when it is adopted: it is the rotation that the gradient finds, to 1e-8 / gap where values
// stop, and the gradient from there is the same as from afar
static void checkAdoption(Sample *sample, State state)
{
    static Bits adopted, turned;
    double x[DOF], y[DOF];
    deform(sample, state, 7, x);
    deform(sample, STATE_RANDOM, 8, y);
    energyGradientBlocks(sample->energy, y, 0, sample->energy->blockCount);
    energyValue(sample->energy, x);
    energyAdopt(sample->energy);
    copyBits(sample->energy, &adopted);
    compare(sample, x);
    copyBits(sample->energy, &turned);
    for (int e = 0; e < TETS; ++e)
    {
        Reference want = referenceAt(sample->rest + 12 * e, x + 12 * e, 1000, sample->poisson);
        double same = 0;
        for (int i = 4 * e; i < 4 * e + 4; ++i)
            same += adopted.kept[i] * turned.kept[i];
        if (want.gap > 1e-2)
            CHECK_NEAR(fabs(same), 1, 1e-12); // the cosine of half the angle between them: 1e-6
    }
}

static void adoptedRotationsAreTheNearest(void **state)
{
    (void)state;
    runWithAll(checkAdoption);
}

// a vertex that is not a number spoils its own tet and no other, and is forgotten when it is one again
static void notANumberStaysWhereItIs(void **state)
{
    (void)state;
    static Bits clean, spoiled;
    Sample sample, other;
    makeSample(&sample, 0.3, isaBest());
    makeSample(&other, 0.3, isaBest());
    double x[DOF];
    deform(&sample, STATE_STRAINED, 7, x);
    energyGradientBlocks(sample.energy, x, 0, sample.energy->blockCount);
    copyBits(sample.energy, &clean);
    double kept = x[12 * 9 + 4];
    x[12 * 9 + 4] = NAN;
    energyGradientBlocks(other.energy, x, 0, other.energy->blockCount);
    copyBits(other.energy, &spoiled);
    for (int e = 0; e < TETS; ++e)
    {
        bool same = memcmp(clean.slot + 12 * e, spoiled.slot + 12 * e, 12 * sizeof(double)) == 0;
        assert_int_equal(same, e != 9);
    }
    assert_true(isnan(spoiled.slot[12 * 9]));
    assert_true(allFinite(spoiled.kept, 4 * TETS));
    x[12 * 9 + 4] = kept;
    compare(&other, x);
    energyDestroy(sample.energy);
    energyDestroy(other.energy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coldStartsFindTheNearestRotation),
        cmocka_unit_test(staleStartsFindTheNearestRotation),
        cmocka_unit_test(linesGiveTheValue),
        cmocka_unit_test(smallStrainIsAccurate),
        cmocka_unit_test(everyInstructionSetHasTheSameBits),
        cmocka_unit_test(rangesHaveTheSameBits),
        cmocka_unit_test(valuesLeaveTheStateAlone),
        cmocka_unit_test(adoptedRotationsAreTheNearest),
        cmocka_unit_test(notANumberStaysWhereItIs),
    };
    return cmocka_run_group_tests_name("corotated kernels", tests, NULL, NULL);
}
