// The table of keys as a JSON Schema (draft 7), for editors and validators.
#include "scene/scene.h"

#include "scene/tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DRAFT "http://json-schema.org/draft-07/schema#"

// Where memory is gone, what is added to is NULL from then on; the tree knows it in the end.

// ---- kinds ----------------------------------------------------------------------------------------------------------

static void addReference(Json *parent, const Object *object)
{
    char reference[64];
    snprintf(reference, sizeof reference, "#/definitions/%s", object->name);
    jsonAddString(parent, "$ref", reference);
}

static void describeNumber(const Key *key, bool whole, Json *out)
{
    const Range *r = &key->range;
    jsonAddString(out, "type", whole ? "integer" : "number");
    if (r->least == 0 && r->most == 0)
        return;
    jsonAddNumber(out, r->above ? "exclusiveMinimum" : "minimum", r->least);
    jsonAddNumber(out, r->below ? "exclusiveMaximum" : "maximum", r->most);
}

static void describeNumbers(const Key *key, bool whole, double least, double most, Json *out)
{
    jsonAddString(out, "type", "array");
    describeNumber(key, whole, jsonAdd(out, "items", JSON_OBJECT));
    jsonAddNumber(out, "minItems", least);
    jsonAddNumber(out, "maxItems", most);
}

static void describeWords(const Key *key, Json *out)
{
    Json *list = jsonAdd(out, "enum", JSON_LIST);
    for (int i = 0; key->word(i) != NULL; ++i)
        jsonAddString(list, NULL, key->word(i));
}

static void describeBox(const Key *key, Json *out)
{
    jsonAddString(out, "type", "array");
    describeNumbers(key, false, 3, 3, jsonAdd(out, "items", JSON_OBJECT));
    jsonAddNumber(out, "minItems", 2);
    jsonAddNumber(out, "maxItems", 2);
}

static void describeRows(const Key *key, Json *out)
{
    jsonAddString(out, "type", "array");
    describeNumbers(key, false, 1, VV_MAX_VERTICES, jsonAdd(out, "items", JSON_OBJECT));
    jsonAddNumber(out, "minItems", 1);
}

static void describeStrings(Json *out)
{
    Json *either = jsonAdd(out, "oneOf", JSON_LIST);
    jsonAddString(jsonAdd(either, NULL, JSON_OBJECT), "type", "string");
    Json *list = jsonAdd(either, NULL, JSON_OBJECT);
    jsonAddString(list, "type", "array");
    jsonAddString(jsonAdd(list, "items", JSON_OBJECT), "type", "string");
}

static void describeKind(const Key *key, Json *out)
{
    bool whole = key->kind == KIND_INTEGER || key->kind == KIND_INTEGERS || key->kind == KIND_INDICES;
    Json *either = NULL;
    switch (key->kind)
    {
    case KIND_NUMBER:
    case KIND_INTEGER:
        describeNumber(key, whole, out);
        break;
    case KIND_SWITCH:
        jsonAddString(out, "type", "boolean");
        break;
    case KIND_STRING:
        jsonAddString(out, "type", "string");
        break;
    case KIND_WORD:
        describeWords(key, out);
        break;
    case KIND_VECTOR:
        describeNumbers(key, whole, 3, 3, out);
        break;
    case KIND_NUMBERS:
    case KIND_INTEGERS:
        either = jsonAdd(out, "oneOf", JSON_LIST);
        describeNumber(key, whole, jsonAdd(either, NULL, JSON_OBJECT));
        describeNumbers(key, whole, 1, 3, jsonAdd(either, NULL, JSON_OBJECT));
        break;
    case KIND_INDICES:
    case KIND_ROW:
        describeNumbers(key, whole, 1, VV_MAX_VERTICES, out);
        break;
    case KIND_BOX:
        describeBox(key, out);
        break;
    case KIND_ROWS:
        describeRows(key, out);
        break;
    case KIND_STRINGS:
        describeStrings(out);
        break;
    case KIND_OBJECT: // beside a $ref draft 7 hears nothing else, so the reference stands in a list of its own
        addReference(jsonAdd(jsonAdd(out, "allOf", JSON_LIST), NULL, JSON_OBJECT), key->object);
        break;
    case KIND_LIST:
        jsonAddString(out, "type", "array");
        addReference(jsonAdd(out, "items", JSON_OBJECT), key->object);
        jsonAddNumber(out, "minItems", key->range.least);
        jsonAddNumber(out, "maxItems", key->range.most);
        break;
    case KIND_WORD_OR_OBJECT:
        either = jsonAdd(out, "oneOf", JSON_LIST);
        describeWords(key, jsonAdd(either, NULL, JSON_OBJECT));
        addReference(jsonAdd(either, NULL, JSON_OBJECT), key->object);
        break;
    case KIND_ANYTHING:
        break;
    }
}

// ---- objects --------------------------------------------------------------------------------------------------------

static void describeKey(const Key *key, Json *properties)
{
    char text[300];
    const char *users = key->users ? key->users : "";
    Json *out = jsonAdd(properties, key->name, JSON_OBJECT);
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s%s", users, users[0] ? ": " : "", key->help, key->unit ? " [" : "",
             key->unit ? key->unit : "", key->unit ? "]" : "", key->otherwise ? "; without it: " : "",
             key->otherwise ? key->otherwise : "");
    jsonAddString(out, "description", text);
    describeKind(key, out);
    if (key->fallback != NULL)
        jsonAddText(out, "default", key->fallback);
}

static void describeObject(const Object *object, Json *out)
{
    jsonAddString(out, "description", object->help);
    jsonAddString(out, "type", "object");
    Json *properties = jsonAdd(out, "properties", JSON_OBJECT), *required = NULL;
    for (int i = 0; i < object->keyCount; ++i)
    {
        describeKey(&object->keys[i], properties);
        if (!object->keys[i].required)
            continue;
        required = required ? required : jsonAdd(out, "required", JSON_LIST);
        jsonAddString(required, NULL, object->keys[i].name);
    }
    if (object->exactlyOne[0] != NULL)
    {
        Json *choices = jsonAdd(out, "oneOf", JSON_LIST);
        for (int i = 0; object->exactlyOne[i] != NULL; ++i)
            jsonAddString(jsonAdd(jsonAdd(choices, NULL, JSON_OBJECT), "required", JSON_LIST), NULL,
                          object->exactlyOne[i]);
    }
    jsonAdd(out, "additionalProperties", JSON_FALSE);
}

char *sceneSchema(const vvAllocator *allocator)
{
    JsonTree tree;
    jsonOpen(&tree, allocator);
    Json *schema = jsonMake(&tree, JSON_OBJECT);
    jsonAddString(schema, "$schema", DRAFT);
    jsonAddString(schema, "title", "Verve scene");
    describeObject(&sceneObject, schema);
    Json *definitions = jsonAdd(schema, "definitions", JSON_OBJECT);
    for (int i = 1; keyObject(i) != NULL; ++i)
        describeObject(keyObject(i), jsonAdd(definitions, keyObject(i)->name, JSON_OBJECT));
    char *text = tree.isStarved ? NULL : jsonPrint(schema);
    jsonClose(&tree);
    return text;
}
