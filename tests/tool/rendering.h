// What the tests of 'verve render' share: a folder that vanishes, the command by its words, and records to draw.
#ifndef TESTS_TOOL_RENDERING_H
#define TESTS_TOOL_RENDERING_H

#include "check.h"
#include "folders.h"
#include "tool/render.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64]; // everything of a test is in here

static inline int makeFolder(void **state)
{
    (void)state;
    folderNew(folder);
    return 0;
}

static inline int removeFolder(void **state)
{
    (void)state;
    folderRemove(folder);
    return 0;
}

static inline const char *inFolder(const char *name)
{
    static char path[64][400];
    static int turn;
    turn = (turn + 1) % 64;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static inline long sizeOf(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (long)status.st_size : -1;
}

#define RENDER(...) renderWords((const char *[]){ __VA_ARGS__, NULL })

static inline int renderWords(const char *const *words)
{
    int count = 0;
    char *copy[64];
    for (; words[count] != NULL; ++count)
        copy[count] = (char *)words[count];
    return renderCommand.run("verve", count, copy);
}

// ---- records --------------------------------------------------------------------------------------------------------

// `frames` steps of a scene and the state before them; what 'verve run' does, in short
static inline void recordScene(Scene *scene, const char *name, int frames)
{
    vvResult result;
    SceneOptions options = { .threads = 1 };
    SceneWorld *built = sceneBuild(scene, &options, &result);
    if (built == NULL)
        fail_msg("%s: %s", name, result.message);
    vvRecorderDef def = vvDefaultRecorderDef();
    sceneRecord(scene, &def);
    def.folder = inFolder(name);
    vvRecorder *recorder = vvCreateRecorder(sceneWorldId(built), &def, &result);
    assert_non_null(recorder);
    for (int frame = 0; frame <= frames; ++frame)
    {
        assert_int_equal(vvRecorder_Add(recorder).code, VV_OK);
        if (frame < frames)
            assert_int_equal(sceneStep(built).code, VV_OK);
    }
    assert_int_equal(vvRecorder_Close(recorder).code, VV_OK);
    char path[420];
    snprintf(path, sizeof path, "%s/scene.json", def.folder);
    FILE *file = fopen(path, "wb");
    char *whole = sceneText(scene);
    fputs(whole, file);
    fclose(file);
    sceneFreeText(whole);
    sceneRelease(built);
}

#endif
