// Mass, centre and inertia of shapes filled with matter: mass.c.
#ifndef SHAPE_MASS_H
#define SHAPE_MASS_H

#include "shape/shape.h"

typedef struct MassProperties
{
    double mass;   // kg
    double volume; // m^3
    Vec3 centre;   // m, of mass
    Mat3 inertia;  // kg m^2, about the centre
} MassProperties;

// Of a shape with matter of this density (kg/m^3), in its own frame: exact but for rounding. False: it bounds no volume
// (plane, heightfield), or has no triangles (a mesh with sampling).
bool massOfShape(const vvShape *shape, double density, MassProperties *out);

MassProperties massMoved(const MassProperties *of, Vec3 position, vvQuat rotation); // in an outer frame
MassProperties massSum(const MassProperties *a, const MassProperties *b); // where both overlap, it counts twice

#endif
