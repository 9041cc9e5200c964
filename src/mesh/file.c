#include "mesh/file.h"

#include <ctype.h>
#include <string.h>

static const MeshFormat formats[] = {
    { "obj", "Wavefront OBJ", { ".obj" }, true, true, false, '#', readObj, writeObj },
    { "msh", "Gmsh", { ".msh" }, true, false, false, 0, readMsh, writeMsh },
    { "node", "TetGen", { ".node", ".ele" }, true, false, true, '#', readNode, writeNode },
    { "mesh", "Medit", { ".mesh" }, false, false, false, '#', readMedit, writeMedit },
    { "vtk", "VTK legacy", { ".vtk" }, false, false, false, 0, readVtk, writeVtk },
    { "stl", "STL", { ".stl" }, false, false, false, 0, readStl, NULL },
    { "off", "OFF", { ".off" }, true, false, false, '#', readOff, NULL },
    { "ply", "PLY", { ".ply" }, false, false, false, 0, readPly, writePly },
    { "meshb", "Medit binary", { ".meshb" }, false, false, false, 0, readMeshb, NULL },
    { "veg", "Vega", { ".veg" }, true, false, true, '#', readVeg, NULL },
    { "vtu", "VTU", { ".vtu" }, false, false, false, 0, readVtu, NULL },
    { "usda", "USD", { ".usda" }, false, false, false, 0, readUsda, NULL },
    { "gltf", "glTF", { ".gltf" }, false, false, false, 0, readGltf, NULL },
    { "glb", "binary glTF", { ".glb" }, false, false, false, 0, readGltf, writeGlb },
};

#define FORMATS ((int)(sizeof formats / sizeof formats[0]))
#define NAMES_SIZE 120

// ---- names ----------------------------------------------------------------------------------------------------------

const MeshFormat *formatAt(int index)
{
    return index >= 0 && index < FORMATS ? &formats[index] : NULL;
}

const char *vvGetMeshFormatName(int index)
{
    const MeshFormat *format = formatAt(index);
    return format != NULL ? format->name : NULL;
}

// "obj, msh or vtk": all, or those that are written
static const char *formatNames(bool written, char *text)
{
    int left = 0;
    size_t length = 0;
    for (int i = 0; i < FORMATS; ++i)
        left += !written || formats[i].write != NULL;
    text[0] = 0;
    for (int i = 0; i < FORMATS && length < NAMES_SIZE; ++i)
    {
        if (written && formats[i].write == NULL)
            continue;
        const char *behind = left > 2 ? ", " : left == 2 ? " or " : "";
        length += (size_t)snprintf(text + length, NAMES_SIZE - length, "%s%s", formats[i].name, behind);
        --left;
    }
    return text;
}

int formatFiles(const MeshFormat *format)
{
    int count = 0;
    while (format->endings[count] != NULL)
        ++count;
    return count;
}

static bool endsWith(const char *path, const char *ending)
{
    size_t length = strlen(path), size = strlen(ending);
    if (length <= size)
        return false;
    for (size_t i = 0; i < size; ++i)
    {
        if (tolower((unsigned char)path[length - size + i]) != ending[i])
            return false;
    }
    return true;
}

static vvResult findByName(const char *name, const MeshFormat **format)
{
    const char *names[FORMATS];
    char remedy[NAMES_SIZE + 8], all[NAMES_SIZE];
    for (int i = 0; i < FORMATS; ++i)
    {
        names[i] = formats[i].name;
        *format = &formats[i];
        if (strcmp(name, names[i]) == 0)
            return resultOk();
    }
    snprintf(remedy, sizeof remedy, "use %s", formatNames(false, all));
    return resultMake(VV_BAD_INPUT, remedy, "there is no mesh format '%.40s'; did you mean '%s'?", name,
                      nearestWord(name, names, FORMATS));
}

// what people have, but no reader here takes
static vvResult foreignFault(const char *path)
{
    static const char *const foreign[][2] = {
        { ".fbx", "FBX" },
        { ".usd", "USD" },
        { ".usdc", "USD" },
        { ".abc", "Alembic" },
        { ".3mf", "3MF" },
        { ".dae", "Collada" },
        { ".blend", "Blender" },
        { ".step", "STEP" },
        { ".stp", "STEP" },
        { ".pc2", "PC2" },
        { ".vtp", "VTP" },
        { ".poly", "TetGen .poly" },
        { ".smesh", "TetGen .smesh" },
    };
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; ++i)
    {
        if (endsWith(path, foreign[i][0]))
            return resultMake(VV_BAD_INPUT,
                              strcmp(foreign[i][0], ".vtp") == 0
                                  ? "save it as VTK legacy (.vtk) or STL in ParaView: File > Save Data"
                                  : "use .obj: Blender converts (File > Import, then File > Export > "
                                    "Wavefront), and so does meshio",
                              "%.100s: %s files are neither read nor written", path, foreign[i][1]);
    }
    char remedy[NAMES_SIZE + 24], all[NAMES_SIZE];
    snprintf(remedy, sizeof remedy, "name the format: %s", formatNames(false, all));
    return resultMake(VV_BAD_INPUT, remedy, "%.100s has the ending of no format that is read or written", path);
}

vvResult formatFind(const char *name, const char *path, const MeshFormat **format)
{
    if (name != NULL)
        return findByName(name, format);
    for (int i = 0; i < FORMATS; ++i)
    {
        *format = &formats[i];
        for (int k = 0; formats[i].endings[k] != NULL; ++k)
        {
            if (endsWith(path, formats[i].endings[k]))
                return resultOk();
        }
    }
    return foreignFault(path);
}

// the path with another ending of the same format; the path itself where there is but one file
static char *siblingPath(Memory *memory, const MeshFormat *format, const char *path, int ending)
{
    size_t length = strlen(path);
    char *sibling = ALLOCATE(memory, char, length + 8);
    if (sibling == NULL)
        return NULL;
    for (int i = 0; formatFiles(format) > 1 && i < formatFiles(format); ++i)
    {
        if (endsWith(path, format->endings[i]))
            length -= strlen(format->endings[i]);
    }
    memcpy(sibling, path, length);
    if (formatFiles(format) > 1)
        strcpy(sibling + length, format->endings[ending]);
    return sibling;
}

bool meshFile(const char *file, const char *formatName, int index, char *path, size_t size)
{
    const MeshFormat *format = NULL;
    bool found = formatFind(formatName, file, &format).code == VV_OK;
    Memory memory = memoryMake(NULL);
    if (index >= (found ? formatFiles(format) : 1))
        return false;
    // the file itself, where a format is one file or none; a name that cannot be made is not opened either
    char *sibling = found && formatFiles(format) > 1 ? siblingPath(&memory, format, file, index) : NULL;
    snprintf(path, size, "%s", sibling != NULL ? sibling : file);
    memoryRelease(&memory, sibling);
    return true;
}

// ---- reading --------------------------------------------------------------------------------------------------------

// the end of a long path says more than its start
static void setName(Reader *reader, const char *path)
{
    size_t length = strlen(path), most = sizeof reader->name - 1;
    if (length <= most)
        memcpy(reader->name, path, length + 1);
    else
        snprintf(reader->name, sizeof reader->name, "...%s", path + length - most + 3);
}

// the source says what is wrong, but not with whom; `path` NULL: from memory
static bool openSource(Reader *reader, const char *path, const vvMeshDef *def)
{
    const char *name = path != NULL ? path : def->file != NULL ? def->file : "data";
    setName(reader, name);
    vvResult result = path != NULL ? sourceOpenFile(&reader->source, reader->memory, path)
                                   : sourceOpenData(&reader->source, reader->memory, def->data, def->dataSize);
    reader->source.lines = reader->format->lines;
    reader->source.comment = reader->format->comment;
    if (result.code != VV_OK && result.code != VV_OUT_OF_MEMORY)
        result = resultMake(result.code, result.remedy, "%s: %s", reader->name, result.message);
    reader->result = result;
    return result.code == VV_OK;
}

bool readerOpen(Reader *reader, int ending)
{
    if (reader->path == NULL)
        return true;
    reader->bytes += reader->source.taken;
    sourceClose(&reader->source);
    char *path = siblingPath(reader->memory, reader->format, reader->path, ending);
    if (path != NULL)
        openSource(reader, path, NULL);
    else
        reader->result = resultOutOfMemory("a mesh file");
    memoryRelease(reader->memory, path);
    if (reader->result.code == VV_INPUT_OUTPUT && formatFiles(reader->format) > 1)
        snprintf(reader->result.remedy, sizeof reader->result.remedy,
                 "put both files of the mesh beside each other: %s and %s", reader->format->endings[0],
                 reader->format->endings[1]);
    return reader->result.code == VV_OK;
}

static vvResult checkFile(const vvMeshDef *def)
{
    if (def->data == NULL && (def->file == NULL || def->file[0] == 0))
        return resultMake(VV_BAD_INPUT, "set file to a path, or data to its bytes", "the mesh has no file");
    char remedy[NAMES_SIZE + 16], all[NAMES_SIZE];
    snprintf(remedy, sizeof remedy, "set format to %s", formatNames(false, all));
    if (def->data != NULL && def->format == NULL)
        return resultMake(VV_BAD_INPUT, remedy, "data is given without its format");
    return resultOk();
}

vvResult fileRead(Reader *reader, MeshArrays *arrays, const vvMeshDef *def, MeshOrigin *origin)
{
    double start = clockSeconds();
    reader->result = checkFile(def);
    if (reader->result.code == VV_OK)
        reader->result = formatFind(def->format, def->file, &reader->format);
    if (reader->result.code != VV_OK)
        return reader->result;
    reader->memory = arrays->memory;
    faceListOpen(&reader->faces);
    reader->first = 1;
    reader->path = def->data == NULL ? def->file : NULL;
    bool ok = def->data == NULL ? readerOpen(reader, 0) : openSource(reader, NULL, def);
    ok = ok && reader->format->read(reader);
    origin->bytes = reader->bytes + reader->source.taken;
    if (ok && reader->source.failed)
        ok = readerFault(reader, "check the disk", "the file could not be read on");
    ok = ok && keepElements(reader, arrays, &origin->droppedCount);
    sourceClose(&reader->source);
    origin->format = reader->format->name;
    origin->ignoredCount = reader->ignored;
    origin->readSeconds = clockSeconds() - start;
    ASSERT(ok == (reader->result.code == VV_OK), "a reader that fails says why");
    return reader->result;
}

vvResult fileBlame(const Reader *reader, const MeshArrays *arrays, const vvResult *result)
{
    const Naming *naming = &arrays->naming;
    if (result->code != VV_BAD_INPUT)
        return *result;
    if (naming->width == 0)
        return resultMake(result->code, result->remedy, "%s: %s", reader->name, result->message);
    char place[PLACE_SIZE];
    readerPlace(reader, linesFind(&reader->elements[naming->width].lines, naming->number), place, sizeof place);
    return resultMake(result->code, result->remedy, "%s: %s", place, result->message);
}

void fileClose(Reader *reader)
{
    if (reader->memory == NULL)
        return;
    sourceClose(&reader->source);
    memoryRelease(reader->memory, reader->point);
    memoryRelease(reader->memory, reader->pointTag);
    faceListClose(reader->memory, &reader->faces);
    for (int kind = EDGE; kind < KINDS; ++kind)
    {
        memoryRelease(reader->memory, reader->elements[kind].corner);
        memoryRelease(reader->memory, reader->elements[kind].lines.run);
    }
}

vvMesh *vvReadMesh(const char *file, vvResult *result)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_FILE;
    def.file = file;
    return vvCreateMesh(&def, result);
}

// ---- writing --------------------------------------------------------------------------------------------------------

WrittenSet writtenSet(const vvMesh *mesh)
{
    if (mesh->matter == MATTER_SOLID)
        return (WrittenSet){ mesh->callerTet, NULL, mesh->tetCount, 4, mesh->tetCount };
    if (mesh->matter == MATTER_SHEET)
        return (WrittenSet){ mesh->callerSurface, NULL, mesh->surfaceCount, 3, mesh->surfaceCount };
    WrittenSet set = { mesh->callerEdge, mesh->callerEdgeKind, mesh->edgeCount, 2, 0 };
    for (int e = 0; e < set.rows; ++e)
        set.count += isWritten(&set, e);
    return set;
}

int *surfaceNumbers(Memory *memory, const vvMesh *mesh, int *count)
{
    int *number = ALLOCATE(memory, int, mesh->vertexCount);
    *count = 0;
    for (int i = 0; number != NULL && i < 3 * mesh->surfaceCount; ++i)
        number[mesh->callerSurface[i]] = 1;
    for (int v = 0; number != NULL && v < mesh->vertexCount; ++v)
    {
        if (number[v] > 0 || mesh->matter != MATTER_SOLID)
            number[v] = ++*count;
    }
    return number;
}

static vvResult writeFiles(Memory *memory, const vvMesh *mesh, const MeshFormat *format, const char *file)
{
    Sink sink[2] = { { 0 }, { 0 } };
    char *path[2] = { NULL, NULL };
    int count = formatFiles(format);
    vvResult result = resultOk();
    for (int i = 0; i < count && result.code == VV_OK; ++i)
    {
        path[i] = siblingPath(memory, format, file, i);
        result = path[i] != NULL ? sinkOpen(&sink[i], memory, path[i]) : resultOutOfMemory("the path of a mesh file");
    }
    if (result.code == VV_OK)
        format->write(sink, mesh);
    // all files are complete before the first takes its place
    for (int i = 0; i < count && result.code == VV_OK; ++i)
        result = sinkClose(&sink[i]);
    for (int i = 0; i < count && result.code == VV_OK; ++i)
        result = sinkCommit(&sink[i]);
    for (int i = 0; i < count; ++i)
    {
        sinkAbandon(&sink[i]);
        memoryRelease(memory, path[i]);
    }
    return result;
}

vvResult vvWriteMesh(const vvMesh *mesh, const char *file, const char *formatName)
{
    if (mesh == NULL)
        return resultMake(VV_BAD_INPUT, "create the mesh, and look at its result", "the mesh to write is NULL");
    if (file == NULL || file[0] == 0)
        return resultMake(VV_BAD_INPUT, "give the path of the file to write", "the path is empty");
    const MeshFormat *format = NULL;
    vvResult result = formatFind(formatName, file, &format);
    if (result.code != VV_OK)
        return result;
    char remedy[NAMES_SIZE + 16], all[NAMES_SIZE];
    snprintf(remedy, sizeof remedy, "write it as %s", formatNames(true, all));
    if (format->write == NULL)
        return resultMake(VV_BAD_INPUT, remedy, "%.100s: %s files are read, not written", file, format->title);
    if (format->solids && mesh->matter != MATTER_SOLID)
        return resultMake(VV_BAD_INPUT, "write it as obj, msh, mesh or vtk", "a %s file holds tets, this mesh has none",
                          format->title);
    Memory memory = memoryMake(&mesh->memory.hook);
    return writeFiles(&memory, mesh, format, file);
}
