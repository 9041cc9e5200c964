// What small-steps sweeps beside springs and corotated tets: triangles, bending, area, volume, limits, shape,
// membranes, constraints of one's own, neo-Hookean tets. At rest they hold what Newton's method says, stiff ones stay
// calm, momentum stays, and the bits do not depend on threads.
#include "world/add.h"
#include "world/scenes.h"

#include <string.h>

typedef enum Case
{
    TRIANGLES,
    DIHEDRAL,
    AREA,
    LIMIT,
    SHAPE,
    MEMBRANE,
    OWN,
    VOLUME,
    TET_LIMIT,
    HOOKEAN,
    CASES,
} Case;

// C = |x1 - x0| over its length at rest, less 1
static double lengthOf(void *userData, int element, const double *x, double *gradient)
{
    double length = ((const double *)userData)[0], d[3], r = 0;
    (void)element;
    for (int a = 0; a < 3; ++a)
    {
        d[a] = x[3 + a] - x[a];
        r += d[a] * d[a];
    }
    r = sqrt(r);
    for (int a = 0; a < 6; ++a)
        gradient[a] = (a < 3 ? -1 : 1) * d[a % 3] / (r * length);
    return r / length - 1;
}

// struts between every vertex and the next but one along the rows, by a function of its own
static void addStruts(vvSoftBodyId body, double young, int cells)
{
    static double length;
    static int pairs[2 * (41 * 41)];
    int count = 0, line = cells + 1;
    length = 0.8 / cells;
    for (int i = 0; i + 2 < line; ++i)
    {
        for (int k = 0; k < line; ++k)
        {
            pairs[2 * count] = i * line + k;
            pairs[2 * count++ + 1] = (i + 2) * line + k;
        }
    }
    vvConstraintDef def = vvDefaultConstraintDef();
    def.vertices = pairs;
    def.count = count;
    def.corners = 2;
    def.weight =
        0.02 * young; // both ends move half of what the length does: k / 2 of a strut of the sheet's own matter
    def.function = lengthOf;
    def.userData = &length;
    CHECK_OK(addConstraint(body, &def));
}

static vvSoftBodyId makeCase(vvWorldId world, Case which, double young, double drag, int cells)
{
    vvSoftBodyDef def = elasticDef(1000, young, 0.3);
    bool sheet = which < VOLUME;
    def.model = which == MEMBRANE  ? "membrane"
                : which == HOOKEAN ? "stable-neo-hookean"
                : sheet            ? "triangle"
                                   : "corotated";
    def.material.thickness = 0.02;
    def.damping.mass = drag;
    def.bending = sheet ? 1 : 0;
    def.bendingModel = which == DIHEDRAL ? "dihedral" : NULL;
    def.areaStiffness = which == AREA ? young : 0;
    def.volumeStiffness = which == VOLUME ? young : 0;
    def.shapeStiffness = which == SHAPE ? young / 1000 : 0;
    if (which == LIMIT || which == TET_LIMIT)
        def.strainLimit = (vvStrainLimit){ .min = 0.999, .max = 1.001, .stiffness = young };
    vvSoftBodyId body = makeBody(world,
                                 sheet ? vvCreateSheetMesh(0.4, 0.4, cells, cells)
                                       : vvCreateBoxMesh((vvVec3){ 0.4, 0.2, 0.2 }, cells, cells / 2, cells / 2),
                                 def);
    if (which == OWN)
        addStruts(body, young, cells);
    return body;
}

static vvWorldId worldOf(const char *method, vvVec3 gravity, int substeps, int threads)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.gravity = gravity;
    def.substeps = substeps;
    def.threads = threads;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    return world;
}

// the two leftmost columns: clamped
static void clamp(vvSoftBodyId body, int cells)
{
    int vertices[256];
    double edge = -0.2 + 0.4 / cells;
    vvBox box = { { -1, -1, -1 }, { edge + 1e-6, 1, 1 } };
    int count = vvSoftBody_FindVertices(body, box, vertices, 256);
    assert_true(count > 0);
    CHECK_OK(vvSoftBody_Pin(body, vertices, count));
}

// ---- at rest --------------------------------------------------------------------------------------------------------

#define SIDE 6
#define MOST 200

// pulled along and down until nothing moves; drag of 4/s: slowest motion of 1.5 rad/s or more is gone after 16 s
static int restOf(Case which, const char *method, double step, double *x)
{
    vvWorldId world = worldOf(method, (vvVec3){ 1, -0.05, 0 }, 0, 1);
    vvSoftBodyId body = makeCase(world, which, 1e4, 4, SIDE);
    clamp(body, SIDE);
    for (int n = 0; n * step < 16; ++n)
        CHECK_OK(vvWorld_Step(world, step));
    int count = vvSoftBody_GetVertexCount(body);
    assert_true(count <= MOST);
    memcpy(x, vvSoftBody_GetPositions(body), (size_t)count * 3 * sizeof(double));
    vvDestroyWorld(world);
    return count;
}

// by the rule of 20 substeps the Courant number is about 0.1, softness its fourth power and what the trial has not
// settled
static void atRestTheyHoldWhatNewtonSays(void **state)
{
    (void)state;
    for (Case which = 0; which < CASES; which += (Case)sliceOf(2))
    {
        double rest[3 * MOST], swept[3 * MOST], exact[3 * MOST], moved = 0, off = 0;
        vvWorldId world = worldOf("small-steps", (vvVec3){ 0, 0, 0 }, 0, 1);
        vvSoftBodyId body = makeCase(world, which, 1e4, 0, SIDE);
        int count = vvSoftBody_GetVertexCount(body);
        memcpy(rest, vvSoftBody_GetPositions(body), (size_t)count * 3 * sizeof(double));
        vvDestroyWorld(world);
        restOf(which, "small-steps", 1.0 / 60, swept);
        restOf(which, "backward-euler", 0.2, exact);
        for (int i = 0; i < 3 * count; ++i)
        {
            moved = fmax(moved, fabs(exact[i] - rest[i]));
            off = fmax(off, fabs(swept[i] - exact[i]));
        }
        print_message("case %d: moved %.5f m, off %.2e m\n", (int)which, moved, off);
        assert_true(moved > 1e-3);
        CHECK_BELOW(off, 0.001 * moved);
    }
}

// virial: area times tension sums to force times arm; the trace is that of every frame
static void triangleTensionsCarryTheWeight(void **state)
{
    (void)state;
    vvWorldId world = worldOf("small-steps", (vvVec3){ 1, 0, 0 }, 0, 1);
    vvSoftBodyDef def = elasticDef(1000, 1e5, 0);
    def.model = "triangle";
    def.material.thickness = 0.02;
    def.damping.mass = 20;
    vvSoftBodyId body = makeBody(world, vvCreateSheetMesh(0.4, 0.4, SIDE, SIDE), def);
    int column[SIDE + 1];
    assert_int_equal(vvSoftBody_FindVertices(body, planeBox(0, -0.2, 1e-6), column, SIDE + 1), SIDE + 1);
    CHECK_OK(vvSoftBody_Pin(body, column, SIDE + 1));
    for (int n = 0; n < 240; ++n)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    enum
    {
        TRIANGLES_MOST = 4 * SIDE * SIDE
    };
    double tension[3 * TRIANGLES_MOST], sum = 0, want = 0;
    int count = vvMesh_GetSurfaceCount(vvSoftBody_GetMesh(body));
    assert_true(count <= TRIANGLES_MOST);
    CHECK_OK(vvSoftBody_CopyElementForces(body, tension));
    for (int t = 0; t < count; ++t)
        sum += (tension[3 * t] + tension[3 * t + 1]) * 0.16 / count;
    for (int v = 0; v < vvSoftBody_GetVertexCount(body); ++v)
        want += vvSoftBody_GetMasses(body)[v] * 1 * (vvSoftBody_GetPositions(body)[3 * v] + 0.2);
    // strain of 1e-3 parts the rest area from the present one
    CHECK_CLOSE(sum, want, 5e-3);
    vvDestroyWorld(world);
}

// ---- stiff ----------------------------------------------------------------------------------------------------------

// steel cloth swings from a corner: what it moves with and weighs never exceeds what it started with (0)
static void stiffOnesStayCalm(void **state)
{
    (void)state;
    for (Case which = 0; which < CASES; ++which)
    {
        vvWorldId world = worldOf("small-steps", (vvVec3){ 0, -9.81, 0 }, 20, 1);
        vvSoftBodyId body = makeCase(world, which, 1e10, 0, SIDE);
        double mass = 0, most = 0, fall = 0, strain = 0, stretch[6 * 64 * SIDE];
        for (int v = 0; v < vvSoftBody_GetVertexCount(body); ++v)
            mass += vvSoftBody_GetMasses(body)[v];
        CHECK_OK(vvSoftBody_Pin(body, (const int[]){ 0 }, 1));
        double start = vvWorld_GetLedger(world).gravity;
        for (int n = 0; n < 120; ++n)
        {
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
            vvLedger ledger = vvWorld_GetLedger(world);
            most = fmax(most, ledger.kinetic + ledger.gravity - start);
            fall = fmax(fall, start - ledger.gravity);
        }
        int cells = which < VOLUME ? vvMesh_GetSurfaceCount(vvSoftBody_GetMesh(body))
                                   : vvMesh_GetTetCount(vvSoftBody_GetMesh(body));
        assert_true(cells <= 6 * 64 * SIDE);
        CHECK_OK(vvSoftBody_CopyStretches(body, stretch));
        for (int c = 0; c < cells; ++c)
            strain = fmax(strain, fabs(stretch[c] - 1));
        print_message(
            "case %d: of m g l: energy of motion and weight at most %.3g, fall %.3g; area or volume off %.3g\n",
            (int)which, most / (mass * 9.81 * 0.4), fall / (mass * 9.81 * 0.4), strain);
        assert_true(fall > 0.2 * mass * 9.81 * 0.4); // it swings
        CHECK_BELOW(most, 1e-3 * mass * 9.81 * 0.4);
        vvDestroyWorld(world);
    }
}

// ---- momentum -------------------------------------------------------------------------------------------------------

// bent and stretched, let go: linear momentum to rounding; angular to the order of the method
static void momentumStays(void **state)
{
    (void)state;
    for (Case which = 0; which < CASES; ++which)
    {
        vvWorldId world = worldOf("small-steps", (vvVec3){ 0, 0, 0 }, 40, 1);
        vvSoftBodyId body = makeCase(world, which, 1e4, 0, SIDE);
        int count = vvSoftBody_GetVertexCount(body);
        double x[3 * MOST], v[3 * MOST], size = 0;
        memcpy(x, vvSoftBody_GetPositions(body), (size_t)count * 3 * sizeof(double));
        for (int i = 0; i < count; ++i)
        {
            v[3 * i] = 0.3 + x[3 * i + 2];
            v[3 * i + 1] = 2 * x[3 * i];
            v[3 * i + 2] = -1 * x[3 * i];
            x[3 * i] *= 1.05;
            x[3 * i + 1] += 0.5 * x[3 * i] * x[3 * i];
            size += vvSoftBody_GetMasses(body)[i];
        }
        CHECK_OK(vvSoftBody_SetPositions(body, x));
        CHECK_OK(vvSoftBody_SetVelocities(body, v));
        vvLedger start = vvWorld_GetLedger(world);
        for (int n = 0; n < 60; ++n)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        vvLedger end = vvWorld_GetLedger(world);
        double dp = fabs(end.momentum.x - start.momentum.x) + fabs(end.momentum.y - start.momentum.y) +
                    fabs(end.momentum.z - start.momentum.z);
        double dl = sqrt(pow(end.angularMomentum.x - start.angularMomentum.x, 2) +
                         pow(end.angularMomentum.y - start.angularMomentum.y, 2) +
                         pow(end.angularMomentum.z - start.angularMomentum.z, 2));
        double l =
            sqrt(pow(start.angularMomentum.x, 2) + pow(start.angularMomentum.y, 2) + pow(start.angularMomentum.z, 2));
        print_message("case %d: momentum off %.2e, angular momentum off %.2e of it\n", (int)which, dp / (0.3 * size),
                      dl / l);
        CHECK_BELOW(dp, 1e-10 * size);
        CHECK_BELOW(dl, 0.02 * l);
        vvDestroyWorld(world);
    }
}

// ---- bits -----------------------------------------------------------------------------------------------------------

#define BIG 40

static void bitsDoNotDependOnThreads(void **state)
{
    (void)state;
    static const int threads[] = { 1, 2, 3, 4, 7 };
    static const Case cases[] = { TRIANGLES, DIHEDRAL, SHAPE, MEMBRANE, OWN };
    enum
    {
        COUNT = 3 * (BIG + 1) * (BIG + 1)
    };
    double *first = test_malloc(COUNT * sizeof(double));
    for (int k = 0; k < 25; ++k)
    {
        vvWorldId world = worldOf("small-steps", (vvVec3){ 0, -9.81, 0 }, 10, threads[k % 5]);
        vvSoftBodyId body = makeCase(world, cases[k / 5], 1e6, 0, BIG);
        CHECK_OK(vvSoftBody_Pin(body, (const int[]){ 0, 7 }, 2));
        for (int n = 0; n < 4; ++n)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        assert_int_equal(3 * vvSoftBody_GetVertexCount(body), COUNT);
        if (k % 5 == 0)
            memcpy(first, vvSoftBody_GetPositions(body), COUNT * sizeof(double));
        assert_memory_equal(first, vvSoftBody_GetPositions(body), COUNT * sizeof(double));
        vvDestroyWorld(world);
    }
    test_free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atRestTheyHoldWhatNewtonSays),
        cmocka_unit_test(triangleTensionsCarryTheWeight),
        cmocka_unit_test(stiffOnesStayCalm),
        cmocka_unit_test(momentumStays),
        cmocka_unit_test(bitsDoNotDependOnThreads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
