// Woven cloth: a strip pulled along warp, weft and between them against the closed form, cloth that is alike in all
// directions beside the model "triangle", all methods, and what is refused.
#include "energy/energy.h"
#include "world/sheets.h"

#define WEFT (0.3 * YOUNG)
#define SHEAR (0.04 * YOUNG)
#define RATIO 0.25
#define PULL (1e-3 * SHEAR) // Pa

static vvSoftBodyDef wovenDef(double degrees)
{
    vvSoftBodyDef def = sheetDef("woven", RATIO);
    double angle = degrees * PI / 180;
    def.law.warp = (vvVec3){ 2 * cos(angle), 1, 2 * sin(angle) }; // what is across the sheet does not count
    def.law.weft = WEFT;
    def.law.shear = SHEAR;
    return def;
}

typedef enum Panels
{
    WHOLE,
    MADE, // the half on the right has its warp across, from the start
    SET,  // or set later
} Panels;

// the triangles on the right
static int rightHalf(const vvMesh *mesh, int *list)
{
    int count = 0;
    for (int t = 0; t < vvMesh_GetSurfaceCount(mesh); ++t)
    {
        const int *corner = vvMesh_GetSurface(mesh) + 3 * (ptrdiff_t)t;
        double x = 0;
        for (int c = 0; c < 3; ++c)
            x += vvMesh_GetPoints(mesh)[3 * corner[c]];
        list[count] = t;
        count += x > 0;
    }
    return count;
}

// warps of 16 triangles: along x on the left, along z on the right
static void panelWarps(const vvMesh *mesh, double *warp)
{
    int right[16], count = rightHalf(mesh, right);
    assert_int_equal(vvMesh_GetSurfaceCount(mesh), 16);
    assert_int_equal(count, 8);
    for (int t = 0; t < 16; ++t)
        memcpy(warp + 3 * t, (const double[3]){ 1, 0, 0 }, 3 * sizeof(double));
    for (int k = 0; k < 8; ++k)
        memcpy(warp + 3 * right[k], (const double[3]){ 0, 0, 1 }, 3 * sizeof(double));
}

// A strip along x under a uniform pull; the strains by how far its end goes along x and along z. The state is uniform
// on any mesh: one end slides in its plane.
static void pullPanels(vvSoftBodyDef def, Panels panels, double step, int steps, double strain[2])
{
    double warp[48];
    int right[16];
    vvMesh *mesh = gridMesh(1, 0.4, 4, 2, 2);
    panelWarps(mesh, warp);
    int count = rightHalf(mesh, right);
    def.elementWarp = panels == MADE ? warp : NULL;
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = "backward-euler";
    worldDef.solver = "newton";
    worldDef.gravity = (vvVec3){ 0, 0, 0 };
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvSoftBodyId body = makeBody(world, mesh, def);
    if (panels == SET)
        CHECK_OK(vvSoftBody_SetRegionWarp(body, right, count, (vvVec3){ 0, 0, 3 }));
    int end[2][3];
    for (int k = 0; k < 2; ++k)
        assert_int_equal(vvSoftBody_FindVertices(body, planeBox(0, k - 0.5, 1e-6), end[k], 3), 3);
    CHECK_OK(vvSoftBody_Slide(body, end[0], 3, VV_SLIDE_PLANE, (vvVec3){ 1, 0, 0 }));
    double from[2] = { meanCoordinate(body, end[1], 3, 0), meanCoordinate(body, end[1], 3, 2) };
    for (int i = 0; i < 3; ++i)
    {
        double z = vvSoftBody_GetPositions(body)[3 * end[1][i] + 2], share = fabs(z) > 0.1 ? 0.25 : 0.5;
        CHECK_OK(vvSoftBody_SetForce(body, end[1][i], (vvVec3){ share * PULL * THICKNESS * 0.4, 0, 0 }));
        if (fabs(vvSoftBody_GetPositions(body)[3 * end[0][i] + 2]) < 0.1)
            CHECK_OK(vvSoftBody_Pin(body, end[0] + i, 1));
    }
    for (int n = 0; n < steps; ++n)
        CHECK_OK(vvWorld_Step(world, step));
    strain[0] = meanCoordinate(body, end[1], 3, 0) - from[0];
    strain[1] = meanCoordinate(body, end[1], 3, 2) - from[1];
    vvDestroyWorld(world);
}

static void pullStrip(vvSoftBodyDef def, double step, int steps, double strain[2])
{
    pullPanels(def, WHOLE, step, steps, strain);
}

static void stripsHaveTheClosedForm(void **state)
{
    (void)state;
    static const double degrees[] = { 0, 90, 45, 30, -60 };
    for (int k = 0; k < 5; ++k)
    {
        double strain[2], c = cos(degrees[k] * PI / 180), s = sin(degrees[k] * PI / 180);
        double warp = 1 / YOUNG, weft = 1 / WEFT, shear = 1 / SHEAR - 2 * RATIO / YOUNG;
        double along = c * c * c * c * warp + s * s * s * s * weft + c * c * s * s * shear;
        double turn = 2 * c * s * (c * c * warp - s * s * weft) - c * s * (c * c - s * s) * shear;
        for (int slow = 0; slow < 2; ++slow)
        {
            pullStrip(wovenDef(degrees[k]), slow ? 1 : 0.05, slow ? 5 : 30, strain);
            CHECK_NEAR(strain[0], PULL * along, 0.005 * PULL * along);
            CHECK_NEAR(strain[1], PULL * turn, 0.005 * PULL * along);
        }
    }
}

// Two panels in a row, the warp of one along the pull and of the other across: both have the same stress, and as
// poisson / young is the same either way they narrow alike, so that they stretch as two sheets joined would.
static void panelsStretchAsSheetsJoined(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k)
    {
        double strain[2], expected = PULL * (0.5 / YOUNG + 0.5 / WEFT);
        pullPanels(wovenDef(0), k ? SET : MADE, 0.05, 30, strain);
        CHECK_NEAR(strain[0], expected, 0.001 * expected);
        CHECK_NEAR(strain[1], 0, 0.001 * expected);
    }
}

static double elasticStretched(vvWorldId world, vvSoftBodyId body)
{
    double x[3 * 64];
    int count = vvSoftBody_GetVertexCount(body);
    assert_true(count <= 64);
    memcpy(x, vvSoftBody_GetPositions(body), (size_t)count * 3 * sizeof(double));
    for (int v = 0; v < count; ++v)
    {
        x[3 * v] *= 1.001;
        x[3 * v + 2] += 5e-4 * x[3 * v];
    }
    CHECK_OK(vvSoftBody_SetPositions(body, x));
    return vvWorld_GetLedger(world).elastic;
}

// The parts of a triangle that is cut have its warp: an even stretch of all has the energy that it had.
static void cutPanelsKeepTheirWarp(void **state)
{
    (void)state;
    double energy[2], warp[48];
    for (int cut = 0; cut < 2; ++cut)
    {
        vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
        vvMesh *mesh = gridMesh(1, 0.4, 4, 2, 2);
        panelWarps(mesh, warp);
        vvSoftBodyDef def = wovenDef(0);
        def.elementWarp = warp;
        vvSoftBodyId body = makeBody(world, mesh, def);
        const vvBlade blade = { { { -1, -1, -0.11 }, { -1, 1, -0.11 } }, { { 1, -1, 0.09 }, { 1, 1, 0.09 } } };
        int before = vvSoftBody_GetVertexCount(body);
        if (cut)
            CHECK_OK(vvSoftBody_Cut(body, &blade));
        assert_true(!cut || vvSoftBody_GetVertexCount(body) > before);
        energy[cut] = elasticStretched(world, body);
        vvDestroyWorld(world);
    }
    CHECK_CLOSE(energy[1], energy[0], 1e-9);
}

// forces of small displacements
static void forcesOf(vvSoftBodyDef def, vvMesh *mesh, double *force)
{
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
    vvSoftBodyId body = makeBody(world, mesh, def);
    double x[3 * 32];
    int count = vvSoftBody_GetVertexCount(body);
    memcpy(x, vvSoftBody_GetPositions(body), (size_t)count * 3 * sizeof(double));
    TestRandom random = { 5 };
    for (int i = 0; i < 3 * count; ++i)
        x[i] += randomBetween(&random, -1e-7, 1e-7);
    CHECK_OK(vvSoftBody_SetPositions(body, x));
    CHECK_OK(vvSoftBody_CopyForces(body, force));
    vvDestroyWorld(world);
}

static void alikeInAllDirectionsItIsTriangles(void **state)
{
    (void)state;
    for (int k = 0; k < 6; ++k)
    {
        static const double poissons[] = { 0, 0.3, -0.3 };
        double woven[3 * 32], plain[3 * 32];
        vvSoftBodyDef def = sheetDef("woven", poissons[k % 3]);
        def.law.warp = k < 3 ? def.law.warp : (vvVec3){ 1, 0, 0.7 };
        def.law.weft = k < 3 ? 0 : YOUNG;
        forcesOf(def, gridMesh(1, 0.4, 4, 3, 2), woven);
        forcesOf(sheetDef("triangle", poissons[k % 3]), gridMesh(1, 0.4, 4, 3, 2), plain);
        double size = largestMagnitude(plain, 60);
        for (int i = 0; i < 60; ++i)
            CHECK_NEAR(woven[i], plain[i], 1e-5 * size);
    }
}

// hung by two corners; a law set later is that of a body made with it
static void everyMethodTakesIt(void **state)
{
    (void)state;
    static const char *const methods[] = { NULL,         "small-steps",       "pbd",
                                           "stabilized", "implicit-midpoint", "backward-euler" };
    for (int k = 0; k < 6; ++k)
    {
        uint64_t hash[2];
        for (int later = 0; later < 2; ++later)
        {
            vvWorldDef worldDef = vvDefaultWorldDef();
            worldDef.method = methods[k] ? methods[k] : worldDef.method;
            vvWorldId world = vvCreateWorld(&worldDef, NULL);
            vvSoftBodyDef def = wovenDef(30), other = def;
            other.law = later ? vvDefaultLaw() : def.law;
            def.damping.stiffness = other.damping.stiffness = 1e-3;
            vvSoftBodyId body = makeBody(world, gridMesh(1, 0.6, 5, 3, 2), other);
            CHECK_OK(vvSoftBody_SetLaw(body, def.law));
            int corner[2] = { 0, 3 };
            CHECK_OK(vvSoftBody_Pin(body, corner, 2));
            for (int n = 0; n < 40; ++n)
                CHECK_OK(vvWorld_Step(world, 1.0 / 60));
            hash[later] = vvWorld_GetHash(world);
            double lowest = vvSoftBody_GetBounds(body).lower.y;
            assert_true(lowest < -0.5 && lowest > -1.3);
            vvDestroyWorld(world);
        }
        assert_true(hash[0] == hash[1]);
    }
}

static void badWeavesAreRefused(void **state)
{
    (void)state;
    static const struct
    {
        vvVec3 warp;
        double weft, shear;
        const char *word;
    } bad[] = {
        { { 1, 0, 0 }, -1, 0, "law.weft" },        { { 1, 0, 0 }, NAN, 0, "law.weft" },
        { { 1, 0, 0 }, 0, -1, "law.shear" },       { { 1, 0, 0 }, 0, 1e20, "law.shear" },
        { { 1, 0, 0 }, 17 * YOUNG, 0, "poisson" }, { { 0, 0, 0 }, 0, 0, "law.warp" },
        { { 0, 2, 0 }, 0, 0, "across triangle" },  { { NAN, 0, 0 }, 0, 0, "law.warp" },
    };
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
    vvSoftBodyId good = makeBody(world, gridMesh(1, 1, 2, 2, 2), wovenDef(0));
    for (int k = 0; k < 8; ++k)
    {
        vvLaw law = vvDefaultLaw();
        law.warp = bad[k].warp;
        law.weft = bad[k].weft;
        law.shear = bad[k].shear;
        vvResult result = vvSoftBody_SetLaw(good, law);
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_non_null(strstr(result.message, bad[k].word));
    }
    assert_true(vvSoftBody_GetLaw(good).weft == WEFT);
    int last[] = { 0, 8 };
    vvResult result = vvSoftBody_SetRegionWarp(good, last, 2, (vvVec3){ 1, 0, 0 });
    assert_non_null(strstr(result.message, "elements[1] is 8, must be 0 to 7"));
    result = vvSoftBody_SetRegionWarp(good, last, 1, (vvVec3){ 0, 1, 0 });
    assert_non_null(strstr(result.message, "elementWarp[0] is 0 1 0, which is across triangle 0"));
    vvSoftBodyId plain = makeBody(world, gridMesh(1, 1, 2, 2, 2), sheetDef("triangle", RATIO));
    result = vvSoftBody_SetRegionWarp(plain, last, 1, (vvVec3){ 1, 0, 0 });
    assert_non_null(strstr(result.message, "has no warp"));
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stripsHaveTheClosedForm), cmocka_unit_test(panelsStretchAsSheetsJoined),
        cmocka_unit_test(cutPanelsKeepTheirWarp),  cmocka_unit_test(alikeInAllDirectionsItIsTriangles),
        cmocka_unit_test(everyMethodTakesIt),      cmocka_unit_test(badWeavesAreRefused),
    };
    return cmocka_run_group_tests_name("woven", tests, NULL, NULL);
}
