// What joins points of two bodies: the elements of linkKind. Each end is a point between up to LINK_END vertices, so
// that an element has 2 LINK_END corners; those that are left over repeat the first of their end and have no share.
// The second end may slide: it is the point of a line that is nearest to the first, and the spring pulls across it.
#ifndef ENERGY_LINK_H
#define ENERGY_LINK_H

#include "energy/energy.h"

#define LINK_END 4
#define LINK_CORNERS (2 * LINK_END)

enum // params
{
    LINK_STIFFNESS,                          // N/m
    LINK_LENGTH,                             // m, at rest
    LINK_SHARE,                              // LINK_CORNERS: of d = b - a; those of b sum to 1, those of a to -1, or
                                             //   all to 0: d is the difference of two directions, and pulls by couples
    LINK_SLIDES = LINK_SHARE + LINK_CORNERS, // 1: b slides along the line
    LINK_ALONG,                              // LINK_END: of its direction, by the corners of b; they sum to 0
    LINK_SIDE = LINK_ALONG + LINK_END,       // 1: it only pulls, -1: it only pushes, as elastic limits do; 0: both
    LINK_PARAMS,                             //
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

Vec3 linkApart(const Energy *energy, int element, const double *x); // d
// How d is made of the corners, with the second end where it has slid to at x. Returns the unit vector along the line;
// zero: nothing slides.
Vec3 linkShares(const Energy *energy, int element, const double *x, double *shares);

// What a spring of this side is stretched by: a stretch that it does not resist is none.
static inline double linkStretch(double stretch, double side)
{
    return stretch * side < 0 ? 0 : stretch;
}

// Fills the params of an element. `shares`: LINK_CORNERS in that order, as above; `along`: LINK_END, or NULL.
void linkSet(Energy *energy, int element, double stiffness, double restLength, double side, const double *shares,
             const double *along);

#endif
