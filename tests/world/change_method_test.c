// Methods change under way: by a call, and by states of other methods; bodies hold what the present one asks for.
#include "world/add.h"
#include "methods.h"

#include "base/system.h"
#include "world/scenes.h"
#include "undamped.h"

#include <stdlib.h>

#define H 0.01

typedef struct Failing
{
    int after; // allocations until one fails; negative: never
} Failing;

static void *allocate(size_t size, size_t alignment, void *userData)
{
    Failing *failing = userData;
    if (failing->after >= 0 && failing->after-- == 0)
        return NULL;
    return systemAllocate(size, alignment);
}

static void release(void *memory, size_t size, void *userData)
{
    (void)size;
    (void)userData;
    systemRelease(memory);
}

typedef struct Setup
{
    const char *method, *solver;
    double stepTolerance;
    int iterations;
    double height; // m, of the floor
    Failing *failing;
} Setup;

// a small box above a plane; the body is the world's first
static vvWorldId build(const Setup *setup, vvSoftBodyId *body)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = setup->method;
    def.solver = setup->solver;
    def.settings.stepTolerance = setup->stepTolerance;
    def.iterations = setup->iterations;
    if (setup->failing != NULL)
        def.allocator = (vvAllocator){ allocate, release, setup->failing };
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    vvShapeDef shape = vvDefaultShapeDef();
    vvColliderDef collider = vvDefaultColliderDef();
    collider.shape = vvCreateShape(&shape, &result);
    collider.position.y = setup->height;
    vvCreateCollider(world, &collider, &result);
    CHECK_OK(result);
    vvDestroyShape(collider.shape);
    vvSoftBodyDef bodyDef = elasticDef(1000, 1e5, 0.3);
    bodyDef.velocity.y = -1;
    *body = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1), bodyDef);
    return world;
}

// a step that may diverge, but nothing else
static void mayDiverge(vvWorldId world, double dt)
{
    vvResult result = vvWorld_Step(world, dt);
    if (result.code != VV_OK && result.code != VV_DIVERGED)
        fail_msg("%s under %s", result.message, vvWorld_GetMethod(world));
}

static void goAcross(const Setup *from, const Setup *into)
{
    vvSoftBodyId body;
    vvWorldId a = build(from, &body), b = build(into, &body);
    double dt = stepFor(from->method, H, 1e-3), other = stepFor(into->method, H, 1e-3);
    for (int i = 0; i < 3; ++i)
        mayDiverge(a, dt);
    mayDiverge(b, other);
    size_t size = vvWorld_GetStateSize(a);
    void *state = malloc(size);
    CHECK_OK(vvWorld_SaveState(a, state, size));
    CHECK_OK(vvWorld_RestoreState(b, state, size));
    assert_string_equal(vvWorld_GetMethod(b), from->method);
    for (int i = 0; i < 3; ++i)
    {
        mayDiverge(a, dt);
        mayDiverge(b, dt);
    }
    if (vvWorld_GetHash(a) != vvWorld_GetHash(b))
        fail_msg("%s and %s, restored from the first, go on with other bits", from->method, into->method);
    free(state);
    vvDestroyWorld(a);
    vvDestroyWorld(b);
}

static void statesGoAcrossMethods(void **state)
{
    (void)state;
    for (int solver = 0; vvGetSolverName(solver) != NULL; ++solver)
    {
        for (int i = 0; vvGetMethodName(i) != NULL; ++i)
        {
            // every pair with the first solver, every seventh with the others
            for (int j = 0; vvGetMethodName(j) != NULL; ++j)
            {
                if (solver > 0 && (i + j) % 7 != 0)
                    continue;
                Setup from = { vvGetMethodName(i), vvGetSolverName(solver), .height = -0.51 }, into = from;
                into.method = vvGetMethodName(j);
                goAcross(&from, &into);
            }
        }
    }
}

// an error leaves the world as it was, whichever allocation fails
static void failedRestoreChangesNothing(void **state)
{
    (void)state;
    static const char *const pairs[][2] = { { "small-midpoint", "backward-euler" },
                                            { "bdf4", "small-steps" },
                                            { "backward-euler", "small-midpoint" },
                                            { "small-steps", "rk4" } };
    for (int k = 0; k < 4; ++k)
    {
        Failing failing = { -1 };
        vvSoftBodyId body;
        Setup from = { pairs[k][0], "newton", .height = -0.51 }, into = { pairs[k][1], "newton", .height = -0.51 };
        into.failing = &failing;
        vvWorldId a = build(&from, &body), b = build(&into, &body);
        CHECK_OK(vvWorld_Step(a, 1e-3));
        CHECK_OK(vvWorld_Step(b, 1e-3));
        size_t size = vvWorld_GetStateSize(a);
        void *bytes = malloc(size);
        CHECK_OK(vvWorld_SaveState(a, bytes, size));
        uint64_t hash = vvWorld_GetHash(b);
        vvResult result = { VV_OUT_OF_MEMORY, "", "" };
        for (int after = 0; result.code == VV_OUT_OF_MEMORY; ++after)
        {
            failing.after = after;
            result = vvWorld_RestoreState(b, bytes, size);
            failing.after = -1;
            if (result.code == VV_OK)
                break;
            assert_int_equal(result.code, VV_OUT_OF_MEMORY);
            assert_true(vvWorld_GetHash(b) == hash);
            assert_string_equal(vvWorld_GetMethod(b), pairs[k][1]);
        }
        CHECK_OK(result);
        assert_true(vvWorld_GetHash(b) == vvWorld_GetHash(a));
        free(bytes);
        vvDestroyWorld(a);
        vvDestroyWorld(b);
    }
}

// ---- what a step leaves behind --------------------------------------------------------------------------------------

static void stay(void *userData, int element, const double *z, double *p)
{
    (void)userData;
    (void)element;
    memcpy(p, z, 12 * sizeof(double));
}

// constraints come to a body that has touched something, also after tries that ran out of memory
static void constraintsComeAfterATouch(void **state)
{
    (void)state;
    for (int k = 0; k < 4 * 33 && vvGetMethodName(k / 4) != NULL; ++k)
    {
        Failing failing = { -1 };
        vvSoftBodyId body;
        Setup setup = { vvGetMethodName(k / 4), vvGetSolverName(k % 4), .height = -0.501, .failing = &failing };
        vvWorldId world = build(&setup, &body);
        double dt = stepFor(setup.method, H, 1e-3);
        for (int i = 0; i < 4; ++i)
            mayDiverge(world, dt);
        int vertices[4] = { 0, 1, 2, 4 };
        vvHingeDef hinge = vvDefaultHingeDef();
        hinge.vertices = vertices;
        hinge.count = 1;
        vvConstraintDef own = vvDefaultConstraintDef();
        own.vertices = vertices;
        own.count = 1;
        own.corners = 4;
        own.project = stay;
        vvResult result = { VV_OUT_OF_MEMORY, "", "" };
        for (int after = 0; result.code == VV_OUT_OF_MEMORY; ++after)
        {
            failing.after = after;
            result = k % 2 ? addHinge(body, &hinge) : addConstraint(body, &own);
            failing.after = -1;
            mayDiverge(world, dt);
        }
        CHECK_OK(result);
        CHECK_OK(addHinge(body, &hinge));
        for (int i = 0; i < 4; ++i)
            mayDiverge(world, dt);
        vvDestroyWorld(world);
    }
}

// steps whose solver fails are taken again in parts, while something is being hit
static void dividedStepsMeetColliders(void **state)
{
    (void)state;
    for (int k = 0; k < 4 * 33 && vvGetMethodName(k / 4) != NULL; ++k)
    {
        vvSoftBodyId body;
        Setup setup = { vvGetMethodName(k / 4), vvGetSolverName(k % 4), .stepTolerance = 1e-4, .height = -0.55 };
        setup.iterations = 1;
        vvWorldId world = build(&setup, &body);
        for (int i = 0; i < 6; ++i)
            mayDiverge(world, H);
        vvDestroyWorld(world);
    }
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static size_t bytesOf(vvWorldId world)
{
    return vvWorld_GetStatistics(world).memoryBytes;
}

static vvWorldId clothUnder(const char *method, const char *solver)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.solver = solver;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    vvSoftBodyDef body = undampedDef();
    body.material.thickness = 1e-3;
    makeBody(world, vvCreateSheetMesh(1, 1, 24, 24), body);
    return world;
}

// a method that asks no solver holds the same whatever the solver is, and less than one that does
static void onlyWhatIsAskedForIsHeld(void **state)
{
    (void)state;
    int without = 0;
    for (int i = 0; vvGetMethodName(i) != NULL; ++i)
    {
        const char *method = vvGetMethodName(i);
        size_t bytes[4];
        for (int solver = 0; solver < 4; ++solver)
        {
            vvWorldId world = clothUnder(method, vvGetSolverName(solver));
            mayDiverge(world, 1e-5);
            bytes[solver] = bytesOf(world);
            vvDestroyWorld(world);
        }
        static const char *const sweeping[] = { "small-steps", "pbd", "pd-jacobi", NULL };
        bool same = bytes[0] == bytes[1] && bytes[0] == bytes[2] && bytes[0] == bytes[3];
        if (vvMethod_IsExplicit(method) || isOneOf(method, sweeping))
        {
            without += 1;
            if (!same)
                fail_msg("%s holds %zu to %zu bytes, by the solver that it does not ask", method, bytes[0], bytes[1]);
        }
        else if (strcmp(method, "small-midpoint") != 0)
            assert_false(same);
    }
    assert_true(without >= 13);
}

// what another method needs is made and released with it
static void switchingBuildsAndReleases(void **state)
{
    (void)state;
    vvWorldId world = clothUnder("small-steps", "newton");
    CHECK_OK(vvWorld_Step(world, 1e-3));
    size_t least = bytesOf(world);
    static const char *const others[] = { "backward-euler", "small-midpoint", "symplectic-euler", "implicit-midpoint" };
    for (int k = 0; k < 4; ++k)
    {
        CHECK_OK(vvWorld_SetMethod(world, others[k]));
        CHECK_OK(vvWorld_Step(world, 1e-5));
        assert_true(vvMethod_IsExplicit(others[k]) || bytesOf(world) > least + least / 4);
        CHECK_OK(vvWorld_SetMethod(world, "small-steps"));
        CHECK_OK(vvWorld_Step(world, 1e-5));
        size_t back = bytesOf(world);
        if (back > least + least / 20)
            fail_msg("%zu bytes under small-steps after %s, %zu before", back, others[k], least);
    }
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statesGoAcrossMethods),      cmocka_unit_test(failedRestoreChangesNothing),
        cmocka_unit_test(constraintsComeAfterATouch), cmocka_unit_test(dividedStepsMeetColliders),
        cmocka_unit_test(onlyWhatIsAskedForIsHeld),   cmocka_unit_test(switchingBuildsAndReleases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
