// Cages that meet colliders by the surface they carry (vvSoftBodyDef.contactSurface).
#include "contact/ground.h"
#include "mesh/surfaces.h"

#define RADIUS 0.1 // m

typedef struct Caged
{
    vvWorldId world;
    vvSoftBodyId body;
    vvMesh *mesh;
    vvColliderId floor;
} Caged;

static vvMesh *cageMesh(void)
{
    Soup soup = { 0 };
    soupBall(&soup, vec3(0, 0, 0), RADIUS, 12);
    vvMeshDef surface = soupDef(&soup);
    vvSolidDef solid = vvDefaultSolidDef();
    solid.kind = VV_SOLID_CAGE;
    solid.cells = 3;
    vvResult result;
    vvMesh *mesh = vvCreateSolidMesh(&surface, &solid, NULL, &result);
    CHECK_OK(result);
    soupFree(&soup);
    return mesh;
}

static Caged cagedMake(const char *method, int points, vvVec3 gravity, double height, int threads)
{
    Caged c = { .mesh = cageMesh() };
    vvWorldDef worldDef = vvDefaultWorldDef();
    vvResult result;
    worldDef.method = method;
    worldDef.gravity = gravity;
    worldDef.threads = threads;
    c.world = vvCreateWorld(&worldDef, &result);
    CHECK_OK(result);
    c.floor = makeCollider(c.world, planeShape(), vvDefaultColliderDef());
    vvSoftBodyDef def = elasticDef(1000, 2e4, 0.3);
    def.position.y = height;
    def.damping.rigidPreserving = 20;
    def.contactSurface = points;
    def.contactStiffness = 1e8;
    def.mesh = c.mesh;
    c.body = vvCreateSoftBody(c.world, &def, &result);
    CHECK_OK(result);
    return c;
}

static void cagedFree(Caged *c)
{
    vvDestroyWorld(c->world);
    vvDestroyMesh(c->mesh);
}

// of the carried surface, m
static double lowest(const Caged *c)
{
    const vvEmbedding *surface = vvMesh_GetEmbedding(c->mesh);
    int count = vvEmbedding_GetPointCount(surface);
    double *points = malloc(3 * (size_t)count * sizeof(double)), low = 1e300;
    CHECK_OK(vvEmbedding_GetPositions(surface, vvSoftBody_GetPositions(c->body), points));
    for (int i = 0; i < count; ++i)
        low = fmin(low, points[3 * i + 1]);
    free(points);
    return low;
}

// all points: the surface rests at the plane; the cage alone lets it stand elsewhere
static void surfacesRestAtThePlane(void **state)
{
    (void)state;
    static const char *const methods[] = { "small-midpoint", "implicit-midpoint", "small-steps" };
    for (int m = 0; m < 3; ++m)
    {
        double low[2];
        for (int k = 0; k < 2; ++k)
        {
            Caged c = cagedMake(methods[m], k * VV_MAX_CONTACT_SURFACE, (vvVec3){ 0, -9.81, 0 }, 1.2 * RADIUS, 1);
            for (int n = 0; n < 120; ++n)
                CHECK_OK(vvWorld_Step(c.world, 1.0 / 60));
            low[k] = lowest(&c);
            vvLedger ledger = vvWorld_GetLedger(c.world);
            print_message("%s, %s: the surface is %.2e m above the plane, numerical %.2e J of %.3f J\n", methods[m],
                          k ? "by the surface" : "by the cage", low[k], ledger.numerical, ledger.dissipated);
            CHECK_BELOW(ledger.numerical, 1e-3);
            cagedFree(&c);
        }
        CHECK_NEAR(low[1], 0, m == 1 ? 6e-4 : 1e-4); // a potential yields: weight / (stiffness x area)
        assert_true(fabs(low[0]) > 3 * fabs(low[1]));
    }
}

static double distanceTo(const double *points, int count, vvVec3 at)
{
    double nearest = 1e300;
    for (int p = 0; p < count; ++p)
    {
        const double *x = points + 3 * p;
        nearest = fmin(nearest, hypot(hypot(x[0] - at.x, x[1] - at.y), x[2] - at.z));
    }
    return nearest;
}

// what contact tells at rest: points of the surface as the embedding has them, and forces that carry the weight
static void forcesCarryTheWeight(void **state)
{
    (void)state;
    Caged c = cagedMake("small-midpoint", VV_MAX_CONTACT_SURFACE, (vvVec3){ 0, -9.81, 0 }, RADIUS, 1);
    const vvEmbedding *surface = vvMesh_GetEmbedding(c.mesh);
    int count = vvEmbedding_GetPointCount(surface);
    double *points = malloc(3 * (size_t)count * sizeof(double)), mass = 0;
    for (int v = 0; v < vvSoftBody_GetVertexCount(c.body); ++v)
        mass += vvSoftBody_GetMasses(c.body)[v];
    vvContact contacts[256];
    int found = 0;
    vvVec3 sum = { 0, 0, 0 };
    for (int n = 0; n < 180; ++n)
    {
        CHECK_OK(vvWorld_Step(c.world, 1.0 / 60));
        found = vvWorld_GetContacts(c.world, contacts, 256);
        CHECK_OK(vvEmbedding_GetPositions(surface, vvSoftBody_GetPositions(c.body), points));
        for (int i = 0; i < found && n >= 60; ++i) // the mean of two seconds
        {
            CHECK_BELOW(distanceTo(points, count, contacts[i].point), 1e-12);
            sum.x += contacts[i].force.x / 120;
            sum.y += contacts[i].force.y / 120;
            sum.z += contacts[i].force.z / 120;
        }
    }
    assert_true(found > 2 && found <= 256);
    print_message("%d points carry %.6f N of %.6f N, across %.1e N\n", found, sum.y, mass * 9.81, hypot(sum.x, sum.z));
    CHECK_CLOSE(sum.y, mass * 9.81, 0.01);
    CHECK_BELOW(hypot(sum.x, sum.z), 5e-3 * mass * 9.81);
    free(points);
    cagedFree(&c);
}

// few points are spread: none of the surface is deeper than the arc between two of them
static void fewPointsAreSpread(void **state)
{
    (void)state;
    static const int points[] = { 30, 100, 300 };
    double deep[3];
    for (int k = 0; k < 3; ++k)
    {
        Caged c = cagedMake("small-midpoint", points[k], (vvVec3){ 0, -9.81, 0 }, 1.05 * RADIUS, 1);
        for (int n = 0; n < 120; ++n)
            CHECK_OK(vvWorld_Step(c.world, 1.0 / 60));
        deep[k] = -lowest(&c);
        print_message("%d points: %.2e m deep\n", points[k], deep[k]);
        // n farthest points leave no spot of a sphere more than about 3 / sqrt(n) radii from one: caps of 4.5 / n radii
        CHECK_BELOW(deep[k], RADIUS * 4.5 / points[k]);
        cagedFree(&c);
    }
}

static void bitsAreKept(void **state)
{
    (void)state;
    uint64_t want = 0;
    for (int threads = 1; threads <= 7; threads += 3)
    {
        Caged c = cagedMake("small-midpoint", 200, (vvVec3){ 1, -9.81, 0 }, 1.2 * RADIUS, threads);
        for (int n = 0; n < 30; ++n)
            CHECK_OK(vvWorld_Step(c.world, 1.0 / 60));
        uint64_t hash = vvWorld_GetHash(c.world);
        want = threads == 1 ? hash : want;
        assert_true(hash == want);
        cagedFree(&c);
    }
}

static void mistakesAreNamed(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
    vvMesh *cage = cageMesh(), *box = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1);
    struct
    {
        vvMesh *mesh;
        int surface, samples;
        const char *word;
    } cases[] = { { box, 10, 0, "carries no surface" },
                  { cage, -1, 0, "contactSurface is -1" },
                  { cage, VV_MAX_CONTACT_SURFACE + 1, 0, "must be 0 to" },
                  { cage, 10, 2, "must not be both" } };
    for (int i = 0; i < 4; ++i)
    {
        vvSoftBodyDef def = elasticDef(1000, 1e4, 0.3);
        vvResult result;
        def.mesh = cases[i].mesh;
        def.contactSurface = cases[i].surface;
        def.contactSamples = cases[i].samples;
        assert_false(vvSoftBody_IsValid(vvCreateSoftBody(world, &def, &result)));
        assert_non_null(strstr(result.message, cases[i].word));
    }
    vvDestroyMesh(cage);
    vvDestroyMesh(box);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfacesRestAtThePlane), cmocka_unit_test(forcesCarryTheWeight),
        cmocka_unit_test(fewPointsAreSpread),     cmocka_unit_test(bitsAreKept),
        cmocka_unit_test(mistakesAreNamed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
