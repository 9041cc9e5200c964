// Rods for the tests: straight, bent at rest, clamped at their ends.
#ifndef TESTS_WORLD_RODS_H
#define TESTS_WORLD_RODS_H

#include "base/vec.h"
#include "world/scenes.h"

#include <stdlib.h>

#define MOST_SEGMENTS 400

typedef struct RodCase
{
    double young, poisson, density, radius, length; // Pa, 1, kg/m^3, m, m
    int segments;
} RodCase;

static inline double rodBending(const RodCase *rod) // N m^2
{
    return rod->young * PI * pow(rod->radius, 4) / 4;
}

static inline double rodTwisting(const RodCase *rod) // N m^2
{
    return rod->young / (2 * (1 + rod->poisson)) * PI * pow(rod->radius, 4) / 2;
}

static inline double rodLineDensity(const RodCase *rod) // kg/m
{
    return rod->density * PI * rod->radius * rod->radius;
}

static inline int sideOf(const RodCase *rod, int segment) // the vertex beside it
{
    return rod->segments + 1 + segment;
}

// through points, one more than segments; NULL: straight from the origin along x
static inline vvMesh *rodMesh(const RodCase *rod, const double *points)
{
    static int edges[2 * MOST_SEGMENTS];
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = points ? VV_MESH_ARRAYS : VV_MESH_ROPE;
    def.size.x = rod->length;
    def.cells[0] = rod->segments;
    def.translate.x = points ? 0 : rod->length / 2;
    def.points = points;
    def.pointCount = rod->segments + 1;
    for (int i = 0; i < 2 * rod->segments; ++i)
        edges[i] = (i + 1) / 2;
    def.edges = edges;
    def.edgeCount = rod->segments;
    def.rod = true;
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    CHECK_OK(result);
    return mesh;
}

static inline vvSoftBodyId makeRod(vvWorldId world, const RodCase *rod, const double *points)
{
    vvSoftBodyDef def = elasticDef(rod->density, rod->young, rod->poisson);
    def.material.thickness = 2 * rod->radius;
    return makeBody(world, rodMesh(rod, points), def);
}

// both ends of a segment and the vertex beside it: the clamp is in the middle of the segment
static inline void clampSegment(vvSoftBodyId body, const RodCase *rod, int segment)
{
    int pins[3] = { segment, segment + 1, sideOf(rod, segment) };
    CHECK_OK(vvSoftBody_Pin(body, pins, 3));
}

// rad/s of the first bending of a cantilever of this length
static inline double cantileverFrequency(const RodCase *rod, double length)
{
    return 1.8751040687 * 1.8751040687 / (length * length) * sqrt(rodBending(rod) / rodLineDensity(rod));
}

// Backward Euler ends at rest, a third of what is left in each step. Not in longer steps: they begin where forces alone
// would take vertices.
static inline void settle(vvWorldId world, const RodCase *rod, int steps)
{
    for (int k = 0; k < steps; ++k)
        CHECK_OK(vvWorld_Step(world, 3 / cantileverFrequency(rod, rod->length)));
}

static inline vvWorldId makeStillWorld(void)
{
    return makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
}

// the tip of a cantilever that is bent by a load across its end, over its length: where Euler's elastica has it. From
// the angle at the tip: s = integral of ds over the angles, by shooting for its length.
typedef struct Tip
{
    double along, across;
} Tip;

static inline Tip elasticaTip(double load) // P L^2 / B
{
    double low = 0, high = PI / 2;
    Tip tip = { 1, 0 };
    for (int n = 0; n < 60; ++n)
    {
        // angle = end sin^2(u) takes the root out of the integral, ds = d angle / sqrt(2 P/B (sin end - sin angle))
        double end = 0.5 * (low + high), length = 0, along = 0, across = 0;
        int steps = 400;
        for (int k = 0; k < steps; ++k)
        {
            double u = PI / 2 * (k + 0.5) / steps, angle = end * (1 - cos(u) * cos(u));
            double ds = end * 2 * sin(u) * cos(u) * PI / 2 / steps / sqrt(2 * load * (sin(end) - sin(angle)));
            length += ds;
            along += ds * cos(angle);
            across += ds * sin(angle);
        }
        *(length > 1 ? &high : &low) = end;
        tip = (Tip){ along, across };
    }
    return tip;
}

#endif
