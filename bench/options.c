#include "bench/bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void benchHelp(FILE *out, const char *command)
{
    char rows[128];
    rowNames(rows, sizeof rows);
    fprintf(
        out,
        "usage: %s [options]\n\n"
        "Times a frame of Projective Dynamics (backward Euler, h = 1/30 s, %d iterations) and the matrix behind it.\n\n"
        "  --row NAME      one row only: %s\n"
        "  --threads N     1 to 64; default: the cores of the machine\n"
        "  --rounds N      1 to %d; default 5\n"
        "  --mesh-dir DIR  take hippo.mesh and cactus.mesh from there; default: VERVE_MESH_DIR, or our own models\n"
        "  --json          JSON instead of tables\n"
        "  --help          this text\n\n"
        "example: %s --row cloth --threads 2\n",
        command, BENCH_ITERATIONS, rows, MOST_ROUNDS, command);
}

static bool parseCount(const char *option, const char *word, int most, int *value, char *message, size_t size)
{
    char *end = NULL;
    errno = 0;
    long number = strtol(word, &end, 10);
    if (errno != 0 || end == word || *end != '\0' || number < 1 || number > most)
    {
        snprintf(message, size, "%s is '%s', must be a number from 1 to %d", option, word, most);
        return false;
    }
    *value = (int)number;
    return true;
}

static bool parseRow(const char *word, const char **row, char *message, size_t size)
{
    char rows[128];
    rowNames(rows, sizeof rows);
    *row = word;
    if (rowFind(word) == NULL)
        snprintf(message, size, "there is no row '%s'; the rows are %s", word, rows);
    return rowFind(word) != NULL;
}

// an option with a value
static bool parseValue(const char *option, const char *word, BenchOptions *options, char *message, size_t size)
{
    if (strcmp(option, "--row") == 0)
        return parseRow(word, &options->row, message, size);
    if (strcmp(option, "--threads") == 0)
        return parseCount(option, word, 64, &options->threads, message, size);
    if (strcmp(option, "--rounds") == 0)
        return parseCount(option, word, MOST_ROUNDS, &options->rounds, message, size);
    options->meshDir = word;
    return true;
}

static bool takesValue(const char *option)
{
    static const char *const names[] = { "--row", "--threads", "--rounds", "--mesh-dir" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    {
        if (strcmp(option, names[i]) == 0)
            return true;
    }
    return false;
}

bool benchParse(int count, char **words, BenchOptions *options, char *message, size_t size)
{
    *options = (BenchOptions){ .threads = machineCores(), .rounds = 5, .meshDir = getenv("VERVE_MESH_DIR") };
    for (int i = 0; i < count; ++i)
    {
        const char *word = words[i];
        if (strcmp(word, "--json") == 0)
            options->json = true;
        else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
            options->help = true;
        else if (!takesValue(word))
        {
            snprintf(message, size, "there is no option '%s'; --help lists them", word);
            return false;
        }
        else if (i + 1 == count)
        {
            snprintf(message, size, "%s needs a value; --help has an example", word);
            return false;
        }
        else if (!parseValue(word, words[++i], options, message, size))
            return false;
    }
    return true;
}
