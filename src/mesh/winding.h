// Generalised winding numbers of a set of triangles: how often the surface goes around a point. 1 inside and 0 outside
// of a closed surface that winds outward; in between near holes. What is above one half counts as inside.
#ifndef MESH_WINDING_H
#define MESH_WINDING_H

#include "base/vec.h"
#include "shape/tree.h"

// What the triangles below a child of a node look like from afar.
typedef struct WindingFar
{
    Vec3 centre;      // of the area
    Vec3 dipole;      // m^2, sum of area x normal
    double reach;     // m^2: from this squared distance on the expansion is good enough
    float first[6];   // m^3, symmetric part of the first moments of area x normal: xx, yy, zz, xy, xz, yz
    float trace;      // m^3, of it
    float vector[3];  // m^4, contractions of the second moments
    float second[10]; // m^4, symmetric part of them: xxx, yyy, zzz, xxy, xxz, xyy, yyz, xzz, yzz, xyz
} WindingFar;

typedef struct Winding
{
    Tree tree;
    double *corners; // triangleCount x 9, in the order of the tree
    int *order;      // triangleCount: the caller's number of a triangle of the tree
    WindingFar *far; // nodeCount x 4
    int triangleCount;
} Winding;

bool windingBuild(Memory *memory, Winding *winding, const double *point, const int *triangle, int triangleCount);
void windingFree(Memory *memory, Winding *winding);
double windingNumber(const Winding *winding, Vec3 point);

// The solid angle of one triangle divided by that of the sphere.
double windingOfTriangle(const double *corners /* 3 x 3 */, Vec3 point);

// Where a segment crosses triangles: the places along it, from 0 to 1, ascending; `sign` 1: out through the triangle,
// -1 into it. Returns how many there are; of more than `room` any `room` were stored.
int windingCrossings(const Winding *winding, Vec3 from, Vec3 to, double *place, int *sign, int room);

#endif
