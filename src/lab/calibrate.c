// verve calibrate: whether bodies are as stiff and as damped as the scene asks for, under its method, step and
// iterations.
#include "lab/calibrate.h"

#include "base/base.h"
#include "scene/scene.h"
#include "tool/tool.h"

#include <math.h>
#include <string.h>

#define COURANT 0.3 // below, one sweep a substep is within LOOSE
#define LOOSE 0.05  // 1, what the modulus may be off, of small steps and explicit methods
#define TIGHT 0.02  // of converged implicit methods
#define ADVICE_SIZE 320

typedef struct BodyReport
{
    vvSoftBodyId id;
    int same; // an earlier body of the same matter; -1: none
    Calibration calibration;
    char advice[ADVICE_SIZE];
    bool asRequested;
} BodyReport;

// ---- advice ---------------------------------------------------------------------------------------------------------

static bool isSmallSteps(const Calibration *c)
{
    return strcmp(c->manner.world.method, "small-steps") == 0;
}

static double allowed(const Calibration *c)
{
    return isSmallSteps(c) || vvMethod_IsExplicit(c->manner.world.method) ? LOOSE : TIGHT;
}

// of stretching and bending, the ratio further from 1; NaN: neither was measured
static double worstRatio(const Calibration *c)
{
    double a = pullRatio(&c->stretch), b = pullRatio(&c->bend);
    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    return fabs(log(a)) >= fabs(log(b)) ? a : b;
}

static void describeRatio(double ratio, char *text, size_t size)
{
    if (fabs(ratio - 1) < 1e-4)
        snprintf(text, size, "within 0.01 %%");
    else if (ratio < 1 / 1.5)
        snprintf(text, size, "%.2g times too soft", 1 / ratio);
    else if (ratio > 1.5)
        snprintf(text, size, "%.2g times too stiff", ratio);
    else
        snprintf(text, size, "%.2g %% too %s", 100 * fabs(ratio - 1), ratio < 1 ? "soft" : "stiff");
}

// The softness of one sweep grows with the square of the Courant number at least: where 0.3 is not enough for LOOSE, as
// with much damping, what is.
static double courantWanted(const Calibration *c, double ratio)
{
    double softness = 1 / ratio - 1, wanted = COURANT;
    if (softness > 0)
        wanted = minReal(wanted, c->courant * sqrt(0.9 * LOOSE / softness));
    return wanted;
}

static int substepsFor(const Calibration *c, double courant)
{
    double wanted = ceil(c->courant * c->manner.substeps / courant * (1 - 1e-9));
    return (int)minReal(wanted, (double)VV_MAX_SUBSTEPS + 1);
}

// small steps: the Courant number decides
static void adviseSubsteps(const Calibration *c, double ratio, char *text, size_t size)
{
    char how[64];
    describeRatio(ratio, how, sizeof how);
    bool off = !(fabs(ratio - 1) <= LOOSE);
    double wanted = courantWanted(c, ratio);
    if (c->courant > COURANT && substepsFor(c, wanted) > VV_MAX_SUBSTEPS)
        snprintf(text, size, "small-steps at Courant %.2g is %s, and no number of substeps is enough: small-midpoint",
                 c->courant, how);
    else if (c->courant > COURANT && off)
        snprintf(text, size, "small-steps at Courant %.2g is %s: %d substeps bring it below %.2g", c->courant, how,
                 substepsFor(c, wanted), wanted);
    else if (c->courant > COURANT)
        snprintf(
            text, size,
            "within %g %% here, but small-steps at Courant %.2g is outside what is sure: %d substeps bring it below "
            "%.1g",
            100 * LOOSE, c->courant, substepsFor(c, COURANT), COURANT);
    else if (off && c->sample.def.damping.stiffness + c->sample.def.damping.spring > 0)
        snprintf(text, size, "%s at Courant %.2g: its damping is more than one sweep can carry; more substeps, or less",
                 how, c->courant);
    else if (off)
        snprintf(text, size, "small-steps at Courant %.2g is %s: %d substeps bring it below %.2g", c->courant, how,
                 substepsFor(c, wanted), wanted);
}

static void adviseDivergence(const Calibration *c, char *text, size_t size)
{
    const char *other = adviseMethod(c->manner.world.method);
    double limit = 0.5 * vvMethod_GetLimit(c->manner.world.method) * c->stableStep;
    if (vvMethod_IsExplicit(c->manner.world.method) && limit > 0 && isfinite(limit))
        snprintf(text, size, "%s diverges: steps of %.3g s, its limit is %.3g s; shorter ones, or small-midpoint",
                 c->manner.world.method, c->manner.step, limit);
    else
        snprintf(text, size, "%s diverges with steps of %.3g s; smaller ones%s%s", c->manner.world.method,
                 c->manner.step, other ? ", or " : "", other ? other : "");
}

static void adviseMotion(const Calibration *c, char *text, size_t size)
{
    const Release *r = &c->release;
    double square = r->frequency / r->exactFrequency * (r->frequency / r->exactFrequency);
    char how[64];
    describeRatio(square, how, sizeof how);
    if (r->numericalRate > maxReal(0.1 * r->exactRate, 0.01 * r->exactFrequency))
        snprintf(
            text, size,
            "the numerics take %.3g 1/s of a vibration of %.3g Hz, asked for was %.3g 1/s: smaller steps, or a method "
            "that keeps energy",
            r->numericalRate, r->exactFrequency / (2 * PI), r->exactRate);
    else if (-r->numericalRate > maxReal(0.1 * r->exactRate, 0.01 * r->exactFrequency))
        snprintf(text, size, "the numerics feed a vibration of %.3g Hz at %.3g 1/s: smaller steps",
                 r->exactFrequency / (2 * PI), -r->numericalRate);
    else if (r->frequency > 0 && fabs(square - 1) > LOOSE)
        snprintf(text, size, "it vibrates at %.3g Hz instead of %.3g, as if %s: %s", r->frequency / (2 * PI),
                 r->exactFrequency / (2 * PI), how,
                 c->manner.step / c->manner.substeps * r->exactFrequency > 0.5 ? "the step is too long to see it"
                                                                               : "smaller steps, or more iterations");
}

static void advise(BodyReport *report)
{
    const Calibration *c = &report->calibration;
    char *text = report->advice;
    size_t size = sizeof report->advice;
    double ratio = worstRatio(c);
    char how[64];
    text[0] = '\0';
    if (c->diverged)
        adviseDivergence(c, text, size);
    else if (isnan(ratio))
        snprintf(text, size, "nothing came to rest: larger steps, or fewer substeps");
    else if (isSmallSteps(c))
        adviseSubsteps(c, ratio, text, size);
    else if (!(fabs(ratio - 1) <= allowed(c)))
    {
        describeRatio(ratio, how, sizeof how);
        snprintf(text, size, "%s: more iterations, or the solver newton", how);
    }
    if (text[0] == '\0' && c->release.done)
        adviseMotion(c, text, size);
    report->asRequested = text[0] == '\0';
    if (report->asRequested)
        snprintf(text, size, "as requested, within %g %%", 100 * allowed(c));
}

// ---- words ----------------------------------------------------------------------------------------------------------

static const char *matter(SampleKind kind)
{
    return kind == SAMPLE_BAR ? "bar" : kind == SAMPLE_STRIP ? "strip" : "rope";
}

static double requested(const Calibration *c)
{
    return c->sample.raw ? c->stretch.exact : c->sample.def.material.young;
}

static void printPull(const Calibration *c, const char *name, const Pull *pull)
{
    char how[64];
    describeRatio(pullRatio(pull), how, sizeof how);
    if (pull->diverged)
        printf("  %-10s diverges\n", name);
    else if (!pull->done)
        printf("  %-10s comes not to rest in the time of this trial\n", name);
    else
        printf("  %-10s Young's modulus %.4g Pa, requested %.4g: %s\n", name, requested(c) * pullRatio(pull),
               requested(c), how);
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

static void printMesh(const Calibration *c)
{
    char how[64];
    if (!(c->meshStretch > 0))
        return;
    describeRatio(c->meshStretch, how, sizeof how);
    printf("  mesh       stretched %s", how);
    if (c->meshBend > 0)
    {
        describeRatio(c->meshBend, how, sizeof how);
        printf(", bent %s", how);
        if (c->sample.kind == SAMPLE_BAR)
            printf(" at %d cells across", c->sample.across);
    }
    printf(": any method's, not counted above\n");
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
    printf("a %s of %d cells of %.4g m\n", matter(c->sample.kind), SAMPLE_CELLS, c->sample.edge);
    printf("  Courant    %.3g: sound at %.4g m/s, %s of %.4g s\n", c->courant, c->sample.speed,
           c->manner.substeps > 1 ? "substeps" : "steps", c->manner.step / c->manner.substeps);
    printPull(c, "stretched", &c->stretch);
    if (c->bends)
        printPull(c, "bent", &c->bend);
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

static void printBodyJson(const BodyReport *bodies, int index)
{
    const BodyReport *body = &bodies[index], *whole = body->same >= 0 ? &bodies[body->same] : body;
    const Calibration *c = &whole->calibration;
    const Release *r = &c->release;
    printf("%s\n    { \"name\": ", index > 0 ? "," : "");
    printJsonString(stdout, vvSoftBody_GetName(body->id));
    printf(", \"sample\": \"%s\"", matter(c->sample.kind));
    printNumber("edge", c->sample.edge, true);
    printNumber("soundSpeed", c->sample.speed, true);
    printNumber("courant", c->courant, true);
    printNumber("substeps", c->manner.substeps, true);
    printNumber("young", requested(c), true);
    printNumber("youngStretched", requested(c) * pullRatio(&c->stretch), c->stretch.done);
    printNumber("youngBent", requested(c) * pullRatio(&c->bend), c->bend.done);
    printNumber("frequency", r->frequency, r->done && r->frequency > 0);
    printNumber("exactFrequency", r->exactFrequency, true);
    printNumber("damping", r->rate, r->done);
    printNumber("requestedDamping", r->exactRate, true);
    printNumber("numericalDamping", r->numericalRate, r->done);
    printNumber("meshStretched", c->meshStretch, c->meshStretch > 0);
    printNumber("meshBent", c->meshBend, c->meshBend > 0);
    printf(
        ",\n      \"diverged\": %s, \"settled\": %s, \"asRequested\": %s, \"advice\": ", c->diverged ? "true" : "false",
        c->stretch.settled && (!c->bends || c->bend.settled) ? "true" : "false", whole->asRequested ? "true" : "false");
    printJsonString(stdout, whole->advice);
    printf(" }");
}

static void printAll(const Scene *scene, const BodyReport *bodies, int count, double step, bool json)
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
        printf("\n  ]\n}\n");
}

// ---- the command ----------------------------------------------------------------------------------------------------

static vvResult calibrateBody(const Scene *scene, const SceneWorld *built, const Manner *manner, BodyReport *bodies,
                              int index)
{
    BodyReport *report = &bodies[index];
    report->id = sceneBody(built, index);
    report->same = -1;
    vvMesh *mesh = (vvMesh *)(uintptr_t)vvSoftBody_GetMesh(report->id); // only read
    vvSoftBodyDef def = sceneBodyDef(scene, index, mesh);
    Sample sample = sampleOf(&def);
    for (int i = 0; i < index && report->same < 0; ++i)
    {
        if (bodies[i].same < 0 && sampleSame(&sample, &bodies[i].calibration.sample))
            report->same = i;
    }
    if (report->same >= 0)
        return resultOk();
    vvResult result = calibrateSample(&sample, manner, &report->calibration);
    if (result.code != VV_OK)
        return resultMake(result.code, result.remedy, "a sample of bodies[%d]: %s", index, result.message);
    advise(report);
    return result;
}

static int report(const Scene *scene, const SceneWorld *built, bool json)
{
    Memory memory = memoryMake(NULL);
    int count = sceneBodyCount(built);
    BodyReport *bodies = ALLOCATE(&memory, BodyReport, count);
    vvTableau tableau;
    Manner manner = { .step = sceneTimestep(scene) / sceneSubsteps(scene) };
    vvResult result = bodies ? sceneWorldDef(scene, &manner.world, &tableau) : resultOutOfMemory("the report");
    for (int i = 0; i < count && result.code == VV_OK; ++i)
        result = calibrateBody(scene, built, &manner, bodies, i);
    if (result.code == VV_OK)
        printAll(scene, bodies, count, manner.step, json);
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
        "Takes a sample of every body's material with cells of the same size, stretches, bends and releases it\n"
        "under the scene's method, step and iterations, and compares the result with the static solution and with\n"
        "small converged steps on the same mesh. Reports Young's modulus and damping, requested and effective,\n"
        "the numerical damping, the Courant number, and what would help. The error of the mesh itself is reported\n"
        "separately. Nothing is written.",
    .example = "verve calibrate swing --set integrator.method=small-steps --set integrator.substeps=20",
    .options = options,
    .optionCount = sizeof options / sizeof options[0],
    .run = run,
};
