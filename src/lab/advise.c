// verve advise: which method suits a scene. The questions of Hauth 2004, Figure 8 (is it stiff, is it nearly
// oscillatory, what does a step cost), answered by measurement, then a few frames of the scene under every candidate.
#include "lab/advise.h"

#include <math.h>
#include <string.h>

#define MOST_TRIALS 64
#define MOST_EXPLICIT 400 // substeps of a frame beyond which explicit methods are not tried
#define CALM 0.05         // damping ratio below which motion is nearly oscillatory
#define REFERENCE_SUBSTEPS 4
#define PROOF_SHARE 3.0 // times the time of a trial
#define HYSTERESIS 1.15 // times are noisy: a candidate must be so much cheaper than a better one before it

// The candidates, where costs are alike the better first. Those that this build does not have are left out.
typedef struct Family
{
    const char *method, *solver;
    int iterations;
} Family;

static const Family families[] = {
    { "small-midpoint", "local-global", 0 },
    { "stabilized", "local-global", 10 },
    { "implicit-midpoint", "local-global", 10 },
    { "implicit-midpoint", "local-global", 30 },
    { "implicit-midpoint", "newton", 0 },
    { "stabilized", "newton", 0 },
    { "backward-euler", "local-global", 10 },
    { "backward-euler", "newton", 0 },
    { "small-steps", "local-global", 0 },
    { "verlet", NULL, 0 },
    { "symplectic-euler", NULL, 0 },
};
#define FAMILIES ((int)(sizeof families / sizeof families[0]))

typedef struct Advice
{
    Ground ground;
    const char *word;                // the scene, as the caller called it
    const char *name;                //
    double frame;                    // s
    double highest, lowest;          // rad/s; 0: none
    double size;                     // m, of the largest body
    double mostLost, mostApart;      // 1, what a candidate may lose or gain, and be apart from the reference
    int explicitSubsteps;            // 0: nothing vibrates
    double ratio;                    // damping ratio of the lowest frequency
    bool stiff, oscillatory;         //
    Trial reference;                 //
    Trial proof;                     // of the advice, over the whole scene; no frames: there was nothing left to prove
    int frames;                      // of the scene, from where trials start
    int trialCount, best;            // best -1: none finished
    bool satisfied;                  // the best is within both limits
    Trial trial[MOST_TRIALS];        //
    const char *reason[MOST_TRIALS]; // why it is not taken; NULL: it could be
    char text[MOST_TRIALS][120];
} Advice;

// ---- finding out ----------------------------------------------------------------------------------------------------

static bool isListed(const char *word, const char *(*nameAt)(int))
{
    for (int i = 0; nameAt(i) != NULL; ++i)
    {
        if (strcmp(nameAt(i), word) == 0)
            return true;
    }
    return false;
}

static bool exists(const Family *family)
{
    return isListed(family->method, vvGetMethodName) &&
           (family->solver == NULL || isListed(family->solver, vvGetSolverName));
}

static vvResult examineBodies(Advice *advice, const SceneWorld *built)
{
    vvResult result = resultOk();
    double step = INFINITY;
    for (int i = 0; i < sceneBodyCount(built) && result.code == VV_OK; ++i)
    {
        vvExamination examination;
        result = vvSoftBody_Examine(sceneBody(built, i), &examination);
        if (result.code != VV_OK)
            break;
        advice->highest = maxReal(advice->highest, examination.highestFrequency);
        step = minReal(step, examination.stableStep);
        if (examination.lowestFrequency > 0)
            advice->lowest =
                advice->lowest > 0 ? minReal(advice->lowest, examination.lowestFrequency) : examination.lowestFrequency;
        advice->size = maxReal(advice->size, vvMesh_GetSize(vvSoftBody_GetMesh(sceneBody(built, i))));
    }
    double substeps = isfinite(step) && step > 0 ? ceil(1.1 * advice->frame / step) : 0;
    advice->explicitSubsteps = (int)minReal(substeps, 1e9);
    advice->stiff = substeps > 1;
    return result;
}

// why a trial cannot be taken, or NULL
static const char *judge(const Advice *advice, const Trial *trial, char *text, size_t size)
{
    if (trial->result.code == VV_DIVERGED)
        snprintf(text, size, "diverges in frame %d", trial->frames + 1);
    else if (trial->result.code != VV_OK)
    {
        vvResult refusal = trial->result;
        snprintf(text, size, "%.100s", refusal.message);
    }
    else if (trial->slow)
        snprintf(text, size, "too slow: %d frames in its time", trial->frames);
    else if (trial->gained > advice->mostLost)
        snprintf(text, size, "gains %.3g %% of the energy", 100 * trial->gained);
    else if (trial->lost > advice->mostLost)
        snprintf(text, size, "loses %.3g %% of the energy", 100 * trial->lost);
    else if (trial->apart > advice->mostApart)
        snprintf(text, size, "ends %.3g %% of the size away from the reference", 100 * trial->apart);
    else
        return NULL;
    return text;
}

// the cheapest that could be taken
static void choose(Advice *advice)
{
    advice->best = -1;
    for (int i = 0; i < advice->trialCount; ++i)
    {
        if (advice->reason[i] != NULL)
            continue;
        double beat = advice->best < 0 ? INFINITY : advice->trial[advice->best].cost;
        if (advice->trial[i].cost * HYSTERESIS < beat)
            advice->best = i;
    }
    advice->satisfied = advice->best >= 0;
}

// the first number of substeps, then twice as many each time
static int firstSubsteps(const Advice *advice, const Family *family)
{
    if (vvMethod_HasSubsteps(family->method))
        return 0;
    return vvMethod_IsExplicit(family->method) ? maxInt(1, advice->explicitSubsteps) : 1;
}

// one family: from the cheapest setting to the first that will do
static void tryFamily(Advice *advice, const Family *family)
{
    bool isExplicit = vvMethod_IsExplicit(family->method);
    int substeps = firstSubsteps(advice, family);
    if (!exists(family) || (isExplicit && (substeps > MOST_EXPLICIT || advice->explicitSubsteps == 0)))
        return;
    for (int round = 0; round < 4 && advice->trialCount < MOST_TRIALS; ++round)
    {
        int index = advice->trialCount++;
        Trial *trial = &advice->trial[index];
        Settings settings = { family->method, family->solver, family->iterations, substeps };
        trialRun(&advice->ground, &settings, trial);
        trialCompare(trial, &advice->reference, advice->size);
        trialFree(&advice->ground, trial);
        advice->reason[index] = judge(advice, trial, advice->text[index], sizeof advice->text[index]);
        choose(advice);
        if (advice->reason[index] == NULL)
            return;
        bool dear = advice->satisfied && trial->cost > 2 * advice->trial[advice->best].cost;
        bool refused = trial->result.code != VV_OK && trial->result.code != VV_DIVERGED;
        if (dear || refused || trial->slow)
            return;
        // by the method's own rule an iteration is a substep
        substeps = substeps > 0 ? 2 * substeps : maxInt(8, 2 * (int)ceil(trial->iterations));
    }
}

// where nothing is within the limits: what came nearest and finished without growth
static void settleForLess(Advice *advice)
{
    double least = INFINITY;
    for (int i = 0; i < advice->trialCount && !advice->satisfied; ++i)
    {
        const Trial *trial = &advice->trial[i];
        double error = maxReal(trial->lost, 3 * trial->gained); // growth is the worse of the two
        if (trial->result.code != VV_OK || trial->slow || !(error < least))
            continue;
        least = error;
        advice->best = i;
    }
}

// The whole scene under the advice, as far as the time goes: what blows up later is struck off and the next one taken.
static void prove(Advice *advice)
{
    Ground whole = advice->ground;
    whole.frames = advice->frames;
    whole.most *= PROOF_SHARE;
    while (advice->best >= 0 && whole.frames > advice->ground.frames)
    {
        int best = advice->best;
        Trial *trial = &advice->proof;
        trialRun(&whole, &advice->trial[best].settings, trial);
        trialFree(&whole, trial);
        char *text = advice->text[best];
        size_t size = sizeof advice->text[best];
        if (trial->result.code == VV_DIVERGED)
            snprintf(text, size, "diverges later, in frame %d", trial->frames + 1);
        else if (trial->gained > advice->mostLost)
            snprintf(text, size, "gains %.3g %% of the energy later, in %d frames", 100 * trial->gained, trial->frames);
        else
            return;
        advice->reason[best] = text;
        *trial = (Trial){ .apart = -1 };
        choose(advice);
    }
}

// Small steps that keep the energy: solved to the end, or nearly so where that takes too long, or explicit ones. Where
// none does, the last that finished.
static void runReference(Advice *advice)
{
    const Settings candidates[] = { { "backward-euler", "local-global", 50, REFERENCE_SUBSTEPS },
                                    { "symplectic-euler", NULL, 0, 2 * maxInt(advice->explicitSubsteps, 1) },
                                    { "implicit-midpoint", "local-global", 50, REFERENCE_SUBSTEPS },
                                    { "implicit-midpoint", "newton", 0, REFERENCE_SUBSTEPS } };
    Trial *reference = &advice->reference;
    for (int i = 3; i >= 0; --i)
    {
        Trial trial;
        if (candidates[i].substeps > 2 * MOST_EXPLICIT)
            continue;
        trialRun(&advice->ground, &candidates[i], &trial);
        bool finished = trial.positions != NULL, was = reference->positions != NULL;
        if (finished || !was)
        {
            trialFree(&advice->ground, reference);
            *reference = trial;
        }
        if (finished && maxReal(trial.lost, trial.gained) <= advice->mostLost)
            break;
    }
    const Trial *trial = reference;
    // where no motion resists bending there is no lowest frequency: a second stands for its period
    double lowest = advice->lowest > 0 ? advice->lowest : 2 * PI;
    advice->ratio = trial->dampingRate / (2 * lowest);
    advice->oscillatory = advice->ratio < CALM;
}

// ---- words ----------------------------------------------------------------------------------------------------------

static void nameSettings(const Settings *settings, char *text, size_t size)
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

static void printFacts(const Advice *advice)
{
    const Trial *reference = &advice->reference;
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
    printf("  Hauth 2004, Figure 8: %s\n\n", figure8(advice));
}

static void printTrials(const Advice *advice)
{
    printf("  %-46s %9s %8s %8s %8s %8s\n", "trial", "ms/frame", "lost %", "gained %", "elastic%", "apart %");
    for (int i = -1; i < advice->trialCount; ++i)
    {
        const Trial *trial = i < 0 ? &advice->reference : &advice->trial[i];
        char name[100];
        nameSettings(&trial->settings, name, sizeof name);
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

static void printAdvice(const Advice *advice)
{
    const Trial *best = &advice->trial[advice->best];
    const Settings *settings = &best->settings;
    char name[100];
    nameSettings(settings, name, sizeof name);
    printf("\nadvice: %s\n", name);
    char near[100] = "";
    if (best->apart >= 0)
        snprintf(near, sizeof near, " and ends within %.3g %% of the size of the reference", 100 * advice->mostApart);
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
    for (int i = 0; i < advice->trialCount; ++i)
    {
        const Trial *other = &advice->trial[i];
        if (i == advice->best || advice->reason[i] != NULL)
            continue;
        nameSettings(&other->settings, name, sizeof name);
        printf("  instead %s: %.3g times the time, loses %.3g %%\n", name, other->cost / best->cost, 100 * other->lost);
    }
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
    printf(", \"frames\": %d, ", trial->frames);
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

static void printJson(const Advice *advice)
{
    const Trial *reference = &advice->reference;
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
    printf(",\n  \"trials\": [");
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

// ---- the command ----------------------------------------------------------------------------------------------------

static int advise(Advice *advice, bool json)
{
    runReference(advice);
    for (int f = 0; f < FAMILIES; ++f)
        tryFamily(advice, &families[f]);
    prove(advice);
    settleForLess(advice);
    trialFree(&advice->ground, &advice->reference);
    if (advice->best < 0)
    {
        vvResult result = resultMake(VV_DIVERGED, "give it a smaller timestep, or more time with --seconds",
                                     "none of %d candidates ran %d frames of %s", advice->trialCount,
                                     advice->ground.frames, advice->name);
        return complain(&adviseCommand, &result);
    }
    if (json)
    {
        printJson(advice);
        return EXIT_DONE;
    }
    printFacts(advice);
    printTrials(advice);
    printAdvice(advice);
    return EXIT_DONE;
}

// the scene as it is: its frequencies, and the state that trials start from
static int prepare(Advice *advice, const Words *words, const Scene *scene)
{
    int skip = 0, frames = minInt(60, maxInt(1, sceneFrames(scene)));
    double percent = 5, apart = 10, seconds = 60;
    int left = wordsInt(words, "--frames", 1, 1000000, &frames);
    left = left >= 0 ? left : wordsInt(words, "--skip", 0, 1000000, &skip);
    left = left >= 0 ? left : wordsInt(words, "--threads", 0, 64, &advice->ground.threads);
    left = left >= 0 ? left : wordsReal(words, "--energy", 1e-9, 1000, &percent);
    left = left >= 0 ? left : wordsReal(words, "--apart", 1e-9, 1000, &apart);
    left = left >= 0 ? left : wordsReal(words, "--seconds", 0.01, 1e6, &seconds);
    if (left >= 0)
        return left;
    advice->name = sceneName(scene);
    advice->frame = sceneTimestep(scene);
    advice->mostLost = percent / 100;
    advice->mostApart = apart / 100;
    advice->ground.frames = frames;
    advice->frames = sceneFrames(scene) - skip;
    advice->ground.most = seconds / (FAMILIES + 1);
    vvResult result = resultOk();
    SceneOptions options = { .threads = 1 };
    SceneWorld *built = sceneBuild(scene, &options, &result);
    if (built != NULL)
        result = examineBodies(advice, built);
    sceneRelease(built);
    if (result.code == VV_OK && skip > 0)
        advice->ground.state = groundScout(&advice->ground, skip, &advice->ground.stateSize, &result);
    return result.code == VV_OK ? -1 : complain(&adviseCommand, &result);
}

static int adviseScene(const Words *words, Scene *scene, const OpenedScene *opened)
{
    Memory memory = memoryMake(NULL);
    Advice *advice = ALLOCATE(&memory, Advice, 1);
    if (advice == NULL)
    {
        vvResult result = resultOutOfMemory("the trials");
        return complain(&adviseCommand, &result);
    }
    *advice = (Advice){ .word = words->plain[0], .best = -1 };
    advice->ground = (Ground){ .path = opened->path,
                               .anywhere = opened->anywhere,
                               .sets = opened->sets,
                               .setCount = opened->setCount,
                               .threads = 1,
                               .memory = &memory };
    int left = prepare(advice, words, scene);
    if (left < 0)
        left = advise(advice, wordsHas(words, "--json"));
    memoryRelease(&memory, (void *)advice->ground.state);
    memoryRelease(&memory, advice);
    return left;
}

static int run(const char *program, int count, char **words)
{
    (void)program;
    return runOnScene(&adviseCommand, count, words, adviseScene);
}

static const Option options[] = {
    { "--set", "PATH=VALUE", "change a key of the scene, such as bodies.0.material.young=2e5; may be repeated" },
    { "--allow-outside", NULL, "let the scene read mesh files outside its folder and VERVE_MESH_DIR" },
    { "--frames", "N", "frames of each trial; default: 60, or all of the scene's if they are fewer" },
    { "--skip", "N", "frames under the scene's own settings before the trials start; default: 0" },
    { "--energy", "PERCENT",
      "limit of the energy that the numerics lose or gain, in % of the energy exchanged; default: 5" },
    { "--apart", "PERCENT",
      "limit of the mean distance of vertices from the reference, in % of the size; default: 10" },
    { "--seconds", "S", "approximate wall clock time of all trials; default: 60" },
    { "--threads", "N", "0 to 64, 0: all cores; default: 1, which gives the most reliable times" },
    { "--json", NULL, "print JSON" },
};

const Command adviseCommand = {
    .name = "advise",
    .summary = "measure which method, solver and substeps suit a scene",
    .usage = "SCENE",
    .about =
        "Measures how stiff, how damped and how violent a scene is (Hauth 2004, Figure 8), then runs a few frames\n"
        "with every candidate on a copy of the scene. For each it reports the cost, the energy lost or gained,\n"
        "and the distance from a reference with small steps. It recommends the cheapest candidate within the\n"
        "limits and says what is wrong with the others. Nothing is written. Times hold for this machine at this\n"
        "moment.",
    .example = "verve advise swing --energy 1",
    .options = options,
    .optionCount = sizeof options / sizeof options[0],
    .run = run,
};
