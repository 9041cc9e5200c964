// The pieces of contact between bodies: the tree finds what a search of every triangle finds, and the energy of a pair
// has the derivatives it says.
#include "check.h"

#include "contact/soft.h"
#include "mesh/mesh.h"

#include <stdlib.h>

// ---- the tree -------------------------------------------------------------------------------------------------------

typedef struct Fixture
{
    Memory memory;
    vvMesh *mesh;
    ContactBody *surface;
    CollisionMesh *collisionMesh;
    double *x;
} Fixture;

static Fixture makeFixture(vvMesh *mesh, bool closed)
{
    Fixture f = { .mesh = mesh, .memory = memoryMake(NULL) };
    int *vertex = malloc((size_t)mesh->vertexCount * sizeof(int));
    double *area = malloc((size_t)mesh->vertexCount * sizeof(double));
    for (int v = 0; v < mesh->vertexCount; ++v)
    {
        vertex[v] = v;
        area[v] = 1;
    }
    f.surface = contactBodyCreate(&f.memory, mesh->vertexCount, vertex, area);
    free(vertex);
    free(area);
    f.collisionMesh =
        collisionMeshCreate(&f.memory, f.surface, mesh->vertexCount, mesh->surfaceCount, mesh->surface, mesh->point);
    assert_non_null(f.collisionMesh);
    f.collisionMesh->closed = closed;
    f.x = malloc(3 * (size_t)mesh->vertexCount * sizeof(double));
    memcpy(f.x, mesh->point, 3 * (size_t)mesh->vertexCount * sizeof(double));
    f.collisionMesh->x = f.x;
    return f;
}

static void freeFixture(Fixture *f)
{
    collisionMeshDestroy(&f->memory, f->collisionMesh);
    contactBodyDestroy(&f->memory, f->surface);
    assert_int_equal(f->memory.blocks, 0);
    vvDestroyMesh(f->mesh);
    free(f->x);
}

static double nearestOfAll(const Fixture *f, Vec3 point)
{
    double least = INFINITY;
    for (int t = 0; t < f->mesh->surfaceCount; ++t)
    {
        double corners[9];
        for (int k = 0; k < 9; ++k)
            corners[k] = f->x[3 * f->mesh->surface[3 * t + k / 3] + k % 3];
        Region region;
        least = fmin(least, vecLength(vecSub(point, triangleNearest(corners, point, &region))));
    }
    return least;
}

static void tree_finds_the_nearest_triangle_of_a_deformed_skin(void **state)
{
    (void)state;
    Fixture f = makeFixture(vvCreateSphereMesh(1, 4), true);
    TestRandom random = { 7 };
    for (int i = 0; i < 3 * f.mesh->vertexCount; ++i)
        f.x[i] = f.x[i] * (i % 3 == 1 ? 1.7 : 0.8) + randomBetween(&random, -0.01, 0.01);
    collisionMeshRefit(f.collisionMesh);
    CollisionQuery query = { .collisionMesh = f.collisionMesh, .self = -1, .most = 1 };
    for (int i = 0; i < 500; ++i)
    {
        Vec3 p = vec3(randomBetween(&random, -1, 1), randomBetween(&random, -1, 1), randomBetween(&random, -1, 1));
        CollisionHit hit;
        double want = nearestOfAll(&f, p);
        assert_int_equal(collisionMeshNearest(&query, p, 10, &hit), 1);
        CHECK_NEAR(hit.distance, want, 1e-14);
        assert_int_equal(collisionMeshNearest(&query, p, 0.99 * want, &hit), 0);
        // the shares make the point
        Vec3 sum = vec3(0, 0, 0);
        for (int k = 0; k < 3; ++k)
            sum = vecAdd(sum, vecScale(hit.share[k], vecLoad(f.x + 3 * f.mesh->surface[3 * hit.triangle + k])));
        CHECK_NEAR(vecLength(vecSub(sum, hit.point)), 0, 1e-12);
    }
    freeFixture(&f);
}

// the side is right everywhere, next to edges and corners too, where single triangles see the point from behind
static void tree_knows_inside_from_outside(void **state)
{
    (void)state;
    Fixture f = makeFixture(vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 3, 3, 3), true);
    collisionMeshRefit(f.collisionMesh);
    CollisionQuery query = { .collisionMesh = f.collisionMesh, .self = -1, .most = 1 };
    TestRandom random = { 3 };
    for (int i = 0; i < 2000; ++i)
    {
        Vec3 p = vec3(randomBetween(&random, -0.6, 0.6), randomBetween(&random, -0.6, 0.6),
                      randomBetween(&random, -0.6, 0.6));
        CollisionHit hit;
        assert_int_equal(collisionMeshNearest(&query, p, 10, &hit), 1);
        bool inside = fabs(p.x) < 0.5 && fabs(p.y) < 0.5 && fabs(p.z) < 0.5;
        assert_int_equal(vecDot(hit.direction, hit.face) < 0, inside);
    }
    freeFixture(&f);
}

static void tree_leaves_out_what_is_near_at_rest(void **state)
{
    (void)state;
    Fixture f = makeFixture(vvCreateSheetMesh(1, 1, 10, 10), false);
    collisionMeshRefit(f.collisionMesh);
    // from a vertex of the flat sheet everything within 0.2 m is its own surroundings
    CollisionQuery query = { .collisionMesh = f.collisionMesh, .self = 60, .apart = 0.2, .most = 1 };
    CollisionHit hit;
    Vec3 p = vecLoad(f.x + 3 * 60);
    assert_int_equal(collisionMeshNearest(&query, p, 0.19, &hit), 0);
    assert_int_equal(collisionMeshNearest(&query, p, 10, &hit), 1);
    CHECK_NEAR(hit.distance, 0.2, 1e-9);
    freeFixture(&f);
}

// ---- the energy -----------------------------------------------------------------------------------------------------

#define CORNERS 8 // two elements

static Energy *makePairs(Memory *memory, Pairs *pairs, PairContact *pairContacts, const double *x, bool mean)
{
    const int vertex[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    Recipe recipe = { 0 };
    Energy *energy = energyCreate(memory, &pairKind, CORNERS, 2, vertex, &recipe);
    assert_non_null(energy);
    energy->context = pairs;
    energyReindex(energy, 2, vertex);
    for (int e = 0; e < 2; ++e)
        pairLoad(energy, e, &pairContacts[e], x);
    energy->fraction = mean ? 0.5 : 1;
    energy->mean = mean;
    return energy;
}

// one that sticks and one that slips; both press
static void makePairContacts(PairContact *pairContacts, double *x, TestRandom *random)
{
    for (int i = 0; i < 3 * CORNERS; ++i)
        x[i] = randomBetween(random, -1, 1);
    for (int e = 0; e < 2; ++e)
    {
        Vec3 n = vec3(randomBetween(random, -1, 1), randomBetween(random, -1, 1), 1.5);
        n = vecScale(1 / vecLength(n), n);
        Vec3 u = vecCross(n, vec3(randomBetween(random, -0.3, 0.3), 0.2, 0.1));
        pairContacts[e] = (PairContact){
            .share = { 0.2, 0.5, 0.3 }, .weight = 100 + 50 * e, .friction = 0.5, .force = e == 0 ? 1000 : 10, .other = 0
        };
        vecStore(pairContacts[e].normal, n);
        vecStore(pairContacts[e].offset, u);
        Vec3 corner[3] = { vecLoad(x + 12 * e + 3), vecLoad(x + 12 * e + 6), vecLoad(x + 12 * e + 9) };
        pairContacts[e].radius = pairContactDistance(&pairContacts[e], vecLoad(x + 12 * e), corner) + 0.3;
    }
}

static void pair_has_the_derivatives_it_says(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    TestRandom random = { 11 };
    PairContact pairContacts[2], *slots[2];
    Pairs pairs = { .capacity = 2, .pairContact = slots };
    for (int trial = 0; trial < 20; ++trial)
    {
        double x[3 * CORNERS], d[3 * CORNERS], g[3 * CORNERS] = { 0 }, hd[3 * CORNERS] = { 0 };
        makePairContacts(pairContacts, x, &random);
        Energy *energy = makePairs(&memory, &pairs, pairContacts, x, trial % 2 == 1);
        for (int i = 0; i < 3 * CORNERS; ++i)
        {
            x[i] += randomBetween(&random, -0.02, 0.02);
            d[i] = randomBetween(&random, -1, 1);
        }
        energyAddGradient(energy, x, g);
        energyAddHessianTimes(energy, x, HESSIAN_EXACT, d, hd);
        double h = 1e-6, ahead[3 * CORNERS], behind[3 * CORNERS], ga[3 * CORNERS] = { 0 }, gb[3 * CORNERS] = { 0 };
        double slope = 0;
        for (int i = 0; i < 3 * CORNERS; ++i)
        {
            ahead[i] = x[i] + h * d[i];
            behind[i] = x[i] - h * d[i];
            slope += g[i] * d[i];
        }
        // central differences: errors of h^2, and rounding of 1e-16 / h
        CHECK_NEAR((energyValue(energy, ahead) - energyValue(energy, behind)) / (2 * h), slope, 1e-6);
        energyAddGradient(energy, ahead, ga);
        energyAddGradient(energy, behind, gb);
        for (int i = 0; i < 3 * CORNERS; ++i)
            CHECK_NEAR((ga[i] - gb[i]) / (2 * h), hd[i], 1e-4);
        // along a line
        energyLineStart(energy, x, d);
        CHECK_NEAR(energyLineValue(energy, h), energyValue(energy, ahead), 1e-12);
        // the forces on the four corners sum to zero
        for (int e = 0; e < 2; ++e)
        {
            for (int a = 0; a < 3; ++a)
                CHECK_NEAR(g[12 * e + a] + g[12 * e + 3 + a] + g[12 * e + 6 + a] + g[12 * e + 9 + a], 0, 1e-12);
        }
        energyDestroy(energy);
    }
    assert_int_equal(memory.blocks, 0);
}

// d^T (majorizer - Hessian) d >= 0 and d^T Hessian d >= 0: local/global may rely on it
static void pair_lies_below_its_majorizer(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    TestRandom random = { 5 };
    PairContact pairContacts[2], *slots[2];
    Pairs pairs = { .capacity = 2, .pairContact = slots };
    for (int trial = 0; trial < 200; ++trial)
    {
        double x[3 * CORNERS], d[3 * CORNERS], hd[3 * CORNERS] = { 0 }, md[3 * CORNERS] = { 0 }, h = 0, m = 0;
        makePairContacts(pairContacts, x, &random);
        Energy *energy = makePairs(&memory, &pairs, pairContacts, x, trial % 2 == 1);
        for (int i = 0; i < 3 * CORNERS; ++i)
        {
            x[i] += randomBetween(&random, -0.5, 0.5);
            d[i] = randomBetween(&random, -1, 1);
        }
        energyAddHessianTimes(energy, x, HESSIAN_SEMIDEFINITE, d, hd);
        energyAddMajorizerTimes(energy, d, md);
        for (int i = 0; i < 3 * CORNERS; ++i)
        {
            h += d[i] * hd[i];
            m += d[i] * md[i];
        }
        assert_true(h >= -1e-9);
        CHECK_BELOW(h, m + 1e-9);
        energyDestroy(energy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_finds_the_nearest_triangle_of_a_deformed_skin),
        cmocka_unit_test(tree_knows_inside_from_outside),
        cmocka_unit_test(tree_leaves_out_what_is_near_at_rest),
        cmocka_unit_test(pair_has_the_derivatives_it_says),
        cmocka_unit_test(pair_lies_below_its_majorizer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
