// Fluids in records: point sets of every frame, and a record that is resumed.
#define _XOPEN_SOURCE 700
#include "folders.h"
#include "vessel.h"

static vvRecorder *openRecord(vvWorldId world, const char *folder, int resumeFrame, vvResult *result)
{
    vvRecorderDef def = vvDefaultRecorderDef();
    def.folder = folder;
    def.formats = "ply,vtu";
    def.ledger = "ledger.csv";
    def.resumeFrame = resumeFrame;
    return vvCreateRecorder(world, &def, result);
}

// bytes of a frame; 0: it is not there
static size_t readFrame(const char *folder, int frame, const char *ending, char *bytes, size_t room)
{
    char path[200];
    snprintf(path, sizeof path, "%s/frames-fluid-0_%06d%s", folder, frame, ending);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return 0;
    size_t size = fread(bytes, 1, room, file);
    fclose(file);
    return size;
}

static void testPointSetsOfEveryFrame(void **state)
{
    (void)state;
    char folder[64], bytes[8192];
    folderNew(folder);
    vvWorldDef worldDef = vvDefaultWorldDef();
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvFluidDef fluidDef = vvDefaultFluidDef();
    vvFluidId fluid = vvCreateFluid(world, &fluidDef, NULL);
    CHECK_OK(vvFluid_AddBox(fluid, (vvBox){ { 0, 0, 0 }, { 0.1, 0.04, 0.04 } }, (vvVec3){ 1, 0, 0 }));
    vvResult result;
    vvRecorder *recorder = openRecord(world, folder, -1, &result);
    CHECK_OK(result);
    for (int frame = 0; frame < 3; ++frame)
    {
        CHECK_OK(vvRecorder_Add(recorder));
        CHECK_OK(vvWorld_Step(world, 1 / 60.0));
    }
    CHECK_OK(vvRecorder_Close(recorder));
    size_t size = readFrame(folder, 0, ".ply", bytes, sizeof bytes - 1);
    bytes[size] = 0;
    assert_non_null(strstr(bytes, "element vertex 20\n"));
    const char *rows = strstr(bytes, "end_header\n") + strlen("end_header\n");
    assert_int_equal((int)(bytes + size - rows), 20 * 28);
    float first[6];
    memcpy(first, rows, sizeof first);
    CHECK_NEAR(first[0], 0.01, 1e-8);
    CHECK_NEAR(first[3], 1, 0);
    size = readFrame(folder, 2, ".vtu", bytes, sizeof bytes - 1);
    assert_true(size > 20 * 37);
    bytes[size] = 0;
    assert_non_null(strstr(bytes, "NumberOfPoints=\"20\""));
    assert_memory_equal(bytes + size - 11, "</VTKFile>\n", 11);

    // what is behind the resumed frame goes; a frame that is not there is refused
    recorder = openRecord(world, folder, 1, &result);
    CHECK_OK(result);
    assert_int_equal((int)readFrame(folder, 2, ".ply", bytes, sizeof bytes), 0);
    CHECK_OK(vvRecorder_Add(recorder));
    CHECK_OK(vvRecorder_Close(recorder));
    assert_true(readFrame(folder, 2, ".ply", bytes, sizeof bytes) > 0);
    assert_null(openRecord(world, folder, 5, &result));
    vvDestroyWorld(world);
    folderRemove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testPointSetsOfEveryFrame) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
