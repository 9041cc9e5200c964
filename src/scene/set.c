// --set path=value: a change of the tree before it is checked. Parts of a path are keys of the table or numbers of
// entries; objects that are missing along the way are made, with the table's default where it has one.
#include "scene/tree.h"

#include "base/base.h"
#include "base/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 160
#define PART_SIZE 48

typedef struct Setter
{
    const char *set;      // as given, for messages
    char path[PATH_SIZE]; // as far as it was followed
    const char *rest;     // of the path
    const char *end;      // its '='
    cJSON *at;            // what the path so far names
    const Key *key;       // of `at`; NULL: the scene
    const Object *object; // keys of `at` if it is an object; NULL: it is a value or a list
} Setter;

static vvResult refuse(const Setter *setter, const char *part, const char *remedy, const char *what)
{
    return resultMake(VV_BAD_INPUT, remedy, "%s%s%s %s, in --set %.80s", setter->path,
                      setter->path[0] && part[0] && part[0] != '[' ? "." : "", part, what, setter->set);
}

// the next part: a key, or a number with or without brackets
static bool nextPart(Setter *setter, char *part)
{
    const char *s = setter->rest;
    s += *s == '.' || *s == '[';
    size_t length = strcspn(s, ".[]=");
    if (length == 0 || length >= PART_SIZE)
        return false;
    memcpy(part, s, length);
    part[length] = 0;
    s += length;
    setter->rest = s + (*s == ']');
    return true;
}

static void append(Setter *setter, const char *format, const char *part)
{
    size_t length = strlen(setter->path);
    snprintf(setter->path + length, PATH_SIZE - length, format, part);
}

// ---- the value -------------------------------------------------------------------------------------------------------

// a number as people write it, where JSON does not: .9, +1, 1.
static bool plainNumber(const char *text, double *number)
{
    size_t length = strlen(text);
    char full[PART_SIZE];
    int sign = *text == '-' || *text == '+';
    if (length == 0 || length + 3 > sizeof full || text[strspn(text, "+-.0123456789eE")] != 0)
        return false;
    snprintf(full, sizeof full, "%.*s%s%s", sign, text, text[sign] == '.' ? "0" : "", text + sign);
    length = strlen(full);
    if (full[length - 1] == '.')
        full[length - 1] = 0;
    const char *end = decimalRead(full, number);
    return end != NULL && *end == 0 && isfinite(*number) && strpbrk(text, "0123456789") != NULL &&
           strchr(text, '.') == strrchr(text, '.');
}

// JSON, or a word where a string is meant
static cJSON *parseValue(const char *text, const Key *key)
{
    double number = 0;
    bool strings = key != NULL && (key->kind == KIND_STRING || key->kind == KIND_WORD);
    bool quoted = text[0] == '"';
    cJSON *value = NULL;
    if ((!strings || quoted || strcmp(text, "null") == 0) && jsonCheck(text, strlen(text), "").code == VV_OK)
        value = cJSON_Parse(text);
    if (value == NULL && !strings && plainNumber(text, &number))
        value = cJSON_CreateNumber(number);
    return value ? value : cJSON_CreateString(text);
}

// puts the value where `child` is, or is to be; null takes the key away
static vvResult place(const Setter *setter, const char *part, cJSON *child, const Key *key)
{
    const char *text = setter->end + 1;
    vvResult checked = *text == '[' || *text == '{' ? jsonCheck(text, strlen(text), "the value") : resultOk();
    if (checked.code != VV_OK)
        return resultMake(checked.code, checked.remedy, "--set %.80s: %s", setter->set, checked.message);
    cJSON *value = parseValue(text, key);
    bool good = value != NULL;
    if (good)
        reachTyped(value);
    if (good && cJSON_IsNull(value) && cJSON_IsObject(setter->at))
    {
        cJSON_Delete(value);
        if (child != NULL)
            cJSON_Delete(cJSON_DetachItemViaPointer(setter->at, child));
        return resultOk();
    }
    if (good && cJSON_IsArray(setter->at))
        good = cJSON_ReplaceItemViaPointer(setter->at, child, value);
    else if (good && child != NULL)
        good = cJSON_ReplaceItemInObjectCaseSensitive(setter->at, part, value);
    else if (good)
        good = cJSON_AddItemToObject(setter->at, part, value);
    if (good)
        return resultOk();
    cJSON_Delete(value);
    return resultOutOfMemory("the scene");
}

// ---- the way there ---------------------------------------------------------------------------------------------------

// what a missing key starts from so that the path can go on inside; NULL: nothing
static const char *startOf(const Key *key)
{
    if (key->fallback != NULL)
        return key->fallback;
    return key->kind == KIND_OBJECT || key->kind == KIND_WORD_OR_OBJECT ? "{}" : NULL;
}

// a word that stands for an object becomes that object
static bool expand(cJSON *parent, const char *part, const Key *key, cJSON **child)
{
    if (key->kind != KIND_WORD_OR_OBJECT || !cJSON_IsString(*child))
        return true;
    cJSON *object = cJSON_CreateObject();
    if (object != NULL && cJSON_AddStringToObject(object, key->object->keys[0].name, (*child)->valuestring) != NULL &&
        cJSON_ReplaceItemInObjectCaseSensitive(parent, part, object))
    {
        *child = object;
        return true;
    }
    cJSON_Delete(object);
    return false;
}

static vvResult followKey(Setter *setter, const char *part, bool last)
{
    const Key *key = keyFind(setter->object, part);
    if (key == NULL)
    {
        char remedy[152];
        keyAdvise(setter->object, part, remedy, sizeof remedy);
        return refuse(setter, part, remedy, "does not exist");
    }
    cJSON *child = treeItem(setter->at, part);
    if (last)
        return place(setter, part, child, key);
    if (child == NULL && startOf(key) == NULL)
        return refuse(setter, part, "set the whole value, as JSON", "is not in the scene");
    if (child == NULL)
    {
        child = cJSON_Parse(startOf(key));
        if (child == NULL || !cJSON_AddItemToObject(setter->at, part, child))
        {
            cJSON_Delete(child);
            return resultOutOfMemory("the scene");
        }
    }
    if (!expand(setter->at, part, key, &child))
        return resultOutOfMemory("the scene");
    append(setter, setter->path[0] ? ".%s" : "%s", part);
    setter->at = child;
    setter->key = key;
    setter->object = cJSON_IsObject(child) ? key->object : NULL;
    return resultOk();
}

static vvResult followIndex(Setter *setter, const char *part, bool last)
{
    char *end = NULL, index[PART_SIZE + 2], remedy[152];
    long number = strtol(part, &end, 10);
    int count = cJSON_GetArraySize(setter->at);
    snprintf(index, sizeof index, "[%s]", part);
    if (*end != 0 || number < 0 || number >= count)
    {
        snprintf(remedy, sizeof remedy, "entries count from 0; %.100s has %d", setter->path, count);
        return refuse(setter, index, remedy, "does not exist");
    }
    cJSON *child = cJSON_GetArrayItem(setter->at, (int)number);
    if (last)
        return place(setter, "", child, setter->key);
    append(setter, "[%s]", part);
    setter->at = child;
    setter->object = cJSON_IsObject(child) ? setter->key->object : NULL;
    return resultOk();
}

vvResult treeSet(cJSON *scene, const char *set)
{
    Setter setter = { .set = set, .rest = set, .at = scene, .object = &sceneObject };
    setter.end = strchr(set, '=');
    if (setter.end == NULL || setter.end == set)
        return resultMake(VV_BAD_INPUT, "write --set bodies.0.material.young=2e5", "--set %.80s has no path=value",
                          set);
    while (setter.rest < setter.end)
    {
        char part[PART_SIZE];
        if (!nextPart(&setter, part))
            return refuse(&setter, "", "write --set bodies.0.material.young=2e5", "is followed by no key");
        bool last = setter.rest >= setter.end;
        vvResult result;
        if (setter.object != NULL)
            result = followKey(&setter, part, last);
        else if (cJSON_IsArray(setter.at))
            result = followIndex(&setter, part, last);
        else
            result = refuse(&setter, "", "end the path here", "has no parts");
        if (result.code != VV_OK)
            return result;
    }
    return resultOk();
}
