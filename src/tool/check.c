// verve check: what a scene will be, and whether its step suits it, before anything runs.
#include "tool/guests.h"
#include "tool/tool.h"

#include "base/base.h"
#include "scene/scene.h"
#include "tool/notes.h"
#include "tool/ruled.h"

#include <math.h>
#include <string.h>

#define SOFT 1.05 // times: what nobody minds

// What is known about one body before the first step.
typedef struct BodyReport
{
    vvSoftBodyId id;
    const char *name;
    int vertices, elements;
    const char *element; // what an element is: "tets", "springs"
    double mass, size;   // kg, m
    double contact;      // N/m^3; 0: the scene has no colliders
    vvExamination examination;
    double kept;     // 1, of the amplitude of the first mode after one step of backward Euler
    double halfLife; // s, of that amplitude; 0: there is no such mode
} BodyReport;

typedef struct Report
{
    const Scene *scene;
    const SceneWorld *built;
    double step;  // s
    double limit; // 1, of h omega; INFINITY: none
    vvStatistics statistics;
    Ruled ruled;             // of the first step; none where that failed
    size_t bytes, peakBytes; // of meshes and the world: now, and the most while they were made and examined
} Report;

// ---- finding out ----------------------------------------------------------------------------------------------------

static vvResult examineBody(vvSoftBodyId id, double step, BodyReport *report)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(id);
    *report = (BodyReport){ .id = id,
                            .name = vvSoftBody_GetName(id),
                            .vertices = vvMesh_GetVertexCount(mesh),
                            .elements = elementCount(id),
                            .element = elementWords(id)->many,
                            .mass = vvSoftBody_GetMass(id),
                            .size = vvMesh_GetSize(mesh),
                            .contact = vvSoftBody_GetContactStiffness(id) };
    vvResult result = vvSoftBody_Examine(id, &report->examination);
    // backward Euler on an oscillator of frequency w: |1 / (1 - i w h)| per step
    double turn = report->examination.lowestFrequency * step;
    report->kept = 1 / sqrt(1 + turn * turn);
    if (turn > 0)
        report->halfLife = step * log(2) / (0.5 * log1p(turn * turn));
    return result;
}

// The world is not used afterwards.
static void tryStep(const Scene *scene, SceneWorld *built, Ruled *ruled)
{
    bool divides = vvMethod_HasSubsteps(sceneMethod(scene));
    bool iterates = vvMethod_HasSolver(sceneMethod(scene)) && strcmp(sceneSolver(scene), "local-global") == 0;
    ruled->softness = 1;
    if (divides || iterates)
        (void)ruledTry(built, ruled); // a step that fails is for the run to tell
}

// s, INFINITY: any. stableStep is the leapfrog's, 2 / omega where nothing is damped
static double stepLimit(const Report *report, const BodyReport *body)
{
    double leapfrog = body->examination.stableStep;
    return report->limit < INFINITY && leapfrog > 0 ? 0.5 * report->limit * leapfrog : INFINITY;
}

static bool tooLarge(const Report *report, const BodyReport *body)
{
    return report->step > stepLimit(report, body);
}

// ---- words ----------------------------------------------------------------------------------------------------------

static void printBody(const Report *report, const BodyReport *body)
{
    const vvExamination *e = &body->examination;
    printf("body %s\n", shown(body->name));
    printf("  %d vertices, %d %s, %.4g kg, %.4g m\n", body->vertices, body->elements, body->element, body->mass,
           body->size);
    if (e->stiffestElement >= 0)
        printf("  stiffest element   %d of the %s, %.4g rad/s (%.4g Hz) alone\n", e->stiffestElement, body->element,
               e->elementFrequency, e->elementFrequency / (2 * PI));
    if (isfinite(e->stableStep))
        printf("  highest frequency  %.4g rad/s (%.4g Hz): explicit methods need steps below %.4g s\n",
               e->highestFrequency, e->highestFrequency / (2 * PI), e->stableStep);
    else
        printf("  highest frequency  none: nothing of it can vibrate\n");
    if (e->lowestFrequency > 0 && isfinite(body->halfLife))
        printf("  lowest frequency   %.4g rad/s (%.4g Hz): backward Euler keeps %.4g %% of its amplitude per step and "
               "halves it in %.4g s\n",
               e->lowestFrequency, e->lowestFrequency / (2 * PI), 100 * body->kept, body->halfLife);
    else if (e->lowestFrequency > 0)
        printf("  lowest frequency   %.4g rad/s (%.4g Hz): backward Euler keeps all of its amplitude\n",
               e->lowestFrequency, e->lowestFrequency / (2 * PI));
    if (sceneColliderCount(report->built) > 0)
        printf("  contact stiffness  %.4g N/m^3\n", body->contact);
    if (e->invertedCount > 0)
        printf("  warning: %d tets are inverted at the start\n", e->invertedCount);
    if (tooLarge(report, body) && report->limit == 0)
        printf("  warning: %s makes undamped motion grow at any step; --method verlet or small-midpoint\n",
               sceneMethod(report->scene));
    else if (tooLarge(report, body))
    {
        char remedy[64];
        adviseSteps(sceneTimestep(report->scene), stepLimit(report, body), remedy, sizeof remedy);
        printf("  warning: the step is %.4g s, above the limit of %s; %s, or --method small-midpoint\n", report->step,
               sceneMethod(report->scene), remedy);
    }
}

static void printRuled(const Report *report)
{
    const Ruled *ruled = &report->ruled;
    if (ruled->most == 0)
        return;
    printf("  the first step takes %d substep%s of %.4g s", ruled->most, ruled->most == 1 ? "" : "s",
           report->step / ruled->most);
    if (ruled->least < ruled->most)
        printf(", some bodies %d", ruled->least);
    if (ruled->taken > ruled->most)
        printf("; it gains energy or leaves motion unresolved, and is taken again in %d", ruled->taken);
    printf("\n");
}

static void printWorld(const Report *report)
{
    const Scene *scene = report->scene;
    printf("%s%s%s\n", shown(sceneName(scene)), sceneDescription(scene)[0] ? ": " : "", shown(sceneDescription(scene)));
    char method[160];
    nameMethod(scene, method, sizeof method);
    printf("  %s, steps of %.6g s, %d a frame, %d frames, %.6g s simulated\n", method, report->step,
           sceneSubsteps(scene), sceneFrames(scene), sceneFrames(scene) * sceneTimestep(scene));
    printRuled(report);
    if (report->ruled.softness > SOFT)
        printf("  warning: at these iterations a body creeps, or is up to %.3g times too soft: more of them, --set "
               "integrator.modes=true, integrator.accelerate=true or integrator.solver=newton\n",
               report->ruled.softness);
    noteSettings(&(Notes){ .out = stdout, .before = "  " }, scene);
    const vvStatistics *counts = &report->statistics;
    printf("  bodies %d, vertices %d, attachments %d, colliders %d, islands %d, %.3g MB before the first step (%.3g MB "
           "at once to examine it)\n",
           counts->bodyCount, counts->vertexCount, counts->attachmentCount, counts->colliderCount, counts->islandCount,
           (double)report->bytes / 1e6, (double)report->peakBytes / 1e6);
    guestsPrint(sceneWorldId(report->built), report->step);
}

static void printColliders(const SceneWorld *built)
{
    for (int i = 0; i < sceneColliderCount(built); ++i)
    {
        double stiffness = sceneColliderNumber(built, i, "stiffness"), each;
        each = sceneColliderNumber(built, i, "vertexStiffness");
        printf("collider %d: %s, friction %.4g, restitution %.4g, ", i, sceneColliderKind(built, i),
               sceneColliderNumber(built, i, "friction"), sceneColliderNumber(built, i, "restitution"));
        if (each > 0)
            printf("stiffness %.4g N/m a vertex\n", each);
        else if (stiffness > 0)
            printf("stiffness %.4g N/m^3\n", stiffness);
        else
            printf("stiffness of the body\n");
    }
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

// 0: there are none to tell
static void printSubstepsJson(const char *before, const char *key, int count)
{
    printJsonPair(stdout, before, key, count > 0 ? (double)count : (double)NAN);
}

static void printBodyJson(const Report *report, const BodyReport *body, int index)
{
    const vvExamination *e = &body->examination;
    printf("%s\n    { \"name\": ", index == 0 ? "" : ",");
    printJsonString(stdout, body->name);
    printf(", \"vertices\": %d, \"elements\": %d, \"element\": \"%s\"", body->vertices, body->elements, body->element);
    printJsonPair(stdout, ", ", "mass", body->mass);
    printJsonPair(stdout, ", ", "size", body->size);
    printf(",\n      \"stiffestElement\": %d", e->stiffestElement);
    printJsonPair(stdout, ", ", "elementFrequency", e->elementFrequency);
    printJsonPair(stdout, ", ", "highestFrequency", e->highestFrequency);
    printJsonPair(stdout, ",\n      ", "lowestFrequency", e->lowestFrequency);
    printJsonPair(stdout, ", ", "stableStep", e->stableStep);
    printf(", \"invertedCount\": %d", e->invertedCount);
    printJsonPair(stdout, ",\n      ", "amplitudePerStep", body->kept);
    printJsonPair(stdout, ", ", "halfLife", body->halfLife);
    printJsonPair(stdout, ", ", "contactStiffness", body->contact);
    printSubstepsJson(", ", "substeps", report->ruled.each[index].ruled);
    printf(", \"stepTooLarge\": %s", tooLarge(report, body) ? "true" : "false");
    noteSceneJson(stdout, report->built, index);
    printf(" }");
}

// numbers that a collider does not have are 0: the body's, or by area
static void printCollidersJson(const SceneWorld *built)
{
    static const char *const numbers[] = { "friction", "restitution", "stiffness", "vertexStiffness" };
    printf("\n  ],\n  \"colliders\": [");
    for (int i = 0; i < sceneColliderCount(built); ++i)
    {
        printf("%s\n    { \"shape\": \"%s\"", i > 0 ? "," : "", sceneColliderKind(built, i));
        for (int k = 0; k < 4; ++k)
            printJsonPair(stdout, ", ", numbers[k], sceneColliderNumber(built, i, numbers[k]));
        printf(" }");
    }
}

static void printWorldJson(const Report *report)
{
    printf("{\n  \"name\": ");
    printJsonString(stdout, sceneName(report->scene));
    bool solved = vvMethod_HasSolver(sceneMethod(report->scene));
    printf(",\n  \"method\": \"%s\", \"methodChosen\": \"%s\", \"solver\": ", sceneMethod(report->scene),
           sceneMethodGiven(report->scene) ? "asked" : "default");
    printf(solved ? "\"%s\"" : "null", sceneSolver(report->scene));
    printf(", \"solverChosen\": %s,\n ", !solved                           ? "null"
                                         : sceneSolverGiven(report->scene) ? "\"asked\""
                                                                           : "\"default\"");
    printJsonPair(stdout, " ", "step", report->step);
    printf(", \"substeps\": %d, \"frames\": %d", sceneSubsteps(report->scene), sceneFrames(report->scene));
    printJsonPair(stdout, ", ", "seconds", sceneFrames(report->scene) * sceneTimestep(report->scene));
    printf(", \"softness\": %.6g", report->ruled.softness);
    printSubstepsJson(", ", "stepSubsteps", report->ruled.most);
    printSubstepsJson(", ", "stepSubstepsTaken", report->ruled.taken);
    printf(",\n");
    printf("  \"notes\": [");
    noteSettings(&(Notes){ .out = stdout, .json = true }, report->scene);
    printf("],\n  \"vertices\": %d, \"particles\": %d, \"attachments\": %d, \"rigidBodies\": %d, \"joints\": %d, "
           "\"islands\": %d,\n  \"memoryBytes\": %zu, \"peakBytes\": %zu,\n  \"bodies\": [",
           report->statistics.vertexCount, report->statistics.particleCount, report->statistics.attachmentCount,
           report->statistics.rigidBodyCount, vvWorld_GetJoints(sceneWorldId(report->built), NULL, 0),
           report->statistics.islandCount, report->bytes, report->peakBytes);
}

// ---- the command ----------------------------------------------------------------------------------------------------

// everything is examined before anything is printed: a failure leaves no half report
static int report(const Scene *scene, SceneWorld *built, const Counted *counted, bool json)
{
    Report whole = { .scene = scene,
                     .built = built,
                     .step = sceneTimestep(scene) / sceneSubsteps(scene),
                     .limit = vvMethod_GetLimit(sceneMethod(scene)),
                     .statistics = vvWorld_GetStatistics(sceneWorldId(built)),
                     .bytes = counted->bytes };
    Memory memory = memoryMake(NULL);
    int count = sceneBodyCount(built);
    BodyReport *bodies = ALLOCATE(&memory, BodyReport, count);
    whole.ruled.each = ALLOCATE(&memory, vvSubsteps, maxInt(count, 1));
    vvResult result = bodies && whole.ruled.each ? resultOk() : resultOutOfMemory("the report");
    for (int i = 0; i < count && result.code == VV_OK; ++i)
        result = examineBody(sceneBody(built, i), whole.step, &bodies[i]);
    if (result.code == VV_OK)
        tryStep(scene, built, &whole.ruled); // which makes the modes of bodies
    whole.peakBytes = counted->peak;
    if (result.code == VV_OK && json)
        printWorldJson(&whole);
    else if (result.code == VV_OK)
        printWorld(&whole);
    for (int i = 0; i < count && result.code == VV_OK; ++i)
    {
        if (json)
            printBodyJson(&whole, &bodies[i], i);
        else
        {
            printBody(&whole, &bodies[i]);
            noteScene(&(Notes){ .out = stdout, .before = "  " }, built, i);
        }
    }
    if (result.code == VV_OK && json)
    {
        printCollidersJson(built);
        printf("\n  ]\n}\n");
    }
    else if (result.code == VV_OK)
        printColliders(built);
    memoryRelease(&memory, whole.ruled.each);
    memoryRelease(&memory, bodies);
    return result.code == VV_OK ? EXIT_DONE : complain(&checkCommand, &result);
}

static int check(const Words *words, Scene *scene, const OpenedScene *opened)
{
    (void)opened;
    vvResult result;
    Counted memory = { 0 };
    SceneOptions options = { .threads = 1, .allocator = countedAllocator(&memory) };
    SceneWorld *built = sceneBuild(scene, &options, &result);
    int code = built ? report(scene, built, &memory, wordsHas(words, "--json")) : complain(&checkCommand, &result);
    sceneRelease(built);
    return code;
}

static int run(const char *program, int count, char **words)
{
    (void)program;
    return runOnScene(&checkCommand, count, words, check);
}

static const Option options[] = {
    { "--set", "PATH=VALUE", "change a key of the scene, such as bodies.0.material.young=2e5; may be repeated" },
    { "--allow-outside", NULL, "let the scene read mesh files outside its folder and VERVE_MESH_DIR" },
    { "--json", NULL, "print JSON" },
};

const Command checkCommand = {
    .name = "check",
    .summary = "examine a scene: masses, frequencies, whether its step suits it",
    .usage = "SCENE",
    .about =
        "Reads a scene (a file, or the name of a shipped one), checks every key, builds it and reports counts,\n"
        "masses, settings that the method does not use, the highest and lowest frequency of every body, the largest\n"
        "step that explicit methods can take, and what backward Euler's numerical damping does to the first mode.\n"
        "Methods that divide a step themselves are tried for one step, which gives the number of substeps. Nothing\n"
        "is written.",
    .example = "verve check swing --set bodies.0.material.young=2e5",
    .options = options,
    .optionCount = sizeof options / sizeof options[0],
    .run = run,
};
