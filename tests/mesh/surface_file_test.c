// Files of surfaces: STL, OFF and PLY, as text and as bytes.
#include "bytes.h"

#include <verve/faces.h>

static const double corners[4][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
static const int faces[4][3] = { { 0, 2, 1 }, { 0, 1, 3 }, { 1, 2, 3 }, { 2, 0, 3 } };

// a tet's surface: four corners, however often a file names them
static void checkTetSurface(vvMesh *mesh)
{
    checkMeshCounts(mesh, 4, 0, 4);
    CHECK_CLOSE(vvMesh_GetArea(mesh), 1.5 + sqrt(0.75), 1e-14);
    assert_int_equal(vvMesh_GetDroppedCount(mesh), 0);
    assert_int_equal(mesh->edgeCount, 6);
    vvDestroyMesh(mesh);
}

// ---- STL ------------------------------------------------------------------------------------------------------------

static Bytes stlText(bool several)
{
    Bytes bytes = { .size = 0 };
    char line[160];
    putText(&bytes, "solid a thing\n");
    for (int f = 0; f < 4; ++f)
    {
        putText(&bytes, "  facet normal 0 0 nan\n    outer loop\n");
        for (int i = 0; i < 3; ++i)
        {
            const double *p = corners[faces[f][i]];
            snprintf(line, sizeof line, "      vertex %g %g %g\n", p[0] == 0 ? -0.0 : p[0], p[1], p[2]);
            putText(&bytes, line);
        }
        putText(&bytes, "    endloop\n  endfacet\n");
        if (f == 1 && several)
            putText(&bytes, "endsolid a thing\nSOLID\n");
    }
    putText(&bytes, "endsolid");
    return bytes;
}

static Bytes stlBinary(const char *title)
{
    Bytes bytes = { .size = 0 };
    char header[80] = "";
    snprintf(header, sizeof header, "%s", title);
    putBytes(&bytes, header, sizeof header);
    putInt(&bytes, 4);
    for (int f = 0; f < 4; ++f)
    {
        for (int c = 0; c < 3; ++c)
            putFloat(&bytes, 0);
        for (int i = 0; i < 9; ++i)
            putFloat(&bytes, corners[faces[f][i / 3]][i % 3]);
        putWhole(&bytes, 0xffff, 2);
    }
    return bytes;
}

static void stlReadsBothForms(void **state)
{
    (void)state;
    Bytes text = stlText(false), several = stlText(true), binary = stlBinary("made by a test"),
          liar = stlBinary("solid is my name");
    checkTetSurface(readBytes("stl", &text));
    checkTetSurface(readBytes("stl", &several));
    checkTetSurface(readBytes("stl", &binary));
    checkTetSurface(readBytes("stl", &liar));
    checkCuts("stl", &text, 0);
    checkCuts("stl", &binary, 0);
    checkCuts("stl", &liar, 0);
    checkChanges("stl", &text);
    checkChanges("stl", &binary);
    Bytes mark = stlBinary("\xef\xbb\xbf"); // looks like a mark of UTF-8
    checkTetSurface(readBytes("stl", &mark));
    putText(&binary, "and more behind it");
    checkTetSurface(readBytes("stl", &binary));
}

static void stlRefusesWithAPlace(void **state)
{
    (void)state;
    Bytes bytes = stlBinary("bad");
    memset(bytes.data + 84 + 50 + 12, 0xff, 4);
    checkRefused("stl", &bytes, "data: byte 134: facet 2 of 4: corner 1 is not finite");
    bytes = stlBinary("too many");
    memset(bytes.data + 80, 0xff, 4);
    checkRefused("stl", &bytes, "data: byte 80: 4294967295 facets, must be 0 to 6666666");
    bytes = stlBinary("flat");
    memcpy(bytes.data + 84 + 100 + 12, bytes.data + 84 + 100 + 24, 12);
    checkRefused("stl", &bytes, "data: byte 184: triangle 3 names point 2 twice");
    checkText("stl", "v 0 0 0\n", "data:1: the file does not begin with 'solid'");
    checkText("stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\nendfacet\n",
              "data:6: facet 1: it has 2 vertices");
    checkText("stl", "solid\nfacet normal 0 0 1\nouter lop\n", "'lop' stands where 'loop' was expected");
    checkText("stl", "solid\nvertex 0 0 1\n", "data:2: 'vertex' stands where 'facet or endsolid' was expected");
    checkText("stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 x 0\n", "facet 1: 'x' is not a finite number");
    checkText("stl", "solid nothing\nendsolid\n", "the file has no points: is it a STL file?");
}

// facets that are all at one place, as broken files have them, cost no more than others
static void manyCornersAtOnePlaceAreWelded(void **state)
{
    (void)state;
    enum
    {
        FACETS = 100000
    };
    size_t size = 84 + 50 * (size_t)FACETS;
    unsigned char *data = calloc(size, 1);
    assert_non_null(data);
    for (int i = 0; i < 4; ++i)
        data[80 + i] = (unsigned char)(FACETS >> 8 * i);
    vvResult result;
    double start = clockSeconds();
    assert_null(tryBytes("stl", data, size, (vvAllocator){ 0 }, &result));
    assert_non_null(strstr(result.message, "data: byte 84: triangle 1 names point 1 twice"));
    assert_true(clockSeconds() - start < 20); // 0.1 s; one by one it would be minutes
    free(data);
}

// ---- OFF ------------------------------------------------------------------------------------------------------------

static Bytes offBinary(void)
{
    Bytes bytes = { .bigEndian = true };
    putText(&bytes, "COFF BINARY\n");
    putInt(&bytes, 4);
    putInt(&bytes, 4);
    putInt(&bytes, 6);
    for (int v = 0; v < 4; ++v)
    {
        for (int c = 0; c < 7; ++c)
            putFloat(&bytes, c < 3 ? corners[v][c] : 0.5);
    }
    for (int f = 0; f < 4; ++f)
    {
        putInt(&bytes, 3);
        for (int i = 0; i < 3; ++i)
            putInt(&bytes, faces[f][i]);
        putInt(&bytes, f == 1 ? 3 : 0); // a colour
        for (int c = 0; c < 3 && f == 1; ++c)
            putFloat(&bytes, 1);
    }
    return bytes;
}

// as OpenMesh writes it
static Bytes offLittle(void)
{
    Bytes bytes = { .bigEndian = false };
    putText(&bytes, "OFF BINARY\n");
    putInt(&bytes, 4);
    putInt(&bytes, 4);
    putInt(&bytes, 0);
    for (int i = 0; i < 12; ++i)
        putFloat(&bytes, corners[i / 3][i % 3]);
    for (int i = 0; i < 16; ++i)
        putInt(&bytes, i % 4 == 0 ? 3 : faces[i / 4][i % 4 - 1]);
    return bytes;
}

#define OFF_POINTS "0 0 0\n1 0 0 255 0 0\n# comment\n0 1 0\n\n0 0 1\n"

static void offReadsBothForms(void **state)
{
    (void)state;
    Bytes text = { .size = 0 }, binary = offBinary(), little = offLittle(), polygon = { .size = 0 };
    putText(&text, "OFF\n# a tet\n4 4 6\n" OFF_POINTS "3 0 2 1\n3 0 1 3 0.5 0.5 0.5\n3 1 2 3 \n3 2 0 3\n");
    checkTetSurface(readBytes("off", &text));
    checkTetSurface(readBytes("off", &binary));
    checkTetSurface(readBytes("off", &little));
    checkCuts("off", &text, 1);
    checkCuts("off", &binary, 0);
    checkCuts("off", &little, 0);
    checkChanges("off", &text);
    checkChanges("off", &binary);
    checkChanges("off", &little);
    putText(&polygon, "OFF 5 1 0\n0 0 0\n2 0 0\n3 1 0\n2 2 0\n0 2 0\n5 0 1 2 3 4");
    vvMesh *mesh = readBytes("off", &polygon);
    checkMeshCounts(mesh, 5, 0, 3);
    CHECK_NEAR(vvMesh_GetArea(mesh), 5, 1e-14);
    vvDestroyMesh(mesh);
}

static void offRefusesWithAPlace(void **state)
{
    (void)state;
    checkText("off", "8 6 12\n", "the file does not begin with OFF");
    checkText("off", "4OFF\n", "the points of 4OFF have more than three");
    checkText("off", "OFF BINARIES\n", "'BINARIES' stands behind OFF");
    checkText("off", "OFF\n20000001 1 0\n", "data:2: 20000001 vertices, must be 0 to 20000000");
    checkText("off", "OFF\n4 1 0\n" OFF_POINTS "3 0 1\n", "data:9: face 0 of 1: the line ends too early");
    checkText("off", "OFF\n4 1 0\n" OFF_POINTS "2 0 1\n", "face 0 of 1: it has 2 corners");
    checkText("off", "OFF\n4 1 0\n" OFF_POINTS "3 0 1 7\n", "data:9: triangle 0 names point 7, the file has 0 to 3");
    checkText("off", "OFF\n4 1 0\n" OFF_POINTS "3 0 1 -1\n", "it names point -1, must be 0 or above");
    Bytes bytes = offBinary();
    memset(bytes.data + 12, 0x7f, 4);
    checkRefused("off", &bytes, "data: byte 12: 2139062143 vertices");
    bytes = offBinary();
    memset(bytes.data + 24 + 28, 0xff, 4);
    checkRefused("off", &bytes, "data: byte 52: vertex 1 of 4: the number is not finite");
    bytes = offBinary();
    bytes.data[24 + 4 * 28 + 15] = 9;
    checkRefused("off", &bytes, "data: byte 140: triangle 0 names point 9");
}

// ---- PLY ------------------------------------------------------------------------------------------------------------

// every type that the format knows, things that are passed, and a list before the one that counts
#define PLY_BODY                                                                                                       \
    "comment made by a test\nobj_info more words\nelement camera 1\nproperty list uchar double view\nproperty uint "   \
    "a\n"                                                                                                              \
    "element vertex 4\nproperty uchar red\nproperty double x\nproperty float32 y\nproperty short z\nproperty list "    \
    "ushort char more\nelement face 4\nproperty list uchar float texcoord\nproperty list uchar uint vertex_indices\n"  \
    "element material 0\nproperty int a\nelement empty 3\nend_header\n"

static Bytes plyBinary(bool bigEndian)
{
    Bytes bytes = { .bigEndian = bigEndian };
    putText(&bytes, "ply\nformat ");
    putText(&bytes, bigEndian ? "binary_big_endian" : "binary_little_endian");
    putText(&bytes, " 1.0\n" PLY_BODY);
    putWhole(&bytes, 2, 1); // the camera
    putDouble(&bytes, 1);
    putDouble(&bytes, 2);
    putInt(&bytes, 7);
    for (int v = 0; v < 4; ++v)
    {
        putWhole(&bytes, 255, 1);
        putDouble(&bytes, corners[v][0]);
        putFloat(&bytes, corners[v][1]);
        putWhole(&bytes, (long long)corners[v][2], 2);
        putWhole(&bytes, v, 2);
        for (int i = 0; i < v; ++i)
            putWhole(&bytes, i, 1);
    }
    for (int f = 0; f < 4; ++f)
    {
        putWhole(&bytes, 1, 1);
        putFloat(&bytes, 0.5);
        putWhole(&bytes, 3, 1);
        for (int i = 0; i < 3; ++i)
            putInt(&bytes, faces[f][i]);
    }
    return bytes;
}

#define PLY_HEADER                                                                                                     \
    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"                  \
    "element face 1\nproperty list uchar int vertex_index\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n"

static void plyReadsAllForms(void **state)
{
    (void)state;
    Bytes text = { .size = 0 }, little = plyBinary(false), big = plyBinary(true), quad = { .size = 0 };
    putText(&text, "ply\nformat ascii 1.0\n" PLY_BODY "2 1 2 7\n1 0 0 0 0\n2 1 0 0 1 5\n3 0 1 0 0\n4 0 0 1 0\n"
                   "0 3 0 2 1\n1 .5 3 0 1 3\n0 3 1 2 3\n0 3 2 0 3\n");
    checkTetSurface(readBytes("ply", &text));
    checkTetSurface(readBytes("ply", &little));
    checkTetSurface(readBytes("ply", &big));
    checkCuts("ply", &text, 1);
    checkCuts("ply", &little, 0);
    checkCuts("ply", &big, 0);
    checkChanges("ply", &text);
    checkChanges("ply", &big);
    putText(&quad, PLY_HEADER "4 0 1 2 3\n");
    vvMesh *mesh = readBytes("ply", &quad);
    checkMeshCounts(mesh, 4, 0, 2);
    CHECK_NEAR(vvMesh_GetArea(mesh), 1, 1e-15);
    vvDestroyMesh(mesh);
}

// numbers meet the end of the reader's buffer at every place, in memory and in a file
static void largeFilesAreRead(void **state)
{
    (void)state;
    enum
    {
        SIDE = 150,
        HEAD = 256
    };
    size_t room = HEAD + 12 * (size_t)(SIDE * SIDE) + 17 * (size_t)(SIDE * SIDE), size;
    unsigned char *data = malloc(room);
    assert_non_null(data);
    size = (size_t)snprintf((char *)data, HEAD,
                            "ply\nformat binary_big_endian 1.0\nelement vertex %d\nproperty float x\nproperty float y\n"
                            "property float z\nelement face %d\nproperty list uchar int vertex_indices\nend_header\n",
                            SIDE * SIDE, (SIDE - 1) * (SIDE - 1));
    for (int v = 0; v < SIDE * SIDE; ++v)
    {
        Bytes row = { .bigEndian = true };
        putFloat(&row, v / SIDE);
        putFloat(&row, v % SIDE);
        putFloat(&row, 0);
        memcpy(data + size, row.data, row.size);
        size += row.size;
    }
    for (int f = 0; f < (SIDE - 1) * (SIDE - 1); ++f)
    {
        Bytes row = { .bigEndian = true };
        int first = f / (SIDE - 1) * SIDE + f % (SIDE - 1);
        putWhole(&row, 4, 1);
        putInt(&row, first);
        putInt(&row, first + SIDE);
        putInt(&row, first + SIDE + 1);
        putInt(&row, first + 1);
        memcpy(data + size, row.data, row.size);
        size += row.size;
    }
    FILE *file = fopen("surface_file_test.ply", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
    for (int i = 0; i < 2; ++i)
    {
        vvResult result;
        vvMesh *mesh = i == 0 ? tryBytes("ply", data, size, (vvAllocator){ 0 }, &result)
                              : vvReadMesh("surface_file_test.ply", &result);
        assert_non_null(mesh);
        checkMeshCounts(mesh, SIDE * SIDE, 0, 2 * (SIDE - 1) * (SIDE - 1));
        CHECK_CLOSE(vvMesh_GetArea(mesh), (SIDE - 1) * (SIDE - 1), 1e-12);
        assert_int_equal(vvMesh_GetFaces(mesh)->faceCount, (SIDE - 1) * (SIDE - 1)); // quads stay quads
        vvDestroyMesh(mesh);
    }
    remove("surface_file_test.ply");
    free(data);
}

static void plyReadsLines(void **state)
{
    (void)state;
    Bytes text = { .size = 0 };
    putText(&text, "ply\r\nformat ascii 1.0\r\nelement edge 1\r\nproperty int vertex1\r\nproperty int vertex2\r\n"
                   "element vertex 2\r\nproperty float x\r\nproperty float y\r\nproperty float z\r\nend_header\r\n"
                   "0 1\r\n0 0 0\r\n1 2 3\r\n");
    vvMesh *mesh = readBytes("ply", &text);
    checkMeshCounts(mesh, 2, 0, 0);
    assert_int_equal(mesh->edgeCount, 1);
    vvDestroyMesh(mesh);
}

static void plyRefusesWithAPlace(void **state)
{
    (void)state;
    checkText("ply", "off\n", "the file does not begin with 'ply'");
    checkText("ply", "ply\nformat binary 1.0\n", "data:2: 'binary' stands where ascii, binary_little_endian");
    checkText("ply", "ply\nelement vertex 0\nend_header\n", "the header has no line 'format'");
    checkText("ply", "ply\nformat ascii 1.0\nhello\n", "data:3: 'hello' stands where a word of a PLY header");
    checkText("ply", "ply\nformat ascii 1.0\nproperty int a\n", "a property before the first element");
    checkText("ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty real x\n", "'real' stands where the type");
    checkText("ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n",
              "properties x, y and z of vertices: one of each is needed");
    checkText("ply", "ply\nformat ascii 1.0\nelement vertex 1\nelement vertex 1\n", "a second 'element vertex'");
    checkText("ply", "ply\nformat ascii 1.0\nelement vertex 30000000\n", "30000000 vertices, must be 0 to 20000000");
    checkText("ply", "ply\nformat ascii 1.0\nelement face 1\nproperty int vertex_indices\nend_header\n",
              "list vertex_indices of faces");
    checkText("ply", PLY_HEADER "2 0 1\n", "face 0 of 1: it has 2 corners");
    checkText("ply", PLY_HEADER "3 0 1 x\n", "data:14: face 0 of 1: 'x' is not a whole number");
    checkText("ply", PLY_HEADER "3 0 1 4\n", "data:14: triangle 0 names point 4, the file has 0 to 3");
    Bytes bytes = plyBinary(true);
    bytes.data[bytes.size - 4] = 0xff; // the last corner
    checkRefused("ply", &bytes, "face 3 of 4: it names point 4278190083, must be 0 or above");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stlReadsBothForms),
        cmocka_unit_test(stlRefusesWithAPlace),
        cmocka_unit_test(manyCornersAtOnePlaceAreWelded),
        cmocka_unit_test(offReadsBothForms),
        cmocka_unit_test(offRefusesWithAPlace),
        cmocka_unit_test(plyReadsAllForms),
        cmocka_unit_test(largeFilesAreRead),
        cmocka_unit_test(plyReadsLines),
        cmocka_unit_test(plyRefusesWithAPlace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
