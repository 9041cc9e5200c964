// Several tissues in one body: a factor of the stiffness for every element, a mass for every vertex.
#include "world/scenes.h"
#include "undamped.h"

#include <stdlib.h>

static const char *const tets[] = { "corotated", "stable-neo-hookean", "linear" };

typedef struct Case
{
    const char *model;
    vvMesh *(*mesh)(void);
} Case;

static vvMesh *box(void)
{
    return vvCreateBoxMesh((vvVec3){ 1, 0.5, 0.5 }, 3, 2, 2);
}

static vvMesh *sheet(void)
{
    return vvCreateSheetMesh(1, 1, 4, 4);
}

static vvMesh *rope(void)
{
    return vvCreateRopeMesh(1, 6);
}

static const Case cases[] = { { "corotated", box },
                              { "stable-neo-hookean", box },
                              { "linear", box },
                              { "stvk", box },
                              { "ogden", box },
                              { "spring", box },
                              { "squared-spring", box },
                              { "spring", sheet },
                              { "squared-spring", sheet },
                              { "triangle", sheet },
                              { "spring", rope } };
#define CASES ((int)(sizeof cases / sizeof cases[0]))

static int elementCount(const char *model, const vvMesh *mesh)
{
    if (strstr(model, "spring") != NULL)
        return vvMesh_GetEdgeCount(mesh);
    return strcmp(model, "triangle") == 0 ? vvMesh_GetSurfaceCount(mesh) : vvMesh_GetTetCount(mesh);
}

// ---- every model ----------------------------------------------------------------------------------------------------

static void forcesWith(const Case *c, const double *factor, double *forces)
{
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
    vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
    def.model = c->model;
    def.elementStiffness = factor;
    vvSoftBodyId body = makeBody(world, c->mesh(), def);
    int count = vvSoftBody_GetVertexCount(body);
    double *x = test_calloc((size_t)count * 3, sizeof(double));
    memcpy(x, vvSoftBody_GetPositions(body), (size_t)count * 3 * sizeof(double));
    TestRandom random = { 5 };
    for (int i = 0; i < 3 * count; ++i)
        x[i] += randomBetween(&random, -0.02, 0.02);
    CHECK_OK(vvSoftBody_SetPositions(body, x));
    CHECK_OK(vvSoftBody_CopyForces(body, forces));
    test_free(x);
    vvDestroyWorld(world);
}

// Forces are sums over elements and in proportion to their factors: those of two sets of factors add up to those of
// their sum; and an element with a factor of its own moves its own vertices only.
static void forcesAreInProportion(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; ++k)
    {
        vvMesh *mesh = cases[k].mesh();
        int elements = elementCount(cases[k].model, mesh), size = 3 * vvMesh_GetVertexCount(mesh);
        vvDestroyMesh(mesh);
        double *factor[3], *force[3], most = 0;
        TestRandom random = { 17 };
        for (int i = 0; i < 3; ++i)
        {
            factor[i] = test_calloc((size_t)elements, sizeof(double));
            force[i] = test_calloc((size_t)size, sizeof(double));
            for (int e = 0; e < elements; ++e)
                factor[i][e] = i < 2 ? pow(10, randomBetween(&random, -1, 2)) : factor[0][e] + factor[1][e];
            forcesWith(&cases[k], factor[i], force[i]);
        }
        for (int i = 0; i < size; ++i)
            most = fmax(most, fabs(force[2][i]));
        assert_true(most > 0);
        for (int i = 0; i < size; ++i)
            CHECK_NEAR(force[0][i] + force[1][i], force[2][i], 1e-10 * most);
        for (int i = 0; i < 3; ++i)
        {
            test_free(factor[i]);
            test_free(force[i]);
        }
    }
}

// the caller's number of an element names its vertices: one stiff element changes the forces on these alone
static void elementsAreTheCallers(void **state)
{
    (void)state;
    for (int k = 0; k < CASES; ++k)
    {
        if (strcmp(cases[k].model, "triangle") == 0)
            continue; // bending reaches farther
        vvMesh *mesh = cases[k].mesh();
        int elements = elementCount(cases[k].model, mesh), count = vvMesh_GetVertexCount(mesh), chosen = elements / 3;
        int corners = strstr(cases[k].model, "spring") ? 2 : 4;
        const int *corner = (corners == 2 ? vvMesh_GetEdges(mesh) : vvMesh_GetTets(mesh)) + corners * chosen;
        double *factor = test_calloc((size_t)elements, sizeof(double));
        double *even = test_calloc((size_t)count * 3, sizeof(double)),
               *odd = test_calloc((size_t)count * 3, sizeof(double));
        for (int e = 0; e < elements; ++e)
            factor[e] = e == chosen ? 50 : 1;
        forcesWith(&cases[k], NULL, even);
        forcesWith(&cases[k], factor, odd);
        for (int v = 0; v < count; ++v)
        {
            bool mine = false;
            for (int c = 0; c < corners; ++c)
                mine |= corner[c] == v;
            assert_int_equal(memcmp(even + 3 * v, odd + 3 * v, 3 * sizeof(double)) != 0, mine);
        }
        test_free(factor);
        test_free(even);
        test_free(odd);
        vvDestroyMesh(mesh);
    }
}

// ---- closed forms ---------------------------------------------------------------------------------------------------

#define YOUNG 1e5
#define STRESS 100.0 // Pa
#define RATIO 8.0    // of the two halves

// A bar of two halves in series under a uniform stress (poisson 0: the halves do not pull each other sideways): the
// extension is stress (L/2) (1/E1 + 1/E2), exactly, as linear tets hold piecewise uniform strain.
static void seriesHasTheClosedForm(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * 3; ++k)
    {
        vvWorldDef worldDef = vvDefaultWorldDef();
        worldDef.method = "backward-euler";
        worldDef.gravity = (vvVec3){ 0, 0, 0 };
        worldDef.solver = k % 2 ? "local-global" : "newton";
        worldDef.iterations = k % 2 ? 200 : 0;
        vvWorldId world = vvCreateWorld(&worldDef, NULL);
        vvMesh *mesh = vvCreateBarMesh(1, 0.25, 8, 2);
        const double *x = vvMesh_GetPoints(mesh);
        double *factor = test_calloc((size_t)vvMesh_GetTetCount(mesh), sizeof(double));
        for (int t = 0; t < vvMesh_GetTetCount(mesh); ++t)
        {
            const int *c = vvMesh_GetTets(mesh) + 4 * t;
            factor[t] = x[3 * c[0]] + x[3 * c[1]] + x[3 * c[2]] + x[3 * c[3]] > 0 ? RATIO : 1;
        }
        vvSoftBodyDef def = elasticDef(1000, YOUNG, 0);
        def.model = tets[k / 2];
        def.elementStiffness = factor;
        vvSoftBodyId body = makeBody(world, mesh, def);
        int face[2][16], count = 0;
        for (int end = 0; end < 2; ++end)
            count = vvSoftBody_FindVertices(body, planeBox(0, end - 0.5, 1e-6), face[end], 16);
        assert_int_equal(count, 9);
        CHECK_OK(vvSoftBody_Pin(body, face[0], count)); // nothing moves sideways
        // each corner of the free face has its share of the triangles around it: 2 x 2 cells, 2 triangles each
        double share[2048] = { 0 };
        for (int t = 0; t < vvMesh_GetSurfaceCount(vvSoftBody_GetMesh(body)); ++t)
        {
            const int *c = vvMesh_GetSurface(vvSoftBody_GetMesh(body)) + 3 * t;
            const double *rest = vvMesh_GetPoints(vvSoftBody_GetMesh(body));
            bool on = rest[3 * c[0]] > 0.499 && rest[3 * c[1]] > 0.499 && rest[3 * c[2]] > 0.499;
            for (int i = 0; i < 3 && on; ++i)
                share[c[i]] += 0.25 * 0.25 / 8 / 3;
        }
        for (int i = 0; i < count; ++i)
            CHECK_OK(vvSoftBody_SetForce(body, face[1][i], (vvVec3){ STRESS * share[face[1][i]], 0, 0 }));
        for (int n = 0; n < 12; ++n)
            CHECK_OK(vvWorld_Step(world, 10));
        double extension = meanCoordinate(body, face[1], count, 0) - meanCoordinate(body, face[0], count, 0) - 1;
        double want = STRESS / YOUNG * 0.5 * (1 + 1 / RATIO);
        // the neo-Hookean law is linear to first order of the strain, 1e-3
        CHECK_CLOSE(extension, want, strcmp(def.model, "stable-neo-hookean") == 0 ? 2e-3 : 1e-6);
        test_free(factor);
        vvDestroyWorld(world);
    }
}

// A rope of two kinds of segments that carries all its mass at the end: m g (n1/k1 + n2/k2), under methods of every
// kind.
static void ropeCarriesItsWeight(void **state)
{
    (void)state;
    static const char *const methods[] = { "small-midpoint", "small-steps", "backward-euler", "stabilized",
                                           "implicit-midpoint" };
    const double load = 0.5, spring = 200; // kg, N/m
    for (int k = 0; k < 5; ++k)
    {
        vvWorldId world = makeWorld(methods[k], (vvVec3){ 9.81, 0, 0 });
        double factor[6] = { 1, 1, 1, 5, 5, 5 }, mass[7] = { 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3, load };
        vvSoftBodyDef def = elasticDef(1000, 1e6, 0);
        def.springStiffness[VV_EDGE_STRUCTURAL] = spring;
        def.elementStiffness = factor;
        def.vertexMass = mass;
        def.damping.mass = 8;
        vvSoftBodyId body = makeBody(world, rope(), def);
        int top = 0;
        CHECK_OK(vvSoftBody_Pin(body, &top, 1));
        for (int n = 0; n < 400; ++n)
            CHECK_OK(vvWorld_Step(world, 0.01));
        double want = 0;
        for (int e = 0; e < 6; ++e)
            want += 9.81 * (load + 1e-3 * (5 - e)) / (spring * factor[e]);
        CHECK_CLOSE(vertexPosition(body, 6).x - vertexPosition(body, 0).x - 1, want,
                    strcmp(methods[k], "small-steps") == 0 ? 1e-2 : 1e-5);
        vvDestroyWorld(world);
    }
}

// a patch of a sheet that bends less: both measures of bending
static void bendingFollows(void **state)
{
    (void)state;
    static const char *const words[] = { "mean-curvature", "dihedral" };
    for (int k = 0; k < 2; ++k)
    {
        double elastic[2];
        for (int stiff = 0; stiff < 2; ++stiff)
        {
            vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
            vvMesh *mesh = sheet();
            double factor[64];
            for (int t = 0; t < 64; ++t)
                factor[t] = stiff ? 7 : 1;
            vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
            def.model = "triangle";
            def.material.thickness = 0.1;
            def.bendingModel = words[k];
            def.elementStiffness = factor;
            vvSoftBodyId body = makeBody(world, mesh, def);
            double x[75];
            memcpy(x, vvSoftBody_GetPositions(body), sizeof x);
            for (int v = 0; v < 25; ++v)
                x[3 * v + 1] = 0.1 * x[3 * v] * x[3 * v];
            CHECK_OK(vvSoftBody_SetPositions(body, x));
            elastic[stiff] = vvWorld_GetLedger(world).elastic;
            vvDestroyWorld(world);
        }
        CHECK_CLOSE(elastic[1], 7 * elastic[0], 1e-12);
    }
}

// ---- masses ---------------------------------------------------------------------------------------------------------

static void massesAreTheCallers(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, -10, 0 });
    vvMesh *mesh = vvCreateSphereMesh(1, 3);
    int count = vvMesh_GetVertexCount(mesh);
    double *mass = test_calloc((size_t)count, sizeof(double)), whole = 0;
    TestRandom random = { 3 };
    vvVec3 centre = { 0, 0, 0 };
    for (int v = 0; v < count; ++v)
    {
        const double *p = vvMesh_GetPoints(mesh) + 3 * v;
        mass[v] = randomBetween(&random, 0.1, 5);
        whole += mass[v];
        centre.x += mass[v] * p[0];
        centre.y += mass[v] * p[1];
        centre.z += mass[v] * p[2];
    }
    centre = (vvVec3){ centre.x / whole, centre.y / whole, centre.z / whole };
    vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
    def.vertexMass = mass;
    def.velocity = (vvVec3){ 1, 2, 3 };
    def.spin = (vvVec3){ 0, 0, 2 };
    vvSoftBodyId body = makeBody(world, mesh, def);
    CHECK_CLOSE(vvSoftBody_GetMass(body), whole, 1e-14);
    assert_memory_equal(vvSoftBody_GetMasses(body), mass, (size_t)count * sizeof(double));
    // the spin is about the centre of these masses: it has no momentum; and the weight is theirs
    vvLedger start = vvWorld_GetLedger(world);
    CHECK_CLOSE(start.momentum.x, whole * 1, 1e-12);
    CHECK_CLOSE(start.momentum.y, whole * 2, 1e-12);
    CHECK_CLOSE(start.gravity, whole * 10 * centre.y, 1e-9);
    for (int n = 0; n < 10; ++n)
        CHECK_OK(vvWorld_Step(world, 0.01));
    vvLedger end = vvWorld_GetLedger(world);
    CHECK_CLOSE(end.momentum.y, whole * (2 - 10 * 0.1), 1e-8);
    CHECK_CLOSE(end.momentum.x, whole * 1, 1e-8);
    // energy densities are per volume, whatever it weighs
    double *heavy = test_calloc((size_t)count, sizeof(double)), *plain = test_calloc((size_t)count, sizeof(double));
    CHECK_OK(vvSoftBody_CopyEnergyDensities(body, heavy));
    def = elasticDef(1000, 1e5, 0.3);
    vvSoftBodyId other = makeBody(world, vvCreateSphereMesh(1, 3), def);
    CHECK_OK(vvSoftBody_SetPositions(other, vvSoftBody_GetPositions(body)));
    CHECK_OK(vvSoftBody_CopyEnergyDensities(other, plain));
    for (int v = 0; v < count; ++v)
        CHECK_NEAR(heavy[v], plain[v], 1e-9 * (1 + plain[v]));
    test_free(mass);
    test_free(heavy);
    test_free(plain);
    vvDestroyWorld(world);
}

// ---- states ---------------------------------------------------------------------------------------------------------

static vvWorldId makeTissue(int threads, double stiffer, double heavier, bool arrays)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.threads = threads;
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 6, 6, 6);
    int tetCount = vvMesh_GetTetCount(mesh), count = vvMesh_GetVertexCount(mesh), held = 0;
    double *factor = test_calloc((size_t)tetCount, sizeof(double)), *mass = test_calloc((size_t)count, sizeof(double));
    for (int t = 0; t < tetCount; ++t)
        factor[t] = t < tetCount / 2 ? 1 : stiffer;
    for (int v = 0; v < count; ++v)
        mass[v] = v == 5 ? heavier : 1;
    vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
    def.elementStiffness = arrays ? factor : NULL;
    def.vertexMass = arrays ? mass : NULL;
    vvSoftBodyId body = makeBody(world, mesh, def);
    CHECK_OK(vvSoftBody_Pin(body, &held, 1));
    test_free(factor);
    test_free(mass);
    for (int n = 0; n < 5; ++n)
        CHECK_OK(vvWorld_Step(world, 0.01));
    return world;
}

static void statesKnowThem(void **state)
{
    (void)state;
    vvWorldId one = makeTissue(1, 10, 2, true), two = makeTissue(2, 10, 2, true);
    assert_true(vvWorld_GetHash(one) == vvWorld_GetHash(two)); // any number of threads
    size_t size = vvWorld_GetStateSize(one);
    unsigned char *bytes = test_calloc(size, 1);
    CHECK_OK(vvWorld_SaveState(one, bytes, size));
    for (int n = 0; n < 3; ++n)
        CHECK_OK(vvWorld_Step(two, 0.01));
    CHECK_OK(vvWorld_RestoreState(two, bytes, size));
    assert_true(vvWorld_GetHash(one) == vvWorld_GetHash(two));
    CHECK_OK(vvWorld_Step(one, 0.01));
    CHECK_OK(vvWorld_Step(two, 0.01));
    assert_true(vvWorld_GetHash(one) == vvWorld_GetHash(two));
    // a state of other tissues is of another body
    const double others[3][2] = { { 11, 2 }, { 10, 3 }, { 1, 1 } };
    for (int k = 0; k < 3; ++k)
    {
        vvWorldId other = makeTissue(1, others[k][0], others[k][1], k < 2);
        assert_true(vvWorld_GetHash(other) != vvWorld_GetHash(one));
        assert_int_equal(vvWorld_RestoreState(other, bytes, size).code, VV_BAD_INPUT);
        vvDestroyWorld(other);
    }
    test_free(bytes);
    vvDestroyWorld(one);
    vvDestroyWorld(two);
}

static void nonsenseIsRefused(void **state)
{
    (void)state;
    static const double odd[] = { 0, -1, NAN, INFINITY, 1e300, 1e-300 };
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
    for (int k = 0; k < 6; ++k)
    {
        double values[7] = { 1, 1, 1, 1, 1, odd[k], 1 };
        vvSoftBodyDef def = undampedDef();
        def.mesh = rope();
        vvResult result;
        def.elementStiffness = values;
        vvCreateSoftBody(world, &def, &result);
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_non_null(strstr(result.message, "elementStiffness[5]"));
        def.elementStiffness = NULL;
        def.vertexMass = values;
        vvCreateSoftBody(world, &def, &result);
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_non_null(strstr(result.message, "vertex 5"));
        vvDestroyMesh(def.mesh);
    }
    double ones[64] = { 1 };
    vvSoftBodyDef def = undampedDef();
    def.mesh = sheet();
    def.model = "membrane";
    def.elementStiffness = ones;
    vvResult result;
    vvCreateSoftBody(world, &def, &result);
    assert_int_equal(result.code, VV_BAD_INPUT);
    vvDestroyMesh(def.mesh);
    assert_int_equal(vvWorld_GetStatistics(world).bodyCount, 0);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forcesAreInProportion),  cmocka_unit_test(elementsAreTheCallers),
        cmocka_unit_test(seriesHasTheClosedForm), cmocka_unit_test(ropeCarriesItsWeight),
        cmocka_unit_test(bendingFollows),         cmocka_unit_test(massesAreTheCallers),
        cmocka_unit_test(statesKnowThem),         cmocka_unit_test(nonsenseIsRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
