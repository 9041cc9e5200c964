// Bending by mean curvature at a vertex with its ring of neighbours, B/2 A (|v| - |v_rest|)^2 (Bouaziz 2014, Eq 19 to
// 21; closed form of appendix A, Eq 28): v = sum over the ring of (cot alpha + cot beta) (x_c - x_0) / 2A is the
// Laplacian of the position at rest, twice the mean curvature for an isometric deformation. A is the Voronoi area of
// the vertex, clamped for obtuse triangles (Meyer 2003, section 3.3). B = E t^3 / 12 (1 - nu^2): a plate of Young's
// modulus E; a cylinder of curvature k then has B/2 k^2 per area on every mesh.
//
// Corners: the vertex, then its neighbours in cyclic order; a closed ring, so only inner vertices bend. Those that are
// left over repeat the vertex and count for nothing.
#include "energy/spectral.h"

#include "energy/kernels.h"

#include <stdio.h>

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(bendingKernels);

static Rows shapeOf(const Energy *energy)
{
    return (Rows){ 1, energy->kind->corners, BENDING_EXTRA };
}

// cotangent of the angle at a between b and c
static double cotangent(Vec3 a, Vec3 b, Vec3 c)
{
    Vec3 u = vecSub(b, a), v = vecSub(c, a);
    return vecDot(u, v) / vecLength(vecCross(u, v));
}

// the share of triangle (a, b, c) that is nearest to a; of obtuse ones half or a quarter
static double voronoiShare(Vec3 a, Vec3 b, Vec3 c)
{
    double atA = cotangent(a, b, c), atB = cotangent(b, c, a), atC = cotangent(c, a, b);
    Vec3 ab = vecSub(b, a), ac = vecSub(c, a);
    double area = 0.5 * vecLength(vecCross(ab, ac));
    if (atA < 0)
        return area / 2;
    if (atB < 0 || atC < 0)
        return area / 4;
    return (atC * vecDot(ab, ab) + atB * vecDot(ac, ac)) / 8;
}

static void prepareElement(Energy *energy, const Recipe *recipe, int element)
{
    int block = element / LANES, lane = element % LANES, corners = energy->kind->corners, valence = 0;
    const int *vertices = laneVertices(energy, block);
    double *params = laneParams(energy, block), area = 0, cot[MAX_CORNERS] = { 0 };
    Vec3 at[MAX_CORNERS], origin = laneLoad(vertices, 0, lane, recipe->rest);
    for (int c = 1; c < corners && vertices[c * LANES + lane] != vertices[lane]; ++c)
        at[valence++] = laneLoad(vertices, c, lane, recipe->rest);
    for (int k = 0; k < valence; ++k)
    {
        int next = (k + 1) % valence;
        cot[k] += cotangent(at[next], origin, at[k]);
        cot[next] += cotangent(at[k], origin, at[next]);
        area += voronoiShare(origin, at[k], at[next]);
    }
    Vec3 v = vec3(0, 0, 0);
    double longest = 0;
    for (int c = 1; c < corners; ++c)
    {
        double coefficient = c <= valence ? cot[c - 1] / (2 * area) : 0;
        *rowsCoefficient(params, lane, shapeOf(energy), 0, c) = coefficient;
        if (c > valence)
            continue;
        Vec3 term = vecScale(coefficient, vecSub(at[c - 1], origin));
        v = vecAdd(v, term);
        longest = maxReal(longest, vecLength(term));
    }
    double nu = recipe->poisson, t = recipe->thickness;
    params[lane] = recipeStrength(energy, element, recipe) * (recipe->young * t * t * t / (12 * (1 - nu * nu)) * area);
    // a plane is flat to rounding: there the law has no tip
    double length = vecLength(v);
    params[BENDING_REST * LANES + lane] = length > 1e-12 * longest ? length : 0;
}

static void prepare(Energy *energy, const Recipe *recipe)
{
    for (int i = 0; i < energy->blockCount * LANES; ++i)
        prepareElement(energy, recipe, i);
}

// w (n n^T + (1 - rest / |v|) (I - n n^T))
static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    int width = 3 * energy->kind->corners;
    for (int lane = 0; lane < LANES; ++lane)
    {
        double w = laneParams(energy, block)[lane], rest = laneParams(energy, block)[BENDING_REST * LANES + lane];
        Vec3 v;
        rowsAt(energy, block * LANES + lane, x, shapeOf(energy), &v);
        double length = vecLength(v), across = rest == 0 ? 1 : length > 0 ? 1 - rest / length : 0, inner[9], n[3];
        across = mode == HESSIAN_SEMIDEFINITE ? maxReal(across, 0) : across;
        vecStore(n, length > 0 ? vecScale(1 / length, v) : vec3(1, 0, 0));
        for (int i = 0; i < 9; ++i)
            inner[i] = w * ((1 - across) * n[i / 3] * n[i % 3] + (i % 4 == 0 ? across : 0));
        rowsHessian(energy, block * LANES + lane, shapeOf(energy), inner, out + lane * width * width);
    }
}

static void majorizer(const Energy *energy, int block, double *out)
{
    rowsMajorizer(energy, block, shapeOf(energy), 1, out);
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    int vertex = laneVertices(energy, element / LANES)[element % LANES];
    Vec3 v;
    rowsAt(energy, element, x, shapeOf(energy), &v);
    snprintf(text, size, "%s %d: vertex %d, curvature %.4g 1/m, at rest %.4g 1/m", energy->kind->name, element, vertex,
             vecLength(v), energyGetParam(energy, element, BENDING_REST));
}

static const SweepKind narrowSweep = FEATURE_SWEEP(1, 1 + BENDING_EXTRA + 8, featureConstantsPlain);
static const SweepKind wideSweep = FEATURE_SWEEP(1, BENDING_EXTRA + MAX_CORNERS, featureConstantsPlain);

#define BENDING_KIND(word, count, its)                                                                                 \
    {                                                                                                                  \
        .name = word, .traits = TRAIT_INTERNAL | TRAIT_PROJECTIVE | TRAIT_SWEEP, .column = COLUMN_ELASTIC,             \
        .corners = count, .paramCount = 1 + BENDING_EXTRA + (count)-1, .lineCount = 6, .prepare = prepare,             \
        KERNEL_FUNCTIONS(kernels), .hessian = hessian, .majorizer = majorizer, .project = kernelProject,               \
        .sweep = &(its), .describe = describe                                                                          \
    }

// most vertices have at most 8 neighbours; the others pay for 15
const EnergyKind bendingKind = BENDING_KIND("bending", 9, narrowSweep);
const EnergyKind wideBendingKind = BENDING_KIND("wide-bending", MAX_CORNERS, wideSweep);
