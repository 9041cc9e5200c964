#include "tool/tool.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static const Option helpOption = { "--help", NULL, "this text" };

static const Option *findOption(const Command *command, const char *name, size_t length)
{
    for (int i = -1; i < command->optionCount; ++i)
    {
        const Option *option = i < 0 ? &helpOption : &command->options[i];
        if (strlen(option->name) == length && strncmp(option->name, name, length) == 0)
            return option;
    }
    return NULL;
}

static int unknownOption(const Command *command, const char *word)
{
    const char *names[MOST_WORDS];
    int count = 0;
    for (; count < command->optionCount; ++count)
        names[count] = command->options[count].name;
    names[count++] = helpOption.name;
    fprintf(stderr, "verve %s: there is no option '%s'; did you mean %s? 'verve %s --help' lists them\n", command->name,
            shown(word), nearestWord(word, names, count), command->name);
    return EXIT_BAD_INPUT;
}

// one option at words[*at]; -1: go on
static int readOption(const Command *command, int count, char **words, int *at, Words *out)
{
    const char *word = words[*at], *equals = strchr(word, '=');
    const Option *option = findOption(command, word, equals ? (size_t)(equals - word) : strlen(word));
    if (option == NULL)
        return unknownOption(command, word);
    if (option == &helpOption)
    {
        printHelp(stdout, command);
        return EXIT_DONE;
    }
    const char *value = equals ? equals + 1 : "";
    if (option->value == NULL && equals != NULL)
    {
        fprintf(stderr, "verve %s: %s takes no value, was given '%s'\n", command->name, option->name, shown(value));
        return EXIT_BAD_INPUT;
    }
    if (option->value != NULL && equals == NULL)
    {
        if (*at + 1 >= count)
        {
            fprintf(stderr, "verve %s: %s needs a value: %s %s\n", command->name, option->name, option->name,
                    option->value);
            return EXIT_BAD_INPUT;
        }
        value = words[++*at];
    }
    out->option[out->optionCount].name = option->name;
    out->option[out->optionCount].value = value;
    out->optionCount += 1;
    return -1;
}

int wordsRead(const Command *command, int count, char **words, Words *out)
{
    memset(out, 0, sizeof *out);
    out->command = command;
    if (count > MOST_WORDS)
    {
        fprintf(stderr, "verve %s: %d words, at most %d\n", command->name, count, MOST_WORDS);
        return EXIT_BAD_INPUT;
    }
    bool options = true;
    for (int i = 0; i < count; ++i)
    {
        int left = -1;
        if (options && strcmp(words[i], "--") == 0)
            options = false;
        else if (options && words[i][0] == '-' && words[i][1] != '\0')
            left = readOption(command, count, words, &i, out);
        else
            out->plain[out->count++] = words[i];
        if (left >= 0)
            return left;
    }
    return -1;
}

const char *wordsGet(const Words *words, const char *option)
{
    for (int i = words->optionCount - 1; i >= 0; --i)
    {
        if (strcmp(words->option[i].name, option) == 0)
            return words->option[i].value;
    }
    return NULL;
}

bool wordsHas(const Words *words, const char *option)
{
    return wordsGet(words, option) != NULL;
}

int wordsReal(const Words *words, const char *option, double least, double most, double *value)
{
    const char *word = wordsGet(words, option);
    if (word == NULL)
        return -1;
    char *end = NULL;
    double number = strtod(word, &end);
    if (end == word || *end != '\0' || !(number >= least && number <= most))
    {
        fprintf(stderr, "verve %s: %s is '%s', must be a number from %g to %g\n", words->command->name, option,
                shown(word), least, most);
        return EXIT_BAD_INPUT;
    }
    *value = number;
    return -1;
}

int wordsInt(const Words *words, const char *option, int least, int most, int *value)
{
    double real = *value;
    int left = wordsReal(words, option, least, most, &real);
    if (left < 0 && real != (double)(int)real)
    {
        fprintf(stderr, "verve %s: %s is '%s', must be a whole number\n", words->command->name, option,
                shown(wordsGet(words, option)));
        return EXIT_BAD_INPUT;
    }
    if (left < 0)
        *value = (int)real;
    return left;
}

int complain(const Command *command, const vvResult *result)
{
    fprintf(stderr, "verve %s: %s%s%s\n", command->name, shown(result->message), result->remedy[0] ? "; " : "",
            shown(result->remedy));
    switch (result->code)
    {
    case VV_DIVERGED:
        return EXIT_FAILED;
    case VV_INPUT_OUTPUT:
    case VV_OUT_OF_MEMORY:
        return EXIT_INPUT_OUTPUT;
    default:
        return EXIT_BAD_INPUT;
    }
}

void printHelp(FILE *out, const Command *command)
{
    fprintf(out, "usage: verve %s%s%s%s\n\n%s\n\n", command->name, command->optionCount > 0 ? " [options]" : "",
            command->usage[0] != 0 ? " " : "", command->usage, command->about);
    for (int i = 0; i <= command->optionCount; ++i)
    {
        const Option *option = i < command->optionCount ? &command->options[i] : &helpOption;
        char left[48];
        snprintf(left, sizeof left, "%s%s%s", option->name, option->value ? " " : "",
                 option->value ? option->value : "");
        fprintf(out, "  %-22s %s\n", left, option->help);
    }
    fprintf(out, "\nexample: %s\n", command->example);
}
