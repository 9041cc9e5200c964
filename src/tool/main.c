// The verve command.
#include <verve/verve.h>

#include <stdio.h>
#include <string.h>

// exit codes of the whole tool
enum
{
    EXIT_DONE = 0,
    EXIT_BAD_INPUT = 2,
};

static void printHelp(FILE *out)
{
    fprintf(out,
            "verve %s: soft bodies that keep their energy\n\n"
            "usage: verve version    the version of the tool, and the methods and solvers it was built with\n"
            "       verve --help     this text\n\n"
            "example: verve version\n",
            vvGetVersion());
}

static void printNames(const char *title, const char *(*nameAt)(int))
{
    printf("%s:", title);
    for (int i = 0; nameAt(i) != NULL; ++i)
        printf(" %s", nameAt(i));
    printf("\n");
}

static int printVersion(void)
{
    printf("verve %s\n", vvGetVersion());
    printNames("methods", vvGetMethodName);
    printNames("solvers", vvGetSolverName);
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    if (argc == 2 && (strcmp(argv[1], "version") == 0 || strcmp(argv[1], "--version") == 0))
        return printVersion();
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0 || strcmp(argv[1], "-h") == 0))
    {
        printHelp(stdout);
        return EXIT_DONE;
    }
    if (argc > 1)
        fprintf(stderr, "verve: there is no command '%s'; the commands are version and --help\n\n", argv[1]);
    printHelp(stderr);
    return EXIT_BAD_INPUT;
}
