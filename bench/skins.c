// verve-skins: what surfaces cost that move with something else. A render mesh of 50,000 triangles on a cage of about
// 1,000 tets (docs/meshes.md), and a collider of 10,000 triangles whose points move (docs/contact.md). CPU time of one
// thread, the least of some rounds.
#include "base/base.h"
#include "shape/shape.h"

#include <verve/verve.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 20
#define RADIUS 0.5 // m

typedef struct Ball
{
    double *point; // pointCount x 3
    int *triangle; // triangleCount x 3
    int pointCount, triangleCount;
} Ball;

// rings of sectors between two poles
static Ball ballMake(int rings, int sectors)
{
    Ball ball = { .pointCount = 2 + (rings - 1) * sectors };
    ball.point = malloc(3 * (size_t)ball.pointCount * sizeof(double));
    ball.triangle = malloc(6 * (size_t)rings * (size_t)sectors * sizeof(int));
    if (ball.point == NULL || ball.triangle == NULL)
        exit(3);
    int last = ball.pointCount - 2;
    for (int p = 0; p < ball.pointCount; ++p)
    {
        double polar = p < last ? PI * (p / sectors + 1) / rings : p == last ? 0 : PI, around = 2 * PI * p / sectors;
        double *x = ball.point + 3 * (size_t)p;
        x[0] = RADIUS * sin(polar) * cos(around);
        x[1] = RADIUS * cos(polar);
        x[2] = -RADIUS * sin(polar) * sin(around);
    }
    for (int i = 0; i < rings * sectors; ++i)
    {
        int r = i / sectors, s = i % sectors, next = (s + 1) % sectors;
        int a = r > 0 ? (r - 1) * sectors + s : last, b = r > 0 ? (r - 1) * sectors + next : last;
        int c = r + 1 < rings ? r * sectors + s : last + 1, d = r + 1 < rings ? r * sectors + next : last + 1;
        const int corner[2][3] = { { a, c, d }, { a, d, b } };
        for (int k = 0; k < 2; ++k)
        {
            if ((k == 0 && r + 1 == rings) || (k == 1 && r == 0))
                continue;
            for (int j = 0; j < 3; ++j)
                ball.triangle[3 * ball.triangleCount + j] = corner[k][j];
            ball.triangleCount += 1;
        }
    }
    return ball;
}

static double now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void fail(const vvResult *result)
{
    fprintf(stderr, "%s (%s)\n", result->message, result->remedy);
    exit(3);
}

// ---- a render mesh on a cage ----------------------------------------------------------------------------------------

static double timeWrite(const vvEmbedding *embedding, const double *vertices, const vvRenderTarget *target)
{
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; ++round)
    {
        double start = now();
        for (int i = 0; i < 10; ++i)
            vvEmbedding_Write(embedding, vertices, target);
        best = fmin(best, (now() - start) / 10);
    }
    return 1e3 * best;
}

static void embedding(void)
{
    Ball ball = ballMake(125, 200);
    vvMeshDef surface = vvDefaultMeshDef();
    surface.shape = VV_MESH_ARRAYS;
    surface.points = ball.point;
    surface.pointCount = ball.pointCount;
    surface.triangles = ball.triangle;
    surface.triangleCount = ball.triangleCount;
    vvSolidDef solid = vvDefaultSolidDef();
    solid.kind = VV_SOLID_CAGE;
    solid.cells = 6;
    vvSolidReport report;
    vvResult result;
    vvMesh *mesh = vvCreateSolidMesh(&surface, &solid, &report, &result);
    if (mesh == NULL)
        fail(&result);
    double *tangents = malloc(3 * (size_t)ball.pointCount * sizeof(double));
    float *buffer = malloc(9 * (size_t)ball.pointCount * sizeof(float));
    if (tangents == NULL || buffer == NULL)
        exit(3);
    for (int i = 0; i < ball.pointCount; ++i)
    {
        const double *p = ball.point + 3 * (size_t)i;
        tangents[3 * i] = -p[2];
        tangents[3 * i + 1] = 1e-3;
        tangents[3 * i + 2] = p[0];
    }
    vvEmbeddingDef def = vvDefaultEmbeddingDef();
    def.mesh = mesh;
    def.points = ball.point;
    def.pointCount = ball.pointCount;
    def.triangles = ball.triangle;
    def.triangleCount = ball.triangleCount;
    def.tangents = tangents;
    vvEmbedding *skin = vvCreateEmbedding(&def, &result);
    if (skin == NULL)
        fail(&result);
    vvRenderTarget target = { .positions = buffer, .positionStride = 36 };
    double positions = timeWrite(skin, vvMesh_GetPoints(mesh), &target);
    target.normals = buffer + 3;
    target.normalStride = 36;
    double normals = timeWrite(skin, vvMesh_GetPoints(mesh), &target);
    target.tangents = buffer + 6;
    target.tangentStride = 36;
    double all = timeWrite(skin, vvMesh_GetPoints(mesh), &target);
    printf(
        "embedding: %d triangles on %d tets: positions %.3f ms a frame, with normals %.3f ms, with tangents %.3f ms\n",
        ball.triangleCount, report.tetCount, positions, normals, all);
    vvDestroyEmbedding(skin);
    vvDestroyMesh(mesh);
    free(tangents);
    free(buffer);
    free(ball.point);
    free(ball.triangle);
}

// ---- a collider whose points move -----------------------------------------------------------------------------------

static double timeDistances(const vvShape *shape, double moment)
{
    double best = INFINITY, sum = 0;
    const int count = 20000;
    for (int round = 0; round < ROUNDS; ++round)
    {
        unsigned seed = 1;
        int hint = -1;
        double start = now();
        for (int i = 0; i < count; ++i)
        {
            double u[3];
            for (int c = 0; c < 3; ++c)
                u[c] = (double)((seed = seed * 1664525u + 1013904223u) >> 8) / (1 << 24) - 0.5;
            double r = RADIUS * 1.05 / sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
            ShapeSample sample = shapeSampleAt(shape, moment, vec3(r * u[0], r * u[1], r * u[2]), INFINITY, hint);
            sum += sample.distance;
        }
        best = fmin(best, (now() - start) / count);
    }
    return sum > 0 ? 1e9 * best : 0;
}

static void collider(void)
{
    Ball ball = ballMake(51, 100);
    vvShapeDef def = vvDefaultShapeDef();
    vvResult result;
    def.kind = VV_SHAPE_MESH;
    def.points = ball.point;
    def.pointCount = ball.pointCount;
    def.triangles = ball.triangle;
    def.triangleCount = ball.triangleCount;
    vvShape *mesh = vvCreateShape(&def, &result), *moving = mesh ? shapeCreateMoving(mesh, NULL, &result) : NULL;
    if (moving == NULL)
        fail(&result);
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; ++round)
    {
        for (int i = 0; i < 3 * ball.pointCount; ++i)
            ball.point[i] *= round % 2 ? 1.01 : 1 / 1.01;
        double start = now();
        shapeMovePoints(moving, ball.point);
        shapeArrive(moving);
        best = fmin(best, now() - start);
    }
    for (int i = 0; i < 3 * ball.pointCount; ++i)
        ball.point[i] *= 1.01;
    shapeMovePoints(moving, ball.point);
    printf("deforming collider: %d triangles: %.3f ms a step; a distance %.0f ns at rest, %.0f ns within a step\n",
           ball.triangleCount, 1e3 * best, timeDistances(mesh, 0), timeDistances(moving, 0.5));
    vvDestroyShape(moving);
    vvDestroyShape(mesh);
    free(ball.point);
    free(ball.triangle);
}

int main(void)
{
    embedding();
    collider();
    return 0;
}
