#include "check.h"
#include "linear/linear.h"
#include "refuse.h"

#define COUNT 12
#define SIZE (3 * COUNT)

static Graph *ringGraph(Memory *memory)
{
    int pairs[4 * COUNT];
    for (int i = 0; i < COUNT; ++i)
    {
        pairs[4 * i] = i;
        pairs[4 * i + 1] = (i + 1) % COUNT;
        pairs[4 * i + 2] = (i + 5) % COUNT;
        pairs[4 * i + 3] = i;
    }
    return graphCreate(memory, COUNT, pairs, 2 * COUNT);
}

// y = A x with the upper triangle implied, against the same product written out densely
static void product_matches_the_dense_one(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    TestRandom random = { 11 };
    Graph *graph = ringGraph(&memory);
    BlockMatrix *matrix = matrixCreate(&memory, graph);
    static double dense[SIZE][SIZE];
    for (int j = 0; j < COUNT; ++j)
    {
        for (int k = graph->start[j]; k < graph->start[j + 1]; ++k)
        {
            for (int e = 0; e < 9; ++e)
            {
                int r = 3 * graph->row[k] + e / 3, c = 3 * j + e % 3;
                // diagonal blocks are symmetric: their upper entries come again from below
                double value = randomBetween(&random, -1, 1);
                if (graph->row[k] == j && e % 3 < e / 3)
                    value = dense[c][r];
                matrix->value[9 * k + e] = dense[r][c] = dense[c][r] = value;
            }
        }
    }
    double x[SIZE], y[SIZE];
    for (int i = 0; i < SIZE; ++i)
    {
        x[i] = randomBetween(&random, -1, 1);
        y[i] = NAN; // is overwritten, not added to
    }
    matrixMultiply(matrix, x, y);
    for (int i = 0; i < SIZE; ++i)
    {
        double sum = 0;
        for (int j = 0; j < SIZE; ++j)
            sum += dense[i][j] * x[j];
        CHECK_NEAR(y[i], sum, 1e-14 * SIZE);
    }
    matrixClear(matrix);
    matrixMultiply(matrix, x, y);
    assert_true(largestMagnitude(y, SIZE) == 0);
    matrixDestroy(matrix);
    matrixDestroy(NULL);
    graphDestroy(graph);
    assert_int_equal(memory.blocks, 0);
}

static void matrix_survives_every_refused_allocation(void **state)
{
    (void)state;
    Memory plain = memoryMake(NULL);
    Graph *graph = ringGraph(&plain);
    for (int granted = 0; granted <= 2; ++granted)
    {
        int left = granted;
        Memory memory = memoryMake(&(vvAllocator){ refuseAfter, giveBack, &left });
        BlockMatrix *matrix = matrixCreate(&memory, graph);
        assert_int_equal(matrix != NULL, granted == 2);
        matrixDestroy(matrix);
        assert_int_equal(memory.blocks, 0);
    }
    graphDestroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(product_matches_the_dense_one),
        cmocka_unit_test(matrix_survives_every_refused_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
