// verve advise: which method suits a scene. The questions of Hauth 2004, Figure 8 (is it stiff, is it nearly
// oscillatory, what does a step cost), answered by measurement, then a few frames of the scene under every candidate.
#include "lab/advise.h"
#include "tool/guests.h"

#include <math.h>
#include <string.h>

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

static vvResult keepDamping(Ground *ground, const SceneWorld *built)
{
    ground->damping = ALLOCATE(ground->memory, double, sceneBodyCount(built) + 1);
    if (ground->damping == NULL)
        return resultOutOfMemory("the damping of the bodies");
    for (int i = 0; i < sceneBodyCount(built); ++i)
        ground->damping[i] = vvSoftBody_GetDamping(sceneBody(built, i)).stiffness;
    return resultOk();
}

// why a trial cannot be taken, or NULL
static const char *judge(const Advice *advice, const Trial *trial, char *text, size_t size)
{
    const Reference *reference = referenceFor(advice, trial->settings.method);
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
    else if (trial->apart > advice->mostApart + (reference->converged ? 0 : maxReal(reference->agrees, 0)))
        snprintf(text, size, "%.3g %% of the motion away from the reference", 100 * trial->apart);
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
        trial->apart = trialApart(trial, &referenceFor(advice, family->method)->trial, advice->size);
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
        double error = maxReal(maxReal(trial->lost, 3 * trial->gained), trial->apart); // growth is the worse of the two
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

// ---- the command ----------------------------------------------------------------------------------------------------

static int advise(Advice *advice, bool json)
{
    adviseReference(advice);
    for (int f = 0; f < FAMILIES; ++f)
        tryFamily(advice, &families[f]);
    prove(advice);
    settleForLess(advice);
    adviseGuests(advice);
    trialFree(&advice->ground, &advice->reference.trial);
    trialFree(&advice->ground, &advice->hard.trial);
    if (advice->best < 0)
    {
        vvResult result = resultMake(VV_DIVERGED, "give it a smaller timestep, or more time with --seconds",
                                     "none of %d candidates ran %d frames of %s", advice->trialCount,
                                     advice->ground.frames, advice->name);
        return complain(&adviseCommand, &result);
    }
    if (json)
        advicePrintJson(advice);
    else
        advicePrint(advice);
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
    if (built != NULL && result.code == VV_OK)
        result = keepDamping(&advice->ground, built);
    advice->touches = built != NULL && sceneHasContact(built);
    advice->rigids = built != NULL ? sceneRigidCount(built) : 0;
    advice->fluids = built != NULL ? vvWorld_GetFluids(sceneWorldId(built), NULL, 0) : 0;
    sceneRelease(built);
    if (result.code == VV_OK && skip > 0)
        advice->ground.state = groundScout(&advice->ground, skip, &advice->ground.stateSize, &result);
    return result.code == VV_OK ? -1 : complain(&adviseCommand, &result);
}

// without soft bodies there is no method to choose; -1: there are some
static int withoutSoft(Advice *advice, const Scene *scene, bool json)
{
    SceneOptions options = { .threads = 1 };
    vvResult result;
    SceneWorld *built = sceneBuild(scene, &options, &result);
    int left = built != NULL && sceneBodyCount(built) == 0 ? EXIT_DONE : -1;
    if (left >= 0)
    {
        adviseGuests(advice);
        if (json)
            advicePrintNoneJson(advice, sceneWorldId(built));
        else
        {
            printf("%s: no soft bodies, so that all methods take the same steps\n", shown(advice->name));
            guestsPrint(sceneWorldId(built), sceneTimestep(scene) / maxInt(sceneSubsteps(scene), 1));
            guestsAdvicePrint(advice);
        }
    }
    sceneRelease(built);
    return left;
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
        left = withoutSoft(advice, scene, wordsHas(words, "--json"));
    if (left < 0)
        left = advise(advice, wordsHas(words, "--json"));
    memoryRelease(&memory, (void *)advice->ground.state);
    memoryRelease(&memory, advice->ground.damping);
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
    { "--apart", "PERCENT", "limit of the error: the distance from a converged run, in % of its motion; default: 10" },
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
        "and the error: how far it is from a converged run, whose substeps were doubled until that changed little.\n"
        "It recommends the cheapest candidate within the limits, lists the others by their error and says what is\n"
        "wrong with those outside. Of rigid bodies and fluids it ranks the substeps in the same way. Nothing is\n"
        "written. Times hold for this machine at this moment.",
    .example = "verve advise swing --energy 1",
    .options = options,
    .optionCount = sizeof options / sizeof options[0],
    .run = run,
};
