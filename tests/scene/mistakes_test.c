// Every mistake of mistakes.json, one at a time in a scene that is otherwise right: refused as bad input, by path, with
// the value and a remedy.
#include "files.h"

#include "base/json.h"
#include "scene/scene.h"

static const char *word(const Json *object, const char *key)
{
    return jsonFind(object, key)->string;
}

// `text` with the one place where `find` stands changed to `put`
static char *change(const char *text, const char *find, const char *put)
{
    const char *at = strstr(text, find);
    if (at == NULL || strstr(at + 1, find) != NULL)
        fail_msg("'%s' must stand once in base.json", find);
    size_t size = strlen(text) + strlen(put) + 1;
    char *changed = malloc(size);
    assert_non_null(changed);
    snprintf(changed, size, "%.*s%s%s", (int)(at - text), text, put, at + strlen(find));
    return changed;
}

static void checkMistake(const char *base, const Json *mistake)
{
    const char *path = word(mistake, "path"), *value = word(mistake, "value"), *put = word(mistake, "put");
    char *text = change(base, word(mistake, "find"), put);
    vvResult result;
    Scene *scene = sceneParse(text, strlen(text), "", NULL, 0, &result);
    bool late = jsonIs(jsonFind(mistake, "build"), JSON_TRUE);
    if (late != (scene != NULL))
        fail_msg("%s: %s", put, late ? result.message : "was accepted");
    SceneWorld *built = scene ? sceneBuild(scene, NULL, &result) : NULL;
    if (built != NULL)
        fail_msg("%s: was built", put);
    assert_int_equal(result.code, VV_BAD_INPUT);
    const char *named = strstr(result.message, path);
    if (named == NULL || strchr(" .:", named[strlen(path)]) == NULL)
        fail_msg("%s: path %s not named in: %s", put, path, result.message);
    if (strstr(result.message, value) == NULL)
        fail_msg("%s: value %s not named in: %s", put, value, result.message);
    if (strlen(result.remedy) < 5)
        fail_msg("%s: no remedy behind: %s", put, result.message);
    if (strlen(result.message) >= sizeof result.message - 1 || strlen(result.remedy) >= sizeof result.remedy - 1)
        fail_msg("%s: cut off: %s; %s", put, result.message, result.remedy);
    sceneDestroy(scene);
    free(text);
}

static void testMistakes(void **state)
{
    (void)state;
    char *base = readSource("tests/scene/base.json", NULL), *list = readSource("tests/scene/mistakes.json", NULL);
    JsonTree tree;
    jsonOpen(&tree, NULL);
    const Json *mistakes = jsonRead(&tree, list, strlen(list), "mistakes.json", NULL);
    assert_non_null(mistakes);
    assert_true(jsonCount(mistakes) >= 60);
    for (const Json *mistake = mistakes->first; mistake != NULL; mistake = mistake->next)
        checkMistake(base, mistake);
    jsonClose(&tree);
    free(base);
    free(list);
}

static void testBaseIsRight(void **state)
{
    (void)state;
    char *base = readSource("tests/scene/base.json", NULL);
    vvResult result;
    Scene *scene = sceneParse(base, strlen(base), "", NULL, 0, &result);
    assert_string_equal(result.message, "");
    SceneWorld *built = sceneBuild(scene, NULL, &result);
    assert_string_equal(result.message, "");
    for (int frame = 0; frame < sceneFrames(scene); ++frame)
        assert_int_equal(sceneStep(built).code, VV_OK);
    sceneRelease(built);
    sceneDestroy(scene);
    free(base);
}

// the place in a message is that of the value, or of the nearest object that would hold it
static void testLine(void **state)
{
    (void)state;
    static const char text[] = "{ \"verve\": 1,\n \"bodies\": [\n { \"mesh\": { \"shape\": \"box\" } },\n"
                               " { \"mesh\": { \"shape\": \"box\" },\n   \"material\": {\n \"young\": -5 } } ] }";
    vvResult result;
    assert_null(sceneParse(text, strlen(text), "", NULL, 0, &result));
    assert_non_null(strstr(result.message, "scene:6:11: bodies[1].material.young is -5"));
    static const char missing[] = "{ \"verve\": 1,\n \"bodies\": [\n { } ] }";
    assert_null(sceneParse(missing, strlen(missing), "", NULL, 0, &result));
    assert_non_null(strstr(result.message, "scene:3:2: bodies[0].mesh is missing"));
    // a change by --set has no place in the file, but what it leaves alone has
    const char *other = "frames=3", *typed = "bodies.1.material.young=-6";
    assert_null(sceneParse(text, strlen(text), "", &other, 1, &result));
    assert_non_null(strstr(result.message, "scene:6:11: bodies[1].material.young is -5"));
    assert_null(sceneParse(text, strlen(text), "", &typed, 1, &result));
    assert_non_null(strstr(result.message, "scene: bodies[1].material.young is -6"));
    // columns count characters, not bytes
    static const char wide[] = "{ \"\xc3\xa4\": 1,\n \"verve\": 1 }";
    assert_null(sceneParse(wide, strlen(wide), "", NULL, 0, &result));
    assert_non_null(strstr(result.message, "scene:1:8: \xc3\xa4 is not a key"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testBaseIsRight),
        cmocka_unit_test(testMistakes),
        cmocka_unit_test(testLine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
