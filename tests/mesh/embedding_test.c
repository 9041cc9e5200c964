// Render meshes on coarse bodies: at rest and under affine motion they are where they should be, with their normals.
#include "check.h"
#include "mesh/surfaces.h"
#include "refuse.h"
#include "undamped.h"

#include <verve/verve.h>

#define POINTS 1e-12 // m, of affine motion of bodies of about 1 m
#define NORMALS 1e-6 // of unit normals

static const Mat3 stretch = { { { 1.2, 0.3, -0.1 }, { -0.2, 0.9, 0.4 }, { 0.1, -0.3, 1.1 } } };

static Vec3 moved(Vec3 p)
{
    return vecAdd(matApply(&stretch, p), vec3(0.3, -0.7, 0.2));
}

static double *movedPoints(const double *point, int count)
{
    double *out = malloc(3 * (size_t)count * sizeof(double));
    for (int i = 0; i < count; ++i)
        vecStore(out + 3 * (size_t)i, moved(vecLoad(point + 3 * (size_t)i)));
    return out;
}

static vvEmbedding *embed(const vvMesh *mesh, const Soup *soup, const double *tangents)
{
    vvEmbeddingDef def = vvDefaultEmbeddingDef();
    def.mesh = mesh;
    def.points = soup->point;
    def.pointCount = soup->pointCount;
    def.triangles = soup->triangle;
    def.triangleCount = soup->triangleCount;
    def.tangents = tangents;
    vvResult result;
    vvEmbedding *embedding = vvCreateEmbedding(&def, &result);
    if (embedding == NULL)
        fail_msg("%s", result.message);
    return embedding;
}

static void checkPositions(const vvEmbedding *embedding, const double *vertices, const Soup *soup, bool affine)
{
    double *points = malloc(3 * (size_t)soup->pointCount * sizeof(double));
    assert_int_equal(vvEmbedding_GetPositions(embedding, vertices, points).code, VV_OK);
    for (int i = 0; i < soup->pointCount; ++i)
    {
        Vec3 rest = vecLoad(soup->point + 3 * (size_t)i), want = affine ? moved(rest) : rest;
        CHECK_NEAR(vecLength(vecSub(vecLoad(points + 3 * (size_t)i), want)), 0, POINTS);
    }
    free(points);
}

// some points are inside the coarse ball of tets, others outside
static void tetsCarryThroughAffineMotion(void **state)
{
    (void)state;
    vvMesh *mesh = vvCreateSphereMesh(2, 3);
    Soup soup = { 0 };
    soupBall(&soup, vec3(0, 0, 0), 1, 10);
    double *tangents = calloc(3 * (size_t)soup.pointCount, sizeof(double));
    for (int i = 0; i < soup.pointCount; ++i)
        vecStore(tangents + 3 * (size_t)i, vecCross(vec3(0.1, 1, 0.2), vecLoad(soup.point + 3 * (size_t)i)));
    vvEmbedding *embedding = embed(mesh, &soup, tangents);
    assert_true(vvEmbedding_GetFarthest(embedding) > 0 && vvEmbedding_GetFarthest(embedding) < 0.2);
    checkPositions(embedding, vvMesh_GetPoints(mesh), &soup, false);
    double *vertices = movedPoints(vvMesh_GetPoints(mesh), vvMesh_GetVertexCount(mesh));
    checkPositions(embedding, vertices, &soup, true);

    // one buffer of 12 floats a vertex: position, normal, tangent with gaps
    float *buffer = calloc(12 * (size_t)soup.pointCount, sizeof(float));
    float *rest = calloc(12 * (size_t)soup.pointCount, sizeof(float));
    vvRenderTarget target = { buffer, buffer + 4, buffer + 8, 48, 48, 48 };
    vvRenderTarget atRest = { rest, rest + 4, rest + 8, 48, 48, 48 };
    assert_int_equal(vvEmbedding_Write(embedding, vertices, &target).code, VV_OK);
    assert_int_equal(vvEmbedding_Write(embedding, vvMesh_GetPoints(mesh), &atRest).code, VV_OK);
    Mat3 inverse = matInverse(&stretch), turn = matTranspose(&inverse);
    for (int i = 0; i < soup.pointCount; ++i)
    {
        const float *f = buffer + 12 * (size_t)i, *r = rest + 12 * (size_t)i;
        Vec3 p = moved(vecLoad(soup.point + 3 * (size_t)i));
        Vec3 n = matApply(&turn, vec3((double)r[4], (double)r[5], (double)r[6]));
        Vec3 t = matApply(&stretch, vecLoad(tangents + 3 * (size_t)i));
        n = vecScale(1 / vecLength(n), n);
        t = vecSub(t, vecScale(vecDot(t, n), n));
        t = vecScale(1 / vecLength(t), t);
        CHECK_NEAR(vecLength(vecSub(vec3((double)f[0], (double)f[1], (double)f[2]), p)), 0, 2e-7);
        CHECK_NEAR(vecLength(vecSub(vec3((double)f[4], (double)f[5], (double)f[6]), n)), 0, NORMALS);
        CHECK_NEAR(vecLength(vecSub(vec3((double)f[8], (double)f[9], (double)f[10]), t)), 0, NORMALS);
        assert_true(f[3] == 0 && f[7] == 0 && f[11] == 0);
    }
    free(buffer);
    free(rest);
    free(vertices);
    free(tangents);
    vvDestroyEmbedding(embedding);
    vvDestroyMesh(mesh);
    soupFree(&soup);
}

// a fine sheet in a coarse one follows affine maps; buttons above it follow rigid motion
static void sheetsCarryToo(void **state)
{
    (void)state;
    vvMesh *mesh = vvCreateSheetMesh(2, 2, 5, 5);
    Soup soup = { 0 };
    for (int i = 0; i <= 12; ++i)
    {
        for (int k = 0; k <= 12; ++k)
            soupPoint(&soup, i / 6.0 - 1, 0, k / 6.0 - 1);
    }
    vvEmbedding *embedding = embed(mesh, &soup, NULL);
    checkPositions(embedding, vvMesh_GetPoints(mesh), &soup, false);
    double *vertices = movedPoints(vvMesh_GetPoints(mesh), vvMesh_GetVertexCount(mesh));
    checkPositions(embedding, vertices, &soup, true);
    vvDestroyEmbedding(embedding);
    for (int i = 0; i < soup.pointCount; ++i)
        soup.point[3 * i + 1] = 0.1 * (i % 3 - 1);
    embedding = embed(mesh, &soup, NULL);
    checkPositions(embedding, vvMesh_GetPoints(mesh), &soup, false);
    for (int v = 0; v < vvMesh_GetVertexCount(mesh); ++v) // a quarter turn about x
    {
        Vec3 p = vecLoad(vvMesh_GetPoints(mesh) + 3 * (size_t)v);
        vecStore(vertices + 3 * (size_t)v, vec3(p.x, -p.z, p.y));
    }
    double *points = malloc(3 * (size_t)soup.pointCount * sizeof(double));
    assert_int_equal(vvEmbedding_GetPositions(embedding, vertices, points).code, VV_OK);
    for (int i = 0; i < soup.pointCount; ++i)
    {
        const double *p = soup.point + 3 * (size_t)i;
        CHECK_NEAR(vecLength(vecSub(vecLoad(points + 3 * (size_t)i), vec3(p[0], -p[2], p[1]))), 0, POINTS);
    }
    free(points);
    free(vertices);
    vvDestroyEmbedding(embedding);
    vvDestroyMesh(mesh);
    soupFree(&soup);
}

static vvMesh *makeCage(Soup *soup)
{
    soupTorus(soup, 1, 0.35, 40, 16);
    vvMeshDef surface = soupDef(soup);
    vvSolidDef def = vvDefaultSolidDef();
    def.kind = VV_SOLID_CAGE;
    def.cells = 8;
    vvMesh *mesh = vvCreateSolidMesh(&surface, &def, NULL, NULL);
    assert_non_null(mesh);
    return mesh;
}

// tangents from texture coordinates: where u grows, at rest and under affine motion
static void tangentsComeFromTexture(void **state)
{
    (void)state;
    vvMesh *mesh = vvCreateSphereMesh(2, 3);
    Soup soup = { 0 };
    soupBall(&soup, vec3(0, 0, 0), 0.8, 6);
    // u and v are linear in space, so that the gradient of u in the plane of a face is known
    Vec3 along = vec3(0.8, 0.6, 0), up = vec3(-0.3, 0.4, 0.9);
    int count = soup.pointCount;
    double *uv = malloc(2 * (size_t)count * sizeof(double));
    int *starts = malloc(((size_t)soup.triangleCount + 1) * sizeof(int));
    for (int i = 0; i < count; ++i)
    {
        uv[2 * i] = vecDot(along, vecLoad(soup.point + 3 * (size_t)i));
        uv[2 * i + 1] = vecDot(up, vecLoad(soup.point + 3 * (size_t)i));
    }
    for (int f = 0; f <= soup.triangleCount; ++f)
        starts[f] = 3 * f;
    vvFaces faces = { .faceCount = soup.triangleCount,
                      .starts = starts,
                      .points = soup.triangle,
                      .coordinates = soup.triangle,
                      .coordinateValues = uv,
                      .coordinateCount = count };
    vvEmbeddingDef def = vvDefaultEmbeddingDef();
    def.mesh = mesh;
    def.points = soup.point;
    def.pointCount = count;
    def.triangles = soup.triangle;
    def.triangleCount = soup.triangleCount;
    def.faces = &faces;
    vvEmbedding *embedding = vvCreateEmbedding(&def, NULL);
    assert_non_null(embedding);
    float *f = malloc(6 * (size_t)count * sizeof(float));
    vvRenderTarget target = { .normals = f, .tangents = f + 3, .normalStride = 24, .tangentStride = 24 };
    assert_int_equal(vvEmbedding_Write(embedding, vvMesh_GetPoints(mesh), &target).code, VV_OK);
    for (int i = 0; i < count; ++i)
    {
        const float *row = f + 6 * (size_t)i;
        Vec3 n = vec3((double)row[0], (double)row[1], (double)row[2]);
        Vec3 t = vec3((double)row[3], (double)row[4], (double)row[5]);
        CHECK_NEAR(vecLength(t), 1, NORMALS);
        CHECK_NEAR(vecDot(t, n), 0, NORMALS);
        // v does not change along it, where the chart is not seen from its edge or its back
        Vec3 want = vecCross(up, n);
        want = vecDot(want, along) < 0 ? vecScale(-1, want) : want;
        if (fabs(vecDot(vecCross(along, up), n)) < 0.4)
            continue;
        CHECK_BELOW(vecLength(vecSub(t, vecScale(1 / vecLength(want), want))), 0.15); // faces are 15 degrees wide
    }
    free(f);
    free(uv);
    free(starts);
    vvDestroyEmbedding(embedding);
    vvDestroyMesh(mesh);
    soupFree(&soup);
}

// a cage has the artist's surface with it, and a body moves it, between two steps too
static void cagesCarryTheirSurface(void **state)
{
    (void)state;
    Soup soup = { 0 };
    vvMesh *mesh = makeCage(&soup);
    const vvEmbedding *embedding = vvMesh_GetEmbedding(mesh);
    assert_int_equal(vvEmbedding_GetPointCount(embedding), soup.pointCount);
    assert_int_equal(vvEmbedding_GetTriangleCount(embedding), soup.triangleCount);
    assert_memory_equal(vvEmbedding_GetTriangles(embedding), soup.triangle,
                        3 * (size_t)soup.triangleCount * sizeof(int));
    assert_true(vvEmbedding_GetFarthest(embedding) < 0.2);
    checkPositions(embedding, vvMesh_GetPoints(mesh), &soup, false);

    vvWorldDef worldDef = vvDefaultWorldDef();
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvSoftBodyDef bodyDef = undampedDef();
    bodyDef.mesh = mesh;
    bodyDef.velocity = (vvVec3){ 0, 0, 3 };
    vvSoftBodyId body = vvCreateSoftBody(world, &bodyDef, NULL);
    for (int i = 0; i < 3; ++i)
        vvWorld_Step(world, 1.0 / 60);
    float *f = malloc(3 * 3 * (size_t)soup.pointCount * sizeof(float));
    size_t row = 3 * (size_t)soup.pointCount;
    for (size_t k = 0; k < 3; ++k)
    {
        vvRenderTarget target = { .positions = f + k * row, .positionStride = 12 };
        assert_int_equal(vvSoftBody_WriteEmbedding(body, embedding, 0.5 * (double)k, &target).code, VV_OK);
    }
    for (size_t i = 0; i < row; ++i)
        CHECK_NEAR((double)f[row + i], 0.5 * ((double)f[i] + (double)f[2 * row + i]), 1e-6);
    CHECK_NEAR((double)f[2 * row + 2] - soup.point[2], 3 * 3 / 60.0, 1e-3);
    vvRenderTarget bad = { .tangents = f, .tangentStride = 12 };
    assert_int_equal(vvSoftBody_WriteEmbedding(body, embedding, 1, &bad).code, VV_BAD_INPUT);
    bad = (vvRenderTarget){ .positions = f, .positionStride = 8 };
    assert_int_equal(vvSoftBody_WriteEmbedding(body, embedding, 1, &bad).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_WriteEmbedding(body, NULL, 1, &bad).code, VV_BAD_INPUT);
    free(f);
    vvDestroyWorld(world);
    vvDestroyMesh(mesh);
    soupFree(&soup);
}

static void everyAllocationMayFail(void **state)
{
    (void)state;
    vvMesh *mesh[2] = { vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2), vvCreateSheetMesh(1, 1, 2, 2) };
    Soup soup = { 0 };
    soupBox(&soup, vec3(0, 0, 0), vec3(0.6, 0.6, 0.6), 2);
    for (int m = 0; m < 2; ++m)
    {
        vvEmbeddingDef def = vvDefaultEmbeddingDef();
        int left = 0;
        def.allocator = (vvAllocator){ refuseAfter, giveBack, &left };
        def.mesh = mesh[m];
        def.points = soup.point;
        def.pointCount = soup.pointCount;
        def.triangles = soup.triangle;
        def.triangleCount = soup.triangleCount;
        vvEmbedding *embedding = NULL;
        for (int count = 0; embedding == NULL; count += refusedApart())
        {
            vvResult result;
            left = count;
            embedding = vvCreateEmbedding(&def, &result);
            if (embedding == NULL)
                assert_int_equal(result.code, VV_OUT_OF_MEMORY);
        }
        left = 0;
        float *f = malloc(3 * (size_t)soup.pointCount * sizeof(float));
        vvRenderTarget target = { .normals = f, .normalStride = 12 };
        assert_int_equal(vvEmbedding_Write(embedding, vvMesh_GetPoints(mesh[m]), &target).code, VV_OUT_OF_MEMORY);
        free(f);
        vvDestroyEmbedding(embedding);
        vvDestroyMesh(mesh[m]);
    }
    vvEmbeddingDef bad = vvDefaultEmbeddingDef();
    vvResult result;
    assert_null(vvCreateEmbedding(&bad, &result));
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_null(vvCreateEmbedding(NULL, &result));
    soupFree(&soup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tetsCarryThroughAffineMotion), cmocka_unit_test(sheetsCarryToo),
        cmocka_unit_test(tangentsComeFromTexture),      cmocka_unit_test(cagesCarryTheirSurface),
        cmocka_unit_test(everyAllocationMayFail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
