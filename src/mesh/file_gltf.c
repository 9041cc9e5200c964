// glTF 2.0, text and binary: the meshes of its scene, placed by its nodes. Points that were split where texture
// coordinates or normals break become one again. Skins and morph targets are as the file has them at rest; cameras and
// normals are passed.
#include "mesh/gltf.h"

#include <string.h>

// ---- one part of a mesh ---------------------------------------------------------------------------------------------

typedef struct Part
{
    Gltf *gltf;
    int node; // -1: none
    bool mirror;
    const Json *known;     // the primitive whose points are read, for those that share them; NULL: none
    long long coordinates; // accessor that is read already, likewise; -1: none
    int firstPoint, pointCount;
    int firstRow, knownRows; // of the texture coordinates
    int rowCount;            // of the present part; 0: it has none
    GltfNumbers index;       // of the present part
    bool indexed;            // by `index`; else the points one after the other
} Part;

static bool sameEntry(const Json *a, const Json *b, const char *key)
{
    const Json *first = jsonFind(a, key), *second = jsonFind(b, key);
    return first == NULL || second == NULL ? first == second : jsonEqual(first, second);
}

static bool samePoints(const Json *a, const Json *b)
{
    static const char *const keys[] = { "POSITION", "JOINTS_0", "WEIGHTS_0", "JOINTS_1", "WEIGHTS_1" };
    bool same = a != NULL && sameEntry(a, b, "targets");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0] && same; ++i)
        same = sameEntry(jsonFind(a, "attributes"), jsonFind(b, "attributes"), keys[i]);
    return same;
}

static bool addPoints(Part *part, const Json *primitive)
{
    Gltf *gltf = part->gltf;
    Reader *reader = gltf->reader;
    if (samePoints(part->known, primitive))
        return true;
    if (!gltfAddPart(gltf, part->node, primitive, reader->pointCount))
        return false;
    const GltfPart *own = &gltf->pose.part[gltf->pose.partCount - 1];
    part->known = primitive;
    part->firstPoint = own->first;
    part->pointCount = own->count;
    for (int i = 0; i < own->count; ++i)
    {
        double point[3];
        gltfPointAt(gltf, own, i, point);
        if (!isfinite(point[0]) || !isfinite(point[1]) || !isfinite(point[2]))
            return gltfFault(gltf, "repair the file, or export it again",
                             "point %d of a mesh, or the place of its node, is not finite", i);
        if (!addPoint(reader, point))
            return false;
    }
    return true;
}

static bool addCoordinates(Part *part, long long accessor)
{
    Gltf *gltf = part->gltf;
    Reader *reader = gltf->reader;
    RealList *list = &reader->faces.coordinateValue;
    GltfNumbers numbers;
    part->rowCount = part->knownRows;
    if (accessor == part->coordinates)
        return true;
    if (!gltfNumbers(gltf, accessor, 2, &numbers))
        return false;
    part->coordinates = accessor;
    part->firstRow = list->count / 2;
    part->rowCount = part->knownRows = numbers.count;
    for (int i = 0; i < numbers.count; ++i)
    {
        double u = gltfReal(&numbers, i, 0), v = 1 - gltfReal(&numbers, i, 1); // v counts down in glTF
        bool finite = isfinite(u) && isfinite(v);
        if (!faceListReal(reader->memory, list, finite ? u : 0) || !faceListReal(reader->memory, list, finite ? v : 0))
            return readerOutOfMemory(reader);
    }
    return true;
}

// the point of a corner, counted in the part
static bool cornerAt(Part *part, int place, int *corner)
{
    long long value = part->indexed ? gltfIndex(&part->index, place, 0) : place;
    if (value < 0 || value >= part->pointCount)
        return gltfFault(part->gltf, "repair the file, or export it again",
                         "index %d of a mesh names point %lld, it has %d", place, value, part->pointCount);
    *corner = (int)value;
    return true;
}

static bool addTriangle(Part *part, int a, int b, int c)
{
    Reader *reader = part->gltf->reader;
    int place[3] = { a, part->mirror ? c : b, part->mirror ? b : c }, corner[3];
    bool enough = faceListBegin(reader->memory, &reader->faces);
    for (int i = 0; i < 3; ++i)
    {
        int own;
        if (!cornerAt(part, place[i], &own))
            return false;
        int row = own < part->rowCount ? part->firstRow + own : -1;
        corner[i] = part->firstPoint + own;
        enough = enough && faceListCorner(reader->memory, &reader->faces, corner[i], row, -1);
    }
    return enough ? addElement(reader, TRIANGLE, corner) : readerOutOfMemory(reader);
}

static bool addLine(Part *part, int a, int b)
{
    int corner[2];
    if (!cornerAt(part, a, &corner[0]) || !cornerAt(part, b, &corner[1]))
        return false;
    corner[0] += part->firstPoint;
    corner[1] += part->firstPoint;
    return addElement(part->gltf->reader, EDGE, corner);
}

enum
{
    MODE_POINTS,
    MODE_LINES,
    MODE_LOOP,
    MODE_LINE_STRIP,
    MODE_TRIANGLES,
    MODE_STRIP,
    MODE_FAN,
};

static bool addElements(Part *part, long long mode)
{
    int count = part->indexed ? part->index.count : part->pointCount;
    bool ok = true;
    if (mode == MODE_POINTS)
        part->gltf->reader->ignored += count;
    for (int i = 0; mode == MODE_LINES && i + 1 < count && ok; i += 2)
        ok = addLine(part, i, i + 1);
    for (int i = 0; (mode == MODE_LOOP || mode == MODE_LINE_STRIP) && i + 1 < count && ok; ++i)
        ok = addLine(part, i, i + 1);
    if (mode == MODE_LOOP && count > 2 && ok)
        ok = addLine(part, count - 1, 0);
    for (int i = 0; mode == MODE_TRIANGLES && i + 2 < count && ok; i += 3)
        ok = addTriangle(part, i, i + 1, i + 2);
    for (int i = 0; mode == MODE_STRIP && i + 2 < count && ok; ++i)
        ok = addTriangle(part, i, i + 1 + i % 2, i + 2 - i % 2);
    for (int i = 1; mode == MODE_FAN && i + 1 < count && ok; ++i)
        ok = addTriangle(part, i, i + 1, 0);
    return ok;
}

static bool nameMaterial(Part *part, const Json *primitive)
{
    Gltf *gltf = part->gltf;
    NameList *list = &gltf->reader->faces.materials;
    long long number;
    list->current = -1;
    if (jsonFind(primitive, "material") == NULL)
        return true;
    if (!gltfWhole(gltf, primitive, "material", gltf->materials.count - 1, -1, &number))
        return false;
    const Json *name = jsonFind(gltf->materials.entry[number], "name");
    return !jsonIs(name, JSON_STRING) || faceListName(gltf->reader->memory, list, name->string) ||
           readerOutOfMemory(gltf->reader);
}

// as we write them
static bool nameGroup(Part *part, const Json *primitive)
{
    Reader *reader = part->gltf->reader;
    const Json *name = jsonFind(jsonFind(primitive, "extras"), "group");
    reader->faces.groups.current = -1;
    return !jsonIs(name, JSON_STRING) || faceListName(reader->memory, &reader->faces.groups, name->string) ||
           readerOutOfMemory(reader);
}

static bool addPrimitive(Part *part, const Json *primitive)
{
    Gltf *gltf = part->gltf;
    const Json *attributes = jsonFind(primitive, "attributes");
    long long mode, accessor, most = gltf->accessors.count - 1;
    gltf->reader->source.line = primitive->line;
    if (jsonFind(attributes, "POSITION") == NULL) // nothing to see, as the standard says
        return true;
    if (!gltfWhole(gltf, primitive, "mode", MODE_FAN, MODE_TRIANGLES, &mode) || !addPoints(part, primitive) ||
        !nameMaterial(part, primitive) || !nameGroup(part, primitive))
        return false;
    part->indexed = jsonFind(primitive, "indices") != NULL;
    if (part->indexed &&
        (!gltfWhole(gltf, primitive, "indices", most, -1, &accessor) || !gltfNumbers(gltf, accessor, 1, &part->index)))
        return false;
    part->rowCount = 0;
    if (jsonFind(attributes, "TEXCOORD_0") != NULL &&
        (!gltfWhole(gltf, attributes, "TEXCOORD_0", most, -1, &accessor) || !addCoordinates(part, accessor)))
        return false;
    return addElements(part, mode);
}

// ---- nodes ----------------------------------------------------------------------------------------------------------

static bool addMesh(Gltf *gltf, int number, int node)
{
    Part part = { .gltf = gltf, .node = node, .mirror = gltfMirrors(gltf, node), .coordinates = -1 };
    const Json *primitives = jsonFind(gltf->meshes.entry[number], "primitives");
    bool ok = true;
    for (const Json *entry = jsonIs(primitives, JSON_LIST) ? primitives->first : NULL; entry != NULL && ok;
         entry = entry->next)
        ok = addPrimitive(&part, entry);
    return ok;
}

// the nodes of the scene that is shown; a file without one is a heap of meshes
static bool addScene(Gltf *gltf)
{
    const GltfPose *pose = &gltf->pose;
    bool ok = gltfPoseOpen(gltf);
    if (jsonCount(jsonFind(gltf->root, "scenes")) == 0)
    {
        for (int i = 0; i < gltf->meshes.count && ok; ++i)
            ok = addMesh(gltf, i, -1);
    }
    for (int i = 0; i < pose->orderCount && ok; ++i)
    {
        int node = pose->order[i];
        ok = pose->node[node].mesh < 0 || addMesh(gltf, pose->node[node].mesh, node);
    }
    return ok;
}

// what a point was called before some became one
static bool nameAll(Reader *reader)
{
    reader->pointTag = ALLOCATE(reader->memory, long long, reader->pointCount);
    for (int i = 0; reader->pointTag != NULL && i < reader->pointCount; ++i)
        reader->pointTag[i] = (long long)reader->first + i;
    return reader->pointTag != NULL || readerOutOfMemory(reader);
}

bool readGltf(Reader *reader)
{
    Gltf own, *gltf = reader->gltf != NULL ? reader->gltf : &own;
    reader->source.binary = true; // bytes as they are
    bool ok = gltfOpen(gltf, reader);
    reader->source.binary = false; // faults have lines
    ok = ok && addScene(gltf) && (gltf == &own || nameAll(reader)) && weldPoints(reader);
    if (ok && !faceListJoin(reader->memory, &reader->faces))
        ok = readerOutOfMemory(reader);
    if (gltf == &own)
        gltfClose(gltf);
    return ok;
}
