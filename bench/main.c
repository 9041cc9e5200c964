// verve-bench: the rows with rivals.
#include "bench/bench.h"

int main(int argc, char **argv)
{
    BenchOptions options;
    char message[256];
    if (!benchParse(argc - 1, argv + 1, &options, message, sizeof message))
    {
        fprintf(stderr, "verve-bench: %s\n", message);
        return 2;
    }
    if (options.help)
    {
        benchHelp(stdout, "verve-bench");
        return 0;
    }
    return benchRun(&options, rivalTable());
}
