#include "mesh/cells.h"

#include <limits.h>

static bool push(Reader *reader, int **list, int *count, int *room, int value)
{
    if (*count == *room)
    {
        size_t left = sourceBytesLeft(&reader->source) / 2 + 2, wanted = 2 * (size_t)*room + 16;
        wanted = (size_t)*room + (wanted < left ? wanted : left);
        void *block = *list;
        if (wanted > INT_MAX || !memoryGrow(reader->memory, &block, (size_t)*count, wanted, sizeof(int)))
        {
            reader->result = resultOutOfMemory("the cells of a VTK file");
            return false;
        }
        *list = block;
        *room = (int)wanted;
    }
    (*list)[(*count)++] = value;
    return true;
}

bool cellsStart(Reader *reader, Cells *cells, int value)
{
    return push(reader, &cells->start, &cells->starts, &cells->startRoom, value);
}

bool cellsPoint(Reader *reader, Cells *cells, int value)
{
    return push(reader, &cells->point, &cells->points, &cells->pointRoom, value);
}

bool cellsMark(Reader *reader, Cells *cells)
{
    if (linesAdd(reader->memory, &cells->lines, cells->count, reader->source.line))
        return true;
    reader->result = resultOutOfMemory("the cells of a VTK file");
    return false;
}

void cellsRelease(Reader *reader, Cells *cells)
{
    memoryRelease(reader->memory, cells->start);
    memoryRelease(reader->memory, cells->point);
    memoryRelease(reader->memory, cells->lines.run);
    *cells = (Cells){ 0 };
}

// ---- from cells to elements -----------------------------------------------------------------------------------------

static bool addPolyline(Reader *reader, const int *point, int count)
{
    for (int i = 1; i < count; ++i)
    {
        if (!addElement(reader, EDGE, point + i - 1))
            return false;
    }
    return true;
}

static bool addCell(Reader *reader, long long type, const int *point, int count)
{
    switch (type)
    {
    case 10: // tetra, and the quadratic one
    case 24:
        return count >= 4 ? addElement(reader, TET, point)
                          : readerFault(reader, "give the tet 4 points", "a tet has %d points", count);
    case 5: // triangle, quadratic triangle
    case 22:
        return count >= 3 ? addElement(reader, TRIANGLE, point)
                          : readerFault(reader, "give the triangle 3 points", "a triangle has %d points", count);
    case 7: // polygon, quad
    case 9:
        return count >= 3 ? addPolygon(reader, point, count)
                          : readerFault(reader, "give the polygon 3 points", "a polygon has %d points", count);
    case 3: // line, polyline
    case 4:
        return count >= 2 ? addPolyline(reader, point, count)
                          : readerFault(reader, "give the line 2 points", "a line has %d points", count);
    case 21: // quadratic line
        return count >= 2 ? addElement(reader, EDGE, point)
                          : readerFault(reader, "give the line 2 points", "a line has %d points", count);
    case 1: // vertices are no matter
    case 2:
        return true;
    default:
        reader->ignored += 1;
        return true;
    }
}

// the source stands elsewhere: elements get the line of their cell
bool cellsPlace(Reader *reader, const Cells *cells, int cell, long long type)
{
    long long line = reader->source.line;
    reader->what = "cell";
    reader->number = cell;
    reader->count = cells->count;
    reader->source.line = linesFind(&cells->lines, cell);
    int start = cells->start[cell], count = cells->start[cell + 1] - start;
    bool ok = addCell(reader, type, count > 0 ? cells->point + start : NULL, count);
    reader->source.line = line;
    return ok;
}
