// Every shipped scene: no iteration of local/global or of Newton's method raises the objective of its step (Bouaziz
// 2014, section 3.3).
#include "files.h"
#include "objective.h"

#include "scene/scene.h"

#include <dirent.h>

#define ENOUGH 24 // iterations
#define LARGE 600 // vertices
#define FRAMES 40 // at most, for scenes that begin with a fall: a first guess is all that needs

static int watchScene(const char *path, const char *method, const char *solver)
{
    char methodSet[64], solverSet[64];
    const char *const sets[] = { methodSet, solverSet };
    snprintf(methodSet, sizeof methodSet, "integrator.method=%s", method);
    snprintf(solverSet, sizeof solverSet, "integrator.solver=%s", solver);
    vvResult result;
    SceneOptions options = { .threads = 1 };
    Scene *scene = sceneRead(path, false, sets, 2, &result);
    SceneWorld *built = scene ? sceneBuild(scene, &options, &result) : NULL;
    if (built == NULL)
        fail_msg("%s, %s, %s: %s", path, method, solver, result.message);
    Objective seen;
    watchWorld(sceneWorldId(built), &seen);
    for (int frame = 0; frame < FRAMES && (frame < 2 || seen.iterations < ENOUGH); ++frame)
    {
        result = sceneStep(built);
        if (result.code != VV_OK)
            fail_msg("%s, %s, %s, frame %d: %s", path, method, solver, frame, result.message);
    }
    // a scene without soft bodies solves nothing
    bool solves = vvWorld_GetStatistics(sceneWorldId(built)).bodyCount > 0;
    if (solves && (!(seen.rise <= OBJECTIVE_ROUNDING) || !(seen.fall > 1e-9)))
        fail_msg("%s, %s, %s: g rose by %g and fell by %g in %d iterations", path, method, solver, seen.rise, seen.fall,
                 seen.iterations);
    sceneRelease(built);
    sceneDestroy(scene);
    return seen.joined;
}

static const char *const ways[][2] = {
    { "backward-euler", "local-global" },
    { "implicit-midpoint", "local-global" },
    { "backward-euler", "newton" },
};

#define WAYS (int)(sizeof ways / sizeof ways[0])

static bool isLarge(const char *path)
{
    vvResult result;
    Scene *scene = sceneRead(path, false, NULL, 0, &result);
    SceneOptions options = { .threads = 1 };
    SceneWorld *built = scene ? sceneBuild(scene, &options, &result) : NULL;
    bool large = built != NULL && vvWorld_GetStatistics(sceneWorldId(built)).vertexCount > LARGE;
    sceneRelease(built);
    sceneDestroy(scene);
    return large;
}

static void noSceneRaisesTheObjective(void **state)
{
    (void)state;
    DIR *folder = opendir(SOURCE_FOLDER "/scenes");
    assert_non_null(folder);
    int count = 0, joined = 0;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
    {
        char path[4096];
        size_t length = strlen(entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".json") != 0 || strstr(entry->d_name, ".schema."))
            continue;
        snprintf(path, sizeof path, "%s/scenes/%s", SOURCE_FOLDER, entry->d_name);
        bool large = isLarge(path); // local-global alone, one way by turns
        for (int w = 0; w < WAYS; ++w)
            joined += !large || w == entry->d_name[0] % 2 ? watchScene(path, ways[w][0], ways[w][1]) : 0;
        count += 1;
    }
    closedir(folder);
    assert_true(count >= 8);
    assert_true(joined > 0); // contact and attachments between bodies too
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(noSceneRaisesTheObjective) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
