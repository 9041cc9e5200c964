// The settings of methods and solvers as a table: defaults and checks.
#include "world/settings.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

#define WORDS_ROW(settingKind, field, place, usedBy, words, value)                                                     \
    { .name = #field,                                                                                                  \
      .kind = (settingKind),                                                                                           \
      .offset = offsetof(vvWorldDef, place field),                                                                     \
      .users = (usedBy),                                                                                               \
      .word = (words),                                                                                                 \
      .initialWord = (value) },
#define WORD_ROW(field, place, usedBy, words, value, help) WORDS_ROW(SETTING_WORD, field, place, usedBy, words, value)
#define CHOICE_ROW(field, place, usedBy, words, value, help)                                                           \
    WORDS_ROW(SETTING_CHOICE, field, place, usedBy, words, value)
#define SWITCH_ROW(field, place, usedBy, value, help)                                                                  \
    { .name = #field,                                                                                                  \
      .kind = SETTING_SWITCH,                                                                                          \
      .offset = offsetof(vvWorldDef, place field),                                                                     \
      .users = (usedBy),                                                                                               \
      .initial = (value) },
#define RANGE_ROW(settingKind, field, place, usedBy, low, high, value, units, advice)                                  \
    { .name = #field,                                                                                                  \
      .kind = (settingKind),                                                                                           \
      .offset = offsetof(vvWorldDef, place field),                                                                     \
      .users = (usedBy),                                                                                               \
      .initial = (value),                                                                                              \
      .least = (low),                                                                                                  \
      .most = (high),                                                                                                  \
      .unit = (units),                                                                                                 \
      .remedy = (advice) },
#define NUMBER_ROW(field, place, usedBy, low, high, value, units, advice, help)                                        \
    RANGE_ROW(SETTING_NUMBER, field, place, usedBy, low, high, value, units, advice)
#define INTEGER_ROW(field, place, usedBy, low, high, value, units, advice, help)                                       \
    RANGE_ROW(SETTING_INTEGER, field, place, usedBy, low, high, value, units, advice)
#define OBJECT_ROW(field, place, usedBy, otherwise, help)                                                              \
    { .name = #field, .kind = SETTING_OBJECT, .offset = offsetof(vvWorldDef, place field), .users = (usedBy) },

static const Setting settings[] = { WORLD_SETTINGS(WORD_ROW, CHOICE_ROW, SWITCH_ROW, NUMBER_ROW, INTEGER_ROW,
                                                   OBJECT_ROW) };

_Static_assert(sizeof(vvMomentum) == sizeof(int) && sizeof(vvJacobian) == sizeof(int) &&
                   sizeof(vvPrecision) == sizeof(int),
               "choices are read and written as int");

const Setting *settingAt(int index)
{
    return index >= 0 && index < (int)(sizeof settings / sizeof settings[0]) ? &settings[index] : NULL;
}

// ---- values ---------------------------------------------------------------------------------------------------------

SettingValue settingInitial(const Setting *setting)
{
    SettingValue value = { setting->initialWord, setting->initial };
    if (setting->kind == SETTING_CHOICE)
        value.number = indexOf(setting->initialWord, setting->word);
    return value;
}

SettingValue settingGet(const Setting *setting, const vvWorldDef *def)
{
    const void *field = (const char *)def + setting->offset;
    switch (setting->kind)
    {
    case SETTING_WORD:
        return (SettingValue){ .word = *(const char *const *)field };
    case SETTING_CHOICE:
        return (SettingValue){ setting->word(*(const int *)field), *(const int *)field };
    case SETTING_SWITCH:
        return (SettingValue){ .number = *(const bool *)field };
    case SETTING_NUMBER:
        return (SettingValue){ .number = *(const double *)field };
    case SETTING_INTEGER:
        return (SettingValue){ .number = *(const int *)field };
    case SETTING_OBJECT:
        break;
    }
    return (SettingValue){ .number = *(const void *const *)field != NULL };
}

void settingSet(const Setting *setting, vvWorldDef *def, SettingValue value)
{
    void *field = (char *)def + setting->offset;
    switch (setting->kind)
    {
    case SETTING_WORD:
        *(const char **)field = value.word;
        break;
    case SETTING_CHOICE:
        *(int *)field = indexOf(value.word, setting->word);
        break;
    case SETTING_SWITCH:
        *(bool *)field = value.number != 0;
        break;
    case SETTING_NUMBER:
        *(double *)field = value.number;
        break;
    case SETTING_INTEGER:
        *(int *)field = (int)value.number;
        break;
    case SETTING_OBJECT:
        *(const void **)field = NULL;
        break;
    }
}

bool settingIsInitial(const Setting *setting, const vvWorldDef *def)
{
    SettingValue value = settingGet(setting, def), initial = settingInitial(setting);
    if (setting->kind == SETTING_WORD)
        return value.word != NULL && strcmp(value.word, initial.word) == 0;
    return value.number == initial.number;
}

// ---- who uses them --------------------------------------------------------------------------------------------------

// whether a word is one of the list "a, b, c"
static bool isListed(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(list, word); at != NULL; at = strstr(at + 1, word))
    {
        bool begins = at == list || (at[-1] == ' ' && at[-2] == ',');
        if (begins && (at[length] == 0 || at[length] == ','))
            return true;
    }
    return false;
}

bool settingIsUsed(const Setting *setting, const char *method, const char *solver)
{
    char exception[64];
    snprintf(exception, sizeof exception, "not %s", method);
    if (isListed(setting->users, exception))
        return false;
    if (setting->users[0] == 0 || isListed(setting->users, method))
        return true;
    if (vvMethod_HasSolver(method) &&
        (isListed(setting->users, "methods with a solver") || isListed(setting->users, solver)))
        return true;
    return !vvMethod_IsExplicit(method) && isListed(setting->users, "implicit methods");
}

bool settingNote(const Setting *setting, const vvWorldDef *def, const char *prefix, char *text, size_t size)
{
    if (settingIsInitial(setting, def) || settingIsUsed(setting, def->method, def->solver))
        return false;
    bool solves = vvMethod_HasSolver(def->method);
    snprintf(text, size, "%s%s has no effect: %s%s%s does not use it (used by %s)", prefix, setting->name, def->method,
             solves ? " with " : "", solves ? def->solver : "", setting->users);
    return true;
}

// ---- defaults and checks --------------------------------------------------------------------------------------------

void settingsReset(vvWorldDef *def)
{
    const Setting *setting;
    for (int i = 0; (setting = settingAt(i)) != NULL; ++i)
        settingSet(setting, def, settingInitial(setting));
}

static vvResult choiceCheck(const Setting *setting, int value)
{
    char remedy[152] = "the values are";
    int count = 0;
    for (; setting->word(count) != NULL; ++count)
    {
        size_t length = strlen(remedy);
        snprintf(remedy + length, sizeof remedy - length, "%s %d %s", count > 0 ? "," : "", count,
                 setting->word(count));
    }
    if (value >= 0 && value < count)
        return resultOk();
    return resultMake(VV_BAD_INPUT, remedy, "%s is %d, must be 0 to %d", setting->name, value, count - 1);
}

static vvResult settingCheck(const Setting *setting, const vvWorldDef *def)
{
    SettingValue value = settingGet(setting, def);
    int ignored;
    switch (setting->kind)
    {
    case SETTING_WORD:
        return findWord(setting->name, value.word, setting->word, &ignored);
    case SETTING_CHOICE:
        return choiceCheck(setting, (int)value.number);
    case SETTING_NUMBER:
    case SETTING_INTEGER:
        if (value.number >= setting->least && value.number <= setting->most) // NaN fails
            return resultOk();
        return resultMake(VV_BAD_INPUT, setting->remedy, "%s is %.10g%s%s, must be %.10g to %.10g", setting->name,
                          value.number, setting->unit[0] ? " " : "", setting->unit, setting->least, setting->most);
    case SETTING_SWITCH:
    case SETTING_OBJECT:
        break;
    }
    return resultOk();
}

vvResult settingsCheck(const vvWorldDef *def)
{
    vvResult result = resultOk();
    const Setting *setting;
    for (int i = 0; result.code == VV_OK && (setting = settingAt(i)) != NULL; ++i)
        result = settingCheck(setting, def);
    return result;
}
