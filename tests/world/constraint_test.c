// Constraints of bodies: local/global and Newton agree, materials do not depend on the mesh, limits hold.
#include "check.h"
#include "objective.h"
#include "undamped.h"

#include <stdlib.h>
#include <verve/verve.h>

static vvWorldId makeWorld(const char *method, const char *solver, int iterations)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.solver = solver;
    def.iterations = iterations;
    def.tolerance = 1e-13;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    if (result.code != VV_OK)
        fail_msg("%s", result.message);
    return world;
}

static vvSoftBodyId makeBody(vvWorldId world, const vvSoftBodyDef *def)
{
    vvResult result;
    vvSoftBodyId body = vvCreateSoftBody(world, def, &result);
    if (result.code != VV_OK)
        fail_msg("%s; %s", result.message, result.remedy);
    return body;
}

static void takeStep(vvWorldId world, double dt)
{
    vvResult result = vvWorld_Step(world, dt);
    if (result.code != VV_OK)
        fail_msg("%s; %s", result.message, result.remedy);
}

// a copy of a sheet with its inner vertices shifted by a share of a cell, in a pattern of its own
static vvMesh *shiftedSheet(int cells, double shift, uint64_t seed)
{
    vvMesh *plain = vvCreateSheetMesh(1, 1, cells, cells);
    int count = vvMesh_GetVertexCount(plain);
    double *points = malloc((size_t)count * 3 * sizeof(double));
    TestRandom numbers = { seed };
    memcpy(points, vvMesh_GetPoints(plain), (size_t)count * 3 * sizeof(double));
    for (int i = 0; i < 3 * count; ++i)
    {
        bool inner = fabs(points[i / 3 * 3]) < 0.499 && fabs(points[i / 3 * 3 + 2]) < 0.499;
        double move = randomBetween(&numbers, -shift, shift) / cells;
        points[i] += inner && i % 3 != 1 ? move : 0;
    }
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = count;
    def.triangles = vvMesh_GetSurface(plain);
    def.triangleCount = vvMesh_GetSurfaceCount(plain);
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    free(points);
    vvDestroyMesh(plain);
    assert_non_null(mesh);
    return mesh;
}

static int pinBox(vvSoftBodyId body, vvBox box)
{
    int vertices[4000], count = vvSoftBody_FindVertices(body, box, vertices, 4000);
    assert_int_equal(vvSoftBody_Pin(body, vertices, count).code, VV_OK);
    return count;
}

// ---- converged local/global is converged Newton ---------------------------------------------------------------------

typedef struct Case
{
    const char *name;
    vvMesh *(*mesh)(void);
    void (*define)(vvSoftBodyDef *def);
} Case;

static vvMesh *sheetMesh(void)
{
    return shiftedSheet(6, 0.2, 3);
}

static void defineTriangle(vvSoftBodyDef *def)
{
    def->model = "triangle";
    def->material = (vvMaterial){ .density = 400, .young = 1e5, .poisson = 0, .thickness = 0.002 };
}

static void defineSteep(vvSoftBodyDef *def)
{
    def->model = "triangle";
    def->material = (vvMaterial){ .density = 400, .young = 1e5, .poisson = 0.4, .thickness = 0.004 };
    def->bending = 10;
}

static void defineBentSprings(vvSoftBodyDef *def)
{
    def->material = (vvMaterial){ .density = 400, .young = 1e5, .poisson = 0.3, .thickness = 0.004 };
    def->bending = 3;
}

static vvMesh *boxMesh(void)
{
    return vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 3, 3, 3);
}

static vvMesh *ropeMesh(void)
{
    return vvCreateRopeMesh(1, 10);
}

static void defineSheetLimit(vvSoftBodyDef *def)
{
    defineTriangle(def);
    def->strainLimit = (vvStrainLimit){ .min = 0.99, .max = 1.01, .stiffness = 1e6 };
}

static void defineWeave(vvSoftBodyDef *def)
{
    defineTriangle(def);
    def->strainLimit = (vvStrainLimit){ 0.99, 1.005, 1e6, { 1, 0, 1 }, 0.9, 1.02 };
}

static void defineArea(vvSoftBodyDef *def)
{
    defineTriangle(def);
    def->areaStiffness = 1e6;
}

static void defineVolume(vvSoftBodyDef *def)
{
    def->material = (vvMaterial){ .density = 1000, .young = 1e4, .poisson = 0, .thickness = 1 };
    def->volumeStiffness = 1e5;
}

static void defineBoxLimit(vvSoftBodyDef *def)
{
    def->material = (vvMaterial){ .density = 1000, .young = 1e4, .poisson = 0, .thickness = 1 };
    def->strainLimit = (vvStrainLimit){ .min = 0.99, .max = 1.01, .stiffness = 1e5 };
}

static void defineBoxFibres(vvSoftBodyDef *def)
{
    def->material = (vvMaterial){ .density = 1000, .young = 1e4, .poisson = 0.3, .thickness = 1 };
    def->strainLimit = (vvStrainLimit){ 0.99, 1.005, 1e5, { 0, 1, 0.5 }, 0.9, 1.02 };
}

static void defineRopeLimit(vvSoftBodyDef *def)
{
    def->material = (vvMaterial){ .density = 1000, .young = 1e5, .poisson = 0, .thickness = 0.02 };
    def->strainLimit = (vvStrainLimit){ .min = 0.9, .max = 1.01, .stiffness = 1e6 };
}

static void defineDihedral(vvSoftBodyDef *def)
{
    defineTriangle(def);
    def->material.thickness = 0.01;
    def->bendingModel = "dihedral";
}

static void defineShape(vvSoftBodyDef *def)
{
    def->material = (vvMaterial){ .density = 1000, .young = 1e4, .poisson = 0, .thickness = 1 };
    def->shapeStiffness = 500;
}

// twice as long, and bent
static void defineExamples(vvSoftBodyDef *def)
{
    static double points[2][300];
    static const double *const examples[2] = { points[0], points[1] };
    int count = vvMesh_GetVertexCount(def->mesh);
    const double *rest = vvMesh_GetPoints(def->mesh);
    assert_true(count <= 100);
    for (int v = 0; v < count; ++v)
    {
        const double *p = rest + 3 * v;
        double a[3] = { 1.5 * p[0], p[1], p[2] }, b[3] = { p[0], p[1] + 0.4 * p[0] * p[0], p[2] };
        memcpy(points[0] + 3 * v, a, sizeof a);
        memcpy(points[1] + 3 * v, b, sizeof b);
    }
    def->material = (vvMaterial){ .density = 1000, .young = 1e3, .poisson = 0, .thickness = 1 };
    def->examples = examples;
    def->exampleCount = 2;
    def->exampleStiffness = 1e5;
}

static void defineClusters(vvSoftBodyDef *def)
{
    defineShape(def);
    def->shapeClusters = 5;
}

static void defineBlend(vvSoftBodyDef *def)
{
    defineExamples(def);
    def->exampleWeights = VV_EXAMPLE_WEIGHTS_GLOBAL;
}

// the surface of a box as a sheet
static vvMesh *balloonMesh(void)
{
    vvMesh *box = boxMesh();
    int count = vvMesh_GetVertexCount(box), used = 0, sides = 3 * vvMesh_GetSurfaceCount(box), place[100], corner[600];
    double points[300];
    assert_true(count <= 100 && sides <= 600);
    memset(place, -1, sizeof place);
    for (int k = 0; k < sides; ++k)
    {
        int v = vvMesh_GetSurface(box)[k];
        if (place[v] < 0)
        {
            memcpy(points + 3 * used, vvMesh_GetPoints(box) + 3 * v, 3 * sizeof(double));
            place[v] = used++;
        }
        corner[k] = place[v];
    }
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = used;
    def.triangles = corner;
    def.triangleCount = sides / 3;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    vvDestroyMesh(box);
    return mesh;
}

static void definePressure(vvSoftBodyDef *def)
{
    def->model = "triangle";
    def->material = (vvMaterial){ .density = 1000, .young = 1e6, .poisson = 0.3, .thickness = 0.005 };
    def->pressure = 500;
}

static const Case cases[] = {
    { "triangle", sheetMesh, defineTriangle },
    { "triangle with poisson", sheetMesh, defineSteep },
    { "springs that bend", sheetMesh, defineBentSprings },
    { "limit of triangles", sheetMesh, defineSheetLimit },
    { "limits by direction", sheetMesh, defineWeave },
    { "area", sheetMesh, defineArea },
    { "volume", boxMesh, defineVolume },
    { "limit of tets", boxMesh, defineBoxLimit },
    { "limits of tets by direction", boxMesh, defineBoxFibres },
    { "limit of a rope", ropeMesh, defineRopeLimit },
    { "dihedral", sheetMesh, defineDihedral },
    { "shape", boxMesh, defineShape },
    { "clusters", boxMesh, defineClusters },
    { "examples", boxMesh, defineExamples },
    { "examples, one blend", boxMesh, defineBlend },
    { "pressure", balloonMesh, definePressure },
};
#define CASES (sizeof cases / sizeof cases[0])

// steps from a rough start; positions afterwards
static void runCase(const Case *test, const char *method, const char *solver, int iterations, Objective *seen,
                    double *out)
{
    vvWorldId world = makeWorld(method, solver, iterations);
    vvSoftBodyDef def = undampedDef();
    def.mesh = test->mesh();
    test->define(&def);
    vvSoftBodyId body = makeBody(world, &def);
    int count = vvSoftBody_GetVertexCount(body);
    pinBox(body, (vvBox){ { -10, -10, -10 }, { -0.499, 10, 10 } });
    double *v = malloc((size_t)count * 3 * sizeof(double));
    TestRandom numbers = { 8 };
    for (int i = 0; i < 3 * count; ++i)
        v[i] = randomBetween(&numbers, -1, 1);
    assert_int_equal(vvSoftBody_SetVelocities(body, v).code, VV_OK);
    watchWorld(world, seen);
    for (int step = 0; step < 3; ++step)
        takeStep(world, 0.01);
    memcpy(out, vvSoftBody_GetPositions(body), (size_t)count * 3 * sizeof(double));
    free(v);
    vvDestroyMesh(def.mesh);
    vvDestroyWorld(world);
}

static void localGlobalConvergesToNewton(void **state)
{
    (void)state;
    for (size_t k = 0; k < CASES; ++k)
    {
        static double newton[6000], local[6000], rough[6000];
        vvMesh *mesh = cases[k].mesh();
        int n = 3 * vvMesh_GetVertexCount(mesh);
        vvDestroyMesh(mesh);
        assert_true(n <= 6000);
        Objective seen[4];
        runCase(&cases[k], "implicit-midpoint", "local-global", 20, &seen[3], rough);
        runCase(&cases[k], "backward-euler", "newton", 0, &seen[0], newton);
        runCase(&cases[k], "backward-euler", "local-global", 4000, &seen[1], local);
        runCase(&cases[k], "backward-euler", "local-global", 1, &seen[2], rough);
        double worst = 0, early = 0;
        for (int i = 0; i < n; ++i)
        {
            worst = fmax(worst, fabs(local[i] - newton[i]));
            early = fmax(early, fabs(rough[i] - newton[i]));
        }
        // residuals of 1e-13 m on both sides, magnified by the condition of the step's matrix (1e4) at most
        if (!(worst <= 1e-8))
            fail_msg("%s: %g m apart", cases[k].name, worst);
        assert_true(early > 1e-6); // one iteration is another place: there was something to converge
        for (int i = 0; i < 4; ++i)
        {
            if (!(seen[i].rise <= OBJECTIVE_ROUNDING) || !(seen[i].fall > 1e-9))
                fail_msg("%s, run %d: g rose by %g and fell by %g in %d iterations", cases[k].name, i, seen[i].rise,
                         seen[i].fall, seen[i].iterations);
        }
    }
}

// ---- the material is the same on every mesh (Bouaziz 2014, Fig 5) ---------------------------------------------------

// sag of the middle of a sheet held at two opposite edges, settled under gravity
static double settledSag(vvMesh *mesh, double young, double thickness)
{
    vvWorldId world = makeWorld("backward-euler", "newton", 0);
    vvSoftBodyDef def = undampedDef();
    def.mesh = mesh;
    def.model = "triangle";
    def.material = (vvMaterial){ .density = 1000, .young = young, .poisson = 0.3, .thickness = thickness };
    def.damping.mass = 1;
    vvSoftBodyId body = makeBody(world, &def);
    pinBox(body, (vvBox){ { -10, -10, -10 }, { -0.499, 10, 10 } });
    pinBox(body, (vvBox){ { 0.499, -10, -10 }, { 10, 10, 10 } });
    for (int step = 0; step < 24; ++step) // backward Euler with long steps runs into the equilibrium
        takeStep(world, step < 12 ? 0.05 : 1);
    int middle = vvSoftBody_FindNearestVertex(body, (vvVec3){ 0, -0.2, 0 });
    double sag = -vvSoftBody_GetPositions(body)[3 * middle + 1];
    vvDestroyMesh(mesh);
    vvDestroyWorld(world);
    return sag;
}

static void settledSagDoesNotDependOnTheMesh(void **state)
{
    (void)state;
    double sag[5] = {
        settledSag(vvCreateSheetMesh(1, 1, 6, 6), 1e5, 0.01),   settledSag(vvCreateSheetMesh(1, 1, 12, 12), 1e5, 0.01),
        settledSag(vvCreateSheetMesh(1, 1, 16, 16), 1e5, 0.01), settledSag(shiftedSheet(12, 0.3, 5), 1e5, 0.01),
        settledSag(shiftedSheet(12, 0.3, 77), 1e5, 0.01),
    };
    for (int k = 0; k < 5; ++k)
    {
        assert_true(sag[k] > 0.05);
        CHECK_CLOSE(sag[k], sag[2], 0.05); // the demand; measured below 2 %
    }
}

// ---- limits hold ----------------------------------------------------------------------------------------------------

// singular values of the deformation gradients of all triangles: how many lie beyond [low, high]
static int countBeyond(vvSoftBodyId body, double low, double high, double *longest)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(body);
    const double *rest = vvMesh_GetPoints(mesh), *x = vvSoftBody_GetPositions(body);
    const int *triangles = vvMesh_GetSurface(mesh);
    int beyond = 0;
    for (int t = 0; t < vvMesh_GetSurfaceCount(mesh); ++t)
    {
        double g[2][3] = { { 0 } };
        for (int k = 0; k < 2; ++k)
        {
            const double *at = k ? x : rest;
            const int *v = triangles + 3 * t;
            for (int a = 0; a < 3; ++a)
            {
                double e = at[3 * v[1] + a] - at[3 * v[0] + a], f = at[3 * v[2] + a] - at[3 * v[0] + a];
                g[k][0] += e * e;
                g[k][1] += e * f;
                g[k][2] += f * f;
            }
        }
        double det = g[0][0] * g[0][2] - g[0][1] * g[0][1], now = g[1][0] * g[1][2] - g[1][1] * g[1][1];
        double mean = (g[1][0] * g[0][2] - 2 * g[1][1] * g[0][1] + g[1][2] * g[0][0]) / det / 2;
        double root = sqrt(fmax(0, mean * mean - now / det)), large = sqrt(mean + root), small = sqrt(mean - root);
        beyond += (large > high) + (small < low);
        *longest = fmax(*longest, large);
    }
    return beyond;
}

// a soft cloth held at one edge falls and swings, 20 iterations of local/global in each step
static double fallingCloth(bool limited, double *longest)
{
    vvWorldId world = makeWorld("backward-euler", "local-global", 20);
    vvSoftBodyDef def = undampedDef();
    def.mesh = vvCreateSheetMesh(1, 1, 16, 16);
    def.model = "triangle";
    def.material = (vvMaterial){ .density = 400, .young = 1e4, .poisson = 0, .thickness = 0.001 };
    if (limited)
        def.strainLimit = (vvStrainLimit){ .min = 0.9, .max = 1.1 };
    vvSoftBodyId body = makeBody(world, &def);
    pinBox(body, (vvBox){ { -10, -10, -10 }, { -0.499, 10, 10 } });
    int beyond = 0, total = 0;
    for (int step = 0; step < 90; ++step)
    {
        takeStep(world, 1.0 / 60);
        beyond += countBeyond(body, 0.9 - 0.01, 1.1 + 0.01, longest);
        total += 2 * vvMesh_GetSurfaceCount(def.mesh);
    }
    vvDestroyMesh(def.mesh);
    vvDestroyWorld(world);
    return (double)beyond / total;
}

static void strainLimitsHold(void **state)
{
    (void)state;
    double longest = 0, freely = 0;
    double share = fallingCloth(true, &longest);
    assert_true(fallingCloth(false, &freely) > 0.1); // without limits a tenth and more lies beyond
    assert_true(freely > 1.3);
    CHECK_BELOW(share, 0.001); // 99.9 % within 1 % of the limits
    CHECK_BELOW(longest, 1.15);
}

// ---- volume ---------------------------------------------------------------------------------------------------------

static double volumeOf(vvSoftBodyId body)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(body);
    const double *x = vvSoftBody_GetPositions(body);
    const int *v = vvMesh_GetSurface(mesh);
    double volume = 0;
    for (int t = 0; t < vvMesh_GetSurfaceCount(mesh); ++t, v += 3)
    {
        const double *a = x + 3 * v[0], *b = x + 3 * v[1], *c = x + 3 * v[2];
        volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0])) /
                  6;
    }
    return volume;
}

// a bar whose far end is turned by half a turn and pulled by a quarter of its length; the share of volume it lost
static double twistedBar(double volumeStiffness)
{
    vvWorldId world = makeWorld("backward-euler", "local-global", 40);
    vvSoftBodyDef def = undampedDef();
    def.mesh = vvCreateBarMesh(1, 0.25, 8, 2);
    def.material = (vvMaterial){ .density = 1000, .young = 1e5, .poisson = 0, .thickness = 1 };
    def.damping.mass = 2;
    def.volumeStiffness = volumeStiffness;
    vvSoftBodyId body = makeBody(world, &def);
    pinBox(body, (vvBox){ { -10, -10, -10 }, { -0.499, 10, 10 } });
    vvBox far = { { 0.499, -10, -10 }, { 10, 10, 10 } };
    int vertices[100], count = vvSoftBody_FindVertices(body, far, vertices, 100);
    pinBox(body, far);
    const double *rest = vvMesh_GetPoints(def.mesh);
    for (int step = 1; step <= 60; ++step)
    {
        double part = step < 40 ? step / 40.0 : 1, angle = 3.14159265358979 * part;
        for (int k = 0; k < count; ++k)
        {
            const double *p = rest + 3 * vertices[k];
            vvVec3 target = { p[0] + 0.25 * part, cos(angle) * p[1] - sin(angle) * p[2],
                              sin(angle) * p[1] + cos(angle) * p[2] };
            vvSoftBody_MovePin(body, vertices[k], target);
        }
        takeStep(world, 1.0 / 60);
    }
    double volume = volumeOf(body), before = vvMesh_GetVolume(def.mesh);
    vvDestroyMesh(def.mesh);
    vvDestroyWorld(world);
    return volume / before - 1;
}

static void twistedBarKeepsItsVolume(void **state)
{
    (void)state;
    assert_true(fabs(twistedBar(0)) > 0.05); // without, the pull alone changes it
    CHECK_BELOW(fabs(twistedBar(1e7)), 0.01);
}

// ---- squashed and released ------------------------------------------------------------------------------------------

static double worstEdge(vvSoftBodyId body)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(body);
    const double *rest = vvMesh_GetPoints(mesh), *x = vvSoftBody_GetPositions(body);
    const int *edge = vvMesh_GetEdges(mesh);
    double worst = 0;
    for (int e = 0; e < vvMesh_GetEdgeCount(mesh); ++e)
    {
        double now = 0, before = 0;
        for (int a = 0; a < 3; ++a)
        {
            double d = x[3 * edge[2 * e] + a] - x[3 * edge[2 * e + 1] + a];
            double r = rest[3 * edge[2 * e] + a] - rest[3 * edge[2 * e + 1] + a];
            now += d * d;
            before += r * r;
        }
        worst = fmax(worst, fabs(sqrt(now / before) - 1));
        assert_true(isfinite(now));
    }
    return worst;
}

// two planes come together until the body has a twentieth of its height, and go again
static void squash(vvMesh *mesh, vvSoftBodyDef def)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = "backward-euler";
    worldDef.solver = "local-global";
    worldDef.iterations = 20;
    worldDef.gravity = (vvVec3){ 0, 0, 0 };
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    def.mesh = mesh;
    def.damping.mass = 2;
    vvSoftBodyId body = makeBody(world, &def);
    const double *rest = vvMesh_GetPoints(mesh);
    int vertices[2][400], counts[2];
    for (int side = 0; side < 2; ++side)
    {
        vvBox box = { { -10, side ? 0.499 : -10, -10 }, { 10, side ? 10 : -0.499, 10 } };
        counts[side] = vvSoftBody_FindVertices(body, box, vertices[side], 400);
        assert_int_equal(vvSoftBody_Pin(body, vertices[side], counts[side]).code, VV_OK);
    }
    for (int step = 1; step <= 40; ++step)
    {
        double height = step <= 20 ? 1 - 0.95 * step / 20 : 0.05 + 0.95 * (step - 20) / 20;
        for (int side = 0; side < 2; ++side)
        {
            for (int k = 0; k < counts[side]; ++k)
            {
                const double *p = rest + 3 * vertices[side][k];
                vvSoftBody_MovePin(body, vertices[side][k], (vvVec3){ p[0], height * p[1], p[2] });
            }
        }
        takeStep(world, 1.0 / 60);
        if (step == 20)
            assert_true(worstEdge(body) > 0.5); // squashed indeed; some edges lie down instead
    }
    for (int side = 0; side < 2; ++side)
        vvSoftBody_Unpin(body, vertices[side], counts[side]);
    for (int step = 0; step < 100; ++step)
        takeStep(world, 1.0 / 60);
    CHECK_BELOW(worstEdge(body), 0.01); // at rest again but for what still trembles
    vvDestroyMesh(mesh);
    vvDestroyWorld(world);
}

static void squashedBodiesRecover(void **state)
{
    (void)state;
    vvSoftBodyDef def = undampedDef();
    def.material = (vvMaterial){ .density = 1000, .young = 1e5, .poisson = 0, .thickness = 1 };
    squash(boxMesh(), def);
    def.volumeStiffness = 1e6;
    squash(boxMesh(), def);
    def.strainLimit = (vvStrainLimit){ .min = 0.8, .max = 1.2, .stiffness = 1e6 };
    squash(boxMesh(), def);
}

// ---- pressure, shapes, examples -------------------------------------------------------------------------------------

static vvSoftBodyId makeFloating(vvWorldId *world, const char *method, vvSoftBodyDef *def)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = method;
    worldDef.solver = "local-global";
    worldDef.iterations = 30;
    worldDef.gravity = (vvVec3){ 0, 0, 0 };
    *world = vvCreateWorld(&worldDef, NULL);
    return makeBody(*world, def);
}

static void placeBody(vvSoftBodyId body, double sx, double sy, double sz, const double *shape)
{
    int count = vvSoftBody_GetVertexCount(body);
    double *x = malloc((size_t)count * 3 * sizeof(double));
    const double s[3] = { sx, sy, sz };
    for (int i = 0; i < 3 * count; ++i)
        x[i] = s[i % 3] * shape[i];
    assert_int_equal(vvSoftBody_SetPositions(body, x).code, VV_OK);
    free(x);
}

static void pressureDoesTheWorkOfVolume(void **state)
{
    (void)state;
    vvWorldId world;
    vvSoftBodyDef def = undampedDef();
    def.mesh = balloonMesh();
    definePressure(&def);
    def.material.young = 1e-3; // next to nothing
    vvSoftBodyId body = makeFloating(&world, "implicit-midpoint", &def);
    CHECK_NEAR(vvWorld_GetLedger(world).elastic, 0, 1e-9);
    placeBody(body, 1.2, 0.9, 1.1, vvMesh_GetPoints(def.mesh));
    CHECK_CLOSE(vvWorld_GetLedger(world).elastic, -500 * (1.2 * 0.9 * 1.1 - 1), 1e-6);
    for (int step = 0; step < 20; ++step)
        takeStep(world, 0.005);
    vvLedger end = vvWorld_GetLedger(world);
    assert_true(end.kinetic > 0.1); // it grows, and does not drift or turn
    CHECK_BELOW(fabs(end.momentum.x) + fabs(end.momentum.y) + fabs(end.momentum.z), 1e-8);
    CHECK_BELOW(fabs(end.angularMomentum.x) + fabs(end.angularMomentum.y) + fabs(end.angularMomentum.z), 1e-6);
    CHECK_BELOW(fabs(end.numerical), 0.02 * end.kinetic);
    vvDestroyWorld(world);
    vvDestroyMesh(def.mesh);
}

static void shapesComeBack(void **state)
{
    (void)state;
    vvWorldId world;
    vvSoftBodyDef def = undampedDef();
    def.mesh = boxMesh();
    def.material = (vvMaterial){ .density = 1000, .young = 1, .poisson = 0, .thickness = 1 };
    def.shapeStiffness = 400;
    vvSoftBodyId body = makeFloating(&world, "implicit-midpoint", &def);
    placeBody(body, 1.2, 1, 1, vvMesh_GetPoints(def.mesh));
    double mass[200], sum = 0;
    memcpy(mass, vvSoftBody_GetMasses(body), (size_t)vvSoftBody_GetVertexCount(body) * sizeof(double));
    for (int v = 0; v < vvSoftBody_GetVertexCount(body); ++v)
    {
        double away = 0.2 * vvMesh_GetPoints(def.mesh)[3 * v];
        sum += 0.5 * 400 * mass[v] * away * away;
    }
    CHECK_CLOSE(vvWorld_GetLedger(world).elastic, sum, 0.01); // the rest is young's
    // a quarter of the period of sqrt(400)/s: the stretch is gone
    for (int step = 0; step < 50; ++step)
        takeStep(world, 3.14159265 / 2 / 20 / 50);
    double widest = 0;
    for (int v = 0; v < vvSoftBody_GetVertexCount(body); ++v)
        widest = fmax(widest, vvSoftBody_GetPositions(body)[3 * v]);
    CHECK_NEAR(widest, 0.5, 0.002);
    vvLedger end = vvWorld_GetLedger(world);
    CHECK_CLOSE(end.kinetic, sum, 0.02);
    CHECK_BELOW(fabs(end.momentum.x) + fabs(end.momentum.y) + fabs(end.momentum.z), 1e-7);
    vvDestroyWorld(world);
    vvDestroyMesh(def.mesh);
}

// released near an example, a body settles among the blends of its examples and not in its rest shape
static void bodiesReturnToTheirExamples(void **state)
{
    (void)state;
    vvWorldId world;
    vvSoftBodyDef def = undampedDef();
    def.mesh = boxMesh();
    defineExamples(&def);
    def.material.young = 100;
    def.damping.mass = 4;
    vvSoftBodyId body = makeFloating(&world, "backward-euler", &def);
    placeBody(body, 1.0, 1.15, 0.9, def.examples[0]);
    double before = vvWorld_GetLedger(world).elastic;
    placeBody(body, 1, 1, 1, def.examples[0]);
    CHECK_BELOW(vvWorld_GetLedger(world).elastic, 0.02 * before);
    placeBody(body, 1.0, 1.15, 0.9, def.examples[0]);
    for (int step = 0; step < 60; ++step)
        takeStep(world, 1.0 / 60);
    double size[3] = { 0, 0, 0 };
    for (int i = 0; i < 3 * vvSoftBody_GetVertexCount(body); ++i)
        size[i % 3] = fmax(size[i % 3], 2 * fabs(vvSoftBody_GetPositions(body)[i]));
    assert_true(size[0] > 1.25); // all blends cost next to nothing: the model's 100 Pa pull it along them slowly
    CHECK_NEAR(size[1], 1, 0.03);
    CHECK_NEAR(size[2], 1, 0.03);
    vvDestroyWorld(world);
    vvDestroyMesh(def.mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(localGlobalConvergesToNewton),
        cmocka_unit_test(settledSagDoesNotDependOnTheMesh),
        cmocka_unit_test(strainLimitsHold),
        cmocka_unit_test(twistedBarKeepsItsVolume),
        cmocka_unit_test(squashedBodiesRecover),
        cmocka_unit_test(pressureDoesTheWorkOfVolume),
        cmocka_unit_test(shapesComeBack),
        cmocka_unit_test(bodiesReturnToTheirExamples),
    };
    return cmocka_run_group_tests_name("constraint", tests, NULL, NULL);
}
