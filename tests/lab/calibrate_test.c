// Samples of materials under methods: what is known of the method must be found by stretching, bending and releasing.
#include "lab/calibrate_bodies.h"

static Calibration calibrate(vvMesh *mesh, vvSoftBodyDef def, const char *method, double step, int substeps)
{
    def.mesh = mesh;
    Sample sample = sampleOf(&def, false);
    return calibrateAs(&sample, mesh, method, step, substeps);
}

static vvMesh *cube(void)
{
    return vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 10, 10, 10);
}

// the sample has the body's cells and its fastest sound
static void samplesAreOfTheBody(void **unused)
{
    (void)unused;
    vvSoftBodyDef def = solid(1e5, 0.25);
    def.mesh = cube();
    Sample bar = sampleOf(&def, false);
    assert_int_equal(bar.kind, SAMPLE_BAR);
    CHECK_CLOSE(bar.edge, 0.1, 1e-9);
    CHECK_CLOSE(bar.speed, sqrt(1.2 * 1e5 / 1000), 1e-9); // (lambda + 2 mu) / young is 1.2 at 1/4
    vvDestroyMesh(def.mesh);
    def.model = NULL;
    def.mesh = vvCreateSheetMesh(1, 0.5, 20, 10);
    Sample strip = sampleOf(&def, false);
    assert_int_equal(strip.kind, SAMPLE_STRIP);
    CHECK_CLOSE(strip.edge, 0.05, 1e-9);
    assert_int_equal(strip.diagonals, 2);
    vvDestroyMesh(def.mesh);
    def.mesh = vvCreateRopeMesh(2, 40);
    Sample rope = sampleOf(&def, false);
    assert_int_equal(rope.kind, SAMPLE_ROPE);
    CHECK_CLOSE(rope.speed, 10, 1e-9); // sqrt(young / density)
    assert_true(sampleSame(&rope, &rope) && !sampleSame(&rope, &strip));
    vvDestroyMesh(def.mesh);
}

typedef struct Matter
{
    SampleKind kind;
    const char *model, *bending;
    double poisson;
} Matter;

static Calibration calibrateAt(const Matter *m, double courant)
{
    vvSoftBodyDef def = solid(1e5, m->poisson);
    def.model = m->model;
    def.bendingModel = m->bending;
    def.material.thickness = 0.05; // resists bending enough to be measured
    def.mesh = m->kind == SAMPLE_BAR     ? cube()
               : m->kind == SAMPLE_STRIP ? vvCreateSheetMesh(1, 1, 10, 10)
                                         : vvCreateRopeMesh(1, 10);
    Sample sample = sampleOf(&def, false);
    print_message("%s, ratio %g: ", m->model, m->poisson);
    return calibrate((vvMesh *)def.mesh, def, "small-steps", 8 * courant * sample.edge / sample.speed, 8);
}

// the contract: up to a Courant number of 0.3 the modulus is within 5 %, whatever the matter
static void smallStepsKeepTheModulus(void **unused)
{
    (void)unused;
    static const Matter matter[] = {
        { SAMPLE_ROPE, "spring", NULL, 0 },
        { SAMPLE_ROPE, "squared-spring", NULL, 0 },
        { SAMPLE_STRIP, "spring", NULL, 0.25 },
        { SAMPLE_STRIP, "triangle", "dihedral", 0.4 },
        { SAMPLE_STRIP, "triangle", "mean-curvature", 0 },
        { SAMPLE_STRIP, "membrane", NULL, 0.25 },
        { SAMPLE_BAR, "corotated", NULL, 0 },
        { SAMPLE_BAR, "linear", NULL, 0.45 },
        { SAMPLE_BAR, "stable-neo-hookean", NULL, 0.3 },
    };
    for (int i = 0; i < (int)(sizeof matter / sizeof matter[0]); ++i)
    {
        for (int k = 1; k <= 3; ++k)
        {
            Calibration c = calibrateAt(&matter[i], 0.1 * k);
            assert_true(c.stretch.settled && (!c.bends || c.bend.settled));
            CHECK_NEAR(pullRatio(&c.stretch), 1, 0.05);
            if (sampleIsSolid(&c.sample))
                CHECK_NEAR(pullRatio(&c.compress), 1, 0.05);
            if (c.bends)
                CHECK_NEAR(pullRatio(&c.bend), 1, 0.05);
        }
    }
}

// A rope by the closed form: compliances 1 / (1 + C^2) of what they say (SweepMass), and C^2 that later links undo.
// Beyond the Courant number of the contract matter softens, a bar no less.
static void smallStepsSoftenWithTheCourantNumber(void **unused)
{
    (void)unused;
    for (int k = 1; k <= 4; ++k)
    {
        double c = 0.25 * k, square = c * c;
        Calibration rope = calibrateAt(&(Matter){ SAMPLE_ROPE, "spring", NULL, 0 }, c);
        CHECK_NEAR(pullRatio(&rope.stretch), 1 / (1 / (1 + square) + square), 2e-3); // the load's share at the end
    }
    // sound at 10.95 m/s: 1/60 s is a Courant number of 1.83
    vvSoftBodyDef def = solid(1e5, 0.25);
    Calibration coarse = calibrate(cube(), def, "small-steps", 1.0 / 60, 3);
    Calibration once = calibrate(cube(), def, "small-steps", 1.0 / 60, 1);
    assert_true(pullRatio(&once.stretch) < 0.6 && pullRatio(&once.bend) < 0.6);
    // the softer it is the slower it swings: both tell the same modulus
    double swung = pow(coarse.release.frequency / coarse.release.exactFrequency, 2);
    CHECK_CLOSE(swung, pullRatio(&coarse.bend), 0.03);
}

// converged implicit methods keep the modulus; damping by mass takes half its rate from the amplitude
static void implicitMethodsKeepTheMaterial(void **unused)
{
    (void)unused;
    vvSoftBodyDef def = solid(1e5, 0.25);
    def.damping.mass = 0.4;
    static const char *const methods[] = { "implicit-midpoint", "backward-euler", "bdf2" };
    for (int i = 0; i < 3; ++i)
    {
        Calibration c = calibrate(cube(), def, methods[i], 1.0 / 60, 0);
        CHECK_NEAR(pullRatio(&c.stretch), 1, 0.02);
        CHECK_NEAR(pullRatio(&c.compress), 1, 0.02);
        CHECK_NEAR(pullRatio(&c.bend), 1, 0.02);
        CHECK_CLOSE(c.release.exactRate, 0.2, 0.02);
        // of mode w: midpoint none, backward Euler log(1 + w^2 h^2) / 2 h, bdf2 of third order, next to none
        double turn = c.release.exactFrequency / 60, euler = 0.5 * 60 * log1p(turn * turn);
        double want = i == 1 ? euler : 0;
        CHECK_NEAR(c.release.numericalRate, want, 0.1 * euler);
        CHECK_CLOSE(c.release.frequency, c.release.exactFrequency, 0.01);
    }
}

// what the mesh does is told apart: tets two cells across are stiff in bending, springs of a rope are exact
static void meshesAreToldApart(void **unused)
{
    (void)unused;
    Calibration bar = calibrate(cube(), solid(1e5, 0.25), "implicit-midpoint", 1.0 / 60, 0);
    CHECK_NEAR(bar.meshStretch, 1, 0.01);
    assert_true(bar.meshBend > 1.2 && bar.meshBend < 2);
    vvSoftBodyDef def = solid(1e5, 0.25);
    def.model = NULL;
    Calibration rope = calibrate(vvCreateRopeMesh(2, 40), def, "small-steps", 1.0 / 60, 14);
    CHECK_NEAR(rope.meshStretch, 1, 1e-5);
    assert_true(!rope.bends && rope.courant < 0.3);
    CHECK_NEAR(pullRatio(&rope.stretch), 1, 0.05);
}

// a body of a few cells across is told what its cells do, and what would help does
static void filledSurfacesHaveTheirModulus(void **unused)
{
    (void)unused;
    char why[200];
    Calibration smoothed = calibrateFilled(4, "smoothed", "small-midpoint", 1.0 / 60, 6);
    checkModulus(&smoothed);
    assert_true(!calibrateMeshAdvice(&smoothed, why, sizeof why));
    Calibration linear = calibrateFilled(4, "corotated", "small-midpoint", 1.0 / 60, 6);
    CHECK_NEAR(linear.meshStretch * pullRatio(&linear.stretch), 1, 0.03);
    assert_true(linear.meshBend > 1.05 && linear.meshBend < 1.1);
    assert_true(calibrateMeshAdvice(&linear, why, sizeof why));
    assert_non_null(strstr(why, ": 7 across, edges of 0.029 m, or the model smoothed"));
}

// an explicit method beyond its limit is a finding, not a failure
static void divergenceIsFound(void **unused)
{
    (void)unused;
    assert_true(calibrate(cube(), solid(1e7, 0.25), "verlet", 1.0 / 60, 0).diverged);
    assert_true(!calibrate(cube(), solid(1e5, 0.25), "verlet", 1e-3, 0).diverged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samplesAreOfTheBody),
        cmocka_unit_test(smallStepsKeepTheModulus),
        cmocka_unit_test(smallStepsSoftenWithTheCourantNumber),
        cmocka_unit_test(implicitMethodsKeepTheMaterial),
        cmocka_unit_test(meshesAreToldApart),
        cmocka_unit_test(filledSurfacesHaveTheirModulus),
        cmocka_unit_test(divergenceIsFound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
