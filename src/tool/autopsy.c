// Why a run died. The world keeps the state before the fatal step; what the bodies can bear at rest is asked of the
// scene built once more.
#include "tool/run.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

// how far an element is from its rest shape, whatever the sign of the change; inversion is worst
static double badness(double stretch)
{
    return stretch > 0 ? fabs(log(stretch)) : INFINITY;
}

// the body whose worst element is worst
static int findCulprit(const Run *run, vvExamination *examination)
{
    int culprit = -1;
    for (int i = 0; i < sceneBodyCount(run->built); ++i)
    {
        vvExamination e;
        if (vvSoftBody_Examine(sceneBody(run->built, i), &e).code != VV_OK)
            continue;
        if (culprit < 0 || badness(e.worstStretch) > badness(examination->worstStretch))
        {
            culprit = i;
            *examination = e;
        }
    }
    return culprit;
}

// the smallest stable step of all bodies at rest; 0: unknown
static double restStableStep(const Scene *scene)
{
    SceneOptions options = { .threads = 1 };
    vvResult result;
    SceneWorld *fresh = sceneBuild(scene, &options, &result);
    double least = 0;
    for (int i = 0; fresh != NULL && i < sceneBodyCount(fresh); ++i)
    {
        vvExamination e;
        if (vvSoftBody_Examine(sceneBody(fresh, i), &e).code == VV_OK && e.stableStep > 0 &&
            (least == 0 || e.stableStep < least))
            least = e.stableStep;
    }
    sceneRelease(fresh);
    return least;
}

// `leapfrog`: s, its limit, 2 / omega
static void printAdvice(FILE *out, const char *method, double timestep, double step, double leapfrog)
{
    double own = vvMethod_GetLimit(method), limit = 0.5 * own * leapfrog;
    if (own == 0)
        fprintf(
            out,
            "  what would work: %s makes undamped motion grow at any step; --method verlet with steps below %.3g s, or "
            "--method small-midpoint\n",
            method, leapfrog);
    else if (own < INFINITY && limit > 0 && step > limit)
    {
        char remedy[64];
        adviseSteps(timestep, limit, remedy, sizeof remedy);
        fprintf(out,
                "  what would work: %s has a limit and its step of %.3g s is %.3g times that; %s, or --method "
                "small-midpoint\n",
                method, step, step / limit, remedy);
    }
    else if (strcmp(method, "backward-euler") == 0)
        fprintf(out, "  what would work: more integrator.iterations, or half the timestep\n");
    else
        fprintf(out, "  what would work: --method backward-euler, which cannot diverge; or half the timestep\n");
}

void printAutopsy(FILE *out, const Run *run, const vvResult *result)
{
    vvWorldId world = sceneWorldId(run->built);
    vvStatistics statistics = vvWorld_GetStatistics(world);
    double step = sceneTimestep(run->scene) / sceneSubsteps(run->scene);
    fprintf(out, "autopsy\n  %s\n", shown(result->message));
    fprintf(out, "  died in frame %d (step %lld, t = %.6g s); frames 0 to %d are kept\n", run->frame + 1,
            statistics.stepCount + 1, vvWorld_GetTime(world), run->frame);
    vvExamination e = { 0 };
    int culprit = findCulprit(run, &e);
    if (culprit >= 0)
    {
        const ElementWords *words = elementWords(sceneBody(run->built, culprit));
        fprintf(out, "  worst element just before: %s %d of body '%s', %s %.4g (rest 1)", words->one, e.worstElement,
                shown(vvSoftBody_GetName(sceneBody(run->built, culprit))), words->stretch, e.worstStretch);
        if (e.invertedCount > 0)
            fprintf(out, ", %d tets inverted", e.invertedCount);
        fprintf(out, "\n  its body's stiffest element: %d, highest frequency %.4g rad/s; the whole body %.4g rad/s\n",
                e.stiffestElement, e.elementFrequency, e.highestFrequency);
    }
    double limit = restStableStep(run->scene);
    if (limit > 0)
        fprintf(out, "  largest stable step of explicit methods at rest: %.4g s; this run takes %.4g s\n", limit, step);
    printAdvice(out, vvWorld_GetMethod(world), sceneTimestep(run->scene), step, limit);
}
