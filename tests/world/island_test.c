// Islands: bodies joined by links are solved together and keep one set of books.
#include "check.h"
#include "methods.h"
#include "undamped.h"

#include <verve/verve.h>

#include <string.h>

#define DT (1.0 / 60.0)

// ---- scenes ---------------------------------------------------------------------------------------------------------

static vvWorldId makeWorld(const char *method, double gravity)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.gravity = (vvVec3){ 0, gravity, 0 };
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    assert_int_equal(result.code, VV_OK);
    return world;
}

// a box of jelly that tumbles, so that backward Euler has something to lose
static vvSoftBodyId makeBox(vvWorldId world, double x, vvVec3 spin)
{
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2);
    vvSoftBodyDef def = undampedDef();
    def.mesh = mesh;
    def.material = vvMaterial_Jelly();
    def.material.loss = 0;
    def.position = (vvVec3){ x, 0, 0 };
    def.spin = spin;
    vvResult result;
    vvSoftBodyId body = vvCreateSoftBody(world, &def, &result);
    assert_int_equal(result.code, VV_OK);
    vvDestroyMesh(mesh);
    return body;
}

static vvAttachmentId linkVertices(vvWorldId world, vvSoftBodyId a, int vertexA, vvSoftBodyId b, int vertexB,
                                   double restLength, double stiffness)
{
    vvAttachmentDef def = vvDefaultAttachmentDef();
    def.bodyA = a;
    def.vertexA = vertexA;
    def.bodyB = b;
    def.vertexB = vertexB;
    def.restLength = restLength;
    def.stiffness = stiffness;
    vvResult result;
    vvAttachmentId link = vvCreateAttachment(world, &def, &result);
    assert_int_equal(result.code, VV_OK);
    return link;
}

static void step(vvWorldId world, int count, double dt)
{
    for (int i = 0; i < count; ++i)
        assert_int_equal(vvWorld_Step(world, dt).code, VV_OK);
}

// J, the size of the numbers in a ledger: what rounding is measured by
static double scaleOf(const vvLedger *ledger)
{
    return ledger->kinetic + fabs(ledger->elastic) + fabs(ledger->gravity) + fabs(ledger->added) + 1e-3;
}

static void checkSum(vvWorldId world)
{
    vvLedger world1 = vvWorld_GetLedger(world), sum = { 0 };
    for (int i = 0; i < vvWorld_GetIslandCount(world); ++i)
    {
        vvLedger island = vvWorld_GetIslandLedger(world, i);
        CHECK_NEAR(island.total, island.kinetic + island.elastic + island.gravity + island.contact,
                   1e-12 * scaleOf(&island));
        CHECK_NEAR(island.numerical, island.total - island.target, 1e-12 * scaleOf(&island));
        sum.kinetic += island.kinetic;
        sum.elastic += island.elastic;
        sum.gravity += island.gravity;
        sum.added += island.added;
        sum.dissipated += island.dissipated;
        sum.total += island.total;
        sum.target += island.target;
        sum.numerical += island.numerical;
        sum.momentum.x += island.momentum.x;
        sum.angularMomentum.z += island.angularMomentum.z;
    }
    double rounding = 1e-12 * scaleOf(&world1);
    CHECK_NEAR(world1.kinetic, sum.kinetic, rounding);
    CHECK_NEAR(world1.elastic, sum.elastic, rounding);
    CHECK_NEAR(world1.gravity, sum.gravity, rounding);
    CHECK_NEAR(world1.added, sum.added, rounding);
    CHECK_NEAR(world1.dissipated, sum.dissipated, rounding);
    CHECK_NEAR(world1.total, sum.total, rounding);
    CHECK_NEAR(world1.target, sum.target, rounding);
    CHECK_NEAR(world1.numerical, sum.numerical, rounding);
    CHECK_NEAR(world1.momentum.x, sum.momentum.x, rounding);
    CHECK_NEAR(world1.angularMomentum.z, sum.angularMomentum.z, rounding);
}

// ---- the partition --------------------------------------------------------------------------------------------------

static void linksMergeAndSplit(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", 0);
    assert_int_equal(vvWorld_GetIslandCount(world), 0);
    vvSoftBodyId body[4];
    for (int i = 0; i < 4; ++i)
    {
        body[i] = makeBox(world, 2.0 * i, (vvVec3){ 0, 0, 0 });
        assert_int_equal(vvWorld_GetIslandCount(world), i + 1);
        assert_int_equal(vvSoftBody_GetIsland(body[i]), i);
    }
    vvAttachmentId high = linkVertices(world, body[3], 0, body[2], 26, 1, 100);
    assert_int_equal(vvWorld_GetIslandCount(world), 3);
    assert_int_equal(vvSoftBody_GetIsland(body[3]), vvSoftBody_GetIsland(body[2]));
    vvAttachmentId low = linkVertices(world, body[2], 0, body[0], 26, 1, 100);
    vvAttachmentId again = linkVertices(world, body[0], 25, body[2], 1, 1, 100);
    // islands are numbered by their first body
    const int merged[4] = { 0, 1, 0, 0 };
    for (int i = 0; i < 4; ++i)
        assert_int_equal(vvSoftBody_GetIsland(body[i]), merged[i]);
    assert_int_equal(vvWorld_GetStatistics(world).islandCount, 2);

    vvDestroyAttachment(low); // the second link still holds
    assert_int_equal(vvWorld_GetIslandCount(world), 2);
    vvDestroyAttachment(again);
    const int split[4] = { 0, 1, 2, 2 };
    for (int i = 0; i < 4; ++i)
        assert_int_equal(vvSoftBody_GetIsland(body[i]), split[i]);
    vvDestroyAttachment(high);
    assert_int_equal(vvWorld_GetIslandCount(world), 4);

    // an attachment to a point joins nothing
    vvAttachmentDef point = vvDefaultAttachmentDef();
    point.bodyA = body[1];
    assert_int_not_equal(vvCreateAttachment(world, &point, NULL).index1, 0);
    assert_int_equal(vvWorld_GetIslandCount(world), 4);

    // a body in the middle of a chain goes, and the chain with it
    linkVertices(world, body[0], 26, body[1], 0, 1, 100);
    linkVertices(world, body[1], 26, body[2], 0, 1, 100);
    assert_int_equal(vvWorld_GetIslandCount(world), 2);
    vvDestroySoftBody(body[1]);
    assert_int_equal(vvWorld_GetIslandCount(world), 3);
    assert_int_equal(vvWorld_GetStatistics(world).attachmentCount, 0);
    vvDestroyWorld(world);
}

// ---- books ----------------------------------------------------------------------------------------------------------

static void worldIsTheSumOfItsIslands(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("backward-euler", -9.81);
    vvSoftBodyId body[3];
    for (int i = 0; i < 3; ++i)
        body[i] = makeBox(world, 2.0 * i, (vvVec3){ i, 2, 1 });
    linkVertices(world, body[0], 26, body[2], 0, 1, 500);
    checkSum(world);
    step(world, 10, DT);
    checkSum(world);
    vvLedger outside = vvWorld_GetIslandLedger(world, 2), below = vvWorld_GetIslandLedger(world, -1);
    assert_true(outside.total == 0 && outside.target == 0 && below.total == 0);
    vvDestroyWorld(world);
}

// a newcomer takes nothing from the others and owes nothing
static void newBodyLeavesOtherBooksAlone(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("backward-euler", 0);
    makeBox(world, 0, (vvVec3){ 3, 2, 1 });
    step(world, 10, DT);
    vvLedger before = vvWorld_GetIslandLedger(world, 0);
    assert_true(before.numerical < -1e-3 * before.total); // it did lose something
    vvSoftBodyId second = makeBox(world, 5, (vvVec3){ 0, 1, 0 });
    vvLedger after = vvWorld_GetIslandLedger(world, 0);
    vvLedger newcomer = vvWorld_GetIslandLedger(world, vvSoftBody_GetIsland(second));
    assert_true(after.target == before.target && after.numerical == before.numerical);
    CHECK_NEAR(newcomer.numerical, 0, 1e-12 * scaleOf(&newcomer));
    vvDestroyWorld(world);
}

// whatever comes and goes, what the integrator lost so far stays in the books of those who remain
static void numericalIsContinuous(void **state)
{
    (void)state;
    const double starts[] = { 0, 2 }; // m, rest lengths of links that begin pulled or pushed
    for (int k = 0; k < 2; ++k)
    {
        for (int turned = 0; turned < 2; ++turned) // either end may be the first
        {
            vvWorldId world = makeWorld("backward-euler", -9.81);
            vvSoftBodyId body[4];
            for (int i = 0; i < 4; ++i)
                body[i] = makeBox(world, 1.5 * i, (vvVec3){ i, 2, 3 - i });
            step(world, 5, DT);
            vvAttachmentId link[3];
            for (int i = 0; i < 3; ++i)
            {
                vvLedger before = vvWorld_GetLedger(world);
                link[i] = linkVertices(world, body[turned ? i + 1 : i], turned ? 4 : 22, body[turned ? i : i + 1],
                                       turned ? 22 : 4, starts[k], 300);
                vvLedger after = vvWorld_GetLedger(world);
                CHECK_NEAR(after.numerical, before.numerical, 1e-9 * scaleOf(&after));
                CHECK_NEAR(after.target - before.target, after.elastic - before.elastic, 1e-9 * scaleOf(&after));
                CHECK_NEAR(after.added - before.added, after.elastic - before.elastic, 1e-9 * scaleOf(&after));
                assert_true(after.elastic > before.elastic + 1);
                step(world, 3, DT);
            }
            assert_int_equal(vvWorld_GetIslandCount(world), 1);
            for (int i = 0; i < 3; ++i)
            {
                int which = (i + 1) % 3; // the middle one first
                vvLedger before = vvWorld_GetLedger(world);
                vvDestroyAttachment(link[which]);
                vvLedger after = vvWorld_GetLedger(world);
                CHECK_NEAR(after.numerical, before.numerical, 1e-9 * scaleOf(&after));
                CHECK_NEAR(after.added - before.added, after.elastic - before.elastic, 1e-9 * scaleOf(&after));
                checkSum(world);
                step(world, 2, DT);
            }
            assert_int_equal(vvWorld_GetIslandCount(world), 4);
            for (int i = 0; i < 4; ++i)
            {
                // a body that goes takes its own energy and its own books, no more
                vvLedger before = vvWorld_GetLedger(world);
                vvLedger own = vvWorld_GetIslandLedger(world, vvSoftBody_GetIsland(body[i]));
                vvDestroySoftBody(body[i]);
                vvLedger after = vvWorld_GetLedger(world);
                CHECK_NEAR(after.total, before.total - own.total, 1e-9 * scaleOf(&before));
                CHECK_NEAR(after.target, before.target - own.target, 1e-9 * scaleOf(&before));
            }
            vvDestroyWorld(world);
        }
    }
}

// after energy flowed through a link, no body's own account means anything: what was lost is shared by mass
static void splitSharesTheLossByMass(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("backward-euler", 0);
    vvSoftBodyId a = makeBox(world, 0, (vvVec3){ 0, 2, 3 });
    vvSoftBodyId b = makeBox(world, 1.5, (vvVec3){ 0, 0, 0 });
    vvAttachmentId link = linkVertices(world, a, 22, b, 4, 0, 1e4);
    step(world, 10, DT);
    double lost = vvWorld_GetLedger(world).numerical;
    vvDestroyAttachment(link);
    vvLedger left = vvWorld_GetIslandLedger(world, 0), right = vvWorld_GetIslandLedger(world, 1);
    assert_true(lost < -1 && right.kinetic > 1);
    CHECK_NEAR(left.numerical, lost / 2, 1e-9 * scaleOf(&left));
    CHECK_NEAR(right.numerical, lost / 2, 1e-9 * scaleOf(&right));
    vvDestroyWorld(world);
}

// destroying a linked body is destroying its links, then the body
static void destructionTakesLinksFirst(void **state)
{
    (void)state;
    vvLedger ledger[2];
    for (int k = 0; k < 2; ++k)
    {
        vvWorldId world = makeWorld("backward-euler", 0);
        vvSoftBodyId body[3];
        vvAttachmentId link[2];
        for (int i = 0; i < 3; ++i)
            body[i] = makeBox(world, 1.5 * i, (vvVec3){ i, 2, 3 - i });
        for (int i = 0; i < 2; ++i)
            link[i] = linkVertices(world, body[i], 22, body[i + 1], 4, 0, 300);
        step(world, 5, DT);
        for (int i = 0; k == 1 && i < 2; ++i)
            vvDestroyAttachment(link[i]);
        vvDestroySoftBody(body[1]);
        assert_int_equal(vvWorld_GetIslandCount(world), 2);
        ledger[k] = vvWorld_GetLedger(world);
        step(world, 1, DT);
        vvDestroyWorld(world);
    }
    double rounding = 1e-9 * scaleOf(&ledger[0]);
    CHECK_NEAR(ledger[0].total, ledger[1].total, rounding);
    CHECK_NEAR(ledger[0].target, ledger[1].target, rounding);
    CHECK_NEAR(ledger[0].numerical, ledger[1].numerical, rounding);
}

// ---- conservation ---------------------------------------------------------------------------------------------------

static double length(vvVec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static vvVec3 subtract(vvVec3 a, vvVec3 b)
{
    return (vvVec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

// kg m/s, the sum of |m v|
static double motionOf(vvSoftBodyId body)
{
    const double *v = vvSoftBody_GetVelocities(body), *m = vvSoftBody_GetMasses(body);
    double sum = 0;
    for (int i = 0; i < vvSoftBody_GetVertexCount(body); ++i)
        sum += m[i] * length((vvVec3){ v[3 * i], v[3 * i + 1], v[3 * i + 2] });
    return sum;
}

static void linkedBoxesConserve(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", 0);
    vvSoftBodyId a = makeBox(world, 0, (vvVec3){ 0.2, 0.1, 0.3 });
    vvSoftBodyId b = makeBox(world, 1.5, (vvVec3){ 0, 0, 0 });
    linkVertices(world, a, 22, b, 4, 0.4, 2000); // 0.5 m apart: stretched
    vvLedger start = vvWorld_GetLedger(world);
    double scale = start.kinetic + start.elastic;
    for (int i = 0; i < 100; ++i)
    {
        step(world, 1, 0.0005);
        assert_true(vvWorld_GetStatistics(world).converged);
        vvLedger now = vvWorld_GetLedger(world);
        CHECK_NEAR(now.total, start.total, 1e-6 * scale);
        CHECK_NEAR(now.numerical, now.total - start.total, 1e-9 * scale);
        CHECK_BELOW(length(subtract(now.momentum, start.momentum)), 1e-9 * (motionOf(a) + motionOf(b)));
        CHECK_BELOW(length(subtract(now.angularMomentum, start.angularMomentum)), 1e-8 * length(start.angularMomentum));
    }
    // the spring did move something: the second box was at rest
    assert_true(motionOf(b) > 0.1);
    vvDestroyWorld(world);
}

// ---- the coupling is exact ------------------------------------------------------------------------------------------

#define POINTS 6 // of three ropes of one segment each

// springs 0-1, 2-3, 4-5 have mass; the two between are kinds without
static vvSoftBodyId makeWhole(vvWorldId world, double stiffness)
{
    double points[3 * POINTS] = { 0 };
    for (int i = 0; i < POINTS; ++i)
        points[3 * i] = i;
    const int edges[] = { 0, 1, 2, 3, 4, 5, 1, 2, 3, 4 };
    const int kinds[] = { VV_EDGE_STRUCTURAL, VV_EDGE_STRUCTURAL, VV_EDGE_STRUCTURAL, VV_EDGE_SKIP, VV_EDGE_SKIP };
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = POINTS;
    def.edges = edges;
    def.edgeKinds = kinds;
    def.edgeCount = 5;
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    assert_int_equal(result.code, VV_OK);
    vvSoftBodyDef bodyDef = undampedDef();
    bodyDef.mesh = mesh;
    bodyDef.material.thickness = 0.05;
    bodyDef.springStiffness[VV_EDGE_STRUCTURAL] = 800;
    bodyDef.springStiffness[VV_EDGE_SKIP] = stiffness;
    vvSoftBodyId body = vvCreateSoftBody(world, &bodyDef, &result);
    assert_int_equal(result.code, VV_OK);
    vvDestroyMesh(mesh);
    return body;
}

static void makeThirds(vvWorldId world, double stiffness, vvSoftBodyId body[3])
{
    vvMesh *mesh = vvCreateRopeMesh(1, 1);
    for (int i = 0; i < 3; ++i)
    {
        vvSoftBodyDef def = undampedDef();
        def.mesh = mesh;
        def.material.thickness = 0.05;
        def.springStiffness[VV_EDGE_STRUCTURAL] = 800;
        def.position = (vvVec3){ 0.5 + 2 * i, 0, 0 };
        body[i] = vvCreateSoftBody(world, &def, NULL);
        assert_true(vvSoftBody_IsValid(body[i]));
    }
    vvDestroyMesh(mesh);
    linkVertices(world, body[0], 1, body[1], 0, 1, stiffness);
    linkVertices(world, body[2], 0, body[1], 1, 1, stiffness);
}

// three ropes in a chain of links, against one body that holds the same springs inside
static void linksActLikeSpringsOfOneBody(void **state)
{
    (void)state;
    const double stiffness[] = { 50, 5e3, 1e6 };
    for (int m = 0; vvGetMethodName(m) != NULL; ++m)
    {
        double h = stepFor(vvGetMethodName(m), DT, 1e-4);
        // the mass that small-midpoint adds to links is a diagonal, so that rotations of bodies lag by their own
        // substeps
        double near = strcmp(vvGetMethodName(m), "small-midpoint") == 0 ? 0.05 : 1e-6;
        // one sweep is not a solution: it depends on the order of the springs; nor are ten of Jacobi
        static const char *const sweeps[] = { "small-steps", "pbd", "pd-jacobi", NULL };
        for (int k = 0; k < 3 && !isOneOf(vvGetMethodName(m), sweeps); ++k)
        {
            if (near > 1e-6 && stiffness[k] > 1e5)
                continue; // the mass added to these ends is more than they have, and turning them lags far behind
            vvWorldId one = makeWorld(vvGetMethodName(m), -9.81), three = makeWorld(vvGetMethodName(m), -9.81);
            vvSoftBodyId whole = makeWhole(one, stiffness[k]), thirds[3];
            makeThirds(three, stiffness[k], thirds);
            int pin = 0;
            vvSoftBody_Pin(whole, &pin, 1);
            vvSoftBody_Pin(thirds[0], &pin, 1);
            vvSoftBody_SetForce(whole, 5, (vvVec3){ 3, 2, 1 });
            vvSoftBody_SetForce(thirds[2], 1, (vvVec3){ 3, 2, 1 });
            CHECK_CLOSE(3 * vvSoftBody_GetMass(thirds[0]), vvSoftBody_GetMass(whole), 1e-12);
            for (int i = 0; i < 30; ++i)
            {
                step(one, 1, h);
                step(three, 1, h);
                vvStatistics statistics = vvWorld_GetStatistics(three);
                assert_true(statistics.converged);
                assert_int_equal(statistics.islandCount, 1);
                const double *want = vvSoftBody_GetPositions(whole);
                for (int b = 0; b < 3; ++b)
                {
                    const double *have = vvSoftBody_GetPositions(thirds[b]);
                    for (int c = 0; c < 6; ++c)
                        CHECK_NEAR(have[c], want[6 * b + c], near);
                }
            }
            vvLedger want = vvWorld_GetLedger(one), have = vvWorld_GetLedger(three);
            CHECK_NEAR(have.total, want.total, near * scaleOf(&want));
            CHECK_NEAR(have.added, want.added, near * scaleOf(&want));
            CHECK_NEAR(have.numerical, want.numerical, near * scaleOf(&want));
            vvDestroyWorld(one);
            vvDestroyWorld(three);
        }
    }
}

// a link between two vertices of the same body is one more spring
static void linkWithinABody(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", 0);
    vvSoftBodyId body = makeBox(world, 0, (vvVec3){ 0, 0, 0 });
    vvAttachmentId link = linkVertices(world, body, 4, body, 22, 0.9, 1000); // faces 1 m apart
    assert_int_equal(vvWorld_GetIslandCount(world), 1);
    vvLedger start = vvWorld_GetLedger(world);
    CHECK_CLOSE(start.elastic, 0.5 * 1000 * 0.1 * 0.1, 1e-9);
    CHECK_NEAR(start.numerical, 0, 1e-12);
    step(world, 20, 0.0005);
    vvLedger now = vvWorld_GetLedger(world);
    CHECK_NEAR(now.total, start.total, 1e-6 * start.elastic);
    assert_true(now.kinetic > 1e-3 * start.elastic);
    vvDestroyAttachment(link);
    CHECK_NEAR(vvWorld_GetLedger(world).numerical, now.numerical, 1e-9 * start.elastic);
    vvDestroyWorld(world);
}

// a light and a heavy end, at rest: the length settles to the rest length
static void linkKeepsItsRestLength(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("backward-euler", 0);
    vvSoftBodyId a = makeBox(world, 0, (vvVec3){ 0, 0, 0 }), b = makeBox(world, 2, (vvVec3){ 0, 0, 0 });
    linkVertices(world, a, 22, b, 4, 1.25, 1e4); // 1 m apart
    step(world, 400, 0.1);
    const double *pa = vvSoftBody_GetPositions(a) + 3 * 22, *pb = vvSoftBody_GetPositions(b) + 3 * 4;
    vvVec3 gap = { pb[0] - pa[0], pb[1] - pa[1], pb[2] - pa[2] };
    CHECK_NEAR(length(gap), 1.25, 1e-4);
    vvDestroyWorld(world);
}

// ---- islands by touch -----------------------------------------------------------------------------------------------

#define MANY 27
#define EDGE 0.4 // m

typedef struct Cubes
{
    vvWorldId world;
    vvSoftBodyId body[MANY];
    uint32_t category[MANY], mask[MANY];
    int link[MANY]; // the body it is linked to, or itself
} Cubes;

// on a grid with gaps between nothing and EDGE, each on its way
static Cubes makeCubes(TestRandom *random)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.softContact = true;
    worldDef.gravity = (vvVec3){ 0, 0, 0 };
    worldDef.method = "backward-euler";
    worldDef.solver = "local-global";
    Cubes c = { .world = vvCreateWorld(&worldDef, NULL) };
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ EDGE, EDGE, EDGE }, 1, 1, 1);
    for (int i = 0; i < MANY; ++i)
    {
        vvSoftBodyDef def = undampedDef();
        def.mesh = mesh;
        def.material.young = 1e5;
        def.category = c.category[i] = 1u << (int)(3 * randomUnit(random));
        def.mask = c.mask[i] = randomUnit(random) < 0.7 ? UINT32_MAX : 1u << (int)(3 * randomUnit(random));
        def.position =
            (vvVec3){ 0.6 * (i % 3) + 0.15 * randomUnit(random), 0.6 * (i / 3 % 3) + 0.15 * randomUnit(random),
                      0.6 * (double)(i / 9) + 0.15 * randomUnit(random) };
        def.velocity = (vvVec3){ 6 * randomUnit(random) - 3, 6 * randomUnit(random) - 3, 6 * randomUnit(random) - 3 };
        c.body[i] = vvCreateSoftBody(c.world, &def, NULL);
        c.link[i] = i;
    }
    for (int i = 1; i < MANY; ++i)
    {
        if (randomUnit(random) > 0.1)
            continue;
        c.link[i] = (int)(i * randomUnit(random));
        linkVertices(c.world, c.body[i], 0, c.body[c.link[i]], 1, 0.5, 1);
    }
    vvDestroyMesh(mesh);
    return c;
}

static int labelOf(int *label, int i)
{
    return label[i] == i ? i : labelOf(label, label[i]);
}

static void unite(int *label, int a, int b)
{
    a = labelOf(label, a);
    b = labelOf(label, b);
    label[a > b ? a : b] = a < b ? a : b;
}

// their masks let them meet, and boxes around their paths come closer than an edge
static bool mayMeet(const Cubes *c, const vvBox *box, int a, int b)
{
    double pad = 0.5 * EDGE;
    return (c->category[a] & c->mask[b]) != 0 && (c->category[b] & c->mask[a]) != 0 &&
           box[a].lower.x - pad <= box[b].upper.x && box[b].lower.x - pad <= box[a].upper.x &&
           box[a].lower.y - pad <= box[b].upper.y && box[b].lower.y - pad <= box[a].upper.y &&
           box[a].lower.z - pad <= box[b].upper.z && box[b].lower.z - pad <= box[a].upper.z;
}

static void sweep(const Cubes *c, vvBox *box, bool start)
{
    for (int i = 0; i < MANY; ++i)
    {
        const double *x = vvSoftBody_GetPositions(c->body[i]);
        for (int v = 0; v < vvSoftBody_GetVertexCount(c->body[i]); ++v, x += 3)
        {
            vvVec3 p = { x[0], x[1], x[2] };
            if (start && v == 0)
                box[i] = (vvBox){ p, p };
            box[i].lower = (vvVec3){ fmin(box[i].lower.x, p.x), fmin(box[i].lower.y, p.y), fmin(box[i].lower.z, p.z) };
            box[i].upper = (vvVec3){ fmax(box[i].upper.x, p.x), fmax(box[i].upper.y, p.y), fmax(box[i].upper.z, p.z) };
        }
    }
}

// What touches or is linked is one island, and what could not have come near is not, unless others lie between.
static void checkPartition(const Cubes *c, const vvBox *box)
{
    int near[MANY], joined[MANY];
    for (int i = 0; i < MANY; ++i)
        near[i] = joined[i] = i;
    for (int a = 0; a < MANY; ++a)
    {
        unite(near, a, c->link[a]);
        unite(joined, a, c->link[a]);
        for (int b = 0; b < a; ++b)
        {
            if (mayMeet(c, box, a, b))
                unite(near, a, b);
        }
    }
    vvContact contact[512];
    int count = vvWorld_GetContacts(c->world, contact, 512);
    for (int k = 0; k < count && k < 512; ++k)
        unite(joined, (int)contact[k].body.index1 - 1, (int)contact[k].other.index1 - 1);
    for (int a = 0; a < MANY; ++a)
    {
        for (int b = 0; b < a; ++b)
        {
            bool together = vvSoftBody_GetIsland(c->body[a]) == vvSoftBody_GetIsland(c->body[b]);
            assert_true(together || labelOf(joined, a) != labelOf(joined, b));
            assert_true(!together || labelOf(near, a) == labelOf(near, b));
        }
    }
}

static void islandsAreWhatTouches(void **state)
{
    (void)state;
    TestRandom random = { 11 };
    int changes = 0;
    for (int round = 0; round < 6; ++round)
    {
        Cubes c = makeCubes(&random);
        vvBox box[MANY];
        for (int n = 0, islands = 0; n < 12; ++n)
        {
            sweep(&c, box, true);
            vvLedger before = vvWorld_GetLedger(c.world);
            step(c.world, 1, DT);
            sweep(&c, box, false);
            checkPartition(&c, box);
            checkSum(c.world);
            // what islands owe goes over to what they become
            vvLedger after = vvWorld_GetLedger(c.world);
            CHECK_NEAR(after.target - after.added + after.dissipated, before.target - before.added + before.dissipated,
                       1e-11 * (scaleOf(&before) + fabs(before.dissipated)));
            changes += n > 0 && islands != vvWorld_GetIslandCount(c.world);
            islands = vvWorld_GetIslandCount(c.world);
        }
        vvDestroyWorld(c.world);
    }
    assert_true(changes > 10);
}

// a body that meets nobody moves as it would alone, whoever else collides in its world
static void bodiesApartMoveAsIfAlone(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k)
    {
        static const char *const methods[] = { "small-midpoint", "stabilized", "small-steps" };
        double position[2][3 * 27];
        for (int together = 0; together < 2; ++together)
        {
            vvWorldDef def = vvDefaultWorldDef();
            def.method = methods[k];
            def.softContact = together;
            vvWorldId world = vvCreateWorld(&def, NULL);
            vvSoftBodyId body = makeBox(world, 5, (vvVec3){ 1, 2, 3 });
            if (together)
            {
                makeBox(world, 0, (vvVec3){ 2, 0, 0 });
                makeBox(world, 1.01, (vvVec3){ 0, 3, 0 }); // these two hit each other
            }
            step(world, 20, DT);
            memcpy(position[together], vvSoftBody_GetPositions(body), sizeof position[0]);
            assert_true(!together || vvWorld_GetIslandCount(world) == 2);
            vvDestroyWorld(world);
        }
        for (int i = 0; i < 3 * 27; ++i)
            CHECK_NEAR(position[0][i], position[1][i], 1e-13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linksMergeAndSplit),
        cmocka_unit_test(worldIsTheSumOfItsIslands),
        cmocka_unit_test(newBodyLeavesOtherBooksAlone),
        cmocka_unit_test(numericalIsContinuous),
        cmocka_unit_test(splitSharesTheLossByMass),
        cmocka_unit_test(destructionTakesLinksFirst),
        cmocka_unit_test(linkedBoxesConserve),
        cmocka_unit_test(linksActLikeSpringsOfOneBody),
        cmocka_unit_test(linkWithinABody),
        cmocka_unit_test(linkKeepsItsRestLength),
        cmocka_unit_test(islandsAreWhatTouches),
        cmocka_unit_test(bodiesApartMoveAsIfAlone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
