// Every shipped scene from its first frame to its last: none diverges, and none invents energy.
#include "files.h"

#include "scene/scene.h"

#include <dirent.h>

static void playScene(const char *path)
{
    vvResult result;
    Scene *scene = sceneRead(path, false, NULL, 0, &result);
    SceneWorld *built = scene ? sceneBuild(scene, NULL, &result) : NULL;
    if (built == NULL)
        fail_msg("%s: %s", path, result.message);
    double most = 0; // J, the most that moved at any time
    vvLedger ledger = { 0 };
    for (int frame = 0; frame < sceneFrames(scene); ++frame)
    {
        result = sceneStep(built);
        if (result.code != VV_OK)
            fail_msg("%s, frame %d: %s", path, frame, result.message);
        ledger = vvWorld_GetLedger(sceneWorldId(built));
        most = fmax(most, ledger.kinetic + ledger.elastic);
    }
    // midpoint's energy wanders by a few percent of what moves; backward Euler only loses
    CHECK_BELOW(ledger.numerical, 0.05 * most);
    sceneRelease(built);
    sceneDestroy(scene);
}

static void testLibrary(void **state)
{
    (void)state;
    DIR *folder = opendir(SOURCE_FOLDER "/scenes");
    assert_non_null(folder);
    int count = 0;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
    {
        char path[4096];
        size_t length = strlen(entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".json") != 0 || strstr(entry->d_name, ".schema."))
            continue;
        snprintf(path, sizeof path, "%s/scenes/%s", SOURCE_FOLDER, entry->d_name);
        playScene(path);
        count += 1;
    }
    closedir(folder);
    assert_true(count >= 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testLibrary) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
