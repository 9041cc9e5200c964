// Wind against closed forms, its books, and a flag in a storm.
#include "world/scenes.h"
#include "undamped.h"

static vvWorldId windyWorld(vvVec3 velocity, const char *method)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "implicit-midpoint";
    def.gravity = (vvVec3){ 0, 0, 0 };
    def.wind = (vvWind){ .velocity = velocity, .density = 1.2, .drag = 1.17 };
    def.method = method;
    def.solver = "local-global";
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    if (result.code != VV_OK)
        fail_msg("%s", result.message);
    return world;
}

static vvSoftBodyId addBody(vvWorldId world, vvMesh *mesh, vvMaterial material)
{
    vvSoftBodyDef def = undampedDef();
    def.mesh = mesh;
    def.material = material;
    vvResult result;
    vvSoftBodyId body = vvCreateSoftBody(world, &def, &result);
    vvDestroyMesh(mesh);
    if (result.code != VV_OK)
        fail_msg("%s", result.message);
    return body;
}

// a plate along the wind's way at an angle: m dv = 1/2 rho C A (u cos)^2 dt along its normal, from rest
static void aFlatPlateFeelsTheClosedForm(void **state)
{
    (void)state;
    const vvVec3 winds[] = { { 0, 6, 0 }, { 5, 3, 0 }, { 4, -2, 1 }, { 7, 0, 0 } };
    for (int k = 0; k < 4; ++k)
    {
        vvWorldId world = windyWorld(winds[k], "backward-euler");
        vvSoftBodyId plate = addBody(world, vvCreateSheetMesh(0.5, 0.8, 3, 4), vvMaterial_Denim());
        const double h = 1e-3;
        CHECK_OK(vvWorld_Step(world, h));
        double u = winds[k].y, force = 0.5 * 1.2 * 1.17 * 0.4 * fabs(u) * u;
        vvLedger ledger = vvWorld_GetLedger(world);
        CHECK_NEAR(ledger.momentum.y, force * h, 1e-9 * fabs(force) * h + 1e-15);
        CHECK_NEAR(ledger.momentum.x, 0, 1e-12);
        // corners carry as much mass as wind: the plate stays flat, and all work is kinetic but Euler's first step
        CHECK_NEAR(ledger.added, force * vvSoftBody_GetPositions(plate)[1], 1e-9 * ledger.added + 1e-15);
        CHECK_NEAR(ledger.added - ledger.kinetic, ledger.kinetic, 1e-6 * ledger.kinetic + 1e-15);
        vvDestroyWorld(world);
    }
}

// m du = -c u^2 dt: u = u0 / (1 + c u0 t / m), the plate ends up with the air. Explicit in the velocity: first order
static void aFreePlateIsCarriedAlong(void **state)
{
    (void)state;
    double error[2];
    for (int k = 0; k < 2; ++k)
    {
        vvWorldId world = windyWorld((vvVec3){ 0, 5, 0 }, "backward-euler");
        vvSoftBodyId plate = addBody(world, vvCreateSheetMesh(0.5, 0.8, 3, 4), vvMaterial_Denim());
        double mass = 0, h = 0.01 / (k + 1);
        for (int v = 0; v < vvSoftBody_GetVertexCount(plate); ++v)
            mass += vvSoftBody_GetMasses(plate)[v];
        for (int n = 0; n < 100 * (k + 1); ++n)
            CHECK_OK(vvWorld_Step(world, h));
        double exact = 5 - 5 / (1 + 0.5 * 1.2 * 1.17 * 0.4 * 5 / mass);
        error[k] = fabs(vvSoftBody_GetVelocities(plate)[1] - exact);
        vvDestroyWorld(world);
    }
    CHECK_BELOW(error[0], 0.05);
    CHECK_NEAR(error[0] / error[1], 2, 0.2);
}

// a cube catches the wind with one face; its lee feels nothing
static void solidsFeelItWhereTheyFaceIt(void **state)
{
    (void)state;
    vvWorldId world = windyWorld((vvVec3){ 0, 0, -8 }, "backward-euler");
    addBody(world, vvCreateBoxMesh((vvVec3){ 0.5, 0.4, 0.3 }, 3, 3, 3), vvMaterial_Foam());
    CHECK_OK(vvWorld_Step(world, 1e-3));
    vvLedger ledger = vvWorld_GetLedger(world);
    CHECK_CLOSE(ledger.momentum.z, -0.5 * 1.2 * 1.17 * 0.2 * 64 * 1e-3, 1e-9);
    vvDestroyWorld(world);
}

// the work of the wind is all there is: added less numerical loss is what the flag holds, and the midpoint loses
// nothing
static void theBooksClose(void **state)
{
    (void)state;
    vvWorldId world = windyWorld((vvVec3){ 1, 6, 0.5 }, "implicit-midpoint");
    vvSoftBodyDef def = undampedDef();
    vvMesh *mesh = vvCreateSheetMesh(0.6, 0.4, 6, 4);
    def.mesh = mesh;
    def.material = vvMaterial_Silicone();
    def.material.thickness = 0.01;
    def.model = "triangle";
    vvSoftBodyId flag = vvCreateSoftBody(world, &def, NULL);
    vvDestroyMesh(mesh);
    int mast[5] = { 0, 1, 2, 3, 4 };
    CHECK_OK(vvSoftBody_Pin(flag, mast, 5));
    for (int n = 0; n < 100; ++n)
        CHECK_OK(vvWorld_Step(world, 0.002));
    vvLedger ledger = vvWorld_GetLedger(world);
    CHECK_BELOW(1e-3, ledger.kinetic);
    CHECK_BELOW(1e-3, ledger.elastic);
    CHECK_NEAR(ledger.numerical, 0, 0.02 * ledger.added); // ten iterations and the midpoint's second order
    // without air nothing more is put in
    CHECK_OK(vvWorld_SetWind(world, (vvWind){ { 1, 6, 0.5 }, 0, 1.17 }));
    double before = ledger.added;
    for (int n = 0; n < 10; ++n)
        CHECK_OK(vvWorld_Step(world, 0.002));
    CHECK_NEAR(vvWorld_GetLedger(world).added, before, 1e-12 * before);
    assert_int_equal(vvWorld_SetWind(world, (vvWind){ { 0, 0, 0 }, -1, 1 }).code, VV_BAD_INPUT);
    vvDestroyWorld(world);
}

// figure 10, short: a thin flag in 60 m/s at long steps, where forces would overshoot without their limit
static void aFlagStaysFiniteInAStorm(void **state)
{
    (void)state;
    vvWorldId world = windyWorld((vvVec3){ 60, 10, 3 }, "backward-euler");
    vvSoftBodyDef def = undampedDef();
    def.material = vvMaterial_Silk();
    def.model = "triangle";
    vvSoftBodyId flag = makeBody(world, vvCreateSheetMesh(0.8, 0.5, 8, 5), def);
    int mast[6] = { 0, 1, 2, 3, 4, 5 };
    CHECK_OK(vvSoftBody_Pin(flag, mast, 6));
    double fastest = 0;
    for (int n = 0; n < 300; ++n)
    {
        CHECK_OK(vvWorld_Step(world, 1.0 / 30));
        for (int i = 0; i < 3 * vvSoftBody_GetVertexCount(flag); ++i)
            fastest = fmax(fastest, fabs(vvSoftBody_GetVelocities(flag)[i]));
    }
    CHECK_BELOW(fastest, 2 * 61); // the air carries it: twice its speed is room for a snap
    CHECK_BELOW(1, fastest);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aFlatPlateFeelsTheClosedForm), cmocka_unit_test(aFreePlateIsCarriedAlong),
        cmocka_unit_test(solidsFeelItWhereTheyFaceIt),  cmocka_unit_test(theBooksClose),
        cmocka_unit_test(aFlagStaysFiniteInAStorm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
