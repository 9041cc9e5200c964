// The rivals' tables, one per file of this folder.
#ifndef BENCH_RIVALS_RIVALS_HPP
#define BENCH_RIVALS_RIVALS_HPP

#include "bench/contender.h"

extern const FrameContender eigenSingle, eigenDouble, cholmodSimplicial, cholmodSupernodal;
extern const LinearContender cholmodLinearSimplicial, cholmodLinearSupernodal;

const char *cholmodVersion();
const char *blasName();

#endif
