// Material presets; the sources are named in docs/materials.md.
#include "world/world.h"

vvMaterial vvMaterial_Rubber(void)
{
    return (vvMaterial){ .density = 930, .young = 1.5e6, .poisson = 0.45, .thickness = 0.001 };
}

vvMaterial vvMaterial_Silicone(void)
{
    return (vvMaterial){ .density = 1070, .young = 1.25e5, .poisson = 0.45, .thickness = 0.001 };
}

vvMaterial vvMaterial_Jelly(void)
{
    return (vvMaterial){ .density = 1020, .young = 1e4, .poisson = 0.45, .thickness = 0.001 };
}

vvMaterial vvMaterial_Muscle(void)
{
    return (vvMaterial){ .density = 1060, .young = 1.2e4, .poisson = 0.45, .thickness = 0.001 };
}

vvMaterial vvMaterial_Liver(void)
{
    return (vvMaterial){ .density = 1060, .young = 4.5e3, .poisson = 0.45, .thickness = 0.001 };
}

vvMaterial vvMaterial_Foam(void)
{
    return (vvMaterial){ .density = 30, .young = 6e4, .poisson = 0.1, .thickness = 0.01 };
}

vvMaterial vvMaterial_Cotton(void)
{
    return (vvMaterial){ .density = 400, .young = 2e6, .poisson = 0.3, .thickness = 0.0003 };
}

vvMaterial vvMaterial_Silk(void)
{
    return (vvMaterial){ .density = 400, .young = 1.5e6, .poisson = 0.3, .thickness = 0.00015 };
}

vvMaterial vvMaterial_Denim(void)
{
    return (vvMaterial){ .density = 500, .young = 5e6, .poisson = 0.3, .thickness = 0.0008 };
}
