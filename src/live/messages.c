// Messages of the page: what they ask for, and who does it.
#include "live/session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_STEPS 100000

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
    for (int i = 0; i < (int)count && liveFrame(live); ++i)
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
        liveReady(live);
    else if (strcmp(type, "load") == 0)
        liveLoad(live, message, result);
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
        liveReset(live, result);
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
    Json *answer = liveAnswer(&tree, "did", type->string, message);
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
        liveSendFrame(live);
}
