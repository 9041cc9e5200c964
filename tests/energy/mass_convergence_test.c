// Consistent against lumped mass (Bouaziz 2014, section 8): frequencies of a clamped bar with both, on two meshes.
// VERVE_TABLE in the environment prints the rows of docs/notes/constraints.md.
#include "check.h"

#include "energy/energy.h"
#include "mesh/mesh.h"

#include <stdlib.h>

#define LONG 1.0
#define HIGH 0.1
#define WIDE 0.2
#define YOUNG 1e6
#define DENSITY 1000.0

typedef struct Bar
{
    const vvMesh *mesh;
    Energy *energy;
    bool consistent;
    double *lumped; // vertexCount, kg
} Bar;

typedef void (*Apply)(const Bar *bar, const double *d, double *out);

static bool isClamped(const Bar *bar, int i)
{
    return bar->mesh->point[i / 3 * 3] < -0.5 * LONG + 1e-9;
}

static double volumeOf(const vvMesh *mesh, int t)
{
    const int *v = mesh->tet + 4 * t;
    Vec3 o = vecLoad(mesh->point + 3 * v[0]), e[3];
    for (int c = 0; c < 3; ++c)
        e[c] = vecSub(vecLoad(mesh->point + 3 * v[c + 1]), o);
    return fabs(vecDot(e[0], vecCross(e[1], e[2]))) / 6;
}

static void stiffness(const Bar *bar, const double *d, double *out)
{
    int size = 3 * bar->mesh->vertexCount;
    memset(out, 0, (size_t)size * sizeof(double));
    energyAddHessianTimes(bar->energy, bar->mesh->point, HESSIAN_EXACT, d, out);
    for (int i = 0; i < size; ++i)
        out[i] = isClamped(bar, i) ? d[i] : out[i];
}

// linear tets: rho V / 20 (1 + delta)
static void mass(const Bar *bar, const double *d, double *out)
{
    int size = 3 * bar->mesh->vertexCount;
    for (int i = 0; i < size; ++i)
        out[i] = bar->consistent ? 0 : bar->lumped[i / 3] * d[i];
    for (int t = 0; t < bar->mesh->tetCount && bar->consistent; ++t)
    {
        double share = DENSITY * volumeOf(bar->mesh, t) / 20;
        const int *v = bar->mesh->tet + 4 * t;
        for (int k = 0; k < 48; ++k)
            out[3 * v[k / 12] + k % 3] += share * (k / 12 == k % 12 / 3 ? 2 : 1) * d[3 * v[k % 12 / 3] + k % 3];
    }
    for (int i = 0; i < size; ++i)
        out[i] = isClamped(bar, i) ? d[i] : out[i];
}

static double dot(const double *a, const double *b, int size)
{
    double sum = 0;
    for (int i = 0; i < size; ++i)
        sum += a[i] * b[i];
    return sum;
}

// conjugate gradients to 1e-10
static void solve(const Bar *bar, Apply apply, const double *right, double *x)
{
    int size = 3 * bar->mesh->vertexCount;
    double *r = malloc(3 * (size_t)size * sizeof(double)), *p = r + size, *q = p + size;
    memset(x, 0, (size_t)size * sizeof(double));
    memcpy(r, right, (size_t)size * sizeof(double));
    memcpy(p, right, (size_t)size * sizeof(double));
    double now = dot(r, r, size), first = now;
    for (int k = 0; k < 5000 && now > 1e-20 * first; ++k)
    {
        apply(bar, p, q);
        double step = now / dot(p, q, size), before = now;
        for (int i = 0; i < size; ++i)
        {
            x[i] += step * p[i];
            r[i] -= step * q[i];
        }
        now = dot(r, r, size);
        for (int i = 0; i < size; ++i)
            p[i] = r[i] + now / before * p[i];
    }
    assert_true(now <= 1e-20 * first);
    free(r);
}

// rad/s of the slowest (inverse iteration) or the fastest motion (power iteration)
static double frequency(const Bar *bar, bool slowest, int turns)
{
    int size = 3 * bar->mesh->vertexCount;
    double *x = malloc(3 * (size_t)size * sizeof(double)), *y = x + size, *z = y + size, result = 0;
    TestRandom numbers = { 4 };
    for (int i = 0; i < size; ++i)
        x[i] = isClamped(bar, i) ? 0 : slowest ? i % 3 == 1 : randomBetween(&numbers, -1, 1);
    for (int turn = 0; turn < turns; ++turn)
    {
        (slowest ? mass : stiffness)(bar, x, y);
        solve(bar, slowest ? stiffness : mass, y, z);
        double length = sqrt(dot(z, z, size));
        for (int i = 0; i < size; ++i)
            x[i] = z[i] / length;
    }
    stiffness(bar, x, y);
    mass(bar, x, z);
    result = sqrt(dot(x, y, size) / dot(x, z, size));
    free(x);
    return result;
}

// the weight of vertices is the same with both, so that a body settles in the same shape
static void checkWeights(const Bar *bar)
{
    int size = 3 * bar->mesh->vertexCount;
    double *x = malloc(2 * (size_t)size * sizeof(double)), *y = x + size;
    for (int i = 0; i < size; ++i)
        x[i] = 1;
    mass(bar, x, y);
    for (int i = 0; i < size; ++i)
        CHECK_CLOSE(y[i], isClamped(bar, i) ? 1 : bar->lumped[i / 3], 1e-12);
    free(x);
}

static void massesConverge(void **state)
{
    (void)state;
    double first[2][2], last[2][2];
    // a clamped beam (Euler and Bernoulli): 1.8751^2 sqrt(E I / rho A L^4)
    double beam = 3.5160 * sqrt(YOUNG * HIGH * HIGH / 12 / DENSITY) / (LONG * LONG);
    for (int k = 0; k < 4; ++k)
    {
        int fine = k / 2 ? 2 : 1;
        Memory memory = memoryMake(NULL);
        vvMesh *mesh = vvCreateBoxMesh((vvVec3){ LONG, HIGH, WIDE }, 8 * fine, fine, 2 * fine);
        Recipe recipe = { .rest = mesh->point, .young = YOUNG, .poisson = 0, .isa = isaBest() };
        Bar bar = { .mesh = mesh, .consistent = k % 2, .lumped = calloc((size_t)mesh->vertexCount, sizeof(double)) };
        bar.energy = energyCreate(&memory, &corotatedKind, mesh->vertexCount, mesh->tetCount, mesh->tet, &recipe);
        assert_non_null(bar.energy);
        for (int i = 0; i < 4 * mesh->tetCount; ++i)
            bar.lumped[mesh->tet[i]] += DENSITY * volumeOf(mesh, i / 4) / 4;
        checkWeights(&bar);
        first[k / 2][k % 2] = frequency(&bar, true, 8);
        last[k / 2][k % 2] = frequency(&bar, false, 60);
        if (getenv("VERVE_TABLE"))
            print_message("| %d x %d x %d | %s | %.3f | %.0f |\n", 8 * fine, fine, 2 * fine,
                          bar.consistent ? "consistent" : "lumped", first[k / 2][k % 2], last[k / 2][k % 2]);
        energyDestroy(bar.energy);
        free(bar.lumped);
        vvDestroyMesh(mesh);
    }
    for (int k = 0; k < 2; ++k)
    {
        assert_true(first[k][0] < first[k][1]); // lumped mass is slower, consistent mass never below the exact motion
        assert_true(last[k][1] > 1.5 * last[k][0]);
    }
    // the gap is of second order: a quarter on the finer mesh
    double gap[2] = { first[0][1] / first[0][0] - 1, first[1][1] / first[1][0] - 1 };
    if (getenv("VERVE_TABLE"))
        print_message("beam %.3f, gaps %g %g\n", beam, gap[0], gap[1]);
    CHECK_CLOSE(gap[1], gap[0] / 4, 0.3);
    assert_true(first[1][0] > beam && first[1][0] < first[0][0]); // both too fast by the stiffness of the tets
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(massesConverge) };
    return cmocka_run_group_tests_name("mass", tests, NULL, NULL);
}
