// The monkey for an hour's worth of rounds.
#define MONKEY_ROUNDS 2000
#include "world/monkey_test.c"
