// Inside the energy room: a measured curve of stress over strain (Hauth 2004, section 1.1: tensile tests of fabrics are
// straight for no material), a cubic between two points of the measurement and a straight line beyond the last. The
// slopes at the points are those of Fritsch and Carlson 1980, so that the stress rises wherever the points do.
#ifndef ENERGY_CURVE_H
#define ENERGY_CURVE_H

#include "energy/kernels.h"

// A point of the curve: strain, stress over young, its slope, and the area under it.
typedef struct Knot
{
    double strain, stress, slope, energy;
} Knot;

int curveKnots(const vvLaw *law, double young, Knot *knot);  // CURVE_POINTS at most; without a law Hooke's
double curveInitial(const Knot *knot, int count);            // its slope at no strain
double curveSteepest(const Knot *knot, int count);           // the largest slope of any piece
void curveStore(const Knot *knot, int count, double *place); // 4 x CURVE_POINTS params of a lane, LANES apart
void curveStressAt(const double *place, double strain, double *stress, double *slope);

// ---- cells ----------------------------------------------------------------------------------------------------------

// What the stretches 1 + e along a pull and 1 + q across it, where nothing pulls, add to the stress along and across,
// over the ratio of a law phi'(s_i - 1) + ratio (...), and the slopes of both by e and by q. `free`: the q where it is
// zero across.
typedef struct Pull
{
    double along, across, alongByE, alongByQ, acrossByE, acrossByQ, free;
} Pull;
typedef Pull (*PullAt)(double e, double q);

// From the curve of a pull to phi', over the same strains: the cell that is pulled has the stresses and slopes of the
// curve at its points. `scale`: young over 2 mu. False: phi' would not rise, the ratio of Poisson is too large for it.
bool curveFit(Knot *knot, int count, double scale, double ratio, PullAt pull);

// phi' of a recipe, and lambda over 2 mu; false as above
bool triangleCurve(const Recipe *recipe, Knot *knot, int *count, double *ratio);
bool tetCurve(const Recipe *recipe, Knot *knot, int *count, double *ratio);

#endif
