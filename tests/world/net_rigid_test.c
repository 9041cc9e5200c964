// Random worlds with rigid bodies (net_rigid.h) against the list of what fails (net_rigid_failures.txt), which can only
// shrink; as net_test.c. A world has the same bits with any number of threads, and after a state was restored.
#include "world/net_rigid.h"

#define NET_RIGID 1
#define NET_LIST "net_rigid_failures.txt"
#define NET_RUN netRunRigid
#define NET_RUN_WAYS 4
#ifndef NET_SEEDS
#define NET_SEEDS 4
#define NET_SLICE 1
#define NET_CURED 18, 27, 32, 89 // those of net_test.c
#endif

static void bitsAreTheSame(void **state)
{
    (void)state;
    static const int threads[] = { 2, 3, 7 };
    for (int seed = 100; seed < 100 + NET_SEEDS / 2; ++seed)
    {
        const NetWay *way = &netWays[seed % 4];
        uint64_t hash = netHashRigid(seed, way, 1, false);
        for (int i = 0; i < 3; ++i)
            assert_true(netHashRigid(seed, way, threads[i], i == 1) == hash);
    }
}

#define NET_ALSO , cmocka_unit_test(bitsAreTheSame)
#include "world/net_test.c"
