// Numbers of JSON, for every command with --json.
#include "tool/tool.h"

#include "base/base.h"
#include "base/decimal.h"

#include <math.h>

void printJsonReal(FILE *out, double value)
{
    char text[DECIMAL_SIZE];
    if (!isfinite(value))
    {
        fputs("null", out);
        return;
    }
    *decimalWrite(text, value) = 0;
    fputs(text, out);
}

void printJsonPair(FILE *out, const char *before, const char *key, double value)
{
    fprintf(out, "%s\"%s\": ", before, key);
    printJsonReal(out, value);
}
