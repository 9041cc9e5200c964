// The words that settings may be, and the traits of methods.
#include "world/world.h"

#include <string.h>

const char *vvGetMethodName(int index)
{
    return index >= 0 && index < integratorCount() ? integratorAt(index)->name : NULL;
}

const char *vvGetSolverName(int index)
{
    return index >= 0 && index < solverCount() ? solverAt(index)->name : NULL;
}

const char *vvGetPreconditionerName(int index)
{
    return index >= 0 && index < preconditionerCount() ? preconditionerAt(index)->name : NULL;
}

// the words of an enum in its order
#define WORDS_OF_ENUM(function, ...)                                                                                   \
    const char *function(int index)                                                                                    \
    {                                                                                                                  \
        static const char *const words[] = { __VA_ARGS__ };                                                            \
        return index >= 0 && index < (int)(sizeof words / sizeof words[0]) ? words[index] : NULL;                      \
    }

WORDS_OF_ENUM(vvGetJacobianName, [VV_JACOBIAN_FROZEN] = "frozen", [VV_JACOBIAN_LINEAR] = "linear")
WORDS_OF_ENUM(vvGetPrecisionName, [VV_PRECISION_DOUBLE] = "double", [VV_PRECISION_SINGLE] = "single")
WORDS_OF_ENUM(
    vvGetMomentumName, [VV_MOMENTUM_AUTO] = "auto", [VV_MOMENTUM_EXACT] = "exact", [VV_MOMENTUM_FREE] = "free")

WORDS_OF_ENUM(vvGetExampleWeightsName, [VV_EXAMPLE_WEIGHTS_LOCAL] = "local", [VV_EXAMPLE_WEIGHTS_GLOBAL] = "global")

static const Integrator *integratorFind(const char *name) // NULL: there is none
{
    for (int i = 0; name != NULL && i < integratorCount(); ++i)
    {
        if (strcmp(name, integratorAt(i)->name) == 0)
            return integratorAt(i);
    }
    return NULL;
}

bool vvMethod_IsExplicit(const char *method)
{
    const Integrator *integrator = integratorFind(method);
    return integrator != NULL && integrator->isExplicit;
}

double vvMethod_GetLimit(const char *method)
{
    const Integrator *integrator = integratorFind(method);
    if (integrator == NULL)
        return 0;
    return integrator->isExplicit || integrator->hasLimit ? integrator->limit : INFINITY;
}

bool vvMethod_HasSubsteps(const char *method)
{
    const Integrator *integrator = integratorFind(method);
    return integrator != NULL && integrator->hasSubsteps;
}

bool vvMethod_HasSolver(const char *method)
{
    const Integrator *integrator = integratorFind(method);
    return integrator != NULL && !integrator->isExplicit && !integrator->hasSubsteps && !integrator->ownSolver;
}

const char *vvGetInstructionSetName(int index)
{
    for (int isa = 0; isa < ISA_COUNT; ++isa)
    {
        if (isaAvailable((Isa)isa) && index-- == 0)
            return isaName((Isa)isa);
    }
    return NULL;
}

vvResult integratorNamed(const char *name, const Integrator **integrator)
{
    int found = 0;
    vvResult result = findWord("method", name, vvGetMethodName, &found);
    if (result.code == VV_OK)
        *integrator = integratorAt(found);
    return result;
}
