// The door to scenes: scene files, the worlds that they describe, and where the shipped ones lie.
#include "scene/scene.h"
#include "base/base.h"
#include "base/system.h"

#include <verve/studio.h>

#include <stdatomic.h>
#include <string.h>

#define SCENE_COOKIE 0x45564431
#define SCENE_WORLD_COOKIE 0x55564431
#define PATH_SIZE 4096
#define NAME_SIZE 256

struct vvScene
{
    Memory memory;         // of this struct
    Scene *scene;          //
    atomic_int references; // the caller's, and one of each world
};

struct vvSceneWorld
{
    Memory memory; // of this struct
    vvScene *scene;
    SceneWorld *built;
};

// ---- scenes ---------------------------------------------------------------------------------------------------------

vvSceneDef vvDefaultSceneDef(void)
{
    return (vvSceneDef){ .cookie = SCENE_COOKIE };
}

static vvResult checkDef(const vvSceneDef *def)
{
    if (def == NULL || def->cookie != SCENE_COOKIE)
        return resultMake(VV_BAD_INPUT, "start from vvDefaultSceneDef()", "the definition was not initialised");
    if ((def->file == NULL) == (def->text == NULL))
        return resultMake(VV_BAD_INPUT, "name a file, or pass the text of a scene", "%s",
                          def->file ? "both a file and a text are given" : "neither file nor text is given");
    if (def->setCount < 0 || (def->setCount > 0 && def->sets == NULL))
        return resultMake(VV_BAD_INPUT, "pass as many sets as setCount says", "setCount is %d, sets %s", def->setCount,
                          def->sets ? "are given" : "is NULL");
    for (int i = 0; i < def->setCount; ++i)
    {
        if (def->sets[i] == NULL)
            return resultMake(VV_BAD_INPUT, "pass words such as \"frames=10\"", "set %d is NULL", i);
    }
    return resultOk();
}

static Scene *readScene(const vvSceneDef *def, vvResult *result)
{
    if (def->text != NULL)
        return sceneParseIn(&def->allocator, def->text, strlen(def->text), def->folder ? def->folder : ".", def->sets,
                            def->setCount, result);
    char path[PATH_SIZE];
    if (strlen(def->file) >= sizeof path)
    {
        *result = resultMake(VV_BAD_INPUT, "use a shorter path", "the path has %zu letters", strlen(def->file));
        return NULL;
    }
    sceneFind(def->file, path, sizeof path); // else the word itself, which then is what is not there
    return sceneRead(path, def->anywhere, def->sets, def->setCount, result);
}

vvScene *vvCreateScene(const vvSceneDef *def, vvResult *out)
{
    vvResult result = checkDef(def);
    if (!resultPass(out, &result))
        return NULL;
    Memory memory = memoryMake(&def->allocator);
    vvScene *scene = ALLOCATE(&memory, vvScene, 1);
    if (scene == NULL)
        result = resultOutOfMemory("a scene");
    else
        scene->scene = readScene(def, &result);
    if (scene != NULL && scene->scene != NULL)
    {
        result = resultOk();
        scene->memory = memory;
        atomic_init(&scene->references, 1);
    }
    else
    {
        memoryRelease(&memory, scene);
        scene = NULL;
    }
    resultPass(out, &result);
    return scene;
}

void vvDestroyScene(vvScene *scene)
{
    if (scene == NULL || atomic_fetch_sub(&scene->references, 1) > 1)
        return;
    Memory memory = scene->memory;
    sceneDestroy(scene->scene);
    memoryRelease(&memory, scene);
}

const char *vvScene_GetName(const vvScene *scene)
{
    return scene ? sceneName(scene->scene) : "";
}

const char *vvScene_GetDescription(const vvScene *scene)
{
    return scene ? sceneDescription(scene->scene) : "";
}

int vvScene_GetFrames(const vvScene *scene)
{
    return scene ? sceneFrames(scene->scene) : 0;
}

double vvScene_GetTimestep(const vvScene *scene)
{
    return scene ? sceneTimestep(scene->scene) : 0;
}

int vvScene_GetSubsteps(const vvScene *scene)
{
    return scene ? sceneSubsteps(scene->scene) : 0;
}

const char *vvScene_GetMethod(const vvScene *scene)
{
    return scene ? sceneMethod(scene->scene) : "";
}

const char *vvScene_GetSolver(const vvScene *scene)
{
    return scene ? sceneSolver(scene->scene) : "";
}

vvRecorderDef vvScene_GetRecorderDef(const vvScene *scene)
{
    vvRecorderDef def = vvDefaultRecorderDef();
    if (scene != NULL)
        sceneRecord(scene->scene, &def);
    return def;
}

bool vvScene_GetCamera(const vvScene *scene, vvCamera *camera)
{
    return scene != NULL && camera != NULL &&
           sceneCamera(scene->scene, &camera->eye, &camera->target, &camera->fieldOfView);
}

char *vvScene_CreateText(const vvScene *scene)
{
    return scene ? sceneText(scene->scene) : NULL;
}

char *vvCreateSceneSchema(void)
{
    return sceneSchema(NULL);
}

void vvDestroyText(char *text)
{
    sceneFreeText(text);
}

// ---- the shipped ones -----------------------------------------------------------------------------------------------

bool vvFindSceneFolder(char *folder, size_t size)
{
    return folder != NULL && size > 0 && sceneLibrary(0, folder, size);
}

// "swing.json": its name has this many letters; 0: it is no scene
static size_t nameLength(const char *file)
{
    size_t length = strlen(file);
    bool scene = length > 5 && length < NAME_SIZE && strcmp(file + length - 5, ".json") == 0 && file[0] != '.';
    return scene && strcmp(file, "verve.schema.json") != 0 ? length - 5 : 0;
}

// the first name of a folder behind `after`
static bool nextName(const char *folder, const char *after, char *next)
{
    FolderList *list = folderListOpen(folder);
    next[0] = 0;
    for (const char *file; list != NULL && (file = folderListNext(list)) != NULL;)
    {
        char name[NAME_SIZE];
        size_t length = nameLength(file);
        snprintf(name, sizeof name, "%.*s", (int)length, file);
        if (length > 0 && strcmp(name, after) > 0 && (next[0] == 0 || strcmp(name, next) < 0))
            memcpy(next, name, length + 1);
    }
    folderListClose(list);
    return next[0] != 0;
}

bool vvGetSceneName(const char *folder, int index, char *name, size_t size)
{
    char found[PATH_SIZE], at[NAME_SIZE] = "", next[NAME_SIZE];
    if (name == NULL || size == 0 || index < 0 || (folder == NULL && !vvFindSceneFolder(found, sizeof found)))
        return false;
    for (int i = 0; i <= index; ++i)
    {
        if (!nextName(folder ? folder : found, at, next))
            return false;
        memcpy(at, next, sizeof at);
    }
    return snprintf(name, size, "%s", at) < (int)size;
}

// ---- the world of a scene -------------------------------------------------------------------------------------------

vvSceneWorldDef vvDefaultSceneWorldDef(void)
{
    return (vvSceneWorldDef){ .threads = 1, .cookie = SCENE_WORLD_COOKIE };
}

vvSceneWorld *vvCreateSceneWorld(const vvScene *scene, const vvSceneWorldDef *def, vvResult *out)
{
    vvSceneWorldDef standard = vvDefaultSceneWorldDef();
    def = def ? def : &standard;
    vvResult result = resultOk();
    if (scene == NULL)
        result = resultMake(VV_BAD_INPUT, "make it with vvCreateScene", "the scene is NULL");
    else if (def->cookie != SCENE_WORLD_COOKIE)
        result = resultMake(VV_BAD_INPUT, "start from vvDefaultSceneWorldDef()", "the definition was not initialised");
    if (!resultPass(out, &result))
        return NULL;
    Memory memory = memoryMake(&def->allocator);
    vvSceneWorld *world = ALLOCATE(&memory, vvSceneWorld, 1);
    SceneOptions options = { def->threads, def->logger, def->allocator };
    SceneWorld *built = world ? sceneBuild(scene->scene, &options, &result) : NULL;
    if (world == NULL)
        result = resultOutOfMemory("the world of a scene");
    resultPass(out, &result);
    if (built == NULL)
    {
        memoryRelease(&memory, world);
        return NULL;
    }
    vvScene *kept = (vvScene *)scene; // its count alone changes
    atomic_fetch_add(&kept->references, 1);
    *world = (vvSceneWorld){ .scene = kept, .built = built };
    world->memory = memory;
    return world;
}

void vvDestroySceneWorld(vvSceneWorld *world)
{
    if (world == NULL)
        return;
    Memory memory = world->memory;
    sceneRelease(world->built);
    vvDestroyScene(world->scene);
    memoryRelease(&memory, world);
}

vvResult vvSceneWorld_Step(vvSceneWorld *world)
{
    if (world == NULL)
        return resultMake(VV_BAD_INPUT, "make it with vvCreateSceneWorld", "the world of a scene is NULL");
    if (!vvWorld_IsValid(sceneWorldId(world->built)))
        return resultMake(VV_BAD_ID, "let vvDestroySceneWorld destroy it", "the world of the scene was destroyed");
    return sceneStep(world->built);
}

vvWorldId vvSceneWorld_GetWorld(const vvSceneWorld *world)
{
    return world ? sceneWorldId(world->built) : (vvWorldId){ 0, 0 };
}

vvSoftBodyId vvSceneWorld_GetBody(const vvSceneWorld *world, int index)
{
    bool there = world != NULL && index >= 0 && index < sceneBodyCount(world->built);
    return there ? sceneBody(world->built, index) : (vvSoftBodyId){ 0, 0, 0 };
}

vvSoftBodyId vvSceneWorld_FindBody(const vvSceneWorld *world, const char *name)
{
    for (int i = 0; world != NULL && name != NULL && i < sceneBodyCount(world->built); ++i)
    {
        if (strcmp(vvSoftBody_GetName(sceneBody(world->built, i)), name) == 0)
            return sceneBody(world->built, i);
    }
    return (vvSoftBodyId){ 0, 0, 0 };
}

vvColliderId vvSceneWorld_GetCollider(const vvSceneWorld *world, int index)
{
    bool there = world != NULL && index >= 0 && index < sceneColliderCount(world->built);
    return there ? sceneCollider(world->built, index) : (vvColliderId){ 0, 0, 0 };
}

vvRigidBodyId vvSceneWorld_GetRigidBody(const vvSceneWorld *world, int index)
{
    bool there = world != NULL && index >= 0 && index < sceneRigidCount(world->built);
    return there ? sceneRigid(world->built, index) : (vvRigidBodyId){ 0, 0, 0 };
}

const char *vvSceneWorld_GetRigidName(const vvSceneWorld *world, int index)
{
    bool there = world != NULL && index >= 0 && index < sceneRigidCount(world->built);
    return there ? sceneRigidName(world->built, index) : "";
}

vvRigidBodyId vvSceneWorld_FindRigidBody(const vvSceneWorld *world, const char *name)
{
    for (int i = 0; world != NULL && name != NULL && i < sceneRigidCount(world->built); ++i)
    {
        if (strcmp(sceneRigidName(world->built, i), name) == 0)
            return sceneRigid(world->built, i);
    }
    return (vvRigidBodyId){ 0, 0, 0 };
}
