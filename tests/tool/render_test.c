#define _XOPEN_SOURCE 700 // mkdtemp, setenv, truncate
// verve render on folders as 'verve run' writes them: what it draws, what it refuses and how it says so.
#include "rendering.h"

static const char sceneJson[] =
    "{ \"verve\": 1, \"name\": \"test\", \"timestep\": 0.02, \"frames\": 6,"
    "\"integrator\": { \"method\": \"%s\" },"
    "\"bodies\": [ { \"name\": \"cube\", \"mesh\": { \"shape\": \"box\", \"size\": [1, 1, 1],"
    "\"cells\": [2, 2, 2] }, \"material\": \"jelly\", \"position\": [0, 2, 0] },"
    "{ \"name\": \"line\", \"mesh\": { \"shape\": \"rope\", \"size\": [1, 1, 1], \"cells\": [4, 1, 1] },"
    "\"material\": \"rubber\", \"position\": [0, 3, 0] } ],"
    "\"colliders\": [ { \"shape\": \"plane\", \"offset\": -3 }, { \"shape\": \"plane\", \"normal\": [1, 1, 0], "
    "\"offset\": -9 }, { \"shape\": \"sphere\", \"radius\": 1, \"position\": [4, 0, 0], \"keyframes\": [ { \"time\": "
    "0.1, "
    "\"position\": [4, 2, 0] } ] } ],"
    "\"record\": { \"ledger\": \"ledger.csv\", \"frames\": \"frames.pc2\" } }";

static void record(const char *name, const char *method)
{
    char text[2048];
    vvResult result;
    int length = snprintf(text, sizeof text, sceneJson, method);
    Scene *scene = sceneParse(text, (size_t)length, "", NULL, 0, &result);
    if (scene == NULL)
        fail_msg("%s", result.message);
    recordScene(scene, name, 6);
    sceneDestroy(scene);
}

static void writesEveryKind(void **state)
{
    (void)state;
    record("a", "implicit-midpoint");
    record("b", "backward-euler");
    assert_int_equal(RENDER(inFolder("a"), "--out", inFolder("strip.png"), "--size", "200x60"), EXIT_DONE);
    assert_true(sizeOf(inFolder("strip.png")) > 1000);
    assert_int_equal(RENDER(inFolder("a"), inFolder("b"), "--out", inFolder("two.gif"), "--size", "160x120", "--curves",
                            "--colour=strain", "--label", "one", "--json"),
                     EXIT_DONE);
    assert_true(sizeOf(inFolder("two.gif")) > 1000);
    assert_int_equal(RENDER(inFolder("a"), "--out", inFolder("f%03d.png"), "--size=64x48", "--from", "2", "--every",
                            "2", "--colour", "speed", "--eye", "1,2,3", "--target=0,2,0"),
                     EXIT_DONE);
    assert_true(sizeOf(inFolder("f002.png")) > 100 && sizeOf(inFolder("f004.png")) > 100 &&
                sizeOf(inFolder("f006.png")) > 100);
    assert_int_equal(sizeOf(inFolder("f003.png")), -1);
    assert_int_equal(sizeOf(inFolder("f000.png")), -1);
    // nothing half-done is left lying about
    assert_int_equal(sizeOf(inFolder("two.gif.part")), -1);
}

static void positionsComeBack(void **state)
{
    (void)state;
    record("c", "implicit-midpoint");
    Run run = { 0 };
    Memory memory = memoryMake(NULL);
    assert_int_equal(runOpen(&run, &memory, inFolder("c")).code, VV_OK);
    assert_int_equal(run.frameCount, 7);
    assert_int_equal(run.show.bodyCount, 2);
    assert_string_equal(run.label, "implicit-midpoint");
    // the rope falls freely: g t^2 / 2 after six steps of 0.02 s, exactly for midpoint and within floats
    assert_int_equal(runLoad(&run, 6, VV_COLOUR_STRAIN).code, VV_OK);
    CHECK_NEAR(run.show.body[1].points[1], 3 - 0.5 * 9.81 * 0.12 * 0.12, 1e-6);
    for (int v = 0; v < run.show.body[0].vertexCount; ++v)
        CHECK_BELOW(run.show.body[0].field[v], 1e-4); // falling is no strain
    // speed: of the step before, at its middle
    assert_int_equal(runLoad(&run, 6, VV_COLOUR_SPEED).code, VV_OK);
    CHECK_NEAR(run.show.body[1].field[0], 9.81 * 0.11, 1e-4);
    // the one vertex inside the cube was not recorded
    int inside = 0;
    for (int v = 0; v < run.show.body[0].vertexCount; ++v)
        inside += isnan(run.show.body[0].points[3 * v]);
    assert_int_equal(inside, 1);
    runClose(&run);
    assert_int_equal(memory.blocks, 0);
}

static void strainIsMeasured(void **state)
{
    (void)state;
    vvMesh *mesh = vvCreateSheetMesh(1, 1, 2, 2);
    double points[27], field[9], weight[9];
    const double *rest = vvMesh_GetPoints(mesh);
    ShownBody body = { .mesh = mesh, .vertexCount = 9, .points = points, .field = field, .weight = weight };
    body.rest = vvMesh_GetPoints(mesh);
    body.triangle = vvMesh_GetSurface(mesh);
    body.triangleCount = vvMesh_GetSurfaceCount(mesh);
    // 30 % longer along x, 10 % shorter along z, turned upright
    for (int v = 0; v < 9; ++v)
    {
        points[3 * v] = 7;
        points[3 * v + 1] = 1.3 * rest[3 * v];
        points[3 * v + 2] = 0.9 * rest[3 * v + 2];
    }
    fieldStrain(&body);
    for (int v = 0; v < 9; ++v)
        CHECK_NEAR(field[v], 0.3, 1e-12);
    vvDestroyMesh(mesh);
}

static void damagedRecordsAreReadAsFarAsTheyGo(void **state)
{
    (void)state;
    record("d", "implicit-midpoint");
    Memory memory = memoryMake(NULL);
    const char *cache = inFolder("d/frames-line.pc2");
    // 32 bytes of header, 5 points of 12 bytes: three frames and a half
    assert_int_equal(truncate(cache, 32 + 60 * 3 + 30), 0);
    Run run = { 0 };
    assert_int_equal(runOpen(&run, &memory, inFolder("d")).code, VV_OK);
    assert_int_equal(run.frameCount, 3);
    runClose(&run);
    assert_int_equal(RENDER(inFolder("d"), "--out", inFolder("d.png"), "--size", "64x48"), EXIT_DONE);
    assert_int_equal(RENDER(inFolder("d"), "--out", inFolder("d5.png"), "--to", "5"), EXIT_BAD_INPUT);
    assert_int_equal(truncate(cache, 40), 0);
    assert_int_equal(RENDER(inFolder("d"), "--out", inFolder("d2.png")), EXIT_INPUT_OUTPUT);
    assert_int_equal(truncate(cache, 10), 0);
    assert_int_equal(RENDER(inFolder("d"), "--out", inFolder("d2.png")), EXIT_INPUT_OUTPUT);
    assert_int_equal(remove(cache), 0);
    assert_int_equal(RENDER(inFolder("d"), "--out", inFolder("d2.png")), EXIT_INPUT_OUTPUT);
    assert_int_equal(sizeOf(inFolder("d2.png")), -1);
    // a cache of another body
    assert_int_equal(rename(inFolder("d/frames-cube.pc2"), inFolder("d/frames-line.pc2")), 0);
    vvResult result = runOpen(&run, &memory, inFolder("d"));
    assert_int_not_equal(result.code, VV_OK);
    runClose(&run);
    assert_int_equal(memory.blocks, 0);
}

static void badWordsAreRefused(void **state)
{
    (void)state;
    record("e", "implicit-midpoint");
    const char *e = inFolder("e"), *out = inFolder("e.png");
    assert_int_equal(RENDER(e), EXIT_BAD_INPUT);
    assert_int_equal(RENDER("--out", out), EXIT_BAD_INPUT);
    assert_int_equal(RENDER(e, "--out", inFolder("e.jpg")), EXIT_BAD_INPUT);
    assert_int_equal(RENDER(e, "--out", out, "--size", "0x10"), EXIT_BAD_INPUT);
    assert_int_equal(RENDER(e, "--out", out, "--size", "100"), EXIT_BAD_INPUT);
    assert_int_equal(RENDER(e, "--out", out, "--size", "99999x9"), EXIT_BAD_INPUT);
    assert_int_equal(RENDER(e, "--out", out, "--colour", "red"), EXIT_BAD_INPUT);
    assert_int_equal(RENDER(e, "--out", out, "--eye", "1,2"), EXIT_BAD_INPUT);
    assert_int_equal(RENDER(e, "--out", out, "--eye", "1,2,3,4"), EXIT_BAD_INPUT);
    assert_int_equal(RENDER(e, "--out", out, "--eye", "1,2,3", "--target", "1,2,3"), EXIT_BAD_INPUT);
    assert_int_equal(RENDER(e, "--out", out, "--from", "7"), EXIT_BAD_INPUT);
    assert_int_equal(RENDER(e, "--out", out, "--fov", "0"), EXIT_BAD_INPUT);
    assert_int_equal(RENDER(e, "--out", inFolder("e%s.png")), EXIT_BAD_INPUT);
    assert_int_equal(RENDER(e, "--out", inFolder("e%d%d.png")), EXIT_BAD_INPUT);
    assert_int_equal(RENDER(e, "--out", inFolder("e.mp4"), "--size", "63x64"), EXIT_BAD_INPUT);
    assert_int_equal(RENDER(inFolder("nothing"), "--out", out), EXIT_INPUT_OUTPUT);
    assert_int_equal(RENDER(e, "--out", inFolder("no/such/folder.png"), "--size", "32x32"), EXIT_INPUT_OUTPUT);
    assert_int_equal(RENDER(e, "--out", inFolder("no/such/folder.gif"), "--size", "32x32"), EXIT_INPUT_OUTPUT);
    assert_int_equal(remove(inFolder("e/ledger.csv")), 0);
    assert_int_equal(RENDER(e, "--out", out, "--curves"), EXIT_INPUT_OUTPUT);
    assert_int_equal(sizeOf(out), -1);
}

static void withoutFfmpegItSaysSo(void **state)
{
    (void)state;
    record("g", "implicit-midpoint");
    char *path = getenv("PATH"), *kept = path != NULL ? strdup(path) : NULL;
    setenv("PATH", folder, 1);
    int code = RENDER(inFolder("g"), "--out", inFolder("g.mp4"), "--size", "32x32");
    if (kept != NULL)
        setenv("PATH", kept, 1);
    free(kept);
    assert_int_equal(code, EXIT_BAD_INPUT);
    assert_int_equal(sizeOf(inFolder("g.mp4")), -1);
}

static void ledgersAreReadByName(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    FILE *file = fopen(inFolder("l.csv"), "wb");
    fputs(
        "target,frame,time,kinetic,elastic,gravity,contact,total\n1,0,0,2,3,4,5,6\n1,1,0.5,2,3,4,nan,-7e-1\n1,2,0.9,2",
        file);
    fclose(file);
    LedgerTable table = { 0 };
    assert_int_equal(ledgerRead(&memory, inFolder("l.csv"), &table).code, VV_OK);
    assert_int_equal(table.count, 2);
    CHECK_NEAR(table.account[ACCOUNT_TOTAL][1], -0.7, 0);
    CHECK_NEAR(table.account[ACCOUNT_TIME][1], 0.5, 0);
    assert_true(isnan(table.account[ACCOUNT_CONTACT][1]));
    ledgerRelease(&memory, &table);
    table = (LedgerTable){ 0 };
    file = fopen(inFolder("l.csv"), "wb");
    fputs("time,total\n0,1\n", file);
    fclose(file);
    assert_int_equal(ledgerRead(&memory, inFolder("l.csv"), &table).code, VV_BAD_INPUT);
    ledgerRelease(&memory, &table);
    assert_int_equal(memory.blocks, 0);
}

// the level plane is the ground, the others are drawn; keyframed ones are where they are at the frame's time
static void collidersAreDrawn(void **state)
{
    (void)state;
    record("h", "implicit-midpoint");
    Run run = { 0 };
    Memory memory = memoryMake(NULL);
    Look look = { .size = 1 };
    assert_int_equal(runOpen(&run, &memory, inFolder("h")).code, VV_OK);
    assert_int_equal(run.show.colliderCount, 3);
    assert_int_equal(runLoad(&run, 2, VV_COLOUR_PLAIN).code, VV_OK);
    CHECK_NEAR(collidersGround(&run.show), -3, 1e-12);
    vvBox box = { { 1e300, 1e300, 1e300 }, { -1e300, -1e300, -1e300 } };
    ShownBody sphere = { .points = run.show.collider[2].points, .vertexCount = run.show.collider[2].shape.pointCount };
    assert_int_equal(pointsBounds(sphere.points, sphere.vertexCount, &box), sphere.vertexCount);
    // at 0.04 s the sphere is at 0.8 m, and drawn 0.6 % of its size smaller
    CHECK_NEAR(box.upper.y, 0.8 + 1 - 0.012, 1e-12);
    CHECK_NEAR(box.lower.x, 4 - 1 + 0.012, 1e-12);
    Stage *stage = stageCreate(&memory);
    assert_true(collidersAdd(&run.show, &look, stage));
    vvResult result;
    Picture *picture = pictureCreate(&memory, 60, 40, &result);
    Camera camera = { vec3(4, 0.8, 6), vec3(4, 0.8, 0), 40 };
    assert_int_equal(stageDraw(stage, &camera, picture, (Rect){ 0, 0, 60, 40 }).code, VV_OK);
    // the sphere in the middle is grey, darker than the sky in the corner
    const uint8_t *middle = picture->rgb + 3 * (20 * 60 + 34), *corner = picture->rgb;
    assert_true(abs(middle[0] - middle[2]) < 20);
    assert_true(middle[2] + 10 < corner[2]);
    pictureDestroy(picture);
    stageDestroy(stage);
    runClose(&run);
    assert_int_equal(memory.blocks, 0);
}

// particles are balls, and a trail is where its vertex was
static void particlesAndTrailsAreDrawn(void **state)
{
    (void)state;
    static const char text[] =
        "{ \"verve\": 1, \"timestep\": 0.05, \"frames\": 20, \"bodies\": [ { \"name\": \"balls\", \"mesh\": { "
        "\"points\": [[0, 0, 0], [1, 0, 0], [2, 0, 0]], \"springs\": [[1, 2]] }, \"velocity\": [0, 4.905, 0], "
        "\"material\": { \"model\": \"spring\", \"thickness\": 0.2 }, "
        "\"regions\": [ { \"where\": { \"vertices\": [0] }, \"mass\": 3 } ] } ], "
        "\"record\": { \"frames\": \"frames.pc2\" } }";
    vvResult result;
    Scene *scene = sceneParse(text, sizeof text - 1, "", NULL, 0, &result);
    if (scene == NULL)
        fail_msg("%s", result.message);
    recordScene(scene, "particles", 20);
    sceneDestroy(scene);
    const char *folder0 = inFolder("particles");
    static const char *const bad[] = { "3", "-1", "ball:0", "0;1", "balls:" };
    for (int i = 0; i < 5; ++i)
        assert_int_equal(RENDER(folder0, "--out", inFolder("p.png"), "--trail", bad[i]), EXIT_BAD_INPUT);
    assert_int_equal(RENDER(folder0, "--out", inFolder("p.html"), "--trail", "0"), EXIT_BAD_INPUT);
    assert_int_equal(RENDER(folder0, "--out", inFolder("p.png"), "--trail", "balls:0,2", "--size", "64x48"), EXIT_DONE);
    Run run = { 0 };
    Memory memory = memoryMake(NULL);
    assert_int_equal(runOpen(&run, &memory, folder0).code, VV_OK);
    CHECK_CLOSE(vvSoftBody_GetMass(run.show.body[0].id), 3 + 1000 * PI / 4 * 0.04, 0.2); // rubber
    Words words = { .optionCount = 1, .option = { { .name = "--trail", .value = "0" } } };
    assert_int_equal(trailsOpen(&run, &words).code, VV_OK);
    assert_int_equal(run.show.trailPlaces, 21);
    for (int f = 0; f <= 20; ++f) // up and down again
        CHECK_NEAR(run.show.trail[3 * f + 1], 4.905 * 0.05 * f - 0.5 * 9.81 * pow(0.05 * f, 2), 1e-6);
    assert_int_equal(runLoad(&run, 10, VV_COLOUR_PLAIN).code, VV_OK);
    assert_int_equal(run.show.trailShown, 11);
    // at the top of its way the ball is red where it is, and so is the trail below it
    Stage *stage = stageCreate(&memory);
    Picture *picture = pictureCreate(&memory, 60, 60, &result);
    Look look = { .size = 3, .camera = { vec3(0, 0.6, 6), vec3(0, 0.6, 0), 25 } };
    for (int trail = 1; trail >= 0; --trail)
    {
        run.show.trailShown = trail ? 11 : 0;
        assert_int_equal(panelShow(&run.show, &look, stage, picture, (Rect){ 0, 0, 60, 60 }).code, VV_OK);
        const uint8_t *ball = picture->rgb + 3 * (16 * 60 + 30), *below = picture->rgb + 3 * (35 * 60 + 30);
        assert_true(ball[0] > ball[2] + 40);
        assert_true(trail ? below[0] > below[2] + 40 : below[0] < below[2] + 40);
    }
    pictureDestroy(picture);
    stageDestroy(stage);
    runClose(&run);
    assert_int_equal(memory.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writesEveryKind),
        cmocka_unit_test(positionsComeBack),
        cmocka_unit_test(strainIsMeasured),
        cmocka_unit_test(damagedRecordsAreReadAsFarAsTheyGo),
        cmocka_unit_test(badWordsAreRefused),
        cmocka_unit_test(withoutFfmpegItSaysSo),
        cmocka_unit_test(ledgersAreReadByName),
        cmocka_unit_test(collidersAreDrawn),
        cmocka_unit_test(particlesAndTrailsAreDrawn),
    };
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
