// --set path=value: a change of the tree before it is checked. Segments of a path are keys of the table or numbers of
// entries; objects that are missing along the way are made, with the table's default where it has one.
#include "scene/tree.h"

#include "base/base.h"
#include "base/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 160
#define SEGMENT_SIZE 48

typedef struct Setter
{
    const char *set;      // as given, for messages
    char path[PATH_SIZE]; // as far as it was followed
    const char *rest;     // of the path
    const char *end;      // its '='
    Json *at;             // what the path so far names
    const Key *key;       // of `at`; NULL: the scene
    const Object *object; // keys of `at` if it is an object; NULL: it is a value or a list
} Setter;

static vvResult refuse(const Setter *setter, const char *segment, const char *remedy, const char *what)
{
    return resultMake(VV_BAD_INPUT, remedy, "%s%s%s %s, in --set %.80s", setter->path,
                      setter->path[0] && segment[0] && segment[0] != '[' ? "." : "", segment, what, setter->set);
}

// the next segment: a key, or a number with or without brackets
static bool nextSegment(Setter *setter, char *segment)
{
    const char *s = setter->rest;
    s += *s == '.' || *s == '[';
    size_t length = strcspn(s, ".[]=");
    if (length == 0 || length >= SEGMENT_SIZE)
        return false;
    memcpy(segment, s, length);
    segment[length] = 0;
    s += length;
    setter->rest = s + (*s == ']');
    return true;
}

static void append(Setter *setter, const char *format, const char *segment)
{
    size_t length = strlen(setter->path);
    snprintf(setter->path + length, PATH_SIZE - length, format, segment);
}

// ---- the value ------------------------------------------------------------------------------------------------------

// a number as people write it, where JSON does not: .9, +1, 1.
static bool plainNumber(const char *text, double *number)
{
    size_t length = strlen(text);
    char full[SEGMENT_SIZE];
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

// JSON, or a word where a string is meant; NULL: `result` says why
static Json *readGiven(const Setter *setter, const Key *key, vvResult *result)
{
    const char *text = setter->end + 1;
    double number = 0;
    bool strings = key != NULL && (key->kind == KIND_STRING || key->kind == KIND_WORD);
    bool meant = !strings || text[0] == '"' || strcmp(text, "null") == 0;
    bool brackets = *text == '[' || *text == '{';
    JsonTree *tree = setter->at->tree;
    vvResult read = resultOk();
    Json *value = meant || brackets ? jsonRead(tree, text, strlen(text), "the value", &read) : NULL;
    if (read.code != VV_OK && (brackets || tree->isStarved))
    {
        *result =
            tree->isStarved ? read : resultMake(read.code, read.remedy, "--set %.80s: %s", setter->set, read.message);
        return NULL;
    }
    if (value != NULL && meant)
        return value;
    bool plain = !strings && plainNumber(text, &number);
    value = jsonMake(tree, plain ? JSON_NUMBER : JSON_STRING);
    if (value != NULL)
        value->number = number;
    if (value == NULL || (!plain && !jsonSetString(value, text)))
    {
        *result = resultOutOfMemory("the scene");
        return NULL;
    }
    return value;
}

// puts the value where `child` is, or is to be; null takes the key away
static vvResult place(const Setter *setter, const char *segment, Json *child, const Key *key)
{
    vvResult result = resultOk();
    Json *value = readGiven(setter, key, &result);
    if (value == NULL)
        return result;
    reachTyped(value);
    bool away = jsonIs(value, JSON_NULL) && jsonIs(setter->at, JSON_OBJECT);
    if (away && child != NULL)
        jsonUnlink(setter->at, child);
    else if (!away && child != NULL)
        jsonReplace(setter->at, child, value);
    else if (!away && !jsonLink(setter->at, segment, value))
        return resultOutOfMemory("the scene");
    return result;
}

// ---- the way there --------------------------------------------------------------------------------------------------

// what a missing key starts from so that the path can go on inside; NULL: nothing
static const char *startOf(const Key *key)
{
    if (key->fallback != NULL)
        return key->fallback;
    return key->kind == KIND_OBJECT || key->kind == KIND_WORD_OR_OBJECT ? "{}" : NULL;
}

static vvResult followKey(Setter *setter, const char *segment, bool last)
{
    const Key *key = keyFind(setter->object, segment);
    if (key == NULL)
    {
        char remedy[152];
        keyAdvise(setter->object, segment, remedy, sizeof remedy);
        return refuse(setter, segment, remedy, "does not exist");
    }
    Json *child = treeItem(setter->at, segment);
    if (last)
        return place(setter, segment, child, key);
    if (child == NULL && startOf(key) == NULL)
        return refuse(setter, segment, "set the whole value, as JSON", "is not in the scene");
    if (child == NULL)
    {
        child = jsonAddText(setter->at, segment, startOf(key));
        if (child == NULL)
            return resultOutOfMemory("the scene");
    }
    if (key->kind == KIND_WORD_OR_OBJECT && !treeExpand(child, key->object->keys[0].name))
        return resultOutOfMemory("the scene");
    append(setter, setter->path[0] ? ".%s" : "%s", segment);
    setter->at = child;
    setter->key = key;
    setter->object = jsonIs(child, JSON_OBJECT) ? key->object : NULL;
    return resultOk();
}

static vvResult followIndex(Setter *setter, const char *segment, bool last)
{
    char *end = NULL, index[SEGMENT_SIZE + 2], remedy[152];
    long number = strtol(segment, &end, 10);
    int count = jsonCount(setter->at);
    snprintf(index, sizeof index, "[%s]", segment);
    if (*end != 0 || number < 0 || number >= count)
    {
        snprintf(remedy, sizeof remedy, "entries count from 0; %.100s has %d", setter->path, count);
        return refuse(setter, index, remedy, "does not exist");
    }
    Json *child = jsonEntry(setter->at, (int)number);
    if (last)
        return place(setter, "", child, setter->key);
    append(setter, "[%s]", segment);
    setter->at = child;
    setter->object = jsonIs(child, JSON_OBJECT) ? setter->key->object : NULL;
    return resultOk();
}

vvResult treeSet(Json *scene, const char *set)
{
    Setter setter = { .set = set, .rest = set, .at = scene, .object = &sceneObject };
    setter.end = strchr(set, '=');
    if (setter.end == NULL || setter.end == set)
        return resultMake(VV_BAD_INPUT, "write --set bodies.0.material.young=2e5", "--set %.80s has no path=value",
                          set);
    while (setter.rest < setter.end)
    {
        char segment[SEGMENT_SIZE];
        if (!nextSegment(&setter, segment))
            return refuse(&setter, "", "write --set bodies.0.material.young=2e5", "is followed by no key");
        bool last = setter.rest >= setter.end;
        vvResult result;
        if (setter.object != NULL)
            result = followKey(&setter, segment, last);
        else if (jsonIs(setter.at, JSON_LIST))
            result = followIndex(&setter, segment, last);
        else
            result = refuse(&setter, "", "end the path here", "has no segments");
        if (result.code != VV_OK)
            return result;
    }
    return resultOk();
}
