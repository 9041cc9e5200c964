// Young's modulus means Young's modulus: statics and the period of a bar, at several resolutions and steps.
#include "world/scenes.h"

#include "world/world.h"

#define LENGTH 1.0
#define WIDTH 0.1
#define YOUNG 1e5
#define DENSITY 1000.0

typedef struct Bar
{
    vvWorldId world;
    vvSoftBodyId body;
    int face[2][256]; // vertices of the end faces x = -L/2 and +L/2
    int faceCount;
} Bar;

static Bar makeBar(const char *method, int across, double poisson)
{
    Bar bar = { .world = makeWorld(method, (vvVec3){ 0, 0, 0 }) };
    bar.body =
        makeBody(bar.world, vvCreateBarMesh(LENGTH, WIDTH, 10 * across, across), elasticDef(DENSITY, YOUNG, poisson));
    for (int end = 0; end < 2; ++end)
        bar.faceCount = vvSoftBody_FindVertices(bar.body, planeBox(0, (end - 0.5) * LENGTH, 1e-6), bar.face[end], 256);
    return bar;
}

// strain over the middle half: mean way of the planes a quarter of the length from the ends
static double middleStrain(const Bar *bar)
{
    int low[256], high[256];
    int count = vvSoftBody_FindVertices(bar->body, planeBox(0, -LENGTH / 4, 0.0501 * LENGTH), low, 256);
    int same = vvSoftBody_FindVertices(bar->body, planeBox(0, LENGTH / 4, 0.0501 * LENGTH), high, 256);
    assert_true(count > 0 && count == same);
    const double *rest = vvMesh_GetPoints(vvSoftBody_GetMesh(bar->body));
    double restLow = 0, restHigh = 0;
    for (int i = 0; i < count; ++i)
    {
        restLow += rest[3 * low[i]] / count;
        restHigh += rest[3 * high[i]] / count;
    }
    double stretched = meanCoordinate(bar->body, high, count, 0) - meanCoordinate(bar->body, low, count, 0);
    return stretched / (restHigh - restLow) - 1;
}

// backward Euler with long steps walks to the static solution
static void settleBar(const Bar *bar)
{
    for (int n = 0; n < 12; ++n)
        CHECK_OK(vvWorld_Step(bar->world, 10));
    CHECK_BELOW(vvWorld_GetLedger(bar->world).kinetic, 1e-12);
}

// clamped end faces pulled apart by 1 %: stress from the elastic force on one face
static double clampedModulus(int across, double poisson)
{
    Bar bar = makeBar("backward-euler", across, poisson);
    for (int end = 0; end < 2; ++end)
    {
        CHECK_OK(vvSoftBody_Pin(bar.body, bar.face[end], bar.faceCount));
        for (int i = 0; i < bar.faceCount; ++i)
        {
            vvVec3 x = vertexPosition(bar.body, bar.face[end][i]);
            x.x += (end - 0.5) * 0.01 * LENGTH;
            CHECK_OK(vvSoftBody_MovePin(bar.body, bar.face[end][i], x));
        }
    }
    settleBar(&bar);
    Body *body = bodyFind(bar.body);
    double *gradient = test_calloc((size_t)body->count * 3, sizeof(double));
    energyAddGradient(body->elastic, body->world->state.start, gradient);
    double force = 0;
    for (int i = 0; i < bar.faceCount; ++i)
        force += gradient[3 * body->mesh->vertexFromCaller[bar.face[1][i]]];
    test_free(gradient);
    double modulus = force / (WIDTH * WIDTH) / middleStrain(&bar);
    vvDestroyWorld(bar.world);
    return modulus;
}

// free bar under uniform traction: linear tets hold a uniform strain exactly, whatever the mesh
static double tractionModulus(int across, double poisson)
{
    Bar bar = makeBar("backward-euler", across, poisson);
    const vvMesh *mesh = vvSoftBody_GetMesh(bar.body);
    const double *x = vvMesh_GetPoints(mesh);
    double *share = test_calloc((size_t)vvMesh_GetVertexCount(mesh), sizeof(double));
    for (int t = 0; t < vvMesh_GetSurfaceCount(mesh); ++t)
    {
        const int *c = vvMesh_GetSurface(mesh) + 3 * t;
        double side = x[3 * c[0]];
        if (fabs(fabs(side) - LENGTH / 2) > 1e-9 || x[3 * c[1]] != side || x[3 * c[2]] != side)
            continue;
        double ay = x[3 * c[1] + 1] - x[3 * c[0] + 1], az = x[3 * c[1] + 2] - x[3 * c[0] + 2];
        double by = x[3 * c[2] + 1] - x[3 * c[0] + 1], bz = x[3 * c[2] + 2] - x[3 * c[0] + 2];
        for (int k = 0; k < 3; ++k)
            share[c[k]] += copysign(fabs(ay * bz - az * by) / 6, side);
    }
    for (int v = 0; v < vvMesh_GetVertexCount(mesh); ++v)
        CHECK_OK(vvSoftBody_SetForce(bar.body, v, (vvVec3){ 0.01 * YOUNG * share[v], 0, 0 }));
    test_free(share);
    settleBar(&bar);
    double modulus = 0.01 * YOUNG / middleStrain(&bar);
    vvDestroyWorld(bar.world);
    return modulus;
}

static void staticsGiveYoungsModulus(void **unused)
{
    (void)unused;
    for (int across = 1; across <= 4; across *= 2)
    {
        for (int k = 0; k < 2; ++k)
        {
            double poisson = k * 0.3, clamped = clampedModulus(across, poisson);
            print_message("%d cells across, poisson %.1f: clamped E %.6f\n", across, poisson, clamped / YOUNG);
            if (poisson == 0)
                CHECK_CLOSE(clamped, YOUNG, 0.01);
            if (poisson > 0 && across == 4)
                CHECK_CLOSE(clamped, YOUNG, 0.03);
            CHECK_CLOSE(tractionModulus(across, poisson), YOUNG, 1e-6); // the patch test, to the solver's tolerance
        }
    }
}

// ---- the first longitudinal mode ------------------------------------------------------------------------------------

static const double exactPeriod = 4 * LENGTH / 10; // 4 L sqrt(rho / E), with the wave speed sqrt(E / rho) = 10 m/s

// released from the shape of the mode, clamped at x = -L/2: mean of `crossings` half periods by zero crossings of the
// end
static double measuredPeriod(int along, int across, double h, int crossings)
{
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
    vvSoftBodyId body = makeBody(world, vvCreateBarMesh(LENGTH, WIDTH, along, across), elasticDef(DENSITY, YOUNG, 0));
    int clamp[256], end[256];
    int count = vvSoftBody_FindVertices(body, planeBox(0, -LENGTH / 2, 1e-6), clamp, 256);
    vvSoftBody_FindVertices(body, planeBox(0, LENGTH / 2, 1e-6), end, 256);
    CHECK_OK(vvSoftBody_Pin(body, clamp, count));
    int vertices = vvSoftBody_GetVertexCount(body);
    double *x = test_malloc((size_t)vertices * 3 * sizeof(double));
    memcpy(x, vvSoftBody_GetPositions(body), (size_t)vertices * 3 * sizeof(double));
    for (int v = 0; v < vertices; ++v)
        x[3 * v] += 1e-4 * sin(PI / 2 * (x[3 * v] / LENGTH + 0.5));
    CHECK_OK(vvSoftBody_SetPositions(body, x));
    test_free(x);
    double last = 1e-4, first = 0, time = 0;
    for (int found = 0; found <= crossings;)
    {
        CHECK_OK(vvWorld_Step(world, h));
        double now = meanCoordinate(body, end, count, 0) - LENGTH / 2;
        time += h;
        if ((now < 0) != (last < 0))
        {
            double crossing = time - h * now / (now - last);
            if (found == 0)
                first = crossing;
            if (found == crossings)
                first = 2 * (crossing - first) / crossings;
            found += 1;
        }
        last = now;
    }
    vvDestroyWorld(world);
    return first;
}

static void periodConvergesWithTheMesh(void **unused)
{
    (void)unused;
    // small enough a step that its own error, (omega h)^2 / 12, is a tenth of the finest mesh's
    double h = exactPeriod / 800;
    double error[3];
    for (int k = 0; k < 3; ++k)
    {
        error[k] = measuredPeriod(5 << k, 1, h, 4) / exactPeriod - 1;
        print_message("%d cells along: period off by %.3e\n", 5 << k, error[k]);
    }
    CHECK_BELOW(fabs(error[2]), 2e-3);
    CHECK_NEAR(log2(fabs(error[0] / error[1])), 2, 0.4);
    CHECK_NEAR(log2(fabs(error[1] / error[2])), 2, 0.4);
}

static void periodConvergesWithTheStep(void **unused)
{
    (void)unused;
    double limit = measuredPeriod(10, 1, exactPeriod / 1600, 8);
    double error[3];
    for (int k = 0; k < 3; ++k)
    {
        double h = exactPeriod / (20 << k), omega = 2 * PI / limit;
        error[k] = measuredPeriod(10, 1, h, 8) / limit - 1;
        // midpoint maps omega to 2/h atan(omega h/2): the period grows by (omega h)^2 / 12
        print_message("h = T/%d: period off by %.3e, theory %.3e\n", 20 << k, error[k], omega * omega * h * h / 12);
        CHECK_CLOSE(error[k], omega * omega * h * h / 12, 0.1);
    }
    CHECK_NEAR(log2(error[0] / error[1]), 2, 0.2);
    CHECK_NEAR(log2(error[1] / error[2]), 2, 0.2);
}

// ---- sheets and ropes get their springs from the same modulus -------------------------------------------------------

static void sheetsAndRopesHaveTheModulus(void **unused)
{
    (void)unused;
    static const double t = 0.01;
    // a rope under tension: strain = F / (E pi d^2 / 4), at any resolution
    for (int segments = 1; segments <= 16; segments *= 4)
    {
        vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
        vvSoftBodyDef def = elasticDef(DENSITY, YOUNG, 0);
        def.material.thickness = t;
        vvSoftBodyId rope = makeBody(world, vvCreateRopeMesh(1, segments), def);
        int pin = 0;
        CHECK_OK(vvSoftBody_Pin(rope, &pin, 1));
        CHECK_OK(vvSoftBody_SetForce(rope, segments, (vvVec3){ 0.01 * YOUNG * PI * t * t / 4, 0, 0 }));
        for (int n = 0; n < 12; ++n)
            CHECK_OK(vvWorld_Step(world, 10));
        CHECK_NEAR(vertexPosition(rope, segments).x - vertexPosition(rope, 0).x, 1.01, 1e-8);
        vvDestroyWorld(world);
    }
    // a sheet with both diagonals: an isotropic lattice with Poisson's ratio 1/3
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
    vvSoftBodyDef def = elasticDef(DENSITY, YOUNG, 0.3);
    def.material.thickness = t;
    vvSoftBodyId sheet = makeBody(world, vvCreateSheetMesh(2, 1, 16, 8), def);
    double force = 0.01 * YOUNG * t / 8; // per cell of the edge
    for (int end = 0; end < 2; ++end)
    {
        int edge[9];
        assert_int_equal(vvSoftBody_FindVertices(sheet, planeBox(0, end * 2.0 - 1, 1e-6), edge, 9), 9);
        for (int i = 0; i < 9; ++i)
            CHECK_OK(vvSoftBody_SetForce(sheet, edge[i], (vvVec3){ (2 * end - 1) * force * (i % 8 ? 1 : 0.5), 0, 0 }));
    }
    for (int n = 0; n < 12; ++n)
        CHECK_OK(vvWorld_Step(world, 10));
    int low[9], high[9], near[17], far[17];
    vvSoftBody_FindVertices(sheet, planeBox(0, -0.5, 1e-6), low, 9);
    vvSoftBody_FindVertices(sheet, planeBox(0, 0.5, 1e-6), high, 9);
    vvSoftBody_FindVertices(sheet, planeBox(2, -0.5, 1e-6), near, 17);
    vvSoftBody_FindVertices(sheet, planeBox(2, 0.5, 1e-6), far, 17);
    double strain = meanCoordinate(sheet, high, 9, 0) - meanCoordinate(sheet, low, 9, 0) - 1;
    double lateral = meanCoordinate(sheet, far, 17, 2) - meanCoordinate(sheet, near, 17, 2) - 1;
    CHECK_CLOSE(strain, 0.01, 0.02); // springs stiffen by about the strain
    CHECK_CLOSE(lateral, -strain / 3, 0.02);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(staticsGiveYoungsModulus),
        cmocka_unit_test(periodConvergesWithTheMesh),
        cmocka_unit_test(periodConvergesWithTheStep),
        cmocka_unit_test(sheetsAndRopesHaveTheModulus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
