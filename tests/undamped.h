// The default body without the default loss of its material: most tests are of energy, frequency and momentum.
#ifndef TESTS_UNDAMPED_H
#define TESTS_UNDAMPED_H

#include <verve/verve.h>

static inline vvSoftBodyDef undampedDef(void)
{
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.material.loss = 0;
    return def;
}

#endif
