// Bodies whose mesh changes within a record: a mesh per frame follows, one mesh for all frames is refused in words.
#define _XOPEN_SOURCE 700
#include "record/readers.h"

#define CUT 3 // the first frame after the cut
#define LAST 6

static void cutAll(const Fixture *f)
{
    for (int i = 0; i < f->count; ++i)
    {
        double x = vvSoftBody_GetCentreOfMass(f->body[i]).x + 0.03;
        vvBlade blade = { { { x, -9, -9 }, { x, 9, -9 } }, { { x, -9, 9 }, { x, 9, 9 } } };
        int before = vvMesh_GetVertexCount(vvSoftBody_GetMesh(f->body[i]));
        CHECK_OK(vvSoftBody_Cut(f->body[i], &blade));
        assert_true(vvMesh_GetVertexCount(vvSoftBody_GetMesh(f->body[i])) > before);
    }
}

static void advance(const Fixture *f, int frame)
{
    if (frame == CUT)
        cutAll(f);
    if (frame > 0)
        fixtureStep(f);
}

static vvRecorderDef meshesDef(const char *folder)
{
    vvRecorderDef def = everythingDef(folder);
    def.formats = "obj,ply,vtu";
    return def;
}

// a number behind a word near the beginning of a file
static int numberAfter(const char *folder, const char *stem, int frame, const char *ending, const char *word)
{
    char name[128];
    snprintf(name, sizeof name, "%s_%06d%s", stem, frame, ending);
    char *bytes = fileBytes(folder, name, NULL);
    const char *at = bytes != NULL ? strstr(bytes, word) : NULL;
    int number = at != NULL ? atoi(at + strlen(word)) : -1;
    free(bytes);
    return number;
}

static void countTriangle(vvVec3 a, vvVec3 b, vvVec3 c, uint32_t colour, void *userData)
{
    (void)a, (void)b, (void)c, (void)colour;
    *(int *)userData += 1;
}

static int drawnTriangles(vvWorldId world)
{
    int count = 0;
    vvDebugDraw draw = vvDefaultDebugDraw();
    draw.drawTriangle = countTriangle;
    draw.flags = VV_DRAW_SURFACE;
    draw.userData = &count;
    CHECK_OK(vvWorld_Draw(world, &draw));
    return count;
}

// what is drawn of the world and what the files of a frame say against the body as it is
static void checkFrame(const char *folder, const Fixture *f, int frame)
{
    int drawn = drawnTriangles(f->world);
    for (int i = 0; i < f->count; ++i)
    {
        const vvMesh *mesh = vvSoftBody_GetMesh(f->body[i]);
        int vertices = vvMesh_GetVertexCount(mesh), cells = vvMesh_GetTetCount(mesh);
        int triangles = vvMesh_GetSurfaceCount(mesh);
        drawn -= triangles;
        assert_int_equal(numberAfter(folder, stems[i], frame, ".vtu", "NumberOfPoints=\""), vertices);
        assert_int_equal(numberAfter(folder, stems[i], frame, ".vtu", "NumberOfCells=\""),
                         cells > 0       ? cells
                         : triangles > 0 ? triangles
                                         : vvMesh_GetEdgeCount(mesh));
        Numbers numbers;
        char name[128];
        snprintf(name, sizeof name, "%s_%06d.obj", stems[i], frame);
        assert_true(readObj(folder, name, &numbers));
        assert_int_equal(numberAfter(folder, stems[i], frame, ".ply", "element vertex "), numbers.count / 3);
        if (cells == 0) // all of a sheet or a rope is seen
            assert_int_equal(numbers.count / 3, vertices);
        if (triangles > 0)
            assert_int_equal(numberAfter(folder, stems[i], frame, ".ply", "element face "), triangles);
    }
    assert_int_equal(drawn, 0);
}

static void recordWhole(const char *folder, int last)
{
    Fixture f = fixtureMake(3);
    vvRecorderDef def = meshesDef(folder);
    vvRecorder *recorder = recorderMake(f.world, &def);
    for (int frame = 0; frame <= last; ++frame)
    {
        advance(&f, frame);
        CHECK_OK(vvRecorder_Add(recorder));
        checkFrame(folder, &f, frame);
    }
    CHECK_OK(vvRecorder_Close(recorder));
    vvDestroyWorld(f.world);
}

static void framesHaveTheirMesh(void **state)
{
    (void)state;
    char whole[64], parts[64], file[96];
    folderNew(whole);
    recordWhole(whole, LAST);
    for (int stop = CUT - 1; stop <= CUT; ++stop) // resumed before the cut, and after it
    {
        folderNew(parts);
        recordWhole(parts, stop);
        Fixture f = fixtureMake(3);
        vvRecorderDef def = meshesDef(parts);
        snprintf(file, sizeof file, "%s/state.snap", parts);
        CHECK_OK(vvRestoreSnapshot(f.world, file, &def.resumeFrame));
        assert_int_equal(def.resumeFrame, stop);
        vvRecorder *recorder = recorderMake(f.world, &def);
        for (int frame = stop + 1; frame <= LAST; ++frame)
        {
            advance(&f, frame);
            CHECK_OK(vvRecorder_Add(recorder));
        }
        CHECK_OK(vvRecorder_Close(recorder));
        vvDestroyWorld(f.world);
        checkSameFolders(whole, parts);
        folderRemove(parts);
    }
    folderRemove(whole);
}

static int occurrences(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word))
        count += 1;
    return count;
}

// USD: a prim for each mesh of a body, of which one is visible in every frame, and in each the frames it has
static void primsFollowMeshes(void **state)
{
    (void)state;
    for (int bodies = 1; bodies <= 3; bodies += 2)
    {
        char folder[64], name[128];
        folderNew(folder);
        Fixture f = fixtureMake(bodies);
        vvRecorderDef def = everythingDef(folder);
        def.formats = "usda";
        vvRecorder *recorder = recorderMake(f.world, &def);
        recordFrames(&f, recorder, 0, CUT - 1);
        for (int frame = CUT; frame <= LAST; ++frame)
        {
            advance(&f, frame);
            CHECK_OK(vvRecorder_Add(recorder));
        }
        CHECK_OK(vvRecorder_Close(recorder));
        for (int i = 0; i < bodies; ++i)
        {
            snprintf(name, sizeof name, "%s.usda", bodies == 1 ? "frames" : stems[i]);
            char *text = fileBytes(folder, name, NULL);
            assert_non_null(text);
            char *second = strstr(text, "_mesh1\"");
            assert_non_null(second);
            assert_int_equal(occurrences(text, "points.timeSamples"), 2);
            assert_int_equal(occurrences(text, "{0: \"inherited\", 3: \"invisible\"}"), 1);
            assert_int_equal(occurrences(second, "{0: \"invisible\", 3: \"inherited\"}"), 1);
            assert_null(strstr(second, "\n  2: ["));
            assert_non_null(strstr(second, "\n  3: ["));
            assert_non_null(strstr(second, "\n  6: ["));
            int open = occurrences(text, "{"), close = occurrences(text, "}");
            assert_int_equal(open, close);
            free(text);
        }
        if (bodies > 1)
        {
            char *text = fileBytes(folder, "frames.usda", NULL);
            assert_int_equal(occurrences(text, "_mesh1>"), bodies);
            free(text);
        }
        vvDestroyWorld(f.world);
        folderRemove(folder);
    }
}

static void oneMeshIsRefused(void **state)
{
    (void)state;
    static const char *const formats[] = { "pc2", "glb", "mdd", "obj,pc2" };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i)
    {
        char folder[64];
        folderNew(folder);
        Fixture f = fixtureMake(2);
        vvRecorderDef def = everythingDef(folder);
        def.formats = formats[i];
        vvRecorder *recorder = recorderMake(f.world, &def);
        recordFrames(&f, recorder, 0, CUT - 1);
        advance(&f, CUT);
        vvResult result = vvRecorder_Add(recorder);
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_non_null(strstr(result.message, "'jelly' has changed"));
        assert_non_null(strstr(result.remedy, "--format vtu"));
        assert_int_equal(vvRecorder_GetFrameCount(recorder), CUT);
        CHECK_OK(vvRecorder_Close(recorder)); // with the frames before it
        vvDestroyWorld(f.world);
        folderRemove(folder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(framesHaveTheirMesh),
        cmocka_unit_test(primsFollowMeshes),
        cmocka_unit_test(oneMeshIsRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
