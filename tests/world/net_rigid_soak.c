// More of them.
#define NET_SEEDS 40
#include "world/net_rigid_test.c"
