// Verve's multifrontal factor, through the linear room's own door.
#include "bench/bench.h"

#include "linear/front.h"

#include <stdlib.h>

typedef struct VerveLinear
{
    Memory memory;
    const LinearProblem *problem;
    FrontPrecision precision;
    Workers *workers; // NULL: one thread
    FrontTree *tree;
    FrontFactor *matrix;
} VerveLinear;

static void destroy(void *self)
{
    VerveLinear *v = self;
    frontFactorDestroy(v->matrix);
    frontTreeDestroy(v->tree);
    workersDestroy(v->workers);
    free(v);
}

static void *createAs(const LinearProblem *problem, int threads, FrontPrecision precision)
{
    VerveLinear *v = calloc(1, sizeof *v);
    if (v == NULL)
        return NULL;
    v->memory = memoryMake(NULL);
    v->problem = problem;
    v->precision = precision;
    v->workers = threads > 1 ? workersCreate(&v->memory, threads, NULL) : NULL;
    if (threads == 1 || v->workers != NULL)
        return v;
    destroy(v);
    return NULL;
}

static void *createSingle(const LinearProblem *problem, int threads)
{
    return createAs(problem, threads, FRONT_SINGLE);
}

static void *createDouble(const LinearProblem *problem, int threads)
{
    return createAs(problem, threads, FRONT_DOUBLE);
}

static int analyse(void *self)
{
    VerveLinear *v = self;
    frontFactorDestroy(v->matrix);
    frontTreeDestroy(v->tree);
    v->matrix = NULL;
    v->tree = frontTreeCreate(&v->memory, v->problem->graph, v->problem->points);
    if (v->tree != NULL)
        v->matrix = frontFactorCreate(&v->memory, v->tree, v->precision, isaBest());
    return v->matrix != NULL;
}

static int factor(void *self)
{
    VerveLinear *v = self;
    return frontFactorCompute(v->matrix, v->problem->value, v->workers);
}

static void solve(void *self, const double *right, double *result)
{
    VerveLinear *v = self;
    frontFactorSolve(v->matrix, right, result, v->workers);
}

static int update(void *self, const double *value, const int *changed, int changedCount)
{
    VerveLinear *v = self;
    return frontFactorUpdate(v->matrix, value, changed, changedCount, v->workers);
}

static double entries(void *self)
{
    VerveLinear *v = self;
    return (double)frontTreeEntries(v->tree);
}

const LinearContender verveLinearSingle = {
    "verve f32", createSingle, analyse, factor, solve, update, entries, destroy
};
const LinearContender verveLinearDouble = {
    "verve f64", createDouble, analyse, factor, solve, update, entries, destroy
};
