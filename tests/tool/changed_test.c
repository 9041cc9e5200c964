// Bodies that are cut while they are recorded: every frame is drawn with its own surface, and its colours.
#define _XOPEN_SOURCE 700
#include "tool/rendering.h"

static const char *const text =
    "{ \"verve\": 1, \"frames\": 4, \"bodies\": [ { \"name\": \"sheet\","
    " \"mesh\": { \"shape\": \"sheet\", \"size\": [1, 1], \"cells\": [4, 4] },"
    " \"material\": { \"model\": \"triangle\", \"young\": 1e5, \"density\": 100, \"thickness\": 0.01,"
    " \"toughness\": 1e9 }, \"pins\": [ { \"where\": { \"box\": [[-1, -1, -1], [-0.4, 1, 1]] } } ] } ] }";

// four frames, cut before the third
static void recordCut(SceneWorld *built, const Scene *scene)
{
    vvResult result;
    vvRecorderDef def = vvDefaultRecorderDef();
    sceneRecord(scene, &def);
    assert_string_equal(def.formats, "obj"); // a body with toughness may change
    def.folder = inFolder("torn");
    vvRecorder *recorder = vvCreateRecorder(sceneWorldId(built), &def, &result);
    for (int frame = 0; frame < 4; ++frame)
    {
        const vvBlade blade = { { { -2, 0.5, 0.1 }, { -2, -0.5, 0.1 } }, { { 2, 0.5, 0.1 }, { 2, -0.5, 0.1 } } };
        if (frame == 2)
            assert_int_equal(vvSoftBody_Cut(sceneBody(built, 0), &blade).code, VV_OK);
        if (frame > 0)
            assert_int_equal(sceneStep(built).code, VV_OK);
        assert_int_equal(vvRecorder_Add(recorder).code, VV_OK);
    }
    assert_int_equal(vvRecorder_Close(recorder).code, VV_OK);
    FILE *file = fopen(inFolder("torn/scene.json"), "wb");
    fputs(text, file);
    fclose(file);
}

static void changedMeshesAreDrawn(void **state)
{
    (void)state;
    vvResult result;
    Scene *scene = sceneParse(text, strlen(text), "", NULL, 0, &result);
    if (scene == NULL)
        fail_msg("%s", result.message);
    SceneOptions options = { .threads = 1 };
    SceneWorld *built = sceneBuild(scene, &options, &result);
    recordCut(built, scene);
    const vvMesh *last = vvSoftBody_GetMesh(sceneBody(built, 0));
    int vertices = vvMesh_GetVertexCount(last), triangles = vvMesh_GetSurfaceCount(last);
    assert_true(vertices > 25);
    Memory memory = memoryMake(NULL);
    Run run = { 0 };
    assert_int_equal(runOpen(&run, &memory, inFolder("torn")).code, VV_OK);
    static const int order[] = { 0, 3, 2, 1, 3 };
    for (int i = 0; i < 5; ++i)
    {
        for (int colour = VV_COLOUR_PLAIN; colour <= VV_COLOUR_SPEED; ++colour)
            assert_int_equal(runLoad(&run, order[i], (vvColouring)colour).code, VV_OK);
        const ShownBody *body = &run.show.body[0];
        assert_int_equal(body->vertexCount, order[i] >= 2 ? vertices : 25);
        assert_int_equal(body->triangleCount, order[i] >= 2 ? triangles : 32);
        for (int v = 0; v < body->vertexCount; ++v)
            assert_true(isfinite(body->field[v]) && isfinite(body->points[3 * v]));
    }
    for (int i = 0; i < 3 * vertices; ++i)
        CHECK_NEAR(run.show.body[0].points[i], vvSoftBody_GetPositions(sceneBody(built, 0))[i], 1e-6);
    runClose(&run);
    assert_int_equal(memory.blocks, 0);
    assert_int_equal(RENDER(inFolder("torn"), "--out", inFolder("torn.png"), "--size", "64x48"), EXIT_DONE);
    sceneRelease(built);
    sceneDestroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changedMeshesAreDrawn),
    };
    return cmocka_run_group_tests(tests, makeFolder, removeFolder);
}
