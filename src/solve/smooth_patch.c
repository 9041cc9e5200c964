// Stiffness of smooth motion: springs and triangles as edges, gathered in patches on which functions are nearly linear;
// what is neither (bending) resists as its majorizer does.
#include "solve/smooth_patch.h"

#include "linear/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EDGES_OF_PATCH 4 // at least, on average, beyond the first CUT edges
#define CUT 32

typedef SmoothSpring Edge;

// ---- elements -------------------------------------------------------------------------------------------------------

// it is in L
static bool isElastic(const Energy *energy)
{
    return energy->kind->majorizer != NULL && !energyIsDiagonal(energy) && !(energy->traits & TRAIT_DISSIPATIVE);
}

static bool isPair(const Energy *energy)
{
    return energy->kind == &springKind || energy->kind == &squaredSpringKind || energy->kind == &curveKind ||
           energy->kind == &edgeLimitKind;
}

static bool isTriangle(const Energy *energy)
{
    return energy->kind == &triangleKind || energy->kind == &membraneKind || energy->kind == &wovenKind ||
           energy->kind == &triangleCurveKind || energy->kind == &triangleLimitKind ||
           energy->kind == &triangleFibreKind;
}

static void addEdge(SmoothWork *edges, const SmoothRecipe *recipe, int a, int b, double stiffness)
{
    Vec3 x = vecLoad(recipe->rest + 3 * (ptrdiff_t)a), y = vecLoad(recipe->rest + 3 * (ptrdiff_t)b);
    bool held = recipe->pinned[a] && recipe->pinned[b];
    if (held || !(stiffness > 0))
        return;
    edges->edge[edges->edgeCount] = (Edge){ { a, b }, stiffness, vecLength(vecSub(y, x)), 0, edges->edgeCount };
    edges->edgeCount += 1;
}

// N/m: springs along the edges of a triangle that are not softer than w |grad u|^2 in any strain. `matrix`: 3 x 3, of
// the majorizer
static double triangleStiffness(const Vec3 x[3], const double *matrix)
{
    double strain[9] = { 0 }, values[3], vectors[9], weight = 0;
    Vec3 normal = vecCross(vecSub(x[1], x[0]), vecSub(x[2], x[0]));
    double twice = vecLength(normal);
    if (!(twice > 0))
        return 0;
    Vec3 first = vecScale(1 / vecLength(vecSub(x[1], x[0])), vecSub(x[1], x[0]));
    Vec3 second = vecCross(vecScale(1 / twice, normal), first);
    for (int e = 0; e < 3; ++e)
    {
        Vec3 edge = vecSub(x[(e + 2) % 3], x[(e + 1) % 3]);
        double square = vecDot(edge, edge), a = vecDot(edge, first), b = vecDot(edge, second);
        const double n[3] = { a * a / square, b * b / square, sqrt(2) * a * b / square };
        for (int i = 0; i < 9; ++i)
            strain[i] += square * n[i / 3] * n[i % 3];
        weight = maxReal(weight, matrix[4 * e] * twice * twice / square); // its shape function has slope |edge| / twice
    }
    eigenDense(3, strain, values, vectors);
    return values[0] > 0 ? weight / values[0] : 0;
}

static void addStill(Smooth *smooth, const double *u, int count, const int *vertex, int corners, const double *matrix)
{
    double at[MAX_CORNERS * SMOOTH_MOST]; // of each corner: the functions
    for (int c = 0; c < corners; ++c)
    {
        for (int k = 0; k < count; ++k)
            at[c * count + k] = u[(ptrdiff_t)k * smooth->vertices + vertex[c * LANES]];
    }
    for (int row = 0; row < corners; ++row)
    {
        double product[SMOOTH_MOST] = { 0 };
        for (int column = 0; column < corners; ++column)
        {
            for (int k = 0; k < count; ++k)
                product[k] += matrix[row * corners + column] * at[column * count + k];
        }
        for (int a = 0; a < count; ++a)
        {
            for (int b = 0; b < count; ++b)
                smooth->still[a * smooth->count + b] += at[row * count + a] * product[b];
        }
    }
}

static void readEnergy(Smooth *smooth, const SmoothRecipe *recipe, const Energy *energy, const double *u, int count,
                       SmoothWork *edges)
{
    double matrices[LANES * MAX_CORNERS * MAX_CORNERS];
    int corners = energy->kind->corners;
    for (int e = 0; e < energy->elementCount; ++e)
    {
        if (e % LANES == 0)
            energy->kind->majorizer(energy, e / LANES, matrices);
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        const double *matrix = matrices + (ptrdiff_t)(e % LANES) * corners * corners;
        if (isPair(energy))
            addEdge(edges, recipe, vertex[0], vertex[LANES], matrix[0]);
        else if (isTriangle(energy))
        {
            Vec3 x[3];
            for (int c = 0; c < 3; ++c)
                x[c] = vecLoad(recipe->rest + 3 * (ptrdiff_t)vertex[c * LANES]);
            double stiffness = triangleStiffness(x, matrix);
            for (int c = 0; c < 3; ++c)
                addEdge(edges, recipe, vertex[c * LANES], vertex[(c + 1) % 3 * LANES], stiffness);
        }
        else
            addStill(smooth, u, count, vertex, corners, matrix);
    }
}

// ---- patches --------------------------------------------------------------------------------------------------------

static int compareEdges(const void *a, const void *b)
{
    const Edge *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static double middleOf(const SmoothRecipe *recipe, const Edge *edge, int axis)
{
    return recipe->rest[3 * (ptrdiff_t)edge->vertex[0] + axis] + recipe->rest[3 * (ptrdiff_t)edge->vertex[1] + axis];
}

// orders the edges of a range along its longest side
static void sortRange(const SmoothRecipe *recipe, Edge *edge, int count)
{
    int longest = 0;
    double most = -1;
    for (int axis = 0; axis < 3; ++axis)
    {
        double low = INFINITY, high = -INFINITY;
        for (int e = 0; e < count; ++e)
        {
            low = minReal(low, middleOf(recipe, &edge[e], axis));
            high = maxReal(high, middleOf(recipe, &edge[e], axis));
        }
        if (high - low > most)
        {
            most = high - low;
            longest = axis;
        }
    }
    for (int e = 0; e < count; ++e)
        edge[e].key = middleOf(recipe, &edge[e], longest);
    qsort(edge, (size_t)count, sizeof(Edge), compareEdges);
}

// halves the largest range until there are enough
static void cutPatches(Smooth *smooth, const SmoothRecipe *recipe, SmoothWork *edges)
{
    int wanted = minInt(SMOOTH_PATCHES, maxInt(edges->edgeCount / EDGES_OF_PATCH, minInt(edges->edgeCount, CUT))),
        *start = smooth->patchStart;
    smooth->patchCount = edges->edgeCount > 0;
    start[0] = 0;
    start[1] = edges->edgeCount;
    while (smooth->patchCount < wanted && smooth->patchCount > 0)
    {
        int largest = 0;
        for (int p = 1; p < smooth->patchCount; ++p)
        {
            if (start[p + 1] - start[p] > start[largest + 1] - start[largest])
                largest = p;
        }
        int begin = start[largest], count = start[largest + 1] - begin;
        sortRange(recipe, edges->edge + begin, count);
        memmove(start + largest + 2, start + largest + 1, (size_t)(smooth->patchCount - largest) * sizeof(int));
        start[largest + 1] = begin + count / 2;
        smooth->patchCount += 1;
    }
}

// ---- slopes ---------------------------------------------------------------------------------------------------------

typedef struct Fit
{
    Vec3 axis[2];     // of the patch
    double square[3]; // N m: sum of k xx xy yy
} Fit;

static void inFrame(const SmoothRecipe *recipe, const Fit *fit, const Edge *edge, double d[2])
{
    Vec3 x = vecSub(vecLoad(recipe->rest + 3 * (ptrdiff_t)edge->vertex[1]),
                    vecLoad(recipe->rest + 3 * (ptrdiff_t)edge->vertex[0]));
    d[0] = vecDot(x, fit->axis[0]);
    d[1] = vecDot(x, fit->axis[1]);
}

static Fit fitPatch(const SmoothRecipe *recipe, const Edge *edge, int count)
{
    Mat3 sum = { { { 0 } } };
    for (int e = 0; e < count; ++e)
    {
        double d[3];
        vecStore(d, vecSub(vecLoad(recipe->rest + 3 * (ptrdiff_t)edge[e].vertex[1]),
                           vecLoad(recipe->rest + 3 * (ptrdiff_t)edge[e].vertex[0])));
        for (int i = 0; i < 9; ++i)
            sum.m[i / 3][i % 3] += edge[e].stiffness * d[i / 3] * d[i % 3];
    }
    Svd3 svd = svd3(&sum);
    Fit fit = { .square = { 0 } };
    for (int a = 0; a < 2; ++a)
        fit.axis[a] = vec3(svd.u.m[0][a], svd.u.m[1][a], svd.u.m[2][a]);
    fit.square[0] = svd.sigma[0];
    fit.square[2] = svd.sigma[1] > 1e-9 * svd.sigma[0] ? svd.sigma[1] : 0;
    return fit;
}

// slopes by least squares: the frame is of the principal axes
static void slopesOf(Smooth *smooth, const SmoothRecipe *recipe, const SmoothWork *edges, int patch, const double *u,
                     int count)
{
    int begin = smooth->patchStart[patch], length = smooth->patchStart[patch + 1] - begin;
    const Edge *edge = edges->edge + begin;
    Fit fit = fitPatch(recipe, edge, length);
    smooth->whole += fit.square[0] + fit.square[2];
    double *slope = smooth->slope + (ptrdiff_t)patch * 2 * smooth->count;
    for (int k = 0; k < count; ++k)
    {
        const double *at = u + (ptrdiff_t)k * smooth->vertices;
        double sum[2] = { 0, 0 };
        for (int e = 0; e < length; ++e)
        {
            double d[2], rise = at[edge[e].vertex[1]] - at[edge[e].vertex[0]];
            inFrame(recipe, &fit, &edge[e], d);
            sum[0] += edge[e].stiffness * rise * d[0];
            sum[1] += edge[e].stiffness * rise * d[1];
        }
        for (int a = 0; a < 2; ++a)
        {
            double square = fit.square[2 * a];
            slope[a * smooth->count + k] = square > 0 ? sum[a] / square : 0;
        }
    }
    double *uneven = smooth->uneven + (ptrdiff_t)patch * smooth->count * smooth->count;
    double left[SMOOTH_MOST], whole = fit.square[0] + fit.square[2];
    for (int e = 0; e < length; ++e)
    {
        double d[2];
        inFrame(recipe, &fit, &edge[e], d);
        for (int k = 0; k < count; ++k)
        {
            const double *at = u + (ptrdiff_t)k * smooth->vertices;
            left[k] = at[edge[e].vertex[1]] - at[edge[e].vertex[0]] - slope[k] * d[0] - slope[smooth->count + k] * d[1];
        }
        for (int k = 0; k < count * count && whole > 0; ++k)
            uneven[k / count * smooth->count + k % count] +=
                edge[e].stiffness * left[k / count] * left[k % count] / whole;
    }
}

// a number without order
static double shuffled(int number)
{
    unsigned x = (unsigned)number * 2654435761u;
    return (x ^ x >> 15) * 2246822519u;
}

// the edges that are looked at, with the weight of all: their kept ones come first
static int takeEdges(Smooth *smooth, const SmoothRecipe *recipe, Edge *edge, int count, int to)
{
    Fit fit = fitPatch(recipe, edge, count);
    int kept = minInt(count, SMOOTH_SAMPLES);
    double all = 0, some = 0;
    for (int e = 0; e < count; ++e)
        edge[e].key = shuffled(edge[e].number);
    if (kept < count)
        qsort(edge, (size_t)count, sizeof(Edge), compareEdges);
    for (int e = 0; e < count; ++e)
    {
        double d[2];
        inFrame(recipe, &fit, &edge[e], d);
        double part = edge[e].stiffness * (d[0] * d[0] + d[1] * d[1]);
        all += part;
        some += e < kept ? part : 0;
    }
    for (int e = 0; e < kept; ++e)
    {
        double d[2], k = edge[e].stiffness * (some > 0 ? all / some : 1);
        inFrame(recipe, &fit, &edge[e], d);
        smooth->edge[to + e] = (SmoothEdge){ { edge[e].vertex[0], edge[e].vertex[1] },
                                             { k * d[0] * d[0], k * d[0] * d[1], k * d[1] * d[1] },
                                             edge[e].rest };
    }
    return kept;
}

static void fillPatches(Smooth *smooth, const SmoothRecipe *recipe, SmoothWork *edges, const double *u, int count)
{
    size_t patches = SMOOTH_PATCHES, functions = (size_t)smooth->count;
    cutPatches(smooth, recipe, edges);
    memset(smooth->slope, 0, patches * 2 * functions * sizeof(double));
    memset(smooth->uneven, 0, patches * functions * functions * sizeof(double));
    smooth->whole = 0;
    for (int p = 0; p < smooth->patchCount; ++p)
        slopesOf(smooth, recipe, edges, p, u, count);
    int place = 0;
    for (int p = 0; p < smooth->patchCount; ++p)
    {
        int begin = smooth->patchStart[p], length = smooth->patchStart[p + 1] - begin;
        smooth->patchStart[p] = place; // the end of a patch is read before it is replaced
        place += takeEdges(smooth, recipe, edges->edge + begin, length, place);
    }
    smooth->patchStart[smooth->patchCount] = place;
}

double smoothWork(const SmoothRecipe *recipe)
{
    double functions = recipe->wanted, square = functions * functions, vertices = recipe->graph->count;
    double work = 6 * functions * (double)frontTreeEntries(recipe->tree) + 8 * square * vertices;
    for (int e = 0; e < recipe->energyCount; ++e)
    {
        const Energy *energy = recipe->energy[e];
        if (isElastic(energy))
            work += square * energy->elementCount *
                    (isPair(energy)       ? 1
                     : isTriangle(energy) ? 3
                                          : energy->kind->corners);
    }
    return work;
}

int smoothEdges(const SmoothRecipe *recipe)
{
    int count = 0;
    for (int e = 0; e < recipe->energyCount; ++e)
    {
        const Energy *energy = recipe->energy[e];
        count += isPair(energy) ? energy->elementCount : isTriangle(energy) ? 3 * energy->elementCount : 0;
    }
    return count;
}

void smoothPatches(Smooth *smooth, const SmoothRecipe *recipe, const double *u, int count)
{
    SmoothWork *work = &smooth->work;
    work->edgeCount = 0;
    memset(smooth->still, 0, (size_t)(smooth->count * smooth->count) * sizeof(double));
    for (int e = 0; e < recipe->energyCount; ++e)
    {
        if (isElastic(recipe->energy[e]))
            readEnergy(smooth, recipe, recipe->energy[e], u, count, work);
    }
    fillPatches(smooth, recipe, work, u, count);
}
