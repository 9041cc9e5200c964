// Bodies that yield against closed forms: a pull along one axis, creep, limit and volume of one element or cell, and a
// bar that springs back.
#include "world/springback.h"

#define YOUNG 1e6
#define HARDENING 2e5
#define LENGTH 0.2 // m, of all sides
#define THICK 0.01
#define STEP 0.02 // s

typedef struct Pulled
{
    vvWorldId world;
    vvSoftBodyId body;
    double share[8]; // of the load on each vertex; minus on the left
    double area;     // m^2
} Pulled;

static const char *const models[] = { "corotated", "stable-neo-hookean", "triangle", "spring" };
#define MODELS 4

// Pa; springs keep their stiffness as they flow, so they are true at small strain only
static double yieldOf(int model)
{
    return model < 3 ? 2e3 : 2e2;
}

static double poissonOf(int model)
{
    return model < 3 ? 0.3 : 0;
}

// what equal stress on both end faces gives its vertices
static void shareFaces(Pulled *pulled, const vvMesh *mesh, bool solid)
{
    const double *x = vvMesh_GetPoints(mesh);
    const int *triangle = vvMesh_GetSurface(mesh);
    int count = vvMesh_GetVertexCount(mesh);
    for (int v = 0; v < count; ++v)
        pulled->share[v] = solid ? 0 : (x[3 * v] > 0 ? 2.0 : -2.0) / count;
    for (int t = 0; solid && t < vvMesh_GetSurfaceCount(mesh); ++t)
    {
        const int *v = triangle + 3 * t;
        double sum = x[3 * v[0]] + x[3 * v[1]] + x[3 * v[2]];
        for (int k = 0; k < 3 && fabs(sum) > 1.49 * LENGTH; ++k)
            pulled->share[v[k]] += (sum > 0 ? 1 : -1) / 6.0;
    }
}

static Pulled makePulled(int model, vvPlasticity plasticity)
{
    Pulled pulled = { .world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 }) };
    vvSoftBodyDef def = elasticDef(1000, YOUNG, poissonOf(model));
    def.model = models[model];
    def.material.thickness = THICK;
    def.plasticity = plasticity;
    pulled.area = model < 2 ? LENGTH * LENGTH : model == 2 ? LENGTH * THICK : 0.25 * 3.14159265358979 * THICK * THICK;
    vvMesh *mesh = model < 2    ? vvCreateBoxMesh((vvVec3){ LENGTH, LENGTH, LENGTH }, 1, 1, 1)
                   : model == 2 ? vvCreateSheetMesh(LENGTH, LENGTH, 1, 1)
                                : vvCreateRopeMesh(LENGTH, 1);
    assert_true(vvMesh_GetVertexCount(mesh) <= 8);
    shareFaces(&pulled, mesh, model < 2);
    pulled.body = makeBody(pulled.world, mesh, def);
    return pulled;
}

static double strainOf(const Pulled *pulled) // log of the length, between the means of both ends
{
    const double *x = vvSoftBody_GetPositions(pulled->body);
    double way[3] = { 0, 0, 0 };
    for (int i = 0; i < 3 * vvSoftBody_GetVertexCount(pulled->body); ++i)
        way[i % 3] += pulled->share[i / 3] * x[i];
    return log(sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]) / LENGTH);
}

// loads it slowly, waits; returns the Kirchhoff stress, Pa
static double loadTo(Pulled *pulled, double from, double to, int steps)
{
    for (int n = 1; n <= 2 * steps; ++n)
    {
        double stress = from + (to - from) * (n < steps ? (double)n / steps : 1);
        for (int v = 0; v < vvSoftBody_GetVertexCount(pulled->body); ++v)
            CHECK_OK(vvSoftBody_SetForce(pulled->body, v, (vvVec3){ stress * pulled->area * pulled->share[v], 0, 0 }));
        CHECK_OK(vvWorld_Step(pulled->world, STEP));
    }
    return to * exp(strainOf(pulled));
}

static void near2(const char *model, const char *what, double got, double want)
{
    print_message("%s: %s %.5g, closed form %.5g, %+.2f %%\n", model, what, got, want, 100 * (got / want - 1));
    if (!(fabs(got - want) <= 0.02 * fabs(want)))
        fail_msg("%s: %s is %g, closed form %g", model, what, got, want);
}

static double volumeOf(vvSoftBodyId body)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(body);
    const double *x = vvSoftBody_GetPositions(body);
    double sum = 0;
    for (int t = 0; t < vvMesh_GetTetCount(mesh); ++t)
    {
        const int *v = vvMesh_GetTets(mesh) + 4 * t;
        double e[3][3];
        for (int i = 0; i < 9; ++i)
            e[i / 3][i % 3] = x[3 * v[1 + i / 3] + i % 3] - x[3 * v[0] + i % 3];
        sum += (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
               6;
    }
    return sum;
}

static void pullFollowsTwoSlopes(void **state)
{
    (void)state;
    for (int m = 0; m < MODELS; ++m)
    {
        double yield = yieldOf(m);
        Pulled p = makePulled(m, (vvPlasticity){ .yield = yield, .hardening = HARDENING });
        double s[5], e[5];
        static const double load[5] = { 0.8, 1.2, 1.8, 1, 0 };
        for (int i = 0; i < 5; ++i)
        {
            s[i] = loadTo(&p, i > 0 ? load[i - 1] * yield : 0, load[i] * yield, 60);
            e[i] = strainOf(&p);
        }
        double slope = (s[2] - s[1]) / (e[2] - e[1]), young = s[0] / e[0];
        near2(models[m], "modulus", young, YOUNG);
        near2(models[m], "hardening slope", slope, YOUNG * HARDENING / (YOUNG + HARDENING));
        near2(models[m], "yield stress", (s[1] - slope * e[1]) / (1 - slope / young), yield);
        near2(models[m], "modulus of unloading", (s[2] - s[3]) / (e[2] - e[3]), YOUNG);
        near2(models[m], "strain that stays", e[4], (s[2] - yield) / HARDENING);
        if (m < 2)
        {
            double volume = volumeOf(p.body), whole = LENGTH * LENGTH * LENGTH;
            print_message("%s: volume changed by %.2g\n", models[m], volume / whole - 1);
            CHECK_NEAR(volume, whole, 1e-6 * whole);
        }
        vvDestroyWorld(p.world);
    }
}

// beyond the limit the body is elastic again
static void limitHolds(void **state)
{
    (void)state;
    for (int m = 0; m < MODELS; ++m)
    {
        double yield = yieldOf(m), limit = 2.5 * yield / YOUNG;
        Pulled p = makePulled(m, (vvPlasticity){ .yield = yield, .hardening = HARDENING, .limit = limit });
        double s[2], e[2];
        s[0] = loadTo(&p, 0, 2 * yield, 80);
        e[0] = strainOf(&p);
        s[1] = loadTo(&p, 2 * yield, 3 * yield, 20);
        e[1] = strainOf(&p);
        near2(models[m], "modulus beyond the limit", (s[1] - s[0]) / (e[1] - e[0]), YOUNG);
        loadTo(&p, 3 * yield, 0, 20);
        near2(models[m], "largest plastic strain", strainOf(&p), limit);
        vvDestroyWorld(p.world);
    }
}

// Pa by which von Mises' stress falls per flow where the body is held: 3 G of solids, E of springs, of sheets in plane
// stress n C n with the direction n = (1, -1/2) of the flow
static double stiffnessOfFlow(int model)
{
    double nu = poissonOf(model), twice = YOUNG / (1 + nu), lambda = YOUNG * nu / (1 - nu * nu);
    return model < 2 ? 1.5 * twice : model == 2 ? 1.25 * twice + 0.25 * lambda : YOUNG;
}

// what is beyond the yield stress relaxes at the rate, so a constant stress flows by rate (stress - yield) / stiffness
static void creepHasItsRate(void **state)
{
    (void)state;
    const double rate = 0.5;
    for (int m = 0; m < MODELS; ++m)
    {
        double yield = yieldOf(m);
        Pulled p = makePulled(m, (vvPlasticity){ .yield = yield, .rate = rate });
        double stress = loadTo(&p, 0, 1.5 * yield, 20), before = strainOf(&p);
        loadTo(&p, 1.5 * yield, 1.5 * yield, 20);
        double creep = (strainOf(&p) - before) / (40 * STEP);
        near2(models[m], "creep, 1/s", creep, rate * (stress - yield) / stiffnessOfFlow(m));
        vvDestroyWorld(p.world);
    }
}

static void barSpringsBack(void **state)
{
    (void)state;
    double want = bentStays(4 * BENT_FIRST), got = bentMeasure("corotated", 4 * BENT_FIRST, 48, 12, 0.025);
    print_message("bent to 4 times the first yield: %.4f stays, closed form %.4f\n", got, want);
    CHECK_NEAR(got, want, 0.05 * want);
    CHECK_NEAR(1 - got, 1 - want, 0.05 * (1 - want));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pullFollowsTwoSlopes),
        cmocka_unit_test(limitHolds),
        cmocka_unit_test(creepHasItsRate),
        cmocka_unit_test(barSpringsBack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
