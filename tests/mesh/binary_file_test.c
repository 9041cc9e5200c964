// Files of tets as bytes: Gmsh, VTK legacy and Medit; and Vega's, which are text.
#include "bytes.h"

static const double corners[5][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 7, 7, 7 } };

// one tet, and a point that nothing uses
static void checkTet(vvMesh *mesh)
{
    checkMeshCounts(mesh, 4, 1, 4);
    CHECK_CLOSE(vvMesh_GetVolume(mesh), 1.0 / 6, 1e-15);
    assert_int_equal(vvMesh_GetDroppedCount(mesh), 1);
    assert_int_equal(vvMesh_GetReorientedCount(mesh), 0);
    vvDestroyMesh(mesh);
}

static void putCorners(Bytes *bytes, bool single)
{
    for (int i = 0; i < 15; ++i)
    {
        if (single)
            putFloat(bytes, corners[i / 3][i % 3]);
        else
            putDouble(bytes, corners[i / 3][i % 3]);
    }
}

static void checkForm(const char *format, const Bytes *bytes, size_t tail)
{
    checkTet(readBytes(format, bytes));
    checkCuts(format, bytes, tail);
    checkChanges(format, bytes);
}

// ---- Gmsh -----------------------------------------------------------------------------------------------------------

static void putMshHeader(Bytes *bytes, const char *version)
{
    putText(bytes, "$MeshFormat\n");
    putText(bytes, version);
    putText(bytes, " 1 8\n");
    putInt(bytes, 1);
    putText(bytes, "\n$EndMeshFormat\n");
}

// tags with gaps; a point, a triangle of second order and a hexahedron beside the tet
static Bytes mshClassic(bool bigEndian)
{
    static const int runs[4][3] = { { 15, 1, 1 }, { 9, 1, 2 }, { 5, 1, 0 }, { 4, 1, 3 } };
    static const int nodes[4] = { 1, 6, 8, 4 };
    Bytes bytes = { .bigEndian = bigEndian };
    putMshHeader(&bytes, "2.2");
    putText(&bytes, "$PhysicalNames\n1\n3 7 \"body\"\n$EndPhysicalNames\n$Nodes\n5\n");
    for (int v = 0; v < 5; ++v)
    {
        putInt(&bytes, 10 * v + 5);
        for (int c = 0; c < 3; ++c)
            putDouble(&bytes, corners[v][c]);
    }
    putText(&bytes, "\n$EndNodes\n$Elements\n4\n");
    for (int r = 0; r < 4; ++r)
    {
        for (int i = 0; i < 3; ++i)
            putInt(&bytes, runs[r][i]);
        putInt(&bytes, r + 1);
        for (int i = 0; i < runs[r][2]; ++i)
            putInt(&bytes, 99);
        for (int i = 0; i < nodes[r]; ++i)
            putInt(&bytes, 10 * (i % 4) + 5);
    }
    putText(&bytes, "\n$EndElements\n");
    return bytes;
}

static Bytes mshModern(bool bigEndian)
{
    Bytes bytes = { .bigEndian = bigEndian };
    putMshHeader(&bytes, "4.1");
    putText(&bytes, "$Entities\n");
    putWhole(&bytes, 0x24456e64, 8); // looks like "$End"
    putText(&bytes, "\n$EndEntities\n$Nodes\n");
    static const int counts[4] = { 2, 5, 1, 5 };
    for (int i = 0; i < 4; ++i)
        putWhole(&bytes, counts[i], 8);
    for (int block = 0; block < 2; ++block) // the first with parameters of a surface
    {
        int start = block == 0 ? 0 : 3, count = block == 0 ? 3 : 2;
        putInt(&bytes, block == 0 ? 2 : 3);
        putInt(&bytes, 1);
        putInt(&bytes, block == 0);
        putWhole(&bytes, count, 8);
        for (int v = start; v < start + count; ++v)
            putWhole(&bytes, v + 1, 8);
        for (int v = start; v < start + count; ++v)
        {
            for (int c = 0; c < (block == 0 ? 5 : 3); ++c)
                putDouble(&bytes, c < 3 ? corners[v][c] : 0.5);
        }
    }
    putText(&bytes, "\n$EndNodes\n$Elements\n");
    static const int elements[4] = { 2, 2, 1, 2 };
    for (int i = 0; i < 4; ++i)
        putWhole(&bytes, elements[i], 8);
    for (int block = 0; block < 2; ++block)
    {
        putInt(&bytes, 3);
        putInt(&bytes, 1);
        putInt(&bytes, block == 0 ? 2 : 4); // a triangle, the tet
        putWhole(&bytes, 1, 8);
        putWhole(&bytes, block + 1, 8);
        for (int i = 0; i < 3 + block; ++i)
            putWhole(&bytes, i + 1, 8);
    }
    putText(&bytes, "\n$EndElements\n");
    return bytes;
}

static void mshReadsBytes(void **state)
{
    (void)state;
    for (int big = 0; big < 2; ++big)
    {
        Bytes classic = mshClassic(big == 1), modern = mshModern(big == 1);
        checkTet(readBytes("msh", &classic));
        checkTet(readBytes("msh", &modern));
        checkCuts("msh", &classic, 1);
        checkCuts("msh", &modern, 1);
        checkChanges("msh", big == 1 ? &classic : &modern);
    }
}

static void mshRefusesBytes(void **state)
{
    (void)state;
    Bytes bytes = mshClassic(false);
    bytes.data[20] = 2;
    checkRefused("msh", &bytes, "data: byte 20: the number 2 stands where 1 tells the order of bytes");
    bytes = mshClassic(false);
    size_t last = bytes.size - strlen("\n$EndElements\n");
    bytes.data[last - 4] = 77; // the last corner of the tet
    checkRefused("msh", &bytes, "element 4 of 4: it names node 77, which the file does not have");
    bytes = mshClassic(false);
    bytes.data[last - 44] = 120; // its type
    checkRefused("msh", &bytes, "elements of type 120 are unknown");
    bytes = mshClassic(false);
    bytes.data[last - 40] = 9; // how many there are
    checkRefused("msh", &bytes, "9 elements, must be 0 to 1");
    bytes = mshModern(true);
    bytes.data[strlen("$MeshFormat\n4.1 1 8\n") + 4 + strlen("\n$EndMeshFormat\n$Entities\n") + 8 +
               strlen("\n$EndEntities\n$Nodes\n") + 8] = 1; // the number of nodes
    checkRefused("msh", &bytes, "72057594037927941 nodes, must be 0 to 20000000");
}

// ---- VTK ------------------------------------------------------------------------------------------------------------

#define VTK(version, kind) "# vtk DataFile Version " version "\na title\nBINARY\nDATASET " kind "\n"

static void putInts(Bytes *bytes, const int *value, int count, size_t size)
{
    for (int i = 0; i < count; ++i)
        putWhole(bytes, value[i], size);
}

static void vtkReadsBytes(void **state)
{
    (void)state;
    static const int cells[] = { 4, 0, 1, 2, 3, 3, 0, 1, 2, 1, 4 }, types[] = { 10, 5, 1 };
    Bytes bytes = { .bigEndian = true };
    putText(&bytes, VTK("3.0", "UNSTRUCTURED_GRID") "FIELD FieldData 2\ntime 1 2 double\n");
    putDouble(&bytes, 1);
    putDouble(&bytes, 2);
    putText(&bytes, "\nname 3 1 char\nab\nPOINTS 5 float\n");
    putCorners(&bytes, true);
    putText(&bytes, "\nCELLS 3 11\n");
    putInts(&bytes, cells, 11, 4);
    putText(&bytes, "\nCELL_TYPES 3\n");
    putInts(&bytes, types, 3, 4);
    checkForm("vtk", &bytes, 0);
}

static void vtkReadsBytesOfVersion5(void **state)
{
    (void)state;
    static const int offsets[] = { 0, 4, 7 }, points[] = { 0, 1, 2, 3, 0, 1, 2 }, types[] = { 10, 5 };
    Bytes bytes = { .bigEndian = true };
    putText(&bytes, VTK("5.1", "UNSTRUCTURED_GRID") "POINTS 5 double\n");
    putCorners(&bytes, false);
    putText(&bytes, "\nMETADATA\nINFORMATION 0\n\nCELLS 3 7\nOFFSETS vtktypeint64\n");
    putInts(&bytes, offsets, 3, 8);
    putText(&bytes, "\nCONNECTIVITY vtktypeint64\n");
    putInts(&bytes, points, 7, 8);
    putText(&bytes, "\nCELL_TYPES 2\n");
    putInts(&bytes, types, 2, 4);
    checkForm("vtk", &bytes, 0);
    bytes.size -= 9;
    checkRefused("vtk", &bytes, "the file ends too early");
}

static void vtkRefusesBytes(void **state)
{
    (void)state;
    Bytes bytes = { .bigEndian = true };
    putText(&bytes, VTK("3.0", "POLYDATA") "POINTS 5 real\n");
    checkRefused("vtk", &bytes, "data: byte 68: 'real' is not a type of numbers");
    bytes.size = 0;
    putText(&bytes, VTK("3.0", "POLYDATA") "POINTS 5 float\n");
    putCorners(&bytes, true);
    putText(&bytes, "\nPOLYGONS 1 4\n");
    static const int polygon[] = { 3, 0, 1, 9 };
    putInts(&bytes, polygon, 4, 4);
    checkRefused("vtk", &bytes, "data: byte 148: triangle 0 names point 9, the file has 0 to 4");
    bytes.data[bytes.size - 16] = 0x7f;
    checkRefused("vtk", &bytes, "cell 0 of 1: 2130706435 points, must be 0 to 178000000");
}

// ---- Medit ----------------------------------------------------------------------------------------------------------

// a section that is passed, the points, the tet; and the place of each next one
static Bytes meshbBytes(int version, bool bigEndian)
{
    Bytes bytes = { .bigEndian = bigEndian };
    size_t place = version >= 3 ? 8 : 4, whole = version == 4 ? 8 : 4, real = version == 1 ? 4 : 8;
    putInt(&bytes, 1);
    putInt(&bytes, version);
    putInt(&bytes, 3); // the dimension
    putWhole(&bytes, (long long)(bytes.size + place + 4), place);
    putInt(&bytes, 3);
    putInt(&bytes, 15); // required vertices
    putWhole(&bytes, (long long)(bytes.size + place + 2 * whole), place);
    putWhole(&bytes, 1, whole);
    putWhole(&bytes, 2, whole);
    putInt(&bytes, 10); // a hexahedron
    putWhole(&bytes, (long long)(bytes.size + place + 10 * whole), place);
    for (int i = 0; i < 10; ++i)
        putWhole(&bytes, i == 0 ? 1 : i, whole);
    putInt(&bytes, 4);
    putWhole(&bytes, (long long)(bytes.size + place + 6 * whole + 15 * real), place);
    putWhole(&bytes, 5, whole);
    for (int v = 0; v < 5; ++v)
    {
        for (int c = 0; c < 3; ++c)
        {
            if (version == 1)
                putFloat(&bytes, corners[v][c]);
            else
                putDouble(&bytes, corners[v][c]);
        }
        putWhole(&bytes, 9, whole);
    }
    putInt(&bytes, 8);
    putWhole(&bytes, (long long)(bytes.size + place + 6 * whole), place);
    for (int i = 0; i < 6; ++i)
        putWhole(&bytes, i == 0 ? 1 : i, whole);
    putInt(&bytes, 54);
    putWhole(&bytes, 0, place);
    return bytes;
}

static void meshbReadsEveryVersion(void **state)
{
    (void)state;
    for (int version = 1; version <= 4; ++version)
    {
        for (int big = 0; big < 2; ++big)
        {
            Bytes bytes = meshbBytes(version, big == 1);
            checkCuts("meshb", &bytes, 0);
            if (version % 3 == big) // 3 and 1, 4
                checkChanges("meshb", &bytes);
            vvMesh *mesh = readBytes("meshb", &bytes);
            assert_int_equal(mesh->origin.ignoredCount, 1);
            checkTet(mesh);
        }
    }
}

static void meshbRefusesWithAPlace(void **state)
{
    (void)state;
    checkText("meshb", "MeshVersionFormatted 2\n", "data: byte 0: the number 1752393037 stands where 1");
    Bytes bytes = meshbBytes(2, false);
    bytes.data[4] = 5;
    checkRefused("meshb", &bytes, "data: byte 4: the version is 5, must be 1 to 4");
    bytes = meshbBytes(2, false);
    bytes.data[16] = 2;
    checkRefused("meshb", &bytes, "data: byte 16: the dimension is 2, must be 3");
    bytes = meshbBytes(2, false);
    bytes.data[12] = 4;
    checkRefused("meshb", &bytes, "data: byte 20: the next section is said to begin at byte 4");
    bytes = meshbBytes(2, false);
    bytes.data[bytes.size - 16] = 8; // the last corner of the tet
    checkRefused("meshb", &bytes, "data: byte 248: tet 1 names point 8, the file has 1 to 5");
    memset(bytes.data + bytes.size - 32, 0x7f, 4);
    checkRefused("meshb", &bytes, "2139062143 tets, must be 0 to 178000000");
}

// ---- Vega -----------------------------------------------------------------------------------------------------------

#define VEG_POINTS "# a tet\n\n*VERTICES\n5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 7 7 7\n\n"

static void vegReadsTets(void **state)
{
    (void)state;
    Bytes bytes = { .size = 0 };
    putText(&bytes, VEG_POINTS "*ELEMENTS\nTET\n1 4 0\n1 1 2 3 4\n");
    checkForm("veg", &bytes, 1);
    putText(&bytes, "*MATERIAL BODY\nENu, 1000, 1e6, 0.45\n\n*SET All\n1, 2,\n3\n*REGION\nAll, BODY\n");
    checkTet(readBytes("veg", &bytes));
    bytes.size = 0;
    putText(&bytes, "*VERTICES\n5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n*ELEMENTS\nTET\n1 4 0\n"
                    "0 0 1 2 3\n*ELEMENTS\nCUBIC\n1 8 0\n0 0 1 2 3 4 5 6 7\n");
    checkTet(readBytes("veg", &bytes));
}

static void vegRefusesWithAPlace(void **state)
{
    (void)state;
    checkText("veg", "v 0 0 0\n", "the file does not begin with a section *...");
    checkText("veg", "*ELEMENTS\nTET\n", "*ELEMENTS come before *VERTICES");
    checkText("veg", "*VERTICES\n1 2 0 0\n", "data:2: the vertices have 2 coordinates, must be 3");
    checkText("veg", "*VERTICES\n1 3 0 0\n7 0 0 0\n", "it has the number 7, the first is 0 or 1");
    checkText("veg", "*VERTICES\n2 3 0 0\n1 0 0 0\n3 0 0 0\n", "data:4: vertex 2 of 2: it has the number 3, must be 2");
    checkText("veg", "*VERTICES\n30000000 3 0 0\n", "30000000 vertices, must be 0 to 20000000");
    checkText("veg", VEG_POINTS VEG_POINTS, "a second section *VERTICES");
    checkText("veg", VEG_POINTS "*INCLUDE other.veg\n", "*INCLUDE of other files is not followed");
    checkText("veg", VEG_POINTS "*ELEMENTS\nTET\n1 8 0\n", "the tets have 8 points, must be 4");
    checkText("veg", VEG_POINTS "*ELEMENTS\nTET\n1 4 0\n1 0 1 2 3\n", "it names point 0, must be 1 or above");
    checkText("veg", VEG_POINTS "*ELEMENTS\nTET\n1 4 0\n1 1 2 3 6\n",
              "data:14: tet 1 names point 6, the file has 1 to 5");
    checkText("veg", VEG_POINTS "*ELEMENTS\nCUBIC\n1 8 0\n1 1 2 3 4 5 1 2 3\n", "1 elements of other kinds");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mshReadsBytes),          cmocka_unit_test(mshRefusesBytes),
        cmocka_unit_test(vtkReadsBytes),          cmocka_unit_test(vtkReadsBytesOfVersion5),
        cmocka_unit_test(vtkRefusesBytes),        cmocka_unit_test(meshbReadsEveryVersion),
        cmocka_unit_test(meshbRefusesWithAPlace), cmocka_unit_test(vegReadsTets),
        cmocka_unit_test(vegRefusesWithAPlace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
