// The settings of methods and solvers.
#include "world/world.h"

static vvResult checkBetween(const char *what, double value, double least, double most, const char *remedy)
{
    if (value >= least && value <= most)
        return resultOk();
    return resultMake(VV_BAD_INPUT, remedy, "%s is %g, must be %g to %g", what, value, least, most);
}

// what single methods and solvers read
vvResult checkMethodSettings(const vvWorldDef *def)
{
    int ignored;
    vvResult result = findWord("momentum", def->momentum, vvGetMomentumName, &ignored);
    if (result.code == VV_OK)
        result = checkBetween("energyTolerance", def->energyTolerance, 1e-9, 1, "0.01 is usual");
    if (result.code == VV_OK)
        result = checkBetween("substeps", def->substeps, 0, VV_MAX_SUBSTEPS, "0 takes the method's own rule");
    if (result.code == VV_OK)
        result = checkBetween("recoverySpeed", def->recoverySpeed, 0, 1e6, "1 m/s is gentle");
    if (result.code == VV_OK)
        result = checkBetween("gamma", def->gamma, 0, 1, "0.5 is second order and damps nothing");
    if (result.code == VV_OK)
        result = checkBetween("beta", def->beta, 0, 0.5, "0.25 is the trapezoidal rule");
    if (result.code == VV_OK)
        result = checkBetween("spectralRadius", def->spectralRadius, 0, 1, "0.8 damps what the step cannot resolve");
    if (result.code == VV_OK)
        result = checkBetween("stepTolerance", def->stepTolerance, 0, 1e6, "0 takes every step as it is");
    if (result.code == VV_OK)
        result = checkBetween("forcing", def->forcing, 1e-12, 0.9, "0.02 is usual");
    if (result.code == VV_OK)
        result = findWord("preconditioner", def->preconditioner, vvGetPreconditionerName, &ignored);
    if (result.code == VV_OK)
        result = findWord("jacobian", def->jacobian, vvGetJacobianName, &ignored);
    if (result.code == VV_OK)
        result = findWord("precision", def->precision, vvGetPrecisionName, &ignored);
    if (result.code == VV_OK && def->tableau != NULL)
        result = checkTableau(def->tableau);
    return result;
}
