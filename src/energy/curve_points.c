// A measured curve: its pieces, and what stretches must have so that a pulled cell follows it.
#include "energy/curve.h"

#include <math.h>
#include <string.h>

// ---- pieces ---------------------------------------------------------------------------------------------------------

// the points with the origin among them, ascending; stresses over young
static int readPoints(const vvLaw *law, double young, Knot *knot)
{
    int count = 0;
    bool origin = false;
    for (int i = 0; law != NULL && i < law->pointCount; ++i)
    {
        if (!origin && law->strain[i] >= 0)
        {
            origin = true;
            if (law->strain[i] > 0)
                knot[count++] = (Knot){ 0 };
        }
        knot[count++] = (Knot){ .strain = law->strain[i], .stress = law->stress[i] / young };
    }
    if (!origin)
        knot[count++] = (Knot){ 0 };
    return count;
}

// slopes that keep each piece monotone: the harmonic mean of the chords, weighted by their lengths, 0 at a turn
static void setSlopes(Knot *knot, int count)
{
    double h[CURVE_POINTS], chord[CURVE_POINTS];
    for (int k = 0; k + 1 < count; ++k)
    {
        h[k] = knot[k + 1].strain - knot[k].strain;
        chord[k] = (knot[k + 1].stress - knot[k].stress) / h[k];
    }
    for (int k = 1; k + 1 < count; ++k)
    {
        double a = 2 * h[k] + h[k - 1], b = h[k] + 2 * h[k - 1], product = chord[k - 1] * chord[k];
        knot[k].slope = product > 0 ? (a + b) / (a / chord[k - 1] + b / chord[k]) : 0;
    }
    knot[0].slope = chord[0];
    knot[count - 1].slope = chord[count - 2];
}

static double pieceArea(const Knot *a, const Knot *b)
{
    double h = b->strain - a->strain;
    return h * (0.5 * (a->stress + b->stress) + h * (a->slope - b->slope) / 12);
}

static int originOf(const Knot *knot)
{
    int zero = 0;
    while (knot[zero].strain < 0)
        zero += 1;
    return zero;
}

static void setAreas(Knot *knot, int count)
{
    int zero = originOf(knot);
    knot[zero].energy = 0;
    for (int k = zero + 1; k < count; ++k)
        knot[k].energy = knot[k - 1].energy + pieceArea(&knot[k - 1], &knot[k]);
    for (int k = zero - 1; k >= 0; --k)
        knot[k].energy = knot[k + 1].energy - pieceArea(&knot[k], &knot[k + 1]);
}

int curveKnots(const vvLaw *law, double young, Knot *knot)
{
    int count = readPoints(law, young, knot);
    if (count == 1) // nothing was measured: Hooke's law
        knot[count++] = (Knot){ .strain = 1, .stress = 1 };
    setSlopes(knot, count);
    setAreas(knot, count);
    return count;
}

double curveInitial(const Knot *knot, int count)
{
    int zero = originOf(knot);
    return zero < count ? knot[zero].slope : 1;
}

// of a cubic the slope is largest at an end or between
double curveSteepest(const Knot *knot, int count)
{
    double most = 0;
    for (int k = 0; k < count; ++k)
        most = maxReal(most, knot[k].slope);
    for (int k = 0; k + 1 < count; ++k)
    {
        double h = knot[k + 1].strain - knot[k].strain, chord = (knot[k + 1].stress - knot[k].stress) / h;
        double c = 3 * chord - 2 * knot[k].slope - knot[k + 1].slope, d = knot[k].slope + knot[k + 1].slope - 2 * chord;
        double t = d < 0 ? -c / (3 * d) : 0;
        if (t > 0 && t < 1)
            most = maxReal(most, knot[k].slope + t * (2 * c + 3 * t * d));
    }
    return most;
}

void curveStore(const Knot *knot, int count, double *place)
{
    for (int k = 0; k < CURVE_POINTS; ++k, place += 4 * LANES)
    {
        // places that are left over continue the line beyond the last
        const Knot *last = &knot[count - 1];
        double more = maxInt(k - count + 1, 0);
        Knot at = k < count ? knot[k]
                            : (Knot){ last->strain + more, last->stress + more * last->slope, last->slope,
                                      last->energy + more * (last->stress + 0.5 * more * last->slope) };
        place[0] = at.strain;
        place[LANES] = at.stress;
        place[2 * LANES] = at.slope;
        place[3 * LANES] = at.energy;
    }
}

static void pieceAt(const Knot *a, const Knot *b, double strain, double *stress, double *slope)
{
    double h = b->strain - a->strain, t = (strain - a->strain) / h, rise = b->stress - a->stress;
    double c = 3 * rise - h * (2 * a->slope + b->slope), d = h * (a->slope + b->slope) - 2 * rise;
    *stress = a->stress + t * (h * a->slope + t * (c + t * d));
    *slope = (h * a->slope + t * (2 * c + 3 * t * d)) / h;
}

static void stressOf(const Knot *knot, int count, double strain, double *stress, double *slope)
{
    int k = 0;
    while (k < count && strain >= knot[k].strain)
        k += 1;
    if (k > 0 && k < count)
    {
        pieceAt(&knot[k - 1], &knot[k], strain, stress, slope);
        return;
    }
    const Knot *end = &knot[k > 0 ? k - 1 : 0];
    *slope = end->slope;
    *stress = end->stress + end->slope * (strain - end->strain);
}

void curveStressAt(const double *place, double strain, double *stress, double *slope)
{
    Knot knot[CURVE_POINTS];
    for (int k = 0; k < CURVE_POINTS; ++k, place += 4 * LANES)
        knot[k] = (Knot){ place[0], place[LANES], place[2 * LANES], place[3 * LANES] };
    stressOf(knot, CURVE_POINTS, strain, stress, slope);
}

// ---- cells ----------------------------------------------------------------------------------------------------------

#define FIT_ROUNDS 100  // of the fixed point, whose error at least halves
#define FIT_STILL 1e-10 // of the largest stress

// the strain across a pull, where phi'(q) + ratio across = 0: it lies between no strain and what is free of that
static double strainAcross(const Knot *knot, int count, double ratio, PullAt pull, double e)
{
    double none = 0, free = pull(e, 0).free, stress, slope;
    for (int i = 0; i < 60; ++i)
    {
        double q = 0.5 * (none + free);
        stressOf(knot, count, q, &stress, &slope);
        bool before = (stress + ratio * pull(e, q).across) * e > 0; // the root lies between here and there
        none = before ? q : none;
        free = before ? free : q;
    }
    return 0.5 * (none + free);
}

bool curveFit(Knot *knot, int count, double scale, double ratio, PullAt pull)
{
    Knot asked[CURVE_POINTS], next[CURVE_POINTS];
    double change = 0, most = 0;
    for (int k = 0; k < count; ++k)
    {
        knot[k].stress *= scale;
        knot[k].slope *= scale;
        most = maxReal(most, fabs(knot[k].stress));
    }
    memcpy(asked, knot, sizeof asked);
    for (int round = 0; round < FIT_ROUNDS; ++round)
    {
        change = 0;
        for (int k = 0; k < count; ++k)
        {
            double e = knot[k].strain, q = strainAcross(knot, count, ratio, pull, e), stress, slope;
            Pull at = pull(e, q);
            stressOf(knot, count, q, &stress, &slope);
            double turn = -ratio * at.acrossByE / (slope + ratio * at.acrossByQ); // of q by e
            next[k] = knot[k];
            next[k].stress = asked[k].stress - ratio * at.along;
            next[k].slope = asked[k].slope - ratio * (at.alongByE + at.alongByQ * turn);
            change = maxReal(change, fabs(next[k].stress - knot[k].stress));
        }
        for (int k = 0; k < count; ++k) // half of the way: what swings settles
        {
            knot[k].stress = 0.5 * (knot[k].stress + next[k].stress);
            knot[k].slope = maxReal(0.5 * (knot[k].slope + next[k].slope), 0);
        }
    }
    bool rises = change <= FIT_STILL * most;
    for (int k = 0; k < count; ++k)
        rises &= knot[k].slope > 0 && (k == 0 || knot[k].stress > knot[k - 1].stress);
    setAreas(knot, count);
    return rises;
}

bool energyHasCurve(const EnergyKind *kind, const Recipe *recipe)
{
    Knot knot[CURVE_POINTS];
    int count;
    double ratio;
    return kind == &tetCurveKind ? tetCurve(recipe, knot, &count, &ratio) : triangleCurve(recipe, knot, &count, &ratio);
}
