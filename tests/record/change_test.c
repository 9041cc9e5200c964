// Bodies whose mesh changes within a record: formats with a mesh in every frame follow, others go on in files of the
// new mesh. Records that are resumed before and after the change have the bytes of one that was not interrupted.
#define _XOPEN_SOURCE 700
#include "record/readers.h"

#define CUT 3 // the first frame after the cut
#define LAST 6

static void cutAll(const Fixture *f, double by)
{
    for (int i = 0; i < f->count; ++i)
    {
        double x = vvSoftBody_GetCentreOfMass(f->body[i]).x + by;
        vvBlade blade = { { { x, -9, -9 }, { x, 9, -9 } }, { { x, -9, 9 }, { x, 9, 9 } } };
        int before = vvMesh_GetVertexCount(vvSoftBody_GetMesh(f->body[i]));
        CHECK_OK(vvSoftBody_Cut(f->body[i], &blade));
        assert_true(vvMesh_GetVertexCount(vvSoftBody_GetMesh(f->body[i])) > before);
    }
}

static void advance(const Fixture *f, int frame)
{
    if (frame == CUT)
        cutAll(f, 0.03);
    if (frame > 0)
        fixtureStep(f);
}

static vvRecorderDef meshesDef(const char *folder)
{
    vvRecorderDef def = everythingDef(folder);
    def.formats = "obj,ply,vtu,glb,mdd,usda";
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

// USD: a layer with a prim for each mesh of a body, of which one is visible in every frame, and in each the frames it
// has; what shows all refers to both
static void layersFollowMeshes(void **state)
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
            char *first = fileBytes(folder, name, NULL);
            snprintf(name, sizeof name, "%s_mesh1.usda", bodies == 1 ? "frames" : stems[i]);
            char *second = fileBytes(folder, name, NULL);
            assert_non_null(first);
            assert_non_null(second);
            assert_int_equal(occurrences(first, "points.timeSamples"), 1);
            assert_int_equal(occurrences(first, "{0: \"inherited\", 3: \"invisible\"}"), 1);
            assert_int_equal(occurrences(second, "{0: \"invisible\", 3: \"inherited\"}"), 1);
            assert_non_null(strstr(first, "\n  2: ["));
            assert_null(strstr(first, "\n  3: ["));
            assert_null(strstr(second, "\n  2: ["));
            assert_non_null(strstr(second, "\n  3: ["));
            assert_non_null(strstr(second, "\n  6: ["));
            assert_int_equal(occurrences(first, "{"), occurrences(first, "}"));
            assert_int_equal(occurrences(second, "{"), occurrences(second, "}"));
            free(first);
            free(second);
        }
        char *all = fileBytes(folder, "frames.usda", NULL);
        assert_int_equal(occurrences(all, "_mesh1.usda@"), bodies);
        assert_int_equal(occurrences(all, "endTimeCode = 6 "), 1);
        free(all);
        vvDestroyWorld(f.world);
        folderRemove(folder);
    }
}

// one body alone, whose references stand behind its frames, resumed before and after each of two cuts
static void singleLayersResume(void **state)
{
    (void)state;
    char whole[64], parts[64], file[96];
    for (int stop = -1; stop < LAST; ++stop) // -1: not interrupted
    {
        Fixture f = fixtureMake(1);
        folderNew(stop < 0 ? whole : parts);
        vvRecorderDef def = everythingDef(stop < 0 ? whole : parts);
        def.formats = "usda";
        def.snapshotEvery = 1;
        vvRecorder *recorder = recorderMake(f.world, &def);
        for (int frame = 0; frame <= LAST; ++frame)
        {
            if (frame == CUT + 2)
                cutAll(&f, -0.2);
            advance(&f, frame);
            CHECK_OK(vvRecorder_Add(recorder));
            if (frame == stop)
            {
                // what was saved then stays, while the run goes on and is lost
                snprintf(file, sizeof file, "%s/state.snap", parts);
                char *bytes = NULL;
                size_t size;
                bytes = fileBytes(parts, "state.snap", &size);
                for (int lost = frame + 1; lost <= LAST; ++lost)
                {
                    if (lost == CUT + 2)
                        cutAll(&f, -0.2);
                    advance(&f, lost);
                    CHECK_OK(vvRecorder_Add(recorder));
                }
                CHECK_OK(vvRecorder_Close(recorder));
                FILE *out = fopen(file, "wb");
                assert_int_equal(fwrite(bytes, 1, size, out), size);
                fclose(out);
                free(bytes);
                vvDestroyWorld(f.world);
                f = fixtureMake(1);
                CHECK_OK(vvRestoreSnapshot(f.world, file, &def.resumeFrame));
                assert_int_equal(def.resumeFrame, stop);
                recorder = recorderMake(f.world, &def);
            }
        }
        CHECK_OK(vvRecorder_Close(recorder));
        vvDestroyWorld(f.world);
        if (stop < 0)
            continue;
        checkSameFolders(whole, parts);
        folderRemove(parts);
    }
    folderRemove(whole);
}

static int wordAt(const char *bytes, int at)
{
    const unsigned char *b = (const unsigned char *)bytes + at;
    return (int)(b[0] | (unsigned)b[1] << 8 | (unsigned)b[2] << 16 | (unsigned)b[3] << 24);
}

// a point cache for each mesh, from where the one before it ends, with the points of the OBJ files of its frames
static void cachesFollowMeshes(void **state)
{
    (void)state;
    char folder[64], name[128];
    folderNew(folder);
    recordWhole(folder, LAST);
    for (int i = 0; i < 3; ++i)
    {
        for (int mesh = 0; mesh < 2; ++mesh)
        {
            int first = mesh == 0 ? 0 : CUT, count = mesh == 0 ? CUT : LAST + 1 - CUT;
            size_t size;
            float start;
            Numbers numbers;
            snprintf(name, sizeof name, "%s%s.pc2", stems[i], mesh == 0 ? "" : "_mesh1");
            char *bytes = fileBytes(folder, name, &size);
            assert_non_null(bytes);
            memcpy(&start, bytes + 20, sizeof start);
            assert_true(start == (float)first);
            assert_int_equal(wordAt(bytes, 28), count);
            int points = wordAt(bytes, 16);
            assert_int_equal(size, 32 + 12 * points * count);
            for (int k = 0; k < count; ++k)
            {
                snprintf(name, sizeof name, "%s_%06d.obj", stems[i], first + k);
                assert_true(readObj(folder, name, &numbers));
                assert_int_equal(numbers.count, 3 * points);
                for (int n = 0; n < numbers.count; ++n)
                {
                    float value;
                    memcpy(&value, bytes + 32 + 4 * (3 * points * k + n), sizeof value);
                    assert_true(value == (float)numbers.value[n]);
                }
            }
            free(bytes);
        }
        snprintf(name, sizeof name, "%s_mesh2.pc2", stems[i]);
        assert_null(fileBytes(folder, name, NULL));
    }
    folderRemove(folder);
}

// a shorter record in the same folder leaves no cache of a later mesh behind
static void staleMeshesGo(void **state)
{
    (void)state;
    char folder[64], name[128];
    folderNew(folder);
    recordWhole(folder, LAST);
    recordWhole(folder, CUT - 1);
    for (int i = 0; i < 3; ++i)
    {
        static const char *const endings[] = { ".pc2", ".obj", ".mdd" };
        for (int k = 0; k < 3; ++k)
        {
            snprintf(name, sizeof name, "%s_mesh1%s", stems[i], endings[k]);
            assert_null(fileBytes(folder, name, NULL));
        }
    }
    folderRemove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(framesHaveTheirMesh), cmocka_unit_test(layersFollowMeshes),
        cmocka_unit_test(singleLayersResume),  cmocka_unit_test(cachesFollowMeshes),
        cmocka_unit_test(staleMeshesGo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
