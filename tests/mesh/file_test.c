#define _POSIX_C_SOURCE 200809L // access
// Mesh files: what each format says is what the mesh becomes.
#include "check.h"
#include "mesh/mesh.h"
#include "refuse.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static vvMeshDef textDef(const char *format, const char *text)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_FILE;
    def.format = format;
    def.data = text;
    def.dataSize = strlen(text);
    return def;
}

static vvMesh *readText(const char *format, const char *text)
{
    vvMeshDef def = textDef(format, text);
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    if (mesh == NULL)
        fail_msg("%s", result.message);
    return mesh;
}

static void checkCounts(const vvMesh *mesh, int vertices, int tets, int surface, int edges)
{
    assert_int_equal(vvMesh_GetVertexCount(mesh), vertices);
    assert_int_equal(vvMesh_GetTetCount(mesh), tets);
    assert_int_equal(vvMesh_GetSurfaceCount(mesh), surface);
    assert_int_equal(vvMesh_GetEdgeCount(mesh), edges);
}

static void checkPointAt(const vvMesh *mesh, int vertex, double x, double y, double z)
{
    const double *p = vvMesh_GetPoints(mesh) + 3 * vertex;
    assert_true(p[0] == x && p[1] == y && p[2] == z);
}

static void writeFile(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

// ---- OBJ ------------------------------------------------------------------------------------------------------------

static void objKnowsEveryFormOfCorner(void **state)
{
    (void)state;
    vvMesh *mesh = readText("obj", "# comment\nmtllib a.mtl\no thing\nv 0 0 0\nv 1 0 0 0.5 0.5 0.5\nv 1 1 0 # side\n"
                                   "v 0 1 0\nvt 0 0\nvn 0 0 1\nusemtl m\ns off\ng g\nf 1/1/1 2//1 3/1\nf -4 -2 -1\n");
    checkCounts(mesh, 4, 0, 2, 5);
    CHECK_NEAR(vvMesh_GetArea(mesh), 1, 1e-15);
    const int expected[6] = { 0, 1, 2, 0, 2, 3 };
    assert_memory_equal(vvMesh_GetSurface(mesh), expected, sizeof expected);
    vvDestroyMesh(mesh);
}

static void objCutsPolygonsAndJoinsLines(void **state)
{
    (void)state;
    vvMesh *mesh = readText("obj", "v 0 0 0\nv 2 0 0\nv 3 1 0\nv 2 2 0\nv 0 2 0\nf 1 2 \\\n3 4 5");
    checkCounts(mesh, 5, 0, 3, 7);
    CHECK_NEAR(vvMesh_GetArea(mesh), 5, 1e-14);
    vvDestroyMesh(mesh);
}

static void objLinesAreSprings(void **state)
{
    (void)state;
    vvMesh *mesh = readText("obj", "v 0 0 0\r\nv 1 0 0\r\nv 2 0 0\r\nv 9 9 9\r\nl 1 2 3\r\n");
    checkCounts(mesh, 3, 0, 0, 2);
    assert_int_equal(vvMesh_GetDroppedCount(mesh), 1);
    vvDestroyMesh(mesh);
    // beside faces they are the only springs
    mesh = readText("obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\n");
    checkCounts(mesh, 3, 0, 1, 1);
    vvDestroyMesh(mesh);
    // faces may come before their points
    mesh = readText("obj", "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n");
    checkCounts(mesh, 3, 0, 1, 3);
    vvDestroyMesh(mesh);
}

// ---- Gmsh -----------------------------------------------------------------------------------------------------------

#define MSH2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define MSH4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"

static void mshFindsNodesByTheirTags(void **state)
{
    (void)state;
    // tags with gaps and out of order, an unused node, a negative tet, kinds that are no matter
    vvMesh *mesh =
        readText("msh", MSH2 "$PhysicalNames\n1\n3 7 \"the body\"\n$EndPhysicalNames\n"
                             "$Nodes\n6\n10 0 0 0\n2000000000000 1 0 0\n5 0 1 0\n7 0 0 1\n8 9 9 9\n30 1 1 1\n"
                             "$EndNodes\n$Elements\n6\n1 15 2 0 1 10\n2 1 2 0 1 10 5\n3 2 2 0 1 10 7 5\n"
                             "4 4 2 7 1 10 2000000000000 7 5\n5 4 2 7 1 2000000000000 5 7 30\n"
                             "6 5 2 7 1 1 2 3 4 5 6 7 8\n$EndElements\n");
    checkCounts(mesh, 5, 2, 6, 9);
    assert_int_equal(vvMesh_GetDroppedCount(mesh), 1);
    assert_int_equal(vvMesh_GetReorientedCount(mesh), 1);
    assert_int_equal(mesh->origin.ignoredCount, 1); // the hexahedron
    CHECK_CLOSE(vvMesh_GetVolume(mesh), 0.5, 1e-15);
    checkPointAt(mesh, 1, 1, 0, 0);
    checkPointAt(mesh, 4, 1, 1, 1);
    vvDestroyMesh(mesh);
}

static void mshTakesTheCornersOfTenNodes(void **state)
{
    (void)state;
    vvMesh *mesh =
        readText("msh", MSH2 "$Nodes\n10\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 .5 0 0\n6 .5 .5 0\n7 0 .5 0\n8 0 0 .5\n"
                             "9 0 .5 .5\n10 .5 0 .5\n$EndNodes\n$Elements\n1\n1 11 2 1 1 1 2 3 4 5 6 7 8 9 10\n"
                             "$EndElements\n");
    checkCounts(mesh, 4, 1, 4, 6);
    assert_int_equal(vvMesh_GetDroppedCount(mesh), 6);
    vvDestroyMesh(mesh);
}

static void mshReadsBlocks(void **state)
{
    (void)state;
    // parametric nodes carry two more numbers
    vvMesh *mesh = readText("msh", MSH4 "$Entities\n0 0 0 1\n1 0 0 0 1 1 1 0 0\n$EndEntities\n$Nodes\n2 4 1 4\n"
                                        "2 1 1 2\n1\n2\n0 0 0 .1 .2\n1 0 0 .3 .4\n3 1 0 2\n4\n3\n0 0 1\n0 1 0\n"
                                        "$EndNodes\n$Elements\n2 2 1 2\n2 1 2 1\n1 1 2 3\n3 1 4 1\n2 1 2 3 4\n"
                                        "$EndElements\n");
    checkCounts(mesh, 4, 1, 4, 6);
    CHECK_CLOSE(vvMesh_GetVolume(mesh), 1.0 / 6, 1e-15);
    assert_int_equal(vvMesh_GetReorientedCount(mesh), 0);
    vvDestroyMesh(mesh);
    // without tets the triangles are matter, without those the lines
    mesh = readText("msh", MSH2 "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n$Elements\n2\n1 1 0 1 2\n"
                                "2 2 0 1 2 3\n$EndElements\n");
    checkCounts(mesh, 3, 0, 1, 3);
    vvDestroyMesh(mesh);
    mesh = readText("msh", MSH2 "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n$Elements\n2\n1 1 0 1 2\n"
                                "2 1 0 2 3\n$EndElements\n");
    checkCounts(mesh, 3, 0, 0, 2);
    vvDestroyMesh(mesh);
}

// ---- TetGen ---------------------------------------------------------------------------------------------------------

#define NODE1 "# points\n4 3 1 1\n1 0 0 0 7 1\n2 1 0 0 7 1\n\n3 0 1 0 7 1\n4 0 0 1 7 1\n# done\n"
#define ELE1 "1 4 1\n1 1 2 3 4 5\n# done\n"

static void nodeCountsFromZeroOrOne(void **state)
{
    (void)state;
    vvMesh *mesh = readText("node", NODE1 ELE1);
    checkCounts(mesh, 4, 1, 4, 6);
    vvDestroyMesh(mesh);
    mesh = readText("node", "5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n2 4 0\n0 0 1 2 3\n1 1 2 3 4");
    checkCounts(mesh, 5, 2, 6, 9);
    vvDestroyMesh(mesh);
    mesh = readText("node", "5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 .5 0 0\n1 10 0\n0 0 1 2 3 4 4 4 4 4 4\n");
    checkCounts(mesh, 4, 1, 4, 6);
    assert_int_equal(vvMesh_GetDroppedCount(mesh), 1);
    vvDestroyMesh(mesh);
}

static void nodeFindsItsOtherHalf(void **state)
{
    (void)state;
    writeFile("file_test.1.node", NODE1);
    writeFile("file_test.1.ele", ELE1);
    vvResult result;
    const char *const paths[] = { "file_test.1.node", "file_test.1.ele" };
    for (int i = 0; i < 2; ++i)
    {
        vvMesh *mesh = vvReadMesh(paths[i], &result);
        assert_non_null(mesh);
        checkCounts(mesh, 4, 1, 4, 6);
        vvDestroyMesh(mesh);
    }
    remove("file_test.1.ele");
    assert_null(vvReadMesh("file_test.1.node", &result));
    assert_int_equal(result.code, VV_INPUT_OUTPUT);
    assert_non_null(strstr(result.message, "file_test.1.ele"));
    assert_non_null(strstr(result.remedy, ".node and .ele"));
    remove("file_test.1.node");
}

// ---- Medit ----------------------------------------------------------------------------------------------------------

static void meditReadsSectionsInAnyOrder(void **state)
{
    (void)state;
    vvMesh *mesh = readText("mesh", "MeshVersionFormatted 1\nDimension\n3\n\nTetrahedra\n1\n1 2 3 4 0\n# comment\n"
                                    "Vertices 5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n5 5 5 0\nTriangles 1\n1 2 5 0\n"
                                    "RequiredVertices\n2\n1\n2\nEdges\n1\n1 2 0\nNormals\n1\n0.5 -1e3 .25\nEnd\n"
                                    "anything 1 2 3");
    checkCounts(mesh, 4, 1, 4, 6);
    assert_int_equal(vvMesh_GetDroppedCount(mesh), 1);
    vvDestroyMesh(mesh);
    mesh = readText("mesh", "MeshVersionFormatted 2 Dimension 3 Vertices 2 0 0 0 0 1 2 3 0 Edges 1 2 1 0");
    checkCounts(mesh, 2, 0, 0, 1);
    vvDestroyMesh(mesh);
}

// ---- VTK ------------------------------------------------------------------------------------------------------------

#define VTK(version, kind) "# vtk DataFile Version " version "\na title\nASCII\nDATASET " kind "\n"
#define VTK_TET "POINTS 5 float\n0 0 0 1 0 0\n0 1 0 0 0 1 7 7 7\n"

static void vtkReadsBothFormsOfCells(void **state)
{
    (void)state;
    vvMesh *mesh = readText("vtk", VTK("3.0", "UNSTRUCTURED_GRID") VTK_TET
                            "CELLS 3 11\n4 0 1 2 3\n3 0 1 2\n1 4\nCELL_TYPES 3\n10\n5\n1\nPOINT_DATA 5\nSCALARS x");
    checkCounts(mesh, 4, 1, 4, 6);
    assert_int_equal(vvMesh_GetDroppedCount(mesh), 1);
    vvDestroyMesh(mesh);
    mesh = readText("vtk",
                    VTK("5.1", "UNSTRUCTURED_GRID") "FIELD FieldData 1\ntime 1 2 double\n0 1\n" VTK_TET
                                                    "METADATA\nINFORMATION 1\nNAME a LOCATION b\n\nCELLS 3 7\nOFFSETS "
                                                    "vtktypeint64\n0 4 7\n"
                                                    "CONNECTIVITY vtktypeint64\n0 1 2 3\n0 1 2\nCELL_TYPES 2\n10\n5\n");
    checkCounts(mesh, 4, 1, 4, 6);
    vvDestroyMesh(mesh);
}

static void vtkReadsPolyData(void **state)
{
    (void)state;
    vvMesh *mesh = readText("vtk", VTK("2.0", "POLYDATA") "POINTS 4 float\n0 0 0 1 0 0 1 1 0 0 1 0\n"
                                                          "VERTICES 1 2\n1 0\nPOLYGONS 1 5\n4 0 1 2 3\n");
    checkCounts(mesh, 4, 0, 2, 5);
    CHECK_NEAR(vvMesh_GetArea(mesh), 1, 1e-15);
    vvDestroyMesh(mesh);
    mesh = readText("vtk", VTK("5.1", "POLYDATA") "POINTS 3 float\n0 0 0 1 0 0 2 0 0\nLINES 2 3\n"
                                                  "OFFSETS vtktypeint64\n0 3\nCONNECTIVITY vtktypeint64\n0 1 2\n");
    checkCounts(mesh, 3, 0, 0, 2);
    vvDestroyMesh(mesh);
}

// ---- all formats ----------------------------------------------------------------------------------------------------

static void formatsHaveNames(void **state)
{
    (void)state;
    int count = 0;
    for (; vvGetMeshFormatName(count) != NULL; ++count)
    {
        for (int i = 0; i < count; ++i)
            assert_string_not_equal(vvGetMeshFormatName(i), vvGetMeshFormatName(count));
    }
    assert_in_range(count, 6, 100);
    assert_string_equal(vvGetMeshFormatName(0), "obj");
    assert_null(vvGetMeshFormatName(-1));
    assert_int_equal(vvMesh_GetDroppedCount(NULL), 0);
}

static const struct
{
    const char *format, *text;
} samples[] = {
    { "obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\nf 1 2 3\n" },
    { "msh", MSH2 "$Nodes\n5\n9 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n7 5 5 5\n$EndNodes\n$Elements\n1\n1 4 0 9 2 3 4\n"
                  "$EndElements\n" },
    { "node", NODE1 ELE1 },
    { "mesh", "MeshVersionFormatted 1\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\nTetrahedra\n1\n"
              "1 2 3 4 0\nEnd\n" },
    { "vtk", VTK("3.0", "UNSTRUCTURED_GRID") VTK_TET "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n" },
};
#define SAMPLES (sizeof samples / sizeof samples[0])

// every line end and every way to end a file; a mark of UTF-8 before it
static void lineEndsDoNotMatter(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; ++i)
    {
        char text[2000] = "\xef\xbb\xbf";
        size_t n = 3;
        for (const char *c = samples[i].text; *c != 0; ++c)
        {
            if (*c == '\n')
                text[n++] = '\r';
            text[n++] = *c;
        }
        text[n - 2] = 0; // no end of the last line
        vvMesh *plain = readText(samples[i].format, samples[i].text), *windows = readText(samples[i].format, text);
        assert_int_equal(vvMesh_GetVertexCount(plain), vvMesh_GetVertexCount(windows));
        assert_int_equal(vvMesh_GetTetCount(plain), vvMesh_GetTetCount(windows));
        vvDestroyMesh(plain);
        vvDestroyMesh(windows);
    }
}

static void aFileAndItsBytesAreTheSame(void **state)
{
    (void)state;
    // larger than the buffer of the reader, so that words meet its end at every place
    size_t room = 4 << 20, n = 0;
    char *text = malloc(room);
    assert_non_null(text);
    TestRandom r = { 5 };
    for (int i = 0; i < 20000; ++i)
        n += (size_t)snprintf(text + n, room - n, "v %.*f %d %.17g\n", (int)randomBetween(&r, 1, 18),
                              randomBetween(&r, -1, 1), i, randomUnit(&r));
    for (int i = 1; i + 2 <= 20000; ++i)
        n += (size_t)snprintf(text + n, room - n, "%*sl %d %d\n", (int)randomBetween(&r, 1, 40), "", i, i + 1);
    writeFile("file_test.obj", text);
    vvMesh *memory = readText("obj", text), *file = vvReadMesh("file_test.obj", NULL);
    assert_non_null(file);
    assert_int_equal(vvMesh_GetVertexCount(file), 19999);
    assert_int_equal(vvMesh_GetVertexCount(file), vvMesh_GetVertexCount(memory));
    assert_memory_equal(vvMesh_GetPoints(file), vvMesh_GetPoints(memory), 19999 * 3 * sizeof(double));
    const char *c = text;
    for (int i = 0; i < 19999; ++i)
    {
        char *next;
        double x = strtod(c + 2, &next), y = strtod(next, &next), z = strtod(next, &next);
        checkPointAt(file, i, x, y, z);
        c = strchr(c, '\n') + 1;
    }
    vvDestroyMesh(memory);
    vvDestroyMesh(file);
    free(text);
    remove("file_test.obj");
}

static void everyAllocationMayFail(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; ++i)
    {
        vvMesh *mesh = NULL;
        for (int granted = 0; mesh == NULL; ++granted)
        {
            int left = granted;
            vvMeshDef def = textDef(samples[i].format, samples[i].text);
            def.allocator = (vvAllocator){ refuseAfter, giveBack, &left };
            vvResult result;
            mesh = vvCreateMesh(&def, &result);
            assert_int_equal(result.code, mesh == NULL ? VV_OUT_OF_MEMORY : VV_OK);
            assert_true(granted < 500);
            // writing takes memory from the same hook
            if (mesh != NULL)
            {
                left = 0;
                assert_int_equal(vvWriteMesh(mesh, "file_test_never.obj", NULL).code, VV_OUT_OF_MEMORY);
                left = 3;
                assert_int_equal(vvWriteMesh(mesh, "file_test_never.obj", NULL).code, VV_OUT_OF_MEMORY);
                assert_int_not_equal(access("file_test_never.obj", F_OK), 0);
                vvDestroyMesh(mesh);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objKnowsEveryFormOfCorner),
        cmocka_unit_test(objCutsPolygonsAndJoinsLines),
        cmocka_unit_test(objLinesAreSprings),
        cmocka_unit_test(mshFindsNodesByTheirTags),
        cmocka_unit_test(mshTakesTheCornersOfTenNodes),
        cmocka_unit_test(mshReadsBlocks),
        cmocka_unit_test(nodeCountsFromZeroOrOne),
        cmocka_unit_test(nodeFindsItsOtherHalf),
        cmocka_unit_test(meditReadsSectionsInAnyOrder),
        cmocka_unit_test(vtkReadsBothFormsOfCells),
        cmocka_unit_test(vtkReadsPolyData),
        cmocka_unit_test(formatsHaveNames),
        cmocka_unit_test(lineEndsDoNotMatter),
        cmocka_unit_test(aFileAndItsBytesAreTheSame),
        cmocka_unit_test(everyAllocationMayFail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
