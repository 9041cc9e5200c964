#define _XOPEN_SOURCE 700 // mkdtemp
// What pictures have whatever is in them: runs stand in a grid of the right size, a run that diverged disturbs no
// other, and folders of the library's own recorder are drawn like those of the tool.
#include "draw/image.h"
#include "rendering.h"
#include "undamped.h"

#include <math.h>

// ---- grids and strips -----------------------------------------------------------------------------------------------

static void recordCube(const char *name)
{
    static const char text[] =
        "{ \"verve\": 1, \"timestep\": 0.02, \"gravity\": [0, 0, 0], \"bodies\": [ { \"mesh\": { \"shape\": \"box\","
        "\"cells\": 1 }, \"spin\": [0, 2, 1], \"pins\": [ { \"where\": { \"vertices\": [0] } } ] } ] }";
    vvResult result;
    Scene *scene = sceneParse(text, sizeof text - 1, "", NULL, 0, &result);
    if (scene == NULL)
        fail_msg("%s", result.message);
    recordScene(scene, name, 8);
    sceneDestroy(scene);
}

// panels are apart by a line of paper where the next one begins, and drawn everywhere else
static void checkGrid(const Image *image, int columns, int rows, int runs)
{
    for (int i = 0; i < columns * rows; ++i)
    {
        int column = i % columns, row = i / columns;
        int left = image->width * column / columns, top = image->height * row / rows;
        assert_int_equal(isPaper(image, left + 8, top + 4), i >= runs);
        assert_true(column == 0 || isPaper(image, left, top + 4));
        assert_true(row == 0 || isPaper(image, left + 8, top));
    }
}

static void runsStandInTheirColumns(void **state)
{
    (void)state;
    recordCube("grid");
    const char *run = inFolder("grid"), *out = inFolder("grid.png");
    for (int runs = 2; runs <= 5; ++runs)
    {
        for (int columns = 1; columns <= 4; ++columns)
        {
            const char *words[16] = { "--out",   out,         "--size",
                                      "240x200", "--columns", (const char *[]){ "1", "2", "3", "4" }[columns - 1] };
            for (int i = 0; i < runs; ++i)
                words[6 + i] = run;
            assert_int_equal(renderWords(words), EXIT_DONE);
            Image image = imageRead(out);
            int across = minInt(columns, runs);
            checkGrid(&image, across, (runs + across - 1) / across, runs);
            imageFree(&image);
        }
    }
}

static void sizesFollowFromPanels(void **state)
{
    (void)state;
    recordCube("size");
    const char *run = inFolder("size"), *out = inFolder("size.png");
    // a single frame
    assert_int_equal(RENDER(run, "--out", out, "--from", "3", "--to", "3"), EXIT_DONE);
    Image image = imageRead(out);
    assert_int_equal(image.width, 960);
    assert_int_equal(image.height, 540);
    imageFree(&image);
    // a strip: no flatter than 4 : 3 at four frames, the curves below it
    assert_int_equal(RENDER(run, "--out", out), EXIT_DONE);
    image = imageRead(out);
    assert_int_equal(image.width, 1280);
    assert_in_range(image.height, 240, 400);
    int strip = image.height;
    imageFree(&image);
    assert_int_equal(RENDER(run, "--out", out, "--curves"), EXIT_DONE);
    image = imageRead(out);
    assert_int_equal(image.height, strip + 180);
    imageFree(&image);
    // four runs in two columns: two rows of panels of 480 pixels; without --columns the same
    for (int i = 0; i < 2; ++i)
    {
        assert_int_equal(RENDER(run, run, run, run, "--out", out, "--from", "8", "--to", "8", "--json",
                                i == 0 ? "--columns=2" : NULL),
                         EXIT_DONE);
        image = imageRead(out);
        assert_int_equal(image.width, 960);
        assert_in_range(image.height, 2 * 240, 2 * 480);
        imageFree(&image);
    }
    // one row of frames for each run
    assert_int_equal(RENDER(run, run, run, "--out", out), EXIT_DONE);
    image = imageRead(out);
    assert_in_range(image.height, 3 * strip - 2, 3 * strip + 2);
    imageFree(&image);
}

// ---- runs that diverged ---------------------------------------------------------------------------------------------

// from frame `first` on, the points of a cache are `factor` times as far from the origin each frame, as of a step too
// large
static void explode(const char *path, int first, double factor)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    uint32_t header[8];
    assert_int_equal(fread(header, 4, 8, file), 8);
    uint32_t points = header[4], frames = header[7];
    for (uint32_t frame = (uint32_t)first; frame < frames; ++frame)
    {
        for (uint32_t i = 0; i < 3 * points; i += 7)
        {
            long at = 32 + 4 * (long)(frame * 3 * points + i);
            float value = (float)((i % 2 ? 1 : -1) * pow(factor, 1 + frame - (uint32_t)first));
            fseek(file, at, SEEK_SET);
            fwrite(&value, sizeof value, 1, file);
        }
    }
    fclose(file);
}

static void divergedRunsDisturbNoOther(void **state)
{
    (void)state;
    recordCube("good");
    recordCube("bad");
    explode(inFolder("bad/frames.pc2"), 5, 40);
    // one that is torn slowly, and looks different long before
    recordCube("odd");
    explode(inFolder("odd/frames.pc2"), 2, 1.6);
    const char *good = inFolder("good"), *bad = inFolder("bad"), *odd = inFolder("odd"), *one = inFolder("1.png"),
               *two = inFolder("2.png");
    static const char *const colours[] = { "plain", "strain", "speed" };
    for (int i = 0; i < 3; ++i)
    {
        assert_int_equal(RENDER(good, good, "--out", one, "--size", "320x160", "--colour", colours[i]), EXIT_DONE);
        assert_int_equal(RENDER(good, bad, "--out", two, "--size", "320x160", "--colour", colours[i]), EXIT_DONE);
        Image a = imageRead(one), b = imageRead(two);
        // the upper row is the good run: the same pixels, pins included
        assert_memory_equal(a.rgb, b.rgb, 3 * 320 * 80);
        // the first frame of the other is good too; its last is the last good one
        size_t row = 3 * 320, differs = 0;
        for (size_t y = 100; y < 160; ++y)
            differs += memcmp(a.rgb + y * row, b.rgb + y * row, 3 * 78) != 0;
        assert_int_equal(differs, 0);
        imageFree(&b);
        assert_int_equal(RENDER(good, odd, "--out", two, "--size", "320x160", "--colour", colours[i]), EXIT_DONE);
        b = imageRead(two);
        assert_memory_equal(a.rgb, b.rgb, 3 * 320 * 80);
        assert_memory_not_equal(a.rgb, b.rgb, 3 * 320 * 160);
        imageFree(&a);
        imageFree(&b);
    }
    Run run = { 0 };
    Memory memory = memoryMake(NULL);
    assert_int_equal(runOpen(&run, &memory, bad).code, VV_OK);
    assert_int_equal(surveyDivergence(&run, 8).code, VV_OK);
    assert_true(run.diverged);
    assert_int_equal(run.saneCount, 5);
    // later frames are the last good one
    assert_int_equal(runLoad(&run, 8, VV_COLOUR_PLAIN).code, VV_OK);
    for (int v = 0; v < run.show.body[0].vertexCount; ++v)
        assert_true(fabs(run.show.body[0].points[3 * v]) < 2);
    runClose(&run);
    assert_int_equal(runOpen(&run, &memory, good).code, VV_OK);
    assert_int_equal(surveyDivergence(&run, 8).code, VV_OK);
    assert_false(run.diverged);
    runClose(&run);
    assert_int_equal(memory.blocks, 0);
    // alone it is drawn as well
    assert_int_equal(RENDER(bad, "--out", one, "--size", "320x160", "--curves"), EXIT_DONE);
}

// ---- the camera of the command line ---------------------------------------------------------------------------------

static void anEyeAloneLooksAtTheMiddle(void **state)
{
    (void)state;
    recordCube("eye");
    Job *job = calloc(1, sizeof *job);
    *job = (Job){ .memory = memoryMake(NULL), .runCount = 1, .to = 8, .strides = 8, .stride = 1, .hasEye = true };
    double shape;
    assert_int_equal(runOpen(&job->run[0], &job->memory, inFolder("eye")).code, VV_OK);
    job->look.camera.eye = vec3(10, 10, 10);
    assert_int_equal(lookSurvey(job, &shape).code, VV_OK);
    assert_int_equal(lookPrepare(job, 1).code, VV_OK);
    double x, y;
    Rect rect = { 0, 0, 100, 100 };
    Vec3 middle = vecScale(0.5, vecAdd(job->look.box.lower, job->look.box.upper));
    assert_true(cameraProject(&job->look.camera, rect, middle, &x, &y));
    CHECK_NEAR(x, 50, 1e-6);
    CHECK_NEAR(y, 50, 1e-6);
    CHECK_NEAR(job->look.camera.eye.x, 10, 0);
    runClose(&job->run[0]);
    free(job);
}

// ---- folders of a program's own recorder ----------------------------------------------------------------------------

static void recordFromC(const char *name, const char *stem, int bodies, const char *formats)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    vvResult result;
    vvWorldId world = vvCreateWorld(&worldDef, &result);
    vvMesh *mesh[3] = { vvCreateSphereMesh(1, 2), vvCreateSheetMesh(1, 1, 3, 2), vvCreateRopeMesh(1, 4) };
    for (int i = 0; i < bodies; ++i)
    {
        vvSoftBodyDef def = undampedDef();
        def.mesh = mesh[i];
        def.material.thickness = 0.01;
        def.position.x = 2 * i;
        vvCreateSoftBody(world, &def, &result);
        assert_int_equal(result.code, VV_OK);
    }
    vvRecorderDef def = vvDefaultRecorderDef();
    def.folder = inFolder(name);
    def.frames = stem;
    def.formats = formats;
    def.ledger = "ledger.csv";
    def.frameTime = 0.02;
    vvRecorder *recorder = vvCreateRecorder(world, &def, &result);
    assert_non_null(recorder);
    for (int frame = 0; frame <= 3; ++frame)
    {
        assert_int_equal(vvRecorder_Add(recorder).code, VV_OK);
        assert_int_equal(vvWorld_Step(world, 0.02).code, VV_OK);
    }
    assert_int_equal(vvRecorder_Close(recorder).code, VV_OK);
    vvDestroyWorld(world);
    for (int i = 0; i < 3; ++i)
        vvDestroyMesh(mesh[i]);
}

static void recordersAreDrawnWithoutAScene(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    for (int bodies = 1; bodies <= 3; ++bodies)
    {
        char name[16];
        snprintf(name, sizeof name, "c%d", bodies);
        recordFromC(name, "my-frames", bodies, bodies == 2 ? "obj,usda" : "pc2,vtu");
        const char *out = inFolder("c.png");
        assert_int_equal(RENDER(inFolder(name), "--out", out, "--size", "200x60", "--curves"), EXIT_DONE);
        assert_true(sizeOf(out) > 1000);
        Run run = { 0 };
        assert_int_equal(runOpen(&run, &memory, inFolder(name)).code, VV_OK);
        assert_int_equal(run.show.bodyCount, bodies);
        assert_int_equal(run.frameCount, 4);
        assert_string_equal(run.label, name);
        CHECK_NEAR(run.timestep, 0.02, 1e-12); // from the ledger
        assert_true(run.show.body[0].solid);   // a closed surface looks like the solid that it was
        // what fell is where it fell to
        assert_int_equal(runLoad(&run, 3, VV_COLOUR_STRAIN).code, VV_OK);
        for (int i = 0; i < bodies; ++i)
            assert_true(run.show.body[i].points[1] < 0.6 && isfinite(run.show.body[i].field[0]));
        runClose(&run);
    }
    // without a ledger it is drawn too; frames of two records are not, nor what holds no point cache
    assert_int_equal(remove(inFolder("c2/ledger.csv")), 0);
    assert_int_equal(RENDER(inFolder("c2"), "--out", inFolder("c.png"), "--size", "64x48"), EXIT_DONE);
    recordFromC("c3", "other", 1, "pc2");
    assert_int_equal(RENDER(inFolder("c3"), "--out", inFolder("c.png"), "--size", "64x48"), EXIT_BAD_INPUT);
    // a frame that was cut among its vertices is refused, wherever the cut is
    Run run = { 0 };
    const char *cut = inFolder("c2/my-frames-body0_000003.obj");
    assert_int_equal(runOpen(&run, &memory, inFolder("c2")).code, VV_OK);
    for (long size = 600; size >= 0; --size)
    {
        assert_int_equal(truncate(cut, size), 0);
        assert_int_not_equal(runLoad(&run, 3, VV_COLOUR_PLAIN).code, VV_OK);
    }
    runClose(&run);
    recordFromC("v", "frames", 1, "usda");
    assert_int_equal(RENDER(inFolder("v"), "--out", inFolder("c.png"), "--size", "64x48"), EXIT_INPUT_OUTPUT);
    assert_int_equal(memory.blocks, 0);
}

// ---- axes -----------------------------------------------------------------------------------------------------------

// rows of the plot with a line of the grid right through
static int gridLines(const Picture *picture)
{
    int lines = 0;
    bool before = false;
    for (int y = 0; y < picture->height; ++y)
    {
        int x = picture->width - 60, plain = 0;
        for (int i = 0; i < 30; ++i)
            plain += picture->rgb[3 * ((size_t)y * (size_t)picture->width + (size_t)(x + i))] < 0xF0;
        lines += plain == 30 && !before;
        before = plain == 30;
    }
    return lines;
}

static void axesHaveTicks(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    Picture *picture = pictureCreate(&memory, 400, 90, NULL);
    for (double span = 1e-3; span < 1e4; span *= 1.07)
    {
        double x[2] = { 0, 1 }, y[2] = { 0.3 * span, 1.3 * span };
        PlotSeries series = { "", x, y, 1, { 0, 0, 0 } };
        Plot plot = { NULL, NULL, &series, 1, y[0], y[1], NAN, false, false };
        plotDraw(picture, (Rect){ 0, 0, 400, 90 }, &plot);
        if (gridLines(picture) < 2)
            fail_msg("an axis of %g has %d ticks", span, gridLines(picture));
    }
    pictureDestroy(picture);
}

// a run with the accounts of free fall over 5 steps: total 1 J; from row 3 on the total is `factor` times as large
static void fillLedger(Run *run, double rows[4][5], double factor)
{
    static double still[5] = { 0 };
    for (int i = 0; i < 5; ++i)
    {
        rows[0][i] = i;
        rows[1][i] = 1 + 100.0 * i;
        rows[2][i] = -100.0 * i;
        rows[3][i] = i < 3 ? 1 : factor;
    }
    *run = (Run){ .frameCount = 5, .saneCount = 5, .ledger = { .count = 5 } };
    double *account[ACCOUNTS] = { rows[0], rows[1], still, rows[2], still, rows[3], still };
    memcpy(run->ledger.account, account, sizeof account);
}

static void axesShowWhatIsSound(void **state)
{
    (void)state;
    Run runs[2];
    double rows[2][4][5], low, high;
    fillLedger(&runs[0], rows[0], 1);
    fillLedger(&runs[1], rows[1], 1e9);
    PlotSeries own[3];
    for (int k = 0; k < 3; ++k)
        own[k] = (PlotSeries){ "", rows[0][0], rows[0][k + 1], 5, { 0, 0, 0 } };
    // one run that falls: kinetic energy and gravity are seen to their ends
    curvesRange(runs, 1, own, 3, &low, &high);
    assert_true(low <= -400 && high >= 401);
    // one whose total explodes: the axis is that of physics, not of the explosion, whether or not its shape told
    own[2].y = rows[1][3];
    curvesRange(&runs[1], 1, own, 3, &low, &high);
    assert_true(high < 100);
    // beside another: the same
    for (int diverged = 0; diverged < 2; ++diverged)
    {
        PlotSeries totals[3] = { { "", rows[0][0], rows[0][3], 5, { 0, 0, 0 } },
                                 { "", rows[0][0], rows[0][3], 5, { 0, 0, 0 } },
                                 { "", rows[1][0], rows[1][3], 5, { 0, 0, 0 } } };
        runs[1].diverged = diverged == 1;
        runs[1].saneCount = 3;
        curvesRange(runs, 2, totals, 3, &low, &high);
        assert_true(low <= 1 && high >= 1 && high < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runsStandInTheirColumns),
        cmocka_unit_test(sizesFollowFromPanels),
        cmocka_unit_test(divergedRunsDisturbNoOther),
        cmocka_unit_test(anEyeAloneLooksAtTheMiddle),
        cmocka_unit_test(recordersAreDrawnWithoutAScene),
        cmocka_unit_test(axesHaveTicks),
        cmocka_unit_test(axesShowWhatIsSound),
    };
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
