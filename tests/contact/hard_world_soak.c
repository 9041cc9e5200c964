// More of the worlds of hard_world_test.c.
#define WORLDS 300
#include "contact/hard_world_test.c"
