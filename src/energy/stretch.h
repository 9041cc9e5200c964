// Inside the energy room: what laws of solids share that are symmetric functions of the principal stretches of a tet,
// its singular values. Params: the weight 2 mu V (J), the numbers below, those of the law, the rows of F.
#ifndef ENERGY_STRETCH_H
#define ENERGY_STRETCH_H

#include "energy/kernels.h"
#include "energy/spectral.h"

enum StretchParam
{
    STRETCH_RATIO = 1, // lambda / 2 mu
    STRETCH_STEEP,     // 1: of the majorizer over the weight
    STRETCH_OWN,       // the first of the law
    STVK_EXTRA = STRETCH_OWN - 1,
    MOONEY_SHARE = STRETCH_OWN, // 1: C01 / (C10 + C01)
    MOONEY_EXTRA = MOONEY_SHARE,
    OGDEN_EXPONENT = STRETCH_OWN,             // MAX_TERMS of them
    OGDEN_SHARE = OGDEN_EXPONENT + MAX_TERMS, // 1: of the shear modulus; 0: the term is not there
    OGDEN_PRESSURE = OGDEN_SHARE + MAX_TERMS, // 1: sum of share / exponent
    OGDEN_EXTRA = OGDEN_PRESSURE,
    TET_CURVE_KNOTS = STRETCH_OWN, // CURVE_POINTS x 4, as of springs (CURVE_KNOTS), over 2 mu
    TET_CURVE_EXTRA = TET_CURVE_KNOTS + 4 * CURVE_POINTS - 1,
};

#define OGDEN_FLOOR 0.2 // of a stretch, below which powers go on as parabolas

// Gradient and Hessian of the law in the stretches, of the element whose params these are, at distance LANES.
typedef void (*StretchLaw)(const double *params, const double *sigma, double *g, double h[3][3]);

// Weight, ratio, steepness and rows. `steep`: over the largest eigenvalue at rest, for what stiffens near it.
void stretchPrepare(Energy *energy, const Recipe *recipe, double steep);
void stretchHessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out, StretchLaw law);
void stretchMajorizer(const Energy *energy, int block, double *out);
void stretchDescribe(const Energy *energy, const double *x, int element, char *text, size_t size);
void stretchConstants(const Energy *energy, int element, const SweepMass *mass, double h, double *out);

#define STRETCH_SWEEP(extra) FEATURE_SWEEP(3, 1 + (extra) + 9, stretchConstants)
#define STRETCH_KIND(word, extra, its, table)                                                                          \
    {                                                                                                                  \
        .name = word, .traits = TRAIT_INTERNAL | TRAIT_SWEEP, .column = COLUMN_ELASTIC, .corners = 4,                  \
        .paramCount = 1 + (extra) + 9, .lineCount = 18, .prepare = prepare, KERNEL_FUNCTIONS(table),                   \
        .hessian = hessian, .majorizer = stretchMajorizer, .sweep = &(its), .describe = stretchDescribe                \
    }

// s^exponent / exponent^2 and its first two derivatives, the first without what is constant or linear at s = 1, so that
// nothing cancels near rest: finite at any s, by a parabola below OGDEN_FLOOR. The exponent is not 0.
typedef struct Power
{
    double value, slope, curvature;
} Power;

Power powerAt(double stretch, double exponent);

#endif
