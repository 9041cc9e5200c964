// A hard small cube meets a plane with restitution e: it leaves with e of its speed, whatever its mesh, and what it
// lost is booked as dissipated.
#include "contact/ground.h"

// J, m/s: 1 kg at 1 m/s in empty space
static double leaves(int cells, double restitution, double h, vvLedger *ledger)
{
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
    vvSoftBodyDef def = elasticDef(1000, 1e8, 0.2);
    def.contactStiffness = 1e8;
    def.position.y = 0.06;
    def.velocity.y = -1;
    vvSoftBodyId cube = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.1, 0.1, 0.1 }, cells, cells, cells), def);
    vvColliderDef plane = vvDefaultColliderDef();
    plane.restitution = restitution;
    plane.friction = 0;
    makeCollider(world, planeShape(), plane);
    for (int n = 0; n < (int)(0.03 / h); ++n)
        CHECK_OK(vvWorld_Step(world, h));
    *ledger = vvWorld_GetLedger(world);
    double speed = meanVelocity(cube).y;
    vvDestroyWorld(world);
    return speed;
}

// within 0.06: the springs let go while the dashpots still brake, and the cube keeps some vibration
static void leavesWithItsShare(void **unused)
{
    (void)unused;
    static const double shares[] = { 0, 0.25, 0.5, 0.75, 1 };
    for (int cells = 1; cells <= 4; cells *= 2)
    {
        for (int i = 0; i < 5; ++i)
        {
            vvLedger ledger;
            double speed = leaves(cells, shares[i], 0.0002, &ledger);
            print_message("%d cells, restitution %.2f: leaves with %.3f, dissipated %.4f J of 0.5, numerical %.1e J\n",
                          cells, shares[i], speed, ledger.dissipated, ledger.numerical);
            CHECK_NEAR(speed, shares[i], 0.06);
            CHECK_NEAR(ledger.dissipated, 0.5 * (1 - speed * speed), 0.02);
            CHECK_BELOW(fabs(ledger.numerical), 1e-4 * 0.5);
            if (shares[i] == 1)
                assert_true(ledger.dissipated == 0);
        }
    }
}

// long steps: never more than its share came back, nothing invented
static void longStepsDoNotBounceHigher(void **unused)
{
    (void)unused;
    for (int i = 0; i < 3; ++i)
    {
        vvLedger ledger;
        double speed = leaves(2, 0.5, 0.0005 * (1 << i), &ledger);
        print_message("steps of %g s: leaves with %.3f, numerical %.1e J\n", 0.0005 * (1 << i), speed,
                      ledger.numerical);
        CHECK_BELOW(speed, 0.56);
        CHECK_BELOW(ledger.numerical, 0.01 * 0.5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leavesWithItsShare),
        cmocka_unit_test(longStepsDoNotBounceHigher),
    };
    return cmocka_run_group_tests_name("contact restitution", tests, NULL, NULL);
}
