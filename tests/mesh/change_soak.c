// Ten thousand random splits, cuts and removals, in chains of ten; shapes of the pieces of cuts, and times.
#include "mesh/changes.h"

#include <stdio.h>
#include <time.h>

static void manyChanges(void **state)
{
    (void)state;
    int changes = 0;
    for (int seed = 0; changes < 10000; ++seed)
        changes += changeChain(seed, 9);
}

// ---- shapes ---------------------------------------------------------------------------------------------------------

#define MOST_SHAPES 400000

typedef struct Shapes
{
    double *value;
    int count;
} Shapes;

static int compareReals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// of the pieces of elements that a cut divides, over those of their parents
static void addShapes(Shapes *shapes, const vvMesh *mesh, const MeshChange *change)
{
    int *pieces = calloc((size_t)meshElementCount(mesh), sizeof *pieces);
    for (int e = 0; e < meshElementCount(change->mesh); ++e)
        pieces[change->elementParent[e]] += 1;
    for (int e = 0; e < meshElementCount(change->mesh) && shapes->count < MOST_SHAPES; ++e)
    {
        int parent = change->elementParent[e];
        if (pieces[parent] > 1)
            shapes->value[shapes->count++] = shapeOf(change->mesh, e) / shapeOf(mesh, parent);
    }
    free(pieces);
}

// docs/notes/meshes.md has the table
static void shapesOfPieces(void **state)
{
    (void)state;
    for (int width = 3; width <= 4; ++width)
    {
        const int kinds[2][4] = { { 0, 5, 9, 0 }, { 1, 3, 4, 8 } };
        Shapes shapes = { .value = malloc(sizeof(double) * MOST_SHAPES) };
        for (int seed = 0; seed < 600; ++seed)
        {
            TestRandom r = { .state = 977 * (uint64_t)(seed + 1) };
            for (int i = 0; i < 8; ++i)
                randomUnit(&r);
            vvMesh *mesh = randomMesh(&r, kinds[width - 3][seed % 4]);
            Blade blade = randomBlade(&r, mesh, mesh->callerPoint);
            MeshChange change;
            assert_int_equal(meshCut(mesh, mesh->callerPoint, &blade, &change).code, VV_OK);
            addShapes(&shapes, mesh, &change);
            meshChangeRelease(&change);
            vvDestroyMesh(mesh);
        }
        qsort(shapes.value, (size_t)shapes.count, sizeof(double), compareReals);
        printf("%s: %d pieces, shape over that of the parent: worst %.4f, 1 in 1000 below %.3f, 1 in 100 below %.3f, "
               "1 in 10 below %.2f, median %.2f\n",
               width == 3 ? "triangles" : "tets", shapes.count, shapes.value[0], shapes.value[shapes.count / 1000],
               shapes.value[shapes.count / 100], shapes.value[shapes.count / 10], shapes.value[shapes.count / 2]);
        assert_true(shapes.value[0] > 0.001 && shapes.value[shapes.count / 100] > 0.1);
        free(shapes.value);
    }
}

// ---- times ----------------------------------------------------------------------------------------------------------

static double milliseconds(void)
{
    return 1e3 * (double)clock() / CLOCKS_PER_SEC;
}

static void timeChanges(const char *name, vvMesh *mesh)
{
    double least[3] = { INFINITY, INFINITY, INFINITY };
    Blade blade = planeBlade(vec3(0.013, 0, 0), vec3(1, 0.1, 0.02), 9);
    const int *facet = meshElementCorners(mesh, meshElementCount(mesh) / 2), first = 0;
    for (int i = 0; i < 21; ++i)
    {
        MeshChange change;
        double start = milliseconds();
        vvResult result = i % 3 == 0   ? meshSplit(mesh, facet, 1, &change)
                          : i % 3 == 1 ? meshCut(mesh, mesh->callerPoint, &blade, &change)
                                       : meshRemove(mesh, &first, 1, &change);
        least[i % 3] = fmin(least[i % 3], milliseconds() - start);
        assert_int_equal(result.code, VV_OK);
        meshChangeRelease(&change);
    }
    vvMesh *made = sameMesh(mesh, true);
    double start = milliseconds();
    vvDestroyMesh(made);
    made = sameMesh(mesh, true);
    printf("%s, %d elements: split %.2f ms, cut through %.2f ms, removal %.2f ms; made from arrays %.2f ms\n", name,
           meshElementCount(mesh), least[0], least[1], least[2], milliseconds() - start);
    vvDestroyMesh(made);
    vvDestroyMesh(mesh);
}

static void timesOfChanges(void **state)
{
    (void)state;
    timeChanges("sheet of 20 x 20 cells", vvCreateSheetMesh(1, 1, 20, 20));
    timeChanges("sheet of 100 x 100 cells", vvCreateSheetMesh(1, 1, 100, 100));
    timeChanges("box of 6^3 cells", vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 6, 6, 6));
    timeChanges("box of 20^3 cells", vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 20, 20, 20));
    timeChanges("rope of 1,000 segments", vvCreateRopeMesh(1, 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapesOfPieces),
        cmocka_unit_test(timesOfChanges),
        cmocka_unit_test(manyChanges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
