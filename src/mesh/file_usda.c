// USD as text, the meshes and curves that records have (usda.c of the room record): "USD File Format" of OpenUSD.
// Points are those at rest, or of the first time sample; metersPerUnit and upAxis are applied. References and
// transformations are not followed.
#include "mesh/usda.h"

#include <string.h>

#define MOST_DEPTH 32

typedef enum Kind // of a prim
{
    PRIM_OTHER,
    PRIM_MESH,
    PRIM_CURVES,
} Kind;

typedef struct Usda
{
    Reader *reader;
    Kind open[MOST_DEPTH]; // prims around the one that is read, and that itself
    int depth;
    RealList points, counts, indices; // of the open mesh or curves
    RealList pairs, rows;             // texture coordinates, and which of them every corner or point has
    long long line;                   // of its indices
    int firstRow;                     // of its texture coordinates in the mesh that is made
    bool leftHanded;
    double scale; // m per unit
    bool zUp;
} Usda;

// ---- lists ----------------------------------------------------------------------------------------------------------

// "[1, 2, 3]" or "[(0, 0, 0), (1, 0, 0)]": all the numbers
static bool readList(Reader *reader, RealList *list)
{
    UsdaToken token;
    int depth = 0;
    list->count = 0;
    do
    {
        double value;
        if (usdaReal(reader, &value))
        {
            if (!faceListReal(reader->memory, list, value))
                return readerOutOfMemory(reader);
            continue;
        }
        if (!usdaToken(reader, &token))
            return false;
        if (token.kind == '[' || token.kind == '(')
            ++depth;
        else if (token.kind == ']' || token.kind == ')')
            --depth;
        else if (token.kind != ',' && depth > 0)
            return readerFault(reader, "repair the list", "'%.24s' is not a finite number", token.text);
    } while (depth > 0);
    return true;
}

// "{ 0: [...], 1: [...], }": the first
static bool readFirstSample(Usda *usda)
{
    UsdaToken token;
    double time;
    if (!usdaToken(usda->reader, &token))
        return false;
    if (token.kind != '{' || !usdaReal(usda->reader, &time) || !usdaToken(usda->reader, &token) || token.kind != ':')
        return usda->reader->result.code == VV_OK
                   ? readerFault(usda->reader, "write the file again", "the time samples do not begin with '{ time: ['")
                   : false;
    return readList(usda->reader, &usda->points) && usdaSkip(usda->reader, 1);
}

// ---- from lists to elements -----------------------------------------------------------------------------------------

// False: not a whole number from 0 to `most`.
static bool wholeOf(double value, double most, int *whole)
{
    if (!(value >= 0 && value <= most) || value != (double)(int)value)
        return false;
    *whole = (int)value;
    return true;
}

static bool addPoints(Usda *usda)
{
    Reader *reader = usda->reader;
    const RealList *points = &usda->points;
    if (points->count % 3 != 0)
        return readerFault(reader, "repair the points", "%d numbers are not points of three", points->count);
    reader->what = "point";
    reader->count = points->count / 3;
    if (!reservePoints(reader, points->count / 3))
        return false;
    for (int i = 0; i < points->count / 3; ++i)
    {
        const double *p = points->value + 3 * (size_t)i;
        double s = usda->scale, own[3] = { s * p[0], s * p[1], s * p[2] };
        if (usda->zUp)
        {
            own[1] = s * p[2];
            own[2] = -s * p[1];
        }
        reader->number = i;
        if (!addPoint(reader, own))
            return false;
    }
    return true;
}

// the corners of a face, the next points of a curve
// texture coordinates of a corner, the `place`-th of its mesh, at a point of it: by corners or by points
static int rowOf(const Usda *usda, int first, int place, int point)
{
    int count = usda->rows.count > 0 ? usda->rows.count : usda->pairs.count / 2, row;
    int number = count == usda->indices.count ? place : count == usda->points.count / 3 ? point : -1;
    if (number < 0)
        return -1;
    double value = usda->rows.count > 0 ? usda->rows.value[number] : number;
    return wholeOf(value, usda->pairs.count / 2 - 1, &row) ? first + row : -1;
}

static bool addCoordinates(Usda *usda, int *first)
{
    RealList *list = &usda->reader->faces.coordinateValue;
    *first = list->count / 2;
    bool enough = true;
    for (int i = 0; i < usda->pairs.count / 2 * 2 && enough; ++i)
        enough = faceListReal(usda->reader->memory, list, usda->pairs.value[i]);
    return enough || readerOutOfMemory(usda->reader);
}

static bool addRow(Usda *usda, Kind kind, int base, int points, int *used, int count, int *corner)
{
    Reader *reader = usda->reader;
    for (int i = 0; i < count; ++i)
    {
        int row = *used + (usda->leftHanded ? count - 1 - i : i);
        double value = kind == PRIM_CURVES ? row : row < usda->indices.count ? usda->indices.value[row] : -1;
        if (!wholeOf(value, points - 1, &corner[i]))
            return readerFault(reader, "repair the lists of counts and indices",
                               "it names point %.10g, the %s has 0 to %d", value,
                               kind == PRIM_CURVES ? "curve" : "mesh", points - 1);
        corner[i] += base;
    }
    int before = *used;
    *used += count;
    if (kind == PRIM_MESH)
    {
        bool ok = addPolygon(reader, corner, count);
        for (int i = 0; i < count && ok; ++i)
            faceListMap(&reader->faces, i,
                        rowOf(usda, usda->firstRow, before + (usda->leftHanded ? count - 1 - i : i), corner[i] - base));
        return ok;
    }
    for (int i = 1; i < count; ++i)
    {
        if (!addElement(reader, EDGE, corner + i - 1))
            return false;
    }
    return true;
}

static bool addRows(Usda *usda, Kind kind, int base, int points, int *corner, int most)
{
    Reader *reader = usda->reader;
    int used = 0, least = kind == PRIM_MESH ? 3 : 2;
    reader->what = kind == PRIM_MESH ? "face" : "curve";
    reader->count = usda->counts.count;
    for (int f = 0; f < usda->counts.count; ++f)
    {
        int count;
        reader->number = f;
        if (!wholeOf(usda->counts.value[f], most - used, &count) || count < least)
            return readerFault(reader, "repair the lists of counts and indices",
                               "it has %.10g corners, must be %d to %d", usda->counts.value[f], least, most - used);
        if (!addRow(usda, kind, base, points, &used, count, corner))
            return false;
    }
    return used == most || readerFault(reader, "repair the lists of counts and indices",
                                       "the counts add up to %d, there are %d indices", used, most);
}

static bool endPrim(Usda *usda, Kind kind)
{
    Reader *reader = usda->reader;
    int base = reader->pointCount, points = usda->points.count / 3;
    int most = kind == PRIM_MESH ? usda->indices.count : points;
    if (kind == PRIM_OTHER)
        return true;
    long long line = reader->source.line;
    int *corner = ALLOCATE(reader->memory, int, (size_t)most + 1);
    if (corner == NULL)
        return readerOutOfMemory(reader);
    reader->source.line = usda->line;
    reader->unpacked = sizeof(double) * ((size_t)usda->points.count + (size_t)usda->indices.count);
    bool ok =
        addPoints(usda) && addCoordinates(usda, &usda->firstRow) && addRows(usda, kind, base, points, corner, most);
    memoryRelease(reader->memory, corner);
    reader->unpacked = 0;
    reader->source.line = line;
    reader->what = NULL;
    reader->count = 0;
    usda->points.count = usda->counts.count = usda->indices.count = usda->pairs.count = usda->rows.count = 0;
    usda->leftHanded = false;
    return ok;
}

// ---- statements -----------------------------------------------------------------------------------------------------

// behind "def": "Mesh "name" (metadata) {"
static bool beginPrim(Usda *usda)
{
    Reader *reader = usda->reader;
    UsdaToken token;
    Kind kind = PRIM_OTHER;
    do
    {
        if (!usdaToken(reader, &token))
            return false;
        if (token.kind == 'w' && strcmp(token.text, "Mesh") == 0)
            kind = PRIM_MESH;
        else if (token.kind == 'w' && strcmp(token.text, "BasisCurves") == 0)
            kind = PRIM_CURVES;
        else if (token.kind == '(' && !usdaMetadata(reader, NULL, NULL))
            return false;
    } while (token.kind != '{');
    if (usda->depth == MOST_DEPTH)
        return readerFault(reader, "write the file with fewer levels", "more than %d prims within each other",
                           MOST_DEPTH);
    for (int i = 0; i < usda->depth && kind != PRIM_OTHER; ++i)
    {
        if (usda->open[i] != PRIM_OTHER)
            return readerFault(reader, "write the meshes beside each other", "a mesh within a mesh");
    }
    usda->open[usda->depth++] = kind;
    return true;
}

// behind "name ="
static bool readValue(Usda *usda, const char *name)
{
    Reader *reader = usda->reader;
    Kind kind = usda->depth > 0 ? usda->open[usda->depth - 1] : PRIM_OTHER;
    UsdaToken token;
    if (strncmp(name, "xformOp", 7) == 0)
        return readerFault(reader, "apply the transformation before the file is written",
                           "a transformation (%.40s) is not read", name);
    if (kind == PRIM_OTHER)
        return usdaSkip(reader, 0);
    if (strcmp(name, "points") == 0)
        return readList(reader, &usda->points);
    if (strcmp(name, "points.timeSamples") == 0 && usda->points.count == 0)
        return readFirstSample(usda);
    if (strcmp(name, "faceVertexCounts") == 0 || strcmp(name, "curveVertexCounts") == 0)
    {
        usda->line = reader->source.line;
        return readList(reader, &usda->counts);
    }
    if (strcmp(name, "faceVertexIndices") == 0)
    {
        usda->line = reader->source.line;
        return readList(reader, &usda->indices);
    }
    if (strcmp(name, "primvars:st") == 0)
        return readList(reader, &usda->pairs);
    if (strcmp(name, "primvars:st:indices") == 0)
        return readList(reader, &usda->rows);
    if (strcmp(name, "orientation") != 0)
        return usdaSkip(reader, 0);
    if (!usdaToken(reader, &token))
        return false;
    usda->leftHanded = strcmp(token.text, "leftHanded") == 0;
    return true;
}

static bool readStatements(Usda *usda)
{
    Reader *reader = usda->reader;
    UsdaToken token;
    char name[USDA_WORD] = "";
    while (!usdaAtEnd(reader))
    {
        bool ok = usdaToken(reader, &token);
        if (ok && token.kind == 'w')
        {
            snprintf(name, sizeof name, "%s", token.text);
            if (strcmp(name, "def") == 0 || strcmp(name, "over") == 0 || strcmp(name, "class") == 0)
                ok = beginPrim(usda);
        }
        else if (ok && token.kind == '=')
            ok = readValue(usda, name);
        else if (ok && token.kind == '(')
            ok = usdaMetadata(reader, usda->depth == 0 ? &usda->scale : NULL, usda->depth == 0 ? &usda->zUp : NULL);
        else if (ok && token.kind == '}' && usda->depth == 0)
            ok = readerFault(reader, "repair the file", "a '}' closes nothing");
        else if (ok && token.kind == '}')
        {
            usda->depth -= 1;
            ok = endPrim(usda, usda->open[usda->depth]);
        }
        if (!ok)
            return false;
    }
    return usda->depth == 0 || readerEndFault(reader);
}

bool readUsda(Reader *reader)
{
    Usda usda = { .reader = reader, .scale = 1 };
    char word[8];
    reader->first = 0;
    if (!readWord(reader, word, sizeof word))
        return false;
    if (strcmp(word, "#usda") != 0)
        return readerFault(reader, "check that the file is what its ending or 'format' says; binary USD: save as .usda",
                           "the file does not begin with '#usda', as a USD file of text does");
    sourceSkipLine(&reader->source);
    bool ok = readStatements(&usda);
    memoryRelease(reader->memory, usda.points.value);
    memoryRelease(reader->memory, usda.counts.value);
    memoryRelease(reader->memory, usda.indices.value);
    memoryRelease(reader->memory, usda.pairs.value);
    memoryRelease(reader->memory, usda.rows.value);
    return ok;
}
