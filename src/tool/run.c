// verve run: a scene to the end, recorded.
#include "tool/run.h"

#include "base/base.h"
#include "base/system.h"
#include "record/record.h"
#include "tool/notes.h"
#include "tool/system.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define PATH_SIZE 4096
#define SET_SIZE 512
#define MOST_SETS (MOST_WORDS + 4)
#define GROWTH 10.0     // so many times what physics had to give is worth a warning before the run ends
#define FIRST_FRAMES 10 // in which nothing has been exchanged yet

static volatile sig_atomic_t caught; // the signal that asked us to stop

static void catchSignal(int number)
{
    caught = number;
}

// ---- the scene ------------------------------------------------------------------------------------------------------

// options that are short for --set, so that scene.json holds all that was asked for
typedef struct Sets
{
    int count;
    const char *set[MOST_SETS];
    char text[4][SET_SIZE];
} Sets;

// --format pc2,vtu: record.frames=["frames.pc2","frames.vtu"]
static bool formatsToSet(const char *formats, char *text, size_t size)
{
    int used = snprintf(text, size, "record.frames=[");
    for (const char *word = formats; used > 0 && (size_t)used < size && *word;)
    {
        size_t length = strcspn(word, ",");
        used += snprintf(text + used, size - (size_t)used, "%s\"frames.%.*s\"", word > formats ? "," : "", (int)length,
                         word);
        word += length + (word[length] == ',');
    }
    if (used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, "]");
    return used > 0 && (size_t)used < size;
}

static int collectSets(const Words *words, Sets *sets)
{
    static const char *const shorts[3][2] = { { "--method", "integrator.method=\"" },
                                              { "--solver", "integrator.solver=\"" },
                                              { "--frames", "frames=" } };
    sets->count = 0;
    for (int i = 0; i < words->optionCount; ++i)
    {
        if (strcmp(words->option[i].name, "--set") == 0)
            sets->set[sets->count++] = words->option[i].value;
    }
    for (int i = 0; i < 3; ++i)
    {
        const char *value = wordsGet(words, shorts[i][0]);
        if (value == NULL)
            continue;
        snprintf(sets->text[i], SET_SIZE, "%s%s%s", shorts[i][1], value, i < 2 ? "\"" : "");
        sets->set[sets->count++] = sets->text[i];
    }
    const char *formats = wordsGet(words, "--format");
    if (formats == NULL)
        return -1;
    if (!formatsToSet(formats, sets->text[3], SET_SIZE))
    {
        fprintf(stderr, "verve run: --format is '%s', too long\n", shown(formats));
        return EXIT_BAD_INPUT;
    }
    sets->set[sets->count++] = sets->text[3];
    return -1;
}

// "dir/swing.json" -> "swing"
static void stemOf(const char *path, char *stem, size_t size)
{
    const char *slash = pathLastSlash(path);
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    snprintf(stem, size, "%.*s", dot && dot > name ? (int)(dot - name) : (int)strlen(name), name);
}

// ---- records --------------------------------------------------------------------------------------------------------

// DIR/scene.json: the whole text or the old one
static vvResult writeScene(const Scene *scene, const char *folder)
{
    Path path;
    if (snprintf(path.text, sizeof path.text, "%s/" RECORD_SCENE, folder) >= (int)sizeof path.text)
        return resultMake(VV_BAD_INPUT, "choose a shorter --out", "the path of the folder is too long");
    char *text = sceneText(scene);
    if (text == NULL)
        return resultOutOfMemory("the text of the scene");
    vvResult result = diskReplace(&path, text, strlen(text));
    sceneFreeText(text);
    return result;
}

static vvResult startRecords(Run *run, int resumeFrame)
{
    vvResult result = resultOk();
    vvRecorderDef def = vvDefaultRecorderDef();
    sceneRecord(run->scene, &def);
    def.folder = run->folder;
    def.resumeFrame = resumeFrame;
    run->recorder = vvCreateRecorder(sceneWorldId(run->built), &def, &result);
    if (run->recorder != NULL && resumeFrame < 0)
        result = writeScene(run->scene, run->folder);
    if (run->recorder != NULL && resumeFrame < 0 && result.code == VV_OK)
        result = vvRecorder_Add(run->recorder);
    return result;
}

// back to the last saved state of a folder; without one the run starts over
static vvResult resume(Run *run, int *resumeFrame)
{
    vvRecorderDef def = vvDefaultRecorderDef();
    sceneRecord(run->scene, &def);
    char path[PATH_SIZE];
    *resumeFrame = -1;
    if (def.snapshot == NULL)
        return resultMake(VV_BAD_INPUT, "add record.snapshot to the scene before the run",
                          "%s has no saved states to resume from", run->folder);
    if (snprintf(path, sizeof path, "%s/%s", run->folder, def.snapshot) >= (int)sizeof path)
        return resultMake(VV_BAD_INPUT, "move the folder", "the path of the saved state is too long");
    if (systemStatus(path).kind == FILE_MISSING && errno == ENOENT)
        return resultOk();
    vvResult result = sceneReadyFor(run->built, snapshotTime(path));
    return result.code == VV_OK ? vvRestoreSnapshot(sceneWorldId(run->built), path, resumeFrame) : result;
}

static bool sameVector(vvVec3 a, vvVec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// A state brings its method, gravity and wind along; what the scene says now, changed by --method or --set, goes
// before.
static vvResult takeSettings(Run *run, bool *changed)
{
    vvWorldId world = sceneWorldId(run->built);
    vvWorldDef def;
    vvTableau tableau;
    vvResult result = sceneWorldDef(run->scene, &def, &tableau);
    if (result.code != VV_OK)
        return result;
    const char *before = vvWorld_GetMethod(world);
    if (strcmp(before, def.method) != 0)
    {
        fprintf(stderr, "verve run: the saved state is of %s; the run goes on with %s\n", before, def.method);
        *changed = true;
        result = vvWorld_SetMethod(world, def.method);
    }
    if (result.code == VV_OK && !sameVector(vvWorld_GetGravity(world), def.gravity))
    {
        fprintf(stderr, "verve run: the run goes on with another gravity than the saved state's\n");
        *changed = true;
        result = vvWorld_SetGravity(world, def.gravity);
    }
    vvWind wind = vvWorld_GetWind(world);
    bool same = sameVector(wind.velocity, def.wind.velocity) && wind.density == def.wind.density;
    if (result.code == VV_OK && !(same && wind.drag == def.wind.drag))
    {
        fprintf(stderr, "verve run: the run goes on with another wind than the saved state's\n");
        *changed = true;
        result = vvWorld_SetWind(world, def.wind);
    }
    return result;
}

// ---- the loop -------------------------------------------------------------------------------------------------------

static void lookFirst(Run *run)
{
    vvWorldId world = sceneWorldId(run->built);
    vvLedger first = vvWorld_GetLedger(world);
    vvVec3 g = vvWorld_GetGravity(world);
    double mass = 0;
    for (int i = 0; i < sceneBodyCount(run->built); ++i)
        mass += vvSoftBody_GetMass(sceneBody(run->built, i));
    mass += sceneFluidMass(run->built);
    for (int i = 0; i < sceneRigidCount(run->built); ++i)
        mass += vvRigidBody_GetMass(sceneRigid(run->built, i));
    auditStart(&run->audit, &first, vvWorld_GetTime(world), mass, sqrt(g.x * g.x + g.y * g.y + g.z * g.z));
    freeLook(&run->free, run->built, vvWorld_GetTime(world), run->frame);
}

static void look(Run *run, const vvLedger *now, double from)
{
    vvWorldId world = sceneWorldId(run->built);
    vvStatistics statistics = vvWorld_GetStatistics(world);
    auditLook(&run->audit, now, vvWorld_GetTime(world), run->frame);
    effortLook(&run->effort, &statistics);
    resolutionLook(&run->resolution, &statistics, now);
    freeLook(&run->free, run->built, from, run->frame);
}

static void warnGrowth(Run *run, Progress *progress, bool silent)
{
    if (run->warnedGrowth || silent || run->frame < FIRST_FRAMES || !(auditGain(&run->audit) > GROWTH))
        return;
    run->warnedGrowth = true;
    progressClear(progress);
    fprintf(stderr,
            "verve run: warning: by frame %d the numerics have gained %.3g J, %.3g times the energy there was; %s "
            "(said once)\n",
            run->frame, run->audit.gained, auditGain(&run->audit),
            gainRemedy(run));
}

static vvResult advance(Run *run, bool quiet, bool silent)
{
    Progress progress = progressStart(quiet);
    vvResult result = resultOk();
    while (run->frame < run->frames && result.code == VV_OK && caught == 0)
    {
        double start = clockSeconds(), from = vvWorld_GetTime(sceneWorldId(run->built));
        result = sceneStep(run->built);
        double seconds = clockSeconds() - start;
        if (result.code != VV_OK)
            break;
        run->frame += 1;
        run->seconds += seconds;
        run->slowest = maxReal(run->slowest, seconds);
        vvLedger now = vvWorld_GetLedger(sceneWorldId(run->built));
        look(run, &now, from);
        warnGrowth(run, &progress, silent);
        healthLook(run, &progress, silent);
        if (run->recorder != NULL)
            result = recorderAdd(run->recorder, &now);
        progressShow(&progress, run);
    }
    progressClear(&progress);
    return result;
}

static int report(Run *run, const Words *words, vvResult result)
{
    bool quiet = wordsHas(words, "--quiet");
    if (result.code == VV_OK && caught == 0 && (wordsHas(words, "--json") || !quiet))
        resolutionMeasure(run);
    if (!quiet)
        warnResolution(run);
    if (wordsHas(words, "--json"))
        printSummaryJson(stdout, run, &result);
    else if (!quiet)
        printSummary(stdout, run);
    if (wordsHas(words, "--profile"))
        printProfile(wordsHas(words, "--json") ? stderr : stdout, run);
    bool failed = auditVerdict(&run->audit) != VERDICT_FINE && wordsHas(words, "--strict");
    if (result.code == VV_OK && failed && (quiet || wordsHas(words, "--json")))
        printVerdict(stderr, run); // an exit code needs a word
    if (result.code == VV_OK)
        return failed ? EXIT_FAILED : EXIT_DONE;
    int code = complain(&runCommand, &result);
    if (result.code == VV_DIVERGED)
        printAutopsy(stderr, run, &result);
    if (result.code == VV_INPUT_OUTPUT && run->folder != NULL)
        fprintf(stderr, "verve run: go on with: verve run --resume %s\n", shown(run->folder));
    if (code == EXIT_BAD_INPUT && run->folder != NULL) // frames are written: a format cannot hold a mesh that changed
        code = EXIT_INPUT_OUTPUT;
    return code;
}

static void logMessage(vvLogLevel level, const char *message, void *userData)
{
    (void)userData;
    if (level == VV_LOG_WARNING)
        fprintf(stderr, "verve run: warning: %s\n", shown(message));
}

static int perform(Run *run, const Words *words, bool resumed)
{
    int threads = 0, resumeFrame = -1;
    int left = wordsInt(words, "--threads", 0, 64, &threads);
    if (left >= 0)
        return left;
    bool quiet = wordsHas(words, "--quiet");
    SceneOptions options = { .threads = threads,
                             .logger = { .write = quiet ? NULL : logMessage },
                             .allocator = countedAllocator(&run->memory) };
    vvResult result = resultOk();
    run->built = sceneBuild(run->scene, &options, &result);
    if (run->built == NULL)
        return complain(&runCommand, &result);
    run->frames = sceneFrames(run->scene);
    bool changed = false;
    if (resumed)
        result = resume(run, &resumeFrame);
    if (resumeFrame >= 0 && result.code == VV_OK)
        result = takeSettings(run, &changed);
    run->frame = run->firstFrame = maxInt(resumeFrame, 0);
    lookFirst(run);
    if (result.code == VV_OK && run->folder != NULL && !resumed && !wordsHas(words, "--force"))
        result = folderCheck(run->folder, run->scene);
    for (int i = 0; i < sceneBodyCount(run->built) && !quiet && !resumed; ++i)
        noteScene(&(Notes){ .out = stderr, .before = "verve run: " }, run->built, i);
    if (result.code == VV_OK && run->folder != NULL)
        result = startRecords(run, resumeFrame);
    if (result.code == VV_OK && changed) // a later --resume goes on with the same
        result = writeScene(run->scene, run->folder);
    if (result.code == VV_OK)
        result = advance(run, quiet || wordsHas(words, "--json"), quiet);
    else
        return complain(&runCommand, &result);
    left = report(run, words, result);
    vvResult closed = vvRecorder_Close(run->recorder);
    run->recorder = NULL;
    return left == EXIT_DONE && closed.code != VV_OK ? complain(&runCommand, &closed) : left;
}

// ---- the words ------------------------------------------------------------------------------------------------------

// which scene file, and which folder for the records (NULL: none)
static int choosePlaces(const Words *words, char *scene, char *folder, const char **out)
{
    bool resumed = wordsHas(words, "--resume");
    const char *given = wordsGet(words, "--out");
    if (words->count > 1 || (words->count == 0 && !(resumed && given != NULL)))
    {
        fprintf(stderr, "verve run: give one scene, a file or a name of 'verve scenes'; was given %d\n", words->count);
        return EXIT_BAD_INPUT;
    }
    if (resumed && wordsHas(words, "--no-record"))
    {
        fprintf(stderr, "verve run: --resume goes on with a record; leave out --no-record\n");
        return EXIT_BAD_INPUT;
    }
    if (resumed)
        snprintf(folder, PATH_SIZE, "%s", given ? given : words->plain[0]);
    else if (given != NULL)
        snprintf(folder, PATH_SIZE, "%s", given);
    else
        stemOf(words->plain[0], folder, PATH_SIZE);
    *out = wordsHas(words, "--no-record") ? NULL : folder;
    if (resumed)
        snprintf(scene, PATH_SIZE, "%.*s/scene.json", PATH_SIZE - 16, folder);
    else if (!sceneFind(words->plain[0], scene, PATH_SIZE))
        snprintf(scene, PATH_SIZE, "%s", words->plain[0]);
    return -1;
}

static int run(const char *program, int count, char **words)
{
    (void)program;
    Words read;
    Sets sets;
    char path[PATH_SIZE], folder[PATH_SIZE];
    Run work = { 0 };
    int left = wordsRead(&runCommand, count, words, &read);
    if (left < 0)
        left = choosePlaces(&read, path, folder, &work.folder);
    if (left < 0)
        left = collectSets(&read, &sets);
    if (left >= 0)
        return left;
    vvResult result;
    // what verve wrote names its files where they were; they were checked when it was recorded
    bool anywhere = wordsHas(&read, "--allow-outside") || wordsHas(&read, "--resume");
    Scene *scene = sceneRead(path, anywhere, sets.set, sets.count, &result);
    if (scene == NULL)
        return complain(&runCommand, &result);
    work.scene = scene;
    signalsCatch(catchSignal);
    signalsIgnoreLimits(); // a limit on file sizes is an error like a full disk
    left = perform(&work, &read, wordsHas(&read, "--resume"));
    vvRecorder_Close(work.recorder);
    freeRelease(&work.free);
    sceneRelease(work.built);
    sceneDestroy(scene);
    if (caught != 0 && left == EXIT_DONE)
    {
        // all is written: end the way the signal asked for
        fflush(stdout);
        signalsEndBy(caught);
    }
    return left;
}

static const Option options[] = {
    { "--set", "PATH=VALUE", "change a key of the scene, such as bodies.0.material.young=2e5; may be repeated" },
    { "--method", "M", "short for --set integrator.method=M" },
    { "--solver", "S", "short for --set integrator.solver=S" },
    { "--frames", "N", "short for --set frames=N" },
    { "--format", "F,F", "formats of the frames: pc2, obj, vtu, usda, ply, glb, mdd; default: the scene's, or pc2; "
      "obj where a body tears" },
    { "--out", "DIR", "folder of the record; default: the scene's name, in the present folder" },
    { "--force", NULL, "replace files in DIR that verve did not record" },
    { "--no-record", NULL, "write nothing" },
    { "--allow-outside", NULL, "let the scene read mesh files outside its folder and VERVE_MESH_DIR" },
    { "--resume", NULL,
      "continue the record in DIR from its last saved state, with the same bits; --method and --set apply from there "
      "on" },
    { "--threads", "N", "1 to 64; default: the cores of the machine. The result does not depend on it" },
    { "--quiet", NULL, "no progress, no summary, no warnings" },
    { "--json", NULL, "the summary as JSON" },
    { "--strict", NULL,
      "exit with 1 if the numerics gained more than a tenth of the energy that physics could exchange" },
    { "--profile", NULL, "print the time of every phase" },
};

const Command runCommand = {
    .name = "run",
    .summary = "simulate a scene and record it",
    .usage = "SCENE | --resume DIR",
    .about = "Simulates a scene (a file, or the name of a shipped one) and records it: scene.json (the scene with all\n"
             "settings applied), ledger.csv (the energy of every frame), the frames, and saved states to resume from.\n"
             "A run that diverges keeps its frames and prints an autopsy. A record in DIR is replaced; if DIR has\n"
             "other files, the command exits with 2 unless --force is given. 'verve render DIR --out movie.gif' draws\n"
             "the record.",
    .example = "verve run swing --method backward-euler --frames 300 --out swing-be",
    .options = options,
    .optionCount = sizeof options / sizeof options[0],
    .run = run,
};
