// What the texts prove, on the methods as they are: how half steps compose, the low-pass filter, which maps are
// symplectic, and who may raise or lower the energy (Dinev, Liu and Kavan 2018, section 3 and appendices A to C).
#include "check.h"

#include "lab/two_springs.h"

static OdeMethod methodOf(const char *name)
{
    OdeMethod method;
    assert_true(odeMethodFind(name, &method));
    return method;
}

// one step from `from`; false: Newton's method did not converge
static bool stepOf(const OdeProblem *problem, const OdeMethod *method, double h, const double *from, double *to)
{
    OdeRun run;
    odeBegin(&run, problem, method);
    memcpy(run.y[0], from, (size_t)problem->size * sizeof(double));
    odeStep(&run, h);
    memcpy(to, run.y[0], (size_t)problem->size * sizeof(double));
    return !run.stuck;
}

// ---- composition ----------------------------------------------------------------------------------------------------

// Dinev 2018, Eq 8 to 13: midpoint is half a backward Euler step followed by half a forward one, trapezoid the reverse
static void midpointAndTrapezoidAreHalfSteps(void **unused)
{
    (void)unused;
    static const char *const problems[] = { "hauth-1b", "hauth-2", "hauth-3", "wave", "kepler" };
    OdeMethod forward = methodOf("forward-euler"), backward = methodOf("backward-euler");
    OdeMethod midpoint = methodOf("implicit-midpoint"), trapezoid = methodOf("trapezoid");
    for (int i = 0; i < 5; ++i)
    {
        OdeProblem p;
        double half[ODE_SIZE], composed[ODE_SIZE], whole[ODE_SIZE];
        assert_true(odeProblemFind(problems[i], &p));
        for (double h = 0.01; h < 0.2; h *= 2)
        {
            double size = odeNorm(p.size, p.start);
            stepOf(&p, &backward, h / 2, p.start, half);
            stepOf(&p, &forward, h / 2, half, composed);
            stepOf(&p, &midpoint, h, p.start, whole);
            for (int k = 0; k < p.size; ++k)
                CHECK_NEAR(whole[k], composed[k], 1e-13 * size); // rounding, times |h f'| of the half steps
            stepOf(&p, &forward, h / 2, p.start, half);
            stepOf(&p, &backward, h / 2, half, composed);
            stepOf(&p, &trapezoid, h, p.start, whole);
            for (int k = 0; k < p.size; ++k)
                CHECK_NEAR(whole[k], composed[k], 1e-13 * size);
        }
    }
}

// Joubert, Eq 30 to 34 with the factors that belong there: (I - h J) dy_implicit = dy_explicit, so that a mode of rate
// -lambda passes with 1 / (1 + h lambda). As printed, (I - J)^-1, it would not depend on the step.
static void linearImplicitEulerIsALowPass(void **unused)
{
    (void)unused;
    OdeMethod forward = methodOf("forward-euler"), linear = methodOf("linear-implicit-euler");
    OdeProblem p;
    double e[ODE_SIZE], l[ODE_SIZE], jacobian[16];
    assert_true(odeProblemFind("kepler", &p)); // nonlinear: one Newton step is not backward Euler
    const double from[] = { 0.8, -0.3, 0.2, 1.1 };
    for (double h = 0.01; h < 1; h *= 3)
    {
        stepOf(&p, &forward, h, from, e);
        stepOf(&p, &linear, h, from, l);
        p.jacobian(0, from, jacobian);
        for (int i = 0; i < 4; ++i)
        {
            double filtered = l[i] - from[i];
            for (int j = 0; j < 4; ++j)
                filtered -= h * jacobian[i * 4 + j] * (l[j] - from[j]);
            CHECK_NEAR(filtered, e[i] - from[i], 1e-14);
        }
    }
    const double matrix[16] = { -1, 0, 0, 0, 0, -10, 0, 0, 0, 0, -100, 0, 0, 0, 0, -1000 }, ones[] = { 1, 1, 1, 1 };
    vvResult result = odeProblemLinear(4, matrix, ones, 1, &p);
    assert_int_equal(result.code, VV_OK);
    stepOf(&p, &forward, 0.03, ones, e);
    stepOf(&p, &linear, 0.03, ones, l);
    for (int i = 0; i < 4; ++i)
        CHECK_CLOSE((l[i] - 1) / (e[i] - 1), 1 / (1 - 0.03 * matrix[5 * i]), 1e-13);
}

// ---- symplectic maps ------------------------------------------------------------------------------------------------

// the squared spring of Dinev 2018, Eq 7, in the plane, k = 10, m = 1
static void rateSpring(double t, const double *y, double *f)
{
    (void)t;
    double pull = -20 * (y[0] * y[0] + y[1] * y[1] - 1);
    f[0] = y[2];
    f[1] = y[3];
    f[2] = pull * y[0];
    f[3] = pull * y[1];
}

static void jacobianSpring(double t, const double *y, double *matrix)
{
    (void)t;
    double pull = -20 * (y[0] * y[0] + y[1] * y[1] - 1);
    memset(matrix, 0, 16 * sizeof(double));
    matrix[2] = matrix[7] = 1;
    matrix[8] = pull - 40 * y[0] * y[0];
    matrix[9] = matrix[12] = -40 * y[0] * y[1];
    matrix[13] = pull - 40 * y[1] * y[1];
}

// largest entry of J^T Omega J - Omega. J by differences of order 8 over 2e-3: truncation 1e-18, rounding 1e-13
static double defectOf(const OdeMethod *method, double h)
{
    static const double weight[] = { 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280 };
    const OdeProblem p = {
        .name = "spring", .size = 4, .mechanical = true, .rate = rateSpring, .jacobian = jacobianSpring
    };
    const double at[] = { 1.1, 0.3, -0.4, 0.9 }, e = 2e-3;
    double j[4][4] = { { 0 } }, worst = 0;
    for (int c = 0; c < 4; ++c)
    {
        for (int k = 1; k <= 4; ++k)
        {
            double up[4], down[4], toUp[4], toDown[4];
            memcpy(up, at, sizeof up);
            memcpy(down, at, sizeof down);
            up[c] += k * e;
            down[c] -= k * e;
            assert_true(stepOf(&p, method, h, up, toUp) && stepOf(&p, method, h, down, toDown));
            for (int r = 0; r < 4; ++r)
                j[r][c] += weight[k - 1] * (toUp[r] - toDown[r]) / e;
        }
    }
    for (int a = 0; a < 4; ++a)
    {
        for (int b = 0; b < 4; ++b)
        {
            double sum = 0, omega = b == a + 2 ? 1 : a == b + 2 ? -1 : 0;
            for (int k = 0; k < 2; ++k)
                sum += j[k][a] * j[k + 2][b] - j[k + 2][a] * j[k][b];
            worst = fmax(worst, fabs(sum - omega));
        }
    }
    return worst;
}

static void someMapsAreSymplectic(void **unused)
{
    (void)unused;
    static const char *const symplectic[] = { "symplectic-euler", "verlet", "implicit-midpoint" };
    for (int m = 0; m < odeMethodCount(); ++m)
    {
        OdeMethod method = odeMethodAt(m);
        if (method.kind == ODE_MULTISTEP || method.kind == ODE_BDF2_VARIABLE || method.kind == ODE_VERLET_LAGGED)
            continue; // maps of more than the state
        bool wanted = false;
        for (int i = 0; i < 3; ++i)
            wanted = wanted || strcmp(symplectic[i], method.name) == 0;
        double defect = defectOf(&method, 0.1);
        print_message("%-22s %s symplectic: %.2e\n", method.name, wanted ? "   " : "not", defect);
        if (wanted)
            CHECK_BELOW(defect, 1e-9);
        else
            assert_true(defect > 1e-5);
    }
    // Newmark with beta = 0 is Verlet's method
    OdeMethod explicitNewmark = odeMethodNewmark(0.5, 0);
    CHECK_BELOW(defectOf(&explicitNewmark, 0.1), 1e-9);
}

// ---- appendices A and B: convex potentials --------------------------------------------------------------------------

#define DOFS 4

// E = sum_i w_i phi(a_i . x), phi(s) = s^2 / 2 + q_i s^4 / 4 - l_i s: convex
static struct
{
    double a[6][DOFS], w[6], q[6], l[6], mass[DOFS];
} convex;

static double convexEnergy(const double *x, double *gradient, double *hessian)
{
    double energy = 0;
    memset(gradient, 0, DOFS * sizeof(double));
    memset(hessian, 0, DOFS * DOFS * sizeof(double));
    for (int i = 0; i < 6; ++i)
    {
        double s = 0;
        for (int k = 0; k < DOFS; ++k)
            s += convex.a[i][k] * x[k];
        energy += convex.w[i] * (s * s / 2 + convex.q[i] * s * s * s * s / 4 - convex.l[i] * s);
        for (int k = 0; k < DOFS; ++k)
        {
            gradient[k] += convex.w[i] * (s + convex.q[i] * s * s * s - convex.l[i]) * convex.a[i][k];
            for (int j = 0; j < DOFS; ++j)
                hessian[k * DOFS + j] += convex.w[i] * (1 + 3 * convex.q[i] * s * s) * convex.a[i][k] * convex.a[i][j];
        }
    }
    return energy;
}

static void rateConvex(double t, const double *y, double *f)
{
    (void)t;
    double gradient[DOFS], hessian[DOFS * DOFS];
    convexEnergy(y, gradient, hessian);
    for (int k = 0; k < DOFS; ++k)
    {
        f[k] = y[DOFS + k];
        f[DOFS + k] = -gradient[k] / convex.mass[k];
    }
}

static void jacobianConvex(double t, const double *y, double *matrix)
{
    (void)t;
    double gradient[DOFS], hessian[DOFS * DOFS];
    convexEnergy(y, gradient, hessian);
    memset(matrix, 0, 4 * DOFS * DOFS * sizeof(double));
    for (int k = 0; k < DOFS; ++k)
    {
        matrix[k * 2 * DOFS + DOFS + k] = 1;
        for (int j = 0; j < DOFS; ++j)
            matrix[(DOFS + k) * 2 * DOFS + j] = -hessian[k * DOFS + j] / convex.mass[k];
    }
}

static double hamiltonian(const double *y)
{
    double gradient[DOFS], hessian[DOFS * DOFS], sum = convexEnergy(y, gradient, hessian);
    for (int k = 0; k < DOFS; ++k)
        sum += 0.5 * convex.mass[k] * y[DOFS + k] * y[DOFS + k];
    return sum;
}

// Eq 43 and 45: what the step adds, by the slack of convexity and the square of the force at `at`
static double predicted(const double *from, const double *to, const double *at, double h)
{
    double gradient[DOFS], ignored[DOFS], hessian[DOFS * DOFS];
    double sum = convexEnergy(to, ignored, hessian) - convexEnergy(from, ignored, hessian);
    convexEnergy(at, gradient, hessian);
    for (int k = 0; k < DOFS; ++k)
        sum += -gradient[k] * (to[k] - from[k]) +
               (at == from ? 0.5 : -0.5) * h * h * gradient[k] * gradient[k] / convex.mass[k];
    return sum;
}

static void eulersOnConvexPotentials(void **unused)
{
    (void)unused;
    const OdeProblem p = {
        .name = "convex", .size = 2 * DOFS, .mechanical = true, .rate = rateConvex, .jacobian = jacobianConvex
    };
    OdeMethod forward = methodOf("forward-euler"), backward = methodOf("backward-euler");
    OdeMethod midpoint = methodOf("implicit-midpoint");
    TestRandom r = { 20260 };
    int moved = 0, solved = 0;
    const int trials = 2000;
    for (int n = 0; n < trials; ++n)
    {
        bool quadratic = n % 2 == 0;
        double y[2 * DOFS], to[2 * DOFS], h = 0.005 * pow(60, randomUnit(&r));
        for (int i = 0; i < 6; ++i)
        {
            convex.w[i] = pow(10, randomBetween(&r, 0, 3));
            convex.q[i] = quadratic ? 0 : randomBetween(&r, 0, 2);
            convex.l[i] = randomBetween(&r, -1, 1);
            for (int k = 0; k < DOFS; ++k)
                convex.a[i][k] = randomBetween(&r, -1, 1);
        }
        for (int k = 0; k < DOFS; ++k)
        {
            convex.mass[k] = randomBetween(&r, 0.2, 3);
            y[k] = randomBetween(&r, -1, 1);
            y[DOFS + k] = randomBetween(&r, -5, 5);
        }
        double start = hamiltonian(y);
        assert_true(stepOf(&p, &forward, h, y, to));
        double gain = hamiltonian(to) - start, scale = fabs(start) + fabs(hamiltonian(to));
        assert_true(gain >= -1e-13 * scale);
        CHECK_NEAR(gain, predicted(y, to, y, h), 1e-12 * scale);
        moved += gain > 1e-6 * scale;
        if (!stepOf(&p, &backward, h, y, to))
            continue; // Newton's method without a line search, far from the solution
        solved += 1;
        double loss = start - hamiltonian(to);
        scale = fabs(start) + fabs(hamiltonian(to));
        assert_true(loss >= -1e-12 * scale);
        CHECK_NEAR(-loss, predicted(y, to, to, h), 1e-11 * scale);
        if (quadratic && stepOf(&p, &midpoint, h, y, to))
            CHECK_NEAR(hamiltonian(to), start, 1e-12 * scale);
    }
    print_message("forward Euler gained in %d, backward Euler was solved in %d of %d\n", moved, solved, trials);
    assert_true(moved > trials / 2 && solved > trials * 19 / 20);
}

// ---- appendix C: two springs ----------------------------------------------------------------------------------------

static void twoSprings(void **unused)
{
    (void)unused;
    const OdeProblem p = twoSpringsFrom(0, 0);
    OdeMethod backward = methodOf("backward-euler");
    twoSpringsSet(100);
    CHECK_NEAR(twoSpringsBeta(), 2.209477, 1e-6);
    // the largest slope on [-1, 1] is where appendix C has it
    CHECK_NEAR(-sqrt(cbrt(2) - 1), -.509825, 1e-6);
    for (double x = -1; x <= 1; x += 1e-3)
        assert_true(twoSpringsSlope(x) <= twoSpringsSlope(-sqrt(cbrt(2) - 1)) + 1e-12);

    // the step that raises the energy: x = 0 exactly, v as before
    double y[2] = { 0.5, -0.5 / 0.033 }, to[2];
    assert_true(stepOf(&p, &backward, 0.033, y, to));
    CHECK_NEAR(to[0], 0, 1e-14);
    CHECK_NEAR(twoSpringsHamiltonian(y), 123.556440, 1e-6);
    CHECK_NEAR(twoSpringsHamiltonian(to), 131.941493, 1e-6);

    static const double ks[] = { 1, 100, 1000 }, hs[] = { .01, .033, .1, .3 };
    TestRandom r = { 7 };
    int rises = 0, steps = 0, stuck = 0;
    for (int cell = 0; cell < 12; ++cell)
    {
        twoSpringsSet(ks[cell / 4]);
        double h = hs[cell % 4], beta = twoSpringsBeta(),
               bound = twoSpringsEnergy(0) + 0.5 * (beta + 1) * (beta + 1) / (h * h);
        for (int start = 0; start < 400; ++start)
        {
            y[0] = randomBetween(&r, -3, 3);
            y[1] = randomBetween(&r, -1, 1) * 6 / h * randomUnit(&r);
            double first = twoSpringsHamiltonian(y);
            for (int n = 0; n < 12; ++n)
            {
                if (!stepOf(&p, &backward, h, y, to))
                {
                    stuck += 1; // not a solution: the theorem is silent
                    break;
                }
                double before = twoSpringsHamiltonian(y), after = twoSpringsHamiltonian(to),
                       slack = 1e-11 * (before + after);
                if (fabs(to[0]) > 1 || fabs(y[0]) >= beta)
                    assert_true(after <= before + slack); // lemmas 1 and 2
                else
                    assert_true(after <= bound + slack); // lemma 3
                assert_true(after <= fmax(first, bound) + slack);
                rises += after > before + slack;
                steps += 1;
                memcpy(y, to, sizeof y);
            }
        }
    }
    print_message("backward Euler raised the energy in %d of %d steps, unsolved %d\n", rises, steps, stuck);
    assert_true(rises > 100 && steps > 40000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(midpointAndTrapezoidAreHalfSteps),
        cmocka_unit_test(linearImplicitEulerIsALowPass),
        cmocka_unit_test(someMapsAreSymplectic),
        cmocka_unit_test(eulersOnConvexPotentials),
        cmocka_unit_test(twoSprings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
