// Newton's relatives on a reference cloth and a stiff solid: how many iterations. Prints the tables of
// docs/notes/solvers.md.
#include "solve/cloth.h"

// a bar of rubber-like matter, 325 vertices, one end held
static vvWorldId makeBar(const vvWorldDef *def, vvSoftBodyId *bar)
{
    vvResult result;
    vvWorldId world = vvCreateWorld(def, &result);
    CHECK_OK(result);
    *bar = makeBody(world, vvCreateBoxMesh((vvVec3){ 1.2, 0.4, 0.4 }, 12, 4, 4), elasticDef(1000, 1e6, 0.4));
    int held[25];
    assert_int_equal(vvSoftBody_FindVertices(*bar, planeBox(0, -0.6, 1e-6), held, 25), 25);
    CHECK_OK(vvSoftBody_Pin(*bar, held, 25));
    return world;
}

typedef vvWorldId (*Maker)(const vvWorldDef *def, vvSoftBodyId *body);

static Counts countSteps(Maker make, const vvWorldDef *def, int steps)
{
    vvSoftBodyId body;
    vvWorldId world = make(def, &body);
    Counts counts = runCounted(world, steps);
    vvDestroyWorld(world);
    return counts;
}

// what an independent implementation reached, for every preconditioner that is worth having; theirs is "diagonal"
static void looseForcingCostsNoNewton(void **unused)
{
    (void)unused;
    for (int p = 1; vvGetPreconditionerName(p) != NULL; p += 3) // diagonal, ic
    {
        vvWorldDef def = solverDef("newton-cg");
        def.settings.newtonCg.preconditioner = vvGetPreconditionerName(p);
        def.settings.newtonCg.forcing = 1e-8;
        Counts exact = countSteps(makeCloth, &def, 60);
        def.settings.newtonCg.forcing = 0.02;
        Counts loose = countSteps(makeCloth, &def, 60);
        print_message("%-9s eta 1e-8: %.2f Newton %.0f CG a step; 0.02: %.2f Newton %.0f CG\n",
                      def.settings.newtonCg.preconditioner, exact.newton / 60.0, exact.cg / 60.0, loose.newton / 60.0,
                      loose.cg / 60.0);
        assert_int_equal(exact.unconverged + loose.unconverged, 0);
        CHECK_BELOW(loose.newton, 1.05 * exact.newton);
        CHECK_BELOW(loose.cg, 0.35 * exact.cg);
        // it counts 5.13 Newton and 954 CG, with spring damping, which is left out here
        if (p == 1)
            CHECK_NEAR(exact.newton / 60.0, 5.13, 0.5);
        if (p == 1)
            CHECK_NEAR(exact.cg / 60.0, 954, 100);
    }
}

// none > diagonal >= block > ssor > ic
static void preconditionersSaveSteps(void **unused)
{
    (void)unused;
    static const Maker makers[] = { makeCloth, makeBar };
    for (int m = 0; m < 2; ++m)
    {
        int last = INT32_MAX;
        for (int p = 0; vvGetPreconditionerName(p) != NULL; ++p)
        {
            vvWorldDef def = solverDef("newton-cg");
            def.settings.newtonCg.preconditioner = vvGetPreconditionerName(p);
            Counts counts = countSteps(makers[m], &def, 10);
            print_message("%-5s %-9s %.1f Newton %.1f CG a step\n", m ? "bar" : "cloth",
                          def.settings.newtonCg.preconditioner, counts.newton / 10.0, counts.cg / 10.0);
            assert_int_equal(counts.unconverged, 0);
            assert_true(counts.cg < last);
            last = counts.cg;
        }
    }
}

// the exact Hessian needs fewer iterations of Newton's and hardly fewer of the conjugate gradient, and has to be given
// up where it is indefinite: the semidefinite one is the rule
static void exactHessianFallsBack(void **unused)
{
    (void)unused;
    Counts counts[2];
    for (int exact = 0; exact < 2; ++exact)
    {
        vvWorldDef def = solverDef("newton-cg");
        vvSoftBodyId cloth;
        vvWorldId world = makeCloth(&def, &cloth);
        worldFind(world)->method.solving.exactHessian = exact;
        counts[exact] = runCounted(world, 60);
        print_message("cloth %s Hessian, ic: %.2f Newton %.1f CG a step\n", exact ? "exact" : "semidefinite",
                      counts[exact].newton / 60.0, counts[exact].cg / 60.0);
        assert_int_equal(counts[exact].unconverged, 0);
        vvDestroyWorld(world);
    }
    assert_true(counts[1].newton < counts[0].newton);
    assert_true(counts[1].cg > 0.8 * counts[0].cg);
}

// nothing is factored: on a solid of 6253 vertices less than half of the memory
static void memoryStaysSmall(void **unused)
{
    (void)unused;
    size_t bytes[2];
    for (int k = 0; k < 2; ++k)
    {
        vvWorldDef def = solverDef(k ? "newton-cg" : "newton");
        vvResult result;
        vvWorldId world = vvCreateWorld(&def, &result);
        CHECK_OK(result);
        makeBody(world, vvCreateBoxMesh((vvVec3){ 1.2, 0.4, 0.4 }, 36, 12, 12), elasticDef(1000, 1e6, 0.4));
        bytes[k] = vvWorld_GetStatistics(world).memoryBytes;
        vvDestroyWorld(world);
    }
    print_message("6253 vertices: newton %.1f MB, newton-cg with ic %.1f MB\n", (double)bytes[0] * 1e-6,
                  (double)bytes[1] * 1e-6);
    assert_true(2 * bytes[1] < bytes[0]);
}

// where a step starts: what the integrators give (external forces alone) against x_n and x_n + h v_n
static int startFrom;

static SolveReport minimiseFrom(System *system, const Stage *stage, const SolverSettings *settings)
{
    State *s = &system->state;
    for (int i = 0; i < 3 * s->count && startFrom > 0; ++i)
        s->position[i] = s->pinned[i / 3] ? s->position[i] : startFrom == 1 ? s->start[i] : s->inertial[i];
    return newtonCgMinimise(system, stage, settings);
}

static void extrapolatedStartSavesIterations(void **unused)
{
    (void)unused;
    static const char *const names[] = { "external forces", "x_n", "x_n + h v_n" };
    Counts counts[3];
    for (startFrom = 0; startFrom < 3; ++startFrom)
    {
        vvWorldDef def = solverDef("newton-cg");
        def.settings.newtonCg.preconditioner = "diagonal";
        vvSoftBodyId cloth;
        vvWorldId world = makeCloth(&def, &cloth);
        Solver solver = *worldFind(world)->method.solver;
        solver.minimise = minimiseFrom;
        worldFind(world)->method.solver = &solver;
        counts[startFrom] = runCounted(world, 60);
        print_message("cloth, diagonal, start %s: %.2f Newton %.0f CG a step\n", names[startFrom],
                      counts[startFrom].newton / 60.0, counts[startFrom].cg / 60.0);
        vvDestroyWorld(world);
    }
    assert_true(counts[0].newton <= counts[2].newton && counts[2].newton < 0.9 * counts[1].newton);
    assert_true(counts[0].cg <= counts[2].cg && counts[2].cg < 0.9 * counts[1].cg);
}

// a kept factor needs few iterations more than Newton's own and one or two factorizations; linear does not reach 1e-4
// in 60 iterations, and says so
static void keptJacobians(void **unused)
{
    (void)unused;
    static const Maker makers[] = { makeCloth, makeBar };
    for (int m = 0; m < 2; ++m)
    {
        vvWorldDef def = solverDef("newton");
        Counts newton = countSteps(makers[m], &def, 20);
        def.solver = "simplified-newton";
        Counts frozen = countSteps(makers[m], &def, 20);
        def.settings.simplifiedNewton.jacobian = VV_JACOBIAN_LINEAR;
        def.iterations = 60;
        Counts linear = countSteps(makers[m], &def, 20);
        print_message("%-5s newton %.2f iterations %.2f factorizations a step; frozen %.2f, %.2f; linear %.2f, %.2f, "
                      "%d of 20 steps not converged\n",
                      m ? "bar" : "cloth", newton.newton / 20.0, newton.factorizations / 20.0, frozen.newton / 20.0,
                      frozen.factorizations / 20.0, linear.newton / 20.0, linear.factorizations / 20.0,
                      linear.unconverged);
        assert_int_equal(newton.unconverged + frozen.unconverged, 0);
        CHECK_BELOW(newton.factorizations, 2.5 * 20);
        CHECK_BELOW(frozen.factorizations, 2.5 * 20);
        assert_int_equal(linear.unconverged, 20);
        assert_int_equal(linear.factorizations, 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looseForcingCostsNoNewton), cmocka_unit_test(preconditionersSaveSteps),
        cmocka_unit_test(exactHessianFallsBack),     cmocka_unit_test(extrapolatedStartSavesIterations),
        cmocka_unit_test(memoryStaysSmall),          cmocka_unit_test(keptJacobians),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
