// What verve advise says, in words and as JSON.
#include "lab/advise.h"

#include <math.h>
#include <string.h>

// ---- words ----------------------------------------------------------------------------------------------------------

void nameSettings(const Settings *settings, char *text, size_t size)
{
    int used = snprintf(text, size, "%s", settings->method);
    if (settings->solver != NULL && !vvMethod_HasSubsteps(settings->method))
        used += snprintf(text + used, size - (size_t)used, " %s", settings->solver);
    if (settings->iterations > 0)
        used += snprintf(text + used, size - (size_t)used, " %d", settings->iterations);
    if (settings->substeps > 0)
        snprintf(text + used, size - (size_t)used, ", %d substep%s", settings->substeps,
                 settings->substeps > 1 ? "s" : "");
}

static const char *figure8(const Advice *advice)
{
    if (!advice->stiff)
        return "not stiff: explicit methods, the cheapest first; RK4 where accuracy counts more than time";
    if (advice->oscillatory)
        return "stiff and nearly oscillatory: Verlet below its limit, or an implicit method that keeps energy";
    return "stiff and damped: implicit Euler, implicit midpoint, BDF";
}

// with the substeps that a method with a rule of its own took
static void nameTrial(const Trial *trial, char *text, size_t size)
{
    nameSettings(&trial->settings, text, size);
    size_t used = strlen(text);
    if (vvMethod_HasSubsteps(trial->settings.method) && trial->settings.substeps == 0 && trial->frames > 0)
        used += (size_t)snprintf(text + used, size - used, " (%d substeps%s", trial->ruled,
                                 trial->mostSubsteps > trial->ruled ? "" : ")");
    else
        return;
    if (trial->mostSubsteps > trial->ruled)
        snprintf(text + used, size - used, ", up to %d)", trial->mostSubsteps);
}

static void printReference(const Reference *reference, const char *word)
{
    char name[100];
    nameSettings(&reference->trial.settings, name, sizeof name);
    printf("  %-12s %s", word, name);
    if (reference->converged)
        printf(": converged, half its substeps are %.3g %% of the motion away\n", 100 * reference->agrees);
    else if (reference->agrees >= 0)
        printf(": not converged, half its substeps are %.3g %% of the motion away; errors are uncertain by that\n",
               100 * reference->agrees);
    else
        printf(": not converged, errors are not known\n");
}

static void printFacts(const Advice *advice)
{
    const Trial *reference = &advice->reference.trial;
    printf("%s: %d frames of %.6g s under each candidate\n", shown(advice->name), advice->ground.frames, advice->frame);
    printf("  stiffness    highest frequency %.4g rad/s, lowest %.4g; step times highest %.4g: ", advice->highest,
           advice->lowest, advice->frame * advice->highest);
    if (advice->explicitSubsteps > 0)
        printf("explicit methods need %d substep%s a frame\n", advice->explicitSubsteps,
               advice->explicitSubsteps > 1 ? "s" : "");
    else
        printf("nothing vibrates\n");
    printf(
        "  oscillation  damping takes motion at %.4g 1/s, ratio %.3g of %s: %s; %.3g %% of the energy exchanged is in "
        "motion\n",
        reference->dampingRate, advice->ratio, advice->lowest > 0 ? "the lowest mode" : "a period of a second",
        advice->oscillatory ? "nearly oscillatory" : "damped", 100 * reference->motion);
    printf("  violence     cells stretch from %.4g to %.4g", reference->least, reference->most);
    if (reference->settings.solver != NULL)
        printf(", %s takes %.3g iterations a step", reference->settings.solver, reference->iterations);
    printf("%s\n", reference->least <= 0 ? "; cells invert" : "");
    printReference(&advice->reference, "reference");
    if (advice->touches)
        printReference(&advice->hard, "hard contact");
    printf("  Hauth 2004, Figure 8: %s\n\n", figure8(advice));
}

static void printTrials(const Advice *advice)
{
    printf("  %-46s %9s %8s %8s %8s %8s\n", "trial", "ms/frame", "lost %", "gained %", "elastic%", "error %");
    for (int i = -1; i < advice->trialCount; ++i)
    {
        const Trial *trial = i < 0 ? &advice->reference.trial : &advice->trial[i];
        char name[100];
        nameTrial(trial, name, sizeof name);
        printf("  %-46s", name);
        if (trial->frames > 0 && trial->result.code == VV_OK)
            printf(" %9.3g %8.3g %8.3g %8.3g", 1e3 * trial->cost, 100 * trial->lost, 100 * trial->gained,
                   100 * trial->elasticShare);
        else
            printf(" %9s %8s %8s %8s", "-", "-", "-", "-");
        if (trial->apart >= 0)
            printf(" %8.3g", 100 * trial->apart);
        else
            printf(" %8s", "-");
        printf("  %s\n", i < 0 ? "the reference" : advice->reason[i] ? advice->reason[i] : "");
    }
}

// those that would do, by their error
static void printOthers(const Advice *advice)
{
    const Trial *best = &advice->trial[advice->best];
    bool told[MOST_TRIALS] = { false };
    for (int n = 0; n < advice->trialCount; ++n)
    {
        int next = -1;
        for (int i = 0; i < advice->trialCount; ++i)
        {
            if (i != advice->best && advice->reason[i] == NULL && !told[i] &&
                (next < 0 || advice->trial[i].apart < advice->trial[next].apart))
                next = i;
        }
        if (next < 0)
            return;
        told[next] = true;
        const Trial *other = &advice->trial[next];
        char name[100];
        nameTrial(other, name, sizeof name);
        printf("  instead %s: %.3g times the time", name, other->cost / best->cost);
        if (other->apart >= 0)
            printf(", error %.3g %%", 100 * other->apart);
        printf(", loses %.3g %%\n", 100 * other->lost);
    }
}

static void printAdvice(const Advice *advice)
{
    const Trial *best = &advice->trial[advice->best];
    const Settings *settings = &best->settings;
    char name[100];
    nameSettings(settings, name, sizeof name);
    printf("\nadvice: %s\n", name);
    char near[100] = "";
    if (best->apart >= 0)
        snprintf(near, sizeof near, " and is within %.3g %% of the motion of the reference", 100 * advice->mostApart);
    if (advice->satisfied)
        printf("  the cheapest that keeps the energy to %.3g %%%s: %.3g ms a frame, %.3g times real time\n",
               100 * advice->mostLost, near, 1e3 * best->cost, advice->frame / best->cost);
    else
        printf(
            "  nothing keeps the energy to %.3g %%; this came nearest: loses %.3g %%, gains %.3g %%, %.3g ms a frame\n",
            100 * advice->mostLost, 100 * best->lost, 100 * best->gained, 1e3 * best->cost);
    if (advice->proof.frames > 0)
        printf("  it then ran %d of %d frames, losing %.3g %% and gaining %.3g %%%s\n", advice->proof.frames,
               advice->frames, 100 * advice->proof.lost, 100 * advice->proof.gained,
               advice->satisfied && advice->proof.lost > advice->mostLost ? ": more than in the trial, see the others"
                                                                          : "");
    printf("  verve run %s --set integrator.method=%s", shown(advice->word), settings->method);
    if (settings->solver != NULL)
        printf(" --set integrator.solver=%s", settings->solver);
    printf(" --set integrator.iterations=%d --set integrator.substeps=%d\n", settings->iterations, settings->substeps);
    printOthers(advice);
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static void printText(const char *key, const char *text, const char *after)
{
    printf("\"%s\": ", key);
    printJsonString(stdout, text);
    printf("%s", after);
}

static void printNumber(const char *key, double value, const char *after)
{
    printJsonPair(stdout, "", key, value);
    printf("%s", after);
}

static void printSettingsJson(const Settings *settings)
{
    printText("method", settings->method, ", ");
    if (settings->solver != NULL)
        printText("solver", settings->solver, ", ");
    printf("\"iterations\": %d, \"substeps\": %d", settings->iterations, settings->substeps);
}

static void printTrialJson(const Trial *trial, const char *reason)
{
    printf("{ ");
    printSettingsJson(&trial->settings);
    printf(", \"frames\": %d, \"substepsRuled\": %d, \"substepsTaken\": %d, ", trial->frames, trial->ruled,
           trial->mostSubsteps);
    printNumber("secondsPerFrame", trial->cost, ", ");
    printNumber("lost", trial->lost, ", ");
    printNumber("gained", trial->gained, ", ");
    printNumber("elasticShare", trial->elasticShare, ", ");
    printNumber("iterationsPerStep", trial->iterations, ", ");
    printNumber("unconverged", trial->unconverged, ", ");
    printNumber("apart", trial->apart >= 0 ? trial->apart : NAN, "");
    if (reason != NULL)
    {
        printf(", ");
        printText("reason", reason, "");
    }
    printf(" }");
}

void advicePrintJson(const Advice *advice)
{
    const Trial *reference = &advice->reference.trial;
    printf("{\n  ");
    printText("name", advice->name, ",\n  ");
    printf("\"frames\": %d, ", advice->ground.frames);
    printNumber("timestep", advice->frame, ",\n  ");
    printNumber("highestFrequency", advice->highest, ", ");
    printNumber("lowestFrequency", advice->lowest, ", ");
    printNumber("stepTimesHighest", advice->frame * advice->highest, ", ");
    printf("\"explicitSubsteps\": %d, \"stiff\": %s,\n  ", advice->explicitSubsteps, advice->stiff ? "true" : "false");
    printNumber("dampingRate", reference->dampingRate, ", ");
    printNumber("dampingRatio", advice->ratio, ", ");
    printNumber("shareInMotion", reference->motion, ", ");
    printf("\"oscillatory\": %s,\n  ", advice->oscillatory ? "true" : "false");
    printNumber("leastStretch", reference->least, ", ");
    printNumber("mostStretch", reference->most, ", ");
    printNumber("solverIterations", reference->iterations, ",\n  ");
    printText("figure8", figure8(advice), ",\n  \"reference\": ");
    printTrialJson(reference, NULL);
    printf(",\n  \"referenceConverged\": %s, ", advice->reference.converged ? "true" : "false");
    printNumber("referenceError", advice->reference.agrees >= 0 ? advice->reference.agrees : NAN, "");
    if (advice->touches)
    {
        printf(",\n  \"hardReference\": ");
        printTrialJson(&advice->hard.trial, NULL);
        printf(",\n  \"hardReferenceConverged\": %s, ", advice->hard.converged ? "true" : "false");
        printNumber("hardReferenceError", advice->hard.agrees >= 0 ? advice->hard.agrees : NAN, "");
    }
    printf(",\n");
    guestsAdvicePrintJson(advice);
    printf("  \"trials\": [");
    for (int i = 0; i < advice->trialCount; ++i)
    {
        printf("%s\n    ", i > 0 ? "," : "");
        printTrialJson(&advice->trial[i], advice->reason[i]);
    }
    printf("\n  ],\n  \"advice\": { ");
    printSettingsJson(&advice->trial[advice->best].settings);
    printf(", \"satisfied\": %s, \"provenFrames\": %d, ", advice->satisfied ? "true" : "false", advice->proof.frames);
    printNumber("secondsPerFrame", advice->trial[advice->best].cost, " }\n}\n");
}

void advicePrintNoneJson(const Advice *advice, vvWorldId world)
{
    vvStatistics counts = vvWorld_GetStatistics(world);
    printf("{\n  ");
    printText("name", advice->name, ",\n  ");
    printNumber("timestep", advice->frame, ",\n  ");
    printf("\"bodies\": 0, \"rigidBodies\": %d, \"joints\": %d, \"particles\": %d,\n", counts.rigidBodyCount,
           counts.jointCount, counts.particleCount);
    guestsAdvicePrintJson(advice);
    printf("  \"trials\": [],\n  \"advice\": null\n}\n");
}

void advicePrint(const Advice *advice)
{
    printFacts(advice);
    printTrials(advice);
    printAdvice(advice);
    guestsAdvicePrint(advice);
}
