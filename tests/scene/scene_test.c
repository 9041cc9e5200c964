// Scenes become worlds: shipped ones, what the text of an understood scene means, --set, defaults.
#include "files.h"

#include "scene/scene.h"

#define SMALL "{ \"verve\": 1, \"bodies\": [ { \"mesh\": { \"shape\": \"box\", \"cells\": 1 } } ] }"

#ifdef __SANITIZE_ADDRESS__
#define STRIDE 4 // of the shipped scenes: all of them take too long
#else
#define STRIDE 1
#endif

static const char *const shipped[] = {
    "ball-in-box",   "cloth-on-sphere",
    "drop",          "flag",
    "shell",         "hanging-cloth",
    "incline",       "jelly",
    "plucked-bar",   "rope-bridge",
    "spheres",       "spinning-cube",
    "stiff-beam",    "swing",
    "torus",         "trampoline",
    "twisted-bar",   "two-boxes",
    "wrecking-ball", "heap-100",
    "crowd",         "layered-cloth",
    "ball-pit",      "sack",
    "dominoes",      "cape",
    "hippo",         "bunny",
    "cactus",        "dog",
    "car",           "horn",
};

static Scene *parse(const char *text)
{
    vvResult result;
    Scene *scene = sceneParse(text, strlen(text), "", NULL, 0, &result);
    if (scene == NULL)
        fail_msg("%s; %s", result.message, result.remedy);
    return scene;
}

static SceneWorld *build(const Scene *scene)
{
    vvResult result;
    SceneWorld *built = sceneBuild(scene, NULL, &result);
    if (built == NULL)
        fail_msg("%s; %s", result.message, result.remedy);
    return built;
}

static void run(SceneWorld *built, int frames)
{
    for (int i = 0; i < frames; ++i)
    {
        vvResult result = sceneStep(built);
        if (result.code != VV_OK)
            fail_msg("frame %d: %s; %s", i, result.message, result.remedy);
    }
}

static uint64_t hashAfter(const Scene *scene, int frames)
{
    SceneWorld *built = build(scene);
    run(built, frames);
    uint64_t hash = vvWorld_GetHash(sceneWorldId(built));
    sceneRelease(built);
    return hash;
}

// every shipped scene reads, builds and steps; its own text read again takes the same steps, bit for bit
static void testShipped(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shipped / sizeof shipped[0]; i += STRIDE)
    {
        char path[4096];
        vvResult result;
        assert_true(sceneFind(shipped[i], path, sizeof path));
        Scene *scene = sceneRead(path, false, NULL, 0, &result);
        if (scene == NULL)
            fail_msg("%s: %s", shipped[i], result.message);
        assert_true(strlen(sceneDescription(scene)) > 20);
        assert_true(sceneFrames(scene) >= 100);
        char *text = sceneText(scene);
        Scene *again = parse(text);
        char *same = sceneText(again);
        assert_string_equal(text, same);
        assert_true(hashAfter(scene, 2) == hashAfter(again, 2));
        sceneFreeText(text);
        sceneFreeText(same);
        sceneDestroy(scene);
        sceneDestroy(again);
    }
}

static void testTextKeepsBits(void **state)
{
    (void)state;
    char *base = readSource("tests/scene/base.json", NULL);
    Scene *scene = parse(base);
    char *text = sceneText(scene);
    Scene *again = parse(text);
    assert_true(hashAfter(scene, 5) == hashAfter(again, 5));
    assert_true(hashAfter(scene, 5) == hashAfter(scene, 5));
    assert_true(hashAfter(scene, 5) != hashAfter(scene, 4));
    sceneFreeText(text);
    sceneDestroy(scene);
    sceneDestroy(again);
    free(base);
}

// a number with 17 digits comes back as it was
static void testNumbersKeepBits(void **state)
{
    (void)state;
    static const char text[] =
        "{ \"verve\": 1, \"timestep\": 0.010000000000000002, \"bodies\": [ { \"mesh\": { \"shape\": "
        "\"tet\" } } ] }";
    Scene *scene = parse(text);
    char *printed = sceneText(scene);
    Scene *again = parse(printed);
    assert_true(sceneTimestep(scene) == 0.010000000000000002);
    assert_true(sceneTimestep(again) == sceneTimestep(scene));
    sceneFreeText(printed);
    sceneDestroy(scene);
    sceneDestroy(again);
}

// what a scene leaves out is what the library leaves out
static void testDefaults(void **state)
{
    (void)state;
    Scene *scene = parse(SMALL);
    SceneWorld *built = build(scene);
    vvWorldId world = sceneWorldId(built);
    vvWorldDef def = vvDefaultWorldDef();
    vvVec3 gravity = vvWorld_GetGravity(world);
    assert_true(gravity.x == def.gravity.x && gravity.y == def.gravity.y && gravity.z == def.gravity.z);
    assert_string_equal(vvWorld_GetMethod(world), def.method);
    assert_true(sceneTimestep(scene) == def.timestep);
    assert_int_equal(sceneFrames(scene), 300);
    assert_int_equal(sceneSubsteps(scene), 1);
    assert_string_equal(vvSoftBody_GetName(sceneBody(built, 0)), "body1");
    CHECK_CLOSE(vvSoftBody_GetMass(sceneBody(built, 0)), vvMaterial_Rubber().density, 1e-14); // a cubic metre
    vvVec3 eye, target;
    double angle;
    assert_false(sceneCamera(scene, &eye, &target, &angle));
    vvRecorderDef record = vvDefaultRecorderDef();
    sceneRecord(scene, &record);
    assert_string_equal(record.ledger, "ledger.csv");
    assert_string_equal(record.snapshot, "snapshot.vvs");
    assert_string_equal(record.formats, "pc2");
    sceneRelease(built);
    sceneDestroy(scene);
}

static void testRecordAndCamera(void **state)
{
    (void)state;
    char *base = readSource("tests/scene/base.json", NULL);
    Scene *scene = parse(base);
    vvRecorderDef record = vvDefaultRecorderDef();
    sceneRecord(scene, &record);
    assert_string_equal(record.frames, "all");
    assert_string_equal(record.formats, "pc2,vtu");
    assert_string_equal(record.ledger, "ledger.csv");
    assert_string_equal(record.snapshot, "state.bin");
    assert_int_equal(record.snapshotEvery, 10);
    assert_true(record.frameTime == 0.02);
    vvVec3 eye, target;
    double angle;
    assert_true(sceneCamera(scene, &eye, &target, &angle));
    assert_true(eye.z == 6 && target.y == 1 && angle == 45);
    sceneDestroy(scene);
    free(base);
}

// ---- --set ----------------------------------------------------------------------------------------------------------

static Scene *parseWith(const char *set, vvResult *result)
{
    return sceneParse(SMALL, strlen(SMALL), "", &set, 1, result);
}

static void testSet(void **state)
{
    (void)state;
    static const struct
    {
        const char *set, *found; // what the text of the scene then has
    } good[] = {
        { "frames=7", "\"frames\": 7" },
        { "name=7", "\"name\": \"7\"" },
        { "name=\"7\"", "\"name\": \"7\"" },
        { "integrator.method=backward-euler", "\"method\": \"backward-euler\"" },
        { "gravity=[1, 2, 3]", "\"gravity\": [1, 2, 3]" },
        { "gravity.1=-1.62", "\"gravity\": [0, -1.62, 0]" },
        { "gravity[1]=-1.62", "\"gravity\": [0, -1.62, 0]" },
        { "bodies.0.material=jelly", "\"young\": 10000" },
        { "bodies.0.material.young=2e5", "\"young\": 200000" },
        { "bodies[0].material.young=2e5", "\"young\": 200000" },
        { "bodies[0].damping.mass=0.5", "\"mass\": 0.5" },
        { "bodies[0].material.springStiffness.shear=4", "\"shear\": 4" },
        { "bodies.0.mesh.cells=[3,3,3]", "\"cells\": [3, 3, 3]" },
        { "bodies.0.name=null", "\"name\": \"body1\"" },
        { "record.ledger=l.csv", "\"ledger\": \"l.csv\"" },
        { "camera={\"eye\": [1, 2, 3]}", "\"eye\": [1, 2, 3]" },
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i)
    {
        vvResult result;
        Scene *scene = parseWith(good[i].set, &result);
        if (scene == NULL)
            fail_msg("%s: %s", good[i].set, result.message);
        char *text = sceneText(scene);
        if (strstr(text, good[i].found) == NULL)
            fail_msg("%s: no %s in\n%s", good[i].set, good[i].found, text);
        sceneFreeText(text);
        sceneDestroy(scene);
    }
}

static void testSetExpandsWord(void **state)
{
    (void)state;
    static const char *const sets[] = { "bodies.0.material=jelly", "bodies.0.material.young=5e4" };
    vvResult result;
    Scene *scene = sceneParse(SMALL, strlen(SMALL), "", sets, 2, &result);
    assert_non_null(scene);
    char *text = sceneText(scene);
    assert_non_null(strstr(text, "\"preset\": \"jelly\""));
    assert_non_null(strstr(text, "\"density\": 1020"));
    assert_non_null(strstr(text, "\"young\": 50000"));
    sceneFreeText(text);
    sceneDestroy(scene);
}

static void testSetRefuses(void **state)
{
    (void)state;
    static const struct
    {
        const char *set, *named;
    } bad[] = {
        { "frames", "--set frames" },
        { "=3", "--set =3" },
        { "fraems=3", "fraems does not exist" },
        { "bodies.1.name=x", "bodies[1] does not exist" },
        { "bodies.-1.name=x", "bodies[-1] does not exist" },
        { "bodies.first.name=x", "bodies[first] does not exist" },
        { "bodies.0.material.yung=1", "bodies[0].material.yung does not exist" },
        { "bodies.0.mesh.cells.x=1", "bodies[0].mesh.cells has no segments" },
        { "bodies.0.pins.0.stiffness=1", "bodies[0].pins is not in the scene" },
        { "bodies..name=x", "bodies is followed by no key" },
        { "gravity.3=1", "gravity[3] does not exist" },
        { "frames=many", "frames is \"many\"" },
        { "frames=1e999", "frames is \"1e999\"" },
        { "gravity=[1,2", "--set gravity=[1,2: the value:1:5:" },
        { "bodies=[]", "bodies is []" },
        { "bodies=null", "bodies is missing" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    {
        vvResult result;
        Scene *scene = parseWith(bad[i].set, &result);
        if (scene != NULL)
            fail_msg("%s was accepted", bad[i].set);
        assert_int_equal(result.code, VV_BAD_INPUT);
        if (strstr(result.message, bad[i].named) == NULL)
            fail_msg("%s: '%s' not in: %s", bad[i].set, bad[i].named, result.message);
        assert_true(strlen(result.remedy) > 5);
    }
}

// ---- files ----------------------------------------------------------------------------------------------------------

static void testFiles(void **state)
{
    (void)state;
    vvResult result;
    assert_null(sceneRead("/no/such/scene.json", false, NULL, 0, &result));
    assert_int_equal(result.code, VV_INPUT_OUTPUT);
    assert_null(sceneRead(SOURCE_FOLDER "/scenes", false, NULL, 0, &result)); // a folder
    assert_int_equal(result.code, VV_INPUT_OUTPUT);
    char path[4096];
    assert_false(sceneFind("no-such-scene", path, sizeof path));
    assert_string_equal(path, "no-such-scene");
    assert_true(sceneFind(SOURCE_FOLDER "/scenes/swing.json", path, sizeof path));
    // mesh files are relative to the scene, and absolute in its text
    static const char text[] = "{ \"verve\": 1, \"bodies\": [ { \"mesh\": { \"file\": \"m/x.obj\" } } ] }";
    Scene *scene = sceneParse(text, strlen(text), "/some/folder", NULL, 0, &result);
    assert_non_null(scene);
    char *printed = sceneText(scene);
    assert_non_null(strstr(printed, "\"/some/folder/m/x.obj\""));
    assert_null(sceneBuild(scene, NULL, &result));
    assert_non_null(strstr(result.message, "bodies[0].mesh: "));
    sceneFreeText(printed);
    sceneDestroy(scene);
}

// the hash of a bar with one example, thrown, after some steps
static uint64_t exampleHash(const char *example)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{ \"verve\": 1, \"gravity\": [0, 0, 0], \"bodies\": [ { \"mesh\": { \"shape\": \"box\","
             " \"size\": [0.5, 0.25, 0.25], \"cells\": [4, 2, 2], \"scale\": 0.5, \"rotate\": [0, 90, 0] },"
             " \"material\": { \"preset\": \"jelly\", \"exampleStiffness\": 1e5 }, \"spin\": [3, 2, 1]%s } ] }",
             example);
    vvResult result;
    Scene *scene = sceneParse(text, strlen(text), "", NULL, 0, &result);
    assert_non_null(scene);
    SceneWorld *built = sceneBuild(scene, NULL, &result);
    assert_non_null(built);
    for (int n = 0; n < 10; ++n)
        assert_int_equal(sceneStep(built).code, VV_OK);
    uint64_t hash = vvWorld_GetHash(sceneWorldId(built));
    sceneRelease(built);
    sceneDestroy(scene);
    return hash;
}

// A mesh that was written and is read as an example is the same example as the one made by stretching: twice as long
// has the same bits, since doubling rounds nothing. Scale and turns of the body's mesh apply to it.
static void testExampleFiles(void **state)
{
    (void)state;
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 0.25, 0.25 }, 4, 2, 2);
    assert_int_equal(vvWriteMesh(mesh, "scene_test_example.msh", NULL).code, VV_OK);
    vvDestroyMesh(mesh);
    uint64_t read = exampleHash(", \"examples\": [ { \"file\": \"scene_test_example.msh\" } ]");
    assert_true(read == exampleHash(", \"examples\": [ { \"stretch\": [1, 1, 2] } ]")); // x is turned to z
    assert_true(read != exampleHash(", \"examples\": [ { \"stretch\": [2, 1, 1] } ]"));
    assert_true(read != exampleHash(""));
    remove("scene_test_example.msh");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testShipped),         cmocka_unit_test(testTextKeepsBits),
        cmocka_unit_test(testNumbersKeepBits), cmocka_unit_test(testDefaults),
        cmocka_unit_test(testRecordAndCamera), cmocka_unit_test(testSet),
        cmocka_unit_test(testSetExpandsWord),  cmocka_unit_test(testSetRefuses),
        cmocka_unit_test(testFiles),           cmocka_unit_test(testExampleFiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
