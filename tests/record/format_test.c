// What the files hold: the numbers of the API, in every format.
#define _XOPEN_SOURCE 700
#include "record/readers.h"

#include <inttypes.h>

static Numbers numbers;

// the points of a body that are seen, as floats
static int seenPoints(vvSoftBodyId body, double *out)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(body);
    int corners = 3 * vvMesh_GetSurfaceCount(mesh), count = 0;
    for (int v = 0; v < vvSoftBody_GetVertexCount(body); ++v)
    {
        bool seen = corners == 0;
        for (int c = 0; c < corners && !seen; ++c)
            seen = vvMesh_GetSurface(mesh)[c] == v;
        for (int c = 0; seen && c < 3; ++c)
            out[count++] = (double)(float)vvSoftBody_GetPositions(body)[3 * v + c];
    }
    return count;
}

static void checkNumbers(const char *what, vvSoftBodyId body)
{
    static double want[MOST_NUMBERS];
    int count = seenPoints(body, want);
    if (numbers.count != count)
        fail_msg("%s has %d numbers, want %d", what, numbers.count, count);
    for (int i = 0; i < count; ++i)
    {
        if ((float)numbers.value[i] != (float)want[i])
            fail_msg("%s: number %d is %.9g, want %.9g", what, i, numbers.value[i], want[i]);
    }
}

static void testNumbersAreThoseOfTheWorld(void **state)
{
    (void)state;
    char folder[64], name[128];
    folderNew(folder);
    Fixture f = fixtureMake(3);
    vvRecorderDef def = everythingDef(folder);
    vvRecorder *recorder = recorderMake(f.world, &def);
    assert_int_equal(vvRecorder_GetFrameCount(recorder), 0);
    for (int frame = 0; frame <= 30; ++frame)
    {
        recordFrames(&f, recorder, frame, frame);
        assert_int_equal(vvRecorder_GetFrameCount(recorder), frame + 1);
        checkRecord(folder, frame + 1);
        for (int b = 0; b < 3; ++b)
        {
            int end = -1;
            snprintf(name, sizeof name, "%s.pc2", stems[b]);
            assert_int_equal(readPc2(folder, name, &numbers), frame + 1);
            checkNumbers(name, f.body[b]);
            snprintf(name, sizeof name, "%s.usda", stems[b]);
            assert_int_equal(readUsda(folder, name, &numbers, &end), frame + 1);
            assert_int_equal(end, frame);
            checkNumbers(name, f.body[b]);
            snprintf(name, sizeof name, "%s_%06d.obj", stems[b], frame);
            assert_true(readObj(folder, name, &numbers));
            checkNumbers(name, f.body[b]);
        }
        assert_int_equal(readPvd(folder, "frames.pvd"), 3 * (frame + 1));
        assert_int_equal(readCsv(folder, "ledger.csv"), frame + 1);
    }
    CHECK_OK(vvRecorder_Close(recorder));
    vvDestroyWorld(f.world);
    folderRemove(folder);
}

static void testLedgerIsThatOfTheWorld(void **state)
{
    (void)state;
    char folder[64];
    folderNew(folder);
    Fixture f = fixtureMake(1);
    vvRecorderDef def = vvDefaultRecorderDef();
    def.folder = folder;
    def.ledger = "l.csv";
    vvRecorder *recorder = recorderMake(f.world, &def);
    recordFrames(&f, recorder, 0, 5);
    vvLedger ledger = vvWorld_GetLedger(f.world);
    char *bytes = fileBytes(folder, "l.csv", NULL);
    double v[17], residual;
    int frame, iterations;
    char hash[32], want[32];
    const char *row = strstr(bytes, "\n5,") + 1;
    assert_int_equal(sscanf(row, "%d,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%d,%lf,%31s",
                            &frame, v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7, v + 8, v + 9, v + 10, v + 11,
                            v + 12, v + 13, v + 14, v + 15, v + 16, &iterations, &residual, hash),
                     21);
    assert_true(v[0] == vvWorld_GetTime(f.world) && v[1] == ledger.kinetic && v[2] == ledger.elastic);
    assert_true(v[3] == ledger.gravity && v[4] == ledger.contact && v[5] == ledger.added && v[6] == ledger.dissipated);
    assert_true(v[7] == ledger.total && v[8] == ledger.target && v[9] == ledger.numerical && v[10] == 0);
    assert_true(v[11] == ledger.momentum.x && v[13] == ledger.momentum.z && v[16] == ledger.angularMomentum.z);
    assert_int_equal(iterations, vvWorld_GetStatistics(f.world).iterations);
    assert_true(residual == vvWorld_GetStatistics(f.world).residual);
    snprintf(want, sizeof want, "%016" PRIx64, vvWorld_GetHash(f.world));
    assert_string_equal(hash, want);
    free(bytes);
    CHECK_OK(vvRecorder_Close(recorder));
    assert_int_equal(folderCount(folder), 1);
    vvDestroyWorld(f.world);
    folderRemove(folder);
}

static void testOneBodyTakesTheStem(void **state)
{
    (void)state;
    char folder[64], deep[96];
    folderNew(folder);
    snprintf(deep, sizeof deep, "%s/a/b//c/", folder);
    Fixture f = fixtureMake(1);
    vvRecorderDef def = everythingDef(deep);
    def.frames = "my run";
    vvRecorder *recorder = recorderMake(f.world, &def);
    recordFrames(&f, recorder, 0, 2);
    CHECK_OK(vvRecorder_Close(recorder));
    static const char *const names[] = { "my run.pc2",        "my run.obj",        "my run.usda", "my run.pvd",
                                         "my run_000002.obj", "my run_000000.vtu", "ledger.csv",  "state.snap",
                                         "my run_000001.ply", "my run.glb",        "my run.mdd" };
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    {
        char *bytes = fileBytes(deep, names[i], NULL);
        if (bytes == NULL)
            fail_msg("%s is missing", names[i]);
        free(bytes);
    }
    assert_int_equal(folderCount(deep), 4 + 3 * 3 + 2 + 2);
    vvDestroyWorld(f.world);
    folderRemove(folder);
}

static void testNamesCannotLeaveTheFolder(void **state)
{
    (void)state;
    static const char *const names[] = {
        "../../../tmp/evil", "/etc/passwd", "..",     ".",        "a/b", "a\\b",      "a b",        "a_b",  "A_B",
        "k\xc3\xb6rper",     "\xff\xfe",    "9lives", "x_000001", "x",   "x_000001_", "con\n\"@><", "%s%n", ""
    };
    enum
    {
        COUNT = sizeof names / sizeof *names
    };
    char parent[64], folder[96];
    folderNew(parent);
    snprintf(folder, sizeof folder, "%s/inner", parent);
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
    for (int i = 0; i < COUNT; ++i)
        fixtureBody(world, vvCreateRopeMesh(1, 1), names[i], 0);
    vvRecorderDef def = everythingDef(folder);
    def.ledger = def.snapshot = NULL;
    vvRecorder *recorder = recorderMake(world, &def);
    CHECK_OK(vvRecorder_Add(recorder));
    CHECK_OK(vvRecorder_Add(recorder));
    CHECK_OK(vvRecorder_Close(recorder));
    assert_int_equal(folderCount(parent), 1);
    // no two bodies share a file: topology, caches, layer, two frames each as OBJ, VTU and PLY; the list, the stage and
    // the glTF file
    assert_int_equal(folderCount(folder), COUNT * (4 + 6) + 3);
    DIR *listing = opendir(folder);
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
    {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            assert_int_equal(strspn(entry->d_name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."),
                             strlen(entry->d_name));
    }
    closedir(listing);
    vvDestroyWorld(world);
    folderRemove(parent);
}

static void testDestroyedBodyStays(void **state)
{
    (void)state;
    char folder[64];
    folderNew(folder);
    Fixture f = fixtureMake(3);
    vvRecorderDef def = everythingDef(folder);
    vvRecorder *recorder = recorderMake(f.world, &def);
    recordFrames(&f, recorder, 0, 3);
    static Numbers before;
    readPc2(folder, "frames-jelly.pc2", &before);
    vvDestroySoftBody(f.body[0]);
    recordFrames(&f, recorder, 4, 6);
    assert_int_equal(readPc2(folder, "frames-jelly.pc2", &numbers), 7);
    assert_memory_equal(before.value, numbers.value, (size_t)before.count * sizeof(double));
    checkRecord(folder, 7);
    vvDestroyWorld(f.world);
    assert_int_equal(vvRecorder_Add(recorder).code, VV_BAD_ID);
    CHECK_OK(vvRecorder_Close(recorder));
    folderRemove(folder);
}

static void testNewRecordReplacesAnOldOne(void **state)
{
    (void)state;
    char folder[64], fresh[64];
    folderNew(folder);
    folderNew(fresh);
    for (int round = 0; round < 3; ++round)
    {
        Fixture f = fixtureMake(3);
        vvRecorderDef def = everythingDef(round == 2 ? fresh : folder);
        vvRecorder *recorder = recorderMake(f.world, &def);
        recordFrames(&f, recorder, 0, round == 0 ? 9 : 3);
        CHECK_OK(vvRecorder_Close(recorder));
        vvDestroyWorld(f.world);
    }
    checkSameFolders(folder, fresh);
    folderRemove(folder);
    folderRemove(fresh);
}

static void testEmptyWorld(void **state)
{
    (void)state;
    char folder[64];
    folderNew(folder);
    Fixture f = fixtureMake(0);
    vvRecorderDef def = everythingDef(folder);
    vvRecorder *recorder = recorderMake(f.world, &def);
    recordFrames(&f, recorder, 0, 2);
    CHECK_OK(vvRecorder_Close(recorder));
    assert_int_equal(readCsv(folder, "ledger.csv"), 3);
    def.resumeFrame = 1;
    recorder = recorderMake(f.world, &def);
    assert_int_equal(vvRecorder_GetFrameCount(recorder), 2);
    CHECK_OK(vvRecorder_Close(recorder));
    vvDestroyWorld(f.world);
    folderRemove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testNumbersAreThoseOfTheWorld),
        cmocka_unit_test(testLedgerIsThatOfTheWorld),
        cmocka_unit_test(testOneBodyTakesTheStem),
        cmocka_unit_test(testNamesCannotLeaveTheFolder),
        cmocka_unit_test(testDestroyedBodyStays),
        cmocka_unit_test(testNewRecordReplacesAnOldOne),
        cmocka_unit_test(testEmptyWorld),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
