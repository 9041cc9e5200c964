// Substeps: n substeps of one step are n steps, with pins, attachments and colliders that move in a straight line.
#include "world/scenes.h"

#include "world/world.h"

typedef struct Moving
{
    vvWorldId world;
    vvSoftBodyId body, other;
    vvAttachmentId attachment;
    vvColliderId collider;
    int pin;
} Moving;

// a box held by a pin and a spring, a ball that lies on a moving floor with friction
static Moving makeMoving(void)
{
    Moving m = { .world = makeWorld("implicit-midpoint", (vvVec3){ 0, -9.81, 0 }), .pin = 0 };
    vvSoftBodyDef def = elasticDef(1000, 2e4, 0.3);
    def.damping.mass = 0.5;
    m.body = makeBody(m.world, vvCreateBoxMesh((vvVec3){ 0.4, 0.4, 0.4 }, 2, 2, 2), def);
    def.position = (vvVec3){ 1, 0.01, 0 };
    def.velocity = (vvVec3){ 0.3, -0.5, 0 };
    m.other = makeBody(m.world, vvCreateBoxMesh((vvVec3){ 0.3, 0.3, 0.3 }, 1, 1, 1), def);
    CHECK_OK(vvSoftBody_Pin(m.body, &m.pin, 1));
    m.attachment = attachToPoint(m.world, m.body, 20, 3000);
    vvResult result;
    vvColliderDef floor = vvDefaultColliderDef();
    floor.restitution = 1;
    floor.vertexStiffness = 5000; // the same in all substeps; the area that faces the floor is found once a step
    vvShapeDef shape = vvDefaultShapeDef();
    shape.kind = VV_SHAPE_PLANE;
    floor.shape = vvCreateShape(&shape, &result);
    CHECK_OK(result);
    floor.position = (vvVec3){ 0, -0.15, 0 };
    m.collider = vvCreateCollider(m.world, &floor, &result);
    CHECK_OK(result);
    vvDestroyShape(floor.shape);
    return m;
}

// where everything that is moved stands after the fraction `share` of the step
static void sendTo(const Moving *m, vvVec3 pin, vvVec3 point, double share)
{
    CHECK_OK(vvSoftBody_MovePin(m->body, m->pin, (vvVec3){ pin.x + 0.01 * share, pin.y, pin.z + 0.02 * share }));
    CHECK_OK(vvAttachment_MoveTarget(m->attachment, (vvVec3){ point.x, point.y + 0.03 * share, point.z }));
    vvVec3 place = { 0.02 * share, -0.15 + 0.005 * share, 0 };
    CHECK_OK(vvCollider_MoveTo(m->collider, place, (vvQuat){ 1, 0, 0, 0 }));
}

// implicit midpoint in substeps, as a method of its own
static StepReport stepInSubsteps(System *system, double h, const Method *method)
{
    StepReport report = { 0 };
    int substeps = method->substeps;
    substepBegin(system, substeps);
    for (int i = 0; i < substeps; ++i)
    {
        substepNext(system, i, substeps);
        report = implicitMidpoint.step(system, h / substeps, method);
    }
    substepEnd(system, substeps);
    return report;
}

static void compareSubstepsWithSteps(int substeps)
{
    static const Integrator inSubsteps = { .name = "substeps", .step = stepInSubsteps };
    Moving whole = makeMoving(), single = makeMoving();
    worldFind(whole.world)->method.integrator = &inSubsteps;
    worldFind(whole.world)->method.substeps = substeps;
    vvVec3 pin = vertexPosition(whole.body, whole.pin), point = vertexPosition(whole.body, 20);
    for (int step = 0; step < 3; ++step)
    {
        sendTo(&whole, pin, point, step + 1);
        CHECK_OK(vvWorld_Step(whole.world, 0.02));
        for (int i = 1; i <= substeps; ++i)
        {
            sendTo(&single, pin, point, step + (double)i / substeps);
            CHECK_OK(vvWorld_Step(single.world, 0.02 / substeps));
        }
        const vvSoftBodyId bodies[2][2] = { { whole.body, whole.other }, { single.body, single.other } };
        for (int b = 0; b < 2; ++b)
        {
            const double *x = vvSoftBody_GetPositions(bodies[0][b]), *y = vvSoftBody_GetPositions(bodies[1][b]);
            const double *v = vvSoftBody_GetVelocities(bodies[0][b]), *u = vvSoftBody_GetVelocities(bodies[1][b]);
            for (int i = 0; i < 3 * vvSoftBody_GetVertexCount(bodies[0][b]); ++i)
            {
                // targets between are rounded differently, and Newton stops at 1e-10 of the size
                CHECK_NEAR(x[i], y[i], 1e-9);
                CHECK_NEAR(v[i], u[i], 1e-7);
            }
        }
    }
    vvLedger a = vvWorld_GetLedger(whole.world), b = vvWorld_GetLedger(single.world);
    assert_true(a.added > 1 || a.added < -1); // J: the handles did something
    CHECK_NEAR(a.added, b.added, 1e-6);
    CHECK_NEAR(a.dissipated, b.dissipated, 1e-6);
    CHECK_NEAR(a.total, b.total, 1e-6);
    vvDestroyWorld(whole.world);
    vvDestroyWorld(single.world);
}

// ends change places from substep to substep, in another order for odd and even numbers
static void partsAreSteps(void **state)
{
    (void)state;
    compareSubstepsWithSteps(1);
    compareSubstepsWithSteps(2);
    compareSubstepsWithSteps(3);
    compareSubstepsWithSteps(4);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(partsAreSteps) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
