// The multifrontal Cholesky against CHOLMOD (SuiteSparse), an independent implementation, on generated meshes.
#include "check.h"
#include "linear/front.h"

#include <verve/mesh.h>

#include <cholmod.h>
#include <stdlib.h>

#define SHAPES 7

static vvMesh *makeMesh(int shape)
{
    switch (shape)
    {
    case 0:
        return vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 10, 10, 10);
    case 1:
        return vvCreateSheetMesh(1, 1, 50, 50);
    case 2:
        return vvCreateRopeMesh(1, 300);
    case 3:
        return vvCreateSphereMesh(1, 7);
    case 4:
        return vvCreateCylinderMesh(1, 2, 5, 12);
    case 5:
        return vvCreateTorusMesh(1, 0.25, 3, 40);
    default:
        return vvCreateBarMesh(8, 1, 60, 5);
    }
}

// edges of the mesh's elements and its springs
static Graph *meshGraph(Memory *memory, const vvMesh *mesh)
{
    int tets = vvMesh_GetTetCount(mesh), edges = vvMesh_GetEdgeCount(mesh), used = 0;
    int *pairs = malloc(sizeof(int) * 2 * (6 * (size_t)tets + (size_t)edges));
    for (int e = 0; e < edges; ++e, ++used)
        memcpy(pairs + 2 * (size_t)used, vvMesh_GetEdges(mesh) + 2 * (size_t)e, 2 * sizeof(int));
    for (int t = 0; t < tets; ++t)
    {
        const int *tet = vvMesh_GetTets(mesh) + 4 * (size_t)t;
        for (int a = 0; a < 4; ++a)
        {
            for (int b = 0; b < a; ++b, ++used)
            {
                pairs[2 * (size_t)used] = tet[a];
                pairs[2 * (size_t)used + 1] = tet[b];
            }
        }
    }
    Graph *graph = graphCreate(memory, vvMesh_GetVertexCount(mesh), pairs, used);
    free(pairs);
    return graph;
}

// mass 1 and springs of stiffness 0.5 to 1.5: condition about 40
static double *makeValues(const Graph *graph)
{
    TestRandom random = { 21 };
    double *values = calloc((size_t)graph->start[graph->count], sizeof(double));
    for (int j = 0; j < graph->count; ++j)
        values[graph->start[j]] = 1;
    for (int j = 0; j < graph->count; ++j)
    {
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
        {
            double stiffness = randomBetween(&random, 0.5, 1.5);
            values[k] = -stiffness;
            values[graph->start[j]] += stiffness;
            values[graph->start[graph->row[k]]] += stiffness;
        }
    }
    return values;
}

static void cholmodReference(const Graph *graph, const double *values, const double *right, double *result)
{
    cholmod_common common;
    cholmod_start(&common);
    size_t n = (size_t)graph->count, entries = (size_t)graph->start[n];
    cholmod_sparse *a = cholmod_allocate_sparse(n, n, entries, 1, 1, -1, CHOLMOD_REAL, &common);
    memcpy(a->p, graph->start, (n + 1) * sizeof(int));
    memcpy(a->i, graph->row, entries * sizeof(int));
    memcpy(a->x, values, entries * sizeof(double));
    cholmod_dense *b = cholmod_allocate_dense(n, 3, n, CHOLMOD_REAL, &common);
    for (size_t k = 0; k < 3 * n; ++k)
        ((double *)b->x)[k % 3 * n + k / 3] = right[k];
    cholmod_factor *factor = cholmod_analyze(a, &common);
    assert_true(cholmod_factorize(a, factor, &common));
    cholmod_dense *x = cholmod_solve(CHOLMOD_A, factor, b, &common);
    assert_non_null(x);
    for (size_t k = 0; k < 3 * n; ++k)
        result[k] = ((double *)x->x)[k % 3 * n + k / 3];
    cholmod_free_dense(&x, &common);
    cholmod_free_dense(&b, &common);
    cholmod_free_factor(&factor, &common);
    cholmod_free_sparse(&a, &common);
    cholmod_finish(&common);
}

static void testAgainstCholmod(void **state)
{
    (void)state;
    // relative to the largest entry
    const double tolerance[] = { 1e-6, 1e-6, 1e-12 };
    for (int shape = 0; shape < SHAPES; ++shape)
    {
        Memory memory = memoryMake(NULL);
        vvMesh *mesh = makeMesh(shape);
        assert_non_null(mesh);
        Graph *graph = meshGraph(&memory, mesh);
        size_t count = (size_t)graph->count;
        double *values = makeValues(graph);
        double *right = calloc(3 * count, sizeof(double)), *want = calloc(3 * count, sizeof(double));
        double *result = calloc(3 * count, sizeof(double));
        TestRandom random = { 6 };
        for (size_t k = 0; k < 3 * count; ++k)
            right[k] = randomBetween(&random, -1, 1);
        cholmodReference(graph, values, right, want);
        FrontTree *tree = frontTreeCreate(&memory, graph, vvMesh_GetPoints(mesh));
        assert_non_null(tree);
        for (int precision = FRONT_SINGLE; precision <= FRONT_DOUBLE; ++precision)
        {
            FrontFactor *factor = frontFactorCreate(&memory, tree, (FrontPrecision)precision, isaBest());
            assert_non_null(factor);
            assert_true(frontFactorCompute(factor, values, NULL));
            frontFactorSolve(factor, right, result, NULL);
            double limit = tolerance[precision] * largestMagnitude(want, (int)(3 * count));
            for (size_t k = 0; k < 3 * count; ++k)
                CHECK_NEAR(result[k], want[k], limit);
            frontFactorDestroy(factor);
        }
        frontTreeDestroy(tree);
        graphDestroy(graph);
        free(values);
        free(right);
        free(want);
        free(result);
        assert_int_equal(memory.blocks, 0);
        vvDestroyMesh(mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testAgainstCholmod) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
