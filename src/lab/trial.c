// A few frames of a scene under other settings, on a copy: the scene is built anew, or taken from a saved state.
#include "lab/advise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SETS 4
#define SET_SIZE 128
#define LOOKS 16 // frames of a trial whose positions are kept, at most

// ---- building -------------------------------------------------------------------------------------------------------

// the caller's sets, then those of the settings
static Scene *readScene(const Ground *ground, const Settings *settings, vvResult *result)
{
    const char *sets[MOST_WORDS + SETS];
    char text[SETS][SET_SIZE];
    int count = 0;
    for (int i = 0; i < ground->setCount; ++i)
        sets[count++] = ground->sets[i];
    if (settings != NULL)
    {
        snprintf(text[0], SET_SIZE, "integrator.method=\"%s\"", settings->method);
        snprintf(text[1], SET_SIZE, "integrator.substeps=%d", settings->substeps);
        snprintf(text[2], SET_SIZE, "integrator.iterations=%d", settings->iterations);
        for (int i = 0; i < 3; ++i)
            sets[count++] = text[i];
    }
    if (settings != NULL && settings->solver != NULL)
    {
        snprintf(text[3], SET_SIZE, "integrator.solver=\"%s\"", settings->solver);
        sets[count++] = text[3];
    }
    return sceneRead(ground->path, ground->anywhere, sets, count, result);
}

void *groundScout(const Ground *ground, int frames, size_t *size, vvResult *result)
{
    void *state = NULL;
    Scene *scene = readScene(ground, NULL, result);
    SceneOptions options = { .threads = ground->threads };
    SceneWorld *built = scene ? sceneBuild(scene, &options, result) : NULL;
    for (int i = 0; built != NULL && result->code == VV_OK && i < frames; ++i)
        *result = sceneStep(built);
    if (built != NULL && result->code == VV_OK)
    {
        *size = vvWorld_GetStateSize(sceneWorldId(built));
        state = memoryAllocate(ground->memory, *size, 1);
        *result = state ? vvWorld_SaveState(sceneWorldId(built), state, *size) : resultOutOfMemory("the saved state");
    }
    sceneRelease(built);
    sceneDestroy(scene);
    return state;
}

// ---- looking --------------------------------------------------------------------------------------------------------

// what is summed while a trial runs
typedef struct Watch
{
    vvLedger first;
    double exchange;   // J
    double low, high;  // J, of numerical
    double kinetic;    // J, summed over frames
    double iterations; // summed over steps looked at
    double seconds;    //
    double *times;     // s, of every frame
    int unconverged;
} Watch;

static void lookAtCells(const SceneWorld *built, Trial *trial, double *cells)
{
    for (int i = 0; i < sceneBodyCount(built); ++i)
    {
        const vvMesh *mesh = vvSoftBody_GetMesh(sceneBody(built, i));
        int tets = vvMesh_GetTetCount(mesh), triangles = vvMesh_GetSurfaceCount(mesh);
        int count = tets > 0 ? tets : triangles > 0 ? triangles : vvMesh_GetEdgeCount(mesh);
        if (vvSoftBody_CopyStretches(sceneBody(built, i), cells).code != VV_OK)
            continue;
        for (int k = 0; k < count; ++k)
        {
            trial->least = minReal(trial->least, cells[k]);
            trial->most = maxReal(trial->most, cells[k]);
        }
    }
}

static size_t mostCells(const SceneWorld *built)
{
    size_t most = 1;
    for (int i = 0; i < sceneBodyCount(built); ++i)
    {
        const vvMesh *mesh = vvSoftBody_GetMesh(sceneBody(built, i));
        int cells = maxInt(vvMesh_GetTetCount(mesh), maxInt(vvMesh_GetSurfaceCount(mesh), vvMesh_GetEdgeCount(mesh)));
        most = cells > (int)most ? (size_t)cells : most;
    }
    return most;
}

static void look(const SceneWorld *built, Trial *trial, Watch *watch)
{
    vvLedger now = vvWorld_GetLedger(sceneWorldId(built));
    vvStatistics statistics = vvWorld_GetStatistics(sceneWorldId(built));
    double stored = maxReal(now.kinetic, now.elastic);
    watch->exchange = maxReal(watch->exchange, maxReal(stored, fabs(now.gravity - watch->first.gravity)));
    watch->low = minReal(watch->low, now.numerical - watch->first.numerical);
    watch->high = maxReal(watch->high, now.numerical - watch->first.numerical);
    watch->kinetic += now.kinetic;
    watch->iterations += statistics.iterations;
    trial->ruled = trial->ruled > 0 ? trial->ruled : statistics.ruledSubsteps;
    trial->mostSubsteps = maxInt(trial->mostSubsteps, statistics.substeps);
    watch->unconverged += !statistics.converged;
    trial->elasticShare = now.elastic + now.kinetic > 0 ? now.elastic / (now.elastic + now.kinetic) : 0;
}

static int byTime(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// the frame in the middle: what other programs take now and then does not count
static double medianTime(double *times, int count)
{
    int skipped = count > 1; // the first prepares
    qsort(times + skipped, (size_t)(count - skipped), sizeof(double), byTime);
    return times[skipped + (count - skipped) / 2];
}

static void conclude(const Scene *scene, const SceneWorld *built, Trial *trial, const Watch *watch)
{
    int frames = maxInt(trial->frames, 1);
    vvLedger now = vvWorld_GetLedger(sceneWorldId(built));
    double scale = watch->exchange > 0 ? 1 / watch->exchange : 0, time = sceneTimestep(scene);
    trial->cost = trial->frames > 0 ? medianTime(watch->times, trial->frames) : 0;
    trial->lost = 0 - watch->low * scale; // 0, not -0
    trial->gained = watch->high * scale;
    trial->iterations = watch->iterations / frames;
    trial->unconverged = (double)watch->unconverged / frames;
    trial->motion = watch->kinetic / frames * scale;
    if (watch->kinetic > 0)
        trial->dampingRate = (now.dissipated - watch->first.dissipated) / (2 * watch->kinetic * time);
}

// room for positions at LOOKS frames and at the start; false: out of memory
static bool prepareLooks(const Ground *ground, const SceneWorld *built, Trial *trial)
{
    trial->bodies = sceneBodyCount(built);
    trial->looks = minInt(ground->frames, LOOKS) + 1;
    trial->vertices = ALLOCATE(ground->memory, int, maxInt(trial->bodies, 1));
    for (int i = 0; i < trial->bodies && trial->vertices != NULL; ++i)
    {
        trial->vertices[i] = vvSoftBody_GetVertexCount(sceneBody(built, i));
        trial->coordinates += 3LL * trial->vertices[i];
    }
    trial->positions = ALLOCATE(ground->memory, double, trial->coordinates * trial->looks);
    return trial->vertices != NULL && trial->positions != NULL;
}

// the last look is at the last frame
static void keepPositions(const Ground *ground, const SceneWorld *built, Trial *trial)
{
    long long spread = trial->looks - 1, frame = trial->frames, look = frame * spread / ground->frames;
    if (frame > 0 && look == (frame - 1) * spread / ground->frames)
        return;
    double *at = trial->positions + look * trial->coordinates;
    for (int i = 0; i < trial->bodies; ++i)
    {
        size_t count = 3 * (size_t)trial->vertices[i];
        memcpy(at, vvSoftBody_GetPositions(sceneBody(built, i)), count * sizeof(double));
        at += count;
    }
}

// ---- running --------------------------------------------------------------------------------------------------------

static vvResult place(const Ground *ground, const Settings *settings, SceneWorld *built)
{
    if (ground->state == NULL)
        return resultOk();
    vvResult result = sceneRestore(built, ground->state, ground->stateSize);
    return result.code == VV_OK ? vvWorld_SetMethod(sceneWorldId(built), settings->method) : result;
}

static void runFrames(const Ground *ground, const Scene *scene, SceneWorld *built, Trial *trial)
{
    double *cells = ALLOCATE(ground->memory, double, mostCells(built));
    double *times = ALLOCATE(ground->memory, double, ground->frames);
    if (cells == NULL || times == NULL || !prepareLooks(ground, built, trial))
        trial->result = resultOutOfMemory("a trial");
    Watch watch = { .first = vvWorld_GetLedger(sceneWorldId(built)) };
    look(built, trial, &watch);
    watch = (Watch){ .first = watch.first, .exchange = watch.exchange, .times = times };
    if (trial->result.code == VV_OK)
        keepPositions(ground, built, trial);
    while (trial->result.code == VV_OK && trial->frames < ground->frames && !trial->slow)
    {
        double since = clockSeconds();
        trial->result = sceneStep(built);
        double seconds = clockLap(&since);
        if (trial->result.code != VV_OK)
            break;
        watch.seconds += seconds;
        times[trial->frames++] = seconds;
        look(built, trial, &watch);
        lookAtCells(built, trial, cells);
        keepPositions(ground, built, trial);
        trial->slow = watch.seconds > ground->most && trial->frames < ground->frames;
    }
    conclude(scene, built, trial, &watch);
    if (trial->result.code != VV_OK || trial->slow)
        trialFree(ground, trial);
    memoryRelease(ground->memory, cells);
    memoryRelease(ground->memory, times);
}

// as under the method of the scene
static vvResult damp(const Ground *ground, SceneWorld *built)
{
    vvResult result = resultOk();
    for (int i = 0; i < sceneBodyCount(built) && ground->damping != NULL && result.code == VV_OK; ++i)
    {
        vvDamping damping = vvSoftBody_GetDamping(sceneBody(built, i));
        bool same = damping.stiffness == ground->damping[i];
        damping.stiffness = ground->damping[i];
        result = same ? result : vvSoftBody_SetDamping(sceneBody(built, i), damping);
    }
    return result;
}

void trialRun(const Ground *ground, const Settings *settings, Trial *trial)
{
    *trial = (Trial){ .settings = *settings, .apart = -1, .least = 1, .most = 1 };
    Scene *scene = readScene(ground, settings, &trial->result);
    SceneOptions options = { .threads = ground->threads };
    SceneWorld *built = scene ? sceneBuild(scene, &options, &trial->result) : NULL;
    if (built != NULL)
        trial->result = damp(ground, built);
    if (built != NULL && trial->result.code == VV_OK)
        trial->result = place(ground, settings, built);
    if (built != NULL && trial->result.code == VV_OK)
        runFrames(ground, scene, built, trial);
    sceneRelease(built);
    sceneDestroy(scene);
}

void trialFree(const Ground *ground, Trial *trial)
{
    memoryRelease(ground->memory, trial->positions);
    memoryRelease(ground->memory, trial->vertices);
    trial->positions = NULL;
    trial->vertices = NULL;
}
