// Fluids of a scene.
#include "scene/built.h"
#include "scene/scene.h"
#include "scene/tree.h"

static vvBox boxOf(const Json *item)
{
    const Json *box = treeItem(item, "box");
    return (vvBox){ treePoint(jsonEntry(box, 0)), treePoint(jsonEntry(box, 1)) };
}

static vvResult fill(vvFluidId fluid, const Json *tree)
{
    vvResult result = resultOk();
    TREE_EACH(block, treeItem(tree, "blocks"))
    {
        if (result.code == VV_OK)
            result = vvFluid_AddBox(fluid, boxOf(block), treeVector(block, "velocity"));
    }
    TREE_EACH(item, treeItem(tree, "emitters"))
    {
        vvFluidEmitter emitter = { .position = treeVector(item, "position"),
                                   .direction = treeVector(item, "direction"),
                                   .radius = treeNumber(item, "radius", 0),
                                   .speed = treeNumber(item, "speed", 0),
                                   .rate = treeNumber(item, "rate", 0) };
        if (result.code == VV_OK)
            result = vvFluid_AddEmitter(fluid, &emitter);
    }
    TREE_EACH(drain, treeItem(tree, "drains"))
    {
        if (result.code == VV_OK)
            result = vvFluid_AddDrain(fluid, boxOf(drain));
    }
    return result;
}

static vvFluidDef defOf(const Json *tree)
{
    vvFluidDef def = vvDefaultFluidDef();
    def.spacing = treeNumber(tree, "spacing", def.spacing);
    def.density = treeNumber(tree, "density", def.density);
    def.viscosity = treeNumber(tree, "viscosity", def.viscosity);
    def.surfaceTension = treeNumber(tree, "surfaceTension", def.surfaceTension);
    def.smoothing = treeNumber(tree, "smoothing", def.smoothing);
    def.friction = treeNumber(tree, "friction", def.friction);
    def.maxParticles = treeInteger(tree, "maxParticles", def.maxParticles);
    def.substeps = treeInteger(tree, "substeps", def.substeps);
    def.maxSubsteps = treeInteger(tree, "maxSubsteps", def.maxSubsteps);
    def.iterations = treeInteger(tree, "iterations", def.iterations);
    def.maxDisplacement = treeNumber(tree, "maxDisplacement", def.maxDisplacement);
    def.category = (uint32_t)treeNumber(tree, "category", def.category);
    def.mask = (uint32_t)treeNumber(tree, "mask", def.mask);
    return def;
}

vvFluidDef sceneFluidDef(const Scene *scene, int index)
{
    int at = 0;
    TREE_EACH(fluid, treeItem(scene->tree, "fluids"))
    {
        if (at++ == index)
            return defOf(fluid);
    }
    return vvDefaultFluidDef();
}

static vvResult buildFluid(const SceneWorld *built, const Json *tree)
{
    vvFluidDef def = defOf(tree);
    vvResult result;
    vvFluidId fluid = vvCreateFluid(built->world, &def, &result);
    return result.code == VV_OK ? fill(fluid, tree) : result;
}

vvResult buildFluids(SceneWorld *built)
{
    vvResult result = resultOk();
    int index = 0;
    TREE_EACH(fluid, treeItem(built->scene->tree, "fluids"))
    {
        if (result.code != VV_OK)
            break;
        result = buildFluid(built, fluid);
        if (result.code != VV_OK)
            result = resultMake(result.code, result.remedy, "fluids[%d]: %s", index, result.message);
        index += 1;
    }
    return result;
}

double sceneFluidMass(const SceneWorld *built)
{
    vvFluidId fluid[MOST_FLUIDS];
    int count = vvWorld_GetFluids(built->world, fluid, MOST_FLUIDS);
    double mass = 0;
    for (int i = 0; i < count && i < MOST_FLUIDS; ++i)
        mass += vvFluid_GetParticleMass(fluid[i]) * vvFluid_GetCount(fluid[i]);
    return mass;
}
