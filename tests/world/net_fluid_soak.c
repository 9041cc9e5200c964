// More of the net with water.
#define NET_FLUID_SEEDS 150
#include "world/net_fluid_test.c"
