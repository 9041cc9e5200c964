// VTU files in all their codings: words, base64 and raw bytes, inline and appended, packed or not, in both byte orders.
#include "bytes.h"

static const double corners[5][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 7, 7, 7 } };
static const int connectivity[7] = { 0, 1, 2, 3, 0, 1, 2 }, offsets[2] = { 4, 7 }, types[2] = { 10, 5 };

typedef struct Coding
{
    bool appended, raw, zlib, bigEndian, wide; // wide: sizes of 8 bytes
} Coding;

// ---- writing --------------------------------------------------------------------------------------------------------

static void putBase64(Bytes *bytes, const Bytes *plain)
{
    static const char signs[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < plain->size; i += 3)
    {
        int value = 0, count = plain->size - i < 3 ? (int)(plain->size - i) : 3;
        for (int k = 0; k < 3; ++k)
            value = value << 8 | (k < count ? plain->data[i + (size_t)k] : 0);
        char group[5] = "====";
        for (int k = 0; k <= count; ++k)
            group[k] = signs[value >> (18 - 6 * k) & 63];
        putText(bytes, group);
    }
}

// a block of zlib that packs nothing: every byte as it is, in two parts
static void putStored(Bytes *bytes, const unsigned char *data, size_t size)
{
    Bytes packed = { .size = 0 };
    putWhole(&packed, 0x0178, 2);
    size_t half = size / 2;
    for (int part = 0; part < 2; ++part)
    {
        size_t length = part == 0 ? half : size - half;
        putWhole(&packed, part, 1);
        putWhole(&packed, (long long)length, 2);
        putWhole(&packed, ~(long long)length, 2);
        putBytes(&packed, data + (part == 0 ? 0 : half), length);
    }
    unsigned long a = 1, b = 0;
    for (size_t i = 0; i < size; ++i)
    {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    packed.bigEndian = true;
    putWhole(&packed, (long long)(b << 16 | a), 4);
    putBytes(bytes, packed.data, packed.size);
}

#define BLOCK 64

// sizes, then the bytes: packed in blocks of 64
static void putCoded(Bytes *bytes, const Bytes *plain, const Coding *coding)
{
    size_t wide = coding->wide ? 8 : 4, blocks = (plain->size + BLOCK - 1) / BLOCK;
    Bytes head = { .bigEndian = coding->bigEndian }, body = { .size = 0 };
    if (coding->zlib)
    {
        putWhole(&head, (long long)blocks, wide);
        putWhole(&head, BLOCK, wide);
        putWhole(&head, (long long)(plain->size % BLOCK), wide);
        for (size_t b = 0; b < blocks; ++b)
        {
            size_t before = body.size, left = plain->size - BLOCK * b;
            putStored(&body, plain->data + BLOCK * b, left < BLOCK ? left : BLOCK);
            putWhole(&head, (long long)(body.size - before), wide);
        }
    }
    else
    {
        putWhole(&head, (long long)plain->size, wide);
        putBytes(&head, plain->data, plain->size); // one base64 for both
    }
    if (coding->raw)
    {
        putBytes(bytes, head.data, head.size);
        putBytes(bytes, body.data, body.size);
    }
    else
    {
        putBase64(bytes, &head);
        putBase64(bytes, &body);
    }
}

static Bytes makeArray(int array, bool bigEndian)
{
    Bytes plain = { .bigEndian = bigEndian };
    for (int i = 0; i < 15 && array == 0; ++i)
        putDouble(&plain, corners[i / 3][i % 3]);
    for (int i = 0; i < 7 && array == 1; ++i)
        putWhole(&plain, connectivity[i], 8);
    for (int i = 0; i < 2 && array == 2; ++i)
        putInt(&plain, offsets[i]);
    for (int i = 0; i < 2 && array == 3; ++i)
        putWhole(&plain, types[i], 1);
    return plain;
}

static Bytes makeFile(const Coding *coding)
{
    static const char *const tag[4] = { "<Points>\n<DataArray type=\"Float64\" Name='xyz' NumberOfComponents=\"3\"",
                                        "</Points>\n<Cells><DataArray type=\"Int64\" Name=\"connectivity\"",
                                        "<DataArray type=\"Int32\" Name=\"offsets\"",
                                        "<DataArray type=\"UInt8\" Name=\"types\"" };
    static Bytes appended;
    Bytes bytes = { .size = 0 };
    char text[256];
    appended.size = 0;
    snprintf(text, sizeof text,
             "<?xml version=\"1.0\"?>\n<!-- a > b -->\n<VTKFile type=\"UnstructuredGrid\" "
             "byte_order=\"%sEndian\" header_type=\"UInt%d\"%s>\n<UnstructuredGrid>\n"
             "<Piece NumberOfPoints=\"5\" NumberOfCells=\"2\">\n",
             coding->bigEndian ? "Big" : "Little", coding->wide ? 64 : 32,
             coding->zlib ? " compressor=\"vtkZLibDataCompressor\"" : "");
    putText(&bytes, text);
    for (int i = 0; i < 4; ++i)
    {
        Bytes plain = makeArray(i, coding->bigEndian);
        putText(&bytes, tag[i]);
        snprintf(text, sizeof text, " format=\"appended\" offset=\"%zu\" />\n", appended.size);
        putText(&bytes, coding->appended ? text : " format=\"binary\">\n  ");
        putCoded(coding->appended ? &appended : &bytes, &plain, coding);
        putText(&bytes, coding->appended ? "" : "\n</DataArray>\n");
    }
    putText(&bytes, "</Cells>\n</Piece>\n</UnstructuredGrid>\n");
    if (coding->appended)
    {
        putText(&bytes, coding->raw ? "<AppendedData encoding=\"raw\">\n_" : "<AppendedData encoding=\"base64\">\n_");
        putBytes(&bytes, appended.data, appended.size);
    }
    else
        putText(&bytes, "</VTKFile>");
    return bytes;
}

static void checkTet(vvMesh *mesh)
{
    checkMeshCounts(mesh, 4, 1, 4);
    CHECK_CLOSE(vvMesh_GetVolume(mesh), 1.0 / 6, 1e-15);
    assert_int_equal(vvMesh_GetDroppedCount(mesh), 1);
    vvDestroyMesh(mesh);
}

// ---- tests ----------------------------------------------------------------------------------------------------------

static void everyCodingIsRead(void **state)
{
    (void)state;
    for (int i = 0; i < 32; ++i)
    {
        Coding coding = { i & 1, i & 2, i & 4, i & 8, i & 16 };
        if (coding.raw && !coding.appended)
            continue;
        Bytes bytes = makeFile(&coding);
        checkTet(readBytes("vtu", &bytes));
        if (coding.bigEndian && coding.wide)
            checkCuts("vtu", &bytes, 0);
        if (coding.raw && coding.zlib && !coding.bigEndian && !coding.wide)
            checkChanges("vtu", &bytes);
    }
}

#define FILE_TAG "<VTKFile type=\"UnstructuredGrid\">"
#define PIECE(points, cells) "<Piece NumberOfPoints=\"" points "\" NumberOfCells=\"" cells "\">"
#define POINTS                                                                                                         \
    "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\">0 0 0 1 0 0\n0 1 0 0 0 1</DataArray></Points>"
#define ARRAY(name, words) "<DataArray type=\"Int32\" Name=\"" name "\" format=\"ascii\">" words "</DataArray>\n"
#define CELLS(a, b, c) "<Cells>" ARRAY("connectivity", a) ARRAY("offsets", b) ARRAY("types", c) "</Cells>"
#define DATA "<PointData><DataArray type=\"Float32\" Name=\"offsets\">1 2 3 4</DataArray></PointData>"

static void wordsAndPiecesAreRead(void **state)
{
    (void)state;
    Bytes bytes = { .size = 0 };
    putText(&bytes, FILE_TAG "<UnstructuredGrid>" DATA PIECE("4", "1")
                        DATA POINTS CELLS("0 1 2 3", "4", "10") "</Piece>" PIECE("4", "2")
                            CELLS("0 1 2 3 3", "4 5", "10 1") POINTS "</Piece></UnstructuredGrid></VTKFile>\n");
    // the second piece lies on the first: tets that overlap share no point
    vvMesh *mesh = readBytes("vtu", &bytes);
    checkMeshCounts(mesh, 8, 2, 8);
    vvDestroyMesh(mesh);
    checkCuts("vtu", &bytes, 2);
    checkChanges("vtu", &bytes);
}

static void faultsAreNamed(void **state)
{
    (void)state;
    checkText("vtu", "# vtk DataFile\n", "the file ends too early");
    checkText("vtu", "<html>", "the first tag is not VTKFile");
    checkText("vtu", "<VTKFile type=\"PolyData\">", "the VTK file is a 'PolyData', must be an UnstructuredGrid");
    checkText("vtu", "<VTKFile type>", "an attribute of 'VTKFile' is not key=\"value\"");
    checkText("vtu", FILE_TAG "\n" PIECE("x", "1"), "data:2: NumberOfPoints of 'Piece' is 'x', must be 0 to 20000000");
    checkText("vtu", FILE_TAG PIECE("4", "300000000"), "NumberOfCells of 'Piece' is '300000000'");
    checkText("vtu", FILE_TAG PIECE("5", "1") POINTS CELLS("0 1 2 3", "4", "10") "</VTKFile>",
              "the array of points has 12 numbers, must have 15");
    checkText("vtu", FILE_TAG PIECE("4", "2") POINTS CELLS("0 1 2 3", "4", "10") "</VTKFile>",
              "the array of offsets has 1 numbers, must have 2");
    checkText("vtu", FILE_TAG PIECE("4", "1") POINTS CELLS("0 1 2 3", "5", "10") "</VTKFile>",
              "cell 0 of 1: the offset 5 follows 0, and there are 4 connections");
    checkText("vtu", FILE_TAG PIECE("4", "1") POINTS "\n" CELLS("0 1 2 4", "4", "10") "</VTKFile>",
              "data:3: cell 0 of 1: it names point 4, the piece has 0 to 3");
    checkText("vtu", FILE_TAG PIECE("4", "1") POINTS CELLS("0 1 2 0.5", "4", "10") "</VTKFile>", "is not whole");
    checkText("vtu", FILE_TAG PIECE("4", "1") POINTS CELLS("0 1 2 3", "4", "12") "</VTKFile>",
              "1 elements of other kinds");
    checkText("vtu", FILE_TAG PIECE("4", "1") "<Points><DataArray type=\"Float32\">0 0 inf</DataArray>",
              "'inf</DataArray>' is not a finite number");
    checkText("vtu", FILE_TAG PIECE("4", "1") "<Points><DataArray type=\"Float16\">", "'Float16' is not a type");
    checkText("vtu",
              FILE_TAG PIECE("4", "1") "<Points><DataArray type=\"Int8\" format=\"appended\" offset=\"0\"/></VTKFile>",
              "arrays are appended, but the file has no AppendedData");
    checkText("vtu", FILE_TAG PIECE("4", "1") "<Points><DataArray type=\"Int8\" format=\"binary\">!</DataArray>",
              "the data are no base64");
    checkText("vtu",
              "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\">" PIECE(
                  "4", "1") "<Points><DataArray type=\"Int8\" format=\"binary\">AAAA</DataArray>",
              "'vtkLZ4DataCompressor' is not known");
    checkText("vtu", FILE_TAG PIECE("4", "1") "<Points><DataArray type=\"Int8\" format=\"binary\">/////w==</DataArray>",
              "the data have 4294967295 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyCodingIsRead),
        cmocka_unit_test(wordsAndPiecesAreRead),
        cmocka_unit_test(faultsAreNamed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
