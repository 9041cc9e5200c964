// The settings of methods and solvers are the same in C and in scenes: every row has a key and every key a row,
// defaults and ranges agree, a value of a scene arrives in its own field, and both sides refuse what is out of range by
// name.
#include "check.h"

#include "scene/keys.h"
#include "scene/scene.h"
#include "world/settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCENE "{ \"verve\": 1, \"bodies\": [{ \"mesh\": { \"shape\": \"box\" } }] }"

static const Object *integratorKeys(void)
{
    return keyFind(&sceneObject, "integrator")->object;
}

static const Setting *settingFind(const char *name)
{
    const Setting *setting;
    for (int i = 0; (setting = settingAt(i)) != NULL; ++i)
    {
        if (strcmp(setting->name, name) == 0)
            return setting;
    }
    return NULL;
}

// the definition that the scene makes with one word of --set; false: it is refused
static bool readSet(const char *set, vvWorldDef *def, vvResult *result)
{
    Scene *scene = sceneParse(SCENE, strlen(SCENE), "", &set, set ? 1 : 0, result);
    if (scene == NULL)
        return false;
    vvTableau tableau;
    *result = sceneWorldDef(scene, def, &tableau);
    // words live as long as the scene: the table's own stand for them
    const Setting *setting;
    for (int i = 0; (setting = settingAt(i)) != NULL; ++i)
    {
        SettingValue value = settingGet(setting, def);
        for (int w = 0; setting->kind == SETTING_WORD && setting->word(w) != NULL; ++w)
        {
            if (strcmp(value.word, setting->word(w)) == 0)
                settingSet(setting, def, (SettingValue){ .word = setting->word(w) });
        }
    }
    sceneDestroy(scene);
    return result->code == VV_OK;
}

static bool isSame(const Setting *setting, const vvWorldDef *a, const vvWorldDef *b)
{
    SettingValue x = settingGet(setting, a), y = settingGet(setting, b);
    return (x.word == y.word || strcmp(x.word, y.word) == 0) && memcmp(&x.number, &y.number, sizeof x.number) == 0;
}

static void testRowsAreKeys(void **state)
{
    (void)state;
    const Object *object = integratorKeys();
    const Setting *setting;
    for (int i = 0; (setting = settingAt(i)) != NULL; ++i)
    {
        static const Kind kinds[] = {
            [SETTING_WORD] = KIND_WORD,     [SETTING_CHOICE] = KIND_WORD,   [SETTING_OBJECT] = KIND_OBJECT,
            [SETTING_SWITCH] = KIND_SWITCH, [SETTING_NUMBER] = KIND_NUMBER, [SETTING_INTEGER] = KIND_INTEGER
        };
        const Key *key = keyFind(object, setting->name);
        assert_non_null(key);
        assert_ptr_equal(settingFind(setting->name), setting);
        assert_int_equal(key->kind, kinds[setting->kind]);
        assert_true(key->word == setting->word);
        assert_true(key->range.least == setting->least && key->range.most == setting->most);
        if (setting->kind == SETTING_NUMBER || setting->kind == SETTING_INTEGER)
        {
            assert_string_equal(key->unit ? key->unit : "", setting->unit);
            assert_true(setting->initial >= setting->least && setting->initial <= setting->most);
            assert_true(setting->remedy[0] != 0);
        }
    }
    for (int k = 0; k < object->keyCount; ++k)
        assert_non_null(settingFind(object->keys[k].name));
}

static void testDefaultsAgree(void **state)
{
    (void)state;
    vvWorldDef scene, code = vvDefaultWorldDef();
    vvResult result;
    assert_true(readSet(NULL, &scene, &result));
    const Setting *setting;
    for (int i = 0; (setting = settingAt(i)) != NULL; ++i)
    {
        if (!isSame(setting, &scene, &code))
            fail_msg("%s has one default in scenes and another in C", setting->name);
    }
}

// another value than the default, as text and in a definition; false: a pointer has none
static bool writeOther(const Setting *setting, char *text, size_t size, vvWorldDef *def)
{
    SettingValue other = settingInitial(setting);
    if (setting->word != NULL)
        other.word = setting->word(strcmp(setting->word(0), setting->initialWord) == 0 ? 1 : 0);
    else if (setting->kind == SETTING_SWITCH)
        other.number = setting->initial == 0;
    else
        other.number = setting->initial == setting->most ? setting->least : setting->most;
    settingSet(setting, def, other);
    if (setting->word != NULL)
        snprintf(text, size, "%s", other.word);
    else if (setting->kind == SETTING_SWITCH)
        snprintf(text, size, "%s", other.number != 0 ? "true" : "false");
    else
        snprintf(text, size, "%.17g", other.number);
    return setting->kind != SETTING_OBJECT;
}

static void testValuesArrive(void **state)
{
    (void)state;
    const Setting *setting, *other;
    for (int i = 0; (setting = settingAt(i)) != NULL; ++i)
    {
        vvWorldDef want = vvDefaultWorldDef(), found;
        vvResult result;
        char value[64], set[128];
        if (!writeOther(setting, value, sizeof value, &want))
            continue;
        assert_false(settingIsInitial(setting, &want));
        snprintf(set, sizeof set, "integrator.%s=%s", setting->name, value);
        if (!readSet(set, &found, &result))
            fail_msg("%s: %s", set, result.message);
        for (int k = 0; (other = settingAt(k)) != NULL; ++k)
        {
            if (!isSame(other, &found, &want))
                fail_msg("after %s, %s is wrong", set, other->name);
        }
        vvWorldId world = vvCreateWorld(&want, &result);
        if (result.code != VV_OK)
            fail_msg("%s is refused in C: %s", set, result.message);
        vvDestroyWorld(world);
    }
}

static void expectBothRefuse(const Setting *setting, const vvWorldDef *def, const char *value)
{
    vvWorldDef ignored;
    vvResult result = { .code = VV_OK };
    char set[128];
    vvCreateWorld(def, &result);
    if (result.code != VV_BAD_INPUT || strstr(result.message, setting->name) == NULL || result.remedy[0] == 0)
        fail_msg("%s = %s in C: '%s'", setting->name, value, result.message);
    if (isnan(strtod(value, NULL)) || isinf(strtod(value, NULL)))
        return; // no JSON
    snprintf(set, sizeof set, "integrator.%s=%s", setting->name, value);
    if (readSet(set, &ignored, &result) || strstr(result.message, setting->name) == NULL || result.remedy[0] == 0)
        fail_msg("%s in a scene: '%s'", set, result.message);
}

static void testWrongValuesAreRefused(void **state)
{
    (void)state;
    const Setting *setting;
    for (int i = 0; (setting = settingAt(i)) != NULL; ++i)
    {
        const double wrong[] = { setting->least == 0 ? -1 : setting->least / 2, setting->most * 2, NAN, INFINITY };
        vvWorldDef def = vvDefaultWorldDef();
        void *field = (char *)&def + setting->offset;
        if (setting->kind == SETTING_WORD)
        {
            *(const char **)field = "no-such-word";
            expectBothRefuse(setting, &def, "no-such-word");
            *(const char **)field = NULL;
            expectBothRefuse(setting, &def, "nan");
        }
        for (int w = -1; w < 100 && setting->kind == SETTING_CHOICE; w += 100)
        {
            *(int *)field = w;
            expectBothRefuse(setting, &def, "nan");
        }
        for (int w = 0; w < 4 && setting->kind == SETTING_NUMBER; ++w)
        {
            char text[40];
            *(double *)field = wrong[w];
            snprintf(text, sizeof text, "%.17g", wrong[w]);
            expectBothRefuse(setting, &def, text);
        }
        for (int w = 0; w < 2 && setting->kind == SETTING_INTEGER; ++w)
        {
            char text[40];
            *(int *)field = (int)wrong[w];
            snprintf(text, sizeof text, "%d", (int)wrong[w]);
            expectBothRefuse(setting, &def, text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testRowsAreKeys),
        cmocka_unit_test(testDefaultsAgree),
        cmocka_unit_test(testValuesArrive),
        cmocka_unit_test(testWrongValuesAreRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
