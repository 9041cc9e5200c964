// Records hold the faces of a surface as they were drawn, of a sheet and of what a cage carries.
#define _XOPEN_SOURCE 700
#include "record/fixture.h"

#define CUBE                                                                                                           \
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"                                         \
    "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.25 0.125\n"                                                                  \
    "g bottom\nusemtl red paint\nf 1/1 4/4 3/3 2/2\ng top\nf 5/1 6/2 7/3 8/5\n"                                        \
    "g sides\nusemtl blue\nf 1/1 2/2 6/3 5/4\nf 2 3 7 6\nf 3 4 8 7\nf 4/1 1/2 5/3\nf 4/1 5/3 8/4\n"

static vvMesh *cubeMesh(bool cage)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_FILE;
    def.format = "obj";
    def.data = CUBE;
    def.dataSize = strlen(CUBE);
    vvSolidDef solid = vvDefaultSolidDef();
    solid.kind = VV_SOLID_CAGE;
    solid.cells = 3;
    vvResult result;
    vvMesh *mesh = cage ? vvCreateSolidMesh(&def, &solid, NULL, &result) : vvCreateMesh(&def, &result);
    CHECK_OK(result);
    return mesh;
}

static void checkHolds(const char *folder, const char *name, const char *wanted)
{
    char *text = fileBytes(folder, name, NULL);
    assert_non_null(text);
    if (strstr(text, wanted) == NULL)
        fail_msg("%s does not hold\n%s\nbut\n%.2000s", name, wanted, text);
    free(text);
}

// the texture coordinates of the bottom and of the last corner of the top
static void checkReadBack(const char *folder, const char *name)
{
    char path[128];
    vvResult result;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    vvMesh *back = vvReadMesh(path, &result);
    CHECK_OK(result);
    const vvFaces *read = vvMesh_GetFaces(back);
    static const double wanted[8][2] = { { 0, 0 }, { 0, 1 }, { 1, 1 }, { 1, 0 },
                                         { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0.25, 0.125 } };
    assert_int_equal(read->faceCount, 7);
    assert_int_equal(read->starts[7], 26);
    assert_non_null(read->coordinates);
    for (int c = 0; c < 8; ++c)
        assert_memory_equal(read->coordinateValues + 2 * read->coordinates[c], wanted[c], sizeof wanted[c]);
    vvDestroyMesh(back);
}

static void testFacesAreRecordedAsTheyWereDrawn(void **state)
{
    (void)state;
    for (int cage = 0; cage < 2; ++cage)
    {
        char folder[64];
        folderNew(folder);
        vvWorldDef worldDef = vvDefaultWorldDef();
        vvWorldId world = vvCreateWorld(&worldDef, NULL);
        fixtureBody(world, cubeMesh(cage), "dice", 0);
        vvRecorderDef def = vvDefaultRecorderDef();
        def.folder = folder;
        def.formats = "obj,pc2,usda,ply";
        def.frameTime = FRAME_TIME;
        vvRecorder *recorder = recorderMake(world, &def);
        for (int frame = 0; frame < 3; ++frame)
        {
            CHECK_OK(vvRecorder_Add(recorder));
            CHECK_OK(vvWorld_Step(world, FRAME_TIME));
        }
        CHECK_OK(vvRecorder_Close(recorder));
        const char *faces = strstr(CUBE, "vt ");
        checkHolds(folder, "frames_000002.obj", faces);
        checkHolds(folder, "frames_000002.obj", "# verve dice: 8 vertices, 7 faces, 0 lines\no dice\nv ");
        checkHolds(folder, "frames.obj", faces);
        checkHolds(folder, "frames.usda",
                   "int[] faceVertexCounts = [4, 4, 4, 4, 4, 3, 3]\n"
                   "    int[] faceVertexIndices = [0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 1, 2, "
                   "6, 5, 2, 3, 7, 6, 3, 0, 4, 3, 4, 7]\n"
                   "    texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1), (0, 1), (0.25, "
                   "0.125)] (\n        interpolation = \"faceVarying\"\n    )\n"
                   "    int[] primvars:st:indices = [0, 3, 2, 1, 0, 1, 2, 4, 0, 1, 2, 3, 0, 0, "
                   "0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 2, 3]\n"
                   "    def GeomSubset \"group0_bottom\"\n    {\n"
                   "        uniform token elementType = \"face\"\n"
                   "        uniform token familyName = \"group\"\n"
                   "        int[] indices = [0]\n    }\n");
        checkHolds(folder, "frames.usda",
                   "    def GeomSubset \"material1_blue\"\n    {\n"
                   "        uniform token elementType = \"face\"\n"
                   "        uniform token familyName = \"material\"\n"
                   "        int[] indices = [2, 3, 4, 5, 6]\n    }");
        // what is read back says the same
        checkReadBack(folder, "frames.usda");
        checkReadBack(folder, "frames_000002.ply");
        // and goes on where it stopped
        def.resumeFrame = 1;
        recorder = recorderMake(world, &def);
        CHECK_OK(vvRecorder_Add(recorder));
        CHECK_OK(vvRecorder_Close(recorder));
        vvDestroyWorld(world);
        folderRemove(folder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testFacesAreRecordedAsTheyWereDrawn) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
