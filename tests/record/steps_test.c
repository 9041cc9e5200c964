// Every state that a killed process could leave behind. The system's pwrite is replaced by one that writes page by
// page, as the kernel does when it is interrupted, and looks at all files in between; or by one that fails.
#define _GNU_SOURCE // RTLD_NEXT
#include "record/readers.h"

#include <dlfcn.h>
#include <errno.h>

#if defined(__SANITIZE_ADDRESS__)
#define CALL_STRIDE 23
#else
#define CALL_STRIDE 9
#endif

typedef ssize_t Write(int handle, const void *bytes, size_t size, off_t offset);

static struct
{
    const char *watched; // folder to look at between writes; NULL: none
    int complete;        // frames it must hold
    int calls, failAt;   // the call that writes half and then fails; -1: none
} watch = { .failAt = -1 };

static void look(void)
{
    if (watch.watched == NULL)
        return;
    const char *folder = watch.watched;
    watch.watched = NULL;
    checkRecord(folder, watch.complete);
    watch.watched = folder;
}

static ssize_t writeWatched(int handle, const void *bytes, size_t size, off_t offset)
{
    static Write *real;
    if (real == NULL)
    {
        void *found = dlsym(RTLD_NEXT, "pwrite");
        memcpy(&real, &found, sizeof real);
    }
    if (watch.calls++ == watch.failAt)
    {
        // a full disk stops what makes a file longer, at any byte; what is there can be overwritten
        struct stat status;
        if (fstat(handle, &status) == 0 && offset + (off_t)size > status.st_size && size > 1)
            real(handle, bytes, size / 2, offset);
        watch.failAt = -2; // and all that follow
    }
    if (watch.failAt == -2)
    {
        errno = ENOSPC;
        return -1;
    }
    size_t done = 0;
    while (done < size)
    {
        size_t room = 4096 - (size_t)(offset + (off_t)done) % 4096, part = size - done < room ? size - done : room;
        if (real(handle, (const char *)bytes + done, part, offset + (off_t)done) != (ssize_t)part)
            return -1;
        done += part;
        look();
    }
    return (ssize_t)size;
}

// both names that a C library may use
ssize_t pwrite(int handle, const void *bytes, size_t size, off_t offset);
ssize_t pwrite64(int handle, const void *bytes, size_t size, off_t offset);

ssize_t pwrite(int handle, const void *bytes, size_t size, off_t offset)
{
    return writeWatched(handle, bytes, size, offset);
}

ssize_t pwrite64(int handle, const void *bytes, size_t size, off_t offset)
{
    return writeWatched(handle, bytes, size, offset);
}

static void testEveryStateIsValid(void **state)
{
    (void)state;
    char folder[64];
    folderNew(folder);
    Fixture f = fixtureMake(3);
    vvRecorderDef def = everythingDef(folder);
    vvRecorder *recorder = recorderMake(f.world, &def);
    watch.watched = folder;
    watch.calls = 0;
    for (int frame = 0; frame <= 20; ++frame)
    {
        watch.complete = frame;
        recordFrames(&f, recorder, frame, frame);
    }
    assert_true(watch.calls > 21 * 30); // the library did come by here
    watch.complete = 21;
    CHECK_OK(vvRecorder_Close(recorder));

    // cutting back is safe too: at any moment the frames to keep are there
    for (int keep = 18; keep >= 0; keep -= 9)
    {
        def.resumeFrame = keep;
        watch.complete = keep + 1;
        CHECK_OK(vvRecorder_Close(recorderMake(f.world, &def)));
    }
    watch.watched = NULL;
    vvDestroyWorld(f.world);
    folderRemove(folder);
}

// Records frames first .. last; returns the result that stopped it.
static vvResult recordUntilFailure(const Fixture *f, vvRecorder *recorder, int first, int last)
{
    vvResult result = { .code = VV_OK };
    for (int frame = first; frame <= last && result.code == VV_OK; ++frame)
    {
        if (frame > 0)
            fixtureStep(f);
        result = vvRecorder_Add(recorder);
    }
    return result;
}

static void testEveryFailureKeepsFrames(void **state)
{
    (void)state;
    enum
    {
        LAST = 5
    };
    char whole[64], folder[64], file[96];
    folderNew(whole);
    folderNew(folder);
    snprintf(file, sizeof file, "%s/state.snap", folder);
    Fixture f = fixtureMake(3);
    vvRecorderDef def = everythingDef(whole);
    vvRecorder *recorder = recorderMake(f.world, &def);
    recordFrames(&f, recorder, 0, LAST);
    CHECK_OK(vvRecorder_Close(recorder));
    vvDestroyWorld(f.world);

    bool failed = true;
    for (int call = 0; failed; call += CALL_STRIDE)
    {
        def = everythingDef(folder);
        f = fixtureMake(3);
        recorder = recorderMake(f.world, &def);
        watch.calls = 0;
        watch.failAt = call;
        vvResult result = recordUntilFailure(&f, recorder, 0, LAST);
        failed = result.code != VV_OK;
        int complete = vvRecorder_GetFrameCount(recorder);
        if (failed)
        {
            assert_int_equal(result.code, VV_INPUT_OUTPUT);
            char count[32];
            snprintf(count, sizeof count, "; %d frames are complete", complete);
            if (strstr(result.message, count) == NULL || strstr(result.message, strerror(ENOSPC)) == NULL ||
                strstr(result.message, folder) == NULL || strstr(result.remedy, "space") == NULL)
                fail_msg("'%s' '%s'", result.message, result.remedy);
            assert_int_equal(vvRecorder_Add(recorder).code, VV_INPUT_OUTPUT);
            assert_int_equal(vvRecorder_GetFrameCount(recorder), complete);
        }
        vvRecorder_Close(recorder);
        watch.failAt = -1;
        checkRecord(folder, complete);
        size_t size = 0;
        char *rows = fileBytes(folder, "ledger.csv", &size);
        assert_true(rows != NULL && size > 0 && rows[size - 1] == '\n'); // half a row was taken back
        free(rows);
        vvDestroyWorld(f.world);

        // go on from what is there
        f = fixtureMake(3);
        if (complete > 0)
            CHECK_OK(vvRestoreSnapshot(f.world, file, &def.resumeFrame));
        recorder = recorderMake(f.world, &def);
        recordFrames(&f, recorder, def.resumeFrame + 1, LAST);
        CHECK_OK(vvRecorder_Close(recorder));
        vvDestroyWorld(f.world);
        checkSameFolders(whole, folder);
        folderEmpty(folder);
    }
    folderRemove(whole);
    folderRemove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testEveryStateIsValid),
        cmocka_unit_test(testEveryFailureKeepsFrames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
