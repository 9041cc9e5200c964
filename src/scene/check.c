// A tree against the table of keys. Whatever is refused is named by its path, with the value, the limit and a remedy.
#include "scene/tree.h"

#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PATH_SIZE 160
#define VALUE_SIZE 52 // of a value in a message

typedef struct Checker
{
    char path[PATH_SIZE]; // of the value that is looked at
    size_t length;        //
    vvResult result;
} Checker;

// ---- saying what is wrong -------------------------------------------------------------------------------------------

// what to do about a number out of its range
static void adviseRange(const Key *key, char *text, size_t size)
{
    const char *without = key->fallback ? key->fallback : key->otherwise;
    snprintf(text, size, "keep to that range%s%s; %s: %s", without ? ", or leave it out for " : "",
             without ? without : "", key->name, key->help);
}

static bool refuse(Checker *checker, const Json *item, const char *remedy, const char *must)
{
    char value[VALUE_SIZE];
    jsonShort(item, value, sizeof value);
    checker->result = resultMake(VV_BAD_INPUT, remedy, "%s is %s, must be %s", checker->path, value, must);
    return false;
}

static bool refuseKind(Checker *checker, const Key *key, const Json *item)
{
    static const struct
    {
        const char *must, *remedy;
    } kinds[] = {
        [KIND_NUMBER] = { "a number", "write a number without quotes or unit" },
        [KIND_INTEGER] = { "a whole number", "write a whole number without quotes" },
        [KIND_SWITCH] = { "true or false", "write true or false without quotes" },
        [KIND_STRING] = { "text", "put it in double quotes" },
        [KIND_WORD] = { "a word", "put it in double quotes" },
        [KIND_VECTOR] = { "three numbers", "write [x, y, z]" },
        [KIND_NUMBERS] = { "a number or a list of one to three", "write 1 or [x, y, z]" },
        [KIND_INTEGERS] = { "a whole number or a list of one to three", "write 4 or [4, 4, 4]" },
        [KIND_INDICES] = { "a list of whole numbers, at least one", "write [0, 1, 2]" },
        [KIND_ROW] = { "a list of numbers, at least one", "write [0.5, 0.5]" },
        [KIND_BOX] = { "two corners", "write [[x, y, z], [x, y, z]]: the lower and the upper corner" },
        [KIND_ROWS] = { "a list of lists of numbers", "write [[0, 0, 0], [1, 0, 0]]" },
        [KIND_STRINGS] = { "text or a list of texts", "write \"frames.pc2\" or [\"frames.pc2\", \"frames.vtu\"]" },
        [KIND_OBJECT] = { "an object", "write { \"key\": value }; 'verve scenes --keys' lists the keys" },
        [KIND_LIST] = { "a list of objects", "write [ { ... }, { ... } ]" },
        [KIND_WORD_OR_OBJECT] = { "a word or an object", "write \"rubber\", or { \"young\": 1e5 }" },
        [KIND_ANYTHING] = { "anything", "" },
    };
    char must[120];
    snprintf(must, sizeof must, "%s%s%s%s", kinds[key->kind].must, key->unit ? " (" : "", key->unit ? key->unit : "",
             key->unit ? ")" : "");
    return refuse(checker, item, kinds[key->kind].remedy, must);
}

static bool refuseWord(Checker *checker, const Key *key, const Json *item)
{
    const char *names[64];
    char list[160], must[180], remedy[152];
    int count = 0;
    for (; count < 64 && key->word(count) != NULL; ++count)
        names[count] = key->word(count);
    keyWords(key->word, list, sizeof list);
    if (strlen(list) < sizeof list - 1)
        snprintf(must, sizeof must, "one of %s", list);
    else
        snprintf(must, sizeof must, "one of the %d that 'verve scenes --keys' lists", count);
    const char *nearest = nearestWord(item->string, names, count);
    snprintf(remedy, sizeof remedy, "did you mean \"%s\"? These are the words this version has",
             nearest ? nearest : "");
    return refuse(checker, item, remedy, must);
}

static bool refuseKey(Checker *checker, const Object *object, const char *name)
{
    char remedy[152];
    const char *dot = checker->length > 0 ? "." : "";
    keyAdvise(object, name, remedy, sizeof remedy);
    checker->result = resultMake(VV_BAD_INPUT, remedy, "%s%s%.40s is not a key of %s %s", checker->path, dot, name,
                                 strchr("aeiou", object->name[0]) ? "an" : "a", object->name);
    return false;
}

// ---- values ---------------------------------------------------------------------------------------------------------

static size_t enterKey(Checker *checker, const char *name)
{
    size_t before = checker->length;
    checker->length +=
        (size_t)snprintf(checker->path + before, PATH_SIZE - before, "%s%s", before > 0 ? "." : "", name);
    ASSERT_CHEAP(checker->length < PATH_SIZE, "the keys of the table make short paths");
    return before;
}

static size_t enterIndex(Checker *checker, int index)
{
    size_t before = checker->length;
    checker->length += (size_t)snprintf(checker->path + before, PATH_SIZE - before, "[%d]", index);
    ASSERT_CHEAP(checker->length < PATH_SIZE, "the keys of the table make short paths");
    return before;
}

static void leave(Checker *checker, size_t before)
{
    checker->length = before;
    checker->path[before] = 0;
}

static bool checkNumber(Checker *checker, const Key *key, const Json *item, bool whole)
{
    char remedy[152], must[100];
    const Range *r = &key->range;
    double value = item->number;
    if (!jsonIs(item, JSON_NUMBER) || !isfinite(value) || (whole && value != floor(value)))
        return refuseKind(checker, key, item);
    bool low = r->above ? value <= r->least : value < r->least;
    bool high = r->below ? value >= r->most : value > r->most;
    if (!low && !high)
        return true;
    adviseRange(key, remedy, sizeof remedy);
    keyRange(key, must, sizeof must);
    return refuse(checker, item, remedy, must);
}

// `least` to `most` numbers in a list
static bool checkNumbers(Checker *checker, const Key *key, const Json *item, int least, int most, bool whole)
{
    int count = jsonIs(item, JSON_LIST) ? jsonCount(item) : -1;
    if (count < least || count > most)
        return refuseKind(checker, key, item);
    int index = 0;
    TREE_EACH(child, item)
    {
        size_t before = enterIndex(checker, index++);
        if (!jsonIs(child, JSON_NUMBER) || (whole && child->number != floor(child->number)))
            return refuse(checker, child, whole ? "write whole numbers without quotes" : "write numbers without quotes",
                          whole ? "a whole number" : "a number");
        if (!checkNumber(checker, key, child, whole))
            return false;
        leave(checker, before);
    }
    return true;
}

static bool checkBox(Checker *checker, const Key *key, const Json *item)
{
    if (!jsonIs(item, JSON_LIST) || jsonCount(item) != 2)
        return refuseKind(checker, key, item);
    int index = 0;
    TREE_EACH(corner, item)
    {
        if (!jsonIs(corner, JSON_LIST) || jsonCount(corner) != 3)
            return refuseKind(checker, key, item);
        size_t before = enterIndex(checker, index++);
        if (!checkNumbers(checker, key, corner, 3, 3, false))
            return false;
        leave(checker, before);
    }
    return true;
}

static bool checkRows(Checker *checker, const Key *key, const Json *item)
{
    if (!jsonIs(item, JSON_LIST) || item->first == NULL)
        return refuseKind(checker, key, item);
    int index = 0;
    TREE_EACH(row, item)
    {
        size_t before = enterIndex(checker, index++);
        if (!jsonIs(row, JSON_LIST) || row->first == NULL)
            return refuse(checker, row, "write [0, 0, 0]", "a list of numbers");
        if (!checkNumbers(checker, key, row, 1, VV_MAX_VERTICES, false))
            return false;
        leave(checker, before);
    }
    return true;
}

static bool checkStrings(Checker *checker, const Key *key, const Json *item)
{
    if (jsonIs(item, JSON_STRING))
        return true;
    if (!jsonIs(item, JSON_LIST))
        return refuseKind(checker, key, item);
    TREE_EACH(child, item)
    {
        if (!jsonIs(child, JSON_STRING))
            return refuseKind(checker, key, item);
    }
    return true;
}

static bool checkWord(Checker *checker, const Key *key, const Json *item)
{
    if (!jsonIs(item, JSON_STRING))
        return refuseKind(checker, key, item);
    for (int i = 0; key->word(i) != NULL; ++i)
    {
        if (strcmp(key->word(i), item->string) == 0)
            return true;
    }
    return refuseWord(checker, key, item);
}

static bool checkObject(Checker *checker, const Object *object, Json *item);

static bool checkList(Checker *checker, const Key *key, Json *item)
{
    if (!jsonIs(item, JSON_LIST))
        return refuseKind(checker, key, item);
    int count = jsonCount(item), index = 0;
    if (count < key->range.least || count > key->range.most)
    {
        char must[80], remedy[152];
        snprintf(must, sizeof must, "a list of %g to %g objects", key->range.least, key->range.most);
        adviseRange(key, remedy, sizeof remedy);
        return refuse(checker, item, remedy, must);
    }
    TREE_EACH(child, item)
    {
        size_t before = enterIndex(checker, index++);
        if (!jsonIs(child, JSON_OBJECT))
            return refuse(checker, child, "write { \"key\": value }", "an object");
        if (!checkObject(checker, key->object, child))
            return false;
        leave(checker, before);
    }
    return true;
}

// a word alone becomes { first key: word }
static bool expandWord(Checker *checker, const Key *key, Json *item)
{
    if (jsonIs(item, JSON_STRING) && !checkWord(checker, key, item))
        return false;
    bool good = treeExpand(item, key->object->keys[0].name);
    if (!good)
        checker->result = resultOutOfMemory("the scene");
    return good;
}

static bool checkValue(Checker *checker, const Key *key, Json *item)
{
    bool whole = key->kind == KIND_INTEGER || key->kind == KIND_INTEGERS || key->kind == KIND_INDICES;
    switch (key->kind)
    {
    case KIND_NUMBER:
    case KIND_INTEGER:
        return checkNumber(checker, key, item, whole);
    case KIND_SWITCH:
        return jsonIs(item, JSON_TRUE) || jsonIs(item, JSON_FALSE) || refuseKind(checker, key, item);
    case KIND_STRING:
        return jsonIs(item, JSON_STRING) || refuseKind(checker, key, item);
    case KIND_WORD:
        return checkWord(checker, key, item);
    case KIND_VECTOR:
        return checkNumbers(checker, key, item, 3, 3, whole);
    case KIND_NUMBERS:
    case KIND_INTEGERS:
        return jsonIs(item, JSON_LIST) ? checkNumbers(checker, key, item, 1, 3, whole)
                                       : checkNumber(checker, key, item, whole);
    case KIND_INDICES:
    case KIND_ROW:
        return checkNumbers(checker, key, item, 1, VV_MAX_VERTICES, whole);
    case KIND_BOX:
        return checkBox(checker, key, item);
    case KIND_ROWS:
        return checkRows(checker, key, item);
    case KIND_STRINGS:
        return checkStrings(checker, key, item);
    case KIND_LIST:
        return checkList(checker, key, item);
    case KIND_WORD_OR_OBJECT:
        if (!expandWord(checker, key, item))
            return false;
        return jsonIs(item, JSON_OBJECT) ? checkObject(checker, key->object, item) : refuseKind(checker, key, item);
    case KIND_OBJECT:
        return jsonIs(item, JSON_OBJECT) ? checkObject(checker, key->object, item) : refuseKind(checker, key, item);
    case KIND_ANYTHING:
        return true;
    }
    return false;
}

// ---- objects --------------------------------------------------------------------------------------------------------

// all keys known, all values right; the parser lets none be given twice
static bool checkMembers(Checker *checker, const Object *object, Json *item)
{
    TREE_EACH(child, item)
    {
        const Key *key = keyFind(object, child->key);
        if (key == NULL)
            return refuseKey(checker, object, child->key);
        size_t before = enterKey(checker, key->name);
        if (!checkValue(checker, key, child))
            return false;
        leave(checker, before);
    }
    return true;
}

static bool checkChoice(Checker *checker, const Object *object, const Json *item)
{
    char list[100];
    size_t length = 0;
    int given = 0;
    for (int i = 0; object->exactlyOne[i] != NULL; ++i)
    {
        length +=
            (size_t)snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "", object->exactlyOne[i]);
        given += treeItem(item, object->exactlyOne[i]) != NULL;
    }
    if (length == 0 || given == 1)
        return true;
    char value[VALUE_SIZE];
    jsonShort(item, value, sizeof value);
    checker->result = resultMake(VV_BAD_INPUT, given == 0 ? "add one of them" : "keep one and remove the others",
                                 "%s is %s, must have exactly one of %s", checker->path, value, list);
    return false;
}

void treeOrder(const Object *object, Json *item)
{
    for (int i = 0; i < object->keyCount; ++i)
    {
        Json *value = treeItem(item, object->keys[i].name);
        if (value == NULL)
            continue;
        jsonUnlink(item, value); // to the end
        jsonLink(item, NULL, value);
    }
}

static bool addDefault(Checker *checker, const Key *key, Json *item)
{
    Json *value = jsonAddText(item, key->name, key->fallback);
    if (value == NULL)
    {
        checker->result = resultOutOfMemory("the scene");
        return false;
    }
    size_t before = enterKey(checker, key->name);
    bool good = checkValue(checker, key, value); // objects get their own defaults
    leave(checker, before);
    return good;
}

static bool checkObject(Checker *checker, const Object *object, Json *item)
{
    if (!checkMembers(checker, object, item) || !checkChoice(checker, object, item))
        return false;
    for (int i = 0; i < object->keyCount; ++i)
    {
        const Key *key = &object->keys[i];
        Json *value = treeItem(item, key->name);
        if (value == NULL && key->required)
        {
            char remedy[152];
            snprintf(remedy, sizeof remedy, "add \"%s\": %s", key->name, key->help);
            enterKey(checker, key->name);
            checker->result = resultMake(VV_BAD_INPUT, remedy, "%s is missing, must be given", checker->path);
            return false;
        }
        if (value == NULL && key->fallback != NULL && !addDefault(checker, key, item))
            return false;
    }
    treeOrder(object, item);
    return true;
}

vvResult treeCheck(Json *scene)
{
    Checker checker = { .result = resultOk() };
    if (!jsonIs(scene, JSON_OBJECT))
    {
        char value[VALUE_SIZE];
        jsonShort(scene, value, sizeof value);
        return resultMake(VV_BAD_INPUT, "write { \"verve\": 1, \"bodies\": [ ... ] }",
                          "the scene is %s, must be an object", value);
    }
    checkObject(&checker, &sceneObject, scene);
    return checker.result;
}
