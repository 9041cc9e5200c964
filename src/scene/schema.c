// The table of keys as a JSON Schema (draft 7), for editors and validators.
#include "scene/scene.h"

#include "scene/tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DRAFT "http://json-schema.org/draft-07/schema#"

// cJSON hands out NULL when memory is gone and lets it pass as an argument, so a tree that misses a part is found at the
// end by comparing what was asked for with what was made
typedef struct Maker
{
    bool failed;
} Maker;

static cJSON *made(Maker *maker, cJSON *item)
{
    maker->failed = maker->failed || item == NULL;
    return item;
}

static cJSON *add(Maker *maker, cJSON *parent, const char *key, cJSON *item)
{
    bool added =
        item != NULL && parent != NULL &&
        (cJSON_IsArray(parent) ? cJSON_AddItemToArray(parent, item) : cJSON_AddItemToObject(parent, key, item));
    if (added)
        return item;
    maker->failed = true;
    cJSON_Delete(item);
    return NULL;
}

static cJSON *addObject(Maker *maker, cJSON *parent, const char *key)
{
    return add(maker, parent, key, cJSON_CreateObject());
}

static cJSON *addList(Maker *maker, cJSON *parent, const char *key)
{
    return add(maker, parent, key, cJSON_CreateArray());
}

static void addText(Maker *maker, cJSON *parent, const char *key, const char *text)
{
    add(maker, parent, key, cJSON_CreateString(text));
}

static void addNumber(Maker *maker, cJSON *parent, const char *key, double number)
{
    add(maker, parent, key, cJSON_CreateNumber(number));
}

// ---- kinds -----------------------------------------------------------------------------------------------------------

static void addReference(Maker *maker, cJSON *parent, const Object *object)
{
    char reference[64];
    snprintf(reference, sizeof reference, "#/definitions/%s", object->name);
    addText(maker, parent, "$ref", reference);
}

static void describeNumber(Maker *maker, const Key *key, bool whole, cJSON *out)
{
    const Range *r = &key->range;
    addText(maker, out, "type", whole ? "integer" : "number");
    if (r->least == 0 && r->most == 0)
        return;
    addNumber(maker, out, r->above ? "exclusiveMinimum" : "minimum", r->least);
    addNumber(maker, out, r->below ? "exclusiveMaximum" : "maximum", r->most);
}

static void describeNumbers(Maker *maker, const Key *key, bool whole, double least, double most, cJSON *out)
{
    addText(maker, out, "type", "array");
    describeNumber(maker, key, whole, addObject(maker, out, "items"));
    addNumber(maker, out, "minItems", least);
    addNumber(maker, out, "maxItems", most);
}

static void describeWords(Maker *maker, const Key *key, cJSON *out)
{
    cJSON *list = addList(maker, out, "enum");
    for (int i = 0; key->word(i) != NULL; ++i)
        add(maker, list, NULL, cJSON_CreateString(key->word(i)));
}

static void describeBox(Maker *maker, const Key *key, cJSON *out)
{
    addText(maker, out, "type", "array");
    describeNumbers(maker, key, false, 3, 3, addObject(maker, out, "items"));
    addNumber(maker, out, "minItems", 2);
    addNumber(maker, out, "maxItems", 2);
}

static void describeRows(Maker *maker, const Key *key, cJSON *out)
{
    addText(maker, out, "type", "array");
    describeNumbers(maker, key, false, 1, VV_MAX_VERTICES, addObject(maker, out, "items"));
    addNumber(maker, out, "minItems", 1);
}

static void describeStrings(Maker *maker, cJSON *out)
{
    cJSON *either = addList(maker, out, "oneOf");
    addText(maker, addObject(maker, either, NULL), "type", "string");
    cJSON *list = addObject(maker, either, NULL);
    addText(maker, list, "type", "array");
    addText(maker, addObject(maker, list, "items"), "type", "string");
}

static void describeKind(Maker *maker, const Key *key, cJSON *out)
{
    bool whole = key->kind == KIND_INTEGER || key->kind == KIND_INTEGERS || key->kind == KIND_INDICES;
    cJSON *either = NULL;
    switch (key->kind)
    {
    case KIND_NUMBER:
    case KIND_INTEGER:
        describeNumber(maker, key, whole, out);
        break;
    case KIND_SWITCH:
        addText(maker, out, "type", "boolean");
        break;
    case KIND_STRING:
        addText(maker, out, "type", "string");
        break;
    case KIND_WORD:
        describeWords(maker, key, out);
        break;
    case KIND_VECTOR:
        describeNumbers(maker, key, whole, 3, 3, out);
        break;
    case KIND_NUMBERS:
    case KIND_INTEGERS:
        either = addList(maker, out, "oneOf");
        describeNumber(maker, key, whole, addObject(maker, either, NULL));
        describeNumbers(maker, key, whole, 1, 3, addObject(maker, either, NULL));
        break;
    case KIND_INDICES:
    case KIND_ROW:
        describeNumbers(maker, key, whole, 1, VV_MAX_VERTICES, out);
        break;
    case KIND_BOX:
        describeBox(maker, key, out);
        break;
    case KIND_ROWS:
        describeRows(maker, key, out);
        break;
    case KIND_STRINGS:
        describeStrings(maker, out);
        break;
    case KIND_OBJECT: // beside a $ref draft 7 hears nothing else, so the reference stands in a list of its own
        addReference(maker, addObject(maker, addList(maker, out, "allOf"), NULL), key->object);
        break;
    case KIND_LIST:
        addText(maker, out, "type", "array");
        addReference(maker, addObject(maker, out, "items"), key->object);
        addNumber(maker, out, "minItems", key->range.least);
        addNumber(maker, out, "maxItems", key->range.most);
        break;
    case KIND_WORD_OR_OBJECT:
        either = addList(maker, out, "oneOf");
        describeWords(maker, key, addObject(maker, either, NULL));
        addReference(maker, addObject(maker, either, NULL), key->object);
        break;
    case KIND_ANYTHING:
        break;
    }
}

// ---- objects ---------------------------------------------------------------------------------------------------------

static void describeKey(Maker *maker, const Key *key, cJSON *properties)
{
    char text[300];
    cJSON *out = addObject(maker, properties, key->name);
    snprintf(text, sizeof text, "%s%s%s%s%s%s", key->help, key->unit ? " [" : "", key->unit ? key->unit : "",
             key->unit ? "]" : "", key->otherwise ? "; without it: " : "", key->otherwise ? key->otherwise : "");
    addText(maker, out, "description", text);
    describeKind(maker, key, out);
    if (key->fallback != NULL)
        add(maker, out, "default", cJSON_Parse(key->fallback));
}

static void describeObject(Maker *maker, const Object *object, cJSON *out)
{
    addText(maker, out, "description", object->help);
    addText(maker, out, "type", "object");
    cJSON *properties = addObject(maker, out, "properties"), *required = NULL;
    for (int i = 0; i < object->keyCount; ++i)
    {
        describeKey(maker, &object->keys[i], properties);
        if (!object->keys[i].required)
            continue;
        required = required ? required : addList(maker, out, "required");
        add(maker, required, NULL, cJSON_CreateString(object->keys[i].name));
    }
    if (object->exactlyOne[0] != NULL)
    {
        cJSON *choices = addList(maker, out, "oneOf");
        for (int i = 0; object->exactlyOne[i] != NULL; ++i)
            add(maker, addList(maker, addObject(maker, choices, NULL), "required"), NULL,
                cJSON_CreateString(object->exactlyOne[i]));
    }
    add(maker, out, "additionalProperties", cJSON_CreateFalse());
}

char *sceneSchema(void)
{
    Maker maker = { false };
    cJSON *schema = made(&maker, cJSON_CreateObject());
    addText(&maker, schema, "$schema", DRAFT);
    addText(&maker, schema, "title", "Verve scene");
    describeObject(&maker, &sceneObject, schema);
    cJSON *definitions = addObject(&maker, schema, "definitions");
    for (int i = 1; keyObject(i) != NULL; ++i)
        describeObject(&maker, keyObject(i), addObject(&maker, definitions, keyObject(i)->name));
    char *text = maker.failed ? NULL : jsonPrint(schema);
    cJSON_Delete(schema);
    return text;
}
