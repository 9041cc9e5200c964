// Hinges and constraints for tests that want the result and not the id.
#ifndef TESTS_WORLD_ADD_H
#define TESTS_WORLD_ADD_H

#include <verve/verve.h>

static inline vvResult addConstraint(vvSoftBodyId body, const vvConstraintDef *def)
{
    vvResult result;
    vvCreateConstraint(body, def, &result);
    return result;
}

static inline vvResult addHinge(vvSoftBodyId body, const vvHingeDef *def)
{
    vvResult result;
    vvCreateHinge(body, def, &result);
    return result;
}

#endif
