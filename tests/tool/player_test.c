// 'verve render --out run.html': a reader of its own takes the frames out of the page, and finds the recorded ones.
#define _XOPEN_SOURCE 700
#include "tool/player.h"
#include "tool/rendering.h"

// what falls and bends, what is cut (by name only: its meshes change), what stands still and what hangs
static const char fallingText[] =
    "{ \"verve\": 1, \"name\": \"a </script> b\", \"timestep\": 0.02, \"frames\": 8, \"gravity\": [0, -9.81, 0],"
    "\"bodies\": [ { \"name\": \"cube\", \"mesh\": { \"shape\": \"box\", \"size\": [1, 1, 1], \"cells\": [3, 3, 3] },"
    " \"material\": { \"young\": 3e4, \"density\": 1000 }, \"position\": [0, 2, 0], \"spin\": [3, 1, 2] },"
    "{ \"name\": \"line\", \"mesh\": { \"shape\": \"rope\", \"size\": [1, 1, 1], \"cells\": [6, 1, 1] },"
    " \"material\": \"rubber\", \"position\": [0, 4, 0], \"pins\": [ { \"where\": { \"box\": [[-1, -1, -1], [-0.49, 1, "
    "1]] } } ] } ],"
    "\"colliders\": [ { \"shape\": \"plane\", \"offset\": -3 }, { \"shape\": \"sphere\", \"radius\": 1, \"position\": "
    "[4, 0, 0] } ],"
    "\"record\": { \"ledger\": \"ledger.csv\", \"frames\": \"frames.pc2\" } }";

static char *page;

static void readPage(const char *path)
{
    long size = sizeOf(path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    page = malloc((size_t)size + 1);
    assert_int_equal(fread(page, 1, (size_t)size, file), size);
    page[size] = '\0';
    fclose(file);
}

// ---- a reader of its own --------------------------------------------------------------------------------------------

static unsigned char *frames;
static size_t frameBytes, at;

static int digit(char c)
{
    const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", *found = strchr(digits, c);
    return c != '\0' && found != NULL ? (int)(found - digits) : -1;
}

static void readFrames(void)
{
    const char *text = strstr(page, "id=\"frames\">");
    assert_non_null(text);
    text = strchr(text, '>') + 1;
    frames = malloc(strlen(text));
    unsigned word = 0, bits = 0;
    for (frameBytes = 0; digit(*text) >= 0; ++text)
    {
        word = word << 6 | (unsigned)digit(*text);
        bits += 6;
        if (bits >= 8)
            frames[frameBytes++] = (unsigned char)(word >> (bits -= 8));
    }
    at = 0;
}

static long readCount(void)
{
    long value = 0;
    for (int shift = 0;; shift += 7)
    {
        assert_true(at < frameBytes);
        unsigned byte = frames[at++];
        value |= (long)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
}

static long readSigned(void)
{
    long value = readCount();
    return value & 1 ? -(value >> 1) - 1 : value >> 1;
}

#define COORDINATES 16384 // of a part, at most

typedef struct Shown
{
    long n, triangles, lines, age;
    long corner[1 << 15];
    long now[COORDINATES], before[COORDINATES];
} Shown;

static void readPart(Shown *part)
{
    static long fresh[COORDINATES];
    unsigned kind = frames[at++];
    assert_true(kind == PART_SAME || kind == PART_MOVED || kind == PART_MESH);
    if (kind == PART_MESH)
    {
        part->n = readCount();
        part->triangles = readCount();
        part->lines = readCount();
        for (long i = 0, last = 0; i < 3 * part->triangles + 2 * part->lines; ++i)
            part->corner[i] = last += readSigned();
        for (long i = 0; i < 3 * part->n; ++i)
            part->now[i] = readSigned() + (i >= 3 ? part->now[i - 3] : 0);
        part->age = 1;
        return;
    }
    for (long i = 0; i < 3 * part->n; ++i)
    {
        long one = part->now[i], two = part->age < 2 ? one : part->before[i];
        fresh[i] = kind == PART_SAME ? one : 2 * one - two + readSigned();
    }
    memcpy(part->before, part->now, sizeof part->now);
    memcpy(part->now, fresh, sizeof fresh);
    part->age += 1;
}

// the numbers behind a key, the `index`-th time that it occurs
static void readKey(const char *key, int index, int count, double *value)
{
    const char *text = page;
    for (int i = 0; i <= index; ++i)
    {
        text = strstr(text + 1, key);
        assert_non_null(text);
    }
    text += strlen(key);
    for (int i = 0; i < count; ++i)
    {
        char *end;
        value[i] = strtod(text, &end);
        assert_true(end > text);
        text = end + 1;
    }
}

// ---- tests ----------------------------------------------------------------------------------------------------------

static void record(const char *name)
{
    vvResult result;
    Scene *scene = sceneParse(fallingText, strlen(fallingText), "", NULL, 0, &result);
    if (scene == NULL)
        fail_msg("%s", result.message);
    recordScene(scene, name, 8);
    sceneDestroy(scene);
}

// every corner of every triangle and line is where it was recorded, within half a step of the grid
static void compare(const ShownBody *body, const Shown *part, const double *low, double step)
{
    long corners = 3L * body->triangleCount, ends = body->triangleCount > 0 ? 0 : 2L * body->lineCount;
    assert_int_equal(3 * part->triangles, corners);
    assert_int_equal(2 * part->lines, ends);
    for (long i = 0; i < corners + ends; ++i)
    {
        int v = i < corners ? body->triangle[i] : body->line[i - corners];
        for (int a = 0; a < 3; ++a)
            CHECK_NEAR(low[a] + step * (double)part->now[3 * part->corner[i] + a], body->points[3 * v + a],
                       0.51 * step + 1e-6);
    }
}

static void framesComeBack(void **state)
{
    (void)state;
    static Shown part[8];
    record("a");
    assert_int_equal(RENDER(inFolder("a"), "--out", inFolder("run.html"), "--every", "1"), EXIT_DONE);
    readPage(inFolder("run.html"));
    readFrames();
    Run run = { 0 };
    Memory memory = memoryMake(NULL);
    assert_int_equal(runOpen(&run, &memory, inFolder("a")).code, VV_OK);
    int parts = playerPartCount(&run);
    assert_true(parts <= 8);
    for (int frame = 0; frame <= 8; ++frame)
    {
        assert_int_equal(runLoad(&run, frame, VV_COLOUR_PLAIN).code, VV_OK);
        for (int i = 0; i < parts; ++i)
        {
            double low[3], step;
            readPart(&part[i]);
            readKey("\"low\":[", i, 3, low);
            readKey("\"step\":", i, 1, &step);
            if (i < run.show.bodyCount)
                compare(&run.show.body[i], &part[i], low, step);
            if (i < run.show.bodyCount)
                CHECK_BELOW(step, 1e-4 * 5); // 16 bits of what they span
        }
    }
    assert_int_equal(at, frameBytes);
    // vertices inside the cube are not shown
    assert_int_equal(part[0].n, 64 - 8);
    runClose(&run);
    free(page);
    free(frames);
}

static void onePageWithoutStrangers(void **state)
{
    (void)state;
    record("b");
    assert_int_equal(RENDER(inFolder("b"), inFolder("b"), "--out", inFolder("two.html"), "--colour", "strain",
                            "--label", "<one>", "--json"),
                     EXIT_DONE);
    readPage(inFolder("two.html"));
    // a name cannot end the script or the title, and nothing is fetched
    assert_null(strstr(page, "a </script> b"));
    assert_null(strstr(page, "<one>"));
    assert_non_null(strstr(page, "\\u003cone\\u003e"));
    assert_null(strstr(page, "http"));
    assert_null(strstr(page, "src="));
    // the ledger of each, though no curves were asked for; strain as a byte a vertex
    assert_non_null(strstr(page, "\"target\":["));
    assert_non_null(strstr(page, "\"colouring\":\"strain\""));
    free(page);
    assert_int_equal(sizeOf(inFolder("two.html.part")), -1);
    // a record without a ledger has no curves, which is no failure unless they were asked for
    assert_int_equal(remove(inFolder("b/ledger.csv")), 0);
    assert_int_equal(RENDER(inFolder("b"), "--out", inFolder("c.html")), EXIT_DONE);
    assert_int_equal(RENDER(inFolder("b"), "--out", inFolder("d.html"), "--curves"), EXIT_INPUT_OUTPUT);
    assert_int_equal(sizeOf(inFolder("d.html")), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(framesComeBack, makeFolder, removeFolder),
        cmocka_unit_test_setup_teardown(onePageWithoutStrangers, makeFolder, removeFolder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
