// glTF 2.0: what the text and the binary container say is what the mesh becomes, and all else is refused with a reason.
#include "bytes.h"

#include <verve/verve.h>

// the triangle of the tutorial: indices 0, 1, 2 as unsigned short and three points, in base64
#define TRIANGLE_DATA "AAABAAIAAAAAAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAACAPwAAAAA="
#define TRIANGLE_REST                                                                                                  \
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":6},{\"buffer\":0,\"byteOffset\":8,\"byteLength\":36}],"             \
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5123,\"count\":3,\"type\":\"SCALAR\"},"                        \
    "{\"bufferView\":1,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"                                        \
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":1},\"indices\":0}]}],"                                 \
    "\"asset\":{\"version\":\"2.0\"}}"
#define BUFFER(uri) "{\"buffers\":[{\"uri\":\"" uri "\",\"byteLength\":44}],"
#define TRIANGLE BUFFER("data:application/octet-stream;base64," TRIANGLE_DATA) TRIANGLE_REST

static vvMesh *readText(const char *text)
{
    Bytes bytes = { .size = 0 };
    putText(&bytes, text);
    return readBytes("gltf", &bytes);
}

static void checkPoint(const vvMesh *mesh, int vertex, double x, double y, double z)
{
    const double *p = vvMesh_GetPoints(mesh) + 3 * (size_t)vertex;
    CHECK_NEAR(p[0], x, 1e-6);
    CHECK_NEAR(p[1], y, 1e-6);
    CHECK_NEAR(p[2], z, 1e-6);
}

static void textHoldsItsBuffer(void **state)
{
    (void)state;
    vvMesh *mesh = readText(TRIANGLE);
    checkMeshCounts(mesh, 3, 0, 1);
    checkPoint(mesh, 1, 1, 0, 0);
    checkPoint(mesh, 2, 0, 1, 0);
    assert_null(vvMesh_GetFaces(mesh));
    vvDestroyMesh(mesh);
}

// ---- files beside ---------------------------------------------------------------------------------------------------

static void writeFile(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void checkFile(const char *path, const char *text, const char *fault)
{
    vvResult result;
    writeFile(path, text, strlen(text));
    vvMesh *mesh = vvReadMesh(path, &result);
    if (fault == NULL && mesh == NULL)
        fail_msg("%s", result.message);
    if (fault != NULL && (mesh != NULL || strstr(result.message, fault) == NULL))
        fail_msg("'%s' does not say '%s'", mesh != NULL ? "accepted" : result.message, fault);
    vvDestroyMesh(mesh);
    remove(path);
}

static void buffersLieBesideTheFile(void **state)
{
    (void)state;
    Bytes bytes = { .size = 0 };
    for (int i = 0; i < 4; ++i)
        putWhole(&bytes, i % 3, 2);
    static const float points[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    for (int i = 0; i < 9; ++i)
        putFloat(&bytes, (double)points[i]);
    writeFile("gltf test.bin", bytes.data, bytes.size);
    checkFile("gltf_test.gltf", BUFFER("gltf%20test.bin") TRIANGLE_REST, NULL);
    checkFile("./gltf_test.gltf", BUFFER("./gltf test.bin") TRIANGLE_REST, NULL);
    checkFile("gltf_test.gltf", BUFFER("nothing.bin") TRIANGLE_REST, "'nothing.bin', is not there");
    checkFile("gltf_test.gltf", BUFFER("../gltf_test.bin") TRIANGLE_REST, "a buffer");
    checkFile("gltf_test.gltf", BUFFER("/etc/passwd") TRIANGLE_REST, "a buffer");
#if !defined(_WIN32)
    checkFile("gltf_test.gltf", BUFFER("/../../../../../../../../etc/passwd") TRIANGLE_REST, "outside the folder");
#endif
    checkFile("gltf_test.gltf", BUFFER("http://x/y.bin") TRIANGLE_REST, "no file beside");
    writeFile("gltf test.bin", bytes.data, 20);
    checkFile("gltf_test.gltf", BUFFER("gltf%20test.bin") TRIANGLE_REST, "says 44 bytes and has 20");
    remove("gltf test.bin");
}

// ---- binary files ---------------------------------------------------------------------------------------------------

static void putChunks(Bytes *file, const char *json, const Bytes *data)
{
    char text[4096];
    size_t size = strlen(json);
    assert_true(size + 4 < sizeof text);
    strcpy(text, json);
    while (size % 4 != 0)
        text[size++] = ' ';
    putBytes(file, "glTF", 4);
    putInt(file, 2);
    putInt(file, (long long)(12 + 8 + size + 8 + data->size));
    putInt(file, (long long)size);
    putBytes(file, "JSON", 4);
    putBytes(file, text, size);
    putInt(file, (long long)data->size);
    putBytes(file, "BIN", 4);
    putBytes(file, data->data, data->size);
}

// a square of two triangles whose points are split along the diagonal, rows of point, texture coordinate interleaved;
// texture coordinates as bytes, and indices of one byte
static void makeSquare(Bytes *data)
{
    static const double corner[6][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 0 }, { 1, 1 }, { 0, 1 } };
    for (int i = 0; i < 6; ++i)
    {
        putFloat(data, corner[i][0]);
        putFloat(data, corner[i][1]);
        putFloat(data, 0);
        putWhole(data, i < 3 ? (long long)(255 * corner[i][0]) : 51 * i, 1);
        putWhole(data, (long long)(255 * corner[i][1]), 1);
        putWhole(data, 0, 2);
    }
    for (int i = 0; i < 6; ++i)
        putWhole(data, i, 1);
    putWhole(data, 0, 2);
}

#define SQUARE_BUFFERS                                                                                                 \
    "\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":104}],"                                              \
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":96,\"byteStride\":16},"                                             \
    "{\"buffer\":0,\"byteOffset\":96,\"byteLength\":6}],\"accessors\":["                                               \
    "{\"bufferView\":0,\"componentType\":5126,\"count\":6,\"type\":\"VEC3\"},"                                         \
    "{\"bufferView\":0,\"byteOffset\":12,\"componentType\":5121,\"normalized\":true,\"count\":6,\"type\":\"VEC2\"},"   \
    "{\"bufferView\":1,\"componentType\":5121,\"count\":6,\"type\":\"SCALAR\"},"                                       \
    "{\"bufferView\":1,\"componentType\":5121,\"count\":3,\"type\":\"SCALAR\"},"                                       \
    "{\"bufferView\":1,\"byteOffset\":3,\"componentType\":5121,\"count\":3,\"type\":\"SCALAR\"}]"

static vvMesh *readSquare(const char *rest)
{
    char json[4096];
    Bytes data = { .size = 0 }, file = { .size = 0 };
    makeSquare(&data);
    snprintf(json, sizeof json, "{" SQUARE_BUFFERS ",%s}", rest);
    putChunks(&file, json, &data);
    return readBytes("glb", &file);
}

static void seamsAreClosedAndCoordinatesKept(void **state)
{
    (void)state;
    vvMesh *mesh = readSquare("\"materials\":[{\"name\":\"red\"},{\"name\":\"blue\"}],\"meshes\":[{\"primitives\":["
                              "{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1},\"indices\":3,\"material\":0},"
                              "{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1},\"indices\":4,\"material\":1}]}]");
    checkMeshCounts(mesh, 4, 0, 2);
    const vvFaces *faces = vvMesh_GetFaces(mesh);
    assert_non_null(faces);
    assert_int_equal(faces->faceCount, 2);
    assert_int_equal(faces->coordinateCount, 5); // of six, two say the same
    assert_string_equal(faces->materialNames[faces->materials[1]], "blue");
    assert_int_equal(faces->points[0], faces->points[3]); // one point, two texture coordinates
    assert_int_not_equal(faces->coordinates[0], faces->coordinates[3]);
    CHECK_NEAR(faces->coordinateValues[2], 1, 1e-12);
    assert_int_equal(faces->coordinates[2], faces->coordinates[5]);
    CHECK_NEAR(faces->coordinateValues[2 * 2], 1, 1e-12);
    CHECK_NEAR(faces->coordinateValues[2 * 2 + 1], 0, 1e-12); // v counts up here
    vvDestroyMesh(mesh);
}

// strips, fans and no indices at all give the same square
static void everyModeOfTriangles(void **state)
{
    (void)state;
    vvMesh *mesh = readSquare("\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]");
    checkMeshCounts(mesh, 4, 0, 2);
    CHECK_NEAR(vvMesh_GetArea(mesh), 1, 1e-12);
    vvDestroyMesh(mesh);
    mesh = readSquare("\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":3,\"mode\":5},"
                      "{\"attributes\":{\"POSITION\":0},\"indices\":4,\"mode\":6}]}]");
    checkMeshCounts(mesh, 4, 0, 2);
    CHECK_NEAR(vvMesh_GetArea(mesh), 1, 1e-12);
    vvDestroyMesh(mesh);
    mesh = readSquare("\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":3,\"mode\":2}]}]");
    checkMeshCounts(mesh, 3, 0, 0);
    assert_int_equal(vvMesh_GetEdgeCount(mesh), 3);
    vvDestroyMesh(mesh);
}

// a node in a node: scaled, turned by a quarter about z, moved; and a mirror, which turns the faces back
static void nodesPlaceTheirMeshes(void **state)
{
    (void)state;
    vvMesh *mesh = readSquare("\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"scene\":1,"
                              "\"scenes\":[{\"nodes\":[2]},{\"nodes\":[0]}],\"nodes\":["
                              "{\"children\":[1],\"translation\":[0,0,5]},"
                              "{\"mesh\":0,\"scale\":[2,3,1],\"rotation\":[0,0,0.70710678,0.70710678]},"
                              "{\"mesh\":0,\"matrix\":[-1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}]");
    checkMeshCounts(mesh, 4, 0, 2);
    checkPoint(mesh, 1, 0, 2, 5);
    checkPoint(mesh, 3, -3, 0, 5);
    vvDestroyMesh(mesh);
    mesh = readSquare("\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"scenes\":[{\"nodes\":[0]}],"
                      "\"nodes\":[{\"mesh\":0,\"matrix\":[-1,0,0,0,0,1,0,0,0,0,1,0,7,0,0,1]}]");
    checkPoint(mesh, 1, 6, 0, 0);
    const double *p = vvMesh_GetPoints(mesh);
    const int *c = vvMesh_GetSurface(mesh);
    double ux = p[3 * c[1]] - p[3 * c[0]], uy = p[3 * c[1] + 1] - p[3 * c[0] + 1];
    double vx = p[3 * c[2]] - p[3 * c[0]], vy = p[3 * c[2] + 1] - p[3 * c[0] + 1];
    assert_true(ux * vy - uy * vx > 0); // still towards +z
    vvDestroyMesh(mesh);
}

// ---- refusals -------------------------------------------------------------------------------------------------------

#define TEXT(rest) "{\"asset\":{\"version\":\"2.0\"}," rest "}"

static void whatIsNotReadIsRefused(void **state)
{
    (void)state;
    checkText("gltf", "", "the file is empty");
    checkText("gltf", "{", "data:1:2:");
    checkText("gltf", "[]", "no object of JSON");
    checkText("gltf", "{\"asset\":{\"version\":\"1.0\"}}", "asset.version is '1.0'");
    checkText("gltf", "{}", "asset.version is ''");
    checkText("gltf", TEXT("\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]"), "KHR_draco_mesh_compression");
    checkText("gltf", TEXT("\"meshes\":[]"), "no points");
    checkText("gltf", TEXT("\"meshes\":7"), "meshes is no list");
    checkText("gltf", TEXT("\"buffers\":[{\"uri\":\"a.bin\",\"byteLength\":1}]"), "data in memory has no folder");
    checkText("gltf", TEXT("\"buffers\":[{\"uri\":\"data:;base64,A?==\",\"byteLength\":1}]"), "not base64");
    checkText("gltf", TEXT("\"buffers\":[{\"uri\":\"data:;base64,AAAA\",\"byteLength\":4}]"), "says 4 bytes and has 3");
    checkText("gltf", TEXT("\"buffers\":[{\"byteLength\":-1}]"), "byteLength is something else");
#define PRIMITIVE "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]"
    checkText("gltf", TEXT(PRIMITIVE), "POSITION is something else");
    checkText("gltf",
              TEXT(PRIMITIVE ",\"accessors\":[{\"count\":1,\"componentType\":5126,\"type\":\"VEC3\",\"sparse\":{}}]"),
              "count is not there");
    checkText("gltf",
              TEXT(PRIMITIVE ",\"accessors\":[{\"count\":9999999,\"componentType\":5126,\"type\":\"VEC3\",\"sparse\":{"
                             "\"count\":0,\"indices\":{\"bufferView\":0,\"componentType\":5121},\"values\":{"
                             "\"bufferView\":0}}}],\"buffers\":[{\"uri\":\"data:;base64,AAAA\",\"byteLength\":3}],"
                             "\"bufferViews\":[{\"buffer\":0,\"byteLength\":3}]"),
              "9999999 rows and no view");
    checkText("gltf", TEXT(PRIMITIVE ",\"accessors\":[{\"count\":1,\"componentType\":5126,\"type\":\"VEC3\"}]"),
              "bufferView is not there");
#define SMALL                                                                                                          \
    "\"buffers\":[{\"uri\":\"data:;base64,AAAAAAAAAAAAAAAA\",\"byteLength\":12}],"                                     \
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":12}]," PRIMITIVE
    checkText("gltf",
              TEXT(SMALL ",\"accessors\":[{\"bufferView\":0,\"count\":2,\"componentType\":5126,\"type\":\"VEC3\"}]"),
              "accessor 0 needs 24 bytes");
    checkText("gltf",
              TEXT(SMALL ",\"accessors\":[{\"bufferView\":0,\"count\":1,\"componentType\":5126,\"type\":\"VEC2\"}]"),
              "type 'VEC2', must be VEC3");
    checkText("gltf",
              TEXT(SMALL ",\"accessors\":[{\"bufferView\":0,\"count\":1,\"componentType\":5123,\"type\":\"VEC3\"}]"),
              "not of floats");
    checkText("gltf", TEXT("\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"children\":[0]}]"), "node 0 is in two places");
    checkText("gltf", TEXT("\"scenes\":[{\"nodes\":[3]}],\"nodes\":[{}]"), "which is not there");
    checkText("gltf", TEXT("\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"scale\":[1,2]}]"), "no list of 3 numbers");
}

static void brokenFilesAreRefused(void **state)
{
    (void)state;
    Bytes text = { .size = 0 }, data = { .size = 0 }, file = { .size = 0 };
    putText(&text, TRIANGLE);
    checkCuts("gltf", &text, 0);
    makeSquare(&data);
    putChunks(&file,
              "{" SQUARE_BUFFERS ",\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1},"
              "\"indices\":2}]}],\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}]}",
              &data);
    checkCuts("glb", &file, 0);
    checkChanges("glb", &file);
    file.data[4] = 1;
    checkRefused("glb", &file, "glTF of version 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(textHoldsItsBuffer),    cmocka_unit_test(buffersLieBesideTheFile),
        cmocka_unit_test(everyModeOfTriangles),  cmocka_unit_test(seamsAreClosedAndCoordinatesKept),
        cmocka_unit_test(nodesPlaceTheirMeshes), cmocka_unit_test(whatIsNotReadIsRefused),
        cmocka_unit_test(brokenFilesAreRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
