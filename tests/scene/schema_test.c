// What is published about the format is what the program says: the schema file, the reference in the documentation.
#include "files.h"

#include "base/json.h"
#include "scene/keys.h"
#include "scene/scene.h"

static void testSchemaFile(void **state)
{
    (void)state;
    char *file = readSource("scenes/verve.schema.json", NULL), *text = sceneSchema(NULL);
    assert_non_null(text);
    if (strcmp(file, text) != 0)
        fail_msg("scenes/verve.schema.json is old: build/verve scenes --schema > scenes/verve.schema.json");
    free(file);
    sceneFreeText(text);
}

static void testReference(void **state)
{
    (void)state;
    char *file = readSource("docs/scenes.md", NULL), *text = sceneKeys();
    assert_non_null(text);
    if (strstr(file, text) == NULL)
        fail_msg("the end of docs/scenes.md is old: put there what build/verve scenes --keys prints");
    free(file);
    sceneFreeText(text);
}

// the table itself: defaults are JSON and within their own ranges, help is one line, words exist
static void testTable(void **state)
{
    (void)state;
    JsonTree tree;
    jsonOpen(&tree, NULL);
    for (int i = 0; keyObject(i) != NULL; ++i)
    {
        const Object *object = keyObject(i);
        for (int k = 0; k < object->keyCount; ++k)
        {
            const Key *key = &object->keys[k];
            assert_non_null(key->help);
            assert_null(strpbrk(key->help, "\n|"));
            assert_ptr_equal(keyFind(object, key->name), key);
            const Json *value =
                key->fallback ? jsonRead(&tree, key->fallback, strlen(key->fallback), NULL, NULL) : NULL;
            if (key->fallback != NULL && value == NULL)
                fail_msg("%s.%s: the default is no JSON", object->name, key->name);
            if (value != NULL && key->kind == KIND_NUMBER)
                assert_true(value->number >= key->range.least && value->number <= key->range.most);
            if (key->kind == KIND_WORD || key->kind == KIND_WORD_OR_OBJECT)
                assert_non_null(key->word(0));
            bool nested = key->kind == KIND_OBJECT || key->kind == KIND_LIST || key->kind == KIND_WORD_OR_OBJECT;
            assert_int_equal(nested, key->object != NULL);
        }
        for (int k = 0; object->exactlyOne[k] != NULL; ++k)
            assert_non_null(keyFind(object, object->exactlyOne[k]));
    }
    jsonClose(&tree);
}

// every object that a key leads to is in the list, so the schema has its definition
static void testObjectsListed(void **state)
{
    (void)state;
    for (int i = 0; keyObject(i) != NULL; ++i)
    {
        for (int k = 0; k < keyObject(i)->keyCount; ++k)
        {
            const Object *inner = keyObject(i)->keys[k].object;
            bool listed = inner == NULL;
            for (int j = 0; keyObject(j) != NULL; ++j)
                listed = listed || keyObject(j) == inner;
            assert_true(listed);
        }
    }
}

// every word of the lists can be built
static void testWordsBuild(void **state)
{
    (void)state;
    struct
    {
        const char *format;
        const char *(*word)(int index);
    } lists[] = {
        { "{ \"verve\": 1, \"bodies\": [ { \"mesh\": { \"shape\": \"%s\" } } ] }", shapeName },
        { "{ \"verve\": 1, \"bodies\": [ { \"mesh\": { \"shape\": \"tet\" }, \"material\": \"%s\" } ] }", presetName },
        { "{ \"verve\": 1, \"bodies\": [ { \"mesh\": { \"shape\": \"box\" }, \"material\": { \"model\": \"%s\" } } ] }",
          vvGetModelName },
    };
    for (int l = 0; l < 3; ++l)
    {
        for (int i = 0; lists[l].word(i) != NULL; ++i)
        {
            char text[300];
            vvResult result;
            snprintf(text, sizeof text, lists[l].format, lists[l].word(i));
            if (strcmp(lists[l].word(i), "triangle") == 0) // sheets have it
                snprintf(text, sizeof text, "%s",
                         "{ \"verve\": 1, \"bodies\": [ { \"mesh\": { \"shape\": \"sheet\" }, "
                         "\"material\": { \"model\": \"triangle\" } } ] }");
            if (strstr(lists[l].word(i), "curve") != NULL) // which is measured
                snprintf(text, sizeof text,
                         "{ \"verve\": 1, \"bodies\": [ { \"mesh\": { \"shape\": \"%s\" }, \"material\": { "
                         "\"model\": \"%s\", \"law\": { \"strains\": [0.1], \"stresses\": [1e5] } } } ] }",
                         strcmp(lists[l].word(i), "curve") == 0 ? "rope" : "box", lists[l].word(i));
            Scene *scene = sceneParse(text, strlen(text), "", NULL, 0, &result);
            SceneWorld *built = scene ? sceneBuild(scene, NULL, &result) : NULL;
            if (built == NULL && scene != NULL && l == 2) // a model of sheets
            {
                static const char *const sheet[] = { "bodies.0.mesh.shape=sheet" };
                sceneDestroy(scene);
                scene = sceneParse(text, strlen(text), "", sheet, 1, &result);
                built = scene ? sceneBuild(scene, NULL, &result) : NULL;
            }
            if (built == NULL)
                fail_msg("%s: %s", text, result.message);
            if (vvWorld_GetStatistics(sceneWorldId(built)).vertexCount < 1500) // the models have more
                assert_int_equal(sceneStep(built).code, VV_OK);
            sceneRelease(built);
            sceneDestroy(scene);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testSchemaFile),    cmocka_unit_test(testReference),  cmocka_unit_test(testTable),
        cmocka_unit_test(testObjectsListed), cmocka_unit_test(testWordsBuild),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
