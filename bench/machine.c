// What a number was measured with.

#include "bench/bench.h"

#include "base/base.h"
#include "base/isa.h"
#include "base/system.h"

#include <string.h>

#ifndef VERVE_COMMIT
#define VERVE_COMMIT "unknown"
#endif
#ifndef VERVE_FLAGS
#define VERVE_FLAGS "unknown"
#endif

const char *machineCpu(void)
{
    static char model[128] = "unknown";
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[512];
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
    {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL)
            continue;
        colon += strspn(colon, ": \t");
        colon[strcspn(colon, "\n\"\\")] = '\0';
        snprintf(model, sizeof model, "%.120s", colon);
        break;
    }
    if (file != NULL)
        fclose(file);
    return model;
}

const char *machineLoad(void)
{
    static char load[16] = "unknown";
    FILE *file = fopen("/proc/loadavg", "r");
    if (file != NULL && fscanf(file, "%15s", load) != 1)
        snprintf(load, sizeof load, "unknown");
    if (file != NULL)
        fclose(file);
    return load;
}

int machineCores(void)
{
    return minInt(systemCores(), 64);
}

const char *machineIsa(void)
{
    return isaName(isaBest());
}

const char *buildCommit(void)
{
    return VERVE_COMMIT;
}

const char *buildCompiler(void)
{
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

const char *buildFlags(void)
{
    return VERVE_FLAGS;
}

double seconds(void)
{
    return clockSeconds();
}
