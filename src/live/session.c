// A session: messages come in, a scene goes on, frames go out.
#include "live/session.h"

#include "base/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BEHIND 0.1 // s of the scene that it may catch up with; more is dropped, and time slows down

// ---- messages out ---------------------------------------------------------------------------------------------------

void liveSend(Live *live, const Json *message)
{
    char *text = message != NULL ? jsonPrint(message) : NULL;
    if (text != NULL)
        live->options.send(live->options.context, false, text, strlen(text));
    free(text);
}

Json *liveAnswer(JsonTree *tree, const char *type, const char *of, const Json *message)
{
    Json *answer = jsonMake(tree, JSON_OBJECT);
    jsonAddString(answer, "type", type);
    jsonAddString(answer, "of", of);
    const Json *id = jsonFind(message, "id");
    if (jsonIs(id, JSON_NUMBER))
        jsonAddNumber(answer, "id", id->number);
    return answer;
}

void liveError(Live *live, const char *of, const Json *message, const vvResult *result)
{
    JsonTree tree;
    jsonOpen(&tree, &live->options.allocator);
    Json *answer = liveAnswer(&tree, "error", of, message);
    jsonAddString(answer, "code", vvCode_GetName(result->code));
    jsonAddString(answer, "message", result->message);
    jsonAddString(answer, "remedy", result->remedy);
    liveSend(live, answer);
    jsonClose(&tree);
}

static void note(vvLogLevel level, const char *text, void *context)
{
    Live *live = context;
    if (level < VV_LOG_WARNING)
        return;
    JsonTree tree;
    jsonOpen(&tree, &live->options.allocator);
    Json *message = jsonMake(&tree, JSON_OBJECT);
    jsonAddString(message, "type", "note");
    jsonAddString(message, "text", text);
    liveSend(live, message);
    jsonClose(&tree);
}

static void addWords(Json *owner, const char *key, const char *(*word)(int index))
{
    Json *list = jsonAdd(owner, key, JSON_LIST);
    for (int i = 0; word(i) != NULL; ++i)
        jsonAddString(list, NULL, word(i));
}

void liveReady(Live *live)
{
    JsonTree tree;
    jsonOpen(&tree, &live->options.allocator);
    Json *ready = jsonMake(&tree, JSON_OBJECT);
    jsonAddString(ready, "type", "ready");
    jsonAddString(ready, "version", vvGetVersion());
    jsonAddString(ready, "engine", live->options.engine);
    jsonAddNumber(ready, "threads", live->options.threads > 0 ? live->options.threads : systemCores());
    frameNames(ready);
    addWords(ready, "methods", vvGetMethodName);
    addWords(ready, "solvers", vvGetSolverName);
    addWords(ready, "units", unitName);
    addWords(ready, "meshFormats", vvGetMeshFormatName);
    addWords(ready, "recordFormats", vvGetRecordFormatName);
    if (live->options.scene != NULL)
        jsonAddString(ready, "scene", live->options.scene);
    liveSend(live, ready);
    jsonClose(&tree);
}

static void addVector(Json *owner, const char *key, vvVec3 v)
{
    Json *list = jsonAdd(owner, key, JSON_LIST);
    jsonAddNumber(list, NULL, v.x);
    jsonAddNumber(list, NULL, v.y);
    jsonAddNumber(list, NULL, v.z);
}

static void addSettings(const Live *live, Json *owner)
{
    char *settings = sceneSettings(live->next);
    if (settings != NULL)
        jsonAddText(owner, "settings", settings);
    sceneFreeText(settings);
    jsonAddString(owner, "method", vvWorld_GetMethod(sceneWorldId(live->built)));
    jsonAddString(owner, "solver", vvWorld_GetSolver(sceneWorldId(live->built)));
}

void adjustSend(Live *live)
{
    JsonTree tree;
    jsonOpen(&tree, &live->options.allocator);
    Json *message = jsonMake(&tree, JSON_OBJECT);
    jsonAddString(message, "type", "settings");
    addSettings(live, message);
    liveSend(live, message);
    jsonClose(&tree);
}

static double massOf(const SceneWorld *built)
{
    double mass = sceneFluidMass(built);
    for (int i = 0; i < sceneBodyCount(built); ++i)
        mass += vvSoftBody_GetMass(sceneBody(built, i));
    for (int i = 0; i < sceneRigidCount(built); ++i)
        mass += vvRigidBody_GetMass(sceneRigid(built, i));
    return mass;
}

static void sendScene(Live *live)
{
    JsonTree tree;
    jsonOpen(&tree, &live->options.allocator);
    Json *message = jsonMake(&tree, JSON_OBJECT);
    jsonAddString(message, "type", "scene");
    jsonAddString(message, "name", sceneName(live->scene));
    jsonAddString(message, "description", sceneDescription(live->scene));
    jsonAddNumber(message, "timestep", sceneTimestep(live->scene));
    jsonAddNumber(message, "frames", sceneFrames(live->scene));
    addSettings(live, message);
    drawnDescribe(live, jsonAdd(message, "objects", JSON_LIST));
    vvVec3 eye, target;
    double fieldOfView;
    if (sceneCamera(live->scene, &eye, &target, &fieldOfView))
    {
        Json *camera = jsonAdd(message, "camera", JSON_OBJECT);
        addVector(camera, "eye", eye);
        addVector(camera, "target", target);
        jsonAddNumber(camera, "fieldOfView", fieldOfView);
    }
    vvStatistics statistics = vvWorld_GetStatistics(sceneWorldId(live->built));
    jsonAddNumber(message, "vertices", statistics.vertexCount + statistics.particleCount);
    jsonAddNumber(message, "elements", statistics.elementCount);
    jsonAddNumber(message, "mass", massOf(live->built));
    liveSend(live, message);
    jsonClose(&tree);
}

// ---- a scene --------------------------------------------------------------------------------------------------------

double liveTime(const Live *live)
{
    return live->built != NULL ? vvWorld_GetTime(sceneWorldId(live->built)) : 0;
}

vvWorldId liveWorld(const Live *live)
{
    return live->built != NULL ? sceneWorldId(live->built) : (vvWorldId){ 0 };
}

// all but a scene that is to live on
static void unload(Live *live, const Scene *keep)
{
    fileRecordEnd(live);
    drawnFree(live);
    memset(live->hand, 0, sizeof live->hand); // they went with their world
    sceneRelease(live->built);
    if (live->next != live->scene && live->next != keep)
        sceneDestroy(live->next);
    if (live->scene != keep)
        sceneDestroy(live->scene);
    live->built = NULL;
    live->scene = live->next = NULL;
}

vvResult liveBuild(Live *live, Scene *scene)
{
    SceneOptions options = { .threads = live->options.threads,
                             .logger = { note, live },
                             .allocator = live->options.allocator };
    vvResult result;
    SceneWorld *built = sceneBuild(scene, &options, &result);
    if (built == NULL)
        return result;
    unload(live, scene);
    live->built = built;
    live->scene = live->next = scene;
    live->wind = vvWorld_GetWind(sceneWorldId(built));
    return drawnMake(live);
}

static void startAudit(Live *live)
{
    vvWorldId world = sceneWorldId(live->built);
    vvLedger ledger = vvWorld_GetLedger(world);
    vvVec3 gravity = vvWorld_GetGravity(world);
    auditStart(&live->audit, &ledger, vvWorld_GetTime(world), massOf(live->built), vecLength(gravity));
}

void liveStarted(Live *live)
{
    statesFree(live);
    live->frame = 0;
    live->store = 0;
    live->stepSeconds = 0;
    live->before = live->after = vvWorld_GetProfile(sceneWorldId(live->built));
    startAudit(live);
    statesKeep(live);
    sendScene(live);
    drawnSendShapes(live);
    live->isNew = true;
    live->isAwaited = false;
}

static void forgetSets(Live *live)
{
    for (int i = 0; i < live->setCount; ++i)
        memoryRelease(&live->memory, live->sets[i]);
    live->setCount = 0;
}

static char *copyText(Live *live, const char *text, size_t length)
{
    char *copy = memoryAllocate(&live->memory, length + 1, 1);
    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

static vvResult readSets(Live *live, const Json *message)
{
    const Json *list = jsonFind(message, "set");
    forgetSets(live);
    for (const Json *word = jsonIs(list, JSON_LIST) ? list->first : NULL; word != NULL; word = word->next)
    {
        if (!jsonIs(word, JSON_STRING) || live->setCount == MOST_SETS)
            return resultMake(VV_BAD_INPUT, "set is a list of words as \"gravity=[0,0,0]\"", "set has %s",
                              live->setCount == MOST_SETS ? "too many words" : "something that is no word");
        char *copy = copyText(live, word->string, strlen(word->string));
        if (copy == NULL)
            return resultOutOfMemory("the settings");
        live->sets[live->setCount++] = copy;
    }
    return resultOk();
}

// the file that the engine was started with, and its settings
static Scene *readOwn(Live *live, vvResult *result)
{
    char path[PATH_MOST];
    const char *words[MOST_SETS];
    int count = 0;
    for (int i = 0; i < live->options.setCount && count < MOST_SETS; ++i)
        words[count++] = live->options.sets[i];
    for (int i = 0; i < live->setCount && count < MOST_SETS; ++i)
        words[count++] = live->sets[i];
    if (live->options.scene == NULL)
    {
        *result = resultMake(VV_BAD_INPUT, "give the text of a scene", "the engine was started without a scene");
        return NULL;
    }
    sceneFind(live->options.scene, path, sizeof path);
    return sceneRead(path, false, words, count, result);
}

static Scene *readScene(Live *live, vvResult *result)
{
    if (live->textSize == 0)
        return readOwn(live, result);
    return sceneParse(live->text, live->textSize, live->folder, (const char *const *)live->sets, live->setCount,
                      result);
}

void liveLoad(Live *live, const Json *message, vvResult *result)
{
    const Json *text = jsonFind(message, "scene");
    if (!jsonIs(text, JSON_STRING))
    {
        *result = resultMake(VV_BAD_INPUT, "give the text of a scene file", "load has no scene");
        return;
    }
    // what is loaded stays when the new one is refused
    char *oldText = live->text, *oldSets[MOST_SETS];
    size_t oldSize = live->textSize;
    int oldCount = live->setCount;
    memcpy(oldSets, live->sets, sizeof oldSets);
    live->setCount = 0;
    live->textSize = strlen(text->string);
    live->text = copyText(live, text->string, live->textSize);
    *result = live->text != NULL ? readSets(live, message) : resultOutOfMemory("the scene's text");
    Scene *scene = result->code == VV_OK ? readScene(live, result) : NULL;
    if (scene != NULL)
    {
        *result = liveBuild(live, scene);
        if (live->scene != scene)
            sceneDestroy(scene);
    }
    if (result->code != VV_OK)
    {
        forgetSets(live);
        memoryRelease(&live->memory, live->text);
        live->text = oldText;
        live->textSize = oldSize;
        live->setCount = oldCount;
        memcpy(live->sets, oldSets, sizeof oldSets);
        return;
    }
    memoryRelease(&live->memory, oldText);
    for (int i = 0; i < oldCount; ++i)
        memoryRelease(&live->memory, oldSets[i]);
    live->playing = false;
    liveStarted(live);
}

Scene *liveReadAgain(Live *live, vvResult *result)
{
    return readScene(live, result);
}

void liveReset(Live *live, vvResult *result)
{
    *result = liveBuild(live, live->next);
    if (result->code == VV_OK)
        liveStarted(live);
}

// ---- time -----------------------------------------------------------------------------------------------------------

static void stopped(Live *live, const vvResult *result)
{
    live->playing = false;
    JsonTree tree;
    jsonOpen(&tree, &live->options.allocator);
    Json *message = jsonMake(&tree, JSON_OBJECT);
    jsonAddString(message, "type", "stopped");
    jsonAddString(message, "message", result->message);
    jsonAddString(message, "remedy", result->remedy);
    liveSend(live, message);
    jsonClose(&tree);
}

bool liveFrame(Live *live)
{
    vvWorldId world = sceneWorldId(live->built);
    handsMove(live);
    live->before = vvWorld_GetProfile(world);
    double start = clockSeconds();
    vvResult result = sceneStep(live->built);
    live->stepSeconds = clockSeconds() - start;
    live->after = vvWorld_GetProfile(world);
    live->isNew = true;
    if (result.code != VV_OK)
    {
        stopped(live, &result);
        return false;
    }
    live->frame += 1;
    vvLedger ledger = vvWorld_GetLedger(world);
    auditLook(&live->audit, &ledger, vvWorld_GetTime(world), live->frame);
    statesKeep(live);
    fileRecordFrame(live);
    return true;
}

void liveSendFrame(Live *live)
{
    if (!live->isNew || live->isAwaited || live->built == NULL)
        return;
    if (drawnRenew(live))
        drawnSendShapes(live);
    frameSend(live);
    live->isNew = false;
    live->isAwaited = true;
}

double liveAdvance(Live *live, double seconds, double budget)
{
    if (live->built == NULL)
        return -1;
    double wait = -1;
    if (live->playing)
    {
        double step = sceneTimestep(live->scene), start = clockSeconds();
        live->store = minReal(live->store + seconds * live->speed, maxReal(MOST_BEHIND, 1.5 * step));
        while (live->playing && live->store >= step && liveFrame(live))
        {
            live->store -= step;
            if (clockSeconds() - start > budget)
            {
                live->store = minReal(live->store, step);
                break;
            }
        }
        wait = live->speed > 0 ? maxReal(0, (step - live->store) / live->speed) : -1;
    }
    liveSendFrame(live);
    return live->playing ? wait : -1;
}

// ---- the session itself ---------------------------------------------------------------------------------------------

Live *liveOpen(const LiveOptions *options, vvResult *out)
{
    Memory memory = memoryMake(&options->allocator);
    Live *live = ALLOCATE(&memory, Live, 1);
    vvResult result = live != NULL ? resultOk() : resultOutOfMemory("a session");
    if (!resultPass(out, &result))
        return NULL;
    live->memory = memory;
    live->options = *options;
    live->speed = 1;
    if (options->folder != NULL)
        snprintf(live->folder, sizeof live->folder, "%s", options->folder);
    return live;
}

void liveClose(Live *live)
{
    if (live == NULL)
        return;
    statesFree(live);
    unload(live, NULL);
    forgetSets(live);
    memoryRelease(&live->memory, live->text);
    memoryRelease(&live->memory, live->pack.bytes);
    Memory memory = live->memory;
    memoryRelease(&memory, live);
}
