// Springs with a measured curve of stress: a rope that is pulled has the strain of the curve at that stress and the
// energy under it, by every kind of method.
#include "scenes.h"

#include <math.h>
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

static void badCurvesAreRefused(void **unused)
{
    (void)unused;
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
    vvMesh *mesh = vvCreateRopeMesh(1, 4);
    for (int k = 0; k < 6; ++k)
    {
        vvSoftBodyDef def = curveDef();
        def.mesh = mesh;
        def.law.pointCount = k == 0 ? 0 : k == 1 ? VV_MAX_CURVE + 1 : POINTS;
        def.law.strain[2] = k == 2 ? 0.05 : k == 3 ? NAN : 0.3;
        def.law.stress[1] = k == 4 ? -1 : 1e4;
        def.law.stress[3] = k == 5 ? 8e4 : 4e5;
        vvResult result;
        vvCreateSoftBody(world, &def, &result);
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_non_null(strstr(result.message, "law."));
    }
    vvDestroyMesh(mesh);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(strainAndEnergyAreThoseOfTheCurve),
                                        cmocka_unit_test(badCurvesAreRefused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
