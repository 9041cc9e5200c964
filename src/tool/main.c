// The verve command.
#include "tool/tool.h"

#include <stdio.h>
#include <string.h>
#include <verve/verve.h>

static int helpCommand(const char *program, int count, char **words);
static int versionCommand(const char *program, int count, char **words);

typedef struct Command
{
    const char *name, *summary;
    CommandFunction run;
} Command;

static const Command commands[] = {
    { "version", "the version of the tool, and the methods and solvers it was built with", versionCommand },
    { "bench", "time per frame and of the matrix behind it; 'verve bench --help'", benchCommand },
    { "help", "this text", helpCommand },
};

#define COMMAND_COUNT ((int)(sizeof commands / sizeof commands[0]))

static void printHelp(FILE *out)
{
    fprintf(out, "verve %s: soft bodies that keep their energy\n\nusage:", vvGetVersion());
    for (int i = 0; i < COMMAND_COUNT; ++i)
        fprintf(out, "%s verve %-10s %s\n", i > 0 ? "      " : "", commands[i].name, commands[i].summary);
    fprintf(out, "\nexample: verve version\n");
}

static int helpCommand(const char *program, int count, char **words)
{
    (void)program, (void)count, (void)words;
    printHelp(stdout);
    return EXIT_DONE;
}

static void printNames(const char *title, const char *(*nameAt)(int))
{
    printf("%s:", title);
    for (int i = 0; nameAt(i) != NULL; ++i)
        printf(" %s", nameAt(i));
    printf("\n");
}

static int versionCommand(const char *program, int count, char **words)
{
    (void)program, (void)words;
    if (count > 0)
    {
        fprintf(stderr, "verve version: takes no words, was given '%s'\n", words[0]);
        return EXIT_BAD_INPUT;
    }
    printf("verve %s\n", vvGetVersion());
    printNames("methods", vvGetMethodName);
    printNames("solvers", vvGetSolverName);
    return EXIT_DONE;
}

// --version and -h are what people try first
static const char *withoutDashes(const char *word)
{
    if (strcmp(word, "-h") == 0)
        return "help";
    return strncmp(word, "--", 2) == 0 ? word + 2 : word;
}

int main(int argc, char **argv)
{
    for (int i = 0; argc > 1 && i < COMMAND_COUNT; ++i)
    {
        if (strcmp(withoutDashes(argv[1]), commands[i].name) == 0)
            return commands[i].run(argv[0], argc - 2, argv + 2);
    }
    if (argc > 1)
    {
        fprintf(stderr, "verve: there is no command '%s'; the commands are", argv[1]);
        for (int i = 0; i < COMMAND_COUNT; ++i)
            fprintf(stderr, "%s %s", i > 0 ? "," : "", commands[i].name);
        fprintf(stderr, "\n\n");
    }
    printHelp(stderr);
    return EXIT_BAD_INPUT;
}
