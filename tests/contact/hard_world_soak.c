// More of the worlds of hard_world_test.c.
#define WORLDS 100
#include "contact/hard_world_test.c"
