// The names of a record's files: recordWrites agrees with what a recorder leaves in its folder, for every format.
#include "check.h"
#include "record/record.h"
#include "undamped.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void testAllowed(void **state)
{
    (void)state;
    static const char *const refused[] = { "scene.json", "SCENE.json", "a.obj", "a.pc2", "a.part",
                                           "a/b",        "..",         "",      "a\033" };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i)
    {
        vvRecorderDef def = vvDefaultRecorderDef();
        def.ledger = refused[i];
        assert_int_equal(recordNames(&def).code, VV_BAD_INPUT);
        def.ledger = NULL;
        def.snapshot = refused[i];
        vvResult result = recordNames(&def);
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_true(result.remedy[0] != 0);
    }
    vvRecorderDef def = vvDefaultRecorderDef();
    def.ledger = "a";
    def.snapshot = "A"; // one file to some file systems
    assert_int_equal(recordNames(&def).code, VV_BAD_INPUT);
    def.snapshot = "b";
    assert_int_equal(recordNames(&def).code, VV_OK);
}

// all files of a folder, checked and removed; how many there were
static int sweep(const char *folder, const vvRecorderDef *def, const vvRecorderDef *none)
{
    int count = 0;
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    for (const struct dirent *entry; (entry = readdir(listing)) != NULL;)
    {
        char path[512];
        if (entry->d_name[0] == '.')
            continue;
        if (!recordWrites(def, entry->d_name))
            fail_msg("%s is not known as a file of the record", entry->d_name);
        assert_false(recordWrites(none, entry->d_name));
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path);
        count += 1;
    }
    closedir(listing);
    rmdir(folder);
    return count;
}

static void testWritten(void **state)
{
    (void)state;
    char folder[64];
    snprintf(folder, sizeof folder, "names_test_%d", (int)getpid());
    vvRecorderDef none = vvDefaultRecorderDef();
    none.frames = "other";
    none.formats = "obj,pc2,vtu,usda,ply,glb,mdd";
    for (int bodies = 1; bodies <= 2; ++bodies)
    {
        for (int format = 0; vvGetRecordFormatName(format) != NULL; ++format)
        {
            vvResult result;
            vvWorldDef worldDef = vvDefaultWorldDef();
            vvWorldId world = vvCreateWorld(&worldDef, &result);
            vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1);
            for (int i = 0; i < bodies; ++i)
            {
                vvSoftBodyDef bodyDef = undampedDef();
                bodyDef.mesh = mesh;
                bodyDef.name = i == 0 ? "ball" : "odd name_1";
                vvCreateSoftBody(world, &bodyDef, &result);
                assert_int_equal(result.code, VV_OK);
            }
            vvFluidDef fluidDef = vvDefaultFluidDef();
            vvFluidId water = vvCreateFluid(world, &fluidDef, &result);
            vvFluid_AddBox(water, (vvBox){ { 3, 0, 0 }, { 3.05, 0.05, 0.05 } }, (vvVec3){ 0, 0, 0 });
            vvShapeDef shapeDef = vvDefaultShapeDef();
            shapeDef.kind = VV_SHAPE_BOX;
            vvShape *shape = vvCreateShape(&shapeDef, &result);
            vvRigidBodyDef rigidDef = vvDefaultRigidBodyDef();
            rigidDef.shape = shape;
            rigidDef.position.x = -3;
            vvCreateRigidBody(world, &rigidDef, &result);
            assert_int_equal(result.code, VV_OK);
            vvRecorderDef def = vvDefaultRecorderDef();
            def.folder = folder;
            def.ledger = "energy.csv";
            def.snapshot = "state.vvs";
            def.formats = vvGetRecordFormatName(format);
            vvRecorder *recorder = vvCreateRecorder(world, &def, &result);
            assert_non_null(recorder);
            assert_int_equal(vvRecorder_Add(recorder).code, VV_OK);
            assert_int_equal(vvWorld_Step(world, 0.01).code, VV_OK);
            assert_int_equal(vvRecorder_Add(recorder).code, VV_OK);
            assert_int_equal(vvRecorder_Close(recorder).code, VV_OK);
            assert_true(sweep(folder, &def, &none) >= 3);
            vvDestroyWorld(world);
            vvDestroyShape(shape);
            vvDestroyMesh(mesh);
        }
    }
}

static void testForeign(void **state)
{
    (void)state;
    static const char *const foreign[] = { "frames.txt",         "frames2.pc2", "myframes.pc2",
                                           "frames_1.vtu",       "frames",      "frames.pc2.old",
                                           "frames_000001.json", "ledger.csv",  "scene.json" };
    vvRecorderDef def = vvDefaultRecorderDef();
    def.formats = "obj,pc2,vtu,usda,ply,glb,mdd";
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; ++i)
        assert_false(recordWrites(&def, foreign[i]));
    def.formats = " pc2 , vtu";
    assert_true(recordWrites(&def, "frames.pc2"));
    assert_true(recordWrites(&def, "frames.pvd"));
    assert_false(recordWrites(&def, "frames.usda"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testAllowed),
        cmocka_unit_test(testWritten),
        cmocka_unit_test(testForeign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
