// Faces as they were drawn: vvFaces in one block of memory, and the list that a reader fills.
#ifndef MESH_FACES_H
#define MESH_FACES_H

#include "base/base.h"

#include <verve/faces.h>

#define MOST_NAMES 4096 // groups, and materials; faces of later ones have none

vvResult facesCheck(const vvFaces *faces, int pointCount); // of a caller

// All in one block, to be released as such; `number` (or NULL) renames the points. NULL: out of memory.
vvFaces *facesCopy(Memory *memory, const vvFaces *faces, const int *number);

static inline int facesCorners(const vvFaces *faces)
{
    return faces->starts[faces->faceCount];
}

// ---- faces_follow.c -------------------------------------------------------------------------------------------------

// What is left of faces after a repair of their triangles. `map`: new numbers of their points, -1: gone. False: out of
// memory.
bool facesFollow(Memory *memory, const vvFaces *old, const int *map, const int *triangle, int triangleCount,
                 int pointCount, vvFaces **faces);

// ---- while a file is read -------------------------------------------------------------------------------------------

typedef struct IntList
{
    int *value;
    int count, room;
} IntList;

typedef struct RealList
{
    double *value;
    int count, room;
} RealList;

typedef struct NameList
{
    char **name;
    int count, room;
    int current; // of the faces that follow; -1: none
} NameList;

typedef struct FaceList
{
    IntList start;                     // of the corners of every face
    IntList point, coordinate, normal; // of every corner; rows that are not there: -1
    IntList group, material;           // of every face
    RealList coordinateValue, normalValue;
    NameList groups, materials;
    char *materialFile;
} FaceList;

void faceListOpen(FaceList *list);
void faceListClose(Memory *memory, FaceList *list);

// False: out of memory.
bool faceListBegin(Memory *memory, FaceList *list); // a face, whose corners follow
bool faceListCorner(Memory *memory, FaceList *list, int point, int coordinate, int normal);
void faceListMap(FaceList *list, int corner, int row); // texture coordinates of a corner of the last face, from 0
bool faceListReal(Memory *memory, RealList *list, double value);
bool faceListName(Memory *memory, NameList *list, const char *name); // becomes the current one

char *faceListText(Memory *memory, const char *text); // a copy; NULL: out of memory

bool faceListRows(Memory *memory, FaceList *list, const vvFaces *old); // its values and names, in its order

bool faceListJoin(Memory *memory, FaceList *list); // texture coordinates with the same values become one row

// What the triangles do not say already: NULL where they say all, or where the faces are not theirs.
bool faceListTake(Memory *memory, FaceList *list, int triangleCount, vvFaces **faces);

#endif
