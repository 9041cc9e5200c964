// Damping of strain rates, Rayleigh's beta K: the dissipation potential weight (mu e:e + lambda/2 tr(e)^2) of
// e = sym(F^T dF/dt), the rate of Green's strain, with F frozen where `begin` says. Of a spring it is
// d/2 (n.(v1 - v0))^2 with its direction n frozen (Hauth 2004, section 1.1: mass-spring-damper systems).
//
// Frozen, because a potential whose directions moved with the unknowns would be no function of the rate alone: it would
// store energy, and its Hessian would not be semidefinite. Frozen it is a quadratic, which Newton's method meets in
// one step, and its rate times its force is exactly what the ledger books.
//
// F^T dF/dt is skew in rigid rotation whatever the strain: nothing rigid is damped. (R^T dF/dt, with R the nearest
// rotation, is that only for a body at rest shape.) F is divided by its norm where it is above 1, so that the constant
// majorizer bounds stretched elements too: rates are then measured like engineering strain.
#include "energy/kernels.h"
#include "energy/strain.h"

#include <stdio.h>

static const ElementKernels *const wovenTable[ISA_COUNT] = KERNELS_BY_ISA(wovenDamperKernels);
static const ElementKernels *const kernelsOf[STRAIN_MOST][ISA_COUNT] = {
    KERNELS_BY_ISA(springDamperKernels),
    KERNELS_BY_ISA(membraneDamperKernels),
    KERNELS_BY_ISA(corotatedDamperKernels),
};

static inline Columns frozenAt(const Energy *energy, int m, int element)
{
    const double *params = laneParams(energy, element / LANES) + element % LANES + STRAIN_FROZEN(m) * LANES;
    Columns f;
    for (int j = 0; j < m; ++j)
        f.c[j] = vec3(params[3 * j * LANES], params[(3 * j + 1) * LANES], params[(3 * j + 2) * LANES]);
    return f;
}

static void freeze(Energy *energy, int m, const double *x, int begin, int end)
{
    static const FreezeKernels *const freezes[STRAIN_MOST][ISA_COUNT] = {
        KERNELS_BY_ISA(springFreezes),
        KERNELS_BY_ISA(membraneFreezes),
        KERNELS_BY_ISA(corotatedFreezes),
    };
    freezes[m - 1][energy->isa]->freeze(energy, x, begin, end);
}

static inline Strain rateAt(const Energy *energy, const Simplex *s, int element, const double *v)
{
    Columns frozen = frozenAt(energy, s->m, element), rate = columnsAt(energy, s, element, v);
    return symmetricProduct(s->m, &frozen, &rate);
}

static inline void rateHessian(const Energy *energy, int m, int block, double *out)
{
    for (int lane = 0; lane < LANES; ++lane)
    {
        Simplex s = simplexAt(energy, m, block * LANES + lane);
        Columns frozen = frozenAt(energy, m, block * LANES + lane);
        strainMatrix(&s, &frozen, out + lane * 9 * (m + 1) * (m + 1));
    }
}

// strain rates of springs are along them, m/s
static void alongPrepare(Energy *energy, const Recipe *recipe)
{
    for (int block = 0; block < energy->blockCount; ++block)
    {
        double *params = laneParams(energy, block);
        for (int lane = 0; lane < LANES; ++lane)
        {
            params[STRAIN_WEIGHT * LANES + lane] = recipeStrength(energy, block * LANES + lane, recipe);
            params[STRAIN_INVERSE * LANES + lane] = 1;
            params[STRAIN_MU * LANES + lane] = 0.5;
            params[STRAIN_LAMBDA * LANES + lane] = 0;
        }
    }
}

static inline void ratePrepare(Energy *energy, int m, const Recipe *recipe)
{
    if (m == 1)
        alongPrepare(energy, recipe);
    for (int e = 0; e < energy->blockCount * LANES && m > 1; ++e)
    {
        double *params = laneParams(energy, e / LANES) + e % LANES;
        params[STRAIN_WEIGHT * LANES] = recipeStrength(energy, e, recipe) * prepareFrame(energy, m, e, recipe->rest);
        if (m == 2 && isWoven(energy))
            weavePrepare(energy, e, recipe);
        else
            prepareLaw(energy, m, e, recipe);
    }
    freeze(energy, m, recipe->rest, 0, energy->blockCount);
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    Simplex s = simplexAt(energy, energy->kind->corners - 1, element);
    Strain rate = rateAt(energy, &s, element, x);
    int used =
        snprintf(text, size, "%s %d: takes %.4g W, vertices", energy->kind->name, element, 2 * strainEnergy(&s, &rate));
    const int *v = laneVertices(energy, element / LANES) + element % LANES;
    for (int c = 0; c < energy->kind->corners && used >= 0 && (size_t)used < size; ++c)
        used += snprintf(text + used, size - (size_t)used, " %d", v[c * LANES]);
}

// the functions of one kind, with m known to the compiler
#define DAMPER(kindName, word, m, more, table)                                                                         \
    static void kindName##Prepare(Energy *energy, const Recipe *recipe)                                                \
    {                                                                                                                  \
        ratePrepare(energy, m, recipe);                                                                                \
    }                                                                                                                  \
    static void kindName##Freeze(Energy *energy, const double *start, int begin, int end)                              \
    {                                                                                                                  \
        freeze(energy, m, start, begin, end);                                                                          \
    }                                                                                                                  \
    static void kindName##Hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)     \
    {                                                                                                                  \
        (void)x;                                                                                                       \
        (void)mode;                                                                                                    \
        rateHessian(energy, m, block, out);                                                                            \
    }                                                                                                                  \
    static void kindName##Majorizer(const Energy *energy, int block, double *out)                                      \
    {                                                                                                                  \
        strainMajorizer(energy, m, block, 1, out);                                                                     \
    }                                                                                                                  \
    const EnergyKind kindName##Kind = {                                                                                \
        .name = word,                                                                                                  \
        .traits = TRAIT_DISSIPATIVE,                                                                                   \
        .column = COLUMN_NONE,                                                                                         \
        .corners = (m) + 1,                                                                                            \
        .paramCount = STRAIN_INVERSE + (m) * (m) + 3 * (m) + (more),                                                   \
        .lineCount = 6 * (m),                                                                                          \
        .fills = true,                                                                                                 \
        .local = (m) > 1, /* of springs, making them is as fast */                                                     \
        .prepare = kindName##Prepare,                                                                                  \
        .freeze = kindName##Freeze,                                                                                    \
        KERNEL_FUNCTIONS(table),                                                                                       \
        .hessian = kindName##Hessian,                                                                                  \
        .majorizer = kindName##Majorizer,                                                                              \
        .describe = describe,                                                                                          \
    }

DAMPER(springDamper, "spring-damper", 1, 0, kernelsOf[0]);
DAMPER(membraneDamper, "membrane-damper", 2, 0, kernelsOf[1]);
DAMPER(wovenDamper, "woven-damper", 2, WEAVE_PARAMS, wovenTable);
DAMPER(corotatedDamper, "corotated-damper", 3, 0, kernelsOf[2]);
