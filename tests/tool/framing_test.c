#define _XOPEN_SOURCE 700 // mkdtemp
// Every shipped scene in panels of several shapes: the subject fills them and no pixel of it is cut.
#include "rendering.h"

#include "draw/stage.h"

#include <dirent.h>

#define STEPS 3           // of a scene: enough to move, few enough to be quick
#define FILLED 0.97       // of a panel's width or height less its margins: the bodies over all frames
#define FILLED_BESIDE 0.5 // likewise, where colliders are seen too
#define FILLED_EACH 0.25  // of a panel's width or height: the bodies in every single one

typedef struct Covered
{
    int left, top, right, bottom; // pixels with a sample of a body; right and bottom exclusive
} Covered;

// what the stage covers: bodies, pins and springs, since colliders and ground are left out
static Covered coveredBy(Job *job, int frame, Stage *stage, Picture *picture)
{
    Run *run = &job->run[0];
    Rect rect = { 0, 0, picture->width, picture->height };
    assert_int_equal(runLoad(run, frame, COLOUR_PLAIN).code, VV_OK);
    int kept = run->colliderCount;
    run->colliderCount = 0;
    assert_int_equal(panelDraw(run, &job->look, stage, picture, rect, frame).code, VV_OK);
    run->colliderCount = kept;
    Covered covered = { rect.width, rect.height, 0, 0 };
    for (int i = 0; i < rect.width * rect.height * SAMPLES; ++i)
    {
        int x = i / SAMPLES % rect.width, y = i / SAMPLES / rect.width;
        if (!(stage->depth[i] > 0))
            continue;
        covered.left = minInt(covered.left, x);
        covered.top = minInt(covered.top, y);
        covered.right = maxInt(covered.right, x + 1);
        covered.bottom = maxInt(covered.bottom, y + 1);
    }
    return covered;
}

static double share(const Covered *covered, const Picture *picture, double free)
{
    return maxReal((covered->right - covered->left) / (0.9 * picture->width),
                   (covered->bottom - covered->top) / (0.84 * picture->height)) *
           free;
}

// the camera for a panel of this size; the run is open already
static void checkPanel(Job *job, const char *name, int width, int height)
{
    double shape;
    Picture *picture = pictureCreate(&job->memory, width, height, NULL);
    Stage *stage = stageCreate(&job->memory);
    job->look = (Look){ 0 };
    assert_int_equal(lookSurvey(job, &shape).code, VV_OK);
    assert_true(shape > 0.05 && shape < 20);
    assert_int_equal(lookPrepare(job, (double)width / height).code, VV_OK);
    Covered all = { width, height, 0, 0 };
    bool scenery = false; // colliders that count as seen take room from the bodies
    for (int i = 0; i < job->run[0].colliderCount; ++i)
        scenery = scenery || !job->run[0].collider[i].plane;
    for (int k = 0; k <= job->strides; ++k)
    {
        Covered one = coveredBy(job, jobFrame(job, k), stage, picture);
        if (one.left < 1 || one.top < 1 || one.right > width - 1 || one.bottom > height - 1)
            fail_msg("%s at %d x %d: the subject reaches from %d, %d to %d, %d", name, width, height, one.left, one.top,
                     one.right, one.bottom);
        if (share(&one, picture, 0.9) < (scenery ? 0.5 : 1) * FILLED_EACH)
            fail_msg("%s at %d x %d: the bodies cover %g of a panel", name, width, height, share(&one, picture, 0.9));
        all = (Covered){ minInt(all.left, one.left), minInt(all.top, one.top), maxInt(all.right, one.right),
                         maxInt(all.bottom, one.bottom) };
    }
    if (share(&all, picture, 1) < (scenery ? FILLED_BESIDE : FILLED))
        fail_msg("%s at %d x %d: the subject fills %g", name, width, height, share(&all, picture, 1));
    stageDestroy(stage);
    pictureDestroy(picture);
}

static void checkScene(const char *path, const char *name)
{
    vvResult result;
    Scene *scene = sceneRead(path, false, NULL, 0, &result);
    if (scene == NULL)
        fail_msg("%s: %s", name, result.message);
    recordScene(scene, name, STEPS);
    sceneDestroy(scene);
    Job *job = calloc(1, sizeof *job);
    *job = (Job){ .memory = memoryMake(NULL), .runCount = 1, .to = STEPS, .strides = 3, .stride = STEPS / 3.0 };
    assert_int_equal(runOpen(&job->run[0], &job->memory, inFolder(name)).code, VV_OK);
    static const int sizes[][2] = { { 120, 90 }, { 80, 80 }, { 160, 80 }, { 80, 140 } };
    for (int i = 0; i < 4; ++i)
        checkPanel(job, name, sizes[i][0], sizes[i][1]);
    // a floor is a plane of the scene, or there is none
    bool plane = false;
    for (int i = 0; i < job->run[0].colliderCount; ++i)
        plane = plane || job->run[0].collider[i].plane;
    assert_true(plane || isnan(collidersGround(&job->run[0])));
    runClose(&job->run[0]);
    assert_int_equal(job->memory.blocks, 0);
    free(job);
}

static void everySceneFillsItsPanels(void **state)
{
    (void)state;
    DIR *scenes = opendir(SOURCE_FOLDER "/scenes");
    assert_non_null(scenes);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(scenes)) != NULL;)
    {
        char path[512], name[256];
        size_t length = strlen(entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".json") != 0 || strstr(entry->d_name, "schema") != NULL)
            continue;
        snprintf(path, sizeof path, "%s/scenes/%s", SOURCE_FOLDER, entry->d_name);
        snprintf(name, sizeof name, "%.*s", (int)length - 5, entry->d_name);
        checkScene(path, name);
        ++count;
    }
    closedir(scenes);
    assert_true(count >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(everySceneFillsItsPanels) };
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
