// Settings that change while a scene runs: in place where the library can, else in a world that is built again and gets
// the state back.
#include "live/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the list of settings -------------------------------------------------------------------------------------------

static bool isOfPath(const char *set, const char *path)
{
    size_t length = strlen(path);
    return strncmp(set, path, length) == 0 && set[length] == '=';
}

static bool addSet(Live *live, const char *path, const char *value)
{
    size_t size = strlen(path) + strlen(value) + 2;
    for (int i = 0; i < live->setCount; ++i)
    {
        if (!isOfPath(live->sets[i], path))
            continue;
        memoryRelease(&live->memory, live->sets[i]);
        live->sets[i] = live->sets[--live->setCount];
        break;
    }
    char *set = live->setCount < MOST_SETS ? memoryAllocate(&live->memory, size, 1) : NULL;
    if (set == NULL)
        return false;
    snprintf(set, size, "%s=%s", path, value);
    live->sets[live->setCount++] = set;
    return true;
}

// "bodies.*.x" for every body, and likewise for colliders
static bool addSets(Live *live, const char *path, const char *value)
{
    const char *star = strstr(path, ".*.");
    if (star == NULL)
        return addSet(live, path, value);
    bool bodies = strncmp(path, "bodies.", 7) == 0;
    int count = bodies ? sceneBodyCount(live->built) : sceneColliderCount(live->built);
    for (int i = 0; i < count; ++i)
    {
        char each[160];
        snprintf(each, sizeof each, "%.*s.%d.%s", (int)(star - path), path, i, star + 3);
        if (!addSet(live, each, value))
            return false;
    }
    return true;
}

// ---- in place -------------------------------------------------------------------------------------------------------

static bool begins(const char *path, const char *with)
{
    return strncmp(path, with, strlen(with)) == 0;
}

static bool ends(const char *path, const char *with)
{
    size_t length = strlen(path), tail = strlen(with);
    return length >= tail && strcmp(path + length - tail, with) == 0;
}

static vvResult applyMethod(Live *live, const vvWorldDef *def, const Scene *scene)
{
    vvWorldId world = sceneWorldId(live->built);
    vvResult result = vvWorld_SetSolver(world, def->solver);
    if (result.code == VV_OK)
        result = vvWorld_SetIterations(world, def->iterations);
    if (result.code == VV_OK)
        result = vvWorld_SetTolerance(world, def->tolerance);
    if (result.code == VV_OK)
        result = vvWorld_SetSubsteps(world, def->substeps);
    if (result.code == VV_OK)
        result = vvWorld_SetRigidSubsteps(world, def->rigidSubsteps);
    if (result.code == VV_OK)
        result = vvWorld_SetMethod(world, def->method);
    if (result.code == VV_OK)
        result = vvWorld_Prepare(world);
    if (result.code == VV_OK)
        sceneDivide(live->built, sceneSubsteps(scene));
    return result;
}

static vvResult applyBodies(Live *live, const Scene *scene)
{
    vvResult result = resultOk();
    for (int i = 0; i < sceneBodyCount(live->built) && result.code == VV_OK; ++i)
    {
        vvSoftBodyId body = sceneBody(live->built, i);
        vvSoftBodyDef def = sceneBodyDef(scene, i, NULL);
        vvMaterial material = vvSoftBody_GetMaterial(body);
        vvDamping damping = vvSoftBody_GetDamping(body);
        if (memcmp(&material, &def.material, sizeof material) != 0)
            result = vvSoftBody_SetMaterial(body, def.material);
        if (result.code == VV_OK && memcmp(&damping, &def.damping, sizeof damping) != 0)
            result = vvSoftBody_SetDamping(body, def.damping);
        if (result.code == VV_OK && vvSoftBody_GetFriction(body) != def.friction)
            result = vvSoftBody_SetFriction(body, def.friction);
    }
    if (result.code == VV_OK)
        result = vvWorld_Prepare(sceneWorldId(live->built));
    statesFree(live); // they are of the bodies as they were
    return result;
}

static vvResult applyColliders(Live *live, const char *path, double value)
{
    const char *entry = path + strlen("colliders.");
    int first = entry[0] == '*' ? 0 : atoi(entry), last = entry[0] == '*' ? sceneColliderCount(live->built) : first + 1;
    vvResult result = resultOk();
    for (int i = first; i < last && result.code == VV_OK; ++i)
        result = ends(path, ".friction") ? vvCollider_SetFriction(sceneCollider(live->built, i), value)
                                         : vvCollider_SetRestitution(sceneCollider(live->built, i), value);
    return result;
}

// false: the library cannot, the world has to be built again
static bool applyInPlace(Live *live, const char *path, const Json *value, const Scene *scene, vvResult *result)
{
    static const char *const settable[] = {
        "method", "solver", "iterations", "tolerance", "substeps", "rigidSubsteps"
    };
    vvWorldId world = sceneWorldId(live->built);
    vvWorldDef def;
    vvTableau tableau;
    *result = sceneWorldDef(scene, &def, &tableau);
    if (result->code != VV_OK)
        return true;
    for (size_t i = 0; i < sizeof settable / sizeof settable[0] && begins(path, "integrator."); ++i)
    {
        if (strcmp(path + strlen("integrator."), settable[i]) != 0)
            continue;
        *result = applyMethod(live, &def, scene);
        return true;
    }
    if (strcmp(path, "gravity") == 0)
        *result = vvWorld_SetGravity(world, def.gravity);
    else if (begins(path, "wind"))
    {
        live->wind = def.wind;
        *result = vvWorld_SetWind(world, def.wind);
    }
    else if (begins(path, "bodies.") &&
             (ends(path, ".material.young") || ends(path, ".material.poisson") || ends(path, ".material.density") ||
              strstr(path, ".damping.") != NULL || ends(path, ".friction")))
        *result = applyBodies(live, scene);
    else if (begins(path, "colliders.") && jsonIs(value, JSON_NUMBER) &&
             (ends(path, ".friction") || ends(path, ".restitution")))
        *result = applyColliders(live, path, value->number);
    else
        return false;
    return true;
}

// ---- in a new world -------------------------------------------------------------------------------------------------

static vvResult rebuild(Live *live, Scene *scene, bool *kept)
{
    handsFree(live);
    size_t size = vvWorld_GetStateSize(sceneWorldId(live->built));
    void *bytes = memoryAllocate(&live->memory, size, 1);
    if (bytes == NULL)
        return resultOutOfMemory("the state");
    vvResult result = vvWorld_SaveState(sceneWorldId(live->built), bytes, size);
    if (result.code == VV_OK)
        result = liveBuild(live, scene);
    if (result.code == VV_OK)
    {
        *kept = sceneRestore(live->built, bytes, size).code == VV_OK;
        if (!*kept)
            liveStarted(live);
        else
            drawnRenew(live);
    }
    memoryRelease(&live->memory, bytes);
    return result;
}

// ---- the message ----------------------------------------------------------------------------------------------------

static vvResult change(Live *live, const char *path, const Json *value, bool *kept)
{
    vvResult result = resultOk();
    char *text = jsonPrint(value);
    size_t length = text != NULL ? strlen(text) : 0;
    if (length > 0 && text[length - 1] == '\n')
        text[length - 1] = 0;
    bool added = text != NULL && addSets(live, path, text);
    free(text);
    if (!added)
        return resultMake(VV_LIMIT, "load the scene again", "there is no room for more than %d settings", MOST_SETS);
    Scene *scene = liveReadAgain(live, &result);
    if (scene == NULL)
        return result;
    if (applyInPlace(live, path, value, scene, &result))
    {
        if (result.code != VV_OK)
        {
            sceneDestroy(scene);
            return result;
        }
        if (live->next != live->scene)
            sceneDestroy(live->next);
        live->next = scene;
        return result;
    }
    result = rebuild(live, scene, kept);
    if (live->scene != scene)
        sceneDestroy(scene);
    return result;
}

void adjustSet(Live *live, const Json *message, Json *answer, vvResult *result)
{
    const Json *path = jsonFind(message, "path"), *value = jsonFind(message, "value");
    if (!jsonIs(path, JSON_STRING) || strlen(path->string) > 120 || strchr(path->string, '=') != NULL || value == NULL)
    {
        *result =
            resultMake(VV_BAD_INPUT, "a path is as in \"bodies.0.material.young\"", "set has no path or no value");
        return;
    }
    // a setting that is refused leaves the others as they were
    char *before[MOST_SETS];
    int count = live->setCount;
    bool kept = true, saved = true;
    for (int i = 0; i < count && saved; ++i)
    {
        size_t size = strlen(live->sets[i]) + 1;
        before[i] = memoryAllocate(&live->memory, size, 1);
        saved = before[i] != NULL;
        if (saved)
            memcpy(before[i], live->sets[i], size);
        else
            count = i;
    }
    *result = saved ? change(live, path->string, value, &kept) : resultOutOfMemory("the settings");
    bool back = saved && result->code != VV_OK;
    for (int i = 0; i < (back ? live->setCount : count); ++i)
        memoryRelease(&live->memory, back ? live->sets[i] : before[i]);
    if (back)
    {
        memcpy(live->sets, before, (size_t)count * sizeof *before);
        live->setCount = count;
        return;
    }
    jsonAdd(answer, "kept", kept ? JSON_TRUE : JSON_FALSE);
    live->isNew = true;
    adjustSend(live);
}
