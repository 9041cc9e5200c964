// 300 rigid bodies, 20 soft ones, a sheet, a rope and 50,000 particles of water for 10,000 frames.
#define RIGID 300
#define SOFT 20
#define CLOTH 24
#define WATER 50
#define DEPTH 20
#define EQUAL 60
#define LONG 10000
#include "world/everything_test.c"
