// The coefficients of a caller's own Runge-Kutta method.
#include "world/world.h"

#define SUM_ROUNDING 1e-10 // of weights written with some digits

static vvResult checkWeights(const char *name, const double *weight, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += weight[i];
    if (fabs(sum - 1) <= SUM_ROUNDING) // NaN fails
        return resultOk();
    return resultMake(VV_BAD_INPUT, "write weights as fractions with all their digits",
                      "tableau.%s sums to %.12g, must be 1 within %g", name, sum, SUM_ROUNDING);
}

vvResult checkTableau(const vvTableau *tableau)
{
    if (tableau->stages < 1 || tableau->stages > VV_MAX_STAGES)
        return resultMake(VV_BAD_INPUT, "rk4 has 4", "tableau.stages is %d, must be 1 to %d", tableau->stages,
                          VV_MAX_STAGES);
    for (int i = 0; i < tableau->stages; ++i)
    {
        for (int j = 0; j < tableau->stages; ++j)
        {
            double a = tableau->a[i][j];
            if (isfinite(a) && (j < i || a == 0))
                continue;
            return resultMake(VV_BAD_INPUT, "stage i takes from the stages before it only; implicit methods have names",
                              "tableau.a[%d][%d] is %g, must be %s", i, j, a, j < i ? "finite" : "0");
        }
    }
    vvResult result = checkWeights("b", tableau->b, tableau->stages);
    if (result.code == VV_OK && tableau->hasEmbedded)
        result = checkWeights("embedded", tableau->embedded, tableau->stages);
    return result;
}

Tableau tableauOf(const vvTableau *given)
{
    Tableau tableau = { .name = "runge-kutta" };
    if (given == NULL)
        return tableau;
    _Static_assert(VV_MAX_STAGES == TABLEAU_STAGES, "the same tables");
    tableau.stages = given->stages;
    tableau.embeddedOrder = given->hasEmbedded;
    for (int i = 0; i < given->stages; ++i)
    {
        tableau.b[i] = given->b[i];
        tableau.embedded[i] = given->hasEmbedded ? given->embedded[i] : 0;
        for (int j = 0; j < i; ++j)
        {
            tableau.a[i][j] = given->a[i][j];
            tableau.c[i] += given->a[i][j];
        }
    }
    return tableau;
}
