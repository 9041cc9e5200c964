// Facets: points, segments and triangles with a radius around them. What balls that move and boxes ask of surfaces.
#ifndef SHAPE_FACET_H
#define SHAPE_FACET_H

#include "base/vec.h"

typedef struct Facet
{
    Vec3 corner[3];
    int corners;   // 1 to 3
    double radius; // m; a triangle has none
    int number;    // of a triangle of a mesh or a heightfield, in the shape's own order; walls have negative numbers
} Facet;

// A box that may be turned: the columns of `axes` are its directions.
typedef struct TurnedBox
{
    Vec3 centre;
    Mat3 axes;
    Vec3 half;
} TurnedBox;

TurnedBox turnedBox(vvBox box);
vvBox turnedBounds(const TurnedBox *box); // along the axes of space

// How far a ball moves along the unit `direction` until it touches the facet; 0: it does at once, infinite: never.
double facetSweep(const Facet *facet, Vec3 centre, Vec3 direction, double radius);

// The point of the facet without its radius that is nearest, and its barycentric weights.
Vec3 facetNearest(const Facet *facet, Vec3 point, double weight[3]);

bool facetOverlapsBox(const Facet *facet, const TurnedBox *box);
bool tetOverlapsBox(const Vec3 corner[4], const TurnedBox *box);
bool tetOverlapsBall(const Vec3 corner[4], Vec3 centre, double radius);

#endif
