// Worlds of many bodies: islands that are solved side by side, in the same bits for any number of threads.
#include "crowd.h"

#include "base/system.h"

#include <stdatomic.h>

static const char *const methods[] = { "small-midpoint", "stabilized", "backward-euler", "small-steps", "rk4", "bdf2" };

#define METHODS ((int)(sizeof methods / sizeof methods[0]))

static void sameBitsForAnyThreads(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; ++k)
        checkSameBits((CrowdDef){ .seed = (unsigned)k, .bodies = 20, .method = methods[k], .links = true, .room = 0.8 },
                      10);
}

static void sameBitsWhereBodiesCollide(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k)
        checkSameBits((CrowdDef){ .seed = (unsigned)k + 10,
                                  .bodies = 12,
                                  .method = methods[k],
                                  .softContact = true,
                                  .links = k == 1,
                                  .room = 0.5 },
                      10);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

typedef struct Watched
{
    atomic_int inside;
    atomic_bool twice;
    atomic_int calls;
} Watched;

static void *watchedAllocate(size_t size, size_t alignment, void *userData)
{
    Watched *watched = userData;
    if (atomic_fetch_add(&watched->inside, 1) > 0)
        watched->twice = true;
    watched->calls += 1;
    for (volatile int wait = 0; wait < 20000; ++wait) // long enough to be met
        continue;
    void *block = systemAllocate(size, alignment);
    atomic_fetch_sub(&watched->inside, 1);
    return block;
}

static void watchedRelease(void *memory, size_t size, void *userData)
{
    (void)size;
    (void)userData;
    systemRelease(memory);
}

// factors are made in the first step, by whichever thread solves an island
static void memoryIsAskedForOnceAtATime(void **state)
{
    (void)state;
    Watched watched = { 0 };
    CrowdDef crowd = { .seed = 1, .bodies = 40, .threads = 4, .method = "small-midpoint", .room = 1 };
    crowd.allocator = (vvAllocator){ watchedAllocate, watchedRelease, &watched };
    vvWorldId world = makeCrowd(&crowd);
    int before = watched.calls;
    assert_int_equal(stepCrowd(world, 1), VV_OK);
    assert_true(watched.calls > before + 40);
    assert_false(watched.twice);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sameBitsForAnyThreads),
        cmocka_unit_test(sameBitsWhereBodiesCollide),
        cmocka_unit_test(memoryIsAskedForOnceAtATime),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
