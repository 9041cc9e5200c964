// The reference cloth: 17 x 17 vertices, 1 m, 1 kg, springs of 1 kN/m along and across the cells, two corners held,
// backward Euler with h = 1/60 s from flat; and a stiff solid of a few hundred vertices. Solvers stop at 1e-4 of the
// gradient a step starts with. Spring damping is left out (d = 0).
#ifndef TESTS_SOLVE_CLOTH_H
#define TESTS_SOLVE_CLOTH_H

#include "world/scenes.h"

#include "world/world.h"
#include "undamped.h"

typedef struct Counts
{
    int newton, cg, factorizations, unconverged;
} Counts;

static inline vvWorldDef solverDef(const char *solver)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "backward-euler";
    def.solver = solver;
    return def;
}

static inline vvWorldId makeCloth(const vvWorldDef *def, vvSoftBodyId *cloth)
{
    vvResult result;
    vvWorldId world = vvCreateWorld(def, &result);
    CHECK_OK(result);
    vvSoftBodyDef body = undampedDef();
    body.springStiffness[VV_EDGE_STRUCTURAL] = body.springStiffness[VV_EDGE_SHEAR] = 1e3;
    body.springStiffness[VV_EDGE_SKIP] = 0;
    body.material.density = 1000;
    body.material.thickness = 1e-3;
    *cloth = makeBody(world, vvCreateSheetMesh(1, 1, 16, 16), body);
    int corners[2], count = 0;
    for (int v = 0; v < vvSoftBody_GetVertexCount(*cloth); ++v)
    {
        vvVec3 x = vertexPosition(*cloth, v);
        if (x.z < -0.499 && fabs(x.x) > 0.499)
            corners[count++] = v;
    }
    assert_int_equal(count, 2);
    CHECK_OK(vvSoftBody_Pin(*cloth, corners, 2));
    return world;
}

// steps of a world whose solver stops at a share of the first gradient
static inline Counts runCounted(vvWorldId id, int steps)
{
    World *world = worldFind(id);
    world->method.solving.reduction = 1e-4;
    Counts counts = { 0 };
    for (int n = 0; n < steps; ++n)
    {
        CHECK_OK(vvWorld_Step(id, 1.0 / 60));
        vvStatistics statistics = vvWorld_GetStatistics(id);
        counts.newton += statistics.iterations;
        counts.cg += statistics.linearIterations;
        counts.factorizations += statistics.factorizations;
        counts.unconverged += !statistics.converged;
    }
    return counts;
}

#endif
