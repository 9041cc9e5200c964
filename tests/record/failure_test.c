// What goes wrong outside: limits, full disks, folders that vanish, bad definitions, memory that runs out.
#define _GNU_SOURCE // mount
#include "record/readers.h"
#include "refuse.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__)
#define LIMIT_SHARE 3 // fewer limits
#else
#define LIMIT_SHARE 5
#endif

static void checkFailure(const vvResult *result, const char *folder, int error, int complete)
{
    char count[32];
    snprintf(count, sizeof count, "; %d frames are complete", complete);
    assert_int_equal(result->code, VV_INPUT_OUTPUT);
    if (strstr(result->message, folder) == NULL || strstr(result->message, strerror(error)) == NULL ||
        strstr(result->message, count) == NULL || result->remedy[0] == 0)
        fail_msg("'%s' does not say folder, '%s' and '%s'", result->message, strerror(error), count);
}

// Records frames 0 .. last and closes; the first failure.
static vvResult recordUntilFailure(const vvRecorderDef *def, int last, int *complete)
{
    Fixture f = fixtureMake(3);
    vvResult result;
    vvRecorder *recorder = vvCreateRecorder(f.world, def, &result);
    for (int frame = 0; frame <= last && result.code == VV_OK; ++frame)
    {
        if (frame > 0)
            fixtureStep(&f);
        result = vvRecorder_Add(recorder);
    }
    *complete = vvRecorder_GetFrameCount(recorder);
    vvRecorder_Close(recorder);
    vvDestroyWorld(f.world);
    return result;
}

static void recordRest(const vvRecorderDef *def, int last)
{
    Fixture f = fixtureMake(3);
    vvRecorderDef rest = *def;
    char file[128];
    snprintf(file, sizeof file, "%s/state.snap", def->folder);
    if (access(file, R_OK) == 0)
        CHECK_OK(vvRestoreSnapshot(f.world, file, &rest.resumeFrame));
    vvRecorder *recorder = recorderMake(f.world, &rest);
    recordFrames(&f, recorder, rest.resumeFrame + 1, last);
    CHECK_OK(vvRecorder_Close(recorder));
    vvDestroyWorld(f.world);
}

static void testFileSizeLimits(void **state)
{
    (void)state;
    enum
    {
        LAST = 12
    };
    char whole[64], folder[64];
    folderNew(whole);
    folderNew(folder);
    vvRecorderDef wholeDef = everythingDef(whole), def = everythingDef(folder);
    recordRest(&wholeDef, LAST);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit, low;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    low = limit;
    int failures = 0;
    for (rlim_t bytes = 1; bytes < 60000; bytes += bytes / LIMIT_SHARE + 150)
    {
        int complete;
        low.rlim_cur = bytes;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
        vvResult result = recordUntilFailure(&def, LAST, &complete);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        if (result.code != VV_OK)
        {
            ++failures;
            assert_int_equal(result.code, VV_INPUT_OUTPUT);
            assert_non_null(strstr(result.message, strerror(EFBIG)));
            if (complete > 0)
                checkFailure(&result, folder, EFBIG, complete);
        }
        if (complete > 0)
            checkRecord(folder, complete);
        recordRest(&def, LAST);
        checkSameFolders(whole, folder);
        folderEmpty(folder);
    }
    assert_true(failures > 5);
    signal(SIGXFSZ, SIG_DFL);
    folderRemove(whole);
    folderRemove(folder);
}

static void testFullDisk(void **state)
{
    (void)state;
    char folder[64];
    folderNew(folder);
    if (mount("verve", folder, "tmpfs", 0, "size=1m") != 0)
    {
        print_message("no right to mount a small disk here (%s): not tested\n", strerror(errno));
        rmdir(folder);
        skip();
    }
    vvRecorderDef def = everythingDef(folder);
    int complete;
    vvResult result = recordUntilFailure(&def, 1000, &complete);
    checkFailure(&result, folder, ENOSPC, complete);
    assert_true(complete > 5);
    checkRecord(folder, complete);
    folderEmpty(folder);
    assert_int_equal(umount(folder), 0);
    rmdir(folder);
}

static void testFolderRemoved(void **state)
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
        recordFrames(&f, recorder, 0, 2);
        folderRemove(folder);
        vvResult result = vvRecorder_Add(recorder);
        checkFailure(&result, folder, ENOENT, 3);
        assert_int_equal(vvRecorder_Add(recorder).code, VV_INPUT_OUTPUT);
        CHECK_OK(vvRecorder_Close(recorder));
        vvDestroyWorld(f.world);
    }
}

static void testFoldersThatCannotBe(void **state)
{
    (void)state;
    char folder[64], path[160];
    folderNew(folder);
    Fixture f = fixtureMake(1);
    vvRecorderDef def = everythingDef(path);
    vvResult result;
    // a file where a folder should be, and below it
    snprintf(path, sizeof path, "%s/file", folder);
    fclose(fopen(path, "w"));
    assert_null(vvCreateRecorder(f.world, &def, &result));
    assert_int_equal(result.code, VV_INPUT_OUTPUT);
    snprintf(path, sizeof path, "%s/file/deeper", folder);
    assert_null(vvCreateRecorder(f.world, &def, &result));
    assert_int_equal(result.code, VV_INPUT_OUTPUT);
    assert_non_null(strstr(result.message, folder));
    // a folder where a file should be
    snprintf(path, sizeof path, "%s/frames.pc2", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    def.folder = folder;
    assert_null(vvCreateRecorder(f.world, &def, &result));
    assert_int_equal(result.code, VV_INPUT_OUTPUT);
    assert_non_null(strstr(result.message, "frames.pc2"));
    // one that may not be written to; the superuser may
    snprintf(path, sizeof path, "%s/locked", folder);
    assert_int_equal(mkdir(path, 0555), 0);
    def.folder = path;
    vvRecorder *recorder = vvCreateRecorder(f.world, &def, &result);
    if (geteuid() != 0)
        assert_true(recorder == NULL && result.code == VV_INPUT_OUTPUT && strstr(result.remedy, "permission") != NULL);
    vvRecorder_Close(recorder);
    vvDestroyWorld(f.world);
    folderRemove(folder);
}

static void checkBad(vvWorldId world, const vvRecorderDef *def, const char *word)
{
    vvResult result;
    assert_null(vvCreateRecorder(world, def, &result));
    assert_int_equal(result.code, VV_BAD_INPUT);
    if (strstr(result.message, word) == NULL || result.remedy[0] == 0)
        fail_msg("'%s' does not say '%s'", result.message, word);
    assert_null(vvCreateRecorder(world, def, NULL));
}

static void testBadDefinitions(void **state)
{
    (void)state;
    char folder[64];
    folderNew(folder);
    Fixture f = fixtureMake(1);
    const vvRecorderDef good = everythingDef(folder);
#define BAD(field, value, word)                                                                                        \
    do                                                                                                                 \
    {                                                                                                                  \
        vvRecorderDef def = good;                                                                                      \
        def.field = value;                                                                                             \
        checkBad(f.world, &def, word);                                                                                 \
    } while (0)
    static char longest[2000];
    memset(longest, 'x', sizeof longest - 1);
    BAD(folder, NULL, "folder");
    BAD(folder, "", "folder");
    BAD(folder, longest, "folder");
    BAD(frames, NULL, "frames");
    BAD(frames, "", "frames");
    BAD(frames, "a/b", "a/b");
    BAD(frames, "..", "frames");
    BAD(frames, "a\"b", "frames");
    BAD(frames, longest, "frames");
    BAD(frames, "run_000001", "number of a frame");
    BAD(formats, "ob", "'obj'");
    BAD(formats, "obj,,pc2", "unknown format ''");
    BAD(formats, "pc3", "'pc2'");
    BAD(formats, longest, "unknown format");
    BAD(ledger, "", "ledger");
    BAD(ledger, "../ledger.csv", "../ledger.csv");
    BAD(ledger, "..", "ledger");
    BAD(ledger, "frames.pvd", "frames.pvd");
    BAD(ledger, "state.snap", "snapshot");
    BAD(ledger, longest, "ledger");
    BAD(snapshot, "a\nb", "snapshot");
    BAD(snapshot, "/tmp/x", "/tmp/x");
    BAD(snapshotEvery, 0, "snapshotEvery is 0");
    BAD(frameTime, 0, "frameTime is 0");
    BAD(frameTime, -1, "frameTime is -1");
    BAD(frameTime, NAN, "frameTime");
    BAD(frameTime, INFINITY, "frameTime");
    BAD(resumeFrame, -2, "resumeFrame is -2");
    BAD(resumeFrame, 0, "resume");
    BAD(cookie, 0, "initialised");
#undef BAD
    checkBad(f.world, NULL, "NULL");
    vvResult result;
    assert_null(vvCreateRecorder((vvWorldId){ 0 }, &good, &result));
    assert_int_equal(result.code, VV_BAD_ID);
    assert_int_equal(folderCount(folder), 0); // none of them wrote anything
    assert_int_equal(vvRecorder_Add(NULL).code, VV_BAD_INPUT);
    CHECK_OK(vvRecorder_Close(NULL));
    assert_int_equal(vvRecorder_GetFrameCount(NULL), 0);
    assert_string_equal(vvGetRecordFormatName(0), "obj");
    assert_null(vvGetRecordFormatName(7));
    assert_null(vvGetRecordFormatName(-1));
    vvRecorderDef spaced = good;
    spaced.formats = " obj , usda,";
    CHECK_OK(vvRecorder_Close(recorderMake(f.world, &spaced)));
    vvDestroyWorld(f.world);
    folderRemove(folder);
}

static void testEveryAllocationFailsOnce(void **state)
{
    (void)state;
    char folder[64];
    folderNew(folder);
    Fixture f = fixtureMake(3);
    for (int resume = -1; resume <= 1; resume += 2)
    {
        vvRecorderDef def = everythingDef(folder);
        def.resumeFrame = resume;
        int left = 0;
        def.allocator = (vvAllocator){ refuseAfter, giveBack, &left };
        vvResult result = { .code = VV_OUT_OF_MEMORY };
        vvRecorder *recorder = NULL;
        int granted = 0;
        for (; recorder == NULL; ++granted)
        {
            left = granted;
            recorder = vvCreateRecorder(f.world, &def, &result);
            if (recorder == NULL)
                assert_int_equal(result.code, VV_OUT_OF_MEMORY);
            if (recorder == NULL && resume < 0)
                assert_int_equal(folderCount(folder), 0);
            if (recorder == NULL && resume >= 0)
                checkRecord(folder, 4);
        }
        assert_true(granted > 20);
        // and a frame allocates nothing
        left = 0;
        recordFrames(&f, recorder, resume < 0 ? 0 : resume + 1, 3);
        left = INT_MAX;
        CHECK_OK(vvRecorder_Close(recorder));
    }
    // what is written at the end
    int refused = 0;
    for (vvResult result = { .code = VV_OUT_OF_MEMORY }; result.code != VV_OK; refused += 1)
    {
        vvRecorderDef def = everythingDef(folder);
        def.formats = "glb,mdd";
        def.snapshot = NULL;
        def.resumeFrame = 3;
        int left = INT_MAX;
        def.allocator = (vvAllocator){ refuseAfter, giveBack, &left };
        vvRecorder *recorder = recorderMake(f.world, &def);
        left = refused;
        result = vvRecorder_Close(recorder);
        if (result.code != VV_OK)
            assert_int_equal(result.code, VV_OUT_OF_MEMORY);
    }
    assert_true(refused > 20);
    vvDestroyWorld(f.world);
    folderRemove(folder);
}

static void testFramesAllocateNothingInTheWorld(void **state)
{
    (void)state;
    char folder[64];
    folderNew(folder);
    Fixture f = fixtureMake(3);
    vvRecorderDef def = everythingDef(folder);
    vvRecorder *recorder = recorderMake(f.world, &def);
    recordFrames(&f, recorder, 0, 1);
    long long before = vvWorld_GetStatistics(f.world).allocationCount;
    recordFrames(&f, recorder, 2, 9);
    assert_true(vvWorld_GetStatistics(f.world).allocationCount == before);
    CHECK_OK(vvRecorder_Close(recorder));
    vvDestroyWorld(f.world);
    folderRemove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testFileSizeLimits),
        cmocka_unit_test(testFullDisk),
        cmocka_unit_test(testFolderRemoved),
        cmocka_unit_test(testFoldersThatCannotBe),
        cmocka_unit_test(testBadDefinitions),
        cmocka_unit_test(testEveryAllocationFailsOnce),
        cmocka_unit_test(testFramesAllocateNothingInTheWorld),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
