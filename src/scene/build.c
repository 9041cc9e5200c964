// A world from a checked scene.
#include "scene/built.h"
#include "world/settings.h"

vvResult pathResult(const char *path, const vvResult *result)
{
    return resultMake(result->code, result->remedy, "%s: %s", path, result->message);
}

static vvResult readRow(const Json *row, const char *name, int most, double *out)
{
    int count = 0;
    TREE_EACH(number, row)
    {
        // what is too long must at least be zeros
        if (count >= most && number->number != 0)
            return resultMake(VV_BAD_INPUT, "a has a row for every stage, stage i i numbers, b one for each",
                              "integrator.tableau.%s has more than the %d numbers of its place", name, most);
        if (count < most)
            out[count++] = number->number;
    }
    return resultOk();
}

static vvResult readTableau(const Json *tree, vvTableau *out)
{
    const Json *a = treeItem(tree, "a"), *embedded = treeItem(tree, "embedded");
    *out = (vvTableau){ .stages = treeCount(tree, "a"), .hasEmbedded = embedded != NULL };
    if (out->stages > VV_MAX_STAGES)
        return resultMake(VV_BAD_INPUT, "rk4 has 4", "integrator.tableau.a has %d rows, must be 1 to %d", out->stages,
                          VV_MAX_STAGES);
    int stage = 0;
    vvResult result = resultOk();
    TREE_EACH(row, a)
    {
        if (result.code == VV_OK)
            result = readRow(row, "a", stage, out->a[stage]);
        stage += 1;
    }
    if (result.code == VV_OK)
        result = readRow(treeItem(tree, "b"), "b", out->stages, out->b);
    return result.code == VV_OK ? readRow(embedded, "embedded", out->stages, out->embedded) : result;
}

static void readSettings(const Json *integrator, vvWorldDef *def)
{
    const Setting *setting;
    for (int i = 0; (setting = settingAt(i)) != NULL; ++i)
    {
        const Json *item = treeItem(integrator, setting->name);
        if (item != NULL)
            settingSet(setting, def, (SettingValue){ item->string, treeValue(item) });
    }
}

vvResult sceneWorldDef(const Scene *scene, vvWorldDef *out, vvTableau *tableau)
{
    const Json *tree = scene->tree, *integrator = treeItem(tree, "integrator");
    vvWorldDef def = vvDefaultWorldDef();
    def.gravity = treeVector(tree, "gravity");
    const Json *wind = treeItem(tree, "wind");
    if (wind != NULL)
        def.wind = (vvWind){ .velocity = treeVector(wind, "velocity"),
                             .density = treeNumber(wind, "density", 1.2),
                             .drag = treeNumber(wind, "drag", def.wind.drag) };
    readSettings(integrator, &def);
    if (!vvMethod_HasSubsteps(def.method))
        def.substeps = 0; // they are steps of a frame
    def.softContact = treeSwitch(tree, "softContact");
    def.timestep = sceneTimestep(scene) / sceneSubsteps(scene);
    vvResult result = resultOk();
    if (treeItem(integrator, "tableau") != NULL)
    {
        result = readTableau(treeItem(integrator, "tableau"), tableau);
        def.settings.rungeKutta.tableau = tableau;
    }
    *out = def;
    return result;
}

bool sceneUnused(const Scene *scene, int index, char *text, size_t size)
{
    vvWorldDef def;
    vvTableau tableau;
    sceneWorldDef(scene, &def, &tableau); // its error is that of sceneBuild
    const Setting *setting;
    for (int i = 0; (setting = settingAt(i)) != NULL; ++i)
    {
        if (settingNote(setting, &def, "integrator.", text, size) && index-- == 0)
            return true;
    }
    return false;
}

static vvResult buildWorld(SceneWorld *built, const SceneOptions *options)
{
    vvWorldDef def;
    vvTableau tableau;
    vvResult result = sceneWorldDef(built->scene, &def, &tableau);
    if (result.code != VV_OK)
        return result;
    def.threads = options->threads;
    def.logger = options->logger;
    def.allocator = options->allocator;
    built->world = vvCreateWorld(&def, &result);
    if (result.code != VV_OK && def.settings.rungeKutta.tableau != NULL)
        return pathResult("integrator", &result);
    if (result.code == VV_OK)
        result = buildBodies(built);
    if (result.code == VV_OK)
        result = buildColliders(built);
    if (result.code == VV_OK)
        result = buildFluids(built);
    if (result.code == VV_OK)
        result = buildRigids(built);
    if (result.code == VV_OK)
        result = buildAttachments(built);
    return result.code == VV_OK ? bindFollowers(built) : result;
}

SceneWorld *sceneBuild(const Scene *scene, const SceneOptions *options, vvResult *out)
{
    static const SceneOptions standard = { .threads = 1 };
    options = options ? options : &standard;
    Memory memory = memoryMake(&options->allocator);
    SceneWorld *built = ALLOCATE(&memory, SceneWorld, 1);
    vvResult result = built ? resultOk() : resultOutOfMemory("the scene's world");
    if (!resultPass(out, &result))
        return NULL;
    built->memory = memory;
    built->scene = scene;
    built->substeps = sceneSubsteps(scene);
    built->step = sceneTimestep(scene) / built->substeps;
    result = buildWorld(built, options);
    if (resultPass(out, &result))
        return built;
    sceneRelease(built);
    return NULL;
}

void sceneRelease(SceneWorld *built)
{
    if (built == NULL)
        return;
    Memory memory = built->memory;
    vvDestroyWorld(built->world);
    for (int i = 0; i < built->bodyCount; ++i)
    {
        if (built->ownMesh[i])
            vvDestroyMesh(built->mesh[i]);
        for (int k = 0; k < built->pushes[i].count; ++k)
        {
            memoryRelease(&memory, built->pushes[i].push[k].vertex);
            memoryRelease(&memory, built->pushes[i].push[k].share);
        }
        memoryRelease(&memory, built->pushes[i].push);
        memoryRelease(&memory, built->pushes[i].sum);
    }
    for (int i = 0; i < built->motionCount; ++i)
    {
        Motion *motion = &built->motion[i];
        animationRelease(built, &motion->animation);
        void *const blocks[] = { motion->vertex, motion->start,    motion->attachment, motion->keyframe,
                                 motion->point,  motion->follower, motion->target };
        for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; ++k)
            memoryRelease(&memory, blocks[k]);
    }
    releaseColliders(built);
    releaseRigids(built);
    void *const blocks[] = { built->body,   built->mesh,    built->ownMesh, built->meshHash,   built->solid,
                             built->pushes, built->muscles, built->motion,  built->attachment, built };
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; ++k)
        memoryRelease(&memory, blocks[k]);
}

void sceneDivide(SceneWorld *built, int substeps)
{
    built->substeps = maxInt(1, substeps);
    built->step = sceneTimestep(built->scene) / built->substeps;
}

int sceneAttachmentCount(const SceneWorld *built)
{
    return built->attachmentCount;
}

vvAttachmentDef sceneAttachment(const SceneWorld *built, int index)
{
    return built->attachment[index];
}

const Scene *sceneOf(const SceneWorld *built)
{
    return built->scene;
}

vvWorldId sceneWorldId(const SceneWorld *built)
{
    return built->world;
}

int sceneBodyCount(const SceneWorld *built)
{
    return built->bodyCount;
}

const vvSolidReport *sceneSolid(const SceneWorld *built, int index)
{
    return built->solid[index].tetCount > 0 ? &built->solid[index] : NULL;
}

vvSoftBodyId sceneBody(const SceneWorld *built, int index)
{
    return index >= 0 && index < built->bodyCount ? built->body[index] : (vvSoftBodyId){ 0 };
}
