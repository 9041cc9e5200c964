// Mesh files. One row per format in `formats` of file.c; a format is one file_<name>.c with a function that reads and
// one that writes. Readers see a Reader: they ask for numbers, and hand over points and elements one by one; files are
// written through Sinks.
#ifndef MESH_FILE_H
#define MESH_FILE_H

#include "mesh/build.h"
#include "mesh/sink.h"
#include "mesh/source.h"

typedef struct Reader Reader;

typedef struct MeshFormat
{
    const char *name;       // "mesh"
    const char *title;      // "Medit"
    const char *endings[3]; // of its files, NULL behind the last; a format of two files needs both
    bool lines;             // numbers do not run over the end of a line
    bool springs;           // lines beside triangles are springs; elsewhere they are marks of a mesher
    bool solids;            // it holds tets only
    char comment;           // 0: none
    bool (*read)(Reader *reader);
    void (*write)(Sink *sink /* one per ending */, const vvMesh *mesh); // NULL: it is read only
} MeshFormat;

const MeshFormat *formatAt(int index); // NULL past the last
int formatFiles(const MeshFormat *format);
vvResult formatFind(const char *name, const char *path, const MeshFormat **format); // by name, else by ending

bool readObj(Reader *reader);
bool readMsh(Reader *reader);
bool readNode(Reader *reader);
bool readMedit(Reader *reader);
bool readVtk(Reader *reader);
bool readStl(Reader *reader);
bool readOff(Reader *reader);
bool readPly(Reader *reader);
bool readMeshb(Reader *reader);
bool readVeg(Reader *reader);
bool readVtu(Reader *reader);
bool readUsda(Reader *reader);
bool readGltf(Reader *reader);
void writeObj(Sink *sink, const vvMesh *mesh);
void writeMsh(Sink *sink, const vvMesh *mesh);
void writeNode(Sink *sink, const vvMesh *mesh);
void writeMedit(Sink *sink, const vvMesh *mesh);
void writeVtk(Sink *sink, const vvMesh *mesh);
void writePly(Sink *sink, const vvMesh *mesh);
void writeGlb(Sink *sink, const vvMesh *mesh);

// ---- lines.c: where in the file an element stood --------------------------------------------------------------------

// Runs of elements at regular distances: one for a usual file, never more than one per two elements.
typedef struct LineRun
{
    int first, step; // element `first + k` is in line `line + k x step`
    long long line;
} LineRun;

typedef struct Lines
{
    LineRun *run;
    int count, room;
} Lines;

bool linesAdd(Memory *memory, Lines *lines, int number, long long line);
long long linesFind(const Lines *lines, int number);

// ---- reader.c: what every format needs ------------------------------------------------------------------------------

enum
{
    EDGE = 2, // kinds of elements, by their corners
    TRIANGLE,
    TET,
    KINDS,
};

typedef struct Elements
{
    int *corner; // count x width
    int count, room;
    Lines lines;
} Elements;

struct Reader
{
    Memory *memory;
    const MeshFormat *format;
    const char *path; // NULL: from memory
    char name[96];    // of the file that is read, for messages
    Source source;
    size_t bytes;    // of files that are read already
    size_t unpacked; // bytes in memory that points and elements are still made of

    double *point; // pointCount x 3
    int pointCount, pointRoom;
    long long *pointTag; // pointCount, or NULL
    struct Gltf *gltf;   // a glTF file goes here and stays open; NULL: it is closed
    Elements elements[KINDS];
    FaceList faces;    // as they were drawn: polygons, and what stands at their corners
    long long ignored; // elements of other kinds
    int first;         // the file's number of its first point and element

    // where a fault is: "tet 5 of 10"
    const char *what;        // NULL: nowhere in particular
    long long number, count; // number from 1 or 0; count 0: unknown
    vvResult result;
};

// The file with the other ending of a format that needs two; in memory the text just goes on.
bool readerOpen(Reader *reader, int ending);

// "file.obj:12", or "file.stl: byte 84"
#define PLACE_SIZE 128
void readerPlace(const Reader *reader, long long place, char *text, size_t size);

// All return false after they filled in the result.
bool readerFault(Reader *reader, const char *remedy, const char *format, ...) PRINTF_LIKE(3, 4);
bool readerOutOfMemory(Reader *reader);
bool readerEndFault(Reader *reader); // nothing stands where something must be
bool readReal(Reader *reader, double *value);
bool readInteger(Reader *reader, long long *value);
bool readWord(Reader *reader, char *word, size_t size);
bool readCount(Reader *reader, const char *things, long long most, int *count);
bool readPoint(Reader *reader);                                    // three numbers
bool readCorners(Reader *reader, int kind, int base, int *corner); // numbers from `base` on
bool addPoint(Reader *reader, const double *point);
bool addElement(Reader *reader, int kind, const int *corner);
bool weldPoints(Reader *reader);                               // those that are equal become one
bool addPolygon(Reader *reader, const int *corner, int count); // cut into a fan, and kept as a face
bool reservePoints(Reader *reader, int count); // what is likely to come, within what is left of the file
bool reserveElements(Reader *reader, int kind, int count);

// ---- numbers.c: words or bytes --------------------------------------------------------------------------------------

typedef enum NumberType
{
    NUMBER_INT8,
    NUMBER_UINT8,
    NUMBER_INT16,
    NUMBER_UINT16,
    NUMBER_INT32,
    NUMBER_UINT32,
    NUMBER_INT64,
    NUMBER_UINT64,
    NUMBER_FLOAT32,
    NUMBER_FLOAT64,
    NUMBER_TYPES, // none of them
} NumberType;

size_t numberSize(NumberType type);

// False: not finite; not whole, or beyond what a long long holds.
bool numberReal(NumberType type, const unsigned char *bytes, bool bigEndian, double *value);
bool numberInteger(NumberType type, const unsigned char *bytes, bool bigEndian, long long *value);

// Bytes of the type where the source is binary, else words.
bool readRealOf(Reader *reader, NumberType type, double *value);
bool readIntegerOf(Reader *reader, NumberType type, long long *value);
bool readCountOf(Reader *reader, NumberType type, const char *things, long long most, int *count);
bool readPointOf(Reader *reader, NumberType type);
bool readCornersOf(Reader *reader, NumberType type, int kind, int base, int *corner);
bool readPolygonOf(Reader *reader, NumberType type, int count); // numbers from 0 on, as addPolygon
bool skipNumbers(Reader *reader, NumberType type, long long count);

// Tells by a number that is written as 1 which byte comes first.
bool readByteOrder(Reader *reader);

#define MOST_ELEMENTS 178000000 // of a kind: see arraysAllocate

// The elements that are the matter of a mesh, in the caller's order. Springs over two segments of a rope are none: read
// back they would have mass.
typedef struct WrittenSet
{
    const int *corner; // rows x width
    const int *kind;   // rows, or NULL: all are written
    int rows, width;
    int count; // of those that are written
} WrittenSet;

WrittenSet writtenSet(const vvMesh *mesh);

// For formats that hold the surface of a solid: numbers from 1 for its points, 0 for those inside. To be released;
// NULL: out of memory.
int *surfaceNumbers(Memory *memory, const vvMesh *mesh, int *count);

static inline bool isWritten(const WrittenSet *set, int row)
{
    return set->kind == NULL || set->kind[row] == VV_EDGE_STRUCTURAL;
}

// ---- keep.c: what becomes of it -------------------------------------------------------------------------------------

// Chooses the matter, checks corners, leaves out points that nothing uses, and fills the arrays.
bool keepElements(Reader *reader, MeshArrays *arrays, int *droppedCount);

// ---- file.c: all together -------------------------------------------------------------------------------------------

// A file on its way into a mesh; it must live until the mesh is built, to say where a bad element stood.
vvResult fileRead(Reader *reader, MeshArrays *arrays, const vvMeshDef *def, MeshOrigin *origin);
vvResult fileBlame(const Reader *reader, const MeshArrays *arrays, const vvResult *result);
void fileClose(Reader *reader); // an unused one is fine

#endif
