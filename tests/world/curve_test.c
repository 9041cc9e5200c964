// Springs with a measured curve of stress: a rope that is pulled has the strain of the curve at that stress and the
// energy under it, by every kind of method.
#include "energy/energy.h"
#include "world/scenes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define POINTS 4
static const double strains[POINTS] = { -0.2, 0.1, 0.3, 0.5 }, stresses[POINTS] = { -1e4, 1e4, 9e4, 4e5 };

// ---- the curve by other means: slopes from the three-point formula of Fritsch and Butland, then Hermite's basis -----

static double curveAt(double s)
{
    double e[5] = { -0.2, 0, 0.1, 0.3, 0.5 }, f[5] = { -1e4, 0, 1e4, 9e4, 4e5 }, m[5];
    for (int k = 0; k < 5; ++k)
    {
        double left = k > 0 ? (f[k] - f[k - 1]) / (e[k] - e[k - 1]) : 0;
        double right = k < 4 ? (f[k + 1] - f[k]) / (e[k + 1] - e[k]) : 0;
        double total = k > 0 && k < 4 ? e[k + 1] - e[k - 1] : 0;
        double share = k > 0 && k < 4 ? (1 + (e[k + 1] - e[k]) / total) / 3 : 0; // of the left chord
        m[k] = k == 0 ? right : k == 4 ? left : 1 / (share / left + (1 - share) / right);
    }
    int k = 0;
    while (k < 3 && s > e[k + 1])
        ++k;
    double h = e[k + 1] - e[k], t = (s - e[k]) / h;
    if (t > 1)
        return f[4] + m[4] * (s - e[4]);
    return (1 + 2 * t) * (1 - t) * (1 - t) * f[k] + t * (1 - t) * (1 - t) * h * m[k] + t * t * (3 - 2 * t) * f[k + 1] -
           t * t * (1 - t) * h * m[k + 1];
}

static double areaUnder(double s) // J/m^3
{
    double sum = 0;
    int count = 20000;
    for (int i = 0; i < count; ++i)
        sum += curveAt((i + 0.5) * s / count) * s / count;
    return sum;
}

static vvSoftBodyDef curveDef(void)
{
    vvSoftBodyDef def = elasticDef(1000, 1e5, 0);
    def.model = "curve";
    def.material.thickness = 0.02;
    def.damping.mass = 12;
    def.law = vvDefaultLaw();
    def.law.pointCount = POINTS;
    memcpy(def.law.strain, strains, sizeof strains);
    memcpy(def.law.stress, stresses, sizeof stresses);
    return def;
}

// ---- a rope ---------------------------------------------------------------------------------------------------------

static void check(const char *method, const char *solver, double strain, double allowed)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = method != NULL ? method : worldDef.method;
    worldDef.solver = solver != NULL ? solver : worldDef.solver;
    worldDef.gravity = (vvVec3){ 0, 0, 0 };
    worldDef.threads = 1;
    vvResult result;
    vvWorldId world = vvCreateWorld(&worldDef, &result);
    CHECK_OK(result);
    vvSoftBodyId body = makeBody(world, vvCreateRopeMesh(1, 4), curveDef());
    double section = 3.14159265358979323846 * 0.01 * 0.01;
    CHECK_OK(vvSoftBody_Pin(body, (int[]){ 0 }, 1));
    const double *x = vvSoftBody_GetPositions(body);
    vvVec3 along = { x[12] - x[0], x[13] - x[1], x[14] - x[2] };
    double force = section * curveAt(strain), length = sqrt(along.x * along.x + along.y * along.y + along.z * along.z);
    CHECK_OK(vvSoftBody_SetForce(
        body, 4, (vvVec3){ force * along.x / length, force * along.y / length, force * along.z / length }));
    for (int frame = 0; frame < 360; ++frame)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    x = vvSoftBody_GetPositions(body);
    double now = sqrt(pow(x[12] - x[0], 2) + pow(x[13] - x[1], 2) + pow(x[14] - x[2], 2));
    double energy = vvWorld_GetLedger(world).elastic / (section * length * areaUnder(strain));
    if (!(fabs(now / length - 1 - strain) <= allowed && fabs(energy - 1) <= 10 * allowed))
        fail_msg("%s: strain %.9g where the curve has %.9g, energy %.9g of the area", method ? method : "default",
                 now / length - 1, strain, energy);
    vvDestroyWorld(world);
}

static void strainAndEnergyAreThoseOfTheCurve(void **unused)
{
    (void)unused;
    static const double pulls[] = { 0.1, 0.04, 0.22, 0.3, 0.41, 0.6 }; // at points, between them, beyond the last
    for (size_t i = 0; i < sizeof pulls / sizeof pulls[0]; ++i)
        check("backward-euler", "newton", pulls[i], 1e-7);
    check(NULL, NULL, 0.22, 1e-4);
    check("stabilized", "newton", 0.22, 1e-4);
    check("backward-euler", "local-global", 0.22, 1e-3);
    check("small-steps", NULL, 0.22, 1e-3);
    check("symplectic-euler", NULL, 0.04, 1e-3);
}

// ---- sheets and solids ----------------------------------------------------------------------------------------------

// J/m^3 of one triangle or tet stretched by 1 + e along x and by 1 + q across
static double densityAt(Energy *energy, double e, double q)
{
    static const double corner[4][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    double x[12];
    for (int i = 0; i < 12; ++i)
        x[i] = corner[i / 3][i % 3] * (1 + (i % 3 == 0 ? e : q));
    return energyValue(energy, x) * (energy->kind->corners == 4 ? 6 : 2);
}

// along the pull, where nothing pulls across
static double stressAt(Energy *energy, double e)
{
    double low = -0.7, high = 1, step = 1e-5;
    for (int i = 0; i < 60; ++i)
    {
        double q = 0.5 * (low + high);
        *(densityAt(energy, e, q + step) > densityAt(energy, e, q - step) ? &high : &low) = q;
    }
    double q = 0.5 * (low + high);
    return (densityAt(energy, e + step, q) - densityAt(energy, e - step, q)) / (2 * step);
}

// At the points to what differences of energies can tell; between them phi' is another cubic than the measured one. The
// worst of both over all stresses there, %.
static void cellsFollowTheCurve(void **unused)
{
    (void)unused;
    static const double corner[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    static const double poissons[] = { 0, 0.2, 0.3, 0.45, 0.49 };
    Memory memory = memoryMake(NULL);
    for (int k = 0; k < 10; ++k)
    {
        const EnergyKind *kind = k < 5 ? &triangleCurveKind : &tetCurveKind;
        vvLaw law = curveDef().law;
        bool pulled =
            poissons[k % 5] > 0.3; // what keeps its volume is stretched across where it is pressed: no more points
        law.pointCount -= pulled;
        for (int i = 0; i < law.pointCount && pulled; ++i)
        {
            law.strain[i] = strains[i + 1];
            law.stress[i] = stresses[i + 1];
        }
        Recipe recipe = { .rest = corner, .young = 1e5, .poisson = poissons[k % 5], .thickness = 1, .law = &law };
        Energy *energy = energyCreate(&memory, kind, 4, 1, (int[]){ 0, 1, 2, 3 }, &recipe);
        double worst = 0, between = 0;
        for (int i = 0; i < law.pointCount; ++i)
            worst = fmax(worst, fabs(stressAt(energy, law.strain[i]) / law.stress[i] - 1));
        for (double e = 0.02; e < 0.5; e += 0.02)
            between = fmax(between, pulled && e < 0.1 ? 0 : fabs(stressAt(energy, e) / curveAt(e) - 1));
        printf("%s, poisson %g: %.2g off at the points, %.2g between them\n", kind->name, recipe.poisson, worst,
               between);
        CHECK_BELOW(worst, 1e-6);
        CHECK_BELOW(between, 0.03);
        energyDestroy(energy);
    }
}

// a strip and a bar hang by one end: as the curve has it within what the mesh and the method are off
static void bodiesOfCellsFollowTheCurve(void **unused)
{
    (void)unused;
    for (int k = 0; k < 4; ++k)
    {
        bool solid = k % 2 == 1;
        vvWorldId world = makeWorld(k < 2 ? "small-midpoint" : "small-steps", (vvVec3){ 0, 0, 0 });
        vvSoftBodyDef def = curveDef();
        def.model = solid ? "tet-curve" : "triangle-curve";
        def.material.poisson = 0.3;
        def.damping.stiffness = 0.01;
        vvSoftBodyId body = makeBody(
            world, solid ? vvCreateBoxMesh((vvVec3){ 1, 0.25, 0.25 }, 4, 1, 1) : vvCreateSheetMesh(1, 0.25, 4, 1), def);
        double section = solid ? 0.0625 : 0.25 * 0.02, mean = 0;
        int ends[2][8], found[2] = { 0, 0 };
        const double *x = vvSoftBody_GetPositions(body);
        for (int v = 0; v < vvSoftBody_GetVertexCount(body); ++v)
        {
            int side = x[3 * v] > 0.499 ? 1 : x[3 * v] < -0.499 ? 0 : -1;
            if (side >= 0)
                ends[side][found[side]++] = v;
        }
        for (int frame = 0; frame < 300; ++frame)
        {
            double force = section * curveAt(0.22) * fmin(1, (frame + 1) / 100.0);
            for (int i = 0; i < 2 * found[0]; ++i)
                CHECK_OK(vvSoftBody_SetForce(body, ends[i % 2][i / 2],
                                             (vvVec3){ (i % 2 ? 1 : -1) * force / found[0], 0, 0 }));
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        }
        x = vvSoftBody_GetPositions(body);
        for (int i = 0; i < 2 * found[0]; ++i)
            mean += (i % 2 ? 1 : -1) * x[3 * ends[i % 2][i / 2]] / found[0];
        printf("%s: strain %.4f, the curve has 0.22\n", def.model, mean - 1);
        CHECK_NEAR(mean - 1, 0.22, solid ? 0.01 : 0.003);
        vvDestroyWorld(world);
    }
}

static void badCurvesAreRefused(void **unused)
{
    (void)unused;
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
    vvMesh *mesh = vvCreateRopeMesh(1, 4);
    vvMesh *sheet = vvCreateSheetMesh(1, 1, 2, 2);
    vvMesh *box = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1);
    for (int k = 0; k < 9; ++k)
    {
        vvSoftBodyDef def = curveDef();
        def.mesh = k < 6 ? mesh : k < 8 ? sheet : box;
        def.model = k < 6 ? "curve" : k < 8 ? "triangle-curve" : "tet-curve";
        def.material.poisson = k == 6 ? -0.2 : k == 8 ? 0.45 : 0; // the last: soft when pressed, stiff across
        def.law.pointCount = k == 0 ? 0 : k == 1 ? VV_MAX_CURVE + 1 : POINTS;
        def.law.pointCount = k == 7 ? 0 : def.law.pointCount;
        def.law.strain[2] = k == 2 ? 0.05 : k == 3 ? NAN : 0.3;
        def.law.stress[1] = k == 4 ? -1 : 1e4;
        def.law.stress[3] = k == 5 ? 8e4 : 4e5;
        vvResult result;
        vvCreateSoftBody(world, &def, &result);
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_non_null(strstr(result.message, k == 6 ? "poisson" : "law."));
    }
    vvDestroyMesh(box);
    vvDestroyMesh(sheet);
    vvDestroyMesh(mesh);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(strainAndEnergyAreThoseOfTheCurve),
                                        cmocka_unit_test(cellsFollowTheCurve),
                                        cmocka_unit_test(bodiesOfCellsFollowTheCurve),
                                        cmocka_unit_test(badCurvesAreRefused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
