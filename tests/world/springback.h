// A bar bent beyond its yield stress and let go, for the tests of plasticity.
#ifndef TESTS_WORLD_SPRINGBACK_H
#define TESTS_WORLD_SPRINGBACK_H

#include "world/scenes.h"

#include <stdlib.h>

#define BENT_LENGTH 1.0
#define BENT_HEIGHT 0.1
#define BENT_YOUNG 1e6
#define BENT_YIELD 1e4

// 1/m, at which the faces of the bar begin to yield
#define BENT_FIRST (2 * BENT_YIELD / (BENT_YOUNG * BENT_HEIGHT))

// an elastic and perfectly plastic beam at the curvature k has the moment My (3 - (ky / k)^2) / 2; over k, what stays
static inline double bentStays(double k)
{
    double first = BENT_FIRST / k;
    return 1 - first * (3 - first * first) / 2;
}

static inline vvVec3 bentPoint(const double *p, double k)
{
    double angle = k * p[0], radius = 1 / k - p[1];
    return (vvVec3){ radius * sin(angle), 1 / k - radius * cos(angle), p[2] };
}

// rad: slope of the section at a place along the bar, by its top and bottom
static inline double bentSlope(vvSoftBodyId body, const double *rest, double place)
{
    double top[2] = { 0, 0 }, bottom[2] = { 0, 0 };
    const double *x = vvSoftBody_GetPositions(body);
    for (int v = 0; v < vvSoftBody_GetVertexCount(body); ++v)
    {
        if (fabs(rest[3 * v] - place) > 1e-6 || fabs(fabs(rest[3 * v + 1]) - BENT_HEIGHT / 2) > 1e-6)
            continue;
        double *sum = rest[3 * v + 1] > 0 ? top : bottom;
        sum[0] += x[3 * v];
        sum[1] += x[3 * v + 1];
    }
    return atan2(bottom[0] - top[0], top[1] - bottom[1]);
}

// Bent in a second, held for half of one, free for one and a half, so light that it does not overshoot, which would
// bend it back: the curvature of its middle half that stays, over that which was asked for. h: s, of a step; `along` is
// a multiple of 4.
static inline double bentMeasure(const char *model, double asked, int along, int across, double h)
{
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
    vvSoftBodyDef def = elasticDef(10, BENT_YOUNG, 0);
    def.model = model;
    def.plasticity.yield = BENT_YIELD;
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ BENT_LENGTH, BENT_HEIGHT, 0.05 }, along, across, 1);
    int count = vvMesh_GetVertexCount(mesh), pins = 0, steps = (int)(1 / h + 0.5);
    double *rest = malloc(3 * (size_t)count * sizeof(double));
    memcpy(rest, vvMesh_GetPoints(mesh), 3 * (size_t)count * sizeof(double));
    vvSoftBodyId body = makeBody(world, mesh, def);
    int *pin = malloc((size_t)count * sizeof(int));
    for (int v = 0; v < count; ++v)
    {
        if (fabs(rest[3 * v]) > BENT_LENGTH / 2 - 1e-6)
            pin[pins++] = v;
    }
    CHECK_OK(vvSoftBody_Pin(body, pin, pins));
    for (int n = 1; n <= 3 * steps; ++n)
    {
        for (int i = 0; i < pins && n <= steps; ++i)
            CHECK_OK(vvSoftBody_MovePin(body, pin[i], bentPoint(rest + 3 * pin[i], asked * n / steps)));
        if (n == steps + steps / 2)
            CHECK_OK(vvSoftBody_Unpin(body, pin, pins));
        CHECK_OK(vvWorld_Step(world, h));
    }
    double turn = bentSlope(body, rest, BENT_LENGTH / 4) - bentSlope(body, rest, -BENT_LENGTH / 4);
    vvDestroyWorld(world);
    free(rest);
    free(pin);
    return turn / (BENT_LENGTH / 2) / asked;
}

#endif
