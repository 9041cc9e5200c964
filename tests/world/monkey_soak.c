// The monkey for ten minutes, or MONKEY_SECONDS.
#define MONKEY_SECONDS "600"
#include "world/monkey_test.c"
