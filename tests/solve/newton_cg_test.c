// Newton's relatives find the same minimiser as Newton, with the same bits for any threads, and ask for memory once.
#include "solve/cloth.h"

#include "base/system.h"
#include "undamped.h"

#include <stdlib.h>

// where nothing turns the linear Jacobian is the true one: a rope that only stretches
static void linearJacobianSolvesWhatIsLinear(void **unused)
{
    (void)unused;
    vvWorldDef def = solverDef("simplified-newton");
    def.settings.simplifiedNewton.jacobian = VV_JACOBIAN_LINEAR;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    vvSoftBodyDef body = undampedDef();
    body.springStiffness[VV_EDGE_STRUCTURAL] = 1e3;
    body.material.thickness = 0.05;
    vvSoftBodyId rope = makeBody(world, vvCreateRopeMesh(1, 10), body);
    CHECK_OK(vvSoftBody_Pin(rope, (int[]){ 0 }, 1));
    CHECK_OK(vvWorld_SetGravity(world, (vvVec3){ 9.81, 0, 0 }));
    for (int n = 0; n < 20; ++n)
    {
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        vvStatistics statistics = vvWorld_GetStatistics(world);
        assert_true(statistics.converged);
        CHECK_BELOW(statistics.iterations, 3);
    }
    vvDestroyWorld(world);
}

// two ropes in a line, a spring between them: the constant Jacobian knows a joint by its diagonal only, and still gets
// there
static void linearJacobianFollowsJoints(void **unused)
{
    (void)unused;
    double position[2][33];
    for (int k = 0; k < 2; ++k)
    {
        vvWorldDef def = solverDef(k == 0 ? "newton" : "simplified-newton");
        def.settings.simplifiedNewton.jacobian = VV_JACOBIAN_LINEAR;
        def.iterations = 2000;
        vvResult result;
        vvWorldId world = vvCreateWorld(&def, &result);
        CHECK_OK(result);
        vvSoftBodyDef body = undampedDef();
        body.springStiffness[VV_EDGE_STRUCTURAL] = 1e3;
        body.material.thickness = 0.05;
        vvSoftBodyId first = makeBody(world, vvCreateRopeMesh(1, 10), body);
        body.position.x = 1.2;
        vvSoftBodyId second = makeBody(world, vvCreateRopeMesh(1, 10), body);
        CHECK_OK(vvSoftBody_Pin(first, (int[]){ 0 }, 1));
        vvAttachmentDef link = vvDefaultAttachmentDef();
        link.bodyA = first;
        link.vertexA = 10;
        link.bodyB = second;
        link.stiffness = 500;
        link.restLength = 0.2;
        vvCreateAttachment(world, &link, &result);
        CHECK_OK(result);
        CHECK_OK(vvWorld_SetGravity(world, (vvVec3){ 9.81, 0, 0 }));
        for (int n = 0; n < 20; ++n)
        {
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
            assert_true(vvWorld_GetStatistics(world).converged);
        }
        memcpy(position[k], vvSoftBody_GetPositions(second), sizeof position[k]);
        vvDestroyWorld(world);
    }
    for (int i = 0; i < 33; ++i)
        CHECK_NEAR(position[0][i], position[1][i], 1e-5); // both stop at their tolerance
    assert_true(position[0][0] > 0.8);                    // the second rope was pulled along
}

// two bodies on a spring, pins, damping: all solvers that converge go the same way
static vvWorldId makePair(const vvWorldDef *def, vvSoftBodyId *box)
{
    vvResult result;
    vvWorldId world = vvCreateWorld(def, &result);
    CHECK_OK(result);
    vvSoftBodyDef body = elasticDef(1000, 5e4, 0.3);
    body.damping.mass = 1.5;
    *box = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.4, 0.4, 0.4 }, 3, 3, 3), body);
    body.position = (vvVec3){ 0.8, 0, 0 };
    body.spin = (vvVec3){ 1, 2, 3 };
    vvSoftBodyId ball = makeBody(world, vvCreateSphereMesh(0.3, 1), body);
    CHECK_OK(vvSoftBody_Pin(*box, (int[]){ 0, 5 }, 2));
    vvAttachmentDef link = vvDefaultAttachmentDef();
    link.bodyA = *box;
    link.vertexA = 20;
    link.bodyB = ball;
    link.vertexB = 1;
    link.stiffness = 900;
    link.restLength = 0.1;
    vvCreateAttachment(world, &link, &result);
    CHECK_OK(result);
    return world;
}

static void sameMinimiser(void **unused)
{
    (void)unused;
    double positions[2][3 * 64];
    for (int k = 0; k < 6; ++k)
    {
        vvWorldDef def = solverDef(k == 0 ? "newton" : k == 1 ? "simplified-newton" : "newton-cg");
        def.method = "implicit-midpoint";
        if (k >= 2)
            def.settings.newtonCg.preconditioner = vvGetPreconditionerName(k - 1); // diagonal to ic
        vvSoftBodyId box;
        vvWorldId world = makePair(&def, &box);
        for (int n = 0; n < 20; ++n)
        {
            CHECK_OK(vvWorld_Step(world, 0.01));
            vvStatistics statistics = vvWorld_GetStatistics(world);
            assert_true(statistics.converged);
            assert_true(statistics.linearIterations > 0);
        }
        double *x = positions[k == 0 ? 0 : 1];
        memcpy(x, vvSoftBody_GetPositions(box), sizeof positions[0]);
        // tolerance 1e-10 of 0.4 m a step, twenty steps
        for (int i = 0; i < 3 * 64 && k > 0; ++i)
            CHECK_NEAR(x[i], positions[0][i], 2e-8);
        // damped at 1.5/s, so the energy goes down; the ledger agrees among solvers
        CHECK_BELOW(fabs(vvWorld_GetLedger(world).numerical), 0.02 * fabs(vvWorld_GetLedger(world).total));
        vvDestroyWorld(world);
    }
}

// free bodies keep their momentum to what the tolerance leaves, though the linear systems are solved to 2 % only
static void momentumHolds(void **unused)
{
    (void)unused;
    vvWorldDef def = solverDef("newton-cg");
    def.method = "implicit-midpoint";
    def.gravity = (vvVec3){ 0, 0, 0 };
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    spinningCube(world, 4, 1e5, 6);
    vvLedger before = vvWorld_GetLedger(world);
    for (int n = 0; n < 30; ++n)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    vvLedger after = vvWorld_GetLedger(world);
    // kg x m/s: residuals of 1e-10 m in 1/60 s, thirty steps of 1000 kg
    CHECK_NEAR(after.momentum.x, before.momentum.x, 1e-3);
    CHECK_NEAR(after.momentum.y, before.momentum.y, 1e-3);
    CHECK_CLOSE(after.angularMomentum.z, before.angularMomentum.z, 1e-6);
    assert_true(after.elastic > 0);
    vvDestroyWorld(world);
}

static void sameBitsForAnyThreads(void **unused)
{
    (void)unused;
    static const char *const solvers[] = { "newton-cg", "simplified-newton" };
    for (int k = 0; k < 2; ++k)
    {
        uint64_t hash[2];
        for (int threads = 1; threads <= 3; threads += 2)
        {
            vvWorldDef def = solverDef(solvers[k]);
            def.threads = threads;
            vvResult result;
            vvWorldId world = vvCreateWorld(&def, &result);
            CHECK_OK(result);
            // past the size from which threads are used
            makeBody(world, vvCreateBoxMesh((vvVec3){ 1.2, 0.4, 0.4 }, 21, 7, 7), elasticDef(1000, 1e5, 0.4));
            for (int n = 0; n < 2; ++n)
                CHECK_OK(vvWorld_Step(world, 1.0 / 60));
            hash[threads / 2] = vvWorld_GetHash(world);
            vvDestroyWorld(world);
        }
        assert_true(hash[0] == hash[1]);
    }
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static long long calls, refuseAt;

static void *countingAllocate(size_t size, size_t alignment, void *userData)
{
    (void)userData;
    return ++calls == refuseAt ? NULL : systemAllocate(size, alignment);
}

static void countingRelease(void *block, size_t size, void *userData)
{
    (void)size;
    (void)userData;
    systemRelease(block);
}

// a warm step asks for nothing; every request for a body and its first step may be refused, and the next try succeeds
static void memoryIsAskedForOnce(void **unused)
{
    (void)unused;
    static const char *const solvers[] = { "newton-cg", "simplified-newton" };
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2);
    for (int k = 0; k < 2; ++k)
    {
        for (int at = 0;; ++at) // 0: none is refused
        {
            vvWorldDef def = solverDef(solvers[k]);
            def.allocator = (vvAllocator){ countingAllocate, countingRelease, NULL };
            refuseAt = 0;
            vvResult result;
            vvWorldId world = vvCreateWorld(&def, &result);
            CHECK_OK(result);
            vvSoftBodyDef body = elasticDef(1000, 1e5, 0.3);
            body.mesh = mesh;
            long long before = calls;
            refuseAt = at == 0 ? 0 : calls + at;
            bool failed = false;
            vvSoftBodyId id = vvCreateSoftBody(world, &body, &result);
            if (result.code != VV_OK)
            {
                assert_int_equal(result.code, VV_OUT_OF_MEMORY);
                failed = true;
                id = vvCreateSoftBody(world, &body, &result);
                CHECK_OK(result);
            }
            result = vvWorld_Step(world, 0.01);
            if (result.code != VV_OK)
            {
                assert_int_equal(result.code, VV_OUT_OF_MEMORY);
                failed = true;
                CHECK_OK(vvWorld_Step(world, 0.01));
            }
            assert_true(vvSoftBody_IsValid(id));
            before = calls;
            for (int n = 0; n < 5; ++n)
                CHECK_OK(vvWorld_Step(world, 0.01));
            assert_int_equal(calls, before);
            vvDestroyWorld(world);
            if (at > 0 && !failed)
            {
                assert_true(at > 20);
                break;
            }
        }
    }
    vvDestroyMesh(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linearJacobianSolvesWhatIsLinear),
        cmocka_unit_test(linearJacobianFollowsJoints),
        cmocka_unit_test(sameMinimiser),
        cmocka_unit_test(momentumHolds),
        cmocka_unit_test(sameBitsForAnyThreads),
        cmocka_unit_test(memoryIsAskedForOnce),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
