#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STRINGIFY_(x) #x
#define STRINGIFY(x) STRINGIFY_(x)

const char *vvGetVersion(void)
{
    return STRINGIFY(VV_VERSION_MAJOR) "." STRINGIFY(VV_VERSION_MINOR) "." STRINGIFY(VV_VERSION_PATCH);
}

const char *vvCode_GetName(vvCode code)
{
    switch (code)
    {
    case VV_OK:
        return "ok";
    case VV_BAD_INPUT:
        return "bad input";
    case VV_BAD_ID:
        return "bad id";
    case VV_OUT_OF_MEMORY:
        return "out of memory";
    case VV_DIVERGED:
        return "diverged";
    case VV_LIMIT:
        return "limit reached";
    case VV_INPUT_OUTPUT:
        return "input/output failure";
    }
    return "unknown code";
}

vvResult resultOk(void)
{
    vvResult result;
    result.code = VV_OK;
    result.message[0] = 0;
    result.remedy[0] = 0;
    return result;
}

vvResult resultMake(vvCode code, const char *remedy, const char *format, ...)
{
    vvResult result = { .code = code };
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result.message, sizeof result.message, format, arguments);
    va_end(arguments);
    snprintf(result.remedy, sizeof result.remedy, "%s", remedy);
    textPlain(result.message);
    textPlain(result.remedy);
    return result;
}

vvResult resultOutOfMemory(const char *what)
{
    return resultMake(VV_OUT_OF_MEMORY, "free memory, use a coarser mesh, or raise the limit of the allocator hook",
                      "the allocator returned NULL for %s", what);
}

bool resultPass(vvResult *out, const vvResult *result)
{
    if (out != NULL)
        *out = *result;
    return result->code == VV_OK;
}

_Noreturn void assertFailed(const char *words, const char *condition, const char *file, int line)
{
    // a bug of the library: say it in words and stop before it damages data
    fprintf(stderr, "verve: broken promise: %s (%s) at %s:%d\n", words, condition, file, line);
    abort();
}

void logWrite(Memory *memory, const vvLogger *logger, vvLogLevel level, const char *format, ...)
{
    if (logger->write == NULL)
        return;
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    textPlain(message);
    memoryEnterCall(memory);
    logger->write(level, message, logger->userData);
    memoryLeaveCall(memory);
}

int wordEdits(const char *a, const char *b)
{
    int row[64];
    int columns = minInt((int)strlen(b), 63);
    for (int j = 0; j <= columns; ++j)
        row[j] = j;
    for (int i = 0; a[i] != 0 && i < 63; ++i)
    {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 0; j < columns; ++j)
        {
            int replace = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = minInt(replace, 1 + minInt(row[j], row[j + 1]));
        }
    }
    return row[columns];
}

const char *nearestWord(const char *word, const char *const *names, int count)
{
    const char *best = NULL;
    int fewest = 1000;
    for (int i = 0; i < count; ++i)
    {
        int edits = wordEdits(word, names[i]);
        if (edits < fewest)
        {
            fewest = edits;
            best = names[i];
        }
    }
    return best;
}
