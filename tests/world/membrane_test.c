// The membrane by finite differences against springs and closed forms, and what it needs of a mesh.
#include "world/scenes.h"

#define DENSITY 1000.0
#define THICKNESS 1e-3
#define YOUNG 1e7
#define GRAVITY 9.81

static vvMesh *gridMesh(double sizeX, double sizeZ, int nx, int nz, int diagonals)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_SHEET;
    def.size = (vvVec3){ sizeX, 1, sizeZ };
    def.cells[0] = nx;
    def.cells[2] = nz;
    def.diagonals = diagonals;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    return mesh;
}

static vvSoftBodyDef sheetDef(const char *model, double poisson)
{
    vvSoftBodyDef def = elasticDef(DENSITY, YOUNG, poisson);
    def.model = model;
    def.material.thickness = THICKNESS;
    return def;
}

// ---- a hanging sheet -----------------------------------------------------------------------------------------------------

#define LENGTH 1.0

// the first swing of a chain that hangs: J0(j sqrt(1 - s)) with s down from the top, omega = j/2 sqrt(g/L), j = 2.404826
#define ZERO 2.404825557695773

static double bessel0(double x)
{
    double term = 1, sum = 1;
    for (int k = 1; k < 30; ++k)
    {
        term *= -x * x / (4.0 * k * k);
        sum += term;
    }
    return sum;
}

typedef struct Hanging
{
    double sag;       // m, mean of the lower edge
    double frequency; // rad/s, of the first swing out of the plane
} Hanging;

// out of the plane by the shape of the first swing; the projection on it passes zero after a quarter of the period
static double swingFrequency(vvWorldId world, vvSoftBodyId body)
{
    int count = vvSoftBody_GetVertexCount(body);
    double x[3 * 400], shape[400], time = 0, before = 0, step = 0.005;
    assert_true(count <= 400);
    const double *mass = vvSoftBody_GetMasses(body);
    memcpy(x, vvSoftBody_GetPositions(body), (size_t)count * 3 * sizeof(double));
    for (int v = 0; v < count; ++v)
    {
        double down = (x[3 * v] + LENGTH / 2) / LENGTH;
        shape[v] = bessel0(ZERO * sqrt(fmax(1 - down, 0)));
        x[3 * v + 1] = 1e-4 * shape[v];
    }
    CHECK_OK(vvSoftBody_SetPositions(body, x));
    CHECK_OK(vvWorld_SetMethod(world, "implicit-midpoint"));
    for (int i = 0; i < 200; ++i)
    {
        CHECK_OK(vvWorld_Step(world, step));
        const double *now = vvSoftBody_GetPositions(body);
        double along = 0;
        for (int v = 0; v < count; ++v)
            along += mass[v] * shape[v] * now[3 * v + 1];
        if (i > 0 && along <= 0)
            return 0.5 * 3.14159265358979323846 / (time + step * before / (before - along));
        before = along;
        time += step;
    }
    fail_msg("no swing in %g s", time);
    return 0;
}

// a square of 1 m, held along its upper edge, settled: backward Euler in long steps is a search for rest
static Hanging hang(const char *model, int cells, double poisson)
{
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ GRAVITY, 0, 0 });
    vvSoftBodyId body = makeBody(world, gridMesh(LENGTH, 1, cells, cells, 2), sheetDef(model, poisson));
    int edge[64], count = vvSoftBody_FindVertices(body, planeBox(0, -LENGTH / 2, 1e-6), edge, 64);
    assert_int_equal(count, cells + 1);
    CHECK_OK(vvSoftBody_Pin(body, edge, count));
    for (int i = 0; i < 12; ++i)
        CHECK_OK(vvWorld_Step(world, 5));
    CHECK_BELOW(vvWorld_GetLedger(world).kinetic, 1e-12);
    vvSoftBody_FindVertices(body, planeBox(0, LENGTH / 2, 1e-6), edge, 64);
    Hanging hanging = { .sag = meanCoordinate(body, edge, count, 0) - LENGTH / 2 };
    hanging.frequency = swingFrequency(world, body);
    vvDestroyWorld(world);
    return hanging;
}

// Closed forms: a strip that does not narrow sags by rho g L^2 / 2E, but for a strain of 0.1 % at the top; the swing is
// that of a chain, whose length the sag changes by 0.05 %.
static void membranesHangAsTheirNumbersSay(void **state)
{
    (void)state;
    double sag = DENSITY * GRAVITY * LENGTH * LENGTH / (2 * YOUNG), swing = ZERO / 2 * sqrt(GRAVITY / LENGTH);
    double error[3];
    for (int k = 0; k < 3; ++k)
    {
        Hanging hanging = hang("membrane", 4 << k, 0);
        CHECK_CLOSE(hanging.sag, sag, 2e-3);
        error[k] = swing * (1 - 0.5 * 0.33e-3) - hanging.frequency;
    }
    // second order in the size of a cell; 0.1 is what the step and the change of length leave uncertain at 16 cells
    CHECK_NEAR(log2(error[0] / error[1]), 2, 0.15);
    CHECK_NEAR(log2(error[1] / error[2]), 2, 0.3);
    CHECK_BELOW(fabs(error[2]), 2e-3 * swing);
}

// the table of docs/materials.md: two discretisations of the same sheet
static void hangingSheetsAgree(void **state)
{
    (void)state;
    static const double tolerance[3] = { 5e-3, 3e-3, 2e-3 };
    print_message("cells  sag mm: membrane, springs    swing rad/s: membrane, springs\n");
    for (int k = 0; k < 3; ++k)
    {
        Hanging membrane = hang("membrane", 4 << k, 1.0 / 3), springs = hang("spring", 4 << k, 1.0 / 3);
        print_message("%5d  %.4f  %.4f    %.4f  %.4f\n", 4 << k, 1e3 * membrane.sag, 1e3 * springs.sag,
                      membrane.frequency, springs.frequency);
        // they differ by what each misses of the corners at the upper edge, where strain is singular
        CHECK_CLOSE(membrane.sag, springs.sag, tolerance[k]);
        CHECK_CLOSE(membrane.frequency, springs.frequency, 1e-3);
    }
}

// ---- the law ---------------------------------------------------------------------------------------------------------------

// a sheet stretched along x and narrowed by poisson: the pull at the end is E t width e, nothing acts elsewhere
static void uniformTensionIsThatOfTheMaterial(void **state)
{
    (void)state;
    static const double poissons[] = { 0, 0.3, 0.45, -0.3 };
    double e = 1e-5, width = 0.7;
    for (int k = 0; k < 4; ++k)
    {
        vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
        vvSoftBodyId body = makeBody(world, gridMesh(1.2, width, 5, 4, 2), sheetDef("membrane", poissons[k]));
        int count = vvSoftBody_GetVertexCount(body);
        double x[3 * 64], force[3 * 64], pull = 0;
        memcpy(x, vvSoftBody_GetPositions(body), (size_t)count * 3 * sizeof(double));
        for (int v = 0; v < count; ++v)
        {
            x[3 * v] *= 1 + e;
            x[3 * v + 2] *= 1 - poissons[k] * e;
        }
        CHECK_OK(vvSoftBody_SetPositions(body, x));
        CHECK_OK(vvSoftBody_CopyForces(body, force));
        double want = YOUNG * THICKNESS * width * e;
        for (int v = 0; v < count; ++v)
        {
            bool end = fabs(fabs(x[3 * v]) - 0.6) < 1e-3;
            pull -= x[3 * v] > 0.59 ? force[3 * v] : 0;
            // the metric is a square: strains differ by e^2/2
            CHECK_BELOW(end ? 0 : fabs(force[3 * v]), 1e-9 * want);
            CHECK_BELOW(fabs(force[3 * v + 2]), 2 * e * want);
        }
        CHECK_CLOSE(pull, want, 3 * e);
        vvDestroyWorld(world);
    }
}

// ---- meshes ------------------------------------------------------------------------------------------------------------------

static void onlyGridsAreMembranes(void **state)
{
    (void)state;
    vvMeshDef turned = vvDefaultMeshDef();
    turned.shape = VV_MESH_SHEET;
    turned.cells[0] = 2;
    turned.cells[2] = 5;
    turned.skip = true;
    turned.rotate = (vvVec3){ 30, 20, 10 };
    // a disc of triangles: its edges are those of no grid
    static const double points[] = { 0, 0, 0, 1, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, -1 };
    static const int triangles[] = { 0, 2, 1, 0, 3, 2, 0, 4, 3, 0, 1, 4 };
    vvMeshDef disc = vvDefaultMeshDef();
    disc.shape = VV_MESH_ARRAYS;
    disc.points = points;
    disc.pointCount = 5;
    disc.triangles = triangles;
    disc.triangleCount = 4;
    struct
    {
        vvMesh *mesh;
        bool fits;
    } row[] = { { gridMesh(1, 1, 1, 1, 2), true },  { gridMesh(1, 2, 1, 4, 2), true },
                { gridMesh(2, 1, 4, 1, 2), true },  { vvCreateMesh(&turned, NULL), true },
                { gridMesh(1, 1, 3, 3, 1), false }, { gridMesh(1, 1, 3, 3, 0), false },
                { vvCreateRopeMesh(1, 3), false },  { vvCreateMesh(&disc, NULL), false } };
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
    for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i)
    {
        assert_non_null(row[i].mesh);
        vvSoftBodyDef def = sheetDef("membrane", 0.3);
        def.mesh = row[i].mesh;
        vvResult result;
        vvSoftBodyId body = vvCreateSoftBody(world, &def, &result);
        assert_int_equal(result.code, row[i].fits ? VV_OK : VV_BAD_INPUT);
        vvExamination examination;
        if (row[i].fits)
        {
            // at rest, whatever the way it is turned; and it names an edge as its stiffest element
            CHECK_BELOW(vvWorld_GetLedger(world).elastic, 1e-20);
            CHECK_OK(vvSoftBody_Examine(body, &examination));
            assert_in_range(examination.stiffestElement, 0, vvMesh_GetEdgeCount(row[i].mesh) - 1);
            CHECK_NEAR(examination.worstStretch, 1, 1e-12);
            assert_true(examination.highestFrequency > examination.elementFrequency * 0.99);
        }
        else
            assert_non_null(strstr(result.message, "the mesh is none"));
        vvDestroyMesh(row[i].mesh);
    }
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(membranesHangAsTheirNumbersSay),
        cmocka_unit_test(hangingSheetsAgree),
        cmocka_unit_test(uniformTensionIsThatOfTheMaterial),
        cmocka_unit_test(onlyGridsAreMembranes),
    };
    return cmocka_run_group_tests_name("membrane", tests, NULL, NULL);
}
