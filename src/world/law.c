// Laws of large strain and of woven cloth: their defaults and what they may be.
#include "world/world.h"

#include <stdio.h>

vvLaw vvDefaultLaw(void)
{
    return (vvLaw){ .secondShare = 0.2,
                    .termCount = 3,
                    .exponent = { 1.3, 5, -2 },
                    .share = { 0.969, 0.007, 0.024 },
                    .warp = { 1, 0, 0 } };
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

// a part of the warp in the plane of every triangle
static vvResult checkWarp(const vvSoftBodyDef *def)
{
    const vvMesh *mesh = def->mesh;
    for (int t = 0; t < mesh->surfaceCount; ++t)
    {
        char name[40] = "law.warp";
        if (def->elementWarp != NULL)
            snprintf(name, sizeof name, "elementWarp[%d]", t);
        Vec3 warp = def->elementWarp != NULL ? vecLoad(def->elementWarp + 3 * (ptrdiff_t)t)
                                             : vec3(def->law.warp.x, def->law.warp.y, def->law.warp.z);
        double length = vecLength(warp);
        if (!(length > 0) || !isModest(length))
            return resultMake(VV_BAD_INPUT, "1 0 0 is along x", "%s is %g %g %g, must be finite and not 0", name,
                              warp.x, warp.y, warp.z);
        Vec3 x[3];
        for (int c = 0; c < 3; ++c)
            x[c] = vecLoad(mesh->point + 3 * (ptrdiff_t)mesh->surface[3 * (ptrdiff_t)t + c]);
        Vec3 normal = vecCross(vecSub(x[1], x[0]), vecSub(x[2], x[0]));
        if (!(vecLength(vecCross(normal, warp)) > 1e-6 * vecLength(normal) * length))
            return resultMake(VV_BAD_INPUT, "give a direction that lies along the sheet",
                              "%s is %g %g %g, which is across triangle %d", name, warp.x, warp.y, warp.z, t);
    }
    return resultOk();
}

static vvResult checkWeave(const vvSoftBodyDef *def)
{
    double young = def->material.young, nu = def->material.poisson, weft = def->law.weft, shear = def->law.shear;
    for (int k = 0; k < 2; ++k)
    {
        double value = k ? shear : weft;
        if (value != 0 && !(value >= 1e-9 * young && value <= 1e9 * young && isModest(value)))
            return resultMake(VV_BAD_INPUT, "0 is cloth that is alike in all directions",
                              "law.%s is %g Pa, must be 0 or 1e-9 to 1e9 times young, and at most 1e30",
                              k ? "shear" : "weft", value);
    }
    if (!(nu * nu * weft < 0.999 * young))
        return resultMake(VV_BAD_INPUT, "take as the warp what is stiffer, or a smaller poisson",
                          "poisson is %g, must be of a size below %.4g where law.weft is %.4g of young", nu,
                          sqrt(0.999 * young / weft), weft / young);
    return checkWarp(def);
}

// it rises through the origin
static vvResult checkCurve(const vvSoftBodyDef *def)
{
    const vvLaw *law = &def->law;
    if (law->pointCount < 1 || law->pointCount > VV_MAX_CURVE)
        return resultMake(VV_BAD_INPUT, "give some points of the measurement", "law.pointCount is %d, must be 1 to %d",
                          law->pointCount, VV_MAX_CURVE);
    for (int i = 0; i < law->pointCount; ++i)
    {
        double strain = law->strain[i], stress = law->stress[i];
        double before = i > 0 ? law->strain[i - 1] : -1;
        if (!(strain - before >= 1e-6 && strain <= 100))
            return resultMake(VV_BAD_INPUT, "sort the points by strain; -1 is a spring of no length",
                              "law.strain[%d] is %g, must be above %g by 1e-6, and at most 100", i, strain, before);
        bool rises = i == 0 || law->strain[i - 1] * strain < 0 || stress > law->stress[i - 1];
        if (strain == 0 ? stress != 0 : !(stress / strain >= 1e-9 * def->material.young && rises && isModest(stress)))
            return resultMake(VV_BAD_INPUT,
                              "the stress is 0 at no strain, has the sign of the strain and rises with it",
                              "law.stress[%d] is %g Pa at a strain of %g, must rise with it", i, stress, strain);
    }
    return resultOk();
}

// cells: the ratio takes its part of what was measured, and what is left must rise
static vvResult checkCellCurve(const vvSoftBodyDef *def, const EnergyKind *kind)
{
    vvResult result = checkCurve(def);
    Recipe recipe = { .young = def->material.young, .poisson = def->material.poisson, .law = &def->law };
    if (result.code != VV_OK)
        return result;
    if (def->material.poisson < 0)
        return resultMake(VV_BAD_INPUT, "take 0 or more, or model \"woven\" or \"ogden\"",
                          "poisson is %g, must be at least 0 with model '%s'", def->material.poisson, kind->name);
    if (energyHasCurve(kind, &recipe))
        return resultOk();
    return resultMake(VV_BAD_INPUT, "take a smaller poisson, or fewer points",
                      "no material with poisson %g pulls as law.strain and law.stress of model '%s' say",
                      def->material.poisson, kind->name);
}

vvResult checkLaw(const vvSoftBodyDef *def, const EnergyKind *kind)
{
    if (kind == &ogdenKind)
        return checkTerms(def);
    if (kind == &wovenKind)
        return checkWeave(def);
    if (kind == &curveKind)
        return checkCurve(def);
    if (kind == &triangleCurveKind || kind == &tetCurveKind)
        return checkCellCurve(def, kind);
    if (kind != &mooneyRivlinKind)
        return resultOk();
    if (!(def->law.secondShare >= 0 && def->law.secondShare <= 1))
        return resultMake(VV_BAD_INPUT, "rubber has about 0.2", "law.secondShare is %g, must be 0 to 1",
                          def->law.secondShare);
    return checkBulk(def, "mooney-rivlin", 0.5 * (1 - def->law.secondShare));
}
