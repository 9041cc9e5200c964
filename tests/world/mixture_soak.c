// Mixtures by the thousand, none of those of the short test.
#define MIXTURES 60
#define FIRST 10000
#include "world/mixture_test.c"
