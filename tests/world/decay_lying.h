// How a vibration of a bar dies that lies on a plane without friction, over the rate that its ratio says: a mode of the
// bar and its contacts moves along the plane, where contacts take nothing.
#ifndef TESTS_WORLD_DECAY_LYING_H
#define TESTS_WORLD_DECAY_LYING_H

#include "world/decay.h"

#define LYING_FRAMES 100

static vvWorldId lyingWorld(const DecayCase *c, const char *method, double young, double beta, vvSoftBodyId *body)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.solver = c->solver;
    def.threads = 1;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    vvShapeDef plane = vvDefaultShapeDef();
    plane.normal = (vvVec3){ 0, 1, 0 };
    plane.offset = -0.5 * c->thickness;
    vvShape *shape = vvCreateShape(&plane, &result);
    CHECK_OK(result);
    vvColliderDef collider = vvDefaultColliderDef();
    collider.shape = shape;
    collider.friction = 0;
    vvCreateCollider(world, &collider, &result);
    CHECK_OK(result);
    vvDestroyShape(shape);
    *body = decayBody(world, c, young, beta);
    return world;
}

typedef struct Lying
{
    double rate;                  // over that of the ratio
    double lost, booked, highest; // J; highest: of the energy, above that at the start
} Lying;

static Lying lyingRun(const DecayCase *c, double young, double beta, const double *x, const double *settled,
                      const double *shape)
{
    vvSoftBodyId body;
    vvWorldId world = lyingWorld(c, c->method, young, beta, &body);
    int size = 3 * vvSoftBody_GetVertexCount(body);
    int frames = (int)fmin(fmax(fmin(25, 4 / c->ratio) / c->turn, 7), LYING_FRAMES);
    double series[LYING_FRAMES + 1], turn;
    Lying lying = { 0 };
    CHECK_OK(vvSoftBody_SetPositions(body, x));
    vvLedger begin = vvWorld_GetLedger(world), end = begin;
    for (int n = 0; n <= frames; ++n)
    {
        const double *now = vvSoftBody_GetPositions(body), *mass = vvSoftBody_GetMasses(body);
        series[n] = 0;
        for (int i = 0; i < size; ++i)
            series[n] += sqrt(mass[i / 3]) * shape[i] * (now[i] - settled[i]);
        CHECK_OK(vvWorld_Step(world, c->h));
        end = vvWorld_GetLedger(world);
        lying.highest = fmax(lying.highest, end.total - begin.total);
    }
    decayFit(series, frames + 1, c->h, &lying.rate, &turn);
    lying.lost = begin.total - end.total;
    lying.booked = end.dissipated - begin.dissipated;
    vvDestroyWorld(world);
    return lying;
}

// A mode of the bar where it lies, times the roots of the masses, that moves along the plane: of the others the
// contacts make most. 1/s
static double lyingMode(const DecayCase *c, double young, const double *settled, int size, double *shape)
{
    vvSoftBodyId body;
    vvWorldId world = lyingWorld(c, "symplectic-euler", young, 0, &body);
    double *matrix = malloc((2 * (size_t)size + 2) * (size_t)size * sizeof *matrix);
    double *vectors = matrix + (ptrdiff_t)size * size, *values = vectors + (ptrdiff_t)size * size, omega = 0;
    CHECK_OK(vvSoftBody_SetPositions(body, settled));
    decayMatrix(c, world, body, matrix);
    vvDestroyWorld(world);
    eigenSymmetric(size, matrix, values, vectors, values + size);
    for (int k = 0, seen = 0; k < size && omega == 0; ++k)
    {
        const double *u = vectors + (ptrdiff_t)k * size;
        double up = 0;
        for (int i = 1; i < size; i += 3)
            up += u[i] * u[i];
        if (values[k] < 1e-6 * values[size - 1] || up > 0.1 || seen++ < c->mode)
            continue;
        omega = sqrt(values[k]);
        memcpy(shape, u, (size_t)size * sizeof *shape);
    }
    free(matrix);
    assert_true(omega > 0);
    return omega;
}

static Lying lyingOf(const DecayCase *c)
{
    vvSoftBodyId body;
    vvWorldId world = decayWorld(c->method, c->solver);
    body = decayBody(world, c, DECAY_SIZE, 0);
    int size = 3 * vvSoftBody_GetVertexCount(body);
    double *all = malloc(5 * (size_t)size * sizeof *all), *rest = all, *shape = all + size, *mass = shape + size;
    double *settled = mass + size, *x = settled + size, most = 0;
    memcpy(rest, vvSoftBody_GetPositions(body), (size_t)size * sizeof *rest);
    memcpy(mass, vvSoftBody_GetMasses(body), (size_t)size / 3 * sizeof *mass);
    double first = decayMode(c, rest, mass, size, shape), omega = c->turn / c->h, beta;
    double young = DECAY_SIZE * omega * omega / (first * first);
    vvDestroyWorld(world);
    world = lyingWorld(c, c->method, young, 0.1, &body);
    for (int n = 0; n < 300; ++n)
        CHECK_OK(vvWorld_Step(world, 0.01));
    memcpy(settled, vvSoftBody_GetPositions(body), (size_t)size * sizeof *settled);
    vvDestroyWorld(world);
    omega = lyingMode(c, young, settled, size, shape);
    beta = 2 * c->ratio / omega;
    for (int i = 0; i < size; ++i)
        most = fmax(most, fabs(shape[i]) / sqrt(mass[i / 3]));
    for (int i = 0; i < size; ++i)
        x[i] = settled[i] + 1e-4 / most * shape[i] / sqrt(mass[i / 3]);
    Lying lying = lyingRun(c, young, beta, x, settled, shape);
    lying.rate /= c->ratio * omega;
    free(all);
    return lying;
}

#endif
