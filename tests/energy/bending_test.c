// Bending by mean curvature against closed forms: a cylinder, on regular and irregular sheets.
#include "check.h"
#include "energy/energy.h"
#include "mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

#define YOUNG 1e6
#define POISSON 0.3
#define THICKNESS 0.01

typedef struct Sheet
{
    Memory memory;
    vvMesh *mesh;
    Energy *energy;
} Sheet;

// a sheet of 1 m x 1 m in the xz plane; `shift` moves inner vertices by this share of a cell
static vvMesh *makeMesh(int cells, double shift)
{
    vvMesh *plain = vvCreateSheetMesh(1, 1, cells, cells);
    assert_non_null(plain);
    int count = vvMesh_GetVertexCount(plain);
    double *points = malloc((size_t)count * 3 * sizeof(double));
    memcpy(points, vvMesh_GetPoints(plain), (size_t)count * 3 * sizeof(double));
    TestRandom numbers = { 5 };
    for (int v = 0; v < count; ++v)
    {
        for (int a = 0; a < 3; a += 2)
        {
            double move = randomBetween(&numbers, -shift, shift) / cells;
            if (fabs(points[3 * v]) < 0.499 && fabs(points[3 * v + 2]) < 0.499)
                points[3 * v + a] += move;
        }
    }
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = count;
    def.triangles = vvMesh_GetSurface(plain);
    def.triangleCount = vvMesh_GetSurfaceCount(plain);
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    free(points);
    vvDestroyMesh(plain);
    return mesh;
}

// rings of all inner vertices, on the kind with room for them all
static void makeSheet(Sheet *out, int cells, double shift)
{
    *out = (Sheet){ .memory = memoryMake(NULL), .mesh = makeMesh(cells, shift) };
    MeshRings rings;
    assert_true(meshRings(out->mesh, &out->memory, &rings));
    int *corner = calloc((size_t)out->mesh->vertexCount * MAX_CORNERS, sizeof(int)), count = 0;
    for (int v = 0; v < out->mesh->vertexCount; ++v)
    {
        int valence = rings.start[v + 1] - rings.start[v];
        for (int c = 0; c < MAX_CORNERS && valence > 0; ++c)
            corner[count * MAX_CORNERS + c] = c > 0 && c <= valence ? rings.neighbour[rings.start[v] + c - 1] : v;
        count += valence > 0;
    }
    assert_int_equal(count, (cells - 1) * (cells - 1)); // all but the rim
    Recipe recipe = { .rest = out->mesh->point, .young = YOUNG, .poisson = POISSON, .thickness = THICKNESS };
    out->energy = energyCreate(&out->memory, &wideBendingKind, out->mesh->vertexCount, count, corner, &recipe);
    assert_non_null(out->energy);
    free(corner);
    meshRingsRelease(&out->memory, &rings);
}

static void destroySheet(Sheet *sheet)
{
    energyDestroy(sheet->energy);
    vvDestroyMesh(sheet->mesh);
    assert_int_equal(sheet->memory.blocks, 0);
}

static double plate(void)
{
    return YOUNG * THICKNESS * THICKNESS * THICKNESS / (12 * (1 - POISSON * POISSON));
}

// rolled on a cylinder of this radius, about an axis in the sheet at an angle: lengths on the surface are kept
static void roll(const vvMesh *mesh, double radius, double angle, double *x)
{
    double c = cos(angle), s = sin(angle);
    for (int v = 0; v < mesh->vertexCount; ++v)
    {
        const double *p = mesh->point + 3 * v;
        double across = c * p[0] + s * p[2], along = c * p[2] - s * p[0];
        vecStore(x + 3 * v, vec3(radius * sin(across / radius), radius * (cos(across / radius) - 1), along));
    }
}

// J over the area that the elements stand for
static double density(Sheet *sheet, const double *x)
{
    double area = 0;
    for (int e = 0; e < sheet->energy->elementCount; ++e)
        area += energyGetParam(sheet->energy, e, 0) / plate();
    return energyValue(sheet->energy, x) / area;
}

static void cylinderHasTheEnergyOfAPlate(void **state)
{
    (void)state;
    static const double shifts[] = { 0, 0.2 }, angles[] = { 0, 0.5, 0.785398 };
    for (int k = 0; k < 6; ++k)
    {
        Sheet sheet;
        makeSheet(&sheet, 20, shifts[k / 3]);
        double *x = malloc((size_t)sheet.mesh->vertexCount * 3 * sizeof(double)), radius = 0.8;
        roll(sheet.mesh, radius, angles[k % 3], x);
        double want = 0.5 * plate() / (radius * radius);
        // regular: second differences, (cell / radius)^2 / 12 = 3e-4. Irregular triangles sample the curvature with
        // scatter: cotangent Laplacians converge in the mean only
        CHECK_CLOSE(density(&sheet, x), want, k < 3 ? 0.002 : 0.12);
        free(x);
        destroySheet(&sheet);
    }
}

static void stiffnessIsLinearInBAndSquareInCurvature(void **state)
{
    (void)state;
    Sheet sheet;
    makeSheet(&sheet, 12, 0.1);
    double *x = malloc((size_t)sheet.mesh->vertexCount * 3 * sizeof(double));
    roll(sheet.mesh, 4, 0.3, x);
    double gentle = density(&sheet, x);
    roll(sheet.mesh, 2, 0.3, x);
    CHECK_CLOSE(density(&sheet, x) / gentle, 4, 1e-3); // the next term is (cell / radius)^2 / 12
    free(x);
    destroySheet(&sheet);
}

// areas of the ring add up to what the sheet has: obtuse triangles do not make them negative or double
static void areasAddUp(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k)
    {
        int cells = 16;
        Sheet sheet;
        makeSheet(&sheet, cells, 0.45 * k);
        double area = 0, inner = (cells - 1.0) * (cells - 1.0) / cells / cells;
        for (int e = 0; e < sheet.energy->elementCount; ++e)
        {
            double own = energyGetParam(sheet.energy, e, 0) / plate();
            assert_true(own > 0);
            area += own;
        }
        CHECK_CLOSE(area, inner, k == 0 ? 1e-12 : 0.02); // with shifts, rim cells take or give a little
        destroySheet(&sheet);
    }
}

// a curved rest shape keeps its curvature: flattened, its energy is that of the curvature it lost
static void curvedRestResistsFlattening(void **state)
{
    (void)state;
    Sheet sheet;
    makeSheet(&sheet, 20, 0);
    double *curved = malloc((size_t)sheet.mesh->vertexCount * 3 * sizeof(double)), radius = 0.8;
    roll(sheet.mesh, radius, 0, curved);
    int corner[MAX_CORNERS];
    for (int c = 0; c < MAX_CORNERS; ++c)
        corner[c] = laneVertices(sheet.energy, 5)[c * LANES + 2];
    Recipe recipe = { .rest = curved, .young = YOUNG, .poisson = POISSON, .thickness = THICKNESS };
    Energy *energy = energyCreate(&sheet.memory, &wideBendingKind, sheet.mesh->vertexCount, 1, corner, &recipe);
    CHECK_CLOSE(energyGetParam(energy, 0, 1), 1 / radius, 0.002);
    double area = energyGetParam(energy, 0, 0) / plate();
    CHECK_CLOSE(energyValue(energy, sheet.mesh->point), 0.5 * plate() * area / radius / radius, 0.005);
    CHECK_BELOW(energyValue(energy, curved), 1e-20);
    energyDestroy(energy);
    free(curved);
    destroySheet(&sheet);
}

// ---- the damper of rings --------------------------------------------------------------------------------------------

#define RING 7

// a vertex with six neighbours, on a paraboloid of this curvature
static void ringPoints(TestRandom *random, double curvature, double *x)
{
    for (int c = 0; c < RING; ++c)
    {
        double angle = 1.0471975511965976 * c, size = c > 0 ? randomBetween(random, 0.7, 1.3) : 0;
        double y = 0.5 * curvature * size * size;
        vecStore(x + 3 * c, vec3(size * cos(angle), y, size * sin(angle)));
    }
}

static Energy *ringEnergy(Memory *memory, const EnergyKind *kind, const double *rest, double strength)
{
    static const int corner[9] = { 0, 1, 2, 3, 4, 5, 6, 0, 0 };
    Recipe recipe = { .rest = rest, .strength = &strength, .young = YOUNG, .poisson = POISSON, .thickness = THICKNESS };
    Energy *energy = energyCreate(memory, kind, RING, 1, corner, &recipe);
    assert_non_null(energy);
    return energy;
}

// beta times the Hessian at rest: of a plane for velocities across it, of curved rings for all
static void ringsAreDampedByTheirHessian(void **state)
{
    (void)state;
    TestRandom random = { 5 };
    for (int trial = 0; trial < 20; ++trial)
    {
        Memory memory = memoryMake(NULL);
        bool flat = trial % 2 == 0;
        double rest[3 * RING], v[3 * RING], force[3 * RING] = { 0 }, want[3 * RING] = { 0 }, beta = 0.02;
        ringPoints(&random, flat ? 0 : 0.4, rest);
        for (int i = 0; i < 3 * RING; ++i)
            v[i] = flat && i % 3 != 1 ? 0 : randomBetween(&random, -1, 1);
        Energy *energy = ringEnergy(&memory, &bendingKind, rest, 1);
        Energy *damper = ringEnergy(&memory, &bendingDamperKind, rest, beta);
        energyAddGradient(damper, v, force);
        energyAddHessianTimes(energy, rest, HESSIAN_EXACT, v, want);
        for (int i = 0; i < 3 * RING; ++i)
            CHECK_NEAR(force[i], beta * want[i], 1e-12 * beta * largestMagnitude(want, 3 * RING));
        energyDestroy(energy);
        energyDestroy(damper);
        assert_int_equal(memory.blocks, 0);
    }
}

// frozen at any shape, folded and torn ones among them: no force against rigid motion, no force or moment ever, never
// above the majorizer
static void ringDampersLeaveRigidMotionAndMomentaAlone(void **state)
{
    (void)state;
    TestRandom random = { 6 };
    for (int trial = 0; trial < 200; ++trial)
    {
        Memory memory = memoryMake(NULL);
        double rest[3 * RING], x[3 * RING], v[3 * RING], turning[3 * RING], force[3 * RING] = { 0 };
        double none[3 * RING] = { 0 }, bound[3 * RING] = { 0 }, quadratic = 0, most = 0, off = trial < 100 ? 0.3 : 2;
        ringPoints(&random, trial % 2 ? 0.4 : 0, rest);
        Energy *damper = ringEnergy(&memory, &bendingDamperKind, rest, 3);
        for (int i = 0; i < 3 * RING; ++i)
        {
            x[i] = rest[i] + randomBetween(&random, -off, off);
            v[i] = randomBetween(&random, -1, 1);
        }
        for (int c = 0; c < RING; ++c)
            vecStore(turning + 3 * c, vecAdd(vec3(3, 1, -2), vecCross(vec3(1.5, -2, 0.7), vecLoad(x + 3 * c))));
        damper->kind->freeze(damper, x, 0, damper->blockCount);
        energyAddGradient(damper, v, force);
        energyAddGradient(damper, turning, none);
        energyAddMajorizerTimes(damper, v, bound);
        double size = largestMagnitude(bound, 3 * RING);
        CHECK_BELOW(largestMagnitude(none, 3 * RING), 1e-12 * size);
        Vec3 sum = vec3(0, 0, 0), moment = vec3(0, 0, 0);
        for (int c = 0; c < RING; ++c)
        {
            sum = vecAdd(sum, vecLoad(force + 3 * c));
            moment = vecAdd(moment, vecCross(vecLoad(x + 3 * c), vecLoad(force + 3 * c)));
        }
        CHECK_BELOW(vecLength(sum), 1e-13 * size);
        CHECK_BELOW(vecLength(moment), 1e-12 * size);
        for (int i = 0; i < 3 * RING; ++i)
        {
            quadratic += v[i] * force[i];
            most += v[i] * bound[i];
        }
        assert_true(quadratic > 0);
        CHECK_BELOW(quadratic, most * (1 + 1e-13));
        energyDestroy(damper);
        assert_int_equal(memory.blocks, 0);
    }
}

// ---- the angle at edges ---------------------------------------------------------------------------------------------

// a sheet of equilateral triangles
static vvMesh *makeEquilateral(int rows, double edge)
{
    int n = rows + 1, count = 0;
    double *points = calloc((size_t)(n * n) * 3, sizeof(double));
    int *triangles = calloc((size_t)(rows * rows) * 6, sizeof(int));
    for (int v = 0; v < n * n; ++v)
    {
        int i = v / n, j = v % n;
        vecStore(points + 3 * v,
                 vec3(edge * (j + 0.5 * (i % 2) - 0.5 * rows), 0, edge * sqrt(0.75) * (i - 0.5 * rows)));
    }
    for (int k = 0; k < rows * rows; ++k)
    {
        int a = k / rows * n + k % rows, odd = k / rows % 2;
        const int pair[2][6] = { { a, a + n, a + 1, a + 1, a + n, a + n + 1 },
                                 { a, a + n, a + n + 1, a, a + n + 1, a + 1 } };
        memcpy(triangles + 3 * count, pair[odd], sizeof pair[odd]);
        count += 2;
    }
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = n * n;
    def.triangles = triangles;
    def.triangleCount = count;
    vvMesh *mesh = vvCreateMesh(&def, NULL);
    assert_non_null(mesh);
    free(points);
    free(triangles);
    return mesh;
}

static void anglesGiveAPlateInEveryDirection(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    vvMesh *mesh = makeEquilateral(16, 0.05);
    int *hinge, count;
    assert_true(meshHinges(mesh, &memory, &hinge, &count));
    Recipe recipe = { .rest = mesh->point, .young = YOUNG, .poisson = POISSON, .thickness = THICKNESS };
    Energy *energy = energyCreate(&memory, &dihedralKind, mesh->vertexCount, count, hinge, &recipe);
    double *x = malloc((size_t)mesh->vertexCount * 3 * sizeof(double)), radius = 0.8;
    double area = count * 0.05 * 0.05 * sqrt(0.75) / 3; // a third of two triangles for every edge
    for (int k = 0; k < 4; ++k)
    {
        roll(mesh, radius, 0.4 * k, x);
        // the three kinds of edges are not equally many: the rim has more of one
        CHECK_CLOSE(energyValue(energy, x) / area, 0.5 * plate() / radius / radius, 0.06);
    }
    // it knows the side: a shell at rest on one has four times the energy on the other
    roll(mesh, radius, 0, x);
    recipe.rest = x;
    Energy *shell = energyCreate(&memory, &dihedralKind, mesh->vertexCount, count, hinge, &recipe);
    double flat = energyValue(shell, mesh->point), *other = malloc((size_t)mesh->vertexCount * 3 * sizeof(double));
    for (int i = 0; i < 3 * mesh->vertexCount; ++i)
        other[i] = i % 3 == 1 ? -x[i] : x[i];
    CHECK_CLOSE(energyValue(shell, other), 4 * flat, 0.01);
    energyDestroy(shell);
    energyDestroy(energy);
    memoryRelease(&memory, hinge);
    vvDestroyMesh(mesh);
    free(x);
    free(other);
    assert_int_equal(memory.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cylinderHasTheEnergyOfAPlate),
        cmocka_unit_test(stiffnessIsLinearInBAndSquareInCurvature),
        cmocka_unit_test(areasAddUp),
        cmocka_unit_test(curvedRestResistsFlattening),
        cmocka_unit_test(ringsAreDampedByTheirHessian),
        cmocka_unit_test(ringDampersLeaveRigidMotionAndMomentaAlone),
        cmocka_unit_test(anglesGiveAPlateInEveryDirection),
    };
    return cmocka_run_group_tests_name("bending", tests, NULL, NULL);
}
