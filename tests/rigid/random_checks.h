// What must hold for random heaps of rigid bodies.
#ifndef TESTS_RIGID_RANDOM_CHECKS_H
#define TESTS_RIGID_RANDOM_CHECKS_H

#include "rigid/random_heaps.h"

#include <stdio.h>

// Nothing is gained: energy never rises above what was there, but for rounding. The books close to 0.5 % of what
// the heap may exchange, which two digits of a ledger show; where restitution meets several contacts at once a tenth
// may be taken from `dissipated` and given back. Nothing is deeper than a hundredth of the smallest half-width once 1 s
// has passed (a tenth with joints, which pull it in; a twentieth in short runs with restitution, in which impacts go
// on), momenta are kept to 1e-9, and what can rest is slower in the end than 1 cm/s, which is not seen.
static inline void checkRandomHeap(int seed, int frames, bool rests)
{
    RandomHeap heap = runRandomHeap(seed, frames);
    double books = heap.restitution > 0 ? 0.1 : 0.005;
    double deep = heap.joined ? 0.1 : heap.restitution > 0 && !rests ? 0.05 : 0.01;
    char what[160];
    snprintf(what, sizeof what, "heap %d: %d bodies, 1:%g, %d substeps, restitution %g%s", seed, heap.count, heap.ratio,
             heap.substeps, heap.restitution, heap.joined ? ", joints" : "");
    print_message("%s: rise %.1e, gain %.1e, loss %.1e, depth %.1e, momentum %.1e, speed %.1e\n", what, heap.rise,
                  heap.gain, heap.loss, heap.deepest, heap.grounded ? 0 : heap.momentum, heap.restSpeed);
    CHECK_BELOW(heap.rise, 1e-9);
    CHECK_BELOW(heap.gain, books);
    CHECK_BELOW(heap.loss, 0.005);
    CHECK_BELOW(heap.deepest, deep);
    if (!heap.grounded && !heap.joined)
        CHECK_BELOW(heap.momentum, 1e-9);
    if (rests && heap.rests)
        CHECK_BELOW(heap.restSpeed, 0.01);
}

#endif
