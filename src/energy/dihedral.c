// Bending by the angle between two triangles, k/2 (phi - clamp(phi, low, high))^2 with phi = 2 sin(theta/2), theta the
// angle between their normals: of a sheet low and high are the phi at rest, of a hinge what it may do freely (Grinspun
// 2003, the measure bounded so that folded sheets stay finite). Unlike mean curvature it knows the sign: a shell that
// is curved at rest does not snap through for free. k = B |e|^2 / (A1 + A2), B = E t^3 / 12 (1 - nu^2): on equilateral
// triangles a cylinder has B/2 kappa^2 per area whatever its direction, as sum theta^2 over the three edges of a vertex
// is (height kappa)^2 for all of them.
//
// Corners: the edge, then the vertices across from it. Not a projection: local/global uses the rest shape's g g^T, with
// a tenth of it in all directions for what the curvature of phi adds.
//
// Its damper is beta k/2 (dphi/dt)^2 with the gradient of phi frozen where `begin` says (damper.c).
#include "energy/spectral.h"

#include "energy/jet.h"
#include "energy/kernels.h"
#include "energy/yield.h"

#include <stdio.h>
#include <string.h>

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(dihedralKernels);
static const ElementKernels *const rateKernels[ISA_COUNT] = KERNELS_BY_ISA(dihedralDamperKernels);

typedef struct Hinge
{
    Vec3 e, a, b;   // edge, and to the vertices across, from corner 0
    Vec3 n1, n2;    // normals, twice the areas long
    double length;  // of the edge
    double phi;     //
    double cosHalf; // d phi / d theta
} Hinge;

static Hinge hingeOf(Vec3 e, Vec3 a, Vec3 b)
{
    Hinge h = { .e = e, .a = a, .b = b, .n1 = vecCross(e, a), .n2 = vecCross(b, e), .length = vecLength(e) };
    double n = vecLength(h.n1) * vecLength(h.n2), c = vecDot(h.n1, h.n2), det = vecDot(e, vecCross(a, b));
    double folded = n * maxReal(n + c, 1e-14 * n); // folded onto itself: phi is 2, its sign that of the determinant
    h.phi = folded > 0 ? -sqrt(2) * h.length * det / sqrt(folded) : 0;
    h.phi = maxReal(-2, minReal(2, h.phi));
    h.cosHalf = sqrt(maxReal(0, 1 - 0.25 * h.phi * h.phi));
    return h;
}

static Hinge hingeAt(const Energy *energy, int element, const double *x)
{
    const int *v = laneVertices(energy, element / LANES);
    int lane = element % LANES;
    Vec3 o = laneLoad(v, 0, lane, x);
    return hingeOf(vecSub(laneLoad(v, 1, lane, x), o), vecSub(laneLoad(v, 2, lane, x), o),
                   vecSub(laneLoad(v, 3, lane, x), o));
}

double hingePhi(const Energy *energy, int element, const double *x)
{
    return hingeAt(energy, element, x).phi;
}

// d theta / dx = first (x) n1 / |n1| + second (x) n2 / |n2|, four coefficients each; 0 for collapsed triangles
static void slopes(const Hinge *h, double first[4], double second[4])
{
    double square = h->length * h->length, l1 = vecLength(h->n1), l2 = vecLength(h->n2);
    double along1 = square > 0 ? vecDot(h->a, h->e) / square : 0, along2 = square > 0 ? vecDot(h->b, h->e) / square : 0;
    double s1 = l1 > 0 ? -h->length / l1 : 0, s2 = l2 > 0 ? -h->length / l2 : 0;
    first[0] = -(1 - along1) * s1;
    first[1] = -along1 * s1;
    first[2] = s1;
    first[3] = 0;
    second[0] = -(1 - along2) * s2;
    second[1] = -along2 * s2;
    second[2] = 0;
    second[3] = s2;
}

static void prepare(Energy *energy, const Recipe *recipe)
{
    double t = recipe->thickness, plate = recipe->young * t * t * t / (12 * (1 - recipe->poisson * recipe->poisson));
    for (int i = 0; i < energy->blockCount * LANES; ++i)
    {
        double *params = laneParams(energy, i / LANES) + i % LANES, first[4], second[4], size = 0;
        Hinge h = hingeAt(energy, i, recipe->rest);
        slopes(&h, first, second);
        params[HINGE_STIFFNESS] = recipeStrength(energy, i, recipe) * (plate * h.length * h.length) /
                                  (0.5 * vecLength(h.n1) + 0.5 * vecLength(h.n2));
        params[HINGE_LOW * LANES] = params[HINGE_HIGH * LANES] = fabs(h.phi) > 1e-13 ? h.phi : 0;
        // (n1.u + n2.v)^2 <= (c + s) (c |u + v|^2 + s |u - v|^2) with c and s of half the angle
        double s = 0.5 * fabs(h.phi), c = h.cosHalf;
        for (int k = 0; k < 4; ++k)
        {
            params[(HINGE_ROWS + k) * LANES] = sqrt(1.1 * (c + s) * c) * (first[k] + second[k]);
            params[(HINGE_ROWS + 4 + k) * LANES] = sqrt(1.1 * (c + s) * s) * (first[k] - second[k]);
            size += first[k] * first[k] + second[k] * second[k];
        }
        params[(HINGE_ROWS + 8) * LANES] = 0.1 * size;
    }
}

static double beyond(const double *params, double phi)
{
    return phi - maxReal(params[HINGE_LOW * LANES], minReal(params[HINGE_HIGH * LANES], phi));
}

// -sqrt 2 |e| det / sqrt(N (N + n1.n2)) as in hingeOf
static Jet jetPhi(const Hinge *h)
{
    double at[9];
    vecStore(at, h->e);
    vecStore(at + 3, h->a);
    vecStore(at + 6, h->b);
    Jet x[9], n1[3], n2[3], ab[3];
    for (int k = 0; k < 9; ++k)
        x[k] = jetVariable(at[k], k);
    jetCross(x, x + 3, n1);
    jetCross(x + 6, x, n2);
    jetCross(x + 3, x + 6, ab);
    Jet n = jetRoot(jetProduct(jetDot(n1, n1), jetDot(n2, n2)));
    Jet folded = jetProduct(n, jetSum(1, n, 1, jetDot(n1, n2)));
    Jet above = jetProduct(jetRoot(jetDot(x, x)), jetDot(x, ab));
    Jet phi = jetProduct(above, jetInverse(jetRoot(folded)));
    return jetSum(-sqrt(2), phi, 0, phi);
}

static void elementHessian(const Hinge *h, const double *params, HessianMode mode, double *out)
{
    double inner[81], work[162], n = vecLength(h->n1) * vecLength(h->n2), k = params[HINGE_STIFFNESS],
                                 off = beyond(params, h->phi);
    bool free = params[HINGE_LOW * LANES] < params[HINGE_HIGH * LANES] && off == 0;
    memset(out, 0, 144 * sizeof(double));
    if (k == 0 || free ||
        !(n + vecDot(h->n1, h->n2) > 1e-10 * n)) // folded or collapsed: the measure has a kink, no curvature
        return;
    Jet phi = jetPhi(h);
    for (int i = 0; i < 81; ++i)
        inner[i] = k * (phi.g[i / 9] * phi.g[i % 9] + off * phi.h[i / 9][i % 9]);
    for (int i = 0; i < 81; ++i)
        inner[i] = i / 9 < i % 9 ? inner[i % 9 * 9 + i / 9] = 0.5 * (inner[i] + inner[i % 9 * 9 + i / 9]) : inner[i];
    if (mode == HESSIAN_SEMIDEFINITE)
        clampSymmetric(inner, 9, work);
    // corner 0 is minus the others
    for (int r = 0; r < 9; ++r)
    {
        for (int s = 0; s < 9; ++s)
        {
            double value = inner[r * 9 + s];
            out[(3 + r) * 12 + 3 + s] += value;
            out[(r % 3) * 12 + 3 + s] -= value;
            out[(3 + r) * 12 + s % 3] -= value;
            out[(r % 3) * 12 + s % 3] += value;
        }
    }
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    for (int lane = 0; lane < LANES; ++lane)
    {
        const double *params = laneParams(energy, block) + lane;
        Hinge h = hingeAt(energy, block * LANES + lane, x);
        elementHessian(&h, params, mode, out + lane * 144);
    }
}

static void majorizer(const Energy *energy, int block, double *out)
{
    for (int i = 0; i < LANES * 16; ++i)
    {
        int lane = i / 16, a = i % 16 / 4, b = i % 4;
        const double *params = laneParams(energy, block) + lane, *row = params + HINGE_ROWS * LANES;
        double sum = row[a * LANES] * row[b * LANES] + row[(4 + a) * LANES] * row[(4 + b) * LANES];
        out[i] = params[HINGE_STIFFNESS] * (sum + row[8 * LANES] * ((a == b) - 0.25));
    }
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    const int *v = laneVertices(energy, element / LANES) + element % LANES;
    snprintf(text, size, "dihedral %d: edge %d %d, vertices across %d %d, 2 sin(angle/2) %.4g, at rest %.4g", element,
             v[0], v[LANES], v[2 * LANES], v[3 * LANES], hingeAt(energy, element, x).phi,
             energyGetParam(energy, element, HINGE_LOW));
}

void hingeSet(Energy *energy, int element, double stiffness, double low, double high)
{
    energySetParam(energy, element, HINGE_STIFFNESS, stiffness);
    energySetParam(energy, element, HINGE_LOW, low);
    energySetParam(energy, element, HINGE_HIGH, high);
}

// ---- the sweep ------------------------------------------------------------------------------------------------------

static void sweepConstants(const Energy *energy, int element, const SweepMass *mass, double h, double *out)
{
    const double *params = laneParams(energy, element / LANES) + element % LANES;
    for (int k = 0; k < HINGE_ROWS; ++k)
        out[k] = params[k * LANES];
    out[HINGE_COMPLIANCE] = params[HINGE_STIFFNESS] > 0 ? sweepCompliance(params[HINGE_STIFFNESS], h) : -1;
    double shared = 0, whole = 0;
    for (int c = 0; c < 4; ++c)
    {
        double a = params[(HINGE_ROWS + c) * LANES], b = params[(HINGE_ROWS + 4 + c) * LANES], square = a * a + b * b;
        shared += mass->overlap[c] * square;
        whole += mass->inverse[c] * square;
    }
    out[HINGE_OVERLAP] = whole > 0 ? shared / whole : 0;
}

static const SweepKind hingeSweep = {
    .rows = 1, .constantCount = HINGE_CONSTANTS, .constants = sweepConstants, .batches = kernelBatches
};

const EnergyKind dihedralKind = {
    .name = "dihedral",
    .traits = TRAIT_INTERNAL | TRAIT_SWEEP,
    .column = COLUMN_ELASTIC,
    .corners = 4,
    .paramCount = HINGE_PARAMS,
    .lineCount = 18,
    .local = true,
    .prepare = prepare,
    KERNEL_FUNCTIONS(kernels),
    .hessian = hessian,
    .majorizer = majorizer,
    .sweep = &hingeSweep,
    .yields = &hingeYield,
    .describe = describe,
};

// ---- the damper -----------------------------------------------------------------------------------------------------

static void freeze(Energy *energy, const double *x, int begin, int end)
{
    static const FreezeKernels *const freezes[ISA_COUNT] = KERNELS_BY_ISA(dihedralFreezes);
    freezes[energy->isa]->freeze(energy, x, begin, end);
}

static void prepareRates(Energy *energy, const Recipe *recipe)
{
    prepare(energy, recipe);
    freeze(energy, recipe->rest, 0, energy->blockCount);
}

// d phi by the corners
static void frozenAt(const Energy *energy, int element, double out[12])
{
    for (int i = 0; i < 3; ++i)
        out[i] = 0;
    for (int i = 0; i < 9; ++i)
    {
        out[3 + i] = energyGetParam(energy, element, HINGE_FROZEN + i);
        out[i % 3] -= out[3 + i];
    }
}

static void rateHessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    (void)x;
    (void)mode;
    for (int lane = 0; lane < LANES; ++lane)
    {
        double g[12], k = laneParams(energy, block)[lane];
        frozenAt(energy, block * LANES + lane, g);
        for (int i = 0; i < 144; ++i)
            out[lane * 144 + i] = k * g[i / 12] * g[i % 12];
    }
}

static void rateDescribe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    const int *v = laneVertices(energy, element / LANES) + element % LANES;
    double g[12], rate = 0;
    frozenAt(energy, element, g);
    for (int i = 0; i < 12; ++i)
        rate += g[i] * x[3 * (ptrdiff_t)v[i / 3 * LANES] + i % 3];
    snprintf(text, size, "%s %d: takes %.4g W, edge %d %d", energy->kind->name, element,
             energyGetParam(energy, element, HINGE_STIFFNESS) * rate * rate, v[0], v[LANES]);
}

const EnergyKind dihedralDamperKind = {
    .name = "dihedral-damper",
    .traits = TRAIT_DISSIPATIVE,
    .column = COLUMN_NONE,
    .corners = 4,
    .paramCount = HINGE_FROZEN + 9,
    .lineCount = 18,
    .local = true,
    .prepare = prepareRates,
    .freeze = freeze,
    KERNEL_FUNCTIONS(rateKernels),
    .hessian = rateHessian,
    .majorizer = majorizer,
    .describe = rateDescribe,
};
