// verve bench: the benchmark without rivals.
#include "tool/tool.h"

#include "bench/bench.h"

#include <string.h>

#define PATH_SIZE 4096

// the program with the rivals, where a build puts it: bench/verve-bench beside the tool
static bool findRivals(const char *program, char *path, size_t size)
{
    const char *slash = strrchr(program, '/');
    if (slash == NULL)
        return false;
    snprintf(path, size, "%.*s/bench/verve-bench", (int)(slash - program), program);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    fclose(file);
    return true;
}

int benchCommand(const char *program, int count, char **words)
{
    BenchOptions options;
    char message[256], path[PATH_SIZE];
    if (!benchParse(count, words, &options, message, sizeof message))
    {
        fprintf(stderr, "verve bench: %s\n", message);
        return EXIT_BAD_INPUT;
    }
    bool rivals = findRivals(program, path, sizeof path);
    if (options.help)
    {
        benchHelp(stdout, "verve bench");
        printf("\nThis is Verve alone; beside Eigen and CHOLMOD: %s\n", rivals ? path : "make bench");
        return EXIT_DONE;
    }
    if (rivals)
        fprintf(stderr, "verve bench: this is Verve alone; for the rivals: %s\n", path);
    return benchRun(&options, NULL) == 0 ? EXIT_DONE : EXIT_FAILED;
}
