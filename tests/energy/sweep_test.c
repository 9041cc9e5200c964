// Plans and kernels of sweeps: every element once, nothing shared within a batch or between patches of a phase, and the
// vector kernels against scalar code written anew here.
#include "check.h"
#include "energy/sweep.h"
#include "mesh/mesh.h"

#include <stdlib.h>

typedef struct Rig
{
    Memory *memory;
    vvMesh *mesh;
    Energy *energy;
    double *row, *before;
    int *unit;
} Rig;

// of the stiffness of a tet
static double factorOf(int element)
{
    return 1 + 0.25 * (element % 7);
}

// a box of tets, or a sheet of springs; some vertices cannot move, the others are pushed about
static Rig makeRig(const EnergyKind *kind, int cells, bool units, Isa isa, double viscosity)
{
    Rig rig = { .memory = test_malloc(sizeof(Memory)) };
    *rig.memory = memoryMake(NULL);
    bool tets = kind->corners == 4;
    rig.mesh =
        tets ? vvCreateBoxMesh((vvVec3){ 0.1 * cells, 0.2, 0.2 }, cells, 2, 2) : vvCreateSheetMesh(1, 1, cells, cells);
    const vvMesh *m = rig.mesh;
    int count = tets ? m->tetCount : m->edgeCount;
    double *strength = test_malloc((size_t)count * sizeof(double));
    rig.unit = units ? test_malloc((size_t)count * sizeof(int)) : NULL;
    for (int e = 0; e < count; ++e)
    {
        strength[e] = tets ? factorOf(e) : 100 + e % 7;
        if (units)
            rig.unit[e] = m->tetToCaller[e] / m->cellTets;
    }
    Recipe recipe = { .rest = m->point,
                      .strength = strength,
                      .young = 1e5,
                      .poisson = 0.4,
                      .isa = isa,
                      .unit = rig.unit,
                      .viscosity = viscosity };
    rig.energy = energyCreate(rig.memory, kind, m->vertexCount, count, tets ? m->tet : m->edge, &recipe);
    assert_non_null(rig.energy);
    assert_non_null(rig.energy->plan = sweepPlanCreate(rig.energy));
    test_free(strength);
    rig.row = test_malloc((size_t)m->vertexCount * 4 * sizeof(double));
    rig.before = test_malloc((size_t)m->vertexCount * 4 * sizeof(double));
    TestRandom random = { 5 };
    for (int v = 0; v < m->vertexCount; ++v)
    {
        // turned by a right angle about z, so that rotations have something to find
        const double *p = m->point + 3 * v;
        const double turned[3] = { -p[1], p[0], p[2] };
        for (int a = 0; a < 3; ++a)
        {
            rig.before[4 * v + a] = turned[a] + randomBetween(&random, -0.004, 0.004);
            rig.row[4 * v + a] = turned[a] + randomBetween(&random, -0.004, 0.004);
        }
        rig.row[4 * v + 3] = rig.before[4 * v + 3] = v % 11 == 3 ? 0 : randomBetween(&random, 0.5, 2);
    }
    return rig;
}

static void freeRig(Rig *rig)
{
    energyDestroy(rig->energy);
    vvDestroyMesh(rig->mesh);
    test_free(rig->row);
    test_free(rig->before);
    if (rig->unit)
        test_free(rig->unit);
    assert_int_equal(rig->memory->blocks, 0);
    test_free(rig->memory);
}

// rotations as they are at these rows, so that a sweep starts warm
static void warmUp(Rig *rig, const double *row)
{
    size_t count = (size_t)rig->mesh->vertexCount * 3;
    double *x = test_malloc(count * sizeof(double)), *gradient = test_calloc(count, sizeof(double));
    for (size_t i = 0; i < count; ++i)
        x[i] = row[i / 3 * 4 + i % 3];
    energyAddGradient(rig->energy, x, gradient);
    test_free(x);
    test_free(gradient);
}

// ---- the order ------------------------------------------------------------------------------------------------------

static void checkPlan(const Rig *rig)
{
    const SweepPlan *plan = rig->energy->plan;
    int corners = rig->energy->kind->corners, count = rig->mesh->vertexCount, elements = rig->energy->elementCount;
    int *seen = test_calloc((size_t)elements, sizeof(int)), *owner = test_malloc((size_t)count * sizeof(int));
    int *last = test_malloc((size_t)count * sizeof(int));
    for (int v = 0; v < count; ++v)
        last[v] = -1;
    for (int phase = 0, patch = 0; phase < SWEEP_PHASES; ++phase)
    {
        for (int v = 0; v < count; ++v)
            owner[v] = -1;
        for (int k = 0; k < plan->patchCount[phase]; ++k, ++patch)
        {
            for (int batch = plan->patch[patch]; batch < plan->patch[patch + 1]; ++batch)
            {
                for (int i = 0; i < plan->used[batch] * corners; ++i)
                {
                    int lane = i % plan->used[batch], c = i / plan->used[batch];
                    int v = batchVertices(plan, batch)[c * LANES + lane];
                    seen[plan->element[batch * LANES + lane]] += c == 0;
                    assert_true(owner[v] == -1 || owner[v] == patch); // no patch of the phase has it
                    assert_true(last[v] != batch);                    // no lane of the batch has it
                    owner[v] = patch;
                    last[v] = batch;
                }
            }
        }
    }
    assert_int_equal(plan->patch[plan->patchCount[0] + plan->patchCount[1]], plan->batchCount);
    for (int e = 0; e < elements; ++e)
        assert_int_equal(seen[e], 1);
    test_free(seen);
    test_free(owner);
    test_free(last);
}

static void plansAreOrders(void **unused)
{
    (void)unused;
    static const struct
    {
        const EnergyKind *kind;
        int cells;
        bool units;
    } rows[] = { { &springKind, 3, false },   { &springKind, 60, false },    { &corotatedKind, 4, false },
                 { &corotatedKind, 4, true }, { &corotatedKind, 300, true }, { &corotatedKind, 300, false } };
    for (int i = 0; i < 6; ++i)
    {
        Rig rig = makeRig(rows[i].kind, rows[i].cells, rows[i].units, ISA_BASE, 0);
        const SweepPlan *plan = rig.energy->plan;
        checkPlan(&rig);
        int lanes = 0;
        for (int b = 0; b < plan->batchCount; ++b)
            lanes += plan->used[b];
        print_message("%s, %d elements%s: %d + %d patches, %d batches, %.0f %% of lanes used\n", rows[i].kind->name,
                      rig.energy->elementCount, rows[i].units ? " in cells" : "", plan->patchCount[0],
                      plan->patchCount[1], plan->batchCount, 100.0 * lanes / (plan->batchCount * LANES));
        assert_true(plan->patchCount[0] > 1 || rows[i].cells < 20);
        freeRig(&rig);
    }
}

// ---- scalar references ----------------------------------------------------------------------------------------------

static Vec3 at(const double *row, int v)
{
    return vecLoad(row + 4 * v);
}

static void push(double *row, int v, Vec3 way)
{
    vecStore(row + 4 * v, vecAdd(at(row, v), vecScale(row[4 * v + 3], way)));
}

// Macklin 2019, Eq 8
static void scalarSpring(const Energy *energy, int e, double h, double *row, const double *before)
{
    int a = laneVertices(energy, e / LANES)[e % LANES], b = laneVertices(energy, e / LANES)[LANES + e % LANES];
    double k = energyGetParam(energy, e, 0), l = energyGetParam(energy, e, 1), w = row[4 * a + 3] + row[4 * b + 3];
    if (w == 0)
        return;
    Vec3 d = vecSub(at(row, b), at(row, a)), n = vecScale(1 / vecLength(d), d);
    double alpha = 1 / (k * h * h), gamma = fmax(energy->viscosity / h - 1, 0);
    double rate = vecDot(n, vecSub(vecSub(at(row, b), at(before, b)), vecSub(at(row, a), at(before, a))));
    double change = -(vecLength(d) - l + gamma * rate) / ((1 + gamma) * w + alpha);
    push(row, a, vecScale(-change, n));
    push(row, b, vecScale(change, n));
}

static void solveDense(int n, double a[6][6], double *b)
{
    for (int p = 0; p < n; ++p)
    {
        for (int i = p + 1; i < n; ++i)
        {
            double factor = a[i][p] / a[p][p];
            for (int j = p; j < n; ++j)
                a[i][j] -= factor * a[p][j];
            b[i] -= factor * b[p];
        }
    }
    for (int p = n - 1; p >= 0; --p)
    {
        for (int j = p + 1; j < n; ++j)
            b[p] -= a[p][j] * b[j];
        b[p] /= a[p][p];
    }
}

typedef struct Tet
{
    int v[4];
    Vec3 g[4]; // gradients of the shape functions
    double volume, mu, lambda;
} Tet;

static Tet tetOf(const Rig *rig, int e)
{
    Tet t;
    const double *x = rig->mesh->point;
    Mat3 edges;
    for (int c = 0; c < 4; ++c)
        t.v[c] = laneVertices(rig->energy, e / LANES)[c * LANES + e % LANES];
    for (int i = 0; i < 9; ++i)
        edges.m[i % 3][i / 3] = x[3 * t.v[i / 3 + 1] + i % 3] - x[3 * t.v[0] + i % 3];
    Mat3 inverse = matInverse(&edges);
    t.g[0] = vec3(0, 0, 0);
    for (int c = 1; c < 4; ++c)
    {
        t.g[c] = vecLoad(inverse.m[c - 1]);
        t.g[0] = vecSub(t.g[0], t.g[c]);
    }
    t.volume = matDeterminant(&edges) / 6;
    t.mu = factorOf(e) * 1e5 / 2.8;
    t.lambda = factorOf(e) * 1e5 * 0.4 / (1.4 * 0.2);
    return t;
}

static Mat3 gradientOf(const Tet *t, const double *row)
{
    Mat3 f = { { { 0 } } };
    for (int c = 0; c < 4; ++c)
    {
        const double *x = row + 4 * t->v[c], g[3] = { t->g[c].x, t->g[c].y, t->g[c].z };
        for (int i = 0; i < 9; ++i)
            f.m[i / 3][i % 3] += x[i / 3] * g[i % 3];
    }
    return f;
}

// six strains in the frame of the nearest rotation, compliance (V K)^-1
static void scalarStrains(const Rig *rig, int e, double h, double *row, const double *before, bool turns)
{
    Tet t = tetOf(rig, e);
    Mat3 f = gradientOf(&t, row), r = turns ? nearestRotation(&f) : matIdentity(), back = matTranspose(&r);
    Mat3 fn = gradientOf(&t, before), s = matMultiply(&back, &f), sn = matMultiply(&back, &fn);
    double gamma = fmax(rig->energy->viscosity / h - 1, 0), a[6][6], right[6], b[4][6][3], sum = 0;
    static const int pairs[6][2] = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 1, 2 }, { 0, 2 }, { 0, 1 } };
    for (int k = 0; k < 6; ++k)
    {
        int i = pairs[k][0], j = pairs[k][1];
        double strain = k < 3 ? s.m[i][i] : s.m[i][j] + s.m[j][i], old = k < 3 ? sn.m[i][i] : sn.m[i][j] + sn.m[j][i];
        right[k] = -(strain - (k < 3) + gamma * (strain - old));
        for (int c = 0; c < 4; ++c)
        {
            const double g[3] = { t.g[c].x, t.g[c].y, t.g[c].z };
            double local[3] = { 0 };
            local[i] += g[j];
            if (k >= 3)
                local[j] += g[i];
            vecStore(b[c][k], matApply(&r, vecLoad(local)));
        }
    }
    double young = factorOf(e) * 1e5, nu = 0.4, scale = 1 / (t.volume * h * h);
    for (int i = 0; i < 36; ++i)
    {
        int k = i / 6, l = i % 6;
        a[k][l] = k < 3 && l < 3 ? scale * (k == l ? 1 : -nu) / young : k == l ? scale / t.mu : 0;
        for (int c = 0; c < 4; ++c)
            a[k][l] += (1 + gamma) * row[4 * t.v[c] + 3] * vecDot(vecLoad(b[c][k]), vecLoad(b[c][l]));
    }
    for (int c = 0; c < 4; ++c)
        sum += row[4 * t.v[c] + 3];
    if (sum == 0)
        return;
    solveDense(6, a, right);
    for (int c = 0; c < 4; ++c)
    {
        Vec3 way = vec3(0, 0, 0);
        for (int k = 0; k < 6; ++k)
            way = vecAdd(way, vecScale(right[k], vecLoad(b[c][k])));
        push(row, t.v[c], way);
    }
}

// det F and |F|, both at once, by finite differences of the two
static void scalarHookean(const Rig *rig, int e, double h, double *row)
{
    Tet t = tetOf(rig, e);
    double bulk = t.lambda + t.mu, d[2][12], a[6][6] = { { 0 } }, right[6], value[2] = { 0, 0 };
    for (int i = -1; i < 24; ++i)
    {
        int c = i / 6, axis = i / 2 % 3;
        double *x = row + 4 * t.v[maxInt(c, 0)] + maxInt(axis, 0), kept = *x, step = 1e-5, norm = 0;
        *x += i < 0 ? 0 : i % 2 ? step : -step;
        Mat3 f = gradientOf(&t, row);
        *x = kept;
        for (int k = 0; k < 9; ++k)
            norm += f.m[k / 3][k % 3] * f.m[k / 3][k % 3];
        const double both[2] = { matDeterminant(&f) - 1 - t.mu / bulk, sqrt(norm) };
        for (int k = 0; k < 2; ++k)
        {
            if (i < 0)
                value[k] = both[k];
            else if (i % 2 == 0)
                d[k][i / 2] = -both[k] / (2 * step);
            else
                d[k][i / 2] += both[k] / (2 * step);
        }
    }
    a[0][0] = 1 / (bulk * t.volume * h * h);
    a[1][1] = 1 / (t.mu * t.volume * h * h);
    for (int k = 0; k < 2; ++k)
    {
        right[k] = -value[k];
        for (int l = 0; l < 2; ++l)
            for (int i = 0; i < 12; ++i)
                a[k][l] += row[4 * t.v[i / 3] + 3] * d[k][i] * d[l][i];
    }
    solveDense(2, a, right);
    for (int c = 0; c < 4; ++c)
        push(row, t.v[c], vecAdd(vecScale(right[0], vecLoad(d[0] + 3 * c)), vecScale(right[1], vecLoad(d[1] + 3 * c))));
}

static void kernelsAreTheScalarSweep(void **unused)
{
    (void)unused;
    static const struct
    {
        const EnergyKind *kind;
        double viscosity, tolerance; // m: positions of 1 m round at 1e-16; differences of 1e-5 at 1e-10
    } rows[] = { { &springKind, 0, 1e-13 },        { &springKind, 0.006, 1e-13 }, { &corotatedKind, 0, 1e-11 },
                 { &corotatedKind, 0.006, 1e-11 }, { &linearKind, 0, 1e-12 },     { &linearKind, 0.006, 1e-12 },
                 { &neoHookeanKind, 0, 1e-8 } };
    const double h = 0.003;
    for (int i = 0; i < 7; ++i)
    {
        double *want = NULL;
        size_t bytes = 0;
        for (Isa isa = ISA_BASE; isa < ISA_COUNT; ++isa)
        {
            if (!isaAvailable(isa))
                continue;
            Rig rig = makeRig(rows[i].kind, 6, rows[i].kind->corners == 4, isa, rows[i].viscosity);
            const SweepPlan *plan = rig.energy->plan;
            bytes = (size_t)rig.mesh->vertexCount * 4 * sizeof(double);
            double *scalar = test_malloc(bytes);
            memcpy(scalar, rig.row, bytes);
            warmUp(&rig, rig.before);
            sweepPlanLoad(rig.energy->plan, rig.row, &(SweepManner){ .h = h, .masses = 1, .damped = true });
            SweepContext context = { .h = h, .row = rig.row, .before = rig.before, .keep = true };
            sweepAll(rig.energy->plan, &context);
            for (int k = 0; k < plan->batchCount * LANES; ++k)
            {
                int e = plan->element[k];
                if (k % LANES >= plan->used[k / LANES])
                    continue;
                if (rows[i].kind == &springKind)
                    scalarSpring(rig.energy, e, h, scalar, rig.before);
                else if (rows[i].kind == &neoHookeanKind)
                    scalarHookean(&rig, e, h, scalar);
                else
                    scalarStrains(&rig, e, h, scalar, rig.before, rows[i].kind == &corotatedKind);
            }
            double worst = 0, moved = 0;
            for (int k = 0; k < 4 * rig.mesh->vertexCount; ++k)
            {
                worst = fmax(worst, fabs(rig.row[k] - scalar[k]));
                moved = fmax(moved, fabs(rig.row[k] - rig.before[k]));
            }
            CHECK_BELOW(worst, rows[i].tolerance);
            assert_true(moved > 1e-4);
            // every instruction set has the same bits
            if (want == NULL)
            {
                want = test_malloc(bytes);
                memcpy(want, rig.row, bytes);
            }
            assert_memory_equal(want, rig.row, bytes);
            test_free(scalar);
            freeRig(&rig);
        }
        test_free(want);
    }
}

// a body at rest, turned by a right angle, is left where it is
static void restStays(void **unused)
{
    (void)unused;
    const EnergyKind *const kinds[] = { &springKind, &squaredSpringKind, &corotatedKind, &neoHookeanKind };
    for (int i = 0; i < 4; ++i)
    {
        Rig rig = makeRig(kinds[i], 6, false, ISA_BASE, 0);
        for (int v = 0; v < rig.mesh->vertexCount; ++v)
        {
            const double *p = rig.mesh->point + 3 * v;
            vecStore(rig.row + 4 * v, vec3(-p[1], p[0], p[2]));
        }
        memcpy(rig.before, rig.row, (size_t)rig.mesh->vertexCount * 4 * sizeof(double));
        warmUp(&rig, rig.row);
        sweepPlanLoad(rig.energy->plan, rig.row, &(SweepManner){ .h = 0.001, .masses = 1, .damped = true });
        SweepContext context = { .h = 0.001, .row = rig.row, .before = rig.before };
        sweepAll(rig.energy->plan, &context);
        for (int k = 0; k < 4 * rig.mesh->vertexCount; ++k)
            CHECK_NEAR(rig.row[k], rig.before[k], 1e-14);
        freeRig(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plansAreOrders),
        cmocka_unit_test(kernelsAreTheScalarSweep),
        cmocka_unit_test(restStays),
    };
    return cmocka_run_group_tests_name("sweep", tests, NULL, NULL);
}
