// What rigid bodies and joints say about each other.
#include "scene/tree.h"

#include "base/base.h"

#include <stdio.h>
#include <string.h>

#define PATH_SIZE 120

// the name it was given, or its number; no other has it
static vvResult checkName(Json *rigid, const Json *first, const char *path, int index)
{
    char name[VV_MAX_NAME + 1];
    snprintf(name, sizeof name, "rigid%d", index + 1);
    if (treeString(rigid, "name") == NULL && jsonAddString(rigid, "name", name) == NULL)
        return resultOutOfMemory("the scene");
    const char *given = treeString(rigid, "name");
    if (given[0] == 0 || strlen(given) > VV_MAX_NAME)
        return resultMake(VV_BAD_INPUT, "joints refer to it", "%s.name is \"%.70s\", must have 1 to %d bytes", path,
                          given, VV_MAX_NAME);
    int other = 0;
    for (const Json *before = first; before != rigid; before = before->next, ++other)
    {
        if (strcmp(treeString(before, "name"), given) == 0)
            return resultMake(VV_BAD_INPUT, "give every rigid body a name of its own",
                              "%s.name is \"%s\", must not be that of rigidBodies[%d]", path, given, other);
    }
    return resultOk();
}

static vvResult checkEnd(const Json *scene, const Json *joint, int index, const char *side)
{
    enum
    {
        MOST_NAMES = 64
    };
    const char *word = treeString(joint, side), *names[MOST_NAMES];
    int count = 0;
    if (word == NULL)
        return resultOk();
    TREE_EACH(rigid, treeItem(scene, "rigidBodies"))
    {
        const char *name = treeString(rigid, "name");
        if (strcmp(name, word) == 0)
            return resultOk();
        if (count < MOST_NAMES)
            names[count++] = name;
    }
    char remedy[152];
    const char *nearest = nearestWord(word, names, count);
    snprintf(remedy, sizeof remedy, "did you mean \"%s\"?", nearest ? nearest : "");
    return resultMake(VV_BAD_INPUT, nearest ? remedy : "add rigidBodies",
                      "joints[%d].%s is \"%.63s\", must be the name of a rigid body", index, side, word);
}

static vvResult checkPointB(const Json *joint, int index)
{
    const char *kind = treeString(joint, "kind");
    if (treeItem(joint, "pointB") == NULL || strcmp(kind, "distance") == 0 || strcmp(kind, "pulley") == 0)
        return resultOk();
    return resultMake(VV_BAD_INPUT, "remove it, or make it a distance joint",
                      "joints[%d].pointB cannot be used: a %s joint has one point", index, kind);
}

vvResult treeRigids(Json *scene, const Reach *reach)
{
    vvResult result = resultOk();
    int index = 0;
    TREE_EACH(rigid, treeItem(scene, "rigidBodies"))
    {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "rigidBodies[%d]", index);
        if (result.code == VV_OK)
            result = checkName(rigid, treeItem(scene, "rigidBodies")->first, path, index);
        if (result.code == VV_OK)
            result = treeSolid(rigid, path, reach);
        treeOrder(&rigidObject, rigid);
        index += 1;
    }
    index = 0;
    TREE_EACH(joint, treeItem(scene, "joints"))
    {
        if (result.code == VV_OK)
            result = checkEnd(scene, joint, index, "a");
        if (result.code == VV_OK)
            result = checkEnd(scene, joint, index, "b");
        if (result.code == VV_OK)
            result = checkPointB(joint, index);
        index += 1;
    }
    return result;
}
