// The multifrontal Cholesky against CHOLMOD (SuiteSparse), an independent implementation: on generated meshes, on
// patterns that no mesh has, and on published meshes where VERVE_MESH_DIR says where they are.
#include "bench/bench.h"
#include "check.h"
#include "linear/front.h"

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

// springs of stiffness 0.5 to 1.5 and mass 1, or 5 % of the springs of a vertex with many: condition about 40
static double *makeValues(const Graph *graph)
{
    TestRandom random = { 21 };
    double *values = calloc((size_t)graph->start[graph->count], sizeof(double));
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
    for (int j = 0; j < graph->count; ++j)
        values[graph->start[j]] += fmax(1, 0.05 * values[graph->start[j]]);
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

// both precisions; errors relative to the largest entry. Destroys the graph
static void compare(Memory *memory, Graph *graph, const double *points)
{
    const double tolerance[] = { 1e-6, 1e-6, 1e-12 };
    size_t count = (size_t)graph->count;
    double *values = makeValues(graph);
    double *right = calloc(3 * count, sizeof(double)), *want = calloc(3 * count, sizeof(double));
    double *result = calloc(3 * count, sizeof(double));
    TestRandom random = { 6 };
    for (size_t k = 0; k < 3 * count; ++k)
        right[k] = randomBetween(&random, -1, 1);
    cholmodReference(graph, values, right, want);
    FrontTree *tree = frontTreeCreate(memory, graph, points);
    assert_non_null(tree);
    for (int precision = FRONT_SINGLE; precision <= FRONT_DOUBLE; ++precision)
    {
        FrontFactor *factor = frontFactorCreate(memory, tree, (FrontPrecision)precision, isaBest());
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
    assert_int_equal(memory->blocks, 0);
}

static void compareMesh(vvMesh *mesh)
{
    Memory memory = memoryMake(NULL);
    assert_non_null(mesh);
    compare(&memory, meshGraph(&memory, mesh), vvMesh_GetPoints(mesh));
    vvDestroyMesh(mesh);
}

static void generatedMeshes(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; ++shape)
        compareMesh(makeMesh(shape));
}

// ---- patterns of no mesh --------------------------------------------------------------------------------------------

typedef enum Pattern
{
    ONE,
    ALONE,     // no couplings at all
    PIECES,    // 1, 2, 3 ... vertices, each piece a random tree with some loops
    CHAIN,     //
    STAR,      //
    STARS,     // chains that meet in a vertex each, those in a chain
    FULL_ROWS, // random, and three vertices coupled with all
    SCATTERED, // four random neighbours each: no small separators
    CLIQUE,    //
    PATTERNS
} Pattern;

typedef struct Pairs
{
    int *vertex; // count x 2
    int count;
} Pairs;

static void couple(Pairs *pairs, int a, int b)
{
    if (a == b)
        return;
    pairs->vertex[2 * pairs->count] = a;
    pairs->vertex[2 * pairs->count + 1] = b;
    pairs->count += 1;
}

static int below(TestRandom *random, int limit)
{
    return (int)(randomUnit(random) * limit);
}

// the couplings of vertex v to those before it
static void coupleBack(Pairs *pairs, Pattern pattern, int v, TestRandom *random)
{
    // pieces of 1, 2, 3 ... vertices begin at 0, 1, 3, 6 ...
    int begin = (int)((sqrt(8.0 * v + 1) - 1) / 2);
    begin = begin * (begin + 1) / 2;
    switch (pattern)
    {
    case PIECES:
        for (int k = 0; k < 2 && v > begin; ++k)
            couple(pairs, v, begin + below(random, v - begin));
        break;
    case CHAIN:
        couple(pairs, v, v - 1);
        break;
    case STAR:
        couple(pairs, v, 0);
        break;
    case STARS:
        couple(pairs, v, v % 100 == 0 ? v - 100 : v % 10 == 1 ? v / 100 * 100 : v - 1);
        break;
    case FULL_ROWS:
        couple(pairs, v, below(random, v));
        for (int hub = 0; hub < 3 && hub < v; ++hub)
            couple(pairs, v, hub);
        break;
    case SCATTERED:
        for (int k = 0; k < 2; ++k)
            couple(pairs, v, below(random, v));
        break;
    case CLIQUE:
        for (int other = 0; other < v; ++other)
            couple(pairs, v, other);
        break;
    default:
        break;
    }
}

static void patternsOfNoMesh(void **state)
{
    (void)state;
    const int counts[PATTERNS] = { 1, 1000, 2000, 20000, 5000, 10000, 2000, 1500, 120 };
    for (int pattern = 0; pattern < PATTERNS; ++pattern)
    {
        Memory memory = memoryMake(NULL);
        TestRandom random = { 31 };
        int count = counts[pattern], most = pattern == CLIQUE ? count * count / 2 : 4 * count;
        Pairs pairs = { .vertex = calloc((size_t)most, 2 * sizeof(int)) };
        for (int v = 1; v < count; ++v)
            coupleBack(&pairs, (Pattern)pattern, v, &random);
        Graph *graph = graphCreate(&memory, count, pairs.vertex, pairs.count);
        assert_non_null(graph);
        free(pairs.vertex);
        compare(&memory, graph, NULL);
    }
}

// ---- published meshes -----------------------------------------------------------------------------------------------

static void publishedMeshes(void **state)
{
    (void)state;
    static const char *const files[] = { "hippo.mesh", "cactus.mesh" };
    const char *folder = getenv("VERVE_MESH_DIR");
    if (folder == NULL || folder[0] == 0)
    {
        print_message("published meshes: not checked, VERVE_MESH_DIR is not set\n");
        return;
    }
    for (int i = 0; i < 2; ++i)
    {
        char path[4096], message[256];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        vvMesh *mesh = modelRead(path, message, sizeof message);
        if (mesh == NULL)
            fail_msg("%s", message);
        print_message("%s: %d vertices\n", files[i], vvMesh_GetVertexCount(mesh));
        compareMesh(mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generatedMeshes),
        cmocka_unit_test(patternsOfNoMesh),
        cmocka_unit_test(publishedMeshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
