// The profile of a world: where the time of its steps went.
#include "base/base.h"
#include "scenes.h"

static vvProfile run(const char *method, const char *solver, double *wall)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.solver = solver;
    vvWorldId world = vvCreateWorld(&def, NULL);
    vvSoftBodyDef bodyDef = elasticDef(1000, 1e4, 0.3);
    bodyDef.spin = (vvVec3){ 0, 0, 3 };
    makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 5, 5, 5), bodyDef);
    vvProfile profile = vvWorld_GetProfile(world);
    assert_true(profile.step == 0 && profile.prepare == 0 && profile.gradient == 0 && profile.other == 0);
    double begin = clockSeconds(), last = 0;
    for (int i = 0; i < 10; ++i)
    {
        CHECK_OK(vvWorld_Step(world, 0.001));
        profile = vvWorld_GetProfile(world);
        assert_true(profile.step > last); // it sums over the steps
        last = profile.step;
    }
    *wall = clockSeconds() - begin;
    vvDestroyWorld(world);
    assert_true(vvWorld_GetProfile(world).step == 0);
    return profile;
}

static void phasesAreDisjointPartsOfTheStep(void **state)
{
    (void)state;
    for (int method = 0; vvGetMethodName(method) != NULL; ++method)
    {
        for (int solver = 0; vvGetSolverName(solver) != NULL; ++solver)
        {
            double wall;
            vvProfile p = run(vvGetMethodName(method), vvGetSolverName(solver), &wall);
            const double phases[] = { p.prepare, p.gradient, p.matrix, p.factor, p.solve, p.line, p.ledger, p.other };
            double sum = 0;
            for (int i = 0; i < 8; ++i)
            {
                assert_true(phases[i] >= 0);
                sum += phases[i];
            }
            CHECK_CLOSE(sum, p.step, 1e-9);
            CHECK_BELOW(p.step, wall);

            // who solves nothing has no matrix; who factors in advance searches no line where every step goes down
            bool explicit = vvMethod_IsExplicit(vvGetMethodName(method)) ||
                            strcmp(vvGetMethodName(method), "small-steps") == 0 ||
                            strcmp(vvGetMethodName(method), "pbd") == 0;
            bool newton = strcmp(vvGetSolverName(solver), "newton") == 0;
            assert_true(p.prepare > 0 && p.gradient > 0 && p.ledger > 0);
            if (strcmp(vvGetMethodName(method), "stabilized-explicit") == 0 ||
                strcmp(vvGetMethodName(method), "pd-jacobi") == 0)
                continue; // solves where it blends; has a diagonal and no factor
            assert_true((p.matrix > 0) == !explicit && (p.factor > 0) == !explicit && (p.solve > 0) == !explicit);
            // small-midpoint asks no solver
            bool searches = strcmp(vvGetMethodName(method), "linear-implicit-euler") != 0 &&
                            strcmp(vvGetMethodName(method), "small-midpoint") != 0;
            if ((newton && searches) || explicit)
                assert_true((p.line > 0) == !explicit);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(phasesAreDisjointPartsOfTheStep) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
