// Material presets; the sources are named in docs/materials.md.
#include "world/world.h"

#include <math.h>
#include <string.h>

#define SLOWEST_SLENDER (2 * PI * 50) // rad/s: at which sheets and ropes meet their loss factor, at least

// The model and the method that people get who choose none: damping costs others up to twice the step, and shortens the
// steps of explicit methods.
static double unstatedLoss(const World *world, const vvSoftBodyDef *def)
{
    bool corotated = def->mesh->matter == MATTER_SOLID && (def->model == NULL || strcmp(def->model, "corotated") == 0);
    return corotated && world->method.integrator == &smallMidpoint ? DEFAULT_LOSS : 0;
}

void materialDamp(const World *world, vvSoftBodyDef *def)
{
    vvMaterial *m = &def->material;
    if (m->loss == LOSS_UNSTATED)
        m->loss = unstatedLoss(world, def);
    if (def->damping.stiffness != DAMPING_OF_MATERIAL)
        return;
    bool solid = def->mesh->matter == MATTER_SOLID;
    double wave = PI * sqrt(m->young / m->density) / (solid ? cbrt(def->mesh->volume) : def->mesh->size);
    wave = solid ? wave : maxReal(wave, SLOWEST_SLENDER);
    def->damping.stiffness = m->loss > 0 ? m->loss / wave : 0;
}

vvMaterial vvMaterial_Rubber(void)
{
    return (vvMaterial){ .density = 930, .young = 1.5e6, .poisson = 0.45, .thickness = 0.001, .loss = 0.04 };
}

vvMaterial vvMaterial_Silicone(void)
{
    return (vvMaterial){ .density = 1070, .young = 1.25e5, .poisson = 0.45, .thickness = 0.001, .loss = 0.1 };
}

vvMaterial vvMaterial_Jelly(void)
{
    return (vvMaterial){ .density = 1020, .young = 1e4, .poisson = 0.45, .thickness = 0.001, .loss = 0.05 };
}

vvMaterial vvMaterial_Muscle(void)
{
    return (vvMaterial){ .density = 1060, .young = 1.2e4, .poisson = 0.45, .thickness = 0.001, .loss = 0.2 };
}

vvMaterial vvMaterial_Liver(void)
{
    return (vvMaterial){ .density = 1060, .young = 4.5e3, .poisson = 0.45, .thickness = 0.001, .loss = 0.2 };
}

vvMaterial vvMaterial_Foam(void)
{
    return (vvMaterial){ .density = 30, .young = 6e4, .poisson = 0.1, .thickness = 0.01, .loss = 0.1 };
}

vvMaterial vvMaterial_Cotton(void)
{
    return (vvMaterial){ .density = 400, .young = 2e6, .poisson = 0.3, .thickness = 0.0003, .loss = 0.1 };
}

vvMaterial vvMaterial_Silk(void)
{
    return (vvMaterial){ .density = 400, .young = 1.5e6, .poisson = 0.3, .thickness = 0.00015, .loss = 0.1 };
}

vvMaterial vvMaterial_Denim(void)
{
    return (vvMaterial){ .density = 500, .young = 5e6, .poisson = 0.3, .thickness = 0.0008, .loss = 0.1 };
}
