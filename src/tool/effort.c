// What a run was solved by, and what that took: the method and the solver, chosen by whom, substeps and iterations, and
// how large the last correction of a solver was that stopped early.
#include "tool/run.h"

#include "base/base.h"

#include <math.h>

#define SOFT 1.05 // times: what nobody minds
#define FEW 10    // frames: the time of fewer says little

static const char *chosen(bool given)
{
    return given ? "asked for" : "the default";
}

void nameMethod(const Scene *scene, char *text, size_t size)
{
    const char *method = sceneMethod(scene);
    int used = snprintf(text, size, "%s (%s)", method, chosen(sceneMethodGiven(scene)));
    if (vvMethod_HasSolver(method) && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", solver %s (%s)", sceneSolver(scene),
                 chosen(sceneSolverGiven(scene)));
}

void effortLook(Effort *effort, const vvStatistics *statistics)
{
    effort->frames += 1;
    effort->iterations += statistics->iterations;
    effort->mostIterations = maxInt(effort->mostIterations, statistics->iterations);
    effort->substeps += statistics->substeps;
    effort->mostSubsteps = maxInt(effort->mostSubsteps, statistics->substeps);
    effort->ruled = effort->frames == 1 ? statistics->ruledSubsteps : effort->ruled;
    effort->mostRuled = maxInt(effort->mostRuled, statistics->ruledSubsteps);
    effort->unconverged += !statistics->converged;
    effort->correction += statistics->correction;
    effort->worst = maxReal(effort->worst, statistics->correction);
    effort->softness = maxReal(effort->softness, statistics->softness);
}

// those of the rule, and what steps took beside it
static void printSubsteps(FILE *out, const Effort *effort, double frames)
{
    double mean = (double)effort->substeps / frames;
    fprintf(out, ": %d substeps a frame by its rule", effort->ruled);
    if (effort->mostRuled > effort->ruled)
        fprintf(out, ", up to %d for what it touches", effort->mostRuled);
    if (effort->mostSubsteps > effort->mostRuled)
        fprintf(out, ", up to %d in steps that gain energy or leave motion unresolved", effort->mostSubsteps);
    if (mean != effort->ruled)
        fprintf(out, ", %.4g on the mean", mean);
}

void printEffort(FILE *out, const Run *run)
{
    const Effort *effort = &run->effort;
    const char *method = sceneMethod(run->scene);
    char name[160];
    double frames = maxInt(effort->frames, 1);
    nameMethod(run->scene, name, sizeof name);
    fprintf(out, "method: %s", name);
    if (effort->frames > 0 && vvMethod_HasSubsteps(method))
        printSubsteps(out, effort, frames);
    else if (effort->frames > 0 && vvMethod_HasSolver(method))
        fprintf(out, ": %.3g iterations a step, at most %d", (double)effort->iterations / frames,
                effort->mostIterations);
    if (!vvMethod_HasSubsteps(method) && effort->mostSubsteps > 1)
        fprintf(out, "; %.3g substeps a step, at most %d", (double)effort->substeps / frames, effort->mostSubsteps);
    if (effort->unconverged > 0)
        fprintf(out,
                "; stopped before it converged in %.3g %% of the frames, the last correction %.2g %% of the motion of "
                "a step, at worst %.2g %%",
                100 * effort->unconverged / frames, 100 * effort->correction / effort->unconverged,
                100 * effort->worst);
    fprintf(out, "\n");
    if (effort->softness > SOFT)
        fprintf(out, "NOT the material: at these iterations a body creeps, or is up to %.3g times too soft\n",
                effort->softness);
    if (run->seconds > effort->frames * sceneTimestep(run->scene) && effort->frames >= FEW)
        fprintf(out,
                "slower than real time: 'verve advise' looks for settings that are faster, --profile says where the "
                "time goes\n");
}

void printEffortJson(FILE *out, const Run *run)
{
    const Effort *effort = &run->effort;
    const char *method = sceneMethod(run->scene);
    double frames = maxInt(effort->frames, 1);
    fprintf(out, "  \"methodChosen\": \"%s\",\n", sceneMethodGiven(run->scene) ? "asked" : "default");
    if (vvMethod_HasSolver(method))
        fprintf(out, "  \"solver\": \"%s\",\n  \"solverChosen\": \"%s\",\n", sceneSolver(run->scene),
                sceneSolverGiven(run->scene) ? "asked" : "default");
    else
        fprintf(out, "  \"solver\": null,\n  \"solverChosen\": null,\n");
    printJsonPair(out, "  ", "substeps", (double)effort->substeps / frames);
    fprintf(out, ",\n  \"mostSubsteps\": %d, \"ruledSubsteps\": %d, \"mostRuledSubsteps\": %d", effort->mostSubsteps,
            effort->ruled, effort->mostRuled);
    printJsonPair(out, ",\n  ", "iterations", (double)effort->iterations / frames);
    fprintf(out, ",\n  \"mostIterations\": %d", effort->mostIterations);
    printJsonPair(out, ",\n  ", "unconverged", effort->unconverged / frames);
    printJsonPair(out, ",\n  ", "correction", effort->unconverged > 0 ? effort->correction / effort->unconverged : 0);
    printJsonPair(out, ",\n  ", "largestCorrection", effort->worst);
    printJsonPair(out, ",\n  ", "softness", maxReal(effort->softness, 1));
    fprintf(out, ",\n");
}
