// Active fibres in tetrahedra: tension along a direction d of the material, W = V T a c (sqrt(|F d|^2 + e^2) - c) with
// the activation a in [0, 1], T in Pa and c^2 = 1 + e^2. The nominal stress along the fibres is a T at their length at
// rest and almost constant (0.95 a T at half of it), and vanishes with them, so that W is smooth and convex everywhere.
// Activation is state: the majorizer is that of a = 1, so that no matrix depends on it.
#include "energy/muscle.h"

#include "energy/spectral.h"
#include "energy/tet.h"

#include <stdio.h>

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(muscleKernels);
static const Rows shape = { 1, 4, MUSCLE_EXTRA };

static void prepare(Energy *energy, const Recipe *recipe)
{
    for (int i = 0; i < energy->blockCount * LANES; ++i)
    {
        int lane = i % LANES, element = minInt(i, energy->elementCount - 1);
        double *params = laneParams(energy, i / LANES);
        Mat3 edges = tetEdges(laneVertices(energy, i / LANES), lane, recipe->rest), inverse = matInverse(&edges);
        Vec3 d = recipe->directions ? vecLoad(recipe->directions + 3 * (ptrdiff_t)element) : recipe->direction;
        Vec3 row = matApply(&inverse, vecScale(1 / vecLength(d), d));
        params[lane] = recipeStrength(energy, i, recipe) * (recipe->young * (matDeterminant(&edges) / 6));
        params[MUSCLE_ACTIVATION * LANES + lane] = 0;
        params[MUSCLE_GROUP * LANES + lane] = recipe->unit ? recipe->unit[element] : 0;
        for (int c = 1; c <= 3; ++c)
            *rowsCoefficient(params, lane, shape, 0, c) = c == 1 ? row.x : c == 2 ? row.y : row.z;
    }
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    (void)mode; // convex
    for (int lane = 0; lane < LANES; ++lane)
    {
        const double *params = laneParams(energy, block) + lane;
        Vec3 z;
        rowsAt(energy, block * LANES + lane, x, shape, &z);
        double square = vecDot(z, z) + MUSCLE_ROUND, v[3], inner[9];
        double across = params[0] * params[MUSCLE_ACTIVATION * LANES] * sqrt((1 + MUSCLE_ROUND) / square);
        vecStore(v, z);
        for (int i = 0; i < 9; ++i)
            inner[i] = across * ((i % 4 == 0) - v[i / 3] * v[i % 3] / square);
        rowsHessian(energy, block * LANES + lane, shape, inner, out + lane * 144);
    }
}

// of a whole activation, and fibres down to 2/3 of their length
static void majorizer(const Energy *energy, int block, double *out)
{
    rowsMajorizer(energy, block, shape, 1.5, out);
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    Vec3 z;
    rowsAt(energy, element, x, shape, &z);
    snprintf(text, size, "muscle tet %d: vertex %d and 3 more, activation %.4g, stretch of the fibres %.4g", element,
             laneVertices(energy, element / LANES)[element % LANES], energyGetParam(energy, element, MUSCLE_ACTIVATION),
             vecLength(z));
}

bool muscleActivate(Energy *energy, int group, double activation)
{
    bool found = false;
    for (int e = 0; e < energy->elementCount; ++e)
    {
        if (energyGetParam(energy, e, MUSCLE_GROUP) != group)
            continue;
        found = true;
        energySetParam(energy, e, MUSCLE_ACTIVATION, activation);
    }
    return found;
}

double muscleActivation(const Energy *energy, int group)
{
    for (int e = 0; e < energy->elementCount; ++e)
    {
        if (energyGetParam(energy, e, MUSCLE_GROUP) == group)
            return energyGetParam(energy, e, MUSCLE_ACTIVATION);
    }
    return -1;
}

const EnergyKind muscleKind = {
    .name = "muscle",
    .traits = TRAIT_FREE,
    .column = COLUMN_ELASTIC,
    .corners = 4,
    .paramCount = 1 + MUSCLE_EXTRA + 3,
    .lineCount = 6,
    .stateFirst = MUSCLE_ACTIVATION,
    .stateCount = 1,
    .prepare = prepare,
    KERNEL_FUNCTIONS(kernels),
    .hessian = hessian,
    .majorizer = majorizer,
    .describe = describe,
};
