// Advice that can be followed: values that the keys accept, methods other than the one in use, and no circles. Of
// methods it goes one way, from any to small-midpoint, and from there to backward-euler, which neither gains nor runs
// away.
#include "tool/tool.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

#define SHORTEST 1e-9 // s, of `timestep`

const char *adviseMethod(const char *method)
{
    if (strcmp(method, "backward-euler") == 0)
        return NULL;
    return strcmp(method, "small-midpoint") == 0 ? "backward-euler" : "small-midpoint";
}

bool adviseSteps(double timestep, double longest, char *text, size_t size)
{
    double count = ceil(1.1 * timestep / longest);
    if (count <= VV_MAX_SUBSTEPS)
        snprintf(text, size, "--set integrator.substeps=%.0f", maxReal(count, 1));
    else if (longest / 1.1 >= SHORTEST)
        snprintf(text, size, "--set timestep=%.2g", longest / 1.1);
    else
        snprintf(text, size, "a body less stiff");
    return count <= VV_MAX_SUBSTEPS;
}
