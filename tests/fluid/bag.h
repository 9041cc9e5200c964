// Sheets and ropes in fluids, for tests.
#ifndef TESTS_FLUID_BAG_H
#define TESTS_FLUID_BAG_H

#include "vessel.h"
#include "undamped.h"

#include <string.h>

#define STEP (1 / 60.0)

static inline vvWorldId makeWorld(double gravity, const char *method, int threads)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.gravity = (vvVec3){ 0, -gravity, 0 };
    def.method = method;
    def.threads = threads;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    return world;
}

static inline vvFluidId addWater(vvWorldId world, double spacing, vvBox box, vvVec3 velocity)
{
    vvFluidDef def = vvDefaultFluidDef();
    def.spacing = spacing;
    vvFluidId fluid = vvCreateFluid(world, &def, NULL);
    CHECK_OK(vvFluid_AddBox(fluid, box, velocity));
    return fluid;
}

// 0.2 kg/m^2, horizontal
static inline vvSoftBodyId addSheet(vvWorldId world, double edge, int cells, double young, vvVec3 position)
{
    vvSoftBodyDef def = undampedDef();
    def.mesh = vvCreateSheetMesh(edge, edge, cells, cells);
    def.model = "membrane";
    def.material.thickness = 1e-3;
    def.material.density = 200;
    def.material.young = young;
    def.material.poisson = 0.3;
    def.position = position;
    vvResult result;
    vvSoftBodyId body = vvCreateSoftBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyMesh(def.mesh);
    return body;
}

// its rim, or its corners alone
static inline void pinSheet(vvSoftBodyId sheet, double edge, bool corners)
{
    const double *x = vvSoftBody_GetPositions(sheet);
    for (int v = 0; v < vvSoftBody_GetVertexCount(sheet); ++v)
    {
        bool alongX = fabs(x[3 * v]) > 0.499 * edge, alongZ = fabs(x[3 * v + 2]) > 0.499 * edge;
        if (corners ? alongX && alongZ : alongX || alongZ)
            CHECK_OK(vvSoftBody_Pin(sheet, &v, 1));
    }
}

// N, upward: what its pins hold
static inline double pinForce(vvSoftBodyId sheet)
{
    int count = vvSoftBody_GetVertexCount(sheet);
    double force[3 * 2000], sum = 0;
    assert_true(count <= 2000);
    CHECK_OK(vvSoftBody_CopyForces(sheet, force));
    for (int v = 0; v < count; ++v)
        sum -= vvSoftBody_IsPinned(sheet, v) ? force[3 * v + 1] : 0;
    return sum;
}

// how high a triangle is over or under a point of the floor; NAN: it is elsewhere
static inline double heightAt(const double *x, const int *corner, double px, double pz)
{
    const double *a = x + 3 * corner[0], *b = x + 3 * corner[1], *c = x + 3 * corner[2];
    double whole = (b[0] - a[0]) * (c[2] - a[2]) - (c[0] - a[0]) * (b[2] - a[2]);
    double u = ((px - a[0]) * (c[2] - a[2]) - (c[0] - a[0]) * (pz - a[2])) / whole;
    double v = ((b[0] - a[0]) * (pz - a[2]) - (px - a[0]) * (b[2] - a[2])) / whole;
    bool inside = u >= 0 && v >= 0 && u + v <= 1;
    return inside ? a[1] + u * (b[1] - a[1]) + v * (c[1] - a[1]) : (double)NAN;
}

typedef struct Bag
{
    vvWorldId world;
    vvSoftBodyId sheet;
    vvFluidId fluid;
} Bag;

// A sheet of 40 cm with 10 x 10 cells that is held at its rim or its corners, and 108 particles of 3 cm above it, which
// weigh 90 times as much.
static inline Bag makeBag(const char *method, int threads, bool corners)
{
    Bag bag = { .world = makeWorld(9.81, method, threads) };
    bag.sheet = addSheet(bag.world, 0.4, 10, 3e5, (vvVec3){ 0, 0, 0 });
    pinSheet(bag.sheet, 0.4, corners);
    vvBox box = { { -0.09, 0.02, -0.09 }, { 0.09, 0.11, 0.09 } };
    bag.fluid = addWater(bag.world, 0.03, box, (vvVec3){ 0, 0, 0 });
    return bag;
}

static inline double weightOf(const Bag *bag) // N
{
    double water = vvFluid_GetCount(bag->fluid) * vvFluid_GetParticleMass(bag->fluid);
    return 9.81 * (vvSoftBody_GetMass(bag->sheet) + water);
}

// m, of the highest part of a sheet over or under a point of the floor; -INFINITY: the point is beyond its edges
static inline double highestAt(vvSoftBodyId sheet, double px, double pz)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(sheet);
    double highest = (double)-INFINITY;
    for (int t = 0; t < vvMesh_GetSurfaceCount(mesh); ++t)
    {
        double height = heightAt(vvSoftBody_GetPositions(sheet), vvMesh_GetSurface(mesh) + 3 * t, px, pz);
        highest = height > highest ? height : highest;
    }
    return highest;
}

// particles that have the highest part of a sheet above them
static inline int countUnder(vvFluidId fluid, vvSoftBodyId sheet)
{
    const double *p = vvFluid_GetPositions(fluid);
    int under = 0;
    for (int i = 0; i < vvFluid_GetCount(fluid); ++i)
        under += p[3 * i + 1] < highestAt(sheet, p[3 * i], p[3 * i + 2]);
    return under;
}

// those, and what is beyond its edges
static inline int countLeaks(vvFluidId fluid, vvSoftBodyId sheet)
{
    const double *p = vvFluid_GetPositions(fluid);
    int beyond = 0;
    for (int i = 0; i < vvFluid_GetCount(fluid); ++i)
        beyond += highestAt(sheet, p[3 * i], p[3 * i + 2]) < -1e30;
    return beyond + countUnder(fluid, sheet);
}

#endif
