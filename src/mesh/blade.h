// Inside the mesh room: the surface that a blade swept, as a height and a reach.
#ifndef MESH_BLADE_H
#define MESH_BLADE_H

#include "mesh/change.h"

typedef struct Sweep
{
    Vec3 corner[2][3]; // triangles
    Vec3 normal[2];    // of length 1
    int count;         // triangles with an area, 1 or 2
    bool valley;       // they fold upward: above the surface is above both
} Sweep;

vvResult sweepMake(Sweep *sweep, const Blade *blade);

double sweepHeight(const Sweep *sweep, Vec3 point);       // m above the surface, which goes on beyond its reach
bool sweepReaches(const Sweep *sweep, Vec3 point);        // for a point of the surface
double sweepCrossing(const Sweep *sweep, Vec3 a, Vec3 b); // where an edge goes through, (0, 1) from a to b

#endif
