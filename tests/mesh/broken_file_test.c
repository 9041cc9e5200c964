#define _POSIX_C_SOURCE 200809L // mkfifo
// Broken mesh files: every refusal says where, what and what to do, and costs no more than the file is long.
#include "check.h"

#include "base/system.h"
#include "mesh/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- an allocator that remembers its peak ---------------------------------------------------------------------------

typedef struct Peak
{
    size_t now, most;
} Peak;

static void *peakAllocate(size_t size, size_t alignment, void *userData)
{
    Peak *peak = userData;
    peak->now += size;
    peak->most = peak->now > peak->most ? peak->now : peak->most;
    return systemAllocate(size, alignment);
}

static void peakRelease(void *block, size_t size, void *userData)
{
    Peak *peak = userData;
    peak->now -= size;
    systemRelease(block);
}

static vvResult refusal(const char *format, const char *text, size_t size, size_t mostBytes)
{
    Peak peak = { 0 };
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_FILE;
    def.file = "broken";
    def.format = format;
    def.data = text;
    def.dataSize = size;
    def.allocator = (vvAllocator){ peakAllocate, peakRelease, &peak };
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    if (mesh != NULL)
        fail_msg("accepted: %s", text);
    assert_int_equal(peak.now, 0);
    if (peak.most > mostBytes)
        fail_msg("%zu bytes of memory for %zu of text: %s", peak.most, size, text);
    return result;
}

// ---- the table ------------------------------------------------------------------------------------------------------

#define MSH2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define MSH4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define MSH_NODES "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define NODES "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
#define MEDIT "MeshVersionFormatted 1\nDimension 3\n"
#define MEDIT_POINTS "Vertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
#define VTK "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define MODERN "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define POLY "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\n"
#define VTK_POINTS "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n"

static const struct
{
    const char *format, *text, *expected;
} broken[] = {
    { "obj", "", "broken: the file is empty" },
    { "obj", "hello\nworld\n", "no points: is it a Wavefront OBJ file?" },
    { "obj", "v 0 0 0\nv 1 0 0\n", "2 points, 0 elements of other kinds, and none that can be used" },
    { "obj", "v 0 0\nf 1 1 1\n", "broken:1: vertex 1: the line ends too early" },
    { "obj", "v 0 0 nan\n", "broken:1: vertex 1: 'nan' is not a finite number" },
    { "obj", "v 0 0 1e999\n", "'1e999' is not a finite number" },
    { "obj", "v 0 0,5 1\n", "'0,5' is not a finite number" },
    { "obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 4\n", "broken:5: triangle 1 names point 4, the file has 1 to 3" },
    { "obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", "broken:4: face 1: it names point -4, of 3 points so far" },
    { "obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", "it names point 0" },
    { "obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", "face 1: it has 2 corners" },
    { "obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 2\n", "broken:4: triangle 1 names point 2 twice" },
    { "obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 three\n", "'three' is not a corner" },
    { "obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "broken:4: triangle 1 is flat: its area is 0 m^2" },
    { "obj", "v 0 0 0\nv 1 0 0\nl 1 2\nl 2 1\n", "broken:4: edges 1 and 2 both join points 1 and 2" },
    { "obj", "v 0 0 0\nv 1 0 0\nl 1\n", "line 1: it has 1 points" },
    { "obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\nf 1 2 3\nl 1 4\n", "point 4 belongs to no triangle" },
    { "msh", "hello\n", "broken:1: the file does not begin with a section" },
    { "msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\nhello\n",
      "broken:4: 'hello' stands where a section of a Gmsh file" },
    { "msh", "$NOD\n4\n", "no $MeshFormat before $NOD" },
    { "msh", "$MeshFormat\n4.1 1 4\n", "broken:2: the sizes in the MSH file have 4 bytes, must be 8" },
    { "msh", "$MeshFormat\n4.0 0 8\n", "the MSH version is 4.0, must be 2.2 or 4.1" },
    { "msh", "$MeshFormat\n2.2 0 8\n", "the file ends too early" },
    { "msh", MSH2 "$Elements\n1\n", "$Elements come before $Nodes" },
    { "msh", MSH2 "$Nodes\n3\n1 0 0 0\n", "broken:7: node 2 of 3: the file ends too early" },
    { "msh", MSH2 "$Nodes\n2\n1 0 0 0\n1 1 0 0\n", "two nodes have the tag 1" },
    { "msh", MSH2 "$Nodes\n1\n1 0 0 0\n2 0 0 0\n", "'2' stands where $EndNodes was expected" },
    { "msh", MSH2 "$Nodes\n2000000000\n", "2000000000 nodes, must be 0 to 20000000" },
    { "msh", MSH2 MSH_NODES "$Elements\n1\n1 4 2 0 1 1 2 3 9\n", "broken:13: element 1 of 1: it names node 9" },
    { "msh", MSH2 MSH_NODES "$Elements\n1\n1 4 2 0 1 1 2 3\n", "the line ends too early" },
    { "msh", MSH2 MSH_NODES "$Elements\n1\n1 4 2 0 1 1 2 3 3\n$EndElements\n", "tet 1 names point 3 twice" },
    { "msh", MSH2 MSH_NODES "$Elements\n1\n1 5 0 1 2 3 4 1 2 3 4\n$EndElements\n", "1 elements of other kinds" },
    { "msh",
      MSH2 "$Nodes\n4\n7 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n$EndNodes\n$Elements\n1\n1 4 0 7 2 3 4\n$EndElements\n",
      "broken:13: tet 1 is flat" },
    { "msh", MSH4 "$Nodes\n1 4 1 4\n3 1 0 2\n1\n2\n0 0 0\n1 0 0\n$EndNodes\n",
      "the blocks have 2 nodes, the section says 4" },
    { "msh", MSH4 "$Nodes\n1 -4 1 4\n", "-4 nodes, must be 0" },
    { "node", "4 2 0 0\n", "the points have 2 coordinates, must be 3" },
    { "node", "4 3 0 0\n2 0 0 0\n", "it has the number 2, the first is 0 or 1" },
    { "node", "4 3 0 0\n1 0 0 0\n3 0 0 0\n", "broken:3: point 2 of 4: it has the number 3, must be 2" },
    { "node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n", "point 3 of 4: the file ends too early" },
    { "node", NODES, "the file ends before its tets" },
    { "node", NODES "1 8 0\n1 1 2 3 4\n", "the tets have 8 points, must be 4 or 10" },
    { "node", NODES "1 4 0\n1 0 1 2 3\n", "broken:7: tet 1 of 1: it names point 0, must be 1 or above" },
    { "node", NODES "1 4 0\n1 1 2 3 5\n", "broken:7: tet 1 names point 5, the file has 1 to 4" },
    { "node", NODES "2 4 0\n1 1 2 3 4\n2 1 2 3 4\n", "broken:8: tets 1 and 2 overlap" },
    { "mesh", "v 0 0 0\n", "does not begin with MeshVersionFormatted" },
    { "mesh", "MeshVersionFormatted 1\nDimension 2\n", "broken:2: Dimension is 2, must be 3" },
    { "mesh", MEDIT "Vertices\n2\n0 0 0 0\n", "vertex 2 of 2: the file ends too early" },
    { "mesh", MEDIT "Vertices\n1\n0 0 0 0\n1 1 1 0\n", "broken:6: a number stands where a keyword was expected" },
    { "mesh", MEDIT "Vertices\n2\n0 0 0 0\nTetrahedra\n1\n", "vertex 2 of 2: 'Tetrahedra' is not a finite number" },
    { "mesh", MEDIT "Tetrahedra\n1\n1 2 3 4.5 0\n", "tet 1 of 1: '4.5' is not a whole number" },
    { "mesh", MEDIT MEDIT_POINTS "Tetrahedra\n1\n1 2 3 99999999999999999999 0\n", "is not a whole number" },
    { "mesh", MEDIT MEDIT_POINTS "Tetrahedra\n2\n1 2 3 4 0\n1 2 3 8 0\n", "broken:12: tet 2 names point 8" },
    { "mesh", MEDIT MEDIT_POINTS "Tetrahedra\n-1\n", "-1 tets, must be 0" },
    { "vtk", "solid thing\n", "does not begin with '# vtk DataFile Version'" },
    { "vtk", "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET STRUCTURED_POINTS\n",
      "'STRUCTURED_POINTS' is not a section" },
    { "vtk", VTK VTK_POINTS "CELLS 1 5\n4 0 1 2 3\n", "CELLS without CELL_TYPES" },
    { "vtk", VTK VTK_POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 2\n10 10\n", "2 cell types, but 1 cells" },
    { "vtk", VTK VTK_POINTS "CELLS 1 1\n0\nCELL_TYPES 1\n7\n", "cell 0 of 1: a polygon has 0 points" },
    { "vtk", VTK VTK_POINTS "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n", "a tet has 3 points" },
    { "vtk", VTK VTK_POINTS "CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n",
      "broken:8: tet 0 names point 4, the file has 0 to 3" },
    { "vtk", VTK VTK_POINTS "CELLS 1 5\n4 0 1 2 -1\nCELL_TYPES 1\n10\n", "it names point -1" },
    { "vtk", "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nCELLS 3 4\nOFFSETS int\n0 4 2\n",
      "the offset 2 follows 4" },
    { "vtk",
      "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nCELLS 2 4\nOFFSETS int\n0 3\n"
      "CONNECTIVITY int\n0 1 2 3\n",
      "the last offset is 3, must be 4" },
    { "vtk", MODERN VTK_POINTS "CELLS 2 4\nOFFSETS int\n0 4\nCONNECT int\n0 1 2 3\n",
      "'CONNECT' stands where CONNECTIVITY was expected" },
    { "vtk", VTK VTK_POINTS VTK_POINTS, "a second section POINTS" },
    { "vtk", VTK VTK_POINTS "CELL_TYPES 1\n10\n", "CELL_TYPES come before CELLS" },
    { "vtk", VTK VTK_POINTS "TRIANGLE_STRIPS 1 4\n3 0 1 2\n", "'TRIANGLE_STRIPS' is not a section" },
    { "vtk", VTK VTK_POINTS "CELLS 1 2\n1 0\nCELL_TYPES 1\n21\n", "a line has 1 points" },
    { "vtk", VTK VTK_POINTS "CELLS 1 2\n1 0\nCELL_TYPES 1\n3\n", "a line has 1 points" },
    { "vtk", VTK VTK_POINTS "CELLS 1 3\n2 0 1\nCELL_TYPES 1\n5\n", "a triangle has 2 points" },
    { "vtk", VTK VTK_POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n12\n", "1 elements of other kinds" },
    { "vtk", POLY VTK_POINTS "TRIANGLE_STRIPS 1 4\n3 0 1 2\n", "1 elements of other kinds" },
    { "vtk", "# vtk DataFile Version 3.0\ntitle\nBIN\n", "'BIN' stands where ASCII or BINARY was expected" },
    { "vtk", "# vtk DataFile Version 3.0\ntitle\nASCII\nDATA\n", "'DATA' stands where DATASET was expected" },
    { "msh", MSH2 MSH_NODES MSH_NODES, "a second section $Nodes" },
    { "mesh", MEDIT MEDIT_POINTS MEDIT_POINTS, "a second section Vertices" },
};

static void brokenFilesAreExplained(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; ++i)
    {
        vvResult result = refusal(broken[i].format, broken[i].text, strlen(broken[i].text), 100000);
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_true(strlen(result.remedy) > 0);
        if (strstr(result.message, broken[i].expected) == NULL)
            fail_msg("%s: \"%s\" does not say \"%s\"", broken[i].format, result.message, broken[i].expected);
    }
}

// a few bytes that promise two thousand million: refused, or read until the text ends, in little memory
static void promisesCostNothing(void **state)
{
    (void)state;
    static const struct
    {
        const char *format, *text;
    } cases[] = {
        { "mesh", MEDIT "Vertices\n2000000000\n0 0 0 0\n" },
        { "mesh", MEDIT "Vertices\n20000000\n0 0 0 0\n" },
        { "mesh", MEDIT "Tetrahedra\n178000000\n1 2 3 4 0\n" },
        { "mesh", MEDIT "Hexahedra\n178000000\n1 2 3 4 0\n" },
        { "msh", MSH2 "$Nodes\n20000000\n1 0 0 0\n" },
        { "msh", MSH4 "$Nodes\n170000000 20000000 1 2\n3 1 0 20000000\n1\n" },
        { "msh", MSH4 "$Nodes\n0 0 0 0\n$EndNodes\n$Elements\n1 178000000 1 1\n3 1 4 178000000\n" },
        { "node", "20000000 3 0 0\n1 0 0 0\n" },
        { "node", NODES "178000000 4 0\n1 1 2 3 4\n" },
        { "vtk", VTK "POINTS 20000000 float\n0 0 0\n" },
        { "vtk", VTK "CELLS 178000000 2147483646\n4 0 1\n" },
        { "vtk", VTK "CELLS 1 178000001\n178000000 0 1\n" },
        { "vtk", VTK "FIELD f 1\na 2147483647 2147483647 int\n0\n" },
        { "obj", "v 0 0 0\nf 1 19999999 20000000\n" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        vvResult result = refusal(cases[i].format, cases[i].text, strlen(cases[i].text), 100000);
        assert_int_equal(result.code, VV_BAD_INPUT);
    }
}

// cut anywhere, a file is refused or whole, and never read past its end
static void cutFilesAreRefused(void **state)
{
    (void)state;
    static const struct
    {
        const char *format, *text;
    } whole[] = {
        { "msh", MSH2 MSH_NODES "$Elements\n2\n1 2 0 1 2 3\n2 4 0 1 2 3 4\n$EndElements\n" },
        { "msh", MSH4 "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"
                      "$Elements\n2 2 1 2\n3 1 5 1\n1 1 2 3 4 1 2 3 4\n3 1 4 1\n2 1 2 3 4\n$EndElements\n" },
        { "mesh", MEDIT MEDIT_POINTS "Tetrahedra\n1\n1 2 3 4 0\n" },
        { "vtk", VTK "FIELD f 1\na 1 2 int\n7 8\n" VTK_POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n" },
        { "vtk", MODERN VTK_POINTS "CELLS 2 4\nOFFSETS int\n0 4\nCONNECTIVITY int\n0 1 2 3\nCELL_TYPES 1\n10\n" },
        { "vtk", POLY VTK_POINTS "POLYGONS 1 4\n3 0 1 2\n" },
    };
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; ++i)
    {
        for (size_t size = 0; size + 2 < strlen(whole[i].text); ++size)
        {
            char *cut = malloc(size + 1); // so that a sanitizer sees the end
            assert_non_null(cut);
            memcpy(cut, whole[i].text, size);
            assert_int_equal(refusal(whole[i].format, cut, size, 100000).code, VV_BAD_INPUT);
            free(cut);
        }
        vvMeshDef def = vvDefaultMeshDef();
        def.shape = VV_MESH_FILE;
        def.file = "whole";
        def.format = whole[i].format;
        def.data = whole[i].text;
        def.dataSize = strlen(whole[i].text);
        vvMesh *mesh = vvCreateMesh(&def, NULL);
        assert_non_null(mesh);
        vvDestroyMesh(mesh);
    }
}

static void wordsMayBeLong(void **state)
{
    (void)state;
    size_t size = 1 << 20;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, '7', size);
    memcpy(text, "v 0 0 ", 6);
    vvResult result = refusal("obj", text, size, 4 << 20);
    assert_non_null(strstr(result.message, "is not a finite number"));
    memset(text, 0, size);
    assert_non_null(strstr(refusal("obj", text, size, 4 << 20).message, "no points"));
    memset(text, '\n', size);
    assert_non_null(strstr(refusal("mesh", text, size, 4 << 20).message, "the file ends too early"));
    memset(text, '#', size);
    assert_non_null(strstr(refusal("node", text, size, 4 << 20).message, "the file ends before its points"));
    free(text);
}

// ---- definitions and paths ------------------------------------------------------------------------------------------

static void checkPath(const char *path, vvCode code, const char *expected)
{
    vvResult result;
    assert_null(vvReadMesh(path, &result));
    assert_int_equal(result.code, code);
    if (strstr(result.message, expected) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", result.message, expected);
}

static void pathsAreChecked(void **state)
{
    (void)state;
    checkPath(NULL, VV_BAD_INPUT, "no file");
    checkPath("", VV_BAD_INPUT, "no file");
    checkPath("no/such.obj", VV_INPUT_OUTPUT, "no/such.obj: it cannot be opened");
    checkPath("thing.fbx", VV_BAD_INPUT, "FBX files are neither read nor written");
    checkPath("thing.xyz", VV_BAD_INPUT, "has the ending of no format");
    systemMakeFolder("broken_file_test.obj");
    checkPath("broken_file_test.obj", VV_INPUT_OUTPUT, "a directory");
    rmdir("broken_file_test.obj");
#if !defined(_WIN32)
    assert_int_equal(mkfifo("broken_file_test.vtk", 0666), 0);
    checkPath("broken_file_test.vtk", VV_INPUT_OUTPUT, "not a regular file");
    remove("broken_file_test.vtk");
#endif
    FILE *file = fopen("broken_file_test.MSH", "wb");
    assert_non_null(file);
    fclose(file);
    checkPath("broken_file_test.MSH", VV_BAD_INPUT, "the file is empty");
    remove("broken_file_test.MSH");
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_FILE;
    def.file = "/dev/zero";
    def.format = "obj";
    vvResult result;
    assert_null(vvCreateMesh(&def, &result));
    assert_int_equal(result.code, VV_INPUT_OUTPUT);
    def.data = "v";
    def.dataSize = 1;
    def.format = NULL;
    assert_null(vvCreateMesh(&def, &result));
    assert_non_null(strstr(result.message, "without its format"));
    def.format = "ojb";
    assert_null(vvCreateMesh(&def, &result));
    assert_non_null(strstr(result.message, "did you mean 'obj'?"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brokenFilesAreExplained), cmocka_unit_test(promisesCostNothing),
        cmocka_unit_test(cutFilesAreRefused),      cmocka_unit_test(wordsMayBeLong),
        cmocka_unit_test(pathsAreChecked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
