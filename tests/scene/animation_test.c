// Colliders and pins that follow a file: glTF, a point cache or a mesh file for every frame.
#define _XOPEN_SOURCE 700
#include "files.h"
#include "folders.h"
#include "glb.h"

#include "base/base.h"
#include "scene/scene.h"
#include "shape/shape.h"

#define POINTS 8

static char folder[64];

static void pathOf(const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", folder, name);
}

// a plate of 2 m by 0.2 m by 2 m, raised by `height`
static void platePoints(double height, float *out)
{
    for (int p = 0; p < POINTS; ++p)
    {
        out[3 * p] = p & 1 ? 1.0f : -1.0f;
        out[3 * p + 1] = (float)((p & 2 ? 0.1 : -0.1) + height);
        out[3 * p + 2] = p & 4 ? 1.0f : -1.0f;
    }
}

static void writePlate(const char *name, double height)
{
    static const int quads[6][4] = { { 1, 3, 4, 2 }, { 5, 6, 8, 7 }, { 1, 2, 6, 5 },
                                     { 3, 7, 8, 4 }, { 1, 5, 7, 3 }, { 2, 4, 8, 6 } };
    float point[3 * POINTS];
    char path[600];
    platePoints(height, point);
    pathOf(name, path, sizeof path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (int p = 0; p < POINTS; ++p)
        fprintf(file, "v %.9g %.9g %.9g\n", (double)point[3 * p], (double)point[3 * p + 1], (double)point[3 * p + 2]);
    for (int f = 0; f < 6; ++f)
        fprintf(file, "f %d %d %d\nf %d %d %d\n", quads[f][0], quads[f][1], quads[f][2], quads[f][0], quads[f][2],
                quads[f][3]);
    fclose(file);
}

// `bytes` of it, or all: below 0
static void writeCache(const char *name, int points, int frames, const float *point, long bytes)
{
    char path[600];
    unsigned char head[32] = "POINTCACHE2";
    float timing[2] = { 0, 1 };
    int counts[2] = { 1, points };
    memcpy(head + 12, counts, 8);
    memcpy(head + 20, timing, 8);
    memcpy(head + 28, &frames, 4);
    pathOf(name, path, sizeof path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    size_t size = 12 * (size_t)points * (size_t)frames;
    fwrite(head, 1, sizeof head, file);
    fwrite(point, 1, bytes < 0 ? size : (size_t)bytes, file);
    fclose(file);
}

static void writeSwapped(const char *name, const float *point, size_t count)
{
    char path[600];
    pathOf(name, path, sizeof path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    for (size_t i = 0; i < count; ++i)
    {
        unsigned char bytes[4];
        memcpy(bytes, &point[i], 4);
        const unsigned char swapped[4] = { bytes[3], bytes[2], bytes[1], bytes[0] };
        fwrite(swapped, 1, 4, file);
    }
    fclose(file);
}

// MDD: counts and times before the frames, all big-endian
static void writeMdd(const char *name, int frames, const float *point)
{
    float numbers[2 + 3 + 9 * POINTS] = { 0 };
    const int points = POINTS;
    memcpy(numbers, &frames, 4);
    memcpy(numbers + 1, &points, 4);
    memcpy(numbers + 5, point, sizeof numbers - 5 * sizeof(float));
    writeSwapped(name, numbers, sizeof numbers / sizeof *numbers);
}

// glTF: a node goes up by 0.25 m in each tenth of a second, and two others are clips of their own
static void writeGlb(const char *name)
{
    static const double corner[36] = { 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5 };
    static const double time[3] = { 0, 0.1, 0.2 }, up[9] = { 0, 0, 0, 0, 0.25, 0, 0, 0.5, 0 };
    static const double down[9] = { 0, 0, 0, 0, -0.25, 0, 0, 0, 0 };
    float plate[3 * POINTS];
    double point[3 * POINTS];
    char path[600];
    Glb glb = { .size = 0 };
    platePoints(0, plate);
    for (int i = 0; i < 3 * POINTS; ++i)
        point[i] = (double)plate[i];
    glbPut(&glb, point, POINTS, 3, 4);
    glbPut(&glb, corner, 36, 1, 1);
    glbPut(&glb, time, 3, 1, 4);
    glbPut(&glb, up, 3, 3, 4);
    glbPut(&glb, down, 3, 3, 4);
    pathOf(name, path, sizeof path);
#define CLIP(name, output)                                                                                             \
    "{\"name\":\"" name "\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"translation\"}}],"          \
    "\"samplers\":[{\"input\":2,\"output\":" output "}]}"
    glbWrite(
        &glb,
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],\"scenes\":[{\"nodes\":[0]}],"
        "\"nodes\":[{\"mesh\":0}],\"animations\":[" CLIP("up", "3") "," CLIP("dip", "4") "]",
        path);
}

// three frames: at rest, 0.25 m up, 0.5 m up
static void setUp3(float *point)
{
    for (int f = 0; f < 3; ++f)
        platePoints(0.25 * f, point + 3 * POINTS * f);
}

static int makeFolder(void **state)
{
    (void)state;
    folderNew(folder);
    float point[9 * POINTS];
    setUp3(point);
    writePlate("plate.obj", 0);
    for (int f = 0; f < 3; ++f)
    {
        char name[32];
        snprintf(name, sizeof name, "up_%03d.obj", f + 1);
        writePlate(name, 0.25 * f);
    }
    writeCache("up.pc2", POINTS, 3, point, -1);
    writeMdd("up.mdd", 3, point);
    writeMdd("cut.mdd", 30, point);
    writeGlb("up.glb");
    writeCache("cut.pc2", POINTS, 3, point, 12 * POINTS * 2 + 5);
    writeCache("few.pc2", POINTS - 1, 3, point, -1);
    point[40] = NAN;
    writeCache("nan.pc2", POINTS, 3, point, -1);
    return 0;
}

static int removeFolder(void **state)
{
    (void)state;
    folderRemove(folder);
    return 0;
}

static const char *const withCollider =
    "{ \"verve\": 1, \"timestep\": 0.01, \"integrator\": { \"method\": \"%s\" }, \"bodies\": [ { \"mesh\": { "
    "\"shape\": \"box\", \"size\": 0.2, \"cells\": 1 }, \"material\": \"jelly\", \"position\": [0, 0.21, 0] } ], "
    "\"colliders\": [ { \"shape\": \"mesh\", \"file\": \"plate.obj\", %s } ] }";

static SceneWorld *build(const char *text, Scene **scene, vvResult *result)
{
    *scene = sceneParse(text, strlen(text), folder, NULL, 0, result);
    return *scene != NULL ? sceneBuild(*scene, NULL, result) : NULL;
}

static SceneWorld *start(const char *text, Scene **scene)
{
    vvResult result;
    SceneWorld *built = build(text, scene, &result);
    if (built == NULL)
        fail_msg("%s; %s", result.message, result.remedy);
    return built;
}

static void finish(SceneWorld *built, Scene *scene)
{
    sceneRelease(built);
    sceneDestroy(scene);
}

static double heightAt(const SceneWorld *built)
{
    double point[3 * POINTS];
    assert_int_equal(vvCollider_GetPoints(sceneCollider(built, 0), point, POINTS), POINTS);
    return point[1] + 0.1;
}

static void collidersFollow(void **state)
{
    (void)state;
    static const char *const files[] = { "up.pc2", "up_###.obj", "up.mdd", "up.glb" };
    for (int k = 0; k < 8; ++k)
    {
        char text[1000], keys[200];
        snprintf(keys, sizeof keys, "\"animation\": { \"file\": \"%s\", \"fps\": 10, \"loop\": %s }", files[k / 2],
                 k % 2 ? "true" : "false");
        snprintf(text, sizeof text, withCollider, "small-midpoint", keys);
        Scene *scene;
        SceneWorld *built = start(text, &scene);
        CHECK_NEAR(heightAt(built), 0, 1e-7);
        for (int n = 1; n <= 40; ++n)
        {
            assert_int_equal(sceneStep(built).code, VV_OK);
            // a frame is 0.1 s; the loop goes back to the first within a frame
            double t = 0.01 * n, cycle = t - 0.3 * floor((t + 1e-9) / 0.3);
            double want = fmin(2.5 * t, 0.5);
            if (k % 2)
                want = cycle <= 0.2 ? 2.5 * cycle : 0.5 - 5 * (cycle - 0.2);
            CHECK_NEAR(heightAt(built), want, 1e-6);
        }
        const double *x = vvSoftBody_GetPositions(sceneBody(built, 0));
        assert_true(k % 2 || x[1] > 0.55); // it was carried up
        finish(built, scene);
    }
}

// a clip that ends where it began goes round without a pause; a collider and its animation may be one file, scaled
static void clipsGoRound(void **state)
{
    (void)state;
    char text[1000];
    snprintf(
        text, sizeof text,
        "{ \"verve\": 1, \"timestep\": 0.01, \"gravity\": [0, 0, 0], \"bodies\": [ { \"mesh\": { \"shape\": \"box\", "
        "\"size\": 0.2, \"cells\": 1 }, \"position\": [0, 5, 0] } ], \"colliders\": [ { \"shape\": \"mesh\", "
        "\"file\": \"up.glb\", \"scale\": 2, \"animation\": { \"file\": \"up.glb\", \"clip\": \"dip\", \"loop\": true "
        "} "
        "} ] }");
    Scene *scene;
    SceneWorld *built = start(text, &scene);
    for (int n = 0; n <= 50; ++n)
    {
        double cycle = 0.01 * n - 0.2 * floor(0.05 * n + 1e-9), depth = 2 * 2.5 * fmin(cycle, 0.2 - cycle);
        CHECK_NEAR(heightAt(built) + 0.1, -depth, 1e-6);
        assert_int_equal(sceneStep(built).code, VV_OK);
    }
    finish(built, scene);
}

// the same as keyframes of the whole, where they are the same motion
static void sameAsKeyframes(void **state)
{
    (void)state;
    static const char *const keys[] = {
        "\"animation\": { \"file\": \"up.pc2\", \"fps\": 10 }",
        "\"keyframes\": [ { \"time\": 0.2, \"position\": [0, 0.5, 0] } ]",
    };
    double x[2][24], added[2];
    for (int k = 0; k < 2; ++k)
    {
        char text[1000];
        snprintf(text, sizeof text, withCollider, "implicit-midpoint", keys[k]);
        Scene *scene;
        SceneWorld *built = start(text, &scene);
        for (int n = 0; n < 30; ++n)
            assert_int_equal(sceneStep(built).code, VV_OK);
        memcpy(x[k], vvSoftBody_GetPositions(sceneBody(built, 0)), sizeof x[k]);
        added[k] = vvWorld_GetLedger(sceneWorldId(built)).added;
        finish(built, scene);
    }
    for (int i = 0; i < 24; ++i)
        CHECK_NEAR(x[0][i], x[1][i], 1e-6); // the file has single precision
    assert_true(added[0] > 1);
    CHECK_CLOSE(added[0], added[1], 1e-5);
}

static void pinsFollow(void **state)
{
    (void)state;
    static const char *const files[] = { "up.pc2", "two.pc2" };
    static const float two[12] = { 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1 }; // two frames of two points
    writeCache("two.pc2", 2, 2, two, -1);
    for (int k = 0; k < 4; ++k)
    {
        char text[1000];
        snprintf(text, sizeof text,
                 "{ \"verve\": 1, \"gravity\": [0, 0, 0], \"timestep\": 0.01, \"bodies\": [ { \"mesh\": { \"shape\": "
                 "\"box\", \"cells\": 1 }, \"pins\": [ { \"where\": { \"vertices\": [2, 5] }, \"animation\": { "
                 "\"file\": \"%s\", \"fps\": 10 }%s } ] } ] }",
                 files[k / 2], k % 2 ? ", \"stiffness\": 1e5" : "");
        Scene *scene;
        SceneWorld *built = start(text, &scene);
        for (int n = 0; n < 12; ++n)
            assert_int_equal(sceneStep(built).code, VV_OK);
        if (k % 2 == 0)
        {
            const double *x = vvSoftBody_GetPositions(sceneBody(built, 0));
            float frame[3 * POINTS];
            platePoints(0.3, frame);
            for (int c = 0; c < 3; ++c)
            {
                CHECK_NEAR(x[6 + c], k == 0 ? (double)frame[6 + c] : c == 1, 1e-6);
                CHECK_NEAR(x[15 + c], k == 0 ? (double)frame[15 + c] : c >= 1, 1e-6);
            }
        }
        finish(built, scene);
    }
}

// pins go along with a collider: as a whole, by points, and both at once
static void pinsFollowColliders(void **state)
{
    (void)state;
    static const char *const keys[] = {
        "\"keyframes\": [ { \"time\": 0.2, \"position\": [0, 0.5, 0], \"rotate\": [0, 90, 0] } ]",
        "\"animation\": { \"file\": \"up.pc2\", \"fps\": 10 }",
        ("\"keyframes\": [ { \"time\": 0.2, \"position\": [0, 0.5, 0], \"rotate\": [0, 90, 0] } ], "
         "\"animation\": { \"file\": \"up.pc2\", \"fps\": 10 }"),
    };
    for (int k = 0; k < 3; ++k)
    {
        char text[1000];
        snprintf(text, sizeof text,
                 "{ \"verve\": 1, \"gravity\": [0, 0, 0], \"timestep\": 0.01, \"bodies\": [ { \"mesh\": { \"shape\": "
                 "\"box\", \"cells\": 1 }, \"mask\": 0, \"position\": [0, 1, 0], \"pins\": [ { \"where\": { "
                 "\"vertices\": [0, 5] }, \"follow\": 0 } ] } ], \"colliders\": [ { \"shape\": \"mesh\", \"file\": "
                 "\"plate.obj\", %s } ] }",
                 keys[k]);
        Scene *scene;
        SceneWorld *built = start(text, &scene);
        double first[24];
        memcpy(first, vvSoftBody_GetPositions(sceneBody(built, 0)), sizeof first);
        for (int n = 0; n < 20; ++n)
            assert_int_equal(sceneStep(built).code, VV_OK);
        const double *x = vvSoftBody_GetPositions(sceneBody(built, 0));
        for (int v = 0; v <= 5; v += 5)
        {
            const double *a = first + 3 * v, *b = x + 3 * v;
            CHECK_NEAR(b[0], k != 1 ? a[2] : a[0], 1e-6);
            CHECK_NEAR(b[1], a[1] + (k == 2 ? 1 : 0.5), 1e-6);
            CHECK_NEAR(b[2], k != 1 ? -a[0] : a[2], 1e-6);
        }
        finish(built, scene);
    }
}

// m, the least signed distance of a body's vertices from the first collider, where it is now
static double outside(const SceneWorld *built, double time)
{
    Memory memory = memoryMake(NULL);
    ShapeTriangles surface;
    assert_true(shapeTriangulate(sceneColliderShape(built, 0), &memory, &surface));
    assert_int_equal(sceneColliderPoints(built, 0, time, surface.point), surface.pointCount);
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_MESH;
    def.points = surface.point;
    def.pointCount = surface.pointCount;
    def.triangles = surface.triangle;
    def.triangleCount = surface.triangleCount;
    vvShape *shape = vvCreateShape(&def, NULL);
    assert_non_null(shape);
    vvVec3 place = vvCollider_GetPose(sceneCollider(built, 0)).position;
    const double *x = vvSoftBody_GetPositions(sceneBody(built, 0));
    double least = 1e300;
    for (int v = 0; v < vvSoftBody_GetVertexCount(sceneBody(built, 0)); ++v)
    {
        vvVec3 p = { x[3 * v] - place.x, x[3 * v + 1] - place.y, x[3 * v + 2] - place.z };
        least = fmin(least, vvShape_GetDistance(shape, p, NULL));
    }
    vvDestroyShape(shape);
    shapeTrianglesFree(&memory, &surface);
    return least;
}

// a figure that does not walk is rigid
static void standingFiguresStand(void **state)
{
    (void)state;
    Scene *scene;
    SceneWorld *built = start("{ \"verve\": 1, \"bodies\": [ { \"mesh\": { \"shape\": \"box\", \"cells\": 1 }, "
                              "\"position\": [0, 3, 0] } ], \"colliders\": [ { \"shape\": \"figure\", \"height\": 2, "
                              "\"cells\": 3, \"walk\": false } ] }",
                              &scene);
    assert_int_equal(sceneColliderPoints(built, 0, 0, NULL), 0);
    assert_int_equal(vvCollider_GetPoints(sceneCollider(built, 0), NULL, 0), 0);
    vvBox box = vvShape_GetBounds(sceneColliderShape(built, 0));
    CHECK_NEAR(box.upper.y - box.lower.y, 2, 0.1);
    assert_int_equal(sceneStep(built).code, VV_OK);
    finish(built, scene);
}

// the cape of the shipped scene stays outside of the person who wears it and goes along
static void capesFollowWalkers(void **state)
{
    (void)state;
    size_t size;
    char *text = readSource("scenes/cape.json", &size);
    vvResult result;
    Scene *scene = sceneParse(text, size, "", NULL, 0, &result);
    SceneWorld *built = scene ? sceneBuild(scene, NULL, &result) : NULL;
    if (built == NULL)
        fail_msg("%s; %s", result.message, result.remedy);
    double least = 1e300;
    for (int n = 0; n < 75; ++n)
    {
        assert_int_equal(sceneStep(built).code, VV_OK);
        if (n % 5 == 0)
            least = fmin(least, outside(built, vvWorld_GetTime(sceneWorldId(built))));
    }
    const double *x = vvSoftBody_GetPositions(sceneBody(built, 0));
    vvLedger ledger = vvWorld_GetLedger(sceneWorldId(built));
    print_message("at least %.2e m outside, at x = %.2f m; added %.3f J, numerical %.1e J\n", least, x[0], ledger.added,
                  ledger.numerical);
    assert_true(x[0] > 0.4); // a corner of the hem, which trails a metre behind 1.25 s of walking
    CHECK_BELOW(-least, 1e-4);
    CHECK_BELOW(fabs(ledger.numerical), 0.02 * ledger.added);
    finish(built, scene);
    free(text);
}

static void refuse(const char *keys, const char *word)
{
    char text[1000];
    snprintf(text, sizeof text, withCollider, "small-midpoint", keys);
    Scene *scene;
    vvResult result = { 0 };
    SceneWorld *built = build(text, &scene, &result);
    if (built != NULL)
        fail_msg("%s was taken", keys);
    if (strstr(result.message, word) == NULL)
        fail_msg("%s: '%s', must say '%s'", keys, result.message, word);
    assert_true(result.remedy[0] != 0);
    sceneDestroy(scene);
}

static void mistakesAreNamed(void **state)
{
    (void)state;
    refuse("\"animation\": { \"file\": \"cut.pc2\" }", "bytes, must have 320");
    refuse("\"animation\": { \"file\": \"cut.mdd\" }", "must have 3008");
    refuse("\"animation\": { \"file\": \"few.pc2\" }", "there are 7 points, must be the mesh's 8");
    refuse("\"animation\": { \"file\": \"nan.pc2\" }", "point 5 in frame 1");
    refuse("\"animation\": { \"file\": \"plate.obj\" }", "no point cache");
    refuse("\"animation\": { \"file\": \"none.pc2\" }", "cannot be opened");
    refuse("\"animation\": { \"file\": \"none.glb\" }", "none.glb");
    refuse("\"animation\": { \"file\": \"up.glb\", \"clip\": \"run\" }",
           "no animation 'run'; the first of its 2 is 'up'");
    refuse("\"animation\": { \"file\": \"up.pc2\", \"clip\": \"run\" }", "only glTF files have clips");
    refuse("\"animation\": { \"file\": \"none_##.obj\" }", "no frame 0 or 1");
    refuse("\"animation\": { \"file\": \"\" }", "must be a file");
    refuse("\"animation\": { \"file\": \"up.pc2\", \"fps\": 0 }", "fps");
    refuse("\"animation\": { \"file\": \"../up.pc2\" }", "outside the scene's folder");
    refuse("\"animation\": { \"file\": \"../up_##.obj\" }", "outside the scene's folder");
    refuse("\"sampling\": 0.1, \"animation\": { \"file\": \"up.pc2\" }", "must be 0 beside animation");
    refuse("\"animation\": { \"file\": \"up.pc2\", \"speed\": 2 }", "speed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collidersFollow),    cmocka_unit_test(sameAsKeyframes),
        cmocka_unit_test(pinsFollow),         cmocka_unit_test(pinsFollowColliders),
        cmocka_unit_test(capesFollowWalkers), cmocka_unit_test(standingFiguresStand),
        cmocka_unit_test(mistakesAreNamed),   cmocka_unit_test(clipsGoRound),
    };
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
