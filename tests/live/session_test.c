// A session behind messages: what goes in as text and bytes, and what comes out.
#define _XOPEN_SOURCE 700
#include "check.h"

#include "folders.h"
#include "live/session.h"

#include <stdio.h>

#define LOAD_BAR                                                                                                       \
    "{\"type\":\"load\",\"scene\":\"{\\\"verve\\\":1,\\\"bodies\\\":[{\\\"name\\\":\\\"bar\\\",\\\"mesh\\\":"          \
    "{\\\"shape\\\":\\\"bar\\\",\\\"size\\\":[1,0.2,0.2],\\\"cells\\\":[5,1,1]},\\\"material\\\":{\\\"young\\\":1e5}," \
    "\\\"pins\\\":[{\\\"where\\\":{\\\"box\\\":[[-1,-1,-1],[-0.49,1,1]]}}]}]}\"}"

// what the page would see
typedef struct Page
{
    char text[65536]; // the last text message of each kind is looked for here: all of them, one after the other
    size_t length;
    int frames, shapes, files, answers;
    unsigned char frame[65536]; // the last one
    size_t frameSize;
    char fileName[64];
    size_t fileSize;
} Page;

static Page page;

static uint32_t word(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void take(void *context, bool binary, const void *bytes, size_t size)
{
    (void)context;
    if (!binary)
    {
        size_t room = sizeof page.text - page.length - 1, length = size < room ? size : room;
        memcpy(page.text + page.length, bytes, length);
        page.length += length;
        page.text[page.length] = 0;
        page.answers += 1;
        return;
    }
    const unsigned char *at = bytes;
    assert_true(size >= 24 && word(at) == 0x31425656u);
    page.shapes += word(at + 4) == PACK_SHAPES;
    if (word(at + 4) == PACK_FRAME)
    {
        page.frames += 1;
        assert_true(size <= sizeof page.frame);
        memcpy(page.frame, at, size);
        page.frameSize = size;
    }
    if (word(at + 4) == PACK_FILE)
    {
        size_t count = 0;
        const unsigned char *name = packFind(at, size, SECTION_TEXT, &count);
        page.files += 1;
        snprintf(page.fileName, sizeof page.fileName, "%.*s", (int)count, (const char *)name);
        assert_non_null(packFind(at, size, SECTION_BYTES, &page.fileSize));
    }
}

static void clearPage(void)
{
    memset(&page, 0, sizeof page);
}

static void say(Live *live, const char *text)
{
    clearPage();
    liveReceive(live, false, text, strlen(text));
    for (int i = 0; i < 2 && page.frames > 0; ++i)
        liveReceive(live, false, "{\"type\":\"got\"}", 14);
}

static void sayWell(Live *live, const char *text)
{
    say(live, text);
    if (strstr(page.text, "\"error\"") != NULL)
        fail_msg("%s was answered with %s", text, page.text);
}

static Live *begin(const char *folder)
{
    LiveOptions options = { .send = take, .engine = "native", .folder = folder, .threads = 1 };
    Live *live = liveOpen(&options, NULL);
    assert_non_null(live);
    sayWell(live, LOAD_BAR);
    return live;
}

static double number(SectionKind kind, int index)
{
    size_t count = 0;
    const unsigned char *at = packFind(page.frame, page.frameSize, kind, &count);
    assert_non_null(at);
    assert_true(index < (int)count || kind == SECTION_HANDS);
    if (kind == SECTION_HANDS)
    {
        float value;
        memcpy(&value, at + 4 * (size_t)index, sizeof value);
        return count > 0 ? (double)value : NAN;
    }
    double value;
    memcpy(&value, at + 8 * (size_t)index, sizeof value);
    return value;
}

enum // in the order of frameNames
{
    KINETIC,
    ELASTIC,
    GRAVITY,
    CONTACT,
    ADDED,
    DISSIPATED,
    TOTAL,
    TARGET,
};

static void test_hello_load_step(void **state)
{
    (void)state;
    clearPage();
    LiveOptions options = { .send = take, .engine = "native", .threads = 1 };
    Live *live = liveOpen(&options, NULL);
    say(live, "{\"type\":\"hello\"}");
    assert_non_null(strstr(page.text, "\"ready\""));
    assert_non_null(strstr(page.text, "small-midpoint"));
    say(live, "{\"type\":\"step\",\"id\":7}");
    assert_non_null(strstr(page.text, "load a scene first"));
    assert_non_null(strstr(page.text, "7"));
    sayWell(live, LOAD_BAR);
    assert_non_null(strstr(page.text, "\"bar\""));
    assert_non_null(strstr(page.text, "integrator.substeps"));
    assert_int_equal(page.shapes, 1);
    assert_int_equal(page.frames, 1);
    sayWell(live, "{\"type\":\"step\",\"count\":30}");
    assert_int_equal(word(page.frame + 12), 30);
    assert_true(number(SECTION_LEDGER, KINETIC) > 0);
    CHECK_NEAR(number(SECTION_LEDGER, TOTAL), number(SECTION_LEDGER, TARGET), 0.02 * number(SECTION_LEDGER, KINETIC));
    // a scene that is refused leaves this one
    say(live, "{\"type\":\"load\",\"scene\":\"{\\\"verve\\\":1,\\\"bodies\\\":[{\\\"mesh\\\":{\\\"shape\\\":"
              "\\\"bxo\\\"}}]}\"}");
    assert_non_null(strstr(page.text, "box")); // did you mean
    sayWell(live, "{\"type\":\"step\"}");
    assert_int_equal(word(page.frame + 12), 31);
    liveClose(live);
}

static void test_same_bits_as_a_scene_without_messages(void **state)
{
    (void)state;
    Live *live = begin(NULL);
    sayWell(live, "{\"type\":\"step\",\"count\":20}");
    uint64_t hash = vvWorld_GetHash(liveWorld(live));
    SceneWorld *built = sceneBuild(live->scene, NULL, NULL);
    for (int i = 0; i < 20; ++i)
        assert_int_equal(sceneStep(built).code, VV_OK);
    assert_true(vvWorld_GetHash(sceneWorldId(built)) == hash);
    char text[17];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    sayWell(live, "{\"type\":\"hash\"}");
    assert_non_null(strstr(page.text, text));
    sceneRelease(built);
    liveClose(live);
}

static void test_a_hand_moves_and_books(void **state)
{
    (void)state;
    Live *live = begin(NULL);
    sayWell(live, "{\"type\":\"set\",\"path\":\"gravity\",\"value\":[0,0,0]}");
    sayWell(live, "{\"type\":\"step\"}");
    double before = number(SECTION_LEDGER, ADDED);
    sayWell(live, "{\"type\":\"grab\",\"hand\":0,\"origin\":[0.4,2,0.01],\"direction\":[0,-1,0]}");
    assert_non_null(strstr(page.text, "\"object\": 0"));
    sayWell(live, "{\"type\":\"drag\",\"hand\":0,\"target\":[0.4,0.3,0.01]}");
    sayWell(live, "{\"type\":\"step\",\"count\":3}");
    Vec3 force = handForce(&live->hand[0]); // while it lifts: later the body swings about the target
    assert_true(force.y > 0);
    sayWell(live, "{\"type\":\"step\",\"count\":17}");
    double added = number(SECTION_LEDGER, ADDED) - before;
    assert_true(added > 0.01);
    CHECK_NEAR(number(SECTION_LEDGER, TOTAL) - number(SECTION_LEDGER, TARGET), 0, 0.05 * added);
    assert_true(number(SECTION_HANDS, 5) > 0.15); // the point it holds has come up from 0.1
    sayWell(live, "{\"type\":\"release\",\"hand\":0}");
    sayWell(live, "{\"type\":\"grab\",\"hand\":1,\"origin\":[0,2,5],\"direction\":[0,0,1]}");
    assert_non_null(strstr(page.text, "\"object\": -1"));
    liveClose(live);
}

static void test_settings_keep_the_state(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "{\"type\":\"set\",\"path\":\"integrator.method\",\"value\":\"backward-euler\"}", // in place
        "{\"type\":\"set\",\"path\":\"integrator.substeps\",\"value\":3}",                //
        "{\"type\":\"set\",\"path\":\"bodies.0.material.young\",\"value\":2e5}",          //
        "{\"type\":\"set\",\"path\":\"bodies.*.damping.stiffness\",\"value\":0.01}",      //
        "{\"type\":\"set\",\"path\":\"integrator.solver\",\"value\":\"local-global\"}",   //
        "{\"type\":\"set\",\"path\":\"integrator.accelerate\",\"value\":true}",           // in a new world
        "{\"type\":\"set\",\"path\":\"timestep\",\"value\":0.01}",                        //
    };
    Live *live = begin(NULL);
    sayWell(live, "{\"type\":\"step\",\"count\":10}");
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; ++i)
    {
        vvSoftBodyId body = sceneBody(live->built, 0);
        double time = liveTime(live), x = vvSoftBody_GetPositions(body)[3 * 12 + 1];
        sayWell(live, settings[i]);
        assert_non_null(strstr(page.text, "\"kept\": true"));
        body = sceneBody(live->built, 0);
        CHECK_NEAR(liveTime(live), time, 0);
        CHECK_NEAR(vvSoftBody_GetPositions(body)[3 * 12 + 1], x, 0);
        sayWell(live, "{\"type\":\"step\"}");
    }
    assert_string_equal(vvWorld_GetMethod(liveWorld(live)), "backward-euler");
    CHECK_NEAR(vvSoftBody_GetMaterial(sceneBody(live->built, 0)).young, 2e5, 0);
    say(live, "{\"type\":\"set\",\"path\":\"integrator.method\",\"value\":\"backward-eulre\"}");
    assert_non_null(strstr(page.text, "did you mean"));
    sayWell(live, "{\"type\":\"export\"}"); // what was refused is not in it
    assert_int_equal(page.files, 1);
    sayWell(live, "{\"type\":\"reset\"}");
    assert_string_equal(vvWorld_GetMethod(liveWorld(live)), "backward-euler");
    CHECK_NEAR(liveTime(live), 0, 0);
    liveClose(live);
}

static void test_rewind_and_cut(void **state)
{
    (void)state;
    Live *live = begin(NULL);
    sayWell(live, "{\"type\":\"step\",\"count\":60}");
    uint64_t hash = vvWorld_GetHash(liveWorld(live));
    sayWell(live, "{\"type\":\"step\",\"count\":30}");
    sayWell(live, "{\"type\":\"rewind\",\"seconds\":0.1}");
    assert_true(vvWorld_GetHash(liveWorld(live)) == hash);
    assert_int_equal(word(page.frame + 12), 60);
    sayWell(live, "{\"type\":\"reset\"}");
    int before = vvSoftBody_GetVertexCount(sceneBody(live->built, 0));
    sayWell(live, "{\"type\":\"cut\",\"before\":[[0.05,-3,-3],[0.05,-3,3]],\"after\":[[0.05,3,-3],[0.05,3,3]]}");
    assert_non_null(strstr(page.text, "\"cuts\": 1"));
    assert_true(vvSoftBody_GetVertexCount(sceneBody(live->built, 0)) > before);
    assert_int_equal(page.shapes, 1);
    sayWell(live, "{\"type\":\"step\",\"count\":5}");
    sayWell(live, "{\"type\":\"reset\"}");
    assert_int_equal(vvSoftBody_GetVertexCount(sceneBody(live->built, 0)), before);
    liveClose(live);
}

static void test_time_follows_the_clock(void **state)
{
    (void)state;
    Live *live = begin(NULL);
    CHECK_NEAR(liveAdvance(live, 1, 1), -1, 0); // it does not play
    sayWell(live, "{\"type\":\"play\",\"speed\":0.5}");
    for (int i = 0; i < 20; ++i)
        liveAdvance(live, 0.02, 1); // 0.4 s of wall clock are 0.2 s of the scene
    CHECK_NEAR(liveTime(live), 0.2, 1.1 / 60);
    liveAdvance(live, 100, 1); // a page that was hidden: what it missed is dropped
    assert_true(liveTime(live) < 0.5);
    // frames wait for `got`, the scene does not
    clearPage();
    liveAdvance(live, 0.05, 1);
    liveAdvance(live, 0.05, 1);
    assert_true(page.frames <= 1);
    liveClose(live);
}

static void upload(Live *live, const char *name, const char *content)
{
    unsigned char bytes[2048] = { 0 };
    size_t length = strlen(name), size = strlen(content), second = (56 + length + 7) & ~(size_t)7;
    const uint32_t head[] = { 0x31425656u, PACK_UPLOAD, 2, 0, 0, 0 };
    const uint32_t table[] = {
        SECTION_TEXT, 0, (uint32_t)length, 56, SECTION_BYTES, 0, (uint32_t)size, (uint32_t)second
    };
    memcpy(bytes, head, sizeof head);
    memcpy(bytes + 24, table, sizeof table);
    memcpy(bytes + 56, name, length);
    memcpy(bytes + second, content, size);
    clearPage();
    liveReceive(live, true, bytes, second + size);
}

static void test_files_come_and_go(void **state)
{
    (void)state;
    char folder[64];
    folderNew(folder);
    Live *live = begin(folder);
    upload(live, "../../etc/evil.obj", "v 0 0 0\n");
    assert_non_null(strstr(page.text, "no name of a file"));
    upload(live, "tet.obj", "v 0 0 0\nv 100 0 0\nv 0 100 0\nv 0 0 100\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    assert_non_null(strstr(page.text, "\"upload\""));
    sayWell(live, "{\"type\":\"import\",\"file\":\"tet.obj\",\"unit\":\"mm\",\"solid\":false}");
    assert_non_null(strstr(page.text, "cotton"));
    say(live, "{\"type\":\"import\",\"file\":\"other.obj\",\"unit\":\"mm\"}");
    assert_non_null(strstr(page.text, "\"error\""));
    sayWell(live, "{\"type\":\"record\",\"formats\":\"pc2,glb\"}");
    sayWell(live, "{\"type\":\"step\",\"count\":5}");
    sayWell(live, "{\"type\":\"record\",\"formats\":\"\"}");
    assert_non_null(strstr(page.text, "\"frames\": 6"));
    assert_true(page.files >= 4); // scene.glb, scene.pc2, scene.obj, ledger.csv
    liveClose(live);
    folderRemove(folder);
}

static void test_nonsense_changes_nothing(void **state)
{
    (void)state;
    static const char *const good[] = {
        "{\"type\":\"step\"}",
        "{\"type\":\"grab\",\"hand\":0,\"origin\":[0.4,2,0],\"direction\":[0,-1,0]}",
        "{\"type\":\"drag\",\"hand\":0,\"target\":[0.4,0.3,0]}",
        "{\"type\":\"show\",\"field\":\"energy\"}",
        "{\"type\":\"set\",\"path\":\"integrator.iterations\",\"value\":4}",
        "{\"type\":\"rewind\",\"seconds\":1}",
        "{\"type\":\"wind\",\"velocity\":[1,2,3]}",
        "{\"type\":\"pin\",\"origin\":[0,2,0],\"direction\":[0,-1,0]}",
    };
    int count = (int)(sizeof good / sizeof good[0]);
    TestRandom random = { 20 };
    Live *live = begin(NULL);
    for (int i = 0; i < 3000; ++i)
    {
        char text[256];
        snprintf(text, sizeof text, "%s", good[(int)(randomUnit(&random) * count)]);
        size_t length = strlen(text);
        for (int k = 0; k < 1 + (int)(randomUnit(&random) * 3); ++k)
            text[(size_t)(randomUnit(&random) * (double)length)] = (char)(randomUnit(&random) * 255);
        clearPage();
        liveReceive(live, randomUnit(&random) < 0.1, text, length);
        liveReceive(live, false, "{\"type\":\"got\"}", 14);
        assert_true(page.answers > 0 || strstr(text, "drag") != NULL);
    }
    sayWell(live, "{\"type\":\"reset\"}");
    sayWell(live, "{\"type\":\"step\"}");
    assert_int_equal(page.frames, 1);
    liveClose(live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hello_load_step),        cmocka_unit_test(test_same_bits_as_a_scene_without_messages),
        cmocka_unit_test(test_a_hand_moves_and_books), cmocka_unit_test(test_settings_keep_the_state),
        cmocka_unit_test(test_rewind_and_cut),         cmocka_unit_test(test_time_follows_the_clock),
        cmocka_unit_test(test_files_come_and_go),      cmocka_unit_test(test_nonsense_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
