// Macklin 2019, section 6.1: a hanging chain of hard constraints, with and without a heavy last particle. The step of
// the integrator itself, on an island made by hand: particles of one kilogram, springs without compliance.
#include "check.h"
#include "lab/hanging_chain.h"

typedef struct Run
{
    double most, last, force; // m, m, N of the top spring
} Run;

static Run runChain(Chain *chain, double step, int frames, int substeps, int iterations, bool symmetric, bool jacobi)
{
    Run run = { 0, 0, 0 };
    for (int frame = 0; frame < frames; ++frame)
    {
        stepChain(chain, step, substeps, iterations, symmetric, jacobi);
        run.most = fmax(run.most, stretch(chain));
    }
    run.last = stretch(chain);
    run.force = topForce(chain);
    freeChain(chain);
    assert_int_equal(chain->memory.blocks, 0);
    return run;
}

static Run hang(double stiffness, double heavy, double offset, double step, int substeps, int iterations)
{
    Chain chain;
    assert_true(makeChain(&chain, stiffness, heavy, offset, 10, 0));
    return runChain(&chain, step, 1000, substeps, iterations, false, false);
}

// the paper's two numbers, to the digits it prints; its step is found by matching them
static void heavyChainIsThePapers(void **unused)
{
    (void)unused;
    Run iterations = hang(INFINITY, 1e5, 0, 0.03, 1, 100), substeps = hang(INFINITY, 1e5, 0, 0.03, 100, 1);
    print_message("step 0.03 s: 1x100 %.4f m, 100x1 %.6f m\n", iterations.most, substeps.most);
    CHECK_NEAR(iterations.most, 322.13, 0.1);
    CHECK_NEAR(substeps.most, 3.238, 0.002);
    // and at 1/60 s
    CHECK_CLOSE(hang(INFINITY, 1e5, 0, 1.0 / 60, 1, 100).most, 99.424, 1e-3);
    CHECK_CLOSE(hang(INFINITY, 1e5, 0, 1.0 / 60, 100, 1).most, 0.99947, 1e-3);
}

// What one sweep leaves at rest is K g h^2. Red and black: even links first. Links below an even one move by g h^2 each
// before it is solved again: K = 180 for 19 links, between 171 (from the top) and 189 (from the bottom).
static void restStretchIsTheClosedForm(void **unused)
{
    (void)unused;
    static const int counts[] = { 5, 10, 20, 50, 100 };
    for (int i = 0; i < 5; ++i)
    {
        double h = 1.0 / 60 / counts[i];
        Run run = hang(INFINITY, 0, 0, 1.0 / 60, counts[i], 1);
        print_message("%d substeps: rest stretch %.4e m = %.3f g h^2, force %.4f N\n", counts[i], run.last,
                      run.last / (10 * h * h), run.force);
        CHECK_CLOSE(run.last, 180 * 10 * h * h, 1e-3);
        CHECK_NEAR(run.force, 190.00, 0.005); // 19 kg x 10 m/s^2
    }
    // same work: the closed form of the largest stretch, and how much worse iterations are
    Run iterations = hang(INFINITY, 0, 0, 1.0 / 60, 1, 100);
    assert_true(iterations.last > 50 * 4.75e-5);
}

// At rest a link is stretched by its compliance and by what links later in the order undo: red ones by both black
// neighbours (SweepMass). With compliances made less by what is undone on the mean the whole is longer by a fifth of
// what hard links leave.
static void complianceAddsItsStretch(void **unused)
{
    (void)unused;
    double h = 1.0 / 6000, a = 1 / (1e7 * h * h), sum = 0;
    for (int c = 0; c < 19; ++c)
    {
        double overlap = 0.5 * (c > 0) + 0.5 * (c < 18); // the top is held, no link but the last holds the end
        sum += 10 * (19 - c) * a * a / (a + overlap);
        sum += c % 2 > 0 ? 0 : 10 * ((c > 0 ? 20 - c : 0) + (c < 18 ? 18 - c : 0));
    }
    double rest = hang(1e7, 0, 0, 1.0 / 60, 100, 1).last, exact = 190 * 10 / 1e7;
    print_message("1e7 N/m: stretch %.4e m, exact %.4e\n", rest, exact);
    CHECK_CLOSE(rest, sum * h * h, 1e-3); // frames left to settle
    CHECK_NEAR(rest, exact, 0.25 * 180 * 10 * h * h);
}

// the residual and the force do not depend on where the chain hangs
static void originDoesNotMatter(void **unused)
{
    (void)unused;
    static const double offsets[] = { 1, 10, 1000 };
    for (int i = 0; i < 3; ++i)
    {
        Run run = hang(INFINITY, 0, offsets[i], 1.0 / 60, 100, 1);
        print_message("at %g m: stretch %.4e m, force %.5f N\n", offsets[i], run.last, run.force);
        CHECK_CLOSE(run.last, 180 * 10 / 3.6e7, 1e-4);
        CHECK_CLOSE(run.force, 190, 1e-4);
    }
}

// single precision in the delta form, wherever it hangs: a stretch of 1e-5 of the chain, 2.6e-6 m a link, to 1 %
static void singlePrecisionKeepsItsDigits(void **unused)
{
    (void)unused;
    static const double offsets[] = { 0, 1, 10, 1000 };
    for (int i = 0; i < 4; ++i)
    {
        Chain chain;
        assert_true(makeChain(&chain, INFINITY, 0, offsets[i], 10, 0));
        chain.single = true;
        stepChain(&chain, 1.0 / 60, 100, 1, false, false);
        assert_non_null(chain.system.sweep.single); // it was taken
        Run run = runChain(&chain, 1.0 / 60, 1000, 100, 1, false, false);
        print_message("single, at %g m: stretch %.4e m, force %.5f N\n", offsets[i], run.last, run.force);
        CHECK_CLOSE(run.last, 180 * 10 / 3.6e7, 0.01);
        CHECK_CLOSE(run.force, 190, 1e-3);
    }
}

// A sweep forward and back within a substep is stable and leaves less. The multiplier goes on in the second: a spring's
// stiffness does not depend on the number of sweeps.
static void symmetricSweepIsStable(void **unused)
{
    (void)unused;
    Chain chain;
    assert_true(makeChain(&chain, INFINITY, 0, 0, 10, 0));
    Run run = runChain(&chain, 1.0 / 60, 1000, 50, 1, true, false);
    double h = 1.0 / 3000;
    CHECK_BELOW(run.last, 180 * 10 * h * h);
    CHECK_NEAR(run.force, 190.00, 0.005);
    assert_true(makeChain(&chain, 1e5, 0, 0, 10, 0));
    double many = runChain(&chain, 1.0 / 60, 3000, 10, 20, false, false).last;
    CHECK_CLOSE(many, 190 * 10 / 1e5, 0.01);
}

// Jacobi's iteration with split masses leaves four times as much, 720 g h^2, but the force is right: averaging the
// moves instead would give 185 N, and divide stiffness by the number of neighbours
static void jacobiSplitsMasses(void **unused)
{
    (void)unused;
    Chain chain;
    double h = 1.0 / 6000;
    assert_true(makeChain(&chain, INFINITY, 0, 0, 10, 0));
    Run run = runChain(&chain, 1.0 / 60, 1000, 100, 1, false, true);
    CHECK_CLOSE(run.last, 720 * 10 * h * h, 1e-3);
    CHECK_NEAR(run.force, 190.00, 0.005);
    assert_true(makeChain(&chain, INFINITY, 1e5, 0, 10, 0));
    CHECK_CLOSE(runChain(&chain, 0.03, 1000, 100, 1, false, true).most, 12.957, 1e-3);
    // a spring keeps its stiffness: at rest the stretch is that of the weight
    assert_true(makeChain(&chain, 1e7, 0, 0, 10, 0));
    CHECK_CLOSE(runChain(&chain, 1.0 / 60, 1000, 100, 1, false, true).last, 190 * 10 / 1e7 + 720 * 10 * h * h, 1e-3);
}

// One spring of 400 N/m and 1 kg: the numerical damping is k h / (2 m) per second, and with Eq 8 the rate is c / (2 m)
// in all: a substep damps the less, the more it does by itself. With damping proportional to stiffness c = k x
// viscosity.
static void dampingIsInUnits(void **unused)
{
    (void)unused;
    double rate[3];
    for (int i = 0; i < 3; ++i)
    {
        double viscosity = i == 1 ? 2.0 / 400 : 0; // 2 N s/m, or the same as a dashpot
        Chain chain;
        assert_true(makeChain(&chain, 400, 0, 0, 0, viscosity));
        chain.springs->dashpot = i == 2 ? 2 : 0;
        State *s = &chain.system.state;
        // the second particle alone moves, along the first link
        for (int v = 0; v < PARTICLES; ++v)
            s->pinned[v] = v != 1;
        energySetActive(chain.springs, 1, false);
        s->start[4] -= 0.001;
        memcpy(s->pinTarget, s->start, sizeof chain.array[0]);
        double taken = 0, first = 0.5 * 400 * 1e-6, energy = first;
        int frames = 60; // three periods: the energy of a damped motion swings within one
        double step = 6 * PI / 20 / frames;
        for (int frame = 0; frame < frames; ++frame)
        {
            stepChain(&chain, step, 100, 1, false, false);
            taken += chain.member.dissipated;
        }
        double u = s->start[4] + LENGTH, v = s->startVelocity[4];
        energy = 0.5 * (400 * u * u + v * v);
        rate[i] = -0.5 * log(energy / first) / (frames * step);
        print_message("damping %.3g s: rate %.4f 1/s, lost %.3e J, booked %.3e J\n", viscosity, rate[i], first - energy,
                      taken);
        // the ledger: what substeps damp by themselves is damping as far as it was asked for
        if (i == 0)
            assert_true(taken == 0);
        else
            CHECK_CLOSE(taken, first - energy, 0.002);
        freeChain(&chain);
    }
    CHECK_CLOSE(rate[0], 400 * 6 * PI / 20 / 6000 / 2, 0.01);
    CHECK_CLOSE(rate[1], 1, 0.003); // not 1 and what substeps do by themselves
    CHECK_CLOSE(rate[2], rate[1], 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavyChainIsThePapers),
        cmocka_unit_test(restStretchIsTheClosedForm),
        cmocka_unit_test(complianceAddsItsStretch),
        cmocka_unit_test(originDoesNotMatter),
        cmocka_unit_test(singlePrecisionKeepsItsDigits),
        cmocka_unit_test(symmetricSweepIsStable),
        cmocka_unit_test(dampingIsInUnits),
        cmocka_unit_test(jacobiSplitsMasses),
    };
    return cmocka_run_group_tests_name("chain", tests, NULL, NULL);
}
