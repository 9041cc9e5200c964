// What somebody may have meant who wrote a key that is not there.
#include "scene/keys.h"

#include "base/base.h"

#include <stdio.h>
#include <string.h>

#define PLACE_SIZE 72
#define DEEPEST 3

// where a key of that name is, in an object or in what it holds: "material.model"
static bool keyPlace(const Object *object, const char *name, int depth, char *path)
{
    for (int i = 0; i < object->keyCount; ++i)
    {
        if (strcmp(object->keys[i].name, name) == 0)
        {
            snprintf(path, PLACE_SIZE, "%s", name);
            return true;
        }
    }
    for (int i = 0; i < object->keyCount && depth < DEEPEST; ++i)
    {
        char rest[PLACE_SIZE];
        const Key *key = &object->keys[i];
        if (key->object == NULL || !keyPlace(key->object, name, depth + 1, rest))
            continue;
        snprintf(path, PLACE_SIZE, "%.24s%s.%.36s", key->name, key->kind == KIND_LIST ? "[0]" : "", rest);
        return true;
    }
    return false;
}

void keyAdvise(const Object *object, const char *name, char *remedy, size_t size)
{
    char place[PLACE_SIZE];
    const char *nearest = object->keys[0].name;
    for (int i = 1; i < object->keyCount; ++i)
        nearest = wordEdits(name, object->keys[i].name) < wordEdits(name, nearest) ? object->keys[i].name : nearest;
    snprintf(place, sizeof place, "%s", nearest);
    if (wordEdits(name, nearest) > 1 && !keyPlace(object, name, 0, place) && keyPlace(&sceneObject, name, 0, place))
        snprintf(remedy, size, "it belongs to the scene as \"%s\"; 'verve scenes --keys' lists all keys", place);
    else
        snprintf(remedy, size, "did you mean \"%s\"? 'verve scenes --keys' lists the keys of every object", place);
}
