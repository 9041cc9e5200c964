// Whether a run lives on blending. A method that corrects its energy can hold the total while the motion degenerates:
// that is worth a word, with what would help.
#include "tool/run.h"

#include "base/base.h"

#include <math.h>

#define STRONG 0.5      // |alpha| from which a step is more correction than step
#define TROUBLED_MOST 4 // a run is in trouble when more than one of so many frames is

// what would help a method that blends; one that divides its step has no iterations
static void printRemedy(const char *method, int substeps)
{
    const char *other = adviseMethod(method);
    if (vvMethod_HasSubsteps(method))
        fprintf(stderr, "more substeps (--set integrator.substeps=%d) or",
                minInt(2 * maxInt(substeps, 1), VV_MAX_SUBSTEPS));
    else
        fprintf(stderr, "%s%s%smore iterations (--set integrator.iterations=30, or integrator.accelerate=true) or",
                other ? "--method " : "", other ? other : "", other ? ", " : "");
    fprintf(stderr, " a smaller timestep would help (said once)\n");
}

static void warn(Run *run, Progress *progress)
{
    vvWorldId world = sceneWorldId(run->built);
    progressClear(progress);
    fprintf(stderr,
            "verve run: warning: by frame %d, %d of the last %d frames were held by strong blends (|alpha| above %g, "
            "or no blend met the energy): the total energy is kept, but the motion is not; ",
            run->frame, run->health.troubledCount, HEALTH_FRAMES, STRONG);
    printRemedy(vvWorld_GetMethod(world), vvWorld_GetStatistics(world).substeps);
}

void healthLook(Run *run, Progress *progress, bool quiet)
{
    Health *health = &run->health;
    vvStatistics statistics = vvWorld_GetStatistics(sceneWorldId(run->built));
    bool *slot = &health->troubled[run->frame % HEALTH_FRAMES];
    bool troubled = fabs(statistics.alpha) > STRONG || statistics.blendFailures > 0;
    health->troubledCount += (int)troubled - (int)*slot;
    *slot = troubled;
    health->blended += statistics.alpha != 0;
    health->failures += statistics.blendFailures;
    health->share += statistics.elasticShare;
    health->spectrum += statistics.spectrum;
    if (fabs(statistics.alpha) > fabs(health->alpha))
        health->alpha = statistics.alpha;
    if (health->warned || quiet || TROUBLED_MOST * health->troubledCount <= HEALTH_FRAMES)
        return;
    health->warned = true;
    warn(run, progress);
}

void printHealth(FILE *out, const Run *run)
{
    const Health *health = &run->health;
    int done = run->frame - run->firstFrame;
    if (done == 0 || !(health->share > 0))
        return;
    fprintf(out,
            "blended: %.1f %% of the frames, largest alpha %.3g, %d failures; mean elastic share %.3f, mean share of "
            "motion as short as the mesh %.3f\n",
            100.0 * health->blended / done, health->alpha, health->failures, health->share / done,
            health->spectrum / done);
}
