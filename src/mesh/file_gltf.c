// glTF 2.0, text and binary: the meshes of its scene, placed by its nodes. Points that were split where texture
// coordinates or normals break become one again. Skins, animations, cameras and normals are passed.
#include "mesh/gltf.h"

#include <string.h>

// ---- places ---------------------------------------------------------------------------------------------------------

typedef struct Place
{
    double m[3][4]; // of a node: rows of a rotation, scale and shear, and the displacement
} Place;

static const Place nowhere = { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };

static Place compose(const Place *outer, const Place *inner)
{
    Place p;
    for (int r = 0; r < 3; ++r)
    {
        for (int c = 0; c < 4; ++c)
        {
            p.m[r][c] = c == 3 ? outer->m[r][3] : 0;
            for (int k = 0; k < 3; ++k)
                p.m[r][c] += outer->m[r][k] * inner->m[k][c];
        }
    }
    return p;
}

static bool isMirror(const Place *p)
{
    Vec3 rows[3];
    for (int r = 0; r < 3; ++r)
        rows[r] = vec3(p->m[r][0], p->m[r][1], p->m[r][2]);
    return vecDot(rows[0], vecCross(rows[1], rows[2])) < 0;
}

// numbers of a list of `count`; they stay as they are where there is none
static bool readList(Gltf *gltf, const Json *node, const char *key, double *value, int count)
{
    const Json *list = jsonFind(node, key), *entry = list != NULL ? list->first : NULL;
    bool good = list == NULL || (list->kind == JSON_LIST && jsonCount(list) == count);
    for (int i = 0; list != NULL && i < count && good; ++i, entry = entry->next)
    {
        good = entry->kind == JSON_NUMBER;
        value[i] = entry->number;
    }
    return good ||
           gltfFault(gltf, "repair the file, or export it again", "%s of a node is no list of %d numbers", key, count);
}

static bool readPlace(Gltf *gltf, const Json *node, Place *p)
{
    double matrix[16], move[3] = { 0 }, turn[4] = { 0, 0, 0, 1 }, scale[3] = { 1, 1, 1 };
    *p = nowhere;
    if (jsonFind(node, "matrix") != NULL)
    {
        if (!readList(gltf, node, "matrix", matrix, 16))
            return false;
        for (int i = 0; i < 12; ++i)
            p->m[i % 3][i / 3] = matrix[i / 3 * 4 + i % 3];
        return true;
    }
    if (!readList(gltf, node, "translation", move, 3) || !readList(gltf, node, "rotation", turn, 4) ||
        !readList(gltf, node, "scale", scale, 3))
        return false;
    double x = turn[0], y = turn[1], z = turn[2], w = turn[3];
    double square = x * x + y * y + z * z + w * w, s = square > 0 ? 2 / square : 0;
    const double rotation[3][3] = { { 1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w) },
                                    { s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w) },
                                    { s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y) } };
    for (int r = 0; r < 3; ++r)
    {
        for (int c = 0; c < 3; ++c)
            p->m[r][c] = rotation[r][c] * scale[c];
        p->m[r][3] = move[r];
    }
    return true;
}

// ---- one part of a mesh ---------------------------------------------------------------------------------------------

typedef struct Part
{
    Gltf *gltf;
    const Place *place;
    bool mirror;
    long long positions, coordinates; // accessors that are read already, for parts that share them; -1: none
    int firstPoint, pointCount;       // of them
    int firstRow, knownRows;          // of the texture coordinates
    int rowCount;                     // of the present part; 0: it has none
    GltfNumbers index;                // of the present part
    bool indexed;                     // by `index`; else the points one after the other
} Part;

static bool addPoints(Part *part, long long accessor)
{
    Gltf *gltf = part->gltf;
    Reader *reader = gltf->reader;
    GltfNumbers numbers;
    if (accessor == part->positions)
        return true;
    if (!gltfNumbers(gltf, accessor, 3, &numbers))
        return false;
    if (numbers.type != NUMBER_FLOAT32)
        return gltfFault(gltf, "export it without quantization", "POSITION is accessor %lld, which is not of floats",
                         accessor);
    part->positions = accessor;
    part->firstPoint = reader->pointCount;
    part->pointCount = numbers.count;
    for (int i = 0; i < numbers.count; ++i)
    {
        double given[3] = { gltfReal(&numbers, i, 0), gltfReal(&numbers, i, 1), gltfReal(&numbers, i, 2) }, point[3];
        for (int r = 0; r < 3; ++r)
        {
            const double *row = part->place->m[r];
            point[r] = row[0] * given[0] + row[1] * given[1] + row[2] * given[2] + row[3];
            if (!isfinite(point[r]))
                return gltfFault(gltf, "repair the file, or export it again",
                                 "row %d of accessor %lld, or the place of its node, is not finite", i, accessor);
        }
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
    long long value = part->indexed ? gltfIndex(&part->index, place) : place;
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

static bool addPrimitive(Part *part, const Json *primitive)
{
    Gltf *gltf = part->gltf;
    const Json *attributes = jsonFind(primitive, "attributes");
    long long mode, accessor, most = gltf->accessors.count - 1;
    gltf->reader->source.line = primitive->line;
    if (jsonFind(attributes, "POSITION") == NULL) // nothing to see, as the standard says
        return true;
    if (!gltfWhole(gltf, primitive, "mode", MODE_FAN, MODE_TRIANGLES, &mode) ||
        !gltfWhole(gltf, attributes, "POSITION", most, -1, &accessor) || !addPoints(part, accessor) ||
        !nameMaterial(part, primitive))
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

static bool addMesh(Gltf *gltf, long long number, const Place *place)
{
    Part part = { .gltf = gltf, .place = place, .mirror = isMirror(place), .positions = -1, .coordinates = -1 };
    const Json *primitives = jsonFind(gltf->meshes.entry[number], "primitives");
    bool ok = true;
    for (const Json *entry = jsonIs(primitives, JSON_LIST) ? primitives->first : NULL; entry != NULL && ok;
         entry = entry->next)
        ok = addPrimitive(&part, entry);
    return ok;
}

typedef struct Walk
{
    Gltf *gltf;
    bool *seen;   // nodes
    int *stack;   // nodes to be looked at
    Place *place; // of what they are in
    int depth;
} Walk;

// the nodes of a list; none may be twice in a file
static bool pushNodes(Walk *walk, const Json *list, const Place *place)
{
    Gltf *gltf = walk->gltf;
    for (const Json *entry = jsonIs(list, JSON_LIST) ? list->first : NULL; entry != NULL; entry = entry->next)
    {
        bool good = entry->kind == JSON_NUMBER && entry->number >= 0 && entry->number < gltf->nodes.count;
        if (!good || walk->seen[(int)entry->number])
            return gltfFault(gltf, "repair the file, or export it again",
                             good ? "node %d is in two places" : "a node is %d, which is not there",
                             good ? (int)entry->number : -1);
        walk->seen[(int)entry->number] = true;
        walk->place[walk->depth] = *place;
        walk->stack[walk->depth++] = (int)entry->number;
    }
    return true;
}

static bool walkNodes(Walk *walk)
{
    Gltf *gltf = walk->gltf;
    while (walk->depth > 0)
    {
        walk->depth -= 1;
        const Json *node = gltf->nodes.entry[walk->stack[walk->depth]];
        Place own, outer = walk->place[walk->depth];
        long long mesh;
        if (!readPlace(gltf, node, &own))
            return false;
        own = compose(&outer, &own);
        if (jsonFind(node, "mesh") != NULL &&
            (!gltfWhole(gltf, node, "mesh", gltf->meshes.count - 1, -1, &mesh) || !addMesh(gltf, mesh, &own)))
            return false;
        if (!pushNodes(walk, jsonFind(node, "children"), &own))
            return false;
    }
    return true;
}

// the nodes of the scene that is shown; a file without one is a heap of meshes
static bool addScene(Gltf *gltf)
{
    const Json *scenes = jsonFind(gltf->root, "scenes");
    Memory *memory = gltf->reader->memory;
    long long number;
    bool ok = true;
    if (jsonCount(scenes) == 0)
    {
        for (int i = 0; i < gltf->meshes.count && ok; ++i)
            ok = addMesh(gltf, i, &nowhere);
        return ok;
    }
    if (!gltfWhole(gltf, gltf->root, "scene", jsonCount(scenes) - 1, 0, &number))
        return false;
    Walk walk = { .gltf = gltf };
    walk.seen = ALLOCATE(memory, bool, gltf->nodes.count);
    walk.stack = ALLOCATE(memory, int, gltf->nodes.count);
    walk.place = ALLOCATE(memory, Place, gltf->nodes.count);
    if (walk.seen == NULL || walk.stack == NULL || walk.place == NULL)
        ok = readerOutOfMemory(gltf->reader);
    ok = ok && pushNodes(&walk, jsonFind(jsonEntry(scenes, (int)number), "nodes"), &nowhere) && walkNodes(&walk);
    memoryRelease(memory, walk.seen);
    memoryRelease(memory, walk.stack);
    memoryRelease(memory, walk.place);
    return ok;
}

bool readGltf(Reader *reader)
{
    Gltf gltf;
    reader->source.binary = true; // bytes as they are
    bool ok = gltfOpen(&gltf, reader);
    reader->source.binary = false; // faults have lines
    ok = ok && addScene(&gltf) && weldPoints(reader);
    if (ok && !faceListJoin(reader->memory, &reader->faces))
        ok = readerOutOfMemory(reader);
    gltfClose(&gltf);
    return ok;
}
