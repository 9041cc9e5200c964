// A slice of what the default step must be true in; truth_soak.c has the whole tables.
#include "integrate/truth.h"

// of a bar that is twisted and let go: frequency within 2 % of Verlet's, distance to it
static void twistedBars(void **state)
{
    (void)state;
    static const struct
    {
        double thickness, young, poisson, degrees;
        int parts;    // of Verlet's frames
        double limit; // of the distance in .5 s, over the largest travel
    } rows[] = { { 0.1, 1e6, 0.45, 1, 300, 0.04 },
                 { 0.1, 1e6, 0.45, 30, 300, 0.04 },
                 { 0.2, 1e5, 0.3, 30, 100, 0.03 } };
    for (int i = 0; i < 3; ++i)
    {
        Twist got = runTwist((Plan){ .young = rows[i].young, .poisson = rows[i].poisson }, rows[i].thickness,
                             rows[i].degrees, 1.0 / 60, 0.75, rows[i].parts);
        print_message("%g m, %g Pa, %g, %g degrees: %.3f Hz of %.3f, error %.4f\n", rows[i].thickness, rows[i].young,
                      rows[i].poisson, rows[i].degrees, got.frequency, got.truth, got.error[0]);
        CHECK_CLOSE(got.frequency, got.truth, 0.02);
        CHECK_BELOW(got.error[0], rows[i].limit);
    }
}

// Bending, and Poisson's ratio .49: kicked; let go from a bend that leaves the volume no room, so that most of the
// energy is in vibrations that substeps do not resolve (it used to come back into the bending, half a swing off).
static void bentBars(void **state)
{
    (void)state;
    static const struct
    {
        Motion motion;
        double poisson, size, limit;
    } rows[] = { { MOTION_KICK, 0.49, 0.01, 0.01 },
                 { MOTION_BENT, 0.3, 0.01, 0.03 },
                 { MOTION_BENT, 0.45, 0.01, 0.03 },
                 { MOTION_BENT, 0.49, 0.01, 0.03 },
                 { MOTION_TWIST, 0.49, 30, 0.05 } };
    for (int i = 0; i < 5; ++i)
    {
        Bar bar = { .plan = { .young = 1e6, .poisson = rows[i].poisson },
                    .motion = rows[i].motion,
                    .thickness = 0.2,
                    .size = rows[i].size,
                    .h = 1.0 / 60 };
        Twist got = runBar(bar, 1.2, exactParts(&bar));
        print_message("motion %d, %g: %.3f Hz of %.3f, error %.4f %.4f %.4f, %.1f substeps\n", rows[i].motion,
                      rows[i].poisson, got.frequency, got.truth, got.error[0], got.error[1], got.error[2],
                      got.substeps);
        CHECK_CLOSE(got.frequency, got.truth, 0.01);
        for (int k = 0; k < 3; ++k)
            CHECK_BELOW(got.error[k], rows[i].limit);
    }
}

// a free plate that turns about its middle axis: both momenta to rounding, energy, and the share of it that is elastic
static void freePlates(void **state)
{
    (void)state;
    for (double young = 1e5; young < 2e7; young *= 10)
    {
        Spin got = runSpin((Plan){ .young = young, .poisson = 0.3 }, (vvVec3){ 1, 0.5, 0.2 }, (int[3]){ 8, 4, 2 },
                           (vvVec3){ 0.01, 6, 0.01 }, 300, 1.0 / 60);
        print_message("%g Pa: dL %.1e, H %.4f to %.4f, share %.4f\n", young, got.angular, got.least, got.most,
                      got.share);
        CHECK_BELOW(got.angular, 1e-10);
        CHECK_BELOW(1 - got.least, 0.01);
        CHECK_BELOW(got.most - 1, 0.01);
        CHECK_BELOW(got.share, 5e3 / young); // 4e3 over the modulus; the step without an exact rigid part has 0.4
    }
}

// a damped beam under its weight, from rest: its tip is where Newton's method has it
static void loadedBeams(void **state)
{
    (void)state;
    static const double poisson[] = { 0.3, 0.45, 0.49 };
    for (int i = 0; i < 3; ++i)
    {
        double tip[2];
        for (int k = 0; k < 2; ++k)
        {
            Body3 made = makeBar((Plan){ .method = k == 0 ? NULL : "backward-euler",
                                         .young = 8e6,
                                         .poisson = poisson[i],
                                         .damping = 0.2,
                                         .gravity = { 0, -9.81, 0 } },
                                 0.1, 2);
            for (int n = 0; n < 120; ++n)
                frame(made, 1.0 / 60, 1);
            tip[k] = endHeight(made);
            vvDestroyWorld(made.world);
        }
        print_message("beam, %g: tip %.5f m, %.5f m\n", poisson[i], tip[0], tip[1]);
        CHECK_CLOSE(tip[0], tip[1], 0.01);
    }
}

// an unstructured body with slivers that hangs by its top, against substeps of a fifteenth
static void hangingLattice(void **state)
{
    (void)state;
    Plan plan = { .young = 3e4, .poisson = 0.3, .gravity = { 0, -9.81, 0 } }, fine = plan;
    fine.substeps = 1;
    Body3 made = makeLattice(plan, 4, 8, 4), truth = makeLattice(fine, 4, 8, 4);
    Hang got = runHang(made, truth, 60, 1.0 / 60, 90);
    print_message("error %.4f, energy off by %.4f of the most kinetic one, kinetic %.3f of the truth's\n", got.error,
                  got.energy, got.kinetic);
    CHECK_BELOW(got.error, 0.01);
    CHECK_BELOW(got.energy, 0.02);
    CHECK_CLOSE(got.kinetic, 1, 0.1);
}

// What starts in a shape that is not one of its modes loses what no substep resolves, in its first step, and must go on
// with its modes all the same: meshes of several cells across, whatever Poisson's ratio.
static void fineBarsKeepTheirModes(void **state)
{
    (void)state;
    static const double poisson[] = { 0.3, 0.45 };
    for (int i = 0; i < 2; ++i)
    {
        Body3 made = makeBar((Plan){ .young = 1e6, .poisson = poisson[i] }, 0.2, 4);
        double angle[60], kinetic = 0, off = 0;
        twistBar(made, acos(-1) / 180);
        for (int n = 0; n < 60; ++n)
        {
            frame(made, 1.0 / 60, 1);
            angle[n] = endTwist(made, 0.2);
            vvLedger ledger = vvWorld_GetLedger(made.world);
            kinetic = fmax(kinetic, ledger.kinetic);
            off = fmax(off, fabs(ledger.numerical));
        }
        double early = frequencyOf(angle, 30, 1.0 / 60), late = frequencyOf(angle + 30, 30, 1.0 / 60);
        print_message("%g: %.3f Hz, then %.3f Hz, H within %.3f\n", poisson[i], early, late, off / kinetic);
        CHECK_CLOSE(early, late, 0.02);
        CHECK_BELOW(off, 0.1 * kinetic);
        vvDestroyWorld(made.world);
    }
}

// A push that has turned back where its first step ends is no reason to leave modes out: 15.6 Hz, a quarter of which is
// one step.
static void pushedBarsKeepTheirModes(void **state)
{
    (void)state;
    Body3 made = makeBar((Plan){ .young = 1e7, .poisson = 0.49 }, 0.2, 2);
    double *v = calloc((size_t)made.count * 3, sizeof(double));
    const double *x = vvSoftBody_GetPositions(made.body);
    for (int i = 0; i < made.count; ++i)
    {
        v[3 * i + 1] = -(x[3 * i] + 0.5) * x[3 * i + 2];
        v[3 * i + 2] = (x[3 * i] + 0.5) * x[3 * i + 1];
    }
    CHECK_OK(vvSoftBody_SetVelocities(made.body, v));
    free(v);
    double total = totalEnergy(made.world);
    for (int n = 0; n < 20; ++n)
    {
        frame(made, 1.0 / 60, 1);
        CHECK_CLOSE(totalEnergy(made.world), total, 0.03);
    }
    vvDestroyWorld(made.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twistedBars),
        cmocka_unit_test(bentBars),
        cmocka_unit_test(freePlates),
        cmocka_unit_test(loadedBeams),
        cmocka_unit_test(hangingLattice),
        cmocka_unit_test(fineBarsKeepTheirModes),
        cmocka_unit_test(pushedBarsKeepTheirModes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
