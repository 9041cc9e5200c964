// Advice that can be followed: values that the keys accept, methods other than the one in use, and no circles. Of
// methods it goes one way, from any to small-midpoint, and from there to backward-euler, which neither gains nor runs
// away.
#include "tool/tool.h"

#include "base/base.h"
#include "scene/scene.h"

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

// Errors fall with the square of the step.
void adviseFrequency(const Scene *scene, int substeps, double error, char *text, size_t size)
{
    const char *method = sceneMethod(scene), *other = adviseMethod(method);
    bool divides = vvMethod_HasSubsteps(method);
    double now = divides ? substeps : sceneSubsteps(scene);
    double wanted = ceil(1.1 * now * sqrt(fabs(error) / FREQUENCY_MOST));
    bool steps = wanted <= VV_MAX_SUBSTEPS;
    bool moves = other != NULL && strcmp(other, "backward-euler") != 0;
    int used = steps ? snprintf(text, size, "--set integrator.substeps=%.0f", maxReal(wanted, now + 1))
                     : snprintf(text, size, "a shorter timestep");
    bool stops = vvMethod_HasSolver(method) && strcmp(sceneSolver(scene), "newton") != 0;
    if (stops && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, ", more integrator.iterations");
    if (moves && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", or --method %s", other);
}
