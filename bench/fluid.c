#define _POSIX_C_SOURCE 200809L // clock_gettime

// verve-fluid: what a particle of a fluid costs in a substep: 46 x 48 x 46 particles in a tank, ten substeps of 1/60 s.
//   verve-fluid [rounds]
// CPU time of one thread for every instruction set, with the spread of the rounds; then wall clock of one and two
// threads in turns. The tank only pushes, or takes space too, as colliders do.
#include "fluid/fluid.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 5
#define STEPS 2
#define SETTLE 2
// Bytes and operations per particle and substep that no arrangement of the passes avoids: position and velocity in
// double precision are read and written, places, multipliers and displacements in single precision written and read;
// a neighbour (32 of them) takes some 30 operations for its multiplier and 40 for its correction.
#define FLOOR_BYTES (2 * 48 + 2 * 40)
#define FLOOR_OPERATIONS (32 * 70)

static const double size[3] = { 46 * 0.02, 1e6, 46 * 0.02 }; // m

static void push(void *context, const FluidPush *push)
{
    (void)context;
    for (int i = 0; i < 3 * push->count; ++i)
        push->position[i] = minReal(maxReal(push->position[i], push->radius), size[i % 3] - push->radius);
}

static void cover(void *context, const FluidNear *near)
{
    (void)context;
    for (int i = 0; i < 3 * near->count; ++i)
    {
        double normal[3] = { 0, 0, 0 }, x = near->position[i];
        for (int side = 0; side < 2; ++side)
        {
            double distance = side == 0 ? x : size[i % 3] - x;
            normal[i % 3] = side == 0 ? 1 : -1;
            if (distance < near->reach)
                fluidCover(near, i / 3, distance, vecLoad(normal), 0, 1);
        }
    }
}

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct Case
{
    Fluid *fluid;
    FluidMotion motion;
    double least, most; // ns per particle and substep
} Case;

static void step(Case *c, int steps)
{
    FluidBooks books = { 0 };
    for (int i = 0; i < steps; ++i)
    {
        if (!fluidStep(c->fluid, &c->motion, &books))
            exit(3);
    }
}

static Case make(Memory *memory, Isa isa, Workers *workers, bool covers)
{
    FluidSettings settings = fluidDefaults(3);
    settings.mostSubsteps = settings.substeps;
    Fluid *fluid = fluidCreate(memory, &settings);
    if (fluid == NULL || !fluidReserve(fluid, 46 * 48 * 46))
        exit(3);
    for (int i = 0; i < 46 * 48 * 46; ++i)
        fluidAdd(fluid, vec3((i % 46 + 0.5) * 0.02, (i / 46 % 48 + 0.5) * 0.02, (i / 46 / 48 + 0.5) * 0.02),
                 vec3(0, 0, 0));
    Case c = { .fluid = fluid, .least = INFINITY };
    c.motion = (FluidMotion){ .gravity = vec3(0, -9.81, 0),
                              .dt = 1 / 60.0,
                              .isa = isa,
                              .workers = workers,
                              .walls = { .cover = covers ? cover : NULL, .push = push } };
    step(&c, SETTLE);
    return c;
}

static void run(Case *c, clockid_t clock)
{
    double start = seconds(clock);
    step(c, STEPS);
    double ns = 1e9 * (seconds(clock) - start) / ((double)c->fluid->count * 10 * STEPS);
    c->least = minReal(c->least, ns);
    c->most = maxReal(c->most, ns);
}

int main(int argc, char **argv)
{
    static const char *const names[ISA_COUNT] = { "base", "avx2", "avx512" };
    Memory memory = memoryMake(NULL);
    int rounds = argc > 1 ? maxInt(atoi(argv[1]), 1) : ROUNDS;
    printf("ns per particle and substep, least to most of %d rounds; floor %d bytes: %.0f at 10 GB/s, %d operations: "
           "%.0f at 16 a cycle of 2.8 GHz\n",
           rounds, FLOOR_BYTES, FLOOR_BYTES / 10.0, FLOOR_OPERATIONS, FLOOR_OPERATIONS / 44.8);
    for (int isa = 0; isa < ISA_COUNT; ++isa)
    {
        for (int covers = 0; covers < 2 && isaAvailable((Isa)isa); ++covers)
        {
            Case c = make(&memory, (Isa)isa, NULL, covers);
            for (int i = 0; i < rounds; ++i)
                run(&c, CLOCK_PROCESS_CPUTIME_ID);
            printf("verve-fluid %-6s %s: %.0f to %.0f\n", names[isa], covers ? "covered" : "pushed ", c.least, c.most);
            fluidDestroy(c.fluid);
        }
    }
    Workers *workers[2] = { NULL, workersCreate(&memory, 2, NULL) };
    Case team[2] = { make(&memory, isaBest(), workers[0], true), make(&memory, isaBest(), workers[1], true) };
    for (int i = 0; i < 2 * rounds; ++i)
        run(&team[i % 2], CLOCK_MONOTONIC);
    printf("verve-fluid 2 threads: %.0f to %.0f, one: %.0f to %.0f; ratio of the least %.2f\n", team[1].least,
           team[1].most, team[0].least, team[0].most, team[0].least / team[1].least);
    for (int i = 0; i < 2; ++i)
        fluidDestroy(team[i].fluid);
    workersDestroy(workers[1]);
    return 0;
}
