// The settings of methods and solvers as a table: defaults and checks.
#include "world/settings.h"
#include "world/world.h"

#define WORD_ROW(field, words, value, help)                                                                            \
    { .name = #field,                                                                                                  \
      .kind = SETTING_WORD,                                                                                            \
      .offset = offsetof(vvWorldDef, field),                                                                           \
      .word = (words),                                                                                                 \
      .initialWord = (value) },
#define SWITCH_ROW(field, value, help)                                                                                 \
    { .name = #field, .kind = SETTING_SWITCH, .offset = offsetof(vvWorldDef, field), .initial = (value) },
#define RANGE_ROW(settingKind, field, low, high, value, units, advice)                                                 \
    { .name = #field,                                                                                                  \
      .kind = (settingKind),                                                                                           \
      .offset = offsetof(vvWorldDef, field),                                                                           \
      .initial = (value),                                                                                              \
      .least = (low),                                                                                                  \
      .most = (high),                                                                                                  \
      .unit = (units),                                                                                                 \
      .remedy = (advice) },
#define NUMBER_ROW(field, low, high, value, units, advice, help)                                                       \
    RANGE_ROW(SETTING_NUMBER, field, low, high, value, units, advice)
#define INTEGER_ROW(field, low, high, value, units, advice, help)                                                      \
    RANGE_ROW(SETTING_INTEGER, field, low, high, value, units, advice)
#define NO_ROW(field, otherwise, help)

static const Setting settings[] = { WORLD_SETTINGS(WORD_ROW, SWITCH_ROW, NUMBER_ROW, INTEGER_ROW, NO_ROW) };

const Setting *settingAt(int index)
{
    return index >= 0 && index < (int)(sizeof settings / sizeof settings[0]) ? &settings[index] : NULL;
}

void settingsReset(vvWorldDef *def)
{
    const Setting *setting;
    for (int i = 0; (setting = settingAt(i)) != NULL; ++i)
    {
        void *field = (char *)def + setting->offset;
        switch (setting->kind)
        {
        case SETTING_WORD:
            *(const char **)field = setting->initialWord;
            break;
        case SETTING_SWITCH:
            *(bool *)field = setting->initial != 0;
            break;
        case SETTING_NUMBER:
            *(double *)field = setting->initial;
            break;
        case SETTING_INTEGER:
            *(int *)field = (int)setting->initial;
            break;
        }
    }
}

static vvResult settingCheck(const Setting *setting, const vvWorldDef *def)
{
    const void *field = (const char *)def + setting->offset;
    int ignored;
    if (setting->kind == SETTING_WORD)
        return findWord(setting->name, *(const char *const *)field, setting->word, &ignored);
    if (setting->kind == SETTING_SWITCH)
        return resultOk();
    double value = setting->kind == SETTING_INTEGER ? *(const int *)field : *(const double *)field;
    if (value >= setting->least && value <= setting->most) // NaN fails
        return resultOk();
    return resultMake(VV_BAD_INPUT, setting->remedy, "%s is %.10g%s%s, must be %.10g to %.10g", setting->name, value,
                      setting->unit[0] ? " " : "", setting->unit, setting->least, setting->most);
}

vvResult settingsCheck(const vvWorldDef *def)
{
    vvResult result = resultOk();
    const Setting *setting;
    for (int i = 0; result.code == VV_OK && (setting = settingAt(i)) != NULL; ++i)
        result = settingCheck(setting, def);
    return result;
}
