// Lumped and consistent masses.
#include "check.h"
#include "mesh/mesh.h"

#include <stdlib.h>

static double total(const double *values, int count)
{
    return sumPairwise(values, count);
}

static double *lumped(const vvMesh *mesh, double density, double thickness)
{
    double *mass = calloc((size_t)mesh->vertexCount, sizeof(double));
    meshLumpedMass(mesh, density, thickness, mass);
    return mass;
}

// kinetic energy of the unit cube turning about z at omega = 12.566, density 1000: values of an independent
// implementation
static void testSpinningCube(void **state)
{
    (void)state;
    const int cells[4] = { 2, 3, 4, 6 };
    const double energy[4] = { 19738.0445, 16082.8511, 14803.5334, 13889.7350 };
    for (int i = 0; i < 4; ++i)
    {
        vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, cells[i], cells[i], cells[i]);
        double *mass = lumped(mesh, 1000, 0);
        double kinetic = 0;
        for (int v = 0; v < mesh->vertexCount; ++v)
        {
            double x = mesh->point[3 * v], y = mesh->point[3 * v + 1];
            kinetic += 0.5 * mass[v] * 12.566 * 12.566 * (x * x + y * y);
        }
        CHECK_NEAR(kinetic, energy[i], 6e-5); // printed with four decimals
        free(mass);
        vvDestroyMesh(mesh);
    }
}

static void checkTotal(vvMesh *mesh, double density, double thickness, double want)
{
    assert_non_null(mesh);
    double *mass = lumped(mesh, density, thickness);
    CHECK_CLOSE(total(mass, mesh->vertexCount), want, 1e-13);
    for (int v = 0; v < mesh->vertexCount; ++v)
        assert_true(mass[v] > 0);
    free(mass);
    vvDestroyMesh(mesh);
}

static void testTotals(void **state)
{
    (void)state;
    checkTotal(vvCreateBoxMesh((vvVec3){ 1, 2, 3 }, 3, 4, 5), 700, 0, 4200);
    checkTotal(vvCreateSheetMesh(2, 3, 5, 4), 700, 0.01, 42);
    checkTotal(vvCreateRopeMesh(5, 7), 700, 0.02, 700 * PI * 1e-4 * 5);
    vvMesh *sphere = vvCreateSphereMesh(1, 3);
    checkTotal(sphere, 300, 0, 300 * vvMesh_GetVolume(sphere));

    // springs over two cells weigh nothing
    vvMeshDef def = vvDefaultMeshDef();
    def.skip = true;
    def.shape = VV_MESH_ROPE;
    checkTotal(vvCreateMesh(&def, NULL), 1000, 0.02, 1000 * PI * 1e-4);
    def.shape = VV_MESH_SHEET;
    checkTotal(vvCreateMesh(&def, NULL), 1000, 0.02, 20);
}

// f' M g for fields that are linear in space: f = a + b.x
typedef struct Linear
{
    double a, b[3];
} Linear;

static double value(const vvMesh *mesh, const Linear *f, int v)
{
    const double *p = mesh->point + 3 * v;
    return f->a + f->b[0] * p[0] + f->b[1] * p[1] + f->b[2] * p[2];
}

static double product(const vvMesh *mesh, double density, double thickness, const Linear *f, const Linear *g)
{
    double *diagonal = calloc((size_t)mesh->vertexCount, sizeof(double));
    double *offDiagonal = calloc((size_t)mesh->pairCount, sizeof(double));
    meshConsistentMass(mesh, density, thickness, diagonal, offDiagonal);
    double sum = 0;
    for (int v = 0; v < mesh->vertexCount; ++v)
        sum += diagonal[v] * value(mesh, f, v) * value(mesh, g, v);
    for (int i = 0; i < mesh->pairCount; ++i)
    {
        int a = mesh->pair[2 * i], b = mesh->pair[2 * i + 1];
        sum += offDiagonal[i] * (value(mesh, f, a) * value(mesh, g, b) + value(mesh, f, b) * value(mesh, g, a));
    }
    free(diagonal);
    free(offDiagonal);
    return sum;
}

// linear shape functions hold linear fields exactly, so f'Mg is the integral of rho f g, to rounding
static void checkMoments(vvMesh *mesh, double density, double thickness, const double *size, double mass)
{
    assert_non_null(mesh);
    const Linear one = { 1, { 0, 0, 0 } };
    CHECK_CLOSE(product(mesh, density, thickness, &one, &one), mass, 1e-13);
    for (int i = 0; i < 3; ++i)
    {
        Linear f = { 0.3, { 0, 0, 0 } };
        f.b[i] = 1;
        CHECK_NEAR(product(mesh, density, thickness, &f, &one), 0.3 * mass, 1e-13 * mass);
        for (int j = 0; j < 3; ++j)
        {
            Linear g = { 0, { 0, 0, 0 } };
            g.b[j] = 2;
            double want = i == j ? 2 * mass * size[i] * size[i] / 12 : 0;
            CHECK_NEAR(product(mesh, density, thickness, &f, &g), want, 1e-13 * mass);
        }
    }
    vvDestroyMesh(mesh);
}

static void testConsistentMoments(void **state)
{
    (void)state;
    const double box[3] = { 1, 2, 3 }, sheet[3] = { 2, 0, 3 }, rope[3] = { 5, 0, 0 };
    checkMoments(vvCreateBoxMesh((vvVec3){ 1, 2, 3 }, 1, 1, 1), 700, 0, box, 4200);
    checkMoments(vvCreateBoxMesh((vvVec3){ 1, 2, 3 }, 3, 4, 5), 700, 0, box, 4200);
    checkMoments(vvCreateSheetMesh(2, 3, 5, 4), 700, 0.01, sheet, 42);
    checkMoments(vvCreateRopeMesh(5, 7), 700, 0.02, rope, 700 * PI * 1e-4 * 5);
}

// each row of the consistent matrix sums to the lumped mass
static void testRowSums(void **state)
{
    (void)state;
    vvMesh *mesh = vvCreateTorusMesh(3, 1, 2, 9);
    double *mass = lumped(mesh, 1000, 0);
    double *row = calloc((size_t)mesh->vertexCount, sizeof(double));
    double *offDiagonal = calloc((size_t)mesh->pairCount, sizeof(double));
    meshConsistentMass(mesh, 1000, 0, row, offDiagonal);
    for (int i = 0; i < mesh->pairCount; ++i)
    {
        row[mesh->pair[2 * i]] += offDiagonal[i];
        row[mesh->pair[2 * i + 1]] += offDiagonal[i];
    }
    for (int v = 0; v < mesh->vertexCount; ++v)
        CHECK_CLOSE(row[v], mass[v], 1e-13);
    free(mass);
    free(row);
    free(offDiagonal);
    vvDestroyMesh(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testSpinningCube),
        cmocka_unit_test(testTotals),
        cmocka_unit_test(testConsistentMoments),
        cmocka_unit_test(testRowSums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
