// A record that was interrupted and resumed has the bytes of one that was not; what does not fit is refused untouched.
#define _XOPEN_SOURCE 700
#include "record/readers.h"

#define LAST 42 // enough lines for several pages of the PVD

static void recordWhole(const char *folder, int last)
{
    Fixture f = fixtureMake(3);
    vvRecorderDef def = everythingDef(folder);
    vvRecorder *recorder = recorderMake(f.world, &def);
    recordFrames(&f, recorder, 0, last);
    CHECK_OK(vvRecorder_Close(recorder));
    vvDestroyWorld(f.world);
}

static void testResumedAnywhere(void **state)
{
    (void)state;
    char whole[64], parts[64];
    folderNew(whole);
    recordWhole(whole, LAST);
    // stopped after, resumed at: nothing to cut, one frame, many, over turned pages, all but the first
    const int cases[][2] = { { 0, 0 }, { 1, 0 }, { 20, 20 }, { 20, 18 }, { 42, 17 }, { 42, 41 }, { 42, 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        folderNew(parts);
        recordWhole(parts, cases[i][0]);
        Fixture f = fixtureMake(3);
        for (int frame = 0; frame < cases[i][1]; ++frame)
            fixtureStep(&f);
        vvRecorderDef def = everythingDef(parts);
        def.resumeFrame = cases[i][1];
        vvRecorder *recorder = recorderMake(f.world, &def);
        assert_int_equal(vvRecorder_GetFrameCount(recorder), cases[i][1] + 1);
        checkRecord(parts, cases[i][1] + 1);
        recordFrames(&f, recorder, cases[i][1] + 1, LAST);
        CHECK_OK(vvRecorder_Close(recorder));
        vvDestroyWorld(f.world);
        checkSameFolders(whole, parts);
        folderRemove(parts);
    }
    folderRemove(whole);
}

static void testSnapshotGoesOn(void **state)
{
    (void)state;
    char whole[64], parts[64], file[96];
    folderNew(whole);
    folderNew(parts);
    recordWhole(whole, 23);
    snprintf(file, sizeof file, "%s/state.snap", parts);
    for (int last = 5; last <= 23; last += 9)
    {
        Fixture f = fixtureMake(3);
        vvRecorderDef def = everythingDef(parts);
        if (last > 5)
            CHECK_OK(vvRestoreSnapshot(f.world, file, &def.resumeFrame));
        if (last > 5)
            assert_int_equal(def.resumeFrame, last - 9); // saved when the recorder closed
        vvRecorder *recorder = recorderMake(f.world, &def);
        recordFrames(&f, recorder, def.resumeFrame + 1, last);
        CHECK_OK(vvRecorder_Close(recorder));
        vvDestroyWorld(f.world);
    }
    checkSameFolders(whole, parts);
    folderRemove(whole);
    folderRemove(parts);
}

static void testWorldThatWentOnIsNotSaved(void **state)
{
    (void)state;
    char folder[64], file[96];
    folderNew(folder);
    snprintf(file, sizeof file, "%s/state.snap", folder);
    Fixture f = fixtureMake(3);
    vvRecorderDef def = everythingDef(folder);
    vvRecorder *recorder = recorderMake(f.world, &def);
    recordFrames(&f, recorder, 0, 6);
    fixtureStep(&f);
    CHECK_OK(vvRecorder_Close(recorder));
    int frame = -1;
    CHECK_OK(vvRestoreSnapshot(f.world, file, &frame));
    assert_int_equal(frame, 4);
    CHECK_NEAR(vvWorld_GetTime(f.world), 4 * FRAME_TIME, 0);
    vvDestroyWorld(f.world);
    folderRemove(folder);
}

// ---- refusals -------------------------------------------------------------------------------------------------------

static uint64_t folderHash(const char *folder)
{
    uint64_t hash = 0;
    DIR *listing = opendir(folder);
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
    {
        size_t size = 0;
        char *bytes = entry->d_name[0] != '.' ? fileBytes(folder, entry->d_name, &size) : NULL;
        uint64_t own = 14695981039346656037ULL;
        for (const char *c = entry->d_name; *c != 0; ++c)
            own = (own ^ (unsigned char)*c) * 1099511628211ULL;
        for (size_t i = 0; i < size; ++i)
            own = (own ^ (unsigned char)bytes[i]) * 1099511628211ULL;
        hash += own;
        free(bytes);
    }
    closedir(listing);
    return hash;
}

static void checkRefused(vvWorldId world, const vvRecorderDef *def, const char *word)
{
    uint64_t before = folderHash(def->folder);
    vvResult result;
    assert_null(vvCreateRecorder(world, def, &result));
    assert_int_equal(result.code, VV_BAD_INPUT);
    if (strstr(result.message, word) == NULL || result.remedy[0] == 0)
        fail_msg("'%s' does not say '%s'", result.message, word);
    assert_true(folderHash(def->folder) == before);
}

static void testMissingFilesAreRefused(void **state)
{
    (void)state;
    static const char *const names[] = {
        "frames-jelly.pc2", "frames-jelly.obj", "frames-Jelly_3.usda",     "frames.usda",
        "frames.pvd",       "ledger.csv",       "frames-jelly_000002.vtu", "frames-Jelly_3_000000.obj"
    };
    Fixture f = fixtureMake(3);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    {
        char folder[64], path[128];
        folderNew(folder);
        recordWhole(folder, 4);
        vvRecorderDef def = everythingDef(folder);
        def.resumeFrame = 3;
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
        checkRefused(f.world, &def, names[i]);
        // an empty file in its place, and one of other bytes
        FILE *out = fopen(path, "w");
        fclose(out);
        bool isLooked = strstr(names[i], "_00000") == NULL; // of single frames only the last is opened
        if (isLooked)
            checkRefused(f.world, &def, names[i]);
        out = fopen(path, "w");
        for (int c = 0; c < 3000; ++c)
            fputs("nonsense,\n", out);
        fclose(out);
        if (isLooked)
            checkRefused(f.world, &def, names[i]);
        folderRemove(folder);
    }
    vvDestroyWorld(f.world);
}

static void testShortRecordsAreRefused(void **state)
{
    (void)state;
    static const char *const formats[] = { "obj", "pc2", "vtu", "usda", "ply", "" };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i)
    {
        char folder[64];
        folderNew(folder);
        Fixture f = fixtureMake(3);
        vvRecorderDef def = vvDefaultRecorderDef();
        def.folder = folder;
        def.formats = formats[i];
        def.ledger = formats[i][0] == 0 ? "ledger.csv" : NULL;
        vvRecorder *recorder = recorderMake(f.world, &def);
        recordFrames(&f, recorder, 0, 4);
        CHECK_OK(vvRecorder_Close(recorder));
        def.resumeFrame = 5;
        checkRefused(f.world, &def, "resume");
        def.resumeFrame = 4;
        CHECK_OK(vvRecorder_Close(recorderMake(f.world, &def)));
        vvDestroyWorld(f.world);
        folderRemove(folder);
    }
}

static void testOtherScenesAreRefused(void **state)
{
    (void)state;
    static const char *const formats[] = { "obj", "pc2", "vtu", "usda", "ply" };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i)
    {
        char folder[64];
        folderNew(folder);
        Fixture f = fixtureMake(1);
        vvRecorderDef def = vvDefaultRecorderDef();
        def.folder = folder;
        def.formats = formats[i];
        vvRecorder *recorder = recorderMake(f.world, &def);
        recordFrames(&f, recorder, 0, 2);
        CHECK_OK(vvRecorder_Close(recorder));
        def.resumeFrame = 1;

        // another mesh, more bodies
        vvWorldId other = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
        fixtureBody(other, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2), "jelly", 0);
        checkRefused(other, &def, "resume");
        vvDestroyWorld(other);
        Fixture three = fixtureMake(3);
        checkRefused(three.world, &def, "resume");
        vvDestroyWorld(three.world);
        vvDestroyWorld(f.world);
        folderRemove(folder);
    }
}

static void testDamagedSnapshotsAreRefused(void **state)
{
    (void)state;
    char folder[64], file[96];
    folderNew(folder);
    recordWhole(folder, 4);
    snprintf(file, sizeof file, "%s/state.snap", folder);
    size_t size = 0;
    char *bytes = fileBytes(folder, "state.snap", &size);
    assert_non_null(bytes);
    Fixture f = fixtureMake(3);
    fixtureStep(&f);
    uint64_t hash = vvWorld_GetHash(f.world);
    int frame = -7;
    for (int round = 0; round < 200; ++round)
    {
        // a bit turned somewhere, or the end cut off
        FILE *out = fopen(file, "wb");
        size_t at = (size_t)round < 40 ? (size_t)round : (size_t)round * (size / 200), length = round % 2 ? size : at;
        bytes[at] = (char)(bytes[at] ^ 4);
        fwrite(bytes, 1, length, out);
        bytes[at] = (char)(bytes[at] ^ 4);
        fclose(out);
        vvResult result = vvRestoreSnapshot(f.world, file, &frame);
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_true(strstr(result.message, "state.snap") != NULL && frame == -7 && vvWorld_GetHash(f.world) == hash);
    }
    unlink(file);
    assert_int_equal(vvRestoreSnapshot(f.world, file, &frame).code, VV_INPUT_OUTPUT);
    assert_int_equal(vvRestoreSnapshot(f.world, folder, &frame).code, VV_INPUT_OUTPUT);
    assert_int_equal(vvRestoreSnapshot(f.world, NULL, &frame).code, VV_BAD_INPUT);
    assert_int_equal(vvRestoreSnapshot((vvWorldId){ 0 }, file, &frame).code, VV_BAD_ID);
    free(bytes);
    vvDestroyWorld(f.world);
    folderRemove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testResumedAnywhere),
        cmocka_unit_test(testSnapshotGoesOn),
        cmocka_unit_test(testWorldThatWentOnIsNotSaved),
        cmocka_unit_test(testMissingFilesAreRefused),
        cmocka_unit_test(testShortRecordsAreRefused),
        cmocka_unit_test(testOtherScenesAreRefused),
        cmocka_unit_test(testDamagedSnapshotsAreRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
