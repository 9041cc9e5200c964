// Bending by mean curvature at a vertex with its ring of neighbours, B/2 A (|v| - |v_rest|)^2 (Bouaziz 2014, Eq 19 to
// 21; closed form of appendix A, Eq 28): v = sum over the ring of (cot alpha + cot beta) (x_c - x_0) / 2A is the
// Laplacian of the position at rest, twice the mean curvature for an isometric deformation. A is the Voronoi area of
// the vertex, clamped for obtuse triangles (Meyer 2003, section 3.3). B = E t^3 / 12 (1 - nu^2): a plate of Young's
// modulus E; a cylinder of curvature k then has B/2 k^2 per area on every mesh.
//
// Corners: the vertex, then its neighbours in cyclic order; a closed ring, so only inner vertices bend. Those that are
// left over repeat the vertex and count for nothing.
//
// Its damper is beta w/2 (dk/dt)^2, k = v.N the curvature along the normal N of the ring: the gradient of k is frozen
// where `begin` says (damper.c). k does not change in rigid motion, so that nothing rigid is damped and both momenta
// stay; at rest it is beta times the Hessian, but for what bending resists within the plane. N = p x q / |p x q| of two
// more rows of A, the second moments of the ring, so that k' = N.v' + v_t.N' is linear in the three rows of rates, v_t
// what v has along the sheet. Rings that are curved at rest have |v| in the place of k.
#include "energy/spectral.h"

#include "energy/kernels.h"

#include <stdio.h>

#define CURVED 0.05 // of 1 / the size of a ring: the curvature at rest from which on |v| is what damping acts on

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(bendingKernels);
static const ElementKernels *const rateKernels[ISA_COUNT] = KERNELS_BY_ISA(bendingDamperKernels);

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

// a ring at rest
typedef struct Ring
{
    int valence;
    Vec3 edge[MAX_CORNERS];          // to the neighbours
    double coefficient[MAX_CORNERS]; // of the edges in v, 1/m^2
    double weight;                   // J m^2
    double curvature;                // 1/m, |v|; of a plane 0
    double longest;                  // 1/m, of the terms of v
} Ring;

static Ring ringOf(const Energy *energy, const Recipe *recipe, int element)
{
    int block = element / LANES, lane = element % LANES, corners = energy->kind->corners, valence = 0;
    const int *vertices = laneVertices(energy, block);
    Ring ring = { 0 };
    double area = 0, cot[MAX_CORNERS] = { 0 };
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
    for (int k = 0; k < valence; ++k)
    {
        ring.edge[k] = vecSub(at[k], origin);
        ring.coefficient[k] = cot[k] / (2 * area);
        Vec3 term = vecScale(ring.coefficient[k], ring.edge[k]);
        v = vecAdd(v, term);
        ring.longest = maxReal(ring.longest, vecLength(term));
    }
    double nu = recipe->poisson, t = recipe->thickness, length = vecLength(v);
    ring.valence = valence;
    ring.weight = recipeStrength(energy, element, recipe) * (recipe->young * t * t * t / (12 * (1 - nu * nu)) * area);
    // a plane is flat to rounding: there the law has no tip
    ring.curvature = length > 1e-12 * ring.longest ? length : 0;
    return ring;
}

static void prepareElement(Energy *energy, const Recipe *recipe, int element)
{
    int lane = element % LANES;
    double *params = laneParams(energy, element / LANES);
    Ring ring = ringOf(energy, recipe, element);
    for (int c = 1; c < energy->kind->corners; ++c)
        *rowsCoefficient(params, lane, shapeOf(energy), 0, c) = ring.coefficient[c - 1];
    params[lane] = ring.weight;
    params[BENDING_REST * LANES + lane] = ring.curvature;
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
        .corners = count, .paramCount = 1 + BENDING_EXTRA + (count)-1, .lineCount = 6, .local = true,                  \
        .prepare = prepare, KERNEL_FUNCTIONS(kernels), .hessian = hessian, .majorizer = majorizer,                     \
        .project = kernelProject, .sweep = &(its), .describe = describe                                                \
    }

// most vertices have at most 8 neighbours; the others pay for 15
const EnergyKind bendingKind = BENDING_KIND("bending", 9, narrowSweep);
const EnergyKind wideBendingKind = BENDING_KIND("wide-bending", MAX_CORNERS, wideSweep);

// ---- the damper -----------------------------------------------------------------------------------------------------

static Rows rateShape(const Energy *energy)
{
    return (Rows){ 3, energy->kind->corners, RATE_EXTRA };
}

// v and the moments of the ring along two axes of the sheet, which count for a tenth beside it in the majorizer
static void prepareRate(Energy *energy, const Recipe *recipe, int element)
{
    int lane = element % LANES;
    double *params = laneParams(energy, element / LANES), along[2][MAX_CORNERS] = { { 0 } }, squares = 0, moments = 0;
    Ring ring = ringOf(energy, recipe, element);
    Vec3 normal = vec3(0, 0, 0), axis[2] = { ring.edge[0] };
    for (int k = 0; k < ring.valence; ++k)
        normal = vecAdd(normal, vecCross(ring.edge[k], ring.edge[(k + 1) % ring.valence]));
    axis[1] = vecScale(1 / vecLength(normal), vecCross(normal, axis[0]));
    for (int k = 0; k < ring.valence; ++k)
    {
        squares += ring.coefficient[k] * ring.coefficient[k];
        for (int j = 0; j < 2; ++j)
        {
            along[j][k] = vecDot(axis[j], ring.edge[k]);
            moments += along[j][k] * along[j][k];
        }
    }
    double scale = moments > 0 ? sqrt((RATE_BOUND - 1) * squares / moments) : 0;
    for (int c = 1; c < energy->kind->corners; ++c)
    {
        *rowsCoefficient(params, lane, rateShape(energy), 0, c) = ring.coefficient[c - 1];
        *rowsCoefficient(params, lane, rateShape(energy), 1, c) = scale * along[0][c - 1];
        *rowsCoefficient(params, lane, rateShape(energy), 2, c) = scale * along[1][c - 1];
    }
    params[lane] = ring.weight;
    params[BENDING_REST * LANES + lane] = ring.curvature > CURVED * ring.longest ? ring.curvature : 0;
}

static void freeze(Energy *energy, const double *x, int begin, int end)
{
    static const FreezeKernels *const freezes[ISA_COUNT] = KERNELS_BY_ISA(bendingFreezes);
    freezes[energy->isa]->freeze(energy, x, begin, end);
}

static void prepareRates(Energy *energy, const Recipe *recipe)
{
    for (int i = 0; i < energy->blockCount * LANES; ++i)
        prepareRate(energy, recipe, i);
    freeze(energy, recipe->rest, 0, energy->blockCount);
}

static void rateHessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    int width = 3 * energy->kind->corners;
    (void)x;
    (void)mode;
    for (int lane = 0; lane < LANES; ++lane)
    {
        const double *params = laneParams(energy, block) + lane, *frozen = params + RATE_FROZEN * LANES;
        double inner[81];
        for (int i = 0; i < 81; ++i)
            inner[i] = params[0] * frozen[i / 9 * LANES] * frozen[i % 9 * LANES];
        rowsHessian(energy, block * LANES + lane, rateShape(energy), inner, out + lane * width * width);
    }
}

static void rateMajorizer(const Energy *energy, int block, double *out)
{
    rowsMajorizer(energy, block, rateShape(energy), RATE_BOUND, out);
}

static void rateDescribe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    Vec3 z[3];
    double rate = 0, at[9];
    rowsAt(energy, element, x, rateShape(energy), z);
    for (int i = 0; i < 3; ++i)
        vecStore(at + 3 * i, z[i]);
    for (int i = 0; i < 9; ++i)
        rate += energyGetParam(energy, element, RATE_FROZEN + i) * at[i];
    snprintf(text, size, "%s %d: takes %.4g W, vertex %d", energy->kind->name, element,
             energyGetParam(energy, element, 0) * rate * rate, laneVertices(energy, element / LANES)[element % LANES]);
}

#define BENDING_DAMPER(word, count)                                                                                    \
    {                                                                                                                  \
        .name = word, .traits = TRAIT_DISSIPATIVE, .column = COLUMN_NONE, .corners = count,                            \
        .paramCount = 1 + RATE_EXTRA + 3 * ((count)-1), .lineCount = 18, .local = true, .prepare = prepareRates,       \
        .freeze = freeze, KERNEL_FUNCTIONS(rateKernels), .hessian = rateHessian, .majorizer = rateMajorizer,           \
        .describe = rateDescribe                                                                                       \
    }

const EnergyKind bendingDamperKind = BENDING_DAMPER("bending-damper", 9);
const EnergyKind wideBendingDamperKind = BENDING_DAMPER("wide-bending-damper", MAX_CORNERS);
