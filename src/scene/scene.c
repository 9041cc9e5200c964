// A scene file: text to a checked tree, and what the rest of the program asks of it.
#include "scene/scene.h"

#include "base/base.h"
#include "base/system.h"
#include "record/record.h"
#include "scene/scene_data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER_SIZE 4096

// ---- text to tree ---------------------------------------------------------------------------------------------------

// whether a body's mesh may change by itself
static bool tears(const Json *tree)
{
    const Json *bodies = treeItem(tree, "bodies");
    for (const Json *body = bodies != NULL ? bodies->first : NULL; body != NULL; body = body->next)
    {
        if (treeNumber(treeItem(body, "material"), "toughness", 0) > 0 || treeCount(body, "blades") > 0)
            return true;
    }
    return false;
}

static vvResult understand(Scene *scene, const Reach *reach, const char *const *sets, int setCount)
{
    Json *tree = scene->tree;
    vvResult result = resultOk();
    for (int i = 0; i < setCount && result.code == VV_OK; ++i)
        result = treeSet(tree, sets[i]);
    scene->methodGiven = treeItem(treeItem(tree, "integrator"), "method") != NULL;
    scene->solverGiven = treeItem(treeItem(tree, "integrator"), "solver") != NULL;
    bool framesGiven = treeItem(treeItem(tree, "record"), "frames") != NULL;
    if (result.code == VV_OK)
        result = treeCheck(tree);
    if (result.code != VV_OK)
        return result;
    Json *schema = treeItem(tree, "$schema");
    if (schema != NULL)
        jsonUnlink(tree, schema); // says where the file lay, not what it means
    result = treeRules(tree, reach);
    Json *frames = treeItem(treeItem(tree, "record"), "frames"); // a file per frame has its mesh
    if (result.code == VV_OK && !framesGiven && frames != NULL && tears(tree) && !jsonSetString(frames, "frames.obj"))
        result = resultOutOfMemory("the scene");
    return result;
}

// puts "name:line:column: " before a message that begins with the path of a key
static void addPlace(vvResult *result, const Scene *scene, const char *name)
{
    char path[160], message[sizeof result->message], place[120];
    snprintf(path, sizeof path, "%.*s", (int)strcspn(result->message, " "), result->message);
    memcpy(message, result->message, sizeof message);
    const Json *value = jsonPlace(scene->tree, path);
    if (value != NULL)
        snprintf(place, sizeof place, "%.80s:%d:%d: ", name, value->line, value->column);
    else // --set
        snprintf(place, sizeof place, "%.80s: ", name);
    snprintf(result->message, sizeof result->message, "%s%.*s", place, (int)(sizeof message - 1 - strlen(place)),
             message);
}

// where recorded frames go: the stem and the formats of "frames.pc2", or of a list of such names
static void splitFrames(Scene *scene)
{
    const Json *frames = treeItem(treeItem(scene->tree, "record"), "frames");
    const Json *name = frames && jsonIs(frames, JSON_LIST) ? frames->first : frames;
    size_t length = 0;
    snprintf(scene->stem, sizeof scene->stem, "frames");
    for (; name != NULL; name = frames == name ? NULL : name->next)
    {
        const char *dot = strrchr(name->string, '.');
        snprintf(scene->stem, sizeof scene->stem, "%.*s", (int)(dot - name->string), name->string);
        if (length < sizeof scene->formats)
            length += (size_t)snprintf(scene->formats + length, sizeof scene->formats - length, "%s%s",
                                       length > 0 ? "," : "", dot + 1);
    }
}

// the recorder's own rules for names, under the key of the scene
static vvResult checkRecord(Scene *scene)
{
    vvRecorderDef def = vvDefaultRecorderDef();
    splitFrames(scene);
    sceneRecord(scene, &def);
    vvResult result = recordNames(&def);
    return result.code == VV_OK ? result : resultMake(result.code, result.remedy, "record.%s", result.message);
}

static Scene *parse(const vvAllocator *allocator, const char *text, size_t size, const char *name, const Reach *reach,
                    const char *const *sets, int setCount, vvResult *out)
{
    vvResult result = resultOutOfMemory("the scene");
    Memory memory = memoryMake(allocator);
    Scene *scene = ALLOCATE(&memory, Scene, 1);
    if (scene != NULL)
    {
        jsonOpen(&scene->json, allocator);
        scene->memory = memory;
        scene->tree = jsonRead(&scene->json, text, size, name, &result);
    }
    if (result.code == VV_OK)
    {
        result = understand(scene, reach, sets, setCount);
        if (result.code == VV_OK)
            result = checkRecord(scene);
        if (result.code == VV_BAD_INPUT)
            addPlace(&result, scene, name);
    }
    if (resultPass(out, &result))
        return scene;
    sceneDestroy(scene);
    return NULL;
}

Scene *sceneParseIn(const vvAllocator *allocator, const char *text, size_t size, const char *folder,
                    const char *const *sets, int setCount, vvResult *result)
{
    Reach reach = { folder ? folder : "", false };
    return parse(allocator, text, size, "scene", &reach, sets, setCount, result);
}

Scene *sceneParse(const char *text, size_t size, const char *folder, const char *const *sets, int setCount,
                  vvResult *result)
{
    return sceneParseIn(NULL, text, size, folder, sets, setCount, result);
}

// ---- files ----------------------------------------------------------------------------------------------------------

// the whole file, ended by a zero; NULL: `result` says why
static char *readFile(const char *path, size_t *size, vvResult *result)
{
    FileKind kind = systemStatus(path).kind;
    if (kind != FILE_MISSING && kind != FILE_REGULAR) // a pipe would wait for ever, a device never ends
    {
        *result = resultMake(VV_INPUT_OUTPUT, "give the path of a file", "%.150s is %s, not a regular file", path,
                             kind == FILE_FOLDER ? "a folder" : "a pipe or a device");
        return NULL;
    }
    FILE *file = systemStream(path, FILE_TO_READ);
    if (file == NULL)
    {
        int why = errno;
        char name[64], remedy[120] = "check the name; 'verve scenes' lists the shipped scenes";
        if (why == ENOENT && sceneNearest(path, name, sizeof name))
            snprintf(remedy, sizeof remedy, "did you mean \"%s\"? 'verve scenes' lists the shipped scenes", name);
        *result = resultMake(VV_INPUT_OUTPUT, remedy, "%.150s cannot be opened: %s", path, strerror(why));
        return NULL;
    }
    char *text = NULL;
    size_t length = 0, capacity = 0, count = 0;
    do
    {
        length += count;
        if (length + 1 >= capacity)
        {
            capacity = 2 * capacity + 65536;
            char *grown = realloc(text, capacity);
            if (grown == NULL)
            {
                *result = resultOutOfMemory("the scene's text");
                break;
            }
            text = grown;
        }
        count = fread(text + length, 1, capacity - length - 1, file);
    } while (count > 0 && length + count <= JSON_MOST_BYTES);
    length += count;
    if (result->code == VV_OK && ferror(file))
        *result = resultMake(VV_INPUT_OUTPUT, "a scene is a file of JSON text", "%.150s cannot be read: %s", path,
                             strerror(errno));
    fclose(file);
    if (result->code != VV_OK)
    {
        free(text);
        return NULL;
    }
    text[length] = 0;
    *size = length;
    return text;
}

Scene *sceneRead(const char *file, bool anywhere, const char *const *sets, int setCount, vvResult *out)
{
    char folder[FOLDER_SIZE];
    size_t size = 0;
    vvResult result = resultOk();
    char *text = readFile(file, &size, &result);
    if (text == NULL)
    {
        resultPass(out, &result);
        return NULL;
    }
    const char *slash = pathLastSlash(file);
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file) : 0, file);
    if (slash == file)
        snprintf(folder, sizeof folder, "/");
    Reach reach = { folder, anywhere };
    Scene *scene = parse(NULL, text, size, slash ? slash + 1 : file, &reach, sets, setCount, out);
    free(text);
    return scene;
}

void sceneDestroy(Scene *scene)
{
    if (scene == NULL)
        return;
    Memory memory = scene->memory;
    jsonClose(&scene->json);
    memoryRelease(&memory, scene);
}

// ---- what it says ---------------------------------------------------------------------------------------------------

char *sceneText(const Scene *scene)
{
    return jsonPrint(scene->tree);
}

void sceneFreeText(char *text)
{
    free(text);
}

const char *sceneName(const Scene *scene)
{
    return treeString(scene->tree, "name");
}

const char *sceneDescription(const Scene *scene)
{
    return treeString(scene->tree, "description");
}

int sceneFrames(const Scene *scene)
{
    return treeInteger(scene->tree, "frames", 0);
}

double sceneTimestep(const Scene *scene)
{
    return treeNumber(scene->tree, "timestep", 0);
}

int sceneSubsteps(const Scene *scene)
{
    // methods with substeps of their own take one step per frame
    if (vvMethod_HasSubsteps(sceneMethod(scene)))
        return 1;
    return maxInt(1, treeInteger(treeItem(scene->tree, "integrator"), "substeps", 1));
}

const char *sceneMethod(const Scene *scene)
{
    return treeString(treeItem(scene->tree, "integrator"), "method");
}

const char *sceneSolver(const Scene *scene)
{
    return treeString(treeItem(scene->tree, "integrator"), "solver");
}

bool sceneMethodGiven(const Scene *scene)
{
    return scene->methodGiven;
}

bool sceneSolverGiven(const Scene *scene)
{
    return scene->solverGiven;
}

void sceneRecord(const Scene *scene, vvRecorderDef *def)
{
    const Json *record = treeItem(scene->tree, "record");
    def->frames = scene->stem;
    def->formats = scene->formats;
    def->ledger = treeString(record, "ledger");
    def->snapshot = treeString(record, "snapshot");
    def->snapshotEvery = treeInteger(record, "snapshotEvery", def->snapshotEvery);
    def->frameTime = sceneTimestep(scene);
}

bool sceneCamera(const Scene *scene, vvVec3 *eye, vvVec3 *target, double *fieldOfView)
{
    const Json *camera = treeItem(scene->tree, "camera");
    if (camera == NULL)
        return false;
    *eye = treeVector(camera, "eye");
    *target = treeVector(camera, "target");
    *fieldOfView = treeNumber(camera, "fieldOfView", 40);
    return true;
}

bool sceneCameraIsFixed(const Scene *scene)
{
    const Json *camera = treeItem(scene->tree, "camera");
    return camera != NULL && treeSwitch(camera, "fixed");
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

static const Json *partOf(const Scene *scene, int index, const char *key)
{
    return treeItem(jsonEntry(treeItem(scene->tree, "bodies"), index), key);
}

const char *sceneMeshFile(const Scene *scene, int index)
{
    return treeString(partOf(scene, index, "mesh"), "file");
}

bool sceneIsFilled(const Scene *scene, int index)
{
    const Json *mesh = partOf(scene, index, "mesh");
    const char *name = treeString(mesh, "shape");
    const Shape *shape = name ? shapeFind(name) : NULL;
    return treeItem(mesh, "solid") != NULL || treeString(mesh, "file") != NULL ||
           (shape != NULL && shape->shape >= VV_MESH_HIPPO);
}

const char *scenePreset(const Scene *scene, int index)
{
    const char *preset = treeString(partOf(scene, index, "material"), "preset");
    return preset != NULL ? preset : "rubber";
}

bool scenePresetThickness(const Scene *scene, int index)
{
    double own = presetMaterial(scenePreset(scene, index)).thickness;
    return treeNumber(partOf(scene, index, "material"), "thickness", own) == own;
}
