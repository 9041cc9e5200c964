// Facts that every registered potential must satisfy, as its traits declare. A new kind needs one row in `table`.
#include "check.h"

#include "base/system.h"
#include "energy/energy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_VERTICES 24
#define MAX_ELEMENTS 24
#define MAX_DOF (3 * MAX_VERTICES)
#define MAX_WIDTH (3 * MAX_CORNERS)
#define STATE_COUNT 5
#define BATCH 17 // elements of the sample that is cut into batches

// ---- samples: small meshes of every kind ----------------------------------------------------------------------------

typedef struct Sample
{
    const EnergyKind *kind;
    int vertexCount, elementCount;
    bool direct;                                  // made without indices: element i is vertex i
    int vertices[MAX_ELEMENTS * MAX_CORNERS];     // elementCount x corners
    double rest[MAX_DOF], strength[MAX_ELEMENTS]; //
    double param[MAX_ELEMENTS][6];                // set after creation at [1, 1 + paramCount), see `Row`
    int extraParams;                              //
    double young, poisson, fraction;              //
    double thickness, low, high;                  //
    double lowAcross, highAcross;                 //
    int exampleCount;                             //
    double example[2][MAX_DOF];                   // vertexCount x 3
    Vec3 direction;                               //
    Vec3 gravity;                                 //
    vvLaw law;
} Sample;

typedef struct Row
{
    const char *name;
    int variants; // the last one has at least BATCH elements
    void (*build)(Sample *sample, int variant);
    bool (*regular)(const Sample *sample, const double *x); // away from where the energy has a kink; NULL: it has none
    bool bends;                                             // some state has an indefinite Hessian
} Row;

static TestRandom numbers;

static Energy *makeRange(Memory *memory, const Sample *sample, int first, int count, bool direct);

static void randomPoints(double *x, int count, double low, double high)
{
    for (int i = 0; i < count; ++i)
        x[i] = randomBetween(&numbers, low, high);
}

// a lattice with jitter: no two vertices nearer than 0.6
static void latticePoints(Sample *sample, int count)
{
    sample->vertexCount = count;
    for (int v = 0; v < count; ++v)
    {
        sample->rest[3 * v + 0] = v % 3 + randomBetween(&numbers, -0.2, 0.2);
        sample->rest[3 * v + 1] = v / 3 % 3 + randomBetween(&numbers, -0.2, 0.2);
        sample->rest[3 * v + 2] = v / 9 + randomBetween(&numbers, -0.2, 0.2);
    }
    for (int e = 0; e < MAX_ELEMENTS; ++e)
        sample->strength[e] = randomBetween(&numbers, 50, 200);
}

static void buildSprings(Sample *sample, int variant)
{
    static const int counts[] = { 1, 5, 8, 13, BATCH };
    sample->elementCount = counts[variant];
    latticePoints(sample, variant == 0 ? 2 : 9);
    for (int e = 0; e < sample->elementCount; ++e)
    {
        // steps 1 and 2 around the vertices: vertices with many springs, and none in the small batches
        sample->vertices[2 * e] = e % sample->vertexCount;
        sample->vertices[2 * e + 1] = (e + 1 + e / 9) % sample->vertexCount;
    }
}

static void buildCurves(Sample *sample, int variant)
{
    buildSprings(sample, variant);
    sample->young = 10;
    sample->law = (vvLaw){ .pointCount = 4 };
    for (int k = 0; k < 4; ++k)
    {
        sample->law.strain[k] = (double[]){ -0.3, 0.15, 0.4, 0.6 }[k];
        sample->law.stress[k] = sample->young * (double[]){ -0.2, 0.2, 0.9, 2 }[k];
    }
}

static bool springsRegular(const Sample *sample, const double *x)
{
    for (int e = 0; e < sample->elementCount; ++e)
    {
        const int *v = sample->vertices + 2 * e;
        Vec3 d = vecSub(vecLoad(x + 3 * v[1]), vecLoad(x + 3 * v[0]));
        if (vecLength(d) < 0.3) // Hooke's cone has its tip at zero length
            return false;
    }
    return true;
}

// corners of the cells of a grid: a vertex, a neighbour along one direction, one along the other
static void buildCorners(Sample *sample, int variant)
{
    static const double poissons[3] = { 0, 0.3, -0.3 };
    sample->young = 10;
    sample->poisson = poissons[variant % 3];
    latticePoints(sample, 9);
    sample->elementCount = variant < 3 ? 1 + variant : BATCH;
    for (int e = 0; e < sample->elementCount; ++e)
    {
        // the four corners of cell e / 4, then, for the last one, the other winding of the first cell
        int cell = e / 4 % 4, corner = e % 4, row = cell / 2, column = cell % 2, i = corner / 2, k = corner % 2;
        int *v = sample->vertices + 3 * e, swap = e / 16;
        v[0] = 3 * (row + i) + column + k;
        v[1 + swap] = 3 * (row + 1 - i) + column + k;
        v[2 - swap] = 3 * (row + i) + column + 1 - k;
    }
}

static Mat3 sampleEdges(const int *v, const double *x)
{
    Mat3 edges;
    for (int c = 0; c < 3; ++c)
        for (int a = 0; a < 3; ++a)
            edges.m[a][c] = x[3 * v[c + 1] + a] - x[3 * v[0] + a];
    return edges;
}

// a row of `cubes` unit cubes, each cut into six tets around a diagonal (Kuhn)
static void buildCubes(Sample *sample, int cubes)
{
    static const int axes[6][2] = { { 0, 1 }, { 1, 2 }, { 2, 0 }, { 1, 0 }, { 2, 1 }, { 0, 2 } };
    sample->vertexCount = 4 * (cubes + 1);
    for (int v = 0; v < sample->vertexCount; ++v)
    {
        sample->rest[3 * v + 0] = v / 4;
        sample->rest[3 * v + 1] = v % 4 / 2;
        sample->rest[3 * v + 2] = v % 2;
    }
    const int step[3] = { 4, 2, 1 };
    for (int e = 0; e < 6 * cubes; ++e)
    {
        int first = 4 * (e / 6), *v = sample->vertices + 4 * e, k = e % 6;
        v[0] = first;
        v[1] = first + step[axes[k][0]];
        v[2] = v[1] + step[axes[k][1]];
        v[3] = first + 7;
        if (k >= 3) // odd orders of the axes are left-handed
        {
            int swap = v[1];
            v[1] = v[2];
            v[2] = swap;
        }
    }
    sample->elementCount = 6 * cubes;
    for (int i = 0; i < 3 * sample->vertexCount; ++i)
        sample->rest[i] += randomBetween(&numbers, -0.08, 0.08);
}

static void buildTets(Sample *sample, int variant)
{
    static const double poissons[4] = { 0, 0.3, 0.45, -0.3 };
    sample->young = 1000;
    sample->poisson = poissons[variant / 4];
    if (variant % 4 == 3)
    {
        buildCubes(sample, 3);
        return;
    }
    // one tet, its volume at least a third of that of the unit corner
    sample->vertexCount = 4;
    sample->elementCount = 1;
    double volume = 0;
    while (volume < 1.0 / 18)
    {
        for (int v = 0; v < 4; ++v)
        {
            sample->vertices[v] = v;
            for (int a = 0; a < 3; ++a)
                sample->rest[3 * v + a] = (v == a + 1) + randomBetween(&numbers, -0.3, 0.3);
        }
        Mat3 edges = sampleEdges(sample->vertices, sample->rest);
        volume = matDeterminant(&edges) / 6;
    }
}

static void buildTetDampers(Sample *sample, int variant)
{
    buildTets(sample, variant);
    for (int e = 0; e < MAX_ELEMENTS; ++e)
        sample->strength[e] = randomBetween(&numbers, 0.01, 0.02); // s
}

// laws of large strain: of rubber, and stiffer ones
static void buildLaws(Sample *sample, int variant)
{
    static const double poissons[4] = { 0, 0.3, 0.45, -0.1 };
    buildTets(sample, variant);
    sample->poisson = poissons[variant / 4];
    bool steep = variant % 2 == 1;
    sample->law = (vvLaw){ .secondShare = steep ? 0.7 : 0.2,
                           .termCount = steep ? 2 : 3,
                           .exponent = { steep ? 8 : 1.3, steep ? 2.5 : 5, -2 },
                           .share = { steep ? 0.4 : 0.969, steep ? 0.6 : 0.007, 0.024 } };
}

static void measureCurve(Sample *sample)
{
    sample->law = (vvLaw){ .pointCount = 4 };
    for (int k = 0; k < 4; ++k)
    {
        sample->law.strain[k] = (double[]){ -0.3, 0.15, 0.4, 0.6 }[k];
        sample->law.stress[k] = sample->young * (double[]){ -0.35, 0.2, 0.9, 2 }[k];
    }
}

static void buildTetCurves(Sample *sample, int variant)
{
    buildTets(sample, variant == 9 ? 3 : variant % 3);
    sample->poisson = 0.15 * (variant / 3 % 3);
    measureCurve(sample);
    if (variant == 9) // of many some are beside a point of the curve wherever they are: a straight one
        sample->law = (vvLaw){ .pointCount = 1, .strain = { 0.6 }, .stress = { 600 } };
}

static void buildMuscles(Sample *sample, int variant)
{
    buildTets(sample, variant);
    sample->direction = vec3(0.3, -1.2, 0.5);
    sample->extraParams = 1;
    for (int e = 0; e < MAX_ELEMENTS; ++e)
        sample->param[e][0] = randomBetween(&numbers, 0, 1);
}

static bool tetsRegular(const Sample *sample, const double *x)
{
    for (int e = 0; e < sample->elementCount; ++e)
    {
        Mat3 rest = sampleEdges(sample->vertices + 4 * e, sample->rest), inverse = matInverse(&rest);
        Mat3 now = sampleEdges(sample->vertices + 4 * e, x), f = matMultiply(&now, &inverse);
        Svd3 svd = svd3(&f);
        if (svd.sigma[1] + svd.sigma[2] < 0.25) // the nearest rotation jumps where this is zero
            return false;
    }
    return true;
}

// points: variants 0 and 1 have all vertices, the others a subset in mixed order; the number is elements
static void buildPoints(Sample *sample, int variant)
{
    static const int counts[] = { 1, 11, 5, BATCH };
    sample->elementCount = counts[variant];
    sample->direct = variant < 2;
    latticePoints(sample, sample->direct ? counts[variant] : 18);
    for (int e = 0; e < sample->elementCount; ++e)
        sample->vertices[e] = sample->direct ? e : e * 5 % 18;
}

static void buildAttachments(Sample *sample, int variant)
{
    static const double fractions[3] = { 0, 0.5, 1 };
    buildPoints(sample, variant % 4);
    sample->fraction = fractions[variant / 4];
    sample->extraParams = 6;
    for (int e = 0; e < sample->elementCount; ++e)
        randomPoints(sample->param[e], 6, -1, 1);
}

static void buildGravity(Sample *sample, int variant)
{
    buildPoints(sample, variant);
    sample->gravity = vec3(0.3, -9.81, 1.2);
}

static void buildForces(Sample *sample, int variant)
{
    buildPoints(sample, variant);
    sample->extraParams = 3;
    for (int e = 0; e < sample->elementCount; ++e)
        randomPoints(sample->param[e], 3, -20, 20);
}

// ---- triangles ------------------------------------------------------------------------------------------------------

#define AROUND 4
#define ALONG 5

static int torusVertex(int i, int j)
{
    return (i + AROUND) % AROUND * ALONG + (j + ALONG) % ALONG;
}

// a torus of 20 vertices with six neighbours each, edges of about 1
static void torusPoints(Sample *sample)
{
    static const double turn[2][ALONG] = { { 1, 0.309, -0.809, -0.809, 0.309 }, { 0, 0.951, 0.588, -0.588, -0.951 } };
    sample->vertexCount = AROUND * ALONG;
    for (int v = 0; v < sample->vertexCount; ++v)
    {
        int i = v / ALONG, j = v % ALONG;
        double out = 1.6 + 0.7 * (i == 0) - 0.7 * (i == 2), jitter[3];
        randomPoints(jitter, 3, -0.05, 0.05);
        sample->rest[3 * v + 0] = out * turn[0][j] + jitter[0];
        sample->rest[3 * v + 1] = 0.7 * (i == 1) - 0.7 * (i == 3) + jitter[1];
        sample->rest[3 * v + 2] = out * turn[1][j] + jitter[2];
    }
}

static void buildTriangles(Sample *sample, int variant)
{
    static const int counts[] = { 1, 8, 24 };
    torusPoints(sample);
    sample->young = 1000;
    sample->thickness = 0.1;
    sample->poisson = variant / 3 == 1 ? 0.3 : variant / 3 == 2 ? -0.3 : 0;
    sample->elementCount = counts[variant % 3];
    for (int e = 0; e < sample->elementCount; ++e)
    {
        int cell = e * 7 % 20, i = cell / ALONG, j = cell % ALONG;
        sample->vertices[3 * e] = torusVertex(i, j);
        sample->vertices[3 * e + 1] = e < 20 ? torusVertex(i, j + 1) : torusVertex(i + 1, j + 1);
        sample->vertices[3 * e + 2] = e < 20 ? torusVertex(i + 1, j + 1) : torusVertex(i + 1, j);
    }
}

static void buildWoven(Sample *sample, int variant)
{
    buildTriangles(sample, variant);
    sample->law =
        (vvLaw){ .warp = { 1, 0.4, -0.3 }, .weft = variant % 2 ? 300 : 2500, .shear = variant % 3 ? 40 : 900 };
}

static void buildTriangleCurves(Sample *sample, int variant)
{
    buildTriangles(sample, variant == 9 ? 2 : 3 * (variant / 3)); // one, at last many
    sample->poisson = 0.15 * (variant % 3);
    measureCurve(sample);
    if (variant == 9)
        sample->law = (vvLaw){ .pointCount = 1, .strain = { 0.6 }, .stress = { 600 } };
}

// singular values of the deformation gradient of a triangle
static void triangleStretches(const Sample *sample, const double *x, int element, double sigma[2])
{
    double g[2][3];
    for (int now = 0; now < 2; ++now)
    {
        const double *at = now ? x : sample->rest;
        const int *v = sample->vertices + 3 * element;
        Vec3 e = vecSub(vecLoad(at + 3 * v[1]), vecLoad(at + 3 * v[0]));
        Vec3 f = vecSub(vecLoad(at + 3 * v[2]), vecLoad(at + 3 * v[0]));
        g[now][0] = vecDot(e, e);
        g[now][1] = vecDot(e, f);
        g[now][2] = vecDot(f, f);
    }
    // eigenvalues of G_now G_rest^-1
    double det = g[0][0] * g[0][2] - g[0][1] * g[0][1], now = g[1][0] * g[1][2] - g[1][1] * g[1][1];
    double trace = (g[1][0] * g[0][2] - 2 * g[1][1] * g[0][1] + g[1][2] * g[0][0]) / det;
    double root = sqrt(maxReal(0, trace * trace / 4 - now / det));
    sigma[0] = sqrt(trace / 2 + root);
    sigma[1] = sqrt(maxReal(0, trace / 2 - root));
}

static bool trianglesRegular(const Sample *sample, const double *x)
{
    for (int e = 0; e < sample->elementCount; ++e)
    {
        double sigma[2];
        triangleStretches(sample, x, e, sigma);
        if (sigma[1] < 0.25) // a segment: the nearest isometry jumps
            return false;
    }
    return true;
}

// ---- rings: a vertex and its neighbours in order --------------------------------------------------------------------

static void buildRings(Sample *sample, int variant)
{
    static const int step[6][2] = { { 1, 0 }, { 1, 1 }, { 0, 1 }, { -1, 0 }, { -1, -1 }, { 0, -1 } };
    int corners = sample->kind->corners, valence = corners - 1;
    sample->young = 1000;
    sample->thickness = 0.5;
    sample->poisson = 0.3;
    if (variant < 2) // one vertex with as many neighbours as fit: flat, or a cone
    {
        sample->vertexCount = corners;
        sample->elementCount = 1;
        for (int c = 1; c < corners; ++c)
        {
            double angle = 2 * 3.14159265358979 * c / valence;
            sample->vertices[c] = c;
            vecStore(sample->rest + 3 * c, vec3(cos(angle), variant * 0.5, sin(angle) + 0.1 * cos(3 * angle)));
        }
        return;
    }
    torusPoints(sample);
    sample->elementCount = variant == 2 ? 5 : 20;
    for (int e = 0; e < sample->elementCount; ++e)
    {
        int i = e / ALONG, j = e % ALONG;
        for (int c = 0; c < corners; ++c)
            sample->vertices[corners * e + c] =
                c > 0 && c <= 6 ? torusVertex(i + step[c - 1][0], j + step[c - 1][1]) : torusVertex(i, j);
    }
}

// curved rings have a tip where their curvature vanishes
static bool ringsRegular(const Sample *sample, const double *x)
{
    Memory memory = memoryMake(NULL);
    Energy *energy = makeRange(&memory, sample, 0, sample->elementCount, false);
    bool regular = energy != NULL;
    for (int e = 0; e < sample->elementCount && regular; ++e)
    {
        double rest = energyGetParam(energy, e, 1);
        char text[200];
        double now = 0;
        energyDescribe(energy, x, e, text, sizeof text);
        regular = sscanf(strstr(text, "curvature") + 9, "%lf", &now) == 1 && (rest == 0 || now > 0.3 * rest);
    }
    energyDestroy(energy);
    return regular;
}

// ---- limits ---------------------------------------------------------------------------------------------------------

static void setLimits(Sample *sample, int variant, double low, double high)
{
    sample->low = variant % 2 ? low : 1;
    sample->high = variant % 2 ? high : 1;
    sample->lowAcross = 0.8;
    sample->highAcross = 1.05;
    sample->direction = vec3(1, 0.4, -0.3);
}

static void buildTriangleLimits(Sample *sample, int variant)
{
    buildTriangles(sample, variant % 3);
    setLimits(sample, variant, 0.9, 1.1);
}

static void buildTetLimits(Sample *sample, int variant)
{
    buildTets(sample, variant % 4);
    setLimits(sample, variant / 4 + 1, 0.9, 1.1);
}

// the third derivative of a curve jumps at its points
static bool besideKnots(double stretch, double margin)
{
    static const double knots[] = { -0.3, 0, 0.15, 0.4, 0.6 };
    bool beside = true;
    for (int k = 0; k < 5; ++k)
        beside &= fabs(stretch - 1 - knots[k]) > margin;
    return beside;
}

static bool curvesRegular(const Sample *sample, const double *x)
{
    bool regular = springsRegular(sample, x);
    for (int e = 0; e < sample->elementCount && regular; ++e)
    {
        const int *v = sample->vertices + 2 * e;
        double now = vecLength(vecSub(vecLoad(x + 3 * v[1]), vecLoad(x + 3 * v[0])));
        double rest = vecLength(vecSub(vecLoad(sample->rest + 3 * v[1]), vecLoad(sample->rest + 3 * v[0])));
        regular = besideKnots(now / rest, 1e-3);
    }
    return regular;
}

static bool triangleCurvesRegular(const Sample *sample, const double *x)
{
    bool regular = trianglesRegular(sample, x);
    for (int e = 0; e < sample->elementCount && regular && sample->law.pointCount > 1; ++e)
    {
        double sigma[2];
        triangleStretches(sample, x, e, sigma);
        regular = besideKnots(sigma[0], 4e-3) && besideKnots(sigma[1], 4e-3);
    }
    return regular;
}

static bool tetCurvesRegular(const Sample *sample, const double *x)
{
    bool regular = tetsRegular(sample, x);
    for (int e = 0; e < sample->elementCount && regular && sample->law.pointCount > 1; ++e)
    {
        Mat3 rest = sampleEdges(sample->vertices + 4 * e, sample->rest), inverse = matInverse(&rest);
        Mat3 now = sampleEdges(sample->vertices + 4 * e, x), f = matMultiply(&now, &inverse);
        Svd3 svd = svd3(&f);
        for (int i = 0; i < 3; ++i)
            regular &= besideKnots(svd.sigma[i], 4e-3);
    }
    return regular;
}

static void buildEdgeLimits(Sample *sample, int variant)
{
    buildSprings(sample, variant);
    setLimits(sample, variant, 0.9, 1.1);
}

// second derivatives jump where something reaches a limit: so far away are the differences of the tests
#define AWAY 2e-3

static bool awayFrom(double value, double a, double b)
{
    return a == b || (fabs(value - a) > AWAY && fabs(value - b) > AWAY);
}

static bool triangleLimitsRegular(const Sample *sample, const double *x)
{
    for (int e = 0; e < sample->elementCount; ++e)
    {
        double sigma[2];
        triangleStretches(sample, x, e, sigma);
        for (int i = 0; i < 2; ++i)
        {
            if (!awayFrom(sigma[i], sample->low, sample->high))
                return false;
        }
    }
    return trianglesRegular(sample, x);
}

static bool areasRegular(const Sample *sample, const double *x)
{
    for (int e = 0; e < sample->elementCount; ++e)
    {
        double sigma[2];
        triangleStretches(sample, x, e, sigma);
        if (!awayFrom(sigma[0] * sigma[1], sample->low, sample->high))
            return false;
    }
    return trianglesRegular(sample, x);
}

static bool tetLimitsRegular(const Sample *sample, const double *x)
{
    for (int e = 0; e < sample->elementCount; ++e)
    {
        Mat3 rest = sampleEdges(sample->vertices + 4 * e, sample->rest), inverse = matInverse(&rest);
        Mat3 now = sampleEdges(sample->vertices + 4 * e, x), f = matMultiply(&now, &inverse);
        Svd3 svd = svd3(&f);
        for (int i = 0; i < 3; ++i)
        {
            if (!awayFrom(svd.sigma[i], sample->low, sample->high))
                return false;
        }
    }
    return tetsRegular(sample, x);
}

static bool volumesRegular(const Sample *sample, const double *x)
{
    for (int e = 0; e < sample->elementCount; ++e)
    {
        Mat3 rest = sampleEdges(sample->vertices + 4 * e, sample->rest), now = sampleEdges(sample->vertices + 4 * e, x);
        if (!awayFrom(matDeterminant(&now) / matDeterminant(&rest), sample->low, sample->high))
            return false;
    }
    return tetsRegular(sample, x);
}

// the lengths that a kind of fibres measures, from its own rows
static bool fibresRegular(const Sample *sample, const double *x)
{
    Memory memory = memoryMake(NULL);
    Energy *energy = makeRange(&memory, sample, 0, sample->elementCount, false);
    bool regular = energy != NULL;
    int rows = sample->kind->corners - 1;
    for (int k = 0; k < sample->elementCount * rows && regular; ++k)
    {
        int e = k / rows, r = k % rows, first = 1 + 2 * rows + r * rows;
        Vec3 z = vec3(0, 0, 0);
        for (int c = 1; c <= rows; ++c)
        {
            const int *v = sample->vertices + e * (rows + 1);
            z = vecAdd(z, vecScale(energyGetParam(energy, e, first + c - 1),
                                   vecSub(vecLoad(x + 3 * v[c]), vecLoad(x + 3 * v[0]))));
        }
        double low = energyGetParam(energy, e, 1 + 2 * r), high = energyGetParam(energy, e, 2 + 2 * r);
        regular = vecLength(z) > 0.25 && awayFrom(vecLength(z), low, high);
    }
    energyDestroy(energy);
    return regular;
}

// ---- hinges, pressure, examples -------------------------------------------------------------------------------------

static void buildHinges(Sample *sample, int variant)
{
    sample->young = 1000;
    sample->thickness = 0.5;
    sample->poisson = 0.3;
    if (variant == 0) // flat
    {
        static const double flat[12] = { 0, 0, 0, 1, 0, 0.1, 0.3, 0, 0.9, 0.6, 0, -0.8 };
        sample->vertexCount = 4;
        sample->elementCount = 1;
        memcpy(sample->rest, flat, sizeof flat);
        for (int c = 0; c < 4; ++c)
            sample->vertices[c] = c;
        return;
    }
    torusPoints(sample);
    sample->elementCount = variant == 1 ? 5 : 20;
    for (int e = 0; e < sample->elementCount; ++e)
    {
        int i = e / ALONG, j = e % ALONG, *v = sample->vertices + 4 * e;
        v[0] = torusVertex(i, j);
        v[1] = torusVertex(i + 1, j + 1);
        v[2] = torusVertex(i, j + 1);
        v[3] = torusVertex(i + 1, j);
    }
}

// triangles with an area and not folded onto each other
static bool hingesRegular(const Sample *sample, const double *x)
{
    for (int e = 0; e < sample->elementCount; ++e)
    {
        const int *v = sample->vertices + 4 * e;
        Vec3 o = vecLoad(x + 3 * v[0]), edge = vecSub(vecLoad(x + 3 * v[1]), o);
        Vec3 a = vecCross(edge, vecSub(vecLoad(x + 3 * v[2]), o)), b = vecCross(vecSub(vecLoad(x + 3 * v[3]), o), edge);
        double la = vecLength(a), lb = vecLength(b), l = vecLength(edge);
        if (l < 0.4 || la < 0.25 * l || lb < 0.25 * l || vecDot(a, b) < -0.7 * la * lb)
            return false;
    }
    return true;
}

// Rods: vertices, then those beside the segments. Straight; bent and twisted; a ring, passed both ways.
static void buildRods(Sample *sample, int variant)
{
    bool ring = variant == 2;
    int n = ring ? 10 : 2;
    sample->young = 1000;
    sample->poisson = variant == 1 ? 1.5 : 0.7; // twisting stiffness, over that of bending
    sample->elementCount = ring ? 20 : 1;
    sample->vertexCount = ring ? 2 * n : 2 * n + 1;
    int count = sample->vertexCount - n;
    for (int v = 0; v < count; ++v)
    {
        double angle = 2 * 3.14159265358979 * v / n;
        Vec3 place = ring ? vec3(1.5 * cos(angle), 0.2 * sin(2 * angle), 1.5 * sin(angle))
                          : vec3(v, variant * 0.3 * (v == 2), variant * 0.2 * (v == 0));
        vecStore(sample->rest + 3 * v, place);
    }
    for (int s = 0; s < n; ++s)
    {
        Vec3 a = vecLoad(sample->rest + 3 * s), b = vecLoad(sample->rest + 3 * ((s + 1) % count));
        Vec3 side = vecCross(vecSub(b, a), vec3(0.1, -0.2 + 0.3 * variant * s, 1));
        vecStore(sample->rest + 3 * (count + s),
                 vecAdd(vecScale(0.5, vecAdd(a, b)), vecScale(0.9 / vecLength(side), side)));
    }
    for (int e = 0; e < sample->elementCount; ++e)
    {
        int at = ring ? e % n : 1, first = (at + n - 1) % n, second = at % n, back = e / n % 2 * ring;
        if (!ring)
            first = 0, second = 1;
        const int corner[5] = { at, ring ? first : 0, ring ? (at + 1) % n : 2, count + first, count + second };
        for (int c = 0; c < 5; ++c)
            sample->vertices[5 * e + c] = corner[c > 0 && back ? (c - 1) / 2 * 2 + 2 - (c - 1) % 2 : c];
    }
}

// segments with a length, vertices beside them away from their lines, and frames turned by less than three quarters of
// half a turn
static bool rodsRegular(const Sample *sample, const double *x)
{
    for (int e = 0; e < sample->elementCount; ++e)
    {
        const int *v = sample->vertices + 5 * e;
        Vec3 o = vecLoad(x + 3 * v[0]), t[2];
        for (int k = 0; k < 2; ++k)
        {
            Vec3 end = vecLoad(x + 3 * v[1 + k]), side = vecLoad(x + 3 * v[3 + k]);
            t[k] = vecSub(end, o);
            side = vecSub(side, vecScale(0.5, vecAdd(o, end)));
            if (vecLength(t[k]) < 0.3 || vecLength(vecCross(side, t[k])) < 0.3 * vecLength(t[k]))
                return false;
        }
    }
    return true;
}

// two pyramids on a polygon, closed and outward
static void buildBalloon(Sample *sample, int variant)
{
    int n = variant == 0 ? 3 : 9;
    sample->young = variant == 1 ? -700 : 1000;
    sample->vertexCount = n + 2;
    sample->elementCount = 2 * n;
    vecStore(sample->rest + 3 * n, vec3(0.1, 1, 0));
    vecStore(sample->rest + 3 * (n + 1), vec3(0, -0.8, 0.1));
    for (int k = 0; k < n; ++k)
    {
        double angle = 2 * 3.14159265358979 * k / n;
        vecStore(sample->rest + 3 * k, vec3(cos(angle), 0.1 * sin(3 * angle), -sin(angle)));
        const int corner[6] = { k, (k + 1) % n, n, (k + 1) % n, k, n + 1 };
        memcpy(sample->vertices + 6 * k, corner, sizeof corner);
    }
}

static void buildExamples(Sample *sample, int variant)
{
    buildTets(sample, variant);
    sample->exampleCount = 2;
    for (int v = 0; v < sample->vertexCount; ++v)
    {
        const double *r = sample->rest + 3 * v;
        vecStore(sample->example[0] + 3 * v, vec3(1.5 * r[0], r[1] + 0.3 * r[0] * r[0], r[2]));
        vecStore(sample->example[1] + 3 * v, vec3(0.8 * r[2], 0.7 * r[1], -r[0]));
    }
}

// tets whose nearest blend is far from jumping: second derivatives not far above those at rest
static bool examplesRegular(const Sample *sample, const double *x)
{
    Memory memory = memoryMake(NULL);
    Energy *energy = makeRange(&memory, sample, 0, sample->elementCount, false);
    bool regular = energy != NULL && tetsRegular(sample, x);
    for (int e = 0; e < sample->elementCount && regular; ++e)
    {
        static double matrices[LANES * MAX_WIDTH * MAX_WIDTH], bounds[LANES * MAX_CORNERS * MAX_CORNERS];
        energy->kind->hessian(energy, x, e / LANES, HESSIAN_EXACT, matrices);
        energy->kind->majorizer(energy, e / LANES, bounds);
        regular =
            largestMagnitude(matrices + e % LANES * 144, 144) < 1.6 * largestMagnitude(bounds + e % LANES * 16, 16);
    }
    energyDestroy(energy);
    return regular;
}

static const Row table[] = {
    { "spring", 5, buildSprings, springsRegular, true },
    { "squared-spring", 5, buildSprings, NULL, true },
    { "corotated", 16, buildTets, tetsRegular, true },
    { "attachment", 12, buildAttachments, NULL, false },
    { "gravity", 4, buildGravity, NULL, false },
    { "force", 4, buildForces, NULL, false },
    { "drag", 4, buildPoints, NULL, false },
    { "membrane", 6, buildCorners, NULL, true },
    { "spring-damper", 5, buildSprings, NULL, false },
    { "membrane-damper", 6, buildCorners, NULL, false },
    { "corotated-damper", 16, buildTetDampers, NULL, false },
    { "triangle", 9, buildTriangles, trianglesRegular, true },
    { "bending", 4, buildRings, ringsRegular, true },
    { "wide-bending", 4, buildRings, ringsRegular, true },
    { "edge-limit", 5, buildEdgeLimits, fibresRegular, true },
    { "triangle-limit", 6, buildTriangleLimits, triangleLimitsRegular, true },
    { "tet-limit", 8, buildTetLimits, tetLimitsRegular, true },
    { "triangle-fibre", 6, buildTriangleLimits, fibresRegular, true },
    { "tet-fibre", 8, buildTetLimits, fibresRegular, true },
    { "area", 6, buildTriangleLimits, areasRegular, true },
    { "volume", 8, buildTetLimits, volumesRegular, true },
    { "dihedral", 3, buildHinges, hingesRegular, true },
    { "pressure", 3, buildBalloon, NULL, true },
    { "example", 4, buildExamples, examplesRegular, true },
    { "linear", 16, buildTets, NULL, false },
    { "stable-neo-hookean", 16, buildTets, NULL, true },
    { "bending-damper", 4, buildRings, NULL, false },
    { "wide-bending-damper", 4, buildRings, NULL, false },
    { "dihedral-damper", 3, buildHinges, NULL, false },
    { "rod", 3, buildRods, rodsRegular, true },
    { "rod-damper", 3, buildRods, NULL, false },
    { "stvk", 16, buildLaws, NULL, true },
    { "mooney-rivlin", 16, buildLaws, NULL, true },
    { "ogden", 16, buildLaws, NULL, true },
    { "muscle", 4, buildMuscles, NULL, false },
    { "woven", 9, buildWoven, NULL, true },
    { "woven-damper", 9, buildWoven, NULL, false },
    { "curve", 5, buildCurves, curvesRegular, true },
    { "triangle-curve", 10, buildTriangleCurves, triangleCurvesRegular, true },
    { "tet-curve", 10, buildTetCurves, tetCurvesRegular, true },
};

// the row of a kind; a kind without one fails
static const Row *rowOf(const EnergyKind *kind)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i)
    {
        if (strcmp(table[i].name, kind->name) == 0)
            return &table[i];
    }
    fail_msg("kind '%s' is registered but has no sample in energy_test.c", kind->name);
    return NULL;
}

static Sample makeSample(const EnergyKind *kind, int variant)
{
    Sample sample = { .kind = kind };
    TestRandom factors = { 77 };
    for (int e = 0; e < MAX_ELEMENTS; ++e)
        sample.strength[e] = randomBetween(&factors, 0.5, 2); // of kinds with a factor of young; others have their own
    numbers.state = 1000 + (uint64_t)variant;
    rowOf(kind)->build(&sample, variant);
    return sample;
}

// elements [first, first + count) of a sample; NULL when memory is refused
static Energy *makeRange(Memory *memory, const Sample *sample, int first, int count, bool direct)
{
    const double *const examples[2] = { sample->example[0], sample->example[1] };
    Recipe recipe = { .rest = sample->rest,
                      .strength = sample->strength + first,
                      .young = sample->young,
                      .poisson = sample->poisson,
                      .thickness = sample->thickness,
                      .law = &sample->law,
                      .bend = sample->young,
                      .twist = sample->young * sample->poisson,
                      .low = sample->low,
                      .high = sample->high,
                      .lowAcross = sample->lowAcross,
                      .highAcross = sample->highAcross,
                      .direction = sample->direction,
                      .exampleCount = sample->exampleCount,
                      .example = examples,
                      .gravity = sample->gravity };
    Energy *energy = energyCreate(memory, sample->kind, sample->vertexCount, count,
                                  direct ? NULL : sample->vertices + first * sample->kind->corners, &recipe);
    if (energy == NULL)
        return NULL;
    energy->fraction = sample->fraction;
    for (int e = 0; e < count; ++e)
        for (int p = 0; p < sample->extraParams; ++p)
            energySetParam(energy, e, 1 + p, sample->param[first + e][p]);
    return energy;
}

static Energy *makeEnergy(Memory *memory, const Sample *sample)
{
    Energy *energy = makeRange(memory, sample, 0, sample->elementCount, sample->direct);
    assert_non_null(energy);
    return energy;
}

// ---- states ---------------------------------------------------------------------------------------------------------

static Mat3 randomRotation(void)
{
    double q[4], norm = 0;
    while (norm < 0.1 || norm > 1)
    {
        randomPoints(q, 4, -1, 1);
        norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    }
    for (int i = 0; i < 4; ++i)
        q[i] /= sqrt(norm);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    return (Mat3){ { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
                     { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
                     { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } } };
}

static void moveRigidly(const Mat3 *rotation, Vec3 shift, const double *x, int count, double *moved)
{
    for (int v = 0; v < count; ++v)
        vecStore(moved + 3 * v, vecAdd(shift, matApply(rotation, vecLoad(x + 3 * v))));
}

// stretched, turned, noisy: state 0 is almost at rest, 3 is inside out, 4 is compressed
static void deform(const Sample *sample, int state, double *x)
{
    static const double stretch[STATE_COUNT][3] = {
        { 1, 1, 1 }, { 1, 1, 1 }, { 1.3, 0.9, 1.1 }, { 1.3, 1, -0.4 }, { 0.6, 0.5, 0.7 }
    };
    static const double noise[STATE_COUNT] = { 0.01, 0.1, 0.1, 0.04, 0.04 };
    const Row *row = rowOf(sample->kind);
    for (int attempt = 0; attempt < 10000; ++attempt)
    {
        Mat3 turn = state == 0 ? matIdentity() : randomRotation();
        for (int v = 0; v < sample->vertexCount; ++v)
        {
            const double *r = sample->rest + 3 * v, *s = stretch[state];
            Vec3 jitter;
            jitter.x = randomBetween(&numbers, -noise[state], noise[state]);
            jitter.y = randomBetween(&numbers, -noise[state], noise[state]);
            jitter.z = randomBetween(&numbers, -noise[state], noise[state]);
            Vec3 stretched = vec3(s[0] * r[0], s[1] * r[1], s[2] * r[2]);
            vecStore(x + 3 * v, matApply(&turn, vecAdd(stretched, jitter)));
        }
        if (row->regular == NULL || row->regular(sample, x))
            return;
    }
    fail_msg("no regular state %d of %s", state, sample->kind->name);
}

// runs `check` over all samples of all kinds that have every trait in `traits`
static void overSamples(unsigned traits, void (*check)(const Sample *sample, Energy *energy))
{
    int runs = 0;
    for (int k = 0; k < energyKindCount(); ++k)
    {
        const EnergyKind *kind = energyKindAt(k);
        for (int variant = 0; variant < rowOf(kind)->variants; ++variant)
        {
            Memory memory = memoryMake(NULL);
            Sample sample = makeSample(kind, variant);
            Energy *energy = makeEnergy(&memory, &sample);
            if ((energy->traits & traits) == traits)
            {
                check(&sample, energy);
                runs += 1;
            }
            energyDestroy(energy);
            assert_int_equal(memory.blocks, 0);
        }
    }
    assert_true(runs > 0);
}

// ---- small linear algebra -------------------------------------------------------------------------------------------

static double dot(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += a[i] * b[i];
    return sum;
}

static double norm(const double *a, int count)
{
    return sqrt(dot(a, a, count));
}

static void step(double *out, const double *x, double alpha, const double *d, int count)
{
    for (int i = 0; i < count; ++i)
        out[i] = x[i] + alpha * d[i];
}

// smallest eigenvalue of a symmetric matrix by cyclic Jacobi rotations
static double smallestEigenvalue(const double *matrix, int n)
{
    double a[MAX_WIDTH * MAX_WIDTH];
    memcpy(a, matrix, (size_t)(n * n) * sizeof(double));
    for (int sweep = 0; sweep < 20; ++sweep)
    {
        for (int p = 0; p < n; ++p)
        {
            for (int q = p + 1; q < n; ++q)
            {
                if (a[p * n + q] == 0)
                    continue;
                double zeta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
                double t = (zeta >= 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
                double c = 1 / sqrt(1 + t * t), s = c * t;
                for (int i = 0; i < n; ++i)
                {
                    double ip = a[i * n + p], iq = a[i * n + q];
                    a[i * n + p] = c * ip - s * iq;
                    a[i * n + q] = s * ip + c * iq;
                }
                for (int i = 0; i < n; ++i)
                {
                    double pi = a[p * n + i], qi = a[q * n + i];
                    a[p * n + i] = c * pi - s * qi;
                    a[q * n + i] = s * pi + c * qi;
                }
            }
        }
    }
    double smallest = a[0];
    for (int i = 1; i < n; ++i)
        smallest = minReal(smallest, a[i * n + i]);
    return smallest;
}

static double smallestOfDifference(const double *a, const double *b, int n)
{
    double difference[MAX_WIDTH * MAX_WIDTH];
    step(difference, a, -1, b, n * n);
    return smallestEigenvalue(difference, n);
}

static void elementHessian(const Energy *energy, const double *x, int element, HessianMode mode, double *out)
{
    double matrices[LANES * MAX_WIDTH * MAX_WIDTH];
    int size = 9 * energy->kind->corners * energy->kind->corners;
    energy->kind->hessian(energy, x, element / LANES, mode, matrices);
    memcpy(out, matrices + (element % LANES) * size, (size_t)size * sizeof(double));
}

// the majorizer of one element times the 3x3 identity
static void elementMajorizer(const Energy *energy, int element, double *out)
{
    double matrices[LANES * MAX_CORNERS * MAX_CORNERS];
    int corners = energy->kind->corners, n = 3 * corners;
    energy->kind->majorizer(energy, element / LANES, matrices);
    const double *m = matrices + (element % LANES) * corners * corners;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            out[i * n + j] = i % 3 == j % 3 ? m[(i / 3) * corners + j / 3] : 0;
}

// N/m: the largest entry of the element majorizers; 0 for a linear energy
static double stiffness(const Energy *energy)
{
    double largest = 0, matrix[MAX_WIDTH * MAX_WIDTH];
    int n = 3 * energy->kind->corners;
    for (int e = 0; e < energy->elementCount && energy->kind->majorizer; ++e)
    {
        elementMajorizer(energy, e, matrix);
        largest = maxReal(largest, largestMagnitude(matrix, n * n));
    }
    return largest;
}

static void gradientAt(Energy *energy, const double *x, double *gradient)
{
    memset(gradient, 0, (size_t)(3 * energy->vertexCount) * sizeof(double));
    energyAddGradient(energy, x, gradient);
}

static void hessianTimes(Energy *energy, const double *x, HessianMode mode, const double *d, double *result)
{
    memset(result, 0, (size_t)(3 * energy->vertexCount) * sizeof(double));
    energyAddHessianTimes(energy, x, mode, d, result);
}

// J that one relative rounding of the positions, and of every element's value, is worth: E' x and |E|
static double conditioning(Energy *energy, const double *x)
{
    double gradient[MAX_DOF], sum = 0;
    gradientAt(energy, x, gradient);
    for (int i = 0; i < 3 * energy->vertexCount; ++i)
        sum += fabs(gradient[i] * x[i]);
    energyValue(energy, x);
    for (int e = 0; e < energy->elementCount; ++e)
        sum += fabs(energy->value[e]);
    return sum;
}

// ---- the registry ---------------------------------------------------------------------------------------------------

static void everyKindHasASample(void **state)
{
    (void)state;
    assert_int_equal(energyKindCount(), sizeof table / sizeof table[0]);
    for (int k = 0; k < energyKindCount(); ++k)
    {
        const EnergyKind *kind = energyKindAt(k);
        const Row *row = rowOf(kind);
        assert_true(row->variants > 0);
        assert_true(makeSample(kind, row->variants - 1).elementCount >= BATCH);
        assert_ptr_equal(energyKindFind(kind->name), kind);
    }
    assert_null(energyKindFind("no such kind"));
}

static void traitsComeWithTheirFunctions(void **state)
{
    (void)state;
    for (int k = 0; k < energyKindCount(); ++k)
    {
        const EnergyKind *kind = energyKindAt(k);
        assert_true(kind->corners >= 1 && kind->corners <= MAX_CORNERS);
        assert_true(kind->paramCount >= 1 && kind->lineCount >= 1);
        assert_true(kind->stateFirst >= 0 && kind->stateCount >= 0);
        assert_true(kind->stateFirst + kind->stateCount <= kind->paramCount && kind->keptCount >= 0);
        assert_true(kind->prepare && kind->values && kind->gradient && kind->describe);
        assert_true(kind->lineStart && kind->lineValues);
        assert_int_equal(kind->project != NULL, (kind->traits & TRAIT_PROJECTIVE) != 0);
        assert_int_equal(kind->sweep != NULL, (kind->traits & TRAIT_SWEEP) != 0);
        // linear energies, and only they, have no second derivative
        assert_int_equal(kind->hessian == NULL, kind->majorizer == NULL);
        assert_int_equal(kind->hessian == NULL, (kind->traits & TRAIT_EXTERNAL) != 0);
        if (kind->traits & TRAIT_DISSIPATIVE)
            assert_int_equal(kind->column, COLUMN_NONE);
    }
}

// ---- internal energies ----------------------------------------------------------------------------------------------

static void checkRest(const Sample *sample, Energy *energy)
{
    // F = I to 1e-15, so the force is zero to 1e-13 of the stiffness and the value to its square
    double gradient[MAX_DOF], k = stiffness(energy);
    CHECK_NEAR(energyValue(energy, sample->rest), 0, 1e-26 * k);
    gradientAt(energy, sample->rest, gradient);
    CHECK_BELOW(largestMagnitude(gradient, 3 * sample->vertexCount), 1e-13 * k);
}

static void restHasNoEnergyAndNoForce(void **state)
{
    (void)state;
    overSamples(TRAIT_INTERNAL, checkRest);
}

static void checkRigidMotion(const Sample *sample, Energy *energy)
{
    int n = 3 * sample->vertexCount;
    for (int s = 0; s < STATE_COUNT; ++s)
    {
        double x[MAX_DOF], moved[MAX_DOF], gradient[MAX_DOF], after[MAX_DOF], turned[MAX_DOF];
        deform(sample, s, x);
        double value = energyValue(energy, x);
        gradientAt(energy, x, gradient);
        Mat3 rotation = randomRotation();
        double shift[3];
        randomPoints(shift, 3, -3, 3);
        moveRigidly(&rotation, vecLoad(shift), x, sample->vertexCount, moved);
        // positions round at 1e-16 x 5 m; the nearest rotation magnifies that by at most 1 / 0.25
        CHECK_NEAR(energyValue(energy, moved), value, 1e-13 * (conditioning(energy, moved) + conditioning(energy, x)));
        gradientAt(energy, moved, after);
        moveRigidly(&rotation, vec3(0, 0, 0), gradient, sample->vertexCount, turned);
        for (int i = 0; i < n; ++i)
            CHECK_NEAR(after[i], turned[i], 1e-12 * stiffness(energy));
    }
}

static void rigidMotionChangesNothing(void **state)
{
    (void)state;
    overSamples(TRAIT_INTERNAL, checkRigidMotion);
}

static void checkMomenta(const Sample *sample, Energy *energy)
{
    for (int s = 0; s < STATE_COUNT; ++s)
    {
        double x[MAX_DOF], gradient[MAX_DOF], forces = 0, moments = 0;
        deform(sample, s, x);
        gradientAt(energy, x, gradient);
        Vec3 force = vec3(0, 0, 0), moment = vec3(0, 0, 0);
        for (int v = 0; v < sample->vertexCount; ++v)
        {
            Vec3 f = vecLoad(gradient + 3 * v), position = vecLoad(x + 3 * v);
            force = vecAdd(force, f);
            moment = vecAdd(moment, vecCross(position, f));
            forces += vecLength(f);
            moments += vecLength(f) * vecLength(position);
        }
        // rounding of the sums, and of the element forces before they cancel at a vertex
        CHECK_BELOW(vecLength(force), 1e-14 * (forces + stiffness(energy)));
        CHECK_BELOW(vecLength(moment), 1e-13 * (moments + stiffness(energy)));
    }
}

static void forcesAndMomentsCancel(void **state)
{
    (void)state;
    overSamples(TRAIT_INTERNAL, checkMomenta);
}

static void checkNoForce(const Sample *sample, Energy *energy)
{
    for (int s = 0; s < STATE_COUNT; ++s)
    {
        double x[MAX_DOF], gradient[MAX_DOF], forces = 0;
        deform(sample, s, x);
        gradientAt(energy, x, gradient);
        Vec3 force = vec3(0, 0, 0);
        for (int v = 0; v < sample->vertexCount; ++v)
        {
            force = vecAdd(force, vecLoad(gradient + 3 * v));
            forces += vecLength(vecLoad(gradient + 3 * v));
        }
        CHECK_BELOW(vecLength(force), 1e-14 * (forces + stiffness(energy))); // rounding, as above
    }
}

static void freeEnergiesPushNothingAway(void **state)
{
    (void)state;
    overSamples(TRAIT_FREE, checkNoForce);
}

// ---- derivatives ----------------------------------------------------------------------------------------------------

// Central differences with one Richardson step: at 2e-4 m the fourth power of (step / distance to the kink) and the
// rounding 1e-16 / step are both below 1e-11
#define STEP 2e-4
#define DIFFERENCE_TOLERANCE 1e-9

static double centralValue(Energy *energy, const double *x, const double *d, double h)
{
    double plus[MAX_DOF] = { 0 }, minus[MAX_DOF] = { 0 };
    step(plus, x, h, d, 3 * energy->vertexCount);
    step(minus, x, -h, d, 3 * energy->vertexCount);
    return (energyValue(energy, plus) - energyValue(energy, minus)) / (2 * h);
}

static void centralGradient(Energy *energy, const double *x, const double *d, double h, double *out)
{
    double plus[MAX_DOF] = { 0 }, minus[MAX_DOF] = { 0 }, high[MAX_DOF], low[MAX_DOF];
    int n = 3 * energy->vertexCount;
    step(plus, x, h, d, n);
    step(minus, x, -h, d, n);
    gradientAt(energy, plus, high);
    gradientAt(energy, minus, low);
    for (int i = 0; i < n; ++i)
        out[i] = (high[i] - low[i]) / (2 * h);
}

static void checkGradient(const Sample *sample, Energy *energy)
{
    int n = 3 * sample->vertexCount;
    for (int s = 0; s < STATE_COUNT; ++s)
    {
        double x[MAX_DOF], gradient[MAX_DOF];
        deform(sample, s, x);
        gradientAt(energy, x, gradient);
        double scale = stiffness(energy) + largestMagnitude(gradient, n);
        for (int i = 0; i < n; ++i)
        {
            double axis[MAX_DOF] = { 0 };
            axis[i] = 1;
            double coarse = centralValue(energy, x, axis, STEP), fine = centralValue(energy, x, axis, STEP / 2);
            CHECK_NEAR(gradient[i], (4 * fine - coarse) / 3, DIFFERENCE_TOLERANCE * scale);
        }
    }
}

static void gradientIsTheSlopeOfTheValue(void **state)
{
    (void)state;
    overSamples(0, checkGradient);
}

static void checkHessian(const Sample *sample, Energy *energy)
{
    int n = 3 * sample->vertexCount;
    for (int s = 0; s < STATE_COUNT; ++s)
    {
        double x[MAX_DOF], d[MAX_DOF], product[MAX_DOF], coarse[MAX_DOF], fine[MAX_DOF];
        deform(sample, s, x);
        for (int trial = 0; trial < 3; ++trial)
        {
            randomPoints(d, n, -1, 1);
            hessianTimes(energy, x, HESSIAN_EXACT, d, product);
            centralGradient(energy, x, d, STEP, coarse);
            centralGradient(energy, x, d, STEP / 2, fine);
            double scale = stiffness(energy) + largestMagnitude(product, n);
            for (int i = 0; i < n; ++i)
                CHECK_NEAR(product[i], (4 * fine[i] - coarse[i]) / 3, DIFFERENCE_TOLERANCE * scale);
        }
    }
}

static void hessianIsTheSlopeOfTheGradient(void **state)
{
    (void)state;
    overSamples(0, checkHessian);
}

static int indefiniteSeen;

static void checkElementMatrices(const Sample *sample, Energy *energy)
{
    if (energy->kind->hessian == NULL)
        return;
    int n = 3 * energy->kind->corners;
    for (int s = 0; s < STATE_COUNT; ++s)
    {
        double x[MAX_DOF], exact[MAX_WIDTH * MAX_WIDTH], clamped[MAX_WIDTH * MAX_WIDTH];
        deform(sample, s, x);
        for (int e = 0; e < sample->elementCount; ++e)
        {
            elementHessian(energy, x, e, HESSIAN_EXACT, exact);
            elementHessian(energy, x, e, HESSIAN_SEMIDEFINITE, clamped);
            double scale = largestMagnitude(exact, n * n) + largestMagnitude(clamped, n * n);
            // sums of a dozen products in another order
            for (int i = 0; i < n * n; ++i)
            {
                CHECK_NEAR(exact[i], exact[i % n * n + i / n], 1e-14 * scale);
                CHECK_NEAR(clamped[i], clamped[i % n * n + i / n], 1e-14 * scale);
            }
            // 1e-12: a dozen roundings of the eigenvalues, with room
            double smallest = smallestEigenvalue(exact, n);
            CHECK_BELOW(-smallestEigenvalue(clamped, n), 1e-12 * scale);
            CHECK_BELOW(-smallestOfDifference(clamped, exact, n), 1e-12 * scale);
            indefiniteSeen += smallest < -1e-3 * scale;
            if (smallest < -1e-12 * scale)
                continue;
            for (int i = 0; i < n * n; ++i)
                CHECK_NEAR(clamped[i], exact[i], 1e-11 * scale);
        }
    }
}

static void semidefiniteHessianIsNotBelowTheExact(void **state)
{
    (void)state;
    for (int k = 0; k < energyKindCount(); ++k)
    {
        const EnergyKind *kind = energyKindAt(k);
        indefiniteSeen = 0;
        for (int variant = 0; variant < rowOf(kind)->variants; ++variant)
        {
            Memory memory = memoryMake(NULL);
            Sample sample = makeSample(kind, variant);
            Energy *energy = makeEnergy(&memory, &sample);
            checkElementMatrices(&sample, energy);
            energyDestroy(energy);
        }
        // the clamp was put to work where there is something to clamp
        assert_int_equal(indefiniteSeen > 0, rowOf(kind)->bends);
    }
}

static void checkProducts(const Sample *sample, Energy *energy)
{
    int n = 3 * sample->vertexCount;
    for (int mode = HESSIAN_EXACT; mode <= HESSIAN_SEMIDEFINITE; ++mode)
    {
        double x[MAX_DOF], a[MAX_DOF], b[MAX_DOF], ha[MAX_DOF], hb[MAX_DOF], blocks[9 * MAX_VERTICES] = { 0 };
        deform(sample, 4, x);
        randomPoints(a, n, -1, 1);
        randomPoints(b, n, -1, 1);
        hessianTimes(energy, x, (HessianMode)mode, a, ha);
        hessianTimes(energy, x, (HessianMode)mode, b, hb);
        // rounding of sums of n terms
        CHECK_NEAR(dot(b, ha, n), dot(a, hb, n), 1e-13 * norm(a, n) * norm(hb, n));

        // 3x3 blocks against products with the unit vectors; sums of at most 24 elements in another order
        energyAddBlockDiagonal(energy, x, (HessianMode)mode, blocks);
        for (int j = 0; j < n; ++j)
        {
            double axis[MAX_DOF] = { 0 };
            axis[j] = 1;
            hessianTimes(energy, x, (HessianMode)mode, axis, ha);
            for (int i = 0; i < 3; ++i)
                CHECK_NEAR(blocks[9 * (j / 3) + 3 * i + j % 3], ha[j / 3 * 3 + i], 1e-13 * norm(ha, n));
        }
    }
}

static void productsAreSymmetricAndBlocksAreTheirDiagonal(void **state)
{
    (void)state;
    overSamples(0, checkProducts);
}

static void checkMajorizer(const Sample *sample, Energy *energy)
{
    if (energy->kind->majorizer == NULL)
        return;
    int n = 3 * energy->kind->corners;
    double x[MAX_DOF], majorizer[MAX_WIDTH * MAX_WIDTH], hessian[MAX_WIDTH * MAX_WIDTH];
    for (int strained = 0; strained < 8; ++strained)
    {
        memcpy(x, sample->rest, sizeof x);
        if (strained > 0) // uniform strains of 1 %, turned
        {
            Mat3 turn = randomRotation();
            double s[3];
            randomPoints(s, 3, 0.99, 1.01);
            for (int i = 0; i < 3 * sample->vertexCount; ++i)
                x[i] *= s[i % 3];
            moveRigidly(&turn, vec3(1, 2, 3), x, sample->vertexCount, x);
        }
        for (int e = 0; e < sample->elementCount; ++e)
        {
            elementMajorizer(energy, e, majorizer);
            elementHessian(energy, x, e, HESSIAN_EXACT, hessian);
            double scale = largestMagnitude(majorizer, n * n);
            for (int i = 0; i < n * n; ++i)
                CHECK_NEAR(majorizer[i], majorizer[i % n * n + i / n], 1e-15 * scale); // the same products
            // 1e-12: rounding of the eigenvalues; equality is allowed (dilation of corotated tets, quadratics)
            CHECK_BELOW(-smallestOfDifference(majorizer, hessian, n), 1e-12 * scale);
        }
    }

    // the assembled product is the sum of the element products
    double d[MAX_DOF], product[MAX_DOF] = { 0 }, sum[MAX_DOF] = { 0 };
    randomPoints(d, 3 * sample->vertexCount, -1, 1);
    energyAddMajorizerTimes(energy, d, product);
    for (int e = 0; e < sample->elementCount; ++e)
    {
        const int *v = sample->vertices + e * energy->kind->corners;
        elementMajorizer(energy, e, majorizer);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                sum[3 * v[i / 3] + i % 3] += majorizer[i * n + j] * d[3 * v[j / 3] + j % 3];
    }
    for (int i = 0; i < 3 * sample->vertexCount; ++i) // sums of at most 24 x 4 terms in another order
        CHECK_NEAR(product[i], sum[i], 1e-13 * stiffness(energy));
}

static void majorizerIsNotBelowTheHessianNearRest(void **state)
{
    (void)state;
    overSamples(0, checkMajorizer);
}

// ---- lines ----------------------------------------------------------------------------------------------------------

static void checkLine(const Sample *sample, Energy *energy)
{
    static const double alphas[] = { 0, 1, 0.5, -0.3, 1e-3, 2.5 };
    int n = 3 * sample->vertexCount;
    for (int s = 0; s < STATE_COUNT; ++s)
    {
        double x[MAX_DOF], d[MAX_DOF], point[MAX_DOF];
        deform(sample, s, x);
        randomPoints(d, n, -0.2, 0.2);
        for (size_t i = 0; i < sizeof alphas / sizeof alphas[0]; ++i)
        {
            step(point, x, alphas[i], d, n);
            double scale = conditioning(energy, point) + conditioning(energy, x);
            energyLineStart(energy, x, d);
            double first = energyLineValue(energy, alphas[i]);
            for (int block = energy->blockCount; block-- > 0;)
            {
                energyLineStartBlocks(energy, x, d, block, block + 1);
                energyLineValueBlocks(energy, alphas[i], block, block + 1);
            }
            assert_true(first == energySum(energy)); // in pieces: the same bits
            CHECK_NEAR(first, energyValue(energy, point), 1e-14 * scale);
            // the cache survives other evaluations and other alphas
            energyLineValue(energy, 7);
            assert_true(first == energyLineValue(energy, alphas[i]));
        }
    }
}

static void lineValueIsTheValueOnTheLine(void **state)
{
    (void)state;
    overSamples(0, checkLine);
}

// ---- linear, projective and dissipative energies --------------------------------------------------------------------

static void checkLinear(const Sample *sample, Energy *energy)
{
    double x[MAX_DOF], y[MAX_DOF], atX[MAX_DOF], atY[MAX_DOF], nothing[9 * MAX_VERTICES] = { 0 };
    int n = 3 * sample->vertexCount;
    assert_null(energy->kind->hessian);
    deform(sample, 1, x);
    deform(sample, 3, y);
    gradientAt(energy, x, atX);
    gradientAt(energy, y, atY);
    assert_memory_equal(atX, atY, (size_t)n * sizeof(double));
    double difference = 0;
    for (int i = 0; i < n; ++i)
        difference += atX[i] * (y[i] - x[i]);
    // E is linear without a constant
    double scale = conditioning(energy, x) + conditioning(energy, y);
    CHECK_NEAR(energyValue(energy, y) - energyValue(energy, x), difference, 1e-14 * scale);
    energyAddHessianTimes(energy, x, HESSIAN_EXACT, y, nothing);
    energyAddMajorizerTimes(energy, y, nothing);
    energyAddBlockDiagonal(energy, x, HESSIAN_SEMIDEFINITE, nothing);
    for (int i = 0; i < 9 * sample->vertexCount; ++i)
        assert_true(nothing[i] == 0);
}

static void externalEnergiesAreLinear(void **state)
{
    (void)state;
    overSamples(TRAIT_EXTERNAL, checkLinear);
}

// majorizer x - projection
static void projectiveGradient(Energy *energy, const double *x, double *out)
{
    double right[MAX_DOF] = { 0 };
    int n = 3 * energy->vertexCount;
    memset(out, 0, (size_t)n * sizeof(double));
    energyAddMajorizerTimes(energy, x, out);
    energyAddProjection(energy, x, right);
    step(out, out, -1, right, n);
}

static void checkProjective(const Sample *sample, Energy *energy)
{
    int n = 3 * sample->vertexCount;
    for (int s = 0; s < STATE_COUNT; ++s)
    {
        double x[MAX_DOF], z[MAX_DOF], gradient[MAX_DOF], split[MAX_DOF], ld[MAX_DOF];
        deform(sample, s, x);
        gradientAt(energy, x, gradient);
        projectiveGradient(energy, x, split);
        for (int i = 0; i < n; ++i) // terms of the size of stiffness x position cancel
            CHECK_NEAR(gradient[i], split[i], 1e-13 * stiffness(energy));

        // a minimum over p: any fixed p gives a quadratic with matrix L that touches E at x and is nowhere below it
        for (int other = 0; other < STATE_COUNT; ++other)
        {
            deform(sample, other, z);
            double d[MAX_DOF];
            step(d, z, -1, x, n);
            memset(ld, 0, sizeof ld);
            energyAddMajorizerTimes(energy, d, ld);
            double bound = energyValue(energy, x) + dot(gradient, d, n) + 0.5 * dot(d, ld, n);
            CHECK_BELOW(energyValue(energy, z), bound + 1e-13 * (fabs(bound) + conditioning(energy, x)));
        }
    }
}

static void projectionSplitsTheGradient(void **state)
{
    (void)state;
    overSamples(TRAIT_PROJECTIVE, checkProjective);
}

static void checkIdempotence(const Sample *sample, Energy *energy)
{
    // a point of zero energy: the rest shape moved rigidly, or every vertex at its target, found by minimising each
    // element of one corner alone: x <- x - gradient / weight
    double x[MAX_DOF], gradient[MAX_DOF];
    int n = 3 * sample->vertexCount;
    if (energy->traits & TRAIT_INTERNAL)
    {
        Mat3 rotation = randomRotation();
        moveRigidly(&rotation, vec3(0.5, -1, 2), sample->rest, sample->vertexCount, x);
    }
    else
    {
        assert_int_equal(energy->kind->corners, 1);
        deform(sample, 1, x);
        gradientAt(energy, x, gradient);
        for (int e = 0; e < sample->elementCount; ++e)
            for (int a = 0; a < 3; ++a)
                x[3 * sample->vertices[e] + a] -= gradient[3 * sample->vertices[e] + a] / energyGetParam(energy, e, 0);
    }
    // positions round at 1e-15, the energy is the square of that
    CHECK_BELOW(energyValue(energy, x), 1e-26 * stiffness(energy));
    projectiveGradient(energy, x, gradient);
    CHECK_BELOW(largestMagnitude(gradient, n), 1e-13 * stiffness(energy));
}

static void projectionIsIdempotent(void **state)
{
    (void)state;
    overSamples(TRAIT_PROJECTIVE, checkIdempotence);
}

static void checkDissipation(const Sample *sample, Energy *energy)
{
    double v[MAX_DOF], gradient[MAX_DOF];
    int n = 3 * sample->vertexCount;
    for (int trial = 0; trial < 20; ++trial)
    {
        randomPoints(v, n, -2, 2);
        gradientAt(energy, v, gradient);
        assert_true(energyValue(energy, v) > 0);
        assert_true(dot(gradient, v, n) > 0);
    }
    memset(v, 0, sizeof v);
    gradientAt(energy, v, gradient);
    assert_true(energyValue(energy, v) == 0);
    for (int i = 0; i < n; ++i)
        assert_true(gradient[i] == 0);
}

static void dissipationTakesEnergy(void **state)
{
    (void)state;
    overSamples(TRAIT_DISSIPATIVE, checkDissipation);
}

// ---- storage --------------------------------------------------------------------------------------------------------

// value and slots of one element, as evaluated at x
static void elementNumbers(Energy *energy, const double *x, int element, double *out)
{
    int rows = 3 * energy->kind->corners;
    energy->kind->gradient(energy, x, 0, energy->blockCount); // first: the last bit of values depends on what it keeps
    energyValue(energy, x);
    out[0] = energy->value[element];
    for (int i = 0; i < rows; ++i)
        out[1 + i] = elementSlots(energy, element)[i];
}

static void checkActive(const Sample *sample, Energy *energy)
{
    int n = 3 * sample->vertexCount, width = 3 * energy->kind->corners;
    double x[MAX_DOF], d[MAX_DOF], before[MAX_DOF], after[MAX_DOF], product[MAX_DOF], again[MAX_DOF];
    deform(sample, 2, x);
    randomPoints(d, n, -1, 1);
    gradientAt(energy, x, before);
    double value = energyValue(energy, x); // after what the gradient keeps, as below
    hessianTimes(energy, x, HESSIAN_EXACT, d, product);
    for (int e = 0; e < sample->elementCount; ++e)
    {
        double off[1 + MAX_WIDTH], others[MAX_ELEMENTS][1 + MAX_WIDTH];
        for (int k = 0; k < sample->elementCount; ++k)
            elementNumbers(energy, x, k, others[k]);
        unsigned version = energy->version;
        energySetActive(energy, e, false);
        assert_int_equal(energy->version, version + 1);
        energySetActive(energy, e, false); // twice is like once
        for (int k = 0; k < sample->elementCount; ++k)
        {
            elementNumbers(energy, x, k, off);
            if (k != e)
                assert_memory_equal(off, others[k], (size_t)(1 + width) * sizeof(double));
            for (int i = 0; i < 1 + width && k == e; ++i)
                assert_true(off[i] == 0);
        }
        if (energy->kind->hessian)
        {
            double matrix[MAX_WIDTH * MAX_WIDTH];
            elementHessian(energy, x, e, HESSIAN_EXACT, matrix);
            assert_true(largestMagnitude(matrix, width * width) == 0);
            elementHessian(energy, x, e, HESSIAN_SEMIDEFINITE, matrix);
            assert_true(largestMagnitude(matrix, width * width) == 0);
            elementMajorizer(energy, e, matrix);
            assert_true(largestMagnitude(matrix, width * width) == 0);
        }
        energySetActive(energy, e, true);
        assert_int_equal(energy->version, version + 3);
        assert_true(energyValue(energy, x) == value);
        gradientAt(energy, x, after);
        assert_memory_equal(before, after, (size_t)n * sizeof(double));
        hessianTimes(energy, x, HESSIAN_EXACT, d, again);
        assert_memory_equal(product, again, (size_t)n * sizeof(double));
    }
    // all off: nothing at all
    for (int e = 0; e < sample->elementCount; ++e)
        energySetActive(energy, e, false);
    assert_true(energyValue(energy, x) == 0);
    gradientAt(energy, x, after);
    assert_true(largestMagnitude(after, n) == 0);
    energyLineStart(energy, x, d);
    assert_true(energyLineValue(energy, 0.7) == 0);
    assert_true(energyWork(energy, x, d) == 0);
}

static void switchedOffElementsContributeNothing(void **state)
{
    (void)state;
    overSamples(0, checkActive);
}

static void paramsAreKeptAndCounted(void **state)
{
    (void)state;
    for (int k = 0; k < energyKindCount(); ++k)
    {
        Memory memory = memoryMake(NULL);
        Sample sample = makeSample(energyKindAt(k), rowOf(energyKindAt(k))->variants - 1);
        Energy *energy = makeEnergy(&memory, &sample);
        int last = sample.elementCount - 1;
        for (int p = 0; p < energy->kind->paramCount; ++p)
        {
            double neighbour = energyGetParam(energy, last - 1, p);
            unsigned version = energy->version;
            energySetParam(energy, last, p, 3.5 + p);
            // matrices depend on weights and constants, not on targets and the like
            int first = energy->kind->stateFirst;
            bool isState = p >= first && p < first + energy->kind->stateCount;
            assert_int_equal(energy->version, version + (p == 0 || !isState));
            assert_true(energyGetParam(energy, last, p) == 3.5 + p);
            assert_true(energyGetParam(energy, last - 1, p) == neighbour);
        }
        // a changed weight is the one that comes back
        energySetActive(energy, last, false);
        assert_true(energyGetParam(energy, last, 0) == 0);
        energySetActive(energy, last, true);
        assert_true(energyGetParam(energy, last, 0) == 3.5);
        energyDestroy(energy);
    }
}

// the batch of the first `count` elements against the elements alone
static void checkBatch(const Sample *sample, int count, const double *x, const double *d)
{
    Memory memory = memoryMake(NULL);
    Energy *batch = makeRange(&memory, sample, 0, count, false);
    assert_non_null(batch);
    int n = 3 * sample->vertexCount, width = 3 * sample->kind->corners;
    double gradient[MAX_DOF], product[MAX_DOF], gradients[MAX_DOF] = { 0 }, products[MAX_DOF] = { 0 };
    double sum = 0, size = 0, value = energyValue(batch, x);
    assert_int_equal(batch->blockCount, (count + LANES - 1) / LANES);
    gradientAt(batch, x, gradient);
    hessianTimes(batch, x, HESSIAN_EXACT, d, product);
    for (int e = 0; e < count; ++e)
    {
        Energy *single = makeRange(&memory, sample, e, 1, false);
        assert_non_null(single);
        double alone[1 + MAX_WIDTH], inside[1 + MAX_WIDTH];
        elementNumbers(single, x, 0, alone);
        elementNumbers(batch, x, e, inside);
        assert_memory_equal(alone, inside, (size_t)(1 + width) * sizeof(double));
        sum += alone[0];
        size += fabs(alone[0]);
        energyAddGradient(single, x, gradients);
        energyAddHessianTimes(single, x, HESSIAN_EXACT, d, products);
        energyDestroy(single);
    }
    // sums of at most 17 terms in another order
    CHECK_NEAR(value, sum, 1e-14 * size);
    double scale = stiffness(batch) + largestMagnitude(gradient, n);
    for (int i = 0; i < n; ++i)
    {
        CHECK_NEAR(gradient[i], gradients[i], 1e-14 * scale);
        CHECK_NEAR(product[i], products[i], 1e-13 * scale);
    }
    // the padding itself is zero, not merely small
    for (int e = count; e < batch->blockCount * LANES; ++e)
    {
        double padding[1 + MAX_WIDTH];
        elementNumbers(batch, x, e, padding);
        for (int i = 0; i < 1 + width; ++i)
            assert_true(padding[i] == 0);
    }
    energyDestroy(batch);
    assert_int_equal(memory.blocks, 0);
}

static void paddingContributesNothing(void **state)
{
    (void)state;
    for (int k = 0; k < energyKindCount(); ++k)
    {
        Sample sample = makeSample(energyKindAt(k), rowOf(energyKindAt(k))->variants - 1);
        double x[MAX_DOF], d[MAX_DOF];
        deform(&sample, 2, x);
        randomPoints(d, 3 * sample.vertexCount, -1, 1);
        for (int count = 1; count <= BATCH; ++count)
            checkBatch(&sample, count, x, d);
    }
}

static void checkGather(const Sample *sample, Energy *energy)
{
    int n = 3 * sample->vertexCount, corners = energy->kind->corners;
    double x[MAX_DOF], first[MAX_DOF], second[MAX_DOF] = { 0 }, sum[MAX_DOF] = { 0 }, start[MAX_DOF], added[MAX_DOF];
    deform(sample, 3, x);
    gradientAt(energy, x, first);

    // a vertex adds its elements in ascending order, from zero
    energy->kind->gradient(energy, x, 0, energy->blockCount);
    for (int e = 0; e < sample->elementCount; ++e)
        for (int i = 0; i < 3 * corners; ++i)
            sum[3 * sample->vertices[e * corners + i / 3] + i % 3] += elementSlots(energy, e)[i];
    for (int i = 0; i < n; ++i)
        assert_true(first[i] == sum[i]);

    // in pieces, in any order: the same bits
    for (int block = energy->blockCount; block-- > 0;)
        energyGradientBlocks(energy, x, block, block + 1);
    int middle = energy->vertexCount / 3;
    energyGather(energy, second, middle, energy->vertexCount);
    energyGather(energy, second, 0, middle);
    assert_memory_equal(first, second, (size_t)n * sizeof(double));

    // the same bits again, whatever used the slots in between, and added to what was there
    energyAddHessianTimes(energy, x, HESSIAN_EXACT, first, second);
    gradientAt(energy, x, second);
    assert_memory_equal(first, second, (size_t)n * sizeof(double));
    randomPoints(start, n, -1, 1);
    memcpy(added, start, sizeof added);
    energyAddGradient(energy, x, added);
    for (int i = 0; i < n; ++i)
        assert_true(added[i] == start[i] + first[i]);

    // without indices and with those of all vertices: the same bits
    if (sample->direct)
    {
        Memory memory = memoryMake(NULL);
        Energy *indexed = makeRange(&memory, sample, 0, sample->elementCount, false);
        assert_non_null(indexed);
        gradientAt(indexed, x, second);
        assert_memory_equal(first, second, (size_t)n * sizeof(double));
        assert_true(energyValue(indexed, x) == energyValue(energy, x));
        energyDestroy(indexed);
    }
}

static void verticesGatherInAFixedOrder(void **state)
{
    (void)state;
    overSamples(0, checkGather);
}

static void checkDescription(const Sample *sample, Energy *energy)
{
    double x[MAX_DOF];
    deform(sample, 3, x);
    for (int e = 0; e < sample->elementCount; ++e)
    {
        char text[300] = "", number[20], cut[9] = "########";
        energyDescribe(energy, x, e, text, sizeof text);
        snprintf(number, sizeof number, " %d:", e);
        assert_true(strlen(text) > 20 && strlen(text) < sizeof text - 1);
        assert_non_null(strstr(text, number)); // it names the element
        energyDescribe(energy, x, e, cut, 8);
        assert_int_equal(strlen(cut), 7); // a short buffer is filled and ended
        assert_memory_equal(cut, text, 7);
    }
}

static void everyElementHasADescription(void **state)
{
    (void)state;
    overSamples(0, checkDescription);
}

static void checkHash(const Sample *sample, Energy *energy)
{
    const EnergyKind *kind = energy->kind;
    uint64_t before = energyHashState(energy, HASH_SEED);
    for (int e = 0; e < sample->elementCount; ++e)
    {
        for (int p = 0; p < kind->paramCount; ++p)
        {
            double kept = energyGetParam(energy, e, p);
            bool declared = p >= kind->stateFirst && p < kind->stateFirst + kind->stateCount;
            energySetParam(energy, e, p, kept + 0.125);
            assert_int_equal(energyHashState(energy, HASH_SEED) != before, declared);
            energySetParam(energy, e, p, kept);
            assert_true(energyHashState(energy, HASH_SEED) == before);
        }
    }
    // what is not state does not show: scratch, multipliers' absence, the point of evaluation
    double x[MAX_DOF];
    deform(sample, 1, x);
    energyValue(energy, x);
    energyLineStart(energy, x, x);
    energyLineValue(energy, 0.5);
    energyAddHessianTimes(energy, x, HESSIAN_EXACT, x, (double[MAX_DOF]){ 0 });
    energy->fraction = 0.25;
    assert_true(energyHashState(energy, HASH_SEED) == before);
    // what a gradient keeps for the next one does, until it is taken back
    conditioning(energy, x);
    assert_int_equal(energyHashState(energy, HASH_SEED) != before, kind->keptCount > 0);
    energyRewind(energy); // to the creation: nothing was marked since
    assert_true(energyHashState(energy, HASH_SEED) == before);
    conditioning(energy, x);
    energyMark(energy);
    uint64_t marked = energyHashState(energy, HASH_SEED);
    deform(sample, 4, x);
    conditioning(energy, x);
    energyRewind(energy);
    assert_true(energyHashState(energy, HASH_SEED) == marked);
    if (kind->stateCount > 0)
        assert_true(energyHashState(energy, HASH_SEED + 1) != before);
}

static void hashHoldsTheDeclaredStateOnly(void **state)
{
    (void)state;
    overSamples(0, checkHash);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

// a hook that refuses one request, or that one and all later ones
typedef struct Bank
{
    int requests, refuse;
    bool forever;
    size_t bytes; // handed out and not returned
} Bank;

static void *bankAllocate(size_t size, size_t alignment, void *userData)
{
    Bank *bank = userData;
    int request = bank->requests++;
    if (request == bank->refuse || (bank->forever && request > bank->refuse))
        return NULL;
    bank->bytes += size;
    return systemAllocate(size, alignment);
}

static void bankRelease(void *memory, size_t size, void *userData)
{
    Bank *bank = userData;
    bank->bytes -= size;
    systemRelease(memory);
}

static void refusedMemoryLeaksNothing(void **state)
{
    (void)state;
    for (int k = 0; k < energyKindCount(); ++k)
    {
        for (int variant = 0; variant < rowOf(energyKindAt(k))->variants; ++variant)
        {
            Sample sample = makeSample(energyKindAt(k), variant);
            for (int refuse = 0, made = 0; !made; ++refuse)
            {
                for (int forever = 0; forever < 2; ++forever)
                {
                    Bank bank = { .refuse = refuse, .forever = forever == 1 };
                    vvAllocator hook = { bankAllocate, bankRelease, &bank };
                    Memory memory = memoryMake(&hook);
                    Energy *energy = makeRange(&memory, &sample, 0, sample.elementCount, sample.direct);
                    made = energy != NULL;
                    assert_int_equal(made, bank.requests <= refuse); // refused anything: no energy
                    energyDestroy(energy);
                    assert_int_equal(bank.bytes, 0);
                    assert_int_equal(memory.blocks, 0);
                }
                assert_true(refuse < 100);
                if (made)
                    assert_true(refuse >= 7); // the struct and its six arrays at least
            }
        }
    }
    energyDestroy(NULL); // is fine
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyKindHasASample),
        cmocka_unit_test(traitsComeWithTheirFunctions),
        cmocka_unit_test(restHasNoEnergyAndNoForce),
        cmocka_unit_test(rigidMotionChangesNothing),
        cmocka_unit_test(forcesAndMomentsCancel),
        cmocka_unit_test(freeEnergiesPushNothingAway),
        cmocka_unit_test(gradientIsTheSlopeOfTheValue),
        cmocka_unit_test(hessianIsTheSlopeOfTheGradient),
        cmocka_unit_test(semidefiniteHessianIsNotBelowTheExact),
        cmocka_unit_test(productsAreSymmetricAndBlocksAreTheirDiagonal),
        cmocka_unit_test(majorizerIsNotBelowTheHessianNearRest),
        cmocka_unit_test(lineValueIsTheValueOnTheLine),
        cmocka_unit_test(externalEnergiesAreLinear),
        cmocka_unit_test(projectionSplitsTheGradient),
        cmocka_unit_test(projectionIsIdempotent),
        cmocka_unit_test(dissipationTakesEnergy),
        cmocka_unit_test(switchedOffElementsContributeNothing),
        cmocka_unit_test(paramsAreKeptAndCounted),
        cmocka_unit_test(paddingContributesNothing),
        cmocka_unit_test(verticesGatherInAFixedOrder),
        cmocka_unit_test(everyElementHasADescription),
        cmocka_unit_test(hashHoldsTheDeclaredStateOnly),
        cmocka_unit_test(refusedMemoryLeaksNothing),
    };
    return cmocka_run_group_tests_name("energy", tests, NULL, NULL);
}
