// The words of `verve bench` and the bodies it times.
#include "check.h"

#include "bench/bench.h"

#include <stdio.h>

static bool parse(BenchOptions *options, char *message, int count, const char *const *words)
{
    char *copy[8];
    for (int i = 0; i < count; ++i)
        copy[i] = (char *)(uintptr_t)words[i];
    return benchParse(count, copy, options, message, 256);
}

static void optionsAreRead(void **state)
{
    (void)state;
    BenchOptions options;
    char message[256];
    assert_true(parse(&options, message, 0, NULL));
    assert_null(options.row);
    assert_int_equal(options.rounds, 5);
    assert_true(options.threads >= 1);

    const char *const words[] = { "--row", "cloth", "--threads", "3", "--rounds", "7", "--json" };
    assert_true(parse(&options, message, 7, words));
    assert_string_equal(options.row, "cloth");
    assert_int_equal(options.threads, 3);
    assert_int_equal(options.rounds, 7);
    assert_true(options.json && !options.help);
}

static void badWordsAreNamed(void **state)
{
    (void)state;
    static const struct
    {
        const char *words[2];
        int count;
        const char *expected;
    } cases[] = {
        { { "--row", "banana" }, 2, "bar, cube, hippo, cactus, cloth, solid" },
        { { "--row" }, 1, "needs a value" },
        { { "--fast" }, 1, "--fast" },
        { { "--threads", "0" }, 2, "1 to 64" },
        { { "--threads", "2x" }, 2, "2x" },
        { { "--rounds", "99999999999999999999" }, 2, "1 to 50" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        BenchOptions options;
        char message[256] = "";
        assert_false(parse(&options, message, cases[i].count, cases[i].words));
        if (strstr(message, cases[i].expected) == NULL)
            fail_msg("'%s' does not say '%s'", message, cases[i].expected);
    }
}

// the published sizes: Dinev 2018, Table 1, within 1 % where our own model stands in
static void rowsHaveTheirSizes(void **state)
{
    (void)state;
    static const struct
    {
        const char *name;
        int vertices, elements;
        double share;
    } expected[] = {
        { "cube", 343, 1080, 0 },
        { "hippo", 2387, 8406, 0.01 },
        { "cactus", 5261, 17187, 0.01 },
        { "cloth", 10201, 50198, 0 },
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; ++i)
    {
        Problem problem;
        bool file;
        char message[256];
        assert_true(problemCreate(rowFind(expected[i].name), NULL, &problem, &file, message, sizeof message));
        assert_false(file);
        CHECK_NEAR(problem.vertexCount, expected[i].vertices, expected[i].share * expected[i].vertices);
        CHECK_NEAR(problem.tetCount + problem.springCount, expected[i].elements,
                   expected[i].share * expected[i].elements);
        problemDestroy(&problem);
    }
}

// at rest without gravity nothing pulls: a residual that was not zero would be an error of the judge
static void theJudgeIsFairAtRest(void **state)
{
    (void)state;
    Problem problem;
    bool file;
    char message[256];
    assert_true(problemCreate(rowFind("cube"), NULL, &problem, &file, message, sizeof message));
    static double still[343 * 3];
    CHECK_NEAR(objectiveResidual(&problem, problem.rest, still, problem.rest), 9.81 / 900, 1e-12);
    problem.gravity = 0;
    CHECK_BELOW(objectiveResidual(&problem, problem.rest, still, problem.rest), 1e-12);
    problemDestroy(&problem);
}

// an unused point, a tet with negative volume, a section to skip
static void modelsAreRead(void **state)
{
    (void)state;
    char path[] = "bench_test.mesh", message[256] = "";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "MeshVersionFormatted 1\nDimension 3\nVertices\n5\n0 0 0 0\n9 9 9 0\n2 0 0 0\n0 2 0 0\n0 0 2 0\n"
                  "Triangles\n1\n1 3 4 0\nTetrahedra\n1\n1 4 3 5 0\nEnd\n");
    fclose(file);
    vvMesh *mesh = modelRead(path, message, sizeof message);
    remove(path);
    assert_non_null(mesh);
    assert_int_equal(vvMesh_GetVertexCount(mesh), 4);
    assert_int_equal(vvMesh_GetReorientedCount(mesh), 1);
    CHECK_CLOSE(vvMesh_GetSize(mesh), 1, 1e-15); // scaled
    vvDestroyMesh(mesh);
    assert_null(modelRead("no/such.mesh", message, sizeof message));
    assert_non_null(strstr(message, "no/such.mesh"));
}

static void samplesAreSorted(void **state)
{
    (void)state;
    Samples samples = { 0 };
    assert_true(isnan(samplesAt(&samples, 0.5)));
    const double values[] = { 5, 1, 4, 2 };
    for (int i = 0; i < 4; ++i)
        samplesAdd(&samples, values[i]);
    CHECK_NEAR(samplesAt(&samples, 0), 1, 0);
    CHECK_NEAR(samplesAt(&samples, 0.5), 3, 0);
    CHECK_NEAR(samplesAt(&samples, 1), 5, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(optionsAreRead),     cmocka_unit_test(badWordsAreNamed),
        cmocka_unit_test(rowsHaveTheirSizes), cmocka_unit_test(theJudgeIsFairAtRest),
        cmocka_unit_test(modelsAreRead),      cmocka_unit_test(samplesAreSorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
