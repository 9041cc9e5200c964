// Laws of large strain: their defaults and what they may be.
#include "world/world.h"

vvLaw vvDefaultLaw(void)
{
    return (vvLaw){ .secondShare = 0.2, .termCount = 3, .exponent = { 1.3, 5, -2 }, .share = { 0.969, 0.007, 0.024 } };
}

// over 2 mu, what resists a change of volume beyond small strain must be above 0: lambda / 2 mu and a part of the law
static vvResult checkBulk(const vvSoftBodyDef *def, const char *model, double part)
{
    double nu = def->material.poisson, least = -part / (1 - 2 * part);
    if (nu / (1 - 2 * nu) + part > 0)
        return resultOk();
    return resultMake(VV_BAD_INPUT, "take a larger poisson, or model \"stable-neo-hookean\"",
                      "poisson is %g, must be above %.4g with this law of model '%s', which else collapses", nu, least,
                      model);
}

static vvResult checkTerms(const vvSoftBodyDef *def)
{
    const vvLaw *law = &def->law;
    double sum = 0, pressure = 0;
    if (law->termCount < 1 || law->termCount > VV_MAX_TERMS)
        return resultMake(VV_BAD_INPUT, "as many shares as exponents; one term with exponent 2 is neo-Hookean",
                          "law.termCount is %d, must be 1 to %d", law->termCount, VV_MAX_TERMS);
    for (int p = 0; p < law->termCount; ++p)
    {
        double a = law->exponent[p], share = law->share[p];
        if (!(fabs(a) >= 0.1 && fabs(a) <= 20))
            return resultMake(VV_BAD_INPUT, "rubber has 1.3, 5 and -2",
                              "law.exponent[%d] is %g, must be 0.1 to 20 or -20 to -0.1", p, a);
        if (!(share >= 0 && share <= 1))
            return resultMake(VV_BAD_INPUT, "shares are mu_p exponent_p / 2 mu", "law.share[%d] is %g, must be 0 to 1",
                              p, share);
        sum += share;
        pressure += share / a;
    }
    if (!(fabs(sum - 1) <= 1e-6))
        return resultMake(VV_BAD_INPUT, "divide each by their sum", "the shares of law add up to %.9g, must be 1", sum);
    return checkBulk(def, "ogden", pressure);
}

vvResult checkLaw(const vvSoftBodyDef *def, const EnergyKind *kind)
{
    if (kind == &ogdenKind)
        return checkTerms(def);
    if (kind != &mooneyRivlinKind)
        return resultOk();
    if (!(def->law.secondShare >= 0 && def->law.secondShare <= 1))
        return resultMake(VV_BAD_INPUT, "rubber has about 0.2", "law.secondShare is %g, must be 0 to 1",
                          def->law.secondShare);
    return checkBulk(def, "mooney-rivlin", 0.5 * (1 - def->law.secondShare));
}
