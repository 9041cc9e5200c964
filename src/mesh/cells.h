// Cells of VTK files, from lists of points to elements: "VTK File Formats", www.vtk.org.
#ifndef MESH_CELLS_H
#define MESH_CELLS_H

#include "mesh/file.h"

// a section of cells: cell c has the points point[start[c] .. start[c + 1])
typedef struct Cells
{
    int count, starts, points; // starts: count + 1
    int startRoom, pointRoom;
    int *start;
    int *point;
    Lines lines; // of cells
} Cells;

void cellsRelease(Reader *reader, Cells *cells);

// All return false after they filled in the result.
bool cellsStart(Reader *reader, Cells *cells, int value); // appends to `start`
bool cellsPoint(Reader *reader, Cells *cells, int value); // appends to `point`
bool cellsMark(Reader *reader, Cells *cells);             // the next cell begins where the source stands

// Adds what a cell of VTK's `type` is; others are counted.
bool cellsPlace(Reader *reader, const Cells *cells, int cell, long long type);

#endif
