// Ten iterations of local/global are the material: beams under a load, how fast they swing, and momenta of free bodies
// against Newton's method.
#include "world/scenes.h"

#define STEP (1.0 / 60)

typedef struct Case
{
    const char *method, *solver, *model;
    double poisson, step;
    bool modes, accelerate;
    double drag; // 1/s
    double hold; // N/m: of attachments at its end; 0: pins
} Case;

static vvWorldId worldOf(const Case *c)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = c->method;
    def.solver = c->solver;
    def.iterations = strcmp(c->solver, "local-global") == 0 ? 10 : 0;
    def.settings.localGlobal.modes = c->modes;
    def.settings.localGlobal.accelerate = c->accelerate;
    def.gravity = (vvVec3){ 0, 0, 0 };
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    return world;
}

// a cantilever of 1.2 m, its tip loaded; m: how far the tip is down after so many steps, and the last crossing of the
// rest in s
static double softness; // vvStatistics.softness of the last step

static double tipOf(const Case *c, int steps, double force, double velocity, double *crossing)
{
    vvWorldId world = worldOf(c);
    vvSoftBodyDef def = elasticDef(1100, 8e5, c->poisson);
    def.model = c->model;
    def.damping.mass = c->drag;
    vvSoftBodyId body = makeBody(world, vvCreateBoxMesh((vvVec3){ 1.2, 0.15, 0.1 }, 16, 2, 2), def);
    int held[9], tip[9];
    assert_int_equal(vvSoftBody_FindVertices(body, planeBox(0, -0.6, 1e-6), held, 9), 9);
    assert_int_equal(vvSoftBody_FindVertices(body, planeBox(0, 0.6, 1e-6), tip, 9), 9);
    for (int k = 0; k < 9 && c->hold > 0; ++k)
        attachToPoint(world, body, held[k], c->hold);
    if (c->hold == 0)
        CHECK_OK(vvSoftBody_Pin(body, held, 9));
    for (int k = 0; k < 9; ++k)
        CHECK_OK(vvSoftBody_SetForce(body, tip[k], (vvVec3){ 0, -force / 9, 0 }));
    int count = vvSoftBody_GetVertexCount(body);
    double *v = test_calloc((size_t)count * 3, sizeof(double));
    for (int i = 0; i < count; ++i)
    {
        double along = vertexPosition(body, i).x / 1.2 + 0.5;
        v[3 * i + 1] = velocity * along * along;
    }
    CHECK_OK(vvSoftBody_SetVelocities(body, v));
    test_free(v);
    double before = 0, now = 0, first = 0, last = 0;
    int crossings = 0;
    for (int n = 0; n < steps; ++n)
    {
        CHECK_OK(vvWorld_Step(world, c->step));
        before = now;
        now = meanCoordinate(body, tip, 9, 1);
        if (n > 0 && before * now < 0)
        {
            last = (n + before / (before - now)) * c->step;
            first = crossings++ == 0 ? last : first;
        }
    }
    softness = vvWorld_GetStatistics(world).softness;
    if (crossing != NULL)
        *crossing = crossings > 1 ? (last - first) / (crossings - 1) : 0; // half a period
    vvDestroyWorld(world);
    return -now;
}

// Plain iterations are soft here, or creep.
static void testLoadedBeams(void **state)
{
    (void)state;
    static const struct
    {
        const char *method;
        double poisson, plain, accelerated; // 1, what the tip may be off
    } rows[] = {
        { "backward-euler", 0.3, 0.01, 0.002 },    { "backward-euler", 0.45, 0.01, 0.012 },
        { "backward-euler", 0.49, 0.02, 0.02 },    { "stabilized", 0.3, 0.01, 0.002 },
        { "stabilized", 0.45, 0.01, 0.005 },       { "stabilized", 0.49, 0.01, 0.005 },
        { "implicit-midpoint", 0.45, 0.05, 0.01 },
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k)
    {
        Case c = {
            .method = "backward-euler", .solver = "newton", .poisson = rows[k].poisson, .step = STEP, .drag = 8
        };
        double want = tipOf(&c, 180, 0.5, 0, NULL);
        c.method = rows[k].method;
        c.solver = "local-global";
        c.modes = true;
        CHECK_CLOSE(tipOf(&c, 180, 0.5, 0, NULL), want, rows[k].plain);
        c.accelerate = true;
        CHECK_CLOSE(tipOf(&c, 180, 0.5, 0, NULL), want, rows[k].accelerated);
    }
}

// Where plain iterations are not the material, soft or creeping, it is told; with modes there is nothing to tell.
static void testSoftnessIsTold(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k)
    {
        Case c = { .method = "backward-euler", .solver = "newton", .step = STEP, .drag = 8 };
        c.poisson = k % 2 ? 0.45 : 0.3;
        double want = tipOf(&c, 180, 0.5, 0, NULL);
        CHECK_NEAR(softness, 1, 0);
        c.method = k < 2 ? "backward-euler" : "implicit-midpoint";
        c.solver = "local-global";
        double off = fabs(tipOf(&c, 60, 0.5, 0, NULL) / want - 1);
        assert_true(softness > (k % 2 ? 2 : 1.1));
        assert_true(off > (k % 2 ? 0.2 : 0.05));
        c.modes = true;
        tipOf(&c, 1, 0.5, 0, NULL);
        CHECK_NEAR(softness, 1, 0);
    }
}

// the same on attachments, softer and stiffer than the body
static void testAttachedBeams(void **state)
{
    (void)state;
    for (int k = 0; k < 6; ++k)
    {
        Case c = { .method = "backward-euler", .solver = "newton", .poisson = 0.45, .step = STEP, .drag = 8 };
        c.hold = k % 3 == 0 ? 1e3 : k % 3 == 1 ? 1e5 : 1e7;
        double want = tipOf(&c, 180, 0.5, 0, NULL);
        c.method = k < 3 ? "backward-euler" : "stabilized";
        c.solver = "local-global";
        c.modes = true;
        CHECK_CLOSE(tipOf(&c, 180, 0.5, 0, NULL), want, 0.03);
    }
}

// J: what a slab stores that bends under its weight between two boxes
static double slabOf(const char *solver, bool modes)
{
    Case c = { .method = "backward-euler", .solver = solver, .modes = modes };
    vvWorldId world = worldOf(&c);
    CHECK_OK(vvWorld_SetGravity(world, (vvVec3){ 0, -9.81, 0 }));
    vvShapeDef box = vvDefaultShapeDef();
    box.kind = VV_SHAPE_BOX;
    box.size = (vvVec3){ 0.3, 0.2, 1 };
    vvColliderDef def = vvDefaultColliderDef();
    vvResult result;
    def.shape = vvCreateShape(&box, &result);
    CHECK_OK(result);
    for (int side = -1; side < 2; side += 2)
    {
        def.position = (vvVec3){ 0.45 * side, -0.1, 0 };
        vvCreateCollider(world, &def, &result);
        CHECK_OK(result);
    }
    vvDestroyShape(def.shape);
    vvSoftBodyDef slab = elasticDef(1000, 2e5, 0.45);
    slab.position = (vvVec3){ 0, 0.06, 0 };
    slab.damping.mass = 4;
    makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 0.1, 0.2 }, 12, 2, 2), slab);
    for (int n = 0; n < 200; ++n)
        CHECK_OK(vvWorld_Step(world, STEP));
    double stored = vvWorld_GetLedger(world).elastic;
    vvDestroyWorld(world);
    return stored;
}

static void testTouchingSlab(void **state)
{
    (void)state;
    double want = slabOf("newton", false);
    CHECK_CLOSE(slabOf("local-global", true), want, 0.01);
    assert_true(fabs(slabOf("local-global", false) / want - 1) > 0.02);
}

// half a period of the first bending mode
static void testFrequency(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k)
    {
        double want, got, poisson = k == 0 ? 0.3 : k == 1 ? 0.45 : 0.49;
        Case c = { .method = "stabilized", .solver = "newton", .poisson = poisson, .step = STEP };
        tipOf(&c, 180, 0, 0.05, &want);
        c.solver = "local-global";
        c.modes = true;
        tipOf(&c, 180, 0, 0.05, &got);
        assert_true(want > 0);
        CHECK_CLOSE(got, want, 0.01);
    }
}

// angular momentum of a plate that spins about its middle axis, |L - L0| / |L0|
static double drift(const Case *c, int steps)
{
    vvWorldId world = worldOf(c);
    vvSoftBodyDef def = elasticDef(1000, 1e6, 0.3);
    def.spin = (vvVec3){ 0.02, 6, 0.03 };
    makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 0.5, 0.2 }, 6, 3, 2), def);
    vvLedger first = vvWorld_GetLedger(world), last = first;
    for (int n = 0; n < steps; ++n)
        CHECK_OK(vvWorld_Step(world, STEP));
    last = vvWorld_GetLedger(world);
    vvDestroyWorld(world);
    vvVec3 a = first.angularMomentum, b = last.angularMomentum;
    double off = sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) + (b.z - a.z) * (b.z - a.z));
    return off / sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

// whatever ten iterations leave undone: the plain ones lose some percent in this time
static void testMomentum(void **state)
{
    (void)state;
    Case c = { .method = "implicit-midpoint", .solver = "local-global", .step = STEP, .modes = true };
    CHECK_BELOW(drift(&c, 300), 1e-5);
    c.modes = false;
    assert_true(drift(&c, 300) > 1e-3);
}

// Steps of 10 s start far beyond any strain that a constant majorizer bounds; those that end above their start begin
// there.
static void testLongSteps(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k)
    {
        Case c = { .method = "backward-euler", .solver = "newton", .poisson = k % 2 ? 0.45 : 0.3, .step = STEP };
        c.model = "stable-neo-hookean";
        c.drag = 8;
        double want = tipOf(&c, 180, 0.5, 0, NULL);
        c.solver = "local-global";
        c.step = 10;
        c.modes = true;
        c.accelerate = k > 1;
        CHECK_CLOSE(tipOf(&c, 30, 0.5, 0, NULL), want, 0.05);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testLoadedBeams),  cmocka_unit_test(testSoftnessIsTold), cmocka_unit_test(testAttachedBeams),
        cmocka_unit_test(testTouchingSlab), cmocka_unit_test(testFrequency),      cmocka_unit_test(testMomentum),
        cmocka_unit_test(testLongSteps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
