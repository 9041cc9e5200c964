// A spring between points of two bodies, k/2 (|d| - l)^2 with d = sum c_a x_a the difference of two means of vertices.
// As Hooke's spring (spring.c) it is projective: k/2 |d - p|^2 with p the nearest point of the sphere of radius l. Its
// forces act along d at both points: they have no moment, whatever the shares are.
#include "energy/link.h"

#include "energy/kernels.h"
#include "energy/pair.h"

static double share(const Energy *energy, int element, int corner)
{
    return laneParams(energy, element / LANES)[(LINK_SHARE + corner) * LANES + element % LANES];
}

Vec3 linkApart(const Energy *energy, int element, const double *x)
{
    const int *vertices = laneVertices(energy, element / LANES);
    Vec3 end[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
    for (int c = 0; c < LINK_CORNERS; ++c)
    {
        Vec3 *sum = &end[linkEnd(c)];
        *sum = vecAdd(*sum, vecScale(share(energy, element, c), laneLoad(vertices, c, element % LANES, x)));
    }
    return vecAdd(end[1], end[0]);
}

void linkSet(Energy *energy, int element, double stiffness, double restLength, const double *shares)
{
    energySetParam(energy, element, LINK_STIFFNESS, stiffness);
    energySetParam(energy, element, LINK_LENGTH, restLength);
    for (int c = 0; c < LINK_CORNERS; ++c)
        energySetParam(energy, element, LINK_SHARE + c, shares[c]);
}

static void prepare(Energy *energy, const Recipe *recipe)
{
    (void)energy; // linkSet does
    (void)recipe;
}

static double stiffnessOf(const Energy *energy, int element)
{
    return laneParams(energy, element / LANES)[element % LANES];
}

static double lengthOf(const Energy *energy, int element)
{
    return laneParams(energy, element / LANES)[LINK_LENGTH * LANES + element % LANES];
}

static double valueAt(const Energy *energy, int element, Vec3 d)
{
    double stretch = vecLength(d) - lengthOf(energy, element);
    return 0.5 * stiffnessOf(energy, element) * stretch * stretch;
}

static void storeForce(Energy *energy, int element, Vec3 force)
{
    for (int c = 0; c < LINK_CORNERS; ++c)
        vecStore(elementSlots(energy, element) + 3 * c, vecScale(share(energy, element, c), force));
}

static void values(Energy *energy, const double *x, int begin, int end)
{
    for (int e = begin * LANES; e < end * LANES; ++e)
        energy->value[e] = valueAt(energy, e, linkApart(energy, e, x));
}

// k (1 - l/r) d
static void gradient(Energy *energy, const double *x, int begin, int end)
{
    for (int e = begin * LANES; e < end * LANES; ++e)
    {
        Vec3 d = linkApart(energy, e, x);
        double r = vecLength(d), k = stiffnessOf(energy, e), l = lengthOf(energy, e);
        storeForce(energy, e, r > 0 ? vecScale(k * (1 - l / r), d) : vec3(k * (r - l), 0, 0));
    }
}

// p = l d/|d|
static void project(Energy *energy, const double *x, int begin, int end)
{
    for (int e = begin * LANES; e < end * LANES; ++e)
    {
        Vec3 d = linkApart(energy, e, x);
        double r = vecLength(d), pull = stiffnessOf(energy, e) * lengthOf(energy, e);
        storeForce(energy, e, r > 0 ? vecScale(pull / r, d) : vec3(pull, 0, 0));
    }
}

static void lineStart(Energy *energy, const double *x, const double *d, int begin, int end)
{
    for (int e = begin * LANES; e < end * LANES; ++e)
    {
        laneStore(laneLine(energy, e / LANES), 0, e % LANES, linkApart(energy, e, x));
        laneStore(laneLine(energy, e / LANES), 1, e % LANES, linkApart(energy, e, d));
    }
}

static void lineValues(Energy *energy, double alpha, int begin, int end)
{
    for (int e = begin * LANES; e < end * LANES; ++e)
    {
        const double *line = laneLine(energy, e / LANES) + e % LANES;
        double d[3];
        for (int a = 0; a < 3; ++a)
            d[a] = line[a * LANES] + alpha * line[(3 + a) * LANES];
        energy->value[e] = valueAt(energy, e, vecLoad(d));
    }
}

// by d: k n n^T + k (1 - l/r) (I - n n^T), both clamped for the semidefinite form
static void linkHessian(const Energy *energy, int element, Vec3 d, HessianMode mode, double *h)
{
    double r = vecLength(d), k = stiffnessOf(energy, element), l = lengthOf(energy, element), n[3];
    double across = r > 0 ? k * (1 - l / r) : l > 0 ? 0 : k;
    if (mode == HESSIAN_SEMIDEFINITE)
        across = maxReal(across, 0);
    vecStore(n, pairDirection(d, r));
    for (int i = 0; i < 9; ++i)
        h[i] = (k - across) * n[i / 3] * n[i % 3] + (i % 4 == 0 ? across : 0);
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    enum
    {
        WIDTH = 3 * LINK_CORNERS
    };
    for (int lane = 0; lane < LANES; ++lane)
    {
        int element = block * LANES + lane;
        double h[9], *matrix = out + (ptrdiff_t)lane * WIDTH * WIDTH;
        linkHessian(energy, element, linkApart(energy, element, x), mode, h);
        for (int k = 0; k < LINK_CORNERS * LINK_CORNERS; ++k)
        {
            int p = k / LINK_CORNERS, q = k % LINK_CORNERS;
            double both = share(energy, element, p) * share(energy, element, q);
            for (int i = 0; i < 9; ++i)
                matrix[(3 * p + i / 3) * WIDTH + 3 * q + i % 3] = both * h[i];
        }
    }
}

// k c c^T
static void majorizer(const Energy *energy, int block, double *out)
{
    for (int i = 0; i < LANES * LINK_CORNERS * LINK_CORNERS; ++i)
    {
        int element = block * LANES + i / (LINK_CORNERS * LINK_CORNERS), k = i % (LINK_CORNERS * LINK_CORNERS);
        out[i] = stiffnessOf(energy, element) * share(energy, element, k / LINK_CORNERS) *
                 share(energy, element, k % LINK_CORNERS);
    }
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    const int *vertices = laneVertices(energy, element / LANES) + element % LANES;
    snprintf(text, size,
             "link %d: points near vertices %d and %d, stiffness %.4g N/m, length %.4g m, rest length %.4g m", element,
             vertices[0], vertices[LANES], stiffnessOf(energy, element), vecLength(linkApart(energy, element, x)),
             lengthOf(energy, element));
}

const EnergyKind linkKind = {
    .name = "link",
    .traits = TRAIT_INTERNAL | TRAIT_PROJECTIVE | TRAIT_SWEEP,
    .column = COLUMN_ELASTIC,
    .corners = LINK_CORNERS,
    .paramCount = LINK_PARAMS,
    .lineCount = PAIR_LINE,
    .prepare = prepare,
    .values = values,
    .gradient = gradient,
    .lineStart = lineStart,
    .lineValues = lineValues,
    .hessian = hessian,
    .majorizer = majorizer,
    .project = project,
    .sweep = &linkSweep,
    .describe = describe,
};
