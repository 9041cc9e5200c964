// Constraints of the caller's own: forces, books, momentum, and what is refused.
#include "check.h"
#include "world/add.h"
#include "undamped.h"

#include <stdlib.h>
#include <verve/verve.h>

typedef struct Stage
{
    vvWorldId world;
    vvSoftBodyId body;
    vvMesh *mesh;
} Stage;

static Stage makeStage(const char *method, const char *solver, int iterations, vvVec3 gravity)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = method;
    worldDef.solver = solver;
    worldDef.iterations = iterations;
    worldDef.tolerance = 1e-13;
    worldDef.gravity = gravity;
    Stage stage = { .world = vvCreateWorld(&worldDef, NULL), .mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2) };
    vvSoftBodyDef def = undampedDef();
    def.mesh = stage.mesh;
    def.material = (vvMaterial){ .density = 1000, .young = 1e5, .poisson = 0, .thickness = 1 };
    stage.body = vvCreateSoftBody(stage.world, &def, NULL);
    assert_true(vvSoftBody_IsValid(stage.body));
    return stage;
}

static void destroyStage(Stage *stage)
{
    vvDestroyWorld(stage->world);
    vvDestroyMesh(stage->mesh);
}

static void takeSteps(const Stage *stage, int count, double dt)
{
    for (int i = 0; i < count; ++i)
    {
        vvResult result = vvWorld_Step(stage->world, dt);
        if (result.code != VV_OK)
            fail_msg("%s; %s", result.message, result.remedy);
    }
}

static const double pole[3] = { 0.5, 0.2, 0 };

// onto a sphere of radius 0.7 about the pole
static void toSphere(void *userData, int element, const double *z, double *p)
{
    int *calls = userData;
    double d[3], square = 0;
    for (int a = 0; a < 3; ++a)
    {
        d[a] = z[a] - pole[a];
        square += d[a] * d[a];
    }
    for (int a = 0; a < 3; ++a)
        p[a] = pole[a] + 0.7 / sqrt(square) * d[a];
    if (calls)
        *calls += element >= 0;
}

// the same sphere as C(x) = |x - pole|^2 - 0.7^2: not a distance, so that one step of Eq 26 is not enough
static double sphereFunction(void *userData, int element, const double *x, double *gradient)
{
    (void)userData;
    (void)element;
    double sum = -0.49;
    for (int a = 0; a < 3; ++a)
    {
        sum += (x[a] - pole[a]) * (x[a] - pole[a]);
        gradient[a] = 2 * (x[a] - pole[a]);
    }
    return sum;
}

// far corners of the box, that no tet joins: their distance is to be 1.5 m
static void toLength(void *userData, int element, const double *z, double *p)
{
    (void)userData;
    (void)element;
    double length = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
    for (int a = 0; a < 3; ++a)
        p[a] = 1.5 / length * z[a];
}

// the same in lanes: what each does for a row of three numbers
static void inLanes(void (*one)(void *, int, const double *, double *), const int *elements, const double *z, double *p)
{
    for (int l = 0; l < VV_CONSTRAINT_LANES; ++l)
    {
        double from[3], to[3];
        for (int a = 0; a < 3; ++a)
            from[a] = z[a * VV_CONSTRAINT_LANES + l];
        one(NULL, elements[l], from, to);
        for (int a = 0; a < 3; ++a)
            p[a * VV_CONSTRAINT_LANES + l] = to[a];
    }
}

static void toSpheres(void *userData, const int *elements, const double *z, double *p)
{
    (void)userData;
    inLanes(toSphere, elements, z, p);
}

static void toLengths(void *userData, const int *elements, const double *z, double *p)
{
    (void)userData;
    inLanes(toLength, elements, z, p);
}

static int corners[8];

static vvConstraintDef sphereDef(bool byFunction)
{
    vvConstraintDef def = vvDefaultConstraintDef();
    def.vertices = corners;
    def.count = 2;
    def.corners = 1;
    def.weight = 2e4;
    def.project = byFunction ? NULL : toSphere;
    def.function = byFunction ? sphereFunction : NULL;
    return def;
}

static vvConstraintDef lengthDef(const double *matrix)
{
    vvConstraintDef def = vvDefaultConstraintDef();
    def.vertices = corners;
    def.count = 1;
    def.corners = 2;
    def.rows = 1;
    def.matrix = matrix;
    def.weight = 5e4;
    def.project = toLength;
    return def;
}

static const double difference[2] = { -1, 1 };

// which: 0 the sphere by projection, 1 by C, 2 a length across the body, 3 the sphere in lanes, 4 the length in lanes
static void runCase(int which, const char *solver, int iterations, double *out)
{
    Stage stage = makeStage("backward-euler", solver, iterations, (vvVec3){ 0, -9.81, 0 });
    corners[0] = 0;
    corners[1] = 26; // the first and the last vertex of 3 x 3 x 3
    vvConstraintDef def = which == 2 || which == 4 ? lengthDef(difference) : sphereDef(which == 1);
    if (which > 2)
    {
        def.project = NULL;
        def.projectLanes = which == 3 ? toSpheres : toLengths;
    }
    vvResult result = addConstraint(stage.body, &def);
    if (result.code != VV_OK)
        fail_msg("%s", result.message);
    takeSteps(&stage, 4, 0.01);
    memcpy(out, vvSoftBody_GetPositions(stage.body), 81 * sizeof(double));
    destroyStage(&stage);
}

static double apart(const double *a, const double *b)
{
    double worst = 0;
    for (int i = 0; i < 81; ++i)
        worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

static void solversAndFormsAgree(void **state)
{
    (void)state;
    double newton[5][81], local[5][81], none[81];
    Stage stage = makeStage("backward-euler", "newton", 0, (vvVec3){ 0, -9.81, 0 });
    takeSteps(&stage, 4, 0.01);
    memcpy(none, vvSoftBody_GetPositions(stage.body), sizeof none);
    destroyStage(&stage);
    for (int which = 0; which < 5; ++which)
    {
        runCase(which, "newton", 0, newton[which]);
        runCase(which, "local-global", 4000, local[which]);
        CHECK_BELOW(apart(newton[which], local[which]), 1e-8); // both converged to 1e-13 m of residual
        assert_true(apart(newton[which], none) > 1e-3);        // it does something
    }
    CHECK_BELOW(apart(newton[0], newton[1]), 1e-8); // a projection, and the same set by a function
    for (int k = 0; k < 2; ++k)                     // lanes see the same numbers
    {
        assert_memory_equal(newton[2 * k], newton[3 + k], sizeof newton[0]);
        assert_memory_equal(local[2 * k], local[3 + k], sizeof local[0]);
    }
}

static void stiffConstraintReachesItsSet(void **state)
{
    (void)state;
    Stage stage = makeStage("backward-euler", "newton", 0, (vvVec3){ 0, 0, 0 });
    corners[0] = 0;
    corners[1] = 26;
    vvConstraintDef def = lengthDef(difference);
    def.weight = 1e9;
    assert_int_equal(addConstraint(stage.body, &def).code, VV_OK);
    takeSteps(&stage, 100, 0.05);
    const double *x = vvSoftBody_GetPositions(stage.body);
    double square = 0;
    for (int a = 0; a < 3; ++a)
        square += (x[78 + a] - x[a]) * (x[78 + a] - x[a]);
    CHECK_NEAR(sqrt(square), 1.5, 1e-4); // young x size / weight
    destroyStage(&stage);
}

// rows that sum to zero: no force and no moment from outside; the start is booked
static void differencesTakeNoMomentum(void **state)
{
    (void)state;
    static const char *const solvers[] = { "newton", "local-global" };
    for (int k = 0; k < 2; ++k)
    {
        Stage stage = makeStage("implicit-midpoint", solvers[k], k ? 200 : 0, (vvVec3){ 0, 0, 0 });
        corners[0] = 0;
        corners[1] = 26;
        vvConstraintDef def = lengthDef(difference);
        assert_int_equal(addConstraint(stage.body, &def).code, VV_OK);
        vvLedger start = vvWorld_GetLedger(stage.world);
        double gap = sqrt(3) - 1.5;
        CHECK_CLOSE(start.added, 0.5 * 5e4 * gap * gap, 1e-12);
        CHECK_CLOSE(start.elastic, start.added, 1e-12);
        CHECK_NEAR(start.numerical, 0, 1e-9 * start.added);
        takeSteps(&stage, 50, 0.005);
        vvLedger end = vvWorld_GetLedger(stage.world);
        assert_true(end.kinetic > 0.05 * start.elastic); // it moves
        double speed = sqrt(2 * end.kinetic / vvSoftBody_GetMass(stage.body)), size = 1000 * speed;
        // rounding of 50 steps, the solver's tolerance
        CHECK_BELOW(fabs(end.momentum.x) + fabs(end.momentum.y) + fabs(end.momentum.z), 1e-9 * size);
        CHECK_BELOW(fabs(end.angularMomentum.x) + fabs(end.angularMomentum.y) + fabs(end.angularMomentum.z),
                    1e-7 * size);
        CHECK_NEAR(end.numerical, 0, 0.02 * start.elastic); // implicit midpoint
        destroyStage(&stage);
    }
}

// a half-space: C = y, from below alone
static double heightFunction(void *userData, int element, const double *x, double *gradient)
{
    (void)userData;
    (void)element;
    gradient[0] = gradient[2] = 0;
    gradient[1] = 1;
    return x[1] + 0.8;
}

static void unilateralConstraintsPushOneWay(void **state)
{
    (void)state;
    Stage stage = makeStage("backward-euler", "newton", 0, (vvVec3){ 0, -9.81, 0 });
    int all[27];
    for (int v = 0; v < 27; ++v)
        all[v] = v;
    vvConstraintDef def = vvDefaultConstraintDef();
    def.vertices = all;
    def.count = 27;
    def.corners = 1;
    def.weight = 1e6;
    def.function = heightFunction;
    def.unilateral = true;
    assert_int_equal(addConstraint(stage.body, &def).code, VV_OK);
    CHECK_NEAR(vvWorld_GetLedger(stage.world).added, 0, 1e-12); // above the plane: nothing yet
    takeSteps(&stage, 20, 0.01);
    CHECK_NEAR(vvSoftBody_GetPositions(stage.body)[1], -0.5 - 0.5 * 9.81 * 0.2 * 0.2, 0.02); // free fall
    takeSteps(&stage, 300, 0.02);
    double lowest = 0;
    for (int v = 0; v < 27; ++v)
        lowest = fmin(lowest, vvSoftBody_GetPositions(stage.body)[3 * v + 1]);
    CHECK_NEAR(lowest, -0.8, 0.005); // it stands: weight / stiffness
    destroyStage(&stage);
}

// a sheet of two triangles, folded by a weight: a hinge lets it go to 60 degrees and no further
static void hingesStopAtTheirLimits(void **state)
{
    (void)state;
    static const double points[12] = { 0, 0, -0.5, 0, 0, 0.5, 0.8, 0, 0, -0.8, 0, 0 };
    static const int triangles[6] = { 0, 1, 2, 1, 0, 3 }, hinge[4] = { 0, 1, 2, 3 }, pins[3] = { 0, 1, 3 };
    static const char *const solvers[] = { "newton", "local-global" };
    for (int k = 0; k < 2; ++k)
    {
        vvWorldDef worldDef = vvDefaultWorldDef();
        worldDef.method = "backward-euler";
        worldDef.solver = solvers[k];
        worldDef.iterations = 60;
        vvWorldId world = vvCreateWorld(&worldDef, NULL);
        vvMeshDef meshDef = vvDefaultMeshDef();
        meshDef.shape = VV_MESH_ARRAYS;
        meshDef.points = points;
        meshDef.pointCount = 4;
        meshDef.triangles = triangles;
        meshDef.triangleCount = 2;
        vvSoftBodyDef def = undampedDef();
        def.mesh = vvCreateMesh(&meshDef, NULL);
        def.model = "triangle";
        def.material = (vvMaterial){ .density = 1000, .young = 1e6, .poisson = 0, .thickness = 0.001 };
        def.bending = 0;
        def.damping.mass = 3;
        vvSoftBodyId body = vvCreateSoftBody(world, &def, NULL);
        vvHingeDef hingeDef = vvDefaultHingeDef();
        hingeDef.vertices = hinge;
        hingeDef.count = 1;
        hingeDef.minAngle = -10;
        hingeDef.maxAngle = 60;
        hingeDef.stiffness = 100;
        vvResult result = addHinge(body, &hingeDef);
        if (result.code != VV_OK)
            fail_msg("%s", result.message);
        CHECK_NEAR(vvWorld_GetLedger(world).added, 0, 1e-12); // flat is free
        vvSoftBody_Pin(body, pins, 3);
        Stage stage = { .world = world };
        takeSteps(&stage, 300, 0.02);
        const double *x = vvSoftBody_GetPositions(body) + 6;
        // weight 0.13 kg x 9.81 x 0.8 m x cos 60 on 100 N m: 0.3 degrees
        CHECK_NEAR(atan2(-x[1], x[0]) * 180 / 3.14159265, 60, 0.7);
        hingeDef.maxAngle = -20;
        assert_int_equal(addHinge(body, &hingeDef).code, VV_BAD_INPUT);
        vvDestroyMesh(def.mesh);
        vvDestroyWorld(world);
    }
}

static void refuse(const Stage *stage, vvConstraintDef def, const char *word)
{
    vvResult result = addConstraint(stage->body, &def);
    assert_int_not_equal(result.code, VV_OK);
    if (strstr(result.message, word) == NULL)
        fail_msg("'%s' does not say '%s'", result.message, word);
    assert_true(strlen(result.remedy) > 0);
}

static void badConstraintsAreRefused(void **state)
{
    (void)state;
    Stage stage = makeStage("backward-euler", "newton", 0, (vvVec3){ 0, 0, 0 });
    corners[0] = 0;
    corners[1] = 1;
    vvConstraintDef good = sphereDef(false), bad = { 0 };
    refuse(&stage, bad, "cookie");
    bad = good;
    bad.corners = 17;
    refuse(&stage, bad, "17");
    bad = good;
    bad.count = 0;
    refuse(&stage, bad, "0");
    bad = good;
    bad.function = sphereFunction;
    refuse(&stage, bad, "2 of project");
    bad = good;
    bad.project = NULL;
    refuse(&stage, bad, "0 of project");
    bad = good;
    bad.weight = -2;
    refuse(&stage, bad, "-2");
    bad = good;
    corners[1] = 27;
    refuse(&stage, bad, "27");
    corners[1] = 1;
    for (int k = 0; k < 12; ++k)
    {
        vvResult result = addConstraint(stage.body, &good);
        assert_true(result.code == VV_OK || (k >= 8 && result.code == VV_LIMIT));
    }
    assert_int_not_equal(addConstraint((vvSoftBodyId){ 0 }, &good).code, VV_OK);
    destroyStage(&stage);
}

// a saved state belongs to a world with the same constraints
static void statesKnowConstraints(void **state)
{
    (void)state;
    Stage a = makeStage("backward-euler", "newton", 0, (vvVec3){ 0, -9.81, 0 });
    Stage b = makeStage("backward-euler", "newton", 0, (vvVec3){ 0, -9.81, 0 });
    corners[0] = 0;
    corners[1] = 26;
    vvConstraintDef def = lengthDef(difference);
    assert_int_equal(addConstraint(a.body, &def).code, VV_OK);
    takeSteps(&a, 5, 0.01);
    size_t size = vvWorld_GetStateSize(a.world);
    void *saved = malloc(size);
    assert_int_equal(vvWorld_SaveState(a.world, saved, size).code, VV_OK);
    assert_int_not_equal(vvWorld_RestoreState(b.world, saved, size).code, VV_OK);
    assert_int_equal(addConstraint(b.body, &def).code, VV_OK);
    assert_int_equal(vvWorld_RestoreState(b.world, saved, size).code, VV_OK);
    takeSteps(&a, 5, 0.01);
    takeSteps(&b, 5, 0.01);
    assert_true(vvWorld_GetHash(a.world) == vvWorld_GetHash(b.world));
    free(saved);
    destroyStage(&a);
    destroyStage(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solversAndFormsAgree),      cmocka_unit_test(stiffConstraintReachesItsSet),
        cmocka_unit_test(differencesTakeNoMomentum), cmocka_unit_test(unilateralConstraintsPushOneWay),
        cmocka_unit_test(hingesStopAtTheirLimits),   cmocka_unit_test(badConstraintsAreRefused),
        cmocka_unit_test(statesKnowConstraints),
    };
    return cmocka_run_group_tests_name("own constraint", tests, NULL, NULL);
}
