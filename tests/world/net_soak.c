// The whole net.
#define NET_SEEDS 300
#include "world/net_test.c"
