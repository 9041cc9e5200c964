// Bodies on which the default step is held against converged motion: bars that are twisted or bent and let go, free
// plates and rods that spin, an unstructured body that hangs. Read off: frequencies, distance to Verlet's method in
// small steps, momenta.
#ifndef TESTS_INTEGRATE_TRUTH_H
#define TESTS_INTEGRATE_TRUTH_H

#include "mesh/mesh.h"
#include "world/scenes.h"

#include <stdlib.h>

typedef struct Body3
{
    vvWorldId world;
    vvSoftBodyId body;
    int count;
} Body3;

typedef struct Plan
{
    const char *method; // NULL: the default
    const char *solver; // of it, NULL: its own
    int substeps;       // 0: by the rule
    double young, poisson;
    double damping; // stiffnessDamping, s
    vvVec3 gravity;
} Plan;

static inline Body3 makePlanned(Plan plan, vvMesh *mesh)
{
    vvWorldDef world = vvDefaultWorldDef();
    if (plan.method != NULL)
        world.method = plan.method;
    if (plan.solver != NULL)
        world.solver = plan.solver;
    world.substeps = plan.substeps;
    world.gravity = plan.gravity;
    vvResult result;
    Body3 made = { .world = vvCreateWorld(&world, &result) };
    CHECK_OK(result);
    vvSoftBodyDef def = elasticDef(1000, plan.young, plan.poisson);
    def.damping.stiffness = plan.damping;
    made.body = makeBody(made.world, mesh, def);
    made.count = vvSoftBody_GetVertexCount(made.body);
    return made;
}

// pins what lies in the plane axis = value at rest
static inline void pinPlane(Body3 made, int axis, double value)
{
    int *vertices = malloc((size_t)made.count * sizeof(int));
    int count = vvSoftBody_FindVertices(made.body, planeBox(axis, value, 1e-9), vertices, made.count);
    assert_true(count > 0);
    CHECK_OK(vvSoftBody_Pin(made.body, vertices, count));
    free(vertices);
}

// a bar of 1 m along x, clamped at x = -1/2
static inline Body3 makeBar(Plan plan, double thickness, int cells)
{
    int along = (int)(cells / thickness + 0.5);
    Body3 made = makePlanned(plan, vvCreateBoxMesh((vvVec3){ 1, thickness, thickness }, along, cells, cells));
    pinPlane(made, 0, -0.5);
    return made;
}

// linear in x, by `angle` at the free end, about x
static inline void twistBar(Body3 made, double angle)
{
    double *x = malloc((size_t)made.count * 3 * sizeof(double));
    memcpy(x, vvSoftBody_GetPositions(made.body), (size_t)made.count * 3 * sizeof(double));
    for (int v = 0; v < made.count; ++v)
    {
        double a = angle * (x[3 * v] + 0.5), y = x[3 * v + 1], z = x[3 * v + 2];
        x[3 * v + 1] = cos(a) * y - sin(a) * z;
        x[3 * v + 2] = sin(a) * y + cos(a) * z;
    }
    CHECK_OK(vvSoftBody_SetPositions(made.body, x));
    free(x);
}

// parabolic in x, by `tip` at the free end, along y, sections kept plane: positions, or velocities if `kicked`
static inline void bendBar(Body3 made, double tip, bool kicked)
{
    const double *x = vvSoftBody_GetPositions(made.body);
    double *field = malloc((size_t)made.count * 3 * sizeof(double));
    for (int v = 0; v < made.count; ++v)
    {
        double s = x[3 * v] + 0.5, keep = kicked ? 0 : 1;
        field[3 * v] = keep * x[3 * v] - 2 * tip * s * x[3 * v + 1];
        field[3 * v + 1] = keep * x[3 * v + 1] + tip * s * s;
        field[3 * v + 2] = keep * x[3 * v + 2];
    }
    CHECK_OK(kicked ? vvSoftBody_SetVelocities(made.body, field) : vvSoftBody_SetPositions(made.body, field));
    free(field);
}

// what a bar is turned by about x where x = at, up to 45 degrees: by the corners of its square
static inline double twistAt(Body3 made, double thickness, double at)
{
    const double *x = vvSoftBody_GetPositions(made.body);
    int vertices[256], count = vvSoftBody_FindVertices(made.body, planeBox(0, at, 1e-9), vertices, 256);
    double s = 0, c = 0, y = 0, z = 0;
    for (int i = 0; i < count; ++i)
    {
        y += x[3 * vertices[i] + 1] / count;
        z += x[3 * vertices[i] + 2] / count;
    }
    for (int i = 0; i < count; ++i)
    {
        double dy = x[3 * vertices[i] + 1] - y, dz = x[3 * vertices[i] + 2] - z;
        if (dy * dy + dz * dz < 1.4 * thickness * thickness / 4)
            continue;
        double phi = 4 * atan2(dz, dy); // pi at rest
        s += sin(phi);
        c += cos(phi);
    }
    return atan2(-s, -c) / 4;
}

static inline double endTwist(Body3 made, double thickness)
{
    return twistAt(made, thickness, 0.5);
}

// m, by which the free end of a bar hangs lower than the clamped one
static inline double endHeight(Body3 made)
{
    int vertices[256], count = vvSoftBody_FindVertices(made.body, planeBox(0, 0.5, 1e-9), vertices, 256);
    return meanCoordinate(made.body, vertices, count, 1);
}

static inline double totalEnergy(vvWorldId world)
{
    vvLedger ledger = vvWorld_GetLedger(world);
    return ledger.total;
}

// one frame of h; a reference takes it in `parts` steps of its own
static inline void frame(Body3 made, double h, int parts)
{
    for (int k = 0; k < parts; ++k)
        CHECK_OK(vvWorld_Step(made.world, h / parts));
}

// sqrt(sum of m |x - y|^2 / sum of m)
static inline double distance(Body3 a, const double *x, const double *y)
{
    const double *m = vvSoftBody_GetMasses(a.body);
    double sum = 0, mass = 0;
    for (int i = 0; i < 3 * a.count; ++i)
    {
        sum += m[i / 3] * (x[i] - y[i]) * (x[i] - y[i]);
        mass += m[i / 3] / 3;
    }
    return sqrt(sum / mass);
}

// frequency from the crossings of zero in a series, Hz; 0: fewer than two
static inline double frequencyOf(const double *series, int count, double h)
{
    double first = -1, last = -1;
    int crossings = 0;
    for (int n = 1; n < count; ++n)
    {
        if ((series[n - 1] < 0) == (series[n] < 0))
            continue;
        double at = (n - 1 + series[n - 1] / (series[n - 1] - series[n])) * h;
        first = first < 0 ? at : first;
        last = at;
        crossings += 1;
    }
    return crossings > 1 ? (crossings - 1) / (2 * (last - first)) : 0;
}

// ---- runs -----------------------------------------------------------------------------------------------------------

typedef enum Motion
{
    MOTION_TWIST, // let go from a twist
    MOTION_KICK,  // kicked into its first bending mode
    MOTION_BENT,  // let go from a bend that leaves its volume no room
} Motion;

#define TWIST_AT (-0.2) // m: where the twist is looked at: .3 of that of the end, so below 45 degrees

typedef struct Twist
{
    double frequency, truth; // Hz, of the twist, or of the height of the free end
    double error[3];         // 1: largest distance in each third of the time, over the largest travel
    double least, most;      // 1: numerical energy over the largest kinetic one
    double substeps;         // on average
} Twist;

typedef struct Bar
{
    Plan plan;
    Motion motion;
    double thickness;
    double size; // degrees of twist, or m of the bend
    double h;    // s
} Bar;

// Hz, of a beam, roughly
static inline double expectedFrequency(const Bar *bar)
{
    double wave = sqrt(bar->plan.young / 1000);
    return bar->motion == MOTION_TWIST ? 0.92 / 4 * wave / sqrt(2 * (1 + bar->plan.poisson))
                                       : 0.56 / sqrt(12) * bar->thickness * wave;
}

// steps a frame that Verlet's method is stable in: they go with the cell over the speed of waves
static inline int exactParts(const Bar *bar)
{
    double nu = bar->plan.poisson, wave = sqrt(bar->plan.young / 1000 * (1 - nu) / ((1 + nu) * (1 - 2 * nu)));
    return (int)(6 * bar->h * wave / (bar->thickness / 2)) + 20;
}

static inline void startBar(const Bar *bar, Body3 made)
{
    if (bar->motion == MOTION_TWIST)
        twistBar(made, bar->size * acos(-1) / 180);
    else if (bar->motion == MOTION_KICK)
        bendBar(made, bar->size * 2 * acos(-1) * expectedFrequency(bar), true);
    else
        bendBar(made, bar->size, false);
}

static inline double seenOf(const Bar *bar, Body3 made)
{
    return bar->motion == MOTION_TWIST ? twistAt(made, bar->thickness, TWIST_AT) : endHeight(made);
}

// a bar of two cells across, clamped, twisted or bent and let go; beside it Verlet's method in `parts` steps a frame
static inline Twist runBar(Bar bar, double seconds, int parts)
{
    int frames = (int)(seconds / bar.h + 0.5);
    Plan exact = bar.plan;
    exact.method = "verlet";
    exact.substeps = 0;
    Body3 made[2] = { makeBar(bar.plan, bar.thickness, 2), makeBar(exact, bar.thickness, 2) };
    double *seen[2], travel = 0, kinetic = 0;
    double *start = malloc((size_t)made[0].count * 3 * sizeof(double));
    Twist got = { 0 };
    for (int k = 0; k < 2; ++k)
    {
        startBar(&bar, made[k]);
        seen[k] = malloc(((size_t)frames + 1) * sizeof(double));
        seen[k][0] = seenOf(&bar, made[k]);
    }
    memcpy(start, vvSoftBody_GetPositions(made[0].body), (size_t)made[0].count * 3 * sizeof(double));
    for (int n = 1; n <= frames; ++n)
    {
        for (int k = 0; k < 2; ++k)
        {
            frame(made[k], bar.h, k == 0 ? 1 : parts);
            seen[k][n] = seenOf(&bar, made[k]);
        }
        const double *x = vvSoftBody_GetPositions(made[0].body), *y = vvSoftBody_GetPositions(made[1].body);
        travel = fmax(travel, distance(made[1], y, start));
        double *error = &got.error[3 * (n - 1) / frames];
        *error = fmax(*error, distance(made[0], x, y));
        vvLedger ledger = vvWorld_GetLedger(made[0].world);
        kinetic = fmax(kinetic, ledger.kinetic);
        got.least = fmin(got.least, ledger.numerical);
        got.most = fmax(got.most, ledger.numerical);
        got.substeps += (double)vvWorld_GetStatistics(made[0].world).substeps / frames;
    }
    got.frequency = frequencyOf(seen[0], frames + 1, bar.h);
    got.truth = frequencyOf(seen[1], frames + 1, bar.h);
    for (int k = 0; k < 3; ++k)
        got.error[k] /= travel;
    got.least /= kinetic;
    got.most /= kinetic;
    for (int k = 0; k < 2; ++k)
    {
        free(seen[k]);
        vvDestroyWorld(made[k].world);
    }
    free(start);
    return got;
}

static inline Twist runTwist(Plan plan, double thickness, double degrees, double h, double seconds, int parts)
{
    return runBar((Bar){ .plan = plan, .thickness = thickness, .size = degrees, .h = h }, seconds, parts);
}

typedef struct Spin
{
    double angular;     // 1: largest change of the angular momentum
    double least, most; // 1: energy over that at the start
    double share;       // 1: mean of elastic over all energy
    int flips;          // of the axis along y against the angular momentum
    double first;       // s, of the first of them
} Spin;

static inline double length3(vvVec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

// a free box that spins, 1/s
static inline Spin runSpin(Plan plan, vvVec3 size, const int cells[3], vvVec3 spin, int frames, double h)
{
    Body3 made = makePlanned(plan, vvCreateBoxMesh(size, cells[0], cells[1], cells[2]));
    double *v = malloc((size_t)made.count * 3 * sizeof(double)), sign = 1;
    const double *x = vvSoftBody_GetPositions(made.body);
    int top[256], bottom[256];
    int count = vvSoftBody_FindVertices(made.body, planeBox(1, size.y / 2, 1e-9), top, 256);
    assert_int_equal(vvSoftBody_FindVertices(made.body, planeBox(1, -size.y / 2, 1e-9), bottom, 256), count);
    for (int i = 0; i < made.count; ++i)
    {
        v[3 * i] = spin.y * x[3 * i + 2] - spin.z * x[3 * i + 1];
        v[3 * i + 1] = spin.z * x[3 * i] - spin.x * x[3 * i + 2];
        v[3 * i + 2] = spin.x * x[3 * i + 1] - spin.y * x[3 * i];
    }
    CHECK_OK(vvSoftBody_SetVelocities(made.body, v));
    free(v);
    vvVec3 start = vvSoftBody_GetAngularMomentum(made.body);
    double total = totalEnergy(made.world);
    Spin got = { .least = 1, .most = 1 };
    for (int n = 1; n <= frames; ++n)
    {
        frame(made, h, 1);
        vvVec3 now = vvSoftBody_GetAngularMomentum(made.body);
        vvVec3 off = { now.x - start.x, now.y - start.y, now.z - start.z };
        vvLedger ledger = vvWorld_GetLedger(made.world);
        got.angular = fmax(got.angular, length3(off) / length3(start));
        got.least = fmin(got.least, ledger.total / total);
        got.most = fmax(got.most, ledger.total / total);
        got.share += ledger.elastic / (ledger.elastic + ledger.kinetic) / frames;
        double axis = 0;
        for (int a = 0; a < 3; ++a)
            axis += (meanCoordinate(made.body, top, count, a) - meanCoordinate(made.body, bottom, count, a)) *
                    (a == 0   ? start.x
                     : a == 1 ? start.y
                              : start.z);
        if (axis * sign < 0)
        {
            sign = -sign;
            got.first = got.flips++ == 0 ? n * h : got.first;
        }
    }
    vvDestroyWorld(made.world);
    return got;
}

// ---- an unstructured body -------------------------------------------------------------------------------------------

// A lattice of cubes of .1 m, its inner vertices moved at random as far as every tet keeps a fiftieth of its volume:
// some become slivers. Its top is pinned.
static inline Body3 makeLattice(Plan plan, int nx, int ny, int nz)
{
    vvMesh *regular = vvCreateBoxMesh((vvVec3){ 0.1 * nx, 0.1 * ny, 0.1 * nz }, nx, ny, nz);
    assert_non_null(regular);
    int points = regular->vertexCount, tets = regular->tetCount;
    double *x = malloc((size_t)points * 3 * sizeof(double));
    memcpy(x, regular->point, (size_t)points * 3 * sizeof(double));
    TestRandom random = { 11 };
    for (int v = 0; v < points; ++v)
    {
        double away[3], kept[3];
        memcpy(kept, x + 3 * v, sizeof kept);
        for (int a = 0; a < 3; ++a)
            away[a] = randomBetween(&random, -0.045, 0.045);
        for (int halving = 0; halving < 6 && fabs(kept[1]) < 0.05 * ny - 1e-9; ++halving)
        {
            for (int a = 0; a < 3; ++a)
                x[3 * v + a] = kept[a] + away[a];
            bool fits = true;
            for (int t = 0; t < tets && fits; ++t)
            {
                const int *c = regular->tet + 4 * t;
                if (c[0] != v && c[1] != v && c[2] != v && c[3] != v)
                    continue;
                double e[3][3];
                for (int i = 0; i < 9; ++i)
                    e[i / 3][i % 3] = x[3 * c[1 + i / 3] + i % 3] - x[3 * c[0] + i % 3];
                double six = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                             e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                             e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
                fits = six > 1e-3 / 50;
            }
            if (fits)
                break;
            memcpy(x + 3 * v, kept, sizeof kept);
            for (int a = 0; a < 3; ++a)
                away[a] /= 2;
        }
    }
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = x;
    def.pointCount = points;
    def.tets = regular->tet;
    def.tetCount = tets;
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    CHECK_OK(result);
    Body3 made = makePlanned(plan, mesh);
    pinPlane(made, 1, 0.05 * ny);
    free(x);
    vvDestroyMesh(regular);
    return made;
}

typedef struct Hang
{
    double error;   // 1: largest distance over the largest travel
    double energy;  // 1: largest numerical energy over the largest kinetic one
    double kinetic; // 1: sum of the kinetic energy over that of the truth
    double late;    // 1: the same of the second half of the frames
} Hang;

static inline Hang runHang(Body3 made, Body3 truth, int frames, double h, int parts)
{
    double *start = malloc((size_t)made.count * 3 * sizeof(double)), travel = 0, kinetic = 0, sum[2] = { 0, 0 },
           late[2] = { 0, 0 };
    memcpy(start, vvSoftBody_GetPositions(made.body), (size_t)made.count * 3 * sizeof(double));
    Hang got = { 0 };
    for (int n = 0; n < frames; ++n)
    {
        frame(made, h, 1);
        frame(truth, h, parts);
        const double *x = vvSoftBody_GetPositions(made.body), *y = vvSoftBody_GetPositions(truth.body);
        travel = fmax(travel, distance(truth, y, start));
        got.error = fmax(got.error, distance(made, x, y));
        vvLedger ledger = vvWorld_GetLedger(made.world);
        got.energy = fmax(got.energy, fabs(ledger.numerical));
        kinetic = fmax(kinetic, ledger.kinetic);
        sum[0] += ledger.kinetic;
        sum[1] += vvWorld_GetLedger(truth.world).kinetic;
        late[0] += n >= frames / 2 ? ledger.kinetic : 0;
        late[1] += n >= frames / 2 ? vvWorld_GetLedger(truth.world).kinetic : 0;
    }
    got.error /= travel;
    got.energy /= kinetic;
    got.kinetic = sum[0] / sum[1];
    got.late = late[0] / late[1];
    free(start);
    vvDestroyWorld(made.world);
    vvDestroyWorld(truth.world);
    return got;
}

#endif
