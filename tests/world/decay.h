// How one vibration of a body dies, measured without the library's own modes: the stiffness matrix comes from the
// accelerations that one tiny explicit step shows, its eigenvectors from a dense solver, and what a method makes of a
// body that starts in one of them is compared with the damped oscillator.
#ifndef TESTS_WORLD_DECAY_H
#define TESTS_WORLD_DECAY_H

#include "linear/eigen.h"
#include "world/decay_fit.h"
#include "world/scenes.h"

#include <stdlib.h>

#define DECAY_FRAMES 200
#define DECAY_SIZE 1e6 // Pa, of the body whose modes are found

typedef enum DecayShape
{
    DECAY_BAR,      // clamped, 1 m x t x t
    DECAY_FREE_BAR, //
    DECAY_PLATE,    // solid, free, 1 x 0.8 x t
    DECAY_SPRINGS,  // sheet of springs, clamped at an edge, in its plane
    DECAY_MEMBRANE, // likewise
    DECAY_SHEET,    // likewise of triangles, free
    DECAY_ROPE,     // held at one end, along itself
    DECAY_STRIP,    // 1 x 0.5 m of triangles, clamped at an edge, out of its plane: bending by curvature
    DECAY_HINGES,   // likewise, by angles
    DECAY_CLOTH,    // likewise of springs, by curvature
    DECAY_LEAF,     // likewise of triangles, free
    DECAY_SHAPES
} DecayShape;

static const char *const decayNames[] = { "bar",  "free bar", "plate",  "springs", "membrane", "sheet",
                                          "rope", "strip",    "hinges", "cloth",   "leaf" };

typedef struct DecayCase
{
    const char *method, *solver; // solver NULL: the default
    DecayShape shape;
    double poisson, thickness; // of 1 m
    int mode;                  // counted from the lowest elastic one
    double h, turn, ratio;     // s, h omega, damping ratio
    double drift;              // m/s, along x: of the body and its pins
    int substeps;              // of a step; 0: the method's rule
} DecayCase;

typedef struct Decay
{
    double rate, turn;      // over those of the oscillator; turn: 1/s where that does not turn
    double left, highest;   // 1: of the energy; highest: by how much it ever was above that at the start
    double lost, booked;    // 1: of the energy at the start
    double linear, angular; // 1: of m v and m v r of the vibration, greatest change
    double first[4];        // of the amplitude at the start: after one step, two, three, four
    int substeps;
} Decay;

static bool decayIsLoose(const DecayCase *c)
{
    return c->shape == DECAY_FREE_BAR || c->shape == DECAY_PLATE || c->shape == DECAY_SHEET || c->shape == DECAY_LEAF;
}

static bool decayBends(const DecayCase *c)
{
    return c->shape >= DECAY_STRIP;
}

static double decayEnd(const DecayCase *c, const double *x, int size) // of what is pinned: its greatest x
{
    double least = INFINITY;
    for (int i = 0; i < size; i += 3)
        least = fmin(least, x[i]);
    return least + (decayBends(c) ? 1.0 / 8 : 0) + 1e-9; // two rows hold a slope
}

static vvSoftBodyId decayBody(vvWorldId world, const DecayCase *c, double young, double beta)
{
    double t = c->thickness;
    vvSoftBodyDef def = elasticDef(1000, young, c->poisson);
    def.material.thickness = t;
    def.damping.stiffness = beta;
    def.bending = decayBends(c) ? 1 : 0;
    def.bendingModel = c->shape == DECAY_HINGES ? "dihedral" : def.bendingModel;
    bool bar = c->shape == DECAY_BAR || c->shape == DECAY_FREE_BAR, plate = c->shape == DECAY_PLATE;
    if (!bar && !plate)
        def.model = c->shape == DECAY_MEMBRANE                                              ? "membrane"
                    : c->shape == DECAY_SHEET || (decayBends(c) && c->shape != DECAY_CLOTH) ? "triangle"
                                                                                            : "spring";
    int cells = (int)fmin(12, fmax(4, 1 / t + 0.5));
    vvMesh *mesh = bar                      ? vvCreateBoxMesh((vvVec3){ 1, t, t }, cells, 2, 2)
                   : plate                  ? vvCreateBoxMesh((vvVec3){ 1, 0.8, t }, 5, 4, 1)
                   : c->shape == DECAY_ROPE ? vvCreateRopeMesh(1, 12)
                   : decayBends(c)          ? vvCreateSheetMesh(1, 0.5, 8, 4)
                                            : vvCreateSheetMesh(1, 1, 6, 6);
    vvSoftBodyId body = makeBody(world, mesh, def);
    const double *x = vvSoftBody_GetPositions(body);
    int pins[64], count = 0, vertices = vvSoftBody_GetVertexCount(body);
    double end = decayEnd(c, x, 3 * vertices);
    for (int v = 0; v < vertices && !decayIsLoose(c); ++v)
    {
        if (x[3 * v] < end)
            pins[count++] = v;
    }
    if (count > 0)
        CHECK_OK(vvSoftBody_Pin(body, pins, count));
    return body;
}

static vvWorldId decayWorld(const char *method, const char *solver)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.solver = solver != NULL ? solver : def.solver;
    def.gravity = (vvVec3){ 0, 0, 0 };
    def.threads = 1;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    return world;
}

// K / (m_i m_j)^(1/2) of a body where it is into matrix (size x size) by central differences; the world has an explicit
// method
static void decayMatrix(const DecayCase *c, vvWorldId world, vvSoftBodyId body, double *matrix)
{
    const double away = 1e-6, tiny = 1e-9;
    int size = 3 * vvSoftBody_GetVertexCount(body);
    double *rest = malloc((size_t)size * sizeof *rest), *x = malloc((size_t)size * sizeof *x);
    double *still = calloc((size_t)size, sizeof *still);
    memcpy(rest, vvSoftBody_GetPositions(body), (size_t)size * sizeof *rest);
    const double *mass = vvSoftBody_GetMasses(body);
    double end = decayEnd(c, rest, size);
    memset(matrix, 0, (size_t)size * (size_t)size * sizeof *matrix);
    for (int k = 0; k < 2 * size; ++k)
    {
        int i = k / 2;
        if (!decayIsLoose(c) && rest[i - i % 3] < end)
            continue;
        memcpy(x, rest, (size_t)size * sizeof *x);
        x[i] += k % 2 ? -away : away;
        CHECK_OK(vvSoftBody_SetPositions(body, x));
        CHECK_OK(vvSoftBody_SetVelocities(body, still));
        CHECK_OK(vvWorld_Step(world, tiny));
        const double *v = vvSoftBody_GetVelocities(body);
        for (int j = 0; j < size; ++j)
            matrix[i * size + j] += (k % 2 ? 1 : -1) * v[j] / tiny / (2 * away) * sqrt(mass[j / 3] / mass[i / 3]);
    }
    for (int i = 0; i < size; ++i)
    {
        for (int j = 0; j < i; ++j)
            matrix[i * size + j] = matrix[j * size + i] = 0.5 * (matrix[i * size + j] + matrix[j * size + i]);
    }
    free(rest);
    free(x);
    free(still);
}

// the share of a mode across the plane of a sheet or the line of a rope, which only bending resists
static double decayAcross(const DecayCase *c, const double *rest, const double *u, int size)
{
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY }, sum = 0;
    for (int i = 0; i < size; ++i)
    {
        low[i % 3] = fmin(low[i % 3], rest[i]);
        high[i % 3] = fmax(high[i % 3], rest[i]);
    }
    for (int i = 0; i < size && c->shape >= DECAY_SPRINGS; ++i)
        sum += high[i % 3] - low[i % 3] < 0.5 ? u[i] * u[i] : 0;
    return sum;
}

// 1/s; `shape` gets the mode times the roots of the masses, of norm 1
static double decayMode(const DecayCase *c, const double *rest, const double *mass, int size, double *shape)
{
    double *matrix = malloc((size_t)size * (size_t)size * sizeof *matrix), *work = malloc((size_t)size * sizeof *work);
    double *vectors = malloc((size_t)size * (size_t)size * sizeof *vectors);
    double *values = malloc((size_t)size * sizeof *values), omega = 0;
    (void)mass;
    vvWorldId world = decayWorld("symplectic-euler", NULL);
    decayMatrix(c, world, decayBody(world, c, DECAY_SIZE, 0), matrix);
    vvDestroyWorld(world);
    eigenSymmetric(size, matrix, values, vectors, work);
    int seen = c->shape == DECAY_STRIP || c->shape == DECAY_CLOTH ? -1 : 0; // the softest: a corner that no ring holds
    for (int k = 0; k < size && omega == 0; ++k)
    {
        const double *u = vectors + (ptrdiff_t)k * size;
        bool across = decayAcross(c, rest, u, size) > 0.1;
        if (values[k] > 1e-8 * values[size - 1] && across == decayBends(c) && seen++ == c->mode)
        {
            omega = sqrt(values[k]);
            memcpy(shape, u, (size_t)size * sizeof *shape);
        }
    }
    assert_true(omega > 0);
    free(matrix);
    free(work);
    free(vectors);
    free(values);
    return omega;
}

static double decayChange(vvVec3 a, vvVec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

// pins, where they are after a way along x
static void decayDrift(const DecayCase *c, vvSoftBodyId body, const double *rest, double way)
{
    int vertices = vvSoftBody_GetVertexCount(body);
    double end = decayEnd(c, rest, 3 * vertices);
    for (int v = 0; v < vertices && c->drift != 0; ++v)
    {
        if (rest[3 * v] < end)
            CHECK_OK(vvSoftBody_MovePin(body, v, (vvVec3){ rest[3 * v] + way, rest[3 * v + 1], rest[3 * v + 2] }));
    }
}

// the mode of a body, scaled so that the step turns it by `turn`; `damped` false: without damping
static Decay decayOf(const DecayCase *c, bool damped)
{
    vvWorldId world = decayWorld(c->method, c->solver);
    vvSoftBodyId body = decayBody(world, c, DECAY_SIZE, 0);
    int size = 3 * vvSoftBody_GetVertexCount(body);
    double *rest = malloc((size_t)size * sizeof *rest), *x = malloc((size_t)size * sizeof *x);
    double *shape = malloc((size_t)size * sizeof *shape), *mass = malloc((size_t)size * sizeof *mass);
    memcpy(rest, vvSoftBody_GetPositions(body), (size_t)size * sizeof *rest);
    memcpy(mass, vvSoftBody_GetMasses(body), (size_t)size / 3 * sizeof *mass);
    double first = decayMode(c, rest, mass, size, shape), omega = c->turn / c->h;
    vvDestroyWorld(world);
    world = decayWorld(c->method, c->solver);
    body = decayBody(world, c, DECAY_SIZE * omega * omega / (first * first), damped ? 2 * c->ratio / omega : 0);
    if (c->substeps > 0)
        CHECK_OK(vvWorld_SetSubsteps(world, c->substeps));
    double most = 0, whole = 0, series[DECAY_FRAMES + 1];
    for (int i = 0; i < size; ++i)
        most = fmax(most, fabs(shape[i]) / sqrt(mass[i / 3]));
    for (int i = 0; i < size; ++i)
        x[i] = rest[i] + 1e-4 / most * shape[i] / sqrt(mass[i / 3]);
    for (int v = 0; v < size / 3; ++v)
        whole += mass[v];
    CHECK_OK(vvSoftBody_SetPositions(body, x));
    double strained = vvWorld_GetLedger(world).total; // J, without what drifts
    for (int i = 0; i < size; ++i)
        x[i] = i % 3 == 0 ? c->drift : 0;
    CHECK_OK(vvSoftBody_SetVelocities(body, x));
    vvLedger begin = vvWorld_GetLedger(world), end = begin;
    double ratio = c->ratio, slow = ratio < 1 ? ratio : ratio - sqrt(ratio * ratio - 1);
    int frames = (int)fmin(fmax(fmin(25, 6 / slow) / c->turn, 7), DECAY_FRAMES); // four periods, or e^-6 is left
    Decay d = { 0 };
    for (int n = 0; n <= frames; ++n)
    {
        const double *now = vvSoftBody_GetPositions(body);
        series[n] = 0;
        for (int i = 0; i < size; ++i)
            series[n] += sqrt(mass[i / 3]) * shape[i] * (now[i] - rest[i] - (i % 3 == 0 ? n * c->h * c->drift : 0));
        decayDrift(c, body, rest, (n + 1) * c->h * c->drift);
        CHECK_OK(vvWorld_Step(world, c->h));
        end = vvWorld_GetLedger(world);
        d.highest = fmax(d.highest, (end.total - begin.total - end.added + begin.added) / strained);
        d.linear = fmax(d.linear, decayChange(end.momentum, begin.momentum) / (whole * 1e-4 * omega));
        d.angular = fmax(d.angular, decayChange(end.angularMomentum, begin.angularMomentum) / (whole * 1e-4 * omega));
    }
    decayFit(series, frames + 1, c->h, &d.rate, &d.turn);
    for (int n = 0; n < 4; ++n)
        d.first[n] = series[n + 1] / series[0];
    d.rate /= omega * (damped ? slow : 1);
    d.turn /= !damped ? omega : ratio < 1 ? omega * sqrt(1 - ratio * ratio) : 1;
    d.left = 1 + (end.total - begin.total - end.added + begin.added) / strained;
    d.lost = 1 - d.left;
    d.booked = (end.dissipated - begin.dissipated) / strained;
    d.substeps = vvWorld_GetStatistics(world).substeps;
    vvDestroyWorld(world);
    free(rest);
    free(x);
    free(shape);
    free(mass);
    return d;
}

#endif
