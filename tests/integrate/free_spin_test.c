// Free bodies under the stabilized method, whatever their shape, stiffness and solver: nothing acts on them, so the
// total, both momenta and the place of the energy stay. And violent starts come to rest.
#include "integrate/watched.h"

typedef struct Spin
{
    const char *solver, *shape;
    double young, poisson, damping, step; // damping: s, of strain rates; step: s, 0 is 1/60
    vvVec3 spin;
    int frames;
    // what came of it
    double most, least, angular, share; // most and least: of the total
    double numerical;                   // of the first total, the most
} Spin;

static vvMesh *shapeMesh(const char *shape)
{
    if (strcmp(shape, "plate") == 0)
        return vvCreateBoxMesh((vvVec3){ 1, 0.5, 0.2 }, 6, 3, 2);
    if (strcmp(shape, "rod") == 0)
        return vvCreateBoxMesh((vvVec3){ 1, 0.2, 0.2 }, 8, 2, 2);
    if (strcmp(shape, "cylinder") == 0)
        return vvCreateCylinderMesh(0.25, 1, 1, 5);
    if (strcmp(shape, "torus") == 0)
        return vvCreateTorusMesh(0.8, 0.2, 1, 12);
    return vvCreateBoxMesh((vvVec3){ 0.8, 0.8, 0.8 }, 1, 2, 1);
}

static void spinFreely(Spin *spin)
{
    Watched w = { .method = "stabilized", .solver = spin->solver };
    vvWorldId world = watchedWorld(&w, (vvVec3){ 0, 0, 0 });
    vvSoftBodyDef def = elasticDef(1000, spin->young, spin->poisson);
    def.spin = spin->spin;
    def.damping.stiffness = spin->damping;
    makeBody(world, shapeMesh(spin->shape), def);
    vvLedger first = vvWorld_GetLedger(world);
    vvVec3 l = first.angularMomentum;
    double length = sqrt(l.x * l.x + l.y * l.y + l.z * l.z);
    spin->least = spin->most = 1;
    for (int n = 0; n < spin->frames; ++n)
    {
        CHECK_OK(vvWorld_Step(world, spin->step > 0 ? spin->step : 1.0 / 60));
        vvLedger ledger = vvWorld_GetLedger(world);
        vvVec3 now = ledger.angularMomentum;
        spin->most = fmax(spin->most, ledger.total / first.total);
        spin->numerical = fmax(spin->numerical, fabs(ledger.numerical) / first.total);
        spin->least = fmin(spin->least, ledger.total / first.total);
        spin->angular =
            fmax(spin->angular, sqrt(pow(now.x - l.x, 2) + pow(now.y - l.y, 2) + pow(now.z - l.z, 2)) / length);
        spin->share += ledger.elastic / ledger.total / spin->frames;
    }
    vvDestroyWorld(world);
}

static void spinsKeepEverything(void **unused)
{
    (void)unused;
    static const char *const shapes[] = { "plate", "rod", "cylinder", "torus", "cube" };
    int failures = 0;
    for (int i = 0; i < 5; ++i)
    {
        for (int k = 0; k < 8; ++k)
        {
            Spin spin = { .solver = k % 2 ? "local-global" : "newton", .shape = shapes[i] };
            // ten iterations leave stiff rods and plates so far behind that no attitude is right: see the net of random
            // worlds
            spin.young = k / 2 % 2 == 0 ? 1e6 : k % 2 ? 3e5 : 1e7;
            spin.poisson = k / 4 ? 0.3 : 0;
            spin.spin = k / 4 ? (vvVec3){ 0.02, 6, 0.03 } : (vvVec3){ 0.3, 20, 0.2 };
            if (i == 4 && k < 2) // stiff and fast, as small as it gets
                spin.young = 7e6, spin.spin.y = 30;
            spin.frames = k % 2 ? 200 : 30;
            spinFreely(&spin);
            print_message("%s %s young %g spin %g: H %.4f to %.4f, L off by %.1e, elastic share %.4f\n", spin.shape,
                          spin.solver, spin.young, spin.spin.y, spin.least, spin.most, spin.angular, spin.share);
            // a share of the order of rho w^2 a^2 / E is physics: .13 at 3e5 Pa and 20/s
            bool kept = spin.most <= 1.0102 && spin.least >= 0.98 && spin.angular <= 1e-9 && spin.share <= 0.2;
            failures += !kept;
        }
    }
    assert_int_equal(failures, 0);
}

// dampers of strain take no part of a turn, and what they are booked for is what they took
static void dampersLeaveSpinsAlone(void **unused)
{
    (void)unused;
    static const char *const shapes[] = { "plate", "rod", "torus" };
    for (int i = 0; i < 6; ++i)
    {
        Spin spin = { .solver = "local-global", .shape = shapes[i % 3], .young = 3e6, .poisson = 0.3, .frames = 60 };
        spin.damping = i / 3 ? 1e-2 : 1e-3;
        spin.step = 1.0 / 30;
        spin.spin = (vvVec3){ 0.3, 0.2, 5 };
        spinFreely(&spin);
        print_message("%s damped by %g s: numerical %.4f, L off by %.1e, H at least %.4f\n", spin.shape, spin.damping,
                      spin.numerical, spin.angular, spin.least);
        CHECK_BELOW(spin.numerical, 0.06); // turned all the same: 0.19 to 3.8
        CHECK_BELOW(spin.angular, 1e-9);
    }
}

// every vertex anywhere in a box, turning about z: most tets begin inverted
static vvSoftBodyId violentStart(vvWorldId world, vvMesh *mesh, double young, double spin)
{
    vvSoftBodyDef def = elasticDef(1000, young, 0);
    def.damping.rigidPreserving = 2.53;
    vvSoftBodyId body = makeBody(world, mesh, def);
    TestRandom random = { 61 };
    int count = vvSoftBody_GetVertexCount(body);
    double *x = test_malloc((size_t)count * 6 * sizeof(double)), *v = x + 3 * count;
    for (int k = 0; k < 3 * count; ++k)
        x[k] = randomBetween(&random, -0.5, 0.5) * (k % 3 ? 1 : 0.6);
    for (int k = 0; k < count; ++k)
    {
        v[3 * k] = -spin * x[3 * k + 1];
        v[3 * k + 1] = spin * x[3 * k];
        v[3 * k + 2] = 0;
    }
    CHECK_OK(vvSoftBody_SetPositions(body, x));
    CHECK_OK(vvSoftBody_SetVelocities(body, v));
    test_free(x);
    return body;
}

static void violentStartsRest(void **unused)
{
    (void)unused;
    static const char *const shapes[] = { "plate", "cylinder", "torus" };
    for (int i = 0; i < 3; ++i)
    {
        Watched w = { .method = "stabilized", .solver = "local-global" };
        vvWorldId world = watchedWorld(&w, (vvVec3){ 0, 0, 0 });
        vvSoftBodyId body = violentStart(world, shapeMesh(shapes[i]), 1e5, 0);
        double start = vvWorld_GetLedger(world).total;
        for (int n = 0; n < 600; ++n)
            CHECK_OK(vvWorld_Step(world, 0.033));
        vvExamination examination;
        CHECK_OK(vvSoftBody_Examine(body, &examination));
        vvLedger ledger = vvWorld_GetLedger(world);
        print_message("%s from anywhere: %.1e of its energy left, kinetic %.1e, %d tets inverted\n", shapes[i],
                      (ledger.kinetic + ledger.elastic) / start, ledger.kinetic / start, examination.invertedCount);
        CHECK_BELOW(ledger.kinetic / start, 1e-9);
        // a torus that starts anywhere may come to rest folded through itself: about one of six seeds does
        CHECK_BELOW(ledger.elastic / start, strcmp(shapes[i], "torus") == 0 ? 0.01 : 1e-9);
        assert_int_equal(examination.invertedCount, 0);
        vvDestroyWorld(world);
    }
}

// Once damping took the violence, the tolerance is a share of what is left, a spin with 1e-5 of the first energy
static void toleranceFollowsTheEnergy(void **unused)
{
    (void)unused;
    static const double young[2] = { 3e6, 1e7 };
    for (int i = 0; i < 2; ++i)
    {
        Watched w = { .method = "stabilized", .solver = "local-global" };
        vvWorldId world = watchedWorld(&w, (vvVec3){ 0, 0, 0 });
        violentStart(world, vvCreateBoxMesh((vvVec3){ 0.6, 1, 1 }, 3, 5, 5), young[i], 5);
        double start = vvWorld_GetLedger(world).total;
        for (int n = 0; n < 600; ++n)
            CHECK_OK(vvWorld_Step(world, 0.033));
        vvLedger ledger = vvWorld_GetLedger(world);
        print_message("young %g: %.1e of its energy left, numerical %.4f of it\n", young[i], ledger.kinetic / start,
                      ledger.numerical / ledger.kinetic);
        CHECK_BELOW(ledger.kinetic / start, 1e-4);
        CHECK_NEAR(ledger.numerical / ledger.kinetic, 0, 0.02); // a floor of the first energy: .033 and .036
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(spinsKeepEverything), cmocka_unit_test(dampersLeaveSpinsAlone),
                                        cmocka_unit_test(violentStartsRest),
                                        cmocka_unit_test(toleranceFollowsTheEnergy) };
    return cmocka_run_group_tests_name("free spin", tests, NULL, NULL);
}
