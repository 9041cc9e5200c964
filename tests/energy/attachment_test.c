#include "check.h"
#include "energy/energy.h"

#define STIFFNESS 250.0

// two vertices, the attachment holds vertex 1; the target moves from `from` to `to`
static Energy *makeAttachment(Memory *memory, Vec3 from, Vec3 to)
{
    const double rest[6] = { 0, 0, 0, 1, 2, 3 };
    const double stiffness = STIFFNESS;
    const int vertex = 1;
    Recipe recipe = { .rest = rest, .strength = &stiffness };
    Energy *energy = energyCreate(memory, &attachmentKind, 2, 1, &vertex, &recipe);
    assert_non_null(energy);
    const double target[6] = { from.x, from.y, from.z, to.x, to.y, to.z };
    for (int i = 0; i < 6; ++i)
        energySetParam(energy, 0, 1 + i, target[i]);
    return energy;
}

static void restPositionIsTheFirstTarget(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    const double rest[6] = { 1, 2, 3, 4, 5, 6 };
    double gradient[6] = { 0 };
    Recipe recipe = { .rest = rest };
    Energy *energy = energyCreate(&memory, &attachmentKind, 2, 2, NULL, &recipe);
    assert_non_null(energy);
    assert_true(energyValue(energy, rest) == 0);
    energyAddGradient(energy, rest, gradient);
    assert_true(largestMagnitude(gradient, 6) == 0);
    assert_true(energyGetParam(energy, 0, 0) == 1); // no strength given: 1 N/m
    energyDestroy(energy);
}

static void targetMovesInAStraightLine(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    Vec3 from = vec3(1, 2, 3), to = vec3(2, 0, 3.5);
    Energy *energy = makeAttachment(&memory, from, to);
    const double fractions[] = { 0, 0.25, 0.5, 1 };
    const double x[6] = { 9, 9, 9, 0.5, -1, 2 };
    for (int i = 0; i < 4; ++i)
    {
        double f = fractions[i], gradient[6] = { 0 };
        Vec3 target = vec3(1 + f, 2 - 2 * f, 3 + 0.5 * f), offset = vecSub(vecLoad(x + 3), target);
        energy->fraction = f;
        CHECK_CLOSE(energyValue(energy, x), 0.5 * STIFFNESS * vecDot(offset, offset), 1e-15); // exact in binary
        energyAddGradient(energy, x, gradient);
        CHECK_CLOSE(gradient[3], STIFFNESS * offset.x, 1e-15);
        CHECK_CLOSE(gradient[4], STIFFNESS * offset.y, 1e-15);
        CHECK_CLOSE(gradient[5], STIFFNESS * offset.z, 1e-15);
        assert_true(gradient[0] == 0 && gradient[1] == 0 && gradient[2] == 0);
    }
    // the end is the very number that was given, whatever the start: (end - start) + start would lose it
    energySetParam(energy, 0, 1, 1e20);
    energy->fraction = 1;
    double at[6] = { 0, 0, 0, to.x, to.y, to.z };
    assert_true(energyValue(energy, at) == 0);
    energyDestroy(energy);
}

static void twoAttachmentsOfOneVertexAdd(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    const double rest[3] = { 0, 0, 0 }, strength[2] = { 10, 30 };
    const int vertices[2] = { 0, 0 };
    Recipe recipe = { .rest = rest, .strength = strength };
    Energy *energy = energyCreate(&memory, &attachmentKind, 1, 2, vertices, &recipe);
    assert_non_null(energy);
    for (int param = 1; param <= 4; param += 3)
        energySetParam(energy, 1, param, 4); // the second target stands at x = 4
    double middle[3] = { 3, 0, 0 }, gradient[3] = { 0 };
    energyAddGradient(energy, middle, gradient); // 10 x 3 = 30 x 1
    assert_true(gradient[0] == 0);
    CHECK_CLOSE(energyValue(energy, middle), 0.5 * 10 * 9 + 0.5 * 30 * 1, 1e-15);
    energyDestroy(energy);
}

// One midpoint step of a mass on a moved spring: what energy it gains is the work of the target, to rounding.
static void workClosesTheBalanceOfAMidpointStep(void **state)
{
    (void)state;
    TestRandom numbers = { 8 };
    for (int trial = 0; trial < 20; ++trial)
    {
        Memory memory = memoryMake(NULL);
        double way = trial == 0 ? 0 : 1;
        Vec3 from = vec3(1, 2, 3), to = vec3(1 + 0.3 * way, 2 - 0.2 * way, 3 + 0.1 * way);
        Energy *energy = makeAttachment(&memory, from, to);
        double mass = 0.7, h = 0.05, before[6] = { 0 }, after[6] = { 0 }, stage[6] = { 0 }, displacement[6] = { 0 };
        const double target[6] = { from.x, from.y, from.z, to.x, to.y, to.z };
        double kinetic = 0;
        for (int a = 0; a < 3; ++a)
        {
            // m (v1 - v0) / h = -k (x0 + h (v0 + v1)/4 ... ) solved for the midpoint velocity u = (v0 + v1)/2:
            // 2 m (u - v0) / h = -k (x0 + h u / 2 - middle)
            double x0 = target[a] + randomBetween(&numbers, -1, 1), v0 = randomBetween(&numbers, -2, 2);
            double middle = 0.5 * (target[a] + target[3 + a]);
            double u = (2 * mass * v0 / h - STIFFNESS * (x0 - middle)) / (2 * mass / h + STIFFNESS * h / 2);
            double v1 = 2 * u - v0;
            before[3 + a] = x0;
            after[3 + a] = x0 + h * u;
            stage[3 + a] = x0 + 0.5 * h * u;
            displacement[3 + a] = h * u;
            kinetic += 0.5 * mass * (v1 * v1 - v0 * v0);
        }
        energy->fraction = 0;
        double gained = kinetic - energyValue(energy, before);
        energy->fraction = 1;
        gained += energyValue(energy, after);
        energy->fraction = 0.5;
        double work = energyWork(energy, stage, displacement);
        CHECK_NEAR(gained, work, 1e-12); // energies of a few hundred J, a dozen roundings
        assert_true(trial == 0 ? work == 0 : fabs(work) > 1e-3);
        energyDestroy(energy);
    }
}

// the caller changes stiffness and both targets while running
static void stateIsHashed(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    Energy *energy = makeAttachment(&memory, vec3(1, 2, 3), vec3(4, 5, 6));
    for (int p = 0; p < 7; ++p)
    {
        uint64_t before = energyHashState(energy, HASH_SEED);
        energySetParam(energy, 0, p, 77);
        assert_true(energyHashState(energy, HASH_SEED) != before);
    }
    energyDestroy(energy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restPositionIsTheFirstTarget),
        cmocka_unit_test(targetMovesInAStraightLine),
        cmocka_unit_test(twoAttachmentsOfOneVertexAdd),
        cmocka_unit_test(workClosesTheBalanceOfAMidpointStep),
        cmocka_unit_test(stateIsHashed),
    };
    return cmocka_run_group_tests_name("attachment", tests, NULL, NULL);
}
