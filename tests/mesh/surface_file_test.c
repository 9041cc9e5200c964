// Files of surfaces: STL, OFF and PLY, as text and as bytes.
#include "bytes.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stlReadsBothForms),
        cmocka_unit_test(stlRefusesWithAPlace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
