// Binary glTF of a mesh that stands still: the points of the surface in single precision, once for every texture
// coordinate they have, and triangles in the order of their materials and groups; or the springs of a rope as lines.
// Faces of more corners become fans. glTF knows no groups: their names stand in the extras of their primitives.
#include "base/json.h"
#include "mesh/file.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Corner
{
    int point, row; // row: of the texture coordinates, -1: none
    int number;     // of the corner
} Corner;

typedef struct Written
{
    const vvMesh *mesh;
    Memory *memory;
    bool mapped;     // it has texture coordinates
    Corner *vertex;  // vertexCount
    int vertexCount; //
    int *number;     // of every corner of the mesh: its vertex
    int *index;      // indexCount
    int *partStart;  // partCount + 1: places in `index`
    int *material;   // partCount: rows of the names, -1: none
    int *group;      // partCount: the same of groups
    int indexCount, partCount;
} Written;

// ---- vertices -------------------------------------------------------------------------------------------------------

static int byPlace(const void *left, const void *right)
{
    const Corner *a = left, *b = right;
    if (a->point != b->point)
        return a->point < b->point ? -1 : 1;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

// corners of a point with the same texture coordinates become one vertex; vertices are in the order of the points
static void joinCorners(Written *out, int corners)
{
    Corner *vertex = out->vertex;
    int kept = 0;
    qsort(vertex, (size_t)corners, sizeof *vertex, byPlace);
    for (int i = 0; i < corners; ++i)
    {
        bool same = kept > 0 && vertex[kept - 1].point == vertex[i].point && vertex[kept - 1].row == vertex[i].row;
        out->number[vertex[i].number] = same ? kept - 1 : kept;
        if (!same)
            vertex[kept++] = vertex[i];
    }
    out->vertexCount = kept;
}

static bool takeCorners(Written *out, const int *point, const int *row, int corners)
{
    out->vertex = ALLOCATE(out->memory, Corner, corners);
    out->number = ALLOCATE(out->memory, int, corners);
    if (out->vertex == NULL || out->number == NULL)
        return false;
    for (int c = 0; c < corners; ++c)
        out->vertex[c] = (Corner){ point[c], row != NULL ? row[c] : -1, c };
    joinCorners(out, corners);
    return true;
}

// ---- parts ----------------------------------------------------------------------------------------------------------

typedef struct Sorted
{
    int material, group, face;
} Sorted;

static int byPart(const void *left, const void *right)
{
    const Sorted *a = left, *b = right;
    if (a->material != b->material)
        return a->material < b->material ? -1 : 1;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return a->face < b->face ? -1 : a->face > b->face;
}

static void addPart(Written *out, int material, int group)
{
    if (out->indexCount == out->partStart[out->partCount])
        return;
    out->material[out->partCount] = material;
    out->group[out->partCount++] = group;
    out->partStart[out->partCount] = out->indexCount;
}

// the faces of one material after those of another, and of a material those of one group after those of another
static bool fillFaces(Written *out, const vvFaces *faces)
{
    Sorted *sorted = ALLOCATE(out->memory, Sorted, faces->faceCount);
    if (sorted == NULL)
        return false;
    for (int f = 0; f < faces->faceCount; ++f)
        sorted[f] = (Sorted){ faces->materials != NULL ? faces->materials[f] : -1,
                              faces->groups != NULL ? faces->groups[f] : -1, f };
    qsort(sorted, (size_t)faces->faceCount, sizeof *sorted, byPart);
    for (int i = 0; i < faces->faceCount; ++i)
    {
        int first = faces->starts[sorted[i].face], end = faces->starts[sorted[i].face + 1];
        for (int c = first + 2; c < end; ++c)
        {
            out->index[out->indexCount++] = out->number[first];
            out->index[out->indexCount++] = out->number[c - 1];
            out->index[out->indexCount++] = out->number[c];
        }
        const Sorted *own = &sorted[i], *next = i + 1 < faces->faceCount ? &sorted[i + 1] : NULL;
        if (next == NULL || next->material != own->material || next->group != own->group)
            addPart(out, own->material, own->group);
    }
    memoryRelease(out->memory, sorted);
    return true;
}

static void fillAll(Written *out, int corners)
{
    for (int c = 0; c < corners; ++c)
        out->index[out->indexCount++] = out->number[c];
    addPart(out, -1, -1);
}

// the springs that are written, as rows of two points
static int *linesOf(Memory *memory, const vvMesh *mesh, int *corners)
{
    WrittenSet set = writtenSet(mesh);
    int *line = ALLOCATE(memory, int, 2 * (size_t)set.count);
    *corners = 0;
    for (int e = 0; line != NULL && e < 2 * set.rows; ++e)
    {
        if (isWritten(&set, e / 2))
            line[(*corners)++] = set.corner[e];
    }
    return line;
}

static bool prepare(Written *out)
{
    const vvMesh *mesh = out->mesh;
    const vvFaces *faces = mesh->faces;
    int parts = faces != NULL ? maxInt(faces->faceCount, 1) : 1; // at most
    int corners = faces != NULL ? faces->starts[faces->faceCount] : 3 * mesh->surfaceCount, *line = NULL;
    const int *point = faces != NULL ? faces->points : mesh->callerSurface;
    if (mesh->matter == MATTER_ROPE)
        point = line = linesOf(out->memory, mesh, &corners);
    out->mapped = faces != NULL && faces->coordinates != NULL;
    out->index = ALLOCATE(out->memory, int, 3 * (size_t)corners);
    out->partStart = ALLOCATE(out->memory, int, parts + 1);
    out->material = ALLOCATE(out->memory, int, parts);
    out->group = ALLOCATE(out->memory, int, parts);
    bool ok = point != NULL && out->index != NULL && out->partStart != NULL && out->material != NULL &&
              out->group != NULL && takeCorners(out, point, out->mapped ? faces->coordinates : NULL, corners);
    if (ok && faces != NULL)
        ok = fillFaces(out, faces);
    else if (ok)
        fillAll(out, corners);
    memoryRelease(out->memory, line);
    return ok;
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

static void addView(Json *views, double offset, double size, int target)
{
    Json *view = jsonAdd(views, NULL, JSON_OBJECT);
    jsonAddNumber(view, "buffer", 0);
    jsonAddNumber(view, "byteOffset", offset);
    jsonAddNumber(view, "byteLength", size);
    jsonAddNumber(view, "target", target);
}

static Json *addAccessor(Json *accessors, int view, double offset, int component, int count, const char *type)
{
    Json *accessor = jsonAdd(accessors, NULL, JSON_OBJECT);
    jsonAddNumber(accessor, "bufferView", view);
    jsonAddNumber(accessor, "byteOffset", offset);
    jsonAddNumber(accessor, "componentType", component);
    jsonAddNumber(accessor, "count", count);
    jsonAddString(accessor, "type", type);
    return accessor;
}

static double coordinateOf(const Written *out, int vertex, int axis)
{
    return (double)(float)out->mesh->callerPoint[3 * (size_t)out->vertex[vertex].point + (size_t)axis];
}

static void addBounds(const Written *out, Json *accessor)
{
    Json *lower = jsonAdd(accessor, "min", JSON_LIST), *upper = jsonAdd(accessor, "max", JSON_LIST);
    for (int c = 0; c < 3; ++c)
    {
        double low = DBL_MAX, high = -DBL_MAX;
        for (int v = 0; v < out->vertexCount; ++v)
        {
            low = minReal(low, coordinateOf(out, v, c));
            high = maxReal(high, coordinateOf(out, v, c));
        }
        jsonAddNumber(lower, NULL, low);
        jsonAddNumber(upper, NULL, high);
    }
}

// bytes of a name that are no UTF-8 become ?
static void addName(Json *owner, const char *key, const char *name)
{
    jsonAddString(owner, key, name);
    const Json *item = jsonFind(owner, key);
    for (char *c = item != NULL ? item->string : NULL; c != NULL && *c != 0; c += maxInt(utf8Length(c), 1))
    {
        if (utf8Length(c) == 0)
            *c = '?';
    }
}

// one for every material that faces have, and every group of its faces
static void addParts(const Written *out, Json *root)
{
    Json *meshes = jsonAdd(root, "meshes", JSON_LIST), *materials = jsonAdd(root, "materials", JSON_LIST);
    Json *primitives = jsonAdd(jsonAdd(meshes, NULL, JSON_OBJECT), "primitives", JSON_LIST);
    int materialCount = 0;
    for (int p = 0; p < out->partCount; ++p)
    {
        Json *primitive = jsonAdd(primitives, NULL, JSON_OBJECT);
        Json *attributes = jsonAdd(primitive, "attributes", JSON_OBJECT);
        jsonAddNumber(attributes, "POSITION", 0);
        if (out->mapped)
            jsonAddNumber(attributes, "TEXCOORD_0", 1);
        jsonAddNumber(primitive, "indices", 1 + out->mapped + p);
        jsonAddNumber(primitive, "mode", out->mesh->matter == MATTER_ROPE ? 1 : 4);
        bool before = p > 0 && out->material[p - 1] == out->material[p];
        jsonAddNumber(primitive, "material", before ? materialCount - 1 : materialCount);
        if (out->group[p] >= 0)
            addName(jsonAdd(primitive, "extras", JSON_OBJECT), "group", out->mesh->faces->groupNames[out->group[p]]);
        if (before)
            continue;
        Json *material = jsonAdd(materials, NULL, JSON_OBJECT);
        ++materialCount;
        if (out->material[p] >= 0)
            addName(material, "name", out->mesh->faces->materialNames[out->material[p]]);
        if (out->mesh->matter != MATTER_SOLID)
            jsonAdd(material, "doubleSided", JSON_TRUE);
    }
}

// sizes of the three pieces of the buffer, bytes
static void measure(const Written *out, double *piece)
{
    piece[0] = 12.0 * out->vertexCount;
    piece[1] = out->mapped ? 8.0 * out->vertexCount : 0;
    piece[2] = 4.0 * out->indexCount;
}

static void describe(const Written *out, Json *root)
{
    double piece[3];
    measure(out, piece);
    jsonAddString(jsonAdd(root, "asset", JSON_OBJECT), "version", "2.0");
    jsonAddNumber(root, "scene", 0);
    Json *scene = jsonAdd(jsonAdd(root, "scenes", JSON_LIST), NULL, JSON_OBJECT);
    jsonAddNumber(jsonAdd(scene, "nodes", JSON_LIST), NULL, 0);
    jsonAddNumber(jsonAdd(jsonAdd(root, "nodes", JSON_LIST), NULL, JSON_OBJECT), "mesh", 0);
    addParts(out, root);
    Json *buffer = jsonAdd(jsonAdd(root, "buffers", JSON_LIST), NULL, JSON_OBJECT);
    jsonAddNumber(buffer, "byteLength", piece[0] + piece[1] + piece[2]);
    Json *views = jsonAdd(root, "bufferViews", JSON_LIST), *accessors = jsonAdd(root, "accessors", JSON_LIST);
    addView(views, 0, piece[0], 34962);
    addBounds(out, addAccessor(accessors, 0, 0, 5126, out->vertexCount, "VEC3"));
    if (out->mapped)
    {
        addView(views, piece[0], piece[1], 34962);
        addAccessor(accessors, 1, 0, 5126, out->vertexCount, "VEC2");
    }
    addView(views, piece[0] + piece[1], piece[2], 34963);
    for (int p = 0; p < out->partCount; ++p)
        addAccessor(accessors, 1 + out->mapped, 4.0 * out->partStart[p], 5125,
                    out->partStart[p + 1] - out->partStart[p], "SCALAR");
}

// ---- bytes ----------------------------------------------------------------------------------------------------------

static void writeBytes(Sink *sink, const Written *out, const char *text)
{
    double piece[3];
    size_t length = strlen(text), padded = (length + 3) / 4 * 4;
    measure(out, piece);
    uint64_t size = (uint64_t)(piece[0] + piece[1] + piece[2]);
    sinkText(sink, "glTF");
    sinkLittle(sink, 2, 4);
    sinkLittle(sink, 28 + padded + size, 4);
    sinkLittle(sink, padded, 4);
    sinkText(sink, "JSON");
    for (size_t i = 0; i < padded; ++i)
        sinkBytes(sink, i < length ? text + i : " ", 1);
    sinkLittle(sink, size, 4);
    sinkBytes(sink, "BIN", 4);
    for (int i = 0; i < 3 * out->vertexCount; ++i)
        sinkFloat(sink, coordinateOf(out, i / 3, i % 3));
    for (int v = 0; out->mapped && v < out->vertexCount; ++v)
    {
        int row = out->vertex[v].row;
        const double *pair =
            row >= 0 ? out->mesh->faces->coordinateValues + 2 * (size_t)row : (const double[2]){ 0, 0 };
        sinkFloat(sink, pair[0]);
        sinkFloat(sink, 1 - pair[1]); // v counts down in glTF
    }
    for (int i = 0; i < out->indexCount; ++i)
        sinkLittle(sink, (uint64_t)out->index[i], 4);
}

void writeGlb(Sink *sink, const vvMesh *mesh)
{
    Written out = { .mesh = mesh, .memory = sink->memory };
    JsonTree tree;
    jsonOpen(&tree, &sink->memory->hook);
    Json *root = jsonMake(&tree, JSON_OBJECT);
    bool ok = prepare(&out) && root != NULL;
    if (ok)
        describe(&out, root);
    char *text = ok && !tree.isStarved ? jsonPrint(root) : NULL;
    if (text != NULL)
        writeBytes(sink, &out, text);
    else
        sink->outOfMemory = true;
    free(text);
    jsonClose(&tree);
    void *const blocks[] = { out.vertex, out.number, out.index, out.partStart, out.material, out.group };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i)
        memoryRelease(sink->memory, blocks[i]);
}
