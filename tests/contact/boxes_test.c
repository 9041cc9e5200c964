// The boxes of features: lanes find the pairs that a look at all of them finds, each once, with every instruction set.
#include "check.h"

#include "contact/proximity.h"

#include <stdlib.h>

#define SIDE 10 // vertices
#define VERTICES (SIDE * SIDE)
#define FACETS (2 * (SIDE - 1) * (SIDE - 1))

typedef struct Sheet
{
    double rest[3 * VERTICES], x[3 * VERTICES];
    double pad; // m
    int vertex[VERTICES], triangle[3 * FACETS];
    CollisionMesh mesh;
    Features *features;
} Sheet;

static void makeSheet(Memory *memory, Sheet *sheet)
{
    int facets = 0;
    for (int v = 0; v < VERTICES; ++v)
    {
        sheet->vertex[v] = v;
        sheet->rest[3 * v] = v % SIDE;
        sheet->rest[3 * v + 2] = v / SIDE;
        int i = v % SIDE, k = v / SIDE;
        if (i == SIDE - 1 || k == SIDE - 1)
            continue;
        const int corner[6] = { v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE };
        for (int c = 0; c < 6; ++c)
            sheet->triangle[3 * facets + c] = corner[c];
        facets += 2;
    }
    sheet->mesh = (CollisionMesh){ .surfaceCount = VERTICES,
                                   .vertex = sheet->vertex,
                                   .vertexCount = VERTICES,
                                   .triangleCount = FACETS,
                                   .triangle = sheet->triangle,
                                   .rest = sheet->rest };
    sheet->features = featuresCreate(memory, &sheet->mesh, 3, FACETS, sheet->triangle);
}

// `crumpled`: 0 flat, 1 all over the place; `touching`: on a grid, so that many boxes touch exactly
static void moveSheet(Sheet *sheet, TestRandom *random, double crumpled, double away, bool touching)
{
    sheet->pad = touching ? 0.05 : 0.2 * randomUnit(random);
    for (int v = 0; v < VERTICES; ++v)
    {
        double lower[3], upper[3];
        for (int a = 0; a < 3; ++a)
        {
            double x = away + sheet->rest[3 * v + a] + crumpled * randomBetween(random, -6, 6);
            x = touching ? 0.1 * floor(10 * x) : x;
            sheet->x[3 * v + a] = x;
            lower[a] = x - sheet->pad;
            upper[a] = x + sheet->pad;
        }
        featuresSetBox(sheet->features, v, lower, upper);
    }
    featuresRefit(sheet->features, NULL);
}

static int cornersOf(const Features *f, FeatureKind kind, int number, int corner[3])
{
    for (int k = 0; k < 3; ++k)
        corner[k] = kind == FEATURE_VERTEX ? number
                    : kind == FEATURE_EDGE ? f->edge[2 * number + k % 2]
                                           : f->corner[3 * number + k];
    return kind == FEATURE_VERTEX ? 1 : kind == FEATURE_EDGE ? 2 : 3;
}

// m: along the axis on which their boxes are farthest apart, of doubles
static double gapOf(const Sheet *a, FeatureKind kindA, int i, const Sheet *b, FeatureKind kindB, int k)
{
    int corner[2][3],
        count[2] = { cornersOf(a->features, kindA, i, corner[0]), cornersOf(b->features, kindB, k, corner[1]) };
    double gap = -INFINITY;
    for (int axis = 0; axis < 3; ++axis)
    {
        double lower[2] = { INFINITY, INFINITY }, upper[2] = { -INFINITY, -INFINITY };
        for (int side = 0; side < 2; ++side)
        {
            const Sheet *sheet = side ? b : a;
            for (int c = 0; c < count[side]; ++c)
            {
                lower[side] = fmin(lower[side], sheet->x[3 * corner[side][c] + axis] - sheet->pad);
                upper[side] = fmax(upper[side], sheet->x[3 * corner[side][c] + axis] + sheet->pad);
            }
        }
        gap = fmax(gap, fmax(lower[0] - upper[1], lower[1] - upper[0]));
    }
    return gap;
}

static bool shareCorner(const Features *f, FeatureKind kindA, int i, FeatureKind kindB, int k)
{
    int a[3], b[3], countA = cornersOf(f, kindA, i, a), countB = cornersOf(f, kindB, k, b);
    for (int c = 0; c < countA * countB; ++c)
    {
        if (a[c / countB] == b[c % countB])
            return true;
    }
    return false;
}

typedef struct Search
{
    Sheet *a, *b;
    FeatureKind kindA, kindB;
    unsigned char *seen; // times, by both numbers
    int most;            // numbers of b
    double closer;       // m, by which boxes have to overlap
} Search;

static void searchLeaves(Search *search, bool turned, int leafA, int leafB)
{
    static BoxPair pair[FEATURES_PAIRS];
    const Sheet *a = turned ? search->b : search->a, *b = turned ? search->a : search->b;
    int count = featuresPairs(a->features, leafA, search->kindA, b->features, leafB, search->kindB, false,
                              search->closer, pair);
    for (int i = 0; i < count; ++i)
        search->seen[pair[i].a * search->most + pair[i].b] += 1;
}

// within one body a vertex of either leaf may meet a facet of the other
static bool meetLeaves(void *context, int leafA, int leafB)
{
    Search *search = context;
    searchLeaves(search, false, leafA, leafB);
    if (search->a == search->b && search->kindA != search->kindB && leafA != leafB)
        searchLeaves(search, true, leafB, leafA);
    return false;
}

static int countOf(const Features *f, FeatureKind kind)
{
    return kind == FEATURE_VERTEX ? VERTICES : kind == FEATURE_EDGE ? f->edgeCount : f->count;
}

static void checkPairs(Sheet *a, Sheet *b, FeatureKind kindA, FeatureKind kindB, double closer, double rounding)
{
    int countA = countOf(a->features, kindA), countB = countOf(b->features, kindB), found = 0;
    Search search = { a, b, kindA, kindB, calloc((size_t)countA * (size_t)countB, 1), countB, closer };
    featuresMeet(a->features, b->features, false, false, meetLeaves, &search);
    for (int i = 0; i < countA; ++i)
    {
        for (int k = 0; k < countB; ++k)
        {
            bool twice = a == b && kindA == kindB;
            int seen = search.seen[i * countB + k] + (twice && i != k ? search.seen[k * countB + i] : 0);
            double gap = gapOf(a, kindA, i, b, kindB, k) + closer;
            bool none = a == b && shareCorner(a->features, kindA, i, kindB, k);
            assert_true(seen <= (none ? 0 : 1));
            if (!none && gap <= 0)
                assert_int_equal(seen, 1);
            if (gap > rounding)
                assert_int_equal(seen, 0);
            found += seen;
        }
    }
    assert_true(found > 0 || a != b);
    free(search.seen);
}

static void lanes_find_what_overlaps(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    static Sheet sheet[2];
    TestRandom random = { 1 };
    for (int i = 0; i < 2; ++i)
        makeSheet(&memory, &sheet[i]);
    for (int round = 0; round < 4 * ISA_COUNT; ++round)
    {
        Isa isa = (Isa)(round % ISA_COUNT);
        double away = round % 2 ? 1000 : 0;
        if (!isaAvailable(isa))
            continue;
        for (int i = 0; i < 2; ++i)
        {
            sheet[i].features->isa = isa;
            moveSheet(&sheet[i], &random, round < ISA_COUNT ? 0.01 : 0.3 * randomUnit(&random), away,
                      round / 2 % 2 == 1);
        }
        for (int i = 0; i < 2; ++i)
        {
            double rounding = away > 0 ? 1e-3 : 1e-5;
            checkPairs(&sheet[0], &sheet[i], FEATURE_EDGE, FEATURE_EDGE, 0, rounding);
            checkPairs(&sheet[0], &sheet[i], FEATURE_EDGE, FEATURE_EDGE, 0.15, 2 * rounding);
            checkPairs(&sheet[0], &sheet[i], FEATURE_VERTEX, FEATURE_FACET, 0, rounding);
            checkPairs(&sheet[0], &sheet[i], FEATURE_EDGE, FEATURE_FACET, 0, rounding);
        }
    }
    for (int i = 0; i < 2; ++i)
        featuresDestroy(&memory, sheet[i].features);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_find_what_overlaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
