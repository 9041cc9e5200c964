// Mass-proportional damping, the dissipation potential c/2 |v|^2 with c = rate x mass (Rayleigh's alpha, 1/s).
#include "energy/point.h"

static inline Vec3 rest(const Energy *energy, int element)
{
    (void)energy;
    (void)element;
    return vec3(0, 0, 0);
}

static void prepare(Energy *energy, const Recipe *recipe)
{
    for (int i = 0; i < energy->blockCount * LANES; ++i)
        laneParams(energy, i / LANES)[i % LANES] =
            recipe->strength ? recipe->strength[minInt(i, energy->elementCount - 1)] : 1;
}

static void values(Energy *energy, const double *x, int begin, int end)
{
    harmonicValues(energy, x, begin, end, rest);
}

static void gradient(Energy *energy, const double *x, int begin, int end)
{
    harmonicGradient(energy, x, begin, end, rest);
}

static void lineStart(Energy *energy, const double *x, const double *d, int begin, int end)
{
    harmonicLineStart(energy, x, d, begin, end, rest);
}

const EnergyKind dragKind = {
    .name = "drag",
    .traits = TRAIT_DISSIPATIVE,
    .column = COLUMN_NONE,
    .corners = 1,
    .paramCount = 1,
    .lineCount = HARMONIC_LINE,
    .prepare = prepare,
    .values = values,
    .gradient = gradient,
    .lineStart = lineStart,
    .lineValues = harmonicLineValues,
    .hessian = harmonicHessian,
    .majorizer = harmonicMajorizer,
    .describe = pointDescribe,
};
