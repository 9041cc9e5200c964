// Busy loops: processes beside a measurement that take cores from it.
#ifndef BENCH_BUSY_H
#define BENCH_BUSY_H

#define MOST_LOOPS 64

void busyStart(int count); // at most MOST_LOOPS
void busyStop(void);

#endif
