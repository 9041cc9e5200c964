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

static const char *const jacobianWords[] = { "frozen", "linear" };

const char *vvGetJacobianName(int index)
{
    return index >= 0 && index < 2 ? jacobianWords[index] : NULL;
}

static const char *const precisionWords[] = { "double", "single" };

const char *vvGetPrecisionName(int index)
{
    return index >= 0 && index < 2 ? precisionWords[index] : NULL;
}

static const char *const momentumWords[] = { "auto", "exact", "free" }; // as the enum Momentum

const char *vvGetMomentumName(int index)
{
    return index >= 0 && index < 3 ? momentumWords[index] : NULL;
}

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

vvResult findWord(const char *what, const char *word, const char *(*nameAt)(int), int *found)
{
    const char *names[64];
    int count = 0;
    while (count < 64 && nameAt(count) != NULL)
    {
        names[count] = nameAt(count);
        count += 1;
    }
    for (int i = 0; word != NULL && i < count; ++i)
    {
        if (strcmp(word, names[i]) == 0)
        {
            *found = i;
            return resultOk();
        }
    }
    char remedy[152] = "did you mean ";
    const char *nearest = nearestWord(word ? word : "", names, count);
    strncat(remedy, nearest, sizeof remedy - strlen(remedy) - 1);
    return resultMake(VV_BAD_INPUT, remedy, "there is no %s '%.60s'", what, word ? word : "(null)");
}

vvResult integratorNamed(const char *name, const Integrator **integrator)
{
    int found = 0;
    vvResult result = findWord("method", name, vvGetMethodName, &found);
    if (result.code == VV_OK)
        *integrator = integratorAt(found);
    return result;
}

int indexOf(const char *word, const char *(*nameAt)(int))
{
    int found = 0;
    findWord("word", word, nameAt, &found);
    return found;
}
