#include "lab/two_springs.h"

#include <math.h>

static double stiffnessNow; // N/m

void twoSpringsSet(double stiffness)
{
    stiffnessNow = stiffness;
}

double twoSpringsEnergy(double x)
{
    double stretch = sqrt(x * x + 1) - sqrt(2);
    return stiffnessNow * stretch * stretch;
}

double twoSpringsSlope(double x)
{
    return 2 * stiffnessNow * x * (1 - sqrt(2) / sqrt(x * x + 1));
}

static void rate(double t, const double *y, double *f)
{
    (void)t;
    f[0] = y[1];
    f[1] = -twoSpringsSlope(y[0]);
}

static void jacobian(double t, const double *y, double *matrix)
{
    (void)t;
    double root = sqrt(y[0] * y[0] + 1);
    matrix[0] = matrix[3] = 0;
    matrix[1] = 1;
    matrix[2] = -2 * stiffnessNow * (1 - sqrt(2) / (root * root * root));
}

double twoSpringsHamiltonian(const double *y)
{
    return twoSpringsEnergy(y[0]) + 0.5 * y[1] * y[1];
}

double twoSpringsBeta(void)
{
    double steepest = twoSpringsSlope(-sqrt(cbrt(2) - 1)), low = 1, high = 10;
    for (int i = 0; i < 200; ++i)
    {
        double middle = 0.5 * (low + high);
        *(twoSpringsEnergy(middle) < twoSpringsEnergy(0) + (middle + 1) * steepest ? &low : &high) = middle;
    }
    return low;
}

OdeProblem twoSpringsFrom(double x, double v)
{
    return (OdeProblem){
        .name = "pair", .size = 2, .mechanical = true, .rate = rate, .jacobian = jacobian, .start = { x, v }
    };
}
