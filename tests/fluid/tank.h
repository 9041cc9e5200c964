// A rectangular tank without friction, and blocks of particles in it.
#ifndef TESTS_FLUID_TANK_H
#define TESTS_FLUID_TANK_H

#include "check.h"
#include "fluid/fluid.h"

#define FAR_AWAY 1e6

typedef struct Tank
{
    double lower[3], upper[3]; // m
} Tank;

static inline void tankPush(void *context, const FluidPush *push)
{
    const Tank *tank = context;
    for (int i = 0; i < 3 * push->count; ++i)
    {
        double low = tank->lower[i % 3] + push->radius, high = tank->upper[i % 3] - push->radius;
        push->position[i] = minReal(maxReal(push->position[i], low), high);
    }
}

static inline void tankCover(void *context, const FluidNear *near)
{
    const Tank *tank = context;
    for (int i = 0; i < 3 * near->count; ++i)
    {
        double normal[3] = { 0, 0, 0 }, x = near->position[i];
        normal[i % 3] = 1;
        fluidCoverFixed(near, i / 3, x - tank->lower[i % 3], vecLoad(normal), 0);
        normal[i % 3] = -1;
        fluidCoverFixed(near, i / 3, tank->upper[i % 3] - x, vecLoad(normal), 0);
    }
}

static inline Fluid *makeBlock(Memory *memory, const FluidSettings *settings, int nx, int ny, int nz)
{
    Fluid *fluid = fluidCreate(memory, settings);
    assert_non_null(fluid);
    assert_true(fluidReserve(fluid, nx * ny * nz));
    double d = settings->spacing;
    for (int i = 0; i < nx * ny * nz; ++i)
    {
        int x = i % nx, y = i / nx % ny, z = i / nx / ny;
        fluidAdd(fluid, vec3((x + 0.5) * d, (y + 0.5) * d, (z + 0.5) * d), vec3(0, 0, 0));
    }
    return fluid;
}

static inline Vec3 meanOf(const double *vectors, int count)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < count; ++i)
        sum = vecAdd(sum, vecLoad(vectors + 3 * (ptrdiff_t)i));
    return vecScale(1.0 / count, sum);
}

static inline FluidMotion tankMotion(Tank *tank, double dt)
{
    return (FluidMotion){ .gravity = vec3(0, -9.81, 0),
                          .dt = dt,
                          .isa = isaBest(),
                          .walls = { .context = tank, .cover = tankCover, .push = tankPush } };
}

#endif
