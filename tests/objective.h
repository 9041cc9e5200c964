// Watches the objective of a world's minimisations: g after each iteration against g before it.
#ifndef TESTS_OBJECTIVE_H
#define TESTS_OBJECTIVE_H

#include "check.h"
#include "world/world.h"

typedef struct Objective
{
    double last;    // g after the last iteration
    double rise;    // 1: the largest rise in one iteration, over the terms of g
    double fall;    // 1: the largest fall, likewise: there was something to watch
    int iterations; // watched
    int joined;     // of them while something acted between bodies
} Objective;

#define OBJECTIVE_ROUNDING 1e-12 // of the terms of g: a sum of some ten thousands of them; measured 3e-13

static inline void watchObjective(void *watcher, System *system, const Stage *stage, int iteration)
{
    Objective *seen = watcher;
    double magnitude;
    systemLineStart(system, stage);
    double g = systemLineValue(system, stage, 0, &magnitude);
    if (iteration > 0)
    {
        double change = (g - seen->last) / magnitude;
        seen->rise = isfinite(change) ? fmax(seen->rise, change) : INFINITY;
        seen->fall = fmax(seen->fall, -change);
        seen->iterations += 1;
        seen->joined += systemIsJoined(system);
    }
    seen->last = g;
}

// needs a world with one thread: islands of others would mix
static inline void watchWorld(vvWorldId world, Objective *seen)
{
    *seen = (Objective){ 0 };
    worldFind(world)->method.solving.watch = watchObjective;
    worldFind(world)->method.solving.watcher = seen;
}

#endif
