// Pressure inside a closed surface, -p (V - V_rest) with V the volume it encloses: a constant pressure, whose work is p
// dV. Elements are the triangles, outward. What one of them holds depends on the origin that volumes are measured from,
// the first vertex of the body; of the sum it drops out, and so do its forces: every corner gets a third of p times the
// area vector, exact for the whole surface. The second derivative between two corners is that of the whole, split
// between the two triangles of an edge at its middle: -[x_k - (x_i + x_j) / 2] / 6 as a cross product.
#include "energy/spectral.h"

#include "energy/kernels.h"

#include <stdio.h>
#include <string.h>

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(pressureKernels);

static void cornersAt(const Energy *energy, int element, const double *x, Vec3 corner[3])
{
    Vec3 origin = vecLoad(x);
    for (int c = 0; c < 3; ++c)
        corner[c] = vecSub(laneLoad(laneVertices(energy, element / LANES), c, element % LANES, x), origin);
}

static double volumeOf(const Vec3 corner[3])
{
    return vecDot(corner[0], vecCross(corner[1], corner[2])) / 6;
}

// from the middle of the edge (c, c + 1) to the third corner
static Vec3 median(const Vec3 corner[3], int c)
{
    Vec3 middle = vecScale(0.5, vecAdd(corner[c], corner[(c + 1) % 3]));
    return vecSub(corner[(c + 2) % 3], middle);
}

// recipe->young is the pressure
static void prepare(Energy *energy, const Recipe *recipe)
{
    for (int i = 0; i < energy->blockCount * LANES; ++i)
    {
        double *params = laneParams(energy, i / LANES) + i % LANES;
        Vec3 corner[3];
        params[PRESSURE] = recipe->young;
        cornersAt(energy, i, recipe->rest, corner);
        params[PRESSURE_REST * LANES] = volumeOf(corner);
        params[PRESSURE_BOUND * LANES] = 0;
        for (int c = 0; c < 3; ++c)
            params[PRESSURE_BOUND * LANES] += vecLength(median(corner, c));
    }
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    memset(out, 0, LANES * 81 * sizeof(double));
    for (int lane = 0; lane < LANES; ++lane)
    {
        double scale = laneParams(energy, block)[lane] / 6, *matrix = out + lane * 81, work[162];
        Vec3 corner[3];
        cornersAt(energy, block * LANES + lane, x, corner);
        for (int c = 0; c < 3 && scale != 0; ++c)
        {
            Vec3 m = median(corner, c);
            double cross[9] = { 0, -m.z, m.y, m.z, 0, -m.x, -m.y, m.x, 0 };
            int d = (c + 1) % 3;
            for (int i = 0; i < 9; ++i)
            {
                matrix[(3 * c + i / 3) * 9 + 3 * d + i % 3] = scale * cross[i];
                matrix[(3 * d + i % 3) * 9 + 3 * c + i / 3] = scale * cross[i];
            }
        }
        if (mode == HESSIAN_SEMIDEFINITE)
            clampSymmetric(matrix, 9, work);
    }
}

// rows of the Hessian sum to less than all medians together; 5 % for strain
static void majorizer(const Energy *energy, int block, double *out)
{
    for (int i = 0; i < LANES * 9; ++i)
    {
        const double *params = laneParams(energy, block) + i / 9;
        out[i] = i % 9 % 4 == 0 ? 1.05 * fabs(params[PRESSURE]) * params[PRESSURE_BOUND * LANES] / 6 : 0;
    }
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    const int *v = laneVertices(energy, element / LANES) + element % LANES;
    Vec3 corner[3];
    cornersAt(energy, element, x, corner);
    snprintf(text, size, "pressure %d: vertices %d %d %d, %.4g Pa, share of the volume %.4g m^3", element, v[0],
             v[LANES], v[2 * LANES], energyGetParam(energy, element, PRESSURE), volumeOf(corner));
}

const EnergyKind pressureKind = {
    .name = "pressure",
    .traits = TRAIT_FREE,
    .column = COLUMN_ELASTIC,
    .corners = 3,
    .paramCount = PRESSURE_PARAMS,
    .lineCount = 18,
    .prepare = prepare,
    KERNEL_FUNCTIONS(kernels),
    .hessian = hessian,
    .majorizer = majorizer,
    .describe = describe,
};
