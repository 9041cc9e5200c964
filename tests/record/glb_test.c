// glTF and PLY at their edges: bodies that stand still, frames that are not finite, polygons of many corners, names
// with quotes. What a whole file holds, frame by frame, is in tests/tool/glb.py.
#define _XOPEN_SOURCE 700
#include "record/fixture.h"

#include "mesh/mesh.h"
#include "record/replay.h"

#include <math.h>

// a flat polygon of many corners, with a material whose name needs escapes
static vvMesh *manyCorners(int corners)
{
    char *text = malloc(64 * (size_t)corners + 64);
    size_t at = 0;
    for (int i = 0; i < corners; ++i)
    {
        double angle = 2 * 3.14159265358979 * i / corners;
        at += (size_t)sprintf(text + at, "v %.9f 0 %.9f\n", cos(angle), -sin(angle));
    }
    at += (size_t)sprintf(text + at, "usemtl \"a\\b\" \xc3\xb6 \xff\nf");
    for (int i = 0; i < corners; ++i)
        at += (size_t)sprintf(text + at, " %d", i + 1);
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_FILE;
    def.format = "obj";
    def.data = text;
    def.dataSize = at;
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    CHECK_OK(result);
    free(text);
    return mesh;
}

static vvWorldId stillWorld(vvMesh *mesh)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.gravity = (vvVec3){ 0, 0, 0 };
    vvWorldId world = vvCreateWorld(&def, NULL);
    vvSoftBodyDef body = elasticDef(1000, 1e5, 0.3);
    body.material.thickness = 0.01;
    body.name = "plate";
    makeBody(world, mesh, body);
    return world;
}

static void recordStill(vvWorldId world, const char *folder, const char *formats, int frames)
{
    vvRecorderDef def = vvDefaultRecorderDef();
    def.folder = folder;
    def.formats = formats;
    vvRecorder *recorder = recorderMake(world, &def);
    for (int i = 0; i < frames; ++i)
        CHECK_OK(vvRecorder_Add(recorder));
    CHECK_OK(vvRecorder_Close(recorder));
}

// the JSON part; to be freed
static char *glbText(const char *folder)
{
    size_t size;
    char *bytes = fileBytes(folder, "frames.glb", &size);
    assert_non_null(bytes);
    uint32_t length;
    memcpy(&length, bytes + 12, sizeof length);
    assert_true(length + 20 < size);
    char *text = malloc(length + 1);
    memcpy(text, bytes + 20, length);
    text[length] = 0;
    free(bytes);
    return text;
}

static void testStillBodiesHaveNoAnimation(void **state)
{
    (void)state;
    char folder[64];
    folderNew(folder);
    vvWorldId world = stillWorld(manyCorners(300));
    recordStill(world, folder, "glb,ply", 5);
    char *text = glbText(folder);
    assert_null(strstr(text, "animations"));
    assert_null(strstr(text, "targets"));
    assert_non_null(strstr(text, "\"name\":\"\\\"a\\\\b\\\" \xc3\xb6 \\ufffd\""));
    assert_non_null(strstr(text, "\"doubleSided\":true"));
    free(text);
    char *ply = fileBytes(folder, "frames_000004.ply", NULL);
    assert_non_null(strstr(ply, "element face 1\nproperty list int int vertex_indices\n"));
    free(ply);
    // and it reads back
    char path[128];
    for (int i = 0; i < 2; ++i)
    {
        vvResult result;
        snprintf(path, sizeof path, "%s/%s", folder, i == 0 ? "frames.glb" : "frames_000004.ply");
        vvMesh *mesh = vvReadMesh(path, &result);
        CHECK_OK(result);
        assert_int_equal(vvMesh_GetVertexCount(mesh), 300);
        assert_int_equal(vvMesh_GetSurfaceCount(mesh), 298);
        vvDestroyMesh(mesh);
    }
    vvDestroyWorld(world);
    folderRemove(folder);
}

static void spoil(const char *folder, int frame, int points)
{
    char path[128];
    const float nan = NAN;
    snprintf(path, sizeof path, "%s/frames.pc2", folder);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, 32 + 12L * points * frame, SEEK_SET);
    fwrite(&nan, sizeof nan, 1, file);
    fclose(file);
}

static void testFramesThatAreNotFiniteAreLeftOut(void **state)
{
    (void)state;
    char folder[64];
    folderNew(folder);
    vvMesh *mesh = vvCreateSheetMesh(1, 1, 2, 2);
    vvWorldDef worldDef = vvDefaultWorldDef();
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    fixtureBody(world, mesh, "sheet", 0);
    vvRecorderDef def = vvDefaultRecorderDef();
    def.folder = folder;
    def.formats = "pc2";
    vvRecorder *recorder = recorderMake(world, &def);
    for (int i = 0; i < 6; ++i)
    {
        CHECK_OK(vvRecorder_Add(recorder));
        CHECK_OK(vvWorld_Step(world, FRAME_TIME));
    }
    CHECK_OK(vvRecorder_Close(recorder));

    vvResult result;
    double within = 0;
    int keys = 0, two = 2;
    spoil(folder, 3, 9);
    Replay *replay = replayOpen(world, folder, "frames", &result);
    CHECK_OK(result);
    CHECK_OK(replayExport(replay, "glb", 0.5, &keys, &within));
    char *text = glbText(folder);
    assert_non_null(strstr(text, "\"max\":[1]")); // the last key is frame 2
    free(text);
    CHECK_OK(replayExport(replay, "glb,mdd", 0.5, &two, &within));
    assert_true(within > 0);
    spoil(folder, 0, 9);
    result = replayExport(replay, "glb", 0.5, &keys, &within);
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_non_null(strstr(result.message, "not finite"));
    assert_int_equal(replayExport(replay, "usda", 0.5, &keys, &within).code, VV_BAD_INPUT);
    replayClose(replay);
    vvDestroyWorld(world);
    folderRemove(folder);
}

// as few keys as every player holds where they are near enough, more where they are not, and no more than asked for
static void testKeysAreAsManyAsTheErrorNeeds(void **state)
{
    (void)state;
    static const struct
    {
        int frames;
        double jump; // m, from frame to frame
        int asked, least, most;
        double within; // m
    } rows[] = { { 300, 0.0005, 0, 2, 240, 0.001 },
                 { 300, 0.05, 0, 300, 300, 0.001 },
                 { 300, 0.05, 100, 2, 100, 0.1 },
                 { 1000, 0.05, 0, 2, 900, 0.1 } };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; ++r)
    {
        char folder[64];
        folderNew(folder);
        vvMesh *mesh = vvCreateSheetMesh(0.6, 0.8, 1, 1); // 1 m from corner to corner
        double rest[12], size = vvMesh_GetSize(mesh);
        memcpy(rest, vvMesh_GetPoints(mesh), sizeof rest);
        vvWorldDef worldDef = vvDefaultWorldDef();
        vvWorldId world = vvCreateWorld(&worldDef, NULL);
        vvSoftBodyId body = fixtureBody(world, mesh, "sheet", 0);
        vvRecorderDef def = vvDefaultRecorderDef();
        def.folder = folder;
        def.formats = "pc2";
        vvRecorder *recorder = recorderMake(world, &def);
        for (int i = 0; i < rows[r].frames; ++i)
        {
            rest[1] = size * rows[r].jump * (i % 2);
            CHECK_OK(vvSoftBody_SetPositions(body, rest));
            CHECK_OK(vvRecorder_Add(recorder));
        }
        CHECK_OK(vvRecorder_Close(recorder));
        vvResult result;
        double within = 0;
        int keys = rows[r].asked;
        Replay *replay = replayOpen(world, folder, "frames", &result);
        CHECK_OK(result);
        CHECK_OK(replayExport(replay, "glb", FRAME_TIME, &keys, &within));
        if (keys < rows[r].least || keys > rows[r].most || within > size * rows[r].within)
            fail_msg("row %d: %d keys, within %g m", (int)r, keys, within);
        replayClose(replay);
        vvDestroyWorld(world);
        folderRemove(folder);
    }
}

// a record read back as an animation has the points of its frames, within the tolerance of frames that are left out
static void testRecordsAreAnimations(void **state)
{
    (void)state;
    enum
    {
        FRAMES = 30,
        SIDE = 5,
        POINTS = (SIDE + 1) * (SIDE + 1)
    };
    static double frame[FRAMES][3 * POINTS], point[3 * POINTS];
    char folder[64], path[128];
    folderNew(folder);
    vvMesh *mesh = vvCreateSheetMesh(1, 1, SIDE, SIDE);
    double size = vvMesh_GetSize(mesh);
    vvWorldDef worldDef = vvDefaultWorldDef();
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvSoftBodyId body = fixtureBody(world, mesh, "sheet", 0);
    vvRecorderDef def = vvDefaultRecorderDef();
    def.folder = folder;
    def.formats = "glb";
    def.frameTime = FRAME_TIME;
    vvRecorder *recorder = recorderMake(world, &def);
    for (int i = 0; i < FRAMES; ++i)
    {
        assert_int_equal(vvSoftBody_GetVertexCount(body), POINTS);
        memcpy(frame[i], vvSoftBody_GetPositions(body), sizeof frame[i]);
        CHECK_OK(vvRecorder_Add(recorder));
        CHECK_OK(vvWorld_Step(world, FRAME_TIME));
    }
    CHECK_OK(vvRecorder_Close(recorder));

    vvResult result;
    Memory memory = memoryMake(NULL);
    snprintf(path, sizeof path, "%s/frames.glb", folder);
    vvMesh *read = vvReadMesh(path, &result);
    CHECK_OK(result);
    MeshMotion *motion = meshMotionOpen(&memory, path, "simulation", &result);
    CHECK_OK(result);
    assert_int_equal(meshMotionPoints(motion), POINTS);
    CHECK_NEAR(meshMotionEnd(motion), (FRAMES - 1) * FRAME_TIME, 1e-6);
    meshMotionAt(motion, 0, point);
    assert_memory_equal(point, vvMesh_GetPoints(read), sizeof point);
    int number[POINTS];
    for (int v = 0; v < POINTS; ++v)
    {
        number[v] = -1;
        for (int k = 0; k < POINTS; ++k)
        {
            const double *a = point + 3 * v, *b = frame[0] + 3 * k;
            if (fabs(a[0] - b[0]) + fabs(a[1] - b[1]) + fabs(a[2] - b[2]) < 1e-5)
                number[v] = k;
        }
        assert_true(number[v] >= 0);
    }
    double most = 0, way = 0;
    for (int i = 0; i < FRAMES; ++i)
    {
        meshMotionAt(motion, i * FRAME_TIME, point);
        for (int c = 0; c < 3 * POINTS; ++c)
        {
            double want = frame[i][3 * number[c / 3] + c % 3];
            most = fmax(most, fabs(point[c] - want));
            way = fmax(way, fabs(want - frame[0][3 * number[c / 3] + c % 3]));
        }
    }
    print_message("at most %.1e m apart, of %.2f m\n", most, way);
    assert_true(way > 0.1 * size);
    CHECK_BELOW(most, 5e-4 * size + 1e-6);
    meshMotionClose(motion);
    assert_int_equal(memory.blocks, 0);
    vvDestroyMesh(read);
    vvDestroyWorld(world);
    folderRemove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testStillBodiesHaveNoAnimation),
        cmocka_unit_test(testFramesThatAreNotFiniteAreLeftOut),
        cmocka_unit_test(testKeysAreAsManyAsTheErrorNeeds),
        cmocka_unit_test(testRecordsAreAnimations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
