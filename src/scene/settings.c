// What of a scene can be adjusted while it runs, with units and ranges from the table of keys: for sliders.
#include "scene/scene.h"

#include "scene/scene_data.h"
#include "world/settings.h"

#include <stdio.h>
#include <string.h>

#define MOST_APART 4 // bodies or colliders with rows of their own; more are set together

// One row on its way into the list.
typedef struct Row
{
    const char *group, *path, *label;
    const Key *key;
    const Json *value; // NULL: the scene does not say, and its key has no default
    double initial;    // where the key has no default
    bool used;
} Row;

static const char *kindWord(Kind kind)
{
    switch (kind)
    {
    case KIND_NUMBER:
        return "number";
    case KIND_INTEGER:
        return "integer";
    case KIND_SWITCH:
        return "switch";
    case KIND_WORD:
        return "word";
    case KIND_VECTOR:
        return "vector";
    default:
        return NULL;
    }
}

static void addSwitch(Json *owner, const char *key, bool value)
{
    jsonAdd(owner, key, value ? JSON_TRUE : JSON_FALSE);
}

static void addRow(Json *list, const Row *row)
{
    const char *kind = kindWord(row->key->kind);
    if (kind == NULL)
        return;
    Json *object = jsonAdd(list, NULL, JSON_OBJECT);
    jsonAddString(object, "path", row->path);
    jsonAddString(object, "group", row->group);
    jsonAddString(object, "label", row->label);
    jsonAddString(object, "kind", kind);
    if (row->key->word != NULL)
    {
        Json *words = jsonAdd(object, "words", JSON_LIST);
        for (int i = 0; row->key->word(i) != NULL; ++i)
            jsonAddString(words, NULL, row->key->word(i));
    }
    jsonAddString(object, "unit", row->key->unit ? row->key->unit : "");
    if (row->key->range.least != row->key->range.most)
    {
        jsonAddNumber(object, "least", row->key->range.least);
        jsonAddNumber(object, "most", row->key->range.most);
    }
    if (row->key->fallback != NULL)
        jsonAddText(object, "initial", row->key->fallback);
    else
        jsonAddNumber(object, "initial", row->initial);
    if (row->value != NULL)
        jsonAddCopy(object, "value", row->value);
    else
        jsonAddNumber(object, "value", row->initial);
    jsonAddString(object, "help", row->key->help);
    addSwitch(object, "used", row->used);
}

static void addIntegrator(const Scene *scene, Json *list)
{
    const Object *keys = keyFind(&sceneObject, "integrator")->object;
    const Json *integrator = treeItem(scene->tree, "integrator");
    for (int i = 0; i < keys->keyCount; ++i)
    {
        const Key *key = &keys->keys[i];
        const Setting *setting = settingAt(i);
        char path[64];
        snprintf(path, sizeof path, "integrator.%s", key->name);
        bool used = settingIsUsed(setting, sceneMethod(scene), sceneSolver(scene));
        // methods without substeps of their own take several steps per frame
        used = used || strcmp(key->name, "substeps") == 0;
        addRow(list, &(Row){ "method", path, key->name, key, treeItem(integrator, key->name), 0, used });
    }
}

// one key of one body or collider, or of all of them (index -1)
static void addPart(const Scene *scene, Json *list, const char *group, const char *owners, int index,
                    const Object *object, const char *within, const char *name, double initial)
{
    char path[96], label[128], entry[16] = "*";
    const Json *owner = jsonEntry(treeItem(scene->tree, owners), index < 0 ? 0 : index);
    const Json *place = within[0] != 0 ? treeItem(owner, within) : owner;
    const char *called = treeString(owner, "name");
    if (index >= 0)
        snprintf(entry, sizeof entry, "%d", index);
    snprintf(path, sizeof path, "%s.%s.%s%s%s", owners, entry, within, within[0] ? "." : "", name);
    if (called == NULL)
        called = treeString(owner, "shape");
    snprintf(label, sizeof label, "%s%s%s", strcmp(within, "damping") == 0 ? "damping, " : "", name, "");
    if (treeCount(scene->tree, owners) > 1)
        snprintf(label + strlen(label), sizeof label - strlen(label), " of %.64s",
                 index < 0        ? "all"
                 : called != NULL ? called
                                  : entry);
    addRow(list, &(Row){ group, path, label, keyFind(object, name), treeItem(place, name), initial, true });
}

static void addParts(const Scene *scene, Json *list)
{
    int bodies = treeCount(scene->tree, "bodies"), colliders = treeCount(scene->tree, "colliders");
    bool together = bodies > MOST_APART;
    for (int i = together ? -1 : 0; i < (together ? 0 : bodies); ++i)
    {
        const vvMaterial preset = presetMaterial(scenePreset(scene, maxInt(i, 0)));
        addPart(scene, list, "body", "bodies", i, &materialObject, "material", "young", preset.young);
        addPart(scene, list, "body", "bodies", i, &materialObject, "material", "poisson", preset.poisson);
        addPart(scene, list, "body", "bodies", i, &materialObject, "material", "density", preset.density);
        addPart(scene, list, "body", "bodies", i, &dampingObject, "damping", "stiffness", 0);
        addPart(scene, list, "body", "bodies", i, &dampingObject, "damping", "mass", 0);
        addPart(scene, list, "body", "bodies", i, &bodyObject, "", "friction", 0.5);
    }
    together = colliders > MOST_APART;
    for (int i = together ? -1 : 0; i < (together ? 0 : colliders); ++i)
    {
        addPart(scene, list, "collider", "colliders", i, &colliderObject, "", "friction", 0.5);
        addPart(scene, list, "collider", "colliders", i, &colliderObject, "", "restitution", 0);
    }
}

char *sceneSettings(const Scene *scene)
{
    JsonTree tree;
    jsonOpen(&tree, NULL);
    Json *list = jsonMake(&tree, JSON_LIST);
    addIntegrator(scene, list);
    static const char *const names[] = { "gravity", "timestep" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        addRow(list, &(Row){ "world", names[i], names[i], keyFind(&sceneObject, names[i]),
                             treeItem(scene->tree, names[i]), 0, true });
    addParts(scene, list);
    char *text = tree.isStarved ? NULL : jsonPrint(list);
    jsonClose(&tree);
    return text;
}
