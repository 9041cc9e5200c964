// Writing: what is written reads back bit for bit, and a failure leaves the old file alone.
#define _POSIX_C_SOURCE 200809L // setrlimit
#include "check.h"

#include "base/system.h"
#include "mesh/mesh.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#if !defined(_WIN32)
#include <sys/resource.h>
#endif

static vvMesh *makeShape(int shape)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = (vvMeshShape)shape;
    def.size = (vvVec3){ 1.1, 0.37, 0.7 };
    def.cells[0] = 3;
    def.cells[1] = 5;
    def.rotate = (vvVec3){ 10, 20, 30 }; // coordinates with all their digits
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    return mesh;
}

static void checkSame(const vvMesh *a, const vvMesh *b, bool edges)
{
    assert_int_equal(a->vertexCount, b->vertexCount);
    assert_int_equal(a->tetCount, b->tetCount);
    assert_int_equal(a->surfaceCount, b->surfaceCount);
    assert_memory_equal(a->callerPoint, b->callerPoint, sizeof(double) * 3 * (size_t)a->vertexCount);
    if (a->tetCount > 0)
        assert_memory_equal(a->callerTet, b->callerTet, sizeof(int) * 4 * (size_t)a->tetCount);
    if (a->surfaceCount > 0)
        assert_memory_equal(a->callerSurface, b->callerSurface, sizeof(int) * 3 * (size_t)a->surfaceCount);
    if (!edges)
        return;
    assert_int_equal(a->edgeCount, b->edgeCount);
    assert_memory_equal(a->callerEdge, b->callerEdge, sizeof(int) * 2 * (size_t)a->edgeCount);
    assert_memory_equal(a->edgeShare, b->edgeShare, sizeof(double) * (size_t)a->edgeCount);
}

static const char *const files[] = { "write_test.obj",  "write_test.msh", "write_test.node",
                                     "write_test.mesh", "write_test.vtk", "write_test.ply" };

static void removeFiles(void)
{
    for (int i = 0; i < 6; ++i)
        remove(files[i]);
    remove("write_test.ele");
}

// every generator in every format that can hold it: tets in all but OBJ and PLY, sheets and ropes in all but TetGen
static void meshesComeBackBitForBit(void **state)
{
    (void)state;
    for (int shape = VV_MESH_BOX; shape <= VV_MESH_COIL; ++shape)
    {
        vvMesh *mesh = makeShape(shape);
        for (int i = 0; i < 6; ++i)
        {
            bool obj = i == 0 || i == 5, node = i == 2, solid = mesh->tetCount > 0;
            vvResult result = vvWriteMesh(mesh, files[i], NULL);
            if (node && !solid)
            {
                assert_int_equal(result.code, VV_BAD_INPUT);
                continue;
            }
            assert_int_equal(result.code, VV_OK);
            vvMesh *back = vvReadMesh(files[i], &result);
            if (back == NULL)
                fail_msg("%s", result.message);
            assert_int_equal(vvMesh_GetDroppedCount(back), 0);
            assert_int_equal(vvMesh_GetReorientedCount(back), 0);
            if (!(obj && solid)) // the springs of a sheet across its cells are not in files
                checkSame(mesh, back, shape != VV_MESH_SHEET);
            else
            {
                assert_int_equal(back->surfaceCount, mesh->surfaceCount);
                CHECK_CLOSE(back->area, mesh->area, 1e-14);
            }
            vvDestroyMesh(back);
        }
        vvDestroyMesh(mesh);
    }
    removeFiles();
}

// springs over two segments of a rope are no matter, and no file says so
static void skipSpringsStayBehind(void **state)
{
    (void)state;
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ROPE;
    def.skip = true;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_int_equal(vvMesh_GetEdgeCount(mesh), 4 + 3);
    for (int i = 0; i < 6; ++i)
    {
        if (i == 2)
            continue;
        assert_int_equal(vvWriteMesh(mesh, files[i], NULL).code, VV_OK);
        vvMesh *back = vvReadMesh(files[i], NULL);
        assert_non_null(back);
        assert_int_equal(vvMesh_GetEdgeCount(back), 4);
        vvDestroyMesh(back);
    }
    vvDestroyMesh(mesh);
    removeFiles();
}

static void aFormatMayBeNamed(void **state)
{
    (void)state;
    vvMesh *mesh = makeShape(VV_MESH_TET);
    assert_int_equal(vvWriteMesh(mesh, "write_test.dat", "vtk").code, VV_OK);
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_FILE;
    def.file = "write_test.dat";
    assert_null(vvCreateMesh(&def, NULL));
    def.format = "vtk";
    vvMesh *back = vvCreateMesh(&def, NULL);
    assert_non_null(back);
    checkSame(mesh, back, true);
    vvDestroyMesh(back);
    remove("write_test.dat");
    assert_int_equal(vvWriteMesh(mesh, "write_test.dat", NULL).code, VV_BAD_INPUT);
    vvResult refused = vvWriteMesh(mesh, "write_test.dat", "stl");
    assert_int_equal(refused.code, VV_BAD_INPUT);
    assert_non_null(strstr(refused.message, "STL files are read, not written"));
    assert_non_null(strstr(refused.remedy, "obj, msh"));
    assert_int_equal(vvWriteMesh(mesh, "", NULL).code, VV_BAD_INPUT);
    assert_int_equal(vvWriteMesh(mesh, NULL, "obj").code, VV_BAD_INPUT);
    assert_int_equal(vvWriteMesh(NULL, "write_test.obj", NULL).code, VV_BAD_INPUT);
    vvDestroyMesh(mesh);
}

// ---- failures -------------------------------------------------------------------------------------------------------

#if !defined(_WIN32)
static void writeOld(const char *path)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("old", file);
    fclose(file);
}

static void checkOld(const char *path)
{
    char text[8] = "";
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, "old");
}

// a limit on the size of files stands in for a full disk
static void aFullDiskLeavesTheOldFile(void **state)
{
    (void)state;
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 20, 20, 20);
    assert_non_null(mesh);
    writeOld("write_test.node");
    writeOld("write_test.ele");
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 400000; // the points fit, the tets do not
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    vvResult result = vvWriteMesh(mesh, "write_test.ele", NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(result.code, VV_INPUT_OUTPUT);
    assert_non_null(strstr(result.message, "write_test.ele"));
    checkOld("write_test.node");
    checkOld("write_test.ele");
    assert_int_not_equal(access("write_test.node.0.tmp", F_OK), 0);
    assert_int_not_equal(access("write_test.ele.0.tmp", F_OK), 0);
    // and a temporary file that someone else left is not touched
    writeOld("write_test.obj.0.tmp");
    assert_int_equal(vvWriteMesh(mesh, "write_test.obj", NULL).code, VV_OK);
    checkOld("write_test.obj.0.tmp");
    remove("write_test.obj.0.tmp");
    vvDestroyMesh(mesh);
    removeFiles();
}
#endif

static void onlyFilesAreReplaced(void **state)
{
    (void)state;
    vvMesh *mesh = makeShape(VV_MESH_TET);
    assert_int_equal(vvWriteMesh(mesh, "no/such/folder.obj", NULL).code, VV_INPUT_OUTPUT);
    assert_int_equal(vvWriteMesh(mesh, "/dev/null", "obj").code, VV_INPUT_OUTPUT);
    systemMakeFolder("write_test.msh");
    vvResult result = vvWriteMesh(mesh, "write_test.msh", NULL);
    assert_int_equal(result.code, VV_INPUT_OUTPUT);
    assert_non_null(strstr(result.message, "not a regular file"));
    rmdir("write_test.msh");
    vvDestroyMesh(mesh);
}

// a locale with a decimal comma changes nothing; where the machine has none, there is nothing to show
static void theLocaleDoesNotMatter(void **state)
{
    (void)state;
    const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8" };
    for (int i = 0; i < 4 && setlocale(LC_NUMERIC, names[i]) == NULL; ++i)
        continue;
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ROPE;
    def.scale = 1.23456e-10; // numbers with exponents
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    assert_int_equal(vvWriteMesh(mesh, "write_test.vtk", NULL).code, VV_OK);
    vvMesh *back = vvReadMesh("write_test.vtk", NULL);
    assert_non_null(back);
    checkSame(mesh, back, true);
    vvDestroyMesh(back);
    vvDestroyMesh(mesh);
    setlocale(LC_NUMERIC, "C");
    removeFiles();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshesComeBackBitForBit),
        cmocka_unit_test(skipSpringsStayBehind),
        cmocka_unit_test(aFormatMayBeNamed),
        cmocka_unit_test(onlyFilesAreReplaced),
        cmocka_unit_test(theLocaleDoesNotMatter),
#if !defined(_WIN32)
        cmocka_unit_test(aFullDiskLeavesTheOldFile),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
