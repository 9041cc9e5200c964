#include "tool/ruled.h"

#include "base/base.h"

vvResult ruledTry(SceneWorld *built, Ruled *ruled)
{
    int count = sceneBodyCount(built);
    bool divides = vvMethod_HasSubsteps(vvWorld_GetMethod(sceneWorldId(built)));
    ruled->least = ruled->most = ruled->taken = 0;
    ruled->softness = 1;
    vvResult result = sceneStep(built);
    if (result.code == VV_OK)
        ruled->softness = vvWorld_GetStatistics(sceneWorldId(built)).softness;
    for (int i = 0; i < count; ++i)
    {
        vvSubsteps own = vvSoftBody_GetSubsteps(sceneBody(built, i));
        ruled->each[i] = divides ? own : (vvSubsteps){ 0 };
        if (!divides || own.ruled == 0)
            continue;
        ruled->least = ruled->least > 0 ? minInt(ruled->least, own.ruled) : own.ruled;
        ruled->most = maxInt(ruled->most, own.ruled);
        ruled->taken = maxInt(ruled->taken, own.taken);
    }
    return result;
}

vvResult ruledOf(const Scene *scene, Ruled *ruled)
{
    vvResult result = resultOk();
    SceneOptions options = { .threads = 1 };
    SceneWorld *built = sceneBuild(scene, &options, &result);
    if (built != NULL)
        result = ruledTry(built, ruled);
    sceneRelease(built);
    return result;
}
