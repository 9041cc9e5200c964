// A measured curve, WIDE at a time (curve.h).
#ifndef ENERGY_CURVE_WIDE_H
#define ENERGY_CURVE_WIDE_H

#include "energy/wide.h"

// One knot of the curve for all lanes.
typedef struct KnotWide
{
    DoubleWide strain, stress, slope, energy;
} KnotWide;

SIMD_INLINE KnotWide knotAt(const double *place, int k)
{
    const double *at = place + 4 * k * LANES;
    return (KnotWide){ wideLoad(at), wideLoad(at + LANES), wideLoad(at + 2 * LANES), wideLoad(at + 3 * LANES) };
}

// phi, and its slope into *stress: the cubic of its piece, a straight line beyond the first and the last knot
SIMD_INLINE DoubleWide curveAt(const double *place, DoubleWide strain, DoubleWide *stress)
{
    KnotWide before = knotAt(place, 0);
    DoubleWide beyond = strain - before.strain;
    DoubleWide found = before.stress + before.slope * beyond;
    DoubleWide value = before.energy + beyond * (before.stress + 0.5 * before.slope * beyond);
    for (int k = 1; k < CURVE_POINTS; ++k)
    {
        KnotWide next = knotAt(place, k);
        LongWide past = strain >= before.strain;
        DoubleWide h = next.strain - before.strain, rise = next.stress - before.stress;
        DoubleWide d = h * (before.slope + next.slope) - 2 * rise;
        // Hermite's form from the end that is nearer to the origin, so that nothing cancels at rest
        LongWide left = next.strain <= wideSet(0);
        DoubleWide t = (strain - wideSelect(left, next.strain, before.strain)) / h;
        DoubleWide b = h * wideSelect(left, next.slope, before.slope);
        DoubleWide c = 3 * rise - h * (2 * before.slope + next.slope);
        c = wideSelect(left, c + 3 * d, c);
        DoubleWide at = wideSelect(left, next.stress, before.stress);
        DoubleWide sum = wideSelect(left, next.energy, before.energy);
        DoubleWide cubic = at + t * (b + t * (c + t * d));
        DoubleWide area = sum + h * t * (at + t * (0.5 * b + t * (c / 3 + 0.25 * t * d)));
        found = wideSelect(past, cubic, found);
        value = wideSelect(past, area, value);
        before = next;
    }
    LongWide past = strain >= before.strain;
    beyond = strain - before.strain;
    *stress = wideSelect(past, before.stress + before.slope * beyond, found);
    return wideSelect(past, before.energy + beyond * (before.stress + 0.5 * before.slope * beyond), value);
}

#endif
