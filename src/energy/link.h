// What joins points of two bodies: the elements of linkKind. Each end is a point between up to LINK_END vertices, so
// that an element has 2 LINK_END corners; those that are left over repeat the first of their end and have no share.
#ifndef ENERGY_LINK_H
#define ENERGY_LINK_H

#include "energy/energy.h"

#define LINK_END 4
#define LINK_CORNERS (2 * LINK_END)

enum // params
{
    LINK_STIFFNESS,                          // N/m
    LINK_LENGTH,                             // m, at rest
    LINK_SHARE,                              // LINK_CORNERS: of d = b - a; those of b sum to 1, those of a to -1
    LINK_PARAMS = LINK_SHARE + LINK_CORNERS, //
};

// The first corner of either end comes first: a b a a a b b b.
static inline int linkEnd(int corner) // 0 or 1: of which end it is
{
    return corner < 2 ? corner : corner > LINK_END;
}

static inline int linkCorner(int end, int k)
{
    return k == 0 ? end : 1 + k + end * (LINK_END - 1);
}

Vec3 linkApart(const Energy *energy, int element, const double *x); // d, of positions or of directions

// Fills the params of an element. `shares`: LINK_CORNERS in that order, as above.
void linkSet(Energy *energy, int element, double stiffness, double restLength, const double *shares);

#endif
