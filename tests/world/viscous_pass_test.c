// The viscous pass of small-steps: backward Euler of the velocities under the dampers of strain rates, substep by
// substep.
#include "world/scenes.h"

#include <string.h>

static vvWorldId viscousWorld(int substeps)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "small-steps";
    def.gravity = (vvVec3){ 0, 0, 0 };
    def.substeps = substeps;
    def.settings.smallSteps.viscousPass = true;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    return world;
}

// two masses and a dashpot d: their speed apart shrinks by 1 + h d (1/m + 1/m) in each substep; the spring of 1e-9 N/m
// does nothing that is seen
static void dashpotsDecayAsBackwardEulerSays(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k)
    {
        static const double dashpot[3] = { 0.01, 1, 1e4 };
        vvWorldId world = viscousWorld(10);
        vvSoftBodyDef def = elasticDef(1000, 1e6, 0);
        def.model = "spring";
        def.material.thickness = 0.03;
        for (int e = 0; e < VV_EDGE_KINDS; ++e)
            def.springStiffness[e] = 1e-9;
        def.damping.spring = dashpot[k];
        vvSoftBodyId body = makeBody(world, vvCreateRopeMesh(1, 1), def);
        assert_int_equal(vvSoftBody_GetVertexCount(body), 2);
        const double *m = vvSoftBody_GetMasses(body), *x = vvSoftBody_GetPositions(body);
        double v[6], along[3], rate = dashpot[k] * (1 / m[0] + 1 / m[1]), want = 0.02;
        for (int a = 0; a < 3; ++a)
        {
            along[a] = x[3 + a] - x[a];
            v[a] = 0.5 - 0.01 * along[a];
            v[3 + a] = 0.5 + 0.01 * along[a];
        }
        CHECK_OK(vvSoftBody_SetVelocities(body, v));
        vvLedger start = vvWorld_GetLedger(world);
        CHECK_OK(vvWorld_Step(world, 0.02));
        vvLedger end = vvWorld_GetLedger(world);
        const double *w = vvSoftBody_GetVelocities(body);
        double apart = 0;
        for (int a = 0; a < 3; ++a)
            apart += along[a] * (w[3 + a] - w[a]);
        for (int n = 0; n < 10; ++n)
            want /= 1 + 0.002 * rate;
        CHECK_NEAR(apart, want, 1e-8 * 0.02);
        // what is lost is booked; momentum stays; both to rounding of 0.4 J and 0.6 kg m/s
        CHECK_NEAR(end.dissipated - start.dissipated, start.kinetic - end.kinetic, 1e-12);
        CHECK_NEAR(end.momentum.x, start.momentum.x, 1e-12);
        assert_true(end.dissipated > 0);
        vvDestroyWorld(world);
    }
}

// honey: a block whose spin stays, for rigid motion has no strain rate, while its flow dies
static void flowDiesAndSpinStays(void **state)
{
    (void)state;
    vvWorldId world = viscousWorld(10);
    vvSoftBodyDef def = elasticDef(1000, 1, 0.3);
    def.damping.stiffness = 1e3; // viscosity of about 400 Pa s
    vvSoftBodyId body = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.3, 0.2, 0.1 }, 3, 2, 1), def);
    double v[3 * 64];
    int count = vvSoftBody_GetVertexCount(body);
    assert_true(count <= 64);
    const double *x = vvSoftBody_GetPositions(body);
    for (int i = 0; i < count; ++i)
    {
        v[3 * i] = -2 * x[3 * i + 1] + x[3 * i] + 0.1;
        v[3 * i + 1] = 2 * x[3 * i] - x[3 * i + 1];
        v[3 * i + 2] = 0;
    }
    CHECK_OK(vvSoftBody_SetVelocities(body, v));
    vvLedger start = vvWorld_GetLedger(world);
    CHECK_OK(vvWorld_Step(world, 0.02));
    vvLedger end = vvWorld_GetLedger(world);
    // the positional error of the turn in 0.02 s at 2/s
    CHECK_NEAR(end.angularMomentum.z, start.angularMomentum.z, 1e-3 * start.angularMomentum.z);
    CHECK_NEAR(end.momentum.x, start.momentum.x, 1e-12 * 6);
    CHECK_NEAR(end.numerical, 0, 1e-3 * start.kinetic);
    assert_true(end.dissipated > 0.05 * start.kinetic);
    // what is left is rigid: p^2 / 2 m + L^2 / 2 I
    double rigid = 0, inertia = 0, mass = 0;
    for (int i = 0; i < count; ++i)
    {
        double m = vvSoftBody_GetMasses(body)[i], px = vvSoftBody_GetPositions(body)[3 * i];
        double py = vvSoftBody_GetPositions(body)[3 * i + 1];
        mass += m;
        inertia += m * (px * px + py * py);
    }
    rigid =
        end.momentum.x * end.momentum.x / (2 * mass) + end.angularMomentum.z * end.angularMomentum.z / (2 * inertia);
    CHECK_NEAR(end.kinetic, rigid, 0.01 * rigid);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dashpotsDecayAsBackwardEulerSays),
        cmocka_unit_test(flowDiesAndSpinStays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
