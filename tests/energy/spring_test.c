#include "check.h"
#include "energy/sweep.h"

#include <string.h>

// one spring along a unit direction, vertex 0 at the origin; rest length l
static Energy *makeSpring(Memory *memory, double k, double l)
{
    const double rest[6] = { 0, 0, 0, 0, l, 0 };
    const int vertices[2] = { 0, 1 };
    Recipe recipe = { .rest = rest, .strength = &k };
    Energy *energy = energyCreate(memory, &springKind, 2, 1, vertices, &recipe);
    assert_non_null(energy);
    return energy;
}

static void hookesLaw(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    Energy *energy = makeSpring(&memory, 40, 1.5);
    CHECK_CLOSE(energyGetParam(energy, 0, 1), 1.5, 1e-15);
    const double lengths[] = { 0.1, 1.4, 1.5, 1.6, 5 };
    for (int i = 0; i < 5; ++i)
    {
        // along (2, 3, 6)/7
        double r = lengths[i], x[6] = { 1, 1, 1, 1 + 2 * r / 7, 1 + 3 * r / 7, 1 + 6 * r / 7 }, gradient[6] = { 0 };
        CHECK_NEAR(energyValue(energy, x), 0.5 * 40 * (r - 1.5) * (r - 1.5), 1e-13); // 40 J x rounding
        energyAddGradient(energy, x, gradient);
        double pull = 40 * (r - 1.5);
        const double direction[3] = { 2.0 / 7, 3.0 / 7, 6.0 / 7 };
        for (int a = 0; a < 3; ++a)
        {
            CHECK_NEAR(gradient[3 + a], pull * direction[a], 1e-12); // 60 N x rounding / 0.1 m
            assert_true(gradient[a] == -gradient[3 + a]);
        }
    }
    energyDestroy(energy);
}

static void valueIsTheMinimumOverTheSphere(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    TestRandom numbers = { 5 };
    double k = 30, l = 0.8;
    Energy *energy = makeSpring(&memory, k, l);
    for (int trial = 0; trial < 5; ++trial)
    {
        double x[6], least = INFINITY, slot[6] = { 0 };
        for (int i = 0; i < 6; ++i)
            x[i] = randomBetween(&numbers, -1, 1);
        Vec3 d = vecSub(vecLoad(x + 3), vecLoad(x));
        double value = energyValue(energy, x);
        for (int sample = 0; sample < 20000; ++sample)
        {
            Vec3 p =
                vec3(randomBetween(&numbers, -1, 1), randomBetween(&numbers, -1, 1), randomBetween(&numbers, -1, 1));
            if (vecLength(p) < 0.1)
                continue;
            p = vecScale(l / vecLength(p), p);
            Vec3 gap = vecSub(d, p);
            least = minReal(least, 0.5 * k * vecDot(gap, gap));
        }
        // no p is better; with 20000 of them the nearest is within 0.05 rad, so at most k l |d| 0.05^2 / 2 worse
        CHECK_BELOW(value, least + 1e-12);
        CHECK_BELOW(least, value + 0.5 * k * l * vecLength(d) * 0.05 * 0.05);

        // the projection is on the sphere and reaches the value
        energyAddProjection(energy, x, slot);
        Vec3 p = vecScale(1 / k, vecLoad(slot + 3)), gap = vecSub(d, p);
        CHECK_CLOSE(vecLength(p), l, 1e-14);                      // a few roundings
        CHECK_NEAR(0.5 * k * vecDot(gap, gap), value, 1e-14 * k); // a few roundings of lengths of 1 m
    }
    energyDestroy(energy);
}

static void zeroLengthIsFinite(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    double k = 10, l = 0.5;
    Energy *energy = makeSpring(&memory, k, l);
    const double tiny[] = { 0, 1e-320, 1e-200, 1e-160, 1e-30, 1e-12 };
    for (int i = 0; i < 6; ++i)
    {
        double x[6] = { 2, -1, 3, 2, -1, 3 }, d[6] = { 0, 0, 0, 0, 1, 0 }, gradient[6] = { 0 }, product[6] = { 0 };
        double slot[6] = { 0 };
        if (tiny[i] > 0)
        {
            memset(x, 0, sizeof x);
            x[4] = tiny[i];
        }
        CHECK_CLOSE(energyValue(energy, x), 0.5 * k * l * l, 1e-10); // 1e-12 / 0.5, twice
        energyAddGradient(energy, x, gradient);
        assert_true(allFinite(gradient, 6));
        // it pushes apart with the full k l; near 1e-160 the square of the length loses digits, the size stays
        double push = vecLength(vecLoad(gradient + 3));
        CHECK_NEAR(push, k * l, i < 4 ? 0.5 * k * l : 1e-10 * k * l);
        energyAddProjection(energy, x, slot);
        assert_true(allFinite(slot, 6));
        energyAddHessianTimes(energy, x, HESSIAN_SEMIDEFINITE, d, product);
        assert_true(allFinite(product, 6));
        if (tiny[i] == 0)
        {
            // both ends at one place: still gradient = L x - projection, with L x = 0
            for (int a = 0; a < 6; ++a)
                CHECK_NEAR(gradient[a], -slot[a], 1e-15 * k);
            energyAddHessianTimes(energy, x, HESSIAN_EXACT, d, product);
            // along x it is k, across it would be -infinity: cut to 0 in both modes
            assert_true(largestMagnitude(product, 6) == 0);
        }
    }
    energyDestroy(energy);
}

static void zeroRestLengthIsQuadratic(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    Energy *energy = makeSpring(&memory, 7, 0);
    TestRandom numbers = { 11 };
    for (int trial = 0; trial < 20; ++trial)
    {
        double x[6], d[6], plus[6], minus[6], gradient[6] = { 0 };
        for (int i = 0; i < 6; ++i)
        {
            x[i] = trial == 0 ? 0 : randomBetween(&numbers, -1, 1);
            d[i] = randomBetween(&numbers, -1, 1);
            plus[i] = x[i] + d[i];
            minus[i] = x[i] - d[i];
        }
        // E(x + d) - 2 E(x) + E(x - d) = k |d1 - d0|^2 at every x, for every length of d
        Vec3 change = vecSub(vecLoad(d + 3), vecLoad(d));
        double second = energyValue(energy, plus) - 2 * energyValue(energy, x) + energyValue(energy, minus);
        CHECK_NEAR(second, 7 * vecDot(change, change), 1e-13); // rounding of 7 J x 10
        energyAddGradient(energy, x, gradient);
        for (int a = 0; a < 3; ++a)
            CHECK_NEAR(gradient[3 + a], 7 * (x[3 + a] - x[a]), 1e-14);
        // the same Hessian, k (I -I; -I I), also at zero length
        double product[6] = { 0 };
        energyAddHessianTimes(energy, x, HESSIAN_EXACT, d, product);
        for (int a = 0; a < 3; ++a)
            CHECK_NEAR(product[3 + a], 7 * (d[3 + a] - d[a]), 1e-14);
    }
    energyDestroy(energy);
}

// ---- the sweep ------------------------------------------------------------------------------------------------------

#define LINKS 4
#define POINTS (LINKS + 1)
#define FREEDOM (3 * POINTS)

typedef struct Chain
{
    double rest[FREEDOM], start[FREEDOM], guess[FREEDOM]; // guess: y - x_n
    double mass[POINTS], inverseMass[POINTS], k[LINKS], length[LINKS];
} Chain;

static double restLength(const Chain *chain, int link)
{
    const double *r = chain->rest + 3 * link;
    return vecLength(vecSub(vecLoad(r + 3), vecLoad(r)));
}

// vertex 0 is pinned; `bend` is how far the links are from one line, `speed` says how fast it is being
// stretched, y = x_n + h v (under compression a straight chain would buckle: a saddle, not a minimum)
static Chain makeChain(double bend, double speed, double h)
{
    Chain chain = { { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, { 0 } };
    TestRandom numbers = { 42 };
    const double direction[3] = { 2.0 / 3, -1.0 / 3, 2.0 / 3 }, side[3] = { 1, 2, 0 };
    double along = 0.1, rest = 0;
    for (int v = 0; v < POINTS; ++v)
    {
        double v0 = (v + randomBetween(&numbers, -0.3, 0.3)) * speed, offset = bend * (v % 2);
        for (int a = 0; a < 3; ++a)
        {
            chain.rest[3 * v + a] = rest * direction[a] + offset * side[a];
            chain.start[3 * v + a] = along * direction[a] + 1.2 * offset * side[a];
            chain.guess[3 * v + a] = v > 0 ? h * v0 * direction[a] : 0;
        }
        double length = randomBetween(&numbers, 0.8, 1.2);
        rest += length;
        along += length * randomBetween(&numbers, 1.05, 1.3);
        chain.mass[v] = randomBetween(&numbers, 0.5, 2);
        chain.inverseMass[v] = v > 0 ? 1 / chain.mass[v] : 0;
    }
    for (int e = 0; e < LINKS; ++e)
    {
        chain.k[e] = randomBetween(&numbers, 500, 2000);
        chain.length[e] = restLength(&chain, e);
    }
    return chain;
}

// iterates the sweep until nothing moves; x receives the positions, lambda (by link) the multipliers
static void sweepToTheEnd(const Chain *chain, double h, const int order[LINKS], double *x, double *lambda)
{
    Memory memory = memoryMake(NULL);
    int vertices[2 * LINKS];
    double strength[LINKS], row[4 * POINTS], before[4 * POINTS];
    for (int e = 0; e < LINKS; ++e)
    {
        vertices[2 * e] = order[e];
        vertices[2 * e + 1] = order[e] + 1;
        strength[e] = chain->k[order[e]];
    }
    Recipe recipe = { .rest = chain->rest, .strength = strength };
    Energy *energy = energyCreate(&memory, &springKind, POINTS, LINKS, vertices, &recipe);
    assert_non_null(energy);
    assert_non_null(energy->plan = sweepPlanCreate(energy));
    for (int v = 0; v < POINTS; ++v)
    {
        for (int a = 0; a < 3; ++a)
            row[4 * v + a] = chain->start[3 * v + a] + chain->guess[3 * v + a];
        row[4 * v + 3] = chain->inverseMass[v];
    }
    sweepPlanLoad(energy->plan, row, &(SweepManner){ .h = h, .masses = 1, .damped = true });
    SweepContext context = { .h = h, .row = row, .before = row, .keep = true };
    double moved = 1;
    for (int sweep = 0; sweep < 20000 && moved > 2e-15; ++sweep)
    {
        memcpy(before, row, sizeof before);
        context.again = sweep > 0;
        sweepAll(energy->plan, &context);
        moved = 0;
        for (int i = 0; i < 4 * POINTS; ++i)
            moved = maxReal(moved, fabs(row[i] - before[i]));
    }
    CHECK_BELOW(moved, 2e-15); // it came to rest, within the roundings of some metres
    for (int i = 0; i < FREEDOM; ++i)
        x[i] = row[4 * (i / 3) + i % 3];
    sweepPlanStore(energy->plan);
    for (int e = 0; e < LINKS; ++e)
        lambda[order[e]] = h * h * energy->lambda[e];
    energyDestroy(energy);
}

// gradient and Hessian of 1/2 |x - y|^2_M + h^2 E over all vertices, written anew here
static void objective(const Chain *chain, double h, const double *x, double *gradient, double matrix[FREEDOM][FREEDOM])
{
    memset(matrix, 0, sizeof(double) * FREEDOM * FREEDOM);
    for (int i = 0; i < FREEDOM; ++i)
    {
        gradient[i] = chain->mass[i / 3] * (x[i] - chain->start[i] - chain->guess[i]);
        matrix[i][i] = chain->mass[i / 3];
    }
    for (int e = 0; e < LINKS; ++e)
    {
        const double *a = x + 3 * e, *b = a + 3;
        double d[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] };
        double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), w = h * h * chain->k[e], l = chain->length[e];
        for (int i = 0; i < 3; ++i)
        {
            double pull = w * (r - l) * d[i] / r;
            gradient[3 * e + 3 + i] += pull;
            gradient[3 * e + i] -= pull;
            for (int j = 0; j < 3; ++j)
            {
                double entry = w * (l / r * d[i] * d[j] / (r * r) + (i == j ? 1 - l / r : 0));
                matrix[3 * e + i][3 * e + j] += entry;
                matrix[3 * e + 3 + i][3 * e + 3 + j] += entry;
                matrix[3 * e + i][3 * e + 3 + j] -= entry;
                matrix[3 * e + 3 + i][3 * e + j] -= entry;
            }
        }
    }
}

// solves the free part (rows from 3 on) by elimination; symmetric positive definite, so no pivots
static void solveFree(double matrix[FREEDOM][FREEDOM], double *right)
{
    for (int p = 3; p < FREEDOM; ++p)
    {
        assert_true(matrix[p][p] > 0);
        for (int i = p + 1; i < FREEDOM; ++i)
        {
            double factor = matrix[i][p] / matrix[p][p];
            for (int j = p; j < FREEDOM; ++j)
                matrix[i][j] -= factor * matrix[p][j];
            right[i] -= factor * right[p];
        }
    }
    for (int p = FREEDOM - 1; p >= 3; --p)
    {
        for (int j = p + 1; j < FREEDOM; ++j)
            right[p] -= matrix[p][j] * right[j];
        right[p] /= matrix[p][p];
    }
}

static void minimise(const Chain *chain, double h, double *x)
{
    double gradient[FREEDOM], matrix[FREEDOM][FREEDOM], size = 1;
    memcpy(x, chain->start, sizeof(double) * FREEDOM);
    for (int iteration = 0; iteration < 100 && size > 1e-15; ++iteration)
    {
        objective(chain, h, x, gradient, matrix);
        solveFree(matrix, gradient);
        size = largestMagnitude(gradient + 3, FREEDOM - 3);
        for (int i = 3; i < FREEDOM; ++i)
            x[i] -= gradient[i];
    }
    CHECK_BELOW(size, 1e-14);
}

static const int orders[4][LINKS] = { { 0, 1, 2, 3 }, { 3, 2, 1, 0 }, { 2, 0, 3, 1 }, { 1, 3, 0, 2 } };

static double largestDifference(const double *a, const double *b)
{
    double largest = 0;
    for (int i = 0; i < FREEDOM; ++i)
        largest = maxReal(largest, fabs(a[i] - b[i]));
    return largest;
}

// On a line the directions of the springs never change, and then the sweep solves backward Euler exactly.
static void straightSweepIsBackwardEuler(void **state)
{
    (void)state;
    const double steps[] = { 0.02, 0.05, 0.2 };
    for (int s = 0; s < 3; ++s)
    {
        Chain chain = makeChain(0, 2, steps[s]);
        double least[FREEDOM], x[FREEDOM], lambda[LINKS];
        minimise(&chain, steps[s], least);
        assert_true(largestDifference(least, chain.start) > 1e-2); // there is something to solve
        for (int o = 0; o < 4; ++o)
        {
            sweepToTheEnd(&chain, steps[s], orders[o], x, lambda);
            // positions of a few metres round at 1e-15, the condition number is below 1e5
            CHECK_BELOW(largestDifference(x, least), 1e-10);
        }
    }
}

// Off the line each change of a multiplier acts along the direction of its moment, so the sweep ends near the minimum
// and not on it. The directions turn by O(h^2) and the multipliers are O(h^2): the error is O(h^4).
static void bentSweepIsBackwardEulerToFourthOrder(void **state)
{
    (void)state;
    double error[3];
    for (int s = 0; s < 3; ++s)
    {
        double h = 0.004 / (1 << s), least[FREEDOM], x[FREEDOM], lambda[LINKS];
        Chain chain = makeChain(0.4, 0, h);
        minimise(&chain, h, least);
        error[s] = 0;
        for (int o = 0; o < 4; ++o)
        {
            sweepToTheEnd(&chain, h, orders[o], x, lambda);
            error[s] = maxReal(error[s], largestDifference(x, least));
            // the fixed point of every multiplier: lambda = -k h^2 (r - l), to the rounding of r at 1 m x k h^2
            for (int e = 0; e < LINKS; ++e)
            {
                double r = vecLength(vecSub(vecLoad(x + 3 * e + 3), vecLoad(x + 3 * e)));
                double w = chain.k[e] * h * h;
                CHECK_NEAR(lambda[e], -w * (r - chain.length[e]), 1e-13 * (1 + w));
            }
        }
    }
    for (int s = 0; s + 1 < 3; ++s)
    {
        // 2^4 in the limit; 1e-14 of rounding is far below both errors
        CHECK_NEAR(error[s] / error[s + 1], 16, 4);
        assert_true(error[s + 1] > 1e-12);
    }
}

static void sweepKeepsMomentaAndPins(void **state)
{
    (void)state;
    double h = 0.02, x[FREEDOM], lambda[LINKS];
    Chain chain = makeChain(0.4, 1, h);
    sweepToTheEnd(&chain, h, orders[2], x, lambda);
    for (int a = 0; a < 3; ++a)
        assert_true(x[a] == chain.start[a]);

    // all free: what one vertex gains the other loses
    chain.inverseMass[0] = 1 / chain.mass[0];
    sweepToTheEnd(&chain, h, orders[2], x, lambda);
    for (int a = 0; a < 3; ++a)
    {
        double sum = 0;
        for (int v = 0; v < POINTS; ++v)
            sum += chain.mass[v] * (x[3 * v + a] - chain.start[3 * v + a] - chain.guess[3 * v + a]);
        CHECK_NEAR(sum, 0, 1e-13); // rounding of 5 kg x 5 m per sweep
    }
}

// a spring that is switched off, or between two pins, is left out
static void sweepSkipsWhatCannotMove(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    Energy *energy = makeSpring(&memory, 100, 1);
    double row[8] = { 0, 0, 0, 0, 0, 2, 0, 0 };
    assert_non_null(energy->plan = sweepPlanCreate(energy));
    SweepContext context = { .h = 0.1, .row = row, .before = row, .keep = true };
    for (unsigned round = 0; round < 3; ++round)
    {
        row[3] = row[7] = round == 0 ? 0 : 1;
        energySetActive(energy, 0, round != 1);
        sweepPlanLoad(energy->plan, row, &(SweepManner){ .h = 0.1, .masses = round + 1, .damped = true });
        sweepAll(energy->plan, &context);
        sweepPlanStore(energy->plan);
        if (round == 2)
            break;
        assert_true(row[1] == 0 && row[5] == 2);
        assert_true(energy->lambda[0] == 0);
    }
    // one spring, one sweep: lambda = -C / (w0 + w1 + 1/(k h^2)) = -1/3, and a force of lambda / h^2
    CHECK_CLOSE(energy->lambda[0], -100.0 / 3, 1e-14);
    CHECK_CLOSE(row[1], 1.0 / 3, 1e-15);
    CHECK_CLOSE(row[5], 2 - 1.0 / 3, 1e-15);
    energyDestroy(energy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hookesLaw),
        cmocka_unit_test(valueIsTheMinimumOverTheSphere),
        cmocka_unit_test(zeroLengthIsFinite),
        cmocka_unit_test(zeroRestLengthIsQuadratic),
        cmocka_unit_test(straightSweepIsBackwardEuler),
        cmocka_unit_test(bentSweepIsBackwardEulerToFourthOrder),
        cmocka_unit_test(sweepKeepsMomentaAndPins),
        cmocka_unit_test(sweepSkipsWhatCannotMove),
    };
    return cmocka_run_group_tests_name("spring", tests, NULL, NULL);
}
