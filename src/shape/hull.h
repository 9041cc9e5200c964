// Inside the hull: what quickhull.c builds and hull.c asks for.
#ifndef SHAPE_HULL_H
#define SHAPE_HULL_H

#include "shape/kinds.h"

#define THICKNESS 550.0 // steps, 1e-9 of the longest side: points this close to the hull are no corners of it

typedef struct Face
{
    int corner[3];
    int neighbour[3]; // across the edge of corners i and i + 1
    Vec3 normal;      // unit, approximate
    int first;        // of the points that are this face's to see, -1: none
    int mark;         // the round in which it was last seen
    bool alive;
} Face;

// an edge between a face that sees the new point and one that does not
typedef struct Rim
{
    int beyond;   // the face that stays
    int from, to; // corners, in the direction of the face that goes
} Rim;

typedef struct IntList
{
    int *item;
    int count, room;
} IntList;

// when a point may become a corner
typedef enum Turn
{
    TURN_FIRST,
    TURN_LATE, // after all others
    TURN_NEVER,
} Turn;

typedef struct Hull
{
    Memory *memory;
    int pointCount;
    double *grid; // pointCount x 3, whole numbers below 2^40
    int *next;    // pointCount: the next point of the same face
    int *started; // pointCount: the new face whose first corner this is
    Turn *turn;   // pointCount
    Vec3 center;

    Face *face;
    int faceCount, faceRoom;
    Rim *rim;
    int rimCount, rimRoom;
    IntList pending, gone, fresh, spare; // faces to look at, that go, that come; free places
    int round;
    bool exhausted;
} Hull;

// A hull of the points whose turn is first, then those whose turn is late.
vvResult hullMake(Hull *hull);

static inline Vec3 gridPoint(const Hull *hull, int i)
{
    return pointAt(hull->grid, i);
}

#endif
