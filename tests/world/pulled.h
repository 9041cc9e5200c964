// A solid, a sheet or a spring of one cell pulled along one axis beyond its yield stress, against closed forms: for the
// tests of plasticity.
#ifndef TESTS_WORLD_PULLED_H
#define TESTS_WORLD_PULLED_H

#include "world/scenes.h"

#define PULLED_YOUNG 1e6
#define PULLED_HARDENING 2e5
#define PULLED_LENGTH 0.2 // m, of all sides
#define PULLED_THICK 0.01
#define PULLED_STEP 0.02 // s

typedef struct Pulled
{
    vvWorldId world;
    vvSoftBodyId body;
    double share[8]; // of the load on each vertex; minus on the left
    double area;     // m^2
} Pulled;

static const char *const pulledModels[] = { "corotated", "stable-neo-hookean", "triangle", "spring" };
#define PULLED_MODELS 4

// Pa; springs keep their stiffness as they flow, so they are true at small strain only
static inline double yieldOf(int model)
{
    return model < 3 ? 2e3 : 2e2;
}

static inline double poissonOf(int model)
{
    return model < 3 ? 0.3 : 0;
}

// what equal stress on both end faces gives its vertices
static inline void shareFaces(Pulled *pulled, const vvMesh *mesh, bool solid)
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
        for (int k = 0; k < 3 && fabs(sum) > 1.49 * PULLED_LENGTH; ++k)
            pulled->share[v[k]] += (sum > 0 ? 1 : -1) / 6.0;
    }
}

static inline Pulled makePulled(const char *method, int model, vvPlasticity plasticity)
{
    Pulled pulled = { .world = makeWorld(method, (vvVec3){ 0, 0, 0 }) };
    vvSoftBodyDef def = elasticDef(1000, PULLED_YOUNG, poissonOf(model));
    def.model = pulledModels[model];
    def.damping.stiffness = 2e-3;
    def.material.thickness = PULLED_THICK;
    def.plasticity = plasticity;
    pulled.area = model < 2    ? PULLED_LENGTH * PULLED_LENGTH
                  : model == 2 ? PULLED_LENGTH * PULLED_THICK
                               : 0.25 * 3.14159265358979 * PULLED_THICK * PULLED_THICK;
    vvMesh *mesh = model < 2    ? vvCreateBoxMesh((vvVec3){ PULLED_LENGTH, PULLED_LENGTH, PULLED_LENGTH }, 1, 1, 1)
                   : model == 2 ? vvCreateSheetMesh(PULLED_LENGTH, PULLED_LENGTH, 1, 1)
                                : vvCreateRopeMesh(PULLED_LENGTH, 1);
    assert_true(vvMesh_GetVertexCount(mesh) <= 8);
    shareFaces(&pulled, mesh, model < 2);
    pulled.body = makeBody(pulled.world, mesh, def);
    return pulled;
}

static inline double strainOf(const Pulled *pulled) // log of the length, between the means of both ends
{
    const double *x = vvSoftBody_GetPositions(pulled->body);
    double way[3] = { 0, 0, 0 };
    for (int i = 0; i < 3 * vvSoftBody_GetVertexCount(pulled->body); ++i)
        way[i % 3] += pulled->share[i / 3] * x[i];
    return log(sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]) / PULLED_LENGTH);
}

// loads it slowly, waits; returns the Kirchhoff stress, Pa
static inline double loadTo(Pulled *pulled, double from, double to, int steps)
{
    for (int n = 1; n <= 2 * steps; ++n)
    {
        double stress = from + (to - from) * (n < steps ? (double)n / steps : 1);
        for (int v = 0; v < vvSoftBody_GetVertexCount(pulled->body); ++v)
            CHECK_OK(vvSoftBody_SetForce(pulled->body, v, (vvVec3){ stress * pulled->area * pulled->share[v], 0, 0 }));
        CHECK_OK(vvWorld_Step(pulled->world, PULLED_STEP));
    }
    return to * exp(strainOf(pulled));
}

static inline void within2Percent(const char *method, const char *model, const char *what, double got, double want)
{
    print_message("%s, %s: %s %.5g, closed form %.5g, %+.2f %%\n", method, model, what, got, want,
                  100 * (got / want - 1));
    if (!(fabs(got - want) <= 0.02 * fabs(want)))
        fail_msg("%s, %s: %s is %g, closed form %g", method, model, what, got, want);
}

static inline double volumeOf(vvSoftBodyId body)
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

static inline void checkSlopes(const char *method)
{
    for (int m = 0; m < PULLED_MODELS; ++m)
    {
        double yield = yieldOf(m);
        Pulled p = makePulled(method, m, (vvPlasticity){ .yield = yield, .hardening = PULLED_HARDENING });
        double s[5], e[5];
        static const double load[5] = { 0.8, 1.2, 1.8, 1, 0 };
        for (int i = 0; i < 5; ++i)
        {
            s[i] = loadTo(&p, i > 0 ? load[i - 1] * yield : 0, load[i] * yield, 60);
            e[i] = strainOf(&p);
        }
        double slope = (s[2] - s[1]) / (e[2] - e[1]), young = s[0] / e[0];
        within2Percent(method, pulledModels[m], "modulus", young, PULLED_YOUNG);
        within2Percent(method, pulledModels[m], "hardening slope", slope,
                       PULLED_YOUNG * PULLED_HARDENING / (PULLED_YOUNG + PULLED_HARDENING));
        within2Percent(method, pulledModels[m], "yield stress", (s[1] - slope * e[1]) / (1 - slope / young), yield);
        within2Percent(method, pulledModels[m], "modulus of unloading", (s[2] - s[3]) / (e[2] - e[3]), PULLED_YOUNG);
        within2Percent(method, pulledModels[m], "strain that stays", e[4], (s[2] - yield) / PULLED_HARDENING);
        if (m < 2)
        {
            double volume = volumeOf(p.body), whole = PULLED_LENGTH * PULLED_LENGTH * PULLED_LENGTH;
            print_message("%s, %s: volume changed by %.2g\n", method, pulledModels[m], volume / whole - 1);
            CHECK_NEAR(volume, whole, 1e-6 * whole);
        }
        vvDestroyWorld(p.world);
    }
}

// beyond the limit the body is elastic again
static inline void checkLimit(const char *method)
{
    for (int m = 0; m < PULLED_MODELS; ++m)
    {
        double yield = yieldOf(m), limit = 2.5 * yield / PULLED_YOUNG;
        Pulled p =
            makePulled(method, m, (vvPlasticity){ .yield = yield, .hardening = PULLED_HARDENING, .limit = limit });
        double s[2], e[2];
        s[0] = loadTo(&p, 0, 2 * yield, 80);
        e[0] = strainOf(&p);
        s[1] = loadTo(&p, 2 * yield, 3 * yield, 20);
        e[1] = strainOf(&p);
        within2Percent(method, pulledModels[m], "modulus beyond the limit", (s[1] - s[0]) / (e[1] - e[0]),
                       PULLED_YOUNG);
        loadTo(&p, 3 * yield, 0, 20);
        within2Percent(method, pulledModels[m], "largest plastic strain", strainOf(&p), limit);
        vvDestroyWorld(p.world);
    }
}

// Pa by which von Mises' stress falls per flow where the body is held: 3 G of solids, E of springs, of sheets in plane
// stress n C n with the direction n = (1, -1/2) of the flow
static inline double stiffnessOfFlow(int model)
{
    double nu = poissonOf(model), twice = PULLED_YOUNG / (1 + nu), lambda = PULLED_YOUNG * nu / (1 - nu * nu);
    return model < 2 ? 1.5 * twice : model == 2 ? 1.25 * twice + 0.25 * lambda : PULLED_YOUNG;
}

// what is beyond the yield stress relaxes at the rate, so a constant stress flows by rate (stress - yield) / stiffness
static inline void checkCreep(const char *method)
{
    const double rate = 0.5;
    for (int m = 0; m < PULLED_MODELS; ++m)
    {
        double yield = yieldOf(m);
        Pulled p = makePulled(method, m, (vvPlasticity){ .yield = yield, .rate = rate });
        double stress = loadTo(&p, 0, 1.5 * yield, 20), before = strainOf(&p);
        loadTo(&p, 1.5 * yield, 1.5 * yield, 20);
        double creep = (strainOf(&p) - before) / (40 * PULLED_STEP);
        within2Percent(method, pulledModels[m], "creep, 1/s", creep, rate * (stress - yield) / stiffnessOfFlow(m));
        vvDestroyWorld(p.world);
    }
}

#endif
