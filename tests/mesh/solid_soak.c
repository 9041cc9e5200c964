// Large and hostile surfaces: 200,000 triangles within seconds, and foams of balls smaller than a cell.
#include "check.h"
#include "mesh/surfaces.h"

#include <stdio.h>
#include <time.h>
#include <verve/embedding.h>
#include <verve/solid.h>

static vvMesh *fillSoup(Soup *soup, vvSolidKind kind, int cells, int grading, double surfaceEdge, vvSolidReport *report)
{
    vvMeshDef surface = soupDef(soup);
    vvSolidDef def = vvDefaultSolidDef();
    def.kind = kind;
    def.cells = cells;
    def.grading = grading;
    def.surfaceEdge = surfaceEdge;
    vvResult result;
    vvMesh *mesh = vvCreateSolidMesh(&surface, &def, report, &result);
    if (mesh == NULL)
        fail_msg("%s; %s", result.message, result.remedy);
    soupFree(soup);
    return mesh;
}

static double between(unsigned *seed, double low, double high)
{
    *seed = *seed * 1664525U + 1013904223U;
    return low + (high - low) * (double)(*seed >> 8) / (double)(1U << 24);
}

// 100k triangles to 30k tets must take less than 5 s; here twice the triangles
static void largeSurfacesTakeSeconds(void **state)
{
    (void)state;
    Soup soup = { 0 };
    vvSolidReport report;
    soupBall(&soup, vec3(0, 0, 0), 1, 130);
    int triangles = soup.triangleCount;
    assert_true(triangles > 200000);
    vvMesh *mesh = fillSoup(&soup, VV_SOLID_CONFORMING, 17, 0, 0, &report);
    assert_true(report.tetCount > 30000);
    assert_true(report.leastAngle > 15);
    CHECK_CLOSE(report.volume, report.surfaceVolume, 1e-3);
    printf("%d triangles: %d tets in %.2f s\n", triangles, report.tetCount, report.seconds);
    assert_true(report.seconds < 10);
    vvDestroyMesh(mesh);
}

static void foamsKeepTheirAngles(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 8; ++seed)
    {
        unsigned random = seed;
        Soup soup = { 0 };
        for (int i = 0; i < 1500; ++i)
        {
            double x = between(&random, 0, 2), y = between(&random, 0, 2), z = between(&random, 0, 2);
            soupBall(&soup, vec3(x, y, z), between(&random, 0.01, 0.08), 3);
        }
        vvSolidReport report;
        vvMesh *mesh = fillSoup(&soup, seed % 2 == 0 ? VV_SOLID_CAGE : VV_SOLID_CONFORMING, 40, seed % 4 / 2,
                                seed > 4 ? 0.04 : 0, &report);
        if (!(report.leastAngle > 9 && report.mostAngle < (seed > 4 ? 165 : 162)))
            fail_msg("foam %u: angles from %g to %g degrees", seed, report.leastAngle, report.mostAngle);
        vvDestroyMesh(mesh);
    }
}

// 50,000 triangles on a cage of some hundred tets: half a millisecond a frame is wanted, three are allowed to a busy
// machine
static void cagesCarryFineSurfacesInTime(void **state)
{
    (void)state;
    Soup soup = { 0 };
    vvSolidReport report;
    soupBall(&soup, vec3(0, 0, 0), 1, 65);
    int triangles = soup.triangleCount;
    vvMesh *mesh = fillSoup(&soup, VV_SOLID_CAGE, 6, 0, 0, &report);
    const vvEmbedding *embedding = vvMesh_GetEmbedding(mesh);
    float *buffer = malloc(6 * (size_t)vvEmbedding_GetPointCount(embedding) * sizeof(float));
    vvRenderTarget target = { .positions = buffer, .normals = buffer + 3, .positionStride = 24, .normalStride = 24 };
    double best = INFINITY;
    for (int round = 0; round < 20; ++round)
    {
        clock_t start = clock();
        for (int i = 0; i < 10; ++i)
            assert_int_equal(vvEmbedding_Write(embedding, vvMesh_GetPoints(mesh), &target).code, VV_OK);
        best = minReal(best, (double)(clock() - start) / CLOCKS_PER_SEC / 10);
    }
    printf("%d triangles on %d tets: %.3f ms a frame with normals\n", triangles, report.tetCount, 1e3 * best);
    assert_true(best < 3e-3);
    free(buffer);
    vvDestroyMesh(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(largeSurfacesTakeSeconds),
        cmocka_unit_test(foamsKeepTheirAngles),
        cmocka_unit_test(cagesCarryFineSurfacesInTime),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
