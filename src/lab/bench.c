// verve bench: the benchmark without rivals.
#include "tool/tool.h"

#include "base/system.h"
#include "bench/bench.h"

#include <string.h>

#define PATH_SIZE 4096

// the program with the rivals, where a build puts it: bench/verve-bench beside the tool
static bool findRivals(const char *program, char *path, size_t size)
{
    const char *slash = pathLastSlash(program);
    if (slash == NULL)
        return false;
    snprintf(path, size, "%.*s/bench/verve-bench", (int)(slash - program), program);
    FILE *file = systemStream(path, FILE_TO_READ);
    if (file == NULL)
        return false;
    fclose(file);
    return true;
}

static int run(const char *program, int count, char **words)
{
    Words read;
    int left = wordsRead(&benchCommand, count, words, &read);
    if (left >= 0)
        return left;
    BenchOptions options;
    char message[256], path[PATH_SIZE];
    if (!benchParse(count, words, &options, message, sizeof message))
    {
        fprintf(stderr, "verve bench: %s\n", shown(message));
        return EXIT_BAD_INPUT;
    }
    if (findRivals(program, path, sizeof path))
        fprintf(stderr, "verve bench: this is Verve alone; for the rivals: %s\n", shown(path));
    return benchRun(&options, NULL) == 0 ? EXIT_DONE : EXIT_FAILED;
}

static const Option options[] = {
    { "--row", "NAME", "one row only: bar, cube, hippo, cactus, cloth, solid" },
    { "--threads", "N", "1 to 64; default: the cores of the machine" },
    { "--rounds", "N", "interleaved repetitions; default 5" },
    { "--mesh-dir", "DIR", "take hippo.mesh and cactus.mesh from there; default: VERVE_MESH_DIR, or our own models" },
    { "--json", NULL, "print JSON" },
};

const Command benchCommand = {
    .name = "bench",
    .summary = "time a frame and the matrix behind it",
    .usage = "",
    .about = "Times a frame of Projective Dynamics (backward Euler, h = 1/30 s, 10 iterations) and the matrix behind\n"
             "it. This is Verve alone; 'make bench' runs it beside Eigen and CHOLMOD.",
    .example = "verve bench --row cloth --threads 2",
    .options = options,
    .optionCount = sizeof options / sizeof options[0],
    .run = run,
};
