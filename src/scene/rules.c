// What one key says about another, and defaults that depend on other keys: beyond what a table of keys can hold.
#include "scene/tree.h"

#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verve/record.h>

#define PATH_SIZE 120
#define NAME_SIZE 200 // of a recorded file

// ---- mesh and material ----------------------------------------------------------------------------------------------

// the numbers of `size` or `cells`: one for all, or one for each axis the shape has, or three
static vvResult checkAxes(const Json *mesh, const char *path, const char *key, const char *shape, int count,
                          const char *help)
{
    const Json *item = treeItem(mesh, key);
    int given = jsonIs(item, JSON_LIST) ? jsonCount(item) : 1;
    if (given == 1 || given == count || given == MOST_AXES)
        return resultOk();
    char value[52], remedy[152];
    jsonShort(item, value, sizeof value);
    snprintf(remedy, sizeof remedy, "for a %s: %s", shape, help);
    return resultMake(VV_BAD_INPUT, remedy, "%s.%s is %s, must be %d number%s, or one for all", path, key, value, count,
                      count == 1 ? "" : "s");
}

// rows of so many numbers; most: the largest of them, whole ones; below 0: any
static vvResult checkRowsOf(const Json *mesh, const char *path, const char *key, int width, int most)
{
    int entry = 0;
    TREE_EACH(row, treeItem(mesh, key))
    {
        if (jsonCount(row) != width)
            return resultMake(VV_BAD_INPUT,
                              width == 3 ? "write [x, y, z]" : "write [0, 1]: the two points that it joins",
                              "%s.%s[%d] has %d numbers, must have %d", path, key, entry, jsonCount(row), width);
        TREE_EACH(number, most < 0 ? NULL : row)
        {
            if (number->number != floor(number->number) || number->number > most)
                return resultMake(VV_BAD_INPUT, "points are counted from 0",
                                  "%s.%s[%d] has %g, must be a whole number from 0 to %d", path, key, entry,
                                  number->number, most);
        }
        ++entry;
    }
    return resultOk();
}

static vvResult checkPoints(const Json *mesh, const char *path)
{
    static const char *const ofOthers[] = { "size", "cells", "diagonals", "skip", "time", "format", "unit", "solid" };
    for (int i = 0; i < 8; ++i)
    {
        if (treeItem(mesh, ofOthers[i]) != NULL)
            return resultMake(VV_BAD_INPUT, "remove it", "%s.%s is there beside points", path, ofOthers[i]);
    }
    vvResult result = checkRowsOf(mesh, path, "points", 3, -1);
    return result.code == VV_OK ? checkRowsOf(mesh, path, "springs", 2, treeCount(mesh, "points") - 1) : result;
}

static vvResult checkMesh(Json *mesh, const char *path, const Reach *reach)
{
    static const char *const ofShapes[] = { "size", "cells", "diagonals", "skip", "time" };
    if (treeItem(mesh, "points") != NULL)
        return checkPoints(mesh, path);
    if (treeItem(mesh, "springs") != NULL)
        return resultMake(VV_BAD_INPUT, "remove it, or give points", "%s.springs is there, but no points", path);
    const Json *solid = treeItem(mesh, "solid");
    if (treeItem(solid, "cells") != NULL && treeItem(solid, "edge") != NULL)
        return resultMake(VV_BAD_INPUT, "remove one of the two", "%s.solid.cells is there beside edge", path);
    if (treeString(mesh, "file") != NULL)
    {
        for (int i = 0; i < 5; ++i)
        {
            if (treeItem(mesh, ofShapes[i]) != NULL)
                return resultMake(VV_BAD_INPUT, "remove it; scale changes the size of a file's mesh",
                                  "%s.%s is for shapes, and %.60s is a file", path, ofShapes[i],
                                  treeString(mesh, "file"));
        }
        if (treeString(mesh, "file")[0] == 0)
            return resultMake(VV_BAD_INPUT, "write the name of a mesh file", "%s.file is \"\", must be a file", path);
        return treeFile(mesh, path, reach);
    }
    static const char *const ofFiles[] = { "format", "unit" };
    for (int i = 0; i < 2; ++i)
    {
        if (treeItem(mesh, ofFiles[i]) != NULL)
            return resultMake(VV_BAD_INPUT, "remove it", "%s.%s is \"%s\", but there is no file", path, ofFiles[i],
                              treeString(mesh, ofFiles[i]));
    }
    const Shape *shape = shapeFind(treeString(mesh, "shape"));
    bool lattice = solid != NULL && shape->shape >= VV_MESH_HIPPO; // instead of cells
    if (lattice && treeItem(mesh, "cells") != NULL)
        return resultMake(VV_BAD_INPUT, "remove one of the two", "%s.cells is there beside solid", path);
    bool sheet = shape->shape == VV_MESH_SHEET, rope = shape->shape == VV_MESH_ROPE;
    if (treeItem(mesh, "time") != NULL && shape->shape != VV_MESH_FIGURE)
        return resultMake(VV_BAD_INPUT, "remove it", "%s.time is for figures, and this is a %s", path, shape->name);
    bool good = (treeItem(mesh, "size") || jsonAddText(mesh, "size", shape->size)) &&
                (lattice || treeItem(mesh, "cells") || jsonAddText(mesh, "cells", shape->cells)) &&
                (!sheet || treeItem(mesh, "diagonals") || jsonAddText(mesh, "diagonals", "2")) &&
                (!(sheet || rope) || treeItem(mesh, "skip") || jsonAddText(mesh, "skip", "false"));
    if (!good)
        return resultOutOfMemory("the scene");
    vvResult result = checkAxes(mesh, path, "size", shape->name, shape->sizeCount, shape->sizeHelp);
    if (result.code == VV_OK && !lattice)
        result = checkAxes(mesh, path, "cells", shape->name, shape->cellsCount, shape->cellsHelp);
    return result;
}

static bool fillMaterial(Json *material)
{
    bool given = treeItem(material, "preset") != NULL;
    vvMaterial preset = presetMaterial(given ? treeString(material, "preset") : "rubber");
    const struct
    {
        const char *key;
        double value;
    } numbers[] = { { "density", preset.density },
                    { "young", preset.young },
                    { "poisson", preset.poisson },
                    { "thickness", preset.thickness },
                    { "loss", preset.loss } }; // without a preset: by method and model, see vvMaterial.loss
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] - (given ? 0 : 1); ++i)
    {
        if (treeItem(material, numbers[i].key) == NULL &&
            jsonAddNumber(material, numbers[i].key, numbers[i].value) == NULL)
            return false;
    }
    return true;
}

// ---- where, pins, forces --------------------------------------------------------------------------------------------

static vvResult checkWhere(const Json *owner, const char *path)
{
    const Json *where = treeItem(owner, "where"), *box = treeItem(where, "box");
    if (treeItem(where, "all") != NULL && !treeSwitch(where, "all"))
        return resultMake(VV_BAD_INPUT, "write true, or choose vertices by box, sphere or number",
                          "%s.where.all is false, must be true", path);
    if (box == NULL)
        return resultOk();
    vvVec3 low = treePoint(box->first), high = treePoint(box->first->next);
    if (low.x <= high.x && low.y <= high.y && low.z <= high.z)
        return resultOk();
    char value[80];
    jsonShort(box, value, sizeof value);
    return resultMake(VV_BAD_INPUT, "write the lower corner first, coordinate by coordinate",
                      "%s.where.box is %s, must not have a lower corner above its upper one", path, value);
}

vvResult treeTimes(const Json *owner, const char *path)
{
    int index = 0;
    double last = -1;
    TREE_EACH(frame, treeItem(owner, "keyframes"))
    {
        double time = treeNumber(frame, "time", 0);
        if (time <= last)
            return resultMake(VV_BAD_INPUT, "put keyframes in the order of their times",
                              "%s.keyframes[%d].time is %.10g s, must be above %.10g s, the one before", path, index,
                              time, last);
        last = time;
        index += 1;
    }
    return resultOk();
}

// a slide stands still and stays: it has no other key but `where`
static vvResult checkSlide(const Json *pin, const char *path)
{
    static const char *const others[] = { "line", "stiffness", "keyframes", "release" };
    const char *slide = treeItem(pin, "plane") ? "plane" : "line";
    const Json *axis = treeItem(pin, slide);
    if (axis == NULL)
        return resultOk();
    vvVec3 a = treeVector(pin, slide);
    if (a.x == 0 && a.y == 0 && a.z == 0)
        return resultMake(VV_BAD_INPUT, "any length above 0 will do", "%s.%s is [0, 0, 0], must not be zero", path,
                          slide);
    for (int k = 0; k < 4; ++k)
    {
        if (treeItem(pin, others[k]) != NULL && treeItem(pin, others[k]) != axis)
            return resultMake(VV_BAD_INPUT, "remove one of the two",
                              "%s.%s is there beside %s: a slide has no other key", path, others[k], slide);
    }
    return resultOk();
}

// a skin holds nothing, and stays
static vvResult checkSkin(const Json *pin, const char *path)
{
    static const char *const others[] = { "stiffness", "plane", "line", "release" };
    const char *limit = treeItem(pin, "maxDistance") ? "maxDistance" : "backstop";
    if (treeItem(pin, limit) == NULL)
        return resultOk();
    for (int k = 0; k < 4; ++k)
    {
        if (treeItem(pin, others[k]) != NULL)
            return resultMake(VV_BAD_INPUT, "remove one of the two",
                              "%s.%s is there beside %s, which does not hold the vertices", path, others[k], limit);
    }
    return resultOk();
}

// vertices go by one of these
static vvResult checkFollowing(Json *pin, const char *path, int colliders, const Reach *reach)
{
    static const char *const ways[] = { "animation", "follow", "keyframes", "plane", "line" };
    int first = 0;
    while (first < 2 && treeItem(pin, ways[first]) == NULL)
        first += 1;
    for (int k = first + 1; k < 5 && first < 2; ++k)
    {
        if (treeItem(pin, ways[k]) != NULL)
            return resultMake(VV_BAD_INPUT, "remove one of the two", "%s.%s is there beside %s", path, ways[k],
                              ways[first]);
    }
    double follow = treeNumber(pin, "follow", -1);
    if (follow >= colliders)
        return resultMake(VV_BAD_INPUT, "colliders count from 0", "%s.follow is %g, but the scene has %d colliders",
                          path, follow, colliders);
    return treeAnimation(pin, path, reach);
}

static vvResult checkPin(Json *pin, const char *path, int colliders, const Reach *reach)
{
    vvResult result = checkWhere(pin, path);
    if (result.code == VV_OK)
        result = treeTimes(pin, path);
    if (result.code == VV_OK)
        result = checkSlide(pin, path);
    if (result.code == VV_OK)
        result = checkSkin(pin, path);
    if (result.code == VV_OK)
        result = checkFollowing(pin, path, colliders, reach);
    if (result.code == VV_OK && treeItem(pin, "release") != NULL && treeItem(pin, "stiffness") != NULL)
        result = resultMake(VV_BAD_INPUT, "remove stiffness, or release",
                            "%s.release is %.10g s, but only a hard pin (without stiffness) can be released", path,
                            treeNumber(pin, "release", 0));
    return result;
}

static vvResult checkForce(const Json *force, const char *path)
{
    vvResult result = checkWhere(force, path);
    double from = treeNumber(force, "from", 0), to = treeNumber(force, "to", from + 1);
    if (result.code == VV_OK && to <= from)
        result = resultMake(VV_BAD_INPUT, "end it later, or leave `to` out for ever",
                            "%s.to is %.10g s, must be above %.10g s, where it begins", path, to, from);
    return result;
}

static vvResult checkRegion(const Json *region, const char *path)
{
    if (jsonCount(region) < 2)
        return resultMake(VV_BAD_INPUT, "add stiffness or toughness, both factors, density, mass or friction",
                          "%s has only where, must say what is different there", path);
    return checkWhere(region, path);
}

// a file says all
static vvResult checkExample(Json *example, const char *path, const Reach *reach)
{
    static const char *const others[] = { "stretch", "turn", "along" };
    const char *file = treeString(example, "file");
    if (file == NULL && treeItem(example, "stretch") == NULL && treeItem(example, "turn") == NULL)
        return resultMake(VV_BAD_INPUT, "write turn, stretch or file", "%s is {}, must say a shape", path);
    if (file == NULL)
        return resultOk();
    if (file[0] == 0)
        return resultMake(VV_BAD_INPUT, "write the name of a mesh file", "%s.file is \"\", must be a file", path);
    for (int k = 0; k < 3; ++k)
    {
        if (treeItem(example, others[k]) != NULL)
            return resultMake(VV_BAD_INPUT, "remove one of the two", "%s.%s is there beside file", path, others[k]);
    }
    return treeFile(example, path, reach);
}

static vvResult checkDeform(Json *keys, const char *path, const Reach *reach)
{
    static const char *const changes[] = { "file", "scatter", "stretch", "turn", "move", "jitter" };
    const char *file = treeString(keys, "file");
    const Json *box = treeItem(keys, "scatter");
    bool any = false;
    for (int k = 0; k < 6; ++k)
        any = any || treeItem(keys, changes[k]) != NULL;
    if (!any)
        return resultMake(VV_BAD_INPUT, "write file, scatter, stretch, turn, move or jitter", "%s says no deformation",
                          path);
    if (file != NULL && box != NULL)
        return resultMake(VV_BAD_INPUT, "remove one of the two", "%s.scatter is there beside file", path);
    if (box != NULL)
    {
        vvVec3 low = treePoint(box->first), high = treePoint(box->first->next);
        if (low.x > high.x || low.y > high.y || low.z > high.z)
            return resultMake(VV_BAD_INPUT, "write the lower corner first, coordinate by coordinate",
                              "%s.scatter must not have a lower corner above its upper one", path);
    }
    vvResult result = treeItem(keys, "where") != NULL ? checkWhere(keys, path) : resultOk();
    if (result.code != VV_OK || file == NULL)
        return result;
    if (file[0] == 0)
        return resultMake(VV_BAD_INPUT, "write the name of a mesh file", "%s.file is \"\", must be a file", path);
    return treeFile(keys, path, reach);
}

// ---- bodies and attachments -----------------------------------------------------------------------------------------

static vvResult checkName(Json *body, const Json *first, const char *path, int index)
{
    char name[VV_MAX_NAME + 1];
    snprintf(name, sizeof name, "body%d", index + 1);
    if (treeString(body, "name") == NULL && jsonAddString(body, "name", name) == NULL)
        return resultOutOfMemory("the scene");
    const char *given = treeString(body, "name");
    size_t length = strlen(given);
    bool good = length > 0 && length <= VV_MAX_NAME && given[0] != '.';
    for (const char *s = given; *s && good; ++s)
        good = (unsigned char)*s >= 0x20 && *s != 0x7f && strchr("/\\:*?\"<>|", *s) == NULL;
    if (!good)
        return resultMake(VV_BAD_INPUT, "files are named after it: no folders, no characters / \\ : * ? \" < > |",
                          "%s.name is \"%.70s\", must be a file name of 1 to %d bytes", path, given, VV_MAX_NAME);
    int other = 0;
    for (const Json *before = first; before != body; before = before->next, ++other)
    {
        if (strcmp(treeString(before, "name"), given) == 0)
            return resultMake(VV_BAD_INPUT, "give every body a name of its own",
                              "%s.name is \"%s\", must not be that of bodies[%d]", path, given, other);
    }
    return resultOk();
}

static vvResult checkBody(Json *body, const Json *first, int index, int colliders, const Reach *reach)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "bodies[%d]", index);
    vvResult result = checkName(body, first, path, index);
    if (result.code == VV_OK)
    {
        snprintf(path, sizeof path, "bodies[%d].mesh", index);
        result = checkMesh(treeItem(body, "mesh"), path, reach);
    }
    if (result.code == VV_OK && !fillMaterial(treeItem(body, "material")))
        result = resultOutOfMemory("the scene");
    treeOrder(&meshObject, treeItem(body, "mesh"));
    treeOrder(&materialObject, treeItem(body, "material"));
    treeOrder(&bodyObject, body);
    int entry = 0;
    TREE_EACH(region, treeItem(body, "regions"))
    {
        snprintf(path, sizeof path, "bodies[%d].regions[%d]", index, entry++);
        if (result.code == VV_OK)
            result = checkRegion(region, path);
    }
    entry = 0;
    TREE_EACH(pin, treeItem(body, "pins"))
    {
        snprintf(path, sizeof path, "bodies[%d].pins[%d]", index, entry++);
        if (result.code == VV_OK)
            result = checkPin(pin, path, colliders, reach);
    }
    entry = 0;
    TREE_EACH(force, treeItem(body, "forces"))
    {
        snprintf(path, sizeof path, "bodies[%d].forces[%d]", index, entry++);
        if (result.code == VV_OK)
            result = checkForce(force, path);
    }
    entry = 0;
    TREE_EACH(example, treeItem(body, "examples"))
    {
        snprintf(path, sizeof path, "bodies[%d].examples[%d]", index, entry++);
        if (result.code == VV_OK)
            result = checkExample(example, path, reach);
    }
    entry = 0;
    TREE_EACH(deform, treeItem(body, "deform"))
    {
        snprintf(path, sizeof path, "bodies[%d].deform[%d]", index, entry++);
        if (result.code == VV_OK)
            result = checkDeform(deform, path, reach);
    }
    return result;
}

static bool isAmong(const Json *scene, const char *list, const char *word)
{
    bool found = false;
    TREE_EACH(item, treeItem(scene, list))
    {
        const char *name = treeString(item, "name");
        found = found || (name != NULL && strcmp(name, word) == 0);
    }
    return found;
}

static vvResult checkBodyName(const Json *scene, const char *word, const char *path, bool rigidToo)
{
    enum
    {
        MOST_NAMES = 64
    };
    const char *names[MOST_NAMES];
    int count = 0;
    if (isAmong(scene, "bodies", word) || (rigidToo && isAmong(scene, "rigidBodies", word)))
        return resultOk();
    TREE_EACH(body, treeItem(scene, "bodies"))
    {
        if (count < MOST_NAMES)
            names[count++] = treeString(body, "name");
    }
    char remedy[152];
    const char *nearest = count > 0 ? nearestWord(word, names, count) : NULL;
    snprintf(remedy, sizeof remedy, "did you mean \"%s\"?", nearest ? nearest : "");
    return resultMake(VV_BAD_INPUT, nearest ? remedy : "add bodies", "%s is \"%.63s\", must be the name of a body",
                      path, word);
}

static vvResult checkEnd(const Json *scene, const Json *attachment, int index, const char *side)
{
    char path[64];
    snprintf(path, sizeof path, "attachments[%d].%s.body", index, side);
    const Json *end = treeItem(attachment, side);
    vvResult result = checkBodyName(scene, treeString(end, "body"), path, side[0] == 'b');
    if (result.code == VV_OK && !isAmong(scene, "bodies", treeString(end, "body")) && treeItem(end, "surface") == NULL)
        result = resultMake(VV_BAD_INPUT, "give a point of the world by surface",
                            "%s is a rigid body, which has no vertices", path);
    return result;
}

static vvResult checkBond(const Json *scene, const Json *bond, int index, const char *side)
{
    char path[64];
    snprintf(path, sizeof path, "bonds[%d].%s", index, side);
    return checkBodyName(scene, treeString(bond, side), path, side[0] == 'b');
}

// ---- record ---------------------------------------------------------------------------------------------------------

static vvResult checkFileName(const char *path, const char *name)
{
    bool good = name[0] != 0 && name[0] != '.' && strlen(name) < NAME_SIZE;
    for (const char *s = name; *s && good; ++s)
        good = (unsigned char)*s >= 0x20 && strchr("/\\:*?\"<>|", *s) == NULL;
    if (good)
        return resultOk();
    return resultMake(VV_BAD_INPUT, "write a plain name such as \"ledger.csv\"; --out chooses the folder",
                      "%s is \"%.60s\", must be a file name without folders", path, name);
}

// "frames.pc2": a stem, the same for all, and a format
static vvResult checkFrames(const Json *item, const Json *first)
{
    const char *name = item->string, *dot = strrchr(name, '.');
    vvResult result = checkFileName("record.frames", name);
    if (result.code != VV_OK)
        return result;
    bool known = false;
    for (int i = 0; dot != NULL && vvGetRecordFormatName(i) != NULL; ++i)
        known = known || strcmp(dot + 1, vvGetRecordFormatName(i)) == 0;
    if (!known)
    {
        char list[80];
        keyWords(vvGetRecordFormatName, list, sizeof list);
        return resultMake(VV_BAD_INPUT, "the ending says the format: \"frames.pc2\"",
                          "record.frames is \"%.60s\", must end in one of %s", name, list);
    }
    size_t stem = (size_t)(dot - name), other = (size_t)(strrchr(first->string, '.') - first->string);
    if (stem != other || strncmp(name, first->string, stem) != 0)
        return resultMake(VV_BAD_INPUT, "write one stem with several endings: [\"frames.pc2\", \"frames.vtu\"]",
                          "record.frames has \"%.50s\", must have the stem of \"%.50s\"", name, first->string);
    for (const Json *before = first; before != item; before = before->next)
    {
        if (strcmp(before->string, name) == 0)
            return resultMake(VV_BAD_INPUT, "name every format once", "record.frames has \"%.60s\" twice", name);
    }
    return result;
}

static vvResult checkRecord(const Json *record)
{
    static const char *const files[] = { "ledger", "snapshot" };
    vvResult result = resultOk();
    for (int i = 0; i < 2 && result.code == VV_OK; ++i)
    {
        char path[32];
        snprintf(path, sizeof path, "record.%s", files[i]);
        if (treeString(record, files[i]) != NULL)
            result = checkFileName(path, treeString(record, files[i]));
    }
    const Json *frames = treeItem(record, "frames");
    if (frames != NULL && jsonIs(frames, JSON_STRING) && result.code == VV_OK)
        return checkFrames(frames, frames);
    TREE_EACH(name, frames)
    {
        if (result.code == VV_OK)
            result = checkFrames(name, frames->first);
    }
    return result;
}

vvResult treeRules(Json *scene, const Reach *reach)
{
    vvResult result = resultOk();
    int index = 0;
    if (treeItem(scene, "bodies") == NULL && treeItem(scene, "fluids") == NULL &&
        treeItem(scene, "rigidBodies") == NULL)
        return resultMake(VV_BAD_INPUT, "add \"bodies\": the soft bodies, or \"fluids\", or \"rigidBodies\"",
                          "bodies is missing, must be given where there are no fluids and no rigid bodies");
    TREE_EACH(body, treeItem(scene, "bodies"))
    {
        if (result.code == VV_OK)
            result = checkBody(body, treeItem(scene, "bodies")->first, index++, treeCount(scene, "colliders"), reach);
    }
    index = 0;
    TREE_EACH(attachment, treeItem(scene, "attachments"))
    {
        if (result.code == VV_OK)
            result = checkEnd(scene, attachment, index, "a");
        if (result.code == VV_OK)
            result = checkEnd(scene, attachment, index++, "b");
    }
    index = 0;
    TREE_EACH(bond, treeItem(scene, "bonds"))
    {
        if (result.code == VV_OK)
            result = checkBond(scene, bond, index, "a");
        if (result.code == VV_OK)
            result = checkBond(scene, bond, index++, "b");
    }
    index = 0;
    TREE_EACH(collider, treeItem(scene, "colliders"))
    {
        if (result.code == VV_OK)
            result = treeCollider(collider, index++, reach);
    }
    if (result.code == VV_OK)
        result = treeRigids(scene, reach);
    return result.code == VV_OK ? checkRecord(treeItem(scene, "record")) : result;
}
