// What the shape of a collider says about its other keys.
#include "scene/tree.h"

#include "base/base.h"

#include <stdio.h>
#include <string.h>

#define PATH_SIZE 120
#define OF(kind) (1u << (kind))
#define OF_FIGURE (1u << 31)

static unsigned bitOf(const char *shape)
{
    return solidIsFigure(shape) ? OF_FIGURE : OF(solidKind(shape));
}

// Keys that belong to some shapes, and what they are without being given.
static const struct
{
    const char *key;
    unsigned shapes;
    const char *fallback; // NULL: none
} owned[] = {
    { "normal", OF(VV_SHAPE_PLANE), "[0, 1, 0]" },
    { "offset", OF(VV_SHAPE_PLANE), "0" },
    { "radius", OF(VV_SHAPE_SPHERE) | OF(VV_SHAPE_CAPSULE), "0.5" },
    { "size", OF(VV_SHAPE_BOX) | OF(VV_SHAPE_HEIGHTFIELD), "1" },
    { "height", OF_FIGURE, "1.8" },
    { "cells", OF_FIGURE, "4" },
    { "walk", OF_FIGURE, "true" },
    { "length", OF(VV_SHAPE_CAPSULE), "1" },
    { "points", OF(VV_SHAPE_CONVEX), NULL },
    { "heights", OF(VV_SHAPE_HEIGHTFIELD), NULL },
    { "file", OF(VV_SHAPE_CONVEX) | OF(VV_SHAPE_MESH), NULL },
    { "format", OF(VV_SHAPE_CONVEX) | OF(VV_SHAPE_MESH), NULL },
    { "scale", OF(VV_SHAPE_CONVEX) | OF(VV_SHAPE_MESH), NULL },
    { "sampling", OF(VV_SHAPE_MESH), "0" },
    { "animation", OF(VV_SHAPE_MESH), NULL },
};

#define OWNED_COUNT (sizeof owned / sizeof owned[0])

static vvResult checkOwned(Json *collider, const char *path, const char *shape)
{
    for (size_t i = 0; i < OWNED_COUNT; ++i)
    {
        bool given = treeItem(collider, owned[i].key) != NULL, fits = (owned[i].shapes & bitOf(shape)) != 0;
        if (given && !fits)
            return resultMake(VV_BAD_INPUT, "remove it, or change the shape; 'verve scenes --keys' says which has it",
                              "%s.%s cannot be used: a %s has none", path, owned[i].key, shape);
        if (!given && fits && owned[i].fallback != NULL && !jsonAddText(collider, owned[i].key, owned[i].fallback))
            return resultOutOfMemory("the scene");
    }
    return resultOk();
}

// rows of one length, at least `leastRows` of at least `least` numbers, at most `most`
static vvResult checkRows(const Json *collider, const char *path, const char *key, int leastRows, int least, int most)
{
    const Json *rows = treeItem(collider, key);
    int count = jsonCount(rows), width = jsonCount(rows->first), index = 0;
    if (count < leastRows)
        return resultMake(VV_BAD_INPUT, "add to the list", "%s.%s has %d rows, must have at least %d", path, key, count,
                          leastRows);
    TREE_EACH(row, rows)
    {
        int given = jsonCount(row);
        if (given < least || given > most || given != width)
            return resultMake(VV_BAD_INPUT,
                              most == 3 ? "write [x, y, z]" : "give every row the same count, two or more",
                              "%s.%s[%d] has %d numbers, must have %d", path, key, index, given, maxInt(width, least));
        index += 1;
    }
    return resultOk();
}

static vvResult missing(const char *path, const char *key, const char *shape, const char *remedy)
{
    return resultMake(VV_BAD_INPUT, remedy, "%s.%s is missing, must be given for a %s", path, key, shape);
}

static vvResult checkFile(Json *collider, const char *path, const Reach *reach)
{
    if (treeString(collider, "file")[0] == 0)
        return resultMake(VV_BAD_INPUT, "write the name of a mesh file", "%s.file is \"\", must be a file", path);
    if (treeItem(collider, "scale") == NULL && !jsonAddText(collider, "scale", "1"))
        return resultOutOfMemory("the scene");
    return treeFile(collider, path, reach);
}

// where a convex shape, a mesh and a heightfield come from
static vvResult checkSource(Json *collider, const char *path, const char *shape, const Reach *reach)
{
    bool points = treeItem(collider, "points") != NULL, file = treeItem(collider, "file") != NULL;
    vvShapeKind kind = solidKind(shape);
    if (kind == VV_SHAPE_HEIGHTFIELD)
        return treeItem(collider, "heights") == NULL
                   ? missing(path, "heights", shape, "add \"heights\": [[0, 0], [0, 1]]")
                   : checkRows(collider, path, "heights", 2, 2, VV_MAX_VERTICES);
    if (solidIsFigure(shape))
        return resultOk();
    if (kind == VV_SHAPE_MESH && !file)
        return missing(path, "file", shape, "add \"file\": \"bunny.obj\"");
    if (kind == VV_SHAPE_CONVEX && points == file)
        return resultMake(VV_BAD_INPUT, points ? "keep one of them" : "add \"points\": [[0, 0, 0], ...] or \"file\"",
                          "%s.points is %s beside file, must be exactly one of them", path,
                          points ? "given" : "missing");
    if (!file && (treeItem(collider, "format") != NULL || treeItem(collider, "scale") != NULL))
        return resultMake(VV_BAD_INPUT, "remove it", "%s.%s cannot be used: there is no file", path,
                          treeItem(collider, "format") ? "format" : "scale");
    if (points)
        return checkRows(collider, path, "points", 4, 3, 3);
    return file ? checkFile(collider, path, reach) : resultOk();
}

static vvResult checkNumbers(const Json *collider, const char *path, vvShapeKind kind)
{
    const Json *size = treeItem(collider, "size");
    int given = size && jsonIs(size, JSON_LIST) ? jsonCount(size) : 1;
    if (kind == VV_SHAPE_BOX && given == 2)
        return resultMake(VV_BAD_INPUT, "for a box: x, y and z", "%s.size has 2 numbers, must be 3, or one for all",
                          path);
    vvVec3 normal = treeVector(collider, "normal");
    if (kind == VV_SHAPE_PLANE && normal.x == 0 && normal.y == 0 && normal.z == 0)
        return resultMake(VV_BAD_INPUT, "[0, 1, 0] is a floor", "%s.normal is [0, 0, 0], must have a length above 0",
                          path);
    return resultOk();
}

// what a keyframe does not say is as before
static bool fillPoses(Json *collider)
{
    const Json *before = collider;
    TREE_EACH(pose, treeItem(collider, "keyframes"))
    {
        static const char *const keys[] = { "position", "rotate" };
        for (int i = 0; i < 2; ++i)
        {
            if (treeItem(pose, keys[i]) == NULL && jsonAddCopy(pose, keys[i], treeItem(before, keys[i])) == NULL)
                return false;
        }
        treeOrder(&poseObject, pose);
        before = pose;
    }
    treeOrder(&colliderObject, collider);
    return true;
}

vvResult treeAnimation(Json *owner, const char *path, const Reach *reach)
{
    char own[PATH_SIZE + 16];
    Json *animation = treeItem(owner, "animation");
    if (animation == NULL)
        return resultOk();
    snprintf(own, sizeof own, "%s.animation", path);
    if (treeString(animation, "file")[0] == 0)
        return resultMake(VV_BAD_INPUT, "write the name of a glTF or PC2 file", "%s.file is \"\", must be a file", own);
    treeOrder(&animationObject, animation);
    return treeFile(animation, own, reach);
}

// a grid of distances cannot deform
static vvResult checkDeforming(Json *collider, const char *path, const Reach *reach)
{
    if (treeItem(collider, "animation") != NULL && treeNumber(collider, "sampling", 0) > 0)
        return resultMake(VV_BAD_INPUT, "remove sampling", "%s.sampling is %g m, must be 0 beside animation", path,
                          treeNumber(collider, "sampling", 0));
    return treeAnimation(collider, path, reach);
}

vvResult treeSolid(Json *owner, const char *path, const Reach *reach)
{
    const char *shape = treeString(owner, "shape");
    vvResult result = checkOwned(owner, path, shape);
    if (result.code == VV_OK)
        result = checkSource(owner, path, shape, reach);
    return result.code == VV_OK ? checkNumbers(owner, path, solidKind(shape)) : result;
}

vvResult treeCollider(Json *collider, int index, const Reach *reach)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "colliders[%d]", index);
    vvResult result = treeSolid(collider, path, reach);
    if (result.code == VV_OK)
        result = checkDeforming(collider, path, reach);
    if (result.code == VV_OK)
        result = treeTimes(collider, path);
    if (result.code == VV_OK && !fillPoses(collider))
        result = resultOutOfMemory("the scene");
    return result;
}
