// A session: messages come in, a scene goes on, frames go out.
#include "live/session.h"

#include "base/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BEHIND 0.1 // s of the scene that it may catch up with; more is dropped, and time slows down
#define MOST_STEPS 100000

// ---- messages out ---------------------------------------------------------------------------------------------------

void liveSend(Live *live, const Json *message)
{
    char *text = message != NULL ? jsonPrint(message) : NULL;
    if (text != NULL)
        live->options.send(live->options.context, false, text, strlen(text));
    free(text);
}

static Json *answerTo(JsonTree *tree, const char *type, const char *of, const Json *message)
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
    Json *answer = answerTo(&tree, "error", of, message);
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

static void sendReady(Live *live)
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

static void load(Live *live, const Json *message, vvResult *result)
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

static void reset(Live *live, vvResult *result)
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

static bool takeFrame(Live *live)
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

static void sendFrame(Live *live)
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
        while (live->playing && live->store >= step && takeFrame(live))
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
    sendFrame(live);
    return live->playing ? wait : -1;
}

// ---- messages in ----------------------------------------------------------------------------------------------------

bool messagePoint(const Json *list, const char *key, Vec3 *out, vvResult *result)
{
    double at[3];
    bool good = jsonIs(list, JSON_LIST) && jsonCount(list) == 3;
    for (int i = 0; i < 3 && good; ++i)
    {
        const Json *number = jsonEntry(list, i);
        good = jsonIs(number, JSON_NUMBER) && fabs(number->number) <= 1e9;
        at[i] = good ? number->number : 0;
    }
    if (!good)
    {
        *result =
            resultMake(VV_BAD_INPUT, "give three numbers, [x, y, z], of a size of at most 1e9", "%s is no vector", key);
        return false;
    }
    *out = vecLoad(at);
    return true;
}

bool messageVector(const Json *message, const char *key, Vec3 *out, vvResult *result)
{
    return messagePoint(jsonFind(message, key), key, out, result);
}

bool messageNumber(const Json *message, const char *key, double least, double most, double *out, vvResult *result)
{
    const Json *number = jsonFind(message, key);
    if (number == NULL)
        return true; // it keeps what the caller put there
    if (!jsonIs(number, JSON_NUMBER) || !(number->number >= least && number->number <= most))
    {
        char value[64];
        jsonShort(number, value, sizeof value);
        *result = resultMake(VV_BAD_INPUT, "", "%s is %s, must be %.10g to %.10g", key, value, least, most);
        return false;
    }
    *out = number->number;
    return true;
}

static void play(Live *live, const Json *message, vvResult *result)
{
    double speed = 1;
    if (!messageNumber(message, "speed", 0.001, 100, &speed, result))
        return;
    live->speed = speed;
    live->playing = true;
}

static void step(Live *live, const Json *message, vvResult *result)
{
    double count = 1;
    if (!messageNumber(message, "count", 1, MOST_STEPS, &count, result))
        return;
    live->playing = false;
    for (int i = 0; i < (int)count && takeFrame(live); ++i)
        ;
}

static void show(Live *live, const Json *message, vvResult *result)
{
    static const char *const fields[] = { "none", "strain", "energy", "speed" };
    const Json *field = jsonFind(message, "field"), *contacts = jsonFind(message, "contacts"),
               *forces = jsonFind(message, "forces");
    int chosen = (int)live->field;
    for (int i = 0; jsonIs(field, JSON_STRING); ++i)
    {
        if (i == (int)(sizeof fields / sizeof fields[0]))
        {
            *result = resultMake(VV_BAD_INPUT, "the fields are none, strain, energy, speed", "field is \"%.60s\"",
                                 field->string);
            return;
        }
        if (strcmp(fields[i], field->string) == 0)
        {
            chosen = i;
            break;
        }
    }
    live->field = (Field)chosen;
    if (contacts != NULL)
        live->contacts = jsonIs(contacts, JSON_TRUE);
    if (forces != NULL)
        live->forces = jsonIs(forces, JSON_TRUE);
    live->isNew = true;
}

static void rewindTo(Live *live, const Json *message, vvResult *result)
{
    double seconds = 1;
    if (!messageNumber(message, "seconds", 0, 1e9, &seconds, result))
        return;
    handsFree(live);
    *result = statesRewind(live, seconds);
    live->isNew = true;
}

static void tellHash(const Live *live, Json *answer)
{
    char text[17];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)vvWorld_GetHash(sceneWorldId(live->built)));
    jsonAddString(answer, "hash", text);
}

// what needs no scene; false: it is none of these
static bool handleBare(Live *live, const char *type, const Json *message, Json *answer, vvResult *result)
{
    if (strcmp(type, "hello") == 0)
        sendReady(live);
    else if (strcmp(type, "load") == 0)
        load(live, message, result);
    else if (strcmp(type, "got") == 0)
        live->isAwaited = false;
    else if (strcmp(type, "pause") == 0)
        live->playing = false;
    else if (strcmp(type, "show") == 0)
        show(live, message, result);
    else if (strcmp(type, "import") == 0)
        fileImport(live, message, answer, result);
    else
        return false;
    return true;
}

static void handleScene(Live *live, const char *type, const Json *message, Json *answer, vvResult *result)
{
    if (strcmp(type, "play") == 0)
        play(live, message, result);
    else if (strcmp(type, "step") == 0)
        step(live, message, result);
    else if (strcmp(type, "reset") == 0)
        reset(live, result);
    else if (strcmp(type, "hash") == 0)
        tellHash(live, answer);
    else if (strcmp(type, "rewind") == 0)
        rewindTo(live, message, result);
    else if (strcmp(type, "set") == 0)
        adjustSet(live, message, answer, result);
    else if (strcmp(type, "grab") == 0)
        handGrab(live, message, answer, result);
    else if (strcmp(type, "drag") == 0)
        handDrag(live, message, result);
    else if (strcmp(type, "release") == 0)
        handRelease(live, message, result);
    else if (strcmp(type, "pin") == 0)
        handPin(live, message, answer, result);
    else if (strcmp(type, "cut") == 0)
        handCut(live, message, answer, result);
    else if (strcmp(type, "wind") == 0)
        handWind(live, message, result);
    else if (strcmp(type, "record") == 0)
        fileRecord(live, message, answer, result);
    else if (strcmp(type, "export") == 0)
        fileExport(live, result);
    else
        *result = resultMake(VV_BAD_INPUT, "web/src/protocol.ts lists the messages", "\"%.40s\" is no message", type);
}

static void handle(Live *live, const Json *message)
{
    const Json *type = jsonFind(message, "type");
    vvResult result = resultOk();
    if (!jsonIs(type, JSON_STRING))
    {
        result = resultMake(VV_BAD_INPUT, "a message is an object with a type", "the message has no type");
        liveError(live, "message", message, &result);
        return;
    }
    JsonTree tree;
    jsonOpen(&tree, &live->options.allocator);
    Json *answer = answerTo(&tree, "did", type->string, message);
    if (!handleBare(live, type->string, message, answer, &result))
    {
        if (live->built == NULL)
            result = resultMake(VV_BAD_INPUT, "load a scene first", "\"%.40s\" needs a scene", type->string);
        else
            handleScene(live, type->string, message, answer, &result);
    }
    if (result.code != VV_OK)
        liveError(live, type->string, message, &result);
    else if (strcmp(type->string, "got") != 0 && strcmp(type->string, "drag") != 0)
        liveSend(live, answer);
    jsonClose(&tree);
}

void liveReceive(Live *live, bool binary, const void *bytes, size_t size)
{
    if (binary)
    {
        fileUpload(live, bytes, size);
        return;
    }
    JsonTree tree;
    vvResult result;
    jsonOpen(&tree, &live->options.allocator);
    const Json *message = jsonRead(&tree, bytes, size, NULL, &result);
    if (message == NULL)
        liveError(live, "message", NULL, &result);
    else
        handle(live, message);
    jsonClose(&tree);
    if (!live->playing)
        sendFrame(live);
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
