// Examinations against closed forms, dense matrices and runs.
#include "scenes.h"
#include "undamped.h"

#include <stdlib.h>

static const vvVec3 NONE = { 0, 0, 0 };

static vvExamination examine(vvSoftBodyId body)
{
    vvExamination found;
    memset(&found, 0xff, sizeof found);
    CHECK_OK(vvSoftBody_Examine(body, &found));
    assert_true(isfinite(found.elementFrequency) && isfinite(found.highestFrequency));
    assert_true(isfinite(found.lowestFrequency) && found.lowestFrequency <= found.highestFrequency * (1 + 1e-3));
    assert_true(found.stableStep > 0 && !isnan(found.worstStretch));
    return found;
}

// a rope along x with N segments of stiffness k
static vvSoftBodyId makeRope(vvWorldId world, int segments, double k)
{
    vvSoftBodyDef def = undampedDef();
    def.springStiffness[VV_EDGE_STRUCTURAL] = k;
    def.material.thickness = 0.05;
    return makeBody(world, vvCreateRopeMesh(1, segments), def);
}

// ---- springs --------------------------------------------------------------------------------------------------------

static void oneSpring(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", NONE);
    vvSoftBodyId body = makeRope(world, 1, 300);
    double m = vvSoftBody_GetMasses(body)[0], omega = sqrt(300 * (1 / m + 1 / m));
    vvExamination found = examine(body);
    CHECK_CLOSE(found.elementFrequency, omega, 1e-9);
    CHECK_CLOSE(found.highestFrequency, omega, 1e-9);
    CHECK_CLOSE(found.lowestFrequency, omega, 1e-9); // three translations and two turns are rigid; this is the sixth
    CHECK_CLOSE(found.stableStep, 2 / omega, 1e-9);
    assert_int_equal(found.stiffestElement, 0);
    assert_int_equal(found.invertedCount, 0);

    // one end pinned, then both
    int ends[2] = { 0, 1 };
    CHECK_OK(vvSoftBody_Pin(body, ends, 1));
    found = examine(body);
    CHECK_CLOSE(found.highestFrequency, sqrt(300 / m), 1e-9);
    CHECK_CLOSE(found.elementFrequency, sqrt(300 / m), 1e-9);
    CHECK_CLOSE(found.lowestFrequency, sqrt(300 / m), 1e-9); // turning about the pin is rigid
    CHECK_OK(vvSoftBody_Pin(body, ends, 2));
    found = examine(body);
    assert_true(found.highestFrequency == 0 && found.lowestFrequency == 0 && isinf(found.stableStep));
    assert_int_equal(found.stiffestElement, -1);
    vvDestroyWorld(world);
}

// masses of a rope of uneven segments: sqrt(k (1/m1 + 1/m2)) of the shortest, in the caller's order
static void stiffestSpring(void **state)
{
    (void)state;
    const double points[] = { 3, 0, 0, 0, 0, 0, 7, 0, 0, 1, 0, 0 };
    const int edges[] = { 3, 0, 0, 2, 1, 3, 1, 0 }, kinds[] = { 0, 0, 0, VV_EDGE_SKIP };
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = 4;
    def.edges = edges;
    def.edgeKinds = kinds;
    def.edgeCount = 4;
    vvWorldId world = makeWorld("implicit-midpoint", NONE);
    vvSoftBodyDef bodyDef = undampedDef();
    bodyDef.springStiffness[VV_EDGE_STRUCTURAL] = 100; // the skip spring is left out
    vvSoftBodyId body = makeBody(world, vvCreateMesh(&def, NULL), bodyDef);
    const double *m = vvSoftBody_GetMasses(body);
    vvExamination found = examine(body);
    assert_int_equal(found.stiffestElement, 2); // between x = 0 and 1
    CHECK_CLOSE(found.elementFrequency, sqrt(100 * (1 / m[1] + 1 / m[3])), 1e-9);

    // the most stretched: a factor of 3 is further from 1 than one of 0.4
    CHECK_OK(vvSoftBody_SetPositions(body, (const double[]){ 0.8, 0, 0, 0, 0, 0, 12.8, 0, 0, 0, 0, 0.4 }));
    found = examine(body);
    assert_int_equal(found.worstElement, 1);
    CHECK_CLOSE(found.worstStretch, 3, 1e-12);
    CHECK_OK(vvSoftBody_SetPositions(body, (const double[]){ 0.8, 0, 0, 0, 0, 0, 8.8, 0, 0, 0, 0, 0.2 }));
    found = examine(body);
    assert_int_equal(found.worstElement, 2);
    CHECK_CLOSE(found.worstStretch, 0.2, 1e-12);
    vvDestroyWorld(world);
}

// N segments, end masses halved: omega = 2 sqrt(k/m) sin(angle / 2), angles pi j / N free, pi (2j - 1) / 2N with one
// end held
static void chainOfSprings(void **state)
{
    (void)state;
    enum
    {
        N = 12
    };
    double pi = acos(-1);
    vvWorldId world = makeWorld("implicit-midpoint", NONE);
    vvSoftBodyId body = makeRope(world, N, 5000);
    double m = vvSoftBody_GetMasses(body)[1], top = 2 * sqrt(5000 / m);
    CHECK_CLOSE(vvSoftBody_GetMasses(body)[0], m / 2, 1e-12);
    vvExamination found = examine(body);
    CHECK_CLOSE(found.highestFrequency, top, 1e-6);
    assert_true(found.lowestFrequency == 0); // bending costs nothing
    int ends[2] = { 0, N };
    CHECK_OK(vvSoftBody_Pin(body, ends, 1));
    CHECK_CLOSE(examine(body).highestFrequency, top * sin(pi * (2 * N - 1) / (4 * N)), 1e-3);

    // both held and drawn by a quarter: a string. Across it swings by its tension T, 2 sqrt(T / (m a)) sin(pi / 2N)
    CHECK_OK(vvSoftBody_Pin(body, ends, 2));
    double x[3 * (N + 1)];
    for (int i = 0; i < 3 * (N + 1); ++i)
        x[i] = 1.25 * vvSoftBody_GetPositions(body)[i];
    CHECK_OK(vvSoftBody_SetPositions(body, x));
    found = examine(body);
    double tension = 5000 * 0.25 / N, spacing = 1.25 / N;
    CHECK_CLOSE(found.highestFrequency, top * sin(pi * (N - 1) / (2 * N)), 1e-3);
    CHECK_CLOSE(found.lowestFrequency, 2 * sqrt(tension / (m * spacing)) * sin(pi / (2 * N)), 1e-3);
    vvDestroyWorld(world);
}

// a light spring to a point: a rigid body bounces on it, sqrt(K / M), and that is a mode of its own
static void attachmentsCount(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", NONE);
    vvSoftBodyId body = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2), elasticDef(1000, 1e8, 0));
    double free = examine(body).lowestFrequency;
    assert_true(free > 100);
    for (int v = 0; v < 27; ++v) // all alike: the cube as a whole moves at sqrt(27 k / M)
        attachToPoint(world, body, v, vvSoftBody_GetMasses(body)[v]);
    CHECK_CLOSE(examine(body).lowestFrequency, 1, 1e-3);

    // one stiff attachment outdoes the material; a spring to another body is bounded from above
    double highest = examine(body).highestFrequency, m = vvSoftBody_GetMasses(body)[13];
    vvAttachmentId stiff = attachToPoint(world, body, 13, 1e12);
    CHECK_CLOSE(examine(body).highestFrequency, sqrt(1e12 / m), 1e-3);
    vvDestroyAttachment(stiff);
    CHECK_CLOSE(examine(body).highestFrequency, highest, 1e-6);
    vvAttachmentDef link = vvDefaultAttachmentDef();
    link.bodyA = makeBody(world, vvCreateRopeMesh(1, 2), undampedDef());
    link.bodyB = body;
    link.vertexB = 13;
    link.stiffness = 1e12;
    assert_true(vvAttachment_IsValid(vvCreateAttachment(world, &link, NULL)));
    CHECK_CLOSE(examine(body).highestFrequency, sqrt(2e12 / m), 1e-3);
    vvDestroyWorld(world);
}

// ---- solids against dense matrices ----------------------------------------------------------------------------------

// all eigenvalues of M^-1/2 K M^-1/2 by Jacobi's rotations, ascending
static void denseSpectrum(double *a, int size, double *values)
{
    for (int sweep = 0; sweep < 15; ++sweep)
    {
        for (int p = 0; p < size; ++p)
        {
            for (int q = p + 1; q < size; ++q)
            {
                double apq = a[p * size + q];
                if (fabs(apq) < 1e-300)
                    continue;
                double angle = 0.5 * atan2(2 * apq, a[q * size + q] - a[p * size + p]), c = cos(angle), s = sin(angle);
                for (int k = 0; k < size; ++k)
                {
                    double x = a[k * size + p], y = a[k * size + q];
                    a[k * size + p] = c * x - s * y;
                    a[k * size + q] = s * x + c * y;
                }
                for (int k = 0; k < size; ++k)
                {
                    double x = a[p * size + k], y = a[q * size + k];
                    a[p * size + k] = c * x - s * y;
                    a[q * size + k] = s * x + c * y;
                }
            }
        }
    }
    for (int i = 0; i < size; ++i)
    {
        int k = i;
        for (; k > 0 && values[k - 1] > a[i * size + i]; --k)
            values[k] = values[k - 1];
        values[k] = a[i * size + i];
    }
}

// the stiffness matrix by differences of the forces the body says it feels
static void spectrumOf(vvSoftBodyId body, double *values)
{
    int count = vvSoftBody_GetVertexCount(body), size = 3 * count;
    size_t vector = (size_t)size * sizeof(double);
    double *a = malloc(vector * (size_t)size), *x = malloc(vector), *f[2] = { malloc(vector), malloc(vector) };
    double d = 1e-6;
    memcpy(x, vvSoftBody_GetPositions(body), vector);
    for (int j = 0; j < size; ++j)
    {
        double saved = x[j];
        for (int side = 0; side < 2; ++side)
        {
            x[j] = saved + (side ? d : -d);
            CHECK_OK(vvSoftBody_SetPositions(body, x));
            CHECK_OK(vvSoftBody_CopyForces(body, f[side]));
        }
        x[j] = saved;
        for (int i = 0; i < size; ++i)
        {
            const double *m = vvSoftBody_GetMasses(body);
            bool pinned = vvSoftBody_IsPinned(body, i / 3) || vvSoftBody_IsPinned(body, j / 3);
            a[i * size + j] = pinned ? 0 : -(f[1][i] - f[0][i]) / (2 * d) / sqrt(m[i / 3] * m[j / 3]);
        }
    }
    CHECK_OK(vvSoftBody_SetPositions(body, x));
    denseSpectrum(a, size, values);
    free(a);
    free(x);
    free(f[0]);
    free(f[1]);
}

static void solidsAgreeWithDenseMatrices(void **state)
{
    (void)state;
    const double poisson[] = { 0, 0.3, 0.45 };
    for (int k = 0; k < 6; ++k)
    {
        vvWorldDef worldDef = vvDefaultWorldDef();
        worldDef.method = "implicit-midpoint";
        worldDef.gravity = NONE;
        worldDef.solver = k % 2 ? "local-global" : "newton";
        vvWorldId world = vvCreateWorld(&worldDef, NULL);
        vvSoftBodyId body =
            makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 0.7, 0.5 }, 2, 1, 1), elasticDef(1000, 1e5, poisson[k % 3]));
        // free; then held at one vertex, two, three, and at one end
        int pins[4] = { 0, 1, 2, 3 }, held = k == 0 ? 0 : k == 5 ? 4 : k - 1;
        const int rigid[] = { 6, 6, 3, 1, 0, 0 };
        CHECK_OK(vvSoftBody_Pin(body, pins, held));
        double values[36];
        spectrumOf(body, values);
        vvExamination found = examine(body);
        // pinned coordinates have eigenvalue 0, then come the rigid motions
        CHECK_CLOSE(found.highestFrequency, sqrt(values[35]), 1e-3);
        CHECK_CLOSE(found.lowestFrequency, sqrt(values[3 * held + rigid[k]]), 1e-3);
        if (rigid[k] > 0)
            CHECK_BELOW(fabs(values[3 * held + rigid[k] - 1]), 1e-6 * values[35]);
        vvDestroyWorld(world);
    }
}

// a clamped bar swings at 1.875^2 sqrt(E I / (rho A L^4)); linear tets are too stiff and come down to it
static void clampedBarConverges(void **state)
{
    (void)state;
    double beam = 1.8751 * 1.8751 * sqrt(1e5 * 0.1 * 0.1 / 12 / 1000), last = INFINITY;
    const double limit[] = { 1.26, 1.08 };
    for (int k = 0; k < 2; ++k)
    {
        vvWorldId world = makeWorld("implicit-midpoint", NONE);
        vvSoftBodyId body = makeBody(world, vvCreateBarMesh(1, 0.1, 20 << k, 2 << k), elasticDef(1000, 1e5, 0));
        int pins[32], count = vvSoftBody_FindVertices(body, planeBox(0, -0.5, 1e-6), pins, 32);
        CHECK_OK(vvSoftBody_Pin(body, pins, count));
        double lowest = examine(body).lowestFrequency;
        assert_true(lowest > 0.98 * beam && lowest < limit[k] * beam && lowest < last);
        last = lowest;
        vvDestroyWorld(world);
    }
}

// ---- the stable step ------------------------------------------------------------------------------------------------

static void stableStepIsTheLimit(void **state)
{
    (void)state;
    const double share[] = { 0.98, 1.05 };
    for (int k = 0; k < 2; ++k)
    {
        vvWorldId world = makeWorld("symplectic-euler", NONE);
        vvSoftBodyId body = makeBody(world, vvCreateBarMesh(1, 0.25, 4, 1), elasticDef(1000, 1e5, 0.3));
        double v[60];
        TestRandom random = { 3 };
        assert_int_equal(vvSoftBody_GetVertexCount(body), 20);
        for (int i = 0; i < 60; ++i)
            v[i] = randomBetween(&random, -1e-4, 1e-4); // small: the limit is that of small motion
        CHECK_OK(vvSoftBody_SetVelocities(body, v));
        double step = share[k] * examine(body).stableStep, start = vvWorld_GetLedger(world).kinetic;
        vvResult result = { .code = VV_OK };
        for (int i = 0; i < 2000 && result.code == VV_OK; ++i)
            result = vvWorld_Step(world, step);
        double total = vvWorld_GetLedger(world).total;
        if (k == 0)
            assert_true(result.code == VV_OK && total < 100 * start);
        else
            assert_true(result.code == VV_DIVERGED || total > 1e6 * start);
        vvDestroyWorld(world);
    }
}

// After 2000 steps of `share` of the limit of `method`, of a body whose highest vibration has the damping ratio z: the
// energy over that at the start. INFINITY: it diverged.
static double keptWithDamping(const char *method, double z, double share)
{
    vvWorldId world = makeWorld(method, NONE);
    double v[60];
    vvSoftBodyId body = makeBody(world, vvCreateBarMesh(1, 0.25, 4, 1), elasticDef(1000, 1e5, 0.3));
    double w = examine(body).highestFrequency;
    CHECK_OK(vvSoftBody_SetDamping(body, (vvDamping){ .stiffness = 2 * z / w }));
    TestRandom random = { 5 };
    for (int k = 0; k < 60; ++k)
        v[k] = randomBetween(&random, -1e-4, 1e-4);
    CHECK_OK(vvSoftBody_SetVelocities(body, v));
    double stable = examine(body).stableStep, start = vvWorld_GetLedger(world).kinetic;
    CHECK_CLOSE(stable, 2 / w * (sqrt(1 + z * z) - z), 1e-2);
    vvResult result = { .code = VV_OK };
    for (int n = 0; n < 2000 && result.code == VV_OK; ++n)
        result = vvWorld_Step(world, 0.5 * vvMethod_GetLimit(method) * share * stable);
    double total = vvWorld_GetLedger(world).total;
    vvDestroyWorld(world);
    return result.code == VV_OK ? total / start : INFINITY;
}

// Damping makes it shorter, the more the stronger: from a third of critical to forty times that of the highest
// vibration. Motion dies or stays below 0.95 of the limit; symplectic Euler's grows without bound above 1.1 of it (the
// others bear somewhat more at some ratios).
static void dampingShortensTheStableStep(void **state)
{
    (void)state;
    const double ratio[] = { 0.3, 3, 40 };
    const char *const method[] = { "symplectic-euler", "verlet", "rk4", "rk23", "rk45" };
    for (int i = 0; i < 15; ++i)
    {
        double below = keptWithDamping(method[i / 3], ratio[i % 3], 0.95);
        print_message("%s, ratio %g, 0.95 of the limit: %g of its energy\n", method[i / 3], ratio[i % 3], below);
        assert_true(below < 1);
    }
    for (int i = 0; i < 3; ++i)
        assert_true(keptWithDamping("symplectic-euler", ratio[i], 1.1) > 1e5);
}

// ---- wild states ----------------------------------------------------------------------------------------------------

static void worstTetIsFound(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", NONE);
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2);
    vvSoftBodyId body = makeBody(world, mesh, elasticDef(1000, 1e5, 0.3));
    double x[81], stretch[40];
    memcpy(x, vvSoftBody_GetPositions(body), sizeof x);
    x[3 * 26] -= 1.5; // a corner through the body
    CHECK_OK(vvSoftBody_SetPositions(body, x));
    CHECK_OK(vvSoftBody_CopyStretches(body, stretch));
    vvExamination found = examine(body);
    int inverted = 0, worst = 0;
    for (int t = 0; t < 40; ++t)
    {
        inverted += stretch[t] < 0;
        worst = stretch[t] < stretch[worst] ? t : worst;
    }
    assert_true(inverted > 0 && stretch[worst] < 0);
    assert_int_equal(found.invertedCount, inverted);
    assert_int_equal(found.worstElement, worst);
    assert_true(found.worstStretch == stretch[worst]);
    vvDestroyWorld(world);
}

static void wildStatesHaveNumbers(void **state)
{
    (void)state;
    const double sizes[] = { 0, 1e-12, 1, 1e6, 1e30, 1e60 }; // larger ones are refused
    for (int model = 0; model < 3; ++model)
    {
        vvWorldId world = makeWorld("implicit-midpoint", NONE);
        vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
        def.model = (const char *[]){ "corotated", "spring", "squared-spring" }[model];
        vvSoftBodyId body = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2), def);
        for (int k = 0; k < 6; ++k)
        {
            double x[81];
            TestRandom random = { 5 };
            for (int i = 0; i < 81; ++i)
                x[i] = sizes[k] * randomBetween(&random, -1, 1);
            CHECK_OK(vvSoftBody_SetPositions(body, x));
            vvExamination found;
            CHECK_OK(vvSoftBody_Examine(body, &found));
            assert_false(isnan(found.elementFrequency) || isnan(found.highestFrequency));
            assert_false(isnan(found.lowestFrequency) || isnan(found.stableStep) || isnan(found.worstStretch));
            assert_true(found.worstElement >= 0);
        }
        vvDestroyWorld(world);
    }
}

// the state before a step that ran away can be examined, and says why it did
static void autopsy(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("symplectic-euler", NONE);
    vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
    def.spin = (vvVec3){ 0, 0, 2 };
    vvSoftBodyId body = makeBody(world, vvCreateBarMesh(1, 0.25, 4, 1), def);
    vvResult result = { .code = VV_OK };
    for (int i = 0; i < 1000 && result.code == VV_OK; ++i)
        result = vvWorld_Step(world, 0.05);
    assert_int_equal(result.code, VV_DIVERGED);
    vvExamination found;
    CHECK_OK(vvSoftBody_Examine(body, &found));
    assert_false(isnan(found.highestFrequency) || isnan(found.lowestFrequency) || isnan(found.worstStretch));
    assert_true(found.stableStep < 0.05);
    vvDestroyWorld(world);
}

// ---- no trace -------------------------------------------------------------------------------------------------------

static void examinationLeavesNoTrace(void **state)
{
    (void)state;
    for (int solver = 0; vvGetSolverName(solver) != NULL; ++solver)
    {
        uint64_t hash[2];
        for (int asked = 0; asked < 2; ++asked)
        {
            vvWorldDef def = vvDefaultWorldDef();
            def.method = "implicit-midpoint";
            def.solver = vvGetSolverName(solver);
            vvWorldId world = vvCreateWorld(&def, NULL);
            vvSoftBodyDef bodyDef = elasticDef(1000, 1e5, 0.3);
            bodyDef.spin = (vvVec3){ 1, 2, 3 };
            vvSoftBodyId body = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2), bodyDef);
            attachToPoint(world, body, 3, 1000);
            vvExamination first, second;
            for (int i = 0; i < 10; ++i)
            {
                CHECK_OK(vvWorld_Step(world, 0.01));
                size_t bytes = vvWorld_GetStatistics(world).memoryBytes;
                uint64_t now = vvWorld_GetHash(world);
                if (asked)
                {
                    CHECK_OK(vvSoftBody_Examine(body, &first));
                    CHECK_OK(vvSoftBody_Examine(body, &second));
                    assert_true(first.highestFrequency == second.highestFrequency);
                    assert_true(first.lowestFrequency == second.lowestFrequency);
                    assert_true(first.elementFrequency == second.elementFrequency);
                }
                assert_true(vvWorld_GetHash(world) == now);
                assert_int_equal(vvWorld_GetStatistics(world).memoryBytes, bytes);
            }
            hash[asked] = vvWorld_GetHash(world);
            vvDestroyWorld(world);
        }
        assert_true(hash[0] == hash[1]);
    }
}

static void mistakesAreRefused(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", NONE);
    vvSoftBodyId body = makeRope(world, 1, 300);
    vvExamination found;
    assert_int_equal(vvSoftBody_Examine(body, NULL).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_Examine((vvSoftBodyId){ 0, 0, 0 }, &found).code, VV_BAD_ID);
    vvDestroySoftBody(body);
    assert_int_equal(vvSoftBody_Examine(body, &found).code, VV_BAD_ID);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oneSpring),
        cmocka_unit_test(stiffestSpring),
        cmocka_unit_test(chainOfSprings),
        cmocka_unit_test(attachmentsCount),
        cmocka_unit_test(solidsAgreeWithDenseMatrices),
        cmocka_unit_test(clampedBarConverges),
        cmocka_unit_test(stableStepIsTheLimit),
        cmocka_unit_test(dampingShortensTheStableStep),
        cmocka_unit_test(worstTetIsFound),
        cmocka_unit_test(wildStatesHaveNumbers),
        cmocka_unit_test(autopsy),
        cmocka_unit_test(examinationLeavesNoTrace),
        cmocka_unit_test(mistakesAreRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
