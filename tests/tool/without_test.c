// 'verve render' in a build without libpng and giflib: it names the output that is missing and the package that brings
// it, before any work is done.
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include "rendering.h"

static void expectRefusal(const char *name, const char *missing, const char *package)
{
    // standard error goes to a file for a while
    char text[1000] = "";
    fflush(stderr);
    int kept = dup(STDERR_FILENO);
    FILE *said = tmpfile();
    dup2(fileno(said), STDERR_FILENO);
    int code = RENDER(inFolder("no such run"), "--out", inFolder(name));
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(said);
    size_t count = fread(text, 1, sizeof text - 1, said);
    fclose(said);
    assert_true(count > 0);
    assert_int_equal(code, EXIT_BAD_INPUT);
    if (strstr(text, missing) == NULL || strstr(text, package) == NULL)
        fail_msg("no '%s' and '%s' in: %s", missing, package, text);
    assert_int_equal(sizeOf(inFolder(name)), -1);
}

static void theMissingOutputIsNamed(void **state)
{
    (void)state;
    expectRefusal("a.png", "writes no .png", "libpng-dev");
    expectRefusal("a%04d.png", "writes no .png", "libpng-dev");
    expectRefusal("a.gif", "writes no .gif", "libgif-dev");
}

static void theRestWorks(void **state)
{
    (void)state;
    // a movie by ffmpeg is not refused for want of a library: only the folder is missing
    assert_int_equal(movieReady("a.mp4").code, VV_OK);
    assert_int_equal(RENDER(inFolder("no such run"), "--out", inFolder("a.mp4")), EXIT_INPUT_OUTPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theMissingOutputIsNamed),
        cmocka_unit_test(theRestWorks),
    };
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
