#include "scene/tree.h"

cJSON *treeItem(const cJSON *object, const char *key)
{
    return object ? cJSON_GetObjectItemCaseSensitive(object, key) : NULL;
}

double treeNumber(const cJSON *object, const char *key, double without)
{
    const cJSON *item = treeItem(object, key);
    return item ? item->valuedouble : without;
}

int treeInteger(const cJSON *object, const char *key, int without)
{
    const cJSON *item = treeItem(object, key);
    return item ? (int)item->valuedouble : without;
}

bool treeSwitch(const cJSON *object, const char *key)
{
    return cJSON_IsTrue(treeItem(object, key));
}

const char *treeString(const cJSON *object, const char *key)
{
    const cJSON *item = treeItem(object, key);
    return item ? item->valuestring : NULL;
}

vvVec3 treePoint(const cJSON *list)
{
    const cJSON *x = list->child;
    return (vvVec3){ x->valuedouble, x->next->valuedouble, x->next->next->valuedouble };
}

vvVec3 treeVector(const cJSON *object, const char *key)
{
    const cJSON *item = treeItem(object, key);
    return item ? treePoint(item) : (vvVec3){ 0 };
}

int treeCount(const cJSON *object, const char *key)
{
    const cJSON *item = treeItem(object, key);
    return item ? cJSON_GetArraySize(item) : 0;
}
