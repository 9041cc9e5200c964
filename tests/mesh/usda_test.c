// USD files of text: the meshes and curves that records have, and what else such files may hold.
#include "bytes.h"

#define HEAD "#usda 1.0\n(\n    defaultPrim = \"ball\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n)\n\n"
#define TET_POINTS "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\n"
#define TET_FACES                                                                                                      \
    "    int[] faceVertexCounts = [3, 3, 3, 3]\n    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3]\n"
#define MESH(body) "def Mesh \"ball\"\n{\n" body "}\n"

static vvMesh *readText(const char *text)
{
    Bytes bytes = { .size = 0 };
    putText(&bytes, text);
    return readBytes("usda", &bytes);
}

// what a record writes, and all that may stand around it
static const char whole[] = HEAD
    "def Mesh \"ball\" (\n    kind = \"component\" # remark\n)\n{\n" TET_FACES
    "    texCoord2f[] primvars:st = [(0, 0.5)] (\n"
    "        interpolation = \"faceVarying\"\n    )\n    int[] primvars:st:indices = [0, 0]\n"
    "    def GeomSubset \"group0_head\"\n    {\n        uniform token elementType = \"face\"\n        int[] indices = "
    "[1]\n    }\n"
    "    uniform bool doubleSided = 1\n    uniform token orientation = \"rightHanded\"\n    rel material = </World/m>\n"
    "    string note = '''a \"quoted\" word'''\n    " TET_POINTS "    point3f[] points.timeSamples = {\n"
    "   \n  0: [(9, 9, 9)],   \n  1: [(8, 8, 8)],};}\n# 2: [(7, 7, 7)],};}\n";

static void meshesOfRecordsAreRead(void **state)
{
    (void)state;
    vvMesh *mesh = readText(whole);
    checkMeshCounts(mesh, 4, 0, 4);
    CHECK_CLOSE(vvMesh_GetArea(mesh), 1.5 + sqrt(0.75), 1e-14);
    vvDestroyMesh(mesh);
    Bytes bytes = { .size = 0 };
    putText(&bytes, whole);
    checkCuts("usda", &bytes, strlen("\n# 2: [(7, 7, 7)],};}\n"));
    checkChanges("usda", &bytes);
}

static void unitsAndAxesAreApplied(void **state)
{
    (void)state;
    vvMesh *mesh = readText("#usda 1.0\n(\n    metersPerUnit = 0.01\n    upAxis = \"Z\"\n)\n" MESH(
        "int[] faceVertexCounts = [4]\nint[] faceVertexIndices = [0, 1, 2, 3]\n"
        "point3f[] points = [(0, 0, 1), (1, 0, 2), (1, 3, 2), (0, 3, 1)]\n"));
    checkMeshCounts(mesh, 4, 0, 2);
    const double *p = vvMesh_GetPoints(mesh) + 6;
    assert_true(p[0] == 0.01 && p[1] == 0.02 && p[2] == -0.03);
    vvDestroyMesh(mesh);
}

// without points at rest those of the first sample; curves; two meshes; the other hand
static void otherFormsAreRead(void **state)
{
    (void)state;
    vvMesh *mesh =
        readText("#usda 1.0\ndef BasisCurves \"rope\"\n{\n    int[] curveVertexCounts = [3, 2]\n"
                 "    point3f[] points.timeSamples = { 0: [(0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 1, 0), (1, 1, 0)], "
                 "1: [(0, 0, 0)] }\n}\n");
    checkMeshCounts(mesh, 5, 0, 0);
    assert_int_equal(mesh->edgeCount, 3);
    vvDestroyMesh(mesh);
    mesh = readText("#usda 1.0\ndef Xform \"World\"\n{\n" MESH(TET_FACES TET_POINTS)
                        MESH(TET_FACES "point3f[] points = [(5, 0, 0), (6, 0, 0), (5, 1, 0), (5, 0, 1)]\n") "}\n");
    checkMeshCounts(mesh, 8, 0, 8);
    vvDestroyMesh(mesh);
    mesh = readText("#usda 1.0\n" MESH("uniform token orientation = \"leftHanded\"\nint[] faceVertexCounts = [3]\n"
                                       "int[] faceVertexIndices = [0, 1, 2]\n"
                                       "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\n"));
    const int expected[3] = { 2, 1, 0 };
    assert_memory_equal(vvMesh_GetSurface(mesh), expected, sizeof expected);
    vvDestroyMesh(mesh);
}

static void faultsAreNamed(void **state)
{
    (void)state;
    checkText("usda", "PXR-USDC\n", "data:1: the file does not begin with '#usda'");
    checkText("usda", HEAD "}\n", "data:8: a '}' closes nothing");
    checkText("usda", HEAD "def Mesh \"a\" (\n    references = @./frames-ball.usda@\n)\n{\n}\n",
              "data:9: it refers to ./frames-ball.usda, and files of others are not read");
    checkText("usda", HEAD MESH("double3 xformOp:translate = (1, 2, 3)\n"), "a transformation (xformOp:translate)");
    checkText("usda", HEAD MESH(TET_FACES "point3f[] points = [(0, 0, nan)]\n"), "'nan' is not a finite number");
    checkText("usda", HEAD MESH(TET_FACES "point3f[] points = [(0, 0), (1, 2)]\n"),
              "4 numbers are not points of three");
    checkText("usda", HEAD MESH("int[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0, 1, 4]\n" TET_POINTS),
              "data:11: face 0 of 1: it names point 4, the mesh has 0 to 3");
    checkText("usda", HEAD MESH("int[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0, 1, 0.5]\n" TET_POINTS),
              "it names point 0.5");
    checkText("usda", HEAD MESH("int[] faceVertexCounts = [4]\nint[] faceVertexIndices = [0, 1, 2]\n" TET_POINTS),
              "face 0 of 1: it has 4 corners, must be 3 to 3");
    checkText("usda", HEAD MESH("int[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0, 1, 2, 3]\n" TET_POINTS),
              "the counts add up to 3, there are 4 indices");
    checkText("usda", "#usda 1.0\n(\n    metersPerUnit = 0\n)\n", "metersPerUnit must be a number above 0");
    checkText("usda", HEAD "def Xform \"World\"\n{\n}\n", "the file has no points: is it a USD file?");
    char deep[1024] = "#usda 1.0\n";
    for (int i = 0; i < 40; ++i)
        strcat(deep, "def Xform \"a\" {\n");
    checkText("usda", deep, "more than 32 prims within each other");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshesOfRecordsAreRead),
        cmocka_unit_test(unitsAndAxesAreApplied),
        cmocka_unit_test(otherFormsAreRead),
        cmocka_unit_test(faultsAreNamed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
