// Materials by one word.
#include "scene/keys.h"
#include "scene/scene.h"

#include <string.h>

static const struct
{
    const char *name;
    vvMaterial (*make)(void);
} presets[] = {
    { "rubber", vvMaterial_Rubber }, { "silicone", vvMaterial_Silicone }, { "jelly", vvMaterial_Jelly },
    { "muscle", vvMaterial_Muscle }, { "liver", vvMaterial_Liver },       { "foam", vvMaterial_Foam },
    { "cotton", vvMaterial_Cotton }, { "silk", vvMaterial_Silk },         { "denim", vvMaterial_Denim },
};

#define PRESET_COUNT ((int)(sizeof presets / sizeof presets[0]))

const char *presetName(int index)
{
    return index >= 0 && index < PRESET_COUNT ? presets[index].name : NULL;
}

vvMaterial presetMaterial(const char *name)
{
    for (int i = 0; i < PRESET_COUNT; ++i)
    {
        if (strcmp(presets[i].name, name) == 0)
            return presets[i].make();
    }
    return vvMaterial_Rubber();
}

static const char *const bendingModels[] = { "mean-curvature", "dihedral" };

const char *bendingModelName(int index)
{
    return index >= 0 && index < (int)(sizeof bendingModels / sizeof bendingModels[0]) ? bendingModels[index] : NULL;
}

static const char *const axes[] = { "x", "y", "z" };

const char *axisName(int index)
{
    return index >= 0 && index < (int)(sizeof axes / sizeof axes[0]) ? axes[index] : NULL;
}

static const struct
{
    const char *name;
    double metres;
} units[] = { { "mm", 0.001 }, { "cm", 0.01 }, { "m", 1 }, { "inch", 0.0254 } };

#define UNIT_COUNT ((int)(sizeof units / sizeof units[0]))

const char *unitName(int index)
{
    return index >= 0 && index < UNIT_COUNT ? units[index].name : NULL;
}

double unitMetres(const char *name)
{
    for (int i = 0; i < UNIT_COUNT; ++i)
    {
        if (name != NULL && strcmp(units[i].name, name) == 0)
            return units[i].metres;
    }
    return 1;
}
