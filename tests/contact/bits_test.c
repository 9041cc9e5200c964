// The same bits: for any number of threads, every instruction set, and when a run goes on from a saved state. No memory
// is asked for once a step has warmed up.
#include "contact/yard.h"
#include "undamped.h"

#include <stdlib.h>

static void anyNumberOfThreads(void **state)
{
    (void)state;
    static const int threads[] = { 1, 2, 3, 4, 7 };
    static const char *const solvers[] = { "newton", "local-global" };
    for (int solver = 0; solver < 2; ++solver)
    {
        uint64_t want = 0;
        for (int k = 0; k < 5; ++k)
        {
            vvWorldDef def = yardWorldDef("implicit-midpoint", solvers[solver]);
            def.threads = threads[k];
            Yard yard = yardMake(&def);
            yardRun(&yard, 30);
            assert_true(vvWorld_GetContacts(yard.world, NULL, 0) > 0);
            uint64_t hash = vvWorld_GetHash(yard.world);
            want = k == 0 ? hash : want;
            assert_true(hash == want);
            vvDestroyWorld(yard.world);
        }
    }
}

static void everyInstructionSet(void **state)
{
    (void)state;
    uint64_t want = 0;
    for (int k = 0; vvGetInstructionSetName(k) != NULL; ++k)
    {
        vvWorldDef def = yardWorldDef("backward-euler", "local-global");
        def.instructionSet = vvGetInstructionSetName(k);
        Yard yard = yardMake(&def);
        yardRun(&yard, 40);
        uint64_t hash = vvWorld_GetHash(yard.world);
        want = k == 0 ? hash : want;
        assert_true(hash == want);
        vvDestroyWorld(yard.world);
    }
}

// a thousand colliders out of reach change nothing
static void farCollidersChangeNothing(void **state)
{
    (void)state;
    double x[2][3 * 64];
    for (int run = 0; run < 2; ++run)
    {
        vvWorldDef def = yardWorldDef("implicit-midpoint", "newton");
        Yard yard = yardMake(&def);
        vvShape *ball = sphereShape(0.2);
        for (int i = 0; i < 1000 * run; ++i)
        {
            vvColliderDef collider = vvDefaultColliderDef();
            collider.shape = ball;
            collider.position = (vvVec3){ 5 + i % 10, i / 10 % 10, i / 100 };
            assert_true(vvCollider_IsValid(vvCreateCollider(yard.world, &collider, NULL)));
        }
        vvDestroyShape(ball);
        yardRun(&yard, 25);
        assert_int_equal(vvSoftBody_GetVertexCount(yard.body[0]), 64);
        memcpy(x[run], vvSoftBody_GetPositions(yard.body[0]), sizeof x[run]);
        vvDestroyWorld(yard.world);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
}

// ---- saved states ---------------------------------------------------------------------------------------------------

static void goesOn(const vvWorldDef *def, int before, int after)
{
    Yard yard = yardMake(def);
    yardRun(&yard, before);
    assert_true(vvWorld_GetContacts(yard.world, NULL, 0) > 0);
    // a collider is on its way when the state is saved
    vvQuat turned = vvQuat_FromDegrees((vvVec3){ 0, 30, 0 });
    CHECK_OK(vvCollider_MoveTo(yard.collider[5], (vvVec3){ 0.3, -0.25, 0.3 }, turned));
    size_t size = vvWorld_GetStateSize(yard.world);
    unsigned char *bytes = malloc(size);
    CHECK_OK(vvWorld_SaveState(yard.world, bytes, size));
    uint64_t saved = vvWorld_GetHash(yard.world);
    vvLedger ledger = vvWorld_GetLedger(yard.world);
    int steps = yard.steps;
    yardRun(&yard, after);
    uint64_t want = vvWorld_GetHash(yard.world);

    // the same world again, and another one
    Yard other = yardMake(def), *yards[2] = { &yard, &other };
    for (int k = 0; k < 2; ++k)
    {
        CHECK_OK(vvWorld_RestoreState(yards[k]->world, bytes, size));
        assert_true(vvWorld_GetHash(yards[k]->world) == saved);
        vvLedger found = vvWorld_GetLedger(yards[k]->world);
        assert_true(found.contact == ledger.contact && found.numerical == ledger.numerical);
        yards[k]->steps = steps;
        yardRun(yards[k], after);
        assert_true(vvWorld_GetHash(yards[k]->world) == want);
        vvDestroyWorld(yards[k]->world);
    }
    free(bytes);
}

// until something touches
static int yardSteps(const char *method, int steps)
{
    return (int)stepFor(method, steps, 500);
}

// of those that need short steps, some: one without a past and one with
static bool isTried(const char *method)
{
    static const char *const some[] = { "symplectic-euler", "verlet", "adams-bashforth-3", NULL };
    return vvMethod_GetLimit(method) == INFINITY || isOneOf(method, some);
}

static void savedStatesGoOn(void **state)
{
    (void)state;
    static const char *const solvers[] = { "newton", "local-global" };
    for (int method = 0; vvGetMethodName(method) != NULL; ++method)
    {
        for (int solver = 0; solver < (vvMethod_IsExplicit(vvGetMethodName(method)) ? 1 : 2); ++solver)
        {
            if (!isTried(vvGetMethodName(method)))
                continue;
            vvWorldDef def = yardWorldDef(vvGetMethodName(method), solvers[solver]);
            goesOn(&def, yardSteps(def.method, 25), 15);
        }
    }
}

// a state knows what it belongs to
static void otherCollidersAreRefused(void **state)
{
    (void)state;
    for (int change = 0; change < 6; ++change)
    {
        size_t size = 0;
        unsigned char *bytes = NULL;
        for (int run = 0; run < 2; ++run)
        {
            vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, -9.81, 0 });
            makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1), undampedDef());
            vvColliderDef def = vvDefaultColliderDef();
            bool changed = run == 1;
            def.friction += changed && change == 1 ? 0.1 : 0;
            def.restitution += changed && change == 2 ? 0.1 : 0;
            def.stiffness += changed && change == 3 ? 1e5 : 0;
            def.mask = changed && change == 4 ? 7 : def.mask;
            def.position.y = -2;
            makeCollider(world, sphereShape(changed && change == 5 ? 0.9 : 1), def);
            if (run == 0)
            {
                size = vvWorld_GetStateSize(world);
                bytes = malloc(size);
                CHECK_OK(vvWorld_SaveState(world, bytes, size));
            }
            else
                assert_int_equal(vvWorld_RestoreState(world, bytes, size).code, change == 0 ? VV_OK : VV_BAD_INPUT);
            vvDestroyWorld(world);
        }
        free(bytes);
    }
}

// the checksum of a state, so that a test can lie
static uint64_t wordAt(const unsigned char *bytes)
{
    uint64_t word = 0;
    for (int i = 0; i < 8; ++i)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

static void seal(unsigned char *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325ULL;
    for (size_t i = 0; i < size;)
    {
        size_t left = i < 32 ? 32 - i : size - i;
        uint64_t word = left >= 8 ? wordAt(bytes + i) : bytes[i];
        hash = (hash ^ word) * 0x100000001b3ULL;
        hash ^= hash >> 32;
        i += left >= 8 ? 8 : 1;
        i = i == 32 ? 40 : i;
    }
    hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdULL;
    hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    hash ^= hash >> 33;
    for (int i = 0; i < 8; ++i)
        bytes[32 + i] = (unsigned char)(hash >> (8 * i));
}

// wrong contents with a right checksum: refused, or a state like any other; no collider is touched that is not there
static void forgedContactsDoNoHarm(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, -9.81, 0 });
    makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1), undampedDef());
    vvColliderDef def = vvDefaultColliderDef();
    def.position.y = -0.499;
    vvColliderId gone = makeCollider(world, planeShape(), def);
    makeCollider(world, planeShape(), def);
    vvDestroyCollider(gone); // an index that exists but is not used
    CHECK_OK(vvWorld_Step(world, 0.01));
    size_t size = vvWorld_GetStateSize(world);
    unsigned char *saved = malloc(size), *forged = malloc(size);
    CHECK_OK(vvWorld_SaveState(world, saved, size));
    int refused = 0, taken = 0;
    for (size_t i = 40; i < size; i += 3) // every byte of a word in its turn
    {
        static const unsigned char flips[] = { 1, 0x7f, 0xff };
        for (int k = 0; k < 3; ++k)
        {
            memcpy(forged, saved, size);
            forged[i] ^= flips[k];
            seal(forged, size);
            if (vvWorld_RestoreState(world, forged, size).code != VV_OK)
            {
                refused += 1;
                continue;
            }
            taken += 1;
            vvWorld_GetLedger(world);
            vvWorld_GetContacts(world, NULL, 0);
            vvCode code = vvWorld_Step(world, 0.01).code;
            assert_true(code == VV_OK || code == VV_DIVERGED);
            CHECK_OK(vvWorld_RestoreState(world, saved, size));
        }
    }
    print_message("%d forged states refused, %d taken\n", refused, taken);
    assert_true(refused > 100 && taken > 100);
    free(saved);
    free(forged);
    vvDestroyWorld(world);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static void stepsAllocateNothing(void **state)
{
    (void)state;
    static const char *const solvers[] = { "newton", "local-global" };
    for (int method = 0; vvGetMethodName(method) != NULL; ++method)
    {
        for (int solver = 0; solver < (vvMethod_IsExplicit(vvGetMethodName(method)) ? 1 : 2); ++solver)
        {
            if (!isTried(vvGetMethodName(method)))
                continue;
            vvWorldDef def = yardWorldDef(vvGetMethodName(method), solvers[solver]);
            Yard yard = yardMake(&def);
            yardRun(&yard, 7); // nothing touches yet, and the longest past is full
            long long warm = vvWorld_GetStatistics(yard.world).allocationCount;
            int most = 0;
            for (int n = 0; n < yardSteps(def.method, 30); ++n)
            {
                yardStep(&yard);
                int touching = vvWorld_GetContacts(yard.world, NULL, 0);
                most = touching > most ? touching : most;
            }
            assert_true(most > 3);
            assert_int_equal(vvWorld_GetStatistics(yard.world).allocationCount, warm);
            vvDestroyWorld(yard.world);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anyNumberOfThreads),        cmocka_unit_test(everyInstructionSet),
        cmocka_unit_test(farCollidersChangeNothing), cmocka_unit_test(savedStatesGoOn),
        cmocka_unit_test(otherCollidersAreRefused),  cmocka_unit_test(forgedContactsDoNoHarm),
        cmocka_unit_test(stepsAllocateNothing),
    };
    return cmocka_run_group_tests_name("contact bits", tests, NULL, NULL);
}
