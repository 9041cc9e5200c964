// Colliders that move: what they put in is booked, they carry, push and drag.
#include "base/base.h"
#include "contact/ground.h"

static const vvVec3 none = { 0, 0, 0 }, down = { 0, -9.81, 0 };

// m, s: a smooth way from 0 to 1
static double ramp(double t)
{
    return t <= 0 ? 0 : t >= 1 ? 1 : 0.5 - 0.5 * cos(PI * t);
}

// a plate pushes a cube through empty space: the energy it gains is the work that was booked
static void pushedEnergyIsBooked(void **unused)
{
    (void)unused;
    static const double restitutions[] = { 1, 0.3 };
    for (int i = 0; i < 2; ++i)
    {
        vvWorldId world = makeWorld("implicit-midpoint", none);
        vvSoftBodyId cube =
            makeBody(world, vvCreateBoxMesh((vvVec3){ 0.4, 0.4, 0.4 }, 2, 2, 2), elasticDef(1000, 1e5, 0.2));
        vvColliderDef def = vvDefaultColliderDef();
        def.restitution = restitutions[i];
        def.friction = 0;
        def.position.x = -0.3;
        vvColliderId plate = makeCollider(world, boxShape(0.2, 1, 1), def);
        double most = 0, drift = 0, dissipated = 0;
        for (int n = 1; n <= 200; ++n)
        {
            CHECK_OK(vvCollider_MoveTo(plate, (vvVec3){ -0.3 + 0.5 * 0.005 * n, 0, 0 }, vvQuat_FromDegrees(none)));
            CHECK_OK(vvWorld_Step(world, 0.005));
            vvLedger ledger = vvWorld_GetLedger(world);
            most = fmax(most, ledger.kinetic);
            drift = fmax(drift, fabs(ledger.numerical));
            assert_true(ledger.dissipated >= dissipated - 1e-9); // a dashpot never gives
            dissipated = ledger.dissipated;
        }
        vvLedger ledger = vvWorld_GetLedger(world);
        print_message("restitution %g: total %.4f J, added %.4f J, dissipated %.4f J, numerical at most %.2e J, speed "
                      "%.3f m/s\n",
                      restitutions[i], ledger.total, ledger.added, ledger.dissipated, drift, meanVelocity(cube).x);
        assert_true(ledger.added > 8); // 64 kg at 0.5 m/s are 8 J
        CHECK_BELOW(drift, 1e-3 * most);
        CHECK_CLOSE(ledger.total, ledger.added - ledger.dissipated, 1e-3);
        // a hard mass would leave with (1 + e) 0.5 m/s; of a soft one only the surface feels the dashpots
        assert_true(meanVelocity(cube).x > 0.5 && meanVelocity(cube).x <= 1);
        vvDestroyWorld(world);
    }
}

// a table lifts a cube by half a metre in 3 s: added is m g dz
static void liftedWeightIsBooked(void **unused)
{
    (void)unused;
    vvWorldId world = makeWorld("implicit-midpoint", down);
    vvSoftBodyDef bodyDef = elasticDef(1000, 1e6, 0.2);
    bodyDef.damping.rigidPreserving = 100;
    bodyDef.position.y = 0.2;
    vvSoftBodyId cube = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.4, 0.4, 0.4 }, 2, 2, 2), bodyDef);
    vvColliderDef def = vvDefaultColliderDef();
    def.restitution = 0.1;
    def.position.y = -0.5;
    vvColliderId table = makeCollider(world, boxShape(2, 1, 2), def);
    for (int n = 0; n < 200; ++n)
        CHECK_OK(vvWorld_Step(world, 0.01));
    vvLedger before = vvWorld_GetLedger(world);
    double height = massCentre(cube).y;
    for (int n = 1; n <= 400; ++n)
    {
        CHECK_OK(vvCollider_MoveTo(table, (vvVec3){ 0, -0.5 + 0.5 * ramp(n / 300.0), 0 }, vvQuat_FromDegrees(none)));
        CHECK_OK(vvWorld_Step(world, 0.01));
    }
    vvLedger after = vvWorld_GetLedger(world);
    double ideal = 64 * 9.81 * 0.5;
    print_message("lifted by %.6f m: added %.4f J of %.4f J, dissipated %.2e J, numerical %.2e J\n",
                  massCentre(cube).y - height, after.added - before.added, ideal, after.dissipated - before.dissipated,
                  after.numerical - before.numerical);
    CHECK_NEAR(massCentre(cube).y - height, 0.5, 1e-5);
    CHECK_CLOSE(after.added - before.added, ideal, 1e-3);
    CHECK_BELOW(fabs(after.numerical - before.numerical), 1e-4 * ideal);
    vvDestroyWorld(world);
}

// a turntable at 0.5 rad/s drags a box along: friction holds it on its circle
static void turntableDrags(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "implicit-midpoint", "backward-euler" };
    for (int i = 0; i < 2; ++i)
    {
        vvWorldId world = makeWorld(methods[i], down);
        vvSoftBodyDef bodyDef = elasticDef(1000, 1e6, 0.2);
        bodyDef.damping.rigidPreserving = 50;
        bodyDef.position = (vvVec3){ 0.5, 0.1 - 1000 * 0.2 * 9.81 / 1e7, 0 };
        bodyDef.contactStiffness = 1e7;
        vvSoftBodyId box = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.3, 0.2, 0.3 }, 2, 2, 2), bodyDef);
        vvColliderDef def = vvDefaultColliderDef();
        def.restitution = 0.1;
        def.position.y = -0.5;
        vvColliderId table = makeCollider(world, boxShape(3, 1, 3), def);
        double angle = 0, h = 0.01;
        for (int n = 1; n <= 300; ++n)
        {
            angle = 0.5 * h * n;
            CHECK_OK(vvCollider_MoveTo(table, (vvVec3){ 0, -0.5, 0 },
                                       vvQuat_FromDegrees((vvVec3){ 0, angle * 180 / PI, 0 })));
            CHECK_OK(vvWorld_Step(world, h));
        }
        vvVec3 centre = massCentre(box);
        vvLedger ledger = vvWorld_GetLedger(world);
        double found = atan2(-centre.z, centre.x), radius = hypot(centre.x, centre.z);
        print_message("%s: turned by %.4f of %.4f rad, at %.4f m; numerical %.2e J of %.3f J added\n", methods[i],
                      found, angle, radius, ledger.numerical, ledger.added);
        CHECK_NEAR(found, angle, 0.02 * angle);
        CHECK_NEAR(radius, 0.5, 0.01);
        if (i == 0)
            CHECK_BELOW(fabs(ledger.numerical), 0.01 * 0.5 * 18 * 0.25 * 0.25);
        vvDestroyWorld(world);
    }
}

// a belt under a box brings it to its speed, and friction's loss is the other half of its work
static void beltBringsToSpeed(void **unused)
{
    (void)unused;
    vvWorldId world = makeWorld("implicit-midpoint", down);
    vvSoftBodyDef bodyDef = elasticDef(1000, 1e6, 0.2);
    bodyDef.damping.rigidPreserving = 50;
    bodyDef.contactStiffness = 1e7;
    bodyDef.position.y = 0.1 - 1000 * 0.2 * 9.81 / 1e7;
    vvSoftBodyId box = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.3, 0.2, 0.3 }, 2, 2, 2), bodyDef);
    vvColliderDef def = vvDefaultColliderDef();
    def.restitution = 0.1;
    def.position.y = -0.5;
    vvColliderId belt = makeCollider(world, boxShape(20, 1, 3), def);
    vvLedger before = vvWorld_GetLedger(world);
    for (int n = 1; n <= 400; ++n)
    {
        CHECK_OK(vvCollider_MoveTo(belt, (vvVec3){ 1 * 0.0025 * n, -0.5, 0 }, vvQuat_FromDegrees(none)));
        CHECK_OK(vvWorld_Step(world, 0.0025));
    }
    vvLedger after = vvWorld_GetLedger(world);
    double kinetic = 0.5 * 18 * 1 * 1;
    print_message("belt: speed %.4f m/s, added %.3f J, dissipated %.3f J (both %.3f + kinetic), numerical %.1e J\n",
                  meanVelocity(box).x, after.added - before.added, after.dissipated - before.dissipated, kinetic,
                  after.numerical);
    CHECK_NEAR(meanVelocity(box).x, 1, 0.01);
    CHECK_CLOSE(after.added - before.added, 2 * kinetic, 0.03);
    CHECK_CLOSE(after.dissipated - before.dissipated, kinetic, 0.05);
    CHECK_BELOW(fabs(after.numerical), 1e-3 * kinetic);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pushedEnergyIsBooked),
        cmocka_unit_test(liftedWeightIsBooked),
        cmocka_unit_test(turntableDrags),
        cmocka_unit_test(beltBringsToSpeed),
    };
    return cmocka_run_group_tests_name("contact moving", tests, NULL, NULL);
}
