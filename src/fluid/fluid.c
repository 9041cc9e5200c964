#include "fluid/fluid.h"

#include <string.h>

#define DEFAULT_SUPPORT_2D 2.5 // about 20 neighbours
#define DEFAULT_SUPPORT_3D 2.0 // about 32

FluidSettings fluidDefaults(int dimensions)
{
    return (FluidSettings){ .dimensions = dimensions,
                            .spacing = 0.02,
                            .support = dimensions == 2 ? DEFAULT_SUPPORT_2D : DEFAULT_SUPPORT_3D,
                            .density = 1000,
                            .smoothing = 0.02,
                            .relaxation = 0.5,
                            .softening = 1e-3,
                            .courant = 0.3,
                            .substeps = 10,
                            .mostSubsteps = 40,
                            .iterations = 1 };
}

// sums over the rest lattice about one of its particles, in units of the kernel's radius
typedef struct LatticeSums
{
    double density, squares; // of (1 - r^2)^3, and of (1 - r)^4 without the particle itself
    double nearness, second; // of 1 - r without itself, and of r^2 (1 - r)
} LatticeSums;

static LatticeSums sumLattice(const FluidSettings *settings)
{
    double d = 1 / settings->support;
    int most = (int)settings->support + 1, deep = settings->dimensions == 3 ? most : 0;
    LatticeSums sums = { 0 };
    for (int k = -deep; k <= deep; ++k)
    {
        for (int j = -most; j <= most; ++j)
        {
            for (int i = -most; i <= most; ++i)
            {
                double r2 = d * d * (i * i + j * j + k * k), t = 1 - r2, u = 1 - sqrt(r2);
                if (t <= 0)
                    continue;
                sums.density += t * t * t;
                sums.squares += r2 > 0 ? u * u * u * u : 0;
                sums.nearness += r2 > 0 ? u : 0;
                sums.second += r2 * u;
            }
        }
    }
    return sums;
}

// Spacings at which cohesion is none. What only pulled would pack the particles of a surface, which has room for the
// density constraint, and a drop would not get round again. Chosen by how drops oscillate (docs/notes/fluid.md).
#define APART_3D 0.8
#define APART_2D 0.7

// Laplace's theory of a sharp surface: with a number density n and a pull f(z) between two particles the tension is
// pi/8 n^2 times the integral of z^4 f(z) dz (Rowlinson and Widom 1982, Eq 1.17); f = F q (1 - q)^2 with q = z / h
// gives h^5 F / 168. In 2D the factor is 1/3 n^2 with z^3, and the integral h^4 F / 105. Where particles push each
// other at short distances theory has no such form: the same factor is kept, with which drops have the right frequency.
static double cohesionOf(const FluidSettings *settings, double radius)
{
    double d = settings->spacing, h = radius, n2;
    if (settings->dimensions == 3)
    {
        n2 = 1 / (d * d * d * d * d * d);
        return settings->surfaceTension * 8 / PI * 168 / (n2 * h * h * h * h * h);
    }
    n2 = 1 / (d * d * d * d);
    return settings->surfaceTension * 3 * 105 / (n2 * h * h * h * h);
}

// Constants of the kernels cancel but for their ratio: poly6 has 315/(64 pi) in 3D and 4/pi in 2D, the gradient of the
// spiky one 45/pi and 30/pi. The viscosity's kernel is scaled so that it is exact on the rest lattice.
static FluidScale scaleOf(const FluidSettings *settings)
{
    bool solid = settings->dimensions == 3;
    double d = settings->spacing, radius = settings->support * d, gradient;
    LatticeSums sums = sumLattice(settings);
    gradient = (solid ? 45 * 64 / 315.0 : 7.5) / sums.density;
    FluidScale scale = { .radius = radius,
                         .mass = settings->density * d * d * (solid ? d : 1),
                         .perRest = (float)(1 / sums.density),
                         .gradient = (float)gradient,
                         .softening = (float)(settings->softening * gradient * gradient * sums.squares),
                         .laplacian = 2 * settings->dimensions / (sums.second * radius * radius),
                         .nearness = sums.nearness,
                         .cohesion = cohesionOf(settings, radius),
                         .apart = (solid ? APART_3D : APART_2D) / settings->support };
    fluidTabulateCover(settings, scale.cover);
    return scale;
}

static void makePacking(FluidPacking *packing)
{
    for (int m = 0; m < 256; ++m)
    {
        for (int l = 0; l < 8; ++l)
        {
            if (m >> l & 1)
                packing->lane[m][packing->count[m]++] = (uint8_t)l;
        }
    }
}

Fluid *fluidCreate(Memory *memory, const FluidSettings *settings)
{
    Fluid *fluid = ALLOCATE(memory, Fluid, 1);
    if (fluid == NULL)
        return NULL;
    fluid->memory = memory;
    fluid->settings = *settings;
    fluid->scale = scaleOf(settings);
    makePacking(&fluid->packing);
    fluid->cells.packing = &fluid->packing;
    fluid->taskBooks = ALLOCATE(memory, FluidBooks, WORKERS_MOST_TASKS);
    if (fluid->taskBooks != NULL)
        return fluid;
    memoryRelease(memory, fluid);
    return NULL;
}

// every array that grows with the particles
#define ARRAYS 28
static int arrays(Fluid *f, void ***at, size_t *size)
{
    int n = 0;
#define ARRAY(field, per)                                                                                              \
    at[n] = (void **)&f->field;                                                                                        \
    size[n++] = (size_t)(per) * sizeof *f->field;
    ARRAY(position, 3)
    ARRAY(velocity, 3)
    ARRAY(id, 1)
    ARRAY(kept.position, 3)
    ARRAY(kept.velocity, 3)
    ARRAY(kept.id, 1)
    ARRAY(start, 3)
    ARRAY(key, 1)
    ARRAY(order, 1)
    ARRAY(cell, 1)
    ARRAY(list, FLUID_LISTED)
    ARRAY(listAt, 1)
    ARRAY(compression, 1)
    ARRAY(multiplier, 1)
    ARRAY(cover, 4)
    ARRAY(carry, 1)
    for (int a = 0; a < 3; ++a)
    {
        ARRAY(at[a], 1)
        ARRAY(move[a], 1)
        ARRAY(way[a], 1)
        ARRAY(change[a], 1)
    }
#undef ARRAY
    return n;
}

int fluidTableSize(int count)
{
    int cells = 64;
    while (cells < 2 * (long long)count && cells < 1 << 28)
        cells *= 2;
    return cells;
}

bool fluidReserve(Fluid *fluid, int count)
{
    if (count <= fluid->room)
        return true;
    void **at[ARRAYS];
    size_t size[ARRAYS];
    int n = arrays(fluid, at, size), cells = fluidTableSize(count);
    // what has grown already when one is refused stays grown: `room` says what all of them have. Kernels read past the
    // last particle
    for (int i = 0; i < n; ++i)
    {
        size_t old = fluid->room > 0 ? (size_t)fluid->room + FLUID_CHUNK : 0;
        if (!memoryGrow(fluid->memory, at[i], old, (size_t)count + FLUID_CHUNK, size[i]))
            return false;
    }
    if (cells > fluid->cellRoom)
    {
        int *start = ALLOCATE(fluid->memory, int, cells + 1);
        if (start == NULL)
            return false;
        memoryRelease(fluid->memory, fluid->cellStart);
        fluid->cellStart = start;
        fluid->cellRoom = cells;
    }
    fluid->room = count;
    return true;
}

void fluidDestroy(Fluid *fluid)
{
    if (fluid == NULL)
        return;
    void **at[ARRAYS];
    size_t size[ARRAYS];
    int n = arrays(fluid, at, size);
    for (int i = 0; i < n; ++i)
        memoryRelease(fluid->memory, *at[i]);
    memoryRelease(fluid->memory, fluid->cellStart);
    memoryRelease(fluid->memory, fluid->taskBooks);
    memoryRelease(fluid->memory, fluid);
}

void fluidAdd(Fluid *fluid, Vec3 position, Vec3 velocity)
{
    ASSERT_CHEAP(fluid->count < fluid->room, "particles are added where there is room for them");
    vecStore(fluid->position + 3 * (ptrdiff_t)fluid->count, position);
    vecStore(fluid->velocity + 3 * (ptrdiff_t)fluid->count, velocity);
    fluid->id[fluid->count++] = fluid->nextId++;
}

void fluidRemove(Fluid *fluid, int particle)
{
    int last = --fluid->count;
    memcpy(fluid->position + 3 * (ptrdiff_t)particle, fluid->position + 3 * (ptrdiff_t)last, 3 * sizeof(double));
    memcpy(fluid->velocity + 3 * (ptrdiff_t)particle, fluid->velocity + 3 * (ptrdiff_t)last, 3 * sizeof(double));
    fluid->id[particle] = fluid->id[last];
}

void fluidKeep(Fluid *fluid)
{
    size_t vectors = (size_t)fluid->count * 3 * sizeof(double);
    fluid->kept.count = fluid->count;
    fluid->kept.nextId = fluid->nextId;
    if (fluid->count == 0)
        return;
    memcpy(fluid->kept.position, fluid->position, vectors);
    memcpy(fluid->kept.velocity, fluid->velocity, vectors);
    memcpy(fluid->kept.id, fluid->id, (size_t)fluid->count * sizeof *fluid->id);
}

void fluidRewind(Fluid *fluid)
{
    size_t vectors = (size_t)fluid->kept.count * 3 * sizeof(double);
    fluid->count = fluid->kept.count;
    fluid->nextId = fluid->kept.nextId;
    if (fluid->count == 0)
        return;
    memcpy(fluid->position, fluid->kept.position, vectors);
    memcpy(fluid->velocity, fluid->kept.velocity, vectors);
    memcpy(fluid->id, fluid->kept.id, (size_t)fluid->count * sizeof *fluid->id);
}
