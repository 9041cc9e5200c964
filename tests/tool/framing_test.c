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

// what the stage covers: bodies, soft and rigid, pins and springs, since colliders and ground are left out
static Covered coveredBy(Job *job, int frame, Stage *stage, Picture *picture)
{
    Run *run = &job->run[0];
    Rect rect = { 0, 0, picture->width, picture->height };
    assert_int_equal(runLoad(run, frame, VV_COLOUR_PLAIN).code, VV_OK);
    int scenery = sceneColliderCount(run->built);
    run->show.collider += scenery; // rigid bodies stand behind the colliders
    run->show.colliderCount -= scenery;
    assert_int_equal(panelDraw(run, &job->look, stage, picture, rect, frame).code, VV_OK);
    run->show.collider -= scenery;
    run->show.colliderCount += scenery;
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

static void checkFixed(const Job *job)
{
    Camera own;
    assert_true(sceneCamera(job->run[0].scene, &own.eye, &own.target, &own.fieldOfView));
    assert_memory_equal(&job->look.camera.eye, &own.eye, sizeof own.eye);
    assert_memory_equal(&job->look.camera.target, &own.target, sizeof own.target);
    assert_true(job->look.camera.fieldOfView == own.fieldOfView);
}

// the camera for a panel of this size; the run is open already
static void checkPanel(Job *job, const char *name, int width, int height)
{
    double shape;
    Picture *picture = pictureCreate(&job->memory, width, height, NULL);
    Stage *stage = stageCreate(&job->memory);
    job->look = (Look){ 0 };
    assert_int_equal(lookSurvey(job, &shape).code, VV_OK);
    assert_true(shape > 0.005 && shape < 200); // a taut cord is as flat as its thickness
    assert_int_equal(lookPrepare(job, (double)width / height).code, VV_OK);
    bool fixed = sceneCameraIsFixed(job->run[0].scene); // may cut, and may leave room for what comes
    if (fixed)
        checkFixed(job);
    Covered all = { width, height, 0, 0 };
    bool scenery = false; // colliders that count as seen take room from the bodies
    for (int i = 0; i < sceneColliderCount(job->run[0].built); ++i)
        scenery = scenery || !job->run[0].show.collider[i].plane;
    for (int k = 0; k <= job->strides; ++k)
    {
        Covered one = coveredBy(job, jobFrame(job, k), stage, picture);
        if (!fixed && (one.left < 1 || one.top < 1 || one.right > width - 1 || one.bottom > height - 1))
            fail_msg("%s at %d x %d: the subject reaches from %d, %d to %d, %d", name, width, height, one.left, one.top,
                     one.right, one.bottom);
        if (share(&one, picture, 0.9) < (scenery ? 0.5 : 1) * FILLED_EACH)
            fail_msg("%s at %d x %d: the bodies cover %g of a panel", name, width, height, share(&one, picture, 0.9));
        all = (Covered){ minInt(all.left, one.left), minInt(all.top, one.top), maxInt(all.right, one.right),
                         maxInt(all.bottom, one.bottom) };
    }
    if (!fixed && share(&all, picture, 1) < (scenery ? FILLED_BESIDE : FILLED))
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
    static const int sizes[][2] = { { 160, 80 }, { 80, 140 } };
    for (int i = 0; i < 2; ++i)
        checkPanel(job, name, sizes[i][0], sizes[i][1]);
    // a floor is a plane of the scene, or there is none
    bool plane = false;
    for (int i = 0; i < job->run[0].show.colliderCount; ++i)
        plane = plane || job->run[0].show.collider[i].plane;
    assert_true(plane || isnan(collidersGround(&job->run[0].show)));
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

// ---- what could be hidden or too thin -------------------------------------------------------------------------------

static Job *openText(const char *name, const char *text)
{
    vvResult result;
    Scene *scene = sceneParse(text, strlen(text), "", NULL, 0, &result);
    if (scene == NULL)
        fail_msg("%s", result.message);
    recordScene(scene, name, 1);
    sceneDestroy(scene);
    Job *job = calloc(1, sizeof *job);
    *job = (Job){ .memory = memoryMake(NULL), .runCount = 1, .to = 1, .strides = 1, .stride = 1 };
    double shape;
    assert_int_equal(runOpen(&job->run[0], &job->memory, inFolder(name)).code, VV_OK);
    assert_int_equal(lookSurvey(job, &shape).code, VV_OK);
    assert_int_equal(lookPrepare(job, 1).code, VV_OK);
    return job;
}

static void closeJob(Job *job)
{
    runClose(&job->run[0]);
    assert_int_equal(job->memory.blocks, 0);
    free(job);
}

// redness of the middle of the panel: a body is red, a collider grey
static int rednessOf(Job *job)
{
    Picture *picture = pictureCreate(&job->memory, 60, 60, NULL);
    Stage *stage = stageCreate(&job->memory);
    assert_int_equal(runLoad(&job->run[0], 0, VV_COLOUR_PLAIN).code, VV_OK);
    assert_int_equal(panelDraw(&job->run[0], &job->look, stage, picture, (Rect){ 0, 0, 60, 60 }, 0).code, VV_OK);
    const uint8_t *pixel = picture->rgb + 3 * (30 * 60 + 30);
    int red = pixel[0] - pixel[2];
    stageDestroy(stage);
    pictureDestroy(picture);
    return red;
}

static void collidersBeforeBodiesAreGlass(void **state)
{
    (void)state;
    static const char *const head =
        "{ \"verve\": 1, \"gravity\": [0, 0, 0], \"bodies\": [ { \"mesh\": { \"shape\": \"box\", \"cells\": 1 } } ],"
        "\"camera\": { \"eye\": [0, 0.3, 3] }, \"colliders\": [ ";
    static const char *const walls[] = {
        "{ \"shape\": \"box\", \"size\": [6, 6, 0.1], \"position\": [0, 0, 0.8] }",  // before the body
        "{ \"shape\": \"box\", \"size\": [9, 9, 9], \"position\": [0, 0, 5.2] }",    // around the eye
        "{ \"shape\": \"plane\", \"normal\": [0, 0, -1], \"offset\": -0.8 }",        // a plane between
        "{ \"shape\": \"box\", \"size\": [6, 6, 0.1], \"position\": [0, 0, -0.8] }", // behind it
        "{ \"shape\": \"plane\", \"offset\": -0.7 }",                                // below it
    };
    for (int i = 0; i < 5; ++i)
    {
        char text[1024];
        snprintf(text, sizeof text, "%s%s ] }", head, walls[i]);
        Job *job = openText("wall", text);
        assert_int_equal(job->run[0].show.collider[0].glass, i < 3);
        assert_true(rednessOf(job) > 40);
        closeJob(job);
    }
}

static void springsAreSeen(void **state)
{
    (void)state;
    // two small bodies far apart: whatever column of pixels lies between them, the spring covers some of it
    Job *job = openText("spring",
                        "{ \"verve\": 1, \"gravity\": [0, 0, 0], \"bodies\": [ { \"name\": \"a\", \"mesh\": {"
                        "\"shape\": \"box\", \"size\": 0.01, \"cells\": 1 }, \"position\": [-1, 0, 0] },"
                        "{ \"name\": \"b\", \"mesh\": { \"shape\": \"box\", \"size\": 0.01, \"cells\": 1 },"
                        "\"position\": [1, 0, 0] } ], \"attachments\": [ { \"a\": { \"body\": \"a\", \"vertex\": 0 },"
                        "\"b\": { \"body\": \"b\", \"vertex\": 0 }, \"restLength\": 2 } ],"
                        "\"camera\": { \"eye\": [0, 0.3, 3] } }");
    Picture *picture = pictureCreate(&job->memory, 60, 60, NULL);
    Stage *stage = stageCreate(&job->memory);
    coveredBy(job, 0, stage, picture);
    for (int x = 6; x < 54; ++x)
    {
        int seen = 0;
        for (int i = 0; i < 60 * SAMPLES; ++i)
            seen += stage->depth[(i / SAMPLES * 60 + x) * SAMPLES + i % SAMPLES] > 0;
        assert_true(seen >= SAMPLES);
    }
    stageDestroy(stage);
    pictureDestroy(picture);
    closeJob(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(everySceneFillsItsPanels),
                                        cmocka_unit_test(collidersBeforeBodiesAreGlass),
                                        cmocka_unit_test(springsAreSeen) };
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
