// Sheets and ropes of 1 m that hang and swing, beside Verlet's method in small steps: frequencies of the swing and of
// waves.
#ifndef TESTS_INTEGRATE_SWING_H
#define TESTS_INTEGRATE_SWING_H

#include "integrate/truth.h"
#include "undamped.h"

typedef enum Hanging
{
    HANG_EDGE,    // a square sheet by one side,
    HANG_CORNERS, //   or by two corners
    HANG_ROPE,
} Hanging;

typedef struct Swinging
{
    Hanging hanging;
    int cells;        // along a side
    double stiffness; // N/m: of springs of a sheet; of a rope as a whole
    double shear;     // 1: of the diagonals, times the above
    double skip;      // N/m: springs across two cells, which resist bending
    double mass;      // kg
    int mode;         // 1: swings, 2, 3: waves; 0: let go where it is level
} Swinging;

static inline vvMesh *swingMesh(const Swinging *plan)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = plan->hanging == HANG_ROPE ? VV_MESH_ROPE : VV_MESH_SHEET;
    def.size = (vvVec3){ 1, 1, 1 };
    def.cells[0] = def.cells[1] = def.cells[2] = plan->cells;
    def.skip = plan->skip > 0;
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    CHECK_OK(result);
    return mesh;
}

static inline Body3 makeSwinging(const char *method, int substeps, const Swinging *plan, double stiffness)
{
    vvWorldDef world = vvDefaultWorldDef();
    world.gravity = (vvVec3){ 0, -9.81, 0 };
    world.substeps = substeps;
    if (method != NULL)
        world.method = method;
    vvResult result;
    Body3 made = { .world = vvCreateWorld(&world, &result) };
    CHECK_OK(result);
    bool rope = plan->hanging == HANG_ROPE;
    double k = rope ? stiffness * plan->cells : stiffness;
    vvSoftBodyDef def = undampedDef();
    def.material.thickness = rope ? 0.01 : 0.001;
    def.material.density = plan->mass / (rope ? 0.25 * acos(-1) * 1e-4 : 1e-3);
    def.springStiffness[VV_EDGE_STRUCTURAL] = k;
    def.springStiffness[VV_EDGE_SHEAR] = plan->shear > 0 ? plan->shear * k : 1e-9;
    def.springStiffness[VV_EDGE_SKIP] = plan->skip > 0 ? plan->skip : 1e-9;
    made.body = makeBody(made.world, swingMesh(plan), def);
    made.count = vvSoftBody_GetVertexCount(made.body);
    return made;
}

// m, from where it hangs: along x of the mesh
static inline double depthOf(const double *rest, int vertex, double top)
{
    return fabs(rest[3 * vertex] - top);
}

// J0, the shapes of hanging ropes; zeros 2.405, 5.520, 8.654
static inline double modeShape(int mode, double depth)
{
    static const double zero[] = { 0, 2.404825557695773, 5.520078110286311, 8.653727912911013 };
    double x = zero[mode] * sqrt(fmax(1 - depth, 0)), term = 1, sum = 1;
    for (int k = 1; k < 40; ++k)
    {
        term *= -0.25 * x * x / (k * k);
        sum += term;
    }
    return sum;
}

// hangs it down along -y, stretched by its weight, pins it, and sets it off by 0.01 m
static inline void startSwinging(Body3 made, const Swinging *plan, double stiffness, double *shape)
{
    double *x = malloc((size_t)made.count * 3 * sizeof(double)), *v = calloc((size_t)made.count * 3, sizeof(double));
    int *pins = malloc((size_t)made.count * sizeof(int)), pinCount = 0;
    memcpy(x, vvSoftBody_GetPositions(made.body), (size_t)made.count * 3 * sizeof(double));
    double top = x[0], side = 0;
    for (int i = 0; i < made.count; ++i)
    {
        top = fmin(top, x[3 * i]);
        side = fmax(side, fabs(x[3 * i + 2]));
    }
    for (int i = 0; i < made.count; ++i)
    {
        double depth = depthOf(x, i, top), across = x[3 * i + 2];
        bool corner = fabs(across) > side - 1e-9;
        if (depth < 1e-9 && (plan->hanging != HANG_CORNERS || corner))
            pins[pinCount++] = i;
        shape[i] = plan->mode == 0 ? depth : modeShape(plan->mode, depth);
        if (plan->mode > 0)
        {
            x[3 * i] = 0;
            x[3 * i + 1] = -depth - plan->mass * 9.81 / stiffness * depth * (1 - depth / 2);
            v[3 * i] = depth > 0 ? 0.03 * plan->mode * shape[i] : 0;
        }
    }
    CHECK_OK(vvSoftBody_SetPositions(made.body, x));
    CHECK_OK(vvSoftBody_Pin(made.body, pins, pinCount));
    CHECK_OK(vvSoftBody_SetVelocities(made.body, v));
    free(pins);
    free(v);
    free(x);
}

static inline double alongShape(Body3 made, const double *shape)
{
    const double *x = vvSoftBody_GetPositions(made.body), *m = vvSoftBody_GetMasses(made.body);
    double sum = 0, whole = 0;
    for (int i = 0; i < made.count; ++i)
    {
        sum += m[i] * shape[i] * x[3 * i];
        whole += m[i] * shape[i] * shape[i];
    }
    return sum / whole;
}

typedef struct Swung
{
    double frequency, truth; // Hz
    double kinetic;          // 1: sum of the kinetic energy over that of the truth
    double error;            // 1: largest distance over the largest travel
    double along;            // 1: root mean square of what the swing is off, over that of the swing
    double least, most;      // 1: numerical energy over the largest kinetic one
    double substeps;         // on average
} Swung;

// The truth is the same body, at most as stiff as 1e4 N/m: it does not stretch visibly beyond. Sheets by corners do:
// their weight hangs on few springs
static inline Swung runSwinging(const char *method, int substeps, const Swinging *plan, double h, double seconds,
                                int parts)
{
    int frames = (int)(seconds / h + 0.5);
    double most = plan->hanging == HANG_CORNERS ? 1e6 : 1e4;
    Body3 made = makeSwinging(method, substeps, plan, plan->stiffness);
    Body3 truth = makeSwinging("verlet", 0, plan, fmin(plan->stiffness, most));
    double *shape = malloc((size_t)made.count * sizeof(double)), *series[2], kinetic = 0, sum[2] = { 0, 0 }, travel = 0;
    double off = 0, swung = 0;
    double *start = malloc((size_t)made.count * 3 * sizeof(double));
    Swung got = { 0 };
    for (int k = 0; k < 2; ++k)
    {
        startSwinging(k == 0 ? made : truth, plan, k == 0 ? plan->stiffness : fmin(plan->stiffness, most), shape);
        series[k] = malloc(((size_t)frames + 1) * sizeof(double));
        series[k][0] = plan->mode == 0 ? 1 : 1e-12;
    }
    memcpy(start, vvSoftBody_GetPositions(made.body), (size_t)made.count * 3 * sizeof(double));
    for (int n = 1; n <= frames; ++n)
    {
        frame(made, h, 1);
        frame(truth, h, parts);
        series[0][n] = alongShape(made, shape);
        series[1][n] = alongShape(truth, shape);
        const double *x = vvSoftBody_GetPositions(made.body), *y = vvSoftBody_GetPositions(truth.body);
        travel = fmax(travel, distance(truth, y, start));
        got.error = fmax(got.error, distance(made, x, y));
        vvLedger ledger = vvWorld_GetLedger(made.world);
        kinetic = fmax(kinetic, ledger.kinetic);
        got.least = fmin(got.least, ledger.numerical);
        got.most = fmax(got.most, ledger.numerical);
        sum[0] += ledger.kinetic;
        sum[1] += vvWorld_GetLedger(truth.world).kinetic;
        got.substeps += (double)vvWorld_GetStatistics(made.world).substeps / frames;
        off += (series[0][n] - series[1][n]) * (series[0][n] - series[1][n]);
        swung += series[1][n] * series[1][n];
    }
    got.along = sqrt(off / swung);
    got.frequency = frequencyOf(series[0], frames + 1, h);
    got.truth = frequencyOf(series[1], frames + 1, h);
    got.kinetic = sum[0] / sum[1];
    got.error /= travel;
    got.least /= kinetic;
    got.most /= kinetic;
    free(series[0]);
    free(series[1]);
    free(start);
    free(shape);
    vvDestroyWorld(made.world);
    vvDestroyWorld(truth.world);
    return got;
}

#endif
