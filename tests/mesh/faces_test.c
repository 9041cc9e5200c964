// Faces as their artist drew them: what a file says of quads, texture coordinates, normals, groups and materials is
// there in the mesh and in the file that is written.
#include "check.h"
#include "mesh/mesh.h"
#include "refuse.h"

#include <stdio.h>
#include <stdlib.h>
#include <verve/verve.h>

// a cube of quads with a seam, in the words that vvWriteMesh uses
#define CUBE_POINTS "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
#define CUBE_ROWS                                                                                                      \
    "mtllib skin.mtl\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 0.25 0.125\nvn 0 0 -1\nvn 0 0 1\n"                            \
    "vn 0 1 0\n"
#define CUBE_FACES                                                                                                     \
    "g bottom\nusemtl red paint\nf 1/1/1 4/4/1 3/3/1 2/2/1\ng top\nf 5/1/2 6/2/2 7/3/2 8/5/2\n"                        \
    "g sides\nusemtl blue\nf 1/1 2/2 6/3 5/4\nf 2//3 3//3 7//3 6//3\nf 3 4 8 7\nf 4/1 1/2 5/3\nf 4/1 5/3 8/4\n"
#define CUBE CUBE_POINTS CUBE_ROWS CUBE_FACES

static vvMeshDef textDef(const char *text)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_FILE;
    def.format = "obj";
    def.data = text;
    def.dataSize = strlen(text);
    return def;
}

static vvMesh *makeMesh(const vvMeshDef *def)
{
    vvResult result;
    vvMesh *mesh = vvCreateMesh(def, &result);
    if (mesh == NULL)
        fail_msg("%s", result.message);
    return mesh;
}

static vvMesh *readText(const char *text)
{
    vvMeshDef def = textDef(text);
    return makeMesh(&def);
}

static void checkWritten(const vvMesh *mesh, const char *expected)
{
    assert_int_equal(vvWriteMesh(mesh, "faces_test.obj", NULL).code, VV_OK);
    FILE *file = fopen("faces_test.obj", "rb");
    assert_non_null(file);
    char text[4096];
    size_t size = fread(text, 1, sizeof text - 1, file);
    text[size] = 0;
    fclose(file);
    remove("faces_test.obj");
    assert_string_equal(text, expected);
}

// ---- reading and writing --------------------------------------------------------------------------------------------

static void everythingIsWrittenAsItWasRead(void **state)
{
    (void)state;
    vvMesh *mesh = readText(CUBE);
    assert_int_equal(vvMesh_GetSurfaceCount(mesh), 12);
    const vvFaces *faces = vvMesh_GetFaces(mesh);
    assert_non_null(faces);
    assert_int_equal(faces->faceCount, 7);
    assert_int_equal(faces->starts[7], 5 * 4 + 2 * 3);
    assert_int_equal(faces->coordinateCount, 5);
    assert_int_equal(faces->coordinates[7], 4);
    assert_int_equal(faces->coordinates[12], -1);
    assert_int_equal(faces->normals[12], 2);
    assert_int_equal(faces->groupCount, 3);
    assert_string_equal(faces->groupNames[faces->groups[6]], "sides");
    assert_string_equal(faces->materialNames[faces->materials[0]], "red paint");
    checkWritten(mesh, CUBE);
    vvDestroyMesh(mesh);
}

// the bytes of a PLY file: quads, and texture coordinates at their corners
static void plyHoldsQuadsAndCoordinates(void **state)
{
    (void)state;
    static const char head[] =
        "ply\nformat binary_little_endian 1.0\ncomment verve\nelement vertex 4\n"
        "property double x\nproperty double y\nproperty double z\nelement face 1\n"
        "property list uchar int vertex_indices\nproperty list uchar float texcoord\nend_header\n";
    vvMesh *mesh = readText("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0.5 0\nvt 1 0.25\nf 1/1 2/2 3 4/1\n");
    assert_int_equal(vvWriteMesh(mesh, "faces_test.ply", NULL).code, VV_OK);
    unsigned char bytes[1024];
    FILE *file = fopen("faces_test.ply", "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file), at = sizeof head - 1;
    fclose(file);
    assert_int_equal(size, at + 4 * 24 + 1 + 16 + 1 + 32);
    assert_memory_equal(bytes, head, at);
    static const unsigned char one[8] = { 0, 0, 0, 0, 0, 0, 0xf0, 0x3f }; // 1.0
    assert_memory_equal(bytes + at + 24, one, 8);
    static const unsigned char face[] = { 4, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 8, 0, 0, 0, 0x3f };
    assert_memory_equal(bytes + at + 96, face, sizeof face);
    vvMesh *back = vvReadMesh("faces_test.ply", NULL);
    assert_non_null(back);
    const vvFaces *faces = vvMesh_GetFaces(back);
    assert_int_equal(faces->faceCount, 1);
    assert_int_equal(faces->coordinateCount, 3); // of four corners, two say the same, and one had none
    assert_int_equal(faces->coordinates[0], faces->coordinates[3]);
    CHECK_NEAR(faces->coordinateValues[2 * faces->coordinates[1] + 1], 0.25, 0);
    vvDestroyMesh(back);
    vvDestroyMesh(mesh);
    remove("faces_test.ply");
}

// texture coordinates of vertices, or of corners where there are as many as corners
static void plyTakesCoordinatesOfBothKinds(void **state)
{
    (void)state;
    vvMeshDef def =
        textDef("ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
                "property float z\nproperty float s\nproperty float t\nelement face 2\n"
                "property list uchar int vertex_indices\nproperty list uchar float texcoord\nend_header\n"
                "0 0 0 0.5 0.25\n1 0 0 1 0\n1 1 0 1 1\n0 1 0 0 1\n3 0 1 2 6 0 0 0.5 0 0.5 0.5\n3 0 2 3 2 7 7\n");
    def.format = "ply";
    vvMesh *mesh = makeMesh(&def);
    const vvFaces *faces = vvMesh_GetFaces(mesh);
    assert_non_null(faces);
    CHECK_NEAR(faces->coordinateValues[2 * faces->coordinates[1]], 0.5, 0);
    CHECK_NEAR(faces->coordinateValues[2 * faces->coordinates[3]], 0.5, 0);
    CHECK_NEAR(faces->coordinateValues[2 * faces->coordinates[3] + 1], 0.25, 0);
    CHECK_NEAR(faces->coordinateValues[2 * faces->coordinates[5] + 1], 1, 0);
    vvDestroyMesh(mesh);
}

// numbers back from the last, points that nothing uses, rows that are not there, a name that ends
static void odditiesAreRead(void **state)
{
    (void)state;
    vvMesh *mesh = readText("v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.5\ng a b\nf -3/-1 -2/7 -1/-1\ng\nf 2//1 4 3\n");
    const vvFaces *faces = vvMesh_GetFaces(mesh);
    assert_int_equal(faces->points[0], 0);
    assert_int_equal(faces->coordinates[1], -1);
    assert_null(faces->normals);
    checkWritten(mesh, "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.5 0\ng a b\nf 1/1 2 3/1\ng \nf 1 3 2\n");
    vvDestroyMesh(mesh);
}

static void trianglesAloneHaveNoFaces(void **state)
{
    (void)state;
    vvMesh *mesh = readText("o thing\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/2 2 3\n");
    assert_null(vvMesh_GetFaces(mesh));
    vvDestroyMesh(mesh);
    mesh = vvCreateSheetMesh(1, 1, 2, 2);
    assert_null(vvMesh_GetFaces(mesh));
    vvDestroyMesh(mesh);
    assert_null(vvMesh_GetFaces(NULL));
    assert_null(vvEmbedding_GetFaces(NULL));
}

static void badRowsAreRefused(void **state)
{
    (void)state;
    static const char *const texts[] = { "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt x 0\nf 1 2 3\n",
                                         "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 nan 0\nf 1 2 3\n",
                                         "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt\nf 1 2 3\n",
                                         "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/a 2 3\n",
                                         "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1/1/1 2 3\n" };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i)
    {
        vvMeshDef def = textDef(texts[i]);
        vvResult result;
        assert_null(vvCreateMesh(&def, &result));
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_non_null(strstr(result.message, "data:4:"));
    }
}

// a quarter turn about x: y becomes z
static void normalsTurnWithThePoints(void **state)
{
    (void)state;
    vvMeshDef def = textDef(CUBE);
    def.rotate.x = 90;
    def.scale = 2;
    vvMesh *mesh = makeMesh(&def);
    const double *normal = vvMesh_GetFaces(mesh)->normalValues;
    assert_true(normal[6] == 0 && normal[7] == 0 && normal[8] == 1);
    assert_true(normal[3] == 0 && normal[4] == -1 && normal[5] == 0);
    vvDestroyMesh(mesh);
}

// ---- from the caller, and to a cage ---------------------------------------------------------------------------------

static void callersFacesAreKeptAndChecked(void **state)
{
    (void)state;
    static const double point[] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 }, uv[] = { 0, 0, 1, 0, 1, 1, 0, 1 };
    static const int triangle[] = { 0, 1, 2, 0, 2, 3 }, start[] = { 0, 4 }, corner[] = { 0, 1, 2, 3 };
    vvFaces faces = { .faceCount = 1, .starts = start, .points = corner };
    faces.coordinates = corner;
    faces.coordinateValues = uv;
    faces.coordinateCount = 4;
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = point;
    def.pointCount = 4;
    def.triangles = triangle;
    def.triangleCount = 2;
    def.faces = &faces;
    vvMesh *mesh = makeMesh(&def);
    checkWritten(mesh, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3 4/4\n");
    vvDestroyMesh(mesh);

    static const int shortStart[] = { 0, 2 }, farCorner[] = { 0, 1, 2, 4 }, farRow[] = { 0, 1, 2, -2 };
    static const double bad[] = { 0, 0, 1, 0, 1, NAN, 0, 1 };
    vvFaces wrong[6];
    for (int i = 0; i < 6; ++i)
        wrong[i] = faces;
    wrong[0].faceCount = 0;
    wrong[1].starts = shortStart;
    wrong[2].points = farCorner;
    wrong[3].coordinates = farRow;
    wrong[4].coordinateValues = bad;
    wrong[5].groupCount = 1;
    for (int i = 0; i < 6; ++i)
    {
        def.faces = &wrong[i];
        vvResult result;
        assert_null(vvCreateMesh(&def, &result));
        assert_int_equal(result.code, VV_BAD_INPUT);
    }
}

static void aCageCarriesTheFaces(void **state)
{
    (void)state;
    vvMeshDef surface = textDef(CUBE);
    vvSolidDef def = vvDefaultSolidDef();
    def.cells = 4;
    def.kind = VV_SOLID_CAGE;
    vvResult result;
    vvMesh *mesh = vvCreateSolidMesh(&surface, &def, NULL, &result);
    assert_non_null(mesh);
    assert_null(vvMesh_GetFaces(mesh));
    const vvFaces *faces = vvEmbedding_GetFaces(vvMesh_GetEmbedding(mesh));
    assert_non_null(faces);
    assert_int_equal(faces->faceCount, 7);
    assert_int_equal(vvEmbedding_GetTriangleCount(vvMesh_GetEmbedding(mesh)), 12);
    vvDestroyMesh(mesh);
    def.kind = VV_SOLID_CONFORMING;
    mesh = vvCreateSolidMesh(&surface, &def, NULL, &result);
    assert_non_null(mesh);
    assert_null(vvMesh_GetFaces(mesh));
    vvDestroyMesh(mesh);
}

// a cube without its top, with a point twice, a quad turned around and a face twice: quads stay quads with what is at
// their corners, and the lid has nothing
static void repairKeepsWhatIsLeft(void **state)
{
    (void)state;
    vvMeshDef def = textDef("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nv 0 0 0\n"
                            "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvn 0 0 -1\nmtllib m.mtl\nusemtl red\n"
                            "f 1/1/1 4/4/1 3/3/1 2/2/1\ng side\nf 9/1 5/4 6/3 2/2\nf 2/1 3/2 7/3 6/4\n"
                            "usemtl blue\nf 3/1 4/2 8/3 7/4\nf 4/1 1/2 5/3 8/4\nf 4/1 1/2 5/3\n");
    vvRepairDef repair = vvDefaultRepairDef();
    vvRepairReport report;
    vvResult result;
    vvMesh *mesh = vvCreateRepairedMesh(&def, &repair, &report, &result);
    if (mesh == NULL)
        fail_msg("%s", result.message);
    assert_int_equal(report.weldedPoints, 1);
    assert_int_equal(report.turnedFaces, 2);
    assert_int_equal(report.doubledElements, 1);
    assert_int_equal(report.closedHoles, 1);
    const vvFaces *faces = vvMesh_GetFaces(mesh);
    assert_non_null(faces);
    int lid = vvMesh_GetSurfaceCount(mesh) - 10;
    assert_int_equal(faces->faceCount, 5 + lid);
    static const int turned[4] = { 1, 5, 4, 0 }, rows[4] = { 1, 2, 3, 0 };
    assert_memory_equal(faces->points + 4, turned, sizeof turned); // 2 6 5 1, the other way round
    assert_memory_equal(faces->coordinates + 4, rows, sizeof rows);
    assert_string_equal(faces->materialNames[faces->materials[4]], "blue");
    assert_string_equal(faces->materialFile, "m.mtl");
    assert_int_equal(faces->normals[0], 0);
    assert_int_equal(faces->groups[0], -1);
    assert_int_equal(faces->groups[1], 0);
    for (int f = 5; f < faces->faceCount; ++f)
    {
        assert_int_equal(faces->starts[f + 1] - faces->starts[f], 3);
        assert_int_equal(faces->coordinates[faces->starts[f]], -1);
        assert_int_equal(faces->materials[f], -1);
    }
    vvDestroyMesh(mesh);

    // every allocation may fail
    mesh = NULL;
    for (int granted = 0; mesh == NULL; ++granted)
    {
        int left = granted;
        def.allocator = (vvAllocator){ refuseAfter, giveBack, &left };
        mesh = vvCreateRepairedMesh(&def, &repair, NULL, &result);
        assert_int_equal(result.code, mesh == NULL ? VV_OUT_OF_MEMORY : VV_OK);
    }
    vvDestroyMesh(mesh);
}

// a quad that loses one of its triangles is a triangle with what was at its corners
static void repairCutsQuads(void **state)
{
    (void)state;
    vvMeshDef def = textDef("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nf 1/1 2/2 3/3 4/4\n");
    vvRepairDef repair = vvDefaultRepairDef();
    repair.holes = 0;
    vvMesh *mesh = vvCreateRepairedMesh(&def, &repair, NULL, NULL);
    assert_non_null(mesh);
    const vvFaces *faces = vvMesh_GetFaces(mesh);
    assert_int_equal(faces->faceCount, 1);
    assert_int_equal(faces->starts[1], 3);
    assert_int_equal(faces->coordinates[2], 2);
    vvDestroyMesh(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plyHoldsQuadsAndCoordinates),
        cmocka_unit_test(plyTakesCoordinatesOfBothKinds),
        cmocka_unit_test(everythingIsWrittenAsItWasRead),
        cmocka_unit_test(odditiesAreRead),
        cmocka_unit_test(trianglesAloneHaveNoFaces),
        cmocka_unit_test(badRowsAreRefused),
        cmocka_unit_test(normalsTurnWithThePoints),
        cmocka_unit_test(callersFacesAreKeptAndChecked),
        cmocka_unit_test(aCageCarriesTheFaces),
        cmocka_unit_test(repairKeepsWhatIsLeft),
        cmocka_unit_test(repairCutsQuads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
