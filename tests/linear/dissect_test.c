#include "check.h"
#include "refuse.h"

#include "linear/linear.h"

#include <stdlib.h>
#include <verve/mesh.h>

// ---- graphs ---------------------------------------------------------------------------------------------------------

// a graph with points, and orders of it
typedef struct Scene
{
    Memory memory;
    Graph *graph;
    double *points; // count x 3 or NULL
    int *order;     // count
    int *class;     // count
} Scene;

static void openScene(Scene *s, int count, const double *points, const int *pairs, int pairCount)
{
    size_t size = (size_t)count + 1;
    *s = (Scene){ .memory = memoryMake(NULL) };
    s->graph = graphCreate(&s->memory, count, pairs, pairCount);
    assert_non_null(s->graph);
    s->order = calloc(size, sizeof *s->order);
    s->class = calloc(size, sizeof *s->class);
    if (points != NULL)
    {
        s->points = malloc(3 * size * sizeof *s->points);
        memcpy(s->points, points, 3 * (size_t)count * sizeof *s->points);
    }
}

static void closeScene(Scene *s)
{
    graphDestroy(s->graph);
    free(s->points);
    free(s->order);
    free(s->class);
    assert_int_equal(s->memory.blocks, 0);
}

static void openMesh(Scene *s, vvMesh *mesh)
{
    assert_non_null(mesh);
    openScene(s, vvMesh_GetVertexCount(mesh), vvMesh_GetPoints(mesh), vvMesh_GetEdges(mesh), vvMesh_GetEdgeCount(mesh));
    vvDestroyMesh(mesh);
}

static void openBox(Scene *s, int x, int y, int z)
{
    openMesh(s, vvCreateBoxMesh((vvVec3){ 0.1 * x, 0.1 * y, 0.1 * z }, x, y, z));
}

// springs along the cells, across them and over two cells
static void openCloth(Scene *s, int cells)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_SHEET;
    def.cells[0] = def.cells[2] = cells;
    def.diagonals = 1;
    def.skip = true;
    openMesh(s, vvCreateMesh(&def, NULL));
}

// n x n vertices, each coupled with the eight around it
static void openGrid(Scene *s, int n)
{
    int *pairs = malloc(sizeof(int) * 8 * (size_t)(n * n)), count = 0;
    double *points = calloc(3 * (size_t)(n * n), sizeof *points);
    for (int a = 0; a < n * n; ++a)
    {
        points[3 * a] = a % n;
        points[3 * a + 1] = a / n;
        const int offset[4][2] = { { 1, 0 }, { -1, 1 }, { 0, 1 }, { 1, 1 } };
        for (int k = 0; k < 4; ++k)
        {
            int x = a % n + offset[k][0], y = a / n + offset[k][1];
            if (x < 0 || x >= n || y >= n)
                continue;
            pairs[2 * count] = a;
            pairs[2 * count++ + 1] = y * n + x;
        }
    }
    openScene(s, n * n, points, pairs, count);
    free(points);
    free(pairs);
}

// each of `count` vertices with one before it
typedef int (*Before)(int vertex);

static int chain(int vertex)
{
    return vertex - 1;
}

static int star(int vertex)
{
    return vertex * 0;
}

static int heap(int vertex)
{
    return (vertex - 1) / 2;
}

static int pairwise(int vertex)
{
    return vertex - vertex % 2 - (vertex % 2 == 0); // two by two, and the pairs in a row
}

static void openTree(Scene *s, int count, Before before)
{
    int *pairs = malloc(sizeof(int) * 2 * (size_t)(count + 1));
    for (int i = 1; i < count; ++i)
    {
        pairs[2 * i] = i;
        pairs[2 * i + 1] = before(i);
    }
    openScene(s, count, NULL, pairs + 2, maxInt(count - 1, 0));
    free(pairs);
}

// every pair with a given probability
static void openRandom(Scene *s, int count, double density)
{
    TestRandom random = { 7 };
    int *pairs = malloc(sizeof(int) * (size_t)count * (size_t)count), found = 0;
    for (int a = 0; a < count; ++a)
    {
        for (int b = 0; b < a; ++b)
        {
            if (randomUnit(&random) >= density)
                continue;
            pairs[2 * found] = a;
            pairs[2 * found++ + 1] = b;
        }
    }
    openScene(s, count, NULL, pairs, found);
    free(pairs);
}

// an arbitrary rotation about an arbitrary point, and noise up to `noise` in each coordinate
static void moveScene(Scene *s, double noise)
{
    static const double axis[3] = { 0.36, 0.48, 0.8 };
    double sine = sin(0.7), cosine = cos(0.7);
    TestRandom random = { 11 };
    for (int v = 0; v < s->graph->count; ++v)
    {
        double *p = s->points + 3 * v;
        double along = axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2];
        double turned[3] = { axis[1] * p[2] - axis[2] * p[1], axis[2] * p[0] - axis[0] * p[2],
                             axis[0] * p[1] - axis[1] * p[0] };
        for (int k = 0; k < 3; ++k)
            p[k] = 3.7 + cosine * p[k] + sine * turned[k] + (1 - cosine) * along * axis[k] +
                   randomBetween(&random, -noise, noise);
    }
}

// ---- measures -------------------------------------------------------------------------------------------------------

static void checkPermutation(const Scene *s)
{
    bool *seen = calloc((size_t)s->graph->count + 1, sizeof *seen);
    for (int k = 0; k < s->graph->count; ++k)
    {
        assert_in_range(s->order[k], 0, s->graph->count - 1);
        assert_false(seen[s->order[k]]);
        seen[s->order[k]] = true;
    }
    free(seen);
}

static double flopsOf(Scene *s, long long *entries)
{
    checkPermutation(s);
    double flops = orderFlops(&s->memory, s->graph, s->order, entries);
    assert_true(flops >= 0);
    return flops;
}

static double minimumDegree(Scene *s, long long *entries)
{
    assert_true(orderMinimumDegree(&s->memory, s->graph, s->order));
    return flopsOf(s, entries);
}

static double best(Scene *s, const double *points, long long *entries)
{
    assert_true(orderBest(&s->memory, s->graph, points, s->order));
    return flopsOf(s, entries);
}

// Size of the largest component of the vertices of class `most` and below. Components by merging along the edges.
static int largestComponent(const Scene *s, int most)
{
    int count = s->graph->count, largest = 0;
    int *root = malloc(sizeof(int) * (size_t)count), *size = calloc((size_t)count, sizeof *size);
    for (int v = 0; v < count; ++v)
        root[v] = v;
    for (int j = 0; j < count; ++j)
    {
        for (int k = s->graph->start[j] + 1; k < s->graph->start[j + 1]; ++k)
        {
            int a = j, b = s->graph->row[k];
            if (s->class[a] > most || s->class[b] > most)
                continue;
            while (root[a] != a)
                a = root[a] = root[root[a]];
            while (root[b] != b)
                b = root[b] = root[root[b]];
            root[maxInt(a, b)] = minInt(a, b);
        }
    }
    for (int v = 0; v < count; ++v)
    {
        int a = v;
        while (root[a] != a)
            a = root[a];
        size[a] += s->class[v] <= most;
        largest = maxInt(largest, size[a]);
    }
    free(root);
    free(size);
    return largest;
}

static int countClass(const Scene *s, int class)
{
    int found = 0;
    for (int v = 0; v < s->graph->count; ++v)
        found += s->class[v] == class;
    return found;
}

// ---- separators -----------------------------------------------------------------------------------------------------

// Without the separators of class c and above no part is larger than 60 % of the largest with class c, or it is a leaf.
static void separators_separate(void **state)
{
    (void)state;
    enum
    {
        LEAF = 300,
        FIRST = 25
    };
    for (int kind = 0; kind < 6; ++kind)
    {
        Scene s;
        if (kind < 2)
            openBox(&s, 14, 13, 12);
        else if (kind < 4)
            openCloth(&s, 50);
        else
            openMesh(&s, vvCreateTorusMesh(1, 0.3, 4, 50));
        assert_true(dissectGraph(&s.memory, s.graph, kind % 2 == 0 ? s.points : NULL, s.class));
        assert_true(countClass(&s, FIRST) > 0);
        assert_int_equal(countClass(&s, FIRST + 1), 0);
        int part = s.graph->count;
        for (int class = FIRST; part > LEAF; --class)
        {
            assert_true(class > 0);
            int smaller = largestComponent(&s, class - 1);
            CHECK_BELOW(smaller, maxReal(LEAF, 0.6 * part + 1));
            part = smaller;
        }
        closeScene(&s);
    }
}

// A plane of the lattice separates; the space diagonal of the tets of a box is the shortest: a hexagon of 3/4 n^2
// vertices of one kind, against n^2 along the axes. Levels of distance are not far behind.
static void first_separator_is_a_small_plane(void **state)
{
    (void)state;
    enum
    {
        FIRST = 25,
        SIDE = 17
    };
    Scene s;
    openBox(&s, SIDE - 1, SIDE - 1, SIDE - 1);
    for (int moved = 0; moved < 2; ++moved)
    {
        assert_true(dissectGraph(&s.memory, s.graph, s.points, s.class));
        CHECK_BELOW(countClass(&s, FIRST), 0.78 * SIDE * SIDE);
        moveScene(&s, 0);
    }
    assert_true(dissectGraph(&s.memory, s.graph, NULL, s.class));
    CHECK_BELOW(countClass(&s, FIRST), 1.2 * SIDE * SIDE);
    closeScene(&s);

    openGrid(&s, 64);
    assert_true(dissectGraph(&s.memory, s.graph, s.points, s.class));
    assert_in_range(countClass(&s, FIRST), 1, 64);
    closeScene(&s);
}

static void separators_come_after_what_they_separate(void **state)
{
    (void)state;
    Scene s;
    openBox(&s, 11, 11, 11);
    assert_true(dissectGraph(&s.memory, s.graph, s.points, s.class));
    assert_true(orderByClass(&s.memory, s.graph, s.class, s.order));
    checkPermutation(&s);
    for (int k = 1; k < s.graph->count; ++k)
        assert_true(s.class[s.order[k - 1]] <= s.class[s.order[k]]);
    closeScene(&s);
}

// ---- fill -----------------------------------------------------------------------------------------------------------

// An n x n grid of nine-point stencils has at most 31/4 n^2 log2(n) entries in L by nested dissection (George and Liu
// 1981, theorem 8.1.3), with any points or none.
static void grid_fill_is_n_log_n(void **state)
{
    (void)state;
    for (int n = 20; n <= 160; n *= 2)
    {
        Scene s;
        long long entries = 0;
        openGrid(&s, n);
        double limit = 7.75 * n * n * log2(n);
        for (int with = 0; with < 2; ++with)
        {
            best(&s, with == 1 ? s.points : NULL, &entries);
            CHECK_BELOW((double)entries, 0.9 * limit);
        }
        closeScene(&s);
    }
}

// the larger the solid, the more dissection wins: operations grow with n^2 against more for minimum degree
static void solid_costs_half_of_minimum_degree(void **state)
{
    (void)state;
    const struct
    {
        int cells;
        double entries, flops; // against minimum degree
    } boxes[] = { { 12, 0.9, 0.7 }, { 16, 0.75, 0.5 }, { 21, 0.65, 0.4 } };
    for (size_t k = 0; k < sizeof boxes / sizeof boxes[0]; ++k)
    {
        Scene s;
        long long entries = 0, plain = 0;
        openBox(&s, boxes[k].cells, boxes[k].cells, boxes[k].cells);
        double flopsPlain = minimumDegree(&s, &plain), flops = best(&s, s.points, &entries);
        CHECK_BELOW((double)entries, boxes[k].entries * (double)plain);
        CHECK_BELOW(flops, boxes[k].flops * flopsPlain);
        closeScene(&s);
    }
}

// Levels of distance in a solid are ragged; as they are they cost more than minimum degree (1.05), refined they cost
// less, and so do round bodies, with and without points.
static void refinement_straightens_ragged_levels(void **state)
{
    (void)state;
    Scene s;
    openBox(&s, 16, 16, 16);
    CHECK_BELOW(best(&s, NULL, NULL), 0.85 * minimumDegree(&s, NULL));
    closeScene(&s);
    openMesh(&s, vvCreateSphereMesh(1, 9));
    double plain = minimumDegree(&s, NULL);
    CHECK_BELOW(best(&s, s.points, NULL), 0.6 * plain);
    CHECK_BELOW(best(&s, NULL, NULL), 0.6 * plain);
    closeScene(&s);
}

// cloth with springs over two cells: a separator is two rows thick
static void cloth_costs_less_than_minimum_degree(void **state)
{
    (void)state;
    Scene s;
    openCloth(&s, 60);
    double plain = minimumDegree(&s, NULL);
    CHECK_BELOW(best(&s, s.points, NULL), 0.65 * plain);
    CHECK_BELOW(best(&s, NULL, NULL), 0.7 * plain);
    closeScene(&s);
}

// the lattice is found whatever its direction and through noise of 15 % of an edge
static void rotation_and_noise_change_little(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind)
    {
        for (int noisy = 0; noisy < 2; ++noisy)
        {
            Scene s;
            if (kind == 0)
                openBox(&s, 18, 18, 18);
            else
                openCloth(&s, 60);
            double edge = kind == 0 ? 0.1 : 1.0 / 60;
            double straight = best(&s, s.points, NULL);
            moveScene(&s, noisy ? 0.15 * edge : 0);
            CHECK_CLOSE(best(&s, s.points, NULL), straight, noisy ? 0.10 : 0.05);
            closeScene(&s);
        }
    }
}

// the scale of the lattice is its own, along each axis
static void stretching_changes_little(void **state)
{
    (void)state;
    Scene s;
    openBox(&s, 16, 16, 16);
    double straight = best(&s, s.points, NULL);
    for (int v = 0; v < s.graph->count; ++v)
    {
        s.points[3 * v] *= 1e-3;
        s.points[3 * v + 2] *= 2.5e-3;
    }
    moveScene(&s, 0);
    CHECK_CLOSE(best(&s, s.points, NULL), straight, 0.05);
    closeScene(&s);
}

static void best_is_never_worse_than_minimum_degree(void **state)
{
    (void)state;
    for (int kind = 0; kind < 5; ++kind)
    {
        Scene s;
        if (kind == 0)
            openBox(&s, 40, 3, 3);
        else if (kind == 1)
            openMesh(&s, vvCreateSphereMesh(1, 6));
        else if (kind == 2)
            openMesh(&s, vvCreateTorusMesh(1, 0.2, 3, 60));
        else if (kind == 3)
            openTree(&s, 5000, heap);
        else
            openRandom(&s, 900, 0.01);
        double plain = minimumDegree(&s, NULL);
        CHECK_BELOW(best(&s, s.points, NULL), plain);
        CHECK_BELOW(best(&s, NULL, NULL), plain);
        closeScene(&s);
    }
}

// ---- odd graphs -----------------------------------------------------------------------------------------------------

static void trees_have_no_fill(void **state)
{
    (void)state;
    const Before kinds[] = { chain, star, heap, pairwise };
    const int counts[] = { 0, 1, 2, 3, 299, 300, 301, 302, 2000, 50000 };
    for (size_t kind = 0; kind < 4; ++kind)
    {
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; ++k)
        {
            Scene s;
            long long entries = -1;
            openTree(&s, counts[k], kinds[kind]);
            best(&s, NULL, &entries);
            assert_int_equal(entries, counts[k] > 0 ? 2 * counts[k] - 1 : 0);
            closeScene(&s);
        }
    }
}

// nothing to separate, and not slow about it
static void dense_graphs_are_ordered(void **state)
{
    (void)state;
    Scene s;
    long long entries = 0;
    openRandom(&s, 700, 2);
    best(&s, NULL, &entries);
    assert_int_equal(entries, 700 * 701 / 2);
    closeScene(&s);
    openRandom(&s, 1500, 0.3);
    best(&s, NULL, &entries);
    closeScene(&s);
}

// many islands, small and large, and lonely vertices between them: the cost is the sum
static void islands_do_not_meet(void **state)
{
    (void)state;
    Scene one, many;
    openGrid(&one, 30);
    long long single = 0, entries = 0;
    double flops = best(&one, NULL, &single);
    int count = one.graph->count, total = one.graph->start[count], found = 0;
    int *pairs = malloc(sizeof(int) * 2 * 7 * (size_t)total);
    for (int island = 0; island < 7; ++island)
    {
        for (int j = 0; j < count; ++j)
        {
            for (int k = one.graph->start[j] + 1; k < one.graph->start[j + 1]; ++k)
            {
                pairs[2 * found] = 8 * j + island;
                pairs[2 * found++ + 1] = 8 * one.graph->row[k] + island;
            }
        }
    }
    openScene(&many, 8 * count, NULL, pairs, found);
    CHECK_CLOSE(best(&many, NULL, &entries), 7 * flops + count, 0.05);
    CHECK_CLOSE((double)entries, (double)(7 * single + count), 0.05);
    free(pairs);
    closeScene(&one);
    closeScene(&many);
}

// points that say nothing, or nonsense, leave the distances in the graph
static void useless_points_do_no_harm(void **state)
{
    (void)state;
    Scene s;
    openGrid(&s, 40);
    double without = best(&s, NULL, NULL), value[] = { 0, 1e308, 1e-310, NAN, INFINITY };
    for (size_t k = 0; k < sizeof value / sizeof value[0]; ++k)
    {
        for (int i = 0; i < 3 * s.graph->count; ++i)
            s.points[i] = i % 2 == 0 ? value[k] : -value[k];
        CHECK_BELOW(best(&s, s.points, NULL), 1.1 * without);
    }
    // all on one line, in an order that has nothing to do with the graph
    for (int v = 0; v < s.graph->count; ++v)
    {
        s.points[3 * v] = v * 7919 % s.graph->count;
        s.points[3 * v + 1] = s.points[3 * v + 2] = 0;
    }
    CHECK_BELOW(best(&s, s.points, NULL), 1.1 * without);
    closeScene(&s);
}

static void order_is_the_same_every_time(void **state)
{
    (void)state;
    for (int with = 0; with < 2; ++with)
    {
        Scene first, second;
        openBox(&first, 12, 12, 12);
        openBox(&second, 12, 12, 12);
        best(&first, with ? first.points : NULL, NULL);
        best(&second, with ? second.points : NULL, NULL);
        assert_memory_equal(first.order, second.order, sizeof(int) * (size_t)first.graph->count);
        closeScene(&first);
        closeScene(&second);
    }
}

// ---- refused memory -------------------------------------------------------------------------------------------------

static void order_survives_every_refused_allocation(void **state)
{
    (void)state;
    Scene s;
    openGrid(&s, 25);
    bool fine = false;
    int granted = 0;
    for (; !fine; ++granted)
    {
        int left = granted;
        Memory memory = memoryMake(&(vvAllocator){ refuseAfter, giveBack, &left });
        fine = orderBest(&memory, s.graph, s.points, s.order);
        assert_int_equal(memory.blocks, 0);
    }
    checkPermutation(&s);
    assert_true(granted > 15);
    closeScene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separators_separate),
        cmocka_unit_test(first_separator_is_a_small_plane),
        cmocka_unit_test(separators_come_after_what_they_separate),
        cmocka_unit_test(grid_fill_is_n_log_n),
        cmocka_unit_test(solid_costs_half_of_minimum_degree),
        cmocka_unit_test(refinement_straightens_ragged_levels),
        cmocka_unit_test(cloth_costs_less_than_minimum_degree),
        cmocka_unit_test(rotation_and_noise_change_little),
        cmocka_unit_test(stretching_changes_little),
        cmocka_unit_test(best_is_never_worse_than_minimum_degree),
        cmocka_unit_test(trees_have_no_fill),
        cmocka_unit_test(dense_graphs_are_ordered),
        cmocka_unit_test(islands_do_not_meet),
        cmocka_unit_test(useless_points_do_no_harm),
        cmocka_unit_test(order_is_the_same_every_time),
        cmocka_unit_test(order_survives_every_refused_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
