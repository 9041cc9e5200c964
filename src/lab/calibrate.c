// verve calibrate: whether bodies are as stiff and as damped as the scene asks for, under its method, step and
// iterations.
#include "lab/calibrate.h"
#include "tool/guests.h"
#include "tool/ruled.h"

#include "base/base.h"
#include "scene/scene.h"
#include "tool/tool.h"

#include <math.h>
#include <string.h>

#define ADVICE_SIZE 320

typedef struct BodyReport
{
    vvSoftBodyId id;
    int same; // an earlier body of the same matter; -1: none
    Calibration calibration;
    ModesReport modes;
    char advice[ADVICE_SIZE];
    bool asRequested;
} BodyReport;

// ---- words ----------------------------------------------------------------------------------------------------------

static const char *matter(SampleKind kind)
{
    static const char *const words[] = {
        [SAMPLE_BAR] = "bar", [SAMPLE_ROD] = "rod", [SAMPLE_STRIP] = "strip", [SAMPLE_ROPE] = "rope"
    };
    return words[kind];
}

static double requested(const Calibration *c)
{
    return c->sample.raw ? c->stretch.exact : c->sample.def.material.young;
}

// A modulus over the requested one. A rod has the cells of the body, so that what they do is the body's own; a bar has
// too few, and what its mesh does is left out.
static double effective(const Calibration *c, const Pull *pull, double mesh)
{
    return pullRatio(pull) * (c->sample.kind == SAMPLE_ROD && mesh > 0 ? mesh : 1);
}

static void printPull(const Calibration *c, const char *name, const Pull *pull, double mesh)
{
    char how[64], why[200] = "";
    double ratio = effective(c, pull, mesh);
    calibrateDescribe(ratio, how, sizeof how);
    bool told = pull == &c->bend && calibrateMeshAdvice(c, why, sizeof why);
    if (pull->diverged)
        printf("  %-10s diverges\n", name);
    else if (!pull->done)
        printf("  %-10s comes not to rest in the time of this trial\n", name);
    else
        printf("  %-10s Young's modulus %.4g Pa, requested %.4g: %s%s%s%s\n", name, requested(c) * ratio, requested(c),
               how, pull->settled ? "" : ", still moving", told ? "; " : "", why);
}

static void printRelease(const Release *r)
{
    if (r->diverged)
        printf("  released   diverges\n");
    if (!r->done)
        return;
    printf("  released   after being %s: ", r->bent ? "bent" : "stretched");
    if (r->frequency > 0)
        printf("%.4g Hz, exact %.4g; ", r->frequency / (2 * PI), r->exactFrequency / (2 * PI));
    else
        printf("no vibration seen, exact %.4g Hz; ", r->exactFrequency / (2 * PI));
    printf("damping %.3g 1/s, requested %.3g: the numerics %s %.3g\n", r->rate, r->exactRate,
           r->numericalRate < 0 ? "give" : "take", fabs(r->numericalRate));
}

static void printRate(const ModeReport *mode)
{
    double rate = modeRate(mode);
    if (isnan(rate))
        return;
    printf("; damping %.3g 1/s", rate);
    if (!isnan(mode->exactRate))
        printf(", requested %.3g", mode->exactRate);
}

static void printLoaded(const Calibration *c, const Loaded *loaded)
{
    char how[64];
    if (!loaded->known)
        return;
    calibrateDescribe(1 / loaded->ratio, how, sizeof how);
    printf("; loaded from rest ");
    if (!c->sample.raw)
        printf("%.4g Pa, ", requested(c) / loaded->ratio);
    printf("%s", how);
    if (!loaded->settled)
        printf(" after %.3g s, still moving", loaded->time);
}

static void printModes(const Calibration *c, const ModesReport *modes)
{
    for (int k = 0; k < modes->count; ++k)
    {
        const ModeReport *mode = &modes->mode[k];
        const Swing *swing = &mode->swing;
        printf("  %-10s ", vibrationWord(mode->kind));
        if (swing->diverged)
            printf("diverges, exact %.4g Hz", mode->exactFrequency / (2 * PI));
        else if (!swing->known)
            printf("no one frequency seen, exact %.4g Hz", mode->exactFrequency / (2 * PI));
        else if (!(swing->frequency > 0))
            printf("does not swing, exact %.4g Hz", mode->exactFrequency / (2 * PI));
        else
            printf("%.4g Hz, exact %.4g (%+.2f %%)", swing->frequency / (2 * PI), mode->exactFrequency / (2 * PI),
                   100 * (swing->frequency / mode->exactFrequency - 1));
        printRate(mode);
        printLoaded(c, &mode->loaded);
        printf("\n");
    }
}

static void printMesh(const Calibration *c)
{
    char how[64];
    if (!(c->meshStretch > 0))
        return;
    calibrateDescribe(c->meshStretch, how, sizeof how);
    printf("  mesh       stretched %s", how);
    if (c->meshCompress > 0)
    {
        calibrateDescribe(c->meshCompress, how, sizeof how);
        printf(", compressed %s", how);
    }
    if (c->meshBend > 0)
    {
        calibrateDescribe(c->meshBend, how, sizeof how);
        printf(", bent %s", how);
        if (sampleIsSolid(&c->sample))
            printf(" at %d cells across", c->sample.across);
    }
    printf(": any method's, %scounted above\n", c->sample.kind == SAMPLE_ROD ? "" : "not ");
}

static void printSample(const Sample *sample, const char *before)
{
    if (sample->kind != SAMPLE_ROD)
        printf("%sa %s of %d cells of %.4g m\n", before, matter(sample->kind), SAMPLE_CELLS, sample->edge);
    else
    {
        printf("%sa rod filled like the body, %d cells of %.4g m across", before, sample->across, sample->edge);
        if (fabs(sample->bodyAcross - sample->across) > 1)
            printf(" (the body: about %.3g)", sample->bodyAcross);
        printf(", %d times as long\n", ROD_LENGTH);
    }
}

static void printBody(const BodyReport *bodies, int index)
{
    const BodyReport *body = &bodies[index];
    const Calibration *c = &body->calibration;
    printf("body %s: ", shown(vvSoftBody_GetName(body->id)));
    if (body->same >= 0)
    {
        printf("the same matter as %s\n", shown(vvSoftBody_GetName(bodies[body->same].id)));
        return;
    }
    if (body->modes.count > 0)
        printf("its lowest vibrations, in %s of %.4g s\n", c->manner.substeps > 1 ? "substeps" : "steps",
               c->manner.step / c->manner.substeps);
    printModes(c, &body->modes);
    printSample(&c->sample, body->modes.count > 0 ? "  sample     " : "");
    printf("  Courant    %.3g: sound at %.4g m/s, %s of %.4g s\n", c->courant, c->sample.speed,
           c->manner.substeps > 1 ? "substeps" : "steps", c->manner.step / c->manner.substeps);
    printPull(c, "stretched", &c->stretch, c->meshStretch);
    if (sampleIsSolid(&c->sample))
        printPull(c, "compressed", &c->compress, c->meshCompress);
    if (c->bends)
        printPull(c, "bent", &c->bend, c->meshBend);
    else
        printf("  bent       resists no bending, or too little to measure\n");
    printRelease(&c->release);
    printMesh(c);
    printf("  advice: %s\n", body->advice);
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static void printNumber(const char *key, double value, bool known)
{
    printJsonPair(stdout, ",\n      ", key, known ? value : NAN);
}

static void printModesJson(const Calibration *c, const ModesReport *modes)
{
    printf(",\n      \"modes\": [");
    for (int k = 0; k < modes->count; ++k)
    {
        const ModeReport *mode = &modes->mode[k];
        const Loaded *loaded = &mode->loaded;
        printf("%s\n        { \"kind\": \"%s\"", k > 0 ? "," : "", vibrationWord(mode->kind));
        printJsonPair(stdout, ", ", "frequency", mode->swing.known ? mode->swing.frequency : NAN);
        printJsonPair(stdout, ", ", "exactFrequency", mode->exactFrequency);
        printJsonPair(stdout, ", ", "damping", modeRate(mode));
        printJsonPair(stdout, ", ", "requestedDamping", mode->exactRate);
        printJsonPair(stdout, ", ", "young", loaded->known && !c->sample.raw ? requested(c) / loaded->ratio : NAN);
        printJsonPair(stdout, ", ", "deflection", loaded->known ? loaded->ratio : NAN);
        printf(", \"settled\": %s, \"diverged\": %s }", loaded->settled ? "true" : "false",
               mode->swing.diverged || loaded->diverged ? "true" : "false");
    }
    printf("%s]", modes->count > 0 ? "\n      " : "");
}

static bool isSettled(const Calibration *c)
{
    return c->stretch.settled && (!sampleIsSolid(&c->sample) || c->compress.settled) && (!c->bends || c->bend.settled);
}

static void printBodyJson(const BodyReport *bodies, int index)
{
    const BodyReport *body = &bodies[index], *whole = body->same >= 0 ? &bodies[body->same] : body;
    const Calibration *c = &whole->calibration;
    const Release *r = &c->release;
    printf("%s\n    { \"name\": ", index > 0 ? "," : "");
    printJsonString(stdout, vvSoftBody_GetName(body->id));
    printf(", \"sample\": \"%s\"", matter(c->sample.kind));
    printNumber("edge", c->sample.edge, true);
    printNumber("across", c->sample.across, c->sample.across > 0);
    printNumber("soundSpeed", c->sample.speed, true);
    printNumber("courant", c->courant, true);
    printNumber("substeps", c->manner.substeps, true);
    printNumber("young", requested(c), true);
    printNumber("youngStretched", requested(c) * effective(c, &c->stretch, c->meshStretch), c->stretch.done);
    printNumber("youngCompressed", requested(c) * effective(c, &c->compress, c->meshCompress), c->compress.done);
    printNumber("youngBent", requested(c) * effective(c, &c->bend, c->meshBend), c->bend.done);
    printNumber("frequency", r->frequency, r->done && r->frequency > 0);
    printNumber("exactFrequency", r->exactFrequency, true);
    printNumber("damping", r->rate, r->done);
    printNumber("requestedDamping", r->exactRate, true);
    printNumber("numericalDamping", r->numericalRate, r->done);
    printNumber("meshStretched", c->meshStretch, c->meshStretch > 0);
    printNumber("meshCompressed", c->meshCompress, c->meshCompress > 0);
    printNumber("meshBent", c->meshBend, c->meshBend > 0);
    printModesJson(c, &body->modes);
    printf(",\n      \"diverged\": %s, \"settled\": %s, \"asRequested\": %s, \"advice\": ",
           c->diverged ? "true" : "false", isSettled(c) ? "true" : "false", whole->asRequested ? "true" : "false");
    printJsonString(stdout, whole->advice);
    printf(" }");
}

// what is measured of rigid bodies and fluids
typedef struct Guests
{
    RigidReport rigid;
    int fluidCount;
    FluidReport fluid[MOST_FLUID_REPORTS];
} Guests;

static void printAll(const Scene *scene, const BodyReport *bodies, int count, const Guests *guests, double step,
                     bool json)
{
    if (json)
    {
        printf("{\n  \"name\": ");
        printJsonString(stdout, sceneName(scene));
        printf(", \"method\": \"%s\"", sceneMethod(scene));
        printJsonPair(stdout, ", ", "step", step);
        printf(",\n  \"bodies\": [");
    }
    else
        printf("%s: %s, steps of %.6g s\n", shown(sceneName(scene)), sceneMethod(scene), step);
    for (int i = 0; i < count; ++i)
    {
        if (json)
            printBodyJson(bodies, i);
        else
            printBody(bodies, i);
    }
    if (json)
        printf("\n  ]");
    calibrateGuestsPrint(&guests->rigid, guests->fluid, guests->fluidCount, json);
    if (json)
        printf("\n}\n");
    else if (count + guests->rigid.bodies + guests->fluidCount == 0)
        printf("  nothing to calibrate: the scene has neither bodies nor fluids\n");
}

// ---- the command ----------------------------------------------------------------------------------------------------

// of the same matter, and every vibration is the same
static bool isSame(const BodyReport *a, const BodyReport *b)
{
    bool same = sampleSame(&a->calibration.sample, &b->calibration.sample) && a->modes.count == b->modes.count &&
                a->modes.substeps == b->modes.substeps;
    for (int k = 0; same && k < a->modes.count; ++k)
        same = a->modes.mode[k].exactFrequency == b->modes.mode[k].exactFrequency;
    return same;
}

static vvResult calibrateBody(const Scene *scene, const SceneWorld *built, const Manner *manner, const Ruled *ruled,
                              BodyReport *bodies, int index)
{
    BodyReport *report = &bodies[index];
    *report = (BodyReport){ .id = sceneBody(built, index), .same = -1 };
    vvMesh *mesh = (vvMesh *)(uintptr_t)vvSoftBody_GetMesh(report->id); // only read
    vvSoftBodyDef def = sceneBodyDef(scene, index, mesh);
    def.damping = vvSoftBody_GetDamping(report->id); // its material's, by the size of the body and not of the sample
    vvResult result = calibrateModes(scene, index, ruled->each[index].ruled, &report->modes);
    if (result.code != VV_OK)
        return result;
    report->calibration.sample = sampleOf(&def, sceneIsFilled(scene, index));
    for (int i = 0; i < index && report->same < 0; ++i)
    {
        if (bodies[i].same < 0 && isSame(report, &bodies[i]))
            report->same = i;
    }
    if (report->same >= 0)
        return resultOk();
    Manner own = *manner; // the sample in the body's substeps
    Sample sample = report->calibration.sample;
    if (vvMethod_HasSubsteps(own.world.method) && own.world.substeps == 0)
        own.world.substeps = report->modes.substeps;
    result = calibrateSample(&sample, &own, &report->calibration);
    if (result.code != VV_OK)
        return resultMake(result.code, result.remedy, "a sample of bodies[%d]: %s", index, result.message);
    report->asRequested =
        !calibrateAdvice(scene, &report->calibration, &report->modes, report->advice, sizeof report->advice);
    if (report->asRequested)
        snprintf(report->advice, sizeof report->advice, "as requested, within %g %%%s",
                 100 * calibrateAllowed(&report->calibration), sample.kind == SAMPLE_ROD ? " by the method" : "");
    return result;
}

static vvResult calibrateGuests(const Scene *scene, const SceneWorld *built, const Manner *manner, Guests *guests)
{
    vvFluidId fluid[MOST_FLUID_REPORTS];
    vvWorldId world = sceneWorldId(built);
    guests->fluidCount = minInt(vvWorld_GetFluids(world, fluid, MOST_FLUID_REPORTS), MOST_FLUID_REPORTS);
    vvResult result = calibrateRigid(manner, world, &guests->rigid);
    for (int i = 0; i < guests->fluidCount && result.code == VV_OK; ++i)
    {
        vvFluidDef def = sceneFluidDef(scene, i);
        result = calibrateFluid(manner, &def, guestsHeight(fluid[i]), &guests->fluid[i]);
    }
    return result;
}

static int report(const Scene *scene, const SceneWorld *built, bool json)
{
    Memory memory = memoryMake(NULL);
    int count = sceneBodyCount(built);
    BodyReport *bodies = ALLOCATE(&memory, BodyReport, count);
    Ruled ruled = { .each = ALLOCATE(&memory, vvSubsteps, maxInt(count, 1)) };
    vvTableau tableau;
    Manner manner = { .step = sceneTimestep(scene) / sceneSubsteps(scene) };
    bool ready = bodies != NULL && ruled.each != NULL;
    vvResult result = ready ? sceneWorldDef(scene, &manner.world, &tableau) : resultOutOfMemory("the report");
    if (result.code == VV_OK && count > 0 && vvMethod_HasSubsteps(manner.world.method))
        result = ruledOf(scene, &ruled);
    for (int i = 0; i < count && result.code == VV_OK; ++i)
        result = calibrateBody(scene, built, &manner, &ruled, bodies, i);
    Guests guests = { 0 };
    if (result.code == VV_OK)
        result = calibrateGuests(scene, built, &manner, &guests);
    if (result.code == VV_OK)
        printAll(scene, bodies, count, &guests, manner.step, json);
    memoryRelease(&memory, ruled.each);
    memoryRelease(&memory, bodies);
    return result.code == VV_OK ? EXIT_DONE : complain(&calibrateCommand, &result);
}

static int calibrate(const Words *words, Scene *scene, const OpenedScene *opened)
{
    (void)opened;
    vvResult result;
    SceneOptions options = { .threads = 1 };
    SceneWorld *built = sceneBuild(scene, &options, &result);
    int code = built ? report(scene, built, wordsHas(words, "--json")) : complain(&calibrateCommand, &result);
    sceneRelease(built);
    return code;
}

static int run(const char *program, int count, char **words)
{
    (void)program;
    return runOnScene(&calibrateCommand, count, words, calibrate);
}

static const Option options[] = {
    { "--set", "PATH=VALUE", "change a key of the scene, such as integrator.substeps=40; may be repeated" },
    { "--allow-outside", NULL, "let the scene read mesh files outside its folder and VERVE_MESH_DIR" },
    { "--json", NULL, "print JSON" },
};

const Command calibrateCommand = {
    .name = "calibrate",
    .summary = "measure whether bodies are as stiff and as damped as their materials say",
    .usage = "SCENE",
    .about =
        "Lets every body swing in its lowest vibrations (torsion, bending, stretching, shear) with the scene's\n"
        "method, steps and substeps, and loads it from rest: frequency, damping and Young's modulus, exact and as\n"
        "they come out. Then takes a sample of its material with cells of the same size, stretches, compresses,\n"
        "bends and releases it, and compares the result with the static solution and with small converged steps on\n"
        "the same mesh. Says what would help. The sample of a filled surface, a model or a mesh file is a rod that is\n"
        "filled in the same way with as many cells across as the body has, and its mesh counts; elsewhere the error\n"
        "of the mesh itself is reported separately. Of rigid bodies it measures sliding, rebound, the period of a\n"
        "pendulum and what joints give way by, of fluids what their weight compresses. Nothing is written.",
    .example = "verve calibrate swing --set integrator.method=small-steps --set integrator.substeps=20",
    .options = options,
    .optionCount = sizeof options / sizeof options[0],
    .run = run,
};
