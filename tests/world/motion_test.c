// The motion of a body as a whole: what is measured agrees with its vertices and the ledger, and impulses change
// momenta by exactly what they say, whatever the mesh and the method.
#include "methods.h"
#include "scenes.h"

static const vvVec3 NOWHERE = { 0, 0, 0 };

static vvVec3 minus(vvVec3 a, vvVec3 b)
{
    return (vvVec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static vvVec3 cross(vvVec3 a, vvVec3 b)
{
    return (vvVec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static double dot(vvVec3 a, vvVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static void checkVector(vvVec3 a, vvVec3 b, double tolerance)
{
    CHECK_NEAR(a.x, b.x, tolerance);
    CHECK_NEAR(a.y, b.y, tolerance);
    CHECK_NEAR(a.z, b.z, tolerance);
}

static vvVec3 row(const double *values, int vertex)
{
    return (vvVec3){ values[3 * vertex], values[3 * vertex + 1], values[3 * vertex + 2] };
}

// a solid, a sheet and a rope that is not straight, spinning and flying
#define SHAPES 3

static vvSoftBodyId flying(vvWorldId world, int shape)
{
    vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
    def.material.thickness = 0.1; // masses like those of the solid
    def.velocity = (vvVec3){ 0.3, -0.2, 0.1 };
    def.spin = (vvVec3){ 1, 2, -0.5 };
    def.position = (vvVec3){ 3, -1, 2 };
    vvMesh *mesh = shape == 0   ? vvCreateBoxMesh((vvVec3){ 1, 0.5, 0.7 }, 2, 1, 2)
                   : shape == 1 ? vvCreateSheetMesh(1, 0.8, 3, 2)
                                : vvCreateRopeMesh(1, 5);
    vvSoftBodyId body = makeBody(world, mesh, def);
    double bent[18];
    for (int v = 0; shape == 2 && v < 6; ++v)
    {
        memcpy(bent + 3 * v, vvSoftBody_GetPositions(body) + 3 * v, 3 * sizeof(double));
        bent[3 * v + 1] += 0.05 * v * v;
        bent[3 * v + 2] += v % 2 ? 0.03 : 0;
    }
    if (shape == 2)
        CHECK_OK(vvSoftBody_SetPositions(body, bent));
    return body;
}

// ---- measures -------------------------------------------------------------------------------------------------------

static void measuresAreSumsOverVertices(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; ++shape)
    {
        vvWorldId world = makeWorld("implicit-midpoint", NOWHERE);
        vvSoftBodyId body = flying(world, shape);
        for (int step = 0; step < 3; ++step)
            CHECK_OK(vvWorld_Step(world, 0.01));
        const double *x = vvSoftBody_GetPositions(body), *v = vvSoftBody_GetVelocities(body);
        const double *m = vvSoftBody_GetMasses(body);
        int count = vvSoftBody_GetVertexCount(body);
        vvBox box = vvSoftBody_GetBounds(body);
        double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
        double mass = 0, energy = 0, centre[3] = { 0 }, momentum[3] = { 0 };
        for (int i = 0; i < 3 * count; ++i)
        {
            low[i % 3] = fmin(low[i % 3], x[i]);
            high[i % 3] = fmax(high[i % 3], x[i]);
            centre[i % 3] += m[i / 3] * x[i];
            momentum[i % 3] += m[i / 3] * v[i];
            energy += 0.5 * m[i / 3] * v[i] * v[i];
            mass += i % 3 ? 0 : m[i / 3];
        }
        checkVector(box.lower, row(low, 0), 0);
        checkVector(box.upper, row(high, 0), 0);
        vvVec3 mean = { centre[0] / mass, centre[1] / mass, centre[2] / mass };
        checkVector(vvSoftBody_GetCentreOfMass(body), mean, 1e-12);
        checkVector(vvSoftBody_GetMomentum(body), row(momentum, 0), 1e-12 * mass);
        CHECK_CLOSE(vvSoftBody_GetKineticEnergy(body), energy, 1e-12);
        vvDestroyWorld(world);
    }
}

// the bodies of a world add up to its ledger, pinned vertices left out by both
static void bodiesAddUpToTheLedger(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, -9.81, 0 });
    vvVec3 momentum = NOWHERE, angular = NOWHERE;
    double kinetic = 0;
    vvSoftBodyId body[SHAPES];
    int pinned = 1;
    for (int k = 0; k < SHAPES; ++k)
        body[k] = flying(world, k);
    CHECK_OK(vvSoftBody_Pin(body[1], &pinned, 1));
    CHECK_OK(vvWorld_Step(world, 0.01));
    for (int k = 0; k < SHAPES; ++k)
    {
        vvVec3 none = { 0, 0, 0 };
        momentum = minus(momentum, minus(none, vvSoftBody_GetMomentum(body[k])));
        angular = minus(angular, minus(none, vvSoftBody_GetAngularMomentum(body[k])));
        kinetic += vvSoftBody_GetKineticEnergy(body[k]);
    }
    vvLedger ledger = vvWorld_GetLedger(world);
    checkVector(momentum, ledger.momentum, 1e-10);
    checkVector(angular, ledger.angularMomentum, 1e-10);
    CHECK_CLOSE(kinetic, ledger.kinetic, 1e-12);
    vvDestroyWorld(world);
    checkVector(vvSoftBody_GetMomentum(body[0]), NOWHERE, 0);
    checkVector(vvSoftBody_GetCentreOfMass(body[0]), NOWHERE, 0);
    checkVector(vvSoftBody_GetBounds(body[0]).upper, NOWHERE, 0);
    assert_true(vvSoftBody_GetKineticEnergy(body[0]) == 0);
}

// ---- impulses -------------------------------------------------------------------------------------------------------

typedef struct Motion
{
    vvVec3 momentum, angular;
    vvLedger ledger;
} Motion;

static Motion motionOf(vvWorldId world, vvSoftBodyId body)
{
    return (Motion){ vvSoftBody_GetMomentum(body), vvSoftBody_GetAngularMomentum(body), vvWorld_GetLedger(world) };
}

// what changed is the impulse, its moment about the origin, and work that is booked
static void checkPush(vvWorldId world, vvSoftBodyId body, const Motion *before, vvVec3 impulse, vvVec3 moment)
{
    Motion after = motionOf(world, body);
    checkVector(minus(after.momentum, before->momentum), impulse, 1e-10);
    checkVector(minus(after.angular, before->angular), moment, 1e-10);
    double work = after.ledger.kinetic - before->ledger.kinetic;
    assert_true(fabs(work) > 1e-6);
    CHECK_NEAR(after.ledger.added - before->ledger.added, work, 1e-9);
    CHECK_NEAR(after.ledger.numerical, before->ledger.numerical, 1e-9);
}

static void impulsesChangeMomentaByExactlyThemselves(void **state)
{
    (void)state;
    const vvVec3 impulse = { 40, -7, 13 }, point = { 2.7, 0.4, 2.2 }, turn = { 5, 11, -3 };
    for (int shape = 0; shape < SHAPES; ++shape)
    {
        vvWorldId world = makeWorld("implicit-midpoint", NOWHERE);
        vvSoftBodyId body = flying(world, shape);
        CHECK_OK(vvWorld_Step(world, 0.01));
        Motion before = motionOf(world, body);
        CHECK_OK(vvSoftBody_ApplyImpulse(body, impulse, point));
        checkPush(world, body, &before, impulse, cross(point, impulse));
        before = motionOf(world, body);
        CHECK_OK(vvSoftBody_ApplyAngularImpulse(body, turn));
        checkPush(world, body, &before, NOWHERE, turn);
        before = motionOf(world, body);
        CHECK_OK(vvSoftBody_ApplyImpulseToVertex(body, 2, impulse));
        checkPush(world, body, &before, impulse, cross(vertexPosition(body, 2), impulse));

        // at a point of a triangle or edge, by its weights
        before = motionOf(world, body);
        double weight[2] = { 0.3, 0.7 };
        vvVec3 place = { 0, 0, 0 };
        for (int k = 0; k < 2; ++k)
        {
            vvVec3 share = { weight[k] * impulse.x, weight[k] * impulse.y, weight[k] * impulse.z };
            vvVec3 at = vertexPosition(body, k);
            place = (vvVec3){ place.x + weight[k] * at.x, place.y + weight[k] * at.y, place.z + weight[k] * at.z };
            CHECK_OK(vvSoftBody_ApplyImpulseToVertex(body, k, share));
        }
        checkPush(world, body, &before, impulse, cross(place, impulse));
        vvDestroyWorld(world);
    }
}

// no two vertices come nearer by it; through the centre of mass all take the same
static void wholeImpulsesDoNotDeform(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; ++shape)
    {
        vvWorldId world = makeWorld("implicit-midpoint", NOWHERE);
        vvSoftBodyId body = flying(world, shape);
        int count = vvSoftBody_GetVertexCount(body);
        double still[64 * 3] = { 0 };
        assert_true(count <= 64);
        CHECK_OK(vvSoftBody_SetVelocities(body, still));
        CHECK_OK(vvSoftBody_ApplyImpulse(body, (vvVec3){ 10, 20, 30 }, (vvVec3){ 1, 0, 0 }));
        const double *x = vvSoftBody_GetPositions(body), *v = vvSoftBody_GetVelocities(body);
        for (int i = 0; i < count * count; ++i)
            CHECK_NEAR(dot(minus(row(x, i / count), row(x, i % count)), minus(row(v, i / count), row(v, i % count))), 0,
                       1e-9);
        CHECK_OK(vvSoftBody_SetVelocities(body, still));
        CHECK_OK(vvSoftBody_ApplyImpulse(body, (vvVec3){ 10, 20, 30 }, vvSoftBody_GetCentreOfMass(body)));
        v = vvSoftBody_GetVelocities(body);
        for (int i = 1; i < count; ++i)
            checkVector(row(v, i), row(v, 0), 1e-12);
        vvDestroyWorld(world);
    }
}

// what pins and slides hold takes nothing; the rest of the body takes it all
static void pinsTakeNothing(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", NOWHERE);
    vvSoftBodyId body = flying(world, 0);
    int held[2] = { 0, 5 };
    CHECK_OK(vvSoftBody_Pin(body, held, 2));
    vvVec3 before = vvSoftBody_GetMomentum(body), impulse = { 1, 2, 3 };
    CHECK_OK(vvSoftBody_ApplyImpulseToVertex(body, 5, impulse));
    checkVector(vvSoftBody_GetMomentum(body), before, 0);
    CHECK_OK(vvSoftBody_ApplyImpulse(body, impulse, NOWHERE));
    checkVector(minus(vvSoftBody_GetMomentum(body), before), impulse, 1e-10);
    checkVector(row(vvSoftBody_GetVelocities(body), 5), NOWHERE, 0);
    vvDestroyWorld(world);
}

// a push and the velocities that it comes to are one thing to every method, those with a history too
static void methodsGoOnAsFromTheSameVelocities(void **state)
{
    (void)state;
    for (int m = 0; vvGetMethodName(m) != NULL; ++m)
    {
        uint64_t hash[2];
        double velocities[64 * 3], added[2];
        for (int k = 0; k < 2; ++k)
        {
            vvWorldId world = makeWorld(vvGetMethodName(m), NOWHERE);
            vvSoftBodyId body = flying(world, 0);
            double dt = stepFor(vvGetMethodName(m), 0.01, 1e-4);
            for (int step = 0; step < 3; ++step)
                CHECK_OK(vvWorld_Step(world, dt));
            if (k == 0)
            {
                CHECK_OK(vvSoftBody_ApplyImpulse(body, (vvVec3){ 30, 2, 1 }, (vvVec3){ 3, 0, 2 }));
                memcpy(velocities, vvSoftBody_GetVelocities(body),
                       3 * (size_t)vvSoftBody_GetVertexCount(body) * sizeof(double));
            }
            else
                CHECK_OK(vvSoftBody_SetVelocities(body, velocities));
            for (int step = 0; step < 3; ++step)
                CHECK_OK(vvWorld_Step(world, dt));
            hash[k] = vvWorld_GetHash(world);
            added[k] = vvWorld_GetLedger(world).added;
            vvDestroyWorld(world);
        }
        if (hash[0] != hash[1])
            fail_msg("%s steps otherwise after an impulse than after the same velocities", vvGetMethodName(m));
        CHECK_NEAR(added[0], added[1], 1e-12);
    }
}

static void impulsesWake(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k)
    {
        vvWorldDef def = vvDefaultWorldDef();
        def.gravity = NOWHERE;
        def.sleepEnergy = 1e-3;
        def.sleepTime = 0.02;
        vvWorldId world = vvCreateWorld(&def, NULL);
        vvSoftBodyId body = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1), elasticDef(1000, 1e5, 0.3));
        for (int step = 0; step < 5; ++step)
            CHECK_OK(vvWorld_Step(world, 0.01));
        assert_false(vvSoftBody_IsAwake(body));
        vvVec3 impulse = { 500, 0, 0 };
        CHECK_OK(k == 0   ? vvSoftBody_ApplyImpulse(body, impulse, NOWHERE)
                 : k == 1 ? vvSoftBody_ApplyImpulseToVertex(body, 0, impulse)
                          : vvSoftBody_ApplyAngularImpulse(body, impulse));
        assert_true(vvSoftBody_IsAwake(body));
        CHECK_OK(vvWorld_Step(world, 0.01));
        assert_true(vvSoftBody_GetKineticEnergy(body) > 1);
        vvDestroyWorld(world);
    }
}

static void absurdImpulsesAreRefused(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", NOWHERE);
    vvSoftBodyId body = flying(world, 0);
    uint64_t hash = vvWorld_GetHash(world);
    assert_int_equal(vvSoftBody_ApplyImpulse(body, (vvVec3){ NAN, 0, 0 }, NOWHERE).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_ApplyImpulse(body, NOWHERE, (vvVec3){ 0, INFINITY, 0 }).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_ApplyImpulse(body, (vvVec3){ 0, 1e59, 0 }, (vvVec3){ 1e59, 0, 0 }).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_ApplyAngularImpulse(body, (vvVec3){ 1e300, 0, 0 }).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_ApplyImpulseToVertex(body, -1, NOWHERE).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_ApplyImpulseToVertex(body, 1000, NOWHERE).code, VV_BAD_INPUT);
    assert_true(vvWorld_GetHash(world) == hash);
    vvDestroyWorld(world);
    assert_int_equal(vvSoftBody_ApplyImpulse(body, NOWHERE, NOWHERE).code, VV_BAD_ID);
    assert_int_equal(vvSoftBody_ApplyImpulseToVertex(body, 0, NOWHERE).code, VV_BAD_ID);
    assert_int_equal(vvSoftBody_ApplyAngularImpulse(body, NOWHERE).code, VV_BAD_ID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measuresAreSumsOverVertices),
        cmocka_unit_test(bodiesAddUpToTheLedger),
        cmocka_unit_test(impulsesChangeMomentaByExactlyThemselves),
        cmocka_unit_test(wholeImpulsesDoNotDeform),
        cmocka_unit_test(pinsTakeNothing),
        cmocka_unit_test(methodsGoOnAsFromTheSameVelocities),
        cmocka_unit_test(impulsesWake),
        cmocka_unit_test(absurdImpulsesAreRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
