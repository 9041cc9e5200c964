// Vertices that slide in planes and along lines: free where they may move, exactly held where not, and what holds them
// is read back.
#include "base/vec.h"
#include "methods.h"
#include "world/scenes.h"
#include "undamped.h"

#include <stdlib.h>

static const char *const solvers[] = { "newton", "newton-cg", "simplified-newton" };

#define SOLVERS 3

static vvWorldId makeSolverWorld(const char *solver, const char *method)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "implicit-midpoint";
    def.solver = solver;
    def.method = method;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    return world;
}

static vvVec3 sumOfForces(vvSoftBodyId body)
{
    double forces[3 * 256];
    vvVec3 sum = { 0, 0, 0 };
    CHECK_OK(vvSoftBody_CopyConstraintForces(body, forces));
    for (int v = 0; v < vvSoftBody_GetVertexCount(body); ++v)
    {
        sum.x += forces[3 * v];
        sum.y += forces[3 * v + 1];
        sum.z += forces[3 * v + 2];
    }
    return sum;
}

static double mass(vvSoftBodyId body)
{
    double sum = 0;
    for (int v = 0; v < vvSoftBody_GetVertexCount(body); ++v)
        sum += vvSoftBody_GetMasses(body)[v];
    return sum;
}

// a box on a slope without friction: backward Euler goes g sin(a) h^2 n (n + 1) / 2, the slope bears m g cos(a)
static void boxOnASlope(void **unused)
{
    (void)unused;
    double sine = 0.6, cosine = 0.8, h = 0.01;
    vvVec3 normal = { sine, cosine, 0 };
    for (int k = 0; k < SOLVERS; ++k)
    {
        vvWorldId world = makeSolverWorld(solvers[k], "backward-euler");
        vvSoftBodyId box =
            makeBody(world, vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 2, 2, 2), elasticDef(1000, 1e5, 0.3));
        int all[27];
        for (int v = 0; v < 27; ++v)
            all[v] = v;
        CHECK_OK(vvSoftBody_Slide(box, all, 27, VV_SLIDE_PLANE, (vvVec3){ 3 * sine, 3 * cosine, 0 }));
        vvVec3 start[27];
        for (int v = 0; v < 27; ++v)
            start[v] = vertexPosition(box, v);
        int steps = 50;
        for (int n = 0; n < steps; ++n)
            CHECK_OK(vvWorld_Step(world, h));
        double way = 9.81 * sine * h * h * steps * (steps + 1) / 2;
        for (int v = 0; v < 27; ++v)
        {
            vvVec3 x = vertexPosition(box, v);
            double dx = x.x - start[v].x, dy = x.y - start[v].y;
            CHECK_NEAR(dx * normal.x + dy * normal.y, 0, 1e-15); // held to rounding, and it does not add up
            CHECK_NEAR(dx * cosine - dy * sine, way, 1e-8);      // down the slope
            CHECK_NEAR(x.z, start[v].z, 1e-8);
        }
        vvVec3 force = sumOfForces(box);
        double weight = 9.81 * mass(box);
        CHECK_NEAR(force.x, weight * cosine * normal.x, 1e-6 * weight);
        CHECK_NEAR(force.y, weight * cosine * normal.y, 1e-6 * weight);
        // work of the slope is zero: what height gave is motion, less what backward Euler loses
        vvLedger ledger = vvWorld_GetLedger(world);
        CHECK_NEAR(ledger.added, 0, 1e-12 * weight);
        assert_true(ledger.kinetic > 0.9 * 0.5 * mass(box) * (9.81 * sine * h * steps) * (9.81 * sine * h * steps));
        vvDestroyWorld(world);
    }
}

// A rope with its upper end on a level rail, let go at a slant: nothing pulls along the rail, so momentum there stays 0
// while the end swings to and fro; the rail does no work, so the midpoint rule keeps the energy.
static void ropeOnARail(void **unused)
{
    (void)unused;
    vvVec3 ends[SOLVERS];
    for (int k = 0; k < SOLVERS; ++k)
    {
        vvWorldId world = makeSolverWorld(solvers[k], "implicit-midpoint");
        vvSoftBodyDef def = undampedDef();
        def.springStiffness[VV_EDGE_STRUCTURAL] = 1e3;
        def.material.thickness = 0.05;
        vvSoftBodyId rope = makeBody(world, vvCreateRopeMesh(1, 10), def);
        int top = vvSoftBody_FindNearestVertex(rope, (vvVec3){ -1, 0, 0 });
        vvVec3 before = vertexPosition(rope, top);
        CHECK_OK(vvSoftBody_Slide(rope, &top, 1, VV_SLIDE_LINE, (vvVec3){ -2, 0, 0 }));
        double furthest = 0, weight = 9.81 * mass(rope);
        for (int n = 0; n < 100; ++n)
        {
            CHECK_OK(vvWorld_Step(world, 0.005));
            assert_true(vvWorld_GetStatistics(world).converged);
            vvVec3 x = vertexPosition(rope, top);
            assert_true(x.y == before.y && x.z == before.z); // exactly
            furthest = fmax(furthest, x.x - before.x);
            CHECK_NEAR(sumOfForces(rope).x, 0, 1e-9 * weight);
            CHECK_NEAR(vvWorld_GetLedger(world).momentum.x, 0, 1e-6);
        }
        vvLedger ledger = vvWorld_GetLedger(world);
        assert_true(furthest > 0.1 && ledger.kinetic > 0.1 && ledger.elastic > 0);
        CHECK_BELOW(fabs(ledger.numerical), 0.01 * ledger.kinetic);
        ends[k] = vertexPosition(rope, top);
        CHECK_NEAR(ends[k].x, ends[0].x, 1e-6); // the same motion by all solvers
        vvDestroyWorld(world);
    }
}

// Collision response by the filter: vertices that come to the ground are held in it, those that it would have to pull
// are let go. The box comes to rest and the ground bears its weight.
static void groundByFilters(void **unused)
{
    (void)unused;
    vvWorldId world = makeSolverWorld("newton-cg", "backward-euler");
    vvSoftBodyDef def = elasticDef(1000, 2e4, 0.3);
    def.position = (vvVec3){ 0, 0.3, 0 };
    def.damping.mass = 4;
    vvSoftBodyId box = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.4, 0.4, 0.4 }, 3, 3, 3), def);
    int count = vvSoftBody_GetVertexCount(box), landed = 0;
    bool held[64] = { false };
    double forces[3 * 64], weight = 9.81 * mass(box), peak = 0;
    for (int n = 0; n < 400; ++n)
    {
        CHECK_OK(vvWorld_Step(world, 0.01));
        CHECK_OK(vvSoftBody_CopyConstraintForces(box, forces));
        for (int v = 0; v < count; ++v)
        {
            if (!held[v] && vertexPosition(box, v).y <= 0 && vvSoftBody_GetVelocities(box)[3 * v + 1] < 0)
            {
                CHECK_OK(vvSoftBody_Slide(box, &v, 1, VV_SLIDE_PLANE, (vvVec3){ 0, 1, 0 }));
                held[v] = true;
                landed += 1;
            }
            else if (held[v] && forces[3 * v + 1] < 0)
            {
                CHECK_OK(vvSoftBody_Unpin(box, &v, 1));
                held[v] = false;
            }
            assert_true(held[v] || (forces[3 * v] == 0 && forces[3 * v + 2] == 0));
        }
        peak = fmax(peak, sumOfForces(box).y);
    }
    assert_true(landed >= 16 && peak > 1.2 * weight);
    vvVec3 force = sumOfForces(box);
    CHECK_NEAR(force.y, weight, 1e-3 * weight);
    CHECK_NEAR(force.x, 0, 1e-12 * weight);
    CHECK_BELOW(vvWorld_GetLedger(world).kinetic, 1e-6);
    vvDestroyWorld(world);
}

// a pinned body at rest: the pins bear its weight, whatever solves the step
static void pinsBearTheWeight(void **unused)
{
    (void)unused;
    for (int k = 0; vvGetSolverName(k) != NULL; ++k)
    {
        vvWorldId world = makeSolverWorld(vvGetSolverName(k), "backward-euler");
        vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
        def.damping.mass = 20;
        vvSoftBodyId box = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 2, 2, 2), def);
        double forces[3 * 27];
        CHECK_OK(vvSoftBody_CopyConstraintForces(box, forces));
        for (int i = 0; i < 3 * 27; ++i)
            assert_true(forces[i] == 0);
        int top[9];
        assert_int_equal(vvSoftBody_FindVertices(box, planeBox(1, 0.1, 1e-6), top, 9), 9);
        CHECK_OK(vvSoftBody_Pin(box, top, 9));
        for (int n = 0; n < 150; ++n)
            CHECK_OK(vvWorld_Step(world, 0.02));
        vvVec3 force = sumOfForces(box);
        double weight = 9.81 * mass(box);
        // ten iterations of local-global, each step from free fall, leave 0.3 %
        double share = strcmp(vvGetSolverName(k), "local-global") == 0 ? 1e-2 : 1e-6;
        CHECK_NEAR(force.y, weight, share * weight);
        CHECK_NEAR(force.x, 0, share * weight);
        vvDestroyWorld(world);
    }
}

// two bodies on a spring whose ends slide: joints are filtered too, so all solvers agree
static void joinedSlides(void **unused)
{
    (void)unused;
    vvVec3 first = { 0, 0, 0 };
    for (int k = 0; k < SOLVERS; ++k)
    {
        vvWorldId world = makeSolverWorld(solvers[k], "backward-euler");
        vvSoftBodyDef def = elasticDef(1000, 5e4, 0.3);
        vvSoftBodyId a = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 2, 2, 2), def);
        def.position = (vvVec3){ 0.5, 0, 0 };
        vvSoftBodyId b = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 2, 2, 2), def);
        vvAttachmentDef link = vvDefaultAttachmentDef();
        link.bodyA = a;
        link.vertexA = 4;
        link.bodyB = b;
        link.vertexB = 7;
        link.stiffness = 2000;
        vvResult result;
        vvCreateAttachment(world, &link, &result);
        CHECK_OK(result);
        CHECK_OK(vvSoftBody_Slide(a, (int[]){ 4, 9 }, 2, VV_SLIDE_PLANE, (vvVec3){ 1, 1, 0.5 }));
        CHECK_OK(vvSoftBody_Slide(b, (int[]){ 7 }, 1, VV_SLIDE_LINE, (vvVec3){ 1, 0.2, 0 }));
        CHECK_OK(vvSoftBody_Pin(b, (int[]){ 0 }, 1));
        for (int n = 0; n < 20; ++n)
        {
            CHECK_OK(vvWorld_Step(world, 0.01));
            vvStatistics statistics = vvWorld_GetStatistics(world);
            assert_true(statistics.converged);
            if (k == 0)
                CHECK_BELOW(statistics.iterations, 24); // the matrix is the derivative of what is filtered
        }
        vvVec3 x = vertexPosition(a, 4);
        first = k == 0 ? x : first;
        CHECK_NEAR(x.x, first.x, 1e-7);
        CHECK_NEAR(x.y, first.y, 1e-7);
        CHECK_NEAR(x.z, first.z, 1e-7);
        vvDestroyWorld(world);
    }
}

// slides are state: hashed, saved and restored
static void slidesAreState(void **unused)
{
    (void)unused;
    vvWorldId world = makeSolverWorld("newton", "backward-euler");
    vvSoftBodyId box = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 2, 2, 2), elasticDef(1000, 1e5, 0.3));
    uint64_t loose = vvWorld_GetHash(world);
    int vertices[2] = { 3, 8 };
    CHECK_OK(vvSoftBody_Slide(box, vertices, 2, VV_SLIDE_PLANE, (vvVec3){ 0, 1, 0 }));
    uint64_t plane = vvWorld_GetHash(world);
    CHECK_OK(vvSoftBody_Slide(box, vertices, 2, VV_SLIDE_LINE, (vvVec3){ 0, 1, 0 }));
    uint64_t line = vvWorld_GetHash(world);
    assert_true(loose != plane && plane != line && line != loose);
    CHECK_OK(vvWorld_Step(world, 0.01));
    size_t size = vvWorld_GetStateSize(world);
    void *saved = malloc(size);
    CHECK_OK(vvWorld_SaveState(world, saved, size));
    CHECK_OK(vvWorld_Step(world, 0.01));
    uint64_t after = vvWorld_GetHash(world);
    CHECK_OK(vvSoftBody_Unpin(box, vertices, 2));
    CHECK_OK(vvWorld_Step(world, 0.01));
    CHECK_OK(vvWorld_RestoreState(world, saved, size));
    CHECK_OK(vvWorld_Step(world, 0.01));
    assert_true(vvWorld_GetHash(world) == after);

    // a world that cannot slide does not take it
    vvWorldId other = makeSolverWorld("local-global", "backward-euler");
    makeBody(other, vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 2, 2, 2), elasticDef(1000, 1e5, 0.3));
    assert_int_equal(vvWorld_GetStateSize(other), size);
    assert_int_equal(vvWorld_RestoreState(other, saved, size).code, VV_BAD_INPUT);
    vvDestroyWorld(other);
    free(saved);
    vvDestroyWorld(world);
}

// the velocity out of the plane goes, with its energy; velocities set later obey too
static void velocityOutOfThePlaneGoes(void **unused)
{
    (void)unused;
    vvWorldId world = makeSolverWorld("newton", "backward-euler");
    vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
    def.velocity = (vvVec3){ 1, 2, 3 };
    vvSoftBodyId box = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 2, 2, 2), def);
    CHECK_OK(vvSoftBody_Slide(box, (int[]){ 3 }, 1, VV_SLIDE_PLANE, (vvVec3){ 0, 0, 5 }));
    const double *v = vvSoftBody_GetVelocities(box) + 9;
    assert_true(v[0] == 1 && v[1] == 2 && v[2] == 0);
    vvLedger ledger = vvWorld_GetLedger(world);
    CHECK_NEAR(ledger.added, -0.5 * vvSoftBody_GetMasses(box)[3] * 9, 1e-12);
    CHECK_NEAR(ledger.numerical, 0, 1e-12);
    double velocities[81];
    for (int i = 0; i < 81; ++i)
        velocities[i] = 4;
    CHECK_OK(vvSoftBody_SetVelocities(box, velocities));
    v = vvSoftBody_GetVelocities(box) + 9;
    assert_true(v[0] == 4 && v[1] == 4 && v[2] == 0);
    CHECK_OK(vvSoftBody_Pin(box, (int[]){ 3 }, 1));
    assert_true(vvSoftBody_IsPinned(box, 3));
    CHECK_OK(vvSoftBody_Slide(box, (int[]){ 3 }, 1, VV_SLIDE_LINE, (vvVec3){ 0, 0, 5 }));
    assert_false(vvSoftBody_IsPinned(box, 3));
    vvDestroyWorld(world);
}

static void mistakesAreRefused(void **unused)
{
    (void)unused;
    vvVec3 up = { 0, 1, 0 };
    int vertex = 0;
    vvWorldId world = makeSolverWorld("newton", "backward-euler");
    vvSoftBodyId box = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 1, 1, 1), elasticDef(1000, 1e5, 0.3));
    uint64_t before = vvWorld_GetHash(world);
    assert_int_equal(vvSoftBody_Slide(box, &vertex, 1, VV_SLIDE_PLANE, (vvVec3){ 0, 0, 0 }).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_Slide(box, &vertex, 1, VV_SLIDE_PLANE, (vvVec3){ NAN, 0, 0 }).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_Slide(box, &vertex, 1, (vvSlideKind)7, up).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_Slide(box, NULL, 1, VV_SLIDE_PLANE, up).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_Slide(box, (int[]){ 99 }, 1, VV_SLIDE_PLANE, up).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_Slide((vvSoftBodyId){ 0 }, &vertex, 1, VV_SLIDE_PLANE, up).code, VV_BAD_ID);
    assert_int_equal(vvSoftBody_CopyConstraintForces((vvSoftBodyId){ 0 }, &(double){ 0 }).code, VV_BAD_ID);
    assert_int_equal(vvSoftBody_CopyConstraintForces(box, NULL).code, VV_BAD_INPUT);
    assert_true(vvWorld_GetHash(world) == before);
    CHECK_OK(vvSoftBody_Slide(box, &vertex, 1, VV_SLIDE_PLANE, up));
    // no explicit method while something slides
    vvResult result = vvWorld_SetMethod(world, "symplectic-euler");
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_non_null(strstr(result.message, "slide"));
    CHECK_OK(vvWorld_SetMethod(world, "implicit-midpoint"));
    CHECK_OK(vvSoftBody_Unpin(box, &vertex, 1));
    CHECK_OK(vvWorld_SetMethod(world, "symplectic-euler"));
    assert_int_equal(vvSoftBody_Slide(box, &vertex, 1, VV_SLIDE_PLANE, up).code, VV_BAD_INPUT);
    vvDestroyWorld(world);
    world = makeSolverWorld("local-global", "backward-euler");
    box = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 1, 1, 1), elasticDef(1000, 1e5, 0.3));
    result = vvSoftBody_Slide(box, &vertex, 1, VV_SLIDE_PLANE, up);
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_non_null(strstr(result.message, "local-global"));
    vvDestroyWorld(world);
}

// Every method keeps planes and lines, or says that it does not: when vertices are to slide, when the method is to
// change and when a state is restored.
static void everyMethodSlidesOrRefuses(void **unused)
{
    (void)unused;
    static const char *const cannot[] = { "small-midpoint", "small-steps", "pbd", NULL };
    vvVec3 normal = { 1, 2, 0.5 }, along = { 1, 0, 1 };
    for (int m = 0; vvGetMethodName(m) != NULL; ++m)
    {
        const char *method = vvGetMethodName(m);
        vvWorldId world = makeSolverWorld("newton", method);
        vvSoftBodyDef def = elasticDef(1000, 2e4, 0.3);
        def.velocity = (vvVec3){ 0.5, 0.2, -0.3 };
        vvSoftBodyId box = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 1, 1, 1), def);
        vvResult plane = vvSoftBody_Slide(box, (int[]){ 2 }, 1, VV_SLIDE_PLANE, normal);
        vvResult line = vvSoftBody_Slide(box, (int[]){ 5 }, 1, VV_SLIDE_LINE, along);
        bool refuses = vvMethod_IsExplicit(method) || isOneOf(method, cannot);
        vvCode wanted = refuses ? VV_BAD_INPUT : VV_OK;
        if (plane.code != wanted || line.code != wanted)
            fail_msg("%s: %s", method, plane.message);
        assert_true(!refuses || strstr(plane.message, method) != NULL);

        // a world where something slides takes the method or not likewise
        vvWorldId other = makeSolverWorld("newton", "implicit-midpoint");
        vvSoftBodyId block = makeBody(other, vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 1, 1, 1), def);
        CHECK_OK(vvSoftBody_Slide(block, (int[]){ 2 }, 1, VV_SLIDE_PLANE, normal));
        assert_int_equal(vvWorld_SetMethod(other, method).code, wanted);
        vvDestroyWorld(other);

        vvVec3 start[2] = { vertexPosition(box, 2), vertexPosition(box, 5) };
        double moved = 0;
        for (int n = 0; n < 20 && !refuses; ++n)
        {
            CHECK_OK(vvWorld_Step(world, 1.0 / 240));
            vvVec3 way = vecSub(vertexPosition(box, 2), start[0]), rail = vecSub(vertexPosition(box, 5), start[1]);
            const double *v = vvSoftBody_GetVelocities(box);
            // rounding of positions of 0.1 m
            CHECK_BELOW(fabs(vecDot(way, normal)), 1e-15);
            CHECK_BELOW(vecLength(vecCross(rail, along)), 1e-15);
            CHECK_BELOW(fabs(vecDot(vecLoad(v + 6), normal)), 1e-14);
            CHECK_BELOW(vecLength(vecCross(vecLoad(v + 15), along)), 1e-14);
            moved = fmax(moved, vecLength(way));
            vvLedger ledger = vvWorld_GetLedger(world);
            if (keepsMomentum(method)) // and energy at this step
                CHECK_NEAR(ledger.numerical, 0, 0.1 * (ledger.kinetic + ledger.elastic));
        }
        assert_true(refuses || moved > 0.005);
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxOnASlope),
        cmocka_unit_test(ropeOnARail),
        cmocka_unit_test(groundByFilters),
        cmocka_unit_test(pinsBearTheWeight),
        cmocka_unit_test(joinedSlides),
        cmocka_unit_test(slidesAreState),
        cmocka_unit_test(velocityOutOfThePlaneGoes),
        cmocka_unit_test(mistakesAreRefused),
        cmocka_unit_test(everyMethodSlidesOrRefuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
