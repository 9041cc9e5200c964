// The functions of smooth motion: polynomials of the rest shape, less the harmonic functions (L h = 0) that have their
// values at pins. They converge fast for motion whose slope is free at edges, which the modes of L, with slope zero
// there, do not.
#include "linear/eigen.h"
#include "solve/smooth_patch.h"

#include <math.h>
#include <string.h>

#define DEGREES 13     // of each coordinate: 0 to 12
#define NARROWEST 0.2  // of the longest side, that degrees along the others count for
#define NO_SIDE 1e-6   // sides that are shorter have no degrees
#define DEPENDENT 1e-5 // of a function, that is not in the span of those before
#define SHIFT 1e-10    // of the diagonal of L: pieces without a pin

typedef struct Making
{
    const SmoothRecipe *recipe;
    int vertices, count;
    double *u;     // count x vertices
    double *value; // entries of the graph: L without pins
    double *vector[2];
    FrontFactor *factor; // of it
    bool pinned;         // something is
} Making;

// y = L x
static void multiply(const SmoothRecipe *recipe, const double *x, double *y)
{
    const Graph *graph = recipe->graph;
    memset(y, 0, (size_t)graph->count * sizeof(double));
    for (int column = 0; column < graph->count; ++column)
    {
        int k = graph->start[column];
        y[column] += recipe->majorizer[k] * x[column];
        for (k += 1; k < graph->start[column + 1]; ++k)
        {
            y[graph->row[k]] += recipe->majorizer[k] * x[column];
            y[column] += recipe->majorizer[k] * x[graph->row[k]];
        }
    }
}

static bool factorFree(Making *making)
{
    const SmoothRecipe *recipe = making->recipe;
    const Graph *graph = recipe->graph;
    for (int column = 0; column < graph->count; ++column)
    {
        for (int k = graph->start[column]; k < graph->start[column + 1]; ++k)
        {
            bool diagonal = k == graph->start[column], open = !recipe->pinned[column] && !recipe->pinned[graph->row[k]];
            making->value[k] = open ? recipe->majorizer[k] : 0;
            if (diagonal)
                making->value[k] = making->value[k] > 0 ? (1 + SHIFT) * making->value[k] : 1;
        }
    }
    return frontFactorCompute(making->factor, making->value, NULL);
}

// ---- polynomials ----------------------------------------------------------------------------------------------------

typedef struct Box
{
    double middle[3], scale; // m, 1/m
    double length[3];        // 1, of the longest side; 0: none
} Box;

static Box boxOf(const SmoothRecipe *recipe)
{
    Box box = { .scale = 0 };
    double longest = 0, side[3];
    for (int a = 0; a < 3; ++a)
    {
        double least = recipe->rest[a], most = least;
        for (int v = 1; v < recipe->graph->count; ++v)
        {
            least = minReal(least, recipe->rest[3 * v + a]);
            most = maxReal(most, recipe->rest[3 * v + a]);
        }
        box.middle[a] = 0.5 * (least + most);
        side[a] = most - least;
        longest = maxReal(longest, side[a]);
    }
    box.scale = longest > 0 ? 2 / longest : 1;
    for (int a = 0; a < 3; ++a)
        box.length[a] = side[a] > NO_SIDE * longest ? maxReal(side[a] / longest, NARROWEST) : 0;
    return box;
}

// the degree of polynomial number i, counted for shorter sides as higher; negative: along a side that there is not
static double degreeOf(const Box *box, int i)
{
    const int power[3] = { i % DEGREES, i / DEGREES % DEGREES, i / (DEGREES * DEGREES) };
    double sum = 0;
    for (int a = 0; a < 3; ++a)
    {
        if (power[a] > 0 && box->length[a] == 0)
            return -1;
        sum += power[a] > 0 ? power[a] / box->length[a] : 0;
    }
    return sum;
}

// the polynomial that comes after number `last`, by degree; -1: there is none
static int nextPolynomial(const Box *box, int last)
{
    double before = last < 0 ? -1 : degreeOf(box, last), best = INFINITY;
    int found = -1;
    for (int i = 0; i < DEGREES * DEGREES * DEGREES; ++i)
    {
        double degree = degreeOf(box, i);
        bool after = degree >= 0 && (degree > before || (degree == before && i > last));
        if (after && degree < best)
        {
            best = degree;
            found = i;
        }
    }
    return found;
}

static void fillPolynomial(const SmoothRecipe *recipe, const Box *box, int i, double *p)
{
    const int power[3] = { i % DEGREES, i / DEGREES % DEGREES, i / (DEGREES * DEGREES) };
    for (int v = 0; v < recipe->graph->count; ++v)
    {
        p[v] = 1;
        for (int a = 0; a < 3; ++a)
        {
            double x = box->scale * (recipe->rest[3 * v + a] - box->middle[a]);
            for (int k = 0; k < power[a]; ++k)
                p[v] *= x;
        }
    }
}

// ---- functions ------------------------------------------------------------------------------------------------------

// u = p - h: L u = L p at free vertices, u = 0 at pins
static void removeHarmonic(Making *making, double *u)
{
    double *product = making->vector[0], *wide = making->vector[1];
    multiply(making->recipe, u, product);
    for (int v = 0; v < making->vertices; ++v)
    {
        wide[3 * v] = making->recipe->pinned[v] ? 0 : product[v];
        wide[3 * v + 1] = wide[3 * v + 2] = 0;
    }
    frontFactorSolve(making->factor, wide, wide, NULL);
    for (int v = 0; v < making->vertices; ++v)
        u[v] = making->recipe->pinned[v] ? 0 : wide[3 * v];
}

static double dot(const Making *making, const double *a, const double *b)
{
    double sum = 0;
    for (int v = 0; v < making->vertices; ++v)
        sum += making->recipe->mass[v] * a[v] * b[v];
    return sum;
}

// true: it is a new function, orthonormal to those before
static bool takeFunction(Making *making)
{
    double *u = making->u + (ptrdiff_t)making->count * making->vertices, before = dot(making, u, u);
    for (int k = 0; k < 2 * making->count; ++k)
    {
        const double *other = making->u + (ptrdiff_t)(k % making->count) * making->vertices;
        double overlap = dot(making, u, other);
        for (int v = 0; v < making->vertices; ++v)
            u[v] -= overlap * other[v];
    }
    double square = dot(making, u, u);
    if (!(square > DEPENDENT * DEPENDENT * before) || !isfinite(1 / square))
        return false;
    for (int v = 0; v < making->vertices; ++v)
        u[v] /= sqrt(square);
    making->count += 1;
    return true;
}

// turns the functions so that u_a^T L u_b = 0; their squares are the diagonal
static void separate(Making *making, double *square)
{
    double matrix[SMOOTH_MOST * SMOOTH_MOST], vectors[SMOOTH_MOST * SMOOTH_MOST], work[SMOOTH_MOST], old[SMOOTH_MOST];
    int count = making->count;
    for (int a = 0; a < count; ++a)
    {
        multiply(making->recipe, making->u + (ptrdiff_t)a * making->vertices, making->vector[0]);
        for (int b = 0; b < count; ++b)
        {
            const double *other = making->u + (ptrdiff_t)b * making->vertices;
            matrix[a * count + b] = 0;
            for (int v = 0; v < making->vertices; ++v)
                matrix[a * count + b] += other[v] * making->vector[0][v];
        }
    }
    eigenSymmetric(count, matrix, square, vectors, work);
    for (int v = 0; v < making->vertices; ++v)
    {
        for (int a = 0; a < count; ++a)
            old[a] = making->u[(ptrdiff_t)a * making->vertices + v];
        for (int a = 0; a < count; ++a)
        {
            double sum = 0;
            for (int b = 0; b < count; ++b)
                sum += vectors[a * count + b] * old[b];
            making->u[(ptrdiff_t)a * making->vertices + v] = sum;
        }
    }
    for (int a = 0; a < count; ++a)
        square[a] = maxReal(square[a], 0);
}

static void makeFunctions(Making *making, double *square)
{
    const SmoothRecipe *recipe = making->recipe;
    making->pinned = memchr(recipe->pinned, 1, (size_t)making->vertices) != NULL;
    if (making->pinned && !factorFree(making))
        return; // no functions
    Box box = boxOf(recipe);
    for (int i = nextPolynomial(&box, -1); i >= 0 && making->count < recipe->wanted; i = nextPolynomial(&box, i))
    {
        double *u = making->u + (ptrdiff_t)making->count * making->vertices;
        fillPolynomial(recipe, &box, i, u);
        if (making->pinned)
            removeHarmonic(making, u);
        takeFunction(making);
    }
    separate(making, square);
}

// ---- creation -------------------------------------------------------------------------------------------------------

static void fillShape(Smooth *smooth, const Making *making, const double *square)
{
    memset(smooth->shape, 0, (size_t)smooth->blocks * (size_t)smooth->count * SMOOTH_BLOCK * sizeof(float));
    for (int k = 0; k < smooth->count; ++k)
        smooth->square[k] = k < making->count ? square[k] : 0;
    for (int i = 0; i < making->count * making->vertices; ++i)
    {
        int k = i / making->vertices, v = i % making->vertices;
        ptrdiff_t place = ((ptrdiff_t)(v / SMOOTH_BLOCK) * smooth->count + k) * SMOOTH_BLOCK;
        smooth->shape[place + v % SMOOTH_BLOCK] = (float)making->u[i];
    }
}

void smoothRenew(Smooth *smooth, const SmoothRecipe *recipe)
{
    double square[SMOOTH_MOST];
    SmoothWork *work = &smooth->work;
    Making making = { .recipe = recipe,
                      .vertices = smooth->vertices,
                      .u = work->u,
                      .value = work->value,
                      .vector = { work->vector[0], work->vector[1] },
                      .factor = work->factor };
    makeFunctions(&making, square);
    int open = 0;
    for (int v = 0; v < smooth->vertices; ++v)
        open += !recipe->pinned[v];
    work->made = making.count;
    smooth->excess = making.count < open ? SMOOTH_EXCESS : 1;
    fillShape(smooth, &making, square);
    smoothPatches(smooth, recipe, making.u, making.count);
}

bool smoothExists(const Smooth *smooth)
{
    return smooth->work.made > 0;
}

static bool allocate(Smooth *smooth, Memory *memory, const SmoothRecipe *recipe)
{
    size_t count = (size_t)smooth->count, vertices = (size_t)smooth->vertices, blocks = (size_t)smooth->blocks;
    SmoothWork *work = &smooth->work;
    smooth->square = ALLOCATE(memory, double, count);
    smooth->shape = ALLOCATE(memory, float, blocks *count *SMOOTH_BLOCK);
    smooth->still = ALLOCATE(memory, double, count *count);
    smooth->matrix = ALLOCATE(memory, double, 9 * count * count);
    smooth->own = ALLOCATE(memory, double, count *count);
    smooth->hold = ALLOCATE(memory, double, count *count);
    smooth->sums = ALLOCATE(memory, double, blocks * 3 * count); // tasks are fewer than blocks
    smooth->patchStart = ALLOCATE(memory, int, SMOOTH_PATCHES + 2);
    smooth->edge = ALLOCATE(memory, SmoothEdge, SMOOTH_PATCHES * SMOOTH_SAMPLES);
    smooth->slope = ALLOCATE(memory, double, SMOOTH_PATCHES * 2 * count);
    smooth->uneven = ALLOCATE(memory, double, SMOOTH_PATCHES *count *count);
    smooth->tensor = ALLOCATE(memory, double, SMOOTH_PATCHES *SMOOTH_TENSORS);
    work->u = ALLOCATE(memory, double, vertices *(count + 1));
    work->value = ALLOCATE(memory, double, recipe->graph->start[vertices]);
    work->vector[0] = ALLOCATE(memory, double, vertices);
    work->vector[1] = ALLOCATE(memory, double, 3 * vertices);
    work->factor = frontFactorCreate(memory, recipe->tree, FRONT_DOUBLE, recipe->isa);
    work->edgeRoom = smoothEdges(recipe);
    work->edge = ALLOCATE(memory, SmoothSpring, maxInt(work->edgeRoom, 1));
    return smooth->square && smooth->shape && smooth->still && smooth->matrix && smooth->own && smooth->hold &&
           smooth->sums && smooth->patchStart && smooth->edge && smooth->slope && smooth->uneven && smooth->tensor &&
           work->u && work->value && work->vector[0] && work->vector[1] && work->factor && work->edge;
}

Smooth *smoothCreate(Memory *memory, const SmoothRecipe *recipe)
{
    int vertices = recipe->graph->count;
    Smooth *smooth = ALLOCATE(memory, Smooth, 1);
    if (smooth == NULL)
        return NULL;
    *smooth = (Smooth){ .memory = memory,
                        .isa = recipe->isa,
                        .vertices = vertices,
                        .count = (recipe->wanted + SMOOTH_GROUP - 1) / SMOOTH_GROUP * SMOOTH_GROUP,
                        .blocks = (vertices + SMOOTH_BLOCK - 1) / SMOOTH_BLOCK };
    if (!allocate(smooth, memory, recipe))
    {
        smoothDestroy(smooth);
        return NULL;
    }
    smoothRenew(smooth, recipe);
    return smooth;
}

void smoothDestroy(Smooth *smooth)
{
    if (smooth == NULL)
        return;
    Memory *memory = smooth->memory;
    memoryRelease(memory, smooth->square);
    memoryRelease(memory, smooth->shape);
    memoryRelease(memory, smooth->patchStart);
    memoryRelease(memory, smooth->edge);
    memoryRelease(memory, smooth->slope);
    memoryRelease(memory, smooth->uneven);
    memoryRelease(memory, smooth->tensor);
    memoryRelease(memory, smooth->still);
    memoryRelease(memory, smooth->matrix);
    memoryRelease(memory, smooth->own);
    memoryRelease(memory, smooth->hold);
    memoryRelease(memory, smooth->sums);
    memoryRelease(memory, smooth->work.u);
    memoryRelease(memory, smooth->work.value);
    memoryRelease(memory, smooth->work.vector[0]);
    memoryRelease(memory, smooth->work.vector[1]);
    frontFactorDestroy(smooth->work.factor);
    memoryRelease(memory, smooth->work.edge);
    memoryRelease(memory, smooth);
}
