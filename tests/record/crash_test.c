// A process that records is killed at random moments and started again, until the record is whole: at every kill all
// that was reported is there, and in the end the bytes are those of a process that nobody disturbed.
#define _XOPEN_SOURCE 700
#include "record/readers.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#define LAST 150
#if defined(__SANITIZE_ADDRESS__)
#define KILLS 5
#else
#define KILLS 20
#endif

// What a child says over the pipe: where it goes on, then every frame that is complete.
typedef struct Report
{
    int resumed; // else a frame that was added
    int frame;
} Report;

static void say(int pipe, int resumed, int frame)
{
    Report report = { resumed, frame };
    if (write(pipe, &report, sizeof report) != (ssize_t)sizeof report)
        _exit(3);
}

static void child(const char *folder, int pipe)
{
    char file[96];
    snprintf(file, sizeof file, "%s/state.snap", folder);
    Fixture f = fixtureMake(3);
    vvRecorderDef def = everythingDef(folder);
    if (access(file, R_OK) == 0 && vvRestoreSnapshot(f.world, file, &def.resumeFrame).code != VV_OK)
        _exit(4);
    say(pipe, 1, def.resumeFrame);
    vvResult result;
    vvRecorder *recorder = vvCreateRecorder(f.world, &def, &result);
    for (int frame = def.resumeFrame + 1; recorder != NULL && frame <= LAST; ++frame)
    {
        if (frame > 0 && vvWorld_Step(f.world, FRAME_TIME).code != VV_OK)
            _exit(5);
        if (vvRecorder_Add(recorder).code != VV_OK)
            _exit(6);
        say(pipe, 0, frame);
    }
    _exit(recorder != NULL && vvRecorder_Close(recorder).code == VV_OK ? 0 : 7);
}

// Reads what was said; the number of frames that must be there.
static int listen(int pipe, int complete)
{
    Report report;
    while (read(pipe, &report, sizeof report) == (ssize_t)sizeof report)
    {
        if (!report.resumed)
            complete = report.frame + 1;
        else if (report.frame + 1 < complete)
            complete = report.frame + 1; // later frames are about to be cut off
    }
    return complete;
}

static void sleepFor(double seconds)
{
    struct timespec time = { 0, (long)(seconds * 1e9) };
    nanosleep(&time, NULL);
}

static void testKilledAndResumed(void **state)
{
    (void)state;
    char whole[64], folder[64];
    folderNew(whole);
    folderNew(folder);
    TestRandom random = { 12345 };
    int complete = 0, kills = 0, killed = 0, status = -1;
    // time for a child without a disturbance, for the scale of the kills
    for (int round = 0; status != 0; ++round)
    {
        if (round == 4 * KILLS)
            kills = KILLS; // enough: let it finish
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        pid_t id = fork();
        assert_true(id >= 0);
        if (id == 0)
        {
            close(ends[0]);
            child(folder, ends[1]);
        }
        close(ends[1]);
        if (kills < KILLS)
        {
            sleepFor(randomBetween(&random, 0.001, 0.12));
            kill(id, SIGKILL);
            ++kills;
        }
        complete = listen(ends[0], complete);
        close(ends[0]);
        assert_int_equal(waitpid(id, &status, 0), id);
        killed += WIFSIGNALED(status);
        if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
            fail_msg("a child gave up with %d", WEXITSTATUS(status));
        if (complete > 0)
            checkRecord(folder, complete);
    }
    assert_int_equal(complete, LAST + 1);
    print_message("killed %d times\n", killed);

    Fixture f = fixtureMake(3);
    vvRecorderDef def = everythingDef(whole);
    vvRecorder *recorder = recorderMake(f.world, &def);
    recordFrames(&f, recorder, 0, LAST);
    CHECK_OK(vvRecorder_Close(recorder));
    vvDestroyWorld(f.world);
    checkSameFolders(whole, folder);
    folderRemove(whole);
    folderRemove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testKilledAndResumed) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
