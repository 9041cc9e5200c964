// The verve command: main.c chooses, every other file is one command.
#ifndef TOOL_TOOL_H
#define TOOL_TOOL_H

// exit codes of the whole tool
enum
{
    EXIT_DONE = 0,
    EXIT_FAILED = 1, // something was wrong with the work itself
    EXIT_BAD_INPUT = 2,
};

// `words`: what follows the command's name; `program`: argv[0]
typedef int (*CommandFunction)(const char *program, int count, char **words);

int benchCommand(const char *program, int count, char **words);

#endif
