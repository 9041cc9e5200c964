// Colliders whose points move: they do what the same shape does that moves as a whole, push, drag and book their work,
// and nothing passes through them.
#include "base/base.h"
#include "contact/ground.h"

#include <stdlib.h>

static const vvVec3 none = { 0, 0, 0 }, down = { 0, -9.81, 0 };
static const char *const methods[] = { "small-midpoint", "implicit-midpoint", "small-steps", "backward-euler" };

// A box of cells, by the surface of a mesh.
typedef struct Skin
{
    vvMesh *mesh;
    int count;
    double *point; // count x 3
} Skin;

static Skin skinMake(vvVec3 size, int cells)
{
    Skin skin = { .mesh = vvCreateBoxMesh(size, cells, 1, cells) };
    assert_non_null(skin.mesh);
    skin.count = vvMesh_GetVertexCount(skin.mesh);
    skin.point = malloc(3 * (size_t)skin.count * sizeof(double));
    return skin;
}

static void skinFree(Skin *skin)
{
    vvDestroyMesh(skin->mesh);
    free(skin->point);
}

static vvVec3 skinRest(const Skin *skin, int point)
{
    const double *p = vvMesh_GetPoints(skin->mesh) + 3 * point;
    return (vvVec3){ p[0], p[1], p[2] };
}

static vvShape *skinShape(const Skin *skin)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_MESH;
    def.points = vvMesh_GetPoints(skin->mesh);
    def.pointCount = skin->count;
    def.triangles = vvMesh_GetSurface(skin->mesh);
    def.triangleCount = vvMesh_GetSurfaceCount(skin->mesh);
    return shapeOf(&def);
}

// where the points are if the shape is turned about z and moved
static void skinPose(Skin *skin, double angle, vvVec3 move)
{
    for (int p = 0; p < skin->count; ++p)
    {
        vvVec3 r = skinRest(skin, p);
        skin->point[3 * p] = cos(angle) * r.x - sin(angle) * r.y + move.x;
        skin->point[3 * p + 1] = sin(angle) * r.x + cos(angle) * r.y + move.y;
        skin->point[3 * p + 2] = r.z + move.z;
    }
}

// ---- as the same shape that moves as a whole ------------------------------------------------------------------------

typedef struct Rider
{
    vvWorldId world;
    vvSoftBodyId body;
    vvColliderId table;
} Rider;

// a box on a table that lifts, slides and tilts
static Rider riderMake(const char *method, const Skin *skin, bool deforms)
{
    Rider rider = { .world = makeWorld(method, down) };
    vvSoftBodyDef bodyDef = elasticDef(1000, 1e5, 0.2);
    bodyDef.damping.stiffness = 1e-2;
    bodyDef.position.y = 0.101;
    rider.body = makeBody(rider.world, vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 2, 2, 2), bodyDef);
    vvColliderDef def = vvDefaultColliderDef();
    def.deforms = deforms;
    def.position.y = -0.1;
    rider.table = makeCollider(rider.world, skinShape(skin), def);
    return rider;
}

static void compareRiders(bool turns, double tolerance)
{
    Skin skin = skinMake((vvVec3){ 1, 0.2, 1 }, 5);
    for (int m = 0; m < 4; ++m)
    {
        Rider rider[2] = { riderMake(methods[m], &skin, false), riderMake(methods[m], &skin, true) };
        double h = 0.01, apart = 0;
        for (int n = 1; n <= 40; ++n)
        {
            double t = n * h, angle = turns ? 0.3 * t : 0;
            vvVec3 move = { 0.5 * t * t, 0.2 * t, 0.1 * t };
            skinPose(&skin, angle, move);
            vvVec3 position = { move.x, move.y - 0.1, move.z };
            CHECK_OK(
                vvCollider_MoveTo(rider[0].table, position, vvQuat_FromDegrees((vvVec3){ 0, 0, angle * 180 / PI })));
            CHECK_OK(vvCollider_MovePoints(rider[1].table, skin.point, skin.count));
            for (int i = 0; i < 2; ++i)
                CHECK_OK(vvWorld_Step(rider[i].world, h));
            for (int v = 0; v < vvSoftBody_GetVertexCount(rider[0].body); ++v)
            {
                vvVec3 a = vertexPosition(rider[0].body, v), b = vertexPosition(rider[1].body, v);
                apart = fmax(apart, fmax(fabs(a.x - b.x), fmax(fabs(a.y - b.y), fabs(a.z - b.z))));
            }
        }
        vvLedger a = vvWorld_GetLedger(rider[0].world), b = vvWorld_GetLedger(rider[1].world);
        print_message("%s, %s: %.2e m apart, added %.6f and %.6f J, numerical %.2e and %.2e J\n", methods[m],
                      turns ? "turning" : "moving", apart, a.added, b.added, a.numerical, b.numerical);
        CHECK_BELOW(apart, tolerance);
        assert_true(a.added > 5);
        CHECK_NEAR(b.added, a.added, 100 * tolerance * a.added);
        for (int i = 0; i < 2; ++i)
            vvDestroyWorld(rider[i].world);
    }
    skinFree(&skin);
}

static void translationsAreTheSame(void **state)
{
    (void)state;
    compareRiders(false, 1e-9);
}

// points go on straight lines where the whole goes on arcs: 1.5e-6 m per step at the rim of the table
static void rotationsAreTheSame(void **state)
{
    (void)state;
    compareRiders(true, 2e-4);
}

// ---- nothing passes -------------------------------------------------------------------------------------------------

// a fist comes out of a plate under a cloth that is held at its rim
static void punchesDoNotPass(void **state)
{
    (void)state;
    static const struct
    {
        const char *method;
        double speed; // m/s
    } cases[] = { { "small-midpoint", 3 }, { "small-midpoint", 20 }, { "small-midpoint", 100 }, { "small-steps", 3 } };
    Skin skin = skinMake((vvVec3){ 1, 0.01, 1 }, 16);
    for (int i = 0; i < 4; ++i)
    {
        double speed = cases[i].speed, h = 1.0 / 60, height = 0;
        vvWorldId world = makeWorld(cases[i].method, none);
        vvSoftBodyDef bodyDef = elasticDef(300, 1e6, 0.3);
        bodyDef.material.thickness = 1e-3;
        bodyDef.position.y = 0.02;
        vvSoftBodyId sheet = makeBody(world, vvCreateSheetMesh(1.2, 1.2, 24, 24), bodyDef);
        vvColliderDef def = vvDefaultColliderDef();
        def.deforms = true;
        vvColliderId plate = makeCollider(world, skinShape(&skin), def);
        for (int n = 0; n < 4; ++n)
        {
            height = fmin(height + speed * h, 1.5);
            for (int p = 0; p < skin.count; ++p)
            {
                vvVec3 r = skinRest(&skin, p);
                double bump = fmax(0, 1 - 8 * (r.x * r.x + r.z * r.z));
                skin.point[3 * p] = r.x;
                skin.point[3 * p + 1] = r.y + height * bump;
                skin.point[3 * p + 2] = r.z;
            }
            CHECK_OK(vvCollider_MovePoints(plate, skin.point, skin.count));
            CHECK_OK(vvWorld_Step(world, h));
        }
        int inside = 0;
        for (int v = 0; v < vvSoftBody_GetVertexCount(sheet); ++v)
        {
            vvVec3 x = vertexPosition(sheet, v);
            double bump = fmax(0, 1 - 8 * (x.x * x.x + x.z * x.z));
            inside += x.y < height * bump - 0.03 && fabs(x.x) < 0.45 && fabs(x.z) < 0.45;
        }
        print_message("%s, %g m/s: %d vertices below the fist\n", cases[i].method, speed, inside);
        assert_int_equal(inside, 0);
        vvDestroyWorld(world);
    }
    skinFree(&skin);
}

// what comes from farther away than it is large is met too
static void farPointsArrive(void **state)
{
    (void)state;
    Skin skin = skinMake((vvVec3){ 0.3, 0.1, 0.3 }, 2);
    vvWorldId world = makeWorld("small-midpoint", none);
    vvSoftBodyDef bodyDef = elasticDef(300, 1e5, 0.3);
    bodyDef.material.thickness = 1e-3;
    bodyDef.position.y = 1.5;
    vvSoftBodyId sheet = makeBody(world, vvCreateSheetMesh(1, 1, 10, 10), bodyDef);
    vvColliderDef def = vvDefaultColliderDef();
    def.deforms = true;
    vvColliderId block = makeCollider(world, skinShape(&skin), def);
    skinPose(&skin, 0, (vvVec3){ 0, 2.5, 0 });
    CHECK_OK(vvCollider_MovePoints(block, skin.point, skin.count));
    CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    vvVec3 middle = vertexPosition(sheet, 60);
    CHECK_NEAR(hypot(middle.x, middle.z), 0, 0.05);
    assert_true(middle.y > 2.5);
    vvDestroyWorld(world);
    skinFree(&skin);
}

// ---- books ----------------------------------------------------------------------------------------------------------

// a wall that swells pushes a cube through empty space: the energy it gains is the work that was booked
static void workIsBooked(void **state)
{
    (void)state;
    Skin skin = skinMake((vvVec3){ 1, 0.2, 1 }, 4);
    for (int m = 0; m < 2; ++m)
    {
        vvWorldId world = makeWorld(methods[m], none);
        vvSoftBodyDef bodyDef = elasticDef(1000, 1e5, 0.2);
        bodyDef.position.y = 0.3;
        makeBody(world, vvCreateBoxMesh((vvVec3){ 0.4, 0.4, 0.4 }, 2, 2, 2), bodyDef);
        vvColliderDef def = vvDefaultColliderDef();
        def.deforms = true;
        def.friction = 0;
        def.restitution = 1;
        vvColliderId wall = makeCollider(world, skinShape(&skin), def);
        double most = 0, drift = 0;
        for (int n = 1; n <= 200; ++n)
        {
            for (int p = 0; p < skin.count; ++p)
            {
                vvVec3 r = skinRest(&skin, p);
                skin.point[3 * p] = r.x;
                skin.point[3 * p + 1] = r.y > 0 ? 0.1 + 0.5 * 0.005 * n : r.y;
                skin.point[3 * p + 2] = r.z;
            }
            CHECK_OK(vvCollider_MovePoints(wall, skin.point, skin.count));
            CHECK_OK(vvWorld_Step(world, 0.005));
            vvLedger ledger = vvWorld_GetLedger(world);
            most = fmax(most, ledger.kinetic);
            drift = fmax(drift, fabs(ledger.numerical));
        }
        vvLedger ledger = vvWorld_GetLedger(world);
        print_message("%s: total %.4f J, added %.4f J, dissipated %.4f J, numerical at most %.2e J\n", methods[m],
                      ledger.total, ledger.added, ledger.dissipated, drift);
        assert_true(ledger.added > 7); // 64 kg at 0.5 m/s are 8 J
        CHECK_BELOW(drift, (m == 0 ? 2e-3 : 2e-4) * most);
        vvDestroyWorld(world);
    }
    skinFree(&skin);
}

// ---- bits and states ------------------------------------------------------------------------------------------------

static void advance(vvWorldId world, vvColliderId table, Skin *skin, int first, int count)
{
    for (int n = first; n < first + count; ++n)
    {
        for (int p = 0; p < skin->count; ++p)
        {
            vvVec3 r = skinRest(skin, p);
            skin->point[3 * p] = r.x + 0.002 * n;
            skin->point[3 * p + 1] = r.y + 0.03 * sin(4 * r.x + 0.2 * n);
            skin->point[3 * p + 2] = r.z;
        }
        CHECK_OK(vvCollider_MovePoints(table, skin->point, skin->count));
        CHECK_OK(vvWorld_Step(world, 0.01));
    }
}

static vvWorldId waveWorld(const char *method, int threads, const Skin *skin, vvColliderId *table)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = method;
    worldDef.threads = threads;
    vvResult result;
    vvWorldId world = vvCreateWorld(&worldDef, &result);
    CHECK_OK(result);
    for (int i = 0; i < 3; ++i)
    {
        vvSoftBodyDef bodyDef = elasticDef(1000, 1e5, 0.2);
        bodyDef.position = (vvVec3){ 0.3 * (i - 1), 0.25, 0 };
        makeBody(world, vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 2, 2, 2), bodyDef);
    }
    vvColliderDef def = vvDefaultColliderDef();
    def.deforms = true;
    *table = makeCollider(world, skinShape(skin), def);
    return world;
}

static void sameBits(void **state)
{
    (void)state;
    static const int threads[] = { 1, 2, 7 };
    Skin skin = skinMake((vvVec3){ 1.5, 0.2, 1 }, 6);
    for (int m = 0; m < 4; ++m)
    {
        uint64_t want = 0;
        for (int k = 0; k < 3; ++k)
        {
            vvColliderId table;
            vvWorldId world = waveWorld(methods[m], threads[k], &skin, &table);
            advance(world, table, &skin, 0, 30);
            assert_true(vvWorld_GetContacts(world, NULL, 0) > 0);
            uint64_t hash = vvWorld_GetHash(world);
            want = k == 0 ? hash : want;
            assert_true(hash == want);
            vvDestroyWorld(world);
        }
    }
    skinFree(&skin);
}

// a state saved while points are under way goes on in another world with the same bits
static void savedStatesGoOn(void **state)
{
    (void)state;
    Skin skin = skinMake((vvVec3){ 1.5, 0.2, 1 }, 6);
    for (int m = 0; m < 4; ++m)
    {
        vvColliderId table, other;
        vvWorldId world = waveWorld(methods[m], 1, &skin, &table), again = waveWorld(methods[m], 1, &skin, &other);
        advance(world, table, &skin, 0, 25);
        CHECK_OK(vvCollider_MovePoints(table, skin.point, skin.count));
        size_t size = vvWorld_GetStateSize(world);
        void *bytes = malloc(size);
        CHECK_OK(vvWorld_SaveState(world, bytes, size));
        CHECK_OK(vvWorld_RestoreState(again, bytes, size));
        assert_true(vvWorld_GetHash(world) == vvWorld_GetHash(again));
        CHECK_OK(vvWorld_Step(world, 0.01));
        CHECK_OK(vvWorld_Step(again, 0.01));
        advance(world, table, &skin, 26, 15);
        advance(again, other, &skin, 26, 15);
        assert_true(vvWorld_GetHash(world) == vvWorld_GetHash(again));
        free(bytes);
        vvDestroyWorld(world);
        vvDestroyWorld(again);
    }
    skinFree(&skin);
}

// questions between steps see the points where they are
static void questionsSeeThePoints(void **state)
{
    (void)state;
    Skin skin = skinMake((vvVec3){ 1, 0.2, 1 }, 3);
    vvWorldId world = makeWorld("small-midpoint", none);
    vvColliderDef def = vvDefaultColliderDef();
    def.deforms = true;
    vvColliderId plate = makeCollider(world, skinShape(&skin), def);
    vvBox box = { { -0.1, 0.55, -0.1 }, { 0.1, 0.6, 0.1 } };
    for (int n = 0; n <= 4; ++n)
    {
        double height = 0.125 * n;
        vvPick ray = vvWorld_CastRay(world, (vvVec3){ 0.1, 3, 0.2 }, (vvVec3){ 0, -1, 0 }, 10);
        CHECK_NEAR(ray.distance, 2.9 - height, 1e-12);
        vvPick ball = vvWorld_CastSphere(world, (vvVec3){ 0.1, 3, 0.2 }, 0.1, (vvVec3){ 0, -1, 0 }, 10);
        CHECK_NEAR(ball.distance, 2.8 - height, 1e-9);
        assert_int_equal(vvWorld_OverlapBox(world, box, NULL, 0), height > 0.45 ? 1 : 0);
        skinPose(&skin, 0, (vvVec3){ 0, height + 0.125, 0 });
        CHECK_OK(vvCollider_MovePoints(plate, skin.point, skin.count));
        CHECK_OK(vvWorld_Step(world, 0.01));
    }
    vvDestroyWorld(world);
    skinFree(&skin);
}

// ---- mistakes -------------------------------------------------------------------------------------------------------

static void mistakesAreNamed(void **state)
{
    (void)state;
    Skin skin = skinMake((vvVec3){ 1, 0.2, 1 }, 2);
    vvWorldId world = makeWorld("small-midpoint", none);
    vvColliderDef def = vvDefaultColliderDef();
    vvColliderId still = makeCollider(world, skinShape(&skin), def);
    def.deforms = true;
    vvColliderId plate = makeCollider(world, skinShape(&skin), def);
    skinPose(&skin, 0, none);
    vvResult result = vvCollider_MovePoints(still, skin.point, skin.count);
    assert_true(result.code == VV_BAD_INPUT && strstr(result.remedy, "deforms"));
    result = vvCollider_MovePoints(plate, skin.point, skin.count - 1);
    assert_true(result.code == VV_BAD_INPUT && strstr(result.message, "must be the mesh's"));
    result = vvCollider_MovePoints(plate, NULL, skin.count);
    assert_int_equal(result.code, VV_BAD_INPUT);
    skin.point[7] = NAN;
    result = vvCollider_SetPoints(plate, skin.point, skin.count);
    assert_true(result.code == VV_BAD_INPUT && strstr(result.message, "point 2 is"));
    skinPose(&skin, 0, (vvVec3){ 0, 1, 0 });
    CHECK_OK(vvCollider_SetPoints(plate, skin.point, skin.count));
    double first[3];
    assert_int_equal(vvCollider_GetPoints(plate, first, 1), skin.count);
    CHECK_NEAR(first[1], skin.point[1], 0);
    assert_int_equal(vvCollider_GetPoints(still, NULL, 0), 0);
    def.shape = planeShape();
    vvColliderId bad = vvCreateCollider(world, &def, &result);
    assert_true(!vvCollider_IsValid(bad) && strstr(result.message, "only a mesh"));
    vvDestroyShape(def.shape);
    vvDestroyWorld(world);
    skinFree(&skin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(translationsAreTheSame), cmocka_unit_test(rotationsAreTheSame),
        cmocka_unit_test(punchesDoNotPass),       cmocka_unit_test(farPointsArrive),
        cmocka_unit_test(workIsBooked),           cmocka_unit_test(sameBits),
        cmocka_unit_test(savedStatesGoOn),        cmocka_unit_test(questionsSeeThePoints),
        cmocka_unit_test(mistakesAreNamed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
