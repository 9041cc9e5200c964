#include "scene/tree.h"

#include <string.h>

Json *treeItem(const Json *object, const char *key)
{
    return jsonFind(object, key);
}

double treeValue(const Json *item)
{
    return item->kind == JSON_TRUE ? 1 : item->number;
}

double treeNumber(const Json *object, const char *key, double without)
{
    const Json *item = treeItem(object, key);
    return item ? item->number : without;
}

int treeInteger(const Json *object, const char *key, int without)
{
    const Json *item = treeItem(object, key);
    return item ? (int)item->number : without;
}

bool treeSwitch(const Json *object, const char *key)
{
    return jsonIs(treeItem(object, key), JSON_TRUE);
}

const char *treeString(const Json *object, const char *key)
{
    const Json *item = treeItem(object, key);
    return item ? item->string : NULL;
}

int treeWord(const Json *object, const char *key, const char *(*word)(int index))
{
    const char *string = treeString(object, key);
    for (int i = 0; string != NULL && word(i) != NULL; ++i)
    {
        if (strcmp(word(i), string) == 0)
            return i;
    }
    return 0;
}

vvVec3 treePoint(const Json *list)
{
    const Json *x = list->first;
    return (vvVec3){ x->number, x->next->number, x->next->next->number };
}

vvVec3 treeVector(const Json *object, const char *key)
{
    const Json *item = treeItem(object, key);
    return item ? treePoint(item) : (vvVec3){ 0 };
}

int treeCount(const Json *object, const char *key)
{
    const Json *item = treeItem(object, key);
    return jsonCount(item);
}

bool treeExpand(Json *value, const char *key)
{
    if (!jsonIs(value, JSON_STRING))
        return true;
    Json *word = jsonMake(value->tree, JSON_STRING);
    if (word == NULL)
        return false;
    *word = *value;
    word->next = NULL;
    value->kind = JSON_OBJECT;
    value->string = NULL;
    return jsonLink(value, key, word);
}
