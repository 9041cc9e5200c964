// The verve command.
#include "tool/tool.h"

#include "tool/system.h"

#include "base/base.h"

#include <string.h>
#include <verve/verve.h>

#define COMMAND_COUNT ((int)(sizeof commands / sizeof commands[0]))

static const Command versionCommand, helpCommand; // below, with what they print

static const Command *const commands[] = {
    &runCommand,    &checkCommand,  &adviseCommand, &calibrateCommand, &meshCommand,
    &scenesCommand, &renderCommand, &exportCommand, &plotCommand,      &viewCommand,
    &benchCommand,  &odeCommand,    &labCommand,    &versionCommand,   &helpCommand,
};

const Command *const *toolCommands(int *count)
{
    *count = COMMAND_COUNT;
    return commands;
}

static void printOverview(FILE *out)
{
    fprintf(out, "verve %s: soft bodies that keep their energy\n\n", vvGetVersion());
    for (int i = 0; i < COMMAND_COUNT; ++i)
        fprintf(out, "  verve %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(out, "\n'verve COMMAND --help' has its options and an example.\n");
}

// ---- help -----------------------------------------------------------------------------------------------------------

static const Command *findCommand(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; ++i)
    {
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i];
    }
    return NULL;
}

static int unknownCommand(const char *word)
{
    const char *names[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; ++i)
        names[i] = commands[i]->name;
    fprintf(stderr, "verve: there is no command '%s'; did you mean %s?\n\n", shown(word),
            nearestWord(word, names, COMMAND_COUNT));
    printOverview(stderr);
    return EXIT_BAD_INPUT;
}

static int help(const char *program, int count, char **words)
{
    (void)program;
    Words read;
    int left = wordsRead(&helpCommand, count, words, &read);
    if (left >= 0)
        return left;
    const char *shell = wordsGet(&read, "--completion");
    if (shell != NULL && !printCompletion(stdout, shell))
    {
        fprintf(stderr, "verve help: --completion is '%s', must be bash, zsh or fish\n", shown(shell));
        return EXIT_BAD_INPUT;
    }
    if (wordsHas(&read, "--man"))
        printManual(stdout);
    if (shell != NULL || wordsHas(&read, "--man"))
        return EXIT_DONE;
    if (read.count > 0 && findCommand(read.plain[0]) == NULL)
        return unknownCommand(read.plain[0]);
    if (read.count > 0)
        printHelp(stdout, findCommand(read.plain[0]));
    else
        printOverview(stdout);
    return EXIT_DONE;
}

static const Option helpOptions[] = {
    { "--man", NULL, "print the man page" },
    { "--completion", "SHELL", "completion for bash, zsh or fish" },
};

static const Command helpCommand = {
    .name = "help",
    .summary = "print this list, the help of a command, the man page, completion for shells",
    .usage = "[COMMAND]",
    .about = "Lists the commands, or the options of one command.",
    .example = "verve help run",
    .options = helpOptions,
    .optionCount = 2,
    .run = help,
};

// ---- version --------------------------------------------------------------------------------------------------------

static void printNames(const char *title, const char *(*nameAt)(int))
{
    printf("%s:", title);
    for (int i = 0; nameAt(i) != NULL; ++i)
        printf(" %s", nameAt(i));
    printf("\n");
}

static int version(const char *program, int count, char **words)
{
    (void)program;
    Words read;
    int left = wordsRead(&versionCommand, count, words, &read);
    if (left >= 0)
        return left;
    if (read.count > 0)
    {
        fprintf(stderr, "verve version: takes no words, was given '%s'\n", shown(read.plain[0]));
        return EXIT_BAD_INPUT;
    }
    printf("verve %s\n", vvGetVersion());
    printNames("methods", vvGetMethodName);
    printNames("solvers", vvGetSolverName);
    printNames("instruction sets", vvGetInstructionSetName);
    return EXIT_DONE;
}

static const Command versionCommand = {
    .name = "version",
    .summary = "print the version, and the methods, solvers and instruction sets",
    .usage = "",
    .about = "Prints the version of the tool and the names of its methods, solvers and instruction sets.",
    .example = "verve version",
    .run = version,
};

// ---- main -----------------------------------------------------------------------------------------------------------

// --version and -h are what people try first
static const char *withoutDashes(const char *word)
{
    if (strcmp(word, "-h") == 0)
        return "help";
    return strncmp(word, "--", 2) == 0 ? word + 2 : word;
}

int main(int argc, char **argv)
{
    argv = systemWords(&argc, argv);
    if (argc < 2)
    {
        printOverview(stderr);
        return EXIT_BAD_INPUT;
    }
    const Command *command = findCommand(withoutDashes(argv[1]));
    if (command == NULL)
        return unknownCommand(argv[1]);
    int code = command->run(argv[0], argc - 2, argv + 2);
    if (fflush(stdout) != 0 && code == EXIT_DONE) // a full disk behind a pipe or redirection
    {
        fprintf(stderr, "verve %s: standard output could not be written; free space, or read the pipe to its end\n",
                command->name);
        return EXIT_INPUT_OUTPUT;
    }
    return code;
}
