// Elements that are looked at in tasks: those that pass are the ones that pass one by one, in their order, for any
// number of elements and threads; and what is held outside of colliders has the same bits.
#include "check.h"

#include "contact/ground.h"
#include "contact/sift.h"
#include "undamped.h"

#define MOST 40000

typedef struct Marks
{
    const bool *mark; // of elements
} Marks;

static void passMarked(const void *context, int begin, int end, uint64_t *passes)
{
    const Marks *marks = context;
    for (int i = begin; i < end; ++i)
    {
        if (marks->mark[i])
            siftPass(passes, i - begin);
    }
}

static void finds_what_passes(void **state)
{
    (void)state;
    static bool mark[MOST];
    TestRandom random = { 5 };
    Memory memory = memoryMake(NULL);
    Workers *workers[2] = { NULL, workersCreate(&memory, 3, NULL) };
    assert_non_null(workers[1]);
    for (int n = 0; n < 60; ++n)
    {
        int count = (int)randomBetween(&random, 1, n % 2 ? 1000 : MOST), next = 0;
        double share = n % 3 == 0 ? 1 : 0.1 * randomUnit(&random);
        for (int i = 0; i < count; ++i)
            mark[i] = randomUnit(&random) < share;
        Sift sift = { .end = 0 };
        while (sift.end < count)
        {
            siftRun(&sift, workers[n / 2 % 2], sift.end, count, passMarked, &(Marks){ mark });
            for (int i = siftNext(&sift, sift.begin); i < sift.end; i = siftNext(&sift, i + 1))
            {
                for (; next < i; ++next)
                    assert_false(mark[next]);
                assert_true(mark[next++]);
            }
        }
        for (; next < count; ++next)
            assert_false(mark[next]);
    }
    workersDestroy(workers[1]);
}

// a sheet of 625 points that is thrown at a ball
static uint64_t throwSheet(int threads)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.threads = threads;
    vvWorldId world = vvCreateWorld(&def, NULL);
    vvMeshDef meshDef = vvDefaultMeshDef();
    meshDef.shape = VV_MESH_SHEET;
    meshDef.size = (vvVec3){ 1, 1, 1 };
    meshDef.cells[0] = meshDef.cells[2] = 24;
    vvSoftBodyDef body = undampedDef();
    body.mesh = vvCreateMesh(&meshDef, NULL);
    body.material = vvMaterial_Cotton();
    body.position = (vvVec3){ 0, 0.6, 0 };
    body.velocity = (vvVec3){ 0, -25, 0 };
    assert_true(vvSoftBody_IsValid(vvCreateSoftBody(world, &body, NULL)));
    vvDestroyMesh(body.mesh);
    vvShape *ball = sphereShape(0.2);
    vvColliderDef collider = vvDefaultColliderDef();
    collider.shape = ball;
    assert_true(vvCollider_IsValid(vvCreateCollider(world, &collider, NULL)));
    vvDestroyShape(ball);
    for (int n = 0; n < 6; ++n)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    assert_true(vvWorld_GetContacts(world, NULL, 0) > 0);
    uint64_t hash = vvWorld_GetHash(world);
    vvDestroyWorld(world);
    return hash;
}

static void throws_have_the_same_bits(void **state)
{
    (void)state;
    uint64_t want = throwSheet(1);
    assert_true(throwSheet(2) == want);
    assert_true(throwSheet(7) == want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_passes),
        cmocka_unit_test(throws_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
