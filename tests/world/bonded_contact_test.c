// What bonds hold together does not touch: energy and motion of bonded halves with contact and without, contact beside
// bonds and after them, soft against soft and against rigid.
#include "base/vec.h"
#include "world/scenes.h"

#include <math.h>

static const char *const methods[] = { "small-midpoint", "small-steps", "implicit-midpoint", "stabilized" };
enum
{
    METHODS = 4,
    STEPS = 40,
};

static vvWorldId makeMeeting(const char *method, bool contact)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.gravity = vec3(0, 0, 0);
    def.softContact = contact;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    return world;
}

static double energyOf(vvWorldId world)
{
    vvLedger ledger = vvWorld_GetLedger(world);
    return ledger.total;
}

static int bond(vvWorldId world, vvSoftBodyId a, vvSoftBodyId b, vvRigidBodyId rigid)
{
    vvBondDef def = vvDefaultBondDef();
    def.bodyA = a;
    def.bodyB = b;
    def.rigidB = rigid;
    def.distance = 1e-3;
    vvResult result;
    int count = vvCreateBonds(world, &def, NULL, 0, &result);
    CHECK_OK(result);
    return count;
}

// A bar along x in two halves whose faces coincide.
typedef struct Bar
{
    vvVec3 half;      // m
    int cells[2];     // of an edge of the face of each half
    double young, nu; // Pa
    double speed;     // m/s, at which the halves part
} Bar;

static const Bar bars[] = {
    { { 0.3, 0.2, 0.2 }, { 2, 2 }, 1e5, 0.3, 1e-5 },
    { { 0.3, 0.2, 0.2 }, { 3, 2 }, 1e6, 0.45, 1e-5 },
    { { 0.4, 0.1, 0.3 }, { 2, 3 }, 1e4, 0.45, 1e-5 },
    { { 0.1, 0.3, 0.3 }, { 1, 4 }, 1e7, 0, 1e-5 },
};

static vvWorldId makeBar(const Bar *bar, const char *method, bool contact, vvSoftBodyId half[2])
{
    vvWorldId world = makeMeeting(method, contact);
    for (int k = 0; k < 2; ++k)
    {
        double side = k == 0 ? -1 : 1;
        vvSoftBodyDef def = elasticDef(1000, bar->young, bar->nu);
        def.position = vec3(0.5 * side * bar->half.x, 0, 0);
        def.velocity = vec3(side * bar->speed, 0.5 * side * bar->speed, 0);
        half[k] = makeBody(world, vvCreateBoxMesh(bar->half, 3, bar->cells[k], bar->cells[k]), def);
    }
    bond(world, half[0], half[1], (vvRigidBodyId){ 0 });
    return world;
}

// contact adds nothing to what moves by micrometres, and changes nothing: frequencies are those without it
static void bondedHalvesDoNotTouch(void **unused)
{
    (void)unused;
    for (int i = 0; i < METHODS * (int)(sizeof bars / sizeof *bars); ++i)
    {
        const Bar *bar = &bars[i / METHODS];
        vvSoftBodyId touching[2], free[2];
        vvWorldId world = makeBar(bar, methods[i % METHODS], true, touching);
        vvWorldId apart = makeBar(bar, methods[i % METHODS], false, free);
        double most = 0, usual = energyOf(world), off = 0, far = 0, h = 0.2 * bar->half.x / sqrt(bar->young / 1000);
        for (int n = 0; n < STEPS; ++n)
        {
            CHECK_OK(vvWorld_Step(world, h));
            CHECK_OK(vvWorld_Step(apart, h));
            most = fmax(most, energyOf(world));
            usual = fmax(usual, energyOf(apart));
            double x = vvSoftBody_GetCentreOfMass(touching[1]).x, y = vvSoftBody_GetCentreOfMass(free[1]).x;
            off = fmax(off, fabs(x - y));
            far = fmax(far, fabs(y - 0.5 * bar->half.x));
        }
        assert_true(most < (1 + 1e-3) * usual);
        CHECK_NEAR(off, 0, 1e-4 * far);
        vvDestroyWorld(world);
        vvDestroyWorld(apart);
    }
}

// two beams side by side, held at one end, whose other ends meet
static double closestEnds(const char *method, bool contact)
{
    vvWorldId world = makeMeeting(method, contact);
    vvVec3 size = { 1, 0.1, 0.1 };
    vvSoftBodyId beam[2];
    for (int k = 0; k < 2; ++k)
    {
        double side = k == 0 ? -1 : 1;
        vvSoftBodyDef def = elasticDef(1000, 1e6, 0.3);
        def.position = vec3(0, 0.055 * side, 0);
        def.velocity = vec3(0, -0.75 * side, 0); // their left ends stand still
        def.spin = vec3(0, 0, -1.5 * side);
        beam[k] = makeBody(world, vvCreateBoxMesh(size, 10, 1, 1), def);
    }
    int lower[64], upper[64], count = vvSoftBody_FindVertices(beam[0], planeBox(0, -0.5, 0.15), lower, 64);
    assert_int_equal(vvSoftBody_FindVertices(beam[1], planeBox(0, -0.5, 0.15), upper, 64), count);
    for (int i = 0; i < count * count; ++i)
    {
        vvVec3 a = vertexPosition(beam[0], lower[i / count]), b = vertexPosition(beam[1], upper[i % count]);
        if (fabs(b.y - a.y) > 0.02 || fabs(b.x - a.x) + fabs(b.z - a.z) > 1e-9)
            continue;
        vvAttachmentDef def = vvDefaultAttachmentDef();
        def.bodyA = beam[0];
        def.bodyB = beam[1];
        def.vertexA = lower[i / count];
        def.vertexB = upper[i % count];
        def.restLength = 0.01;
        vvResult result;
        vvCreateAttachment(world, &def, &result);
        CHECK_OK(result);
    }
    int low[64], high[64], ends = vvSoftBody_FindVertices(beam[0], planeBox(0, 0.5, 1e-6), low, 64);
    assert_int_equal(vvSoftBody_FindVertices(beam[1], planeBox(0, 0.5, 1e-6), high, 64), ends);
    double least = INFINITY;
    for (int n = 0; n < 60; ++n)
    {
        CHECK_OK(vvWorld_Step(world, 1.0 / 480));
        least = fmin(least, meanCoordinate(beam[1], high, ends, 1) - meanCoordinate(beam[0], low, ends, 1) - 0.1);
    }
    vvDestroyWorld(world);
    return least;
}

static void contactActsBesideBonds(void **unused)
{
    (void)unused;
    for (int m = 0; m < METHODS; ++m)
    {
        assert_true(closestEnds(methods[m], true) > -0.07);
        assert_true(closestEnds(methods[m], false) < -0.3);
    }
}

// two halves that fly at each other once their bonds are gone
static void contactComesBackWithoutBonds(void **unused)
{
    (void)unused;
    for (int m = 0; m < METHODS; ++m)
    {
        vvSoftBodyId half[2];
        vvWorldId world = makeBar(&(Bar){ { 0.3, 0.2, 0.2 }, { 2, 2 }, 1e5, 0.3, -0.1 }, methods[m], true, half);
        vvAttachmentId bonds[64];
        int count = vvWorld_GetAttachments(world, bonds, 64);
        CHECK_OK(vvWorld_Step(world, 1.0 / 480));
        for (int i = 0; i < count; ++i)
            vvDestroyAttachment(bonds[i]);
        for (int n = 0; n < 120; ++n)
            CHECK_OK(vvWorld_Step(world, 1.0 / 480));
        double apart = vvSoftBody_GetCentreOfMass(half[1]).x - vvSoftBody_GetCentreOfMass(half[0]).x;
        assert_true(apart > 0.29);                  // 0.25 without contact
        assert_true(energyOf(world) < 1.15 * 0.15); // J at first; small-steps parts the overlap that bonds left
        vvDestroyWorld(world);
    }
}

// a block and a plate that is larger, or smaller
static vvSoftBodyId makePlated(vvVec3 plate, const char *method, bool contact, vvWorldId *world)
{
    *world = makeMeeting(method, contact);
    vvSoftBodyDef def = elasticDef(1000, 1e5, 0.4);
    def.position = vec3(-0.15, 0, 0);
    def.velocity = vec3(-1e-5, 1e-5, 0);
    def.category = contact ? 1 : 0; // 0 meets nothing
    vvSoftBodyId soft = makeBody(*world, vvCreateBoxMesh((vvVec3){ 0.3, 0.2, 0.2 }, 3, 3, 2), def);
    vvShapeDef shape = vvDefaultShapeDef();
    shape.kind = VV_SHAPE_BOX;
    shape.size = plate;
    vvRigidBodyDef rigid = vvDefaultRigidBodyDef();
    vvResult result;
    rigid.shape = vvCreateShape(&shape, &result);
    CHECK_OK(result);
    rigid.position = vec3(0.5 * plate.x, 0, 0);
    rigid.mass = 5;
    vvRigidBodyId body = vvCreateRigidBody(*world, &rigid, &result);
    CHECK_OK(result);
    vvDestroyShape(rigid.shape);
    bond(*world, soft, (vvSoftBodyId){ 0 }, body);
    return soft;
}

static void bondedPlatesDoNotTouch(void **unused)
{
    (void)unused;
    static const vvVec3 plates[] = { { 0.1, 0.2, 0.2 }, { 0.05, 0.5, 0.4 }, { 0.2, 0.12, 0.3 } };
    for (int i = 0; i < 3 * METHODS; ++i)
    {
        vvWorldId worlds[2];
        vvSoftBodyId soft[2];
        for (int k = 0; k < 2; ++k)
            soft[k] = makePlated(plates[i / METHODS], methods[i % METHODS], k == 0, &worlds[k]);
        double before = energyOf(worlds[0]), most = 0, off = 0, far = 0;
        for (int n = 0; n < STEPS; ++n)
        {
            CHECK_OK(vvWorld_Step(worlds[0], 0.004));
            CHECK_OK(vvWorld_Step(worlds[1], 0.004));
            double x = vvSoftBody_GetCentreOfMass(soft[0]).x, y = vvSoftBody_GetCentreOfMass(soft[1]).x;
            most = fmax(most, energyOf(worlds[0]));
            off = fmax(off, fabs(x - y));
            far = fmax(far, fabs(y + 0.15));
        }
        assert_true(most < 1.01 * before);
        CHECK_NEAR(off, 0, 1e-4 * far);
        vvDestroyWorld(worlds[0]);
        vvDestroyWorld(worlds[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bondedHalvesDoNotTouch),
        cmocka_unit_test(contactActsBesideBonds),
        cmocka_unit_test(contactComesBackWithoutBonds),
        cmocka_unit_test(bondedPlatesDoNotTouch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
