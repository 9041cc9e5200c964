// Inside the mesh room: repairs that change which faces there are.
#ifndef MESH_MEND_H
#define MESH_MEND_H

#include "mesh/build.h"

// ---- mend_flat.c ----------------------------------------------------------------------------------------------------

// Removes triangles without area: each is joined with its neighbour across the longest edge, which is cut at the point
// between. Returns how many there were, -1: out of memory.
int mendFlat(Memory *memory, const double *point, int pointCount, int *triangle, int *triangleCount);

// ---- mend_holes.c ---------------------------------------------------------------------------------------------------

// Closes rims of at most `most` edges; grows the arrays. False: out of memory.
bool mendHoles(MeshArrays *arrays, int most, int *holes, int *closed);

#endif
