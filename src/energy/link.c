// A spring between points of two bodies, k/2 (|d| - l)^2 with d = sum c_a x_a the difference of two means of vertices.
// As Hooke's spring (spring.c) it is projective: k/2 |d - p|^2 with p the nearest point of the sphere of radius l. Its
// forces act along d at both points: they have no moment, whatever the shares are.
//
// Where the second point slides, d = b + t N - a with N = sum n_a x_a along the line and t such that d is across it.
// The derivative by t is none, so that the forces are those of a spring to the point where it is, with shares c + t n.
#include "energy/link.h"

#include "energy/kernels.h"
#include "energy/pair.h"

#define LINK_LINE 12 // numbers of a line of positions: d and N where it starts, and how they change

static double share(const Energy *energy, int element, int corner)
{
    return laneParams(energy, element / LANES)[(LINK_SHARE + corner) * LANES + element % LANES];
}

static bool slides(const Energy *energy, int element)
{
    return laneParams(energy, element / LANES)[LINK_SLIDES * LANES + element % LANES] != 0;
}

// of the line; those of the first end are none
static double alongOf(const Energy *energy, int element, int corner)
{
    int k = corner < 2 ? 0 : corner - LINK_END;
    return linkEnd(corner) == 0 ? 0 : laneParams(energy, element / LANES)[(LINK_ALONG + k) * LANES + element % LANES];
}

// both without a part that slides
typedef struct Apart
{
    Vec3 d, line;
} Apart;

static Apart apartOf(const Energy *energy, int element, const double *x)
{
    const int *vertices = laneVertices(energy, element / LANES);
    Vec3 end[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
    Apart apart = { .line = { 0, 0, 0 } };
    bool lies = slides(energy, element);
    for (int c = 0; c < LINK_CORNERS; ++c)
    {
        Vec3 *sum = &end[linkEnd(c)], at = laneLoad(vertices, c, element % LANES, x);
        *sum = vecAdd(*sum, vecScale(share(energy, element, c), at));
        if (lies)
            apart.line = vecAdd(apart.line, vecScale(alongOf(energy, element, c), at));
    }
    apart.d = vecAdd(end[1], end[0]);
    return apart;
}

// t: how far the second end has slid
static double slidOf(const Apart *apart)
{
    double square = vecDot(apart->line, apart->line);
    return square > 0 ? -vecDot(apart->d, apart->line) / square : 0;
}

static Vec3 acrossOf(const Apart *apart)
{
    return vecAdd(apart->d, vecScale(slidOf(apart), apart->line));
}

Vec3 linkApart(const Energy *energy, int element, const double *x)
{
    Apart apart = apartOf(energy, element, x);
    return acrossOf(&apart);
}

Vec3 linkShares(const Energy *energy, int element, const double *x, double *shares)
{
    Apart apart = { .line = { 0, 0, 0 } };
    double slid = 0;
    if (slides(energy, element))
    {
        apart = apartOf(energy, element, x);
        slid = slidOf(&apart);
    }
    for (int c = 0; c < LINK_CORNERS; ++c)
        shares[c] = share(energy, element, c) + slid * alongOf(energy, element, c);
    double length = vecLength(apart.line);
    return length > 0 ? vecScale(1 / length, apart.line) : vec3(0, 0, 0);
}

void linkSet(Energy *energy, int element, double stiffness, double restLength, double side, const double *shares,
             const double *along)
{
    energySetParam(energy, element, LINK_SIDE, side);
    energySetParam(energy, element, LINK_STIFFNESS, stiffness);
    energySetParam(energy, element, LINK_LENGTH, restLength);
    energySetParam(energy, element, LINK_SLIDES, along != NULL);
    for (int c = 0; c < LINK_CORNERS; ++c)
        energySetParam(energy, element, LINK_SHARE + c, shares[c]);
    for (int k = 0; k < LINK_END; ++k)
        energySetParam(energy, element, LINK_ALONG + k, along != NULL ? along[k] : 0);
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

// it only pulls, or only pushes, and does not now
static bool isSlack(const Energy *energy, int element, double length)
{
    double side = laneParams(energy, element / LANES)[LINK_SIDE * LANES + element % LANES];
    return side * (length - lengthOf(energy, element)) < 0;
}

static double valueAt(const Energy *energy, int element, Vec3 d)
{
    double length = vecLength(d), stretch = isSlack(energy, element, length) ? 0 : length - lengthOf(energy, element);
    return 0.5 * stiffnessOf(energy, element) * stretch * stretch;
}

static void storeForce(Energy *energy, int element, const double *shares, Vec3 force)
{
    for (int c = 0; c < LINK_CORNERS; ++c)
        vecStore(elementSlots(energy, element) + 3 * c, vecScale(shares[c], force));
}

static void values(Energy *energy, const double *x, int begin, int end)
{
    for (int e = begin * LANES; e < end * LANES; ++e)
        energy->value[e] = valueAt(energy, e, linkApart(energy, e, x));
}

static Vec3 forceAt(const Energy *energy, int element, Vec3 d) // k (1 - l/r) d
{
    double r = vecLength(d), l = lengthOf(energy, element);
    double k = isSlack(energy, element, r) ? 0 : stiffnessOf(energy, element);
    return r > 0 ? vecScale(k * (1 - l / r), d) : vec3(k * (r - l), 0, 0);
}

static void gradient(Energy *energy, const double *x, int begin, int end)
{
    double shares[LINK_CORNERS];
    for (int e = begin * LANES; e < end * LANES; ++e)
    {
        linkShares(energy, e, x, shares);
        storeForce(energy, e, shares, forceAt(energy, e, linkApart(energy, e, x)));
    }
}

// what a sliding end leaves: the majorizer times x, less the gradient
static void projectSliding(Energy *energy, int e, const double *x)
{
    double shares[LINK_CORNERS];
    Apart apart = apartOf(energy, e, x);
    Vec3 force = forceAt(energy, e, acrossOf(&apart)), whole = vecScale(stiffnessOf(energy, e), apart.d);
    linkShares(energy, e, x, shares);
    for (int c = 0; c < LINK_CORNERS; ++c)
        vecStore(elementSlots(energy, e) + 3 * c,
                 vecSub(vecScale(share(energy, e, c), whole), vecScale(shares[c], force)));
}

// p = l d/|d|, or d where it resists nothing
static void project(Energy *energy, const double *x, int begin, int end)
{
    double shares[LINK_CORNERS];
    for (int e = begin * LANES; e < end * LANES; ++e)
    {
        if (slides(energy, e))
        {
            projectSliding(energy, e, x);
            continue;
        }
        Vec3 d = linkApart(energy, e, x);
        double r = vecLength(d), pull = stiffnessOf(energy, e) * (isSlack(energy, e, r) ? r : lengthOf(energy, e));
        linkShares(energy, e, x, shares);
        storeForce(energy, e, shares, r > 0 ? vecScale(pull / r, d) : vec3(pull, 0, 0));
    }
}

static void lineStart(Energy *energy, const double *x, const double *d, int begin, int end)
{
    for (int e = begin * LANES; e < end * LANES; ++e)
    {
        Apart at = apartOf(energy, e, x), change = apartOf(energy, e, d);
        double *line = laneLine(energy, e / LANES);
        laneStore(line, 0, e % LANES, at.d);
        laneStore(line, 1, e % LANES, change.d);
        laneStore(line, 2, e % LANES, at.line);
        laneStore(line, 3, e % LANES, change.line);
    }
}

static void lineValues(Energy *energy, double alpha, int begin, int end)
{
    for (int e = begin * LANES; e < end * LANES; ++e)
    {
        const double *line = laneLine(energy, e / LANES) + e % LANES;
        double d[3], n[3];
        for (int a = 0; a < 3; ++a)
        {
            d[a] = line[a * LANES] + alpha * line[(3 + a) * LANES];
            n[a] = line[(6 + a) * LANES] + alpha * line[(9 + a) * LANES];
        }
        Apart apart = { vecLoad(d), vecLoad(n) };
        energy->value[e] = valueAt(energy, e, acrossOf(&apart));
    }
}

// by d: k n n^T + k (1 - l/r) (I - n n^T), both clamped for the semidefinite form
static void linkHessian(const Energy *energy, int element, Vec3 d, HessianMode mode, double *h)
{
    double r = vecLength(d), k = stiffnessOf(energy, element), l = lengthOf(energy, element), n[3];
    double across = r > 0 ? k * (1 - l / r) : l > 0 ? 0 : k;
    if (isSlack(energy, element, r))
        k = across = 0;
    if (mode == HESSIAN_SEMIDEFINITE)
        across = maxReal(across, 0);
    vecStore(n, pairDirection(d, r));
    for (int i = 0; i < 9; ++i)
        h[i] = (k - across) * n[i / 3] * n[i % 3] + (i % 4 == 0 ? across : 0);
}

// k (e e - g g / |N|^2), with e how d moves at the point where it is and g = N.e + d.(how N moves). Without the last it
// is semidefinite.
static void slidingHessian(const Energy *energy, int element, const double *x, HessianMode mode, double *matrix)
{
    enum
    {
        WIDTH = 3 * LINK_CORNERS
    };
    double shares[LINK_CORNERS], k = stiffnessOf(energy, element), g[WIDTH];
    Apart apart = apartOf(energy, element, x);
    Vec3 n = linkShares(energy, element, x, shares), d = acrossOf(&apart);
    double length = vecLength(apart.line);
    for (int c = 0; c < LINK_CORNERS; ++c)
    {
        double turns = mode == HESSIAN_SEMIDEFINITE || !(length > 0) ? 0 : alongOf(energy, element, c) / length;
        vecStore(g + 3 * c, vecAdd(vecScale(shares[c], n), vecScale(turns, d)));
    }
    for (int i = 0; i < WIDTH * WIDTH; ++i)
    {
        int p = i / WIDTH, q = i % WIDTH;
        matrix[i] = k * ((p % 3 == q % 3 ? shares[p / 3] * shares[q / 3] : 0) - g[p] * g[q]);
    }
}

static void straightHessian(const Energy *energy, int element, const double *x, HessianMode mode, double *matrix)
{
    enum
    {
        WIDTH = 3 * LINK_CORNERS
    };
    double h[9];
    linkHessian(energy, element, linkApart(energy, element, x), mode, h);
    for (int k = 0; k < LINK_CORNERS * LINK_CORNERS; ++k)
    {
        int p = k / LINK_CORNERS, q = k % LINK_CORNERS;
        double both = share(energy, element, p) * share(energy, element, q);
        for (int i = 0; i < 9; ++i)
            matrix[(3 * p + i / 3) * WIDTH + 3 * q + i % 3] = both * h[i];
    }
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    for (int lane = 0; lane < LANES; ++lane)
    {
        int element = block * LANES + lane;
        double *matrix = out + (ptrdiff_t)lane * 9 * LINK_CORNERS * LINK_CORNERS;
        if (slides(energy, element))
            slidingHessian(energy, element, x, mode, matrix);
        else
            straightHessian(energy, element, x, mode, matrix);
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
    .lineCount = LINK_LINE,
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
