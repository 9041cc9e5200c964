// Bodies that yield: checks of the definition, and what energies are told of it.
#include "world/world.h"

#include <string.h>

void plasticRecipe(const vvSoftBodyDef *def, Recipe *recipe)
{
    const vvPlasticity *plasticity = &def->plasticity;
    recipe->yield = plasticity->yield;
    recipe->hardening = plasticity->hardening;
    recipe->flowRate = plasticity->rate > 0 ? plasticity->rate : INFINITY;
    recipe->flowLimit = plasticity->limit > 0 ? plasticity->limit : INFINITY;
}

static vvResult checkNumber(const char *what, double value, const char *unit, const char *remedy)
{
    if (value >= 0 && isModest(value))
        return resultOk();
    return resultMake(VV_BAD_INPUT, remedy, "plasticity.%s is %g%s, must be 0, or 1e-30 to 1e30", what, value, unit);
}

vvResult checkPlasticity(const vvSoftBodyDef *def)
{
    const vvPlasticity *plasticity = &def->plasticity;
    const struct
    {
        const char *what, *unit, *remedy;
        double value;
    } numbers[] = { { "yield", " Pa", "0 never yields; clay has 1e4 Pa", plasticity->yield },
                    { "hardening", " Pa", "0 does not harden; metals have about young / 100", plasticity->hardening },
                    { "rate", " 1/s", "0 flows at once; 1 relaxes in about a second", plasticity->rate },
                    { "limit", "", "0 is no limit; 0.5 stops at half", plasticity->limit } };
    for (int i = 0; i < 4; ++i)
    {
        vvResult result = checkNumber(numbers[i].what, numbers[i].value, numbers[i].unit, numbers[i].remedy);
        if (result.code != VV_OK)
            return result;
    }
    bool flat = def->bendingModel != NULL && strcmp(def->bendingModel, "mean-curvature") == 0;
    if (plasticity->yield > 0 && flat && def->mesh->matter == MATTER_SHEET && def->bending != 0)
        return resultMake(VV_BAD_INPUT, "use \"dihedral\", or leave bendingModel out",
                          "plasticity.yield is %g Pa and bendingModel 'mean-curvature' does not yield",
                          plasticity->yield);
    return resultOk();
}

vvPlasticity vvSoftBody_GetPlasticity(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body ? body->def.plasticity : (vvPlasticity){ 0 };
}
