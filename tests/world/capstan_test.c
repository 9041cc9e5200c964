// A rope that slides over half of a round bar: its tensions differ by e^(mu phi) (Euler and Eytelwein), whatever
// carries the bar, a collider or a rigid body.
#include "world/scenes.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979
#define RADIUS 0.2     // m, of the bar
#define THICKNESS 0.02 // m, of the rope
#define LEG 0.3        // m, on either side of the bar

static vvSoftBodyId layRope(vvWorldId world, int segments)
{
    double around = RADIUS + 0.5 * THICKNESS, length = PI * around + 2 * LEG;
    vvSoftBodyDef def = elasticDef(1000, 1e7, 0.3);
    def.material.thickness = THICKNESS;
    def.damping.stiffness = 0.01;
    def.damping.mass = 5;
    vvSoftBodyId rope = makeBody(world, vvCreateRopeMesh(length, segments), def);
    double *x = test_malloc(3 * (size_t)(segments + 1) * sizeof(double));
    for (int i = 0; i <= segments; ++i)
    {
        double s = length * i / segments, angle = (s - LEG) / around;
        vvVec3 p = s < LEG            ? (vvVec3){ -around, s - LEG, 0 }
                   : s > length - LEG ? (vvVec3){ around, length - LEG - s, 0 }
                                      : (vvVec3){ -around * cos(angle), around * sin(angle), 0 };
        x[3 * i] = p.x;
        x[3 * i + 1] = p.y;
        x[3 * i + 2] = p.z;
    }
    CHECK_OK(vvSoftBody_SetPositions(rope, x));
    test_free(x);
    return rope;
}

static void addBar(vvWorldId world, bool rigid, double friction)
{
    vvShapeDef shape = vvDefaultShapeDef();
    shape.kind = VV_SHAPE_CAPSULE;
    shape.radius = RADIUS;
    shape.size.y = 1;
    vvQuat turn = { sqrt(0.5), sqrt(0.5), 0, 0 };
    vvResult result;
    vvShape *made = vvCreateShape(&shape, &result);
    CHECK_OK(result);
    vvColliderDef collider = vvDefaultColliderDef();
    collider.shape = made;
    collider.rotation = turn;
    collider.friction = friction;
    vvRigidBodyDef body = vvDefaultRigidBodyDef();
    body.shape = made;
    body.rotation = turn;
    body.friction = friction;
    body.kinematic = true;
    if (rigid)
        vvCreateRigidBody(world, &body, &result);
    else
        vvCreateCollider(world, &collider, &result);
    CHECK_OK(result);
    vvDestroyShape(made);
}

// one end hangs on a spring that is stretched, the other is pulled until the rope slides; returns the tensions' ratio
static double ratioOver(const char *method, bool rigid, double friction)
{
    vvWorldId world = makeWorld(method, (vvVec3){ 0, 0, 0 });
    addBar(world, rigid, friction);
    vvSoftBodyId rope = layRope(world, 30);
    vvAttachmentId slack = attachToPoint(world, rope, 0, 200), taut = attachToPoint(world, rope, 30, 2000);
    vvVec3 left = vertexPosition(rope, 0), right = vertexPosition(rope, 30);
    double sums[2] = { 0, 0 };
    for (int i = 0; i < 80; ++i)
    {
        left.y -= 0.05 / 120;
        right.y -= 0.15 / 60;
        CHECK_OK(vvAttachment_MoveTarget(slack, left));
        CHECK_OK(vvAttachment_MoveTarget(taut, right));
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        sums[0] += i >= 50 ? -vvAttachment_GetForce(slack).y : 0;
        sums[1] += i >= 50 ? -vvAttachment_GetForce(taut).y : 0;
    }
    vvDestroyWorld(world);
    return sums[1] / sums[0];
}

static void tensionsDifferAsEulerSays(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "small-midpoint", "small-steps", "implicit-midpoint" };
    for (int m = 0; m < 3; ++m)
    {
        CHECK_CLOSE(ratioOver(methods[m], false, 0.3), exp(0.3 * PI), 0.02);
        CHECK_CLOSE(ratioOver(methods[m], false, 0), 1, 0.02);
    }
    for (int m = 0; m < 2; ++m)
        CHECK_CLOSE(ratioOver(methods[m], true, 0.3), exp(0.3 * PI), 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(tensionsDifferAsEulerSays) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
